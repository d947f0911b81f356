"""Random sorts, selections, searches and counts, each held against NumPy: `python random_sorts.py --count 100000`.

A *kind* of case fixes what decides the kernels: the function, the type, the kind of memory, the row of the table, the order.
Its cases vary sizes, strides and patterns, so that the same kernels see other elements each time: what is left of a call
before would show."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
from sort_cases import PATTERNS, TYPES, elements, needs, same

import pysycl as sycl
from pysycl._sorts import sort_tiles
from pysycl._sorts.sort_rows import force_sort_row

Array = np.ndarray[Any, Any]
# What is forced where a device does it; and the polls of tiles, which without any count all by themselves.
ROWS = (None, "device", "tiles", "tiles", "tiles", "digits", "buckets", "merges")
SELECTIONS = (None, "device", "digits of places", "threshold", "threshold of groups", "digits")
# And of some what the calling thread and its team do with arrays.
OTHERS = {
    "top": (*SELECTIONS, "bar", "bar"), "parted": SELECTIONS, "search": (*ROWS, *["tree"] * 5),
    "merge": (*ROWS, *["merge path"] * 5), "unique": (*ROWS, "tables"), "counts": (*ROWS, *["tables"] * 5),
}  # fmt: skip
MEMORIES = ("array", "array", "buffer", "usm")
NUMBERS = [each for each in TYPES if each[0] not in "c"]
SHAPES = 12  # of a kind, to which its cases come back: some of what lies between is made for a shape


def sizes(rng: np.random.Generator, most: int) -> int:
    """Around powers of two and tiles, primes, and any."""
    way = rng.integers(4)
    if way == 0:
        size = (1 << int(rng.integers(0, most.bit_length()))) + int(rng.integers(-1, 2))
    elif way == 1:
        size = int(rng.choice([20, 2048, 6144, 8448, 9216, 4608])) * int(rng.integers(1, 4)) + int(rng.integers(-1, 2))
    elif way == 2:
        size = int(rng.choice([7, 31, 127, 509, 521, 1021, 4093, 8191, 16381]))
    else:
        size = int(rng.integers(0, most))
    return max(0, min(size, most))


def shape_of(rng: np.random.Generator, most: int) -> tuple[int, ...]:
    """Mostly of one dimension; or of lines, short and long."""
    if rng.random() < 0.7:
        return (sizes(rng, most),)
    size = max(1, sizes(rng, most // 3))
    return (int(rng.integers(1, max(2, min(40, most // size)))), size)


class Kind:
    """What a number of cases have in common."""

    def __init__(self, rng: np.random.Generator, queue: sycl.Queue, most: int) -> None:
        self.name = str(rng.choice(sorted(CHECKS)))
        can = [each for each in TYPES if needs(each) is None or queue.device.has(getattr(sycl.Aspect, needs(each)))]
        given = can if self.name in ("sort", "argsort", "by_key") else [each for each in can if each in NUMBERS]
        self.dtype = np.dtype(str(rng.choice(given)))
        rows = OTHERS.get(self.name, ROWS)
        self.row = rows[rng.integers(len(rows))]
        self.memory = str(rng.choice(MEMORIES))
        self.down = bool(rng.random() < 0.3)
        self.polls = sort_tiles._POLLS if rng.random() < 0.8 else 0
        most = most if self.row != "tiles" or self.polls else min(most, 5000)
        most = most if self.row != "merges" else min(most, 20_000)
        self.queue, self.rng, self.most = queue, rng, most
        self.shapes = [shape_of(rng, most) for _ in range(SHAPES)]

    def __repr__(self) -> str:
        return f"{self.name} {self.dtype} {self.row} {self.memory} down={self.down} polls={self.polls}"

    @property
    def counted(self) -> str:
        return f"{self.name} by {self.row}"

    def place(self, x: Array) -> Any:
        """The array in the kind's memory."""
        if self.memory == "buffer" and x.size:
            return sycl.Buffer(x)
        if self.memory == "usm" and x.size:
            made = sycl.malloc_device(x.shape, x.dtype, self.queue)
            self.queue.copy(x, made).wait()
            return made
        return x

    def back(self, y: Any) -> Array:
        if isinstance(y, np.ndarray):
            return y
        made = np.empty(y.shape, y.dtype)
        self.queue.wait()  # of memory that commands share nobody else knows
        self.queue.copy(y, made).wait()
        return made

    def elements(self, flat: bool = False) -> Array:
        shape = self.shapes[self.rng.integers(SHAPES)]
        pattern = str(self.rng.choice(PATTERNS))
        return elements(self.rng, self.dtype, (int(np.prod(shape)),) if flat else shape, pattern)

    def case(self) -> None:
        """One case."""
        CHECKS[self.name](self)


def positions(x: Array, down: bool) -> Array:
    """By NumPy's stable sorts: NaN last of all."""
    if not down:
        return np.argsort(x, -1, kind="stable")
    if x.dtype.kind == "c":
        return np.lexsort((-x.imag, -x.real, (x != x)), axis=-1)
    if x.dtype.kind in "bui":
        return np.argsort(~x, -1, kind="stable")
    return np.lexsort((np.where(x == x, -x.astype("f8"), 0), x != x), axis=-1)


def _down(kind: Kind) -> bool:
    return kind.down and kind.dtype.kind != "c"  # whose halves may be NaN


def check_sort(kind: Kind) -> None:
    x = kind.elements()
    down = _down(kind)
    given = kind.place(x)
    in_place = kind.rng.random() < 0.2
    found = kind.back(sycl.sort(given, descending=down, queue=kind.queue, **({"out": given} if in_place else {})))
    want = np.sort(x, -1, kind="stable") if not down else np.take_along_axis(x, positions(x, True), -1)
    same(found, want)


def check_argsort(kind: Kind) -> None:
    x = kind.elements()
    down = _down(kind)
    same(kind.back(sycl.argsort(kind.place(x), descending=down, queue=kind.queue)), positions(x, down))


def check_by_key(kind: Kind) -> None:
    x = kind.elements()
    down = _down(kind)
    values = kind.rng.integers(0, 2**31, x.shape)
    keys, moved = sycl.sort_by_key(kind.place(x), kind.place(values), descending=down, queue=kind.queue)
    order = positions(x, down)
    same(kind.back(keys), np.take_along_axis(x, order, -1))
    same(kind.back(moved), np.take_along_axis(values, order, -1))


def check_top(kind: Kind) -> None:
    x = kind.elements()
    k = int(min(x.shape[-1], kind.rng.choice([0, 1, 2, 10, 40, 1000])))
    found = sycl.top_k(kind.place(x), k, largest=kind.down, queue=kind.queue)
    order = positions(x, kind.down)[..., :k]
    same(kind.back(found.indices), order)
    same(kind.back(found.values), np.take_along_axis(x, order, -1))


def check_parted(kind: Kind) -> None:
    x = kind.elements()
    if x.shape[-1] == 0:
        return
    places = sorted({int(kind.rng.integers(0, x.shape[-1])) for _ in range(kind.rng.integers(1, 4))})
    found = kind.back(sycl.partition(kind.place(x), places, queue=kind.queue))
    ordered = np.sort(x, -1, kind="stable")
    same(found[..., places], ordered[..., places])
    same(np.sort(found, -1, kind="stable"), ordered)
    for begin, end in zip([0, *places], [*places, x.shape[-1]], strict=True):
        same(np.sort(found[..., begin:end], -1, kind="stable"), ordered[..., begin:end])


def check_search(kind: Kind) -> None:
    x, v = np.sort(kind.elements(True), kind="stable"), kind.elements(True)
    side = "right" if kind.down else "left"
    if x.size and v.size:
        same(
            kind.back(sycl.searchsorted(kind.place(x), kind.place(v), side, queue=kind.queue)),
            np.searchsorted(x, v, side),
        )


def check_merge(kind: Kind) -> None:
    x, y = np.sort(kind.elements(True), kind="stable"), np.sort(kind.elements(True), kind="stable")
    if x.size and y.size:
        found = kind.back(sycl.merge(kind.place(x), kind.place(y), queue=kind.queue))
        same(found, np.sort(np.concatenate([x, y]), kind="stable"))


def check_unique(kind: Kind) -> None:
    x = kind.elements(True)
    for ours, theirs in zip(
        sycl.unique(x, True, True, True, queue=kind.queue), np.unique(x, True, True, True), strict=True
    ):  # fmt: skip
        same(ours, theirs)


def check_counts(kind: Kind) -> None:
    x = kind.elements(True)
    if x.dtype.kind == "f":
        x = np.where(np.isfinite(x), x, 1).astype(x.dtype)
    bins = int(kind.rng.choice([1, 7, 256, 1000]))
    if x.dtype.kind == "f" and x.dtype.itemsize > 2:
        edges = np.sort(kind.rng.normal(size=bins + 1)) if kind.down else None
        ours = sycl.histogram(x, bins if edges is None else edges, (-3, 3) if edges is None else None, queue=kind.queue)
        theirs = np.histogram(x, bins if edges is None else edges, (-3, 3) if edges is None else None)
        same(np.asarray(ours[0]), theirs[0])
    elif x.dtype.kind in "ui":
        x = (x % 5000).astype(x.dtype) if x.dtype.itemsize > 1 else x
        x = x[x >= 0]
        same(
            sycl.bincount(x.astype("i8"), minlength=bins, queue=kind.queue), np.bincount(x.astype("i8"), minlength=bins)
        )


CHECKS = {
    "sort": check_sort, "argsort": check_argsort, "by_key": check_by_key, "top": check_top, "parted": check_parted,
    "search": check_search, "merge": check_merge, "unique": check_unique, "counts": check_counts,
}  # fmt: skip


def check(kind: Kind, cases: int) -> int:
    """So many cases of a kind; how many were wrong."""
    wrong = 0
    force_sort_row(kind.row)
    polls, sort_tiles._POLLS = sort_tiles._POLLS, kind.polls
    try:
        for _ in range(cases):
            state = kind.rng.bit_generator.state["state"]
            try:
                kind.case()
            except Exception as error:
                wrong += 1
                print(f"WRONG {kind!r} {state}: {type(error).__name__}: {str(error)[:600]}", flush=True)
    finally:
        force_sort_row(None)
        sort_tiles._POLLS = polls
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="of cases")
    parser.add_argument("--each", type=int, default=50, help="cases of a kind")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=40_000, help="elements of a case")
    given = parser.parse_args()
    queue, rng = sycl.Queue(), np.random.default_rng(given.seed)
    begin, done, wrong = time.monotonic(), 0, 0
    counts: Counter[str] = Counter()
    while done < given.count and time.monotonic() - begin < given.seconds and wrong < 20:
        kind = Kind(rng, queue, given.most)
        counts[kind.counted] += given.each
        wrong += check(kind, given.each)
        done += given.each
    print(
        f"{done} cases on {queue.device.name}, {wrong} wrong, {time.monotonic() - begin:.0f} s; {dict(sorted(counts.items()))}"
    )
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
