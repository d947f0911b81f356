"""The integer functions of SYCL on the host, and the common ones, each of arrays of one type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._math.host_function import INTEGERS, NUMBERS, Array, Function

if TYPE_CHECKING:
    from collections.abc import Callable

_ONES: Final = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def _bits(x: Array) -> int:
    return int(x.dtype.itemsize) * 8


def _unsigned(x: Array) -> Array:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(x.shape)


def _exactly(call: Callable[..., Any], *arguments: Array) -> Array:
    """With whole numbers of any size."""
    return np.asarray(call(*(each.astype(object) for each in arguments)), object)


def _saturated(exact: Array, dtype: np.dtype[Any]) -> Any:
    limits = np.iinfo(dtype)
    return np.minimum(np.maximum(exact, limits.min), limits.max).astype(dtype)


def _saturating(call: Callable[..., Any]) -> Callable[..., Array]:
    def function(*arguments: Array) -> Any:
        return _saturated(_exactly(call, *arguments), arguments[0].dtype)

    return function


def _abs(x: Array) -> Array:
    return np.where(x < 0, np.negative(_unsigned(x)), _unsigned(x))


def _abs_diff(x: Array, y: Array) -> Array:
    return np.where(x < y, _unsigned(y) - _unsigned(x), _unsigned(x) - _unsigned(y))


def _popcount(x: Array) -> Any:
    whole = np.ascontiguousarray(x)
    return _ONES[whole.reshape(*x.shape, 1).view(np.uint8)].sum(-1)


def _clz(x: Array) -> Any:
    filled = _unsigned(x)
    shift = 1
    while shift < _bits(x):
        filled = filled | (filled >> shift)
        shift *= 2
    return _bits(x) - _popcount(filled)


def _ctz(x: Array) -> Any:
    bits = _unsigned(x)
    return _popcount(~bits & (bits - bits.dtype.type(1)))


def _mul_hi(x: Array, y: Array) -> Any:
    return _exactly(lambda a, b: (a * b) >> _bits(x), x, y).astype(x.dtype)


def _rotate(x: Array, i: Array) -> Any:
    bits = _unsigned(x)
    left = _unsigned(i) & bits.dtype.type(_bits(x) - 1)
    right = (bits.dtype.type(_bits(x)) - left) & bits.dtype.type(_bits(x) - 1)
    return ((bits << left) | (bits >> right)).view(x.dtype)


def _low24(x: Array) -> Any:
    if x.dtype.itemsize != 4:
        raise TypeError(f"mul24() and mad24(): are of int32 and uint32, not of {x.dtype}")
    return (x << 8) >> 8


def _clamp(x: Array, low: Array, high: Array) -> Any:
    if x.dtype.kind == "f":
        return np.fmin(np.fmax(x, low), high)
    return np.minimum(np.maximum(x, low), high)


def _smoothstep(low: Array, high: Array, x: Array) -> Any:
    t = np.fmin(np.fmax((x - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)


def _sign(x: Array) -> Array:
    return np.where(np.isnan(x), 0.0, np.where(x > 0, 1.0, np.where(x < 0, -1.0, x)))


INTEGER: Final = (
    Function("abs", _abs, "x", "u", INTEGERS),
    Function("abs_diff", _abs_diff, "xy", "u", INTEGERS),
    Function("add_sat", _saturating(lambda x, y: x + y), "xy", "x", INTEGERS),
    Function("hadd", lambda x, y: (x >> 1) + (y >> 1) + (x & y & 1), "xy", "x", INTEGERS),
    Function("rhadd", lambda x, y: (x >> 1) + (y >> 1) + ((x | y) & 1), "xy", "x", INTEGERS),
    Function("clz", _clz, "x", "x", INTEGERS),
    Function("ctz", _ctz, "x", "x", INTEGERS),
    Function("mad_hi", lambda x, y, z: _mul_hi(x, y) + z, "xyz", "x", INTEGERS),
    Function("mad_sat", _saturating(lambda x, y, z: x * y + z), "xyz", "x", INTEGERS),
    Function("mul_hi", _mul_hi, "xy", "x", INTEGERS),
    Function("rotate", _rotate, "xi", "x", INTEGERS),
    Function("sub_sat", _saturating(lambda x, y: x - y), "xy", "x", INTEGERS),
    Function("popcount", _popcount, "x", "x", INTEGERS),
    Function("mul24", lambda x, y: _low24(x) * _low24(y), "xy", "x", INTEGERS),
    Function("mad24", lambda x, y, z: _low24(x) * _low24(y) + z, "xyz", "x", INTEGERS),
)
"""4.17.6, but for upsample, whose result is of another type."""
COMMON: Final = (
    Function("clamp", _clamp, "xyz", "x", NUMBERS),
    Function("max", lambda x, y: np.where(x < y, y, x), "xy", "x", NUMBERS),
    Function("min", lambda x, y: np.where(y < x, y, x), "xy", "x", NUMBERS),
    Function("degrees", lambda x: x * (180 / np.pi)),
    Function("radians", lambda x: x * (np.pi / 180)),
    Function("mix", lambda x, y, a: x + (y - x) * a, "xya"),
    Function("step", lambda edge, x: np.where(x < edge, 0.0, 1.0), "xy"),
    Function("smoothstep", _smoothstep, "xyz"),
    Function("sign", _sign),
)
"""4.17.7; clamp, max and min of integers too."""
