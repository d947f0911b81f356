"""The local memory that group functions need: arranged for kernels and helpers, shown in queries, held against limits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = """
int total(int a);
#define MAKE(T) T top_##T(T a) { return group_reduce(work_group, a, maximum); }
MAKE(int)
MAKE(float)
#define APPLY(f, x) f(x)
kernel void helped(global int *x)
{
    size_t i = get_global_id(0);
    x[i] = total(x[i]) + APPLY(top_int, (int)i) + (int)top_float(x[i]);
}
int total(int a) { return group_reduce(work_group, a, plus); }
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void small(global int *x)
{
    x[get_global_id(0)] = group_exclusive_scan(work_group, x[get_global_id(0)], plus);
}
kernel void plain(global int *x) { x[get_global_id(0)] = 1; }
"""


@pytest.fixture(scope="module")
def program() -> sycl.Program:
    return sycl.Program(PROGRAM)


def run(queue: sycl.Queue, kernel: Any, items: int) -> np.ndarray:
    x = np.arange(2 * items, dtype=np.int32)
    queue.parallel_for(sycl.NdRange((2 * items,), (items,)), kernel, x)
    return x


@pytest.mark.spec("D015", "D421")
def test_helpers_and_macros_are_handed_the_memory_and_queries_show_it(queue: sycl.Queue, program: sycl.Program) -> None:
    x = np.arange(64)
    sums, tops = x.reshape(2, 32).sum(1, keepdims=True), np.array([[31], [63]])
    np.testing.assert_array_equal(run(queue, program.helped, 32), np.broadcast_to(sums + tops + tops, (2, 32)).ravel())
    np.testing.assert_array_equal(
        run(queue, program.small, 8), [0, 0, 1, 3, 6, 10, 15, 21, 0, 8, 17, 27, 38, 50, 63, 77]
    )
    device = queue.device
    taken = program.helped.local_mem_size
    assert taken > 0 or device._facts["groups"] != 3
    if taken > 0:  # the driver counts what is really used: none where its own functions do the work
        assert program.plain.local_mem_size <= 1  # NVIDIA counts a byte where there is none
        assert program.small.local_mem_size <= taken <= device.local_mem_size


@pytest.mark.spec("D015")
def test_a_group_that_is_too_large_for_it_is_refused(queue: sycl.Queue, program: sycl.Program) -> None:
    most = program.helped.work_group_size
    assert 1 <= most <= queue.device.max_work_group_size
    assert run(queue, program.helped, most)[0] == sum(range(most)) + 2 * (most - 1)
    shape = (2, most // 2 + 1)
    with pytest.raises(sycl.NdRangeError, match=f"a work-group of {2 * shape[1]} items is more than the {most} that"):
        queue.parallel_for(sycl.NdRange(shape, shape), program.helped, np.zeros(2 * shape[1], "i4"))


def test_a_plain_range_has_no_groups(queue: sycl.Queue, program: sycl.Program) -> None:
    x = np.zeros(8, "i4")
    with pytest.raises(sycl.NdRangeError) as whole:
        queue.parallel_for(8, program.helped, x)
    assert str(whole.value) == (
        "kernel 'helped' calls group functions, and a plain range has no work-groups of its own: use an NdRange"
    )
    with pytest.raises(sycl.NdRangeError) as body:
        queue.parallel_for(8, "int k = x[i];\nx[i] = group_reduce(work_group, k, plus);", x=x)
    assert str(body.value) == (
        "body: 'group_reduce' at line 2, column 8 needs work-groups, and a plain range has none of its own: use an NdRange\n"
        "    2 | x[i] = group_reduce(work_group, k, plus);\n      |        ^"
    )


WRONG = [
    ("group_reduce(work_grop, k, plus)", "group_reduce: 'work_grop' is no group: work_group and sub_group are"),
    (
        "group_reduce(work_group, k)",
        "group_reduce takes (group, x, op) or (group, x, init, op), and 2 arguments are given",
    ),
    (
        "group_reduce(work_group, k, sum)",
        "group_reduce: 'sum' is no operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, logical_and, "
        "logical_or are, and a sycl.BinaryOp by the name that it is given by",
    ),
    ("group_reduce(work_group, 1.5f, bit_and)", "group_reduce: bit_and takes integers"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_a_wrong_call_is_told_in_a_line_at_the_users_own(queue: sycl.Queue, call: str, message: str) -> None:
    with pytest.raises(sycl.BuildError) as error:
        queue.parallel_for(sycl.NdRange((8,), (8,)), f"int k = x[i];\n  x[i] = {call};", x=np.zeros(8, "i4"))
    said = re.sub(r" \(built for .*\)$", "", str(error.value), flags=re.MULTILINE)
    assert said == f"body:2:10: {message}\n    2 |   x[i] = {call};\n      |          ^"


def test_columns_of_an_edited_line_stay_the_users(queue: sycl.Queue) -> None:
    line = "kernel void k(global int *x) { x[0] = group_reduce(work_group, x[0], plus) + nothing; }"
    with pytest.raises(sycl.BuildError) as error:
        sycl.Program("\n" + line).build(queue.context)
    assert str(error.value).startswith(f"kernel.cl:2:{line.index('nothing') + 1}: ")
    assert str(error.value).endswith(f"\n    2 | {line}\n      | {' ' * line.index('nothing')}^")


def test_a_group_without_enough_registers_is_refused(queue: sycl.Queue) -> None:
    """Where the driver tells it no sooner than the launch."""
    if not queue.device._facts["understates_groups"]:
        pytest.skip("the driver says how large the groups of each kernel may be")
    program = sycl.Program(
        "__kernel void k(__global float *x) {\n float a[120], sum = 0; size_t i = get_local_id(0);\n"
        "#pragma unroll\n for (int k = 0; k < 120; k++) a[k] = x[(i * k) % 64];\n barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "#pragma unroll\n for (int k = 0; k < 120; k++) sum += a[k] * a[119 - k] + sqrt(a[(k * 7) % 120]);\n x[i] = sum; }"
    )
    x = np.zeros(1024, "f4")
    with pytest.raises(
        sycl.NdRangeError, match="has not enough registers or local memory for work-groups of 1024 items"
    ):
        queue.parallel_for(sycl.NdRange(1024, 1024), program.k, x)
    queue.parallel_for(sycl.NdRange(64, 64), program.k, x)
