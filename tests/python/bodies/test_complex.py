"""Complex numbers in kernels are structs: what they are declared as, what takes them, and what errors say."""

import re

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

rng = np.random.default_rng(11)


def numbers(count: int, dtype: str = "c8") -> np.ndarray:
    return (rng.normal(size=count) + 1j * rng.normal(size=count)).astype(dtype)


def test_arithmetic_of_arrays_and_numbers(queue: sycl.Queue) -> None:
    x, y, r = numbers(100), numbers(100), rng.normal(size=100).astype("f4")
    o = [np.empty(100, "c8") for _ in range(7)]
    queue.parallel_for(
        100,
        "a[i] = cmul(x[i], y[i]); b[i] = cadd(cdiv(x[i], y[i]), k); c[i] = cmul(r[i], csub(2, x[i]));"
        "d[i] = cfloat(x[i].im, -x[i].re); d[i].re += 1; e[i] = cfma(x[i], n, y[i]); f[i] = cfloat(3);"
        "g[i] = half_of(x[i]);",
        x=x, y=y, r=r, k=2 - 1j, n=np.complex64(1 + 3j),
        preamble="cfloat half_of(const cfloat z) { cfloat own[2] = {z, {0, 0}}; const cfloat *p = own; return cmul(*p, 0.5f); }",
        **dict(zip("abcdefg", o, strict=True)),
    )  # fmt: skip
    expected = (x * y, x / y + (2 - 1j), r * (2 - x), x * -1j + 1, x * (1 + 3j) + y, np.full(100, 3), x / 2)
    for got, true in zip(o, expected, strict=True):
        assert np.allclose(got, true, rtol=1e-5, atol=1e-6)


def test_a_complex_number_takes_the_precision_of_the_arrays(queue: sycl.Queue) -> None:
    x, y = numbers(10), np.empty(10, "c8")
    text = sycl.kernel_source("y[i] = cmul(k, x[i]);", 10, queue_or_device=queue, x=x, y=y, k=1j)
    assert re.search(r"const cfloat k\b", text)
    if queue.device.has("fp64"):
        wide = x.astype("c16")
        queue.parallel_for(10, "z[i] = cadd(cmul(k, z[i]), cdiv(w, z[i]));", z=wide, k=1e-17j, w=np.complex128(2))
        assert np.allclose(wide, 1e-17j * x + 2 / x.astype("c16"), rtol=1e-12)
        with pytest.raises(sycl.BuildError, match=r"convert_cfloat\(x\) and convert_cdouble\(x\)"):
            queue.parallel_for(10, "y[i] = cmul(w, x[i]);", x=x, y=y, w=np.complex128(1j))
    with pytest.raises(sycl.KernelArgumentError, match="out of range for float"):
        queue.parallel_for(10, "y[i] = cmul(k, x[i]);", x=x, y=y, k=complex(1e300, 0))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("y[i] = x[i] * y[i];", "cmul"),
        ("y[i] *= x[i];", "cmul"),
        ("y[i] = x[i] + 1;", "cadd"),
        ("y[i] = -x[i];", r"csub\(0, z\)"),
        ("y[i].re = x[i].x;", r"z\.re and z\.im"),
        ("y[i] = x[i].re;", r"cfloat\(re, im\)"),
        ("y[i].re = (float)x[i];", r"cabs\(z\)"),
        ("if (x[i] == y[i]) y[i].re = 1;", "cadd"),
    ],
)
def test_arithmetic_of_c_does_not_compile(queue: sycl.Queue, text: str, hint: str) -> None:
    x, y = numbers(10), numbers(10)
    with pytest.raises(sycl.BuildError, match=hint):
        queue.parallel_for(10, text, x=x, y=y)


def test_nor_does_it_in_maps_and_operators(queue: sycl.Queue) -> None:
    z = np.array([1 + 2j, 3 - 1j], "c8")
    for call in (lambda: sycl.sum(z, map="x*x", queue=queue), lambda: sycl.reduce(z, "a*b", queue=queue)):
        with pytest.raises(sycl.BuildError, match="cmul"):
            call()
    assert sycl.reduce(z, "cmul(a, b)", queue=queue) == 5 + 5j
    assert sycl.sum(z, map="cmul(x, x)", queue=queue) == (z * z).sum()


@pytest.mark.parametrize("dtype", sweep(["c8", "c16"], ["c8"]))
def test_maps_and_operators(queue: sycl.Queue, dtype: str, thorough: bool) -> None:
    if dtype == "c16" and not queue.device.has("fp64"):
        pytest.skip("needs fp64")
    word = "cfloat" if dtype == "c8" else "cdouble"
    host = numbers(600, dtype).reshape(20, 30)
    buffer = sycl.Buffer(host.copy())
    for z in (host, buffer) if thorough else (buffer,) if dtype == "c8" else (host,):
        results = (
            (sycl.sum(z, axis=1, map="cabs(x)", queue=queue), np.abs(host).sum(1) + 0j),
            (sycl.sum(z, axis=1, map="cabs2(x)", dtype=host.real.dtype, queue=queue), (np.abs(host) ** 2).sum(1)),
            (sycl.mean(z, axis=0, map="conj(x)", queue=queue), host.conj().mean(0)),
            (sycl.var(z, axis=0, map="cmul(x, 2)", queue=queue), (host * 2).var(0)),
            (sycl.norm(z, axis=0, map="cadd(x, 1)", queue=queue), np.linalg.norm(host + 1, axis=0)),
            (sycl.prod(z, axis=1, initial=2j, queue=queue), host.prod(1) * 2j),
            (sycl.reduce(z, "cmul(a, b)", axis=1, map="x", queue=queue), host.prod(1)),
            (
                sycl.reduce(z, sycl.BinaryOp("cadd(a, b)", identity=0), axis=0, initial=1j, queue=queue),
                host.sum(0) + 1j,
            ),
            (
                sycl.reduce(z, "cabs(a) < cabs(b) ? b : a", axis=1, queue=queue),
                host[np.arange(20), np.abs(host).argmax(1)],
            ),
        )
        for number, (got, true) in enumerate(results):
            values = np.asarray(got)
            assert values.dtype == (true.dtype if number != 0 else dtype)
            assert np.allclose(values, true, rtol=2e-4 if dtype == "c8" else 1e-12), number
    angles = rng.uniform(0, 6, 50).astype(host.real.dtype)
    assert np.isclose(
        sycl.sum(angles, map=f"cexp({word}(0, x))", dtype=dtype, queue=queue), np.exp(1j * angles).sum(), rtol=1e-4
    )


def test_reducers(queue: sycl.Queue) -> None:
    z = numbers(500)
    with (
        sycl.Buffer(1, "c8") as total,
        sycl.Buffer(np.array([2j], "c8"), copy=True) as product,
        sycl.Buffer(1, "c8") as far,
    ):
        with queue.submit() as h:
            h.parallel_for(
                500,
                "total += z[i]; if (i < 20) product *= z[i]; far.combine(z[i]); far.combine(far.identity());"
                "total.value_type none = total.identity(); total += none;",
                z=z, total=sycl.reduction(total, h, sycl.plus, initialize_to_identity=True),
                product=sycl.reduction(product, h, sycl.multiplies),
                far=sycl.reduction(far, h, sycl.BinaryOp("cabs(a) < cabs(b) ? b : a", identity=0), initialize_to_identity=True),
            )  # fmt: skip
        assert np.isclose(np.asarray(total)[0], z.sum(), rtol=1e-4)
        assert np.isclose(np.asarray(product)[0], 2j * z[:20].prod(), rtol=1e-4)
        assert np.asarray(far)[0] == z[np.abs(z).argmax()]


@pytest.mark.parametrize("accuracy", ["pairwise", "compensated", "exact"])
def test_sums_of_other_accuracies(queue: sycl.Queue, accuracy: str) -> None:
    z = np.tile(np.array([1e8 - 1j, 1 + 1e8j, -1e8 + 3j, 2 - 1e8j], "c8"), 50)
    with sycl.Buffer(np.array([10j], "c8"), copy=True) as total:
        with queue.submit() as h:
            h.parallel_for(200, "total += z[i];", z=z, total=sycl.reduction(total, h, sycl.plus, accuracy=accuracy))
        exact = complex(np.asarray(total)[0])
    if accuracy == "pairwise":
        assert abs(exact - (150 + 110j)) <= 4 * 2**-24 * np.abs(z.view("f4")).sum()
    else:
        assert exact == 150 + 110j


def test_array_reductions(queue: sycl.Queue) -> None:
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("needs shared memory")
    z, bins = numbers(400), sycl.malloc_shared(5, "c8", queue)
    queue.parallel_for(
        400,
        "bins[i % 5] += z[i];",
        z=z,
        bins=sycl.reduction(sycl.span(bins, 5), sycl.plus, initialize_to_identity=True),
    ).wait()
    assert np.allclose(bins, z.reshape(80, 5).sum(0), rtol=1e-4, atol=1e-5)


def test_programs(queue: sycl.Queue) -> None:
    program = sycl.Program(
        """
        __kernel void scale(__global const cfloat *x, __global cfloat *y, const cfloat by)
        { size_t i = get_global_id(0); y[i] = cmul(x[i], by); }
        __kernel void turn(__global float2 *x, const float2 by) { x[get_global_id(0)] += by.yx; }
        __kernel void total(__global const cfloat *x, reducer(cfloat, plus) sum, reducer(cfloat, multiplies) product)
        { size_t i = get_global_id(0); sum += x[i]; if (i < 9) product.combine(x[i]); }
        """
    )
    x, y = numbers(64), np.empty(64, "c8")
    for by in (2 - 3j, np.complex64(2 - 3j), 2.5, np.complex128(1j)):
        queue.parallel_for(64, program.scale, x, y, by)
        assert np.allclose(y, x * np.complex64(by), rtol=1e-5)
    queue.parallel_for(64, program.turn, y, (1, 2))
    assert np.allclose(y, x * 1j + 2 + 1j, rtol=1e-5, atol=1e-6)
    with sycl.Buffer(1, "c8") as s, sycl.Buffer(1, "c8") as p:
        with queue.submit() as h:
            h.parallel_for(
                64, program.total, x, sycl.reduction(s, h, sycl.plus, initialize_to_identity=True),
                sycl.reduction(p, h, sycl.multiplies, initialize_to_identity=True),
            )  # fmt: skip
        assert np.isclose(np.asarray(s)[0], x.sum(), rtol=1e-4)
        assert np.isclose(np.asarray(p)[0], x[:9].prod(), rtol=1e-4)
    for given in ("one", x, complex(1e200, 0)):
        with pytest.raises(sycl.KernelArgumentError, match="'by'"):
            queue.parallel_for(64, program.scale, x, y, given)
    with pytest.raises(sycl.KernelArgumentError, match="'y'"):
        queue.parallel_for(64, program.scale, x, np.empty(64, "f4"), 1)
    with pytest.raises(sycl.BuildError, match="complex numbers, which have no minimum"):
        sycl.Program("__kernel void f(reducer(cfloat, minimum) r) { }").f  # noqa: B018


def test_words_of_a_programs_own_stay_its_own(queue: sycl.Queue) -> None:
    program = sycl.Program(
        """
        typedef struct { float x, y, z; } cfloat;
        float cmul(float a, float b) { return a * b + 1; }
        __kernel void f(__global float *y, cfloat v) { int conj = 2; y[get_global_id(0)] = cmul(v.x, v.z) + conj; }
        """
    )
    y = np.zeros(3, "f4")
    queue.parallel_for(3, program.f, y, np.array((2, 3, 4), [("x", "f4"), ("y", "f4"), ("z", "f4")])[()])
    assert (y == 11).all()


def test_group_functions(queue: sycl.Queue) -> None:
    x, out = numbers(96), [np.empty(96, "c8") for _ in range(5)]
    queue.parallel_for(
        sycl.NdRange(96, 32),
        "a[i] = group_reduce(work_group, x[i], cadd); b[i] = group_inclusive_scan(work_group, x[i], cmul);"
        "c[i] = group_broadcast(work_group, x[i], 7); d[i] = group_exclusive_scan(work_group, x[i], cfloat(0, 1), cadd);"
        "e[i] = joint_reduce(work_group, x, x + 96, least);",
        x=x, least=sycl.BinaryOp("b.re < a.re ? b : a", identity=np.complex64(np.inf)), **dict(zip("abcde", out, strict=True)),
    ).wait()  # fmt: skip
    rows = x.reshape(3, 32)
    before = np.cumsum(rows, axis=1) - rows + 1j
    expected = (
        np.repeat(rows.sum(1), 32), np.cumprod(rows, axis=1), np.repeat(rows[:, 7], 32), before,
        np.full(96, x[x.real.argmin()]),
    )  # fmt: skip
    for got, true in zip(out, expected, strict=True):
        assert np.allclose(got, np.ravel(true), rtol=1e-3, atol=1e-5)
    with pytest.raises(sycl.BuildError, match="combined by cadd, cmul or a sycl.BinaryOp, not by plus"):
        queue.parallel_for(sycl.NdRange(96, 32), "a[i] = group_reduce(work_group, x[i], plus);", x=x, a=out[0])


def test_shuffles(queue: sycl.Queue) -> None:
    x, out, size = numbers(64), np.empty(64, "c8"), np.empty(64, "i4")
    queue.parallel_for(
        sycl.NdRange(64, 64),
        "o[i] = permute_group_by_xor(sub_group, x[i], 1); n[i] = sub_group_size();",
        x=x,
        o=out,
        n=size,
    )
    if size[0] > 1:
        assert (out == x[np.arange(64) ^ 1]).all()


def test_an_operators_word_follows_a_reducer(queue: sycl.Queue) -> None:
    x, out = numbers(64), np.empty(64, "c8")
    with sycl.Buffer(1, "c8") as total:
        with queue.submit() as h:
            h.parallel_for(
                sycl.NdRange(64, 32),
                "o[i] = group_reduce(work_group, x[i], total.binary_operation); total += x[i];",
                x=x, o=out, total=sycl.reduction(total, h, sycl.plus, initialize_to_identity=True),
            )  # fmt: skip
        assert np.isclose(np.asarray(total)[0], x.sum(), rtol=1e-4)
    assert np.allclose(out, np.repeat(x.reshape(2, 32).sum(1), 32), rtol=1e-4)


def test_fields_and_places(queue: sycl.Queue) -> None:
    """Fields of structs, arrays at an address that a pair of floats has not, and two dimensions."""
    pairs = np.zeros(10, [("n", "i4"), ("z", "c8"), ("w", "c8", (2,))])
    pairs["z"], pairs["w"] = numbers(10), numbers(20).reshape(10, 2)
    odd = np.zeros(21, "f4")[1:].view("c8")
    odd[...] = numbers(10)
    table = numbers(20).reshape(10, 2)
    before, was, rows = odd.copy(), pairs.copy(), table.copy()
    queue.parallel_for(
        (10, 2), "if (i1 == 0) { p[i0].z = cmul(p[i0].z, p[i0].w[1]); odd[i0] = conj(odd[i0]); } t(i0, i1) = cmul(t(i0, i1), 2);",
        p=pairs, odd=odd, t=table,
    )  # fmt: skip
    assert np.allclose(pairs["z"], was["z"] * was["w"][:, 1], rtol=1e-5)
    assert (odd == before.conj()).all() and (table == 2 * rows).all()
