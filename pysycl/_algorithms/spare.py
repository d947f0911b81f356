"""Buffers that calls need again and again between their passes, and kept from one to the next: a driver that has memory of its
own waits for all commands before it takes some back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from pysycl.buffer import Buffer

if TYPE_CHECKING:
    import numpy as np

_SHARE: Final = 8  # of a device's memory, this part of it is kept at the most

_kept: Final[OrderedDict[tuple[Any, int, str], list[Buffer]]] = OrderedDict()
_lock: Final = threading.Lock()


class Spare:
    """The buffers of one call on a queue."""

    __slots__ = ("_context", "_most", "_taken")

    def __init__(self, queue: Any) -> None:
        device = queue.device
        self._context = queue.context
        self._most = 0 if device.is_cpu else device.global_mem_size // _SHARE
        self._taken: list[tuple[tuple[Any, int, str], Buffer]] = []

    def take(self, size: int, dtype: np.dtype[Any]) -> Buffer:
        """A buffer, of which nobody knows what is in it."""
        key = (self._context, size, dtype.str)
        with _lock:
            found = _kept.get(key)
            buffer = found.pop() if found else None
        buffer = buffer or Buffer((size,), dtype)
        self._taken.append((key, buffer))
        return buffer

    def give_back(self) -> int:
        """Behind the call's last command: others wait for it, as for any that uses the buffers. How many bytes they have."""
        total = sum(buffer.nbytes for _, buffer in self._taken)
        with _lock:
            for key, buffer in self._taken:
                if buffer.nbytes <= self._most:
                    _kept.setdefault(key, []).append(buffer)
                    _kept.move_to_end(key)
            while sum(each.nbytes for list_ in _kept.values() for each in list_) > self._most and _kept:
                _kept.popitem(last=False)
        self._taken.clear()
        return total
