"""Shared by buffers and images: properties, where the data goes, and the end. SYCL 2020, 4.7.2.3, 4.7.3.4, 4.7.4."""

from __future__ import annotations

import math
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from pysycl import _core
from pysycl._data.final_data import Host, Life, TookTooLongError, put_off, remember
from pysycl._data.overlap import register
from pysycl._data.shown import shown
from pysycl._runtime.properties import HasProperties
from pysycl.errors import InvalidObjectError, InvalidParameterError, SyclError, SyclWarning
from pysycl.host_accessor import HostAccessor
from pysycl.ranges import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from pysycl._data.buffer_mutex import Mutex
    from pysycl._data.final_data import Destination
    from pysycl._data.host_memory import Array
    from pysycl.context import Context
    from pysycl.enums import AccessMode, Target
    from pysycl.handler import Handler

    Allocator = Callable[[int], Any]
    A_co = TypeVar("A_co", covariant=True)

    class Memory(Protocol[A_co]):
        """A Buffer or an image: what command groups have accessors of, of the type A_co."""

        def _group_access(
            self, handler: Handler, mode: AccessMode, range: Any, offset: Any, no_init: bool, target: Target | str, /
        ) -> A_co: ...


class UseMutex(NamedTuple):
    """The property use_mutex: the runtime holds the mutex while it uses the data."""

    mutex: Any

    def get_mutex_ptr(self) -> Any:
        """The mutex."""
        return self.mutex


class ContextBound(NamedTuple):
    """The property context_bound: the data can be used in one context only."""

    context: Context

    def get_context(self) -> Context:
        """The context."""
        return self.context


def _made_with(use_host_ptr: bool, use_mutex: Mutex | None, context_bound: Context | None) -> dict[str, Any]:
    """The properties that were given, as the object tells them."""
    properties: dict[str, Any] = {}
    if use_host_ptr:
        properties["use_host_ptr"] = True
    if context_bound is not None:
        properties["context_bound"] = ContextBound(context_bound)
    if use_mutex is not None:
        properties["use_mutex"] = UseMutex(use_mutex)
    return properties


def _bring_home(handle: MemoryObject) -> None:
    """For use_mutex: the user's array is brought up to date while the mutex is still held."""
    if not handle._life.redirected and handle._life.has_goal:
        handle._write_back(math.inf)
        handle._hand_over()  # whoever has the mutex may change the array


class MemoryObject(HasProperties, _core.Buffer):
    """A handle on memory: its properties, and its end."""

    __slots__ = ()
    _life: Life
    _accessors: ClassVar[tuple[type, type]]  # those of commands, and the host's
    _contents_access: ClassVar[type[HostAccessor]] = HostAccessor

    @classmethod
    def _make(
        cls,
        life: Life,
        memory: Any,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        users: Array | None,
        in_place: bool,
        image: tuple[Any, ...],
        read_only: bool,
        use_host_ptr: bool,
        use_mutex: Mutex | None,
        context_bound: Context | None,
    ) -> Self:
        """A new object. `users`: the user's array, in use as long as it lives. `image`: empty, or its description."""
        if life.allocator is not None and not callable(life.allocator):
            raise InvalidParameterError(f"allocator: expected a callable or None, got {life.allocator!r}")
        properties = _made_with(use_host_ptr, use_mutex, context_bound)
        self = None
        try:
            self = super().__new__(
                cls, memory, shape, dtype, dtype.itemsize, dtype.alignment, in_place, use_host_ptr, read_only,
                context_bound, life.allocator, properties, life, *image,
            )  # fmt: skip
            if users is not None:
                life.array = weakref.ref(users)
                register(life, users, life.host in (Host.written, Host.shared))
            if use_mutex is not None:
                from pysycl._data.buffer_mutex import attach

                life.guard = attach(self, use_mutex, _bring_home)
            if life.has_goal:
                remember(self)
        except BaseException:  # Ctrl-C: the traceback would keep it, and the array in use
            if self is not None:
                life.end(self)
            raise
        return self

    def _handle(self, low: int, shape: tuple[int, ...], dtype: np.dtype[Any], is_sub: bool) -> Self:
        """Another handle, on a part or on all of it."""
        part = self._part(low, shape, dtype, dtype.itemsize, is_sub)
        self._life.add_part(part)
        if self._life.has_goal:
            remember(part)
        return part

    @property
    def _properties(self) -> Mapping[str, Any]:
        return self._made_with

    @property
    def allocator(self) -> Allocator | None:
        """The allocator that was given."""
        return self._life.allocator

    def get_allocator(self) -> Allocator | None:
        """The same as `allocator`.

        Returns
        -------
        callable, None

        Examples
        --------
        >>> sycl.Buffer(3, np.int32).get_allocator() is None
        True
        """
        return self._life.allocator

    @property
    def int_ptr(self) -> int:
        """The cl_mem, of the first context where commands used it; valid as long as the buffer. See opencl.get_native.

        Raises
        ------
        InvalidObjectError
            No command has used it yet, so there is none.
        """
        natives = self._natives()
        if not natives:
            raise InvalidObjectError("there is no cl_mem yet: it is made when the first command uses the memory")
        return natives[0]

    @property
    def range(self) -> Range:
        """The number of elements in each dimension."""
        return Range(*self.shape)

    def get_range(self) -> Range:
        """The same as `range`.

        Returns
        -------
        Range

        Examples
        --------
        >>> sycl.Buffer((2, 3), np.int32).get_range()
        Range(2, 3)
        """
        return self.range

    def get_count(self) -> int:
        """The same as `size`. Deprecated in SYCL 2020.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.Buffer((2, 3), np.int32).get_count()
        6
        """
        return self.size

    def get_size(self) -> int:
        """The same as `byte_size`: a number of bytes. Deprecated in SYCL 2020.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.Buffer((2, 3), np.int32).get_size()
        24
        """
        return self.byte_size

    @_core.entry
    def get_access(self, *args: Any, **options: Any) -> Any:
        """An accessor for a command, with a handler as the first argument; else one for the host. SYCL 2020, 4.7.2.1.

        Parameters
        ----------
        *args, **options
            Of the accessor, behind the memory itself: of Accessor or HostAccessor, or of an image's own kinds.

        Returns
        -------
        Accessor, HostAccessor, or an image's

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for(3, "b[i] *= 2;", b=b.get_access(h, "read_write"))
        >>> with b.get_access("read") as a:
        ...     a.tolist()
        [0, 2, 4]
        """
        handler = args[0] if args else options.get("handler")
        return self._accessors[not isinstance(handler, _core.Handler)](self, *args, **options)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """A copy of the contents, after all that was submitted has written to them. A view cannot be had: it would
        not know of commands to come."""
        import numpy as np

        if copy is False:
            raise ValueError("this array is always a copy; use host_access() for the memory itself")
        with self._contents_access._granted(self, 0, None, None, False) as contents:
            return np.array(contents, dtype, copy=True)

    @_core.entry
    def close(self) -> None:
        """Give up this handle. The last one is the memory's end: it waits where SYCL says so, and writes back.

        Errors of that are never raised: they are those of commands, which their queues tell, or a SyclWarning.

        Raises
        ------
        AccessorError
            This thread holds a host accessor on the memory, so that the end would never come.
        MemoryAllocationError
            There is no memory for a copy on the way back. As with the other, the handle stays open.

        Examples
        --------
        >>> x = np.zeros(3)
        >>> b = sycl.Buffer(x)
        >>> event = queue.fill(b, 7.0)
        >>> b.close()
        >>> x
        array([7., 7., 7.])
        """
        self._life.end(self)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    @_core.entry
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The end of the memory, and of all that was made from it; of a part's own block, the end of the part."""
        self._life.end_block(self)

    def _dropped(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        """Stands for __del__: the binding calls it, and Ctrl-C is not lost. Names of modules may be gone by then."""
        if ends():
            return
        try:
            self._life.end(self)
        except (SyclError, TookTooLongError) as error:
            warnings.warn(f"{self!r} was dropped and could not be written back: {error}", SyclWarning, stacklevel=2)
        except BaseException as error:
            if not isinstance(error, Exception):
                put_off(self)
            raise

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """A notebook's view of it. The cell's result is no reference that counts: the memory may end all the same."""
        return shown(self)

    def _check_open(self) -> None:
        if self.is_closed:
            raise InvalidObjectError("the buffer is closed")


class WritesBack(MemoryObject):
    """A handle on memory that commands may write: where the contents go."""

    __slots__ = ()

    @_core.entry
    def set_final_data(self, destination: Destination | None = None) -> None:
        """Where the contents go at the end, if anything wrote to the memory.

        Parameters
        ----------
        destination
            An array; a weakref.ref to one, which plays no part if it is dead by then; a callable, which is given an
            array; or None: nowhere, and the end waits for nothing.

        Notes
        -----
        The array that the memory was made from stays as it is, if nothing has written to the memory by now.

        Examples
        --------
        >>> b = sycl.Buffer(3, np.int32)
        >>> found = np.zeros(3, np.int32)
        >>> b.set_final_data(found)
        >>> event = queue.parallel_for(3, "b[i] = i;", b=b)
        >>> b.close()
        >>> found
        array([0, 1, 2], dtype=int32)
        """
        self._check_open()
        self._life.redirect(destination)
        self._leave_array_alone()
        if self._life.has_goal:
            remember(self)

    def set_write_back(self, flag: bool = True) -> None:
        """Whether the contents are written back at the end. Without anywhere to write to it has no effect.

        Parameters
        ----------
        flag
            False: they are not.

        Notes
        -----
        With False an array stays as it is, if nothing has written to the memory by now.

        Examples
        --------
        >>> x = np.zeros(3)
        >>> b = sycl.Buffer(x)
        >>> b.set_write_back(False)
        >>> event = queue.fill(b, 7.0)
        >>> b.close()
        >>> x
        array([0., 0., 0.])
        """
        self._check_open()
        self._life.writes_back = bool(flag)
        if not flag:
            self._leave_array_alone()

    def _leave_array_alone(self) -> None:
        """The user's array is not to be the storage any more: what is written must not show there."""
        if self._life.host is not Host.none:
            self._spare_array()
