"""NumPy's own tests of histogram, bincount, digitize, searchsorted and the routines of sets, re-expressed with pysycl in
NumPy's place: beside each case the test of numpy/lib/tests or numpy/_core/tests that it is from. queue= keeps small arrays
from being NumPy's own work."""

import numpy as np
import pytest

import pysycl as sycl
from pysycl.errors import InvalidParameterError


@pytest.fixture(autouse=True)
def _double(queue):
    if not queue.device.has("fp64"):
        pytest.skip("no double")


def exact(found, expected):
    expected = np.asarray(expected)
    assert np.asarray(found).dtype == expected.dtype and np.array_equal(
        found, expected, equal_nan=expected.dtype.kind == "f"
    )


def test_histogram(queue):
    rng = np.random.default_rng(1)
    v = rng.random(100)
    a, b = sycl.histogram(v, queue=queue)
    assert a.sum() == 100  # test_histograms.py: TestHistogram.test_simple
    a, b = sycl.histogram(np.linspace(0, 10, 100), queue=queue)
    exact(a, np.full(10, 10))
    a, b = sycl.histogram([1, 2, 3, 4], bins=[1, 2], queue=queue)  # test_one_bin
    exact(a, [2]), exact(b, [1, 2])
    with pytest.raises(InvalidParameterError):
        sycl.histogram([1, 2], bins=0, queue=queue)
    h, e = sycl.histogram([1, 2], bins=1, queue=queue)
    exact(h, [2]), exact(e, [1.0, 2.0])
    a, b = sycl.histogram(v, density=True, queue=queue)  # test_density
    assert np.isclose((a * np.diff(b)).sum(), 1)
    a, b = sycl.histogram(np.arange(10), [0, 1, 3, 6, 10], density=True, queue=queue)
    assert np.allclose(a, 0.1) and np.isclose((a * np.diff(b)).sum(), 1)
    counts, _ = sycl.histogram([1, 2, 3, 4], [0.5, 1.5, np.inf], density=True, queue=queue)
    exact(counts, [0.25, 0])
    outside = np.arange(10) + 0.5  # test_outliers
    h, b = sycl.histogram(outside, range=[0, 9], queue=queue)
    assert h.sum() == 9
    h, b = sycl.histogram(outside, range=[1, 10], queue=queue)
    assert h.sum() == 9
    h, b = sycl.histogram(outside, range=[1, 9], density=True, queue=queue)
    assert np.isclose((h * np.diff(b)).sum(), 1)
    h, b = sycl.histogram(outside, bins=8, range=[1, 9], weights=outside, queue=queue)
    exact(h, outside[1:9])
    h, _ = sycl.histogram(np.array([True, True, False]), [0, 1, 2], queue=queue)  # test_bool_conversion, by values
    exact(h, [1, 2])


test_histogram.pytestmark = pytest.mark.filterwarnings("ignore:Converting input from bool")


def test_histogram_weights(queue):
    v, w = np.random.default_rng(2).random(100), np.ones(100) * 5  # test_weights
    a, _ = sycl.histogram(v, queue=queue)
    na, _ = sycl.histogram(v, density=True, queue=queue)
    wa, _ = sycl.histogram(v, weights=w, queue=queue)
    nwa, _ = sycl.histogram(v, weights=w, density=True, queue=queue)
    assert np.allclose(a * 5, wa) and np.allclose(na, nwa)
    v, w = np.linspace(0, 10, 10), np.concatenate((np.zeros(5), np.ones(5)))
    exact(sycl.histogram(v, bins=np.arange(11), weights=w, queue=queue)[0], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1.0])
    wa, _ = sycl.histogram([1, 2, 2, 4], bins=4, weights=[4, 3, 2, 1], queue=queue)
    exact(wa, [4, 5, 0, 1])
    wa, _ = sycl.histogram([1, 2, 2, 4], bins=4, weights=[4, 3, 2, 1], density=True, queue=queue)
    assert np.allclose(wa, np.array([4, 5, 0, 1]) / 10.0 / 3.0 * 4)
    a, _ = sycl.histogram(
        np.arange(9), [0, 1, 3, 6, 10], weights=[2, 1, 1, 1, 1, 1, 1, 1, 1], density=True, queue=queue
    )
    assert np.allclose(a, [0.2, 0.1, 0.1, 0.075])
    values, edges = np.array([1.3, 2.5, 2.3]), [0, 2, 3]  # test_exotic_weights, the complex ones
    weights = np.array([1, -1, 2]) + 1j * np.array([2, 1, 2])
    exact(sycl.histogram(values, bins=edges, weights=weights, queue=queue)[0], np.array([1, 1]) + 1j * np.array([2, 3]))
    wa, _ = sycl.histogram(values, bins=2, range=[1, 3], weights=weights, queue=queue)
    exact(wa, np.array([1, 1]) + 1j * np.array([2, 3]))


def test_histogram_ranges_and_edges(queue):
    a, b = sycl.histogram([], bins=[0, 1], queue=queue)  # test_empty
    exact(a, [0]), exact(b, [0, 1])
    for x in (np.array([1, np.nan]), np.array([np.nan, np.nan])):  # test_finite_range
        exact(sycl.histogram(x, 2, (0, 4), queue=queue)[0], np.histogram(x, 2, (0, 4))[0])
    for ends in ([np.nan, 0.75], [0.25, np.inf], (np.nan, np.nan)):
        with pytest.raises(InvalidParameterError, match="range: expected two finite numbers"):
            sycl.histogram(np.linspace(0, 1, 9), range=ends, queue=queue)
    with pytest.raises(InvalidParameterError):  # test_invalid_range
        sycl.histogram(np.linspace(0.0, 1.0, 9), range=[0.1, 0.01], queue=queue)
    arr = np.array([337, 404, 739, 806, 1007, 1811, 2012.0])  # test_bin_edge_cases
    hist, edges = sycl.histogram(arr, bins=8296, range=(2, 2280), queue=queue)
    mask = hist > 0
    assert all(low <= x < high for low, x, high in zip(edges[:-1][mask], arr, edges[1:][mask], strict=True))
    arr = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0])  # test_last_bin_inclusive_range
    assert sycl.histogram(arr, bins=30, range=(-0.5, 5), queue=queue)[0][-1] == 1
    arr = np.random.default_rng(3).uniform(0.0, 1.0, 3)  # test_bin_array_dims
    with pytest.raises(InvalidParameterError):
        sycl.histogram(arr, bins=np.vstack((np.arange(0.1, 0.9, 0.1), np.arange(0.1, 0.9, 0.1))), queue=queue)
    arr = np.array([-24, 21], np.int8)  # test_signed_overflow_bounds
    exact(sycl.histogram(np.array([-(2**7), 2**7 - 1], "i1"), bins=2, queue=queue)[0], [1, 1])
    exact(sycl.histogram(np.array([-(2**31), 2**31 - 1], "i4"), bins=2, queue=queue)[0], [1, 1])
    first = np.array([0, 1, 1], np.uint8)  # test_unsigned_monotonicity_check, by edges that descend
    with pytest.raises(InvalidParameterError):
        sycl.histogram(first, bins=np.array([1, 3, 0], "u1"), queue=queue)
    big = np.linspace(2**24, 2**24 + 64, 10, dtype="f4")  # test_some_nan_values, test_f32_rounding: f32 beside f32
    exact(sycl.histogram(big, 4, queue=queue)[0], np.histogram(big, 4)[0])
    x = np.array([276.318359, -69.593948, 21.329449], dtype="f4")
    y = np.array([5005.689453, 4481.327637, 6010.369629], dtype="f4")
    assert sycl.histogram2d(x, y, bins=100, queue=queue)[0].sum() == 3.0


def test_histogram2d(queue):
    x = np.array([0.41702200, 0.72032449, 1.1437481e-4, 0.302332573, 0.146755891])
    y = np.array([0.09233859, 0.18626021, 0.34556073, 0.39676747, 0.53881673])
    edges = np.linspace(0, 1, 10)  # test_twodim_base.py: TestHistogram2d.test_simple
    found = sycl.histogram2d(x, y, (edges, edges), queue=queue)[0]
    exact(found, np.histogram2d(x, y, (edges, edges))[0])
    x, y = np.array([1, 1, 2, 3, 4, 4, 4, 5]), np.array([1, 3, 2, 0, 1, 2, 3, 4])  # test_asym, test_density
    h, xed, yed = sycl.histogram2d(x, y, (6, 5), range=[[0, 6], [0, 5]], density=True, queue=queue)
    exact(xed, np.linspace(0, 6, 7)), exact(yed, np.linspace(0, 5, 6))
    assert np.allclose(h, np.histogram2d(x, y, (6, 5), range=[[0, 6], [0, 5]], density=True)[0])
    a = sycl.histogram2d([], [], bins=([0, 1], [0, 1]), queue=queue)[0]  # test_empty
    exact(a, [[0.0]])
    a = sycl.histogram2d([], [], bins=4, queue=queue)[0]
    exact(a, np.zeros((4, 4)))


def test_bincount(queue):
    exact(sycl.bincount(np.arange(4), queue=queue), np.ones(4, int))  # test_function_base.py: TestBincount.test_simple
    exact(sycl.bincount(np.array([1, 5, 2, 4, 1]), queue=queue), [0, 2, 1, 0, 1, 1])  # test_simple2
    x, w = np.arange(4), np.array([0.2, 0.3, 0.5, 0.1])
    exact(sycl.bincount(x, w, queue=queue), w)  # test_simple_weight
    x, w = np.array([1, 2, 4, 5, 2]), np.array([0.2, 0.3, 0.5, 0.1, 0.2])
    assert np.allclose(sycl.bincount(x, w, queue=queue), [0, 0.2, 0.5, 0, 0.5, 0.1])  # test_simple_weight2
    x = np.array([0, 1, 0, 1, 1])
    exact(sycl.bincount(x, minlength=3, queue=queue), [2, 3, 0])  # test_with_minlength
    exact(sycl.bincount([], minlength=0, queue=queue), np.zeros(0, int))
    exact(sycl.bincount(x, minlength=0, queue=queue), [2, 3])  # test_with_minlength_smaller_than_maxvalue, too
    for wrong in ("foobar", -1, None):  # test_with_incorrect_minlength
        with pytest.raises(InvalidParameterError):
            sycl.bincount(x, minlength=wrong, queue=queue)
    for odd in ([0.5], [-1]):  # test_negative_values, test_incorrect types
        with pytest.raises(InvalidParameterError):
            sycl.bincount(np.array(odd), queue=queue)


def test_digitize(queue):
    x = np.arange(-5, 5)
    exact(sycl.digitize(x, np.arange(-5, 5), queue=queue), np.arange(1, 11))  # TestDigitize.test_forward
    exact(sycl.digitize(np.arange(5, -5, -1), np.arange(5, -5, -1), queue=queue), np.arange(10))  # test_reverse
    x = np.random.default_rng(4).random(10)
    exact(sycl.digitize(x, np.linspace(x.min(), x.max(), 10), queue=queue) != 0, np.ones(10, bool))  # test_random
    x, bins = [1, 5, 4, 10, 8, 11, 0], [1, 5, 10]
    exact(sycl.digitize(x, bins, queue=queue), [1, 2, 1, 3, 2, 3, 0])  # test_right_basic
    exact(sycl.digitize(x, bins, True, queue=queue), [0, 1, 1, 2, 2, 3, 0])
    exact(sycl.digitize(np.arange(5), np.arange(5), True, queue=queue), np.arange(5))  # test_right_open
    exact(sycl.digitize([1, 3, 0], [1, 1, 0], queue=queue), [0, 0, 2])  # test_monotonic
    exact(sycl.digitize([0, 1, 2, 3], [1, 1, 1, 1], queue=queue), [0, 4, 4, 4])
    with pytest.raises(InvalidParameterError):
        sycl.digitize([0, 1], [1, 2, 1], queue=queue)
    with pytest.raises(InvalidParameterError):
        sycl.digitize(np.array([1j]), [1, 2], queue=queue)  # test_casting_error
    big = 2**54
    assert sycl.digitize(big, [big - 1, big + 1], queue=queue) == 1  # test_large_integers_increasing


def test_searchsorted(queue):
    a = np.array([0, 1, np.nan])  # test_multiarray.py: TestMethods.test_searchsorted_floats
    exact(sycl.searchsorted(a, a, "left", queue=queue), np.arange(3))
    exact(sycl.searchsorted(a, a, "right", queue=queue), np.arange(1, 4))
    for side in ("left", "right"):
        a = np.arange(0)
        exact(sycl.searchsorted(a, [0], side, queue=queue), [0])
        exact(sycl.searchsorted(np.ones(1), [0, 1, 2], side, queue=queue), [0, side == "right", 1])
        a = np.ones(5)
        exact(sycl.searchsorted(a, [0, 1, 2], side, queue=queue), [0, 5 * (side == "right"), 5])
        b = np.arange(5)
        exact(sycl.searchsorted(b, b, side, queue=queue), b + (side == "right"))
        a = np.arange(13).astype("i2")[::3]  # test_searchsorted_unaligned_array, by steps
        exact(sycl.searchsorted(a, a, side, queue=queue), np.arange(5) + (side == "right"))
    a = np.array([5, 2, 1, 3, 4])  # test_searchsorted_with_sorter
    s = np.argsort(a)
    for wrong in (
        [1, 2, 3],
        (1, [2, 3]),
        [[1, 2, 3, 4, 5]],
        np.array([0.0, 1, 2, 3, 4]),
        [0, 1, 2, 3, 5],
        [-1, 0, 1, 2, 3],
    ):
        with pytest.raises((InvalidParameterError, ValueError)):
            sycl.searchsorted(a, a, sorter=wrong, queue=queue)
    k = np.linspace(0, 1, 20)
    a = np.random.default_rng(5).random(300)
    exact(sycl.searchsorted(a, k, sorter=a.argsort(), queue=queue), np.sort(a).searchsorted(k))
    exact(sycl.searchsorted(np.array([5, 2, 1, 3, 4]), 3, sorter=s, queue=queue), 2)


def test_sets(queue):
    a, b = np.array([5, 7, 1, 2]), np.array([2, 4, 3, 1, 5])  # test_arraysetops.py: TestSetOps.test_intersect1d
    exact(sycl.intersect1d(a, b, assume_unique=True, queue=queue), [1, 2, 5])
    exact(sycl.intersect1d([5, 5, 7, 1, 2], [2, 1, 4, 3, 3, 1, 5], queue=queue), [1, 2, 5])
    exact(sycl.intersect1d(np.zeros(0, int), np.zeros(0, int), queue=queue), np.zeros(0, int))
    exact(sycl.union1d(np.array([5, 4, 7, 1, 2]), np.array([2, 4, 3, 3, 2, 1, 5]), queue=queue), [1, 2, 3, 4, 5, 7])
    exact(sycl.union1d(np.array([[0, 1, 2], [3, 4, 5]]), np.arange(5), queue=queue), np.arange(6))  # test_union1d
    nans = np.array([2.0, np.nan, np.nan])
    exact(sycl.union1d(nans, [1.0, np.nan], queue=queue), np.union1d(nans, [1.0, np.nan]))
    a, b = np.array([6, 5, 4, 7, 1, 2, 7, 4]), np.array([2, 4, 3, 3, 2, 1, 5])
    exact(sycl.setdiff1d(a, b, queue=queue), [6, 7])  # test_setdiff1d
    exact(sycl.setdiff1d(np.arange(21), np.arange(19), queue=queue), [19, 20])
    exact(sycl.setdiff1d(np.array([3, 2, 1]), np.zeros(0, int), assume_unique=True, queue=queue), [3, 2, 1])  # _unique


def test_isin(queue):
    a, b = np.arange(24).reshape([2, 3, 4]), np.array([[10, 20, 30], [0, 1, 3], [11, 22, 33]])  # TestSetOps.test_isin
    for one, two in ((a, b), (3, b), (a, np.array(3)), (3, 3), ([], b), (a, []), ([], []), (5, np.arange(0))):
        for invert in (False, True):
            exact(sycl.isin(one, two, invert=invert, queue=queue), np.isin(one, two, invert=invert))
    for mult in (1, 10):  # test_in1d
        a = np.array([7, 1, 2] * mult)
        for c in ([5, 5], [7, 1], [2], [1, 2, 3, 7]):
            exact(sycl.isin(a, c, queue=queue), np.isin(a, c))
    exact(sycl.isin([np.nan, 1.0], [np.nan, 1.0], queue=queue), np.isin([np.nan, 1.0], [np.nan, 1.0]))
    exact(sycl.isin(np.array([True, False]), np.array([False]), queue=queue), [False, True])  # test_in1d_boolean
    u8 = np.array([0, 2**63], np.uint64)  # test_in1d_mixed... of one type
    exact(sycl.isin(u8, u8[1:], queue=queue), [False, True])
    if queue.device.has("usm_shared_allocations"):
        usm = sycl.malloc_shared(5, "i4", queue)
        np.asarray(usm)[...] = [1, 2, 3, 4, 5]
        exact(np.asarray(sycl.isin(usm, [2, 5])), [False, True, False, False, True])
        exact(np.asarray(sycl.isin(usm, usm[1:3])), [False, True, True, False, False])
