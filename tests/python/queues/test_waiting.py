"""Commands on the host's own arrays are done when the call returns, as NumPy's functions are; others are not waited for."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

N = 1 << 16
COMPLETE = sycl.EventCommandStatus.complete


class Interface:
    """Memory that is told of in no other way."""

    def __init__(self, array: np.ndarray) -> None:
        self.__array_interface__ = array.__array_interface__
        self._keeps = array


class Capsules:
    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


@pytest.fixture(scope="module")
def program() -> sycl.Program:
    return sycl.Program("""
kernel void bump(global float *x) { x[get_global_id(0)] += 1; }
kernel void total(global const float *x, reducer(float, plus) r) { r += x[get_global_id(0)]; }
""")


@contextmanager
def held(queue: sycl.Queue, *, until_left: bool = False) -> Iterator[sycl.Event]:
    """A command that ends a good while after the block has been entered, however quick the machine is. With `until_left`
    it ends after the block, however slow the machine is."""
    gate = threading.Event()
    timer = threading.Timer(0.05, gate.set)
    event = queue.host_task(lambda: gate.wait(30))
    if not until_left:
        timer.start()
    try:
        yield event
    finally:
        gate.set()
    event.wait()


def zeros() -> np.ndarray:
    return np.zeros(N, np.float32)


def calls(queue: sycl.Queue, program: sycl.Program) -> dict[str, tuple[Callable[..., Any], Callable[[], bool]]]:
    """What can be done with arrays: a call that takes depends_on and wait, and whether it has been done."""
    x, y, z = zeros(), zeros(), zeros()
    ones = np.ones(N, np.float32)
    shared = sycl.malloc_shared(N, np.float32, queue)
    queue.fill(shared, 3.0).wait()
    buffer = sycl.Buffer(np.full(N, 4, np.float32))
    step = queue.kernel(N, "x[i] = a;", x=x, a=5.0)
    into = queue.kernel(N, program.bump, y)
    recorded = zeros()
    with queue.record() as g:
        queue.parallel_for(N, "x[i] += 2;", x=recorded)
        queue.copy(shared, y)

    def group(depends_on: Any = None, wait: bool | None = None) -> sycl.Event:
        def fill(h: sycl.Handler) -> None:
            h.depends_on(depends_on)
            h.copy(h.read(buffer), z)

        return queue.submit(fill, wait=wait)

    def block(depends_on: Any = None, wait: bool | None = None) -> sycl.Event:
        with queue.submit(wait=wait) as h:
            h.depends_on(depends_on)
            h.parallel_for(N, "z[i] = b[i] + 1;", b=h.read(buffer), z=z)
        return h.event

    def own(call: Callable[..., Any], *given: Any, **named: Any) -> Callable[..., Any]:
        return lambda **options: call(*given, **named, **options)

    sums = sycl.malloc_shared(1, np.float32, queue)
    queue.fill(sums, 0.0).wait()
    return {
        "body": (own(queue.parallel_for, N, "x[i] += 1;", x=x), lambda: bool(np.all(x == 1))),
        "program": (own(queue.parallel_for, N, program.bump, y), lambda: bool(np.all(y == 1))),
        "single_task": (own(queue.single_task, "x[0] = 9;", x=x), lambda: bool(x[0] == 9)),
        "groups": (own(queue.parallel_for, sycl.WorkGroups(4, 8), "parallel_for_work_item { x[1] = 7; }", x=x),
                   lambda: bool(x[1] == 7)),
        "a view": (own(queue.parallel_for, N // 2, "z[i] = 6;", z=z[::2]), lambda: bool(np.all(z[::2] == 6))),
        "interface": (own(queue.parallel_for, N, "z[i] = 7;", z=Interface(z)), lambda: bool(np.all(z == 7))),
        "dlpack": (own(queue.parallel_for, N, "z[i] = 8;", z=Capsules(z)), lambda: bool(np.all(z == 8))),
        "memoryview": (own(queue.parallel_for, N, "z[i] = 9;", z=memoryview(z)), lambda: bool(np.all(z == 9))),
        "reducer": (own(queue.parallel_for, N, "r += x[i];", x=ones, r=sycl.reduction(sums, sycl.plus)),
                    lambda: bool(sums[0] == N)),
        "kernel's reducer": (own(queue.parallel_for, N, program.total, ones, sycl.reduction(sums, sycl.plus)),
                             lambda: bool(sums[0] == 2 * N)),
        "only read": (own(queue.parallel_for, N, "u[i] = x[i];", x=ones, u=shared), lambda: bool(np.all(shared.view() == 1))),
        "copy": (own(queue.copy, shared, z), lambda: bool(np.all(z == 1))),
        "copy from": (own(queue.copy, np.full(N, 8, np.float32), shared), lambda: bool(np.all(shared.view() == 8))),
        "copy of arrays": (own(queue.copy, ones, z), lambda: bool(np.all(z == 1))),
        "fill of an array": (own(queue.fill, z, 3.0), lambda: bool(np.all(z == 3))),
        "memset of an array": (own(queue.memset, z, 0), lambda: not z.any()),
        "memcpy": (own(queue.memcpy, z, shared), lambda: bool(np.all(z == 8))),
        "group": (group, lambda: bool(np.all(z == 4))),
        "block": (block, lambda: bool(np.all(z == 5))),
        "prepared": (step, lambda: bool(np.all(x == 5))),
        "prepared with a number": (own(step, a=6.0), lambda: bool(np.all(x == 6))),
        "prepared with an array": (own(step, x=z), lambda: bool(np.all(z == 5))),
        "prepared kernel": (into, lambda: bool(np.all(y == 2))),
        "replay": (g.replay, lambda: bool(np.all(recorded == 2) and np.all(y == 8))),
    }  # fmt: skip


def test_what_names_arrays_is_done_when_the_call_returns(queue: sycl.Queue, program: sycl.Program) -> None:
    for name, (call, done) in calls(queue, program).items():
        with held(queue) as before:
            event = call(depends_on=before)
            assert done(), name
        assert event.status is COMPLETE, name


def test_wait_false_returns_at_once(queue: sycl.Queue, program: sycl.Program) -> None:
    for name, (call, done) in calls(queue, program).items():
        with held(queue, until_left=True) as before:
            event = call(depends_on=before, wait=False)
            assert event.status is not COMPLETE, name
        event.wait()
        assert done(), name


def test_what_names_buffers_and_usm_is_not_waited_for_unless_asked(queue: sycl.Queue, program: sycl.Program) -> None:
    shared, buffer = sycl.malloc_shared(N, np.float32, queue), sycl.Buffer(zeros())
    step = queue.kernel(N, "u[i] = b[i];", u=shared, b=buffer)
    with queue.record() as g:
        queue.parallel_for(N, program.bump, buffer)
    calls: list[Callable[..., Any]] = [
        lambda **o: queue.parallel_for(N, program.bump, buffer, **o),
        lambda **o: queue.parallel_for(N, "u[i] = a;", u=shared, a=np.float32(3), **o),
        lambda **o: queue.single_task("s << 1;", s=sycl.Stream(100, 100), **o),
        lambda **o: queue.copy(buffer, shared, **o),
        lambda **o: queue.fill(shared, 1.0, **o),
        lambda **o: queue.memset(shared, 0, **o),
        lambda **o: queue.update_host(buffer, **o),
        lambda **o: queue.host_task(lambda: None, **o),
        step,
        g.replay,
    ]
    for wait in (None, False, True):
        for call in calls:
            with held(queue, until_left=wait is not True) as before:
                event = call(depends_on=before, wait=wait)
                assert (event.status is COMPLETE) == (wait is True)


def test_what_is_recorded_is_not_waited_for(queue: sycl.Queue, program: sycl.Program) -> None:
    x = zeros()
    with queue.record() as g:
        for wait in (None, True):
            queue.parallel_for(N, program.bump, x, wait=wait)
            with queue.submit(wait=wait) as h:
                h.parallel_for(N, program.bump, x)
    assert not x.any()
    g.replay()
    assert np.all(x == 4)


def test_other_threads_run_meanwhile_and_many_may_wait(queue: sycl.Queue, program: sycl.Program) -> None:
    arrays, gate = [zeros() for _ in range(4)], threading.Event()
    before = queue.host_task(lambda: gate.wait(30))

    def work(x: np.ndarray) -> None:
        queue.parallel_for(N, program.bump, x, depends_on=before)
        assert np.all(x == 1)
        done.append(x)

    done: list[np.ndarray] = []
    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    assert not done
    gate.set()  # which needs the interpreter
    for thread in threads:
        thread.join(30)
    assert len(done) == 4


def test_a_host_task_may_use_arrays(queue: sycl.Queue, program: sycl.Program) -> None:
    """It waits on its own thread; for what comes after itself it would for ever."""
    x, buffer, told = zeros(), sycl.Buffer(zeros()), []

    def task() -> None:
        queue.parallel_for(N, program.bump, x)
        assert np.all(x == 1)
        with pytest.raises(sycl.InvalidError, match="would wait for ever"):
            queue.parallel_for(N, "x[i] += b[i];", x=x, b=buffer)
        told.append(queue.parallel_for(N, "x[i] += b[i];", x=x, b=buffer, wait=False))

    with queue.submit() as h:
        h.read_write(buffer, target="host_task")
        h.host_task(task)
    h.event.wait_and_throw()
    told[0].wait()
    assert np.all(x == 1)


def test_what_this_thread_holds_up_itself_is_refused_and_not_submitted(
    queue: sycl.Queue, program: sycl.Program
) -> None:
    x, buffer = np.ones(8, np.float32), sycl.Buffer(np.zeros(8, np.float32))
    other = sycl.Queue(queue.device, in_order=True)
    with buffer.host_access() as a:
        with pytest.raises(sycl.InvalidError, match="a host accessor that this thread holds and must close first"):
            queue.parallel_for(8, "b[i] += x[i];", b=buffer, x=x)
        behind = other.parallel_for(8, "b[i] += 2;", b=buffer)
        for again in (
            lambda: queue.copy(x, sycl.malloc_shared(8, "f4", queue), depends_on=behind),  # however indirectly
            lambda: other.parallel_for(8, program.bump, x),
        ):
            with pytest.raises(sycl.InvalidError, match="would wait for ever"):
                again()
        late = queue.parallel_for(8, "b[i] += x[i];", b=buffer, x=x, wait=False)
        assert late.status is not COMPLETE
        assert a.tolist() == [0] * 8
    late.wait()
    assert np.asarray(buffer).tolist() == [3] * 8  # the refused one was not among them
    assert x.tolist() == [1] * 8
    with buffer.host_access():
        queue.parallel_for(8, program.bump, x)  # has nothing to do with the buffer
    assert x.tolist() == [2] * 8


def test_another_thread_s_accessor_is_waited_for(queue: sycl.Queue) -> None:
    x, buffer = np.ones(8, np.float32), sycl.Buffer(np.zeros(8, np.float32))
    opened, closing = threading.Event(), threading.Event()

    def hold() -> None:
        with buffer.host_access() as a:
            opened.set()
            closing.wait(30)
            a[:] = 5

    thread = threading.Thread(target=hold)
    thread.start()
    assert opened.wait(30)
    threading.Timer(0.1, closing.set).start()
    queue.parallel_for(8, "x[i] += b[i];", x=x, b=buffer)
    assert x.tolist() == [6] * 8
    thread.join()


def test_ctrl_c_ends_the_wait_and_the_command_goes_on(queue: sycl.Queue, program: sycl.Program) -> None:
    gate, x = threading.Event(), zeros()
    before = queue.host_task(lambda: gate.wait(30))
    timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        queue.parallel_for(N, program.bump, x, depends_on=before)
    timer.join()
    assert not x.any()
    gate.set()
    queue.wait_and_throw()
    assert np.all(x == 1)


def test_asyncio_waits_for_what_was_not_waited_for(queue: sycl.Queue, program: sycl.Program) -> None:
    x = zeros()

    async def main() -> None:
        with held(queue) as before:
            await queue.parallel_for(N, program.bump, x, depends_on=before, wait=False)
            assert np.all(x == 1)
            await queue.parallel_for(N, program.bump, x, depends_on=before)  # done already

    asyncio.run(main())
    assert np.all(x == 2)


@pytest.mark.parametrize("wait", [1, 0, "no", np.bool_(True)])
def test_only_bools_say_whether_to_wait(queue: sycl.Queue, program: sycl.Program, wait: Any) -> None:
    x = zeros()
    step = queue.kernel(N, program.bump, x)
    with queue.record() as g:
        queue.parallel_for(N, program.bump, x)
    for call in (
        lambda: queue.parallel_for(N, program.bump, x, wait=wait),
        lambda: queue.single_task("x[0] = 1;", x=x, wait=wait),
        lambda: queue.copy(x, x.copy(), wait=wait),
        lambda: queue.host_task(print, wait=wait),
        lambda: queue.submit(wait=wait),
        lambda: queue.submit(lambda h: h.parallel_for(N, program.bump, x), wait=wait),
        lambda: step(wait=wait),
        lambda: g.replay(wait=wait),
    ):
        with pytest.raises(sycl.InvalidParameterError, match="wait: expected True, False or None, got"):
            call()
    assert not x.any()


def test_where_wait_has_no_place(queue: sycl.Queue, program: sycl.Program) -> None:
    x = zeros()
    with pytest.raises(TypeError, match="'wait': it is for the calls of the prepared kernel"):
        queue.kernel(N, program.bump, x, wait=False)
    with pytest.raises(TypeError, match="'depends_on': it is for the calls of the prepared kernel"):
        queue.kernel(N, "x[i] = 1;", x=x, depends_on=[])
    with queue.submit() as h, pytest.raises(TypeError, match=r"'wait': .* is said by queue.submit\(..., wait=...\)"):
        h.parallel_for(N, program.bump, x, wait=False)


FAILURES = """
import inspect, threading
queue, x = sycl.Queue(async_handler=lambda errors: got.extend(errors)), np.zeros(4, np.uint32)
got = []

def here():
    return f"<string>:{inspect.currentframe().f_back.f_lineno}"

def raised(call):
    try:
        call()
    except sycl.SyclError as error:
        return error
    raise AssertionError("nothing was raised")
"""


def test_a_failure_is_raised_by_the_call_and_not_told_again(run_fake: Any) -> None:
    """Not asynchronous any more: the handler is for failures that no call raises."""
    run_fake(
        FAILURES
        + """
step = queue.kernel(1, program.fail, x)
with queue.record() as g:
    queue.single_task(program.fail, x); recorded = here()

def block():
    with queue.submit() as h:
        h.single_task(program.fail, x); lines.append(here())
    raise AssertionError("the block ended well")

lines = []
for call in (
    lambda: (lines.append(here()), queue.single_task(program.fail, x)),
    lambda: (lines.append(here()), step()),
    block,
    lambda: (lines.append(here()), queue.submit(lambda h: h.single_task(program.fail, x), sycl.Queue())),
    lambda: (lines.append(recorded), g.replay()),
):
    error = raised(call)
    assert type(error) is sycl.KernelError and error.site == lines[-1], (error.site, lines)
    there = ("submitted at " + error.site) in str(error)
    assert there == (call is block or lines[-1] is recorded)  # where the traceback does not show it
queue.wait_and_throw()
assert not got

b = sycl.Buffer(x)
origin = queue.single_task(program.fail, b)  # buffers alone: late, as ever
error = raised(lambda: queue.single_task(program.slow, np.zeros(1, np.uint32), 0, depends_on=origin))
assert "not run, because a command that it depends on" in str(error)
queue.wait_and_throw()
assert [type(one) for one in got] == [sycl.KernelError] and "not run" not in str(got[0])  # the origin, once

del got[:]
late = queue.single_task(program.fail, x, wait=False)
late.wait()
queue.wait_and_throw()
assert len(got) == 1 and late.exception is not None
"""
    )


def test_a_wait_that_was_interrupted_leaves_the_failure_to_the_handler(run_fake: Any) -> None:
    run_fake(
        FAILURES
        + """
import signal
fake.fake_hold(1)
threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
try:
    queue.single_task(program.fail, x)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("not interrupted")
fake.fake_hold(0)
queue.wait_and_throw()
assert len(got) == 1 and got[0].what().startswith("'fail' failed"), got
"""
    )


def test_a_copy_for_an_awaited_command_that_fails_is_told_once(run_fake: Any) -> None:
    run_fake(
        FAILURES
        + """
b = sycl.Buffer(np.ones(4, np.uint32))
_core.fault_install(0)
_core.fault_arm("EnqueueWriteBuffer", 1, -5)
error = raised(lambda: queue.single_task(program.mirror, x, b, 4))
queue.wait_and_throw()
assert not got, got
queue.single_task(program.slow, x, 0)
assert x[0] == 1
""",
        env={"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"},
    )


def test_a_dropped_event_of_arrays_is_waited_for_at_exit(run_fake: Any) -> None:
    child = run_fake("""
import atexit
x = np.zeros(1, np.uint32)
queue = sycl.Queue()
import pysycl.lifecycle
atexit.unregister(pysycl.lifecycle.close)
atexit.register(lambda: print("at exit", x[0]))
atexit.register(pysycl.lifecycle.close)
queue.single_task(program.slow, x, 300, wait=False)
print("submitted", x[0])
""")
    assert child.stdout.splitlines() == ["submitted 0", "at exit 1"]
