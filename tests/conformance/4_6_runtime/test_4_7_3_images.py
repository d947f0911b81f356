"""Images: SYCL 2020, 4.7.3."""

import gc
import threading
import weakref

import numpy as np
import pytest
from image_kernels import EXTENTS, FORMATS, blot, decoded, give, pixels_of, take

import pysycl as sycl
from pysycl import opencl

# -- construction and facts --


@pytest.mark.spec("H353", "H358")
@pytest.mark.parametrize("rank", EXTENTS)
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_in_every_dimension(format, rank):
    extents = EXTENTS[rank]
    pixel = 4 * np.dtype(FORMATS[format]).itemsize
    with sycl.UnsampledImage(None, format, extents) as image:
        assert image.range == sycl.Range(*extents)
        assert image.dimensions == rank
        assert image.format is sycl.ImageFormat[format]
        assert image.get_range() == image.range
        assert image.size == image.count == image.get_count() == np.prod(extents)
        assert image.byte_size == image.get_size() == np.prod(extents) * pixel
        assert image.shape == (*reversed(extents), 4)
        assert image.dtype == FORMATS[format]


@pytest.mark.spec("H350")
def test_both_kinds_have_one_to_three_dimensions():
    sampler = sycl.Sampler("normalized", "clamp", "nearest")
    for extents in (7, (7, 5), (7, 5, 3)):
        shape = (*(reversed(extents) if isinstance(extents, tuple) else (extents,)), 4)
        data = np.zeros(shape, np.uint8)
        unsampled = sycl.UnsampledImage(data.copy(), "r8g8b8a8_uint", extents)
        sampled = sycl.SampledImage(data, "r8g8b8a8_uint", sampler, extents)
        assert unsampled.dimensions == sampled.dimensions == len(shape) - 1
        assert unsampled.range == sampled.range
        assert not isinstance(sampled, sycl.UnsampledImage)
    four = (1, 1, 1, 1)
    with pytest.raises(sycl.InvalidParameterError, match="4 dimensions"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", four)
    with pytest.raises(sycl.InvalidParameterError, match="4 dimensions"):
        sycl.SampledImage(np.zeros((*four, 4), np.uint8), "r8g8b8a8_uint", sampler, four)


@pytest.mark.spec("H353")
def test_the_drafts_spellings_are_aliases():
    formats = sycl.ImageFormat
    assert len(formats) == 11
    assert formats.r32b32g32a32_sint is formats.r32g32b32a32_sint
    assert formats.r32b32g32a32_uint is formats.r32g32b32a32_uint
    assert formats.r16b16g16a16_sfloat is formats.r16g16b16a16_sfloat
    with sycl.UnsampledImage(None, "r16b16g16a16_sfloat", 3) as image:
        assert image.format is formats.r16g16b16a16_sfloat
    with pytest.raises(sycl.InvalidParameterError, match="must be one of r8g8b8a8_unorm"):
        sycl.UnsampledImage(None, "rgba", 3)


@pytest.mark.spec("H352", "H358")
def test_default_pitches():
    """Rows of r1 * s bytes, slices of r1 * r2 * s: the first extent is the fastest."""
    with sycl.UnsampledImage(None, "r16g16b16a16_sint", (7, 5, 3)) as image:
        assert image.pitch == image.get_pitch() == (7 * 8, 7 * 5 * 8)
    with sycl.UnsampledImage(None, "r16g16b16a16_sint", (7, 5)) as image:
        assert image.pitch == (7 * 8,)
    image = sycl.UnsampledImage(None, "r16g16b16a16_sint", 7)
    with pytest.raises(sycl.InvalidObjectError, match="1 dimension"):
        _ = image.pitch


@pytest.mark.spec("H352")
def test_the_first_extent_is_x(queue):
    data = np.zeros((5, 7, 4), np.uint32)
    data[..., 0], data[..., 1] = np.meshgrid(np.arange(7), np.arange(5))
    with sycl.UnsampledImage(data, "r32g32b32a32_uint", (7, 5)) as image:
        with image.host_access("read") as pixels:
            assert pixels.read((6, 2))[:2].tolist() == [6, 2]
        assert take(queue, image, "r32g32b32a32_uint")[2, 6, :2].tolist() == [6, 2]


@pytest.mark.spec("H351")
def test_data_must_match_the_format():
    with pytest.raises(sycl.InvalidParameterError, match="float32"):
        sycl.UnsampledImage(np.zeros((5, 7, 4), np.float32), "r8g8b8a8_unorm", (7, 5))
    with pytest.raises(sycl.InvalidParameterError, match=r"\(5, 7, 4\)"):
        sycl.UnsampledImage(np.zeros((7, 5, 4), np.uint8), "r8g8b8a8_unorm", (7, 5))
    with pytest.raises(sycl.InvalidParameterError, match="139"):
        sycl.UnsampledImage(bytearray(139), "r8g8b8a8_unorm", (7, 5))


@pytest.mark.spec("H356")
def test_given_pitches(queue):
    """The image's rows and slices lie apart in the user's memory; what is between them is left alone."""
    memory = np.full((3, 6, 10, 4), 77, np.uint8)
    data = memory[:, :5, :7]
    data[...] = pixels_of("r8g8b8a8_uint", (7, 5, 3))
    expected = data.copy()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5, 3), pitch=(40, 240)) as image:
        assert image.pitch == (40, 240)
        assert image.byte_size > 7 * 5 * 3 * 4
        assert np.array_equal(take(queue, image, "r8g8b8a8_uint"), expected)
        give(queue, image, "r8g8b8a8_uint", (expected.astype(np.uint32) + 1) % 256)
    assert np.array_equal(data, expected + np.uint8(1))
    assert (memory[:, 5:] == 77).all()
    assert (memory[:, :, 7:] == 77).all()


@pytest.mark.spec("H356")
def test_pitches_that_cannot_be():
    with pytest.raises(sycl.InvalidParameterError, match="row pitch is 24 bytes; the image needs at least 28"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5), pitch=24)
    with pytest.raises(sycl.InvalidParameterError, match="not a multiple"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5), pitch=30)
    with pytest.raises(sycl.InvalidParameterError, match="1 dimension has 0 pitches"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", 7, pitch=28)
    with pytest.raises(sycl.InvalidParameterError, match="3 dimensions has 2 pitches"):
        sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5, 3), pitch=28)
    with pytest.raises(sycl.InvalidParameterError, match="pitch"):
        sycl.UnsampledImage(np.zeros((5, 7, 4), np.uint8), "r8g8b8a8_uint", (7, 5), pitch=32)


@pytest.mark.spec("H358")
def test_the_allocator():
    asked = []

    def allocator(size):
        asked.append(size)
        return bytearray(size)

    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5), allocator=allocator) as image:
        assert image.allocator is allocator
        with image.host_access("write") as pixels:
            pixels[...] = 3
        with image.host_access("read") as pixels:
            assert (pixels[...] == 3).all()
    assert asked == [140]


# -- formats --


@pytest.mark.spec("H105", "H106", "H355", "H435")
@pytest.mark.parametrize("rank", EXTENTS)
@pytest.mark.parametrize("format", FORMATS)
def test_kernels_read_every_format(queue, format, rank):
    """A pixel is four components in a kernel, whatever it is in memory."""
    data = pixels_of(format, EXTENTS[rank])
    with sycl.UnsampledImage(data.copy(), format, EXTENTS[rank]) as image:
        assert np.allclose(take(queue, image, format), decoded(data, format), rtol=0, atol=1e-6)


@pytest.mark.spec("H106", "H355", "H366", "H437")
@pytest.mark.parametrize("rank", EXTENTS)
@pytest.mark.parametrize("format", FORMATS)
def test_kernels_write_every_format(queue, format, rank):
    """What kernels write is converted to the format, and is in the user's array when the image ends."""
    expected = pixels_of(format, EXTENTS[rank], seed=1)
    data = np.zeros_like(expected)
    with sycl.UnsampledImage(data, format, EXTENTS[rank]) as image:
        give(queue, image, format, np.ascontiguousarray(decoded(expected, format)))
    assert np.array_equal(data, expected)


@pytest.mark.spec("H106")
def test_writes_saturate_and_round(queue):
    colors = np.array([[-1, 0.5, 2, 0.25], [300, -300, 127, -128]])
    data = np.zeros((1, 4), np.uint8)
    with sycl.UnsampledImage(data, "r8g8b8a8_unorm", 1) as image:
        give(queue, image, "r8g8b8a8_unorm", colors[:1].astype(np.float32))
    assert data.tolist() in ([[0, 128, 255, 64]], [[0, 127, 255, 64]])  # 127.5 may go either way
    signed = np.zeros((1, 4), np.int8)
    with sycl.UnsampledImage(signed, "r8g8b8a8_sint", 1) as image:
        give(queue, image, "r8g8b8a8_sint", colors[1:].astype(np.int32))
    assert signed.tolist() == [[127, -128, 127, -128]]


@pytest.mark.spec("H105")
def test_kernels_get_no_pointer_to_an_image(queue):
    program = sycl.Program("__kernel void f(__global uchar *p) { p[0] = 1; }")
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", 7) as image:
        for what in (lambda h: h.write(image), lambda h: image):
            with pytest.raises(sycl.KernelArgumentError, match="image"), queue.submit() as h:
                h.single_task(program.f, what(h))


# -- where the data goes --


@pytest.mark.spec("H354")
def test_an_image_without_data_writes_nothing_back(queue):
    elements = pixels_of("r8g8b8a8_uint", (7, 5)).astype(np.uint32)
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5)) as image:
        give(queue, image, "r8g8b8a8_uint", elements, no_init=True)
        assert np.array_equal(take(queue, image, "r8g8b8a8_uint"), elements)
    final = np.zeros((5, 7, 4), np.uint8)
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5)) as image:
        give(queue, image, "r8g8b8a8_uint", elements, no_init=True)
        image.set_final_data(final)
    assert np.array_equal(final, elements)


@pytest.mark.spec("H357")
def test_an_array_that_is_gone_is_not_written(queue):
    """A weak reference, SYCL's shared_ptr in the constructor and weak_ptr as final data: the array is written if it still
    lives."""
    shared = np.zeros((7, 4), np.uint8)
    with sycl.UnsampledImage(weakref.ref(shared), "r8g8b8a8_uint", 7) as image:
        give(queue, image, "r8g8b8a8_uint", np.full((7, 4), 2, np.uint32))
    assert (shared == 2).all()
    gone = weakref.ref(shared)
    image = sycl.UnsampledImage(gone, "r8g8b8a8_uint", 7)
    del shared
    gc.collect()
    give(queue, image, "r8g8b8a8_uint", np.full((7, 4), 3, np.uint32)).wait_and_throw()
    assert gone() is not None  # the image keeps it
    image.close()
    del image
    gc.collect()
    assert gone() is None
    data, kept = np.zeros((7, 4), np.uint8), np.zeros((7, 4), np.uint8)
    ones = np.ones((7, 4), np.uint32)
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
        image.set_final_data(weakref.ref(kept))
        give(queue, image, "r8g8b8a8_uint", ones)
    assert (kept == 1).all()
    image = sycl.UnsampledImage(data, "r8g8b8a8_uint", 7)
    image.set_final_data(weakref.ref(kept))
    give(queue, image, "r8g8b8a8_uint", ones)
    del kept
    gc.collect()
    image.close()
    assert not data.any()


@pytest.mark.spec("H360")
def test_final_data_and_write_back(queue):
    ones = np.ones((7, 4), np.uint32)
    data, other = np.zeros((7, 4), np.uint8), np.zeros((7, 4), np.uint8)
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
        give(queue, image, "r8g8b8a8_uint", ones)
        image.set_write_back(False)
    assert not data.any()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
        give(queue, image, "r8g8b8a8_uint", ones)
        image.set_final_data(other)
    assert (other == 1).all()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
        image.set_final_data(None)
        give(queue, image, "r8g8b8a8_uint", ones * 2)
    assert (data != 2).all()
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image:
        give(queue, image, "r8g8b8a8_uint", ones * 3)
        image.set_write_back(False)
        image.set_write_back(True)
    assert (data == 3).all()


@pytest.mark.spec("H365")
def test_copies_of_an_image_are_the_image(queue):
    import copy

    data = np.zeros((7, 4), np.uint8)
    image = sycl.UnsampledImage(data, "r8g8b8a8_uint", 7)
    same = copy.copy(image)
    assert same == image
    assert hash(same) == hash(image)
    assert sycl.UnsampledImage(None, "r8g8b8a8_uint", 7) != image
    give(queue, same, "r8g8b8a8_uint", np.ones((7, 4), np.uint32))
    same.close()
    assert not image.is_closed
    image.close()
    assert data.all()


@pytest.mark.spec("H366")
def test_the_end_of_an_image_waits_for_its_commands(queue):
    program = sycl.Program("""
    __kernel void late(write_only image1d_t image, __global ulong *x, ulong n)
    {
        for (ulong i = 0; i < n; i++)
            x[0] = x[0] * 6364136223846793005UL + 1442695040888963407UL;
        write_imageui(image, 2, (uint4)(5));
    }
    """)
    data = np.zeros((7, 4), np.uint8)
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image, queue.submit() as h:
        h.single_task(program.late, h.write(image), np.zeros(1, np.uint64), 30_000_000)
    assert h.event.status is sycl.EventCommandStatus.complete
    assert data[2].tolist() == [5] * 4
    assert data.sum() == 20


@pytest.mark.spec("H367")
def test_errors_of_an_end_go_to_the_contexts_handler(run_fake):
    """Closing raises nothing: what went wrong is told to the context that the commands ran in."""
    run_fake("""
        kernels = sycl.Program("__kernel void fail(write_only image1d_t image) { for (;;); }")
        heard = []
        queue = sycl.Queue(context=sycl.Context(async_handler=heard.extend))
        data = np.zeros((7, 4), np.uint8)
        with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7) as image, queue.submit() as h:
            h.single_task(kernels.fail, h.write(image))
        queue.wait_and_throw()
        assert heard, "the handler was not called"
        assert all(isinstance(error, sycl.SyclError) and "fail" in str(error) for error in heard)
        assert not data.any()
    """)


# -- sampled images --


@pytest.mark.spec("H361", "H363")
def test_sampled_images_need_data():
    sampler = sycl.Sampler("normalized", "clamp", "linear")
    data = pixels_of("r8g8b8a8_unorm", (7, 5, 3))
    with sycl.SampledImage(data, "r8g8b8a8_unorm", sampler, (7, 5, 3)) as image:
        assert image.range == image.get_range() == sycl.Range(7, 5, 3)
        assert image.pitch == image.get_pitch() == (28, 140)
        assert image.size == image.get_count() == 105
        assert image.byte_size == image.get_size() == 420
        assert image.sampler == sampler
        assert not hasattr(image, "set_final_data")
        assert not hasattr(image, "set_write_back")
    with pytest.raises((TypeError, sycl.InvalidParameterError), match="data"):
        sycl.SampledImage(None, "r8g8b8a8_unorm", sampler, (7, 5, 3))
    with pytest.raises((TypeError, sycl.InvalidParameterError), match="sampler"):
        sycl.SampledImage(data, "r8g8b8a8_unorm", "linear", (7, 5, 3))
    memory = np.zeros((5, 10, 4), np.uint8)
    with sycl.SampledImage(memory[:, :7], "r8g8b8a8_unorm", sampler, (7, 5), pitch=40) as image:
        assert image.pitch == (40,)


# -- properties --


@pytest.mark.spec("H364", "H431")
def test_use_host_ptr():
    data = np.zeros((5, 7, 4), np.uint8)
    address = data.__array_interface__["data"][0]
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5), use_host_ptr=True) as image:
        assert image.has_property("use_host_ptr")
        with image.host_access("write") as pixels:
            assert pixels.pixels.__array_interface__["data"][0] == address
    data.flags.writeable = False
    with pytest.raises(sycl.InvalidParameterError, match="use_host_ptr"):
        sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5), use_host_ptr=True)


@pytest.mark.spec("H364")
def test_context_bound(device):
    context = sycl.Context(device)
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", 7, context_bound=context) as image:
        assert image.get_property("context_bound").get_context() == context
        blot(sycl.Queue(device, context=context), image, "r8g8b8a8_uint").wait_and_throw()
        with pytest.raises(sycl.InvalidObjectError, match="context_bound"):
            blot(sycl.Queue(device, context=sycl.Context(device)), image, "r8g8b8a8_uint")


@pytest.mark.spec("H364")
def test_use_mutex(queue):
    mutex = threading.Lock()
    data = np.zeros((7, 4), np.uint8)
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", 7, use_mutex=mutex) as image:
        assert image.get_property("use_mutex").get_mutex_ptr() is mutex
        blot(queue, image, "r8g8b8a8_uint").wait_and_throw()
        with mutex:
            assert data[1].tolist() == [1] * 4


# -- devices --


@pytest.mark.spec("H105")
def test_an_image_larger_than_the_device_has(queue):
    widest = queue.device.image2d_max_width
    image = sycl.UnsampledImage(None, "r8g8b8a8_uint", (widest + 1, 1))
    with pytest.raises(sycl.FeatureNotSupportedError, match=f"at most {widest}") as caught:
        blot(queue, image, "r8g8b8a8_uint")
    assert queue.device.name in str(caught.value)


@pytest.mark.spec("H105")
def test_a_device_without_images(run_fake):
    run_fake(
        """
        import pytest
        image = sycl.UnsampledImage(np.zeros((7, 4), np.uint8), "r8g8b8a8_uint", 7)
        queue = sycl.Queue()
        kernels = sycl.Program("__kernel void add(write_only image1d_t image) { for (;;); }")
        with pytest.raises(sycl.FeatureNotSupportedError, match="Fake device .* has no images"), queue.submit() as h:
            h.single_task(kernels.add, h.write(image))
        sampler = sycl.Sampler("normalized", "clamp", "linear")
        with pytest.raises(sycl.FeatureNotSupportedError, match="so it has no samplers"):
            sampler.int_ptr_in(queue.context)
        image.close()
        """,
        {"FAKE_IMAGES": "0"},
    )


@pytest.mark.spec("D522")
def test_native_images(queue):
    data = pixels_of("b8g8r8a8_unorm", (7, 5))
    with sycl.UnsampledImage(data.copy(), "b8g8r8a8_unorm", (7, 5)) as image:
        with queue.submit() as h:
            writing = h.write(image)
            handles = []
            h.host_task(lambda ih: handles.append(ih.get_native_mem(writing)))
        h.event.wait_and_throw()
        other = opencl.make_image(handles[0], queue.context, h.event)
        assert other.range == sycl.Range(7, 5)
        assert other.format is sycl.ImageFormat.b8g8r8a8_unorm
        assert np.allclose(take(queue, other, "b8g8r8a8_unorm"), decoded(data, "b8g8r8a8_unorm"))
        other.close()
    buffer = sycl.Buffer(4, np.float32)
    with pytest.raises(sycl.SyclError):
        opencl.make_image(buffer.size, queue.context)
