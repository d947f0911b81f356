"""
Blur and edges, on images
=========================

A sampler reads between pixels: four such reads are a blur of nine pixels. The edges are Sobel's, of what is blurred.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

TEXT = """
__kernel void blur(read_only image2d_t from, sampler_t how, write_only image2d_t to) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 p = convert_float2(at);  /* the corner of the pixel; its middle is half a pixel further */
    const float4 v = read_imagef(from, how, p) + read_imagef(from, how, p + (float2)(1, 0))
        + read_imagef(from, how, p + (float2)(0, 1)) + read_imagef(from, how, p + 1);
    write_imagef(to, at, v / 4);
}
__kernel void sobel(read_only image2d_t from, sampler_t how, write_only image2d_t to) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 slope = 0;
    for (int d = -1; d <= 1; d++) {
        const float weight = 2 - abs(d);
        slope.x += weight * (read_imagef(from, how, at + (int2)(1, d)).x - read_imagef(from, how, at + (int2)(-1, d)).x);
        slope.y += weight * (read_imagef(from, how, at + (int2)(d, 1)).x - read_imagef(from, how, at + (int2)(d, -1)).x);
    }
    write_imagef(to, at, length(slope));
}
"""

y, x = np.mgrid[0:150, 0:200].astype(np.float32)
noise = np.random.default_rng(5).normal(0, 0.1, x.shape).astype(np.float32)
plain = np.where(np.hypot(x - 80, y - 70) < 45, 1, np.where(x + y > 260, 0.6, 0)).astype(np.float32) + noise
blurred, edges = np.zeros((2, 150, 200, 4), np.float32)

queue, program, kind = sycl.Queue(), sycl.Program(TEXT), "r32g32b32a32_sfloat"
smooth = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
pixels = np.repeat(plain[..., None], 4, 2)
source = sycl.SampledImage(pixels, kind, smooth, (200, 150))
with sycl.UnsampledImage(blurred, kind, (200, 150)) as middle, sycl.UnsampledImage(edges, kind, (200, 150)) as last:
    with queue.submit() as h:
        h.parallel_for((150, 200), program.blur, h.read(source), smooth, h.write(middle))
    with queue.submit() as h:
        nearest = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
        h.parallel_for((150, 200), program.sobel, h.read(middle), nearest, h.write(last))

a = np.pad(plain, 1, mode="edge")
a = (a[:-2] + 2 * a[1:-1] + a[2:]) / 4
assert np.allclose(
    blurred[..., 0], (a[:, :-2] + 2 * a[:, 1:-1] + a[:, 2:]) / 4, atol=0.01
)  # as coarse as samplers may be
plt.figure(figsize=(9, 2.5))
for place, shown in enumerate((plain, blurred[..., 0], edges[..., 0])):
    plt.subplot(1, 3, place + 1).axis("off")
    plt.imshow(shown, cmap="gray")
plt.show()
