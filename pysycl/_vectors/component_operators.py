"""The operators of Vec and Marray: one table, from which both get Python's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from pysycl._vectors.components import Components

Array: TypeAlias = "np.ndarray[Any, Any]"


def _divide(x: Array, y: Array) -> Array:
    """As C does: integers toward zero."""
    if x.dtype.kind == "f":
        return x / y
    if not np.all(y):
        raise ZeroDivisionError("division of integers by zero")
    quotient = x // y
    inexact = (quotient * y != x) & ((x < 0) != (y < 0))
    result: Array = (quotient + inexact).astype(x.dtype)
    return result


def _remainder(x: Array, y: Array) -> Array:
    """Of the sign of x, as C has it."""
    if not np.all(y):
        raise ZeroDivisionError("remainder of integers by zero")
    result: Array = np.fmod(x, y)
    return result


def _shift(direction: np.ufunc) -> Callable[[Array, Array], Array]:
    """By as many bits as OpenCL C shifts by: modulo the width. To the right, signed types keep their sign."""

    def call(x: Array, y: Array) -> Array:
        result: Array = direction(x, y & (x.dtype.itemsize * 8 - 1))
        return result

    return call


class Operator(NamedTuple):
    """One binary operator."""

    sign: str
    method: str
    """Python's name for it, without underscores."""
    call: Callable[[Array, Array], Array]
    integers: bool = False
    """Not for floating-point elements."""


ARITHMETIC: Final = (
    Operator("+", "add", np.add),
    Operator("-", "sub", np.subtract),
    Operator("*", "mul", np.multiply),
    Operator("/", "truediv", _divide),
    Operator("%", "mod", _remainder, True),
    Operator("&", "and", np.bitwise_and, True),
    Operator("|", "or", np.bitwise_or, True),
    Operator("^", "xor", np.bitwise_xor, True),
    Operator("<<", "lshift", _shift(np.left_shift), True),
    Operator(">>", "rshift", _shift(np.right_shift), True),
)
"""Operators that give a value of the same type; they have forms with the operands swapped and in place."""
COMPARISONS: Final = (
    Operator("==", "eq", np.equal),
    Operator("!=", "ne", np.not_equal),
    Operator("<", "lt", np.less),
    Operator("<=", "le", np.less_equal),
    Operator(">", "gt", np.greater),
    Operator(">=", "ge", np.greater_equal),
)
"""Operators that give truth values. A NaN is unequal to everything, and no other comparison holds."""
UNARY: Final = (
    Operator("+", "pos", lambda x, _: x.copy()),
    Operator("-", "neg", lambda x, _: np.negative(x)),
    Operator("~", "invert", lambda x, _: np.invert(x), True),
)


def check(operator: Operator, own: Components, other: object = None) -> None:
    """Raises TypeError for operators that floating-point numbers do not have."""
    if not operator.integers or own.element_type.kind != "f":
        return
    name = type(own).__name__
    right = "" if other is None else f" {type(other).__name__}"
    raise TypeError(
        f"{operator.sign if other is None else f'{name} {operator.sign}'}{right or name}: only for integers"
    )


def compute(operator: Operator, x: Array, y: Array, element: np.dtype[Any]) -> Array:
    """The result in the element type, without NumPy's warnings: integers wrap around, and bool counts as int in C."""
    with np.errstate(all="ignore"):
        if element.kind == "b":
            return operator.call(x.astype(np.int32), y.astype(np.int32)).astype(bool)
        return operator.call(x, y).astype(element, copy=False)


def _forward(operator: Operator) -> Callable[[Components, object], Any]:
    def method(self: Components, other: object) -> Any:
        operand = self._operand(operator, other)
        if operand is NotImplemented:
            return NotImplemented
        return self._made(compute(operator, self._values(), operand, self.element_type))

    return method


def _swapped(operator: Operator) -> Callable[[Components, object], Any]:
    def method(self: Components, other: object) -> Any:
        operand = self._operand(operator, other)
        if operand is NotImplemented:
            return NotImplemented
        return self._made(compute(operator, operand, self._values(), self.element_type))

    return method


def _in_place(operator: Operator) -> Callable[[Components, object], Any]:
    def method(self: Components, other: object) -> Any:
        operand = self._operand(operator, other)
        if operand is NotImplemented:
            return NotImplemented
        self._write(compute(operator, self._values(), operand, self.element_type))
        return self

    return method


def _comparison(operator: Operator) -> Callable[[Components, object], Any]:
    def method(self: Components, other: object) -> Any:
        operand = self._operand(operator, other)
        return NotImplemented if operand is NotImplemented else self._truth(operator.call(self._values(), operand))

    return method


def _unary(operator: Operator) -> Callable[[Components], Any]:
    def method(self: Components) -> Any:
        check(operator, self)
        values = self._values()
        return self._made(compute(operator, values, values, self.element_type))

    return method


def install(cls: type[Components]) -> None:
    """Gives the class the methods of all operators."""
    forms = [
        (("__{}__", _forward), ("__r{}__", _swapped), ("__i{}__", _in_place)),
        (("__{}__", _comparison),),
    ]
    for operators, makers in zip((ARITHMETIC, COMPARISONS), forms, strict=True):
        for operator in operators:
            for pattern, make in makers:
                _set(cls, pattern.format(operator.method), make(operator))
    for operator in UNARY:
        _set(cls, f"__{operator.method}__", _unary(operator))


def _set(cls: type[Components], name: str, method: Any) -> None:
    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)
