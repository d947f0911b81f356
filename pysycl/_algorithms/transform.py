"""Expressions of elements, broadcast: transform, and the calls that are made of one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.axes import steps_over
from pysycl._algorithms.body_text import Body, Elements, loaded, stored
from pysycl._algorithms.call import Call, Options, Pass, kept, options_of
from pysycl._algorithms.kinds import wanted
from pysycl._algorithms.map_text import check_map
from pysycl._algorithms.operand import ARRAY, Operand, broadcast, c_type, check_number, operand, user_type
from pysycl._data.host_memory import as_dtype, element_type
from pysycl._kernels.user_text import MadeText, Part, called, preamble_with
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Elementwise(Call):
    """A call whose result has one element for each of its operands'."""

    __slots__ = ()

    def apply(
        self, statement: str, dtype: np.dtype[Any], operands: dict[str, Operand], preamble: str | None = None,
        user: tuple[Part, ...] = (), **numbers: Any,
    ) -> Any:  # fmt: skip
        """The result, by a statement that stores {out_at}: the operands are of the result's shape. `user`: what is
        the user's in it and in the preamble, the expression first."""
        memory = np.empty(self.result_shape, dtype) if self.x.kind == ARRAY else self.result(dtype)
        if prod(self.result_shape) == 0:
            return self.give(memory)
        shape = self.result_shape or (1,)
        made = operand(memory, "out")._replace(shape=shape, strides=steps_over(shape, range(len(shape))))
        seen = {name: it if it.shape else it._replace(shape=(1,), strides=(0,)) for name, it in operands.items()}
        self.over(shape, statement, {"out_at": made, **seen}, preamble, user, **numbers)
        return self.give(memory)

    def over(
        self, shape: tuple[int, ...], statement: str, operands: dict[str, Operand], preamble: str | None = None,
        user: tuple[Part, ...] = (), **numbers: Any,
    ) -> None:  # fmt: skip
        """A statement for each place of a shape, which is that of the operands."""
        elements = Elements(dict(operands), statement, None, preamble)
        key = ("elements", elements.key, shape, tuple(numbers))
        found = kept(key, lambda: _body(elements, shape, user))
        arguments = found.arguments | numbers
        elements.give(arguments)
        self.run(found.range, found.text, arguments)


def _body(elements: Elements, shape: tuple[int, ...], user: tuple[Part, ...]) -> Pass:
    body = Body(elements, shape, tuple(range(len(shape))))
    if user:
        line = body.text.count("\n", 0, body.text.rindex(f"\n{user[0].text}\n")) + 2
        caller = "transform", tuple(user[0].knows.split(", "))
        body.text = MadeText(body.text, (user[0]._replace(line=line), *user[1:]), caller)
    return Pass(body.layout.sizes, body.text, body.arguments, [])


# -- parts along an axis --


class Taken(Elementwise):
    """A call whose result has other parts along an axis than x has."""

    __slots__ = ("axis", "base", "length")

    def __init__(self, x: Operand, options: Options, axis: int, length: int, behind: Any = None) -> None:
        """`behind`: the event of the command that makes the indices."""
        shape = tuple(length if d == axis else size for d, size in enumerate(x.shape))
        super().__init__(x, options, shape)
        self.axis, self.length, self.event = axis, length, behind
        steps = tuple(0 if d == axis else step for d, step in enumerate(x.strides))
        self.base = x._replace(shape=shape, strides=steps)

    def take(
        self, index: str, operands: dict[str, Operand], condition: str = "", or_zero: bool = False, **numbers: Any
    ) -> Any:  # fmt: skip
        """The result: the part of each index, an expression. Where a condition is not true: zeros, or what was there."""
        kind = self.x.dtype
        where = f"{{x_at.at}} + ({index}) * x_step"
        text = stored("out_at", "{out_at.at}", loaded("x_at", kind, where), kind)
        if condition:
            text = f"if ({condition}) {{{{ {text} }}}}"
        if or_zero:
            zero = "(x_at_t){{0}}" if kind.names is not None else f"({c_type(kind)})(0)"
            text += f" else {{{{ {stored('out_at', '{out_at.at}', zero, kind)} }}}}"
        numbers["x_step"] = np.int64(self.x.strides[self.axis])
        return self.apply(text, kind, {"x_at": self.base, **operands}, **numbers)

    def along(self, it: Operand) -> Operand:
        """What there is one of for each part of the result, in the result's shape."""
        steps = tuple(it.strides[0] if d == self.axis else 0 for d in range(len(self.result_shape)))
        return it._replace(shape=self.result_shape, strides=steps)


# -- transform --


def _looked_up(expression: str, arrays: Iterable[str]) -> str:
    """More of an error: an argument has a subscript, as in a kernel's text, and is an element here."""
    found = [name for name in arrays if re.search(rf"\b{name}\s*\[", expression)]
    return (
        f"; {found[0]!r} is an element in this text: {found[0]}[k] is for the text of a parallel_for" if found else ""
    )


def transform(
    expression: str, *, dtype: Any = None, out: Any = None, preamble: str | None = None, queue: Queue | None = None,
    **arguments: Any,
) -> Any:  # fmt: skip
    """An expression of elements: the arrays are broadcast against each other, and the result is made.

    Parameters
    ----------
    expression
        OpenCL C in the arguments' names, where that of an array is its element. The types of structs are `x_t` of the
        argument x, and `T` of the result.
    dtype
        Of the result. None: that of `out`, or what NumPy makes of the arrays' types.
    out
        Where the result goes: memory of the broadcast shape.
    preamble
        OpenCL C in front of the kernel: functions that the expression calls. It may say these types, too.
    queue
        Where it runs. None: the default device.
    **arguments
        NumPy arrays, Buffers or UsmArrays, one kind of them; and numbers.

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        What the arrays are, or `out`.

    Raises
    ------
    InvalidParameterError
        Shapes that cannot be broadcast, no array among the arguments, or arrays of several kinds.

    Notes
    -----
    Beyond SYCL.

    Examples
    --------
    >>> sycl.transform("sqrt(x * x + y * y)", x=np.array([3.0, 8.0]), y=np.array([[4.0], [15.0]]))
    array([[ 5.        ,  8.94427191],
           [15.29705854, 17.        ]])
    """
    if not isinstance(expression, str) or not expression.strip():
        raise InvalidParameterError(f"expression: expected OpenCL C, got {expression!r}")
    check_map(expression, "expression")
    arrays, numbers = _sorted(arguments)
    options = options_of(None, False, None, None, out, queue)
    try:
        shape = np.broadcast_shapes(*(it.shape for it in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {it.shape}" for name, it in arrays.items())
        raise InvalidParameterError(
            f"the arguments cannot be broadcast against each other: {shapes}{_looked_up(expression, arrays)}"
        ) from None
    kinds = {it.kind for it in arrays.values()}
    if len(kinds) != 1:
        raise InvalidParameterError(
            "the arguments: expected NumPy arrays, Buffers or UsmArrays, and not several of these"
        )
    held = getattr(options.out, "dtype", None)
    result = _result_type(arrays, dtype if dtype is not None else held)
    call = Elementwise(next(iter(arrays.values())), options, shape)
    lines, operands = [], {}
    types = {f"{name}_t": f"{name}_at_t" for name, it in arrays.items() if it.dtype.names is not None}
    if result.names is not None:
        types["T"] = "out_at_t"
    preamble, parts = preamble_with(types, preamble)
    for name, it in arrays.items():
        operands[f"{name}_at"] = broadcast(it, shape, name)
        kind = f"{name}_t" if f"{name}_t" in types else user_type(it.dtype)
        value = f"{{{name}_at}}"
        lines.append(f"const {kind} {name} = {f'{kind}({value}.x, {value}.y)' if it.dtype.kind == 'c' else value};")
    text = expression.replace("{", "{{").replace("}", "}}")
    value = f"(\n{text}\n)"
    if result.kind == "c":
        lines.append(f"const {user_type(result)} z = {value};")
        value = f"({c_type(result)})(z.re, z.im)"
    lines.append(stored("out_at", "{out_at.at}", value, result))
    user = Part("body", 1, "expression", expression, ", ".join([*arguments, *types]), called(types))
    return call.apply("\n".join(lines), result, operands, preamble, (user, *parts), **numbers)


def _sorted(arguments: dict[str, Any]) -> tuple[dict[str, Operand], dict[str, Any]]:
    """Arrays, and numbers."""
    arrays, numbers = {}, {}
    for name, value in arguments.items():
        if isinstance(value, int | float | np.generic):
            numbers[name] = value
            continue
        it = operand(value, name)
        if it.dtype.names is None:
            check_number(it.dtype, name)
        arrays[name] = it
    if not arrays:
        raise InvalidParameterError("the arguments: expected an array among them")
    return arrays, numbers


def _result_type(arrays: dict[str, Operand], dtype: Any) -> np.dtype[Any]:
    if dtype is not None:
        return element_type(dtype, "dtype") if as_dtype(dtype).names is not None else wanted(dtype, as_dtype(dtype))
    if any(it.dtype.names is not None for it in arrays.values()):
        raise InvalidParameterError("dtype: of structs it must be said")
    return np.result_type(*(it.dtype for it in arrays.values()))
