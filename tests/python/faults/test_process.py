"""The process: forks are refused at once, Ctrl-C ends a wait, and the interpreter's end loses no work silently."""

import os
import shutil
import signal
import sys
import textwrap

import pytest
from sweeps import sweep

# A command that takes a bounded time on any processor, and says at its end that it was done.
SPIN = '''
import os, signal, sys, threading, time
import numpy as np
import pysycl as sycl

program = sycl.Program("""
__kernel void spin(__global ulong *cell, ulong rounds)
{
    ulong x = rounds;
    for (ulong i = 0; i < rounds; i++)
        x = x * 6364136223846793005UL + (x >> 7);
    cell[0] += x == 1 ? 2 : 1;
}
""")


def spin(queue, cell, seconds):
    """A command of about so many seconds."""
    rounds, taken = 100000, 0.0
    queue.single_task(program.spin, np.zeros(1, np.uint64), 1).wait()
    while taken < 0.02:
        rounds *= 2
        began = time.perf_counter()
        queue.single_task(program.spin, np.zeros(1, np.uint64), rounds).wait()
        taken = time.perf_counter() - began
    return queue.single_task(program.spin, cell, int(rounds * seconds / taken), wait=False)
'''


@pytest.fixture
def run_spin(run_python):
    return lambda code, *args, **options: run_python(SPIN + textwrap.dedent(code), *args, **options)


# -- fork --


def test_a_forked_child_is_refused_at_once_and_the_parent_goes_on(run_spin):
    run_spin("""
        queue, cell = sycl.Queue(), np.zeros(1, np.uint64)
        event = queue.single_task(program.spin, cell, 10)
        event.wait()
        x = np.zeros(1000, np.float32)
        small = queue.kernel(1000, "x[i] += 1;", x=x)
        small(), small(), small()
        under_way = spin(queue, cell, 0.3)
        calls = {
            "small launch": small,
            "Queue": lambda: sycl.Queue(),
            "Queue of a device": lambda: sycl.Queue(queue.device),
            "Context": lambda: sycl.Context(queue.device),
            "single_task": lambda: queue.single_task(program.spin, cell, 10),
            "empty": lambda: queue.submit(lambda h: None),
            "queue.wait": queue.wait,
            "queue.wait_and_throw": queue.wait_and_throw,
            "throw_asynchronous": queue.throw_asynchronous,
            "event.wait": under_way.wait,
            "status": lambda: under_way.status,
            "build": lambda: sycl.Program("__kernel void k(void) {}").build(queue.context),
            "event.int_ptr": lambda: event.int_ptr,
        }
        child = os.fork()
        if child == 0:
            answers = 0
            for name, call in calls.items():
                try:
                    call()
                except sycl.ForkedProcessError as error:
                    words = str(error)
                    assert f"was forked from process {os.getppid()}" in words and "spawn" in words, words
                    assert error.code is sycl.Errc.runtime and isinstance(error, RuntimeError)
                    answers += 1
                else:
                    print(name, "was not refused", file=sys.stderr)
            os._exit(len(calls) - answers)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        under_way.wait()
        assert cell[0] == 2
        queue.single_task(program.spin, cell, 10).wait_and_throw()
        assert cell[0] == 3
        """)


def test_a_forked_child_ends_like_any_other(run_spin):
    """With objects of its parent, and the parent's command in flight, its interpreter ends by itself and at once."""
    child = run_spin("""
        queue, cell = sycl.Queue(), np.zeros(1, np.uint64)
        event = spin(queue, cell, 20)
        child = os.fork()
        if child == 0:
            del queue, event
            sys.exit(7)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert event.status is not sycl.EventCommandStatus.complete, "the child took longer than the command"
        os._exit(0)
        """)
    assert "pysycl" not in child.stderr


def test_workers_of_multiprocessing(run_python, tmp_path):
    """fork: refused, with words that lead on. spawn: works. fork before the first use of a device: works."""
    script = tmp_path / "workers.py"
    script.write_text("""
import multiprocessing, sys, warnings
import numpy as np
import pysycl as sycl

program = sycl.Program("__kernel void add(__global int *x) { x[get_global_id(0)] += 1; }")

def work(n):
    x = np.zeros(n, np.int32)
    sycl.Queue().parallel_for(n, program.add, x).wait_and_throw()
    return int(x.sum())

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(work, [5]) == [5]
    assert work(7) == 7
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.map(work, [5])
        except sycl.ForkedProcessError as error:
            assert "spawn" in str(error), error
        else:
            raise AssertionError("not refused")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(work, [5]) == [5]
    assert work(9) == 9
    print("done")
""")
    child = run_python(
        f"import runpy, sys; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    assert child.stdout == "done\n"


# -- Ctrl-C --


@pytest.mark.parametrize(
    "waiting",
    sweep(
        ["event.wait()", "queue.wait()", "queue.wait_and_throw()", "sycl.Event.wait([event])"],
        ["event.wait()", "queue.wait()"],
    ),
)
def test_ctrl_c_ends_a_wait_at_once(run_spin, waiting):
    """The command would go on for many seconds more; the answer comes long before that, and the process can end."""
    child = run_spin(
        f"""
        queue, cell = sycl.Queue(), np.zeros(1, np.uint64)
        event = spin(queue, cell, 20)
        main, sent = threading.get_ident(), []

        def interrupt():
            time.sleep(0.1)
            sent.append(time.monotonic())
            signal.pthread_kill(main, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            {waiting}
        except KeyboardInterrupt:
            late = time.monotonic() - sent[0]
            print(cell[0], event.status.value != "complete", late < 5, late, file=sys.stderr)
            assert cell[0] == 0 and event.status.value != "complete" and late < 5
        else:
            raise AssertionError("not interrupted")
        sys.stderr.flush()
        os._exit(0)
        """
    )
    assert child.stderr.startswith("0 True True")


def test_a_wait_goes_on_after_an_answered_signal(run_spin):
    child = run_spin("""
        queue, cell, seen = sycl.Queue(), np.zeros(1, np.uint64), []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(int(cell[0])))
        event = spin(queue, cell, 0.6)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        event.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert cell[0] == 1 and 0 in seen, seen
        """)
    assert child.stderr == ""


def test_ctrl_c_reaches_no_linker(run_python, tmp_path):
    """A terminal sends it to a driver's programs, too, and PoCL ends the process when its linker is killed."""
    linker = shutil.which("ld")
    if linker is None:
        pytest.skip("no ld here, so no driver can use it")
    log, wrapper = tmp_path / "log", tmp_path / "ld"
    wrapper.write_text(f"""#!{sys.executable} -IS
import os, sys
mask = [line for line in open("/proc/self/status") if line.startswith("SigBlk")]
open("{log}", "a").writelines(mask)
os.execv("{linker}", sys.argv)
""")
    wrapper.chmod(0o755)
    run_python(
        """
        import numpy as np
        import pysycl as sycl
        queue = sycl.Queue()
        for n in 10, 10**6:  # one is done by this thread, the other by the driver's
            x = np.zeros(n, np.int32)
            queue.parallel_for(n, "x[i] += 3;", x=x).wait()
            assert (x == 3).all()
        sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").build(queue.context)
        """,
        {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYSYCL_CACHE": "0"},
    )
    if not log.exists():
        pytest.skip("this driver starts no linker")
    held = [int(line.split()[1], 16) for line in log.read_text().splitlines()]
    assert all(mask >> signal.SIGINT - 1 & mask >> signal.SIGTERM - 1 & 1 for mask in held), held


def test_a_build_that_ctrl_c_broke_is_made_again(run_fake):
    """LLVM's own handler of Ctrl-C removes the files of builds under way, in whichever threads; three times here."""
    run_fake("""
        context, text = sycl.Queue().context, "kernel void bump(global uint *y, uint n) { }\\n#interrupted\\n"
        sycl.Program(text).build(context)
        """)


def test_after_ctrl_c_the_queue_is_as_before(run_fake):
    run_fake("""
        import signal
        queue, x = sycl.Queue(), np.zeros(1, np.uint32)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        fake.fake_hold(1)
        event = queue.single_task(program.slow, x, 0, wait=False)
        for wait in (event.wait, queue.wait):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                wait()
            except KeyboardInterrupt:
                pass
            else:
                raise AssertionError
        fake.fake_hold(0)
        event.wait()
        queue.wait_and_throw()
        assert x[0] == 1
        """)


# -- the interpreter's end --

MAPPED = """
        import mmap
        file = open("result", "w+b")
        file.truncate(8)
        cell = np.frombuffer(mmap.mmap(file.fileno(), 8), np.uint64)
"""


@pytest.mark.parametrize(
    "how",
    sweep(["", "raise SystemExit(3)", "1 / 0", "threading.Thread(target=queue.wait).start()"], ["", "1 / 0"]),
)
def test_pending_work_is_finished_at_exit(run_spin, tmp_path, how):
    child = run_spin(
        MAPPED
        + f"""
        queue = sycl.Queue()
        for _ in range(2):
            spin(queue, cell, 0.2)
        {how}
        """,
        check=False,
    )
    assert child.returncode == {"raise SystemExit(3)": 3, "1 / 0": 1}.get(how, 0)
    assert "pysycl" not in child.stderr
    assert (tmp_path / "result").read_bytes() == (2).to_bytes(8, "little")


def test_copied_arrays_are_written_back_at_exit(run_spin, tmp_path):
    run_spin(
        """
        import mmap
        file = open("result", "w+b")
        file.truncate(32)
        cells = np.frombuffer(mmap.mmap(file.fileno(), 32), np.uint64)
        queue = sycl.Queue()
        spin(queue, cells[1::2], 0.2)
        spin(queue, cells[1::2], 0.1)
        del queue
        """
    )
    assert (tmp_path / "result").read_bytes() == (2).to_bytes(16, "big")[::-1].rjust(24, b"\0").ljust(32, b"\0")


def test_what_takes_longer_than_the_limit_is_reported(run_fake):
    child = run_fake(
        """
        queue, x = sycl.Queue(), np.zeros(1, np.uint32)
        fake.fake_hold(1)
        queue.single_task(program.slow, x, 0, wait=False)
        queue.single_task(program.order, x, 0, wait=False)
        """,
        {"PYSYCL_EXIT_TIMEOUT": "0.3"},
    )
    assert child.returncode == 0
    assert "pysycl: at exit 2 command(s) had not ended; their results are lost:" in child.stderr
    assert "'slow' on Fake device 1" in child.stderr
    assert "'order' on Fake device 1" in child.stderr
    assert child.stderr.count("<string>:") == 2


def test_an_open_host_accessor_does_not_hold_the_end_up(run_fake):
    """What this thread opened it will not close any more; commands that wait for it would wait for the limit."""
    child = run_fake(
        """
        queue, x = sycl.Queue(), np.zeros(4, np.uint32)
        b = sycl.Buffer(x)
        a = b.host_access("read_write")
        a[:] = 7
        queue.submit(lambda h: h.parallel_for(4, program.fill_ids, h.write(b)))
        import pysycl.lifecycle
        began = time.monotonic()
        pysycl.lifecycle.close()
        assert time.monotonic() - began < 20
        assert x.tolist() == [0, 1, 2, 3], x
        """
    )
    assert child.stderr.startswith("pysycl: at exit <pysycl.HostAccessor read_write uint32 (4,)> of <string>:")
    assert child.stderr.endswith(" was still open; it is closed\n")
    assert len(child.stderr.splitlines()) == 1


def test_an_open_host_accessor_that_nobody_waits_for_is_closed_silently(run_fake):
    child = run_fake(
        """
        x = np.zeros(4, np.uint32)
        b = sycl.Buffer(x[::-1])  # written back at the end
        a = b.host_access("read_write")
        a[:] = [1, 2, 3, 4]
        import pysycl.lifecycle
        pysycl.lifecycle.close()
        assert x.tolist() == [4, 3, 2, 1], x
        """
    )
    assert child.stderr == ""


@pytest.mark.parametrize(
    ("limit", "words"), [("0", "had not ended"), ("-3", "had not ended"), ("soon", "is not a number")]
)
def test_odd_limits(run_fake, limit, words):
    child = run_fake(
        f"""
        queue = sycl.Queue()
        fake.fake_hold(1)
        queue.single_task(program.slow, np.zeros(1, np.uint32), 0, wait=False)
        import threading
        if {limit == "soon"}:
            threading.Timer(0.3, fake.fake_hold, [0]).start()
        """,
        {"PYSYCL_EXIT_TIMEOUT": limit},
    )
    assert words in child.stderr


def test_ctrl_c_ends_the_wait_at_exit(run_fake):
    child = run_fake(
        """
        import signal
        queue = sycl.Queue()
        fake.fake_hold(1)
        queue.single_task(program.slow, np.zeros(1, np.uint32), 0, wait=False)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        """,
        check=False,
    )
    assert "pysycl: at exit 1 command(s) had not ended" in child.stderr


def test_late_errors_are_said_at_exit(run_fake):
    child = run_fake("""
        import sys
        queue = sycl.Queue()
        sys.modules["__kept__"] = queue
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        """)
    assert "never fetched: 'fail' failed while it ran on Fake device 1" in child.stderr
    assert "submitted at <string>:" in child.stderr


def test_handlers_get_their_errors_before_the_end(run_fake):
    child = run_fake("""
        queue = sycl.Queue(async_handler=lambda errors: print("handled", len(errors), flush=True))
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False).wait()
        del queue
        """)
    assert child.stdout == "handled 1\n"
    assert child.stderr == ""


@pytest.mark.parametrize("kept", ["module", "cycle", "thread", "frame"])
def test_the_interpreter_ends_with_everything_alive(run_fake, kept):
    """Objects that the interpreter frees after the drain, in any order, reach no driver and hang on nothing."""
    child = run_fake(f"""
        import sys, threading
        context = sycl.Context(sycl.Device())
        queue, x = sycl.Queue(context=context), np.zeros(8, np.uint32)
        first = queue.single_task(program.slow, x, 50, wait=False)
        events = [first, queue.single_task(program.slow, x[::2], 50, depends_on=first, wait=False), queue.submit(lambda h: None)]
        everything = [context, queue, program, program.slow, events, sycl.devices(), sycl.platforms()]
        kept = {kept!r}
        if kept == "module":
            sys.modules["__kept__"] = everything
        elif kept == "cycle":
            everything.append(everything)
        elif kept == "thread":
            threading.Thread(target=lambda all: time.sleep(60), args=[everything], daemon=True).start()
        else:
            def generator(all):
                yield all
            running = generator(everything)
            next(running)
        """)
    assert child.stderr == ""


def test_submitting_after_the_end_is_an_error(run_fake):
    child = run_fake(
        """
        import atexit, sys

        class Late:
            def __del__(self):
                try:
                    self.queue.single_task(self.program.slow, self.x, 0, wait=False)
                except self.error:
                    print("refused", flush=True)

        late = Late()
        late.queue, late.program, late.x, late.error = sycl.Queue(), program, np.zeros(1, np.uint32), sycl.ClosedError
        sys.modules["__kept__"] = late
        """
    )
    assert child.stdout == "refused\n"
    assert child.stderr == ""


def test_a_daemon_thread_that_waits_does_not_stop_the_end(run_fake):
    child = run_fake(
        """
        import threading
        queue = sycl.Queue()
        fake.fake_hold(1)
        event = queue.single_task(program.slow, np.zeros(1, np.uint32), 0, wait=False)
        threading.Thread(target=event.wait, daemon=True).start()
        threading.Thread(target=queue.wait, daemon=True).start()
        time.sleep(0.1)
        """,
        {"PYSYCL_EXIT_TIMEOUT": "0.2"},
    )
    assert child.returncode == 0
    assert "at exit 1 command(s) had not ended" in child.stderr
