"""Reductions of dask arrays: partial results of blocks, merged in a tree, in the order of the blocks."""

from __future__ import annotations

import builtins
from math import prod as product
from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.axes import axes_of
from pysycl._reductions.reduce_object import Reduce, make_reduce
from pysycl.dask.blocks import Merging, Work, array_of, has_unknown_sizes, kept, merged_at_once, places
from pysycl.dask.texts import check_reduce
from pysycl.errors import InvalidParameterError


def _is_extreme(made: Reduce) -> bool:
    """Is there no result of no elements?"""
    return made.op in (sycl.minimum, sycl.maximum) and made.initial is None


def _none_of(parts: Any, axis: Any, kind: Any) -> Any:
    """Partial results of no elements, where these count for nothing: there are none along the axes."""
    return np.empty([builtins.min(size, 1) if d in axis else size for d, size in enumerate(parts.shape)], kind)


def _partial(block: Any, where: tuple[slice, ...], made: Reduce, shape: tuple[int, ...]) -> Any:
    """Of one block; indices are made those of the whole array."""
    axis = made.options.axis
    if block.size == 0 and _is_extreme(made):
        return _none_of(block, axis, made.partial_dtype)
    if len(axis) == 1 or len(shape) == len(axis):
        own = made if len(axis) == 1 else made._replace(options=made.options._replace(axis=None))
        part = own.partial(block, where[axis[0]].start if len(axis) == 1 else 0)
    else:
        part = made.partial(block)
    if part.dtype.names == ("key", "index") and len(axis) > 1 and block.size:
        local = np.unravel_index(part["index"], block.shape)
        part["index"] = np.ravel_multi_index([at + each.start for at, each in zip(local, where, strict=True)], shape)
    return part


def _merge(parts: Any, made: Reduce, axis: Any, keepdims: bool) -> Any:
    return made.merge(parts, axis, keepdims=keepdims) if parts.size else _none_of(parts, axis, parts.dtype)


def _result(parts: Any, made: Reduce, axis: Any, keepdims: bool) -> Any:
    found = made.merge(parts, axis, keepdims=keepdims)
    if parts.size < found.size and _is_extreme(made):
        name = "min" if made.op is sycl.minimum else "max"
        raise InvalidParameterError(f"x: the {name} of no elements is not defined")
    return np.asarray(made.result(found))


def folded(
    x: Any, op: Any, name: str, *, axis: Any, keepdims: bool, dtype: Any = None, split_every: Any = None, **options: Any
) -> Any:
    """A reduction of any operator that has partial results."""
    import dask.array as da

    array = array_of(x)
    axes = axes_of(axis, array.ndim)
    if name in ("argmin", "argmax") and has_unknown_sizes(array):
        raise InvalidParameterError("x: its blocks have unknown lengths; call compute_chunk_sizes() first")
    made = make_reduce(op, array.dtype, axis=axes, keepdims=True, result_dtype=dtype, **options)
    result = check_reduce(made)
    chunks = tuple((1,) * len(sizes) if d in axes else sizes for d, sizes in enumerate(array.chunks))
    kind = made.partial_dtype
    parts = array.map_blocks(
        Work(name, _partial, made, array.shape), places(array), dtype=kind, chunks=chunks,
        meta=np.empty((0,) * array.ndim, kind), name=None, enforce_ndim=False,
    )  # fmt: skip
    return da.reduction(  # all but its end are partial results; that is part of the last merge, as a task costs milliseconds
        parts, Merging(name, kept), Merging(name, _result, made), combine=Merging(name, _merge, made), axis=axes,
        keepdims=keepdims, dtype=kind, concatenate=True,
        split_every=split_every or merged_at_once(kind.itemsize * product(map(builtins.max, chunks))),
        meta=np.empty((0,) * (array.ndim if keepdims else array.ndim - len(axes)), result),
    )  # fmt: skip


@_core.entry
def reduce(
    x: Any, op: Any = sycl.plus, *, axis: Any = None, keepdims: bool = False, dtype: Any = None, initial: Any = None,
    map: str | None = None, accuracy: str = "fast", determinism: str = "any", split_every: Any = None,
) -> Any:  # fmt: skip
    """All elements of a dask array combined by an operator, or those along some axes.

    Parameters
    ----------
    x
        A dask array.
    op, axis, keepdims, dtype, initial, map
        As for `reduce`.
    accuracy
        "exact" is exact of the whole array, whatever its chunks are.
    determinism
        "run_to_run": the same chunks give the same bits.
    split_every
        How many partial results are merged by a task, as for `dask.array.reduction`. None: 16, or four that are longer than
        1 MiB.

    Returns
    -------
    dask.array.Array
        Lazily.

    Raises
    ------
    InvalidParameterError, BuildError
        What is wrong with the arguments is told at once, and with texts, too, where the client has a device.

    Notes
    -----
    The operator need not commute across blocks: partial results are merged in their order.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.reduce(x, sycl.maximum, map="x * (9 - x)").compute())
    20
    """
    return folded(
        x, op, "reduce", axis=axis, keepdims=keepdims, dtype=dtype, initial=initial, map=map, accuracy=accuracy,
        determinism=determinism, split_every=split_every,
    )  # fmt: skip


@_core.entry
def sum(
    x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, initial: Any = None, map: str | None = None,
    accuracy: str = "fast", determinism: str = "any", split_every: Any = None,
) -> Any:  # fmt: skip
    """The sum, as numpy.sum.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.sum(x, map="x * x").compute())
    285
    """
    return folded(
        x, sycl.plus, "sum", axis=axis, keepdims=keepdims, dtype=dtype, initial=initial, map=map, accuracy=accuracy,
        determinism=determinism, split_every=split_every,
    )  # fmt: skip


@_core.entry
def prod(
    x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, initial: Any = None, map: str | None = None,
    split_every: Any = None,
) -> Any:  # fmt: skip
    """The product, as numpy.prod.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.prod(x + 1).compute())
    3628800
    """
    return folded(
        x, sycl.multiplies, "prod", axis=axis, keepdims=keepdims, dtype=dtype, initial=initial, map=map,
        split_every=split_every,
    )  # fmt: skip


@_core.entry
def min(x: Any, axis: Any = None, keepdims: bool = False, *, map: str | None = None, split_every: Any = None) -> Any:
    """The smallest element, as numpy.min: NaN if there is one.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.min(x, map="(x - 3) * (x - 3)").compute())
    0
    """
    return folded(x, sycl.minimum, "min", axis=axis, keepdims=keepdims, map=map, split_every=split_every)


@_core.entry
def max(x: Any, axis: Any = None, keepdims: bool = False, *, map: str | None = None, split_every: Any = None) -> Any:
    """The greatest element, as numpy.max: NaN if there is one.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.max(-x).compute())
    0
    """
    return folded(x, sycl.maximum, "max", axis=axis, keepdims=keepdims, map=map, split_every=split_every)


@_core.entry
def any(x: Any, axis: Any = None, keepdims: bool = False, *, map: str | None = None, split_every: Any = None) -> Any:
    """Whether an element is not 0, as numpy.any.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> bool(sd.any(x, map="x == 7").compute())
    True
    """
    return folded(x, sycl.logical_or, "any", axis=axis, keepdims=keepdims, map=map, split_every=split_every)


@_core.entry
def all(x: Any, axis: Any = None, keepdims: bool = False, *, map: str | None = None, split_every: Any = None) -> Any:
    """Whether no element is 0, as numpy.all.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> bool(sd.all(x).compute())
    False
    """
    return folded(x, sycl.logical_and, "all", axis=axis, keepdims=keepdims, map=map, split_every=split_every)


@_core.entry
def mean(
    x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, map: str | None = None,
    accuracy: str = "fast", determinism: str = "any", split_every: Any = None,
) -> Any:  # fmt: skip
    """The mean, as numpy.mean.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> float(sd.mean(x).compute())
    4.5
    """
    return folded(
        x, sycl.mean, "mean", axis=axis, keepdims=keepdims, dtype=dtype, map=map, accuracy=accuracy,
        determinism=determinism, split_every=split_every,
    )  # fmt: skip


@_core.entry
def var(
    x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False, *, map: str | None = None,
    split_every: Any = None,
) -> Any:  # fmt: skip
    """The variance, as numpy.var, without cancellation: blocks' means and spreads are merged in float64.

    Parameters
    ----------
    x, axis, dtype
        As for `dask.reduce`.
    ddof
        As for `var`.
    keepdims, map, split_every
        As for `dask.reduce`.

    Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> float(sd.var(x).compute())
    8.25
    """
    return folded(
        x, sycl.var, "var", axis=axis, keepdims=keepdims, dtype=dtype, ddof=ddof, map=map, split_every=split_every
    )


@_core.entry
def std(
    x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False, *, map: str | None = None,
    split_every: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation, as numpy.std.

    Parameters
    ----------
    x, axis, dtype
        As for `dask.reduce`.
    ddof
        As for `var`.
    keepdims, map, split_every
        As for `dask.reduce`.

    Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> round(float(sd.std(x, ddof=1).compute()), 4)
    3.0277
    """
    return folded(
        x, sycl.std, "std", axis=axis, keepdims=keepdims, dtype=dtype, ddof=ddof, map=map, split_every=split_every
    )


@_core.entry
def argmin(x: Any, axis: int | None = None, keepdims: bool = False, *, split_every: Any = None) -> Any:
    """The index of the smallest element, as numpy.argmin: the first of equals, or the first NaN.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.argmin((x - 3) * (x - 3)).compute())
    3
    """
    return folded(x, sycl.argmin, "argmin", axis=axis, keepdims=keepdims, split_every=split_every)


@_core.entry
def argmax(x: Any, axis: int | None = None, keepdims: bool = False, *, split_every: Any = None) -> Any:
    """The index of the greatest element, as numpy.argmax: the first of equals, or the first NaN.

    Parameters, Returns, Raises as for `dask.reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> int(sd.argmax(x % 7).compute())
    6
    """
    return folded(x, sycl.argmax, "argmax", axis=axis, keepdims=keepdims, split_every=split_every)
