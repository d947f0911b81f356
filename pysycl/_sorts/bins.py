"""One pass that adds elements into an array of variables, and where an element goes among sorted edges."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl._algorithms.body_text import Body, Elements, stored
from pysycl._algorithms.call import Call, Options, Pass, kept
from pysycl._algorithms.kinds import cast
from pysycl._algorithms.operand import ARRAY, USM, Operand, array_of, as_numbers, c_type, operand
from pysycl._algorithms.spare import watch
from pysycl._reductions.reduce_calls import minmax
from pysycl._sorts.sort_rows import TABLES
from pysycl._sorts.sort_team import ORDERS, UP_TO, is_for_team, searched_on_host, told
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus
from pysycl.reductions import _into_array

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array

# Elements that say where most of an array's are.
_SAMPLE: Final = 1024
# Elements whose places among uneven edges are looked up before they are counted.
_BLOCK: Final = 1 << 16
# Positions that are farther from their edges' numbers say nothing. Below it, differences are exact.
_SURE: Final = 0.25
# Variables that one command makes elements of another type: so few always; as many as elements up to so many.
_FEW_GIVEN: Final = 1 << 12
_MOST_GIVEN: Final = 1 << 16
# More edges than that are counted by 64 bits.
_MOST_INTS: Final = 2**30


class Binned(Call):
    """A call that adds its elements into variables, r."""

    __slots__ = ()

    def __init__(self, x: Operand, options: Options) -> None:
        super().__init__(x, options, ())

    @property
    def count(self) -> int:
        """How many elements there are."""
        return prod(self.x.shape)

    @property
    def counting(self) -> np.dtype[Any]:
        """The type in which they are counted: narrow variables are added to faster."""
        return np.dtype(np.uint32 if self.count < 2**32 else np.int64)

    def put(self, array: Array) -> Any:
        """An array of the call's own, to be read by a pass."""
        if self.x.kind == ARRAY:
            return array
        memory = Buffer(array, copy=True)
        if watch.commands is not None:
            watch.constants.append(memory)
        return memory

    def added(
        self, statement: str, dtype: np.dtype[Any], length: int, operands: dict[str, Operand | None], op: Any = plus,
        identity: Any = None, result: Any = None, **numbers: Any,
    ) -> Any:  # fmt: skip
        """The variables, by a statement that adds to r[k], or combines with it by another operator. `result`: of what type
        elements are made of them, by as_type, unless the same command does so: of memory, where all work-items or the
        last group have the variables."""
        wanted = dtype if result is None or self.x.kind == ARRAY else result
        same = wanted == dtype or (self._gives(wanted) and length <= max(_FEW_GIVEN, min(self.count, _MOST_GIVEN)))
        passing = self.x.kind == USM and not same
        memory = self.memory(length, dtype) if passing else self.like((length,), wanted if same else dtype)
        if self.count == 0:
            self.fill(memory, np.zeros((), memory.dtype)[()])
            return memory
        elements = Elements(operands, statement)
        shape = self.x.shape or (1,)
        key = ("bins", elements.key, shape, tuple(numbers))
        found = kept(key, lambda: _body(elements, shape))
        arguments = {**found.arguments, **numbers}
        elements.give(arguments)
        arguments["r"] = _into_array(memory, op, identity, self.options.accuracy, self.options.determinism, dtype)
        self.run(found.range, found.text, arguments)
        return memory

    @staticmethod
    def _gives(dtype: np.dtype[Any]) -> bool:
        """Is an assignment of OpenCL C all that makes a number one of the type?"""
        return dtype.kind in "iuf" and dtype.itemsize >= 4

    def as_type(self, memory: Any, dtype: np.dtype[Any]) -> Any:
        """The variables as elements of a type."""
        if self.x.kind == ARRAY:
            return memory.astype(dtype, copy=False)
        if memory.dtype == dtype:
            return memory
        into = self.like(memory.shape, dtype)
        self.run(memory.size, stored("y", "i", cast("r[i]", memory.dtype, dtype), dtype), {"r": memory, "y": into})
        self.spared()
        return into


def is_by_team(call: Binned, acc: np.dtype[Any]) -> bool:
    """Do the calling thread and its team count elements, or add them as numbers of a type?"""
    rounds = acc.kind == "f" and (acc.itemsize < 8 or call.options.accuracy != "fast")
    return not rounds and is_for_team(TABLES, call.x, call.options.queue)


def added_by_team(
    keys: Array, bins: int, weights: Operand | None = None, low: int = 0, edges: Array | None = None, scale: float = 0,
    counts: Array | None = None,
) -> Array:  # fmt: skip
    """How many keys there are in each bin, or the sums of their weights, in 64 bits. Integers are in the bin that they are
    more than `low`; floating-point numbers between edges of their type, `scale` bins in a unit. `counts`: int64, where those
    whose weights are added are counted, too."""
    keys = np.ascontiguousarray(keys)
    to = np.empty(bins, np.int64)
    added = None
    if weights is not None:
        added = np.ascontiguousarray(array_of(weights))
        added = added.astype(np.float32) if added.dtype.str[1:] == "f2" else added
        to = to.view(np.float64) if added.dtype.kind == "f" else to.view(np.uint64) if added.dtype.kind == "u" else to
    if bins:
        width, order = (0, 0) if added is None else (added.itemsize, ORDERS[added.dtype.kind])
        _core.host_bins(
            keys,
            to,
            edges,
            added,
            counts,
            bins,
            keys.itemsize,
            ORDERS[keys.dtype.kind],
            low % 2**64,
            scale,
            width,
            order,
        )
    told(TABLES)
    return to


def is_added_by_team(call: Binned, weights: Operand, acc: np.dtype[Any]) -> bool:
    """Do they add weights of elements that are integers, as numbers of a type?"""
    kind = "f8" if weights.dtype.kind == "f" else "u8" if weights.dtype.kind == "u" else "i8"
    return call.x.dtype.kind in "iu" and weights.dtype.kind in "biuf" and acc == kind and is_by_team(call, acc)


class Valued(NamedTuple):
    """How often there is each value of a range of integers, and the sums of their weights."""

    low: int
    counts: Array
    sums: Array | None

    def keys(self, at: Array, dtype: np.dtype[Any]) -> Array:
        """The values at places among the counts."""
        return (at.astype(np.uint64) + np.uint64(self.low % 2**64)).astype(dtype)


def by_values(call: Binned, most: int, each: float, weights: Operand | None = None) -> Valued | None:
    """The counts of an array's values, if they are integers of few values: at most `most`, and so many for each element. A
    sample says where they may be; where one is elsewhere, they are looked at once more. With weights also their sums."""
    if call.x.dtype.kind not in "iu" or not call.count or not is_by_team(call, call.counting):
        return None
    keys = array_of(call.x).reshape(-1)
    most = min(most, max(int(each * keys.size), 1024))
    sample = keys[:: max(1, keys.size // _SAMPLE)]
    low, high = int(sample.min()), int(sample.max())
    ends = np.iinfo(keys.dtype)
    for spare in (max(16, (high - low) // 16), 0):
        low, high = max(low - spare, ends.min), min(high + spare, ends.max)
        if high - low >= most:
            return None
        counts = np.empty(high - low + 1, np.int64)
        sums = None
        if weights is None:
            counts = added_by_team(keys, counts.size, None, low)
        else:
            sums = added_by_team(keys, counts.size, weights, low, counts=counts)
        if int(counts.sum()) == keys.size:
            first, last = np.flatnonzero(counts)[[0, -1]].tolist()
            own = slice(first, last + 1)
            return Valued(low + first, counts[own], None if sums is None else sums[own])
        low, high = (int(value) for value in minmax(keys))
    return None


def _body(elements: Elements, shape: tuple[int, ...]) -> Pass:
    body = Body(elements, shape, tuple(range(len(shape))))
    return Pass(body.layout.sizes, body.text, body.arguments, [])


def flat(it: Operand) -> Operand:
    """Of no dimension as of one."""
    return it if it.shape else it._replace(shape=(1,), strides=(0,))


def weights_of(weights: Any, x: Operand) -> Operand:
    """The weights, a number for each element."""
    return checked_weights(operand(weights, "weights"), x)


def checked_weights(it: Operand, x: Operand) -> Operand:
    """The same of an operand."""
    if it.shape != x.shape:
        raise InvalidParameterError(f"weights: shape {it.shape}, and x has the shape {x.shape}")
    if it.kind != x.kind:
        raise InvalidParameterError("weights: expected memory of the kind of x")
    if it.dtype.kind not in "biuf":
        raise InvalidParameterError(f"weights: expected real numbers, got {it.dtype}")
    return flat(it)


def added_type(call: Binned, weights: Operand | None) -> np.dtype[Any]:
    """The type in which weights are added: those of integers exactly, others in double where there is one."""
    if weights is None:
        return call.counting
    if weights.dtype.kind in "bi":
        return np.dtype(np.int64)
    if weights.dtype.kind == "u":
        return np.dtype(np.uint64)
    if weights.dtype.itemsize == 8 or call._found_queue().device.has("fp64"):
        return np.dtype(np.float64)
    return np.dtype(np.float32)


def sure_part(edges: Array, scale: Any) -> tuple[Any, Any]:
    """How far the position of an element, by which it is found among even bins, must be from whole numbers for its bin to
    be sure: more than the first behind the last one, and the second before the next one.

    Positions are rounded, but a greater element never has a lesser one. So whatever is behind the position of the last
    number before an edge is not before that edge, and whatever is before the position of the edge is before the edge."""
    kind = edges.dtype
    inner, whole = edges[1:-1], np.arange(1, edges.size - 1).astype(kind)
    if not inner.size:
        return kind.type(-1), kind.type(1)
    never = kind.type(2), kind.type(-2)
    if edges.size > 2 ** np.finfo(kind).nmant or not inner[0] - edges[0] >= np.finfo(kind).tiny:
        return never
    behind = (np.nextafter(inner, kind.type(-np.inf)) - edges[0]) * scale - whole
    before = (inner - edges[0]) * scale - whole
    low, high = behind.max(), before.min()
    return (low, high) if max(np.abs(behind).max(), np.abs(before).max()) < _SURE else never


class Edges:
    """Sorted edges, and the text that finds an element's bin: an expression, and the statements before it."""

    __slots__ = ("arguments", "bins", "edges", "index", "is_even", "lines", "scale", "text")

    def __init__(self, call: Binned, array: Array, given: np.dtype[Any], even: bool, name: str = "x") -> None:
        self.bins = array.size - 1
        common = np.result_type(given, array.dtype)
        kind = np.dtype(np.float32) if common.str[1:] == "f2" else common
        self.edges = own = np.ascontiguousarray(array, kind)
        self.arguments: dict[str, Any] = {f"{name}_edges": as_numbers(call.put(own))}
        count = np.int32 if self.bins < _MOST_INTS else np.int64
        self.arguments[f"{name}_bins"] = count(self.bins)
        self.index = "int" if count is np.int32 else "long"
        value = cast(f"{{{name}}}", given, kind) if kind.kind != "b" else f"{{{name}}}"
        with np.errstate(all="ignore"):
            width = own[-1] - own[0] if kind.kind == "f" else 0
            scale = kind.type(self.bins / width) if width > 0 else 0
        self.is_even, self.scale = bool(even and 0 < scale < np.inf), float(scale)
        if self.is_even:
            low, high = sure_part(own, scale)
            numbers = {"from": own[0], "to": own[-1], "scale": scale, "low": low, "high": high}
            self.arguments.update({f"{name}_{word}": value for word, value in numbers.items()})
            words = ", ".join(f"{name}_{word}" for word in ("edges", "bins", *numbers))
            word = c_type(kind)
            self.lines = f"const {word} {name}_value = {value}; {self.index} {name}_bin; "
            self.lines += f"syc_even_bin({name}_bin, {word}, {self.index}, {name}_value, {words}) "
            self.text = f"{name}_bin"
        else:
            self.lines, self.text = "", f"syc_bin({value}, {name}_edges, {name}_bins)"

    def added_by_team(self, array: Array, weights: Operand | None) -> Array:
        """The counts of an array's elements, or the sums of their weights."""
        if array.dtype.itemsize <= 2 and array.dtype.kind in "iu" and array.size >= 4 << 8 * array.dtype.itemsize:
            low = int(np.iinfo(array.dtype).min)
            each = added_by_team(array, 1 << 8 * array.dtype.itemsize, weights, low)
            at = self._places(np.arange(low, low + each.size).astype(array.dtype))
            into = np.zeros(self.bins + 1, each.dtype)
            np.add.at(into, np.where((at >= 0) & (at < self.bins), at, self.bins), each)
            return into[: self.bins]
        if self.is_even and self.edges.dtype.kind == "f":
            return added_by_team(
                array.astype(self.edges.dtype, copy=False), self.bins, weights, 0, self.edges, self.scale
            )
        flat, by = array.reshape(-1), None if weights is None else array_of(weights).reshape(-1)
        found: Array | None = None
        for k in range(0, max(flat.size, 1), _BLOCK):  # so many places stay in the cache
            some = None if by is None else operand(by[k : k + _BLOCK], "weights")
            part = added_by_team(self._places(flat[k : k + _BLOCK]), self.bins, some)
            found = part if found is None else np.add(found, part, out=found)
        assert found is not None
        return found

    def _places(self, array: Array) -> Array:
        """The bin of each element; of those in none, -1 or as many as there are. The last edge is in its bin: so what is
        looked for is the number behind it."""
        kind = self.edges.dtype if self.edges.dtype.itemsize >= 4 else np.dtype(np.int64)
        edges, values = self.edges.astype(kind), array.astype(kind, copy=False)
        last, most = edges[-1], np.inf if kind.kind == "f" else np.iinfo(kind).max
        if last < most:
            edges[-1] = np.nextafter(last, np.asarray(most, kind)) if kind.kind == "f" else last + 1
        at = searched_on_host(edges, values, kind, UP_TO) - 1
        if last == most:  # behind which there is none
            at[values == last] = self.bins - 1
        return at
