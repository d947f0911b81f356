"""Group functions inside a kernel against what one would write by hand, the driver's own, and CUB on an NVIDIA device.

    python tests/bench/group_functions.py [SIZES [ROUNDS [FUNCTIONS [TYPES [GROUPS]]]]]

A kernel is a loop in which each value depends on the result before it: `x = x/2 + result/(4n) + 1`, or for integers
`x = x/2 ^ result`. All items need the result, as a group function promises it; CUB's reduction gives it to one, so its
kernel hands it on through shared memory, which "one needs it" leaves out. A CPU gets one group (the pool does not matter),
a GPU as many as keep it full, or GROUPS for each compute unit. Figures are nanoseconds of one compute unit for a call by one
group, by the device's clock; "times as long" is a contender's time through the library's, round by round. Results are compared
with the library's first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated, take_turns

import pysycl as sycl

SIZES = (32, 64, 128, 256, 512, 1024)
FUNCTIONS = {
    "reduce": "group_reduce(work_group, x, plus)",
    "inclusive_scan": "group_inclusive_scan(work_group, x, plus)",
    "exclusive_scan": "group_exclusive_scan(work_group, x, plus)",
    "broadcast": "group_broadcast(work_group, x, 3)",
    "any_of": "group_any_of(work_group, VOTE)",
}
NEXT = {"float": "x * 0.5f + t * weight + 1.0f", "int": "(x >> 1) ^ t"}
CONSTRAINTS = {"float": '"f"', "int": '"r"'}
TARGET_NS = 4e6  # of one launch
B = "barrier(CLK_LOCAL_MEM_FENCE);"
MEMORY = "__local T s[1024] __attribute__((aligned(128))); __local T h[32] __attribute__((aligned(128)));"

# By hand, n items of which this is number l: x is the value, t becomes the result. T is the type.
VECTOR_SUM = """__local T16 *v = (__local T16 *)s; T16 a = 0; for (uint k = 0; k < n / 16; k++) a += v[k];
    T8 b = a.lo + a.hi; T4 c = b.lo + b.hi; h[0] = c.x + c.y + c.z + c.w;"""
VECTOR_SCAN = """__local T16 *v = (__local T16 *)s; T c = 0; for (uint k = 0; k < n / 16; k++) {
    T16 a = v[k]; {steps} v[k] = a + c; c += a.sf; }""".replace(
    "{steps}",
    " ".join(
        f"a += (T16)({', '.join('0' if lane < far else f'a.s{lane - far:x}' for lane in range(16))});"
        for far in (1, 2, 4, 8)
    ),
)
INCLUSIVE = {
    "doubling steps": f"t = x; for (uint k = 1; k < n; k *= 2) {{ s[l] = t; {B} if (l >= k) t += s[l - k]; {B} }}",
    "leader": f"s[l] = x; {B} if (l == 0) for (uint k = 1; k < n; k++) s[k] += s[k - 1]; {B} t = s[l]; {B}",
    "leader, vectors": f"s[l] = x; {B} if (l == 0) {{ {VECTOR_SCAN} }} {B} t = s[l]; {B}",
}
BY_HAND = {
    "reduce": {
        "tree": f"s[l] = x; {B} for (uint k = n / 2; k > 0; k /= 2) {{ if (l < k) s[l] += s[l + k]; {B} }} t = s[0]; {B}",
        "leader": f"s[l] = x; {B} if (l == 0) {{ T a = x; for (uint k = 1; k < n; k++) a += s[k]; h[0] = a; }} {B} t = h[0];",
        "leader, vectors": f"s[l] = x; {B} if (l == 0) {{ {VECTOR_SUM} }} {B} t = h[0];",
    },
    "inclusive_scan": INCLUSIVE,
    "exclusive_scan": {
        "doubling steps": INCLUSIVE["doubling steps"] + f" s[l] = t; {B} t = l > 0 ? s[l - 1] : 0; {B}",
        "leader": INCLUSIVE["leader"].replace("t = s[l];", "t = l > 0 ? s[l - 1] : 0;"),
        "leader, vectors": INCLUSIVE["leader, vectors"].replace("t = s[l];", "t = l > 0 ? s[l - 1] : 0;"),
    },
    "broadcast": {"local memory": f"if (l == 3) h[0] = x; {B} t = h[0]; {B}"},
    "any_of": {
        "flag": f"if (l == 0) h[0] = 0; {B} if (VOTE) h[0] = 1; {B} t = h[0]; {B}",
        "leader": f"__local uchar *f = (__local uchar *)s; f[l] = VOTE; {B} if (l == 0) {{ uchar a = 0; "
        f"for (uint k = 0; k < n; k++) a |= f[k]; f[1024] = a; }} {B} t = f[1024];",
    },
}
NATIVE = {
    "reduce": "t = work_group_reduce_add(x);",
    "inclusive_scan": "t = work_group_scan_inclusive_add(x);",
    "exclusive_scan": "t = work_group_scan_exclusive_add(x);",
    "broadcast": "t = work_group_broadcast(x, 3);",
    "any_of": "t = work_group_any(VOTE);",
}

# On NVIDIA: warps by PTX, then their results. `turn` alternates between two places, which saves a barrier.
PTX = """
#define MOVE(name, way, last) static inline T name(T x, uint far) { T y; \\
    __asm__ volatile("shfl.sync." way ".b32 %0, %1, %2, " last ", -1;" : "=" CONSTRAINT(y) : CONSTRAINT(x), "r"(far)); \\
    return y; }
MOVE(down, "down", "31")
MOVE(up, "up", "0")
MOVE(at, "idx", "31")
static inline T sum_up(T x, uint far) { __asm__ volatile("{ .reg .PTXTYPE r; .reg .pred p; "
    "shfl.sync.up.b32 r|p, %0, %1, 0, -1; @p add.PTXTYPE %0, r, %0; }" : "+" CONSTRAINT(x) : "r"(far)); return x; }
static inline int redux(int x) { int y; __asm__ volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(y) : "r"(x)); return y; }
static inline uint bar_or(uint x) { uint y; __asm__ volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; "
    "bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(y) : "r"(x) : "memory"); return y; }
"""
WARPS = "const uint lane = l % 32, warp = l / 32; T w = x;"
TURN = "turn ^= 32; __local T *p = h2 + turn;"
SUM_UP = "w = sum_up(w, 1); w = sum_up(w, 2); w = sum_up(w, 4); w = sum_up(w, 8); w = sum_up(w, 16);"


def warp_sum(kind: str, name: str) -> str:
    """Of a variable, in the first lane."""
    if kind == "int":
        return f"{name} = redux({name});"
    return " ".join(f"{name} += down({name}, {far});" for far in (16, 8, 4, 2, 1))


def ptx_reductions(kind: str, n: int) -> dict[str, str]:
    warps = n // 32
    head, one = f"{WARPS} {warp_sum(kind, 'w')}", "if (lane == 0) p[warp] = w;"
    if n <= 32:
        return {"one warp": f"{head} t = at(w, 0);"}
    every = "t = p[0];" + "".join(f" t += p[{k}];" for k in range(1, warps))
    lanes = f"t = lane < {warps} ? p[lane] : 0; {warp_sum(kind, 't')}"
    through = "w = s[lane];" + "".join(f" w += s[lane + {32 * k}];" for k in range(1, warps))
    first = f"if (warp == 0) {{ {lanes} if (lane == 0) h[0] = t; }} {B} t = h[0];"
    return {
        "every item adds up the warps": f"{head} {TURN} {one} {B} {every}",
        "every warp adds up the warps": f"{head} {TURN} {one} {B} {lanes} t = at(t, 0);",
        "one warp adds up the warps": f"{head} __local T *p = h2; {one} {B} {first}",
        "one warp adds up the items": f"{WARPS} s[l] = x; {B} if (warp == 0) {{ {through} {warp_sum(kind, 'w')}"
        f" if (lane == 0) h[0] = w; }} {B} t = h[0];",
    }


def ptx_scans(kind: str, n: int, exclusive: bool) -> dict[str, str]:
    warps = n // 32
    head, last = f"{WARPS} {SUM_UP}", "if (lane == 31) p[warp] = w;"
    own = "w = up(w, 1); if (lane == 0) w = 0;" if exclusive else ""
    if n <= 32:
        return {"one warp": f"{head} {own} t = w;"}
    every = "T z = 0; " + " ".join(f"{{ T y = p[{k}]; if (warp > {k}) z += y; }}" for k in range(warps - 1))
    lanes = f"T z = lane < warp ? p[lane] : 0; {warp_sum(kind, 'z')} z = at(z, 0);"
    scan = f"if (warp == 0) {{ T keep = w; w = p[lane & {warps - 1}]; {SUM_UP} h[lane] = w; w = keep; }} {B}"
    return {
        "every item adds up the warps": f"{head} {TURN} {last} {B} {every} {own} t = z + w;",
        "every warp adds up the warps": f"{head} {TURN} {last} {B} {lanes} {own} t = z + w;",
        "one warp scans the warps": f"{head} __local T *p = h2; {last} {B} {scan} {own} t = warp > 0 ? h[warp - 1] + w : w;",
    }


def by_ptx(function: str, kind: str, n: int) -> dict[str, str]:
    if function == "any_of":
        return {"bar.red": "t = bar_or(VOTE);"}
    if function == "broadcast":
        return {"two places": f"{TURN} if (l == 3) p[0] = x; {B} t = p[0];"}
    return ptx_reductions(kind, n) if function == "reduce" else ptx_scans(kind, n, function == "exclusive_scan")


CUB = """
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
template <class T> __device__ T next(T x, T t, float weight);
template <> __device__ float next(float x, float t, float weight) { return x * 0.5f + t * weight + 1.0f; }
template <> __device__ int next(int x, int t, float) { return (x >> 1) ^ t; }
#define KERNEL(name, T, n, storage, body) extern "C" __global__ void __launch_bounds__(n) name##_##T##_##n(T *data, int rounds) \\
{ __shared__ storage; const float weight = 0.25f / n; const unsigned i = blockIdx.x * n + threadIdx.x; T x = data[i]; \\
  for (int r = 0; r < rounds; r++) { T t; body x = next<T>(x, t, weight); } data[i] = x; }
#define REDUCE(T, n, how, name) \\
    KERNEL(name, T, n, typename COMMA(cub::BlockReduce<T, n, how>::TempStorage memory; __shared__ T all), \\
    COMMA(t = cub::BlockReduce<T, n, how>(memory).Sum(x); if (threadIdx.x == 0) all = t; __syncthreads(); t = all;)) \\
    KERNEL(name##_one, T, n, typename COMMA(cub::BlockReduce<T, n, how>::TempStorage memory), \\
    COMMA(t = cub::BlockReduce<T, n, how>(memory).Sum(x); if (threadIdx.x != 0) t = x; __syncthreads();))
#define SCAN(T, n, how, name, Way) KERNEL(name, T, n, typename COMMA(cub::BlockScan<T, n, how>::TempStorage memory), \\
    COMMA(cub::BlockScan<T, n, how>(memory).Way(x, t); __syncthreads();))
#define COMMA(...) __VA_ARGS__
#define ALL(T, n) REDUCE(T, n, cub::BLOCK_REDUCE_WARP_REDUCTIONS, reduce_warps) \\
    REDUCE(T, n, cub::BLOCK_REDUCE_RAKING, reduce_raking) \\
    SCAN(T, n, cub::BLOCK_SCAN_WARP_SCANS, inclusive_scan_warps, InclusiveSum) \\
    SCAN(T, n, cub::BLOCK_SCAN_RAKING, inclusive_scan_raking, InclusiveSum) \\
    SCAN(T, n, cub::BLOCK_SCAN_WARP_SCANS, exclusive_scan_warps, ExclusiveSum) \\
    SCAN(T, n, cub::BLOCK_SCAN_RAKING, exclusive_scan_raking, ExclusiveSum)
"""


class Geometry:
    """Groups of a launch, and what its time means: ns of one compute unit for a call by one group."""

    def __init__(self, device: sycl.Device, n: int, per_unit: int) -> None:
        gpu = not device._facts["shares_host_memory"]
        self.n, self.units = n, device.max_compute_units if gpu else 1
        self.groups = self.units * (per_unit or (max(1, 2048 // n) if gpu else 1))
        self.rounds = 20

    def ns(self, seconds: float) -> float:
        return seconds * 1e9 / self.rounds * self.units / self.groups


def text_of(kind: str, body: str, fixed: int, front: str = "", memory: str = MEMORY) -> str:
    """The kernel; `fixed`: its size of group is an attribute, as CUB's is a parameter."""
    required = f"__attribute__((reqd_work_group_size({fixed}, 1, 1)))" if fixed else ""
    text = f"""#define VOTE ((((uint)l ^ (uint)r) & 31) == 7)
    {front}
    __kernel {required} void run(__global T *data, int rounds)
    {{
        {memory}
        const uint n = {fixed or "get_local_size(0)"}, l = get_local_id(0);
        const float weight = 0.25f / n;
        T x = data[get_global_id(0)];
        for (int r = 0; r < rounds; r++) {{
            T t;
            {{ {body} }}
            x = {NEXT[kind]};
        }}
        data[get_global_id(0)] = x;
    }}
    """
    return (
        re.sub(r"\bT(\d*)\b", rf"{kind}\1", text)
        .replace("CONSTRAINT", CONSTRAINTS[kind])
        .replace("PTXTYPE", "f32" if kind == "float" else "s32")
    )


def programs(device: sycl.Device, function: str, kind: str, fixed: int) -> dict[str, sycl.Program]:
    """The library first."""
    facts = device._facts
    own = f"t = {FUNCTIONS[function]};"
    texts = {"pysycl": (text_of(kind, own, 0, memory=""), [])}
    if fixed:
        texts["pysycl, size required"] = (text_of(kind, own, fixed, memory=""), [])
    for name, body in BY_HAND[function].items():
        texts[name] = (text_of(kind, body, fixed), [])
    if facts["sub_groups"] == 2:
        two = MEMORY + " __local T h2[64] __attribute__((aligned(128))); uint turn = 0;"
        for name, body in by_ptx(function, kind, fixed).items():
            texts[name] = (text_of(kind, body, fixed, PTX, two), [])
    if facts["sub_groups"] == 1:
        texts["driver's own"] = (text_of(kind, NATIVE[function], fixed), ["-cl-std=CL3.0"])
    return {name: sycl.Program(text, options) for name, (text, options) in texts.items()}


def dtype_of(kind: str) -> type:
    return np.float32 if kind == "float" else np.int32


def start_of(geometry: Geometry, kind: str) -> np.ndarray:
    return (np.arange(geometry.n * geometry.groups) % 61 + 1).astype(dtype_of(kind))


def result(queue: sycl.Queue, program: sycl.Program, geometry: Geometry, kind: str) -> np.ndarray:
    data = start_of(geometry, kind)
    queue.parallel_for(sycl.NdRange((data.size,), (geometry.n,)), program.run, data, 7).wait()
    return data


class Watch:
    """The devices' own clocks: seconds that kernels took so far."""

    seconds = 0.0


def by_pysycl(queue: sycl.Queue, program: sycl.Program, g: Geometry, memory: sycl.UsmArray) -> Callable[[], object]:
    def call() -> None:
        event = queue.parallel_for(sycl.NdRange((g.n * g.groups,), (g.n,)), program.run, memory, g.rounds)
        event.wait()
        Watch.seconds += (event.profiling.end - event.profiling.start) * 1e-9

    return call


def calibrate(call: Callable[[], object], geometry: Geometry) -> None:
    """As many rounds as make a launch long."""
    call()
    for _ in range(2):
        before = Watch.seconds
        for _ in range(3):
            call()
        geometry.rounds = int(min(50000, max(20, geometry.rounds * 3e-9 * TARGET_NS / (Watch.seconds - before))))


def cub_module(sizes: list[int], kinds: list[str]) -> Any:
    """None where there is no CuPy, or no CUB for it."""
    try:
        import cupy

        text = CUB + "\n".join(f"ALL({kind}, {n})" for kind in kinds for n in sizes)
        module = cupy.RawModule(code=text, backend="nvcc", options=("-std=c++17",))
        module.compile()
    except Exception as error:
        print(f"no CUB: {type(error).__name__}: {str(error)[:300]}\n")
        return None
    return module


def by_cub(module: Any, function: str, kind: str, geometry: Geometry) -> dict[str, tuple[Any, Callable[[], object]]]:
    """Contenders by name, each with its kernel."""
    import cupy

    memory = cupy.asarray(start_of(geometry, kind))
    found = {}
    for how in ("warps", "raking", *(("warps_one", "raking_one") if function == "reduce" else ())):
        kernel = module.get_function(f"{function}_{how}_{kind}_{geometry.n}")

        def call(kernel: Any = kernel) -> None:
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((geometry.groups,), (geometry.n,), (memory, np.int32(geometry.rounds)))
            end.record()
            end.synchronize()
            Watch.seconds += cupy.cuda.get_elapsed_time(begin, end) * 1e-3

        found[f"CUB, {how.replace('_one', ', one needs it')}"] = (kernel, call)
    return found


def check(name: str, got: np.ndarray, expected: np.ndarray) -> None:
    close = np.array_equal(got, expected) if got.dtype.kind == "i" else np.allclose(got, expected, rtol=1e-4)
    if not close:
        print(f"WRONG: {name}: {got[:4]} for {expected[:4]}\n")


def measure(
    queue: sycl.Queue, module: Any, function: str, kind: str, geometry: Geometry, rounds: int
) -> list[list[str]]:
    n = geometry.n
    made = programs(queue.device, function, kind, n)
    memory = sycl.malloc_device(n * geometry.groups, dtype_of(kind), queue)
    queue.memcpy(memory, start_of(geometry, kind)).wait()
    expected = None
    contenders = []
    for name, program in made.items():
        try:
            got = result(queue, program, geometry, kind)
        except sycl.NdRangeError as error:  # more than the driver allows where no size is required
            print(f"{name}: {error}")
            continue
        expected = got if expected is None else expected
        check(f"{function} {kind} {n} {name}", got, expected)
        contenders.append(Contender(name, repeated(by_pysycl(queue, program, geometry, memory))))
    if module is not None and function in ("reduce", "inclusive_scan", "exclusive_scan"):
        import cupy

        for name, (kernel, call) in by_cub(module, function, kind, geometry).items():
            data = cupy.asarray(start_of(geometry, kind))
            kernel((geometry.groups,), (n,), (data, np.int32(7)))
            if "one" not in name and expected is not None:
                check(f"{function} {kind} {n} {name}", cupy.asnumpy(data), np.asarray(expected))
            contenders.append(Contender(name, repeated(call)))
    calibrate(by_pysycl(queue, made["pysycl, size required"], geometry, memory), geometry)
    take_turns(contenders, rounds, 1, lambda: Watch.seconds)
    sycl.free(memory, queue)
    own = next(each for each in contenders if each.name == "pysycl, size required")
    return [
        [
            f"{function} {kind} {n}",
            each.name,
            f"{geometry.ns(each.least):.1f}",
            f"{ratio(each, own):.2f}",
            f"{each.least / own.least:.2f}",
        ]
        for each in contenders
    ]


def main() -> None:
    def argument(at: int, default: str) -> list[str]:
        return (sys.argv[at] if len(sys.argv) > at else default).split(",")

    sizes = [int(n) for n in argument(1, ",".join(map(str, SIZES)))]
    rounds = int(argument(2, "15")[0])
    functions, kinds = argument(3, ",".join(FUNCTIONS)), argument(4, "float,int")
    per_unit = int(argument(5, "0")[0])
    queue = sycl.Queue(enable_profiling=True)
    device = queue.device
    print_machine(
        "Group functions inside a kernel",
        f"driver  : {device.platform.name} {device.platform.version}, {device.name}; facts: {device._facts['row']}",
    )
    module = cub_module(sizes, kinds) if device._facts["sub_groups"] == 2 else None
    for function in functions:
        for kind in kinds:
            geometries = [Geometry(device, n, per_unit) for n in sizes]
            rows = [row for each in geometries for row in measure(queue, module, function, kind, each, rounds)]
            print_table(["call", "contender", "ns", "times as long", "best rounds"], rows)


if __name__ == "__main__":
    main()
