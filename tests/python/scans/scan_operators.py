"""The operators of random scans: for kernels, and as functions of NumPy arrays, element by element.

All of them are exact whatever the order of combination is, so that results are compared bit by bit: floating-point numbers
are small integers, or powers of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pysycl as sycl

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f4", "f8"]


class Operator(NamedTuple):
    """One operator of a type."""

    name: str
    dtype: np.dtype[Any]
    make: Callable[[], Any]
    """What a scanner is given."""
    combine: Callable[[Any, Any], Any]
    """Arrays of the type, elements of one side by side."""
    identity: Any
    """None: the operator has none."""
    word: str | None
    """`+=` where there is such a statement."""


def _wrapped(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    def combine(a: Any, b: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(a, b).astype(a.dtype)

    return combine


def _fields(**of: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def combine(a: Any, b: Any) -> Any:
        result = a.copy()
        with np.errstate(all="ignore"):
            for name, function in of.items():
                result[name] = function(a, b)
        return result

    return combine


def _of_numbers(dtype: str) -> list[Operator]:
    kind = np.dtype(dtype)
    own = kind.type
    least, most = (
        (-np.inf, np.inf)
        if kind.kind == "f"
        else (np.iinfo(kind).min, np.iinfo(kind).max)
        if kind.kind in "iu"
        else (0, 0)
    )
    found = [
        Operator("plus", kind, lambda: sycl.plus, _wrapped(np.add), own(0), "+="),
        Operator("multiplies", kind, lambda: sycl.multiplies, _wrapped(np.multiply), own(1), "*="),
        Operator("minimum", kind, lambda: sycl.minimum, _wrapped(np.minimum), own(most), None),
        Operator("maximum", kind, lambda: sycl.maximum, _wrapped(np.maximum), own(least), None),
        Operator("last", kind, lambda: sycl.BinaryOp("a == a ? b : a"), lambda a, b: b.copy(), None, None),
        Operator("first", kind, lambda: sycl.BinaryOp("b == b ? a : b"), lambda a, b: a.copy(), None, None),
        Operator("greatest", kind, lambda: sycl.BinaryOp("a > b ? a : b"), _wrapped(np.maximum), None, None),
    ]
    if kind.kind != "f":
        found += [
            Operator("bit_and", kind, lambda: sycl.bit_and, _wrapped(np.bitwise_and), ~own(0), "&="),
            Operator("bit_or", kind, lambda: sycl.bit_or, _wrapped(np.bitwise_or), own(0), "|="),
            Operator("bit_xor", kind, lambda: sycl.bit_xor, _wrapped(np.bitwise_xor), own(0), "^="),
        ]
    return found


AFFINE = np.dtype([("k", "u4"), ("d", "u4")])
KEYED = np.dtype([("key", "f4"), ("at", "i4")])
MARKED = np.dtype([("mark", "u1"), ("value", "i8")])  # padded as C has it below
MARKED = np.dtype({"names": ["mark", "value"], "formats": ["u1", "i8"], "offsets": [0, 8], "itemsize": 16})
SPAN = np.dtype([("total", "i4"), ("front", "i4"), ("back", "i4"), ("best", "i4")])
MATRIX = np.dtype([("a", "u8"), ("b", "u8"), ("c", "u8"), ("d", "u8")])
FLOAT3 = sycl.vec_dtype("f4", 3)
INT4 = sycl.vec_dtype("i4", 4)


def _vector(dtype: np.dtype[Any], function: Any) -> Callable[[Any, Any], Any]:
    return _fields(**{name: lambda a, b, name=name: function(a[name], b[name]) for name in dtype.names or ()})


def _structs() -> list[Operator]:
    affine = _fields(k=lambda a, b: a["k"] * b["k"], d=lambda a, b: a["d"] * b["k"] + b["d"])
    text = "(T){a.k * b.k, a.d * b.k + b.d}"
    least = _fields(**{name: lambda a, b, n=name: np.where(b["key"] < a["key"], b[n], a[n]) for name in ("key", "at")})
    marked = _fields(
        mark=lambda a, b: a["mark"] | b["mark"],
        value=lambda a, b: np.where(b["mark"] != 0, b["value"], a["value"] + b["value"]),
    )
    span = _fields(
        total=lambda a, b: a["total"] + b["total"],
        front=lambda a, b: np.maximum(a["front"], a["total"] + b["front"]),
        back=lambda a, b: np.maximum(b["back"], b["total"] + a["back"]),
        best=lambda a, b: np.maximum(np.maximum(a["best"], b["best"]), a["back"] + b["front"]),
    )
    matrix = _fields(
        a=lambda a, b: a["a"] * b["a"] + a["b"] * b["c"],
        b=lambda a, b: a["a"] * b["b"] + a["b"] * b["d"],
        c=lambda a, b: a["c"] * b["a"] + a["d"] * b["c"],
        d=lambda a, b: a["c"] * b["b"] + a["d"] * b["d"],
    )
    return [
        Operator("affine", AFFINE, lambda: sycl.BinaryOp(text), affine, None, None),
        Operator("affine, known", AFFINE, lambda: sycl.BinaryOp(text, identity=(1, 0)), affine, (1, 0), None),
        Operator("least", KEYED, lambda: sycl.BinaryOp("b.key < a.key ? b : a"), least, None, None),
        Operator(
            "marked", MARKED,
            lambda: sycl.BinaryOp(
                "(T){.mark = a.mark | b.mark, .value = b.mark ? b.value : a.value + b.value}", identity=(0, 0)
            ),
            marked, (0, 0), None,
        ),
        Operator(
            "span", SPAN,
            lambda: sycl.BinaryOp(
                "(T){a.total + b.total, max(a.front, a.total + b.front), max(b.back, b.total + a.back), "
                "max(max(a.best, b.best), a.back + b.front)}"
            ),
            span, None, None,
        ),
        Operator(
            "matrix", MATRIX,
            lambda: sycl.BinaryOp(
                "(T){a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d, a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d}"
            ),
            matrix, None, None,
        ),
        Operator("plus", FLOAT3, lambda: sycl.plus, _vector(FLOAT3, np.add), (0, 0, 0), "+="),
        Operator("maximum", INT4, lambda: sycl.maximum, _vector(INT4, np.maximum), (-(2**31),) * 4, None),
        Operator("vectors", INT4, lambda: sycl.BinaryOp("a * 0 + b"), lambda a, b: b.copy(), None, None),
    ]  # fmt: skip


def _complex(dtype: str) -> list[Operator]:
    kind = np.dtype(dtype)
    return [
        Operator("plus", kind, lambda: sycl.plus, _wrapped(np.add), kind.type(0), "+="),
        Operator("multiplies", kind, lambda: sycl.multiplies, _wrapped(np.multiply), kind.type(1), None),
    ]


OPERATORS = {dtype: _of_numbers(dtype) for dtype in [*INTEGERS, *FLOATS]}
OPERATORS |= {dtype: _complex(dtype) for dtype in ("c8", "c16")}
OPERATORS["struct"] = _structs()


def values(rng: np.random.Generator, count: int, operator: Operator) -> Any:
    """Elements for an operator: what they combine to is exact."""
    kind = operator.dtype
    if kind.names is not None:
        x = np.zeros(count, kind)
        for name in kind.names:
            field = kind[name]
            if name == "mark":
                x[name] = rng.random(count) < 0.1
            elif kind in (AFFINE, MATRIX):
                x[name] = rng.integers(0, 2**31, count)
            else:
                x[name] = rng.integers(-8, 9, count).astype(field)
        if kind is SPAN:
            x["front"] = x["back"] = x["best"] = np.maximum(x["total"], 0)
        return x
    if operator.name == "multiplies":
        if kind.kind == "c":
            return np.array([1, -1, 1j, -1j], kind)[rng.integers(0, 4, count)]
        if kind.kind == "f":
            return rng.choice([1, 1, -1], count).astype(kind)
        return rng.integers(1, 4, count).astype(kind)
    if kind.kind == "c":
        return (rng.integers(-8, 9, count) + 1j * rng.integers(-8, 9, count)).astype(kind)
    if kind.kind == "f":
        return rng.integers(-8, 9, count).astype(kind)
    limits = np.iinfo(kind)
    low, high = (0, 4) if rng.random() < 0.5 else (limits.min, limits.max)
    return rng.integers(low, high, count, dtype=kind, endpoint=True)
