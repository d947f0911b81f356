"""Ranges that no cache holds: what is written and not read is stored past the caches, where a row says so."""

from typing import Any

import numpy as np
import pytest

import pysycl as sycl

STREAMED = 96 << 20  # bytes that are read and written


def is_streamed(queue: sycl.Queue, text: str, n: int, **arrays: Any) -> bool:
    return "past the caches" in sycl.explain(text, n, queue_or_device=queue, **arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_are_those_of_other_stores(queue: sycl.Queue, dtype: type[Any]) -> None:
    """Wherever the array begins: at 16 bytes, and elsewhere. Neighbours of the range stay as they are."""
    n = STREAMED // (2 * np.dtype(dtype).itemsize) + 37
    x = np.arange(-n / 2, n / 2, dtype=dtype) / 7
    memory = np.full(n + 32, 5, dtype)
    text = "y[i] = x[i] * 3 - 1;"
    for first in range(4, 8):
        y = memory[first : first + n]
        assert is_streamed(queue, text, n, x=x, y=y) == (queue.device._facts["items"] == "looped")
        y[:] = 0
        queue.parallel_for(n, text, x=x, y=y)
        assert (np.delete(memory, np.s_[first : first + n]) == 5).all()
        np.testing.assert_allclose(y, x * 3 - 1, rtol=1e-6, atol=1e-6)
        memory[:] = 5


def test_what_is_read_as_well_is_in_the_caches(queue: sycl.Queue) -> None:
    n = STREAMED // 8
    x, y = np.ones((2, n), np.float32)
    assert not is_streamed(queue, "y[i] += x[i];", n, x=x, y=y)
    assert not is_streamed(queue, "y[i] = x[i];", n - 1, x=x, y=y)
    assert not is_streamed(queue, "if (x[i] > 2) y[i] = x[i];", n, x=x, y=y)
