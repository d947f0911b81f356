"""Copies and fills: layouts, element types, what is refused and in which words, and devices with memory of their own."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysycl as sycl

# -- layouts --


@st.composite
def boxes(draw, most=6):
    """A shape of 1 to 3 dimensions, and a range within it."""
    shape = draw(st.lists(st.integers(1, most), min_size=1, max_size=3))
    span = [draw(st.integers(1, n)) for n in shape]
    return tuple(shape), tuple(span), tuple(draw(st.integers(0, n - s)) for n, s in zip(shape, span, strict=True))


def part(array, span, offset):
    return array[tuple(slice(o, o + s) for s, o in zip(span, offset, strict=True))]


@st.composite
def layouts(draw, count, dtype):
    """An array of `count` elements, of any layout, in an array that shows what lies between them."""
    shape = [count]
    if count % 2 == 0 and draw(st.booleans()):
        shape = [2, count // 2] if draw(st.booleans()) else [count // 2, 2]
    steps = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in shape]
    base = np.zeros([n * abs(s) for n, s in zip(shape, steps, strict=True)], dtype, draw(st.sampled_from("CF")))
    view = base[tuple(slice(None, None, s) for s in steps)]
    return base, view.T if draw(st.booleans()) else view


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_every_layout_arrives(data):
    queue = sycl.Queue()
    shape, span, offset = data.draw(boxes())
    dtype = data.draw(st.sampled_from(["u1", "i2", "f4", "f8", "c16"]))
    held = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    buffer, count = sycl.Buffer(held.copy()), int(np.prod(span))
    base, out = data.draw(layouts(count, dtype))
    queue.submit(lambda h: h.copy(h.read(buffer, range=span, offset=offset), out)).wait()
    assert out.ravel().tolist() == part(held, span, offset).ravel().tolist()
    assert np.count_nonzero(base) == np.count_nonzero(out)
    base, source = data.draw(layouts(count, dtype))
    source[...] = np.arange(count).reshape(source.shape) + 50
    queue.submit(lambda h: h.copy(source, h.write(buffer, range=span, offset=offset)))
    part(held, span, offset)[...] = source.reshape(span)
    with buffer.host_access("read") as a:
        assert np.array_equal(np.asarray(a), held)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_boxes_within_one_buffer(data):
    """As if all were read first, however the two lie to each other."""
    queue = sycl.Queue()
    shape, span, offset = data.draw(boxes(5))
    to = tuple(data.draw(st.integers(0, n - s)) for n, s in zip(shape, span, strict=True))
    held = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    buffer = sycl.Buffer(held.copy())
    with queue.submit() as h:
        h.copy(h.read(buffer, range=span, offset=offset), h.write(buffer, range=span, offset=to))
    part(held, span, to)[...] = part(held, span, offset).copy()
    with buffer.host_access("read") as a:
        assert np.array_equal(np.asarray(a), held)


def test_arrays_to_arrays(queue):
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    out = np.zeros((4, 6), np.float32)
    queue.copy(x, out)
    assert np.array_equal(out, x)
    queue.copy(x.T[::-1], out)  # as many elements, in index order
    assert out.ravel().tolist() == x.T[::-1].ravel().tolist()
    queue.copy(x[:, :3], x[:, 3:]).wait()
    assert x[1].tolist() == [6, 7, 8, 6, 7, 8]
    flat = np.arange(10, dtype=np.int16)
    queue.memcpy(flat[2:], flat, 12)  # overlapping: read first
    assert flat.tolist() == [0, 1, 0, 1, 2, 3, 4, 5, 8, 9]


def test_overlapping_memory_is_read_first(queue):
    """Views of one array, and of unified shared memory, of which one end may be an array over it."""
    for read, written in (
        (slice(0, 40, 2), slice(10, 30)),
        (slice(10, 30), slice(0, 40, 2)),
        (slice(0, 20), slice(5, 25)),
        (slice(5, 25), slice(0, 20)),
        (slice(0, 40, 2), slice(40, 0, -2)),
    ):
        x = np.arange(64, dtype=np.int32)
        expected = x.copy()
        expected[written] = x[read]
        queue.copy(x[read], x[written])
        assert x.tolist() == expected.tolist(), (read, written)
    if not queue.device.has("usm_shared_allocations"):
        return
    for count, apart in itertools.product((16, 1 << 16), (4, -4)):
        u = sycl.malloc_shared(count + 8, np.int32, queue)
        read, written = slice(4, 4 + count), slice(4 + apart, 4 + apart + count)
        expected = np.arange(count + 8, dtype=np.int32)
        expected[written] = np.arange(count + 8, dtype=np.int32)[read]
        for src, dest in ((u, u), (u.view(), u), (u, u.view()), (u.view(), u.view())):
            u[:] = np.arange(count + 8)
            queue.copy(src[read], dest[written]).wait()
            assert np.array_equal(u.view(), expected), (count, apart, type(src), type(dest))


def test_copies_of_one_array_keep_their_order(queue):
    """Host arrays order commands by their memory, as with kernels."""
    b, x, out = sycl.Buffer(1000, np.int32), np.zeros(1000, np.int32), np.zeros(1000, np.int32)
    for i in range(20):
        queue.fill(b, i)
        queue.copy(b, x)
        queue.copy(x[::-1], out)
    queue.wait_and_throw()
    assert (x == 19).all() and (out == 19).all()


def test_objects_with_memory(queue):
    """Whatever shares its memory is an array."""
    b, out = sycl.Buffer(4, np.uint8), bytearray(4)
    queue.copy(b"abcd", b)
    queue.copy(b, out).wait()
    assert out == b"abcd"

    class Exporter:
        def __init__(self):
            self.array = np.zeros(4, np.uint8)
            self.__array_interface__ = self.array.__array_interface__

    exporter = Exporter()
    queue.copy(b, exporter).wait()
    assert exporter.array.tobytes() == b"abcd"


def test_hidden_copies_are_counted(queue):
    b = sycl.Buffer(np.zeros((6, 6), np.float32))
    before = sycl.statistics()["staged_arrays"]
    queue.copy(np.ones((6, 6), np.float32), b)
    assert sycl.statistics()["staged_arrays"] == before
    queue.copy(np.ones((6, 6), np.float32)[::-1], b).wait()
    assert sycl.statistics()["staged_arrays"] == before + 1


# -- shortcuts of the queue --


def test_shortcuts_take_buffers_and_placeholders(queue):
    b, c = sycl.Buffer(np.arange(6, dtype=np.int32)), sycl.Buffer(6, np.int32)
    queue.copy(b, c)
    queue.copy(sycl.Accessor(b, mode="read", range=2, offset=4), sycl.Accessor(c, mode="write", range=2))
    queue.fill(sycl.Accessor(c, mode="write", range=1, offset=5), 9)
    queue.update_host(c).wait()
    with c.host_access("read") as a:
        assert np.asarray(a).tolist() == [4, 5, 2, 3, 4, 9]


def test_depends_on(queue, busy):
    cell, out = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    first = busy(queue, cell)
    second = queue.memcpy(out, bytes(8), depends_on=[first])
    assert first in second.wait_list or first.status is sycl.EventCommandStatus.complete
    second.wait()
    assert first.status is sycl.EventCommandStatus.complete


def test_nothing_to_copy(queue):
    empty = sycl.Buffer(0, np.int32)
    queue.copy(empty, np.zeros(0, np.int32))
    queue.copy(np.zeros((0, 3), np.int32), empty)
    queue.fill(empty, 1).wait()
    queue.update_host(empty).wait()


# -- parts of buffers --


def test_parts_that_begin_anywhere(queue):
    """A driver's alignment of sub-buffers does not show, and neither does a fill's alignment to its pattern."""
    bytes_ = sycl.Buffer(np.zeros(64, np.uint8))
    odd = bytes_.sub_buffer(3, 12).reinterpret(np.int32, 3)
    queue.fill(odd, 0x01020304)
    queue.copy(np.array([5, 6], np.int32), sycl.Accessor(odd, mode="write", range=2, offset=1))
    wanted = np.zeros(64, np.uint8)
    wanted[3:15] = np.array([0x01020304, 5, 6], np.int32).view(np.uint8)
    with bytes_.host_access("read") as a:
        assert np.array_equal(np.asarray(a), wanted)


@pytest.mark.parametrize("shape", [(40, 50), (3, 40, 50), (100000,), (7, 1)])
@pytest.mark.parametrize("item", [1, 3, 4, 12, 24, 160])
def test_fills_of_every_size(queue, shape, item):
    dtype = np.dtype([("bytes", "u1", (item,))]) if item > 1 else np.dtype("u1")
    pattern = np.frombuffer(bytes(range(1, item + 1)), dtype)[0]
    held = np.zeros(shape, dtype)
    b = sycl.Buffer(held.copy())
    span, offset = tuple(max(1, n - 3) for n in shape), tuple(min(2, n - max(1, n - 3)) for n in shape)
    queue.submit(lambda h: h.fill(h.write(b, range=span, offset=offset), pattern))
    part(held, span, offset)[...] = pattern
    with b.host_access("read") as a:
        assert np.array_equal(np.asarray(a), held)


# -- what is refused --

X = np.dtype([("n", "i4"), ("x", "f4")])


@pytest.mark.parametrize(
    ("dtype", "pattern", "words"),
    [
        ("f4", 1e300, "1e\\+300 is out of range for elements of float32"),
        ("i4", 2**31, "2147483648 is out of range for elements of int32"),
        ("i4", 1.5, "1.5 is not an integer for elements of int32"),
        ("u1", -1, "-1 is out of range for elements of uint8"),
        ("f4", "7", "'7' is not a number for elements of float32"),
        ("f4", (1, 2), "\\(1, 2\\) is not a number for elements of float32"),
        ("?", 2, "the pattern 2 would become True as bool"),
        (X, (1.5, 2), "would become \\(1, 2.0\\)"),
        (X, (1, 1e300), "overflow"),
        (X, (1, 2, 3), "is no \\["),
        (X, 2**40, "is no \\["),
        (X, np.float32(2), "of float32 is no \\["),
        ("c16", "a", "is no complex128"),
    ],
)
def test_patterns_that_do_not_fit(queue, dtype, pattern, words):
    with pytest.raises(sycl.InvalidParameterError, match=words):
        queue.fill(sycl.Buffer(4, np.dtype(dtype)), pattern)


def test_element_types_must_agree(queue):
    b = sycl.Buffer(4, np.float32)
    words = "copy: src is an array of float64, dest is a buffer of float32: nothing is converted"
    with pytest.raises(sycl.InvalidParameterError, match=words):
        queue.copy(np.zeros(4), b)
    with pytest.raises(sycl.InvalidParameterError, match="copy: src is a buffer of float32, dest is an array of >f:"):
        queue.copy(b, np.zeros(4, ">f4"))
    queue.copy(np.zeros(16, np.uint8), b)  # raw bytes are of any type
    queue.copy(b, np.zeros(16, np.int8))
    s = sycl.Buffer(2, X)
    queue.copy(np.zeros(2, X), s)
    with pytest.raises(sycl.InvalidParameterError, match="T\\{.*T\\{"):
        queue.copy(np.zeros(2, [("a", "f4"), ("b", "i4")]), s)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", ">i4", "?", "c8", "f8", [("a", "i2"), ("b", "f4")], "f4, i1"])
def test_arrays_are_filled_as_numpy_fills_them(queue, dtype):
    """Of any layout; only their own elements."""
    dtype = np.dtype(dtype)
    value = np.array((3, 1) if dtype.names else 1, dtype)
    for part in (np.s_[:], np.s_[::2, ::-3], np.s_[2:5, 1:4], np.s_[3, 7:8], np.s_[:, :0]):
        ours, theirs = np.zeros((6, 10), dtype), np.zeros((6, 10), dtype)
        queue.fill(ours[part], value[()])
        theirs[part] = value
        assert np.array_equal(ours, theirs), part
    ours = np.zeros(5, dtype)
    queue.fill(ours, value[()], 3)
    assert list(ours == value) == [True] * 3 + [False] * 2


def test_bytes_of_arrays_are_set(queue):
    x = np.zeros(4, np.int32)
    queue.memset(x, 0x1FF, 7)
    assert x.tobytes() == b"\xff" * 7 + bytes(9)
    y = np.zeros((4, 4), np.float64)
    queue.memset(y[::2, ::2], 1)
    assert (y.view(np.uint8) == 1).sum() == 4 * 8 and y[0, 0] == y[2, 2] != 0 == y[1, 0]


def test_operands_of_other_kinds(queue):
    b = sycl.Buffer(4, np.float32)
    for call, words in (
        (lambda: queue.copy(1.5, b), "copy: src is of type float; expected an accessor, Buffer, UsmArray or array"),
        (lambda: queue.copy(12345678, b), "not by address"),
        (lambda: queue.copy([1, 2, 3, 4], b), "copy: src: the memory of a list"),
        (lambda: queue.copy(b, "text"), "copy: dest: the memory of a str"),
        (lambda: queue.copy(b, bytes(16)), "copy: dest: the memory of a bytes cannot be written"),
        (lambda: queue.memcpy(b, bytes(16)), "memcpy: dest is of type Buffer; expected a UsmArray or an array"),
        (lambda: queue.fill([1.0], 1.0), "fill: dest: the memory of a list"),
        (lambda: queue.fill(np.zeros(4, "i4"), 1.5), "fill: the pattern 1.5 is not an integer for elements of int32"),
        (lambda: queue.fill(np.zeros(4), 1, 5), "fill: dest is an array of 32 bytes, and 40 are to be filled"),
        (
            lambda: queue.fill(np.zeros(4)[::2], 1, 1),
            "fill: dest is an array of 16 bytes that does not lie in one piece",
        ),
        (lambda: queue.fill(np.broadcast_to(np.zeros(1), 4), 1), "fill: dest: the memory of a numpy.ndarray cannot be"),
        (lambda: queue.memset(b, 1), "memset: ptr is of type Buffer; expected a UsmArray or an array"),
        (lambda: queue.prefetch(b), "prefetch: ptr is of type Buffer; expected a UsmArray"),
        (
            lambda: queue.update_host(np.zeros(4)),
            "update_host: acc is of type numpy.ndarray; expected an accessor or Buffer",
        ),
        (lambda: queue.copy(b, np.zeros(4, np.float32), 2), "count is of no use with an accessor or a buffer"),
        (lambda: queue.copy(np.zeros(4), np.zeros(4), -1), "count: -1 is out of range for a number of elements"),
        (lambda: queue.copy(np.zeros(4), np.zeros(4), 2**63), "are to be copied"),
        (lambda: queue.copy(b, np.broadcast_to(np.float32(0), 4).view()), "cannot be written"),
        (lambda: queue.copy(b, np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (4,), (0,))), "share memory"),
        (lambda: queue.copy(np.zeros((4, 6), np.float32)[:, ::2], b), "does not lie in one piece"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()


def test_arguments_that_are_missing_or_unknown(queue):
    x = np.zeros(4)
    for call, words in (
        (lambda: queue.copy(x), "copy\\(\\) missing the argument 'dest'"),
        (lambda: queue.copy(x, x, 1, 2), "copy\\(\\) takes at most 3 positional arguments, 4 were given"),
        (lambda: queue.copy(x, dest=x, size=2), "copy\\(\\) got an unexpected keyword argument 'size'"),
        (lambda: queue.copy(x, src=x), "copy\\(\\) got multiple values for argument 'src'"),
        (lambda: queue.submit(lambda h: h.copy(x, x, depends_on=[])), "unexpected keyword argument 'depends_on'"),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    queue.copy(dest=x, src=np.ones(4), count=None)
    assert x.tolist() == [1] * 4


def test_accessors_of_other_groups(queue):
    b = sycl.Buffer(4, np.float32)
    with queue.submit() as h:
        old = h.read(b)
        host = sycl.Accessor(b, h, "read", target="host_task")
        with pytest.raises(sycl.AccessorError, match="copy: src is an accessor for host tasks"):
            h.copy(host, np.zeros(4, np.float32))
    placeholder = sycl.Accessor(b, mode="read")
    with queue.submit() as h:
        with pytest.raises(sycl.AccessorError, match="copy: src is an accessor whose command group has ended"):
            h.copy(old, np.zeros(4, np.float32))
        with pytest.raises(
            sycl.AccessorError, match="copy: src is a placeholder that the command group has not required"
        ):
            h.copy(placeholder, np.zeros(4, np.float32))
        h.require(placeholder)
        h.copy(placeholder, np.zeros(4, np.float32))


def test_buffers_and_memory_of_no_use(queue):
    b = sycl.Buffer(4, np.float32)
    b.close()
    with pytest.raises(sycl.InvalidObjectError, match="copy: src is a buffer that has been closed"):
        queue.copy(b, np.zeros(4, np.float32))
    if queue.device.has("usm_device_allocations"):
        u = sycl.malloc_device((4, 4), np.float32, queue)
        with pytest.raises(sycl.InvalidParameterError, match="memcpy: src is a UsmArray with gaps"):
            queue.memcpy(np.zeros(16, np.float32), u[:, :2])
        other = sycl.Queue(queue.device, context=sycl.Context(queue.device))
        with pytest.raises(sycl.InvalidParameterError, match="memcpy: src is a UsmArray of another context"):
            other.memcpy(np.zeros(16, np.float32), u)
        u.free()
        with pytest.raises(sycl.InvalidParameterError, match="memset: ptr is a UsmArray whose memory has been freed"):
            queue.memset(u, 0)


def test_nothing_leaks(queue, no_leaks):
    b = sycl.Buffer((16, 16), np.float32)
    for _ in range(20):
        queue.copy(np.ones((16, 32), np.float32)[:, ::2], b)
        queue.submit(lambda h: h.copy(h.read(b, range=(8, 8)), h.write(b, range=(8, 8), offset=(4, 4))))
        queue.fill(b, 2)
        with pytest.raises(sycl.InvalidParameterError):
            queue.fill(b, 1e99)
    queue.wait_and_throw()
    b.close()


# -- devices with memory of their own --


LARGE = """
    import numpy as np
    import pysycl as sycl
    program = sycl.Program("__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }")
    q = sycl.Queue()
    n = 3_000_001  # beyond what goes through pinned memory on drivers that want it
    x, out = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    b = sycl.Buffer(x)
    q.parallel_for(n, program.add, b, 1)
    q.copy(b, out).wait()
    assert np.array_equal(out, np.arange(n) + 1)
    q.copy(out[::-1], b)
    q.parallel_for(n, program.add, b, -1)
    odd = np.zeros(2 * n, np.int32)[::2]
    q.copy(b, odd).wait()
    assert np.array_equal(odd, np.arange(n)[::-1])
    q.submit(lambda h: h.copy(h.read(b, range=n - 5, offset=3), h.write(b, range=n - 5, offset=5)))
    b.close()
    wanted = np.arange(n)[::-1].copy()
    wanted[5:] = wanted[3:-2].copy()
    assert np.array_equal(x, wanted)
    moved = sycl.statistics()
    assert moved["to_device_bytes"] >= 2 * x.nbytes and moved["from_device_bytes"] >= 2 * x.nbytes, moved
    q.wait_and_throw()
"""


@pytest.mark.parametrize("kind", ["unknown", "gpu"])
def test_large_transfers(run_python, copying, kind):
    run_python(LARGE, copying(kind), timeout=120)


SHARED = """
    import numpy as np
    import pysycl as sycl
    q = sycl.Queue()
    if q.device.has("usm_device_allocations"):
        n = 1000
        b, u = sycl.Buffer(np.arange(n, dtype=np.int32)), sycl.malloc_device(n, np.int32, q)
        q.copy(b, u).wait()  # there is no OpenCL call between the two
        q.fill(u[10:20], 7).wait()
        q.copy(u, b).wait()
        back = np.zeros(n, np.int32)
        q.copy(b, back).wait()
        wanted = np.arange(n)
        wanted[10:20] = 7
        assert np.array_equal(back, wanted), back
        q.submit(lambda h: h.copy(h.read(b, range=5), u)).wait()
        q.memcpy(back, u).wait()
        assert back[:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 7], back[:12]
    q.wait_and_throw()
"""


@pytest.mark.parametrize("svm", ["coarse", None])
def test_buffers_and_shared_memory_on_devices_of_their_own(run_python, copying, svm):
    run_python(SHARED, copying("gpu") | {"COPYING_SVM": svm})
