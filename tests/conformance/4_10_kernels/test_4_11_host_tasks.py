"""SYCL 2020, 4.11: host tasks, and 4.11.2: the interop handle; 4.7.5: buffers under the user's mutex."""

import ctypes
import threading
import time
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

PATIENCE = 30.0
PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
""")


# -- 4.11.1: host tasks --


@pytest.mark.spec("D231")
def test_a_host_task_comes_after_its_data_dependencies(queue: sycl.Queue) -> None:
    n = 5000
    buffer = sycl.Buffer(np.zeros(n, np.int32))
    seen: list[np.ndarray] = []
    for _ in range(5):
        with queue.submit() as h:
            h.parallel_for(n, PROGRAM.add, h.read_write(buffer), 1)
        with queue.submit() as h:
            view = sycl.Accessor(buffer, h, "read_write", target="host_task")

            def task(view: sycl.Accessor = view) -> None:
                seen.append(np.array(view))
                view[:] *= 10

            h.host_task(task)
    queue.wait_and_throw()
    expected = 0
    for values in seen:
        assert (values == expected + 1).all()
        expected = (expected + 1) * 10
    with buffer.host_access("read") as values:
        assert (values == expected).all()


@pytest.mark.spec("D231")
def test_a_host_task_is_a_command_of_its_group(queue: sycl.Queue) -> None:
    """One command a group, with an event, after what depends_on names."""
    order: list[str] = []
    go = threading.Event()
    first = queue.submit(lambda h: h.host_task(lambda: (go.wait(PATIENCE), order.append("first"))))

    def group(h: sycl.Handler) -> None:
        h.depends_on(first)
        h.host_task(lambda: order.append("second"))
        with pytest.raises(sycl.InvalidError):
            h.host_task(lambda: order.append("third"))

    second = queue.submit(group)
    assert second.status is not sycl.EventCommandStatus.complete
    assert second.wait_list == [first]
    go.set()
    second.wait()
    assert order == ["first", "second"]


@pytest.mark.spec("D231")
def test_it_runs_on_the_host(device: sycl.Device) -> None:
    """In this very process, whatever the queue's device."""
    import os

    pids: list[int] = []
    sycl.Queue(device).host_task(lambda: pids.append(os.getpid())).wait()
    assert pids == [os.getpid()]


@pytest.mark.spec("D232")
def test_host_accessors_give_the_data(queue: sycl.Queue) -> None:
    data = np.arange(24, dtype=np.int32).reshape(4, 6)
    buffer = sycl.Buffer(data.copy())
    seen: dict[str, object] = {}
    with queue.submit() as h:
        read = sycl.Accessor(buffer, h, "read", target="host_task")

        def task() -> None:
            seen["data"] = np.array(read)
            try:
                read[0, 0] = 7
            except (ValueError, sycl.SyclError) as error:
                seen["error"] = error

        h.host_task(task)
    queue.wait_and_throw()
    assert (seen["data"] == data).all()
    assert isinstance(seen["error"], Exception), "a reading accessor cannot be written"
    with pytest.raises(sycl.AccessorError):
        np.asarray(read)


@pytest.mark.spec("D232")
def test_a_host_accessor_object_in_a_task(queue: sycl.Queue) -> None:
    """Arbitrary code: a task may ask for the host's own access, to a buffer that its group does not use."""
    buffer = sycl.Buffer(np.arange(5, dtype=np.int32))
    seen: list[list[int]] = []

    def task() -> None:
        with buffer.host_access("read_write") as values:
            values += 1
            seen.append(values.tolist())

    queue.host_task(task).wait()
    queue.wait_and_throw()
    assert seen == [[1, 2, 3, 4, 5]]


@pytest.mark.spec("D233")
def test_local_accessors_are_refused(queue: sycl.Queue) -> None:
    local = sycl.local(16, np.float32)
    with pytest.raises(sycl.InvalidParameterError, match="local accessor"):
        queue.host_task(lambda: local.shape)

    def task(scratch: object = local) -> None: ...

    with pytest.raises(sycl.InvalidParameterError, match="local accessor"):
        queue.submit(lambda h: h.host_task(task))


@pytest.mark.spec("D234")
def test_exactly_once_with_the_handle_or_without(queue: sycl.Queue) -> None:
    calls: list[tuple[object, ...]] = []
    queue.host_task(lambda: calls.append(())).wait()
    queue.host_task(lambda handle: calls.append((type(handle),))).wait()
    queue.host_task(lambda *rest: calls.append(tuple(map(type, rest)))).wait()
    queue.host_task(lambda value=5: calls.append((value,))).wait()
    queue.wait_and_throw()
    assert calls == [(), (sycl.InteropHandle,), (sycl.InteropHandle,), (5,)]


@pytest.mark.spec("D235")
def test_the_queue_s_shortcut(queue: sycl.Queue) -> None:
    order: list[int] = []
    first = queue.host_task(lambda: (time.sleep(0.05), order.append(1)))
    second = queue.host_task(lambda: order.append(2), depends_on=[first])
    assert isinstance(second, sycl.Event)
    second.wait()
    assert order == [1, 2]


# -- 4.11.2: the interop handle --


@pytest.mark.spec("D236")
def test_the_handle_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        sycl.InteropHandle()


@pytest.mark.spec("D240", "D241", "D242")
def test_native_objects_are_those_of_the_queue(queue: sycl.Queue) -> None:
    seen: list[tuple[int, ...]] = []
    kept: list[sycl.InteropHandle] = []

    def task(handle: sycl.InteropHandle) -> None:
        kept.append(handle)
        seen.append(
            (
                handle.get_native_queue(),
                handle.get_native_context(),
                handle.get_native_device(),
                handle.get_native_platform(),
            )
        )

    queue.host_task(task).wait()
    queue.wait_and_throw()
    device = queue.device
    assert seen == [(queue.int_ptr, queue.context.int_ptr, device.int_ptr, device.platform.int_ptr)]
    with pytest.raises(sycl.InvalidObjectError, match="only while"):
        kept[0].get_native_queue()
    assert kept[0].backend is sycl.Backend.opencl


@pytest.mark.spec("D237")
def test_native_memory_has_the_current_contents(queue: sycl.Queue) -> None:
    pytest.importorskip("pyopencl.version")  # the wheel of PoCL leaves a folder of that name
    opencl = pytest.importorskip("pyopencl")
    data = np.zeros(1024, np.int32)
    buffer = sycl.Buffer(data)
    seen: list[np.ndarray] = []
    with queue.submit() as h:
        h.parallel_for(1024, PROGRAM.add, h.read_write(buffer), 3)
    with queue.submit() as h:
        accessor = h.read_write(buffer)

        def task(handle: sycl.InteropHandle) -> None:
            native = opencl.CommandQueue.from_int_ptr(handle.get_native_queue(), True)
            memory = opencl.MemoryObject.from_int_ptr(handle.get_native_mem(accessor), True)
            values = np.empty(1024, np.int32)
            opencl.enqueue_copy(native, values, memory)
            seen.append(values.copy())
            opencl.enqueue_copy(native, memory, values * 2)
            native.finish()
            memory.release()

        h.host_task(task)
    queue.wait_and_throw()
    assert (seen[0] == 3).all()
    with buffer.host_access("read") as values:
        assert (values == 6).all()


@pytest.mark.spec("D238")
def test_native_memory_of_a_foreign_accessor_is_refused(queue: sycl.Queue) -> None:
    buffer, other = sycl.Buffer((64,), np.int32), sycl.Buffer((64,), np.int32)
    foreign = sycl.Accessor(other)
    for_data: list[sycl.Accessor] = []
    errors: list[Exception] = []

    def task(handle: sycl.InteropHandle) -> None:
        for accessor in (foreign, for_data[0], sycl.Accessor(), 5):
            try:
                handle.get_native_mem(accessor)
            except sycl.InvalidError as error:
                errors.append(error)

    with queue.submit() as h:
        for_data.append(sycl.Accessor(buffer, h, "read_write", target="host_task"))
        h.host_task(task)
    queue.wait_and_throw()
    assert [type(error) for error in errors] == [sycl.InvalidObjectError] * 3 + [sycl.InvalidParameterError]
    assert ctypes.sizeof(ctypes.c_void_p) == 8


@pytest.mark.spec("D239")
def test_native_memory_of_an_image(queue: sycl.Queue) -> None:
    """It is the very object that commands use, and holds what they have written."""
    if not queue.device.has("image"):
        pytest.skip("no images")
    pixels = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    image = sycl.UnsampledImage(pixels, "r32g32b32a32_sfloat", (3, 2))
    seen: list[int] = []
    with queue.submit() as h:
        accessor = h.read(image)
        h.host_task(lambda handle: seen.append(handle.get_native_mem(accessor)))
    queue.wait_and_throw()
    assert seen == sycl.get_native("opencl", image)
    twin = sycl.make_image(seen[0], queue.context)
    assert (np.asarray(twin) == pixels).all()


@pytest.mark.spec("D240")
def test_after_the_fall_back_the_queue_is_the_second(run_fake: Any) -> None:
    run_fake(
        """
        first, second, seen = sycl.Queue(), sycl.Queue(), []
        b = sycl.Buffer(np.zeros(4, np.uint32))
        def group(h):
            accessor = h.read_write(b)
            h.host_task(lambda handle: seen.append(handle.get_native_queue()))
        from pysycl import _core
        _core.fault_install(0)
        _core.fault_arm("CreateBuffer", 1, -4)
        event = first.submit(group, second)
        event.wait_and_throw()
        assert event._queue is second
        assert seen == [second.int_ptr] != [first.int_ptr]
        """,
        {"FAKE_PLATFORM_NAME": "unknown", "FAKE_TYPE": "gpu"},
    )


# -- 4.7.5: use_mutex --


class Recorder:
    """A lock that remembers who did what."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.log: list[str] = []

    def acquire(self) -> bool:
        self.lock.acquire()
        self.log.append("acquire")
        return True

    def release(self) -> None:
        self.log.append("release")
        self.lock.release()

    __enter__ = acquire

    def __exit__(self, *exception: object) -> None:
        self.release()


@pytest.mark.spec("H333", "H376")
def test_the_mutex_is_held_while_the_data_is_in_use(queue: sycl.Queue) -> None:
    mutex = threading.Lock()
    data = np.zeros(100, np.int32)
    buffer = sycl.Buffer(data, use_mutex=mutex)
    assert not mutex.locked()
    go = threading.Event()
    with queue.submit() as h:
        view = sycl.Accessor(buffer, h, "read_write", target="host_task")

        def task() -> None:
            go.wait(PATIENCE)
            view[:] = 1

        h.host_task(task)
    assert mutex.locked()
    assert not mutex.acquire(timeout=0.05)
    go.set()
    with mutex:
        assert (data == 1).all(), "when the mutex is free the data is in the user's memory"
    for step in range(2, 30):
        queue.submit(lambda h: h.parallel_for(100, PROGRAM.add, h.read_write(buffer), 1))
        with mutex:
            assert (data == step).all()
    queue.wait_and_throw()


@pytest.mark.spec("H333", "H376")
@pytest.mark.parametrize("array", ["np.zeros(8, np.uint32)", "np.zeros(16, np.uint32)[::2]"])
def test_the_data_comes_back_from_another_memory(run_fake, array: str) -> None:
    """Before the mutex is released; but not if it was redirected: the user's array is left alone."""
    run_fake(
        f"""
        import threading
        queue, mutex, data = sycl.Queue(), threading.Lock(), {array}
        buffer = sycl.Buffer(data, use_mutex=mutex)
        queue.submit(lambda h: h.parallel_for(8, program.fill_ids, h.read_write(buffer)))
        with mutex:
            assert data.tolist() == list(range(8)), data
            data[:] = 7
        buffer.set_final_data(None)
        queue.submit(lambda h: h.parallel_for(8, program.fill_ids, h.read_write(buffer)))
        with mutex:
            assert data.tolist() == [7] * 8, data
        buffer.close()
        assert data.tolist() == [7] * 8, data
        """,
        {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"},
    )


@pytest.mark.spec("H333", "H345")
def test_the_user_s_lock_keeps_commands_out(queue: sycl.Queue) -> None:
    mutex = threading.Lock()
    data = np.zeros(100, np.int32)
    buffer = sycl.Buffer(data, use_mutex=mutex)
    submitted = threading.Event()

    def submit() -> None:
        queue.submit(lambda h: h.parallel_for(100, PROGRAM.add, h.read_write(buffer), 1))
        submitted.set()

    with mutex:
        thread = threading.Thread(target=submit)
        thread.start()
        assert not submitted.wait(0.1)
        data[:] = 5
    assert submitted.wait(PATIENCE)
    thread.join()
    with mutex:
        assert (data == 6).all()


@pytest.mark.spec("H333")
@pytest.mark.parametrize("redirected", [False, True])
def test_readers_hold_it_too(queue: sycl.Queue, redirected: bool) -> None:
    mutex = threading.Lock()
    buffer = sycl.Buffer(np.zeros(10, np.int32), use_mutex=mutex)
    if redirected:
        buffer.set_final_data(None)
    go = threading.Event()
    with queue.submit() as h:
        sycl.Accessor(buffer, h, "read", target="host_task")
        h.host_task(lambda: go.wait(PATIENCE))
    assert not mutex.acquire(timeout=0.2)
    go.set()
    assert mutex.acquire(timeout=PATIENCE)
    mutex.release()


@pytest.mark.spec("H333")
def test_held_once_for_commands_that_follow_each_other(queue: sycl.Queue) -> None:
    mutex = Recorder()
    data = np.zeros(100, np.int32)
    buffer = sycl.Buffer(data, use_mutex=mutex)
    go = threading.Event()
    with queue.submit() as h:
        sycl.Accessor(buffer, h, "read_write", target="host_task")
        h.host_task(lambda: go.wait(PATIENCE))
    for _ in range(10):
        queue.submit(lambda h: h.parallel_for(100, PROGRAM.add, h.read_write(buffer), 1))
    assert mutex.log == ["acquire"]
    go.set()
    with mutex:
        assert (data == 10).all()
    assert mutex.log[:2] == ["acquire", "release"]


@pytest.mark.spec("H333")
def test_host_accessors_hold_it_too(queue: sycl.Queue) -> None:
    mutex = threading.Lock()
    buffer = sycl.Buffer(np.zeros(10, np.int32), use_mutex=mutex)
    with buffer.host_access("read_write") as values:
        assert mutex.locked()
        values += 1
    with mutex:
        pass
    buffer.close()
    assert mutex.acquire(timeout=PATIENCE)


@pytest.mark.spec("H333")
def test_a_failed_command_gives_it_back(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    mutex = threading.Lock()
    buffer = sycl.Buffer(np.zeros(10, np.int32), use_mutex=mutex)
    with queue.submit() as h:
        sycl.Accessor(buffer, h, "read_write", target="host_task")

        def task() -> None:
            raise ValueError("no")

        h.host_task(task)
    with pytest.raises(sycl.SyclRuntimeError):
        queue.wait_and_throw()
    assert mutex.acquire(timeout=PATIENCE)
    mutex.release()
    queue.wait_and_throw()  # the error was delivered once


@pytest.mark.spec("H333")
def test_a_refused_submission_gives_it_back(queue: sycl.Queue) -> None:
    mutex = threading.Lock()
    other = sycl.Context(queue.device)
    buffer = sycl.Buffer(np.zeros(10, np.int32), use_mutex=mutex, context_bound=other)
    with pytest.raises(sycl.SyclError):
        queue.submit(lambda h: h.parallel_for(10, PROGRAM.add, h.read_write(buffer), 1))
    assert mutex.acquire(timeout=PATIENCE)
    mutex.release()


@pytest.mark.spec("H333")
def test_a_buffer_may_end_while_the_user_holds_the_mutex(queue: sycl.Queue) -> None:
    mutex = threading.Lock()
    data = np.zeros(10, np.int32)
    buffer = sycl.Buffer(data, use_mutex=mutex)
    queue.submit(lambda h: h.parallel_for(10, PROGRAM.add, h.read_write(buffer), 1))
    with mutex:
        buffer.close()
        assert (data == 1).all()


@pytest.mark.spec("H333")
def test_what_is_no_mutex_is_refused() -> None:
    for wrong in (threading.RLock(), 5, object(), "lock"):
        with pytest.raises(sycl.InvalidParameterError, match="use_mutex"):
            sycl.Buffer(np.zeros(10, np.int32), use_mutex=wrong)  # type: ignore[arg-type]
    with pytest.raises(sycl.InvalidParameterError, match="RLock"):
        sycl.Buffer(np.zeros(10, np.int32), use_mutex=threading.RLock())  # type: ignore[arg-type]


@pytest.mark.spec("H376")
def test_two_buffers_two_mutexes_many_threads(queue: sycl.Queue) -> None:
    """Everybody takes them in one order: no deadlock; and every addition counts."""
    mutexes = [threading.Lock(), threading.Lock()]
    data = [np.zeros(10, np.int32), np.zeros(10, np.int32)]
    buffers = [sycl.Buffer(a, use_mutex=m) for a, m in zip(data, mutexes, strict=True)]
    program = sycl.Program("""
    __kernel void both(__global int *x, __global int *y) { x[get_global_id(0)]++; y[get_global_id(0)]++; }
    """)

    def work(order: list[int]) -> None:
        for _ in range(20):
            a, b = (buffers[i] for i in order)
            queue.submit(lambda h, a=a, b=b: h.parallel_for(10, program.both, h.read_write(a), h.read_write(b)))

    threads = [threading.Thread(target=work, args=([i % 2, 1 - i % 2],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    for mutex, values in zip(mutexes, data, strict=True):
        assert mutex.acquire(timeout=PATIENCE)
        assert (values == 80).all()
        mutex.release()
