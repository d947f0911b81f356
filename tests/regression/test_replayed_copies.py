"""A replay that copies to an array of the host's is a writer of that array, and one that copies from it a reader: what comes
next waits, in other queues too, also where the copy has not begun."""

import pytest
from sweeps import sweep

SCENARIOS = """
import itertools, threading
import numpy as np
import pysycl as sycl

N = 64
device = sycl.Device()
queue = sycl.Queue(device)
other = sycl.Queue(device, context=sycl.Context(device))
program = sycl.Program('''
kernel void take(global uint *to, global const uint *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
''')

def array_of(layout, value):
    whole = np.full(2 * N, value, np.uint32)
    return whole[:N] if layout == "C" else whole[::2]

def held_back(buffer, gate):
    \"\"\"A host task that fills the buffer, once the gate is open.\"\"\"
    def group(h):
        a = sycl.Accessor(buffer, h, "write", target="host_task")
        h.host_task(lambda: (gate.wait(60), np.asarray(a).fill(7)))
    queue.submit(group)

def to_the_array(what, array):
    \"\"\"What comes behind a copy to the array, and what has to be where in the end.\"\"\"
    seen = np.zeros(N, np.uint32)
    if what == "kernel reads":
        other.parallel_for(N, program.take, seen, array)
    elif what == "copy reads":
        with sycl.Buffer((N,), np.uint32) as b:
            other.submit(lambda h: h.copy(array, h.write(b)))
            seen[:] = np.asarray(b)
    elif what == "replay reads":
        with sycl.Buffer((N,), np.uint32) as b:
            with other.record() as g:
                other.submit(lambda h: h.copy(array, h.write(b)))
            g.replay()
            seen[:] = np.asarray(b)
    else:
        other.parallel_for(N, program.take, array, np.full(N, 9, np.uint32))
        other.wait_and_throw()
        queue.wait_and_throw()
        return array, 9
    other.wait_and_throw()
    return seen, 7

ran = 0
for layout, what in itertools.product(("C", "strided"), ("kernel reads", "copy reads", "replay reads", "kernel writes")):
    array, gate, buffer = array_of(layout, 1), threading.Event(), sycl.Buffer((N,), np.uint32)
    with queue.record() as g:
        queue.submit(lambda h: h.copy(h.read(buffer), array))
    held_back(buffer, gate)
    copied, out = g.replay(wait=False), []
    # What comes next may wait itself: it is on arrays.
    behind = threading.Thread(target=lambda: out.extend(to_the_array(what, array)))
    behind.start()
    behind.join(0.05)
    assert behind.is_alive() and copied.status is not sycl.EventCommandStatus.complete and array[0] == 1, (layout, what)
    gate.set()
    behind.join()
    assert (out[0] == out[1]).all(), (layout, what, out)
    ran += 1

for layout in ("C", "strided"):  # a copy from the array, and a writer behind it
    array, gate, buffer = array_of(layout, 1), threading.Event(), sycl.Buffer((N,), np.uint32)
    with queue.record() as g:
        queue.submit(lambda h: h.copy(array, h.write(buffer)))
    held_back(buffer, gate)
    g.replay(wait=False)
    behind = threading.Thread(target=lambda: other.parallel_for(N, program.take, array, np.full(N, 9, np.uint32)))
    behind.start()
    behind.join(0.05)
    gate.set()
    behind.join()
    queue.wait_and_throw(), other.wait_and_throw()
    assert (np.asarray(buffer) == 1).all() and (array == 9).all(), (layout, array)
    ran += 1
print(ran)
"""


@pytest.mark.spec("H032")
@pytest.mark.parametrize("kind", sweep(["shared", "unknown", "gpu"], ["shared", "gpu"]))
def test_what_comes_behind_a_replayed_copy_waits(run_python, copying, kind):
    child = run_python(SCENARIOS, None if kind == "shared" else copying(kind))
    assert child.stdout == "10\n"
