"""Tracebacks: a mistake in a call shows the user's frames and at most one of the package's."""

import inspect
import os
import pickle
import pydoc
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

X = np.zeros(10, np.float32)
PACKAGE = os.path.dirname(sycl.__file__)

MISTAKES: list[Callable[[sycl.Queue], Any]] = [
    lambda q: sycl.sum(X, map="sqr(x)"),
    lambda q: sycl.sum(X, axis=3),
    lambda q: sycl.sum("text"),
    lambda q: sycl.mean(X, where=3),
    lambda q: sycl.var(X, map="x *"),
    lambda q: sycl.min(np.zeros(0)),
    lambda q: sycl.argmin(X[:0]),
    lambda q: sycl.dot(X, X[:3]),
    lambda q: sycl.norm(X, ord="x"),
    lambda q: sycl.reduce(X, "a + c"),
    lambda q: sycl.reduce(X, "mx(a, b)"),
    lambda q: sycl.reduce(X, 3),
    lambda q: sycl.make_reduce(sycl.plus, "f4", map="sqr(x)")(X),
    lambda q: sycl.make_reduce(sycl.plus, "f4", map="sqr(x)").plan(10),
    lambda q: sycl.make_reduce(accuracy="some"),
    lambda q: q.parallel_for(10, "x[i] = y;", x=X),
    lambda q: q.single_task("x[0] = y;", x=X),
    lambda q: q.submit(lambda h: h.parallel_for(10, "x[i] = y;", x=X)),
    lambda q: q.submit(lambda h: h.copy(X, X[:3])),
    lambda q: q.submit(3),  # type: ignore[arg-type, return-value]
    lambda q: q.kernel(10, "x[i] = y;", x=X),
    lambda q: sycl.explain("x[i] = y;", 10, x=X),
    lambda q: sycl.kernel_source("x[i] = 1; }", 10, x=X),
    lambda q: sycl.kernel_source(3, 10, x=X),  # type: ignore[arg-type]
    lambda q: sycl.reduction("text", sycl.plus),  # type: ignore[arg-type]
    lambda q: sycl.span("text"),  # type: ignore[arg-type]
    lambda q: sycl.malloc_shared(-1, "f4", q),
    lambda q: sycl.malloc_shared(1, "no", q),
    lambda q: sycl.known_identity(sycl.bit_or, "f4"),
    lambda q: sycl.build(3),  # type: ignore[arg-type]
]


def frames_of(error: BaseException) -> tuple[int, int]:
    """How many frames are the user's, and how many the package's."""
    files = [each.filename for each in traceback.extract_tb(error.__traceback__)]
    ours = [file for file in files if file.startswith(PACKAGE)]
    return len(files) - len(ours), len(ours)


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_a_mistake_shows_the_users_frames(queue: sycl.Queue, number: int) -> None:
    with pytest.raises((sycl.SyclError, TypeError, ValueError)) as caught:
        MISTAKES[number](queue)
    if isinstance(caught.value, sycl.SyclError):
        theirs, ours = frames_of(caught.value)
        assert theirs >= 2 and ours <= 1
        assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_group_of_the_users_stays(queue: sycl.Queue) -> None:
    """Frames of the user's between those of the package are kept, and in their order."""

    def group(h: sycl.Handler) -> None:
        inner(h)

    def inner(h: sycl.Handler) -> None:
        sycl.sum(X, map="sqr(x)")

    with pytest.raises(sycl.BuildError) as caught:
        queue.submit(group)
    names = [each.name for each in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_a_group_of_the_users_stays", "group", "inner"]


def test_a_name_that_is_not_there_is_the_users_line() -> None:
    for wrong in ("sumn", "nd_rnge", "_nothing"):
        with pytest.raises(AttributeError, match=f"module 'pysycl' has no attribute '{wrong}'") as caught:
            getattr(sycl, wrong)
        assert frames_of(caught.value) == (1, 0) and caught.value.__context__ is None


def test_what_the_user_was_handling_stays(queue: sycl.Queue) -> None:
    def handling() -> None:
        try:
            raise KeyError("mine")
        except KeyError:
            sycl.sum(X, map="sqr(x)")

    with pytest.raises(sycl.BuildError) as caught:
        handling()
    assert isinstance(caught.value.__context__, KeyError)


def test_errors_that_are_none_of_ours_keep_their_frames() -> None:
    class Bad:
        def __array__(self, *_: object, **__: object) -> None:
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError) as caught:
        sycl.sum(Bad())
    assert frames_of(caught.value)[1] > 1


def test_all_frames_are_kept_for_debugging(run_python) -> None:
    code = """
        import traceback, numpy as np, pysycl as sycl
        try:
            sycl.sum(np.zeros(3, "f4"), axis=3)
        except sycl.SyclError as error:
            print(len(traceback.extract_tb(error.__traceback__)))
    """
    import textwrap

    plain = int(run_python(textwrap.dedent(code), {}).stdout)
    kept = int(run_python(textwrap.dedent(code), {"PYSYCL_DEBUG": "traceback"}).stdout)
    assert plain == 1 and kept > 2


def test_an_entry_is_a_function_like_any_other() -> None:
    assert list(inspect.signature(sycl.sum).parameters)[:3] == ["x", "axis", "dtype"]
    assert sycl.sum.__name__ == "sum" and (sycl.sum.__doc__ or "").startswith("The sum")
    assert inspect.isroutine(sycl.sum) and callable(sycl.sum) and repr(sycl.sum).startswith("<function sum at")
    assert pickle.loads(pickle.dumps(sycl.sum)) is sycl.sum
    help_of = pydoc.plain(pydoc.render_doc(sycl.sum))
    # from 3.13 on a long signature has a line for each parameter
    assert re.match(
        r"Python Library Documentation: function in module pysycl\._reductions\.reduce_calls\n\nsum\(\s*x: ", help_of
    )
    assert re.search(r"submit\([\s|]*self,[\s|]*group", pydoc.plain(pydoc.render_doc(sycl.Queue)))
    assert sycl.Queue.submit.__qualname__ == "Queue.submit"
    for wrong in ((), (3,), (len,)):
        with pytest.raises(TypeError):
            _core.entry(*wrong)  # type: ignore[call-overload]


def test_a_wait_for_one_event_needs_no_function_of_pythons() -> None:
    called: list[str] = []
    event = sycl.Event()
    event.wait()
    sys.setprofile(lambda _, what, __: called.append(what))
    event.wait()
    sys.setprofile(None)
    assert "call" not in called
    with pytest.raises(sycl.InvalidParameterError, match="^events: expected Events, got 3$"):
        sycl.Event.wait([3])  # type: ignore[list-item]
    for name in ("_none", "_from_native"):
        with pytest.raises((TypeError, RuntimeError)):
            type("Wrong", (_core.Event,), {"wait": _core.method(lambda self: None, name)})
