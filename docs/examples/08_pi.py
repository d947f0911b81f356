"""
Monte Carlo by counters
=======================

Random numbers are functions of a key and a counter, so each work-item has its own, and every device the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

queue = sycl.Queue()
estimates = []
sizes = [10**k for k in range(2, 7)]
for n in sizes:
    inside = np.zeros(1, np.uint32)
    hits = sycl.reduction(inside, sycl.plus)
    body = "float a = random_uniform(1, 2 * i), b = random_uniform(1, 2 * i + 1); hits += a * a + b * b < 1;"
    queue.parallel_for(n, body, hits=hits)
    estimates.append(4 * float(inside[0]) / n)

assert abs(estimates[-1] - np.pi) < 0.01
plt.loglog(sizes, np.abs(np.array(estimates) - np.pi), "o-", label="error")
plt.loglog(sizes, 1 / np.sqrt(sizes), "--", label="1 / sqrt(n)")
plt.legend()
plt.xlabel("points")
plt.show()
