"""Buffers that calls need again and again between their passes, and kept from one to the next: a driver that has memory of its
own waits for all commands before it takes some back."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl.buffer import Buffer
from pysycl.errors import MemoryAllocationError

# What is kept: so many buffers, and no more than this part of the memory of the device that they were last used on.
_MOST: Final = 32
_SHARE: Final = 8

_kept: Final[dict[Any, list[Buffer]]] = {}  # by what they are for; the latest come last
_count: Final = [0, 0]  # of these: how many, and their bytes
_lock: Final = threading.Lock()


class Command(NamedTuple):
    """A launch. A fill has no range."""

    range: Any
    text: str
    arguments: dict[str, Any]


class Watch(threading.local):
    """What the call that runs on this thread has submitted and taken so far, for who makes a plan of it. None: nobody asks."""

    commands: list[Command] | None = None
    buffers: list[tuple[int, np.dtype[Any], Buffer]]
    """Memory between passes."""
    constants: list[Buffer]
    """Memory that nobody writes to, which is the same in all such calls."""
    is_alike: bool = True
    """Nothing but its commands happens in a call that comes again."""
    done: int = 0
    """Calls that may have been before, and commands of others, so far."""
    latest: Any = None
    """The last one of these: its plan, or None; the memory that it was given, whether it waits, and what it has returned."""

    def begin(self) -> None:
        self.commands, self.buffers, self.constants, self.is_alike = [], [], [], True
        _core.kept_watch(True)

    def end(self) -> None:
        self.commands, self.buffers, self.constants = None, [], []
        _core.kept_watch(False)

    def differs(self) -> None:
        """The call does what commands are not, as a warning is none: it is to do so each time."""
        self.is_alike = False
        self.done += 1

    def submitted(self, command: Command) -> None:
        """The call has submitted a command."""
        if self.commands is None:
            self.done += 1
        else:
            self.commands.append(command)


watch: Final = Watch()


def let_go() -> bool:
    """Memory lacks: nothing is kept any more, of unified shared memory neither. False: nothing was."""
    with _lock:
        had = bool(_kept)
        _kept.clear()
        _count[:] = 0, 0
    return _core.usm_trim(None) > 0 or had


def with_room(work: Callable[[], Any]) -> Any:
    """The result of what takes a device's memory: where that lacks, what is kept is let go, and it is tried again."""
    while True:
        try:
            return work()
        except MemoryAllocationError:
            if not let_go():
                raise


def _taken(key: Any) -> Buffer | None:
    """One that is kept, the latest of its kind; lock held."""
    found = _kept.get(key)
    if found is None:
        return None
    buffer = found.pop()
    if not found:
        del _kept[key]
    _count[0] -= 1
    _count[1] -= buffer.nbytes
    return buffer


def _keep(key: Any, buffer: Buffer) -> None:
    """Lock held."""
    found = _kept.pop(key, [])
    found.append(buffer)
    _kept[key] = found
    _count[0] += 1
    _count[1] += buffer.nbytes


class Spare:
    """The buffers of one call on a queue."""

    __slots__ = ("_place", "_taken")

    def __init__(self, queue: Any) -> None:
        self._place = queue.context, queue.device
        self._taken: list[tuple[Any, Buffer]] = []

    def take(self, size: int, dtype: np.dtype[Any]) -> Buffer:
        """A buffer, of which nobody knows what is in it."""
        key = (*self._place, size, dtype.str)
        with _lock:
            buffer = _taken(key)
        buffer = buffer or Buffer._new((size,), dtype)
        self._taken.append((key, buffer))
        if watch.commands is not None:
            watch.buffers.append((size, dtype, buffer))
        return buffer

    def give_back(self) -> int:
        """Behind the call's last command: others wait for it, as for any that uses the buffers. How many bytes they have.
        What a recording uses is its own: its replays come at any time."""
        share = _share_of(self._place[1])
        with _lock:
            for key, each in self._taken:
                if each.nbytes <= share and not each._recorded:
                    _keep(key, each)
            while _count[0] > _MOST or _count[1] > share:
                _taken(next(iter(_kept)))
        total = sum(each.nbytes for _, each in self._taken)
        self._taken.clear()
        return total


@functools.lru_cache(100)
def _share_of(device: Any) -> int:
    return 0 if device.is_cpu else int(device.global_mem_size) // _SHARE
