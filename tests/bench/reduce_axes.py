"""Sums along the rows and the columns of an array, against a plain sum of as many elements and NumPy, or on a device with
memory of its own CuPy.

    python tests/bench/reduce_axes.py [LOG2_N [ROUNDS [cpu]]]

2^LOG2_N float32 elements as ROWS x COLUMNS, from 1 x n to n x 1. The roof is the plain sum's rate of bytes in the same
round; the bytes of a point are those of its elements and its results. All are planned once, take turns in one process, and
their results are compared with NumPy's first. "cpu" takes the processor time of all threads in place of the time that
passes: on a machine that others use, too, only that says what the work was. Nothing is asserted about time.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated, take_turns

import pysycl as sycl
from pysycl.reductions import _along

Array = np.ndarray[Any, Any]


def check(name: str, result: Array, expected: Array) -> None:
    if not np.allclose(result, expected, rtol=1e-4):
        raise SystemExit(f"{name}: a wrong result")


def peer(x: Array, axis: int, shared: bool) -> Contender:
    """NumPy's sum, or CuPy's where the device has memory of its own."""
    if shared:
        out = np.zeros(x.shape[1 - axis], np.float32)
        return Contender("numpy", repeated(lambda: np.sum(x, axis=axis, out=out)))
    import cupy

    given = cupy.asarray(x)

    def call() -> None:
        cupy.sum(given, axis=axis)
        cupy.cuda.runtime.deviceSynchronize()

    return Contender("cupy", repeated(call))


def contenders(q: sycl.Queue, x: Array, memory: Any, roof: Any, axis: int) -> list[Contender]:
    results = x.shape[1 - axis]
    shared = q.device._facts["shares_host_memory"]
    out = np.zeros(results, np.float32) if shared else sycl.malloc_device(results, np.float32, q)
    kernel = q.kernel(x.shape, "r += v[i];", v=memory, r=_along(out, sycl.plus, 1 << axis))
    kernel().wait()
    found = np.zeros(results, np.float32)
    q.memcpy(found, out, found.nbytes)
    check(f"{x.shape}, axis {axis}", found, np.sum(x, axis=axis, dtype=np.float64))
    row = next(line for line in kernel.explanation.splitlines() if line.startswith("row"))[10:]
    return [
        Contender("sum", repeated(lambda: roof().wait())),
        Contender("pysycl", repeated(lambda: kernel().wait()), note=row),
        peer(x, axis, shared),
    ]


def main(log2: int, rounds: int, cpu: bool) -> None:
    q = sycl.Queue()
    data = np.random.default_rng(0).random(1 << log2, dtype=np.float32)
    total = sycl.malloc_shared(1, np.float32, q)
    memory = sycl.malloc_device(data.size, np.float32, q)
    q.memcpy(memory, data, data.nbytes)
    roof = q.kernel(data.size, "r += v[i];", v=memory, r=_along(total, sycl.plus, 0))
    print_machine(
        f"Sums along an axis of 2^{log2} floats",
        f"device  : {q.device.name}, {q.device.platform.name}",
        f"time    : {'processor time of all threads' if cpu else 'that passes'}",
    )
    rows = []
    for power in range(0, log2 + 1, 2):
        for axis in (0, 1):
            x = data.reshape(1 << power, -1)
            turns = contenders(q, x, memory, roof, axis)
            take_turns(turns, rounds, 2, time.process_time if cpu else time.perf_counter)
            plain, ours, theirs = turns
            bytes_ = 4 * (x.size + x.shape[1 - axis])
            scale = bytes_ / (4 * x.size)
            rows.append(
                (
                    f"{x.shape[0]} x {x.shape[1]}, axis {axis}",
                    f"{bytes_ / ours.least / 1e9:.1f}",
                    f"{bytes_ / ours.median / 1e9:.1f}",
                    f"{scale * plain.least / ours.least:.2f}",
                    f"{scale * ratio(plain, ours):.2f}",
                    f"{ratio(theirs, ours):.1f}",
                    turns[1].note,
                )
            )
    heads = (
        "rows x columns",
        "GB/s, least",
        "median",
        "of the roof, least",
        "median",
        f"{turns[-1].name}'s time",
        "row",
    )
    print_table(heads, rows)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 24, int(given[1]) if len(given) > 1 else 15, "cpu" in given)
