"""Device-wide reductions: sum, min, any, argmin and their like, with NumPy's meaning, of arrays wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pysycl import _core
from pysycl._algorithms.axes import one_axis
from pysycl._algorithms.call import options_of
from pysycl._reductions.reduce_any import combine
from pysycl._reductions.reduce_passes import both_extremes, extremes, nonzero, position, total, truths
from pysycl.operators import plus

if TYPE_CHECKING:
    from pysycl.queue import Queue

# The core's numbers of what it does on the calling thread, for small arrays.
_SUM, _PROD, _MIN, _MAX, _ANY, _ALL, MEAN, _ARGMIN, _ARGMAX, _NONZERO, VAR, STD, NORM = range(13)

AT_ONCE: Final = {
    "sum": _SUM, "prod": _PROD, "min": _MIN, "max": _MAX, "any": _ANY, "all": _ALL, "argmin": _ARGMIN,
    "argmax": _ARGMAX, "count_nonzero": _NONZERO,
}  # fmt: skip
"""Functions that the core does where a small array is all that they are given."""


def reduce(
    x: Any, op: Any = plus, *, axis: Any = None, keepdims: bool = False, dtype: Any = None, initial: Any = None,
    where: Any = None, map: str | None = None, out: Any = None, queue: Queue | None = None, determinism: str = "any",
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """All elements of an array combined by an operator, or those along some axes.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array or scalar. A Buffer or a UsmArray: the
        result is one, too, and is there when the commands that make it have ended. Views with any strides are read
        where they are.
    op
        A function object: `plus`, `multiplies`, `minimum`, `maximum`, `logical_and` and `logical_or` mean what NumPy's
        `add.reduce` and its like do. Or a BinaryOp, or its text in `a` and `b`, for numbers and structs: it must be
        associative, and commutative, since the order of elements is not kept.
    axis
        None: all. An int or a tuple: these axes.
    keepdims
        The reduced axes stay in the result's shape, with size 1.
    dtype
        Of the result, and of what is combined. None: as NumPy, which makes integers of sums and products 64 bits wide, or
        has the type of `out`, if that is given and of the same kind.
    initial
        A value that is combined with the result.
    where
        An array of bool that can be broadcast to x: only the elements where it is True count.
    map
        OpenCL C in `x`, an element, of which the value is combined in its place: `map="x * x"`.
    out
        Where the result goes, whatever x is: memory of the result's shape. What has its memory by a protocol (DLPack and
        the like) is written, and an array over it returned.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.
    determinism
        "run_to_run": the same input gives the same floating-point result each time; "any": not promised.
    accuracy
        Of sums of floating-point numbers: "fast", "pairwise", "compensated" or "exact".

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        As x is, or `out`. A Buffer of a single value has the shape (1,).

    Raises
    ------
    InvalidParameterError
        What was given does not go together; the message names it.
    FeatureNotSupportedError
        The device lacks the type, or the accuracy.

    Notes
    -----
    Beyond SYCL; made of its reductions, 4.9.2.

    Examples
    --------
    >>> sycl.reduce([3, 1, 4, 1, 5], sycl.maximum)
    np.int64(5)
    >>> sycl.reduce([[1, 2], [3, 4]], "a * b", axis=0, initial=1)
    array([3, 8])
    >>> sycl.reduce([1.0, -2.0, 3.0], map="fabs(x)")
    np.float64(6.0)
    """
    return combine(x, op, options_of(axis, keepdims, where, map, out, queue, accuracy, determinism), dtype, initial)


def sum(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, *, map: str | None = None, queue: Queue | None = None, determinism: str = "any",
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The sum, as numpy.sum: integers are added with 64 bits.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.sum([[1, 2, 3], [4, 5, 6]])
    np.int64(21)
    >>> sycl.sum([[1, 2, 3], [4, 5, 6]], axis=1)
    array([ 6, 15])
    >>> sycl.sum(np.ones(1000, np.float32), map="x * 0.5f")
    np.float32(500.0)
    """
    if (
        map is dtype is out is initial is where is queue is None
        and accuracy == "fast" and determinism == "any"
    ):  # fmt: skip
        found = _core.host_reduce(x, _SUM, axis, 0, keepdims)
        if found is not None:
            return found
    options = options_of(axis, keepdims, where, map, out, queue, accuracy, determinism)
    return total(x, options, dtype, initial, product=False)


def prod(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, *, map: str | None = None, queue: Queue | None = None, determinism: str = "any",
) -> Any:  # fmt: skip
    """The product, as numpy.prod: integers are multiplied with 64 bits.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.prod([1, 2, 3, 4])
    np.int64(24)
    """
    if map is dtype is out is initial is where is queue is None and determinism == "any":
        found = _core.host_reduce(x, _PROD, axis, 0, keepdims)
        if found is not None:
            return found
    options = options_of(axis, keepdims, where, map, out, queue, "fast", determinism)
    return total(x, options, dtype, initial, product=True)


def min(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None, *,
    map: str | None = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The smallest element, as numpy.min: NaN if there is one.

    Parameters, Returns as for `reduce`.

    Raises
    ------
    InvalidParameterError
        There are no elements, or with `where` perhaps none, and no `initial`; or as for `reduce`.

    Examples
    --------
    >>> sycl.min([3, 1, 4])
    np.int64(1)
    >>> sycl.min([[3, 1], [4, 1]], axis=1)
    array([1, 1])
    """
    if map is out is initial is where is queue is None:
        found = _core.host_reduce(x, _MIN, axis, 0, keepdims)
        if found is not None:
            return found
    return extremes(x, options_of(axis, keepdims, where, map, out, queue), initial, least=True)


def max(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None, *,
    map: str | None = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The greatest element, as numpy.max: NaN if there is one.

    Parameters, Returns, Raises as for `min`.

    Examples
    --------
    >>> sycl.max([3, 1, 4])
    np.int64(4)
    >>> sycl.max([3.0, -5.0], map="fabs(x)")
    np.float64(5.0)
    """
    if map is out is initial is where is queue is None:
        found = _core.host_reduce(x, _MAX, axis, 0, keepdims)
        if found is not None:
            return found
    return extremes(x, options_of(axis, keepdims, where, map, out, queue), initial, least=False)


def minmax(
    x: Any, axis: Any = None, keepdims: bool = False, *, map: str | None = None, queue: Queue | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The smallest and the greatest element, in one pass over the memory.

    Parameters as for `reduce`.

    Returns
    -------
    tuple
        The results of `min` and of `max`.

    Raises
    ------
    InvalidParameterError
        There are no elements; or as for `reduce`.

    Examples
    --------
    >>> sycl.minmax([3, 1, 4])
    (np.int64(1), np.int64(4))
    """
    if map is None and queue is None:
        least = _core.host_reduce(x, _MIN, axis, 0, keepdims)
        if least is not None:
            return least, _core.host_reduce(x, _MAX, axis, 0, keepdims)
    return both_extremes(x, options_of(axis, keepdims, None, map, None, queue))


def any(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None, map: str | None = None,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """Whether an element is not 0, as numpy.any.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.any([3, 1, 4], map="x > 3")
    np.True_
    """
    if map is out is where is queue is None:
        found = _core.host_reduce(x, _ANY, axis, 0, keepdims)
        if found is not None:
            return found
    return truths(x, options_of(axis, keepdims, where, map, out, queue), every=False)


def all(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None, map: str | None = None,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """Whether no element is 0, as numpy.all.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.all([[1, 0], [1, 1]], axis=1)
    array([False,  True])
    """
    if map is out is where is queue is None:
        found = _core.host_reduce(x, _ALL, axis, 0, keepdims)
        if found is not None:
            return found
    return truths(x, options_of(axis, keepdims, where, map, out, queue), every=True)


def count_nonzero(
    x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, map: str | None = None, out: Any = None,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """How many elements are not 0, as numpy.count_nonzero.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.count_nonzero([0, 7, 0, 9])
    np.int64(2)
    >>> sycl.count_nonzero([3, 1, 4], map="x > 2")
    np.int64(2)
    """
    if map is out is where is queue is None:
        found = _core.host_reduce(x, _NONZERO, axis, 0, keepdims)
        if found is not None:
            return found
    return nonzero(x, options_of(axis, keepdims, where, map, out, queue))


def argmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The index of the smallest element, as numpy.argmin: the first of equals, or the first NaN. Over all axes it is that
    of the flattened array.

    Parameters
    ----------
    x
        As for `reduce`.
    axis
        None: the flattened array. An int: along this axis.
    out, keepdims, queue
        As for `reduce`.

    Returns as for `reduce`.

    Raises
    ------
    InvalidParameterError
        There are no elements, or several axes are given; or as for `reduce`.

    Examples
    --------
    >>> sycl.argmin([3, 1, 4, 1])
    np.int64(1)
    """
    if axis is not None:
        one_axis(axis)
    if out is queue is None:
        found = _core.host_reduce(x, _ARGMIN, axis, 0, keepdims)
        if found is not None:
            return found
    return position(x, options_of(axis, keepdims, None, None, out, queue), least=True)


def argmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The index of the greatest element, as numpy.argmax: the first of equals, or the first NaN. Over all axes it is that
    of the flattened array.

    Parameters, Returns, Raises as for `argmin`.

    Examples
    --------
    >>> sycl.argmax([[3, 1, 4], [1, 5, 9]], axis=1)
    array([2, 2])
    """
    if axis is not None:
        one_axis(axis)
    if out is queue is None:
        found = _core.host_reduce(x, _ARGMAX, axis, 0, keepdims)
        if found is not None:
            return found
    return position(x, options_of(axis, keepdims, None, None, out, queue), least=False)
