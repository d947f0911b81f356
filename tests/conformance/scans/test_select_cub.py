"""CUB's tests of what it selects by flags, neighbours and keys, of its partitions, of its runs, segments and differences
(cub/test/catch2_test_device_*.cu), for pysycl. The name of CUB's test stands beside each."""

from itertools import pairwise

import numpy as np
import pytest
from cub_cases import CUSTOM, segments_of, sizes_up_to
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

PAIR = np.dtype([("k", "u4"), ("d", "u4")])
# The bicyclic monoid: associative, and its order counts.
BICYCLIC = sycl.BinaryOp(
    "(T){a.k + b.k - min(a.d, b.k), b.d + a.d - min(a.d, b.k)}", identity=(0, 0)
)  # what b takes away of a


@pytest.fixture
def rng():
    return np.random.default_rng(13)


def struct_of(values):
    x = np.zeros(len(values), CUSTOM)
    x["key"], x["count"] = values, np.asarray(values, "u8") * 3
    return x


# "DeviceSelect::Flagged ..." and "DevicePartition::Flagged ...": none, all, some, stable, and nothing of the input changes
@pytest.mark.parametrize("dtype", sweep(["u1", "u2", "u4", "u8", "i4", "struct"], ["u2", "struct"]))
@pytest.mark.parametrize("n", [0, *sweep(sizes_up_to(1_000_000), [1])])
def test_by_flags(queue, rng, n, dtype):
    values = rng.integers(0, 200, n)
    x = struct_of(values) if dtype == "struct" else values.astype(dtype)
    kept = x.copy()
    for flags in (np.ones(n, "?"), np.zeros(n, "?"), rng.random(n) < 0.5):
        given = flags.copy()
        np.testing.assert_array_equal(sycl.select(x, flags, queue=queue), x[flags])
        yes, no = sycl.split_by(x, flags, queue=queue)
        np.testing.assert_array_equal(yes, x[flags])
        np.testing.assert_array_equal(no, x[~flags])
        np.testing.assert_array_equal(flags, given)
    np.testing.assert_array_equal(x, kept)


# "... works with flags that alias input", "... works in place"
def test_flags_that_are_the_elements_and_results_in_their_place(queue, rng):
    flags = rng.random(100_003) < 0.3
    count = np.count_nonzero(flags)
    np.testing.assert_array_equal(sycl.select(flags, flags, queue=queue), np.ones(count, "?"))
    x = rng.integers(0, 1000, flags.size).astype("i4")
    want = x[flags]
    sycl.select(x, flags, out=x[:count], queue=queue)
    np.testing.assert_array_equal(x[:count], want)
    b = sycl.Buffer(x, copy=True)
    with pytest.raises(sycl.InvalidParameterError, match="^out: .* it needs memory of its own"):
        sycl.select(b, "x > 300", out=b, queue=queue)


# "... works with a different output type"
def test_selected_into_another_type(queue, rng):
    x = rng.integers(0, 100, 50_021).astype("i4")
    out = np.zeros(np.count_nonzero(x > 40), "f8")
    assert sycl.select(x, "x > 40", out=out, queue=queue) is out
    np.testing.assert_array_equal(out, x[x > 40])


# "DeviceSelect::FlaggedIf ...": a condition of the flags, which are no bools
@pytest.mark.parametrize("kind", ["u1", "u8"])
@pytest.mark.parametrize("n", sweep(sizes_up_to(1_000_000), [1]))
def test_by_a_condition_of_flags(queue, rng, n, kind):
    x, flags = rng.integers(0, 1000, n).astype("i4"), rng.integers(0, 9, n).astype(kind)
    y, count = np.full(n, -1, "i4"), np.zeros(1, "u4")
    queue.parallel_scan(
        n, "t += flags[i] % 3 == 0;", "if (t != t.before) y[t.before] = x[i];", x=x, y=y, flags=flags,
        t=sycl.scanner(sycl.plus, "u4", total=count),
    ).wait()  # fmt: skip
    want = x[flags % 3 == 0]
    np.testing.assert_array_equal(y, np.append(want, np.full(n - want.size, -1)))
    assert count[0] == want.size


# "Device three-way partition ...": stable, with any part empty
@pytest.mark.parametrize("dtype", sweep(["u1", "u4", "i8"], ["u4"]))
@pytest.mark.parametrize("bounds", [(30, 60), (0, 60), (30, 30), (30, 200), (200, 200)])
def test_three_parts(queue, rng, bounds, dtype):
    x = rng.integers(0, 100, 100_003).astype(dtype)
    low, high = bounds
    first, others = sycl.split_by(x, f"x < {low}", queue=queue)
    second, third = sycl.split_by(others, f"x < {high}", queue=queue)
    np.testing.assert_array_equal(first, x[x < low])
    np.testing.assert_array_equal(second, x[(x >= low) & (x < high)])
    np.testing.assert_array_equal(third, x[x >= high])


# "DeviceSelect::Unique ..." and "DeviceSelect::UniqueByKey ...": none equal, all equal, runs; the first of each run stays
@pytest.mark.parametrize("dtype", sweep(["u1", "u2", "u4", "u8", "i8", "f4", "struct"], ["u1", "struct"]))
@pytest.mark.parametrize("n", [0, *sweep(sizes_up_to(1_000_000), [1])])
def test_unique(queue, rng, n, dtype):
    make = struct_of if dtype == "struct" else lambda values: np.asarray(values).astype(dtype)
    for values in (np.arange(n) % 251, np.full(n, 7), rng.integers(0, 3, n), np.arange(n) // 40 % 200):
        x, other = make(values), rng.integers(-99, 99, n).astype("i2")
        kept = x.copy()
        first = np.flatnonzero(np.concatenate([np.ones(min(n, 1), "?"), values[1:] != values[:-1]]))
        np.testing.assert_array_equal(sycl.unique_consecutive(x, queue=queue), x[first])
        keys, found = sycl.reduce_by_key(x, other, sycl.BinaryOp("a + 0 * b"), queue=queue)
        np.testing.assert_array_equal(keys, x[first])
        np.testing.assert_array_equal(found, other[first])
        np.testing.assert_array_equal(x, kept)


# "Device reduce-by-key works with huge keys", "DeviceSelect::UniqueByKey works and uses vsmem for large types"
@pytest.mark.parametrize("bounds", [(1, 1), (1, 50), (10_000, 10_000)])
def test_keys_of_many_bytes(queue, rng, bounds):
    lengths = np.diff(segments_of(rng, 7001, *bounds))
    keys = np.zeros(7001, [(f"k{k}", "u8") for k in range(32)])
    keys["k31"] = np.repeat(np.arange(lengths.size) % 2, lengths)  # the last word decides
    x = rng.integers(0, 99, 7001).astype("i4")
    own, sums = sycl.reduce_by_key(keys, x, queue=queue)
    np.testing.assert_array_equal(own["k31"], np.arange(lengths.size) % 2)
    np.testing.assert_array_equal(sums, np.add.reduceat(x.astype("i8"), np.cumsum(lengths) - lengths))


# "DeviceSelect::UniqueByKey works with custom types" of c/parallel/test/test_unique_by_key.cpp: equal by their fields, whatever
# lies between these
def test_keys_with_padding(queue, rng):
    keys = np.frombuffer(rng.bytes(16 * 5001), np.dtype([("a", "i2"), ("b", "u8")], align=True)).copy()
    keys["a"], keys["b"] = np.arange(5001) // 7 % 2, np.arange(5001) // 40
    heads = np.append(True, (keys["a"][1:] != keys["a"][:-1]) | (keys["b"][1:] != keys["b"][:-1]))
    found = sycl.unique_consecutive(keys, queue=queue)
    values, lengths = sycl.run_length(keys, queue=queue)
    own, sums = sycl.reduce_by_key(keys, np.ones(5001, "i8"), queue=queue)
    for each in (found, values, own):
        assert each["a"].tolist() == keys["a"][heads].tolist() and each["b"].tolist() == keys["b"][heads].tolist()
    assert lengths.tolist() == sums.tolist() == np.diff(np.flatnonzero(heads), append=5001).tolist()


# "UniqueByKey works with large key types" of the same: by an equality of one's own, here of one field, and within a distance.
# Flags say where neighbours are not equal, and select, segments and run lengths are by these
@pytest.mark.parametrize("other", ["p != q", "abs(p - q) > 2"])
@pytest.mark.parametrize("n", [42, 1337])
def test_an_equality_of_ones_own(queue, rng, n, other):
    keys, x = np.zeros(n, [("a", "i4"), ("c", "u1", 500)]), rng.integers(-99, 99, n)
    keys["a"], keys["c"] = rng.integers(0, 5, n), rng.integers(0, 255, (n, 500))
    flags, a = np.ones(n, bool), keys["a"]
    flags[1:] = sycl.transform(other, p=a[1:], q=a[:-1], dtype=bool, queue=queue)
    heads = np.append(True, np.abs(np.diff(a)) > (0 if "!=" in other else 2))
    begin = np.flatnonzero(heads)
    np.testing.assert_array_equal(sycl.select(keys, flags, queue=queue), keys[heads])
    np.testing.assert_array_equal(sycl.select(x, flags, queue=queue), x[heads])
    np.testing.assert_array_equal(sycl.diff(sycl.flatnonzero(flags, queue=queue), append=n), np.diff(begin, append=n))
    sums = np.add.reduceat(x, begin)
    np.testing.assert_array_equal(sycl.segmented_reduce(x, ("flags", flags), queue=queue), sums)
    scanned = sycl.inclusive_scan(x, segments=("flags", flags), queue=queue)
    np.testing.assert_array_equal(scanned[np.append(begin[1:], n) - 1], sums)


# -- runs --


def runs_of(rng, n, most, dtype):
    """CUB's: lengths of 1 to `most`, of -`most` each, or one run; neighbours differ."""
    if most > 0:
        lengths = rng.integers(1, most, size=n // max(most // 2, 1) + 9, endpoint=True)
    else:
        lengths = np.full(n // -most + 1 if most else 1, -most or n)
    ends = np.append(np.cumsum(lengths)[np.cumsum(lengths) < n], n)
    lengths = np.diff(ends, prepend=0)
    keys = np.cumsum(rng.integers(1, 100, lengths.size)) % 101
    return struct_of(keys) if dtype == "struct" else keys.astype(dtype), lengths


TILE = 2048
GRID = [
    (200_000, 2), (150_000, 3), (TILE, 1), (TILE, -TILE), (3 * TILE + 7, 1), (3 * TILE + 1, -TILE - 1), ((1 << 20) + 12_345, 2),
    (64 * TILE + 7, 7), (64 * TILE + 7, 100), (64 * TILE, -40), (64 * TILE, -31), (64 * TILE, -4), (64 * TILE, -3),
    (64 * TILE, -TILE // 8 - 1), (64 * TILE, 0), (64 * TILE, -TILE),
]  # fmt: skip


# "DeviceRunLengthEncode::Encode is exact over a segment-length grid", and NonTrivialRuns: those that are longer than one
@pytest.mark.parametrize("dtype", sweep(["i1", "i2", "u4", "i8", "struct"], ["i2", "struct"]))
@pytest.mark.parametrize(("n", "most"), sweep(GRID, [(3 * TILE + 1, -TILE - 1), (64 * TILE + 7, 7)]))
def test_runs_of_a_grid(queue, rng, n, most, dtype):
    keys, lengths = runs_of(rng, n, most, dtype)
    for row in (None, "small tiles"):
        _core.force_scan_row(row)
        try:
            values, found = sycl.run_length(np.repeat(keys, lengths), queue=queue)
        finally:
            _core.force_scan_row(None)
        np.testing.assert_array_equal(values, keys)
        np.testing.assert_array_equal(found, lengths)
    starts = sycl.exclusive_scan(found, queue=queue)
    np.testing.assert_array_equal(
        sycl.select(starts, found > 1, queue=queue), (np.cumsum(lengths) - lengths)[lengths > 1]
    )


# "DeviceRunLengthEncode::Encode handles every input misalignment"
@pytest.mark.parametrize("dtype", sweep(["i1", "i2", "u4", "i8"], ["i1"]))
def test_runs_at_any_address(queue, rng, dtype):
    for at in range(1, 32 // np.dtype(dtype).itemsize + 1):
        for most in (32, -TILE):
            keys, lengths = runs_of(rng, 3 * TILE + 7, most, dtype)
            whole = np.append(np.zeros(at, dtype), np.repeat(keys, lengths))
            values, found = sycl.run_length(whole[at:], queue=queue)
            np.testing.assert_array_equal(values, keys)
            np.testing.assert_array_equal(found, lengths)


# -- segments by offsets --

# "Device segmented_scan works with all device interfaces": sizes of segments, as parts of all
PARTS = {"short": (None, 1024), "middle": (128, 16), "long": (16, 1)}
SEGMENTED = [(n, part, kind) for n in (2048, 70_001, 384 * 1024) for part in PARTS for kind in ("u1", "i4", "i8")]


@pytest.mark.parametrize(("n", "part", "dtype"), sweep(SEGMENTED, [(2048, "middle", "u1"), (70_001, "short", "i4")]))
def test_segments(queue, rng, n, part, dtype):
    low, high = PARTS[part]
    lengths = rng.integers(n // low if low else 0, n // high, n // max(n // high // 2, 1) + 9, endpoint=True)
    ends = np.cumsum(lengths)
    offsets = np.concatenate([[0], ends[ends < n], [n]])
    x = rng.integers(0, 100, n).astype(dtype)
    sums, where = np.cumsum(x, dtype="i8"), {"segments": ("offsets", offsets), "queue": queue}
    base = np.concatenate([[0], sums])[np.repeat(offsets[:-1], np.diff(offsets))]
    want = (sums - base).astype(dtype)
    np.testing.assert_array_equal(sycl.inclusive_scan(x, dtype=dtype, **where), want)
    before = sycl.exclusive_scan(x, dtype=dtype, initial=3, **where)
    np.testing.assert_array_equal(before, want - x + np.dtype(dtype).type(3))
    found = sycl.segmented_reduce(x, ("offsets", offsets), sycl.maximum, initial=2, queue=queue)
    assert found.tolist() == [max([2, *x[low:high].tolist()]) for low, high in pairwise(offsets)]


# "segmented ... scan works correctly for pairs with noncommutative op", and of many segments of one length
@pytest.mark.parametrize(
    "cuts", [(1, 4), (7, 7), (129, 129), (255, 255), (0, 15)], ids=lambda cuts: f"{cuts[1]} segments"
)
def test_segments_in_order(queue, rng, cuts):
    if cuts[0] == 0:
        lengths = np.array([4, 13, 0, 46, 0, 33, 28, 0, 6, 17, 0, 0, 1, 0, 7])
        offsets = np.append(0, np.cumsum(lengths))
    else:
        offsets = np.arange(cuts[1] + 1) * (20_000 // cuts[1]) + (np.arange(cuts[1] + 1) == cuts[1]) * (cuts[0] == 1)
    x = np.zeros(offsets[-1], PAIR)
    x["k"], x["d"] = rng.integers(0, 9, (2, x.size))
    want = []
    for low, high in pairwise(offsets):
        k = d = 0
        for one, two in x[low:high].tolist():
            both = min(d, one)
            k, d = k + one - both, two + d - both
            want.append((k, d))
    found = sycl.inclusive_scan(x, BICYCLIC, segments=("offsets", offsets), queue=queue)
    assert found.tolist() == want


# -- neighbours --


# "DeviceAdjacentDifference::SubtractLeftCopy ..." and SubtractRightCopy, also with a difference of the user's
@pytest.mark.parametrize("dtype", sweep(["u1", "i4", "u8", "f4"], ["u1"]))
@pytest.mark.parametrize("n", [0, *sweep(sizes_up_to(1_000_000), [1])])
def test_differences(queue, rng, n, dtype):
    x = rng.integers(0, 200, n).astype(dtype)
    kept, zero = x.copy(), np.zeros(1, dtype)
    np.testing.assert_array_equal(sycl.diff(x, prepend=zero, queue=queue), np.diff(x, prepend=zero))
    np.testing.assert_array_equal(sycl.diff(x, append=zero, queue=queue), np.diff(x, append=zero))
    if n > 1:
        found = sycl.transform("2 * a - b", a=x[1:], b=x[:-1], dtype=dtype, queue=queue)
        np.testing.assert_array_equal(found, (x[1:] * np.dtype(dtype).type(2) - x[:-1]).astype(dtype))
    np.testing.assert_array_equal(x, kept)
