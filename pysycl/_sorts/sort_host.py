"""Sorts of few elements in host memory, on the calling thread: NumPy's, or by digits in C (csrc/algo/keys/sort.c)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import is_at_hand
from pysycl._algorithms.operand import Operand, array_of
from pysycl._sorts.sort_rows import NUMPY, NUMPY_PART, THREAD, Row, host_row, is_forced, place_row
from pysycl._sorts.sort_team import ORDERS

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl._sorts.sort_passes import Lines


def is_little(it: Operand, queue: Any, few: int) -> bool:
    """Is NumPy's own function done sooner, of fewer elements than that?"""
    return prod(it.shape) < few and is_at_hand(it, queue) and not is_forced()


def row_for(it: Operand, queue: Any, descending: bool, positions: bool) -> Row | None:
    """The row of the calling thread that an operand takes, or None."""
    return host_row(prod(it.shape), it.dtype, descending, positions) if is_at_hand(it, queue) else None


def part_row(it: Operand, line: Lines, places: int, queue: Any) -> Row | None:
    """The row for elements at places of lines. None: the lines are sorted."""
    if is_at_hand(it, queue) and not is_forced() and it.dtype.names is None:
        return NUMPY_PART
    return place_row(line, places, it.dtype.kind in "biuf")


def sort_on_host(row: Row, it: Operand, axis: int | None, descending: bool, positions: bool) -> Array:
    """The sorted elements, or their positions, in new memory."""
    array = array_of(it)
    if row is NUMPY:
        return _by_numpy(array, axis, positions)
    assert row is THREAD
    return _by_digits(array, axis, descending, positions)


def _by_numpy(array: Array, axis: int | None, positions: bool) -> Array:
    if positions:
        return np.argsort(array, axis, kind="stable").astype(np.int64, copy=False)
    plain = (
        array.dtype.kind != "c" and array.dtype.itemsize > 1 and array.dtype.str[1:] != "f2"
    )  # equal ones are the same
    return np.sort(array, axis, kind=None if plain else "stable")


def first_by_partition(array: Array, k: int, descending: bool) -> Array:
    """The positions of the first k of real numbers in one dimension, NaN last."""
    place = array.size - k if descending else k - 1
    parted = np.partition(array, place)
    found = parted[place:] if descending else parted[:k]
    if array.dtype.kind == "f" and np.isnan(found).any():
        odd = np.isnan(array)
        numbers = np.flatnonzero(~odd)
        some = min(k, numbers.size)
        order = numbers[first_by_partition(array[numbers], some, descending)] if some else numbers[:0]
        return np.concatenate([order, np.flatnonzero(odd)[: k - some]])
    bar = parted[place]
    sure = np.flatnonzero(array > bar if descending else array < bar)
    near = np.sort(np.concatenate([sure, np.flatnonzero(array == bar)[: k - sure.size]]))
    return np.asarray(near[_by_digits(array[near], 0, descending, True)])


def _by_digits(array: Array, axis: int | None, descending: bool, positions: bool) -> Array:
    lines: Any = array.reshape(-1) if axis is None else array
    last = lines.ndim - 1
    if axis is not None and axis % lines.ndim != last:
        lines = np.moveaxis(lines, axis, last)
    lines = np.ascontiguousarray(lines)
    to = np.empty(lines.shape, np.int64 if positions else lines.dtype)
    if lines.size:
        size = lines.shape[last]
        _core.host_sort(
            lines.reshape(-1).view(np.uint8), to.reshape(-1).view(np.uint8), lines.size // size, size,
            lines.dtype.itemsize, ORDERS[lines.dtype.kind], descending, positions,
        )  # fmt: skip
    return to if axis is None or axis % to.ndim == last else np.ascontiguousarray(np.moveaxis(to, last, axis))
