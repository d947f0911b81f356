"""Events: SYCL 2020, 4.6.6."""

import asyncio
import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void strided(__global float *x) { for (uint k = 0; k < 3; k++) x[get_global_id(0)] += 1; }
""")
COMPLETE = sycl.EventCommandStatus.complete


@pytest.mark.spec("H284")
def test_one_event_for_a_command_of_several_steps(device):
    """A strided array is copied in, worked on, and copied back: the event ends after the last step."""
    queue = sycl.Queue(device)
    x = np.zeros(200, np.float32)
    queue.parallel_for(100, PROGRAM.strided, x[::2]).wait()
    assert (x[::2] == 3).all()
    assert not x[1::2].any()


@pytest.mark.spec("H285")
def test_the_default_event_is_complete():
    event = sycl.Event()
    event.wait()
    event.wait_and_throw()
    assert event.status is COMPLETE
    assert event.wait_list == []
    assert event.exception is None
    assert sycl.Event() != event
    assert event == event
    with pytest.raises(TypeError, match="takes no arguments"):
        sycl.Event(3)


@pytest.mark.spec("H286")
def test_backend_and_host(queue):
    event = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32))
    for each in (event, sycl.Event()):
        assert each.backend is sycl.Backend.opencl
        assert each.is_host is False
    event.wait()


@pytest.mark.spec("H287")
def test_the_wait_list_has_the_direct_dependencies(run_fake):
    run_fake("""
        queue, a, b = sycl.Queue(), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
        fake.fake_hold(1)
        first = queue.single_task(program.slow, a, 0, wait=False)
        second = queue.single_task(program.slow, a, 0, depends_on=first, wait=False)
        other = queue.single_task(program.slow, b, 0, wait=False)
        third = queue.submit(lambda h: (h.depends_on([second, other]), h.single_task(program.slow, a, 0)), wait=False)
        assert first.wait_list == [] and second.wait_list == [first] and other.wait_list == []
        assert set(third.wait_list) == {second, other} and third.get_wait_list() == third.wait_list
        inferred = queue.single_task(program.slow, b, 0, wait=False)
        assert inferred.wait_list == [other]
        fake.fake_hold(0)
        queue.wait_and_throw()
        assert third.wait_list == [] and a[0] == 3
        """)


@pytest.mark.spec("H288")
def test_waiting_for_one_and_for_several(queue, busy):
    a, b = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    busy(queue, a, 0.05).wait()
    assert a[0] == 1
    events = [busy(queue, a, 0.05), busy(queue, b, 0.1)]
    sycl.Event.wait(events)
    assert [int(a[0]), int(b[0])] == [2, 1]
    sycl.Event.wait(iter(events))
    sycl.Event.wait([])
    events[0].wait()


@pytest.mark.spec("H289", "H290")
def test_wait_and_throw_delivers_the_errors_of_the_queues_involved(run_fake):
    run_fake("""
        got = []
        context = sycl.Context(sycl.Device(), lambda errors: got.append(("context", len(errors))))
        handled = sycl.Queue(async_handler=lambda errors: got.append(("queue", len(errors))))
        unhandled, x, y = sycl.Queue(context=context), np.zeros(4, np.uint32), np.zeros(4, np.uint32)
        handled.single_task(program.fail, x, wait=False).wait_and_throw()
        assert got == [("queue", 1)], got
        unhandled.single_task(program.fail, x, wait=False).wait_and_throw()
        assert got == [("queue", 1), ("context", 1)], got
        got.clear()
        sycl.Event.wait_and_throw(
            [handled.single_task(program.fail, x, wait=False), unhandled.single_task(program.fail, y, wait=False)]
        )
        assert sorted(got) == [("context", 1), ("queue", 1)], got

        plain = sycl.Queue()
        events = [plain.single_task(program.fail, x, wait=False), plain.single_task(program.fail, y, wait=False)]
        try:
            sycl.Event.wait_and_throw(events)
        except sycl.AsyncErrorGroup as group:
            assert len(group.exceptions) == 2
        else:
            raise AssertionError
        sycl.Event.wait_and_throw(events)  # each is delivered once
        """)


@pytest.mark.spec("H291")
def test_the_status_of_a_command(run_fake):
    run_fake("""
        queue, x = sycl.Queue(), np.zeros(1, np.uint32)
        fake.fake_hold(1)
        event = queue.single_task(program.slow, x, 700, wait=False)
        assert event.status is event.get_info("command_execution_status") is sycl.EventCommandStatus.submitted
        assert repr(event) == "<pysycl.Event submitted>"
        fake.fake_hold(0)
        seen = set()
        while event.command_execution_status is not sycl.EventCommandStatus.complete:
            seen.add(event.status)
            time.sleep(0.01)
        assert sycl.EventCommandStatus.running in seen, seen
        assert x[0] == 1
        """)


@pytest.mark.spec("H291")
def test_asking_often_enough_ends_the_command(queue, busy):
    """Nobody waits, and the results are there when the status says so."""
    cell, strided = np.zeros(1, np.uint64), np.zeros(20, np.float32)
    event = busy(queue, cell, 0.05)
    copied = queue.parallel_for(10, PROGRAM.strided, strided[::2])
    while event.status is not COMPLETE or copied.status is not COMPLETE:
        pass
    assert cell[0] == 1
    assert strided.sum() == 30


@pytest.mark.spec("H292")
def test_reference_counts(queue):
    event = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32))
    assert event.get_info("reference_count") == event.reference_count == 1
    assert queue.get_info("reference_count") == 1
    event.wait()


@pytest.mark.spec("H293")
def test_descriptors_of_a_backend(queue):
    with pytest.raises(sycl.InvalidParameterError, match="param is for Platform objects, not for a Event"):
        sycl.Event().get_backend_info(opencl.platform_version)
    foreign = copy.copy(opencl.platform_version)
    foreign.backend = sycl.Backend.host
    with pytest.raises(sycl.BackendMismatchError):
        sycl.Event().get_backend_info(foreign)


@pytest.mark.spec("H294", "H296")
def test_asking_for_times_waits_for_the_end(device, busy):
    queue, cell = sycl.Queue(device, enable_profiling=True), np.zeros(1, np.uint64)
    event = busy(queue, cell, 0.1)
    end = event.get_profiling_info("command_end")
    assert cell[0] == 1
    assert event.status is COMPLETE
    submit, start = map(event.get_profiling_info, ("command_submit", "command_start"))
    assert 0 < submit <= start < end < 2**64
    assert event.profiling == (submit, start, end)
    names = ("command_submit", "command_start", "command_end")
    assert tuple(getattr(event.profiling, name) for name in names) == event.profiling
    assert event.profiling.seconds == pytest.approx((end - start) * 1e-9)
    with pytest.raises(ValueError, match="'command_middle' is none of command_submit, command_start and command_end"):
        event.get_profiling_info("command_middle")


@pytest.mark.spec("H296")
def test_times_are_on_one_clock(device, busy):
    queue, cell = sycl.Queue(device, enable_profiling=True), np.zeros(1, np.uint64)
    first, second = busy(queue, cell, 0.02), busy(queue, cell, 0.02)
    assert first.profiling.end <= second.profiling.start
    assert first.profiling.submit <= second.profiling.submit


@pytest.mark.spec("H295")
def test_without_profiling_there_are_no_times(queue):
    event = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32))
    with pytest.raises(sycl.InvalidObjectError, match="its queue was made without enable_profiling=True") as caught:
        _ = event.profiling
    assert caught.value.code is sycl.Errc.invalid


@pytest.mark.spec("H297")
def test_every_event_answers(device):
    queue = sycl.Queue(device, enable_profiling=True)
    empty = queue.submit(lambda h: None)
    nothing = queue.parallel_for(0, PROGRAM.increment, np.zeros(0, np.uint32))
    copied = queue.parallel_for(10, PROGRAM.strided, np.zeros(20, np.float32)[::2])
    small = queue.parallel_for(3, PROGRAM.increment, np.zeros(3, np.uint32))
    for event in (empty, nothing, copied, small):
        assert 0 < event.profiling.submit <= event.profiling.start <= event.profiling.end
    assert sycl.Event().profiling == (0, 0, 0)


def test_a_failed_command_has_no_times(run_fake):
    run_fake("""
        queue = sycl.Queue(enable_profiling=True)
        event = queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        try:
            event.profiling
        except sycl.ProfilingError as error:
            assert str(error) == "the event has no profiling information: its command failed", error
        else:
            raise AssertionError
        assert isinstance(event.exception, sycl.KernelError) and "failed" in repr(event)
        queue._take_errors()
        """)


@pytest.mark.spec("H131", "H134", "H135")
def test_events_of_one_command_are_equal(queue, busy):
    cell = np.zeros(1, np.uint64)
    first = busy(queue, cell, 0.1)
    second = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32), depends_on=first, wait=False)
    (same,) = second.wait_list
    assert same == first
    assert hash(same) == hash(first)
    assert first != second
    assert first != 3
    queue.wait_and_throw()


def test_events_of_a_process_stay_there(queue):
    event = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32))
    with pytest.raises(TypeError):
        pickle.dumps(event)
    event.wait()


def test_an_event_can_be_referred_to_weakly(queue):
    event = queue.single_task(PROGRAM.increment, np.zeros(1, np.uint32))
    event.wait()
    ref = weakref.ref(event)
    assert ref() is event
    del event
    gc.collect()
    assert ref() is None


def test_a_command_goes_on_without_its_event(queue, busy):
    cell = np.zeros(1, np.uint64)
    busy(queue, cell, 0.05)
    gc.collect()
    queue.wait_and_throw()
    assert cell[0] == 1


def skip_if_submitting_computes(queue):
    """A driver that one thread at a time may use has done the work when the submission returns."""
    if not queue.device._facts["thread_safe"]:
        pytest.skip("nothing is left to wait for once a command is submitted")


def test_awaiting_an_event_lets_the_loop_run(queue, busy):
    skip_if_submitting_computes(queue)
    cell, ticks = np.zeros(1, np.uint64), []

    async def tick():
        while cell[0] == 0:
            ticks.append(1)
            await asyncio.sleep(0.001)

    async def main():
        ticking = asyncio.create_task(tick())
        await busy(queue, cell, 0.2)
        assert cell[0] == 1
        await ticking
        await sycl.Event()

    asyncio.run(main())
    assert len(ticks) > 1


def test_a_task_that_awaits_can_be_cancelled(queue, busy):
    skip_if_submitting_computes(queue)
    cell = np.zeros(1, np.uint64)

    async def main():
        async def wait():
            await busy(queue, cell, 1.0)

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(wait(), 0.01)

    asyncio.run(main())
    queue.wait_and_throw()
    assert cell[0] == 1


def test_many_threads_wait_for_one_event(queue, busy):
    cell, seen = np.zeros(1, np.uint64), []
    event = busy(queue, cell, 0.1)

    def wait():
        event.wait()
        seen.append(int(cell[0]))

    threads = [threading.Thread(target=wait) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8
