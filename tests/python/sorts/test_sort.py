"""sort and argsort against NumPy's stable ones: types, sizes, patterns, axes, steps, forms, kinds of memory."""

import numpy as np
import pytest
from sort_cases import PATTERNS, SIZES, TYPES, elements, needs, same
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms.plan import plan_of
from pysycl._sorts.sort_rows import ROWS, force_sort_row

DEVICE = ["device", "digits", "buckets", "merges"]
HOST = [None, *(row.name for row in ROWS)]


@pytest.fixture(params=DEVICE)
def row(request):
    force_sort_row(request.param)
    yield request.param
    force_sort_row(None)


@pytest.fixture(params=sweep(HOST, [name for name in HOST if name != "tiles"]))
def host_row(request):
    force_sort_row(request.param)
    yield request.param
    force_sort_row(None)


def both(x, axis=-1, **where):
    same(sycl.sort(x, axis, **where), np.sort(x, axis, kind="stable"))
    same(sycl.argsort(x, axis, **where), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["NumPy", "calling thread", None])
def test_few_elements_on_the_calling_thread(name, dtype):
    """No queue is named, and the rows of the calling thread do what those of a device do."""
    rng = np.random.default_rng(14)
    force_sort_row(name)
    try:
        for size in [0, *SIZES, 47, 48, 49]:
            for pattern in PATTERNS:
                x = elements(rng, dtype, (size,), pattern)
                if name != "calling thread" or x.dtype.kind != "c":
                    both(x)
        x = elements(rng, dtype, (7, 130, 3), "few")
        for axis in (0, 1, 2, -3, None) if name != "calling thread" or x.dtype.kind != "c" else ():
            both(x, axis)
            both(x[::2, ::-1], axis)
    finally:
        force_sort_row(None)


@pytest.mark.parametrize("dtype", sweep([each for each in TYPES if each[0] != "c"], ["?", "f4"]))
def test_few_elements_descend_as_a_device_has_them(queue, dtype):
    for size in (1, 30, 700):
        x = elements(np.random.default_rng(15), dtype, (2, size), "few")
        near = sycl.argsort(x, descending=True), sycl.sort(x, descending=True)
        force_sort_row("device")
        try:
            same(near[0], sycl.argsort(x, descending=True, queue=queue))
            same(near[1], sycl.sort(x, descending=True, queue=queue))
        finally:
            force_sort_row(None)


def test_few_elements_in_place(host_row):
    x = elements(np.random.default_rng(16), "f4", (30, 40), "random")
    for axis in (0, 1):
        y = x.copy()
        assert sycl.sort(y, axis, out=y) is y
        same(y, np.sort(x, axis))
    out = np.empty(x.shape, "i8")
    assert sycl.argsort(x, out=out) is out
    same(out, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", sweep(TYPES, ["i1", "c8"]))
def test_types_sizes_and_patterns(queue, row, dtype):
    if needs(dtype) and not queue.device.has(needs(dtype)):
        pytest.skip("the device has no fp64")
    rng = np.random.default_rng(7)
    for size in SIZES:
        for pattern in PATTERNS if size in (17, 513, 4097) else PATTERNS[:2]:
            both(elements(rng, dtype, (size,), pattern), queue=queue)


@pytest.mark.parametrize("dtype", sweep(["i2", "f4"], ["f4"]))
def test_axes_and_steps(queue, row, dtype):
    rng = np.random.default_rng(8)
    x = elements(rng, dtype, (5, 7, 600), "few")
    for axis in (0, 1, 2, -2, None):
        both(x, axis, queue=queue)
    both(x[::2, ::-1, 3::5], queue=queue)
    both(x[:, :, ::-1], 2, queue=queue)
    both(np.broadcast_to(x[0, 0], (3, 600)), 0, queue=queue)
    both(x.transpose(2, 0, 1), 0, queue=queue)
    both(elements(rng, dtype, (2, 3, 2, 5, 40), "random"), 3, queue=queue)


def test_nothing_and_one(queue, row):
    for shape, axis in (((0,), 0), ((3, 0), 1), ((3, 0), 0), ((1,), 0), ((4, 1), 1)):
        both(np.zeros(shape, "f4"), axis, queue=queue)
    same(sycl.sort(np.float32(3), None, queue=queue), np.sort(np.float32(3), None))


@pytest.mark.parametrize("dtype", sweep(["i4", "u1", "f4"], ["i4", "f4"]))
def test_descending_is_stable_and_has_nan_last(queue, row, dtype):
    rng = np.random.default_rng(9)
    for size in (1, 2, 700, 5000):
        x = elements(rng, dtype, (size,), "few")
        numbers = x[x == x]
        order = np.argsort(-numbers.astype("f8"), kind="stable")
        at = np.flatnonzero(x == x)[order]
        same(sycl.argsort(x, descending=True, queue=queue), np.concatenate([at, np.flatnonzero(x != x)]))
        same(sycl.sort(x, descending=True, queue=queue), np.concatenate([numbers[order], x[x != x]]))


def test_every_half_is_where_it_belongs(queue, row):
    """All bits that there are: none is lost, not the sign of 0 and not what a NaN says."""
    bits = np.random.default_rng(10).permutation(2**16).astype("u2")
    few = elements(np.random.default_rng(1), "f2", (4097,), "few")
    for where in ({}, {"queue": queue}):
        same(np.sort(sycl.sort(few, **where).view("u2")), np.sort(few.view("u2")))
    found = sycl.sort(bits.view("f2"), queue=queue)
    same(found, np.sort(bits.view("f2")))
    same(np.sort(found.view("u2")), np.arange(2**16, dtype="u2"))


def test_in_place_and_out(queue, row):
    for dtype in ("u1", "f4", "c8"):
        x = elements(np.random.default_rng(11), dtype, (4, 900), "random")
        for axis in (0, 1):
            y = x.copy()
            assert sycl.sort(y, axis, out=y, queue=queue) is y
            same(y, np.sort(x, axis))
    x = elements(np.random.default_rng(11), "i4", (900,), "few")
    out, wide = np.empty(900, "i4"), np.empty(900, "i8")
    assert sycl.sort(x, out=out, queue=queue) is out
    assert sycl.sort(x, out=wide, queue=queue) is wide
    same(out, np.sort(x))
    same(wide, np.sort(x).astype("i8"))
    sycl.argsort(x, out=wide, queue=queue)
    same(wide, np.argsort(x, kind="stable"))


def test_buffers_and_unified_shared_memory(queue, row):
    x = elements(np.random.default_rng(12), "f4", (3, 700), "few")
    for axis in (0, 1, None):
        found = sycl.sort(sycl.Buffer(x), axis, queue=queue), sycl.argsort(sycl.Buffer(x), axis, queue=queue)
        assert all(isinstance(each, sycl.Buffer) for each in found)
        same(found[0], np.sort(x, axis))
        same(found[1], np.argsort(x, axis, kind="stable"))
    if not queue.device.has("usm_shared_allocations"):
        return
    memory = sycl.malloc_shared(x.shape, x.dtype, queue)
    queue.memcpy(memory, x, x.nbytes).wait()
    found = sycl.sort(memory, 0, queue=queue), sycl.argsort(memory[:, ::-1], 1, queue=queue)
    queue.wait()
    assert all(isinstance(each, sycl.UsmArray) for each in found)
    same(found[0], np.sort(x, 0))
    same(found[1], np.argsort(x[:, ::-1], 1, kind="stable"))
    part = sycl.sort(memory[1], out=memory[1], queue=queue)
    queue.wait()
    same(part, np.sort(x[1]))


def test_errors_say_what_was_given(queue):
    x = np.arange(5, dtype="i4")
    for call, words in (
        (lambda: sycl.sort(x, 1), "axis: 1 is out of bounds for an array of 1 dimensions"),
        (lambda: sycl.sort(x, (0,)), "axis: expected None or an int"),
        (lambda: sycl.sort(np.float32(1)), "axis: an array of no dimension has none"),
        (lambda: sycl.sort(x, out=np.empty(4, "i4")), r"out: expected the shape \(5,\), got \(4,\)"),
        (lambda: sycl.sort(x, out=np.empty(5, "u1")), "out: "),
        (lambda: sycl.argsort(sycl.Buffer(x), out=sycl.Buffer((5,), "i4")), "out: expected elements of int64"),
        (lambda: sycl.sort(np.array(["a"])), "x: expected bool, integers"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()


@pytest.mark.parametrize("dtype", sweep(["u4", "i8", "f8"], ["i8", "f8"]))
def test_what_is_unkind_to_buckets(queue, dtype):
    """Nearly all in one of them, in two of its digits' ends, or in order but for few."""
    force_sort_row("buckets")
    rng = np.random.default_rng(17)
    try:
        n = 30_000
        apart = rng.integers(0, 1000, n).astype(dtype)
        apart[7] = 2**30
        high = (rng.integers(0, 2, n) * 2**29 + rng.integers(0, 2, n)).astype(dtype)
        nearly = np.arange(n).astype(dtype)
        nearly[100], nearly[n // 2] = nearly[n // 2], nearly[100]
        steep = (2.0 ** rng.integers(-30, 30, n)).astype(dtype)
        for x in (apart, high, nearly, nearly[::-1].copy(), steep):
            both(x, queue=queue)
    finally:
        force_sort_row(None)


@pytest.mark.parametrize("dtype", ["u4", "f4", "i8"])
@pytest.mark.parametrize("name", ["digits", "buckets"])
def test_words_alone_are_put_by_lines_of_the_cache(queue, monkeypatch, name, dtype):
    """Lines that begin anywhere, digits with less than a line of memory, and with many."""
    monkeypatch.setattr("pysycl._sorts.sort_passes._LEAST_LINES", 0)
    force_sort_row(name)
    rng = np.random.default_rng(18)
    try:
        for shape in ((1,), (17,), (4099,), (30_011,), (3, 5003)):
            for pattern in PATTERNS:
                x = elements(rng, dtype, shape, pattern)
                same(sycl.sort(x, queue=queue), np.sort(x, kind="stable"))
    finally:
        force_sort_row(None)


@pytest.mark.parametrize("dtype", ["u4", "i8"])
def test_buckets_of_most_elements(queue, dtype):
    """No thread has room for one of these."""
    rng = np.random.default_rng(14)
    force_sort_row("buckets")
    try:
        for size, most in ((40_000, 40_000), (70_001, 2**30), (40_000, 3), (40_000, 2**27)):
            x = rng.permutation(size) * (most // size) if most > size else rng.permutation(size) % most
            x = x.astype(dtype)
            x[size // 3] = 2**31 if dtype == "u4" else 2**62
            same(sycl.sort(x, queue=queue), np.sort(x))
            same(sycl.argsort(x, queue=queue), np.argsort(x, kind="stable"))
    finally:
        force_sort_row(None)


def test_a_plan_says_the_form_and_the_memory(queue, on_a_device):
    plan = sycl.make_sort("u4", queue=queue).plan(100_000)
    assert plan.temporary_bytes >= 2 * 4 * 100_000
    if queue.device.is_gpu:
        assert "row       tiles" in plan.explain()
        return
    assert "row       digits" in plan.explain()
    assert "row       merges" in sycl.make_sort("u4", queue=queue).plan((1000, 100)).explain()
    alone = sycl.make_sort("u4", queue=queue).plan(1 << 20)
    few_threads = queue.device.is_cpu and queue.device.max_compute_units <= 8
    assert f"row       {'buckets' if few_threads else 'digits'}" in alone.explain()
    assert "row       digits" in sycl.make_sort("u2", queue=queue).plan(1 << 20).explain()
    assert "digits" in sycl.make_sort("u4", positions=True).plan(100_000).explain()
    wide = sycl.make_sort("i8", positions=True, queue=queue).plan(300_000).explain()
    assert f"row       {'buckets' if few_threads else 'digits'}" in wide
    by = sycl.make_sort("u4", by="a > b", positions=True, queue=queue)
    assert "merges" in by.plan(10_000).explain()
    x = np.random.default_rng(13).integers(0, 9, 3000).astype("u4")
    same(by(x), np.argsort(-x.astype("i8"), kind="stable"))
    with pytest.raises(sycl.InvalidParameterError, match="expected elements of uint32, got int64"):
        by(np.arange(3))


def test_arrays_are_sorted_where_no_queue_is_named_or_a_cpus(queue):
    """Where it has begun nothing."""
    for q in [None, queue] if queue.device.is_cpu else [None]:
        assert "row       NumPy" in sycl.make_sort("u4", queue=q).plan(100).explain()
        assert "row       NumPy" in sycl.make_sort("u4", queue=q).plan(2_000_000).explain()
        assert "row       calling thread" in sycl.make_sort("u4", positions=True, queue=q).plan(100).explain()
    if not queue.device.is_cpu:
        assert "row       NumPy" not in sycl.make_sort("u4", queue=queue).plan(100).explain()


def test_a_plan_sorts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of 2^31 elements took a minute."""
    with monkeypatch.context() as without:
        without.setattr(np, "sort", None)
        without.setattr(np, "argsort", None)
        assert "row       NumPy" in sycl.make_sort("u1").plan(1 << 30).explain()
        assert "row       NumPy" in sycl.make_sort("c8", positions=True).plan((3, 1)).explain()


def test_a_plans_elements_are_not_what_was_in_memory() -> None:
    seen = []
    np.full(20, np.nan)  # whose memory comes next
    plan_of(lambda x: seen.append(x.copy()), 20, np.dtype("f8"))
    assert seen[0].tolist() == [0.0] * 20


def test_few_elements_of_a_recording_are_sorted_when_it_is_replayed(queue):
    x, out = np.array([3, 1, 2], "i4"), np.zeros(3, "i4")
    with queue.record() as recording:
        sycl.sort(x, out=out, queue=queue)
    x[:] = [9, 7, 8]
    recording.replay().wait()
    same(out, np.array([7, 8, 9], "i4"))


def test_few_elements_that_a_command_makes_are_sorted_behind_it(queue):
    x = np.zeros(1000, "i4")
    made = queue.parallel_for(1000, "int k = 0; while (k < 200000) k++; x[i] = k - i;", x=x, wait=False)
    same(sycl.sort(x, queue=queue), np.arange(199_001, 200_001, dtype="i4"))
    made.wait()
