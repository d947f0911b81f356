"""What the calling thread and its team do with keys in host memory (csrc/algo/keys): searches, merges, and first ones."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import home_queue, is_at_hand
from pysycl._algorithms.operand import ARRAY, Operand
from pysycl._algorithms.plan import tell
from pysycl._sorts.sort_rows import FEW, Row, is_forced

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array

# The core's numbers of how bits are ordered, and of what a search is for.
ORDERS: Final = {"u": 0, "i": 1, "b": 2, "f": 3}
BEFORE, UP_TO, IS_IN, IS_NOT_IN = range(4)


def is_for_team(row: Row, it: Operand, queue: Any) -> bool:
    """Does the team do it: elements in host memory that nobody wants elsewhere, and no device is far quicker with?"""
    if it.kind != ARRAY or is_forced():
        return it.kind == ARRAY and is_forced(row)
    near = queue is not None or prod(it.shape) <= FEW or bool(home_queue(None).device.is_cpu)
    return near and is_at_hand(it, queue)


def told(row: Row) -> None:
    """Tells a plan, where one is made."""
    tell(f"row       {row.name}\nwhy       {row.why}\nmeasured  {row.measured}")


def searched_on_host(at: Array, it: Array, kind: np.dtype[Any], what: int) -> Array:
    """Of each value where it stands among sorted elements, or whether it is one of them, compared as a type of 32 or 64
    bits."""
    keys, values = np.ascontiguousarray(at, kind), np.ascontiguousarray(it, kind)
    to: Array = np.empty(it.shape, np.int64 if what in (BEFORE, UP_TO) else np.bool_)
    _core.host_search(keys, values, to, kind.itemsize, ORDERS[kind.kind], what)
    return to


def first_on_host(array: Array, axis: int, k: int, descending: bool) -> Array:
    """Along an axis the positions of the first k elements in order."""
    lines = np.ascontiguousarray(np.moveaxis(array, axis, -1))
    to: Array = np.empty((*lines.shape[:-1], k), np.int64)
    if to.size:
        size = lines.shape[-1]
        kind, width = ORDERS[lines.dtype.kind], lines.itemsize
        _core.host_top(lines, to, lines.size // size, size, k, width, kind, descending)
    return np.ascontiguousarray(np.moveaxis(to, -1, axis))


def runs_on_host(ordered: Array, as_one: bool) -> tuple[Array, Array]:
    """Of equal elements in sorted ones the first each, and how many there are. `as_one`: all NaN are one."""
    kind = ordered.dtype
    firsts, lengths = _core.host_runs(np.ascontiguousarray(ordered), kind.itemsize, ORDERS[kind.kind], as_one)
    return firsts.view(kind), lengths


def merged_on_host(first: Array, second: Array) -> Array:
    """Two sorted arrays as one."""
    first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
    to: Array = np.empty(first.size + second.size, first.dtype)
    _core.host_merge(first, second, to, to.itemsize, ORDERS[to.dtype.kind])
    return to
