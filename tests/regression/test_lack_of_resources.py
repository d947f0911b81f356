"""A full disk, no descriptors, no addresses: nothing is compiled, the process lives, and no device is taken for broken.

What lacks is told by its name; with it back everything works, in the same process and in later ones."""

import os
import re
import shutil
from pathlib import Path

import pytest
from sweeps import exhaustive

import pysycl as sycl

FAMILIES = Path(__file__).resolve().parents[2] / "csrc/cl/family.h"
SCENE = """
import glob, os, resource, shutil, sys, tempfile, threading, time
import numpy as np
import pysycl as sycl
from pysycl import _core
from pysycl._doctor.selftest import verdicts
queue = sycl.Queue()
x = np.arange(64, dtype=np.uint32)
text = "kernel void f(global uint *y) { y[get_global_id(0)] = group_reduce(work_group, 1u, plus); }"
grouped = sycl.Program(text)
plain = sycl.Program("kernel void f(global uint *y) { y[get_global_id(0)] = 7; }")
def body():
    y = np.zeros(64, np.uint32)
    queue.parallel_for(64, "y[i] = 3 * x[i];", x=x, y=y).wait()
    return (y == 3 * x).all()
def program(which, answer, local=16):
    y = np.zeros(64, np.uint32)
    queue.parallel_for(sycl.NdRange(64, local), which.f, y).wait()
    return (y == answer).all()
uses = (body, lambda: program(grouped, 16), lambda: program(plain, 7))
def lacks(words, errors=sycl.SyclRuntimeError):
    for use in uses:
        try:
            use()
        except errors as error:
            assert not isinstance(error, sycl.BuildError), error
            assert words in str(error), error
        else:
            assert False, words
    found = [v for v in verdicts(queue.device) if v.state != "not yet"]
    assert found and all(v.state == "untested" for v in found), found
def limit(which, number):
    before = resource.getrlimit(which)
    resource.setrlimit(which, (number, before[1]))
    return lambda: resource.setrlimit(which, before)
def least_used():  # the large stack of a thread that compiled goes when a later thread has ended
    def used():
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        time.sleep(0.01)
        return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    return min(used() for _ in range(50))
def works():
    end = time.monotonic() + 60
    while True:  # what could not be tested is asked again after a little while, by programs that are built then
        assert all(use() for use in uses) and program(sycl.Program(f"{text} // {end - time.monotonic()}"), 16)
        found = [v for v in verdicts(queue.device) if v.state != "not yet"]
        if all(v.state == "right" for v in found):
            return len(found)
        assert time.monotonic() < end, found
        time.sleep(0.05)
"""


@pytest.fixture
def on_pocl() -> None:
    if "PoCL" not in sycl.Device().platform.version:
        pytest.skip("the default device is not PoCL's, whose compiler needs files and programs")


@pytest.mark.usefixtures("on_pocl")
def test_limits_are_told_and_forgotten(run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """One process, one lack after the other: descriptors, the size of files, addresses."""
    run_python(
        SCENE
        + """
back = limit(resource.RLIMIT_NOFILE, 16)
lacks("file descriptors are left of 16")
back()
back = limit(resource.RLIMIT_FSIZE, 4096)
lacks("the limit of the size of files (RLIMIT_FSIZE")
back()
used = least_used()
back = limit(resource.RLIMIT_AS, used + (100 << 20))
lacks("MiB of addresses left", sycl.MemoryAllocationError)
back()
assert works() == 2
back = limit(resource.RLIMIT_FSIZE, 4096)
assert all(use() for use in uses)  # it was compiled
try:
    program(plain, 7, 32)  # another size of group is another compilation
except sycl.SyclRuntimeError as error:
    assert "RLIMIT_FSIZE" in str(error), error
back()
assert program(plain, 7, 32)
""",
        {"PYSYCL_CACHE_DIR": str(tmp_path / "cache")},
    )


@pytest.mark.usefixtures("on_pocl")
def test_a_process_that_lacks_addresses_lives(run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """PoCL ends it where it makes a text and gets no memory, and the system's linker where a thread's variables get none,
    as beside a stack that has taken all. So neither is begun; with addresses back everything works."""
    run_python(
        SCENE
        + """
tried = (*uses, lambda: sycl.sum(x), lambda: sycl.sort(x), lambda: list(sycl.stream_scan([x, x])))
refused = 0
for more in (2, 6, 10, 65, 67, 70, 100, 300):
    back = limit(resource.RLIMIT_AS, least_used() + (more << 20))
    for use in tried:
        try:
            use()
        except (sycl.MemoryAllocationError, MemoryError):
            refused += 1
        except RuntimeError as error:  # Python's own
            assert "start new thread" in str(error), error
    if more == 2:
        try:
            queue.device.driver_version
        except sycl.MemoryAllocationError as error:
            assert "cannot be asked at the moment: the process has less than 4 MiB of addresses left" in str(error), error
        else:
            assert False
    back()
assert refused
assert queue.device.driver_version
assert all(use() for use in uses) and sycl.sum(x) == 2016
""",
        {"PYSYCL_CACHE_DIR": str(tmp_path / "cache")},
    )


@pytest.mark.usefixtures("on_pocl")
@pytest.mark.parametrize("full", [exhaustive(True), False])
def test_no_disk_is_no_verdict(full: bool, run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Neither in this process nor in the next, which share a kernel cache: whether the system says that there is no place,
    or only the compiler fails, since its folder has become a file."""
    small = tmp_path / "small"
    small.mkdir()
    if full and os.system(f"mount -t tmpfs -o size=8m none {small} 2>/dev/null") != 0:
        pytest.skip("there is no way to make a small disk here")
    environment = {"PYSYCL_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(small)}
    fill = "open(os.environ['TMPDIR'] + '/filler', 'wb').write(bytes(5 << 20))"
    gone = "for folder in glob.glob(os.environ['TMPDIR'] + '/pysycl-*/*'): shutil.rmtree(folder)"
    words = "is full" if full else "the compiler's files"
    try:
        run_python(SCENE + f"{fill if full else gone}\nlacks({words!r})", environment)
        if full:
            (small / "filler").unlink()
        assert run_python(SCENE + "print(works())", environment).stdout == "2\n"
    finally:
        if full:
            os.system(f"umount -l {small}")
        else:
            shutil.rmtree(small)


# The fake driver has no kernels of these families: their trials fail before a launch, so that the first launch is the
# control's.
ASK = """
from pysycl._doctor.selftest import verdicts
def ask():
    try:
        sycl.Program("__kernel void run(__global uint *x) { x[0] = group_reduce(work_group, 1u, plus); }").build(queue.context)
    except sycl.KernelNotSupportedError as error:
        return str(error)
def states():
    return [v.state for v in verdicts(queue.device) if v.family.startswith("functions of")]
queue = sycl.Queue()
"""


def test_a_failure_is_a_verdict_if_a_trivial_kernel_works(run_fake, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Else it says nothing of the family, is not kept, and is asked again. What is kept is not asked again."""
    environment = {"PYSYCL_SELF_TEST": "1", "PYSYCL_CACHE": "1", "PYSYCL_CACHE_DIR": str(tmp_path / "cache")}
    run_fake(
        ASK
        + """
_core.fault_install(0)
_core.fault_arm("EnqueueNDRangeKernel", 1, -54)
ask()
assert states() == ["untested", "refused"], states()
words = next(v.words for v in verdicts(queue.device) if v.state == "untested")
assert words.startswith("no kernel runs at the moment, not the simplest: clEnqueueNDRangeKernel failed"), words
""",
        environment,
    )
    run_fake(
        ASK
        + """
assert "right in no way" in ask() and states() == ["refused", "refused"], states()
kept = [v.kept for v in verdicts(queue.device) if v.family.startswith("functions of")]
assert kept == [False, True], kept
""",
        environment,
    )


def test_deaths_for_want_of_something_are_not_counted(run_fake, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Where a process has died a trivial kernel is asked first, and dies unmarked where there is a lack."""
    environment = {"PYSYCL_SELF_TEST": "1", "PYSYCL_CACHE": "1", "PYSYCL_CACHE_DIR": str(tmp_path / "cache")}
    named = re.findall(r"^    SYC_FAMILY_(\w+),", FAMILIES.read_text(encoding="utf-8"), re.MULTILINE)
    dies = ASK + f"_core.known_fault({named.index('SUB_GROUPS')}, 0, 'dies')\nask()"
    assert run_fake(dies, environment, check=False).returncode == 6
    marks = list((tmp_path / "cache").glob(".new-*"))
    assert [mark.stat().st_size for mark in marks] == [1]
    for _ in range(3):
        assert run_fake(ASK + "ask()", {**environment, "FAKE_ABORT": "build"}, check=False).returncode < 0
    assert [mark.stat().st_size for mark in marks] == [1]
    assert "refused refused" in run_fake(ASK + "ask(); print(*states())", environment).stdout
    assert not any(mark.exists() for mark in marks)


@pytest.mark.usefixtures("on_pocl")
def test_few_addresses_at_the_end(run_python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A new text's binary is asked for late: PoCL compiles for it, and would end the process."""
    run_python(
        SCENE + "assert all(use() for use in uses)\nlimit(resource.RLIMIT_AS, least_used() + (100 << 20))\n",
        {"PYSYCL_CACHE_DIR": str(tmp_path / "cache")},
    )
