"""reduce: by any operator. SYCL's function objects are NumPy's functions; the others are OpenCL C."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from pysycl import _core
from pysycl._algorithms.call import Options, dispatched
from pysycl._algorithms.kinds import accumulated, combined_type, one_value, operator_of, widened
from pysycl._algorithms.map_text import whole_of
from pysycl._algorithms.operand import check_number, operand
from pysycl._algorithms.plan import tell
from pysycl._reductions.reduce_fold import Fold, Reducer, finished
from pysycl._reductions.reduce_passes import extremes, total, truths
from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject

# The core's numbers of what it does on the calling thread, for arrays of little work.
_AT_ONCE: Final = {"plus": 0, "multiplies": 1, "minimum": 2, "maximum": 3, "logical_or": 4, "logical_and": 5}
_TOLD: Final = """\
row       calling thread
why       the calling thread and its team are done before a device's threads would be awake
measured  PoCL 3.0, 2 cores: NumPy's time of sums of 2^10 to 2^24 floats 3.0 to 6.6 times as long, of maxima 1.5 to 2.9"""


def _at_once(x: Any, name: str, options: Options, dtype: Any, initial: Any) -> Any:
    """As the functions that are called for it do it first. None: it is not for the calling thread."""
    if (
        options.map is options.where is options.out is options.queue is initial is None and not options.skips_nan
        and options.accuracy == "fast" and options.determinism == "any"
        and (dtype is None or (hasattr(x, "dtype") and dtype == widened(x.dtype)))
    ):  # fmt: skip
        found = _core.host_reduce(x, _AT_ONCE[name], options.axis, 0, options.keepdims)
        if found is not None:
            tell(_TOLD)
        return found
    return None


def _by_name(x: Any, name: str, options: Options, dtype: Any, initial: Any) -> Any:
    """By one of the operators that NumPy has functions for."""
    found = _at_once(x, name, options, dtype, initial)
    if found is not None:
        return found
    if name in ("plus", "multiplies"):
        return total(x, options, dtype, initial, product=name == "multiplies")
    if dtype is not None and not name.startswith("bit"):
        raise InvalidParameterError(f"dtype: {name} has no other type than the elements', got {dtype!r}")
    if name in ("minimum", "maximum"):
        return extremes(x, options, initial, least=name == "minimum")
    if initial is not None:
        raise InvalidParameterError(f"initial: {name} takes none, got {initial!r}")
    return truths(x, options, every=name == "logical_and")


def combine(x: Any, op: Any, options: Options, dtype: Any, initial: Any) -> Any:
    """All elements, combined by an operator."""
    if isinstance(op, FunctionObject):
        dtype = op.dtype if dtype is None else dtype
        if not op.name.startswith("bit"):
            return _by_name(x, op.name, options, dtype, initial)
    else:
        op = operator_of(op)
    return folded(x, op, options, dtype, initial)


@dispatched
def folded(x: Any, op: Any, options: Options, dtype: Any, initial: Any) -> Any:
    """By an operator that NumPy has no function for."""
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    call = Fold(it, options)
    result = combined_type(it.dtype, op, dtype, options.map)
    acc = accumulated(result)
    identity = op.identity if isinstance(op, BinaryOp) else None
    if call.is_empty:
        return finished(call, (call.filled(_of_nothing(call, op, initial, identity), acc),), result)
    element, preamble = whole_of(options.map, it.dtype, acc)
    operands: dict[str, Any] = {"x": it}
    first: dict[str, Any] = {}
    always = ""
    if initial is not None:
        operands["at"] = None
        always = "if ({at} == 0) r0.combine(first);"
        first["first"] = one_value(initial, acc)[()]
    reducer = Reducer(op, acc, identity, by_user=True)
    stage = call.fold(f"r0.combine({element});", (reducer,), operands, None, preamble, always, **first)[0]
    return finished(call, (stage,), result)


def _of_nothing(call: Fold, op: Any, initial: Any, identity: Any) -> Any:
    value = initial if initial is not None else identity
    if value is None and isinstance(op, FunctionObject):
        return -1 if op.name == "bit_and" else 0
    if value is None and prod(call.kept) > 0:
        raise InvalidParameterError(f"x: no elements, and no identity of {op!r}; give initial=")
    return 0 if value is None else value
