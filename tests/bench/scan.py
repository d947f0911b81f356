"""Scans: pysycl against NumPy, Numba's serial loops, PyOpenCL, CuPy and torch, and against the rate of a copy.

    python tests/bench/scan.py [PART[,PART...] [LOG2_N[,LOG2_N...] [ROUNDS [cpu]]]]

Parts: `sizes` (running sums and maxima of each type), `operators` (a struct whose operator is not commutative), `segments`
(sums of segments, against NumPy's detour by cumsum), `select` (half of the elements, and one of a hundred), `keys`
(reduce_by_key and scan_by_key of device memory), `small` (one call from Python, on the calling thread), `rows` (every row
of the table, forced one after the other). None: all of them.

Contenders take turns in one process, each at least three times in a row, since the first time it also writes back what
another has left in the caches. A ratio is the median over rounds of two times of one round: above 1, pysycl is faster.
"copy" is the rate of the best of NumPy's and the device's copies in the same run, of as many bytes read and written. "cpu"
takes the processor time of all threads. Nothing is asserted about time; results are compared first. At the end stands what
is aimed at on two cores, beside what was measured: `scan.py sizes,operators,segments,select,small 24 9`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated, take_turns
from scan_peers import PEERS, numba_loop, peers

import pysycl as sycl
from pysycl import _core

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
# Of each table row: the operation, the type of elements and of results.
SIZES = [
    ("sum", "f4", "f4"), ("sum", "f8", "f8"), ("sum", "u1", "u1"), ("sum", "i4", "i4"), ("sum", "i8", "i8"),
    ("max", "f4", "f4"),
]  # fmt: skip
SMALL = [("sum", kind, kind) for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")] + SIZES[-1:]
OPERATORS = {"sum": ("t += x[i];", sycl.plus), "max": ("t.combine(x[i]);", sycl.maximum)}
# Of 2^24 elements on two cores: which peer, how many times as fast as that, and which part of a copy's rate.
AIMS = {
    "sum f4": ("NumPy", 12, 0.9), "sum f8": ("NumPy", 7, 0.9), "sum u1": ("NumPy", 25, 0.9), "sum i4": ("NumPy", 1.4, 1.0),
    "sum i8": ("NumPy", 1.25, 1.0), "max f4": ("NumPy", 10, 0.9), "affine maps": ("Numba", 1.5, 0.3),
    "segments of 10": ("NumPy", 8, None), "select 1/2": ("NumPy", 8, 0.45), "select 1 %": ("NumPy", 2.5, 0.45),
}  # fmt: skip
AFFINE = np.dtype([("k", "f4"), ("d", "f4")])


class Bench:
    """The queue, the clock, and the tables as methods."""

    def __init__(self, rounds: int, clock: Callable[[], float]) -> None:
        self.queue, self.rounds, self.clock = sycl.Queue(), rounds, clock
        self.measured: dict[str, tuple[dict[str, float], float | None]] = {}
        self.shared: bool = self.queue.device._facts["shares_host_memory"]

    def memory(self, values: Array) -> Any:
        """Memory of the device, and the values in it."""
        found = (sycl.malloc_shared if self.shared else sycl.malloc_device)(values.shape, values.dtype, self.queue)
        self.queue.memcpy(found, values, values.nbytes).wait()
        return found

    def values(self, kind: str, n: int) -> Array:
        rng = np.random.default_rng(5)
        if kind[0] == "f":
            return rng.random(n, kind)
        return rng.integers(0, 3, n).astype(kind)

    def turns(self, contenders: Sequence[Contender], n: int) -> None:
        take_turns(contenders, self.rounds, max(3, (1 << 18) // max(n, 1)), self.clock)

    def copies(self, x: Any, y: Any, values: Array) -> list[Contender]:
        """What as many bytes cost that are only copied."""
        target = np.empty_like(values)
        found = [Contender("copy by the device", repeated(lambda: self.queue.memcpy(y, x, x.nbytes).wait()))]
        if self.shared:
            found.append(Contender("copy by NumPy", repeated(lambda: np.copyto(target, values))))
        return found

    def row(
        self, name: str, own: Contender, others: Sequence[Contender], roofs: Sequence[Contender], size: int
    ) -> list[str]:
        self.turns([own, *others, *roofs], size)
        found = {each.name: each for each in others}
        roof = min(roofs, key=lambda each: each.median, default=None)
        self.measured[name] = ({each.name: ratio(each, own) for each in others}, ratio(roof, own) if roof else None)
        return [
            name, f"{own.least * 1e6:.1f}", f"{ratio(roof, own):.2f}" if roof else "-",
            *(f"{ratio(found[each], own):.2f}" if each in found else "-" for each in PEERS),
        ]  # fmt: skip

    def print(self, rows: list[list[str]]) -> None:
        print_table(["what, n", "us", "of the copy", *(f"x {name}" for name in PEERS)], rows)

    def aims(self) -> None:
        """What is aimed at, of what was measured."""
        rows = []
        for what, (peer, times, part) in AIMS.items():
            peers, rate = self.measured.get(f"{what} 2^24", ({}, None))
            if peer in peers:
                reached = [peers[peer] >= times, *([] if part is None or rate is None else [rate >= part])]
                rows.append([
                    what, f"{times} x {peer}", f"{peers[peer]:.2f}", "-" if part is None else f"{part}",
                    "-" if rate is None else f"{rate:.2f}", ", ".join("met" if each else "missed" for each in reached),
                ])  # fmt: skip
        for n in (1 << 10, 1 << 13, 1 << 16):
            for operation, kind, _ in SMALL:
                peers, _ = self.measured.get(f"{operation} {kind} {n}", ({}, None))
                times = 3 if (operation, kind) == ("sum", "f4") else 1
                if peers:
                    words = "met" if peers["NumPy"] >= times else "missed"
                    rows.append(
                        [f"{operation} {kind} {n}", f"{times} x NumPy", f"{peers['NumPy']:.2f}", "-", "-", words]
                    )
        if rows:
            print("## aims\n")
            print_table(["what", "aim", "measured", "of the copy, aim", "measured", ""], rows)

    # -- tables --

    def sizes(self, logs: Sequence[int]) -> None:
        rows = []
        for operation, kind, result in SIZES:
            for n in (1 << log2 for log2 in logs):
                values = self.values(kind, n)
                x, y = self.memory(values), self.memory(np.zeros(n, result))
                text, op = OPERATORS[operation]
                launch = self.queue.scan_kernel(n, text, "y[i] = t;", x=x, y=y, t=sycl.scanner(op, result))
                launch().wait()
                exact = "f8" if result == "f4" else result  # NumPy's own sums of floats stand still from 2^24 on
                theirs = (np.add if operation == "sum" else np.maximum).accumulate(values, dtype=exact)
                np.testing.assert_allclose(np.asarray(y), theirs, rtol=1e-3 if result == "f4" else 1e-12)
                own = Contender("pysycl", repeated(lambda: launch().wait()))  # noqa: B023
                others = [
                    Contender(name, repeated(call))
                    for name, call in peers(self.queue, operation, values, result, self.shared)
                ]
                name = f"{operation} {kind} 2^{n.bit_length() - 1}"
                rows.append(self.row(name, own, others, self.copies(x, y, values), n))
        self.print(rows)

    def operators(self, logs: Sequence[int]) -> None:
        rows = []
        op = sycl.BinaryOp("(T){a.k * b.k, a.d * b.k + b.d}", identity=(1, 0))
        for n in (1 << log2 for log2 in logs):
            values = np.zeros(n, AFFINE)
            values["k"], values["d"] = 0.5, np.random.default_rng(1).random(n)
            x, y = self.memory(values), self.memory(np.zeros(n, AFFINE))
            launch = self.queue.scan_kernel(n, "t.combine(x[i]);", "y[i] = t;", x=x, y=y, t=sycl.scanner(op, AFFINE))
            launch().wait()
            result = np.zeros(n, AFFINE)
            loop = numba_loop("affine", values, result)
            others = [] if loop is None or not self.shared else [Contender("Numba", repeated(loop))]
            if loop is not None:
                loop()
                np.testing.assert_allclose(np.asarray(y)["d"], result["d"], rtol=1e-4)
            own = Contender("pysycl", repeated(lambda: launch().wait()))  # noqa: B023
            rows.append(self.row(f"affine maps 2^{n.bit_length() - 1}", own, others, self.copies(x, y, values), n))
        self.print(rows)

    def segments(self, logs: Sequence[int]) -> None:
        rows = []
        for n in (1 << log2 for log2 in logs):
            for mean in (10, 1000):
                values, flags = self.values("f4", n), np.random.default_rng(2).random(n) < 1 / mean
                flags[0] = True
                x, y, heads = self.memory(values), self.memory(values), self.memory(flags.view("u1"))
                launch = self.queue.scan_kernel(
                    n, "t.restart(heads[i] != 0); t += x[i];", "y[i] = t;", x=x, y=y, heads=heads,
                    t=sycl.scanner(sycl.plus, "f4"),
                )  # fmt: skip
                launch().wait()

                def detour(values: Array = values, flags: Array = flags) -> Array:
                    """As NumPy's users do it: the running sum without what was before the segment."""
                    sums = np.cumsum(values, dtype=np.float64)
                    starts = np.flatnonzero(flags)
                    base = np.concatenate([[0.0], sums[starts[1:] - 1]])
                    return (sums - np.repeat(base, np.diff(starts, append=sums.size))).astype(np.float32)

                np.testing.assert_allclose(np.asarray(y), detour(), rtol=1e-3, atol=1e-3)
                others = [Contender("NumPy", repeated(detour))] if self.shared else []
                loop = numba_loop("segments", values, np.empty_like(values), flags)
                others += [Contender("Numba", repeated(loop))] if loop is not None and self.shared else []
                own = Contender("pysycl", repeated(lambda: launch().wait()))  # noqa: B023
                name = f"segments of {mean} 2^{n.bit_length() - 1}"
                rows.append(self.row(name, own, others, self.copies(x, y, values), n))
        self.print(rows)

    def select(self, logs: Sequence[int]) -> None:
        rows = []
        for n in (1 << log2 for log2 in logs):
            for edge, name in ((0.5, "select 1/2"), (0.99, "select 1 %")):
                values = self.values("f4", n)
                x, y = self.memory(values), self.memory(np.zeros(n, "f4"))
                count = self.memory(np.zeros(1, "u4"))
                launch = self.queue.scan_kernel(
                    n, "t += x[i] > edge;", "if (t != t.before) y[t.before] = x[i];", x=x, y=y, edge=np.float32(edge),
                    t=sycl.scanner(sycl.plus, "u4", total=count),
                )  # fmt: skip
                launch().wait()
                theirs = values[values > np.float32(edge)]
                np.testing.assert_array_equal(np.asarray(y)[: int(np.asarray(count)[0])], theirs)
                others = [Contender("NumPy", repeated(lambda: values[values > edge]))] if self.shared else []  # noqa: B023
                loop = numba_loop("select", values, np.empty_like(values), np.float32(edge))
                others += [Contender("Numba", repeated(loop))] if loop is not None and self.shared else []
                own = Contender("pysycl", repeated(lambda: launch().wait()))  # noqa: B023
                rows.append(self.row(f"{name} 2^{n.bit_length() - 1}", own, others, self.copies(x, y, values), n))
        self.print(rows)

    def small(self) -> None:
        rows = []
        for operation, kind, result in SMALL:
            for n in (10, 1 << 10, 1 << 13, 1 << 16):
                values = self.values(kind, n)
                function = sycl.cumsum if operation == "sum" else sycl.cummax
                more = {"dtype": result} if operation == "sum" else {}
                np.testing.assert_allclose(
                    function(values, **more),
                    (np.add if operation == "sum" else np.maximum).accumulate(values, dtype=result), rtol=1e-4,
                )  # fmt: skip
                theirs: Callable[..., Any] = np.cumsum if operation == "sum" else np.maximum.accumulate
                own = Contender("pysycl", repeated(lambda: function(values, **more)))  # noqa: B023
                other = Contender("NumPy", repeated(lambda: theirs(values, **more)))  # noqa: B023
                rows.append(self.row(f"{operation} {kind} {n}", own, [other], [], max(n, 1000)))
        self.print(rows)

    def keys(self, logs: Sequence[int]) -> None:
        rows = []
        for n in (1 << log2 for log2 in logs):
            for mean in (10, 1000):
                heads = np.random.default_rng(2).random(n) < 1 / mean
                values, keys = self.values("f4", n), np.cumsum(heads).astype("u4")
                x, k, y = self.memory(values), self.memory(keys), self.memory(values)
                ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True))
                found, sums = sycl.reduce_by_key(k, x, queue=self.queue).trim()
                np.testing.assert_array_equal(np.asarray(found), keys[ends])
                np.testing.assert_allclose(
                    np.asarray(sums), np.add.reduceat(values, np.append(0, ends[:-1] + 1)), rtol=1e-3
                )
                sycl.scan_by_key(k, x, out=y, queue=self.queue)
                self.queue.wait()
                np.testing.assert_allclose(np.asarray(y)[ends], np.asarray(sums), rtol=1e-3)
                for name, call in (
                    ("reduce_by_key", lambda: sycl.reduce_by_key(k, x, queue=self.queue)),  # noqa: B023
                    ("scan_by_key", lambda: sycl.scan_by_key(k, x, out=y, queue=self.queue)),  # noqa: B023
                ):
                    own = Contender("pysycl", repeated(lambda call=call: (call(), self.queue.wait())))
                    rows.append(
                        self.row(f"{name} of {mean} 2^{n.bit_length() - 1}", own, [], self.copies(x, y, values), n)
                    )
        self.print(rows)

    def rows(self, logs: Sequence[int]) -> None:
        rows = []
        for operation, kind, result in SIZES[:1] + SIZES[4:]:
            for n in (1 << log2 for log2 in logs):
                values = self.values(kind, n)
                x, y = self.memory(values), self.memory(np.zeros(n, result))
                text, op = OPERATORS[operation]
                contenders = []
                for row in (None, *_core.scan_rows(self.queue.device)):
                    _core.force_scan_row(row)
                    launch = self.queue.scan_kernel(n, text, "y[i] = t;", x=x, y=y, t=sycl.scanner(op, result))
                    contenders.append(Contender(row or "the table", repeated(lambda launch=launch: launch().wait())))
                _core.force_scan_row(None)
                self.turns(contenders, n)
                for each in contenders:
                    rows.append([
                        f"{operation} {kind} 2^{n.bit_length() - 1}: {each.name}", f"{each.least * 1e6:.1f}",
                        f"{ratio(contenders[0], each):.2f}",
                    ])  # fmt: skip
        print_table(["row", "us", "x as fast as the table's choice"], rows)


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "cpu"]
    parts = words[0].split(",") if words else ["sizes", "operators", "segments", "select", "keys", "small", "rows"]
    logs = [int(each) for each in words[1].split(",")] if len(words) > 1 else [10, 13, 16, 20, 24, 26]
    rounds = int(words[2]) if len(words) > 2 else 15
    bench = Bench(rounds, time.process_time if "cpu" in sys.argv else time.perf_counter)
    warnings.simplefilter("ignore")
    device = bench.queue.device
    print_machine("Scans", f"driver  : {device.platform.name} {device.platform.version}, {device.name}")
    for part in parts:
        print(f"## {part}\n")
        if part == "small":
            bench.small()
        else:
            getattr(bench, part)(logs)
    bench.aims()


if __name__ == "__main__":
    main()
