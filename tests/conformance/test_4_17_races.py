"""Group functions under Oclgrind's checks: their local memory has no race, and nothing is read that was not written."""

import os
import re
from pathlib import Path

import pytest

from pysycl import _core

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


@pytest.fixture(scope="module")
def environment():
    found = [path for path, _ in _core.candidates()[0] if "oclgrind" in Path(path).name]
    if not found:
        pytest.skip("Oclgrind is not among the drivers that are found here")
    return {"PYSYCL_DRIVERS": found[0], "PYSYCL_DEBUG": "oclgrind,sync", "PYSYCL_DEVICE": None}


def test_planted_mistakes_are_found(run_python, environment):
    lines = run_python(PLANTED, env=environment).stdout.splitlines()
    assert lines[0] == "fine 56"
    assert lines[1].startswith("race race")
    assert lines[2] == "unwritten  unwritten"


# Oclgrind 21.10 itself reads beyond its own memory where it looks for unwritten components of vectors.
@pytest.mark.timeout(600)
@pytest.mark.spec("D424", "D431")
@pytest.mark.parametrize(("types", "extra"), [("scalar", {}), ("all", {"OCLGRIND_UNINITIALIZED": "0"})])
def test_variants_have_no_races(run_python, environment, types, extra):
    child = run_python(VARIANTS.replace("TYPES", types), env={**environment, **extra}, timeout=600)
    examined = re.search(r"'variants': (\d+),", child.stdout)
    assert examined is not None and int(examined[1]) > COUNT / 2 and ", 0 failed, " in child.stdout
