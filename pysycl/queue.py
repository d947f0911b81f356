"""Queue: where commands are submitted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from pysycl import _core
from pysycl.delivery import AsyncHandler, deliver, handler_of
from pysycl.errors import ExceptionList, InvalidParameterError, SyclError, SyclWarning
from pysycl.handle import BackendHandle
from pysycl.handler import Handler
from pysycl.info import Info
from pysycl.properties import HasProperties
from pysycl.selector import default_selector, no_device, rank, select

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.enums import DeviceType
    from pysycl.event import Event
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
class Queue(HasProperties, BackendHandle, _core.Queue):
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
    """

    __slots__ = ()

    context = Info(_context, "The context that the queue works in.")
    device = Info(_device, "The one device that the queue submits to.")
    reference_count = Info(_reference_count, "OpenCL's reference count.")

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
    def submit(self, group: None = None) -> Handler: ...
    @overload
    def submit(self, group: Callable[[Handler], object], secondary: Queue | None = None) -> Event: ...
    def submit(
        self, group: Callable[[Handler], object] | None = None, secondary: Queue | None = None
    ) -> Handler | Event:
        """Submit a command group: `group(h)` is called once, now, on this thread.

        Without a group it is for `with queue.submit() as h:`. If its command cannot be submitted and there is a
        secondary queue, that one gets it; the event belongs to the queue that took it.
        """
        if secondary is not None and not isinstance(secondary, Queue):
            raise InvalidParameterError(f"secondary: expected a Queue or None, got {secondary!r}")
        if group is None:
            return Handler(self)
        handler = Handler(self)
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

    def record(self) -> Recording:
        """For `with queue.record() as g:`, in which this thread's submissions are recorded for `g.replay()`."""
        from pysycl.recording import Recording

        return Recording(self)

    def graph(self) -> Graph:
        """The queue's latest commands, what each used of which buffer, and why it came after which others."""
        from pysycl.graph import graph_of

        return graph_of(self)

    def throw_asynchronous(self) -> None:
        """Deliver the asynchronous errors that there are by now, without waiting."""
        self._progress()
        deliver((self,))

    def wait_and_throw(self) -> None:
        """Wait for all commands, then deliver their asynchronous errors."""
        self.wait()
        deliver((self,))

    def close(self) -> None:
        """Wait for all commands and deliver their errors: what leaving a `with` block does."""
        self.wait_and_throw()

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.wait()

    def __del__(self) -> None:
        """Errors that nobody fetched go to the handler; without one they are warnings, as nobody could catch them."""
        errors = ExceptionList(self._take_errors())
        if not errors:
            return
        handler = handler_of(self)
        if handler is not None:
            handler(errors)
        elif not sys.is_finalizing():
            for error in errors:
                warnings.warn(f"never fetched: {error.what()}", SyclWarning, stacklevel=2)

    @property
    def int_ptr(self) -> int:
        """The cl_command_queue, valid as long as the queue. From now on wait() waits for foreign commands in it too."""
        return self._native()

    @classmethod
    def from_int_ptr(cls, value: int, context: Context, async_handler: AsyncHandler | None = None) -> Queue:
        """The queue around a cl_command_queue of this context, which is retained."""
        return cls._from_native(value, context, async_handler)

    def __repr__(self) -> str:
        try:
            words = [*self._properties, f"{self._progress()} in flight"]
            return f"<pysycl.Queue on {self.device.name!r}, {', '.join(words)}>"
        except SyclError as error:  # a traceback or a log line must not fail, in a forked child or at exit
            return f"<pysycl.Queue ({type(error).__name__})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: a queue lives in one process; pickle its device")
