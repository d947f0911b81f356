"""Calls that come again: of a call for unified shared memory or a buffer the commands are kept, and a call for memory that
lies alike submits them with that memory in its place, and asks nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pysycl import _core
from pysycl._algorithms.spare import Command, Spare, let_go, watch, with_room
from pysycl._algorithms.warned import warn
from pysycl._data.usm_array import UsmArray
from pysycl.buffer import Buffer
from pysycl.errors import MemoryAllocationError
from pysycl.reductions import Reduction

if TYPE_CHECKING:
    from pysycl.event import Event

_MOST: Final = 200  # calls of a queue that are kept

_plans: Final[WeakKeyDictionary[Any, dict[Any, Plan | None]]] = WeakKeyDictionary()


class View(NamedTuple):
    """A part of the memory of the call, or all of it: `place` None."""

    slot: int
    place: tuple[Any, ...] | None = None


class Put(NamedTuple):
    """An argument that is memory: which of the views, or of the buffers; and what it is wrapped in."""

    name: str
    at: int
    around: Reduction | None = None


class Step(NamedTuple):
    """A command, with the arguments that change."""

    command: Command
    puts: tuple[Put, ...]


class Plan(NamedTuple):
    """All that a call does."""

    steps: tuple[Step, ...]
    views: tuple[View, ...]
    spares: tuple[tuple[int, np.dtype[Any]], ...]
    made: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    """Results that are new memory."""
    results: tuple[Any, ...]
    """Each is a slot, or an array that each caller gets a copy of."""
    shape: Callable[[Any], Any]
    """What the call returns, of the results."""
    warned: tuple[tuple[str, type[Warning]], ...]
    """What it has told of its elements' types, which each such call tells."""


def forget() -> None:
    """Calls to come may take other forms."""
    _plans.clear()


def allocated(where: tuple[Any, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> UsmArray:
    """New memory, of a context, a device and a kind."""
    context, device, kind = where
    found: UsmArray = with_room(lambda: _core.usm_allocate(context, device, kind, 0, shape, dtype, dtype.itemsize))
    return found


def submitted(queue: Any, range: Any, text: str, arguments: dict[str, Any], after: Event | None) -> Any:
    """The event of a command with its arguments."""
    if after is not None and range is not None:
        arguments = {**arguments, "depends_on": after}
    while True:
        try:
            if range is None:
                return queue.fill(arguments["memory"], arguments["value"])
            return queue.parallel_for(range, text, **arguments)
        except MemoryAllocationError:
            if not let_go():
                raise


class Again:
    """A call that may have been before."""

    __slots__ = ("given", "key", "plans", "queue", "waits")

    def __init__(
        self, plans: dict[Any, Plan | None], key: Any, given: tuple[Any, ...], queue: Any, waits: bool
    ) -> None:
        self.plans, self.key, self.given, self.queue, self.waits = plans, key, given, queue, waits

    def result(self, call: Callable[[], Any]) -> Any:
        """What the call returns."""
        plan = self.plans.get(self.key, self)  # other threads may let go of plans at any time
        if isinstance(plan, Again):
            return self._watched(call)
        return call() if plan is None else _run(plan, self.given, self.queue, self.waits)

    def _watched(self, call: Callable[[], Any]) -> Any:
        watch.commands, watch.buffers, watch.constants, watch.warned = [], [], [], []
        try:
            result = call()
            plan = _plan_of(watch.commands, watch.buffers, self.given, result)
        finally:
            watch.commands = None
            watch.buffers, watch.constants, watch.warned = [], [], []
        if len(self.plans) >= _MOST:
            self.plans.clear()
        self.plans[self.key] = plan
        return result


def known(key: tuple[Any, ...], given: tuple[Any, ...], queue: Any, waits: bool) -> Again | None:
    """The call for memory on a queue. None: such calls are not kept."""
    if watch.commands is not None or not _is_hashable(key):
        return None
    places: list[tuple[int, int]] = []
    layouts: list[Any] = [waits]
    for memory in () if is_buffer(given) else given:
        if type(memory) is not UsmArray or memory.is_freed or memory.nbytes == 0:
            return None
        low, high = memory.ptr, memory.ptr + memory.nbytes
        for number, place in enumerate(places):
            if place == (low, high):
                layouts.append(number)
            elif low < place[1] and place[0] < high:
                return None
        places.append((low, high))
        layouts += (memory.dtype, memory.shape, memory.strides)
    if not places:
        layouts += (Buffer, given[0].dtype, given[0].shape)
    plans = _plans.get(queue)
    if plans is None:
        plans = _plans[queue] = {}
    return Again(plans, (key, *layouts), given, queue, waits)


def is_buffer(given: tuple[Any, ...]) -> bool:
    """Is it one buffer, which a command can be given? It brings its commands into order."""
    memory = given[0]
    return len(given) == 1 and type(memory) is Buffer and not memory.is_closed and memory.nbytes > 0


def _is_hashable(key: tuple[Any, ...]) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


# -- making a plan --


class _Making:
    """The memory of a call, and the views of it that its commands have."""

    def __init__(self, memory: list[Any], buffers: list[tuple[int, np.dtype[Any], Buffer]]) -> None:
        self.memory = memory
        self.buffers = [buffer for _, _, buffer in buffers]
        self.views: list[View] = []

    def view(self, value: UsmArray) -> int | None:
        """Its number among the views."""
        for slot, whole in enumerate(self.memory):
            offset = value.ptr - whole.ptr
            if 0 <= offset < whole.nbytes:
                place = (offset, value.shape, value.strides, value.dtype, value.itemsize)
                same = offset == 0 and place[1:4] == (whole.shape, whole.strides, whole.dtype)
                return self._numbered(View(slot, None if same else place))
        return None

    def _numbered(self, view: View) -> int:
        if view not in self.views:
            self.views.append(view)
        return self.views.index(view)

    def number(self, memory: Any) -> int | None:
        """The number of memory: of a view from 0 on, of a buffer from -1 downwards. None: it is none of the call's."""
        if isinstance(memory, UsmArray):
            return self.view(memory)
        whole = _slot(memory, self.memory)
        if whole is not None:
            return self._numbered(View(whole))
        found = [at for at, buffer in enumerate(self.buffers) if buffer is memory]
        return -1 - found[-1] if found else None

    def step(self, command: Command) -> Step | None:
        """The command without memory; None: it has other memory than the call's."""
        puts = []
        fixed = dict(command.arguments)
        for name, value in command.arguments.items():
            around = value if isinstance(value, Reduction) and value[0] is not None else None
            memory = value if around is None else around[0]
            if not isinstance(memory, UsmArray | _core.Buffer):
                if hasattr(memory, "__array_interface__") and getattr(memory, "ndim", 0) > 0:
                    return None
                continue
            if any(memory is each for each in watch.constants):
                continue
            at = self.number(memory)
            if at is None:
                return None
            puts.append(Put(name, at, None if around is None else type(around)((None, *around[1:]))))
            fixed[name] = None
        return Step(command._replace(arguments=fixed), tuple(puts))


def _plan_of(commands: list[Command], buffers: Any, given: tuple[Any, ...], result: Any) -> Plan | None:
    results = result if isinstance(result, tuple) else (result,)
    memory = list(given)
    for each in results:
        if type(each) is type(given[0]) and _slot(each, memory) is None:
            memory.append(each)
    made = memory[len(given) :]
    own = [each.copy() if isinstance(each, np.ndarray) else _slot(each, memory) for each in results]
    making = _Making(memory, buffers)
    steps = [making.step(command) for command in commands]
    known = commands and all(each is not None for each in (*own, *steps))
    if not known or not all(type(each) is Buffer or each._like().flags.c_contiguous for each in memory):
        return None
    shape: Any = (lambda found: found[0]) if not isinstance(result, tuple) else tuple
    if hasattr(result, "_fields"):
        shape = type(result)._make
    return Plan(
        tuple(step for step in steps if step is not None), tuple(making.views),
        tuple((size, dtype) for size, dtype, _ in buffers), tuple((each.shape, each.dtype) for each in made),
        tuple(own), shape, tuple(watch.warned),
    )  # fmt: skip


def _slot(memory: Any, among: list[Any]) -> int | None:
    return next((at for at, each in enumerate(among) if each is memory), None)


# -- running it --


def _run(plan: Plan, given: tuple[Any, ...], queue: Any, waits: bool) -> Any:
    if plan.warned:
        warn(plan.warned)
    first = given[0]
    ordered = type(first) is Buffer
    if ordered:
        made: list[Any] = [Buffer._new(*it) for it in plan.made]
    else:
        where = first._context, first._device, first._kind
        made = [allocated(where, *it) for it in plan.made]
        ordered = queue.is_in_order
    memory = [*given, *made]
    views = [memory[slot] if place is None else memory[slot]._view(*place) for slot, place in plan.views]
    spare = Spare(queue) if plan.spares else None
    buffers = [] if spare is None else [spare.take(size, dtype) for size, dtype in plan.spares]
    event: Any = getattr(first, "_made", None)
    for command, puts in plan.steps:
        arguments = command.arguments.copy()
        for name, at, around in puts:
            value = views[at] if at >= 0 else buffers[-1 - at]
            arguments[name] = value if around is None else type(around)((value, *around[1:]))
        event = submitted(queue, command.range, command.text, arguments, None if ordered else event)
    if spare is not None:
        spare.give_back()
    if waits and event is not None:
        event.wait()
    elif type(first) is UsmArray:
        for result in made:
            result._made = event
    return plan.shape([memory[each] if type(each) is int else each.copy() for each in plan.results])
