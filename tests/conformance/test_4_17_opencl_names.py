"""OpenCL C's own names of collective functions (work_group_*, sub_group_*), on every driver, and SYCL's first spellings."""

import sys
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode knows no folders

import group_kernels as gk

# The example of OpenCL's manual, which has 14 for 3 + 1 + 7 + 0 + 4.
EXAMPLE = np.array([3, 1, 7, 0, 4, 1, 6, 3], np.int32)
LEAST, MOST = -(2**31), 2**31 - 1
WORK_GROUP = {
    "work_group_scan_inclusive_add(x)": [3, 4, 11, 11, 15, 16, 22, 25],
    "work_group_scan_exclusive_add(x)": [0, 3, 4, 11, 11, 15, 16, 22],
    "work_group_scan_inclusive_min(x)": [3, 1, 1, 0, 0, 0, 0, 0],
    "work_group_scan_exclusive_min(x)": [MOST, 3, 1, 1, 0, 0, 0, 0],
    "work_group_scan_inclusive_max(x)": [3, 3, 7, 7, 7, 7, 7, 7],
    "work_group_scan_exclusive_max(x)": [LEAST, 3, 3, 7, 7, 7, 7, 7],
    "work_group_reduce_add(x) + work_group_reduce_min(x) + work_group_reduce_max(x)": [32] * 8,
    "work_group_broadcast(x, 4)": [4] * 8,
    "(work_group_any(x == 7) != 0) + 2 * (work_group_all(x == 7) != 0)": [1] * 8,
    "isinf(work_group_scan_exclusive_min((float)x)) + 2 * isinf(work_group_scan_exclusive_max((float)x))": [3]
    + [0] * 7,
    "(int)(work_group_scan_exclusive_max((ulong)x) + work_group_scan_inclusive_add((uint)x))": (
        [3, 7, 14, 18, 22, 23, 29, 32]
    ),
}
SUB_GROUP = {
    "sub_group_scan_inclusive_add(x)": [3, 4, 11, 11, 15, 16, 22, 25],
    "sub_group_scan_exclusive_add(x)": [0, 3, 4, 11, 11, 15, 16, 22],
    "sub_group_scan_inclusive_min(x) + sub_group_scan_inclusive_max(x)": [6, 4, 8, 7, 7, 7, 7, 7],
    "sub_group_scan_exclusive_min(x)": [MOST, 3, 1, 1, 0, 0, 0, 0],
    "sub_group_scan_exclusive_max(x)": [LEAST, 3, 3, 7, 7, 7, 7, 7],
    "sub_group_reduce_add(x) + sub_group_reduce_min(x) + sub_group_reduce_max(x)": [32] * 8,
    "sub_group_broadcast(x, 4)": [4] * 8,
    "(sub_group_any(x == 7) != 0) + 2 * (sub_group_all(x == 7) != 0)": [1] * 8,
    "sub_group_shuffle(x, 7 - get_sub_group_local_id())": EXAMPLE[::-1],
    "sub_group_shuffle_xor(x, 1u)": [1, 3, 0, 7, 1, 4, 3, 6],
    "sub_group_reduce(x, plus) + sub_group_reduce(x, 100, plus)": [150] * 8,
    "sub_group_exclusive_scan(x, plus) + sub_group_exclusive_scan(x, 100, plus)": (
        [100, 106, 108, 122, 122, 130, 132, 144]
    ),
    "sub_group_inclusive_scan(x, maximum) + sub_group_inclusive_scan(x, maximum, 5)": [8, 8, 14, 14, 14, 14, 14, 14],
    "get_sub_group_size() + get_num_sub_groups() + get_sub_group_id()": [9] * 8,
}


def run(queue, cases, options):
    program = sycl.Program(gk.kernel_of(list(cases), "i4"), options)
    out = gk.launch(queue, program, np.tile(EXAMPLE, 2), len(cases), (8,))
    for (case, expected), got in zip(cases.items(), out, strict=True):
        assert np.array_equal(got, [expected, expected]), case


@pytest.mark.spec("D024", "D025", "D026", "D027", "D028", "D029")
def test_work_groups(device, queue):
    for options in ([], ["-cl-std=CL3.0"]) if device._facts["groups"] == 1 else ([],):
        run(queue, WORK_GROUP, options)


@pytest.mark.spec("D003", "D004", "D005", "D006", "D007", "D008", "D009", "D010")
def test_sub_groups(device, queue):
    run(queue, SUB_GROUP, [])


@pytest.mark.spec("D024")
def test_a_broadcast_names_the_item_in_the_order_of_opencl(queue):
    cases = ["work_group_broadcast(x, 1, 2)", "work_group_broadcast(x, 2, 1, 1)"]
    for case, shape, at in ((0, (3, 4), 2 * 4 + 1), (1, (2, 3, 4), (1 * 3 + 1) * 4 + 2)):
        items = int(np.prod(shape))
        data = np.arange(2 * items, dtype=np.int32)
        one = sycl.Program(gk.kernel_of(cases[case : case + 1], "i4"))
        assert np.array_equal(gk.launch(queue, one, data, 1, shape)[0], np.repeat([[at], [at + items]], items, 1))
