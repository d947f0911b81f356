"""Math functions in kernels: within OpenCL's bounds of error, for all types and widths. SYCL 2020, 4.17.5."""

import math

import math_table as table
import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

CONFIGS = {"half": "half_fp_config", "float": "single_fp_config", "double": "double_fp_config"}


def skip_unless(device, kind):
    if kind != "float" and not device.has({"double": "fp64", "half": "fp16"}[kind]):
        pytest.skip(f"the device has no {kind}")


def has_denormals(device, kind):
    return sycl.FpConfig.denorm in getattr(device, CONFIGS[kind])


def misses(kind, width, rows, given, got, denormal):
    """What is farther off than it may be, by the worst argument."""
    for row, values in zip(rows, got, strict=True):
        bound = row.bound_of(kind) * 1.001
        apart = np.where(table.asked(row, given), table.errors(values, table.expected(row, given), denormal), 0)
        if apart.max() > bound:
            at = int(np.argmax(apart))
            arguments = ", ".join(f"{v} = {given[v][at]!r}" for v in row.takes)
            yield f"{kind}{width}: {row.text} is {values[at]!r} for {arguments}, {apart[at]:.3g} ulp off"


@pytest.mark.spec("D432", "D433", "D434", "D435", "D436", "D437", "D438", "D439")
@pytest.mark.parametrize(
    ("width", "kind"),
    sweep(
        [(width, kind) for width in table.WIDTHS for kind in CONFIGS],
        [*((1, kind) for kind in CONFIGS), (4, "float"), (16, "double"), (4, "half")],
    ),
)
def test_within_the_bounds(device, queue, kind, width):
    """All for scalars, and vectors of 4 and 16, which share their components' places with others of all sizes; a third
    for each other width."""
    skip_unless(device, kind)
    denormal = has_denormals(device, kind)
    rows = [row for row in table.rows_of(kind) if row.name.split(",")[0] not in device._facts["inexact"].split()]
    if width in (2, 3, 8):
        rows = rows[(2, 3, 8).index(width) :: 3]
    given = table.arguments(kind, denormal=denormal)
    found = table.compute(queue, kind, width, rows, given)
    assert list(misses(kind, width, rows, given, found, denormal)) == []


SPECIAL = [
    # x, y, n, and what these are, with the signs of zeros: OpenCL C 1.2, 7.5.1
    ("sinpi(x)", -0.0, 0, 0, -0.0), ("tanpi(x)", -0.0, 0, 0, -0.0), ("sin(x)", -0.0, 0, 0, -0.0),
    ("sinpi(x)", 2.0, 0, 0, 0.0), ("acospi(x)", 1.0, 0, 0, 0.0),
    ("atan2(x, y)", 0.0, -0.0, 0, np.pi), ("atan2(x, y)", -0.0, 0.0, 0, -0.0), ("atan2pi(x, y)", -0.0, -1.0, 0, -1.0),
    ("ceil(x)", -0.5, 0, 0, -0.0), ("rint(x)", -0.5, 0, 0, -0.0), ("round(x)", -0.25, 0, 0, -0.0),
    ("trunc(x)", -0.5, 0, 0, -0.0), ("copysign(x, y)", 1.0, -0.0, 0, -1.0), ("fdim(x, y)", 1.0, np.nan, 0, np.nan),
    ("fmax(x, y)", np.nan, 1.0, 0, 1.0), ("fmin(x, y)", 1.0, np.nan, 0, 1.0), ("fmod(x, y)", -0.0, 1.0, 0, -0.0),
    ("fmod(x, y)", 1.0, np.inf, 0, 1.0), ("hypot(x, y)", -np.inf, np.nan, 0, np.inf),
    ("nextafter(x, y)", -0.0, 0.0, 0, 0.0), ("pow(x, y)", -0.0, -3.0, 0, -np.inf), ("pow(x, y)", 1.0, np.nan, 0, 1.0),
    ("pow(x, y)", -1.0, np.inf, 0, 1.0), ("pow(x, y)", np.nan, 0.0, 0, 1.0), ("pown(x, n)", -0.0, 0, -3, -np.inf),
    ("pown(x, n)", np.nan, 0, 0, 1.0), ("powr(x, y)", -1.0, 2.0, 0, np.nan), ("powr(x, y)", 0.0, 0.0, 0, np.nan),
    ("powr(x, y)", 1.0, np.inf, 0, np.nan), ("rootn(x, n)", -0.0, 0, -3, -np.inf), ("rootn(x, n)", -0.0, 0, 2, 0.0),
    ("rootn(x, n)", 8.0, 0, 0, np.nan), ("remainder(x, y)", -0.0, 1.0, 0, -0.0), ("ldexp(x, n)", -0.0, 0, 5, -0.0),
    ("exp(x)", -np.inf, 0, 0, 0.0), ("log(x)", 0.0, 0, 0, -np.inf), ("log1p(x)", -1.0, 0, 0, -np.inf),
    ("sqrt(x)", -0.0, 0, 0, -0.0), ("rsqrt(x)", 0.0, 0, 0, np.inf), ("logb(x)", 0.0, 0, 0, -np.inf),
    ("mad(x, y, 1)", 2.0, 3.0, 0, 7.0), ("maxmag(x, y)", -3.0, 2.0, 0, -3.0), ("minmag(x, y)", -3.0, 2.0, 0, 2.0),
    ("lgamma(x)", 0.0, 0, 0, np.inf), ("lgamma(x)", 100.0, 0, 0, 359.1342053695754), ("fmax(x, 2)", 1.0, 0, 0, 2.0),
    ("nan(7u)", 0, 0, 0, np.nan), ("FROM(ilogb(x))", 0.75, 0, 0, -1.0), ("ilogb(x) == FP_ILOGB0", 0.0, 0, 0, 1.0),
    ("ilogb(x) == FP_ILOGBNAN", np.nan, 0, 0, 1.0), ("ilogb(x) == INT_MAX", np.inf, 0, 0, 1.0),
]  # fmt: skip
POINTERS = """
    {space} float *p = {p}; {space} int *q = {q};
    out[k++] = fract(x, p) - *p * 100;
    out[k++] = modf(-x, p) + *p * 100;
    out[k++] = sincos(x, p) + *p * 100;
    out[k++] = frexp(x, q) + *q * 100;
    out[k++] = lgamma_r(-0.5f, q) + *q * 100;
    out[k++] = remquo(x, 1.0f, q) + *q * 100;
"""


@pytest.mark.spec("D433", "D434", "D435", "D436")
def test_special_values(queue, device):
    """Of arguments that no compiler knows."""
    skipped = device._facts["inexact"].split()
    cases = [case for case in SPECIAL if case[0].split("(")[0] not in skipped]
    lines = [
        f"{{ float x = px[{k}], y = py[{k}]; int n = pn[{k}]; out[{k}] = {case[0]}; }}" for k, case in enumerate(cases)
    ]
    x, y, wanted = (np.array([case[at] for case in cases], np.float32) for at in (1, 2, 4))
    n, out = np.array([case[3] for case in cases], np.int32), np.zeros(len(cases), np.float32)
    program = sycl.Program(
        "#define FROM(n) ((float)(n))\n__kernel void f(__global const float *px, __global const float *py,"
        " __global const int *pn, __global float *out) {\n" + "\n".join(lines) + "}"
    )
    queue.parallel_for(1, program.f, x, y, n, out)
    wrong = [
        (*case, found)
        for case, found, value in zip(cases, out, wanted, strict=True)
        if not np.isclose(found, value, rtol=1e-6, atol=0, equal_nan=True)
        or (value == 0 and np.signbit(found) != np.signbit(value))
    ]
    assert wrong == []


@pytest.mark.spec("D434")
def test_results_through_pointers_to_each_memory(queue):
    places = {
        "__private": ("&mine", "&whole"), "__global": ("out + 30", "whole_out"), "__local": ("local_", "local_whole"),
    }  # fmt: skip
    body = "".join("{" + POINTERS.format(space=space, p=p, q=q) + "}" for space, (p, q) in places.items())
    program = sycl.Program(
        "__kernel void f(float x, __global float *out, __global int *whole_out, __local float *local_,"
        " __local int *local_whole) {\n float mine; int whole, k = 0;\n" + body + "}"
    )
    out = np.zeros(40, np.float32)
    queue.parallel_for(
        sycl.NdRange(1, 1), program.f, np.float32(2.25), out, np.zeros(1, np.int32), sycl.local(1, np.float32),
        sycl.local(1, np.int32)
    )  # fmt: skip
    one = [0.25 - 200, -0.25 - 200, np.sin(2.25) + 100 * np.cos(2.25), 0.5625 + 200, 1.2655121 - 100, 0.25 + 200]
    assert out[:18].tolist() == pytest.approx(one * 3, rel=1e-6)


@pytest.mark.spec("D434")
@pytest.mark.parametrize("option", ["", "-D __NV_CL_C_VERSION=120"])  # the stand-ins for NVIDIA's are right anywhere
def test_the_sign_of_gamma(queue, option):
    kinds = ["float", "double"] if queue.device.has("fp64") else ["float"]
    text = "".join(
        f"__kernel void f_{kind}(__global const {kind} *x, __global {kind} *out, __global int *sign)\n{{\n"
        "size_t i = get_global_id(0);\nout[i] = lgamma_r(x[i], sign + i);\n"
        f"{kind}3 three = {{x[i], x[i], x[i]}}; int3 signs;\n"
        "out[i + 8] = lgamma_r(three, &signs).z; sign[i + 8] = signs.z;\n}\n"
        for kind in kinds
    )
    program = sycl.Program(text, options=option)
    for kind in kinds:
        x = np.array([-0.5, -1.5, -2.25, -3.75, -20.5, -21.5, 0.25, 7.0], "f4" if kind == "float" else "f8")
        out, sign = np.zeros(16, x.dtype), np.zeros(16, np.int32)
        queue.parallel_for(8, program.kernel(f"f_{kind}"), x, out, sign)
        assert sign.tolist() == [-1, 1, -1, 1, -1, 1, 1, 1] * 2
        assert out.tolist() == pytest.approx([math.lgamma(each) for each in x] * 2, rel=1e-5)


@pytest.mark.spec("D432")
def test_a_function_of_the_users_own_stays_his(queue):
    """Also beside vectors, where the library may stand in for the driver's."""
    program = sycl.Program(
        "float4 sin(float4 x, int n) { return x + n; }\nint ctz(float x) { return 7; }\n"
        "int mad_sat(float a) { return 9; }\n"
        "__kernel void f(__global float4 *x) { x[0] = sin(x[0], 3) + cos((float4)0) + ctz(1.0f) + mad_sat(0.0f); }"
    )
    x = np.zeros(1, sycl.float4)
    queue.parallel_for(1, program.f, x)
    assert x["s3"][0] == 3 + 1 + 7 + 9
