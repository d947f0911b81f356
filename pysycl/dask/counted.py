"""histogram and bincount: counts of blocks, added."""

from __future__ import annotations

from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl._sorts.edges import warn_of_bool
from pysycl._streams.folded import counts_of, known_edges
from pysycl.dask.blocks import Work, array_of, merged_at_once, one_dimension
from pysycl.errors import InvalidParameterError


def _histogram(block: Any, edges: Any) -> Any:
    return counts_of(block, edges).reshape((1,) * block.ndim + (-1,))


def _added(counts: Any) -> Any:
    """Of all blocks, those of each along the last axis."""
    every = merged_at_once(counts.shape[-1] * counts.dtype.itemsize)
    return counts.sum(axis=tuple(range(counts.ndim - 1)), split_every=every)


@_core.entry
def histogram(x: Any, bins: Any = 10, range: Any = None) -> tuple[Any, Any]:
    """How many elements are in each bin, and the edges, as `pysycl.histogram`.

    Parameters
    ----------
    x
        A dask array.
    bins
        The edges, or how many bins, and then a range.
    range
        The lowest and the highest edge: those of the elements would have to be computed first.

    Returns
    -------
    tuple
        Counts, a dask array, and edges, a NumPy array.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> counts, edges = sd.histogram(x, 2, (0, 10))
    >>> counts.compute().tolist()
    [5, 5]
    """
    array = array_of(x)
    warn_of_bool(array.dtype)
    edges = known_edges(bins, range, array.dtype)
    chunks = (*((1,) * count for count in array.numblocks), (len(edges) - 1,))
    counts = array.map_blocks(
        Work("histogram", _histogram, edges), dtype=np.int64, chunks=chunks, new_axis=array.ndim,
        meta=np.empty((0,) * (array.ndim + 1), np.int64),
    )  # fmt: skip
    return _added(counts), edges


def _bincount(block: Any, length: int) -> Any:
    if block.size and (most := int(sycl.max(block))) >= length:  # before there are so many counts
        raise InvalidParameterError(f"x: expected elements below minlength, {length}, and there is {most}")
    return sycl.bincount(block, minlength=length)[None, :]


@_core.entry
def bincount(x: Any, *, minlength: int) -> Any:
    """How often each of the integers below `minlength` occurs, as `pysycl.bincount`; a greater element is an error.

    Parameters
    ----------
    x
        A dask array of integers, of one dimension.
    minlength
        The length of the result, since the greatest element would have to be computed first.

    Returns
    -------
    dask.array.Array
        Lazily.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.bincount(x % 4, minlength=4).compute().tolist()
    [3, 3, 2, 2]
    """
    array = one_dimension(x, known=False)
    sycl.bincount(np.empty(0, array.dtype), minlength=minlength)  # it says at once what is wrong
    counts = array.map_blocks(
        Work("bincount", _bincount, minlength), dtype=np.int64, chunks=((1,) * array.numblocks[0], (minlength,)),
        new_axis=1, meta=np.empty((0, 0), np.int64),
    )  # fmt: skip
    return _added(counts)
