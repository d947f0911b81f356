"""What the calling thread and its team do with keys in host memory, against NumPy."""

import threading

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms.plan import plan_of
from pysycl._sorts.sort_rows import BAR, NUMPY, NUMPY_PART, THREAD, TREE, force_sort_row

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
# Around nodes of 16, and around 16 and 256 of them; and far more than are looked up.
SIZES = [0, 1, 2, 15, 16, 17, 255, 256, 257, 271, 272, 4095, 4096, 4097, 70_001]


@pytest.fixture(autouse=True)
def row(request):
    force_sort_row(getattr(request, "param", None))
    yield
    force_sort_row(None)


def keys(dtype, count, seed, pattern):
    """With the ends of the type; or few values, with a zero of each sign, and NaN."""
    rng, dtype = np.random.default_rng((count, seed)), np.dtype(dtype)
    ends = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    if pattern == "few":
        found = rng.integers(0, 5, count).astype(dtype)
        if dtype.kind == "f":
            found[rng.random(count) < 0.2] = np.nan
            found[rng.random(count) < 0.2] = -0.0
        return found
    found = (rng.normal(size=count) * 2.0 ** rng.integers(-3, 62, count)).astype("f4")
    found = found.astype(dtype) if dtype.kind == "f" else found.astype("i8").astype(dtype)
    some = rng.random(count) < 0.1
    found[some] = rng.choice(np.array([ends.min, ends.max], dtype), some.sum())
    return found


@pytest.mark.parametrize("row", ["tree"], indirect=True)
@pytest.mark.parametrize(
    ("dtype", "pattern"),
    sweep(
        [(dtype, pattern) for dtype in TYPES for pattern in ("few", "any")],
        [("u1", "few"), ("i2", "any"), ("i4", "few"), ("u8", "any"), ("f8", "few")],
    ),
)
def test_searches(row, dtype, pattern):
    for size in SIZES:
        at = np.sort(keys(dtype, size, 1, pattern))
        for count in (1, 63, 64, 301):
            v = np.concatenate([keys(dtype, count, 2, pattern), at[:: size // 9 + 1]])
            for side in ("left", "right"):
                found = sycl.searchsorted(at, v, side)
                assert found.dtype == np.int64
                assert np.array_equal(found, np.searchsorted(at, v, side)), (size, count, side)
            for invert in (False, True):
                assert np.array_equal(sycl.isin(v, at, invert=invert), np.isin(v, at, invert=invert))


@pytest.mark.parametrize("row", ["tree"], indirect=True)
def test_what_is_searched_by_the_tree(row, queue):
    at, v = np.sort(keys("f4", 999, 1, "any")), keys("f4", 300, 2, "any")
    assert np.array_equal(sycl.searchsorted(at, v.reshape(20, 15).T), np.searchsorted(at, v.reshape(20, 15).T))
    assert np.array_equal(sycl.searchsorted(at[::-3][::-1], v[::-2]), np.searchsorted(at[::-3][::-1], v[::-2]))
    assert np.array_equal(sycl.searchsorted(at, v, queue=queue), np.searchsorted(at, v))
    assert sycl.searchsorted(at, np.float32(3)) == np.searchsorted(at, np.float32(3))
    assert isinstance(sycl.searchsorted(at, 3.0), np.int64)
    out = np.empty(300, np.int64)
    assert sycl.searchsorted(at, v, out=out) is out
    assert np.array_equal(out, np.searchsorted(at, v))
    edges = np.array([-3.0, 0.0, 0.5, 7.0])
    for bins in (edges, edges[::-1]):
        for right in (False, True):
            assert np.array_equal(sycl.digitize(v, bins, right), np.digitize(v, bins, right))
    for a, b in (("i4", "f4"), ("u1", "i2"), ("f4", "i8"), ("i8", "u8"), ("u2", "f8")):
        of, looked = np.sort(keys(a, 100, 3, "few")), keys(b, 90, 4, "few")
        assert np.array_equal(sycl.searchsorted(of, looked), np.searchsorted(of, looked))


@pytest.mark.parametrize("row", ["merge path"], indirect=True)
@pytest.mark.parametrize("pattern", ["few", "any"])
@pytest.mark.parametrize("dtype", TYPES)
def test_merges(row, dtype, pattern):
    for first, second in ((0, 0), (1, 0), (0, 3), (2, 2), (8192, 1), (5000, 3192), (3, 40_001), (50_021, 41_000)):
        x, y = np.sort(keys(dtype, first, 1, pattern)), np.sort(keys(dtype, second, 2, pattern))
        found, want = sycl.merge(x, y), np.sort(np.concatenate([x, y]), kind="stable")
        assert np.array_equal(found, want, equal_nan=want.dtype.kind == "f")
        if want.dtype.kind == "f":  # zeros of the first come first, whatever their signs
            zeros = np.concatenate([x[x == 0], y[y == 0]])
            assert np.array_equal(np.signbit(found[found == 0]), np.signbit(zeros))


@pytest.mark.parametrize("row", ["merge path"], indirect=True)
def test_a_merge_of_what_is_in_no_order_loses_nothing(row):
    for seed in range(20):
        x, y = keys("f4", 9000 * (seed % 4), seed, "few"), keys("f4", 30_011, seed, "any")
        found = np.sort(sycl.merge(x, y))
        assert np.array_equal(found, np.sort(np.concatenate([x, y])), equal_nan=True)
    out = np.empty(5, np.int64)
    assert sycl.merge([1, 4], [2, 3, 9], out=out) is out
    assert out.tolist() == [1, 2, 3, 4, 9]


def first(x, k, largest):
    """The positions of the first k of a line, by a stable sort."""
    if largest:
        odd = x != x
        x = np.where(odd, 0, -x.astype("f8")) if x.dtype.kind == "f" else ~x
        return np.lexsort((x, odd))[:k]
    return np.argsort(x, kind="stable")[:k]


@pytest.mark.parametrize("row", ["bar"], indirect=True)
@pytest.mark.parametrize("pattern", ["few", "any"])
@pytest.mark.parametrize("dtype", [*TYPES, "f2", "?"])
def test_the_first_of_lines(row, dtype, pattern):
    make = "u1" if dtype == "?" else "f4" if dtype == "f2" else dtype
    with np.errstate(over="ignore"):
        for lines, size in ((1, 1), (1, 64), (3, 65), (70, 127), (1, 9001), (2, 5000)):
            x = keys(make, lines * size, 5, pattern).astype(dtype).reshape(lines, size)
            for given in (x, np.sort(x), -np.sort(-x) if x.dtype.kind == "f" else np.sort(x)[:, ::-1]):
                for k in {1, min(size, 10), size // 3 + 1, size}:
                    for largest in (True, False):
                        found = sycl.top_k(given, k, largest=largest)
                        want = np.array([first(line, k, largest) for line in given])
                        assert np.array_equal(found.indices, want), (lines, size, k, largest)
                        values = np.take_along_axis(given, want, -1)
                        assert np.array_equal(found.values, values, equal_nan=values.dtype.kind == "f")
                        turned = sycl.top_k(given.T, k, 0, largest=largest)
                        assert np.array_equal(turned.indices, want.T)


@pytest.mark.parametrize("dtype", ["f4", "u2", "i8"])
def test_the_first_of_many(dtype):
    """More than one part, whose lists come together."""
    for pattern in ("few", "any"):
        x = keys(dtype, (1 << 19) + 7, 6, pattern)
        for given in (x, np.sort(x)):
            for k in (1, 10, 1000):
                assert np.array_equal(sycl.top_k(given, k).indices, first(given, k, True))


@pytest.mark.parametrize("dtype", sweep(["i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"], ["i2", "u4", "i8", "f4"]))
def test_the_first_of_all_different_keys(dtype):
    """Each alone among others that are far behind it; of both signs."""
    size = (1 << 15) + 77 if dtype[1] == "2" else (1 << 19) + 77
    least = 0 if dtype == "u2" else 2 ** (8 * int(dtype[1]) - 1) - size // 2 if dtype[0] == "u" else -size // 2
    for at in range(3):
        x = np.random.default_rng(at).permutation(size).astype(dtype) + np.asarray(least, dtype)
        for k in (1, 10, 1000):
            for largest in (True, False):
                assert np.array_equal(sycl.top_k(x, k, largest=largest).indices, first(x, k, largest)), (k, largest)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_ties_of_zeros_and_negative_numbers(dtype):
    """The last ones of the first are like many others, of which those that stand first are taken."""
    for values in ([-3, -2, -1], [-0.0, 0.0, -1], [0.0, -0.0, 1], [-1, 1]):
        x = np.random.default_rng(9).choice(np.array(values, dtype), 1 << 15)
        for k in (1, 700, 8000):
            for largest in (True, False):
                assert np.array_equal(sycl.top_k(x, k, largest=largest).indices, first(x, k, largest)), (values, k)


def test_a_sample_that_misleads():
    """Of a line the first ones lie in few places, so that a sample has many of them, or none, and its bar is too near."""
    rng, size, k = np.random.default_rng(7), 1 << 14, 100
    lines = rng.normal(size=(400, size)).astype("f4")
    for line in lines:
        for at in rng.integers(0, size - 45, 2):
            line[at : at + 45] += 100
    want = np.array([first(line, k, True) for line in lines])
    assert np.array_equal(sycl.top_k(lines, k).indices, want)
    assert all(np.array_equal(sycl.top_k(line, k).indices, each) for line, each in zip(lines, want, strict=True))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_nan_with_a_sign_are_last(dtype):
    x = np.random.default_rng(8).normal(size=1 << 15).astype(dtype)
    x[::2] = np.copysign(np.nan, -1).astype(dtype)
    assert np.signbit(x[0]) and np.isnan(x[0])
    for k in (10, 500, x.size // 2 + 5):
        for largest in (True, False):
            assert np.array_equal(sycl.top_k(x, k, largest=largest).indices, first(x, k, largest))


@pytest.mark.parametrize("row", [None], indirect=True)
@pytest.mark.parametrize(
    ("ours", "numpys"),
    [
        (lambda x, q: sycl.searchsorted([7, 199_500], x, queue=q), lambda x: np.searchsorted([7, 199_500], x)),
        (lambda x, q: sycl.searchsorted(x[::-1][:5], x, queue=q), lambda x: np.searchsorted(x[::-1][:5], x)),
        (lambda x, q: sycl.merge(x, x, queue=q), lambda x: np.sort(np.concatenate([x, x]))),
        (lambda x, q: sycl.top_k(x, 7, queue=q).values, lambda x: np.sort(x)[:-8:-1]),
        (lambda x, q: np.sort(sycl.partition(x, 7, queue=q)), np.sort),
        (lambda x, q: sycl.histogram(x, 9, queue=q)[0], lambda x: np.histogram(x, 9)[0]),
        (lambda x, q: sycl.bincount(x, queue=q), np.bincount),
        (lambda x, q: sycl.unique(x, queue=q), np.unique),
        (lambda x, q: sycl.group_by(x, queue=q).sum(x), lambda x: np.unique(x)),
        (lambda x, q: sycl.median(x, queue=q), np.median),
    ],
)  # fmt: skip
def test_what_a_command_makes_comes_before(queue, row, ours, numpys):
    """The queue is a CPU's, and the calling thread must not begin while it is busy."""
    x = np.zeros(1000, "i4")
    made = queue.parallel_for(1000, "volatile int k = 0; while (k < 200000) k++; x[i] = k - 1000 + i;", x=x, wait=False)
    found = ours(x, queue)
    made.wait()
    assert np.array_equal(found, numpys(x))


@pytest.mark.parametrize("row", [None], indirect=True)
@pytest.mark.parametrize(
    "call",
    [
        lambda x, q: sycl.sort(x, queue=q),
        lambda x, q: sycl.argsort(x, queue=q),
        lambda x, q: sycl.top_k(x, 7, queue=q),
        lambda x, q: sycl.partition(x, 7, queue=q),
        lambda x, q: sycl.argpartition(x, 7, queue=q),
        lambda x, q: sycl.median(x, queue=q),
        lambda x, q: sycl.searchsorted(x, x, queue=q),
    ],
)
def test_a_queue_that_is_free_is_as_none(queue, row, call):
    """If it is a CPU's: then the calling thread has the elements. Where a command is in flight a device takes them."""
    if not queue.device.is_cpu:
        pytest.skip("no CPU")

    def seen(q):
        return plan_of(lambda x: call(x, q), 3000, np.dtype("f4")).explain()

    def is_on_host(plan):
        return any(f"row       {one.name}\n" in plan for one in (NUMPY, THREAD, BAR, NUMPY_PART, TREE))

    queue.wait()
    assert is_on_host(seen(None)) and seen(queue) == seen(None)
    started, goes_on = threading.Event(), threading.Event()
    queue.host_task(lambda: (started.set(), goes_on.wait(60)))
    try:
        assert started.wait(60) and not is_on_host(seen(queue))
    finally:
        goes_on.set()
        queue.wait()
