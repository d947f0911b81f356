"""All forms of scans, launched on Oclgrind and held against serial loops: nobody may race. Prints what was found, for each row
of the table how many launches there were, and at last the sums.

    PYSYCL_DEBUG=oclgrind,sync python tests/conformance/scans/scan_races.py
"""

from __future__ import annotations

import os
import sys
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "4_17_groups"))

from race_log import RaceLog

import pysycl as sycl
from pysycl import _core

log = RaceLog()
kept: list[sycl.Buffer] = []  # Oclgrind takes what lies in place of freed memory for written
LATER = sycl.BinaryOp("a > b ? a : b")


def buffer(values: Any) -> sycl.Buffer:
    kept.append(sycl.Buffer(np.array(values, ndmin=1)))
    return kept[-1]


class Texts(NamedTuple):
    """Two texts, and what the second should leave in y of columns of elements."""

    first: str
    second: str | None
    wanted: Any
    initial: int | None = None
    reverse: bool = False
    operator: Any = sycl.plus


def anew(x: Any, begin: int) -> Any:
    """Sums of segments, which an element above 6 begins, and those before each element."""
    after, before = np.zeros_like(x), np.zeros_like(x)
    state = np.full(x.shape[1], begin, x.dtype)
    for k, row in enumerate(x):
        state = np.where((row > 6) & (k > 0), begin, state)
        before[k], state = state, state + row
        after[k] = state
    return after + before


def chosen(x: Any) -> Any:
    y = np.zeros_like(x)
    for line, column in zip(x.T, y.T, strict=True):
        found = line[line > 4]
        column[: found.size] = found
    return y


TEXTS = {
    "sums": Texts("t += x[i];", "y[i] = t;", lambda x: np.cumsum(x, 0, x.dtype)),
    "reversed": Texts("t += x[i];", "y[i] = t.before;", lambda x: 3 + np.cumsum(x, 0, x.dtype) - x, 3, True),
    "segments": Texts("t.restart(x[i] > 6); t += x[i];", "y[i] = t + t.before;", lambda x: anew(x, 2), 2),
    "no identity": Texts("t.combine(x[i]);", "y[i] = t;", lambda x: np.maximum.accumulate(x, 0), operator=LATER),
    "in place": Texts("t += x[i];", "x[i] = t;", lambda x: np.cumsum(x, 0, x.dtype)),
    "totals": Texts("t += x[i];", None, None),
    "chosen": Texts("t += x[i] > 4;", "if (t != t.before) y[t.before] = x[i];", chosen),
}
RANGES: list[tuple[tuple[int, ...], int | None]] = [
    ((0,), None), ((1,), None), ((37,), None), ((130,), None), ((1100,), None),
    ((5, 40), 1), ((40, 20), 0), ((2, 3, 19), 1), ((3, 0, 5), 0),
]  # fmt: skip


def columns(array: Any, shape: tuple[int, ...], axis: int | None, reverse: bool) -> Any:
    """The elements of each line, as the scan goes."""
    if axis is None:
        lines = array.reshape(-1, 1)
    else:
        lines = np.moveaxis(array.reshape(shape), axis, 0)
        lines = lines.reshape(shape[axis], prod(shape) // shape[axis] if prod(shape) else 0)
    return lines[::-1] if reverse else lines


def check(queue: sycl.Queue, texts: Texts, shape: tuple[int, ...], axis: int | None) -> None:
    """One launch."""
    count = prod(shape)
    x = np.random.default_rng(count).integers(0, 9, count).astype("i4")
    lines = 1 if axis is None else prod(size for d, size in enumerate(shape) if d != axis)
    place = "x" if "x[i] =" in (texts.second or "") else "y"
    memory = {"x": buffer(x if count else np.zeros(1, "i4"))}
    if texts.second and place == "y":
        memory["y"] = buffer(np.zeros(max(count, 1), "i4"))
    total = buffer(np.full(lines, -1, "i4")) if lines and texts.operator is sycl.plus else None
    t = sycl.scanner(texts.operator, "i4", initial=texts.initial, total=total)
    with queue.submit() as h:
        given = {name: (h.read_write if name == place else h.read)(each) for name, each in memory.items()}
        where = shape if len(shape) > 1 else count
        h.parallel_scan(where, texts.first, texts.second, axis=axis, reverse=texts.reverse, t=t, **given)
    queue.wait_and_throw()
    own = columns(x, shape, axis, texts.reverse)
    if texts.second and count:
        found = columns(np.asarray(memory[place]), shape, axis, texts.reverse)
        assert np.array_equal(found, texts.wanted(own)), (found, texts.wanted(own))
    if total is not None and texts.first == "t += x[i];":
        assert np.array_equal(np.asarray(total), own.sum(0, "i4") + (texts.initial or 0)), np.asarray(total)


# -- a mistake, which has to be found --


def plant(queue: sycl.Queue) -> str:
    """What is found of elements of several tiles that write to one."""
    memory, sums = buffer(np.ones(1300, "i4")), buffer(np.zeros(1300, "i4"))
    try:
        with queue.submit() as h:
            h.parallel_scan(
                1300, "t += x[i];", "if (i % 50 == 3) y[0] = t + (int)i;", x=h.read(memory), y=h.read_write(sums),
                t=sycl.scanner(sycl.plus, "i4"),
            )  # fmt: skip
        queue.wait_and_throw()
    except sycl.KernelError as error:
        return str(error).splitlines()[1].partition(" at ")[0]
    return "nothing"


def main() -> int:
    # optimised, clang makes vectors of loops: Oclgrind does not know which parts of those were written
    os.environ["OCLGRIND_BUILD_OPTIONS"] = "-cl-opt-disable"
    queue = sycl.Queue()
    cases = bad = 0
    for row in _core.scan_rows(queue.device):
        _core.force_scan_row(row)
        launches = log.launches
        for name, texts in TEXTS.items():
            for shape, axis in RANGES:
                if name == "chosen" and axis is not None:
                    continue  # lines of which each counts by itself share y
                cases += 1
                try:
                    check(queue, texts, shape, axis)
                except (AssertionError, sycl.SyclError) as error:
                    bad += 1
                    print(f"{row}, {name} {shape} {axis}: {type(error).__name__}: {error}")
        print(f"{row}: {log.launches - launches} launches")
    _core.force_scan_row("small tiles")
    print(f"planted: {plant(queue)}")
    print(f"{cases} cases, {bad} bad, {log.launches} launches, {log.ordered} reads of what other groups left")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
