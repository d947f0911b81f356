"""Queue: where commands are submitted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from pysycl import _core
from pysycl._kernels.scan_text import scan_text
from pysycl._runtime.delivery import AsyncHandler, deliver, handler_of
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl._runtime.properties import HasProperties
from pysycl.errors import ExceptionList, InvalidParameterError, SyclError, SyclWarning
from pysycl.handler import Handler
from pysycl.selector import default_selector, no_device, rank, select

if TYPE_CHECKING:
    from typing import SupportsIndex

    from pysycl._core import PreparedKernel
    from pysycl._profile.profile import Profile
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.enums import DeviceType
    from pysycl.event import Event, Events
    from pysycl.graph import Graph
    from pysycl.platform import Platform
    from pysycl.program import Kernel
    from pysycl.ranges import NdRange, Sizes
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
    def parallel_for(
        self,
        range: Sizes | NdRange,
        kernel: Kernel | str,
        /,
        *args: Any,
        depends_on: Events = None,
        wait: bool | None = None,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> Event:
        """Run a kernel once for each index of the range; one command.

        With NumPy arrays (or other memory of the host's, given as such) among the arguments it returns when the command
        is done, and raises what that failed with. With buffers and UsmArrays alone it returns at once.

        Parameters
        ----------
        range
            A number of work-items, up to three of them as a tuple, or an NdRange.
        kernel
            The text of a body: the OpenCL C statements of one work-item, with arguments by name. In it `i` is the linear
            id; `i0`, `i1`, `i2` are the ids and `n0`, `n1`, `n2` the range, in SYCL's order, all of them long; `return`
            ends the work-item. Or a Kernel of a Program, with arguments by position.
        *args
            A Kernel's arguments, by position.
        depends_on
            The event or events that the command waits for, beside those of its buffers and arrays.
        wait
            False returns at once in any case, True when the command is done.
        offset
            Added to the ids, for each dimension of a plain range.
        preamble, options, name
            For a body: OpenCL C in front of the kernel, helper functions for one; options of the build; the kernel's name.
        **arguments
            A body's arrays, accessors, buffers, UsmArrays and local memory are pointers to their elements, and of rank 2
            and 3 also `x(i0, i1)` and `x(i0, i1, i2)`. A structured dtype is a C struct, `x_t` where the argument is `x`.
            Complex numbers are `cfloat` and `cdouble`, structs of `re` and `im`; bools are uchar and int.

        Returns
        -------
        Event
            The command's.

        Raises
        ------
        BoundsError
            A subscript that all work-items surely come to lies outside its array.
        BuildError
            The compiler refuses the text.

        Notes
        -----
        SYCL 2020, 4.6.5. A Python int is that literal of C: an int where it fits, else a long, else a ulong. A float takes
        the widest floating type among the arrays; without one it is double, or float where the device has no double. NumPy's
        scalars keep their type. What does not fit is refused.

        Examples
        --------
        >>> x = np.arange(4, dtype=np.float32)
        >>> _ = q.parallel_for(4, "x[i] = a * x[i] + n0;", x=x, a=2)
        >>> x
        array([ 4.,  6.,  8., 10.], dtype=float32)
        """

    @_core.entry
    def parallel_scan(
        self,
        range: Sizes,
        first: str,
        second: str | None = None,
        /,
        *,
        axis: SupportsIndex | None = None,
        reverse: bool = False,
        **arguments: Any,
    ) -> Event:
        """Run scanners through a range: any prefix computation; one command.

        Parameters
        ----------
        range
            A number of elements, or up to three of them as a tuple.
        first
            OpenCL C that says what the element `i` contributes, as a body does with reducers: `t += x[i]`, `t.combine(v)`,
            `t++`. `t.restart(condition)` begins the scan anew with this element; the first element is not asked. It may run
            several times for an element, so it writes nothing.
        second
            Runs for each element afterwards: `t` is the scan with the element, `t.before` without it. It may write what the
            first reads, at its own element. Without it there are only totals.
        axis
            The dimension that is scanned, each line by itself; None: the whole range in the order of `i`.
        reverse
            From the last element to the first.
        **arguments
            The scanners, `t=sycl.scanner(sycl.plus, "f4")`, and what parallel_for takes.

        Returns
        -------
        Event
            The command's.

        Raises
        ------
        InvalidParameterError
            No scanner is among the arguments, or a reduction is.
        BuildError
            The compiler refuses a text, or a scanner cannot do what it says.

        Examples
        --------
        >>> x = np.array([3, -1, 4, -1, 5], np.int32)
        >>> y = np.zeros_like(x)
        >>> n = np.zeros(1, np.uint32)
        >>> _ = q.parallel_scan(5, "t += x[i] > 0;", "if (x[i] > 0) y[t.before] = x[i];",
        ...                     x=x, y=y, t=sycl.scanner(sycl.plus, "u4", total=n))
        >>> y[:n[0]]
        array([3, 4, 5], dtype=int32)
        """
        return self.parallel_for(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.entry
    def scan_kernel(
        self,
        range: Sizes,
        first: str,
        second: str | None = None,
        /,
        *,
        axis: SupportsIndex | None = None,
        reverse: bool = False,
        **arguments: Any,
    ) -> PreparedKernel:
        """A scan to be submitted over and over, as `kernel` prepares a body. The rest is as with parallel_scan.

        Parameters
        ----------
        range
            A number of elements, or up to three of them as a tuple.
        first
            What an element contributes.
        second
            What runs for each element afterwards.
        axis
            The dimension that is scanned; None: the whole range.
        reverse
            From the last element to the first.
        **arguments
            The scanners, and what parallel_for takes.

        Returns
        -------
        PreparedKernel

        Examples
        --------
        >>> x = np.ones(4, np.int32)
        >>> step = queue.scan_kernel(4, "t += x[i];", "x[i] = t;", x=x, t=sycl.scanner(sycl.plus, "i4"))
        >>> _ = step()
        >>> x.tolist()
        [1, 2, 3, 4]
        """
        return self.kernel(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.method
    def single_task(
        self,
        kernel: Kernel | str,
        /,
        *args: Any,
        depends_on: Events = None,
        wait: bool | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> Event:
        """Run a kernel once; one command. The rest is as with parallel_for.

        Parameters
        ----------
        kernel
            The text of a body, or a Kernel of a Program.
        *args
            A Kernel's arguments, by position.
        depends_on
            The event or events that the command waits for, beside those of its buffers and arrays.
        wait
            True returns when the command is done, False at once; None: as parallel_for does.
        preamble
            OpenCL C in front of the kernel.
        options
            Options of the build.
        name
            The kernel's name.
        **arguments
            A body's arguments, by name.

        Returns
        -------
        Event
            The command's.

        Examples
        --------
        >>> x = np.arange(5)
        >>> _ = q.single_task("for (int k = 1; k < n; k++) x[k] += x[k - 1];", x=x, n=x.size)
        >>> x
        array([ 0,  1,  3,  6, 10])
        """

    @_core.method
    def kernel(
        self,
        range: Sizes | NdRange | None,
        kernel: Kernel | str,
        /,
        *args: Any,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> PreparedKernel:
        """Convert, build and plan a launch once: a PreparedKernel, to be called, with new arguments if need be.

        The range None makes a single task.

        Parameters
        ----------
        range
            As with parallel_for; None makes a single task.
        kernel
            The text of a body, or a Kernel of a Program.
        *args
            A Kernel's arguments, by position.
        offset
            Added to the ids.
        preamble
            OpenCL C in front of the kernel.
        options
            Options of the build.
        name
            The kernel's name.
        **arguments
            A body's arguments, by name.

        Returns
        -------
        PreparedKernel

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> add = q.kernel(3, "x[i] += a;", x=x, a=1)
        >>> _ = add()
        >>> _ = add(a=10)
        >>> x
        array([11, 11, 11], dtype=int32)
        """

    @_core.method
    def copy(
        self, src: Any, dest: Any, count: Any = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Copy elements between accessors, buffers, arrays, UsmArrays and images; with arrays it waits as parallel_for does.

        `count` is a number of elements, or for images a range; None: all of `src`. Both are of one type. Two accessors or
        buffers have one shape too; an array or UsmArray takes the elements in the order of their indices, and may be longer.

        Parameters
        ----------
        src
            Where it comes from.
        dest
            Where it goes.
        count
            A number of elements, or for images a range; None: all.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> y = np.empty(3, b.dtype)
        >>> _ = q.copy(b, y)
        >>> y
        array([0, 1, 2])
        """

    @_core.method
    def fill(
        self, dest: Any, pattern: Any, count: Any = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Set the elements of an accessor, a buffer, an array or a UsmArray to one value.

        Parameters
        ----------
        dest
            Where it goes.
        pattern
            The value.
        count
            A number of elements, or for images a range; None: all.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.fill(u, 7).wait()
        >>> np.asarray(u).tolist()
        [7, 7, 7, 7]
        """

    @_core.method
    def memcpy(
        self, dest: Any, src: Any, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Copy bytes between UsmArrays, arrays and both; None: all of `src`.

        Parameters
        ----------
        dest
            Where it goes.
        src
            Where it comes from.
        nbytes
            How many bytes; None: all.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.memcpy(u, np.arange(4, dtype=np.int32))
        >>> np.asarray(u).tolist()
        [0, 1, 2, 3]
        """

    @_core.method
    def memset(
        self, ptr: Any, value: int, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Set bytes of a UsmArray or an array to a value from 0 to 255; None: all.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        value
            The handle, or a number from 0 to 255.
        nbytes
            How many bytes; None: all.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.memset(u, 0).wait()
        >>> np.asarray(u).tolist()
        [0, 0, 0, 0]
        """

    @_core.method
    def update_host(self, acc: Any, *, depends_on: Events = None, wait: bool | None = None) -> Event:
        """Bring the host's copy of the accessor's buffer up to date.

        Parameters
        ----------
        acc
            The accessor.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> queue.update_host(b).wait()
        >>> np.asarray(b).tolist()
        [0, 1, 2]
        """

    @_core.method
    def prefetch(
        self, ptr: Any, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Hint that the device will soon use a UsmArray.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        nbytes
            How many bytes; None: all.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> queue.prefetch(u).wait()
        """

    @_core.method
    def mem_advise(
        self, ptr: Any, nbytes: int | None, advice: Any, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Hint how a UsmArray will be used; advice 0 takes it back.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        nbytes
            How many bytes; None: all.
        advice
            The device's number.
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
        SYCL 2020, 4.9.4.3.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> queue.mem_advise(u, None, 0).wait()
        """

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
            The handle, or a number from 0 to 255.
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
