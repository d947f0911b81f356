"""Profile: what the commands of a block took, as a table, a picture and a trace."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from pysycl import _core
from pysycl._profile.roof import MEASURING, roof_of
from pysycl._runtime.lines import counted
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue

HOST_KINDS = ("host task", "build", "wait")
_SEAM = re.compile(r"^\}\{.*$", re.MULTILINE)  # the line between the two texts of a scan
_TRIES = 20  # to find the queues without work in flight, when others submit meanwhile


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


def _spot(command: ProfiledCommand) -> tuple[str, str, str]:
    return command.kind, command.title, command.site


_KEYS: dict[str, Callable[[ProfiledCommand], tuple[str, str, str]]] = {
    "text": _spot,
    "line": lambda command: ("", "", command.site),
    "kind": lambda command: (command.kind, "", ""),
}


def _row(key: tuple[str, str, str], commands: Sequence[ProfiledCommand]) -> ProfileRow:
    kind, label, site = key
    seconds = [command.seconds for command in commands if command.timed]
    parts = _parts(commands) if label and label == commands[0].call else ()
    rest = seconds[1:] if not parts else []
    middle = median(rest) if rest else None
    each = middle if middle is not None else (seconds[0] if seconds else 0.0)
    moved = max(command.bytes for command in commands)
    alike = not parts and len({command.bytes for command in commands}) == 1
    rate = moved / each if moved and each and alike else None
    first = seconds[0] if seconds else 0.0
    return ProfileRow(kind, label, site, len(commands), sum(seconds), first, middle, rate, parts)


def _parts(commands: Sequence[ProfiledCommand]) -> tuple[ProfileRow, ...]:
    """A row for each kernel of a call, where it has several."""
    own: dict[tuple[str, str, str], list[ProfiledCommand]] = {}
    for command in commands:
        own.setdefault((command.kind, command.label, command.site), []).append(command._replace(call=""))
    return tuple(_grouped(own)) if len(own) > 1 else ()


def _grouped(groups: dict[tuple[str, str, str], list[ProfiledCommand]]) -> list[ProfileRow]:
    return sorted((_row(key, commands) for key, commands in groups.items()), key=lambda row: -row.total)


class Profile:
    """What a block's commands took: `with queue.profile() as p:`, or `sycl.profile()` for all queues.

    Parameters
    ----------
    queue
        The queue; None: all queues. `queue.profile()` and `sycl.profile()` make profiles.

    Notes
    -----
    The block begins and ends by waiting for the queue. Meanwhile the queue keeps the times of its commands, which costs
    little; outside of the block nothing is different. Profiles nest. Texts and numbers are kept, and no buffer. Beyond a
    million commands only their number and their time are. SYCL 2020 has `enable_profiling`, for single events.

    Examples
    --------
    >>> x = np.zeros(1000, np.float32)
    >>> with queue.profile() as p:
    ...     for _ in range(3):
    ...         _ = queue.parallel_for(x.size, "x[i] += 1;", x=x)
    >>> [(row.label, row.count) for row in p.by("text") if row.kind == "kernel"]
    [('x[i] += 1;', 3)]
    """

    def __init__(self, queue: Queue | None) -> None:
        self._queue: Queue | None = queue
        self._title = f"{queue.device.name!r}" if queue is not None else "all queues"
        self._mark: _core._Mark | None = None
        self._began = 0
        self._edges: dict[int, tuple[int, ...]] = {}
        self.commands: tuple[ProfiledCommand, ...] = ()
        self.wall = 0.0
        self.lost = 0
        """Commands beyond the first million."""

    # -- the block --

    def _settle(self) -> None:
        """The queues are without work at some moment, and take up, or give up, what tells the times."""
        for _ in range(_TRIES):
            self._wait()
            if _core.profile_settle(self._queue):
                return

    def _wait(self) -> None:
        if self._queue is not None:
            self._queue.wait()
        else:
            while _core.drain(0.05)[0]:
                _core.host_task_help()

    def __enter__(self) -> Profile:
        if self._mark is not None:
            raise InvalidObjectError("the profile has begun already: each block has one of its own")
        self._wait()
        self._mark = _core.profile_open(self._queue)
        try:
            self._settle()
        except BaseException:
            _core.profile_close(self._queue, self._mark)
            raise
        self._began = time.monotonic_ns()  # the clock of all records
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        queue, mark = self._queue, self._mark
        assert mark is not None
        try:
            self._wait()
        finally:
            records, self.lost, lost_ns, now = _core.profile_close(queue, mark)
            self.wall = (now - self._began) / 1e9
            self._lost_seconds = lost_ns / 1e9
            # what a profile that was shown meanwhile has measured is nobody's command
            self.commands = _with_builds(self._command(record) for record in records if record[1] not in MEASURING)
            self._edges = self._find_edges()
        try:
            self._settle()
        finally:
            self._queue = None

    def _command(self, record: _core._Timed) -> ProfiledCommand:
        serial, queue, device, kind, name, body, file, line, call, timed, failed, submit, start, end, moved = record
        at, begun, ended = ((t - self._began) / 1e9 if timed else float("nan") for t in (submit, start, end))
        # a body is its text, unless it was given a name
        label = " ".join(_SEAM.sub("", body).split()) if body and name == "body" else name
        site = f"{file}:{line}" if file else ""
        own = f"{call}()" if call and kind == "kernel" else ""
        return ProfiledCommand(kind, label, site, device or "", queue, serial, at, begun, ended, moved, failed, own)

    def _find_edges(self) -> dict[int, tuple[int, ...]]:
        own = {command.id for command in self.commands if command.id}
        records, _ = _core.graph_records(None)
        return {
            record[0]: tuple(earlier for earlier, _, _ in record[8] if earlier in own)
            for record in records
            if record[0] in own
        }

    # -- the findings --

    @property
    def busy(self) -> float:
        """Seconds in which a device was at work, of whatever commands at a time."""
        total, reached = 0.0, 0.0
        for start, end in sorted((c.start, c.end) for c in self.commands if c.timed and c.kind not in HOST_KINDS):
            total += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        return total

    @property
    def roof(self) -> float | None:
        """The most bytes a second that the device moves, if all commands are one device's: measured once, and kept."""
        names = {command.device for command in self.commands if command.device}
        return roof_of(names.pop()) if len(names) == 1 else None

    def by(self, what: Literal["text", "line", "kind"] = "text") -> list[ProfileRow]:
        """The commands put together by text and place, by the line that submitted them, or by their kind.

        Parameters
        ----------
        what
            "text", "line" or "kind".

        Returns
        -------
        list[ProfileRow]
            Those that took longest first.

        Raises
        ------
        InvalidParameterError
            `what` is another word.

        Examples
        --------
        >>> with queue.profile() as p:
        ...     queue.fill(sycl.malloc_shared(4, np.int32, queue), 0).wait()
        >>> [row.count for row in p.by("kind") if row.kind == "fill"]
        [1]
        """
        if what not in _KEYS:
            raise InvalidParameterError(f"what: expected 'text', 'line' or 'kind', got {what!r}")
        groups: dict[tuple[str, str, str], list[ProfiledCommand]] = {}
        for command in sorted(self.commands, key=lambda c: (c.id, c.start)):
            groups.setdefault(_KEYS[what](command), []).append(command)
        return _grouped(groups)

    def table(self, what: Literal["text", "line", "kind"] = "text") -> str:
        """The lines of a table.

        Parameters
        ----------
        what
            As with `by`.

        Returns
        -------
        str

        Examples
        --------
        >>> with queue.profile() as p:
        ...     pass
        >>> p.table().startswith("pysycl.Profile: 0 commands")
        True
        """
        from pysycl._profile.table import lines_of

        return "\n".join([repr(self)[1:-1], *lines_of(self.by(what), self.roof)])

    def to_svg(self) -> str:
        """The timeline, as the text of an SVG file.

        Returns
        -------
        str

        Examples
        --------
        >>> with queue.profile() as p:
        ...     pass
        >>> p.to_svg().startswith("<svg")
        True
        """
        from pysycl._profile.timeline import to_svg

        return to_svg(self.commands, self.wall)

    def save_trace(self, file: str | PathLike[str]) -> None:
        """Write the commands as a trace that https://ui.perfetto.dev and chrome://tracing show.

        Parameters
        ----------
        file
            Its path, such as "run.json". What is there is replaced.

        Examples
        --------
        >>> with queue.profile() as p:
        ...     pass
        >>> p.save_trace("/dev/null")
        """
        from pysycl._profile.trace import trace_of

        Path(file).write_text(trace_of(self.commands, self._edges), encoding="utf-8")

    def _summary(self) -> str:
        number = sum(1 for command in self.commands if command.id)
        more = f", and {self.lost} more that are in no row" if self.lost else ""
        busy = f", device busy {100 * self.busy / self.wall:.0f} %" if self.wall else ""
        return f"pysycl.Profile: {counted(number, 'command')} on {self._title}, {self.wall * 1e3:.1f} ms{busy}{more}"

    def _repr_html_(self) -> str:
        from html import escape

        from pysycl._notebook.html import picture
        from pysycl._profile.table import html_of

        drawn = picture(self.to_svg(), "timeline") if self.commands else ""
        return f"<p>{escape(self._summary())}</p>{html_of(self.by(), self.roof)}{drawn}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from pysycl._notebook.html import bundle

        return bundle(str(self), self._repr_html_())

    def __repr__(self) -> str:
        return f"<{self._summary()}>"

    def __str__(self) -> str:
        return self.table()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a profile cannot be pickled; its commands can")


def _with_builds(commands: Iterable[ProfiledCommand]) -> tuple[ProfiledCommand, ...]:
    """The build of a call's kernel is that call's, too."""
    found = tuple(commands)
    calls = {command.label: command for command in found if command.call}
    return tuple(
        command._replace(call=calls[command.label].call, site=calls[command.label].site)
        if command.kind == "build" and command.label in calls
        else command
        for command in found
    )


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


def profile() -> Profile:
    """Profile everything that is submitted in a block: `with sycl.profile() as p:`.

    Returns
    -------
    Profile
        To be shown when the block has ended: a table, in a notebook with a timeline.

    Examples
    --------
    >>> with sycl.profile() as p:
    ...     _ = sycl.sum(np.arange(1 << 20, dtype=np.float32), queue=queue)
    >>> p.commands[-1].failed
    False
    """
    return Profile(None)
