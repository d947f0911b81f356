"""Calls for unified shared memory and buffers that come again: with other data, in other memory, that lies otherwise."""

import threading

import numpy as np
import pytest

import pysycl as sycl
from pysycl._algorithms import again, spare
from pysycl._algorithms import call as calls_of

pytestmark = pytest.mark.usefixtures("needs_usm")
SIZE = 3000


@pytest.fixture(params=[True, False], ids=["in order", "out of order"])
def q(request, queue):
    return sycl.Queue(queue.device, context=queue.context, in_order=request.param)


def put(q, array):
    memory = sycl.malloc_device(array.shape, array.dtype, q)
    q.copy(array, memory).wait()
    return memory


def seen(q, memory):
    q.wait()
    array = np.empty(memory.shape, memory.dtype)
    q.copy(memory, array).wait()
    return array


def values(seed, dtype="i4", size=SIZE):
    return np.random.default_rng(seed).integers(-100, 100, size).astype(dtype)


def known(q):
    return [plan for plan in again._plans.get(q, {}).values() if plan is not None]


CALLS = {
    "sort": (lambda x, q: sycl.sort(x, queue=q), np.sort),
    "argsort": (lambda x, q: sycl.argsort(x, queue=q), lambda x: np.argsort(x, kind="stable")),
    "by key": (lambda x, q: sycl.sort_by_key(x, x, queue=q)[1], np.sort),
    "cumsum": (lambda x, q: sycl.cumsum(x, queue=q), np.cumsum),
    "histogram": (
        lambda x, q: sycl.histogram(x, 16, (-90, 90), queue=q)[0],
        lambda x: np.histogram(x, 16, (-90, 90))[0],
    ),
    "sum": (lambda x, q: sycl.sum(x, queue=q), np.sum),
    "sum of squares": (lambda x, q: sycl.sum(x, map="x * x", queue=q), lambda x: np.sum(np.square(x, dtype=np.int32))),
    "prod": (lambda x, q: sycl.prod(x, queue=q), np.prod),
    "max": (lambda x, q: sycl.max(x, queue=q), np.max),
    "minmax": (lambda x, q: sycl.minmax(x, queue=q)[1], np.max),
    "any": (lambda x, q: sycl.any(x, queue=q), np.any),
    "argmin": (lambda x, q: sycl.argmin(x, queue=q), np.argmin),
    "count_nonzero": (lambda x, q: sycl.count_nonzero(x, queue=q), lambda x: np.int64(np.count_nonzero(x))),
}


LOSSY = {
    "sum": lambda x, q: sycl.sum(x, dtype=np.dtype("f4"), queue=q),
    "prod": lambda x, q: sycl.prod(x, dtype=np.dtype("f4"), queue=q),
    "mean": lambda x, q: sycl.mean(x, dtype=np.dtype("f4"), queue=q),
    "cumsum": lambda x, q: sycl.cumsum(x, dtype=np.dtype("f4"), queue=q),
}


@pytest.mark.parametrize("name", LOSSY)
def test_each_call_warns_as_the_first_does(q, name):
    """Of imaginary parts that are lost, at the line of the call; and as NumPy does, which a filter shows once."""
    x = put(q, values(3, "c8", 20))
    for number in range(3):
        with pytest.warns(np.exceptions.ComplexWarning) as told:
            LOSSY[name](x, q)
        assert len(told) == 1 and told[0].filename == __file__, number
    with pytest.warns(np.exceptions.ComplexWarning) as told:
        LOSSY[name](values(3, "c8", 20), q)
    assert [each.filename for each in told] == [__file__]


@pytest.mark.parametrize("name", CALLS)
def test_other_data_in_other_memory(q, name):
    call, expected = CALLS[name]
    for seed in range(4):
        x = values(seed)
        found = call(put(q, x), q)
        wanted = expected(x)
        assert np.array_equal(seen(q, found), wanted)
        assert found.dtype == wanted.dtype
    assert len(known(q)) == 1


@pytest.mark.parametrize("name", [name for name in CALLS if name != "by key"])
def test_other_buffers(q, name):
    """Whole ones, and parts of one, of which the results are read only after all calls."""
    call, expected = CALLS[name]
    large = values(9, size=3 * SIZE)
    whole = sycl.Buffer(large)
    made = [(sycl.Buffer(values(seed)), values(seed)) for seed in range(3)]
    made += [(whole.sub_buffer(k * SIZE, SIZE), large[k * SIZE : (k + 1) * SIZE]) for k in (0, 2)]
    results = [(call(buffer, q), expected(x)) for buffer, x in made]
    for found, wanted in results:
        assert isinstance(found, sycl.Buffer)
        assert np.array_equal(np.asarray(found).reshape(wanted.shape), wanted)
        assert found.dtype == wanted.dtype
    if name not in ("sort", "argsort", "histogram", "any"):  # which reinterpret buffers
        assert len(known(q)) == 1


def test_buffers_of_other_shapes_and_types(q):
    for seed in range(2):
        for dtype in ("i4", "f4", "u1"):
            x = values(seed, dtype)
            for shape in ((SIZE,), (60, 50), (50, 60)):
                given = sycl.Buffer(x.reshape(shape), copy=True)
                assert np.array_equal(sycl.max(given, axis=0, queue=q), np.atleast_1d(x.reshape(shape).max(axis=0)))
                for wanted in ("f8", "i8"):
                    found = sycl.sum(given, dtype=np.dtype(wanted), queue=q)
                    assert found.dtype == wanted
                    assert np.asarray(found) == x.sum(dtype=wanted)


def test_a_buffer_without_a_queue_or_as_result():
    for seed in range(3):
        x = values(seed)
        given, out = sycl.Buffer(x, copy=True), sycl.Buffer(x, copy=True)
        assert np.asarray(sycl.sum(given)) == x.sum()
        assert sycl.sort(given, out=out) is out
        assert np.array_equal(out, np.sort(x))
        assert np.array_equal(given, x)


def test_a_closed_buffer_is_refused_in_the_same_words(q):
    for _ in range(2):
        x = sycl.Buffer(values(1))
        sycl.sum(x, queue=q)
        x.close()
        with pytest.raises(sycl.KernelArgumentError, match="'x' is a buffer that has been closed"):
            sycl.sum(x, queue=q)


def test_results_are_memory_of_their_own(q):
    x, y = values(1), values(2)
    first, second = (sycl.sort(put(q, each), queue=q) for each in (x, y))
    assert np.array_equal(seen(q, first), np.sort(x))
    assert np.array_equal(seen(q, second), np.sort(y))


def test_in_place_and_not(q):
    for seed in range(3):
        x = values(seed)
        memory, out = put(q, x), put(q, x)
        sycl.sort(memory, out=out, queue=q)
        assert np.array_equal(seen(q, out), np.sort(x))
        assert np.array_equal(seen(q, memory), x)
        sycl.sort(memory, out=memory, queue=q)
        assert np.array_equal(seen(q, memory), np.sort(x))
    assert len(known(q)) == 2


def test_parts_of_one_memory(q):
    """Views at other places of an allocation, and one that the result lies over in part."""
    for seed in range(3):
        x = values(seed)
        memory = put(q, x)
        sycl.sort(memory[:1000], out=memory[1000:2000], queue=q)
        found = seen(q, memory)
        assert np.array_equal(found[1000:2000], np.sort(x[:1000]))
        assert np.array_equal(np.r_[found[:1000], found[2000:]], np.r_[x[:1000], x[2000:]])
        assert np.array_equal(seen(q, sycl.cumsum(memory[1:1001], queue=q)), np.cumsum(found[1:1001]))


def test_keys_whose_values_are_the_keys_and_others(q):
    for seed in range(3):
        x, y = values(seed), values(seed + 10)
        order = np.argsort(x, kind="stable")
        keys, memory = put(q, x), put(q, y)
        assert np.array_equal(seen(q, sycl.sort_by_key(keys, keys, queue=q)[1]), x[order])
        assert np.array_equal(seen(q, sycl.sort_by_key(keys, memory, queue=q)[1]), y[order])


def test_edges_are_the_caller_s(q):
    x = put(q, values(1))
    for _ in range(3):
        _, edges = sycl.histogram(x, 4, (0, 8), queue=q)
        assert np.array_equal(edges, [0, 2, 4, 6, 8])
        edges[:] = -1


def test_numbers_that_are_equal_and_of_other_types(q):
    x = values(1, "f4")
    memory = put(q, x)
    for initial in (1, True, 1.0, 2):
        found = sycl.exclusive_scan(memory, sycl.plus, initial=initial, queue=q)
        assert np.allclose(seen(q, found), initial + np.r_[0, np.cumsum(x)[:-1]])


def test_reductions_of_one_memory(q):
    """Flags, axes, types, initial values and `where` each make another call."""
    calls = (
        (sycl.min, np.min, {}), (sycl.max, np.max, {}), (sycl.argmin, np.argmin, {}), (sycl.argmax, np.argmax, {}),
        (sycl.sum, np.sum, {}), (sycl.prod, np.prod, {}), (sycl.all, np.all, {}), (sycl.any, np.any, {}),
        (sycl.max, np.max, {"axis": 0}), (sycl.max, np.max, {"axis": 1}), (sycl.max, np.max, {"axis": (0, 1)}),
        (sycl.max, np.max, {"axis": 1, "keepdims": True}), (sycl.sum, np.sum, {"initial": 5}),
        (sycl.sum, np.sum, {"initial": 7}), (sycl.sum, np.sum, {"dtype": np.int32}),
        (sycl.max, np.max, {"initial": -1000}), (sycl.max, np.max, {"initial": 1000}),
    )  # fmt: skip
    for seed in range(3):
        x = values(seed).reshape(60, 50)
        memory = put(q, x)
        for call, expected, named in calls:
            found, wanted = seen(q, call(memory, queue=q, **named)), expected(x, **named)
            assert np.array_equal(found, wanted), (call, named)
            assert found.dtype == wanted.dtype, (call, named)
        for part in (np.s_[::2], np.s_[:, ::3], np.s_[1::2, :40]):
            assert np.array_equal(seen(q, sycl.argmax(memory[part], axis=0, queue=q)), x[part].argmax(axis=0))


def test_signs_of_zeros_that_are_initial(q):
    memory = put(q, np.full(100, -np.inf, np.float32))
    found = [seen(q, sycl.max(memory, initial=np.float32(each), queue=q)) for each in (0.0, -0.0, 0.0)]
    assert [bool(np.signbit(each)) for each in found] == [False, True, False]


def test_freed_memory_is_refused_in_the_same_words(q):
    for _ in range(2):
        x = put(q, values(1))
        sycl.sort(x, queue=q)
        q.wait()
        x.free()
        with pytest.raises(sycl.InvalidObjectError, match="x: the memory has been freed"):
            sycl.sort(x, queue=q)


def test_a_call_within_a_recording(queue):
    q = sycl.Queue(queue.device, context=queue.context, in_order=True)
    x, out = put(q, values(1)), put(q, values(2))
    sycl.sort(x, out=out, queue=q)
    with q.record() as recording:
        sycl.sort(x, out=out, queue=q)
    for seed in range(3):
        q.copy(values(seed), x).wait()
        recording.replay().wait()
        assert np.array_equal(seen(q, out), np.sort(values(seed)))


@pytest.fixture
def programs(queue):
    """Of the call, which are kept as long as the process lives."""
    sycl.sort(put(queue, values(1)), queue=queue)
    queue.wait()
    spare.let_go()


def test_plans_end_with_their_queue(queue, programs, no_leaks):
    q = sycl.Queue(queue.device, context=queue.context, in_order=True)
    before = len(again._plans)
    sycl.sort(put(q, values(1)), queue=q)
    assert len(again._plans) == before + 1
    q.wait()
    del q
    assert len(again._plans) == before
    spare.let_go()  # of a GPU's memory what lies between passes is kept for calls to come


# -- what a call that comes again is found by --


@pytest.fixture
def asked(monkeypatch):
    """How often the package's own functions were asked what a call does."""
    count = []
    real = calls_of.known
    monkeypatch.setattr(calls_of, "known", lambda *given: count.append(given) or real(*given))
    return count


@pytest.mark.parametrize("name", CALLS)
def test_a_call_alike_asks_nobody(q, asked, name):
    run, expected = CALLS[name]
    for seed in range(3):
        x = values(seed)
        assert np.array_equal(seen(q, run(put(q, x), q)), expected(x))
    assert len(asked) == 1


def test_calls_that_differ_do_ask(queue, q, asked):
    """Another type, shape, queue, argument, or memory that lies in another's."""
    other = sycl.Queue(queue.device, context=queue.context, in_order=True)
    x, y = put(q, values(1)), put(q, values(1, "u4"))
    whole = put(q, values(1, size=2 * SIZE))
    calls = [
        lambda: sycl.cumsum(x, queue=q), lambda: sycl.cumsum(y, queue=q), lambda: sycl.cumsum(x[:-1], queue=q),
        lambda: sycl.cumsum(x, queue=other), lambda: sycl.cumsum(x, dtype=np.int64, queue=q),
        lambda: sycl.cumsum(x, dtype="i4", queue=q), lambda: sycl.cumsum(x, out=x, dtype="i4", queue=q),
        lambda: sycl.sort(whole[:SIZE], out=whole[SIZE:], queue=q), lambda: sycl.sort(whole, queue=q),
    ]  # fmt: skip
    for each in calls:
        before = len(asked)
        each()
        assert len(asked) == before + 1
        q.wait()
        other.wait()
    before = len(asked)
    for each in calls:
        each()
    assert len(asked) == before
    sycl.sort(whole[:SIZE], out=whole[SIZE // 2 : -SIZE // 2], queue=q)  # one over the other
    assert len(asked) == before + 1
    q.wait()


def test_queues_that_follow_each_other(queue, asked):
    """A queue's address may be that of one that has gone."""
    for seed in range(6):
        q = sycl.Queue(queue.device, context=queue.context, in_order=seed % 2 == 0)
        x = values(seed)
        assert np.array_equal(seen(q, sycl.sort(put(q, x), queue=q)), np.sort(x))
        del q
    assert len(asked) == 6


def test_memory_of_other_contexts_without_a_queue(queue, asked):
    for seed in range(3):
        for context in (queue.context, sycl.Context(queue.device)):
            x = values(seed)
            memory = put(sycl.Queue(queue.device, context=context), x)
            found = sycl.cumsum(memory)
            assert found.context == context
            assert np.array_equal(seen(sycl.Queue(queue.device, context=context), found), np.cumsum(x))


def test_flags_and_numbers_that_are_equal(q, asked):
    x = put(q, values(1).reshape(60, 50))
    for _ in range(2):
        for keepdims in (True, 1):
            assert sycl.max(x, axis=1, keepdims=keepdims, queue=q).shape == (60, 1)
    assert len(asked) == 2


@pytest.mark.parametrize("again", [False, True])
def test_commands_are_called_by_the_function_and_stand_at_its_line(q, again):
    x = put(q, values(1))
    for _ in range(1 + again):
        sycl.sort(x, queue=q)
    lines = str(q.graph()).split("\n")
    assert sum("sort()" in line and "test_calls_again.py" in line for line in lines) >= 1 + again
    assert not any("again.py" in line and "test_calls_again.py" not in line for line in lines)
    q.parallel_for(SIZE, "x[i] += 1;", x=x)
    assert "sort()" not in next(line for line in reversed(str(q.graph()).split("\n")) if "x[i] += 1" in line)


def test_threads_that_call_alike(q):
    """Each with memory of its own, of which it has the results."""
    wrong = []

    def work(seed):
        for k in range(30):
            x = values(100 * seed + k)
            if not np.array_equal(seen(q, sycl.sort(put(q, x), queue=q)), np.sort(x)):
                wrong.append((seed, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_bools_are_told_of_each_time(q):
    x = put(q, values(1).astype(bool))
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="bool to uint8") as told:
            sycl.histogram(x, 2, (0, 1), queue=q)
        assert [each.filename for each in told] == [__file__]
        q.wait()


@pytest.mark.parametrize("lets_go", [True, False])
def test_a_result_without_room_is_tried_again_if_some_is_let_go(queue, monkeypatch, lets_go):
    context = sycl.Context(queue.device)
    q, allocator = sycl.Queue(queue.device, context=context), sycl.UsmAllocator("device", queue.device, context=context)
    asked = []

    def let_go():
        asked.append(1)
        allocator.limit = 0
        return lets_go

    monkeypatch.setattr(again, "let_go", let_go)
    x = values(1)
    memory = put(q, x)
    for _ in range(2):  # the second call is found by its arguments
        assert np.array_equal(seen(q, sycl.cumsum(memory, queue=q)), np.cumsum(x))
    assert not asked
    allocator.limit = allocator.statistics["live_bytes"]
    if lets_go:
        assert np.array_equal(seen(q, sycl.cumsum(memory, queue=q)), np.cumsum(x))
    else:
        with pytest.raises(sycl.MemoryAllocationError, match="limit"):
            sycl.cumsum(memory, queue=q)
    assert asked == [1]


@pytest.mark.parametrize("lets_go", [True, False])
def test_a_command_without_room_is_tried_again_if_some_is_let_go(q, monkeypatch, lets_go):
    x, lacks = values(1), []
    real = sycl.Queue.parallel_for

    def parallel_for(*given, **named):
        if lacks:
            raise sycl.MemoryAllocationError("no memory at all")
        return real(*given, **named)

    def let_go():
        lacks.clear()
        return lets_go

    monkeypatch.setattr(again, "let_go", let_go)
    monkeypatch.setattr(sycl.Queue, "parallel_for", parallel_for)
    memory = put(q, x)
    sycl.cumsum(memory, queue=q)
    lacks.append(1)
    if lets_go:
        assert np.array_equal(seen(q, sycl.cumsum(memory, queue=q)), np.cumsum(x))
    else:
        with pytest.raises(sycl.MemoryAllocationError, match="no memory at all"):
            sycl.cumsum(memory, queue=q)
    assert not lacks
