"""Random scans of two texts (scan_random.py).

A *kind* of case fixes what decides the kernel: the range's rank and axis, the scanners with their operators, conditions and
restarts, what is written and where, reverse, kinds of memory. Its cases vary sizes, strides, segments and values, so that
the same kernel sees other elements each time: what is left of a call before would show."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from scan_operators import OPERATORS, Operator, values

import pysycl as sycl

SIZES = [1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 37, 63, 64, 65, 74, 127, 128, 129, 251, 255, 256, 257]
LONG = [1021, 1023, 1024, 1025, 4093, 4095, 4096, 4097, 10007]
LONGER = [16383, 65537, 131071, 262147]
STEPS = [1, 1, 1, 2, 3, -1, -2]
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
        self.steps = bool(rng.random() < 0.5)

    def __repr__(self) -> str:
        words = [
            word for word in ("restarts", "initial", "total", "before", "in_place", "steps") if getattr(self, word)
        ]
        return " ".join([self.name, self.operator.name, str(self.operator.dtype), self.when, *words])

    @property
    def element(self) -> str:
        """Of the array x: by the linear id, and by a place and a step that differ from case to case."""
        return f"x_{self.name}[{'at_$ + i * step_$'.replace('$', self.name) if self.steps else 'i'}]"

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
            return f"{self.element} = {self.name};"
        text = f"y_{self.name}[i] = {self.name};"
        return text + (f" z_{self.name}[i] = {self.name}.before;" if self.before else "")

    def times(self, keep: Any) -> Any:
        """How often an element contributes."""
        if self.when == "if":
            return keep & 1
        return keep % 3 if self.when == "loop" else np.ones_like(keep)

    def begin(self, initial: Any, lines: int) -> tuple[Any, bool]:
        """What each line and segment begins with, and whether that is a value."""
        begin = initial if initial is not None else self.operator.identity
        start = np.zeros(lines, self.operator.dtype)
        if begin is not None:
            start[:] = begin
        return start, begin is not None

    def heads(self, keep: Any) -> Any:
        """Which elements begin a line or a segment."""
        found = (keep > 200) & self.restarts
        found[:1] = True
        return found

    def __call__(self, x: Any, keep: Any, initial: Any) -> tuple[Any, Any, Any]:
        """Lines as columns: the scan with and without each element, and the last value. By doubling: each element is
        combined with that 1, 2, 4 ... before it, and holds all between them (`test_cases_themselves`)."""
        combine = self.operator.combine
        start, held = self.begin(initial, x.shape[1])
        heads, times = self.heads(keep), self.times(keep)
        has, state = times > 0, np.zeros_like(x)
        state[has] = x[has]
        state = np.where(times > 1, combine(state, x), state)
        first = np.broadcast_to(start, x.shape)
        state = np.where(heads & held, np.where(has, combine(first, state), first), state)
        has = has | (heads & held)
        begun, far = heads.copy(), 1
        while far < len(x):
            before, after = state[:-far], state[far:]
            one, other = has[:-far] & ~begun[far:], has[far:]
            joined = np.where(one & other, combine(before, after), np.where(one, before, after))
            state = np.concatenate([state[:far], joined])
            has = np.concatenate([has[:far], one | other])
            begun[far:] = begun[far:] | begun[:-far]
            far *= 2
        was = np.concatenate([start[None], state])
        return state, np.where(heads, first, was[:-1]), was[-1]


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
            return (int(rng.choice(LONGER if rng.random() < 0.01 else SIZES + LONG)),)
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
        step = int(rng.choice(STEPS)) if track.steps else 1
        x = values(rng, count * abs(step), track.operator)
        initial = values(rng, 1, track.operator)[0] if track.initial else None
        own = slice(None, None, step) if count else slice(0)
        after, before, last = track(kind.columns(x[own], shape), kind.columns(keep, shape), initial)
        if track.steps:
            arguments[f"step_{track.name}"], arguments[f"at_{track.name}"] = step, 0 if step > 0 else x.size - 1
        if kind.writes and track.in_place:
            wanted[f"x_{track.name}"] = whole = x.copy()
            whole[own] = kind.rows(after, shape).reshape(-1)
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
