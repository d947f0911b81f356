"""What Oclgrind says of races and of reads that nothing has written, and which of it is meant.

Oclgrind looks at all accesses of a launch, within groups and between them. Of order between groups it knows none, so it
calls it a race when the group that comes last reads what the others have left, although they have said so by an atomic
counter. Kernels mark such reads as volatile, and nothing else. In a few forms they do not, for speed: there a test says what
else may be, which is as little as that form has. All that is meant is counted, and all else told."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from typing import NamedTuple

import pysycl as sycl

RACE = re.compile(r"(?:Read-write|Write-write) data race at global memory")
ENTITY = re.compile(r"entity:.*Group(\(\d+,\d+,\d+\))\n\s*(.*)")
VOLATILE = re.compile(r"= load volatile |@llvm\.memcpy\.p0i8\.p1i8.*, i1 true\)")
ATOMIC = re.compile(r"call .*@_Z\d+atom")


class Race(NamedTuple):
    """Between two groups: what each of them did."""

    groups: tuple[str, str]
    instructions: tuple[str, str]


def race_of(words: str) -> Race | None:
    entities = ENTITY.findall(words)
    if not RACE.match(words) or len(entities) != 2 or entities[0][0] == entities[1][0]:
        return None
    return Race((entities[0][0], entities[1][0]), (entities[0][1], entities[1][1]))


def is_volatile(race: Race) -> bool:
    return any(VOLATILE.search(each) for each in race.instructions)


def is_filling(race: Race) -> bool:
    """One group writes what others combine with by atomic operations."""
    stores = [each.startswith(("store ", "call void @llvm.memcpy.p1i8")) for each in race.instructions]
    atomics = [bool(ATOMIC.search(each)) for each in race.instructions]
    return (stores, atomics) in (([True, False], [False, True]), ([False, True], [True, False]))


def has_last(races: list[Race]) -> bool:
    """All of them are one group's."""
    return not races or bool(set.intersection(*(set(race.groups) for race in races)))


def has_folders(races: list[Race]) -> bool:
    """There are groups of two kinds, none of which has a race with its like."""
    sides: dict[str, int] = {}
    rest = list(races)
    while rest:
        known = next((race for race in rest if set(race.groups) & sides.keys()), rest[0])
        rest.remove(known)
        first, second = known.groups
        if first not in sides:
            sides[first] = 1 - sides.get(second, 0)
        if sides.setdefault(second, 1 - sides[first]) == sides[first]:
            return False
    return True


class RaceLog:
    """Looks after each launch, with PYSYCL_DEBUG=oclgrind,sync. All that is written to stderr from now on is Oclgrind's: its
    own log would be emptied by each thread that comes to it."""

    def __init__(self) -> None:
        os.environ.pop("OCLGRIND_LOG", None)
        os.environ["OCLGRIND_MAX_ERRORS"] = "1000000000"
        self.file = tempfile.TemporaryFile()  # noqa: SIM115, it is there as long as the process
        self.launches = self.ordered = self.read = 0
        self.meant = ""
        os.dup2(os.open(f"/proc/self/fd/{self.file.fileno()}", os.O_WRONLY | os.O_APPEND), 2)
        sys.modules["pysycl.debug"].raise_findings = self.look

    def look(self) -> None:
        self.file.seek(self.read)
        new = self.file.read()
        self.read += len(new)
        found = [words for words in re.split(r"\n(?=\S)", new.decode(errors="replace").strip()) if words]
        wrong = self.wrong(found)
        self.launches += 1
        self.ordered += len(found) - len(wrong)
        if wrong:
            raise sycl.KernelError(f"{len(wrong)} findings:\n" + "\n".join(wrong[:3]))

    def wrong(self, found: list[str]) -> list[str]:
        """What is not meant, of one launch."""
        races = {words: race_of(words) for words in found}
        left = {words: race for words, race in races.items() if race is None or not is_volatile(race)}
        if "fills" in self.meant:
            left = {words: race for words, race in left.items() if race is None or not is_filling(race)}
        between = [race for race in left.values() if race is not None]
        if ("last" in self.meant and has_last(between)) or ("folders" in self.meant and has_folders(between)):
            left = {words: race for words, race in left.items() if race is None}
        return list(left)
