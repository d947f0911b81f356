"""Scans of dask arrays in three phases: totals of blocks, what comes before each block, and the blocks' own scans."""

from __future__ import annotations

from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.axes import axes_of
from pysycl._scans.scan_object import Scan, make_scan
from pysycl.dask.blocks import Work, array_of
from pysycl.dask.texts import check_scan
from pysycl.errors import InvalidParameterError


def _total(block: Any, made: Scan) -> Any:
    return np.expand_dims(made.total(block), made.options.axis)


def _starts(totals: Any, made: Scan) -> Any:
    return np.moveaxis(made.starts(np.moveaxis(totals, made.options.axis, 0)), 0, made.options.axis)


def _run(block: Any, start: Any, made: Scan) -> Any:
    return np.asarray(made.run(block, np.squeeze(start, made.options.axis)))


def _scan(x: Any, op: Any, name: str, axis: Any, dtype: Any, **options: Any) -> Any:
    import dask.array as da

    array = array_of(x)
    if axis is None:
        array = array if array.ndim == 1 else array.ravel()
        axis = 0
    (along,) = axes_of(axis, array.ndim)
    made = make_scan(op, array.dtype, axis=along, result_dtype=dtype, **options)
    result, kind = check_scan(made), made.partial_dtype
    nothing = np.empty((0,) * array.ndim, kind)
    chunks = tuple((1,) * len(sizes) if d == along else sizes for d, sizes in enumerate(array.chunks))
    totals = array.map_blocks(Work(name, _total, made), dtype=kind, chunks=chunks, meta=nothing)
    starts = (
        totals.rechunk({along: -1}).map_blocks(Work(name, _starts, made), dtype=kind, meta=nothing).rechunk({along: 1})
    )
    return da.map_blocks(
        Work(name, _run, made), array, starts, dtype=result, chunks=array.chunks,
        meta=np.empty((0,) * array.ndim, result),
    )  # fmt: skip


@_core.entry
def inclusive_scan(
    x: Any, op: Any = sycl.plus, *, axis: int = 0, initial: Any = None, map: str | None = None, dtype: Any = None,
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The scan of a dask array along an axis, lazily, with the same chunks.

    Parameters
    ----------
    x
        A dask array.
    op
        As for `inclusive_scan`.
    axis
        Along which.
    initial, map, dtype, accuracy
        As for `inclusive_scan`.

    Returns
    -------
    dask.array.Array
        Lazily.

    Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.inclusive_scan(x % 4, sycl.maximum).compute().tolist()
    [0, 1, 2, 3, 3, 3, 3, 3, 3, 3]
    """
    return _scan(x, op, "inclusive_scan", axis, dtype, initial=initial, map=map, accuracy=accuracy)


@_core.entry
def exclusive_scan(
    x: Any, op: Any = sycl.plus, *, axis: int = 0, initial: Any = None, map: str | None = None, dtype: Any = None,
    accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The scan of what comes before each element.

    Parameters, Returns as for `dask.inclusive_scan`.

    Raises
    ------
    InvalidParameterError
        No identity of `op` is known, and no `initial` is given.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.exclusive_scan(x).compute().tolist()
    [0, 0, 1, 3, 6, 10, 15, 21, 28, 36]
    """
    made = sycl.make_scan(op, "i4").op
    if not isinstance(made, sycl.FunctionObject) and initial is None and getattr(made, "identity", None) is None:
        raise InvalidParameterError(
            f"initial: an exclusive scan begins with a value, and no identity of {op!r} is known"
        )
    return _scan(x, op, "exclusive_scan", axis, dtype, initial=initial, map=map, accuracy=accuracy, exclusive=True)


@_core.entry
def cumsum(
    x: Any, axis: int | None = None, dtype: Any = None, *, map: str | None = None, accuracy: str = "fast"
) -> Any:
    """Running sums, as numpy.cumsum.

    Parameters, Returns as for `dask.inclusive_scan`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.cumsum(x).compute().tolist()
    [0, 1, 3, 6, 10, 15, 21, 28, 36, 45]
    """
    return _scan(x, sycl.plus, "cumsum", axis, dtype, map=map, accuracy=accuracy)
