"""What a worker does before its first task and after its last one: Dask loads this module into each."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

import pysycl as sycl


def dask_setup(worker: Any) -> None:
    """The driver is there, and has built its first kernel, before a task waits for it."""
    device = sycl.Device()
    logging.getLogger("distributed.worker").info("pysycl: %s by %s", device.name, device.platform.version)
    sycl.sum(np.ones(1 << 16, np.float32), queue=sycl.Queue())


def dask_teardown(worker: Any) -> None:
    """What was compiled is on disk for those that come after."""
    sycl.cache.save()
