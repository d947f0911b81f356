"""The steps of random programs that run commands more than once: recordings, which are replayed with other commands between,
and prepared kernels."""

from __future__ import annotations

from typing import Any

from program_commands import CommandSteps
from program_model import ITEMS, KERNEL_TYPES, Cells
from program_things import Allocation, Operand, Part, Pick

RECORDED = ("kernel", "copy", "kernel", "fill", "copy", "memset", "hint")
BETWEEN = ("kernel", "copy", "fill", "task", "two", "host", "look", "memset", "update", "poll")
WITHOUT_WAITING = ("kernel", "copy", "fill", "task", "two", "memset", "update")


class ReplaySteps(CommandSteps):
    """A part of the machine (random_program.py)."""

    def between(self, pick: Pick) -> None:
        """Sometimes something else, before a command runs once more."""
        if pick.seldom(2):
            word = pick.of(BETWEEN if self.doomed is None else WITHOUT_WAITING)
            getattr(self, f"do_{word}")(pick)

    def do_record(self, pick: Pick) -> None:
        slot = pick.below(len(self.queues))
        queue = self.queues[slot][0]
        self.note(f"queue {slot}: record")
        outside = [(one, one.events) for one in self.allocations]
        for one, _ in outside:
            one.events = []
        self.recorded, self.recording = [], slot
        more, self.more_after = self.more_after, []
        try:
            with queue.record() as graph:
                for _ in range(1 + pick.below(4)):
                    getattr(self, f"do_{pick.of(RECORDED)}")(pick)
        finally:
            commands, self.recorded = self.recorded, None
            for one, events in outside:  # those of recorded commands are nothing to wait for
                one.events = events
        if not commands:
            return
        operands = [one for each, _ in commands for one in each]

        def effect() -> None:
            for _, each in commands:
                each()

        self.more_after = more
        for turn in range(1 + pick.below(3)):
            self.note(f"queue {slot}: replay {len(commands)} commands")
            event = graph.replay(depends_on=self.events_of(slot, *merged(operands)), **self.how())
            self.issue(slot, event, effect, *merged(operands, parts=True))
            if turn < 2:
                self.between(pick)
        graph.close()

    def do_prepared(self, pick: Pick) -> None:
        slot = self.slot(pick)
        queue, context = self.queues[slot]
        found = self.kernel_operands(pick, context)
        if found is None:
            return
        name, y, x = found
        kernel = getattr(self.world.program, f"{name}_{KERNEL_TYPES[y.box.dtype.str[1:]]}")
        arguments = self.kernel_arguments(name, y, x, 1, 10, None)
        self.note(f"queue {slot}: prepare {name} {y} {x or ''}")
        prepared = queue.kernel(ITEMS, kernel, *arguments)
        for _ in range(1 + pick.below(3)):
            self.call(slot, prepared, name, y, x, pick)
            self.between(pick)

    def call(self, slot: int, prepared: Any, name: str, y: Operand, x: Operand | None, pick: Pick) -> None:
        """Once, sometimes with another number, sometimes on something else of the same type."""
        changes: dict[str, Any] = {}
        a = 1
        if name != "flip" and pick.seldom(2):
            a = changes["a"] = 1 + pick.below(5)
        other = self.choose(pick, [y.thing.dtype], self.queues[slot][1], True) if pick.seldom() else None
        if type(other) is type(y.thing) and other.shape == y.thing.shape and (x is None or other is not x.thing):
            box = Cells(other.cells.memory, other.cells.low, other.dtype, y.box.number)
            if x is None or not (isinstance(other, Part) and (other.clashes(x.thing) or other.cells.meets(x.box))):
                y = Operand(other, box, other.cells, {}, "read_write")
                changes["y"] = y.make(None)
        operands = (y, x) if x is not None else (y,)
        self.note(f"queue {slot}: call it with {', '.join(changes) or 'what it has'}: {y}")
        event = prepared(depends_on=self.events_of(slot, *operands), **self.how(), **changes)
        self.issue(slot, event, lambda: self.kernel_effect(name, y, x, a), *operands)


def merged(operands: list[Operand], parts: bool = False) -> list[Operand]:
    """One for each allocation, whose events would be named more than once else; with `parts` all others, too."""
    out, seen = [], set()
    for one in operands:
        if isinstance(one.thing, Allocation):
            if id(one.thing) not in seen:
                out.append(one)
            seen.add(id(one.thing))
        elif parts:
            out.append(one)
    return out
