"""Common and geometric functions in kernels. SYCL 2020, 4.17.7 and 4.17.8."""

import math

import numpy as np
import pytest

import pysycl as sycl

TYPES = {"float": np.dtype("f4"), "double": np.dtype("f8"), "half": np.dtype("f2")}
X = np.array([-2.5, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 3.0, np.inf, -np.inf, 0.125, 0.875, 2**-10, -(2**-10), 60, -60])
EDGES, LOW, HIGH = 0.5, 0.25, 0.875


def expected():
    """Of X as doubles: each call, and its value. SYCL's smoothstep is misprinted: what is meant is OpenCL's."""
    finite = np.where(np.isfinite(X), X, np.sign(X) * 1e4)
    t = np.clip((finite - LOW) / (HIGH - LOW), 0, 1)
    return {
        "clamp(x, (T)0.25, (T)0.875)": np.clip(X, LOW, HIGH),
        "clamp(x, (V)0.25, (V)0.875)": np.clip(X, LOW, HIGH),
        "degrees(x)": X * (180 / math.pi),
        "radians(x)": X * (math.pi / 180),
        "max(x, (T)0.5)": np.maximum(X, EDGES),
        "max(x, (V)0.5)": np.maximum(X, EDGES),
        "min(x, (V)0.5)": np.minimum(X, EDGES),
        "min(x, (T)0.5)": np.minimum(X, EDGES),
        "mix((V)2, (V)4, clamp(x, (T)0, (T)1))": 2 + 2 * np.clip(X, 0, 1),
        "mix((V)2, (V)4, (T)0.5)": np.full(16, 3.0),
        "step((T)0.5, x)": np.where(X < EDGES, 0.0, 1.0),
        "step((V)0.5, x)": np.where(X < EDGES, 0.0, 1.0),
        "smoothstep((T)0.25, (T)0.875, x)": t * t * (3 - 2 * t),
        "smoothstep((V)0.25, (V)0.875, x)": t * t * (3 - 2 * t),
        "sign(x)": np.sign(X),
        "sign(x * (T)0 / (T)0)": np.zeros(16),
    }


@pytest.mark.spec("D444", "D445")
@pytest.mark.parametrize("kind", TYPES)
def test_common_functions(device, queue, kind):
    if kind != "float" and not device.has({"double": "fp64", "half": "fp16"}[kind]):
        pytest.skip(f"the device has no {kind}")
    known = device._facts["inexact"].split()
    cases, text = {call: values for call, values in expected().items() if call.split("(")[0] not in known}, ""
    if kind == "double":
        text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    if kind == "half":
        text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    for width in (1, 2, 3, 4, 8, 16):
        many = str(width) if width > 1 else ""
        put = "out[{0} + i] = {1};" if width == 1 else f"vstore{width}({{1}}, i, out + {{0}});"
        x = "px[i]" if width == 1 else f"vload{width}(i, px)"
        lines = [put.format(48 * k, call) for k, call in enumerate(cases)]
        text += (
            f"#define T {kind}\n#define V {kind}{many}\n__kernel void w{width}(__global const T *px, __global T *out)"
            f" {{ size_t i = get_global_id(0); V x = {x};\n" + "\n".join(lines) + "}\n#undef V\n#undef T\n"
        )
    program = sycl.Program(text)
    data, eps = np.tile(X, 3).astype(TYPES[kind]), float(np.finfo(TYPES[kind]).eps)
    for width in (1, 2, 3, 4, 8, 16):
        out = np.zeros((len(cases), 48), TYPES[kind])
        queue.parallel_for(48 // width, getattr(program, f"w{width}"), data, out)
        for (call, values), found in zip(cases.items(), out.astype(float), strict=True):
            inexact = call.split("(")[0] in ("degrees", "radians", "mix", "smoothstep")
            same = np.allclose(
                found, np.tile(values, 3), rtol=4 * eps if inexact else 0, atol=4 * eps if inexact else 0
            )
            assert same, (kind, width, call, found[:16].tolist())
            assert call != "sign(x)" or np.array_equal(np.signbit(found), np.tile(np.signbit(X), 3))


GEOMETRY = """
#define T {kind}
#define PUT(v) out[k++] = v
__kernel void f(__global const T *p, __global T *out)
{{
    int k = 0;
    T a = p[0], b = p[4];
    {kind}2 a2 = vload2(0, p), b2 = vload2(0, p + 4);
    {kind}3 a3 = vload3(0, p), b3 = vload3(0, p + 4);
    {kind}4 a4 = vload4(0, p), b4 = vload4(0, p + 4);
    {kind}3 c = cross(a3, b3); {kind}4 d = cross(a4, b4);
    PUT(c.x); PUT(c.y); PUT(c.z); PUT(d.x); PUT(d.y); PUT(d.z); PUT(d.w);
    PUT(dot(a, b)); PUT(dot(a2, b2)); PUT(dot(a3, b3)); PUT(dot(a4, b4));
    PUT(distance(a, b)); PUT(distance(a2, b2)); PUT(distance(a3, b3)); PUT(distance(a4, b4));
    PUT(length(a)); PUT(length(a2)); PUT(length(a3)); PUT(length(a4));
    PUT(normalize(a)); PUT(normalize(a2).y); PUT(normalize(a3).z); PUT(normalize(a4).w);
    PUT(length(a3 * 0)); PUT(normalize(a * 0)); PUT(normalize(a3 * 0).z);
    {fast}
}}
"""
FAST = """PUT(fast_distance(a, b)); PUT(fast_distance(a2, b2)); PUT(fast_distance(a3, b3)); PUT(fast_distance(a4, b4));
    PUT(fast_length(a)); PUT(fast_length(a2)); PUT(fast_length(a3)); PUT(fast_length(a4));
    PUT(fast_normalize(a)); PUT(fast_normalize(a2).y); PUT(fast_normalize(a3).z); PUT(fast_normalize(a4).w);
    PUT(length(a3 * 1e20f)); PUT(normalize(a4 * 1e30f).w); PUT(length(a2 * 1e-30f));"""


@pytest.mark.spec("D446")
@pytest.mark.parametrize("kind", TYPES)
def test_geometric_functions(device, queue, kind):
    """length and normalize neither overflow nor lose small vectors."""
    if kind != "float" and not device.has({"double": "fp64", "half": "fp16"}[kind]):
        pytest.skip(f"the device has no {kind}")
    a, b = [3.0, -4.0, 12.0, 5.0], [1.0, 2.0, -0.5, 2.0]
    norms = [math.hypot(*a[:n]) for n in (1, 2, 3, 4)]
    apart = [math.dist(a[:n], b[:n]) for n in (1, 2, 3, 4)]
    cross = np.cross(a[:3], b[:3]).tolist()
    units = [value / norm for value, norm in zip(a, norms, strict=True)]
    dots = [sum(x * y for x, y in zip(a[:n], b[:n], strict=True)) for n in (1, 2, 3, 4)]
    exact = [*cross, *cross, 0.0, *dots, *apart, *norms, *units, 0.0, 0.0, 0.0]
    fast = [*apart, *norms, *units, 13e20, a[3] / norms[3], 5e-30] if kind == "float" else []
    text = GEOMETRY.format(kind=kind, fast=FAST if fast else "")
    if kind != "float":
        text = f"#pragma OPENCL EXTENSION cl_khr_{'fp64' if kind == 'double' else 'fp16'} : enable\n" + text
    out = np.zeros(len(exact) + len(fast), TYPES[kind])
    queue.parallel_for(1, sycl.Program(text).f, np.array(a + b, TYPES[kind]), out)
    eps = float(np.finfo(TYPES[kind]).eps)
    assert out[: len(exact)].astype(float).tolist() == pytest.approx(exact, rel=8 * eps)
    assert out[len(exact) :].astype(float).tolist() == pytest.approx(fast, rel=8192 * eps, abs=0)
