"""LocalAccessor: local memory that a work-group shares, asked for when a kernel is launched."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

from pysycl import _core
from pysycl.errors import AccessorError, InvalidParameterError
from pysycl.ranges import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

MOST_BYTES = 2**63 - 1


@_core.bind
class LocalAccessor(tuple[int, str, int, tuple[int, ...], Any]):
    """Local memory for one kernel parameter, for each work-group its own: `local` and `Handler.local` make them.

    Notes
    -----
    SYCL 2020, 4.7.6.11. The memory begins undefined, ends with the work-group, and is never seen by the host: a kernel
    that is launched over an NdRange reaches it by its `__local` pointer.

    Examples
    --------
    >>> sycl.local((4, 4), np.float32).byte_size
    64
    """

    __slots__ = ()

    @property
    def byte_size(self) -> int:
        """How many bytes each work-group gets."""
        return self[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        kind: np.dtype[Any] = self[4]
        return kind

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes; () for a single element."""
        return self[3]

    @property
    def range(self) -> Range | None:
        """The sizes as a Range; None for a single element."""
        return Range(*self[3]) if self[3] else None

    @property
    def size(self) -> int:
        """How many elements each work-group gets."""
        return prod(self[3])

    @property
    def max_size(self) -> int:
        """The same as size."""
        return self.size

    def get_count(self) -> int:
        """The same as size. Deprecated in SYCL 2020.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.local((4, 4), np.float32).get_count()
        16
        """
        return self.size

    @property
    def empty(self) -> bool:
        """False: there is no empty local memory."""
        return self.size == 0

    def __array__(self, *args: object, **options: object) -> NoReturn:
        raise AccessorError("local memory belongs to a work-group of a kernel: the host has no access to it")

    def __repr__(self) -> str:
        return f"<pysycl.LocalAccessor of {self[0]} bytes>"


@_core.entry
def local(shape: SupportsIndex | Iterable[SupportsIndex], dtype: DTypeLike) -> LocalAccessor:
    """Local memory of a shape and dtype, for a `__local` pointer parameter. SYCL 2020, 4.7.6.11.

    Parameters
    ----------
    shape
        The number of elements, or a tuple of one to three; `()` for one element.
    dtype
        Their type.

    Returns
    -------
    LocalAccessor

    Raises
    ------
    InvalidParameterError
        The shape has a negative size, no element or more than three dimensions, or the dtype holds Python objects.

    Examples
    --------
    >>> reverse = sycl.Program('''__kernel void reverse(__global int *x, __local int *t) {
    ...     t[get_local_id(0)] = x[get_global_id(0)];
    ...     barrier(CLK_LOCAL_MEM_FENCE);
    ...     x[get_global_id(0)] = t[3 - get_local_id(0)];
    ... }''').reverse
    >>> x = np.arange(4, dtype=np.int32)
    >>> event = queue.parallel_for(sycl.NdRange(4, 4), reverse, x, sycl.local(4, np.int32))
    >>> x
    array([3, 2, 1, 0], dtype=int32)
    """
    from pysycl._data.host_memory import any_shape, as_dtype  # this module is loaded with the package

    sizes = any_shape(shape)
    kind = as_dtype(dtype)
    if kind.hasobject:
        raise InvalidParameterError(f"dtype: {kind} holds Python objects, which a device cannot")
    if min(sizes, default=1) <= 0:
        raise InvalidParameterError(f"shape: {sizes} has no elements; local memory needs at least one")
    if len(sizes) > 3:
        raise InvalidParameterError(f"shape: {sizes} has {len(sizes)} dimensions; SYCL has at most three")
    total = prod(sizes) * kind.itemsize
    if total > MOST_BYTES:
        raise InvalidParameterError(f"shape: {sizes} of {kind} takes {total} bytes, more than any device can address")
    return LocalAccessor((total, kind.char, kind.itemsize, sizes, kind))
