"""A command that never ran, because one that it depends on has failed, leaves what it would have written as it was: the old
contents are readable, where they were and elsewhere, and go back to the array at the end."""

import pytest

SHARED = {"FAKE_PLATFORM_NAME": "Intel (fake)"}  # commands are enqueued behind the events of others
ORDERED = {"FAKE_PLATFORM_NAME": "Fake"}  # commands wait on the host
COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
SCENARIOS = """
import itertools, threading

queue, N = sycl.Queue(async_handler=lambda errors: None), 8
other = sycl.Queue(context=sycl.Context(sycl.Device()), async_handler=lambda errors: None)

def buffer(where):
    array = np.arange(N, dtype=np.uint32) + 40
    if where == "device":
        array[0] -= 1
    array.flags.writeable = where != "read-only array"
    made = sycl.Buffer(array)
    if where == "device":
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(made), 0)).wait_and_throw()
    return array, made

def kernel(h, b, mode):
    h.parallel_for(N, program.fill_ids, sycl.Accessor(b, h, mode, no_init=mode == "write"))

def task(h, b):
    a = sycl.Accessor(b, h, "read_write", target="host_task")
    h.host_task(lambda: np.asarray(a).fill(7))

def command(what, b, after):
    def group(h):
        h.depends_on(after)
        if what == "kernel":
            kernel(h, b, "write")
        elif what == "kernel that reads":
            kernel(h, b, "read_write")
        elif what == "part":
            h.parallel_for(2, program.fill_ids, h.write(b.sub_buffer(0, 2)))
        elif what == "fill":
            h.fill(h.write(b), 7)
        elif what == "copy":
            h.copy(np.full(N, 7, np.uint32), h.write(b))
        else:
            task(h, b)
    if what != "replay":
        return queue.submit(group, wait=False)
    with queue.record() as g:
        queue.submit(lambda h: kernel(h, b, "read_write"))
    return g.replay(depends_on=after)

def failing(how, gate):
    if how == "kernel":
        return queue.single_task(program.fail, np.zeros(4, np.uint32), wait=False)
    def task():
        gate.wait()
        raise ValueError("as meant")
    return queue.host_task(task)

COMMANDS = ("kernel", "kernel that reads", "part", "fill", "copy", "host task", "replay")
ran = 0
for what, where, how, known in itertools.product(
    COMMANDS, ("host", "device", "read-only array"), ("kernel", "host task"), (False, True)
):
    case = (what, where, how, known)
    array, b = buffer(where)
    gate = threading.Event()
    fake.fake_hold(1 if how == "kernel" else 0)
    origin = failing(how, gate)
    if known:
        gate.set(), fake.fake_hold(0), origin.wait()
    poisoned = command(what, b, [origin])
    chained = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)) if not known else None
    gate.set(), fake.fake_hold(0)
    sycl.Event.wait([origin, poisoned, *([chained] if chained else [])])
    for event in (poisoned, chained):
        assert event is None or "not run, because" in event.exception.what(), case
    old = np.arange(N, dtype=np.uint32) + 40
    assert np.array_equal(np.asarray(b), old), (case, np.asarray(b))
    for reader in (queue, other):  # adds 1 to the first element
        event = reader.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        event.wait()
        assert event.exception is None, (case, event.exception)
    old[0] += 2
    assert np.array_equal(np.asarray(b), old), (case, np.asarray(b))
    b.close()
    if not array.flags.writeable:
        old[0] -= 2
    assert np.array_equal(array, old), (case, array)
    ran += 1
queue.wait_and_throw()
print(ran)
"""


@pytest.mark.spec("H484")
@pytest.mark.parametrize("env", [SHARED, ORDERED, COPYING], ids=["shared", "ordered", "copying"])
def test_what_never_ran_leaves_the_old_contents(run_fake, env):
    assert run_fake(SCENARIOS, env).stdout == "84\n"
