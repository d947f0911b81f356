"""Minima and maxima beside a `not`: Intel's compiler loses the register of ones that it makes a `not` with, behind the
last whole vector (csrc/program/cures/intel_ones.h)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pysycl as sycl

COUNT = 99
NAMES = {"i4": "int", "u4": "uint", "i8": "long", "u8": "ulong"}
EXPRESSIONS: list[tuple[str, Any]] = [
    ("max(~a, a)", lambda a, b: np.maximum(~a, a)),
    ("~max(a, b)", lambda a, b: ~np.maximum(a, b)),
    ("min(~a, a)", lambda a, b: np.minimum(~a, a)),
    ("max((T)-1 - a, a)", lambda a, b: np.maximum(~a, a)),
    ("max(~a, ~b)", lambda a, b: np.maximum(~a, ~b)),
    ("a < b ? ~a : ~b", lambda a, b: ~np.minimum(a, b)),
    ("~max(max(a, b), (T)5)", lambda a, b: ~np.maximum(np.maximum(a, b), 5)),
    ("~(max(a, b) << 2) | a", lambda a, b: ~(np.maximum(a, b) << 2) | a),
]


def operands(dtype: str) -> list[np.ndarray[Any, Any]]:
    r = np.random.default_rng(99)
    info = np.iinfo(dtype)
    return [r.integers(info.min, info.max, COUNT, dtype=dtype, endpoint=True) for _ in range(2)]


def check(dtype: str, k: int, got: np.ndarray[Any, Any]) -> None:
    text, reference = EXPRESSIONS[k]
    expected = reference(*operands(dtype)).astype(dtype)
    np.testing.assert_array_equal(got, expected, err_msg=f"{NAMES[dtype]}: {text}")


def program(dtype: str) -> str:
    """A kernel for each expression, a group for all, and one that does all of it alone."""
    name = NAMES[dtype]
    head = f"(__global const {name} *x, __global const {name} *z, __global {name} *y)"
    kernels = [
        f"__kernel void k{k}{head} {{ size_t i = get_global_id(0); {name} a = x[i], b = z[i]; y[i] = {text}; }}"
        for k, (text, _) in enumerate(EXPRESSIONS)
    ]
    alone = f"__kernel void alone{head} {{ for (int i = 0; i < {COUNT}; i++) y[i] = max(~x[i], x[i]); }}"
    return f"typedef {name} T;\n" + "\n".join([*kernels, alone])


@pytest.mark.parametrize("dtype", NAMES)
def test_programs(queue: sycl.Queue, dtype: str) -> None:
    x, z = operands(dtype)
    p = sycl.Program(program(dtype))
    for k in range(len(EXPRESSIONS)):
        y = np.zeros(COUNT, dtype)
        queue.parallel_for(sycl.NdRange((COUNT,), (COUNT,)), getattr(p, f"k{k}"), x, z, y)
        check(dtype, k, y)
    y = np.zeros(COUNT, dtype)
    queue.single_task(p.alone, x, z, y)
    check(dtype, 0, y)


@pytest.mark.parametrize("dtype", NAMES)
def test_bodies(queue: sycl.Queue, dtype: str) -> None:
    x, _ = operands(dtype)
    y, t = np.zeros(COUNT, dtype), np.zeros(COUNT, dtype)
    queue.parallel_for(COUNT, "y[i] = max(~x[i], x[i]);", x=x, y=y)
    queue.parallel_for(COUNT, "t[i] = ~x[i] < x[i] ? ~x[i] : x[i];", x=x, t=t)
    check(dtype, 0, y)
    check(dtype, 2, t)


def test_what_is_mended_keeps_its_log_and_its_text(queue: sycl.Queue) -> None:
    source = program("i4") + "\n#warning seen by the compiler\n"
    p = sycl.Program(source)
    p.build(queue.context)
    assert p.source == source
    again = sycl.Program.from_int_ptr(p.native(queue.context))
    assert again.source == source and "k0" in again.kernel_names


def test_linked_parts(queue: sycl.Queue) -> None:
    if not queue.device.has("online_linker"):
        pytest.skip("the device does not link")
    x, z = operands("i4")
    source = "__kernel void f(__global const int *x, __global const int *z, __global int *y)\n"
    source += "{ size_t i = get_global_id(0); y[i] = ~max(x[i], z[i]); }"
    bundle = sycl.link(sycl.compile(sycl.KernelBundle(sycl.Program(source), queue.context)))
    y = np.zeros(COUNT, "i4")
    queue.parallel_for(sycl.NdRange((COUNT,), (COUNT,)), bundle.get_kernel("f"), x, z, y)
    check("i4", 1, y)
