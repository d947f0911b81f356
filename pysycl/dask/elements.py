"""Element by element: transform, and select, whose result has as many elements as are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl.dask.blocks import Work, array_of, has_unknown_sizes, one_dimension
from pysycl.dask.texts import check_condition, has_device
from pysycl.errors import InvalidParameterError


def _transform(*given: Any) -> Any:
    *blocks, expression, names, dtype, values = given
    return sycl.transform(expression, dtype=dtype, **dict(zip(names, blocks, strict=True)), **dict(values))


@_core.entry
def transform(expression: str, *, dtype: Any = None, **operands: Any) -> Any:
    """A new dask array of an expression in the elements of others, in one pass over each block.

    Parameters
    ----------
    expression
        OpenCL C in the operands' names, as for `pysycl.transform`. A chain of operations in one text is what makes this
        quicker than NumPy's, which has a temporary array for each.
    dtype
        Of the result; None: as `pysycl.transform` has it.
    **operands
        Dask arrays, which are broadcast to each other, and numbers.

    Returns
    -------
    dask.array.Array
        Lazily.

    Raises
    ------
    InvalidParameterError, BuildError
        As for `reduce`.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.transform("x * x + a", x=x, a=1).compute().tolist()
    [1, 2, 5, 10, 17, 26, 37, 50, 65, 82]
    """
    import dask.array as da

    if "out" in operands:
        raise InvalidParameterError("out: of dask arrays the result is a new one")
    arrays = {name: array_of(value, name) for name, value in operands.items() if np.ndim(value) > 0}
    values = {name: value for name, value in operands.items() if name not in arrays}
    if not arrays:
        raise InvalidParameterError("transform: expected an array among the operands")
    _check_shapes(arrays)
    ones = 1 if has_device() else 0
    likes: dict[str, Any] = {name: np.ones((ones,) * array.ndim, array.dtype) for name, array in arrays.items()}
    kind = np.asarray(sycl.transform(expression, dtype=dtype, **likes, **values)).dtype
    work = Work("transform", _transform, expression, tuple(arrays), kind, tuple(values.items()))
    ndim = max(array.ndim for array in arrays.values())
    pairs = [part for array in arrays.values() for part in (array, tuple(range(ndim - array.ndim, ndim)))]
    return da.map_blocks(work, *da.core.unify_chunks(*pairs)[1], dtype=kind, meta=np.empty((0,) * ndim, kind))


def _check_shapes(arrays: dict[str, Any]) -> None:
    """Are those that are known broadcast to each other?"""
    known = {name: array.shape for name, array in arrays.items() if not has_unknown_sizes(array)}
    try:
        np.broadcast_shapes(*known.values())
    except ValueError:
        found = ", ".join(f"{name} {shape}" for name, shape in known.items())
        raise InvalidParameterError(f"transform: shapes that are not broadcast to each other: {found}") from None


def _select(block: Any, condition: Any) -> Any:
    return sycl.select(block, condition)


def _select_mask(block: Any, mask: Any) -> Any:
    return sycl.select(block, mask)


@_core.entry
def select(x: Any, condition: Any) -> Any:
    """The elements of which a condition is true, in their order, as `pysycl.select`.

    Parameters
    ----------
    x
        A dask array of one dimension.
    condition
        OpenCL C in `x`, as "x > 0"; or a mask, a dask array of bool.

    Returns
    -------
    dask.array.Array
        Lazily; the lengths of its blocks are not known before they are computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> x = da.arange(10, chunks=4)
    >>> sd.select(x, "x % 4 == 1").compute().tolist()
    [1, 5, 9]
    """
    import dask.array as da

    array = one_dimension(x, known=not isinstance(condition, str))
    unknown = ((np.nan,) * array.numblocks[0],)
    meta = np.empty(0, array.dtype)
    if not isinstance(condition, str):
        mask = array_of(condition, "condition")
        if mask.dtype != bool or mask.shape != array.shape:
            raise InvalidParameterError(
                f"condition: expected OpenCL C in x, or a mask of bool of the shape {array.shape}, got "
                + (f"{mask.dtype} of the shape {mask.shape}" if mask.dtype != object else f"{condition!r}")
            )
        mask = mask.rechunk(array.chunks)
        return da.map_blocks(Work("select", _select_mask), array, mask, dtype=array.dtype, chunks=unknown, meta=meta)
    check_condition(condition)
    if has_device():
        sycl.select(np.ones(1, array.dtype), condition)
    return array.map_blocks(Work("select", _select, condition), dtype=array.dtype, chunks=unknown, meta=meta)
