"""Device-wide scans: cumsum, cumprod and their like, with NumPy's meaning, of arrays wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import options_of
from pysycl._data.host_memory import as_dtype
from pysycl._scans.scan_any import scan_by
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, maximum, minimum, multiplies, plus

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl.queue import Queue

# The core's numbers of what it does on the calling thread, for small arrays.
_ON_HOST: Final = {
    "plus": 0, "multiplies": 1, "minimum": 2, "maximum": 3, "bit_and": 4, "bit_or": 5, "bit_xor": 6,
}  # fmt: skip
SCANS_AT_ONCE: Final = {"cumsum": 0, "cumprod": 1, "cummin": 2, "cummax": 3}
"""Functions that the core does where a small array is all that they are given."""

_EXTREMES: Final = (2, 3)  # which have no other type than the elements'


def scan_options(
    axis: Any, map: Any, out: Any, queue: Any, accuracy: str = "fast", determinism: str = "any"
) -> Options:
    """The options of a scan."""
    if isinstance(accuracy, str) and accuracy == "pairwise":
        raise InvalidParameterError("accuracy: of a scan expected one of fast, compensated, exact, got 'pairwise'")
    return options_of(axis, False, None, map, out, queue, accuracy, determinism)


def _scan(
    x: Any, op: Any, axis: Any, dtype: Any, out: Any, initial: Any, map: Any, queue: Any, accuracy: str,
    determinism: str, *, exclusive: bool = False, reverse: bool = False, segments: Any = None,
) -> Any:  # fmt: skip
    """A scan: of few elements on the calling thread, which is asked first."""
    if (
        map is segments is queue is None and accuracy == "fast" and determinism == "any"
        and isinstance(op, FunctionObject) and op.dtype is None
    ):  # fmt: skip
        number = _ON_HOST.get(op.name)
        found = None
        if number is not None and (dtype is None or number not in _EXTREMES):
            kind = as_dtype(dtype) if isinstance(dtype, str) else dtype
            found = _core.host_scan(x, number, axis, kind, out, exclusive, reverse, initial)
        if found is not None:
            return found
    options = scan_options(axis, map, out, queue, accuracy, determinism)
    return scan_by(x, op, options, dtype, initial, exclusive=exclusive, reverse=reverse, segments=segments)


def inclusive_scan(
    x: Any, op: Any = plus, *, axis: Any = None, initial: Any = None, map: str | None = None, segments: Any = None,
    reverse: bool = False, dtype: Any = None, out: Any = None, queue: Queue | None = None, accuracy: str = "fast",
    determinism: str = "any",
) -> Any:  # fmt: skip
    """Each element combined with all that stand before it: the running sum, maximum, or whatever an operator gives.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is one,
        too, and is there when the commands that make it have ended. Views with any strides are read where they are.
    op
        A function object: `plus`, `multiplies`, `minimum`, `maximum`, `logical_and` and `logical_or` mean what NumPy's
        `add.accumulate` and its like do. Or a BinaryOp, or its text in `a` and `b`, for numbers and structs: it must be
        associative, and need not be commutative, nor have an identity.
    axis
        None: the flattened array, and a result of one dimension. An int: along this axis.
    initial
        A value that stands before the first element, of each segment.
    map
        OpenCL C in `x`, an element, of which the value is combined in its place: `map="x * x"`.
    segments
        Where the scan begins anew: an array of bool that is True at the first element of each segment; or keys, as many
        as elements along the axis, of which neighbours differ there; or offsets, integers from the first segment's
        beginning to the last one's end. `("flags", a)`, `("keys", a)` and `("offsets", a)` say which of them it is.
    reverse
        From the last element to the first.
    dtype
        Of the result, and of what is combined. None: as NumPy, which makes integers of sums and products 64 bits wide, or
        has the type of `out`, if that is given and of the same kind.
    out
        Where the result goes, whatever x is; it may be x itself.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.
    accuracy
        Of sums of floating-point numbers: "fast", "compensated" or "exact".
    determinism
        "run_to_run": the same input gives the same floating-point result each time; "any": not promised.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is, or `out`.

    Raises
    ------
    InvalidParameterError
        What was given does not go together; the message names it.
    FeatureNotSupportedError
        The device lacks the type, or the accuracy.

    Notes
    -----
    Beyond SYCL; made of `parallel_scan`.

    Examples
    --------
    >>> sycl.inclusive_scan([3, 1, 4, 1, 5], sycl.maximum)
    array([3, 3, 4, 4, 5])
    >>> sycl.inclusive_scan([1, 1, 1, 1, 1], segments=[True, False, False, True, False])
    array([1, 2, 3, 1, 2])
    """
    return _scan(
        x, op, axis, dtype, out, initial, map, queue, accuracy, determinism, reverse=reverse, segments=segments
    )  # fmt: skip


def exclusive_scan(
    x: Any, op: Any = plus, *, axis: Any = None, initial: Any = None, map: str | None = None, segments: Any = None,
    reverse: bool = False, dtype: Any = None, out: Any = None, queue: Queue | None = None, accuracy: str = "fast",
    determinism: str = "any",
) -> Any:  # fmt: skip
    """What stands before each element, combined: at the first `initial`, or the operator's identity.

    Parameters, Returns, Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.exclusive_scan([3, 1, 4, 1, 5])
    array([0, 3, 4, 8, 9])
    """
    return _scan(
        x, op, axis, dtype, out, initial, map, queue, accuracy, determinism, exclusive=True, reverse=reverse,
        segments=segments,
    )  # fmt: skip


def cumsum(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, map: str | None = None, reverse: bool = False,
    queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The sums so far, as numpy.cumsum: integers are added with 64 bits.

    Parameters, Returns, Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.cumsum([[1, 2, 3], [4, 5, 6]])
    array([ 1,  3,  6, 10, 15, 21])
    >>> sycl.cumsum([[1, 2, 3], [4, 5, 6]], axis=0)
    array([[1, 2, 3],
           [5, 7, 9]])
    """
    return _scan(x, plus, axis, dtype, out, None, map, queue, accuracy, determinism, reverse=reverse)


def cumprod(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, map: str | None = None, reverse: bool = False,
    queue: Queue | None = None, determinism: str = "any",
) -> Any:  # fmt: skip
    """The products so far, as numpy.cumprod.

    Parameters, Returns, Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.cumprod([1, 2, 3, 4])
    array([ 1,  2,  6, 24])
    """
    return _scan(x, multiplies, axis, dtype, out, None, map, queue, "fast", determinism, reverse=reverse)


def cummin(
    x: Any, axis: Any = None, out: Any = None, *, map: str | None = None, reverse: bool = False,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The smallest elements so far, as numpy.minimum.accumulate, but of the flattened array where there is no axis: NaN
    from the first one on.

    Parameters, Returns, Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.cummin([3, 1, 4, 1, 5])
    array([3, 1, 1, 1, 1])
    """
    return _scan(x, minimum, axis, None, out, None, map, queue, "fast", "any", reverse=reverse)


def cummax(
    x: Any, axis: Any = None, out: Any = None, *, map: str | None = None, reverse: bool = False,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The greatest elements so far, as numpy.maximum.accumulate, but of the flattened array where there is no axis: NaN
    from the first one on.

    Parameters, Returns, Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.cummax([3, 1, 4, 1, 5])
    array([3, 3, 4, 4, 5])
    """
    return _scan(x, maximum, axis, None, out, None, map, queue, "fast", "any", reverse=reverse)


def _the_axis(x: Any, axis: Any) -> Any:
    """As the Python array API standard has it: of arrays of several dimensions the axis must be said."""
    if axis is None:
        shape = x.shape if hasattr(x, "shape") else _shape_of(x)
        if len(shape) > 1:
            raise InvalidParameterError("axis: for arrays which have more than one dimension it is required")
    return axis


def _shape_of(x: Any) -> tuple[int, ...]:
    return np.shape(x)


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False,
    queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The sums so far, as the array API standard and numpy.cumulative_sum have them.

    Parameters
    ----------
    x
        As for `inclusive_scan`.
    axis
        An int: along this axis. None: only of arrays of one dimension.
    dtype, out
        As for `inclusive_scan`.
    include_initial
        The result begins with a 0, and has one element more.
    queue, determinism, accuracy
        As for `inclusive_scan`.

    Returns as for `inclusive_scan`.

    Raises
    ------
    InvalidParameterError
        An array of several dimensions without an axis; or as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """
    axis = _the_axis(x, axis)
    if include_initial:
        return scan_by(x, plus, scan_options(axis, None, out, queue, accuracy, determinism), dtype, extended=True)
    return _scan(x, plus, axis, dtype, out, None, None, queue, accuracy, determinism)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False,
    queue: Queue | None = None, determinism: str = "any",
) -> Any:  # fmt: skip
    """The products so far, as the array API standard and numpy.cumulative_prod have them.

    Parameters
    ----------
    x
        As for `inclusive_scan`.
    axis
        As for `cumulative_sum`.
    dtype, out
        As for `inclusive_scan`.
    include_initial
        The result begins with a 1, and has one element more.
    queue, determinism
        As for `inclusive_scan`.

    Returns, Raises as for `cumulative_sum`.

    Examples
    --------
    >>> sycl.cumulative_prod([1, 2, 3, 4], include_initial=True)
    array([ 1,  1,  2,  6, 24])
    """
    axis = _the_axis(x, axis)
    if include_initial:
        return scan_by(x, multiplies, scan_options(axis, None, out, queue, "fast", determinism), dtype, extended=True)
    return _scan(x, multiplies, axis, dtype, out, None, None, queue, "fast", determinism)
