"""What accuracy= and determinism= promise of scans of floating-point numbers."""

import math

import numpy as np
import pytest

import pysycl as sycl


@pytest.fixture(params=["f4", "f8"])
def dtype(request, queue):
    if request.param == "f8" and not queue.device.has("fp64"):
        pytest.skip("the device has no fp64")
    return np.dtype(request.param)


def awkward(rng, n, dtype):
    """Numbers of both signs and of many sizes, which cancel."""
    return (rng.standard_normal(n) * 10.0 ** rng.integers(-6, 7, n)).astype(dtype)


def test_fast_is_better_than_one_after_the_other(queue):
    x = np.random.default_rng(1).random(1 << 22, np.float32)
    want = np.cumsum(x, dtype=np.float64)
    error = np.max(np.abs(sycl.cumsum(x, queue=queue) - want) / want)
    assert error <= 1e-5 < np.max(np.abs(np.cumsum(x) - want) / want)


@pytest.mark.parametrize("n", [1, 37, 2003])
def test_exact_sums_are_correctly_rounded(queue, dtype, n):
    x = awkward(np.random.default_rng(n), n, dtype)
    want = np.array([math.fsum(x[: k + 1].tolist()) for k in range(n)]).astype(dtype)
    np.testing.assert_array_equal(sycl.cumsum(x, accuracy="exact", queue=queue), want)
    before = np.concatenate([np.zeros(1, dtype), want[:-1]])
    np.testing.assert_array_equal(sycl.exclusive_scan(x, accuracy="exact", queue=queue), before)


@pytest.mark.parametrize("n", [37, 2003, 100_003])
def test_compensated_sums_are_off_by_a_rounding(queue, dtype, n):
    x = awkward(np.random.default_rng(n), n, dtype)
    wide = x.astype(np.longdouble)
    want, sizes = np.cumsum(wide), np.cumsum(np.abs(wide))
    u = float(np.finfo(dtype).eps)
    found = sycl.cumsum(x, accuracy="compensated", queue=queue)
    assert np.all(np.abs(found - want) <= u * np.abs(want) + (n * u) ** 2 * sizes + n * 2.0**-63 * sizes)


@pytest.mark.parametrize("accuracy", ["fast", "compensated", "exact"])
def test_the_same_bits_each_time(queue, accuracy):
    x = awkward(np.random.default_rng(3), 300_007, "f4")
    first = sycl.cumsum(x, accuracy=accuracy, determinism="run_to_run", queue=queue)
    for _ in range(5):
        np.testing.assert_array_equal(sycl.cumsum(x, accuracy=accuracy, determinism="run_to_run", queue=queue), first)
