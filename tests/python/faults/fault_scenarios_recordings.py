"""The scenario for fault_scenarios.py that records commands and replays them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from fault_scenarios_memory import expect

import pysycl as sycl

if TYPE_CHECKING:
    from fault_scenarios import World


def recordings(world: World) -> None:
    """Launches on arrays (one of them strided), on buffers and on a part at an odd place, a copy and a fill; then again
    with other memory and another number, with two replays in flight."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context, enable_profiling=True)
    u, v, wide, x = world.u, world.v, world.wide, world.x
    u[:], v[:], wide[:], x[:] = 0, 1, 1, 1
    b, c = sycl.Buffer(np.arange(16, dtype=np.uint32)), sycl.Buffer((16,), np.uint32)
    part = c[3:8]
    try:
        with queue.record() as g:
            queue.parallel_for(16, program.churn, u, v, sycl.Parameter("a", 1), 16)
            queue.parallel_for(16, program.add, wide[::2], x, 1.0, 16)
            queue.copy(b, c)
            queue.parallel_for(5, program.bump, part, 5)
            queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(c), 16))
            queue.fill(b, 7)
        g.replay()
        event = g.replay(a=2)
        event.wait_and_throw()
        assert event.profiling.start <= event.profiling.end
        expect(u, np.full(16, 31 * 2 + 1 + 2))
        expect(wide[::2], np.full(16, 3))
        found = np.full(16, 8)
        found[3:8] += 1
        expect(np.array(c), found)
        expect(np.array(b), np.full(16, 7))
        g.close()
    finally:
        for each in (b, part, c):
            each.set_final_data(None)
            each.close()
        queue.wait_and_throw()
