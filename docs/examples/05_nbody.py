"""
Bodies that attract each other, in local memory
===============================================

Each work-group brings a tile of the bodies into local memory, and all of its items read it there.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

GROUP = 64
BODY = """
float4 own = p[i];
float2 pull = 0;
for (int first = 0; first < n0; first += GROUP) {
    tile[local_id(0)] = p[first + local_id(0)];
    group_barrier(work_group);
    for (int k = 0; k < GROUP; k++) {
        float2 d = tile[k].xy - own.xy;
        float r = dot(d, d) + 1e-3f;
        pull += d / (r * sqrt(r));
    }
    group_barrier(work_group);
}
f[2 * i] = pull.x;
f[2 * i + 1] = pull.y;
"""

n = 1024
queue = sycl.Queue()
places = np.random.default_rng(2).normal(size=(n, 2)).astype(np.float32)
p = np.zeros(n, sycl.float4)
p_view = p.view(np.float32).reshape(n, 4)
p_view[:, :2] = places
f = np.zeros((n, 2), np.float32)
tile = sycl.local(GROUP, sycl.float4)
queue.parallel_for(sycl.NdRange(n, GROUP), BODY, p=p, f=f.ravel(), tile=tile, options=f"-DGROUP={GROUP}")

d = places[None] - places[:, None]
r = (d**2).sum(-1) + 1e-3
expected = (d / r[..., None] ** 1.5).sum(1)
assert np.allclose(f, expected, rtol=1e-2, atol=1)
plt.quiver(places[:, 0], places[:, 1], f[:, 0], f[:, 1], np.hypot(f[:, 0], f[:, 1]))
plt.axis("equal")
plt.show()
