"""Selections, searches, groups and counts of NumPy arrays against NumPy, pandas and Numba where they are installed.

    python tests/bench/counting.py [LOG2_N[,LOG2_N...] [ROUNDS]]

Contenders take turns in one process. The first ratio is of processor time, all threads' together, the second of wall time: a
median over rounds of two times of one round; above 1, pysycl is better. Results are compared first; nothing is asserted about
time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated, take_turns

import pysycl as sycl

Array = np.ndarray[Any, Any]
Call = Callable[[], Any]
GROUPS = 1000


def cases(n: int) -> dict[str, tuple[Call, dict[str, Call]]]:
    """Ours and the others', by name."""
    rng = np.random.default_rng(n)
    keys, values = rng.integers(0, GROUPS, n), rng.random(n)
    floats, whole = rng.normal(size=n).astype("f4"), rng.integers(0, 2**31, n)
    at, few = np.sort(whole[: 1 << 16]), np.sort(floats[: 1 << 16])
    half = np.sort(whole[: n // 2]), np.sort(whole[n // 2 :])
    bytes_ = keys.astype("u1")
    return {
        "top_k 10 f4": (lambda: sycl.top_k(floats, 10), {"NumPy": lambda: np.argpartition(floats, -10)}),
        "top_k 1000 f4": (lambda: sycl.top_k(floats, 1000), {"NumPy": lambda: np.argpartition(floats, -1000)}),
        "group_by sum, 1000 keys": (
            lambda: sycl.group_by(keys).sum(values),
            {"NumPy": lambda: np.bincount(keys, values, GROUPS), **others(keys, values)},
        ),
        "unique with counts, i8": (
            lambda: sycl.unique(whole, return_counts=True), {"NumPy": lambda: np.unique(whole, return_counts=True)},
        ),
        "the same, 1000 values": (
            lambda: sycl.unique(keys, return_counts=True), {"NumPy": lambda: np.unique(keys, return_counts=True)},
        ),
        "searchsorted in 2^16, i8": (
            lambda: sycl.searchsorted(at, whole), {"NumPy": lambda: np.searchsorted(at, whole)},
        ),
        "searchsorted in 2^16, f4": (
            lambda: sycl.searchsorted(few, floats), {"NumPy": lambda: np.searchsorted(few, floats)},
        ),
        "merge i8, to a stable sort": (
            lambda: sycl.merge(*half), {"NumPy": lambda: np.sort(np.concatenate(half), kind="stable")},
        ),
        "histogram u1, 256 bins": (
            lambda: sycl.histogram(bytes_, 256, (0, 256))[0], {"NumPy": lambda: np.histogram(bytes_, 256, (0, 256))[0]},
        ),
        "histogram f4, 256 bins": (
            lambda: sycl.histogram(floats, 256, (-4, 4))[0], {"NumPy": lambda: np.histogram(floats, 256, (-4, 4))[0]},
        ),
        "bincount i8": (lambda: sycl.bincount(keys), {"NumPy": lambda: np.bincount(keys)}),
    }  # fmt: skip


def others(keys: Array, values: Array) -> dict[str, Call]:
    """pandas' groups, and the loop that Numba compiles."""
    found: dict[str, Call] = {}
    try:
        import pandas

        frame = pandas.DataFrame({"key": keys, "value": values})
        found["pandas"] = lambda: frame.groupby("key", sort=False)["value"].sum()
    except ImportError:
        pass
    try:
        import numba

        @numba.njit  # type: ignore[untyped-decorator]
        def loop(keys: Array, values: Array, sums: Array) -> Array:
            for i in range(keys.size):
                sums[keys[i]] += values[i]
            return sums

        found["Numba"] = lambda: loop(keys, values, np.zeros(GROUPS))
    except ImportError:
        pass
    return found


def agree(name: str, ours: Any, theirs: Any) -> bool:
    if name.startswith("top"):
        return True  # whose indices NumPy does not put in order; see tests/python/sorts
    pairs = zip(ours, theirs, strict=True) if isinstance(theirs, tuple) else [(ours, theirs)]
    return all(np.allclose(one, other) for one, other in pairs)


def row(name: str, log2: int, ours: Call, peers: dict[str, Call], rounds: int) -> list[str]:
    assert agree(name, ours(), peers["NumPy"]()), name
    cells = [f"{name} 2^{log2}"]
    ratios: dict[str, list[float]] = {peer: [] for peer in peers}
    for clock in (time.process_time, time.perf_counter):
        mine = Contender("pysycl", repeated(ours))
        against = [Contender(peer, repeated(call)) for peer, call in peers.items()]
        take_turns([mine, *against], rounds, 1, clock)
        cells.append(f"{1e3 * mine.median:.2f}")
        for each in against:
            ratios[each.name].append(ratio(each, mine))
    for peer in ("NumPy", "pandas", "Numba"):
        cells.append(" ".join(f"{each:.2f}" for each in ratios.get(peer, [])))
    return cells


def main(sizes: str = "20,24", rounds: str = "5") -> None:
    device = sycl.Queue().device
    print_machine("selections, searches, counts", f"device  : {device.name}, {device.driver_version}")
    rows = [
        row(name, int(log2), ours, peers, int(rounds))
        for log2 in sizes.split(",")
        for name, (ours, peers) in cases(1 << int(log2)).items()
    ]
    print_table(["case", "ms, processors", "ms, wall", "NumPy", "pandas", "Numba"], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
