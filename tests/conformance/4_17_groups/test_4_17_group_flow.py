"""SYCL 2020 4.17.3: group functions in helpers, branches and loops that all items of a group take together."""

import numpy as np
import pytest

import pysycl as sycl

# No blank behind some brackets: what the core puts there must not run into what stands there.
TEXT = """
int part(int x, int mode)
{
    if (mode == 0)
        return group_reduce(work_group, x, plus);
    return x + group_broadcast(work_group, x, mode);
}
__kernel void branches(__global int *out, int n)
{out[get_global_id(0)] = part(get_global_id(0) % 7, n);}
int until(int x, int stop)
{int sum = 0;
    for (int k = 0; k < 10; k++) {
        if (k % 2) continue;
        int all = group_reduce(work_group, x + k, plus);
        if (all > stop) break;
        sum += all;
    }
    return sum;
}
__kernel void loops(__global int *out, int n)
{out[get_global_id(0)] = until(get_global_id(0) % 7, n);}
__kernel void nested(__global int *out, int n)
{int x = get_global_id(0) % 7, sum = 0;
    while (true) {
        do {
            sum += group_broadcast(work_group, x + n, n);
        } while (--n > 3);
        if (n < 2) break;
        n--;
    }
    out[get_global_id(0)] = sum;
}
"""
# Group functions that others decide on: a kernel for each, since PoCL's compiler copies what follows them.
ANY, SUM = "group_any_of(work_group, x == {})", "group_reduce(work_group, x, plus)"
DECIDED = {
    "both": f"r = {ANY.format(2)} && {ANY.format(5)} && !{ANY.format(6)};",
    "either": f"r = {ANY.format(6)} || group_none_of(work_group, x == 1) || group_inclusive_scan(work_group, x, plus) > 40;",
    "choice": f"r = {ANY.format(6)} ? {SUM} : group_exclusive_scan(work_group, x, maximum) + 100;",
    "condition": f"if ({SUM} > 40 && group_broadcast(work_group, x, n - 1) > 2) r = {SUM}; else r = -1;",
    "repeated": f"while ({ANY.format(3)} && {SUM} > 10) {{ x--; r++; }}",
    "counted": f"for (int k = 0; k < 4 && ({ANY.format(6)} || {SUM} > 60); k++) r += x--;",
    "once": f"do r += x--; while ({ANY.format(4)} || {ANY.format(5)});",
    "given": f"r = group_reduce(work_group, {SUM} > 60 ? group_inclusive_scan(work_group, x, plus) : x, maximum);",
    "initial": f"int a[2] = {{{ANY.format(6)} && {ANY.format(1)}, {ANY.format(6)} || {ANY.format(1)}}}; r = a[0] + 2 * a[1];",
    "helpers": "r = decides(x, 6) && decides(x, 1) ? 1 : decides(x, 4) ? 2 : 3;",
    "called": f"r = n > 5 && group_any_of(work_group, {ANY.format(6)} && x == 2);",
}
DECIDING = "int decides(int x, int k) {{ return {} && {} > 40; }}\n".format(ANY.format("k"), SUM) + "".join(
    f"__kernel void {name}(__global const int *data, __global int *out)\n{{ const size_t i = get_global_id(0);\n"
    f"int n = local_range(0), x = data[i], r = 0;\n{text}\nout[i] = r; }}\n"
    for name, text in DECIDED.items()
)
ITEMS, GROUPS = 24, 2
X = (np.arange(ITEMS * GROUPS) % 7).reshape(GROUPS, ITEMS)


def part(x, mode):
    return np.full(ITEMS, x.sum()) if mode == 0 else x + x[mode]


def until(x, stop):
    total = 0
    for k in range(0, 10, 2):
        if (x + k).sum() > stop:
            break
        total += (x + k).sum()
    return np.full(ITEMS, total)


def nested(x, n):
    total, more = 0, True
    while more:
        total += x[n] + n
        n -= 1
        if n <= 3:
            more = n >= 2
            n -= more
    return np.full(ITEMS, total)


def decided(x):
    """What each of them gives for a group."""
    much, six, before = x.sum() > 40, 6 in x, np.maximum.accumulate(np.append(-(2**31), x[:-1]))
    out = {
        "both": 2 in x and 5 in x and not six,
        "either": six or 1 not in x or x.cumsum() > 40,
        "choice": x.sum() if six else before + 100,
        "condition": x.sum() if much and x[-1] > 2 else -1,
        "given": x.sum() if x.sum() > 60 else x.max(),
        "initial": (six and 1 in x) + 2 * (six or 1 in x),
        "helpers": 1 if six and 1 in x and much else 2 if 4 in x and much else 3,
        "called": six and 2 in x,
        "repeated": 0,
        "counted": 0 * x,
        "once": 0 * x,
    }
    y = x.copy()
    while 3 in y and y.sum() > 10:
        out["repeated"], y = out["repeated"] + 1, y - 1
    y = x.copy()
    for _ in range(4):
        if 6 not in y and y.sum() <= 60:
            break
        out["counted"], y = out["counted"] + y, y - 1
    y = x.copy()
    while True:
        out["once"], y = out["once"] + y, y - 1
        if 4 not in y and 5 not in y:
            break
    return out


@pytest.mark.spec("D012", "D013", "D431")
def test_group_functions_that_decide_on_others(queue):
    """Operators that leave out what is behind them, in every place of a statement, as the whole group decides."""
    x = np.stack([np.arange(ITEMS) % 7, np.arange(ITEMS) % 3, np.arange(ITEMS) % 4 + 3, np.arange(ITEMS) % 6, X[1]])
    program, x = sycl.Program(DECIDING), x.astype(np.int32)
    for name in DECIDED:
        out = np.zeros(x.shape, np.int32)
        queue.parallel_for(sycl.NdRange(x.size, ITEMS), program.kernel(name), x.ravel(), out.ravel()).wait_and_throw()
        expected = [np.broadcast_to(decided(group)[name], ITEMS) for group in x]
        assert np.array_equal(out, expected), (name, out[:, :8].tolist())


@pytest.mark.spec("D012", "D013", "D431")
def test_uniform_control_flow(queue):
    program = sycl.Program(TEXT)
    for kernel, model, modes in (
        (program.branches, part, (0, 1, 20)),
        (program.loops, until, (0, 80, 130, 10000)),
        (program.nested, nested, (1, 2, 5, 9)),
    ):
        for mode in modes:
            out = np.zeros((GROUPS, ITEMS), np.int32)
            queue.parallel_for(sycl.NdRange(out.size, ITEMS), kernel, out.reshape(-1), mode).wait_and_throw()
            assert np.array_equal(out, [model(x, mode) for x in X]), (kernel, mode)
