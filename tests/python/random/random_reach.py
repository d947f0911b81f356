"""Random bodies whose accesses may be out of bounds, and what they touch: every work-item is run, statement by statement.

Integers are C's: each has a type, unsigned ones wrap, and what overflows a signed one makes the program no program.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BITS = {"uchar": 8, "short": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
NUMPY = {"uchar": "u1", "short": "i2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8"}
ID_TYPE = "long"  # of i, i0 .. and n0 ..

Env = dict[str, int]


class Undefined(Exception):
    """C says nothing of what the program does."""


class Jump(Exception):
    """return, break, continue."""


def signed(kind: str) -> bool:
    return not kind.startswith("u")


def wrap(kind: str, value: int) -> int:
    """As a conversion to the type makes it."""
    value &= 2 ** BITS[kind] - 1
    return value - 2 ** BITS[kind] if signed(kind) and value >> (BITS[kind] - 1) else value


def common(a: str, b: str) -> str:
    a, b = ("int" if BITS[kind] < 32 else kind for kind in (a, b))
    if BITS[a] != BITS[b]:
        return a if BITS[a] > BITS[b] else b
    return b if signed(a) else a


@dataclass
class Expression:
    text: str
    kind: str
    run: Callable[[Env], int]


@dataclass
class Statement:
    text: str
    run: Callable[[Env], None]


@dataclass
class Touched:
    """Subscripts of each array, as they were asked for: (the array's name, dimension or None) to what is seen."""

    seen: dict[tuple[str, int | None], set[int]] = field(default_factory=dict)

    def add(self, name: str, dimension: int | None, index: int) -> None:
        self.seen.setdefault((name, dimension), set()).add(index)


def binary(operator: str, a: Expression, b: Expression) -> Expression:
    kind = common(a.kind, b.kind)
    work = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[operator]

    def run(env: Env) -> int:
        value = work(wrap(kind, a.run(env)), wrap(kind, b.run(env)))
        if signed(kind) and wrap(kind, value) != value:
            raise Undefined
        return wrap(kind, value)

    return Expression(f"({a.text} {operator} {b.text})", kind, run)


def compare(operator: str, a: Expression, b: Expression) -> Expression:
    kind = common(a.kind, b.kind)
    work: dict[str, Callable[[int, int], bool]] = {
        "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "==": int.__eq__, "!=": int.__ne__,
    }  # fmt: skip

    def run(env: Env) -> int:
        return int(work[operator](wrap(kind, a.run(env)), wrap(kind, b.run(env))))

    return Expression(f"{a.text} {operator} {b.text}", "int", run)


class Program:
    """One body with its range and arguments. `plain`: of the class of which the verdict must be exact."""

    def __init__(self, seed: int, plain: bool) -> None:
        self.random = random.Random(seed)
        self.plain = plain
        self.touched = Touched()
        dims = self.random.randint(1, 3)
        self.range = tuple(
            self.random.randint(0 if self.chance(0.03) else 1, {1: 14, 2: 5, 3: 3}[dims]) for _ in range(dims)
        )
        self.local: tuple[int, ...] = ()
        self.offset = (0,) * dims
        if self.chance(0.2):
            self.local = tuple(self.pick(d for d in range(1, 6) if n % d == 0) if n else 1 for n in self.range)
        if self.chance(0.25):
            self.offset = tuple(self.random.randint(0, 4) for _ in range(dims))
        self.numbers = {f"a{n}": (self.pick(BITS), self.random.randint(0, 9)) for n in range(3)}
        self.numbers["b"] = (self.pick(["int", "long", "short"]), self.random.randint(-6, 6))
        self.shapes = {
            "x": (self.size(),),
            "y": (self.size(),),
            "m": (self.random.randint(1, 9), self.random.randint(1, 6)),
        }
        # In the plain class conditions are of what the subscripts are of, or there are none.
        self.basis = self.pick(["linear", "ids", "groups", "any"] if self.local else ["linear", "ids", "any"])
        self.names = itertools.count()
        self.variables: list[tuple[str, str]] = []  # of loops and declarations: name and type
        self.in_loop = 0
        self.body = [self.statement(2) for _ in range(self.random.randint(1, 4))]

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, items: Any) -> Any:
        return self.random.choice(list(items))

    def size(self) -> int:
        most = int(np.prod(self.range)) * self.pick([1, 1, 1, 2, 3]) + self.pick([-1, 0, 0, 1, 3, 8])
        return max(0, most)

    # -- expressions --

    def number(self, low: int = 0, high: int = 9) -> Expression:
        value = self.random.randint(low, high)
        suffix, kind = self.pick([("", "int"), ("", "int"), ("", "int"), ("u", "uint"), ("l", "long"), ("ul", "ulong")])
        return Expression(f"{value}{suffix}", kind, lambda env: value)

    def named(self, name: str, kind: str) -> Expression:
        return Expression(name, kind, lambda env: env[name])

    def known(self) -> Expression:
        """What the launch knows."""
        if self.chance(0.5):
            return self.number()
        if self.chance(0.4):
            return self.named(f"n{self.random.randrange(len(self.range))}", ID_TYPE)
        name = self.pick(self.numbers)
        return self.named(name, self.numbers[name][0])

    def variable(self) -> Expression:
        if self.variables and self.chance(0.5):
            return self.named(*self.pick(self.variables))
        return self.item()

    def item(self) -> Expression:
        """What tells work-items from each other."""
        d = self.random.randrange(len(self.range))
        basis = self.basis if self.plain and self.basis != "any" else self.pick(["linear", "ids", "ids", "groups"])
        if basis == "linear":
            return self.named("i", ID_TYPE)
        if basis == "groups" and self.local:
            return self.named(f"{self.pick(['local_id', 'group_id'])}({d})", ID_TYPE)
        if self.chance(0.2):
            return self.named(f"get_global_id({d})", "ulong")
        return self.named(f"i{d}", ID_TYPE)

    def affine(self, depth: int) -> Expression:
        if depth == 0 or self.chance(0.3):
            return self.variable() if self.chance(0.7) else self.known()
        operator = self.pick(["+", "+", "-", "*"])
        if operator == "*":
            return binary("*", self.known(), self.affine(depth - 1))
        return binary(operator, self.affine(depth - 1), self.affine(depth - 1))

    def index(self) -> Expression:
        """64 bits wide in the plain class: what the text says is what is touched."""
        if self.plain:
            start = self.item()
            for _ in range(self.random.randint(0, 2)):
                word = self.variable() if self.chance(0.5) else self.known()
                if BITS[word.kind] < 64 or word.kind != ID_TYPE:
                    word = self.cast(word, "long")
                if self.chance(0.4):
                    word = binary("*", word, self.cast(self.number(1, 4), "long"))
                start = binary(self.pick("+-"), start, word)
            return start
        made = self.affine(2)
        if self.chance(0.1):
            return self.cast(made, self.pick(BITS))
        if self.chance(0.1):
            return self.remainder(made)
        return made

    def cast(self, a: Expression, kind: str) -> Expression:
        return Expression(f"(({kind}){a.text})", kind, lambda env: wrap(kind, a.run(env)))

    def remainder(self, a: Expression) -> Expression:
        by = self.random.randint(1, 7)

        def run(env: Env) -> int:
            value = a.run(env)
            return value % by if value >= 0 else -(-value % by)

        return Expression(f"({a.text} % {by})", common(a.kind, "int"), run)

    def comparison(self) -> Expression:
        operator = self.pick(["<", "<", "<=", ">", ">=", "==", "!="])
        if self.plain:
            other = self.cast(self.number(), ID_TYPE)
            return compare(operator, self.item(), other)
        if self.chance(0.15):  # nothing that anybody can know
            opaque = Expression("(i * 7 + 3)", ID_TYPE, lambda env: env["i"] * 7 + 3)
            return compare("<", self.remainder(opaque), self.number(0, 7))
        return compare(operator, self.affine(1), self.affine(1))

    def condition(self, depth: int) -> Expression:
        if self.plain:
            return self.comparison()
        if depth > 0 and self.chance(0.35):
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            both = self.chance(0.6)

            def run(env: Env) -> int:
                return int(bool(a.run(env) and b.run(env)) if both else bool(a.run(env) or b.run(env)))

            return Expression(f"({a.text}{' && ' if both else ' || '}{b.text})", "int", run)
        if self.chance(0.1):
            inner = self.condition(0)
            return Expression(f"!({inner.text})", "int", lambda env: int(not inner.run(env)))
        if self.chance(0.15):
            read = self.access()
            return Expression(f"({read.text} >= 0.0f)", "int", lambda env: int(read.run(env) == 0))
        return self.comparison()

    # -- accesses --

    def access(self) -> Expression:
        """An element, all of which are 0."""
        if self.chance(0.25):
            a, b = self.index(), self.index()

            def rows(env: Env) -> int:
                for d, index in enumerate((a, b)):
                    self.touched.add("m", d, wrap("long", index.run(env)))
                return 0

            return Expression(f"m({a.text}, {b.text})", "int", rows)
        name, index = self.pick("xy"), self.index()

        def one(env: Env) -> int:
            self.touched.add(name, None, wrap("long", index.run(env)))
            return 0

        text = f"{name}[{index.text}]"
        if self.chance(0.15):
            text = self.pick(
                [f"*({name} + {index.text})", f"({name} + {index.text})[0]", f"(*({name} + {index.text}))"]
            )
        elif self.chance(0.1):
            width = self.pick([2, 4])

            def several(env: Env) -> int:
                first = wrap("long", index.run(env)) * width
                for lane in range(width):
                    self.touched.add(name, None, first + lane)
                return 0

            return Expression(f"vload{width}({index.text}, {name}).s0", "int", several)
        return Expression(text, "int", one)

    def value(self) -> Expression:
        a = self.access()
        if self.plain or self.chance(0.8):
            return a
        c, b = self.condition(0), self.access()
        text = f"({c.text} ? {a.text} : {b.text})"
        return Expression(text, "int", lambda env: a.run(env) if c.run(env) else b.run(env))

    # -- statements --

    def statement(self, depth: int) -> Statement:
        kinds: list[Callable[[int], Statement]] = [self.store] * 4
        if depth > 0:
            kinds += [self.counted]
            if not self.plain or self.basis != "any":
                kinds += [self.branch]
            if not self.plain:
                kinds += [self.leave] * (2 if self.in_loop else 0) + [
                    self.branch,
                    self.leave,
                    self.declare,
                    self.uncounted,
                    self.shadow,
                ]
        return self.pick(kinds)(depth)

    def store(self, depth: int) -> Statement:
        read = self.value()
        if self.chance(0.1):
            return Statement(
                f"out[0] = (float)sizeof({read.text}) + (&{read.text if read.text[0] in 'xym' else 'x[99]'} == 0);",
                lambda env: None,
            )

        def run(env: Env) -> None:
            read.run(env)

        return Statement(f"out[0] = {read.text};", run)

    def block(self, depth: int) -> tuple[str, Callable[[Env], None]]:
        known = len(self.variables)
        statements = [self.statement(depth - 1) for _ in range(self.random.randint(1, 2))]
        del self.variables[known:]

        def run(env: Env) -> None:
            inner = dict(env)
            for each in statements:
                each.run(inner)

        text = " ".join(each.text for each in statements)
        return (
            text
            if len(statements) == 1 and text.startswith(("out[0]", "if", "for")) and self.chance(0.3)
            else f"{{ {text} }}"
        ), run

    def branch(self, depth: int) -> Statement:
        c = self.condition(1)
        text, yes = self.block(depth)
        no: Callable[[Env], None] | None = None
        if not (" else " in text or text.startswith("if")) and self.chance(0.3):
            other, no = self.block(depth)
            text += f" else {other}"

        def run(env: Env) -> None:
            if c.run(env):
                yes(env)
            elif no is not None:
                no(env)

        return Statement(f"if ({c.text}) {text}", run)

    def leave(self, depth: int) -> Statement:
        word = self.pick(["return", "break", "continue"] if self.in_loop else ["return"])
        c = self.condition(1)

        def run(env: Env) -> None:
            if c.run(env):
                raise Jump(word)

        return Statement(f"if ({c.text}) {self.pick(['{word};', '{{ {word}; }}']).format(word=word)}", run)

    def declare(self, depth: int) -> Statement:
        name, kind, a = f"t{next(self.names)}", self.pick(BITS), self.affine(2)
        changes = self.chance(0.2)

        def run(env: Env) -> None:
            env[name] = wrap(kind, a.run(env))
            if changes:
                env[name] = wrap(kind, env[name] + 1)

        self.variables.append((name, kind))
        return Statement(f"{kind} {name} = {a.text};{f' {name} += 1;' if changes else ''}", run)

    def turns(self, depth: int, name: str, values: Callable[[Env], list[int]]) -> tuple[str, Callable[[Env], None]]:
        """The body of a loop, for each value of its variable."""
        self.in_loop += 1
        text, one = self.block(depth)
        self.in_loop -= 1

        def run(env: Env) -> None:
            for value in values(env):
                try:
                    one(env | {name: value})
                except Jump as jump:
                    if jump.args[0] == "break":
                        break
                    if jump.args[0] == "return":
                        raise

        return text, run

    def counted(self, depth: int) -> Statement:
        name = f"t{next(self.names)}"
        kind = self.pick(["int", "int", "long"] if self.plain else BITS)
        start = self.number(0, 3) if self.plain or self.chance(0.7) else self.affine(1)
        count = self.number(0, 4) if self.plain or self.chance(0.6) else self.known()
        step, down = self.random.randint(1, 2), self.chance(0.2)
        relation = self.pick([">", ">="] if down else ["<", "<="])
        if down:
            start, count = count, start
        test = compare(relation, self.named(name, kind), count)

        def values(env: Env) -> list[int]:
            out: list[int] = []
            value = wrap(kind, start.run(env))
            while test.run(env | {name: value}):
                if len(out) > 60:
                    raise Undefined  # it may never end
                out.append(value)
                value += -step if down else step
                if wrap(kind, value) != value and signed(kind) and BITS[kind] >= 32:
                    raise Undefined
                value = wrap(kind, value)
            return out

        self.variables.append((name, kind))
        text, run = self.turns(depth, name, values)
        self.variables.remove((name, kind))
        by = self.pick(
            [f"{name}{'-' if down else '+'}= {step}"]
            + ([f"{name}{'--' if down else '++'}", f"{'--' if down else '++'}{name}"] if step == 1 else [])
        )
        return Statement(f"for ({kind} {name} = {start.text}; {test.text}; {by}) {text}", run)

    def uncounted(self, depth: int) -> Statement:
        """Turns that nobody can count."""
        name = f"t{next(self.names)}"
        most = self.random.randint(0, 3)
        self.variables.append((name, "int"))
        text, run = self.turns(depth, name, lambda env: list(range(1, (env["i"] * 5 + most) % 4 + 1)))
        self.variables.remove((name, "int"))
        if self.chance(0.5):
            return Statement(f"int {name} = 0; while ({name}++ < (i * 5 + {most}) % 4) {{ {text} }}", run)
        return Statement(f"for (int {name} = 1; {name} <= (i * 5 + {most}) % 4; {name}++) {{ {text} }}", run)

    def shadow(self, depth: int) -> Statement:
        """A variable by the name of something else, in a block of its own."""
        name, value = self.pick(["i", "i0", "n0", "a0"]), self.random.randint(0, 9)
        index = self.index()

        def run(env: Env) -> None:
            self.touched.add("x", None, wrap("long", index.run(env | {name: value})))

        if name == "a0" and self.numbers["a0"][0] != "int":
            return self.store(depth)
        word = "int" if name == "a0" else ID_TYPE
        return Statement(f"{{ {word} {name} = {value}; out[0] = x[{index.text}]; }}", run)

    # -- the whole --

    @property
    def text(self) -> str:
        used = " ".join(f"(void){name};" for name in [*self.numbers, *self.shapes, "out"])
        return " ".join(each.text for each in self.body) + " " + used

    def items(self) -> list[Env]:
        found = []
        n = self.range
        for place in itertools.product(*(range(size) for size in n)):
            ids = [p + first for p, first in zip(place, self.offset, strict=True)]
            env: Env = {name: wrap(kind, value) for name, (kind, value) in self.numbers.items()}
            linear = 0
            for d, size in enumerate(n):
                env[f"n{d}"], env[f"i{d}"] = size, ids[d]
                env[f"get_global_id({len(n) - 1 - d})"] = ids[d]
                linear = linear * size + (place[d] if self.local else ids[d])
                if self.local:
                    env[f"local_id({d})"], env[f"group_id({d})"] = place[d] % self.local[d], place[d] // self.local[d]
            env["i"] = linear
            found.append(env)
        return found

    def run(self) -> bool:
        """True: some work-item touches what is not there. Undefined: it is no program."""
        for env in self.items():
            try:
                for each in self.body:
                    each.run(env)
            except Jump:
                pass
        return any(not 0 <= index < self.limit(*key) for key, seen in self.touched.seen.items() for index in seen)

    def limit(self, name: str, dimension: int | None) -> int:
        return int(np.prod(self.shapes[name])) if dimension is None else self.shapes[name][dimension]

    def arguments(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {name: np.zeros(shape, "f4") for name, shape in self.shapes.items()}
        numbers = {name: np.dtype(NUMPY[kind]).type(wrap(kind, value)) for name, (kind, value) in self.numbers.items()}
        return arrays | numbers | {"out": np.zeros(1, "f4")}
