"""What counts as an array everywhere: DLPack, subclasses of NumPy's arrays; and what a Buffer or UsmArray is to NumPy."""

import copy
import operator

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")


class Capsules:
    """Memory that is told of by DLPack only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Own(np.ndarray):
    pass


class Elsewhere(Capsules):
    def __dlpack_device__(self):
        return (2, 0)


class Old(Capsules):
    """Of the first DLPack, which does not say whether it may be written."""

    def __dlpack__(self, **options):
        return self.array.__dlpack__()


def test_results_are_put_where_a_protocol_leads(queue):
    x, out = np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros(3, np.float32)
    for given in (x, sycl.Buffer(x, copy=True)):
        for call, named, plain in (
            (sycl.sum, {}, x.sum(1)),
            (sycl.mean, {}, x.mean(1)),
            (sycl.max, {"map": "x - 3"}, x.max(1) - 3),
            (sycl.reduce, {"op": "a * b"}, x.prod(1)),
        ):
            out[:] = -1
            made = call(given, axis=1, out=Capsules(out), **named)
            assert isinstance(made, np.ndarray) and np.shares_memory(made, out), call
            assert np.allclose(out, plain)
    sycl.make_reduce(sycl.plus, "f4", axis=0)(x, out=memoryview(four := np.zeros(4, np.float64)))
    assert four.tolist() == x.sum(0).tolist()
    for wrong, words in (
        (Capsules(out[:2]), r"out: expected the shape \(3,\), got \(2,\)"),
        (Old(out), "out: the array is read-only"),
        (Capsules(np.zeros(3, np.int32)), "out: Cannot cast"),
        (Elsewhere(out), r"out: the memory of Elsewhere cannot be used: its memory is on DLPack device \(2, 0\)"),
        ("text", "out: expected a NumPy array, a Buffer or a UsmArray, got 'text'"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.sum(x, axis=1, out=wrong)


@pytest.mark.spec("H058")
def test_dlpack_objects_go_where_arrays_go(queue):
    a, b = np.arange(4, dtype=np.float32), sycl.Buffer(np.zeros(4, np.float32))
    there = Capsules(a)
    queue.parallel_for(4, "x[i] += 1;", x=there).wait()
    queue.parallel_for(4, PROGRAM.add, there, 10).wait()
    assert a.tolist() == [11, 12, 13, 14]
    queue.copy(there, b)
    out = np.zeros(4, np.float32)
    queue.copy(b, Capsules(out)).wait()
    assert out.tolist() == a.tolist()
    assert (sycl.sum(there), sycl.dot(there, there), sycl.max(there, axis=0)) == (50, 630, 14)
    assert sycl.sum(a, where=Capsules(a > 12)) == 27
    for call in (sycl.minimum, sycl.maximum, sycl.math.fmin, sycl.plus, sycl.logical_and):
        given = there if call is not sycl.plus else a
        assert np.array_equal(call(given, 12.5), call(a, 12.5)), call
    with sycl.Buffer(there) as c:
        queue.parallel_for(4, "x[i] = -x[i];", x=c)
        c.set_final_data(Capsules(out))
    assert out.tolist() == [-11, -12, -13, -14]


def test_a_buffer_is_copied_for_dlpack(queue):
    b = sycl.Buffer(np.arange(6, dtype=np.float32).reshape(2, 3))
    queue.parallel_for(6, "x[i] *= 2;", x=b)
    array = np.from_dlpack(b)
    assert (b.__dlpack_device__(), array.tolist()) == ((1, 0), [[0, 2, 4], [6, 8, 10]])
    array[...] = 7
    assert np.asarray(b).max() == 10
    with pytest.raises(BufferError, match="always a copy"):
        np.from_dlpack(b, copy=False)
    with pytest.raises(sycl.InvalidParameterError, match="destination"):
        sycl.Buffer(6, np.float32).set_final_data(b)  # what went to the copy would be lost


def test_functions_keep_subclasses_as_numpy_does():
    own = np.arange(1, 5, dtype=np.float32).view(Own)
    for call in (
        lambda x: sycl.minimum(x, 2),
        lambda x: sycl.minimum(2, x),
        lambda x: sycl.logical_or(x, 0),
        lambda x: sycl.plus(x, 1),
        sycl.math.sqrt,
    ):
        result = call(own)
        assert type(result) is Own
        assert np.array_equal(np.asarray(result), call(np.asarray(own)))
    whole, part = sycl.math.modf(own)
    assert type(whole) is type(part) is Own
    assert type(sycl.math.clz(np.arange(3).view(Own))) is Own
    for call in (lambda x: sycl.maximum(x, 2), sycl.math.sqrt):
        with pytest.raises(sycl.InvalidParameterError, match="a masked array, whose mask would be lost"):
            call(np.ma.masked_array([1.0, 2.0], mask=[True, False]))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_reductions_keep_subclasses_as_numpy_does(thorough):
    own = np.arange(1, 13, dtype=np.float64).reshape(3, 4).view(Own)
    names = "sum prod min max any all mean var std argmin argmax count_nonzero"
    for name in names.split():
        whole = thorough or name in ("sum", "argmax")  # the others come the same way as one of these
        for array in (own, own[::2, ::-1], own.astype(">i2")) if whole else (own,):
            for axis in (None, 0, 1) if whole else (0,):
                ours, theirs = getattr(sycl, name)(array, axis=axis), getattr(np, name)(array, axis=axis)
                assert type(ours) is type(theirs), (name, axis)
                assert np.allclose(ours, theirs) and np.shape(ours) == np.shape(theirs), (name, axis)
    assert type(sycl.max(own, keepdims=True)) is type(sycl.reduce(own, "a + b", axis=0)) is Own
    out = np.empty(4)
    assert sycl.sum(own, axis=0, out=out) is out
    matrix = np.matrix([[1, 2], [3, 4]])  # always of two dimensions: results are plain arrays
    assert [sycl.sum(matrix, axis=axis).tolist() for axis in (None, 0, 1)] == [10, [4, 6], [3, 7]]


# -- comparison --


def memories(queue):
    values = np.array([1, 3, 5, 3], np.float32)
    yield sycl.Buffer(values.copy())
    for kind, make in (
        ("device", sycl.malloc_device), ("shared", sycl.malloc_shared), ("host", sycl.malloc_host)):  # fmt: skip
        if queue.device.has(f"usm_{kind}_allocations"):
            memory = make(4, np.float32, queue)
            queue.memcpy(memory, values)
            yield memory


@pytest.mark.spec("H131")
def test_elements_are_compared_with_numbers_and_arrays(queue):
    for memory in memories(queue):
        for other in (3, 3.0, np.float32(3), [1, 2, 5, 4], (3, 3, 3, 3), np.full((2, 1), 3), True):
            expected = np.asarray(memory) == other
            for result in (memory == other, ~(memory != other)):
                assert type(result) is np.ndarray and result.dtype == bool
                assert np.array_equal(result, expected)
        assert np.array_equal(np.float32(3) == memory, memory == 3)
        with pytest.raises(ValueError, match="broadcast"):
            operator.eq(memory, [1, 2, 3])
        with pytest.raises(ValueError, match="ambiguous"):
            bool(memory == 3)


@pytest.mark.spec("H131")
def test_containers_keep_them(queue):
    """Among themselves they are equal if they are one; with all else they are not."""
    first, second = list(memories(queue)), list(memories(queue))
    everything = [None, "text", object(), *first]
    for memory, other in zip(first, second, strict=True):
        assert operator.eq(memory, memory) is True and operator.ne(memory, memory) is False
        assert operator.eq(memory, other) is False and operator.ne(memory, other) is True
        assert memory in everything and other not in everything
        assert everything.index(memory) == 3 + first.index(memory)
        assert {memory: 1}[memory] == 1 and other not in {memory: 1}
        assert len({memory, other, memory}) == 2
        assert operator.ne(memory, None) is True and operator.ne(memory, "text") is True
    assert copy.copy(first[0]) == first[0]  # SYCL: a copy is the same buffer
    assert hash(copy.copy(first[0])) == hash(first[0])


# -- device memory on the host --


def test_an_array_of_device_memory_is_a_copy(queue, busy):
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("no device USM")
    u = sycl.malloc_device((6, 5), np.float32, queue)
    values = np.arange(30, dtype=np.float32).reshape(6, 5)
    queue.memcpy(u, values)
    array = np.asarray(u)
    assert np.array_equal(array, values) and array.flags.writeable
    array[...] = 0
    assert np.array_equal(np.asarray(u), values)
    assert np.array_equal(np.asarray(u[4:1:-1, ::2]), values[4:1:-1, ::2])
    assert np.array_equal(
        np.asarray(u.T if hasattr(u, "T") else u[:, 1]), values.T if hasattr(u, "T") else values[:, 1]
    )
    assert np.asarray(u[:0]).shape == (0, 5)
    assert np.asarray(u, np.float64).dtype == np.float64
    assert np.array_equal(np.array(u, copy=True), values)
    assert np.array_equal(np.add(u, 1), values + 1)
    with pytest.raises(ValueError, match="always a copy"):
        np.asarray(u, copy=False)
    cell = np.zeros(1, np.uint64)
    queue.parallel_for(30, "x[i] = 9;", x=u, depends_on=busy(queue, cell))
    assert np.asarray(u).tolist() == [[9] * 5] * 6  # commands that use it have ended
    u.free()
    with pytest.raises(sycl.InvalidObjectError, match="freed"):
        np.asarray(u)


# -- fills --


@pytest.mark.spec("D225", "D229")
def test_vectors_fill_what_is_of_their_type(queue):
    for kind, value, wrong in (
        (sycl.float2, sycl.float2(1, 2), sycl.int2(1, 2)),
        (sycl.float3, sycl.float4(1, 2, 3, 4).zyx, sycl.float4(1, 2, 3, 4)),
        (sycl.int4, sycl.int4(4, -3, 2, -1), sycl.int2(1, 2)),
    ):
        b = sycl.Buffer(np.zeros(3, kind))
        queue.fill(b, value).wait()
        assert [list(each) for each in np.asarray(b).tolist()] == [list(np.asarray(value))] * 3
        with pytest.raises(sycl.InvalidParameterError, match="fill: the pattern int2|fill: the pattern float4"):
            queue.fill(b, wrong)
    if queue.device.has("usm_shared_allocations"):
        u = sycl.malloc_shared(3, sycl.float2, queue)
        queue.fill(u, sycl.float2(5, 6)).wait()
        assert np.asarray(u).tolist() == [(5, 6)] * 3
    with pytest.raises(sycl.InvalidParameterError, match="is not a number for elements of float32"):
        queue.fill(sycl.Buffer(4, np.float32), sycl.float2(1, 2))


@pytest.mark.spec("D228", "H473")
def test_memset_takes_an_unsigned_char(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared USM")
    u = sycl.malloc_shared(4, np.uint8, queue)
    for value, byte in ((0x1FF, 255), (-1, 255), (2**40 + 7, 7), (-(2**70) + 3, 3), (np.int16(300), 44), (True, 1)):
        queue.memset(u, value).wait()
        assert np.asarray(u).tolist() == [byte] * 4, value
    for wrong in (1.5, "a", None):
        with pytest.raises(sycl.InvalidParameterError, match="memset: value: .* is not an integer for a byte"):
            queue.memset(u, wrong)
