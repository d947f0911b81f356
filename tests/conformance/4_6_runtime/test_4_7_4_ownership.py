"""Who owns the host's data: SYCL 2020, 4.7.4; and what blocks: 3.8, 3.9."""

import gc
import time
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void peek(__global float *to, __global const float *from) { size_t i = get_global_id(0); to[i] = from[i]; }
""")
COMPLETE = sycl.EventCommandStatus.complete


def add(queue, buffer, *after):
    return queue.submit(
        lambda h: (h.depends_on(after), h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), 1.0))
    )


@pytest.fixture
def slow(queue, busy):
    """Something that takes a while, and that commands may wait for."""
    add(queue, sycl.Buffer(1, np.float32)).wait()  # the kernel is built
    return busy(queue, np.zeros(1, np.uint64), 0.4)


@pytest.mark.spec("H009", "H073", "H094", "H369")
def test_the_end_of_a_block_waits_and_copies_back(queue, slow):
    x = np.zeros(8, np.float32)
    with sycl.Buffer(x) as b:
        event = add(queue, b, slow)
    assert event.status is COMPLETE
    assert (x == 1).all()


@pytest.mark.spec("H009", "H073")
def test_garbage_collection_is_an_end_too(queue, slow):
    x = np.zeros(8, np.float32)
    b = sycl.Buffer(x)
    event = add(queue, b, slow)
    del b
    gc.collect()
    assert event.status is COMPLETE
    assert (x == 1).all()


@pytest.mark.spec("H093")
def test_without_host_memory_the_end_does_not_block(queue, slow):
    b = sycl.Buffer(8, np.float32)
    event = add(queue, b, slow)
    b.close()
    assert event.status is not COMPLETE
    event.wait_and_throw()


@pytest.mark.spec("H097", "H076")
def test_only_these_block(queue, slow):
    x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
    b, c = sycl.Buffer(x), sycl.Buffer(y)
    events = [add(queue, b, slow), add(queue, c), add(queue, b), add(queue, b[2:4])]
    accessor = sycl.Accessor(b)
    b.reinterpret(np.int32).close()
    b[:2].close()
    del accessor
    assert events[0].status is not COMPLETE
    with b.host_access("read"):
        assert events[0].status is COMPLETE
    b.close()
    c.close()


@pytest.mark.spec("H368")
def test_host_accessors_show_the_data_while_the_buffer_lives(queue):
    x = np.zeros(8, np.float32)
    with sycl.Buffer(x) as b:
        add(queue, b)
        with b.host_access("read") as a:
            assert (a == 1).all()
        add(queue, b)
    assert (x == 2).all()


@pytest.mark.spec("H095", "H347", "H370")
def test_ownership_given_away(queue, slow):
    x = np.ones(8, np.float32)
    gone = weakref.ref(x)
    b = sycl.Buffer(x, take_ownership=True)
    del x
    event = add(queue, b, slow)
    assert gone() is not None
    b.close()
    assert event.status is not COMPLETE
    event.wait_and_throw()
    del b
    gc.collect()
    assert gone() is None


@pytest.mark.spec("H371")
def test_final_data_after_ownership_was_given_away(queue):
    target = np.zeros(8, np.float32)
    b = sycl.Buffer(np.ones(8, np.float32), take_ownership=True)
    b.set_final_data(weakref.ref(target))
    add(queue, b)
    b.close()
    assert (target == 2).all()


@pytest.mark.spec("H074", "H096", "H311", "H372")
def test_shared_data_that_is_still_held(queue, slow):
    x = np.zeros(8, np.float32)
    b = sycl.Buffer(weakref.ref(x))
    event = add(queue, b, slow)
    b.close()
    assert event.status is COMPLETE
    assert (x == 1).all()


@pytest.mark.spec("H074", "H346", "H372", "H374")
def test_shared_data_that_nobody_holds(queue, slow):
    x = np.zeros(8, np.float32)
    gone = weakref.ref(x)
    b = sycl.Buffer(gone)
    event = add(queue, b, slow)
    del x
    gc.collect()
    assert gone() is not None  # the buffer keeps it
    b.close()
    assert event.status is not COMPLETE  # nobody will look
    event.wait_and_throw()
    del b
    gc.collect()
    assert gone() is None
    with pytest.raises(sycl.InvalidParameterError, match="weak reference"):
        sycl.Buffer(gone)


@pytest.mark.spec("H372")
def test_a_view_holds_shared_data_too(queue):
    x = np.zeros(8, np.float32)
    view = x[2:4]
    b = sycl.Buffer(weakref.ref(x))
    del x
    add(queue, b)
    b.close()
    assert (view == 1).all()


@pytest.mark.spec("H373")
def test_data_that_the_runtime_makes(queue):
    b = sycl.Buffer(None, np.float32, range=(2, 3))
    add(queue, b)
    data = b.host_data
    b.close()
    assert data.tolist() == [[1, 1, 1], [1, 1, 1]]
    with pytest.raises(sycl.InvalidParameterError, match="give its range and dtype"):
        sycl.Buffer(None)


@pytest.mark.spec("H375", "H349")
def test_final_data_overrides(queue, slow):
    target = np.zeros(8, np.float32)
    x = np.zeros(8, np.float32)
    b = sycl.Buffer(weakref.ref(x))
    del x
    b.set_final_data(target)
    event = add(queue, b, slow)
    b.close()
    assert event.status is COMPLETE
    assert (target == 1).all()


@pytest.mark.spec("H375")
def test_no_final_data_means_no_waiting(queue, slow):
    b = sycl.Buffer(np.zeros(8, np.float32))
    b.set_final_data(None)
    event = add(queue, b, slow)
    b.close()
    assert event.status is not COMPLETE
    event.wait_and_throw()


@pytest.mark.spec("H094")
def test_what_nothing_wrote_is_not_copied(queue):
    """The array keeps what the user put there after all commands had read it."""
    x = np.asfortranarray(np.ones((4, 4), np.float32))
    target = np.zeros(16, np.float32)
    b = sycl.Buffer(x)
    queue.submit(lambda h: h.parallel_for(16, PROGRAM.peek, target, sycl.Accessor(b, h, "read"))).wait()
    x[:] = 7
    b.close()
    assert (x == 7).all()
    assert (target == 1).all()


@pytest.mark.spec("H339")
def test_the_memory_of_a_buffer_lives_as_long_as_commands(queue, slow, no_leaks):
    for _ in range(10):
        b = sycl.Buffer(1000, np.float32)
        add(queue, b, slow)
        del b
    began = time.perf_counter()
    queue.wait_and_throw()
    assert time.perf_counter() - began < 30
