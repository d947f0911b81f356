"""Arrays as sets, with NumPy's meaning: what is in either, in both, in one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.operand import ARRAY, array_of, check_number, operand
from pysycl._scans.scan_select import unique_consecutive
from pysycl._sorts.search import isin
from pysycl._sorts.sort_calls import argsort, sort
from pysycl._sorts.sort_unique import unique
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


def intersect1d(
    x: Any, y: Any, assume_unique: bool = False, return_indices: bool = False, *, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The elements that are in x and in y, ascending, each once, as numpy.intersect1d.

    Parameters
    ----------
    x, y
        As for `union1d`.
    assume_unique
        Whether each has its elements once.
    return_indices
        Also where each of them stands first in x, and where in y.
    queue
        As for `union1d`.

    Returns
    -------
    numpy.ndarray, tuple
        In one dimension, of the type of both; with indices a tuple of three arrays.

    Examples
    --------
    >>> sycl.intersect1d([3, 1, 3], [2, 1, 3])
    array([1, 3])
    >>> sycl.intersect1d([3, 1, 3], [2, 1, 3], return_indices=True)
    (array([1, 3]), array([1, 0]), array([1, 2]))
    """
    sides = [_flattened(x, "x"), _flattened(y, "y")]
    if return_indices:
        return _shared_at(sides, assume_unique, queue)
    both = _both(sides, assume_unique, queue)
    shared: Array = both[:-1][both[1:] == both[:-1]]
    return shared


def _both(sides: list[Array], assume_unique: bool, queue: Any) -> Array:
    """The elements of both sides, ascending: twice those that are in both."""
    if not assume_unique:
        sides = [_values(each, queue) for each in sides]
    both: Array = sort(np.concatenate(sides), queue=queue)
    return both


def _shared_at(sides: list[Array], assume_unique: bool, queue: Any) -> tuple[Array, Array, Array]:
    """The elements of both sides, and where they stand first in each."""
    at = [np.arange(each.size) for each in sides]
    if not assume_unique:
        sides, at = zip(*(unique(each, True, queue=queue) for each in sides), strict=True)  # type: ignore[assignment]
    both = np.concatenate(sides)
    order: Array = argsort(both, queue=queue)
    both = both[order]
    same = both[1:] == both[:-1]
    return both[:-1][same], at[0][order[:-1][same]], at[1][order[1:][same] - sides[0].size]


def setxor1d(x: Any, y: Any, assume_unique: bool = False, *, queue: Queue | None = None) -> Array:
    """The elements that are in x or in y, and not in both, ascending, each once, as numpy.setxor1d.

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
    >>> sycl.setxor1d([3, 1, 3], [2, 1])
    array([2, 3])
    """
    both = _both([_flattened(x, "x"), _flattened(y, "y")], assume_unique, queue)
    other = np.ones(both.size + 1, np.bool_)
    other[1:-1] = both[1:] != both[:-1]
    alone: Array = both[other[1:] & other[:-1]]
    return alone


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
