"""
A recorded pipeline and its timeline
====================================

Commands that are submitted over and over are recorded once. A profile shows what a block's commands took.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

queue = sycl.Queue()
n = 200_000
x, y = np.linspace(0, 1, n, dtype=np.float32), np.zeros(n, np.float32)
with queue.record() as recording:
    queue.parallel_for(n, "y[i] = a * sin(x[i]);", x=x, y=y, a=1.0)
    queue.parallel_for(n, "y[i] = y[i] * y[i];", y=y)

with queue.profile() as profile:
    for a in range(5):
        recording.replay(a=float(a)).wait()
    queue.parallel_for(n, "y[i] = sqrt(y[i]);", y=y)

assert np.allclose(y, np.abs(4 * np.sin(x)), atol=1e-5)
print(profile)

shown = [command for command in profile.commands if command.kind in ("kernel", "replay")]
for row, command in enumerate(shown):
    plt.barh(row, command.seconds * 1e3, left=command.start * 1e3)
plt.yticks(range(len(shown)), [command.label or command.kind for command in shown])
plt.xlabel("ms")
plt.tight_layout()
plt.show()
