"""Accessors and host accessors as Python objects: reprs, lifetimes, use in host tasks, what is refused."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")


@pytest.fixture
def b():
    with sycl.Buffer(np.arange(12, dtype=np.float32).reshape(3, 4)) as buffer:
        yield buffer


def test_reprs(queue, b):
    assert repr(sycl.Accessor(b)) == "<pysycl.Accessor read_write float32 (3, 4), device, placeholder>"
    with queue.submit() as h:
        a = sycl.Accessor(b, h, "write", range=(1, 4), offset=(2, 0), no_init=True)
        assert repr(a) == "<pysycl.Accessor write float32 (1, 4) from (2, 0), device, no_init>"
    host = b.host_access("read")
    assert repr(host) == "<pysycl.HostAccessor read float32 (3, 4)>"
    host.close()
    assert repr(host) == "<pysycl.HostAccessor read float32 (3, 4), closed>"
    assert repr(sycl.HostAccessor()) == "<pysycl.HostAccessor, empty>"


@pytest.mark.parametrize("make", [sycl.Accessor, lambda b: sycl.HostAccessor(b, "read")], ids=["device", "host"])
def test_they_stand_for_one_access(b, make):
    a = make(b)
    assert copy.copy(a) is a and copy.deepcopy(a) is a
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(a)
    if isinstance(a, sycl.HostAccessor):
        a.close()


@pytest.mark.parametrize("wrong", [np.zeros(3), 3, "buffer", [1, 2]], ids=["array", "int", "str", "list"])
def test_only_buffers_have_accessors(wrong):
    for make in (sycl.Accessor, sycl.HostAccessor):
        with pytest.raises(sycl.InvalidParameterError, match="expected a Buffer"):
            make(wrong)


def test_what_is_not_a_handler(b):
    for wrong in (3, sycl.Event(), "read"):
        with pytest.raises(sycl.InvalidParameterError, match="expected the Handler"):
            sycl.Accessor(b, wrong)


def test_sizes_that_are_none(b):
    class Index:
        def __index__(self):
            raise KeyboardInterrupt

    for wrong in ("x", 1.5, (1, None), {}):
        with pytest.raises(sycl.InvalidParameterError, match="range"):
            sycl.Accessor(b, range=wrong)
    with pytest.raises(sycl.InvalidParameterError, match="negative"):
        sycl.Accessor(b, range=(1, -1))
    with pytest.raises(KeyboardInterrupt):
        sycl.Accessor(b, range=(Index(), 1))
    assert sycl.Accessor(b, offset=(1, 2)).range == sycl.Range(2, 2)  # what is behind the offset
    assert sycl.Accessor(b, range=[1, 1], offset=np.array([2, 3])).offset == sycl.Id(2, 3)


def test_an_accessor_keeps_the_memory_and_not_the_buffer(queue):
    x = np.zeros(8, np.float32)
    gone = weakref.ref(x)
    b = sycl.Buffer(x)
    a = sycl.Accessor(b)
    b.close()
    del x
    assert b.is_closed
    with pytest.raises(sycl.InvalidObjectError, match="the buffer is closed"):
        sycl.Accessor(b)
    queue.parallel_for(8, PROGRAM.add, a, 1.0).wait_and_throw()
    assert gone() is not None
    del a
    gc.collect()
    assert gone() is None


def test_accessors_in_a_host_task(queue, b):
    seen, kept = [], []

    def run():
        with queue.submit() as h:
            a = sycl.Accessor(b, h, "read_write", target="host_task")
            part = sycl.Accessor(b, h, sycl.read_only_host_task, range=(2, 2), offset=(1, 1))

            def task():
                seen.append(
                    (np.asarray(part).tolist(), part[0, 0], len(a), a.data.flags.writeable, part.data.flags.writeable)
                )
                a[0, :] = -1
                kept.append(np.asarray(a))

            h.host_task(task)
        queue.wait_and_throw()
        return a, part

    with pytest.warns(sycl.SyclWarning, match="is still held"):
        a, part = run()
    assert seen == [([[5, 6], [9, 10]], 5, 3, True, False)]
    assert np.asarray(b)[0].tolist() == [-1] * 4
    for use in (lambda: a.data, lambda: a[0], lambda: np.asarray(a), lambda: part[0, 0]):
        with pytest.raises(sycl.AccessorError, match="only inside the host task"):
            use()
    with pytest.raises(BufferError, match="only inside the host task"):
        memoryview(a)
    b.close()
    assert kept[0][0, 0] == -1  # the memory is still there


def test_a_device_accessor_is_no_memory_in_a_host_task(queue, b):
    got = []
    with queue.submit() as h:
        a = sycl.Accessor(b, h)

        def task():
            try:
                np.asarray(a)
            except sycl.AccessorError as error:
                got.append(str(error))

        h.host_task(task)
    queue.wait_and_throw()
    assert len(got) == 1


def test_a_host_accessor_that_is_dropped_ends(queue, b):
    host = b.host_access("read_write")
    event = queue.submit(lambda h: h.parallel_for(12, PROGRAM.add, sycl.Accessor(b, h), 1.0))
    del host
    gc.collect()
    event.wait()
    view = b.host_access("read_write").data  # the array keeps the access: it has no other end
    with pytest.raises(sycl.AccessorError):
        b.host_access("read")
    del view
    b.host_access("read").close()


def test_a_host_accessor_is_closed_by_another_thread(queue, b):
    host = b.host_access("read_write")
    event = queue.submit(lambda h: h.parallel_for(12, PROGRAM.add, sycl.Accessor(b, h), 1.0))
    thread = threading.Thread(target=host.close)
    thread.start()
    thread.join(10)
    event.wait()
    assert host.is_closed


def test_the_data_of_one_accessor_is_one_array(b):
    host = b.host_access("read_write")
    array = host.data
    assert host.data is array
    host.close()
    assert not array.flags.writeable


def test_a_failed_writer_is_told_to_the_reader(run_fake):
    run_fake("""
        x = np.arange(4, dtype=np.uint32)
        queue, b = sycl.Queue(), sycl.Buffer(x)
        event = queue.submit(lambda h: h.single_task(program.fail, sycl.Accessor(b, h)))
        try:
            b.host_access("read")
        except sycl.SyclError as error:
            assert "fail" in str(error), error
        else:
            raise AssertionError
        with b.host_access("write", no_init=True) as a:  # new contents
            a[:] = 7
        assert np.asarray(b).tolist() == [7] * 4
        try:
            queue.wait_and_throw()
        except sycl.SyclError:
            pass
        b.close()
        assert x.tolist() == [7] * 4
        """)
