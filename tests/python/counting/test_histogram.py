"""histogram, histogram2d and bincount against NumPy's, on a device."""

import warnings

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl._sorts.sort_rows import force_sort_row
from pysycl.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("on_a_device")

TYPES = ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def same(found, expected, close=False):
    """One result or several, with their types; sums of weights are rounded in another order."""
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert np.allclose(one, other, rtol=1e-5 if close else 0, atol=1e-5 if close else 0, equal_nan=True)


def values(dtype, count=3001, seed=1):
    return (np.random.default_rng(seed).normal(size=count) * 20 + 5).astype(dtype)


def needs_double(queue):
    if not queue.device.has("fp64"):
        pytest.skip("no double")


@pytest.mark.parametrize("dtype", sweep(TYPES, ["f4", "f2", "i1", "u8"]))
def test_types_and_bins(queue, dtype):
    needs_double(queue)
    x = values(dtype)
    for asked in (
        {}, {"bins": 37}, {"bins": 100, "range": (-3.3, 40.1)}, {"bins": [-5, 0.5, 3, 3, 90]}, {"bins": np.arange(0, 90, 7)},
        {"bins": 20, "density": True}, {"bins": 1}, {"bins": 9, "range": (5, 5)}, {"bins": 8, "range": (1000, 2000)},
    ):  # fmt: skip
        same(sycl.histogram(x, queue=queue, **asked), np.histogram(x, **asked), "density" in asked)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bins", [1, 2, 7, 10, 97, 1000, 4099])
def test_elements_on_the_edges(queue, dtype, bins):
    """Each edge, and the numbers beside it."""
    needs_double(queue)
    for low, high in ((0, 1), (-0.1, 0.3), (1e-3, 1e3), (1.0, 1.25)):
        edges = np.histogram_bin_edges(np.zeros(0, dtype), bins, (low, high)).astype(dtype)
        x = np.concatenate([edges, np.nextafter(edges, np.array(np.inf, dtype)),
                            np.nextafter(edges, np.array(-np.inf, dtype))])  # fmt: skip
        found, at = sycl.histogram(x, bins, (low, high), queue=queue)
        inside = x[(x >= edges[0]) & (x <= edges[-1])]
        expected = np.bincount(np.minimum(np.searchsorted(edges, inside, "right") - 1, bins - 1), minlength=bins)
        assert np.array_equal(at, edges) and np.array_equal(found, expected)


def test_nan_and_infinities(queue):
    needs_double(queue)
    x = np.array([np.nan, -np.inf, 0.0, -0.0, 0.5, np.inf, 1.0, np.nan])
    same(sycl.histogram(x, 4, (0, 1), queue=queue), np.histogram(x, 4, (0, 1)))
    same(sycl.histogram(x, [-np.inf, 0, 1, np.inf], queue=queue), np.histogram(x, [-np.inf, 0, 1, np.inf]))
    for q in (queue, None):
        with pytest.raises(InvalidParameterError, match=r"autodetected range of \[nan, nan\] is not finite"):
            sycl.histogram(x, queue=q)


@pytest.mark.parametrize("weight", sweep(["f8", "f4", "i4", "u1", "i8", "?", "f2"], ["f4", "i4", "?", "f2"]))
def test_weights(queue, weight):
    needs_double(queue)
    x, w = values("f4"), values(weight, seed=2)
    for asked in ({}, {"density": True}, {"bins": [0, 1, 2, 50]}):
        if weight in ("?", "f2") and "bins" in asked:
            continue  # which NumPy refuses, or adds with 16 bits
        same(sycl.histogram(x, weights=w, queue=queue, **asked), np.histogram(x, weights=w, **asked), True)


def test_weights_of_integers_are_added_exactly(queue):
    x, w = np.zeros(1000, np.int32), np.full(1000, 2**53 + 1)
    found, _ = sycl.histogram(x, 1, (0, 1), weights=w, queue=queue)
    assert found.tolist() == [1000 * (2**53 + 1)]


def test_complex_weights(queue):
    needs_double(queue)
    x, w = values("f8"), values("f8", seed=2) + 1j * values("f8", seed=3)
    same(sycl.histogram(x, 7, weights=w, queue=queue), np.histogram(x, 7, weights=w), True)
    same(sycl.histogram(x, 7, weights=w, density=True, queue=queue), np.histogram(x, 7, weights=w, density=True), True)


def test_weights_in_one_order_give_the_same_bits(queue):
    needs_double(queue)
    x, w = values("f4", 20000), values("f8", 20000, 2)
    first, *others = (sycl.histogram(x, 5, weights=w, queue=queue, determinism="run_to_run")[0] for _ in range(4))
    assert all(np.array_equal(first, other) for other in others)


def test_shapes_steps_and_nothing(queue):
    needs_double(queue)
    x = values("f4", 3000).reshape(-1, 3)[::-2, 1:].T
    same(sycl.histogram(x, queue=queue), np.histogram(x))
    same(sycl.histogram(x, [0, 3, 9], weights=x, queue=queue), np.histogram(x, [0, 3, 9], weights=x), True)
    same(sycl.histogram(np.float32(3), 3, queue=queue), np.histogram(np.float32(3), 3))
    same(sycl.histogram(np.zeros(0), 4, queue=queue), np.histogram(np.zeros(0), 4))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = sycl.histogram(np.array([True, False, True]), 2, queue=queue)
    assert [one.filename for one in told] == [__file__]
    same(found, (np.array([1, 2]), np.array([0.0, 0.5, 1.0])))


@pytest.mark.parametrize("rule", ["auto", "fd", "sturges", "sqrt"])
def test_rules(queue, rule):
    needs_double(queue)
    same(sycl.histogram(values("f8"), rule, queue=queue), np.histogram(values("f8"), rule))
    same(sycl.histogram_bin_edges(values("f8"), rule, queue=queue), np.histogram_bin_edges(values("f8"), rule))


def test_the_edges_alone(queue):
    needs_double(queue)
    for x in (values("f4"), values("i4"), values("u1").reshape(-1, 3001)[:, ::7]):
        for bins, ends in ((7, None), (12, (-1, 3.5)), ([0, 2, 5], None), (np.array([0.0, 0.5]), None)):
            expected = np.histogram_bin_edges(x, bins, ends)
            same(sycl.histogram_bin_edges(x, bins, ends, queue=queue), expected)
            same(sycl.histogram_bin_edges(sycl.Buffer(x, copy=True), bins, ends, queue=queue), expected)
    for bins, words in (
        ("auto", "the rule 'auto' is there for NumPy arrays"),
        ([2, 1], "edges ascend, and 1 comes behind 2"),
        (0, "bins: expected one at least, got 0"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.histogram_bin_edges(sycl.Buffer(values("f4")), bins, queue=queue)


def test_device_memory(queue):
    needs_double(queue)
    x, w = values("f4"), values("f8", seed=2)
    usm, by = sycl.malloc_shared(x.shape, "f4", queue), sycl.malloc_shared(w.shape, "f8", queue)
    np.asarray(usm)[...], np.asarray(by)[...] = x, w
    buffer, by_buffer = sycl.Buffer(x, copy=True), sycl.Buffer(w, copy=True)
    for asked in ({"bins": 10}, {"bins": [0, 1, 5, 70]}, {"bins": 9, "range": (0, 1), "density": True}):
        expected = np.histogram(x, **asked)
        found, edges = sycl.histogram(usm, **asked)
        assert isinstance(found, sycl.UsmArray)
        same((np.asarray(found), edges), expected, True)
        found, edges = sycl.histogram(buffer, queue=queue, **asked)
        same((np.asarray(found.host_access()), edges), expected, True)
    expected = np.histogram(x, 5, weights=w)
    same((np.asarray(sycl.histogram(usm, 5, weights=by)[0]), expected[1]), expected, True)
    found = sycl.histogram(buffer, 5, weights=by_buffer, queue=queue)[0]
    same((np.asarray(found.host_access()), expected[1]), expected, True)
    two = sycl.histogram2d(usm, usm, 4)
    same((np.asarray(two[0]), *two[1:]), np.histogram2d(x, x, 4))
    counts = sycl.malloc_shared(1000, "u2", queue)
    np.asarray(counts)[...] = np.arange(1000) % 77
    same(np.asarray(sycl.bincount(counts, minlength=80)), np.bincount(np.arange(1000) % 77, minlength=80))
    with pytest.raises(InvalidParameterError, match="^weights: expected memory of the kind of x"):
        sycl.histogram(usm, weights=w)
    with pytest.raises(InvalidParameterError, match="^bins: the rule 'auto' is there for NumPy arrays"):
        sycl.histogram(usm, "auto")


@pytest.mark.parametrize("dtype", sweep(["f8", "f4", "i4", "u1"], ["f4"]))
def test_two_dimensions(queue, dtype):
    needs_double(queue)
    x, y = values(dtype), values(dtype, seed=5)
    w = values("f8", seed=7)
    edges = [-5.0, 0.25, 9.0, 60.0]
    for asked in (
        {}, {"bins": 7}, {"bins": [3, 11]}, {"bins": edges}, {"bins": [edges, [0, 1, 30]]}, {"bins": [4, edges]},
        {"range": [[0, 20], [-1.5, 33.3]]}, {"density": True}, {"weights": w}, {"bins": 5, "range": [None, [0, 7]]},
    ):  # fmt: skip
        same(sycl.histogram2d(x, y, queue=queue, **asked), np.histogram2d(x, y, **asked), True)


@pytest.mark.parametrize("dtype", sweep(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "?"], ["u2", "i8", "?"]))
def test_bincount(queue, dtype):
    for count in (1, 2, 17, 4001, 300_001):  # of narrow types all values are counted where there are many elements
        x = (np.abs(values("i4", count)) // 2).astype(dtype)
        same(sycl.bincount(x, queue=queue), np.bincount(x))
        same(sycl.bincount(x, minlength=300, queue=queue), np.bincount(x, minlength=300))
    if queue.device.has("fp64"):
        w = values("f4", x.size, 3)
        same(sycl.bincount(x, w, queue=queue), np.bincount(x, w), True)


def test_bincount_of_steps_and_nothing(queue):
    x = np.abs(values("i4"))[::-3]
    same(sycl.bincount(x, queue=queue), np.bincount(x))
    for none in ([], np.zeros(0, "i4")):
        same(sycl.bincount(none, queue=queue), np.bincount(none))
        same(sycl.bincount(none, minlength=3, queue=queue), np.bincount(none, minlength=3))


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x, q: sycl.bincount(x - 3, queue=q), "x: "),
        (lambda x, q: sycl.bincount(x.astype("f4"), queue=q), "x: expected integers that int64 has all of, got float32"),
        (lambda x, q: sycl.bincount(sycl.Buffer(x.astype("u8"))), "x: expected integers that int64 has all of, got uint64"),
        (lambda x, q: sycl.bincount((x - 3).astype("u8"), queue=q), "x: 18446744073709551615 is more than int64 has"),
        (lambda x, q: sycl.bincount(x.reshape(1, -1), queue=q), "x: expected one dimension, got the shape"),
        (lambda x, q: sycl.bincount(x, x[1:], queue=q), "weights: shape "),
        (lambda x, q: sycl.bincount(x, minlength=-1, queue=q), "minlength: expected an int that is not negative, got -1"),
        (lambda x, q: sycl.bincount(x, minlength="a", queue=q), "minlength: expected an int, got 'a'"),
        (lambda x, q: sycl.histogram(x * 1j, queue=q), "x: expected real numbers, got complex128"),
        (lambda x, q: sycl.histogram(x, 0, queue=q), "bins: expected one at least, got 0"),
        (lambda x, q: sycl.histogram(x, 1.5, queue=q), "bins: expected an int or edges, got 1.5"),
        (lambda x, q: sycl.histogram(x, [3, 1], queue=q), "bins: edges ascend, and 1 comes behind 3"),
        (lambda x, q: sycl.histogram(x, [0, np.nan, 1], queue=q), "bins: edge 1 is NaN"),
        (lambda x, q: sycl.histogram(x, [[0, 1]], queue=q), "bins: expected a number of bins, or edges"),
        (lambda x, q: sycl.histogram(x, [1], queue=q), "bins: 1 edges are no bin"),
        (lambda x, q: sycl.histogram(x, 3, (2, 1), queue=q), "range: expected two finite numbers, the lower"),
        (lambda x, q: sycl.histogram(x, 3, (0, np.inf), queue=q), "range: expected two finite numbers, the lower"),
        (lambda x, q: sycl.histogram(x, "nobody", queue=q), "bins: there is no rule 'nobody', but auto, doane, "),
        (lambda x, q: sycl.histogram(x, weights=x[1:], queue=q), "weights: shape "),
        (lambda x, q: sycl.histogram2d(x, x[1:], queue=q), "y: expected as many as of x"),
        (lambda x, q: sycl.histogram2d(x, x, 0, queue=q), "bins of x: expected one at least, got 0"),
        (lambda x, q: sycl.histogram2d(x, x, [2, [1, 0]], queue=q), "bins of y: edges ascend"),
        (lambda x, q: sycl.histogram2d(x, x, range=[[0, 1]], queue=q), "range: expected a pair for x and one for y"),
        (lambda x, q: sycl.histogram2d(x, x, range=[[0, np.nan], None], queue=q), "range of x: supplied range"),
    ],
)  # fmt: skip
def test_errors(queue, call, words, few):
    if few:
        force_sort_row(None)
    with pytest.raises(InvalidParameterError) as error:
        call(np.arange(20), None if few else queue)
    assert str(error.value).startswith(words)


def test_few_elements_are_counted_as_many_are(queue):
    """They are NumPy's work, with the same types; but for weights that are added exactly."""
    force_sort_row(None)
    x, w = values("f4", 50), np.full(50, 2**53 + 1)
    for q in (queue, None):
        same(sycl.histogram(x, queue=q), np.histogram(x))
        same(sycl.bincount([1, 2, 2], [1, 2, 3], queue=q), np.bincount([1, 2, 2], [1, 2, 3]))
        assert sycl.histogram(x, 1, (-99, 99), weights=w, queue=q)[0].tolist() == [50 * (2**53 + 1)]


def test_bincount_of_unsigned_ones(queue):
    for count in (0, 5, 3001, 300_001):
        x = np.random.default_rng(count).integers(0, 700, count).astype("u8")
        for each in (x, x[::3], x[::-1]):
            same(sycl.bincount(each, queue=queue), np.bincount(each.astype("i8")))
    if queue.device.has("fp64"):
        same(sycl.bincount(x, np.sqrt(x), queue=queue), np.bincount(x.astype("i8"), np.sqrt(x)), True)
