"""Random expressions of OpenCL C, and what they mean: body_model.py has the values."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import body_model as model
import numpy as np
from body_model import Argument, Array, Expression, Space, Value, combine, join

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
SMALL = 100  # of the integers that stand in arrays and numbers
MOST = 2**30  # of what native arithmetic may reach: nothing of it overflows an int
TINY = 1e-37  # what a device that flushes small numbers may lose


def extended(value: Value) -> Array:
    return value.v.astype(np.longdouble)


def is_signed(number: Any) -> bool:
    """Is the difference of an id and the number a signed one, that 64 bits hold?"""
    wide = isinstance(number, np.uint64) or (isinstance(number, int) and abs(number) >= 2**62)
    return isinstance(number, int | np.integer) and not wide


class Expressions:
    """Makes expressions of the arguments, the ids, and the variables that there are by now."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.arguments: list[Argument] = []
        self.locals: list[tuple[str, str]] = []  # kind and name
        self.unread: set[str] = set()  # those that the next expression of their kind is to read
        self.simple = self.grouped = False
        self.pure = False  # of one floating type throughout: vectors can stand for scalars
        self.range: tuple[int, ...] = ()
        self.most: tuple[int, ...] = ()  # of each id
        self.flat = 0  # of the linear id
        self.eps = 2.0**-23

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, items: Any) -> Any:
        return self.random.choice(list(items))

    # -- leaves --

    def place(self, argument: Argument) -> tuple[str, str, np.dtype[Any]]:
        """A scalar part of an array's element: its name among the cells, its text and its type."""
        dtype, name, text = argument.value.dtype, argument.name, argument.element
        while dtype.names is not None or dtype.subdtype is not None:
            if dtype.subdtype is not None:
                dtype, shape = dtype.subdtype
                part = f"[{self.random.randrange(shape[0])}]"
            else:
                field = self.pick(dtype.names)
                dtype, part = dtype[field], f".{field}"
            name, text = name + part, text + part
        return name, text, dtype

    def number(self, argument: Argument) -> tuple[str, str, Callable[[Space], Value]]:
        if isinstance(argument.value, float):
            exact, rounding = np.longdouble(argument.value), abs(argument.value) * self.eps
            return "f", argument.name, lambda space: Value(np.full(space.linear.shape, exact), rounding)
        if isinstance(argument.value, complex | np.complexfloating):
            parts = np.clongdouble(argument.value)
            return "c", argument.name, lambda space: Value(np.full(space.linear.shape, parts))
        return "i", argument.name, lambda space: Value(np.full(space.linear.shape, int(argument.value)))

    def read(self, argument: Argument) -> tuple[str, str, Callable[[Space], Value]]:
        """Something that an argument holds: f or i, text and value."""
        cell = argument.cell
        if cell is None:
            return self.number(argument)
        place, text, dtype = self.place(argument)
        if not argument.written and not self.simple and self.chance(0.25):  # a neighbour: nobody writes there
            size, step = argument.value.size, self.random.randint(1, 9)
            text = text.replace(argument.element, f"{argument.name}[(i * {step} + 1) % {size}]")
            return dtype.kind, text, lambda space: model.load(space, place, (space.linear * step + 1) % size)
        return dtype.kind, text, lambda space: model.load(space, place, cell(space))

    def readable(self, kinds: str) -> tuple[str, Callable[[Space], Value]] | None:
        for argument in self.random.sample(self.arguments, len(self.arguments)):
            kind, text, run = self.read(argument)
            if kind in kinds:
                return text, run
        return None

    def id(self) -> tuple[str, Callable[[Space], Array], int]:
        """Text, value, and how large it may be."""
        d = self.random.randrange(len(self.range))
        words = [
            (f"i{d}", lambda space: space.ids[d], self.most[d]),
            ("i", lambda space: space.linear, self.flat),
            (f"n{d}", lambda space: np.full_like(space.linear, space.range[d]), self.range[d]),
        ]
        if self.grouped:
            word = self.pick(["local_id", "group_id", "local_range", "group_range"])
            words.append((f"{word}({d})", lambda space: space.groups[word][d], self.range[d]))
        found: tuple[str, Callable[[Space], Array], int] = self.pick(words)
        return found

    def local(self, kind: str) -> Expression | None:
        known = [name for each, name in self.locals if each == kind]
        unread = [name for name in known if name in self.unread]
        if not known or (not unread and self.chance(0.6)):
            return None
        name = self.pick(unread or known)
        self.unread.discard(name)
        return Expression(kind, name, lambda space: space.locals[name], 1e6)

    # -- unsigned, 64 bits, wraps --

    def u_leaf(self) -> Expression:
        found = self.readable("iu") if self.chance(0.6) else None
        if found is not None:
            text, read = found
            return Expression("u", f"(ulong){text}", lambda space: self.as_unsigned(read(space)))
        word, get, _ = self.id()
        return Expression("u", f"(ulong){word}", lambda space: Value(get(space).astype(np.uint64)))

    @staticmethod
    def as_unsigned(value: Value) -> Value:
        return Value(value.v.astype(np.uint64), 0.0, value.ok)

    def u(self, depth: int) -> Expression:
        if depth == 0 or self.chance(0.15):
            return self.local("u") or self.u_leaf()
        if self.chance(0.12):
            return self.choice("u", depth)
        a, b, one = self.u(depth - 1), self.u(depth - 1), np.uint64(1)
        operator = self.pick(["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%", "~"])
        if operator == "~":
            return Expression("u", f"(~{a.text})", combine(np.invert, a))
        if operator in ("<<", ">>"):
            by = np.uint64(self.random.randrange(64))
            shift = np.left_shift if operator == "<<" else np.right_shift
            return Expression("u", f"({a.text} {operator} {by})", combine(lambda v: shift(v, by), a))
        if operator in "/%":
            work = np.floor_divide if operator == "/" else np.remainder
            text = f"({a.text} {operator} ({b.text} | 1UL))"
            return Expression("u", text, combine(lambda v, w: work(v, w | one), a, b))
        table: dict[str, Any] = {
            "+": lambda v, w: model.add(v, w), "-": np.subtract, "*": np.multiply,
            "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
        }  # fmt: skip
        return Expression("u", f"({a.text} {operator} {b.text})", combine(table[operator], a, b))

    # -- signed, as C computes with ints: nothing gets large enough to overflow --

    def s_leaf(self) -> Expression:
        found = self.readable("iu") if self.chance(0.5) else None
        if found is not None:  # stores may have left anything in an array: it is cut down first
            text, read = found

            def run(space: Space) -> Value:
                value = self.as_unsigned(read(space))
                return Value((value.v & np.uint64(127)).astype(np.int64), 0.0, value.ok)

            return Expression("s", f"(int)((ulong){text} & 127)", run, 127)
        if self.chance(0.4):
            return self.s_difference()
        if self.chance(0.5):
            number = self.random.randint(-9, 9)
            text = f"({number})" if number < 0 else str(number)
            return Expression("s", text, lambda space: Value(np.full_like(space.linear, number)), 9)
        word, get, most = self.id()
        return Expression("s", f"(int){word}", lambda space: Value(get(space)), most)

    def s_difference(self) -> Expression:
        """Of an id or a range and a number, in 64 bits and with a sign: divided, which tells whether there is one."""
        word, get, _ = self.id()
        given = [a for a in self.arguments if a.cell is None and is_signed(a.value)]
        argument, by, turned = self.pick([*given, None]), self.random.randint(2, 97), self.chance(0.5)
        number, name = self.random.randint(0, SMALL), ""
        if argument is not None:
            number, name = int(argument.value), argument.name
        text = f"{name or number} - {word}" if turned else f"{word} - {name or number}"

        def run(space: Space) -> Value:
            v = get(space).astype(np.int64) - number
            v = -v if turned else v
            return Value(np.sign(v) * (np.abs(v) % by))

        return Expression("s", f"(int)(({text}) % {by})", run, by)

    def s(self, depth: int) -> Expression:
        if depth == 0 or self.chance(0.2):
            return self.s_leaf()
        if self.chance(0.15):
            return self.choice("s", depth)
        a, b = self.s(depth - 1), self.s(depth - 1)
        operator = self.pick(["+", "-", "*", "max", "min", "/", "%"])
        if operator in "/%":
            by = self.random.randint(1, 9)

            def divide(v: Array) -> Array:
                quotient = np.sign(v) * (np.abs(v) // by)  # as C does it: towards zero
                return quotient if operator == "/" else v - quotient * by

            return Expression("s", f"({a.text} {operator} {by})", combine(divide, a), a.bound)
        bound = a.bound * b.bound if operator == "*" else a.bound + b.bound
        if bound > MOST:
            return a
        table: dict[str, Any] = {
            "+": lambda v, w: model.add(v, w), "-": np.subtract, "*": np.multiply, "max": np.maximum, "min": np.minimum,
        }  # fmt: skip
        text = f"({a.text} {operator} {b.text})" if len(operator) == 1 else f"{operator}({a.text}, {b.text})"
        return Expression("s", text, combine(table[operator], a, b), bound)

    # -- floating, of whatever width C gives it; magnitudes stay far from overflow --

    def rounded(self, v: Array, e: Any, ok: Any, ulps: float = 1.0) -> Value:
        return Value(v, e + ulps * self.eps * np.abs(v) + TINY, ok & (np.abs(v) < model.MOST))

    def f_leaf(self) -> Expression:
        found = self.readable("f") if self.chance(0.7) else None
        if found is not None:
            return Expression("f", *found, 1e3)
        if self.pure or self.chance(0.5):
            number = self.random.randint(-64, 64) / 8
            exact = np.longdouble(number)
            return Expression("f", f"({number}f)", lambda space: Value(np.full(space.linear.shape, exact)), 8)
        a = self.s(1)

        def run(space: Space) -> Value:
            value = a.run(space)
            return self.rounded(extended(value), 0.0, value.ok)

        return Expression("f", f"(REAL)({a.text})", run, a.bound)

    def f(self, depth: int) -> Expression:
        if depth == 0 or self.chance(0.15):
            return self.local("f") or self.f_leaf()
        if self.chance(0.12):
            return self.choice("f", depth)
        a = self.f(depth - 1)
        operator = self.pick(["+", "-", "*", "/", "sqrt", "fabs", "fmax", "fmin"])
        if operator == "sqrt":
            return Expression("f", f"sqrt(fabs((REAL)({a.text})) + 1.0f)", self.root(a), a.bound + 1)
        if operator == "fabs":
            return Expression("f", f"fabs((REAL)({a.text}))", self.magnitude(a), a.bound)
        b = self.f(depth - 1)
        bound = a.bound * b.bound if operator == "*" else a.bound + b.bound
        if bound > 1e12:
            return a
        if operator in ("fmax", "fmin"):
            text = f"{operator}((REAL)({a.text}), (REAL)({b.text}))"
        elif operator == "/":
            text = f"({a.text} / (fabs((REAL)({b.text})) + 1.0f))"
        else:
            text = f"({a.text} {operator} {b.text})"
        return Expression("f", text, self.arithmetic(operator, a, b), bound)

    def magnitude(self, a: Expression) -> Callable[[Space], Value]:
        def run(space: Space) -> Value:
            r = a.run(space)
            return self.rounded(np.abs(r.v), r.e, r.ok)

        return run

    def root(self, a: Expression) -> Callable[[Space], Value]:
        def run(space: Space) -> Value:
            r = a.run(space)
            inner = np.abs(r.v) + 1
            return self.rounded(np.sqrt(inner), r.e + 2 * self.eps * inner, r.ok, 4)

        return run

    def arithmetic(self, operator: str, a: Expression, b: Expression) -> Callable[[Space], Value]:
        def run(space: Space) -> Value:
            r, s = a.run(space), b.run(space)
            ok = join(r, s)
            if operator in ("fmax", "fmin"):
                v = np.maximum(r.v, s.v) if operator == "fmax" else np.minimum(r.v, s.v)
                return self.rounded(v, np.maximum(r.e, s.e) + self.eps * (np.abs(r.v) + np.abs(s.v)), ok)
            if operator == "*":
                return self.rounded(r.v * s.v, np.abs(r.v) * s.e + np.abs(s.v) * r.e + r.e * s.e, ok)
            if operator == "/":
                below = np.abs(s.v) + 1
                v = r.v / below
                return self.rounded(v, 2 * (r.e + np.abs(v) * (s.e + 2 * self.eps * below)), ok, 4)
            return self.rounded(model.add(r.v, s.v) if operator == "+" else r.v - s.v, r.e + s.e, ok)

        return run

    # -- conditions --

    def condition(self, depth: int) -> Expression:
        if depth > 1 and self.chance(0.3):
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            operator, work = self.pick([("&&", np.logical_and), ("||", np.logical_or)])
            return Expression("b", f"({a.text} {operator} {b.text})", combine(work, a, b))
        kind = "f" if self.pure else self.pick("usf")
        a, b = (getattr(self, kind)(depth - 1) for _ in range(2))
        table: dict[str, Any] = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        table |= {} if kind == "f" else {"==": np.equal, "!=": np.not_equal}
        operator = self.pick(table)

        def close(space: Space) -> Value:
            r, s = a.run(space), b.run(space)
            return Value(table[operator](r.v, s.v), 0.0, join(r, s) & (np.abs(r.v - s.v) > r.e + s.e))

        return Expression(
            "b", f"({a.text} {operator} {b.text})", close if kind == "f" else combine(table[operator], a, b)
        )

    def choice(self, kind: str, depth: int) -> Expression:
        c, a, b = self.condition(1), getattr(self, kind)(depth - 1), getattr(self, kind)(depth - 1)
        text = f"({c.text} ? {a.text} : {b.text})"
        return Expression(kind, text, model.choose(c, a, b), max(a.bound, b.bound))
