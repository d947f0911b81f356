"""searchsorted and digitize against NumPy's, on a device."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("on_a_device")

TYPES = ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]


def values(dtype, count, seed=1):
    found = np.random.default_rng(seed).normal(size=count) * 20 + 5
    return (found > 0) if dtype == "?" else found.astype(dtype)


@pytest.mark.parametrize("dtype", sweep(TYPES, ["?", "u1", "i2", "f2", "f4", "i8"]))
def test_searchsorted(queue, dtype):
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("no double")
    v = values(dtype, 501, 2)
    for count in (0, 1, 2, 3, 7, 8, 9, 1000):
        a = np.sort(values(dtype, count))
        for side in ("left", "right"):
            found = sycl.searchsorted(a, v, side, queue=queue)
            assert found.dtype == np.int64 and np.array_equal(found, np.searchsorted(a, v, side))


@pytest.mark.parametrize(
    ("a", "v"), [("i4", "f4"), ("u1", "i2"), ("f4", "i8"), ("i8", "u8"), ("f2", "f4"), ("?", "i4")]
)
def test_types_meet_as_numpys_do(queue, a, v):
    if not queue.device.has("fp64"):
        pytest.skip("no double")
    at, of = np.sort(values(a, 100)), values(v, 300, 3)
    assert np.array_equal(sycl.searchsorted(at, of, queue=queue), np.searchsorted(at, of))


def test_large_integers_stay_exact(queue):
    a = np.array([2**62, 2**62 + 1, 2**62 + 3])
    assert sycl.searchsorted(a, a + 1, queue=queue).tolist() == [1, 2, 3]


@pytest.mark.parametrize("side", ["left", "right"])
def test_nan_is_behind_all(queue, side):
    a = np.array([-np.inf, -1, -0.0, 0.0, 2, np.inf, np.nan, np.nan], np.float32)
    v = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, 3], np.float32)
    assert np.array_equal(sycl.searchsorted(a, v, side, queue=queue), np.searchsorted(a, v, side))


def test_sorter_shapes_and_memory(queue):
    a, v = values("f4", 200), values("f4", 60, 2)
    order = np.argsort(a)
    expected = np.searchsorted(a, v, sorter=order)
    assert np.array_equal(sycl.searchsorted(a, v, sorter=order, queue=queue), expected)
    assert np.array_equal(sycl.searchsorted(a, v, sorter=order), expected)
    a.sort()
    grid = np.asfortranarray(v.reshape(5, 12))[::-1, ::2]
    assert np.array_equal(sycl.searchsorted(a[::-1][::-1], grid, queue=queue), np.searchsorted(a, grid))
    assert np.array_equal(sycl.searchsorted(a[::3], v, queue=queue), np.searchsorted(a[::3], v))
    single = sycl.searchsorted(a, v[0], queue=queue)
    assert isinstance(single, np.int64) and single == np.searchsorted(a, v[0])
    out = np.zeros(60, np.int64)
    assert sycl.searchsorted(a, v, out=out, queue=queue) is out and np.array_equal(out, expected)
    found = sycl.searchsorted(sycl.Buffer(a, copy=True), sycl.Buffer(v, copy=True), queue=queue)
    assert np.array_equal(np.asarray(found.host_access()), expected)
    halves, few = np.sort(a.astype("f2")), v.astype("f2")
    found = sycl.searchsorted(sycl.Buffer(halves, copy=True), sycl.Buffer(few, copy=True), queue=queue)
    assert np.array_equal(np.asarray(found.host_access()), np.searchsorted(halves, few))


def test_unified_shared_memory(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no unified shared memory")
    a, v = np.sort(values("f4", 200)), values("f4", 60, 2)
    expected = np.searchsorted(a, v)
    at, of = sycl.malloc_shared(a.shape, "f4", queue), sycl.malloc_shared(v.shape, "f4", queue)
    np.asarray(at)[...], np.asarray(of)[...] = a, v
    for where in (a, at):
        found = sycl.searchsorted(where, of)
        assert isinstance(found, sycl.UsmArray) and np.array_equal(np.asarray(found), expected)
    assert np.array_equal(np.asarray(sycl.searchsorted(at[::3], of)), np.searchsorted(a[::3], v))
    assert np.array_equal(np.asarray(sycl.searchsorted(at[5:], of)), np.searchsorted(a[5:], v))


def test_results_of_calls_are_waited_for_on_a_queue_that_keeps_no_order(queue):
    """Halves are made floats by a command of their own, and sorted elements come from one."""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no unified shared memory")
    rng = np.random.default_rng(3)
    a, v = rng.normal(size=50_000).astype("f2"), rng.normal(size=50).astype("f2")
    at, of = (sycl.malloc_shared(each.shape, "f2", queue) for each in (a, v))
    np.asarray(at)[...], np.asarray(of)[...] = a, v
    for _ in range(20):
        found = sycl.searchsorted(sycl.sort(at, queue=queue), of, queue=queue)
        queue.wait()
        assert np.array_equal(found.view(), np.searchsorted(np.sort(a, kind="stable"), v))
        _, counts = sycl.unique(at, return_counts=True, queue=queue).trim()
        assert np.asarray(counts).sum() == a.size


@pytest.mark.parametrize("right", [False, True])
def test_digitize(queue, right):
    x = np.concatenate([values("f4", 200), np.arange(10, dtype="f4"), np.array([np.nan, np.inf, -np.inf], "f4")])
    for edges in (np.arange(10.0), np.arange(10.0)[::-1], [3, 3, 3], [], [5], [1, 2, 2, 4]):
        bins = np.asarray(edges, "f4")
        for q in (queue, None):
            found = sycl.digitize(x, bins, right, queue=q)
            assert found.dtype == np.int64 and np.array_equal(found, np.digitize(x, bins, right))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sycl.searchsorted([1, 2], 1, "middle"), "side: expected 'left' or 'right', got 'middle'"),
        (lambda: sycl.searchsorted([[1, 2]], 1), "a: expected one dimension, got the shape (1, 2)"),
        (lambda: sycl.searchsorted([1j, 2], 1), "a: expected real numbers, got complex128"),
        (lambda: sycl.searchsorted([1, 2], "a"), "v: expected bool, integers"),
        (lambda: sycl.searchsorted([1, 2], 1, sorter=[0]), "sorter: expected 2 indices, got int64 of shape (1,)"),
        (lambda: sycl.searchsorted([1, 2], 1, sorter=[0.0, 1]), "sorter: expected 2 indices, got float64"),
        (lambda: sycl.searchsorted([1, 2], 1, sorter=[0, 2]), "sorter: an index is beyond the 2 elements of a"),
        (lambda: sycl.searchsorted(sycl.Buffer(np.zeros(3)), 1.0), "v: expected memory of the kind of a"),
        (lambda: sycl.digitize([1.0], [0, 2, 1]), "bins: expected edges that ascend or descend, and 1 comes behind 2"),
        (lambda: sycl.digitize([1.0], [[0, 2]]), "bins: expected a NumPy array of one dimension"),
        (lambda: sycl.union1d(sycl.Buffer(np.zeros(3)), [1]), "x: expected a NumPy array: how long the result is"),
        (lambda: sycl.intersect1d([1], sycl.Buffer(np.zeros(3))), "y: expected a NumPy array: how long the result is"),
        (lambda: sycl.setdiff1d(["a"], [1]), "x: expected bool, integers"),
        (lambda: sycl.isin([1], ["a"]), "test_elements: expected bool, integers"),
        (lambda: sycl.isin([1j], [1]), "element: expected real numbers, got complex128"),
        (lambda: sycl.searchsorted([1, 2], [1], out=np.zeros(2, int)), "out: expected the shape (1,), got (2,)"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(InvalidParameterError) as error:
        call()
    assert str(error.value).startswith(words)
