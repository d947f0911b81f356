"""
k-means
=======

Each point looks for its nearest centre and adds itself to that one's sums: one body, with three arrays of reducers.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

BODY = """
int best = 0;
for (int c = 1; c < clusters; c++)
    if (hypot(x[i] - cx[c], y[i] - cy[c]) < hypot(x[i] - cx[best], y[i] - cy[best])) best = c;
label[i] = best;
sx[best] += x[i];
sy[best] += y[i];
n[best]++;
"""

clusters = 5
rng = np.random.default_rng(8)
points = (
    (rng.uniform(-10, 10, (clusters, 1, 2)) + rng.normal(size=(clusters, 4000, 2))).reshape(-1, 2).astype(np.float32)
)
x, y = points.T.copy()
centers = points[rng.choice(len(points), clusters, replace=False)].T.copy()
label = np.zeros(x.size, np.int32)
queue, moved = sycl.Queue(), 1.0
while moved > 1e-4:
    sx, sy, n = np.zeros(clusters, np.float32), np.zeros(clusters, np.float32), np.zeros(clusters, np.int32)
    sums = {name: sycl.reduction(sycl.span(each), sycl.plus) for name, each in (("sx", sx), ("sy", sy), ("n", n))}
    cx, cy = centers
    queue.parallel_for(x.size, BODY, x=x, y=y, cx=cx, cy=cy, label=label, clusters=clusters, **sums)
    following = np.where(n > 0, np.array([sx, sy]) / np.maximum(n, 1), centers).astype(np.float32)
    moved = float(np.abs(following - centers).max())
    centers = following

far = np.hypot(x[:, None] - centers[0], y[:, None] - centers[1])
chosen = np.take_along_axis(far, label[:, None], 1)[:, 0]
assert np.all(chosen <= far.min(1) + 1e-3)
assert np.array_equal(n, np.bincount(label, minlength=clusters))
plt.scatter(x, y, c=label, s=1, cmap="tab10")
plt.plot(*centers, "k+", ms=15)
plt.axis("equal")
plt.show()
