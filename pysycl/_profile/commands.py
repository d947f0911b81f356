"""What a profile consists of: commands, rows of commands that are alike, and lanes of a picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

HOST_KINDS = ("host task", "build", "wait")


class ProfiledCommand(NamedTuple):
    """One command of a profile, or something else that took time: the build of a text, a wait of the host's.

    Examples
    --------
    >>> with queue.profile() as p:
    ...     event = queue.parallel_for(1000, "x[i] += 1;", x=np.zeros(1000, np.float32))
    >>> [(command.kind, command.label) for command in p.commands if command.kind == "kernel"]
    [('kernel', 'x[i] += 1;')]
    """

    kind: str
    """"kernel", "copy", "fill", "transfer", "replay", "host task", ..., "build", "wait"."""
    label: str
    """The text of a body, the name of a kernel, from where to where a transfer goes; else ""."""
    site: str
    """file:line that submitted it; "" if unknown."""
    device: str
    """Its device's name; "": none."""
    queue: int
    """A number for the queue; 0: none."""
    id: int
    """The command's number, as `Graph` has it; 0: no command."""
    submit: float
    start: float
    end: float
    """Seconds since the block began. Of a command without times all three are NaN."""
    bytes: int
    """The most that it reads and writes by what its arguments say; 0: it does not say."""
    failed: bool
    call: str = ""
    """The function whose kernel it is, as "sort()"; "": what runs is the user's own."""

    @property
    def title(self) -> str:
        """The call, else the label: what the user has written."""
        return self.call or self.label

    @property
    def seconds(self) -> float:
        """From start to end; 0 where there are no times."""
        return self.end - self.start if self.timed else 0.0

    @property
    def timed(self) -> bool:
        """False: it failed, or its queue is one of a foreign library's, which keeps no times."""
        return self.end == self.end


class ProfileRow(NamedTuple):
    """Commands that are alike, as `Profile.by` puts them together.

    Examples
    --------
    >>> with queue.profile() as p:
    ...     event = queue.parallel_for(1000, "x[i] += 1;", x=np.zeros(1000, np.float32))
    >>> [row.count for row in p.by("kind") if row.kind == "kernel"]
    [1]
    """

    kind: str
    label: str
    site: str
    count: int  # type: ignore[assignment]  # tuples have a method of that name
    total: float
    """Seconds of all of them."""
    first: float
    """Seconds of the first one, for which drivers often compile."""
    median: float | None
    """Seconds in the middle of the others; None: there are no others."""
    rate: float | None
    """Bytes a second, by the median and what the arguments say; None: nothing is known of bytes."""
    parts: tuple[ProfileRow, ...] = ()
    """The rows of its kernels, where a call such as `sycl.sort` has several."""


def lanes_of(commands: Iterable[ProfiledCommand]) -> dict[str, list[ProfiledCommand]]:
    """Commands that are shown in one line, of whom no two overlap: a queue's, then host tasks, transfers, builds, waits."""
    ends: dict[str, float] = {}
    lanes: dict[str, list[ProfiledCommand]] = {}
    rank = {"transfer": 2, "host task": 1, "build": 3, "wait": 4}
    timed = [command for command in commands if command.timed]
    for command in sorted(timed, key=lambda c: (rank.get(c.kind, 0), c.queue, c.start, c.end)):
        base = f"{command.kind}s" if command.kind in rank else f"queue {command.queue}"
        name, number = base, 1
        while command.start < ends.get(name, float("-inf")):
            number += 1
            name = f"{base} ({number})"
        ends[name] = command.end
        lanes.setdefault(name, []).append(command)
    return lanes
