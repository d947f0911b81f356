"""Random bodies: an index space, arguments, and statements, each a piece of OpenCL C and what it does to arrays."""

from __future__ import annotations

import re
from typing import Any

import body_model as model
import numpy as np
from body_complex import WORDS, ComplexExpressions
from body_expressions import INTEGERS, SMALL
from body_memory import OwnMemory
from body_model import Argument, Array, Expression, Space, Statement, Value, join

RECORDS = (
    np.dtype([("a", "i4"), ("b", "f4"), ("c", "i2")], align=True),
    np.dtype([("c", "u1"), ("b", "f4"), ("a", "i8")]),
    np.dtype([("b", "f4"), ("m", "i4", (3,)), ("in", [("a", "i2"), ("c", "u4")])]),
    np.dtype([("a", "i2"), ("z", "c8"), ("b", "f4")]),
)
PREAMBLE = "static ulong twisted(ulong a, ulong b) { return (a ^ (b << 7)) * 0x9E3779B97F4A7C15UL; }\n"


class Body(ComplexExpressions):
    """One body, made from a seed."""

    def __init__(self, seed: int, fp64: bool) -> None:
        super().__init__(seed)
        self.seed = seed
        self.numbers = np.random.default_rng(seed)
        self.fp64 = fp64
        self.preamble = ""
        self.simple = self.chance(0.35)  # elementwise: what several neighbours at a time are for
        self.pure = self.simple and self.chance(0.5)
        if not self.pure and self.chance(0.35):
            self.complex = self.pick(["cfloat", *(["cdouble"] if fp64 else [])])
        self.floating = np.dtype(self.pick(["float32", *(["float64"] if fp64 else [])]))
        self.make_space()
        self.make_arguments()
        floats = [a.value.dtype for a in self.arguments if a.cell is not None and a.value.dtype.kind in "fV"]
        wide = floats and all(kind == np.float64 for kind in floats) and not self.complex
        self.eps = 2.0**-52 if wide else 2.0**-23
        self.statements = self.make_statements()

    def make_space(self) -> None:
        dims = 1 if self.simple else self.random.randint(1, 3)
        most = {1: 3000, 2: 60, 3: 14}[dims]
        sizes = [1, 2, 3, 5, 7, 16, 31, most]
        self.range = tuple(min(most, self.pick([*sizes, self.random.randint(1, most)])) for _ in range(dims))
        self.grouped = not self.simple and self.chance(0.15)
        self.local_range = tuple(self.pick(d for d in range(1, 9) if n % d == 0) for n in self.range)
        moved = not self.grouped and self.chance(0.3)
        self.offset = tuple(self.random.randint(0, 5) if moved else 0 for _ in range(dims))
        self.most = tuple(n + first for n, first in zip(self.range, self.offset, strict=True))
        last = 0
        for n, first in zip(self.range, self.offset, strict=True):
            last = last * n + n + first - 1
        self.flat = last + 1

    # -- arguments --

    def filled(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        if dtype.names is not None:
            out = np.zeros(shape, dtype)
            for name in dtype.names:
                base, inner = dtype[name].subdtype or (dtype[name], ())
                out[name] = self.filled(shape + inner, base)
            return out
        if dtype.kind == "f":
            return (self.numbers.integers(-64, 65, shape) / 8).astype(dtype)
        if dtype.kind == "c":
            parts: Array = self.numbers.integers(-9, 10, (2, *shape))
            return (parts[0] + 1j * parts[1]).astype(dtype)
        return self.numbers.integers(0 if dtype.kind == "u" else -SMALL, SMALL + 1, shape).astype(dtype)

    def array(self, name: str, dtype: np.dtype[Any], written: bool) -> Argument:
        if len(self.range) == 1 or self.chance(0.4):  # flat: by the linear id
            value = self.filled((self.flat + self.random.randint(0, 3),), dtype)
            if self.chance(0.2):
                value = np.repeat(value, 2)[::2]
            return Argument(name, value, lambda space: space.linear, f"{name}[i]", written)
        shape = tuple(n + self.random.randint(0, 3) for n in self.most)
        turned = self.chance(0.2)
        value = self.filled(shape[::-1], dtype).transpose() if turned else self.filled(shape, dtype)

        def cell(space: Space) -> Array:
            at = np.zeros_like(space.linear)
            for place, n in zip(space.ids, shape, strict=True):
                at = at * n + place
            return at

        return Argument(name, value, cell, f"{name}({', '.join(f'i{d}' for d in range(len(shape)))})", written)

    def dtype(self) -> np.dtype[Any]:
        if self.pure:
            return self.floating
        if self.complex and self.chance(0.5):
            return np.dtype(self.pick(["complex64", *(["complex128"] if self.fp64 else [])]))
        if not self.simple and self.chance(0.2):
            return self.random.choice(RECORDS if self.complex else RECORDS[:-1])
        return np.dtype(self.pick([*INTEGERS, "float32", "float32", "float32", *(["float64"] if self.fp64 else [])]))

    def integer(self) -> int:
        """An int of any size: what fits an int, a float, a double, a long, a ulong, and what is just beyond."""
        if self.chance(0.4):
            return self.random.randint(-SMALL, SMALL)
        edge = 2 ** self.pick([24, 31, 32, 53, 62, 63]) + self.random.randint(-3, 3)
        return edge if edge >= 2**63 or self.chance(0.5) else -edge

    def make_arguments(self) -> None:
        for n in range(1 if self.pure else self.random.randint(1, 2 if self.simple else 3)):
            self.arguments.append(self.array(f"y{n}", self.dtype(), True))
        for n in range(self.random.randint(0, 3)):
            self.arguments.append(self.array(f"x{n}", self.dtype(), False))
        for n in range(self.random.randint(0, 3)):
            number: Any = self.integer()
            if self.complex and self.chance(0.3):
                number = complex(self.random.randint(-9, 9), self.random.randint(-9, 9))
                number = self.pick([number, np.complex64(number), *([np.complex128(number)] if self.fp64 else [])])
            elif self.pure or self.chance(0.4):
                number = self.pick([self.random.randint(-64, 64) / 8, round(self.random.uniform(-8, 8), 3)])
            elif self.chance(0.3):
                number = np.dtype(self.pick(INTEGERS)).type(self.random.randint(0, SMALL))
            elif self.chance(0.15):
                number = self.chance(0.5)
            self.arguments.append(Argument(f"k{n}", number))

    @property
    def outputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.written]

    # -- statements --

    def make_statements(self) -> list[Statement]:
        if self.simple:
            made = [self.variable()] if self.pure and self.chance(0.5) else []
            if not self.pure and self.chance(0.3):
                made.append(self.memory())
            made.append(self.store(self.pick(self.outputs)))
        else:
            self.preamble = PREAMBLE if self.chance(0.3) else ""
            made = [self.statement() for _ in range(self.random.randint(1, 5))]
        for argument in self.arguments:
            if not any(argument.name in statement.text for statement in made):
                made.insert(
                    0 if self.pure else len(made), self.store(argument) if argument.written else self.mention(argument)
                )
        return made

    def statement(self) -> Statement:
        kinds = [self.variable, self.conditional, self.end, self.loop, self.memory]
        chosen: Statement = self.store(self.pick(self.outputs)) if self.chance(0.45) else self.pick(kinds)()
        return chosen

    def mention(self, argument: Argument) -> Statement:
        if self.pure:
            return Statement(
                f"const REAL of_{argument.name} = {argument.element or argument.name};", lambda space: None
            )
        return Statement(f"(void){argument.element or argument.name};", lambda space: None)

    def variable(self) -> Statement:
        kind = "f" if self.pure else self.pick("uf" + "c" * bool(self.complex))
        a, name = getattr(self, kind)(2), f"t{len(self.locals)}"
        self.locals.append((kind, name))

        def run(space: Space) -> None:
            space.locals[name] = self.narrowed(kind, a.run(space))

        return Statement(f"const {WORDS[kind]} {name} = {a.text};", run)

    def narrowed(self, kind: str, value: Value) -> Value:
        return self.rounded(value.v, value.e, value.ok) if kind == "f" else value

    def store(self, argument: Argument) -> Statement:
        place, text, dtype = self.place(argument)
        if dtype.kind == "f":
            return self.store_float(argument, place, text, dtype)
        if dtype.kind == "c":
            return self.store_complex(argument, place, text, dtype)
        a: Expression = self.u(3) if self.chance(0.6) else self.s(3)
        if self.preamble and a.kind == "u" and self.chance(0.5):
            a = self.twisted(a)
        cell = argument.cell
        assert cell is not None
        operator = "=" if self.chance(0.7) else self.pick(["+", "^", "-"])
        table: dict[str, Any] = {
            "=": lambda old, new: new, "+": lambda v, w: model.add(v, w), "-": np.subtract, "^": np.bitwise_xor,
        }  # fmt: skip

        def run(space: Space) -> None:
            at, value = cell(space), a.run(space)
            old = model.load(space, place, at)
            new = table[operator](old.v.astype(np.uint64), value.v.astype(np.uint64)).astype(dtype)
            model.store(space, place, at, Value(new, 0.0, value.ok if operator == "=" else join(old, value)))

        word = model.c_type(dtype)
        if operator == "=":
            return Statement(f"{text} = ({word})({a.text});", run)
        if dtype.kind == "u":
            return Statement(f"{text} {operator}= ({word})({a.unsigned});", run)
        return Statement(f"{text} = ({word})((ulong){text} {operator} {a.unsigned});", run)  # no signed overflow

    def store_float(self, argument: Argument, place: str, text: str, dtype: np.dtype[Any]) -> Statement:
        a, replaces, cell = self.f(3), self.simple or self.chance(0.8), argument.cell
        assert cell is not None

        def run(space: Space) -> None:
            at, new = cell(space), a.run(space)
            old = model.load(space, place, at)
            if not replaces:
                new = self.rounded(old.v + new.v, old.e + new.e + self.eps * np.abs(new.v), join(old, new))
            model.store(space, place, at, self.rounded(new.v, new.e, new.ok))

        return Statement(f"{text} {'=' if replaces else '+='} ({model.c_type(dtype)})({a.text});", run)

    def twisted(self, a: Expression) -> Expression:
        b, seven, factor = self.u(1), np.uint64(7), np.uint64(0x9E3779B97F4A7C15)
        return Expression(
            "u", f"twisted({a.text}, {b.text})", model.combine(lambda v, w: (v ^ (w << seven)) * factor, a, b)
        )

    def memory(self) -> Statement:
        return OwnMemory(self, self.narrowed).statement()

    def conditional(self) -> Statement:
        c = self.condition(2)
        yes = [self.store(self.pick(self.outputs)) for _ in range(self.random.randint(1, 2))]
        no = [self.store(self.pick(self.outputs))] if self.chance(0.5) else []
        text = f"if ({c.text}) {{ {' '.join(s.text for s in yes)} }}"
        text += f" else {{ {' '.join(s.text for s in no)} }}" if no else ""

        def run(space: Space) -> None:
            q, active, sure = c.run(space), space.active, space.sure
            space.sure = sure & q.ok  # what may or may not be written is not known afterwards, in either branch
            for taken, branch in ((q.v, yes), (~q.v, no)):
                space.active = active & taken
                for statement in branch:
                    statement.run(space)
            space.active, space.sure = active, sure

        return Statement(text, run)

    def end(self) -> Statement:
        c = self.condition(2)

        def run(space: Space) -> None:
            q = c.run(space)
            space.active = space.active & ~q.v
            space.sure = space.sure & q.ok

        return Statement(f"if ({c.text}) return;", run)

    def loop(self) -> Statement:
        kind, count, n = self.pick("uf"), self.random.randint(1, 4), len(self.locals)
        name, a = f"t{n}", getattr(self, kind)(1)
        self.locals.append((kind, name))
        word, zero, number = ("ulong", "0", np.uint64) if kind == "u" else ("REAL", "0.0f", np.longdouble)
        text = f"{word} {name} = {zero}; for (int j{n} = 0; j{n} < {count}; j{n}++) {name} += {a.text};"

        def run(space: Space) -> None:
            one = a.run(space)
            total = Value(np.zeros(space.linear.shape, number))
            for _ in range(count):
                v = model.add(total.v, one.v)
                e = total.e + one.e + self.eps * np.abs(v) if kind == "f" else 0.0
                total = self.narrowed(kind, Value(v, e, one.ok))
            space.locals[name] = total

        return Statement(text, run)

    # -- the whole --

    def text(self, statements: list[Statement]) -> str:
        real = "double" if self.eps < 2.0**-40 else "float"
        text = "\n".join(statement.text for statement in statements).replace("REAL", real)
        text = text.replace("COMPLEX", self.complex)
        return re.sub(r"(\.\d+)f\b", r"\1", text) if self.pure and real == "double" else text

    def arrays(self) -> dict[str, Array]:
        return {a.name: a.value for a in self.arguments if a.cell is not None}

    def expected(self, statements: list[Statement]) -> dict[str, Value]:
        space = model.space_of(self.range, self.offset, self.local_range, self.arrays())
        return model.interpret(space, statements)
