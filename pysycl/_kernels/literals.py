"""Numbers as OpenCL C spells them: the same value, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def float_literal(value: Any, suffix: str) -> str:
    """The same number to the last bit; infinities and NaN are quotients. `suffix`: "f" or "" for a double."""
    number = float(value)
    if number != number:
        return f"(0x0p+0{suffix}/0x0p+0{suffix})"
    if number in (float("inf"), float("-inf")):
        return f"({'-' if number < 0 else ''}0x1p+0{suffix}/0x0p+0{suffix})"
    text = f"{number.hex()}{suffix}"
    return f"({text})" if text.startswith("-") else text


def integer_literal(value: int, char: str) -> str:
    """With the suffix that the type of that character has."""
    suffix = {"I": "u", "L": "UL", "Q": "UL", "l": "L", "q": "L"}.get(char, "")
    if value in (-(2**31), -(2**63)):  # its digits alone are a number too large
        return f"({value + 1}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def scalar_literal(value: Any, dtype: np.dtype[Any]) -> str:
    """A number of the type."""
    if dtype.char == "e":
        return f"((half){float_literal(value, 'f')})"
    if dtype.char in "fd":
        return float_literal(value, "f" if dtype.char == "f" else "")
    return integer_literal(int(value), dtype.char)
