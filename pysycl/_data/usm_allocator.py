"""UsmAllocator: an allocator of one kind of unified shared memory, with limits and figures. SYCL 2020, 4.8.3.1."""

from __future__ import annotations

import sys
from operator import index
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._data.usm_address import KindStatistics, free
from pysycl._data.usm_array import NUMBERS, UsmArray, UsmKind
from pysycl.errors import InvalidParameterError
from pysycl.usm import aligned_alloc, checked_alignment, known, where

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device


class UsmAllocator:
    """Allocates memory of one kind, in one context, at one alignment.

    Parameters
    ----------
    kind
        host, device or shared.
    queue
        A queue, or a device, or a context.
    context
        With a device: the context to allocate in. None: that of the device's queues.
    alignment
        Bytes, a power of two; 0 is the default.

    Raises
    ------
    InvalidParameterError
        No queue, another kind, an alignment that is no power of two.

    Notes
    -----
    SYCL 2020, 4.8.3.1. Two are equal when kind, alignment, context and, but for host memory, device are the same: then one
    may free what the other allocated. As a function it makes memory for a Buffer: `Buffer(shape, dtype,
    allocator=UsmAllocator("host", queue))`.

    Examples
    --------
    >>> allocator = sycl.UsmAllocator("host", queue)
    >>> b = sycl.Buffer((1000,), np.float32, allocator=allocator)
    """

    __slots__ = ("_alignment", "_context", "_device", "_kind")

    @_core.entry
    def __init__(self, kind: UsmKind | str, queue: Any, context: Context | None = None, *, alignment: int = 0) -> None:
        self._kind = known(kind)
        if queue is None:
            raise InvalidParameterError("queue: an allocator needs a queue, a device or a context")
        self._context, self._device = where(self._kind, queue, context)
        self._alignment = checked_alignment(alignment)

    @property
    def kind(self) -> UsmKind:
        """The kind of memory that it allocates."""
        return self._kind

    @property
    def context(self) -> Context:
        """Where."""
        return self._context

    @property
    def device(self) -> Device | None:
        """For which device; None for host memory."""
        return None if self._kind is UsmKind.host else self._device

    @property
    def alignment(self) -> int:
        """Bytes; 0 is the default."""
        return self._alignment

    @_core.entry
    def allocate(self, count: Any, dtype: Any = None) -> UsmArray:
        """Memory for `count` elements (or a shape of them); without a dtype they are bytes.

        Parameters
        ----------
        count
            How many elements, or their shape.
        dtype
            The type of the elements. None: bytes.

        Returns
        -------
        UsmArray

        Raises
        ------
        MemoryAllocationError
            There is not that much, or the limit is reached.

        Examples
        --------
        >>> allocator = sycl.UsmAllocator("shared", queue)
        >>> u = allocator.allocate((2, 3), np.float32)
        >>> u.shape, u.kind
        ((2, 3), <UsmKind.shared: 'shared'>)
        >>> allocator.deallocate(u)
        """
        return aligned_alloc(self._alignment, count, dtype, self._device, self._context, kind=self._kind)

    @_core.entry
    def deallocate(self, array: UsmArray | int, count: int | None = None) -> None:
        """Free what this allocator, or one that is equal to it, allocated.

        Parameters
        ----------
        array
            The memory, or its address.
        count
            SYCL's; it is not needed.

        Raises
        ------
        InvalidParameterError
            Memory of another kind.

        Examples
        --------
        >>> allocator = sycl.UsmAllocator("shared", queue)
        >>> u = allocator.allocate(100)
        >>> allocator.deallocate(u)
        >>> u.is_freed
        True
        """
        if isinstance(array, _core.UsmArray) and not array.is_freed and array._kind != NUMBERS[self._kind]:
            raise InvalidParameterError(f"array: is {_kind_of(array)} memory, not {self._kind.value} memory")
        free(array, self._context)

    @_core.entry
    def __call__(self, nbytes: int) -> UsmArray:
        return self.allocate(nbytes)

    # -- limits and figures: of the context's memory of this kind, whoever allocated it --

    @property
    def statistics(self) -> KindStatistics:
        """Bytes and allocations alive, the peak, what is cached, and the limit, of this kind in the context."""
        return _core.usm_statistics(self._context, NUMBERS[self._kind])

    @property
    def limit(self) -> int:
        """The most bytes of this kind that may be alive in the context; 0: no limit."""
        return self.statistics["limit_bytes"]

    @limit.setter
    def limit(self, nbytes: int) -> None:
        most = index(nbytes)
        if most > sys.maxsize:
            raise InvalidParameterError(f"limit: {most} is more than any memory has bytes; 0 is no limit")
        _core.usm_set_limit(self._context, NUMBERS[self._kind], most)

    def trim(self) -> int:
        """Give cached memory of the context back to the driver.

        Returns
        -------
        int
            How many bytes that was.

        Examples
        --------
        >>> allocator = sycl.UsmAllocator("shared", queue)
        >>> allocator.deallocate(allocator.allocate(1000))
        >>> allocator.trim() > 0
        True
        """
        return _core.usm_trim(self._context)

    def _identity(self) -> tuple[object, ...]:
        return (self._kind, self._alignment, self._context, self.device)

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, UsmAllocator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        place = f" on {self._device.name}" if self._kind is not UsmKind.host and self._device is not None else ""
        return f"<pysycl.UsmAllocator {self._kind.value} memory{place}, alignment {self._alignment or 'default'}>"


def _kind_of(array: _core.UsmArray) -> str:
    return next(kind.value for kind, number in NUMBERS.items() if number == array._kind)
