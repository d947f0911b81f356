"""Profile: what the commands of a block took, as a table, a picture and a trace."""

from __future__ import annotations

import time
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NoReturn

from pysycl import _core
from pysycl._profile.commands import ProfiledCommand, ProfileRow
from pysycl._profile.records import KEYS, Records
from pysycl._profile.roof import roof_of
from pysycl._runtime.lines import counted
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue

_TRIES = 20  # to find the queues without work in flight, when others submit meanwhile


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
        self._records = Records(b"", [], 0)
        self._commands: tuple[ProfiledCommand, ...] | None = None
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
            columns, self.lost, lost_ns, now = _core.profile_close(queue, mark)
            self.wall = (now - self._began) / 1e9
            self._lost_seconds = lost_ns / 1e9
            self._records, self._commands = Records(*columns, self._began), None
            self._edges = self._find_edges()
        try:
            self._settle()
        finally:
            self._queue = None

    def _find_edges(self) -> dict[int, tuple[int, ...]]:
        records, _ = _core.graph_records(None)
        own = self._records.among([record[0] for record in records])
        return {
            record[0]: tuple(earlier for earlier, _, _ in record[8] if earlier in own)
            for record in records
            if record[0] in own
        }

    # -- the findings --

    @property
    def commands(self) -> tuple[ProfiledCommand, ...]:
        """All that took time, in the order in which it ended: an object each, made when they are first asked for."""
        if self._commands is None:
            self._commands = self._records.commands()
        return self._commands

    @property
    def busy(self) -> float:
        """Seconds in which a device was at work, of whatever commands at a time."""
        return self._records.busy()

    @property
    def roof(self) -> float | None:
        """The most bytes a second that the device moves, if all commands are one device's: measured once, and kept."""
        names = self._records.devices()
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
        if what not in KEYS:
            raise InvalidParameterError(f"what: expected 'text', 'line' or 'kind', got {what!r}")
        return self._records.rows(what)

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
        number = self._records.number
        more = f", and {self.lost} more that are in no row" if self.lost else ""
        busy = f", device busy {100 * self.busy / self.wall:.0f} %" if self.wall else ""
        return f"pysycl.Profile: {counted(number, 'command')} on {self._title}, {self.wall * 1e3:.1f} ms{busy}{more}"

    def _repr_html_(self) -> str:
        from html import escape

        from pysycl._notebook.html import picture
        from pysycl._profile.table import html_of

        drawn = picture(self.to_svg(), "timeline") if len(self._records) else ""
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
