"""A prepared reduction keeps what it needs: no memory is made for a launch, and none waits for another in submit."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

N = 100_003
MANY = 20  # more than there are pieces of memory for partial results


@contextmanager
def counted(queue: sycl.Queue) -> Iterator[Counter[str]]:
    """OpenCL's entries that were called meanwhile, by launches that the driver does, and not the team."""
    calls: Counter[str] = Counter()
    _core.fault_install(queue.device.platform._driver_index)
    _core.team_insist(0, False)
    try:
        yield calls
        calls.update({entry: _core.fault_calls(entry) for entry in _core.fault_entries()})
    finally:
        _core.team_insist(16, False)
        _core.fault_install(None)


@pytest.fixture
def queue() -> sycl.Queue:
    return sycl.Queue()


@pytest.fixture
def x(queue: sycl.Queue) -> sycl.UsmArray:
    x = sycl.malloc_shared(N, np.int32, queue)
    np.asarray(x)[:] = np.arange(N) % 7
    return x


def test_launches_behind_the_first_make_nothing(queue: sycl.Queue, x: sycl.UsmArray) -> None:
    total = sycl.malloc_shared(1, np.int32, queue)
    np.asarray(total)[0] = 5
    launch = queue.kernel(N, "t += x[i];", x=x, t=sycl.reduction(total, sycl.plus))
    launch().wait()
    with counted(queue) as calls:
        for _ in range(3):
            launch().wait()
    assert calls["EnqueueNDRangeKernel"] == 3
    made = [
        entry for entry in calls if calls[entry] and entry.startswith(("Create", "Build", "SVMAlloc", "EnqueueFill"))
    ]
    assert made == []
    assert np.asarray(total)[0] == 5 + 4 * (np.arange(N) % 7).sum()


def test_submit_waits_for_nothing(queue: sycl.Queue, x: sycl.UsmArray) -> None:
    """Many launches, more than have memory of their own, while what they all wait for has not ended."""
    total = sycl.malloc_shared(1, np.int32, queue)
    np.asarray(total)[0] = 0
    launch = queue.kernel(N, "t += x[i];", x=x, t=sycl.reduction(total, sycl.plus))
    launch().wait()
    gate = threading.Event()
    first = queue.host_task(lambda: gate.wait(60))
    events: list[sycl.Event] = []
    try:
        for _ in range(MANY):
            events.append(launch(depends_on=events[-1:] or [first]))
        statuses = [event.status for event in events]
        assert sycl.EventCommandStatus.complete not in statuses
    finally:
        gate.set()
    queue.wait_and_throw()
    assert np.asarray(total)[0] == (1 + MANY) * (np.arange(N) % 7).sum()
