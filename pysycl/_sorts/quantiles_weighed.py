"""Quantiles of elements that count as often as weights say."""

from __future__ import annotations

from typing import Any

import numpy as np

from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._scans.scan_calls import cumsum
from pysycl._sorts.sort_calls import sort_by_key
from pysycl.errors import InvalidParameterError


def weights_of(weights: Any, method: str, it: Operand, axis: Any, axes: tuple[int, ...]) -> Operand:
    """The weights as float64, of the shape of the elements; given so, or of the axes in the order in which these are named."""
    if method != "inverted_cdf":
        raise InvalidParameterError(f"weights: they go with method='inverted_cdf' alone, and not with {method!r}")
    given = operand(weights, "weights")
    check_number(given.dtype, "weights")
    named = tuple(d % len(it.shape) for d in axis) if isinstance(axis, tuple | list) else axes
    along = tuple(it.shape[d] for d in named)
    if given.kind != ARRAY or given.dtype.kind == "c":
        raise InvalidParameterError("weights: expected a NumPy array of real numbers")
    if given.shape not in (it.shape, along):
        raise InvalidParameterError(f"weights: expected the shape {it.shape} of x, or {along}, got {given.shape}")
    by = array_of(given).astype(np.float64)
    if not np.all(by >= 0):
        raise InvalidParameterError("weights: expected numbers that are not negative")
    if given.shape != it.shape:
        by = by.transpose(np.argsort(named)).reshape([size if d in axes else 1 for d, size in enumerate(it.shape)])
    return operand(np.broadcast_to(by, it.shape), "weights")


def weighed(lines: Any, by: Any, wanted: Any, queue: Any, skips_nan: bool = False) -> Any:
    """Of each line the first element up to which the weights are the wanted part of all. A line with a NaN gives that, but
    where NaN do not count."""
    if skips_nan:
        by = np.where(lines == lines, by, 0)
        by[..., 0] += np.all(lines != lines, -1)  # of nothing else the first one is left
    values, weights = sort_by_key(lines, np.ascontiguousarray(by), -1, queue=queue)
    sums = np.asarray(cumsum(weights, -1, queue=queue))
    total = sums[..., -1:]
    if not np.all((total > 0) & (total < np.inf)):
        raise InvalidParameterError("weights: expected some that add up to more than 0, and are finite")
    parts = sums / total
    parts[parts == 0] = -1  # elements without weight are not the first
    size = parts.shape[-1]
    rows = zip(values.reshape(-1, size), parts.reshape(-1, size), strict=True)
    found = [row[np.minimum(np.searchsorted(part, wanted), size - 1)] for row, part in rows]
    result = np.stack(found, -1).reshape(-1, *values.shape[:-1])
    last = values[..., -1]
    return result if skips_nan or lines.dtype.kind != "f" else np.where(last != last, last, result)
