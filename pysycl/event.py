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
    host tasks and of copies by the host, too.

    Attributes
    ----------
    submit, start, end
        Nanoseconds.

    Examples
    --------
    >>> event = sycl.Queue(enable_profiling=True).single_task("int x = 1;")
    >>> times = event.profiling
    >>> times.submit <= times.start <= times.end
    True
    >>> times.seconds == (times.end - times.start) * 1e-9
    True
    """

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

    Examples
    --------
    >>> b = sycl.Buffer(1000, np.float32)
    >>> event = queue.parallel_for(1000, "b[i] = i;", b=b)
    >>> event.wait()
    >>> event.status
    <EventCommandStatus.complete: 'complete'>
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
        """The same as `wait_list`.

        Returns
        -------
        list[Event]

        Examples
        --------
        >>> sycl.Event().get_wait_list()
        []
        """
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
        """One of the command's times; blocks until it has ended.

        Parameters
        ----------
        param
            "command_submit", "command_start" or "command_end".

        Returns
        -------
        int
            Nanoseconds, as in `profiling`.

        Raises
        ------
        ValueError
            Another word.
        InvalidObjectError
            The queue was made without enable_profiling=True.
        ProfilingError
            The command failed, so there are no times.

        Examples
        --------
        >>> event = sycl.Queue(enable_profiling=True).single_task("int x = 1;")
        >>> event.get_profiling_info("command_end") == event.profiling.end
        True
        """
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
        """Wait for the command's end. Its failure is not raised here: see wait_and_throw.

        Raises
        ------
        InvalidParameterError
            Called on the class with something that is no event.

        Examples
        --------
        >>> sycl.Event.wait([queue.single_task("int x = 1;"), queue.single_task("int x = 2;")])
        """
        for event in _events(self):
            event._wait()

    wait = _core.method(wait, "_wait")

    @_core.entry
    def wait_and_throw(self: Event | Iterable[Event]) -> None:
        """Wait, then deliver the asynchronous errors of the queues involved.

        Raises
        ------
        SyclError
            What a command of these queues failed with, unless a handler of the queue or context takes it.

        Examples
        --------
        >>> def fails():
        ...     raise ValueError("no such file")
        >>> event = queue.host_task(fails)
        >>> try:
        ...     event.wait_and_throw()
        ... except sycl.SyclError as error:
        ...     print(str(error).splitlines()[0])
        host task 'fails' raised ValueError: no such file
        """
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
        """The event of a cl_event of this context, which is retained.

        Parameters
        ----------
        value
            The cl_event.
        context
            The context that it belongs to.

        Returns
        -------
        Event

        Raises
        ------
        SyclError
            The value is no cl_event of the context.

        Examples
        --------
        >>> event = queue.single_task("int x = 1;")
        >>> same = sycl.Event.from_int_ptr(event.int_ptr, queue.context)
        >>> same.wait()
        """
        return cls._from_native(value, context)

    def __repr__(self) -> str:
        failed = ", failed" if self._failure() is not None else ""
        try:
            return f"<pysycl.Event {self.status.value}{failed}>"
        except SyclError as error:  # a traceback or a log line must not fail, in a forked child or at exit
            return f"<pysycl.Event ({type(error).__name__})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an event cannot be pickled: it belongs to a command of this process")
