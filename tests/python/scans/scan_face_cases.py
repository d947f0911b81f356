"""Random calls of what is made of scans, each held against NumPy or a plain loop.

A kind fixes the function, the types, the axis, whose memory it is and how arrays lie; its cases vary
sizes and values (scan_random.py)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import pysycl as sycl

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
SIZES = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 251, 257]
LONG = [1021, 1023, 1024, 1025, 4095, 4096, 4097, 10007]
FUNCTIONS = [
    "cumsum", "cumprod", "cummin", "cummax", "cumulative_sum", "exclusive_scan", "inclusive_scan", "segments", "diff",
    "select", "split_by", "flatnonzero", "unique_consecutive", "run_length", "repeat", "reduce_by_key",
    "segmented_reduce", "transform", "generate",
]  # fmt: skip
REAL_ONLY = {"cummin", "cummax", "exclusive_scan", "inclusive_scan", "segments", "segmented_reduce", "reduce_by_key"}


class Kind:
    """What decides the kernels of its cases."""

    def __init__(self, rng: np.random.Generator, number: int, doubles: bool) -> None:
        self.name = FUNCTIONS[(number * 7) % len(FUNCTIONS)]
        types = [each for each in TYPES if doubles or each not in ("f8", "c16")]
        if self.name in REAL_ONLY:
            types = [each for each in types if each[0] not in "cf?"] + ["f4"]
        self.dtype = np.dtype(str(rng.choice(types)))
        self.ndim = int(rng.choice([1, 1, 2, 3, 4]))
        self.axis = None if self.ndim == 1 or rng.random() < 0.2 else int(rng.integers(-self.ndim, self.ndim))
        if self.name in ("cumulative_sum", "segments", "diff") and self.axis is None:
            self.axis = self.ndim - 1
        self.order = rng.permutation(self.ndim) if rng.random() < 0.4 else np.arange(self.ndim)
        self.steps = rng.choice([1, 1, 1, 2, -1, -2, 0], self.ndim).tolist()
        self.reverse = bool(rng.random() < 0.3)
        self.memory = str(rng.choice(["array", "array", "array", "buffer", "usm"]))
        self.word = str(rng.choice(["flags", "keys", "offsets"]))
        self.operator = int(rng.integers(4))
        self.in_place = bool(rng.random() < 0.2)

    def __repr__(self) -> str:
        return (
            f"{self.name} {self.dtype} ndim={self.ndim} axis={self.axis} order={self.order.tolist()} {self.steps} "
            f"{self.memory} {self.word} operator={self.operator}{' reverse' if self.reverse else ''}"
            f"{' in place' if self.in_place else ''}"
        )

    def array(self, rng: np.random.Generator) -> Any:
        """A permuted, stepped, reversed, repeated view of elements with ties and zeros."""
        if self.ndim == 1:
            shape = [int(rng.choice([*SIZES, *LONG]))]
        else:
            shape = [int(rng.choice(SIZES[1 if rng.random() < 0.95 else 0 : 7])) for _ in range(self.ndim)]
            shape[int(rng.integers(self.ndim))] = int(rng.choice(SIZES[1:]))
        full = [1 if step == 0 else size * abs(step) for size, step in zip(shape, self.steps, strict=True)]
        base = self.values(rng, tuple(full[d] for d in self.order)).transpose(np.argsort(self.order))
        view = base[tuple(slice(None, None, step or 1) for step in self.steps)]
        return np.broadcast_to(view[tuple(slice(0, size) for size in shape)], shape)

    def values(self, rng: np.random.Generator, shape: Any) -> Any:
        kind = self.dtype
        if kind.kind == "b":
            return rng.random(shape) < 0.5
        if self.name == "cumprod":
            return rng.choice([1, 1, 1, 2 if kind.kind in "iu" else 1], shape).astype(kind)
        low = 0 if kind.kind == "u" else -3
        x = rng.integers(low, 4, shape)
        return (x + 1j * rng.integers(-2, 3, shape) if kind.kind == "c" else x).astype(kind)


def given(kind: Kind, queue: sycl.Queue, array: Any) -> Any:
    """The array as memory of the kind: device memory lies as it is new."""
    if kind.memory == "array" or (kind.memory == "usm" and not queue.device.has("usm_shared_allocations")):
        return array
    if kind.memory == "buffer":
        return sycl.Buffer(np.ascontiguousarray(array), copy=True) if array.size and array.ndim <= 3 else array
    made = sycl.malloc_shared(array.shape, array.dtype, queue)
    made.view()[...] = array
    return made


def host(queue: sycl.Queue, found: Any) -> Any:
    """A result as NumPy has it."""
    queue.wait()
    if isinstance(found, tuple):
        trimmed = found.trim() if hasattr(found, "trim") else found
        return tuple(map(np.asarray, trimmed)) if isinstance(trimmed, tuple) else np.asarray(trimmed)
    return np.asarray(found)


OPERATORS = [
    (sycl.plus, np.add), (sycl.minimum, np.minimum), (sycl.maximum, np.maximum), (sycl.BinaryOp("a > b ? a : b"), np.maximum)
]  # fmt: skip


def flipped(kind: Kind, function: Any, x: Any) -> Any:
    """A function along the axis, from the last element if the kind is reversed."""
    if kind.axis is None:
        x = x.reshape(-1)
    axis = 0 if kind.axis is None else kind.axis
    return np.flip(function(np.flip(x, axis), axis), axis) if kind.reverse else function(x, axis)


def scanned(kind: Kind, x: Any, ours: Any, queue: sycl.Queue) -> tuple[Any, Any]:
    """The results of a scan along an axis, ours and NumPy's."""
    name, axis = kind.name, kind.axis
    more: dict[str, Any] = {"axis": axis, "queue": queue, "reverse": kind.reverse}
    op, theirs = OPERATORS[kind.operator]
    with np.errstate(all="ignore"):
        if name in ("cumsum", "cumprod"):
            return getattr(sycl, name)(ours, **more), flipped(kind, getattr(np, name), x)
        if name in ("cummin", "cummax"):
            ufunc = np.minimum if name == "cummin" else np.maximum
            return getattr(sycl, name)(ours, **more), flipped(kind, ufunc.accumulate, x)
        if name == "cumulative_sum":
            want = np.cumulative_sum(x, axis=axis, include_initial=True)
            return sycl.cumulative_sum(ours, axis=axis, include_initial=True, queue=queue), want
        dtype = x.dtype if theirs is np.add else None
        more["dtype"] = dtype
        want = flipped(kind, lambda a, d: theirs.accumulate(a, d, dtype), x)
        if name == "inclusive_scan":
            if kind.in_place and isinstance(ours, np.ndarray) and axis is not None and ours.flags.writeable:
                copy = ours.copy()
                return sycl.inclusive_scan(copy, op, out=copy, **more), want
            return sycl.inclusive_scan(ours, op, **more), want
        initial = x.dtype.type(1)

        def before(a: Any, d: int) -> Any:
            first = np.full_like(np.take(a, [0] if a.shape[d] else [], d), initial)
            joined = np.concatenate([first, a], d)
            return theirs.accumulate(joined, d, dtype)[(slice(None),) * (d % a.ndim) + (slice(0, a.shape[d]),)]

        return sycl.exclusive_scan(ours, op, initial=initial, **more), flipped(kind, before, x)


def in_segments(kind: Kind, rng: np.random.Generator, x: Any, ours: Any, queue: sycl.Queue) -> tuple[Any, Any]:
    """A scan of segments along an axis."""
    axis = kind.axis % kind.ndim
    n = x.shape[axis]
    flags = rng.random(n) < 0.3
    flags[:1] = True
    starts = np.flatnonzero(flags)
    word = kind.word if kind.ndim == 1 else "flags" if kind.word == "offsets" else kind.word
    segments = {"flags": flags, "keys": np.cumsum(flags), "offsets": np.append(starts, n)}[word]
    op, theirs = OPERATORS[kind.operator]
    dtype = x.dtype if theirs is np.add else None
    found = sycl.inclusive_scan(
        ours, op, axis=axis, segments=(word, segments), reverse=kind.reverse, dtype=dtype, queue=queue
    )
    want = np.zeros_like(x)
    moved, into = np.moveaxis(x, axis, 0), np.moveaxis(want, axis, 0)
    with np.errstate(all="ignore"):
        for low, high in pairwise([*starts, n]):
            part = moved[low:high][::-1] if kind.reverse else moved[low:high]
            done = theirs.accumulate(part, 0, dtype)
            into[low:high] = done[::-1] if kind.reverse else done
    return found, want


def runs_of(x: Any) -> Any:
    flat = np.ascontiguousarray(x).reshape(-1)
    heads = np.flatnonzero(np.concatenate([np.ones(min(1, flat.size), "?"), flat[1:] != flat[:-1]]))
    return flat, heads


def chosen(kind: Kind, rng: np.random.Generator, x: Any, ours: Any, queue: sycl.Queue) -> tuple[Any, Any]:
    """Results whose length the data decides."""
    name = kind.name
    flat, heads = runs_of(x)
    if name == "flatnonzero":
        return sycl.flatnonzero(ours, queue=queue), np.flatnonzero(x)
    if name in ("select", "split_by"):
        if x.dtype.kind in "iuf" and kind.operator % 2:
            condition, mask = "x > 1", flat > 1
        else:
            mask = rng.random(x.shape) < rng.choice([0.01, 0.5, 0.99])
            condition, mask = mask, mask.reshape(-1)
        found = getattr(sycl, name)(ours, condition, queue=queue)
        return found, flat[mask] if name == "select" else (flat[mask], flat[~mask])
    if name == "unique_consecutive":
        return sycl.unique_consecutive(ours, queue=queue), flat[heads]
    if name == "run_length":
        return sycl.run_length(ours, queue=queue), (flat[heads], np.diff(heads, append=flat.size))
    counts = rng.integers(0, 4, x.size)
    counts[: rng.integers(0, 2)] = 300
    if isinstance(ours, np.ndarray):
        return sycl.repeat(ours, counts, queue=queue), np.repeat(x, counts)
    length = int(counts.sum()) + 2
    found = sycl.repeat(ours, given(kind, queue, counts), length=length, queue=queue)
    return found, np.append(np.repeat(x, counts), np.zeros(2, x.dtype))


def combined(kind: Kind, rng: np.random.Generator, x: Any, ours: Any, queue: sycl.Queue) -> tuple[Any, Any]:
    """Segments that are reduced, of the flattened array."""
    flat = np.ascontiguousarray(x).reshape(-1)
    flags = rng.random(flat.size) < rng.choice([0.02, 0.5, 1.0])
    flags[:1] = True
    starts = np.flatnonzero(flags)
    op, theirs = OPERATORS[kind.operator]
    dtype = flat.dtype if theirs is np.add else None
    want = theirs.reduceat(flat, starts, dtype=dtype) if flat.size else flat
    keys = np.cumsum(flags).astype("u2")
    if kind.name == "reduce_by_key":
        placed = keys if isinstance(ours, np.ndarray) else given(kind, queue, keys)
        found = sycl.reduce_by_key(placed, ours, op, dtype=dtype, queue=queue)
        return found, (keys[starts], want)
    segments = {"flags": flags, "keys": keys, "offsets": np.append(starts, flat.size)}[kind.word]
    if kind.word != "offsets" or op is not OPERATORS[0][0]:
        return sycl.segmented_reduce(ours, (kind.word, segments), op, dtype=dtype, queue=queue), want
    offsets = np.sort(rng.integers(0, flat.size + 1, 9))  # with empty segments, and elements outside of all
    sums = [flat[low:high].sum(dtype=dtype) for low, high in pairwise(offsets)]
    return sycl.segmented_reduce(ours, ("offsets", offsets), op, dtype=dtype, queue=queue), np.array(sums, flat.dtype)


def listed(rng: np.random.Generator, queue: sycl.Queue) -> tuple[Any, Any]:
    """Lists of unknown length: neighbours of points."""
    n = int(rng.choice([0, 1, 5, 64, 129]))
    p = rng.integers(0, 50, n).astype("f4")
    text = "for (int j = 0; j < n0; j++) if (fabs(p[i] - p[j]) < 2 && j != i) near.append(j);"
    found = sycl.generate(n, text, near="i4", p=p, queue=queue)
    lists = [[j for j in range(n) if abs(p[i] - p[j]) < 2 and j != i] for i in range(n)]
    offsets = np.cumsum([0, *map(len, lists)])
    return (found.offsets, found.values), (offsets, np.array([j for each in lists for j in each], "i4"))


def check(rng: np.random.Generator, kind: Kind, queue: sycl.Queue) -> None:
    """One case."""
    x = kind.array(rng)
    ours = given(kind, queue, x)
    if kind.name in ("cumsum", "cumprod", "cummin", "cummax", "cumulative_sum", "inclusive_scan", "exclusive_scan"):
        if kind.name == "exclusive_scan" and x.size == 0:
            return
        found, want = scanned(kind, x, ours, queue)
    elif kind.name == "segments":
        found, want = in_segments(kind, rng, x, ours, queue)
    elif kind.name in ("segmented_reduce", "reduce_by_key"):
        found, want = combined(kind, rng, x, ours, queue)
    elif kind.name == "diff":
        found, want = (
            sycl.diff(ours, 1 + kind.operator % 2, kind.axis, queue=queue),
            np.diff(x, 1 + kind.operator % 2, kind.axis),
        )
    elif kind.name == "transform":
        y = kind.values(rng, x.shape[-1:])
        text = "cadd(x, y)" if x.dtype.kind == "c" else "x + y"
        found = (
            sycl.transform(text, x=ours, y=given(kind, queue, y) if kind.memory != "array" else y, queue=queue)
            if (type(ours) is type(given(kind, queue, y)))
            else x + y
        )
        want = x + y
    elif kind.name == "generate":
        found, want = listed(rng, queue)
    else:
        found, want = chosen(kind, rng, x, ours, queue)
    got = host(queue, found)
    got, want = (each if isinstance(each, tuple) else (each,) for each in (got, want))
    for ours_, theirs in zip(got, want, strict=True):
        assert ours_.dtype == theirs.dtype and ours_.shape == theirs.shape, f"{kind!r} {x.shape}: {ours_!r}, {theirs!r}"
        wrong = np.flatnonzero((ours_ != theirs).reshape(-1))
        if wrong.size:
            at = int(wrong[0])
            raise AssertionError(
                f"{kind!r} {x.shape} {x.strides}: [{at}] is {ours_.flat[at]} and not {theirs.flat[at]} ({wrong.size} wrong)"
            )
