"""Arrays as kernel arguments: which layouts are used in place, which cost a copy, and the same memory given twice."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms.operand import operand

SOURCE = """
__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }
__kernel void number(__global float *x) { x[get_global_id(0)] = get_global_id(0); }
__kernel void add(__global float *out, __global const float *a, __global const float *b)
{
    out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
__kernel void shift(__global float *out, __global const float *in) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }
__kernel void share(__global float *a, __global float *b) { a[get_global_id(0)] += 1; b[get_global_id(0)] += 1; }
__kernel void idle(__global float *x, uint n) { if (get_global_id(0) < n) x[get_global_id(0)] += 1; }
__kernel void copy_float(__global float *out, __global const float *in) { out[get_global_id(0)] = in[get_global_id(0)]; }
__kernel void copy_float4(__global float4 *out, __global const float4 *in) { out[get_global_id(0)] = in[get_global_id(0)]; }
"""
PROGRAM = sycl.Program(SOURCE)


def staged(before):
    now = sycl.statistics()
    return now["staged_arrays"] - before["staged_arrays"], now["staged_bytes"] - before["staged_bytes"]


# -- layouts --


def test_packed_arrays_are_used_in_place(queue):
    before = sycl.statistics()
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    queue.parallel_for(12, PROGRAM.twice, x)
    queue.parallel_for(4, PROGRAM.twice, x[1]).wait_and_throw()
    queue.parallel_for(8, PROGRAM.twice, x[1:]).wait_and_throw()
    assert staged(before) == (0, 0)
    assert x.tolist() == [[0, 2, 4, 6], [32, 40, 48, 56], [32, 36, 40, 44]]


LAYOUTS = {
    "every second": lambda n: np.zeros(2 * n, np.float32)[::2],
    "backwards": lambda n: np.zeros(n, np.float32)[::-1],
    "columns": lambda n: np.zeros((n, 3), np.float32)[:, 1],
    "fortran": lambda n: np.zeros((2, n), np.float32, order="F"),
    "transposed": lambda n: np.zeros((n, 3), np.float32).T,
    "corner": lambda n: np.zeros((n + 2, 5), np.float32)[1:-1, 1:4],
    "both backwards": lambda n: np.zeros((n, 4), np.float32)[::-1, ::-2],
    "three dimensions": lambda n: np.zeros((4, n, 6), np.float32)[::2, :, 5:0:-2],
    "field": lambda n: np.zeros(n, [("a", "i1"), ("x", "f4")])["x"],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [2, 5, 67])
def test_other_layouts_are_copied_and_written_back(queue, layout, count):
    x = LAYOUTS[layout](count)
    before = sycl.statistics()
    queue.parallel_for(x.size, PROGRAM.number, x).wait_and_throw()
    assert staged(before) == (1, 2 * x.nbytes)
    assert (x == np.arange(x.size, dtype=np.float32).reshape(x.shape)).all()
    if x.base is not None:  # and nothing beside it was written
        assert np.count_nonzero(x.base["x"] if x.base.dtype.names else x.base) == x.size - 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_of_other_layouts_are_copied_once(queue, layout):
    x = LAYOUTS[layout](33)
    x[...] = np.arange(x.size, dtype=np.float32).reshape(x.shape)
    out, before = np.zeros(x.size, np.float32), sycl.statistics()
    queue.parallel_for(x.size, PROGRAM.copy_float, out, x).wait_and_throw()
    assert staged(before) == (1, x.nbytes)
    assert (out == np.arange(x.size)).all()


def test_broadcast_arrays_are_read(queue):
    x = np.broadcast_to(np.array([1, 2, 3], np.float32), (4, 3))
    out = np.zeros((4, 3), np.float32)
    queue.parallel_for(12, PROGRAM.copy_float, out, x)
    assert (out == x).all()
    with pytest.raises(sycl.KernelArgumentError, match="is a read-only array"):
        queue.parallel_for(1, PROGRAM.twice, x)


def test_a_command_after_a_copied_one_sees_its_result(queue):
    x = np.zeros(64, np.float32)
    for _ in range(5):
        queue.parallel_for(32, PROGRAM.idle, x[::2], 32)
        queue.parallel_for(64, PROGRAM.idle, x, 64)
    queue.wait_and_throw()
    assert (x[::2] == 10).all()
    assert (x[1::2] == 5).all()


def test_misaligned_vectors_are_copied(queue):
    raw = np.zeros(96, np.uint8)
    start = -raw.ctypes.data % 16 + 4
    source = raw[start : start + 64].view(np.float32)
    source[:] = np.arange(16)
    assert source.ctypes.data % 16 == 4
    out, before = np.zeros(16, np.float32), sycl.statistics()
    queue.parallel_for(4, PROGRAM.copy_float4, out, source).wait_and_throw()
    assert (out == np.arange(16)).all()
    if queue.device._facts["shares_host_memory"]:
        assert staged(before)[0] >= 1


def crooked(x):
    """The same elements, at an odd address."""
    found = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    found[...] = x
    return found


def copies_misaligned(queue):
    facts = queue.device._facts
    return facts["shares_host_memory"] and not facts["reads_anywhere"]


def test_misaligned_elements(queue):
    """They are read where they are, if no device with memory of its own gets them, and written from a copy."""
    x = np.array([1, -2, 3, -4], np.float32)
    source, out, before = crooked(x), crooked(x), sycl.statistics()
    queue.parallel_for(4, PROGRAM.copy_float, np.zeros(4, np.float32), source).wait_and_throw()
    assert staged(before)[0] == copies_misaligned(queue)
    queue.parallel_for(4, PROGRAM.twice, out).wait_and_throw()
    assert staged(before)[0] == copies_misaligned(queue) + queue.device._facts["shares_host_memory"]
    assert out.tolist() == [2, -4, 6, -8]
    queue.parallel_for(4, PROGRAM.share, source, source).wait_and_throw()
    assert source.tolist() == [3, 0, 5, -2]


REDUCED = {
    "sum": lambda x, q: sycl.sum(x, queue=q),
    "sum of a map": lambda x, q: sycl.sum(x, map="x * 3", queue=q),
    "exact sum": lambda x, q: sycl.sum(x, accuracy="exact", queue=q),
    "minmax": lambda x, q: sycl.minmax(x, queue=q),
    "argmin": lambda x, q: sycl.argmin(x, queue=q),
    "columns": lambda x, q: sycl.sum(x.reshape(-1, 8), 0, map="x", queue=q),
    "running maximum": lambda x, q: sycl.inclusive_scan(x, sycl.maximum, queue=q),
    "sorted": lambda x, q: sycl.sort(x, queue=q),
    "order": lambda x, q: sycl.argsort(x, queue=q),
    "counts": lambda x, q: sycl.histogram(x, 7, range=(-5, 100), queue=q)[0],
    "selected": lambda x, q: sycl.select(x, "x > 3", queue=q),
    "searched": lambda x, q: sycl.searchsorted(sycl.sort(x), x[:99], queue=q),
}


@pytest.mark.parametrize(
    ("dtype", "count"),
    sweep(
        [(dtype, count) for dtype in ("i2", "f4", "f8", "c8") for count in (37, 1 << 18)],
        [("i2", 1 << 18), ("f4", 37), ("c8", 37), ("c8", 1 << 18)],
    ),
)
def test_algorithms_over_misaligned_elements(queue, dtype, count):
    """As of others, and nothing is copied to be read, with or without a queue."""
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("no double")
    count = count // 8 * 8
    x = (np.random.default_rng(count).integers(-99, 99, count) + (1j if dtype == "c8" else 0)).astype(dtype)
    odd = crooked(x)
    assert not odd.flags.aligned
    assert np.shares_memory(operand(odd, "x").memory, odd)
    names = ["sum"] if dtype == "c8" else REDUCED if dtype in ("f4", "f8") else set(REDUCED) - {"exact sum"}
    for name in sorted(names):
        for on in (None, queue):
            wanted, before = REDUCED[name](x, on), sycl.statistics()
            found = REDUCED[name](odd, on)
            np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted), err_msg=name)
            if not copies_misaligned(queue):
                assert staged(before) == (0, 0), name


# -- the same memory twice --


def test_the_same_array_twice_is_one_piece_of_memory(queue):
    x = np.arange(8, dtype=np.float32)
    queue.parallel_for(8, PROGRAM.share, x, x)
    assert (x == np.arange(8) + 2).all()
    out = np.zeros(8, np.float32)
    queue.parallel_for(8, PROGRAM.add, out, x, x)
    assert (out == 2 * x).all()


def test_the_same_array_read_and_written(queue):
    x = np.arange(8, dtype=np.float32)
    queue.parallel_for(8, PROGRAM.shift, x, x)
    assert (x == np.arange(8) + 1).all()


def test_overlapping_inputs_are_fine_in_any_layout(queue):
    x, out = np.arange(32, dtype=np.float32), np.zeros(15, np.float32)
    queue.parallel_for(15, PROGRAM.add, out, x[:30:2], x[1:31:2]).wait_and_throw()
    assert (out == x[:30:2] + x[1:31:2]).all()
    queue.parallel_for(15, PROGRAM.add, out, x[:15], x[1:16]).wait_and_throw()
    assert (out == x[:15] + x[1:16]).all()


def test_views_that_interleave_may_both_be_written(queue):
    """No element of one is an element of the other: the parts of complex numbers, two columns, two halves."""
    for shape, parts in (((30,), (np.s_[::2], np.s_[1::2])), ((15, 2), (np.s_[:, 0], np.s_[:, 1]))):
        x = np.zeros(shape, np.float32)
        queue.parallel_for(15, PROGRAM.share, x[parts[0]], x[parts[1]]).wait_and_throw()
        alone, other = np.zeros(15, np.float32), np.zeros(15, np.float32)
        queue.parallel_for(15, PROGRAM.share, alone, other).wait_and_throw()
        assert alone.any() and (x[parts[0]] == alone).all() and (x[parts[1]] == other).all()


@pytest.mark.parametrize("swap", [False, True])
def test_overlapping_copies_are_refused(queue, swap):
    x = np.zeros(32, np.float32)
    for pair in ((x[:30:2], x[2:32:2]), (x[::2], x[:16])):
        with pytest.raises(
            sycl.InvalidParameterError, match="of kernel 'share' overlap in memory and one may be written"
        ):
            queue.parallel_for(15, PROGRAM.share, *(pair[::-1] if swap else pair))
    queue.wait_and_throw()
    assert not x.any()


def test_views_that_repeat_elements_are_read(queue):
    x = as_strided(np.array([1, 2, 3, 4], np.float32), (3, 2), (4, 4), writeable=False)
    out = np.zeros(6, np.float32)
    queue.parallel_for(6, PROGRAM.copy_float, out, x)
    assert out.tolist() == [1, 2, 2, 3, 3, 4]


# -- nothing --


@pytest.mark.parametrize("shape", [0, (0, 3), (3, 0)])
def test_empty_arrays_pass(queue, shape):
    empty = np.zeros(shape, np.float32)
    queue.parallel_for(4, PROGRAM.idle, empty, 0)
    queue.parallel_for(0, PROGRAM.twice, empty)
    queue.parallel_for(0, PROGRAM.copy_float, empty, np.zeros((0, 5), np.float32).T)


def test_zero_dimensional_arrays_pass(queue):
    x = np.array(1.5, np.float32)
    queue.single_task(PROGRAM.twice, x)
    assert x == 3


def test_nothing_stays_alive(queue, live_counts):
    def use_everything():
        for layout in LAYOUTS.values():
            x = layout(5)
            queue.parallel_for(x.size, PROGRAM.number, x)
        queue.parallel_for(4, PROGRAM.idle, np.zeros(0, np.float32), 0)
        queue.parallel_for(0, PROGRAM.idle, np.zeros(0, np.float32), 0)
        queue.wait_and_throw()

    use_everything()
    before = live_counts.quiet()
    use_everything()
    assert live_counts.settled(before) == before
