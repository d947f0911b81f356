"""The classic traps of SYCL's memory objects: mistakes that other implementations made, each as small as it gets."""

import gc
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void increment8(__global uchar *x) { x[get_global_id(0)] += 1; }
__kernel void add(__global uint *y, __global const uint *x) { y[get_global_id(0)] += x[get_global_id(0)]; }
__kernel void slowly(__global uint *x, uint rounds)
{
    uint y = get_global_id(0);
    for (uint k = 0; k < rounds; k++)
        y = y * 1664525u + (y >> 7);
    x[get_global_id(0)] += y == 1u && rounds == 0xffffffffu ? 2 : 1;
}
""")
LONG = 20_000_000
GIB = 2**30
COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
# For children: each prints nothing, or what went wrong.
KINDS = pytest.mark.parametrize("kind", ["unknown", "gpu"])


def increment(queue, buffer, n):
    return queue.submit(lambda h: h.parallel_for(n, PROGRAM.increment, h.read_write(buffer)))


# -- identity and parts --


@pytest.mark.spec("H306")
def test_a_reinterpretation_is_the_same_buffer(run_fake):
    """It shares memory and dependencies: a writer through one is a writer through the other."""
    run_fake("""
        queue, data = sycl.Queue(), np.zeros(4, np.uint32)
        b = sycl.Buffer(data)
        bytes_, signed = b.reinterpret(np.uint8), b.reinterpret(np.int32, (2, 2))
        assert bytes_.range == (16,) and bytes_.dtype == np.uint8 and signed.shape == (2, 2)
        fake.fake_hold(1)
        first = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        second = queue.submit(lambda h: h.fill(h.write(bytes_, range=4, offset=4), np.uint8(1)))
        third = queue.submit(lambda h: h.update_host(h.read(signed)))
        assert first in second.wait_list and second in third.wait_list
        fake.fake_hold(0)
        queue.wait_and_throw()
        b.close()
        assert np.asarray(signed).tolist() == [[1, 0x01010101], [0, 0]]
        bytes_.close()
        signed.close()
        assert data.tolist() == [1, 0x01010101, 0, 0]
        """)


@pytest.mark.spec("H329")
def test_a_reinterpretation_of_a_sub_buffer_is_that_part(queue):
    data = np.arange(8, dtype=np.uint32)
    with sycl.Buffer(data) as b:
        part = b.sub_buffer(3, 2).reinterpret(np.uint8)
        assert part.is_sub_buffer and part.range == (8,)
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.increment8, h.read_write(part)))
        part.close()
    expected = np.arange(8, dtype=np.uint32)
    expected[3:5] += 0x01010101
    assert (data == expected).all()


@pytest.mark.spec("H315")
def test_a_sub_buffer_of_a_sub_buffer_is_refused():
    b = sycl.Buffer((8,), np.uint32)
    part = b.sub_buffer(0, 4)
    for cut in (lambda: part.sub_buffer(0, 2), lambda: part[0:2], lambda: part.reinterpret(np.uint8).sub_buffer(0, 1)):
        with pytest.raises(sycl.InvalidObjectError):
            cut()


@pytest.mark.spec("H316", "H317")
def test_sub_buffers_must_lie_inside_and_have_no_gaps():
    b = sycl.Buffer((4, 6), np.uint32)
    assert b.sub_buffer((1, 0), (2, 6)).byte_size == 48
    assert b.sub_buffer((2, 1), (1, 3)).shape == (1, 3)
    for offset, extent in (((0, 0), (5, 6)), ((3, 0), (2, 6)), ((0, 4), (1, 3)), ((0, 0), (2, 3)), ((0, 1), (2, 5))):
        with pytest.raises(sycl.InvalidObjectError):
            b.sub_buffer(offset, extent)
    with pytest.raises(sycl.SyclError):
        b.sub_buffer(0, 4)  # of another rank


MISALIGNED = """
    import numpy as np
    import pysycl as sycl
    program = sycl.Program(
        "__kernel void bump(__global uchar *x) { x[get_global_id(0)] += 1; }"
        "__kernel void join(__global uchar *y, __global const uchar *x) { y[get_global_id(0)] += x[get_global_id(0)]; }")
    for device in sycl.devices():
        queue, data = sycl.Queue(device), np.arange(200, dtype=np.uint8)
        expected = data.copy()
        with sycl.Buffer(data) as b:
            for offset in (1, 3, 5, 7, 13, 127, 128, 129):
                second = (offset + 50) % 150
                with b.sub_buffer(offset, 40) as part, b.sub_buffer(second, 17) as other:
                    queue.submit(lambda h: h.parallel_for(40, program.bump, h.read_write(part)))
                    queue.submit(lambda h: h.parallel_for(17, program.join, h.read_write(part), h.read(other)))
                expected[offset:offset + 40] += 1
                expected[offset:offset + 17] += expected[second:second + 17]
            queue.wait_and_throw()
        assert (data == expected).all(), (device, data - expected)
"""


@pytest.mark.spec("H318")
def test_misaligned_sub_buffers_work(run_python):
    run_python(MISALIGNED)


@KINDS
@pytest.mark.spec("H318")
def test_misaligned_sub_buffers_work_where_memory_is_the_device_s(run_python, copying, kind):
    run_python(MISALIGNED, copying(kind))


@pytest.mark.spec("H318")
@pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])
def test_misaligned_sub_buffers_work_on_a_strict_driver(run_fake, env):
    run_fake(
        """
        queue, data = sycl.Queue(), np.zeros(64, np.uint32)
        with sycl.Buffer(data) as b:
            for offset in (1, 2, 3, 5, 31, 33):
                with b.sub_buffer(offset, 4) as part, b.sub_buffer(offset + 5, 4) as other:
                    queue.submit(lambda h: h.parallel_for(4, program.churn, h.read_write(part), h.read(other), 1, 4))
            queue.wait_and_throw()
        expected = np.zeros(64, np.uint32)
        for offset in (1, 2, 3, 5, 31, 33):
            expected[offset:offset + 4] = 31 * expected[offset:offset + 4] + expected[offset + 5:offset + 9] + 1
        assert (data == expected).all(), data
        assert fake.fake_error_count() == 0
        """,
        env,
    )


# -- sizes --


def test_zero_size_buffers(queue):
    for source in (np.zeros(0, np.uint32), np.zeros((3, 0), np.uint32)):
        with sycl.Buffer(source) as b:
            assert b.size == 0 and b.byte_size == 0
            increment(queue, b, 0)
            with b.host_access("read_write") as view:
                assert view.size == 0 and view.shape == source.shape
            assert np.asarray(b).shape == source.shape
    with sycl.Buffer((0,), np.uint32) as empty, sycl.Buffer((0,), np.uint32) as other:
        queue.submit(lambda h: h.copy(h.read(empty), h.write(other)))
        queue.submit(lambda h: h.fill(h.write(other), np.uint32(1)))
        assert empty.reinterpret(np.uint8).size == 0
        queue.wait_and_throw()


@pytest.mark.spec("H394")
def test_zero_dimensional(queue):
    """A 0-dimensional array is a buffer of one element, and its 0-dimensional accessor is of that."""
    data = np.array(41, np.uint32)
    with sycl.Buffer(data) as b:
        assert b.size == 1
        increment(queue, b, 1)
    assert data[()] == 42 and data.shape == ()


def test_more_elements_than_an_int_can_count(device):
    """2^31 + 3 bytes: a fill, and a kernel at the far end."""
    with open("/proc/meminfo") as memory:
        free = next(int(line.split()[1]) * 1024 for line in memory if line.startswith("MemAvailable"))
    if free < 8 * GIB:
        pytest.skip(f"{free / GIB:.1f} GiB of memory are free, and 8 are wanted")
    n = 2**31 + 3
    queue = sycl.Queue(device)
    with sycl.Buffer((n,), np.uint8) as b:
        assert b.size == n
        if device.max_mem_alloc_size >= n:
            queue.submit(lambda h: h.fill(h.write(b, no_init=True), np.uint8(7)))
        else:  # then one command cannot use it all, but every part
            with b.host_access("write", no_init=True) as view:
                view[:] = 7
        with b.sub_buffer(n - 4, 4) as end:
            queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment8, h.read_write(end)))
        with b.host_access("read") as view:
            assert view[:3].tolist() == [7, 7, 7] and view[2**31 - 2 :].tolist() == [7] + [8] * 4


# -- arrays --


@pytest.mark.spec("H307")
def test_two_buffers_on_one_array_warn():
    data = np.zeros(16, np.uint32)
    b = sycl.Buffer(data)
    with pytest.warns(sycl.SyclWarning):
        c = sycl.Buffer(data[4:8])
    c.close()
    b.close()
    with sycl.Buffer(data[:8]), sycl.Buffer(data[8:]):
        pass  # side by side is fine


@pytest.mark.spec("H309", "H379")
@pytest.mark.parametrize(
    "cut",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: a[1::3],
        lambda a: a[:96].reshape(8, 12)[1:7, 2:9],
        lambda a: a[:96].reshape(8, 12).T,
        lambda a: a[:96].reshape(4, 4, 6)[::2, ::-1, 1:5:2],
    ],
)
def test_write_back_touches_only_the_view_s_elements(queue, cut):
    base = np.arange(100, dtype=np.uint32)
    expected = base.copy()
    view = cut(base)
    n = view.size
    with sycl.Buffer(view) as b:
        assert b.shape == view.shape
        increment(queue, b, n)
        with b.host_access("read_write") as inside:
            assert (inside == cut(expected) + 1).all()
            inside += 1
    cut(expected)[...] += 2
    assert (base == expected).all()


@KINDS
def test_write_back_touches_only_the_view_s_elements_elsewhere(run_python, copying, kind):
    run_python(
        """
        import numpy as np
        import pysycl as sycl
        program = sycl.Program("__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }")
        queues = [sycl.Queue(device) for device in sycl.devices()]
        for cut in (lambda a: a[::2], lambda a: a[::-1], lambda a: a[:96].reshape(8, 12)[1:7, 2:9],
                    lambda a: a[:96].reshape(8, 12).T):
            base = np.arange(100, dtype=np.uint32)
            expected, view = base.copy(), cut(base)
            with sycl.Buffer(view) as b:
                for queue in queues:
                    queue.submit(lambda h: h.parallel_for(view.size, program.increment, h.read_write(b)))
            cut(expected)[...] += len(queues)
            assert (base == expected).all()
        """,
        copying(kind),
    )


@pytest.mark.spec("H310")
def test_a_read_only_array_is_never_written(queue):
    data = np.arange(8, dtype=np.uint32)
    data.flags.writeable = False
    with sycl.Buffer(data) as b:
        increment(queue, b, 8)
        assert np.asarray(b).tolist() == list(range(1, 9))
    assert data.tolist() == list(range(8))


@pytest.mark.spec("H341")
def test_the_contents_are_those_of_the_construction(queue):
    """An iterable is consumed at once; a strided array is read no later than SYCL allows."""
    values = iter(range(6))
    b = sycl.Buffer(values, dtype=np.uint32)
    assert list(values) == []
    increment(queue, b, 6)
    assert np.asarray(b).tolist() == [1, 2, 3, 4, 5, 6]


# -- lifetimes --


@pytest.mark.spec("H009", "H073")
def test_a_buffer_outlives_its_queue(device):
    data = np.zeros(8, np.uint32)
    with sycl.Buffer(data) as b:
        queue = sycl.Queue(device)
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.slowly, h.read_write(b), LONG))
        ref = weakref.ref(queue)
        del queue
        gc.collect()
        assert ref() is None
    assert data.tolist() == [1] * 8


@pytest.mark.spec("H073", "H093")
def test_a_queue_outlives_its_buffers(device, no_leaks):
    queue = sycl.Queue(device)
    events = []
    for _ in range(20):
        b = sycl.Buffer((8,), np.uint32)
        queue.submit(lambda h, b=b: h.fill(h.write(b), np.uint32(1)))
        events.append(queue.submit(lambda h, b=b: h.parallel_for(8, PROGRAM.slowly, h.read_write(b), LONG // 100)))
        del b
    sycl.Event.wait(events)
    queue.wait_and_throw()


def test_an_array_outlives_nothing_by_itself(queue):
    """The buffer keeps the array as long as it may have to write there."""
    data = np.zeros(8, np.uint32)
    ref = weakref.ref(data)
    b = sycl.Buffer(data)
    del data
    gc.collect()
    increment(queue, b, 8)
    with b.host_access("read") as view:
        assert view.tolist() == [1] * 8
    del view
    b.close()
    del b
    queue.wait_and_throw()
    gc.collect()
    assert ref() is None


@pytest.mark.spec("H385")
def test_an_exception_inside_a_host_access_ends_it(queue):
    b = sycl.Buffer(np.zeros(4, np.uint32))

    def fail(view):
        view[0] = 5
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), b.host_access("read_write") as view:
        fail(view)
    del view
    increment(queue, b, 4).wait_and_throw()
    with b.host_access("read") as view:
        assert view.tolist() == [6, 1, 1, 1]


@pytest.mark.spec("H385")
def test_a_host_access_that_was_ended_cannot_be_used(queue):
    b = sycl.Buffer(np.zeros(4, np.uint32))
    access = b.host_access("read_write")
    with access:
        pass
    with pytest.raises((sycl.SyclError, BufferError, ValueError)):
        np.asarray(access)[0] = 1
    with pytest.raises(sycl.SyclError), access:
        pass
    increment(queue, b, 4).wait_and_throw()


def test_closing_twice(queue):
    data = np.zeros(4, np.uint32)
    b = sycl.Buffer(data)
    part = b.sub_buffer(0, 2)
    increment(queue, part, 2)
    part.close()
    part.close()
    b.close()
    assert data.tolist() == [1, 1, 0, 0]
    data[:] = 9
    b.close()
    assert data.tolist() == [9] * 4
    for use in (
        lambda: increment(queue, b, 4),
        lambda: b.sub_buffer(0, 1),
        lambda: b.host_access("read").__enter__(),
        lambda: b.reinterpret(np.uint8),
        lambda: b.set_final_data(None),
        lambda: np.asarray(b),
    ):
        with pytest.raises(sycl.InvalidObjectError):
            use()
    assert "closed" in repr(b)


def test_usm_is_freed_once(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared allocations")
    x = sycl.malloc_shared(4, np.uint32, queue)
    event = queue.parallel_for(4, PROGRAM.slowly, x, LONG)
    sycl.free(x, queue)  # in flight: the command keeps it
    event.wait_and_throw()
    with pytest.raises(sycl.SyclError):
        sycl.free(x, queue)
    with pytest.raises(sycl.SyclError):
        queue.parallel_for(4, PROGRAM.increment, x)


def test_freeing_under_a_live_view_is_refused(queue):
    if not queue.device.has("usm_host_allocations"):
        pytest.skip("the device has no host allocations")
    x = sycl.malloc_host(4, np.uint32, queue)
    view = np.asarray(x)
    with pytest.raises((sycl.SyclError, BufferError)):
        sycl.free(x, queue)
    view[:] = 3
    del view
    sycl.free(x, queue)


# -- order --


@pytest.mark.spec("H041")
def test_a_group_without_a_command_still_orders(run_fake):
    run_fake("""
        queue = sycl.Queue()
        b = sycl.Buffer(np.zeros(4, np.uint32))
        fake.fake_hold(1)
        first = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        empty = queue.submit(lambda h: h.read_write(b) and None)
        last = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        assert empty.wait_list == [first] and empty in last.wait_list
        fake.fake_hold(0)
        last.wait_and_throw()
        assert empty.status is sycl.EventCommandStatus.complete
        """)


def test_a_buffer_given_twice_to_one_kernel(queue):
    data = np.arange(8, dtype=np.uint32)
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.add, h.read_write(b), h.read(b)))
    assert data.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_a_cycle_with_a_buffer_in_it_is_collected(queue, no_leaks):
    data = np.zeros(4, np.uint32)
    loop = [sycl.Buffer(data)]
    loop.append(loop)
    increment(queue, loop[0], 4)
    del loop
    gc.collect()
    assert data.tolist() == [1] * 4


def same_elements(x, y):
    """To the bit; but NumPy does not copy the gaps between fields."""
    return all(x[f].tobytes() == y[f].tobytes() for f in x.dtype.names or [...])


@pytest.mark.parametrize("dtype", ["c8", "f4", [("x", "u1"), ("y", "<u4"), ("z", "c8")]])
def test_misaligned_arrays_are_of_the_same_type(queue, dtype):
    """NumPy spells the formats of misaligned arrays in another way."""
    kind = np.dtype(dtype, align=True)
    misaligned = np.zeros(5 * kind.itemsize + 1, np.uint8)[1:].view(kind)
    assert not misaligned.flags.aligned or kind.alignment == 1
    misaligned[...] = np.frombuffer(np.arange(5 * kind.itemsize, dtype=np.uint8), kind)
    with sycl.Buffer((5,), kind) as b:
        queue.submit(lambda h: h.copy(misaligned, h.write(b)))
        out = np.zeros(5 * kind.itemsize + 1, np.uint8)[1:].view(kind)
        queue.submit(lambda h: h.copy(h.read(b), out)).wait_and_throw()
        assert same_elements(out, misaligned)
    with sycl.Buffer(misaligned) as b:
        assert same_elements(np.asarray(b), out)


@pytest.mark.parametrize("kind", ["unknown", pytest.param("gpu", marks=pytest.mark.exhaustive)])
def test_the_order_in_which_ends_are_noticed_is_all_one(run_python, copying, kind, thorough):
    """A transfer was seen to have ended before the kernel whose results it brought: then they were taken for stale, and
    not written back. Looking at another queue's commands all the time made that happen once in ten times."""
    run_python(
        """
        import time
        import numpy as np
        import pysycl as sycl
        program = sycl.Program('''
        __kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
        __kernel void slowly(__global uint *x, uint rounds)
        {
            uint y = get_global_id(0);
            for (uint k = 0; k < rounds; k++)
                y = y * 1664525u + (y >> 7);
            x[get_global_id(0)] += y == 1u && rounds == 0xffffffffu ? 2 : 1;
        }
        ''')
        context = sycl.Context(sycl.devices()[0])
        one, two = sycl.Queue(context=context), sycl.Queue(context=context)
        with sycl.Buffer((16,), np.uint32) as other:
            two.submit(lambda h: h.parallel_for(16, program.increment, h.write(other))).wait()
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                base = np.zeros(32, np.uint32)
                with sycl.Buffer(base[::2]) as b:
                    two.submit(lambda h: h.parallel_for(16, program.increment, h.read_write(b))).wait()
                    one.submit(lambda h: h.parallel_for(16, program.slowly, h.read_write(b), 200000))
                    update = two.submit(lambda h: h.update_host(h.read(b)))
                    while update.status is not sycl.EventCommandStatus.complete:
                        two.submit(lambda h: h.parallel_for(16, program.increment, h.read_write(other)))
                two.wait()
                assert (base[::2] == 2).all(), base
        """.replace("SECONDS", "3" if thorough else "0.5"),
        copying(kind),
    )
