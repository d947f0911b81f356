"""diff: differences of neighbours, of differences, and so on."""

from __future__ import annotations

from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.body_text import loaded, stored
from pysycl._algorithms.call import Options, options_of
from pysycl._algorithms.kinds import accumulated
from pysycl._algorithms.operand import ARRAY, Operand, array_of, c_type, check_number, operand
from pysycl._algorithms.transform import Elementwise
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue

# Up to the first of these orders each difference is a work-item's, which makes all that it is made of. Up to the second one
# a work-item goes along several, and keeps the last difference of each lower order: so many private variables. Where those
# are a stack's there may be more: beyond the last, differences of float64 are infinite, and others take memory in between.
_ORDERS: Final = 16
_KEPT: Final = 64
_KEPT_ON_STACK: Final = 1024
_SEVERAL: Final = 8  # times as many as the order


def diff(
    x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None, *, queue: Queue | None = None
) -> Any:
    """The differences of neighbours along an axis, n times, as numpy.diff: of bool, whether they differ.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is one.
    n
        How often. 0: x itself is returned. Up to 64, and up to 1024 on CPUs, no memory is needed but the result's. More are
        made in several passes, with one array as large as the result between two of them, or two between three and more.
    axis
        The axis along which neighbours lie.
    prepend, append
        Set before and behind x first, where it is a NumPy array: arrays, or values. The result's type is what
        NumPy makes of theirs and x's. Where that is x's they cost no more memory than the n elements at each end;
        otherwise, or where x has no more than these, all of it is copied.
    queue
        As for `sort`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is, along the axis shorter by n.

    Raises
    ------
    InvalidParameterError
        A negative n, no dimension, an axis that there is not; of device memory `prepend` or `append`.

    Examples
    --------
    >>> sycl.diff([1, 2, 4, 7, 0])
    array([ 1,  2,  3, -7])
    >>> sycl.diff([1, 2, 4, 7, 0], n=2)
    array([  1,   1, -10])
    """
    try:
        times = index(n)
    except TypeError:
        raise InvalidParameterError(f"n: expected an int, got {n!r}") from None
    if times < 0:
        raise InvalidParameterError(f"n: order must be non-negative but got {times}")
    it = operand(x, "x")
    if times == 0:
        return x
    check_number(it.dtype, "x")
    if not it.shape:
        raise InvalidParameterError("x: diff requires input that is at least one dimensional")
    (at,) = axes_of(index(axis), len(it.shape))
    options = options_of(None, False, None, None, None, queue)
    if prepend is None and append is None:
        return _differences(it, at, times, options)
    if it.kind != ARRAY:
        raise InvalidParameterError("prepend, append: only of NumPy arrays; write them into the memory's ends")
    first, last = (_part(value, it, at, name) for value, name in ((prepend, "prepend"), (append, "append")))
    return _between(it, at, times, first, last, options)


def _part(value: Any, it: Operand, axis: int, what: str) -> Array:
    """What is set before or behind x: of no elements where nothing is."""
    one = tuple(1 if d == axis else size for d, size in enumerate(it.shape))
    if value is None:
        return np.empty(tuple(0 if d == axis else size for d, size in enumerate(it.shape)), it.dtype)
    part = np.asarray(value)
    check_number(part.dtype, what)
    part = part if part.ndim else np.broadcast_to(part, one)
    if part.ndim != len(one) or any(d != axis and size != one[d] for d, size in enumerate(part.shape)):
        raise InvalidParameterError(
            f"{what}: the shape {part.shape}, and x has {it.shape}; along axis {axis} it may differ"
        )
    return part


def _between(it: Operand, axis: int, times: int, first: Array, last: Array, options: Options) -> Any:
    """Of x between other elements: its own differences go where they belong, and those at its ends beside them."""
    array, size, dtype = array_of(it), it.shape[axis], np.result_type(first.dtype, it.dtype, last.dtype)
    if dtype != it.dtype or size <= times:
        return _differences(operand(np.concatenate([first, array, last], axis), "x"), axis, times, options)
    before, behind = first.shape[axis], last.shape[axis]
    whole = tuple(before + size + behind - times if d == axis else other for d, other in enumerate(it.shape))
    result, of_axis = np.empty(whole, dtype), (slice(None),) * axis
    _differences(it, axis, times, options, (result, before))
    for part, to in (
        ([first, array[(*of_axis, slice(times))]], slice(before)),
        ([array[(*of_axis, slice(size - times, None))], last], slice(before + size - times, None)),
    ):
        if result[(*of_axis, to)].size:
            edge = operand(np.concatenate(part, axis), "x")
            result[(*of_axis, to)] = _differences(edge, axis, times, options)
    return result


def _differences(
    it: Operand, axis: int, times: int, options: Options, into: tuple[Array, int] | None = None
) -> Any:  # fmt: skip
    """The differences of an order; `into` an array, from an index of the axis on. Of several passes each reads what the one
    before wrote, and writes where that one read: a command that is not done yet would hold memory that is let go."""
    event: Any = None
    spare: Any = None
    memory: Any = None
    while True:
        call = Elementwise(it, options, ())
        order = min(times, _KEPT_ON_STACK if times > _KEPT and call._found_queue().device.is_cpu else _KEPT)
        call.result_shape = tuple(max(size - order, 0) if d == axis else size for d, size in enumerate(it.shape))
        call.event = event or call.event
        is_last = order == times
        read, memory = memory, spare
        if memory is None or is_last:
            memory = into[0] if into is not None and is_last else call.like(call.result_shape, it.dtype)
        made = operand(memory, "out")
        if prod(call.result_shape):
            at = made.offset + (into[1] * made.strides[axis] if into is not None and is_last else 0)
            is_each = order <= (1 if _is_half(it) else _ORDERS)
            (_each if is_each else _along)(call, it, axis, order, made._replace(offset=at))
        if is_last:
            return memory if into is not None else call.give(memory)
        it, spare, event, times = made._replace(shape=call.result_shape), read, call.event, times - order


def _is_half(it: Operand) -> bool:
    return it.dtype.str[1:] == "f2"  # whose differences are rounded each time


def _difference(it: Operand, behind: str, before: str) -> str:
    if it.dtype.kind == "b":
        return f"{behind} != {before}"
    return f"({c_type(accumulated(it.dtype))})({behind} - {before})"


def _each(call: Elementwise, it: Operand, axis: int, order: int, made: Operand) -> None:
    step, acc, shape = it.strides[axis], c_type(accumulated(it.dtype)), call.result_shape
    near = {f"near{k}": it._replace(shape=shape, offset=it.offset + k * step) for k in range(order + 1)}
    lines = [f"{acc} d{k} = {{{name}}};" for k, name in enumerate(near)]
    for left in range(order, 0, -1):
        lines += [f"d{k} = {_difference(it, f'd{k + 1}', f'd{k}')};" for k in range(left)]
    lines.append(stored("out_at", "{out_at.at}", "d0", it.dtype))
    call.over(shape, "\n".join(lines), {"out_at": made._replace(shape=shape), **near})


def _along(call: Elementwise, it: Operand, axis: int, order: int, made: Operand) -> None:
    """The last difference of each order, less the one before it, is the last of the next order."""
    acc, shape, several = c_type(accumulated(it.dtype)), call.result_shape, _SEVERAL * order
    rounded = " ushort half_d; vstore_half(d, 0, (half *)&half_d); d = vload_half(0, (half *)&half_d);"
    orders = (
        f"{acc} d = {loaded('x_at', it.dtype, 'at')}; at += x_step; for (int k = 0; k < %s; k++) {{{{ "
        f"const {acc} next = {_difference(it, 'd', 'last[k]')}; last[k] = d; d = next;{rounded if _is_half(it) else ''} }}}}"
    )
    text = (
        f"{acc} last[{order}];\n"
        "long at = {x_at.at}, to = {out_at.at};\n"
        "const long end = to + min((long)several, past - to / out_step % count) * out_step;\n"
        f"for (int n = 0; n < {order}; n++) {{{{ {orders % 'n'} last[n] = d; }}}}\n"
        f"for (; to < end; to += out_step) {{{{ {orders % order} {stored('out_at', 'to', 'd', it.dtype)} }}}}"
    )
    parts = tuple(-(-size // several) if d == axis else size for d, size in enumerate(shape))

    def seen(of: Operand) -> Operand:
        steps = tuple(s * several if d == axis else s for d, s in enumerate(of.strides))
        return of._replace(shape=parts, strides=steps)

    step = made.strides[axis]
    numbers: dict[str, Any] = {
        "x_step": it.strides[axis], "out_step": step, "several": several, "count": made.shape[axis],
        "past": made.offset // step % made.shape[axis] + shape[axis],
    }  # fmt: skip
    numbers = {name: np.int64(value) for name, value in numbers.items()}
    call.over(parts, text, {"out_at": seen(made), "x_at": seen(it)}, **numbers)
