"""Quantiles, percentiles and medians along axes, as NumPy has them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.axes import axes_of, kept_shape
from pysycl._algorithms.call import Call, options_of
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._sorts.quantiles_weighed import weighed, weights_of
from pysycl._sorts.sort_calls import sort_options, sorted_by
from pysycl._sorts.sort_host import part_row
from pysycl._sorts.sort_line import By, Sorting
from pysycl._sorts.sort_rows import NUMPY_PART
from pysycl._sorts.sort_select import elements_at
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue

# Of NumPy's methods those that are a plain function of n and q: alpha and beta of Hyndman and Fan.
_CONTINUOUS: Final = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
_OTHERS: Final = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest",
)  # fmt: skip


def places_of(count: int, q: Any, method: str) -> Any:
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


def parts_of(q: Any, method: str) -> Any:
    """The parts of all elements that are asked for, by a method that there is."""
    if method not in _CONTINUOUS and method not in _OTHERS:
        raise InvalidParameterError(f"method: expected one of {', '.join([*_CONTINUOUS, *_OTHERS])}, got {method!r}")
    return _up_to(1, q)


def _up_to(most: int, q: Any) -> Any:
    try:
        wanted = np.asarray(q, np.float64)
    except (TypeError, ValueError):
        wanted = np.asarray(np.nan)
    if not np.all((wanted >= 0) & (wanted <= most)):
        raise InvalidParameterError(f"q: expected numbers from 0 to {most}, got {q!r}")
    return wanted


def reduced(x: Any, axis: Any) -> tuple[Operand, tuple[int, ...]]:
    """The operand with the reduced axes as one, the last; and these."""
    it = operand(x, "x")
    check_number(it.dtype, "x")
    if it.dtype.kind == "c":
        raise InvalidParameterError("x: complex numbers have no quantiles")
    return it, axes_of(axis, len(it.shape))


def quantile(
    x: Any, q: Any, axis: Any = None, out: Any = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None, queue: Queue | None = None,
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
    out
        Memory for the result.
    method
        NumPy's: inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull, linear,
        median_unbiased, normal_unbiased, lower, higher, midpoint, nearest.
    keepdims
        Keep the reduced axes, with the size 1.
    weights
        How often each element counts, not negative, with the method inverted_cdf: of the shape of x, or of its reduced axes.
    queue
        Where it is sorted. None: the default device, or the calling thread for few elements.

    Returns
    -------
    numpy.ndarray, NumPy scalar
        Of floating-point elements their type, or of it and that of q together, where q is no number of Python's; else float64.

    Raises
    ------
    InvalidParameterError
        A q that is not from 0 to 1, another method, device memory, no elements, bool or complex numbers, weights of another
        shape or all 0, another `out`.

    Examples
    --------
    >>> sycl.quantile([3.0, 1.0, 4.0, 1.0, 5.0], 0.5)
    np.float64(3.0)
    """
    wanted = parts_of(q, method)
    it, axes = reduced(x, axis)
    if it.dtype.kind == "b":
        raise InvalidParameterError("x: bool has no quantiles between its values; give another type")
    kept = wanted.shape + kept_shape(it.shape, axes, bool(keepdims))
    lines, size = lines_of(it, axes)
    if weights is not None:
        by = lines_of(weights_of(weights, method, it, axis, axes), axes)[0]
        return given_in(it, weighed(lines, by, wanted.reshape(-1), queue), kept, out, queue)
    places = places_of(size, wanted.reshape(-1), method)
    lows = np.floor(places).astype(np.int64).tolist()
    some = _elements_at(lines, size, {*lows, *(min(low + 1, size - 1) for low in lows)}, queue)
    kind = kind_of(lines.dtype, q)
    return given_in(it, np.stack([_between(some, place, method, kind) for place in places], 0), kept, out, queue)


def given_in(it: Operand, found: Any, shape: tuple[int, ...], out: Any, queue: Any) -> Any:
    """The result, in the caller's memory if there is some."""
    if out is None:
        return found.reshape(shape)[()]
    return Call(it, options_of(None, False, None, None, out, queue), shape).give_array(found, found.dtype)


def percentile(
    x: Any, q: Any, axis: Any = None, out: Any = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The percentiles of the elements along axes, as numpy.percentile: `quantile` with hundredths.

    Parameters
    ----------
    x
        As for `quantile`.
    q
        From 0 to 100: a number, or an array of them.
    axis, out, method, keepdims, weights, queue
        As for `quantile`.

    Returns, Raises as for `quantile`.

    Examples
    --------
    >>> sycl.percentile([3.0, 1.0, 4.0, 1.0, 5.0], 50)
    np.float64(3.0)
    """
    return quantile(x, of_hundred(q), axis, out, method=method, keepdims=keepdims, weights=weights, queue=queue)


def of_hundred(q: Any) -> Any:
    """Hundredths as parts."""
    wanted = _up_to(100, q)
    return (
        q / 100
        if type(q) in (int, float)
        else np.true_divide(wanted if np.asarray(q).dtype.kind not in "iuf" else q, 100)
    )


def kind_of(kind: np.dtype[Any], q: Any) -> np.dtype[Any]:
    """Floating-point elements keep theirs beside numbers of Python's; other q have a type of their own."""
    if kind.kind != "f":
        return np.dtype(np.float64)
    return kind if type(q) in (int, float) else np.result_type(kind, np.asarray(q))


def median(
    x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None
) -> Any:  # fmt: skip
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
    it, axes = reduced(x, axis)
    lines, size = lines_of(it, axes)
    middle = range((size - 1) // 2, size // 2 + 1)
    some = _elements_at(lines, size, set(middle), queue)
    found = np.asarray(np.mean(np.stack([some.at(place) for place in middle], -1), -1))
    if lines.dtype.kind == "f":
        last = some.at(size - 1)
        found = np.where(last != last, np.asarray(np.nan, found.dtype), found)
    return given_in(it, found, kept_shape(it.shape, axes, bool(keepdims)), out, queue)


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


def lines_of(it: Operand, axes: tuple[int, ...]) -> tuple[Any, int]:
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
    """The same of one place in each line; of a line with a NaN that."""
    low = int(np.floor(place))
    found = between(some.at(low), some.at(min(low + 1, some.size - 1)), place - low, method, kind)
    if some.values.dtype.kind != "f":
        return found
    last = some.at(some.size - 1)
    return np.where(last != last, last, found)


def between(before: Any, behind: Any, part: Any, method: str, kind: np.dtype[Any]) -> Any:
    """The value at a part of the way between two elements, which is a number of `kind`; as NumPy rounds it."""
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        return before
    part = np.asarray(part, kind)
    if before.dtype.kind != "f":  # whose differences may be larger than the type
        before, behind = np.asarray(before, kind), np.asarray(behind, kind)
    step = behind - before
    return np.where(part < 0.5, before + step * part, behind - step * (1 - part))
