"""Weights and memory for results of quantiles, elements that are NaN, and argpartition, against NumPy."""

import warnings

import numpy as np
import pytest
from sort_cases import elements, same
from sweeps import sweep

import pysycl as sycl

Q = [0, 0.1, 0.25, 0.5, 0.619, 0.75, 1]


@pytest.mark.parametrize("dtype", sweep(["i4", "u1", "f2", "f4", "f8"], ["i4", "f2", "f4"]))
def test_weights(queue, dtype):
    rng = np.random.default_rng(31)
    for shape in ((1,), (9,), (7, 12), (3, 4, 5)):
        x = elements(rng, dtype, shape, "few")
        by = rng.integers(0, 4, shape).astype("f8")
        by.reshape(-1)[0] = 0
        by[..., -1] = 2  # each line has some, along each axis but the last one's first elements
        by[-1] += 1
        for axis in (None, *range(len(shape)), tuple(range(len(shape)))[::-1]):
            for q in (Q, 0, 0.5, np.array([[0.3, 1.0]])):
                ours = sycl.quantile(x, q, axis, weights=by, method="inverted_cdf", queue=queue)
                theirs = np.quantile(x, q, axis, weights=by, method="inverted_cdf")
                same(ours, theirs)
                assert ours.dtype == theirs.dtype
    along = np.array([0.0, 1, 3, 0, 2])
    for axis, by in ((2, along), ((2, 0), np.outer(along, [1.0, 5, 2])), ((0, 2), np.outer([1.0, 5, 2], along))):
        ours = sycl.percentile(x, [0, 30, 90], axis, weights=by, method="inverted_cdf", keepdims=True, queue=queue)
        same(ours, np.percentile(x, [0, 30, 90], axis, weights=by, method="inverted_cdf", keepdims=True))


def test_weights_of_lines_with_nan(queue):
    x = np.random.default_rng(32).normal(size=(4, 30))
    x[2, 7] = np.nan
    by = np.random.default_rng(33).integers(1, 9, 30)
    ours = sycl.quantile(x, Q, 1, weights=by, method="inverted_cdf", queue=queue)
    same(ours, np.quantile(x, Q, 1, weights=by, method="inverted_cdf"))
    assert np.isnan(ours[:, 2]).all() and not np.isnan(ours[:, [0, 1, 3]]).any()


def test_weights_of_what_is_no_nan(queue):
    rng = np.random.default_rng(37)
    by = rng.integers(0, 5, (30, 20)).astype("f8")
    by[2] /= 4
    for dtype in ("f4", "f8", "i4"):
        x = rng.integers(-9, 9, by.shape).astype(dtype)
        if dtype != "i4":
            x[rng.random(x.shape) < 0.4] = np.nan
        for axis, weights in ((1, by), (None, by), (0, by), (1, by[2])):
            ours = sycl.nanquantile(x, Q, axis, weights=weights, method="inverted_cdf", queue=queue)
            whole = np.broadcast_to(weights, x.shape)  # NumPy 2.4 fails on fewer
            same(ours, np.nanquantile(x, Q, axis, weights=whole, method="inverted_cdf"))
    x = x.astype("f4")
    x[3] = np.nan
    out = np.zeros((30, 1), "f4")
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered") as told:
        found = sycl.nanpercentile(x, 40, 1, out, weights=by, method="inverted_cdf", keepdims=True, queue=queue)
    assert found is out and [one.filename for one in told] == [__file__]
    assert np.isnan(out[3]).all()
    same(
        np.delete(out, 3, 0),
        np.percentile(np.delete(x, 3, 0), 40, 1, weights=np.delete(by, 3, 0), method="inverted_cdf", keepdims=True),
    )
    for weights, words in ((-by, "not negative"), (np.where(x == x, 0, by), "add up to more than 0")):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.nanquantile(x[:3], 0.5, 1, weights=weights[:3], method="inverted_cdf", queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match="weights: they go with method='inverted_cdf' alone"):
        sycl.nanquantile(x, 0.5, weights=by)


@pytest.mark.parametrize(
    ("weights", "options", "words"),
    [
        ([1, 2, 3], {}, "weights: they go with method='inverted_cdf' alone, and not with 'linear'"),
        ([1, 2], {"method": "inverted_cdf"}, r"weights: expected the shape \(3,\) of x, or \(3,\), got \(2,\)"),
        ([1, -2, 3], {"method": "inverted_cdf"}, "weights: expected numbers that are not negative"),
        ([1, np.nan, 3], {"method": "inverted_cdf"}, "weights: expected numbers that are not negative"),
        ([0, 0, 0], {"method": "inverted_cdf"}, "weights: expected some that add up to more than 0"),
        (
            [1, np.inf, 3],
            {"method": "inverted_cdf"},
            "weights: expected some that add up to more than 0, and are finite",
        ),
        ([1, 2j, 3], {"method": "inverted_cdf"}, "weights: expected a NumPy array of real numbers"),
        ("abc", {"method": "inverted_cdf"}, "weights: "),
    ],
)
def test_weights_that_are_none(weights, options, words):
    with pytest.raises(sycl.InvalidParameterError, match=words):
        sycl.quantile([1.0, 2.0, 3.0], 0.5, weights=weights, **options)


def test_memory_for_results(queue):
    x = np.random.default_rng(34).normal(size=(5, 31))
    for call, shape in (
        (lambda **o: sycl.quantile(x, [0.2, 0.7], 1, **o), (2, 5)),
        (lambda **o: sycl.percentile(x, 20, 0, **o), (31,)),
        (lambda **o: sycl.median(x, 1, keepdims=True, **o), (5, 1)),
        (lambda **o: sycl.median(x, **o), ()),
        (lambda **o: sycl.nanmedian(x, 0, **o), (31,)),
        (lambda **o: sycl.nanquantile(x, 0.3, 0, **o), (31,)),
        (lambda **o: sycl.quantile(x, 0.3, 1, weights=np.ones(31), method="inverted_cdf", **o), (5,)),
    ):
        out = np.full(shape, -7.0)
        assert call(out=out, queue=queue) is out
        same(out, call())
        narrow = np.full(shape, -7.0, "f4")
        call(out=narrow)
        np.testing.assert_allclose(narrow, call(), rtol=1e-6)
        with pytest.raises(sycl.InvalidParameterError, match="out: Cannot cast"):
            call(out=np.zeros(shape, "i4"))
        with pytest.raises(sycl.InvalidParameterError, match="out: expected the shape"):
            call(out=np.zeros((*shape, 2)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_what_is_nan_does_not_count(queue, dtype):
    rng = np.random.default_rng(35)
    for shape in ((1,), (2,), (9,), (7, 12), (3, 4, 5)):
        x = elements(rng, "i2", shape, "random").astype("i4") % 1000
        x = x.astype(dtype)
        if dtype != "i4" and x.size > 2:
            x[rng.random(shape) < 0.3] = np.nan
            x.reshape(-1)[:2] = 3, -5
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            for axis in (None, *range(len(shape)), tuple(range(len(shape)))):
                same(sycl.nanmedian(x, axis, queue=queue), np.nanmedian(x, axis))
                same(sycl.nanmedian(x, axis, keepdims=True), np.nanmedian(x, axis, keepdims=True))
                for method in ("linear", "inverted_cdf", "hazen", "nearest", "averaged_inverted_cdf", "midpoint"):
                    ours = sycl.nanquantile(x, Q, axis, method=method, queue=queue)
                    theirs = np.nanquantile(x, Q, axis, method=method)
                    assert ours.dtype == theirs.dtype and np.shape(ours) == np.shape(theirs)
                    np.testing.assert_allclose(ours, theirs, rtol=2e-3 if dtype == "f2" else 1e-6)
                np.testing.assert_allclose(
                    sycl.nanpercentile(x, 30, axis), np.nanpercentile(x, 30, axis), rtol=2e-3 if dtype == "f2" else 1e-6
                )


def test_lines_of_nothing_but_nan(queue):
    x = np.array([[np.nan, np.nan, np.nan], [4, np.nan, 1]])
    for call in (
        lambda: sycl.nanmedian(x, 1, queue=queue),
        lambda: sycl.nanquantile(x, 0.5, 1, queue=queue),
        lambda: sycl.nanpercentile(x, 50, 1, queue=queue),
    ):
        with pytest.warns(RuntimeWarning, match="All-NaN slice encountered") as told:
            same(call(), np.array([np.nan, 2.5]))
        assert [one.filename for one in told] == [__file__]
    for q, words in ((101, "from 0 to 100, got 101"), (-1, "from 0 to 100, got -1")):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.nanpercentile(x, q)
    with pytest.raises(sycl.InvalidParameterError, match="method: expected one of"):
        sycl.nanquantile(x, 0.5, method="best")


@pytest.mark.parametrize("dtype", sweep(["i4", "u1", "f2", "f4", "f8", "c8"], ["i4", "f2", "c8"]))
def test_argpartition(queue, on_a_device, dtype):
    rng = np.random.default_rng(36)
    for shape in ((1,), (2,), (101,), (6, 33), (2, 3, 4)):
        x = elements(rng, dtype, shape, "few")
        for axis in (None, *range(len(shape))):
            size = x.size if axis is None else shape[axis]
            for kth in (0, -1, size // 2, [size // 3, size - 1]):
                order = sycl.argpartition(x, kth, axis, queue=queue)
                lines, along = (x.reshape(-1), 0) if axis is None else (x, axis)
                assert order.dtype == np.int64
                same(np.sort(order, along), np.indices(lines.shape)[along])  # each position once
                found = np.take_along_axis(lines, order, along)
                places = np.atleast_1d(kth)
                same(np.take(found, places, along), np.take(np.sort(lines, along), places, along))
    out = np.zeros(101, np.int64)
    y = elements(rng, dtype, (101,), "random")
    assert sycl.argpartition(y, 7, out=out, queue=queue) is out
    assert y[out[7]] == np.sort(y)[7] or dtype == "c8"
    assert sycl.argpartition(np.zeros(0), 0).shape == (0,)
    same(np.asarray(sycl.argpartition(sycl.Buffer(y), 3)), np.argsort(y, kind="stable"))
    with pytest.raises(sycl.InvalidParameterError, match="kth: 101 is out of bounds for 101 elements"):
        sycl.argpartition(y, 101)
