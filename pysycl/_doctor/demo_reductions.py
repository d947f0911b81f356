"""The demo's second half: what the points come to, by reductions on the device, against NumPy's."""

import time
from collections.abc import Callable
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

import pysycl as sycl

ROUNDS: Final = 5  # best of these, in turns, so that what disturbs one disturbs the other

CASES: Final[tuple[tuple[str, Callable[..., Any], Callable[..., Any], int | None], ...]] = (
    ("sum of all", sycl.sum, np.sum, None),
    ("largest of each row", sycl.max, np.max, 1),
    ("largest of each column", sycl.max, np.max, 0),
)


def _timed(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call(*args, **options)
    return time.perf_counter() - start, result


def reduce_points(queue: sycl.Queue, steps: NDArray[np.int32], stream: TextIO) -> bool:
    """Reduces the points in several ways, and prints how long that takes. True when all is as NumPy has it."""
    same = True
    for what, on_device, in_numpy, axis in CASES:
        device = host = np.inf
        for _ in range(ROUNDS):
            seconds, ours = _timed(on_device, steps, axis=axis, queue=queue)
            device = min(device, seconds)
            seconds, theirs = _timed(in_numpy, steps, axis=axis)
            host = min(host, seconds)
        equal = np.array_equal(ours, theirs)
        print(
            f"Reduced : {what}, {'equal' if equal else 'they DIFFER'}: {device * 1e3:.1f} ms, "
            f"{steps.nbytes / device / 1e9:.1f} GB/s; NumPy {host * 1e3:.1f} ms, {host / device:.1f} times as long",
            file=stream,
        )
        same = same and equal
    return same
