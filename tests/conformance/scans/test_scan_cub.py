"""CUB's tests of its scans, selections, run lengths and algorithms by key (cub/test/catch2_test_device_*.cu), for pysycl: its
sizes, its ranges of segments, its kinds of data. The name of CUB's test stands beside each."""

import numpy as np
import pytest
from cub_cases import CUSTOM, segments_of, sizes_up_to
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

# catch2_test_device_scan.cu: sizes that it names
SCANNED = [1, 10, 1337, 3000, 31 * 128, 10_000, 10_000_000]
VECTORS = [sycl.vec_dtype("u1", 3), sycl.vec_dtype("u8", 4)]


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# "Device scan works with all device interfaces"
@pytest.mark.parametrize("constant", [False, True], ids=["random", "constant"])
@pytest.mark.parametrize(
    ("given", "result"), sweep([("u1", "i4"), ("i1", "i1"), ("i4", "i4"), ("u8", "u8")], [("u1", "i4"), ("u8", "u8")])
)
@pytest.mark.parametrize("n", sweep(SCANNED, [1, 10, 1337, 31 * 128, 10_000]))
def test_scan(queue, rng, n, given, result, constant):
    limits = np.iinfo(given)
    x = np.full(n, 2, given) if constant else rng.integers(limits.min, limits.max, n, dtype=given, endpoint=True)
    with np.errstate(over="ignore"):
        want = np.cumsum(x, dtype=result)
        np.testing.assert_array_equal(sycl.inclusive_scan(x, dtype=result, queue=queue), want)
        found = sycl.inclusive_scan(x, dtype=result, initial=2, queue=queue)
        np.testing.assert_array_equal(found, want + np.dtype(result).type(2))
        before = np.concatenate([np.zeros(1, result), want[:-1]])
        np.testing.assert_array_equal(sycl.exclusive_scan(x, dtype=result, queue=queue), before)
    np.testing.assert_array_equal(sycl.inclusive_scan(x, sycl.minimum, queue=queue), np.minimum.accumulate(x))
    if given == result:
        y = x.copy()
        assert sycl.exclusive_scan(y, dtype=result, out=y, queue=queue) is y
        np.testing.assert_array_equal(y, before)


# the same test, TEST_TYPES 2 and 3: vectors and a type of the user's
@pytest.mark.parametrize("dtype", sweep([*VECTORS, CUSTOM], [VECTORS[0], CUSTOM]), ids=["uchar3", "ulong4", "struct"])
@pytest.mark.parametrize("n", sweep(SCANNED[:-1], [1, 1337]))
def test_scan_of_structs(queue, rng, n, dtype):
    x = np.zeros(n, dtype)
    for name in dtype.names:
        x[name] = rng.integers(0, 200, n).astype(dtype[name])
    text = "a + b" if dtype is not CUSTOM else "(T){a.key + b.key, a.count + b.count}"
    found = sycl.inclusive_scan(x, text, queue=queue)
    before = sycl.exclusive_scan(x, text, initial=tuple(x[0]), queue=queue)
    for name in dtype.names:
        want = np.cumsum(x[name], dtype=dtype[name])
        np.testing.assert_array_equal(found[name], want)
        np.testing.assert_array_equal(before[name], want - x[name] + x[name][0])


# catch2_test_device_exclusive_scan_noncommutative.cu: an operator whose order counts
@pytest.mark.parametrize("n", sweep([1, 10, 1337, 3000, 8160, 50_000, 1_000_000], [1, 10, 8160]))
def test_scan_in_order(queue, rng, n):
    x = np.zeros(n, [("k", "u4"), ("d", "u4")])
    x["k"], x["d"] = rng.integers(0, 2**31, (2, n))
    found = sycl.exclusive_scan(x, sycl.BinaryOp("(T){a.k * b.k, a.d * b.k + b.d}", identity=(1, 0)), queue=queue)
    k = d = 0
    k, want = 1, []
    for one, two in x.tolist():
        want.append((k, d))
        k, d = k * one % 2**32, (d * one + two) % 2**32
    assert found.tolist() == want


# catch2_test_device_scan_alignment.cu: anywhere in memory, and nothing behind it is touched
@pytest.mark.parametrize("dtype", sweep(["u1", "u2", "u4", "u8"], ["u1", "u8"]))
def test_scan_at_any_address(queue, rng, dtype):
    sizes = [0, 1, 8192, *rng.integers(2, 8191, 8).tolist()]
    for at in (0, 1, 3, 4, 7, 8, 11, 12, 16, *rng.integers(0, 64, 3).tolist()):
        for n in sizes:
            x, y = rng.integers(0, 200, n + at + 1).astype(dtype), np.full(n + at + 1, 123, dtype)
            sycl.inclusive_scan(x[at : at + n], dtype=dtype, out=y[at : at + n], queue=queue)
            np.testing.assert_array_equal(y[at : at + n], np.cumsum(x[at : at + n], dtype=dtype))
            assert (y[:at] == 123).all() and y[at + n] == 123


# catch2_test_device_scan_invalid.cu: the operator sees neighbours, in their order, and never what nobody wrote
@pytest.mark.parametrize("n", sweep([1, 31, 31**2, 31**4, 31**5], [1, 31**2]))
@pytest.mark.parametrize("row", [None, "small tiles", "small rounds"])
def test_only_neighbours_are_combined(queue, n, row):
    if row is not None and n > 31**4:
        pytest.skip("tiles of 37 elements are for few")
    x = np.zeros(n, [("begin", "u4"), ("end", "u4"), ("wrong", "u4")])
    x["begin"] = np.arange(n)
    x["end"] = x["begin"] + 1
    _core.force_scan_row(row)
    try:
        found = sycl.inclusive_scan(x, "(T){a.begin, b.end, a.wrong | b.wrong | (a.end != b.begin)}", queue=queue)
    finally:
        _core.force_scan_row(None)
    assert not found["wrong"].any() and not found["begin"].any()
    np.testing.assert_array_equal(found["end"], x["end"])


# catch2_test_device_scan_deterministic.cu: the same bits, however often
@pytest.mark.parametrize(
    "n", sweep([1, 31, 33, 128, 1025, 1337, 3000, 31 * 128, 10_000, 2_000_003, 1 << 22], [33, 10_000])
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_the_same_each_time(queue, rng, n, dtype):
    x = rng.uniform(-100, 100, n).astype(dtype)
    first = sycl.exclusive_scan(x, queue=queue, determinism="run_to_run")
    for _ in range(9):
        again = sycl.exclusive_scan(x.copy(), queue=queue, determinism="run_to_run")
        assert again.tobytes() == first.tobytes()
    want = np.concatenate([[0], np.cumsum(x.astype("f8"))[:-1]])
    np.testing.assert_allclose(first, want, rtol=0, atol=100 * n * np.finfo(dtype).eps)


# "DeviceSelect::If ..." of catch2_test_device_select_if.cu: empty, all, none, stable, and the input stays
@pytest.mark.parametrize("dtype", sweep(["u1", "u2", "u4", "u8", "i4"], ["u1", "u8"]))
@pytest.mark.parametrize("n", [0, *sweep(sizes_up_to(1_000_000), [1])])
def test_select_if(queue, rng, n, dtype):
    x = rng.integers(0, np.iinfo(dtype).max, n, dtype=dtype)
    kept = x.copy()
    edge = x[n // 2] if n else 0
    np.testing.assert_array_equal(sycl.select(x, "true", queue=queue), x)
    assert sycl.select(x, "false", queue=queue).shape == (0,)
    np.testing.assert_array_equal(sycl.select(x, x < edge, queue=queue), x[x < edge])
    np.testing.assert_array_equal(x, kept)


# "DeviceSelect::If is stable", of a type of the user's; what is behind the selected elements is not asked for here
def test_select_structs(queue, rng):
    x = np.zeros(10_007, CUSTOM)
    x["key"], x["count"] = rng.integers(0, 50, x.size), np.arange(x.size)
    np.testing.assert_array_equal(sycl.select(x, "x.key < 20", queue=queue), x[x["key"] < 20])
    yes, no = sycl.split_by(x, "x.key < 20", queue=queue)
    np.testing.assert_array_equal(yes, x[x["key"] < 20])
    np.testing.assert_array_equal(no, x[x["key"] >= 20])


# "DeviceRunLengthEncode::Encode ..." of catch2_test_device_run_length_encode.cu
def test_run_length(queue, rng):
    values, lengths = sycl.run_length(np.zeros(0, "i4"), queue=queue)
    assert values.shape == lengths.shape == (0,)
    for x in ([42], np.arange(10), np.ones(10, int), np.arange(42, 1042)):
        values, lengths = sycl.run_length(x, queue=queue)
        np.testing.assert_array_equal(np.repeat(values, lengths), x)
        assert values.size == np.unique(x).size
    nan = np.arange(10.0).astype("f4")
    nan[0] = np.nan  # "can handle leading NaN"
    values, lengths = sycl.run_length(nan, queue=queue)
    np.testing.assert_array_equal(values, nan)
    assert lengths.tolist() == [1] * 10


@pytest.mark.parametrize("dtype", sweep(["u1", "u8", "i1", "i8", "f4"], ["i1"]))
@pytest.mark.parametrize("n", sweep(sizes_up_to(1_000_000), [1]))
def test_run_length_of_many(queue, rng, n, dtype):
    for most in (3, 100):
        x = rng.integers(0, most, n).astype(dtype)
        values, lengths = sycl.run_length(x, queue=queue)
        heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
        np.testing.assert_array_equal(values, x[heads])
        np.testing.assert_array_equal(lengths, np.diff(heads, append=n))
    long = np.full(n, 42, dtype)
    long[:200] = 3  # "works for large runs of equal items"
    values, lengths = sycl.run_length(long, queue=queue)
    assert lengths.tolist() == ([n] if n <= 200 else [200, n - 200])


RANGES = {
    "ones": (1, 1),
    "any": (1, None),
    "all": (None, None),
}  # segments of one element, of any number, and one of all
BY_KEY = [
    (n, values, keys, bounds)
    for n in sizes_up_to(1_000_000)
    for values, keys in (("u1", "f4"), ("i4", "i4"), ("u8", "u1"))
    for bounds in RANGES
]
SOME_BY_KEY = [
    case for case in BY_KEY if (case[0] == 1_000_000 and case[1:3] == ("u8", "u1")) or case == (1, "i4", "i4", "any")
]


# catch2_test_device_scan_by_key.cu and catch2_test_device_reduce_by_key.cu
@pytest.mark.parametrize(("n", "values", "keys", "bounds"), sweep(BY_KEY, SOME_BY_KEY))
def test_by_key(queue, rng, n, values, keys, bounds):
    least, most = (n if bound is None else bound for bound in RANGES[bounds])
    offsets = segments_of(rng, n, least, most)
    lengths = np.diff(offsets)
    by = np.repeat(np.arange(len(lengths)) % 200, lengths).astype(keys)
    x = rng.integers(0, np.iinfo(values).max, n, dtype=values)
    with np.errstate(over="ignore"):
        sums = np.cumsum(x, dtype=values)
        starts = offsets[:-1]
        base = np.repeat(sums[starts] - x[starts], lengths)
        found = sycl.scan_by_key(by, x, dtype=values, queue=queue)
        np.testing.assert_array_equal(found, sums - base)
        found = sycl.scan_by_key(by, x, dtype=values, exclusive=True, queue=queue)
        np.testing.assert_array_equal(found, sums - base - x)
    own, results = sycl.reduce_by_key(by, x, dtype=values, queue=queue)
    np.testing.assert_array_equal(own, by[starts])
    np.testing.assert_array_equal(results, np.add.reduceat(x, starts, dtype=values))
    own, results = sycl.reduce_by_key(by, x, sycl.minimum, queue=queue)
    np.testing.assert_array_equal(results, np.minimum.reduceat(x, starts))
    if len(offsets) != n:  # else offsets could be keys
        found = sycl.segmented_reduce(x, offsets, dtype=values, queue=queue)
        np.testing.assert_array_equal(found, np.add.reduceat(x, starts, dtype=values))


# "Device scan works when memory for keys and results alias one another"
@pytest.mark.parametrize("bounds", RANGES)
def test_results_in_the_place_of_keys(queue, rng, bounds):
    n = 100_003
    least, most = (n if bound is None else bound for bound in RANGES[bounds])
    lengths = np.diff(segments_of(rng, n, least, most))
    keys = np.repeat(np.arange(len(lengths)), lengths).astype("i4")
    x = rng.integers(0, 9, n).astype("i4")
    want = sycl.scan_by_key(keys.copy(), x, dtype="i4", queue=queue)
    assert sycl.scan_by_key(keys, x, dtype="i4", out=keys, queue=queue) is keys
    np.testing.assert_array_equal(keys, want)
