"""Whether launches leave anything behind: memory and live objects over 100,000 launches of each kind.

    python tests/bench/memory.py [LAUNCHES]

The slope is that of the process's resident memory over the second half of the launches, by least squares. Objects are
counted by the core itself (ours, and the OpenCL objects that it holds). Nothing is asserted.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Callable

import numpy as np
from report import print_machine, print_table

import pysycl as sycl
from pysycl import _core

SOURCE = """
__kernel void axpy(__global float *x, __global const float *y, float a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        x[i] += a * y[i];
}
__kernel void axpy_loop(__global float *x, __global const float *y, float a, uint n)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] += a * y[i];
}
"""
ITEMS, SAMPLES, IN_FLIGHT = 64, 40, 200


def resident_kib() -> float:
    with open("/proc/self/status", encoding="utf-8") as lines:
        return float(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


def ways() -> dict[str, Callable[[int], object]]:
    """Each launches once; the number of the launch decides when to wait."""
    queue, ordered = sycl.Queue(), sycl.Queue(in_order=True)
    program = sycl.Program(SOURCE)
    small, pool = program.axpy, program.axpy_loop
    x, y, apart = np.zeros(ITEMS, np.float32), np.ones(ITEMS, np.float32), np.zeros(2 * ITEMS, np.float32)

    def pipelined(turn: int, queue: sycl.Queue = queue) -> None:
        queue.parallel_for(ITEMS, pool, x, y, 1.0, ITEMS, wait=False)
        if turn % IN_FLIGHT == 0:
            queue.wait()

    def group(turn: int) -> None:
        with queue.submit() as h:
            h.parallel_for(ITEMS, small, x, y, 1.0, ITEMS)

    def chained(turn: int, last: list[sycl.Event] = []) -> None:  # noqa: B006 - the event of the launch before
        last[:] = [queue.parallel_for(ITEMS, pool, x, y, 1.0, ITEMS, depends_on=last, wait=False)]
        if turn % IN_FLIGHT == 0:
            last.pop().wait()

    def refused(turn: int) -> None:
        with contextlib.suppress(sycl.KernelArgumentError):
            queue.parallel_for(ITEMS, small, x, y, "no number", ITEMS)

    return {
        "small, done on return": lambda turn: queue.parallel_for(ITEMS, small, x, y, 1.0, ITEMS),
        "small, a strided array": lambda turn: queue.parallel_for(ITEMS, small, apart[::2], y, 1.0, ITEMS),
        "small, in a command group": group,
        "pool, waited for each": lambda turn: queue.parallel_for(ITEMS, pool, x, y, 1.0, ITEMS),
        f"pool, {IN_FLIGHT} in flight": pipelined,
        f"pool, in order, {IN_FLIGHT} in flight": lambda turn: pipelined(turn, ordered),
        f"pool, explicit chain, {IN_FLIGHT} in flight": chained,
        "refused: a wrong argument": refused,
    }


def settle() -> dict[str, int]:
    """The live counts when all that has ended has been let go of."""
    gc.collect()
    counts: dict[str, int] = _core.live_counts()
    return counts


def measure(launch: Callable[[int], object], count: int) -> tuple[float, float, dict[str, int]]:
    """Microseconds a launch, bytes of growth a launch, and which live counts changed by how much."""
    for turn in range(1, IN_FLIGHT + 1):  # pools fill, caches warm
        launch(turn)
    before, sizes = settle(), []
    began = time.perf_counter()
    for sample in range(SAMPLES):
        for turn in range(count * sample // SAMPLES + 1, count * (sample + 1) // SAMPLES + 1):
            launch(turn)
        sizes.append(resident_kib())
    seconds = time.perf_counter() - began
    launch(IN_FLIGHT)
    after = settle()
    half = np.array(sizes[SAMPLES // 2 :])
    slope = np.polyfit(np.arange(half.size) * (count / SAMPLES), half * 1024, 1)[0]
    return seconds / count * 1e6, float(slope), {kind: after[kind] - before[kind] for kind in after}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    device = sycl.Device()
    print_machine(
        f"Memory, {count} launches of each kind", f"driver  : {device.platform.name} {device.platform.version}"
    )
    rows = []
    for name, launch in ways().items():
        cost, slope, changes = measure(launch, count)
        left = ", ".join(f"{change:+d} {kind}" for kind, change in changes.items() if change) or "none"
        rows.append([name, f"{cost:.2f}", f"{round(slope, 3) + 0.0:.3f}", f"{resident_kib() / 1024:.1f}", left])
    print_table(["launches", "us each", "bytes of RSS each", "RSS MiB after", "live objects gained"], rows)
    kinds = ", ".join(f"{count} {kind}" for kind, count in settle().items() if count)
    print(f"alive at the end: {kinds}")


if __name__ == "__main__":
    main()
