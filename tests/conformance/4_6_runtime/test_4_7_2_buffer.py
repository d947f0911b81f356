"""Buffers: SYCL 2020, 4.7.2."""

import copy
import gc
import warnings
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void set(__global int *x, int a) { x[get_global_id(0)] = a; }
__kernel void copy(__global float *to, __global const float *from) { size_t i = get_global_id(0); to[i] = from[i]; }
typedef struct { float x; int n; } pair;
__kernel void swap(__global pair *p) { size_t i = get_global_id(0); float x = p[i].x; p[i].x = p[i].n; p[i].n = x; }
""")
PEEK = sycl.Program("__kernel void peek(__global ulong *to, __global const ulong *from) { to[0] = from[0]; }")
NOTHING = sycl.Program("__kernel void nothing(__global float *x) { }")


def add(queue, buffer, amount=1.0, **options):
    """A command that adds to every element."""
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h, **options), amount))


def read(queue, buffer):
    """A command that only reads."""
    target = np.zeros(buffer.shape, np.float32)
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.copy, target, sycl.Accessor(buffer, h, "read")))


@pytest.mark.spec("H002", "H298", "H303", "H309", "H342")
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4)])
def test_an_array_is_wrapped_and_written_back(queue, shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    expected = x + 3
    with sycl.Buffer(x) as b:
        assert (b.range, b.shape, b.dtype, b.ndim) == (sycl.Range(*shape), shape, x.dtype, len(shape))
        add(queue, b, 1)
        add(queue, b, 2)
    assert np.array_equal(x, expected)


@pytest.mark.spec("H303")
def test_dimensions(queue):
    for shape in ((2, 2, 2, 2), (1, 1, 1, 1, 1)):
        with pytest.raises(sycl.InvalidParameterError, match=f"has {len(shape)} dimensions; SYCL has at most three"):
            sycl.Buffer(np.zeros(shape, np.float32))
        with pytest.raises(sycl.InvalidParameterError, match="SYCL has at most three"):
            sycl.Buffer(shape, np.float32)
    x = np.array(2, np.float32)
    with sycl.Buffer(x) as b:
        assert b.shape == (1,)
        add(queue, b)
    assert x == 3


@pytest.mark.spec("H304", "H308", "H319", "H339")
def test_a_shape_has_no_host_data(queue):
    b = sycl.Buffer((3, 4), np.float64)
    assert b.get_range() == b.range == sycl.Range(3, 4)
    assert b.get_count() == b.size == 12
    assert b.get_size() == b.byte_size == b.nbytes == 96
    assert "contents undefined" in repr(b)
    b.close()
    c = sycl.Buffer(6, "f4")
    queue.submit(
        lambda h: h.parallel_for(6, PROGRAM.set, sycl.Accessor(c.reinterpret("i4"), h, "write", no_init=True), 5)
    )
    assert (np.asarray(c).view(np.int32) == 5).all()
    target, got = np.zeros(6, np.float32), []
    c.set_final_data(got.append)
    c.set_final_data(target)  # the last word counts
    add(queue, c.reinterpret(np.float32, 6), 0)
    c.close()
    assert (target.view(np.int32) == 5).all() and not got
    for nothing in (3, (3, 4), sycl.Range(5)):
        with pytest.raises(sycl.InvalidParameterError, match="needs a dtype"):
            sycl.Buffer(nothing)
    with pytest.raises(sycl.InvalidParameterError, match="-3 in \\(-3,\\) is negative"):
        sycl.Buffer(-3, np.float32)


@pytest.mark.spec("H305")
def test_element_types(queue):
    with pytest.raises(sycl.InvalidParameterError, match="holds Python objects"):
        sycl.Buffer(np.array([{}, None]))
    with pytest.raises(sycl.InvalidParameterError, match="byte order"):
        sycl.Buffer(np.zeros(3, ">f4"))
    with pytest.raises(sycl.InvalidParameterError, match="no format that the buffer protocol knows"):
        sycl.Buffer(np.zeros(3, "M8[s]"))
    pairs = np.array([(1.0, 2), (3.0, 4)], [("x", "f4"), ("n", "i4")])
    with sycl.Buffer(pairs) as b:
        queue.submit(lambda h: h.parallel_for(2, PROGRAM.swap, sycl.Accessor(b, h)))
    assert pairs.tolist() == [(2.0, 1), (4.0, 3)]


@pytest.mark.spec("H310", "H344")
def test_a_read_only_array_is_never_written(queue, busy):
    x = np.arange(8, dtype=np.float32)
    x.flags.writeable = False
    with sycl.Buffer(x) as b:
        add(queue, b)
        assert np.array_equal(np.asarray(b), np.arange(8) + 1)
    assert np.array_equal(x, np.arange(8))
    target = np.zeros(8, np.float32)
    with sycl.Buffer(x) as b:
        add(queue, b)
        b.set_final_data(target)
    assert np.array_equal(target, np.arange(8) + 1)


@pytest.mark.spec("H310")
def test_a_copy_is_never_written_back(queue):
    x = np.arange(8, dtype=np.float32)
    with sycl.Buffer(x, copy=True) as b:
        x[:] = 100
        add(queue, b)
        assert np.array_equal(np.asarray(b), np.arange(8) + 1)
    assert (x == 100).all()
    for data in ([1.0, 2.0], x[::2], np.broadcast_to(x, (2, 8))):
        with pytest.raises(sycl.InvalidParameterError, match="copy: "):
            sycl.Buffer(data, copy=False)
    with sycl.Buffer(x, np.float64, copy=True) as b:
        assert b.dtype == np.float64


@pytest.mark.spec("H312", "H348", "H341")
def test_iterables_are_copied(queue, busy):
    numbers = [1.0, 2.0, 3.0]
    for data in (numbers, iter(numbers), (n for n in numbers)):
        b = sycl.Buffer(data, np.float32)
        assert b.shape == (3,)
        numbers[:] = [7.0] * 3  # it was copied when the buffer was made
        add(queue, b)
        assert np.asarray(b).tolist() == [2, 3, 4]
        b.close()
        assert numbers == [7.0] * 3
        numbers[:] = [1.0, 2.0, 3.0]
    target = np.zeros(3, np.float32)
    with sycl.Buffer(numbers, np.float32) as b:
        b.set_final_data(target)
        add(queue, b)
    assert target.tolist() == [2, 3, 4] and numbers == [1.0, 2.0, 3.0]
    assert sycl.Buffer([[1, 2], [3, 4]], np.int32).shape == (2, 2)
    assert sycl.Buffer(range(4), np.int32).shape == (4,)
    with pytest.raises(sycl.InvalidParameterError, match="is text"):
        sycl.Buffer("abc")


@pytest.mark.spec("H313", "H334", "H335")
def test_properties(queue, device):
    x = np.zeros(4, np.float32)
    context = queue.context
    with sycl.Buffer(x, use_host_ptr=True, context_bound=context) as b:
        assert b.has_property("use_host_ptr")
        assert b.get_property("use_host_ptr") is True
        assert b.get_property("context_bound").get_context() is context
        assert not b.has_property("use_mutex")
        with pytest.raises(sycl.InvalidObjectError):
            b.get_property("use_mutex")
        assert b.sub_buffer(0, 2).has_property("use_host_ptr")
        add(queue, b)
        other = sycl.Queue(context=sycl.Context([device]))
        with pytest.raises(sycl.InvalidObjectError, match="bound to another context"):
            add(other, b)
    assert (x == 1).all()


@pytest.mark.spec("H331", "H332")
def test_use_host_ptr(queue):
    x = np.zeros(16, np.float32)
    with sycl.Buffer(x, use_host_ptr=True) as b:
        add(queue, b)
        with b.host_access("read_write") as a:
            assert a.ctypes.data == x.ctypes.data
            a += 1
        with b.sub_buffer(4, 4).host_access("read") as a:
            assert a.ctypes.data == x[4:].ctypes.data
    assert (x == 2).all()
    read_only = np.zeros(4, np.float32)
    read_only.flags.writeable = False
    for wrong in (x[::2], read_only, np.zeros((4, 4), np.float32, order="F"), [1.0, 2.0]):
        with pytest.raises(sycl.InvalidParameterError, match="use_host_ptr"):
            sycl.Buffer(wrong, use_host_ptr=True)


@pytest.mark.spec("H333", "H335", "H376")
def test_use_mutex(queue):
    import threading

    x, mutex = np.zeros(4, np.float32), threading.Lock()
    b = sycl.Buffer(x, use_mutex=mutex)
    assert b.get_property("use_mutex").get_mutex_ptr() is mutex
    add(queue, b)
    queue.wait()
    with mutex:  # free once the data is back
        assert (x == 1).all()
    with b.host_access("read_write") as a:
        assert mutex.locked()
        a += 1
    with mutex:
        assert (x == 2).all()
    b.close()
    with pytest.raises(sycl.InvalidParameterError, match="use_mutex"):
        sycl.Buffer(np.zeros(4, np.float32), use_mutex=threading.RLock())


@pytest.mark.spec("H307")
def test_two_buffers_over_one_array():
    x = np.zeros(100, np.float32)
    whole = sycl.Buffer(x)
    with pytest.warns(sycl.SyclWarning, match="two buffers use the same host memory"):
        sycl.Buffer(x[50:60])
    whole.close()
    del whole
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parts = sycl.Buffer(x[:50]), sycl.Buffer(x[50:])
        del parts
        gc.collect()
        interleaved = sycl.Buffer(x[::2]), sycl.Buffer(x[1::2])
        del interleaved
        readers = sycl.Buffer(x, read_only=True), sycl.Buffer(x, read_only=True)
        del readers
        again = sycl.Buffer(x)
        again.close()


@pytest.mark.spec("H320")
def test_the_allocator_is_told():
    def allocator(size):
        return np.empty(size, np.uint8)

    b = sycl.Buffer(4, np.float32, allocator=allocator)
    assert b.allocator is allocator
    assert b[:2].get_allocator() is allocator
    assert sycl.Buffer(4, np.float32).get_allocator() is None


@pytest.mark.spec("H321", "H322", "H323", "H324")
def test_get_access(queue):
    x = np.arange(10, dtype=np.float32)
    with sycl.Buffer(x) as b:
        with queue.submit() as h:
            a = b.get_access(h, "read_write", range=4, offset=2)
            assert isinstance(a, sycl.Accessor)
            assert a == sycl.Accessor(b, h, "read_write", range=4, offset=2)
            assert (a.range, a.offset, a.mode) == (sycl.Range(4), sycl.Id(2), sycl.AccessMode.read_write)
            constant = b.get_access(h, "read", target="constant_buffer")
            assert constant.target is sycl.Target.constant_buffer
            for target in ("local", "host_buffer", "unsampled_image"):
                with pytest.raises(sycl.InvalidParameterError, match="target"):
                    b.get_access(h, "read", target=target)
        with b.get_access("read") as a:
            assert a.tolist() == list(range(10))
        host = b.get_host_access("read", range=3, offset=1)
        assert isinstance(host, sycl.HostAccessor)
        assert host.data.tolist() == [1, 2, 3]
        host.close()


@pytest.mark.spec("H325", "H349")
def test_final_data(queue):
    def result(destination, write=True, source=None):
        b = sycl.Buffer(np.arange(4, dtype=np.float32), copy=True) if source is None else sycl.Buffer(source)
        b.set_final_data(destination)
        add(queue, b) if write else read(queue, b)
        b.close()

    target = np.zeros(4, np.float32)
    result(target)
    assert target.tolist() == [1, 2, 3, 4]
    target = np.zeros((2, 8), np.float64)[:, ::4]  # of another shape, type and layout
    result(target)
    assert target.ravel().tolist() == [1, 2, 3, 4]
    got = []
    result(got.append)
    assert len(got) == 1 and got[0].tolist() == [1, 2, 3, 4]
    got.clear()
    result(got.append, write=False)
    assert got == []
    result(weakref.ref(target))
    assert target.ravel().tolist() == [1, 2, 3, 4]
    dead = weakref.ref(np.zeros(4, np.float32))
    assert dead() is None
    result(dead)
    redirected = np.arange(4, dtype=np.float32)
    target = np.zeros(4, np.float32)
    result(target, source=redirected)
    assert target.tolist() == [1, 2, 3, 4]
    assert redirected.tolist() == [0, 1, 2, 3]


@pytest.mark.spec("H325")
def test_final_data_that_does_not_fit():
    b = sycl.Buffer(4, np.float32)
    read_only = np.zeros(4, np.float32)
    read_only.flags.writeable = False
    for wrong, words in (
        (np.zeros(5, np.float32), "destination: the array has 5 elements, but the buffer has 4"),
        (read_only, "destination: the array is read-only"),
        (np.zeros(4, np.int32), "destination: elements of float32 do not become elements of int32 without loss"),
        (np.zeros(4, np.float16), "destination: elements of float32 do not become elements of float16 without loss"),
        (5, "destination: expected an array, a weak reference to one, a callable or None, got 5"),
    ):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            b.set_final_data(wrong)
        assert str(caught.value) == words
    b.set_final_data(np.zeros(4, np.float64))  # wider is fine


@pytest.mark.spec("H326")
def test_write_back_can_be_cancelled(queue):
    x = np.arange(4, dtype=np.float32)
    got = []
    with sycl.Buffer(x) as b:
        b.set_write_back(False)
        b.set_write_back()
        add(queue, b)
    assert x.tolist() == [1, 2, 3, 4]
    with sycl.Buffer(x) as b:
        b.set_write_back(False)
        add(queue, b)
        assert np.asarray(b).tolist() == [2, 3, 4, 5]
    assert x.tolist() == [1, 2, 3, 4]
    with sycl.Buffer(x) as b:  # the last word counts
        read(queue, b).wait()
        b.set_write_back(False)
        add(queue, b)
        b.set_write_back(True)
    assert x.tolist() == [2, 3, 4, 5]
    with sycl.Buffer(4, np.float32) as b:  # nowhere to write to
        b.set_write_back(True)
        add(queue, b)
    with sycl.Buffer(x) as b:
        b.set_final_data(got.append)
        b.set_write_back(False)
        add(queue, b)
    assert not got


@pytest.mark.spec("H336")
def test_only_the_last_handle_ends_a_buffer(queue):
    x = np.zeros(4, np.float32)
    got = []
    b = sycl.Buffer(x, copy=True)
    b.set_final_data(got.append)
    handles = [copy.copy(b), b[:2], b.reinterpret(np.int32), b]
    add(queue, b)
    for handle in handles:
        assert not got
        handle.close()
        handle.close()  # again is harmless
    assert len(got) == 1
    for use in (lambda: b[:1], lambda: np.asarray(b), lambda: copy.copy(b), lambda: b.set_write_back(), b.__enter__):
        with pytest.raises(sycl.InvalidObjectError, match="the buffer is closed"):
            use()


@pytest.mark.spec("H338", "H342", "H343", "H344")
@pytest.mark.parametrize(
    ("frozen", "options"), [(False, {}), (False, {"read_only": True}), (True, {})], ids=["plain", "const", "pointer"]
)
def test_the_end_waits_for_all_work(queue, busy, frozen, options):
    cell = np.zeros(1, np.uint64)
    cell.flags.writeable = not frozen
    b = sycl.Buffer(cell, **options)
    hold = np.zeros(1, np.uint64)
    event = busy(queue, hold, 0.3)
    done = queue.submit(
        lambda h: (
            h.depends_on(event),
            h.single_task(PEEK.peek, np.zeros(1, np.uint64), sycl.Accessor(b, h, "read")),
        )
    )
    b.close()
    assert done.status is sycl.EventCommandStatus.complete


@pytest.mark.spec("H093", "H339", "H348", "H095", "H347", "H097")
@pytest.mark.parametrize("kind", ["shape", "iterable", "copy", "owned"])
def test_the_end_does_not_wait_without_host_memory(queue, busy, kind):
    data = np.zeros(4, np.float32)
    b = {
        "shape": lambda: sycl.Buffer(4, np.float32),
        "iterable": lambda: sycl.Buffer([1.0] * 4, np.float32),
        "copy": lambda: sycl.Buffer(data, copy=True),
        "owned": lambda: sycl.Buffer(data, take_ownership=True),
    }[kind]()
    event = busy(queue, np.zeros(1, np.uint64), 0.5)
    late = queue.submit(lambda h: (h.depends_on(event), h.parallel_for(4, PROGRAM.add, sycl.Accessor(b, h), 1.0)))
    b.close()
    still = late.status is not sycl.EventCommandStatus.complete
    gc.collect()
    late.wait_and_throw()  # the command keeps the memory that it uses
    assert still


@pytest.mark.spec("H340", "H343", "H389", "H390")
def test_const_elements(queue):
    x = np.arange(4, dtype=np.float32)
    with sycl.Buffer(x, read_only=True) as b:
        with queue.submit() as h:
            assert sycl.Accessor(b, h).mode is sycl.AccessMode.read
            assert sycl.Accessor(b, h, "read_write").mode is sycl.AccessMode.read
            with pytest.raises(sycl.InvalidParameterError, match="read_only=True"):
                sycl.Accessor(b, h, "write")
        with pytest.raises(sycl.InvalidParameterError, match="read_only=True"):
            b.host_access("write")
        with b.host_access() as a:
            assert not a.flags.writeable
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.spec("H337")
def test_errors_of_the_end_are_not_raised(run_fake):
    run_fake("""
        x = np.zeros(4, np.uint32)
        queue = sycl.Queue()
        b = sycl.Buffer(x)
        queue.submit(lambda h: h.single_task(program.fail, sycl.Accessor(b, h)))
        b.close()
        try:
            queue.wait_and_throw()
        except sycl.SyclError as error:
            pass
        else:
            raise AssertionError
        assert not x.any()
        """)


@pytest.mark.spec("H309", "H341")
@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(40, dtype=np.float32)[::2],
        lambda: np.arange(40, dtype=np.float32)[::-1],
        lambda: np.asfortranarray(np.arange(40, dtype=np.float32).reshape(5, 8)),
        lambda: np.frombuffer(bytearray(161), np.uint8)[1:].view(np.float32),
    ],
    ids=["strided", "backwards", "Fortran", "misaligned"],
)
def test_arrays_of_any_layout(queue, make):
    x = make()
    expected = x + 2
    b = sycl.Buffer(x)
    add(queue, b)
    add(queue, b)
    assert np.array_equal(np.asarray(b), expected)
    b.close()
    assert np.array_equal(x, expected)


def test_empty_buffers(queue):
    """The final text has them; the draft had not."""
    for b in (sycl.Buffer(0, np.float32), sycl.Buffer(np.zeros((3, 0), np.float32)), sycl.Buffer([], np.float32)):
        assert b.size == b.byte_size == 0
        queue.submit(lambda h, b=b: h.parallel_for(0, PROGRAM.add, sycl.Accessor(b, h), 1.0)).wait()
        queue.submit(lambda h, b=b: h.parallel_for(1, NOTHING.nothing, sycl.Accessor(b, h))).wait_and_throw()
        assert np.asarray(b).shape == b.shape
        with b.host_access() as a:
            assert a.shape == b.shape
        b.close()
