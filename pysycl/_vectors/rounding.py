"""Conversion between element types with a rounding mode."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

import numpy as np


class RoundingMode(Enum):
    """How `Vec.convert` rounds.

    Notes
    -----
    SYCL 2020, 4.14.2.5.

    Examples
    --------
    >>> sycl.float2(1.5, -1.5).convert("int32", sycl.RoundingMode.rtp)
    int2(2, -1)
    """

    automatic = "automatic"
    """rtz to integers, rte to floating point."""
    rte = "rte"
    """To nearest even."""
    rtz = "rtz"
    """Toward zero."""
    rtp = "rtp"
    """Toward positive infinity."""
    rtn = "rtn"
    """Toward negative infinity."""


_TO_WHOLE: Final[dict[RoundingMode, Any]] = {
    RoundingMode.automatic: np.trunc,
    RoundingMode.rte: np.rint,
    RoundingMode.rtz: np.trunc,
    RoundingMode.rtp: np.ceil,
    RoundingMode.rtn: np.floor,
}


def _to_integers(values: np.ndarray[Any, Any], dtype: np.dtype[Any], mode: RoundingMode) -> np.ndarray[Any, Any]:
    """Out of range: the nearest that there is, 0 for a NaN; SYCL leaves it open."""
    limits = np.iinfo(dtype)
    whole = [0 if value != value else value for value in _TO_WHOLE[mode](values.astype(np.float64)).tolist()]
    return np.array([limits.min if v < limits.min else limits.max if v > limits.max else int(v) for v in whole], dtype)


def _is_wrong(rounded: float, exact: float, mode: RoundingMode) -> float:
    """Where to go from the nearest value: an infinity, or 0 to stay. Python compares int and float exactly."""
    if mode is RoundingMode.rtp or (mode is RoundingMode.rtz and exact < 0):
        return float("inf") if rounded < exact else 0.0
    return float("-inf") if rounded > exact else 0.0


def _to_floats(values: np.ndarray[Any, Any], dtype: np.dtype[Any], mode: RoundingMode) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        nearest = values.astype(dtype)
        if mode in (RoundingMode.automatic, RoundingMode.rte):
            return nearest
        for place, exact in enumerate(values.tolist()):
            toward = _is_wrong(float(nearest[place]), exact, mode)
            if toward:
                nearest[place] = np.nextafter(nearest[place], dtype.type(toward))
    return nearest


def convert(values: np.ndarray[Any, Any], dtype: np.dtype[Any], mode: RoundingMode) -> np.ndarray[Any, Any]:
    """The values as another type. Integers lose the bits that do not fit; to bool, all but 0 is true."""
    if dtype.kind == "f":
        return _to_floats(values, dtype, mode)
    if dtype.kind in "iu" and values.dtype.kind == "f":
        return _to_integers(values, dtype, mode)
    return values.astype(dtype)
