"""PoCL's calling-thread device deadlocked when two threads used it at once.

One thread finished its command, and PoCL started the other's under a lock that the other's own call needed. The lane is
one thread's at a time now, and whoever finds it taken uses the pool.
"""

from collections.abc import Callable
from typing import Any

PROGRAM = """
import threading
import numpy as np
import pysycl as sycl

program = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")
queues = [sycl.Queue(), sycl.Queue(in_order=True)]
start = threading.Barrier(6)
wrong = []

def work(number):
    x = np.zeros(16, np.float32)
    start.wait()
    for step in range(200):
        queues[step % 2].parallel_for(16, program.add, x, 1.0)
    for queue in queues:
        queue.wait_and_throw()
    if not (x == 200).all():
        wrong.append(x)

threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("wrong" if wrong else "right")
"""


def test_small_commands_of_many_threads_end(run_python: Callable[..., Any]) -> None:
    assert run_python(PROGRAM, timeout=60).stdout.strip() == "right"
