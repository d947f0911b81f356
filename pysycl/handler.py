"""Handler: puts one command group together, inside `queue.submit`."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pysycl import _core
from pysycl._kernels.group_kernels import GroupKernels
from pysycl._kernels.group_reductions import GroupReductions
from pysycl._kernels.scan_text import scan_text
from pysycl.enums import AccessMode, Target
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.local import LocalAccessor, local

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import SupportsIndex

    from numpy.typing import DTypeLike

    from pysycl._data.memory_object import Memory
    from pysycl.accessor import Accessor
    from pysycl.buffer import Buffer
    from pysycl.event import Event
    from pysycl.program import Kernel
    from pysycl.queue import Queue
    from pysycl.ranges import NdRange, Sizes

    A = TypeVar("A")


def _access(buffer: Memory[A], handler: Handler, *how: Any) -> A:
    if not isinstance(buffer, _core.Buffer):
        raise InvalidParameterError(f"buffer: expected a Buffer, got {buffer!r}")
    return buffer._group_access(handler, *how)


@_core.bind
class Handler(GroupKernels, GroupReductions, _core.Handler):
    """The argument of a command group function: accessors, and at most one command.

    The commands are `parallel_for`, `single_task`, `host_task`, and the explicit memory operations. The command waits
    for what `depends_on` names, and for whatever the group's accessors need, whether it uses them or not.

    As the value of `with queue.submit() as h:` it is submitted when the block ends, which waits for the command where
    `submit` does; then `h.event` is the command's event. An exception in the block submits nothing. A group without a
    command is an empty command that orders as its accessors do.

    Parameters
    ----------
    queue, wait
        Of the submission: `queue.submit` makes handlers.

    Notes
    -----
    SYCL 2020, 4.9.4. A handler, and what was made with it, is of use only until its group has ended.

    Examples
    --------
    >>> x, b = np.arange(3), sycl.Buffer(3, np.int64)
    >>> with queue.submit() as h:
    ...     h.copy(x, h.write(b))
    >>> np.asarray(b)
    array([0, 1, 2])
    """

    __slots__ = ("_event",)
    _event: Event

    def __new__(cls, queue: Queue, wait: bool | None = None) -> Handler:
        return super().__new__(cls, queue, wait)

    @_core.entry
    def read(
        self,
        buffer: Memory[A],
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> A:
        """An accessor that reads the Buffer, or a range of it; or an image.

        Parameters
        ----------
        buffer
            The Buffer, or an image.
        range
            How many elements, for each dimension; None: all.
        offset
            The first element; None: that of the buffer.
        no_init
            What was there before is of no matter.
        target
            "device", "host_task", or "constant_buffer" for a `__constant` pointer.

        Returns
        -------
        Accessor
            Of an image its own kind of accessor.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(3, "y[i] = 2 * b[i];", b=h.read(b), y=(y := np.zeros(3, b.dtype)))
        >>> y.tolist()
        [0, 2, 4]
        """
        return _access(buffer, self, AccessMode.read, range, offset, no_init, target)

    @_core.entry
    def write(
        self,
        buffer: Memory[A],
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> A:
        """An accessor that writes the Buffer, or a range of it; or an image. What it does not write stays, but for
        `no_init`.

        Parameters
        ----------
        buffer
            The Buffer, or an image.
        range
            How many elements, for each dimension; None: all.
        offset
            The first element; None: that of the buffer.
        no_init
            What was there before is of no matter.
        target
            "device", "host_task", or "constant_buffer" for a `__constant` pointer.

        Returns
        -------
        Accessor
            Of an image its own kind of accessor.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(3, "b[i] = 2 * i;", b=h.write(b))
        >>> np.asarray(b).tolist()
        [0, 2, 4]
        """
        return _access(buffer, self, AccessMode.write, range, offset, no_init, target)

    @_core.entry
    def read_write(
        self,
        buffer: Buffer,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Accessor:
        """An accessor that reads and writes the Buffer, or a range of it.

        Parameters
        ----------
        buffer
            The Buffer, or an image.
        range
            How many elements, for each dimension; None: all.
        offset
            The first element; None: that of the buffer.
        no_init
            What was there before is of no matter.
        target
            "device", "host_task", or "constant_buffer" for a `__constant` pointer.

        Returns
        -------
        Accessor

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(3, "b[i] *= 2;", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [0, 2, 4]
        """
        return _access(buffer, self, AccessMode.read_write, range, offset, no_init, target)

    def local(self, shape: SupportsIndex | Iterable[SupportsIndex], dtype: DTypeLike) -> LocalAccessor:
        """Local memory of a shape and dtype, for each work-group its own; `()` for one element.

        Parameters
        ----------
        shape
            The number of elements, or a tuple; `()` for one element.
        dtype
            Their type.

        Returns
        -------
        LocalAccessor

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(sycl.NdRange(3, 3), "t[local_id(0)] = b[i]; group_barrier(work_group); b[i] = t[2 - local_id(0)];",
        ...                    b=h.read_write(b), t=h.local(3, b.dtype))
        >>> np.asarray(b).tolist()
        [2, 1, 0]
        """
        self._check("local")
        return local(shape, dtype)

    @_core.method
    def parallel_for(
        self,
        range: Sizes | NdRange,
        kernel: Kernel | str,
        /,
        *args: Any,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: a kernel, once for each index of the range. Arguments are as with Queue.parallel_for.

        Parameters
        ----------
        range
            A number of work-items, up to three of them as a tuple, or an NdRange.
        kernel
            The text of a body, or a Kernel of a Program.
        *args
            A Kernel's arguments, by position.
        offset
            Added to the ids, for each dimension.
        preamble
            OpenCL C in front of the kernel.
        options
            Options of the build.
        name
            The kernel's name.
        **arguments
            A body's arguments, by name.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with q.submit() as h:
        ...     h.parallel_for(3, "x[i] *= 2;", x=h.read_write(b))
        >>> np.asarray(b.get_host_access())
        array([0, 2, 4])
        """

    @_core.method
    def parallel_for_work_group(
        self,
        groups: Sizes,
        group_size_or_body: Sizes | str,
        body: str | None = None,
        /,
        *,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: the text of a work-group, once for each of them.

        `parallel_for_work_group(groups, body)` leaves the size of the groups to the runtime.

        Parameters
        ----------
        groups
            How many work-groups, for each dimension.
        group_size_or_body
            How many work-items a group has, or the text.
        body
            The text of a work-group.
        preamble
            OpenCL C in front of the kernel.
        options
            Options of the build.
        name
            The kernel's name.
        **arguments
            A body's arguments, by name.

        Notes
        -----
        SYCL 2020, 4.9.4.2.3.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for_work_group(1, 3, "parallel_for_work_item { b[global_id(0)] *= 2; }", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [0, 2, 4]
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
    ) -> None:
        """Make the group's command: a scan. Arguments are as with Queue.parallel_scan.

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
            A body's arguments, by name.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_scan(3, "t += b[i];", "b[i] = t;", b=h.read_write(b), t=sycl.scanner(sycl.plus, b.dtype))
        >>> np.asarray(b).tolist()
        [0, 1, 3]
        """
        self.parallel_for(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.method
    def single_task(
        self,
        kernel: Kernel | str,
        /,
        *args: Any,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: a kernel, once. Arguments are as with Queue.parallel_for.

        Parameters
        ----------
        kernel
            The text of a body, or a Kernel of a Program.
        *args
            A Kernel's arguments, by position.
        preamble
            OpenCL C in front of the kernel.
        options
            Options of the build.
        name
            The kernel's name.
        **arguments
            A body's arguments, by name.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.single_task("b[0] = 7;", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [7, 1, 2]
        """

    @_core.method
    def copy(self, src: Any, dest: Any, count: Any = None) -> None:
        """Make the group's command: a copy, as Queue.copy.

        Parameters
        ----------
        src
            Where it comes from.
        dest
            Where it goes.
        count
            A number of elements, or for images a range; None: all.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.copy(h.read(b), y := np.zeros(3, b.dtype))
        >>> y.tolist()
        [0, 1, 2]
        """

    @_core.method
    def fill(self, dest: Any, pattern: Any, count: Any = None) -> None:
        """Make the group's command: elements set to one value, as Queue.fill.

        Parameters
        ----------
        dest
            Where it goes.
        pattern
            The value.
        count
            A number of elements, or for images a range; None: all.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.fill(h.write(b), 5)
        >>> np.asarray(b).tolist()
        [5, 5, 5]
        """

    @_core.method
    def memcpy(self, dest: Any, src: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a copy of bytes, as Queue.memcpy.

        Parameters
        ----------
        dest
            Where it goes.
        src
            Where it comes from.
        nbytes
            How many bytes; None: all.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.memcpy(u, np.arange(4, dtype=np.int32))
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [0, 1, 2, 3]
        """

    @_core.method
    def memset(self, ptr: Any, value: int, nbytes: int | None = None) -> None:
        """Make the group's command: bytes set to one value, as Queue.memset.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        value
            From 0 to 255.
        nbytes
            How many bytes; None: all.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.memset(u, 0)
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [0, 0, 0, 0]
        """

    @_core.method
    def update_host(self, acc: Any) -> None:
        """Make the group's command: the host's copy of the accessor's buffer is brought up to date.

        Parameters
        ----------
        acc
            The accessor.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.update_host(h.read(b))
        >>> np.asarray(b).tolist()
        [0, 1, 2]
        """

    @_core.method
    def prefetch(self, ptr: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a hint that the device will soon use a UsmArray.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        nbytes
            How many bytes; None: all.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.prefetch(u)
        >>> queue.wait()
        """

    @_core.method
    def mem_advise(self, ptr: Any, nbytes: int | None, advice: Any) -> None:
        """Make the group's command: a hint how a UsmArray will be used; advice 0 takes it back.

        Parameters
        ----------
        ptr
            A UsmArray, or for memset an array.
        nbytes
            How many bytes; None: all.
        advice
            The device's number.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.mem_advise(u, None, 0)
        >>> queue.wait()
        """

    @_core.method
    def host_task(self, callable: Callable[..., object], /) -> None:
        """Make the group's command: a call of Python, on a thread of its own.

        Parameters
        ----------
        callable
            It takes nothing, or an InteropHandle.

        Notes
        -----
        SYCL 2020, 4.10.

        Examples
        --------
        >>> seen = []
        >>> with queue.submit() as h:
        ...     h.host_task(lambda: seen.append(1))
        >>> queue.wait()
        >>> seen
        [1]
        """

    @_core.method
    def require(self, accessor: Any, /) -> None:
        """The command needs what the placeholder asks for. Twice is harmless.

        Parameters
        ----------
        accessor
            The placeholder.

        Notes
        -----
        SYCL 2020, 4.9.4.1.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> a = sycl.Accessor(b)
        >>> with queue.submit() as h:
        ...     h.require(a)
        ...     h.parallel_for(3, "a[i] *= 2;", a=a)
        >>> np.asarray(b).tolist()
        [0, 2, 4]
        """

    @_core.method
    def depends_on(self, events: Event | Iterable[Event], /) -> None:
        """The command waits for the event or events too.

        Parameters
        ----------
        events
            An event, or several.

        Notes
        -----
        SYCL 2020, 4.9.4.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> filled = queue.fill(u, 1)
        >>> with queue.submit() as h:
        ...     h.depends_on(filled)
        ...     h.parallel_for(4, "u[i] += 1;", u=u)
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [2, 2, 2, 2]
        """

    @_core.method
    def set_arg(self, index: int, value: Any, /) -> None:
        """Set one argument of the kernel to come; they count from 0. SYCL 2020, 4.9.4.1.

        The value is what a launch takes in that place. A Buffer stands for an accessor of all of it, which reads what the
        kernel declares const and else reads and writes; an array goes there and back with this one command. C++ refuses
        both, because nothing there could tell what the kernel does with them: here its signature tells. An address is no
        argument.

        Parameters
        ----------
        index
            The place of the parameter.
        value
            What a launch takes in that place.

        Examples
        --------
        >>> add = sycl.Program("kernel void add(global int *x, int a) { x[get_global_id(0)] += a; }").add
        >>> b = sycl.Buffer(np.zeros(3, np.int32))
        >>> with queue.submit() as h:
        ...     h.set_arg(0, b)
        ...     h.set_arg(1, 4)
        ...     h.parallel_for(3, add)
        >>> np.asarray(b).tolist()
        [4, 4, 4]
        """

    @_core.method
    def set_args(self, /, *values: Any) -> None:
        """Set the arguments of the kernel to come.

        Parameters
        ----------
        *values
            In the order of the parameters.

        Notes
        -----
        SYCL 2020, 4.9.4.1.

        Examples
        --------
        >>> add = sycl.Program("kernel void add(global int *x, int a) { x[get_global_id(0)] += a; }").add
        >>> b = sycl.Buffer(np.zeros(3, np.int32))
        >>> with queue.submit() as h:
        ...     h.set_args(b, 4)
        ...     h.parallel_for(3, add)
        >>> np.asarray(b).tolist()
        [4, 4, 4]
        """

    def _has_ended(self) -> bool:
        try:
            self._check("submit")
        except InvalidError:
            return True
        return False

    @property
    def event(self) -> Event:
        """The command's event, once the group has ended."""
        try:
            return self._event
        except AttributeError:
            raise InvalidError("the command group has not been submitted: it has no event yet") from None

    def __enter__(self) -> Handler:
        return self

    @_core.entry
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._event = self._submit()
        else:
            self._discard()

    def __copy__(self) -> NoReturn:
        raise TypeError("a handler cannot be copied: it belongs to its command group")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise TypeError("a handler cannot be copied: it belongs to its command group")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a handler cannot be pickled: it belongs to its command group")
