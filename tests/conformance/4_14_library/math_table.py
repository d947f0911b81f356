"""What the tests of functions in kernels and tests/bench/accuracy.py share: each function's text, what it is in 64 bits of
mantissa, and how far off OpenCL allows a device to be."""

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import pysycl as sycl

Array = Any  # numpy.ndarray
WIDE = np.longdouble
PI = WIDE("3.14159265358979323846264338327950288")
EXACT, ROUNDED, LOOSE = (0.0,) * 3, (0.5,) * 3, (8192.0,) * 3
OPEN = (16.0, 16.0, 4.0)  # as tgamma's
TYPES = {"half": np.dtype("f2"), "float": np.dtype("f4"), "double": np.dtype("f8")}
WIDTHS = (1, 2, 3, 4, 8, 16)
COUNT = 960  # arguments: a multiple of every width


class Row(NamedTuple):
    """One function, or one result of it."""

    name: str
    text: str
    """An expression of x, y, z (of the type T), n (of I, as many ints) and p, q (variables of T and I for results). S is T's
    scalar; AS_T and AS_U make T, and unsigned integers of its size, of n."""
    call: Callable[..., Array]
    """Of arrays of longdouble; n is one of int64."""
    takes: str = "x"
    bound: tuple[float, ...] = EXACT
    """ulp of float, double and half (OpenCL C 1.2, 7.4; its extensions, 9.5.5)."""
    only: str = ""
    """The one type that has it."""
    domain: tuple[float, float] | None = None
    """The sizes of its arguments for which it is asked."""
    typed: bool = False
    """`call` depends on the type, and takes arrays of it."""

    def bound_of(self, kind: str) -> float:
        return self.bound[("float", "double", "half").index(kind)]


# -- what NumPy does not have --


def each(call: Callable[..., float], count: int = 1) -> Callable[..., Array]:
    """A function of doubles that gives a double."""

    def one(*arguments: Any) -> float:
        try:
            return call(*(float(a) for a in arguments))
        except ValueError:
            return math.nan

    vectorised: Any = np.frompyfunc(one, count, 1)
    return lambda *arguments: np.asarray(vectorised(*arguments), WIDE)


def of_libm(name: str) -> Callable[..., Array]:
    """glibc's, with a mantissa of 64 bits, rounded to 53."""
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]
    return each(function)


def half_turns(x: Array) -> tuple[Array, Array]:
    rest = np.fmod(x, WIDE(2))
    quarters = np.rint(2 * rest)
    sine, cosine = np.sin(PI * (rest - quarters / 2)), np.cos(PI * (rest - quarters / 2))
    quarter = np.where(np.isfinite(quarters), quarters, 0).astype(int) & 3
    return (
        np.choose(quarter, [sine, cosine, -sine, -cosine]) + 0 * x,
        np.choose(quarter, [cosine, -sine, -cosine, sine]) + 0 * x,
    )


def tanpi(x: Array) -> Array:
    sine, cosine = half_turns(x)
    half = np.fmod(np.abs(x), 1) == 0.5
    return np.where(half, np.where(np.fmod(x - 0.5, 2) == 0, np.inf, -np.inf), sine / np.where(half, 1, cosine))


def fma(x: Array, y: Array, z: Array) -> Array:
    """Rounded to odd in 64 bits, so that the rounding behind it is right."""

    def one(a: Any, b: Any, c: Any) -> Any:
        if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
            return a * b + c
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        near = WIDE(0)
        rest = exact
        for _ in range(3):  # each takes 53 bits more
            try:
                part = float(rest)
            except OverflowError:
                return WIDE(a) * WIDE(b) + WIDE(c)
            near += WIDE(part)
            rest -= Fraction(part)
        return near

    vectorised: Any = np.frompyfunc(one, 3, 1)
    return np.asarray(vectorised(x, y, z), WIDE)


def rootn(x: Array, n: Array) -> Array:
    n = n.astype(WIDE)
    size = np.abs(x)
    root = np.power(size, 1 / np.where(n == 0, np.nan, n))
    better = root - root * (np.power(root, n) / size - 1) / n
    root = np.where(np.isfinite(better) & (size > 0) & np.isfinite(size), better, root)
    odd = np.fmod(np.abs(n), 2) == 1
    return np.where(odd, np.copysign(root, x), np.where((x < 0) | (n == 0), np.nan, root))


def powr(x: Array, y: Array) -> Array:
    undefined = (x < 0) | ((x == 0) & (y == 0)) | (np.isinf(x) & (y == 0)) | ((x == 1) & np.isinf(y))
    return np.where(undefined | np.isnan(x) | np.isnan(y), np.nan, np.power(np.abs(x), y))


def by_size(larger: bool) -> Callable[..., Array]:
    def call(x: Array, y: Array) -> Array:
        a, b = (np.abs(x), np.abs(y)) if larger else (np.abs(y), np.abs(x))
        return np.where(a > b, x, np.where(b > a, y, np.fmax(x, y) if larger else np.fmin(x, y)))

    return call


def fract(x: Array) -> Array:
    return np.where(np.isinf(x), 0, x - np.floor(x))


def round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0)


def logb(x: Array) -> Array:
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), np.frexp(x)[1].astype(WIDE) - 1, np.abs(x)))


def quotient(x: Array, y: Array) -> Array:
    """The low 7 bits of remquo's, with the quotient's sign."""
    whole = np.asarray(sycl.math.remquo(x.astype(float), y.astype(float))[1])
    return np.sign(whole) * (np.abs(whole) % 128)


def sign_of_gamma(x: Array) -> Array:
    """Of the places that lgamma_r is asked for: a quarter behind whole numbers."""
    return np.where((x < 0) & (np.fmod(np.floor(x), 2) != 0), -1, 1)


remainder = each(math.remainder, 2)
log_gamma = of_libm("lgammal")


def alike(names: str, bound: Sequence[float], takes: str = "x", **calls: Callable[..., Array]) -> list[Row]:
    """Functions of one bound, which NumPy has by the same name or `calls` holds."""
    return [
        Row(name, f"{name}({', '.join(takes)})", calls.get(name) or getattr(np, name), takes, tuple(bound))
        for name in names.split()
    ]


_TRIG = {"acos": np.arccos, "asin": np.arcsin, "acosh": np.arccosh, "asinh": np.arcsinh, "atan": np.arctan,
         "atanh": np.arctanh}  # fmt: skip
MATH = [
    *alike("acos asin acosh asinh", (4, 4, 2), **_TRIG),
    *alike("atan atanh", (5, 5, 2), **_TRIG),
    *alike("acospi asinpi", (4, 4, 2), acospi=lambda x: np.arccos(x) / PI, asinpi=lambda x: np.arcsin(x) / PI),
    *alike("atanpi", (5, 5, 2), atanpi=lambda x: np.arctan(x) / PI),
    *alike("atan2 atan2pi", (6, 6, 2), "xy", atan2=np.arctan2, atan2pi=lambda x, y: np.arctan2(x, y) / PI),
    *alike("cbrt", (2, 2, 2)),
    *alike("ceil fabs floor rint trunc", EXACT),
    *alike("round logb", EXACT, round=round_away, logb=logb),
    *alike("copysign fmax fmin fmod", EXACT, "xy"),
    *alike("maxmag minmag remainder", EXACT, "xy", maxmag=by_size(True), minmag=by_size(False), remainder=remainder),
    *alike("fdim", ROUNDED, "xy", fdim=lambda x, y: np.where(np.isnan(x + y), x + y, np.where(x > y, x - y, 0))),
    *alike("cos sin cosh sinh", (4, 4, 2)),
    *alike("cospi sinpi", (4, 4, 2), cospi=lambda x: half_turns(x)[1], sinpi=lambda x: half_turns(x)[0]),
    *alike("tan tanh", (5, 5, 2)),
    *alike("tanpi", (6, 6, 2), tanpi=tanpi),
    *alike("erf erfc", (16, 16, 4), erf=of_libm("erfl"), erfc=of_libm("erfcl")),
    *alike("tgamma", (16, 16, 4), tgamma=of_libm("tgammal")),
    *alike("exp exp2 exp10 expm1", (3, 3, 2), exp10=lambda x: np.power(WIDE(10), x)),
    *alike("log log2 log10", (3, 3, 2)),
    *alike("log1p", (2, 2, 2)),
    *alike("fma", ROUNDED, "xyz", fma=fma),
    *alike("hypot", (4, 4, 2), "xy"),
    *alike("pow powr", (16, 16, 4), "xy", pow=np.power, powr=powr),
    *alike("pown rootn", (16, 16, 4), "xn", pown=lambda x, n: np.power(x, n.astype(WIDE)), rootn=rootn),
    *alike("ldexp", ROUNDED, "xn"),
    Row("ldexp, scalar", "ldexp(x, -3)", lambda x: np.ldexp(x, -3), "x", ROUNDED),
    Row("fmax, scalar", "fmax(x, (S)0.5)", lambda x: np.fmax(x, 0.5)),
    Row("fmin, scalar", "fmin(x, (S)0.5)", lambda x: np.fmin(x, 0.5)),
    Row("nextafter", "nextafter(x, y)", np.nextafter, "xy", typed=True),
    Row("nan", "nan(AS_U(n))", lambda n: np.full(n.shape, np.nan), "n"),
    Row(
        "mad",
        "mad(fabs(x), fabs(y), fabs(z))",
        lambda x, y, z: abs(x * y) + abs(z),
        "xyz",
        (1.0,) * 3,
        domain=(0.01, 100),
    ),
    *alike("rsqrt", (2, 2, 1), rsqrt=lambda x: 1 / np.sqrt(x)),
    *alike("sqrt", (3, 0.5, 0.5)),
    Row("1/x", "1 / x", lambda x: 1 / x, "x", (2.5, 0.5, 0.5)),
    Row("x/y", "x / y", lambda x, y: x / y, "xy", (2.5, 0.5, 0.5)),
    Row("ilogb", "AS_T(ilogb(x))", logb, "x", domain=(1e-4, 1e4)),
    Row("fract", "fract(x, &p)", fract, "x", (1.0,) * 3),
    Row("fract, whole", "(fract(x, &p), p)", np.floor),
    Row("modf", "modf(x, &p)", lambda x: np.where(np.isinf(x), 0, x - np.trunc(x))),
    Row("modf, whole", "(modf(x, &p), p)", np.trunc),
    Row("sincos", "sincos(x, &p)", np.sin, "x", (4, 4, 2)),
    Row("sincos, cosine", "(sincos(x, &p), p)", np.cos, "x", (4, 4, 2)),
    Row("frexp", "frexp(x, &q)", lambda x: np.frexp(x)[0]),
    Row("frexp, exponent", "(frexp(x, &q), AS_T(q))", lambda x: np.frexp(x)[1], domain=(1e-4, 1e4)),
    Row("remquo", "remquo(x, y, &q)", remainder, "xy"),
    Row("remquo, quotient", "(remquo(x, y, &q), AS_T(q % 128))", quotient, "xy", domain=(1e-3, 1e3)),
    Row("lgamma", "lgamma(fabs(x))", lambda x: log_gamma(abs(x)), "x", OPEN, domain=(3, 1e4)),
    Row("lgamma_r", "lgamma_r(fabs(x), &q)", lambda x: log_gamma(abs(x)), "x", OPEN, domain=(3, 1e4)),
    Row("lgamma_r, sign", "(lgamma_r(floor(x) + AS_T(n * 0 + 1) / 4, &q), AS_T(q))", sign_of_gamma, domain=(0.1, 30)),
]
"""4.17.5. half's bounds are those of the full profile. OpenCL bounds neither mad, which may round once or twice (here where
nothing cancels), nor the logarithm of gamma."""
_LOOSE = (
    ("cos", np.cos), ("exp", np.exp), ("exp2", np.exp2), ("exp10", lambda x: np.power(WIDE(10), x)), ("log", np.log),
    ("log2", np.log2), ("log10", np.log10), ("rsqrt", lambda x: 1 / np.sqrt(x)), ("sin", np.sin), ("sqrt", np.sqrt),
    ("tan", np.tan), ("recip", lambda x: 1 / x),
)  # fmt: skip
NEAR = (0.25, 0.875)  # where even a native function is near, and a logarithm not 0
LOOSE_ROWS = [
    row
    for space in ("native", "half")
    for row in (
        *(Row(f"{space}_{name}", f"{space}_{name}(x)", call, "x", LOOSE, "float", NEAR) for name, call in _LOOSE),
        Row(f"{space}_divide", f"{space}_divide(x, y)", lambda x, y: x / y, "xy", LOOSE, "float", NEAR),
        Row(f"{space}_powr", f"{space}_powr(x, y)", powr, "xy", LOOSE, "float", NEAR),
    )
]
"""The namespaces native (whose error nothing bounds: here as half_precision's) and half_precision."""


def rows_of(kind: str) -> list[Row]:
    return [row for row in (*MATH, *LOOSE_ROWS) if row.only in ("", kind)]


# -- arguments --


@functools.cache
def arguments(kind: str, count: int = COUNT, denormal: bool = True) -> dict[str, Array]:
    """x, y, z and n: special values, whole and half numbers, neighbours of 1 and of multiples of pi / 2, small ones, and
    any bits."""
    dtype, rng = TYPES[kind], np.random.default_rng(count)
    limits = np.finfo(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, limits.max, -limits.max, limits.tiny,
               limits.smallest_subnormal, -limits.smallest_subnormal, limits.eps, 3, -3, 1e4]  # fmt: skip
    part = count // 6
    pools = [
        rng.integers(-20, 20, part) / 2,
        np.nextafter(dtype.type(1), dtype.type(0)) + rng.integers(-40, 40, part) * limits.eps,
        (rng.integers(-300, 300, part) * (np.pi / 2)).astype(dtype),
        rng.normal(size=part),
        np.exp2(rng.uniform(-30, 30, part)) * rng.choice([-1, 1], part),
    ]
    bits = rng.integers(0, 2 ** (8 * dtype.itemsize), count, np.uint64, endpoint=False).astype(f"u{dtype.itemsize}")
    with np.errstate(over="ignore"):
        known = np.concatenate([special, *pools]).astype(dtype)
    pool = np.concatenate([known, bits.view(dtype)])[:count]
    pool[~np.isfinite(pool)] = dtype.type(0.75)
    pool[: len(special)] = special
    if not denormal:
        pool[(np.abs(pool) < limits.tiny) & (pool != 0)] = 0.25
    made = {name: rng.permutation(pool) for name in "xyz"}
    near = rng.choice(3, count) == 0  # quotients and powers of numbers that are not far apart
    with np.errstate(all="ignore"):
        made["y"] = np.where(near, (made["x"].astype(WIDE) * rng.uniform(0.3, 3, count)).astype(dtype), made["y"])
    made["n"] = rng.integers(-40, 40, count).astype(np.int32)
    return made


def asked(row: Row, given: dict[str, Array]) -> Array:
    """For which of the arguments."""
    if row.domain is None:
        return np.ones(given["x"].shape, bool)
    low, high = row.domain
    inside = np.ones(given["x"].shape, bool)
    for name in row.takes:
        size = np.abs(given[name].astype(float))
        inside &= (size >= low) & (size <= high) & ((given[name] > 0) | (row.only == ""))
    return inside


def expected(row: Row, given: dict[str, Array]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(
            row.call(*(given[v] if v == "n" or row.typed else given[v].astype(WIDE) for v in row.takes)), WIDE
        )


# -- kernels --


def text_of(kind: str, width: int, rows: Sequence[Row]) -> str:
    """A kernel that computes all rows for `width` neighbours; row k's results are from out[k * count] on."""
    many = str(width) if width > 1 else ""
    load = (lambda p: f"{p}[i]") if width == 1 else (lambda p: f"vload{width}(i, {p})")
    lines = [
        f"out[{k} * count + i] = {row.text};" if width == 1 else f"vstore{width}({row.text}, i, out + {k} * count);"
        for k, row in enumerate(rows)
    ]
    head = "".join(f"#pragma OPENCL EXTENSION cl_khr_{name} : enable\n" for name in ("fp64", "fp16")
                   if kind == {"fp64": "double", "fp16": "half"}[name])  # fmt: skip
    single = "__attribute__((reqd_work_group_size(1, 1, 1))) " if width > 1 else ""  # compiles in half the time
    unsigned = {"half": "ushort", "float": "uint", "double": "ulong"}[kind]
    return f"""{head}#define AS_T(n) convert_{kind}{many}(n)
#define AS_U(n) convert_{unsigned}{many}(n)
#define S {kind}
__kernel {single}void f(__global const {kind} *px, __global const {kind} *py, __global const {kind} *pz,
    __global const int *pn, __global {kind} *out, uint count)
{{
    size_t i = get_global_id(0);
    {kind}{many} x = {load("px")}, y = {load("py")}, z = {load("pz")}, p;
    int{many} n = {load("pn")}, q;
    {chr(10).join(lines)}
}}
"""


def compute(queue: sycl.Queue, kind: str, width: int, rows: Sequence[Row], given: dict[str, Array]) -> Array:
    """What a device gives: a row of results for each function."""
    count = len(given["x"])
    out = np.zeros((len(rows), count), TYPES[kind])
    program = sycl.Program(text_of(kind, width, rows))
    range_ = sycl.NdRange(count // width, 1) if width > 1 else sycl.Range(count)
    queue.parallel_for(range_, program.f, *(given[v] for v in "xyzn"), out, np.uint32(count))
    return out


# -- errors --


def errors(got: Array, exact: Array, denormal: bool = True) -> Array:
    """How many ulp apart: 0 for two NaN, inf where one is NaN. Beyond the largest number is the next power of two. A
    result smaller than any normal number may be 0 on a device without denormals."""
    limits = np.finfo(got.dtype)
    beyond = WIDE(2) ** int(limits.maxexp)
    with np.errstate(all="ignore"):
        found, true = (np.clip(each_.astype(WIDE), -beyond, beyond) for each_ in (got, exact))
        exponent = np.maximum(np.frexp(true)[1] - 1, int(limits.minexp))
        exponent = np.minimum(np.where(true == 0, int(limits.minexp), exponent), int(limits.maxexp) - 1)
        apart = np.abs(found - true) / np.ldexp(WIDE(1), exponent - int(limits.nmant))
    apart = np.where(np.isnan(found) & np.isnan(true), 0, np.where(np.isnan(apart), np.inf, apart))
    if not denormal:
        apart = np.where((np.abs(true) < float(limits.tiny)) & (np.abs(found) <= float(limits.tiny)), 0, apart)
    return apart
