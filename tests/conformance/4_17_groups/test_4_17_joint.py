"""SYCL 2020 4.17.2: algorithms of a group over ranges of memory, shorter and longer than the group, empty, in place."""

import numpy as np
import pytest

import pysycl as sycl

TEXT = """
#define SYC_OP_chain(p, q) ((uint2)((p).x * (q).x, (p).x * (q).y + (p).y))
#define EVEN(x) ((x) % 2 == 0)
__kernel void run(__global int *data, int n, __global long *out, __global int *scans, __global uint2 *pairs)
{
    __global int *last = data + n;
    out[0] = joint_reduce(work_group, data, last, plus);
    out[1] = joint_reduce(work_group, data, last, 5000000000L, plus);
    out[2] = joint_reduce(work_group, data, last, maximum);
    out[3] = joint_any_of(work_group, data, last, EVEN) + 2 * joint_all_of(work_group, data, last, EVEN)
             + 4 * joint_none_of(work_group, data, last, EVEN);
    out[4] = joint_reduce(work_group, pairs, pairs + n, (uint2)(3, 1), chain).y;
    out[5] = joint_inclusive_scan(work_group, data, last, scans, plus) - scans;
    joint_inclusive_scan(work_group, data, last, scans + n, maximum, 7);
    out[7] = joint_exclusive_scan(work_group, data, last, scans + 2 * n, plus) - scans;
    out[8] = joint_reduce(work_group, pairs, pairs + n, (uint2)(1, 2), plus).y;
    joint_exclusive_scan(work_group, pairs, pairs + n, pairs, (uint2)(3, 1), chain);
    joint_exclusive_scan(work_group, data, last, data, 100, plus);
    out[6] = joint_reduce(sub_group, data, last, bit_xor);
}
"""


def chained(pairs, first):
    """What comes before each of them, and the end."""
    out = [np.array(first, np.uint32)]
    with np.errstate(over="ignore"):
        for a, b in pairs:
            x, y = out[-1]
            out.append(np.array([x * a, x * b + y], np.uint32))
    return np.array(out)


@pytest.mark.spec("D407", "D408", "D410", "D411", "D412", "D413", "D414", "D415", "D416", "D418")
def test_ranges_of_memory(queue):
    program = sycl.Program(TEXT)
    for items, n in ((32, 0), (32, 1), (32, 31), (32, 32), (32, 33), (32, 100), (32, 1000), (7, 50)):
        random = np.random.default_rng(n)
        data = random.integers(-1000, 1000, n).astype(np.int32) if n != 31 else np.full(n, 2, np.int32)
        pairs = random.integers(0, 2**32, (n, 2), dtype=np.uint32)
        original, total = data.copy(), chained(pairs, (3, 1))
        out, scans = np.zeros(9, np.int64), np.zeros(3 * n + 1, np.int32)
        room, pair_room = np.append(data, np.int32(-1)), np.append(pairs.ravel(), np.uint32([8, 9]))
        queue.parallel_for(sycl.NdRange(items, items), program.run, room, n, out, scans, pair_room)
        even = original % 2 == 0
        sums = original.cumsum(dtype=np.int32)
        before = np.concatenate([[0], sums]).astype(np.int32)
        in_place = before[:-1] + np.int32(100)
        assert out.tolist() == [
            sums[-1] if n else 0,
            original.sum(dtype=np.int64) + 5000000000,
            original.max(initial=-(2**31)),
            even.any() + 2 * even.all() + 4 * (not even.any()),
            total[-1][1],
            n,
            np.bitwise_xor.reduce(in_place) if n else 0,
            3 * n,
            (int(pairs[:, 1].sum(dtype=np.uint64)) + 2) % 2**32,
        ], (items, n)
        assert np.array_equal(scans[:n], sums)
        assert np.array_equal(scans[n : 2 * n], np.maximum.accumulate(np.maximum(original, 7)) if n else [])
        assert np.array_equal(scans[2 * n : 3 * n], before[:-1]) and scans[3 * n] == 0
        assert np.array_equal(pair_room[:-2].reshape(n, 2), total[:-1]) and pair_room[-2:].tolist() == [8, 9]
        assert np.array_equal(room[:n], in_place) and room[n] == -1
