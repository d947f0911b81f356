"""Queue: where commands are submitted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from pysycl import _core
from pysycl._commands.queue_kernels import QueueKernels
from pysycl._runtime.delivery import AsyncHandler, deliver, handler_of
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl._runtime.properties import HasProperties
from pysycl.errors import ExceptionList, InvalidParameterError, SyclError, SyclWarning
from pysycl.handler import Handler
from pysycl.selector import default_selector, no_device, rank, select

if TYPE_CHECKING:
    from pysycl._profile.profile import Profile
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.enums import DeviceType
    from pysycl.event import Event, Events
    from pysycl.graph import Graph
    from pysycl.platform import Platform
    from pysycl.recording import Recording
    from pysycl.selector import Selector


def _context(queue: Queue) -> Context:
    return queue._context


def _device(queue: Queue) -> Device:
    return queue._device


def _reference_count(queue: Queue) -> int:
    return queue._reference_count


def _device_of(context: Context, what: Device | DeviceType | str | Selector | None) -> Device:
    """The device for a queue in a given context: a selector chooses among the context's devices if it can."""
    if what is None:
        found = rank(default_selector, context.devices)
        if found is None:
            raise no_device("the default selector selects no device of the context", context.devices)
        return found
    return select(what)


@_core.bind
class Queue(HasProperties, BackendHandle, QueueKernels):
    """A queue of commands for one device. Commands may run in any order that their dependencies allow.

    Parameters
    ----------
    device_or_selector
        A device or what selects one (see Device). None: the default device.
    context
        The context to work in. None: one that the device's queues share.
    async_handler
        Called with an ExceptionList by wait_and_throw, throw_asynchronous and close. None: the context's handler, and
        if there is none the errors are raised.
    in_order
        Each command waits for the one submitted before it.
    enable_profiling
        Events tell when their commands were submitted, started and ended.

    Raises
    ------
    InvalidObjectError
        The device is none of the context's.
    FeatureNotSupportedError
        enable_profiling on a device without queue profiling.

    Notes
    -----
    SYCL 2020, 4.6.5. As a context manager a queue waits, and delivers errors, when the block ends.

    Examples
    --------
    >>> sycl.Queue(queue.device, in_order=True).is_in_order
    True
    """

    __slots__ = ("_raised",)  # by pysycl/_runtime/raised.py

    _raised: dict[int, BaseException]

    context = Info(_context, "The context that the queue works in.")
    device = Info(_device, "The one device that the queue submits to.")
    reference_count = Info(_reference_count, "OpenCL's reference count.")

    @_core.entry
    def __new__(
        cls,
        device_or_selector: Device | DeviceType | str | Selector | None = None,
        *,
        context: Context | None = None,
        async_handler: AsyncHandler | None = None,
        in_order: bool = False,
        enable_profiling: bool = False,
    ) -> Queue:
        if async_handler is not None and not callable(async_handler):
            raise InvalidParameterError(f"async_handler: expected a callable or None, got {async_handler!r}")
        if context is not None and not isinstance(context, _core.Context):
            raise InvalidParameterError(f"context: expected a Context or None, got {context!r}")
        device = select(device_or_selector) if context is None else _device_of(context, device_or_selector)
        return super().__new__(cls, device, context, async_handler, in_order, enable_profiling)

    @property
    def _properties(self) -> Mapping[str, Any]:
        made_with = {"in_order": self.is_in_order, "enable_profiling": self._profiling}
        return {name: True for name, given in made_with.items() if given}

    @property
    def platform(self) -> Platform:
        """The device's platform."""
        return self.device.platform

    @overload
    def submit(self, group: None = None, *, wait: bool | None = None) -> Handler: ...
    @overload
    def submit(
        self, group: Callable[[Handler], object], secondary: Queue | None = None, *, wait: bool | None = None
    ) -> Event: ...
    @_core.entry
    def submit(
        self,
        group: Callable[[Handler], object] | None = None,
        secondary: Queue | None = None,
        *,
        wait: bool | None = None,
    ) -> Handler | Event:
        """Submit a command group: `group(h)` is called once, now, on this thread.

        Without a group it is for `with queue.submit() as h:`. If its command cannot be submitted and there is a
        secondary queue, that one gets it; the event belongs to the queue that took it.

        Where NumPy arrays, or other memory of the host's given as such, are among the command's arguments, the call or the
        end of the block returns when the command is done, and raises what it failed with. `wait=False` returns at once,
        `wait=True` waits for any command.

        Parameters
        ----------
        group
            Called with the Handler.
        secondary
            Takes the command if this queue cannot.
        wait
            True returns when the command is done, False at once; None: as the arguments say.

        Returns
        -------
        Event
            Without a group the Handler, for `with`.

        Raises
        ------
        InvalidParameterError
            `secondary` is no Queue.
        SyclError
            What the command failed with, if it was waited for.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(3, "b[i] *= 2;", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [0, 2, 4]
        """
        if secondary is not None and not isinstance(secondary, Queue):
            raise InvalidParameterError(f"secondary: expected a Queue or None, got {secondary!r}")
        handler = Handler(self, wait)
        if group is None:
            return handler
        try:
            group(handler)
            if secondary is None:
                return handler._submit()
            try:
                return handler._submit(None, True)
            except SyclError:
                if handler._has_ended():  # the command was taken, and failed: PYSYCL_DEBUG=sync
                    raise
                return handler._submit(secondary)
        finally:
            handler._discard()

    @_core.method
    def host_task(
        self, callable: Callable[..., object], /, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Call it on a thread of its own when its turn has come; one command.

        Parameters
        ----------
        callable
            It takes nothing, or an InteropHandle.
        depends_on
            The event or events that the command waits for, beside those of its buffers and arrays.
        wait
            True returns when the command is done, False at once; None: as parallel_for does.

        Returns
        -------
        Event
            The command's.

        Notes
        -----
        SYCL 2020, 4.10.

        Examples
        --------
        >>> seen = []
        >>> queue.host_task(lambda: seen.append(1)).wait()
        >>> seen
        [1]
        """

    @_core.method
    def wait(self) -> None:
        """Wait for all commands submitted so far. Late errors are not delivered here: wait_and_throw does both.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.fill(u, 3)
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [3, 3, 3, 3]
        """

    def record(self) -> Recording:
        """For `with queue.record() as g:`, in which this thread's submissions are recorded for `g.replay()`.

        Returns
        -------
        Recording

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> with queue.record() as g:
        ...     _ = queue.parallel_for(3, "x[i] += 1;", x=x)
        >>> g.replay().wait()
        >>> g.replay().wait()
        >>> x.tolist()
        [2, 2, 2]
        """
        from pysycl.recording import Recording

        return Recording(self)

    def profile(self) -> Profile:
        """For `with queue.profile() as p:`: what the block's commands took, as a table, a timeline and a trace.

        Returns
        -------
        Profile

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> with queue.profile() as p:
        ...     _ = queue.parallel_for(3, "x[i] += 1;", x=x)
        >>> [row.count for row in p.by("kind") if row.kind == "kernel"]
        [1]
        """
        from pysycl._profile.profile import Profile

        return Profile(self)

    def graph(self) -> Graph:
        """The queue's latest commands, what each used of which buffer, and why it came after which others.

        Returns
        -------
        Graph

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> _ = queue.parallel_for(3, "x[i] += 1;", x=x)
        >>> queue.graph().commands[-1].name
        'x[i] += 1;'
        """
        from pysycl.graph import graph_of

        return graph_of(self)

    @_core.entry
    def throw_asynchronous(self) -> None:
        """Deliver the asynchronous errors that there are by now, without waiting.

        Examples
        --------
        >>> queue.throw_asynchronous()
        """
        self._progress()
        deliver((self,))

    @_core.entry
    def wait_and_throw(self) -> None:
        """Wait for all commands, then deliver their asynchronous errors.

        Raises
        ------
        SyclError
            What a command failed with, where there is no handler.

        Examples
        --------
        >>> queue.wait_and_throw()
        """
        self.wait()
        deliver((self,))

    @_core.entry
    def close(self) -> None:
        """Wait for all commands and deliver their errors: what leaving a `with` block does.

        Examples
        --------
        >>> other = sycl.Queue(queue.device)
        >>> other.close()
        """
        self.wait_and_throw()

    def __enter__(self) -> Queue:
        return self

    @_core.entry
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.wait()

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        """Errors that nobody fetched go to the handler; without one they are warnings, as nobody could catch them.

        Where the interpreter ends they have been told, and names of modules may be gone.
        """
        errors = ExceptionList(self._take_errors()) if not ends() else None
        if not errors:
            return
        handler = handler_of(self)
        if handler is not None:
            handler(errors)
        else:
            for error in errors:
                warnings.warn(f"never fetched: {error.what()}", SyclWarning, stacklevel=2)

    @property
    def int_ptr(self) -> int:
        """The cl_command_queue, valid as long as the queue. From now on wait() waits for foreign commands in it too."""
        return self._native()

    @classmethod
    def from_int_ptr(cls, value: int, context: Context, async_handler: AsyncHandler | None = None) -> Queue:
        """The queue around a cl_command_queue of this context, which is retained.

        Parameters
        ----------
        value
            The cl_command_queue.
        context
            The context that it belongs to.
        async_handler
            Called with late errors; None: the context's handler.

        Returns
        -------
        Queue

        Examples
        --------
        >>> again = sycl.Queue.from_int_ptr(queue.int_ptr, queue.context)
        >>> again.device == queue.device
        True
        """
        return cls._from_native(value, context, async_handler)

    def __repr__(self) -> str:
        try:
            words = [*self._properties, f"{self._progress()} in flight"]
            return f"<pysycl.Queue on {self.device.name!r}, {', '.join(words)}>"
        except SyclError as error:  # a traceback or a log line must not fail, in a forked child or at exit
            return f"<pysycl.Queue ({type(error).__name__})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: a queue lives in one process; pickle its device")
