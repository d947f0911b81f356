"""Quantiles, percentiles and medians of the elements that are not NaN, as NumPy has them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.axes import kept_shape
from pysycl._sorts.quantiles import (
    between,
    given_in,
    kind_of,
    lines_of,
    median,
    of_hundred,
    parts_of,
    places_of,
    quantile,
    reduced,
)
from pysycl._sorts.quantiles_weighed import weighed, weights_of
from pysycl._sorts.sort_calls import sort

if TYPE_CHECKING:
    from pysycl.queue import Queue


def nanquantile(
    x: Any, q: Any, axis: Any = None, out: Any = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The quantiles of the elements along axes that are not NaN, as numpy.nanquantile: NaN if all are.

    Parameters, Returns, Raises as for `quantile`.

    Examples
    --------
    >>> sycl.nanquantile([3.0, np.nan, 1.0, 2.0], 0.5)
    np.float64(2.0)
    """
    return _along(x, q, axis, out, method, keepdims, weights, queue)


def nanpercentile(
    x: Any, q: Any, axis: Any = None, out: Any = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The percentiles of the elements along axes that are not NaN, as numpy.nanpercentile: `nanquantile` with hundredths.

    Parameters, Returns, Raises as for `percentile`.

    Examples
    --------
    >>> sycl.nanpercentile([3.0, np.nan, 1.0, 2.0], 50)
    np.float64(2.0)
    """
    return _along(x, of_hundred(q), axis, out, method, keepdims, weights, queue)


def nanmedian(
    x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, queue: Queue | None = None
) -> Any:  # fmt: skip
    """The middle one of the elements along axes that are not NaN, or the mean of the two, as numpy.nanmedian: NaN if all are.

    Parameters, Returns, Raises as for `median`.

    Examples
    --------
    >>> sycl.nanmedian([[3.0, np.nan, 1.0], [4.0, 5.0, 9.0]], axis=1)
    array([2., 5.])
    """
    it, axes = reduced(x, axis)
    if it.dtype.kind != "f":
        return median(x, axis, out, keepdims=keepdims, queue=queue)
    ordered, counts = _numbers(lines_of(it, axes)[0], queue, 4)
    middle = np.concatenate([(counts - 1) // 2, counts // 2], -1)
    found = np.asarray(np.mean(np.take_along_axis(ordered, middle, -1), -1))
    return given_in(it, found, kept_shape(it.shape, axes, bool(keepdims)), out, queue)


def _along(
    x: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any, queue: Any
) -> Any:  # fmt: skip
    wanted = parts_of(q, method)
    it, axes = reduced(x, axis)
    if it.dtype.kind != "f":
        return quantile(x, q, axis, out, method=method, keepdims=keepdims, weights=weights, queue=queue)
    kept = wanted.shape + kept_shape(it.shape, axes, bool(keepdims))
    lines, _ = lines_of(it, axes)
    if weights is not None:
        by = lines_of(weights_of(weights, method, it, axis, axes), axes)[0]
        _counts(lines, 4)
        return given_in(it, weighed(lines, by, wanted.reshape(-1), queue, skips_nan=True), kept, out, queue)
    ordered, counts = _numbers(lines, queue, 5)
    places = places_of(counts, wanted.reshape(-1), method)
    low = np.floor(places).astype(np.int64)
    before = np.take_along_axis(ordered, low, -1)
    behind = np.take_along_axis(ordered, np.minimum(low + 1, counts - 1), -1)
    found = np.moveaxis(between(before, behind, places - low, method, kind_of(lines.dtype, q)), -1, 0)
    return given_in(it, found, kept, out, queue)


def _numbers(lines: Any, queue: Any, stacklevel: int) -> tuple[Any, Any]:
    """Each line in order, NaN last, and how many numbers it has: one at least, which is NaN where there is none."""
    counts = _counts(lines, stacklevel)
    return np.asarray(sort(lines, queue=queue)), np.maximum(counts, 1)


def _counts(lines: Any, stacklevel: int) -> Any:
    """How many numbers each line has, with NumPy's warning of lines that have none."""
    counts = np.count_nonzero(lines == lines, -1, keepdims=True)
    if not np.all(counts):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel)
    return counts
