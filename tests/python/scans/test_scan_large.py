"""Scans of more elements than 32 bits can count."""

import numpy as np
import pytest
from test_reduction_large import available

import pysycl as sycl

COUNT = 2**32 + 3


@pytest.mark.exhaustive
def test_more_elements_than_32_bits_count(queue):
    if queue.device.max_mem_alloc_size < COUNT or available() < 2 * COUNT:
        pytest.skip(f"{COUNT} bytes are more than the device or the machine can hold")
    x = np.ones(COUNT, np.uint8)
    x[[5, COUNT - 2, COUNT - 1]] = 7, 0, 9
    total, odd, at = np.zeros(1, "u8"), np.zeros(3, "u8"), np.zeros(3, "i8")
    queue.parallel_scan(
        COUNT, "t += x[i]; c += x[i] != 1;", "if (x[i] != 1) { odd[c.before] = t; at[c.before] = i; }",
        x=x, odd=odd, at=at, t=sycl.scanner(sycl.plus, "u8", total=total), c=sycl.scanner(sycl.plus, "u4"),
    )  # fmt: skip
    assert total[0] == COUNT + 6 - 1 + 8
    assert at.tolist() == [5, COUNT - 2, COUNT - 1]
    assert odd.tolist() == [12, COUNT - 2 + 6, COUNT + 6 - 1 + 8]
    sycl.cumsum(x, dtype="u1", out=x, queue=queue)  # in place: modulo 256
    assert x[-3:].tolist() == [each % 256 for each in (COUNT - 2 + 6, COUNT - 2 + 6, COUNT + 13)]
