"""Reductions of more elements than 32 bits can count."""

import os
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl

COUNT = 2**31 + 3


def available():
    """Bytes that can be had; what the system keeps of files only because nobody wants the room counts, too."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(scope="module")
def many():
    free = available()
    if free < 3 * COUNT:
        pytest.skip(f"{COUNT} elements and a copy of them are too much for {free >> 30} GiB of free memory")
    values = np.ones(COUNT, np.int8)
    values[-2:] = -7, 5
    return values


@pytest.fixture
def room(queue):
    if queue.device.max_mem_alloc_size < COUNT:
        pytest.skip("more than the device can hold")


@pytest.mark.exhaustive
def test_of_all_and_of_halves(queue, room, many):
    assert sycl.sum(many, queue=queue) == COUNT - 4
    assert sycl.argmax(many, queue=queue) == COUNT - 1
    assert sycl.argmin(many, queue=queue) == COUNT - 2
    halves = many[1:].reshape(2, -1)
    assert sycl.sum(halves, axis=1, queue=queue).tolist() == [COUNT // 2, COUNT // 2 - 4]


def test_reducers_of_a_body(queue, room, many):
    counts = sycl.Buffer(np.zeros(1, np.int64))
    last = sycl.Buffer(np.zeros(1, np.int64))
    with queue.submit() as h:
        h.parallel_for(
            COUNT,
            "total += x[i]; last.combine(x[i] > 1 ? (long)i : 0L);",
            x=many,
            total=sycl.reduction(counts, h, sycl.plus),
            last=sycl.reduction(last, h, sycl.maximum),
        )
    assert counts.host_access("read")[0] == COUNT - 4
    assert last.host_access("read")[0] == COUNT - 1
