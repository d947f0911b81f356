"""Recording: commands that are submitted together, again and again, with other arguments where wanted."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pysycl import _core
from pysycl._runtime.handle import Handle
from pysycl._runtime.lines import counted
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.event import Event, Events
    from pysycl.queue import Queue

_PITCH = re.compile(r"syc_pitch(\d)_(.+)")  # an argument of a body's kernel: elements for each index of a dimension


@_core.bind
class Parameter(tuple[str, Any]):
    """A kernel argument with a name by which `Recording.replay` finds it; outside of a recording just its value.

    Parameters
    ----------
    name
        The same name may stand at several places: a replay replaces them all.
    value
        What is recorded: a number, an array, a buffer, an accessor, a UsmArray.

    Examples
    --------
    >>> x = np.zeros(2)
    >>> with queue.record() as g:
    ...     event = queue.parallel_for(2, "x[i] += a;", x=x, a=sycl.Parameter("step", 1.0))
    >>> event = g.replay(step=10.0)
    >>> x
    array([10., 10.])
    """

    __slots__ = ()

    def __new__(cls, name: str, value: Any) -> Parameter:
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidParameterError(f"Parameter: name: expected an identifier, got {name!r}")
        if isinstance(value, Parameter):
            raise InvalidParameterError(f"Parameter: value: {value!r} is a Parameter itself")
        return super().__new__(cls, (name, value))

    @property
    def name(self) -> str:
        """The name that a replay uses."""
        return self[0]

    @property
    def value(self) -> Any:
        """The value that is used where no other is given."""
        return self[1]

    def __repr__(self) -> str:
        return f"Parameter({self[0]!r}, {self[1]!r})"


class RecordedCommand(NamedTuple):
    """One command of a recording.

    Examples
    --------
    >>> x = np.zeros(2)
    >>> with queue.record() as g:
    ...     event = queue.parallel_for(2, "x[i] += 1;", x=x)
    >>> g.commands[0].kind, g.commands[0].after
    ('kernel', ())
    """

    kind: str
    """"kernel", "copy", "fill", "hint", "empty"."""
    name: str
    """The kernel's; "" for other kinds."""
    site: str
    """File and line that submitted it."""
    after: tuple[int, ...]
    """The commands that it comes after, by their places in the recording."""

    def __str__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"{self.kind}{name} at {self.site}"


@_core.bind
class Recording(Handle, _core.Recording):
    """Commands of a queue that are validated, built and put in order once, and then run as often as wanted.

    `with queue.record() as g:` opens it: what this thread submits to the queue inside the block is recorded and not run.
    What other threads submit, and what goes to other queues, runs as ever. Afterwards each `g.replay()` submits all of it
    as one command, which waits for what its commands need and is waited for like any other.

    Kernels, copies, fills, and operations on unified shared memory can be recorded. Host tasks, host accesses to buffers
    that the recording uses, `update_host` and copies between two host arrays cannot. An exception in the block gives the
    recording up. A recording keeps what it uses alive (of a part of a buffer, the buffer is its user's to keep), but a buffer
    that was closed, or memory that was freed, cannot be replayed.

    Parameters
    ----------
    queue
        The queue: `queue.record()` makes a recording.

    Notes
    -----
    Beyond SYCL 2020, whose `submit` has no counterpart that runs later. The events that submissions return inside the
    block are of use in `depends_on` of the same recording; waiting for one is an error. `depends_on` with the event of a
    command outside of it makes every replay wait for that.

    Examples
    --------
    >>> x = np.zeros(2)
    >>> with queue.record() as g:
    ...     event = queue.parallel_for(2, "x[i] += 1;", x=x)
    ...     event = queue.parallel_for(2, "x[i] *= 2;", x=x)
    >>> for _ in range(3):
    ...     event = g.replay()
    >>> x
    array([14., 14.])
    """

    __slots__ = ("_pitches", "_places")
    _places: dict[str, list[tuple[int, int, str]]]
    _pitches: dict[tuple[int, str], list[tuple[int, int]]]

    def __new__(cls, queue: Queue) -> Recording:
        return super().__new__(cls, queue)

    @property
    def queue(self) -> Queue:
        """The queue that it records and replays on."""
        return self._queue

    @property
    def commands(self) -> tuple[RecordedCommand, ...]:
        """The recorded commands, in the order of submission."""
        return tuple(
            RecordedCommand(kind, name, f"{file or '<unknown>'}:{line}", after)
            for kind, name, file, line, after in self._commands()
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that `replay` takes: those of Parameters, and of kernel arguments that mean one thing only."""
        return tuple(name for name, places in self._found().items() if places)

    def replay(self, /, *, depends_on: Events = None, wait: bool | None = None, **arguments: Any) -> Event:
        """Submit all that was recorded as one command, and return its event; once it is done, if NumPy arrays are used.

        Parameters
        ----------
        depends_on
            Events to wait for, too.
        wait
            False returns at once, whatever is used; True when the command is done.
        **arguments
            New values by name: of a Parameter, or else of a kernel's parameter where one command has it, or several with the
            same memory. Numbers of the same type, arrays and buffers of the same element type and at least the same size.

        Returns
        -------
        Event

        Raises
        ------
        InvalidParameterError
            A name that nothing has, or that stands for several things.
        KernelArgumentError
            A value of another kind, type or a smaller size than the recorded one.
        InvalidObjectError
            A buffer that a command uses was closed, or its memory was freed.

        Examples
        --------
        >>> x, y = np.zeros(2), np.ones(2)
        >>> with queue.record() as g:
        ...     event = queue.parallel_for(2, "x[i] += a;", x=x, a=1.0)
        >>> event = g.replay(a=5.0, x=y)
        >>> x, y
        (array([0., 0.]), array([6., 6.]))
        """
        changes = []
        for name, value in arguments.items():
            for command, argument, own in self._places_of(name):
                self._check_shape(name, value, command, own)
                changes.append((command, argument, name, value))
        return self._replay(changes, depends_on, wait)

    def close(self) -> None:
        """Let go of all that was recorded; replays in flight are not concerned.

        Examples
        --------
        >>> with queue.record() as g:
        ...     event = queue.parallel_for(2, "x[i] += 1;", x=np.zeros(2))
        >>> g.close()
        """
        self._discard()

    def _found(self) -> dict[str, list[tuple[int, int, str]]]:
        """For each name the commands, arguments and kernel's names that it stands for; none for several things."""
        try:
            return self._places
        except AttributeError:
            pass
        places: dict[str, list[tuple[int, int, str]]] = {}
        pitches: dict[tuple[int, str], list[tuple[int, int]]] = {}
        meant: dict[str, Any] = {}
        arguments = self._arguments()
        named = {given for given, _, _, _, _ in arguments}  # a Parameter's name hides a kernel's own
        for given, own, command, argument, key in arguments:
            if key and key[0] == "hidden":
                if found := _PITCH.fullmatch(own):
                    pitches.setdefault((command, found[2]), []).append((int(found[1]), key[1]))
                continue
            name, what = given or own, ("Parameter",) if given else key
            if given is None and own in named:
                continue
            if name not in places:
                places[name], meant[name] = [(command, argument, own)], what
            elif what is None or meant[name] != what:
                places[name], meant[name] = [], None
            elif places[name]:
                places[name].append((command, argument, own))
        self._places, self._pitches = places, pitches
        return places

    def _check_shape(self, name: str, value: Any, command: int, own: str) -> None:
        """A body that says x(i0, i1) was made for rows of one length; an accessor's are told with it."""
        if isinstance(value, _core.Accessor):
            return
        for dimension, pitch in self._pitches.get((command, own), ()):
            shape = tuple(getattr(value, "shape", ()))
            if len(shape) > dimension and prod(shape[dimension + 1 :]) != pitch:
                raise InvalidParameterError(
                    f"replay: {name!r} has the shape {shape}, and what was recorded has {pitch} elements for each index of "
                    f"dimension {dimension}: only the first dimension may differ"
                )

    def _places_of(self, name: str) -> list[tuple[int, int, str]]:
        found = self._found().get(name)
        if found:
            return found
        if found is None:
            known = ", ".join(self.parameters) or "none"
            raise InvalidParameterError(f"replay: nothing recorded is named {name!r}; names that can be used: {known}")
        commands = self.commands
        users = dict.fromkeys(command for given, own, command, _, _ in self._arguments() if (given or own) == name)
        words = "; ".join(str(commands[user]) for user in users)
        raise InvalidParameterError(
            f"replay: {name!r} stands for several arguments ({words}): name the one that is meant with "
            f'pysycl.Parameter("...", value) where it is recorded'
        )

    def __len__(self) -> int:
        return len(self._commands())

    def __repr__(self) -> str:
        return f"<pysycl.Recording of {counted(len(self), 'command')}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a recording cannot be pickled: it belongs to its queue")
