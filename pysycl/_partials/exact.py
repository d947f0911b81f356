"""The accumulators of exact sums (kernels/device/reduce_exact.clh) as data: a fixed-point number with a place for every bit
of the type. They are settled: all words but the last, which has the sign, are digits of 32 bits. So equal sums have equal
bits, and the words of up to 2^31 of them can be added without a carry."""

from __future__ import annotations

from math import inf, ldexp, nan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


class Format(NamedTuple):
    """Of a type of numbers."""

    words: int
    lowest: int
    """The exponent of its least number."""
    bits: int
    """Of its mantissa, the first one, too."""


FORMATS: Final = {"f4": Format(10, -149, 24), "f8": Format(67, -1074, 53)}
_NO_NUMBERS: Final = {1: inf, 2: -inf}
_FEW: Final = 96
"""Sums for which Python's numbers are as quick as NumPy's functions."""


def exact_dtype(number: np.dtype[Any]) -> np.dtype[Any]:
    """Of the accumulator."""
    import numpy as np

    return np.dtype([("word", np.int64, FORMATS[number.str[1:]].words), ("count", np.uint32), ("special", np.uint32)])


def settle(word: Array) -> None:
    """Words along the last axis become digits. Those of one sum are Python's numbers meanwhile, on which a step is a tenth
    of NumPy's."""
    import numpy as np

    one = word.ndim == 1
    words: Any = word.tolist() if one else np.moveaxis(word, -1, 0)
    carry: Any = 0
    for k in range(len(words) - 1):
        digit = words[k] + carry
        carry = digit >> 32
        words[k] = digit & 0xFFFFFFFF
    words[-1] += carry
    if one:
        word[:] = words


def exact_of(value: Array) -> Array:
    """Of one number, of no dimension."""
    import numpy as np

    result = np.zeros((), exact_dtype(value.dtype))
    number = value[()]
    if np.isnan(number):
        result["special"] = 4
    elif np.isinf(number):
        result["special"] = 1 if number > 0 else 2
    else:
        form = FORMATS[value.dtype.str[1:]]
        over, under = float(number).as_integer_ratio()
        units = (over << -form.lowest) // under
        words = [units >> 32 * k & 0xFFFFFFFF for k in range(form.words - 1)]
        result["word"] = [*words, units >> 32 * (form.words - 1)]
    return result


def exact_sums(parts: Array) -> Array:
    """Merged along the first axis, all at once: no order can matter."""
    import numpy as np

    result = np.zeros(parts.shape[1:], parts.dtype)
    word = np.einsum("i...->...", parts["word"])  # three times as quick as sum(axis=0) of so few columns
    settle(word)
    result["word"] = word
    np.bitwise_or.reduce(parts["special"], axis=0, out=result["special"])
    return result


def _window(word: Array) -> tuple[Array, Array]:
    """Of digits: the 64 highest bits of each number, the last one set where there is anything behind them, and the place
    of the first."""
    import numpy as np

    count, last = word.shape
    some = word != 0
    top = last - 1 - np.argmax(some[:, ::-1], axis=1)
    rows = np.arange(count)
    high, middle, low = (np.where(top >= k, word[rows, np.maximum(top - k, 0)], 0).astype(np.uint64) for k in range(3))
    length = np.frexp(high.astype(np.float64))[1].astype(np.int64)  # of the highest digit, which is less than 2^32
    shift = (32 - length).astype(np.uint64)
    low <<= shift
    window = ((high << np.uint64(32) | middle) << shift) | low >> np.uint64(32)
    behind = (low & np.uint64(0xFFFFFFFF) != 0) | (np.argmax(some, axis=1) < top - 2)
    return window | behind, 32 * top + length - 1


def _nearest(window: Array, place: Array, form: Format) -> Array:
    """The nearest number, ties to even, as float64: exact, also where it is a float32."""
    import numpy as np

    bits = np.uint64(form.bits)
    kept, rest, half = window >> (np.uint64(64) - bits), window << bits, np.uint64(1 << 63)
    up = (rest > half) | ((rest == half) & (kept & np.uint64(1) != 0))
    few = place < form.bits  # no bit is behind
    mantissa = np.where(few, window >> (63 - np.minimum(place, 63)).astype(np.uint64), kept + up)
    exponent = np.where(few, 0, place - form.bits + 1) + form.lowest
    return np.asarray(np.ldexp(mantissa.astype(np.float64), exponent))


def _rounded(words: list[int], form: Format) -> float:
    """One sum, to the nearest number, ties to even."""
    total = 0
    for word in reversed(words):
        total = (total << 32) + word
    size = abs(total)
    behind = max(size.bit_length() - form.bits, 0)
    kept, half = size >> behind, 1 << behind >> 1
    rest = size - (kept << behind)
    kept += rest > half or (rest == half != 0 and kept & 1)
    try:
        value = ldexp(kept, behind + form.lowest)
    except OverflowError:
        value = inf
    return -value if total < 0 else value


def exact_results(parts: Array, number: np.dtype[Any]) -> Array:
    """The correctly rounded sums."""
    import numpy as np

    form = FORMATS[number.str[1:]]
    flat = parts.reshape(-1)
    if flat.size <= _FEW:
        pairs = zip(flat["word"].tolist(), flat["special"].tolist(), strict=True)
        values = [_NO_NUMBERS.get(special, nan) if special else _rounded(words, form) for words, special in pairs]
        with np.errstate(over="ignore"):
            return np.array(values, np.float64).astype(number).reshape(parts.shape)
    word = flat["word"].copy()
    settle(word)
    minus = word[:, -1] < 0
    word[minus] *= -1
    settle(word)
    far = word[:, -1] >> 32 != 0
    word[far, -1] = 0
    with np.errstate(over="ignore"):
        value = _nearest(*_window(word), form)
        value[far] = np.inf
        value = np.where(~word.any(axis=1) & ~far, 0.0, np.where(minus, -value, value)).astype(number)
    special = flat["special"]
    value[special == 1], value[special == 2], value[special > 2] = np.inf, -np.inf, np.nan
    return value.reshape(parts.shape)


def exact_pieces(part: Array, number: np.dtype[Any]) -> Array:
    """Numbers whose exact sum each of the sums is, along a further axis: halves of its digits, and what is no number."""
    import numpy as np

    form = FORMATS[number.str[1:]]
    word = part["word"].astype(np.int64)
    settle(word)
    minus = word[..., -1] < 0
    word[minus] *= -1
    settle(word)
    halves = np.stack([word & 0xFFFF, word >> 16], axis=-1).reshape(*part.shape, -1).astype(np.float64)
    exponents = np.stack([32 * np.arange(form.words), 32 * np.arange(form.words) + 16], axis=-1).reshape(-1)
    with np.errstate(over="ignore"):
        pieces = np.ldexp(halves, exponents + form.lowest)
        pieces = np.where(minus[..., None], -pieces, pieces).astype(number)
    special = np.zeros((*part.shape, 2), number)
    special[part["special"] & 4 != 0, 0] = np.nan
    special[part["special"] & 1 != 0, 0] += np.inf
    special[part["special"] & 2 != 0, 1] = -np.inf
    return np.concatenate([pieces, special], axis=-1)
