"""SYCL 2020 4.17.3: broadcast, votes, reductions and scans of work-groups, against NumPy."""

import sys
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode knows no folders

import group_kernels as gk


@pytest.mark.spec("D074", "D403", "D406", "D426", "D427", "D428", "D430")
@pytest.mark.parametrize("kind", gk.C_TYPES)
def test_every_operator_on_every_type(device, queue, kind):
    gk.needs(device, kind)
    size, names = 33, gk.operators_of(kind)
    cases = [f"group_reduce(work_group, x, {name})" for name in names]
    if kind in ("i4", "u8", "f4"):  # what else differs between types, a reduction shows
        cases += [f"group_exclusive_scan(work_group, x, {name})" for name in names]
    data = gk.values_of(kind, 2 * size)
    for options in gk.ways(device):
        program = sycl.Program(gk.kernel_of(cases, kind), options)
        results = gk.launch(queue, program, data, len(cases), (size,))
        for at, name in enumerate(names):
            values, out = data.reshape(2, size), results
            if name in gk.LOGICAL:  # of what is no truth value, only whether it is 0 counts
                values, out = values != 0, out != 0
            scan = gk.scans(gk.OPERATORS[name], values)
            assert np.array_equal(out[at], np.repeat(scan[:, -1:], size, 1)), name
            if len(cases) > len(names):
                assert np.array_equal(out[at + len(names)], gk.before(scan, gk.identity_of(name, kind))), name


SWEEP = [
    "group_reduce(work_group, x, plus)",
    "group_inclusive_scan(work_group, x, plus, 5)",
    "group_exclusive_scan(work_group, x, 3, maximum)",
    "group_reduce(work_group, LINK(x), chain).y",
    "group_inclusive_scan(work_group, LINK8(x), chain8).s1",
    "group_broadcast(work_group, x, n / 2)",
    "group_broadcast(work_group, x) + group_leader(work_group)",
    "group_any_of(work_group, x == 7) + 2 * group_all_of(work_group, x == 7) + 4 * group_none_of(work_group, x == 7)",
]


def shapes_of(size):
    """The size in one dimension, and in two and three where it can be split."""
    shapes = [(size,)]
    first = next((f for f in (2, 3, 5) if size % f == 0), None)
    if first:
        shapes += [(first, size // first), (size // first, first, 1)]
    return shapes


@pytest.mark.spec("D018", "D019", "D076", "D420", "D422", "D423", "D425", "D426", "D427", "D428", "D429")
@pytest.mark.spec("D431", "D406")
def test_groups_of_every_size_and_rank(device, queue):
    for options in gk.ways(device):
        sweep(device, queue, sycl.Program(gk.kernel_of(SWEEP, "i4", gk.CHAIN), options))


def sweep(device, queue, program):
    most = min(gk.most_items(device), program.run.get_info("work_group_size", device))
    for size in [size for size in (*gk.SIZES, most) if size <= most]:
        for rank, local in enumerate(shapes_of(size) if size in (7, 33, 64, 100) else [(size,)]):
            data = np.random.default_rng(size).integers(-(2**31), 2**31, 2 * size, dtype=np.int32)
            data[[0, size // 3, -1]] = 7
            if rank:
                data[:] = 7
                data[:size] += np.arange(size, dtype=np.int32)
            groups = data.reshape(2, size)
            out = gk.launch(queue, program, data, len(SWEEP), local)
            sums = gk.scans(np.add, groups)
            largest = gk.scans(np.maximum, groups, 3)
            chain = np.array([gk.chain(group) for group in groups])
            same = groups == 7
            votes = same.any(1) + 2 * same.all(1) + 4 * ~same.any(1)
            leader = np.arange(size) == 0
            expected = [
                np.repeat(sums[:, -1:], size, 1),
                sums + np.int32(5),
                gk.before(largest, 3),
                np.repeat(chain[:, -1:], size, 1),
                chain,
                np.repeat(groups[:, size // 2, None], size, 1),
                groups[:, :1] + leader,
                np.repeat(votes[:, None], size, 1),
            ]
            for case, got, wanted in zip(SWEEP, out, expected, strict=True):
                assert np.array_equal(got, wanted), (size, local, case)
