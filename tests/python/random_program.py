"""Random programs: a small language of steps, and the machine that runs each step with pysycl and with the model.

A step is a word and some bytes. The bytes choose among what there is at the moment (which buffer, which box, which
mode), so every sequence of steps is a program, and what is left of one when steps are taken out still is.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from program_model import ITEMS, KERNEL_TYPES, LAYOUTS, Cells, HostArray, Memory, compute, copy
from program_things import DTYPES, MOST, SHAPES, Allocation, Operand, Part, Pick, Root, World, initial, row, same
from program_usm import UsmSteps

import pysycl as sycl

ROUNDS = (10, 3000, 30000)  # of slow kernels: some are under way when the next steps run


class Machine(UsmSteps):
    """Runs programs; what differs from the model is an AssertionError that says where."""

    def __init__(self, world: World, note: Callable[[str], None] = lambda words: None) -> None:
        self.world, self.note = world, note
        self.roots: list[Root] = []
        self.arrays: list[HostArray] = []
        self.used: dict[int, list[sycl.Event]] = {}  # by the array's identity: the commands that use it
        self.allocations: list[Allocation] = []
        self.open: list[tuple[Any, Callable[[], None]]] = []  # host accesses, and what ends them
        self.pending: list[tuple[Any, np.ndarray, Cells]] = []  # host tasks' readings
        self.recent: list[sycl.Event] = []
        self.queues: list[tuple[sycl.Queue, int]] = []
        self.new_queue(0, 0, False)
        self.new_queue(1, len(world.contexts) - 1, False)

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
        entry = (sycl.Queue(device, context=where, in_order=in_order), context)
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

    def parts(self, dtypes: Sequence[np.dtype] = DTYPES) -> list[Part]:
        return [part for root in self.roots for part in root.parts if part.dtype in dtypes]

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

    # -- what commands work on --

    def things(self, dtypes: Sequence[np.dtype], context: int, writes: bool) -> list[Any]:
        """Parts, arrays and allocations that a command in the context may use."""
        found: list[Any] = list(self.parts(dtypes))
        found += [one for one in self.allocations if one.context == context and one.dtype in dtypes]
        for array in self.arrays:
            if array.buffer is None and array.dtype in dtypes and (array.writable or not writes) and array.array.size:
                found.append(array)
        return found

    def choose(self, pick: Pick, dtypes: Sequence[np.dtype], context: int, writes: bool) -> Any:
        found = self.things(dtypes, context, writes)
        return pick.of(found) if found else None

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

    def events_of(self, *operands: Operand) -> list[sycl.Event]:
        return [event for one in operands if isinstance(one.thing, Allocation) for event in one.thing.events]

    def submitted(self, event: sycl.Event, *operands: Operand) -> None:
        """After a command: it is remembered where it must be waited for."""
        self.recent = [*self.recent[-7:], event]
        for one in operands:
            if isinstance(one.thing, Allocation):
                one.thing.events.append(event)
            elif isinstance(one.thing, HostArray):
                self.used.setdefault(id(one.thing), []).append(event)

    def begin(self, to: Operand, from_: Operand | None = None) -> None:
        """What a command's requirements do to the contents, before it does anything itself."""
        if isinstance(to.thing, Part):
            to.thing.root.written = True
            if to.drops:
                to.claimed.forget(from_.claimed if from_ is not None else None)

    def fit(self, to: Operand, from_: Operand) -> bool:
        """Makes both boxes the same number of elements; False if the command would be a race."""
        if to.box.number.size != from_.box.number.size:
            n = min(row(to.box).size, row(from_.box).size)
            for one in (to, from_):
                one.box = Cells(one.box.memory, one.box.low, one.box.dtype, row(one.box)[:n])
        return not to.box.meets(from_.box)

    # -- kernels --

    def do_kernel(self, pick: Pick) -> None:
        slot = pick.below(len(self.queues))
        queue, context = self.queues[slot]
        name, dtype = pick.of(("add", "set", "axpy", "flip", "slow")), pick.of(DTYPES[: len(KERNEL_TYPES)])
        dtypes = [dtype] if pick.seldom(2) else DTYPES[: len(KERNEL_TYPES)]
        thing = self.choose(pick, dtypes, context, True)
        if thing is None:
            return
        y = self.operand(pick, thing, ("write", "read_write") if name in ("set", "flip") else ("read_write",))
        x = None
        if name in ("axpy", "flip"):
            other = self.choose(pick, [thing.dtype], context, False)
            if (isinstance(other, HostArray) and other is thing) or (isinstance(thing, Part) and thing.clashes(other)):
                return
            x = self.operand(pick, other, ("read",))
            if name == "axpy" and pick.seldom(4) and isinstance(thing, Part):
                x = Operand(thing, y.box, y.claimed, {**y.options, "no_init": False}, "read")
            elif not self.fit(y, x):
                return
        for one in (y, x):
            if one is not None and isinstance(one.thing, Part) and one.mode != "write" and not one.options:
                one.direct = pick.seldom()
        self.launch(slot, queue, name, 1 + pick.below(5), y, x, pick)

    def launch(
        self, slot: int, queue: sycl.Queue, name: str, a: int, y: Operand, x: Operand | None, pick: Pick
    ) -> None:
        n, type_ = y.box.number.size, KERNEL_TYPES[y.box.dtype.str[1:]]
        assert n <= ITEMS
        self.note(f"queue {slot}: {name} {y} += {a} {x or ''}")
        kernel = getattr(self.world.program, f"{name}_{type_}")
        rounds = pick.of(ROUNDS)

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(y, *([x] if x else [])))
            arguments = [y.make(handler), *y.box.geometry(y.thing.shape), n]
            if name != "flip":
                arguments.append(a)
            if x is not None:
                arguments += [x.make(handler), *x.box.geometry(x.thing.shape)]
            if name == "slow":
                arguments.append(rounds)
            handler.parallel_for(ITEMS, kernel, *arguments)

        self.submitted(queue.submit(group), y, *([x] if x else []))
        self.begin(y, x)
        compute(name, y.box, a, x.box if x else None)

    # -- explicit memory operations --

    def do_fill(self, pick: Pick) -> None:
        slot = pick.below(len(self.queues))
        queue, context = self.queues[slot]
        things = [*self.parts(), *(one for one in self.allocations if one.context == context)]
        if not things:
            return
        to = self.operand(pick, pick.of(things), ("write", "read_write"))
        value = to.box.dtype.type(3 + pick.below(5))
        self.note(f"queue {slot}: fill {to} with {value}")

        def group(handler: sycl.Handler) -> None:
            handler.depends_on(self.events_of(to))
            if isinstance(to.thing, Part):
                handler.fill(to.make(handler), value)
            else:
                handler.fill(to.make(handler), value, to.box.number.size)

        if isinstance(to.thing, Part):
            to.box = to.claimed
        else:
            to.box = to.thing.cells.box((0,), (to.box.number.size,))
        self.submitted(queue.submit(group), to)
        self.begin(to)
        to.box.put(np.full(to.box.number.shape, value))

    def do_copy(self, pick: Pick) -> None:
        slot = pick.below(len(self.queues))
        queue, context = self.queues[slot]
        found = self.pairs(context)
        if not found:
            return
        to_thing, from_thing = pick.of(found)
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
            handler.depends_on(self.events_of(to, from_))
            handler.copy(from_.make(handler), to.make(handler))

        self.submitted(queue.submit(group), to, from_)
        self.begin(to, from_)
        copy(to.box, from_.box)

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
        if part is not None:
            slot = pick.below(len(self.queues))
            self.note(f"queue {slot}: update the host's copy of {part}")
            self.recent.append(self.queues[slot][0].submit(lambda h: h.update_host(h.read(part.handle))))

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
            self.begin(one)
            written = Cells(one.claimed.memory, one.claimed.low, one.claimed.dtype, one.claimed.number[::2])
            to_write = initial(written.number.shape, part.dtype, value)
            written.put(to_write)
        if not late:
            self.close_accesses()

    def close_accesses(self) -> None:
        while self.open:
            self.open.pop()[1]()

    def do_task(self, pick: Pick) -> None:
        """A host task that reads or writes one part."""
        part = pick.of(self.parts() or [None])
        if part is None:
            return
        slot = pick.below(len(self.queues))
        one = self.operand(pick, part, ("read", "write", "read_write"))
        value = pick.below(50)
        self.note(f"queue {slot}: host task with {one}")
        values = initial(one.claimed.number[::2].shape, part.dtype, value)
        seen = np.zeros(one.claimed.number.shape, part.dtype)
        expected = Cells(Memory(seen.nbytes), 0, part.dtype, np.arange(seen.size).reshape(seen.shape))
        if one.mode != "write" and not one.drops:
            expected.put(*one.claimed.get())

        def group(handler: sycl.Handler) -> None:
            accessor = sycl.Accessor(part.handle, handler, one.mode, target="host_task", **one.options)

            def task() -> None:
                array = np.asarray(accessor)
                seen[...] = array
                if one.mode != "read":
                    array[::2] = values

            handler.host_task(task)

        event = self.queues[slot][0].submit(group)
        if one.mode != "read":
            self.begin(one)
            Cells(one.claimed.memory, one.claimed.low, part.dtype, one.claimed.number[::2]).put(values)
        self.recent = [*self.recent[-7:], event]
        self.pending.append((event, seen, expected))

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
