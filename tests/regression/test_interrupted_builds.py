"""Ctrl-C during a build came when the compiler was done, ten seconds later with PoCL.

The build goes on by itself, and what comes of it is the next launch's.
"""

import time
from typing import Any

import pytest

# Builds of texts with #held do not end before they are let.
HELD = """
import signal
queue, x = sycl.Queue(), np.zeros(1, np.uint32)
_core.fault_install(0)
signal.signal(signal.SIGALRM, signal.default_int_handler)

def interrupted(call, expected=KeyboardInterrupt):
    began = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        call()
    except expected as error:
        assert type(error) is expected and error.__cause__ is None and error.__context__ is None, repr(error)
    else:
        raise AssertionError("not interrupted")
    assert time.monotonic() - began < 10

def held(name="bump", parameters="global uint *y, uint n", body=""):
    return sycl.Program(f"kernel void {name}({parameters}) {{ {body} }}\\n#held\\n")

held().build(queue.context)
fake.fake_hold_builds(1)
"""

CALLS = {
    "build": "program.build(queue.context)",
    "launch": "queue.single_task(program.bump, x, 1)",
    "wait": "queue.single_task(program.bump, x, 1, wait=True)",
    "group": "queue.submit(lambda h: h.single_task(program.bump, x, 1))",
    "checked": "checked()",
    "reduction": "total()",
}


@pytest.mark.parametrize("call", CALLS)
def test_it_comes_at_once(run_fake: Any, call: str) -> None:
    run_fake(
        HELD
        + f"""
program = held()
reducing = sycl.Program(
    "#held\\nkernel void bump(global const uint *x, reducer(uint, plus) r) {{ r += x[get_global_id(0)]; }}"
)
def checked():
    with sycl.debug("check"):
        queue.single_task(program.bump, x, 1)
def total():
    queue.parallel_for(1, reducing.bump, x, sycl.reduction(x.copy(), sycl.plus))
before = _core.fault_calls("BuildProgram")
for _ in range(5):
    interrupted(lambda: {CALLS[call]})
assert _core.fault_calls("BuildProgram") == before + 1
fake.fake_hold_builds(0)
queue.single_task(program.bump, x, 1).wait_and_throw()
assert _core.fault_calls("BuildProgram") == before + {1 + (call in ("checked", "reduction"))}
try:
    {CALLS[call]}
except sycl.KernelArgumentError:  # the driver's kernel has other parameters
    assert "{call}" in ("checked", "reduction")
assert _core.fault_calls("BuildProgram") == before + {1 + (call in ("checked", "reduction"))}
""",
        timeout=60,
    )


def test_nothing_is_left_of_texts_that_nobody_has_any_more(run_fake: Any) -> None:
    run_fake(
        HELD
        + """
before = live_counts.quiet()
for _ in range(10):
    interrupted(lambda: held().build(queue.context))
interrupted(lambda: held().build(sycl.Context(queue.device)))
fake.fake_hold_builds(0)
gc.collect()
after = live_counts.settled(before)
assert after == before, (after, before)
"""
    )


def test_what_is_wrong_with_a_text_is_said_by_the_next_build(run_fake: Any) -> None:
    run_fake(
        HELD
        + """
program = sycl.Program("kernel void bump(global uint *y, uint n) { }\\n#held\\n#error broken\\n")
interrupted(lambda: program.build(queue.context))
fake.fake_hold_builds(0)
for _ in range(2):
    try:
        program.build(queue.context)
    except sycl.BuildError as error:
        assert "broken" in str(error)
    else:
        raise AssertionError
"""
    )


def test_handlers_are_free_in_what_they_raise_and_do(run_fake: Any) -> None:
    """What they raise passes as it is; those that return change nothing; a build within finds no lock held."""
    run_fake(
        HELD
        + """
program, other, seen = held(), held("add", "global uint *y"), []

def refuse(*_):
    raise TimeoutError("too long")

def nest(*_):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted(lambda: program.build(queue.context))
    interrupted(lambda: other.build(queue.context))
    raise LookupError

def let(*_):
    seen.append(1)
    if len(seen) == 3:
        fake.fake_hold_builds(0)

signal.signal(signal.SIGALRM, refuse)
interrupted(lambda: program.build(queue.context), TimeoutError)
signal.signal(signal.SIGALRM, nest)
interrupted(lambda: program.build(queue.context), LookupError)
signal.signal(signal.SIGALRM, let)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
program.build(queue.context)
signal.setitimer(signal.ITIMER_REAL, 0)
assert len(seen) >= 3
"""
    )


def test_a_handler_that_forks(run_fake: Any) -> None:
    run_fake(
        HELD
        + """
program, parent = held(), os.getpid()

def fork(*_):
    child = os.fork()
    if child != 0:
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        fake.fake_hold_builds(0)

signal.signal(signal.SIGALRM, fork)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    program.build(queue.context)
except sycl.ForkedProcessError:
    os._exit(7 if os.getpid() != parent else 1)
assert os.getpid() == parent
"""
    )


@pytest.mark.parametrize("ended", [False, True], ids=["under way", "done"])
def test_the_process_ends_at_once(run_fake: Any, ended: bool) -> None:
    """It waited for builds of other threads at most ten seconds, and nobody waits for this one, nor for one that is done."""
    began = time.monotonic()
    child = run_fake(
        HELD
        + f"""
import sys
program = held()
interrupted(lambda: program.build(queue.context))
if {ended}:
    fake.fake_hold_builds(0)
    program.build(queue.context)
    time.sleep(0.1)
sys.stdout.write("flushed")
"""
    )
    assert child.stdout == "flushed" and child.stderr == ""
    assert time.monotonic() - began < 8


LONG = """
import os, signal, threading, time
import numpy as np
import pysycl as sycl

text = "".join(f"if (x[i] > {n}) x[i] += sin(x[i]) * {n};" for n in range(300))
queue, x, sent = sycl.Queue(), np.full(64, 1000, np.float32), []

def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

queue.parallel_for(64, "x[i] += 0;", x=x)  # with all that comes first
threading.Timer(0.2, interrupt).start()
try:
    queue.parallel_for(64, text, x=x)
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
    assert late < 1, late
else:
    assert not sent, "not interrupted"
    raise SystemExit("fast")
"""


@pytest.mark.parametrize("then", ["again", "end"])
def test_with_a_compiler(run_python: Any, then: str) -> None:
    again = "queue.parallel_for(64, text, x=x)\nassert x[0] > 1000" if then == "again" else "print('left')"
    child = run_python(LONG + again, {"PYSYCL_CACHE": "0"}, check=False)
    if "fast" in child.stderr:
        pytest.skip("this driver compiles fast")
    assert child.returncode == 0 and child.stderr == "", child.stderr
