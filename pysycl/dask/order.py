"""Order: sort and argsort by samples, and the greatest elements."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl._split.samples import ranges_of, samples_of, splitters_of
from pysycl.dask.blocks import Merging, Work, kept, merged_at_once, one_dimension, places
from pysycl.dask.trees import task
from pysycl.errors import InvalidParameterError


def _sorted_block(block: Any) -> tuple[Any, None]:
    return sycl.sort(block), None


def _ordered_block(block: Any, first: int) -> tuple[Any, Any]:
    order = np.asarray(sycl.argsort(block))
    return block[order], order + first


def _samples(pair: tuple[Any, Any]) -> Any:
    return samples_of(pair[0])


def _pieces(pair: tuple[Any, Any], splitters: Any, parts: int) -> list[tuple[Any, Any]]:
    """Of a sorted block what goes to each part."""
    keys, order = pair
    return [(keys[a:b], None if order is None else order[a:b]) for a, b in ranges_of(keys, splitters, parts)]


def _piece(pieces: list[Any], k: int) -> Any:
    return pieces[k]


def _together(pieces: list[tuple[Any, Any]], ordered: bool) -> Any:
    """A part: the pieces of all blocks, in their order, sorted."""
    keys = np.concatenate([piece[0] for piece in pieces])
    if not ordered:
        return sycl.sort(keys)
    return np.concatenate([piece[1] for piece in pieces])[np.asarray(sycl.argsort(keys))]


def _by_samples(x: Any, name: str, ordered: bool) -> Any:
    import dask.array as da

    array = one_dimension(x, known=ordered)
    sycl.sort(np.empty(0, array.dtype))  # it says at once of which types it is no order
    blocks = array.to_delayed().reshape(-1)
    parts, kind = len(blocks), np.dtype(np.int64) if ordered else array.dtype
    where = places(array)
    pairs = [
        task(name, _ordered_block, k, block, where[(k,)][0].start) if ordered else task(name, _sorted_block, k, block)
        for k, block in enumerate(blocks)
    ]
    splitters = task(name, splitters_of, "samples", [task(name, _samples, k, p) for k, p in enumerate(pairs)], parts)
    cut = [task(name, _pieces, k, pair, splitters, parts) for k, pair in enumerate(pairs)]
    found = []
    for k in range(parts):
        pieces = [task(name, _piece, None, each, k) for each in cut]
        part = task(name, _together, f"part {k}", pieces, ordered)
        found.append(da.from_delayed(part, (np.nan,), meta=np.empty(0, kind)))
    return da.concatenate(found, allow_unknown_chunksizes=True)


@_core.entry
def sort(x: Any) -> Any:
    """The elements in ascending order, NaN last, as numpy.sort: blocks are sorted, cut where samples say, and their pieces
    merged to new blocks.

    Parameters
    ----------
    x
        A dask array of one dimension. The lengths of its blocks need not be known.

    Returns
    -------
    dask.array.Array
        Lazily; the lengths of its blocks are not known before they are computed. Equal elements are in one block, which is
        long where most elements are equal.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.sort(-x).compute().tolist()
    [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0]
    """
    return _by_samples(x, "sort", False)


@_core.entry
def argsort(x: Any) -> Any:
    """The indices that would sort x, equal elements in their order, as numpy.argsort(kind="stable").

    Parameters
    ----------
    x
        A dask array of one dimension, with blocks of known lengths.

    Returns as for `dask.sort`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.argsort(x % 3).compute().tolist()
    [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    """
    return _by_samples(x, "argsort", True)


def _top(block: Any, where: tuple[slice, ...], k: int) -> Any:
    """Of a block."""
    found = sycl.top_k(block, min(k, len(block)))
    result = np.empty(len(found.values), [("key", block.dtype), ("index", np.int64)])
    result["key"], result["index"] = found.values, found.indices + where[0].start
    return result


def _top_merged(parts: Any, k: int, axis: Any, keepdims: bool) -> Any:
    """Of neighbours: equal ones are in their order, so a stable order keeps the first."""
    keys = np.ascontiguousarray(parts["key"])
    return parts[np.asarray(sycl.top_k(keys, min(k, len(keys))).indices)]


def _field(parts: Any, name: str) -> Any:
    return np.ascontiguousarray(parts[name])


@_core.entry
def top_k(x: Any, k: int) -> tuple[Any, Any]:
    """The k greatest elements, the greatest first, and their indices, as `pysycl.top_k`.

    Parameters
    ----------
    x
        A dask array of one dimension.
    k
        How many.

    Returns
    -------
    tuple of dask.array.Array
        Values and indices, lazily.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> values, indices = sd.top_k(x % 7, 2)
    >>> values.compute().tolist(), indices.compute().tolist()
    ([6, 5], [6, 5])
    """
    import dask.array as da

    array = one_dimension(x)
    kind = np.dtype([("key", array.dtype), ("index", np.int64)])
    try:
        k = index(k)
    except TypeError:
        raise InvalidParameterError(f"k: expected an int, got {k!r}") from None
    if not 0 < k <= array.shape[0]:
        raise InvalidParameterError(f"k: expected 1 to {array.shape[0]}, as many as x has, got {k!r}")
    meta = np.empty(0, kind)
    chunks = (tuple(min(k, size) for size in array.chunks[0]),)
    parts = array.map_blocks(Work("top_k", _top, k), places(array), dtype=kind, chunks=chunks, meta=meta)
    merge = Merging("top_k", _top_merged, k)
    found = da.reduction(
        parts, Merging("top_k", kept), merge, combine=merge, axis=0, keepdims=True, dtype=kind, meta=meta, concatenate=True,
        output_size=min(k, array.shape[0]), split_every=merged_at_once(k * kind.itemsize),
    )  # fmt: skip
    values, indices = (
        found.map_blocks(Work("top_k", _field, name), dtype=each, meta=np.empty(0, each))
        for name, each in (("key", array.dtype), ("index", np.dtype(np.int64)))
    )
    return values, indices
