"""As group_cases.py: calls that have to do with memory. Barriers, and algorithms over ranges."""

from __future__ import annotations

import random
from typing import Any

import group_kernels as gk
import group_reference as reference
import numpy as np
from group_cases import Array, Case, Launch, Team, Type, elsewhere, values

ROOM = 64  # elements of a range in local memory


class Exchange(Case):
    """Each item writes, all wait, each reads what another has written; and again, into the same places."""

    def __init__(self, rng: random.Random, number: int, group: str, type_: Type, whole: bool) -> None:
        super().__init__(rng, number)
        self.group, self.type = group, type_
        self.local = whole and group == "work_group" and rng.random() < 0.5
        x, y = self.array("x", type_, const=True), self.array("y", type_)
        scope = rng.choice(["", ", memory_scope_work_group", ", memory_scope_device"])
        barrier = f"group_barrier({group}{scope});"
        other = "(local_linear_id + 1 + pick) % items"
        if group == "sub_group":
            other = "(sub_group_local_id() + 1 + pick) % sub_group_size()"
        if self.local:
            self.outer = f"__local {type_.stored} m{number}[{ROOM * type_.width}];"
            self.parameters[f"m{number}"] = f"__local {type_.stored} *m{number}"
            first = "0"
        else:
            self.array("m", type_)
            first = "me - " + ("sub_group_local_id()" if group == "sub_group" else "local_linear_id")
        room = f"m{number}"
        self.block = f"""{type_.c} v = {type_.load(x, "at")};
    const size_t first = {first}, mine = {"local_linear_id" if self.local else "me"};
    for (int k = 0; k < 2; k++) {{
        {type_.store("v", "mine", room)}
        {barrier}
        v = {type_.load(room, f"first + {other}")};
        {barrier}
    }}
    {type_.store("v", "at", y)}
"""

    def fits(self, items: int) -> bool:
        return not self.local or items <= ROOM

    def arrays(self, launch: Launch) -> dict[str, Array]:
        count = launch.turns * launch.total
        out = {f"{letter}{self.number}": self.type.zeros(count) for letter in "xy"}
        if not self.local:
            out[f"m{self.number}"] = self.type.zeros(launch.total)
        x = self.type.rows(out[f"x{self.number}"])
        x[:] = values(launch.numbers, None, self.type.kind, x.shape)
        return out

    def wrong(self, given: dict[str, Array], found: dict[str, Array], launch: Launch, teams: list[Team]) -> str | None:
        x, y = self.type.rows(given[f"x{self.number}"]), self.type.rows(found[f"y{self.number}"])
        for turn in range(launch.turns):
            for team in teams:
                at = turn * launch.total + team.places
                expected = np.roll(x[at], -2 * (1 + launch.pick), 0)
                if not np.array_equal(y[at], expected):
                    return elsewhere(f"turn {turn}, group {team.number}", y[at], expected)
        return None


class Joint(Case):
    """An algorithm over a range of memory: each group has one of its own, in global or in local memory."""

    def __init__(self, rng: random.Random, number: int, group: str, type_: Type, whole: bool) -> None:
        super().__init__(rng, number)
        self.group, self.type = group, type_
        self.what = rng.choice(["reduce", "inclusive", "exclusive", "inclusive", "exclusive", "votes"])
        if self.what == "votes" and type_.width > 1:
            self.what = "reduce"
        names = gk.operators_of(type_.kind)
        self.op = rng.choice(names) if self.what != "votes" else "set"
        self.init = self.what != "votes" and rng.random() < 0.5
        self.local = whole and group == "work_group" and rng.random() < 0.3
        self.in_place = self.what in ("inclusive", "exclusive") and not self.local and rng.random() < 0.4
        self.scans = self.what in ("inclusive", "exclusive")
        self.array("x", type_, const=not self.in_place)
        if self.scans and not self.in_place:
            self.array("s", type_)
        self.result = Type("u4") if self.scans else Type("i4") if self.what == "votes" else type_
        y = self.array("y", self.result)
        self.block = self.ranges()
        if self.init:
            z = self.array("z", type_, const=True)
            self.block += f"const {type_.c} init = {type_.load(z, '0')};\n"
        self.block += f"{self.result.c} r = {self.call()};\n{self.result.store('r', 'at', y)}\n"
        if self.local:
            self.block += "group_barrier(work_group);\n"

    def ranges(self) -> str:
        """Declares `first` and `last`, and `out` for a scan."""
        number, word = self.number, self.type.c
        teams = "(size_t)turn * (total / items) + group_linear_id"
        if self.group == "sub_group":
            teams = "turn * total + group_linear_id * items + sub_group_group_id()"
        const = "" if self.in_place else "const "
        text = f"const size_t begin = ({teams}) * length;\n"
        text += f"__global {const}{word} *from = (__global {const}{word} *)x{number} + begin;\n"
        if self.local:
            self.outer = f"__local {word} m{number}[{ROOM}];"
            self.parameters[f"m{number}"] = f"__local {word} *m{number}"
            text += f"for (size_t e = local_linear_id; e < length; e += items) m{number}[e] = from[e];\n"
            text += f"group_barrier(work_group);\n__local {word} *first = m{number};\n"
        else:
            text += f"__global {const}{word} *first = from;\n"
        if self.scans:
            text += f"__global {word} *out = {'first' if self.in_place else f'(__global {word} *)s{number} + begin'};\n"
        return text

    def call(self) -> str:
        start = f"{self.group}, first, first + length"
        if self.what == "votes":
            return " + ".join(f"{k} * joint_{w}_of({start}, SET)" for k, w in ((1, "any"), (2, "all"), (4, "none")))
        init = "init, " * self.init
        if self.what == "reduce":
            return f"joint_reduce({start}, {init}{self.op})"
        if self.what == "exclusive":
            return f"joint_exclusive_scan({start}, out, {init}{self.op}) - out"
        return f"joint_inclusive_scan({start}, out, {self.op}{', init' * self.init}) - out"

    # -- a launch --

    def fits(self, items: int) -> bool:
        return self.group == "work_group" or items <= 256  # as many ranges as items may make sub-groups

    def length(self, launch: Launch) -> int:
        return min(launch.length, ROOM if self.local else 1 << 16)

    def ranges_of(self, launch: Launch) -> int:
        return launch.turns * (launch.total if self.group == "sub_group" else launch.count)

    def arrays(self, launch: Launch) -> dict[str, Array]:
        number, size = self.number, self.ranges_of(launch) * launch.length
        x = self.type.zeros(size, self.type.pitch)
        out = {f"x{number}": x, f"y{number}": self.result.zeros(launch.turns * launch.total)}
        if size:
            drawn = values(launch.numbers, self.op, self.type.kind, (size, self.type.width))
            self.type.rows(x, self.type.pitch)[:] = drawn
        if self.scans and not self.in_place:
            out[f"s{number}"] = self.type.zeros(size, self.type.pitch)
        if self.init:
            z = out[f"z{number}"] = self.type.zeros(1)
            self.type.rows(z)[:] = values(launch.numbers, self.op, self.type.kind, (1, self.type.width))
        return out

    def expected(self, x: Array, init: Array | None) -> tuple[Any, Any]:
        if self.what == "votes":
            there = x != 0
            return np.array([there.any() + 2 * there.all() + 4 * (not there.any())]), 0.0
        if self.what == "reduce":
            return reference.joint_reduce(self.op, x, init)
        return reference.scan(self.op, x, init, self.what == "inclusive")

    def wrong(self, given: dict[str, Array], found: dict[str, Array], launch: Launch, teams: list[Team]) -> str | None:
        number, length, pitch = self.number, launch.length, self.type.pitch
        x = self.type.rows(given[f"x{number}"], pitch)
        y = self.result.rows(found[f"y{number}"])
        init = self.type.rows(given[f"z{number}"])[0] if self.init else None
        scanned = self.type.rows(found[f"{'x' if self.in_place else 's'}{number}"], pitch) if self.scans else x
        apart = launch.total if self.group == "sub_group" else launch.count
        for turn in range(launch.turns):
            for team in teams:
                begin = (turn * apart + team.number) * length
                own, at = slice(begin, begin + length), turn * launch.total + team.places
                where = f"turn {turn}, group {team.number}, {length} elements"
                expected, bound = self.expected(x[own], init)
                if not self.scans:
                    if not reference.agrees(self.op, y[at], expected, bound).all():
                        return elsewhere(where, y[at], expected)
                    continue
                right = reference.agrees(self.op, scanned[own], expected, bound)
                if not right.all():
                    item = int(np.argmin(right.all(1)))
                    return elsewhere(f"{where}, element {item}", scanned[own][item], expected[item])
                if not (y[at] == length).all():
                    return elsewhere(f"{where}, end", y[at], length)
        return None
