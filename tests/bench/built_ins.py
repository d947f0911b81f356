"""Built-ins on vectors of 16 against the same on scalars: how far apart, and what each costs.

    python tests/bench/built_ins.py [float|double [NAME...]]

A vector's lanes hold values of all kinds, mixed: a driver's vectors may be wrong only beside large values (PoCL 3.0's sin
of float16, pow of double16). Vectors stand for scalars in bodies (csrc/body/write/pack_words.c) only where this finds
nothing wrong. ulp: between scalar and vector results; class: NaN, infinity or zero, or its sign, in one of the two only.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
from report import print_machine, print_table

import pysycl as sycl

ONE = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp10 exp2 expm1 fabs
floor log log10 log1p log2 degrees rint round rsqrt sign sin sinh sqrt sinpi tan tanpi tanh tgamma trunc radians lgamma"""
TWO = "atan2 atan2pi copysign fdim fmax fmin hypot max min pow powr step"
THREE = "clamp fma mad mix"
N, TIMED = 1 << 17, 1 << 14
LOOP = "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)"


def values(dtype: Any, rng: np.random.Generator) -> Any:
    """Any bits, ordinary values, any magnitude, halves of integers and special ones, mixed."""
    word = np.uint32 if dtype is np.float32 else np.uint64
    big, small = np.finfo(dtype).max, np.finfo(dtype).tiny
    special = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2, np.inf, -np.inf, np.nan, big, small, small / 8], dtype)
    kinds = [
        rng.integers(0, np.iinfo(word).max, N, word, endpoint=True).view(dtype),
        rng.uniform(-20, 20, N).astype(dtype),
        rng.uniform(0.01, 9, N).astype(dtype),
        (10.0 ** rng.uniform(-30, 30, N) * rng.choice([-1, 1], N)).astype(dtype),
        (rng.integers(-400, 400, N) / 2).astype(dtype),
        special[rng.integers(0, len(special), N)],
    ]
    return np.choose(rng.integers(0, len(kinds), N), kinds)


def text_of(name: str, arity: int, word: str) -> str:
    given = "xzw"[:arity]
    parameters = ", ".join(["__global T *y", *(f"__global const T *{g}" for g in given), "ulong n"]).replace(
        "T ", word + " "
    )
    scalar, vector = ", ".join(f"{g}[i]" for g in given), ", ".join(f"vload16(0, {g} + i)" for g in given)
    return (
        f"__kernel void scalar_{name}({parameters}) {{\n{LOOP}\nfor (ulong i = 0; i < n; i++) y[i] = {name}({scalar}); }}\n"
        f"__kernel void vector_{name}({parameters}) {{\n"
        f"for (ulong i = 0; i < n; i += 16) vstore16({name}({vector}), 0, y + i); }}\n"
    )


def least_ns(call: sycl.PreparedKernel | Any) -> float:
    call().wait()
    figures = []
    for _ in range(7):
        before = time.process_time()
        for _ in range(4):
            call().wait()
        figures.append((time.process_time() - before) / 4)
    return min(figures) / TIMED * 1e9


def row_of(queue: sycl.Queue, name: str, arity: int, dtype: Any) -> list[str]:
    program = sycl.Program(text_of(name, arity, "float" if dtype is np.float32 else "double"))
    rng = np.random.default_rng(3)
    given, results, times = [values(dtype, rng) for _ in range(arity)], [], []
    ordinary = [rng.uniform(0.1, 1, TIMED).astype(dtype) for _ in range(arity)]
    for kind in ("scalar", "vector"):
        y = np.zeros(N, dtype)
        one = sycl.NdRange((1,), (1,))
        queue.parallel_for(one, program.kernel(f"{kind}_{name}"), y, *given, np.uint64(N))
        results.append(y)
        times.append(least_ns(queue.kernel(one, program.kernel(f"{kind}_{name}"), y, *ordinary, np.uint64(TIMED))))
    a, b = results
    both = np.isfinite(a) & np.isfinite(b)
    apart = np.where(both, np.abs(a - b) / np.spacing(np.maximum(np.abs(a), np.finfo(dtype).tiny)), 0).max()
    classes = (np.isnan(a) != np.isnan(b)) | (np.isinf(a) != np.isinf(b)) | ((a == 0) != (b == 0))
    classes |= (a == 0) & (np.signbit(a) != np.signbit(b))
    return [name, f"{apart:.3g}", str(classes.sum()), *(f"{ns:.2f}" for ns in times)]


def main() -> None:
    warnings.simplefilter("ignore")
    queue = sycl.Queue()
    print_machine("Built-ins of scalars in a loop and of vectors of 16", f"driver  : {queue.device.platform.version}")
    for word, dtype in (("float", np.float32), ("double", np.float64)):
        if len(sys.argv) > 1 and sys.argv[1] != word:
            continue
        rows = [
            row_of(queue, name, arity, dtype)
            for arity, names in enumerate((ONE, TWO, THREE), 1)
            for name in names.split()
            if len(sys.argv) < 3 or name in sys.argv[2:]
        ]
        print_table([word, "ulp apart", "other class", "ns scalar", "ns vector"], rows)


if __name__ == "__main__":
    main()
