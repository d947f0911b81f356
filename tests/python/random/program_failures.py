"""The step of random programs in which something fails: a host task raises while other commands are submitted behind it.
What depends on it, by memory, by events, by the order of its queue, or through others, must not run and must leave all memory
as it was; everything else runs as if nothing had been."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from program_commands import CommandSteps
from program_things import Command, Operand, Part, Pick

import pysycl as sycl

BEHIND = ("kernel", "task", "copy", "record", "fill", "prepared", "memset", "update", "hint", "two")
PATIENCE = 60.0


class Meant(Exception):
    """What host tasks fail with."""


class FailureSteps(CommandSteps):
    """A part of the machine (random_program.py)."""

    errors: list[sycl.SyclError]
    close_accesses: Callable[[], None]

    def do_failure(self, pick: Pick) -> None:
        self.close_accesses()  # they would hold up what this waits for
        gate = threading.Event()
        self.doomed = []
        try:
            origin = self.failing(pick, gate)
            for _ in range(1 + pick.below(5)):
                self.more_after = [origin.event] if pick.seldom() else []
                getattr(self, f"do_{pick.of(BEHIND)}")(pick)
        finally:
            self.more_after = []
            gate.set()
        for failed in self.settle_all(origin):
            self.repair(failed, failed is origin)
        if pick.seldom(2):
            self.late(origin, pick)

    def failing(self, pick: Pick, gate: threading.Event) -> Command:
        slot = pick.below(len(self.queues))
        part = pick.of([*self.parts(), None])
        one = self.operand(pick, part, ("write", "read", "read_write")) if part is not None else None
        self.note(f"queue {slot}: a host task that fails, with {one or 'nothing'}")

        def group(handler: sycl.Handler) -> None:
            accessor: Any = None
            if one is not None:
                accessor = sycl.Accessor(one.thing.handle, handler, one.mode, target="host_task", **one.options)

            def task() -> None:
                gate.wait(PATIENCE)
                if one is not None and one.mode != "read":
                    np.asarray(accessor)[::3] = 77
                raise Meant("as it was meant to")

            handler.host_task(task)

        self.named = []
        event = self.submit(slot, group)
        self.issue(slot, event, lambda: None, *([one] if one else []))
        assert self.doomed is not None
        return self.doomed[0]

    def settle_all(self, origin: Command) -> list[Command]:
        """Waits for all, holds what failed against what must have, and lets happen what ran."""
        commands, self.doomed = self.doomed or [], None
        failed = [origin]
        self.note(f"the host task fails, {len(commands) - 1} commands behind it")
        for queue, _ in self.queues:
            queue.wait()
        for one in commands[1:]:
            must = any(one.waits_for(other) for other in failed)
            error = one.event.exception
            assert error is None or "as it was meant to" in str(error), error
            may = must or (self.copies() and any(one.roots & other.roots for other in failed))
            assert error is not None or not must, f"{one} ran behind a failure"
            assert error is None or may, f"{one} failed and does not depend on the failure"
            if error is None:
                one.effect()
            else:
                failed.append(one)
        assert isinstance(origin.event.exception, sycl.SyclRuntimeError)
        for queue, _ in self.queues:
            queue.throw_asynchronous()
        told = sum("as it was meant to" in str(error) for error in self.errors)
        assert told == len(self.errors) >= len(failed), (told, self.errors, len(failed))
        assert told == len(failed) or self.copies(), (told, len(failed))
        self.errors.clear()
        for allocation in self.allocations:
            allocation.events.clear()
        return failed

    def copies(self) -> bool:
        """On devices with memory of their own one copy serves several readers, which fail together where it does."""
        return not all(device._facts["shares_host_memory"] for device, _ in self.world.contexts)

    def repair(self, failed: Command, began: bool = False) -> None:
        """What a task was at is not to be relied on; and where nothing was before, a writer that failed is told to whoever
        reads. Whoever overwrites it need not know."""
        for one in failed.operands:
            part = one.thing
            if one.mode == "read" or not isinstance(part, Part):
                continue
            if not began and part.cells.get()[1].all():
                continue
            self.note(f"fill {part} anew")
            to = Operand(part, part.cells, part.cells, {}, "write")
            event = self.submit(0, lambda h, to=to: h.fill(sycl.Accessor(to.thing.handle, h, "write", no_init=True), 9))
            self.issue(0, event, lambda to=to: to.box.put(np.full(to.box.number.shape, 9)), to)

    def late(self, origin: Command, pick: Pick) -> None:
        """A command that names a failed one does not run either, however long ago that was."""
        self.doomed, self.more_after = [], [origin.event]
        getattr(self, f"do_{pick.of(('kernel', 'fill', 'copy', 'task', 'memset'))}")(pick)
        self.more_after = []
        commands, self.doomed = self.doomed, None
        for one in commands:
            one.event.wait()
            assert one.event.exception is not None, f"{one} ran behind a failure"
        for queue, _ in self.queues:
            queue.throw_asynchronous()
        assert len(self.errors) >= len(commands), self.errors
        self.errors.clear()
        for allocation in self.allocations:
            allocation.events = [use for use in allocation.events if all(use[0] is not one.event for one in commands)]
        for one in commands:
            self.repair(one)
