"""The device-wide reductions, each as its passes. The faces with their words are in reduce_calls.py."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from pysycl.errors import InvalidParameterError
from pysycl.operators import bit_and, bit_or, minimum, plus
from pysycl.reduce_kinds import (
    MOST_PACKED,
    accumulated,
    adder,
    cast,
    extreme,
    multiplier,
    order_of,
    truth,
    widened,
)
from pysycl.reduce_operand import ARRAY, Operand, check_number, operand
from pysycl.reduce_run import Call, Options, Reducer, finished
from pysycl.reduce_text import mapped

if TYPE_CHECKING:
    import numpy as np


def begin(x: Any, options: Options) -> Call:
    """The call, if x is numbers."""
    it = operand(x, "x")
    checked(it, "x")
    return Call(it, options)


def checked(it: Operand, what: str) -> None:
    """Refuses what is no numbers."""
    check_number(it.dtype, what)


def wanted(dtype: Any, otherwise: np.dtype[Any]) -> np.dtype[Any]:
    import numpy as np

    return otherwise if dtype is None else check_number(np.dtype(dtype), "dtype")


def element_of(call: Call, to: np.dtype[Any]) -> tuple[str, str | None]:
    """The expression of an element of x as another type, and the function for that if there is a map."""
    if call.options.map is None:
        return cast("{x}", call.x.dtype, to), None
    acc = accumulated(to)
    if not isinstance(call.options.map, str):
        raise InvalidParameterError(f"map: expected OpenCL C in x, got {call.options.map!r}")
    return cast("map_x({x})", acc, to) if to.kind == "b" else "map_x({x})", mapped(
        call.options.map, "x", call.x.dtype, acc
    )


def _with_initial(call: Call, ufunc: Any, op_text: str, initial: Any, stage: Any, dtype: np.dtype[Any]) -> Any:
    """The result, combined with the initial value."""
    import numpy as np

    if initial is None:
        return finished(call, (stage,), dtype)
    start = np.asarray(initial)
    if start.shape != ():
        raise InvalidParameterError(f"initial: expected one value, got an array of shape {start.shape}")
    number = start.astype(np.uint8 if dtype.kind == "b" else accumulated(dtype))[()]

    def host(result: Any, first: Any) -> Any:
        return ufunc(result.astype(dtype, copy=False), np.asarray(first).astype(dtype))

    text = op_text.replace("r0", "r0[i]")
    return finished(call, (stage,), dtype, text, host, first=number)


# -- sums and products --


def _direct(call: Call, acc: np.dtype[Any], dtype: np.dtype[Any], initial: Any) -> tuple[Any, ...] | None:
    """The call's own result for the only pass to write to, where it needs nothing after that."""
    same = acc == dtype or dtype.kind == "b"
    return (call.result(dtype),) if call.x.kind != ARRAY and same and initial is None else None


def total(x: Any, options: Options, dtype: Any, initial: Any, *, product: bool) -> Any:
    """sum and prod."""
    import numpy as np

    call = begin(x, options)
    result = wanted(dtype, widened(call.x.dtype))
    acc = accumulated(result)
    op, identity = (multiplier if product else adder)(result)
    neutral = 1 if product else 0
    ufunc = np.multiply if product else np.add
    if call.is_empty or prod(call.kept) == 0:
        return _with_initial(call, ufunc, _INITIAL[product, result.kind], initial, call.filled(neutral, acc), result)
    element, preamble = element_of(call, result)
    statement = f"r0.combine({element});"
    reducer = Reducer(op, acc, identity)
    into = _direct(call, acc, result, initial)
    stage = call.fold(statement, (reducer,), {"x": call.x}, into, preamble)[0]
    if into is not None:
        return call.give(stage)
    return _with_initial(call, ufunc, _INITIAL[product, result.kind], initial, stage, result)


_INITIAL = {
    **{(False, kind): "r0 + first" for kind in "iufc"},
    **{(True, kind): "r0 * first" for kind in "iuf"},
    (True, "c"): "(r0.xyxy * first.xxyy).lo + (r0.xyxy * first.xxyy).hi.yx * (1, -1)",
    (False, "b"): "r0 | first",
    (True, "b"): "r0 & first",
}


def extremes(x: Any, options: Options, initial: Any, *, least: bool) -> Any:
    """min and max."""
    import numpy as np

    call = begin(x, options)
    name = "min" if least else "max"
    _refuse_complex(call.x, name)
    if initial is None and call.where is not None:
        raise InvalidParameterError(f"where: the {name} of no elements is not defined; give initial=, too")
    if initial is None and call.is_empty:
        raise InvalidParameterError(f"x: the {name} of no elements is not defined; give initial=")
    result = call.x.dtype
    acc = accumulated(result)
    op, identity = extreme(least, acc)
    ufunc = np.minimum if least else np.maximum
    text = f"(r0 {'<=' if least else '>='} first || r0 != r0) ? r0 : first"
    if call.is_empty or prod(call.kept) == 0:
        edge = identity if identity is not None else getattr(np.iinfo(acc), "max" if least else "min")
        return _with_initial(call, ufunc, text, initial, call.filled(edge, acc), result)
    element, preamble = element_of(call, acc)
    into = _direct(call, acc, result, initial)
    stage = call.fold(f"r0.combine({element});", (Reducer(op, acc, identity),), {"x": call.x}, into, preamble)[0]
    return call.give(stage) if into is not None else _with_initial(call, ufunc, text, initial, stage, result)


def _refuse_complex(x: Operand, what: str) -> None:
    if x.dtype.kind == "c":
        raise InvalidParameterError(f"x: {what} is not defined for {x.dtype}, which has no order")


def both_extremes(x: Any, options: Options) -> tuple[Any, Any]:
    """minmax: one pass for the two."""
    call = begin(x, options)
    _refuse_complex(call.x, "minmax")
    if call.is_empty:
        raise InvalidParameterError("x: the minmax of no elements is not defined")
    result, acc = call.x.dtype, accumulated(call.x.dtype)
    reducers = tuple(Reducer(op, acc, identity) for op, identity in (extreme(True, acc), extreme(False, acc)))
    if prod(call.kept) == 0:
        stages: tuple[Any, ...] = (call.filled(0, acc), call.filled(0, acc))
    else:
        element, preamble = element_of(call, acc)
        stages = call.fold(f"r0.combine({element}); r1.combine({element});", reducers, {"x": call.x}, None, preamble)
    return finished(call, stages[:1], result), finished(call, stages[1:], result)


def truths(x: Any, options: Options, *, every: bool) -> Any:
    """any and all."""
    import numpy as np

    call = begin(x, options)
    result, acc = np.dtype(np.bool_), np.dtype(np.uint8)
    reducer = Reducer(*((bit_and, acc, 1) if every else (bit_or, acc, None)))
    if call.is_empty or prod(call.kept) == 0:
        return finished(call, (call.filled(every, acc),), result)
    element, preamble = element_of(call, result if options.map is None else accumulated(call.x.dtype))
    if options.map is not None:
        element = f"(uchar)({truth(element, call.x.dtype)})"
    into = _direct(call, acc, result, None)
    stage = call.fold(f"r0.combine({element});", (reducer,), {"x": call.x}, into, preamble)[0]
    return call.give(stage) if into is not None else finished(call, (stage,), result)


def nonzero(x: Any, options: Options) -> Any:
    """count_nonzero."""
    import numpy as np

    call = begin(x, options)
    result = np.dtype(np.int64)
    if call.is_empty or prod(call.kept) == 0:
        return finished(call, (call.filled(0, result),), result)
    element, preamble = element_of(call, accumulated(call.x.dtype))
    into = _direct(call, result, result, None)
    statement = f"r0.combine((long)({truth(element if preamble else '{x}', call.x.dtype)}));"
    stage = call.fold(statement, (Reducer(plus, result),), {"x": call.x}, into, preamble)[0]
    return call.give(stage) if into is not None else finished(call, (stage,), result)


# -- positions --


def position(x: Any, options: Options, *, least: bool) -> Any:
    """argmin and argmax: the first of equals; NaN before all."""
    import numpy as np

    call = begin(x, options)
    name = "argmin" if least else "argmax"
    _refuse_complex(call.x, name)
    result = np.dtype(np.int64)
    if call.is_empty:
        raise InvalidParameterError(f"x: the {name} of no elements is not defined")
    if prod(call.kept) == 0:
        return finished(call, (call.filled(0, result),), result)
    into = _direct(call, result, result, None)
    kind = call.x.dtype
    if kind.itemsize <= 4 and call.count < MOST_PACKED:
        stages = call.fold(
            "r0.combine(((ulong)order_of({x}) << 32) | (ulong)({at}));",
            (Reducer(minimum, np.dtype(np.uint64), None, "(long)(r & 0xffffffffUL)", result),),
            {"x": call.x, "at": None}, into, order_of(accumulated(kind) if kind.kind == "f" else kind, least),
        )  # fmt: skip
    else:
        op, identity = extreme(least, kind)
        best = call.fold("r0.combine({x});", (Reducer(op, kind, identity),), {"x": call.x})[0]
        same = "{x} == {best}" + (" || ({best} != {best} && {x} != {x})" if kind.kind == "f" else "")
        stages = call.fold(
            f"if ({same}) r0.combine({{at}});", (Reducer(minimum, result),),
            {"x": call.x, "best": call.again(best), "at": None}, into,
        )  # fmt: skip
    return call.give(stages[0]) if into is not None else finished(call, stages, result)
