"""How accurate sums are, and whether they are the same each time: what `accuracy` and `determinism` promise. The bounds are
those of kernels/README.md; u is half of the type's epsilon."""

import functools
import itertools
import math
import threading
from fractions import Fraction

import numpy as np
import pytest
from exact_sums import exact_sum, nearest, off_by
from sweeps import exhaustive, sweep

import pysycl as sycl
from pysycl import _core, reductions

SHAPES = ["lanes", "stride"]
SHAPES_AND_TYPES = pytest.mark.parametrize(
    ("shape", "dtype"),
    sweep(itertools.product(SHAPES, (np.float32, np.float64)), [("stride", np.float32), ("lanes", np.float64)]),
    indirect=["dtype"],
)
RUNNING = ("fast", "pairwise", "compensated")
EVERY = (*RUNNING, "exact")


@pytest.fixture(params=[np.float32, np.float64], ids=["float", "double"])
def dtype(request, queue):
    if request.param is np.float64 and not queue.device.has("fp64"):
        pytest.skip("the device has no double")
    return request.param


def variables(dtype, start=(0, 0, 0)):
    return [sycl.Buffer(np.array([each], dtype)) for each in start]


def value_of(buffer):
    with buffer.host_access("read") as data:
        return data[0].copy()


def sums(queue, x, accuracies, shape=None, *, old=0, fresh=True):
    """x, summed in one kernel with each accuracy."""
    buffers = [sycl.Buffer(np.array([old], x.dtype)) for _ in accuracies]
    _core.force_shape(shape)
    try:
        with queue.submit() as h:
            given = {
                f"r{k}": sycl.reduction(buffer, h, sycl.plus, initialize_to_identity=fresh, accuracy=accuracy)
                for k, (buffer, accuracy) in enumerate(zip(buffers, accuracies, strict=True))
            }
            h.parallel_for(x.size, "".join(f"r{k} += x[i];" for k in range(len(buffers))), x=x, **given)
    finally:
        _core.force_shape(None)
    return [value_of(buffer) for buffer in buffers]


def lossy(dtype):
    """Numbers that sums lose, with their names. No partial sum overflows."""
    rng = np.random.default_rng(5)
    info = np.finfo(dtype)
    big, tiny = dtype(1e30), dtype(info.smallest_subnormal)
    normal = rng.standard_normal(20011).astype(dtype)
    wide = np.ldexp(rng.standard_normal(3001), rng.integers(info.minexp - info.nmant, info.maxexp - 20, 3001))
    yield "nothing", np.zeros(0, dtype)
    yield "one", np.array([0.1], dtype)
    yield "a few", np.array([0.1, 0.7, -0.3, 1e10, 3e-5], dtype)
    yield "cancels", np.array([big, 1, -big], dtype)
    yield "cancels often", np.tile(np.array([1, big, 1, -big], dtype), 1025)
    yield "ends of the lanes", np.concatenate([[big], np.full(62, 0.1), [-big], [1.0]]).astype(dtype)
    yield "normal", normal
    yield "cancels all", rng.permutation(np.concatenate([normal, -normal, [dtype(0.1)]]))
    yield "alternating", np.tile(np.array([1, -1 + info.eps], dtype), 8193)
    yield "tenths", np.full(1 << 17, 0.1, dtype)
    yield "wide", wide.astype(dtype)
    yield "wide and cancels", rng.permutation(np.concatenate([wide, -wide[1:]])).astype(dtype)
    yield "subnormal", (rng.integers(-1000, 1000, 5000) * tiny).astype(dtype)
    yield "around the least normal", (rng.choice([1, -1, 0.75, -0.5], 999) * info.smallest_normal).astype(dtype)
    yield "harmonic", (1 / np.arange(1, 30000)).astype(dtype)
    yield "half way", np.array([1, info.eps / 2], dtype)
    yield "half way and odd", np.array([1 + info.eps, info.eps / 2], dtype)
    yield "beyond half way", np.array([1, info.eps / 2, tiny], dtype)
    yield "before half way", np.array([-1 - info.eps, -info.eps / 2, tiny], dtype)


@functools.cache
def awkward(dtype):
    """Those with their exact sums, and those of their magnitudes."""
    return [(name, x, exact_sum(x), exact_sum(abs(x))) for name, x in lossy(dtype)]


def is_slow(queue):
    """An interpreter, a thousand times as slow as a device."""
    return not queue.device._facts["thread_safe"]


def subnormals(queue, dtype):
    config = queue.device.single_fp_config if dtype is np.float32 else queue.device.double_fp_config
    return sycl.FpConfig.denorm in config


def bound(accuracy, total, magnitude, count, u):
    """The largest error, in the units of its arguments."""
    if accuracy == "fast":  # the longest chain of additions, where there are 16 accumulators or more
        chain = min(count - 1, count // 16 + 64)
        return chain * u * (1 + count * u) * magnitude
    if accuracy == "pairwise":
        return (3 * u + 4 * count * u**2) * magnitude
    return u * abs(total) + 5 * count * u**2 * magnitude


@SHAPES_AND_TYPES
def test_bounds(queue, dtype, shape):
    u = Fraction(float(np.finfo(dtype).eps)) / 2
    closer = 0
    for name, x, total, magnitude in awkward(dtype):
        if "normal" in name and name != "normal" and not subnormals(queue, dtype):
            continue
        if x.size > 30000 and is_slow(queue):
            continue
        count = max(x.size, 1)
        results = sums(queue, x, RUNNING, shape)
        for accuracy, result in zip(RUNNING, results, strict=True):
            error = off_by(result, total)
            assert error <= bound(accuracy, total, magnitude, count, u), (name, accuracy, float(error))
        closer += off_by(results[2], total) < off_by(results[1], total)
        closer += off_by(results[1], total) < off_by(results[0], total)
    assert closer >= (4 if is_slow(queue) else 6)  # the bounds would hold for many of them by luck


@SHAPES_AND_TYPES
def test_exact(queue, dtype, shape):
    """Correctly rounded, and so the same in every shape and on every device; with old values."""
    info = np.finfo(dtype)
    rng = np.random.default_rng(1)
    most = np.full(5000, info.max)
    more = [
        ("overflows in between", rng.permutation(np.concatenate([most, -most, [dtype(0.1)]]))),
        ("the most", np.array([info.max, info.max, -info.max], dtype)),
        ("just not infinite", np.array([info.max, np.ldexp(info.max, -info.nmant - 3)], dtype)),
        ("infinite by rounding", np.array([info.max, np.ldexp(info.max, -info.nmant - 1)], dtype)),
        ("infinite", -most),
    ]
    for name, x, total, _ in [*awkward(dtype), *((name, x, exact_sum(x), 0) for name, x in more)]:
        if x.size > 10000 and is_slow(queue):
            continue
        (result,) = sums(queue, x, ["exact"], shape)
        expected = nearest(total, dtype)
        assert result.tobytes() == expected.tobytes(), (name, result, expected)
        if dtype is np.float64 and "infinite" not in name and "overflows" not in name and name != "the most":
            assert expected == math.fsum(x)
    x = next(each[1] for each in awkward(dtype) if each[0] == "wide and cancels")
    old = dtype(-1e20)
    (result,) = sums(queue, x, ["exact"], shape, old=old, fresh=False)
    assert result == nearest(exact_sum(np.append(x, old)), dtype)


@pytest.mark.parametrize("shape", SHAPES)
def test_infinities_nan_and_zeros(queue, dtype, shape):
    """As NumPy's sum gives them, whatever comes before and behind; but a sum of zeros is +0."""
    x = np.random.default_rng(2).standard_normal(1000).astype(dtype)
    for specials in ([np.inf], [-np.inf], [np.inf, np.inf], [np.inf, -np.inf], [np.nan], [np.nan, np.inf]):
        for place in (0, 500, 998):
            y = x.copy()
            y[place : place + len(specials)] = specials
            with np.errstate(invalid="ignore"):
                expected = y.sum()
            results = sums(queue, y, RUNNING, shape) + sums(queue, y, ["exact"], shape)
            for accuracy, result in zip(EVERY, results, strict=True):
                assert result == expected or (np.isnan(result) and np.isnan(expected)), (specials, place, accuracy)
    for zeros in ([-0.0], [-0.0, 0.0], [1.5, -1.5], []):
        y = np.array(zeros, dtype)
        for result in sums(queue, y, RUNNING, shape) + sums(queue, y, ["exact"], shape):
            assert result == 0 and not np.signbit(result), zeros


def test_overflow_in_between(queue, dtype):
    """What is accurate but not exact overflows where a plain sum does, to the same infinity."""
    large = np.finfo(dtype).max
    for signs in ([1, 1], [-1, -1], [1, 1, -1, -1] * 300):
        plain, *others = sums(queue, np.array(signs, dtype) * large, RUNNING, "lanes")
        assert not np.isfinite(plain)
        assert all(each == plain or (np.isnan(each) and np.isnan(plain)) for each in others), signs
    assert sums(queue, np.array([large, large, -large], dtype), ["exact"])[0] == large


@pytest.mark.parametrize("dtype", [np.float64, exhaustive(np.float32)], indirect=True)
def test_nd_ranges_and_combines(queue, dtype):
    """Groups of several sizes, several values of one work-item, a loop in the text that goes beyond what a word of the long
    accumulator takes without carrying: 3,000 of the largest mantissas."""
    n = 63 if is_slow(queue) else 1260
    x = np.random.default_rng(3).standard_normal(n).astype(dtype)
    full = np.nextafter(dtype(2), dtype(0))
    loop = "for (int k = 0; k < 3000; k++) { r += y; s += y; } r.combine(x[i]).combine(-y); s += x[i]; s += -y;"
    expected = nearest(exact_sum(x) + n * 2999 * exact_sum(np.array([full])), dtype)
    bits = dtype(np.finfo(dtype).eps) / 2
    local = 63 if dtype is np.float32 else 7  # PoCL compiles for each of them
    exact, compensated = variables(dtype, (5, 5))
    with queue.submit() as h:
        h.parallel_for(
            sycl.NdRange(n, local),
            loop + "(void)get_local_id(0);",
            x=x,
            y=full,
            r=sycl.reduction(exact, h, sycl.plus, initialize_to_identity=True, accuracy="exact"),
            s=sycl.reduction(compensated, h, sycl.plus, initialize_to_identity=True, accuracy="compensated"),
        )
    assert value_of(exact) == expected
    assert abs(value_of(compensated) - expected) <= 3 * bits * abs(expected)


def test_components(queue):
    """Vectors and complex numbers: each component by itself, of three and four, over two dimensions."""
    n = (37, 40)
    x = np.random.default_rng(4).standard_normal(n).astype(np.float32) * np.float32(1e8)
    float4 = np.dtype([(f"s{k}", np.float32) for k in range(4)])
    four, wave = sycl.Buffer(np.zeros(1, float4)), sycl.Buffer(np.array([1j], np.complex64))
    with queue.submit() as h:
        h.parallel_for(
            n,
            "four += (float4)(x(i0, i1), -x(i0, i1), 1, i); wave += cfloat(x(i0, i1), 0.1f);",
            x=x,
            four=sycl.reduction(four, h, sycl.plus, accuracy="compensated"),
            wave=sycl.reduction(wave, h, sycl.plus, accuracy="exact"),
        )
    sum_x = nearest(exact_sum(x.ravel()), np.float32)
    tenths = nearest(exact_sum(np.append(np.full(x.size, np.float32(0.1)), np.float32(1))), np.float32)
    assert value_of(wave) == np.complex64(complex(sum_x, tenths))
    result = value_of(four).tolist()
    assert result[2:] == (1480, 1480 * 1479 / 2)
    assert result[1] == -result[0] and abs(result[0] - sum_x) <= np.spacing(abs(sum_x))


@pytest.mark.parametrize(
    ("shape", "axis", "dtype"),
    [
        exhaustive("along", 1, np.float32),
        ("across", 1, np.float64),
        ("columns", 0, np.float32),
        exhaustive("teams", 0, np.float32),
        ("teams", 1, np.float32),
    ],
)
def test_along_dimensions(queue, dtype, shape, axis):
    """Sums of rows and columns."""
    if dtype is np.float64 and not queue.device.has("fp64"):
        pytest.skip("the device has no double")
    rng = np.random.default_rng(9)
    x = (rng.standard_normal((70, 130)) * 10.0 ** rng.integers(-12, 12, (70, 130))).astype(dtype)
    exact, compensated = (np.zeros(x.shape[1 - axis], dtype) for _ in range(2))
    _core.force_shape(shape)
    try:
        queue.parallel_for(
            x.shape,
            "r += x[i]; s += x[i];",
            x=x,
            r=reductions._along(exact, sycl.plus, 1 << axis, accuracy="exact"),
            s=reductions._along(compensated, sycl.plus, 1 << axis, accuracy="compensated"),
        )
    finally:
        _core.force_shape(None)
    lines = list(np.moveaxis(x, axis, 1))
    expected = np.array([nearest(exact_sum(np.ascontiguousarray(line)), dtype) for line in lines])
    assert np.array_equal(exact, expected)
    assert np.all(abs(compensated - expected) <= np.spacing(abs(expected)))


def test_arrays(queue, dtype):
    """bins[k] += x"""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    rng = np.random.default_rng(6)
    x = (rng.standard_normal(5000) * 10.0 ** rng.integers(-10, 10, 5000)).astype(dtype)
    k = rng.integers(0, 7, 5000).astype(np.int32)
    exact, compensated = (sycl.malloc_shared(8, dtype, queue) for _ in range(2))
    exact.view()[:] = compensated.view()[:] = 0.1
    queue.parallel_for(
        x.size,
        "a[k[i]] += x[i]; b[k[i]] += x[i];",
        x=x,
        k=k,
        a=sycl.reduction(sycl.span(exact), sycl.plus, accuracy="exact"),
        b=sycl.reduction(sycl.span(compensated), sycl.plus, accuracy="compensated", determinism="run_to_run"),
    )
    expected = [nearest(exact_sum(np.append(x[k == each], dtype(0.1))), dtype) for each in range(8)]
    assert exact.view().tolist() == [float(each) for each in expected]
    assert np.all(abs(compensated.view() - expected) <= np.spacing(np.abs(expected)))


# -- the same each time --


STEADY = {  # name: type, operator, value
    "float": (np.float32, sycl.plus, "x[i]"),
    "product": (np.float32, sycl.multiplies, "1 + x[i] * 1e-3f"),
    "operator": (np.float32, sycl.BinaryOp("a + b * 0.5f", identity=0), "x[i]"),
    "integer": (np.int32, sycl.BinaryOp("a * 3 ^ b", identity=0), "(int)(x[i] * 1e3f)"),
    "pairwise": (np.float32, sycl.plus, "x[i]"),
}


def steady_reductions(h, outs):
    return {
        name: sycl.reduction(
            out,
            h,
            STEADY[name][1],
            initialize_to_identity=True,
            determinism="run_to_run",
            accuracy="pairwise" if name == "pairwise" else "fast",
        )
        for name, out in outs.items()
    }


@pytest.fixture
def load(queue):
    """Other threads, one of them with launches of its own, until the test has ended."""
    stop = threading.Event()
    other = sycl.Queue(queue.device, context=queue.context)
    y = np.zeros(20000, np.float32)

    def launches():
        while not stop.is_set():
            other.parallel_for(y.size, "y[i] += 1;", y=y)

    def burns():  # without the lock that Python's threads share
        z = np.ones(100000)
        while not stop.is_set():
            np.sin(z, out=z)

    threads = [threading.Thread(target=each) for each in (launches, burns)]
    for each in threads:
        each.start()
    yield
    stop.set()
    for each in threads:
        each.join()


def test_an_array_beside_one_of_a_single_work_item(queue):
    """What is alone lets no other array be so that needs more than its variables hold."""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    x = np.tile(np.array([1, 1e10, 1, -1e10], np.float32), 100)
    plain, exact = sycl.malloc_shared(x.size, np.float32, queue), sycl.malloc_shared(1, np.float32, queue)
    plain.view()[...] = exact.view()[...] = 0
    _core.force_span("alone")
    try:
        queue.parallel_for(
            x.size, "plain[i] += x[i]; exact[0] += x[i];", x=x, plain=sycl.reduction(sycl.span(plain), sycl.plus),
            exact=sycl.reduction(sycl.span(exact), sycl.plus, accuracy="exact"),
        ).wait()  # fmt: skip
    finally:
        _core.force_span(None)
    assert np.array_equal(plain.view(), x) and exact.view()[0] == nearest(exact_sum(x), np.float32)


@pytest.mark.parametrize("shape", [None, *map(exhaustive, SHAPES)])
def test_the_same_each_time(queue, shape, load):
    """Small launches, which the calling thread may run, and large ones, behind nothing and behind others; an nd-range."""
    text = " ".join(f"{name}_.combine({value});" for name, (_, _, value) in STEADY.items())
    shared = queue.device.has("usm_shared_allocations")
    bins = sycl.malloc_shared(13, np.float32, queue) if shared else None
    rng = np.random.default_rng(8)
    large = 2000 if is_slow(queue) else 60007
    for n in (777, large, sycl.NdRange(1024, 32)) if shape is None else (large // 3,):
        count = n if isinstance(n, int) else 1024
        x = sycl.Buffer((rng.standard_normal(count) * 10.0 ** rng.integers(-5, 6, count)).astype(np.float32))
        seen = set()
        for turn in range(5 if is_slow(queue) else 50):
            outs = {name: sycl.Buffer(np.zeros(1, kind[0])) for name, kind in STEADY.items()}
            _core.force_shape(shape)
            try:
                if turn % 3 == 0:  # what it waits for decides who runs it
                    with queue.submit() as h:
                        h.parallel_for(count, "x[i] *= 1;", x=h.read_write(x))
                with queue.submit() as h:
                    given = {f"{name}_": each for name, each in steady_reductions(h, outs).items()}
                    if shared:
                        of_bins = {"initialize_to_identity": True, "determinism": "run_to_run"}
                        given["bins_"] = sycl.reduction(sycl.span(bins), sycl.plus, **of_bins)
                    event = h.parallel_for(n, text + "bins_[i * 7 % 13] += x[i];" * shared, x=h.read(x), **given)
            finally:
                _core.force_shape(None)
            if event is not None:
                event.wait()
            seen.add(
                b"".join(value_of(out).tobytes() for out in outs.values()) + (bins.view().tobytes() if shared else b"")
            )
        assert len(seen) == 1, (n, len(seen))


# -- what is refused --


@pytest.mark.parametrize(
    ("kind", "op", "asked", "words"),
    [
        (
            np.float32,
            sycl.plus,
            {"accuracy": "best"},
            "accuracy: expected one of fast, pairwise, compensated, exact, got",
        ),
        (
            np.float32,
            sycl.maximum,
            {"accuracy": "exact"},
            "accuracy: 'exact' is for sums, by plus, and this reduction is",
        ),
        (np.float32, sycl.multiplies, {"accuracy": "pairwise"}, "accuracy: 'pairwise' is for sums, by plus, and this"),
        (
            np.int32,
            sycl.BinaryOp("a + b", identity=0),
            {"accuracy": "compensated"},
            "accuracy: 'compensated' is for sums",
        ),
        (np.float16, sycl.plus, {"accuracy": "exact"}, "accuracy: 'exact' is not there for sums of float16: sum into"),
        (np.float32, sycl.plus, {"determinism": "gpu"}, "determinism: expected any or run_to_run, got 'gpu'"),
    ],
)
def test_refusals(queue, kind, op, asked, words):
    with queue.submit() as h, pytest.raises(sycl.InvalidParameterError) as error:
        sycl.reduction(sycl.Buffer(np.zeros(1, kind)), h, op, **asked)
    assert str(error.value).startswith(words)


def test_options_that_take_it_away(queue):
    x, out = np.ones(10, np.float32), sycl.Buffer(np.zeros(1, np.float32))
    with queue.submit() as h:
        asked = sycl.reduction(out, h, sycl.plus, accuracy="compensated")
        with pytest.raises(sycl.InvalidParameterError) as error:
            h.parallel_for(10, "r += x[i];", x=x, r=asked, options="-cl-fast-relaxed-math")
    assert "body: 'r' asks for accuracy 'compensated', which a compiler takes away that is given -cl-fast-" in str(
        error.value
    )


def test_integers_have_every_accuracy(queue):
    out = sycl.Buffer(np.array([1], np.int64))
    x = np.arange(1000)
    with queue.submit() as h:
        h.parallel_for(1000, "r += x[i];", x=x, r=sycl.reduction(out, h, sycl.plus, accuracy="exact"))
    assert value_of(out) == 1 + 999 * 500


def test_whole_programs_promise_what_bodies_do(queue):
    """And refuse it where their text stays as it is written, which was compiled before anybody knew what is asked for."""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    program = sycl.Program(
        "kernel void sums(global const float *x, reducer(float, plus) bins[], reducer(int, plus) counts[], "
        "reducer(float, plus) all) { size_t i = get_global_id(0); bins[i % 3] += x[i]; counts[0]++; all += x[i]; }"
        "kernel void written(constant float *x, reducer(float, plus) bins[], reducer(int, plus) counts[], "
        "reducer(float, plus) all) { size_t i = get_global_id(0); bins[i % 3] += x[i]; counts[0]++; all += x[i]; }"
    )
    x = np.ones(64, np.float32)
    bins, all_of_it = (sycl.malloc_shared(n, np.float32, queue) for n in (3, 1))
    counts = sycl.malloc_shared(1, np.int32, queue)

    def run(kernel, of_bins=None, of_counts=None, of_all=None):
        queue.parallel_for(
            sycl.NdRange(64, 16),
            kernel,
            x,
            sycl.reduction(sycl.span(bins), sycl.plus, initialize_to_identity=True, **(of_bins or {})),
            sycl.reduction(sycl.span(counts), sycl.plus, initialize_to_identity=True, **(of_counts or {})),
            sycl.reduction(all_of_it, sycl.plus, initialize_to_identity=True, **(of_all or {})),
        )
        assert (bins.view().sum(), counts.view()[0], all_of_it.view()[0]) == (64, 64, 64)

    steady, exact = {"determinism": "run_to_run"}, {"accuracy": "exact"}
    run(program.sums, steady, steady, steady)
    run(program.sums, exact, steady, exact)
    run(program.written, of_counts=steady, of_all=steady)
    with pytest.raises(sycl.KernelArgumentError, match="'bins', asks for determinism, and this kernel's launches have"):
        run(program.written, of_bins=steady)
    with pytest.raises(sycl.KernelArgumentError, match="'all', asks for an accuracy, and this kernel's launches have"):
        run(program.written, of_all=exact)
