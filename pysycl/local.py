"""LocalAccessor: local memory that a work-group shares, asked for when a kernel is launched."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

MOST_BYTES = 2**63 - 1


class LocalAccessor(tuple[int, str, int]):
    """Local memory for one kernel parameter: bytes, element format, element size. `local` makes them."""

    __slots__ = ()

    @property
    def byte_size(self) -> int:
        """How many bytes each work-group gets."""
        return self[0]

    def __repr__(self) -> str:
        return f"<pysycl.LocalAccessor of {self[0]} bytes>"


def local(shape: SupportsIndex | Iterable[SupportsIndex], dtype: DTypeLike) -> LocalAccessor:
    """Local memory of a shape and dtype, for a `__local` pointer parameter. SYCL 2020, 4.7.6.11.

    Raises
    ------
    InvalidParameterError
        The shape has a negative or no element, or the dtype holds Python objects.
    """
    import numpy as np

    sizes = (index(shape),) if isinstance(shape, SupportsIndex) else tuple(index(size) for size in shape)
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise InvalidParameterError(f"dtype: {kind} holds Python objects, which a device cannot")
    if min(sizes, default=1) <= 0:
        raise InvalidParameterError(f"shape: {sizes} has no elements; local memory needs at least one")
    total = prod(sizes) * kind.itemsize
    if total > MOST_BYTES:
        raise InvalidParameterError(f"shape: {sizes} of {kind} takes {total} bytes, more than any device can address")
    return LocalAccessor((total, kind.char, kind.itemsize))
