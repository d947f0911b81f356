"""One call of a sort: lines along an axis, each sorted by itself; which form they take; and where results go."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from pysycl._algorithms.axes import axes_of, one_axis, steps_over
from pysycl._algorithms.body_text import Body, Elements
from pysycl._algorithms.call import Options, Pass, _recording, kept
from pysycl._algorithms.map_text import check_map
from pysycl._algorithms.operand import ARRAY, Operand, as_numbers, c_type, operand, user_type
from pysycl._algorithms.plan import tell
from pysycl._kernels.user_text import Part
from pysycl._sorts.sort_buckets import by_buckets
from pysycl._sorts.sort_host import row_for, sort_on_host
from pysycl._sorts.sort_keys import Column, as_bits, columns_of
from pysycl._sorts.sort_passes import Lines, Order, Sink, Sorter, Source, by_digits, by_merges, position_of
from pysycl._sorts.sort_rows import BUCKETS, MERGES, TILED, TILES, Row, merge_row, row_of
from pysycl._sorts.sort_tiles import by_tiled_merges, by_tiles, merging
from pysycl.errors import InvalidParameterError


class By(NamedTuple):
    """What is sorted by."""

    descending: bool = False
    text: str | None = None
    """The user's: whether the element a comes before b. None: the elements' own order."""
    segments: Any = None
    """Offsets of parts that are each sorted by themselves."""

    def memory(self, *given: Any) -> tuple[Any, ...]:
        """All that a call is given, with the offsets."""
        return given if self.segments is None else (*given, self.segments)


class Sorting(Sorter):
    """The passes of one call."""

    __slots__ = ("line", "moved", "order")

    def __init__(self, x: Operand, options: Options, result_shape: tuple[int, ...] | None = None) -> None:
        """`result_shape`: where it is not that of x."""
        one_axis(options.axis)
        if options.axis is None:
            shape: tuple[int, ...] = (prod(x.shape),)
            self.order = tuple(range(len(x.shape)))
            self.line = Lines(1, shape[0])
            x = x if x.shape else x._replace(shape=(1,), strides=(1,))
            self.order = self.order or (0,)
        else:
            if not x.shape:
                raise InvalidParameterError("axis: an array of no dimension has none; None sorts its one element")
            (axis,) = axes_of(options.axis, len(x.shape))
            shape = x.shape
            self.order = (*(d for d in range(len(shape)) if d != axis), axis)
            self.line = Lines(prod(size for d, size in enumerate(shape) if d != axis), shape[axis])
        super().__init__(x, options, shape if result_shape is None else result_shape)
        self.moved = self.last(x)

    def last(self, it: Operand) -> Operand:
        """The operand with the axis as its last dimension."""
        return it._replace(
            shape=tuple(it.shape[d] for d in self.order), strides=tuple(it.strides[d] for d in self.order)
        )

    @property
    def is_empty(self) -> bool:
        """Is there nothing to sort?"""
        return self.line.total == 0

    # -- between elements as they lie, and lines one behind the other --

    def each(self, statement: str, operands: dict[str, Operand | None], **more: Any) -> None:
        """A pass over all elements of operands of one shape. {at} is where an element stands in the lines."""
        shapes = [it.shape for it in operands.values() if it is not None]
        shape = shapes[0] if shapes else self.moved.shape
        elements = Elements({**operands, "at": None}, statement)
        key = ("sort", elements.key, shape, tuple(more))
        found = kept(key, lambda: _made(elements, shape))
        arguments = found.arguments | more
        elements.give(arguments)
        self.run(found.range, found.text, arguments)

    def loaded(self, it: Operand, bits: str, word: np.dtype[Any]) -> Any:
        """An expression of {x}, an element, for each."""
        into = self.memory(self.line.total, word)
        self.each(f"w[{{at}}] = {bits};", {"x": it}, w=into)
        return into

    def in_lines(self, it: Operand, copied: bool = False) -> Source:
        """Elements, wherever they lie, as memory of lines, and where these begin. `copied`: in new memory."""
        if not copied and it.strides == steps_over(it.shape, range(len(it.shape))):
            return Source("x[x_from + syc_e]", {"x": as_numbers(it.memory), "x_from": np.int64(it.offset)})
        into = self.memory(self.line.total, as_numbers(it.memory).dtype)
        self.each("w[{at}] = {x};", {"x": it}, w=into)
        return Source("x[syc_e]", {"x": into})

    def given(self, dtype: np.dtype[Any]) -> Any:
        """The memory for a result."""
        out = self.options.out
        if self.x.kind == ARRAY and isinstance(out, np.ndarray):
            self._out(dtype)
            if out.dtype == dtype and out.flags.c_contiguous and out.flags.aligned:
                return out
            return np.empty(self.result_shape, dtype)
        return self.result(dtype)

    def handed(self, result: Any) -> Any:
        """What the call returns."""
        self.told()
        return result if result is self.options.out and self.x.kind == ARRAY else self.give(result)

    def told(self) -> None:
        """Behind the last pass: tells a plan of the rows that were taken."""
        spared = self.spared()
        if self.words:
            tell("\n".join(dict.fromkeys(self.words)), spared)

    def seen(self, result: Any) -> Operand:
        """A result's memory as an operand of lines."""
        it = operand(result, "out")
        if self.options.axis is None:
            return it._replace(
                shape=self.moved.shape, strides=steps_over(self.moved.shape, range(len(self.moved.shape)))
            )
        return self.last(it)

    @property
    def is_in_order(self) -> bool:
        """Do the result's lines lie one behind the other?"""
        return self.order == tuple(range(len(self.order)))

    # -- sorts --

    def keys_into(self, result: Any, by: By) -> None:
        """The sorted keys themselves, of real numbers: their words are put in order, and made keys again."""
        (column,) = columns_of(self.x.dtype, "x")
        bits = as_bits(self.moved)
        source = self.words_of(bits, column, column.exact(by.descending), self.options.out is not None)
        again = column.again(by.descending)
        row = self.row(self.line, column.word.itemsize, None)
        if row is MERGES:
            lines, _ = by_merges(self, self.line, words_order(column), source, None)
            self.spread(result, lines, again)
            return
        into = as_bits(operand(result, "out")).memory if self.is_in_order else self.memory(self.line.total, column.word)
        self.put_in_order(row, self.line, column, source, None, Sink(f"y[syc_to] = {again};", {"y": into}))
        if not self.is_in_order:
            self.spread(result, into, "syc_word")

    def _tiled(self, by: By, moved: int) -> Column | None:
        """The column of numbers that tiles put in order, with so many bytes beside each, and right into the result."""
        if self.x.dtype.kind not in "biuf" or by.text is not None or by.segments is not None or not self.is_in_order:
            return None
        (column,) = columns_of(self.x.dtype, "x")
        device = self._found_queue().device
        return column if row_of(self.line, column.word.itemsize + moved, self.line.position, device) is TILES else None

    def positions_into(self, result: Any, by: By) -> bool:
        """The positions in order, if their last pass can put them where they belong."""
        column = self._tiled(by, self.line.position.itemsize)
        if column is None:
            return False
        source = self.words_of(as_bits(self.moved), column, column.tied(by.descending), False)
        sink = Sink("y[syc_to] = (long){index};", {"y": operand(result, "out").memory})
        self.put_in_order(self.takes(TILES), self.line, column, source, "own", sink)
        return True

    def keys_with(self, values: Operand, results: tuple[Any, Any], by: By) -> Any:
        """Whole numbers in order, in their result; and in the other one values of 32 bits that lie in lines, which is what is
        returned then, or else memory of the positions. None: they are to be gathered, too."""
        word = self.line.position
        column = None if self.x.dtype.kind == "f" else self._tiled(by, word.itemsize)
        if column is None:
            return None
        source = self.words_of(as_bits(self.moved), column, column.tied(by.descending), False)
        index: Any = "own"
        found = into = None
        in_lines = values.offset == 0 and values.strides == steps_over(values.shape, range(len(values.shape)))
        if in_lines and values.dtype.kind in "biuf" and values.dtype.itemsize == word.itemsize:
            index, found = as_bits(values).memory, results[1]
            into = as_bits(operand(found, "out")).memory
        if found is None:
            found = into = self.memory(self.line.total, word)
        put = f"y[syc_to] = {column.again(by.descending)};"
        keys = as_bits(operand(results[0], "out")).memory
        sink = Sink(put, {"y": keys, "z": into}, "z[syc_to] = {index};")
        self.put_in_order(self.takes(TILES), self.line, column, source, index, sink)
        return found

    def words_of(self, bits: Operand, column: Column, text: str, copied: bool) -> Source:
        """The words of a column: of the elements themselves where they lie in lines, and are not written over meanwhile."""
        dense = bits.strides == steps_over(bits.shape, range(len(bits.shape))) and column.bits == "{x}"
        if dense and not (copied and column.digits == 1):
            source = self.in_lines(bits)
            return source._replace(text=text.replace("{x}", source.text))
        return Source("w[syc_e]", {"w": self.loaded(bits, text, column.word)})

    def spread(self, result: Any, lines: Any, text: str, whole: Lines | None = None) -> None:
        """Words in lines to where the result has them, by an expression of syc_word. `whole`: the lines, where they are
        not those of x."""
        value = text.replace("syc_word", "w[{at}]")
        seen = as_bits(self.seen(result) if whole is None else operand(result, "out"))
        self.each(f"y[{{y.at}}] = {value};", {"y": seen}, w=lines)

    def put_words(self, it: Operand, text: str, into: Any, begin: int) -> None:
        """The words of elements, to memory from an element on."""
        self.each(f"w[w_from + {{at}}] = {text};", {"x": it}, w=into, w_from=np.int64(begin))

    def ordered(self, it: Operand, by: By, found: Any = None) -> Any:
        """The positions of elements in their lines, in order: memory of lines. `found`: the positions so far, of which
        those of equal elements keep their order."""
        moved = self.last(it)
        if by.text is not None:
            return self._by_text(moved, by.text, "own")[1]
        numbers = moved if it.dtype.names is not None or it.dtype.kind == "c" else as_bits(moved)
        for column in columns_of(it.dtype, "x"):
            found = self.column(numbers, column, by.descending, found)
        return found if by.segments is None else self._by_segment(by.segments, found)

    def by_text_into(self, result: Any, text: str) -> None:
        """The elements themselves, by the user's text."""
        found, _ = self._by_text(self.moved, text, None)
        half = self.x.dtype.str[1:] == "f2"
        self.each("y[{y.at}] = w[{at}];", {"y": as_bits(self.seen(result)) if half else self.seen(result)}, w=found)

    def _by_text(self, moved: Operand, text: str, index: Any) -> tuple[Any, Any]:
        """Memory of the elements, and of their positions or None, merged by the user's text."""
        source = self.in_lines(moved if moved.dtype.str[1:] != "f2" else as_bits(moved))
        order, device = order_by(moved.dtype, source.arguments["x"].dtype, text), self._found_queue().device
        tile = merging(device, order.element)
        if self.takes(merge_row(self.line, tile is not None, device)) is TILED and tile is not None:
            return by_tiled_merges(self, self.line, tile, order, source, index)
        return by_merges(self, self.line, order, source, index)

    def _by_segment(self, offsets: Operand, found: Any) -> Any:
        """The same, by the segments that elements are in: how many offsets are not beyond them."""
        into = self.memory(self.line.total, np.dtype(np.uint32))
        numbers = {"offset_from": offsets.offset, "offset_step": offsets.strides[0], "segments": offsets.shape[0]}
        self.each(
            "long low = 0, high = segments; while (low < high) {{ const long middle = (low + high) / 2; "
            "if ((long)offsets[offset_from + middle * offset_step] <= {at}) low = middle + 1; else high = middle; }} "
            "w[{at}] = (uint)low;",
            {}, w=into, offsets=offsets.memory, **{name: np.int64(value) for name, value in numbers.items()},
        )  # fmt: skip
        digits = max(1, (offsets.shape[0].bit_length() + 7) // 8)
        column = Column(np.dtype(np.uint32), "w[syc_e]", "u", digits)
        return self._column(Source("w[syc_e]", {"w": into}), column, found)

    def column(self, it: Operand, column: Column, descending: bool, found: Any) -> Any:
        """The positions, when they are sorted by one more word."""
        return self._column(self.words_of(it, column, column.tied(descending), False), column, found)

    def _column(self, source: Source, column: Column, found: Any) -> Any:
        index: Any = "own"
        if found is not None:
            index = found
            at = "found[syc_e]" if self.line.many == 1 else "(syc_e / (ulong)sort_size * sort_size + found[syc_e])"
            source = Source(source.text.replace("syc_e", at), {**source.arguments, "found": found})
        return self.places_by(self.line, column, source, index)

    def places_by(self, line: Lines, column: Column, source: Source, index: Any) -> Any:
        """The positions that words come with, or their own, when the words of lines are sorted."""
        row = self.row(line, column.word.itemsize + position_of(line, index).itemsize, index)
        if row is MERGES:
            return by_merges(self, line, words_order(column), source, index)[1]
        into = self.memory(line.total, self.line.position)
        self.put_in_order(row, line, column, source, index, Sink("y[syc_to] = {index};", {"y": into}))
        return into

    def row(self, line: Lines, moved: int, index: Any) -> Row:
        """The row for the words of lines, with which so many bytes are moved; a plan is told of it."""
        found: Row = self.takes(row_of(line, moved, position_of(line, index), self._found_queue().device))
        return found

    def put_in_order(
        self, row: Row, line: Lines, column: Column, source: Source, index: Any, sink: Sink
    ) -> None:  # fmt: skip
        """The words of lines, by digits or by buckets."""
        if row is BUCKETS:
            by_buckets(self, line, column.word, source, index, sink)
        else:
            passes = by_tiles if row is TILES else by_digits
            passes(self, line, column.word, column.digits, source, index, sink)

    def taken(self, it: Operand, found: Any, result: Any) -> None:
        """The elements at positions in their lines."""
        plain = it.dtype.kind in "biuf"
        source = self.in_lines(self.last(as_bits(it) if plain else it), self.options.out is not None)
        at = "({at}) / sort_size * sort_size + found[{at}]" if self.line.many > 1 else "found[{at}]"
        value = source.text.replace("syc_e", at)
        seen = self.seen(result)
        seen = as_bits(seen) if plain else seen
        self.each(
            f"y[{{y.at}}] = {value};", {"y": seen}, found=found, **source.arguments,
            **({"sort_size": np.int64(self.line.size)} if self.line.many > 1 else {}),
        )  # fmt: skip

    def on_host(self, by: By, positions: bool) -> Any:
        """The result, if the calling thread makes it: the elements in order, or their positions. None: a device does."""
        if by.text is not None or by.segments is not None:
            return None
        row = row_for(self.x, self.options.queue, by.descending, positions)
        if row is None:
            return None
        self.takes(row)
        if _recording.passes is not None:  # nothing runs, and memory that nobody touches is none
            return np.zeros(self.x.shape, np.int64 if positions else self.x.dtype)
        axis = self.options.axis if self.options.axis is None else self.order[-1]
        return sort_on_host(row, self.x, axis, by.descending, positions)

    def put_positions(self, found: Any, result: Any) -> None:
        """Positions in lines to where the result has them."""
        self.each("y[{y.at}] = (long)found[{at}];", {"y": self.seen(result)}, found=found)


def order_by(dtype: np.dtype[Any], element: np.dtype[Any], text: str) -> Order:
    """The order of the user's text: an expression of the elements a and b."""
    check_map(text, "by")
    own = user_type(dtype) or "to_t"
    name, parts = own, (Part("preamble", 2, "by", text, "a and b", "to_t x_t"),)
    given, made = "const {0} a, const {0} b", ""
    if dtype.kind == "c":
        name = c_type(dtype)
        given, made = "const {0} p, const {0} q", "const {1} a = {1}(p.x, p.y), b = {1}(q.x, q.y); "
    elif dtype.str[1:] == "f2":
        name = "ushort"
        given = "const {0} p, const {0} q"
        made = "const float a = vload_half(0, (const half *)&p), b = vload_half(0, (const half *)&q); "
    begin = f"static inline bool comes_before({given}) {{{{ {made}return (".format(name, own)
    return Order(f"{begin}\n{text}\n) ? 1 : 0; }}", element, name, parts)


def words_order(column: Column) -> Order:
    """The order of words."""
    return Order("#define comes_before(a, b) ((a) < (b))", column.word, column.c_type)


def bits_order(column: Column) -> Order:
    """The order of bits as they are: those of equal keys need not be the same."""
    word = f"syc_sort_tied_{column.kind}"
    return Order(f"#define comes_before(a, b) ({word}(a) < {word}(b))", column.word, column.c_type)


def _made(elements: Elements, shape: tuple[int, ...]) -> Pass:
    body = Body(elements, shape, tuple(range(len(shape))))
    return Pass(body.layout.sizes, body.text, body.arguments, [])
