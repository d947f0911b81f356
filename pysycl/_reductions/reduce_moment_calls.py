"""Device-wide moments: mean, var, std, dot and norm, with NumPy's meaning, of arrays wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._algorithms.call import options_of
from pysycl._reductions.reduce_calls import MEAN, NORM, STD, VAR
from pysycl._reductions.reduce_moments import dot as _dot
from pysycl._reductions.reduce_moments import mean as _mean
from pysycl._reductions.reduce_moments import norm as _norm
from pysycl._reductions.reduce_moments import variance

if TYPE_CHECKING:
    from pysycl.queue import Queue


def mean(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None,
    map: str | None = None, queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The mean, as numpy.mean: that of integers is of float64.

    Parameters, Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.mean([3, 1, 4, 2])
    np.float64(2.5)
    >>> sycl.mean([[1.0, 2.0], [3.0, 4.0]], axis=0)
    array([2., 3.])
    """
    if (
        map is dtype is out is where is queue is None
        and accuracy == "fast" and determinism == "any"
    ):  # fmt: skip
        found = _core.host_reduce(x, MEAN, axis, 0, keepdims)
        if found is not None:
            return found
    return _mean(x, options_of(axis, keepdims, where, map, out, queue, accuracy, determinism), dtype)


def var(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = None, map: str | None = None, queue: Queue | None = None, determinism: str = "any",
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The variance, as numpy.var, in two passes.

    Parameters
    ----------
    x, axis, dtype, out
        As for `reduce`.
    ddof
        What is taken off the number of elements, by which is divided.
    keepdims, where, map, queue, determinism, accuracy
        As for `reduce`.

    Returns, Raises as for `reduce`.

    Examples
    --------
    >>> sycl.var([1, 2, 3, 4])
    np.float64(1.25)
    >>> sycl.var([1.0, 3.0], ddof=1)
    np.float64(2.0)
    """
    if (
        map is dtype is out is where is queue is None
        and accuracy == "fast" and determinism == "any" and isinstance(ddof, int | float)
    ):  # fmt: skip
        found = _core.host_reduce(x, VAR, axis, ddof, keepdims)
        if found is not None:
            return found
    options = options_of(axis, keepdims, where, map, out, queue, accuracy, determinism)
    return variance(x, options, dtype, ddof, root=False)


def std(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = None, map: str | None = None, queue: Queue | None = None, determinism: str = "any",
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The standard deviation, as numpy.std: the root of `var`.

    Parameters, Returns, Raises as for `var`.

    Examples
    --------
    >>> sycl.std([1.0, 5.0])
    np.float64(2.0)
    """
    if (
        map is dtype is out is where is queue is None
        and accuracy == "fast" and determinism == "any" and isinstance(ddof, int | float)
    ):  # fmt: skip
        found = _core.host_reduce(x, STD, axis, ddof, keepdims)
        if found is not None:
            return found
    options = options_of(axis, keepdims, where, map, out, queue, accuracy, determinism)
    return variance(x, options, dtype, ddof, root=True)


def dot(
    x: Any, y: Any, out: Any = None, *, queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """Sums of products, as numpy.dot: of two vectors their inner product. Matrices work, as reductions: no BLAS.

    Parameters
    ----------
    x
        As for `reduce`.
    y
        Memory of the kind of x.
    out, queue, determinism, accuracy
        As for `reduce`.

    Returns as for `reduce`.

    Raises
    ------
    InvalidParameterError
        Shapes that do not go together; or as for `reduce`.

    Examples
    --------
    >>> sycl.dot([1, 2, 3], [4, 5, 6])
    np.int64(32)
    >>> sycl.dot([[1, 2], [3, 4]], [10, 1])
    array([12, 34])
    """
    if out is queue is None and accuracy == "fast" and determinism == "any":
        found = _core.host_dot(x, y)
        if found is not None:
            return found
    return _dot(x, y, options_of(None, False, None, None, out, queue, accuracy, determinism))


def norm(
    x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, *, map: str | None = None, out: Any = None,
    queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The norm of vectors, as numpy.linalg.norm.

    Parameters
    ----------
    x
        As for `reduce`.
    ord
        None: the root of the sum of squares, over any axes; "fro" is the same over two. Along one axis 2, 1, 0, inf, -inf or
        any other power.
    axis, keepdims, map, out, queue, determinism, accuracy
        As for `reduce`.

    Returns as for `reduce`.

    Raises
    ------
    InvalidParameterError
        An order of matrices' norms, as these are several axes; or as for `reduce`.

    Examples
    --------
    >>> sycl.norm([3.0, 4.0])
    np.float64(5.0)
    >>> sycl.norm([[3.0, -4.0], [6.0, 8.0]], 1, axis=1)
    array([ 7., 14.])
    """
    if map is ord is out is queue is None and accuracy == "fast" and determinism == "any":
        found = _core.host_reduce(x, NORM, axis, 0, keepdims)
        if found is not None:
            return found
    return _norm(x, options_of(axis, keepdims, None, map, out, queue, accuracy, determinism), ord)
