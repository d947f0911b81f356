"""
PageRank on a sparse matrix
===========================

A row of the matrix, in compressed form, is a run of columns: the body sums what they are worth. How much the ranks change
is a reduction of the same body.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

BODY = """
float sum = 0;
for (int k = begin[i]; k < begin[i + 1]; k++) sum += rank[from[k]] / out[from[k]];
const float v = (1 - damping) / n + damping * sum;
next[i] = v;
change += fabs(v - rank[i]);
"""

n, links = 2000, 20_000
rng = np.random.default_rng(10)
to = np.concatenate([np.arange(n), (n * rng.random(links) ** 3).astype(int)])  # the first pages are the most liked
start = np.concatenate([np.roll(np.arange(n), 1), rng.integers(0, n, links)])
order = np.lexsort((start, to))
begin = sycl.cumulative_sum(np.bincount(to, minlength=n), include_initial=True).astype(np.int32)
columns = start[order].astype(np.int32)
out = np.bincount(start, minlength=n).astype(np.float32)

queue, history = sycl.Queue(), []
rank, following = np.full(n, 1 / n, np.float32), np.empty(n, np.float32)
fixed = {"begin": begin, "from": columns, "out": out, "damping": 0.85, "n": n}
while not history or history[-1] > 1e-5:
    change = np.zeros(1, np.float32)
    queue.parallel_for(n, BODY, rank=rank, next=following, change=sycl.reduction(change, sycl.plus), **fixed)
    history.append(float(change[0]))
    rank, following = following, rank

dense = np.zeros((n, n))
np.add.at(dense, (to, start), 1 / out[start])
assert np.abs(0.15 / n + 0.85 * dense @ rank - rank).sum() < 1e-4
assert abs(rank.sum() - 1) < 1e-3
picture, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
left.semilogy(history)
left.set_xlabel("step")
left.set_ylabel("change")
right.loglog(1 + np.arange(n), sycl.sort(rank, descending=True))
right.set_xlabel("page, by rank")
right.set_ylabel("rank")
plt.tight_layout()
plt.show()
