"""Buffers that calls need again and again between their passes, and kept from one to the next: a driver that has memory of its
own waits for all commands before it takes some back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pysycl import _core
from pysycl.buffer import Buffer
from pysycl.errors import MemoryAllocationError

if TYPE_CHECKING:
    import numpy as np

# What is kept: so many buffers, and no more than this part of the memory of the device that they were last used on.
_MOST: Final = 32
_SHARE: Final = 8

_kept: Final[list[tuple[Any, Buffer]]] = []  # with what they are for; the latest come last
_lock: Final = threading.Lock()


def let_go() -> bool:
    """Memory lacks: nothing is kept any more, of unified shared memory neither. False: nothing was."""
    with _lock:
        had = bool(_kept)
        _kept.clear()
    return _core.usm_trim(None) > 0 or had


def with_room(work: Callable[[], Any]) -> Any:
    """The result of what takes a device's memory: where that lacks, what is kept is let go, and it is tried again."""
    while True:
        try:
            return work()
        except MemoryAllocationError:
            if not let_go():
                raise


class Spare:
    """The buffers of one call on a queue."""

    __slots__ = ("_place", "_share", "_taken")

    def __init__(self, queue: Any) -> None:
        device = queue.device
        self._place = queue.context, device
        self._share = 0 if device.is_cpu else device.global_mem_size // _SHARE
        self._taken: list[tuple[Any, Buffer]] = []

    def take(self, size: int, dtype: np.dtype[Any]) -> Buffer:
        """A buffer, of which nobody knows what is in it."""
        key = (*self._place, size, dtype.str)
        with _lock:
            at = next((at for at, (each, _) in enumerate(_kept) if each == key), None)
            buffer = None if at is None else _kept.pop(at)[1]
        buffer = buffer or Buffer((size,), dtype)
        self._taken.append((key, buffer))
        return buffer

    def give_back(self) -> int:
        """Behind the call's last command: others wait for it, as for any that uses the buffers. How many bytes they have.
        What a recording uses is its own: its replays come at any time."""
        given = [(key, each) for key, each in self._taken if each.nbytes <= self._share and not each._recorded]
        with _lock:
            _kept.extend(given)
            while given and (len(_kept) > _MOST or sum(each.nbytes for _, each in _kept) > self._share):
                _kept.pop(0)
        total = sum(each.nbytes for _, each in self._taken)
        self._taken.clear()
        return total
