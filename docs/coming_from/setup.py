"""The names that the tables of these pages use."""

import copy
import threading
import weakref

import numpy as np

import pysycl as sycl

n = 16
x = np.zeros(n, np.float32)
queue = sycl.Queue()
context, device = queue.context, queue.device
program = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")

b = sycl.Buffer(np.zeros(n, np.float32))
c = sycl.Buffer(n, np.float32)
p = sycl.malloc_shared(n, np.float32, queue)
event = queue.fill(c, 1.0)
pixels = np.zeros((2, 8, 4), np.uint8)
image = sycl.UnsampledImage(None, "r8g8b8a8_unorm", (8, 2))
sampler = sycl.Sampler("normalized", "clamp_to_edge", "linear")
sampled = sycl.SampledImage(pixels.copy(), "r8g8b8a8_unorm", sampler, (8, 2))
queue.wait_and_throw()
assert copy.copy(b) == b and threading and weakref
