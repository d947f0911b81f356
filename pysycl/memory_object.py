"""What buffers and images share: properties, where the data goes, and the end. SYCL 2020, 4.7.2.3, 4.7.3.4, 4.7.4."""

from __future__ import annotations

import math
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pysycl import _core
from pysycl.errors import InvalidObjectError, SyclError, SyclWarning
from pysycl.final_data import Host, Life, TookTooLongError, remember
from pysycl.overlap import register
from pysycl.properties import HasProperties

if TYPE_CHECKING:
    from pysycl.buffer_mutex import Mutex
    from pysycl.context import Context
    from pysycl.final_data import Destination
    from pysycl.source import Array

    Allocator = Callable[[int], Any]


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


def made_with(use_host_ptr: bool, use_mutex: Mutex | None, context_bound: Context | None) -> dict[str, Any]:
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

    def _begin(self, array: Array | None, writes: bool, mutex: Mutex | None) -> None:
        """The object was made. `array`: the user's, in use as long as it lives."""
        life = self._life
        if array is not None:
            life.array = weakref.ref(array)
            register(life, array, writes)
        if mutex is not None:
            from pysycl.buffer_mutex import attach

            life.guard = attach(self, mutex, _bring_home)
        if life.has_goal:
            remember(self)

    @property
    def _properties(self) -> Mapping[str, Any]:
        return self._made_with

    @property
    def allocator(self) -> Allocator | None:
        """The allocator that was given."""
        return self._life.allocator

    def get_allocator(self) -> Allocator | None:
        """The same as `allocator`."""
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

    def close(self) -> None:
        """Give up this handle. The last one is the memory's end: it waits where SYCL says so, and writes back.

        Errors of that are never raised: they are those of commands, which their queues tell, or a SyclWarning.

        Raises
        ------
        AccessorError
            This thread holds a host accessor on the memory, so that the end would never come.
        MemoryAllocationError
            There is no memory for a copy on the way back. As with the other, the handle stays open.
        """
        self._life.end(self)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The end of the memory, and of all that was made from it; of a part's own block, the end of the part."""
        self._life.end_block(self)

    def __del__(self) -> None:
        if sys.is_finalizing():
            return
        try:
            self._life.end(self)
        except (SyclError, TookTooLongError) as error:
            warnings.warn(f"{self!r} was dropped and could not be written back: {error}", SyclWarning, stacklevel=2)

    def _check_open(self) -> None:
        if self.is_closed:
            raise InvalidObjectError("the buffer is closed")


class WritesBack(MemoryObject):
    """A handle on memory that commands may write: where the contents go."""

    __slots__ = ()

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
        """
        self._check_open()
        self._life.redirect(destination)
        self._leave_array_alone()
        if self._life.has_goal:
            remember(self)

    def set_write_back(self, flag: bool = True) -> None:
        """Whether the contents are written back at the end. Without anywhere to write to it has no effect.

        Notes
        -----
        With False an array stays as it is, if nothing has written to the memory by now.
        """
        self._check_open()
        self._life.writes_back = bool(flag)
        if not flag:
            self._leave_array_alone()

    def _leave_array_alone(self) -> None:
        """The user's array is not to be the storage any more: what is written must not show there."""
        if self._life.host is not Host.none:
            self._spare_array()
