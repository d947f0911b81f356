"""Memory of a work-item's own in random bodies: arrays of any type, which are indexed by constants, by loops' variables, and by
what is computed, and variables by address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import body_model as model
import numpy as np
from body_complex import WORDS, ComplexExpressions
from body_expressions import INTEGERS
from body_model import Array, Expression, Space, Statement, Value


@dataclass
class Memory:
    """What an array holds in each work-item: the first axis is the array's."""

    v: Array
    e: Array
    ok: Array

    def at(self, index: Value) -> tuple[Array, Array]:
        return model.element(index, len(self.v)).astype(np.intp), np.arange(self.v.shape[1])

    def load(self, index: Value) -> Value:
        place = self.at(index)
        v = self.v[place]
        return Value(v if v.dtype.kind in "fc" else v.astype(np.uint64), self.e[place], self.ok[place] & index.ok)

    def store(self, index: Value, new: Value) -> None:
        place = self.at(index)
        self.v[place], self.e[place], self.ok[place] = new.v.astype(self.v.dtype), new.e, new.ok
        self.ok &= index.ok  # nobody knows which element it was


def filled(values: list[Value], shape: tuple[int, ...], dtype: np.dtype[Any] | None) -> Memory:
    v, e, ok = (
        np.stack([np.broadcast_to(np.asarray(part), shape) for part in parts])
        for parts in zip(*((each.v, each.e, each.ok) for each in values), strict=True)
    )
    return Memory(v.astype(dtype) if dtype else v, e.astype(np.longdouble), ok.astype(bool))


class OwnMemory:
    """`short m[3]; for (...) m[j] = a; m[1] ^= c; for (...) m[j] += m[2 - j] * j; const ulong t = m[d % 3];`, or one variable
    and a pointer to it."""

    def __init__(self, body: ComplexExpressions, narrowed: Any) -> None:
        self.body, self.narrowed = body, narrowed
        self.kind = body.pick("uuf" + "cc" * bool(body.complex))
        self.elements, self.number = body.random.randint(1, 5), len(body.locals)
        self.make = getattr(body, self.kind)
        self.dtype = np.dtype(body.pick(INTEGERS)) if self.kind == "u" and body.chance(0.7) else None
        self.word = WORDS[self.kind] if self.dtype is None else model.c_type(self.dtype)
        self.name = f"m{self.number}"

    def statement(self) -> Statement:
        body = self.body
        declared, first = self.declaration()
        texts, works = [declared], []
        for _ in range(body.random.randint(1, 3)):
            text, work = self.loop() if self.elements > 1 and body.chance(0.35) else self.change()
            texts.append(text)
            works.append(work)
        last, index = self.index()
        local = f"t{self.number}"
        body.locals.append((self.kind, local))
        body.unread.add(local)
        texts.append(f"const {WORDS[self.kind]} {local} = {last};")

        def run(space: Space) -> None:
            values = [self.narrowed(self.kind, value) for value in first(space)]
            memory = filled(values, space.linear.shape, self.dtype)
            for work in works:
                work(space, memory)
            space.locals[local] = memory.load(index(space))

        return Statement(" ".join(texts), run)

    def declaration(self) -> tuple[str, Callable[[Space], list[Value]]]:
        """The array with its first values, which are not all the same."""
        word, name, n, j = self.word, self.name, self.elements, f"j{self.number}"
        if n > 1 and self.body.chance(0.5):
            added = self.make(1)
            text, value = self.pair({"u": j, "f": f"(REAL){j}", "c": f"convert_COMPLEX({j})"}[self.kind], added)

            def counted(space: Space) -> list[Value]:
                new = added.run(space)
                return [value(Value(constant(space, k).v.astype(new.v.dtype)), new) for k in range(n)]

            return f"{word} {name}[{n}]; for (int {j} = 0; {j} < {n}; {j}++) {name}[{j}] = {text};", counted
        values = [self.make(1) for _ in range(min(n, 2))]
        texts = [self.converted(values[k % len(values)]) for k in range(n)]

        def listed(space: Space) -> list[Value]:
            known = [value.run(space) for value in values]
            return [known[k % len(known)] for k in range(n)]

        if n == 1:
            return f"{word} {name} = {texts[0]}; {word} *p{self.number} = &{name};", listed
        return f"{word} {name}[{n}] = {{{', '.join(texts)}}};", listed

    def converted(self, value: Expression) -> str:
        return f"({self.word})({value.text})" if self.dtype is not None else value.text

    def index(self) -> tuple[str, Callable[[Space], Value]]:
        """An element's text, and which one it is."""
        if self.elements == 1:
            return f"*p{self.number}", lambda space: constant(space, 0)
        if self.body.chance(0.4):
            at = self.body.random.randrange(self.elements)
            return f"{self.name}[{at}]", lambda space: constant(space, at)
        index = self.body.u(1)
        return f"{self.name}[{index.text} % {self.elements}]", index.run

    def combined(self, operator: str, element: str, value: str) -> str:
        if operator == "=":
            return f"{element} = {value};"
        if self.kind == "c":
            return f"{element} = {'cadd' if operator == '+' else 'cmul'}({element}, {value});"
        return f"{element} {operator}= {value};"

    def operator(self) -> str:
        return str(self.body.pick({"u": "=^+", "f": "=+", "c": "=+*"}[self.kind]))

    def put(self, memory: Memory, operator: str, at: Value, new: Value) -> None:
        if operator != "=":
            old = memory.load(at)
            new = self.narrowed_result(operator, old, new)
        memory.store(at, self.narrowed(self.kind, new))

    def narrowed_result(self, operator: str, old: Value, new: Value) -> Value:
        if self.kind == "u":
            both = np.bitwise_xor(old.v, new.v) if operator == "^" else model.add(old.v, new.v)
            return Value(both, 0.0, model.join(old, new))
        held = [Expression(self.kind, "", lambda space, value=value: value) for value in (old, new)]
        if self.kind == "c":
            work = self.body.sum(*held, "cadd") if operator == "+" else self.body.product(*held)
        else:
            work = self.body.arithmetic("+", *held)
        return work(None)

    def change(self) -> tuple[str, Callable[[Space, Memory], None]]:
        operator, value = self.operator(), self.make(2)
        element, index = self.index()

        def work(space: Space, memory: Memory) -> None:
            self.put(memory, operator, index(space), value.run(space))

        return self.combined(operator, element, self.converted(value) if operator == "=" else value.text), work

    def loop(self) -> tuple[str, Callable[[Space, Memory], None]]:
        """Over some elements, up or down, each combined with another one of them, which may have been changed before."""
        n, j, operator = self.elements, f"j{self.number}", self.operator()
        first, apart, down = self.body.random.randrange(n), self.body.random.randrange(n), self.body.chance(0.4)
        other = f"{self.name}[({j} + {apart}) % {n}]" if self.body.chance(0.5) else f"{self.name}[{n - 1} - {j}]"
        mirrored = other.endswith(f"- {j}]")
        added = self.make(1)
        text, value = self.pair(other, added)
        head = (
            f"for (int {j} = {n - 1}; {j} >= {first}; {j}--)" if down else f"for (int {j} = {first}; {j} < {n}; {j}++)"
        )

        def work(space: Space, memory: Memory) -> None:
            places = range(first, n)
            for at in reversed(places) if down else places:
                read = memory.load(constant(space, n - 1 - at if mirrored else (at + apart) % n))
                self.put(memory, operator, constant(space, at), value(read, added.run(space)))

        return f"{head} {self.combined(operator, f'{self.name}[{j}]', text)}", work

    def pair(self, other: str, added: Expression) -> tuple[str, Callable[[Value, Value], Value]]:
        """The sum of an element and a value."""
        work = lambda read, new: self.narrowed_result("+", read, new)  # noqa: E731
        if self.kind == "c":
            return f"cadd({other}, {added.text})", work
        return f"({other} + {added.text})", work


def constant(space: Space, at: int) -> Value:
    return Value(np.full(space.linear.shape, at, np.uint64))
