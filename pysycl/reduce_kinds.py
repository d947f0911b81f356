"""What sums, extremes and their like combine: types, operators, and expressions of an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pysycl.binary_op import BinaryOp
from pysycl.operators import bit_and, bit_or, minimum, multiplies, plus
from pysycl.operators import maximum as maximum
from pysycl.reduce_operand import c_type

if TYPE_CHECKING:
    import numpy as np

# NaN wins, and remains: as NumPy's minimum and maximum have it.
LEAST: Final = BinaryOp("(a <= b || a != a) ? a : b")
MOST: Final = BinaryOp("(a >= b || a != a) ? a : b")
COMPLEX_PRODUCT: Final = BinaryOp("(T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)")

# Packed positions: the element's place in the order above, its index below; see order_of.
MOST_PACKED: Final = 2**32


def widened(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a sum or product, as NumPy has it: integers are made as wide as can be."""
    import numpy as np

    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def averaged(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a mean: that of integers is float64."""
    import numpy as np

    return np.dtype(np.float64) if dtype.kind in "biu" else dtype


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which values of a dtype are combined: of float16, float32; of bool, bytes."""
    import numpy as np

    if dtype.kind == "b":
        return np.dtype(np.uint8)
    return np.dtype(np.float32) if dtype.str[1:] == "f2" else dtype


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of absolute values."""
    import numpy as np

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


def extreme(least: bool, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The operator of an extreme, and its identity."""
    import numpy as np

    if dtype.kind == "f":
        return (LEAST, np.inf) if least else (MOST, -np.inf)
    return (minimum if least else maximum), None


def adder(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Of sums; those of bool are whether there is any."""
    return (bit_or if dtype.kind == "b" else plus), None


def multiplier(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Of products."""
    if dtype.kind == "c":
        return COMPLEX_PRODUCT, 1
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
