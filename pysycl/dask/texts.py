"""The user's texts, looked at on the client when a function is called: not after hours, in a worker. Where the client has
a device they are built, for one element; where it has none they are read."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import pysycl as sycl
from pysycl._algorithms.map_text import check_block, check_map, text_of_map
from pysycl._algorithms.plan import plan_of

if TYPE_CHECKING:
    from pysycl._reductions.reduce_object import Reduce
    from pysycl._scans.scan_object import Scan


@cache
def has_device() -> bool:
    """Has this process one?"""
    return bool(sycl.devices())


@lru_cache(maxsize=256)
def _built(text: Any, made: Any, dtype: Any, ndim: int) -> None:
    """Once for each text."""
    plan_of(lambda like: made(like), (1,) * ndim, dtype)


def _of_user(made: Any) -> Any:
    """What of it is the user's text."""
    op = None if isinstance(made.op, sycl.FunctionObject) or callable(made.op) else made.op
    if made.options.map is not None:
        check_map(text_of_map(made.options.map))
    return (op, made.options.map) if op is not None or made.options.map is not None else None


def check_reduce(made: Reduce) -> np.dtype[Any]:
    """The dtype of its result, which it has without any device."""
    kind = made._kind()
    text = _of_user(made)
    if text is not None and has_device():
        axes = made.options.axis
        _built(text, _Called(made), made.dtype, max(axes, default=0) + 1)
    return np.dtype(kind.result)


def check_scan(made: Scan) -> np.dtype[Any]:
    """The same of a scan."""
    kind = made._kind()
    text = _of_user(made)
    if text is not None and has_device():
        _built(text, _Called(made), made.dtype, (made.options.axis or 0) + 1)
    return np.dtype(kind.result)


class _Called:
    """A reduction or scan as a key of what has been built: by all that it is made of."""

    __slots__ = ("made",)

    def __init__(self, made: Any) -> None:
        self.made = made

    def __call__(self, like: Any) -> Any:
        return self.made(like)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Called) and repr(self.made) == repr(other.made)

    def __hash__(self) -> int:
        return hash(repr(self.made))


def check_condition(text: str) -> None:
    """A condition of `select`."""
    check_block(text, "condition")
