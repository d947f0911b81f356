"""The steps of random programs that submit one command: kernels, copies, fills, host tasks. What a command does to memory is
a function of its own, so that it can be kept until it is known that the command runs, or done again by a replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from program_model import ITEMS, KERNEL_TYPES, Cells, HostArray, Memory, compute, copy
from program_things import DTYPES, Allocation, Command, Operand, Part, Pick, Root, World, initial, row

import pysycl as sycl

NAMES = ("add", "set", "axpy", "flip", "slow")
ROUNDS = (10, 3000, 30000)  # of slow kernels: some are under way when the next steps run
Effect = Callable[[], None]


class CommandSteps:
    """A part of the machine (random_program.py)."""

    world: World
    note: Callable[[str], None]
    roots: list[Root]
    arrays: list[HostArray]
    queues: list[tuple[sycl.Queue, int]]
    allocations: list[Allocation]
    used: dict[int, list[sycl.Event]]  # by the array's identity: the commands that use it
    recent: list[sycl.Event]
    touched: list[Any]  # what the latest commands worked on
    pending: list[tuple[Any, np.ndarray, Cells]]  # host tasks' readings
    recorded: list[tuple[tuple[Operand, ...], Effect]] | None  # the commands of the recording that is open
    recording: int  # its queue's slot
    open: list[tuple[Any, Callable[[], None]]]  # host accesses, and what ends them
    wanted: dict[str, bool]  # how commands are waited for
    waits: dict[str, bool]  # how the latest one was
    doomed: list[Command] | None  # commands of which some will not run
    more_after: list[sycl.Event]  # what the next command is told to wait for besides

    # -- submitting --

    def slot(self, pick: Pick) -> int:
        chosen = pick.below(len(self.queues))
        return chosen if self.recorded is None else self.recording

    def submit(self, slot: int, group: Callable[[sycl.Handler], object]) -> sycl.Event:
        return self.queues[slot][0].submit(group, **self.how())

    def how(self) -> dict[str, bool]:
        """Whether the next command is waited for; None of those that wait for what this thread has still to do."""
        if self.recorded is not None:
            return {}
        self.waits = {"wait": False} if self.doomed is not None or self.open else self.wanted
        return self.waits

    def do_waits(self, pick: Pick) -> None:
        self.wanted = pick.of(({"wait": False}, {}, {"wait": True}))
        self.note(f"commands from here on: {self.wanted}")

    def issue(self, slot: int, event: sycl.Event, effect: Effect, *operands: Operand) -> None:
        """After a command was submitted: it is remembered where it must be waited for, and does what it does."""
        for one in operands:
            if isinstance(one.thing, Allocation):
                one.thing.events.append((event, self.queues[slot][0]))
        self.touched = [*self.touched[-3:], *(one.thing for one in operands)]
        if self.recorded is not None:
            self.recorded.append((operands, effect))
            return
        self.recent = [*self.recent[-7:], event]
        if self.waits.get("wait", any(isinstance(one.thing, HostArray) for one in operands)):
            assert event.status is sycl.EventCommandStatus.complete, "nobody has waited"
        for one in operands:
            if isinstance(one.thing, HostArray):
                self.used.setdefault(id(one.thing), []).append(event)
            elif isinstance(one.thing, Part):
                self.crossed(one, self.queues[slot][0].device.platform)
                one.thing.root.written |= one.mode != "read"
        if self.doomed is None:
            effect()
        else:
            self.doomed.append(Command(event, self.queues[slot][0], operands, tuple(self.named), effect))

    def crossed(self, one: Operand, platform: sycl.Platform) -> None:
        root = one.thing.root
        self.world.crossings += root.writer not in (None, platform)
        if one.mode != "read":
            root.writer = platform

    def events_of(self, slot: int, *operands: Operand) -> list[sycl.Event]:
        """What a command must be told to wait for: those that use the same allocations, unless its queue keeps the order."""
        queue = self.queues[slot][0]
        uses = [use for one in operands if isinstance(one.thing, Allocation) for use in one.thing.events]
        self.named = [event for event, other in uses if other is not queue or not queue.is_in_order] + self.more_after
        self.more_after = []
        return self.named

    # -- what commands work on --

    def parts(self, dtypes: Sequence[np.dtype] = DTYPES) -> list[Part]:
        return [part for root in self.roots for part in root.parts if part.dtype in dtypes]

    def things(self, dtypes: Sequence[np.dtype], context: int, writes: bool) -> list[Any]:
        """Parts, arrays and allocations that a command in the context may use."""
        found: list[Any] = list(self.parts(dtypes))
        found += [one for one in self.allocations if one.context == context and one.dtype in dtypes]
        for array in self.arrays:
            if array.buffer is None and array.dtype in dtypes and (array.writable or not writes) and array.array.size:
                found.append(array)
        if self.recorded is not None:  # two commands of a recording may not share an array that is copied
            taken = [id(one.thing) for operands, _ in self.recorded for one in operands]
            found = [one for one in found if not isinstance(one, HostArray) or id(one) not in taken]
        return found

    def choose(self, pick: Pick, dtypes: Sequence[np.dtype], context: int, writes: bool) -> Any:
        found = self.things(dtypes, context, writes)
        return pick.of(self.again(pick, found, lambda one: one)) if found else None

    def again(self, pick: Pick, found: list[Any], *sides: Callable[[Any], Any]) -> list[Any]:
        """Every second time only what has to do with the latest commands, if there is any of it."""
        if not pick.seldom(2):
            return found
        return [one for one in found if any(side(one) is each for side in sides for each in self.touched)] or found

    def pairs(self, context: int) -> list[tuple[Any, Any]]:
        """What can be copied to and from."""
        return [
            (to, from_)
            for to in self.things(DTYPES, context, True)
            for from_ in self.things([to.dtype], context, False)
            if len(to.shape) == len(from_.shape)
            and to is not from_
            and 0 not in (*to.shape, *from_.shape)
            and {Part, Allocation} & {type(to), type(from_)}
        ]

    def operand(self, pick: Pick, thing: Any, modes: Sequence[str]) -> Operand:
        claimed, options, mode = thing.cells, {}, pick.of(modes)
        offset, extent = pick.box(thing.shape)
        box = claimed.box(offset, extent)
        if isinstance(thing, Part):
            if pick.seldom(2):  # else a command that touches the box claims the whole
                options, claimed = {"range": extent, "offset": offset}, box
            if mode != "read" and pick.seldom(4):
                options["no_init"] = True
        return Operand(thing, box, claimed, options, mode)

    def begin(self, to: Operand, from_: Operand | None = None) -> None:
        """What a command's requirements do to the contents, before it does anything itself."""
        if isinstance(to.thing, Part) and to.drops:
            to.claimed.forget(from_.claimed if from_ is not None else None)

    def fit(self, to: Operand, from_: Operand) -> bool:
        """Makes both boxes the same number of elements; False if the command would be a race."""
        if to.box.number.size != from_.box.number.size:
            n = min(row(to.box).size, row(from_.box).size)
            for one in (to, from_):
                one.box = Cells(one.box.memory, one.box.low, one.box.dtype, row(one.box)[:n])
        return not to.box.meets(from_.box)

    # -- kernels --

    def kernel_operands(self, pick: Pick, context: int) -> tuple[str, Operand, Operand | None] | None:
        """A kernel's name and what it works on, as far as there is anything."""
        name, dtype = pick.of(NAMES), pick.of(DTYPES[: len(KERNEL_TYPES)])
        dtypes = [dtype] if pick.seldom(2) else DTYPES[: len(KERNEL_TYPES)]
        thing = self.choose(pick, dtypes, context, True)
        if thing is None:
            return None
        y = self.operand(pick, thing, ("write", "read_write") if name in ("set", "flip") else ("read_write",))
        x = None
        if name in ("axpy", "flip"):
            other = self.choose(pick, [thing.dtype], context, False)
            if (isinstance(other, HostArray) and other is thing) or (isinstance(thing, Part) and thing.clashes(other)):
                return None
            x = self.operand(pick, other, ("read",))
            if name == "axpy" and pick.seldom(4) and isinstance(thing, Part):
                x = Operand(thing, y.box, y.claimed, {**y.options, "no_init": False}, "read")
            elif not self.fit(y, x):
                return None
        for one in (y, x):
            if one is not None and isinstance(one.thing, Part) and one.mode != "write" and not one.options:
                one.direct = pick.seldom()
        return name, y, x

    def kernel_arguments(
        self, name: str, y: Operand, x: Operand | None, a: int, rounds: int, handler: sycl.Handler | None
    ) -> list[Any]:
        arguments = [y.make(handler), *y.box.geometry(y.thing.shape), y.box.number.size]
        if name != "flip":
            arguments.append(a)
        if x is not None:
            arguments += [x.make(handler), *x.box.geometry(x.thing.shape)]
        return [*arguments, rounds] if name == "slow" else arguments

    def do_kernel(self, pick: Pick) -> None:
        slot = self.slot(pick)
        found = self.kernel_operands(pick, self.queues[slot][1])
        if found is not None:
            self.launch(slot, *found, 1 + pick.below(5), pick.of(ROUNDS))

    def launch(self, slot: int, name: str, y: Operand, x: Operand | None, a: int, rounds: int) -> None:
        assert y.box.number.size <= ITEMS
        self.note(f"queue {slot}: {name} {y} += {a} {x or ''}")
        kernel = getattr(self.world.program, f"{name}_{KERNEL_TYPES[y.box.dtype.str[1:]]}")
        operands = (y, x) if x is not None else (y,)

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(slot, *operands))
            handler.parallel_for(ITEMS, kernel, *self.kernel_arguments(name, y, x, a, rounds, handler))

        self.issue(slot, self.submit(slot, group), lambda: self.kernel_effect(name, y, x, a), *operands)

    def kernel_effect(self, name: str, y: Operand, x: Operand | None, a: int) -> None:
        self.begin(y, x)
        compute(name, y.box, a, x.box if x else None)

    # -- explicit memory operations --

    def do_fill(self, pick: Pick) -> None:
        slot = self.slot(pick)
        context = self.queues[slot][1]
        things = [*self.parts(), *(one for one in self.allocations if one.context == context)]
        if not things:
            return
        to = self.operand(pick, pick.of(things), ("write", "read_write"))
        value = to.box.dtype.type(3 + pick.below(5))
        self.note(f"queue {slot}: fill {to} with {value}")

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(slot, to))
            if isinstance(to.thing, Part):
                handler.fill(to.make(handler), value)
            else:
                handler.fill(to.make(handler), value, to.box.number.size)

        def effect() -> None:
            self.begin(to)
            to.box.put(np.full(to.box.number.shape, value))

        if isinstance(to.thing, Part):
            to.box = to.claimed
        else:
            to.box = to.thing.cells.box((0,), (to.box.number.size,))
        self.issue(slot, self.submit(slot, group), effect, to)

    def memcpy(self, slot: int, to_thing: Any, from_thing: Any) -> None:
        raise NotImplementedError

    def do_copy(self, pick: Pick) -> None:
        slot = self.slot(pick)
        found = self.pairs(self.queues[slot][1])
        if not found:
            return
        to_thing, from_thing = pick.of(self.again(pick, found, lambda pair: pair[0], lambda pair: pair[1]))
        if not isinstance(to_thing, Part) and not isinstance(from_thing, Part):
            self.memcpy(slot, to_thing, from_thing)
            return
        extent = pick.box([min(sizes) for sizes in zip(to_thing.shape, from_thing.shape, strict=True)])[1]
        to, from_ = (
            self.boxed(pick, thing, modes, extent)
            for thing, modes in ((to_thing, ("write", "read_write")), (from_thing, ("read",)))
        )
        if to.box.meets(from_.box):
            return
        self.note(f"queue {slot}: copy {from_} to {to}")

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(slot, to, from_))
            handler.copy(from_.make(handler), to.make(handler))

        def effect() -> None:
            self.begin(to, from_)
            copy(to.box, from_.box)

        self.issue(slot, self.submit(slot, group), effect, to, from_)

    def boxed(self, pick: Pick, thing: Any, modes: Sequence[str], extent: Sequence[int]) -> Operand:
        """An operand of an explicit copy: a box of that extent, anywhere in the thing."""
        offset = tuple(pick.below(size - n + 1) for size, n in zip(thing.shape, extent, strict=True))
        options = {} if tuple(extent) == thing.shape else {"range": tuple(extent), "offset": offset}
        mode = pick.of(modes)
        if isinstance(thing, Part) and mode != "read" and pick.seldom(4):
            options["no_init"] = True
        box = thing.cells.box(offset, extent)
        return Operand(thing, box, box, options, mode)

    def do_update(self, pick: Pick) -> None:
        part = pick.of(self.parts() or [None])
        if part is None:
            return
        slot = self.slot(pick)
        self.note(f"queue {slot}: update the host's copy of {part}")
        one = Operand(part, part.cells, part.cells, {}, "read")

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(slot))
            handler.update_host(handler.read(part.handle))

        self.issue(slot, self.submit(slot, group), lambda: None, one)

    # -- host tasks --

    def do_task(self, pick: Pick) -> None:
        """A host task that reads or writes one part."""
        part = pick.of(self.parts() or [None])
        if part is None:
            return
        slot = self.slot(pick)
        one = self.operand(pick, part, ("read", "write", "read_write"))
        values = initial(one.claimed.number[::2].shape, part.dtype, pick.below(50))
        seen = np.zeros(one.claimed.number.shape, part.dtype)
        self.note(f"queue {slot}: host task with {one}")

        def group(handler: sycl.Handler) -> None:
            accessor = sycl.Accessor(part.handle, handler, one.mode, target="host_task", **one.options)

            def task() -> None:
                array = np.asarray(accessor)
                seen[...] = array
                if one.mode != "read":
                    array[::2] = values

            handler.depends_on(self.events_of(slot))
            handler.host_task(task)

        event = self.submit(slot, group)

        def effect() -> None:
            expected = Cells(Memory(seen.nbytes), 0, part.dtype, np.arange(seen.size).reshape(seen.shape))
            if one.mode != "write" and not one.drops:
                expected.put(*one.claimed.get())
            if one.mode != "read":
                self.begin(one)
                Cells(one.claimed.memory, one.claimed.low, part.dtype, one.claimed.number[::2]).put(values)
            self.pending.append((event, seen, expected))

        self.issue(slot, event, effect, one)

    def do_two(self, pick: Pick) -> None:
        """A host task that writes one part, and then reads another, which may have bytes of the first: it sees the new ones."""
        parts = self.parts()
        if not parts:
            return
        slot = self.slot(pick)
        to = self.operand(pick, pick.of(parts), ("write", "read_write"))
        mine = [part for part in parts if part.root is to.thing.root]
        from_ = self.operand(pick, pick.of(mine if pick.below(3) < 2 else parts), ("read",))
        values = initial(to.claimed.number[::2].shape, to.thing.dtype, pick.below(50))
        seen, reader_first = np.zeros(from_.claimed.number.shape, from_.thing.dtype), pick.seldom(2)
        self.note(f"queue {slot}: host task that writes {to} and reads {from_}")

        def group(handler: sycl.Handler) -> None:
            made = {}
            for one in (from_, to) if reader_first else (to, from_):
                made[one] = sycl.Accessor(one.thing.handle, handler, one.mode, target="host_task", **one.options)

            def task() -> None:
                np.asarray(made[to])[::2] = values
                seen[...] = np.asarray(made[from_])

            handler.depends_on(self.events_of(slot))
            handler.host_task(task)

        event = self.submit(slot, group)

        def effect() -> None:
            self.begin(to, from_)
            Cells(to.claimed.memory, to.claimed.low, to.thing.dtype, to.claimed.number[::2]).put(values)
            expected = Cells(Memory(seen.nbytes), 0, from_.thing.dtype, np.arange(seen.size).reshape(seen.shape))
            expected.put(*from_.claimed.get())
            self.pending.append((event, seen, expected))

        self.issue(slot, event, effect, to, from_)
