"""Accessors: SYCL 2020, 4.7.6; and the requirements that they make: 3.7."""

import signal
import threading
import time

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void set(__global float *x, float a) { x[get_global_id(0)] = a; }
__kernel void copy(__global float *to, __global const float *from) { size_t i = get_global_id(0); to[i] = from[i]; }
__kernel void scale(__global float *x, __constant float *by) { x[get_global_id(0)] *= by[0]; }
__kernel void ignore(__global int *out, __global float *x) { out[0] = 1; }
__kernel void rows(__global float *x, __local float *scratch)
{
    size_t g = get_group_id(0), l = get_local_id(0), n = get_local_size(0);
    scratch[l] = x[g * n + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[g * n + l] = scratch[n - 1 - l];
}
""")
R, W, RW = sycl.AccessMode.read, sycl.AccessMode.write, sycl.AccessMode.read_write


@pytest.fixture
def b():
    x = np.arange(8, dtype=np.float32)
    with sycl.Buffer(x) as buffer:
        yield buffer


def add(queue, buffer, amount=1.0, **options):
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h, **options), amount))


# -- requirements --


@pytest.mark.spec("H008", "H040", "H041")
def test_an_accessor_orders_commands_used_or_not(queue, b, busy):
    add(queue, sycl.Buffer(8, np.float32)).wait()  # builds the kernel
    first = busy(queue, np.zeros(1, np.uint64), 0.2)
    with queue.submit() as h:
        h.depends_on(first)
        sycl.Accessor(b, h, "write")  # no command looks at it
    held = h.event
    second = add(queue, b)
    assert held in second.wait_list
    second.wait()
    assert held.status is sycl.EventCommandStatus.complete


@pytest.mark.spec("H007", "H383", "H386")
def test_device_accessors_live_in_their_group(queue, b):
    with queue.submit() as h:
        a = sycl.Accessor(b, h)
        h.parallel_for(8, PROGRAM.add, a, 1.0)
    with queue.submit() as h, pytest.raises(sycl.SyclError, match="group"):
        h.parallel_for(8, PROGRAM.add, a, 1.0)
    h = queue.submit()
    with h:
        pass
    with pytest.raises(sycl.InvalidError, match="has ended"):
        sycl.Accessor(b, h)


@pytest.mark.spec("H044", "H045", "H046", "H047")
@pytest.mark.parametrize(
    "modes", [("read", "write"), ("write", "read"), ("read", "read_write"), ("write", "read_write")]
)
def test_several_accessors_of_one_object(queue, b, modes):
    """RO+WO is RW: the writes come after what was there before, whatever the order of construction."""
    add(queue, b)
    with queue.submit() as h:
        accessors = {mode: sycl.Accessor(b, h, mode, no_init=mode == "write") for mode in modes}
        a = accessors.get("read_write") or accessors["write"]
        h.parallel_for(8, PROGRAM.add, a, 1.0)
    assert np.array_equal(np.asarray(b), np.arange(8) + 2)


@pytest.mark.spec("H048", "H050")
def test_at_most_one_target_is_written(queue, b):
    for one, other in (
        (("read_write", "device"), ("read_write", "host_task")),
        (("write", "device"), ("write", "host_task")),
    ):
        with queue.submit() as h:
            sycl.Accessor(b, h, one[0], target=one[1])
            with pytest.raises(sycl.AccessorError, match="only one of them may be written"):
                sycl.Accessor(b, h, other[0], target=other[1])
    with queue.submit() as h:
        sycl.Accessor(b, h, "read_write")
        sycl.Accessor(b, h, "read", target="host_task")


@pytest.mark.spec("H051", "H052", "H053", "H054")
def test_only_disjoint_sub_buffers_are_independent(run_fake):
    run_fake("""
        queue, b = sycl.Queue(), sycl.Buffer(np.zeros(64, np.uint32))
        low, high, middle = b[:32], b[32:], b[16:48]
        def submit(*accessors):
            with queue.submit(wait=False) as h:
                for buffer, options in accessors:
                    sycl.Accessor(buffer, h, **options)
                h.single_task(program.slow, np.zeros(1, np.uint32), 0)
            return h.event
        fake.fake_hold(1)
        one, two = submit((low, {})), submit((high, {}))
        assert two.wait_list == []
        both = submit((middle, {}))
        assert set(both.wait_list) == {one, two}
        ranged = [submit((b, dict(range=32, offset=offset))) for offset in (0, 32)]
        assert ranged[1].wait_list == [ranged[0]]
        readers = [submit((b, dict(mode="read"))) for _ in range(3)]
        assert all(each.wait_list == [ranged[1]] for each in readers)
        assert set(submit((low, {})).wait_list) >= set(readers)
        fake.fake_hold(0)
        queue.wait_and_throw()
        """)


@pytest.mark.spec("H055", "H056", "H075", "H098")
def test_commands_wait_for_a_host_accessor(queue, b):
    other = sycl.Buffer(8, np.float32)
    with b.host_access("read_write") as a:
        late = add(queue, b)
        add(queue, other).wait()  # unrelated objects continue
        time.sleep(0.05)
        assert late.status is not sycl.EventCommandStatus.complete
        a[:] = 10
    late.wait()
    assert (np.asarray(b) == 11).all()


@pytest.mark.spec("H055", "H075", "H385")
def test_a_host_accessor_waits_for_writers_in_all_queues(device, b, busy):
    queues = [sycl.Queue(device) for _ in range(3)]
    for queue in queues:
        slow = busy(queue, np.zeros(1, np.uint64), 0.05)
        queue.submit(
            lambda h, slow=slow: (h.depends_on(slow), h.parallel_for(8, PROGRAM.add, sycl.Accessor(b, h), 1.0))
        )
    with b.host_access("read") as a:
        assert np.array_equal(a, np.arange(8) + 3)


@pytest.mark.spec("H054")
def test_host_readers_do_not_wait_for_readers(queue, b):
    with b.host_access("read") as first, b.host_access("read") as second:
        target = np.zeros(8, np.float32)
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.copy, target, sycl.Accessor(b, h, "read"))).wait_and_throw()
        assert first.tolist() == second.tolist() == target.tolist()


# -- modes, targets, tags --


@pytest.mark.spec("H042", "H378", "H389", "H398", "H400")
def test_modes(queue, b):
    with queue.submit() as h:
        assert sycl.Accessor(b, h).mode is RW
        assert sycl.Accessor(b, h).target is sycl.Target.device
        assert sycl.Accessor(b, h, target="constant_buffer").mode is R
        for word, mode, no_init in (
            ("read", R, False), ("write", W, False), ("read_write", RW, False), ("discard_write", W, True),
            ("discard_read_write", RW, True), ("atomic", RW, False), (sycl.AccessMode.write, W, False),
        ):  # fmt: skip
            a = sycl.Accessor(b, h, word)
            assert (a.mode, a.no_init, a.has_property("no_init")) == (mode, no_init, no_init)
        with pytest.raises(sycl.InvalidParameterError, match="must be one of"):
            sycl.Accessor(b, h, "readwrite")
        for mode in ("write", "read_write"):
            with pytest.raises(sycl.InvalidParameterError, match="constant_buffer can read only"):
                sycl.Accessor(b, h, mode, target="constant_buffer")


@pytest.mark.spec("H377", "H387")
def test_targets(b):
    assert sycl.Accessor(b, target="global_buffer").target is sycl.Target.device
    assert sycl.Target.global_buffer is sycl.Target.device
    for target in ("device", "constant_buffer"):
        assert sycl.Accessor(b, mode="read", target=target).is_placeholder
    others = {"local", "unsampled_image", "sampled_image", "host_buffer", "host_unsampled_image", "host_sampled_image"}
    assert {target.name for target in sycl.Target} == {"device", "constant_buffer", "host_task"} | others
    for target in sorted(others):
        with pytest.raises(sycl.InvalidParameterError, match="not for"):
            sycl.Accessor(b, target=target)


@pytest.mark.spec("H379", "H380")
def test_write_keeps_what_is_not_written(queue, b):
    queue.submit(lambda h: h.parallel_for(3, PROGRAM.set, sycl.Accessor(b, h, "write"), 9.0))
    assert np.asarray(b).tolist() == [9, 9, 9, 3, 4, 5, 6, 7]
    part = b[4:6]
    queue.submit(lambda h: h.parallel_for(2, PROGRAM.set, sycl.Accessor(part, h, "write", no_init=True), 8.0))
    assert np.asarray(b).tolist() == [9, 9, 9, 3, 8, 8, 6, 7]
    part.close()


@pytest.mark.spec("H380", "H396", "H409", "H419")
def test_no_init_of_a_part_keeps_the_rest(queue, b):
    for spelling in ("no_init", "noinit"):
        a = sycl.Accessor(b, mode="write", range=2, offset=1, **{spelling: True})
        assert a.no_init and a.get_property("no_init") is True
        with queue.submit() as h:
            h.require(a)
            h.single_task(PROGRAM.set, a, 5.0)
        assert np.asarray(b).tolist() == [5, 1, 2, 3, 4, 5, 6, 7]
    for spelling in ("no_init", "noinit"):
        host = sycl.HostAccessor(b, "write", range=2, offset=6, **{spelling: True})
        assert host.no_init and host.has_property("no_init")
        host.data[:] = 1
        host.close()
    assert np.asarray(b).tolist() == [5, 1, 2, 3, 4, 5, 1, 1]
    with pytest.raises(sycl.InvalidParameterError, match="no_init"):
        sycl.Accessor(b, mode="read", no_init=True)
    with pytest.raises(sycl.InvalidParameterError, match="no_init"):
        b.host_access("read", no_init=True)


@pytest.mark.spec("H381", "H382")
def test_tags(b):
    for tag, mode, target in (
        (sycl.read_only, R, sycl.Target.device), (sycl.write_only, W, sycl.Target.device),
        (sycl.read_write, RW, sycl.Target.device), (sycl.read_constant, R, sycl.Target.constant_buffer),
        (sycl.read_only_host_task, R, sycl.Target.host_task), (sycl.write_only_host_task, W, sycl.Target.host_task),
        (sycl.read_write_host_task, RW, sycl.Target.host_task),
    ):  # fmt: skip
        a = sycl.Accessor(b, mode=tag)
        assert (a.mode, a.target) == (mode, target)
        assert repr(tag) == f"pysycl.{tag.name}"
    with pytest.raises(sycl.InvalidParameterError, match="contradicts"):
        sycl.Accessor(b, mode=sycl.read_constant, target="device")
    const = sycl.Buffer(4, np.float32, read_only=True)
    with pytest.raises(sycl.InvalidParameterError):
        sycl.Accessor(const, mode=sycl.write_only)
    with const.host_access(sycl.read_only) as a:
        assert not a.flags.writeable


@pytest.mark.spec("H390", "H391")
def test_reading_forms(queue, b):
    a = sycl.Accessor(b, mode="read_write", range=3, offset=2)
    r = a.as_read_only()
    assert (r.mode, r.range, r.offset, r.is_placeholder) == (R, a.range, a.offset, True)
    assert r.as_read_only() is r
    assert r == sycl.Accessor(b, mode="read", range=3, offset=2)
    target = np.zeros(8, np.float32)
    with queue.submit() as h:
        whole = sycl.Accessor(b, h)
        h.parallel_for(8, PROGRAM.copy, target, whole.as_read_only())
    queue.wait_and_throw()
    assert target.tolist() == list(range(8))


@pytest.mark.spec("H377", "H392")
def test_constant_memory(queue, b):
    by = sycl.Buffer([2.0], np.float32)
    queue.submit(
        lambda h: h.parallel_for(8, PROGRAM.scale, sycl.Accessor(b, h), sycl.Accessor(by, h, sycl.read_constant))
    )
    assert np.array_equal(np.asarray(b), 2 * np.arange(8))
    most = queue.device.get_info("max_constant_buffer_size")
    if most < 2**62:
        large = sycl.Buffer(most + 1, np.uint8)
        with queue.submit() as h, pytest.raises(sycl.AccessorError, match=f"more than the {most} that device"):
            sycl.Accessor(large, h, sycl.read_constant)
        assert sycl.Accessor(large, mode=sycl.read_constant).is_placeholder


# -- ranges --


@pytest.mark.spec("H393", "H394", "H403", "H410")
def test_types_and_dimensions_must_match(queue, b):
    c = sycl.Buffer((4, 4), np.int32)
    with pytest.raises(sycl.InvalidParameterError, match="range has 1 dimension, but the buffer has 2"):
        sycl.Accessor(c, range=3)
    with pytest.raises(sycl.InvalidParameterError, match="offset has 3 dimensions"):
        c.host_access(offset=(0, 0, 0))
    with c.host_access("read") as a:
        assert (a.dtype, a.shape) == (c.dtype, c.shape)
    with queue.submit() as h, pytest.raises(sycl.KernelArgumentError, match="float"):
        h.parallel_for(4, PROGRAM.add, sycl.Accessor(c, h), 1.0)


@pytest.mark.spec("H396", "H397", "H403", "H404", "H406", "H411", "H415")
def test_ranged_accessors(b):
    c = sycl.Buffer(np.arange(24, dtype=np.int32).reshape(4, 6), read_only=True)
    a = sycl.Accessor(c, mode="read", range=(2, 3), offset=(1, 2))
    host = sycl.HostAccessor(c, "read", range=(2, 3), offset=(1, 2))
    for each in (a, host):
        assert (each.range, each.offset) == (each.get_range(), each.get_offset()) == (sycl.Range(2, 3), sycl.Id(1, 2))
        assert each.size == each.get_count() == 6
        assert each.byte_size == 24
        assert each.max_size >= each.size
        assert not each.empty
        assert len(each) == 2
    assert host.data.tolist() == [[8, 9, 10], [14, 15, 16]]  # [0, 0] is the first element of the range
    host.close()
    whole = sycl.Accessor(c, mode="read")
    assert (whole.range, whole.offset, whole.size) == (c.range, sycl.Id(0, 0), 24)
    for bad in ({"range": (5, 6)}, {"range": (4, 6), "offset": (1, 0)}, {"offset": (5, 0)}):
        with pytest.raises(sycl.InvalidParameterError, match="beyond"):
            sycl.Accessor(c, mode="read", **bad)


@pytest.mark.spec("H401", "H412")
def test_empty_accessors(queue):
    a, host = sycl.Accessor(), sycl.HostAccessor()
    for each in (a, host):
        assert each.empty
        assert (each.size, each.byte_size, each.max_size, len(each), each.range) == (0, 0, 0, 0, sycl.Range(0))
    assert a == sycl.Accessor()
    out = np.zeros(1, np.int32)
    queue.single_task(PROGRAM.ignore, out, a)
    assert out[0] == 1
    with queue.submit() as h, pytest.raises(sycl.AccessorError):
        h.require(a)
    host.close()
    assert repr(a) == "<pysycl.Accessor, empty>"


@pytest.mark.spec("H408")
def test_equality(b):
    a = sycl.Accessor(b, mode="read")
    assert a == sycl.Accessor(b, mode="read")
    assert hash(a) == hash(sycl.Accessor(b, mode="read"))
    for other in (sycl.Accessor(b), sycl.Accessor(b, mode="read", range=2), sycl.Accessor(b[:4], mode="read"), 3, None):
        assert a != other
    c = sycl.Buffer(8, np.float32)
    assert a != sycl.Accessor(c, mode="read")


@pytest.mark.spec("H395")
def test_elements_lie_row_by_row(queue):
    c = sycl.Buffer((2, 3, 4), np.float32)
    flat = c.reinterpret(np.float32, 24)
    for i in range(24):
        queue.submit(lambda h, i=i: h.single_task(PROGRAM.set, sycl.Accessor(flat[i : i + 1], h, "write"), float(i)))
    with c.host_access("read") as a:
        for i, j, k in ((0, 0, 1), (1, 2, 3), (1, 0, 0)):
            assert a[i, j, k] == k + j * 4 + i * 12


# -- the host's --


@pytest.mark.spec("H384", "H414")
def test_with_a_handler_nothing_waits(queue, b, busy):
    slow = busy(queue, np.zeros(1, np.uint64), 0.2)
    queue.submit(lambda h: (h.depends_on(slow), h.parallel_for(8, PROGRAM.add, sycl.Accessor(b, h), 1.0)))
    got = []
    with queue.submit() as h:
        a = sycl.HostAccessor(b, "read", handler=h)
        assert slow.status is not sycl.EventCommandStatus.complete
        h.host_task(lambda: got.append(a.data.copy()))
    with pytest.raises(sycl.AccessorError, match="only inside the host task"):
        np.asarray(a)
    queue.wait_and_throw()
    assert np.array_equal(got[0], np.arange(8) + 1)


@pytest.mark.spec("H413")
def test_forms_of_host_accessors(b):
    for make in (
        lambda: sycl.HostAccessor(b), lambda: sycl.HostAccessor(b, sycl.read_only),
        lambda: sycl.HostAccessor(b, range=4), lambda: sycl.HostAccessor(b, range=4, offset=2),
        lambda: sycl.HostAccessor(b, sycl.write_only, range=4, offset=2, no_init=True), lambda: b.host_access(),
    ):  # fmt: skip
        accessor = make()
        assert accessor.data.size == accessor.size
        accessor.close()
        accessor.close()
        with pytest.raises(sycl.InvalidObjectError, match="closed"):
            np.asarray(accessor)


@pytest.mark.spec("H416", "H417", "H418")
def test_elements_of_a_host_accessor(b):
    with b.host_access("read") as a:
        assert not a.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            a[0] = 1
    accessor = sycl.HostAccessor(b, "read_write")
    accessor[0] = 5
    assert accessor[0] == 5
    assert [float(each) for each in accessor] == [5, 1, 2, 3, 4, 5, 6, 7]
    assert len(accessor) == 8
    assert np.asarray(accessor).ctypes.data == accessor.data.ctypes.data
    assert memoryview(accessor).format == "f"
    accessor.close()
    with sycl.Buffer(np.arange(24, dtype=np.int32).reshape(2, 3, 4), copy=True).host_access() as cube:
        cube[1, 2, 3], cube[1][0][2] = -1, 114
        assert (cube[1][2][3], cube[1, 0, 2], cube[0, 1, 2]) == (-1, 114, 6)


@pytest.mark.spec("H385")
def test_access_ends_with_the_block(queue, b):
    with b.host_access("read_write") as a:
        a[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 2
    with pytest.raises(ZeroDivisionError), b.host_access("write") as a:
        a[0] = 1 // 0
    add(queue, b).wait()


@pytest.mark.spec("H055")
def test_an_access_that_could_never_be_granted_raises(queue, b):
    with b.host_access("read_write"):
        with pytest.raises(sycl.AccessorError, match="never be granted"):
            b.host_access("read")
        with pytest.raises(sycl.AccessorError):
            b.close()
        with pytest.raises(sycl.AccessorError):
            np.asarray(b)
        late = add(queue, b)
        with pytest.raises(sycl.SyclError):
            late.wait()
    late.wait()
    got = []
    with b.host_access("read_write") as a:  # another thread may wait
        thread = threading.Thread(target=lambda: got.append(np.asarray(b)[0]))
        thread.start()
        time.sleep(0.05)
        assert not got
        a[0] = 77
    thread.join(10)
    assert got == [77]


def test_waiting_answers_signals(queue, b, busy):
    slow = busy(queue, np.zeros(1, np.uint64), 1.5)
    queue.submit(lambda h: (h.depends_on(slow), h.parallel_for(8, PROGRAM.add, sycl.Accessor(b, h), 1.0)))

    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)  # SIGALRM is the test runner's
    later = threading.Timer(0.1, signal.pthread_kill, (threading.get_ident(), signal.SIGUSR1))
    later.start()
    try:
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            b.host_access("read")
        assert time.perf_counter() - began < 1
    finally:
        later.join()
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.spec("H420", "H421", "H422", "H425", "H426", "H427", "H424", "H428")
def test_local_accessors(queue, b):
    with queue.submit() as h:
        scratch = h.local(4, np.float32)
        assert (scratch.byte_size, scratch.size, scratch.get_count(), scratch.range) == (16, 4, 4, sycl.Range(4))
        assert not scratch.empty
        h.parallel_for(sycl.NdRange(8, 4), PROGRAM.rows, sycl.Accessor(b, h), scratch)
    assert np.asarray(b).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    with pytest.raises(sycl.AccessorError):
        np.asarray(scratch)
    with queue.submit() as h:
        single = h.local((), np.float32)
        assert (single.size, single.byte_size) == (1, 4)
        with pytest.raises(TypeError):
            h.local(4, np.float32, no_init=True)  # there are no properties yet


@pytest.mark.spec("H423")
@pytest.mark.parametrize("form", ["range", "single_task"])
def test_local_memory_needs_groups(queue, b, form):
    def group(h):
        a, scratch = sycl.Accessor(b, h), h.local(4, np.float32)
        if form == "range":
            h.parallel_for(8, PROGRAM.rows, a, scratch)
        else:
            h.single_task(PROGRAM.rows, a, scratch)

    with pytest.raises(sycl.SyclError, match="local"):
        queue.submit(group)
