"""Docstrings of public functions, classes and their methods: each has all sections that its signature asks for."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from inspect import getdoc, isgetsetdescriptor
from pathlib import Path

import pytest

import pysycl as sycl
from pysycl.errors import ERROR_CLASSES

ROOT = Path(__file__).resolve().parents[3]
SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Notes", "Examples")  # in this order
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sections_of(text: str) -> dict[str, str]:
    """NumPy's sections: a line, and as many dashes below it."""
    parts = re.split(r"^([A-Z][a-z]+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named(section: str) -> list[str]:
    """What a section of parameters names; several may share a line."""
    heads = re.findall(r"^(\*{0,2}\w[^\n]*?)(?: :[^\n]*)?$", section, re.MULTILINE)
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def parameters_of(function: Function) -> list[str]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    every = [*positional, given.vararg, *given.kwonlyargs, given.kwarg]
    names = [name.arg for name in every if name is not None]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def gives(function: Function) -> bool:
    """True if it returns something."""
    return function.returns is not None and ast.unparse(function.returns) not in ("None", "NoReturn")


def lacks(node: Function | ast.ClassDef, parameters: list[str], returns: bool, value: object = None) -> list[str]:
    """What the docstring has not. Sections that it shares are seen in the value's."""
    text = ast.get_docstring(node)
    if text is not None and " as for `" in text:
        text = getdoc(value)
    if text is None:
        return ["a text"]
    found = sections_of(text)
    missing = []
    if list(found) != sorted(found, key=SECTIONS.index):
        missing.append("the order of its sections")
    if parameters and named(found.get("Parameters", "")) != parameters:
        missing.append("Parameters")
    if returns and "Returns" not in found:
        missing.append("Returns")
    if "Examples" not in found or ">>> " not in found["Examples"]:
        missing.append("Examples")
    return missing


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def is_method(node: ast.stmt) -> bool:
    if not isinstance(node, Function) or node.name.startswith("_"):
        return False
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return not decorators & {"property", "overload", "setter"}


def constructor(node: ast.ClassDef) -> list[str]:
    made = [item for item in node.body if isinstance(item, Function) and item.name in ("__new__", "__init__")]
    return parameters_of(made[0]) if made else []


def methods_of(value: type) -> list[Function]:
    """The public methods of a class, with those of its parts."""
    found: list[Function] = []
    for part in value.__mro__:
        if part is value or part.__module__.startswith("pysycl._commands."):
            file = (ROOT / part.__module__.replace(".", "/")).with_suffix(".py")
            nodes = [node for node in tree_of(file).body if getattr(node, "name", None) == part.__name__]
            found += [item for node in nodes for item in node.body if is_method(item)]
    return found


def file_of(value: object) -> Path | None:
    """Where a class or function of the package is written in Python."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or not module.startswith("pysycl"):
        return None
    file = (ROOT / module.replace(".", "/")).with_suffix(".py")
    return file if file.exists() else None


def node_of(value: object, name: str) -> ast.stmt | None:
    """The definition of that name."""
    file = file_of(value)
    body = tree_of(file).body if file is not None else []
    return next((node for node in body if getattr(node, "name", None) == name and not is_overload(node)), None)


def is_overload(node: ast.stmt) -> bool:
    return any("overload" in ast.unparse(each) for each in getattr(node, "decorator_list", ()))


def public() -> dict[str, object]:
    """What the package says, and what its modules say beside it."""
    found = {name: getattr(sycl, name) for name in sycl.__all__}
    for module in (sycl.cache, sycl.opencl, sycl.random):
        word = module.__name__.rpartition(".")[2]
        own = {
            name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        }
        found |= {f"{word}.{name}": value for name, value in own.items() if not name.startswith("_")}
    return found


def every_lack(names: dict[str, object]) -> dict[str, list[str]]:
    """What the docstring lacks, by public name, and by `Class.method` for methods, which a class may have from another that
    it is made of. Error classes are made by the core, and have no file."""
    found: dict[str, list[str]] = {}
    for name, value in names.items():
        if name in ERROR_CLASSES:
            found[name] = [] if "Examples\n--------\n>>> " in (getdoc(value) or "") else ["Examples"]
        node = node_of(value, name.rpartition(".")[2]) if callable(value) else None
        if isinstance(node, Function):
            found[name] = lacks(node, parameters_of(node), gives(node), value)
        elif isinstance(node, ast.ClassDef):
            found[name] = lacks(node, constructor(node), False)
        for base in value.__mro__ if isinstance(value, type) else ():
            above = node_of(base, base.__name__)
            for item in above.body if isinstance(above, ast.ClassDef) else ():
                if is_method(item) and is_from(value, base, item):
                    assert isinstance(item, Function)
                    found[f"{name}.{item.name}"] = lacks(
                        item, parameters_of(item), gives(item), getattr(value, item.name)
                    )
    return found


def is_from(cls: type, base: type, item: ast.stmt) -> bool:
    """The class has the method from this base, and from none before."""
    name = getattr(item, "name", "")
    return next((each for each in cls.__mro__ if name in vars(each)), None) is base


def test_public_names_have_all_sections() -> None:
    found = every_lack(public())
    assert len(found) > 480
    assert not {name: missing for name, missing in found.items() if missing}


def test_what_is_on_dask_arrays_has_them_too() -> None:
    pytest.importorskip("dask.array")
    import pysycl.dask

    found = every_lack({f"dask.{name}": getattr(pysycl.dask, name) for name in pysycl.dask.__all__})
    assert len(found) >= 25
    assert not {name: missing for name, missing in found.items() if missing}


def test_properties_have_texts() -> None:
    values = [value for value in public().values() if isinstance(value, type)]
    found = {
        f"{part.__name__}.{name}": getdoc(member)
        for value in values
        for part in value.__mro__
        if part.__module__.startswith("pysycl")
        for name, member in vars(part).items()
        if not name.startswith("_") and (isinstance(member, property) or isgetsetdescriptor(member))
    }
    assert len(found) > 150
    assert not [name for name, text in found.items() if not text]


def test_shared_texts_are_filled_in() -> None:
    """Below names of parameters "As for `reduce`.", or in place of sections: who asks for help gets `reduce`'s text. A name
    or a section that has none there is a slip of the pen."""
    assert "only the elements where it is True count" in (sycl.nanvar.__doc__ or "")
    text = inspect.getdoc(sycl.nanvar) or ""  # from 3.13 on Python itself takes the indentation away
    assert "ddof\n    What is taken off" in text, "through `var`"
    assert "Returns\n-------\nnumpy.ndarray, NumPy scalar, Buffer" in text
    shared = re.compile(
        r"^( *)\w[^\n]*\n\1    As for `[\w.]+`\.$|^ *(Parameters|Returns|Raises)\b.* as for `[\w.]+`\.$", re.MULTILINE
    )
    unfilled = []
    for name in every_lack(public()):
        value: object = sycl
        for part in name.split("."):
            value = getattr(value, part)
        unfilled += [f"{name}: {found[0]}" for found in shared.finditer(getattr(value, "__doc__", None) or "")]
    assert not unfilled


def test_the_parser_sees_what_lacks() -> None:
    def first(text: str) -> list[str]:
        node = ast.parse(text).body[0]
        assert isinstance(node, Function)
        return lacks(node, parameters_of(node), gives(node))

    good = '''
def f(a: int, *, b: int) -> int:
    """Text.

    Parameters
    ----------
    a, b
        Words.

    Returns
    -------
    int

    Examples
    --------
    >>> f(1, b=2)
    """
'''
    assert first(good) == []
    assert first(good.replace("a, b", "b, a")) == ["Parameters"]
    assert first(good.replace("Returns\n    -------", "Notes\n    -----")) == ["Returns"]
    assert first(good.replace(">>> ", "")) == ["Examples"]
    assert first("def f(): pass") == ["a text"]
