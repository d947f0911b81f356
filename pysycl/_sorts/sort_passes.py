"""A sort's passes over lines of words or elements that lie one behind the other: by digits, or by merges. None waits for
another group, so each is right on every device (kernels/device/sort_digits.clh, sort_merge.clh)."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.call import Call
from pysycl._kernels.scan_text import scan_text
from pysycl._kernels.scanner import scanner
from pysycl._kernels.user_text import MadeText, Part
from pysycl._sorts.sort_keys import unsigned
from pysycl.buffer import Buffer
from pysycl.operators import plus
from pysycl.ranges import NdRange

# Elements of a piece whose digits one work-item counts and puts: of fewer, the counts are what is gone through.
_PIECE: Final = 4096
_GPU_PIECE: Final = 1024
# Work-items for each compute unit: a CPU takes pieces as it can, a GPU hides its memory behind others.
_PIECES: Final = 4
_GPU_PIECES: Final = 128
_GPU_GROUP: Final = 64
# Bits of a digit. A CPU's cache has counts of 11 bits; of few words they would be as many as these.
_NARROW: Final = 8
_WIDE: Final = 11
_LEAST_WIDE: Final = 1 << 18
# Bytes of words that a CPU puts a line of its cache at a time, and the statement that puts words alone.
_LEAST_LINES: Final = 1 << 22
_ALONE: Final = re.compile(r"(\w+)\[syc_to\] = syc_word;")
# Elements that an item sorts by insertion, and those that it merges in one go.
_BLOCK: Final = 16
_LEAST_PART: Final = 64
_MOST_PART: Final = 4096


class Lines(NamedTuple):
    """Of how many lines each is sorted by itself, and how many elements each has."""

    many: int
    size: int

    @property
    def total(self) -> int:
        """All elements."""
        return self.many * self.size

    @property
    def position(self) -> np.dtype[Any]:
        """The type of positions in a line."""
        return np.dtype(np.uint32 if self.size < 2**32 else np.uint64)


class Source(NamedTuple):
    """Where a pass reads: an expression of the index syc_e, and what it names."""

    text: str
    arguments: dict[str, Any]


class Sink(NamedTuple):
    """Where the last pass writes: a statement that knows syc_to, syc_word (the word, or {element}) and {index}."""

    text: str
    arguments: dict[str, Any]
    lay: str = ""
    """Of tiles, beside one of the word alone: a statement that knows {index}."""


def place_of(line: Lines) -> str:
    """An element's position in its line."""
    return "syc_e % (ulong)sort_size" if line.many > 1 else "syc_e"


def launch(
    call: Sorter, items: int, text: str, arguments: dict[str, Any], parts: tuple[Part, ...] = ()
) -> None:  # fmt: skip
    """One launch of so many work-items, each of which has much to do: a CPU gives each a group, and so threads."""
    device = call._found_queue().device
    group = 1 if device.is_cpu else _GPU_GROUP
    if group > 1:
        text = f"if (i < sort_items) {{ {text} }}"
        arguments = {**arguments, "sort_items": np.int64(items)}
    call.run(NdRange(((items + group - 1) // group * group,), (group,)), MadeText(text, parts), arguments)


class Sorter(Call):
    """A call that tells a plan of its rows."""

    __slots__ = ("words",)

    def __init__(self, x: Any, options: Any, result_shape: tuple[int, ...]) -> None:
        super().__init__(x, options, result_shape)
        self.words: list[str] = []

    def takes(self, row: Any) -> Any:
        """The row, which a plan is told of."""
        self.words.append(f"row       {row.name}\nwhy       {row.why}\nmeasured  {row.measured}")
        return row


def position_of(line: Lines, index: Any) -> np.dtype[Any]:
    """The type of positions that are moved."""
    return index.dtype if isinstance(index, Buffer) else line.position


# -- by digits --


def pieces_of(call: Sorter, line: Lines) -> int:
    """How many items a line's pieces are for."""
    device = call._found_queue().device
    least, each = (_PIECE, _PIECES) if device.is_cpu else (_GPU_PIECE, _GPU_PIECES)
    wanted = -(-device.max_compute_units * each // line.many)
    return max(1, min(int(wanted), line.size // least))


def _width(call: Sorter, line: Lines, bits: int) -> int:
    """Bits of a digit: as few passes as the device's digits allow, and of these the shortest digits."""
    wide = call._found_queue().device.is_cpu and line.size >= _LEAST_WIDE
    passes = -(-bits // (_WIDE if wide else _NARROW))
    return -(-bits // passes)


def by_digits(
    call: Sorter, line: Lines, word: np.dtype[Any], digits: int, source: Source, index: Any, sink: Sink
) -> None:  # fmt: skip
    """Sorts words by their lowest bytes. `index`: "own" where positions go with the words from the first pass on, memory
    of positions that words come with, or None."""
    position = position_of(line, index)
    at = unsigned(position.itemsize)
    width = _width(call, line, 8 * digits)
    passes = -(-8 * digits // width)
    spare: list[Any] = [call.memory(line.total, word) for _ in range(min(passes - 1, 2))]
    spare_at: list[Any] = [call.memory(line.total, position) for _ in spare] if index is not None else []
    carried = index if isinstance(index, Buffer) else None
    for digit in range(passes):
        taken = "" if index is None else f"({at})({place_of(line)})" if carried is None else "carried[syc_e]"
        more = {} if carried is None else {"carried": carried}
        if digit + 1 == passes:
            put, into = sink.text.replace("{index}", taken), sink.arguments
        else:
            put, into = "words[syc_to] = syc_word;", {"words": spare[digit % 2]}
            if index is not None:
                put += f" places[syc_to] = {taken};"
                into["places"] = spare_at[digit % 2]
        one_pass(call, line, word, 1 << width, source, low_digit(digit * width, 1 << width), put, {**more, **into})
        if digit + 1 < passes:
            source = Source("from[syc_e]", {"from": spare[digit % 2]})
            carried = spare_at[digit % 2] if index is not None else None


def low_digit(shift: int, bins: int) -> str:
    """The digit of a word from a bit on."""
    return f"((uint)(syc_word >> {shift}) & {bins - 1}u)"


def one_pass(
    call: Sorter, line: Lines, word: np.dtype[Any], bins: int, source: Source, digit: str, put: str,
    arguments: dict[str, Any],
) -> Buffer:  # fmt: skip
    """Words by one digit, an expression, to where a statement puts them. What `digit` names is among the arguments.

    Memory of what stands before each digit and piece in its line."""
    own, at = unsigned(word.itemsize), unsigned(line.position.itemsize)
    pieces = pieces_of(call, line)
    counts = call.memory(line.many * bins * pieces, line.position)
    numbers = {"sort_size": np.int64(line.size), "sort_pieces": np.int64(pieces), "counts": counts}
    seen = {name: value for name, value in arguments.items() if re.search(rf"\b{name}\b", digit)}
    types, rest = f"{at}, {own}", f"{bins}u, {source.text}, {digit}, i, sort_size, sort_pieces, counts"
    launch(call, line.many * pieces, f"syc_sort_count({types}, {rest})", {**source.arguments, **numbers, **seen})
    _summed(call, line.many, bins * pieces, counts)
    alone = _ALONE.fullmatch(put) if line.total * word.itemsize >= _LEAST_LINES and word.itemsize >= 4 else None
    if alone and call._found_queue().device.is_cpu:
        text = f"syc_sort_put_lines({types}, {own}{64 // word.itemsize}, {rest}, {alone[1]})"
    else:
        text = f"syc_sort_put({types}, {rest}, {put})"
    launch(call, line.many * pieces, text, {**source.arguments, **numbers, **arguments})
    return counts


def _summed(call: Sorter, lines: int, size: int, counts: Any) -> None:
    """What stands before each count in its line."""
    shape = (lines, size) if lines > 1 else (size,)
    at = f"i0 * {size} + i1" if lines > 1 else "i"
    text = scan_text(shape, f"t += counts[{at}];", f"counts[{at}] = t.before;", 1 if lines > 1 else None)
    call.run(shape, text, {"counts": counts, "t": scanner(plus, counts.dtype)})


# -- by merges --


class Order(NamedTuple):
    """What merges compare: elements in memory, by a function or macro `comes_before`."""

    preamble: Any
    """Where that stands."""
    element: np.dtype[Any]
    name: str
    """Of the element's type, where memory of it is called `to`."""
    parts: tuple[Part, ...] = ()
    """Where the user's text stands in the preamble."""


def by_merges(
    call: Sorter, line: Lines, order: Order, source: Source, index: Any
) -> tuple[Any, Any]:  # fmt: skip
    """Sorts elements; see by_digits. The source's expression is an element. The memory of elements and of positions."""
    part = _part(call, line)
    parts, blocks = -(-line.size // part), -(-line.size // _BLOCK)
    position = position_of(line, index)
    at = unsigned(position.itemsize)
    numbers = {"sort_size": np.int64(line.size), "preamble": order.preamble}
    merged = {"sort_parts": np.int64(parts), "sort_part": np.int64(part)}
    runs = []
    run = _BLOCK
    while run < line.size:
        runs.append(run)
        run *= 2
    spare = [call.memory(line.total, order.element) for _ in range(2 if runs else 1)]
    spare_at = [call.memory(line.total, position) for _ in spare] if index is not None else []
    taken = "" if index is None else f"({at})({place_of(line)})" if not isinstance(index, Buffer) else "carried[syc_e]"
    hold = f"const {order.name} syc_held = {source.text};"
    move, lay = "to[syc_to] = to[syc_to - 1];", "to[syc_to] = syc_held;"
    arguments: dict[str, Any] = {**source.arguments, "to": spare[0]}
    if index is not None:
        hold += f" const {at} syc_held_at = {taken};"
        move += " places[syc_to] = places[syc_to - 1];"
        lay += " places[syc_to] = syc_held_at;"
        arguments |= {"places": spare_at[0], **({"carried": index} if isinstance(index, Buffer) else {})}
    launch(
        call, line.many * blocks,
        f"syc_sort_block(comes_before, i, sort_size, sort_blocks, {_BLOCK}, to, {hold}, {move}, {lay})",
        {**arguments, **numbers, "sort_blocks": np.int64(blocks)}, order.parts,
    )  # fmt: skip
    for k, run in enumerate(runs):
        put = "to[syc_to] = from[syc_e];"
        into = {"to": spare[(k + 1) % 2]}
        arguments = {"from": spare[k % 2]}
        if index is not None:
            put += " places[syc_to] = carried[syc_e];"
            into["places"] = spare_at[(k + 1) % 2]
            arguments["carried"] = spare_at[k % 2]
        launch(
            call, line.many * parts,
            f"syc_sort_merge(comes_before, i, sort_size, sort_parts, sort_part, sort_run, sort_run, from, {put})",
            {**arguments, **into, **numbers, **merged, "sort_run": np.int64(run)}, order.parts,
        )  # fmt: skip
    last = len(runs) % 2
    return spare[last], spare_at[last] if index is not None else None


def merged(call: Sorter, line: Lines, order: Order, source: Any, to: Any, left: int) -> None:
    """Two sorted runs of one line in memory, the first one of `left` elements, to other memory."""
    part = _part(call, line)
    parts = -(-line.size // part)
    launch(
        call, parts,
        "syc_sort_merge(comes_before, i, sort_size, sort_parts, sort_part, sort_size, sort_left, from, "
        "to[syc_to] = from[syc_e];)",
        {"from": source, "to": to, "preamble": order.preamble, "sort_size": np.int64(line.size),
         "sort_left": np.int64(left), "sort_parts": np.int64(parts), "sort_part": np.int64(part)},
    )  # fmt: skip


def _part(call: Sorter, line: Lines) -> int:
    """How many elements one work-item merges in one go: a power of two."""
    device = call._found_queue().device
    wanted = line.total // max(1, device.max_compute_units * (_PIECES if device.is_cpu else _GPU_PIECES))
    return int(min(max(1 << max(wanted, 1).bit_length() - 1, _LEAST_PART), _MOST_PART))
