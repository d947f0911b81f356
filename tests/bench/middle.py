"""The middle sizes, arrays in and result out: pysycl against NumPy and Numba's parallel loops.

    python tests/bench/middle.py [LOG2_N[,LOG2_N...] [ROUNDS [CASE[,CASE...]]]]

All work on the same NumPy arrays, take turns in one process in short rounds, and their results are compared with NumPy's
first. A figure is how many times as long a peer takes, the median over rounds of two figures of the same round: above 1,
pysycl is quicker. "late" is the 99th percentile of single calls of pysycl's, as many times as long as their median, where
they are many enough to have one. Numba's sums may combine in any order, as pysycl's may.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from elementwise import CASES, Arrays, launch_of_body, numba_calls, repeated, turns
from report import Contender, print_machine, print_table, ratio

import pysycl as sycl

Call = Callable[[], object]
BODIES = ("triad", "polynomial", "exp", "conditional")
ROUND_SECONDS = 0.001
CALLS_A_ROUND = 3  # at least
LEAST_ROUNDS, MOST_SECONDS = 3, 3.0  # of one size
SINGLE_CALLS, LATE_SECONDS = 400, 1.0
FIGURES = ["us", "x NumPy", "x Numba", "late"]
ROWS = 256  # of the sums along axes

# Expressions of x and z in NumPy and pysycl, and loops in Numba.
REDUCTIONS = {
    "sum": ("x.sum()", "sycl.sum(x)", "r = float32(0)\n    for i in prange(x.size):\n        r += x[i]"),
    "max": ("x.max()", "sycl.max(x)", "r = x[0]\n    for i in prange(x.size):\n        r = max(r, x[i])"),
    "dot": ("np.dot(x, z)", "sycl.dot(x, z)", "r = float32(0)\n    for i in prange(x.size):\n        r += x[i] * z[i]"),
    "argmin": ("x.argmin()", "sycl.argmin(x)", "r = x.argmin()"),
    "sum of rows": (
        "x2.sum(1)",
        "sycl.sum(x2, 1)",
        "r = np.empty(x2.shape[0], x.dtype)\n    for i in prange(x2.shape[0]):\n        r[i] = x2[i].sum()",
    ),
    "sum of columns": (
        "x2.sum(0)",
        "sycl.sum(x2, 0)",
        "r = np.zeros(x2.shape[1], x.dtype)\n    for i in prange(x2.shape[0]):\n        r += x2[i]",
    ),
}


def numba_reductions() -> dict[str, Callable[..., object]]:
    """The reductions as Numba's parallel loops; empty where it is not installed."""
    try:
        import numba
    except ImportError:
        return {}
    scope: dict[str, Any] = {"np": np, "prange": numba.prange, "float32": np.float32}
    compiled = {}
    for name, (_, _, loop) in REDUCTIONS.items():
        exec(f"def reduction(x, x2, z):\n    {loop}\n    return r\n", scope)
        parallel = "prange" in loop
        compiled[name] = numba.njit(parallel=parallel, fastmath=name != "argmin")(scope["reduction"])
    return compiled


def of_reduction(name: str, x: Any, z: Any, numba: dict[str, Callable[..., object]]) -> Iterator[tuple[str, Call]]:
    x2 = x.reshape(min(ROWS, x.size), -1)
    scope = {"x": x, "x2": x2, "z": z, "np": np, "sycl": sycl}
    numpy, own, _ = REDUCTIONS[name]
    yield "pysycl", eval(f"lambda: {own}", scope)
    yield "NumPy", eval(f"lambda: {numpy}", scope)
    if name in numba:
        yield "Numba", lambda: numba[name](x, x2, z)


def reductions_of(name: str, arrays: Arrays, numba: dict[str, Callable[..., object]]) -> list[Contender]:
    calls = dict(of_reduction(name, arrays.host["x"], arrays.host["z"], numba))
    expected = calls["NumPy"]()
    for peer, call in calls.items():
        np.testing.assert_allclose(call(), expected, rtol=1e-2, err_msg=f"{name}: {peer}")
    return [Contender(peer, repeated(call)) for peer, call in calls.items()]


def bodies_of(name: str, arrays: Arrays, numba: dict[str, Callable[..., object]]) -> list[Contender]:
    case = next(each for each in CASES if each.name == name)
    x, y, z = (arrays.host[each] for each in "xyz")
    calls: dict[str, Call] = {
        "pysycl": launch_of_body(case, arrays),
        "NumPy": lambda: case.numpy(x, y, z, arrays.spare, arrays.a),
    }
    if name in numba:
        calls["Numba"] = lambda: numba[name](x, y, z, arrays.a)
    expected = arrays.expected(case)
    for peer, call in calls.items():
        arrays.reset()
        call()
        np.testing.assert_allclose(arrays.result(), expected, rtol=3e-6, err_msg=f"{name}: {peer}")
    return [Contender(peer, repeated(call)) for peer, call in calls.items()]


def lateness(own: Contender) -> str:
    times = []
    if own.median * SINGLE_CALLS > LATE_SECONDS:
        return "-"
    for _ in range(SINGLE_CALLS):
        before = time.perf_counter()
        own.run(1)
        times.append(time.perf_counter() - before)
    return f"{np.percentile(times, 99) / np.median(times):.1f}"


def measure(contenders: list[Contender], rounds: int) -> list[str]:
    turns(contenders, 1, 1, time.perf_counter)
    own, others = contenders[0], {each.name: each for each in contenders[1:]}
    all_seconds = CALLS_A_ROUND * sum(each.least for each in contenders)
    rounds = max(LEAST_ROUNDS, min(rounds, int(MOST_SECONDS / all_seconds)))
    if all_seconds < ROUND_SECONDS * len(contenders):
        turns(contenders, 3, 2, time.perf_counter)
    count = max(1, int(ROUND_SECONDS / max(own.least, 1e-6)))
    for each in contenders:
        each.seconds.clear()
    turns(contenders, rounds, count, time.perf_counter)
    peers = (f"{ratio(others[name], own):.2f}" if name in others else "-" for name in ("NumPy", "Numba"))
    return [f"{own.median * 1e6:.1f}", *peers, lateness(own)]


def main() -> None:
    sizes = [int(each) for each in sys.argv[1].split(",")] if len(sys.argv) > 1 else list(range(12, 27, 2))
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else [*BODIES, *REDUCTIONS]
    warnings.simplefilter("ignore")
    queue, numba = sycl.Queue(), {**numba_calls(), **numba_reductions()}
    print_machine(
        "The middle sizes",
        f"driver  : {queue.device.platform.name} {queue.device.platform.version}, {queue.device.max_compute_units} units",
    )
    for name in names:
        columns = [FIGURES]
        for log2 in sizes:
            arrays = Arrays(queue, 1 << log2)
            contenders = (bodies_of if name in BODIES else reductions_of)(name, arrays, numba)
            columns.append(measure(contenders, rounds))
        print_table([name, *(f"2^{log2}" for log2 in sizes)], list(zip(*columns, strict=True)))


if __name__ == "__main__":
    main()
