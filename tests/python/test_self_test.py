"""The self-test of families of kernels: wrong ways are replaced, verdicts are kept, nothing hangs and nobody notices.

What is found out holds for a process, so each test is one of its own. The fake driver computes nothing but its own
kernels, so that it gets every family wrong, at no cost."""

import math
import os
import re
import shutil
from pathlib import Path

import pytest

import pysycl as sycl

FAMILIES = (
    "ITEM, LOOP, OWN_MEMORY, WIDE, PACK_FLOAT, PACK_DOUBLE, HIERARCHICAL, ATOMICS, SUB_GROUPS, WORK_GROUPS, JOINT"
)
SCENE = f"""
import os, threading, time
import numpy as np
import pysycl as sycl
from pysycl import _core
from pysycl.self_test import verdicts
{FAMILIES} = range(11)
queue = sycl.Queue()
n = min(32, queue.device.max_work_group_size)
x = np.arange(2 * n, dtype=np.uint32)
rows = x.reshape(2, n)
def verdict(words):
    return next(v for v in verdicts(queue.device) if words in v.family)
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
assert (found.state, found.way, found.words) == ("replaced", "not optimised", "it does not build"), found
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
    found = verdict("loops")
    assert (found.state, found.way) == ("replaced", "bodies, one item each"), found
    assert verdict("one item").state == "right"
    said = str(sycl.explain(2 * n, "y[i] = 3 * x[i];", queue_or_device=queue, x=x, y=x.copy()))
    assert "gave wrong answers in the self-test" in " ".join(said.split()), said
""",
}


@pytest.mark.parametrize("family", REPLACED)
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
print(own, (y[::2] == small[::2]).all(), verdict("memory").state, verdict("of float").state)
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
        f"device 'Fake device 1' computes {family} wrongly in every way that pysycl has for it {WRONG}; "
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

    from pysycl.doctor import Doctor

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
        "refused known before REFUSED: wrong in every way, first because group_reduce of item 0 is 0x1, not 0x2",
        "untested 250 ms untested: no memory",
        "not yet not yet used",
    ]
    assert examiner.failures == ["driver.so: refused"]


def test_the_answers_of_built_ins_are_right() -> None:
    """Those that the core has as literals."""
    text = (Path(__file__).resolve().parents[2] / "csrc/algo/known_body.c").read_text(encoding="utf-8")
    rows = [
        [float.fromhex(word.strip()) for word in row.split(",")]
        for row in re.findall(r"^    \{([-0x].*)\},$", text, re.M)
    ]
    assert len(rows) == 23
    for x, z, w, *answers in rows:
        for got, expected in zip(answers, (math.sin(x), math.exp(z), math.log(w), math.pow(w, z)), strict=True):
            assert got == pytest.approx(expected, rel=1e-15)
