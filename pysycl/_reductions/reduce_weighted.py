"""average, cov and corrcoef, as NumPy has them: means with weights, and products of what is left without means."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.call import options_of
from pysycl._algorithms.kinds import accumulated, cast
from pysycl._algorithms.operand import ARRAY, Operand, c_type, check_number, operand
from pysycl._data.host_memory import as_dtype
from pysycl._reductions.reduce_fold import Fold, Reducer, finished
from pysycl._reductions.reduce_moment_calls import dot, mean
from pysycl._reductions.reduce_passes import begin
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


def average(
    x: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False,
    queue: Queue | None = None, determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The mean with weights, as numpy.average.

    Parameters
    ----------
    x, axis
        As for `reduce`.
    weights
        One for each element; or, along the axes, one for each of their indices. None: `mean`.
    returned
        Whether a pair is given: the averages, and the sums of the weights.
    keepdims, queue, determinism, accuracy
        As for `reduce`.

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        As x is; or with `returned` a pair of these.

    Raises
    ------
    InvalidParameterError
        Weights of another shape, or, of NumPy arrays, weights whose sum is 0.

    Examples
    --------
    >>> sycl.average([1.0, 2.0, 4.0], weights=[2, 1, 1])
    np.float64(2.0)
    """
    options = options_of(axis, keepdims, None, None, None, queue, accuracy, determinism)
    call = begin(x, options)
    if weights is None:
        found = mean(x, axis, keepdims=keepdims, queue=queue, determinism=determinism, accuracy=accuracy)
        if not returned:
            return found
        if call.x.kind != ARRAY:
            raise InvalidParameterError(
                "returned: without weights, of device memory, each sum is the number of elements"
            )
        return found, np.full(np.shape(found), call.count, np.asarray(found).dtype)[()]
    by = _weights(operand(weights, "weights"), call)
    kinds = (call.x.dtype, by.dtype, *((np.float64,) if call.x.dtype.kind in "biu" else ()))
    result = np.result_type(*kinds)
    acc = accumulated(result)
    if call.is_empty:
        sums = totals = call.filled(0, acc)
    else:
        kind = c_type(acc)
        text = f"const {kind} v = {cast('{x}', call.x.dtype, acc)}, of = {cast('{w}', by.dtype, acc)}; "
        product = f"({kind})(v.x * of.x - v.y * of.y, v.x * of.y + v.y * of.x)" if acc.kind == "c" else "v * of"
        both = (Reducer(plus, acc), Reducer(plus, acc))
        sums, totals = call.fold(f"{text}r0.combine({product}); r1.combine(of);", both, {"x": call.x, "w": by})
    if call.x.kind == ARRAY and np.any(totals == 0):
        raise InvalidParameterError("weights: their sum is 0, and an average would be divided by it")
    if acc.kind == "c":
        ratio = f"({c_type(acc)})(r0[i].x * r1[i].x + r0[i].y * r1[i].y, r0[i].y * r1[i].x - r0[i].x * r1[i].y)"
        ratio += " / (r1[i].x * r1[i].x + r1[i].y * r1[i].y)"
    else:
        ratio = "r0[i] / r1[i]"
    found = finished(call, (sums, totals), result, ratio, np.true_divide)
    return (found, finished(call, (totals,), result)) if returned else found


def _weights(by: Operand, call: Fold) -> Operand:
    """The weights in the shape of x."""
    check_number(by.dtype, "weights")
    x, axis = call.x, call.options.axis
    if by.kind != x.kind:
        raise InvalidParameterError("weights: expected memory of the kind of x")
    if by.shape == x.shape:
        return by
    if axis is None:
        raise InvalidParameterError(f"weights: shape {by.shape}, and x has {x.shape}; weights along an axis need axis=")
    order = [each % len(x.shape) for each in (axis if isinstance(axis, tuple | list) else (axis,))]
    if by.shape != tuple(x.shape[d] for d in order):
        raise InvalidParameterError(f"weights: shape {by.shape}, and x has {x.shape} with axis={axis}")
    steps = [0] * len(x.shape)
    for d, step in zip(order, by.strides, strict=True):
        steps[d] = step
    return by._replace(shape=x.shape, strides=tuple(steps))


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None, queue: Queue | None = None, determinism: str = "any",
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The covariances of variables, as numpy.cov: a row of m is a variable, a column an observation, or the other way
    round without `rowvar`.

    Parameters
    ----------
    m, y
        NumPy arrays, or what NumPy makes one of, of two dimensions at the most; y has more variables.
    rowvar
        Whether a variable is a row.
    bias, ddof
        What the sums are divided by: the number of observations less ddof, which is 1, or 0 with `bias`.
    fweights, aweights
        How often each observation counts, integers; and how much.
    dtype
        Of the result. None: float64 at least.
    queue, determinism, accuracy
        As for `reduce`.

    Returns
    -------
    numpy.ndarray
        A square with a row for each variable; of one variable a number, without dimensions.

    Raises
    ------
    InvalidParameterError
        Device memory; more than two dimensions; weights that are negative, or of another number than observations.

    Examples
    --------
    >>> sycl.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and (not isinstance(ddof, int | float) or ddof != int(ddof)):
        raise InvalidParameterError(f"ddof: expected an int, got {ddof!r}")
    rows = _variables(m, "m", rowvar)
    kinds = [rows.dtype]
    if y is not None:
        more = _variables(y, "y", rowvar)
        if more.shape[-1] != rows.shape[-1]:
            raise InvalidParameterError(f"y: {more.shape[-1]} observations, and m has {rows.shape[-1]}")
        kinds.append(more.dtype)
        rows = np.concatenate([rows, more])
    kind = np.result_type(*kinds, np.float64) if dtype is None else as_dtype(dtype)
    if kind.kind not in "fc" or (rows.dtype.kind == "c" and kind.kind != "c"):
        raise InvalidParameterError(f"dtype: expected a floating-point type for {rows.dtype}, got {kind}")
    rows = np.asarray(rows, accumulated(kind))
    count = rows.shape[1]
    w = _observed(fweights, aweights, count)
    free = (0 if bias else 1) if ddof is None else int(ddof)
    options: dict[str, Any] = {"queue": queue, "determinism": determinism, "accuracy": accuracy}
    if rows.shape[0] == 0:
        return np.zeros((0, 0), kind)
    if w is None:
        centers, by = mean(rows, 1, **options), np.float64(count - free)
    else:
        total = w.sum()
        centers = average(rows, 1, w.astype(rows.dtype), **options)
        if free == 0 or aweights is None:
            by = np.float64(total - free)
        else:
            by = np.float64(total - free * (w * np.asarray(aweights, np.float64)).sum() / total)
    if by <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        by = np.float64(0)
    apart = rows - centers[:, None]
    other = (apart if w is None else apart * w.astype(rows.dtype)).conj().T
    with np.errstate(divide="ignore", invalid="ignore"):
        found = dot(apart, other, **options) * np.true_divide(1, by)
    return found.astype(kind, copy=False).squeeze()


def _variables(m: Any, what: str, rowvar: bool) -> Array:
    """A row for each variable."""
    it = operand(m, what)
    if it.kind != ARRAY:
        raise InvalidParameterError(f"{what}: expected a NumPy array")
    check_number(it.dtype, what)
    if len(it.shape) > 2:
        raise InvalidParameterError(f"{what}: {len(it.shape)} dimensions, and there are two at the most")
    array = np.array(m, ndmin=2, copy=None)
    return array.T if not rowvar and len(it.shape) == 2 else array


def _observed(fweights: Any, aweights: Any, count: int) -> Array | None:
    """How much each observation counts."""
    found = None
    for weights, what in ((fweights, "fweights"), (aweights, "aweights")):
        if weights is None:
            continue
        array = np.asarray(weights, float)
        if array.shape != (count,):
            raise InvalidParameterError(
                f"{what}: expected {count}, one for each observation, got the shape {array.shape}"
            )
        if what == "fweights" and not np.all(array == np.around(array)):
            raise InvalidParameterError("fweights: expected integers")
        if np.any(array < 0):
            raise InvalidParameterError(f"{what}: expected none that is negative")
        found = array if found is None else found * array
    return found


def corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None, queue: Queue | None = None,
    determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The correlations of variables, as numpy.corrcoef.

    Parameters
    ----------
    x, y
        As m and y of `cov`.
    rowvar, dtype
        As for `cov`.
    queue, determinism, accuracy
        As for `reduce`.

    Returns, Raises as for `cov`.

    Examples
    --------
    >>> sycl.corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    found = cov(x, y, rowvar, dtype=dtype, queue=queue, determinism=determinism, accuracy=accuracy)
    if found.ndim == 0:
        return found / found
    spread = np.sqrt(np.diag(found).real)
    found /= spread[:, None]
    found /= spread[None, :]
    np.clip(found.real, -1, 1, out=found.real)
    if found.dtype.kind == "c":
        np.clip(found.imag, -1, 1, out=found.imag)
    return found
