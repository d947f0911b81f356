"""Lifetimes of memory objects: what blocks, what does not, and what is written where. SYCL 2020, 3.8.6 and 3.8.8."""

import gc
import threading
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void move(__global uint *to, __global const uint *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void slowly(__global uint *x, uint rounds)
{
    uint y = get_global_id(0);
    for (uint k = 0; k < rounds; k++)
        y = y * 1664525u + (y >> 7);
    x[get_global_id(0)] += y == 1u && rounds == 0xffffffffu ? 2 : 1;
}
""")
COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
KINDS = pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])


@pytest.fixture
def rounds(device):
    """Some hundredths of a second at least; an interpreter such as Oclgrind takes a thousand times as long."""
    return 20_000_000 if device._facts["thread_safe"] else 20_000


@pytest.mark.spec("H009", "H073", "H094", "H097")
def test_the_end_of_a_buffer_waits_for_its_data(device, rounds):
    """Over two queues, one of them gone; nothing but the buffer's end is waited for."""
    data = np.zeros(8, np.uint32)
    queue = sycl.Queue(device)
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.slowly, h.read_write(b), rounds))
        sycl.Queue(device, context=sycl.Context(device)).submit(
            lambda h: h.parallel_for(8, PROGRAM.increment, h.read_write(b))
        )
        gc.collect()
    assert data.tolist() == [2] * 8


@KINDS
@pytest.mark.spec("H073", "H094")
def test_a_destroyed_buffer_blocks_until_its_data_is_back(run_fake, env):
    run_fake(
        """
        import threading
        queue, data, order = sycl.Queue(), np.zeros(4, np.uint32), []
        b = sycl.Buffer(data)
        fake.fake_hold(1)
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        def end():
            b.close()
            order.append(int(data[0]))
        thread = threading.Thread(target=end)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive() and order == []
        fake.fake_hold(0)
        thread.join()
        assert order == [1]
        """,
        env,
    )


@KINDS
@pytest.mark.spec("H073")
def test_collection_is_the_same_end(run_fake, env):
    run_fake(
        """
        import gc
        queue, data = sycl.Queue(), np.zeros(4, np.uint32)
        def use():
            b = sycl.Buffer(data)
            queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 100))
        use()
        gc.collect()
        assert data[0] == 1
        """,
        env,
    )


@KINDS
@pytest.mark.spec("H093", "H097")
def test_without_host_memory_the_end_does_not_block(run_fake, env):
    run_fake(
        """
        queue = sycl.Queue()
        fake.fake_hold(1)
        b = sycl.Buffer((4,), np.uint32)
        event = queue.submit(lambda h: h.single_task(program.fill_ids, h.write(b)))
        b.close()
        c = sycl.Buffer((4,), np.uint32)
        queue.submit(lambda h: h.single_task(program.fill_ids, h.write(c)))
        del c
        d = sycl.Buffer(iter([1, 2, 3, 4]), dtype=np.uint32)
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(d), 0))
        d.close()
        assert event.status is sycl.EventCommandStatus.submitted
        fake.fake_hold(0)
        queue.wait_and_throw()
        """,
        env,
    )


@KINDS
@pytest.mark.spec("H094")
def test_what_was_only_read_is_not_written_back(run_fake, env):
    run_fake(
        """
        queue, data, out = sycl.Queue(), np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)
        with sycl.Buffer(data) as b, sycl.Buffer(out) as o:
            queue.submit(lambda h: h.parallel_for(4, program.churn, h.read_write(o), h.read(b), 5, 4))
        assert out.tolist() == [5, 6, 7, 8] and data.tolist() == [0, 1, 2, 3]
        moved = sycl.statistics()["from_device_bytes"]
        assert moved in (0, 16), moved
        """,
        env,
    )


@pytest.mark.spec("H073", "H074", "H096")
def test_a_weakly_referred_array_decides_whether_data_goes_back(queue):
    """The final data as a weak reference: copied to while somebody holds the array, dropped when nobody does."""
    source, target = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
    b = sycl.Buffer(source)
    b.set_final_data(weakref.ref(target))
    queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(b)))
    b.close()
    assert target.tolist() == [1] * 4
    c = sycl.Buffer((4,), np.uint32)
    gone = np.zeros(4, np.uint32)
    c.set_final_data(weakref.ref(gone))
    del gone
    queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.write(c)))
    c.close()


@pytest.mark.spec("H095")
def test_memory_that_was_given_away_is_not_waited_for(run_fake):
    """What nobody else can see needs no write-back: SYCL's unique_ptr is a copy, or final data None."""
    run_fake("""
        queue = sycl.Queue()
        fake.fake_hold(1)
        b = sycl.Buffer([1, 2, 3, 4], dtype=np.uint32)
        event = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        b.close()
        assert event.status is sycl.EventCommandStatus.submitted
        fake.fake_hold(0)
        queue.wait_and_throw()
        """)


@pytest.mark.spec("H075")
def test_a_host_access_waits_for_the_writers_of_all_queues(device, rounds):
    queues = [sycl.Queue(device), sycl.Queue(device, context=sycl.Context(device)), sycl.Queue(device, in_order=True)]
    b = sycl.Buffer(np.zeros(8, np.uint32))
    for queue in queues:
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.slowly, h.read_write(b), rounds // 10))
    with b.host_access("read_write") as view:
        assert view.tolist() == [3] * 8
        view += 1
        later = [queue.submit(lambda h: h.parallel_for(8, PROGRAM.increment, h.read_write(b))) for queue in queues]
        view += 1
    sycl.Event.wait(later)
    assert np.asarray(b).tolist() == [8] * 8
    for queue in queues:
        queue.wait_and_throw()


@pytest.mark.spec("H097")
def test_only_host_accesses_ends_and_waits_block(run_fake):
    """Everything else returns while the driver is held, sub-buffers, copies, fills and accessors among it."""
    run_fake("""
        queue, data = sycl.Queue(), np.zeros(16, np.uint32)
        fake.fake_hold(1)
        b = sycl.Buffer(data)
        c = sycl.Buffer((16,), np.uint32)
        part, seen = b.sub_buffer(4, 8), b.reinterpret(np.int32)
        events = [
            queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)),
            queue.submit(lambda h: h.single_task(program.slow, h.read_write(part), 0)),
            queue.submit(lambda h: h.fill(h.write(c), np.uint32(4))),
            queue.submit(lambda h: h.copy(h.read(b), h.write(c))),
            queue.submit(lambda h: h.update_host(h.read(b))),
        ]
        b.set_final_data(data)
        b.set_write_back(True)
        placeholder = sycl.Accessor(b, mode="read")
        queue.submit(lambda h: (h.require(placeholder), h.single_task(program.slow, h.read_write(part), 0)))
        assert all(event.status is sycl.EventCommandStatus.submitted for event in events)
        part.close()
        seen.close()
        assert repr(b) and b.range == (16,)
        fake.fake_hold(0)
        b.close()
        assert data[0] == 1 and data[4] == 2
        queue.wait_and_throw()
        c.close()
        """)


@pytest.mark.spec("H098")
def test_the_host_s_view_need_not_be_the_user_s_memory(queue):
    frozen = np.arange(6, dtype=np.uint32)
    frozen.flags.writeable = False
    with sycl.Buffer(frozen) as b:
        with b.host_access("read_write") as view:
            view[0] = 77
            assert not np.shares_memory(view, frozen)
        queue.submit(lambda h: h.parallel_for(6, PROGRAM.increment, h.read_write(b)))
        with b.host_access("read") as view:
            assert view.tolist() == [78, 2, 3, 4, 5, 6]
    assert frozen.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.spec("H073", "H093")
def test_parts_keep_the_memory_and_the_last_ends_it(queue):
    data = np.zeros(8, np.uint32)
    b = sycl.Buffer(data)
    part, words = b.sub_buffer(2, 4), b.reinterpret(np.uint8)
    queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(part)))
    del b
    gc.collect()
    queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(part)))
    part.close()
    words.close()
    assert data.tolist() == [0, 0, 2, 2, 2, 2, 0, 0]


def test_ends_on_many_threads(device, rounds, no_leaks):
    """Eight threads destroy eight parts of a buffer at once; one of them is the last, and waits."""
    data = np.zeros(64, np.uint32)
    queue = sycl.Queue(device)
    b = sycl.Buffer(data)
    parts = [b.sub_buffer(8 * k, 8) for k in range(8)]
    for part in parts:
        queue.submit(lambda h, part=part: h.parallel_for(8, PROGRAM.slowly, h.read_write(part), rounds // 100))
    barrier = threading.Barrier(9)

    def end(handle):
        barrier.wait()
        handle.close()

    threads = [threading.Thread(target=end, args=(handle,)) for handle in [b, *parts]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert data.tolist() == [1] * 64
    queue.wait_and_throw()
