"""Complex numbers in random bodies: structs of two parts, and the functions that take them.

Parts are small integers at first, so that most results are exact: a rounding only counts where the type has not got the number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import body_model as model
import numpy as np
from body_expressions import TINY, Expressions, extended
from body_model import Argument, Array, Expression, Space, Statement, Value, combine, join

WORDS = {"u": "ulong", "f": "REAL", "c": "COMPLEX"}  # the kinds' types
LARGE = 1e12  # what expressions of parts may reach
UNITS = (1, -1, 1j, -1j, 2, 4j, 1 + 1j, 2 - 2j, 3 + 4j)  # what they are divided by


def size(v: Array) -> Array:
    """Of the larger part."""
    return np.maximum(np.abs(v.real), np.abs(v.imag))


class ComplexExpressions(Expressions):
    """Kind c: text of the type COMPLEX, which is cfloat or cdouble in the whole body. The bound is of each part."""

    complex = ""

    def inexact(self, x: Array, word: str = "") -> Array:
        """How far a part may be off when it is rounded."""
        part, eps = (np.float64, 2.0**-52) if (word or self.complex) == "cdouble" else (np.float32, 2.0**-23)
        with np.errstate(over="ignore"):
            return np.where(x.astype(part).astype(np.longdouble) == x, 0, eps * np.abs(x) + TINY)

    def rounded_parts(self, v: Array, e: Any, ok: Any, word: str = "") -> Value:
        off = np.maximum(self.inexact(v.real, word), self.inexact(v.imag, word))
        return Value(v, e + off, ok & (size(v) < model.MOST))

    # -- leaves --

    def c_leaf(self) -> Expression:
        found = self.readable("c") if self.chance(0.7) else None
        if found is not None:
            text, read = found

            def run(space: Space) -> Value:
                value = read(space)
                return self.rounded_parts(value.v, value.e, value.ok)

            return Expression("c", f"convert_COMPLEX({text})", run, 1e3)
        if self.chance(0.5):
            re, im = self.random.randint(-9, 9), self.random.randint(-9, 9)
            number = np.clongdouble(complex(re, im))
            return Expression("c", f"COMPLEX({re}, {im})", lambda space: Value(np.full(space.linear.shape, number)), 9)
        a, b = self.s(1), self.s(1)
        text = f"COMPLEX({a.text}, {b.text})"
        parts = combine(lambda v, w: extended(Value(v)) + 1j * extended(Value(w)), a, b)

        def convert(space: Space) -> Value:
            value = parts(space)
            return self.rounded_parts(value.v, 0.0, value.ok)

        return Expression("c", text, convert, max(a.bound, b.bound))

    def f_leaf(self) -> Expression:
        if self.complex and self.chance(0.4):
            return self.part(self.c(1))
        return super().f_leaf()

    def part(self, a: Expression) -> Expression:
        """A real number of a complex one."""
        name = self.pick(["re", "im", "cabs2", "cabs"] if a.bound < 1e5 else ["re", "im"])
        text = f"{name}({a.text})" if name[0] == "c" else f"{a.text}.{name}"

        def run(space: Space) -> Value:
            z = a.run(space)
            if name in ("re", "im"):
                return Value(z.v.real if name == "re" else z.v.imag, z.e, z.ok)
            squares, wide = z.v.real**2 + z.v.imag**2, 2 * z.e * (size(z.v) + z.e)
            if name == "cabs2":
                rounding = sum(self.inexact(v) for v in (z.v.real**2, z.v.imag**2, squares))
                return Value(squares, 2 * wide + rounding, z.ok & (squares < model.MOST))
            return self.rounded(np.sqrt(squares), 2 * z.e, z.ok, 8)

        return Expression("f", text, run, a.bound if len(name) == 2 else 2 * a.bound * max(a.bound, 1))

    # -- operations --

    def c(self, depth: int) -> Expression:
        if depth == 0 or self.chance(0.15):
            return self.local("c") or self.c_leaf()
        if self.chance(0.12):
            return self.choice("c", depth)
        a, name = self.c(depth - 1), self.pick(["cadd", "csub", "cmul", "cmul", "cdiv", "cfma", "conj"])
        if name == "conj":
            return Expression("c", f"conj({a.text})", self.conjugate(a), a.bound)
        if name == "cdiv":
            return self.quotient(a)
        b = self.c(depth - 1) if self.chance(0.75) else self.real()
        bound = 2 * a.bound * b.bound if name in ("cmul", "cfma") else a.bound + b.bound
        if name == "cfma":
            b, third = (b, self.c(depth - 1)) if b.kind == "c" else (self.c(depth - 1), a)
            bound = 2 * a.bound * b.bound + third.bound
            return (
                a
                if bound > LARGE
                else Expression("c", f"cfma({a.text}, {b.text}, {third.text})", self.product(a, b, third), bound)
            )
        if bound > LARGE:
            return a
        if b.kind == "f" and self.chance(0.5):
            a, b = b, a
        run = self.product(a, b) if name == "cmul" else self.sum(a, b, name)
        return Expression("c", f"{name}({a.text}, {b.text})", run, bound)

    def real(self) -> Expression:
        """A real operand: it becomes of the parts' type."""
        a = super().f_leaf()

        def run(space: Space) -> Value:
            value = a.run(space)
            return Value(value.v, value.e + self.inexact(value.v), value.ok)

        return Expression("f", a.text, run, a.bound)

    @staticmethod
    def conjugate(a: Expression) -> Callable[[Space], Value]:
        def run(space: Space) -> Value:
            z = a.run(space)
            return Value(np.conj(z.v), z.e, z.ok)

        return run

    def sum(self, a: Expression, b: Expression, name: str) -> Callable[[Space], Value]:
        def run(space: Space) -> Value:
            z, w = a.run(space), b.run(space)
            v = model.add(z.v, w.v) if name == "cadd" else z.v - w.v
            return self.rounded_parts(v, z.e + w.e, join(z, w))

        return run

    def product(self, a: Expression, b: Expression, c: Expression | None = None) -> Callable[[Space], Value]:
        """Each of the products of parts may be rounded, or be a part of a fused operation."""

        def run(space: Space) -> Value:
            z, w = a.run(space), b.run(space)
            third = c.run(space) if c is not None else Value(np.zeros_like(z.v))
            v = model.multiply(z.v, w.v)
            terms = [x * y for x in (z.v.real, z.v.imag) for y in (w.v.real, w.v.imag)]
            sums = [terms[0] - terms[3], terms[1] + terms[2]] if c is None else []
            if c is not None:  # the inner one of the two fused
                sums = [third.v.real - terms[3], third.v.imag + terms[2]]
            rounding = sum(self.inexact(x) for x in [*terms, *sums])
            off = 2 * (size(z.v) * w.e + size(w.v) * z.e + z.e * w.e) + third.e
            return self.rounded_parts(v + third.v, off + rounding, join(z, w, third))

        return run

    def quotient(self, a: Expression) -> Expression:
        by = np.clongdouble(self.pick(UNITS))
        real = by.imag == 0 and self.chance(0.5)
        text = f"{int(by.real)}" if real else f"COMPLEX({int(by.real)}, {int(by.imag)})"

        def run(space: Space) -> Value:
            z = a.run(space)
            v = z.v / by
            eps = 2.0**-52 if self.complex == "cdouble" else 2.0**-23
            return self.rounded_parts(v, 2 * z.e + 16 * eps * size(v) + TINY, z.ok)

        return Expression("c", f"cdiv({a.text}, {text})", run, 2 * a.bound)

    # -- statements --

    def store_complex(self, argument: Argument, place: str, text: str, dtype: np.dtype[Any]) -> Statement:
        """A number, the sum with what was there, or one part."""
        part, cell = self.pick(["", "", "re", "im"]), argument.cell
        a = self.f(2) if part else self.c(3)
        adds, word = not part and not self.simple and self.chance(0.3), model.c_type(dtype)
        assert cell is not None

        def run(space: Space) -> None:
            at, new = cell(space), a.run(space)
            old = model.load(space, place, at)
            if part:
                v = new.v + 1j * old.v.imag if part == "re" else old.v.real + 1j * new.v
                new = Value(v, np.maximum(old.e, new.e), join(old, new))
            elif adds:
                new = Value(old.v + new.v, old.e + new.e, join(old, new))
            if adds:
                new = self.rounded_parts(new.v, new.e, new.ok)
            model.store(space, place, at, self.rounded_parts(new.v, new.e, new.ok, word))

        if part:
            return Statement(f"{text}.{part} = {a.text};", run)
        value = f"cadd(convert_COMPLEX({text}), {a.text})" if adds else a.text
        return Statement(f"{text} = convert_{word}({value});", run)
