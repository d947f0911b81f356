"""The math functions of SYCL on the host, each of arrays of double, or of one type where that matters."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._math.host_function import Array, Function

if TYPE_CHECKING:
    from collections.abc import Callable

INT_MIN: Final = -(2**31)
INT_MAX: Final = 2**31 - 1


def _each(call: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's own math module, of arrays."""
    vectorised: Any = np.frompyfunc(call, 1, 1)

    def whole(x: Array) -> Array:
        return np.asarray(vectorised(x), np.float64)

    return whole


def _is_odd(x: Any) -> Any:
    return np.fmod(np.abs(x), 2) == 1


# -- gamma --


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole; beyond the range
        return math.inf


def _tgamma(x: float) -> float:
    try:
        return math.gamma(x)
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan
    except OverflowError:
        return math.inf if x > 0 or math.floor(x) % 2 == 0 else -math.inf


def _lgamma_r(x: Array) -> tuple[Array, Array]:
    below = np.floor(x)
    negative = (x < 0) & (below != x) & _is_odd(below)
    return _each(_lgamma)(x), np.where(negative | ((x == 0) & np.signbit(x)), -1, 1)


# -- trigonometry in half turns --


def _half_turns(x: Array) -> tuple[Array, Array]:
    """sin and cos of pi x: the multiples of a quarter turn are taken off exactly."""
    rest = np.fmod(x, 2.0)
    quarters = np.rint(2 * rest)
    angle = np.pi * (rest - quarters / 2)
    sine, cosine = np.sin(angle), np.cos(angle)
    quarter = np.where(np.isfinite(quarters), quarters, 0).astype(np.int64) & 3
    return (
        np.choose(quarter, [sine, cosine, -sine, -cosine]),
        np.choose(quarter, [cosine, -sine, -cosine, sine]),
    )


def _sinpi(x: Array) -> Array:
    sine = _half_turns(x)[0]
    return np.where(sine == 0, np.copysign(0.0, x), sine)


def _cospi(x: Array) -> Array:
    cosine = _half_turns(x)[1]
    return np.where(cosine == 0, 0.0, cosine)


# -- rounding once --


def _fma_wide(a: Array, b: Array, c: Array) -> Array:
    """Of numbers that came from float or half: their product is exact in double, and the sum is rounded to odd there, so
    that rounding it to the narrower type is right."""
    product = a * b
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    return np.where((error != 0) & even & np.isfinite(total), np.nextafter(total, np.copysign(np.inf, error)), total)


def _fma_one(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if c == 0 and (a == 0 or b == 0) else 0.0
    try:
        rounded = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    return rounded if rounded != 0 else math.copysign(0.0, exact)


def _fma(a: Array, b: Array, c: Array) -> Array:
    if a.dtype == np.float64:
        vectorised: Any = np.frompyfunc(_fma_one, 3, 1)
        return np.asarray(vectorised(a, b, c), np.float64)
    return _fma_wide(a.astype(np.float64), b.astype(np.float64), c.astype(np.float64)).astype(a.dtype)


# -- parts of a number --


def _fract(x: Array) -> tuple[Array, Array]:
    below = np.floor(x)
    most = np.nextafter(x.dtype.type(1), x.dtype.type(0))
    part = np.where(np.isnan(x), x, np.fmin(x - below, most))
    return np.where(np.isinf(x) | (x == 0), np.copysign(x.dtype.type(0), x), part), below


def _exponent(x: Array) -> Array:
    return np.frexp(x)[1].astype(np.float64) - 1


def _ilogb(x: Array) -> Array:
    return np.where(x == 0, INT_MIN, np.where(np.isfinite(x), _exponent(x), INT_MAX))


def _logb(x: Array) -> Array:
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), _exponent(x), np.abs(x)))


# -- the nearest multiple --


def _remainder(x: Array, y: Array) -> Any:
    """The steps are exact, since each takes off no more than there is."""
    size = np.abs(y)
    rest = np.fmod(np.abs(x), size + size)
    small = size < 2.0**-1000  # half of it might not be exact
    half = 0.5 * size
    first = np.where(small, rest + rest > size, rest > half)
    rest = np.where(first, rest - size, rest)
    second = first & np.where(small, rest + rest >= size, rest >= half)
    rest = np.where(second, rest - size, rest)
    return np.where(np.signbit(x), -rest, rest)


def _remquo(x: Array, y: Array) -> tuple[Array, Array]:
    rest = _remainder(x, y)
    size = np.abs(y)
    many = np.fmod(np.abs(x), 128 * size)
    quotient = np.rint((many - np.where(np.signbit(x), -rest, rest)) / size)
    quotient = np.where(np.isfinite(quotient), np.fmod(quotient, 128), 0)
    return rest, np.where(np.signbit(x) != np.signbit(y), -quotient, quotient)


# -- powers --


def _powr(x: Array, y: Array) -> Any:
    undefined = (x < 0) | ((x == 0) & (y == 0)) | (np.isinf(x) & (y == 0)) | ((x == 1) & np.isinf(y))
    return np.where(undefined | np.isnan(x) | np.isnan(y), np.nan, np.power(np.abs(x), y))


def _rootn(x: Array, n: Array) -> Any:
    size = np.abs(x)
    root = np.power(size, 1.0 / n)
    better = root * (1 - (np.power(root, n) / size - 1) / n)
    root = np.where(np.isfinite(better) & (size > 0) & np.isfinite(size), better, root)
    root = np.where(_is_odd(n), np.copysign(root, x), np.where(x < 0, np.nan, root))
    return np.where(n == 0, np.nan, root)


def _round(x: Array) -> Any:
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0), x)


def _by_size(compare: Callable[[Array, Array], Array], equal: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def call(x: Array, y: Array) -> Array:
        return np.where(compare(np.abs(x), np.abs(y)), x, np.where(compare(np.abs(y), np.abs(x)), y, equal(x, y)))

    return call


def _fdim(x: Array, y: Array) -> Array:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0.0))


_NAMED_ALIKE: Final = frozenset(
    re.findall(
        r"\w+",
        """
        cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fmax fmin fmod hypot log log2 log10 log1p rint sin sinh
        sqrt tan tanh trunc
        """,
    )
)
_NAMED_OTHERWISE: Final = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "pow": "power",
}  # fmt: skip


def _of_numpy(name: str, numpy_name: str) -> Function:
    call = getattr(np, numpy_name)
    return Function(name, call, "xy"[: call.nin])


MATH: Final = (
    *(_of_numpy(name, name) for name in _NAMED_ALIKE),
    *(_of_numpy(name, other) for name, other in _NAMED_OTHERWISE.items()),
    Function("acospi", lambda x: np.arccos(x) / np.pi),
    Function("asinpi", lambda x: np.arcsin(x) / np.pi),
    Function("atanpi", lambda x: np.arctan(x) / np.pi),
    Function("atan2pi", lambda y, x: np.arctan2(y, x) / np.pi, "yx"),
    Function("cospi", _cospi),
    Function("sinpi", _sinpi),
    Function("tanpi", lambda x: _sinpi(x) / _cospi(x)),
    Function("erf", _each(math.erf)),
    Function("erfc", _each(math.erfc)),
    Function("exp10", lambda x: np.power(10.0, x)),
    Function("fdim", _fdim, "xy"),
    Function("fma", _fma, "xyz", exact=True),
    Function("fract", _fract, "x", "xx", exact=True),
    Function("frexp", np.frexp, "x", "xn"),
    Function("ilogb", _ilogb, "x", "n"),
    Function("ldexp", np.ldexp, "xn"),
    Function("lgamma", _each(_lgamma)),
    Function("lgamma_r", _lgamma_r, "x", "xn"),
    Function("logb", _logb),
    Function("mad", lambda x, y, z: x * y + z, "xyz"),
    Function("maxmag", _by_size(np.greater, np.fmax), "xy"),
    Function("minmag", _by_size(np.less, np.fmin), "xy"),
    Function("modf", np.modf, "x", "xx"),
    Function("nextafter", np.nextafter, "xy", exact=True),
    Function("pown", lambda x, n: np.power(x, n.astype(np.float64)), "xn"),
    Function("powr", _powr, "xy"),
    Function("remainder", _remainder, "xy"),
    Function("remquo", _remquo, "xy", "xn"),
    Function("rootn", lambda x, n: _rootn(x, n.astype(np.float64)), "xn"),
    Function("round", _round),
    Function("rsqrt", lambda x: 1 / np.sqrt(x)),
    Function("sincos", lambda x: (np.sin(x), np.cos(x)), "x", "xx"),
    Function("tgamma", _each(_tgamma)),
)
"""4.17.5. What SYCL returns through a pointer is a second result."""
_LOOSE: Final = frozenset(
    ("cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "rsqrt", "sin", "sqrt", "tan")
)
LOOSE: Final = (
    *(
        row
        for row in MATH
        if row.name in ["cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "rsqrt", "sin", "sqrt", "tan"]
    ),
    Function("divide", lambda x, y: x / y, "xy"),
    Function("recip", lambda x: 1 / x),
)
"""Functions of the namespaces native and half_precision; on the host they are as accurate as the others."""
