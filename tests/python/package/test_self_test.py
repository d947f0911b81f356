"""The self-test of families of kernels: wrong ways are replaced, verdicts are kept, nothing hangs and nobody notices.

What is found out holds for a process, so each test is one of its own. The fake driver computes nothing but its own
kernels, so that it gets every family wrong, at no cost."""

import math
import os
import re
import shutil
from pathlib import Path

import pytest
from sweeps import exhaustive, sweep

import pysycl as sycl

FAMILIES = (
    "ITEM, ITEM_ROWS, LOOP, LOOP_ROWS, OWN_MEMORY, WIDE, PACK_FLOAT, PACK_DOUBLE, ND_RANGE, HIERARCHICAL, REDUCE_LANES, "
    "REDUCE_STRIDE, REDUCE_PACK, ALONG, ACROSS, SHORT, PADDED, COLUMNS, TEAMS, TEAMS_DOWN, SPAN_COPIES, SPAN_FOURFOLD, "
    "SPAN_FOLDED, SPAN_ALONE, SPAN_SHARED, SPAN_LOCAL, SPAN_TABLE, SPAN_LOCAL_TABLE, SUM_RUNNING, SUM_EXACT, SCAN_VECTORS, "
    "SCAN_PAST, SCAN_TILES, SCAN_BESIDE, ATOMICS, ATOMICS_64, SUB_GROUPS, WORK_GROUPS, JOINT, STRIDE_WARPS, TEAMS_WARPS, "
    "TEAMS_DOWN_WARPS, SCAN_ROUNDS"
)
SCENE = f"""
import os, threading, time
import numpy as np
import pysycl as sycl
from pysycl import _core
from pysycl._doctor.selftest import verdicts
{FAMILIES} = range(43)
queue = sycl.Queue()
n = min(32, queue.device.max_work_group_size)
x = np.arange(2 * n, dtype=np.uint32)
rows = x.reshape(2, n)
def verdict(words):
    return next(v for v in verdicts(queue.device) if v.family.startswith(words))
def grouped(text):
    y = np.zeros((2, n), np.uint32)
    program = sycl.Program("__kernel void run(__global uint *x, __global uint *y) {{ size_t i = get_global_id(0);" + text + "}}")
    queue.parallel_for(sycl.NdRange(2 * n, n), program.run, x, y).wait()
    return y
def sums_are_right():
    return (grouped("y[i] = group_reduce(work_group, x[i], plus);") == rows.sum(axis=1, keepdims=True)).all()
def body(text="y[i] = 3 * x[i];", **more):
    y = np.zeros(2 * n, np.uint32)
    queue.parallel_for(2 * n, text, x=x, y=y, **more).wait()
    return y
"""
REDUCED = """
values = sycl.Buffer(x)
def total():
    out = np.full(1, 5, np.uint32)
    with sycl.Buffer(out) as buffer, queue.submit() as h:
        h.parallel_for(2 * n, "r += x[i];", x=h.read(values), r=sycl.reduction(buffer, h, sycl.plus))
    return int(out[0])
"""
NO_CACHE = {"PYSYCL_CACHE": "0"}
FAKE = {"PYSYCL_SELF_TEST": "1"}
WRONG = "(clCreateKernel failed with CL_INVALID_KERNEL_NAME (-46): the kernel failed)"
ASK = """
text = "__kernel void run(__global uint *x) { x[0] = group_reduce(work_group, 1u, plus); }"
def ask():
    try:
        sycl.Queue().parallel_for(sycl.NdRange(4, 4), sycl.Program(text).run, np.zeros(4, np.uint32)).wait()
    except sycl.KernelNotSupportedError as error:
        return str(error)
"""
# Of the fake driver, taken for Intel's: three kinds of sub-groups, then two shapes of work-groups without any.
WAYS = 5


REPLACED = {
    "functions": """
_core.known_fault(WORK_GROUPS, 0, "wrong")
assert sums_are_right()
found = verdict("functions of work-groups")
assert found.state == "replaced" and not found.kept and found.way, found
assert found.words.startswith("group_reduce(work_group, uint) of item 0 is 0x"), found
""",
    "atomics": """
_core.known_fault(ATOMICS, 0, "broken")
assert grouped("atomic_fetch_max(&y[0], x[i]);").ravel()[0] == 2 * n - 1
found = verdict("atomic")
assert (found.state, found.way, found.words[:19]) == ("replaced", "not optimised", "it does not build: "), found
assert "asked_for_by_a_test" in found.words, found
""",
    "hierarchical": """
_core.known_fault(HIERARCHICAL, 0, "wrong")
y = np.zeros(2 * n, np.uint32)
with queue.submit() as h:
    h.parallel_for_work_group(2, n, "parallel_for_work_item { y[global_id(0)] = 3 * x[global_id(0)]; }", x=x, y=y)
queue.wait_and_throw()
assert (y == 3 * x).all() and verdict("hierarchical").state == "replaced"
""",
    "bodies": """
if queue.device._facts["items"] == "looped":
    _core.known_fault(LOOP, 0, "wrong")
    assert (body() == 3 * x).all()
    assert _core.known_trials() == 2
    found = verdict("bodies, loops")
    assert (found.state, found.way) == ("replaced", "bodies, one item each"), found
    assert verdict("bodies, one item").state == "right"
    said = str(sycl.explain("y[i] = 3 * x[i];", 2 * n, queue_or_device=queue, x=x, y=x.copy()))
    assert "did not stand the self-test" in " ".join(said.split()), said
""",
}


REPLACED["reductions"] = f"""{REDUCED}
if queue.device._facts["items"] in ("looped", "packed"):
    first, mine, other, trials = REDUCE_LANES, "reductions, lanes", "reductions, groups", 2
elif any(v.family == "reductions, warps" for v in verdicts(queue.device)):
    first, mine, other, trials = STRIDE_WARPS, "reductions, warps", "reductions, groups", 3  # warps are tried, too
else:
    first, mine, other, trials = REDUCE_STRIDE, "reductions, groups", "reductions, lanes", 2
_core.known_fault(first, 0, "wrong")
assert total() == 5 + x.sum() and _core.known_trials() == trials
found = verdict(mine)
assert (found.state, found.way, found.words[:17]) == ("replaced", other, "a sum of uint is "), found
"""


# Of each what gives right answers in another way, or not optimised, and how it is used. One child has all of them.
ELSEWHERE = """
from pysycl.reductions import _along
draw = np.random.default_rng(1)
def along(size, axis):
    v, out = draw.integers(0, 99, size).astype(np.uint32), np.zeros(size[1 - axis], np.uint32)
    queue.parallel_for(size, "r += v[i];", v=v, r=_along(out, sycl.plus, 1 << axis)).wait()
    assert (out == v.sum(axis=axis)).all(), (size, axis)
def bins(count, fresh=False):
    k, got = draw.integers(0, count, 5000).astype(np.uint32), np.zeros(count, np.uint32)
    out = sycl.malloc_device(count, np.uint32, queue)
    queue.copy(got, out).wait()
    r = sycl.reduction(sycl.span(out, count), sycl.plus, initialize_to_identity=fresh)
    queue.parallel_for(5000, "r[k[i]] += 1u;", k=k, r=r).wait(); queue.copy(out, got).wait()
    assert (got == np.bincount(k, minlength=count)).all(), count
def sums(accuracy):
    v, out = np.tile(np.array([2**24, 1, -(2**24), 1], np.float32), 500), np.zeros(1, np.float32)
    with sycl.Buffer(out) as buffer, queue.submit() as h:
        h.parallel_for(2000, "r += v[i];", v=v, r=sycl.reduction(buffer, h, sycl.plus, accuracy=accuracy))
    assert out[0] == 1000, out
def vectors():
    v, out = np.linspace(1, 2, 2000, dtype=np.float32), np.zeros(1, np.float32)
    with sycl.Buffer(out) as buffer, queue.submit() as h:
        h.parallel_for(2000, "r += log(v[i]);", v=v, r=sycl.reduction(buffer, h, sycl.plus))
    assert abs(out[0] - np.log(v).sum()) < 0.01, out
def box():
    y = np.zeros((3, 5, 7), np.uint32)
    queue.parallel_for(y.shape, "y(i0, i1, i2) = (uint)i;", y=y).wait()
    assert (y.ravel() == np.arange(105)).all()
def grouped_body():
    y = np.zeros(32, np.uint32)
    queue.parallel_for(sycl.NdRange((2, 4, 4), (1, 2, 4)), "y[i] = (uint)local_id(1);", y=y).wait()
    assert (y.reshape(2, 4, 4) == (np.arange(4) % 2)[None, :, None]).all()
def wide():
    y = np.zeros(1, np.int64)
    program = sycl.Program("__kernel void run(__global long *y) { atomic_fetch_add(y, 1L << 40); }")
    queue.parallel_for(32, program.run, y).wait()
    assert y[0] == 32 << 40
def scan(shape, axis, combine, row=None):
    _core.force_scan_row(row)
    v = draw.integers(0, 99, shape).astype(np.uint32)
    out = np.zeros_like(v)
    operator = sycl.plus if combine is np.add else sycl.BinaryOp("a > b ? a : b")
    queue.parallel_scan(shape, "t.combine(v[i]);", "out[i] = t;", axis=axis, v=v, out=out, t=sycl.scanner(operator, "u4")).wait()
    assert (out == combine.accumulate(v, axis=axis)).all(), (shape, axis)
uses = {ITEM_ROWS: box, LOOP_ROWS: box, ND_RANGE: grouped_body, REDUCE_PACK: vectors, ALONG: lambda: along((9, 900), 1),
        ACROSS: lambda: along((300, 1), 1), SHORT: lambda: along((300, 6), 1), PADDED: lambda: along((300, 19), 1),
        COLUMNS: lambda: along((40, 50), 0), TEAMS: lambda: along((9, 900), 1), TEAMS_DOWN: lambda: along((40, 50), 0),
        SPAN_COPIES: lambda: bins(3000), SPAN_FOURFOLD: lambda: bins(16), SPAN_LOCAL: lambda: bins(16),
        SPAN_TABLE: lambda: bins(30000, 1), SPAN_LOCAL_TABLE: lambda: bins(16, 1), SUM_RUNNING: lambda: sums("compensated"),
        SUM_EXACT: lambda: sums("exact"), ATOMICS_64: wide, SCAN_VECTORS: lambda: scan((3000,), 0, np.add),
        SCAN_TILES: lambda: scan((3000,), 0, np.maximum), SCAN_PAST: lambda: scan((3000,), 0, np.add, "small tiles"),
        SCAN_BESIDE: lambda: scan((30, 5000), 0, np.add), SCAN_ROUNDS: lambda: scan((3000,), 0, np.add, "small rounds")}
if queue.device._facts["sub_groups"] == 2:
    uses |= {STRIDE_WARPS: lambda: sums("compensated"), TEAMS_WARPS: lambda: along((9, 900), 1),
             TEAMS_DOWN_WARPS: lambda: along((40, 50), 0)}
"""


SOME_FAMILIES = "ITEM_ROWS, SPAN_COPIES, SUM_EXACT, SCAN_VECTORS"


@pytest.mark.parametrize(
    "families",
    [f"({SOME_FAMILIES})", exhaustive("list(uses)[0::2]"), exhaustive("list(uses)[1::2]")],
    ids=["some", "one half", "the other half"],
)
def test_each_family_can_be_replaced(families: str, run_python) -> None:  # type: ignore[no-untyped-def]
    """What is wrong in the first way, and what does not build, which the words tell apart."""
    run_python(
        SCENE
        + ELSEWHERE
        + f"""
hit = 0
for family in {families}:
    _core.known_forget()
    for other in uses:
        _core.known_fault(other, 0, "")
    if family == ITEM_ROWS:  # who is asked where loops are wrong
        _core.known_fault(LOOP_ROWS, 0, "wrong")
    _core.known_fault(family, 0, "broken" if family in (SUM_EXACT, TEAMS, COLUMNS) else "wrong")
    uses[family]()
    found = [v for v in verdicts(queue.device) if v.state != "not yet"]
    assert found and all(v.state in ("right", "replaced") for v in found), found
    replaced = [v for v in found if v.state == "replaced"]
    assert len(replaced) <= 1 + (family == ITEM_ROWS), replaced
    for v in replaced:
        assert ("asked_for_by_a_test" in v.words) == (family in (SUM_EXACT, TEAMS, COLUMNS)), v
    assert replaced or family not in (SCAN_VECTORS, SCAN_PAST, SCAN_TILES, SCAN_BESIDE), (family, found)  # ROUNDS: a GPU's
    hit += len(replaced) > 0
assert hit > len({families}) // 2  # the device has its own way for most of them
""",
        NO_CACHE,
        timeout=240,
    )


def test_reductions_that_are_wrong_in_every_shape_are_refused(run_python) -> None:  # type: ignore[no-untyped-def]
    code = (
        SCENE
        + REDUCED
        + """
for family in (REDUCE_LANES, REDUCE_STRIDE, STRIDE_WARPS):
    _core.known_fault(family, 0, "wrong")
try:
    print(total())
except sycl.KernelNotSupportedError as error:
    print(error)
"""
    )
    assert " right in no way that pysycl has for it (a sum of uint is " in run_python(code, NO_CACHE).stdout


@pytest.mark.parametrize("family", sweep(REPLACED, [*REPLACED][:2]))
def test_a_way_with_wrong_answers_is_replaced(family: str, run_python) -> None:  # type: ignore[no-untyped-def]
    """Programs give right results, and it is said why."""
    run_python(SCENE + REPLACED[family], NO_CACHE, timeout=110)


def test_a_way_that_does_not_end_is_replaced(run_python) -> None:  # type: ignore[no-untyped-def]
    """Whether it is the kernel, or the driver that does not come back."""
    run_python(
        SCENE
        + """
_core.known_limit(0.2)
_core.known_fault(WORK_GROUPS, 0, "hangs")
_core.known_fault(ATOMICS, 0, "stuck")
assert sums_are_right()
assert grouped("atomic_fetch_max(&y[0], x[i]);").ravel()[0] == 2 * n - 1
assert verdict("functions of work-groups")[1:3] == ("replaced", "it did not end in 0.2 s")
assert verdict("atomic")[1:3] == ("replaced", "the driver did not come back in 0.2 s")
""",
        NO_CACHE,
        timeout=110,
    )


def test_ctrl_c_leaves_it_to_itself(run_python) -> None:  # type: ignore[no-untyped-def]
    """It comes at once and is no answer; the answer is there for whoever asks next."""
    run_python(
        SCENE
        + """
import signal
_core.known_limit(2.0)
_core.known_fault(ATOMICS, 0, "stuck")
signal.signal(signal.SIGALRM, signal.default_int_handler)
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    began = time.monotonic()
    try:
        grouped("atomic_fetch_max(&y[0], x[i]);")
    except KeyboardInterrupt:
        assert time.monotonic() - began < 2, time.monotonic() - began
    else:
        raise AssertionError("not interrupted")
    assert verdict("atomic")[1] == "not yet"
assert grouped("atomic_fetch_max(&y[0], x[i]);").ravel()[0] == 2 * n - 1
assert verdict("atomic")[1:3] == ("replaced", "the driver did not come back in 2 s")
""",
        NO_CACHE,
        timeout=110,
    )


def test_a_test_that_cannot_be_made_changes_nothing_and_is_made_later(run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = {"PYSYCL_CACHE_DIR": str(tmp_path / "cache")}
    text = SCENE + "assert sums_are_right()\nprint(_core.known_trials(), *verdict('functions of work-groups')[1:4:2])"
    first = run_python(text.replace("assert", "_core.known_fault(WORK_GROUPS, 0, 'no memory')\nassert", 1), folder)
    assert "untested" in first.stdout
    for trials in (True, False):
        again = run_python(text, folder)
        assert "right" in again.stdout
        assert (not again.stdout.startswith("0 ")) is trials


def test_a_process_that_dies_in_it_is_not_followed_by_others(run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The first may have been killed; behind the second the way is not tried again."""
    folder = {"PYSYCL_CACHE_DIR": str(tmp_path / "cache")}
    text = SCENE + "_core.known_fault(WORK_GROUPS, 0, 'dies')\nassert sums_are_right()\n"
    text += "found = verdict('functions of work-groups')\nprint(found.state, found.words, found.kept)"
    for _ in range(2):
        assert run_python(text, folder, check=False).returncode == 6
    assert run_python(text, folder).stdout.strip() == "replaced 2 processes ended in it False"
    assert run_python(text, folder).stdout.strip() == "replaced 2 processes ended in it True"
    assert not list((tmp_path / "cache").glob(".new-*"))


def test_nobody_sees_it(run_python) -> None:  # type: ignore[no-untyped-def]
    """No live object, no command, no byte of traffic; and nothing without need, nor where it is turned off."""
    run_python(
        SCENE
        + """
program = sycl.Program("__kernel void run(__global uint *x) { x[get_global_id(0)] += 0; }")
queue.parallel_for(2 * n, program.run, x).wait()
assert _core.known_trials() == 0
assert {v.state for v in verdicts(queue.device)} == {"not yet"}
program = sycl.Program("__kernel void run(__global uint *x) { x[0] += group_reduce(work_group, 0u, plus); }")
before, traffic = _core.live_counts(), _core.traffic()
program.build(queue.context)
assert _core.known_trials() >= 1
after = _core.live_counts()
assert {kind: after[kind] - before[kind] for kind in after if after[kind] != before[kind]} == {"cl_program": 1}
assert _core.traffic() == traffic
""",
        NO_CACHE,
        timeout=110,
    )
    off = run_python(
        SCENE + "assert (body() == 3 * x).all(); print(_core.known_trials(), verdict('bod').state)",
        {**NO_CACHE, "PYSYCL_SELF_TEST": "0"},
    )
    assert off.stdout.split() == ["0", "not", "yet"]


def test_what_pocl_gets_wrong_is_noticed(device: sycl.Device, run_python) -> None:  # type: ignore[no-untyped-def]
    """Its compiler takes the memory of all turns of a loop for one, and its sin of vectors is wrong beside large values:
    bodies mind both. Without that care results are wrong, unless the self-test takes the forms away."""
    if device._facts["items"] != "looped":
        pytest.skip("bodies are no loops here")
    text = (
        SCENE
        + """
_core.undo_cures(True)
memory = "uint t[2]; t[0] = x[i]; t[1] = 5; y[i] = t[x[i] & 1];"
own = (body(memory) == np.where(x & 1, 5, x)).all()
small = np.tile(np.array([1e-30, 1e30], np.float32), n)
y = np.zeros_like(small)
queue.parallel_for(2 * n, "y[i] = sin(z[i]);", z=small, y=y).wait()
print(own, (y[::2] == small[::2]).all(), verdict("bodies, items with memory").state, verdict("bodies, vectors of float").state)
"""
    )
    believed = run_python(text, {**NO_CACHE, "PYSYCL_SELF_TEST": "0"}).stdout.split()
    tested = run_python(text, NO_CACHE, timeout=110).stdout.split()
    assert tested[:2] == ["True", "True"]
    assert [state == "replaced" for state in tested[2:]] == [right == "False" for right in believed[:2]]
    if "PoCL 3." in device.platform.version:
        assert tested[2:] == ["replaced", "replaced"]


def test_a_device_that_is_always_wrong_is_refused(run_fake) -> None:  # type: ignore[no-untyped-def]
    said = run_fake(
        ASK
        + """
print(ask())
assert _core.known_trials() == 5 and ask() and _core.known_trials() == 5
try:
    sycl.Queue().parallel_for(64, "x[i] = 1;", x=np.zeros(64, np.float32)).wait()
except sycl.KernelNotSupportedError as error:
    print(error)
""",
        FAKE,
    ).stdout.splitlines()
    assert said == [
        f"device 'Fake device 1' gets {family} right in no way that pysycl has for it {WRONG}; "
        "PYSYCL_SELF_TEST=0 lets them run all the same"
        for family in ("functions of work-groups", "bodies, one item each")
    ]


def test_verdicts_are_kept_for_a_driver_and_its_library(run_fake, fake_driver: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    driver = tmp_path / "copy.so"
    shutil.copy2(fake_driver, driver)
    folder = tmp_path / "cache"
    own = {**FAKE, "PYSYCL_CACHE": "1", "PYSYCL_CACHE_DIR": str(folder), "PYSYCL_DRIVERS": str(driver)}

    def trials() -> int:
        said = run_fake(ASK + "print(WRONG in ask(), _core.known_trials())".replace("WRONG", repr(WRONG)), own).stdout
        assert said.startswith("True ")
        return int(said.split()[1])

    assert trials() == WAYS
    assert trials() == 0
    for entry in folder.glob("*.syc"):  # the last bytes are in the digest
        entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    assert trials() == WAYS
    assert trials() == 0
    os.utime(driver, (1, 1))
    assert trials() == WAYS


def test_of_two_threads_one_finds_out(run_fake) -> None:  # type: ignore[no-untyped-def]
    run_fake(
        ASK
        + """
import threading
said, start = [], threading.Barrier(4)
def go():
    start.wait()
    said.append(ask())
threads = [threading.Thread(target=go) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(said) == 4 and None not in said and len(set(said)) == 1, said
assert _core.known_trials() == 5, _core.known_trials()
""",
        FAKE,
    )


def test_a_forked_child_is_refused_as_ever(run_fake) -> None:  # type: ignore[no-untyped-def]
    run_fake(
        ASK
        + """
queue = sycl.Queue()
program = sycl.Program(text)
child = os.fork()
if child == 0:
    os.close(2)
    try:
        program.build(queue.context)
    except sycl.ForkedProcessError:
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert ask() and _core.known_trials() == 5
""",
        FAKE,
    )


def test_parts_of_a_device_have_its_verdicts(run_fake) -> None:  # type: ignore[no-untyped-def]
    """And a device that was asked for in one context is not asked again in another."""
    run_fake(
        ASK
        + """
part = sycl.Device().create_sub_devices("partition_equally", 1)[0]
for place in (sycl.Context([sycl.Device()]), sycl.Context([part])):
    try:
        sycl.Program(text).build(place)
        assert False
    except sycl.KernelNotSupportedError as error:
        assert "functions of work-groups" in str(error)
    assert _core.known_trials() == 5
assert ask()
assert _core.known_trials() == 5
""",
        FAKE,
    )


def test_the_doctor_says_what_was_replaced() -> None:
    import io

    from pysycl._doctor.doctor import Doctor

    examiner = Doctor(stream := io.StringIO())
    for state, way, words in (
        ("right", "emulated", ""),
        ("replaced", "emulated", "it does not build"),
        ("refused", None, "group_reduce of item 0 is 0x1, not 0x2"),
        ("untested", "warps", "no memory"),
        ("not yet", None, ""),
    ):
        finding = {"family": state, "state": state, "words": words, "way": way, "kept": way is None, "seconds": 0.25}
        examiner.verdict_of("driver.so", finding)
    assert [" ".join(line.split()) for line in stream.getvalue().splitlines()] == [
        "right 250 ms right: emulated",
        "replaced 250 ms REPLACED by emulated, because it does not build",
        "refused known before REFUSED: right in no way, first because group_reduce of item 0 is 0x1, not 0x2",
        "untested 250 ms untested: no memory",
        "not yet not yet used",
    ]
    assert examiner.failures == ["driver.so: refused"]


def test_the_answers_of_built_ins_are_right() -> None:
    """Those that the core has as literals."""
    text = (Path(__file__).resolve().parents[3] / "csrc/algo/selftest/reals.c").read_text(encoding="utf-8")
    rows = [
        [float.fromhex(word.strip()) for word in row.split(",")]
        for row in re.findall(r"^    \{([-0x].*)\},$", text, re.M)
    ]
    assert len(rows) == 23
    for x, z, w, *answers in rows:
        for got, expected in zip(answers, (math.sin(x), math.exp(z), math.log(w), math.pow(w, z)), strict=True):
            assert got == pytest.approx(expected, rel=1e-15)
