"""Kernels with calls of group functions, drawn at random from a seed, held against NumPy.

From a shell, on any device:

    python tests/conformance/4_17_groups/group_variants.py --count 2000 --workers 4 --seed0 0
        [--sizes small] [--types scalar] [--unoptimised] [--flow]

A variant is one kernel: a body or a whole program, for one rank, with some calls on groups and sub-groups, each with a type
and an operator of its own, in line, in helpers, in loops and in branches; it runs with groups of several sizes.
The summary counts them, and their combinations of a call and a size.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from typing import Any, NamedTuple

import group_kernels as gk
import numpy as np
from group_cases import GROUPS, PREAMBLE, Array, Case, Collective, Launch, Team, Type
from group_cases_memory import ROOM, Exchange, Joint

import pysycl as sycl

SMALL = (1, 2, 3, 7, 16)
WIDTHS = {1: 12, 2: 3, 3: 3, 4: 3, 8: 1, 16: 1}  # how often: wide ones take compilers long
EMULATED_SIZES = (1, 2, 7, 16, 64)
TURNS = "for (uint turn = 0; turn < turns; turn++) {\n    const size_t at = turn * total + me;\n"
START = """    const size_t items = local_linear_range, total = items * group_linear_range;
    const size_t me = group_linear_id * items + local_linear_id;
"""
# What Oclgrind cannot run of what its compiler makes now and then: freeze, constants of 6 bytes (it has no kernel then).
UNSUPPORTED = ("Unsupported instruction: freeze", "(CL_INVALID_KERNEL_NAME)")
NUMBERS = ("turns", "pick", "length")


class How(NamedTuple):
    """Which variants: for a device that takes its time, for one that cannot do vectors; how they are built; and whether
    most of them have loops and branches."""

    small: bool = False
    scalar: bool = False
    optimised: bool = True
    flow: bool = False


EVERYTHING = How()


class Variant:
    """The kernel of a seed, for a device."""

    def __init__(self, seed: int, device: sycl.Device, how: How = EVERYTHING, build: bool = True) -> None:
        self.rng, self.seed, self.device, self.how = random.Random(seed), seed, device, how
        self.whole = self.rng.random() < 0.6
        self.rank = self.rng.randint(1, 3)
        self.options: list[str] = self.rng.choice(ways(device)) if self.whole else []
        self.built = [*self.options, *([] if how.optimised else ["-cl-opt-disable"])]
        self.types = [Type("?"), *(Type(kind) for kind in gk.C_TYPES if has(device, kind))]
        self.looped = self.rng.random() < (0.8 if how.flow else 0.4)
        self.required = self.rng.choice(required_sizes(device)) if self.whole and not self.options else 0
        most = 1 if device._facts["items"] == "packed" else 5  # Intel's compiler ends the process over some of several
        self.cases = [self.draw(number) for number in range(self.rng.randint(min(2, most), most))]
        self.helped = {case.number for case in self.cases if self.rng.random() < 0.25}
        self.branched = {case.number for case in self.cases if self.rng.random() < (0.6 if how.flow else 0.1)}
        self.sub_groups = any(case.group == "sub_group" for case in self.cases)
        self.sizes = SMALL if how.small else (*gk.SIZES, 0)  # 0: the largest
        self.program = sycl.Program(self.text(), self.built) if self.whole and build else None

    def draw(self, number: int) -> Case:
        kind = self.rng.choice(self.types).kind
        width = 1 if kind == "?" or self.how.scalar else self.rng.choices(list(WIDTHS), list(WIDTHS.values()))[0]
        type_ = Type("u4", 2) if not self.how.scalar and self.rng.random() < 0.08 else Type(kind, width)
        group, chance = self.rng.choice(GROUPS), self.rng.random()
        if chance < 0.1:
            return Exchange(self.rng, number, group, type_, self.whole)
        if chance < 0.3:
            return Joint(self.rng, number, group, type_, self.whole)
        return Collective(self.rng, number, group, type_, self.rank)

    # -- the text --

    def preamble(self) -> str:
        text = PREAMBLE + "".join(case.before for case in self.cases)
        for case in self.cases:
            if case.number in self.helped:
                parameters = ", ".join(case.parameters.values())
                numbers = "uint turn, uint pick, uint length, size_t at, size_t me, size_t items, size_t total"
                text += f"static void helper{case.number}({parameters}, {numbers})\n{{\n{case.block}}}\n"
        return text

    def statements(self) -> str:
        text = START + (TURNS if self.looped else "    const size_t at = me;\n    const uint turn = 0;\n")
        for case in self.cases:
            inner = case.block
            if case.number in self.helped:
                arguments = ", ".join(case.parameters)
                inner = f"helper{case.number}({arguments}, turn, pick, length, at, me, items, total);\n"
            branch = "if (group_linear_id % 2 == 0) " if case.number in self.branched else ""
            text += f"    {branch}{{\n{inner}    }}\n"
        return text + ("}\n" if self.looped else "")

    def text(self) -> str:
        arrays = {name: c for case in self.cases for name, c in case.parameters.items() if not c.startswith("__local")}
        parameters = [*arrays.values(), *(f"uint {name}" for name in self.numbers())]
        if self.sub_groups:
            parameters.append("__global uint *lanes")
        required = f"sycl_reqd_sub_group_size({self.required}) " if self.required else ""
        outer = "".join(f"    {case.outer}\n" for case in self.cases if case.outer)
        return (
            f"{self.preamble()}kernel {required}void run({', '.join(parameters)})\n{{\n{outer}{self.statements()}"
            f"{self.places()}}}\n"
        )

    def places(self) -> str:
        if not self.sub_groups:
            return ""
        return "    lanes[me] = sub_group_local_id();\n    lanes[total + me] = sub_group_group_id();\n"

    def numbers(self) -> list[str]:
        text = self.preamble() + self.statements()
        return [name for name in NUMBERS if name in text.replace(f"uint {name}", "")]

    # -- a launch --

    def launches(self) -> list[Launch]:
        most = self.most()
        sizes = sorted({min(size or most, most) for size in self.rng.sample(self.sizes, 2 if self.whole else 1)})
        fitting = [n for n in sizes if all(case.fits(n) for case in self.cases if isinstance(case, (Exchange, Joint)))]
        return [self.launch(size) for size in fitting or [7]]

    def most(self) -> int:
        if self.program is None:
            return gk.most_items(self.device)
        wide = any(case.type.width * case.type.dtype.itemsize > 8 for case in self.cases)  # type: ignore[attr-defined]
        own = self.program.run.get_info("work_group_size", self.device)
        return int(min(own, 1024) if wide else own)

    def launch(self, size: int) -> Launch:
        local, rest = [], size
        for _ in range(self.rank - 1):
            local.append(self.rng.choice([d for d in range(1, rest + 1) if rest % d == 0]))
            rest //= local[-1]
        local.insert(self.rng.randint(0, len(local)), rest)
        room = self.device.max_work_item_sizes[-len(local) :]
        if any(n > most for n, most in zip(local, room, strict=True)):
            local.sort()  # the last dimension has room for all
        groups = tuple(self.rng.choice((1, 1, 2, 3)) for _ in local)
        if size > 256:
            groups = (*(1 for _ in local[1:]), 2)
        length = self.rng.choice([0, 1, size - 1, size, size + 1, 3 * size + 2, self.rng.randint(0, 40)])
        if any(isinstance(case, Joint) and case.local for case in self.cases):
            length = min(length, ROOM)
        if any(isinstance(case, Joint) and case.group == "sub_group" for case in self.cases):
            length = min(length, 40)
        turns = self.rng.randint(1, 3) if self.looped and size <= 256 else 1
        numbers = np.random.default_rng(self.seed * 1000 + size)
        return Launch(tuple(local), groups, turns, self.rng.randint(0, 9999), length, numbers)

    def run(self, queue: sycl.Queue, launch: Launch) -> str | None:
        """What is wrong."""
        given: dict[str, Array] = {}
        for case in self.cases:
            given |= case.arrays(launch)
        found = {name: copied(array) for name, array in given.items()}
        every = dict(found) | {name: np.uint32(getattr(launch, name)) for name in self.numbers()}
        if self.sub_groups:
            every["lanes"] = np.zeros(2 * launch.total, np.uint32)
        whole = tuple(n * count for n, count in zip(launch.local, launch.groups, strict=True))
        space = sycl.NdRange(whole, launch.local)
        if self.program is not None:
            named = [name for case in self.cases for name, c in case.parameters.items() if not c.startswith("__local")]
            order = [*named, *self.numbers(), *(["lanes"] if self.sub_groups else [])]
            queue.parallel_for(space, self.program.run, *(every[name] for name in order)).wait()
        else:
            text = self.statements() + self.places()
            queue.parallel_for(space, text, preamble=self.preamble(), options=self.built, **every).wait()
        return self.judge(given, found, every, launch)

    def judge(self, given: dict[str, Any], found: dict[str, Any], every: dict[str, Any], launch: Launch) -> str | None:
        teams = {"work_group": work_groups(launch)}
        if self.sub_groups:
            teams["sub_group"] = sub_groups(every["lanes"].reshape(2, -1), launch)
            if self.required and any(len(team.places) > self.required for team in teams["sub_group"]):
                return f"sub-groups of more than {self.required} items"
        for case in self.cases:
            reached = [
                team
                for team in teams[case.group]
                if case.number not in self.branched or group_of(team, launch) % 2 == 0
            ]
            wrong = case.wrong(given, found, launch, reached)
            if wrong is not None:
                return f"call {case.number}: {wrong}\nin\n{case.block}"
        return None


def has(device: sycl.Device, kind: str) -> bool:
    return {"f2": device.has("fp16"), "f8": device.has("fp64")}.get(kind, True)


def required_sizes(device: sycl.Device) -> list[int]:
    """Of sub-groups, that kernels may require; 0 for none."""
    own = device._query(sycl._core.cl_constants()["CL_DEVICE_SUB_GROUP_SIZES_INTEL"], "sizes", [])
    return [0, 0, *(size for size in own if size in device.sub_group_sizes)]


def ways(device: sycl.Device) -> list[list[str]]:
    """Build options under which the device has group functions of all kinds."""
    own = gk.ways(device)
    if device._facts["sub_groups"] == 3:
        own = [*own, *own, *([f"-DSYC_SUB_GROUP_SIZE={size}"] for size in EMULATED_SIZES)]
    return own


def copied(array: Array) -> Array:
    """With the same alignment."""
    room = np.zeros(array.nbytes + 128, np.uint8)
    first = -room.ctypes.data % 128
    out: Array = room[first : first + array.nbytes].view(array.dtype)
    out[:] = array
    return out


def group_of(team: Team, launch: Launch) -> int:
    return int(team.places[0]) // launch.items


def work_groups(launch: Launch) -> list[Team]:
    places = np.arange(launch.total).reshape(launch.count, launch.items)
    return [Team(row, number, launch.local) for number, row in enumerate(places)]


def sub_groups(lanes: Array, launch: Launch) -> list[Team]:
    """As the kernel says that they are; that what it says makes sense is asserted."""
    teams = []
    for group in work_groups(launch):
        lane, number = lanes[:, group.places]
        for one in range(int(number.max()) + 1):
            mine = group.places[number == one]
            assert np.array_equal(lane[number == one], np.arange(len(mine))), "lanes of a sub-group"
            assert len(mine) > 0, "a sub-group without items"
            teams.append(Team(mine, group.number * launch.items + one, launch.local))
    return teams


def check(queue: sycl.Queue, seed: int, how: How = EVERYTHING) -> Counter[str]:
    """Runs a variant; says what it was made of, or raises an AssertionError."""
    variant = Variant.__new__(Variant)
    try:
        variant.__init__(seed, queue.device, how)  # type: ignore[misc]
        launches = variant.launches()
        for launch in launches:
            wrong = variant.run(queue, launch)
            assert wrong is None, wrong
    except (AssertionError, sycl.SyclError) as error:
        unsupported = gk.is_slow(queue.device) and any(words in str(error) for words in UNSUPPORTED)
        if unsupported or "has not enough registers" in str(error):
            return Counter({"unexamined": 1})
        where = f"required {variant.required}, options {variant.options}" if hasattr(variant, "required") else ""
        about = {k: v for k, v in vars(launch).items() if k != "numbers"} if "launch" in locals() else {}
        text = variant.text() if hasattr(variant, "sub_groups") else ""
        raise AssertionError(f"variant seed {seed}: {error}\n{about} {where}\n{text}") from error
    made = Counter({"variants": 1, "calls": len(variant.cases), "launches": len(launches)})
    made.update(type(case).__name__ for case in variant.cases)
    made["combinations"] = len(variant.cases) * len(launches)
    return made


def work(job: tuple[int, int, int, How]) -> tuple[Counter[str], list[str]]:
    """Every step-th seed from the first on, in a process of its own."""
    first, last, step, how = job
    queue, made, failures = sycl.Queue(), Counter[str](), []
    began = time.monotonic()
    for seed in range(first, last, step):
        try:
            made += check(queue, seed, how)
        except KeyboardInterrupt:  # what has been run until then is told
            break
        except AssertionError as error:
            failures.append(str(error))
            print(error, flush=True)
        if (seed - first) // step % 100 == 99:
            print(f"{made['variants']} variants in {time.monotonic() - began:.0f} s", flush=True)
    return made, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed0", type=int, default=0)
    parser.add_argument("--sizes", choices=["all", "small"], default="all")
    parser.add_argument("--types", choices=["all", "scalar"], default="all")
    parser.add_argument("--unoptimised", action="store_true")
    parser.add_argument("--flow", action="store_true")
    given = parser.parse_args()
    how = How(given.sizes == "small", given.types == "scalar", not given.unoptimised, given.flow)
    last, workers = given.seed0 + given.count, min(given.workers, given.count)
    jobs = [(given.seed0 + n, last, workers, how) for n in range(workers)]
    began = time.monotonic()
    if workers > 1:
        with multiprocessing.get_context("spawn").Pool(workers) as pool:
            results = pool.map(work, jobs, 1)
    else:
        results = [work(jobs[0])]
    made, failures = sum((one for one, _ in results), Counter[str]()), [each for _, some in results for each in some]
    print(f"{sycl.Device().name}: {dict(made)}, {len(failures)} failed, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
