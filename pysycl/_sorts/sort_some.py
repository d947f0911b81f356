"""Of lines some elements in order: partition, median and quantile."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.axes import axes_of, kept_shape
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._sorts.sort_calls import sort_options, sorted_by
from pysycl._sorts.sort_host import part_row
from pysycl._sorts.sort_line import By, Sorting
from pysycl._sorts.sort_rows import NUMPY_PART
from pysycl._sorts.sort_select import elements_at, part_into
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue


# -- in order as far as somebody asks --


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
    if call.is_empty or not places:
        return sorted_by(x, options, By())
    return _parted(call, x, tuple(sorted(places)))


def _parted(call: Sorting, x: Any, places: tuple[int, ...]) -> Any:
    row = part_row(call.x, call.line, len(places), call.options.queue)
    if row is None:
        return sorted_by(x, call.options, By())
    call.takes(row)
    if row is NUMPY_PART:
        call.told()
        axis = call.options.axis if call.options.axis is None else call.order[-1]
        return call.give_array(np.partition(array_of(call.x), places, axis), call.x.dtype)
    result = call.given(call.x.dtype)
    part_into(call, result, places)
    return call.handed(result)


# -- quantiles --

# Of NumPy's methods those that are a plain function of n and q: alpha and beta of Hyndman and Fan.
_CONTINUOUS: Final = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
_OTHERS: Final = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest",
)  # fmt: skip


def _places(count: int, q: Any, method: str) -> Any:
    """Where quantiles stand among so many sorted elements: between two of them, most often."""
    whole = (count - 1) * q
    if method in ("linear", "lower", "higher", "midpoint", "nearest"):
        low, high = np.floor(whole), np.ceil(whole)
        found = {
            "linear": whole,
            "lower": low,
            "higher": high,
            "midpoint": 0.5 * (low + high),
            "nearest": np.round(whole),
        }
        return found[method]
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        return np.clip(count * q + (alpha + q * (1 - alpha - beta)) - 1, 0, count - 1)
    at = count * q - 1 - (0.5 if method == "closest_observation" else 0)
    low = np.floor(at)
    if method == "averaged_inverted_cdf":
        found = low + np.where(at == low, 0.5, 1)
    elif method == "inverted_cdf":
        found = low + (at != low)
    else:
        found = low + 1 - ((at == low) & (low % 2 == 1))
    return np.clip(found, 0, count - 1)


def _reduced(x: Any, axis: Any) -> tuple[Operand, tuple[int, ...]]:
    """The operand with the reduced axes as one, the last; and these."""
    it = operand(x, "x")
    check_number(it.dtype, "x")
    if it.dtype.kind == "c":
        raise InvalidParameterError("x: complex numbers have no quantiles")
    return it, axes_of(axis, len(it.shape))


def quantile(
    x: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The quantiles of the elements along axes, as numpy.quantile. Of a line with a NaN each is NaN.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of, of real numbers.
    q
        From 0 to 1: a number, or an array of them, whose dimensions come first in the result's shape.
    axis
        One, several, or None for all.
    method
        NumPy's: inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull, linear,
        median_unbiased, normal_unbiased, lower, higher, midpoint, nearest.
    keepdims
        Keep the reduced axes, with the size 1.
    queue
        Where it is sorted. None: the default device, or the calling thread for few elements.

    Returns
    -------
    numpy.ndarray, NumPy scalar
        Of floating-point elements their type, or of it and that of q together, where q is no number of Python's; else float64.

    Raises
    ------
    InvalidParameterError
        A q that is not from 0 to 1, another method, device memory, no elements, bool or complex numbers.

    Examples
    --------
    >>> sycl.quantile([3.0, 1.0, 4.0, 1.0, 5.0], 0.5)
    np.float64(3.0)
    """
    if method not in _CONTINUOUS and method not in _OTHERS:
        raise InvalidParameterError(f"method: expected one of {', '.join([*_CONTINUOUS, *_OTHERS])}, got {method!r}")
    wanted = np.asarray(q, np.float64)
    if not np.all((wanted >= 0) & (wanted <= 1)):
        raise InvalidParameterError(f"q: expected numbers from 0 to 1, got {q!r}")
    it, axes = _reduced(x, axis)
    if it.dtype.kind == "b":
        raise InvalidParameterError("x: bool has no quantiles between its values; give another type")
    lines, size = _lines_of(it, axes)
    places = _places(size, wanted.reshape(-1), method)
    lows = np.floor(places).astype(np.int64).tolist()
    some = _elements_at(lines, size, {*lows, *(min(low + 1, size - 1) for low in lows)}, queue)
    kind = _quantile_type(lines.dtype, q)
    found = np.stack([_between(some, place, method, kind) for place in places], 0)
    kept = kept_shape(it.shape, axes, bool(keepdims))
    return found.reshape(wanted.shape + kept)[()]


def percentile(
    x: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The percentiles of the elements along axes, as numpy.percentile: `quantile` with hundredths.

    Parameters
    ----------
    x
        As for `quantile`.
    q
        From 0 to 100: a number, or an array of them.
    axis, method, keepdims, queue
        As for `quantile`.

    Returns, Raises as for `quantile`.

    Examples
    --------
    >>> sycl.percentile([3.0, 1.0, 4.0, 1.0, 5.0], 50)
    np.float64(3.0)
    """
    wanted = np.asarray(q, np.float64)
    if not np.all((wanted >= 0) & (wanted <= 100)):
        raise InvalidParameterError(f"q: expected numbers from 0 to 100, got {q!r}")
    part = q / 100 if type(q) in (int, float) else np.true_divide(q, 100)
    return quantile(x, part, axis, method=method, keepdims=keepdims, queue=queue)


def _quantile_type(kind: np.dtype[Any], q: Any) -> np.dtype[Any]:
    """Floating-point elements keep theirs beside numbers of Python's; other q have a type of their own."""
    if kind.kind != "f":
        return np.dtype(np.float64)
    return kind if type(q) in (int, float) else np.result_type(kind, np.asarray(q))


def median(x: Any, axis: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The middle element along axes, or the mean of the two, as numpy.median. Of a line with a NaN it is NaN.

    Parameters as for `quantile`.

    Returns
    -------
    numpy.ndarray, NumPy scalar
        Of floating-point numbers their type, else float64.

    Raises
    ------
    InvalidParameterError
        Device memory, no elements, or complex numbers.

    Examples
    --------
    >>> sycl.median([3, 1, 4, 1])
    np.float64(2.0)
    """
    it, axes = _reduced(x, axis)
    lines, size = _lines_of(it, axes)
    middle = range((size - 1) // 2, size // 2 + 1)
    some = _elements_at(lines, size, set(middle), queue)
    found = np.asarray(np.mean(np.stack([some.at(place) for place in middle], -1), -1))
    if lines.dtype.kind == "f":
        last = some.at(size - 1)
        found = np.where(last != last, np.asarray(np.nan, found.dtype), found)
    return found.reshape(kept_shape(it.shape, axes, bool(keepdims)))[()]


class Some(NamedTuple):
    """Elements at places of sorted lines."""

    values: Any
    """Their last dimension is of the places."""
    places: tuple[int, ...]
    size: int
    """Of the lines."""

    def at(self, place: int) -> Any:
        """The elements at one place."""
        return self.values[..., self.places.index(place)]


def _lines_of(it: Operand, axes: tuple[int, ...]) -> tuple[Any, int]:
    """The elements of the reduced axes as the last dimension of an array, and how many these are."""
    if it.kind != ARRAY:
        raise InvalidParameterError("x: expected a NumPy array; of device memory pass numpy.asarray(x)")
    array = array_of(it)
    kept = [d for d in range(len(it.shape)) if d not in axes]
    count = prod(it.shape[d] for d in axes)
    if array.size == 0:
        raise InvalidParameterError(f"x: no elements, of the shape {it.shape}")
    return array.transpose(*kept, *axes).reshape(*(array.shape[d] for d in kept), count), count


def _elements_at(lines: Any, size: int, places: set[int], queue: Any) -> Some:
    """The elements at places, and the last ones where these may be NaN."""
    wanted = tuple(sorted({*places, size - 1} if lines.dtype.kind == "f" else places))
    call = Sorting(operand(lines, "x"), sort_options(-1, None, queue))
    row = part_row(call.x, call.line, len(wanted), queue)
    if row is None:
        return Some(np.take(sorted_by(lines, call.options, By()), wanted, -1), wanted, size)
    call.takes(row)
    if row is NUMPY_PART:
        found = np.take(np.partition(lines, wanted, -1), wanted, -1)
    else:
        found = elements_at(call, wanted).reshape(*lines.shape[:-1], len(wanted))
    call.told()
    return Some(found, wanted, size)


def _between(some: Some, place: Any, method: str, kind: np.dtype[Any]) -> Any:
    """What stands at a place, between two elements as far as it says, which is a number of `kind`; as NumPy rounds it."""
    low = int(np.floor(place))
    before, behind = some.at(low), some.at(min(low + 1, some.size - 1))
    floats = some.values.dtype.kind == "f"
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        found = before
    else:
        part = np.asarray(place - low, kind)
        if not floats:  # whose differences may be larger than the type
            before, behind = np.asarray(before, kind), np.asarray(behind, kind)
        step = behind - before
        found = before + step * part if part < 0.5 else behind - step * (1 - part)
    last = some.at(some.size - 1) if floats else None
    return np.where(last != last, last, found) if floats else found
