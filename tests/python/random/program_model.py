"""What programs of buffers, arrays and USM do to memory, in plain NumPy: each byte has a value or is unknown.

It knows no queues and no devices: commands take effect in the order in which they were submitted, which is what SYCL
promises. Contents that a program made undefined (no_init, memory without initial values) are unknown until written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

SENTINEL = 0xA5  # what lies around the elements of an array, and must stay
KERNEL_TYPES = {"u1": "uchar", "u4": "uint", "u8": "ulong", "f4": "float"}
OTHER_TYPES = ("i2", "c8")
LAYOUTS = ("C", "F", "strided", "reversed", "read-only", "misaligned")
ITEMS = 512  # work-items of every launch: elements of the largest box

SOURCE = """
#pragma OPENCL FP_CONTRACT OFF
#define AT(g, box) (box##first + (g) / (box##n1 * box##n2) * box##s0 + (g) / box##n2 % box##n1 * box##s1 + (g) % box##n2)
#define BOX(box) uint box##first, uint box##n1, uint box##n2, uint box##s0, uint box##s1
#define KERNELS(T) \\
kernel void add_##T(global T *y, BOX(y), uint n, T a) \\
{ uint g = get_global_id(0); if (g < n) y[AT(g, y)] += a; } \\
kernel void set_##T(global T *y, BOX(y), uint n, T a) \\
{ uint g = get_global_id(0); if (g < n) y[AT(g, y)] = a + (T)g; } \\
kernel void slow_##T(global T *y, BOX(y), uint n, T a, uint rounds) \\
{ uint g = get_global_id(0), x = g; for (uint k = 0; k < rounds; k++) x = x * 1664525u + (x >> 7) + 1013904223u; \\
  if (g < n) y[AT(g, y)] += x == 0x12345678u && rounds == 0xffffffffu ? 2 * a : a; } \\
kernel void axpy_##T(global T *y, BOX(y), uint n, T a, global const T *x, BOX(x)) \\
{ uint g = get_global_id(0); if (g < n) y[AT(g, y)] = a * x[AT(g, x)] + y[AT(g, y)]; } \\
kernel void flip_##T(global T *y, BOX(y), uint n, global const T *x, BOX(x)) \\
{ uint g = get_global_id(0); if (g < n) y[AT(g, y)] = x[AT(n - 1 - g, x)]; }
""" + "".join(f"KERNELS({name})\n" for name in KERNEL_TYPES.values())


class Memory:
    """Bytes, and which of them are known."""

    def __init__(self, size: int, initial: np.ndarray | None = None) -> None:
        self.data = np.zeros(size, np.uint8)
        self.known = np.zeros(size, bool)
        if initial is not None:
            self.data[:] = np.frombuffer(initial.tobytes(), np.uint8)
            self.known[:] = True

    def differs(self, actual: np.ndarray) -> str:
        """Where known bytes are not as they should be, in words; "" if nowhere."""
        found = np.frombuffer(actual.tobytes(), np.uint8)
        wrong = np.flatnonzero(self.known & (found != self.data))
        if len(wrong) == 0:
            return ""
        return f"bytes {wrong.tolist()}: {found[wrong].tolist()} for {self.data[wrong].tolist()}"


class Cells:
    """Elements of one type in a memory: a part of it that begins at byte `low`, or a box of such a part.

    `number` has the shape of the box; it holds each element's place in the part, counted in elements.
    """

    def __init__(self, memory: Memory, low: int, dtype: np.dtype, number: np.ndarray) -> None:
        self.memory, self.low, self.dtype, self.number = memory, low, dtype, number

    def box(self, offset: Sequence[int], extent: Sequence[int]) -> Cells:
        where = tuple(slice(first, first + count) for first, count in zip(offset, extent, strict=True))
        return Cells(self.memory, self.low, self.dtype, self.number[where])

    @property
    def bytes(self) -> np.ndarray:
        """The bytes in the memory: one row per element."""
        return self.low + self.number.reshape(-1, 1) * self.dtype.itemsize + np.arange(self.dtype.itemsize)

    def get(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and which are known, in row-major order."""
        at = self.bytes
        return self.memory.data[at].view(self.dtype).reshape(-1), self.memory.known[at].all(1)

    def put(self, values: np.ndarray, known: np.ndarray | bool = True) -> None:
        at, flat = self.bytes, np.ascontiguousarray(values, self.dtype).reshape(-1)
        self.memory.data[at] = flat.view(np.uint8).reshape(at.shape)
        self.memory.known[at] = np.broadcast_to(known, flat.shape)[:, None]

    def forget(self, but: Cells | None = None) -> None:
        """Unknown from now on; except what `but` has in common with it."""
        keep = self.memory.known[but.bytes] if but is not None and but.memory is self.memory else None
        self.memory.known[self.bytes] = False
        if keep is not None and but is not None:
            self.memory.known[but.bytes] = keep

    def meets(self, other: Cells) -> bool:
        return self.memory is other.memory and bool(np.intersect1d(self.bytes, other.bytes).size)

    def same(self, other: Cells) -> bool:
        return (
            self.memory is other.memory
            and self.dtype == other.dtype
            and self.low == other.low
            and np.array_equal(self.number, other.number)
        )

    def geometry(self, shape: Sequence[int]) -> tuple[int, int, int, int, int]:
        """What the kernels want to know of a box of a part of this shape: first, n1, n2, s0, s1."""
        extent = (1,) * (3 - self.number.ndim) + self.number.shape
        whole = (1,) * (3 - len(shape)) + tuple(shape)
        first = int(self.number.flat[0]) if self.number.size else 0
        return first, max(extent[1], 1), max(extent[2], 1), whole[1] * whole[2], whole[2]


def whole(memory: Memory, low: int, dtype: np.dtype, shape: Sequence[int]) -> Cells:
    return Cells(memory, low, dtype, np.arange(math.prod(shape)).reshape(shape))


def settled(values: np.ndarray, *operands: np.ndarray) -> np.ndarray:
    """Which results do not depend on what devices may do their own way: NaN's bits and subnormal numbers."""
    sure = np.ones(values.shape, bool)
    if values.dtype.kind == "f":
        for each in (values, *operands):
            sure &= ~np.isnan(each) & ((each == 0) | (np.abs(each) >= np.finfo(each.dtype).tiny))
    return sure


def add(y: Cells, a: int) -> None:
    values, known = y.get()
    result = values + y.dtype.type(a)
    y.put(result, known & settled(result, values))


def set_(y: Cells, a: int) -> None:
    y.put(np.arange(y.number.size).astype(y.dtype) + y.dtype.type(a))


def axpy(y: Cells, a: int, x: Cells) -> None:
    (old, known), (other, readable) = y.get(), x.get()
    product = y.dtype.type(a) * other
    result = product + old
    sure = known & readable & settled(result, old, other, product)
    if y.dtype.kind == "f":  # a fused product is not rounded: it differs where the product is not exact
        sure &= product.astype(np.float64) == np.float64(a) * other.astype(np.float64)
    y.put(result, sure)


def flip(y: Cells, x: Cells) -> None:
    values, known = x.get()
    y.put(values[::-1], known[::-1])


def copy(to: Cells, from_: Cells) -> None:
    values, known = from_.get()
    to.put(values, known)


def compute(name: str, y: Cells, a: int, x: Cells | None) -> None:
    """What the kernel of that name does."""
    with np.errstate(all="ignore"):
        if name in ("add", "slow"):
            add(y, a)
        elif name == "set":
            set_(y, a)
        elif x is not None:
            axpy(y, a, x) if name == "axpy" else flip(y, x)


def lay(base: np.ndarray, layout: str, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """An array of the given layout in the bytes of `base`."""
    size = math.prod(shape) * dtype.itemsize
    if layout == "F":
        return base[:size].view(dtype).reshape(tuple(shape)[::-1]).T
    if layout == "strided":
        return base[: 2 * size].view(dtype).reshape((*shape[:-1], 2 * shape[-1]))[..., ::2]
    if layout == "reversed":
        return base[:size].view(dtype).reshape(shape)[::-1]
    if layout == "misaligned":
        return base[1 : 1 + size].view(dtype).reshape(shape)
    array = base[:size].view(dtype).reshape(shape)
    array.flags.writeable = layout != "read-only"
    return array


class HostArray:
    """An array of the user's, in a frame of bytes that nobody may touch, and what it should hold."""

    def __init__(self, layout: str, shape: Sequence[int], dtype: np.dtype, values: np.ndarray) -> None:
        self.layout, self.shape, self.dtype = layout, tuple(shape), dtype
        self.base = np.full(2 * math.prod(shape) * dtype.itemsize + 1, SENTINEL, np.uint8)
        self.array = lay(self.base, layout, shape, dtype)
        self.array.flags.writeable = True
        self.array[...] = values
        self.array.flags.writeable = layout != "read-only"
        self.memory = Memory(self.array.nbytes, np.ascontiguousarray(values, dtype))
        self.buffer: object = None  # the buffer that wraps it, as long as that lives

    @property
    def writable(self) -> bool:
        return self.layout != "read-only"

    @property
    def cells(self) -> Cells:
        return whole(self.memory, 0, self.dtype, self.shape)

    def differs(self) -> str:
        """What is wrong with it and around it, in words."""
        inside = self.memory.differs(np.ascontiguousarray(self.array))
        frame = np.full_like(self.base, SENTINEL)
        lay(frame, "C" if self.layout == "read-only" else self.layout, self.shape, self.dtype)[...] = self.array
        touched = np.flatnonzero(frame != self.base)
        return inside or (f"bytes around it: {touched.tolist()}" if len(touched) else "")

    def __repr__(self) -> str:
        return f"{self.layout} array {self.shape} {self.dtype}"
