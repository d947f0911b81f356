"""What sums, extremes and their like combine: types, operators, and expressions of an element."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from pysycl._algorithms.operand import c_type, check_number
from pysycl._data.host_memory import as_dtype, element_type
from pysycl.binary_op import BinaryOp, check_associative, not_an_operator
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, bit_and, bit_or, minimum, multiplies, plus
from pysycl.operators import maximum as maximum

# NaN wins, and remains: as NumPy's minimum and maximum have it.
LEAST: Final = BinaryOp("(a <= b || a != a) ? a : b")
MOST: Final = BinaryOp("(a >= b || a != a) ? a : b")
# The same of complex numbers, by the real part and then by the imaginary one.
_EDGE: Final = "(a.x != a.x || a.y != a.y || (a.x {0} b.x && b.y == b.y) || (a.x == b.x && a.y {0}= b.y)) ? a : b"
COMPLEX_LEAST: Final = BinaryOp(_EDGE.format("<"))
COMPLEX_MOST: Final = BinaryOp(_EDGE.format(">"))
# NaN loses.
_NUMBER: Final = "(a {0}= b || b != b) ? a : b"
_COMPLEX_NUMBER: Final = (
    "(b.x != b.x || b.y != b.y || (a.x == a.x && a.y == a.y && (a.x {0} b.x || (a.x == b.x && a.y {0}= b.y)))) ? a : b"
)
COMPLEX_PRODUCT: Final = BinaryOp("(T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)")

# Packed positions: the element's place in the order above, its index below; see order_of.
MOST_PACKED: Final = 2**32


def wanted(dtype: Any, otherwise: np.dtype[Any]) -> np.dtype[Any]:
    """The type that was asked for, if it is one of numbers."""

    return otherwise if dtype is None else check_number(as_dtype(dtype), "dtype")


def one_value(initial: Any, dtype: np.dtype[Any]) -> Any:
    """The initial value as an element of the type, of no dimension; NumPy's conversion, which wraps nothing."""
    own = np.zeros((), dtype)
    try:
        own[()] = initial
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"initial: {initial!r} is no value of {dtype}: {error}") from None
    return own


def widened(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a sum or product, as NumPy has it: integers are made as wide as can be."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def summed(given: np.dtype[Any], dtype: Any, out: Any) -> np.dtype[Any]:
    """The same of a call: the type that was asked for, or that of what is to hold the sum, which says how it is added."""
    held = getattr(out, "dtype", None)
    if dtype is None and held is not None and np.can_cast(given, check_number(held, "out"), "same_kind"):
        dtype = held
    return wanted(dtype, widened(given))


def averaged(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a mean: that of integers is float64."""
    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def average_of(given: np.dtype[Any], dtype: Any) -> np.dtype[Any]:
    """The same, or the type that was asked for."""
    result = wanted(dtype, averaged(given))
    if result.kind == "b":
        raise InvalidParameterError(
            "dtype: an average is a number, which bool is not; any() says whether an element is true"
        )
    return result


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which values of a dtype are combined: of float16, float32; of bool, bytes."""
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    return np.dtype(np.float32) if dtype.str[1:] == "f2" else dtype


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of absolute values."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def cast(value: str, given: np.dtype[Any], wanted: np.dtype[Any]) -> str:
    """An element as another type. `wanted` of bool says whether it is nothing."""
    if wanted.kind == "b":
        return f"(uchar)({truth(value, given)})"
    if wanted.kind == "c":
        kind = c_type(wanted)
        return f"convert_{kind}({value})" if given.kind == "c" else f"({kind})(({kind[:-1]})({value}), 0)"
    return f"({c_type(wanted)})({value}{'.x' if given.kind == 'c' else ''})"


def truth(value: str, dtype: np.dtype[Any]) -> str:
    """Whether an element is something: NaN is."""
    return f"{value}.x != 0 || {value}.y != 0" if dtype.kind == "c" else f"{value} != 0"


def square(value: str, dtype: np.dtype[Any]) -> str:
    """The square of an element's absolute value."""
    return f"{value}.x * {value}.x + {value}.y * {value}.y" if dtype.kind == "c" else f"{value} * {value}"


def magnitude(value: str, dtype: np.dtype[Any]) -> str:
    """An element's absolute value."""
    if dtype.kind == "c":
        return f"hypot({value}.x, {value}.y)"
    return f"fabs({value})" if dtype.kind == "f" else value


def extreme(least: bool, dtype: np.dtype[Any], skips_nan: bool = False) -> tuple[Any, Any]:
    """The operator of an extreme, and its identity: NaN, where that is none of the elements looked at."""
    if skips_nan and dtype.kind in "fc":
        text = (_COMPLEX_NUMBER if dtype.kind == "c" else _NUMBER).format("<" if least else ">")
        return BinaryOp(text), (np.nan, np.nan) if dtype.kind == "c" else np.nan
    if dtype.kind == "c":
        return (COMPLEX_LEAST, (np.inf, np.inf)) if least else (COMPLEX_MOST, (-np.inf, -np.inf))
    if dtype.kind == "f":
        return (LEAST, np.inf) if least else (MOST, -np.inf)
    return (minimum if least else maximum), None


def edge(least: bool, dtype: np.dtype[Any]) -> Any:
    """What an extreme of no elements begins with, on the host."""
    if dtype.kind == "b":
        return least
    if dtype.kind in "fc":
        infinity = np.inf if least else -np.inf
        return complex(infinity, infinity) if dtype.kind == "c" else infinity
    return getattr(np.iinfo(dtype), "max" if least else "min")


def same(value: str, other: str, dtype: np.dtype[Any]) -> str:
    """Whether two elements are one as an extreme: equal, or both not numbers."""
    if dtype.kind == "c":
        odd = " && ".join(f"({each}.x != {each}.x || {each}.y != {each}.y)" for each in (value, other))
        return f"({value}.x == {other}.x && {value}.y == {other}.y) || ({odd})"
    equal = f"{value} == {other}"
    return f"{equal} || ({other} != {other} && {value} != {value})" if dtype.kind == "f" else equal


def unequal(value: str, other: str, dtype: np.dtype[Any]) -> str:
    """Whether two elements differ; a NaN does from all. Structs do where a field does."""
    if dtype.kind == "c":
        return f"({value}.x != {other}.x || {value}.y != {other}.y)"
    if dtype.names is None:
        return f"{value} != {other}"
    found = []
    for name in dtype.names:
        field: Any = dtype[name]
        kind, shape = (field, ()) if field.subdtype is None else field.subdtype
        for at in product(*map(range, shape)):
            part = name + "".join(f"[{index}]" for index in at)
            parts = [f"{part}.re", f"{part}.im"] if kind.kind == "c" else [part]
            if kind.names is not None:
                found.append(unequal(f"{value}.{part}", f"{other}.{part}", kind))
            else:
                found += [f"{value}.{each} != {other}.{each}" for each in parts]
    return f"({' || '.join(found)})"


def adder(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Of sums; those of bool are whether there is any."""
    return (bit_or if dtype.kind == "b" else plus), None


def multiplier(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Of products."""
    if dtype.kind == "c":
        return COMPLEX_PRODUCT, (1, 0)
    return (bit_and, 1) if dtype.kind == "b" else (multiplies, None)


def order_of(dtype: np.dtype[Any], least: bool) -> str:
    """A function that gives 32 bits which are ordered as the elements are: what is wanted first is the smallest.

    NaN comes before everything, and -0.0 is 0.0.
    """
    kind, flip = c_type(dtype), "" if least else "~"
    if dtype.kind == "f":
        text = (
            "if (x != x) return 0; const uint u = x == 0 ? 0 : as_uint(x); "
            f"return {flip}(u ^ (u >> 31 ? 0xffffffffu : 0x80000000u));"
        )
    elif dtype.kind == "i":
        text = f"return {flip}((uint)(int)x ^ 0x80000000u);"
    else:
        text = f"return {flip}(uint)x;"
    return f"static inline uint order_of(const {kind} x) {{ {text} }}"


# -- operators of the user's --


def operator_of(op: Any) -> BinaryOp:
    """An operator of the user's."""
    own = BinaryOp(op) if isinstance(op, str) else op
    if not isinstance(own, BinaryOp):
        raise not_an_operator(op, texts=True)
    check_associative(own)
    return own


def combined_type(given: np.dtype[Any], op: Any, dtype: Any, map: Any) -> np.dtype[Any]:
    """The type in which an operator combines elements: their own, or the one asked for; structs are made by a map."""

    is_mapped = isinstance(map, str) and bool(map.strip())
    wanted_struct = dtype is not None and as_dtype(dtype).names is not None
    if wanted_struct and is_mapped and not isinstance(op, FunctionObject):
        return element_type(dtype, "dtype")
    if wanted_struct and given.names is None:
        raise InvalidParameterError(
            "dtype: structs are made of other elements by map=, as map='(T){x, 1}', and an operator"
        )
    if given.names is not None:
        if dtype is not None or (map is not None and not is_mapped):
            raise InvalidParameterError(f"{'dtype' if dtype is not None else 'map'}: not for elements that are structs")
        return element_type(given, "x")
    result = wanted(dtype, given)
    if isinstance(op, FunctionObject) and result.kind not in "biu":
        raise InvalidParameterError(f"op: {op.name} is not defined for {result}")
    return result
