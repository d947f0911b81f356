"""top_k, partition, median, quantile, merge and unique against NumPy."""

import numpy as np
import pytest
from sort_cases import elements, same

import pysycl as sycl

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip


def top(x, k, axis, largest):
    """By NumPy's stable sorts: NaN last of all."""
    order = np.argsort(x, axis, kind="stable")
    if largest:
        key = np.where(x == x, -x.astype("f8"), np.inf)
        odd = np.where(x == x, 0, 1)
        order = np.lexsort((key, odd), axis=axis)
    order = np.take(order, np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4"])
def test_top_k(queue, dtype):
    for shape in ((3000,), (700, 5), (3, 4, 600)):
        x = elements(np.random.default_rng(1), dtype, shape, "few")
        for axis in range(len(shape)):
            for k in {0, 1, min(3, shape[axis]), shape[axis]}:
                for largest in (True, False):
                    found = sycl.top_k(x, k, axis, largest=largest, queue=queue)
                    values, indices = top(x, k, axis, largest)
                    same(found.values, values)
                    same(found.indices, indices)
    flat = sycl.top_k(x, 5, None, queue=queue)
    same(flat.values, top(x.reshape(-1), 5, 0, True)[0])
    found = sycl.top_k(sycl.Buffer(x), 3, 1, queue=queue)
    same(found.values, top(x, 3, 1, True)[0])
    for k, words in (
        (601, "k: expected 0 to 600, which the axis has, got 601"),
        (-1, "got -1"),
        ("a", "k: expected an int"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.top_k(x, k, queue=queue)


def test_partition(queue):
    x = elements(np.random.default_rng(2), "i4", (5, 700), "few")
    same(sycl.partition(x, 3, queue=queue), np.sort(x))
    same(sycl.partition(x, [1, -1], 0, queue=queue), np.sort(x, 0))
    for kth, words in ((700, "kth: 700 is out of bounds for 700"), (1.5, "kth: expected ints")):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.partition(x, kth, queue=queue)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["i4", "u1", "f2", "f4", "f8"])
def test_quantiles(method, dtype):
    q = [0, 0.1, 0.25, 0.5, 0.619, 0.75, 1]
    for shape in ((1,), (2,), (9,), (10,), (7, 12), (3, 4, 5)):
        x = elements(np.random.default_rng(3), dtype, shape, "random")
        x = x if x.dtype.kind == "f" else x // 4  # NumPy's differences of integers wrap
        for axis in (None, *range(len(shape)), tuple(range(len(shape)))):
            for keep in (False, True):
                ours = sycl.quantile(x, q, axis, method=method, keepdims=keep)
                theirs = np.quantile(x, q, axis, method=method, keepdims=keep)
                assert np.shape(ours) == np.shape(theirs)
                np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
                assert ours.dtype == theirs.dtype
        ours, theirs = sycl.quantile(x, 0.5, method=method), np.quantile(x, 0.5, method=method)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-3 if dtype == "f2" else 1e-6, atol=1e-6)


def test_differences_of_integers_do_not_wrap():
    assert sycl.quantile(np.array([-(2**31), 2**31 - 1], "i4"), 0.5) == -0.5


def test_medians_and_nan(queue):
    rng = np.random.default_rng(4)
    for dtype in ("i4", "f2", "f4", "f8", "?"):
        for shape in ((1,), (2,), (101,), (100,), (6, 33), (2, 3, 4)):
            x = elements(rng, dtype, shape, "random")
            for axis in (None, *range(len(shape)), tuple(range(len(shape)))):
                same(sycl.median(x, axis), np.median(x, axis))
                same(sycl.median(x, axis, keepdims=True), np.median(x, axis, keepdims=True))
    x = elements(rng, "f4", (900, 3), "random")
    x[5, 1] = np.nan
    same(sycl.median(x, 0, queue=queue), np.median(x, 0))
    same(sycl.quantile(x, [0.2, 1], 0, queue=queue), np.quantile(x, [0.2, 1], 0))
    for call, words in (
        (lambda: sycl.quantile(x, 1.5), "q: expected numbers from 0 to 1, got 1.5"),
        (lambda: sycl.quantile(x, np.nan), "q: expected"),
        (lambda: sycl.quantile(x, 0.5, method="best"), "method: expected one of interpolated"),
        (lambda: sycl.median(np.zeros(0)), "x: no elements"),
        (lambda: sycl.median(np.zeros(3, "c8")), "x: complex numbers have no quantiles"),
        (lambda: sycl.median(sycl.Buffer(x)), "x: expected a NumPy array"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()


@pytest.mark.parametrize("dtype", ["i2", "f4", "u8"])
def test_merge(queue, dtype):
    rng = np.random.default_rng(5)
    for sizes in ((0, 0), (0, 5), (5, 0), (1, 1), (3, 700), (700, 3), (64, 64), (5000, 4097), (1, 9000)):
        x, y = (np.sort(elements(rng, dtype, (size,), "few")) for size in sizes)
        same(sycl.merge(x, y, queue=queue), np.sort(np.concatenate([x, y])))
    same(sycl.merge(sycl.Buffer(x), sycl.Buffer(y), queue=queue), np.sort(np.concatenate([x, y])))
    wild = elements(rng, "u8", (3000,), "random"), elements(rng, "u8", (2000,), "random")
    same(np.sort(sycl.merge(*wild, queue=queue)), np.sort(np.concatenate(wild)))
    with pytest.raises(sycl.InvalidParameterError, match="y: expected elements of"):
        sycl.merge(x, y.astype("c8").real.astype("f8"), queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match=r"x: expected real numbers of one dimension.*\(1, 1\)"):
        sycl.merge(x[None], y, queue=queue)


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "f4", "c8"])
def test_unique(dtype):
    rng = np.random.default_rng(6)
    for shape in ((0,), (1,), (500,), (20, 30)):
        for pattern in ("few", "random"):
            x = elements(rng, dtype, shape, pattern)
            ours, theirs = sycl.unique(x, True, True, True), np.unique(x, True, True, True)
            for one, other in zip(ours, theirs, strict=True):
                same(one, other)
            same(sycl.unique(x), np.unique(x))
            same(sycl.unique(x, equal_nan=False), np.unique(x, equal_nan=False))
            for one, other in zip(sycl.unique(x, return_counts=True), np.unique(x, return_counts=True), strict=True):
                same(one, other)


def test_unique_along_axes_and_of_device_memory(queue):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, (40, 3, 2)).astype("i4")
    for axis in (0, 1, 2, -1):
        ours, theirs = (
            sycl.unique(x, True, True, True, axis=axis, queue=queue),
            np.unique(x, True, True, True, axis=axis),
        )
        same(ours[0], theirs[0])
        same(ours[1], theirs[1])
        same(ours[2].reshape(-1), theirs[2].reshape(-1))
        same(ours[3], theirs[3])
    same(sycl.unique(sycl.Buffer(x.reshape(-1)), queue=queue).trim(), np.unique(x))
    values, lengths = sycl.unique(sycl.Buffer(x.reshape(-1)), return_counts=True, queue=queue).trim()
    same(values, np.unique(x))
    same(lengths, np.unique(x, return_counts=True)[1])
    with pytest.raises(sycl.InvalidParameterError, match="return_index: of NumPy arrays only"):
        sycl.unique(sycl.Buffer(x.reshape(-1)), True)
