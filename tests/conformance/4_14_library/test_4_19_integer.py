"""Integer functions in kernels against pysycl's host functions, which are tested against Python. SYCL 2020, 4.17.6."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8",
         "ulong": "u8"}  # fmt: skip
COUNT = 96  # a multiple of every width
CALLS = {
    "abs(x)": "x", "abs_diff(x, y)": "xy", "add_sat(x, y)": "xy", "hadd(x, y)": "xy", "rhadd(x, y)": "xy",
    "clamp(x, min(y, z), max(y, z))": "xyz", "clz(x)": "x", "ctz(x)": "x", "mad_hi(x, y, z)": "xyz",
    "mad_sat(x, y, z)": "xyz", "max(x, y)": "xy", "min(x, y)": "xy", "mul_hi(x, y)": "xy", "rotate(x, y)": "xy",
    "sub_sat(x, y)": "xy", "popcount(x)": "x",
}  # fmt: skip
SCALAR_BOUNDS = {"max(x, s)": "max", "min(x, s)": "min", "clamp(x, (%s)2, s)": "clamp"}


def host(call, given):
    name = call.split("(")[0]
    if name == "clamp":
        low, high = np.minimum(given["y"], given["z"]), np.maximum(given["y"], given["z"])
        return sycl.math.clamp(given["x"], low, high)
    return getattr(sycl.math, name)(*(given[v] for v in CALLS[call]))


def arguments(dtype):
    """All pairs of the extremes and their neighbours, and any bits."""
    rng, limits = np.random.default_rng(23), np.iinfo(dtype)
    some = [limits.min, limits.max, 0, 1, limits.max - 1, limits.max // 2 + 1]
    x, y = (each.ravel() for each in np.meshgrid(np.array(some, dtype), np.array(some, dtype)))
    bits = rng.integers(0, 256, (3, COUNT, dtype.itemsize), np.uint8).view(dtype)[:, :, 0] >> rng.integers(
        0, 8 * dtype.itemsize, (3, COUNT)
    ).astype(dtype)
    made = dict(zip("xyz", bits.astype(dtype), strict=True))
    made["x"][: len(x)], made["y"][: len(y)] = np.array(x, dtype), np.array(y, dtype)
    return made


def lines_of(kind, width, given):
    """The cases, and what they give."""
    many, dtype = str(width) if width > 1 else "", given["x"].dtype
    for call in CALLS:
        wide = host(call, given)
        yield f"as_{kind}{many}({call})" if "abs" in call else call, wide.view(dtype)
    if width > 1:
        for call, name in SCALAR_BOUNDS.items():
            bounds = (2, 100) if name == "clamp" else (100,)
            text = (call % kind if "%" in call else call).replace("s)", f"({kind})100)")
            yield text, getattr(sycl.math, name)(given["x"], *bounds)
    if kind in ("int", "uint"):
        small = {v: (given[v] << 8) >> 8 for v in "xyz"}
        yield "mul24((x << 8) >> 8, (y << 8) >> 8)", sycl.math.mul24(small["x"], small["y"])
        yield "mad24((x << 8) >> 8, (y << 8) >> 8, z)", sycl.math.mad24(small["x"], small["y"], given["z"])
    if dtype.itemsize < 8:
        plain = kind.lstrip("u")
        result = ("u" if dtype.kind == "u" else "") + {"char": "short", "short": "int", "int": "long"}[plain] + many
        double = f"upsample(x, as_u{plain}{many}(y))"
        bits = 8 * dtype.itemsize
        wide = sycl.math.upsample(given["x"], given["y"].view(f"u{dtype.itemsize}"))
        yield f"convert_{kind}{many}({double} >> ({result}){bits})", (wide >> bits).astype(dtype)
        yield f"as_{kind}{many}(convert_u{plain}{many}({double} & ({result}){2**bits - 1}))", given["y"]


@pytest.mark.spec("D440", "D441", "D442", "D443", "D545")
@pytest.mark.parametrize("kind", sweep(TYPES, ["uchar", "int", "long"]))
def test_scalars_and_vectors_against_the_host(device, queue, kind):
    """Each type as a scalar and in two of the five widths, so that all functions meet all widths."""
    dtype = np.dtype(TYPES[kind])
    given = arguments(dtype)
    kernels, wanted = [], {}
    at = list(TYPES).index(kind)
    for width in (1, (2, 3, 4, 8, 16)[at % 5], (2, 3, 4, 8, 16)[(at + 2) % 5]):
        cases = [
            case
            for case in lines_of(kind, width, given)
            if case[0].split("(")[0] not in device._facts["inexact"].split()
        ]
        many = str(width) if width > 1 else ""
        load = "{0}[i]" if width == 1 else f"vload{width}(i, {{0}})"
        lines = [
            f"out[{k} * {COUNT} + i] = {text};" if width == 1 else f"vstore{width}({text}, i, out + {k} * {COUNT});"
            for k, (text, _) in enumerate(cases)
        ]
        kernels.append(
            f"__kernel void w{width}(__global const {kind} *px, __global const {kind} *py, __global const {kind} *pz,"
            f" __global {kind} *out) {{ size_t i = get_global_id(0);\n"
            f"{kind}{many} x = {load.format('px')}, y = {load.format('py')}, z = {load.format('pz')};\n"
            + "\n".join(lines) + "}\n"
        )  # fmt: skip
        wanted[width] = cases
    program = sycl.Program("".join(kernels))
    for width, cases in wanted.items():
        out = np.zeros((len(cases), COUNT), dtype)
        queue.parallel_for(COUNT // width, getattr(program, f"w{width}"), *(given[v] for v in "xyz"), out)
        wrong = [text for (text, values), found in zip(cases, out, strict=True) if not np.array_equal(found, values)]
        assert wrong == [], width
