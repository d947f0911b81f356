"""
A table by its keys
===================

Rows that have the same key, put together: sums, means and extremes of a column for each month, and an operator of one's own.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

days = np.arange("2020-01-01", "2024-01-01", dtype="datetime64[D]")
month = (days.astype("datetime64[M]").astype(int) % 12).astype(np.int32)
season = np.sin((month - 3) / 12 * 2 * np.pi)
warmth = (10 + 9 * season + np.random.default_rng(7).normal(0, 3, days.size)).astype(np.float32)

groups = sycl.group_by(month)
mean, low, high = groups.mean(warmth), groups.min(warmth), groups.max(warmth)
oddest = groups.reduce(warmth, "fabs(a - 10) < fabs(b - 10) ? b : a")  # the furthest from 10 degrees
print(groups.explain())

for key in groups.keys:
    rows = warmth[month == key]
    assert np.isclose(mean[key], rows.mean(), atol=1e-4)
    assert (low[key], high[key], oddest[key]) == (rows.min(), rows.max(), rows[np.abs(rows - 10).argmax()])
assert np.array_equal(groups.count(), np.bincount(month))

plt.fill_between(groups.keys + 1, low, high, alpha=0.3)
plt.plot(groups.keys + 1, mean, "o-")
plt.plot(groups.keys + 1, oddest, "k_")
plt.xlabel("month")
plt.ylabel("degrees")
plt.show()
