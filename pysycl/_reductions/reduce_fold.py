"""One call of a device-wide reduction: its passes over the elements, and what is done with their results."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pysycl._algorithms.axes import axes_of, kept_shape, steps_over
from pysycl._algorithms.body_text import Body, Elements, stored
from pysycl._algorithms.call import Call, Options, Pass, kept
from pysycl._algorithms.operand import ARRAY, BUFFER, Operand, as_numbers, as_values, broadcast, operand, pairs
from pysycl._kernels.user_text import operator_part
from pysycl.binary_op import BinaryOp
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.reductions import Reduction, _along


class Reducer(NamedTuple):
    """What elements are combined into."""

    op: Any
    dtype: np.dtype[Any]
    identity: Any = None
    finish: str | None = None
    result: np.dtype[Any] | None = None
    """Where finish gives another type."""
    accuracy: str | None = None
    """Where it is another than the call asks for."""
    by_user: bool = False
    """The operator is the user's text: complex numbers are cfloat and cdouble to it, and not vectors of their parts."""


class Fold(Call):
    """The passes of one call."""

    __slots__ = ("axes", "kept", "where")

    def __init__(self, x: Operand, options: Options) -> None:
        self.axes = axes_of(options.axis, len(x.shape))
        self.kept = kept_shape(x.shape, self.axes, False)
        super().__init__(x, options, kept_shape(x.shape, self.axes, True) if options.keepdims else self.kept)
        self.where: Operand | None = None
        if options.where is not None and options.where is not True:
            self.where = broadcast(operand(options.where, "where"), x.shape, "where")
            if self.where.dtype.kind != "b":
                raise InvalidParameterError(f"where: expected an array of bool, got one of {self.where.dtype}")

    @property
    def is_partial(self) -> bool:
        """Do only some of the elements count?"""
        return self.where is not None or (self.options.skips_nan and self.x.dtype.kind in "fc")

    @property
    def count(self) -> int:
        """How many elements each result is made of."""
        return prod(self.x.shape[d] for d in self.axes)

    @property
    def is_empty(self) -> bool:
        """Is there nothing to combine?"""
        return prod(self.x.shape) == 0

    # -- between two passes --

    def values(self, dtype: np.dtype[Any]) -> Any:
        """Memory for one value for each result."""
        return np.empty(self.kept, dtype) if self.x.kind == ARRAY else Buffer._new((prod(self.kept),), dtype)

    def filled(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """The same value for each result, where there is nothing to combine."""
        array = np.empty(self.kept, dtype)
        array[...] = value
        return array if self.x.kind == ARRAY else Buffer(array.reshape(-1), copy=True)

    def again(self, memory: Any) -> Operand:
        """The results of a pass as an operand of the next: repeated along the reduced axes."""
        shape, is_array = self.x.shape, self.x.kind == ARRAY
        steps = steps_over(shape, [d for d in range(len(shape)) if d not in self.axes])
        flat = memory.reshape(-1) if is_array else memory
        return Operand(ARRAY if is_array else BUFFER, flat, memory.dtype, shape, steps, 0, None)

    # -- passes --

    def fold(
        self,
        statement: str,
        reducers: tuple[Reducer, ...],
        operands: dict[str, Operand | None],
        into: tuple[Any, ...] | None = None,
        preamble: str | None = None,
        always: str = "",
        **numbers: Any,
    ) -> tuple[Any, ...]:
        """Combines all elements: the memory that the results are in. The statement combines `{x}` into r0, r1, ...

        Where nothing is to be combined the memory has the identities.
        """
        into = into or tuple(self.values(each.result or each.dtype) for each in reducers)
        if self.options.skips_nan and self.x.dtype.kind in "fc":
            parts = ("{x}.x", "{x}.y") if self.x.dtype.kind == "c" else ("{x}",)
            statement = f"if ({' && '.join(f'{part} == {part}' for part in parts)}) {{{{ {statement} }}}}"
        if self.where is not None:
            operands = {**operands, "where": self.where}
            statement = f"if ({{where}}) {{{{ {statement} }}}}"
        elements = Elements(operands, statement + always, self.options.map, preamble)
        key = (
            elements.key, reducers, self.x.shape, self.axes, self.options.accuracy, self.options.determinism,
            tuple([memory.dtype for memory in into]),
        )  # fmt: skip
        found = kept(key, lambda: self._made(elements, reducers, into))
        arguments = found.arguments.copy()
        if numbers:
            arguments |= as_values(numbers, any([each.by_user for each in reducers]))
        elements.give(arguments)
        for k, memory in enumerate(into):
            plain = as_numbers(memory, reducers[k].by_user)
            arguments[f"r{k}"] = Reduction((plain, plain.size, *found.made[k]))
        self.run(found.range, found.text, arguments)
        return into

    def _made(self, elements: Elements, reducers: tuple[Reducer, ...], into: tuple[Any, ...]) -> Pass:
        body = Body(elements, self.x.shape, self.axes)
        own = [(k, each.op) for k, each in enumerate(reducers) if isinstance(each.op, BinaryOp)]
        body.text.parts += tuple(operator_part(f"r{k}", op.expression) for k, op in own)
        made = [
            _along(
                as_numbers(memory, reducer.by_user), reducer.op, body.layout.mask,
                value_dtype=reducer.dtype if reducer.by_user else pairs(reducer.dtype), identity=reducer.identity,
                finish=reducer.finish, accuracy=reducer.accuracy or self.options.accuracy,
                determinism=self.options.determinism,
            )
            for reducer, memory in zip(reducers, into, strict=True)
        ]  # fmt: skip
        return Pass(body.layout.sizes, body.text, body.arguments, [tuple(each)[2:] for each in made])

    def apply(self, text: str, stages: tuple[Any, ...], into: Any, **numbers: Any) -> None:
        """Elements of results of passes, r0, r1, ..., to one result each: only where these are no NumPy arrays."""
        arguments: dict[str, Any] = {f"r{k}": as_numbers(stage) for k, stage in enumerate(stages)}
        arguments |= {"y": as_numbers(into), **as_values(numbers, False)}
        self.run(prod(self.kept), stored("y", "i", text, into.dtype), arguments)


Host = Callable[..., Any]


def settled(
    call: Fold,
    statement: str,
    reducer: Reducer,
    operands: dict[str, Operand | None],
    dtype: np.dtype[Any],
    preamble: str | None = None,
    host: Host | None = None,
    **numbers: Any,
) -> Any:
    """The call's result, by one pass: the reducer's `finish` makes it of what was combined, and of the numbers, where it
    is no NumPy array; there `host` does."""
    if call.x.kind != ARRAY:
        return call.give(call.fold(statement, (reducer,), operands, (call.result(dtype),), preamble, **numbers)[0])
    stage = call.fold(statement, (reducer._replace(finish=None),), operands, None, preamble)[0]
    return call.give_array(stage if host is None else host(stage, **numbers), dtype)


def finished(
    call: Fold,
    stages: tuple[Any, ...],
    dtype: np.dtype[Any],
    text: str = "r0[i]",
    host: Host | None = None,
    **numbers: Any,
) -> Any:
    """The call's result, made of those of its passes: by `host` where they are arrays, else by the text."""
    if call.x.kind == ARRAY:
        return call.give_array(stages[0] if host is None else host(*stages, **numbers), dtype)
    into = call.result(dtype)
    if prod(call.kept) > 0:
        call.apply(text, stages, into, **numbers)
    return call.give(into)
