"""HostAccessor: the host's own access to a buffer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pysycl import _core
from pysycl.accessor import Accessor, Mode, ModeTag, Region, mode_number
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl._data.memory_object import MemoryObject
    from pysycl.buffer import Buffer
    from pysycl.handler import Handler
    from pysycl.ranges import Sizes


@_core.bind
class HostAccessor(Region, _core.HostAccessor):
    """The host's access to a buffer, from the constructor's return until `close`.

    The constructor waits until the data is here. Commands that are submitted meanwhile, and that use the buffer in a way
    that conflicts, wait for the end of the access. As a context manager its value is a NumPy array:

        with buffer.host_access("read_write") as a:
            a += 1

    Parameters
    ----------
    buffer
        The buffer or sub-buffer. Without one the accessor is empty.
    mode
        "read" (the array cannot be written), "write" or "read_write"; an AccessMode or a tag.
    range, offset
        The part that is wanted; the array has the shape of the range.
    no_init, noinit
        The contents may be dropped; `noinit` is the draft's spelling.
    handler
        A command group: then nothing waits, and what comes back is an Accessor for the group's host task.

    Raises
    ------
    AccessorError
        This very thread holds an access that must end before this one could be granted.
    SyclError
        What a command failed with that should have written the data.

    Notes
    -----
    SYCL 2020, 4.7.6.10. The memory need not be that of the array that the buffer was made from. Views that outlive the
    access keep the memory alive but not current, and the array itself becomes read-only when the access ends.

    Examples
    --------
    >>> b = sycl.Buffer(np.arange(4))
    >>> with sycl.HostAccessor(b, "read_write", range=2, offset=1) as a:
    ...     a += 10
    >>> np.asarray(b)
    array([ 0, 11, 12,  3])
    """

    __slots__ = ("_handed_out",)

    @_core.entry
    def __new__(
        cls,
        buffer: Buffer | None = None,
        mode: Mode = None,
        *,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        no_init: bool = False,
        noinit: bool = False,
        handler: Handler | None = None,
    ) -> HostAccessor:
        if buffer is None:
            return super().__new__(cls)
        if not isinstance(buffer, _core.Buffer) or not hasattr(buffer, "sub_buffer"):
            raise InvalidParameterError(f"buffer: expected a Buffer, got {buffer!r}")
        if handler is not None:
            chosen = mode.mode if isinstance(mode, ModeTag) else mode
            drops = no_init or noinit
            return Accessor(  # type: ignore[return-value]
                buffer, handler, chosen, range=range, offset=offset, no_init=drops, target="host_task"
            )
        number, drops = mode_number(mode, buffer.read_only)
        return cls._granted(buffer, number, range, offset, no_init or noinit or drops)

    @classmethod
    def _granted(
        cls, memory: MemoryObject, number: int, range: Sizes | None, offset: Sizes | None, no_init: bool
    ) -> Self:
        """The access to a buffer or an image, once it is granted."""
        guard = memory._life.guard
        if guard is not None:
            guard.enter()
        try:
            self = super().__new__(cls, memory, number, range, offset, no_init, False)
            self._wait(math.inf)
        except BaseException:
            if guard is not None:
                guard.leave(None)
            raise
        return self

    @property
    def data(self) -> Array:
        """The elements. InvalidObjectError: the access has ended."""
        if self._is_null:
            import numpy as np

            return np.empty(0)
        if self.is_closed:
            raise InvalidObjectError("the host accessor is closed")
        return self._array()

    def close(self) -> None:
        """End the access: commands that wait for it may start. Again is harmless.

        Examples
        --------
        >>> a = sycl.Buffer(np.arange(4)).host_access("read")
        >>> int(a.data.sum())
        6
        >>> a.close()
        """
        if self._is_null or self.is_closed:
            return
        buffer = self._buffer
        guard = buffer._life.guard if buffer is not None else None
        self._lock_array()
        self._end()
        if guard is not None:
            guard.leave(None)

    def __enter__(self) -> Array:
        return self.data

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        import numpy as np

        return np.array(self.data, dtype, copy=copy)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.data.__array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the host's memory

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data)

    def __repr__(self) -> str:
        if self._is_null:
            return "<pysycl.HostAccessor, empty>"
        state = ", closed" if self.is_closed else ""
        return f"<pysycl.HostAccessor {self.mode.value} {self.dtype} {self.shape}{state}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a host accessor cannot be pickled: it stands for an access in this process")
