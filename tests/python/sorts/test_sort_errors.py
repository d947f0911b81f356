"""Wrong calls of sorts, quantiles, counts and searches, in the caller's words."""

import numpy as np
import pytest

import pysycl as sycl

X = np.array([3.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sycl.lexsort(5), "keys: expected arrays, the most important one last, got 5"),
        (lambda: sycl.merge(X, sycl.Buffer(X, copy=True)), "y: expected memory of the kind of x"),
        (lambda: sycl.merge(X, [1, 2]), "y: expected elements of float64, as x has them, got int64"),
        (lambda: sycl.quantile(X, "half"), "q: expected numbers from 0 to 1, got 'half'"),
        (lambda: sycl.percentile(X, None), "q: expected numbers from 0 to 100, got None"),
        (lambda: sycl.nanpercentile(X, [5, [1]]), "q: expected numbers from 0 to 100, got [5, [1]]"),
        (lambda: sycl.histogram(X, -1), "bins: expected one at least, got -1"),
        (lambda: sycl.histogram(X, 2.5), "bins: expected an int or edges, got 2.5"),
        (lambda: sycl.histogram(X, "best"), "bins: there is no rule 'best', but auto, doane, fd, rice, "),
        (lambda: sycl.histogram(X, 3, (1, 0, 2)), "range: expected two finite numbers, the lower one first, got (1, 0, 2)"),
        (lambda: sycl.histogram(X, 3, 7), "range: expected two finite numbers, the lower one first, got 7"),
        (lambda: sycl.histogram_bin_edges(X, 3, ("a", "b")), "range: expected two finite numbers"),
        (lambda: sycl.histogram(np.full(9, np.nan)), "x: autodetected range of [nan, nan] is not finite"),
        (lambda: sycl.histogram2d(X, X, "auto"), "bins of x: expected an int or edges, got 'auto'"),
        (lambda: sycl.bincount([4, -1, 2]), "x: expected no negative elements, and there is -1"),
        (lambda: sycl.digitize(X, [1, 3, 2]), "bins: expected edges that ascend or descend, and 2 comes behind 3"),
        (lambda: sycl.digitize(X, [3, 1, 2]), "bins: expected edges that ascend or descend, and 2 comes behind 1"),
        (lambda: sycl.digitize(X, [1, np.nan, 2]), "bins: expected edges that ascend or descend, and there is NaN"),
        (lambda: sycl.random.Generator("x"), "seed: expected an int that is not negative, several of them, or None, got 'x'"),
        (lambda: sycl.argpartition(X, "a"), "kth: expected ints, got 'a'"),
    ],
)  # fmt: skip
def test_wrong_calls(call, words):
    with pytest.raises(sycl.InvalidParameterError) as told:
        call()
    assert words in str(told.value)
