"""Accessors of images: SYCL 2020, 4.7.6.12."""

import itertools

import numpy as np
import pytest
from image_kernels import EXTENTS, FORMATS, PROGRAM, blot, decoded, give, look, pixels_of, take

import pysycl as sycl


@pytest.mark.spec("H359", "H437")
def test_writes_keep_the_rest(queue):
    """Accessors that write keep what they do not write."""
    data = pixels_of("r8g8b8a8_uint", (7, 5))
    expected = data.copy()
    expected[0, 1] = 1
    with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image:
        blot(queue, image, "r8g8b8a8_uint")
    assert np.array_equal(data, expected)


@pytest.mark.spec("H432")
def test_discarding_writes(queue):
    expected = pixels_of("r8g8b8a8_uint", (7, 5))
    elements = expected.astype(np.uint32)
    for how in ({"no_init": True}, {"mode": "discard_write"}):
        data = np.zeros_like(expected)
        with sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5)) as image, queue.submit() as h:
            mode = how.get("mode", "write")
            accessor = sycl.UnsampledImageAccessor(image, h, mode, no_init=how.get("no_init", False))
            assert accessor.no_init
            h.parallel_for((5, 7), PROGRAM.give_ui2, accessor, elements)
        assert np.array_equal(data, expected)


@pytest.mark.spec("H432")
def test_modes_that_images_lack(queue):
    image = sycl.UnsampledImage(None, "r8g8b8a8_uint", 7)
    for mode in ("read_write", "discard_read_write", "atomic"):
        with pytest.raises(sycl.InvalidParameterError, match="read, write or discard_write"), queue.submit() as h:
            sycl.UnsampledImageAccessor(image, h, mode)
    with pytest.raises(sycl.InvalidParameterError, match="read, write or discard_write"), queue.submit() as h:
        h.read_write(image)
    with pytest.raises(sycl.InvalidParameterError, match="read, write or discard_write"):
        image.host_access("read_write")
    with pytest.raises((TypeError, sycl.InvalidParameterError)):
        sycl.UnsampledImageAccessor(image, None, "read")  # no placeholders


@pytest.mark.spec("H430", "H432")
def test_kernels_that_an_accessor_does_not_fit(queue):
    image = sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5))
    out = np.zeros((35, 4), np.uint32)
    with pytest.raises(sycl.KernelArgumentError, match="2 dimensions"), queue.submit() as h:
        h.parallel_for(7, PROGRAM.take_ui1, h.read(image), out)
    with pytest.raises(sycl.KernelArgumentError, match="read"), queue.submit() as h:
        h.parallel_for(7, PROGRAM.give_ui2, h.read(image), out)
    with pytest.raises(sycl.KernelArgumentError, match="write"), queue.submit() as h:
        h.parallel_for(7, PROGRAM.take_ui2, h.write(image), out)
    with pytest.raises(sycl.KernelArgumentError, match="buffer"), queue.submit() as h:
        h.parallel_for(7, PROGRAM.take_ui2, h.read(sycl.Buffer(4, np.float32)), out)


@pytest.mark.spec("H359", "H363")
def test_get_access(queue):
    """With a handler a device accessor, without one the host's."""
    sampler = sycl.Sampler("normalized", "clamp", "nearest")
    data = pixels_of("r8g8b8a8_uint", (7, 5))
    unsampled = sycl.UnsampledImage(data.copy(), "r8g8b8a8_uint", (7, 5))
    sampled = sycl.SampledImage(data, "r8g8b8a8_uint", sampler, (7, 5))
    out = np.zeros((5, 7, 4), np.uint32)
    with queue.submit() as h:
        reader = unsampled.get_access(h, "read")
        assert type(reader) is sycl.UnsampledImageAccessor
        h.parallel_for((5, 7), PROGRAM.take_ui2, reader, out)
    with queue.submit() as h:
        assert type(sampled.get_access(h)) is sycl.SampledImageAccessor
    queue.wait_and_throw()
    assert np.array_equal(out, data)
    with unsampled.get_access("write") as host:
        assert type(host) is sycl.HostUnsampledImageAccessor
        host.write((6, 4), (1, 2, 3, 4))
    with unsampled.get_access("read") as host:
        assert host.read((6, 4)).tolist() == [1, 2, 3, 4]
    with sampled.get_access() as host:
        assert type(host) is sycl.HostSampledImageAccessor


@pytest.mark.spec("H433")
def test_each_accessor_has_its_form(queue):
    """The host's take an image, the device's an image and a handler; each works, and none is made in the other's way."""
    data = pixels_of("r8g8b8a8_uint", (7, 5))
    unsampled = sycl.UnsampledImage(data, "r8g8b8a8_uint", (7, 5))
    sampled = sycl.SampledImage(data.copy(), "r8g8b8a8_uint", sycl.Sampler("unnormalized", "clamp", "nearest"), (7, 5))
    out = np.zeros((5, 7, 4), np.uint32)
    for image, kind in ((unsampled, sycl.UnsampledImageAccessor), (sampled, sycl.SampledImageAccessor)):
        out[:] = 0
        with queue.submit() as h:
            h.parallel_for((5, 7), PROGRAM.take_ui2, kind(image, h), out)
        queue.wait_and_throw()
        assert np.array_equal(out, data), kind
        with pytest.raises(TypeError):
            kind(image)
    with sycl.HostUnsampledImageAccessor(unsampled, "write") as host:
        host.write((6, 4), (1, 2, 3, 4))
    with sycl.HostUnsampledImageAccessor(unsampled) as host, sycl.HostSampledImageAccessor(sampled) as other:
        assert host.read((6, 4)).tolist() == [1, 2, 3, 4]
        assert other.read((6.5, 4.5)).tolist() == out[4, 6].tolist() != [1, 2, 3, 4]
    with queue.submit() as h:
        for kind, image in ((sycl.HostUnsampledImageAccessor, unsampled), (sycl.HostSampledImageAccessor, sampled)):
            with pytest.raises((TypeError, sycl.InvalidParameterError)):
                kind(image, h)
        for kind, image in ((sycl.UnsampledImageAccessor, sampled), (sycl.SampledImageAccessor, unsampled)):
            with pytest.raises((TypeError, sycl.InvalidParameterError)):
                kind(image, h)


@pytest.mark.spec("H359", "H429")
def test_element_types(queue):
    allowed = {
        "r8g8b8a8_unorm": {"float4", "half4"}, "r16g16b16a16_unorm": {"float4", "half4"}, "r8g8b8a8_sint": {"int4"},
        "r16g16b16a16_sint": {"int4"}, "r32g32b32a32_sint": {"int4"}, "r8g8b8a8_uint": {"uint4"},
        "r16g16b16a16_uint": {"uint4"}, "r32g32b32a32_uint": {"uint4"}, "r16g16b16a16_sfloat": {"float4", "half4"},
        "r32g32b32a32_sfloat": {"float4", "half4"}, "b8g8r8a8_unorm": {"float4", "half4"},
    }  # fmt: skip
    components = {"int4": np.int32, "uint4": np.uint32, "float4": np.float32, "half4": np.float16}
    for format, (element, component) in itertools.product(FORMATS, components.items()):
        image = sycl.UnsampledImage(np.zeros((7, 4), FORMATS[format]), format, 7)
        if element in allowed[format]:
            for dtype in (element, component):
                with image.host_access("read", dtype) as pixels:
                    assert pixels.element_type == element
                    assert pixels.dtype == component
                    assert np.asarray(pixels).dtype == component
        else:
            with pytest.raises(sycl.InvalidParameterError, match="which"):
                image.host_access("read", element)
    with queue.submit() as h:
        with pytest.raises(sycl.InvalidParameterError, match="int4, uint4, float4, half4"):
            sycl.UnsampledImageAccessor(image, h, "read", np.float64)
        assert h.read(image).element_type == "float4"


@pytest.mark.spec("H434")
def test_facts_of_accessors(queue):
    image = sycl.UnsampledImage(None, "r16g16b16a16_uint", (7, 5))
    with queue.submit() as h:
        accessor = sycl.UnsampledImageAccessor(image, h, "write")
    with image.host_access("read") as host:
        for each in (accessor, host):
            assert each.size == each.count == 35
            assert each.byte_size == 280
            assert each.range == image.range
            assert each.dimensions == 2
        assert accessor.mode is sycl.AccessMode.write
        assert host.mode is sycl.AccessMode.read


@pytest.mark.spec("H359", "H435", "H437")
@pytest.mark.parametrize("rank", EXTENTS)
def test_the_host_reads_and_writes_by_coordinates(rank):
    place = (3, 2, 1)[:rank]
    data = pixels_of("b8g8r8a8_unorm", EXTENTS[rank])
    at = tuple(reversed(place))
    with sycl.UnsampledImage(data, "b8g8r8a8_unorm", EXTENTS[rank]) as image:
        with image.host_access("read") as pixels:
            coords = place[0] if rank == 1 else (*place, 0) if rank == 3 else place
            assert np.allclose(pixels.read(coords), decoded(data[at], "b8g8r8a8_unorm"))
            with pytest.raises(sycl.InvalidParameterError, match="only reads"):
                pixels.write(coords, (0, 0, 0, 0))
            with pytest.raises(IndexError):
                pixels.read(tuple(e for e in EXTENTS[rank]) if rank > 1 else EXTENTS[1][0])
            with pytest.raises(sycl.InvalidParameterError, match="whole numbers"):
                pixels.read([0.5] * rank if rank > 1 else 0.5)
        with image.host_access("write") as pixels:
            pixels.write(coords, (1.0, 0.0, 0.5, 0.25))
            with pytest.raises(sycl.InvalidParameterError, match="only writes"):
                pixels.read(coords)
    assert data[at].tolist() == [128, 0, 255, 64]


@pytest.mark.spec("H365", "H366")
def test_host_and_commands_take_turns(queue):
    """A host accessor is a node of the graph, like any other: it waits for writers, and later commands wait for it."""
    ones = np.ones((5, 7, 4), np.uint32)
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5)) as image:
        give(queue, image, "r8g8b8a8_uint", ones)
        with image.host_access("read") as pixels:
            assert (np.asarray(pixels) == 1).all()
        with image.host_access("write") as pixels:
            pixels[2, 3] = (1, 2, 3, 4)
        blot(queue, image, "r8g8b8a8_uint")
        elements = take(queue, image, "r8g8b8a8_uint")
    assert elements[2, 3].tolist() == [1, 2, 3, 4]
    assert elements.sum() == ones.sum() + 6


@pytest.mark.spec("H359", "H435", "H437")
def test_host_tasks_use_pixels(queue):
    seen = []
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", (7, 5)) as image:
        give(queue, image, "r8g8b8a8_uint", np.ones((5, 7, 4), np.uint32))
        with queue.submit() as h:
            reader = sycl.UnsampledImageAccessor(image, h, "read", target="host_task")
            h.host_task(lambda: seen.append(reader.read((6, 4)).tolist()))
        with queue.submit() as h:
            writer = sycl.UnsampledImageAccessor(image, h, "write", target="host_task")
            h.host_task(lambda: writer.write((6, 4), (9, 8, 7, 6)))
        assert take(queue, image, "r8g8b8a8_uint")[4, 6].tolist() == [9, 8, 7, 6]
    assert seen == [[1, 1, 1, 1]]


# -- sampled --


@pytest.mark.spec("H359", "H362", "H363", "H432", "H436")
@pytest.mark.parametrize("rank", EXTENTS)
@pytest.mark.parametrize("filtering", ["nearest", "linear"])
@pytest.mark.parametrize(
    ("coordinates", "addressing"),
    [(c, a) for a in ("clamp", "clamp_to_edge", "none") for c in ("normalized", "unnormalized")]
    + [("normalized", "repeat"), ("normalized", "mirrored_repeat")],
)
def test_sampled_reads(queue, rank, filtering, coordinates, addressing):
    """A kernel and the host read the same through every sampler."""
    extents = EXTENTS[rank]
    data = pixels_of("r32g32b32a32_sfloat", extents)
    before = data.copy()
    sampler = sycl.Sampler(coordinates, addressing, filtering)
    random = np.random.default_rng(rank)
    low, high = (0.3, 0.7) if addressing == "none" else (-1.4, 2.4)
    places = (random.random((300, rank)) * (high - low) + low).astype(np.float32)
    if coordinates == "unnormalized":
        places *= np.array(extents, np.float32)
    with sycl.SampledImage(data, "r32g32b32a32_sfloat", sampler, extents) as image:
        seen = look(queue, image, places)
        with image.host_access() as host:
            expected = host.read(places if rank > 1 else places[:, 0])
            assert not hasattr(host, "write")
    # GPUs weigh neighbours in steps of 1/256 in each dimension.
    coarse = rank * float(np.ptp(data)) / 128 if filtering == "linear" else 0
    close = np.isclose(seen, expected, rtol=0, atol=coarse).all(axis=1)
    assert close.mean() > 0.99  # a coordinate on the edge of two pixels may be either's
    assert np.array_equal(data, before)


@pytest.mark.spec("H362", "H432")
def test_sampled_images_are_read_only(queue):
    sampler = sycl.Sampler("normalized", "clamp", "linear")
    data = np.zeros((7, 4), np.uint8)
    data.flags.writeable = False
    with sycl.SampledImage(data, "r8g8b8a8_uint", sampler, 7) as image:
        with pytest.raises(sycl.InvalidParameterError, match="read"), queue.submit() as h:
            h.write(image)
        with pytest.raises(sycl.KernelArgumentError), queue.submit() as h:
            h.parallel_for(7, PROGRAM.give_ui1, h.read(image), np.zeros((7, 4), np.uint32))
        with queue.submit() as h:
            with pytest.raises(sycl.InvalidParameterError, match="UnsampledImage"):
                sycl.UnsampledImageAccessor(image, h, "read")
            accessor = sycl.SampledImageAccessor(image, h)
            assert accessor.mode is sycl.AccessMode.read
