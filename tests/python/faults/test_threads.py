"""Threads: everything may be used at once, waits let other threads run, and nothing is mixed up or lost."""

import gc
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pysycl as sycl

THREADS = 8
PROGRAM = sycl.Program("""
__kernel void count(__global uint *x) { atomic_inc(x); }
__kernel void put(__global uint *out, uint a, uint b) { out[get_global_id(0)] = a * 1000 + b; }
__kernel void stir(__global uint *x, uint a)
{
    for (uint k = 0; k < 100; k++)
        x[get_global_id(0)] = x[get_global_id(0)] * 5 + a;
}
""")


def everywhere(work):
    """work(0) to work(7) at once, each on a thread of its own, starting together."""
    barrier = threading.Barrier(THREADS)

    def start(me):
        barrier.wait()
        return work(me)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


@pytest.mark.spec("H114")
def test_threads_submit_to_one_queue_and_one_array(queue):
    x = np.zeros(1, np.uint32)
    everywhere(lambda me: [queue.parallel_for(3, PROGRAM.count, x) for _ in range(50)])
    queue.wait_and_throw()
    assert x[0] == THREADS * 50 * 3


@pytest.mark.spec("H114")
def test_threads_submit_and_wait_each_for_its_own(queue):
    def work(me):
        out = np.zeros(5, np.uint32)
        for k in range(100):
            event = queue.parallel_for(5, PROGRAM.put, out, me, k)
            event.wait()
            assert (out == me * 1000 + k).all()

    everywhere(work)


@pytest.mark.spec("H114")
def test_small_and_large_commands_of_many_threads(queue):
    """Some run on the submitting thread, some on the driver's, all on the same arrays."""
    x = np.zeros(100, np.uint32)
    orders, lock = [], threading.Lock()

    def work(me):
        for k in range(20):
            with lock:
                orders.append((me, k))
                queue.parallel_for(100, PROGRAM.stir if k % 2 else PROGRAM.put, x, *((me,) if k % 2 else (me, k)))

    everywhere(work)
    queue.wait_and_throw()
    expected = 0
    for me, k in orders:
        if k % 2:
            for _ in range(100):
                expected = (expected * 5 + me) % 2**32
        else:
            expected = me * 1000 + k
    assert (x == expected).all()


@pytest.mark.spec("H114")
def test_threads_wait_for_one_queue(queue, busy):
    cell = np.zeros(1, np.uint64)
    for _ in range(3):
        busy(queue, cell, 0.03)

    def work(me):
        queue.wait()
        return int(cell[0])

    assert everywhere(work) == [3] * THREADS


@pytest.mark.spec("H114")
def test_threads_make_and_drop_queues(device):
    def work(me):
        x = np.zeros(3, np.uint32)
        for k in range(10):
            queue = sycl.Queue(device, in_order=bool(k % 2))
            event = queue.parallel_for(3, PROGRAM.put, x, me, k)
            del queue
            event.wait_and_throw()
            assert (x == me * 1000 + k).all()

    everywhere(work)


@pytest.mark.spec("H114")
def test_threads_build_programs(device):
    shared = sycl.Program("__kernel void shared(__global uint *x) { x[0] = 7; }")

    def work(me):
        queue, x = sycl.Queue(device), np.zeros(1, np.uint32)
        queue.single_task(shared.shared, x)
        if me < 2:
            own = sycl.Program(f"__kernel void own(__global uint *x) {{ x[0] += {10 + me}; }}")
            queue.single_task(own.own, x)
        queue.wait_and_throw()
        return int(x[0])

    assert everywhere(work) == [17, 18, 7, 7, 7, 7, 7, 7]


@pytest.mark.spec("H114")
def test_threads_find_the_same_devices_first(run_python):
    """The first look for drivers, by all threads at once, finds what one alone finds."""
    run_python("""
        import threading
        from concurrent.futures import ThreadPoolExecutor
        import pysycl as sycl
        barrier = threading.Barrier(8)
        def work(me):
            barrier.wait()
            return [device.max_compute_units for device in sycl.devices()], sycl.devices()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, range(8)))
        assert all(each == found[0] for each in found) and found[0][0] and min(found[0][0]) > 0, found
        """)


def test_waits_overlap(run_fake):
    """Two waits of 0.5 s each, of which neither holds the interpreter: a third thread goes on all the time."""
    run_fake("""
        import threading
        queue = sycl.Queue()
        cells = [np.zeros(1, np.uint32) for _ in range(3)]
        fake.fake_hold(1)
        events = [queue.single_task(program.slow, cell, 0, wait=False) for cell in cells]
        waiters = [threading.Thread(target=wait) for wait in (events[0].wait, events[1].wait, queue.wait)]
        for waiter in waiters:
            waiter.start()
        for _ in range(20):  # the waiters have the interpreter's lock now and then only
            time.sleep(0.005)
        assert all(waiter.is_alive() for waiter in waiters)
        fake.fake_hold(0)
        for waiter in waiters:
            waiter.join()
        assert [int(cell[0]) for cell in cells] == [1, 1, 1]
        """)


def test_a_wait_lets_other_threads_run(queue, busy):
    cell, ticks = np.zeros(1, np.uint64), 0
    done = threading.Event()

    def wait():
        busy(queue, cell, 0.3).wait()
        done.set()

    thread = threading.Thread(target=wait)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 1
    assert cell[0] == 1


def test_the_collector_on_another_thread(queue, no_leaks):
    """Events and arrays are dropped by whichever thread collects."""
    stop = threading.Event()

    def collect():
        while not stop.is_set():
            gc.collect()

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for k in range(200):
            loop = [queue.parallel_for(3, PROGRAM.put, np.zeros(3, np.uint32), 1, k)]
            loop.append(loop)
        queue.wait_and_throw()
    finally:
        stop.set()
        collector.join()


def test_nothing_is_alive_after_the_threads(device, live_counts):
    def use():
        with sycl.Queue(device) as queue:
            everywhere(lambda me: queue.parallel_for(3, PROGRAM.count, np.zeros(1, np.uint32)))

    use()
    before = live_counts.quiet()
    use()
    after = live_counts.quiet()
    # Threads that launch one kernel at the same time need one kernel object each, and those are kept.
    assert {**after, "cl_kernel": 0} == {**before, "cl_kernel": 0}
    assert after["cl_kernel"] <= before["cl_kernel"] + THREADS


def small_sums(me, queue, turns):
    """Results are made in memory that all threads share."""
    for turn in range(8 * turns):
        for kind in (np.int32, np.float64):
            x = np.full(1 + (7 * me + turn) % 40, kind(me + turn % 3))
            assert sycl.sum(x) == x.sum() and sycl.max(x) == x[0]


def small_scans(me, queue, turns):
    for turn in range(turns):
        x = np.arange(1 + (me + turn) % 50, dtype=np.int64) - me
        assert (sycl.cumsum(x) == np.cumsum(x)).all()


def texts_in_turn(me, queue, turns):
    """More than one thread is the first with a text, and all look for others meanwhile."""
    x = np.zeros(16, np.float32)
    for turn in range(turns):
        queue.parallel_for(16, f"x[i] = a - {turn % 5};", x=x, a=float(me))
        assert (x == me - turn % 5).all()


def programs_at_once(me, queue, turns):
    for turn in range(3):
        program = sycl.Program(f"kernel void f(global int *x) {{ x[get_global_id(0)] -= {turn + 3}; }}")
        x = np.full(8, me, np.int32)
        queue.parallel_for(8, program.f, x)
        assert (x == me - turn - 3).all()


def lines_of_many_files(me, queue, turns):
    x = np.zeros(4, np.float32)
    for turn in range(4):
        text = "\n".join(["queue.parallel_for(4, 'x[i] += 1;', x=x)"] * turns)
        exec(compile(text, f"of {me}, {turn}", "exec"), {"queue": queue, "x": x})
    assert (x == 4 * turns).all()


def accesses_and_tasks(me, queue, turns):
    with sycl.Buffer(np.zeros(4, np.int32)) as b:
        for _ in range(turns):
            with b.host_access("read_write") as data:
                data += 1
            queue.host_task(lambda: None).wait()
        assert np.asarray(b)[3] == turns


@pytest.mark.parametrize(
    "work", [small_sums, small_scans, texts_in_turn, programs_at_once, lines_of_many_files, accesses_and_tasks]
)
def test_threads_do_the_same_at_once(queue, work):
    """What all of them look up is found whole, also by an interpreter without a GIL."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        everywhere(lambda me: work(me, queue, 60))
    finally:
        sys.setswitchinterval(before)
