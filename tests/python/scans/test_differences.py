"""Differences of high orders, which several passes make, and those between elements that are set before and behind."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms import differences

LARGE = 1 << 20


@pytest.mark.parametrize(("times", "arrays"), sweep([(64, 1), (65, 2), (129, 3), (300, 3)], [(65, 2), (300, 3)]))
def test_differences_in_several_passes(queue, usm, monkeypatch, times, arrays):
    """As GPUs make them: the memory is the result's, that between two passes, and no more."""
    monkeypatch.setattr(differences, "_KEPT_ON_STACK", differences._KEPT)
    x = np.random.default_rng(times).integers(-9, 9, LARGE).astype("i4")
    memory = usm(x)
    allocator = sycl.UsmAllocator(memory.kind, queue)
    queue.wait()
    for enough in (True, False):
        sycl.trim_memory(queue)
        room = arrays * LARGE * 4 + LARGE * 4 // 100 if enough else (arrays - 1) * LARGE * 4 + LARGE * 3
        allocator.limit = allocator.statistics["live_bytes"] + room
        try:
            if enough:
                found = sycl.diff(memory, times, queue=queue)
                queue.wait()
                np.testing.assert_array_equal(np.asarray(found), np.diff(x, times))
                del found
            else:
                with pytest.raises(sycl.MemoryAllocationError):
                    sycl.diff(memory, times, queue=queue)
            queue.wait()
        finally:
            allocator.limit = 0


@pytest.mark.parametrize("times", sweep([65, 200, 300], [200]))
def test_rows_in_several_passes(queue, usm, monkeypatch, times):
    """Between the passes rows are shorter than the memory's; all kinds of memory, backwards, between other elements."""
    monkeypatch.setattr(differences, "_KEPT_ON_STACK", differences._KEPT)
    rng = np.random.default_rng(times)
    for shape, axis in (((2, 700, 3), 1), ((3, times), 1), ((3, 901), -1)):
        x = rng.integers(-9, 9, shape).astype("u2")
        want = np.diff(x, times, axis)
        for memory in (x, usm(x), sycl.Buffer(x, copy=True)):
            found = sycl.diff(memory, times, axis, queue=queue)
            queue.wait()
            assert found.shape == want.shape
            np.testing.assert_array_equal(np.asarray(found), want)
    ends = {"prepend": np.flip(x, axis), "append": np.uint16(7)}
    np.testing.assert_array_equal(sycl.diff(x, times, axis, queue=queue, **ends), np.diff(x, times, axis, **ends))


@pytest.mark.parametrize(
    ("dtype", "times"), sweep([("i4", 1), ("?", 2), ("f8", 17), ("i2", 70)], [("?", 2), ("f8", 17), ("i2", 70)])
)
def test_differences_between_others(queue, dtype, times):
    """In front, behind, both, and none; more of them and fewer than the order; of another type, and of few elements."""
    rng = np.random.default_rng(3)
    for shape, axis in (((2000,), 0), ((7, 90), 1), ((90, 7), 0), ((3, 75, 2), -2), ((5,), 0)):
        x = rng.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        some, many = (
            np.resize(x, [size if d == axis % x.ndim else n for d, n in enumerate(shape)]) for size in (3, 80)
        )
        for more in (
            {"prepend": some}, {"append": many}, {"prepend": many, "append": some}, {"append": x.dtype.type(1)}, {"prepend": 0.5},
        ):  # fmt: skip
            want = np.diff(x, times, axis, **more)
            found = sycl.diff(x, times, axis, queue=queue, **more)
            assert found.dtype == want.dtype and found.shape == want.shape
            (np.testing.assert_allclose if want.dtype.kind == "f" else np.testing.assert_array_equal)(found, want)
