"""Elements of lines by their places in order, without sorting the others (kernels/device/sort_select.clh)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.operand import operand
from pysycl._sorts.sort_keys import Column, as_bits, columns_of
from pysycl._sorts.sort_line import Sorting
from pysycl._sorts.sort_passes import Lines, Source, launch, one_pass, pieces_of, place_of
from pysycl._sorts.sort_tiles import group_launch
from pysycl.buffer import Buffer
from pysycl.local import local
from pysycl.operators import plus
from pysycl.reductions import _into_array

if TYPE_CHECKING:
    pass

# Words that an item's list has room for beyond those that it keeps.
_LEAST_ROOM: Final = 2048
# Pieces of a line for each compute unit: each begins without a threshold.
_PIECES: Final = 2


# -- at places --


def words_at(call: Sorting, column: Column, source: Source, places: tuple[int, ...]) -> Buffer:
    """The words at places of each line in order: so many for each line, one behind the other."""
    line, word, many = call.line, column.word, len(places)
    prefix = Buffer(np.zeros(line.many * many, word), copy=True)
    left = Buffer(np.tile(np.array(places, np.uint64), line.many), copy=True)
    counting = np.dtype(np.uint32 if line.total < 2**32 else np.int64)
    numbers = {"sort_size": np.int64(line.size)} if line.many > 1 else {}
    head = "(ulong)i / (ulong)sort_size" if line.many > 1 else "0"
    text = (
        f"const ulong syc_line = {head}; const {column.c_type} syc_word = {source.text.replace('syc_e', '(ulong)i')};"
    )
    for shift in range(8 * (column.digits - 1), -1, -8):
        first = shift == 8 * (column.digits - 1)
        counts = call.memory(line.many * (1 if first else many) * 256, counting)
        digit = f"((uint)(syc_word >> {shift}) & 255u)"
        if first:
            added = f" counts[syc_line * 256 + {digit}]++;"
        else:
            added = "".join(
                f" if (((syc_word ^ prefix[syc_line * {many} + {k}]) >> {shift + 8}) == 0)"
                f" counts[(syc_line * {many} + {k}) * 256 + {digit}]++;"
                for k in range(many)
            )
        call.run(
            line.total, text + added,
            {**source.arguments, **numbers, **({} if first else {"prefix": prefix}),
             "counts": _into_array(counts, plus, None, "fast", "any")},
        )  # fmt: skip
        launch(
            call, line.many * many,
            f"syc_select_digit({column.c_type}, i, counts, {f'i / {many}' if first else 'i'}, {shift}, prefix, left)",
            {"counts": counts, "prefix": prefix, "left": left},
        )  # fmt: skip
    return prefix


def parted(
    call: Sorting, column: Column, source: Source, places: tuple[int, ...], put: str, arguments: dict[str, Any]
) -> None:  # fmt: skip
    """Puts words so that those at ascending places are where they are in order, smaller ones before them."""
    many = len(places)
    pivots = words_at(call, column, source, places)
    each = (f"pivots[syc_line * {many} + {k}]" for k in range(many))
    digit = " + ".join(f"(uint)(syc_word > {one}) + (uint)(syc_word >= {one})" for one in each)
    one_pass(call, call.line, column.word, 2 * many + 1, source, f"({digit})", put, {**arguments, "pivots": pivots})


def part_into(call: Sorting, result: Any, places: tuple[int, ...]) -> None:
    """The elements of real numbers, parted at places."""
    (column,) = columns_of(call.x.dtype, "x")
    bits, text = as_bits(call.moved), column.exact(False)
    if call.options.out is None:
        source = call.words_of(bits, column, text, False)
    else:
        source = Source("w[syc_e]", {"w": call.loaded(bits, text, column.word)})
    into = as_bits(operand(result, "out")).memory if call.is_in_order else call.memory(call.line.total, column.word)
    parted(call, column, source, places, f"y[syc_to] = {column.again(False)};", {"y": into})
    if not call.is_in_order:
        call.spread(result, into, "syc_word")


def elements_at(call: Sorting, places: tuple[int, ...]) -> Any:
    """The elements of real numbers at places of each line in order, as an array of two dimensions."""
    (column,) = columns_of(call.x.dtype, "x")
    bits = as_bits(call.moved)
    found = words_at(call, column, call.words_of(bits, column, column.exact(False), False), places)
    into = np.empty((call.line.many, len(places)), call.x.dtype)
    again = column.again(False).replace("syc_word", "w[i]")
    call.run(into.size, f"y[i] = {again};", {"w": found, "y": into.reshape(-1).view(column.word)})
    return into


# -- the first --


def first_by_digits(call: Sorting, column: Column, source: Source, k: int) -> tuple[Buffer, Buffer]:
    """The k least words of each line, in the order in which they lie, and where: memory of k for each line. Below the word
    at the place k - 1 and, if there is room, equal to it."""
    words, places = _room(call, column, call.line.many * k)
    put = (
        "if (syc_to - syc_head < (ulong)select_first) { "
        "const ulong syc_at = syc_line * (ulong)select_first + syc_to - syc_head; "
        "words[syc_at] = syc_word; places[syc_at] = syc_e - syc_head; }"
    )
    parted(call, column, source, (k - 1,), put, {"words": words, "places": places, "select_first": np.int64(k)})
    return words, places


def first_by_threshold(call: Sorting, column: Column, source: Source, k: int) -> tuple[Buffer, Buffer, int]:
    """The k least words of each piece of each line, in the order in which they lie, and where; and how many pieces."""
    line = call.line
    pieces = max(1, min(pieces_of(call, line), line.size // (8 * k), _pieces(call, line)))
    words, places = _room(call, column, line.many * pieces * k)
    room = k + max(_LEAST_ROOM, 15 * k)
    ulong = np.dtype(np.uint64)
    lists = call.memory(line.many * pieces * room, column.word), call.memory(line.many * pieces * room, ulong)
    launch(
        call, line.many * pieces,
        f"syc_select_least({column.c_type}, {source.text}, i, sort_size, sort_pieces, select_first, select_room, "
        "lists, lists_at, words[syc_to] = syc_word; places[syc_to] = syc_place;)",
        {**source.arguments, "sort_size": np.int64(line.size), "sort_pieces": np.int64(pieces),
         "select_first": np.int64(k), "select_room": np.int64(room), "lists": lists[0], "lists_at": lists[1],
         "words": words, "places": places},
    )  # fmt: skip
    return words, places, pieces


def _pieces(call: Sorting, line: Lines) -> int:
    units = int(call._found_queue().device.max_compute_units)
    return -(-units * _PIECES // line.many)


# Of groups: the work-items, the words in local memory, of which they keep a half at most, and the words of an item in a step;
# on a CPU, whose groups are loops, for tests. And how many words one group goes over alone.
_TOP: Final = 256, 2048, 8
_LOOPED_TOP: Final = 4, 128, 8
_ALONE: Final = 1 << 15
_GROUPS: Final = 4  # for each compute unit


def most_by_groups(is_cpu: bool) -> int:
    """How many words of each line groups find at most."""
    return (_LOOPED_TOP if is_cpu else _TOP)[1] // 2


def first_by_groups(call: Sorting, column: Column, source: Source, k: int, put: str, arguments: dict[str, Any]) -> None:
    """The k least words of each line in order: `put` knows syc_word, syc_line, syc_place in the line, and syc_to, from 0 to k
    for each line. By groups, of each piece of a line, then of what these have left, until one group is left for a line."""
    line, device, short = call.line, call._found_queue().device, np.dtype(np.uint32)
    items, length, rows = _LOOPED_TOP if device.is_cpu else _TOP
    rows = min(rows, (length - k) // items)
    memory = {
        "room": local(length, column.word), "room_at": local(length, short), "known": local(1, short),
        "select_first": short.type(k),
    }  # fmt: skip
    size, place = line.size, f"(uint)({place_of(line)})"
    while True:
        most = device.max_compute_units * _GROUPS // line.many
        pieces = 1 if size <= (length if device.is_cpu else _ALONE) else max(1, min(most, size // (2 * items * rows)))
        if pieces > 1:
            words, places = call.memory(line.many * pieces * k, column.word), call.memory(line.many * pieces * k, short)
            keep, into = "words[syc_to] = syc_word; places[syc_to] = syc_place;", {"words": words, "places": places}
        else:
            keep, into = put, arguments
        group_launch(
            call, line.many * pieces, items,
            f"syc_top_least({column.c_type}, {source.text}, {place}, sort_size, sort_pieces, select_first, {items}u, {rows}u, "
            f"{length}u, room, room_at, known, {keep})",
            {**source.arguments, **memory, "sort_size": np.int64(size), "sort_pieces": np.int64(pieces), **into},
        )  # fmt: skip
        if pieces == 1:
            return
        size, place = pieces * k, "carried[syc_e]"
        source = Source("kept[syc_e]", {"kept": words, "carried": places})


def _room(call: Sorting, column: Column, size: int) -> tuple[Buffer, Buffer]:
    return call.memory(size, column.word), call.memory(size, call.line.position)
