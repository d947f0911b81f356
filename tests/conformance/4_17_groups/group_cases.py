"""Calls of group functions, drawn at random: each is a piece of a kernel, the arrays that it takes, and what it must give.

A piece finds these names: `at`, its item's element (of all groups and turns); `me`, the same of one turn; `items` of its
group; `pick` and `length`, numbers that are the same for all; `turn`. Arrays are of the elements' own scalar type.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import group_kernels as gk
import group_reference as reference
import numpy as np

Array = np.ndarray[Any, Any]
OPERATORS = tuple(reference.UFUNCS)
GROUPS = ("work_group", "sub_group")
PREAMBLE = gk.CHAIN + "#define SET(x) ((x) != 0)\n"


@dataclass(frozen=True)
class Type:
    """Of values: a NumPy kind and how many components."""

    kind: str
    width: int = 1

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.kind)

    @property
    def scalar(self) -> str:
        return "bool" if self.kind == "?" else gk.C_TYPES[self.kind]

    @property
    def stored(self) -> str:
        """Of the arrays' elements: a bool is no type of a kernel's argument."""
        return "uchar" if self.kind == "?" else self.scalar

    @property
    def c(self) -> str:
        return self.scalar + (str(self.width) if self.width > 1 else "")

    @property
    def pitch(self) -> int:
        """Components from one element of memory to the next, where a pointer has the type itself."""
        return 4 if self.width == 3 else self.width

    def load(self, array: str, at: str) -> str:
        return f"vload{self.width}({at}, {array})" if self.width > 1 else f"{array}[{at}]"

    def store(self, value: str, at: str, array: str) -> str:
        return f"vstore{self.width}({value}, {at}, {array});" if self.width > 1 else f"{array}[{at}] = {value};"

    def zeros(self, count: int, pitch: int | None = None) -> Array:
        """Aligned as a kernel may take it to be, also where the array is used in place."""
        kind = np.dtype("u1") if self.kind == "?" else self.dtype
        size = max(count, 1) * (pitch or self.width) * kind.itemsize
        room = np.zeros(size + 128, np.uint8)
        first = -room.ctypes.data % 128
        return room[first : first + size].view(kind)

    def rows(self, array: Array, pitch: int | None = None) -> Array:
        """Elements x components."""
        out = array.reshape(-1, pitch or self.width)[:, : self.width]
        return out.view(np.bool_) if self.kind == "?" else out


@dataclass
class Team:
    """Items that make a group together, in linear order: where they stand among all, and what number the group has."""

    places: Array
    number: int
    rank: tuple[int, ...]  # the work-group's own range


@dataclass
class Launch:
    """One run of a kernel."""

    local: tuple[int, ...]
    groups: tuple[int, ...]
    turns: int
    pick: int
    length: int
    numbers: np.random.Generator

    @property
    def items(self) -> int:
        return int(np.prod(self.local))

    @property
    def count(self) -> int:
        return int(np.prod(self.groups))

    @property
    def total(self) -> int:
        return self.items * self.count


def values(numbers: np.random.Generator, op: str | None, kind: str, shape: tuple[int, ...]) -> Array:
    """Numbers for an operator; of floats sometimes such that no sum or product rounds."""
    dtype = np.dtype(kind)
    if op in reference.LOGICAL or kind == "?" or op == "set":
        chance = numbers.choice([0, 0.01, 0.5, 0.99, 1], (-(-shape[0] // 8), 1))
        some = numbers.random(shape) < np.repeat(chance, 8, 0)[: shape[0]]
        return np.where(some, dtype.type({"f": 0.25, "i": -128}.get(dtype.kind, 1)), dtype.type(0))
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        return numbers.integers(info.min, info.max, shape, dtype, endpoint=True)
    if op == "plus":
        whole = numbers.integers(-9, 10, shape)
        spread = numbers.standard_normal(shape) * 2.0 ** numbers.integers(-5, 5, shape)
        return (whole if numbers.random() < 0.3 else spread).astype(dtype)
    if op == "multiplies":  # so many factors must not leave the range of the type
        near = np.exp2(numbers.uniform(-0.25, 0.25, shape)) if kind != "f2" else numbers.uniform(0.98, 1.02, shape)
        return (near * numbers.choice([-1, 1], shape)).astype(dtype)
    out = numbers.standard_normal(shape)
    out[numbers.random(shape) < 0.02] = numbers.choice([np.inf, -np.inf])
    return out.astype(dtype)


class Case:
    """A call: `block` is its text, `parameters` its arrays with their C types, `arrays` makes them for a launch."""

    group = "work_group"
    block = ""
    outer = ""  # declarations at the kernel's outermost level, which only whole programs have
    before = ""  # a function of its own, in front of the kernel

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng, self.number = rng, number
        self.name = ""
        self.parameters: dict[str, str] = {}

    def array(self, letter: str, type_: Type, const: bool = False) -> str:
        name = f"{letter}{self.number}"
        self.parameters[name] = f"__global {'const ' if const else ''}{type_.stored} *{name}"
        return name

    def arrays(self, launch: Launch) -> dict[str, Array]:
        raise NotImplementedError

    def wrong(self, given: dict[str, Array], found: dict[str, Array], launch: Launch, teams: list[Team]) -> str | None:
        """What is wrong with the arrays after the launch, in words."""
        raise NotImplementedError


def elsewhere(place: str, found: Any, expected: Any) -> str:
    return f"{place}: {np.asarray(found).ravel()[:8].tolist()} and not {np.asarray(expected).ravel()[:8].tolist()}"


class Collective(Case):
    """A value of each item in, one out: votes, broadcasts, reductions, scans, shuffles, leaders."""

    def __init__(self, rng: random.Random, number: int, group: str, type_: Type, rank: int) -> None:
        super().__init__(rng, number)
        self.group, self.type, self.result, self.rank = group, type_, type_, rank
        self.op: str | None = None
        self.data: str | None = None  # what values are good
        self.some_value: Any = False  # where the result may be anything
        self.init = False
        self.call = self.draw()
        x, y = self.array("x", self.type, const=True), self.array("y", self.result)
        self.block = f"{self.type.c} v = {self.type.load(x, 'at')};\n"
        given = ""
        if self.init:
            z = self.array("z", self.result, const=True)
            self.block += f"{self.result.c} init = {self.result.load(z, '0')};\n"
            given = f", {self.result.c} init"
        if rng.random() < 0.25:  # the call in a function that returns it
            self.before = (
                f"static {self.result.c} of{number}({self.type.c} v{given}, uint pick) {{ return {self.call}; }}\n"
            )
            self.call = f"of{number}(v{', init' if given else ''}, pick)"
        self.block += f"{self.result.c} r = {self.call};\n{self.result.store('r', 'at', y)}\n"

    def draw(self) -> str:
        kinds: list[Callable[[], str]] = [self.reduction] * 3 + [self.scan] * 4 + [self.broadcast] * 2 + [self.vote]
        if self.group == "sub_group":
            kinds += [self.shuffle] * 3
        if self.type.width == 1 and self.rng.random() < 0.05:
            return self.leader()
        return self.rng.choice(kinds)()

    def draw_operator(self) -> None:
        names = gk.operators_of(self.type.kind)
        self.op = self.data = self.rng.choice(names)
        if self.type == Type("u4", 2) and self.rng.random() < 0.6:
            self.op = self.data = "chain"
        self.init = self.rng.random() < 0.5

    def widen(self) -> None:
        """The init is of a type that holds the values."""
        wider = {"?": "i4", "i1": "i4", "u1": "u8", "i2": "f4", "u2": "u4", "i4": "i8", "u4": "i8", "f2": "f4"}
        kind = wider.get(self.type.kind)
        if self.init and self.type.width == 1 and kind and self.rng.random() < 0.3:
            if kind[0] == "f" and self.op in (*gk.BITWISE, "multiplies"):  # whose products leave the range
                return
            self.result = Type(kind)

    def reduction(self) -> str:
        self.draw_operator()
        self.widen()
        op, result = str(self.op), self.result.dtype

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            return reference.reduce(op, v.astype(result), init)

        self.expected = expected
        return f"group_reduce({self.group}, v, {'init, ' * self.init}{op})"

    def scan(self) -> str:
        self.draw_operator()
        includes = self.rng.random() < 0.5
        if not includes and self.op == "chain":
            self.init = True
        self.widen()
        op, result = str(self.op), self.result.dtype

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            return reference.scan(op, v.astype(result), init, includes)

        self.expected = expected
        if includes:
            return f"group_inclusive_scan({self.group}, v, {op}{', init' * self.init})"
        return f"group_exclusive_scan({self.group}, v, {'init, ' * self.init}{op})"

    def broadcast(self) -> str:
        forms = ["", "pick % items_of"]
        if self.group == "work_group" and self.rank > 1:
            forms.append("ids")
        form = self.rng.choice(forms)
        rank = self.rank

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            at = launch.pick % len(v) if form else 0
            if form == "ids":
                at = int(np.ravel_multi_index(tuple(launch.pick % n for n in team.rank), team.rank))
            return np.broadcast_to(v[at], v.shape), 0.0

        self.expected = expected
        if form == "ids":
            ids = ", ".join(f"pick % (uint)local_range({d})" for d in range(rank))
            return f"group_broadcast({self.group}, v, {ids})"
        size = "(uint)local_linear_range" if self.group == "work_group" else "sub_group_size()"
        return f"group_broadcast({self.group}, v{', pick % ' + size if form else ''})"

    def vote(self) -> str:
        which = self.rng.choice(["any", "all", "none"])
        self.data = "set"
        scalar = self.type.width == 1
        value = "v" if scalar else "v.s1"
        call = f"group_{which}_of({self.group}, {self.rng.choice([value, f'{value} != 0', f'{value}, SET'])})"
        self.result = Type("i4")
        table: dict[str, Any] = {"any": np.any, "all": np.all, "none": lambda a: not a.any()}

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            answer = table[which](v[:, 0 if scalar else 1] != 0)
            return np.full((len(v), 1), 5 * answer), 0.0

        self.expected = expected
        return f"5 * {call}"

    def leader(self) -> str:
        self.result = Type("i4")

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            return 3 * (np.arange(len(v)) == 0)[:, None], 0.0

        self.expected = expected
        return f"3 * group_leader({self.group})"

    def shuffle(self) -> str:
        form = self.rng.choice(["left", "left 1", "right", "right 1", "xor", "select"])
        call, source = {
            "left": ("shift_group_left(sub_group, v, pick % 40)", lambda k, p, n: k + p % 40),
            "left 1": ("shift_group_left(sub_group, v)", lambda k, p, n: k + 1),
            "right": ("shift_group_right(sub_group, v, pick % 40)", lambda k, p, n: k - p % 40),
            "right 1": ("shift_group_right(sub_group, v)", lambda k, p, n: k - 1),
            "xor": ("permute_group_by_xor(sub_group, v, pick % 32)", lambda k, p, n: k ^ (p % 32)),
            "select": (
                "select_from_group(sub_group, v, (sub_group_local_id() * 5 + pick) % sub_group_size())",
                lambda k, p, n: (k * 5 + p) % n,
            ),
        }[form]

        def expected(v: Array, init: Array | None, team: Team, launch: Launch) -> Any:
            lanes = source(np.arange(len(v)), launch.pick, len(v))
            self.some_value = ((lanes < 0) | (lanes >= len(v)))[:, None]
            return v[np.where(self.some_value[:, 0], 0, lanes)], 0.0

        self.expected = expected
        return call

    # -- a launch --

    def arrays(self, launch: Launch) -> dict[str, Array]:
        count = launch.turns * launch.total
        out = {f"x{self.number}": self.type.zeros(count), f"y{self.number}": self.result.zeros(count)}
        x = values(launch.numbers, self.data, self.type.kind, (count, self.type.width))
        self.type.rows(out[f"x{self.number}"])[:] = x
        if self.init:
            z = out[f"z{self.number}"] = self.result.zeros(1)
            self.result.rows(z)[:] = values(launch.numbers, self.data, self.result.kind, (1, self.result.width))
        return out

    def wrong(self, given: dict[str, Array], found: dict[str, Array], launch: Launch, teams: list[Team]) -> str | None:
        x = self.type.rows(given[f"x{self.number}"])
        y = self.result.rows(found[f"y{self.number}"])
        init = self.result.rows(given[f"z{self.number}"])[0] if self.init else None
        with np.errstate(over="ignore", invalid="ignore"):
            for turn in range(launch.turns):
                for team in teams:
                    at = turn * launch.total + team.places
                    expected, bound = self.expected(x[at], init, team, launch)
                    right = reference.agrees(self.op, y[at], expected, bound) | self.some_value
                    if not right.all():
                        item = int(np.argmin(right.all(1)))
                        where = f"turn {turn}, group {team.number}, item {item}"
                        return elsewhere(where, y[at][item], expected[item])
        return None
