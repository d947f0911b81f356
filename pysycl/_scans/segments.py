"""segments=: where a scan begins anew. Flags, keys, or offsets, as the text of a condition."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.kinds import unequal
from pysycl._algorithms.operand import ARRAY, BUFFER, Operand, broadcast, check_number, operand
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._scans.scan_line import Scan

_WORDS: Final = ("offsets", "flags", "keys")


class Segments(NamedTuple):
    """Where segments begin, as it was said."""

    word: str
    """offsets, flags or keys."""
    memory: Operand


def read_segments(segments: Any, count: int) -> Segments:
    """What the segments are given by, and the memory."""
    word = None
    if isinstance(segments, tuple) and len(segments) == 2 and isinstance(segments[0], str):
        word, segments = segments
        if word not in _WORDS:
            raise InvalidParameterError(f"segments: expected one of {', '.join(_WORDS)}, got {word!r}")
    it = operand(segments, "segments")
    if it.dtype.kind == "O":
        raise InvalidParameterError(f"segments: expected offsets, flags or keys, got {segments!r}")
    if it.dtype.names is None and word != "offsets":
        check_number(it.dtype, "segments")
    if word is None:
        word = (
            "flags" if it.dtype.kind == "b" else "keys" if count in it.shape or it.dtype.kind not in "iu" else "offsets"
        )
        if word == "keys" and it.kind == ARRAY and _could_be_offsets(it, count):
            raise InvalidParameterError(
                f"segments: {count} integers from 0 to {count} are offsets as well as keys: give ('offsets', s) or "
                "('keys', s)"
            )
    if word == "flags" and it.dtype.kind != "b":
        raise InvalidParameterError(f"segments: expected flags of bool, got {it.dtype}")
    if word == "offsets":
        check_offsets(it, count, "segments")
    return Segments(word, it)


def heads(call: Scan, segments: Segments, reverse: bool) -> tuple[dict[str, Operand | None], str]:
    """The operands of a condition, and the condition, that an element is of another segment than the one that the scan has
    been at before."""
    word, it = segments
    axis = call.axes[0] if len(call.axes) == 1 else None
    if axis is None and len(call.x.shape) != 1:
        raise InvalidParameterError(
            f"segments: an array of the shape {call.x.shape} has segments along an axis: give axis="
        )
    if word == "offsets":
        if prod(call.x.shape) != call.x.shape[axis or 0]:
            raise InvalidParameterError(
                f"segments: offsets are of one dimension, and x has the shape {call.x.shape}; give flags or keys"
            )
        marks = marked(call, it, call.x.shape[axis or 0])
        return {"marks": marks, "at": None}, is_marked("marks", "{at} + 1" if reverse else "{at}")
    if len(it.shape) == 1 and axis is not None and it.shape[0] == call.x.shape[axis]:
        shape = tuple(it.shape[0] if d == axis else 1 for d in range(len(call.x.shape)))
        steps = tuple(it.strides[0] if d == axis else 0 for d in range(len(call.x.shape)))
        it = it._replace(shape=shape, strides=steps)
    it = broadcast(it, call.x.shape, "segments")
    other = "{segment.behind}" if reverse else "{segment.before}"
    if word == "keys":
        return {"segment": it}, unequal("{segment}", other, it.dtype)
    return {"segment": it}, other if reverse else "{segment}"


def begins(name: str, dtype: np.dtype[Any]) -> str:
    """Whether an element begins a run."""
    return f"({{at}} == 0 || {unequal(f'{{{name}}}', f'{{{name}.before}}', dtype)})"


def _could_be_offsets(it: Operand, count: int) -> bool:
    values = it.memory
    if it.dtype.kind not in "iu" or it.shape != (count,) or it.strides != (1,) or count < 2:
        return False
    return bool(values[0] == 0 and values[-1] == count and np.all(values[1:] >= values[:-1]))


# -- offsets --


def check_offsets(it: Operand, count: int, what: str) -> None:
    """Offsets as those of sparse matrices: one more than segments, the last one of them the end. Those of device memory
    are looked at by nobody."""
    if it.dtype.kind not in "iu" or len(it.shape) != 1 or it.shape[0] == 0:
        raise InvalidParameterError(
            f"{what}: expected offsets, integers of one dimension, at least one, got {it.dtype} of the shape {it.shape}"
        )
    if it.kind != ARRAY:
        return
    values = it.memory[it.offset :: it.strides[0]][: it.shape[0]] if it.strides[0] else it.memory[:1]
    if np.any(values[1:] < values[:-1]):
        k = int(np.argmax(values[1:] < values[:-1]))
        raise InvalidParameterError(f"{what}: offsets that become smaller, {values[k + 1]} behind {values[k]}")
    if values[0] < 0 or values[-1] > count:
        raise InvalidParameterError(f"{what}: offsets from {values[0]} to {values[-1]}, and x has {count} elements")


def marked(call: Scan, offsets: Operand, count: int) -> Operand:
    """A bit for each element that a segment begins at, and one for the end, in words of 32."""
    words = count // 32 + 1
    if call.x.kind == ARRAY:
        memory: Any = np.zeros(words, np.uint32)
    else:
        memory = Buffer((words,), np.uint32)
        call.run(words, "marks[i] = 0;", {"marks": memory})
    numbers = {"from": np.int64(offsets.offset), "step": np.int64(offsets.strides[0]), "last": np.int64(count)}
    call.run(
        offsets.shape[0],
        "const long at = offsets[offset_from + i * offset_step];\n"
        "if (at >= 0 && at < last) atomic_or((volatile __global uint *)&marks[at / 32], 1u << (at % 32));",
        {"offsets": offsets.memory, "marks": memory, "offset_from": numbers["from"], "offset_step": numbers["step"],
         "last": numbers["last"]},
    )  # fmt: skip
    return Operand(ARRAY if call.x.kind == ARRAY else BUFFER, memory, memory.dtype, call.x.shape, (0,), 0, None)


def is_marked(name: str, index: str) -> str:
    """Whether the bit of an element is set."""
    return f"({name}[({index}) / 32] >> (({index}) % 32) & 1)"
