"""Interoperation with OpenCL: SYCL 2020, appendix C (D of the draft), as far as it needs no buffers."""

import ctypes
import gc

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void other(__global int *x) { x[get_global_id(0)] = 7; }
""")


@pytest.mark.spec("H266", "H128", "D521")
def test_a_queue_made_of_a_native_one(device):
    original = sycl.Queue(device, enable_profiling=True)
    got = []
    made = sycl.Queue.from_int_ptr(original.int_ptr, original.context, got.append)
    assert made != original
    assert made.int_ptr == original.int_ptr
    assert made.context == original.context
    assert made.device == device
    assert made.async_handler is not None
    assert made.has_property("enable_profiling")
    x = np.zeros(5, np.int32)
    event = made.parallel_for(5, PROGRAM.add, x, 3)
    made.wait_and_throw()
    assert x.tolist() == [3] * 5
    assert event.profiling.end > 0


@pytest.mark.spec("H126", "H129", "H130", "D511", "D513")
def test_a_queue_and_its_native_one_live_independently(device, live_counts):
    before = live_counts.quiet()
    original = sycl.Queue(device)
    made = sycl.Queue.from_int_ptr(original.int_ptr, original.context)
    del original
    gc.collect()
    x = np.zeros(5, np.int32)
    made.parallel_for(5, PROGRAM.add, x, 3)
    assert x.tolist() == [3] * 5
    del made
    after = live_counts.quiet()
    assert after["cl_command_queue"] == before["cl_command_queue"]


@pytest.mark.spec("D520", "H128")
def test_an_event_made_of_a_native_one(device, busy):
    queue, cell = sycl.Queue(device), np.zeros(1, np.uint64)
    event = busy(queue, cell, 0.1)
    made = sycl.Event.from_int_ptr(event.int_ptr, queue.context)
    assert made.backend is sycl.Backend.opencl
    assert made.wait_list == []
    made.wait()
    assert cell[0] == 1
    assert made.status is sycl.EventCommandStatus.complete
    made.wait_and_throw()
    queue.wait_and_throw()


@pytest.mark.spec("H130", "D511", "D513")
def test_an_event_and_its_native_one_live_independently(device, busy, live_counts):
    queue, cell = sycl.Queue(device), np.zeros(1, np.uint64)
    busy(queue, cell, 0.01).wait()
    before = live_counts.quiet()
    event = busy(queue, cell, 0.1)
    made = sycl.Event.from_int_ptr(event.int_ptr, queue.context)
    del event
    gc.collect()
    after = queue.single_task(PROGRAM.add, np.zeros(1, np.int32), 1, depends_on=made)
    after.wait()
    assert cell[0] == 2
    del made, after
    queue.wait_and_throw()
    after = live_counts.quiet()
    assert after == {**before, "cl_kernel": after["cl_kernel"]}


def test_an_event_that_has_ended_still_has_a_native_one(device):
    queue, x = sycl.Queue(device), np.zeros(1, np.int32)
    event = queue.single_task(PROGRAM.add, x, 1)
    event.wait()
    assert event.int_ptr == event.int_ptr > 0
    made = sycl.Event.from_int_ptr(event.int_ptr, queue.context)
    made.wait()
    with pytest.raises(sycl.InvalidObjectError, match="the default event stands for no command"):
        _ = sycl.Event().int_ptr


@pytest.mark.spec("D512")
def test_what_is_made_of_a_native_object_wraps_that_one(device):
    """An object of ours has a native one for each context that wants it; one made by interop has the one that it was given."""
    contexts = [sycl.Context(device) for _ in range(3)]
    original = sycl.Program("__kernel void set(__global int *x) { x[0] = 5; }")
    natives = [original.native(context) for context in contexts]
    assert len(set(natives)) == 3 and natives == [original.native(context) for context in contexts]
    made = sycl.Program.from_int_ptr(natives[1])
    assert made.native(contexts[1]) == natives[1]
    assert [made.is_built_for(context) for context in contexts] == [False, True, False]
    x = np.zeros(1, np.int32)
    sycl.Queue(context=contexts[1]).single_task(made.kernel("set"), x)
    assert x[0] == 5
    for context in (contexts[0], contexts[2]):
        with pytest.raises(sycl.InvalidObjectError, match="made from a native object"):
            made.native(context)
        with pytest.raises(sycl.InvalidObjectError, match="made from a native object"):
            sycl.Queue(context=context).single_task(made.kernel("set"), x)
    for cls, one in ((sycl.Context, contexts[0]), (sycl.Device, device), (sycl.Platform, device.platform)):
        assert cls.from_int_ptr(one.int_ptr).int_ptr == one.int_ptr, cls


@pytest.mark.spec("H130", "D511", "D513")
def test_a_program_made_of_a_native_one(queue):
    original = sycl.Program("__kernel void set(__global int *x) { x[0] = N; }", constants={"N": 5})
    made = sycl.Program.from_int_ptr(original.native(queue.context))
    assert made.kernel_names == ("set",)
    assert made.native(queue.context) == original.native(queue.context)
    del original
    gc.collect()
    x = np.zeros(1, np.int32)
    queue.single_task(made.kernel("set"), x)
    assert x[0] == 5


@pytest.mark.spec("D516")
def test_the_native_kernel_of_a_name(device):
    if device != sycl.Device():
        pytest.skip("handles are those of the default device's context")
    kernel = PROGRAM.kernel("other")
    made = sycl.Kernel.from_int_ptr(kernel.int_ptr)
    assert made.name == "other"
    assert made.parameters == ("__global int *x",)
    assert kernel.int_ptr == kernel.int_ptr
    queue, x = sycl.Queue(device), np.zeros(2, np.int32)
    queue.parallel_for(2, made, x).wait_and_throw()
    assert x.tolist() == [7, 7]


@pytest.mark.spec("D511")
def test_nothing_is_left_of_programs_made_of_native_ones(queue, live_counts):
    PROGRAM.build(queue.context)
    before = live_counts.quiet()
    for _ in range(3):
        made = sycl.Program.from_int_ptr(PROGRAM.native(queue.context))
        assert made.kernel_names == ("add", "other")
    del made
    assert live_counts.settled(before) == before


def test_what_is_no_handle_is_refused(queue):
    makers = {
        "Queue.from_int_ptr": lambda value: sycl.Queue.from_int_ptr(value, queue.context),
        "Event.from_int_ptr": lambda value: sycl.Event.from_int_ptr(value, queue.context),
        "Program.from_int_ptr": sycl.Program.from_int_ptr,
        "Kernel.from_int_ptr": sycl.Kernel.from_int_ptr,
    }
    memory = ctypes.create_string_buffer(64)
    for name, make in makers.items():
        for value in (None, "1", 1.5):
            with pytest.raises(sycl.InvalidParameterError, match=f"{name}: expected an integer handle, got"):
                make(value)
        for value in (0, -1):
            with pytest.raises(sycl.InvalidParameterError, match=f"{name}: {value} is not a native handle"):
                make(value)
        with pytest.raises(sycl.InvalidObjectError, match="of a loaded driver"):
            make(ctypes.addressof(memory))


@pytest.mark.spec("H128")
def test_objects_of_another_context_are_refused(device):
    here, there = sycl.Context(device), sycl.Context(device)
    queue = sycl.Queue(device, context=here)
    event = queue.single_task(PROGRAM.add, np.zeros(1, np.int32), 1)
    event.wait()
    with pytest.raises(sycl.InvalidObjectError, match="belongs to another context"):
        sycl.Queue.from_int_ptr(queue.int_ptr, there)
    with pytest.raises(sycl.InvalidObjectError, match="belongs to another context"):
        sycl.Event.from_int_ptr(event.int_ptr, there)


def test_wait_waits_for_foreign_commands(run_fake):
    """What somebody else puts into the native queue counts for wait() once the handle was given out."""
    run_fake("""
        queue, x = sycl.Queue(), np.zeros(1, np.uint32)
        again = sycl.Queue.from_int_ptr(queue.int_ptr, queue.context)
        again.single_task(program.slow, x, 300, wait=False)
        queue.wait()
        assert x[0] == 1
        """)


@pytest.mark.spec("D513")
def test_handles_are_pyopencl_s_too(device):
    """In one process with PyOpenCL, when both have opened the same driver."""
    pytest.importorskip("pyopencl.version")  # the wheel of PoCL leaves a folder of that name
    cl = pytest.importorskip("pyopencl")
    mine = device.int_ptr
    theirs = [d for platform in cl.get_platforms() for d in platform.get_devices() if d.int_ptr == mine]
    if not theirs:
        pytest.skip("PyOpenCL has opened another driver")
    queue = sycl.Queue(device)
    context = cl.Context.from_int_ptr(queue.context.int_ptr)
    assert theirs[0] in context.devices
    their_queue = cl.CommandQueue(context, theirs[0])
    made = sycl.Queue.from_int_ptr(their_queue.int_ptr, sycl.Context.from_int_ptr(context.int_ptr))
    x = np.zeros(4, np.int32)
    made.parallel_for(4, PROGRAM.add, x, 2)
    assert x.tolist() == [2] * 4
