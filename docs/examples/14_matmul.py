"""
A matrix product in tiles
=========================

Each work-group brings a tile of both matrices into local memory, where all of its items read it. `explain` says how a body
is launched, and a profile how long it took: which of the two is faster depends on the device.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

TILE = 16
PLAIN = "float sum = 0; for (int k = 0; k < n0; k++) sum += a(i0, k) * b(k, i1); c(i0, i1) = sum;"
TILED = """
const int row = local_id(0), column = local_id(1);
float sum = 0;
for (int first = 0; first < n0; first += TILE) {
    left[row * TILE + column] = a(i0, first + column);
    right[row * TILE + column] = b(first + row, i1);
    group_barrier(work_group);
    for (int k = 0; k < TILE; k++) sum += left[row * TILE + k] * right[k * TILE + column];
    group_barrier(work_group);
}
c(i0, i1) = sum;
"""

n = 256
rng = np.random.default_rng(9)
a, b = rng.normal(size=(2, n, n)).astype(np.float32)
plain, tiled = np.zeros((2, n, n), np.float32)
queue = sycl.Queue()
range = sycl.NdRange((n, n), (TILE, TILE))
local = {name: sycl.local(TILE * TILE, np.float32) for name in ("left", "right")}
with queue.profile() as profile:
    for _ in "12":
        queue.parallel_for((n, n), PLAIN, a=a, b=b, c=plain, name="plain")
        queue.parallel_for(range, TILED, a=a, b=b, c=tiled, options=f"-DTILE={TILE}", name="tiled", **local)
print(sycl.explain(PLAIN, (n, n), a=a, b=b, c=plain))

assert np.allclose(plain, a @ b, atol=1e-3)
assert np.allclose(tiled, a @ b, atol=1e-3)
times = {row.label: row.median * 1e3 for row in profile.by("text") if row.kind == "kernel"}
plt.barh(list(times), list(times.values()))
plt.xlabel("ms")
plt.tight_layout()
plt.show()
