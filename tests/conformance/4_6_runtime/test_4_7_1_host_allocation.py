"""Host allocation: SYCL 2020, 4.7.1."""

import gc

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")


def add(queue, buffer, amount=1.0):
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), amount))


class Allocator:
    """Counts what it gave, and how much of it is alive."""

    def __init__(self):
        self.asked = []

    def __call__(self, size):
        self.asked.append(size)
        return np.zeros(size, np.uint8)


@pytest.mark.spec("H299", "H313")
def test_an_allocator_gives_the_host_memory(queue):
    allocator = Allocator()
    b = sycl.Buffer(16, np.float32, allocator=allocator)
    assert allocator.asked == []
    with b.host_access("write", no_init=True) as a:
        a[:] = 1
    assert allocator.asked == [64]
    add(queue, b)
    assert (np.asarray(b) == 2).all()
    assert allocator.asked == [64]
    read_only = np.arange(16, dtype=np.float32)[::-1]
    c = sycl.Buffer(read_only, allocator=allocator)
    add(queue, c)
    c.close()
    assert np.array_equal(read_only, np.arange(16)[::-1] + 1)


@pytest.mark.spec("H300")
def test_an_allocator_without_memory(queue):
    b = sycl.Buffer(16, np.float32, allocator=lambda size: None)  # no error until memory is needed
    with pytest.raises(sycl.MemoryAllocationError, match="has no memory for 64 bytes") as caught:
        b.host_access("write")
    assert isinstance(caught.value, MemoryError)
    b.close()
    x = np.zeros(16, np.float32)
    with sycl.Buffer(x, allocator=lambda size: None) as c, c.host_access() as a:  # not needed: the array is the storage
        a += 1
    assert (x == 1).all()


@pytest.mark.spec("H300")
def test_an_allocator_that_fails():
    def raises(size):
        raise KeyError("nothing left")

    for allocator, words in (
        (raises, "raised KeyError: 'nothing left' when asked for 64 bytes"),
        (lambda size: bytearray(size - 1), "gave 63 bytes when asked for 64"),
        (lambda size: bytes(size), "raised BufferError"),
        (lambda size: 3, "raised TypeError"),
        (lambda size: np.zeros(size + 16, np.uint8)[1:], "not aligned"),
    ):
        b = sycl.Buffer(16, np.float32, allocator=allocator)
        with pytest.raises(sycl.MemoryAllocationError, match=words):
            b.host_access("write")
    with pytest.raises(sycl.InvalidParameterError, match="expected a callable"):
        sycl.Buffer(16, np.float32, allocator=3)


@pytest.mark.spec("H299")
def test_allocated_memory_goes_with_the_buffer():
    alive = []

    class Block(np.ndarray):
        def __del__(self):
            alive.remove(id(self))

    def allocator(size):
        block = np.zeros(size, np.uint8).view(Block)
        alive.append(id(block))
        return block

    b = sycl.Buffer(16, np.float32, allocator=allocator)
    with b.host_access("write") as a:
        a[:] = 3
    assert len(alive) == 1
    b.close()
    assert len(alive) == 1  # `a` still looks at it
    assert (a == 3).all()
    del a
    gc.collect()
    assert not alive


@pytest.mark.spec("H301")
def test_default_memory_is_new_each_time():
    x = np.arange(16, dtype=np.float32)
    x.flags.writeable = False
    addresses = {x.ctypes.data}
    buffers = [sycl.Buffer(16, np.float32), sycl.Buffer(16, np.float32), sycl.Buffer(x)]
    for b in buffers:
        with b.host_access("read_write") as a:  # const is stripped from the runtime's own memory
            addresses.add(a.ctypes.data)
            a[:] = 5
    assert len(addresses) == 4
    assert np.array_equal(x, np.arange(16))


@pytest.mark.spec("H302")
@pytest.mark.parametrize(
    ("format", "extents", "pitch", "size"),
    [
        ("r8g8b8a8_uint", 5, None, 20),
        ("r16g16b16a16_sfloat", (5, 3), None, 120),
        ("r32g32b32a32_sfloat", (5, 3, 2), None, 480),
        ("r8g8b8a8_uint", (5, 3), 32, 2 * 32 + 20),
    ],
)
@pytest.mark.parametrize("make", [bytearray, lambda size: np.zeros(size, np.uint8)], ids=["bytearray", "uint8"])
def test_an_image_s_allocator_works_in_bytes(format, extents, pitch, size, make):
    """It is asked for the image's bytes, whatever a pixel is, once, and bytes are what it gives: the pixels lie there."""
    asked, given = [], []

    def allocator(count):
        asked.append(count)
        given.append(make(count))
        return given[-1]

    with sycl.UnsampledImage(None, format, extents, pitch=pitch, allocator=allocator) as image:
        assert asked == []
        assert image.byte_size == size
        for _ in range(2):
            with image.host_access("write") as pixels:
                pixels[...] = 1
        assert asked == [size]
        with image.host_access("read") as pixels:
            assert np.shares_memory(pixels.pixels, np.frombuffer(given[0], np.uint8))
    gaps = 0 if pitch is None else 2 * (pitch - 20)
    assert np.count_nonzero(np.frombuffer(given[0], np.uint8)) > 0
    assert gaps == 0 or np.count_nonzero(np.frombuffer(given[0], np.uint8)) == size - gaps
