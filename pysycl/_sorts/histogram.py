"""histogram, histogram2d and bincount, as NumPy has them: elements that are counted, or their weights
added, in bins."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.body_text import stored
from pysycl._algorithms.call import Options, call_again, options_of
from pysycl._algorithms.kinds import cast
from pysycl._algorithms.operand import ARRAY, BUFFER, Operand, array_of, operand
from pysycl._algorithms.transform import Elementwise
from pysycl._reductions.reduce_calls import minmax
from pysycl._reductions.reduce_calls import sum as sum_of
from pysycl._sorts.bins import (
    Binned,
    Edges,
    added_by_team,
    added_type,
    by_values,
    checked_weights,
    flat,
    is_added_by_team,
    is_by_team,
    weights_of,
)  # fmt: skip
from pysycl._sorts.edges import as_array, check_range, checked_edges, edges_of, edges_of_two, elements_of, refused
from pysycl._sorts.sort_host import is_little
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue

# NumPy arrays of fewer elements are NumPy's own work; of more where bins are uneven, or where elements name their bins.
_FEW: Final = 1 << 12
_FEW_NAMED: Final = 1 << 16
_FEW_COUNTED: Final = 1 << 18
# Values of elements, and so many for each of these, of which each part of a team has tables: of more they are too large.
_MOST_VALUES: Final = 1 << 14
_FOR_EACH: Final = 1 / 16


def histogram(
    x: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None, *,
    queue: Queue | None = None, accuracy: str = "fast", determinism: str = "any",
) -> tuple[Any, Array]:  # fmt: skip
    """How many elements are in each bin, and the bins' edges, as numpy.histogram: a bin has its lower edge, and the last
    one its upper edge, too.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the counts are a NumPy array. A Buffer or a UsmArray: the counts are
        one. The edges are a NumPy array. Without `range` the least and the greatest element are waited for.
    bins
        How many, of equal width; or the edges, ascending; or, of NumPy arrays, the name of a rule that
        numpy.histogram_bin_edges has.
    range
        The lowest and the highest edge. None: the least and the greatest element. Elements outside, and NaN, are in no bin.
    density
        The counts as a density, whose integral over the bins is 1.
    weights
        Of each element, which are added in place of ones: integers exactly, others as float64, where the device has that.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.
    accuracy, determinism
        Of weights that are added; see `reduce`.

    Returns
    -------
    counts : numpy.ndarray, Buffer, UsmArray
        As x is: of int64, of the weights' type, or of float64 as a density.
    edges : numpy.ndarray
        One more than there are bins.

    Raises
    ------
    InvalidParameterError
        Elements that are no real numbers, weights of another shape, edges that are NaN or descend, a range that is not
        finite, as the range of elements with a NaN is.

    Notes
    -----
    Beyond SYCL; made of its reductions into arrays, 4.9.2.

    Examples
    --------
    >>> sycl.histogram([1, 2, 1, 4, 3], bins=3)
    (array([2, 1, 2]), array([1., 2., 3., 4.]))
    >>> sycl.histogram([0.5, 1.5, 1.0, 7.0], bins=[0, 1, 2], weights=[1.0, 2.0, 4.0, 8.0])
    (array([1., 6.]), array([0, 1, 2]))
    """
    options = options_of(None, False, None, None, None, queue, accuracy, determinism)
    it = elements_of(x, "x")
    if weights is None and not density and type(bins) is int and type(range) is tuple:
        key = "histogram", bins, *range, *map(type, range)
        found: tuple[Any, Array] = call_again(
            key, (x,), options, lambda: _counted(x, it, bins, range, density, weights, options)
        )
        return found
    return _counted(x, it, bins, range, density, weights, options)


def _counted(
    x: Any, it: Operand, bins: Any, range: Any, density: bool | None, weights: Any, options: Options
) -> tuple[Any, Array]:  # fmt: skip
    """The same, of options."""
    by = None if weights is None else operand(weights, "weights")
    if by is not None and by.dtype.kind == "c" and it.kind == by.kind == ARRAY:
        return _of_complex(x, it, bins, range, density, array_of(by), options)
    by = None if by is None else checked_weights(by, it)
    bins = checked_edges(bins)
    check_range(range)
    exact = by is not None and by.dtype.kind in "iu"  # which NumPy adds as floats
    if not exact and is_little(it, options.queue, _FEW if np.ndim(bins) == 0 else _FEW_NAMED):
        try:
            return np.histogram(as_array(it), bins, range, density, None if by is None else array_of(by))
        except (ValueError, TypeError) as error:
            raise refused(range, error) from None
    edges, even = edges_of(x, it, bins, range, options.queue)
    call = Binned(flat(it), options)
    found = Edges(call, edges, it.dtype, even)
    acc = added_type(call, by)
    where, numbers = call.x, found.arguments
    if is_by_team(call, acc):
        memory = found.added_by_team(as_array(call.x), by)
        return _finished(
            call, memory, np.dtype(np.int64) if by is None else by.dtype, np.diff(edges) if density else None
        ), edges
    if not found.is_even:
        where, numbers = _places(call, found), {}
    text = found.text if found.is_even else "{x}"
    lines = found.lines if found.is_even else ""
    statement = f"{lines}const {found.index} k = {text}; if (k >= 0) {{{{ r[k] += {_term(by, acc)}; }}}}"
    result = np.dtype(np.int64) if by is None else by.dtype
    memory = call.added(statement, acc, found.bins, _operands(x=where, w=by), result=result, **numbers)
    return _finished(call, memory, result, np.diff(edges) if density else None), edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None, *,
    queue: Queue | None = None, accuracy: str = "fast", determinism: str = "any",
) -> tuple[Any, Array, Array]:  # fmt: skip
    """How many points are in each bin of a grid, and the edges along x and y, as numpy.histogram2d: counts are float64.

    Parameters
    ----------
    x, y
        The points' coordinates, as many of each; as for `histogram`, and of device memory the counts are one-dimensional
        where that is a Buffer's.
    bins
        How many along both, or a pair of these, or edges along both, or a pair of these.
    range
        The lowest and the highest edge, along x and along y.
    density, weights, queue, accuracy, determinism
        As for `histogram`.

    Returns
    -------
    counts : numpy.ndarray, Buffer, UsmArray
        As x is, of float64; of a NumPy array or a UsmArray with a row for each bin along x.
    xedges, yedges : numpy.ndarray
        The edges along x and along y.

    Raises
    ------
    InvalidParameterError
        Coordinates of several shapes or kinds of memory; or as for `histogram`.

    Examples
    --------
    >>> sycl.histogram2d([0, 0, 1], [0, 1, 1], bins=2)[0]
    array([[1., 1.],
           [0., 1.]])
    """
    options = options_of(None, False, None, None, None, queue, accuracy, determinism)
    across, down = elements_of(x, "x"), elements_of(y, "y")
    if across.shape != down.shape or len(across.shape) != 1:
        raise InvalidParameterError(f"y: expected as many as of x, in one dimension: {across.shape} and {down.shape}")
    if across.kind != down.kind:
        raise InvalidParameterError("y: expected memory of the kind of x")
    by = None if weights is None else weights_of(weights, across)
    call = Binned(across, options)
    edges, even = edges_of_two((x, y), (across, down), bins, range, options.queue)
    given = np.result_type(across.dtype, down.dtype)
    rows, columns = (Edges(call, edges[k], given, even[k], "xy"[k]) for k in (0, 1))
    acc = added_type(call, by)
    statement = (
        f"{rows.lines}{columns.lines}const long row = {rows.text}, column = {columns.text}; "
        f"if (row >= 0 && column >= 0) {{{{ r[row * y_bins + column] += {_term(by, acc)}; }}}}"
    )
    numbers = {**rows.arguments, **columns.arguments}
    memory = call.added(
        statement,
        acc,
        rows.bins * columns.bins,
        _operands(x=across, y=down, w=by),
        result=np.dtype(np.float64),
        **numbers,
    )
    widths = np.multiply.outer(np.diff(edges[0]), np.diff(edges[1])).reshape(-1) if density else None
    result = _finished(call, memory, np.dtype(np.float64), widths)
    return (result.reshape(rows.bins, columns.bins) if call.x.kind != BUFFER else result), *edges


def bincount(
    x: Any, /, weights: Any = None, minlength: int = 0, *, queue: Queue | None = None, accuracy: str = "fast",
    determinism: str = "any",
) -> Any:  # fmt: skip
    """How often each of the integers from 0 on occurs, or the sum of its elements' weights, as numpy.bincount.

    Parameters
    ----------
    x
        Integers that are not negative, of one dimension: a NumPy array, or what NumPy makes one of, and the result is a
        NumPy array; a Buffer or a UsmArray, and the result is one. The greatest says how long the result is, so it is
        waited for. Of uint64 as a NumPy array only.
    weights
        Of each element, added as float64.
    minlength
        The least length of the result.
    queue, accuracy, determinism
        As for `histogram`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is: of int64, with weights of float64.

    Raises
    ------
    InvalidParameterError
        A negative element, another type or shape, weights of another shape.

    Notes
    -----
    Beyond SYCL; made of its reductions into arrays, 4.9.2.

    Examples
    --------
    >>> sycl.bincount([0, 1, 1, 3])
    array([1, 2, 0, 1])
    >>> sycl.bincount([0, 1, 1], weights=[0.5, 1.0, 2.0], minlength=4)
    array([0.5, 3. , 0. , 0. ])
    """
    options = options_of(None, False, None, None, None, queue, accuracy, determinism)
    it = operand(np.asarray(x, np.int64) if isinstance(x, list | tuple) and len(x) == 0 else x, "x")
    if it.kind == ARRAY and it.dtype == np.uint64:
        x = _signed(array_of(it))
        it = operand(x, "x")
    if it.dtype.kind not in "biu" or not np.can_cast(it.dtype, np.int64):
        raise InvalidParameterError(f"x: expected integers that int64 has all of, got {it.dtype}")
    if len(it.shape) != 1:
        raise InvalidParameterError(f"x: expected one dimension, got the shape {it.shape}")
    least = _length(minlength)
    by = None if weights is None else weights_of(weights, it)
    result = np.dtype(np.int64 if by is None else np.float64)
    call = Binned(it, options)
    if is_little(it, options.queue, _FEW_COUNTED):
        try:
            return np.bincount(array_of(it), None if by is None else array_of(by), least)
        except ValueError:
            _check_least(array_of(it).min())
            raise
    acc = call.counting if by is None else np.dtype(np.float64)
    if by is None and it.kind == ARRAY and it.dtype.itemsize <= 2 and call.count >= 4 << 8 * it.dtype.itemsize:
        return _all_values(call, acc, least)
    if (found := _of_few_values(call, by, acc, least)) is not None:
        return found
    length = least
    if call.count:
        low, high = (int(value.item()) for value in minmax(x, queue=queue))
        _check_least(low)
        length = max(high + 1, least)
    memory = call.added(f"r[{{x}}] += {_term(by, acc)};", acc, length, _operands(x=it, w=by), result=result)
    return _finished(call, memory, result, None)


def _signed(array: Array) -> Array:
    """Integers of 64 bits, if none needs the highest."""
    if array.size and int(array.max()) >= 2**63:
        raise InvalidParameterError(f"x: {array.max()} is more than int64 has, and memory")
    return array.view(np.int64)


def _check_least(low: int) -> None:
    if low < 0:
        raise InvalidParameterError(f"x: expected no negative elements, and there is {low}")


def _of_few_values(call: Binned, weights: Operand | None, acc: np.dtype[Any], least: int) -> Array | None:
    """By the calling thread and its team in one pass, which finds the least and the greatest, too."""
    if weights is not None and not is_added_by_team(call, weights, acc):
        return None
    valued = by_values(call, _MOST_VALUES, _FOR_EACH, weights)
    if valued is None:
        return None
    _check_least(valued.low)
    found = valued.counts if valued.sums is None else valued.sums
    result = np.zeros(max(valued.low + found.size, least), found.dtype)
    result[valued.low : valued.low + found.size] = found
    return result


def _all_values(call: Binned, acc: np.dtype[Any], least: int) -> Any:
    """Of a type that has few values all are counted, so that nobody looks for the greatest before."""
    kind = call.x.dtype
    below = 1 << 8 * kind.itemsize - 1 if kind.kind == "i" else 0
    values = 2 if kind.kind == "b" else 1 << 8 * kind.itemsize
    if is_by_team(call, acc):
        found = added_by_team(array_of(call.x), values, None, -below)
    else:
        statement = f"r[{{x}} + {below}] += 1;" if below else "r[{x}] += 1;"
        found = call.added(statement, acc, values, {"x": call.x})
    if np.any(found[:below]):
        _check_least(int(np.flatnonzero(found)[0]) - below)
    found = found[below:]
    length = int(np.flatnonzero(found)[-1]) + 1
    result = np.zeros(max(length, least), np.int64)
    result[:length] = found[:length]
    return result


# -- what is asked --


def _length(minlength: Any) -> int:
    try:
        least = index(minlength)
    except TypeError:
        raise InvalidParameterError(f"minlength: expected an int, got {minlength!r}") from None
    if least < 0:
        raise InvalidParameterError(f"minlength: expected an int that is not negative, got {least}")
    return least


def _operands(**operands: Operand | None) -> dict[str, Operand | None]:
    return {name: it for name, it in operands.items() if it is not None}


def _term(by: Operand | None, acc: np.dtype[Any]) -> str:
    return "1" if by is None else cast("{w}", by.dtype, acc)


def _places(call: Binned, edges: Edges) -> Operand:
    """The bin of each element, by a pass of its own: searches are several at a time there, as additions into variables
    are not. Intel 2026.2, 2^23 doubles in 99 bins: a twentieth of the time."""
    dtype = np.dtype(np.int32 if edges.index == "int" else np.int64)
    search = Elementwise(call.x, call.options, call.x.shape)
    store = stored("out_at", "{out_at.at}", edges.text, dtype)
    found = search.apply(store, dtype, {"x": call.x}, **edges.arguments)
    call.event = search.event
    return operand(found, "x")


# -- results --


def _finished(call: Binned, memory: Any, result: np.dtype[Any], widths: Array | None) -> Any:
    """What was added, as the result's type, or as a density."""
    found = call.as_type(memory, result)
    if widths is None:
        call.ended(found)
        return found
    if call.x.kind == ARRAY:
        return found / np.asarray(widths, np.float64) / found.sum()
    call.ended(found)
    total = sum_of(found, queue=call.options.queue).item()
    into = call.like(found.shape, np.dtype(np.float64))
    numbers = {"y": into, "r": found, "width": call.put(np.asarray(widths, np.float64)), "total": np.float64(total)}
    call.run(found.size, "y[i] = r[i] / width[i] / total;", numbers)
    call.ended(into)
    return into


def _of_complex(
    x: Any, it: Operand, bins: Any, range: Any, density: Any, weights: Array, options: Options
) -> tuple[Any, Array]:  # fmt: skip
    """Of complex weights: the parts by themselves."""
    real, edges = _counted(x, it, bins, range, None, weights.real, options)
    imaginary, _ = _counted(x, it, edges, None, None, weights.imag, options)
    found = np.empty(real.shape, weights.dtype)
    found.real, found.imag = real, imaginary
    return (found / np.diff(edges) / found.sum() if density else found), edges
