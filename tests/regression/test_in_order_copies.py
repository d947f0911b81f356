"""In-order queues on devices with memory of their own: the copies that the core makes are not of the user's order. A command
follows the one submitted before it, not the copy that was made for it, and not the copy that another queue asked for."""

import pytest

SCENARIOS = """
import itertools, threading, time
import numpy as np
import pysycl as sycl

N = 64
device = sycl.Device()
assert not device._facts["shares_host_memory"]
queue = sycl.Queue(device, in_order=True)
other = sycl.Queue(device, context=queue.context)
program = sycl.Program('''
kernel void scale(global uint *to, global const uint *from, uint a) { to[get_global_id(0)] = a * from[get_global_id(0)]; }
kernel void bump(global uint *to) { to[get_global_id(0)] += 1; }
''')

def command(what, b, c, u, v):
    if what == "reads a buffer":  # that is on the host
        return queue.submit(lambda h: h.parallel_for(N, program.scale, u, h.read(b), 3))
    if what == "changes a buffer":
        return queue.submit(lambda h: h.parallel_for(N, program.bump, h.read_write(b)))
    if what == "copies a buffer":
        return queue.submit(lambda h: h.copy(h.read(b), h.write(c)))
    if what == "updates the host":
        return queue.submit(lambda h: h.update_host(h.read(b)))
    if what == "copies memory":
        return queue.memcpy(u, v, u.nbytes)
    if what == "host task":
        return queue.host_task(lambda: None)
    with queue.record() as g:
        queue.submit(lambda h: h.parallel_for(N, program.scale, u, h.read(b), 3))
    return g.replay()

COMMANDS = (
    "reads a buffer", "changes a buffer", "copies a buffer", "updates the host", "copies memory", "host task", "replay",
)
ran = 0
# Each behind a host task that has to wait, with another queue's copy of the same buffer between the two.
for what, between in itertools.product(COMMANDS, (False, True)):
    b, c, gate = sycl.Buffer(np.arange(N, dtype=np.uint32)), sycl.Buffer((N,), np.uint32), threading.Event()
    u, v, w = (sycl.malloc_device(N, np.uint32, queue) for _ in range(3))
    first = queue.host_task(lambda: gate.wait(10))
    if between:
        other.submit(lambda h: h.parallel_for(N, program.scale, w, h.read(b), 3))
    second = command(what, b, c, u, v)
    third = command("reads a buffer", b, c, u, v)
    assert first in second.wait_list and second in third.wait_list, (what, between)
    time.sleep(0.02)  # long enough for what would not wait
    assert second.status is third.status is sycl.EventCommandStatus.submitted, (what, between)
    gate.set()
    queue.wait_and_throw(), other.wait_and_throw()
    for one in (u, v, w):
        sycl.free(one, queue)
    ran += 1

# A chain in which nothing but the queue keeps the order: what a host task leaves in an array goes to memory without
# accessors, and on from there, with buffers that must be brought in between.
for turn in range(4):
    array, gate = np.zeros(N, np.uint32), threading.Event()
    u, v = (sycl.malloc_device(N, np.uint32, queue) for _ in range(2))
    b, c = sycl.Buffer(np.arange(N, dtype=np.uint32)), sycl.Buffer((N,), np.uint32)
    queue.host_task(lambda: (gate.wait(10), array.fill(turn + 5)))
    queue.submit(lambda h: h.parallel_for(N, program.bump, h.read_write(b)))
    opens = threading.Timer(0.05, gate.set)
    opens.start()
    queue.memcpy(u, array, array.nbytes, wait=False)
    queue.submit(lambda h: h.parallel_for(N, program.scale, v, u, 2))
    queue.submit(lambda h: h.parallel_for(N, program.scale, h.write(c), v, 3))
    queue.submit(lambda h: h.parallel_for(N, program.scale, u, h.read(b), 1))
    queue.memcpy(array, u, array.nbytes, wait=False)
    queue.wait_and_throw()
    assert (np.asarray(c) == 6 * (turn + 5)).all(), (turn, np.asarray(c))
    assert np.array_equal(array, np.arange(N) + 1), (turn, array)
    sycl.free(u, queue), sycl.free(v, queue)
    ran += 1
print(ran)
"""


@pytest.mark.spec("H032")
@pytest.mark.parametrize("kind", ["unknown", "gpu"])
def test_the_order_is_the_user_s(run_python, copying, kind):
    child = run_python(SCENARIOS, copying(kind))
    assert child.stdout == "18\n"
