"""Kernel forms, synchronisation, errors and lifetimes: SYCL 2020, 3.8."""

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void shape(__global ulong *out)
{
    out[0] = get_global_size(0) * get_global_size(1) * get_global_size(2);
    out[1] = get_local_size(0) * get_local_size(1) * get_local_size(2);
    out[2] = get_num_groups(0) * get_num_groups(1) * get_num_groups(2);
    out[3] += 1;
}
__kernel void rotate_group(__global uint *x, __local uint *all)
{
    all[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = all[(get_local_id(0) + 1) % get_local_size(0)];
}
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
""")
BROKEN = sycl.Program("__kernel void broken(__global uint *x) { x[0] = no_such_name; }")


@pytest.mark.spec("H072")
def test_a_single_task_is_one_item_in_one_group(queue):
    out = np.zeros(4, np.uint64)
    queue.single_task(PROGRAM.shape, out)
    assert out.tolist() == [1, 1, 1, 1]
    queue.submit(lambda h: h.single_task(PROGRAM.shape, out)).wait_and_throw()
    assert out.tolist() == [1, 1, 1, 2]


@pytest.mark.spec("H069")
def test_all_groups_have_the_same_size(queue):
    out = np.zeros(4, np.uint64)
    queue.parallel_for(sycl.NdRange((6, 10), (3, 5)), PROGRAM.shape, out)
    assert out[:3].tolist() == [60, 15, 4]


@pytest.mark.spec("H059", "H081")
@pytest.mark.parametrize("size", [1, 2, 31, 64])
def test_a_barrier_holds_within_each_group(queue, size):
    x = np.arange(5 * size, dtype=np.uint32)
    queue.parallel_for(sycl.NdRange(5 * size, size), PROGRAM.rotate_group, x, sycl.local(size, np.uint32))
    expected = np.roll(np.arange(5 * size).reshape(5, size), -1, axis=1)
    assert (x.reshape(5, size) == expected).all()


@pytest.mark.spec("H076", "H077", "H078", "H080", "H097")
def test_only_waits_block(run_fake):
    """Nothing runs while the driver is held, so whatever blocked on a command would never return."""
    run_fake("""
        import gc, threading
        context = sycl.Context(sycl.Device())
        queue, x = sycl.Queue(context=context), np.zeros(4, np.uint32)
        other = sycl.Queue()
        fake.fake_hold(1)
        events = [queue.single_task(program.slow, x, 0, wait=False) for _ in range(3)]
        events.append(other.single_task(program.slow, x, 0, wait=False))
        assert all(event.status is sycl.EventCommandStatus.submitted for event in events)
        first = events[0]
        assert len({*events}) == 4
        # Objects go while their commands are under way.
        del events, context, other
        gc.collect()
        waiter = threading.Thread(target=queue.wait)
        waiter.start()
        waiter.join(0.2)
        assert waiter.is_alive() and first.status is not sycl.EventCommandStatus.complete
        del queue
        fake.fake_hold(0)
        waiter.join()
        assert first.status is sycl.EventCommandStatus.complete
        """)


@pytest.mark.spec("H082")
def test_what_is_known_at_the_call_is_raised_by_the_call(queue):
    x = np.zeros(4, np.uint32)
    with pytest.raises(sycl.NdRangeError):
        queue.parallel_for(sycl.NdRange(4, 3), PROGRAM.increment, x)
    with pytest.raises(sycl.KernelArgumentError):
        queue.parallel_for(4, PROGRAM.increment, x.astype(np.int8))
    with pytest.raises(sycl.BuildError):
        queue.parallel_for(4, BROKEN.broken, x)
    queue.throw_asynchronous()
    assert queue._progress() == 0


@pytest.mark.spec("H082", "H083", "H084")
def test_what_fails_later_goes_to_a_handler_as_a_list(run_fake):
    run_fake("""
        got = []
        queue, x = sycl.Queue(async_handler=got.append), np.zeros(4, np.uint32)
        queue.single_task(program.fail, x, wait=False)
        queue.single_task(program.fail, np.zeros(4, np.uint32), wait=False)
        queue.wait()
        assert got == []
        queue.throw_asynchronous()
        assert len(got) == 1 and isinstance(got[0], sycl.ExceptionList) and len(got[0]) == 2, got
        assert all(isinstance(error, sycl.KernelError) for error in got[0])

        plain = sycl.Queue()
        failed = plain.single_task(program.fail, x, wait=False)
        failed.wait()
        assert isinstance(failed.exception, sycl.KernelError)
        try:
            plain.wait_and_throw()
        except sycl.KernelError:
            pass
        else:
            raise AssertionError("nothing was raised")
        """)


@pytest.mark.spec("H085")
def test_errors_of_the_backend_derive_from_the_base(queue):
    with pytest.raises(sycl.SyclError) as caught:
        queue.parallel_for(1, BROKEN.broken, np.zeros(1, np.uint32))
    assert caught.value.api == "clBuildProgram"
    assert caught.value.cl_code != 0
    for name in sycl.errors.ERROR_CLASSES:
        assert issubclass(getattr(sycl, name), sycl.SyclError)


@pytest.mark.spec("H086")
def test_the_secondary_queue_s_error_is_raised_when_neither_queue_can(device):
    """Where the secondary queue can, it takes the command: test_4_10_handler.py."""
    primary, secondary = sycl.Queue(device), sycl.Queue(device)
    x, calls = np.zeros(4, np.uint32), []

    def cannot(h):
        calls.append(h)
        h.parallel_for(sycl.NdRange(4, 3), PROGRAM.increment, x)

    with pytest.raises(sycl.NdRangeError):
        primary.submit(cannot, secondary)
    assert len(calls) == 1
    with pytest.raises(KeyError):
        primary.submit(lambda h: {}["an error of the group's own"], secondary)
    with pytest.raises(sycl.KernelArgumentError):
        primary.submit(lambda h: h.parallel_for(4, PROGRAM.increment), secondary)


@pytest.mark.spec("H090")
def test_no_driver_is_loaded_before_a_device_is_asked_for(run_python):
    run_python("""
        import pysycl as sycl
        sycl.Program("__kernel void k(__global int *x) { x[0] = 1; }").k
        sycl.NdRange(64, 8), sycl.local(4, "f4"), sycl.Event().wait(), sycl.statistics()
        mapped = open("/proc/self/maps").read().lower()
        for word in ("pocl", "intelocl", "nvidia-opencl", "oclgrind", "libopencl"):
            assert word not in mapped, word
        """)


@pytest.mark.spec("H091")
def test_native_objects_live_as_long_as_somebody_uses_them(device, live_counts):
    sycl.Queue(device).single_task(PROGRAM.shape, np.zeros(4, np.uint64))
    before = live_counts.quiet()
    queue = sycl.Queue(device)
    event = queue.single_task(PROGRAM.shape, np.zeros(4, np.uint64))
    event.wait()
    assert live_counts.now()["cl_command_queue"] > before["cl_command_queue"]
    del queue
    assert live_counts.quiet()["queue"] == before["queue"] + 1  # the event holds it
    del event
    assert live_counts.settled(before) == before


@pytest.mark.spec("H092")
def test_queues_may_have_contexts_of_their_own(device):
    one, two = sycl.Queue(context=sycl.Context(device)), sycl.Queue(context=sycl.Context(device))
    assert one.context != two.context
    x = np.zeros(3, np.uint32)
    one.parallel_for(3, PROGRAM.increment, x)
    two.parallel_for(3, PROGRAM.increment, x)
    one.wait_and_throw()
    assert (x == 2).all()


@pytest.mark.spec("H092")
def test_default_queues_need_nothing_in_common(run_python):
    """Neither objects that were made before, nor a context that stays: what one leaves is gone, and the next works."""
    child = run_python("""
        import gc
        import numpy as np
        import pysycl as sycl
        from pysycl import _core

        def add(queue, buffer):
            queue.submit(lambda h: h.parallel_for(8, "x[i] += 1;", x=h.read_write(buffer)))

        array = np.zeros(8, np.int32)
        with sycl.Buffer(array) as buffer:
            first, second = sycl.Queue(), sycl.Queue(context=sycl.Context(sycl.Device()))
            assert sycl.Queue() != first and sycl.Queue() is not first  # none is the process's own
            assert first.context != second.context and first.device == second.device
            add(first, buffer), add(second, buffer), add(first, buffer)
            del first  # while its last command may be under way
            add(second, buffer)
            del second
            gc.collect()
            third = sycl.Queue()
            add(third, buffer)
        assert array.tolist() == [5] * 8, array
        del third
        gc.collect()
        add(sycl.Queue(), buffer := sycl.Buffer(array))
        buffer.close()
        assert array.tolist() == [6] * 8, array
    """)
    assert child.stderr == ""


@pytest.mark.spec("H099")
def test_a_queue_of_a_device_selects_nothing(device):
    calls = []

    def selector(candidate):
        calls.append(candidate)
        return 1 if candidate == device else -1

    assert sycl.Queue(device).device == device
    assert calls == []
    assert sycl.Queue(selector).device == device
    assert calls != []
