"""SYCL 2020, 4.8.6: the allocator of unified shared memory."""

import numpy as np
import pytest

import pysycl as sycl

KINDS = ("device", "host", "shared")


pytestmark = pytest.mark.usefixtures("needs_usm")


@pytest.fixture(params=KINDS)
def kind(request, device):
    if not device.has(f"usm_{request.param}_allocations"):
        pytest.skip(f"no {request.param} memory")
    return request.param


@pytest.mark.spec("H459", "H460")
def test_kind_and_alignment_are_the_allocators(queue, kind):
    for alignment in (0, 8, 256):
        allocator = sycl.UsmAllocator(kind, queue, alignment=alignment)
        assert allocator.kind is sycl.UsmKind[kind] and allocator.alignment == alignment
        x = allocator.allocate(10, np.float32)
        assert x.kind is sycl.UsmKind[kind] and x.shape == (10,) and x.dtype == np.float32
        assert x.ptr % (alignment or 128) == 0
        allocator.deallocate(x, 10)
        assert x.is_freed
    with pytest.raises(AttributeError):
        allocator.kind = "host"


@pytest.mark.spec("H460")
def test_it_is_made_for_a_queue_or_a_context_and_device(queue, kind):
    context, device = queue.context, queue.device
    made = [
        sycl.UsmAllocator(kind, queue),
        sycl.UsmAllocator(kind, device, context),
        sycl.UsmAllocator(kind, context),
    ]
    for allocator in made:
        assert allocator.context == context
        assert allocator.device == (None if kind == "host" else device)
        assert allocator == made[0] and hash(allocator) == hash(made[0])
    with pytest.raises(TypeError):
        sycl.UsmAllocator()
    with pytest.raises(sycl.InvalidParameterError, match="needs a queue"):
        sycl.UsmAllocator(kind, None)


@pytest.mark.spec("H461")
def test_device_memory_has_no_elements_for_the_host(queue):
    x = sycl.UsmAllocator("device", queue).allocate(4, np.int32)
    with pytest.raises(sycl.InvalidObjectError, match="device memory"):
        x[0] = 1
    with pytest.raises(sycl.InvalidObjectError, match="device memory"):
        x[0]


@pytest.mark.spec("H462")
def test_equality(queue, kind):
    one = sycl.UsmAllocator(kind, queue, alignment=64)
    same = sycl.UsmAllocator(kind, queue, alignment=64)
    assert one == same
    same.deallocate(one.allocate(4))
    assert one != sycl.UsmAllocator(kind, queue, alignment=32)
    assert one != sycl.UsmAllocator(kind, sycl.Context(queue.device), alignment=64)
    assert all(one != sycl.UsmAllocator(other, queue, alignment=64) for other in KINDS if other != kind)
    assert one != "allocator"


@pytest.mark.spec("H462")
def test_the_device_counts_but_for_host_memory(run_fake):
    run_fake(
        """
        devices = sycl.platforms()[0].devices
        context = sycl.Context(devices)
        for kind in ("device", "shared", "host"):
            a, b = (sycl.UsmAllocator(kind, device, context) for device in devices)
            assert (a == b) is (kind == "host"), kind
        """,
        {"FAKE_DEVICES": "2", "FAKE_SVM": "fine"},
    )
