"""SYCL 2020 4.17.3: all work-items of a group come to a group function, or none: what PYSYCL_DEBUG=collectives finds."""

import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

# A kernel for each construct: PoCL's compiler copies what follows a barrier in a condition, once more with each.
FLOW = """int half_way(int own, int stop)
{
    if (stop) return -1;
    return group_reduce(work_group, own, plus);
}
void pass(int stop)
{
    if (stop) return;
    group_barrier(work_group);
}
__kernel void branch(__global int *out, int apart, int own, int odd)
{
    if (!apart || odd)
        out[own] += group_reduce(work_group, 1, plus);
    else
        out[own] += group_reduce(work_group, 1, plus);
}
__kernel void turns(__global int *out, int apart, int own, int odd)
{
    for (int k = 0; k < (apart ? own : 2); k++)
        out[own] += group_broadcast(work_group, 1);
}
__kernel void leaving(__global int *out, int apart, int own, int odd)
{
    for (int k = 0; k < 2; k++) {
        if (apart && odd) { out[own]++; continue; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
__kernel void either(__global int *out, int apart, int own, int odd)
{
    out[own] = (apart && odd) || group_any_of(work_group, own == 2);
}
__kernel void choice(__global int *out, int apart, int own, int odd)
{
    out[own] = apart && odd ? 0 : group_all_of(work_group, own < 100);
}
__kernel void cases(__global int *out, int apart, int own, int odd)
{
    switch (apart ? own : 1) {
    case 1:
        out[own] = group_exclusive_scan(work_group, 1, plus);
    }
}
__kernel void helper(__global int *out, int apart, int own, int odd)
{
    out[own] = half_way(1, apart && odd);
}
__kernel void procedure(__global int *out, int apart, int own, int odd)
{
    pass(apart && odd);
}
__kernel void uneven(__global int *out, int apart, int own, int odd)
{
    for (int n = 0; n < own; n++)
        if (apart && n > 2) return;
    out[own] = group_reduce(work_group, 1, plus);
}
__kernel void until(__global int *out, int apart, int own, int odd)
{
    int k = 0;
    do {
        out[own] = group_reduce(work_group, 1, plus);
        k++;
    } while (k < (apart ? own : 2));
}
"""
# of each kernel: the call, its line, what decides there, and how its results begin when nobody goes apart
TOGETHER = {
    "branch": ("group_reduce", 14, "the condition of 'if' in line 13 is", [8, 8]),
    "turns": ("group_broadcast", 21, "the condition of 'for' in line 20 is", [2, 2]),
    "leaving": ("barrier", 27, "from 'if' in line 26 work-item # goes on by continue and work-item 0 on", [0, 0]),
    "either": ("group_any_of", 32, "the condition of '||' in line 32 is true", [1, 1]),
    "choice": ("group_all_of", 36, "the condition of '?' in line 36 is true", [1, 1]),
    "cases": ("group_exclusive_scan", 42, "'switch' in line 40 has # in work-item # and 0 in work-item 0", [0, 1]),
    "helper": ("group_reduce", 4, "the condition of 'if' in line 3 is true in work-item # and false", [8, 8]),
    "procedure": ("group_barrier", 9, "from 'if' in line 8 work-item # goes out by return and work-item 0 on", [0, 0]),
    "uneven": ("group_reduce", 57, "from 'for' in line 55 work-item # goes out by return and work-item 0 on", [8, 8]),
    "until": ("group_reduce", 63, "the condition of 'while' in line 65 is true in work-item # and false", [8, 8]),
}
ARGUMENTS = """__kernel void run(__global int *data, __global int *out, int mode)
{
    int own = get_local_id(0), i = mode == 1 ? own : mode == 2 ? 99 : 3;
    int r0 = group_broadcast(work_group, own, i);
    int r1 = group_broadcast(work_group, own, mode == 3 ? own : 0, 2);
    int r2 = group_broadcast(work_group, own, 0, mode == 4 ? 8 : 2);
    int r3 = group_exclusive_scan(work_group, own, mode == 5 ? own : 7, plus);
    int r4 = group_inclusive_scan(work_group, own, plus, mode == 6 ? (float)own : 7.0f);
    int r6 = shift_group_left(sub_group, own, mode == 8 ? own : 1);
    int r7 = group_reduce(work_group, own, own, plus); /* this init may differ */
    if (own == 0) { out[0] = r0; out[1] = r1; out[2] = r2; out[3] = r3; out[4] = r4 + 0 * (r6 + r7); }
}
__kernel void ranges(__global int *data, __global int *out, int mode)
{
    int own = get_local_id(0);
    out[5] = reduce(execution_group(work_group), mode == 9 ? data + own % 2 : data, data + (mode == 7 ? own : 5), plus);
    joint_exclusive_scan(work_group, data, data + 2, mode == 10 ? out + 6 + own : out + 6, mode == 11 ? own : 3, plus);
}
"""
RANGES = (7, 9, 10, 11)
ALIKE = {
    1: "group_broadcast in line 4: argument 3 is not the same in all work-items of the group: # in work-item #, and 0 in "
    "work-item 0",
    2: "group_broadcast in line 4: argument 3 is 99, where the group has ids from 0 to 7",
    3: "group_broadcast in line 5: argument 3 is not the same in all work-items of the group: # in work-item #, and 0 in "
    "work-item 0",
    4: "group_broadcast in line 6: argument 4 is 8, where the group has ids from 0 to 7",
    5: "group_exclusive_scan in line 7: argument 3 is not the same in all work-items of the group",
    6: "group_inclusive_scan in line 8: argument 4 is not the same in all work-items of the group",
    7: "reduce in line 16: argument 3 is not the same in all work-items of the group",
    8: "shift_group_left in line 9: argument 3 is not the same in all work-items of the group: # in work-item #, and 0 in "
    "work-item 0",
    9: "reduce in line 16: argument 2 is not the same in all work-items of the group",
    10: "joint_exclusive_scan in line 17: argument 4 is not the same in all work-items of the group",
    11: "joint_exclusive_scan in line 17: argument 5 is not the same in all work-items of the group",
}
N = 8


@pytest.fixture
def checked():
    _core.debug_collectives(True)
    yield
    _core.debug_collectives(False)


def failure(call):
    """What is said of a launch, without the line that submitted it, and with # for numbers that depend on who is first."""
    with pytest.raises(sycl.KernelError) as error:
        call().wait_and_throw()
    words = str(error.value).splitlines()[0]
    words = re.sub(r"work-item [1-9]\d*", "work-item #", re.sub(r"in work-group \d+$", "in work-group #", words))
    return re.sub(r"(has|group:) [1-9]\d* in", r"\1 # in", words)


@pytest.mark.spec("D012", "D013", "D024", "D419")
def test_who_does_not_come(queue, checked):
    text = FLOW.replace(", int own, int odd)\n{", ")\n{ int own = get_local_id(0), odd = own % 2;")
    program = sycl.Program(text)
    where = sycl.NdRange(2 * N, N)
    for name, (call, line, what, begin) in TOGETHER.items():
        out = np.zeros(N, np.int32)
        queue.parallel_for(sycl.NdRange(N, N), getattr(program, name), out, 0)
        assert out[:2].tolist() == begin, name
        words = failure(lambda name=name, out=out: queue.parallel_for(where, getattr(program, name), out, 1))
        said = f"kernel '{name}': not all work-items of the group come to {call} in line {line} together: {what}"
        assert words.startswith(said) and words.endswith(", in work-group #"), words


@pytest.mark.spec("D014", "D019", "D075", "D417")
def test_arguments_that_are_not_the_same(device, queue, checked):
    program = sycl.Program(ARGUMENTS)
    data = np.arange(N, dtype=np.int32)
    for mode in range(12):
        out = np.zeros(16, np.int32)

        def launch(name="ranges" if mode in RANGES else "run", mode=mode, out=out):
            return queue.parallel_for(sycl.NdRange((1, N), (1, N)), program.kernel(name), data, out, mode)

        if mode == 0 or (mode == 8 and max(device.sub_group_sizes) == 1):
            launch().wait_and_throw()
            launch("ranges").wait_and_throw()
            assert out[:8].tolist() == [3, 2, 2, 7, 7, 10, 3, 3]
        else:
            name = "ranges" if mode in RANGES else "run"
            assert failure(launch) == f"kernel '{name}': {ALIKE[mode]}, in work-group (0, 0)"


@pytest.mark.spec("D149")
def test_sub_groups_that_go_apart(device, queue, checked):
    """Those of a device may, emulated ones may not, and of those with one item it does not matter."""
    text = """__kernel {} void run(__global int *out)
    {{
        if (sub_group_group_id() != 1)
            out[get_local_id(0)] = group_reduce(sub_group, 1, plus);
    }}
    __kernel void torn(__global int *out)
    {{
        if (get_local_id(0) % 2)
            out[get_local_id(0)] = group_reduce(sub_group, 1, plus);
    }}"""
    out = np.zeros(32, np.int32)
    size = 8 if 8 in device.sub_group_sizes else 32
    program = sycl.Program(text.format(f"sycl_reqd_sub_group_size({size})"))
    words = failure(lambda: queue.parallel_for(sycl.NdRange(32, 32), program.torn, out))
    assert words.startswith(
        "kernel 'torn': not all work-items of the group come to group_reduce in line 9 together: the cond"
    )
    if device._facts["sub_groups"] == 3:
        assert failure(lambda: queue.parallel_for(sycl.NdRange(32, 32), program.run, out)) == (
            "kernel 'run': not all work-items of the group come to group_reduce in line 4 together: the condition of 'if' "
            "in line 3 is false in work-item # and true in work-item 0, in work-group #"
        )
        program, size = sycl.Program(text.format("sycl_reqd_sub_group_size(1)")), 1
    queue.parallel_for(sycl.NdRange(32, 32), program.run, out)
    assert out.tolist() == [0 if size <= k < 2 * size else size for k in range(32)]


@pytest.mark.spec("D013")
def test_bodies(queue, checked):
    body = "int mine = local_id(0);\nif (mine < stop)\n    x[i] = group_reduce(work_group, x[i], plus);"
    x = np.ones(2 * N, np.int32)
    where = sycl.NdRange(2 * N, N)
    queue.parallel_for(where, body, x=x, stop=N)
    assert x.tolist() == [N] * (2 * N)
    words = failure(lambda: queue.parallel_for(where, body, x=x, stop=3))
    assert words.endswith(
        ": not all work-items of the group come to group_reduce in line 3 together: the condition of 'if' in line 2 is "
        "false in work-item # and true in work-item 0, in work-group #"
    )


def run(queue, text, out):
    queue.parallel_for(sycl.NdRange(N, N), sycl.Program(text).run, out).wait_and_throw()


def test_what_cannot_be_checked(queue, checked):
    text = (
        "#define SUM_IF(c, x) if (c) x = group_reduce(work_group, x, plus)\n"
        "__kernel void run(__global int *out) { int x = 1; SUM_IF(out[0] == 0, x); out[1 + get_local_id(0)] = x; }"
    )
    with pytest.warns(sycl.SyclWarning, match="a program is not checked: a macro of it has both group functions and"):
        run(queue, text, out := np.zeros(N + 1, np.int32))
    assert out.tolist() == [0] + [N] * N
