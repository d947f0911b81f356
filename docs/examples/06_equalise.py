"""
Histogram equalisation
======================

A histogram by an array of reducers, its running sum, and a table look-up: three lines.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

queue = sycl.Queue()
y, x = np.mgrid[0:200, 0:300]
image = (90 + 25 * np.sin(x / 20) * np.cos(y / 30) + np.random.default_rng(3).normal(0, 4, x.shape)).astype(np.uint8)

counts = np.zeros(256, np.uint32)
bins = sycl.reduction(sycl.span(counts), sycl.plus)
queue.parallel_for(image.size, "bins[image[i]]++;", image=image.ravel(), bins=bins)
running = sycl.cumsum(counts)
better = np.empty_like(image)
body = "better[i] = 255 * running[image[i]] / total;"
flat = image.ravel()
queue.parallel_for(image.size, body, image=flat, better=better.ravel(), running=running, total=image.size)

assert np.array_equal(counts, np.bincount(flat, minlength=256))
assert np.array_equal(better, (255 * np.cumsum(counts) // image.size)[image])
picture, axes = plt.subplots(1, 2, figsize=(9, 3.5))
for ax, shown in zip(axes, (image, better), strict=True):
    ax.imshow(shown, cmap="gray", vmin=0, vmax=255)
    ax.axis("off")
plt.show()
