"""OpenCL C's own names of collective functions (work_group_*, sub_group_*), on every driver, and SYCL's first spellings."""

import group_kernels as gk
import numpy as np
import pytest

import pysycl as sycl

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
    "work_group_reduce_add(x) + 100 * work_group_reduce_min(x + 1) + 1000 * work_group_reduce_max(x)": [7125] * 8,
    "work_group_broadcast(x, 4)": [4] * 8,
    "(work_group_any(x == 7) != 0) + 2 * (work_group_all(x == 7) != 0)": [1] * 8,
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
    "sub_group_reduce(x, plus) + 100 * sub_group_reduce(x, 10, maximum) + 10000 * sub_group_reduce(x + 2, minimum)": (
        [21025] * 8
    ),
    "sub_group_exclusive_scan(x, plus) + 100 * sub_group_exclusive_scan(x, 100, plus)": (
        [10000 + 101 * before for before in (0, 3, 4, 11, 11, 15, 16, 22)]
    ),
    "sub_group_exclusive_scan(x, minimum)": [MOST, 3, 1, 1, 0, 0, 0, 0],
    "sub_group_inclusive_scan(x, maximum) + 10 * sub_group_inclusive_scan(x, minimum, 2)": [23, 13, 17, 7, 7, 7, 7, 7],
    "get_sub_group_size() + get_num_sub_groups() + get_sub_group_id()": [9] * 8,
}
# Of extensions; the ballot is of those with 3 or more: items 0, 2, 4, 6 and 7.
EXTENSIONS = {
    "({ uint4 b = sub_group_ballot(x >= 3); (int)(b.x + b.y + b.z + b.w + 1000 * sub_group_inverse_ballot(b) + "
    "2000 * sub_group_ballot_bit_extract(b, 2u) + 10000 * sub_group_ballot_bit_count(b) + "
    "100000 * sub_group_ballot_inclusive_scan(b) + 1000000 * sub_group_ballot_exclusive_scan(b) + "
    "10000000 * sub_group_ballot_find_lsb(b) + 100000000 * sub_group_ballot_find_msb(b)); })": [
        0b11010101 + 1000 * own + 2000 + 50000 + 100000 * so_far + 1000000 * (so_far - own) + 700000000
        for own, so_far in zip([1, 0, 1, 0, 1, 0, 1, 1], [1, 1, 2, 2, 3, 3, 4, 5], strict=True)
    ],
    "sub_group_elect() + 2 * sub_group_broadcast_first(x)": [7] + [6] * 7,
    "sub_group_non_uniform_broadcast(x, 4u) + 10 * (sub_group_non_uniform_all(x > 0) != 0) + "
    "100 * (sub_group_non_uniform_any(x > 6) != 0) + 1000 * (sub_group_non_uniform_all_equal(x / 8) != 0) + "
    "5000 * (sub_group_non_uniform_all_equal(x) != 0)": [1104] * 8,
    "sub_group_non_uniform_reduce_add(x) + sub_group_non_uniform_reduce_mul(x | 1) + "
    "1000000 * sub_group_non_uniform_reduce_max(x) + 100 * sub_group_non_uniform_reduce_min(x)": [7002230] * 8,
    "sub_group_non_uniform_reduce_or(x) + 10 * sub_group_non_uniform_reduce_and(x | 8) + "
    "1000 * sub_group_non_uniform_reduce_xor(x)": [7 + 80 + 5000] * 8,
    "sub_group_non_uniform_reduce_logical_xor(x > 0) + 2 * sub_group_non_uniform_reduce_logical_and(x > 0) + "
    "4 * sub_group_non_uniform_reduce_logical_or(x > 0)": [5] * 8,
    "sub_group_non_uniform_scan_inclusive_add(x) + 100 * sub_group_non_uniform_scan_exclusive_add(x)": (
        [3, 304, 411, 1111, 1115, 1516, 1622, 2225]
    ),
    "sub_group_non_uniform_scan_inclusive_logical_xor(x > 2) + "
    "2 * sub_group_non_uniform_scan_exclusive_logical_xor(x > 2)": [1, 3, 2, 0, 1, 3, 2, 1],
    "sub_group_clustered_reduce_add(x, 4u) + 100 * sub_group_clustered_reduce_max(x, 2u)": (
        [311, 311, 711, 711, 414, 414, 614, 614]
    ),
    "sub_group_rotate(x, 3) + 10 * sub_group_rotate(x, -1)": [30, 34, 11, 76, 3, 43, 11, 67],
    "sub_group_clustered_rotate(x, 1, 4u)": [1, 7, 0, 3, 1, 6, 3, 4],
}


def run(queue, cases, options):
    program = sycl.Program(gk.kernel_of(list(cases), "i4"), options)
    out = gk.launch(queue, program, np.tile(EXAMPLE, 2), len(cases), (8,))
    for (case, expected), got in zip(cases.items(), out, strict=True):
        assert np.array_equal(got, [expected, expected]), case


@pytest.mark.spec("D024", "D026", "D027", "D029")
def test_work_groups(device, queue):
    for options in ([], ["-cl-std=CL3.0"]) if device._facts["groups"] == 1 else ([],):
        run(queue, WORK_GROUP, options)


TYPES = {"int": "i4", "uint": "u4", "long": "i8", "ulong": "u8", "float": "f4", "double": "f8", "half": "f2"}


@pytest.mark.spec("D025", "D028")
def test_types_and_identities_of_work_groups(device, queue):
    """Of all types in one kernel, each with rows of its own; the first item of an exclusive scan has the identity."""
    has = {"double": device.has("fp64"), "half": device.has("fp16")}
    types = {word: kind for word, kind in TYPES.items() if has.get(word, True)}
    calls = ["reduce_add", "scan_inclusive_add", "scan_exclusive_add", "scan_exclusive_min", "scan_exclusive_max"]
    parameters = ", ".join(f"__global const {word} *x_{word}, __global {word} *y_{word}" for word in types)
    stores = "\n".join(
        f"y_{word}[{8 * at} + i] = work_group_{call}(x_{word}[i]);" for word in types for at, call in enumerate(calls)
    )
    program = sycl.Program(f"__kernel void run({parameters})\n{{\n    size_t i = get_local_id(0);\n{stores}\n}}")
    given = {word: (EXAMPLE - (kind[0] != "u")).astype(kind) for word, kind in types.items()}
    found = {word: np.zeros((5, 8), kind) for word, kind in types.items()}
    arrays = [array for word in types for array in (given[word], found[word])]
    queue.parallel_for(sycl.NdRange(8, 8), program.run, *arrays).wait_and_throw()
    for word, kind in types.items():
        x, least, most = given[word], -np.inf, np.inf
        if kind[0] != "f":
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
        sums = x.cumsum(dtype=kind)
        lowest, highest = np.minimum.accumulate(x)[:-1], np.maximum.accumulate(x)[:-1]
        expected = [[sums[-1]] * 8, sums, sums - x, [most, *lowest], [least, *highest]]
        assert np.array_equal(found[word], np.array(expected, kind)), word


@pytest.mark.spec("D030")
def test_floating_point_sums_in_any_order(queue):
    """Of n numbers within (n - 1) u of the sum of their magnitudes, which holds for every order; the same in all items."""
    cases, items = ["work_group_reduce_add(x)", "work_group_scan_inclusive_add(x)"], 200
    data = np.random.default_rng(0).normal(0, 1, 2 * items).astype(np.float32)
    data[::7] *= 1e6
    whole, scan = gk.launch(queue, sycl.Program(gk.kernel_of(cases, "f4")), data, 2, (items,))
    values = data.reshape(2, items).astype(np.float64)
    bound = np.arange(items) * 2.0**-24 * np.abs(values).cumsum(1) * 1.01
    assert (np.abs(scan - values.cumsum(1)) <= bound).all()
    assert (whole == whole[:, :1]).all() and (np.abs(whole[:, 0] - values.sum(1)) <= bound[:, -1]).all()


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


def test_names_of_extensions(device, queue):
    """The driver's own where it has them; a rotation of theirs goes around lanes that 8 items lack, and Intel's scan
    with logical_xor gives -3."""
    theirs = ("sub_group_rotate", "scan_inclusive_logical_xor") if device._facts["sub_groups"] == 1 else ()
    run(
        queue, {case: expected for case, expected in EXTENSIONS.items() if not any(name in case for name in theirs)}, []
    )
