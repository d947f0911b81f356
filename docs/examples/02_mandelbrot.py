"""
Mandelbrot set
==============

One work-item for each pixel of a two-dimensional range.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

BODY = """
float2 c = (float2)(-2.2f + 3.0f * i1 / n1, -1.2f + 2.4f * i0 / n0), z = 0;
int k = 0;
while (k < most && dot(z, z) < 4) {
    z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    k++;
}
count(i0, i1) = k;
"""

queue = sycl.Queue()
count = np.zeros((480, 600), np.int32)
queue.parallel_for(count.shape, BODY, count=count, most=100)

y, x = 240, 440  # the origin, near enough: inside
assert count[y, x] == 100 and count[0, 0] < 3
plt.imshow(count, cmap="magma")
plt.axis("off")
plt.show()
