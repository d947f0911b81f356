"""Relational functions in kernels: int 1 of scalars, -1 in every component of vectors. SYCL 2020, 4.17.9."""

import numpy as np
import pytest

import pysycl as sycl

TRUTHS = {"float": "int", "double": "long", "half": "short"}
DTYPES = {"float": np.dtype("f4"), "double": np.dtype("f8"), "half": np.dtype("f2")}
TWO = {
    "isequal": np.equal, "isnotequal": np.not_equal, "isgreater": np.greater, "isgreaterequal": np.greater_equal,
    "isless": np.less, "islessequal": np.less_equal, "islessgreater": lambda x, y: (x < y) | (x > y),
    "isordered": lambda x, y: ~(np.isnan(x) | np.isnan(y)), "isunordered": lambda x, y: np.isnan(x) | np.isnan(y),
}  # fmt: skip
ONE = {
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "signbit": np.signbit,
    "isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
}  # fmt: skip


def arguments(dtype):
    """All pairs of special values, 144: a multiple of every width."""
    limits = np.finfo(dtype)
    some = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, limits.max, limits.tiny, -limits.tiny, 2.5,
                     limits.smallest_subnormal], dtype)  # fmt: skip
    return tuple(each.ravel().copy() for each in np.meshgrid(some, some))


@pytest.mark.spec("D447", "D448", "D449")
@pytest.mark.parametrize("kind", TRUTHS)
def test_all_widths(device, queue, kind):
    """Also bitselect, which takes bits, and select, which takes the highest bit of a vector's components."""
    if kind != "float" and not device.has({"double": "fp64", "half": "fp16"}[kind]):
        pytest.skip(f"the device has no {kind}")
    dtype, truth = DTYPES[kind], TRUTHS[kind]
    x, y = arguments(dtype)
    bits = f"i{dtype.itemsize}"
    mask = np.random.default_rng(5).integers(0, 256, (len(x), dtype.itemsize), np.uint8).view(bits)[:, 0]
    text = "".join(f"#pragma OPENCL EXTENSION cl_khr_{name} : enable\n" for name, of in (("fp64", "double"), ("fp16", "half"))
                   if of == kind)  # fmt: skip
    calls = [*(f"{name}(x, y)" for name in TWO), *(f"{name}(x)" for name in ONE)]
    for width in (1, 2, 3, 4, 8, 16):
        many = str(width) if width > 1 else ""
        get = "{0}[i]" if width == 1 else f"vload{width}(i, {{0}})"
        put = "out[{0} + i] = {1};" if width == 1 else f"vstore{width}({{1}}, i, out + {{0}});"
        every = [*calls, f"as_{truth}{many}(bitselect(x, y, as_{kind}{many}(m)))", f"as_{truth}{many}(select(x, y, m))"]
        lines = [put.format(len(x) * k, call) for k, call in enumerate(every)]
        text += (
            f"__kernel void w{width}(__global const {kind} *px, __global const {kind} *py, __global const {truth} *pm,"
            f" __global {truth} *out) {{ size_t i = get_global_id(0); {kind}{many} x = {get.format('px')},"
            f" y = {get.format('py')}; {truth}{many} m = {get.format('pm')};\n" + "\n".join(lines) + "}\n"
        )
    program = sycl.Program(text)
    truths = [*(call(x, y) for call in TWO.values()), *(call(x) for call in ONE.values())]
    a, b = x.view(bits), y.view(bits)
    known = device._facts["inexact"].split()
    for width in (1, 2, 3, 4, 8, 16):
        out = np.zeros((len(truths) + 2, len(x)), bits)
        queue.parallel_for(len(x) // width, getattr(program, f"w{width}"), x, y, mask, out)
        for name, found, value in zip((*TWO, *ONE), out, truths, strict=False):
            if name in known:
                continue
            assert np.array_equal(found, value * (1 if width == 1 else -1)), (kind, width, name)
        assert "bitselect" in known or np.array_equal(out[-2], (a & ~mask) | (b & mask)), width
        assert np.array_equal(out[-1], np.where(mask != 0 if width == 1 else mask < 0, b, a)), width


@pytest.mark.spec("D449")
def test_any_all_and_select_of_integers(queue):
    """The highest bit of each component counts; of a scalar condition of select, any bit."""
    lines, wanted = [], []
    for kind, size in (("char", 8), ("short", 16), ("int", 32), ("long", 64)):
        low, high = f"({kind})1", f"(({kind})1 << {size - 1})" if size > 32 else f"({kind})(1u << {size - 1})"
        for width in (2, 3, 4, 8, 16):
            vector = f"{kind}{width}"
            lines += [
                f"any(({vector})({low}) * z) + 10 * all(({vector})({low}) * z)",
                f"any(({vector})({high}) * z) + 10 * all(({vector})({high}) * z)",
                f"{{ {vector} v = ({vector})({high}) * z; v.s1 = 1; r = any(v) + 10 * all(v); }}",
                f"{{ {vector} v = ({vector})({high}) * z; v.s1 = 1; {vector} w = select(({vector})3, ({vector})5, v);"
                " r = w.s0 + 10 * w.s1; }",
            ]
            wanted += [0, 11, 1, 35]
        lines += [f"any({low} * z) + 10 * all({low} * z) + 100 * select(({kind})3, ({kind})5, ({kind})({low} * z))",
                  f"any(({kind})({high} * z)) + 10 * all(({kind})({high} * z))"]  # fmt: skip
        wanted += [500, 11]
    body = "\n".join(
        f"{{ int r; {line if line.startswith('{') else f'r = {line};'} out[{k}] = r; }}" for k, line in enumerate(lines)
    )
    out = np.zeros(len(lines), np.int32)
    queue.single_task(body.replace("* z", "* (z[0])"), out=out, z=np.ones(1, np.int8))
    assert out.tolist() == wanted
