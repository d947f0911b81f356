"""What is said about a launch, and that every form of a body does the same; how long a submit may take."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sweeps import exhaustive, sweep

import pysycl as sycl
from pysycl import _core

N = 1000
BLOCKED_AT_MOST = 100e-6  # seconds that a submit may keep its thread, once the kernel is compiled


def said(text: str, what: str) -> str:
    """The line of a label, with those that continue it."""
    lines = iter(text.splitlines())
    found = next(line for line in lines if line.startswith(what))[10:]
    for line in lines:
        if not line.startswith(" " * 10):
            break
        found += " " + line.strip()
    return found


def arrays(n: int = N) -> dict[str, Any]:
    return {"x": np.linspace(0, 1, n, dtype=np.float32), "y": np.zeros(n, np.float32)}


# -- explain --


def test_the_shape_is_that_of_the_device(queue: sycl.Queue) -> None:
    text = sycl.explain("y[i] = x[i];", N, **arrays(), queue_or_device=queue)
    shapes = {"looped": "loop: a work-item for", "threaded": "wide: a work-item for 4 neighbours"}
    assert said(text, "shape").startswith(
        shapes.get(queue.device._facts["items"], "item: a work-item for each element")
    )
    assert said(text, "device") == f"{queue.device.name}, known as: {queue.device._facts['row']}"
    assert "(1000,) as " in said(text, "launch")
    assert all(len(line) <= 120 for line in text.splitlines())
    assert [line.split()[0] for line in text.splitlines() if line[0] != " "] == [
        *("device", "shape", "why", "launch", "lane", "row", "measured")
    ]


def test_a_device_or_nothing_may_be_named(device: sycl.Device) -> None:
    assert sycl.explain("y[i] = x[i];", N, **arrays(), queue_or_device=device) == sycl.explain(
        "y[i] = x[i];", N, **arrays(), queue_or_device=sycl.Queue(device)
    )
    assert "shape     " in sycl.explain("y[i] = x[i];", N, **arrays())


def test_all_kinds_of_launches(queue: sycl.Queue) -> None:
    program = sycl.Program("__kernel void twice(__global float *y) { y[get_global_id(0)] *= 2; }")
    y, one = np.zeros(N, np.float32), {"queue_or_device": queue}
    assert said(sycl.explain(program.twice, N, y, **one), "shape") == "the kernel as it is written"
    assert said(sycl.explain("y[0] = 1;", None, y=y, **one), "shape") == "item: one work-item"
    grouped = sycl.explain("y[i] = 1;", sycl.NdRange((960,), (32,)), y=y, **one)
    assert said(grouped, "shape") == "item: the work-items of the nd-range"
    assert said(grouped, "launch") == "(960,) as 30 groups: global (960,), local (32,)"
    assert said(sycl.explain("y[i] = 1;", (3, 0), y=y, **one), "launch") == "none: the range is empty"
    assert "(10, 100) as " in said(sycl.explain("y[i] = i1;", (10, 100), y=y, **one), "launch")


def test_nothing_runs(queue: sycl.Queue) -> None:
    y = np.zeros(N, np.float32)
    sycl.explain("y[i] = 1;", N, y=y, queue_or_device=queue)
    queue.wait()
    assert not y.any()


def test_a_prepared_kernel_says_the_same(queue: sycl.Queue) -> None:
    given = arrays()
    prepared = queue.kernel(N, "y[i] = x[i];", **given)
    assert prepared.explanation == sycl.explain("y[i] = x[i];", N, **given, queue_or_device=queue)


def test_what_cannot_be_launched_is_refused_the_same_way(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.KernelArgumentError) as launched:
        queue.parallel_for(N, "y[i] = x[i];", **arrays(), z=1)
    with pytest.raises(sycl.KernelArgumentError) as explained:
        sycl.explain("y[i] = x[i];", N, **arrays(), z=1, queue_or_device=queue)
    assert str(explained.value) == str(launched.value).replace("parallel_for", "kernel")


# -- every form does the same --


@pytest.fixture(params=["item", "loop", "wide", "pack"])
def shape(request: pytest.FixtureRequest) -> Iterator[str]:
    _core.force_shape(request.param)
    yield request.param
    _core.force_shape(None)


def test_a_shape_can_be_forced(queue: sycl.Queue, shape: str) -> None:
    assert said(sycl.explain("y[i] = x[i];", N, **arrays(), queue_or_device=queue), "shape").startswith(shape)


# Some that vectors can stand for (tests/bench/built_ins.py has all of them), with what they are in NumPy.
PACKED: dict[str, Callable[..., Any]] = {
    "sin(x[i])": np.sin,  # of float through double: PoCL's float16 is wrong beside large values
    "cos(x[i])": np.cos,
    "tan(x[i])": np.tan,
    "exp(x[i])": np.exp,
    "log(x[i])": np.log,
    "pow(x[i], z[i])": np.power,
}


def values_of_all_kinds(dtype: type[Any], n: int, seed: int) -> np.ndarray[Any, Any]:
    """Any bits, ordinary values, any magnitude, halves of integers and special ones, mixed."""
    rng, word = np.random.default_rng(seed), np.uint32 if dtype is np.float32 else np.uint64
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, np.finfo(dtype).max], dtype)
    kinds = [
        rng.integers(0, np.iinfo(word).max, n, word, endpoint=True).view(dtype),
        rng.uniform(-20, 20, n).astype(dtype),
        (10.0 ** rng.uniform(-30, 30, n) * rng.choice([-1, 1], n)).astype(dtype),
        (rng.integers(-400, 400, n) / 2).astype(dtype),
        special[rng.integers(0, len(special), n)],
    ]
    values = np.choose(rng.integers(0, len(kinds), n), kinds).astype(dtype)
    values[np.abs(values) < np.finfo(dtype).tiny] = 0  # what a device may flush
    return values


@pytest.mark.spec("D205")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_built_ins_of_vectors(queue: sycl.Queue, dtype: type[Any]) -> None:
    """What stands in one lane is nothing to another. All in one kernel: `s` says which."""
    if not queue.device.has("fp64"):
        pytest.skip("no double")
    n, suffix = 512 * len(PACKED), "f" if dtype is np.float32 else ""
    which = np.arange(n) % len(PACKED)
    x, z = values_of_all_kinds(dtype, n, 5), values_of_all_kinds(dtype, n, 6)
    body = f"y[i] = {''.join(f's[i] == {k} ? {call} : ' for k, call in enumerate(PACKED))} 0.0{suffix};"
    given = {"x": x, "y": np.zeros(n, dtype), "s": which.astype(dtype)} | ({"z": z} if "z" in body else {})
    _core.force_shape("pack")
    try:
        assert said(sycl.explain(body, n, **given, queue_or_device=queue), "shape").startswith("pack")
        queue.parallel_for(n, body, **given).wait()
    finally:
        _core.force_shape(None)
    for k, (call, function) in enumerate(PACKED.items()):
        own = which == k
        with np.errstate(all="ignore"):
            arguments = (x[own], z[own]) if "z" in call else (x[own],)
            exact = function(*(each.astype(np.longdouble) for each in arguments))
            expected, got = exact.astype(dtype), given["y"][own]
            unit = np.spacing(np.maximum(np.abs(expected), np.finfo(dtype).tiny))
            apart = np.abs(got - exact) / unit
        good = (apart <= 16) | (got == expected) | (np.isnan(got) & np.isnan(expected))
        good |= np.isinf(got) & (np.abs(exact) > 0.99999 * np.finfo(dtype).max)
        assert good.all(), (call, [each[~good][:5] for each in arguments], got[~good][:5], expected[~good][:5])


@pytest.mark.parametrize("n", sweep([1, 15, 16, 17, 1000, 4113], [1, 17, 4113]))
def test_every_element_is_done_once_in_vectors(queue: sycl.Queue, shape: str, n: int) -> None:
    x, y = np.linspace(-1, 1, n, dtype=np.float32), np.zeros(n + 40, np.float32)
    queue.parallel_for(n, "const float v = x[i], w = exp(v); y[i] = w * w; y[i] += v;", x=x, y=y)
    np.testing.assert_allclose(y[:n], np.exp(x) ** 2 + x, rtol=1e-6, atol=1e-6)
    assert not y[n:].any()
    z = np.zeros(n + 40, np.float32)
    queue.parallel_for(n, "z[i] += exp(a);", z=z, a=1.0, offset=20)
    np.testing.assert_allclose(z[20 : n + 20], np.e, rtol=1e-6)
    assert not z[:20].any() and not z[n + 20 :].any()


@pytest.mark.spec("D205")
@pytest.mark.parametrize("n", sweep([1, 3, 64, 1000, 4097, 70001], [3, 64, 70001]))
def test_every_shape_gives_the_same(queue: sycl.Queue, shape: str, n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.integers(-1000, 1000, n, np.int32), rng.integers(-1000, 1000, n, np.int32)
    c, wide, small = np.zeros(n, np.int32), np.zeros(n, np.int64), rng.integers(0, 255, n, np.uint8)
    queue.parallel_for(n, "c[i] = a[i] * 3 - (b[i] >> 1);", a=a, b=b, c=c)
    assert np.array_equal(c, a * 3 - (b >> 1))
    queue.parallel_for(n, "if (a[i] < b[i]) return; c[i] += (int)i;", a=a, b=b, c=c)
    assert np.array_equal(c, a * 3 - (b >> 1) + np.where(a < b, 0, np.arange(n, dtype=np.int32)))
    queue.parallel_for(n, "w[i] = (long)a[i] * 1000000 + s[i]; s[i] = (uchar)(s[i] + 1);", a=a, s=small, w=wide)
    assert np.array_equal(wide, a.astype(np.int64) * 1000000 + (small - np.uint8(1)))
    queue.parallel_for(n, "c[i] = a[(i * 7 + 3) % n0] + (int)(n0 - i);", a=a, c=c)
    assert np.array_equal(c, a[(np.arange(n) * 7 + 3) % n] + (n - np.arange(n)))
    queue.parallel_for(n, "int s = 0; for (int k = 0; k < (a[i] & 15); k++) s += k * b[i]; c[i] = s;", a=a, b=b, c=c)
    assert np.array_equal(c, b * ((a & 15) * ((a & 15) - 1) // 2))


@pytest.mark.spec("D205")
@pytest.mark.parametrize(
    "sizes",
    [(1, 1), (3, 1000), (33, 65), (300, 2, 3), *map(exhaustive, [(3, 5), (1000, 3), (4, 5, 6), (2, 3, 300)])],
)
def test_every_shape_gives_the_same_in_more_dimensions(queue: sycl.Queue, shape: str, sizes: tuple[int, ...]) -> None:
    ids = ", ".join(f"i{d}" for d in range(len(sizes)))
    places = np.indices(sizes)
    weights = [10 ** (3 * d) for d in range(len(sizes))]
    expected = sum(w * p for w, p in zip(weights, places, strict=True))
    said_by_body = " + ".join(f"{w}L * (long)i{d}" for d, w in enumerate(weights))
    out, linear = np.zeros(sizes, np.int64), np.zeros(sizes, np.int64)
    queue.parallel_for(sizes, f"out({ids}) = {said_by_body}; linear[i] = (long)i;", out=out, linear=linear)
    assert np.array_equal(out, expected)
    assert np.array_equal(linear.ravel(), np.arange(linear.size))
    shifted, offset = np.zeros(tuple(s + 2 for s in sizes), np.int64), (2,) * len(sizes)
    queue.parallel_for(sizes, f"out({ids}) = {said_by_body};", out=shifted, offset=offset)
    inner = shifted[(slice(2, None),) * len(sizes)]
    assert np.array_equal(inner, expected + 2 * sum(weights))
    assert np.count_nonzero(shifted) == np.count_nonzero(inner)


@pytest.mark.spec("D205")
@pytest.mark.parametrize(
    "body", ["y[i] = exp(x[i]) * x[i] + 0.5f;", "y[i] += 2.0f * x[i];", "y[i] = x[i] / (x[i] + 1);"]
)
def test_floating_point_agrees_between_shapes(queue: sycl.Queue, body: str) -> None:
    given, results = arrays(10007), []
    for forced in (None, "item", "loop", "wide", "pack"):
        _core.force_shape(forced)  # type: ignore[arg-type]
        given["y"][:] = 1
        queue.parallel_for(10007, body, **given).wait()
        results.append(given["y"].copy())
    _core.force_shape(None)
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-6)


# -- how long a submit may take --

SLOW = {
    "a chain of pow": "y[i] = pow(pow(pow(x[i], 1.1f), 1.2f), 1.3f);",
    "transcendental": "y[i] = sin(x[i]) + atan2(x[i], 0.3f) * tgamma(x[i] + 1) - erfc(x[i]);",
    "exponentials": "y[i] = exp(x[i]) + exp2(x[i]) + expm1(x[i]) + log1p(x[i]);",
    "a helper": "y[i] = f(f(x[i]));",
    "divisions": "y[i] = (float)(((long)(x[i] * 1e9f) + 7) % ((long)i + 3) / ((long)i % 5 + 1));",
    "a gather": "y[i] = x[(uint)(i * 2654435761u) % (uint)n0];",
    "plain": "y[i] = x[i] * x[i] + 1;",
    "a loop": "float s = x[i]; for (int k = 0; k < 100000; k++) s = s * 0.99f + 1; y[i] = s;",
    "a loop in a helper": "y[i] = g(x[i]);",
}
HELPERS = """
float f(float v) { return pow(cbrt(v), 2.5f) + tan(v); }
float g(float v) { for (int k = 0; k < 100000; k++) v = v * 0.99f + 1; return v; }
"""


@pytest.mark.parametrize("what", SLOW)
@pytest.mark.parametrize("values", ["ordinary", "denormal"])
def test_a_submit_does_not_block(queue: sycl.Queue, what: str, values: str) -> None:
    """CPU time of the submitting thread, for ranges up to the largest that may stay on it: other programs do not count."""
    if queue.device._facts["caller_budget_ns"] == 0:
        pytest.skip("no launch runs on the calling thread")
    if values == "denormal" and what not in ("plain", "a chain of pow", "exponentials"):
        pytest.skip("no arithmetic of interest")
    n, on_caller, most = 1, 0, 64 if "loop" in what else 1 << 16
    while n <= most:
        given = arrays(n)
        if values == "denormal":
            given["x"] *= np.float32(1e-38)
        prepared = queue.kernel(n, SLOW[what], **given, preamble=HELPERS)
        prepared().wait()
        taken = []
        for _ in range(7):
            before = time.thread_time()
            event = prepared(wait=False)
            taken.append(time.thread_time() - before)
            event.wait()
        assert min(taken) < BLOCKED_AT_MOST, (
            f"{n} items: {min(taken) * 1e6:.0f} us; {said(prepared.explanation, 'lane')}"
        )
        on_caller += said(prepared.explanation, "lane").startswith("the calling thread")
        n = n * 4 + 3
    assert (on_caller == 0) == ("loop" in what)


def test_the_text_stands_first_as_for_kernel_source() -> None:
    """The other order, which explain once had, is taken with a warning."""
    wanted = sycl.explain("y[i] = x[i];", N, **arrays())
    with pytest.warns(DeprecationWarning, match=re.escape("the text stands first, explain(text, range)")) as caught:
        assert sycl.explain(N, "y[i] = x[i];", **arrays()) == wanted  # type: ignore[arg-type]
    assert caught[0].filename == __file__
    assert "syc_" in sycl.kernel_source("y[i] = x[i];", N, **arrays())


def test_lines_are_shown_as_lines() -> None:
    for shown in (
        sycl.explain("y[i] = x[i];", N, **arrays()),
        sycl.kernel_source("y[i] = x[i];", N, **arrays()),
        sycl.make_reduce(sycl.plus, "f4").plan(100).explain(),
    ):
        assert isinstance(shown, str) and repr(shown) == str(shown) and repr(shown).count("\n") > 1
