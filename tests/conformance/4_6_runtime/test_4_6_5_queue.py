"""Queues: SYCL 2020, 4.6.5."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0) - get_global_offset(0)] += 1; }
__kernel void append(__global uint *log, uint value) { log[1 + log[0]] = value; log[0] += 1; }
__kernel void place(__global uint *x) { x[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }
__kernel void double_it(__global ulong *x) { x[0] *= 2; }
""")


def handler(errors):
    """An asynchronous handler."""


@pytest.mark.spec("H260")
def test_errors_of_a_submission_are_raised_by_it(queue):
    x = np.zeros(4, np.uint32)
    with pytest.raises(sycl.NdRangeError):
        queue.submit(lambda h: h.parallel_for(sycl.NdRange(4, 3), PROGRAM.increment, x))
    with pytest.raises(sycl.KernelArgumentError):
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, 3))  # None would be NULL
    queue.throw_asynchronous()
    queue.wait_and_throw()
    assert not x.any()


@pytest.mark.spec("H261", "H263")
def test_a_queue_of_properties_alone_uses_the_default_selector():
    queue = sycl.Queue(in_order=True, enable_profiling=True)
    assert queue.device == sycl.Device()
    assert queue.is_in_order


@pytest.mark.spec("H262", "H263")
def test_each_form_takes_a_handler_and_properties(device):
    def selector(candidate):
        return 1 if candidate == device else -1

    for forms in ((), (device,), (selector,)):
        made = sycl.Queue(*forms, async_handler=handler, in_order=True)
        assert made.async_handler is handler
        assert made.is_in_order
        if forms:
            assert made.device == device
    assert sycl.Queue(device).async_handler is None
    assert sycl.Queue(device.device_type).device.device_type is device.device_type
    with pytest.raises(sycl.InvalidParameterError, match="async_handler: expected a callable or None, got 3"):
        sycl.Queue(device, async_handler=3)
    with pytest.raises(TypeError, match="in_ordr"):
        sycl.Queue(device, in_ordr=True)


@pytest.mark.spec("H264", "H265")
def test_a_queue_in_a_given_context(device):
    context = sycl.Context(device)
    for made in (
        sycl.Queue(device, context=context),
        sycl.Queue(lambda each: 1 if each == device else -1, context=context),
        sycl.Queue(context=context),
    ):
        assert made.context == context
        assert made.device == device


@pytest.mark.spec("H264", "H265")
def test_a_device_outside_the_context_is_refused(run_fake):
    run_fake(
        """
        first, second = sycl.devices()
        context = sycl.Context(first)
        for what in (second, lambda device: 1 if device == second else -1):
            try:
                sycl.Queue(what, context=context)
            except sycl.InvalidObjectError as error:
                assert error.code is sycl.Errc.invalid, error
            else:
                raise AssertionError(what)
        """,
        {"FAKE_DEVICES": "2"},
    )


@pytest.mark.spec("H267")
def test_platform_device_and_context_come_by_themselves(queue, device):
    assert queue.device == device
    assert queue.context.devices == [device]
    assert queue.platform == device.platform


@pytest.mark.spec("H268", "H269", "H121")
def test_members_equal_their_descriptors(queue):
    assert queue.get_info("context") == queue.context == queue.get_info(sycl.Queue.context)
    assert queue.get_info("device") == queue.device == queue.get_info(sycl.Queue.device)
    assert type(queue.context) is sycl.Context
    assert type(queue.device) is sycl.Device
    assert queue.backend is sycl.Backend.opencl
    assert queue.is_host is False
    with pytest.raises(sycl.InvalidParameterError, match="did you mean 'context'"):
        queue.get_info("contxt")


@pytest.mark.spec("H268", "H281")
@pytest.mark.parametrize("in_order", [False, True])
def test_is_in_order_equals_the_property(device, in_order):
    queue = sycl.Queue(device, in_order=in_order)
    assert queue.is_in_order is queue.has_property("in_order") is in_order


@pytest.mark.spec("H270")
def test_descriptors_of_a_backend(queue):
    with pytest.raises(sycl.InvalidParameterError, match="param is for Platform objects, not for a Queue"):
        queue.get_backend_info(opencl.platform_version)
    foreign = copy.copy(opencl.platform_version)
    foreign.backend = sycl.Backend.host
    with pytest.raises(sycl.BackendMismatchError):
        queue.get_backend_info(foreign)


@pytest.mark.spec("H271")
def test_submit_returns_an_event(queue):
    x = np.zeros(4, np.uint32)
    event = queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, x))
    assert type(event) is sycl.Event
    event.wait()
    assert x.tolist() == [1] * 4


@pytest.mark.spec("H272")
def test_the_event_belongs_to_the_queue_that_took_the_group(run_fake):
    run_fake("""
        from pysycl import _core
        first, second, x = sycl.Queue(), sycl.Queue(), np.zeros(4, np.uint32)
        group = lambda h: h.parallel_for(4, program.fill_ids, x)
        _core.fault_install(0)
        _core.fault_arm("EnqueueNDRangeKernel", 1, -6)
        event = first.submit(group, second)
        event.wait_and_throw()
        assert event._queue is second
        assert x.tolist() == [0, 1, 2, 3]
        assert first.submit(group, second)._queue is first
        first.wait_and_throw()
        """)


@pytest.mark.spec("H273")
def test_wait_waits_for_everything(queue, busy):
    cells = [np.zeros(1, np.uint64) for _ in range(3)]
    events = [busy(queue, cell, 0.05) for cell in cells]
    queue.wait()
    assert [int(cell[0]) for cell in cells] == [1, 1, 1]
    assert all(event.status is sycl.EventCommandStatus.complete for event in events)
    assert queue._progress() == 0
    queue.wait()


@pytest.mark.spec("H273", "H274", "H275", "H282")
def test_late_errors_are_delivered_when_asked_for_and_not_by_wait(run_fake):
    run_fake("""
        got = []
        queue, x = sycl.Queue(async_handler=got.append), np.zeros(4, np.uint32)
        queue.single_task(program.fail, x, wait=False)
        queue.wait()
        assert not got
        queue.wait_and_throw()
        assert [len(errors) for errors in got] == [1]
        queue.wait_and_throw()
        queue.throw_asynchronous()
        assert len(got) == 1

        # Without waiting: what has not failed yet is not there yet.
        fake.fake_hold(1)
        queue.single_task(program.fail, x, wait=False)
        queue.throw_asynchronous()
        assert len(got) == 1
        fake.fake_hold(0)
        while len(got) == 1:
            queue.throw_asynchronous()
        assert isinstance(got[1][0], sycl.KernelError)
        """)


@pytest.mark.spec("H274", "H275")
def test_whose_handler_gets_them(run_fake):
    run_fake("""
        of_queue, of_context = [], []
        context = sycl.Context(sycl.Device(), of_context.append)
        x = np.zeros(4, np.uint32)
        with_handler, without = sycl.Queue(context=context, async_handler=of_queue.append), sycl.Queue(context=context)
        with_handler.single_task(program.fail, x, wait=False)
        with_handler.wait_and_throw()
        assert (len(of_queue), len(of_context)) == (1, 0)
        without.single_task(program.fail, x, wait=False)
        without.wait_and_throw()
        assert (len(of_queue), len(of_context)) == (1, 1)
        plain = sycl.Queue()
        plain.single_task(program.fail, x, wait=False)
        try:
            plain.wait_and_throw()
        except sycl.KernelError as error:
            assert error.api == "clEnqueueNDRangeKernel"
        else:
            raise AssertionError
        """)


@pytest.mark.spec("H276", "H279")
def test_single_task_forms(queue, busy):
    log = np.zeros(8, np.uint32)
    gate, other = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    queue.single_task(PROGRAM.append, log, 1)
    first = busy(queue, gate, 0.05)
    queue.single_task(PROGRAM.append, log, 2, depends_on=first)
    assert gate[0] == 1
    events = [busy(queue, gate, 0.05), busy(queue, other, 0.1)]
    queue.single_task(PROGRAM.append, log, 3, depends_on=events)
    assert gate[0] == 2
    assert other[0] == 1
    queue.single_task(PROGRAM.append, log, 4, depends_on=())
    queue.single_task(PROGRAM.append, log, 5, depends_on=None).wait_and_throw()
    assert log.tolist() == [5, 1, 2, 3, 4, 5, 0, 0]


@pytest.mark.spec("H277", "H279")
def test_parallel_for_over_a_range(queue, busy):
    x, gate = np.zeros(5, np.uint32), np.zeros(1, np.uint64)
    queue.parallel_for(5, PROGRAM.place, x)
    assert x.tolist() == [0, 1, 2, 3, 4]
    queue.parallel_for(sycl.Range(5), PROGRAM.place, x, offset=sycl.Id(10))
    assert x.tolist() == [10, 11, 12, 13, 14]
    first = busy(queue, gate, 0.05)
    queue.parallel_for((5,), PROGRAM.place, x, depends_on=first, offset=(20,))
    assert gate[0] == 1
    queue.parallel_for(5, PROGRAM.increment, x, depends_on=[first, busy(queue, gate, 0.05)]).wait_and_throw()
    assert gate[0] == 2
    assert x.tolist() == [21, 22, 23, 24, 25]


@pytest.mark.spec("H278", "H279")
def test_parallel_for_over_an_nd_range(queue, busy):
    x, gate = np.zeros(6, np.uint32), np.zeros(1, np.uint64)
    queue.parallel_for(sycl.NdRange(6, 3), PROGRAM.place, x)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    queue.parallel_for(sycl.NdRange(6, 2, 7), PROGRAM.place, x, depends_on=busy(queue, gate, 0.05))
    assert gate[0] == 1
    assert x.tolist() == [7, 8, 9, 10, 11, 12]
    queue.parallel_for(sycl.NdRange(6, 6), PROGRAM.increment, x, depends_on=[busy(queue, gate, 0.05)]).wait_and_throw()
    assert gate[0] == 2


def test_dependencies_must_be_events(queue):
    x = np.zeros(1, np.uint32)
    for wrong in (3, "ab", [None], [sycl.Event(), 3]):
        with pytest.raises(sycl.InvalidParameterError, match="depends_on: expected"):
            queue.single_task(PROGRAM.increment, x, depends_on=wrong)
    queue.single_task(PROGRAM.increment, x, depends_on=sycl.Event()).wait_and_throw()
    queue.single_task(PROGRAM.increment, x, depends_on=iter([sycl.Event()] * 40)).wait_and_throw()
    assert x[0] == 2


@pytest.mark.spec("H280")
def test_profiling_records_the_times(device):
    queue = sycl.Queue(device, enable_profiling=True)
    assert queue.has_property("enable_profiling")
    x = np.zeros(100, np.uint32)
    times = queue.parallel_for(100, PROGRAM.increment, x).profiling
    assert 0 < times.submit <= times.start <= times.end


@pytest.mark.spec("H281")
def test_an_in_order_queue_runs_one_command_after_the_other(device, busy):
    queue = sycl.Queue(device, in_order=True)
    cells = [np.zeros(1, np.uint64) for _ in range(4)]
    events = [busy(queue, cell, 0.05) for cell in cells]
    events[-1].wait()
    assert [event.status for event in events] == [sycl.EventCommandStatus.complete] * 4
    assert [int(cell[0]) for cell in cells] == [1] * 4
    # A small command, that could run on the calling thread, waits its turn too.
    x = np.zeros(3, np.uint32)
    queue.parallel_for(3, PROGRAM.increment, x)  # compiled by now
    slow = busy(queue, cells[0], 0.2)
    queue.parallel_for(3, PROGRAM.increment, x)
    assert slow.status is sycl.EventCommandStatus.complete
    queue.wait_and_throw()


@pytest.mark.spec("H281")
def test_in_order_holds_without_shared_memory(run_fake):
    run_fake("""
        queue = sycl.Queue(in_order=True)
        slow = queue.single_task(program.slow, np.zeros(1, np.uint32), 300, wait=False)
        quick = queue.single_task(program.slow, np.zeros(1, np.uint32), 0, wait=False)
        quick.wait()
        assert slow.status is sycl.EventCommandStatus.complete
        """)


@pytest.mark.spec("H283", "D309")
def test_a_queue_that_goes_delivers_to_its_handler(run_fake):
    run_fake("""
        import gc, warnings
        got = []
        queue, x = sycl.Queue(async_handler=got.append), np.zeros(4, np.uint32)
        queue.single_task(program.fail, x, wait=False)
        queue.wait()
        del queue
        gc.collect()
        assert len(got) == 1 and isinstance(got[0][0], sycl.KernelError)

        with sycl.Queue(async_handler=got.append) as queue:
            queue.single_task(program.fail, x, wait=False)
        assert len(got) == 2

        queue = sycl.Queue()
        queue.single_task(program.fail, x, wait=False)
        queue.wait()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del queue
            gc.collect()
        assert [str(each.message).startswith("never fetched: 'fail' failed") for each in caught] == [True], caught
        assert caught[0].category is sycl.SyclWarning
        """)


def test_a_block_ends_with_everything_done(device, busy):
    cell = np.zeros(1, np.uint64)
    with sycl.Queue(device) as queue:
        busy(queue, cell, 0.05)
    assert cell[0] == 1


def test_a_block_that_raises_waits_too(device, busy):
    cell = np.zeros(1, np.uint64)

    def block():
        with sycl.Queue(device) as queue:
            busy(queue, cell, 0.05)
            raise KeyError

    with pytest.raises(KeyError):
        block()
    assert cell[0] == 1


@pytest.mark.spec("H131", "H134", "H135")
def test_copies_are_the_queue_itself(queue):
    for twin in (copy.copy(queue), copy.deepcopy(queue)):
        assert twin == queue
        assert hash(twin) == hash(queue)
    other = sycl.Queue(queue.device)
    assert other != queue
    assert queue != 3
    assert {queue: 1}[copy.copy(queue)] == 1
    with pytest.raises(TypeError, match="a queue lives in one process; pickle its device"):
        pickle.dumps(queue)


def test_a_queue_can_be_referred_to_weakly(device):
    queue = sycl.Queue(device)
    ref = weakref.ref(queue)
    assert ref() is queue
    del queue
    gc.collect()
    assert ref() is None


def test_facts_cannot_be_set(queue):
    with pytest.raises(AttributeError, match="device is a fact about the Queue and cannot be set"):
        queue.device = None


def test_the_representation_has_the_facts(device, busy):
    queue = sycl.Queue(device, in_order=True)
    assert repr(queue) == f"<pysycl.Queue on {device.name!r}, in_order, 0 in flight>"
