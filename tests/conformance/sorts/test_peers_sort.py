"""Tests of sorts of PyOpenCL (test/test_algorithm.py), CUB (cub/test/catch2_test_device_*.cu) and oneDPL
(test/parallel_api/algorithm/alg.sorting), re-expressed for pysycl: the peer's test stands beside each, and its sizes are drawn
as it draws them, up to sizes of our own."""

from itertools import pairwise

import numpy as np
import pytest
from sort_cases import same
from sweeps import sweep

import pysycl as sycl

pytestmark = pytest.mark.usefixtures("on_a_device")

KEYS = ["u1", "i1", "?", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
MOST = 20_000


@pytest.fixture
def rng():
    return np.random.default_rng(23)


def keys_of(rng, dtype, n):
    """CUB's c2h::gen: any bits, but for floating point numbers no NaN."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype("?")
    if dtype.kind != "f":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True)
    bits = rng.integers(0, 2 ** (8 * dtype.itemsize) - 1, n, f"u{dtype.itemsize}", endpoint=True).view(dtype)
    return np.where(bits == bits, bits, dtype.type(1))


def descending(x):
    """The positions in descending order, equal ones as they were, NaN last."""
    if x.dtype.kind == "f":
        return np.lexsort((-x.astype("f8"), x != x))
    return np.argsort(~x, kind="stable")


# -- PyOpenCL --


# test_sort
@pytest.mark.parametrize("n", sweep([10, 255, 256, 257, 1019, 1024, 1029, 4091, 4096, 4101, 2**20], [10, 257, 4101]))
def test_radix_sort(queue, rng, n):
    a = rng.integers(0, 2**16, n).astype("i4")
    same(sycl.sort(a, queue=queue), np.sort(a))


# test_key_value_sorter
def test_key_value_sorter(queue, rng):
    keys, values = rng.integers(0, 2000, MOST).astype("i4"), rng.integers(0, MOST, MOST)
    starts = sycl.searchsorted(np.sort(keys), np.arange(2001, dtype="i4"), queue=queue)
    own, lists = sycl.sort_by_key(keys, values, queue=queue)
    same(own, np.sort(keys))
    for k in range(0, 2000, 61):
        same(lists[starts[k] : starts[k + 1]], values[keys == k])


# test_bitonic_sort, test_bitonic_argsort
@pytest.mark.parametrize("dtype", sweep(["i4", "f4", "f8"], ["f4"]))
def test_bitonic(queue, rng, dtype):
    for size in (512, 4, 16):
        s = (rng.random((2, size, 3)) * 239482333).astype(dtype)
        same(sycl.sort(s, 1, queue=queue), np.sort(s, 1))
    for size in (0, 4, 2**14):
        m = (rng.random(size) * 239432234).astype(dtype)
        found = sycl.argsort(m, queue=queue)
        same(m[found], np.sort(m))


# -- CUB --


# radix_sort_keys: basic testing, uniform values; radix_sort_pairs: basic testing, uniform values
@pytest.mark.parametrize("dtype", sweep(KEYS, ["f4", "u8"]))
def test_radix_keys_and_pairs(queue, rng, dtype):
    for n in (0, 1, *rng.integers(32, MOST, 2)):
        for x in (keys_of(rng, dtype, n), np.full(n, 4, dtype)):
            values = np.arange(n, dtype="u2")
            for turned in (False, True):
                order = descending(x) if turned else np.argsort(x, kind="stable")
                same(sycl.sort(x, descending=turned, queue=queue), x[order])
                keys, moved = sycl.sort_by_key(x, values, descending=turned, queue=queue)
                same(keys, x[order])
                same(moved, values[order])


# radix_sort_keys: entropy reduction
@pytest.mark.parametrize("dtype", ["u1", "u4", "u8"])
def test_radix_entropy(queue, rng, dtype):
    for reduction in (1, 3, 9, 15):
        x = keys_of(rng, dtype, MOST)
        for _ in range(reduction):
            x &= keys_of(rng, dtype, MOST)
        same(sycl.sort(x, queue=queue), np.sort(x))
        same(sycl.argsort(x, descending=True, queue=queue), descending(x))


# radix_sort_keys: negative zero handling, NaN handling. CUB puts -0.0 before 0.0 and NaN where their bits do: here they are
# equal, and NaN last
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_radix_zeros_and_nan(queue, rng, dtype):
    x = keys_of(rng, dtype, MOST)
    for value in (0.0, -0.0, np.nan, -np.nan):
        x[rng.integers(0, MOST, MOST // 128)] = value
    same(sycl.argsort(x, queue=queue), np.argsort(x, kind="stable"))
    same(sycl.argsort(x, descending=True, queue=queue), descending(x))
    word = f"u{x.itemsize}"
    same(np.sort(sycl.sort(x, queue=queue).view(word)), np.sort(x.view(word)))


# radix_sort_keys: bit windows: an order by a text
def test_radix_bit_windows(queue, rng):
    x = keys_of(rng, "u4", 5000)
    for begin, end in ((0, 10), (10, 24), (24, 32), (10, 32)):
        part = (x >> np.uint32(begin)) & np.uint32((1 << (end - begin)) - 1)
        text = f"((a >> {begin}) & {(1 << (end - begin)) - 1}u) < ((b >> {begin}) & {(1 << (end - begin)) - 1}u)"
        same(sycl.argsort(x, by=text, queue=queue), np.argsort(part, kind="stable"))


# merge_sort: SortKeysCopy, SortKeys, StableSortKeys, SortPairs, StableSortPairs with custom types and comparators
def test_merge_sort(queue, rng):
    custom = np.dtype([("key", "u8"), ("count", "u8")])
    for n in (1, 2, 513, int(rng.integers(1, MOST))):
        x = np.zeros(n, custom)
        x["key"], x["count"] = rng.integers(0, 50, n), rng.integers(0, 3, n)
        order = np.argsort(x["key"], kind="stable")
        same(sycl.sort(x, by="a.key < b.key", queue=queue), x[order])
        keys, values = sycl.sort_by_key(x, np.arange(n), by="a.key > b.key", queue=queue)
        order = np.argsort(-x["key"].astype("i8"), kind="stable")
        same(keys, x[order]), same(values, order)
        y = x.copy()
        assert sycl.sort(y, out=y, queue=queue) is y
        same(y, np.sort(x, kind="stable"))


# segmented_sort_keys, segmented_sort_pairs: empty segments, same size segments, edge patterns, random sizes;
# segmented_radix_sort likewise
@pytest.mark.parametrize("dtype", ["u1", "i4", "f8"])
def test_segmented(queue, rng, dtype):
    n = 6000
    x, values = keys_of(rng, dtype, n), np.arange(n)
    cuts = [
        np.zeros(5, "i4"), np.arange(0, n + 1, 1), np.arange(0, n + 1, 250), np.array([0, n]),
        np.array([0, 0, 3, 3, 3, 512, 2000, n, n, n]), np.sort(np.r_[0, rng.integers(0, n, 40), n]),
    ]  # fmt: skip
    for offsets in cuts:
        own = x[: offsets[-1]]
        for turned in (False, True):
            order = np.concatenate([
                np.arange(0),
                *(a + (descending(own[a:b]) if turned else np.argsort(own[a:b], kind="stable")) for a, b in pairwise(offsets)),
            ]).astype("i8")  # fmt: skip
            same(sycl.sort(own, descending=turned, segments=offsets, queue=queue), own[order])
            found = sycl.sort_by_key(own, values[: len(own)], descending=turned, segments=offsets, queue=queue)
            same(found[1], order)


# topk_keys, topk_pairs: work as expected; batched_topk: by rows
@pytest.mark.parametrize(
    ("dtype", "largest"),
    sweep([(dtype, largest) for dtype in ("u1", "f2", "f4", "u8", "i2") for largest in (True, False)],
          [("u8", True)]),
)  # fmt: skip
def test_top_k(queue, rng, dtype, largest):
    for n in (1, 3, *rng.integers(1, MOST, 2), MOST):
        x = keys_of(rng, dtype, n)
        order = descending(x) if largest else np.argsort(x, kind="stable")
        for k in {1, n, *rng.integers(1, n + 1, 2).tolist(), min(n, 10)}:
            found = sycl.top_k(x, k, largest=largest, queue=queue)
            same(found.values, x[order[:k]])
            same(found.indices, order[:k])
    rows = keys_of(rng, dtype, 7 * 3000).reshape(7, 3000)
    found = sycl.top_k(rows, 50, largest=largest, queue=queue)
    for row, values, indices in zip(rows, *found, strict=True):
        order = (descending(row) if largest else np.argsort(row, kind="stable"))[:50]
        same(values, row[order]), same(indices, order)


# merge: MergeKeys, MergePairs: of empty, equal and unlike sizes
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "f8"])
def test_merge(queue, rng, dtype):
    for one, other in ((0, 0), (0, 3623), (3623, 0), (1, 1), (3623, 3625), (16 << 8, 16 << 8), (10, 9000)):
        x, y = np.sort(keys_of(rng, dtype, one)), np.sort(keys_of(rng, dtype, other))
        same(sycl.merge(x, y, queue=queue), np.sort(np.concatenate([x, y])))


# -- oneDPL --


# sort, stable_sort, sort_comp, stable_sort_comp, sort_by_key: its sizes grow so, its keys repeat
@pytest.mark.parametrize("dtype", sweep(["i4", "f4", "f8", "u1", "i2"], ["i4", "f4"]))
def test_sort_and_by_key(queue, rng, dtype):
    n = 0
    while n <= MOST:
        x = (rng.integers(0, 2 * n + 1, n) % 200).astype(dtype)
        same(sycl.sort(x, queue=queue), np.sort(x))
        order = np.argsort(-x.astype("f8"), kind="stable")
        keys, values = sycl.sort_by_key(x, np.arange(n), by="a > b", queue=queue)
        same(keys, x[order]), same(values, order)
        n = n + 1 if n <= 16 else int(3.1415 * n)


# partial_sort, partial_sort_copy: the first n1 / 3 of n1, and all
def test_partial_sort(queue, rng):
    n = 1
    while n <= MOST:
        x = rng.integers(0, 2 * n + 1, n).astype("i4")
        for k in (n // 3, n):
            same(sycl.top_k(x, k, largest=False, queue=queue).values, np.sort(x)[:k])
        n = n + 1 if n <= 16 else int(3.1415 * n)


# nth_element (alg.nth.element)
def test_nth_element(queue, rng):
    for n in (1, 2, 3, 9, 50, 157, 493, 4870, 15_301):
        x = rng.integers(0, 2 * n + 1, n).astype("i4")
        for nth in {0, n // 5, n // 2, n - 1}:
            found = sycl.partition(x, nth, queue=queue)
            assert found[nth] == np.sort(x)[nth]
            assert np.all(found[:nth] <= found[nth]) and np.all(found[nth:] >= found[nth])
            same(np.sort(found), np.sort(x))


# merge, inplace_merge: of two that are of one array's even and odd places
def test_merge_of_one(queue, rng):
    for n in (0, 1, 17, 53, 1000, MOST):
        x = rng.permutation(n).astype("f4")
        x[: n // 2].sort(), x[n // 2 :].sort()
        same(sycl.merge(x[: n // 2], x[n // 2 :], queue=queue), np.sort(x))


# set_difference, set_union, set_intersection
def test_sets(queue, rng):
    for n, m in ((0, 5), (5, 0), (40, 40), (3000, 700)):
        x, y = rng.integers(0, 1000, n), rng.integers(0, 1000, m)
        same(sycl.union1d(x, y, queue=queue), np.union1d(x, y))
        same(sycl.intersect1d(x, y, queue=queue), np.intersect1d(x, y))
        same(sycl.setdiff1d(x, y, queue=queue), np.setdiff1d(x, y))
