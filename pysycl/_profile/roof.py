"""The roof of a device: the most bytes a second that a kernel of it moves, measured once and kept with the kernels."""

from __future__ import annotations

import time
from typing import Any

from pysycl import _core
from pysycl.errors import SyclError

_ELEMENTS = 1 << 25  # floats: larger than caches; less where the device has little memory
_RUNS = 7
_known: dict[str, float] = {}
MEASURING: set[int] = set()
"""The numbers of the queues that have measured."""


def _measure(device: Any) -> float:
    """The best of some copies: what disturbs makes them slower only."""
    import numpy as np

    from pysycl.queue import Queue
    from pysycl.usm import malloc_device

    queue = Queue(device)
    n = min(_ELEMENTS, int(device.max_mem_alloc_size) // 16)
    with malloc_device(n, np.float32, queue) as x, malloc_device(n, np.float32, queue) as y:
        queue.fill(x, np.float32(1)).wait()
        MEASURING.add(_core.graph_records(queue)[1])  # the queue has it from its first command on
        step = queue.kernel(n, "y[i] = x[i];", x=x, y=y)
        best = float("inf")
        for _ in range(_RUNS):
            began = time.perf_counter()
            step().wait()
            best = min(best, time.perf_counter() - began)
    return 2 * 4 * n / best


def roof_of(name: str) -> float | None:
    """Bytes a second of the device that has the name; None: it is gone, or has no memory left to measure with."""
    from pysycl.device import devices

    if name not in _known:
        found = [device for device in devices() if device.name == name]
        if not found:
            return None
        context: Any = _core.default_context(found[0])
        rate = _core.roof_recall(context)
        if rate is None:
            try:
                rate = _measure(found[0]) / 1e9
            except SyclError:
                return None
            _core.roof_note(context, rate)
        _known[name] = rate * 1e9
    return _known[name]
