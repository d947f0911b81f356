"""Buffers over the same host memory: SYCL leaves undefined what becomes of that, so it is said. SYCL 2020, 4.7.2."""

from __future__ import annotations

import warnings
import weakref
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any

from pysycl.errors import SyclWarning

if TYPE_CHECKING:
    from pysycl._data.final_data import Life
    from pysycl._data.host_memory import Array

EFFORT: Any = 1000  # candidates that NumPy looks at until it says that two interleaved arrays may overlap

# (lowest address, one past the highest, key), sorted; the arrays in use by buffers. Changes under the GIL, in one step.
_extents: list[tuple[int, int, int]] = []
_users: dict[int, tuple[weakref.ref[Array], bool]] = {}
_longest = 0


def _extent(array: Array) -> tuple[int, int]:
    low = high = array.__array_interface__["data"][0]
    for size, stride in zip(array.shape, array.strides, strict=True):
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high + array.itemsize


def _meet(a: Array, b: Array) -> bool:
    import numpy as np

    try:
        return bool(np.shares_memory(a, b, max_work=EFFORT))
    except np.exceptions.TooHardError:
        return True


def _conflict(array: Array, writes: bool, low: int, high: int) -> bool:
    first = bisect_left(_extents, (low - _longest, 0, 0))
    for other_low, other_high, key in _extents[first : bisect_left(_extents, (high, 0, 0))]:
        other, other_writes = _users.get(key, (None, False))
        other_array = other() if other is not None else None
        near = other_high > low and other_low < high and (writes or other_writes)
        if near and other_array is not None and _meet(array, other_array):
            return True
    return False


def release(life: Life) -> None:
    """The array is free for other buffers."""
    entry, life.extent = life.extent, None
    if entry is None:
        return
    _users.pop(entry[2], None)
    at = bisect_left(_extents, entry)
    if at < len(_extents) and _extents[at] == entry:
        del _extents[at]


def register(life: Life, array: Array, writes: bool) -> None:
    """A buffer uses the array until its life ends. SyclWarning: another one does, and one of them writes."""
    global _longest
    if array.size == 0:
        return
    low, high = _extent(array)
    if _extents and _conflict(array, writes, low, high):
        warnings.warn(
            "two buffers use the same host memory, and one of them may write: what either sees of the other is "
            "undefined; make one buffer, and sub-buffers or reinterpretations of it",
            SyclWarning,
            stacklevel=4,
        )
    entry = (low, high, id(life))
    insort(_extents, entry)
    _users[entry[2]] = (weakref.ref(array), writes)
    _longest = max(_longest, high - low)
    life.extent = entry
