"""SYCL 2020 4.17.2: scans and reductions of ranges that are long enough to go in vectors begin with the operator's identity.

A 0 in its place would show: maxima are of negative numbers, minima of positive ones, products and conjunctions are not 0.
"""

import numpy as np
import pytest

import pysycl as sycl

LENGTHS = (0, 1, 63, 64, 65, 79, 200)
UFUNCS = {"multiplies": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "bit_and": np.bitwise_and}
CASES = (
    *((np.int32, "int", op) for op in ("multiplies", "maximum", "bit_and")),
    (np.float32, "float", "minimum"),
    (np.uint8, "uchar", "minimum"),
)


def values(dtype, op, n):
    numbers = np.random.default_rng(n).integers(1, 100, n)
    if op == "maximum":
        numbers = -numbers
    elif op == "multiplies":  # so that no product becomes 0
        numbers = 2 * numbers + 1
    elif op == "bit_and":  # which loses a bit now and then
        numbers = ~(np.int64(1) << (numbers % 30)) * (numbers % 9 == 0) - (numbers % 9 != 0)
    return numbers.astype(dtype)


def identity(dtype, op):
    high = np.inf if dtype == np.float32 else np.iinfo(dtype).max
    return dtype({"multiplies": 1, "minimum": high, "maximum": -(2**31), "bit_and": -1}[op])


def text(c_type, op):
    """Four scans one behind the other, and two reductions."""
    return f"""
    __kernel void run(__global const {c_type} *x, __global {c_type} *y, int n, {c_type} init)
    {{
        joint_inclusive_scan(work_group, x, x + n, y, {op});
        joint_exclusive_scan(work_group, x, x + n, y + n, {op});
        joint_inclusive_scan(work_group, x, x + n, y + 2 * n, {op}, init);
        joint_exclusive_scan(work_group, x, x + n, y + 3 * n, init, {op});
        y[4 * n] = joint_reduce(work_group, x, x + n, {op});
        y[4 * n + 1] = joint_reduce(work_group, x, x + n, init, {op});
    }}"""


@pytest.mark.spec("D412", "D414", "D415", "D416", "D418")
@pytest.mark.parametrize(("dtype", "c_type", "op"), CASES, ids=[f"{c} {op}" for _, c, op in CASES])
def test_ranges_begin_with_the_identity(queue, dtype, c_type, op):
    program = sycl.Program(text(c_type, op))
    for n in LENGTHS:
        x, out = values(dtype, op, n), np.zeros(4 * n + 2, dtype)
        init, none = values(dtype, op, 8)[-1], identity(dtype, op)
        queue.parallel_for(sycl.NdRange(8, 8), program.run, x, out, n, init)
        with np.errstate(over="ignore"):
            whole = UFUNCS[op].accumulate(np.concatenate([[none], x]), dtype=dtype)
            more = UFUNCS[op].accumulate(np.concatenate([[init], x]), dtype=dtype)
        expected = np.concatenate([whole[1:], whole[:-1], more[1:], more[:-1], whole[-1:], more[-1:]])
        assert out.tolist() == expected.tolist(), n
