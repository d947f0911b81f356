"""Reductions in which NaN is no element: nansum, nanmean, nanmin, nanmax, nanargmin, nanargmax, nanprod, nanvar and nanstd,
as NumPy has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import one_axis
from pysycl._algorithms.call import Options, options_of
from pysycl._reductions.reduce_moments import mean, variance
from pysycl._reductions.reduce_passes import extremes, position, total

if TYPE_CHECKING:
    from pysycl.queue import Queue


def _options(
    axis: Any, keepdims: bool, where: Any, out: Any, queue: Any, accuracy: str = "fast", determinism: str = "any"
) -> Options:
    return options_of(axis, keepdims, where, None, out, queue, accuracy, determinism)._replace(skips_nan=True)


def nansum(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, *, queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The sum of the elements that are not NaN, as numpy.nansum.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.nansum([1.0, np.nan, 4.0])
    np.float64(5.0)
    """
    return total(x, _options(axis, keepdims, where, out, queue, accuracy, determinism), dtype, initial, product=False)


def nanprod(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = None, *, queue: Queue | None = None, determinism: str = "any",
) -> Any:  # fmt: skip
    """The product of the elements that are not NaN, as numpy.nanprod.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.nanprod([2.0, np.nan, 4.0])
    np.float64(8.0)
    """
    return total(x, _options(axis, keepdims, where, out, queue, "fast", determinism), dtype, initial, product=True)


def nanmean(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None,
    queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The mean of the elements that are not NaN, as numpy.nanmean.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.nanmean([[1.0, np.nan], [4.0, 6.0]], axis=0)
    array([2.5, 6. ])
    """
    return mean(x, _options(axis, keepdims, where, out, queue, accuracy, determinism), dtype)


def nanmin(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None, *,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The smallest of the elements that are not NaN, as numpy.nanmin: NaN if all are.

    Parameters, Returns, Raises as for `min`.

    Examples
    --------
    >>> sycl.nanmin([3.0, np.nan, 1.0])
    np.float64(1.0)
    """
    return extremes(x, _options(axis, keepdims, where, out, queue), initial, least=True)


def nanmax(
    x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None, *,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The greatest of the elements that are not NaN, as numpy.nanmax: NaN if all are.

    Parameters, Returns, Raises as for `min`.

    Examples
    --------
    >>> sycl.nanmax([3.0, np.nan, 1.0])
    np.float64(3.0)
    """
    return extremes(x, _options(axis, keepdims, where, out, queue), initial, least=False)


def nanargmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The index of the smallest of the elements that are not NaN, as numpy.nanargmin: the first of equals. Over all axes it
    is that of the flattened array.

    Parameters as for `argmin`.

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        As x is, or `out`. Of device memory it is -1 where there is nothing but NaN.

    Raises
    ------
    InvalidParameterError
        Of a NumPy array: nothing but NaN; or as for `argmin`.

    Examples
    --------
    >>> sycl.nanargmin([[np.nan, 3.0, 1.0], [4.0, np.nan, 9.0]], axis=1)
    array([2, 0])
    """
    one_axis(axis)
    return position(x, _options(axis, keepdims, None, out, queue), least=True)


def nanargmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None) -> Any:
    """The index of the greatest of the elements that are not NaN, as numpy.nanargmax: the first of equals. Over all axes it
    is that of the flattened array.

    Parameters, Returns, Raises as for `nanargmin`.

    Examples
    --------
    >>> sycl.nanargmax([3.0, np.nan, 5.0, 5.0])
    np.int64(2)
    """
    one_axis(axis)
    return position(x, _options(axis, keepdims, None, out, queue), least=False)


def nanvar(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = None, queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The variance of the elements that are not NaN, as numpy.nanvar.

    Parameters, Returns, Raises as for `var`.

    Examples
    --------
    >>> sycl.nanvar([1.0, np.nan, 3.0])
    np.float64(1.0)
    """
    return variance(x, _options(axis, keepdims, where, out, queue, accuracy, determinism), dtype, ddof, root=False)


def nanstd(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = None, queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The standard deviation of the elements that are not NaN, as numpy.nanstd: the root of `nanvar`.

    Parameters, Returns, Raises as for `var`.

    Examples
    --------
    >>> sycl.nanstd([1.0, np.nan, 5.0])
    np.float64(2.0)
    """
    return variance(x, _options(axis, keepdims, where, out, queue, accuracy, determinism), dtype, ddof, root=True)
