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

    Notes
    -----
    SYCL 2020, 4.9.4. A handler, and what was made with it, is of use only until its group has ended.
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
        """An accessor that reads the Buffer, or a range of it; or an image."""
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
        `no_init`."""
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
        """An accessor that reads and writes the Buffer, or a range of it."""
        return _access(buffer, self, AccessMode.read_write, range, offset, no_init, target)

    def local(self, shape: SupportsIndex | Iterable[SupportsIndex], dtype: DTypeLike) -> LocalAccessor:
        """Local memory of a shape and dtype, for each work-group its own; `()` for one element."""
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

        `parallel_for_work_group(groups, body)` leaves the size of the groups to the runtime. SYCL 2020, 4.9.4.2.3.
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
        """Make the group's command: a scan. Arguments are as with Queue.parallel_scan."""
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
        """Make the group's command: a kernel, once. Arguments are as with Queue.parallel_for."""

    @_core.method
    def copy(self, src: Any, dest: Any, count: Any = None) -> None:
        """Make the group's command: a copy, as Queue.copy."""

    @_core.method
    def fill(self, dest: Any, pattern: Any, count: Any = None) -> None:
        """Make the group's command: elements set to one value, as Queue.fill."""

    @_core.method
    def memcpy(self, dest: Any, src: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a copy of bytes, as Queue.memcpy."""

    @_core.method
    def memset(self, ptr: Any, value: int, nbytes: int | None = None) -> None:
        """Make the group's command: bytes set to one value, as Queue.memset."""

    @_core.method
    def update_host(self, acc: Any) -> None:
        """Make the group's command: the host's copy of the accessor's buffer is brought up to date."""

    @_core.method
    def prefetch(self, ptr: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a hint that the device will soon use a UsmArray."""

    @_core.method
    def mem_advise(self, ptr: Any, nbytes: int | None, advice: Any) -> None:
        """Make the group's command: a hint how a UsmArray will be used; advice 0 takes it back."""

    @_core.method
    def host_task(self, callable: Callable[..., object], /) -> None:
        """Make the group's command: a call of Python, on a thread of its own. SYCL 2020, 4.10."""

    @_core.method
    def require(self, accessor: Any, /) -> None:
        """The command needs what the placeholder asks for. Twice is harmless. SYCL 2020, 4.9.4.1."""

    @_core.method
    def depends_on(self, events: Event | Iterable[Event], /) -> None:
        """The command waits for the event or events too. SYCL 2020, 4.9.4."""

    @_core.method
    def set_arg(self, index: int, value: Any, /) -> None:
        """Set one argument of the kernel to come; they count from 0. SYCL 2020, 4.9.4.1.

        The value is what a launch takes in that place. A Buffer stands for an accessor of all of it, which reads what the
        kernel declares const and else reads and writes; an array goes there and back with this one command. C++ refuses
        both, because nothing there could tell what the kernel does with them: here its signature tells. An address is no
        argument.
        """

    @_core.method
    def set_args(self, /, *values: Any) -> None:
        """Set the arguments of the kernel to come. SYCL 2020, 4.9.4.1."""

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
