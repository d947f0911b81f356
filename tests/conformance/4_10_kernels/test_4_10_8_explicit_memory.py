"""Explicit memory operations: SYCL 2020, 4.9.4.3 (4.10.8 of the draft), and those on USM, 4.8.3.6 (4.8.7)."""

import gc
import time
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
""")


def require(device: sycl.Device, kind: str) -> None:
    if not device.has(f"usm_{kind}_allocations"):
        pytest.skip(f"no {kind} memory")


@pytest.fixture
def b():
    with sycl.Buffer(np.arange(12, dtype=np.int32).reshape(3, 4)) as buffer:
        yield buffer


def values(buffer):
    with buffer.host_access("read") as a:
        return np.array(a).tolist()


# -- modes --


@pytest.mark.spec("D215", "H492")
def test_a_source_is_readable_and_a_destination_writable(queue, b):
    out = np.zeros((3, 4), np.int32)
    for mode in ("read", "read_write"):
        queue.submit(lambda h, mode=mode: h.copy(sycl.Accessor(b, h, mode), out)).wait()
        assert out.tolist() == np.arange(12).reshape(3, 4).tolist()
        out[:] = 0
    for mode, options in (
        ("write", {}),
        ("read_write", {}),
        ("write", {"no_init": True}),
        ("read_write", {"no_init": True}),
    ):
        out += 1
        queue.submit(lambda h, x=out, m=mode, o=options: h.copy(x, sycl.Accessor(b, h, m, **o))).wait()
        assert values(b) == out.tolist()
    with pytest.raises(sycl.AccessorError, match="copy: src is an accessor of mode write"):
        queue.submit(lambda h: h.copy(h.write(b), out))
    with pytest.raises(sycl.AccessorError, match="copy: dest is an accessor of mode read"):
        queue.submit(lambda h: h.copy(out, h.read(b)))
    with pytest.raises(sycl.AccessorError, match="fill: dest is an accessor of mode read"):
        queue.submit(lambda h: h.fill(h.read(b), 1))


# -- accessors and host memory --


@pytest.mark.spec("D221", "D217")
def test_copies_between_accessors_and_arrays(queue, b):
    queue.parallel_for(12, PROGRAM.add, b, 100)  # the newest copy is where this ran
    out = np.zeros((3, 4), np.int32)
    queue.submit(lambda h: h.copy(h.read(b), out)).wait()
    assert out.tolist() == (np.arange(12) + 100).reshape(3, 4).tolist()
    queue.submit(lambda h: h.copy(out * 2, h.write(b)))
    queue.parallel_for(12, PROGRAM.add, b, 1)
    queue.submit(lambda h: h.copy(h.read(b), out)).wait()
    assert out.tolist() == (2 * (np.arange(12) + 100) + 1).reshape(3, 4).tolist()


@pytest.mark.spec("D217")
def test_the_newest_copy_is_the_source_wherever_it_lives(queue, b):
    """Written by the host, by another context's queue, and by this one, in turn."""
    other = sycl.Queue(queue.device, context=sycl.Context(queue.device))
    out = np.zeros((3, 4), np.int32)
    with b.host_access() as a:
        a[:] = 5
    queue.submit(lambda h: h.copy(h.read(b), out)).wait()
    assert out.tolist() == [[5] * 4] * 3
    other.parallel_for(12, PROGRAM.add, b, 1)
    event = queue.submit(lambda h: h.copy(h.read(b), out))
    event.wait()
    assert out.tolist() == [[6] * 4] * 3
    assert event.status is sycl.EventCommandStatus.complete
    other.wait_and_throw()


@pytest.mark.spec("D217")
@pytest.mark.parametrize("kind", ["unknown", "gpu"])
def test_the_newest_copy_is_the_source_where_devices_have_memory_of_their_own(run_python, copying, kind):
    """The same over two devices: each copy's source was written last by the other device, or by the host."""
    code = """
        import numpy as np
        import pysycl as sycl
        program = sycl.Program("__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }")
        queues = [sycl.Queue(device, context=sycl.Context(device)) for device in sycl.devices()]
        assert len(queues) == 2
        b, to, expected = sycl.Buffer(np.zeros(8, np.int32)), sycl.Buffer(8, np.int32), np.zeros(8, np.int32)
        for turn in range(12):
            if turn % 3 == 2:
                with b.host_access() as a:
                    a += 100
                expected += 100
            else:
                queues[turn % 3].parallel_for(8, program.add, b, 1 + turn)
                expected += 1 + turn
            out = np.zeros(8, np.int32)
            for queue in queues:
                event = queue.submit(lambda h: h.copy(h.read(b), out))
                event.wait()
                assert np.array_equal(out, expected), (turn, out, expected)
                queue.submit(lambda h: h.copy(h.read(b), h.write(to))).wait()
                with to.host_access("read") as a:
                    assert np.array_equal(a, expected), (turn, a, expected)
            if turn % 4 == 1:
                queues[0].submit(lambda h: h.copy(out * 2, h.write(b)))
                expected *= 2
        for queue in queues:
            queue.wait_and_throw()
    """
    run_python(code, copying(kind))


@pytest.mark.spec("D218")
def test_host_memory_must_hold_the_range(queue, b):
    with pytest.raises(sycl.InvalidParameterError, match="dest is an array of 44 bytes, and 48 are to be copied"):
        queue.submit(lambda h: h.copy(h.read(b), np.zeros(11, np.int32)))
    with pytest.raises(sycl.InvalidParameterError, match="src is an array of 44 bytes, and 48 are to be copied"):
        queue.submit(lambda h: h.copy(np.zeros(11, np.int32), h.write(b)))
    larger = np.full(14, -1, np.int32)
    queue.submit(lambda h: h.copy(h.read(b), larger)).wait()
    assert larger.tolist() == [*range(12), -1, -1]
    queue.submit(lambda h: h.copy(larger[::-1].copy(), h.write(b))).wait()
    assert np.ravel(values(b)).tolist() == [-1, -1, *range(11, 1, -1)]


class Array(np.ndarray):
    """One that can be watched."""


@pytest.mark.spec("D219", "D220")
def test_a_copy_keeps_its_array(queue, busy):
    b = sycl.Buffer(4, np.int32)
    cell = np.zeros(1, np.uint64)
    source = np.arange(4, dtype=np.int32).view(Array)
    into, out = weakref.ref(source), np.zeros(4, np.int32)
    before = busy(queue, cell)
    with queue.submit() as h:
        h.depends_on(before)
        h.copy(source, h.write(b))
    del source
    gc.collect()
    assert into() is not None or before.status is sycl.EventCommandStatus.complete
    kept = np.zeros(4, np.int32).view(Array)
    seen = weakref.ref(kept)
    with queue.submit() as h:
        h.copy(h.read(b), kept)
    event = h.event
    del kept
    queue.copy(b, out)
    event.wait()
    assert out.tolist() == [0, 1, 2, 3]
    for _ in range(1000):  # what has ended lets go
        gc.collect()
        if into() is None and seen() is None:
            break
        time.sleep(0.01)
    assert into() is None and seen() is None


# -- accessor to accessor --


@pytest.mark.spec("D222", "D216")
def test_between_accessors_of_raw_bytes_only_bytes_count(queue, b):
    to = sycl.Buffer((2, 2, 6), np.int16)
    queue.submit(lambda h: h.copy(h.read(b.reinterpret("u1")), h.write(to)))
    assert np.ravel(values(to)).tolist() == np.arange(12, dtype=np.int32).view(np.int16).tolist()
    back = sycl.Buffer(24, np.int16)
    queue.submit(lambda h: h.copy(h.read(to), h.write(back.reinterpret("u1")))).wait()
    assert values(back) == np.ravel(values(to)).tolist()


@pytest.mark.spec("D222")
def test_between_accessors_nothing_is_converted_broadcast_or_cut(queue, b):
    """As NumPy's assignment would say, which converts and broadcasts besides."""
    shorts, flat, cube = sycl.Buffer(12, np.int16), sycl.Buffer(12, np.int32), sycl.Buffer((2, 4, 3), np.int32)
    row, pairs = sycl.Buffer(4, np.int32), sycl.Buffer(6, np.dtype([("a", "i4"), ("b", "i4")]))
    kept = sycl.Buffer(np.full((3, 5), 7, np.int32))
    for src, dest, words in (
        (b, shorts, "src is a buffer of int32, dest is a buffer of int16: nothing is converted.*reinterpret"),
        (b, pairs, "src is a buffer of int32, dest is a buffer of structured"),
        (b, flat, r"of the shape \(3, 4\), dest is a buffer of the shape \(12,\)"),
        (flat, b, r"of the shape \(12,\), dest is a buffer of the shape \(3, 4\)"),
        (b, cube, r"of the shape \(3, 4\), dest is a buffer of the shape \(2, 4, 3\)"),
        (row, b, r"of the shape \(4,\), dest is a buffer of the shape \(3, 4\): nothing is broadcast"),
        (b, kept, r"of the shape \(3, 4\), dest is a buffer of the shape \(3, 5\)"),
        (kept, b, r"range= and offset="),
    ):
        for attempt in (lambda s=src, d=dest: queue.copy(s, d), lambda s=src, d=dest: both(queue, s, d)):
            with pytest.raises(sycl.InvalidParameterError, match=words.replace("a buffer", "an? (buffer|accessor)")):
                attempt()
    assert values(kept) == [[7] * 5] * 3
    queue.submit(lambda h: h.copy(h.read(b), h.write(kept, range=(3, 4), offset=(0, 1)))).wait()
    assert values(kept) == [[7, 0, 1, 2, 3], [7, 4, 5, 6, 7], [7, 8, 9, 10, 11]]
    queue.copy(row, sycl.Accessor(b, mode="write", range=(1, 4), offset=(2, 0))).wait()  # dimensions of 1 are free
    queue.copy(b.reinterpret(np.int32, (1, 3, 4)), b.reinterpret(np.int32, (3, 1, 4))).wait()


def both(queue, src, dest):
    queue.submit(lambda h: h.copy(h.read(src), h.write(dest)))


@pytest.mark.spec("D223")
def test_the_source_has_as_many_bytes_or_more(queue, b):
    to = sycl.Buffer(5, np.int32)
    raw = to.reinterpret(np.uint8)
    queue.submit(lambda h: h.copy(h.read(b, range=(3, 2), offset=(0, 1)), h.write(raw))).wait()
    assert values(to) == [1, 2, 5, 6, 9]
    with pytest.raises(sycl.InvalidParameterError, match="src has 20 bytes, fewer than the 48 of dest"):
        queue.submit(lambda h: h.copy(h.read(raw), h.write(b)))
    with pytest.raises(sycl.InvalidParameterError, match="src is an accessor of the shape"):
        queue.submit(lambda h: h.copy(h.read(b, range=(3, 2), offset=(0, 1)), h.write(to)))


@pytest.mark.spec("D222")
def test_a_copy_within_one_buffer_reads_before_it_writes(queue):
    b = sycl.Buffer(np.arange(10, dtype=np.int32))
    with queue.submit() as h:
        h.copy(h.read(b, range=6, offset=0), h.write(b, range=6, offset=2))
    assert values(b) == [0, 1, 0, 1, 2, 3, 4, 5, 8, 9]


@pytest.mark.spec("D226")
def test_a_ranged_accessor_limits_the_copy(queue, b):
    out = np.full((2, 2), -1, np.int32)
    queue.submit(lambda h: h.copy(h.read(b, range=(2, 2), offset=(1, 1)), out)).wait()
    assert out.tolist() == [[5, 6], [9, 10]]
    queue.submit(lambda h: h.copy(out, h.write(b, range=(2, 2), offset=(0, 2)))).wait()
    assert values(b) == [[0, 1, 5, 6], [4, 5, 9, 10], [8, 9, 10, 11]]
    cube = sycl.Buffer(np.zeros((3, 4, 5), np.int32))
    with queue.submit() as h:
        h.copy(h.read(b, range=(2, 2)), h.write(cube, range=(2, 1, 2), offset=(1, 2, 3)))
    wanted = np.zeros((3, 4, 5), np.int32)
    wanted[1:, 2, 3:] = [[0, 1], [4, 5]]
    assert values(cube) == wanted.tolist()


# -- the host's copy --


@pytest.mark.spec("D224", "H493")
def test_update_host(queue, b):
    queue.parallel_for(12, PROGRAM.add, b, 3)
    with queue.submit() as h:
        h.update_host(h.read(b))
    h.event.wait()
    assert values(b) == (np.arange(12) + 3).reshape(3, 4).tolist()


@pytest.mark.spec("D224", "H493")
@pytest.mark.parametrize("mode", ["read", "write", "read_write"])
def test_after_update_host_the_host_copy_is_current(run_python, copying, mode):
    code = f"""
        import numpy as np
        import pysycl as sycl
        program = sycl.Program("__kernel void add(__global int *x, int a) {{ x[get_global_id(0)] += a; }}")
        q = sycl.Queue()
        b = sycl.Buffer(np.arange(8, dtype=np.int32))
        q.parallel_for(8, program.add, b, 1)
        with q.submit() as h:
            h.update_host(sycl.Accessor(b, h, "{mode}"))
        h.event.wait()
        before = sycl.statistics()["from_device_bytes"]
        with b.host_access("read") as a:
            assert a.tolist() == list(range(1, 9)), a
        assert sycl.statistics()["from_device_bytes"] == before
        q.wait_and_throw()
    """
    run_python(code, copying())


# -- fill --


@pytest.mark.spec("D225")
def test_fill_sets_the_range_alone(queue, b):
    queue.submit(lambda h: h.fill(h.write(b, range=(2, 2), offset=(0, 1)), -7))
    assert values(b) == [[0, -7, -7, 3], [4, -7, -7, 7], [8, 9, 10, 11]]
    queue.submit(lambda h: h.fill(h.write(b), np.int32(2)))
    assert values(b) == [[2] * 4] * 3


@pytest.mark.spec("D225")
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (np.dtype("f4"), 1.5),
        (np.dtype("u1"), 200),
        (np.dtype("?"), True),
        (np.dtype("c16"), 1 + 2j),
        (np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")]), (1, 2, 3, 4)),
        (np.dtype([("a", "u1"), ("b", "u1"), ("c", "u1")]), (1, 2, 3)),
        (np.dtype([("n", "i4"), ("x", "f8")]), (5, 0.5)),
    ],
)
def test_fill_with_scalars_vectors_and_structs(queue, dtype, value):
    b = sycl.Buffer((5, 7), dtype)
    wanted = np.zeros((5, 7), dtype)
    queue.submit(lambda h: h.fill(h.write(b), np.zeros((), dtype)[()]))
    queue.submit(lambda h: h.fill(h.write(b, range=(3, 4), offset=(1, 2)), value))
    wanted[1:4, 2:6] = value
    with b.host_access("read") as a:
        assert np.array_equal(np.asarray(a), wanted)


# -- unified shared memory --


@pytest.mark.spec("D227", "H472")
@pytest.mark.parametrize("kind", ["device", "host", "shared"])
def test_memcpy(queue, kind):
    require(queue.device, kind)
    u, v = (sycl.malloc(6, np.int32, queue, kind=kind) for _ in range(2))
    data, out = np.arange(6, dtype=np.int32), np.zeros(6, np.int32)
    first = queue.memcpy(u, data, data.nbytes)
    assert isinstance(first, sycl.Event)
    second = queue.memcpy(v, u, depends_on=first)  # all of the source
    queue.memcpy(out[1:], v, 12, depends_on=second).wait()
    assert out.tolist() == [0, 0, 1, 2, 0, 0]
    with queue.submit() as h:
        assert h.memcpy(out, v[2:], 8) is None
    h.event.wait()
    assert out.tolist() == [2, 3, 1, 2, 0, 0]
    with pytest.raises(
        sycl.InvalidParameterError, match="memcpy: src is a UsmArray of 24 bytes, and 28 are to be copied"
    ):
        queue.memcpy(np.zeros(9, np.int32), u, 28)


@pytest.mark.spec("D228", "H473")
def test_memset_takes_an_unsigned_byte(queue):
    require(queue.device, "device")
    u, out = sycl.malloc_device(4, np.uint32, queue), np.zeros(4, np.uint32)
    event = queue.memset(u, 255)
    assert isinstance(event, sycl.Event)
    with queue.submit() as h:
        h.depends_on(event)
        assert h.memset(u[1:], 7, 5) is None
    queue.memcpy(out, u, depends_on=h.event)
    assert out.tolist() == [2**32 - 1, 0x07070707, 0xFFFFFF07, 2**32 - 1]
    queue.memset(u, -1).wait()  # what C makes of it
    queue.memset(u, 256 + 9).wait()
    queue.memcpy(out, u)
    assert out.tolist() == [0x09090909] * 4


@pytest.mark.spec("D229", "H474")
def test_fill_of_pointers(queue):
    require(queue.device, "device")
    u, out = sycl.malloc_device(8, np.float32, queue), np.zeros(8, np.float32)
    event = queue.fill(u, 1.5, 8)
    assert isinstance(event, sycl.Event)
    with queue.submit() as h:
        h.depends_on(event)
        assert h.fill(u[2:], np.float32(-2), 3) is None
    queue.copy(u, out, depends_on=h.event)
    assert out.tolist() == [1.5, 1.5, -2, -2, -2, 1.5, 1.5, 1.5]
    raw = sycl.malloc_device(24, np.uint8, queue)  # any type's items go into raw bytes
    pattern = np.array((1, 2, 3), np.dtype([("a", "i2"), ("b", "i4"), ("c", "i2")]))[()]
    got = np.zeros(3, pattern.dtype)
    queue.fill(raw, pattern, 3).wait()
    queue.memcpy(got, raw)
    assert got.tolist() == [(1, 2, 3)] * 3


@pytest.mark.spec("D230", "H476")
def test_prefetch_is_a_hint(queue):
    require(queue.device, "shared")
    u = sycl.malloc_shared(64, np.int32, queue)
    u[:] = np.arange(64)
    event = queue.prefetch(u, u.nbytes)
    assert isinstance(event, sycl.Event)
    with queue.submit() as h:
        h.depends_on(event)
        assert h.prefetch(u[5:], 8) is None
    queue.parallel_for(64, PROGRAM.add, u, 1, depends_on=[h.event, queue.prefetch(u)]).wait()
    assert np.asarray(u).tolist() == list(range(1, 65))


@pytest.mark.spec("D230", "H477")
def test_mem_advise_takes_a_number_of_the_device(queue):
    require(queue.device, "shared")
    u = sycl.malloc_shared(64, np.int32, queue)
    u[:] = 3
    event = queue.mem_advise(u, u.nbytes, 0)
    assert isinstance(event, sycl.Event)
    with queue.submit() as h:
        h.depends_on(event)
        assert h.mem_advise(u, 16, 0) is None
    h.event.wait()
    assert np.asarray(u).tolist() == [3] * 64
    with pytest.raises(sycl.InvalidParameterError, match="advice"):
        queue.mem_advise(u, 16, -1)


@pytest.mark.spec("H475")
@pytest.mark.parametrize("kind", ["device", "host", "shared"])
def test_every_kind_that_a_device_has_takes_all_explicit_functions(queue, kind):
    require(queue.device, kind)
    u, out = sycl.malloc(4, np.int32, queue, kind=kind), np.zeros(4, np.int32)
    last = queue.memset(u, 0)
    last = queue.fill(u, 9, 2, depends_on=last)
    last = queue.prefetch(u, depends_on=last)
    last = queue.mem_advise(u, u.nbytes, 0, depends_on=last)
    queue.memcpy(out, u, depends_on=last)
    assert out.tolist() == [9, 9, 0, 0]
