"""PyOpenCL's tests of its scans and what is made of them (test/test_algorithm.py), for pysycl. The name of PyOpenCL's test
stands beside each; sizes are its own."""

from itertools import pairwise

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

COUNTS = [
    10, 2**8 - 1, 2**8, 2**8 + 1, 2**10 - 5, 2**10, 2**10 + 5, 2**12 - 5, 2**12, 2**12 + 5, 2**20 - 2**18,
    2**20 - 2**18 + 5, 2**20 + 1, 2**20, 2**23 + 3,
]  # fmt: skip
each_count = pytest.mark.parametrize("n", sweep(COUNTS, [10, 2**8 + 1, 2**12 - 5, 2**20 + 1]))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


# test_scan
@each_count
@pytest.mark.parametrize(
    ("exclusive", "dtype"),
    sweep([(exclusive, dtype) for exclusive in (False, True) for dtype in ("i4", "i8")], [(False, "i8"), (True, "i4")]),
)
def test_scan(queue, rng, n, dtype, exclusive):
    x = rng.integers(0, 10, n).astype(dtype)
    want = np.cumsum(x) - (x if exclusive else 0)
    scan = sycl.exclusive_scan if exclusive else sycl.inclusive_scan
    found = scan(x, "a + b", initial=0, queue=queue) if exclusive else scan(x, "a + b", queue=queue)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, want)
    scan(x, sycl.plus, dtype=dtype, out=x, queue=queue)  # PyOpenCL's scans are in place
    np.testing.assert_array_equal(x, want)


# test_copy_if
@each_count
def test_copy_if(queue, rng, n):
    x = rng.integers(0, 1000, n).astype("i4")
    b = sycl.Buffer(x, copy=True)
    selected = sycl.select(b, "x > 300", queue=queue)
    assert selected.values.shape == (n,) and selected.count.shape == (1,)
    np.testing.assert_array_equal(np.asarray(selected.trim()), x[x > 300])
    np.testing.assert_array_equal(sycl.select(x, "x > 300", queue=queue), x[x > 300])


# test_partition
@each_count
def test_partition(queue, rng, n):
    x = rng.integers(0, 1000, n).astype("i4")
    yes, no = sycl.split_by(x, "x > 300", queue=queue)
    np.testing.assert_array_equal(yes, x[x > 300])
    np.testing.assert_array_equal(no, x[x <= 300])
    parts = sycl.split_by(sycl.Buffer(x, copy=True), "x > 300", queue=queue).trim()
    np.testing.assert_array_equal(np.asarray(parts[0]), yes)
    np.testing.assert_array_equal(np.asarray(parts[1]), no)


# test_unique
@each_count
def test_unique(queue, rng, n):
    x = np.sort(rng.integers(0, 1000, n).astype("i4"))
    np.testing.assert_array_equal(sycl.unique_consecutive(x, queue=queue), np.unique(x))


# test_index_preservation
@each_count
def test_index_preservation(queue, n):
    out = np.full(n, -1, "i4")
    last = sycl.scanner(sycl.BinaryOp("a * 0 + b", identity=0), "i4")
    queue.parallel_scan(n, "t.combine((int)i);", "out[i] = t;", out=out, t=last)
    np.testing.assert_array_equal(out, np.arange(n))


# test_segmented_scan
@each_count
@pytest.mark.parametrize("exclusive", [True, False], ids=["exclusive", "inclusive"])
def test_segmented_scan(queue, rng, n, exclusive):
    x = rng.integers(0, 10, n).astype("i4")
    boundaries = [[0, 9], [0, 3], [4, 6]] if n < 20 else []
    for _ in range(3 if n >= 20 else 0):
        found = rng.integers(0, n, max(2, min(100, int(rng.integers(0, int(0.4 * n))))))
        boundaries.append(sorted([*found.tolist(), *([1028] if n >= 1029 else [])]))
    for heads in boundaries:
        flags = np.zeros(n, "?")
        flags[heads] = True
        cuts = np.unique([0, *heads, n])
        want = x.copy()
        for low, high in pairwise(cuts):
            want[low:high] = np.cumsum(x[low:high]) - (x[low:high] if exclusive else 0)
        scan = sycl.exclusive_scan if exclusive else sycl.inclusive_scan
        found = scan(x, segments=flags, dtype="i4", queue=queue)
        np.testing.assert_array_equal(found, want)


# test_list_builder
def test_list_builder(queue):
    text = "const int count = i % 4; for (int j = 0; j < count; ++j) mylist.append(count);"
    offsets, values = sycl.generate(2000, text, mylist="i4", queue=queue)
    assert offsets[-1] == len(values) == 3000
    assert values[-6:].tolist() == [1, 2, 2, 3, 3, 3]
    np.testing.assert_array_equal(np.diff(offsets), np.arange(2000) % 4)


# test_key_value_sorter, but for the sort: the lists of sorted keys
def test_lists_of_keys(queue, rng):
    keys = np.sort(rng.integers(0, 2000, 10**5).astype("i4"))
    values = rng.integers(0, 10**5, 10**5)
    own, sums = sycl.reduce_by_key(keys, values, queue=queue)
    np.testing.assert_array_equal(own, np.unique(keys))
    np.testing.assert_array_equal(sums, np.bincount(keys, values)[own].astype("i8"))
