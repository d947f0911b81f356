"""reduce: by any operator. SYCL's function objects are NumPy's functions; the others are OpenCL C."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject
from pysycl.reduce_kinds import accumulated
from pysycl.reduce_operand import check_number, operand
from pysycl.reduce_passes import element_of, extremes, one_value, total, truths, wanted
from pysycl.reduce_run import Call, Options, Reducer, finished
from pysycl.source import element_type

if TYPE_CHECKING:
    import numpy as np


def _by_name(x: Any, name: str, options: Options, dtype: Any, initial: Any) -> Any:
    """By one of the operators that NumPy has functions for."""
    if name in ("plus", "multiplies"):
        return total(x, options, dtype, initial, product=name == "multiplies")
    if dtype is not None and not name.startswith("bit"):
        raise InvalidParameterError(f"dtype: {name} has no other type than the elements', got {dtype!r}")
    if name in ("minimum", "maximum"):
        return extremes(x, options, initial, least=name == "minimum")
    if initial is not None:
        raise InvalidParameterError(f"initial: {name} takes none, got {initial!r}")
    return truths(x, options, every=name == "logical_and")


def _operator(op: Any) -> BinaryOp:
    if isinstance(op, str):
        return BinaryOp(op)
    if not isinstance(op, BinaryOp):
        raise InvalidParameterError(
            f"op: expected a function object such as plus, a BinaryOp, or OpenCL C in a and b, got {op!r}"
        )
    return op


def combine(x: Any, op: Any, options: Options, dtype: Any, initial: Any) -> Any:
    """All elements, combined by an operator."""
    if isinstance(op, FunctionObject):
        dtype = op.dtype if dtype is None else dtype
        if not op.name.startswith("bit"):
            return _by_name(x, op.name, options, dtype, initial)
    else:
        op = _operator(op)
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    call = Call(it, options)
    result = _result_type(call, op, dtype)
    acc = accumulated(result)
    identity = op.identity if isinstance(op, BinaryOp) else _OF_BITS[op.name]
    if call.is_empty or prod(call.kept) == 0:
        return finished(call, (call.filled(_of_nothing(call, op, initial, identity), acc),), result)
    element, preamble = ("{x}", None) if acc.names is not None else element_of(call, acc)
    operands: dict[str, Any] = {"x": it}
    first: dict[str, Any] = {}
    always = ""
    if initial is not None:
        operands["at"] = None
        always = "if ({at} == 0) r0.combine(first);"
        first["first"] = one_value(initial, acc)[()]
    stage = call.fold(
        f"r0.combine({element});", (Reducer(op, acc, identity),), operands, None, preamble, always=always, **first
    )[0]
    return finished(call, (stage,), result)


_OF_BITS = {"bit_or": None, "bit_xor": None, "bit_and": None}


def _result_type(call: Call, op: Any, dtype: Any) -> np.dtype[Any]:
    if call.x.dtype.names is not None:
        if dtype is not None or call.options.map is not None:
            raise InvalidParameterError(f"{'dtype' if dtype is not None else 'map'}: not for elements that are structs")
        return element_type(call.x.dtype, "x")
    result = wanted(dtype, call.x.dtype)
    if isinstance(op, FunctionObject) and result.kind not in "biu":
        raise InvalidParameterError(f"op: {op.name} is not defined for {result}")
    return result


def _of_nothing(call: Call, op: Any, initial: Any, identity: Any) -> Any:
    value = initial if initial is not None else identity
    if value is None and isinstance(op, FunctionObject):
        return -1 if op.name == "bit_and" else 0
    if value is None and prod(call.kept) > 0:
        raise InvalidParameterError(f"x: no elements, and no identity of {op!r}; give initial=")
    return 0 if value is None else value
