"""Bodies of single elements: pysycl's own form against the best kernel written by hand, Numba, NumPy and CuPy.

    python tests/bench/elementwise.py [LOG2_N[,LOG2_N...] [ROUNDS [cpu]]]

The kernels by hand are the shapes that one would try: a work-item for each element in four sizes of groups, a loop over
runs with the vectoriser's pragma, vectors of 4 and of 16. Each is planned once (as `queue.kernel` prepares a body), so
that what is compared is the launch and the kernel. All contenders work on the same kind of memory, take turns in one
process, and their results are compared with NumPy's first. Nothing is asserted about time. "cpu" takes the processor time
of all threads in place of the time that passes: on a machine that others use, too, only that says what the work was
(Numba's threads spin, so that theirs says too much).
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated

import pysycl as sycl

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
PAUSE = 0.003  # before each turn: Numba's threads spin for a while after their work
ROUND_SECONDS = 0.002  # about this long does each contender work in a round: short, so that all meet the same weather


@dataclass
class Case:
    """One body. `vector` is the same over vectors X, Z and Y; `numpy` computes it into y with a spare array."""

    name: str
    body: str
    vector: str
    streams: int
    numpy: Callable[[Array, Array, Array, Array, Any], object]
    cupy: tuple[str, str] | None
    preamble: str = ""
    arrays: str = "xy"
    scaled: bool = False
    flags: set[str] = field(default_factory=set)


COEFFICIENTS = (0.5, 1.25, -0.75, 2.0, 1.5, -1.0, 0.25, 3.0, -2.0, 1.0, 0.125)
HORNER = "".join(f"r = r * v + {c}f;" for c in COEFFICIENTS[1:])


def numpy_axpy(x: Array, y: Array, z: Array, spare: Array, a: Any) -> None:
    np.multiply(x, a, out=spare)
    np.add(y, spare, out=y)


def numpy_triad(x: Array, y: Array, z: Array, spare: Array, a: Any) -> None:
    np.multiply(z, a, out=y)
    np.add(y, x, out=y)


def numpy_polynomial(x: Array, y: Array, z: Array, spare: Array, a: Any) -> None:
    y[:] = COEFFICIENTS[0]
    for c in COEFFICIENTS[1:]:
        np.multiply(y, x, out=y)
        np.add(y, np.float32(c), out=y)


def numpy_conditional(x: Array, y: Array, z: Array, spare: Array, a: Any) -> None:
    np.multiply(x, x, out=y, where=x > a)


CASES = (
    Case("copy", "y[i] = x[i];", "Y = X;", 2, lambda x, y, z, s, a: np.copyto(y, x), ("T x, T z, T a", "y = x")),
    Case("axpy", "y[i] += a * x[i];", "Y += a * X;", 3, numpy_axpy, ("T x, T z, T a", "y = y + a * x"), scaled=True),
    Case(
        "triad",
        "y[i] = x[i] + a * z[i];",
        "Y = X + a * Z;",
        3,
        numpy_triad,
        ("T x, T z, T a", "y = x + a * z"),
        arrays="xyz",
        scaled=True,
    ),
    Case(
        "polynomial",
        f"float v = x[i], r = {COEFFICIENTS[0]}f; {HORNER} y[i] = r;",
        f"V v = X, r = (V)({COEFFICIENTS[0]}f); {HORNER} Y = r;",
        2,
        numpy_polynomial,
        ("T x, T z, T a", f"T v = x, r = {COEFFICIENTS[0]}; {HORNER} y = r"),
    ),
    Case(
        "exp",
        "y[i] = exp(x[i]);",
        "Y = exp(X);",
        2,
        lambda x, y, z, s, a: np.exp(x, out=y),
        ("T x, T z, T a", "y = exp(x)"),
    ),
    Case(
        "conditional",
        "if (x[i] > a) y[i] = x[i] * x[i];",
        "Y = X > (V)a ? X * X : Y;",
        3,
        numpy_conditional,
        ("T x, T z, T a", "if (x > a) y = x * x"),
        scaled=True,
    ),
)

RUN_PRAGMA = "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)\n"


def by_hand(case: Case) -> str:
    """The case as kernels. Some drivers take a pragma for a loop and some do not: it says nothing to those."""
    parameters = "__global float *y, __global const float *x, __global const float *z, float a"
    text = f"__kernel void item({parameters}) {{ size_t i = get_global_id(0); {case.body} }}\n"
    text += f"__kernel void run({parameters}, ulong run, ulong n) {{\n"
    text += "ulong begin = get_global_id(0) * run, end = min(begin + run, n);\n"
    text += f"{RUN_PRAGMA}for (ulong i = begin; i < end; i++) {{ {case.body} }} }}\n"
    for width in (4, 16):
        text += f"__kernel void vector{width}({parameters}) {{ typedef float{width} V; size_t i = get_global_id(0);\n"
        text += f"V X = vload{width}(i, x), Z = vload{width}(i, z), Y = vload{width}(i, y); {case.vector}\n"
        text += f"vstore{width}(Y, i, y); }}\n"
    return text


class Arrays:
    """x, y, z where the contenders of a device want them, and what y must be after one application to the start."""

    def __init__(self, queue: sycl.Queue, n: int) -> None:
        self.queue, self.n, self.a = queue, n, np.float32(0.5)
        self.shared = queue.device._facts["shares_host_memory"]
        rng = np.random.default_rng(7)
        self.host = {name: self._aligned(rng.random(n, dtype=np.float32)) for name in "xyz"}
        self.start = self.host["y"].copy()
        self.spare = np.empty(n, np.float32)
        self.device: dict[str, Any] = dict(self.host)
        if not self.shared:
            self.device = {name: sycl.malloc_device(n, np.float32, queue) for name in "xyz"}
            for name, array in self.device.items():
                queue.memcpy(array, self.host[name], array.nbytes).wait()

    @staticmethod
    def _aligned(values: Array) -> Array:
        """On a page, so that no part of a difference is alignment."""
        raw = np.zeros(values.nbytes + 4096, np.uint8)
        begin = -raw.ctypes.data % 4096
        array = raw[begin : begin + values.nbytes].view(values.dtype)
        array[:] = values
        return array

    def expected(self, case: Case) -> Array:
        y = self.start.copy()
        case.numpy(self.host["x"], y, self.host["z"], self.spare, self.a)
        return y

    def reset(self) -> None:
        self.host["y"][:] = self.start
        if not self.shared:
            self.queue.memcpy(self.device["y"], self.start, self.start.nbytes).wait()

    def result(self) -> Array:
        if not self.shared:
            self.queue.memcpy(self.host["y"], self.device["y"], self.start.nbytes).wait()
        return self.host["y"]


def launches_by_hand(case: Case, arrays: Arrays) -> Iterator[tuple[str, Call]]:
    queue, n = arrays.queue, arrays.n
    program = sycl.Program(by_hand(case))
    given = (arrays.device["y"], arrays.device["x"], arrays.device["z"], arrays.a)

    def grouped(kernel: sycl.Kernel, items: int, local: int, *more: object) -> Call:
        prepared = queue.kernel(sycl.NdRange((items,), (local,)), kernel, *given, *more)
        return lambda: prepared().wait()

    most = program.kernel("item").work_group_info(queue.context).work_group_size
    for local in (64, 256, 1024, 4096):
        if local <= most and n % local == 0:
            yield f"item, groups of {local}", grouped(program.kernel("item"), n, local)
    if arrays.shared:
        for runs in (2, 8, 32):
            run = -(-n // runs)
            yield f"loop, {runs} runs", grouped(program.kernel("run"), runs, 1, np.uint64(run), np.uint64(n))
    for width in (4, 16):
        for local in (64, 256):
            if n % (width * local) == 0:
                yield (
                    f"vectors of {width}, groups of {local}",
                    grouped(program.kernel(f"vector{width}"), n // width, local),
                )


def launch_of_body(case: Case, arrays: Arrays) -> Call:
    names: dict[str, Any] = {name: arrays.device[name] for name in case.arrays}
    if case.scaled:
        names["a"] = float(arrays.a)
    prepared = arrays.queue.kernel(arrays.n, case.body, **names)
    return lambda: prepared().wait()


def numba_calls() -> dict[str, Callable[..., object]]:
    """The cases as Numba's parallel loops; empty where it is not installed."""
    try:
        import numba
    except ImportError:
        return {}
    text = "".join(
        f"def case_{name}(x, y, z, a):\n    for i in prange(x.size):\n        {body}\n"
        for name, body in {
            "copy": "y[i] = x[i]",
            "axpy": "y[i] += a * x[i]",
            "triad": "y[i] = x[i] + a * z[i]",
            "polynomial": "v = x[i]; r = float32(0.5); "
            + "; ".join(f"r = r * v + float32({c})" for c in COEFFICIENTS[1:])
            + "; y[i] = r",
            "exp": "y[i] = exp(x[i])",
            "conditional": "if x[i] > a: y[i] = x[i] * x[i]",
        }.items()
    )
    scope: dict[str, Any] = {"prange": numba.prange, "float32": np.float32, "exp": np.exp}
    exec(text, scope)
    return {case.name: numba.njit(parallel=True)(scope[f"case_{case.name}"]) for case in CASES}


def cupy_call(case: Case, arrays: Arrays) -> tuple[Call, Callable[[], Array]] | None:
    try:
        import cupy
    except ImportError:
        return None
    if arrays.shared or case.cupy is None:
        return None
    kernel = cupy.ElementwiseKernel(case.cupy[0], "T y", case.cupy[1], f"of_{case.name}")
    x, y, z = (cupy.asarray(arrays.host[name] if name != "y" else arrays.start) for name in "xyz")

    def call() -> None:
        kernel(x, z, arrays.a, y)
        cupy.cuda.runtime.deviceSynchronize()

    return call, lambda: cupy.asnumpy(y)


def contenders_of(case: Case, arrays: Arrays, numba: dict[str, Callable[..., object]]) -> list[Contender]:
    host = arrays.host
    calls: list[tuple[str, Call]] = [
        ("pysycl", launch_of_body(case, arrays)),
        *launches_by_hand(case, arrays),
    ]
    if arrays.shared:
        if case.name in numba:
            function = numba[case.name]
            calls.append(("Numba", lambda: function(host["x"], host["y"], host["z"], arrays.a)))
        calls.append(("NumPy", lambda: case.numpy(host["x"], host["y"], host["z"], arrays.spare, arrays.a)))
    expected = arrays.expected(case)
    for name, call in calls:
        arrays.reset()
        call()
        np.testing.assert_allclose(arrays.result(), expected, rtol=3e-6, err_msg=f"{case.name}: {name}")
    other = cupy_call(case, arrays)
    if other is not None:
        other[0]()
        np.testing.assert_allclose(other[1](), expected, rtol=3e-6, err_msg=f"{case.name}: CuPy")
        calls.append(("CuPy", other[0]))
    return [Contender(name, repeated(call)) for name, call in calls]


def turns(contenders: list[Contender], rounds: int, count: int, clock: Callable[[], float]) -> None:
    """As report.take_turns, but that nobody profits from or suffers for who went before: threads and caches settle."""
    for turn in range(rounds):
        shift = turn % len(contenders)
        for contender in [*contenders[shift:], *contenders[:shift]]:
            time.sleep(PAUSE)
            contender.run(2)
            before = clock()
            contender.run(count)
            contender.seconds.append((clock() - before) / count)


def measure(
    case: Case, arrays: Arrays, numba: dict[str, Callable[..., object]], rounds: int, clock: Callable[[], float]
) -> list[str]:
    """Figures of one case: pysycl's rate, and how many times as long the others take."""
    contenders = contenders_of(case, arrays, numba)
    own = contenders[0]
    turns(contenders, 1, 1, clock)
    count = max(1, int(ROUND_SECONDS / max(own.seconds[-1], 1e-6)))
    for each in contenders:
        each.seconds.clear()
    turns(contenders, rounds, count, clock)
    hand = min((each for each in contenders[1:] if each.name not in PEERS), key=lambda each: each.median)
    rate = case.streams * 4 * arrays.n / own.least / 1e9

    def times(other: Contender) -> str:
        return f"{ratio(other, own):.2f} ({other.least / own.least:.2f})"

    found = {each.name: each for each in contenders}
    peers = (times(found[name]) if name in found else "-" for name in PEERS)
    return [case.name, f"{rate:.1f}", f"{own.least * 1e6:.1f}", times(hand), hand.name, *peers]


PEERS = ("Numba", "NumPy", "CuPy")


def main() -> None:
    sizes = [int(each) for each in sys.argv[1].split(",")] if len(sys.argv) > 1 else [16, 20, 24]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 41
    clock = time.process_time if "cpu" in sys.argv else time.perf_counter
    warnings.simplefilter("ignore")
    queue, numba = sycl.Queue(), numba_calls()
    facts = queue.device._facts
    print_machine(
        "Bodies of single elements",
        f"driver  : {queue.device.platform.name} {queue.device.platform.version}, {queue.device.name}",
        f"facts   : {facts['row']}, work-items {facts['items']}",
    )
    for log2 in sizes:
        arrays = Arrays(queue, 1 << log2)
        rows = [measure(case, arrays, numba, rounds, clock) for case in CASES]
        print(
            f"n = 2^{log2} floats; GB/s count each array once for each time it is read or written; x: times pysycl's\n"
        )
        print_table(["body", "GB/s", "us", "x by hand", "which", *(f"x {name}" for name in PEERS)], rows)


if __name__ == "__main__":
    main()
