"""Eight threads on shared buffers: whatever the order, the result is that of some serial order.

Additions commute, so shared counters must end at the sum of all that was added; chains of multiplications do not, so
each thread's own part of a shared buffer must end as its own commands alone would leave it. PYSYCL_STRESS_SECONDS says
how long (default 2), PYSYCL_STRESS_SEED which choices are made; both are printed.
"""

import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

SECONDS = float(os.environ.get("PYSYCL_STRESS_SECONDS", "2"))
SEED = int(os.environ.get("PYSYCL_STRESS_SEED", random.randrange(2**32)))
THREADS, WIDTH, SHARED = 8, 16, 3
PROGRAM = sycl.Program("""
__kernel void add(__global uint *x, uint a) { x[get_global_id(0)] += a; }
__kernel void chain(__global uint *x, uint a) { x[get_global_id(0)] = x[get_global_id(0)] * 1664525u + a; }
__kernel void slow_chain(__global uint *x, uint a, uint rounds)
{
    uint y = get_global_id(0);
    for (uint k = 0; k < rounds; k++)
        y = y * 22695477u + (y >> 5);
    x[get_global_id(0)] = x[get_global_id(0)] * 1664525u + a + (y == 1u && rounds == 0xffffffffu);
}
""")


class Worker:
    """One thread: what it does, and what that must come to."""

    def __init__(self, me: int, seed: int, queues: list[sycl.Queue], shared: list[sycl.Buffer], parts: sycl.Buffer):
        self.random, self.queues, self.shared = random.Random(f"{seed} {me}"), queues, shared
        self.own = parts.sub_buffer(me * WIDTH, WIDTH)
        self.added = np.zeros((SHARED, WIDTH), np.uint32)
        self.chain = np.zeros(WIDTH, np.uint32)
        self.commands = 0
        self.latest: sycl.Event | None = None

    def step(self) -> None:
        queue, kind = self.random.choice(self.queues), self.random.randrange(40)
        a, which = self.random.randrange(1000), self.random.randrange(SHARED)
        if kind < 16:
            part = self.shared[which]
            self.latest = queue.submit(lambda h: h.parallel_for(WIDTH, PROGRAM.add, h.read_write(part), a))
            self.added[which] += np.uint32(a)
        elif kind < 30:
            rounds = self.random.choice((0, 0, 10, 20000))
            kernel, more = (PROGRAM.slow_chain, (rounds,)) if rounds else (PROGRAM.chain, ())
            self.latest = queue.submit(lambda h: h.parallel_for(WIDTH, kernel, h.read_write(self.own), a, *more))
            self.follow(a)
        elif kind < 32:
            self.latest = queue.submit(lambda h: h.fill(h.write(self.own, no_init=True), np.uint32(a)))
            self.chain[:] = a
        elif kind < 34:
            with self.shared[which].host_access("read_write") as view:
                view += np.uint32(a)
            self.added[which] += np.uint32(a)
        elif kind < 36:
            with self.own.host_access("read_write") as view:
                assert (view == self.chain).all(), (view, self.chain)
                view *= np.uint32(1664525)
                view += np.uint32(a)
            self.follow(a)
        elif kind == 36:
            self.task(queue, a)
        elif kind == 37:
            self.short_lived(queue, a)
        elif self.latest is not None:
            self.latest.wait()
        self.commands += 1

    def follow(self, a: int) -> None:
        self.chain *= np.uint32(1664525)
        self.chain += np.uint32(a)

    def task(self, queue: sycl.Queue, a: int) -> None:
        def group(h: sycl.Handler) -> None:
            accessor = sycl.Accessor(self.own, h, "read_write", target="host_task")

            def run() -> None:
                view = np.asarray(accessor)
                view *= np.uint32(1664525)
                view += np.uint32(a)

            h.host_task(run)

        queue.submit(group)
        self.follow(a)

    def short_lived(self, queue: sycl.Queue, a: int) -> None:
        data = np.full(WIDTH, a, np.uint32)
        with sycl.Buffer(data) as b:
            queue.submit(lambda h: h.parallel_for(WIDTH, PROGRAM.add, h.read_write(b), 1))
            queue.submit(lambda h: h.copy(h.read(b), h.write(self.own)))
        assert (data == a + 1).all()
        self.chain[:] = a + 1


def stress(devices: list[sycl.Device], seconds: float, seed: int) -> int:
    """Returns how many commands there were."""
    queues = [sycl.Queue(device, in_order=in_order) for device in devices for in_order in (False, True)]
    queues.append(sycl.Queue(devices[0], context=sycl.Context(devices[0])))
    arrays = [np.zeros(WIDTH, np.uint32) for _ in range(SHARED)]
    flat = np.zeros(THREADS * WIDTH, np.uint32)
    shared, parts = [sycl.Buffer(array) for array in arrays], sycl.Buffer(flat)
    workers = [Worker(me, seed, queues, shared, parts) for me in range(THREADS)]
    barrier, deadline = threading.Barrier(THREADS), time.monotonic() + seconds

    def work(worker: Worker) -> None:
        barrier.wait()
        while time.monotonic() < deadline:
            worker.step()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, workers))
    for worker in workers:
        worker.own.close()
    for buffer in [*shared, parts]:
        buffer.close()
    for which, array in enumerate(arrays):
        total = sum((worker.added[which] for worker in workers), np.zeros(WIDTH, np.uint32))
        assert (array == total).all(), (which, array, total)
    expected = np.concatenate([worker.chain for worker in workers])
    assert (flat == expected).all(), (flat.reshape(THREADS, WIDTH), expected.reshape(THREADS, WIDTH))
    for queue in queues:
        queue.wait_and_throw()
    return sum(worker.commands for worker in workers)


@pytest.mark.timeout(60 + 4 * SECONDS)
def test_threads_on_shared_buffers(device, capsys, live_counts):
    stress([device], 0.2, SEED + 1)  # the kernels are built
    before = live_counts.quiet()
    commands = stress([device], SECONDS, SEED)
    with capsys.disabled():
        print(f" [{commands} commands in {SECONDS:g} s, PYSYCL_STRESS_SEED={SEED}] ", end="")
    assert commands > THREADS
    _core.drain(5.0)
    after = live_counts.quiet()  # contexts and kernels stay with the program
    for kind in ("buffer", "command", "failure", "queue", "cl_mem", "cl_event", "cl_command_queue"):
        assert after[kind] <= before[kind], (kind, before, after)


@pytest.mark.timeout(60 + 4 * SECONDS)
@pytest.mark.parametrize("kind", [pytest.param("unknown", marks=pytest.mark.exhaustive), "gpu"])
def test_threads_on_devices_with_memory_of_their_own(run_python, copying, kind):
    code = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import pysycl as sycl
        from test_memory_stress import stress
        assert not any(device._facts["shares_host_memory"] for device in sycl.devices())
        print(stress(sycl.devices(), {SECONDS!r} / 2, {SEED!r}), "commands")
        """
    run_python(code, copying(kind), timeout=60 + 4 * SECONDS)
