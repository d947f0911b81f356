"""The scope of a command group: SYCL 2020, 4.9.3 and 4.9.4 (4.10.3 of the provisional text)."""

import threading

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void nothing(void) {}
""")
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def built(queue):
    """So that no test spends its time, while a command is to be under way, with the compiler."""
    PROGRAM.build(queue.context)


def contents(buffer):
    with buffer.host_access("read") as a:
        return a.tolist()


COMMANDS = {
    "a kernel over a range": lambda h, x: h.parallel_for(4, PROGRAM.add, h.read_write(x), 1),
    "a kernel over an nd-range": lambda h, x: h.parallel_for(sycl.NdRange(4, 2), PROGRAM.add, h.read_write(x), 1),
    "a single task": lambda h, x: h.single_task(PROGRAM.nothing),
    "a copy": lambda h, x: h.copy(np.zeros(4, np.int32), h.write(x)),
    "a fill": lambda h, x: h.fill(h.write(x), 1),
    "an update": lambda h, x: h.update_host(h.read(x)),
    "a host task": lambda h, x: h.host_task(lambda: None),
}


@pytest.mark.spec("D171")
@pytest.mark.parametrize("first", COMMANDS)
def test_a_group_has_one_command(queue, first):
    """Whatever the first is, each of the others is refused, and what is refused leaves the group as it was."""
    x, refused, counts = sycl.Buffer(np.zeros(4, np.int32)), [], [len(queue.graph().commands)]

    def group(h):
        COMMANDS[first](h, x)
        for second in COMMANDS:
            with pytest.raises(sycl.InvalidError) as caught:
                COMMANDS[second](h, x)
            refused.append(str(caught.value))
        counts.append(len(queue.graph().commands))  # nothing runs before the group has ended

    queue.submit(group).wait_and_throw()
    commands = [c for c in queue.graph().commands[counts[0] :] if c.kind != "transfer"]  # what moves memory
    assert len(refused) == 7
    assert all(each.endswith("the command group has a command already; it can have one") for each in refused)
    assert counts[0] == counts[1] and len([c for c in commands if c.site]) == 1


@pytest.mark.spec("D171")
def test_its_requirements_are_the_whole_groups(queue):
    """Those of all its accessors, whether the command uses them or not."""
    x, y, gate = sycl.Buffer(np.zeros(4, np.int32)), sycl.Buffer(np.zeros(4, np.int32)), threading.Event()
    with queue.submit() as writer:
        writer.read_write(y, target="host_task")
        writer.host_task(lambda: gate.wait(PATIENCE))
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.add, h.read_write(x), 1)
        h.read(y)
    assert h.event.status is not sycl.EventCommandStatus.complete
    assert writer.event in h.event.wait_list
    gate.set()
    assert contents(x) == [1] * 4


@pytest.mark.spec("D172")
@pytest.mark.parametrize("secondary", [False, True])
def test_the_host_code_runs_once_and_before_submit_returns(queue, device, secondary):
    ran, other = [], sycl.Queue(device)

    def group(h):
        ran.append(threading.get_ident())
        h.single_task(PROGRAM.nothing)

    event = queue.submit(group, other) if secondary else queue.submit(group)
    assert ran == [threading.get_ident()]
    event.wait_and_throw()
    queue.wait()
    other.wait()
    assert len(ran) == 1


@pytest.mark.spec("D172")
def test_host_code_that_raises_runs_once_and_submits_nothing(queue, device):
    ran, x = [], sycl.Buffer(np.zeros(4, np.int32))

    def group(h):
        ran.append(h)
        h.parallel_for(4, PROGRAM.add, h.read_write(x), 1)
        raise ZeroDivisionError("by hand")

    for call in (lambda: queue.submit(group), lambda: queue.submit(group, sycl.Queue(device))):
        with pytest.raises(ZeroDivisionError, match="by hand"):
            call()
    assert len(ran) == 2
    for handler in ran:
        with pytest.raises(sycl.InvalidError, match="a handler is of use inside its submit"):
            handler.single_task(PROGRAM.nothing)
    queue.wait_and_throw()
    assert contents(x) == [0] * 4


@pytest.mark.spec("D173")
def test_an_event_knows_three_times(device, busy):
    queue, cell = sycl.Queue(device, enable_profiling=True), np.zeros(1, np.uint64)
    first = busy(queue, cell, 0.05)
    second = busy(queue, cell, 0.05, depends_on=first)
    queue.wait_and_throw()
    for event in (first, second):
        profile = event.profiling
        assert 0 < profile.submit <= profile.start <= profile.end
        assert profile.end - profile.start > 1_000_000  # it took its time
    assert first.profiling.end <= second.profiling.start
    with pytest.raises(sycl.SyclError):
        _ = busy(sycl.Queue(device), cell, 0.01).profiling


@pytest.mark.spec("H068")
@pytest.mark.parametrize("word", ["barrier", "group_barrier"])
def test_a_plain_range_has_no_barriers(queue, word):
    """Its groups are the runtime's own affair; over an nd-range the same text is fine."""
    call = {"barrier": "barrier(CLK_LOCAL_MEM_FENCE)", "group_barrier": "group_barrier(work_group)"}[word]
    body, x = f"x[i] = 1;\n  {call};", np.zeros(8, np.int32)
    for submit, what in (
        (lambda: queue.parallel_for(8, body, x=x), "plain range"),
        (lambda: queue.submit(lambda h: h.parallel_for((2, 4), body, x=x)), "plain range"),
        (lambda: queue.single_task(body.replace("[i]", "[0]"), x=x), "single task"),
    ):
        with pytest.raises(sycl.NdRangeError) as caught:
            submit()
        assert str(caught.value) == (
            f"body: '{word}' at line 2, column 3 needs work-groups, and a {what} has none of its own: use an NdRange\n"
            f"    2 |   {call};\n      |   ^"
        )
    queue.parallel_for(sycl.NdRange(8, 4), body, x=x).wait_and_throw()
    assert x.tolist() == [1] * 8
