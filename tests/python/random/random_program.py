"""Random programs: a small language of steps, and the machine that runs each step with pysycl and with the model.

A step is a word and some bytes. The bytes choose among what there is at the moment (which buffer, which box, which
mode), so every sequence of steps is a program, and what is left of one when steps are taken out still is.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence

import numpy as np
from program_commands import CommandSteps
from program_failures import FailureSteps
from program_model import LAYOUTS, Cells, HostArray
from program_replays import ReplaySteps
from program_things import DTYPES, MOST, SHAPES, Allocation, Part, Pick, Root, World, initial, same
from program_usm import UsmSteps

import pysycl as sycl


class Machine(FailureSteps, ReplaySteps, UsmSteps, CommandSteps):
    """Runs programs; what differs from the model is an AssertionError that says where."""

    def __init__(self, world: World, note: Callable[[str], None] = lambda words: None) -> None:
        self.world, self.note = world, note
        self.roots: list[Root] = []
        self.arrays: list[HostArray] = []
        self.used = {}
        self.allocations: list[Allocation] = []
        self.open = []
        self.wanted = self.waits = {"wait": False}
        self.pending, self.recent, self.touched = [], [], []
        self.recorded, self.doomed = None, None
        self.more_after = []
        self.errors: list[sycl.SyclError] = []  # what queues' handlers were given
        self.queues = []
        self.new_queue(0, 0, False)
        self.new_queue(1, world.far, False)
        self.new_queue(2, 0, True)

    def run(self, steps: Sequence[tuple[str, bytes]]) -> None:
        try:
            for word, operands in steps:
                getattr(self, f"do_{word}")(Pick(operands))
            self.finish()
        except BaseException as error:
            traceback.clear_frames(error.__traceback__)  # their variables look at memory, which could not be freed
            raise
        finally:
            self.give_up()

    # -- queues --

    def new_queue(self, slot: int, context: int, in_order: bool) -> None:
        device, where = self.world.contexts[context]
        entry = (sycl.Queue(device, context=where, in_order=in_order, async_handler=self.errors.extend), context)
        self.queues[slot : slot + 1] = [entry]
        self.note(f"queue {slot}: context {context}, {'in order' if in_order else 'out of order'}")

    def do_queue(self, pick: Pick) -> None:
        self.new_queue(pick.below(3), pick.below(len(self.world.contexts)), pick.seldom(2))

    def do_nothing(self, pick: Pick) -> None:
        """What a step becomes that a smaller program does not need."""

    def do_wait(self, pick: Pick) -> None:
        self.close_accesses()
        slot = pick.below(len(self.queues))
        self.note(f"wait for queue {slot}")
        self.queues[slot][0].wait_and_throw()

    def do_poll(self, pick: Pick) -> None:
        """Ends are noticed in any order, those of the core's own transfers, too."""
        for event in reversed(self.recent):
            for before in reversed(event.wait_list):
                _ = before.status
            _ = event.status

    # -- buffers and their parts --

    def do_buffer(self, pick: Pick) -> None:
        if len(self.roots) >= MOST:
            return
        dtype, shape, form = pick.of(DTYPES), pick.of(SHAPES), pick.below(10)
        free = [array for array in self.arrays if array.buffer is None]
        if form == 0:
            root, handle = Root(shape, dtype), sycl.Buffer(shape, dtype)
        elif form == 1:
            values = initial(shape[:1], dtype, pick.below(8))
            shape = values.shape
            root, handle = Root(shape, dtype, values), sycl.Buffer(iter(values.tolist()), dtype=dtype)
        elif form == 2 and free:
            root, handle = self.wrap(pick.of(free))
        else:
            layout = pick.of(LAYOUTS)
            root, handle = self.wrap(self.new_array(layout, shape, dtype, pick.below(8)), use_host_ptr=form == 3)
        if root.source is not None:
            dtype, shape = root.source.dtype, root.source.shape
        self.roots.append(root)
        root.parts.append(Part(handle, root, 0, dtype, shape, False))
        self.note(f"buffer {shape} {dtype} of {root.source or ('nothing', 'values')[form % 2]}")

    def wrap(self, array: HostArray, use_host_ptr: bool = False) -> tuple[Root, sycl.Buffer]:
        self.settle(array)
        root = Root(array.shape, array.dtype, source=array)
        root.memory.data[:], root.memory.known[:] = array.memory.data, array.memory.known
        array.buffer = root
        use_host_ptr = use_host_ptr and array.layout == "C" and array.array.size > 0
        options = {"use_host_ptr": True} if use_host_ptr else {}
        return root, sycl.Buffer(array.array, **options)

    def do_sub(self, pick: Pick) -> None:
        part = pick.of([part for part in self.parts() if not part.is_sub] or [None])
        if part is None or 0 in part.shape:
            return
        cut = pick.below(len(part.shape))  # before it one element, behind it all, so that the region has no gaps
        offset, extent = pick.box(part.shape)
        offset = tuple(first if d <= cut else 0 for d, first in enumerate(offset))
        extent = tuple(1 if d < cut else n if d == cut else part.shape[d] for d, n in enumerate(extent))
        low = part.low + int(part.cells.box(offset, extent).number.flat[0]) * part.dtype.itemsize
        self.note(f"sub-buffer {offset} {extent} of {part}")
        handle = part.handle.sub_buffer(offset, extent)
        part.root.parts.append(Part(handle, part.root, low, part.dtype, extent, True))

    def do_reinterpret(self, pick: Pick) -> None:
        part = pick.of(self.parts() or [None])
        dtype = pick.of(DTYPES)
        if part is None or part.cells.number.size * part.dtype.itemsize % dtype.itemsize:
            return
        count = part.cells.number.size * part.dtype.itemsize // dtype.itemsize
        shape: tuple[int, ...] = (count,)
        if count % 2 == 0 and pick.seldom(2):
            shape = (2, count // 2)
        self.note(f"{part} as {shape} {dtype}")
        handle = part.handle.reinterpret(dtype, shape)
        part.root.parts.append(Part(handle, part.root, part.low, dtype, shape, part.is_sub))

    def do_final(self, pick: Pick) -> None:
        part = pick.of(self.parts() or [None])
        if part is None:
            return
        root = part.root
        if pick.seldom(2):
            root.write_back = pick.seldom(2)
            self.note(f"write-back of {part}: {root.write_back}")
            part.handle.set_write_back(root.write_back)
        elif pick.seldom():
            self.note(f"no final data for {part}")
            root.target, root.redirected = None, True
            part.handle.set_final_data(None)
        else:
            root.target = self.new_array(pick.of(("C", "F", "strided", "misaligned")), root.shape, root.dtype, 1)
            root.target.buffer = root
            root.finals.append(root.target)
            root.redirected = True
            self.note(f"final data of {part}: {root.target}")
            part.handle.set_final_data(root.target.array)

    def do_close(self, pick: Pick) -> None:
        part = pick.of(self.parts() or [None])
        if part is not None:
            self.note(f"close {part}")
            self.close(part)

    def close(self, part: Part) -> None:
        root = part.root
        last = len(root.parts) == 1
        if last:
            self.close_accesses()
        root.parts.remove(part)
        part.handle.close()
        if last:
            self.destroyed(root)

    def destroyed(self, root: Root) -> None:
        """The last handle went: what the arrays hold from now on."""
        self.roots.remove(root)
        back = root.target if root.written and root.write_back else None
        if root.redirected and root.source in self.arrays:
            self.arrays.remove(root.source)  # nothing waited for the commands that work on it in place
        for array in [root.source, *root.finals]:
            if array is None or array not in self.arrays:
                continue
            array.buffer = None
            if array is back:
                array.memory.data[:], array.memory.known[:] = root.memory.data, root.memory.known
            elif array is root.source and array.writable and root.written:
                array.memory.known[:] = False  # it may have been worked on in place
            self.check(array)

    # -- arrays --

    def new_array(self, layout: str, shape: Sequence[int], dtype: np.dtype, seed: int) -> HostArray:
        array = HostArray(layout, shape, dtype, initial(shape, dtype, seed))
        self.arrays.append(array)
        return array

    def do_array(self, pick: Pick) -> None:
        if len(self.arrays) < 2 * MOST:
            array = self.new_array(pick.of(LAYOUTS), pick.of(SHAPES), pick.of(DTYPES), pick.below(8))
            self.note(f"new {array}")

    def settle(self, array: HostArray) -> None:
        """Waits for the commands that use it: it is about to be used by the host or in a buffer."""
        events = self.used.pop(id(array), [])
        if events:
            self.close_accesses()
            sycl.Event.wait(events)

    def check(self, array: HostArray) -> None:
        wrong = array.differs()
        assert not wrong, f"{array}: {wrong}"

    # -- the host --

    def do_host(self, pick: Pick) -> None:
        """A host access: what is to be read is compared, and something written, sometimes only after later steps."""
        part = pick.of(self.parts() or [None])
        if part is None:
            return
        self.close_accesses()
        one = self.operand(pick, part, ("read", "write", "read_write"))
        late, value = pick.seldom(2), pick.below(50)
        self.note(f"host access: {one}, {'ended later' if late else 'ended at once'}")
        access = part.handle.host_access(one.mode, **one.options)
        array, to_write = access.__enter__(), np.zeros(0)

        def end() -> None:
            if to_write.size:
                array[::2] = to_write
            access.__exit__(None, None, None)

        self.open.append((access, end))
        if one.mode != "write" and not one.drops:
            same(one.claimed, np.asarray(array), "host access")
        if one.mode != "read":
            one.thing.root.written = True
            self.begin(one)
            written = Cells(one.claimed.memory, one.claimed.low, one.claimed.dtype, one.claimed.number[::2])
            to_write = initial(written.number.shape, part.dtype, value)
            written.put(to_write)
        if not late:
            self.close_accesses()

    def close_accesses(self) -> None:
        while self.open:
            self.open.pop()[1]()

    def do_look(self, pick: Pick) -> None:
        part = pick.of(self.parts() or [None])
        if part is not None:
            self.close_accesses()
            self.note(f"look at {part}")
            same(part.cells, np.array(part.handle), repr(part))

    # -- the end --

    def finish(self) -> None:
        self.close_accesses()
        for queue, _ in self.queues:
            queue.wait_and_throw()
        assert not self.errors, self.errors
        for event, seen, expected in self.pending:
            event.wait_and_throw()
            same(expected, seen, "host task")
        self.check_allocations()
        for events in self.used.values():
            sycl.Event.wait(events)
        for root in list(self.roots):
            for part in list(root.parts):
                if len(root.parts) == 1:
                    same(part.cells, np.array(part.handle), repr(part))
                self.close(part)
        for array in self.arrays:
            self.check(array)

    def give_up(self) -> None:
        """After a failure too: nothing may be left that the next program would meet."""
        self.close_accesses()
        self.free_allocations()
