"""Of sorted lines some elements: top_k, partition, median and quantile."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl._algorithms.axes import axes_of, kept_shape
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._algorithms.sort_calls import sort_options, sorted_by
from pysycl._algorithms.sort_keys import as_bits
from pysycl._algorithms.sort_line import By, Sorting
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl.queue import Queue


# -- the first of each line --


class Top(NamedTuple):
    """The first elements of each line, and where they stood."""

    values: Any
    indices: Any


def _pick(call: Sorting, found: Any, k: int, values: Any, indices: Any) -> None:
    """The elements at the first positions of each line, and these."""
    import numpy as np

    plain = call.x.dtype.kind in "biuf"
    source = call.in_lines(as_bits(call.moved) if plain else call.moved)
    seen = _lines(call, values), _lines(call, indices)
    numbers = {"sort_size": np.int64(call.line.size), "picked": np.int64(k)}
    element = source.text.replace("syc_e", "(head + place)")
    call.each(
        "const long head = ({at}) / picked * sort_size; const long place = found[head + ({at}) % picked]; "
        f"y[{{y.at}}] = {element}; places[{{places.at}}] = place;",
        {"y": as_bits(seen[0]) if plain else seen[0], "places": seen[1]}, found=found, **source.arguments, **numbers,
    )  # fmt: skip


def _lines(call: Sorting, result: Any) -> Operand:
    """Memory of fewer elements a line, with the axis as its last dimension."""
    it = operand(result, "out")
    return it if call.options.axis is None else call.last(it)


def top_k(
    x: Any, k: int, axis: Any = -1, *, largest: bool = True, queue: Queue | None = None
) -> Top:  # fmt: skip
    """The k largest elements along an axis, the largest first, and where they stand. Of equal ones the first is taken, and
    NaN last of all.

    Parameters
    ----------
    x
        As for `sort`.
    k
        How many; at most as many as there are along the axis.
    axis
        As for `sort`.
    largest
        False: the smallest ones, the smallest first.
    queue
        As for `sort`.

    Returns
    -------
    Top
        `values` and `indices`, memory of the kind of x.

    Raises
    ------
    InvalidParameterError
        k is negative, or more than there are.

    Notes
    -----
    Beyond SYCL; the lines are sorted as a whole.

    Examples
    --------
    >>> sycl.top_k([3, 1, 4, 1, 5], 2)
    Top(values=array([5, 4]), indices=array([4, 2]))
    """
    import numpy as np

    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    call = Sorting(it, sort_options(axis, None, queue))
    try:
        count = index(k)
    except TypeError:
        raise InvalidParameterError(f"k: expected an int, got {k!r}") from None
    if not 0 <= count <= call.line.size:
        raise InvalidParameterError(f"k: expected 0 to {call.line.size}, which the axis has, got {count}")
    along = call.order[-1] if axis is not None else 0
    shape = tuple(count if d == along else size for d, size in enumerate(call.result_shape))
    values, indices = call.like(shape, it.dtype), call.like(shape, np.dtype(np.int64))
    if not call.is_empty and count:
        found = call.ordered(call.x, By(bool(largest)))
        _pick(call, found, count, values, indices)
    call.ended(values, indices)
    return Top(values, indices)


# -- in order as far as somebody asks --


def partition(
    x: Any, kth: Any, axis: Any = -1, *, out: Any = None, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The elements along an axis, with those at the positions `kth` where they are in sorted order, smaller ones before
    them and others behind, as numpy.partition: they are in order as a whole.

    Parameters
    ----------
    x
        As for `sort`.
    kth
        A position, or several; negative ones count from the end.
    axis, out, queue
        As for `sort`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As for `sort`.

    Raises
    ------
    InvalidParameterError
        A position that the axis has not.

    Examples
    --------
    >>> sycl.partition([3, 1, 2], 1)
    array([1, 2, 3])
    """
    call = Sorting(operand(x, "x"), sort_options(axis, None, queue))
    for each in kth if isinstance(kth, Iterable) else (kth,):
        try:
            place = index(each)
        except TypeError:
            raise InvalidParameterError(f"kth: expected ints, got {each!r}") from None
        size = call.line.size if not call.is_empty else max(call.line.size, 1)  # as NumPy has it
        if not -size <= place < size:
            raise InvalidParameterError(f"kth: {place} is out of bounds for {call.line.size} elements")
    return sorted_by(x, sort_options(axis, out, queue), By())


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
    import numpy as np

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
        Of floating-point numbers their type where q is a number, else float64.

    Raises
    ------
    InvalidParameterError
        A q that is not from 0 to 1, another method, device memory, no elements, bool or complex numbers.

    Examples
    --------
    >>> sycl.quantile([3.0, 1.0, 4.0, 1.0, 5.0], 0.5)
    np.float64(3.0)
    """
    import numpy as np

    if method not in _CONTINUOUS and method not in _OTHERS:
        raise InvalidParameterError(f"method: expected one of {', '.join([*_CONTINUOUS, *_OTHERS])}, got {method!r}")
    wanted = np.asarray(q, np.float64)
    if not np.all((wanted >= 0) & (wanted <= 1)):
        raise InvalidParameterError(f"q: expected numbers from 0 to 1, got {q!r}")
    it, axes = _reduced(x, axis)
    if it.dtype.kind == "b":
        raise InvalidParameterError("x: bool has no quantiles between its values; give another type")
    lines = _lines_of(it, axes, queue)
    places = _places(lines.shape[-1], wanted.reshape(-1), method)
    kind = lines.dtype if isinstance(q, int | float) and lines.dtype.kind == "f" else np.dtype(np.float64)
    found = np.stack([_between(lines, place, method, kind) for place in places], 0)
    kept = kept_shape(it.shape, axes, bool(keepdims))
    return found.reshape(wanted.shape + kept)[()]


def median(x: Any, axis: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The middle element along axes, or the mean of the two, as numpy.median. Of a line with a NaN it is NaN.

    Parameters
    ----------
    x, axis, keepdims, queue
        As for `quantile`.

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
    import numpy as np

    it, axes = _reduced(x, axis)
    lines = _lines_of(it, axes, queue)
    size = lines.shape[-1]
    middle = lines[..., (size - 1) // 2 : size // 2 + 1]
    found = np.asarray(np.mean(middle, -1))
    last = lines[..., -1]
    if lines.dtype.kind == "f":
        found = np.where(last != last, np.asarray(np.nan, found.dtype), found)
    return found.reshape(kept_shape(it.shape, axes, bool(keepdims)))[()]


def _lines_of(it: Operand, axes: tuple[int, ...], queue: Any) -> Any:
    """The elements of the reduced axes in order, as the last dimension of an array."""
    if it.kind != ARRAY:
        raise InvalidParameterError("x: expected a NumPy array; of device memory pass numpy.asarray(x)")
    array = array_of(it)
    kept = [d for d in range(len(it.shape)) if d not in axes]
    count = 1
    for d in axes:
        count *= it.shape[d]
    if array.size == 0:
        raise InvalidParameterError(f"x: no elements, of the shape {it.shape}")
    lines = array.transpose(*kept, *axes).reshape(*(array.shape[d] for d in kept), count)
    return sorted_by(lines, sort_options(-1, None, queue), By())


def _between(lines: Any, place: Any, method: str, kind: np.dtype[Any]) -> Any:
    """What stands at a place, between two elements as far as it says, which is a number of `kind`; as NumPy rounds it."""
    import numpy as np

    low = int(np.floor(place))
    high = min(low + 1, lines.shape[-1] - 1)
    before, behind = lines[..., low], lines[..., high]
    last = lines[..., -1]
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        found = before
    else:
        part = np.asarray(place - low, kind)
        if lines.dtype.kind != "f":  # whose differences may be larger than the type
            before, behind = np.asarray(before, kind), np.asarray(behind, kind)
        step = behind - before
        found = before + step * part if part < 0.5 else behind - step * (1 - part)
    return np.where(last != last, last, found) if lines.dtype.kind == "f" else found
