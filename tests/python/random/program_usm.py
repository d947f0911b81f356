"""The steps of random programs that use unified shared memory: pointers make no order, so events do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from program_commands import CommandSteps
from program_model import Cells, HostArray, copy
from program_things import DTYPES, MOST, Allocation, Operand, Pick, flat, initial, same

import pysycl as sycl


class UsmSteps(CommandSteps):
    """A part of the machine (random_program.py)."""

    close_accesses: Callable[[], None]

    def do_malloc(self, pick: Pick) -> None:
        if len(self.allocations) >= MOST:
            return
        queue, context = self.queues[pick.below(len(self.queues))]
        kind, dtype, count = pick.of(("shared", "device", "host")), pick.of(DTYPES), pick.of((8, 1, 24, 64))
        if not queue.device.has(f"usm_{kind}_allocations"):
            return
        self.note(f"malloc_{kind}({count}, {dtype}), context {context}")
        handle = getattr(sycl, f"malloc_{kind}")(count, dtype, queue)
        self.allocations.append(Allocation(handle, kind, dtype, count, context))

    def do_free(self, pick: Pick) -> None:
        if self.allocations:
            one = pick.of(self.allocations)
            self.note(f"free {one}")
            self.allocations.remove(one)
            sycl.free(one.handle, self.world.contexts[one.context][1])

    def memcpy(self, slot: int, to_thing: Any, from_thing: Any) -> None:
        queue = self.queues[slot][0]
        n = min(to_thing.cells.number.size, from_thing.cells.number.size)
        full = all(isinstance(one, Allocation) or one.array.size == n for one in (to_thing, from_thing))
        if not full or to_thing is from_thing:
            return
        if any(isinstance(one, HostArray) and one.layout not in ("C", "read-only") for one in (to_thing, from_thing)):
            return
        to, from_ = (
            Operand(one, flat(one, n), flat(one, n), {}, mode)
            for one, mode in ((to_thing, "write"), (from_thing, "read"))
        )
        self.note(f"queue {slot}: memcpy {from_} to {to}")
        count, after = n * to_thing.dtype.itemsize, self.events_of(slot, to, from_)
        event = queue.memcpy(to.make(None), from_.make(None), count, depends_on=after, **self.how())
        self.issue(slot, event, lambda: copy(to.box, from_.box), to, from_)

    def allocated(self, pick: Pick, slot: int) -> Operand | None:
        """The whole of an allocation that the queue may use."""
        found = [one for one in self.allocations if one.context == self.queues[slot][1]]
        if not found:
            return None
        one = pick.of(found)
        return Operand(one, one.cells, one.cells, {}, "write")

    def do_memset(self, pick: Pick) -> None:
        slot = self.slot(pick)
        to = self.allocated(pick, slot)
        if to is None:
            return
        one, value = to.thing, pick.below(256)
        count = 1 + pick.below(one.memory.data.size)
        self.note(f"queue {slot}: memset {one}, {value}, {count}")

        def effect() -> None:
            one.memory.data[:count], one.memory.known[:count] = value, True

        after = self.events_of(slot, to)
        event = self.queues[slot][0].memset(one.handle, value, count, depends_on=after, **self.how())
        self.issue(slot, event, effect, to)

    def do_hint(self, pick: Pick) -> None:
        """What must not change anything."""
        slot = self.slot(pick)
        to = self.allocated(pick, slot)
        if to is None:
            return
        queue, one = self.queues[slot][0], to.thing
        self.note(f"queue {slot}: prefetch {one}")
        after = self.events_of(slot, to)
        self.issue(slot, queue.prefetch(one.handle, depends_on=after, **self.how()), lambda: None, to)
        if pick.seldom():
            after = self.events_of(slot, to)
            advised = queue.mem_advise(one.handle, one.memory.data.size, 0, depends_on=after, **self.how())
            self.issue(slot, advised, lambda: None, to)

    def do_touch(self, pick: Pick) -> None:
        """The host reads and writes an allocation, after the commands that use it."""
        found = [one for one in self.allocations if one.kind != "device"]
        if not found:
            return
        self.close_accesses()
        one = pick.of(found)
        self.note(f"the host uses {one}")
        sycl.Event.wait([event for event, _ in one.events])
        one.events.clear()
        view = np.asarray(one.handle)
        same(one.cells, view, repr(one))
        values = initial((len(view[::3]),), one.dtype, pick.below(9))
        view[::3] = values
        Cells(one.memory, 0, one.dtype, one.cells.number[::3]).put(values)

    def check_allocations(self) -> None:
        for one in self.allocations:
            sycl.Event.wait([event for event, _ in one.events])
            actual = np.zeros(one.shape, one.dtype)
            queue = sycl.Queue(self.world.contexts[one.context][0], context=self.world.contexts[one.context][1])
            queue.memcpy(actual, one.handle, actual.nbytes)
            same(one.cells, actual, repr(one))

    def free_allocations(self) -> None:
        for one in self.allocations:
            sycl.free(one.handle, self.world.contexts[one.context][1])
        self.allocations.clear()
