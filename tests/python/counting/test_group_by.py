"""group_by against loops over the groups, by an array of variables and by sorted keys."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("on_a_device")

METHODS = ["array", "sorted"]


def keys_of(dtype, count=4001):
    found = np.random.default_rng(1).normal(size=count) * 9
    if dtype == "?":
        return found > 0
    return (np.abs(found) if dtype[0] == "u" else found).astype(dtype)


def expected(keys, x, function):
    return [function(x[keys == key]) if key == key else function(x[keys != keys]) for key in np.unique(keys)]


def needs_double(queue):
    if not queue.device.has("fp64"):
        pytest.skip("no double")


def each_way(types, array, by_sorting):
    """All types by both methods; in the default run those that are named."""
    some = [*((dtype, "array") for dtype in array), *((dtype, "sorted") for dtype in by_sorting)]
    return sweep([(dtype, method) for dtype in types for method in METHODS], some)


@pytest.mark.parametrize(
    ("dtype", "method"), each_way(["i4", "i8", "u1", "u8", "i2", "?"], ["u1", "i4", "?"], ["i4", "u8"])
)
def test_types_of_keys(queue, dtype, method):
    needs_double(queue)
    check_keys(queue, keys_of(dtype), method)


def test_keys_that_are_no_integers(queue):
    needs_double(queue)
    keys = np.round(keys_of("f4"))
    keys[::50] = np.nan
    check_keys(queue, keys, "sorted")


def check_keys(queue, keys, method):
    x = np.random.default_rng(2).normal(size=keys.size)
    g = sycl.group_by(keys, method=method, queue=queue)
    assert g.way.name == method and method in repr(g) and len(g) == g.keys.size
    assert g.keys.dtype == keys.dtype and np.array_equal(g.keys, np.unique(keys), equal_nan=keys.dtype.kind == "f")
    assert g.count().dtype == np.int64 and g.count().tolist() == expected(keys, x, len)
    assert np.allclose(g.sum(x), expected(keys, x, np.sum)) and np.allclose(g.mean(x), expected(keys, x, np.mean))
    assert g.min(x).tolist() == expected(keys, x, np.min) and g.max(x).tolist() == expected(keys, x, np.max)


@pytest.mark.parametrize(
    ("dtype", "method"),
    each_way(["i1", "u2", "i4", "u8", "f2", "f4", "f8", "?", "c8"], ["u8", "f2", "f4", "c8"], ["f4", "?"]),
)
def test_types_of_values(queue, dtype, method):
    needs_double(queue)
    keys, x = keys_of("i4"), keys_of(dtype)[::-1]
    g = sycl.group_by(keys, method=method, queue=queue)
    sums = expected(keys, x, np.sum)
    assert g.sum(x).dtype == np.sum(x).dtype and np.allclose(g.sum(x), sums, 1e-2 if dtype == "f2" else 1e-5)
    assert g.mean(x).dtype == np.mean(x).dtype
    assert np.allclose(g.mean(x), expected(keys, x, np.mean), 1e-2 if dtype == "f2" else 1e-5, 1e-3)
    if dtype != "c8":
        assert g.min(x).dtype == x.dtype and g.min(x).tolist() == expected(keys, x, np.min)
        assert g.max(x).tolist() == expected(keys, x, np.max)


@pytest.mark.parametrize("method", METHODS)
def test_values_that_are_nan_and_large(queue, method):
    needs_double(queue)
    keys, x = np.array([5, 5, -3, -3, 5]), np.array([1.0, np.nan, np.inf, 2.0, 3.0])
    g = sycl.group_by(keys, method=method, queue=queue)
    assert np.array_equal(g.min(x), [2, np.nan], equal_nan=True) and np.array_equal(
        g.sum(x), [np.inf, np.nan], equal_nan=True
    )
    assert g.sum(np.full(5, 2**53 + 1)).tolist() == [2 * (2**53 + 1), 3 * (2**53 + 1)]
    ends = np.array([-(2**63), 2**63 - 1, -(2**63)])
    assert sycl.group_by(ends, queue=queue).sum([1, 2, 4]).tolist() == [5, 2]
    top = np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64)
    found = sycl.group_by(top, method=method, queue=queue)
    assert found.keys.tolist() == [2**64 - 3, 2**64 - 1] and found.sum([1, 2, 4]).tolist() == [2, 5]


@pytest.mark.parametrize("method", METHODS)
def test_operators_of_the_users_keep_the_order(queue, method):
    keys = keys_of("i4", 999)
    x = np.arange(999)
    g = sycl.group_by(keys, method=method, queue=queue)
    assert g.reduce(x, "a + 0 * b").tolist() == expected(keys, x, lambda own: own[0])
    assert g.reduce(x, "b + 0 * a").tolist() == expected(keys, x, lambda own: own[-1])
    assert g.reduce(x, sycl.bit_xor).tolist() == expected(keys, x, np.bitwise_xor.reduce)


def test_shapes_and_nothing(queue):
    keys = keys_of("i4", 60).reshape(6, 10)[::2, ::3].T
    x = np.arange(keys.size, dtype="f4").reshape(keys.shape)
    for method in METHODS:
        g = sycl.group_by(keys, method=method, queue=queue)
        assert g.sum(x).tolist() == expected(keys, x, np.sum)
        none = sycl.group_by(np.zeros(0, "i4"), method=method, queue=queue)
        assert len(none) == 0 and none.sum(np.zeros(0)).tolist() == [] and none.count().tolist() == []
    assert sycl.group_by(7, queue=queue).sum(3.0).tolist() == [3.0]


def test_ways():
    """Few values of keys are an array of variables; many are sorted."""
    few, many = sycl.group_by(np.arange(5000) % 100), sycl.group_by(np.arange(5000) * 1000)
    assert (few.way.name, many.way.name) == ("array", "sorted")
    assert "100 values of keys" in str(few.explain()) and "5000 groups" in str(many.explain())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sycl.group_by(sycl.Buffer(np.zeros(3))), "keys: expected a NumPy array"),
        (lambda: sycl.group_by(["a"]), "keys: expected bool, integers"),
        (lambda: sycl.group_by([1.5], method="array"), "method: 'array' is for keys that are integers, got float64"),
        (lambda: sycl.group_by([1], method="hash"), "method: expected 'array', 'sorted' or None, got 'hash'"),
        (lambda: sycl.group_by([1, 2]).sum([1]), "x: shape (1,), and the keys have (2,)"),
        (lambda: sycl.group_by([1, 2]).min([1, 2j]), "x: expected real numbers, got complex128"),
        (lambda: sycl.group_by([1, 2]).reduce([1, 2], 7), "op: "),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(InvalidParameterError) as error:
        call()
    assert str(error.value).startswith(words)
