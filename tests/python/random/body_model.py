"""What random bodies are made of, and how they are interpreted: values over the whole index space, in NumPy.

Integers are exact. A float is a value in extended precision and a bound of what rounding may make of it; where a
comparison of floats is too close to call, what depends on it is not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST = 1e30  # beyond it no float is known: floats of 32 bits end soon after
Array = np.ndarray[Any, Any]
Work = Callable[..., Any]


@dataclass
class Value:
    """One expression's value in each work-item."""

    v: Array
    e: Any = 0.0  # how far a float may be off
    ok: Any = True  # False: not known


@dataclass
class Space:
    """The index space while a body is interpreted: flat arrays, one element for each work-item."""

    range: tuple[int, ...]
    ids: list[Array]
    linear: Array
    active: Array
    sure: Array  # it is known whether the work-item is active
    cells: dict[str, Value]  # the scalar parts of each argument's elements, flat
    groups: dict[str, list[Array]]
    locals: dict[str, Value] = field(default_factory=dict)


@dataclass
class Expression:
    """Text and meaning. kind: u, modulo 2^64; s, small and signed; f, floating; b, a condition."""

    kind: str
    text: str
    run: Callable[[Space], Value]
    bound: float = 0.0  # of the magnitude, for s and f

    @property
    def unsigned(self) -> str:
        return self.text if self.kind == "u" else f"(ulong)({self.text})"


@dataclass
class Statement:
    text: str
    run: Callable[[Space], None]


@dataclass
class Argument:
    """An array of the body, or a number."""

    name: str
    value: Any
    cell: Callable[[Space], Array] | None = None  # which element is a work-item's own
    element: str = ""  # its text
    written: bool = False


def add(a: Array, b: Array) -> Array:
    """By name, so that a test can spoil it."""
    return a + b


def multiply(a: Array, b: Array) -> Array:
    """Of complex numbers, by name for the same reason."""
    return a * b


def element(index: Value, elements: int) -> Array:
    """Of memory of a work-item's own."""
    return index.v % np.uint64(elements)


def join(*values: Value) -> Any:
    """What is known of something made from several values."""
    ok: Any = True
    for value in values:
        ok = value.ok if ok is True else ok if value.ok is True else ok & value.ok
    return ok


def combine(work: Work, *operands: Expression) -> Callable[[Space], Value]:
    """An exact operation on values."""

    def run(space: Space) -> Value:
        values = [operand.run(space) for operand in operands]
        return Value(work(*(value.v for value in values)), 0.0, join(*values))

    return run


def choose(c: Expression, a: Expression, b: Expression) -> Callable[[Space], Value]:
    def run(space: Space) -> Value:
        q, r, s = c.run(space), a.run(space), b.run(space)
        return Value(np.where(q.v, r.v, s.v), np.where(q.v, r.e, s.e), q.ok & np.where(q.v, r.ok, s.ok))

    return run


def store(space: Space, place: str, at: Array, new: Value) -> None:
    """What the active work-items write, and what is known of it."""
    whole, on = space.cells[place], space.active
    old = whole.ok[at]
    whole.v[at[on]] = new.v[on]
    whole.e[at[on]] = np.broadcast_to(new.e, on.shape)[on]
    whole.ok[at] = np.where(on, new.ok, old) & space.sure


def load(space: Space, place: str, at: Array) -> Value:
    whole = space.cells[place]
    return Value(whole.v[at], whole.e[at], whole.ok[at])


def c_type(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "c":
        return "cfloat" if dtype.itemsize == 8 else "cdouble"
    if dtype.kind == "f":
        return "float" if dtype.itemsize == 4 else "double"
    return ("u" if dtype.kind == "u" else "") + {1: "char", 2: "short", 4: "int", 8: "long"}[dtype.itemsize]


def parts(name: str, value: Array) -> list[tuple[str, Array]]:
    """The scalar parts of an array's elements, each as an array."""
    if value.dtype.names is None:
        return [(name, value)]
    found: list[tuple[str, Array]] = []
    for each in value.dtype.names:
        part, shape = value[each], value.dtype[each].shape
        for k in range(shape[0]) if shape else ():
            found += parts(f"{name}.{each}[{k}]", part[..., k])
        if not shape:
            found += parts(f"{name}.{each}", part)
    return found


def cells_of(arrays: dict[str, Array]) -> dict[str, Value]:
    cells = {}
    for name, value in arrays.items():
        for place, part in parts(name, value):
            flat = part.ravel().copy()
            v = flat.astype({"f": np.longdouble, "c": np.clongdouble}.get(flat.dtype.kind, flat.dtype))
            cells[place] = Value(v, np.zeros(flat.shape, np.longdouble), np.ones(flat.shape, bool))
    return cells


def space_of(
    range: tuple[int, ...], offset: tuple[int, ...], local: tuple[int, ...], arrays: dict[str, Array]
) -> Space:
    places = np.indices(range).reshape(len(range), -1)
    ids = [place + first for place, first in zip(places, offset, strict=True)]
    linear = np.zeros_like(ids[0])
    for place, n in zip(ids, range, strict=True):
        linear = linear * n + place
    groups = {
        "local_id": [place % m for place, m in zip(ids, local, strict=True)],
        "group_id": [place // m for place, m in zip(ids, local, strict=True)],
        "local_range": [np.full_like(linear, m) for m in local],
        "group_range": [np.full_like(linear, n // m) for n, m in zip(range, local, strict=True)],
    }
    every = np.ones(linear.shape, bool)
    return Space(range, ids, linear, every, every.copy(), cells_of(arrays), groups)


def interpret(space: Space, statements: list[Statement]) -> dict[str, Value]:
    """What the arrays hold afterwards, by their scalar parts."""
    with np.errstate(all="ignore"):
        for statement in statements:
            statement.run(space)
    return space.cells


def off(got: Array, want: Array) -> Array:
    """How far floats are from what they should be; of complex numbers, the part that is further."""
    if got.dtype.kind == "f":
        return np.abs(got.astype(np.longdouble) - want)
    apart = got.astype(np.clongdouble) - want
    return np.maximum(np.abs(apart.real), np.abs(apart.imag))


def mismatch(expected: dict[str, Value], arrays: dict[str, Array]) -> str | None:
    """Where the arrays are not what they should be, in words."""
    for name, value in arrays.items():
        for place, part in parts(name, value):
            want, got = expected[place], part.ravel()
            floating = got.dtype.kind in "fc"
            right = off(got, want.v) <= want.e if floating else got == want.v
            wrong = ~right & want.ok
            if wrong.any():
                at = int(np.flatnonzero(wrong)[0])
                bound = f" within {want.e[at]}" if floating else ""
                return f"{place}, element {at} of {got.size}: {got[at]!r}, not {want.v[at]!r}{bound}"
    return None
