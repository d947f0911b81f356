"""What is made of scans, of buffers and unified shared memory: the same kind comes out, nothing waits unasked, and passes
keep their order in a queue that has none."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl._algorithms.call import Call, recorded
from pysycl._scans.scan_line import Scan

N = 50_021


@pytest.fixture
def x():
    return np.random.default_rng(5).integers(0, 3, N).astype("i4")


def seen(found):
    return tuple(map(np.asarray, found)) if isinstance(found, tuple) else np.asarray(found)


def test_passes_keep_their_order(queue, usm, x):
    """The queue of the fixture is out of order, and unified shared memory orders nothing by itself."""
    assert not queue.is_in_order
    heads = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    lengths = np.diff(heads, append=N)
    offsets = np.append(heads, N)
    memory, counts = usm(x), usm(x.astype("i8"))
    for _ in range(8):
        values, found = seen(sycl.run_length(memory, queue=queue).trim())
        np.testing.assert_array_equal(found, lengths)
        np.testing.assert_array_equal(values, x[heads])
        sums = sycl.segmented_reduce(memory, ("offsets", offsets), queue=queue)
        twice = sycl.diff(memory, 3, queue=queue)
        copies = sycl.repeat(memory, counts, length=int(x.sum()) + 1, queue=queue)
        queue.wait()
        np.testing.assert_array_equal(seen(sums), np.add.reduceat(x.astype("i8"), heads))
        np.testing.assert_array_equal(seen(twice), np.diff(x, 3))
        np.testing.assert_array_equal(seen(copies), np.append(np.repeat(x, x), 0))


def test_the_same_kind_comes_out(queue, usm, x):
    for memory in (usm(x), sycl.Buffer(x, copy=True)):
        for found in (
            sycl.cumsum(memory, queue=queue),
            sycl.select(memory, "x > 1", queue=queue).values,
            sycl.run_length(memory, queue=queue).lengths,
            sycl.reduce_by_key(memory, memory, queue=queue).values,
            sycl.transform("x + 1", x=memory, queue=queue),
            sycl.diff(memory, queue=queue),
            sycl.generate(5, "l.append(x[i]);", l="i4", x=memory, capacity=9, queue=queue).values,
        ):
            assert type(found) is type(memory)
            if isinstance(found, sycl.UsmArray):
                assert found.kind is memory.kind
        queue.wait()


@pytest.mark.parametrize("word", ["offsets", "flags", "keys"])
def test_segments_of_device_memory(queue, usm, x, word):
    """However they are said, with a result of its own and without one."""
    flags = np.arange(N) % 7 == 0
    segments = {"offsets": np.append(np.flatnonzero(flags), N), "flags": flags, "keys": np.cumsum(flags)}[word]
    want = np.concatenate([np.cumsum(part) for part in np.split(x, np.flatnonzero(flags)[1:])])
    for memory, result in ((usm(x), usm(np.zeros_like(x))), (sycl.Buffer(x, copy=True), sycl.Buffer(np.zeros_like(x)))):
        for more in ({}, {"out": result}):
            found = sycl.inclusive_scan(memory, segments=(word, segments), dtype="i4", queue=queue, **more)
            queue.wait()
            assert type(found) is type(memory) and (not more or found is result)
            np.testing.assert_array_equal(np.asarray(found), want)


def test_counts_and_trimmed_results(queue, usm, x):
    for memory in (usm(x), sycl.Buffer(x, copy=True)):
        selected = sycl.select(memory, "x == 2", queue=queue)
        assert selected.values.shape == (N,) and selected.count.dtype == np.uint32
        np.testing.assert_array_equal(seen(selected.trim()), x[x == 2])
        yes, no = sycl.split_by(memory, "x == 2", queue=queue).trim()
        assert yes.shape[0] + no.shape[0] == N
        lists = sycl.generate(
            N, "for (int j = 0; j < x[i]; j++) l.append(j);", l="i4", x=memory, capacity=N, queue=queue
        )
        total = int(x.sum())
        queue.wait()
        assert seen(lists.offsets)[-1] == total and lists.values.shape == (N,)
        kept = lists.trim()  # lists that did not fit are left out: what is there is right
        fits = seen(lists.offsets)[1:] <= N
        want = np.concatenate([np.arange(count) for count in x[fits]])
        np.testing.assert_array_equal(seen(kept.values)[: want.size], want)


def test_parts_along_an_axis(queue, usm):
    """Of device memory: parts are taken there, and stand at the axis' beginning."""
    rng = np.random.default_rng(6)
    for kind, axis in (("f2", 0), ([("a", "i4"), ("b", "f4")], 1), ("c8", 2)):
        x = rng.integers(0, 2, (4, 70, 5)).astype(kind)
        count = x.shape[axis]
        mask, often = rng.random(count) < 0.5, rng.integers(0, 4, count)
        total = int(often.sum())
        for make in (usm, lambda array: sycl.Buffer(array, copy=True)):
            memory = make(x)
            parts = sycl.select(memory, make(mask), axis, queue=queue)
            evenly = sycl.repeat(memory, 3, axis, queue=queue)
            host = sycl.repeat(memory, often, axis, queue=queue)
            more = sycl.repeat(memory, make(often), axis, length=total + 2, queue=queue)
            fewer = sycl.repeat(memory, make(often), axis, length=max(total - 2, 0), queue=queue)
            queue.wait()
            assert {type(each) for each in (parts.values, evenly, host, more)} == {type(memory)}
            kept = int(seen(parts.count)[0])
            assert kept == mask.sum() and parts.values.shape == x.shape
            np.testing.assert_array_equal(np.take(seen(parts.values), range(kept), axis), np.compress(mask, x, axis))
            np.testing.assert_array_equal(seen(evenly), np.repeat(x, 3, axis))
            want = np.repeat(x, often, axis)
            np.testing.assert_array_equal(seen(host), want)
            np.testing.assert_array_equal(np.take(seen(more), range(total), axis), want)
            beyond = np.take(seen(more), range(total, total + 2), axis)
            np.testing.assert_array_equal(beyond, np.zeros_like(beyond))
            np.testing.assert_array_equal(seen(fewer), np.take(want, range(max(total - 2, 0)), axis))
            if axis == 0 or isinstance(memory, sycl.UsmArray):
                np.testing.assert_array_equal(seen(parts.trim()), np.compress(mask, x, axis))


def test_selected_into_memory(queue, usm, x):
    for make in (usm, lambda array: sycl.Buffer(array, copy=True)):
        memory, out = make(x), make(np.full(N, -1, "i4"))
        found = sycl.select(memory, "x == 2", out=out, queue=queue)
        assert found.values is out
        table, into = make(x[:60].reshape(6, 10)), make(np.full((6, 10), -1, "i4"))
        parts = sycl.select(table, make(np.arange(6) % 2 == 1), 0, out=into, queue=queue)
        assert parts.values is into
        queue.wait()
        want = x[x == 2]
        np.testing.assert_array_equal(seen(out), np.append(want, np.full(N - want.size, -1)))
        np.testing.assert_array_equal(seen(into), np.append(x[:60].reshape(6, 10)[1::2], np.full((3, 10), -1), 0))


def test_results_where_others_are_read(queue, usm):
    """Of device memory: each at its own place in that of the elements, and no other."""
    x, keys = np.arange(1000, dtype="i4") % 7, (np.arange(1000) // 9).astype("i4")
    whole = usm(np.append(x, np.zeros(5, "i4")))
    b, key, table = sycl.Buffer(x, copy=True), sycl.Buffer(keys, copy=True), usm(x.reshape(20, 50))
    calls = (
        lambda: sycl.select(b, "x > 3", out=b, queue=queue),
        lambda: sycl.select(whole[:1000], "x > 3", out=whole[:1000], queue=queue),
        lambda: sycl.select(whole[:1000], "x > 3", out=whole[5:], queue=queue),
        lambda: sycl.select(table, usm(np.arange(20) % 2 == 0), 0, out=table, queue=queue),
        lambda: sycl.cumsum(whole[:1000], dtype="i4", out=whole[5:], queue=queue),
        lambda: sycl.scan_by_key(key, b, dtype="i4", out=key, queue=queue),
        lambda: sycl.scan_by_key(whole[5:], usm(x), dtype="i4", out=whole[:1000], queue=queue),
    )
    for call in calls:
        with pytest.raises(
            sycl.InvalidParameterError, match="^out: the result would be put into elements that are read"
        ):
            call()
    sycl.cumsum(whole[:1000], dtype="i4", out=whole[:1000], queue=queue)
    sycl.scan_by_key(key, b, dtype="i4", out=b, queue=queue)
    queue.wait()
    np.testing.assert_array_equal(seen(whole), np.append(np.cumsum(x), np.zeros(5, "i4")))
    np.testing.assert_array_equal(seen(b), sycl.scan_by_key(keys, x, dtype="i4", queue=queue))


def test_of_nothing(queue, usm):
    for memory in (usm(np.zeros(0, "i4")), sycl.Buffer((0,), "i4")):
        assert sycl.cumsum(memory, queue=queue).shape == (0,)
        for found in (sycl.select(memory, "x > 0", queue=queue), sycl.run_length(memory, queue=queue)):
            assert int(np.asarray(found.count)[0]) == 0
        assert sycl.flatnonzero(memory, queue=queue).trim().shape == (0,)


@pytest.mark.parametrize("way", ["the device's", "by many"])
def test_counts_that_nobody_looks_at(queue, usm, x, way, monkeypatch):
    """Skewed ones, and such as make no sense: less than 0 is none. Lists of those with many copies are little memory."""
    lists = []

    def memory(call, size, dtype, given=Call.memory):
        lists.append(size * dtype.itemsize)
        return given(call, size, dtype)

    monkeypatch.setattr(Call, "memory", memory)
    if way == "by many":
        monkeypatch.setattr("pysycl._scans.scan_repeat._copies_rows", lambda device: False)
    often = np.where(np.arange(N) % 7 == 3, -5, x)
    often[[9, 500, 501, N - 40, N - 4]] = 70_000, 3000, 301, 65_537, 700
    want = np.repeat(x, np.maximum(often, 0))
    for make in (usm, lambda array: sycl.Buffer(array, copy=True)):
        for length in (want.size + 9, want.size - 1500):
            found = sycl.repeat(make(x), make(often), length=length, queue=queue)
            queue.wait()
            np.testing.assert_array_equal(seen(found), np.append(want, np.zeros(9, "i4"))[:length])
            assert sum(lists) <= found.nbytes // 100 + 64 and bool(lists) == (
                way == "by many" or not queue.device.is_cpu
            )
            lists.clear()
    few = np.minimum(np.maximum(often, 0), 70)
    np.testing.assert_array_equal(sycl.repeat(x, few, queue=queue), np.repeat(x, few))


def test_lists_longer_than_those_who_make_their_copies(queue, usm, monkeypatch):
    """More elements than there are teams, and more copies than work-items: each takes several."""
    monkeypatch.setattr("pysycl._scans.scan_repeat._copies_rows", lambda device: False)
    x, often = np.arange(1, 6001, dtype="i4"), np.full(6000, 301)
    often[[7, 5990]] = 300_000, 131_073
    want = np.repeat(x, often)
    found = sycl.repeat(usm(x), usm(often), length=want.size, queue=queue)
    queue.wait()
    np.testing.assert_array_equal(seen(found), want)
    np.testing.assert_array_equal(sycl.repeat(x, often, queue=queue), want)


def test_what_cannot_be_known_must_be_said(queue, usm, x):
    memory = usm(x)
    with pytest.raises(
        sycl.InvalidParameterError, match="^length: it must be said where the counts are in device memory$"
    ):
        sycl.repeat(memory, memory, queue=queue)
    with pytest.raises(
        sycl.InvalidParameterError, match="^capacity: where arguments are device memory it must be said"
    ):
        sycl.generate(3, "l.append(x[i]);", l="i4", x=memory, queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match="^keys: expected memory of the kind of the values$"):
        sycl.reduce_by_key(x, memory, queue=queue)


def test_an_object_tells_how_it_is_done(queue, x):
    running = sycl.make_scan(sycl.plus, "i4", result_dtype="i4", queue=queue)
    np.testing.assert_array_equal(running(x), np.cumsum(x, dtype="i4"))
    plan = running.plan(1 << 20)
    assert len(plan.passes) == 1 and "row" in plan.explain() and "syc_scan_end" in plan.passes[0].source
    assert 0 <= plan.temporary_bytes <= (1 << 20) * 4 // 100
    with pytest.raises(sycl.InvalidParameterError, match="^x: expected elements of int32, got float32$"):
        running(x.astype("f4"))
    out = np.zeros(N, "i4")
    assert sycl.make_scan(sycl.maximum, "i4", exclusive=True, initial=-1, queue=queue)(x, out=out) is out
    np.testing.assert_array_equal(out, np.maximum.accumulate(np.concatenate([[-1], x]))[:-1])


LARGE = 1 << 20
CALLS = {
    "cumsum": lambda x, **q: sycl.cumsum(x, **q),
    "cumsum of rows": lambda x, **q: sycl.cumsum(x.reshape(1024, -1), axis=1, **q),
    "cumsum of columns": lambda x, **q: sycl.cumsum(x.reshape(1024, -1), axis=0, **q),
    "cumprod": lambda x, **q: sycl.cumprod(x, **q),
    "cummax": lambda x, **q: sycl.cummax(x, **q),
    "compensated": lambda x, **q: sycl.cumsum(x, accuracy="compensated", **q),
    "exclusive_scan": lambda x, **q: sycl.exclusive_scan(x, "a > b ? a : b", initial=0, **q),
    "keys": lambda x, **q: sycl.scan_by_key(np.arange(LARGE) // 9, x, **q),
    "flags": lambda x, **q: sycl.inclusive_scan(x, segments=np.arange(LARGE) % 9 == 0, **q),
    "repeat": lambda x, **q: sycl.repeat(x, np.arange(LARGE) % 3, **q),
    "generate": lambda x, **q: sycl.generate(LARGE, "l.append(x[i]);", capacity=LARGE, l="f4", x=x, **q),
    "select": lambda x, **q: sycl.select(x, "x > 0", **q),
    "flatnonzero": lambda x, **q: sycl.flatnonzero(x, **q),
    "split_by": lambda x, **q: sycl.split_by(x, "x > 0", **q),
    "unique_consecutive": lambda x, **q: sycl.unique_consecutive(x, **q),
    "run_length": lambda x, **q: sycl.run_length(x, **q),
    "reduce_by_key": lambda x, **q: sycl.reduce_by_key(np.arange(LARGE) // 9, x, **q),
    "segmented_reduce": lambda x, **q: sycl.segmented_reduce(x, ("offsets", np.arange(0, LARGE + 1, 8)), **q),
}


@pytest.mark.parametrize("name", CALLS)
def test_temporary_memory_is_a_hundredth(queue, name):
    """Nothing is run: numbers that calls would read from their results are whatever the memory held."""
    x = np.ones(LARGE, "f4")
    with recorded() as passes:
        CALLS[name](x, queue=queue)
    assert 0 < sum(each.temporary_bytes for each in passes) <= x.nbytes // 100


# Which have no plan, and their results exactly. Of skewed counts one element has most copies.
OFTEN = np.arange(LARGE) % 3
SKEWED = np.where(np.arange(1 << 18) == 77_777, 1 << 19, 2)
NARROW = OFTEN.astype("u1")
HALF, RUNS = OFTEN.astype("f2"), np.arange(LARGE, dtype="i4")
RESULTS = {
    "diff": lambda x, **q: sycl.diff(x, **q),
    "diff, 8 times": lambda x, **q: sycl.diff(x, 8, **q),
    "diff, 40 times": lambda x, **q: sycl.diff(x, 40, **q),
    "diff, 200 times": lambda x, **q: sycl.diff(x, 200, **q),
    "diff between others": lambda x, **q: sycl.diff(x, 2, prepend=np.ones(3, "f4"), append=np.float32(7), **q),
    "diff of rows between others": lambda x, **q: sycl.diff(
        x.reshape(1024, -1), axis=0, append=np.ones((2, 1024), "f4"), **q
    ),
    "diff of float16, 3 times": lambda x, **q: sycl.diff(HALF, 3, **q),
    "run_length": lambda x, **q: sycl.run_length(RUNS, **q),
    "repeat": lambda x, **q: sycl.repeat(x, OFTEN, **q),
    "repeat evenly": lambda x, **q: sycl.repeat(x, 3, **q),
    "repeat, skewed": lambda x, **q: sycl.repeat(x[: SKEWED.size], SKEWED, **q),
    "repeat, narrow counts": lambda x, **q: sycl.repeat(x, NARROW, **q),
    "repeat rows": lambda x, **q: sycl.repeat(x.reshape(1024, -1), OFTEN[:1024], 0, **q),
    "generate": lambda x, **q: sycl.generate(LARGE // 4, "if (i % 3) l.append(x[i]);", l="f4", x=x, **q),
    "transform": lambda x, **q: sycl.transform("x * y", x=x.reshape(1024, -1), y=x[:1024], **q),
}


@pytest.mark.parametrize("name", RESULTS)
def test_arrays_of_results_are_all_that_is_made(queue, name):
    """By the allocator of NumPy's arrays."""
    if name == "diff, 200 times" and not queue.device.is_cpu:
        pytest.skip("so many variables of a work-item are no stack's")
    x = np.ones(LARGE, "f4")
    RESULTS[name](x, queue=queue)  # kernels and what is kept of them
    tracemalloc.start()
    try:
        found = RESULTS[name](x, queue=queue)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    results = found if isinstance(found, tuple) else (found,)
    assert most <= sum(each.nbytes for each in results) + x.nbytes // 100


def test_device_memory_of_results_is_all_that_is_made(queue, usm):
    """There is no more than that, and a hundredth."""
    memory, counts = usm(np.ones(LARGE, "f4")), usm(OFTEN)
    total = int(OFTEN.sum())
    calls = (
        (lambda: sycl.diff(memory, 5, queue=queue), LARGE * 4),
        (lambda: sycl.repeat(memory, counts, length=total, queue=queue), total * 4),
        (lambda: sycl.transform("x + 1", x=memory, queue=queue), LARGE * 4),
        (lambda: sycl.generate(LARGE, "l.append(x[i]);", l="f4", x=memory, capacity=LARGE, queue=queue), LARGE * 12),
    )
    allocator = sycl.UsmAllocator(memory.kind, queue)
    for call, nbytes in calls:
        queue.wait()
        sycl.trim_memory(queue)
        allocator.limit = allocator.statistics["live_bytes"] + nbytes + LARGE * 4 // 100
        try:
            call()
            queue.wait()
        finally:
            allocator.limit = 0


@pytest.mark.parametrize("dtype", sweep(["i4", "?", "f2", "c8", "u8"], ["i4", "?", "f2", "c8"]))
def test_segments_by_themselves(queue, dtype):
    """Many segments that are alike: one pass, which has no flags; each is combined in its order."""
    rng = np.random.default_rng(12)
    x = rng.integers(0, 3, 9001).astype(dtype)[::-2]
    offsets = np.sort(np.append(rng.integers(2, x.size, 900), [1, x.size - 2]))
    parts = [x[low:high] for low, high in pairwise(offsets)]
    for given in (offsets, np.repeat(offsets, 2)[::2], offsets.astype("u2")):
        with recorded() as passes:
            sycl.segmented_reduce(x, ("offsets", given), queue=queue)
        assert len(passes) == 1 and "marks" not in passes[0].source
        assert passes[0].temporary_bytes <= 256  # the words where groups meet
        found = sycl.segmented_reduce(x, ("offsets", given), queue=queue)
        want = np.array([part.sum() for part in parts])
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)
    if dtype in ("i4", "u8"):
        begun = sycl.segmented_reduce(x, ("offsets", offsets), sycl.maximum, initial=1, queue=queue)
        np.testing.assert_array_equal(begun, [max([1, *part]) for part in parts])
        last = sycl.segmented_reduce(x, ("offsets", offsets), "a * 0 + b", initial=7, map="x + 1", queue=queue)
        np.testing.assert_array_equal(last, [[7, *(part + 1)][-1] for part in parts])


def test_a_segment_that_is_most_of_all(queue):
    """Its elements are not one work-item's."""
    x = np.arange(20_000, dtype="i4")
    offsets = np.append(np.arange(100), [x.size])
    with recorded() as passes:
        sycl.segmented_reduce(x, ("offsets", offsets), queue=queue)
    assert len(passes) > 1
    np.testing.assert_array_equal(
        sycl.segmented_reduce(x, ("offsets", offsets), queue=queue), np.add.reduceat(x.astype("i8"), offsets[:-1])
    )


def test_calls_are_recorded(queue, usm):
    """What is recorded runs at each replay, with what the memory has then."""
    memory, sums = usm(np.ones(1000, "i4")), usm(np.zeros(1000, "i8"))
    with queue.record() as recording:
        sycl.cumsum(memory, out=sums, queue=queue)
    for value in (1, 2):
        queue.fill(memory, np.int32(value)).wait()
        recording.replay().wait()
        np.testing.assert_array_equal(seen(sums), np.arange(1, 1001) * value)


def test_totals_come_and_go(queue, usm, x):
    """One text with memory for the total and without it, in turns: the kernel is the same."""
    memory, sums, total = usm(x), usm(np.zeros(N, "i8")), usm(np.zeros(1, "i8"))
    for turn in range(4):
        queue.fill(memory, np.int32(turn + 1)).wait()
        queue.fill(total, np.int64(-1)).wait()
        scanner = sycl.scanner(sycl.plus, "i8", initial=turn, total=total if turn % 2 == 0 else None)
        queue.parallel_scan(N, "t += x[i];", "y[i] = t;", x=memory, y=sums, t=scanner).wait()
        np.testing.assert_array_equal(seen(sums), np.arange(1, N + 1) * (turn + 1) + turn)
        assert seen(total)[0] == (N * (turn + 1) + turn if turn % 2 == 0 else -1)


def test_in_command_groups(queue, x):
    given, sums = sycl.Buffer(x, copy=True), sycl.Buffer((N,), "i8")
    with queue.submit() as h:
        h.parallel_scan(N, "t += x[i];", "y[i] = t;", x=h.read(given), y=h.write(sums), t=sycl.scanner(sycl.plus, "i8"))
    np.testing.assert_array_equal(seen(sums), np.cumsum(x))


FEW = {
    "flatnonzero": lambda x, **q: sycl.flatnonzero(x, **q),
    "select": lambda x, **q: sycl.select(x, "x", **q),
    "select by a mask": lambda x, **q: sycl.select(x, x, **q),
    "split_by": lambda x, **q: sycl.split_by(x, "x", **q),
    "split_by a mask": lambda x, **q: sycl.split_by(x, x, **q),
    "unique_consecutive": lambda x, **q: sycl.unique_consecutive(x, **q),
    "run_length": lambda x, **q: sycl.run_length(x, **q),
    "reduce_by_key": lambda x, **q: sycl.reduce_by_key(x, x, **q),
    "segmented_reduce": lambda x, **q: sycl.segmented_reduce(x, ("flags", x), **q),
    "segmented_reduce by keys": lambda x, **q: sycl.segmented_reduce(x, ("keys", x), sycl.maximum, initial=False, **q),
}


@pytest.mark.parametrize(
    ("whose", "name"),
    sweep(
        [(whose, name) for whose in ("the machine's", "the device's") for name in FEW],
        [("the machine's" if place % 2 else "the device's", name) for place, name in enumerate(FEW)],
    ),
)
def test_few_results_of_many_elements(queue, name, whose, monkeypatch):
    """Memory for all may be eight times the input: where that is too much, as many as there are have memory."""
    x, empty, sizes, scan, scans = np.zeros(100_003, bool), np.empty, [], Scan.scan, []
    x[[3, 77_000, -1]] = True
    want = FEW[name](x, queue=queue)

    def limited(shape, dtype=float, **others):
        sizes.append(np.prod(shape) * np.dtype(dtype).itemsize)
        if sizes[-1] >= x.size:
            raise MemoryError
        return empty(shape, dtype, **others)

    if whose == "the device's":
        monkeypatch.setattr(type(queue.device), "max_mem_alloc_size", x.size - 1)
    monkeypatch.setattr(np, "empty", limited)
    monkeypatch.setattr(Scan, "scan", lambda *a, **k: scans.append(scan(*a, **k)))
    found = FEW[name](x, queue=queue)
    monkeypatch.undo()
    assert len(scans) <= 2 + (name == "run_length")  # they are counted once
    for ours, theirs in zip(*((found, want) if isinstance(found, tuple) else ([found], [want])), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert (max(sizes) >= x.size) == (whose == "the machine's")
