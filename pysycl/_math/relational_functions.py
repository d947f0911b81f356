"""The relational functions of SYCL on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._math.host_function import INTEGERS, NUMBERS, Array, Function, finished, make, type_of
from pysycl._vectors.components import unwrapped
from pysycl._vectors.vec import Vec

if TYPE_CHECKING:
    from collections.abc import Callable


def _ordered(x: Array, y: Array) -> Array:
    return ~(np.isnan(x) | np.isnan(y))


_TESTS: Final[dict[str, tuple[Callable[..., Any], str]]] = {
    "isequal": (np.equal, "xy"),
    "isnotequal": (np.not_equal, "xy"),
    "isgreater": (np.greater, "xy"),
    "isgreaterequal": (np.greater_equal, "xy"),
    "isless": (np.less, "xy"),
    "islessequal": (np.less_equal, "xy"),
    "islessgreater": (lambda x, y: (x < y) | (x > y), "xy"),
    "isfinite": (np.isfinite, "x"),
    "isinf": (np.isinf, "x"),
    "isnan": (np.isnan, "x"),
    "isnormal": (lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny), "x"),
    "isordered": (_ordered, "xy"),
    "isunordered": (lambda x, y: ~_ordered(x, y), "xy"),
    "signbit": (np.signbit, "x"),
}
TESTS: Final = tuple(Function(name, call, takes, "t", exact=True) for name, (call, takes) in _TESTS.items())
"""Truth values: of numbers and arrays bool, of an Marray one of bool, of a Vec -1 or 0 in the integer as wide."""


def _top_bits(name: str, x: Any) -> Array:
    values = np.asarray(x)
    if values.dtype.kind == "b":
        return values
    type_of(name, INTEGERS, (x,))
    return values.astype(f"i{values.dtype.itemsize}", copy=False) < 0


def any(x: Any) -> Any:
    """True if a component has its highest bit set, or is true: of a Vec 1 or 0."""
    found = bool(_top_bits("any", x).any())
    return int(found) if isinstance(x, Vec) else found


def all(x: Any) -> Any:
    """True if each component has its highest bit set, or is true: of a Vec 1 or 0."""
    found = bool(_top_bits("all", x).all())
    return int(found) if isinstance(x, Vec) else found


def _pick_bits(a: Array, b: Array, c: Array) -> Array:
    bits = [each.view(f"u{each.dtype.itemsize}") for each in map(np.asarray, (a, b, c))]
    return np.asarray((bits[0] & ~bits[2]) | (bits[1] & bits[2])).view(a.dtype)


def _pick(a: Array, b: Array, c: Array) -> Array:
    return np.where(c, b, a)


_bitselect: Final = make(Function("bitselect", _pick_bits, "abd", "x", NUMBERS, exact=True))
_select: Final = make(Function("select", _pick, "abc", "x", NUMBERS, exact=True))


def select(a: Any, b: Any, c: Any) -> Any:
    """c ? b : a, component by component: of a Vec where the highest bit of c is set, else where c is not 0.

    Raises
    ------
    TypeError
        Of Vec, if c is not of integers as wide as the elements of a and b.
    """
    if not isinstance(c, Vec):
        if isinstance(a, Vec) or isinstance(b, Vec):
            raise TypeError(f"select(): expected a Vec of conditions, got {c!r}")
        return _select(a, b, np.asarray(c) != 0)
    element = type_of("select", NUMBERS, (a, b))
    if c.element_type.kind == "f" or c.element_type.itemsize != element.itemsize:
        raise TypeError(f"select(): the condition is a {type(c).__name__}; expected integers as wide as {element}")
    own, (x, y, _) = unwrapped(a, b, c)
    return finished(own, "x", _pick(x, y, _top_bits("select", c)), element)


def upsample(hi: Any, lo: Any) -> Any:
    """hi << the width | lo, of twice the width: of integers of 8, 16 or 32 bits, lo unsigned."""
    own, (high, low) = unwrapped(hi, lo)
    high, low = np.asarray(high), np.asarray(low)
    size = high.dtype.itemsize
    if high.dtype.kind not in "iu" or low.dtype != np.dtype(f"u{size}") or size > 4:
        raise TypeError(f"upsample(): expected integers of at most 32 bits and unsigned ones as wide, got {high.dtype} "
                        f"and {low.dtype}")  # fmt: skip
    wide = np.dtype(f"{high.dtype.kind}{size * 2}")
    return finished(own, "x", (high.astype(wide) << (size * 8)) | low.astype(wide), wide)


def nan(nancode: Any) -> Any:
    """A quiet NaN that holds the code: of unsigned integers of 16, 32 or 64 bits half, float or double."""
    own, (codes,) = unwrapped(nancode)
    codes = np.asarray(codes, np.uint64 if isinstance(nancode, int) else None)
    size = codes.dtype.itemsize
    if codes.dtype.kind != "u" or size == 1:
        raise TypeError(f"nan(): expected unsigned integers of 16, 32 or 64 bits, got {codes.dtype}")
    fraction = {2: 10, 4: 23, 8: 52}[size]
    quiet = codes.dtype.type((2 ** (size * 8 - 1 - fraction) - 1) << fraction | 1 << (fraction - 1))
    bits = quiet | (codes & codes.dtype.type(2 ** (fraction - 1) - 1))
    return finished(own, "x", np.asarray(bits).view(f"f{size}"), np.dtype(f"f{size}"))


def bitselect(a: Any, b: Any, c: Any) -> Any:
    """Each bit from b where that of c is set, else from a."""
    return _bitselect(a, b, c)


RELATIONAL: Final[dict[str, Callable[..., Any]]] = {
    each.__name__: each for each in (any, all, bitselect, select, upsample, nan)
}
"""4.17.9, and what else has a result of another type than its arguments."""
