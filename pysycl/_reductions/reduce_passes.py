"""The device-wide reductions, each as its passes. The faces with their words are in reduce_calls.py."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from pysycl._algorithms.call import Options, dispatched
from pysycl._algorithms.kinds import (
    MOST_PACKED,
    accumulated,
    adder,
    edge,
    extreme,
    multiplier,
    one_value,
    order_of,
    same,
    summed,
    truth,
)
from pysycl._algorithms.map_text import element_of, truth_of
from pysycl._algorithms.operand import ARRAY, c_type, check_number, operand
from pysycl._algorithms.warned import warn_of_parts
from pysycl._reductions.reduce_fold import Fold, Reducer, finished, settled
from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError
from pysycl.operators import bit_and, bit_or, minimum, plus


def begin(x: Any, options: Options, *, places: bool = False) -> Fold:
    """The call, if x is numbers. `places`: a single result says where something is, or how often: for NumPy that is a
    number, whatever class of array x is of."""
    it = operand(x, "x")
    if places and it.kind == ARRAY and options.axis is None and not options.keepdims:
        it = it._replace(source=None)
    check_number(it.dtype, "x")
    return Fold(it, options)


def _of_initial(ufunc: Any, initial: Any, dtype: np.dtype[Any]) -> tuple[Any, dict[str, Any]]:
    """What combines a NumPy result with the initial value, and the latter as the number `first`."""
    if initial is None:
        return None, {}
    start = np.asarray(initial)
    if start.shape != ():
        raise InvalidParameterError(f"initial: expected one value, got an array of shape {start.shape}")
    number = one_value(initial, dtype).astype(np.uint8 if dtype.kind == "b" else accumulated(dtype))[()]

    def host(result: Any, first: Any) -> Any:
        return ufunc(result.astype(dtype, copy=False), np.asarray(first).astype(dtype))

    return host, {"first": number}


def _of_nothing(call: Fold, value: Any, acc: np.dtype[Any], result: np.dtype[Any], ended: tuple[Any, ...]) -> Any:
    """Where there are no elements: the identity, and the initial value."""
    text, host, numbers = ended
    text = "r0[i]" if text is None else re.sub(r"\br\b", "r0[i]", text)
    return finished(call, (call.filled(value, acc),), result, text, host, **numbers)


# -- sums and products --


@dispatched
def total(x: Any, options: Options, dtype: Any, initial: Any, *, product: bool) -> Any:
    """sum and prod."""
    call = begin(x, options)
    result = summed(call.x.dtype, dtype, options.out)
    warn_of_parts(call.x.dtype, result, options.map)
    acc = accumulated(result)
    op, identity = (multiplier if product else adder)(result)
    host, numbers = _of_initial(np.multiply if product else np.add, initial, result)
    text = None if initial is None else _INITIAL[product, result.kind].format(kind=c_type(acc))
    if call.is_empty:
        return _of_nothing(call, 1 if product else 0, acc, result, (text, host, numbers))
    element, preamble = element_of(options.map, call.x.dtype, result)
    reducer = Reducer(op, acc, identity, text)
    return settled(call, f"r0.combine({element});", reducer, {"x": call.x}, result, preamble, host, **numbers)


_INITIAL = {
    **{(False, kind): "r + first" for kind in "iufc"},
    **{(True, kind): "r * first" for kind in "iuf"},
    (True, "c"): "({kind})(r.x * first.x - r.y * first.y, r.x * first.y + r.y * first.x)",
    (False, "b"): "r | first",
    (True, "b"): "r & first",
}


@dispatched
def extremes(x: Any, options: Options, initial: Any, *, least: bool) -> Any:
    """min and max."""
    call = begin(x, options)
    name = "min" if least else "max"
    if initial is None and call.where is not None:
        raise InvalidParameterError(f"where: the {name} of no elements is not defined; give initial=, too")
    if initial is None and call.count == 0:
        raise InvalidParameterError(f"x: the {name} of no elements is not defined; give initial=")
    result = call.x.dtype
    acc = accumulated(result)
    skips = options.skips_nan
    op, identity = extreme(least, acc, skips)
    ufuncs = (np.fmin, np.fmax) if skips else (np.minimum, np.maximum)
    host, numbers = _of_initial(ufuncs[not least], initial, result)
    text = None if initial is None else _renamed(op, least)
    if call.is_empty:
        return _of_nothing(call, edge(least, acc), acc, result, (text, host, numbers))
    element, preamble = element_of(options.map, call.x.dtype, acc)
    reducer = Reducer(op, acc, identity, text)
    found = settled(call, f"r0.combine({element});", reducer, {"x": call.x}, result, preamble, host, **numbers)
    if skips and call.x.kind == ARRAY and np.any(np.isnan(found)):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=4)
    return found


def _renamed(op: Any, least: bool) -> str:
    """The operator, of what was combined and the initial value."""
    if not isinstance(op, BinaryOp):
        return f"(r {'<=' if least else '>='} first) ? r : first"
    return re.sub(r"\b[ab]\b", lambda word: "r" if word[0] == "a" else "first", op.expression)


@dispatched
def both_extremes(x: Any, options: Options) -> tuple[Any, Any]:
    """minmax: one pass for the two."""
    call = begin(x, options)
    if call.count == 0:
        raise InvalidParameterError("x: the minmax of no elements is not defined")
    result, acc = call.x.dtype, accumulated(call.x.dtype)
    reducers = tuple(Reducer(op, acc, identity) for op, identity in (extreme(True, acc), extreme(False, acc)))
    if call.is_empty:
        none = call.filled(0, acc)
        return finished(call, (none,), result), finished(call, (none,), result)
    element, preamble = element_of(options.map, call.x.dtype, acc)
    into = None if call.x.kind == ARRAY else (call.result(result), call.result(result))
    least, most = call.fold(f"r0.combine({element}); r1.combine({element});", reducers, {"x": call.x}, into, preamble)
    if into is not None:
        return call.give(least), call.give(most)
    return call.give_array(least, result), call.give_array(most, result)


@dispatched
def truths(x: Any, options: Options, *, every: bool) -> Any:
    """any and all."""
    call = begin(x, options)
    result, acc = np.dtype(np.bool_), np.dtype(np.uint8)
    reducer = Reducer(*((bit_and, acc, 1) if every else (bit_or, acc, None)))
    if call.is_empty:
        return finished(call, (call.filled(every, acc),), result)
    element, preamble = truth_of(options.map, call.x.dtype)
    return settled(call, f"r0.combine({element});", reducer, {"x": call.x}, result, preamble)


@dispatched
def nonzero(x: Any, options: Options) -> Any:
    """count_nonzero."""
    call = begin(x, options, places=True)
    result = np.dtype(np.int64)
    if call.is_empty:
        return finished(call, (call.filled(0, result),), result)
    element, preamble = element_of(options.map, call.x.dtype, accumulated(call.x.dtype))
    statement = f"r0.combine((long)({truth('{x}' if options.map is None else element, call.x.dtype)}));"
    return settled(call, statement, Reducer(plus, result), {"x": call.x}, result, preamble)


# -- positions --


@dispatched
def position(x: Any, options: Options, *, least: bool) -> Any:
    """argmin and argmax: the first of equals; NaN before all, or none of them. Where there is nothing else it is -1."""
    call = begin(x, options, places=True)
    name = "argmin" if least else "argmax"
    result = np.dtype(np.int64)
    if call.count == 0:
        raise InvalidParameterError(f"x: the {name} of no elements is not defined")
    if call.is_empty:
        return finished(call, (call.filled(0, result),), result)
    into = None if call.x.kind == ARRAY else (call.result(result),)
    kind = call.x.dtype
    if kind.itemsize <= 4 and call.count < MOST_PACKED:
        stages = call.fold(
            "r0.combine(((ulong)order_of({x}) << 32) | (ulong)({at}));",
            (Reducer(minimum, np.dtype(np.uint64), None, "r == ~0UL ? -1L : (long)(r & 0xffffffffUL)", result),),
            {"x": call.x, "at": None}, into, order_of(accumulated(kind) if kind.kind == "f" else kind, least),
        )  # fmt: skip
    else:
        acc = accumulated(kind)
        op, identity = extreme(least, acc)
        best = call.fold("r0.combine({x});", (Reducer(op, acc, identity),), {"x": call.x})[0]
        stages = call.fold(
            f"if ({same('{x}', '{best}', kind)}) r0.combine({{at}});",
            (Reducer(minimum, result, None, "r == LONG_MAX ? -1L : r" if options.skips_nan else None),),
            {"x": call.x, "best": call.again(best), "at": None}, into,
        )  # fmt: skip
    if into is not None:
        return call.give(stages[0])
    if options.skips_nan and np.any(stages[0] < 0):
        raise InvalidParameterError(f"x: the {name} of nothing but NaN is not defined")
    return finished(call, stages, result)
