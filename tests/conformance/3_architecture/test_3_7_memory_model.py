"""The memory model: buffers, requirements and the order that they make. SYCL 2020, 3.7 (and 3.2 on buffers).

Where it matters that nothing has run yet, the fake driver is held: then `wait_list` shows the edges that were made.
"""

import textwrap
import threading

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void put(__global uint *x, uint first, uint value) { x[first + get_global_id(0)] = value; }
__kernel void move(__global uint *to, __global const uint *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void nothing(__global uint *x) { }
__kernel void slowly(__global uint *x, uint rounds)
{
    uint y = get_global_id(0);
    for (uint k = 0; k < rounds; k++)
        y = y * 1664525u + (y >> 7);
    x[get_global_id(0)] += y == 1u && rounds == 0xffffffffu ? 2 : 1;
}
""")
EDGES = """
queue = sycl.Queue()
other = sycl.Queue(in_order=False)
def buffer(n=4):
    return sycl.Buffer(np.zeros(n, np.uint32))
def write(b, on=queue):
    return on.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
def read(b, on=queue):
    out = np.zeros(4, np.uint32)
    return on.submit(lambda h: h.parallel_for(4, program.churn, out, h.read(b), 0, 4), wait=False)
fake.fake_hold(1)
"""


def edges(run_fake, code, env=None):
    """Runs the code with the driver held, so that nothing has ended; afterwards everything must end well."""
    end = "\nfake.fake_hold(0)\nqueue.wait_and_throw()\nother.wait_and_throw()\nassert fake.fake_error_count() == 0\n"
    return run_fake(EDGES + textwrap.dedent(code) + end, env)


COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
KINDS = pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])


@pytest.mark.spec("H002", "H007", "H009")
def test_a_buffer_wraps_an_array_and_gives_it_back(queue):
    data = np.arange(16, dtype=np.uint32)
    with sycl.Buffer(data) as b:
        for _ in range(3):
            queue.submit(lambda h: h.parallel_for(16, PROGRAM.increment, h.read_write(b)))
    assert (data == np.arange(16) + 3).all()


@pytest.mark.spec("H007")
def test_an_accessor_belongs_to_one_group(queue):
    b = sycl.Buffer((4,), np.uint32)
    kept = []
    queue.submit(lambda h: (kept.append(h.write(b)), h.parallel_for(4, PROGRAM.put, kept[0], 0, 7)))
    with pytest.raises(sycl.SyclError):
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.put, kept[0], 0, 8))
    queue.wait_and_throw()
    assert np.asarray(b).tolist() == [7] * 4


@KINDS
@pytest.mark.spec("H008", "H040", "H053", "H054")
def test_writers_wait_for_all_and_readers_for_writers(run_fake, env):
    edges(
        run_fake,
        """
        b = buffer()
        first = write(b)
        readers = [read(b), read(b, other), read(b)]
        second = write(b, other)
        third = write(b)
        last = read(b, other)
        assert first.wait_list == [] or all(e.wait_list == [] for e in first.wait_list)  # a copy to the device at most
        for reader in readers:
            assert first in reader.wait_list, reader.wait_list
            assert not set(reader.wait_list) & set(readers)
        assert set(readers) <= set(second.wait_list), second.wait_list
        assert second in third.wait_list
        assert third in last.wait_list and not set(last.wait_list) & {first, *readers}
        """,
        env,
    )


@KINDS
@pytest.mark.spec("H041")
def test_an_accessor_that_nobody_uses_orders(run_fake, env):
    edges(
        run_fake,
        """
        a, b, c = buffer(), buffer(), buffer()
        first = write(a)
        unused = queue.submit(lambda h: (h.read(a), h.single_task(program.slow, h.read_write(b), 0)))
        last = write(a)
        assert first in unused.wait_list and unused in last.wait_list
        of_c = write(c)
        empty = queue.submit(lambda h: h.write(c) and None)
        after = read(c)
        assert of_c in empty.wait_list and empty in after.wait_list
        """,
        env,
    )


@pytest.mark.spec("H044")
def test_the_order_of_accessors_in_a_group_is_all_one(run_fake):
    edges(
        run_fake,
        """
        a, b = buffer(), buffer()
        def both(h, names):
            got = {name: (h.read(b) if name == "b" else h.read_write(a)) for name in names}
            h.parallel_for(4, program.churn, got["a"], got["b"], 0, 4)
        of_a, of_b = write(a), write(b)
        one = queue.submit(lambda h: both(h, "ab"))
        two = queue.submit(lambda h: both(h, "ba"))
        assert set(one.wait_list) == {of_a, of_b} and one in two.wait_list
        def late(h):
            h.single_task(program.slow, h.read_write(buffer()), 0)
            h.read_write(b)
        assert two in queue.submit(late).wait_list
        """,
    )


@KINDS
@pytest.mark.spec("H051", "H052", "H053")
def test_disjoint_sub_buffers_are_independent_and_ranged_accessors_are_not(run_fake, env):
    edges(
        run_fake,
        """
        b = buffer(12)
        low, high, middle = b.sub_buffer(0, 5), b.sub_buffer(5, 7), b.sub_buffer(3, 4)
        one, two = write(low), write(high)
        assert one not in two.wait_list and two.wait_list == [] or env_copies
        over = write(middle)
        assert {one, two} <= set(over.wait_list)
        whole = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        assert over in whole.wait_list and not {one, two} & set(whole.wait_list) or {over, one, two} <= set(
            whole.wait_list)
        d = buffer(12)
        ranged = [
            queue.submit(lambda h: h.single_task(program.slow, h.read_write(d, range=4, offset=offset), 0))
            for offset in (0, 8)
        ]
        assert ranged[0] in ranged[1].wait_list
        """.replace("env_copies", str(env is not None)),
        env,
    )


@pytest.mark.spec("H019", "H040", "H053")
def test_commands_on_other_objects_are_not_held_up(run_fake):
    edges(
        run_fake,
        """
        buffers = [buffer() for _ in range(1000)]
        events = [write(b) for b in buffers]
        assert all(event.wait_list == [] for event in events)
        parts = buffer(1000)
        events = [write(parts.sub_buffer(i, 1)) for i in range(1000)]
        assert all(event.wait_list == [] for event in events)
        chain, b = None, buffer()
        for _ in range(100):
            event = write(b)
            assert event.wait_list == ([chain] if chain else [])
            chain = event
        """,
    )


@pytest.mark.spec("H042", "H045", "H046", "H047")
@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (("read",), ("write",), "RW"),
        (("read",), ("read_write",), "RW"),
        (("write",), ("read_write",), "RW"),
        (("write", "no_init"), ("read_write", "no_init"), "DRW"),
        (("write", "no_init"), ("write",), "WO"),
        (("write", "no_init"), ("read",), "RW"),
        (("write", "no_init"), ("read_write",), "RW"),
        (("read_write", "no_init"), ("write",), "RW"),
        (("read_write", "no_init"), ("read",), "RW"),
        (("read_write", "no_init"), ("read_write",), "RW"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_accessors_of_one_object_are_merged(queue, first, second, merged, turned):
    """Contents are dropped only if every accessor drops them; whatever writes makes the command a writer."""
    data = np.arange(8, dtype=np.uint32)
    b = sycl.Buffer(data)
    modes = (second, first) if turned else (first, second)

    def group(h):
        made = [sycl.Accessor(b, h, mode[0], no_init=len(mode) > 1) for mode in modes]
        writer = next(one for one, mode in zip(made, modes, strict=True) if mode[0] != "read")
        h.parallel_for(2, PROGRAM.put, writer, 0, 77)

    queue.submit(group)
    b.close()
    assert data[:2].tolist() == [77, 77]
    if not merged.startswith("D"):
        assert data[2:].tolist() == list(range(2, 8))


@pytest.mark.spec("H045", "H049")
def test_the_merged_access_orders_as_a_writer(run_fake):
    edges(
        run_fake,
        """
        b = buffer()
        before = read(b)
        both = queue.submit(lambda h: (h.read(b), h.single_task(program.slow, h.write(b), 0)))
        after = read(b)
        assert before in both.wait_list and both in after.wait_list
        """,
    )


@pytest.mark.spec("H048", "H050")
def test_one_writer_among_several_targets(queue):
    b = sycl.Buffer(np.zeros(4, np.uint32))
    with pytest.raises(sycl.AccessorError):
        queue.submit(lambda h: (h.read_write(b), sycl.Accessor(b, h, "read_write", target="host_task")))
    with pytest.raises(sycl.AccessorError):
        queue.submit(lambda h: (h.write(b), sycl.Accessor(b, h, "read_write", target="host_task")))
    event = queue.submit(
        lambda h: (
            sycl.Accessor(b, h, "read", target="host_task"),
            h.parallel_for(4, PROGRAM.increment, h.read_write(b)),
        )
    )
    event.wait_and_throw()
    assert np.asarray(b).tolist() == [1] * 4


@pytest.mark.spec("H042", "H379", "H380")
def test_write_only_keeps_what_it_does_not_touch(queue):
    data = np.arange(10, dtype=np.uint32)
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(3, PROGRAM.put, h.write(b), 4, 100))
    assert data.tolist() == [0, 1, 2, 3, 100, 100, 100, 7, 8, 9]


def test_write_only_keeps_what_it_does_not_touch_elsewhere(run_fake):
    """On a device with memory of its own the old contents must be sent there first, unless they are dropped."""
    run_fake(
        """
        queue, data = sycl.Queue(), np.arange(10, dtype=np.uint32)
        with sycl.Buffer(data) as b:
            queue.submit(lambda h: h.single_task(program.slow, h.write(b), 0))
        assert data.tolist() == [1, *range(1, 10)], data
        before = sycl.statistics()["to_device_bytes"]
        with sycl.Buffer(data) as b:
            queue.submit(lambda h: h.single_task(program.fill_ids, h.write(b, no_init=True)))
            queue.submit(lambda h: h.parallel_for(10, program.fill_ids, h.write(b, no_init=True)))
        assert data.tolist() == list(range(10)), data
        assert sycl.statistics()["to_device_bytes"] == before
        """,
        COPYING,
    )


@pytest.mark.spec("H043", "H054")
def test_copies_are_made_only_when_they_are_needed(run_fake):
    run_fake(
        """
        def moved():
            now = sycl.statistics()
            return now["to_device_bytes"], now["from_device_bytes"]
        queue, second = sycl.Queue(), sycl.Queue(context=sycl.Context(sycl.Device()))
        data = np.zeros(256, np.uint32)
        b = sycl.Buffer(data)
        assert moved() == (0, 0)
        for _ in range(10):
            queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        queue.wait_and_throw()
        assert moved() == (1024, 0), moved()  # once there, and not back until somebody asks
        with b.host_access("read") as a:
            assert a[0] == 10
        assert moved() == (1024, 1024), moved()
        with b.host_access("read") as a:
            pass
        out = [sycl.Buffer((256,), np.uint32) for _ in range(3)]
        for each in out:  # the device's copy is still good: the host only read
            queue.submit(lambda h: h.parallel_for(256, program.churn, h.write(each, no_init=True), h.read(b), 0, 256))
        assert np.asarray(b)[0] == 10
        queue.wait_and_throw()
        assert moved() == (1024, 1024), moved()
        b.close()  # what the host has is up to date
        assert moved() == (1024, 1024) and data[0] == 10
        """,
        COPYING,
    )


@pytest.mark.spec("H039", "H043")
def test_nothing_moves_where_memory_is_shared(queue):
    if not queue.device._facts["shares_host_memory"]:
        pytest.skip("the device has memory of its own")
    data = np.zeros(4096, np.uint32)
    before = sycl.statistics()
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(4096, PROGRAM.increment, h.read_write(b)))
        with b.host_access("read_write") as a:
            a += 1
        queue.submit(lambda h: h.parallel_for(4096, PROGRAM.increment, h.read_write(b)))
    assert (data == 3).all()
    after = sycl.statistics()
    for kind in ("staged_bytes", "to_device_bytes", "from_device_bytes"):
        assert after[kind] == before[kind]


@pytest.mark.spec("H011", "H018", "H019", "H039")
def test_one_buffer_in_several_contexts_and_drivers(run_python, fake_driver):
    """A real device and the fake one, which has memory of its own, take turns on one buffer."""
    real = next((one["path"] for one in sycl._core.drivers() if not one["refusal"]), None)
    if real is None:
        pytest.skip("no driver")
    run_python(
        """
        import numpy as np
        import pysycl as sycl
        program = sycl.Program("__kernel void add(__global float *y, __global const float *x, float a, uint n)"
                            "{ size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }")
        queues = [sycl.Queue(device) for device in sycl.devices()]
        queues += [sycl.Queue(device, context=sycl.Context(device)) for device in sycl.devices()]
        assert len({queue.platform for queue in queues}) >= 2
        data, ones = np.zeros(50, np.float32), np.ones(50, np.float32)
        expected = 0
        with sycl.Buffer(data) as y, sycl.Buffer(ones) as x:
            for step in range(5):
                for number, queue in enumerate(queues):
                    a = number + 1
                    expected += a
                    queue.submit(lambda h: h.parallel_for(50, program.add, h.read_write(y), h.read(x), float(a), 50))
                if step == 2:
                    with y.host_access("read_write") as view:
                        assert (view == expected).all(), view
                        view += 1
                    expected += 1
        assert (data == expected).all(), data
        assert (ones == 1).all()
        for queue in queues:
            queue.wait_and_throw()
        """,
        {"PYSYCL_DRIVERS": f"{fake_driver}:{real}", "PYSYCL_DEVICE": None, **COPYING},
    )


@pytest.mark.spec("H040", "H058")
def test_the_order_of_submission_is_the_order_of_effects(device):
    """Over queues in order and out of order, and two contexts."""
    queues = [sycl.Queue(device), sycl.Queue(device, in_order=True), sycl.Queue(device, context=sycl.Context(device))]
    data = np.zeros(8, np.uint32)
    expected = np.zeros(8, np.uint32)
    with sycl.Buffer(data) as b, sycl.Buffer((8,), np.uint32) as c:
        for step in range(30):
            first, second, third = (queues[(step + k) % 3] for k in range(3))
            with first.submit() as h:
                h.parallel_for(8, PROGRAM.slowly, h.read_write(b), 1000 if step % 4 == 0 else 1)
            with first.submit() as h:
                h.parallel_for(8, PROGRAM.move, h.write(c, no_init=True), h.read(b))
            with second.submit() as h:
                h.parallel_for(1, PROGRAM.put, h.write(b), step % 8, step)
            with third.submit() as h:
                h.parallel_for(2, PROGRAM.move, h.write(b), h.read(c))
            expected += 1
            seen = expected.copy()
            expected[step % 8] = step
            expected[:2] = seen[:2]
    assert (data == expected).all()
    for queue in queues:
        queue.wait_and_throw()


@pytest.mark.spec("H055", "H056", "H075")
def test_a_host_access_is_a_barrier_for_its_object_only(run_fake):
    run_fake("""
        queue = sycl.Queue()
        a, b = sycl.Buffer(np.zeros(4, np.uint32)), sycl.Buffer(np.zeros(4, np.uint32))
        def slow(x, ms):
            return queue.submit(lambda h: h.single_task(program.slow, h.read_write(x), ms))
        of_a, of_b = slow(a, 50), slow(b, 2000)
        with a.host_access("read_write") as view:
            assert of_a.status is sycl.EventCommandStatus.complete and view[0] == 1
            assert of_b.status is not sycl.EventCommandStatus.complete  # not waited for
            waits, goes = slow(a, 0), slow(sycl.Buffer(np.zeros(4, np.uint32)), 0)
            goes.wait()
            assert waits.status is sycl.EventCommandStatus.submitted
            view[0] = 10
        waits.wait_and_throw()
        assert np.asarray(a)[0] == 11
        queue.wait_and_throw()
        """)


@pytest.mark.spec("H054", "H055")
def test_a_reading_host_access_lets_readers_go_on(run_fake):
    run_fake("""
        queue, out = sycl.Queue(), np.zeros(4, np.uint32)
        a = sycl.Buffer(np.full(4, 3, np.uint32))
        with a.host_access("read") as view:
            queue.submit(lambda h: h.parallel_for(4, program.churn, out, h.read(a), 0, 4)).wait_and_throw()
            assert out.tolist() == [3] * 4 and not view.flags.writeable
            with a.host_access("read") as again:
                assert again.tolist() == [3] * 4
        """)


@pytest.mark.spec("H055", "H056")
def test_a_host_access_that_could_never_be_granted_raises(queue):
    a = sycl.Buffer(np.zeros(4, np.uint32))
    with a.host_access("read_write") as view:
        with pytest.raises(sycl.AccessorError):
            a.host_access("read").__enter__()
        blocked = queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(a)))
        with pytest.raises(sycl.AccessorError):
            a.host_access("read").__enter__()
        view[:] = 5
    blocked.wait_and_throw()
    with a.host_access("read") as view:
        assert view.tolist() == [6] * 4


@pytest.mark.spec("H055", "H056")
def test_an_access_held_by_another_thread_is_waited_for(device):
    a, entered, seen = sycl.Buffer(np.zeros(4, np.uint32)), threading.Event(), []

    def hold():
        with a.host_access("read_write") as view:
            entered.set()
            threading.Event().wait(0.2)
            view[:] = 9

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    with a.host_access("read") as view:
        seen = view.tolist()
    thread.join()
    assert seen == [9] * 4


@pytest.mark.spec("H060")
def test_an_address_is_no_kernel_argument(queue):
    data = np.zeros(4, np.uint32)
    with pytest.raises(sycl.SyclError):
        queue.parallel_for(4, PROGRAM.increment, data.ctypes.data)


@pytest.mark.spec("H061")
def test_local_memory_comes_from_a_local_accessor(queue):
    program = sycl.Program("""
    __kernel void turn(__global uint *x, __local uint *all)
    {
        all[get_local_id(0)] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = all[get_local_size(0) - 1 - get_local_id(0)];
    }
    """)
    data = np.arange(8, dtype=np.uint32)
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(sycl.NdRange(8, 4), program.turn, h.read_write(b), h.local(4, np.uint32)))
    assert data.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


@pytest.mark.spec("H067")
def test_atomics_work_on_buffers_and_usm(queue):
    program = sycl.Program("__kernel void count(__global uint *x) { atomic_inc(x); }")
    data = np.zeros(1, np.uint32)
    with sycl.Buffer(data) as b:
        for _ in range(4):
            queue.submit(lambda h: h.parallel_for(1000, program.count, h.read_write(b)))
    assert data[0] == 4000
    if queue.device.has("usm_shared_allocations"):
        x = sycl.malloc_shared(1, np.uint32, queue)
        queue.fill(x, np.uint32(0), 1).wait()
        queue.parallel_for(1000, program.count, x).wait_and_throw()
        assert np.asarray(x)[0] == 1000
        sycl.free(x, queue)
