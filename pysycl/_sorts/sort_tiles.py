"""A sort's passes by digits on devices with warps: a group ranks a tile of words in its local memory, so that they leave it
in runs (kernels/device/sort_tiles.clh). Groups wait for others within a bound, and do without them behind it."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np

from pysycl._kernels.user_text import MadeText, Part
from pysycl._sorts.sort_keys import unsigned
from pysycl._sorts.sort_passes import Lines, Order, Sink, Sorter, Source, place_of
from pysycl.local import local
from pysycl.ranges import NdRange


class Tile(NamedTuple):
    """The work-items of a group, and the words of each."""

    items: int
    rows: int

    @property
    def length(self) -> int:
        """The words of a tile."""
        return self.items * self.rows


class Shape(NamedTuple):
    """Up to how many elements, and up to how many bytes an element has between two passes, a tile is right; and for lines that
    fit in one."""

    most: float
    bytes: int
    tile: Tile


# The first that fits. Few warps with many words win, as far as local memory reaches; for few elements small tiles, so that
# all units have some. Measured on an NVIDIA H100 beside other tiles: 2^28 words of 4 bytes 1.2 times as long with (256, 24).
_SHAPES: Final = (
    Shape(2**18, 4, Tile(256, 8)),
    Shape(2**21, 4, Tile(256, 24)),
    Shape(2**25, 4, Tile(384, 22)),
    Shape(float("inf"), 4, Tile(256, 36)),
    Shape(2**18, 8, Tile(256, 8)),
    Shape(float("inf"), 8, Tile(256, 18)),
)
# Of a CPU, whose groups are loops: for tests.
_LOOPED: Final = Tile(4, 5)
# Groups that count, for each compute unit, their work-items, and the local memory that their counts may have.
_COUNTERS: Final = 4
_COUNTING: Final = 512
_COUNTED_BYTES: Final = 32768
_PLACE_BYTES: Final = 4
# Parts of a line whose counts a tile adds up: of more chunks the counts are added up by atomics, behind a fill.
_PARTS: Final = 32
# The tickets' memory, in marks.
_TICKETS: Final = 4
# How often an item looks for what another group is to leave, before it counts that by itself.
_POLLS: Final = 1 << 14


def _tile(device: Any, line: Lines, word: np.dtype[Any], index: Any) -> Tile:
    if device.is_cpu:
        return _LOOPED
    wide = word.itemsize if index is None else max(word.itemsize, _PLACE_BYTES)
    return next(
        tile for most, bytes, tile in _SHAPES if wide <= bytes and (line.total <= most or line.size <= tile.length)
    )


def by_tiles(
    call: Sorter, line: Lines, word: np.dtype[Any], digits: int, source: Source, index: Any, sink: Sink
) -> None:  # fmt: skip
    """Sorts words by their lowest bytes. For the parameters see by_digits. Positions are of uint32, and so is whatever else
    words come with."""
    place_type = np.dtype(np.uint32)
    device = call._found_queue().device
    tile = _tile(device, line, word, index)
    lanes = 1 if device.is_cpu else 32
    own = unsigned(word.itemsize)
    tiles = -(-line.size // tile.length)
    chunks = _chunks(device, line)
    parts = chunks if chunks <= _PARTS else 1
    marks = call.memory(line.many * (tiles * 256 + parts * digits * 128) + _TICKETS, np.dtype(np.uint64))
    if parts != chunks:
        call.fill(marks, 0)
    numbers: dict[str, Any] = {"sort_size": np.int64(line.size), "sort_tiles": np.int64(tiles), "marks": marks}
    _count(call, line, own, digits, source, (chunks, parts), numbers)
    most = 1
    if parts > 1:
        most, numbers["sort_parts"] = _PARTS, np.uint32(parts)
    words = [call.memory(line.total, word) for _ in range(min(digits - 1, 2))]
    places = [call.memory(line.total, place_type) for _ in words] if index is not None else []
    carried = None if isinstance(index, str) else index
    memory = {
        "room": local(tile.length, word if index is None or word.itemsize > _PLACE_BYTES else place_type),
        "counted": local(tile.items // lanes * 256, np.uint32), "known": local(514 + tile.items // lanes, np.uint32),
        "sort_lines": np.int64(line.many),
    }  # fmt: skip
    for digit in range(digits):
        numbers["sort_pass"] = np.uint32(digit)
        put, lay, into = "words[syc_to] = syc_word;", "places[syc_to] = syc_at;", {}
        if digit + 1 < digits:
            into = {"words": words[digit % 2], **({"places": places[digit % 2]} if places else {})}
        elif "{index}" in sink.text:
            put, lay, into = "", sink.text.replace("{index}", "syc_at"), sink.arguments
        else:
            put, lay, into = sink.text, sink.lay.replace("{index}", "syc_at"), sink.arguments
        shape = (
            f"sort_size, sort_tiles, sort_lines, {tile.items}u, {tile.rows}u, {most}u, "
            f"{'sort_parts' if most > 1 else '1u'}, {digits}u, sort_pass, {_POLLS}u, marks, room, counted, known"
        )
        if index is None:
            text = f"syc_tile_put({own}, {source.text}, {shape}, {put})"
        else:
            place = "carried[syc_e]" if carried is not None else f"(uint)({place_of(line)})"
            text = f"syc_tile_put_both({own}, {source.text}, {place}, {shape}, {put}, {lay})"
        more = {} if carried is None else {"carried": carried}
        group_launch(
            call, line.many * tiles, tile.items, text, {**source.arguments, **numbers, **memory, **more, **into}
        )  # fmt: skip
        if digit + 1 < digits:
            source = Source("from[syc_e]", {"from": words[digit % 2]})
            carried = places[digit % 2] if places else None


def _items(device: Any) -> int:
    """The items of a group that counts."""
    return 4 if device.is_cpu else min(_COUNTING, device.max_work_group_size)


def _chunks(device: Any, line: Lines) -> int:
    """How many groups count a line."""
    wanted = device.max_compute_units * _COUNTERS // line.many
    return max(1, min(int(wanted), line.size // (_items(device) * 16)))


def _count(
    call: Sorter, line: Lines, own: str, digits: int, source: Source, chunks: tuple[int, int], numbers: dict[str, Any]
) -> None:  # fmt: skip
    """How many words of each line, in chunks and parts, have which digit, in all passes."""
    items, copies = _items(call._found_queue().device), _COUNTED_BYTES // (digits * 1024)
    group_launch(
        call, line.many * chunks[0], items,
        f"syc_tile_count({own}, {source.text}, sort_size, sort_chunks, sort_parts, {items}u, {digits}u, {copies}u, sort_all, "
        "marks, counted)",
        {
            **source.arguments, "sort_size": numbers["sort_size"], "marks": numbers["marks"],
            "sort_chunks": np.int64(chunks[0]), "sort_parts": np.uint32(chunks[1]),
            "sort_all": np.int64(line.many * int(numbers["sort_tiles"])),
            "counted": local(digits * 256 * copies, np.uint32),
        },
    )  # fmt: skip


@functools.lru_cache(1000)
def _range(groups: int, items: int) -> NdRange:
    return NdRange((groups * items,), (items,))


def group_launch(
    call: Sorter, groups: int, items: int, text: str, arguments: dict[str, Any], parts: tuple[Part, ...] = ()
) -> None:  # fmt: skip
    """One launch of so many groups."""
    call.run(_range(groups, items), MadeText(text, parts), arguments)


# -- by merges --

# The items of a group, the elements of each at most, and the bytes of a tile in local memory.
_MERGING: Final = 256, 8, 32768
_LOOPED_MERGING: Final = 4, 2, 4096
# Groups that look whether the order was one, where there are more tiles than one, for each compute unit.
_LOOKERS: Final = 4


def merging(device: Any, element: np.dtype[Any]) -> Tile | None:
    """The tile for elements of a type, with positions of 32 bits. None: not one for each item fits."""
    items, rows, room = _LOOPED_MERGING if device.is_cpu else _MERGING
    while rows > 0 and items * rows * (element.itemsize + 6) > room:
        rows //= 2
    return Tile(items, rows) if rows else None


def by_tiled_merges(call: Sorter, line: Lines, tile: Tile, order: Order, source: Source, index: Any) -> tuple[Any, Any]:
    """Sorts elements; see by_merges. Positions are of uint32, and those that elements come with are their own or none."""
    short, length = np.dtype(np.uint32), tile.length
    tiles, device = -(-line.size // length), call._found_queue().device
    spare = [call.memory(line.total, order.element) for _ in range(1 if tiles == 1 else 2)]
    spare_at = [call.memory(line.total, short) for _ in spare] if index is not None else []
    odd = call.memory(line.many * tiles, short)
    named = {"preamble": order.preamble, "odd": odd, "sort_size": np.int64(line.size)}
    room = {
        "room": local(length, order.element), "order": local(length, np.uint16), "parts": local(max(tile.items, 2), short),
        **({"room_at": local(length, short)} if spare_at else {}),
    }  # fmt: skip
    put = "to[syc_to] = room[syc_s];" + (" places[syc_to] = room_at[syc_s];" if spare_at else "")
    own = f"(uint)({place_of(line)})"

    def step(text: str, fetch: str, to: int, more: dict[str, Any]) -> None:
        into = {"to": spare[to], **({"places": spare_at[to]} if spare_at else {})}
        arguments = {**named, **room, **more, **into, "sort_tiles": np.int64(tiles)}
        shape = f"{tile.items}u, {tile.rows}u, room, order, parts, (odd + get_group_id(0))"
        text = f"{text.replace('shape', shape)} {fetch}, {put})" + again
        group_launch(call, line.many * tiles, tile.items, text, arguments, order.parts)

    first = f"to[syc_e] = {source.text};" + (f" places[syc_e] = {own};" if spare_at else "")
    here = "(odd + get_group_id(0)), 1, parts, get_group_id(0) * sort_size, (get_group_id(0) + 1) * sort_size"
    again = f" syc_tiled_again({here}, {tile.items}u, {tile.items}u, {first})" if tiles == 1 else ""
    fetch = f"room[syc_s] = {source.text};" + (f" room_at[syc_s] = {own};" if spare_at else "")
    step("syc_tiled_block(comes_before, sort_size, sort_tiles, shape,", fetch, 0, source.arguments)
    fetch = "room[syc_s] = from[syc_e];" + (" room_at[syc_s] = carried[syc_e];" if spare_at else "")
    run, at = length, 0
    while run < line.size:
        more = {"from": spare[at], **({"carried": spare_at[at]} if spare_at else {}), "sort_run": np.int64(run)}
        at = 1 - at
        step("syc_tiled_merge(comes_before, sort_size, sort_tiles, sort_run, shape, from,", fetch, at, more)
        run *= 2
    if tiles > 1:
        groups = device.max_compute_units * _LOOKERS
        group_launch(
            call, groups, tile.items,
            f"syc_tiled_again(odd, sort_odd, found, get_group_id(0) * {tile.items}u, sort_all, {tile.items}u, "
            f"get_global_size(0), {first})",
            {"odd": odd, "found": local(1, short), "to": spare[at], **({"places": spare_at[at]} if spare_at else {}),
             **source.arguments, **({"sort_size": named["sort_size"]} if spare_at and line.many > 1 else {}),
             "sort_odd": np.int64(line.many * tiles), "sort_all": np.int64(line.total)},
        )  # fmt: skip
    return spare[at], spare_at[at] if spare_at else None
