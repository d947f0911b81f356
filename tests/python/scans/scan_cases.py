"""Random scans, each held against a serial loop: `python tests/python/scans/scan_cases.py --count 100000`.

A *kind* of case fixes what decides the kernel: the range's rank and axis, the scanners with their operators, conditions and
restarts, how elements are read, what is written and where, reverse, kinds of memory, the row of the table. Its cases vary
sizes and values, so that the same kernel sees other elements each time: what is left of a call before would show."""

from __future__ import annotations

import argparse
import sys
import time
from math import prod
from typing import Any

import numpy as np
from scan_operators import OPERATORS, Operator, values

import pysycl as sycl
from pysycl import _core

SIZES = [1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 37, 63, 64, 65, 74, 127, 128, 129, 251, 255, 256, 257]
LONG = [1021, 1023, 1024, 1025, 4093, 4095, 4096, 4097, 10007]
MEMORIES = ["array", "array", "array", "buffer", "usm"]


class Track:
    """One scanner of a kind: its operator, when an element contributes, when it restarts, what is written of it."""

    def __init__(self, rng: np.random.Generator, name: str, operator: Operator, alone: bool) -> None:
        self.name, self.operator = name, operator
        self.when = str(rng.choice(["always", "always", "always", "if", "loop"]))
        self.restarts = bool(rng.random() < 0.3)
        self.initial = bool(rng.random() < 0.3)
        self.total = bool(rng.random() < 0.4)
        self.before = bool(rng.random() < 0.4)
        self.in_place = alone and bool(rng.random() < 0.2)
        self.combines = operator.word is None or bool(rng.random() < 0.5)
        self.step = int(rng.choice([1, 1, 1, 2, 3])) if not self.in_place else 1

    def __repr__(self) -> str:
        words = [word for word in ("restarts", "initial", "total", "before", "in_place") if getattr(self, word)]
        return " ".join(
            [self.name, self.operator.name, str(self.operator.dtype), self.when, f"step={self.step}", *words]
        )

    @property
    def element(self) -> str:
        """Of the array x: by the linear id."""
        return f"x_{self.name}[{'i' if self.step == 1 else f'i * {self.step}'}]"

    def first(self) -> str:
        """The statements that combine."""
        one = (
            f"{self.name}.combine({self.element});"
            if self.combines
            else f"{self.name} {self.operator.word} {self.element};"
        )
        if self.when == "if":
            one = f"if (keep[i] & 1) {{ {one} }}"
        elif self.when == "loop":
            one = f"for (int k = 0; k < keep[i] % 3; k++) {one}"
        return f"{self.name}.restart(keep[i] > 200);\n{one}" if self.restarts else one

    def second(self) -> str:
        """The statements that write."""
        if self.in_place:
            return f"x_{self.name}[i] = {self.name};"
        text = f"y_{self.name}[i] = {self.name};"
        return text + (f" z_{self.name}[i] = {self.name}.before;" if self.before else "")

    def times(self, keep: Any) -> Any:
        """How often an element contributes."""
        if self.when == "if":
            return keep & 1
        return keep % 3 if self.when == "loop" else np.ones_like(keep)

    def __call__(self, x: Any, keep: Any, initial: Any) -> tuple[Any, Any, Any]:
        """Lines as columns: the scan with and without each element, and the last value."""
        op, kind = self.operator, self.operator.dtype
        length, lines = x.shape
        begin = initial if initial is not None else op.identity
        held = begin is not None
        start = np.zeros(lines, kind)
        if held:
            start[:] = begin
        state, has = start.copy(), np.full(lines, held)
        after, before = np.zeros((length, lines), kind), np.zeros((length, lines), kind)
        times = self.times(keep)
        for k in range(length):
            if self.restarts and k > 0:
                anew = keep[k] > 200
                state[anew], has[anew] = start[anew], held
            before[k] = state
            for turn in range(int(times[k].max(initial=0))):
                does = times[k] > turn
                joined = np.where(has, op.combine(state, x[k]), x[k])
                state = np.where(does, joined, state)
                has = has | does
            after[k] = state
        return after, before, state


class Kind:
    """What decides the kernel of its cases."""

    def __init__(self, rng: np.random.Generator, types: list[str] | None = None) -> None:
        self.rank = int(rng.choice([1, 1, 1, 2, 2, 3]))
        self.axis = None if self.rank == 1 or rng.random() < 0.2 else int(rng.integers(self.rank))
        if self.rank == 1 and rng.random() < 0.2:
            self.axis = 0
        self.reverse = bool(rng.random() < 0.3)
        count = int(rng.choice([1, 1, 1, 2, 3]))
        named = list(OPERATORS) if types is None else types
        self.tracks = []
        for name in "tuv"[:count]:
            choice = OPERATORS[str(rng.choice([*named, "struct"] if types is None else named))]
            self.tracks.append(Track(rng, name, choice[rng.integers(len(choice))], count == 1))
        self.memory = str(rng.choice(MEMORIES))
        self.writes = bool(rng.random() < 0.95) or all(track.in_place for track in self.tracks)
        if not self.writes:
            for track in self.tracks:
                track.total, track.in_place = True, False

    def __repr__(self) -> str:
        words = [f"rank={self.rank} axis={self.axis} {self.memory}", *(["reverse"] if self.reverse else [])]
        return " ".join([*words, *(f"({track!r})" for track in self.tracks), *([] if self.writes else ["totals"])])

    @property
    def texts(self) -> tuple[str, str | None]:
        """The two texts."""
        second = "\n".join(track.second() for track in self.tracks) if self.writes else None
        return "\n".join(track.first() for track in self.tracks), second

    def shape(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Sizes around those of vectors, tiles and groups."""
        if rng.random() < 0.03:
            return tuple(int(size) for size in rng.choice([0, 1, 5], self.rank))
        if self.rank == 1:
            return (int(rng.choice(SIZES + LONG)),)
        shape, left = [1] * self.rank, 6000
        for d in rng.permutation(self.rank):
            fitting = [size for size in SIZES if size <= left ** (1 / 2) + 1]
            shape[d] = int(rng.choice(fitting))
            left = max(left // shape[d], 2)
        return tuple(shape)

    def lines(self, shape: tuple[int, ...]) -> int:
        """How many scans there are, each of which has a total."""
        return 1 if self.axis is None else prod(size for d, size in enumerate(shape) if d != self.axis)

    def columns(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The elements of each line as a column, in the order of the scan."""
        if self.axis is None:
            found = array.reshape(-1, 1)
        else:
            found = np.moveaxis(array.reshape(shape), self.axis, 0).reshape(shape[self.axis], self.lines(shape))
        return found[::-1] if self.reverse else found

    def rows(self, columns: Any, shape: tuple[int, ...]) -> Any:
        """The same back again."""
        found = columns[::-1] if self.reverse else columns
        if self.axis is None:
            return found.reshape(shape)
        rest = [size for d, size in enumerate(shape) if d != self.axis]
        return np.moveaxis(found.reshape(shape[self.axis], *rest), 0, self.axis)


class Memory:
    """The arrays of a case, as memory of the kind."""

    def __init__(self, queue: sycl.Queue, kind: str) -> None:
        self.queue, self.kind = queue, kind
        self.held: dict[str, Any] = {}

    def __call__(self, name: str, array: Any) -> Any:
        if self.kind == "buffer":
            made: Any = sycl.Buffer(array, copy=True) if array.size else sycl.Buffer(array.shape, array.dtype)
        elif self.kind == "usm" and self.queue.device.has("usm_shared_allocations"):
            made = sycl.malloc_shared(array.shape, array.dtype, self.queue)
            made.view()[...] = array
        else:
            made = array.copy()
        self.held[name] = made
        return made

    def read(self, name: str) -> Any:
        held = self.held[name]
        return held.view() if isinstance(held, sycl.UsmArray) else np.asarray(held)


def check(rng: np.random.Generator, kind: Kind, queue: sycl.Queue) -> None:
    """One case."""
    shape = kind.shape(rng)
    count = prod(shape)
    lines = kind.lines(shape)
    keep = rng.integers(0, 256 if rng.random() < 0.5 else 202, count).astype("u1")
    memory = Memory(queue, kind.memory)
    arguments: dict[str, Any] = {}
    wanted: dict[str, Any] = {}
    for track in kind.tracks:
        x = values(rng, count * track.step, track.operator)
        initial = values(rng, 1, track.operator)[0] if track.initial else None
        after, before, last = track(kind.columns(x[:: track.step], shape), kind.columns(keep, shape), initial)
        if kind.writes and track.in_place:
            wanted[f"x_{track.name}"] = kind.rows(after, shape).reshape(-1)
        elif kind.writes:
            wanted[f"y_{track.name}"] = kind.rows(after, shape).reshape(-1)
            if track.before:
                wanted[f"z_{track.name}"] = kind.rows(before, shape).reshape(-1)
        arguments[f"x_{track.name}"] = memory(f"x_{track.name}", x)
        total = None
        if track.total and lines:
            total = memory(f"total of {track.name}", np.full(lines, values(rng, 1, track.operator)[0]))
            wanted[f"total of {track.name}"] = last
        arguments[track.name] = sycl.scanner(track.operator.make(), track.operator.dtype, initial=initial, total=total)
    for name in wanted:
        if name[0] in "yz":
            filler = values(rng, count, kind.tracks["tuv".index(name[2])].operator)
            arguments[name] = memory(name, filler)
    if any(track.restarts or track.when != "always" for track in kind.tracks):
        arguments["keep"] = memory("keep", keep)
    queue.parallel_scan(
        shape if kind.rank > 1 else shape[0], *kind.texts, axis=kind.axis, reverse=kind.reverse, **arguments
    )
    queue.wait()
    for name, want in wanted.items():
        got = memory.read(name)[: want.size]
        wrong = np.flatnonzero(got != want)
        if wrong.size:
            at = int(wrong[0])
            raise AssertionError(
                f"{kind!r} shape={shape}: {name}[{at}] is {got[at]} and not {want[at]} ({wrong.size} wrong)"
            )


# -- by hand --


def rows_of(device: sycl.Device) -> list[str | None]:
    """The rows that can be forced, and None: whatever the table says."""
    return [None, *_core.scan_rows(device)]


def run(asked: argparse.Namespace, queue: sycl.Queue, say: Any) -> tuple[int, int]:
    """Cases until there are as many as were asked for: how many, and how many of their kinds were wrong."""
    start, done, wrong, number = time.time(), 0, 0, asked.seed
    rows = rows_of(queue.device)
    while done < asked.count and (not asked.seconds or time.time() - start < asked.seconds):
        rng = np.random.default_rng(number)
        kind = Kind(rng)
        row = rows[rng.integers(len(rows))] if asked.force else None
        _core.force_scan_row(row)
        for _ in range(min(asked.each, asked.count - done)):
            done += 1
            try:
                check(rng, kind, queue)
            except (AssertionError, sycl.SyclError) as error:
                wrong += 1
                say(f"WRONG seed {number}, row {row}: {kind!r}\n    {error}")
                break
        say(f"seed {number}, {kind!r}, row {row}: {done} cases, {wrong} wrong, {time.time() - start:.0f} s")
        number += 1
    _core.force_scan_row(None)
    return done, wrong


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=20, help="cases of a kind")
    parser.add_argument("--seconds", type=float, help="no new kind after as long")
    parser.add_argument("--force", action="store_true", help="one of the rows for each kind, whatever the device is")
    parser.add_argument("--quiet", action="store_true", help="only what is wrong")
    asked = parser.parse_args()
    queue = sycl.Queue()
    print(queue.device.name, flush=True)
    say = (
        (lambda line: "WRONG" in line and print(line, flush=True))
        if asked.quiet
        else (lambda line: print(line, flush=True))
    )
    done, wrong = run(asked, queue, say)
    print(f"{done} cases, {wrong} kinds wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
