"""Handler: puts one command group together, inside `queue.submit`."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pysycl import _core
from pysycl._commands.handler_kernels import HandlerKernels
from pysycl._kernels.group_kernels import GroupKernels
from pysycl._kernels.group_reductions import GroupReductions
from pysycl.enums import AccessMode, Target
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.local import LocalAccessor, local

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import SupportsIndex

    from numpy.typing import DTypeLike

    from pysycl._data.memory_object import Memory
    from pysycl.accessor import Accessor
    from pysycl.buffer import Buffer
    from pysycl.event import Event
    from pysycl.queue import Queue
    from pysycl.ranges import Sizes

    A = TypeVar("A")


def _access(buffer: Memory[A], handler: Handler, *how: Any) -> A:
    if not isinstance(buffer, _core.Buffer):
        raise InvalidParameterError(f"buffer: expected a Buffer, got {buffer!r}")
    return buffer._group_access(handler, *how)


@_core.bind
class Handler(GroupKernels, GroupReductions, HandlerKernels):
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

        Parameters, Returns as for `Handler.read`.

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

        Parameters as for `Handler.read`.

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
        """The command needs what the placeholder asks for. Twice is harmless. SYCL 2020, 4.9.4.1.

        Parameters
        ----------
        accessor
            The placeholder.

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
        """The command waits for the event or events too. SYCL 2020, 4.9.4.

        Parameters
        ----------
        events
            An event, or several.

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
