"""SYCL 2020, 4.8: unified shared memory: kinds, allocation functions, freeing, queries on pointers."""

import numpy as np
import pytest

import pysycl as sycl

KINDS = ("device", "host", "shared")
PROGRAM = sycl.Program("""
__kernel void increment(__global int *x) { x[get_global_id(0)] += 1; }
__kernel void address(__global int *x, __global ulong *out) { out[0] = (ulong)x; }
__kernel void follow(__global const int *from, __global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
""")


pytestmark = pytest.mark.usefixtures("needs_usm")


def require(device: sycl.Device, kind: str) -> None:
    if not device.has(f"usm_{kind}_allocations"):
        pytest.skip(f"no {kind} memory")


def functions(kind: str):
    """Every way to allocate: taking an alignment or not."""
    return getattr(sycl, f"malloc_{kind}"), getattr(sycl, f"aligned_alloc_{kind}")


@pytest.mark.spec("H448")
def test_usm_and_buffers_work_together(queue):
    require(queue.device, "shared")
    x = sycl.malloc_shared(8, np.int32, queue)
    x[:] = np.arange(8)
    out = np.zeros(8, np.int32)
    with sycl.Buffer(out) as b:
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.follow, x, h.write(b)))
    assert out.tolist() == list(range(8))
    x.free()


@pytest.mark.spec("H449")
@pytest.mark.parametrize("kind", KINDS)
def test_an_address_is_the_same_on_host_and_device(queue, kind):
    require(queue.device, kind)
    x = sycl.malloc(8, np.int32, queue, kind=kind)
    seen = np.zeros(1, np.uint64)
    queue.parallel_for(1, PROGRAM.address, x, seen)
    assert int(seen[0]) == x.ptr


@pytest.mark.spec("H450", "H256", "H257", "H258")
@pytest.mark.parametrize("kind", KINDS)
def test_a_device_says_what_it_has(device, kind):
    queue = sycl.Queue(device)
    if device.has(f"usm_{kind}_allocations"):
        sycl.malloc(8, queue, kind=kind).free()
    else:
        with pytest.raises(sycl.FeatureNotSupportedError, match=f"no {kind} allocations"):
            sycl.malloc(8, queue, kind=kind)


@pytest.mark.spec("H450")
def test_the_tiers_are_aspects(device):
    """Explicit, restricted, concurrent, system: each may be missing, and a higher one brings the lower ones along."""
    explicit, restricted, concurrent, system = (
        device.has(f"usm_{name}_allocations") for name in ("device", "restricted_shared", "atomic_shared", "system")
    )
    assert {type(each) for each in (explicit, restricted, concurrent, system)} == {bool}
    assert restricted is device.has("usm_shared_allocations")
    assert explicit or not restricted
    assert restricted or not concurrent
    assert device.has("usm_host_allocations") or not device.has("usm_atomic_host_allocations")
    if restricted:
        x = sycl.malloc_shared(4, np.int32, sycl.Queue(device))
        assert x.kind is sycl.UsmKind.shared and np.asarray(x).shape == (4,)


@pytest.mark.spec("H450")
def test_a_device_without_any(run_fake):
    run_fake("""
        device = sycl.Device()
        for kind in ("device", "host", "shared"):
            assert not device.has(f"usm_{kind}_allocations")
            try:
                sycl.malloc(8, sycl.Queue(), kind=kind)
            except sycl.FeatureNotSupportedError as error:
                assert kind in str(error) and "Fake device" in str(error), error
            else:
                raise AssertionError(kind)
    """)


@pytest.mark.spec("H451", "H456", "H461")
def test_device_memory_is_copied_by_hand(queue):
    require(queue.device, "device")
    x = sycl.malloc_device(16, np.int32, queue)
    data, back = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    queue.memcpy(x, data, data.nbytes)
    queue.parallel_for(16, PROGRAM.increment, x).wait()
    queue.memcpy(back, x, back.nbytes).wait_and_throw()
    assert back.tolist() == list(range(1, 17))
    with pytest.raises(BufferError, match=r"device memory.*memcpy"):
        memoryview(x)
    for touch in (
        lambda: x.view(),
        lambda: x[0],
        lambda: x.__setitem__(0, 1),
        lambda: x.__setitem__(slice(2), 1),
        lambda: np.from_dlpack(x),
        lambda: list(x),
    ):
        with pytest.raises(sycl.InvalidObjectError, match=r"device memory.*queue\.memcpy"):
            touch()


@pytest.mark.spec("H452", "H457", "H458")
@pytest.mark.parametrize("kind", ["host", "shared"])
def test_host_and_device_take_turns(queue, kind):
    require(queue.device, kind)
    x = sycl.malloc(100, np.int32, queue, kind=kind)
    view = np.asarray(x)
    view[:] = np.arange(100)
    for turn in range(1, 4):
        queue.parallel_for(100, PROGRAM.increment, x).wait_and_throw()
        assert np.array_equal(view, np.arange(100) + 2 * turn - 1)
        view += 1
        assert np.array_equal(np.asarray(x), np.arange(100) + 2 * turn)


@pytest.mark.spec("H453")
def test_concurrent_use_where_the_device_can(queue, busy):
    if not queue.device.has("usm_atomic_shared_allocations"):
        pytest.skip("no concurrent use of shared memory")
    x = sycl.malloc_shared(2, np.uint64, queue)
    x[:] = 0
    event = busy(queue, x[:1])
    view = np.asarray(x)
    view[1] = 7  # while the command writes the element beside it
    event.wait_and_throw()
    assert view.tolist() == [1, 7]


@pytest.mark.spec("H454")
def test_ordinary_memory_goes_to_kernels_as_it_is(queue):
    x = np.zeros(16, np.int32)
    queue.parallel_for(16, PROGRAM.increment, x)
    assert x.tolist() == [1] * 16


@pytest.mark.spec("H455")
def test_the_kinds_by_name():
    assert [kind.name for kind in sycl.UsmKind] == ["host", "device", "shared", "unknown"]
    assert sycl.usm.alloc is sycl.UsmKind


@pytest.mark.spec("H457")
def test_host_memory_is_for_all_devices_of_a_context(run_fake):
    run_fake(
        """
        devices = sycl.platforms()[0].devices
        assert len(devices) == 2
        context = sycl.Context(devices)
        x = sycl.malloc_host(16, np.uint32, context)
        assert x.device is None and sycl.get_pointer_device(x, context) == devices[0]
        for device in devices:
            queue = sycl.Queue(device, context=context)
            x[:] = 0
            queue.parallel_for(16, program.fill_ids, x).wait_and_throw()
            assert np.asarray(x).tolist() == list(range(16))
        for bad in (sycl.malloc_device, sycl.malloc_shared):
            try:
                bad(16, context)
            except sycl.InvalidParameterError as error:
                assert "name it" in str(error)
            else:
                raise AssertionError(bad)
            assert bad(16, np.uint8, devices[1], context).device == devices[1]
        """,
        {"FAKE_DEVICES": "2", "FAKE_SVM": "fine"},
    )


@pytest.mark.spec("H463", "H467", "H468", "H470")
@pytest.mark.parametrize("kind", KINDS)
def test_forms_of_malloc(queue, kind):
    require(queue.device, kind)
    allocate, _ = functions(kind)
    context, device = queue.context, queue.device
    made = [
        allocate(24, queue),
        allocate(3, np.float64, queue),
        allocate((2, 3), np.int32, queue),
        allocate(3, np.float64, device, context),
        allocate(24, device, context),
        allocate(3, np.float64, queue=queue),
        allocate(3, np.float64, context=context, queue=device),
        allocate(24, context),
        sycl.malloc(24, queue, kind=kind),
        sycl.malloc(3, np.float64, device, context, kind=sycl.UsmKind[kind]),
    ]
    for x in made:
        assert x.nbytes == 24 and x.kind is sycl.UsmKind[kind] and x.context == context
        assert x.device == (None if kind == "host" else device)
        assert x.dtype == {24: np.uint8, 3: np.float64, 6: np.int32}[x.size]
    assert len({x.ptr for x in made}) == len(made)


@pytest.mark.spec("H464")
@pytest.mark.parametrize("kind", KINDS)
def test_failure_names_bytes_kind_and_device(queue, kind):
    require(queue.device, kind)
    with pytest.raises(sycl.MemoryAllocationError) as caught:
        sycl.malloc(2**60, queue, kind=kind)
    assert f"{2**60} bytes of {kind} memory on device '{queue.device.name}'" in str(caught.value)
    assert isinstance(caught.value, MemoryError)


@pytest.mark.spec("H464", "H471")
def test_an_array_is_true_until_it_is_freed(queue):
    x = sycl.malloc_device(0, queue)
    assert x
    assert x.ptr
    x.free()
    assert not x


@pytest.mark.spec("H465")
def test_no_context_is_a_host_context(queue):
    """SYCL 2020 dropped it: device memory is a device's in every context that there is."""
    assert not queue.context.is_host
    assert sycl.malloc_device(8, queue.context).kind is sycl.UsmKind.device


@pytest.mark.spec("H466", "H469")
@pytest.mark.parametrize("kind", KINDS)
def test_forms_of_aligned_alloc(queue, kind):
    require(queue.device, kind)
    _, allocate = functions(kind)
    for alignment in (0, *(2**n for n in range(17))):
        for x in (
            allocate(alignment, 24, queue),
            allocate(alignment, 3, np.float64, queue),
            allocate(alignment, 3, np.float64, queue.device, queue.context),
            sycl.aligned_alloc(alignment, 3, np.float64, queue, kind=kind),
        ):
            assert x.nbytes == 24 and x.kind is sycl.UsmKind[kind]
            assert x.ptr % (alignment or 128) == 0
    for alignment in (3, 24, -8):
        with pytest.raises(sycl.InvalidParameterError, match="power of two"):
            allocate(alignment, 24, queue)


@pytest.mark.spec("H467", "H470")
def test_the_device_is_ignored_for_host_memory(queue):
    require(queue.device, "host")
    x = sycl.malloc(8, np.uint8, queue.device, queue.context, kind="host")
    assert x.device is None


@pytest.mark.spec("H470")
def test_what_cannot_be_allocated(queue):
    with pytest.raises(sycl.InvalidParameterError, match="unknown"):
        sycl.malloc(8, queue, kind="unknown")
    with pytest.raises(sycl.InvalidParameterError, match="no UsmKind"):
        sycl.malloc(8, queue, kind="private")
    with pytest.raises(sycl.InvalidParameterError, match="negative"):
        sycl.malloc_device(-1, queue)
    with pytest.raises(sycl.InvalidParameterError, match="shape: expected an int or a tuple of ints, got 'many'"):
        sycl.malloc_device("many", queue)
    with pytest.raises(sycl.InvalidParameterError, match="Python objects"):
        sycl.malloc_device(8, object, queue)
    with pytest.raises(sycl.InvalidParameterError, match="expected a Queue"):
        sycl.malloc_device(8, np.int32, "gpu")
    with pytest.raises(sycl.InvalidParameterError, match="addressed"):
        sycl.malloc_device((2**40, 2**40), queue)


@pytest.mark.spec("H471")
def test_free_by_array_or_address_in_its_context(queue):
    x, y, z = (sycl.malloc_device(100, np.int32, queue) for _ in range(3))
    sycl.free(x, queue)
    sycl.free(y.ptr, queue.context)
    sycl.free(z)
    assert x.is_freed and y.is_freed and z.is_freed
    for gone in (x, y, z):
        with pytest.raises(sycl.InvalidObjectError, match="freed before"):
            sycl.free(gone, queue)
        with pytest.raises(sycl.InvalidObjectError, match="has been freed"):
            gone.free()


@pytest.mark.spec("H471")
def test_free_of_what_is_no_allocation(queue):
    x = sycl.malloc_device(100, np.int32, queue)
    for inside in (x[1:], x.ptr + 4):
        with pytest.raises(sycl.InvalidParameterError, match="lies 4 bytes inside the allocation"):
            sycl.free(inside, queue)
    with pytest.raises(sycl.InvalidObjectError, match="no allocation"):
        sycl.free(8, queue)
    other = sycl.Context(queue.device)
    with pytest.raises(sycl.InvalidParameterError, match="another context"):
        sycl.free(x, other)
    with pytest.raises(sycl.InvalidObjectError, match="in that context"):
        sycl.free(x.ptr, other)
    sycl.free(x, queue)


@pytest.mark.spec("H471")
def test_memory_freed_in_flight_serves_to_the_end(queue, busy):
    x = sycl.malloc_device(1, np.uint64, queue)
    out = np.zeros(1, np.uint64)
    queue.memset(x, 0, 8).wait()
    first = busy(queue, x)
    second = queue.memcpy(out, x, 8, depends_on=first)
    address = x.ptr
    sycl.free(x, queue)
    assert sycl.get_pointer_type(address, queue) is sycl.UsmKind.unknown
    second.wait_and_throw()
    assert out[0] == 1


@pytest.mark.spec("H478")
@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_a_pointer(queue, kind):
    require(queue.device, kind)
    context, other = queue.context, sycl.Context(queue.device)
    x = sycl.malloc(10, np.int32, queue, kind=kind)
    for pointer in (x, x[3:], x.ptr, x.ptr + 39):
        assert sycl.get_pointer_type(pointer, context) is sycl.UsmKind[kind]
        assert sycl.get_pointer_type(pointer, queue) is sycl.UsmKind[kind]
        assert sycl.get_pointer_type(pointer, other) is sycl.UsmKind.unknown
    for pointer in (x.ptr + 40, x.ptr - 1, 0, 2**63, np.zeros(4).ctypes.data):
        assert sycl.get_pointer_type(pointer, context) is sycl.UsmKind.unknown
    others = {
        each: sycl.malloc(3, np.int64, queue, kind=each)
        for each in KINDS
        if queue.device.has(f"usm_{each}_allocations")
    }
    for each, one in others.items():  # each pointer is of its own allocation's kind, at both ends of it
        for pointer in (one.ptr, one.ptr + 23, one[2:]):
            assert sycl.get_pointer_type(pointer, context) is sycl.UsmKind[each]
    x.free()
    assert sycl.get_pointer_type(x, context) is sycl.UsmKind.unknown
    for each, one in others.items():  # and stays so when a neighbour goes
        assert sycl.get_pointer_type(one.ptr + 23, context) is sycl.UsmKind[each]
        one.free()
    with pytest.raises(sycl.InvalidParameterError, match="UsmArray or an address"):
        sycl.get_pointer_type("x", context)


@pytest.mark.spec("H479")
@pytest.mark.parametrize("kind", KINDS)
def test_the_device_of_a_pointer(queue, kind):
    require(queue.device, kind)
    x = sycl.malloc(10, np.int32, queue, kind=kind)
    for pointer in (x, x[3:], x.ptr + 39):
        assert sycl.get_pointer_device(pointer, queue.context) == queue.device
    for pointer in (0, x.ptr + 40):
        with pytest.raises(sycl.InvalidParameterError, match="no allocation"):
            sycl.get_pointer_device(pointer, queue)
    x.free()
    with pytest.raises(sycl.InvalidParameterError, match="no allocation"):
        sycl.get_pointer_device(x, queue)


@pytest.mark.spec("H456", "H479")
def test_a_sub_device_has_memory_of_its_own(device):
    if device.partition_max_sub_devices < 2:
        pytest.skip("one compute unit")
    part = device.create_sub_devices("partition_by_counts", [1])[0]
    queue = sycl.Queue(part)
    for kind in KINDS:
        require(part, kind)
        x = sycl.malloc(4, np.int32, queue, kind=kind)
        assert sycl.get_pointer_device(x, queue) == part
        assert sycl.get_pointer_type(x, queue) is sycl.UsmKind[kind]
        queue.memset(x, 0, 16).wait()
        queue.parallel_for(4, PROGRAM.increment, x).wait_and_throw()
        if kind != "device":
            assert np.asarray(x).tolist() == [1] * 4
        sycl.free(x, queue)


@pytest.mark.spec("H476", "H477", "D230")
def test_hints_change_nothing(queue):
    require(queue.device, "shared")
    x = sycl.malloc_shared(1000, np.int32, queue)
    x[:] = np.arange(1000)
    queue.prefetch(x, 4000).wait_and_throw()
    queue.mem_advise(x, 4000, 0).wait_and_throw()
    assert np.array_equal(np.asarray(x), np.arange(1000))
