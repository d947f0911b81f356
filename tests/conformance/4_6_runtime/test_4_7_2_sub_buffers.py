"""Sub-buffers and reinterpretations: SYCL 2020, 4.7.2."""

import copy

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void set(__global int *x, int a) { x[get_global_id(0)] = a; }
""")


def add(queue, buffer, amount=1.0, **options):
    """A command that adds to every element."""
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h, **options), amount))


@pytest.mark.spec("H306", "H328", "H330")
def test_reinterpret(queue):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    b = sycl.Buffer(x)
    flat = b.reinterpret(np.float32, 12)
    assert flat == b
    assert hash(flat) == hash(b)
    assert b.reinterpret(np.int32).shape == (3, 4)
    assert b.reinterpret(np.uint8).shape == (48,)
    assert b.reinterpret(np.complex64).shape == (6,)
    first = add(queue, b)
    second = add(queue, flat)
    assert first in second.wait_list or first.status is sycl.EventCommandStatus.complete
    with pytest.raises(sycl.InvalidObjectError, match="13 elements of float32 are 52 bytes, the buffer has 48"):
        b.reinterpret(np.float32, 13)
    with pytest.raises(sycl.InvalidObjectError):
        sycl.Buffer(3, np.uint8).reinterpret(np.int16)
    b.close()  # the reinterpretation is a handle of its own
    add(queue, flat)
    flat.close()
    assert np.array_equal(x.ravel(), np.arange(12) + 3)


@pytest.mark.spec("H329")
def test_reinterpreting_a_sub_buffer_keeps_its_place(queue):
    x = np.zeros(16, np.float32)
    with sycl.Buffer(x) as b, b[4:8] as part, part.reinterpret(np.int32) as seen:
        assert seen.is_sub_buffer
        assert seen.byte_size == 16
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.set, sycl.Accessor(seen, h), 7))
    assert (x[4:8].view(np.int32) == 7).all()
    assert not x[:4].any() and not x[8:].any()


@pytest.mark.spec("H314", "H327")
@pytest.mark.parametrize("offset", [0, 1, 3, 64])
def test_sub_buffers(queue, offset):
    """At any offset: no alignment limit of a device shows (H318 leaves nothing to report)."""
    x = np.zeros(100, np.float32)
    with sycl.Buffer(x) as b:
        part = b.sub_buffer(offset, 5)
        assert part.is_sub_buffer and not b.is_sub_buffer
        assert part.shape == (5,)
        add(queue, part)
        queue.wait_and_throw()
        part.close()
    expected = np.zeros(100)
    expected[offset : offset + 5] = 1
    assert np.array_equal(x, expected)


@pytest.mark.spec("H318")
def test_a_sub_buffer_at_any_byte(queue):
    x = np.zeros(41, np.uint8)
    with sycl.Buffer(x[1:]) as b, b.reinterpret(np.uint8)[4:8] as part:
        event = queue.submit(lambda h: h.parallel_for(1, PROGRAM.set, sycl.Accessor(part.reinterpret(np.int32), h), -1))
        event.wait_and_throw()
    assert x[5:9].tolist() == [255] * 4 and x.sum() == 4 * 255


@pytest.mark.spec("H315")
def test_a_sub_buffer_has_no_sub_buffer():
    b = sycl.Buffer(10, np.float32)
    for part in (b[2:8], b[:], copy.copy(b[2:8]), b[2:8].reinterpret(np.int32)):
        with pytest.raises(sycl.InvalidObjectError, match="a sub-buffer has no sub-buffers"):
            part.sub_buffer(0, 1)
        with pytest.raises(sycl.InvalidObjectError):
            part[0:1]


@pytest.mark.spec("H316")
@pytest.mark.parametrize(("offset", "part"), [((0, 0), (9, 8)), ((1, 0), (8, 8)), ((0, 1), (1, 8)), ((9, 0), (0, 8))])
def test_a_sub_buffer_beyond_its_parent(offset, part):
    b = sycl.Buffer((8, 8), np.int32)
    with pytest.raises(sycl.InvalidObjectError, match="goes beyond"):
        b.sub_buffer(offset, part)


@pytest.mark.spec("H317")
def test_a_sub_buffer_is_contiguous():
    b = sycl.Buffer((8, 8), np.int32)
    for offset, part in (((2, 0), (4, 8)), ((3, 2), (1, 4)), ((3, 2), (1, 1)), ((0, 0), (8, 8)), ((1, 1), (0, 3))):
        assert b.sub_buffer(offset, part).shape == part
    for offset, part in (((2, 2), (2, 2)), ((0, 0), (8, 1)), ((0, 1), (2, 7))):
        with pytest.raises(sycl.InvalidObjectError, match="not contiguous in memory"):
            b.sub_buffer(offset, part)
    c = sycl.Buffer((3, 4, 5), np.int32)
    assert c[1:3].shape == (2, 4, 5)
    assert c[1:2, 2:4].shape == (1, 2, 5)
    assert c[0:1, 0:1, 2:4].shape == (1, 1, 2)
    for key in (np.s_[:, 1:2], np.s_[0:1, :, 1:2], np.s_[..., 1:2], np.s_[::2]):
        with pytest.raises(sycl.InvalidObjectError):
            c[key]
    with pytest.raises(sycl.InvalidParameterError, match="by slices, not by 3"):
        c[3]
