"""top_k, partition, median, quantile, merge and unique against NumPy."""

import numpy as np
import pytest
from sort_cases import elements, same
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms.plan import plan_of
from pysycl._sorts.sort_rows import force_sort_row

SELECTIONS = ["threshold", "threshold of groups", "digits of places", "digits"]

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip


def top(x, k, axis, largest):
    """By NumPy's stable sorts: NaN last of all."""
    order = np.argsort(x, axis, kind="stable")
    if largest:
        key = ~x if x.dtype.kind in "bui" else np.where(x == x, -x.astype("f8"), np.inf)
        order = np.lexsort((key, x != x), axis=axis)
    order = np.take(order, np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order


@pytest.mark.parametrize("dtype", sweep(["i4", "u1", "f4"], ["f4"]))
def test_top_k(queue, on_a_device, dtype):
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


@pytest.fixture(params=SELECTIONS)
def row(request):
    force_sort_row(request.param)
    yield request.param
    force_sort_row(None)


@pytest.mark.parametrize("dtype", sweep(["u1", "i2", "f2", "i4", "f4", "u8", "f8"], ["f4"]))
def test_the_first_by_each_row(queue, row, dtype, thorough):
    """Of more elements than a thread's list has room for, in each pattern: equal ones in their order, NaN last."""
    rng = np.random.default_rng(8)
    for pattern in ("random", "few", "sorted", "reversed", "equal"):
        for shape, axis in (((30_000,), 0), ((9000, 2), 0), ((3, 9000), 1))[: 3 if thorough else 2]:
            x = elements(rng, dtype, shape, pattern)
            for k, largest in ((1, True), (40, True), (40, False)):
                found = sycl.top_k(x, k, axis, largest=largest, queue=queue)
                values, indices = top(x, k, axis, largest)
                same(found.values, values)
                same(found.indices, indices)


def test_the_first_of_elements_that_come_last(queue, row):
    """Which are no less than the bar that a piece begins with."""
    for x, largest in (
        (np.full(3000, 255, "u1"), False),
        (np.zeros(3000, "u4"), True),
        (np.full(3000, np.nan, "f4"), True),
    ):
        same(sycl.top_k(x, 30, largest=largest, queue=queue).indices, np.arange(30))


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "u8", "f8"])
def test_the_first_on_the_calling_thread(dtype):
    rng = np.random.default_rng(11)
    for n in (1, 2, 7, 1000):
        for pattern in ("random", "few", "equal"):
            x = elements(rng, dtype, (n,), pattern)
            for y, axis in ((x, 0), (x, None), (x[None], 1), (x[:, None], 0), (np.tile(x, (2, 1)), 1)):
                for k in {0, 1, n // 2, n}:
                    for largest in (True, False):
                        found = sycl.top_k(y, k, axis, largest=largest)
                        values, indices = top(y.reshape(-1) if axis is None else y, k, axis or 0, largest)
                        same(found.values, values)
                        same(found.indices, indices)


def test_more_of_the_first_than_a_thread_has(queue, row):
    x = elements(np.random.default_rng(9), "f4", (5000,), "few")
    for k in (2500, 4999, 5000):
        same(sycl.top_k(x, k, queue=queue).indices, top(x, k, 0, True)[1])
    x = x.reshape(2, 2500)
    same(sycl.top_k(sycl.Buffer(x), 3, 1, queue=queue).values, top(x, 3, 1, True)[0])


PLACES = [
    (name, dtype)
    for name in ("digits of places", "device")
    for dtype in ("?", "u1", "i2", "f2", "i4", "f4", "u8", "f8")
]


@pytest.mark.parametrize(("name", "dtype"), sweep(PLACES, [("digits of places", "f4"), ("device", "i2")]))
def test_places_by_digits(queue, name, dtype, thorough):
    force_sort_row(name)
    try:
        for pattern in ("random", "few", "equal"):
            for shape, axis in (((9001,), 0), ((4100, 2), 0), ((3, 4100), 1))[: 3 if thorough else 2]:
                x = elements(np.random.default_rng(10), dtype, shape, pattern)
                ordered = np.sort(x, axis, kind="stable")  # NumPy's own of halves is wrong with AVX-512
                for kth in (0, [shape[axis] // 2], [-1, 7, 7, 300]):
                    out = x.copy()
                    for found in (
                        sycl.partition(x, kth, axis, queue=queue),
                        sycl.partition(out, kth, axis, out=out, queue=queue),
                    ):
                        same(np.sort(found, axis, kind="stable"), ordered)
                        for place in np.atleast_1d(kth) % shape[axis]:
                            pivot = np.take(ordered, [place], axis)
                            same(np.take(found, [place], axis), pivot)
                            early = np.take(found, range(place), axis)
                            assert np.all((early <= pivot) | (pivot != pivot))
                            assert not np.any(np.take(found, range(place, shape[axis]), axis) < pivot)
                if dtype != "?":
                    same(sycl.median(x, axis, queue=queue), np.median(x, axis))
    finally:
        force_sort_row(None)


def row_of(call, n):
    return plan_of(call, n, np.dtype("f4")).explain()


@pytest.mark.parametrize(
    ("row", "call", "n"),
    [
        ("bar", lambda x, q: sycl.top_k(x, 10, queue=q), 1000),
        ("bar", lambda x, q: sycl.top_k(x, 10, queue=q), (10, 100)),
        ("bar", lambda x, q: sycl.top_k(x, 10, queue=q), 2_000_000),
        ("NumPy's partition", lambda x, q: sycl.top_k(x, 600, queue=q), 1000),
        ("NumPy's partition", lambda x, q: sycl.partition(x, 10, queue=q), 100_000),
        ("NumPy's partition", lambda x, q: sycl.median(x, queue=q), 100_000),
        ("NumPy's partition", lambda x, q: sycl.quantile(x, 0.2, queue=q), 100_000),
        ("calling thread", lambda x, q: sycl.top_k(x, 60, queue=q), (10, 100)),
        ("merge path", lambda x, q: sycl.merge(x, x, queue=q), 100_000),
        ("tree", lambda x, q: sycl.searchsorted(x, x, queue=q), 100_000),
        ("tree", lambda x, q: sycl.searchsorted(x, x, out=np.empty(100_000, "i8"), queue=q), 100_000),
        ("tree", lambda x, q: sycl.digitize(x, [3, 2, 1], out=np.empty(100_000, "i8"), queue=q), 100_000),
        ("tree", lambda x, q: sycl.isin(x, x, queue=q), 100_000),
        ("tables", lambda x, q: sycl.histogram(x, 9, (0, 1), queue=q), 100_000),
        ("tables", lambda x, q: sycl.bincount(np.arange(x.size) % 9, queue=q), 300_000),
        ("tables", lambda x, q: sycl.unique(np.arange(x.size) % 9, queue=q), 100_000),
        ("tables", lambda x, q: sycl.group_by(np.arange(x.size) % 9, queue=q).sum(x), 100_000),
    ],
)
def test_a_cpus_queue_that_is_free_is_as_none(queue, row, call, n):
    if not queue.device.is_cpu:
        pytest.skip("without a queue arrays may be this device's work, too")
    for given in (None, queue):
        assert f"row       {row}\n" in row_of(lambda x, given=given: call(x, given), n)


def test_explain_says_which_row_a_device_takes(queue, on_a_device):
    def first(x):
        return sycl.top_k(x, 10, queue=queue)

    def part(x):
        return sycl.partition(x, 10, queue=queue)

    few = "threshold" if queue.device.is_cpu else "threshold of groups"
    assert f"row       {few}" in row_of(first, 100_000)
    assert "row       digits of places" in row_of(lambda x: sycl.top_k(x, 60_000, queue=queue), 100_000)
    assert "row       merges" in row_of(first, (1000, 100))
    assert "row       digits of places" in row_of(part, 100_000)


def test_partition(queue, on_a_device):
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


@pytest.mark.parametrize("q", [0.3, np.float32(0.3), np.float64(0.3), np.array([0.3], "f4"), [0.3, 1]], ids=repr)
def test_types_of_elements_and_places(q):
    x = np.arange(9, dtype="f4")
    for method in ("linear", "hazen", "lower"):
        ours, theirs = sycl.quantile(x, q, method=method), np.quantile(x, q, method=method)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_differences_of_integers_do_not_wrap():
    assert sycl.quantile(np.array([-(2**31), 2**31 - 1], "i4"), 0.5) == -0.5


def test_medians_and_nan(queue, on_a_device):
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
def test_merge(queue, on_a_device, dtype):
    rng = np.random.default_rng(5)
    for sizes in ((0, 0), (0, 5), (5, 0), (1, 1), (3, 700), (700, 3), (64, 64), (5000, 4097), (1, 9000)):
        x, y = (np.sort(elements(rng, dtype, (size,), "few")) for size in sizes)
        same(sycl.merge(x, y, queue=queue), np.sort(np.concatenate([x, y])))
    same(sycl.merge(sycl.Buffer(x), sycl.Buffer(y), queue=queue), np.sort(np.concatenate([x, y])))
    zeros = np.tile(np.array([-0.0, 0.0], "f4"), 3000)  # which are equal, so that this is ascending
    found = sycl.merge(zeros, zeros[:3000], queue=queue)
    same(np.signbit(found), np.signbit(np.concatenate([zeros, zeros[:3000]])))
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


def test_unique_along_axes_and_of_device_memory(queue, on_a_device):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, (40, 3, 2)).astype("i4")
    few = x[:4].copy()  # what is compared is a struct of a part's elements
    for y, axis in ((x, 0), (few, 1), (few, 2), (few, -1)):
        ours, theirs = (
            sycl.unique(y, True, True, True, axis=axis, queue=queue),
            np.unique(y, True, True, True, axis=axis),
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


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "u8", "f4", "f8"])
def test_sets(dtype):
    rng = np.random.default_rng(21)
    for sizes in ((0, 0), (0, 5), (1, 1), (40, 700), (3001, 50)):
        x, y = ((rng.normal(size=size) * 9).round().astype("i4").astype(dtype) for size in sizes)
        same(sycl.setxor1d(x, y), np.setxor1d(x, y))
        for ours, theirs in zip(
            sycl.intersect1d(x, y, return_indices=True), np.intersect1d(x, y, return_indices=True), strict=True
        ):
            same(ours, theirs)
        once = np.unique(x)[::-1], np.unique(y)
        same(sycl.setxor1d(*once, assume_unique=True), np.setxor1d(*once, assume_unique=True))
        for ours, theirs in zip(sycl.intersect1d(*once, True, True), np.intersect1d(*once, True, True), strict=True):
            same(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
def test_percentiles(method):
    x = np.random.default_rng(22).normal(size=(5, 31))
    for p in (0, 100, 37.5, [25, 50], np.array([[3.0, 99]])):
        for axis in (None, 0, 1):
            ours, theirs = sycl.percentile(x, p, axis, method=method), np.percentile(x, p, axis, method=method)
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)
            assert np.shape(ours) == np.shape(theirs)
    for p in (-1, 101, [5, 101], np.nan):
        with pytest.raises(sycl.InvalidParameterError, match="q: expected numbers from 0 to 100, got"):
            sycl.percentile(x, p, method=method)
