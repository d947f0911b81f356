"""Buffers that share their memory with the user under the user's mutex: the property use_mutex.

The mutex is held from the first command or host accessor that uses the buffer until the last one has ended and the data
is in the user's memory. It is taken on the thread that submits, before the submission, and released by a thread of ours.

For pysycl/buffer.py:

    guard = attach(buffer, mutex, home)     # in the constructor, after the buffer is complete
        refuses by name (InvalidParameterError) what is no mutex or cannot be released by another thread (RLock);
        `home` is called as home(buffer) on another thread: it brings the user's memory up to date and waits for that (a
        reading host access where the array is the storage, the write-back elsewhere; nothing where set_final_data has
        redirected it). What it raises is dropped: the command itself tells of its failure.
        Keep the guard where all parts of the buffer find it (the shared properties dict): only that keeps it alive.
        It holds the buffer weakly.
    with guard:                             # around the lifetime of a host accessor
        ...                                 # = guard.enter() ... guard.leave(None)
    if guard.join(): ... guard.leave(None)  # around the buffer's end, which may come while the user holds the mutex
    guard.mutex                             # what get_mutex_ptr gives

Commands are looked after by the binding: csrc/python/launch/guard.h.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from pysycl import _core
from pysycl.errors import InvalidParameterError, SyclWarning

if TYPE_CHECKING:
    from pysycl.event import Event


class Mutex(Protocol):
    """A threading.Lock, or what can be used like one, from any thread."""

    def acquire(self) -> Any: ...
    def release(self) -> Any: ...


_RLOCKS = (type(threading.RLock()), threading._RLock)


def check(mutex: object) -> None:
    """Refuses what the runtime could not use as a buffer's mutex."""
    if isinstance(mutex, _RLOCKS):
        raise InvalidParameterError(
            "use_mutex: an RLock belongs to the thread that acquired it, and the runtime releases the mutex on another "
            "thread, when the data is back; use a threading.Lock"
        )
    for method in ("acquire", "release"):
        if not callable(getattr(mutex, method, None)):
            raise InvalidParameterError(
                f"use_mutex: expected a threading.Lock, or an object with acquire() and release(), got {mutex!r}"
            )


class Guard:
    """One mutex, of one buffer or of several, and who uses their data now."""

    def __init__(self, mutex: Mutex) -> None:
        self.mutex = mutex
        self._homes: dict[int, tuple[weakref.ref[Any], Callable[[Any], object]]] = {}  # by the buffers' numbers
        self._changed = threading.Condition()  # reentrant: what it guards may be collected, and run code, at any time
        self._held = False  # by the runtime
        self._acquiring = False  # a thread waits for the mutex
        self._users = 0  # submissions under way and host accessors
        self._events: list[Event] = []  # commands that nobody has waited for
        self._keeper: threading.Thread | None = None

    def add(self, buffer: Any, home: Callable[[Any], object]) -> None:
        """One more buffer has this mutex."""
        with self._changed:
            self._homes = {id: each for id, each in self._homes.items() if each[0]() is not None}
            self._homes[buffer._id] = (weakref.ref(buffer), home)

    def enter(self) -> None:
        """The data is about to be used: waits for the mutex unless the runtime has it. Ctrl-C ends the wait."""
        if threading.current_thread() is self._keeper:
            return
        with self._changed:
            while self._acquiring:
                self._changed.wait()
            if self._held:
                self._users += 1
                return
            self._acquiring = True
        acquired = False
        try:
            self.mutex.acquire()
            acquired = True
        finally:
            with self._changed:
                self._acquiring = False
                self._held = acquired
                self._users += acquired
                self._changed.notify_all()

    def leave(self, event: Event | None) -> None:
        """The use has begun, and ends with the command's event; None: it has ended."""
        if threading.current_thread() is self._keeper:
            return
        with self._changed:
            if event is not None:
                self._events.append(event)
            self._users -= 1
            if self._keeper is None:
                self._keep()
            self._changed.notify_all()

    def join(self) -> bool:
        """For the buffer's end: as `enter` if the runtime has the mutex. Else False: then all is home."""
        with self._changed:
            joined = self._held and threading.current_thread() is not self._keeper
            self._users += joined
            return joined

    __enter__ = enter

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave(None)

    def _keep(self) -> None:
        self._keeper = threading.Thread(target=self._see_home, name="pysycl use_mutex", daemon=True)
        try:
            self._keeper.start()
        except RuntimeError:  # the interpreter ends, or has no more threads: then this one waits
            self._keeper = threading.current_thread()
            if self._users == 0:
                self._see_home()
            else:
                self._keeper = None  # whoever leaves last does it

    def _see_home(self) -> None:
        """Waits until nothing uses the data, brings it home, and releases the mutex."""
        while True:
            with self._changed:
                while self._users > 0 and not self._events:
                    self._changed.wait()
                events, self._events = self._events, []
            self._wait(events)
            with self._changed:
                if self._users > 0 or self._events:
                    continue
            self._bring()
            with self._changed:
                if self._users > 0 or self._events:
                    continue
                self._keeper = None
                self._held = False
                self._release()
                return

    def _release(self) -> None:
        try:
            self.mutex.release()
        except Exception as error:
            words = f"use_mutex: {self.mutex!r}, which the runtime held for a buffer, could not be released"
            warnings.warn(f"{words}: {error}", SyclWarning, stacklevel=2)

    @staticmethod
    def _wait(events: Sequence[Event]) -> None:
        for event in events:
            try:
                event._wait()
            except Exception:  # pysycl was shut down: nothing runs any more
                return

    def _bring(self) -> None:
        for reference, home in list(self._homes.values()):
            buffer = reference()
            if buffer is None:  # its end has brought the data home
                continue
            try:
                home(buffer)
            except Exception:  # a command failed, or the buffer was closed: neither is news
                continue


_guards: weakref.WeakValueDictionary[int, Guard] = weakref.WeakValueDictionary()  # by the buffers' numbers
_by_mutex: weakref.WeakValueDictionary[int, Guard] = weakref.WeakValueDictionary()  # a guard keeps its mutex
_attaching = threading.RLock()  # reentrant: a collection may run code that makes buffers


def attach(buffer: Any, mutex: Mutex, home: Callable[[Any], object]) -> Guard:
    """From now on the runtime holds the mutex while it uses the buffer. See above."""
    check(mutex)
    with _attaching:
        guard = _by_mutex.get(id(mutex))
        if guard is None:
            guard = _by_mutex[id(mutex)] = Guard(mutex)
        guard.add(buffer, home)
        _guards[buffer._id] = guard
    _core.guards_use()
    return guard


def enter_all(ids: Sequence[int]) -> list[Guard] | None:
    """Called by the binding before a submission, with the numbers of the buffers that it uses."""
    found = {id(guard): guard for number in ids if (guard := _guards.get(number)) is not None}
    if not found:
        return None
    entered: list[Guard] = []
    try:
        for _, guard in sorted(found.items()):  # everybody takes them in the same order
            guard.enter()
            entered.append(guard)
    except BaseException:
        leave_all(entered, None)
        raise
    return entered


def leave_all(guards: Sequence[Guard], event: Event | None) -> None:
    """Called by the binding after it."""
    for guard in guards:
        guard.leave(event)
