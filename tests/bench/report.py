"""What the benches share: the machine's description, taking turns, and tables."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata


@dataclass
class Contender:
    """One way to do the work. `run(n)` does it n times; `seconds` collects the time of one, a figure per round."""

    name: str
    run: Callable[[int], object]
    note: str = ""
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def least(self) -> float:
        return min(self.seconds)


def repeated(call: Callable[[], object]) -> Callable[[int], None]:
    """What a contender runs: the call, so many times."""

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def take_turns(
    contenders: Sequence[Contender], rounds: int, count: int, clock: Callable[[], float] = time.perf_counter
) -> None:
    """Each runs `count` times in every round, so that what slows the machine down for a while slows all of them."""
    for contender in contenders:
        contender.run(count)  # first launches compile
    for turn in range(rounds):
        shift = turn % len(contenders)
        for contender in [*contenders[shift:], *contenders[:shift]]:
            before = clock()
            contender.run(count)
            contender.seconds.append((clock() - before) / count)


def ratio(one: Contender, other: Contender) -> float:
    """How many times as long `one` takes: the median over the rounds, each compared with the same round of the other."""
    return statistics.median(a / b for a, b in zip(one.seconds, other.seconds, strict=True))


def difference(one: Contender, other: Contender) -> float:
    """How many seconds more `one` takes: the median over the rounds."""
    return statistics.median(a - b for a, b in zip(one.seconds, other.seconds, strict=True))


def version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def load() -> str:
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except OSError:
        return "unknown"


def print_machine(title: str, *more: str) -> None:
    """The heading of a report: what was measured, on what, and when."""
    print(f"# {title}\n")
    print(f"machine : {processor()}, {os.cpu_count()} cores, {platform.platform()}, load {load()}")
    packages = ", ".join(f"{name} {version_of(name)}" for name in ("pysycl", "numpy", "pyopencl", "numba"))
    print(f"software: Python {platform.python_version()}, {packages}")
    for line in more:
        print(line)
    print(f"date    : {time.strftime('%Y-%m-%d %H:%M %Z')}\n")


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table that reads as it stands and as Markdown: the first column to the left, figures to the right."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return "| " + " | ".join(padded) + " |"

    print(line(heads))
    print("|" + "|".join("-" * (width + 2 - bool(i)) + ":" * bool(i) for i, width in enumerate(widths)) + "|")
    for row in rows:
        print(line(row))
    print(flush=True)
