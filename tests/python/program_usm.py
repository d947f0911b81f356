"""The steps of random programs that use unified shared memory: pointers make no order, so events do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from program_model import Cells, HostArray, copy
from program_things import DTYPES, MOST, Allocation, Operand, Pick, World, flat, initial, same

import pysycl as sycl


class UsmSteps:
    """A part of the machine (random_program.py)."""

    world: World
    note: Callable[[str], None]
    queues: list[tuple[sycl.Queue, int]]
    allocations: list[Allocation]
    close_accesses: Callable[[], None]
    events_of: Callable[..., list[sycl.Event]]
    submitted: Callable[..., None]

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
        to, from_ = (Operand(one, flat(one, n), flat(one, n), {}, "") for one in (to_thing, from_thing))
        self.note(f"queue {slot}: memcpy {from_} to {to}")
        count, after = n * to_thing.dtype.itemsize, self.events_of(to, from_)
        event = queue.memcpy(to.make(None), from_.make(None), count, depends_on=after)
        self.submitted(event, to, from_)
        copy(to.box, from_.box)

    def do_memset(self, pick: Pick) -> None:
        slot = pick.below(len(self.queues))
        queue, context = self.queues[slot]
        found = [one for one in self.allocations if one.context == context]
        if not found:
            return
        one, value = pick.of(found), pick.below(256)
        count = 1 + pick.below(one.memory.data.size)
        self.note(f"queue {slot}: memset {one}, {value}, {count}")
        one.events.append(queue.memset(one.handle, value, count, depends_on=list(one.events)))
        one.memory.data[:count], one.memory.known[:count] = value, True

    def do_hint(self, pick: Pick) -> None:
        """What must not change anything."""
        slot = pick.below(len(self.queues))
        queue, context = self.queues[slot]
        found = [one for one in self.allocations if one.context == context]
        if not found:
            return
        one = pick.of(found)
        self.note(f"queue {slot}: prefetch {one}")
        one.events.append(queue.prefetch(one.handle, depends_on=list(one.events)))
        if pick.seldom():
            one.events.append(queue.mem_advise(one.handle, one.memory.data.size, 0, depends_on=list(one.events)))

    def do_touch(self, pick: Pick) -> None:
        """The host reads and writes an allocation, after the commands that use it."""
        found = [one for one in self.allocations if one.kind != "device"]
        if not found:
            return
        self.close_accesses()
        one = pick.of(found)
        self.note(f"the host uses {one}")
        sycl.Event.wait(one.events)
        one.events.clear()
        view = np.asarray(one.handle)
        same(one.cells, view, repr(one))
        values = initial((len(view[::3]),), one.dtype, pick.below(9))
        view[::3] = values
        Cells(one.memory, 0, one.dtype, one.cells.number[::3]).put(values)

    def check_allocations(self) -> None:
        for one in self.allocations:
            sycl.Event.wait(one.events)
            actual = np.zeros(one.shape, one.dtype)
            queue = sycl.Queue(self.world.contexts[one.context][0], context=self.world.contexts[one.context][1])
            queue.memcpy(actual, one.handle, actual.nbytes).wait_and_throw()
            same(one.cells, actual, repr(one))

    def free_allocations(self) -> None:
        for one in self.allocations:
            sycl.free(one.handle, self.world.contexts[one.context][1])
        self.allocations.clear()
