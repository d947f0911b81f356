"""Images beyond the specification's words: what data they are made from, conversions on the host, what goes with an end."""

import gc
import itertools
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pysycl as sycl
from pysycl._images.image_format import decode, encode
from pysycl._images.sampling import sample

SOURCE = """
__kernel void add_one(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at) + 1);
}
__kernel void add_buffer(read_only image2d_t from, __global uint *sums)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    sums[at.y * get_global_size(0) + at.x] += read_imageui(from, at).x;
}
"""
PROGRAM = sycl.Program(SOURCE)


def grid(width=7, height=5, dtype=np.uint8):
    return np.arange(width * height * 4, dtype=dtype).reshape(height, width, 4)


def add_one(queue, source, target, program=PROGRAM):
    with queue.submit() as h:
        h.parallel_for((5, 7), program.add_one, h.read(source), h.write(target))
    return h.event


def contents(image):
    with image.host_access("read") as pixels:
        return pixels.pixels.copy()


# -- data --


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: bytearray(a.tobytes()),
        lambda a: a.reshape(-1),
        lambda a: a.view(np.uint32)[..., 0],
        lambda a: a.view(np.dtype("u1,u1,u1,u1"))[..., 0],
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        lambda a: memoryview(a),
    ],
    ids=["array", "bytes", "flat", "packed pixels", "structs", "fortran", "strided", "backwards", "memoryview"],
)
def test_data_of_every_layout(queue, make):
    """Read, and written back, wherever the pixels lie."""
    given = make(grid())
    before = np.array(given, copy=True)
    with sycl.UnsampledImage(given, "r8g8b8a8_uint", (7, 5)) as image:
        assert np.array_equal(contents(image), grid())
        add_one(queue, image, image)
    after = np.frombuffer(np.ascontiguousarray(given).tobytes(), np.uint8)
    assert np.array_equal(after, np.frombuffer(np.ascontiguousarray(before).tobytes(), np.uint8) + 1)


def test_read_only_data_is_never_written(queue):
    data = grid()
    data.flags.writeable = False
    for given in (data, data.tobytes()):
        with sycl.UnsampledImage(given, "r8g8b8a8_uint", (7, 5)) as image:
            add_one(queue, image, image).wait_and_throw()
            assert np.array_equal(contents(image), grid() + np.uint8(1))
    assert np.array_equal(data, grid())


def test_overlapping_pixels_are_refused():
    broadcast = np.lib.stride_tricks.as_strided(np.zeros(4, np.uint8), (5, 7, 4), (0, 0, 1))
    with pytest.raises(sycl.InvalidParameterError, match="overlap"):
        sycl.UnsampledImage(broadcast, "r8g8b8a8_uint", (7, 5))
    sampler = sycl.Sampler("normalized", "clamp", "linear")
    with sycl.SampledImage(broadcast, "r8g8b8a8_uint", sampler, (7, 5)) as image:
        assert not contents(image).any()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (grid().astype(np.int8), "int8"),
        (grid().astype(np.uint16), "uint16"),
        (np.zeros((5, 7, 3), np.uint8), r"\(5, 7, 3\)"),
        (np.zeros((5, 7), np.uint16), r"\(5, 7\)"),
        (b"too short", "9 bytes"),
        ("text", "data"),
        (17, "data"),
    ],
)
def test_data_that_is_no_image(data, words):
    with pytest.raises(sycl.InvalidParameterError, match=words):
        sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5))


@pytest.mark.parametrize("range", [0, (7, 0), (1, 2, 3, 4), (-1,), (2**40, 2**40), "7"])
def test_ranges_that_no_image_has(range):
    with pytest.raises(sycl.InvalidParameterError):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", range)


def test_the_array_itself_is_the_storage():
    data = grid()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image, image.host_access("write") as pixels:
        assert np.shares_memory(pixels.pixels, data)


def test_one_array_after_the_other(recwarn, queue):
    """An image that is closed no longer uses its array: another may."""
    data = grid()
    for _ in range(3):
        with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image:
            add_one(queue, image, image)
    for _ in range(3):
        with sycl.Buffer(data) as buffer:
            assert buffer.size == data.size
    assert np.array_equal(data, grid() + np.uint8(3))
    assert not recwarn.list
    image = sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5))
    for again in (sycl.Buffer, lambda array: sycl.UnsampledImage(array, "r8g8b8a8_uint", (7, 5))):
        with pytest.warns(sycl.SyclWarning, match="same host memory") as told:
            again(data)
        assert [each.filename for each in told] == [__file__]
    image.close()


# -- elements on the host --


@pytest.mark.parametrize("format", list(sycl.ImageFormat))
def test_pixels_become_elements_and_back(format):
    dtype = format.dtype
    random = np.random.default_rng(5)
    if dtype.kind == "f":
        pixels = random.standard_normal((300, 4)).astype(dtype)
    else:
        pixels = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (300, 4), dtype, endpoint=True)
    element = {"unorm": "float4", "sfloat": "float4", "sint": "int4", "uint": "uint4"}[format.kind]
    assert np.array_equal(encode(decode(pixels, format, element), format), pixels)


def test_elements_saturate():
    formats = sycl.ImageFormat
    assert encode([-1.0, 0.5, 2.0, np.nan], formats.r8g8b8a8_unorm).tolist() == [0, 128, 255, 0]
    assert encode([0.0, 0.25, 0.5, 1.0], formats.b8g8r8a8_unorm).tolist() == [128, 64, 0, 255]
    assert encode([-300, 300, 5, -5], formats.r8g8b8a8_sint).tolist() == [-128, 127, 5, -5]
    assert encode([-1, 70000, 5, 0], formats.r16g16b16a16_uint).tolist() == [0, 65535, 5, 0]
    assert encode([2**32 - 1, 0, 1, 2**40], formats.r32g32b32a32_uint).tolist() == [2**32 - 1, 0, 1, 2**32 - 1]
    assert encode([1e9, -1e9, 1, 0], formats.r16g16b16a16_sfloat).tolist() == [np.inf, -np.inf, 1, 0]
    with pytest.raises(sycl.InvalidParameterError, match="integers"):
        encode([0.5, 0, 0, 0], formats.r8g8b8a8_uint)
    with pytest.raises(sycl.InvalidParameterError, match="4 components"):
        encode([1, 2, 3], formats.r8g8b8a8_uint)


def test_many_places_at_once():
    with sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)) as image:
        places = np.array([[[0, 0], [6, 4]], [[3, 2], [1, 1]]])
        with image.host_access("read") as pixels:
            assert np.array_equal(pixels.read(places), grid()[places[..., 1], places[..., 0]])
            assert pixels[2, 3].tolist() == grid()[2, 3].tolist()
            assert np.array_equal(pixels[...], grid())
        with image.host_access("write") as pixels:
            pixels.write(places, (1, 2, 3, 4))
            pixels[4] = (9, 9, 9, 9)
        after = contents(image)
    assert after[2, 3].tolist() == [1, 2, 3, 4]
    assert (after[4] == 9).all()
    assert after[3, 3].tolist() == grid()[3, 3].tolist()


def test_sampling_by_hand():
    """Two pixels, one of zeros and one of ones: the linear sample is the coordinate's share."""
    pixels = np.array([[0.0] * 4, [1.0] * 4], np.float32)
    sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
    at = np.array([-3, 0.5, 0.75, 1.0, 1.25, 1.5, 9])[:, None]
    assert sample(pixels, at, sampler)[:, 0].tolist() == [0, 0, 0.25, 0.5, 0.75, 1, 1]
    border = sycl.Sampler("unnormalized", "clamp", "linear")
    assert sample(pixels, np.array([[1.75], [2.0], [2.5], [3.0]]), border)[:, 0].tolist() == [0.75, 0.5, 0, 0]
    mirrored = sycl.Sampler("normalized", "mirrored_repeat", "nearest")
    at = np.array([0.25, 0.75, 1.25, 1.75, 2.25, -0.25, -0.75])[:, None]
    assert sample(pixels, at, mirrored)[:, 0].tolist() == [0, 1, 1, 0, 0, 0, 1]


# -- accessors --


def test_an_image_is_an_argument_by_itself(queue):
    """As a buffer is: for reading or writing, as the kernel declares it."""
    sums = np.zeros(35, np.uint32)
    with sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)) as image:
        queue.parallel_for((5, 7), PROGRAM.add_one, image, image).wait_and_throw()
        queue.parallel_for((5, 7), PROGRAM.add_buffer, image, sums)
    assert np.array_equal(sums, grid()[..., 0].ravel().astype(np.uint32) + 1)


def test_host_access_ends():
    image = sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5))
    access = image.host_access("write")
    kept = access.pixels
    access.close()
    access.close()
    assert access.is_closed
    for use in (lambda: access.pixels, lambda: access.write((0, 0), (1, 1, 1, 1))):
        with pytest.raises(sycl.InvalidObjectError, match="closed"):
            use()
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 0
    with image.host_access("read") as access:
        with pytest.raises(ValueError, match="read-only"):
            access.pixels[0] = 0
        with pytest.raises(ValueError, match="only a copy"):
            np.asarray(access, copy=False)
    image.close()
    with pytest.raises(sycl.InvalidObjectError, match="closed"):
        image.host_access("read")


def test_pixels_outlive_their_image():
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5)) as image, image.host_access("write") as access:
        pixels = access.pixels
        pixels[...] = 4
    del image, access
    gc.collect()
    assert (pixels == 4).all()


def test_pixels_of_commands_are_for_host_tasks(queue):
    with sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)) as image, queue.submit() as h:
        accessor = h.read(image)
        with pytest.raises(sycl.InvalidObjectError, match="no pixels now"):
            accessor.read((0, 0))
        with pytest.raises((BufferError, TypeError)):
            memoryview(accessor)


def test_ranged_accessors_are_for_buffers(queue):
    with sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)) as image, queue.submit() as h:
        with pytest.raises(sycl.InvalidParameterError, match="covers all of it"):
            h.read(image, (2, 2))
        with pytest.raises(sycl.InvalidParameterError, match="expected an image"):
            sycl.UnsampledImageAccessor(sycl.Buffer(4, np.uint8), h, "read")


def test_images_on_two_queues_and_contexts(device):
    """The pixels go where they are needed, by way of the host."""
    first, second = sycl.Queue(device), sycl.Queue(device, context=sycl.Context(device))
    data = grid()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image:
        for round in range(6):
            add_one((first, second)[round % 2], image, image)
    assert np.array_equal(data, grid() + np.uint8(6))


def test_many_threads_use_one_image(queue):
    data = np.zeros((5, 7, 4), np.uint8)
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: add_one(queue, image, image), range(100)))
    assert (data == 100).all()


# -- ends --


def test_a_failed_kernel_leaves_the_users_pixels(run_fake):
    """What a command spoilt is not written over the array."""
    run_fake("""
        import pytest
        kernels = sycl.Program("__kernel void fail(write_only image1d_t image) { for (;;); }")
        data = np.arange(28, dtype=np.uint8).reshape(7, 4)
        queue = sycl.Queue()
        with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
            with queue.submit() as h:
                h.single_task(kernels.fail, h.write(image))
        with pytest.raises((sycl.SyclError, sycl.AsyncErrorGroup), match="fail"):
            queue.wait_and_throw()
        assert data.tolist() == np.arange(28).reshape(7, 4).tolist()
    """)


@pytest.mark.usefixtures("no_leaks")
def test_nothing_is_left(device):
    queue, program = sycl.Queue(device, context=sycl.Context(device)), sycl.Program(SOURCE)
    for _ in range(20):
        image = sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5))
        sampler = sycl.Sampler("normalized", "clamp", "linear")
        sampled = sycl.SampledImage(grid(), "r8g8b8a8_uint", sampler, (7, 5))
        add_one(queue, sampled, image, program).wait_and_throw()
        sampler.int_ptr_in(queue.context)
        with image.host_access("read") as pixels:
            assert pixels.read((0, 0)).tolist() == [1, 2, 3, 4]
    del image, sampled, sampler, pixels


def test_collected_images_write_back(queue):
    data = grid()
    image = sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5))
    gone = weakref.ref(image)
    add_one(queue, image, image)
    del image
    gc.collect()
    assert gone() is None
    assert np.array_equal(data, grid() + np.uint8(1))


def test_final_data_of_images(queue):
    """A callable, or an array of another type and shape; the pixels come without the gaps between rows."""
    memory = np.zeros((5, 10, 4), np.uint8)
    seen = []
    with sycl.UnsampledImage(memory[:, :7], "r8g8b8a8_uint", (7, 5), pitch=40) as image:
        add_one(queue, image, image)
        image.set_final_data(seen.append)
    assert np.array_equal(seen[0], np.ones((5, 7, 4)))
    memory[...] = 0  # what an array that was wrapped holds, when the contents went elsewhere, nobody says
    floats = np.zeros(140, np.float32)
    with sycl.UnsampledImage(memory[:, :7], "r8g8b8a8_uint", (7, 5), pitch=40) as image:
        add_one(queue, image, image)
        image.set_final_data(floats)
        with pytest.raises(sycl.InvalidParameterError, match="139 elements"):
            image.set_final_data(np.zeros(139))
    assert (floats == 1).all()


def test_an_array_of_an_image_is_a_copy(queue):
    data = grid()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image:
        add_one(queue, image, image)
        pixels = np.asarray(image)
        assert pixels.dtype == image.dtype
        assert pixels.shape == image.shape
        assert np.array_equal(pixels, grid() + np.uint8(1))
        pixels[...] = 0
        assert np.asarray(image).any()
        with pytest.raises(ValueError, match="always a copy"):
            np.asarray(image, copy=False)


def test_explicit_copies_of_images(queue):
    """An image is bytes of pixels to copies; it is not filled."""
    out = np.zeros((5, 7, 4), np.uint8)
    with sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)) as image:
        add_one(queue, image, image)
        queue.copy(image, out)
        assert np.array_equal(out, grid() + np.uint8(1))
        queue.copy(grid(), image).wait_and_throw()
        assert np.array_equal(np.asarray(image), grid())
        with pytest.raises(sycl.FeatureNotSupportedError, match="cannot be filled"), queue.submit() as h:
            h.fill(h.write(image), np.uint8(3))


def test_what_images_refuse():
    image = sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5))
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(image)
    with pytest.raises(sycl.InvalidParameterError, match="data"):
        sycl.Buffer(image)
    with pytest.raises(sycl.InvalidParameterError, match="allocator"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", 7, allocator=3)
    with pytest.raises(TypeError, match="allocator"):
        sycl.SampledImage(grid(), "r8g8b8a8_uint", sycl.Sampler("normalized", "clamp", "linear"), (7, 5), allocator=id)
    image.close()
    image.close()
    with pytest.raises(sycl.InvalidObjectError, match="closed"):
        image.set_final_data(None)


def test_reprs(queue):
    data = grid()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image:
        assert repr(image) == "<pysycl.UnsampledImage r8g8b8a8_uint, 7 x 5, current on host>"
        with queue.submit() as h:
            assert repr(h.read(image)) == "<pysycl.UnsampledImageAccessor of 7 x 5 uint4, read>"
        with image.host_access("write") as pixels:
            assert repr(pixels) == "<pysycl.HostUnsampledImageAccessor of 7 x 5 uint4, write>"
    assert repr(image) == "<pysycl.UnsampledImage r8g8b8a8_uint, 7 x 5, closed>"
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", 7) as empty:
        assert repr(empty) == "<pysycl.UnsampledImage r8g8b8a8_uint, 7, contents undefined>"


@pytest.mark.parametrize("addressing", ["clamp", "clamp_to_edge", "none"])
def test_kernels_sample_through_samplers_of_their_own(queue, addressing):
    """`const sampler_t` in the text, and image accessors of both kinds."""
    program = sycl.Program(f"""
    __constant sampler_t how = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_{addressing.upper()};
    __kernel void f(read_only image2d_t image, __global uint4 *out)
    {{ out[get_global_id(0)] = read_imageui(image, how, (float2)(get_global_id(0) + 0.5f, 1.5f)); }}
    """)
    out = np.zeros((7, 4), np.uint32)
    sampler = sycl.Sampler("normalized", "clamp", "linear")
    images = (
        sycl.UnsampledImage(grid(), "r8g8b8a8_uint", (7, 5)),
        sycl.SampledImage(grid(), "r8g8b8a8_uint", sampler, (7, 5)),
    )
    for image, _ in itertools.product(images, range(2)):
        with queue.submit() as h:
            h.parallel_for(7, program.f, h.read(image), out)
        h.event.wait_and_throw()
        assert np.array_equal(out, grid()[1])
