"""Ranges on their way to the device: order of dimensions, offsets, what is refused and in which words."""

import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

PROGRAM = sycl.Program("""
__kernel void mark(__global uint *out)
{
    size_t row = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[row] += 1 + get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
}
__kernel void count(__global uint *out) { atomic_inc(out); }
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void wants(__global uint *out)
{
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 10 * get_local_size(0) + get_local_size(1);
}
__kernel void ids(__global ulong *out) { out[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }
__kernel void groups(__global uint *out) { out[get_global_id(0)] = (uint)get_local_size(0); }
__kernel void scratch(__global uint *out, __local uint *mine)
{
    mine[get_local_id(0)] = (uint)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine[get_local_size(0) - 1 - get_local_id(0)];
}
""")


def refusal(queue, where, kernel="mark", args=None, error=sycl.NdRangeError, **options):
    """The message with which the launch is refused; and nothing was launched."""
    out = np.zeros(64, np.uint32)
    with pytest.raises(error) as caught:
        queue.parallel_for(where, getattr(PROGRAM, kernel), out, *(args or ()), **options)
    queue.wait_and_throw()
    assert not out.any()
    return str(caught.value)


@pytest.mark.parametrize("sizes", [(7,), (3, 5), (2, 3, 4)])
def test_the_last_dimension_is_the_fastest(queue, sizes):
    out = np.zeros(sizes, np.uint32)
    queue.parallel_for(sizes, PROGRAM.mark, out)
    grid = np.meshgrid(*map(np.arange, sizes), indexing="ij")[::-1]
    assert (out == 1 + sum(axis * 1000**d for d, axis in enumerate(grid))).all()


@pytest.mark.parametrize("count", [1, 2, 31, 64, 65, 255, 256, 257, 1009, 4096, 65537, 99991, 1 << 20])
def test_every_item_runs_once(queue, count):
    out = np.zeros(1, np.uint32)
    queue.parallel_for(count, PROGRAM.count, out)
    assert out[0] == count


@pytest.mark.parametrize("sizes", [(0,), (0, 5), (5, 0), (3, 0, 2), (1 << 40, 0)])
def test_an_empty_range_runs_nothing_and_completes(queue, sizes):
    out = np.zeros(4, np.uint32)
    event = queue.parallel_for(sizes, PROGRAM.count, out)
    event.wait_and_throw()
    assert event.status is sycl.EventCommandStatus.complete
    assert not out.any()


def test_an_empty_nd_range_runs_nothing(queue):
    out = np.zeros(4, np.uint32)
    queue.parallel_for(sycl.NdRange(0, 8), PROGRAM.count, out)
    queue.parallel_for(sycl.NdRange((0, 4), (1, 4)), PROGRAM.count, out)
    assert not out.any()


def test_ranges_of_the_wrong_kind_are_refused_by_name(queue):
    assert refusal(queue, "abc") == "range: expected whole numbers, got 'abc'"
    assert refusal(queue, None) == "range: expected whole numbers, got None"
    assert refusal(queue, 1.5) == "range: expected whole numbers, got 1.5"
    assert refusal(queue, (4, 2.0)) == "range: expected whole numbers, got 2.0"
    assert refusal(queue, -1) == "range: -1 is negative; sizes start at 0"
    assert refusal(queue, (3, -4)) == "range: -4 is negative; sizes start at 0"
    assert refusal(queue, 1 << 64) == "range: 18446744073709551616 is too large or too small"
    assert refusal(queue, (1, 2, 3, 4)) == "range: expected 1 to 3 dimensions, got 4 in (1, 2, 3, 4)"
    assert refusal(queue, ()) == "range: expected 1 to 3 dimensions, got 0 in ()"


def test_offsets_are_checked(queue):
    assert refusal(queue, (4, 4), offset=3).startswith("the offset")
    assert refusal(queue, 4, offset=-3) == "offset: -3 is negative; sizes start at 0"
    assert refusal(queue, sycl.NdRange(4, 4), offset=3) == "offset: an NdRange has its own; got 3 beside it"
    assert refusal(queue, 4, offset=1 << 63) == "offset: 9223372036854775808 is too large or too small"


def test_huge_groups_do_not_wrap_round(queue):
    far = 1 << 62
    assert f"the local size {far} in dimension 0 is more than" in refusal(queue, sycl.NdRange(far, far))
    refusal(queue, sycl.NdRange((1 << 32, 1 << 32), (1 << 32, 1 << 32)))


def test_far_offsets_reach_the_kernel(queue):
    out = np.zeros(3, np.uint64)
    if queue.device._facts["offset_bits"] < 64:
        with pytest.raises(
            sycl.FeatureNotSupportedError, match=r"offset 1099511627776 of kernel 'ids': device '.*' gives"
        ):
            queue.parallel_for(3, PROGRAM.ids, out, offset=1 << 40)
        return
    queue.parallel_for(3, PROGRAM.ids, out, offset=1 << 40)
    assert out.tolist() == [(1 << 40) + i for i in range(3)]


def test_local_sizes_are_checked_against_the_device(queue):
    most = queue.device.max_work_group_size
    first = queue.device.max_work_item_sizes
    assert refusal(queue, sycl.NdRange((4, 6), (2, 0))) == (
        "nd-range of kernel 'mark': global (4, 6), local (2, 0): "
        "the local size in dimension 1 is 0; it must be at least 1"
    )
    assert refusal(queue, sycl.NdRange((4, 6, 10), (3, 2, 5))) == (
        "nd-range of kernel 'mark': global (4, 6, 10), local (3, 2, 5): "
        "the global size 4 in dimension 0 is not a multiple of the local size 3"
    )
    large = refusal(queue, sycl.NdRange(most * 2, most * 2))
    assert f"{most * 2}" in large
    assert f"{most}" in large
    assert len(first) == 3
    wide = refusal(queue, sycl.NdRange((most, 2), (most, 2)))
    assert f"a work-group of {2 * most} items is more than the" in wide or "is more than the device's" in wide


def test_the_largest_group_that_is_granted_runs(queue):
    most = PROGRAM.groups.work_group_info(queue.context).work_group_size
    out = np.zeros(most, np.uint32)
    queue.parallel_for(sycl.NdRange(most, most), PROGRAM.groups, out)
    assert (out == most).all()


def test_a_required_group_size_is_kept_and_demanded(queue):
    out = np.zeros((4, 8), np.uint32)
    assert PROGRAM.wants.work_group_info(queue.context).compile_work_group_size == (1, 2, 4)
    queue.parallel_for(sycl.NdRange((4, 8), (2, 4)), PROGRAM.wants, out)
    assert (out == 42).all()
    out[:] = 0
    queue.parallel_for((4, 8), PROGRAM.wants, out)
    assert (out == 42).all()
    assert refusal(queue, sycl.NdRange((4, 8), (4, 2)), "wants") == (
        "nd-range of kernel 'wants': global (4, 8), local (4, 2): the kernel requires a local size of 4 in dimension 1"
    )
    message = refusal(queue, (4, 9), "wants")
    assert "the global size 9 in dimension 1 is not a multiple of the local size 4" in message


@pytest.mark.parametrize("groups", [1, 3, 17])
@pytest.mark.parametrize("size", [1, 2, 63, 64])
def test_local_memory_is_shared_by_the_group(queue, groups, size):
    out = np.zeros(groups * size, np.uint32)
    where = sycl.NdRange(groups * size, size)
    queue.parallel_for(where, PROGRAM.scratch, out, sycl.local(size, np.uint32))
    assert (out.reshape(groups, size) == np.arange(groups * size).reshape(groups, size)[:, ::-1]).all()


def test_too_much_local_memory_is_refused(queue):
    most = queue.device.local_mem_size
    message = refusal(queue, sycl.NdRange(4, 4), "scratch", [sycl.local(most + 1, np.uint8)])
    used = re.search(f"([0-9]+) bytes of local memory are more than the device's {most}", message)
    assert used is not None and int(used[1]) > most, message  # some drivers take a few bytes for themselves
    assert "10995116277" in refusal(queue, sycl.NdRange(4, 4), "scratch", [sycl.local(1 << 40, np.uint8)])


def test_local_memory_counts_in_plain_ranges_too(queue):
    most = queue.device.local_mem_size
    message = refusal(queue, 4, "scratch", [sycl.local(most + 1, np.uint8)])
    assert "of local memory are more than the device's" in message


def test_local_shapes_are_checked():
    assert sycl.local((3, 5), np.float64).byte_size == 120
    assert sycl.local(7, "u2").byte_size == 14
    assert repr(sycl.local(4, np.int32)) == "<pysycl.LocalAccessor of 16 bytes>"
    for shape, why in ((0, "no elements; local"), ((3, 0), "no elements"), (-1, "negative"), ("uchar", "got 'uchar'")):
        with pytest.raises(sycl.InvalidParameterError, match=f"shape: .*{why}"):
            sycl.local(shape, np.int32)
    with pytest.raises(sycl.InvalidParameterError, match="takes 1180591620717411303424 bytes, more than any device"):
        sycl.local(1 << 70, np.uint8)
    with pytest.raises(sycl.InvalidParameterError, match="holds Python objects, which a device cannot"):
        sycl.local(4, object)


def test_limits_are_told_by_the_kernel(queue):
    info = PROGRAM.scratch.work_group_info(queue.context)
    assert 1 <= info.work_group_size <= queue.device.max_work_group_size
    assert info.preferred_work_group_size_multiple >= 1
    assert info.compile_work_group_size is None
    assert PROGRAM.scratch.work_group_info(queue.device).work_group_size == info.work_group_size


IDS = ["i", "i0", "i1", "n0", "n1", "global_id(0)", "global_id(1)", "global_range(0)", "global_linear_id"]
GROUP_IDS = ["local_id(1)", "group_id(0)", "local_range(1)", "group_range(0)", "local_linear_id", "group_linear_id"]


@pytest.mark.parametrize("shape", ["item", "loop", None])
def test_ids_and_ranges_have_a_sign(queue, shape):
    """One that had none would be large where more is taken away from it than it is, and larger than -1 never."""
    for where, words in (((4, 8), IDS), (sycl.NdRange((4, 8), (2, 4)), IDS + GROUP_IDS)):
        tests = [f"{word} - 50 < 0 && -1 < {word} && sizeof({word}) == 8" for word in words]
        text = " ".join(f"x({n}, i) = {test};" for n, test in enumerate(tests))
        x = np.zeros((len(words), 32), np.int32)
        try:
            _core.force_shape(shape)
            queue.parallel_for(where, text, x=x)
        finally:
            _core.force_shape(None)
        assert [word for word, row in zip(words, x, strict=True) if not row.all()] == []
