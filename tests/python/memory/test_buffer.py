"""Buffers as Python objects: what they are made from, equality, copies, pickles, reprs, threads, signals, exits."""

import copy
import gc
import pickle
import signal
import threading
import time
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

PROGRAM = sycl.Program("""
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void late(__global float *x, __global ulong *cell) { x[get_global_id(0)] += cell[0]; }
""")


def add(queue, buffer, amount=1.0):
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), amount))


@pytest.fixture
def built(queue):
    """The kernel is built: it stays as long as the program."""
    add(queue, sycl.Buffer(1, np.float32)).wait()


def add_after(queue, buffer, event):
    return queue.submit(
        lambda h: (h.depends_on(event), h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), 1.0))
    )


def test_what_the_repr_says(queue):
    x = np.zeros((2, 3), np.float32)
    b = sycl.Buffer(x)
    assert repr(b) == "<pysycl.Buffer float32 (2, 3), current on host>"
    assert repr(b[1:2]) == "<pysycl.Buffer float32 (1, 3), sub-buffer from byte 12, current on host>"
    strided = sycl.Buffer(np.zeros(8, np.int32)[::2])
    assert repr(strided) == "<pysycl.Buffer int32 (4,), current on the array it was made from>"
    assert repr(sycl.Buffer(3, np.int8)) == "<pysycl.Buffer int8 (3,), contents undefined>"
    assert repr(sycl.Buffer(0, np.int8)) == "<pysycl.Buffer int8 (0,), empty>"
    b.close()
    assert repr(b) == "<pysycl.Buffer float32 (2, 3), closed>"


@pytest.mark.spec("H306", "H336")
def test_equality_is_identity_of_the_memory():
    b, other = sycl.Buffer(8, np.float32), sycl.Buffer(8, np.float32)
    again = copy.copy(b)
    assert b == again and hash(b) == hash(again)
    assert b == b.reinterpret(np.int32, (2, 4))
    assert b != other
    assert b != "3"
    part = b[:4]
    assert part == part
    assert part != b and part != b[:4]
    before = hash(b), hash(part)
    for each in (b, again, part):
        each.close()
    assert (hash(b), hash(part)) == before
    assert b == again


def test_copies(queue):
    x = np.arange(4, dtype=np.float32)
    b = sycl.Buffer(x)
    reference, value = copy.copy(b), copy.deepcopy(b)
    assert reference == b and value != b
    add(queue, reference)
    b.close()
    assert not reference.is_closed
    assert np.asarray(reference).tolist() == [1, 2, 3, 4]
    reference.close()
    assert x.tolist() == [1, 2, 3, 4]
    assert np.asarray(value).tolist() == [0, 1, 2, 3]
    add(queue, value)
    value.close()
    assert x.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("shape", [(5,), (2, 3), (0,)])
def test_pickles_are_values(queue, shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    with sycl.Buffer(x) as b:
        add(queue, b)
        c = pickle.loads(pickle.dumps(b))
        assert (c.shape, c.dtype) == (b.shape, b.dtype)
        assert np.array_equal(np.asarray(c), x + 1 if b.is_closed else np.asarray(b))
        assert c != b
    structured = sycl.Buffer(np.array([(1, 2.0)], [("n", "i4"), ("x", "f8")]), read_only=True)
    again = pickle.loads(pickle.dumps(structured))
    assert again.read_only and np.asarray(again).tolist() == [(1, 2.0)]


def test_conversion_to_an_array(queue):
    b = sycl.Buffer(np.arange(4, dtype=np.float32))
    add(queue, b)
    a = np.asarray(b)
    assert a.tolist() == [1, 2, 3, 4] and a.flags.writeable and a.flags.owndata
    a[:] = 0
    assert np.asarray(b).tolist() == [1, 2, 3, 4]
    assert np.array(b, np.int64).dtype == np.int64
    assert np.asarray(b.reinterpret(np.uint8)).shape == (16,)
    assert np.asarray(b[1:3]).tolist() == [2, 3]
    with pytest.raises(ValueError, match="always a copy"):
        np.array(b, copy=False)
    with pytest.raises(TypeError):
        iter(b)
    assert len(b) == 4
    b.close()
    with pytest.raises(sycl.InvalidObjectError, match="closed"):
        np.asarray(b)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (sycl.Buffer(3, np.float32), "is no host data"),
        (None, "give its range and dtype"),
        ("text", "is text"),
        (3.5, "data: "),
        (object(), "data: "),
        ({1: 2}, "data: "),
        ([1, [2, 3]], "data: "),
        ([object()], "Python objects"),
        ((1, 2, 3), "needs a dtype"),
        (np.zeros((1, 1, 1, 1)), "at most three"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_buffer_is_made_from(data, words):
    with pytest.raises(sycl.InvalidParameterError, match=words):
        sycl.Buffer(data)


def test_shapes_that_do_not_fit():
    x = np.arange(12, dtype=np.float32)
    assert sycl.Buffer(x, range=(3, 4)).shape == (3, 4)
    with pytest.raises(sycl.InvalidParameterError, match="has 10 elements, but the array has 12"):
        sycl.Buffer(x, range=(2, 5))
    with pytest.raises(sycl.InvalidParameterError, match="without a copy"):
        sycl.Buffer(np.zeros((4, 6), np.float32)[:, :3], range=12)
    with pytest.raises(sycl.InvalidParameterError, match="elements are float32, not float64"):
        sycl.Buffer(x, np.float64)
    with pytest.raises(sycl.InvalidParameterError, match="more than can be addressed"):
        sycl.Buffer((2**40, 2**40), np.float32)
    with pytest.raises(sycl.InvalidParameterError, match="too large"):
        sycl.Buffer(2**70, np.float32)
    overlapping = np.lib.stride_tricks.as_strided(x, (4, 4), (4, 4), writeable=True)
    with pytest.raises(sycl.InvalidParameterError, match="overlap in memory"):
        sycl.Buffer(overlapping)
    assert np.asarray(sycl.Buffer(overlapping, read_only=True))[3, 3] == 6


def test_hidden_copies_are_counted(queue):
    def copied(make):
        before = sycl.statistics()["staged_bytes"]
        b = make()
        add(queue, b)
        b.close()
        return sycl.statistics()["staged_bytes"] - before

    shares = queue.device._facts["shares_host_memory"]
    assert copied(lambda: sycl.Buffer(np.zeros(256, np.float32))) == 0
    assert copied(lambda: sycl.Buffer(256, np.float32)) == 0
    strided = copied(lambda: sycl.Buffer(np.zeros(512, np.float32)[::2]))
    assert strided == 2048 if shares else strided > 0  # in, and back


def test_an_interrupted_close_can_be_tried_again(queue, busy):
    x = np.zeros(4, np.float32)
    b = sycl.Buffer(x)
    add(queue, b).wait()
    add_after(queue, b, busy(queue, np.zeros(1, np.uint64), 1.0))

    def interrupt(*unused):
        raise InterruptedError

    before = signal.signal(signal.SIGUSR1, interrupt)  # SIGALRM is the test runner's
    later = threading.Timer(0.1, signal.pthread_kill, (threading.get_ident(), signal.SIGUSR1))
    later.start()
    try:
        began = time.perf_counter()
        with pytest.raises(InterruptedError):
            b.close()
        assert time.perf_counter() - began < 0.8
    finally:
        later.join()
        signal.signal(signal.SIGUSR1, before)
    assert not b.is_closed
    b.close()
    assert (x == 2).all()


def test_handles_may_be_closed_by_any_thread(queue, busy):
    x = np.zeros(64, np.float32)
    b = sycl.Buffer(x)
    parts = [b[i : i + 8] for i in range(0, 64, 8)]
    add_after(queue, b, busy(queue, np.zeros(1, np.uint64), 0.1))
    threads = [threading.Thread(target=each.close) for each in [*parts, b]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (x == 1).all()


def test_eight_threads_share_buffers(device):
    shared = [sycl.Buffer(16, np.float32) for _ in range(4)]
    for b in shared:
        with b.host_access("write", no_init=True) as a:
            a[:] = 0

    def work(seed):
        queue = sycl.Queue(device)
        for i in range(25):
            b = shared[(seed + i) % 4]
            add(queue, b[0:16] if i % 3 else b)
            if i % 10 == 0:
                with b.host_access("read_write") as a:
                    a += 1
        queue.wait_and_throw()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(np.asarray(b).sum() for b in shared) == 8 * 28 * 16
    assert all((np.asarray(b) == np.asarray(b)[0]).all() for b in shared)


def test_cycles_are_collected(no_leaks):
    got = []
    for _ in range(3):
        b = sycl.Buffer(8, np.float32)
        holder = [b]
        b.set_final_data(lambda a, holder=holder: got.append(len(holder)))
        with b.host_access("write") as a:
            a[:] = 1
        del b, holder, a
    gc.collect()
    assert got == [1, 1, 1]


def test_nothing_leaks(queue, built, no_leaks):
    x = np.zeros(64, np.float32)
    for i in range(50):
        with sycl.Buffer(x if i % 2 else x[::2]) as b:
            part, seen = b[: b.size // 2], b.reinterpret(np.int32)
            add(queue, b)
            add(queue, part)
            with seen.host_access("read") as a:
                assert a.size == b.size
            accessor = sycl.Accessor(b)
            del part, seen, accessor, a
    host = sycl.Buffer(4, np.float32).host_access("write")  # dropped without an end
    del host
    queue.wait()


def test_an_array_is_let_go_of_with_its_buffer(queue):
    x = np.zeros(8, np.float32)
    gone = weakref.ref(x)
    b = sycl.Buffer(x)
    add(queue, b)
    del x
    assert gone() is not None
    b.close()
    queue.wait()
    gc.collect()
    assert gone() is None


def test_a_buffer_that_is_dropped_under_its_own_accessor():
    x = np.zeros(4, np.float32)
    with sycl.Buffer(x).host_access("read_write") as a:
        a[:] = 3
        gc.collect()
    assert (x == 3).all()


def test_a_callable_that_fails(queue):
    def fail(array):
        raise KeyError("no room")

    b = sycl.Buffer(4, np.float32)
    b.set_final_data(fail)
    add(queue, b)
    with pytest.raises(KeyError):
        b.close()
    assert b.is_closed
    b.close()


def test_live_buffers_are_written_back_at_exit(run_python):
    child = run_python("""
        import atexit
        import numpy as np
        x, y, final = np.zeros(8, np.float32), np.zeros((4, 4), np.float32, order="F"), np.zeros(2, np.float32)
        atexit.register(lambda: print(x.tolist(), y.sum(), final.tolist()))
        import pysycl as sycl
        program = sycl.Program("__kernel void add(__global float *x) { x[get_global_id(0)] += 1; }")
        queue, b, c, d = sycl.Queue(), sycl.Buffer(x), sycl.Buffer(y)[1:3], sycl.Buffer(2, np.float32)
        d.set_final_data(final)
        for each in (b, c, d):
            queue.submit(lambda h: h.parallel_for(each.size, program.add, sycl.Accessor(each, h, no_init=each is d)))
        """)
    assert child.stdout.split("]")[0] == "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0"
    assert " 8.0 [" in child.stdout
    assert child.stderr == ""


def test_the_end_of_a_buffer_at_exit_is_bounded(run_fake):
    child = run_fake(
        """
        x = np.zeros(4, np.uint32)
        b, queue = sycl.Buffer(x), sycl.Queue()
        fake.fake_hold(1)
        queue.submit(lambda h: h.single_task(program.slow, sycl.Accessor(b, h), 0))
        """,
        {"PYSYCL_EXIT_TIMEOUT": "0.5"},
        check=False,
    )
    assert "1 buffer(s) could not be written back in time" in child.stderr
    assert "had not ended" in child.stderr


def test_a_subclass_is_kept(queue):
    class Grid(sycl.Buffer):
        def total(self):
            return float(np.asarray(self).sum())

    g = Grid(np.ones((2, 2), np.float32))
    assert g.total() == 4
    assert isinstance(g[:1], Grid) and g[:1].total() == 2
    assert isinstance(copy.copy(g), Grid)


def test_without_memory_nothing_is_lost(queue, built, no_leaks):
    """Whatever allocation fails: a MemoryError, and then the buffers can be read and closed as if nothing had been."""
    failures, n = 0, 0
    while True:
        n += 1
        x, y = np.zeros(16, np.float32), np.zeros((4, 4), np.float32, order="F")
        buffers, submitted = [], []
        _core.alloc_fail_at(n)
        try:
            for data in (x, y):
                buffers.append(sycl.Buffer(data))
                submitted.append(add(queue, buffers[-1]))
                np.asarray(buffers[-1])
            for b in buffers:
                b.close()
        except MemoryError:
            failures += 1
        else:
            break
        finally:
            _core.alloc_fail_at(0)
        for b in buffers:
            b.close()
        queue.wait_and_throw()
        for data, _ in zip((x, y), submitted, strict=False):
            assert (data == 1).all(), n
    assert failures == n - 1 > 5


# -- the end of a block --


def test_the_end_of_the_block_is_the_end_of_all_parts(queue):
    """A variable that still holds a part must not keep the results from the array."""
    x = np.zeros(8, np.float32)
    with sycl.Buffer(x[::-1]) as b:  # not in place: written back
        part, whole, other = b[:4], b.reinterpret(np.int32), copy.copy(b)
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.add, h.read_write(part), 1.0))
    assert x.tolist() == [0] * 4 + [1] * 4
    assert part.is_closed and whole.is_closed and other.is_closed
    with pytest.raises(sycl.InvalidObjectError, match="the buffer is closed"):
        part.host_access()


def test_the_end_of_a_part_s_block_is_its_own(queue):
    x = np.zeros(8, np.float32)
    with sycl.Buffer(x[::-1]) as b:
        with b[:4] as part, copy.copy(b) as other:
            queue.submit(lambda h: h.parallel_for(4, PROGRAM.add, h.read_write(part), 1.0))
        assert part.is_closed and other.is_closed and not b.is_closed
        assert x.tolist() == [0] * 8
    assert x.tolist() == [0] * 4 + [1] * 4


def test_a_block_whose_buffer_was_closed_inside_ends_its_parts(queue):
    x = np.zeros(8, np.float32)
    with sycl.Buffer(x[::-1]) as b:
        part, whole = b[:4], b.reinterpret(np.int32)
        b.close()
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.add, h.read_write(part), 1.0))
    assert x.tolist() == [0] * 4 + [1] * 4
    assert part.is_closed and whole.is_closed


def test_a_block_that_cannot_end_leaves_all_open(queue):
    x = np.zeros(8, np.float32)
    b = sycl.Buffer(x[::-1])
    part = b[:4]
    access = part.host_access("read_write")
    access[:] = 1
    with pytest.raises(sycl.AccessorError), b:
        pass
    assert not b.is_closed and not part.is_closed
    access.close()
    with b:
        pass
    assert x.tolist() == [0] * 4 + [1] * 4 and part.is_closed


def test_close_gives_up_one_handle():
    """As SYCL's destructor of a copy does."""
    x = np.zeros(4, np.float32)
    b = sycl.Buffer(x[::-1])
    part = b[:2]
    b.close()
    with part.host_access("write") as a:
        a[:] = 1
    assert x.tolist() == [0] * 4
    part.close()
    assert x.tolist() == [0, 0, 1, 1]
