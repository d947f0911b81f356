"""InteropHandle: the native objects behind a host task."""

from __future__ import annotations

from typing import NoReturn

from pysycl import _core
from pysycl.enums import Backend


@_core.bind
class InteropHandle(_core.InteropHandle):
    """The argument of a host task's function that takes one: native objects, as the integers that `int_ptr` gives.

    `get_native_queue`, `get_native_context`, `get_native_device` and `get_native_platform` are those of the queue that
    took the command group (the secondary one, if it fell back to that). `get_native_mem(accessor)` is the cl_mem of an
    accessor of the group with the target device or constant, which holds the current contents.

    Raises
    ------
    InvalidObjectError
        The accessor is not one of the command group, or the host task has ended.

    Notes
    -----
    SYCL 2020, 4.11.2. The handle, and what it gives, is of use only while the host task runs; commands that the task
    puts into the native queue must have ended by then, too. There is no constructor.

    Examples
    --------
    >>> found = []
    >>> with queue.submit() as h:
    ...     h.host_task(lambda handle: found.append(handle.get_native_context()))
    >>> h.event.wait()
    >>> found == [queue.context.int_ptr]
    True
    """

    __slots__ = ()

    def __new__(cls) -> NoReturn:
        raise TypeError("an InteropHandle cannot be made: a host task's function gets one")

    @property
    def backend(self) -> Backend:
        """Whose native objects they are: always OpenCL's."""
        return Backend.opencl

    def __repr__(self) -> str:
        return "<pysycl.InteropHandle>"
