"""Exact sums of floating-point numbers, as Python's integers: what the accuracies of reductions are held against."""

from fractions import Fraction
from typing import Any

import numpy as np

UNIT = {4: 149, 8: 1074}  # of a type's bytes: the least number is 2 to the minus that


def exact_sum(x: np.ndarray[Any, Any]) -> int:
    """The sum of finite numbers, in units of the type's least one."""
    bits = x.view({4: np.uint32, 8: np.uint64}[x.itemsize]).astype(np.uint64)
    stored = np.uint64(np.finfo(x.dtype).nmant)
    exponents = (bits >> stored) & np.uint64((1 << (8 * x.itemsize - 1 - int(stored))) - 1)
    parts = bits & np.uint64((1 << int(stored)) - 1) | (exponents != 0).astype(np.uint64) << stored
    minus = np.where(np.signbit(x), -1, 1)
    total = 0
    for exponent in np.unique(exponents):
        of_it = exponents == exponent
        high = (parts[of_it] >> np.uint64(26)).astype(np.int64) * minus[of_it]
        low = (parts[of_it] & np.uint64((1 << 26) - 1)).astype(np.int64) * minus[of_it]
        total += ((int(high.sum()) << 26) + int(low.sum())) << max(int(exponent) - 1, 0)
    return total


def nearest(total: int, dtype: Any) -> Any:
    """The number of the type that is nearest to so many units, ties to even."""
    dtype = np.dtype(dtype)
    bits = np.finfo(dtype).nmant + 1
    drop = max(abs(total).bit_length() - bits, 0)
    kept, rest = abs(total) >> drop, abs(total) & ((1 << drop) - 1)
    half = (1 << drop) >> 1
    kept += drop > 0 and (rest > half or (rest == half and kept & 1 == 1))
    with np.errstate(over="ignore"):
        value = np.ldexp(dtype.type(kept), drop - UNIT[dtype.itemsize])
    return -value if total < 0 else value


def off_by(value: Any, total: int) -> Fraction:
    """How far the number is from so many units, in those."""
    return abs(Fraction(float(value)) * 2 ** UNIT[value.dtype.itemsize] - total)
