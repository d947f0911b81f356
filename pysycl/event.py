"""Event: what a submission returns; its command's state, times and outcome."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pysycl import _core
from pysycl._runtime.delivery import deliver
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl.enums import EventCommandStatus
from pysycl.errors import InvalidParameterError, SyclError

if TYPE_CHECKING:
    from typing import TypeAlias

    from pysycl.context import Context

    Events: TypeAlias = "Event | Iterable[Event] | None"

_STATES = (EventCommandStatus.submitted, EventCommandStatus.running, EventCommandStatus.complete)


class Profiling(NamedTuple):
    """When a command was submitted, started and ended, in nanoseconds on one clock per device: its driver's, which is that of
    host tasks and of copies by the host, too."""

    submit: int
    start: int
    end: int

    @property
    def command_submit(self) -> int:
        """SYCL's name for `submit`."""
        return self.submit

    @property
    def command_start(self) -> int:
        """SYCL's name for `start`."""
        return self.start

    @property
    def command_end(self) -> int:
        """SYCL's name for `end`."""
        return self.end

    @property
    def seconds(self) -> float:
        """From start to end."""
        return (self.end - self.start) * 1e-9


def _status(event: Event) -> EventCommandStatus:
    return _STATES[event._poll()]


def _count(event: Event) -> int:
    return 1


def _events(what: Event | Iterable[Event]) -> tuple[Event, ...]:
    events = (what,) if isinstance(what, Event) else tuple(what)
    for event in events:
        if not isinstance(event, Event):
            raise InvalidParameterError(f"events: expected Events, got {event!r}")
    return events


@_core.bind
class Event(BackendHandle, _core.Event):
    """The event of a command. `Event()` is complete from the start.

    Notes
    -----
    SYCL 2020, 4.6.6. `wait` and `wait_and_throw` also take events when called on the class: `Event.wait([a, b])`. In
    asyncio, `await event` waits without blocking the loop, and then delivers errors as `wait_and_throw` does.
    """

    __slots__ = ()

    command_execution_status = Info(_status, "submitted, running or complete.")
    reference_count = Info(_count, "Deprecated: 1, since Python counts the references to the event.")

    @property
    def status(self) -> EventCommandStatus:
        """submitted, running or complete. Asking does not block."""
        return _STATES[self._poll()]

    @property
    @_core.entry
    def wait_list(self) -> list[Event]:
        """The events that the command directly waits for; those that had ended when it was submitted are left out."""
        return self._wait_list()

    def get_wait_list(self) -> list[Event]:
        """The same as `wait_list`."""
        return self._wait_list()

    @property
    def profiling(self) -> Profiling:
        """The command's times; blocks until it has ended.

        Raises
        ------
        InvalidObjectError
            The queue was made without enable_profiling=True.
        ProfilingError
            The command failed, so there are no times.
        """
        self._wait()
        return Profiling(*self._times())

    def get_profiling_info(self, param: str) -> int:
        """One of "command_submit", "command_start" and "command_end"."""
        if param not in ("command_submit", "command_start", "command_end"):
            raise ValueError(f"param: {param!r} is none of command_submit, command_start and command_end")
        return int(getattr(self.profiling, param))

    @property
    def exception(self) -> SyclError | None:
        """The error that the command failed with, None if it has not ended or not failed. Looking does not consume the error.

        What a host task raised is its `__cause__` until the error is raised or handled; afterwards its frames, and all
        that they hold, are not kept for the event's sake.
        """
        return self._failure()

    def wait(self: Event | Iterable[Event]) -> None:
        """Wait for the command's end. Its failure is not raised here: see wait_and_throw."""
        for event in _events(self):
            event._wait()

    @_core.entry
    def wait_and_throw(self: Event | Iterable[Event]) -> None:
        """Wait, then deliver the asynchronous errors of the queues involved."""
        events = _events(self)
        for event in events:
            event._wait()
        deliver(dict.fromkeys(event._queue for event in events if event._queue is not None))

    def __await__(self) -> Generator[Any, None, None]:
        return self._finished().__await__()

    async def _finished(self) -> None:
        """Polls: no thread is held, and a task that is cancelled leaves nothing behind."""
        import asyncio  # here, because it takes longer to import than all of pysycl, and whoever awaits has it already

        delay = 0.0
        while self._poll() < 2:
            await asyncio.sleep(delay)
            delay = min(delay + 0.0002, 0.005)
        Event.wait_and_throw(self)

    @property
    def int_ptr(self) -> int:
        """The cl_event, valid as long as this object."""
        return self._native()

    @classmethod
    def from_int_ptr(cls, value: int, context: Context) -> Event:
        """The event of a cl_event of this context, which is retained."""
        return cls._from_native(value, context)

    def __repr__(self) -> str:
        failed = ", failed" if self._failure() is not None else ""
        try:
            return f"<pysycl.Event {self.status.value}{failed}>"
        except SyclError as error:  # a traceback or a log line must not fail, in a forked child or at exit
            return f"<pysycl.Event ({type(error).__name__})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an event cannot be pickled: it belongs to a command of this process")
