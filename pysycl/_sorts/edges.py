"""Edges of bins, as NumPy has them, and the elements that these are for."""

from __future__ import annotations

from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.call import options_of
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._algorithms.warned import warn
from pysycl._reductions.reduce_calls import minmax
from pysycl._sorts.bins import Binned
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


# NumPy's names of how many bins there are.
_RULES: Final = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


def histogram_bin_edges(
    x: Any, bins: Any = 10, range: Any = None, *, queue: Queue | None = None
) -> Array:  # fmt: skip
    """The edges of the bins that `histogram` counts in, as numpy.histogram_bin_edges.

    Parameters
    ----------
    x, bins, range, queue
        As for `histogram`.

    Returns
    -------
    numpy.ndarray
        One more than there are bins.

    Raises as for `histogram`.

    Examples
    --------
    >>> sycl.histogram_bin_edges([1, 2, 1, 4, 3], bins=3)
    array([1., 2., 3., 4.])
    """
    options = options_of(None, False, None, None, None, queue)
    check_range(range)
    return edges_of(x, Binned(elements_of(x, "x"), options).x, checked_edges(bins), range, queue)[0]


def checked_edges(bins: Any, what: str = "bins") -> Any:
    """The bins, if they are no edges that NaN or a step down spoils."""
    if isinstance(bins, str):
        if bins not in _RULES:
            raise InvalidParameterError(f"{what}: there is no rule {bins!r}, but {', '.join(_RULES)}")
        return bins
    try:
        is_one = np.ndim(bins) == 0
        edges = np.asarray(bins)
    except ValueError as error:
        raise InvalidParameterError(f"{what}: {error}") from None
    if is_one:
        return _number_of_bins(bins, what)
    if edges.ndim != 1 or edges.dtype.kind not in "biuf":
        raise InvalidParameterError(f"{what}: expected a number of bins, or edges in one dimension, got {bins!r}")
    if edges.size < 2:
        raise InvalidParameterError(f"{what}: {edges.size} edges are no bin; there are two at least")
    odd = np.flatnonzero(edges != edges)
    if odd.size:
        raise InvalidParameterError(f"{what}: edge {odd[0]} is NaN")
    steps = np.flatnonzero(edges[1:] < edges[:-1])
    if steps.size:
        k = int(steps[0])
        raise InvalidParameterError(f"{what}: edges ascend, and {edges[k + 1]} comes behind {edges[k]}")
    return edges


def _number_of_bins(bins: Any, what: str) -> int:
    try:
        number = index(bins)
    except TypeError:
        raise InvalidParameterError(f"{what}: expected an int or edges, got {bins!r}") from None
    if number < 1:
        raise InvalidParameterError(f"{what}: expected one at least, got {number}")
    return number


def check_range(range: Any) -> None:
    """Is it none, or two numbers that bins can lie between?"""
    if range is None:
        return
    try:
        low, high = range
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise ValueError
    except (TypeError, ValueError):
        raise InvalidParameterError(f"range: expected two finite numbers, the lower one first, got {range!r}") from None


def _outer(x: Any, it: Operand, range: Any, queue: Any) -> Array:
    """Elements that have the same range as all of them."""
    if prod(it.shape) == 0 or range is not None:
        return np.zeros(0, it.dtype)
    return np.array([value.item() for value in minmax(x, queue=queue)], it.dtype)


def edges_of(x: Any, it: Operand, bins: Any, range: Any, queue: Any) -> tuple[Array, bool]:
    """The edges, and whether the bins are equally wide."""
    if isinstance(bins, np.ndarray):
        return bins, False
    if isinstance(bins, str) and it.kind != ARRAY:
        raise InvalidParameterError(f"bins: the rule {bins!r} is there for NumPy arrays; give a number or edges")
    try:
        of = as_array(it) if isinstance(bins, str) else _outer(x, it, range, queue)
        return np.histogram_bin_edges(of, bins, range), True
    except InvalidParameterError:
        raise
    except (ValueError, TypeError) as error:
        raise refused(range, error) from None


def refused(range: Any, error: Exception) -> InvalidParameterError:
    """As NumPy says it, of the elements or of the range that was given."""
    return InvalidParameterError(f"{'x' if range is None else 'bins, range'}: {error}")


def edges_of_two(
    given: tuple[Any, Any], its: tuple[Operand, Operand], bins: Any, range: Any, queue: Any
) -> tuple[tuple[Array, Array], tuple[bool, bool]]:
    """The same along both."""
    several = hasattr(bins, "__len__") and not isinstance(bins, str) and len(bins) == 2
    pair = tuple(bins) if several else (bins, bins)
    ranges = (None, None) if range is None else tuple(range)
    if len(ranges) != 2:
        raise InvalidParameterError(f"range: expected a pair for x and one for y, got {range!r}")
    found, even = [], []
    for each, it, one, ends, name in zip(given, its, pair, ranges, "xy", strict=True):
        if isinstance(one, str):
            raise InvalidParameterError(f"bins of {name}: expected an int or edges, got {one!r}")
        edges = checked_edges(one, f"bins of {name}")
        is_number = not isinstance(edges, np.ndarray)
        if is_number:
            try:  # the outer ones as NumPy has them, with their type
                low, high = np.histogramdd([_outer(each, it, ends, queue)], 1, [ends])[1][0]
            except (ValueError, TypeError) as error:
                raise InvalidParameterError(f"range of {name}: {error}") from None
            edges = np.linspace(low, high, edges + 1)
        found.append(edges)
        even.append(is_number)
    return (found[0], found[1]), (even[0], even[1])


# -- elements --


def elements_of(x: Any, what: str) -> Operand:
    """Real numbers; bool as NumPy has it, bytes with a warning."""
    it = operand(x, what)
    check_number(it.dtype, what)
    if it.dtype.kind == "c":
        raise InvalidParameterError(f"{what}: expected real numbers, got {it.dtype}")
    if it.dtype.kind == "b":
        warn_of_bool(it.dtype)
        it = it._replace(dtype=np.dtype(np.uint8))
    return it


def warn_of_bool(dtype: np.dtype[Any]) -> None:
    """As NumPy does."""
    if dtype.kind == "b":
        warn("Converting input from bool to uint8 for compatibility.", RuntimeWarning)


def as_array(it: Operand) -> Array:
    """The elements as a NumPy array."""
    return array_of(it).view(it.dtype)
