"""Sums and maxima as one writes them by hand, in several shapes: the roof that tests/bench/reduce.py holds bodies against.

Each kernel leaves a result for each group, 128 bytes apart, and nobody combines those: less work than a reduction has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pysycl as sycl

Call = Callable[[], object]
TYPES: dict[str, tuple[str, type[Any]]] = {
    "f32": ("float", np.float32),
    "f64": ("double", np.float64),
    "i32": ("int", np.int32),
    "i64": ("long", np.int64),
}
APART = 128
LANES = "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4) unroll(disable)"
PARAMETERS = "__global const T *x, __global uchar *out, ulong n, ulong run"

# One work-item a group: several vectors, or a loop over so many lanes that the compiler makes vectors of it.
VECTORS = """
__kernel void vectors{width}x{several}({parameters}) {{
    const ulong begin = get_global_id(0) * run, end = min(begin + run, n);
    ulong at = begin;
    T{width} {sums};
    for (; end - at >= {all}; at += {all}) {{ {loads} }}
    T each[{width}], one = NONE;
    vstore{width}({joined}, 0, each);
    for (uint k = 0; k < {width}; k++) one = JOIN(one, each[k]);
    for (; at < end; at++) one = JOIN(one, x[at]);
    *(__global T *)(out + get_global_id(0) * 128) = one;
}}
"""
RUNS = """
__kernel void lanes({parameters}) {{
    const ulong begin = get_global_id(0) * run, end = min(begin + run, n);
    ulong at = begin;
    T each[64], one = NONE;
    for (uint k = 0; k < 64; k++) each[k] = NONE;
    for (; end - at >= 64; at += 64) {{
{pragma}
        for (uint k = 0; k < 64; k++) each[k] = JOIN(each[k], x[at + k]);
    }}
    for (uint k = 0; k < 64; k++) one = JOIN(one, each[k]);
    for (; at < end; at++) one = JOIN(one, x[at]);
    *(__global T *)(out + get_global_id(0) * 128) = one;
}}
"""
# Many work-items a group, which take 16 bytes each, several times before they use them.
STRIDES = """
__kernel void strides{several}({parameters}) {{
    __local T all[1024];
    const ulong step = get_global_size(0), vectors = n / {width};
    const uint own = get_local_id(0);
    __global const T{width} *v = (__global const T{width} *)x;
    ulong at = get_global_id(0);
    T{width} {sums};
    for (; at + {last} * step < vectors; at += {several} * step) {{ {loads} }}
    for (; at < vectors; at += step) s0 = JOIN(s0, v[at]);
    T each[{width}], one = NONE;
    vstore{width}({joined}, 0, each);
    for (uint k = 0; k < {width}; k++) one = JOIN(one, each[k]);
    for (ulong rest = vectors * {width} + get_global_id(0); rest < n; rest += step) one = JOIN(one, x[rest]);
    all[own] = one;
    for (uint far = get_local_size(0) / 2; far > 0; far /= 2) {{
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own < far) all[own] = JOIN(all[own], all[own + far]);
    }}
    if (own == 0) *(__global T *)(out + get_group_id(0) * 128) = all[0];
}}
"""


def _folded(several: int) -> str:
    joined = "s0"
    for k in range(1, several):
        joined = f"JOIN({joined}, s{k})"
    return joined


def text_by_hand(kind: str, operation: str, shared: bool) -> str:
    """All shapes for one type and operation ("sum" or "max"), those that the sort of device is fast with."""
    name, dtype = TYPES[kind]
    size = np.dtype(dtype).itemsize
    none = "0" if operation == "sum" else "-INFINITY" if kind[0] == "f" else "INT_MIN" if kind == "i32" else "LONG_MIN"
    join = "((a) + (b))" if operation == "sum" else "max(a, b)"
    text = f"typedef {name} T;\n" + "".join(f"typedef {name}{w} T{w};\n" for w in (2, 4, 8, 16))
    text += f"#define NONE (T)({none})\n#define JOIN(a, b) {join}\n"
    if not shared:
        width = 16 // size
        for several in (1, 4, 8):
            sums = ", ".join(f"s{k} = (T{width})(NONE)" for k in range(several))
            loads = " ".join(f"const T{width} v{k} = v[at + {k} * step];" for k in range(several))
            loads += " ".join(f"s{k} = JOIN(s{k}, v{k});" for k in range(several))
            text += STRIDES.format(
                parameters=PARAMETERS, several=several, width=width, sums=sums, loads=loads, last=several - 1,
                joined=_folded(several),
            )  # fmt: skip
        return text
    for width, several in ((8, 4), (16, 2), (16, 4)):
        sums = ", ".join(f"s{k} = (T{width})(NONE)" for k in range(several))
        loads = " ".join(f"s{k} = JOIN(s{k}, vload{width}(0, x + at + {k * width}));" for k in range(several))
        text += VECTORS.format(
            parameters=PARAMETERS, width=width, several=several, all=width * several, sums=sums, loads=loads,
            joined=_folded(several),
        )  # fmt: skip
    return text + RUNS.format(parameters=PARAMETERS, pragma=LANES)


def launches_by_hand(
    queue: sycl.Queue, kind: str, operation: str, x: Any, n: int, shared: bool, expected: float
) -> Iterator[tuple[str, Call]]:
    """Prepared launches of all shapes with several numbers of groups, each seen to be right."""
    program = sycl.Program(text_by_hand(kind, operation, shared))
    dtype = TYPES[kind][1]
    units = queue.device.max_compute_units
    for name in program.kernel_names:
        for groups in (units, 4 * units, 16 * units):
            local = 1 if shared else 256
            run = (-(-n // groups) + 255) // 256 * 256 if shared else n
            count = -(-n // run) if shared else groups
            out = sycl.malloc_shared(APART * count, np.uint8, queue)
            given = (x, out, np.uint64(n), np.uint64(run))
            prepared = queue.kernel(sycl.NdRange((count * local,), (local,)), program.kernel(name), *given)
            prepared().wait()
            parts = np.asarray(out).view(dtype)[:: APART // np.dtype(dtype).itemsize]
            found = parts.sum(dtype=np.float64 if kind[0] == "f" else None) if operation == "sum" else parts.max()
            np.testing.assert_allclose(found, expected, rtol=1e-3, err_msg=f"{name} by hand")
            yield f"{name}, {count} groups", lambda prepared=prepared: prepared().wait()  # type: ignore[misc]
