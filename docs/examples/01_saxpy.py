"""
Saxpy, three ways
=================

A line over arrays, a program in OpenCL C, and a kernel that was prepared once.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

queue = sycl.Queue()
x = np.linspace(0, 10, 200, dtype=np.float32)
y = np.sin(x)
expected = y + 3 * (0.5 * x)

queue.parallel_for(x.size, "y[i] += a * x[i];", x=x, y=y, a=0.5)

program = sycl.Program("""
__kernel void saxpy(float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
""")
queue.parallel_for(x.size, program.saxpy, 0.5, x, y)

step = queue.kernel(x.size, "y[i] += a * x[i];", x=x, y=y, a=0.5)
step()

assert np.allclose(y, expected, atol=1e-5)
plt.plot(x, y)
plt.title("y += a x, three times")
plt.show()
