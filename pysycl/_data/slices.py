"""Parts of a buffer: which are contiguous, and how slices spell them."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from pysycl.errors import InvalidObjectError, InvalidParameterError


def is_contiguous(part: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """True if a box of that shape is one piece of memory: past its first dimension that is not 1 it is complete."""
    first = next((d for d, count in enumerate(part) if count != 1), len(part))
    return 0 in part or part[first + 1 :] == whole[first + 1 :]


def _complete(key: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """The key with a slice for each dimension: an ellipsis stands for as many as are missing."""
    dots = [at for at, each in enumerate(key) if isinstance(each, EllipsisType)]
    if len(dots) > 1:
        raise IndexError("a key can have one ellipsis")
    at = dots[0] if dots else len(key)
    given = len(key) - len(dots)
    if given > rank:
        raise IndexError(f"{given} slices for a buffer of {rank} dimensions")
    return (*key[:at], *[slice(None)] * (rank - given), *key[at + len(dots) :])


def part_of_key(key: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Offset and range of slices."""
    offset, part = [], []
    for each, size in zip(_complete(key if isinstance(key, tuple) else (key,), len(shape)), shape, strict=True):
        if not isinstance(each, slice):
            raise InvalidParameterError(
                f"a buffer is cut by slices, not by {each!r}: buffer[i:i + 1] is one element, np.asarray(buffer)[i] its "
                "value"
            )
        start, stop, step = each.indices(size)
        if step != 1:
            raise InvalidObjectError(f"a sub-buffer is contiguous: the slice has a step of {step}")
        offset.append(start)
        part.append(max(0, stop - start))
    return tuple(offset), tuple(part)
