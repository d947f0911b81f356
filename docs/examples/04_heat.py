"""
Heat, until it stands still
===========================

A step of the heat equation and the largest change in one body: the change is a reduction.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

BODY = """
if (i0 == 0 || i1 == 0 || i0 == n0 - 1 || i1 == n1 - 1) return;
float v = 0.25f * (t(i0 - 1, i1) + t(i0 + 1, i1) + t(i0, i1 - 1) + t(i0, i1 + 1));
next(i0, i1) = v;
change.combine(fabs(v - t(i0, i1)));
"""

queue = sycl.Queue()
t = np.zeros((64, 64), np.float32)
t[0] = 100
following = t.copy()
history = []
while not history or history[-1] > 0.05:
    change = np.zeros(1, np.float32)
    most = sycl.reduction(change, sycl.maximum)
    queue.parallel_for(t.shape, BODY, t=t, next=following, change=most)
    history.append(float(change[0]))
    t, following = following, t

inside = (t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:]) / 4
assert np.abs(inside - t[1:-1, 1:-1]).max() < 0.06
picture, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.imshow(t, cmap="inferno")
right.semilogy(history)
right.set_xlabel("step")
right.set_ylabel("largest change")
plt.show()
