"""Kernels that read and write images of every format, and what they should see: for the tests of images."""

import itertools

import numpy as np

import pysycl as sycl

FORMATS = {
    "r8g8b8a8_unorm": np.uint8, "r16g16b16a16_unorm": np.uint16, "r8g8b8a8_sint": np.int8,
    "r16g16b16a16_sint": np.int16, "r32g32b32a32_sint": np.int32, "r8g8b8a8_uint": np.uint8,
    "r16g16b16a16_uint": np.uint16, "r32g32b32a32_uint": np.uint32, "r16g16b16a16_sfloat": np.float16,
    "r32g32b32a32_sfloat": np.float32, "b8g8r8a8_unorm": np.uint8,
}  # fmt: skip
EXTENTS = {1: (7,), 2: (7, 5), 3: (7, 5, 3)}
AT = {1: "x", 2: "(int2)(x, y)", 3: "(int4)(x, y, z, 0)"}
WORDS = {"f": "float4", "i": "int4", "ui": "uint4"}

SOURCE = "#ifdef cl_khr_3d_image_writes\n#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n#endif\n"
for rank, (letter, word) in itertools.product(AT, WORDS.items()):
    SOURCE += f"""
__kernel void take_{letter}{rank}(read_only image{rank}d_t image, __global {word} *out)
{{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[i] = read_image{letter}(image, {AT[rank]});
}}
__kernel void give_{letter}{rank}(write_only image{rank}d_t image, __global const {word} *in)
{{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    write_image{letter}(image, {AT[rank]}, in[i]);
}}
__kernel void blot_{letter}{rank}(write_only image{rank}d_t image)
{{
    int x = 1, y = 0, z = 0;
    write_image{letter}(image, {AT[rank]}, ({word})(1));
}}
"""
PROGRAM = sycl.Program(SOURCE)
ELEMENT = {"float4": ("f", np.float32), "int4": ("i", np.int32), "uint4": ("ui", np.uint32)}


def pixels_of(format, extents, seed=0):
    """Random pixels as they lie in memory."""
    dtype = np.dtype(FORMATS[format])
    random = np.random.default_rng(seed)
    shape = (*reversed(extents), 4)
    if dtype.kind == "f":
        return (random.random(shape) * 8 - 4).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def element_of(format):
    return {"unorm": "float4", "sfloat": "float4", "sint": "int4", "uint": "uint4"}[format.rpartition("_")[2]]


def kernel(verb, format, rank):
    return getattr(PROGRAM, f"{verb}_{ELEMENT[element_of(format)][0]}{rank}")


def global_range(extents):
    """The range of a kernel whose get_global_id(0) is x: SYCL's last dimension."""
    return tuple(reversed(extents))


def take(queue, image, format):
    """What a kernel reads of every pixel."""
    out = np.zeros((*reversed(image.range), 4), ELEMENT[element_of(format)][1])
    with queue.submit() as h:
        h.parallel_for(global_range(image.range), kernel("take", format, image.dimensions), h.read(image), out)
    h.event.wait_and_throw()
    return out


def give(queue, image, format, elements, **how):
    """Has a kernel write every pixel."""
    with queue.submit() as h:
        accessor = h.write(image, **how)
        h.parallel_for(global_range(image.range), kernel("give", format, image.dimensions), accessor, elements)
    return h.event


def blot(queue, image, format):
    """Has a kernel write ones to the pixel with x = 1."""
    with queue.submit() as h:
        h.single_task(kernel("blot", format, image.dimensions), h.write(image))
    return h.event


def decoded(pixels, format):
    elements = pixels.astype(ELEMENT[element_of(format)][1])
    if format.endswith("unorm"):
        elements = (pixels / np.iinfo(pixels.dtype).max).astype(np.float32)
    return elements[..., [2, 1, 0, 3]] if format.startswith("b8") else elements


SAMPLED = sycl.Program(
    "".join(
        f"__kernel void look{rank}(read_only image{rank}d_t image, sampler_t how, __global const float4 *at,"
        f" __global float4 *out)\n"
        f"{{ float4 p = at[get_global_id(0)]; out[get_global_id(0)] = read_imagef(image, how, {place}); }}\n"
        for rank, place in {1: "p.x", 2: "p.xy", 3: "p"}.items()
    )
)


def look(queue, image, places):
    """What a kernel reads through the image's sampler."""
    at, out = np.zeros((len(places), 4), np.float32), np.zeros((len(places), 4), np.float32)
    at[:, : image.dimensions] = places
    with queue.submit() as h:
        accessor = h.read(image)
        kernel = getattr(SAMPLED, f"look{image.dimensions}")
        h.parallel_for(len(places), kernel, accessor, accessor.sampler, at, out)
    h.event.wait_and_throw()
    return out
