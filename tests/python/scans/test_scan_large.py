"""Scans of more elements than 32 bits can count."""

import numpy as np
import pytest
from test_reduction_large import available

import pysycl as sycl

COUNT = 2**32 + 3


@pytest.mark.exhaustive
def test_more_elements_than_32_bits_count(queue):
    """Without memory for them, which not every device can have."""
    total, found, at = np.zeros(1, "u8"), np.zeros(4, "u8"), np.zeros(4, "i8")
    queue.parallel_scan(
        COUNT, "t += (i & 7) == 3 ? 2 : 1; c += i == 5 || i >= edge;",
        "if (i == 5 || i >= edge) { found[c.before] = t; at[c.before] = i; }", edge=np.int64(COUNT - 3), found=found, at=at,
        t=sycl.scanner(sycl.plus, "u8", total=total), c=sycl.scanner(sycl.plus, "u4"),
    )  # fmt: skip
    want = [5, COUNT - 3, COUNT - 2, COUNT - 1]
    assert at.tolist() == want
    assert found.tolist() == [each + 1 + (each + 5) // 8 for each in want]
    assert total[0] == found[-1]


@pytest.mark.exhaustive
def test_so_many_bytes_of_two_arrays(queue):
    """PoCL lets an allocation have a quarter of the machine's memory: half as many elements fit where all of them do not.
    They are only read, so that pages of zeros are one page."""
    half = 2**31 + 1
    if queue.device.max_mem_alloc_size < half:
        pytest.skip(f"{half} bytes are more than the device can hold")
    low, high = np.zeros(half, np.uint8), np.zeros(COUNT - half, np.uint8)
    low[[5, half - 1]], high[[0, -3, -1]] = (7, 1), (2, 3, 9)
    total, found, at = np.zeros(1, "u8"), np.zeros(8, "u8"), np.zeros(8, "i8")
    queue.parallel_scan(
        COUNT, "uchar x = i < edge ? low[i] : high[i - edge]; t += x; c += x != 0;",
        "if (c != c.before) { found[c.before] = t; at[c.before] = i; }", low=low, high=high, found=found, at=at,
        edge=np.int64(half), t=sycl.scanner(sycl.plus, "u8", total=total), c=sycl.scanner(sycl.plus, "u4"),
    )  # fmt: skip
    assert at.tolist() == [5, half - 1, half, COUNT - 3, COUNT - 1, 0, 0, 0]
    assert found.tolist() == [7, 8, 10, 13, 22, 0, 0, 0]
    assert total[0] == 22


@pytest.mark.exhaustive
def test_so_many_bytes(queue):
    if queue.device.max_mem_alloc_size < COUNT or available() < 2 * COUNT:
        pytest.skip(f"{COUNT} bytes are more than the device or the machine can hold")
    x = np.ones(COUNT, np.uint8)
    x[[5, COUNT - 2, COUNT - 1]] = 7, 0, 9
    assert sycl.flatnonzero(x == 0, queue=queue).tolist() == [COUNT - 2]
    sycl.cumsum(x, dtype="u1", out=x, queue=queue)  # in place: modulo 256
    assert x[-3:].tolist() == [each % 256 for each in (COUNT + 4, COUNT + 4, COUNT + 13)]
