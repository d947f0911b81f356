"""What runs in a worker for a block, and what its errors say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import isnan
from typing import Any

import numpy as np

from pysycl._algorithms.operand import operand
from pysycl.errors import InvalidParameterError


@cache
def _driver() -> str:
    """The device of this process, for messages."""
    from pysycl.device import Device

    try:
        device = Device()
    except Exception as error:  # there is none: that is said by what was tried
        return f"no device ({type(error).__name__})"
    return f"{device.name!r} by {device.platform.version}"


@contextmanager
def told(function: str, block: Any) -> Iterator[None]:
    """An error says in which function and block it happened, and by which driver. `block`: its number, or words."""
    try:
        yield
    except Exception as error:
        where = block if isinstance(block, str) else f"block {block}"
        error.add_note(f"in pysycl.dask.{function}, {where}, on {_driver()}")
        raise


class Work:
    """A function of a block, `function(block, *arguments)`, to be sent to workers: two with equal parts have one name."""

    __slots__ = ("arguments", "function", "name")

    def __init__(self, name: str, function: Callable[..., Any], *arguments: Any) -> None:
        self.name = name
        self.function = function
        self.arguments = arguments

    @property
    def __name__(self) -> str:
        """What the dashboard calls it, which takes an underscore for the beginning of what nobody reads."""
        return f"pysycl-{self.name.replace('_', '-')}"

    def __call__(self, *blocks: Any, block_id: Any = None, **_: Any) -> Any:
        with told(self.name, block_id):
            return self.function(*blocks, *self.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.function, *self.arguments)

    def __dask_tokenize__(self) -> Any:
        from dask.base import normalize_token

        return normalize_token((type(self), self.name, self.function, self.arguments))


class Merging(Work):
    """The same of partial results that lie along axes: `function(parts, *arguments, axis, keepdims)`."""

    __slots__ = ()

    def __call__(self, *parts: Any, block_id: Any = None, axis: Any = None, keepdims: bool = True, **_: Any) -> Any:
        with told(self.name, "a merge of partial results"):
            return self.function(*parts, *self.arguments, axis, keepdims)


def kept(parts: Any, axis: Any, keepdims: bool) -> Any:
    """Those of a block are one already."""
    return parts


def array_of(x: Any, what: str = "x") -> Any:
    """A dask array, or what Dask makes one of."""
    import dask.array as da

    try:
        array = x if isinstance(x, da.Array) else da.asanyarray(x)
    except Exception as error:
        raise InvalidParameterError(f"{what}: expected a dask array, got {type(x).__name__}: {error}") from error
    if not isinstance(array, da.Array):
        raise InvalidParameterError(f"{what}: expected a dask array, got {x!r}")
    if isinstance(array._meta, np.ma.MaskedArray):
        operand(array._meta, what)  # which refuses it
    return array


def one_dimension(x: Any, what: str = "x", known: bool = True) -> Any:
    """The same of one dimension, with blocks of known lengths."""
    array = array_of(x, what)
    if array.ndim != 1:
        raise InvalidParameterError(f"{what}: expected one dimension, got the shape {array.shape}; use .ravel()")
    if known and has_unknown_sizes(array):
        raise InvalidParameterError(f"{what}: its blocks have unknown lengths; call compute_chunk_sizes() before")
    return array


def has_unknown_sizes(array: Any) -> bool:
    """Of blocks that select, sort or unique have made nobody knows the lengths before they are computed."""
    return any(isnan(size) for sizes in array.chunks for size in sizes)


def places(array: Any) -> Any:
    """To be given to `map_blocks` after the array: of each block, where in the array it is, in slices."""
    from dask.layers import ArraySliceDep

    return ArraySliceDep(array.chunks)


def merged_at_once(nbytes: float) -> int:
    """How many partial results of a size a task merges: a task costs milliseconds, so many; and few that are long."""
    from dask import config

    return config.get("split_every", 16 if nbytes <= 1 << 20 else 4)  # type: ignore[no-any-return, unused-ignore]
