"""Algorithms over ranges of memory, by one work-group, against loops that one would write by hand with group functions.

    python tests/bench/joint.py [RANGES [GROUPS [ROUNDS [FUNCTIONS]]]]

Each call of a kernel goes over one range of floats in global memory several times. Figures are nanoseconds for an element, by
the device's clock; "times as long" is a contender's time through the library's, round by round. NumPy's time on the same
array is there for orientation: it has one core as a group of a CPU has. Results are compared with NumPy's first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl

RANGES = (1, 16, 256, 4096, 65536, 1 << 20)
GROUPS = (32, 256, 1024)
TARGET_NS = 4e5  # of a launch: short, so that some are not interrupted where others work
B = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
RUN = "const uint each = (count + n - 1) / n, from = min(l * each, count), to = min(from + each, count);"

# By function: the library's call first. x: the range, y: where results go, count: its length, l and n: item and items.
BODIES = {
    "reduce": {
        "pysycl": "t = joint_reduce(work_group, x, x + count, plus);",
        "neighbours": "t = 0; for (uint i = l; i < count; i += n) t += x[i]; t = group_reduce(work_group, t, plus);",
        "runs": RUN + "t = 0; for (uint i = from; i < to; i++) t += x[i]; t = group_reduce(work_group, t, plus);",
        "one item": f"if (l == 0) {{ t = 0; for (uint i = 0; i < count; i++) t += x[i]; h[0] = t; }} {B} t = h[0];",
        "one item, vectors": "if (l == 0) { float16 a = 0, b = 0; uint i = 0; for (; i + 32 <= count; i += 32) "
        "{ a += vload16(0, x + i); b += vload16(1, x + i); } a += b; float8 c = a.lo + a.hi; float4 d = c.lo + c.hi; "
        f"t = d.x + d.y + d.z + d.w; for (; i < count; i++) t += x[i]; h[0] = t; }} {B} t = h[0];",
    },
    "inclusive_scan": {
        "pysycl": "joint_inclusive_scan(work_group, x, x + count, y, plus);",
        "tiles": f"float carry = 0; for (uint i = 0; i < count; i += n) {{ float v = i + l < count ? x[i + l] : 0; "
        f"v = group_inclusive_scan(work_group, v, plus) + carry; if (i + l < count) y[i + l] = v; "
        f"carry = group_broadcast(work_group, v, n - 1); }} {B}",
        "runs": RUN + "float v = 0; for (uint i = from; i < to; i++) v += x[i]; "
        f"v = group_exclusive_scan(work_group, v, plus); for (uint i = from; i < to; i++) y[i] = v += x[i]; {B}",
        "one item": f"if (l == 0) {{ float v = 0; for (uint i = 0; i < count; i++) y[i] = v += x[i]; }} {B}",
    },
    "any_of": {
        "pysycl": "t = joint_any_of(work_group, x, x + count, HUGE_ONE);",
        "neighbours": "int a = 0; for (uint i = l; i < count; i += n) a |= HUGE_ONE(x[i]); t = group_any_of(work_group, a);",
        "one item": f"if (l == 0) {{ int a = 0; for (uint i = 0; i < count; i++) a |= HUGE_ONE(x[i]); h[0] = a; }} {B} t = h[0];",
    },
    "copy": {
        "pysycl": "joint_copy(work_group, x, x + count, y);",
        "neighbours": f"for (uint i = l; i < count; i += n) y[i] = x[i]; {B}",
        "one item": f"if (l == 0) for (uint i = 0; i < count; i++) y[i] = x[i]; {B}",
    },
    "fill": {
        "pysycl": "joint_fill(work_group, y, y + count, (float)r);",
        "neighbours": f"for (uint i = l; i < count; i += n) y[i] = r; {B}",
        "one item": f"if (l == 0) for (uint i = 0; i < count; i++) y[i] = r; {B}",
    },
    "sort": {
        "pysycl": "joint_copy(work_group, x, x + count, y); joint_sort(work_group, y, y + count);",
    },
}
# Where the driver packs the items of a sub-group into vectors.
SUB_GROUP = (
    "if (get_sub_group_id() == 0) { const size_t m = get_sub_group_size(), lane = get_sub_group_local_id(), c = count;"
)
BY_SUB_GROUP = {
    "reduce": f"{SUB_GROUP} float a = 0, b = 0; size_t i = 0; for (; i + 2 * m <= c; i += 2 * m) "
    "{ a += x[i + lane]; b += x[i + m + lane]; } for (i += lane; i < c; i += m) a += x[i]; "
    f"a = sub_group_reduce_add(a + b); if (l == 0) h[0] = a; }} {B} t = h[0];",
    "inclusive_scan": f"{SUB_GROUP} float s = 0; for (size_t i = 0; i < c; i += m) {{ float v = i + lane < c ? x[i + lane] : 0; "
    f"v = sub_group_scan_inclusive_add(v) + s; if (i + lane < c) y[i + lane] = v; s = sub_group_broadcast(v, m - 1); }} }} {B}",
    "copy": f"{SUB_GROUP} for (size_t i = lane; i < c; i += m) y[i] = x[i]; }} {B}",
    "fill": f"{SUB_GROUP} for (size_t i = lane; i < c; i += m) y[i] = r; }} {B}",
}
NUMPY: dict[str, Callable[[np.ndarray, np.ndarray], object]] = {
    "reduce": lambda x, y: y.__setitem__(0, x.sum(dtype=np.float32)),
    "inclusive_scan": lambda x, y: np.cumsum(x, out=y),
    "any_of": lambda x, y: (x > 1e30).any(),
    "copy": lambda x, y: np.copyto(y, x),
    "fill": lambda x, y: y.fill(7),
    "sort": lambda x, y: y.__setitem__(slice(None), np.sort(x)),
}


def program(body: str, n: int) -> sycl.Program:
    options = ["-cl-std=CL3.0"] if "get_sub_group" in body else []
    return sycl.Program(
        f"""
    #define HUGE_ONE(v) ((v) > 1e30f)
    #define RESULT {int("t = " in body)}
    __kernel __attribute__((reqd_work_group_size({n}, 1, 1)))
    void run(__global const float *x, __global float *y, uint count, int rounds)
    {{
        __local float h[1];
        const uint l = get_local_id(0), n = {n};
        float t = 0, w = 0; /* all items need a result, as a group function promises it */
        for (int r = rounds - 1; r >= 0; r--) {{
            {{ {body} }}
            w += t;
            {B}
        }}
        if (l == 0 && RESULT)
            y[0] = w < 0 ? w : t;
    }}
    """,
        options,
    )


def expected(function: str, x: np.ndarray, before: np.ndarray) -> np.ndarray:
    y = before.copy()
    NUMPY[function](x, y)
    if function == "fill":
        y[:] = 0  # the last round's
    return y


def check(what: str, got: np.ndarray, want: np.ndarray) -> None:
    if not np.allclose(got, want, rtol=1e-3, atol=1e-3):
        print(f"WRONG: {what}: {got[:4]} for {want[:4]}\n")


def measure(queue: sycl.Queue, function: str, count: int, n: int, turns: int) -> list[list[str]]:
    x = np.random.default_rng(1).permutation(count).astype(np.float32) / np.float32(count)
    before = np.zeros(count, np.float32)
    source, target = sycl.malloc_device(count, np.float32, queue), sycl.malloc_device(count, np.float32, queue)
    queue.memcpy(source, x).wait()
    spent = {"seconds": 0.0, "rounds": 1}

    def caller(made: sycl.Program) -> Callable[[int], None]:
        def run(times: int) -> None:
            for _ in range(times):
                event = queue.parallel_for(sycl.NdRange((n,), (n,)), made.run, source, target, count, spent["rounds"])
                event.wait()
                spent["seconds"] += (event.profiling.end - event.profiling.start) * 1e-9

        return run

    contenders = []
    bodies = dict(BODIES[function])
    if queue.device._facts["sub_groups"] == 1 and function in BY_SUB_GROUP:
        bodies["first sub-group"] = BY_SUB_GROUP[function]
    for name, body in bodies.items():
        made = program(body, n)
        got = before.copy()
        queue.memcpy(target, got)
        caller(made)(1)
        queue.memcpy(got, target)
        check(f"{function} {count} {n} {name}", got, expected(function, x, before))
        contenders.append(Contender(name, caller(made)))
    own = contenders[0]
    for _ in range(2):
        start = spent["seconds"]
        own.run(1)
        spent["rounds"] = int(min(20000, max(1, spent["rounds"] * TARGET_NS * 1e-9 / (spent["seconds"] - start))))
    take_turns(contenders, turns, 1, lambda: spent["seconds"])
    host = before.copy()
    numpy = Contender("NumPy", lambda times: [NUMPY[function](x, host) for _ in range(times)])
    take_turns([numpy], turns, max(1, int(2e6 / (count + 1000))))
    sycl.free(source, queue)
    sycl.free(target, queue)
    rounds = int(spent["rounds"])
    rows = [
        [
            f"{function} {count}, group {n}",
            each.name,
            f"{each.least * 1e9 / rounds / count:.3f}",
            f"{ratio(each, own):.2f}",
            f"{each.least / own.least:.2f}",
        ]
        for each in contenders
    ]
    rate = numpy.least * 1e9 / count
    return [*rows, [f"{function} {count}", "NumPy", f"{rate:.3f}", "", f"{numpy.least * rounds / own.least:.2f}"]]


def main() -> None:
    def numbers(at: int, default: tuple[int, ...]) -> list[int]:
        return [int(word) for word in sys.argv[at].split(",")] if len(sys.argv) > at else list(default)

    functions = sys.argv[4].split(",") if len(sys.argv) > 4 else list(BODIES)
    queue = sycl.Queue(enable_profiling=True)
    device = queue.device
    print_machine(
        "Ranges of memory, by one group",
        f"driver  : {device.platform.name} {device.platform.version}, {device.name}; facts: {device._facts['row']}",
    )
    for function in functions:
        rows = []
        for n in numbers(2, GROUPS):
            for count in numbers(1, RANGES):
                rows += measure(queue, function, count, n, numbers(3, (11,))[0])
        print_table(["call", "contender", "ns/element", "times as long", "best rounds"], rows)


if __name__ == "__main__":
    main()
