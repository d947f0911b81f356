"""Arrays of a work-item's own that did not fit on the stack of PoCL's threads ended the process: all items of a group have theirs
there at a time. Groups are smaller then, or the launch is refused with the line; what fits runs as before."""

from collections.abc import Callable
from typing import Any

import pytest

from pysycl import _core

# So many accesses take Oclgrind minutes, and a GPU has less for an item.
PATHS = [
    one["path"]
    for one in _core.drivers()
    if one["refusal"] is None and not any(word in one["path"].lower() for word in ("oclgrind", "nvidia"))
]

BEGIN = """
import threading
import numpy as np
import pysycl as sycl
queue = sycl.Queue()
MiB = 1 << 20
START = np.arange(256, dtype=np.int32)

def fill(n):  # no compiler can leave the array out
    return f"int t[{n}]; for (int k = 0; k < {n}; k++) t[k] = x[i] + k; x[i] = t[(x[i] * 7 + 5) % {n}];"

def kernel(text, front=""):
    return sycl.Program(front + "kernel void f(global int *x) { size_t i = get_global_id(0); " + text + " }").f

def check(n, range, text):
    x = START.copy()
    if isinstance(text, str):
        queue.parallel_for(range, text, x=x)
    else:
        queue.parallel_for(range, text, x)
    assert (x == (7 * START + 5) % n + START).all()
"""


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.rsplit("/", 1)[-1])
def test_what_fits_runs(run_python: Callable[..., Any], path: str) -> None:
    """128 MiB for 256 items, in groups of the size that others have; and 64 KiB in groups of a given size, which PoCL can have
    as large as 64, and other drivers as large as they say."""
    code = """
check(MiB // 8, 256, fill(MiB // 8))
check(MiB // 8, 256, kernel(fill(MiB // 8)))
some = kernel(fill(1 << 14))
size = min(1 << some.work_group_size.bit_length() - 1, 64)
assert size == 64 or "Portable" not in queue.device.platform.name, size
check(1 << 14, sycl.NdRange(256, size), some)
"""
    run_python(BEGIN + code, {"PYSYCL_DRIVERS": path, "PYSYCL_DEVICE": None})


def test_what_does_not_fit_is_told(run_python: Callable[..., Any]) -> None:
    if not any("pocl" in path.lower() for path in PATHS):
        pytest.skip("PoCL is not here")
    run_python(
        BEGIN
        + """
def refused(kind, words, range, text):
    x = START.copy()
    try:
        queue.parallel_for(range, text, x=x) if isinstance(text, str) else queue.parallel_for(range, text, x)
    except kind as error:
        assert type(error) is kind and all(word in str(error) for word in words), error
    else:
        raise AssertionError("not refused")

large = kernel(fill(MiB // 8))
words = "a work-group of 64 items is more than the ", "524288 bytes in arrays"
refused(sycl.NdRangeError, words, sycl.NdRange(256, 64), large)
assert large.private_mem_size == 524288 and 64 > large.work_group_size >= 1
check(MiB // 8, sycl.NdRange(256, 1 << large.work_group_size.bit_length() - 1), large)

lines = "\\nint u[4];\\nint t[50000000]; t[x[i]] = u[x[i] & 3] = x[i]; x[i] = t[u[x[i] & 3]];"
words = "each work-item has 200000000 bytes", queue.device.name, "int t[50000000];", "^"
refused(sycl.KernelNotSupportedError, ("body:3:5: ", *words), 8, lines)
refused(sycl.KernelNotSupportedError, ("kernel.cl:3:5: ", *words), 8, kernel(lines))
refused(sycl.KernelNotSupportedError, ("body:1:5: ",), 8, fill(50 * MiB))

called = kernel("g(x, i); g(x, i); g(x, i);", "void g(global int *x, size_t i) { " + fill(20 * MiB) + " }")
refused(sycl.KernelNotSupportedError, ("has 251658240 bytes", "int t[20971520]"), 8, called)
held = kernel(fill(50 * MiB).replace("int t[52428800]", "struct big b").replace("t[", "b.t["), "struct big { int t[50 << 20]; };")
refused(sycl.KernelNotSupportedError, ("has 209715200 bytes", "struct big b;"), 8, held)
check(5, 256, fill(5))  # and it goes on
""",
        {"PYSYCL_DRIVERS": next(path for path in PATHS if "pocl" in path.lower()), "PYSYCL_DEVICE": None},
    )


def test_threads_with_small_stacks_leave_large_arrays_to_the_driver_s(run_python: Callable[..., Any]) -> None:
    """What is done in a moment the calling thread does itself, whose stack may be anybody's."""
    run_python(
        BEGIN
        + """
def work():
    for n in 1 << 10, 7 << 18:
        text = f"int t[{n}]; t[x[i] & 1023] = 7; t[{n - 1} - x[i]] = 8; x[i] += t[x[i] & 1023] + t[{n - 1} - x[i]];"
        said = dict(line.split(None, 1) for line in str(sycl.explain(text, 4, x=START[:4].copy())).splitlines())
        if "Portable" in queue.device.platform.name:
            assert said["lane"].startswith("the calling thread" if n == 1 << 10 else "the driver's threads"), said
        for given in text, kernel(text):
            x = START[:4].copy()
            try:
                queue.parallel_for(4, given, x) if given is not text else queue.parallel_for(4, given, x=x)
            except (sycl.KernelNotSupportedError, sycl.NdRangeError) as error:  # a GPU has them for all items at once
                assert n > 1 << 10 and queue.device.is_gpu and "need less" in str(error), error
            else:
                assert (x == START[:4] + 15).all()
    done.append(1)
done = []
threading.stack_size(512 << 10)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert done
"""
    )
