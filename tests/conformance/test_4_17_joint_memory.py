"""Beyond SYCL 2020: copies, fills and sorts of memory by a group, in every way that a range is gone over; SYCL's first
spelling of algorithms over ranges; and what is refused."""

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
        shapes += [["-DSYC_RANGE_SHAPE=1", "-DSYC_SUB_GROUP_KIND=3"], ["-DSYC_RANGE_SHAPE=3"]]
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


@pytest.mark.spec("D407", "D418", "D419")
def test_copies_fills_and_sorts(device, queue):
    large = 100 if "Oclgrind" in device.name else 3000
    for options in ways(device):
        program = sycl.Program(TEXT, options)
        for items, n in ((33, 0), (33, 1), (33, 32), (33, 33), (33, 34), (33, 7 * 33 + 3), (33, large), (2, 9)):
            data, tags = values(n), np.arange(n + 3 * items, dtype=np.int32)
            pairs, out = pairs_of(items + n), np.zeros(2 + 2 * n + items, np.float32)
            room, original = np.append(data, np.float32(-1)), pairs.copy()
            queue.parallel_for(sycl.NdRange(items, items), program.run, room, n, out, pairs, tags).wait()
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
    queue.parallel_for(sycl.NdRange(16, 16), sycl.Program(body).run, v, n, out).wait()
    sums = v.cumsum()
    assert out[:2].tolist() == [2 * sums[-1] + 1000, 1]
    assert np.array_equal(out[2 : 2 + n], sums) and np.array_equal(out[2 + n :], sums - v + 10)
    own = "int reduce(int x) { return x + 1; } __kernel void run(__global int *out) { out[0] = reduce(4); }"
    queue.parallel_for(sycl.NdRange(1, 1), sycl.Program(own).run, out).wait()
    assert out[0] == 5


@pytest.mark.spec("D407", "D414", "D417")
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
        ("joint_sort(work_group, v, v + 3, plus)", "joint_sort: 'plus' tells no order: less, greater do, and a "),
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
