"""Means, variances, norms and dot products: what takes several passes, or a last step of another kind."""

from __future__ import annotations

import warnings
from math import inf, prod
from typing import Any

import numpy as np

from pysycl._algorithms.call import Options, dispatched
from pysycl._algorithms.kinds import accumulated, average_of, averaged, cast, extreme, magnitude, real_of, square, truth
from pysycl._algorithms.map_text import element_of
from pysycl._algorithms.operand import ARRAY, Operand, c_type, check_number, operand
from pysycl._algorithms.warned import warn_of_parts
from pysycl._reductions.reduce_fold import Fold, Reducer, finished, settled
from pysycl._reductions.reduce_passes import begin
from pysycl.errors import InvalidParameterError
from pysycl.operators import bit_or, plus


def _sums(call: Fold, acc: np.dtype[Any]) -> tuple[Any, Any]:
    """The sums, and where it depends on the elements how many elements each is made of, in one pass."""
    counting = np.dtype(np.uint32 if call.count < 2**32 else np.int64)
    if call.is_empty:
        return call.filled(0, acc), None if not call.is_partial else call.filled(0, counting)
    element, preamble = element_of(call.options.map, call.x.dtype, acc)
    if not call.is_partial:
        return call.fold(f"r0.combine({element});", (Reducer(plus, acc),), {"x": call.x}, None, preamble)[0], None
    reducers = (Reducer(plus, acc), Reducer(plus, counting, accuracy="fast"))
    sums, counts = call.fold(f"r0.combine({element}); r1.combine(1);", reducers, {"x": call.x}, None, preamble)
    return sums, counts


class _Divisor:
    """What sums are divided by: a number, or one for each; in Python and in a text."""

    def __init__(self, call: Fold, counts: Any, ddof: float, acc: np.dtype[Any]) -> None:
        real = real_of(acc)
        self.counts = () if counts is None else (counts,)
        self.ddof = ddof
        self.ending = ""
        self.count = call.count
        self._whole = real.kind in "iu"  # asked for by dtype=: divided as NumPy does it, and cut to integers
        kind, number = ("double", np.float64) if self._whole else (c_type(real), real.type)
        self._kind = c_type(real)
        if counts is None:
            self.text, self.ending = self._cut("r0[i] / n"), self._cut("r / n")
            self.numbers: dict[str, Any] = {"n": number(max(call.count - ddof, 0))}
        else:
            self.text = self._cut(f"r0[i] / fmax(({kind})r1[i] - n, ({kind})0)")
            self.numbers = {"n": number(ddof)}

    def _cut(self, text: str) -> str:
        return f"({self._kind})((double){text})" if self._whole else text

    def root_of(self, text: str) -> str:
        """The root of a value."""
        return self._cut(f"sqrt((double){text})") if self._whole else f"sqrt({text})"

    def rooted(self, root: bool) -> tuple[str, Any]:
        """The text and what NumPy does instead; with a root around."""
        if not root:
            return self.text, self.host
        return self.root_of(self.text), lambda *stages, **numbers: np.sqrt(self.host(*stages, **numbers))

    def host(self, stage: Any, counts: Any = None, **_: Any) -> Any:
        number = np.asarray(self.count if counts is None else counts, np.float64) - self.ddof
        with np.errstate(divide="ignore", invalid="ignore"):  # a warning with words of its own has been given
            return np.true_divide(stage, np.maximum(number, 0)).astype(stage.dtype)


def _warn(call: Fold, counts: Any, ddof: float, what: str) -> None:
    """NumPy's warnings, of arrays."""
    if (
        call.x.kind == ARRAY
        and prod(call.kept) > 0
        and np.any(call.count - ddof <= 0 if counts is None else counts <= ddof)
    ):
        warnings.warn(what, RuntimeWarning, stacklevel=5)


@dispatched
def mean(x: Any, options: Options, dtype: Any) -> Any:
    """mean: a sum, divided."""
    call = begin(x, options)
    result = average_of(call.x.dtype, dtype)
    warn_of_parts(call.x.dtype, result, options.map)
    acc = accumulated(result)
    if not call.is_partial and not call.is_empty:
        by = _Divisor(call, None, 0, acc)
        element, preamble = element_of(call.options.map, call.x.dtype, acc)
        reducer = Reducer(plus, acc, None, by.ending)
        return settled(call, f"r0.combine({element});", reducer, {"x": call.x}, result, preamble, by.host, **by.numbers)
    sums, counts = _sums(call, acc)
    _warn(call, counts, 0, "Mean of empty slice.")
    by = _Divisor(call, counts, 0, acc)
    return finished(call, (sums, *by.counts), result, by.text, by.host, **by.numbers)


@dispatched
def variance(x: Any, options: Options, dtype: Any, ddof: float, *, root: bool) -> Any:
    """var and std: the mean, and what remains when it is taken away; in two passes, as no other way is accurate."""
    call = begin(x, options)
    try:
        freedom = float(ddof)
    except (TypeError, ValueError):
        raise InvalidParameterError(f"ddof: expected a number, got {ddof!r}") from None
    plain = averaged(call.x.dtype)
    average = average_of(call.x.dtype, dtype)
    warn_of_parts(call.x.dtype, average, options.map)
    acc = accumulated(average)
    given = acc if options.map is not None else call.x.dtype
    result = real_of(plain) if dtype is None else average
    kept = accumulated(result)
    if call.is_empty:
        counts, rests = _sums(call, acc)[1], call.filled(0, kept)
        _warn(call, counts, freedom, "Degrees of freedom <= 0 for slice.")
        by = _Divisor(call, counts, freedom, kept)
        return finished(call, (rests, *by.counts), result, *by.rooted(root), **by.numbers)
    centers, counts = _centers(call, acc)
    _warn(call, counts, freedom, "Degrees of freedom <= 0 for slice.")
    statement, preamble = _rest(call, given, acc, kept)
    operands: dict[str, Operand | None] = {"x": call.x, "mean": call.again(centers)}
    by = _Divisor(call, counts, freedom, kept)
    if counts is None:
        reducer = Reducer(plus, kept, None, by.root_of(by.ending) if root else by.ending)
        return settled(call, statement, reducer, operands, result, preamble, by.rooted(root)[1], **by.numbers)
    rests = call.fold(statement, (Reducer(plus, kept),), operands, None, preamble)[0]
    return finished(call, (rests, *by.counts), result, *by.rooted(root), **by.numbers)


def _rest(call: Fold, given: np.dtype[Any], mean: np.dtype[Any], result: np.dtype[Any]) -> tuple[str, str | None]:
    """What an element adds to the result, and the function for a map. As NumPy: the difference is of the type that both
    have, real elements are squared, be it as complex numbers, and of complex ones it is the absolute value's square."""
    apart = accumulated(np.result_type(given, mean))
    element, preamble = element_of(call.options.map, call.x.dtype, apart if call.options.map is None else mean)
    if call.options.map is not None and mean != apart:
        element = cast(element, mean, apart)
    if apart.kind == "c" and given.kind != "c":
        kind = c_type(apart)
        term, of = f"({kind})(d.x * d.x - d.y * d.y, 2 * d.x * d.y)", apart
    else:
        term, of = square("d", apart), real_of(apart)
    if of != result:
        term = cast(f"({term})", of, result)
    return f"const {c_type(apart)} d = {element} - {cast('{mean}', mean, apart)}; r0.combine({term});", preamble


def _centers(call: Fold, acc: np.dtype[Any]) -> tuple[Any, Any]:
    """The means, as a pass leaves them for the next, and how many elements each is of where that is not the same."""
    if not call.is_partial and call.x.kind != ARRAY:
        by = _Divisor(call, None, 0, acc)
        element, preamble = element_of(call.options.map, call.x.dtype, acc)
        reducer = Reducer(plus, acc, None, by.ending)
        return call.fold(f"r0.combine({element});", (reducer,), {"x": call.x}, None, preamble, **by.numbers)[0], None
    sums, counts = _sums(call, acc)
    by = _Divisor(call, counts, 0, acc)
    if call.x.kind == ARRAY:
        return by.host(sums, *by.counts), counts
    into = call.values(acc)
    call.apply(by.text, (sums, *by.counts), into, **by.numbers)
    return into, counts


# -- norms --


def norm(x: Any, options: Options, order: Any) -> Any:
    """norm, of vectors: see numpy.linalg.norm."""
    call = begin(x, options)
    _check_order(call, order)
    base = call.x.dtype if call.x.dtype.kind in "fc" else np.dtype(np.float64)
    acc = accumulated(base)
    result, real = real_of(base), real_of(acc)
    element, preamble = element_of(call.options.map, call.x.dtype, acc)
    size = magnitude("v", acc)
    power, op, identity, ending = 1.0, plus, None, "r"
    host: Any = None
    numbers: dict[str, Any] = {}
    if order in (None, 2, "fro"):
        term, ending, host = square("v", acc), "sqrt(r)", np.sqrt
    elif order in (inf, -inf):
        term = size
        op, identity = extreme(order < 0, real)
    elif order == 0:
        term = f"({c_type(real)})({truth('v', acc)})"
    elif order == 1:
        term = size
    else:
        power = float(order)
        term, ending = f"pow({size}, ({c_type(real)}){power!r})", "pow(r, p)"
        numbers = {"p": real.type(1 / power)}
        host = _root
    if call.count == 0 and order == -inf:
        raise InvalidParameterError(f"x: the norm of order {order} of no elements is not defined")
    if call.is_empty:
        return finished(call, (call.filled(0, real),), result, host=host, **numbers)  # the root of 0 is 0
    statement = f"const {c_type(acc)} v = {element}; r0.combine({term});"
    reducer = Reducer(op, real, identity, ending)
    return settled(call, statement, reducer, {"x": call.x}, result, preamble, host, **numbers)


def _root(sums: Any, p: Any) -> Any:
    return sums**p


def _check_order(call: Fold, order: Any) -> None:
    dims = len(call.axes)
    if order is None or (order == "fro" and dims == 2):
        return
    if isinstance(order, str) or not isinstance(order, int | float):
        raise InvalidParameterError(f"ord: expected None, a number, or 'fro' for two axes, got {order!r}")
    if order != order:
        raise InvalidParameterError(f"ord: expected None, a number, or 'fro' for two axes, got {order!r}")
    if dims > 1:
        raise InvalidParameterError(
            f"ord: {order} of {dims} axes would be a norm of matrices, and here are those of vectors: None, or one axis"
        )


# -- dot --


def dot(x: Any, y: Any, options: Options) -> Any:
    """dot: sums of products over the last axis of x and the last but one of y."""
    a, b = operand(x, "x"), operand(y, "y")
    check_number(a.dtype, "x")
    check_number(b.dtype, "y")
    result = np.result_type(a.dtype, b.dtype)
    acc = accumulated(result)
    a, b = _paired(a, b)
    call = Fold(a, options._replace(axis=-1))
    if call.is_empty:
        return finished(call, (call.filled(0, acc),), result)
    left, right = cast("{x}", a.dtype, acc), cast("{y}", b.dtype, acc)
    kind, preamble = c_type(acc), None
    product = f"{left} * {right}"
    op: Any = plus
    if result.kind == "b":
        product, op = f"(uchar)({left} != 0 && {right} != 0)", bit_or
    elif result.kind == "c":
        preamble = (
            f"static inline {kind} product(const {kind} a, const {kind} b) "
            f"{{ return ({kind})(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }}"
        )
        product = f"product({left}, {right})"
    return settled(call, f"r0.combine({product});", Reducer(op, acc), {"x": a, "y": b}, result, preamble)


def _paired(a: Operand, b: Operand) -> tuple[Operand, Operand]:
    """Both in one shape, whose last axis is the one to sum over."""
    if not a.shape or not b.shape:  # a number times an array
        shape = (*(a.shape or b.shape), 1)
        return tuple(  # type: ignore[return-value]
            it._replace(shape=shape, strides=(*(it.strides or (0,) * (len(shape) - 1)), 0)) for it in (a, b)
        )
    at = max(len(b.shape) - 2, 0)
    if a.shape[-1] != b.shape[at]:
        raise InvalidParameterError(
            f"y: shape {b.shape} does not go with x of {a.shape}: {b.shape[at]} along axis {at} and not {a.shape[-1]}"
        )
    others = tuple(d for d in range(len(b.shape)) if d != at)
    before = len(a.shape) - 1
    shape = (*a.shape[:-1], *(b.shape[d] for d in others), a.shape[-1])
    return (
        a._replace(shape=shape, strides=(*a.strides[:-1], *(0 for _ in others), a.strides[-1])),
        b._replace(shape=shape, strides=(*(0 for _ in range(before)), *(b.strides[d] for d in others), b.strides[at])),
    )
