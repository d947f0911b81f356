"""Swizzles: which components the names xyzw, rgba, s0 to sF, lo, hi, odd and even stand for."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final


class Elem(IntEnum):
    """Names for the components of a vec, for `Vec.swizzle`.

    Examples
    --------
    >>> sycl.int4(1, 2, 3, 4).swizzle(sycl.Elem.w, sycl.Elem.x)
    int2(4, 1)
    """

    x = r = s0 = 0
    y = g = s1 = 1
    z = b = s2 = 2
    w = a = s3 = 3
    s4, s5, s6, s7, s8, s9, sA, sB, sC, sD, sE, sF = range(4, 16)


_HALVES: Final = {
    "lo": lambda slots: range(slots // 2),
    "hi": lambda slots: range(slots // 2, slots),
    "even": lambda slots: range(0, slots, 2),
    "odd": lambda slots: range(1, slots, 2),
}


@lru_cache(maxsize=1024)
def picks_of(name: str, count: int) -> tuple[int, ...] | None:
    """The components that an attribute of a vec with `count` of them stands for; None: it stands for none.

    The halves of a vec of 3 are those of a vec of 4 whose last component is undefined.
    """
    if name in _HALVES:
        return tuple(_HALVES[name](4 if count == 3 else count)) if count > 1 else None
    if name[:1] in ("s", "S") and len(name) > 1:
        return _within([int(digit, 16) if digit in "0123456789abcdefABCDEF" else 16 for digit in name[1:]], count)
    if count > 4:
        return None
    found = _within(["xyzw".find(letter) for letter in name], count)
    if found is None and count == 4:
        found = _within(["rgba".find(letter) for letter in name], count)
    return found


def _within(picks: list[int], count: int) -> tuple[int, ...] | None:
    return tuple(picks) if picks and all(0 <= pick < count for pick in picks) else None
