"""Host tasks: threads, failures, signatures, and the end of the process."""

import functools
import gc
import threading
import time
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl.host_task import takes_handle

PATIENCE = 30.0


def test_it_runs_once_on_another_thread(queue: sycl.Queue) -> None:
    seen: list[tuple[int, bool]] = []
    event = queue.host_task(lambda: seen.append((threading.get_ident(), threading.current_thread().daemon)))
    event.wait()
    queue.wait_and_throw()
    assert len(seen) == 1
    assert seen[0][0] != threading.get_ident()
    assert seen[0][1], "a host task must not keep the interpreter alive"
    assert event.status is sycl.EventCommandStatus.complete


def test_tasks_may_wait_for_each_other(queue: sycl.Queue) -> None:
    """As long as there are no more of them than threads, whatever order they start in."""
    meeting = threading.Barrier(6)
    for _ in range(6):
        queue.host_task(lambda: meeting.wait(PATIENCE))
    queue.wait_and_throw()
    first, second = threading.Event(), threading.Event()
    queue.host_task(lambda: (first.set(), second.wait(PATIENCE)))
    queue.host_task(lambda: (first.wait(PATIENCE), second.set()))
    queue.wait_and_throw()
    assert first.is_set() and second.is_set()


def test_many_tasks_need_few_threads(queue: sycl.Queue) -> None:
    threads: set[int] = set()
    for _ in range(200):
        queue.host_task(lambda: threads.add(threading.get_ident()))
    queue.wait_and_throw()
    assert len(threads) <= 32  # 8, and a further one each time that all of them stand still on a busy machine


def test_a_task_submits_and_waits(queue: sycl.Queue) -> None:
    order: list[str] = []

    def outer() -> None:
        order.append("outer")
        queue.host_task(lambda: order.append("inner")).wait()
        order.append("after")

    queue.host_task(outer).wait()
    queue.wait_and_throw()
    assert order == ["outer", "inner", "after"]


def test_idle_threads_end(queue: sycl.Queue) -> None:
    queue.host_task(lambda: None).wait()
    deadline = time.monotonic() + PATIENCE
    while any(t.name == "pysycl host tasks" for t in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(t.name == "pysycl host tasks" for t in threading.enumerate())
    queue.host_task(lambda: None).wait()  # and come back


def test_no_thread_before_the_first_task(run_python) -> None:
    run_python(
        """
        import threading
        import pysycl as sycl
        queue = sycl.Queue()
        queue.wait()
        assert [t.name for t in threading.enumerate()] == ["MainThread"]
        import sys
        assert "pysycl.host_task" not in sys.modules
        """
    )


# -- what is called, and how --


class Callable0:
    def __call__(self) -> None: ...


class Callable1:
    def __call__(self, handle: object) -> None: ...


def plain() -> None: ...
def one(handle: object) -> None: ...
def default(value: int = 3) -> None: ...
def asks(handle: sycl.InteropHandle = None) -> None: ...  # type: ignore[assignment]
def asks_in_words(handle: "sycl.InteropHandle | None" = None) -> None: ...
def rest(*args: object) -> None: ...
def two(a: object, b: object) -> None: ...
def two_with_default(a: object, b: object = 1) -> None: ...
def keyword_only(*, a: object) -> None: ...
def keyword_default(*, a: object = 1) -> None: ...


@functools.wraps(plain)
def wrapper(*args: object, **kwargs: object) -> None: ...


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (plain, False),
        (one, True),
        (default, False),
        (asks, True),
        (rest, True),
        (two_with_default, True),
        (keyword_default, False),
        (wrapper, False),
        (functools.partial(one, 1), False),
        (functools.partial(two, 1), True),
        (Callable0(), False),
        (Callable1(), True),
        ([].append, True),
        (threading.Event().set, False),
        (dict, False),  # says nothing about itself
        (lambda i=5: i, False),  # the idiom of loops
    ],
)
def test_what_takes_a_handle(function: object, expected: bool) -> None:
    assert takes_handle(function) is expected


@pytest.mark.parametrize("function", [two, keyword_only, Callable1, 5, None, "words"])
def test_what_cannot_be_called_is_refused(queue: sycl.Queue, function: object) -> None:
    if function is Callable1:

        async def function() -> None: ...

    with pytest.raises(sycl.InvalidParameterError, match="host_task"):
        queue.host_task(function)  # type: ignore[arg-type]
    with queue.submit() as h, pytest.raises(sycl.InvalidParameterError, match="host_task"):
        h.host_task(function)  # type: ignore[arg-type]


def test_a_refused_task_leaves_nothing(queue: sycl.Queue, no_leaks: None) -> None:
    function = Callable0()
    gone = weakref.ref(function)

    def group(h: sycl.Handler, function: object) -> None:
        h.host_task(function)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        queue.submit(functools.partial(group, function=function))
    del function
    gc.collect()
    assert gone() is None


def test_a_task_lets_go_of_its_function(queue: sycl.Queue, no_leaks: None) -> None:
    function = Callable0()
    gone = weakref.ref(function)
    event = queue.host_task(function)
    event.wait()
    del function
    deadline = time.monotonic() + PATIENCE
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.001)
    assert gone() is None


# -- failures --


def raises(error: BaseException) -> None:
    raise error


def test_an_exception_is_an_asynchronous_error(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    error = ValueError("seven is too many")
    event = queue.host_task(lambda: raises(error))
    event.wait()  # does not raise
    assert event.exception is not None
    with pytest.raises(sycl.SyclRuntimeError) as caught:
        queue.wait_and_throw()
    assert caught.value.__cause__ is error
    assert "raised ValueError: seven is too many" in str(caught.value)
    assert caught.value.site is not None and "test_host_task.py" in caught.value.site
    trace = error.__traceback__
    assert trace is not None and trace.tb_frame.f_code.co_name == "<lambda>", "the user's own line is in the traceback"
    queue.wait_and_throw()  # once


def test_the_handler_gets_it(device: sycl.Device) -> None:
    got: list[sycl.ExceptionList] = []
    queue = sycl.Queue(device, async_handler=got.append)
    queue.host_task(lambda: raises(KeyError("k")))
    queue.wait_and_throw()
    assert [type(e.__cause__) for errors in got for e in errors] == [KeyError]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_exceptions_that_end_programs_do_not(device: sycl.Device, error: BaseException) -> None:
    queue = sycl.Queue(device)
    queue.host_task(lambda: raises(error))
    with pytest.raises(sycl.SyclRuntimeError) as caught:
        queue.wait_and_throw()
    assert caught.value.__cause__ is error
    queue.host_task(lambda: None).wait()
    queue.wait_and_throw()


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_without_words(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    queue.host_task(lambda: raises(Unspeakable()))
    with pytest.raises(sycl.SyclRuntimeError, match="raised Unspeakable$|raised Unspeakable\n"):
        queue.wait_and_throw()


def test_dependents_are_poisoned(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    ran: list[int] = []
    go = threading.Event()
    first = queue.host_task(lambda: (go.wait(PATIENCE), raises(ValueError("first"))))
    second = queue.host_task(lambda: ran.append(2), depends_on=first)
    third = queue.host_task(lambda: ran.append(3), depends_on=[second])
    go.set()
    third.wait()
    assert ran == []
    assert "submitted at" in str(third.exception) and "raised ValueError: first" in str(third.exception)
    with pytest.raises(sycl.AsyncErrorGroup) as caught:
        queue.wait_and_throw()
    assert len(caught.value.exceptions) == 3


def test_failures_leave_nothing(device: sycl.Device, no_leaks: None) -> None:
    class Mark(Exception): ...

    def fail() -> None:
        raise Mark("once")

    queue = sycl.Queue(device)
    queue.host_task(fail)
    with pytest.raises(sycl.SyclRuntimeError) as caught:
        queue.wait_and_throw()
    gone = weakref.ref(caught.value.__cause__)
    del caught
    deadline = time.monotonic() + PATIENCE
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.001)
    assert gone() is None


# -- order --


def test_host_tasks_and_kernels_in_their_order(queue: sycl.Queue) -> None:
    program = sycl.Program("__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }")
    x = np.zeros(1000, np.int32)
    seen: list[int] = []
    event = queue.parallel_for(x.size, program.add, x, 1)
    for step in range(2, 6):
        event = queue.host_task(lambda: seen.append(int(x.min())), depends_on=event)
        event = queue.parallel_for(x.size, program.add, x, 1, depends_on=event)
        assert step
    event.wait()
    assert seen == [1, 2, 3, 4]
    assert (x == 5).all()


def test_in_order_queues_take_their_turn(device: sycl.Device) -> None:
    queue = sycl.Queue(device, in_order=True)
    seen: list[int] = []
    for i in range(50):
        queue.host_task(lambda i=i: seen.append(i))
    queue.wait_and_throw()
    assert seen == list(range(50))


def test_times(device: sycl.Device) -> None:
    queue = sycl.Queue(device, enable_profiling=True)
    event = queue.host_task(lambda: time.sleep(0.05))
    profile = event.profiling
    assert profile.submit <= profile.start <= profile.end
    assert profile.seconds >= 0.04


def test_waiting_answers_while_a_task_runs(queue: sycl.Queue) -> None:
    """The GIL is free while one waits: else the task could not run at all."""
    ticks: list[int] = []
    event = queue.host_task(lambda: [ticks.append(i) or time.sleep(0.001) for i in range(20)])
    event.wait()
    assert len(ticks) == 20


def test_tasks_from_many_threads(queue: sycl.Queue) -> None:
    done: list[int] = []

    def submit() -> None:
        for i in range(50):
            queue.host_task(lambda i=i: done.append(i))

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.wait_and_throw()
    assert sorted(done) == sorted(list(range(50)) * 4)


def test_live_counts_return(queue: sycl.Queue, no_leaks: None) -> None:
    for _ in range(20):
        queue.host_task(lambda h: h.get_native_queue())
    queue.wait_and_throw()


# -- the end of the process --


def test_the_exit_waits_for_tasks(run_python) -> None:
    child = run_python(
        """
        import time
        import pysycl as sycl
        queue = sycl.Queue()
        event = queue.host_task(lambda: (time.sleep(0.3), print("one", flush=True)))
        queue.host_task(lambda: print("two", flush=True), depends_on=event)
        """
    )
    assert child.stdout.split() == ["one", "two"]
    assert child.stderr == ""


def test_a_task_submitted_at_the_exit_runs(run_python) -> None:
    """There are no new threads any more: whoever waits runs it."""
    child = run_python(
        """
        import atexit
        import pysycl as sycl
        queue = sycl.Queue()
        def late():
            queue.host_task(lambda: print("waited for", flush=True)).wait()
            queue.host_task(lambda: print("not waited for", flush=True))
        atexit.register(late)
        """
    )
    assert child.stdout.splitlines() == ["waited for", "not waited for"]
    assert child.stderr == ""


def test_without_threads_whoever_waits_runs_them(run_python) -> None:
    child = run_python(
        """
        import threading
        import pysycl as sycl
        def refuse(self):
            raise RuntimeError("can't start new thread")
        threading.Thread.start = refuse
        queue = sycl.Queue()
        ran = []
        event = queue.host_task(lambda: ran.append(threading.current_thread().name))
        queue.host_task(lambda: print("at the exit", flush=True), depends_on=event)
        event.wait()
        print(ran, flush=True)
        """
    )
    assert child.stdout.splitlines() == ["['MainThread']", "at the exit"]
    assert child.stderr == ""


def test_buffers_are_written_back_at_the_exit(run_python) -> None:
    """After the commands that use them, host tasks too; with and without the user's mutex."""
    child = run_python(
        """
        import atexit, threading, time
        import numpy as np
        x, y = np.zeros(4, np.int32), np.zeros(8, np.int32)[::2]
        atexit.register(lambda: print(x.tolist(), y.tolist(), flush=True))  # runs after pysycl's
        import pysycl as sycl
        queue = sycl.Queue()
        for_x, for_y = sycl.Buffer(x), sycl.Buffer(y, use_mutex=threading.Lock())
        with queue.submit() as h:
            a = sycl.Accessor(for_x, h, "read_write", target="host_task")
            b = sycl.Accessor(for_y, h, "read_write", target="host_task")
            def task():
                time.sleep(0.2)
                a[:] = 1
                b[:] = 2
            h.host_task(task)
        """
    )
    assert child.stdout == "[1, 1, 1, 1] [2, 2, 2, 2]\n"
    assert child.stderr == ""


def test_the_exit_does_not_hang_on_a_task(run_python) -> None:
    began = time.monotonic()
    child = run_python(
        """
        import threading
        import pysycl as sycl
        queue = sycl.Queue()
        event = queue.host_task(threading.Event().wait)
        queue.host_task(lambda: print("never"), depends_on=event)
        """,
        {"PYSYCL_EXIT_TIMEOUT": "0.5"},
    )
    assert child.stdout == ""
    assert "2 command(s) had not ended" in child.stderr and "host task" in child.stderr
    assert time.monotonic() - began < 20


def test_errors_at_the_exit_are_said(run_python) -> None:
    child = run_python(
        """
        import pysycl as sycl
        queue = sycl.Queue()
        def fail():
            raise ValueError("nobody hears")
        queue.host_task(fail).wait()
        """
    )
    assert "raised ValueError: nobody hears" in child.stderr


def test_ctrl_c_while_waiting_for_a_task(run_python) -> None:
    child = run_python(
        """
        import os, signal, threading, time
        import pysycl as sycl
        queue = sycl.Queue()
        go = threading.Event()
        event = queue.host_task(go.wait)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            event.wait()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        go.set()
        event.wait()
        print("done")
        """
    )
    assert child.stdout.split() == ["interrupted", "done"]


def test_a_forked_child_is_refused(run_python) -> None:
    run_python(
        """
        import os, sys
        import pysycl as sycl
        queue = sycl.Queue()
        queue.host_task(lambda: None).wait()
        child = os.fork()
        if child == 0:
            try:
                queue.host_task(lambda: None)
            except sycl.ForkedProcessError:
                sys.exit(7)
            sys.exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        queue.host_task(lambda: None).wait()
        """
    )
