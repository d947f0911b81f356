"""What the accuracies of a sum cost, and what they give: as many times as long as fast, the error against math.fsum.

    python tests/bench/reduce_accuracy.py [LOG2_N[,LOG2_N...] [ROUNDS [TYPES]]]

The body is `total += x[i]`, the numbers normally distributed, so that the sum nearly cancels. An error is given in units of
rounding (half of the type's epsilon) of the sum of magnitudes. numpy.sum (in pairs) takes turns with them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl

ACCURACIES = ("fast", "pairwise", "compensated", "exact")
TARGET = 1 << 22  # elements that a contender takes in a turn


def launch(queue: sycl.Queue, x: Any, total: Any, accuracy: str) -> Callable[[], object]:
    one = sycl.reduction(total, sycl.plus, initialize_to_identity=True, accuracy=accuracy)
    prepared = queue.kernel(x.size, "total += x[i];", x=x, total=one)
    return lambda: prepared().wait()


def repeat(call: Callable[[], object]) -> Callable[[int], object]:
    return lambda count: [call() for _ in range(count)]


def measure(queue: sycl.Queue, dtype: Any, n: int, rounds: int) -> list[list[str]]:
    values = np.random.default_rng(7).standard_normal(n).astype(dtype)
    x, exact = sycl.malloc_device(n, dtype, queue), math.fsum(values)
    queue.memcpy(x, values, values.nbytes)
    unit = float(np.finfo(dtype).eps) / 2 * math.fsum(abs(values))
    contenders, errors = [], []
    for accuracy in ACCURACIES:
        total, host = sycl.malloc_device(1, dtype, queue), np.zeros(1, dtype)
        call = launch(queue, x, total, accuracy)
        call()
        queue.memcpy(host, total, host.nbytes)
        errors.append(abs(float(host[0]) - exact) / unit)
        contenders.append(Contender(accuracy, repeat(call)))
    contenders.append(Contender("numpy.sum", repeat(lambda: values.sum())))
    errors.append(abs(float(values.sum()) - exact) / unit)
    take_turns(contenders, rounds, max(1, TARGET // n))
    return [
        [
            f"{np.dtype(dtype)} 2^{n.bit_length() - 1} {one.name}",
            f"{values.nbytes / one.least / 1e9:.1f}",
            f"{values.nbytes / one.median / 1e9:.1f}",
            f"{ratio(one, contenders[0]):.2f}",
            f"{error:.2g}",
        ]
        for one, error in zip(contenders, errors, strict=True)
    ]


def main() -> None:
    sizes = [int(each) for each in (sys.argv[1] if len(sys.argv) > 1 else "12,16,20,24").split(",")]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    types = (sys.argv[3] if len(sys.argv) > 3 else "float32,float64").split(",")
    queue = sycl.Queue()
    print_machine("the accuracies of sums", f"device  : {queue.device.name} ({queue.device.platform.name})")
    rows = []
    for dtype in types:
        if dtype == "float64" and not queue.device.has("fp64"):
            continue
        for size in sizes:
            rows += measure(queue, np.dtype(dtype), 1 << size, rounds)
    print_table(["sum", "GB/s, best", "median", "times fast", "error, u sum|x|"], rows)


if __name__ == "__main__":
    main()
