"""Memory of a work-item's own in random bodies: arrays that are indexed by what is computed, and variables by address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import body_model as model
import numpy as np
from body_expressions import Expressions
from body_model import Array, Expression, Space, Statement, Value


@dataclass
class Memory:
    """What an array holds in each work-item: the first axis is the array's."""

    v: Array
    e: Array
    ok: Array

    def at(self, index: Value) -> tuple[Array, Array]:
        return (index.v % np.uint64(len(self.v))).astype(np.intp), np.arange(self.v.shape[1])

    def load(self, index: Value) -> Value:
        place = self.at(index)
        return Value(self.v[place], self.e[place], self.ok[place] & index.ok)

    def store(self, index: Value, new: Value) -> None:
        place = self.at(index)
        self.v[place], self.e[place], self.ok[place] = new.v, new.e, new.ok
        self.ok &= index.ok  # nobody knows which element it was


def filled(first: Value, elements: int) -> Memory:
    each = [np.broadcast_to(np.asarray(part), first.v.shape) for part in (first.v, first.e, first.ok)]
    v, e, ok = (np.repeat(part[None], elements, axis=0) for part in each)
    return Memory(v, e.astype(np.longdouble), ok.astype(bool))


def own_memory(body: Expressions, narrowed: Any) -> Statement:
    """`ulong m[3]; for (...) m[j] = a; m[b % 3] ^= c; const ulong t = m[d % 3];`, or one variable and a pointer to it."""
    kind, elements, number = body.pick("uuf"), body.random.randint(1, 5), len(body.locals)
    name, array, word = f"t{number}", f"m{number}", "ulong" if kind == "u" else "REAL"
    make = getattr(body, kind)
    first = make(1)
    changes = [
        (body.u(1), body.pick("=^+" if kind == "u" else "=+"), make(2)) for _ in range(body.random.randint(1, 3))
    ]
    last = body.u(1)
    body.locals.append((kind, name))
    body.unread.add(name)

    def element(index: Expression) -> str:
        return f"*p{number}" if elements == 1 else f"{array}[{index.text} % {elements}]"

    if elements == 1:
        text = f"{word} {array} = {first.text}; {word} *p{number} = &{array};"
    elif body.chance(0.5):
        text = f"{word} {array}[{elements}]; for (int j{number} = 0; j{number} < {elements}; j{number}++) "
        text += f"{array}[j{number}] = {first.text};"
    else:
        text = f"{word} {array}[{elements}] = {{{', '.join([first.text] * elements)}}};"
    for index, operator, value in changes:
        text += f" {element(index)} {'=' if operator == '=' else operator + '='} {value.text};"
    text += f" const {word} {name} = {element(last)};"

    def run(space: Space) -> None:
        memory = filled(narrowed(kind, first.run(space)), elements)
        for index, operator, value in changes:
            at, new = index.run(space), value.run(space)
            if operator != "=":
                old = memory.load(at)
                both = np.bitwise_xor(old.v, new.v) if operator == "^" else model.add(old.v, new.v)
                wide = old.e + new.e + body.eps * np.abs(new.v) if kind == "f" else 0.0
                new = Value(both, wide, model.join(old, new))
            memory.store(at, narrowed(kind, new))
        space.locals[name] = memory.load(last.run(space))

    return Statement(text, run)
