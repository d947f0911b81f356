"""One call of a device-wide scan: its pass along an axis, or over all elements in their order, and where its results go."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from typing import Any, NamedTuple

import numpy as np

from pysycl._algorithms.axes import axes_of, one_axis, steps_over
from pysycl._algorithms.body_text import Body, Elements, stored
from pysycl._algorithms.call import Call, Options, Pass, kept
from pysycl._algorithms.operand import ARRAY, BUFFER, USM, Operand, array_of, as_numbers, as_values, operand, pairs
from pysycl._data.usm_array import UsmArray
from pysycl._kernels.scan_text import scan_text
from pysycl._kernels.scanner import scanner
from pysycl._kernels.user_text import operator_part
from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus


class Track(NamedTuple):
    """What a scan runs through: a scanner, but for the memory of its last value."""

    op: Any
    dtype: np.dtype[Any]
    identity: Any = None
    initial: Any = None
    accuracy: str = "fast"
    determinism: str = "any"
    by_user: bool = False
    """The operator is the user's text: complex numbers are cfloat and cdouble to it, and not vectors of their parts."""

    def scanner(self) -> Any:
        """The scanner."""
        return scanner(
            self.op, self.dtype if self.by_user else pairs(self.dtype), identity=self.identity, initial=self.initial,
            accuracy=self.accuracy, determinism=self.determinism,
        )  # fmt: skip

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the kernel, and can be compared."""
        initial = self.initial if self.initial is None else (type(self.initial), repr(self.initial))
        return (self.op, self.dtype, repr(self.identity), initial, *self[4:])


def counter(count: int) -> np.dtype[Any]:
    """The type that so many elements are counted in: narrow ones are scanned faster."""
    return np.dtype(np.uint32 if count < 2**32 else np.uint64)


def known_size(value: Any, what: str) -> int:
    """A number of elements that the user says."""
    try:
        size = index(value)
    except TypeError:
        raise InvalidParameterError(f"{what}: expected an int, got {value!r}") from None
    if size < 0:
        raise InvalidParameterError(f"{what}: {size} is negative")
    return size


def in_order(it: Operand, what: str) -> Operand:
    """The elements one behind the other, of one dimension, for whatever looks at neighbours: an array's are copied where
    they do not lie so."""
    size = prod(it.shape)
    if it.strides == steps_over(it.shape, range(len(it.shape))):
        return it._replace(shape=(size,), strides=(1,))
    if len(it.shape) == 1:
        return it
    if it.kind != ARRAY:
        raise InvalidParameterError(
            f"{what}: expected one dimension, or contiguous memory, got a view of the shape {it.shape}"
        )
    return it._replace(memory=array_of(it).reshape(-1), shape=(size,), strides=(1,), offset=0)


def _share(out: Any, it: Operand) -> bool:
    """Do a result and what is read, in device memory, have bytes in common?"""
    if it.kind == BUFFER:
        return out is not None and out is it.source  # memory between passes has no source
    if not isinstance(out, UsmArray):
        return False
    low = it.memory.ptr
    return bool(out.nbytes and it.memory.nbytes and low < out.ptr + out.nbytes and out.ptr < low + it.memory.nbytes)


class Scan(Call):
    """The passes of one call."""

    __slots__ = ("axes",)

    def __init__(self, x: Operand, options: Options, more: int = 0) -> None:
        """`more`: how many more elements the result has along the axis."""
        if not x.shape:
            x = x._replace(shape=(1,), strides=(1,)) if options.axis is None or axes_of(options.axis, 0) == () else x
        one_axis(options.axis)
        axes = axes_of(options.axis, len(x.shape))
        self.axes = axes
        shape = list(x.shape) if options.axis is not None else [prod(x.shape)]
        shape[axes[0] if options.axis is not None else 0] += more
        super().__init__(x, options, tuple(shape))

    @property
    def is_empty(self) -> bool:
        """Is there nothing to scan?"""
        return prod(self.x.shape) == 0

    @property
    def along(self) -> int:
        """How many elements each line has."""
        return prod(self.x.shape[d] for d in self.axes)

    # -- the result --

    def into(self, dtype: np.dtype[Any], others: tuple[Operand | None, ...] = ()) -> tuple[Any, str]:
        """The memory for the result, and the name of the operand that it is: that of x where a scan is in place."""
        out = self.options.out
        if self.x.kind != ARRAY or not isinstance(out, np.ndarray):
            memory = np.empty(self.result_shape, dtype) if self.x.kind == ARRAY else self.result(dtype)
            in_place = self.x.kind != ARRAY and self._is_x(memory)
            self.check_apart([it for it in others if not (in_place and it is self.x)])
            return memory, "x" if in_place else "y"
        self._out(dtype)
        if out.dtype == dtype and out.flags.c_contiguous and out.flags.aligned:
            if self._is_x(out):
                return out, "x"
            read = [self.x, *(it for it in others if it is not None)]
            if not any(it.kind == ARRAY and np.may_share_memory(out, it.memory) for it in read):
                return out, "y"
        return np.empty(self.result_shape, dtype), "y"

    def check_apart(self, read: Iterable[Operand | None]) -> None:
        """Refuses results in device memory from which other elements are read: those may be theirs already."""
        out = self.options.out
        for it in read:
            if it is not None and it.kind != ARRAY and _share(out, it):
                raise InvalidParameterError(
                    "out: the result would be put into elements that are read: it needs memory of its own"
                )

    def _is_x(self, out: Any) -> bool:
        """Is the memory that of x, element by element?"""
        x = self.x
        if self.options.out is None or out.dtype != x.dtype or prod(self.result_shape) != prod(x.shape):
            return False
        if x.offset != 0 or x.strides != steps_over(x.shape, range(len(x.shape))):
            return False
        if x.kind == BUFFER:
            return out is x.source
        if x.kind == USM:
            return bool(out.ptr == x.memory.ptr)
        return bool(out.__array_interface__["data"][0] == x.memory.__array_interface__["data"][0])

    def seen(self, memory: Any, offset: int = 0) -> Operand:
        """The result's memory as an operand in the shape of x: with an offset along the axis."""
        it = operand(memory, "out")
        steps = steps_over(self.result_shape, range(len(self.result_shape)))
        if self.options.axis is None:
            own = steps_over(self.x.shape, range(len(self.x.shape)))
            return it._replace(shape=self.x.shape, strides=own, offset=it.offset + offset)
        return it._replace(shape=self.x.shape, strides=steps, offset=it.offset + offset * steps[self.axes[0]])

    def given(self, memory: Any) -> Any:
        """What the call returns."""
        return memory if memory is self.options.out and self.x.kind == ARRAY else self.give(memory)

    # -- passes --

    def scan(
        self,
        first: str,
        second: str | None,
        tracks: dict[str, Track],
        operands: dict[str, Operand | None],
        *,
        preamble: str | None = None,
        reverse: bool = False,
        totals: dict[str, Any] | None = None,
        condition: str | None = None,
        **numbers: Any,
    ) -> None:
        """One pass: `first` combines into the tracks, `second` sees them. `condition`: the user's own text in it, where
        that is no map."""
        user = (condition, preamble, second, "condition") if condition else (self.options.map, preamble, second)
        elements = Elements(operands, first, *user)
        lines = tuple([(name, track.key) for name, track in tracks.items()])
        key = "scan", elements.key, self.x.shape, self.axes, lines, reverse
        found = kept(key, lambda: self._made_of(elements, tracks, reverse))
        arguments: dict[str, Any] = {}
        elements.give(arguments)  # first: structs are called by the first argument that has them
        arguments |= found.arguments | as_values(numbers, False)
        arguments |= dict(zip(tracks, found.made, strict=True))
        for name, total in (totals or {}).items():
            arguments[name] = arguments[name]._ending_in(total)
        self.run(found.range, found.text, arguments)

    def _made_of(self, elements: Elements, tracks: dict[str, Track], reverse: bool) -> Pass:
        body = Body(elements, self.x.shape, self.axes, ordered=True)
        own = [(name, track.op) for name, track in tracks.items() if isinstance(track.op, BinaryOp)]
        body.text.parts += tuple(operator_part(name, op.expression) for name, op in own)
        made = [track.scanner() for track in tracks.values()]
        lies = body.layout
        text = scan_text(lies.sizes, body.text, body.second, lies.axis, reverse)
        return Pass(lies.sizes, text, body.arguments, made)


def put(name: str, value: str, dtype: np.dtype[Any]) -> str:
    """The statement that stores an operand's element."""
    return stored(name, f"{{{name}.at}}", value, dtype)


# -- elements that are counted --


class Condition(NamedTuple):
    """What elements are selected by."""

    text: str
    operands: dict[str, Operand | None]
    preamble: str | None = None
    user: str | None = None
    """The user's own text in it."""


def counted(call: Scan, condition: Condition, second: str | None, **memory: Any) -> Any:
    """Counts the elements that fulfil a condition; `second` is done for each, and sees in `t.before` how many there are
    before it. The count is an int where the call is for arrays."""
    kind = counter(prod(call.x.shape))
    count = np.zeros(1, kind) if call.x.kind == ARRAY else call.like((1,), kind)
    if call.is_empty and call.x.kind != ARRAY:
        call.run(1, "count[0] = 0;", {"count": count})
    elif not call.is_empty:
        call.scan(
            f"t.combine({condition.text});", second, {"t": Track(plus, kind)}, condition.operands,
            preamble=condition.preamble, condition=condition.user, totals={"t": count},
            **{name: as_numbers(each) for name, each in memory.items()},
        )  # fmt: skip
    return int(count[0]) if call.x.kind == ARRAY else count


def memory_for(call: Scan, condition: Condition, *kinds: np.dtype[Any], others: bool = False) -> list[Any]:
    """Memory for results of the elements that fulfil a condition, or the last for the others: for all elements. Of arrays for
    as many as there will be, where memory for all is more than the machine gives or the device takes: indices may be eight
    times the input."""
    size = prod(call.x.shape)
    if (
        call.x.kind != ARRAY
        or size == 0  # of which no device is asked
        or size * max(kind.itemsize for kind in kinds) <= call._found_queue().device.max_mem_alloc_size
    ):
        try:
            return [call.like((size,), kind) for kind in kinds]
        except MemoryError:
            if call.x.kind != ARRAY:
                raise
    named = {name: it for name, it in condition.operands.items() if f"{{{name}" in condition.text}
    count = counted(call, condition._replace(operands=named), None)
    counts = [count] * (len(kinds) - others) + [size - count] * others
    return [call.like((each,), kind) for each, kind in zip(counts, kinds, strict=True)]
