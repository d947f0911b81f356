"""Methods that Python declares and a C type does: each is declared, its examples are right, and help() shows both."""

import inspect

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

FACES = [(sycl.Queue, _core.Queue), (sycl.Handler, _core.Handler)]
DECLARED = [
    (face, name)
    for face, base in FACES
    for name in vars(base)
    if not name.startswith("_") and callable(vars(base)[name])
]


def test_there_are_declarations() -> None:
    assert len(DECLARED) > 20


@pytest.mark.parametrize(("face", "name"), DECLARED, ids=[f"{face.__name__}.{name}" for face, name in DECLARED])
def test_a_method_is_declared_where_users_look(face: type, name: str) -> None:
    """By the class itself, or by a part of it in a file of its own."""
    declared = inspect.getattr_static(face, name)
    assert isinstance(declared, _core.Entry)
    assert declared.__module__ in {part.__module__ for part in face.__mro__ if part.__module__ != _core.__name__}
    assert len(inspect.getdoc(declared) or "") > 30
    assert inspect.signature(declared).return_annotation is not inspect.Signature.empty


def test_a_declaration_needs_a_method_to_declare() -> None:
    def lost(self: object) -> None:
        """Nothing does it."""

    with pytest.raises((TypeError, RuntimeError), match="lost") as refused:
        type("Wrong", (_core.Queue,), {"lost": _core.method(lost)})
    assert "no C type above Wrong has a method lost" in str(refused.value.__cause__ or refused.value)
    with pytest.raises(TypeError, match="no class"):
        _core.method(lost)(None)


def test_arguments_go_through_as_they_are(queue: sycl.Queue) -> None:
    x = np.arange(4, dtype=np.int32)
    sycl.Queue.parallel_for(queue, 4, "x[i] += a;", **{"x": x, "a": 3})
    assert x.tolist() == [3, 4, 5, 6]
    with pytest.raises(TypeError, match="queue|Queue"):
        sycl.Queue.parallel_for(object(), 4, "x[i] += 1;", x=x)
