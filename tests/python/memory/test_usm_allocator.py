"""Limits, figures and the cache of unified shared memory; the allocator as a buffer's."""

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

pytestmark = pytest.mark.usefixtures("needs_usm")


@pytest.fixture
def fresh(queue):
    """A context of the test's own: its figures begin at 0."""
    return sycl.Queue(queue.device, context=sycl.Context(queue.device))


def figures(queue, kind="device"):
    return sycl.memory_statistics(queue)[kind]


def test_figures(fresh):
    assert figures(fresh) == dict.fromkeys(("live_bytes", "live_count", "peak_bytes", "cached_bytes", "limit_bytes"), 0)
    x, y = sycl.malloc_device(100, fresh), sycl.malloc_device(1 << 20, fresh)
    assert (figures(fresh)["live_bytes"], figures(fresh)["live_count"]) == (100 + (1 << 20), 2)
    assert figures(fresh, "shared")["live_count"] == 0
    x.free()
    y.free()
    now = figures(fresh)
    assert (now["live_bytes"], now["live_count"], now["peak_bytes"]) == (0, 0, 100 + (1 << 20))
    assert now["cached_bytes"] > 0  # of the small one
    assert sycl.trim_memory(fresh) > 0
    assert figures(fresh)["cached_bytes"] == 0
    assert sycl.trim_memory(fresh) == 0


def test_small_allocations_do_not_ask_the_driver(fresh):
    sycl.malloc_device(64, fresh).free()
    before = _core.live_counts()["svm_allocation"]
    held = [sycl.malloc_device(64, fresh) for _ in range(100)]
    assert _core.live_counts()["svm_allocation"] == before
    del held
    assert figures(fresh)["live_count"] == 0


def test_no_growth_over_rounds(fresh, live_counts):
    for _ in range(1000):
        sycl.malloc_device(64, fresh).free()
    before = live_counts.quiet()
    sycl.malloc_device(64, fresh).free()
    cached = figures(fresh)["cached_bytes"]
    for _ in range(10000):
        sycl.malloc_device(64, fresh).free()
    assert figures(fresh)["cached_bytes"] == cached
    assert live_counts.settled(before) == before


def test_the_cache_ends_with_its_context(queue, no_leaks):
    queue = sycl.Queue(queue.device, context=sycl.Context(queue.device))
    sycl.malloc_device(64, queue).free()
    before = _core.live_counts()
    del queue
    after = _core.live_counts()
    assert after["context"] == before["context"] - 1
    assert after["svm_allocation"] == before["svm_allocation"] - 1


def test_limits(fresh):
    allocator = sycl.UsmAllocator("device", fresh)
    assert allocator.limit == 0
    allocator.limit = 1000
    x = allocator.allocate(600)
    for allocate in (allocator.allocate, lambda n: sycl.malloc_device(n, fresh)):
        with pytest.raises(sycl.MemoryAllocationError, match="limit of 1000"):
            allocate(401)
    y = allocator.allocate(400)
    assert allocator.statistics["live_bytes"] == 1000
    allocator.deallocate(x)
    allocator.deallocate(y)
    with pytest.raises(sycl.InvalidParameterError, match="negative"):
        allocator.limit = -1
    allocator.limit = 0
    allocator.deallocate(allocator.allocate(5000))
    assert allocator.trim() > 0


def test_as_a_buffers_allocator(queue):
    if not queue.device.has("usm_host_allocations"):
        pytest.skip("no host memory")
    allocator = sycl.UsmAllocator("host", queue)
    program = sycl.Program("__kernel void add(__global int *x) { x[get_global_id(0)] += 1; }")
    before = allocator.statistics["live_count"]
    data = np.arange(1000, dtype=np.int32)
    with sycl.Buffer((1000,), np.int32, allocator=allocator) as b:
        with b.host_access("write") as view:
            view[:] = data
        queue.submit(lambda h: h.parallel_for(1000, program.add, h.read_write(b)))
        assert np.array_equal(np.asarray(b), data + 1)
        assert allocator.statistics["live_count"] == before + 1
    del view
    assert allocator.statistics["live_count"] == before


def test_it_refuses_other_memory(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared memory")
    x = sycl.malloc_shared(8, queue)
    with pytest.raises(sycl.InvalidParameterError, match="is shared memory, not device memory"):
        sycl.UsmAllocator("device", queue).deallocate(x)
    with pytest.raises(sycl.InvalidParameterError, match="another context"):
        sycl.UsmAllocator("shared", sycl.Context(queue.device)).deallocate(x)


def test_repr(queue):
    assert repr(sycl.UsmAllocator("device", queue, alignment=64)) == (
        f"<pysycl.UsmAllocator device memory on {queue.device.name}, alignment 64>"
    )
    assert repr(sycl.UsmAllocator("host", queue)) == "<pysycl.UsmAllocator host memory, alignment default>"


def test_an_allocator_s_exception_is_not_lost(queue):
    """Ctrl-C passes as it is; everything else is the cause of the error."""
    program = sycl.Program("__kernel void put(__global float *x) { x[get_global_id(0)] = 1; }")

    def interrupted(nbytes):
        raise KeyboardInterrupt("by hand")

    def failing(nbytes):
        raise ValueError("no luck")

    b = sycl.Buffer(4, np.float32, allocator=interrupted)
    with pytest.raises(KeyboardInterrupt, match="by hand"):
        b.host_access("write")
    b = sycl.Buffer(4, np.float32, allocator=failing)
    with pytest.raises(sycl.MemoryAllocationError) as caught:
        b.host_access("write")
    assert str(caught.value) == "the buffer's allocator raised ValueError: no luck when asked for 16 bytes"
    assert isinstance(caught.value.__cause__, ValueError)
    if queue.device._facts["shares_host_memory"]:
        b = sycl.Buffer(4, np.float32, allocator=interrupted)
        with pytest.raises(KeyboardInterrupt, match="by hand"):
            queue.parallel_for(4, program.put, b)
        with pytest.raises(sycl.MemoryAllocationError) as caught:
            queue.parallel_for(4, program.put, sycl.Buffer(4, np.float32, allocator=lambda nbytes: None))
        assert caught.value.__cause__ is None


def test_numbers_beyond_all_memory(fresh):
    much = 2**63
    for call, words in (
        (
            lambda: sycl.aligned_alloc(much, 4, fresh, kind="host"),
            f"alignment: {much} is more than any memory has bytes",
        ),
        (lambda: sycl.aligned_alloc("a", 4, fresh, kind="host"), "alignment: expected a number of bytes, got 'a'"),
        (
            lambda: setattr(sycl.UsmAllocator("host", fresh), "limit", much),
            f"limit: {much} is more than any memory has bytes; 0 is no limit",
        ),
    ):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            call()
        assert str(caught.value) == words
