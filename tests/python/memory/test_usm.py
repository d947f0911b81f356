"""UsmArray as an object: layout, views, protocols, lifetime; and memory that must be mapped for the host."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

DTYPES = [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64, np.complex64]
PAIR = np.dtype([("key", np.int32), ("value", np.float32)])


pytestmark = pytest.mark.usefixtures("needs_usm")


@pytest.fixture
def host_kind(queue):
    kind = next((k for k in ("shared", "host") if queue.device.has(f"usm_{k}_allocations")), None)
    if kind is None:
        pytest.skip("no memory for the host")
    return kind


@pytest.fixture
def numbers(queue, host_kind):
    """A 4 x 6 array of 0, 1, 2, ..."""
    x = sycl.malloc((4, 6), np.int32, queue, kind=host_kind)
    x[:] = np.arange(24).reshape(4, 6)
    return x


def test_it_looks_like_an_array(queue):
    x = sycl.malloc_device((4, 6), np.float32, queue)
    plain = np.empty((4, 6), np.float32)
    for name in ("shape", "strides", "size", "nbytes", "itemsize", "ndim", "dtype"):
        assert getattr(x, name) == getattr(plain, name), name
    assert len(x) == 4
    point = sycl.malloc_device((), np.float32, queue)
    assert point.shape == () and point.size == 1
    with pytest.raises(TypeError, match="no length"):
        len(point)
    with pytest.raises(TypeError, match="iterated"):
        iter(point)


@pytest.mark.parametrize("dtype", [*DTYPES, PAIR], ids=str)
def test_every_element_type(queue, host_kind, dtype):
    x = sycl.malloc(5, dtype, queue, kind=host_kind)
    view = np.asarray(x)
    assert view.dtype == dtype and view.ctypes.data == x.ptr
    view[:] = np.arange(5).astype(dtype) if dtype is not PAIR else np.array([(i, i) for i in range(5)], PAIR)
    assert np.array_equal(np.array(x), view)
    assert x[3] == view[3]


def test_bytes_without_a_dtype(queue):
    assert sycl.malloc_device(7, queue).dtype == np.uint8


@pytest.mark.parametrize(
    "key",
    [
        1,
        -1,
        np.int64(2),
        slice(1, 3),
        slice(None, None, -1),
        slice(3, 1),
        (slice(None), 2),
        (1, slice(None, None, 2)),
        (..., 3),
        ...,
        (None, 1),
        (slice(1, None), slice(4, 0, -2)),
        (),
    ],
    ids=repr,
)
def test_parts_are_views(numbers, key):
    expected = np.asarray(numbers)[key]
    part = numbers[key]
    assert isinstance(part, sycl.UsmArray)
    assert part.shape == expected.shape and part.strides == expected.strides
    assert np.array_equal(part, expected)
    if part.size:
        assert part.ptr == expected.__array_interface__["data"][0]
        part[...] = -5
        assert np.count_nonzero(np.asarray(numbers) == -5) == part.size


def test_elements(numbers):
    assert numbers[2, 3] == 15 and isinstance(numbers[2, 3], np.int32)
    assert numbers[-1, -1] == 23
    numbers[2, 3] = 7
    assert np.asarray(numbers)[2, 3] == 7
    numbers[0] = range(6, 12)
    assert np.asarray(numbers)[0].tolist() == list(range(6, 12))
    assert 7 in numbers and 999 not in numbers
    for bad in ((4, 0), (0, 6), 4, (0, 0, 0)):
        with pytest.raises(IndexError):
            numbers[bad]
    for copies in ([1, 2], np.array([0, 1]), np.ones(4, bool), True, 1.5):
        with pytest.raises(sycl.InvalidParameterError, match="copy"):
            numbers[copies]


def test_iteration(numbers):
    rows = list(numbers)
    assert all(isinstance(row, sycl.UsmArray) for row in rows)
    assert [row.tolist() for row in map(np.asarray, rows)] == np.arange(24).reshape(4, 6).tolist()
    assert [int(one) for one in numbers[1]] == list(range(6, 12))


def test_device_memory_has_parts_too(queue):
    x = sycl.malloc_device((4, 6), np.int32, queue)
    plain = np.empty((4, 6), np.int32)
    part = x[1:, ::2]
    assert part.ptr == x.ptr + 24 and part.strides == plain[1:, ::2].strides
    back = np.zeros(6, np.int32)
    queue.memcpy(x[2], np.arange(6, dtype=np.int32), 24)
    queue.memcpy(back, x[2], 24)
    assert back.tolist() == list(range(6))


def test_fields(queue, host_kind):
    x = sycl.malloc(3, PAIR, queue, kind=host_kind)
    np.asarray(x)[:] = [(1, 1.5), (2, 2.5), (3, 3.5)]
    assert x["value"].dtype == np.float32 and x["value"].strides == (8,)
    assert np.asarray(x["value"]).tolist() == [1.5, 2.5, 3.5]


def test_reshape_and_reinterpret(numbers):
    assert np.array_equal(numbers.reshape(24), np.arange(24))
    assert numbers.reshape(2, -1).shape == (2, 12) and numbers.reshape((3, 8)).ptr == numbers.ptr
    assert np.array_equal(numbers[1:3].reshape(12), np.arange(6, 18))
    assert np.array_equal(numbers.reinterpret(np.int16), np.asarray(numbers).view(np.int16))
    with pytest.raises(sycl.InvalidParameterError, match="strides"):
        numbers[:, :3].reshape(12)
    with pytest.raises(sycl.InvalidParameterError, match="shape"):
        numbers.reshape(7)
    with pytest.raises(sycl.InvalidParameterError, match="dtype"):
        numbers[:, :3].reinterpret(np.float64)


def test_a_view_cannot_leave_the_allocation(numbers):
    for offset, shape, strides in ((0, (25,), (4,)), (-4, (1,), (4,)), (92, (2,), (4,)), (0, (2,), (-4,))):
        with pytest.raises(sycl.InvalidParameterError, match="beyond"):
            numbers._view(offset, shape, strides, numbers.dtype, 4)


# -- protocols --


def test_the_buffer_protocol(numbers):
    with memoryview(numbers) as view:
        assert view.format == "i" and view.shape == (4, 6) and not view.readonly and view.c_contiguous
        assert view.tolist() == np.arange(24).reshape(4, 6).tolist()
    with memoryview(numbers[:, 1]) as view:
        assert view.strides == (24,) and view.tolist() == [1, 7, 13, 19]
    assert bytes(numbers[1, 1:3]) == np.array([7, 8], np.int32).tobytes()
    with pytest.raises(BufferError, match="contiguous"):
        np.frombuffer(numbers[:, 1], np.int32)
    assert numbers._views == 0


def test_numpy_array_and_copy(numbers):
    assert np.shares_memory(np.asarray(numbers), np.asarray(numbers))
    assert not np.shares_memory(np.array(numbers), np.asarray(numbers))
    assert numbers.__array__().ctypes.data == numbers.ptr
    assert numbers.__array__(copy=False).ctypes.data == numbers.ptr
    assert numbers.__array__(copy=True).ctypes.data != numbers.ptr
    assert numbers.__array__(np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        numbers.__array__(np.float64, copy=False)
    assert np.add(numbers, 1).tolist() == (np.arange(24).reshape(4, 6) + 1).tolist()
    assert np.sum(numbers) == 276


def test_the_array_interface(numbers):
    class Bare:
        __array_interface__ = numbers[1:, ::2].__array_interface__

    view = np.asarray(Bare())
    assert np.array_equal(view, np.arange(24).reshape(4, 6)[1:, ::2])
    numbers[1, 0] = -1
    assert view[0, 0] == -1
    assert numbers.__array_interface__["data"] == (numbers.ptr, False)
    numbers.free()  # nobody can tell that the address is in use: it does not count as a view


def test_dlpack(numbers):
    view = np.from_dlpack(numbers)
    assert view.ctypes.data == numbers.ptr and view.shape == (4, 6)
    assert numbers.__dlpack_device__() == (1, 0)
    with pytest.raises(sycl.InvalidObjectError, match="1 view"):
        numbers.free()
    del view
    capsule = numbers.__dlpack__(max_version=(1, 0))
    assert numbers._views == 1
    del capsule
    gc.collect()
    numbers.free()


# -- lifetime --


def test_the_last_array_frees(queue, no_leaks):
    for size in (8, 1 << 20):
        x = sycl.malloc_device(size, queue)
        part = x[2:4]
        address = x.ptr
        del x
        assert sycl.get_pointer_type(address, queue) is sycl.UsmKind.device
        del part
        assert sycl.get_pointer_type(address, queue) is sycl.UsmKind.unknown


def test_a_cycle_is_collected(queue, host_kind, no_leaks):
    x = sycl.malloc(8, np.int32, queue, kind=host_kind)
    holder = [x]
    holder.append(holder)
    reference = weakref.ref(x)
    del x, holder
    gc.collect()
    assert reference() is None


def test_freeing_empties_every_array_over_it(numbers):
    part, other = numbers[1:], numbers.reshape(24)
    numbers.free()
    for one in (numbers, part, other):
        assert one.is_freed and not one
        assert repr(one) == "<pysycl.UsmArray, freed>"
        for use in (
            lambda one=one: one.ptr,
            lambda one=one: one.kind,
            lambda one=one: one[0],
            lambda one=one: one.view(),
            lambda one=one: np.asarray(one),
            lambda one=one: one.free(),
            lambda one=one: one.__array_interface__,
        ):
            with pytest.raises(sycl.InvalidObjectError, match="freed"):
                use()
        with pytest.raises(BufferError, match="freed"):
            memoryview(one)


def test_a_view_of_the_first_element_may_free(numbers):
    numbers[0].free()
    assert numbers.is_freed


def test_a_copy_of_device_memory_has_its_type(queue):
    x = sycl.malloc_device(8, np.int32, queue)
    queue.memcpy(x, np.arange(8, dtype=np.int32)).wait()
    assert np.asarray(x).dtype == np.int32 and np.asarray(x[:0]).dtype == np.int32
    assert np.asarray(x, np.float32).dtype == np.float32


def test_freed_memory_is_refused_by_commands(queue):
    x = sycl.malloc_device(8, np.int32, queue)
    x.free()
    for command in (
        lambda: queue.memset(x, 0, 8),
        lambda: queue.memcpy(x, np.zeros(8, np.int32), 8),
        lambda: queue.prefetch(x, 8),
    ):
        with pytest.raises(sycl.SyclError, match="freed"):
            command()


def test_a_live_view_refuses_the_end(numbers):
    one, two = np.asarray(numbers), memoryview(numbers[1:])
    with pytest.raises(sycl.InvalidObjectError, match="2 views"):
        numbers.free()
    with pytest.raises(sycl.InvalidObjectError, match="2 views"):
        sycl.free(numbers.ptr)
    two.release()
    del one
    numbers.free()


def test_a_numpy_view_keeps_the_memory(queue, host_kind):
    view = np.asarray(sycl.malloc(100, np.int32, queue, kind=host_kind))
    gc.collect()
    view[:] = 3
    assert sycl.get_pointer_type(view.ctypes.data, queue) is sycl.UsmKind[host_kind]
    assert view.sum() == 300


def test_with(queue, host_kind):
    with sycl.malloc(8, np.int32, queue, kind=host_kind) as x:
        assert not x.is_freed
    assert x.is_freed
    with pytest.raises(sycl.InvalidObjectError, match="freed"), x:
        pass
    with pytest.raises(sycl.InvalidObjectError, match="1 view"), sycl.malloc(8, queue, kind=host_kind) as x:
        view = np.asarray(x)
    with pytest.raises(ZeroDivisionError), x:  # an error is not hidden behind another
        raise ZeroDivisionError
    del view
    with x:
        x.free()


def test_repr_is_true(queue):
    x = sycl.malloc_device((2, 3), np.float32, queue)
    assert repr(x) == f"<pysycl.UsmArray device float32[2, 3] at {x.ptr:#x} on {queue.device.name}>"
    assert "\n" not in repr(x)


def test_no_pickles_and_no_shallow_copies(queue):
    x = sycl.malloc_device(8, queue)
    for copies in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled"):
            copies(x)
    with pytest.raises(TypeError):
        sycl.UsmArray()


def test_many_threads(queue, no_leaks):
    failures = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        held = {}
        try:
            for _ in range(300):
                slot = int(random.integers(8))
                if slot in held:
                    x = held.pop(slot)
                    assert sycl.get_pointer_type(x[x.size // 2 :], queue) is x.kind
                    x.free()
                else:
                    held[slot] = sycl.malloc_device(int(random.integers(1, 3000)), queue)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_memory_that_cannot_be_had(queue, host_kind, no_leaks):
    """The core's own allocations fail, each in turn."""
    failures = 0
    for n in range(1, 30):
        _core.usm_trim(None)
        _core.alloc_fail_at(n)
        try:
            sycl.malloc(8, queue, kind=host_kind).free()
        except sycl.MemoryAllocationError:
            failures += 1
        finally:
            _core.alloc_fail_at(0)
    assert failures >= 1
    assert sycl.memory_statistics(queue)[host_kind]["live_bytes"] == 0


def test_a_forked_child_says_so(queue, run_python):
    run_python("""
        import os, sys
        import pysycl as sycl
        q = sycl.Queue()
        x = sycl.malloc_device(8, q)
        child = os.fork()
        if child == 0:
            try:
                sycl.malloc_device(8, q)
            except sycl.ForkedProcessError:
                pass
            else:
                os._exit(1)
            try:
                x.free()
            except sycl.ForkedProcessError:
                os._exit(0)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        x.free()
    """)


# -- coarse memory: the fake driver spoils what the host may not look at --

COARSE = {"FAKE_SVM": "coarse"}


@pytest.mark.spec("H452")
def test_coarse_memory_is_mapped_for_the_host(run_fake):
    run_fake(
        """
        queue = sycl.Queue()
        for malloc in (sycl.malloc_shared, sycl.malloc_host):
            x = malloc(16, np.uint32, queue)
            view = np.asarray(x)
            view[:] = 5
            queue.parallel_for(16, program.fill_ids, x).wait_and_throw()
            assert view.tolist() == list(range(16)), view
            view[:] = 9
            out = np.zeros(16, np.uint32)
            queue.memcpy(out, x, 64).wait_and_throw()
            assert out.tolist() == [9] * 16, out
            assert view.tolist() == [9] * 16, view
            del view
            queue.parallel_for(16, program.fill_ids, x).wait_and_throw()
            assert np.asarray(x).tolist() == list(range(16))
            assert x[3] == 3
            x.free()
        assert fake.fake_error_count() == 0
        """,
        COARSE,
    )


@pytest.mark.spec("H452")
def test_a_look_at_coarse_memory_waits_for_commands_that_use_it(run_fake):
    run_fake(
        """
        queue = sycl.Queue()
        x = sycl.malloc_shared(16, np.uint32, queue)
        log = np.zeros(4, np.uint32)
        first = queue.parallel_for(1, program.slow, log, 300, wait=False)
        event = queue.parallel_for(16, program.fill_ids, x, depends_on=first, wait=False)
        assert np.asarray(x).tolist() == list(range(16))
        assert event.status is sycl.EventCommandStatus.complete
        """,
        COARSE,
    )


def test_coarse_memory_freed_while_it_is_mapped(run_fake):
    run_fake(
        """
        queue = sycl.Queue()
        for _ in range(3):
            x = sycl.malloc_shared(16, np.uint32, queue)
            x[:] = 1
            event = queue.parallel_for(16, program.fill_ids, x, wait=False)
            x.free()
            event.wait_and_throw()
        del x, event
        assert fake.fake_live(b"svm") == 0
        assert fake.fake_error_count() == 0
        """,
        COARSE,
    )


def test_intels_extension(run_fake):
    run_fake(
        """
        queue = sycl.Queue()
        for kind in ("device", "host", "shared"):
            assert queue.device.has(f"usm_{kind}_allocations")
            x = sycl.malloc(16, np.uint32, queue, kind=kind)
            out = np.zeros(16, np.uint32)
            queue.fill(x, np.uint32(7), 16).wait()
            queue.memcpy(out, x, 64).wait_and_throw()
            assert out.tolist() == [7] * 16
            queue.parallel_for(16, program.fill_ids, x).wait()
            queue.memcpy(out, x, 64).wait_and_throw()
            assert out.tolist() == list(range(16))
            queue.prefetch(x, 64).wait_and_throw()
            queue.mem_advise(x, 64, 0).wait_and_throw()
            x.free()
        assert fake.fake_error_count() == 0
        """,
        {"FAKE_SVM": "fine", "FAKE_INTEL_USM": "1"},
    )


def test_more_than_the_allocation_has(queue, host_kind):
    x = sycl.malloc(4, np.int32, queue, kind=host_kind)
    for call, words in (
        (lambda: queue.memset(x, 0, 17), "memset: ptr is a UsmArray of 16 bytes, and 17 are to be set"),
        (lambda: queue.fill(x, 0, 5), "fill: dest is a UsmArray of 16 bytes, and 20 are to be filled"),
        (lambda: queue.prefetch(x, 17), "prefetch: ptr is a UsmArray of 16 bytes, and 17 are to be prefetched"),
        (lambda: queue.mem_advise(x, 17, 0), "mem_advise: ptr is a UsmArray of 16 bytes, and 17 are to be advised on"),
        (lambda: queue.memcpy(x, np.zeros(5, np.int32)), "memcpy: dest is a UsmArray of 16 bytes, and 20 are to be copied"),
    ):  # fmt: skip
        with pytest.raises(sycl.InvalidParameterError) as caught:
            call()
        assert str(caught.value) == words
