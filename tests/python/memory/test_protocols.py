"""How arrays of other libraries come in, and how host accessors go out: buffer protocol, array interface, DLPack."""

import array
import ctypes
import mmap

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")


def add(queue, buffer, amount=1.0):
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), amount))


class Interface:
    """Nothing but an array interface."""

    def __init__(self, data):
        self.data = data
        self.__array_interface__ = data.__array_interface__


class Capsule:
    """Nothing but DLPack."""

    def __init__(self, data, device=(1, 0)):
        self.data, self.device = data, device

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class Converts:
    """Nothing but __array__."""

    def __init__(self, data, copies):
        self.data, self.copies = data, copies

    def __array__(self, dtype=None, copy=None):
        if self.copies and copy is False:
            raise ValueError("only copies")
        return self.data.copy() if self.copies else self.data


def makers():
    x = np.zeros(4, np.float32)
    yield "ndarray", x, x
    a = array.array("f", [0] * 4)
    yield "array.array", a, np.frombuffer(a, np.float32)
    c = (ctypes.c_float * 4)()
    yield "ctypes", c, np.frombuffer(c, np.float32)
    m = memoryview(bytearray(16)).cast("f")
    yield "memoryview", m, np.frombuffer(m, np.float32)
    x = np.zeros(4, np.float32)
    yield "interface", Interface(x), x
    x = np.zeros(4, np.float32)
    yield "DLPack", Capsule(x), x
    x = np.zeros(4, np.float32)
    yield "__array__", Converts(x, copies=False), x


@pytest.mark.parametrize(("data", "seen"), [pytest.param(data, seen, id=name) for name, data, seen in makers()])
def test_memory_of_others_is_wrapped(queue, data, seen):
    with sycl.Buffer(data) as b:
        assert (b.shape, b.dtype) == ((4,), np.float32)
        add(queue, b)
    assert (seen == 1).all()


@pytest.mark.parametrize("wrap", [Interface, Capsule])
def test_kernels_take_what_has_no_buffer_protocol(queue, wrap):
    """An argument is memory by whatever protocol, and lives as long as the command does."""
    x = np.zeros(4, np.float32)
    queue.parallel_for(4, PROGRAM.add, wrap(x), 2.0).wait_and_throw()
    assert x.tolist() == [2] * 4


def test_kernels_say_why_memory_cannot_be_used(queue):
    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    for given, words in (
        (
            Capsule(x, (2, 0)),
            "is a Capsule whose memory cannot be shared: its memory is on DLPack device (2, 0), not on",
        ),
        (Converts(x, copies=False), "is a Converts, not an array"),
        (Interface(x), "is a read-only array, and the kernel may write through '__global float *x'"),
        (Interface, "is a type, not an array"),
        (Interface(np.zeros(4, np.float64)), "is an array of float64, not of float"),
    ):
        with pytest.raises(sycl.KernelArgumentError) as caught:
            queue.parallel_for(4, PROGRAM.add, given, 2.0)
        assert str(caught.value).startswith(f"add(): argument 1, 'x', {words}"), caught.value

    class Stopped:
        def __dlpack__(self, **options):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queue.parallel_for(4, PROGRAM.add, Stopped(), 2.0)


def test_memory_that_cannot_be_written(queue):
    for data in (bytes(16), memoryview(bytes(16)).cast("f"), np.zeros(4, np.float32)[::1].view()):
        with sycl.Buffer(data) as b:
            add(queue, b.reinterpret(np.float32))
    x = np.zeros(4, np.float32)
    with sycl.Buffer(Converts(x, copies=True)) as b:  # what it gave is nobody else's
        add(queue, b)
        assert np.asarray(b).tolist() == [1] * 4
    assert not x.any()
    with pytest.raises(sycl.InvalidParameterError, match="copy: "):
        sycl.Buffer(Converts(x, copies=True), copy=False)


def test_memory_elsewhere_is_refused():
    with pytest.raises(sycl.InvalidParameterError, match=r"DLPack device \(2, 0\), not on the host"):
        sycl.Buffer(Capsule(np.zeros(4, np.float32), device=(2, 0)), copy=False)


def test_files(queue, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(64))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 64) as mapped:
        b = sycl.Buffer(mapped)
        add(queue, b.reinterpret(np.float32))
        b.close()
        del b
        assert np.frombuffer(mapped[:], np.float32).tolist() == [1] * 16
    numbers = np.memmap(path, np.float32, "r+")
    with sycl.Buffer(numbers) as b:
        add(queue, b)
    numbers.flush()
    assert np.fromfile(path, np.float32).tolist() == [2] * 16


def test_a_host_accessor_goes_out_by_every_protocol():
    b = sycl.Buffer(np.arange(12, dtype=np.float32).reshape(3, 4))
    host = b.host_access("read_write", range=(2, 2), offset=(1, 1))
    view = memoryview(host)
    assert (view.format, view.shape, view.strides, view.readonly) == ("f", (2, 2), (16, 4), False)
    with pytest.raises(BufferError, match="no contiguous piece"):
        np.frombuffer(host, np.float32)
    outs = [np.asarray(host), np.asarray(view), np.from_dlpack(host), np.asarray(Interface(host.data)), host.data]
    for each in outs:
        assert each.tolist() == [[5, 6], [9, 10]]
        assert each.ctypes.data == host.data.ctypes.data
    outs[0][0, 0] = 100
    assert outs[2][0, 0] == 100
    assert host.__dlpack_device__() == (1, 0)
    assert host.__array_interface__["shape"] == (2, 2)
    assert np.array(host, np.int32).dtype == np.int32
    view.release()
    host.close()
    for use in (lambda: np.asarray(host), lambda: host.__dlpack__(), lambda: host.__array_interface__):
        with pytest.raises(sycl.InvalidObjectError, match="closed"):
            use()
    with pytest.raises(BufferError, match="closed"):
        memoryview(host)


def test_what_goes_out_of_a_reader_cannot_be_written():
    b = sycl.Buffer(np.arange(4, dtype=np.float32))
    with b.host_access("read") as a:
        assert not a.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            a.flags.writeable = True
    host = b.host_access("read")
    assert memoryview(host).readonly
    assert not np.asarray(host).flags.writeable
    host.close()


def test_views_keep_the_memory():
    b = sycl.Buffer(4, np.float32)
    with b.host_access("write") as a:
        a[:] = [1, 2, 3, 4]
        part = a[1:3]
    b.close()
    del b, a
    assert part.tolist() == [2, 3]


def test_structures_go_through():
    dtype = np.dtype([("x", "f4"), ("n", "i4", (2,))], align=True)
    b = sycl.Buffer(np.zeros(3, dtype))
    with b.host_access() as a:
        assert a.dtype == dtype
        a["n"][1] = (3, 4)
    assert np.asarray(b)["n"].tolist() == [[0, 0], [3, 4], [0, 0]]
