"""SYCL 2020 4.17.3: broadcast, votes, reductions and scans of work-groups, against NumPy."""

import math

import group_kernels as gk
import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl


@pytest.mark.spec("D074", "D403", "D406", "D426", "D427", "D428", "D430")
@pytest.mark.parametrize("kind", sweep(gk.C_TYPES, ["i1", "i4", "u8", "f4"]))
def test_every_operator_on_every_type(device, queue, kind, thorough):
    gk.needs(device, kind)
    size, names = 33, gk.operators_of(kind)
    cases = [f"group_reduce(work_group, x, {name})" for name in names]
    if kind in ("i4", "u8", "f4"):  # what else differs between types, a reduction shows
        cases += [f"group_exclusive_scan(work_group, x, {name})" for name in names]
    wide = ["(int)(group_reduce(work_group, x, 5L << 40, plus) >> 9)"] if kind == "i4" else []  # of the type of init
    data = gk.values_of(kind, 2 * size)
    # A forced way differs between types by their size, and by whether the hardware has operations of them.
    for options in gk.ways(device) if thorough and kind in ("i1", "i4", "u8", "f4") else gk.ways(device)[:1]:
        program = sycl.Program(gk.kernel_of([*cases, *wide], kind), options)
        results = gk.launch(queue, program, data, len(cases) + len(wide), (size,))
        if wide:
            sums = data.reshape(2, size).sum(1, np.int64, keepdims=True) + (5 << 40)
            assert np.array_equal(results[-1], np.repeat((sums >> 9).astype(np.int32), size, 1))
        for at, name in enumerate(names):
            values, out = data.reshape(2, size), results
            if name in gk.LOGICAL:  # of what is no truth value, only whether it is 0 counts
                values, out = values != 0, out != 0
            scan = gk.scans(gk.OPERATORS[name], values)
            assert np.array_equal(out[at], np.repeat(scan[:, -1:], size, 1)), name
            if len(cases) > len(names):
                assert np.array_equal(out[at + len(names)], gk.before(scan, gk.identity_of(name, kind))), name


EACH = [
    "group_reduce(work_group, x, plus)",
    "group_inclusive_scan(work_group, x, plus, 5)",
    "group_exclusive_scan(work_group, x, 3, maximum)",
    "group_reduce(work_group, LINK(x), chain).y",
    "group_inclusive_scan(work_group, LINK8(x), chain8).s1",
    "group_broadcast(work_group, x, n / 2)",
    "group_broadcast(work_group, x) + group_leader(work_group)",
    "group_any_of(work_group, x == 7) + 2 * group_all_of(work_group, x, IS_7) + 4 * group_none_of(work_group, x, IS_7)",
]


def shapes_of(size):
    """The size in one dimension, and some in two and three where they can be split."""
    shapes = [(size,)]
    first = next((f for f in (2, 3, 5) if size % f == 0), None) if size in (7, 33, 64, 100) else None
    if first:
        shapes += [(first, size // first), (size // first, first, 1)]
    return shapes


@pytest.mark.spec("D018", "D019", "D076", "D420", "D422", "D423", "D425", "D426", "D427", "D428", "D429")
@pytest.mark.spec("D431", "D406")
def test_groups_of_every_size_and_rank(device, queue, thorough):
    text = gk.kernel_of(EACH, "i4", gk.CHAIN + "#define IS_7(x) ((x) == 7)\n")
    for n, options in enumerate(gk.ways(device)):
        program = sycl.Program(text, options)
        most = min(gk.most_items(device), program.run.get_info("work_group_size", device))
        every = [local for size in (*gk.SIZES, most) for local in shapes_of(size)]
        some = [(1,), (33,), (3, 11), (32, 2, 1)] if n == 0 else [(3, 11)]
        for local in every if thorough else some:
            if math.prod(local) <= most:
                check_groups(queue, program, local)


def check_groups(queue, program, local):
    size = math.prod(local)
    data = np.random.default_rng(size).integers(-(2**31), 2**31, 2 * size, dtype=np.int32)
    data[[0, size // 3, -1]] = 7
    if len(local) > 1:
        data[:] = 7
        data[:size] += np.arange(size, dtype=np.int32)
    groups = data.reshape(2, size)
    out = gk.launch(queue, program, data, len(EACH), local)
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
    for case, got, wanted in zip(EACH, out, expected, strict=True):
        assert np.array_equal(got, wanted), (size, local, case)


PLACES_OF_OPENCL = """
__kernel void two(__global const int *data, __global int *out)
{
    const size_t own = get_local_id(1) * get_local_size(0) + get_local_id(0);
    out[own] = group_broadcast(work_group, data[own], 1, 3);
    out[100 + own] = group_inclusive_scan(work_group, 1, plus) - 1;
    out[200 + own] = local_id(0) == get_local_id(1) && local_id(1) == get_local_id(0) && local_linear_id == own;
}
__kernel void three(__global const int *data, __global int *out)
{
    const size_t own = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    out[own] = group_broadcast(work_group, data[own], 1, 0, 3);
    out[100 + own] = group_inclusive_scan(work_group, 1, plus) - 1;
    out[200 + own] = local_id(0) == get_local_id(2) && local_id(2) == get_local_id(0) && local_linear_id == own;
}
"""


@pytest.mark.spec("D020", "D076", "D422", "D429")
def test_ids_and_the_linear_order_are_opencls_reversed(queue):
    """An item has as many ids as the group has dimensions; the last one varies fastest, and is OpenCL's first."""
    program = sycl.Program(PLACES_OF_OPENCL)
    for name, shape, at in (("two", (2, 5), 1 * 5 + 3), ("three", (2, 3, 4), (1 * 3 + 0) * 4 + 3)):
        items = int(np.prod(shape))
        data, out = np.arange(items, dtype=np.int32) * 7, np.zeros((3, 100), np.int32)
        queue.parallel_for(sycl.NdRange(shape, shape), program.kernel(name), data, out).wait_and_throw()
        assert out[:, :items].tolist() == [[7 * at] * items, list(range(items)), [1] * items]


SCOPES = {
    "work_group": ["", ", memory_scope_work_group", ", memory_scope_device", ", memory_scope_system"],
    "sub_group": ["", ", memory_scope_sub_group", ", memory_scope_work_group", ", memory_scope_device"],
}
NEXT = {  # where an item's neighbour of the group has written
    "work_group": "(local_linear_id + 1) % local_linear_range",
    "sub_group": "local_linear_id - sub_group_local_id() + (sub_group_local_id() + 1) % sub_group_size()",
}


@pytest.mark.spec("D022", "D023", "D367", "D424")
def test_barriers_of_both_groups_at_each_scope(device, queue):
    """What a neighbour has written to local and to global memory is there behind each; a narrower scope is refused."""
    items, text, rounds = 40, "", 0
    for group, scopes in SCOPES.items():
        text += f"__kernel void {group}_(__global int *y, __local int *tile)\n{{\n"
        text += f"const int own = local_linear_id, next = {NEXT[group]}; int v = own;\n"
        for scope in scopes:
            if scope.endswith("system") and not device._facts["system_scope"]:
                continue
            text += f"tile[own] = v; y[own] = v;\ngroup_barrier({group}{scope});\nv = (tile[next] + y[next]) / 2;\n"
            text += f"group_barrier({group});\n"
            rounds += group == "work_group"
        text += f"y[own] = v;\ny[{items} + own] = next;\n}}\n"
    program = sycl.Program(text)
    for group in SCOPES:
        y = np.zeros(2 * items, np.int32)
        kernel = program.kernel(f"{group}_")
        queue.parallel_for(sycl.NdRange(items, items), kernel, y, sycl.local(items, "i4"))
        expected, following = np.arange(items), y[items:]
        for _ in range(rounds if group == "work_group" else 4):
            expected = expected[following]
        assert np.array_equal(y[:items], expected) and sorted(following) == list(range(items)), group
    for call, group in (
        ("group_barrier(work_group, memory_scope_sub_group)", "work_group"),
        ("group_barrier(work_group, CLK_LOCAL_MEM_FENCE)", "work_group"),
        ("group_barrier(sub_group, memory_scope_work_item)", "sub_group"),
    ):
        with pytest.raises(sycl.BuildError) as caught:
            sycl.Program(f"__kernel void run(__global int *y)\n{{\n    {call};\n}}").build(device)
        assert str(caught.value).startswith(
            f"kernel.cl:3:5: group_barrier: the second argument is no scope as wide as {group}: memory_scope_work_group, "
            "memory_scope_device and memory_scope_system are"
        )


WAITING = {
    "work_group": ["group_barrier(work_group)", "out += group_broadcast(work_group, x)",
                   "out += group_any_of(work_group, x == 0)", "out += group_inclusive_scan(work_group, x, plus)"],
    "sub_group": ["out += group_broadcast(sub_group, x)", "out += group_reduce(sub_group, x, plus)"],
}  # fmt: skip
PLACES = {
    "work_group": ("group_linear_id", "local_linear_range"),
    "sub_group": ("(group_linear_id * local_linear_range + sub_group_group_id())", "sub_group_local_range()"),
}


@pytest.mark.spec("D002", "D012", "D024", "D419")
def test_nobody_leaves_before_all_have_come(queue):
    """Each item says that it has come, and behind the function counts those of its group that have."""
    items, text = 40, ""
    for group, (which, count) in PLACES.items():
        text += f"__kernel void {group}_(__global uint *come, __global int *missed)\n{{\nint x = get_local_id(0), out = 0;\n"
        for at, call in enumerate(WAITING[group]):
            place = f"&come[{at} * global_linear_range + {which}]"
            text += f"atomic_fetch_add({place}, 1u);\n{call};\nout += atomic_load({place}) != {count} ? 1 << 20 : 0;\n"
        text += "missed[get_global_id(0)] = out >> 20;\n}\n"
    program = sycl.Program(text)
    for group in PLACES:
        come, missed = np.zeros(4 * 2 * items, np.uint32), np.ones(2 * items, np.int32)
        queue.parallel_for(sycl.NdRange(2 * items, items), program.kernel(f"{group}_"), come, missed).wait_and_throw()
        assert not missed.any(), group
