"""Counts and sums in tables of the calling thread and its team, against NumPy."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.plan import plan_of
from pysycl._sorts import bins as passes
from pysycl._sorts import group_by as groups_of_keys
from pysycl._sorts.sort_rows import force_sort_row

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SIZES = [0, 1, 31, 32, 33, 511, 512, 513, 3001]


@pytest.fixture(autouse=True)
def tables():
    force_sort_row("tables")
    yield
    force_sort_row(None)


def numbers(dtype, count, seed=1):
    """With numbers outside of all bins, and NaN."""
    rng, dtype = np.random.default_rng((count, seed)), np.dtype(dtype)
    if dtype.kind != "f":
        ends = np.iinfo(dtype)
        return rng.integers(max(ends.min, -60), min(ends.max, 900), count).astype(dtype)
    found = (rng.normal(size=count) * 3).astype(dtype)
    some = rng.random(count) < 0.05
    found[some] = rng.choice(np.array([np.nan, np.inf, -np.inf, -0.0], dtype), some.sum())
    return found


@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "f8"])
def test_histograms(dtype):
    for count in (*SIZES, 270_001):
        x = numbers(dtype, count)
        for bins, range in ((1, (-1, 1)), (7, (-3.3, 7.7)), (256, (0, 256)), (1000, (0.1, 5))):
            found, edges = sycl.histogram(x, bins, range)
            # halves are not where NumPy reckons with halves, but where the edges are
            want = np.histogram(x, bins, range) if dtype != "f2" else np.histogram(x.astype("f4"), edges.astype("f4"))
            assert np.array_equal(found, want[0]), (count, bins)
        for edges in ([-2.5, -1, 0.3, 0.3, 8], [0, 4, 5, 5], [0, 1, 200], np.array([-3, 0, 2.5], "f4")):
            assert np.array_equal(sycl.histogram(x, edges)[0], np.histogram(x, edges)[0]), (count, edges)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_edges_decide(dtype):
    """All numbers are edges or next to one, far from zero as well, where bins are reckoned wrongly."""
    for first, last, bins in ((0, 1, 10), (-4, 4, 256), (1000, 1001, 64), (-1e6, 1e-3, 999)):
        edges = np.linspace(first, last, bins + 1, dtype=dtype)
        x = np.concatenate(
            [edges, np.nextafter(edges, np.asarray(-1e30, dtype)), np.nextafter(edges, np.asarray(1e30, dtype))]
        )
        x = np.random.default_rng(2).permutation(np.tile(x, 5))
        assert np.array_equal(sycl.histogram(x, bins, (first, last))[0], np.histogram(x, bins, (first, last))[0])


def test_the_last_edge_may_be_the_type_s_last():
    x = np.array([0, 3, 254, 255, 255], "u1")
    assert sycl.histogram(x, np.array([3, 254, 255], "u1"))[0].tolist() == [1, 3]
    x = np.array([1.0, np.inf, np.nan, -np.inf, 4.0])
    assert sycl.histogram(x, [0, 2, np.inf])[0].tolist() == [1, 2]
    x = np.array([0, 2**63 - 1, 2**63 - 2, -5])
    assert sycl.histogram(x, np.array([-9, 1, 2**63 - 1]))[0].tolist() == [2, 2]


@pytest.mark.parametrize("weights", ["f2", "f4", "f8", "i1", "u2", "i4", "u4", "i8", "u8"])
def test_weights(weights):
    for count in SIZES:
        x, keys = numbers("f4", count), numbers("u2", count)
        low = 0 if weights[0] == "u" else -9
        w = np.random.default_rng(count).integers(low, 90, count).astype(weights)
        exact = w if weights != "f2" else w.astype("f8")  # NumPy rounds each sum of halves
        for given, bins, range in ((x, 50, (-4, 4)), (keys, [0, 7, 100], None)):
            found, want = (
                sycl.histogram(given, bins, range, weights=w)[0],
                np.histogram(given, bins, range, weights=exact)[0],
            )
            assert found.dtype == w.dtype and np.array_equal(found, want.astype(weights))
        same = sycl.bincount(keys, w.astype("f8"), 5), np.bincount(keys, w.astype("f8"), 5)
        assert np.array_equal(*same) and same[0].dtype == np.float64
    many = np.full(5, 2**62)
    assert sycl.histogram(np.zeros(5), 2, (-1, 1), weights=many)[0].tolist() == [0, 2**62]  # modulo 2^64


@pytest.mark.parametrize("dtype", sweep(INTEGERS, ["i2", "u4", "i8"]))
def test_keys_at_the_ends_of_their_type(dtype):
    """Few values; and with one that no sample sees, far away or near."""
    ends = np.iinfo(dtype)
    for low in (ends.min, ends.max - 6, 0):
        for odd in (None, ends.min, ends.max, low + 6):
            x = np.random.default_rng(4).integers(0, 7, 5000).astype(dtype) + np.asarray(low, dtype)
            if odd is not None:
                x[3] = odd
            values, counts = np.unique(x, return_counts=True)
            groups, found = sycl.group_by(x), sycl.unique(x, return_counts=True)
            for keys, numbers_ in ((groups.keys, groups.count()), found):
                assert keys.dtype == x.dtype
                assert np.array_equal(keys, values) and np.array_equal(numbers_, counts), (low, odd)
            assert np.array_equal(sycl.unique(x), values)
            v = np.arange(5000.0)
            assert np.array_equal(groups.sum(v), [v[x == value].sum() for value in values])
            assert np.array_equal(groups.sum(v.astype("i4")), [v[x == value].sum() for value in values])
            first = sycl.group_by(x)
            assert np.array_equal(first.sum(v), groups.sum(v)) and np.array_equal(first.keys, values)
            assert np.array_equal(first.count(), counts) and len(first) == values.size


@pytest.mark.parametrize("weights", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"])
def test_the_first_sums_find_the_groups(monkeypatch, weights):
    """Of keys of each width, few and many for tables side by side; counts and sums are of one pass, and no other is made."""
    for module in (passes, groups_of_keys):
        monkeypatch.setattr(module, "minmax", None)
    for keys in INTEGERS:
        for most in (3, 120, 3000 if keys[1] != "1" else 70):
            rng = np.random.default_rng(most)
            x = rng.integers(0, most, 5011).astype(keys)
            v = rng.integers(0, 2 if weights in ("?", "f2") else 90, x.size).astype(weights)
            groups = sycl.group_by(x)
            found = groups.sum(v)
            want = np.bincount(x, v.astype("f8"), most)[groups.keys]
            assert found.dtype == np.sum(v).dtype and np.array_equal(found, want.astype(found.dtype))
            assert np.array_equal(groups.keys, np.unique(x)) and groups.way.name == "array"
            assert np.array_equal(groups.count(), np.bincount(x, minlength=most)[groups.keys])
    groups = sycl.group_by(np.full(9, -7))
    assert groups.sum(np.full(9, 2**61)).tolist() == [2**61]  # modulo 2^64
    assert groups.keys.tolist() == [-7] and groups.count().tolist() == [9]


@pytest.mark.parametrize("low", [-(2**31) - 5, -(2**31), -3, 0, 2**31 - 5, 2**32 - 5, 2**63 - 3, -(2**63)])
def test_bins_beyond_what_keys_can_be(low):
    """The low end of bins and their number against keys of each type, at the ends of which they begin or end; for narrow
    keys it has 32 bits."""
    for dtype in [each for each in INTEGERS if each[1] in "48" or -(2**31) <= low < 2**31]:
        ends = np.iinfo(dtype)
        edge = [ends.min, ends.min + 1, ends.max - 1, ends.max, 0, 1, 2, 3]
        x = np.array([each for each in edge * 80 + list(range(low, low + 20)) if ends.min <= each <= ends.max], dtype)
        counts, sums, beside = np.empty(16, "i8"), np.empty(16), np.empty(16, "i8")
        order = 1 if dtype[0] == "i" else 0
        x = x[: x.size // 4 * 4 - 1]
        v = np.arange(x.size) % 7.0
        _core.host_bins(x, counts, None, None, None, 16, x.itemsize, order, low % 2**64, 0, 0, 0)
        _core.host_bins(x, sums, None, v, beside, 16, x.itemsize, order, low % 2**64, 0, 8, 3)
        want = [(int(low) + k) % 2**64 for k in range(16)]
        same = [np.array([int(each) % 2**64 == one for each in x]) for one in want]
        assert counts.tolist() == [int(each.sum()) for each in same] and beside.tolist() == counts.tolist()
        assert sums.tolist() == [float(v[each].sum()) for each in same]


@pytest.mark.parametrize("dtype", [each for each in INTEGERS if each != "u8"])
def test_bincount_of_few_values(dtype):
    """A sample says where they are, and once it is wrong."""
    x = np.random.default_rng(6).integers(5, 100, 70_001).astype(dtype)
    w = np.random.default_rng(7).integers(-9, 9, x.size).astype("f8")
    for odd in (None, 120, 0):
        if odd is not None:
            x[3] = odd
        for least in (0, 100, 2000):
            assert np.array_equal(sycl.bincount(x, minlength=least), np.bincount(x, minlength=least))
            found, want = sycl.bincount(x, w, least), np.bincount(x, w, least)
            assert np.array_equal(found, want) and found.dtype == want.dtype
            assert np.array_equal(sycl.bincount(x, w.astype("f4"), least), want)
            assert np.array_equal(sycl.bincount(x, w.astype("i2"), least), want)
    if dtype[0] == "i":
        x[3] = -3
        for weights in (None, w):
            with pytest.raises(sycl.errors.InvalidParameterError, match="no negative elements, and there is -3"):
                sycl.bincount(x, weights)


def test_counts_beside_sums_need_room():
    x, to = np.zeros(5, "i8"), np.zeros(4, "i8")
    few, fixed = np.zeros(3, "i8"), np.zeros(4, "i8")
    fixed.flags.writeable = False
    for weights, counts in ((np.ones(5), few), (None, to.copy()), (np.ones(5), fixed)):
        with pytest.raises(sycl.errors.InvalidParameterError, match="sizes that the memory has not"):
            _core.host_bins(x, to, None, weights, counts, 4, 8, 1, 0, 0, 8 if weights is not None else 0, 3)


def test_explain():
    def rows(call, dtype):
        return plan_of(call, 5000, np.dtype(dtype)).explain()

    assert "row       tables" in rows(lambda x: sycl.histogram(x, 9, (0, 1)), "f4")
    assert "row       tables" in rows(lambda x: sycl.bincount(x), "u1")
    assert "row       tables" in rows(lambda x: sycl.unique(x), "u1")


@pytest.mark.parametrize("dtype", [*INTEGERS, "f2", "f4", "f8", "?"])
def test_runs_of_sorted_elements(dtype):
    """Of which no tables are made: floating-point numbers, and integers far apart."""
    force_sort_row(None)
    for count in (0, 1, 63, 64, 65, 4000, 70_001):
        x = numbers("f4" if dtype == "?" else dtype, count)
        x = x > 0 if dtype == "?" else x
        if x.dtype.kind in "iu" and count:
            x[0], x[-1] = np.iinfo(dtype).max, np.iinfo(dtype).min
        for equal_nan in (True, False):
            found, want = (f(x, return_counts=True, equal_nan=equal_nan) for f in (sycl.unique, np.unique))
            assert np.array_equal(found[0], want[0], equal_nan=x.dtype.kind == "f") and found[0].dtype == x.dtype
            assert np.array_equal(found[1], want[1])
            assert np.array_equal(sycl.unique(x, equal_nan=equal_nan), want[0], equal_nan=x.dtype.kind == "f")
