"""Errors of the two texts of a scan: each by its own name and lines, with a caret in the user's own text."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import pysycl as sycl

N = 8
SUM = "t += x[i];"


class Wrong(NamedTuple):
    """Two texts, where something is wrong in one of them, and what is said of it."""

    first: str
    second: str
    place: str
    told: str
    error: type = sycl.BuildError


WRONG = [
    Wrong(SUM, "y[i] = u;", "second text:1:8", "No argument 'u' is given: 't', 'x' and 'y' are."),
    Wrong(f"{SUM}\n", "// a\ny[i] = t;\n\n  y[i] = foo(t);", "second text:4:10", "'foo'"),
    Wrong("\n t += x[i] + u;", "y[i] = t;", "first text:2:14", "No argument 'u' is given"),
    Wrong(SUM, "y[i] = t", "second text:1:7", "expected ';'"),
    Wrong("t += x[i]", "y[i] = t;", "first text:1:10", "expected ';'"),
    Wrong(SUM, "y[i] = t; }", "second text:1:11", "this '}' closes nothing"),
    Wrong(f"{SUM} }}", "y[i] = t;", "first text:1:12", "this '}' closes nothing"),
    Wrong(SUM, "\n{ y[i] = t;", "second text:2:1", "this '{' is not closed"),
    Wrong("t = x[i];", "y[i] = t;", "first text:1:1", "the scanner 't' combines by plus, and not by '='"),
    Wrong("y[i] = t; t += x[i];", "y[i] = t;", "first text:1:8", "the scanner 't' can be neither read nor set"),
    Wrong("y[i] = 3; t += x[i];", "y[i] = t;", "first text:1:1", "write to 'y' in the second"),
    Wrong("parallel_for_work_item() t += x[i];", "y[i] = t;", "first text:1:1", "parallel_for_work_group"),
    Wrong(SUM, "\n parallel_for_work_item() y[i] = t;", "second text:2:2", "parallel_for_work_group"),
    Wrong(SUM, "y[i] = get_group_id(0);", "second text:1:8", "which a scan's elements do not have", sycl.NdRangeError),
    Wrong(SUM, "if (t != u) y[(int)t.before] = t;", "second text:1:10", "No argument 'u' is given"),
    Wrong(SUM, "if (t)\n  y[(int)t] = foo(t);", "second text:2:15", "'foo'"),
    Wrong(SUM, "if (t != foo(t)) y[(int)t] = t;", "second text:1:10", "'foo'"),
    Wrong(SUM, "if (t > 1)\n  y[(int)t] = t", "second text:2:14", "expected ';'"),
    *(
        Wrong(SUM, f"y[i] = 0; {set}", f"second text:1:{at}", "the scanner 't' has its value here")
        for set, at in [("t.combine(3);", 11), ("t = 3;", 11), ("t += 3;", 11), ("t++;", 11), ("--t;", 13)]
    ),
]  # fmt: skip


def caret_below(message: str, text: str, line: int, column: int) -> bool:
    """Is the line of the text quoted, with a caret below the column?"""
    own = text.split("\n")[line - 1]
    return f"{line:5} | {own}\n      | {' ' * (column - 1)}^" in message


def run(queue: sycl.Queue, first: str, second: str | None, size: int = N, **more: Any) -> None:
    arrays: dict[str, Any] = {"x": np.ones(N, np.float32), "y": np.zeros(N, np.float32), **more}
    used = {name: each for name, each in arrays.items() if f"{name}[" in f"{first}{second}"}
    queue.parallel_scan(size, first, second, t=sycl.scanner(sycl.plus, "f4"), **used)


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_the_users_text_and_a_caret(queue: sycl.Queue, wrong: Wrong) -> None:
    with pytest.raises(wrong.error) as error:
        run(queue, wrong.first, wrong.second)
    message = str(error.value)
    name, line, column = wrong.place.split(":")
    assert message.startswith(f"{wrong.place}: "), message
    assert wrong.told in message
    assert caret_below(message, wrong.first if name == "first text" else wrong.second, int(line), int(column)), message
    assert "syc_" not in message


READ_ONLY = np.zeros(N, np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("first", "second", "more", "error", "told", "place"),
    [
        (SUM, "\n  y[i] = t;", {"y": READ_ONLY}, sycl.KernelArgumentError,
         "second text: 'y' is read-only, and the body writes to it at line 2, column 3", (2, 3)),
        ("t += y(i);", "x[i] = t;", {"y": np.zeros((2, 4), np.float32)}, sycl.KernelArgumentError,
         "first text: 'y' has 2 dimensions, and line 1, column 6 has y(...) with 1 index", (1, 6)),
        (SUM, "\ny[i] = Z + t;", {"z": np.float32(3)}, sycl.KernelArgumentError,
         "second text: unknown name 'z': the text has 'Z' in line 2", (2, 8)),
    ],
)  # fmt: skip
def test_what_the_text_does_with_its_names(
    queue: sycl.Queue, first: str, second: str, more: dict[str, Any], error: type[Exception], told: str, place: Any
) -> None:
    arguments = {"x": np.ones(N, np.float32), "y": np.zeros(N, np.float32), **more}
    with pytest.raises(error) as found:
        queue.parallel_scan(N, first, second, t=sycl.scanner(sycl.plus, "f4"), **arguments)
    message = str(found.value)
    assert message.startswith(told), message
    assert caret_below(message, first if told.startswith("first") else second, *place), message


@pytest.mark.parametrize(
    ("first", "second", "place", "at"),
    [
        (SUM, "\n  z[i + 1] = t;", "line 2, column 3 of the second text", (2, 3)),
        ("t += z[i];", "y[i] = t;", "line 1, column 6 of the first text", (1, 6)),
    ],
)
def test_bounds_at_the_launch(queue: sycl.Queue, first: str, second: str, place: str, at: tuple[int, int]) -> None:
    with pytest.raises(sycl.BoundsError) as error:
        run(queue, first, second, z=np.zeros(4, np.float32))
    message = str(error.value)
    assert place in message
    assert caret_below(message, second if "second" in place else first, *at), message


def test_bounds_in_the_kernel(run_python: Any) -> None:
    child = run_python(
        """if True:
        import numpy as np, pysycl as sycl
        x, y, k = np.ones(8, 'f4'), np.zeros(8, 'f4'), np.arange(8, dtype='i4') + 4
        q = sycl.Queue()
        try:
            q.parallel_scan(8, "t += x[i];", "int j = k[i];\\ny[j] = t;", x=x, y=y, k=k, t=sycl.scanner(sycl.plus, 'f4'))
        except sycl.BoundsError as error:
            print(error)
        """,
        env={"PYSYCL_DEBUG": "check"},
    )
    assert re.search(r"\(index \d+, line 2 of the second text\)\n    2 \| y\[j\] = t;\n      \| \^", child.stdout), (
        child.stdout
    )


def test_a_first_text_that_swallows_the_second(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.BuildError, match="^first text: it ends within a comment"):
        run(queue, f"{SUM} /*", "y[i] = t;")
    with pytest.raises(sycl.KernelArgumentError, match="^first text: the scanner 't' is given, and the text combines"):
        run(queue, "x[i];", "y[i] = t;")


def test_axes_that_there_are_not(queue: sycl.Queue) -> None:
    for axis, told in (
        (1, "axis: 1 is out of bounds for a range of 1 dimension"),
        ("a", "axis: expected None or an int, got 'a'"),
    ):
        with pytest.raises(sycl.InvalidParameterError) as error:
            queue.parallel_scan(N, SUM, None, axis=axis, x=np.ones(N, "f4"), t=sycl.scanner(sycl.plus, "f4"))
        assert str(error.value) == told


def test_a_scanner_is_a_value(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.BuildError, match="a scanner's name is its value"):
        run(queue, SUM, "y[i] = t[i];")


def test_local_memory(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.KernelArgumentError, match="'m' is local memory, which the texts of a scan cannot have"):
        queue.parallel_scan(
            N, SUM, "m[0] = t;", x=np.ones(N, np.float32), m=sycl.local(4, "f4"), t=sycl.scanner(sycl.plus, "f4")
        )
