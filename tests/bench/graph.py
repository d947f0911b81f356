"""What the graph costs: 1000 commands that depend on each other through buffers, through USM and depends_on, and through the
order of a queue; 1000 that do not; and PyOpenCL with the same kernel.

    python tests/bench/graph.py [ROUNDS]

All in one process, taking turns. "a command" is a launch of 64 work-items; a round is 1000 of them and one wait. Nothing is
asserted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns, version_of

import pysycl as sycl

SOURCE = """
__kernel void bump(__global float *x, float a) { x[get_global_id(0)] += a; }
/* The same with a loop, whose length no launch can know: pysycl leaves such a kernel to the pool. */
__kernel void bump_loop(__global float *x, float a)
{
    for (size_t i = get_global_id(0); i < 64; i += get_global_size(0))
        x[i] += a;
}
"""
COMMANDS, ITEMS = 1000, 64


class Chains:
    """The ways to run `count` commands that each depend on the one before."""

    def __init__(self, kernel: str) -> None:
        self.queue = sycl.Queue()
        self.ordered = sycl.Queue(in_order=True)
        self.kernel = getattr(sycl.Program(SOURCE), kernel)
        self.buffer = sycl.Buffer((ITEMS,), np.float32)
        self.queue.fill(self.buffer, 0.0).wait()
        self.usm = sycl.malloc_shared((ITEMS,), np.float32, self.queue)
        self.array = np.zeros(ITEMS, np.float32)
        self.many = [sycl.malloc_shared((ITEMS,), np.float32, self.queue) for _ in range(COMMANDS)]
        self.buffers = [sycl.Buffer((ITEMS,), np.float32) for _ in range(COMMANDS)]

    def accessors(self, count: int) -> None:
        for _ in range(count):
            with self.queue.submit() as h:
                h.parallel_for(ITEMS, self.kernel, h.read_write(self.buffer), 1.0)
        self.queue.wait()

    def buffers_directly(self, count: int) -> None:
        launch, kernel, buffer = self.queue.parallel_for, self.kernel, self.buffer
        for _ in range(count):
            launch(ITEMS, kernel, buffer, 1.0)
        self.queue.wait()

    def arrays(self, count: int) -> None:
        launch, kernel, array = self.queue.parallel_for, self.kernel, self.array
        for _ in range(count):
            launch(ITEMS, kernel, array, 1.0, wait=False)
        self.queue.wait()

    def usm_depends_on(self, count: int) -> None:
        launch, kernel, usm = self.queue.parallel_for, self.kernel, self.usm
        event = launch(ITEMS, kernel, usm, 1.0)
        for _ in range(count - 1):
            event = launch(ITEMS, kernel, usm, 1.0, depends_on=event)
        self.queue.wait()

    def usm_in_order(self, count: int) -> None:
        launch, kernel, usm = self.ordered.parallel_for, self.kernel, self.usm
        for _ in range(count):
            launch(ITEMS, kernel, usm, 1.0)
        self.ordered.wait()

    def independent_usm(self, count: int) -> None:
        launch, kernel = self.queue.parallel_for, self.kernel
        for i in range(count):
            launch(ITEMS, kernel, self.many[i % COMMANDS], 1.0)
        self.queue.wait()

    def independent_buffers(self, count: int) -> None:
        launch, kernel = self.queue.parallel_for, self.kernel
        for i in range(count):
            launch(ITEMS, kernel, self.buffers[i % COMMANDS], 1.0)
        self.queue.wait()


def edges_of_independent(chains: Chains) -> int:
    """Edges among commands that use a buffer each: none may be made."""
    events = [chains.queue.parallel_for(ITEMS, chains.kernel, buffer, 1.0) for buffer in chains.buffers]
    edges = sum(len(event.wait_list) for event in events)
    chains.queue.wait()
    return edges


def pyopencl_contender(kernel: str) -> Contender | None:
    if version_of("pyopencl") == "not installed":
        return None
    import pyopencl

    queue = sycl.Queue()
    context = pyopencl.Context.from_int_ptr(queue.context.int_ptr)
    native = pyopencl.CommandQueue(context, pyopencl.Device.from_int_ptr(queue.device.int_ptr), properties=0)
    function = getattr(pyopencl.Program(context, SOURCE).build(), kernel)
    function.set_scalar_arg_dtypes([None, np.float32])
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, ITEMS * 4)

    def run(count: int) -> None:
        for _ in range(count):
            function(native, (ITEMS,), (ITEMS,), buffer, 1.0)
        native.finish()

    return Contender("PyOpenCL, in-order queue, buffer made once", run)


def report(kernel: str, rounds: int) -> None:
    chains = Chains(kernel)
    ways: list[tuple[str, Callable[[int], None]]] = [
        ("buffer, accessor in a command group", chains.accessors),
        ("buffer as argument of the queue's shortcut", chains.buffers_directly),
        ("NumPy array", chains.arrays),
        ("USM, depends_on", chains.usm_depends_on),
        ("USM, in-order queue", chains.usm_in_order),
        ("independent: 1000 USM allocations", chains.independent_usm),
        ("independent: 1000 buffers", chains.independent_buffers),
    ]
    contenders = [Contender(name, run) for name, run in ways]
    peer = pyopencl_contender(kernel)
    contenders += [peer] if peer else []
    take_turns(contenders, rounds, COMMANDS)
    usm = contenders[3]
    rows = [[c.name, f"{c.least * 1e6:.2f}", f"{c.median * 1e6:.2f}", f"{ratio(c, usm):.2f}"] for c in contenders]
    print(f"{kernel}: microseconds a command; edges among 1000 independent commands: {edges_of_independent(chains)}\n")
    print_table(["", "least", "median", "against USM depends_on"], rows)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print_machine("The graph: 1000 commands of 64 work-items", f"device  : {sycl.Device()!r}")
    report("bump", rounds)
    report("bump_loop", rounds)


if __name__ == "__main__":
    main()
