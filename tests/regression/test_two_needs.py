"""A command that reads a buffer and writes a part of it: the reader sees what the writer writes, wherever the contents were.

The reader alone would use a read-only array as it is, which the writer cannot.
"""

import pytest

SCENARIOS = """
import itertools
import numpy as np
import pysycl as sycl

N, FIRST, COUNT = 256, 128, 64  # a part that begins where every device allows a pointer
queue = sycl.Queue()
program = sycl.Program('''
kernel void both(global const uint *x, global uint *y, uint first, uint n, global uint *seen)
{
    for (uint k = 0; k < n; k++)
        y[first + k] = 1000 + k;
    seen[0] = x[130];
    seen[1] = x[3];
}
kernel void bump(global uint *x) { x[get_global_id(0)] += 1; }
''')

def buffer(origin):
    array = np.arange(N, dtype=np.uint32) + 7
    if origin == "no array":
        return array, sycl.Buffer(iter(array.tolist()), dtype=np.uint32)
    if origin == "written before":
        array -= 1
    array.flags.writeable = origin != "read-only"
    made = sycl.Buffer(array)
    if origin == "written before":
        queue.submit(lambda h: h.parallel_for(N, program.bump, h.read_write(made)))
    return array, made

def run(whole, how, what, reader_first):
    seen = np.zeros(2, np.uint32)
    part = whole.sub_buffer(FIRST, COUNT) if how == "sub-buffer" else whole
    options = {} if how == "sub-buffer" else {"range": COUNT, "offset": FIRST}
    target = "host_task" if what == "host task" else "device"

    def group(h):
        made = {}
        for one in ("x", "y") if reader_first else ("y", "x"):
            if one == "x":
                made[one] = sycl.Accessor(whole, h, "read", target=target)
            else:
                made[one] = sycl.Accessor(part, h, "write", target=target, **options)
        if what != "host task":
            h.single_task(program.both, made["x"], made["y"], 0 if how == "sub-buffer" else FIRST, COUNT, seen)
            return

        def task():
            np.asarray(made["y"])[:] = 1000 + np.arange(COUNT)
            seen[:] = np.asarray(made["x"])[[130, 3]]

        h.host_task(task)

    if what == "replay":
        with queue.record() as g:
            queue.submit(group)
        g.replay()
    else:
        queue.submit(group)
    queue.wait_and_throw()
    return seen.tolist()

expected = np.arange(N, dtype=np.uint32) + 7
expected[FIRST : FIRST + COUNT] = 1000 + np.arange(COUNT)
cases = itertools.product(
    ("read-only", "writable", "no array", "written before"),
    ("sub-buffer", "ranged accessor"),
    ("kernel", "host task", "replay"),
    (True, False),
)
ran = 0
for case in cases:
    array, whole = buffer(case[0])
    before = array.copy()
    assert run(whole, *case[1:]) == [1002, 10], case
    assert np.array_equal(np.asarray(whole), expected), case
    whole.close()
    assert np.array_equal(array, before if case[0] in ("read-only", "no array") else expected), case
    ran += 1
print(ran)
"""


@pytest.mark.spec("H045")
@pytest.mark.parametrize("kind", ["shared", "unknown", "gpu"])
def test_the_reader_sees_what_the_writer_writes(run_python, copying, kind):
    child = run_python(SCENARIOS, None if kind == "shared" else copying(kind))
    assert child.stdout == "48\n"
