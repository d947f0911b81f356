"""Unified shared memory: pointers that mean the same memory on the host and on devices. SYCL 2020, 4.8.

Commands that use it are ordered by events (`depends_on`) or by an in-order queue: pointers make no dependencies.
"""

from __future__ import annotations

import sys
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from pysycl import _core
from pysycl._data.host_memory import any_shape, element_type
from pysycl._data.usm_address import free as free
from pysycl._data.usm_address import get_pointer_device as get_pointer_device
from pysycl._data.usm_address import get_pointer_type as get_pointer_type
from pysycl._data.usm_address import memory_statistics as memory_statistics
from pysycl._data.usm_address import trim_memory as trim_memory
from pysycl._data.usm_array import NUMBERS, UsmArray, UsmKind
from pysycl.context import Context
from pysycl.device import Device
from pysycl.enums import as_enum
from pysycl.errors import InvalidParameterError
from pysycl.queue import Queue

if TYPE_CHECKING:
    from collections.abc import Iterable

alloc = UsmKind
"""SYCL's name: usm::alloc."""


def where(kind: UsmKind, queue: Any, context: Context | None) -> tuple[Context, Device | None]:
    """Context and device out of a queue, of a device with or without a context, or of a context."""
    if isinstance(queue, Queue):
        if context is not None and context != queue._context:
            raise InvalidParameterError("context: the queue has a context of its own; leave it out")
        return queue._context, queue._device
    if context is not None and not isinstance(context, Context):
        raise InvalidParameterError(f"context: expected a Context, got {context!r}")
    if queue is None and context is None:
        queue = Device()
    if isinstance(queue, Device):
        return (context if context is not None else _core.default_context(queue)), queue
    if isinstance(queue, Context) and context is None:
        context, queue = queue, None
    if queue is not None or context is None:
        raise InvalidParameterError(f"queue: expected a Queue, a Device or a Context, got {queue!r}")
    if kind is not UsmKind.host and len(context._devices) > 1:
        raise InvalidParameterError(
            f"device: {kind.value} memory belongs to one device, and the context has {len(context._devices)}; name it"
        )
    return context, context._devices[0]


def _shape(shape: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    if type(shape) is int and shape >= 0:
        return (shape,)
    return any_shape(shape)


def _allocate(kind: UsmKind, alignment: int, shape: Any, dtype: Any, queue: Any, context: Context | None) -> UsmArray:
    import numpy as np

    if isinstance(dtype, Queue | Device | Context):
        if queue is not None and context is not None:
            raise InvalidParameterError("dtype: expected an element type before the queue")
        dtype, queue, context = None, dtype, context if context is not None else queue
    in_context, device = where(kind, queue, context)
    element = element_type(np.uint8 if dtype is None else dtype)
    return _core.usm_allocate(in_context, device, NUMBERS[kind], alignment, _shape(shape), element, element.itemsize)


def checked_alignment(value: SupportsIndex) -> int:
    try:
        number = index(value)
    except TypeError:
        raise InvalidParameterError(f"alignment: expected a number of bytes, got {value!r}") from None
    if number < 0 or number & (number - 1):
        raise InvalidParameterError(f"alignment: {number} is no power of two")
    if number > sys.maxsize:
        raise InvalidParameterError(f"alignment: {number} is more than any memory has bytes")
    return number


def malloc(
    shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None, *, kind: UsmKind | str
) -> UsmArray:
    """Allocate memory of a kind.

    Parameters
    ----------
    shape
        The number of elements, or a tuple of numbers for several dimensions.
    dtype
        The type of the elements. Left out, they are bytes: `malloc(1024, queue, kind="shared")`.
    queue
        A queue; or a device, whose queues' context is taken unless `context` is given; or a context alone. None: the
        default device.
    context
        The context to allocate in; None: the queue's.
    kind
        host, device or shared. For host memory the device does not matter.

    Returns
    -------
    UsmArray
        The memory; its end frees it.

    Raises
    ------
    MemoryAllocationError
        There is not that much; the message names bytes, kind and device. (SYCL's malloc gives a null pointer.)
    FeatureNotSupportedError
        The device has no memory of that kind.

    Notes
    -----
    SYCL 2020, 4.8.3.5.

    Examples
    --------
    >>> u = sycl.malloc((2, 4), np.float32, queue, kind="shared")
    >>> u.shape
    (2, 4)
    """
    return _allocate(known(kind), 0, shape, dtype, queue, context)


def aligned_alloc(
    alignment: int,
    shape: Any,
    dtype: Any = None,
    queue: Any = None,
    context: Context | None = None,
    *,
    kind: UsmKind | str,
) -> UsmArray:
    """As malloc, at a multiple of `alignment` bytes: any power of two; 0 is the default. SYCL 2020, 4.8.3.5.

    Parameters
    ----------
    alignment
        A power of two; 0 is the default.
    shape, dtype, queue, context, kind
        As for `malloc`.

    Returns, Raises as for `malloc`.

    Examples
    --------
    >>> u = sycl.aligned_alloc(64, 8, np.float32, queue, kind="shared")
    >>> u.ptr % 64
    0
    """
    return _allocate(known(kind), checked_alignment(alignment), shape, dtype, queue, context)


def known(kind: UsmKind | str) -> UsmKind:
    result = as_enum(UsmKind, kind, "kind")
    if result is UsmKind.unknown:
        raise InvalidParameterError("kind: memory of the kind unknown cannot be allocated")
    return result


def malloc_device(shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None) -> UsmArray:
    """Allocate a device's own memory. SYCL 2020, 4.8.3.2.

    Parameters, Returns, Raises as for `malloc`.

    Examples
    --------
    >>> u = sycl.malloc_device(8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.device, 0, shape, dtype, queue, context)


def malloc_host(shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None) -> UsmArray:
    """Allocate host memory that all devices of a context can use. SYCL 2020, 4.8.3.3.

    Parameters, Returns, Raises as for `malloc`.

    Examples
    --------
    >>> u = sycl.malloc_host(8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.host, 0, shape, dtype, queue, context)


def malloc_shared(shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None) -> UsmArray:
    """Allocate memory for the host and a device. SYCL 2020, 4.8.3.4.

    Parameters, Returns, Raises as for `malloc`.

    Examples
    --------
    >>> u = sycl.malloc_shared(8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.shared, 0, shape, dtype, queue, context)


def aligned_alloc_device(
    alignment: int, shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None
) -> UsmArray:
    """As malloc_device, at a multiple of `alignment` bytes: any power of two. SYCL 2020, 4.8.3.2.

    Parameters, Returns, Raises as for `aligned_alloc`.

    Examples
    --------
    >>> u = sycl.aligned_alloc_device(64, 8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.device, checked_alignment(alignment), shape, dtype, queue, context)


def aligned_alloc_host(
    alignment: int, shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None
) -> UsmArray:
    """As malloc_host, at a multiple of `alignment` bytes: any power of two. SYCL 2020, 4.8.3.3.

    Parameters, Returns, Raises as for `aligned_alloc`.

    Examples
    --------
    >>> u = sycl.aligned_alloc_host(64, 8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.host, checked_alignment(alignment), shape, dtype, queue, context)


def aligned_alloc_shared(
    alignment: int, shape: Any, dtype: Any = None, queue: Any = None, context: Context | None = None
) -> UsmArray:
    """As malloc_shared, at a multiple of `alignment` bytes: any power of two. SYCL 2020, 4.8.3.4.

    Parameters, Returns, Raises as for `aligned_alloc`.

    Examples
    --------
    >>> u = sycl.aligned_alloc_shared(64, 8, np.float32, queue)
    >>> u.nbytes
    32
    """
    return _allocate(UsmKind.shared, checked_alignment(alignment), shape, dtype, queue, context)
