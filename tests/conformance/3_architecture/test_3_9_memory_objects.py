"""Memory objects: one object over many copies, elements, and what the user says about the host's memory. SYCL 2020, 3.9."""

import gc
import threading
import weakref

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void number(__global int *x) { x[get_global_id(0)] = get_global_id(0); }
typedef struct { int id; double weight; char tag; } thing;
__kernel void weigh(__global thing *x)
{
    size_t i = get_global_id(0);
    x[i].weight = x[i].id * 0.5;
    x[i].tag = (char)(i + 1);
}
__kernel void turn(__global float4 *x) { x[get_global_id(0)] = x[get_global_id(0)].wzyx; }
""")
SCALARS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64,
}  # fmt: skip
PATIENCE = 30.0
COMPLETE = sycl.EventCommandStatus.complete

COHERENT = """
import numpy as np
import pysycl as sycl
program = sycl.Program('''
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void copy(__global int *to, __global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
''')
devices = sycl.devices()
queues = [sycl.Queue(device, context=sycl.Context(device)) for device in devices * 2]
random, n = np.random.default_rng(SEED), 64
data = random.integers(0, 1000, n, np.int32)
expected = data.copy()
seen = []
with sycl.Buffer(data) as b:
    for step in range(60):
        first = int(random.integers(0, n))
        count = int(random.integers(1, n - first + 1))
        queue = queues[random.integers(len(queues))]
        part = slice(first, first + count)
        match random.integers(5):
            case 0:
                queue.parallel_for(count, program.add, b[part], step)
                expected[part] += step
            case 1:
                queue.parallel_for(n, program.add, b, step)
                expected += step
            case 2:
                with queue.submit() as h:
                    h.fill(h.write(b, range=count, offset=first), step)
                expected[part] = step
            case 3:
                with b.host_access("read_write", range=count, offset=first) as a:
                    assert np.array_equal(a, expected[part]), step
                    a -= 1
                expected[part] -= 1
            case 4:
                out = np.zeros(count, np.int32)
                queue.submit(lambda h: h.parallel_for(count, program.copy, out, h.read(b[part])))
                seen.append((step, out, expected[part].copy()))
    natives = sycl.get_native("opencl", b)
    for queue in queues:
        queue.wait_and_throw()
for step, out, wanted in seen:
    assert np.array_equal(out, wanted), step
assert np.array_equal(data, expected)
assert len(set(natives)) == len(queues) >= 2, natives
print(sycl.statistics()["to_device_bytes"], sycl.statistics()["from_device_bytes"])
"""


@pytest.mark.spec("H102")
@pytest.mark.parametrize(
    ("kind", "seed"),
    sweep([(kind, seed) for kind in ("unknown", "gpu") for seed in range(3)], [("gpu", 1)]),
)
def test_the_native_copies_of_an_object_are_kept_coherent(run_python, copying, kind, seed):
    """Written in turn by several devices, contexts and the host, in parts that overlap; nothing in the program moves it."""
    child = run_python(COHERENT.replace("SEED", str(seed)), copying(kind))
    to, back = map(int, child.stdout.split())
    assert to > 0 and back > 0


@pytest.mark.spec("H102")
def test_native_copies_over_the_devices_at_hand_are_coherent(run_python):
    """As above; devices that share the host's memory have several native objects over one place."""
    run_python(COHERENT.replace("SEED", "4"))


@pytest.mark.spec("H103")
@pytest.mark.parametrize("shape", [(24,), (4, 6), (2, 3, 4), (1, 24, 1)])
def test_elements_lie_back_to_back_in_cs_order(queue, shape):
    """A kernel numbers the elements in memory; the host finds them where NumPy's C order has them."""
    b = sycl.Buffer(shape, np.int32)
    queue.submit(lambda h: h.parallel_for(24, PROGRAM.number, h.write(b, no_init=True)))
    assert np.array_equal(np.asarray(b), np.arange(24).reshape(shape))
    assert b.byte_size == 24 * 4
    x = np.asfortranarray(np.zeros(shape, np.int32))  # whatever the order of the user's array is
    with sycl.Buffer(x) as c:
        queue.submit(lambda h: h.parallel_for(24, PROGRAM.number, h.write(c)))
    assert np.array_equal(x, np.arange(24).reshape(shape))


@pytest.mark.spec("H103")
def test_more_dimensions_than_three_are_refused():
    for data in (np.zeros((1, 2, 3, 4)), np.zeros((1,) * 5)):
        with pytest.raises(sycl.InvalidParameterError, match="SYCL has at most three"):
            sycl.Buffer(data)


@pytest.mark.spec("H103")
@pytest.mark.parametrize("name", SCALARS)
def test_scalar_elements(queue, name):
    """Every scalar type, with its smallest and largest value."""
    if name == "double" and not queue.device.has("fp64"):
        pytest.skip("no fp64")
    dtype = np.dtype(SCALARS[name])
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    x = np.array([limits.min, limits.max, 0, 1, limits.max // 3 if dtype.kind != "f" else 0.1], dtype)
    expected = x[::-1].copy()
    program = sycl.Program(f"""
    __kernel void turn(__global {name} *to, __global const {name} *from)
    {{
        to[get_global_id(0)] = from[get_global_size(0) - 1 - get_global_id(0)];
    }}
    """)
    with sycl.Buffer(x) as b, sycl.Buffer(5, dtype) as to:
        queue.submit(lambda h: h.parallel_for(5, program.turn, h.write(to), h.read(b)))
        assert np.asarray(to).tobytes() == expected.tobytes()


@pytest.mark.spec("H103")
def test_vector_and_struct_elements(queue):
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    with sycl.Buffer(vectors) as b:
        queue.submit(lambda h: h.parallel_for(3, PROGRAM.turn, h.read_write(b)))
    assert np.array_equal(vectors, np.arange(12).reshape(3, 4)[:, ::-1])
    if not queue.device.has("fp64"):
        return
    thing = np.dtype([("id", "i4"), ("weight", "f8"), ("tag", "i1")], align=True)
    things = np.zeros((2, 3), thing)
    things["id"] = np.arange(6).reshape(2, 3)
    with sycl.Buffer(things) as b:
        assert b.dtype == thing
        queue.submit(lambda h: h.parallel_for(6, PROGRAM.weigh, h.read_write(b)))
    assert things["weight"].tolist() == [[0, 0.5, 1], [1.5, 2, 2.5]]
    assert things["tag"].ravel().tolist() == [1, 2, 3, 4, 5, 6]
    assert things["id"].ravel().tolist() == list(range(6))


@pytest.mark.spec("H104")
def test_the_smallest_memory_object_has_one_element(queue):
    """One element is enough for every kind; no extent of an image may be 0. An empty buffer is the final text's: it is
    an object that no command finds anything in."""
    x = np.array([41], np.int32)
    with sycl.Buffer(x) as b:
        queue.submit(lambda h: h.parallel_for(1, PROGRAM.add, h.read_write(b), 1))
    assert x[0] == 42
    pixel = np.array([[1, 2, 3, 4]], np.uint8)
    sampler = sycl.Sampler("normalized", "clamp", "nearest")
    sycl.UnsampledImage(pixel, "r8g8b8a8_uint", 1).close()
    sycl.SampledImage(pixel, "r8g8b8a8_uint", sampler, 1).close()
    for extents in (0, (0, 4), (4, 0), (4, 4, 0)):
        with pytest.raises(sycl.InvalidParameterError, match="is 0; an image has pixels"):
            sycl.UnsampledImage(None, "r8g8b8a8_uint", extents)
        data = np.zeros((*(reversed(extents) if isinstance(extents, tuple) else (0,)), 4), np.uint8)
        with pytest.raises(sycl.InvalidParameterError, match="is 0; an image has pixels"):
            sycl.SampledImage(data, "r8g8b8a8_uint", sampler, extents)
    with sycl.Buffer(0, np.int32) as empty:
        assert (empty.size, empty.byte_size) == (0, 0)
        queue.submit(lambda h: h.parallel_for(0, PROGRAM.add, h.read_write(empty), 1)).wait_and_throw()
        assert sycl.get_native("opencl", empty) == []
        assert np.asarray(empty).tolist() == []


class Held:
    """A command on a buffer that cannot run before `release`: it comes after a host task that waits for that."""

    def __init__(self, queue, buffer):
        self.gate = threading.Event()
        gate = queue.host_task(lambda: self.gate.wait(PATIENCE))
        self.event = queue.submit(
            lambda h: (h.depends_on(gate), h.parallel_for(4, PROGRAM.add, h.read_write(buffer), 1))
        )

    def release(self):
        self.gate.set()


def waits_for(held, end):
    """Whether `end()` returns only when the command has been let go and is complete."""
    thread = threading.Thread(target=end)
    thread.start()
    thread.join(0.2)
    waits = thread.is_alive()
    held.release()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    if waits:
        assert held.event.status is COMPLETE
    held.event.wait_and_throw()
    return waits


@pytest.mark.spec("H107")
def test_what_the_user_hands_over_says_what_the_end_does(queue):
    """The kind of reference, as SYCL's kinds of pointers: the end waits and writes back, or does neither."""
    constant = np.zeros(4, np.int32)
    constant.flags.writeable = False
    kinds = {  # whether the end waits, whether the array has the result
        "plain": (lambda x: sycl.Buffer(x), True, True),
        "constant": (lambda x: sycl.Buffer(constant), True, False),
        "owned": (lambda x: sycl.Buffer(x, take_ownership=True), False, None),
        "copied": (lambda x: sycl.Buffer(x, copy=True), False, False),
        "shared and held": (lambda x: sycl.Buffer(weakref.ref(x)), True, True),
    }
    for name, (make, waits, written) in kinds.items():
        x = np.zeros(4, np.int32)
        b = make(x)
        assert waits_for(Held(queue, b), b.close) is waits, name
        if written is not None:
            assert x.tolist() == [int(written)] * 4, name
        assert constant.tolist() == [0] * 4


@pytest.mark.spec("H107")
def test_shared_memory_that_nobody_holds_is_not_waited_for(queue):
    x = np.zeros(4, np.int32)
    b = sycl.Buffer(weakref.ref(x))
    held = Held(queue, b)
    del x
    gc.collect()
    assert waits_for(held, b.close) is False


@pytest.mark.spec("H107")
def test_the_user_may_give_the_memory_of_the_host(queue):
    """An allocator: the runtime's own copy for the host lies where the user wants it."""
    room = np.zeros(4, np.int32)
    with sycl.Buffer(4, np.int32, allocator=lambda size: room.view(np.uint8)) as b:
        with b.host_access("write", no_init=True) as a:
            assert np.shares_memory(a, room)
            a[:] = 3
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.add, h.read_write(b), 1))
        with b.host_access("read") as a:
            assert np.shares_memory(a, room)
            assert a.tolist() == [4] * 4


@pytest.mark.spec("H107")
def test_the_user_s_lock_guards_shared_data(queue):
    """While a command works the mutex is held; whoever gets it finds the result in his own array."""
    data, mutex = np.zeros(4, np.int32), threading.Lock()
    with sycl.Buffer(data, use_mutex=mutex) as b:
        held = Held(queue, b)
        assert mutex.locked()
        assert not mutex.acquire(timeout=0.1)
        held.release()
        with mutex:
            assert data.tolist() == [1] * 4
            data[:] = 10  # ours, as long as we hold it
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.add, h.read_write(b), 1))
        with mutex:
            assert data.tolist() == [11] * 4
