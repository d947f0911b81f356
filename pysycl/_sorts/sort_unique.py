"""unique: sorted elements, each one once, and where they came from."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.axes import axes_of, one_axis
from pysycl._algorithms.call import options_of
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._scans.scan_segments import run_length
from pysycl._scans.scan_select import unique_consecutive
from pysycl._sorts.bins import Binned, by_values
from pysycl._sorts.sort_calls import argsort, sort
from pysycl._sorts.sort_team import runs_on_host
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue

# Values of integers, of fewer of which the counts of each are sooner there than a sort.
_MOST_VALUES: Final = 1 << 20


def unique(
    x: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None, *,
    equal_nan: bool = True, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The elements in order, each one once, as numpy.unique.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the results are NumPy arrays. A Buffer or a UsmArray: a `Selected`, or with
        counts `Runs`, the whole memory and a count beside it, whose `trim()` waits and cuts; a NaN equals none there.
        Arrays of several dimensions are flattened.
    return_index
        Of arrays: also where each stands first.
    return_inverse
        Of arrays: also which one each element of x is, of the shape of x; with an axis, which one each part is.
    return_counts
        Also how often there is each.
    axis
        Of arrays: what is compared are the parts along this axis, element by element.
    equal_nan
        Of arrays: all NaN are one.
    queue
        Where it runs. None: the default device, or the calling thread for few elements.

    Returns
    -------
    numpy.ndarray, tuple, Selected, Runs
        Of arrays the elements; where more is asked for a tuple of them, indices, inverse and counts, as far as wanted.

    Raises
    ------
    InvalidParameterError
        An axis that there is not; of device memory an axis, an index or an inverse.

    Examples
    --------
    >>> sycl.unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    if it.kind != ARRAY:
        if return_index or return_inverse or axis is not None:
            word = "axis" if axis is not None else "return_index" if return_index else "return_inverse"
            raise InvalidParameterError(f"{word}: of NumPy arrays only")
        ordered = sort(x, None, queue=queue)
        return run_length(ordered, queue=queue) if return_counts else unique_consecutive(ordered, queue=queue)
    array = array_of(it)
    if axis is not None:
        one_axis(axis)
        axes_of(axis, array.ndim)
    if axis is not None and array.ndim > 1:
        return _along(array, axis, (return_index, return_inverse, return_counts), queue)
    return _flat(it, array, (return_index, return_inverse, return_counts), equal_nan, queue)


def _flat(it: Operand, array: Array, wanted: tuple[bool, bool, bool], equal_nan: bool, queue: Any) -> Any:
    flat = array.reshape(-1)
    if not (wanted[0] or wanted[1]):
        few = by_values(
            Binned(operand(flat, "x"), options_of(None, False, None, None, None, queue)), _MOST_VALUES, 0.25
        )
        if few is not None:
            at = np.flatnonzero(few.counts)
            values = few.keys(at, flat.dtype)
            return (values, few.counts[at]) if wanted[2] else values
    order: Any = None
    if wanted[0] or wanted[1]:
        order = argsort(flat, queue=queue)
        ordered = flat[order]
    else:
        ordered = sort(flat, queue=queue)
        if flat.dtype.kind in "biuf" and flat.dtype.str[1:] != "f2":
            found = runs_on_host(ordered, equal_nan)
            return found if wanted[2] else found[0]
    return _given(ordered, _marks(ordered, equal_nan), order, wanted, array.shape, 0)


def _marks(ordered: Any, equal_nan: bool) -> Any:
    """Whether an element is another than the one before it."""
    marks = np.ones(len(ordered), np.bool_)
    marks[1:] = ordered[1:] != ordered[:-1]
    if equal_nan and ordered.dtype.kind in "fc" and len(ordered):
        odd = np.isnan(ordered)  # which are the last ones
        marks[np.count_nonzero(~odd) + 1 :] = False
    return marks


def _given(
    ordered: Any, marks: Any, order: Any, wanted: tuple[bool, bool, bool], shape: tuple[int, ...], axis: int
) -> Any:  # fmt: skip
    starts = np.flatnonzero(marks)
    found = [ordered[starts]]
    if wanted[0]:
        found.append(order[starts])
    if wanted[1]:
        inverse = np.empty(len(ordered), np.int64)
        inverse[order] = np.cumsum(marks) - 1
        found.append(inverse.reshape(shape))
    if wanted[2]:
        found.append(np.diff(starts, append=len(ordered)))
    found[0] = found[0] if axis == 0 else np.moveaxis(found[0], 0, axis)
    return found[0] if len(found) == 1 else tuple(found)


def _along(array: Array, axis: int, wanted: tuple[bool, bool, bool], queue: Any) -> Any:
    """Parts along an axis: structs of as many fields as a part has elements."""
    parts = np.moveaxis(array, axis, 0)
    width = prod(parts.shape[1:])
    rows = np.ascontiguousarray(parts).reshape(len(parts), width)
    if width and len(rows):
        fields = rows if rows.dtype.str[1:] != "f2" else rows.astype(np.float32)  # of which structs have no fields
        order = argsort(fields.view([("part", fields.dtype, (width,))])[:, 0], queue=queue)
    else:
        order = np.arange(len(rows))
    ordered = rows[order]
    marks = np.ones(len(rows), np.bool_)
    marks[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    shaped = ordered.reshape(len(rows), *parts.shape[1:])
    return _given(shaped, marks, order, wanted, (len(rows),), axis % array.ndim)
