"""SYCL's functions on the host: against the device's, and against Python's exact arithmetic. SYCL 2020, 4.17.5 to 4.17.9."""

import math
import re
from fractions import Fraction

import math_table as table
import numpy as np
import pytest

import pysycl as sycl

m = sycl.math
# What OpenCL grants a device, in ulp of float: OpenCL 1.2, table 7.1. None: it sets no bound.
ULP = {
    "acos": 4, "acosh": 4, "acospi": 5, "asin": 4, "asinh": 4, "asinpi": 5, "atan": 5, "atanh": 5, "atanpi": 5, "cbrt": 2,
    "ceil": 0, "cos": 4, "cosh": 4, "cospi": 4, "erfc": 16, "erf": 16, "exp": 3, "exp2": 3, "exp10": 3, "expm1": 3,
    "fabs": 0, "floor": 0, "lgamma": None, "log": 3, "log2": 3, "log10": 3, "log1p": 2, "logb": 0, "rint": 0, "round": 0,
    "rsqrt": 2, "sin": 4, "sinh": 4, "sinpi": 4, "sqrt": 3, "tan": 5, "tanh": 5, "tanpi": 6, "tgamma": 16, "trunc": 0,
}  # fmt: skip
ULP_OF_TWO = {
    "atan2": 6, "atan2pi": 6, "copysign": 0, "fdim": 0, "fmax": 0, "fmin": 0, "fmod": 0, "hypot": 4, "maxmag": 0,
    "minmag": 0, "nextafter": 0, "pow": 16, "powr": 16, "remainder": 0,
}  # fmt: skip
BEGIN = {"acosh": 1, "log1p": -1, "rsqrt": 0, "sqrt": 0, "log": 0, "log2": 0, "log10": 0, "tgamma": 0, "lgamma": 0}


def inputs():
    """Numbers in the domain of all functions but acosh, and special ones."""
    rng = np.random.default_rng(11)
    some = np.concatenate([rng.uniform(-1, 1, 40), [0.0, -0.0, 0.5, -0.5, 1, -1, 0.25, 1e-3, 0.999, -0.75]])
    return some.astype(np.float32), rng.uniform(-1, 3, 50).astype(np.float32)


def ulps(found, exact):
    """How far apart, in units of the exact value's last place; equal specials are 0 apart."""
    found, exact = np.asarray(found, np.float64), np.asarray(exact, np.float32)
    same = (found == exact) | (np.isnan(found) & np.isnan(exact))
    with np.errstate(all="ignore"):
        step = np.spacing(np.maximum(np.abs(exact), np.float32(1.2e-38))).astype(np.float64)
        return np.where(same, 0, np.abs(found - exact.astype(np.float64)) / step)


@pytest.mark.spec("D401", "D432", "D433", "D435", "D437")
def test_math_functions_are_those_of_the_device(queue):
    """Within what OpenCL grants the device; those without a bound within 1e-4."""
    x, y = inputs()
    names = [*ULP, *ULP_OF_TWO]
    lines, expected = [], {}
    for k, name in enumerate(names):
        first = x + np.float32(2) * (name == "acosh") + np.float32(1) * (BEGIN.get(name) == 0) * (x <= 0)
        given = f"(x[i]{' + 2' if name == 'acosh' else ' + (x[i] <= 0)' if BEGIN.get(name) == 0 else ''}"
        two = name in ULP_OF_TWO
        if name in ("powr",):
            first, given = np.abs(x), "(fabs(x[i])"
        lines.append(f"out({k}, (int)i) = {name}{given}{', y[i]' if two else ''});")
        expected[name] = getattr(m, name)(first, *([y] if two else []))
    more = {
        "fma": ("fma(x[i], y[i], z)", m.fma(x, y, 0.3)), "ldexp": ("ldexp(x[i], 3)", m.ldexp(x, 3)),
        "pown": ("pown(y[i], 3)", m.pown(y, 3)), "rootn": ("rootn(y[i], 3)", m.rootn(y, 3)),
        "ilogb": ("ilogb(y[i])", m.ilogb(y)), "mad": ("mad(x[i], y[i], z)", m.mad(x, y, 0.3)),
        "fract": ("fract(y[i], &f)", m.fract(y)[0]), "fract_": ("(fract(y[i], &f), f)", m.fract(y)[1]),
        "modf": ("modf(y[i], &f)", m.modf(y)[0]), "modf_": ("(modf(y[i], &f), f)", m.modf(y)[1]),
        "frexp": ("frexp(y[i], &n)", m.frexp(y)[0]), "frexp_": ("(frexp(y[i], &n), n)", m.frexp(y)[1]),
        "remquo": ("remquo(y[i], 0.3f, &n)", m.remquo(y, 0.3)[0]),
        "sincos": ("sincos(y[i], &f)", m.sincos(y)[0]), "sincos_": ("(sincos(y[i], &f), f)", m.sincos(y)[1]),
        "lgamma_r": ("lgamma_r(y[i], &n)", m.lgamma_r(y)[0]),
        "degrees": ("degrees(x[i])", m.degrees(x)), "radians": ("radians(x[i])", m.radians(x)),
        "mix": ("mix(x[i], y[i], z)", m.mix(x, y, 0.3)), "step": ("step(x[i], y[i])", m.step(x, y)),
        "smoothstep": ("smoothstep(-0.5f, 0.5f, x[i])", m.smoothstep(-0.5, 0.5, x)), "sign": ("sign(x[i])", m.sign(x)),
        "clamp": ("clamp(y[i], 0.1f, z)", m.clamp(y, np.float32(0.1), np.float32(0.3))),
        "max": ("max(x[i], y[i])", m.max(x, y)), "min": ("min(x[i], y[i])", m.min(x, y)),
    }  # fmt: skip
    loose = {"lgamma", "lgamma_r", "mad", "mix", "smoothstep"}
    bounds = ULP | ULP_OF_TWO | {"pown": 16, "rootn": 16, "sincos": 4, "sincos_": 4, "degrees": 2, "radians": 2}
    for name, (text, value) in more.items():
        lines.append(f"out({len(expected)}, (int)i) = {text};")
        expected[name] = value
    out = np.zeros((len(expected), len(x)), np.float32)
    z = np.float32(0.3)
    text = "float f; int n;\n" + "\n".join(lines)
    queue.single_task("for (int i = 0; i < 50; i++) {\n" + text + "\n}", x=x, y=y, z=z, out=out)
    for (name, value), found in zip(expected.items(), out, strict=True):
        if name in loose:
            assert np.allclose(found, value, 1e-4, 1e-5, equal_nan=True), name
        else:
            # Not every device meets zeros and poles where pi is a factor.
            exempt = (2 * x == np.rint(2 * x)) & (name in ("cospi", "sinpi", "tanpi"))
            assert np.max(np.where(exempt, 0, ulps(found, value))) <= bounds.get(name, 0), name


def compare(queue, calls, given):
    """Each text, computed by the device of the given values, against what the host has."""
    arrays = {f"o{k}": np.zeros(1, type(value)) for k, value in enumerate(calls.values())}
    text = "\n".join(f"o{k}[0] = {call};" for k, call in enumerate(calls))
    queue.single_task(text, **given, **arrays).wait()
    for (call, value), got in zip(calls.items(), arrays.values(), strict=True):
        found = got.view(value.element_type)[: value.count]
        assert np.array_equal(found, np.asarray(value), equal_nan=value.element_type.kind == "f"), call


@pytest.mark.spec("D401", "D440", "D442", "D443")
@pytest.mark.parametrize("word", ["char", "ushort", "int", "ulong"])
def test_integer_functions_are_those_of_the_device(queue, word):
    rng = np.random.default_rng(13)
    cls = getattr(sycl, f"{word}8")
    limits = np.iinfo(cls.element_type)
    rest = [rng.integers(limits.min, limits.max, 4, cls.element_type, endpoint=True) for _ in range(3)]
    a, b = cls(limits.min, limits.max, 0, 1, rest[0]), cls(limits.max, limits.max, 7, 0, rest[1])
    c = cls(1, 2, 3, 4, rest[2])
    given = {"a": a, "b": b, "c": c}
    calls = {
        "abs(a)": m.abs(a), "abs_diff(a, b)": m.abs_diff(a, b), "add_sat(a, b)": m.add_sat(a, b),
        "hadd(a, b)": m.hadd(a, b), "rhadd(a, b)": m.rhadd(a, b), "clz(a)": m.clz(a),
        "mad_hi(a, b, c)": m.mad_hi(a, b, c), "mad_sat(a, b, c)": m.mad_sat(a, b, c), "max(a, b)": m.max(a, b),
        "min(a, b)": m.min(a, b), "mul_hi(a, b)": m.mul_hi(a, b), "rotate(a, c)": m.rotate(a, c),
        "rotate(a, b)": m.rotate(a, b), "sub_sat(a, b)": m.sub_sat(a, b), "sub_sat(b, a)": m.sub_sat(b, a),
        "popcount(a)": m.popcount(a), "bitselect(a, b, c)": m.bitselect(a, b, c),
        f"clamp(a, ({word}8)3, ({word}8)90)": m.clamp(a, 3, 90), "select(a, b, a)": m.select(a, b, a),
    }  # fmt: skip
    assert m.all(m.clamp(a, 3, 90) == m.clamp(a, cls(3), cls(90)))
    if word == "int":
        p, q = sycl.int8(5, -5, 2**23 - 1, -(2**23), 0, 1, 2, 3), sycl.int8(7, 7, 3, 2, 1, 2, 3, 4)
        given |= {"p": p, "q": q}
        calls |= {"mul24(p, q)": m.mul24(p, q), "mad24(p, q, a)": m.mad24(p, q, a)}
    if word != "ulong":
        half = word.removeprefix("u")
        hi, lo = getattr(sycl, f"{half}2")(-2, 5), getattr(sycl, f"u{half}2")(250, 1)
        given |= {"hi": hi, "lo": lo}
        calls |= {"upsample(hi, lo)": m.upsample(hi, lo), "upsample(lo, lo)": m.upsample(lo, lo)}
    compare(queue, calls, given)


@pytest.mark.spec("D401", "D447", "D448", "D449")
def test_relational_functions_are_those_of_the_device(queue):
    f, g = sycl.float8(1, 2, np.nan, -0.0, np.inf, 1e-30, -3, 0), sycl.float8(1, 3, 1, 0, -np.inf, 0, np.nan, -1)
    mask = sycl.int8(-1, 0, 1, -5, 0, 0, 2**31 - 1, -(2**31))
    two = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered"
    calls = {f"{name}(f, g)": getattr(m, name)(f, g) for name in re.findall(r"\w+", two)}
    calls |= {f"{name}(f)": getattr(m, name)(f) for name in ("isfinite", "isinf", "isnan", "isnormal", "signbit")}
    calls |= {
        "select(f, g, mask)": m.select(f, g, mask),
        "bitselect(f, g, as_float8(mask))": m.bitselect(f, g, mask.as_(sycl.float8)),
        "(int2)(any(mask), all(mask))": sycl.int2(m.any(mask), m.all(mask)),
        "(int2)(any(mask == 77), all(mask | -1))": sycl.int2(m.any(mask == 77), m.all(mask | -1)),
        "(int2)(isless(f.s0, g.s1), signbit(g.s0))": sycl.int2(m.isless(f.s0, g.s1), m.signbit(g.s0)),
    }
    compare(queue, calls, {"f": f, "g": g, "mask": mask})


@pytest.mark.spec("D401", "D402", "D446")
def test_geometric_functions_are_those_of_the_device(queue):
    p, q = sycl.float4(3, -1, 2, 0.5), sycl.float4(0.25, 4, 1, -2)
    given = {
        "p": p,
        "q": q,
        "p3": sycl.float3(p.xyz),
        "q3": sycl.float3(q.xyz),
        "p2": sycl.float2(p.xy),
        "q2": sycl.float2(q.xy),
    }
    lines, expected = (
        ["out[0] = cross(p, q); out[1] = (float4)(cross(p3, q3), 0);"],
        [m.cross(p, q), [*m.cross(given["p3"], given["q3"]), 0]],
    )
    for a, b in (("p", "q"), ("p3", "q3"), ("p2", "q2")):
        x, y = given[a], given[b]
        k = len(expected)
        lines.append(f"out[{k}] = (float4)(dot({a}, {b}), distance({a}, {b}), length({a}), fast_distance({a}, {b}));")
        expected.append([m.dot(x, y), m.distance(x, y), m.length(x), m.fast_distance(x, y)])
        unit = f"normalize({a})"
        lines.append(f"out[{k + 1}] = (float4)(fast_length({a}), {unit}.x, {unit}.y, fast_normalize({a}).x);")
        expected.append([m.fast_length(x), m.normalize(x).x, m.normalize(x).y, m.fast_normalize(x).x])
    out = np.zeros((len(expected)), sycl.float4)
    queue.single_task("\n".join(lines), out=out, **given)
    found = out.view(np.float32).reshape(-1, 4)
    assert np.allclose(found, np.array([list(row) for row in expected], np.float32), 1e-3)  # fast_: 8192 ulp
    exact = found[:, :3].copy()
    exact[1::2, 0] = np.array([row[0] for row in expected[1::2]])
    assert np.allclose(exact, np.array([list(row) for row in expected], np.float32)[:, :3], 2e-6, 1e-6)


# -- against Python --


@pytest.mark.spec("D401", "D432", "D433", "D435", "D437")
@pytest.mark.parametrize("kind", table.TYPES)
def test_they_keep_the_bounds_of_devices(kind):
    """Of special values and of all sizes, against a mantissa of 64 bits; half and double too, which not every device has."""
    given, asked = table.arguments(kind), 0
    for row in table.MATH:
        if row.text != f"{row.name}({', '.join(row.takes)})":  # results by pointers, scalars beside vectors
            continue
        asked += 1
        with np.errstate(all="ignore"):
            found = np.asarray(getattr(m, row.name)(*(given[v] for v in row.takes)))
        assert found.dtype == table.TYPES[kind]
        apart = np.where(table.asked(row, given), table.errors(found, table.expected(row, given)), 0)
        at = int(apart.argmax())
        assert apart[at] <= row.bound_of(kind) * 1.001, (row.name, [given[v][at] for v in row.takes], found[at])
    assert asked > 50
    big, small = np.float64(1e200), np.float64(1e-200)
    assert (m.fma(-big, big, small), m.fma(big, big, -1.0), m.fma(small, -small, 0.0)) == (-np.inf, np.inf, 0)


@pytest.mark.spec("D401")
def test_of_numbers_and_arrays_of_each_type():
    x = [0.5, 0.25, -0.75]
    for kind in (np.float16, np.float32, np.float64):
        found = m.sinpi(np.array(x, kind))
        assert found.dtype == kind and found.shape == (3,)
        assert np.allclose(found, [1, math.sqrt(0.5), -math.sqrt(0.5)], rtol=2 * np.finfo(kind).eps)
        assert m.sqrt(kind(2)) == kind(math.sqrt(2)) and isinstance(m.sqrt(kind(2)), kind)
        assert m.hypot(np.array([[3], [5]], kind), np.array([4, 12], kind)).shape == (2, 2)
    assert isinstance(m.sqrt(2), np.float64) and m.max(np.float32(1), 2).dtype == np.float32
    assert m.mix(np.zeros(2, np.float32), 1, 0.5).dtype == np.float32
    assert list(m.sincos(sycl.mfloat3(0, 0, 0))[1]) == [1, 1, 1]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_fma_rounds_once(kind):
    rng = np.random.default_rng(17)
    a, b = (rng.normal(size=300).astype(kind) for _ in range(2))
    c = np.where(np.arange(300) % 2, -(a * b), rng.normal(size=300)).astype(kind)  # half of them cancel
    for found, *given in zip(m.fma(a, b, c), a, b, c, strict=True):
        x, y, z = (Fraction(float(each)) for each in given)
        exact = x * y + z
        error = abs(Fraction(float(found)) - exact)
        for neighbour in (np.nextafter(found, kind(np.inf)), np.nextafter(found, kind(-np.inf))):
            assert error <= abs(Fraction(float(neighbour)) - exact)
    assert np.isnan(m.fma(kind(np.inf), kind(0), kind(1))) and m.fma(kind(np.inf), kind(1), kind(1)) == np.inf
    assert np.signbit(m.fma(kind(-1), kind(0), kind(-0.0))) and not np.signbit(m.fma(kind(-1), kind(1), kind(1)))


def test_fma_of_float_where_double_would_round_to_a_tie():
    """The sum lies less than a double's last place below the middle of two floats."""
    a, b, c = (np.float32(v) for v in ((1 + 2**-23) * 2**-12, 1 - 2**-23, 4096 + 2**-11))
    assert m.fma(a, b, c) == c and m.fma(-a, b, -c) == -c


@pytest.mark.spec("D436")
def test_remainders_against_python():
    rng = np.random.default_rng(19)
    x, y = rng.normal(size=500) * 10.0 ** rng.integers(-5, 5, 500), rng.normal(size=500)
    x[:4], y[:4] = [0.5, 1.5, 2.5, -2.5], 1
    for kind in (np.float64, np.float32):
        p, q = x.astype(kind), y.astype(kind)
        rest, quotient = m.remquo(p, q)
        assert np.array_equal(rest, m.remainder(p, q))
        for r, n, a, b in zip(rest, quotient, p.tolist(), q.tolist(), strict=True):
            assert r == math.remainder(a, b)
            whole = (Fraction(a) - Fraction(float(r))) / Fraction(b)
            assert whole.denominator == 1 and n == int(math.copysign(abs(int(whole)) % 128, whole)), (a, b)
        assert m.fmod(p, q).tolist() == [math.fmod(a, b) for a, b in zip(p.tolist(), q.tolist(), strict=True)]
    assert np.isnan(m.remainder(1.0, 0.0)) and m.remainder(1.0, np.inf) == 1 and np.isnan(m.remainder(np.inf, 1.0))
    assert math.copysign(1, m.remainder(-2.0, 1.0)) == -1
    assert [m.rint(v) for v in (0.5, 1.5, -2.5)] == [0, 2, -2] and [m.round(v) for v in (0.5, 1.5, -2.5)] == [1, 2, -3]
    assert m.round(0.49999999999999994) == 0
    assert [m.rootn(v, n) for v, n in ((-8.0, 3), (16.0, -4), (0.0, -3))] == [-2, 0.5, np.inf]
    assert np.isnan(m.rootn(-4.0, 2)) and np.isnan(m.rootn(4.0, 0)) and np.isnan(m.powr(-1.0, 2.0))
    assert np.isnan(m.powr(0.0, 0.0)) and m.pow(0.0, 0.0) == 1 and m.pown(-2.0, 3) == -8
    assert m.nextafter(np.float16(1), np.float16(2)) == np.float16(1) + np.finfo(np.float16).eps


@pytest.mark.spec("D434", "D435")
def test_second_results_and_special_values():
    assert m.fract(-0.25) == (0.75, -1) and m.fract(np.float32(-1e-30))[0] == np.nextafter(np.float32(1), np.float32(0))
    assert m.fract(np.inf) == (0, np.inf) and m.modf(-1.5) == (-0.5, -1) and m.frexp(12.0) == (0.75, 4)
    assert m.frexp(12.0)[1].dtype == m.ilogb(1.0).dtype == np.int32
    assert m.lgamma_r(-0.5)[1] == -1 and m.lgamma_r(-1.5)[1] == 1 and m.lgamma(0.0) == np.inf == m.tgamma(0.0)
    assert m.tgamma(5.0) == 24 and np.isnan(m.tgamma(-2.0)) and m.tgamma(200.0) == np.inf
    assert abs(m.tgamma(-184.5)) < 1e-300
    assert [m.sinpi(v) for v in (1.0, 0.5, 1e300, -2.0)] == [0, 1, 0, 0] and not np.signbit(m.sinpi(1.0))
    assert np.signbit(m.sinpi(-1.0)) and m.cospi(0.5) == 0 and m.tanpi(0.25) == pytest.approx(1, rel=1e-15)
    assert m.cospi(1e15 + 1) == -1 and m.tanpi(0.5) == np.inf and np.isnan(m.sinpi(np.inf))
    assert m.logb(np.float32(1e-45)) == -149 and m.logb(0.0) == -np.inf and m.ilogb(0.0) == -(2**31)
    assert m.ldexp(np.float32(1), -149) == np.float32(1e-45) and m.ldexp(1.0, np.array([1, 2])).tolist() == [2, 4]
    assert (m.fmax(1.0, np.nan), m.fmin(np.nan, 1.0), m.maxmag(-3.0, 2.0), m.minmag(-3.0, 2.0)) == (1, 1, -3, 2)
    assert m.fdim(2.0, 3.0) == 0 and np.isnan(m.fdim(np.nan, 0.0)) and m.exp10(3.0) == 1000
    assert m.nan(np.uint32(5)).view("u4") == 0x7FC00005 and m.nan(7).view("u8") == 0x7FF8000000000007
    assert m.nan(np.uint16(1)).dtype == np.float16 and np.isnan(list(m.nan(sycl.uint2(1, 2)))).all()
    assert m.erf(np.array([0.0, np.inf])).tolist() == [0, 1] and m.erfc(-np.inf) == 2


@pytest.mark.spec("D438", "D439")
def test_native_and_half_precision():
    names = [
        "cos",
        "divide",
        "exp",
        "exp2",
        "exp10",
        "log",
        "log2",
        "log10",
        "powr",
        "recip",
        "rsqrt",
        "sin",
        "sqrt",
        "tan",
    ]
    for space in (m.native, m.half_precision):
        assert sorted(vars(space)) == sorted(names)
        assert space.divide(np.float32(1), np.float32(3)) == np.float32(1) / np.float32(3)
        assert space.recip(4.0) == 0.25 and space.powr(2.0, 3.0) == 8
        for name in set(names) - {"divide", "recip", "powr"}:
            assert list(getattr(space, name)(sycl.float2(0.5, 2))) == list(getattr(m, name)(sycl.float2(0.5, 2)))


def whole(dtype):
    limits = np.iinfo(dtype)
    return [limits.min, limits.max, 0, 1, 5, limits.max // 2, limits.max - 1, limits.min + 1]


@pytest.mark.spec("D440", "D441", "D442", "D443")
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integer_functions_against_python(kind):
    """Every pair of some numbers, against whole numbers without bound."""
    dtype, bits = np.dtype(kind), int(kind[1]) * 8
    limits, some = np.iinfo(dtype), whole(dtype)
    x, y = (np.array(each, dtype).ravel() for each in np.meshgrid(np.array(some, dtype), np.array(some, dtype)))

    def saturated(value):
        return max(limits.min, min(limits.max, value))

    def wrapped(value):
        value &= 2**bits - 1
        return value - 2**bits if limits.min < 0 and value >> (bits - 1) else value

    def rotated(value, count):
        value, count = value & (2**bits - 1), count % bits
        return wrapped(value << count | value >> (bits - count))

    table = {
        "abs_diff": lambda a, b: abs(a - b), "add_sat": lambda a, b: saturated(a + b), "hadd": lambda a, b: (a + b) >> 1,
        "sub_sat": lambda a, b: saturated(a - b), "rhadd": lambda a, b: (a + b + 1) >> 1, "max": max, "min": min,
        "mul_hi": lambda a, b: (a * b) >> bits, "rotate": rotated,
    }  # fmt: skip
    for name, call in table.items():
        found = getattr(m, name)(x, y)
        assert found.dtype == (f"u{kind[1]}" if name == "abs_diff" else kind)
        assert found.tolist() == [call(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)], name
    three = zip(x.tolist(), y.tolist(), x[::-1].tolist(), strict=True)
    assert m.mad_sat(x, y, x[::-1]).tolist() == [saturated(a * b + c) for a, b, c in three]
    three = zip(x.tolist(), y.tolist(), x[::-1].tolist(), strict=True)
    assert m.mad_hi(x, y, x[::-1]).tolist() == [wrapped((a * b >> bits) + c) for a, b, c in three]
    one = np.array(some, dtype)
    bare = [value & (2**bits - 1) for value in some]
    assert m.abs(one).tolist() == [abs(value) for value in some] and m.abs(one).dtype == f"u{kind[1]}"
    assert m.popcount(one).tolist() == [value.bit_count() for value in bare]
    assert m.clz(one).tolist() == [bits - value.bit_length() for value in bare]
    assert m.ctz(one).tolist() == [(value & -value).bit_length() - 1 if value else bits for value in bare]
    assert m.clamp(one, 2, 100).tolist() == [min(max(value, 2), 100) for value in some]
    assert m.clz(dtype.type(0)) == m.ctz(dtype.type(0)) == bits


@pytest.mark.spec("D444", "D445")
def test_common_functions():
    x = np.array([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0])
    assert m.smoothstep(0, 1, x).tolist() == [0, 0, 0.15625, 0.5, 1, 1]
    assert m.step(0.5, x).tolist() == [0, 0, 0, 1, 1, 1]
    assert [m.sign(v) for v in (3.0, -2.0, np.nan, 0.0)] == [1, -1, 0, 0] and np.signbit(m.sign(-0.0))
    assert m.degrees(math.pi) == 180 and m.radians(180.0) == math.pi and m.mix(2.0, 4.0, 0.5) == 3
    for v in (m.clamp(sycl.float2(-1, 5), 0, 1), m.max(sycl.float2(0, -7), 0) + sycl.float2(0, 1)):
        assert list(v) == [0, 1]
    assert list(m.mix(sycl.mfloat2(0, 1), sycl.mfloat2(1, 3), 0.5)) == [0.5, 2]


@pytest.mark.spec("D448", "D449", "D450")
def test_truth_values():
    """-1 in the integer as wide for Vec, bool for numbers, arrays and Marray."""
    for cls, result in ((sycl.float2, sycl.int2), (sycl.double2, sycl.long2), (sycl.half2, sycl.short2)):
        found = m.isless(cls(1, 2), cls(2, 1))
        assert isinstance(found, result) and list(found) == [-1, 0]
        assert list(m.signbit(cls(-0.0, 1))) == [-1, 0]
    assert isinstance(m.isnan(sycl.mfloat2(np.nan, 1)), sycl.mbool2)
    assert m.isless(1.0, 2.0) == 1 and isinstance(m.isless(1.0, 2.0), np.bool_)
    assert m.isfinite(np.array([1, np.inf])).dtype == bool
    assert m.isnormal(np.array([1e-40, 1], np.float32)).tolist() == [False, True]
    for value, some, every in ((sycl.int2(-1, 0), 1, 0), (sycl.int2(5, 7), 0, 0), (sycl.char2(-1, -128), 1, 1)):
        assert (m.any(value), m.all(value)) == (some, every) and type(m.any(value)) is int
    assert m.any(sycl.mbool2(1, 0)) is True and m.all(np.array([True, False])) is False and m.any(np.int8(-1)) is True
    assert list(m.select(sycl.int2(1, 2), sycl.int2(3, 4), sycl.int2(-1, 1))) == [3, 2]
    assert list(m.select(sycl.mint2(1, 2), sycl.mint2(3, 4), sycl.mbool2(0, 1))) == [1, 4]
    assert m.select(1, 2, 1) == 2 and m.select(np.zeros(2), 1.0, np.array([0, 4])).tolist() == [0, 1]
    assert m.bitselect(np.uint8(0xF0), np.uint8(0x0F), np.uint8(0x3C)) == 0xCC
    assert m.upsample(np.int8(-1), np.uint8(255)) == -1 and m.upsample(np.uint32(1), np.uint32(2)) == 2**32 + 2


@pytest.mark.spec("D402")
def test_geometric_functions_of_arrays():
    """The vectors are along the last axis; of numbers there is one component."""
    a = np.array([[3.0, 4.0], [1e200, 1e200], [0, 0]])
    assert m.length(a).tolist() == pytest.approx([5, math.sqrt(2) * 1e200, 0])
    assert np.allclose(m.normalize(a), [[0.6, 0.8], [math.sqrt(0.5)] * 2, [0, 0]])
    assert m.dot(np.float32([1, 2, 3]), np.float32([4, 5, 6])) == 32 and m.length(-2.0) == 2 and m.normalize(-2.0) == -1
    assert m.cross(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])).tolist() == [0, 0, 1]
    assert list(m.cross(sycl.mdouble4(1, 0, 0, 5), sycl.mdouble4(0, 1, 0, 5))) == [0, 0, 1, 0]
    assert (
        m.length(sycl.float2(3e30, 4e30)) == np.float32(5e30)
        and m.dot(sycl.half2(1, 2), sycl.half2(3, 4)).dtype == "f2"
    )
    assert list(m.normalize(sycl.float2(np.inf, 1))) == [1, 0] and np.isnan(m.length(sycl.float2(np.nan, 1)))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: m.sin(1, 2), "sin() takes 1 argument, 2 given"),
    (lambda: m.mad(1, 2), "mad() takes 3 arguments, 2 given"),
    (lambda: m.clz(1.5), "clz(): is of integers, not of float64"),
    (lambda: m.sin(1j), "sin(): is of floating-point numbers, not of complex128"),
    (lambda: m.sin(sycl.int2()), "sin(): is of floating-point numbers, not of int32"),
    (lambda: m.popcount(np.zeros(2, bool)), "popcount(): is of integers, not of bool"),
    (lambda: m.max(sycl.int2(), sycl.float2()), "max(): the arguments are of several element types; convert them"),
    (lambda: m.max(sycl.int2(), sycl.int3()), "a int2 and a int3 do not go together"),
    (lambda: m.max(sycl.int2(), sycl.mint2()), "a int2 and a mint2 do not go together"),
    (lambda: m.mul24(np.int8(1), np.int8(2)), "mul24() and mad24(): are of int32 and uint32, not of int8"),
    (lambda: m.dot(np.zeros(5), np.zeros(5)), "dot(): is of vectors of 1 to 4 components, not of 5"),
    (lambda: m.cross(np.zeros(2), np.zeros(2)), "cross(): is of vectors of 3 or 4 components, not of 2"),
    (lambda: m.dot(sycl.float2(), 1.0), "dot(): expected vectors, got 1.0 beside a float2"),
    (lambda: m.select(sycl.int2(), sycl.int2(), sycl.char2()),
     "select(): the condition is a char2; expected integers as wide as int32"),
    (lambda: m.select(sycl.int2(), sycl.int2(), 1), "select(): expected a Vec of conditions, got 1"),
    (lambda: m.upsample(np.int8(1), np.int8(1)),
     "upsample(): expected integers of at most 32 bits and unsigned ones as wide, got int8 and int8"),
    (lambda: m.nan(np.int32(1)), "nan(): expected unsigned integers of 16, 32 or 64 bits, got int32"),
])  # fmt: skip
def test_arguments_that_do_not_fit(call, words):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == words


@pytest.mark.spec("D401")
def test_of_arrays_of_vecs():
    """Each element is a vec; numbers, arrays of as many numbers, and a Vec go along."""
    x = np.zeros((2, 3), sycl.float3)
    for number, name in enumerate(("s0", "s1", "s2")):
        x[name] = np.arange(6).reshape(2, 3) + number / 4
    found = m.sinpi(x)
    assert found.dtype == np.dtype(sycl.float3) and found.shape == (2, 3)
    for name in ("s0", "s1", "s2"):
        assert np.array_equal(found[name], m.sinpi(x[name]))
    limited = m.clamp(x, 1, np.full((2, 3), 3, np.float32))
    assert np.array_equal(limited["s1"], np.clip(x["s1"], 1, 3)) and limited.dtype == x.dtype
    assert np.array_equal(m.fmax(x, sycl.float3(9, 0, 2))["s2"], np.maximum(x["s2"], 2))
    less = m.isless(x, sycl.float3(1, 1, 1))
    assert less.dtype == np.dtype(sycl.int3) and np.array_equal(less["s0"], -(x["s0"] < 1).astype("i4"))
    part, exponent = m.frexp(x)
    assert part.dtype == x.dtype and exponent.dtype == np.dtype(sycl.int3)
    assert m.popcount(np.full(2, 7, "i4").view("i4")).tolist() == [3, 3]
    assert m.popcount(np.zeros(2, sycl.uchar2)).dtype == np.dtype(sycl.uchar2)
    with pytest.raises(TypeError) as caught:
        m.fmax(np.zeros(1, [("a", "f4")]), 1)
    assert str(caught.value) == "fmax(): expected arrays of numbers or of one type of vec, got [('a', '<f4')]"


def test_names():
    with pytest.raises(AttributeError, match="module 'pysycl.math' has no function 'sinus'"):
        _ = m.sinus
    assert {"sin", "clz", "dot", "isequal", "select", "native"} <= set(dir(m))
    assert m.sin.__name__ == "sin" and "sin(x)" in m.sin.__doc__
