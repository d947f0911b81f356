"""Sorts and selections against NumPy, as it comes and without its AVX-512 sorts.

    python tests/bench/sort.py [PART[,PART...] [LOG2_N[,LOG2_N...] [ROUNDS]]]

Parts: `keys` (sort, argsort and sort_by_key of each type and pattern), `select` (top_k, partition and median), `small` (one
call from Python, on the calling thread), `rows` (every row of the table that sorts, forced one after the other), `unkind`
(how many times as long as random keys unkind ones take). None: all.

Contenders take turns in one process, and a ratio is the median over rounds of two times of one round: above 1, pysycl is
faster. On some processors NumPy's AVX-512 sorts are the slower ones: "healthy" is a child process on the same data with
NPY_DISABLE_CPU_FEATURES, which takes its turns too. Nothing is asserted about time; results are compared first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl
from pysycl._sorts.sort_rows import BUCKETS, DIGITS, MERGES, force_sort_row

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
PATTERNS = ("random", "few", "sorted")
TYPES = ("u4", "f4", "i8", "f8")
SMALL = 1 << 16

# What the child does: reads a name and data once, then sorts as often as it is told to, and says how long that took.
CHILD = """
import sys, time
import numpy as np
calls = {
    "sort": lambda x: np.sort(x),
    "argsort": lambda x: np.argsort(x, kind="stable"),
    "by key": lambda x: x[np.argsort(x, kind="stable")],
    "top": lambda x: np.argpartition(x, -10),
    "top 1000": lambda x: np.argpartition(x, -1000),
    "partition": lambda x: np.partition(x, len(x) // 2),
    "median": lambda x: np.median(x),
}
call, x = calls[sys.argv[1]], np.load(sys.argv[2])
for line in sys.stdin:
    before = time.perf_counter()
    call(x)
    print(time.perf_counter() - before, flush=True)
"""


def data(pattern: str, dtype: str, n: int) -> Array:
    rng = np.random.default_rng(n)
    if pattern == "few":
        return rng.integers(0, 1000, n).astype(dtype)
    kind = np.dtype(dtype)
    x = rng.normal(size=n).astype(kind) if kind.kind == "f" else rng.integers(0, np.iinfo(kind).max, n, kind)
    return np.sort(x) if pattern == "sorted" else x


def numpy_by_key(x: Array, values: Array) -> tuple[Array, Array]:
    order = np.argsort(x, kind="stable")
    return x[order], values[order]


def forced(name: str, call: Call) -> Call:
    """The call, with a row of the table forced."""

    def run() -> None:
        force_sort_row(name)
        try:
            call()
        finally:
            force_sort_row(None)

    return run


def unkind(dtype: str, n: int) -> dict[str, Array]:
    """Keys that some sort takes long with."""
    rng, top = np.random.default_rng(n), 2**30
    pipe, apart = np.minimum(np.arange(n), np.arange(n)[::-1]), np.arange(n)[::-1].copy()
    ends, equal = np.where(rng.random(n) < 0.5, top, 0) + rng.integers(0, 2**10, n), np.full(n, 7)
    apart[n // 3], equal[n // 2], equal[n // 3] = top, 0, 9
    found = {
        "sorted": np.arange(n), "reversed": np.arange(n)[::-1], "organ pipe": pipe, "equal but two": equal,
        "two ends": ends, "steep": (2 ** (30 * rng.random(n))).astype("i8"), "three values": rng.integers(0, 3, n),
        "one far above": apart, "first ones last": np.sort(rng.integers(0, top, n)),
    }  # fmt: skip
    return {name: keys.astype(dtype) for name, keys in found.items()}


def repeated(call: Call) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


class Healthy(Contender):
    """NumPy in a process of its own, whose own clock counts."""

    def __init__(self, what: str, x: Array) -> None:
        path = f"/tmp/pysycl_bench_sort_{os.getpid()}.npy"
        np.save(path, x)
        self.child = subprocess.Popen(
            [sys.executable, "-c", CHILD, what, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX AVX512F", "PYTHONWARNINGS": "ignore"},
        )  # fmt: skip
        self.own: list[float] = []
        super().__init__("healthy", self._run)
        self._run(1)
        os.unlink(path)

    def _run(self, count: int) -> None:
        assert self.child.stdin is not None and self.child.stdout is not None
        for _ in range(count):
            self.child.stdin.write("\n")
            self.child.stdin.flush()
            self.own.append(float(self.child.stdout.readline()))

    def end(self) -> None:
        """Its own times take the place of those that were taken here, with the way there and back."""
        self.seconds = self.own[-len(self.seconds) :]
        assert self.child.stdin is not None
        self.child.stdin.close()
        self.child.wait()


class Bench:
    """The queue, and the tables as methods."""

    def __init__(self, rounds: int) -> None:
        self.queue, self.rounds = sycl.Queue(), rounds

    def row(self, name: str, x: Array, what: str, numpy: Call, ours: list[tuple[str, Call]]) -> list[str]:
        """Mkeys/s of ours, and the others' times over each of ours."""
        peers = [Contender("NumPy", repeated(numpy)), Healthy(what, x)]
        mine = [Contender(key, repeated(call)) for key, call in ours]
        take_turns([*mine, *peers], self.rounds, 1)
        assert isinstance(peers[1], Healthy)
        peers[1].end()
        cells = [name]
        for each in mine:
            cells += [f"{x.size / each.median / 1e6:.0f}", *(f"{ratio(peer, each):.2f}" for peer in peers)]
        return cells

    def table(self, cases: Iterable[tuple[str, Array, Sequence[str]]]) -> None:
        """A row for each of what is done with an array."""
        rows = [self.row(f"{what} {name}", x, what, *self.calls(what, x)) for name, x, whats in cases for what in whats]
        print_table(["case", "Mkeys/s", "x NumPy", "x healthy"], rows)

    def calls(self, what: str, x: Array) -> tuple[Call, list[tuple[str, Call]]]:
        """NumPy's and ours. Sorts of keys alone and partitions of many are a device's: by themselves they are NumPy's."""
        values = np.arange(x.size)

        def many(call: Call) -> Call:
            return forced("device", call) if x.size > SMALL else call

        peers: dict[str, tuple[Call, Call]] = {
            "sort": (lambda: np.sort(x), many(lambda: sycl.sort(x))),
            "argsort": (lambda: np.argsort(x, kind="stable"), lambda: sycl.argsort(x)),
            "by key": (lambda: numpy_by_key(x, values), lambda: sycl.sort_by_key(x, values)),
            "top": (lambda: np.argpartition(x, -10), lambda: sycl.top_k(x, 10)),
            "top 1000": (lambda: np.argpartition(x, -1000), lambda: sycl.top_k(x, 1000)),
            "partition": (lambda: np.partition(x, len(x) // 2), many(lambda: sycl.partition(x, len(x) // 2))),
            "median": (lambda: np.median(x), lambda: sycl.median(x)),
        }
        numpy, mine = peers[what]
        if what in ("sort", "argsort", "median"):
            assert np.array_equal(numpy(), np.sort(x) if mine() is None else mine())
        return numpy, [("ours", mine)]

    def keys(self, sizes: list[int]) -> None:
        self.table(
            (f"{dtype} {pattern} 2^{log2}", data(pattern, dtype, 1 << log2), ("sort", "argsort", "by key"))
            for log2 in sizes for dtype in TYPES for pattern in PATTERNS
        )  # fmt: skip

    def select(self, sizes: list[int]) -> None:
        self.table(
            (f"f4 {pattern} 2^{log2}", data(pattern, "f4", 1 << log2), ("top", "top 1000", "partition", "median"))
            for log2 in sizes for pattern in PATTERNS
        )  # fmt: skip

    def small(self, sizes: list[int]) -> None:
        self.table(
            (f"{dtype} 2^{log2}", data("random", dtype, 1 << log2), ("sort", "argsort", "top"))
            for log2 in (4, 8, 10, 12, 14, 16) for dtype in ("u4", "f8")
        )  # fmt: skip

    def rows(self, sizes: list[int]) -> None:
        names = [row.name for row in (DIGITS, BUCKETS, MERGES)]
        rows = []
        for log2, dtype in product(sizes, TYPES):
            x = data("random", dtype, 1 << log2)
            ours = [(name, forced(name, lambda x=x: sycl.argsort(x))) for name in names]  # type: ignore[misc]
            rows.append(self.row(f"argsort {dtype} 2^{log2}", x, "argsort", self.calls("argsort", x)[0], ours))
        print_table(["case", *(f"{name}{more}" for name in names for more in ("", " x NumPy", " x healthy"))], rows)

    def unkind(self, sizes: list[int]) -> None:
        calls: dict[str, Callable[[Array], object]] = {
            "sort": sycl.sort, "argsort": sycl.argsort, "top_k 100": lambda x: sycl.top_k(x, 100),
        }  # fmt: skip
        ways = [(name, None) for name in calls] + [
            (name, row.name) for name in calls for row in (DIGITS, BUCKETS, MERGES)
        ]
        names, rows = list(unkind("u4", 64)), []
        for log2, dtype, (name, row) in product(sizes, ("u4", "i8"), ways):
            if row is not None and name == "top_k 100":
                continue
            given = {"random": data("random", dtype, 1 << log2), **unkind(dtype, 1 << log2)}
            each = {key: (lambda x=x, call=calls[name]: call(x)) for key, x in given.items()}  # type: ignore[misc]
            took = {
                key: Contender(key, repeated(call if row is None else forced(row, call))) for key, call in each.items()
            }
            take_turns(list(took.values()), self.rounds, 1, time.process_time)
            least = {key: min(one.seconds) for key, one in took.items()}
            ratios = [least[key] / least["random"] for key in names]
            rows.append(
                [f"{name} {dtype} 2^{log2} {row or ''}", *(f"{each:.2f}" for each in ratios), f"{max(ratios):.2f}"]
            )
        print_table(["times random's processor time", *names, "most"], rows)


def main(parts: str = "keys,select,small,rows,unkind", sizes: str = "16,20,24", rounds: str = "5") -> None:
    bench = Bench(int(rounds))
    device = bench.queue.device
    print_machine("sorts", f"device  : {device.name}, {device.driver_version}")
    for part in parts.split(","):
        print(f"## {part}\n")
        getattr(bench, part)([int(size) for size in sizes.split(",")])


if __name__ == "__main__":
    main(*sys.argv[1:])
