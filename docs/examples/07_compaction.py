"""
Compaction, and sums of segments
================================

Which elements are kept depends on the data; scans say where each goes.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

signal = np.cumsum(np.random.default_rng(4).normal(size=2000)).astype(np.float32)
peaks = sycl.flatnonzero(np.r_[False, (signal[1:-1] > signal[:-2]) & (signal[1:-1] > signal[2:]), False])
high = sycl.select(signal, "x > 0")
assert np.array_equal(high, signal[signal > 0])

starts = np.arange(0, 2000, 100)
means = np.add.reduceat(signal, starts) / 100
segments = np.zeros(2000, np.bool_)
segments[starts] = True
running = sycl.inclusive_scan(signal, segments=segments)
assert np.allclose(running[99::100] / 100, means, rtol=1e-3, atol=1e-3)

plt.plot(signal, lw=0.7)
plt.plot(peaks, signal[peaks], ".", ms=3)
plt.step(starts, means, where="post")
plt.show()
