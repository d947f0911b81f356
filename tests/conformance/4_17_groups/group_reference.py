"""What group functions have to give, by NumPy, and how far sums and products of floats may be from it.

Values of a group are arrays of items x components, in linear order. Nothing here knows how a kernel does it.

The bound. A sum of n numbers in any order and by any tree is n - 1 additions, each of which is off by a relative u at the
most, half the distance of 1 and the next number; so |error| <= gamma(n - 1) * sum(|x|), gamma(k) = k u / (1 - k u). Of a
product, where nothing is too large or too small, |error| <= gamma(n - 1) * |product|. The reference is itself such a sum, in
long double, and its own bound is added. A bound of 0 demands the very bits: of one number, and of whole numbers whose sums
are exact in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
LOGICAL = ("logical_and", "logical_or")
UFUNCS: dict[str, Any] = {
    "plus": np.add,
    "multiplies": np.multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
}


def gamma(k: Array, kind: np.dtype[Any]) -> Array:
    unit = np.longdouble(np.finfo(kind).eps) / 2
    return k * unit / (1 - k * unit)


def linked(values: Array) -> Array:
    """Of pairs (a, b), the functions x -> a x + b, each applied to what the next one gives: they do not commute."""
    out = values.copy()
    with np.errstate(over="ignore"):
        for k in range(1, len(out)):
            a, b = out[k - 1].copy()
            out[k] = a * values[k, 0], a * values[k, 1] + b
    return out


def inclusive(op: str, values: Array) -> tuple[Array, Array]:
    """The scan in the values' own type, or of floats' sums and products in long double, and how far from it one may be."""
    exact = np.zeros(values.shape, np.longdouble)
    if op == "chain":
        return linked(values), exact
    if op in LOGICAL:
        return UFUNCS[op].accumulate(values != 0, axis=0), exact
    if values.dtype.kind != "f" or op in ("minimum", "maximum"):
        return UFUNCS[op].accumulate(values, axis=0, dtype=values.dtype), exact
    wide, roundings = values.astype(np.longdouble), np.arange(len(values))[:, None]
    out = UFUNCS[op].accumulate(wide, axis=0)
    size = np.abs(wide).cumsum(0) if op == "plus" else np.abs(out)
    if is_exact(op, values):
        return out, exact
    return out, (gamma(roundings, values.dtype) + gamma(roundings, np.dtype(np.longdouble))) * size


def is_exact(op: str, values: Array) -> bool:
    """No order of the operations rounds: whole numbers with small sums, powers of two."""
    if op == "multiplies":
        return bool((np.abs(np.frexp(values)[0]) == 0.5).all())
    whole = (np.rint(values) == values).all()
    return bool(whole and np.abs(values).astype(np.longdouble).sum() < 1 / np.finfo(values.dtype).eps)


def identity(op: str, kind: np.dtype[Any]) -> Any:
    if kind.kind == "b":
        return op in ("multiplies", "minimum", "bit_and", "logical_and")
    low, high = (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
    ones = 0 if kind.kind == "f" else ~kind.type(0)
    return {"multiplies": 1, "minimum": high, "maximum": low, "bit_and": ones, "logical_and": 1}.get(op, 0)


def scan(op: str, values: Array, init: Array | None, includes: bool) -> tuple[Array, Array]:
    """A scan with or without a value before all others, inclusive or exclusive, and its bounds."""
    before = values if init is None else np.concatenate([init[None], values])
    out, bound = inclusive(op, before) if len(before) else (before, np.zeros(before.shape))
    if includes:
        return (out, bound) if init is None else (out[1:], bound[1:])
    if init is not None:
        return out[:-1], bound[:-1]
    start = np.full(values.shape[1:], identity(op, values.dtype), out.dtype)
    nothing = np.zeros((1, *values.shape[1:]), bound.dtype)
    return np.concatenate([start[None], out])[: len(values)], np.concatenate([nothing, bound])[: len(values)]


def reduce(op: str, values: Array, init: Array | None) -> tuple[Array, Array]:
    """All of them combined, in every row."""
    out, bound = scan(op, values, init, True)
    return np.broadcast_to(out[-1], out.shape), np.broadcast_to(bound[-1], out.shape)


def joint_reduce(op: str, values: Array, init: Array | None) -> tuple[Array, Array]:
    """Of a range of memory, which may be empty: one row."""
    before = values if init is None else np.concatenate([init[None], values])
    if len(before) == 0:
        return np.full(values.shape[1:], identity(op, values.dtype), values.dtype), np.zeros(values.shape[1:])
    out, bound = inclusive(op, before)
    return out[-1], bound[-1]


def agrees(op: str | None, found: Array, expected: Array, bound: Array | float) -> Array:
    """Where it is right. What is logical is right where it is 0 or not 0 as expected: a group of one item may return what
    it was given."""
    if op in LOGICAL:
        return np.asarray((found != 0) == (expected != 0))
    if np.asarray(bound).any():
        return np.asarray(np.abs(found.astype(np.longdouble) - expected) <= bound)
    return np.asarray(found == expected)
