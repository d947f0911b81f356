"""Group functions under Oclgrind's checks: their local memory has no race, and nothing is read that was not written."""

import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COUNT = int(os.environ.get("PYSYCL_GROUP_VARIANTS", "24"))
PLANTED = """
import numpy as np
import pysycl as sycl
queue = sycl.Queue()
text = '''
kernel void fine(global const int *x, global int *y)
{
    local int t[8];
    size_t l = local_linear_id;
    t[l] = group_exclusive_scan(work_group, x[l], plus);
    group_barrier(work_group);
    y[l] = group_reduce(work_group, t[7 - l], plus);
}
kernel void race(global const int *x, global int *y)
{
    local int t[8];
    size_t l = local_linear_id;
    t[l] = group_exclusive_scan(work_group, x[l], plus);
    y[l] = group_reduce(work_group, t[7 - l], plus);
}
kernel void unwritten(global const int *x, global int *y)
{
    local int t[8];
    size_t l = local_linear_id;
    if (l > 0)
        t[l] = x[l];
    group_barrier(work_group);
    y[l] = group_any_of(work_group, t[7 - l] > 3) ? 1 : 2;
}
'''
for name in ("fine", "race", "unwritten"):
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    try:
        queue.parallel_for(sycl.NdRange(8, 8), getattr(sycl.Program(text), name), x, y).wait()
        print(name, y[0])
    except sycl.KernelError as error:
        print(name, "race" * ("data race" in str(error)), "unwritten" * ("Uninitialized" in str(error)))
"""
VARIANTS = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
sys.argv = ["group_variants.py", "--count", "{COUNT}", "--sizes", "small", "--types", "TYPES"]
import group_variants
sys.exit(group_variants.main())
"""


# Sums of ranges that begin anywhere, gone over by 16 bytes (-D SYC_RANGE_SHAPE=3): a group for each range.
ALIGNED = """
import numpy as np
import pysycl as sycl
queue = sycl.Queue()
text = '''
kernel void odd(global const int *starts, global const T *x, global T *y)
{
    global const T *first = x + starts[2 * group_linear_id];
    y[group_linear_id] = joint_reduce(work_group, first, first + starts[2 * group_linear_id + 1], plus);
}
kernel void planted(global const int *starts, global const T *x, global T *y)
{
    uint4 v = *(global const uint4 *)(x + 1);
    y[0] = v.x + v.y + v.z + v.w;
}
'''
x = np.arange(1, 301)
starts = np.array([(first, count) for first in range(17) for count in (0, 1, 7, 31, 70)], np.int32)
sums = [x[first:][:count].sum() for first, count in starts]
for word, kind in (("uchar", "u1"), ("short", "i2"), ("int", "i4"), ("double", "f8")):
    y = np.zeros(len(starts), kind)
    odd = sycl.Program(text, ["-DSYC_RANGE_SHAPE=3", "-DT=" + word]).odd
    queue.parallel_for(sycl.NdRange(4 * len(starts), 4), odd, starts, x.astype(kind), y).wait()
    print(word, np.array_equal(y, np.array(sums).astype(kind)))
try:
    planted = sycl.Program(text, ["-DT=int"]).planted
    queue.parallel_for(sycl.NdRange(1, 1), planted, starts, x.astype("i4"), y.view("i4")).wait()
    print("not seen")
except sycl.KernelError as error:
    print("planted", "aligned" in str(error))
"""


def test_planted_mistakes_are_found(run_python, on_oclgrind):
    lines = run_python(PLANTED, env=on_oclgrind).stdout.splitlines()
    assert lines[0] == "fine 56"
    assert lines[1].startswith("race race")
    assert lines[2] == "unwritten  unwritten"


@pytest.mark.spec("D412", "D418")
def test_what_is_read_by_16_bytes_is_aligned(run_python, on_oclgrind):
    extra = {"OCLGRIND_UNINITIALIZED": "0"}
    lines = run_python(ALIGNED, env={**on_oclgrind, **extra}, timeout=300).stdout.splitlines()
    assert lines == ["uchar True", "short True", "int True", "double True", "planted True"]


# Oclgrind 21.10 itself reads beyond its own memory where it looks for unwritten components of vectors.
@pytest.mark.timeout(600)
@pytest.mark.spec("D424", "D431")
@pytest.mark.parametrize(("types", "extra"), [("scalar", {}), ("all", {"OCLGRIND_UNINITIALIZED": "0"})])
def test_variants_have_no_races(run_python, on_oclgrind, types, extra):
    child = run_python(VARIANTS.replace("TYPES", types), env={**on_oclgrind, **extra}, timeout=600)
    examined = re.search(r"'variants': (\d+),", child.stdout)
    assert examined is not None and int(examined[1]) > COUNT / 2 and ", 0 failed, " in child.stdout
