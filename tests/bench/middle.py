"""The middle sizes, arrays in and result out: pysycl against NumPy and Numba's parallel loops.

    python tests/bench/middle.py [LOG2_N[,LOG2_N...] [SECONDS [CASE[,CASE...]]]]

All work on the same NumPy arrays, take turns in one process in short rounds, as many as fit into the time, and their
results are compared with NumPy's first. A figure is how many times as long a peer takes, the median over rounds of two
figures of the same round: above 1, pysycl is quicker. "late" is the 99th percentile of single calls of pysycl's, as many
times as long as their median, where they are many enough to have one. Numba's sums may combine in any order, as pysycl's
may.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from elementwise import CASES, Arrays, launch_of_body, numba_calls, repeated
from report import Contender, print_machine, print_table, ratio

import pysycl as sycl

Call = Callable[[], object]
BODIES = ("triad", "polynomial", "exp", "conditional")
ROUND_SECONDS, MOST_ROUNDS = 0.001, 21
PAUSE = 0.01  # before each turn: the threads of Numba's loops spin for 3 to 5 ms after their work, each on a processor
WARM_CALLS, LONG_SECONDS = 2, 0.02
SINGLE_CALLS, LEAST_CALLS, LATE_SECONDS = 400, 100, 0.5
SHARE_OF_ROUNDS = 0.7  # of a point's time; the rest is for the last round and single calls
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


class Times:
    """Seconds for what is still to be measured, shared out by size: large arrays take longer, and want fewer rounds."""

    def __init__(self, seconds: float, sizes: list[int], cases: int) -> None:
        self.end = time.monotonic() + seconds
        self.weights = [max(1.0, 2.0 ** (log2 - 22)) for _ in range(cases) for log2 in sizes]

    def next(self) -> float:
        """Of the next point, its arrays and checks included."""
        left = max(0.0, self.end - time.monotonic())
        share = left * self.weights[0] / sum(self.weights)
        del self.weights[0]
        return share


def lateness(own: Contender, seconds: float) -> str:
    count = min(SINGLE_CALLS, int(seconds / own.median))
    if count < LEAST_CALLS:
        return "-"
    times = []
    for _ in range(count):
        before = time.perf_counter()
        own.run(1)
        times.append(time.perf_counter() - before)
    return f"{np.percentile(times, 99) / np.median(times):.1f}"


def run_turn(each: Contender, count: int) -> None:
    """The first calls wake threads that others put to sleep; where they take long, that is nothing."""
    time.sleep(PAUSE)
    each.run(WARM_CALLS if each.seconds[0] < LONG_SECONDS else 0)
    before = time.perf_counter()
    each.run(count)
    each.seconds.append((time.perf_counter() - before) / count)


def measure(contenders: list[Contender], rounds: int, end: float) -> list[str]:
    """Nobody profits from or suffers for who went before: threads and caches settle."""
    own, others = contenders[0], {each.name: each for each in contenders[1:]}
    for each in contenders:  # once, as if they took long; then as they do
        each.seconds = [LONG_SECONDS]
        run_turn(each, 1)
        each.seconds = each.seconds[1:]
        if each.least < LONG_SECONDS:
            run_turn(each, 1)
            each.seconds = each.seconds[1:]
    count = max(1, int(ROUND_SECONDS / max(own.least, 1e-6)))
    for turn in range(rounds):
        shift = turn % len(contenders)
        for each in [*contenders[shift:], *contenders[:shift]]:
            run_turn(each, count)
        if time.monotonic() > end:
            break
    for each in contenders:
        del each.seconds[0]
    peers = (f"{ratio(others[name], own):.2f}" if name in others else "-" for name in ("NumPy", "Numba"))
    return [f"{own.median * 1e6:.1f}", *peers, lateness(own, min(LATE_SECONDS, max(0.1, end - time.monotonic())))]


def main() -> None:
    sizes = [int(each) for each in sys.argv[1].split(",")] if len(sys.argv) > 1 else list(range(10, 27, 2))
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 300.0
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else [*BODIES, *REDUCTIONS]
    warnings.simplefilter("ignore")
    queue, numba = sycl.Queue(), {**numba_calls(), **numba_reductions()}
    print_machine(
        "The middle sizes",
        f"driver  : {queue.device.platform.name} {queue.device.platform.version}, {queue.device.max_compute_units} units",
    )
    times, made = Times(seconds, sizes, len(names)), dict[int, Arrays]()
    for name in names:
        columns = [FIGURES]
        for log2 in sizes:
            end = time.monotonic() + SHARE_OF_ROUNDS * times.next()
            if log2 not in made:
                made[log2] = Arrays(queue, 1 << log2)
            arrays = made[log2]
            contenders = (bodies_of if name in BODIES else reductions_of)(name, arrays, numba)
            columns.append(measure(contenders, MOST_ROUNDS, end))
        print_table([name, *(f"2^{log2}" for log2 in sizes)], list(zip(*columns, strict=True)))


if __name__ == "__main__":
    main()
