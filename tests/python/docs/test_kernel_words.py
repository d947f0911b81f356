"""The words of the page on kernels: each is one that the library has, and that a test runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pysycl as sycl

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "kernels" / "README.md").read_text(encoding="utf-8")


def words(*paths: Path) -> set[str]:
    return set().union(*(re.findall(r"\w+", path.read_text(encoding="utf-8")) for path in paths))


LIBRARY = words(*(ROOT / "kernels").rglob("*.clh"))
TESTED = words(*(path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)))


# Those that tests have in texts that they put together: here they are built as they stand.
BUILT = """
typedef struct { float s[3]; } triple;
typedef struct { int s[3]; } flags;
kernel void run(stream out, global float *x, global float4 *x4, global double *d, global double2 *d2, global uint4 *u4,
                global int *cell, global triple *t, global flags *f, global int *global *link)
{
    const size_t i = get_global_id(0);
    global int *expected = cell;
    u4[i] = random_bits4(7, i);
    x4[i] = random_uniform4(7, i) + random_normal4(7, i);
    x[i] = random_normal(7, i) + half_sin(x[i]) + half_cos(x[i]) + half_tan(x[i]);
    d[i] = random_uniform_double(7, i) + random_normal_double(7, i);
    d2[i] = random_uniform_double2(7, i) + random_normal_double2(7, i);
    atomic_or_fetch(cell, 1);
    atomic_xor_fetch(cell, 1);
    atomic_pointer_compare_exchange_weak(link, &expected, cell + 1);
    *t = group_reduce(work_group, t[i], marray_multiplies);
    *f = group_reduce(work_group, f[i], marray_logical_or);
    x[i] += sub_group_shuffle_down(x[i], 1);
    stream_put(out, stream_global_offset);
}
"""


def rows() -> list[list[str]]:
    """What stands between backticks in the column of names, in the table that the guide has."""
    table = PAGE.split("| file | names | what they are |\n")[1].split("\n\n")[0]
    return [re.findall(r"`([^`]+)`", re.split(r"(?<!\\)\|", line)[2]) for line in table.splitlines()[1:]]


def full_name(short: str, before: str) -> str:
    """`_sub` after `atomic_fetch_add`: the longest name that the library has."""
    parts = before.split("_")
    longer = ["_".join(parts[:n]) + short for n in range(len(parts) - 1, 0, -1)]
    return next((name for name in longer if name in LIBRARY), longer[0])


def names() -> list[str]:
    found: list[str] = []
    for row in rows():
        before = ""
        for written in row:
            name = re.split(r"[(\[]", written)[0]
            if "..." in name:
                continue  # and so on
            before = full_name(name, before) if name.startswith("_") else name
            found.append(before)
    return found


def test_words_on_the_page_are_in_the_library_and_in_a_test() -> None:
    every = names()
    assert len(every) > 200
    assert [name for name in every if name not in LIBRARY] == ["parallel_for_work_group"]  # which is rewritten
    assert not set(every) - TESTED - set(re.findall(r"\w+", BUILT))


def test_words_that_are_in_no_text_of_a_test_are_built(queue: sycl.Queue) -> None:
    if not queue.device.has("fp64"):
        pytest.skip("the device has no double")
    sycl.Program(BUILT).build(queue.context)
