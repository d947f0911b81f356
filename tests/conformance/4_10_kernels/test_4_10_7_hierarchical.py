"""Hierarchical kernels: the text of a work-group, with parallel_for_work_item in it. SYCL 2020, 4.9.4.2.3.

Every text runs in both forms that it can take, with barriers and with loops, whatever the device would choose."""

import itertools
import pickle

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core


@pytest.fixture(params=["item", "loop"], ids=["barriers", "loops"])
def form(request):
    """item: a work-item for each item of a group, and barriers. loop: one for the whole group."""
    _core.force_shape(request.param)
    yield request.param
    _core.force_shape(None)


def run(queue, groups, size, text, **arguments):
    with queue.submit() as h:
        if size is None:
            h.parallel_for_work_group(groups, text, **arguments)
        else:
            h.parallel_for_work_group(groups, size, text, **arguments)
    h.event.wait()
    queue.wait_and_throw()


@pytest.mark.spec("D188", "D207", "D208", "D211", "H071")
def test_group_code_runs_once_and_its_variables_are_shared(queue, form):
    """The order of the outer statements and the barriers between them decide the result."""
    text = """
    int count = 0;
    int tile[8], sum;
    count++;
    atomic_inc(entered);
    parallel_for_work_item { tile[local_id(0)] = x[global_id(0)]; }
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += tile[k];
    parallel_for_work_item {
        x[global_id(0)] = 100 * tile[7 - local_id(0)] + sum + 10000 * count;
    }
    """
    x = np.arange(32, dtype=np.int32)
    rows = x.reshape(4, 8).copy()
    entered = np.zeros(1, np.int32)
    run(queue, 4, 8, text, x=x, entered=entered)
    assert entered[0] == 4
    assert (x.reshape(4, 8) == 100 * rows[:, ::-1] + rows.sum(axis=1, keepdims=True) + 10000).all()


@pytest.mark.spec("D209", "D210")
def test_private_memory_survives_to_the_next_loop(queue, form):
    text = """
    private_memory(int, mine);
    private_memory(float, pair[2]);
    parallel_for_work_item {
        mine = 10 * (int)global_id(0);
        pair[0] = 0.5f; pair[1] = local_id(0);
    }
    parallel_for_work_item { mine += 1; pair[1] += pair[0]; }
    parallel_for_work_item { y[global_id(0)] = mine + pair[1] / 100; }
    """
    y = np.zeros(24, np.float32)
    run(queue, 3, 8, text, y=y)
    i = np.arange(24)
    assert np.allclose(y, 10 * i + 1 + (i % 8 + 0.5) / 100)


@pytest.mark.spec("D210")
def test_private_memory_belongs_to_a_physical_item(queue, form):
    """Turns of a logical loop that fall to one physical item share its memory."""
    text = """
    private_memory(int, turns);
    parallel_for_work_item { turns = 0; }
    parallel_for_work_item(10) { turns++; }
    parallel_for_work_item { y[global_id(0)] = turns; }
    """
    y = np.zeros(8, np.int32)
    run(queue, 2, 4, text, y=y)
    assert y.tolist() == [3, 3, 2, 2] * 2


@pytest.mark.spec("D140", "D212", "D213", "D187")
def test_a_logical_range_in_groups_of_any_size(queue, form):
    text = """
    parallel_for_work_item { atomic_inc(items); }
    parallel_for_work_item(8, 8, 8) {
        atomic_inc(count);
        atomic_inc(&seen[(local_id(0) * 8 + local_id(1)) * 8 + local_id(2)]);
    }
    """
    count, items, seen = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(512, np.int32)
    run(queue, (2, 2, 2), None, text, count=count, items=items, seen=seen)
    assert count[0] == 4096
    assert (seen == 8).all()
    assert items[0] >= 8  # as many as the runtime likes, in each of 8 groups
    assert items[0] % 8 == 0


@pytest.mark.spec("D140", "D141")
def test_logical_ranges_may_differ_between_groups(queue, form):
    text = "parallel_for_work_item(group_id(0) + 1) { atomic_inc(&count[group_id(0)]); }"
    count = np.zeros(6, np.int32)
    run(queue, 6, 4, text, count=count)
    assert count.tolist() == [1, 2, 3, 4, 5, 6]


WORDS = ["group_id", "group_range", "global_id", "global_range", "local_id", "local_range", "logical_local_id",
         "logical_local_range", "physical_local_id", "physical_local_range", "max_local_range"]  # fmt: skip


@pytest.mark.spec("D121", "D122", "D123", "D124", "D125", "D126", "D127", "D128", "D130", "D132", "D133")
@pytest.mark.spec("D134", "D138")
@pytest.mark.parametrize(("groups", "size"), [((3,), (4,)), ((2, 3), (2, 4)), ((2, 1, 3), (2, 3, 2))], ids=str)
def test_an_item_knows_its_places(queue, form, groups, size):
    dims, n = len(groups), len(WORDS)
    text = f"parallel_for_work_item {{\n  const ulong at = global_linear_id * {3 * n + 4};\n"
    for k, word in enumerate(WORDS):
        text += "".join(f"  out[at + {3 * k + d}] = {word}({d});\n" for d in range(3))
    text += f"  out[at + {3 * n}] = global_linear_id; out[at + {3 * n + 1}] = local_linear_id;\n"
    text += f"  out[at + {3 * n + 2}] = group_linear_id; out[at + {3 * n + 3}] = local_linear_range;\n}}"
    whole = tuple(g * s for g, s in zip(groups, size, strict=True))
    out = np.zeros((*whole, 3 * n + 4), np.uint64)
    run(queue, groups, size, text, out=out.reshape(-1))
    for at in itertools.product(*map(range, whole)):
        local = tuple(a % s for a, s in zip(at, size, strict=True))
        group = tuple(a // s for a, s in zip(at, size, strict=True))
        expected = {"group_id": group, "group_range": groups, "global_id": at, "global_range": whole}
        expected |= dict.fromkeys(["local_id", "logical_local_id", "physical_local_id"], local)
        expected |= dict.fromkeys(
            ["local_range", "logical_local_range", "physical_local_range", "max_local_range"], size
        )
        for k, word in enumerate(WORDS):
            missing = 1 if word.endswith("range") else 0
            assert tuple(out[at][3 * k : 3 * k + 3]) == (*expected[word], *(missing,) * (3 - dims)), (at, word)
        assert out[at][3 * n] == np.ravel_multi_index(at, whole)
        assert out[at][3 * n + 1] == np.ravel_multi_index(local, size)
        assert out[at][3 * n + 2] == np.ravel_multi_index(group, groups)
        assert out[at][3 * n + 3] == np.prod(size)


@pytest.mark.spec("D121", "D124", "D125", "D126", "D127")
def test_logical_and_physical_places_differ(queue, form):
    text = """
    parallel_for_work_item(3, 5) {
        const ulong at = ((group_id(1) * 3 + local_id(0)) * 5 + local_id(1)) * 6;
        out[at] = physical_local_id(0); out[at + 1] = physical_local_id(1);
        out[at + 2] = local_range(0) * 100 + local_range(1);
        out[at + 3] = physical_local_range(0) * 100 + physical_local_range(1);
        out[at + 4] = local_linear_id; out[at + 5] = global_id(1);
    }
    """
    out = np.zeros((2, 3, 5, 6), np.uint64)
    run(queue, (1, 2), (2, 2), text, out=out.reshape(-1))
    for g, a, b in itertools.product(range(2), range(3), range(5)):
        assert out[g, a, b].tolist() == [a % 2, b % 2, 305, 202, a * 5 + b, 2 * g + b % 2]


@pytest.mark.spec("D128", "D130", "D132", "D133", "D134", "D135", "D136")
def test_group_scope_knows_the_group(queue, form):
    text = """
    out[8 * group_linear_id] = group_id(0) * 10 + group_id(1);
    out[8 * group_linear_id + 1] = group_range(0) * 10 + group_range(1);
    out[8 * group_linear_id + 2] = local_range(0) * 10 + local_range(1);
    out[8 * group_linear_id + 3] = max_local_range(1);
    out[8 * group_linear_id + 4] = uniform_group_range(1);
    out[8 * group_linear_id + 5] = group_linear_range;
    out[8 * group_linear_id + 6] = local_linear_range;
    out[8 * group_linear_id + 7] = global_range(0) * 10 + global_range(1);
    parallel_for_work_item { }
    """
    out = np.zeros((2, 3, 8), np.int32)
    run(queue, (2, 3), (2, 1), text, out=out.reshape(-1))
    for a, b in itertools.product(range(2), range(3)):
        assert out[a, b].tolist() == [10 * a + b, 23, 21, 1, 3, 6, 2, 43]


# Ways in which control can go around a parallel_for_work_item: the text, and what it does in Python.
def loop_that_skips_and_ends(group):
    value = total = 0
    for step in range(4):
        if step == 1:
            continue
        if group == 2 and step == 3:
            break
        value += 1 << (4 * step)
        total += step
    while total > 0:
        total -= 2
        value += 1 << 16
    return value


def loop_that_ends_below(group):
    value, total = 0, -2
    while True:
        total += 1
        if total + group >= 1:
            value += 1 << 4 * (total + group)
        if not total < 1:
            break
    return value


def loops_with_little_in_the_head(group):
    return 2 * (1 << 27)


def choices(group):
    return (1 << (24 + group)) + (1 << 30 if group != 2 else 0)


def loops_in_loops(group):
    value = 0
    for a in range(3):
        b = a
        while b < 3:
            b += 1
            if b == 2 and group == 1:
                continue
            value = 3 * value + a + b
        if value > 200:
            break
        value += 100
    return value


FLOWS = {
    loop_that_skips_and_ends: """
    int step, total = 0;
    for (step = 0; step < 4; step++) {
        if (step == 1) continue;
        if (group_id(0) == 2) { if (step == 3) break; }
        parallel_for_work_item { x[global_id(0)] += 1 << (4 * step); }
        total += step;
    }
    while (total > 0) {
        total -= 2;
        parallel_for_work_item { x[global_id(0)] += 1 << 16; }
    }
    """,
    loop_that_ends_below: """
    int total = -2;
    do {
        total++;
        if (total + (int)group_id(0) < 1) { continue; }
        parallel_for_work_item { x[global_id(0)] += 1 << 4 * (total + group_id(0)); }
    } while (total < 1);
    """,
    loops_with_little_in_the_head: """
    for (int k = 0; k < 2; k++)
        parallel_for_work_item { x[global_id(0)] += 1 << 27; }
    for (int k = 5; ; ) {
        if (k == 5) break;
        parallel_for_work_item { x[global_id(0)] = 0; }
    }
    """,
    choices: """
    if (group_id(0) == 0) {
        parallel_for_work_item { x[global_id(0)] += 1 << 24; }
    } else if (group_id(0) == 1)
        parallel_for_work_item { x[global_id(0)] += 1 << 25; }
    else {
        { parallel_for_work_item { x[global_id(0)] += 1 << 26; } }
        return;
    }
    parallel_for_work_item { x[global_id(0)] += 1 << 30; }
    """,
    loops_in_loops: """
    for (int a = 0; a < 3; a++) {
        int b = a;
        while (b < 3) {
            b++;
            if (b == 2 && group_id(0) == 1) continue;
            parallel_for_work_item { x[global_id(0)] = 3 * x[global_id(0)] + a + b; }
        }
        if (x[group_id(0) * local_range(0)] > 200) break;
        parallel_for_work_item { x[global_id(0)] += 100; }
    }
    """,
}


@pytest.mark.spec("D207", "D211")
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.__name__)
def test_control_goes_around_items(queue, form, flow):
    if form == "item" and queue.device._facts["items"] == "looped" and flow is not loop_that_ends_below:
        pytest.skip("PoCL, which gets loops, copies what follows a barrier for each way around it, without end")
    x = np.zeros(12, np.int32)
    run(queue, 3, 4, FLOWS[flow], x=x)
    assert x.reshape(3, 4).tolist() == [[flow(group)] * 4 for group in range(3)]


@pytest.mark.spec("D138")
def test_control_inside_an_item_is_its_own(queue, form):
    text = """
    parallel_for_work_item {
        int n = 0;
        const int at = global_id(0);
        for (int k = 0; ; k++) {
            if (k % 2) continue;
            if (k > at) break;
            do { n++; if (n > 3) break; } while (n % 3);
        }
        switch (at) { case 1: n += 100; break; case 2: n += 200; default: n += 300; }
        if (at == 3) goto late;
        n += 1000;
    late:
        x[at] = n;
        if (at == 2) return;
        x[at] += 10000;
    }
    parallel_for_work_item { x[global_id(0)] += 100000; }
    """
    x = np.zeros(4, np.int32)
    run(queue, 1, 4, text, x=x)

    def one(at):
        n = k = 0
        while k <= at:
            n += 1
            while n <= 3 and n % 3:
                n += 1
            k += 2
        n += {1: 100, 2: 500}.get(at, 300) + (1000 if at != 3 else 0)
        return n + (10000 if at != 2 else 0) + 100000

    assert x.tolist() == [one(at) for at in range(4)]


@pytest.mark.spec("D208")
def test_declarations_at_group_scope(queue, form):
    text = """
    const int n = local_range(0), m = n + 1;
    float weights[3] = {0.5f, 0.25f, 0.25f}, scale = 2;
    float2 both = {1, 2};
    __global const float *from = x + n * group_id(0);
    struct pair p = {3, 4};
    uint unused;
    parallel_for_work_item {
        const int i = local_id(0), n = 1;
        y[global_id(0)] = scale * (weights[0] * from[i] + weights[1] + weights[2]) + both.y + p.a + p.b + m + n;
        return;
        y[global_id(0)] = 0;
    }
    { int other = 1; parallel_for_work_item { y[global_id(0)] += other; } }
    { int other = 2; parallel_for_work_item { y[global_id(0)] += other; } }
    """
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    run(queue, 2, 4, text, x=x, y=y, preamble="struct pair { int a, b; };")
    assert np.allclose(y, 2 * (0.5 * x + 0.5) + 2 + 7 + 5 + 1 + 3)


@pytest.mark.spec("D142", "D150", "D151")
def test_asynchronous_copies_at_group_scope(queue, form):
    text = """
    int tile[8];
    device_event arrived = async_copy_global_to_local(tile, x + 8 * group_id(0), 8);
    wait_for(arrived);
    parallel_for_work_item { x[global_id(0)] = tile[7 - local_id(0)]; }
    """
    x = np.arange(24, dtype=np.int32)
    run(queue, 3, 8, text, x=x)
    assert (x.reshape(3, 8) == np.arange(24).reshape(3, 8)[:, ::-1]).all()


def test_local_accessors_and_helpers(queue, form):
    text = """
    parallel_for_work_item { given[local_id(0)] = x[global_id(0)]; }
    int sum = total(given, local_range(0));
    parallel_for_work_item { x[global_id(0)] = sum; }
    """
    preamble = "int total(__local const int *v, int n) { int s = 0; for (int k = 0; k < n; k++) s += v[k]; return s; }"
    x = np.arange(8, dtype=np.int32)
    with queue.submit() as h:
        h.parallel_for_work_group(2, 4, text, preamble=preamble, x=x, given=h.local(4, "i4"))
    h.event.wait()
    queue.wait_and_throw()
    assert x.tolist() == [6] * 4 + [22] * 4


@pytest.mark.spec("D213", "D139")
def test_the_runtime_chooses_a_size_that_the_device_can_have(queue):
    """And runs each of its items once, as SYCL's example without a size does."""
    sizes, items = np.zeros(2, np.int32), np.zeros(2, np.int32)
    text = "sizes[group_id(0)] = local_range(0);\nparallel_for_work_item { atomic_fetch_add(&items[group_id(0)], 1); }"
    run(queue, 2, None, text, sizes=sizes, items=items)
    assert sizes[0] == sizes[1] and np.array_equal(items, sizes)
    assert 1 <= sizes[0] <= queue.device.max_work_group_size


def test_groups_print(queue, form, capfd):
    text = """
    out << "group " << group_id(0) << endl;
    parallel_for_work_item { if (local_id(0) == 1) out << "item " << global_id(0) << endl; }
    """
    with queue.submit() as h:
        h.parallel_for_work_group(2, 2, text, out=sycl.Stream(200, 100, h))
    h.event.wait()
    assert sorted(capfd.readouterr().out.splitlines()) == ["group 0", "group 1", "item 1", "item 3"]


@pytest.mark.spec("D395")
def test_streams_print_an_item_of_a_group(queue, form, capfd):
    text = """
    if (group_id(1) == 1) out << group << local_range << endl;
    parallel_for_work_item(3, 4) {
        if (group_id(1) == 1 && local_id(0) == 2 && local_id(1) == 3)
            out << h_item << global_id << local_id << local_range << global_range << group_id << endl;
    }
    """
    with queue.submit() as h:
        h.parallel_for_work_group((1, 2), (2, 2), text, out=sycl.Stream(2000, 500, h))
    queue.wait_and_throw()
    assert sorted(capfd.readouterr().out.splitlines()) == [
        "group(id: {0, 1}, local_range: {2, 2}, global_range: {2, 4}, group_range: {1, 2}){2, 2}",
        "h_item(global_id: {0, 3}, logical_local_id: {2, 3}, physical_local_id: {0, 1}){0, 3}{2, 3}{3, 4}{2, 4}{0, 1}",
    ]


def test_no_groups_do_nothing(queue, form):
    x = np.ones(4, np.int32)
    run(queue, 0, 4, "parallel_for_work_item { x[global_id(0)] = 2; }", x=x)
    assert x.tolist() == [1] * 4


@pytest.mark.spec("D213")
def test_specialization_constants_are_known(queue, form):
    """What a kernel_handler is for."""
    text = "int k = SPEC(c);\nparallel_for_work_item { x[global_id(0)] = k + SPEC(c); }"
    x, c = np.zeros(4, np.int32), sycl.SpecConstant(np.int32, 5)
    run(queue, 2, 2, text, x=x, c=c)
    assert x.tolist() == [10] * 4
    with queue.submit() as h:
        h.set_specialization_constant(c, 9)
        h.parallel_for_work_group(2, 2, text, x=x, c=c)
    queue.wait_and_throw()
    assert x.tolist() == [18] * 4


def test_subscripts_are_checked_in_both_scopes(queue, form):
    """Those that a launch alone does not tell of: they depend on an array's elements."""
    x, c = np.zeros(8, np.int32), np.array([3, 8], np.int32)
    texts = {
        2: "int k = c[0];\nparallel_for_work_item { x[global_id(0) + k] = 1; }",
        1: "x[group_id(0) + c[1]] = 3; parallel_for_work_item { x[global_id(0)] = 1; }",
    }
    for line, text in texts.items():
        _core.debug_check(True)
        try:
            with (
                pytest.raises(
                    sycl.AccessorError,
                    match=rf"^body: x\[\d+\] is out of bounds: x has 8 elements \(index \d+, line {line} ",
                ),
                queue.submit() as h,
            ):
                h.parallel_for_work_group(2, 4, text, x=x, c=c)
        finally:
            _core.debug_check(False)


def test_work_groups_stand_for_a_range(queue, form):
    """Where there is no parallel_for_work_group: prepared kernels, shortcuts, what is said of a launch."""
    text, x = "parallel_for_work_item { x[global_id(0)] += 1; }", np.zeros(8, np.int32)
    groups = sycl.WorkGroups(4, 2)
    queue.parallel_for(groups, text, x=x).wait_and_throw()
    with queue.submit() as h:
        h.parallel_for(groups, text, x=x)
    kernel = queue.kernel(groups, text, x=x)
    kernel().wait_and_throw()
    kernel().wait_and_throw()
    assert x.tolist() == [4] * 8
    assert sycl.explain(text, groups, queue_or_device=queue, x=x) == kernel.explanation
    assert "forced" in kernel.explanation
    source = sycl.kernel_source(text, groups, queue_or_device=queue, x=x)
    assert '#line 1 "body"\n' in source
    assert "syc_items_whole() { x[syc_whole_id(0)] += 1; }" in source
    assert ("loops over the group's items" in source) == (form == "loop")
    assert (groups.groups, groups.group_size, sycl.WorkGroups((2, 3)).group_size) == ((4,), (2,), None)
    assert pickle.loads(pickle.dumps(groups)) == groups
    assert (repr(groups), repr(sycl.WorkGroups((2, 3)))) == ("WorkGroups((4,), (2,))", "WorkGroups((2, 3))")
    with pytest.raises(sycl.NdRangeError, match=r"^group_size \(2, 2\) has 2 dimensions, groups has 1$"):
        sycl.WorkGroups(4, (2, 2))
    with pytest.raises(sycl.NdRangeError, match=r"^range: 1 parts make no WorkGroups$"):
        queue.parallel_for(tuple.__new__(sycl.WorkGroups, (4,)), text, x=x)


def test_what_is_chosen_is_explained(queue):
    said = sycl.explain("parallel_for_work_item { x[0] = 1; }", sycl.WorkGroups(4), queue_or_device=queue,
                        x=np.zeros(4, np.int32))  # fmt: skip
    loops = queue.device._facts["items"] in ("looped", "packed")
    assert ("one work-item does the work of a group" in said) == loops
    assert ("the leader of a group runs" in said) == (not loops)
