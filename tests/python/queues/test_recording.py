"""`with queue.record() as g:` and `g.replay()`."""

import gc
import threading
import weakref
from functools import partial

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

SOURCE = """
__kernel void saxpy(float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
__kernel void churn(__global uint *y, __global const uint *x, uint a)
{
    size_t i = get_global_id(0);
    y[i] = 31 * y[i] + x[i] + a;
}
"""
N = 1000
F = np.float32


@pytest.fixture(scope="module")
def program() -> sycl.Program:
    return sycl.Program(SOURCE)


def ones(value: float = 1.0) -> np.ndarray:
    return np.full(N, value, F)


def test_nothing_runs_before_a_replay(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
        with queue.submit() as h:
            h.parallel_for(N, program.saxpy, 1.0, y, x)
    queue.wait()
    assert x[0] == 1 and y[0] == 1
    g.replay().wait()
    assert np.all(y == 3) and np.all(x == 4)
    g.replay()
    g.replay().wait()  # they come after each other, as the same commands would
    assert np.all(y == 41) and np.all(x == 56)


def test_buffers_copies_fills_and_usm(queue: sycl.Queue, program: sycl.Program) -> None:
    x = np.arange(N, dtype=F)
    y = np.zeros(N, F)
    u = sycl.malloc_device(N, F, queue)
    with sycl.Buffer(x) as X, sycl.Buffer(y) as Y:
        with queue.record() as g:
            filled = queue.fill(Y, 1.0)
            queue.submit(lambda h: h.parallel_for(N, program.saxpy, 2.0, h.read(X), h.read_write(Y)))
            loaded = queue.copy(X, u)
            again = queue.parallel_for(N, program.saxpy, 1.0, u, Y, depends_on=[filled, loaded])
            stored = queue.copy(u, X[:N], depends_on=again)
            queue.memset(u, 0, depends_on=stored)
        assert [c.kind for c in g.commands] == ["fill", "kernel", "copy", "kernel", "copy", "fill"]
        assert g.commands[1].after == (0,)
        assert set(g.commands[3].after) == {0, 1, 2}
        for _ in range(3):
            g.replay().wait_and_throw()
            assert np.all(np.asarray(Y) == 1 + 3 * np.arange(N))
    assert np.all(y == 1 + 3 * np.arange(N))


def test_the_outer_order(queue: sycl.Queue, program: sycl.Program) -> None:
    """Before and after a replay commands run in the order of their submission, in other queues too."""
    other = sycl.Queue(queue.device, context=queue.context)
    with sycl.Buffer(np.zeros(N, np.uint32)) as Y, sycl.Buffer(np.arange(N, dtype=np.uint32)) as X:
        with queue.record() as g:
            queue.parallel_for(N, program.churn, Y, X, 3)
            queue.parallel_for(N, program.churn, X, Y, 4)
        expected_y, expected_x = np.zeros(N, np.uint32), np.arange(N, dtype=np.uint32)
        for a in range(20):
            other.parallel_for(N, program.churn, Y, X, a)
            g.replay()
            expected_y = 31 * expected_y + expected_x + np.uint32(a)
            expected_y = 31 * expected_y + expected_x + np.uint32(3)
            expected_x = 31 * expected_x + expected_y + np.uint32(4)
        assert np.all(np.asarray(Y) == expected_y)
        assert np.all(np.asarray(X) == expected_x)


def random_commands(
    queue: sycl.Queue, program: sycl.Program, buffers: list[sycl.Buffer], arrays: list[np.ndarray], seed: int
) -> None:
    random = np.random.default_rng(seed)
    for _ in range(int(random.integers(5, 40))):
        low, other = (int(v) for v in random.integers(0, N // 2, 2))
        count = int(random.choice([1, 64, 500]))  # few, since some drivers compile for each size of a group
        a, b = (buffers[i] for i in random.permutation(len(buffers))[:2])
        match int(random.integers(0, 5)):
            case 0:
                queue.parallel_for(count, program.churn, a[low : low + count], b[other : other + count], count)
            case 1:
                queue.copy(a[low : low + count], b[other : other + count])
            case 2:
                queue.fill(a[low : low + count], count)
            case 3:
                queue.parallel_for(N, program.churn, arrays[0], arrays[1], low)
            case _:
                with queue.submit() as h:
                    h.parallel_for(count, program.churn, h.read_write(a), h.read(b), low)


@pytest.mark.parametrize("in_order", [False, True])
def test_random_programs_come_out_as_when_submitted(device: sycl.Device, program: sycl.Program, in_order: bool) -> None:
    queue = sycl.Queue(device, in_order=in_order)
    for seed in range(15):
        results = []
        for recorded in (False, True):
            arrays = [np.arange(N, dtype=np.uint32) * (i + 1) for i in range(2)]
            data = [np.arange(N, dtype=np.uint32) * (i + 3) for i in range(3)]
            buffers = [sycl.Buffer(d) for d in data]
            if recorded:
                with queue.record() as g:
                    random_commands(queue, program, buffers, arrays, seed)
                g.replay()
                g.replay()
            else:
                random_commands(queue, program, buffers, arrays, seed)
                random_commands(queue, program, buffers, arrays, seed)
            queue.wait_and_throw()
            g = None  # it holds parts of the buffers, and data comes back with the last of them
            for buffer in buffers:
                buffer.close()
            results.append(np.concatenate(arrays + data))
        assert np.array_equal(*results), f"seed {seed}"


def test_streams(queue: sycl.Queue, capsys: pytest.CaptureFixture[str]) -> None:
    """Each replay prints its own text, and none that of another."""
    program = sycl.Program(
        'kernel void say(uint number, stream out) { stream_put(out, "number "); stream_put(out, number); stream_endl(out); }'
    )
    with queue.record() as g, queue.submit() as h:
        h.single_task(program.say, sycl.Parameter("number", 1), sycl.Stream(100, 50, h))
    for number in range(2, 5):
        g.replay(number=number)
    g.replay()
    queue.wait()
    assert capsys.readouterr().out == "number 2\nnumber 3\nnumber 4\nnumber 1\n"


# -- threads and life --


def test_other_threads_are_not_recorded(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    with queue.record() as g:
        thread = threading.Thread(target=lambda: queue.parallel_for(N, program.saxpy, 2.0, x, y).wait())
        thread.start()
        thread.join()
        assert np.all(y == 3)
    assert len(g) == 0


def test_two_threads_record_one_queue(queue: sycl.Queue, program: sycl.Program) -> None:
    arrays = [(ones(), ones()) for _ in range(2)]
    both = threading.Barrier(2)

    def work(x: np.ndarray, y: np.ndarray) -> None:
        with queue.record() as g:
            both.wait(10)
            queue.parallel_for(N, program.saxpy, 2.0, x, y)
            both.wait(10)
        assert len(g) == 1
        for _ in range(20):
            g.replay()
        queue.wait()

    threads = [threading.Thread(target=work, args=pair) for pair in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.wait_and_throw()
    assert all(np.all(y == 41) for _, y in arrays)


def test_it_keeps_what_it_uses(queue: sycl.Queue, program: sycl.Program) -> None:
    def record() -> tuple[sycl.Recording, np.ndarray, list[weakref.ref[object]]]:
        x, y = ones(), ones()
        X, Y = sycl.Buffer(x), sycl.Buffer(y)
        with queue.record() as g:
            with queue.submit() as h:
                h.parallel_for(N, program.saxpy, 2.0, h.read(X), h.read_write(Y))
            queue.fill(X, 4.0)
        return g, y, [weakref.ref(X), weakref.ref(Y)]

    g, y, buffers = record()
    gc.collect()
    assert all(reference() is not None for reference in buffers)
    g.replay()
    g.replay().wait()
    live = _core.live_counts()
    assert live["recording"] >= 1
    g.close()
    del g
    gc.collect()
    assert all(reference() is None for reference in buffers)
    assert np.all(y == 11)  # written back when the buffers went
    assert _core.live_counts()["recording"] == live["recording"] - 1


def test_closed_buffers(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    with sycl.Buffer(x) as X, sycl.Buffer(y) as Y:
        number = Y._id
        with queue.record() as g:
            queue.fill(X, 4.0)
            queue.parallel_for(N, program.saxpy, 2.0, X, sycl.Parameter("y", Y))
    with pytest.raises(sycl.InvalidObjectError) as caught:
        g.replay()
    assert "has been closed, and the fill recorded at " in str(caught.value)
    with sycl.Buffer(x) as X:
        with queue.record() as g, sycl.Buffer(y) as Y:
            queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        with pytest.raises(sycl.InvalidObjectError) as caught:
            g.replay()
        site = g.commands[0].site
        assert str(caught.value) == (
            f"replay: buffer {number + 2} has been closed, and the kernel recorded at {site} uses it"
        )
        with sycl.Buffer(ones(5)) as Z:  # what takes its place may be there
            g.replay(y=Z).wait()
            assert np.all(np.asarray(Z) == 7)


@pytest.mark.parametrize("how", ["block", "close", "dropped"])
def test_parts_of_buffers_come_back_with_their_buffer(queue: sycl.Queue, program: sycl.Program, how: str) -> None:
    """The recording holds the parts that it uses, and they do not keep the data from coming home."""
    x, y = ones(), ones(0)
    Y = sycl.Buffer(y)
    with queue.record() as g:
        queue.parallel_for(N // 2, program.saxpy, 1.0, x, Y[N // 2 :])
        queue.fill(Y[:10], 7.0)
    gc.collect()  # nobody but the recording has the parts
    g.replay()
    g.replay()
    assert np.all(np.asarray(Y)[N // 2 :] == 2)
    g.replay()  # in flight
    if how == "block":
        with Y:
            pass
    elif how == "close":
        Y.close()
    else:
        del Y
        gc.collect()
    assert np.all(y[N // 2 :] == 3) and np.all(y[:10] == 7) and not np.any(y[10 : N // 2])
    with pytest.raises(
        sycl.InvalidObjectError, match="^replay: buffer .* has been closed, and the kernel recorded at "
    ):
        g.replay()
    assert np.all(y[N // 2 :] == 3)


def test_two_replays_in_flight(queue: sycl.Queue, program: sycl.Program) -> None:
    """They share kernels with arguments that stay set; each has its own values, whatever the other waits for."""
    x, y, z = ones(), ones(0), ones(0)
    X, Y, Z = sycl.Buffer(x), sycl.Buffer(y), sycl.Buffer(z)
    gates = [threading.Event() for _ in range(2)]
    first, second = (queue.host_task(partial(gate.wait, 30)) for gate in gates)
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, sycl.Parameter("a", 1.0), X, sycl.Parameter("y", Y))
        queue.submit(lambda h: h.copy(h.read(Y, N // 2), h.write(X, N // 2)))
    same = [g.replay(a=2.0, depends_on=first), g.replay(a=5.0)]  # the second comes after the first: both write Y
    other = g.replay(a=7.0, y=Z, depends_on=second)
    gates[1].set()
    assert {event.status for event in (*same, other)} == {sycl.EventCommandStatus.submitted}
    gates[0].set()
    other.wait()
    assert np.all(np.asarray(Y)[: N // 2] == 2 + 5 * 2) and np.all(np.asarray(Y)[N // 2 :] == 7)
    assert np.all(np.asarray(Z)[: N // 2] == 7 * 12) and np.all(np.asarray(Z)[N // 2 :] == 7)


@pytest.mark.parametrize("in_order", [False, True])
def test_replays_on_usm_are_ordered_by_what_they_are_told(
    device: sycl.Device, program: sycl.Program, in_order: bool
) -> None:
    queue = sycl.Queue(device, in_order=in_order)
    u, x = sycl.malloc_device(N, F, queue), sycl.malloc_device(N, F, queue)
    queue.fill(x, 1.0).wait()
    gate, result = threading.Event(), np.empty(N, F)
    last: sycl.Event = queue.fill(u, 0.0, depends_on=queue.host_task(partial(gate.wait, 30)))
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 1.0, u, x, depends_on=queue.parallel_for(N, program.saxpy, 1.0, x, u))
    for _ in range(5):  # Fibonacci's numbers are right in one order only
        last = g.replay(depends_on=None if in_order else last)
    assert last.status is sycl.EventCommandStatus.submitted
    gate.set()
    queue.copy(u, result, depends_on=last)
    assert np.all(result == 55)


def test_a_host_accessor_holds_a_replay_up(queue: sycl.Queue, program: sycl.Program) -> None:
    with sycl.Buffer(ones()) as X, sycl.Buffer(ones()) as Y:
        with queue.record() as g:
            queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        with Y.host_access("read_write") as a:
            event = g.replay()
            assert event.status is not sycl.EventCommandStatus.complete
            a[:] = 100
        event.wait()
        assert np.all(np.asarray(Y) == 102)


def test_depends_on(queue: sycl.Queue, program: sycl.Program) -> None:
    gate = threading.Event()
    u = sycl.malloc_shared(N, F, queue)
    queue.fill(u, 1.0).wait()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 1.0, u, u)
    event = g.replay(depends_on=queue.host_task(partial(gate.wait, 30)))
    assert event.status is not sycl.EventCommandStatus.complete
    gate.set()
    event.wait()
    result = np.empty(N, F)
    queue.copy(u, result)
    assert np.all(result == 2)


def test_a_failure_outside_keeps_it_from_running(device: sycl.Device, program: sycl.Program) -> None:
    queue = sycl.Queue(device, async_handler=lambda errors: None)
    x, y = ones(), ones()

    def fail() -> None:
        raise RuntimeError("no")

    gate = threading.Event()
    failed = queue.host_task(lambda: (gate.wait(), fail()))
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y, depends_on=failed)
    event = g.replay(wait=False)
    gate.set()
    event.wait()
    assert isinstance(event.exception, sycl.SyclRuntimeError)
    assert "not run, because a command that it depends on" in str(event.exception)
    assert np.all(y == 1)
    queue.wait_and_throw()


def test_the_graph_and_profiling(device: sycl.Device, program: sycl.Program) -> None:
    queue = sycl.Queue(device, enable_profiling=True)
    with sycl.Buffer(ones()) as X, sycl.Buffer(ones()) as Y:
        with queue.record() as g:
            for _ in range(3):
                queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        event = g.replay()
        times = event.profiling
        assert times.submit <= times.start <= times.end
        command = queue.graph().commands[-1]
        assert command.kind == "replay"
        assert {use.mode for use in command.uses} == {"read", "read_write"}


def test_a_buffer_with_a_mutex(queue: sycl.Queue, program: sycl.Program) -> None:
    lock = threading.Lock()
    x, y = ones(), ones()
    with sycl.Buffer(x) as X, sycl.Buffer(y, use_mutex=lock) as Y:
        with queue.record() as g:
            queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        assert lock.acquire(timeout=10)
        lock.release()
        g.replay().wait()
        assert lock.acquire(timeout=10)
        lock.release()
    assert np.all(y == 3)


def test_strided_arrays(queue: sycl.Queue, program: sycl.Program) -> None:
    """They are copied for the device, once for all commands that use them."""
    wide = np.ones(2 * N, F)
    x = ones()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, wide[::2])
        queue.parallel_for(N, program.saxpy, 2.0, x, wide[::2])
    g.replay().wait()
    g.replay().wait()
    assert np.all(wide[::2] == 9) and np.all(wide[1::2] == 1)
    other = np.zeros((N, 3), F)
    g.replay(y=other[:, 1]).wait()
    assert np.all(other[:, 1] == 4) and np.all(other[:, 0] == 0)
