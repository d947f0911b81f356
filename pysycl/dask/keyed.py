"""unique and reduce_by_key: tables of blocks, merged in the order of the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl.dask.blocks import array_of, one_dimension
from pysycl.dask.trees import merged, task
from pysycl.errors import InvalidParameterError


def _unique(blocks: Any) -> Any:
    return sycl.unique(np.concatenate(blocks) if isinstance(blocks, list) else np.ravel(blocks))


@_core.entry
def unique(x: Any) -> Any:
    """The elements without repetitions, ascending, as numpy.unique.

    Parameters
    ----------
    x
        A dask array.

    Returns
    -------
    dask.array.Array
        Lazily; its length is not known before it is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.unique(x % 3).compute().tolist()
    [0, 1, 2]
    """
    import dask.array as da

    array = array_of(x)
    sycl.unique(np.empty(0, array.dtype))  # it says at once of which types it is not
    blocks = array.to_delayed().reshape(-1)
    parts = [task("unique", _unique, k, block) for k, block in enumerate(blocks)]
    return da.from_delayed(merged("unique", parts, _unique), (np.nan,), meta=np.empty(0, array.dtype))


def _by_key(keys: Any, values: Any, op: Any, dtype: Any) -> Any:
    found = sycl.reduce_by_key(keys, values, op, dtype=dtype)
    return found[0], found[1]


def _by_key_again(tables: Any, op: Any, dtype: Any) -> Any:
    """Runs of equal keys that go on in the next block meet."""
    keys, values = (np.concatenate([table[k] for table in tables]) for k in (0, 1))
    return _by_key(keys, values, op, dtype)


def _part(table: Any, k: int) -> Any:
    return table[k]


@_core.entry
def reduce_by_key(keys: Any, values: Any, op: Any = sycl.plus) -> tuple[Any, Any]:
    """Values of neighbours with equal keys combined, as `pysycl.reduce_by_key`, across blocks, too.

    Parameters
    ----------
    keys, values
        Dask arrays of one dimension, as many of each.
    op
        As for `pysycl.inclusive_scan`.

    Returns
    -------
    tuple of dask.array.Array
        Keys and values, lazily; how many there are is not known before they are computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> keys, sums = sd.reduce_by_key(x // 3, x)
    >>> sums.compute().tolist()
    [3, 12, 21, 9]
    """
    import dask.array as da

    names = one_dimension(keys, "keys")
    array = one_dimension(values, "values")
    if names.shape != array.shape:
        raise InvalidParameterError(f"values: expected as many as keys, {names.shape}, got {array.shape}")
    array = array.rechunk(names.chunks)
    kind = np.asarray(sycl.reduce_by_key(np.zeros(0, names.dtype), np.zeros(0, array.dtype), op)[1]).dtype
    pairs = zip(names.to_delayed().reshape(-1), array.to_delayed().reshape(-1), strict=True)
    parts = [task("reduce_by_key", _by_key, k, *pair, op, None) for k, pair in enumerate(pairs)]
    table = merged("reduce_by_key", parts, _by_key_again, op, kind)
    found, combined = (
        da.from_delayed(task("reduce_by_key", _part, None, table, k), (np.nan,), meta=np.empty(0, each))
        for k, each in enumerate((names.dtype, kind))
    )
    return found, combined
