"""SYCL 2020 4.10.1.8 and 4.17.3: sub-groups, the device's own or emulated: queries, shuffles, and their group functions."""

import group_kernels as gk
import numpy as np
import pytest

import pysycl as sycl

QUERIES = [
    "sub_group_group_id()",
    "sub_group_local_id()",
    "sub_group_size()",
    "sub_group_group_range()",
    "sub_group_max_local_range()",
]
ALIASES = [
    "sub_group_group_linear_id() == sub_group_group_id() && sub_group_local_linear_id() == sub_group_local_id()",
    "sub_group_local_range() == sub_group_size() && sub_group_local_linear_range() == sub_group_size()",
    "sub_group_group_linear_range() == sub_group_group_range()",
]
CASES = {
    "group_reduce(sub_group, x, plus)": lambda v: v.sum(dtype="i4"),
    "(int)(group_reduce(sub_group, x, 5L << 40, plus) >> 9)": lambda v: (v.sum(dtype="i8") + (5 << 40) >> 9).astype(
        "i4"
    ),
    "group_exclusive_scan(sub_group, x, 9, minimum)": lambda v: gk.before(gk.scans(np.minimum, v[None], 9), 9)[0],
    "group_inclusive_scan(sub_group, x, plus, 5)": lambda v: v.cumsum(dtype="i4") + np.int32(5),
    "group_exclusive_scan(sub_group, x, maximum)": lambda v: gk.before(gk.scans(np.maximum, v[None]), -(2**31))[0],
    "group_reduce(sub_group, LINK(x), chain).y": lambda v: gk.chain(v)[-1],
    "group_inclusive_scan(sub_group, LINK8(x), chain8).s1": gk.chain,
    "group_reduce(sub_group, (char)x, minimum)": lambda v: v.astype("i1").min(),
    "group_broadcast(sub_group, x)": lambda v: v[0],
    "group_broadcast(sub_group, LINK8(x), sub_group_size() - 1).s1": lambda v: v[-1],
    "select_from_group(sub_group, LINK(x), sub_group_size() - 1 - sub_group_local_id()).y": lambda v: v[::-1],
    "group_any_of(sub_group, x == 7) + 2 * group_all_of(sub_group, x, SEVEN) + 4 * group_none_of(sub_group, x == 7)": (
        lambda v: (v == 7).any() + 2 * (v == 7).all() + 4 * (v != 7).all()
    ),
    "group_leader(sub_group)": lambda v: np.arange(len(v)) == 0,
}
MOVES = {  # of which only what comes from an item of the sub-group counts
    "shift_group_left(sub_group, x)": lambda lane: lane + 1,
    "shift_group_right(sub_group, LINK8(x), 2).s1": lambda lane: lane - 2,
    "permute_group_by_xor(sub_group, x, 5)": lambda lane: lane ^ 5,
}
ROWS = [*QUERIES, *(f"({alias})" for alias in ALIASES), *CASES, *MOVES]


def ways(device):
    """Build options, and the size of the sub-groups if they choose one."""
    if device._facts["sub_groups"] == 1:
        return [([], None), (["-DSYC_SUB_GROUP_KIND=3", "-DSYC_SUB_GROUP_SIZE=8"], 8)]
    if device._facts["sub_groups"] == 2:
        return [([], 32)]  # the core gives these kernels no memory in which sub-groups could be emulated
    return [([], 32), (["-DSYC_SUB_GROUP_SIZE=1"], 1)]


@pytest.mark.spec("D113", "D145", "D146", "D147", "D148", "D149", "D422", "D423", "D425", "D426", "D427")
@pytest.mark.spec("D428", "D431")
def test_sub_groups(device, queue, thorough):
    for options, most in ways(device):
        text = gk.kernel_of(ROWS, "i4", gk.CHAIN + "#define SEVEN(x) ((x) == 7)\n")
        program = sycl.Program(text, options)
        some = ((75,),) if options else ((3, 11),)
        for shape in ((1,), (7,), (75,), (3, 11)) if thorough else some:
            size = int(np.prod(shape))
            data = np.random.default_rng(size).integers(-(2**31), 2**31, 2 * size, dtype=np.int32)
            data[[0, size // 3, -1]] = 7
            data[-5:] = 7
            out = gk.launch(queue, program, data, len(ROWS), shape)
            for group in range(2):
                check(data[size * group :][:size], dict(zip(ROWS, out[:, group], strict=True)), most, shape)


def check(values, rows, most, shape):
    number, lane, count, groups, largest = (rows[query] for query in QUERIES)
    assert (groups == number.max() + 1).all() and (number[0], lane[0]) == (0, 0)
    assert ((count > 0) & (count <= largest)).all() and (largest == largest[0]).all()
    assert all(rows[f"({alias})"].all() for alias in ALIASES)
    if most is not None:
        assert np.array_equal(number * most + lane, np.arange(len(values)))
        assert (largest == most).all()
    for one in range(groups[0]):
        mine = number == one
        own = values[mine]
        assert np.array_equal(lane[mine], np.arange(len(own))) and (count[mine] == len(own)).all()
        for case, expected in CASES.items():
            assert (rows[case][mine] == expected(own)).all(), (case, shape, one)
        for case, source in MOVES.items():
            places = source(np.arange(len(own)))
            inside = (places >= 0) & (places < len(own))
            assert (rows[case][mine][inside] == own[places[inside]]).all(), (case, shape, one)


@pytest.mark.spec("D129", "D144", "D148")
def test_types_of_the_group_classes(device, queue):
    text = """__kernel void run(__global ulong *out)
    {
        out[0] = sizeof(sub_group_group_linear_id()) | (0 * sub_group_group_linear_id() - 1 > 0) << 8;
        out[2] = sizeof(sub_group_local_linear_id()) | (0 * sub_group_local_linear_id() - 1 > 0) << 8;
        out[3] = sizeof(sub_group_group_linear_range()) | (0 * sub_group_group_linear_range() - 1 > 0) << 8;
        out[4] = sizeof(sub_group_local_linear_range()) | (0 * sub_group_local_linear_range() - 1 > 0) << 8;
        out[1] = sizeof(group_linear_id) | (0 * group_linear_id - 1 > 0) << 8;
    }"""
    out = np.zeros(5, np.uint64)
    queue.single_task(sycl.Program(text).run, out)
    for group, found in zip((sycl.SubGroup, sycl.Group, *[sycl.SubGroup] * 3), out.tolist(), strict=True):
        assert (group.id_type, group.range_type) == (sycl.Id, sycl.Range)
        kind = np.dtype(group.linear_id_type)
        assert found == kind.itemsize | (kind.kind == "u") << 8
    assert sycl.sub_group.dimensions == 1
    assert (sycl.Group.fence_scope, sycl.SubGroup.fence_scope) == (
        sycl.MemoryScope.work_group,
        sycl.MemoryScope.sub_group,
    )
