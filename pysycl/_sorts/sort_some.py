"""Elements along axes in order as far as somebody asks: partition and argpartition."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.operand import array_of, check_number, operand
from pysycl._sorts.sort_calls import positions_by, sort_options, sorted_by
from pysycl._sorts.sort_host import part_row
from pysycl._sorts.sort_line import By, Sorting
from pysycl._sorts.sort_rows import NUMPY_PART
from pysycl._sorts.sort_select import part_into
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl.queue import Queue


def partition(
    x: Any, kth: Any, axis: Any = -1, *, out: Any = None, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The elements along an axis, with those at the positions `kth` where they are in sorted order, smaller ones before
    them and others behind, as numpy.partition: these in any order.

    Parameters
    ----------
    x
        As for `sort`.
    kth
        A position, or several; negative ones count from the end.
    axis, out, queue
        As for `sort`.

    Returns as for `sort`.

    Raises
    ------
    InvalidParameterError
        A position that the axis has not.

    Examples
    --------
    >>> sycl.partition([3, 1, 2], 1)
    array([1, 2, 3])
    """
    options = sort_options(axis, out, queue)
    call, places = _begun(x, kth, options)
    row = part_row(call.x, call.line, len(places), queue) if places else None
    if row is None:
        return sorted_by(x, options, By())
    call.takes(row)
    if row is NUMPY_PART:
        return _by_numpy(call, np.partition, places, call.x.dtype)
    result = call.given(call.x.dtype)
    part_into(call, result, places)
    return call.handed(result)


def argpartition(
    x: Any, kth: Any, axis: Any = -1, *, out: Any = None, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The positions of the elements as `partition` has them, as numpy.argpartition. Where NumPy does not part them, all are in
    sorted order.

    Parameters
    ----------
    x, kth, axis
        As for `partition`.
    out
        Memory for the result, of int64 and of the shape of x.
    queue
        As for `sort`.

    Returns as for `argsort`.

    Raises as for `partition`.

    Examples
    --------
    >>> sycl.argpartition([3, 1, 2], 1)
    array([1, 2, 0])
    """
    options = sort_options(axis, out, queue)
    call, places = _begun(x, kth, options)
    if not places or part_row(call.x, call.line, len(places), queue) is not NUMPY_PART:
        return positions_by(x, options, By())
    call.takes(NUMPY_PART)
    return _by_numpy(call, np.argpartition, places, np.dtype(np.int64))


def _begun(x: Any, kth: Any, options: Options) -> tuple[Sorting, tuple[int, ...]]:
    """The call, and the positions that are asked for, of elements that there are."""
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    call = Sorting(it, options)
    size = call.line.size if not call.is_empty else max(call.line.size, 1)  # as NumPy has it
    places = set()
    for each in kth if isinstance(kth, Iterable) else (kth,):
        try:
            place = index(each)
        except TypeError:
            raise InvalidParameterError(f"kth: expected ints, got {each!r}") from None
        if not -size <= place < size:
            raise InvalidParameterError(f"kth: {place} is out of bounds for {call.line.size} elements")
        places.add(place % size)
    return call, () if call.is_empty else tuple(sorted(places))


def _by_numpy(call: Sorting, part: Any, places: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    call.told()
    axis = call.options.axis if call.options.axis is None else call.order[-1]
    return call.give_array(part(array_of(call.x), places, axis), kind)
