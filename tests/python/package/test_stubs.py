"""The stub _core.pyi and its parts against the module: the same names, and the same parameters for what can be called."""

import ast
import inspect
import types
from pathlib import Path

import pytest

from pysycl import _core

STUBS = sorted((Path(__file__).resolve().parents[3] / "pysycl").glob("_core*.pyi"))
TREE = ast.parse("\n".join(stub.read_text(encoding="utf-8") for stub in STUBS))
Function = ast.FunctionDef | ast.AsyncFunctionDef
CALLABLE = (types.BuiltinFunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


def declared(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What a block of the stub declares: functions, classes and annotated names, but no imports."""
    found: dict[str, ast.stmt] = {}
    for item in body:
        if isinstance(item, Function | ast.ClassDef):
            found[item.name] = item
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = item
    return found


def members_of(name: str) -> dict[str, ast.stmt]:
    """What a class of the stub declares, and what the private classes do that only the stub has: they are shared."""
    item = declared(TREE.body)[name]
    assert isinstance(item, ast.ClassDef)
    shared = [base.id for base in item.bases if isinstance(base, ast.Name) and base.id.startswith("_")]
    return {**{key: each for base in shared for key, each in members_of(base).items()}, **declared(item.body)}


def is_stub_only(name: str, item: ast.stmt) -> bool:
    """A private class or alias of the stub that only serves its annotations, such as a TypedDict."""
    alias = isinstance(item, ast.AnnAssign) and "TypeAlias" in ast.unparse(item.annotation)
    return name.startswith("_") and (alias or isinstance(item, ast.ClassDef))


def public(names: object) -> set[str]:
    return {name for name in dir(names) if not (name.startswith("__") and name.endswith("__"))}


def own(cls: type) -> set[str]:
    return {name for name in vars(cls) if not (name.startswith("__") and name.endswith("__"))}


def shape(arguments: ast.arguments) -> list[tuple[str, str, bool]]:
    """Name, kind and whether there is a default, for each parameter of a stub's function but self and cls."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [False] * (len(positional) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    result = []
    for index, (parameter, default) in enumerate(zip(positional, defaults, strict=True)):
        kind = "POSITIONAL_ONLY" if index < len(arguments.posonlyargs) else "POSITIONAL_OR_KEYWORD"
        result.append((parameter.arg, kind, default))
    if arguments.vararg is not None:
        result.append((arguments.vararg.arg, "VAR_POSITIONAL", False))
    for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        result.append((parameter.arg, "KEYWORD_ONLY", value is not None))
    if arguments.kwarg is not None:
        result.append((arguments.kwarg.arg, "VAR_KEYWORD", False))
    return [entry for entry in result if entry[0] not in {"self", "cls"}]


def real_shape(function: object) -> list[tuple[str, str, bool]]:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    entries = [(p.name, p.kind.name, p.default is not p.empty) for p in parameters]
    return [entry for entry in entries if entry[0] not in {"self", "type", "cls"}]


FUNCTIONS = [name for name, item in declared(TREE.body).items() if isinstance(item, Function)]
CLASSES = [
    name
    for name, item in declared(TREE.body).items()
    if isinstance(item, ast.ClassDef) and not is_stub_only(name, item)
]


def test_the_stub_names_what_the_module_has() -> None:
    names = {name for name, item in declared(TREE.body).items() if not is_stub_only(name, item)}
    assert names == public(_core)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_parameters_of_its_stub(name: str) -> None:
    item = declared(TREE.body)[name]
    assert isinstance(item, Function)
    assert real_shape(getattr(_core, name)) == shape(item.args)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_the_members_of_its_stub(name: str) -> None:
    members = {member for member in members_of(name) if not (member.startswith("__") and member.endswith("__"))}
    assert members == own(getattr(_core, name))


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_has_the_parameters_of_its_stub(name: str) -> None:
    for member, declaration in members_of(name).items():
        real = vars(getattr(_core, name)).get(member)
        if isinstance(real, CALLABLE) and not member.startswith("__"):
            assert isinstance(declaration, Function), member
            assert real_shape(real) == shape(declaration.args), f"{name}.{member}"
        elif isinstance(declaration, Function) and not member.startswith("__"):
            decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in declaration.decorator_list}
            assert decorators & {"property", "setter", "staticmethod"}, f"{name}.{member} is not callable in the module"


def test_all_of_the_module_has_a_line_of_help() -> None:
    """Functions, types and their members. What has two underscores at each end is the language's own."""

    def is_told(thing: object) -> bool:
        text = getattr(thing, "__doc__", None)
        return isinstance(text, types.GetSetDescriptorType) or bool(text and text.strip())

    members = (*CALLABLE, types.GetSetDescriptorType, types.MemberDescriptorType)
    named: dict[str, object] = {}
    for name, thing in vars(_core).items():
        if isinstance(thing, types.BuiltinFunctionType | type):
            named[name] = thing
        if isinstance(thing, type):
            named |= {f"{name}.{part}": it for part, it in vars(thing).items() if isinstance(it, members)}
    own = {name: thing for name, thing in named.items() if not name.rpartition(".")[2].startswith("__")}
    assert len(own) > 250
    assert [name for name, thing in own.items() if not is_told(thing)] == []
