"""The graph of a queue's commands: what each used, and why it came after which others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pysycl import _core
from pysycl._runtime.lines import counted

if TYPE_CHECKING:
    from pysycl.queue import Queue

MOST_LINES = 200  # of the text; the commands themselves are all there

EXPLICIT = "explicit"
QUEUE_ORDER = "order of the queue"
READ_AFTER_WRITE = "read after write"
WRITE_AFTER_READ = "write after read"
WRITE_AFTER_WRITE = "write after write"
ARRIVAL = "waits for the transfer"
OTHER = "memory that both use"


class Use(NamedTuple):
    """A part of a buffer, or of the host's memory, that a command uses."""

    buffer: int
    """The buffer's number; 0: host memory, by its address."""
    low: int
    high: int
    """Bytes [low, high)."""
    mode: str
    """"read", "read_write", or "discard_write" where the old contents are not kept. An accessor that only writes keeps
    what it does not write: its mode is "read_write"."""

    def __str__(self) -> str:
        where = f"buffer {self.buffer}" if self.buffer else "host memory"
        span = f"{self.low}..{self.high}" if self.buffer else f"{self.low:#x}..{self.high:#x}"
        return f"{where} bytes {span} {self.mode}"


class Command(NamedTuple):
    """A command as it was submitted."""

    id: int
    """A number in the process; a transfer has a larger one than the command that it is made for, before which it runs."""
    kind: str
    """"kernel", "copy", "fill", "host task", "host access", "transfer" (data that the runtime moved), ..."""
    name: str
    """Of the kernel; of a transfer, from where to where; else ""."""
    site: str
    """file:line that submitted it; "" if unknown."""
    queue: int
    """A number for the queue; 0: a host access, which belongs to none."""
    uses: tuple[Use, ...]
    seconds: float | None = None
    """From its start to its end; None: it has not ended, or the queue keeps no times (enable_profiling, a profile)."""

    @property
    def label(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    def __str__(self) -> str:
        at = f" at {self.site}" if self.site else ""
        took = f", {self.seconds * 1e6:.1f} us" if self.seconds is not None else ""
        using = f": {'; '.join(map(str, self.uses))}" if self.uses else ""
        return f"{self.id} {self.label}{at}{took}{using}"


class Reason(NamedTuple):
    """Why a command comes after another one."""

    kind: str
    """"explicit" (depends_on), "order of the queue", "read after write", "write after read", "write after write",
    "waits for the transfer"."""
    buffer: int = 0
    low: int = 0
    high: int = 0

    def __str__(self) -> str:
        if self.high <= self.low:
            return self.kind
        where = f"buffer {self.buffer} bytes {self.low}..{self.high}" if self.buffer else "host memory"
        return f"{where}, {self.kind}"


class Edge(NamedTuple):
    """One command comes after another."""

    earlier: int
    later: int
    """Ids of the two."""
    reasons: tuple[Reason, ...]
    waited: bool
    """False: the earlier one had ended when the later one was submitted, so there was nothing to wait for."""

    def __str__(self) -> str:
        ended = "" if self.waited else " (had ended)"
        return f"after {self.earlier}: {'; '.join(map(str, self.reasons))}{ended}"


class _Segment:
    """Bytes with the same last writer and the same readers since."""

    __slots__ = ("high", "low", "readers", "writer")

    def __init__(self, low: int, high: int, writer: int, readers: tuple[int, ...]) -> None:
        self.low, self.high, self.writer, self.readers = low, high, writer, readers


class _Memory:
    """The last users of each part of one buffer: the core's rules, without forgetting what has ended."""

    def __init__(self) -> None:
        self.segments: list[_Segment] = []

    def _range(self, use: Use) -> tuple[int, int]:
        """The segments that share bytes with a use: they are sorted, and do not overlap."""
        first = bisect_right(self.segments, use.low, key=lambda s: s.high)
        return first, bisect_left(self.segments, use.high, lo=first, key=lambda s: s.low)

    def reasons(self, use: Use) -> Iterable[tuple[int, Reason]]:
        """The earlier commands that a use comes after."""
        first, last = self._range(use)
        for s in self.segments[first:last]:
            low, high = max(s.low, use.low), min(s.high, use.high)
            if s.writer and use.mode != "discard_write":
                yield s.writer, Reason(READ_AFTER_WRITE, use.buffer, low, high)
            if use.mode == "read":
                continue
            if s.writer:
                yield s.writer, Reason(WRITE_AFTER_WRITE, use.buffer, low, high)
            for reader in s.readers:
                yield reader, Reason(WRITE_AFTER_READ, use.buffer, low, high)

    def add(self, use: Use, command: int) -> None:
        """Records it."""
        first, last = self._range(use)
        parts: list[_Segment] = []
        free = use.low  # the bytes from here on have no segment yet
        for s in self.segments[first:last]:
            low, high = max(s.low, use.low), min(s.high, use.high)
            if s.low < low:
                parts.append(_Segment(s.low, low, s.writer, s.readers))
            if free < low:
                parts.append(self._used(free, low, 0, (), use, command))
            parts.append(self._used(low, high, s.writer, s.readers, use, command))
            if high < s.high:
                parts.append(_Segment(high, s.high, s.writer, s.readers))
            free = high
        if free < use.high:
            parts.append(self._used(free, use.high, 0, (), use, command))
        self.segments[first:last] = parts

    @staticmethod
    def _used(low: int, high: int, writer: int, readers: tuple[int, ...], use: Use, command: int) -> _Segment:
        if use.mode == "read":
            return _Segment(low, high, writer, (*readers, command))
        return _Segment(low, high, command, ())


def _mode(writes: bool, keeps: bool) -> str:
    return ("read_write" if keeps else "discard_write") if writes else "read"


def _joined(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Without doubles; pieces that adjoin are one."""
    result: list[Reason] = []
    for reason in sorted(set(reasons)):
        last = result[-1] if result else None
        if last and last[:2] == reason[:2] and last.high == reason.low:
            result[-1] = last._replace(high=reason.high)
        else:
            result.append(reason)
    return tuple(result)


class _Replay:
    """Goes through the log once, and finds for each command those it comes after."""

    def __init__(self) -> None:
        self.memories: dict[int, _Memory] = {}
        self.newest: dict[int, int] = {}  # of each queue, its last command that is no transfer
        self.commands: dict[int, Command] = {}
        self.edges: list[Edge] = []

    def add(self, record: _core._Record) -> None:
        serial, queue, in_order, kind, name, file, line, uses, edges, _, _, took = record
        command = Command(
            serial,
            kind,
            name,
            f"{file}:{line}" if file else "",
            queue,
            tuple(Use(buffer, low, high, _mode(write, keep)) for buffer, low, high, write, keep in uses),
            took / 1e9 if took else None,
        )
        why: dict[int, list[Reason]] = {}
        for use in command.uses:
            memory = self.memories.setdefault(use.buffer, _Memory())
            for earlier, reason in memory.reasons(use):
                # addresses are used again for other arrays: there only what was waited for is sure
                if use.buffer or any(earlier == e for e, _, _ in edges):
                    # a command's own transfers are made after it, so their numbers are larger, and registered before it
                    own = reason._replace(kind=ARRIVAL) if earlier > serial else reason
                    why.setdefault(earlier, []).append(own)
        for use in command.uses:
            self.memories[use.buffer].add(use, serial)
        for earlier, named, _ in edges:
            if named:
                why.setdefault(earlier, []).append(Reason(EXPLICIT))
        if in_order and kind != "transfer":
            if queue in self.newest:
                why.setdefault(self.newest[queue], []).append(Reason(QUEUE_ORDER))
            self.newest[queue] = serial
        for earlier, _, _ in edges:
            if earlier not in why:
                known = self.commands.get(earlier)
                why[earlier] = [Reason(ARRIVAL if known is not None and known.kind == "transfer" else OTHER)]
        why.pop(serial, None)
        waited = {earlier for earlier, _, waited in edges if waited}
        self.commands[serial] = command
        self.edges += [
            Edge(earlier, serial, _joined(reasons), earlier in waited)
            for earlier, reasons in sorted(why.items())
            if earlier in self.commands
        ]


class Graph:
    """The latest commands of a queue, those of other queues and of the host that they came after, and why.

    Parameters
    ----------
    title
        What it shows.
    commands
        In the order of submission.
    edges
        Which command came after which other one, and for what reasons. Two readers have no edge between them.

    Notes
    -----
    A picture of the past: it does not change, and keeps neither commands nor buffers alive. The log behind it holds
    the latest 4096 commands of the process. SYCL 2020, 3.7.2, has the rules.

    Examples
    --------
    >>> b = sycl.Buffer(np.zeros(3))
    >>> events = [queue.parallel_for(3, "b[i] += 1;", b=b), queue.parallel_for(3, "b[i] *= 2;", b=b)]
    >>> print(queue.graph().edges[-1].reasons[0].kind)
    read after write
    """

    __slots__ = ("_title", "commands", "edges")

    commands: tuple[Command, ...]
    edges: tuple[Edge, ...]

    def __init__(self, title: str, commands: Iterable[Command], edges: Iterable[Edge]) -> None:
        self._title = title
        self.commands = tuple(commands)
        self.edges = tuple(edges)

    def command(self, id: int) -> Command:
        """The command with this number.

        Parameters
        ----------
        id
            Its number.

        Returns
        -------
        Command

        Raises
        ------
        KeyError
            There is none.

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> _ = queue.parallel_for(3, "x[i] += 1;", x=x)
        >>> last = queue.graph().commands[-1]
        >>> queue.graph().command(last.id) == last
        True
        """
        for command in self.commands:
            if command.id == id:
                return command
        raise KeyError(f"command {id} is not in {self!r}")

    def to_svg(self) -> str:
        """A picture of the graph, as the text of an SVG file. Of more than 150 commands like neighbours are one box.

        Returns
        -------
        str

        Examples
        --------
        >>> queue.graph().to_svg().startswith("<svg")
        True
        """
        from pysycl._runtime.graph_drawing import to_svg

        return to_svg(self)

    def to_dot(self) -> str:
        """The graph in Graphviz's language. Dashed: nothing had to be waited for.

        Returns
        -------
        str

        Examples
        --------
        >>> queue.graph().to_dot().startswith("digraph")
        True
        """
        from pysycl._runtime.graph_drawing import to_dot

        return to_dot(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from pysycl._notebook.html import bundle, details, picture

        if not self.commands:
            return {"text/plain": str(self)}
        return bundle(str(self), picture(self.to_svg(), repr(self)[1:-1]) + details("why", str(self)))

    def __repr__(self) -> str:
        return f"<pysycl.Graph of {self._title}: {counted(len(self.commands), 'command')}, {counted(len(self.edges), 'edge')}>"

    def __str__(self) -> str:
        after: dict[int, list[Edge]] = {}
        for edge in self.edges:
            after.setdefault(edge.later, []).append(edge)
        lines = [repr(self)[1:-1]]
        for number, command in enumerate(self.commands):
            lines.append(f"  {command}")
            lines += [f"      {edge}" for edge in after.get(command.id, ())]
            if len(lines) > MOST_LINES:
                lines.append(f"  and {len(self.commands) - number - 1} more commands")
                break
        return "\n".join(lines)


def graph_of(queue: Queue) -> Graph:
    """The graph of a queue."""
    records, number = _core.graph_records(queue)
    replay = _Replay()
    for record in records:
        replay.add(record)
    own = {command.id for command in replay.commands.values() if command.queue == number and number}
    shown = own | {edge.earlier for edge in replay.edges if edge.later in own}
    return Graph(
        f"the queue on {queue.device.name!r}",
        (command for command in replay.commands.values() if command.id in shown),
        (edge for edge in replay.edges if edge.later in shown and edge.earlier in shown),
    )
