"""repeat: elements as often as is said. Where each one's copies begin is a scan of the counts."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.axes import axes_of, one_axis
from pysycl._algorithms.body_text import loaded, stored
from pysycl._algorithms.call import Call
from pysycl._algorithms.operand import ARRAY, Operand, array_of, as_numbers, check_number, operand
from pysycl._algorithms.transform import Taken
from pysycl._scans.scan_calls import scan_options
from pysycl._scans.scan_line import Scan, Track, counter, in_order, known_size
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl.queue import Queue

# On GPUs: copies of one element that its own work-item makes; those of an element that 32 work-items make, of more all do;
# and how many go along the lists of such elements.
_MOST: Final = 64
_WIDE: Final = 1 << 16
_ITEMS: Final = 1 << 17


def _copies_rows(device: Any) -> bool:
    """Does a work-item make any number of copies quickest?"""
    return bool(device.is_cpu)


def repeat(x: Any, repeats: Any, axis: Any = None, *, length: int | None = None, queue: Queue | None = None) -> Any:
    """Each element as often as is said, as numpy.repeat; without an axis, of the flattened array.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is one.
    repeats
        An int; or how often each element, of the same kind of memory, or each index along the axis.
    axis
        Along which parts of the array are repeated.
    length
        How many elements, or parts along the axis, the result has, where the counts are in device memory, which nobody
        looks at: what is beyond them is 0, and what does not fit is left out. Elsewhere it is what the counts make.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is.

    Raises
    ------
    InvalidParameterError
        Counts that are negative or no integers, or another number of them than of elements; counts in device memory, and
        no length.

    Examples
    --------
    >>> sycl.repeat([7, 8, 9], [2, 0, 3])
    array([7, 7, 9, 9, 9])
    >>> sycl.repeat([7, 8], 2)
    array([7, 7, 8, 8])
    >>> sycl.repeat([[1, 2], [3, 4]], [1, 2], axis=1)
    array([[1, 2, 2],
           [3, 4, 4]])
    """
    one_axis(axis)
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    it = it if it.shape else it._replace(shape=(1,), strides=(1,))
    options = scan_options(None, None, None, queue)
    if axis is not None:
        (at,) = axes_of(axis, len(it.shape))
        return _along(it, repeats, at, length, options)
    call = Scan(in_order(it, "x"), options)
    values = _flat(call, _counts(repeats, call.x.shape[0]), length)
    call.ended(values)
    return values


def _flat(call: Scan, counts: int | Operand, length: int | None, nothing: int = 0) -> Any:
    """The copies of elements of one dimension. `nothing`: what is beyond them, where the counts are in device memory."""
    size = call.x.shape[0]
    if isinstance(counts, int):
        _check_length(length, size * counts)
        return _evenly(call, counts)
    if counts.kind == ARRAY:
        held = array_of(counts)
        total, most = (int(each) for each in (held.sum(dtype=np.int64), held.max(initial=0)))
        _check_length(length, total)
    elif length is None:
        raise InvalidParameterError("length: it must be said where the counts are in device memory")
    else:
        total, most = known_size(length, "length"), None
    values = call.like((total,), call.x.dtype)
    if counts.kind != ARRAY:
        call.fill(values, np.full((), nothing, call.x.dtype)[()])
    if size and total and (_copies_rows(call._found_queue().device) or (most is not None and most <= _MOST)):
        _by_owner(call, counts, values, total)
    elif size and total:
        _by_many(call, counts, values, total)
    return values


def _check_length(length: Any, known: int) -> None:
    if length not in (None, known):
        raise InvalidParameterError(f"length: {length!r}, and the counts make {known}")


def _counts(repeats: Any, size: int) -> int | Operand:
    """How often: an int, or the counts of all elements."""
    it = operand(repeats, "repeats")
    if it.dtype.kind not in "iub":
        raise InvalidParameterError(f"repeats: expected integers, got {it.dtype}")
    if it.kind == ARRAY and prod(it.shape) == 1 and len(it.shape) <= 1:
        one = int(it.memory[it.offset])
        if one < 0:
            raise InvalidParameterError("repeats: repeats may not contain negative values")
        return one
    if it.shape != (size,):
        raise InvalidParameterError(f"repeats: {it.shape} counts for {size} elements")
    if it.kind != ARRAY:
        return in_order(it, "repeats")
    counts = array_of(it)
    if counts.dtype == np.uint64:
        counts = counts.astype(np.int64)
    if counts.min(initial=0) < 0:
        raise InvalidParameterError("repeats: repeats may not contain negative values")
    return operand(counts, "repeats")


def _evenly(call: Scan, count: int) -> Any:
    total = prod(call.x.shape) * count
    values = call.like((total,), call.x.dtype)
    if total:
        element = _element(call, "x", "i / count")
        arguments = {"x": as_numbers(call.x.memory), "y": as_numbers(values), "count": np.int64(count)}
        call.run(total, stored("y", "i", element, call.x.dtype), arguments | _place(call))
    return values


def _element(call: Scan, name: str, at: str) -> str:
    """The element of an index that was computed."""
    return loaded(name, call.x.dtype, f"x_from + ({at}) * x_step")


def _place(call: Scan) -> dict[str, Any]:
    return {"x_from": np.int64(call.x.offset), "x_step": np.int64(call.x.strides[0])}


_COUNT: Final = "t.combine(max((long){count}, 0L));"  # of device memory nobody has looked whether one is negative


def _by_owner(call: Scan, counts: Operand, values: Any, total: int) -> None:
    """Each element's work-item writes its copies."""
    store = stored("y", "j", "{x}", call.x.dtype)
    call.scan(
        _COUNT, f"for (long j = t.before; j < t && j < total; j++) {{{{ {store} }}}}",
        {"t": Track(plus, np.dtype(np.int64))}, {"x": call.x, "count": counts}, y=as_numbers(values),
        total=np.int64(total),
    )  # fmt: skip


def _by_many(call: Scan, counts: Operand, values: Any, total: int) -> None:
    """Elements with many copies are listed, and others make them: however unlike the counts are, no work-item has much more
    to do than another."""
    size = call.x.shape[0]
    kind = counter(max(size, total))
    most = max(_MOST, 100 * 3 * kind.itemsize // call.x.dtype.itemsize)
    room, wide_room = (min(size, total // (least + 1) + 1) for least in (most, _WIDE))
    lists: dict[str, Any] = {"many": call.memory(3 * room, kind), "wide": call.memory(3 * wide_room, kind)}
    listed = {"many_listed": call.memory(1, kind), "wide_listed": call.memory(1, kind)}
    limits: dict[str, Any] = {"most": np.int64(most), "least": np.int64(max(most, _WIDE)), "total": np.int64(total)}
    rooms: dict[str, Any] = {"room": np.int64(room), "wide_room": np.int64(wide_room)}
    store = stored("y", "j", "{x}", call.x.dtype)
    call.scan(
        "const long copies = max((long){count}, 0L); t.combine(copies); m.combine(copies > most && copies <= least); "
        "w.combine(copies > least);",
        f"const long copies = t - t.before; if (copies > least) {{{{ {_entry('wide', 'w', 'wide_room')} }}}} "
        f"else if (copies > most) {{{{ {_entry('many', 'm', 'room')} }}}} "
        f"else {{{{ for (long j = t.before; j < t && j < total; j++) {{{{ {store} }}}} }}}}",
        {"t": Track(plus, np.dtype(np.int64)), "m": Track(plus, kind), "w": Track(plus, kind)},
        {"x": call.x, "count": counts, "at": None}, y=as_numbers(values), **lists, **limits, **rooms,
        totals={"m": listed["many_listed"], "w": listed["wide_listed"]},
    )  # fmt: skip
    text = "\n".join(
        f"for (long k = {first}; k < min((long){name}_listed[0], {limit}); k += {step}) for (long j = {name}[3 * k + 1] "
        f"+ {own}; j < min((long){name}[3 * k + 2], total); j += {together}) "
        f"{{ {stored('y', 'j', _element(call, 'x', f'{name}[3 * k]'), call.x.dtype)} }}"
        for name, limit, first, step, own, together in (
            ("many", "room", "i / 32", "items / 32", "i % 32", "32"), ("wide", "wide_room", "0", "1", "i", "items")
        )
    )  # fmt: skip
    call.run(
        _ITEMS, text, {"x": as_numbers(call.x.memory), "y": as_numbers(values), **lists, **listed, **rooms, **_place(call),
        "items": np.int64(_ITEMS), "total": np.int64(total)},
    )  # fmt: skip
    call.spared()


def _entry(name: str, track: str, room: str) -> str:
    """An element goes into a list, with where its copies begin and end."""
    lines = (
        f"const long k = {track}.before;",
        f"if (k < {room}) {{{{",
        f"{name}[3 * k] = {{at}};",
        f"{name}[3 * k + 1] = min((long)t.before, total);",
        f"{name}[3 * k + 2] = min((long)t, total);",
        "}}",
    )
    return " ".join(lines)


def _along(it: Operand, repeats: Any, axis: int, length: int | None, options: Options) -> Any:
    """Parts along an axis: their indices are repeated, and the parts are taken by those."""
    size = it.shape[axis]
    counts = _counts(repeats, size)
    if isinstance(counts, int):
        _check_length(length, size * counts)
        call = Taken(it, options, axis, size * counts)
        inner = np.int64(prod(it.shape[axis + 1 :]))
        numbers: dict[str, Any] = {"inner": inner, "length": np.int64(call.length), "count": np.int64(counts)}
        return call.take("{out_at.at} / inner % length / count", {}, **numbers)
    order = Call(it, options, (size,))
    number = np.dtype(np.int64)
    places = np.arange(size) if it.kind == ARRAY else order.like((size,), number)
    if it.kind != ARRAY and size:
        order.run(size, "places[i] = i;", {"places": places})
    indices = Scan(operand(places, "x"), options)
    indices.event = order.event
    found = operand(_flat(indices, counts, length, -1), "indices")
    call = Taken(it, options, axis, found.shape[0], indices.event)
    if counts.kind == ARRAY:
        return call.take("{index}", {"index": call.along(found)})
    return call.take("{index}", {"index": call.along(found)}, "{index} >= 0", or_zero=True)
