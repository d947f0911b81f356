"""Beyond SYCL 2020: copies, fills and sorts of memory by a group, in every way that a range is gone over; SYCL's first
spelling of algorithms over ranges; and what is refused."""

import itertools

import numpy as np
import pytest

import pysycl as sycl

BIG = np.dtype([("key", "i4"), ("tag", "i4"), ("more", "i4", 5)])  # larger than the library's place for an item
TEXT = """
typedef struct { int key, tag, more[5]; } big;
#define SYC_OP_by_key(p, q) ((p).key < (q).key)
__kernel void run(__global float *data, int n, __global float *out, __global big *pairs, __global int *tags)
{
    __global float *last = data + n;
    __local float tile[64];
    size_t i = local_linear_id, items = local_linear_range;
    out[0] = joint_copy(work_group, data, last, out + 1) - out;
    joint_sort(work_group, out + 1, out + 1 + n);
    joint_copy(work_group, data, last, out + 1 + n);
    joint_sort_by_key(work_group, out + 1 + n, out + 1 + 2 * n, tags, greater);
    joint_fill(work_group, data, last, 7);
    joint_sort(work_group, pairs + items, pairs + items + n, by_key);
    tile[63 - i] = n;
    joint_fill(sub_group, tile, tile, 1.0f);
    joint_fill(work_group, tile + 1, tile + 31, 3.0f);
    out[1 + 2 * n + i] = tile[i];
    pairs[i] = sort_over_group(work_group, pairs[i], by_key);
    tags[n + i] = sort_over_group(work_group, (int)(i * 37 % 11), greater);
    tags[n + items + i] = sort_over_group(sub_group, (int)(i * 37 % 11));
    tags[n + 2 * items + i] = sub_group_size();
}
"""


def ways(device):
    """Build options for the shapes of a range, where trying them all takes no minutes."""
    shapes = [[]]
    if device._facts["sub_groups"] == 1:
        shapes += [["-DSYC_RANGE_SHAPE=1", "-DSYC_SUB_GROUP_KIND=3"], ["-DSYC_RANGE_SHAPE=2"], ["-DSYC_RANGE_SHAPE=3"]]
    return shapes


def values(n):
    """Few, so that many are equal; with NaN and both zeros."""
    random = np.random.default_rng(n)
    return random.choice(np.array([np.nan, 0.0, -0.0, 1.5, np.inf, -np.inf, *range(-9, 9)], np.float32), n)


def pairs_of(count):
    out = np.zeros(count, BIG)
    out["key"] = np.random.default_rng(count).integers(0, 9, count)
    out["tag"], out["more"] = np.arange(count), np.arange(count)[:, None]
    return out


@pytest.mark.spec("D407", "D418")
def test_copies_fills_and_sorts(device, queue, thorough):
    large = 100 if "Oclgrind" in device.name else 3000
    for options in ways(device) if thorough else ways(device)[:3]:
        program = sycl.Program(TEXT, options)
        for items, n in ((33, 0), (33, 1), (33, 32), (33, 33), (33, 34), (33, 7 * 33 + 3), (33, large), (2, 9)):
            if items < 33 and options and not thorough:
                continue
            data, tags = values(n), np.arange(n + 3 * items, dtype=np.int32)
            pairs, out = pairs_of(items + n), np.zeros(2 + 2 * n + items, np.float32)
            room, original = np.append(data, np.float32(-1)), pairs.copy()
            queue.parallel_for(sycl.NdRange(items, items), program.run, room, n, out, pairs, tags)
            where = (options, items, n)
            assert out[0] == n + 1 and np.array_equal(out[1 : n + 1], np.sort(data), equal_nan=True), where
            keys = out[n + 1 : 2 * n + 1]
            descending = np.append(np.sort(data[~np.isnan(data)])[::-1], data[np.isnan(data)])
            assert np.array_equal(keys, descending, equal_nan=True), where
            assert np.array_equal(np.sort(tags[:n]), np.arange(n)), where
            assert np.array_equal(data[tags[:n]], keys, equal_nan=True), where
            tile = np.full(64, np.nan)
            tile[64 - items :], tile[1:31] = n, 3
            seen = np.minimum(np.arange(items), 63)
            defined = ~np.isnan(tile[seen])
            assert np.array_equal(out[2 * n + 1 : -1][defined], tile[seen][defined]) and out[-1] == 0, where
            assert np.array_equal(room, np.append(np.full(n, 7, np.float32), np.float32(-1))), where
            assert np.array_equal(pairs[:items], np.sort(original[:items], order=("key", "tag"))), where  # stable
            moved = np.sort(pairs[items:], order="tag")
            assert np.array_equal(pairs["key"][items:], np.sort(original["key"][items:])), where
            assert np.array_equal(moved, original[items:]), where
            mixed, size = np.arange(items) * 37 % 11, tags[-1 - (items - 1)]
            assert np.array_equal(tags[n : n + items], np.sort(mixed)[::-1]), where
            parts = [np.sort(mixed[k : k + size]) for k in range(0, items, size)]
            assert np.array_equal(tags[n + items : n + 2 * items], np.concatenate(parts)), where


SORTS = """
typedef struct { int key, tag; } pair;
#define SYC_OP_by_key(p, q) ((p).key < (q).key)
#define SYC_OP_no_order(p, q) ((p) <= (q))
__kernel void run(__global const int *starts, __global float *f, __global long *w, __global uchar *c,
                  __global float *keys, __global int *tags, __global pair *pairs, __global int *loose)
{
    const int a = starts[group_id(0)], b = starts[group_id(0) + 1];
    joint_sort(work_group, f + a, f + b);
    joint_sort(work_group, w + a, w + b, greater);
    joint_sort(work_group, c + a, c + b);
    joint_sort_by_key(work_group, keys + a, keys + b, tags + a);
    joint_sort(work_group, pairs + a, pairs + b, by_key);
    joint_sort(work_group, loose + a, loose + b, no_order);
}
"""


def against_the_middle(n):
    """What is in the middle, at the beginning and at the end is always among the smallest."""
    half = n // 2
    out = np.arange(n, dtype=np.float32)
    out[: 2 * half : 2], out[1 : 2 * half : 2] = np.arange(0, half), np.arange(half, 2 * half)
    out[: half & ~1 : 2], out[half : half + (half & ~1) // 2] = np.arange(0, half & ~1, 2), np.arange(1, half & ~1, 2)
    return out


def patterns(quick):
    """What sorts differ by: lengths around rows and pieces, what is in order already, what is equal, NaN."""
    random = np.random.default_rng(3)
    lengths = [*range(36), 63, 64, 65, 100]
    if quick:
        lengths += [255, 256, 257, 271, 272, 300, 511, 1000, 1025, 5003]
    yield from (random.standard_normal(n).astype(np.float32) for n in lengths)
    for n in (17, 257, 280, 1025) if quick else (17,):
        ramp = np.arange(n, dtype=np.float32)
        yield from (ramp, ramp[::-1], np.abs(ramp - n // 2), np.zeros(n, np.float32), ramp % 3, against_the_middle(n))
        yield np.where(random.random(n) < 0.9, np.float32(np.nan), ramp)
        yield np.where(random.random(n) < 0.05, np.float32(np.nan), values(n))
        yield np.full(n, np.nan, np.float32)


@pytest.mark.spec("D407", "D419")
def test_sorts_whatever_is_in_the_range(device, queue, thorough):
    """One range for each group. An order that is none still leaves every element there."""
    ranges = list(patterns("Oclgrind" not in device.name))
    starts = np.cumsum([0, *map(len, ranges)]).astype(np.int32)
    f = np.concatenate(ranges)
    w = (np.nan_to_num(f, nan=7, posinf=9, neginf=-9) * 2.0**40).astype(np.int64)
    pairs = np.zeros(len(f), [("key", "i4"), ("tag", "i4")])
    pairs["key"], pairs["tag"] = (w >> 41) // 4, np.arange(len(f))
    given = [f, w, w.astype(np.uint8), f, np.arange(len(f), dtype=np.int32), pairs, (w >> 42).astype(np.int32)]
    for options in ways(device) if thorough else ways(device)[-1:]:
        found = [x.copy() for x in given]
        run = sycl.Program(SORTS, options).run
        queue.parallel_for(sycl.NdRange(len(ranges) * 8, 8), run, starts, *found)
        for k, (a, b) in enumerate(itertools.pairwise(starts)):
            where = (options, k, b - a)
            old, new = [x[a:b] for x in given], [x[a:b] for x in found]
            assert np.array_equal(new[0], np.sort(old[0]), equal_nan=True), where
            assert np.array_equal(new[1], np.sort(old[1])[::-1]) and np.array_equal(new[2], np.sort(old[2])), where
            assert np.array_equal(new[3], new[0], equal_nan=True), where
            assert np.array_equal(np.sort(new[4]), old[4]) and np.array_equal(f[new[4]], new[3], equal_nan=True), where
            assert np.array_equal(new[5]["key"], np.sort(old[5]["key"])), where
            assert np.array_equal(np.sort(new[5], order="tag"), old[5]), where
            assert np.array_equal(np.sort(new[6]), np.sort(old[6])), where


NUMBERS = """
__kernel void run(__global const int *starts, __global short *s, __global uint *w, __global ulong *l,
                  __global float *f, __global float *g)
{
    __local float tile[300];
    const int a = starts[group_id(0)], b = starts[group_id(0) + 1];
    const int few = b - a < 300 ? b - a : 300;
    joint_sort(work_group, s + a, s + b);
    joint_sort(work_group, w + a, w + b, greater);
    joint_sort(work_group, l + a, l + b);
    joint_sort(work_group, f + a, f + b, greater);
    joint_copy(work_group, g + a, g + a + few, tile);
    joint_sort(work_group, tile, tile + few);
    joint_copy(work_group, tile, tile + few, g + a);
}
"""


def bits_of_ranges(quick):
    """Of 64 each: spread evenly, over all magnitudes, powers of two, few, close together with some far away."""
    random = np.random.default_rng(5)
    for n in (1, 15, 16, 127, 128, 129, 130, 300, *((700, 9000) if quick else ())):
        even = random.integers(0, 2**64, n, dtype=np.uint64)
        spread = even >> random.integers(0, 64, n).astype(np.uint64)
        yield from (even, spread, np.uint64(1) << (even % np.uint64(64)), even % np.uint64(3))
        yield np.where(even % np.uint64(9) == 0, spread, even % np.uint64(40))
        yield np.where(even % np.uint64(2) == 0, ~spread, spread % np.uint64(5))


def last_nan(x, greater=False):
    return np.append(np.sort(x[~np.isnan(x)])[:: -1 if greater else 1], x[np.isnan(x)])


@pytest.mark.spec("D407", "D419")
def test_sorts_of_numbers_by_their_bits(device, queue):
    """Of all sizes, with and without a sign, however they are spread: bits that are NaN, of either sign, come last."""
    ranges = list(bits_of_ranges("Oclgrind" not in device.name))
    starts = np.cumsum([0, *map(len, ranges)]).astype(np.int32)
    bits = np.concatenate(ranges)
    f = np.where(bits % np.uint64(50) == 0, np.uint64(0xFFC00001), bits).astype(np.uint32).view(np.float32)
    types = (np.int16, np.uint32, np.uint64)
    given = [*((bits >> np.uint64(3 * k)).astype(t) for k, t in enumerate(types)), f, f]
    for options in ways(device)[:1]:  # the others do the same, or are seen above
        found = [x.copy() for x in given]
        run = sycl.Program(NUMBERS, options).run
        queue.parallel_for(sycl.NdRange(len(ranges) * 8, 8), run, starts, *found)
        for k, (a, b) in enumerate(itertools.pairwise(starts)):
            where = (options, k, b - a)
            old, new = [x[a:b] for x in given], [x[a:b] for x in found]
            for which, greater in enumerate((False, True, False)):
                want = np.sort(old[which])[:: -1 if greater else 1]
                assert np.array_equal(new[which], want), (where, types[which])
            assert np.array_equal(new[3], last_nan(old[3], True), equal_nan=True), where
            assert np.array_equal(np.sort(new[3].view(np.uint32)), np.sort(old[3].view(np.uint32))), where
            few = min(b - a, 300)
            assert np.array_equal(new[4][:few], last_nan(old[4][:few]), equal_nan=True), where


@pytest.mark.spec("D407", "D409", "D410", "D412", "D414", "D416")
def test_the_first_spelling(queue):
    body = """
        #define ODD(x) ((x) % 2 == 1)
        int reduce_all(__global const int *v, int n) { return reduce(execution_group(work_group), v, v + n, plus); }
        __kernel void run(__global const int *v, int n, __global int *out)
        {
            out[0] = reduce_all(v, n) + reduce(execution_group(work_group), v, v + n, 1000, plus);
            out[1] = any_of(execution_group(work_group), v, v + n, ODD)
                + 2 * all_of(execution_group(work_group), v, v + n, ODD)
                + 4 * none_of(execution_group(work_group), v, v + n, ODD);
            inclusive_scan(execution_group(work_group), v, v + n, out + 2, plus);
            exclusive_scan(execution_group(work_group), v, v + n, out + 2 + n, 10, plus);
        }"""
    v, n = np.arange(1, 51, dtype=np.int32), 50
    out = np.zeros(2 + 2 * n, np.int32)
    queue.parallel_for(sycl.NdRange(16, 16), sycl.Program(body).run, v, n, out)
    sums = v.cumsum()
    assert out[:2].tolist() == [2 * sums[-1] + 1000, 1]
    assert np.array_equal(out[2 : 2 + n], sums) and np.array_equal(out[2 + n :], sums - v + 10)
    own = "int reduce(int x) { return x + 1; } __kernel void run(__global int *out) { out[0] = reduce(4); }"
    queue.parallel_for(sycl.NdRange(1, 1), sycl.Program(own).run, out)
    assert out[0] == 5


@pytest.mark.spec("D407")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("joint_reduce(work_group, v, w, plus)", "joint_reduce: first and last are pointers to different types"),
        (
            "joint_any_of(work_group, v, t + 3, !)",
            "joint_any_of: first and last are pointers to different address spaces",
        ),
        (
            "joint_reduce(work_group, p, p + 3, plus)",
            "joint_reduce: first is in private memory, of which each item has its own",
        ),
        (
            "joint_copy(work_group, v, v + 3, p)",
            "joint_copy: out is in private memory, of which each item has its own",
        ),
        (
            "joint_exclusive_scan(work_group, u, u + 3, v, (int2)(1, 2), plus)",
            "joint_exclusive_scan: out points to elements of a type that cannot hold the values",
        ),
        (
            "joint_sort(work_group, u, u + 3)",
            "joint_sort: less takes numbers, for other types there is sycl.BinaryOp",
        ),
        ("joint_reduce(work_group, v, 3, plus)", "joint_reduce: last is a number, where a pointer belongs"),
        ("joint_sort(work_group, 3, v)", "joint_sort: first is a number, where a pointer belongs"),
        (
            "joint_inclusive_scan(work_group, v, v + 3, 7, plus)",
            "joint_inclusive_scan: out is a number, where a pointer belongs",
        ),
        (
            "joint_sort(work_group, v, v + 3, plus)",
            "joint_sort: 'plus' tells no order: less, greater, cless, cgreater do, and a ",
        ),
        ("joint_fill(work_group, v, v + 3)", "joint_fill takes (group, first, last, value), and 3 arguments are given"),
        ("sort_over_group(g, 1)", "sort_over_group: 'g' is no group: work_group and sub_group are"),
    ],
)
def test_what_is_refused(queue, call, message):
    text = f"""__kernel void run(__global int *v, __global float *w, __global int2 *u)
    {{
        __local int t[3];
        int p[3] = {{1, 2, 3}};
        {call};
    }}"""
    arrays = (np.zeros(3, np.int32), np.zeros(3, np.float32), np.zeros(6, np.int32))
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(sycl.NdRange(1, 1), sycl.Program(text).run, *arrays)
    assert str(caught.value).startswith(f"kernel.cl:5:9: {message}")
