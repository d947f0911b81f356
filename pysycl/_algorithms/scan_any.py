"""Scans by any operator: which type combines, the result's, and the two texts of its one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl._algorithms.body_text import stored
from pysycl._algorithms.call import Options
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
from pysycl._algorithms.operand import Operand, as_numbers, c_type, check_number, operand
from pysycl._algorithms.scan_line import Scan, Track, put
from pysycl._algorithms.segments import heads, read_segments
from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, bit_and, bit_or, known_identity

if TYPE_CHECKING:
    import numpy as np


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
    import numpy as np

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
) -> Any:
    """A scan along an axis. `extended`: its result begins with that of no elements."""
    import numpy as np

    it = operand(x, "x")
    how = combined(it.dtype, op, options, dtype)
    call = Scan(it, options, more=int(extended))
    if exclusive and initial is None and how.identity is None and how.by_user:
        raise InvalidParameterError(
            f"initial: an exclusive scan begins with a value, and no identity of {op!r} is known; give initial=, or the "
            "operator an identity"
        )
    begin = first_value(initial, how)
    if call.is_empty:
        return call.give_array(np.full(call.result_shape, how.nothing, how.result), how.result)
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
    track = Track(how.op, how.acc, how.identity, begin, options.accuracy, options.determinism, how.by_user)
    call.scan(
        f"{restart}t.combine({how.element});", second, {"t": track}, operands, preamble=how.preamble, reverse=reverse
    )
    return call.given(memory)


def _before_all(how: Combined) -> str:
    """The element before the first, which the result alone has: what an empty sum or product is."""
    begin = f"({c_type(how.acc)})({int(how.nothing)}{', 0' if how.acc.kind == 'c' else ''})"
    return f" if ({{at}} == 0) {{{{ {stored('y', '{y.before_at}', begin, how.result)} }}}}"
