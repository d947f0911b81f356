"""Scans by any operator: which type combines, the result's, and the two texts of its one pass."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pysycl._algorithms.axes import steps_over
from pysycl._algorithms.body_text import stored
from pysycl._algorithms.call import Options, call_again, dispatched
from pysycl._algorithms.kinds import (
    accumulated,
    adder,
    combined_type,
    edge,
    extreme,
    multiplier,
    one_value,
    operator_of,
    summed,
)
from pysycl._algorithms.map_text import element_of, truth_of, whole_of
from pysycl._algorithms.operand import ARRAY, BUFFER, Operand, as_numbers, c_type, check_number, operand, user_type
from pysycl._algorithms.warned import warn_of_parts
from pysycl._scans.scan_line import Scan, Track, put
from pysycl._scans.segments import heads, read_segments
from pysycl.binary_op import BinaryOp
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, bit_and, bit_or, known_identity

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array


class Combined(NamedTuple):
    """What an operator makes of elements of a type."""

    op: Any
    result: np.dtype[Any]
    acc: np.dtype[Any]
    """In which it combines."""
    identity: Any
    element: str
    """Of {x}."""
    preamble: str | None
    by_user: bool
    nothing: Any = None
    """What no elements combine to, as a result; None: that is not known."""


def combined(given: np.dtype[Any], op: Any, options: Options, dtype: Any) -> Combined:
    """The types of a scan by an operator: SYCL's function objects are NumPy's functions; the others are OpenCL C."""
    if not isinstance(op, FunctionObject):
        op = operator_of(op)
    else:
        dtype = op.dtype if dtype is None else dtype
        check_number(given, "x")
    name = op.name if isinstance(op, FunctionObject) else ""
    if name in ("plus", "multiplies"):
        result = summed(given, dtype, options.out)
        acc = accumulated(result)
        own, identity = (adder if name == "plus" else multiplier)(result)
        element, preamble = element_of(options.map, given, result)
        return Combined(own, result, acc, identity, element, preamble, False, int(name == "multiplies"))
    if name and not name.startswith("bit"):
        if dtype is not None:
            raise InvalidParameterError(f"dtype: {name} has no other type than the elements', got {dtype!r}")
        if name in ("minimum", "maximum"):
            acc = accumulated(given)
            own, identity = extreme(name == "minimum", acc)
            element, preamble = element_of(options.map, given, acc)
            return Combined(own, given, acc, identity, element, preamble, False, edge(name == "minimum", given))
        every = name == "logical_and"
        own, identity = (bit_and, 1) if every else (bit_or, 0)
        kinds = np.dtype(np.bool_), np.dtype(np.uint8)
        return Combined(own, *kinds, identity, *truth_of(options.map, given), False, every)
    if given.names is None:
        check_number(given, "x")
    result = combined_type(given, op, dtype, options.map)
    acc = accumulated(result)
    identity = op.identity if isinstance(op, BinaryOp) else known_identity(op, acc)
    return Combined(op, result, acc, identity, *whole_of(options.map, given, acc, "t"), True, identity)


def value_of(name: str, how: Combined) -> str:
    """A scanner's value as what is stored of it: complex numbers lie in memory as vectors of their parts."""
    if how.by_user and how.acc.kind == "c":
        return f"({c_type(how.acc)})({name}.re, {name}.im)"
    return name


def first_value(initial: Any, how: Combined) -> Any:
    """The initial value as the scanner is given it."""
    if initial is None:
        return None
    value = one_value(initial, how.result).astype(how.acc)
    return as_numbers(value.reshape(1), how.by_user)[0]


@dispatched
def scan_by(
    x: Any,
    op: Any,
    options: Options,
    dtype: Any = None,
    initial: Any = None,
    *,
    exclusive: bool = False,
    reverse: bool = False,
    segments: Any = None,
    extended: bool = False,
    start: Start | None = None,
) -> Any:
    """A scan along an axis. `extended`: its result begins with that of no elements. `start`: what the lines go on from."""
    how = exclusive, reverse, segments, extended, start
    if segments is not None or start is not None:
        return _scanned(x, op, options, dtype, initial, *how)
    key = "scan", op, dtype, initial, type(initial), exclusive, reverse, extended
    return call_again(key, (x,), options, lambda: _scanned(x, op, options, dtype, initial, *how))


def _scanned(
    x: Any, op: Any, options: Options, dtype: Any, initial: Any, exclusive: bool, reverse: bool, segments: Any,
    extended: bool, start: Start | None,
) -> Any:  # fmt: skip
    it = operand(x, "x")
    how = combined(it.dtype, op, options, dtype)
    if not how.by_user:
        warn_of_parts(it.dtype, how.result, options.map)
    call = Scan(it, options, more=int(extended))
    if exclusive and initial is None and start is None and how.identity is None and how.by_user:
        raise InvalidParameterError(
            f"initial: an exclusive scan begins with a value, and no identity of {op!r} is known; give initial=, or the "
            "operator an identity"
        )
    begin = first_value(initial, how)
    if start is not None and start.pieces.size == 1:  # what begins the only line costs its elements no comparison
        begin, start = as_numbers(np.ascontiguousarray(start.pieces, how.acc).reshape(1), how.by_user)[0], None
    if call.is_empty:
        filled: Any = np.zeros(call.result_shape, how.result)
        if how.nothing is not None:
            filled[...] = how.nothing
        return call.give_array(filled, how.result)
    operands: dict[str, Operand | None] = {"x": call.x}
    restart = ""
    if segments is not None:
        more, condition = heads(call, read_segments(segments, call.along), reverse)
        operands |= more
        restart = f"t.restart({condition}); "
    memory, y = call.into(how.result, tuple(operands.values()))
    if y not in operands:
        operands[y] = call.seen(memory, int(extended))
    second = put(y, value_of("t.before" if exclusive else "t", how), how.result)
    if extended:
        second += _before_all(how)
        operands["at"] = None
    before = ""
    numbers: dict[str, Any] = {}
    if start is not None:
        before, second, numbers = _gone_on(call, how, operands, start, second, y if exclusive else None, reverse)
    track = Track(how.op, how.acc, how.identity, begin, options.accuracy, options.determinism, how.by_user)
    call.scan(
        f"{restart}{before}t.combine({how.element});", second, {"t": track}, operands, preamble=how.preamble,
        reverse=reverse, **numbers,
    )  # fmt: skip
    return call.given(memory)


class Start(NamedTuple):
    """What each line of a scan goes on from: it is the part of a longer one."""

    pieces: Array
    """For each line the values that come to it, along the last axis, in the type that combines."""
    values: Array
    """For each line what it is as a value."""


def _gone_on(
    call: Scan, how: Combined, operands: dict[str, Operand | None], start: Start, second: str, y: str | None,
    reverse: bool,
) -> tuple[str, str, dict[str, Any]]:  # fmt: skip
    """The statements in front of the first text's, the second text, and numbers for both: the first element of a line has
    the pieces before it, and an exclusive result y begins with the value."""
    shape, kept = call.x.shape, [d for d in range(len(call.x.shape)) if d not in call.axes]
    steps = steps_over(shape, kept)
    kind = ARRAY if call.x.kind == ARRAY else BUFFER
    count = start.pieces.shape[-1]

    def seen(array: Array, scale: int) -> Operand:
        flat = np.ascontiguousarray(array, how.acc).reshape(-1)
        strides = tuple(step * scale for step in steps)
        return Operand(kind, flat if kind == ARRAY else Buffer(flat, copy=True), how.acc, shape, strides, 0, None)

    operands["start"], operands["at"] = seen(start.pieces, count), None
    piece = _element_of("start[{start.at} + piece]", how)
    first = "{at} == begins"
    before = f"if ({first}) {{{{ for (int piece = 0; piece < pieces; piece++) t.combine({piece}); }}}} "
    if y is not None:
        operands["begin"] = seen(start.values, 1)
        begun = put(y, "{begin}", how.result)
        second = f"if ({first}) {{{{ {begun} }}}} else {{{{ {second} }}}}"
    return before, second, {"begins": np.int64(call.along - 1 if reverse else 0), "pieces": np.int32(count)}


def _element_of(text: str, how: Combined) -> str:
    """An element of memory of the type that combines, as the scanner takes it."""
    if how.by_user and how.acc.kind == "c":
        return f"({user_type(how.acc)}){{{{{text}.x, {text}.y}}}}"
    return text


def total_by(x: Any, op: Any, options: Options, dtype: Any = None) -> Array:
    """What each line of a scan comes to, of elements of which there are some: the last values, and no others."""
    it = operand(x, "x")
    how = combined(it.dtype, op, options, None if it.dtype.names is not None and options.map is None else dtype)
    call = Scan(it, options)
    kept = [size for d, size in enumerate(it.shape) if d not in call.axes]
    count = prod(kept)
    total: Any = np.empty(count, how.acc) if it.kind == ARRAY else Buffer((count,), how.acc)
    track = Track(how.op, how.acc, how.identity, None, options.accuracy, options.determinism, how.by_user)
    call.scan(
        f"t.combine({how.element});", None, {"t": track}, {"x": call.x}, preamble=how.preamble,
        totals={"t": as_numbers(total, how.by_user)},
    )  # fmt: skip
    return np.asarray(total).astype(how.acc, copy=False).reshape(kept)


def _before_all(how: Combined) -> str:
    """The element before the first, which the result alone has: what an empty sum or product is."""
    begin = f"({c_type(how.acc)})({int(how.nothing)}{', 0' if how.acc.kind == 'c' else ''})"
    return f" if ({{at}} == 0) {{{{ {stored('y', '{y.before_at}', begin, how.result)} }}}}"
