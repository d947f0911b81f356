"""What random programs work on: buffers and their parts, arrays, allocations, each with what it should hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from program_model import KERNEL_TYPES, OTHER_TYPES, SOURCE, Cells, HostArray, Memory, whole

import pysycl as sycl

DTYPES = [np.dtype(name) for name in (*KERNEL_TYPES, *OTHER_TYPES)]
SHAPES = ((7,), (1,), (16,), (33,), (4, 6), (3, 5), (1, 8), (2, 3, 4), (3, 1, 5), (64,), (0,), (6, 2))


ALIGNMENT = 512  # of sub-buffers, at least that of every device that the tests have met
MOST = 4  # buffers, arrays and allocations of a program at one time


class Pick:
    """The operands of a step: choices, taken one after the other. When they have run out the first is chosen."""

    def __init__(self, operands: bytes) -> None:
        self.left = list(reversed(operands))

    def below(self, n: int) -> int:
        return (self.left.pop() if self.left else 0) % max(n, 1)

    def of(self, things: Sequence[Any]) -> Any:
        return things[self.below(len(things))]

    def seldom(self, n: int = 3) -> bool:
        """True once in n times; never when all bytes are zero, as they are in the simplest programs."""
        return self.below(n) == n - 1

    def box(self, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Offset and extent of a box, not empty unless the shape is."""
        offset, extent = [], []
        for size in shape:
            first = self.below(size) if self.seldom() else 0
            offset.append(first)
            extent.append(size - first - (self.below(size - first) if self.seldom() else 0))
        return tuple(offset), tuple(extent)


class World:
    """What lasts longer than a program: the contexts that its queues work in, and the kernels, which take long to build."""

    def __init__(self, devices: Sequence[sycl.Device]) -> None:
        self.program = sycl.Program(SOURCE)
        self.contexts = [(device, sycl.Queue(device).context) for device in devices]
        self.contexts.append((devices[0], sycl.Context(devices[0])))
        others = [n for n, (device, _) in enumerate(self.contexts) if device.platform != devices[0].platform]
        self.far = others[0] if others else len(self.contexts) - 1  # as far from the first as there is one
        self.crossings = 0  # commands that used what a command on another platform had written


class Root:
    """A buffer: its memory, and what is to happen to it at the end."""

    def __init__(
        self, shape: Sequence[int], dtype: np.dtype, values: np.ndarray | None = None, source: HostArray | None = None
    ) -> None:
        self.shape, self.dtype, self.source = tuple(shape), dtype, source
        self.memory = Memory(math.prod(shape) * dtype.itemsize, values)
        self.parts: list[Part] = []
        self.written, self.write_back, self.redirected = False, True, False
        self.writer: sycl.Platform | None = None  # where the latest command that wrote it ran
        self.target: HostArray | None = source if source is not None and source.writable else None
        self.finals: list[HostArray] = []


class Part:
    """A handle of a buffer: all of it or a sub-buffer, as one type and shape."""

    def __init__(
        self, handle: sycl.Buffer, root: Root, low: int, dtype: np.dtype, shape: Sequence[int], is_sub: bool
    ) -> None:
        self.handle, self.root, self.low, self.dtype, self.shape = handle, root, low, dtype, tuple(shape)
        self.is_sub = is_sub

    @property
    def cells(self) -> Cells:
        return whole(self.root.memory, self.low, self.dtype, self.shape)

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def clashes(self, other: Any) -> bool:
        """True if one kernel cannot use both where devices have memory of their own: two pointers into the same bytes,
        of which one is where the device's alignment allows none."""
        if not isinstance(other, Part) or other.root is not self.root or other is self:
            return False
        ends = [part.low + part.size for part in (self, other)]
        overlap = self.low < ends[1] and other.low < ends[0]
        return overlap and bool(self.low % ALIGNMENT or other.low % ALIGNMENT)

    def __repr__(self) -> str:
        return f"{'sub-buffer' if self.is_sub else 'buffer'} {self.shape} {self.dtype} at byte {self.low}"


class Allocation:
    """Unified shared memory, the commands that use it, and what it should hold."""

    def __init__(self, handle: sycl.UsmArray, kind: str, dtype: np.dtype, count: int, context: int) -> None:
        self.handle, self.kind, self.dtype, self.shape, self.context = handle, kind, dtype, (count,), context
        self.memory = Memory(count * dtype.itemsize)
        self.events: list[tuple[sycl.Event, sycl.Queue]] = []

    @property
    def cells(self) -> Cells:
        return whole(self.memory, 0, self.dtype, self.shape)

    def __repr__(self) -> str:
        return f"{self.kind} memory {self.shape} {self.dtype}"


class Operand:
    """One side of a command: which cells it touches, and for accessors those that it claims, with the mode."""

    def __init__(self, thing: Any, box: Cells, claimed: Cells, options: dict[str, Any], mode: str) -> None:
        self.thing, self.box, self.claimed, self.options, self.mode = thing, box, claimed, options, mode
        self.direct = False  # the buffer itself is the kernel's argument, without an accessor

    def make(self, handler: sycl.Handler | None) -> Any:
        if isinstance(self.thing, Part) and not self.direct:
            return sycl.Accessor(self.thing.handle, handler, self.mode, **self.options)
        whole = self.thing.array if isinstance(self.thing, HostArray) else self.thing.handle
        if isinstance(self.thing, Part) or "range" not in self.options:
            return whole
        limits = zip(self.options["offset"], self.options["range"], strict=True)
        return whole[tuple(slice(first, first + n) for first, n in limits)]

    def use(self) -> tuple[int, int, int, bool]:
        """Which bytes of what it keeps others from, and whether it writes them: an accessor is of a whole (sub-)buffer."""
        writes = self.mode != "read"
        if isinstance(self.thing, Part):
            return id(self.thing.root), self.thing.low, self.thing.low + self.thing.size, writes
        view = self.make(None)
        low = high = view.ctypes.data
        for n, stride in zip(view.shape, view.strides, strict=True):
            low, high = low + min((n - 1) * stride, 0), high + max((n - 1) * stride, 0)
        return 0, low, high + view.itemsize, writes

    @property
    def drops(self) -> bool:
        return bool(self.options.get("no_init"))

    def __repr__(self) -> str:
        return f"{'direct' if self.direct else self.mode} {self.thing} {self.options or ''}{self.box.number.shape}"


class Command:
    """A command of which it is not known yet whether it will run: what it waits for, and what it does if it runs."""

    def __init__(
        self,
        event: sycl.Event,
        queue: sycl.Queue,
        operands: Sequence[Operand],
        after: Sequence[sycl.Event],
        effect: Callable[[], None],
    ) -> None:
        self.event, self.queue, self.operands, self.after, self.effect = event, queue, operands, after, effect
        self.roots = {id(one.thing.root) for one in operands if isinstance(one.thing, Part)}
        self.uses = [one.use() for one in operands if not isinstance(one.thing, Allocation)]

    def __repr__(self) -> str:
        return f"{self.event} on {self.operands}"

    def waits_for(self, other: Command) -> bool:
        """Is the other one, submitted before it, among what must have ended well before it may run?"""
        if other.event in self.after or (self.queue is other.queue and self.queue.is_in_order):
            return True
        return any(
            where == there and low < end and first < high and (writes or wrote)
            for where, low, high, writes in self.uses
            for there, first, end, wrote in other.uses
        )


def initial(shape: Sequence[int], dtype: np.dtype, seed: int) -> np.ndarray:
    return ((np.arange(math.prod(shape)) * 7 + seed * 13) % 101).astype(dtype).reshape(shape)


def row(cells: Cells) -> np.ndarray:
    """The places of a box's first row."""
    return cells.number[(0,) * (cells.number.ndim - 1)] if cells.number.size else cells.number.reshape(-1)


def flat(thing: Any, n: int) -> Cells:
    return Cells(thing.memory, 0, thing.dtype, np.arange(n))


def same(cells: Cells, actual: np.ndarray, what: str) -> None:
    """Known elements have the values that they should have, bit for bit."""
    values, known = cells.get()
    found = np.ascontiguousarray(actual, cells.dtype).reshape(-1)
    size = cells.dtype.itemsize
    wrong = (found.view(np.uint8).reshape(-1, size) != values.view(np.uint8).reshape(-1, size)).any(1) & known
    assert not wrong.any(), (
        f"{what}: elements {np.flatnonzero(wrong).tolist()} are {found[wrong].tolist()}, not {values[wrong].tolist()}"
    )
