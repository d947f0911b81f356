"""NumPy's own tests of partition, median, percentile and quantile, re-expressed with pysycl in NumPy's place: beside each
case the test of numpy/_core/tests/test_multiarray.py or numpy/lib/tests/test_function_base.py that it is from."""

import numpy as np
import pytest
from sort_cases import same
from sweeps import exhaustive, sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("on_a_device")

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def is_partitioned(found, x, kth):
    """NumPy's assert_partitioned, and nothing is lost."""
    size = len(x)
    same(np.sort(found), np.sort(x))
    for place in sorted(k % size for k in kth):
        same(found[place], np.sort(x)[place])
        if found[place] == found[place]:
            assert np.all(found[:place] <= found[place])
            assert np.all((found[place:] >= found[place]) | (found[place:] != found[place:]))


def parted(x, kth, queue):
    is_partitioned(sycl.partition(x, kth, queue=queue), x, np.atleast_1d(kth))


# TestMethods.test_partition, its arrays of one dimension
def test_partition(queue):
    for r in (
        [2, 1],
        [1, 2],
        [1, 1],
        [3, 2, 1],
        [1, 2, 3],
        [2, 1, 3],
        [2, 3, 1],
        [1, 1, 1],
        [1, 2, 2],
        [2, 2, 1],
        [1, 2, 1],
    ):
        for k in range(len(r)):
            parted(np.array(r), k, queue)
    kth = np.array([30, 15, 5])
    parted(np.arange(40), kth, queue)
    same(kth, np.array([30, 15, 5]))
    for x, places in (
        (np.ones(1, "f4"), (0,)), (np.ones(50, "f4"), (0,)), (np.arange(49), (5, 15)), (np.arange(47)[::-1], (6, 16, -6, -16)),
        (np.random.default_rng(1).permutation(np.arange(47) % 7), (0, 6, 7, 16, 40, 46)),
    ):  # fmt: skip
        for k in places:
            parted(x, k, queue)
    for size in (30_000, 30_001):  # what kills medians of three, in sizes of our own
        x = np.roll(np.arange(size), size // 2 + size % 2)
        assert sycl.partition(x, size // 2 + 1, queue=queue)[size // 2 + 1] == size // 2 + 1
    d = np.ones(10, "f4")
    d[1] = 4
    parted(d, (2, -1), queue)
    d[1] = np.nan
    parted(d, (2, -1), queue)
    d = np.array([0, 1, 2, 3, 4, 5, *[7] * 16, 9])
    parted(d, [0, 3, 19, 20], queue)


# TestMethods.test_partition, its axes, and test_partition_out_of_range, test_partition_integer, test_partition_empty_array,
# test_item_selection.py: TestPartition.test_empty_partition
def test_partition_along_axes(queue):
    for dtype in ("i4", "f4", "c8"):
        for size in (9, 16):
            d1 = np.random.default_rng(2).permuted(np.tile(np.arange(size), (4, 1)), axis=1).astype(dtype)
            for k in (0, size // 2, -1):
                for found in (sycl.partition(d1, k, 1, queue=queue), sycl.partition(d1.T, k, 0, queue=queue).T):
                    for row, one in zip(found, d1, strict=True):
                        is_partitioned(row, one, [k])
                y = d1.copy()
                assert sycl.partition(y, k, 1, out=y, queue=queue) is y
                same(np.sort(y), np.sort(d1))
    d = np.arange(10).reshape((2, 5))
    is_partitioned(sycl.partition(d, 9, None, queue=queue), d.reshape(-1), [9])
    for kth, axis in (
        (2, 0),
        (-3, 0),
        (11, 1),
        (9, 1),
        (11, None),
        (-11, None),
        ((0, 1, 2, 429, 231), 1),
        (9.0, None),
        (2, 2),
    ):
        with pytest.raises(InvalidParameterError):
            sycl.partition(d, kth, axis, queue=queue)
    nothing = np.array([]).reshape((3, 2, 1, 0))
    for axis in (*range(-4, 4), None):
        for kind in INTEGERS:
            found = sycl.partition(nothing, np.array(0, kind)[()], axis, queue=queue)
            same(found, nothing if axis is not None else nothing.ravel())
    a = np.array([0, 2, 4, 6, 8, 10])
    same(np.sort(sycl.partition(a, np.array([], "i2"), queue=queue)), a)


# test_partition_iterative, test_partition_fuzz
@pytest.mark.parametrize("step", sweep([1, 5], [5]))
def test_several_places(queue, step):
    rng = np.random.default_rng(3)
    parted(np.array([3, 4, 2, 1]), (0, 3), queue)
    parted(np.array([3, 4, 2, 1]), (-3, -1), queue)
    same(sycl.partition(rng.permutation(17), range(17), queue=queue), np.arange(17))
    parted(rng.permutation(17), [1, 3, 8, -2], queue)
    parted(np.arange(20)[::-1], [5] * 4 + [6, 13], queue)
    for j in range(10, 30, step):
        for i in range(1, j - 2):
            d = rng.permutation(j) % rng.integers(2, 30)
            parted(d, [0, int(rng.integers(j)), i, i + 1], queue)


# test_partition_int, test_partition_fp: their 510 sizes
@pytest.mark.parametrize(
    "sizes", [[2, 3, 17, 64, 129, 511], exhaustive([*range(2, 512)])], ids=["few sizes", "all sizes"]
)
@pytest.mark.parametrize("dtype", sweep(["i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"], ["i2", "f4"]))
def test_each_size(queue, dtype, sizes):
    rng = np.random.default_rng(4)
    for n in sizes:
        if np.dtype(dtype).kind == "f":
            arr = (-0.5 + rng.random(n)).astype(dtype)
            parted(arr, int(rng.integers(n)), queue)
            arr[0], arr[1] = np.nan, np.inf
            found = sycl.partition(arr, -2, queue=queue)
            assert np.isnan(found[-1]) and found[-2] == np.inf
        else:
            info = np.iinfo(dtype)
            arr = rng.integers(info.min, info.max, n, dtype, endpoint=True)
            arr[rng.choice(n, 2, replace=False)] = info.min, info.max
            parted(arr, int(rng.integers(n)), queue)
            arr[-1] = info.max
            parted(arr, int(rng.integers(n)), queue)


# -- test_function_base.py: TestPercentile and TestQuantile --


def equal(found, expected):
    np.testing.assert_array_equal(found, expected)


def percentile(x, p, axis=None, **options):
    return sycl.quantile(x, np.asarray(p) / 100 if np.ndim(p) else p / 100, axis, **options)


# TestPercentile.test_basic, test_2D, test_sequence, test_percentile_list, test_linear_interpolation_extrapolation
def test_percentile(queue):
    x = np.arange(8) * 0.5
    equal(percentile(x, [0, 100, 50], queue=queue), [0, 3.5, 1.75])
    for p, value in ((0, 0.0), (100, 3.5), (50, 1.75)):
        equal(percentile(x, p, queue=queue), value)
    x[1] = np.nan
    for method in ("linear", "nearest", "inverted_cdf"):
        equal(percentile(x, 0, method=method, queue=queue), np.nan)
    equal(percentile(np.array([[1, 1, 1], [1, 1, 1], [4, 4, 3], [1, 1, 1], [1, 1, 1]]), 50, 0, queue=queue), [1, 1, 1])
    equal(percentile([1, 2, 3], 0, queue=queue), 1)
    x = np.random.default_rng(5).random(5)
    equal(percentile(x, [0, 100], queue=queue), [x.min(), x.max()])


# test_linear_interpolation, test_linear_nan_1D
@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "f8"])
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("inverted_cdf", 20), ("averaged_inverted_cdf", 27.5), ("closest_observation", 20), ("interpolated_inverted_cdf", 20),
        ("hazen", 27.5), ("weibull", 26), ("linear", 29), ("median_unbiased", 27), ("normal_unbiased", 27.125),
    ],
)  # fmt: skip
def test_methods(dtype, method, expected):
    found = sycl.quantile(np.array([15, 20, 35, 40, 50]).astype(dtype), 0.4, method=method)
    theirs = np.quantile(np.array([15, 20, 35, 40, 50]).astype(dtype), 0.4, method=method)
    np.testing.assert_array_almost_equal_nulp(found, theirs.dtype.type(expected))
    assert found.dtype == theirs.dtype
    if np.dtype(dtype).kind == "f":
        found = sycl.quantile(np.array([15, np.nan, 35, 40, 50], dtype), 0.4, method=method)
        assert np.isnan(found) and found.dtype == dtype


# test_lower_higher, test_midpoint, test_nearest, TestQuantile.test_quantile_preserve_int_type
@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "f8"])
def test_methods_without_weights(dtype):
    ten, nine, eleven = np.arange(10).astype(dtype), np.arange(1, 10).astype(dtype), np.arange(11).astype(dtype)
    for x, p, method, value in (
        (ten, 50, "lower", 4), (ten, 50, "higher", 5), (ten, 51, "midpoint", 4.5), (nine, 50, "midpoint", 5),
        (eleven, 51, "midpoint", 5.5), (eleven, 50, "midpoint", 5), (ten, 51, "nearest", 5), (ten, 49, "nearest", 4),
    ):  # fmt: skip
        equal(percentile(x, p, method=method), value)
    assert sycl.quantile(np.array([1, 2], dtype), [0.5], method="nearest").dtype == dtype


# test_axis, test_scalar_q, test_percentile_empty_dim, test_extended_axis, test_keepdims
def test_shapes(queue):
    x = np.arange(12).reshape(3, 4)
    equal(percentile(x, (25, 50, 100), 0, queue=queue), [[2, 3, 4, 5], [4, 5, 6, 7], [8, 9, 10, 11]])
    equal(percentile(x, (25, 50, 100), 1, queue=queue), np.array([[0.75, 1.5, 3], [4.75, 5.5, 7], [8.75, 9.5, 11]]).T)
    assert np.isscalar(percentile(x, 50, queue=queue)) and percentile(x, 50, queue=queue) == 5.5
    x = np.random.default_rng(6).random((3, 4, 5, 6)).astype("f4")
    for q in (0.25, (0.25, 0.5), [[0.1, 0.9], [0.5, 0.25]]):
        for axis in (None, 0, 1, 2, 3, -1, (0, 1), (-2, -1), (0, 1, 2, 3), (3, 0), ()):
            for keep in (False, True):
                for method in ("linear", "higher"):
                    ours = sycl.quantile(x, q, axis, method=method, keepdims=keep, queue=queue)
                    theirs = np.quantile(x, q, axis, method=method, keepdims=keep)
                    assert ours.shape == theirs.shape
                    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    d = np.arange(22).reshape(11, 1, 2, 1)
    for axis in range(-4, 4):
        assert percentile(d, 50, axis, queue=queue).shape == np.percentile(d, 50, axis).shape


# test_exception, test_extended_axis_invalid, test_complex, test_nan_q
def test_percentile_errors():
    x = np.arange(24, dtype="f4").reshape(2, 3, 4)
    for p in (101, -1, [*range(50), 101], [*range(50), -0.1], np.nan, [1, 2, 3, np.nan]):
        with pytest.raises(InvalidParameterError, match="q: expected numbers from 0 to 1"):
            percentile([1], p)
    with pytest.raises(InvalidParameterError, match="method: expected one of"):
        percentile([1, 2], 56, method="foobar")
    for axis in (-5, (0, -5), 3, (1, 3), (1, 1)):
        for call in (sycl.median, lambda a, axis: sycl.quantile(a, 0.25, axis)):
            with pytest.raises(InvalidParameterError, match="axis"):
                call(x, axis)
    for dtype in ("c8", "c16"):
        with pytest.raises(InvalidParameterError, match="complex"):
            percentile(np.ones(3, dtype), 50)


# test_percentile_no_overwrite, test_no_p_overwrite, TestQuantile.test_max_ulp, test_q_zero_one, test_quantile_monotonic
@pytest.mark.parametrize("method", METHODS)
def test_quantile(method, queue):
    a, p = np.array([2, 3, 4, 1]), np.array([0, 0.75, 0.25, 0.5, 1.0])
    sycl.quantile(a, p, method=method, queue=queue)
    equal(a, [2, 3, 4, 1]), equal(p, [0, 0.75, 0.25, 0.5, 1.0])
    np.testing.assert_array_max_ulp(sycl.quantile([0.0, 0.2, 0.4], 0.45, queue=queue), 0.18, maxulp=1)
    equal(sycl.quantile([10, 11, 12], [0, 1], method=method, queue=queue), [10, 12])
    q = np.linspace(0, 1, 101)
    for x in (np.array([0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 1, 1, 9, 9, 9, 8, 8, 7]) * 0.1, [0.0, 1.0, 2.0, 3.0]):
        found = sycl.quantile(x, q, method=method, queue=queue)
        assert np.all(found[1:] >= found[:-1])
        np.testing.assert_allclose(found, np.quantile(x, q, method=method), rtol=1e-15)


# TestPercentile.test_nan_behavior, TestMedian.test_nan_behavior
def test_nan(queue):
    a = np.arange(24, dtype="f4").reshape(2, 3, 4)
    a[1, 2, 3] = a[1, 1, 2] = np.nan
    for axis in (None, 0, 1, 2, (0, 2)):
        equal(sycl.quantile(a, 0.3, axis, queue=queue), np.quantile(a, 0.3, axis))
        equal(
            sycl.quantile(a, [0.3, 0.6], axis, method="nearest", queue=queue),
            np.quantile(a, [0.3, 0.6], axis, method="nearest"),
        )
        equal(sycl.median(a, axis, queue=queue), np.median(a, axis))
    for part in (a[:, :, 0], a[1]):
        equal(sycl.median(part, queue=queue), np.median(part))


# TestMedian.test_basic, test_axis_keyword, test_array_like, test_extended_axis, test_keepdims, test_empty
def test_median(queue):
    for x in (
        np.array(1),
        np.arange(2),
        np.arange(6).reshape(2, 3),
        [1, 2, 3],
        np.array([[2, 3], [0, 1], [6, 7], [4, 5]]),
    ):
        for axis in (None, *range(np.ndim(x))):
            equal(sycl.median(x, axis, queue=queue), np.median(x, axis))
    for a in (
        [0.0444502, 0.0463301, 0.141249, 0.0606775],
        [0.0463301, 0.0444502, 0.141249],
        [0.0444502, 0.141249, 0.0463301],
    ):
        found = sycl.median(np.array(a), queue=queue)
        assert found == np.median(a) and found.ndim == 0
    d = np.random.default_rng(7).normal(size=(3, 5, 7, 11)).astype("f4")
    for axis in (None, (0, 1), (0, 3), (-4, -1), (0, 1, 2, 3), 1):
        for keep in (False, True):
            same(sycl.median(d, axis, keepdims=keep, queue=queue), np.median(d, axis, keepdims=keep))
    with pytest.raises(InvalidParameterError, match="no elements"):
        sycl.median(np.array([]), queue=queue)
