"""
Variance and log-sum-exp, by structs
====================================

An operator of one's own combines structs. One pass gives both, and no number in between grows too large or loses its digits,
as the mean of squares does, and the sum of exponentials.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

MOMENTS = np.dtype([("n", "f4"), ("mean", "f4"), ("rest", "f4")])
LARGE = np.dtype([("most", "f4"), ("sum", "f4")])
joined = sycl.BinaryOp(
    "(T){a.n + b.n, (a.n * a.mean + b.n * b.mean) / fmax(a.n + b.n, 1.0f), a.rest + b.rest"
    " + (b.mean - a.mean) * (b.mean - a.mean) * a.n * b.n / fmax(a.n + b.n, 1.0f)}",
    identity=np.zeros((), MOMENTS),
)
added = sycl.BinaryOp(
    "(T){fmax(a.most, b.most), a.sum * exp(a.most - fmax(a.most, b.most)) + b.sum * exp(b.most - fmax(a.most, b.most))}",
    identity=np.array((-1e30, 0), LARGE),
)
BODY = """
m.value_type one = {1, x[i], 0}; m.combine(one);
e.value_type same = {x[i], 1}; e.combine(same);
"""

queue = sycl.Queue()
noise = np.random.default_rng(6).normal(size=20_000).astype(np.float32)
shifts, ours, plain = 10.0 ** np.arange(6), [], []
for shift in shifts:
    x = noise + np.float32(shift)
    m, e = np.zeros(1, MOMENTS), np.zeros(1, LARGE)
    by = {"initialize_to_identity": True}
    queue.parallel_for(x.size, BODY, x=x, m=sycl.reduction(m, joined, **by), e=sycl.reduction(e, added, **by))
    exact = x.astype(float)
    biggest = exact.max()
    assert np.isclose(e["most"][0] + np.log(e["sum"][0]), biggest + np.log(np.exp(exact - biggest).sum()), rtol=1e-5)
    ours.append(abs(m["rest"][0] / x.size / exact.var() - 1))
    plain.append(abs((np.mean(x * x) - np.mean(x) ** 2) / exact.var() - 1))
assert max(ours) < 0.05
plt.loglog(shifts, plain, "o-", label="mean of squares less square of mean")
plt.loglog(shifts, ours, "o-", label="by structs")
plt.xlabel("mean of the numbers")
plt.ylabel("error of their variance")
plt.legend()
plt.show()
