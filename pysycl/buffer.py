"""Buffer: data that host and devices share, and that brings the commands that use it into order by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._data.buffer_source import fits_in_place, sort_out
from pysycl._data.final_data import Host, Life
from pysycl._data.final_data import close_all as close_all
from pysycl._data.host_memory import (
    CPU,
    compared,
    element_type,
    has_elements,
    sizes,
)
from pysycl._data.memory_object import WritesBack
from pysycl._data.one_element import OneElement
from pysycl._data.slices import is_contiguous, part_of_key
from pysycl.accessor import Accessor, Mode
from pysycl.errors import InvalidObjectError, InvalidParameterError
from pysycl.host_accessor import HostAccessor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from pysycl._data.buffer_mutex import Mutex
    from pysycl._data.host_memory import Array
    from pysycl._data.memory_object import Allocator
    from pysycl.context import Context
    from pysycl.enums import AccessMode, Target
    from pysycl.event import Event
    from pysycl.handler import Handler
    from pysycl.ranges import Sizes


@_core.bind
class Buffer(OneElement, WritesBack):
    """Data in one to three dimensions that host and devices share.

    Commands and host accessors that use a buffer wait for each other where they must, in the order of their submission,
    whatever queue, device or driver they belong to; the data moves where it is needed by itself.

    Parameters
    ----------
    data
        - an array, or anything with the buffer protocol, an array interface or DLPack: wrapped. The array is the
          buffer's storage, or is read and written back where it cannot be that; it must be left alone until the buffer
          is closed. If anything wrote to the buffer the array has its contents then. A read-only array is never
          written: commands may write to the buffer all the same.
        - a shape (an int, a tuple, a Range) with a dtype: no host data, undefined contents, no waiting at the end.
        - a list or another iterable: copied, never written back.
        - a weakref.ref to an array: shared. Written back if somebody still holds the array then.
        - None, with range and dtype: an array is made; `host_data` is it.
    dtype
        The element type. Structured types are fine; Python objects and foreign byte orders are not.
    range
        The shape, where it is not that of the data.
    copy
        True: the data is copied, and never written back. False: refuse data that would have to be copied.
    take_ownership
        The array is the buffer's for good: nothing is written back, and the end waits for nothing.
    read_only
        Elements are const: only reading is possible, and nothing is written back.
    use_host_ptr
        The array must be the storage for the host: host accessors show the array itself.
    use_mutex
        A lock that is held while the data is in use.
    context_bound
        The one context that the buffer may be used in.
    allocator
        Called with a number of bytes when host memory is needed: returns an object with a writable buffer, or None.

    Raises
    ------
    InvalidParameterError
        What was given is no data for a buffer; the message says why.

    Notes
    -----
    SYCL 2020, 4.7.2. `close` and garbage collection destroy a buffer when its last handle goes (copies, sub-buffers and
    reinterpretations are handles); the end of its `with` block closes all of them. The array's contents are unspecified
    until then.

    Examples
    --------
    >>> x = np.arange(4)
    >>> with sycl.Buffer(x) as b:
    ...     event = queue.parallel_for(4, "b[i] *= 2;", b=b)
    >>> x
    array([0, 2, 4, 6])
    """

    __slots__ = ()
    _accessors = (Accessor, HostAccessor)

    @_core.entry
    def __new__(
        cls,
        data: Any,
        dtype: DTypeLike | None = None,
        *,
        range: Sizes | None = None,
        copy: bool | None = None,
        take_ownership: bool = False,
        read_only: bool = False,
        use_host_ptr: bool = False,
        use_mutex: Mutex | None = None,
        context_bound: Context | None = None,
        allocator: Allocator | None = None,
    ) -> Buffer:
        source = sort_out(data, dtype, range, copy, take_ownership, read_only)
        array = source.array
        in_place = array is not None and fits_in_place(array)
        if (use_host_ptr and not (in_place and source.users)) or (copy is False and array is not None and not in_place):
            name = "use_host_ptr" if use_host_ptr else "copy"
            raise InvalidParameterError(
                f"{name}: the memory cannot be the buffer's own: it must be an array that is writable, C-contiguous and "
                "aligned"
            )
        life = Life(source.host, source.shape, source.dtype, allocator, source.kept)
        return cls._make(
            life, array, source.shape, source.dtype, array if source.users else None, in_place, (), read_only,
            use_host_ptr, use_mutex, context_bound,
        )  # fmt: skip

    @classmethod
    def _new(cls, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Buffer:
        """Memory of elements that a device has, in which nothing is yet: algorithms make much of it."""
        shape = sizes(shape)
        return cls._make(Life(Host.none, shape, dtype), None, shape, dtype, None, False, (), False, False, None, None)

    # -- what it is --

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes: NumPy's name for `byte_size`."""
        return self.byte_size

    @property
    def host_data(self) -> Array | None:
        """The array that was made for a buffer from None; current once the buffer is closed."""
        return self._life.kept

    @classmethod
    @_core.entry
    def from_int_ptr(
        cls, value: int, context: Context, dtype: DTypeLike = "u1", *, available: Event | None = None
    ) -> Buffer:
        """A one-dimensional buffer around a cl_mem of the context, which is retained.

        Parameters
        ----------
        value, context
            The cl_mem, and the context that it belongs to.
        dtype
            The element type; the default is bytes.
        available
            What has to end before the contents are there.

        Returns
        -------
        Buffer
            Of one dimension.

        Raises
        ------
        SyclError
            The value is no cl_mem of the context.

        Examples
        --------
        >>> b = sycl.Buffer(4, np.int32)
        >>> queue.fill(b, 7).wait()
        >>> (memory,) = sycl.get_native("opencl", b)
        >>> np.asarray(sycl.Buffer.from_int_ptr(memory, queue.context, np.int32))
        array([7, 7, 7, 7], dtype=int32)
        """
        kind = element_type(dtype)
        life = Life(Host.none, (), kind)
        self = cls._from_native(value, context, kind, kind.itemsize, {}, life)
        life.shape = self.shape
        if available is not None:
            from pysycl.queue import Queue

            with Queue(context=context).submit() as h:
                h.depends_on(available)
                Accessor(self, h, "read_write")
        return self

    # -- parts and other views --

    @_core.entry
    def sub_buffer(self, offset: Sizes, range: Sizes) -> Buffer:
        """A part of the buffer that commands can use for themselves: those that use other parts do not wait for it.

        Parameters
        ----------
        offset
            Its first element, with as many indices as the buffer has dimensions.
        range
            Its shape.

        Returns
        -------
        Buffer
            A handle on the same memory.

        Raises
        ------
        InvalidObjectError
            The buffer is a sub-buffer itself, or the part goes beyond it or is no contiguous piece of its memory.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(6))
        >>> event = queue.fill(b.sub_buffer(2, 3), 0)
        >>> np.asarray(b)
        array([0, 1, 0, 0, 0, 5])
        """
        if self.is_sub_buffer:
            raise InvalidObjectError("a sub-buffer has no sub-buffers: make them from the whole buffer")
        start, part = sizes(offset, "offset"), sizes(range, "range")
        if len(start) != self.ndim or len(part) != self.ndim:
            raise InvalidObjectError(f"offset {start} and range {part} must have the buffer's {self.ndim} dimensions")
        if any(first + count > size for first, count, size in zip(start, part, self.shape, strict=True)):
            raise InvalidObjectError(f"range {part} from {start} on goes beyond the buffer's {self.shape}")
        if not is_contiguous(part, self.shape):
            raise InvalidObjectError(
                f"range {part} of a buffer of {self.shape} is not contiguous in memory: all dimensions after the first "
                "that is not 1 must be complete"
            )
        low = 0
        for first, size in zip(start, self.shape, strict=True):
            low = low * size + first
        return self._handle(low * self._item if math.prod(part) else 0, part, self.dtype, True)

    @_core.entry
    def __getitem__(self, key: Any) -> Buffer:
        """The sub-buffer of contiguous slices: b[2:10], b[3:5, :]."""
        return self.sub_buffer(*part_of_key(key, self.shape))

    __iter__ = None  # element by element is for arrays: np.asarray(buffer), or a host accessor

    def __len__(self) -> int:
        return self.shape[0]

    @_core.entry
    def reinterpret(self, dtype: DTypeLike, range: Sizes | None = None) -> Buffer:
        """The same memory as elements of another type or in another shape.

        Parameters
        ----------
        dtype
            The type of elements.
        range
            The shape. None: the buffer's own where elements are as large as before, else one dimension.

        Returns
        -------
        Buffer
            A handle on the same memory.

        Raises
        ------
        InvalidObjectError
            It does not come out at as many bytes.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(6, dtype=np.int32))
        >>> b.reinterpret(np.int32, (2, 3)).shape, b.reinterpret(np.uint8).shape
        ((2, 3), (24,))
        """
        kind = element_type(dtype)
        if range is not None:
            shape = sizes(range, "range")
        elif kind.itemsize == self._item:
            shape = self.shape
        else:
            shape = (self.byte_size // kind.itemsize,)
        if math.prod(shape) * kind.itemsize != self.byte_size:
            raise InvalidObjectError(
                f"{math.prod(shape)} elements of {kind} are {math.prod(shape) * kind.itemsize} bytes, the buffer has "
                f"{self.byte_size}"
            )
        return self._handle(0, shape, kind, self.is_sub_buffer)

    # -- access --

    def _group_access(
        self, handler: Handler, mode: AccessMode, range: Any, offset: Any, no_init: bool, target: Target | str, /
    ) -> Accessor:
        return Accessor(self, handler, mode, range=range, offset=offset, no_init=no_init, target=target)

    @_core.entry
    def get_host_access(self, mode: Mode = None, **options: Any) -> HostAccessor:
        """The same as host_access.

        Parameters
        ----------
        mode, **options
            As for `Buffer.host_access`: range, offset, no_init and noinit.

        Returns
        -------
        HostAccessor
            As for `Buffer.host_access`.

        Examples
        --------
        >>> with sycl.Buffer(np.arange(3)).get_host_access("read") as a:
        ...     a.tolist()
        [0, 1, 2]
        """
        return HostAccessor(self, mode, **options)

    @_core.entry
    def host_access(
        self,
        mode: Mode = None,
        *,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        no_init: bool = False,
        noinit: bool = False,
    ) -> HostAccessor:
        """The host's access, granted: its value in a `with` block is a NumPy array. See HostAccessor.

        Parameters
        ----------
        mode
            "read" (the array cannot be written), "write" or "read_write"; an AccessMode or a tag.
        range, offset
            The part that is wanted; the array has the shape of the range.
        no_init, noinit
            The contents may be dropped; `noinit` is the draft's spelling.

        Returns
        -------
        HostAccessor
            Once all commands that use the buffer in a way that conflicts have ended.

        Raises
        ------
        AccessorError
            This very thread holds an access that must end before this one could be granted.
        SyclError
            What a command failed with that should have written the data.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with b.host_access() as a:
        ...     a += 1
        >>> np.asarray(b)
        array([1, 2, 3])
        """
        return HostAccessor(self, mode, range=range, offset=offset, no_init=no_init, noinit=noinit)

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        """A copy of the contents, as `numpy.asarray` makes it, for whoever takes DLPack's capsules."""
        import numpy as np

        if copy is False:
            raise BufferError("an array over a buffer is always a copy; use host_access() for the memory itself")
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0)

    # -- Python's own protocols --

    def _contents(self) -> Array:
        return self.__array__()

    def __eq__(self, other: object) -> Any:
        """Of another Buffer: are they handles on one buffer? Of numbers and arrays: an array, element by element."""
        return compared(self, other) if has_elements(other) else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        return compared(self, other, differ=True) if has_elements(other) else super().__ne__(other)

    __hash__ = WritesBack.__hash__

    def __repr__(self) -> str:
        words = [f"{self.dtype} {self.shape}"]
        if self.is_sub_buffer:
            words.append(f"sub-buffer from byte {self._low}")
        if self.is_closed:
            return f"<pysycl.Buffer {', '.join([*words, 'closed'])}>"
        where = self._where()
        words.append(f"current on {where}" if where else "contents undefined" if self.size else "empty")
        return f"<pysycl.Buffer {', '.join(words)}>"

    def __copy__(self) -> Buffer:
        """Another handle on the same buffer: SYCL's copies are references."""
        return self._handle(0, self.shape, self.dtype, self.is_sub_buffer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Buffer:
        import numpy as np

        return type(self)(np.asarray(self), take_ownership=True, read_only=self.read_only)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by value: what comes back is a buffer with a copy of the contents, and nothing to write back to."""
        import numpy as np

        return _restore, (type(self), np.asarray(self), self.read_only)


def _restore(cls: type[Buffer], contents: Array, read_only: bool) -> Buffer:
    return cls(contents, take_ownership=True, read_only=read_only)
