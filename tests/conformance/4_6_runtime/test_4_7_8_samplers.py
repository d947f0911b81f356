"""Samplers: SYCL 2020, 4.7.8."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

ADDRESSING = ("mirrored_repeat", "repeat", "clamp_to_edge", "clamp", "none")
COORDINATES = ("normalized", "unnormalized")
FILTERING = ("nearest", "linear")
REPEATING = ("mirrored_repeat", "repeat")

PROGRAM = sycl.Program("""
__kernel void row(read_only image1d_t image, sampler_t how, __global const float *at, __global float4 *out)
{
    out[get_global_id(0)] = read_imagef(image, how, at[get_global_id(0)]);
}
""")


def red_at(queue, sampler, places):
    """The red channel that a kernel reads at `places` from a row of four pixels with red 1, 2, 3, 4."""
    row = np.full((4, 4), 9, np.float32)
    row[:, 0] = [1, 2, 3, 4]
    at = np.asarray(places, np.float32)
    out = np.zeros((at.size, 4), np.float32)
    with sycl.SampledImage(row, "r32g32b32a32_sfloat", sampler, 4) as image:
        with queue.submit() as h:
            h.parallel_for(at.size, PROGRAM.row, h.read(image), sampler, at, out)
        h.event.wait_and_throw()
        with image.host_access() as host:
            assert np.allclose(host.read(at)[:, 0], out[:, 0], atol=1e-5)
    return out[:, 0].tolist()


@pytest.mark.spec("H442", "H443")
def test_the_modes_have_sycls_names():
    assert [mode.name for mode in sycl.AddressingMode] == list(ADDRESSING)
    assert [mode.name for mode in sycl.FilteringMode] == list(FILTERING)
    assert [mode.name for mode in sycl.CoordinateNormalizationMode] == list(COORDINATES)


@pytest.mark.spec("H446", "H447")
def test_a_sampler_is_made_of_three_modes():
    for modes in itertools.product(COORDINATES, ADDRESSING, FILTERING):
        if modes[0] == "unnormalized" and modes[1] in REPEATING:
            continue
        sampler = sycl.Sampler(*modes)
        assert sampler.coordinate_normalization_mode is sycl.CoordinateNormalizationMode(modes[0])
        assert sampler.addressing_mode is sycl.AddressingMode(modes[1])
        assert sampler.filtering_mode is sycl.FilteringMode(modes[2])
        assert sampler == sycl.Sampler(
            sycl.CoordinateNormalizationMode(modes[0]), sycl.AddressingMode(modes[1]), sycl.FilteringMode(modes[2])
        )
        assert hash(sampler) == hash(sycl.Sampler(*modes))
        assert eval(repr(sampler), {"Sampler": sycl.Sampler}) == sampler
        assert pickle.loads(pickle.dumps(sampler)) == copy.copy(sampler) == sampler
    assert sycl.Sampler("normalized", "clamp", "linear") != sycl.Sampler("normalized", "clamp", "nearest")
    assert sycl.Sampler("normalized", "clamp", "linear") != "a sampler"


@pytest.mark.spec("H444")
@pytest.mark.parametrize("addressing", REPEATING)
def test_repeating_needs_normalized_coordinates(addressing):
    with pytest.raises(sycl.InvalidParameterError, match=f"{addressing} needs normalized coordinates"):
        sycl.Sampler("unnormalized", addressing, "nearest")


@pytest.mark.spec("H446")
def test_words_that_are_no_modes():
    with pytest.raises(sycl.InvalidParameterError, match="addressing_mode is 'wrap'"):
        sycl.Sampler("normalized", "wrap", "nearest")
    with pytest.raises(sycl.InvalidParameterError, match="filtering_mode is 'cubic'"):
        sycl.Sampler("normalized", "clamp", "cubic")
    with pytest.raises(sycl.InvalidParameterError, match="coordinate_normalization_mode is 'yes'"):
        sycl.Sampler("yes", "clamp", "nearest")


@pytest.mark.spec("H442", "H445")
def test_what_lies_beyond_the_image(queue):
    def read(addressing, coordinates="unnormalized", at=(-0.5, 0.5, 3.5, 4.5, 7.5)):
        scale = 4 if coordinates == "normalized" else 1
        return red_at(queue, sycl.Sampler(coordinates, addressing, "nearest"), [x / scale for x in at])

    assert read("clamp_to_edge") == [1, 1, 4, 4, 4]
    assert read("clamp") == [0, 1, 4, 0, 0]  # the border colour
    assert read("repeat", "normalized") == [4, 1, 4, 1, 4]
    assert read("mirrored_repeat", "normalized") == [1, 1, 4, 4, 1]
    assert read("none", at=(0.5, 1.5, 2.5, 3.5)) == [1, 2, 3, 4]


@pytest.mark.spec("H443")
def test_what_lies_between_pixels(queue):
    nearest = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
    linear = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
    assert red_at(queue, nearest, [1.0, 1.75, 2.25]) == [2, 2, 3]
    assert red_at(queue, linear, [1.0, 1.75, 2.25]) == pytest.approx([1.5, 2.25, 2.75], abs=0.01)


@pytest.mark.spec("H443")
def test_normalized_coordinates(queue):
    """0.0 to 1.0 spans the image whatever its size; unnormalized coordinates count pixels."""
    normalized = sycl.Sampler("normalized", "clamp_to_edge", "nearest")
    pixels = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
    assert red_at(queue, normalized, [0.1, 0.3, 0.6, 0.9]) == [1, 2, 3, 4]
    assert red_at(queue, pixels, [0.1, 0.3, 0.6, 0.9]) == [1, 1, 1, 1]


@pytest.mark.spec("D522")
def test_native_samplers(queue):
    sampler = sycl.Sampler("normalized", "mirrored_repeat", "linear")
    native = sampler.int_ptr_in(queue.context)
    assert native == sampler.int_ptr_in(queue.context)
    again = opencl.make_sampler(native, queue.context)
    assert again == sampler
    del sampler
    assert again.int_ptr_in(queue.context) == native  # kept alive by its own reference
    other = sycl.Context(queue.device)
    with pytest.raises(sycl.InvalidObjectError, match="another context"):
        opencl.make_sampler(native, other)
    assert again.int_ptr_in(other) != native
    with pytest.raises(sycl.InvalidParameterError):
        opencl.make_sampler(0, queue.context)
