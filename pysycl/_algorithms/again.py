"""Calls that come again: of a call for unified shared memory or a buffer the commands are kept, and a call for memory that
lies alike submits them with that memory in its place, and asks nothing more."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl._algorithms.spare import Command, Spare, Watch, let_go, watch, with_room
from pysycl._data.usm_array import UsmArray
from pysycl.buffer import Buffer
from pysycl.errors import MemoryAllocationError
from pysycl.reductions import Reduction

if TYPE_CHECKING:
    from pysycl.event import Event

_MOST: Final = 200  # calls of a queue that are kept

_plans: Final[weakref.WeakKeyDictionary[Any, dict[Any, _core.KeptPlan | None]]] = weakref.WeakKeyDictionary()


class View(NamedTuple):
    """A part of the memory of the call, or all of it: `place` None."""

    slot: int
    place: tuple[Any, ...] | None = None


class Put(NamedTuple):
    """An argument that is memory: its number; which of the views, or of the buffers; and what it is wrapped in."""

    argument: int
    at: int
    around: Reduction | None = None


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
        self, plans: dict[Any, _core.KeptPlan | None], key: Any, given: tuple[Any, ...], queue: Any, waits: bool
    ) -> None:
        self.plans, self.key, self.given, self.queue, self.waits = plans, key, given, queue, waits

    def result(self, call: Callable[[], Any]) -> Any:
        """What the call returns."""
        plan = self.plans.get(self.key, self)  # other threads may let go of plans at any time
        if isinstance(plan, Again):
            result, plan = self._watched(call)
        else:
            result = call() if plan is None else plan.run(self.given, self.queue, self.waits)
        watch.done += 1
        watch.latest = None if plan is None else (plan, self.given, self.waits, result)
        return result

    def _watched(self, call: Callable[[], Any]) -> tuple[Any, _core.KeptPlan | None]:
        watch.begin()
        try:
            result = call()
            plan = _plan_of(self.queue, watch, self.given, result) if watch.is_alike else None
        finally:
            watch.end()
        if len(self.plans) >= _MOST:
            self.plans.clear()
        self.plans[self.key] = plan
        return result, plan


def begun() -> int:
    """A call of a function begins; what its end is to be told."""
    before, watch.done, watch.latest = watch.done, 0, None
    return before


def ended(before: int, result: Any, memory: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The call's plan, if that is all that it does, with the numbers of the arguments' memory that it is given, and whether
    it waits."""
    done, latest = watch.done, watch.latest
    watch.done, watch.latest = before + done, None
    if latest is None or done != 1:
        return None
    plan, given, waits, made = latest
    slots = tuple(slot for each in given if (slot := _slot(each, memory)) is not None)
    return (weakref.ref(plan), slots, waits) if made is result and len(slots) == len(given) else None


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

    def __init__(self, memory: list[Any], watch: Watch) -> None:
        self.memory = memory
        self.buffers = [buffer for _, _, buffer in watch.buffers]
        self.constants = watch.constants
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

    def step(self, command: Command) -> tuple[Any, ...] | None:
        """The command as a plan has it; None: it has other memory than the call's."""
        puts = []
        values = list(command.arguments.values())
        for argument, value in enumerate(values):
            around = value if isinstance(value, Reduction) and value[0] is not None else None
            memory = value if around is None else around[0]
            if not isinstance(memory, UsmArray | _core.Buffer):
                if hasattr(memory, "__array_interface__") and getattr(memory, "ndim", 0) > 0:
                    return None
                continue
            if any(memory is each for each in self.constants):
                continue
            at = self.number(memory)
            if at is None:
                return None
            puts.append(Put(argument, at, None if around is None else type(around)((None, *around[1:]))))
            values[argument] = None
        names = tuple(command.arguments)
        return command.range, command.text, names, (*names, "depends_on"), tuple(values), tuple(puts)


def _plan_of(queue: Any, watch: Watch, given: tuple[Any, ...], result: Any) -> _core.KeptPlan | None:
    results = result if isinstance(result, tuple) else (result,)
    memory = list(given)
    for each in results:
        if type(each) is type(given[0]) and _slot(each, memory) is None:
            memory.append(each)
    made = memory[len(given) :]
    own = [each.copy() if isinstance(each, np.ndarray) else _slot(each, memory) for each in results]
    making = _Making(memory, watch)
    steps = [making.step(command) for command in watch.commands or ()]
    known = steps and all(each is not None for each in (*own, *steps))
    if not known or not all(type(each) is Buffer or each._like().flags.c_contiguous for each in memory):
        return None
    shape: Any = None if not isinstance(result, tuple) else tuple
    if hasattr(result, "_fields"):
        shape = type(result)._make
    return _core.KeptPlan(
        weakref.ref(queue), tuple(steps), tuple(making.views), tuple((size, dtype) for size, dtype, _ in watch.buffers),
        tuple((each.shape, each.dtype, each.dtype.itemsize) for each in made), tuple(own), shape, Spare, let_go,
    )  # fmt: skip


def _slot(memory: Any, among: Sequence[Any]) -> int | None:
    return next((at for at, each in enumerate(among) if each is memory), None)
