"""Unified shared memory by its address: freeing, the allocation that a pointer leads to, and figures. SYCL 2020, 4.8."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, TypedDict

from pysycl import _core
from pysycl._data.usm_array import KINDS, NUMBERS, UsmArray, UsmKind
from pysycl.context import Context
from pysycl.errors import InvalidObjectError, InvalidParameterError
from pysycl.queue import Queue

if TYPE_CHECKING:
    from pysycl.device import Device


class KindStatistics(TypedDict):
    """Figures of one kind of memory of a context."""

    live_bytes: int
    live_count: int
    peak_bytes: int
    cached_bytes: int
    limit_bytes: int


def _context_of(what: Any) -> Context | None:
    if isinstance(what, Queue):
        return what._context
    if what is None or isinstance(what, Context):
        return what
    raise InvalidParameterError(f"context: expected a Context or a Queue, got {what!r}")


def _address(pointer: Any) -> int:
    if isinstance(pointer, UsmArray):
        return pointer.ptr
    try:
        return index(pointer)
    except TypeError:  # an ndarray has __index__, but only one element of it can be a number
        raise InvalidParameterError(f"pointer: expected a UsmArray or an address, got {pointer!r}") from None


@_core.entry
def free(pointer: UsmArray | int, context: Context | Queue | None = None) -> None:
    """Free memory. Commands that use it keep it until they have ended.

    Parameters
    ----------
    pointer
        A UsmArray that begins where the allocation does, or its address.
    context
        The context that it belongs to, or a queue of that context; None: whichever it is.

    Raises
    ------
    InvalidParameterError
        The pointer leads into the middle of an allocation, or the memory is of another context.
    InvalidObjectError
        It was freed before, or the host still looks at it.

    Notes
    -----
    SYCL 2020, 4.8.3.6.

    Examples
    --------
    >>> u = sycl.malloc_shared(8, np.float32, queue)
    >>> sycl.free(u, queue)
    >>> u.is_freed
    True
    """
    within = _context_of(context)
    if not isinstance(pointer, UsmArray):
        _core.usm_free(_address(pointer), within)
        return
    if pointer.is_freed:
        raise InvalidObjectError("free: the memory has been freed before")
    if within is not None and within != pointer._context:
        raise InvalidParameterError("context: the memory belongs to another context")
    pointer.free()


@_core.entry
def get_pointer_type(pointer: UsmArray | int, context: Context | Queue) -> UsmKind:
    """The kind of the allocation of the context that a pointer lies in; `unknown` if there is none. SYCL 2020, 4.8.4.

    Parameters
    ----------
    pointer
        A UsmArray, or an address in one.
    context
        The context, or a queue of it.

    Returns
    -------
    UsmKind
        Of a freed UsmArray unknown.

    Examples
    --------
    >>> u = sycl.malloc_shared(8, np.float32, queue)
    >>> sycl.get_pointer_type(u, queue).value
    'shared'
    """
    found = _lookup(pointer, context)
    return KINDS[found[0]] if found is not None else UsmKind.unknown


@_core.entry
def get_pointer_device(pointer: UsmArray | int, context: Context | Queue) -> Device:
    """The device of the allocation that a pointer lies in; for host memory the first device of the context. SYCL
    2020, 4.8.4.

    Parameters as for `get_pointer_type`.

    Returns
    -------
    Device
        The one that it was allocated for.

    Raises
    ------
    InvalidParameterError
        The pointer lies in no allocation of the context.

    Examples
    --------
    >>> u = sycl.malloc_shared(8, np.float32, queue)
    >>> sycl.get_pointer_device(u, queue) == queue.device
    True
    """
    found = _lookup(pointer, context)
    within = _context_of(context)
    if found is None or within is None:
        raise InvalidParameterError(f"pointer: {pointer!r} lies in no allocation of the context")
    return found[1] if found[1] is not None else within._devices[0]


def _lookup(pointer: Any, context: Any) -> tuple[int, Device | None] | None:
    within = _context_of(context)
    if within is None:
        raise InvalidParameterError("context: expected a Context or a Queue, got None")
    if isinstance(pointer, UsmArray) and pointer.is_freed:
        return None
    return _core.usm_find(_address(pointer), within)


@_core.entry
def memory_statistics(context: Context | Queue) -> dict[str, KindStatistics]:
    """A context's unified shared memory, for each kind: bytes and allocations that are alive, the most bytes
    that ever were, bytes kept for small allocations to come, and the limit (0: none).

    Parameters
    ----------
    context
        The context, or a queue of it.

    Returns
    -------
    dict
        By "host", "device" and "shared".

    Examples
    --------
    >>> u = sycl.malloc_shared(8, np.float32, queue)
    >>> sycl.memory_statistics(queue)["shared"]["live_bytes"] >= 32
    True
    """
    within = _context_of(context)
    if within is None:
        raise InvalidParameterError("context: expected a Context or a Queue, got None")
    return {kind.value: _core.usm_statistics(within, number) for kind, number in NUMBERS.items()}


@_core.entry
def trim_memory(context: Context | Queue | None = None) -> int:
    """Give memory that is kept for small allocations back to the driver, of all contexts for None; how many bytes.

    Parameters
    ----------
    context
        The context, or a queue of it; None: all.

    Returns
    -------
    int
        How many bytes.

    Examples
    --------
    >>> sycl.trim_memory(queue) >= 0
    True
    """
    return _core.usm_trim(_context_of(context))
