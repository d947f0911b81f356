"""Minima and maxima of three, one of them negated: NVIDIA's assembler loses the minus
(csrc/program/cures/nvidia_minus.h)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pysycl as sycl

COUNT = 4099
NAMES = {"i2": "short", "i4": "int", "i8": "long"}
low, high = np.minimum, np.maximum
EXPRESSIONS: list[tuple[str, Any]] = [
    ("min(min(a, (T)-b), c)", lambda a, b, c: low(low(a, -b), c)),
    ("min(c, min((T)-b, a))", lambda a, b, c: low(low(a, -b), c)),
    ("max(max(a, (T)-b), c)", lambda a, b, c: high(high(a, -b), c)),
    ("min(min((T)-a, (T)-b), (T)-c)", lambda a, b, c: low(low(-a, -b), -c)),
    ("(T)-max(max((T)-a, b), (T)-c)", lambda a, b, c: -high(high(-a, b), -c)),
    ("min(min(a, (T)-abs(b)), c)", lambda a, b, c: low(low(a, -abs(b)), c)),
    ("min(min(a, (T)-b), min(c, (T)-a))", lambda a, b, c: low(low(a, -b), low(c, -a))),
    ("a < (T)-b ? (a < c ? a : c) : ((T)-b < c ? (T)-b : c)", lambda a, b, c: low(low(a, -b), c)),
]


def operands(dtype: str) -> list[np.ndarray[Any, Any]]:
    r = np.random.default_rng(3)
    most = np.iinfo(dtype).max
    return [r.integers(-most, most, COUNT, dtype=dtype, endpoint=True) for _ in range(3)]


@pytest.mark.parametrize("dtype", NAMES)
def test_programs(queue: sycl.Queue, dtype: str) -> None:
    name = NAMES[dtype]
    head = f"(__global const {name} *x, __global const {name} *z, __global const {name} *w, __global {name} *y)"
    text = f"typedef {name} T;\n" + "\n".join(
        f"__kernel void k{k}{head} {{ size_t i = get_global_id(0); {name} a = x[i], b = z[i], c = w[i]; y[i] = {e}; }}"
        for k, (e, _) in enumerate(EXPRESSIONS)
    )
    p = sycl.Program(text)
    given = operands(dtype)
    for k, (expression, reference) in enumerate(EXPRESSIONS):
        y = np.zeros(COUNT, dtype)
        queue.parallel_for(COUNT, getattr(p, f"k{k}"), *given, y)
        np.testing.assert_array_equal(y, reference(*given), err_msg=f"{name}: {expression}")


def test_bodies_and_reducers(queue: sycl.Queue) -> None:
    x, z, w = operands("i4")
    y = np.zeros(COUNT, "i4")
    queue.parallel_for(COUNT, "int m = x[i]; if (-z[i] < m) m = -z[i]; y[i] = min(m, w[i]);", x=x, z=z, w=w, y=y)
    np.testing.assert_array_equal(y, low(low(x, -z), w))
    x, z = abs(x), -abs(z)
    for op, reference in ((sycl.minimum, np.min), (sycl.maximum, np.max)):
        for values in (x, z):
            with sycl.Buffer(np.zeros(1, "i4")) as total:
                queue.submit(
                    lambda h, op=op, values=values, total=total: h.parallel_for(
                        COUNT,
                        "m.combine(-v[i]);",
                        v=values,
                        m=sycl.reduction(total, h, op, initialize_to_identity=True),
                    )
                )
                assert np.asarray(total)[0] == reference(-values)
            assert sycl.reduce(values, op, map="-x", queue=queue) == reference(-values)
