"""Reducers in bodies: pysycl against the best read kernel written by hand, NumPy, Numba, PyOpenCL, dpnp, CuPy and CUB.

    python tests/bench/reduce.py [PART[,PART...] [LOG2_N[,LOG2_N...] [TYPE[,TYPE...] [ROUNDS [cpu]]]]]

Parts: `sizes` (sum and max), `bodies`, `several` (four reducers in one kernel against one), `growth` (what twice as many
elements cost, and 2^k +- 1), `small` (one call from Python, with its result), `rows` (every row of the planner's table
that the device can take, forced one after the other). None: all of them.

The roof is the best of the kernels by hand in the same run: what reading the memory costs. Contenders take turns in one
process in a new random order each round, and a ratio is the median over rounds of two times of one round; "best" is of
the best rounds. Above 1, pysycl is faster. On a GPU `sizes` has each reduction waited for, by all contenders, and then as
many behind each other as take some milliseconds, which is how CUB's figures are usually taken.

"cpu" takes the processor time of all threads in place of the time that passes (Numba's threads spin, so theirs says too
much). Nothing is asserted about time; results are compared with NumPy's first.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reduce_by_hand import TYPES, launches_by_hand
from reduce_peers import PEERS, build_cub, peers, peers_on_gpu
from report import Contender, print_machine, print_table, ratio, repeated, version_of

import pysycl as sycl
from pysycl import _core

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
Launch = Callable[[], sycl.Event]
ROUND_SECONDS = 0.002
OPERATIONS = {"sum": ("r += x[i];", sycl.plus), "max": ("r.combine(x[i]);", sycl.maximum)}
BODIES: dict[str, tuple[str, int, Callable[[Array, Array], Any]]] = {
    "x*y": ("r += x[i] * y[i];", 2, lambda x, y: x @ y),
    "(x-y)^2": ("float d = x[i] - y[i]; r += d * d;", 2, lambda x, y: np.square(x - y).sum()),
    "x>0.5": ("if (x[i] > 0.5f) r += x[i];", 1, lambda x, y: x[x > 0.5].sum()),
    "exp(x)": ("r += exp(x[i]);", 1, lambda x, y: np.exp(x).sum()),
}


class Bench:
    """The queue, the clock and the data; the tables are its methods."""

    def __init__(self, rounds: int, clock: Callable[[], float]) -> None:
        self.queue, self.rounds, self.clock = sycl.Queue(), rounds, clock
        self.shared: bool = self.queue.device._facts["shares_host_memory"]

    def data(self, kind: str, n: int, seed: int = 7) -> tuple[Any, Array]:
        """Values in memory of the device, and the same for NumPy: one memory, where they share it."""
        rng = np.random.default_rng(seed)
        dtype = TYPES[kind][1]
        values = rng.random(n, dtype) if kind[0] == "f" else rng.integers(-1000, 1000, n, dtype)
        memory = (sycl.malloc_shared if self.shared else sycl.malloc_device)(n, dtype, self.queue)
        self.queue.memcpy(memory, values, values.nbytes).wait()
        return memory, (np.asarray(memory) if self.shared else values)

    def prepared(self, n: int, text: str, op: Any, dtype: Any, **given: Any) -> tuple[Launch, Callable[[], Any]]:
        out = sycl.malloc_shared(1, dtype, self.queue)
        launch = self.queue.kernel(n, text, **given, r=sycl.reduction(out, op, initialize_to_identity=True))
        return launch, lambda: np.asarray(out)[0]

    def body(self, n: int, text: str, op: Any, dtype: Any, **given: Any) -> tuple[Call, Callable[[], Any]]:
        launch, result = self.prepared(n, text, op, dtype, **given)
        return lambda: launch().wait(), result

    def turns(self, contenders: Sequence[Contender]) -> None:
        """Each round in another order, and each after a run of its own, so that nobody profits from who went before."""
        counts: dict[str, int] = {}
        for contender in contenders:
            before = time.perf_counter()
            contender.run(1)
            contender.run(1)
            counts[contender.name] = max(1, int(2 * ROUND_SECONDS / (time.perf_counter() - before)))
        for _ in range(self.rounds):
            for contender in random.sample(contenders, len(contenders)):
                contender.run(1)
                before = self.clock()
                contender.run(counts[contender.name])
                contender.seconds.append((self.clock() - before) / counts[contender.name])

    # -- tables --

    def roof(self, kind: str, operation: str, memory: Any, values: Array) -> list[Contender]:
        expected = values.sum(dtype=np.float64 if kind[0] == "f" else np.int64) if operation == "sum" else values.max()
        n = values.size
        calls = list(launches_by_hand(self.queue, kind, operation, memory, n, self.shared, float(expected)))
        contenders = [Contender(name, repeated(call)) for name, call in calls]
        rounds, self.rounds = self.rounds, 5
        self.turns(contenders)
        self.rounds = rounds
        best = sorted(contenders, key=lambda each: each.median)[:4]
        for each in best:
            each.seconds.clear()
        return best

    def sizes(self, logs: Sequence[int], kinds: Sequence[str]) -> None:
        rows = []
        if not self.shared:
            build_cub(kinds)
        for kind in kinds:
            for operation, (text, op) in OPERATIONS.items():
                for log2 in logs:
                    rows += self.size(kind, operation, text, op, 1 << log2)
        print_table(["type, n", "GB/s", "us", "of the roof", "best", "roof", *(f"x {name}" for name in PEERS)], rows)

    def size(self, kind: str, operation: str, text: str, op: Any, n: int) -> list[list[str]]:
        memory, values = self.data(kind, n)
        launch, result = self.prepared(n, text, op, TYPES[kind][1], x=memory)
        launch().wait()
        expected = values.sum(dtype=np.float64 if kind[0] == "f" else None) if operation == "sum" else values.max()
        np.testing.assert_allclose(float(result()), float(expected), rtol=1e-4)
        own = Contender("pysycl", repeated(lambda: launch().wait()))
        hand = self.roof(kind, operation, memory, values)
        name = f"{operation} {kind} 2^{n.bit_length() - 1}"
        if self.shared:
            others = [Contender(each, repeated(call)) for each, call in peers(self.queue, values, operation)]
            return [self.compared(name, values, own, hand, others)]
        on_gpu = dict(peers_on_gpu(values, operation))
        others = [Contender(each, repeated(lambda row=row: row(1))) for each, row in on_gpu.items()]
        rows = [self.compared(f"{name}, each waited for", values, own, hand, others)]
        own, others = Contender("pysycl", in_a_row(launch)), [Contender(*each) for each in on_gpu.items()]
        return [*rows, self.compared(f"{name}, in a row", values, own, [], others)]

    def compared(
        self, name: str, values: Array, own: Contender, hand: Sequence[Contender], others: Sequence[Contender]
    ) -> list[str]:
        self.turns([own, *hand, *others])
        best = min(hand, key=lambda each: each.median, default=None)
        found = {each.name: each for each in others}
        return [
            name, f"{values.nbytes / own.least / 1e9:.1f}", f"{own.least * 1e6:.1f}",
            *([f"{ratio(best, own):.2f}", f"{best.least / own.least:.2f}", best.name] if best else ["-", "-", "-"]),
            *(f"{ratio(found[each], own):.2f}" if each in found else "-" for each in PEERS),
        ]  # fmt: skip

    def bodies(self, logs: Sequence[int]) -> None:
        rows = []
        for n in (1 << log2 for log2 in logs):
            (x, a), (y, b) = self.data("f32", n), self.data("f32", n, 8)
            hand = self.roof("f32", "sum", x, a)
            for name, (text, streams, numpy) in BODIES.items():
                call, result = self.body(n, text, sycl.plus, np.float32, x=x, **({"y": y} if streams == 2 else {}))
                call()
                np.testing.assert_allclose(float(result()), in_parts(numpy, a, b), rtol=1e-3)
                own = Contender("pysycl", repeated(call))
                peer = [Contender("NumPy", repeated(lambda: numpy(a, b)))] if self.shared else []  # noqa: B023
                for each in hand:
                    each.seconds.clear()
                self.turns([own, *hand, *peer])
                best = min(hand, key=lambda each: each.median)
                rows.append(
                    [f"{name} 2^{n.bit_length() - 1}", f"{streams * a.nbytes / own.least / 1e9:.1f}",
                     f"{streams * ratio(best, own):.2f}", f"{streams * best.least / own.least:.2f}",
                     *(f"{ratio(each, own):.2f}" for each in peer)]
                )  # fmt: skip
        print_table(["sum of floats, n", "GB/s", "of the roof", "best", *(["x NumPy"] if self.shared else [])], rows)

    def several(self, logs: Sequence[int]) -> None:
        text, rows = "a += x[i]; b.combine(x[i]); c.combine(x[i]); d += x[i] * x[i];", []
        operators = {"a": sycl.plus, "b": sycl.minimum, "c": sycl.maximum, "d": sycl.plus}
        for n in (1 << log2 for log2 in logs):
            x, _ = self.data("f32", n)
            call, _ = self.body(n, "r += x[i];", sycl.plus, np.float32, x=x)
            outs = {name: sycl.malloc_shared(1, np.float32, self.queue) for name in operators}
            given = {
                name: sycl.reduction(outs[name], op, initialize_to_identity=True) for name, op in operators.items()
            }
            four = self.queue.kernel(n, text, x=x, **given)
            contenders = [
                Contender("one", repeated(call)),
                Contender("four", repeated(lambda: four().wait())),  # noqa: B023
            ]
            self.turns(contenders)
            one, more = contenders
            rows.append([f"2^{n.bit_length() - 1}", f"{one.least * 1e6:.1f}", f"{ratio(more, one):.2f}",
                         f"{more.least / one.least:.2f}"])  # fmt: skip
        print_table(["n", "one reducer, us", "four / one", "best"], rows)

    def growth(self, logs: Sequence[int]) -> None:
        rows = []
        for log2 in logs:
            n = 1 << log2
            x, _ = self.data("f32", 2 * n)
            contenders = [
                Contender(str(size), repeated(self.body(size, "r += x[i];", sycl.plus, np.float32, x=x)[0]))
                for size in (n, 2 * n, n - 1, n + 1)
            ]
            self.turns(contenders)
            rows.append(
                [f"2^{log2}", *(f"{ratio(each, contenders[0]):.2f} ({each.least / contenders[0].least:.2f})"
                                for each in contenders[1:])]
            )  # fmt: skip
        print_table(["n", "t(2n)/t(n) (best)", "t(n - 1)/t(n)", "t(n + 1)/t(n)"], rows)

    def small(self) -> None:
        rows = []
        for n in (1, 100, 1000, 10000):
            x, values = self.data("f32", n)
            out = sycl.malloc_shared(1, np.float32, self.queue)
            kernel = self.queue.kernel(
                n, "r += x[i];", x=x, r=sycl.reduction(out, sycl.plus, initialize_to_identity=True)
            )
            contenders = [
                Contender("pysycl", repeated(lambda: kernel().wait())),  # noqa: B023
                Contender("NumPy", repeated(values.sum)),
            ]
            self.turns(contenders)
            own, numpy = contenders
            rows.append([str(n), f"{own.median * 1e6:.2f}", f"{numpy.median * 1e6:.2f}", f"{ratio(own, numpy):.2f}",
                         f"{own.least / numpy.least:.2f}"])  # fmt: skip
        print_table(["n floats", "us", "NumPy, us", "pysycl / NumPy", "best"], rows)

    def rows(self, logs: Sequence[int], kinds: Sequence[str]) -> None:
        table = _core.reduction_rows(self.queue.device)
        rows = []
        texts = {"sum": "r += x[i];", "exp(x)": "r += exp(x[i]);"}
        for kind in kinds:
            for name, text in texts.items() if kind[0] == "f" else [("sum", texts["sum"])]:
                for n in (1 << log2 for log2 in logs):
                    x, values = self.data(kind, n)
                    contenders = [Contender("table", repeated(self.body(n, text, sycl.plus, TYPES[kind][1], x=x)[0]))]
                    for row in table:
                        _core.force_reduction_row(row)
                        call = self.body(n, text, sycl.plus, TYPES[kind][1], x=x)[0]
                        contenders.append(Contender(row, repeated(call)))
                    _core.force_reduction_row(None)
                    self.turns(contenders)
                    for each in contenders:
                        rows.append([f"{name} {kind} 2^{n.bit_length() - 1}: {each.name}",
                                     f"{values.nbytes / each.least / 1e9:.1f}", f"{ratio(contenders[0], each):.2f}",
                                     f"{contenders[0].least / each.least:.2f}"])  # fmt: skip
        print_table(["row", "GB/s", "x as fast as the table's choice", "best"], rows)


def in_parts(numpy: Callable[[Array, Array], Any], a: Array, b: Array) -> float:
    """NumPy's sum of products of 2^28 floats is off by 0.2 %."""
    step = 1 << 20
    return sum(float(numpy(a[at : at + step], b[at : at + step])) for at in range(0, a.size, step))


def in_a_row(launch: Launch) -> Callable[[int], None]:
    """As programs do that want the last result only: what a launch takes is hidden behind the one before."""

    def run(count: int) -> None:
        for _ in range(count):
            event = launch()
        event.wait()

    return run


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "cpu"]
    parts = words[0].split(",") if words else ["sizes", "bodies", "several", "growth", "small", "rows"]
    rounds = int(words[3]) if len(words) > 3 else 15
    bench = Bench(rounds, time.process_time if "cpu" in sys.argv else time.perf_counter)
    logs = [int(each) for each in words[1].split(",")] if len(words) > 1 else [10, 13, 16, 20, 24, 26]
    if len(words) < 2 and not bench.shared:
        logs.append(30)
    kinds = words[2].split(",") if len(words) > 2 else list(TYPES)
    warnings.simplefilter("ignore")
    device = bench.queue.device
    print_machine(
        "Reducers in bodies",
        f"driver  : {device.platform.name} {device.platform.version}, {device.name}",
        f"facts   : {device._facts['row']}, work-items {device._facts['items']}",
        f"peers   : dpnp {version_of('dpnp')}, cupy {version_of('cupy')}",
    )
    for part in parts:
        print(f"## {part}\n")
        if part in ("sizes", "rows"):
            getattr(bench, part)(logs, kinds)
        elif part == "small":
            bench.small()
        else:
            getattr(bench, part)(logs)


if __name__ == "__main__":
    main()
