"""Arrays as sets, with NumPy's meaning: what is in either, in both, in one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.operand import ARRAY, array_of, check_number, operand
from pysycl._scans.scan_select import unique_consecutive
from pysycl._sorts.search import isin
from pysycl._sorts.sort_calls import sort
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


def _flattened(x: Any, what: str) -> Array:
    it = operand(x, what)
    check_number(it.dtype, what)
    if it.kind != ARRAY:
        raise InvalidParameterError(f"{what}: expected a NumPy array: how long the result is depends on its elements")
    return array_of(it).reshape(-1)


def _values(x: Array, queue: Any) -> Array:
    """The elements, ascending, each once; NaN are one, the last."""
    found: Array = unique_consecutive(sort(x, queue=queue), queue=queue)
    odd = np.flatnonzero(found[-1:] != found[-1:])
    return found[: int(np.argmax(found != found)) + 1] if odd.size else found


def union1d(x: Any, y: Any, *, queue: Queue | None = None) -> Array:
    """The elements that are in x or in y, ascending, each once, as numpy.union1d.

    Parameters
    ----------
    x, y
        NumPy arrays, or what becomes one; of several dimensions all their elements.
    queue
        Where they are sorted: None for the default one.

    Returns
    -------
    numpy.ndarray
        In one dimension, of the type of both.

    Examples
    --------
    >>> sycl.union1d([3, 1, 3], [2, 1])
    array([1, 2, 3])
    """
    return _values(np.concatenate([_flattened(x, "x"), _flattened(y, "y")]), queue)


def intersect1d(x: Any, y: Any, assume_unique: bool = False, *, queue: Queue | None = None) -> Array:
    """The elements that are in x and in y, ascending, each once, as numpy.intersect1d.

    Parameters
    ----------
    x, y
        As for `union1d`.
    assume_unique
        Whether each has its elements once.
    queue
        As for `union1d`.

    Returns as for `union1d`.

    Examples
    --------
    >>> sycl.intersect1d([3, 1, 3], [2, 1, 3])
    array([1, 3])
    """
    sides = [_flattened(x, "x"), _flattened(y, "y")]
    if not assume_unique:
        sides = [_values(each, queue) for each in sides]
    both: Array = sort(np.concatenate(sides), queue=queue)
    shared: Array = both[:-1][both[1:] == both[:-1]]
    return shared


def setdiff1d(x: Any, y: Any, assume_unique: bool = False, *, queue: Queue | None = None) -> Array:
    """The elements of x that are not in y, ascending, each once, as numpy.setdiff1d.

    Parameters
    ----------
    x, y
        As for `union1d`.
    assume_unique
        Whether each has its elements once: then those of x keep their order.
    queue
        As for `union1d`.

    Returns
    -------
    numpy.ndarray
        In one dimension, of the type of x.

    Examples
    --------
    >>> sycl.setdiff1d([5, 3, 1, 3], [2, 1])
    array([3, 5])
    """
    own, other = _flattened(x, "x"), _flattened(y, "y")
    if not assume_unique:
        own = _values(own, queue)
    missing: Array = isin(own, other, invert=True, queue=queue)
    return own[missing]
