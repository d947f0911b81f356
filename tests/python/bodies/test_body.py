"""Bodies: what they can be given, by every way of submitting them, and what the launch's own keywords do."""

import array
import enum

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

N = 1000


def test_a_body_on_the_queue(queue: sycl.Queue) -> None:
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    event = queue.parallel_for(N, "y[i] += a * x[i];", x=x, y=y, a=2.0)
    assert isinstance(event, sycl.Event)
    event.wait()
    assert np.array_equal(y, 1 + 2 * np.arange(N, dtype=np.float32))


def test_a_body_in_a_group(queue: sycl.Queue) -> None:
    with sycl.Buffer(np.arange(N, dtype=np.float32)) as a, sycl.Buffer(np.ones(N, np.float32)) as b:
        with queue.submit() as h:
            h.parallel_for(N, "y[i] += a * x[i];", x=h.read(a), y=h.read_write(b), a=2.0)
        with queue.submit() as h:
            h.single_task("y[0] = x[1];", x=h.read(a), y=h.write(b))
        h.event.wait()
        assert np.array_equal(np.asarray(b)[1:], 1 + 2 * np.arange(1, N, dtype=np.float32))
        assert np.asarray(b)[0] == 1


@pytest.mark.parametrize("shape", [(N,), (40, 30), (9, 10, 11), (1,), (1, 1), (0,), (3, 0)])
def test_ids_and_ranges(queue: sycl.Queue, shape: tuple[int, ...]) -> None:
    out = np.full(shape, -1, np.int64)
    ids = " + ".join(f"i{d} * {10 ** (4 * (2 - d))}L" for d in range(len(shape)))
    subscript = ", ".join(f"i{d}" for d in range(len(shape)))
    element = f"out({subscript})" if len(shape) > 1 else "out[i0]"
    queue.parallel_for(shape, f"{element} = {ids};", out=out)
    places = np.indices(shape)
    assert np.array_equal(out, sum(places[d] * 10 ** (4 * (2 - d)) for d in range(len(shape))))
    linear = np.full(shape, -1, np.int64)
    total = " * ".join(f"n{d}" for d in range(len(shape)))
    queue.parallel_for(shape, f"out[i] = i + 1000000L * {total};", out=linear)
    assert np.array_equal(linear.ravel(), np.arange(linear.size) + 1000000 * linear.size)


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 997, 4096])
def test_sizes_around_the_groups(queue: sycl.Queue, size: int) -> None:
    out = np.zeros(size + 8, np.int32)
    queue.parallel_for(size, "out[i] += (int)i + 1;", out=out)
    assert np.array_equal(out, np.r_[np.arange(1, size + 1), np.zeros(8)])


def test_offsets(queue: sycl.Queue) -> None:
    out = np.zeros((6, 7), np.int32)
    queue.parallel_for((3, 4), "out(i0, i1) = 10 * (int)i0 + (int)i1;", out=out, offset=(2, 3))
    expected = np.zeros((6, 7), np.int32)
    rows, columns = np.mgrid[2:5, 3:7]
    expected[2:5, 3:7] = 10 * rows + columns
    assert np.array_equal(out, expected)
    line = np.zeros(20, np.int32)
    queue.parallel_for(5, "out[i0] = (int)i0;", out=line, offset=10)
    assert np.array_equal(line, np.r_[np.zeros(10), np.arange(10, 15), np.zeros(5)])


def test_an_nd_range(queue: sycl.Queue) -> None:
    shape, group = (6, 8), (2, 4)
    out = np.zeros((*shape, 6), np.int64)
    body = """
    ulong at = (i0 * n1 + i1) * 6;
    out[at] = local_id(0); out[at + 1] = local_id(1);
    out[at + 2] = group_id(0); out[at + 3] = group_id(1);
    out[at + 4] = local_linear_id; out[at + 5] = group_linear_id;
    """
    queue.parallel_for(sycl.NdRange(shape, group), body, out=out)
    for i0, i1 in np.ndindex(shape):
        local, place = (i0 % 2, i1 % 4), (i0 // 2, i1 // 4)
        assert out[i0, i1].tolist() == [*local, *place, local[0] * 4 + local[1], place[0] * 2 + place[1]]


def test_local_memory(queue: sycl.Queue) -> None:
    out = np.zeros(64, np.int32)
    body = "tile[local_id(0)] = (int)i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = tile[local_range(0) - 1 - local_id(0)];"
    queue.parallel_for(sycl.NdRange(64, 16), body, out=out, tile=sycl.local(16, np.int32))
    assert np.array_equal(out.reshape(4, 16), np.arange(64).reshape(4, 16)[:, ::-1])


def test_local_memory_of_rank_two(queue: sycl.Queue) -> None:
    out = np.zeros((8, 12), np.int32)
    body = """
    tile(local_id(0), local_id(1)) = (int)(100 * i0 + i1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out(i0, i1) = tile(3 - local_id(0), 5 - local_id(1));
    """
    queue.parallel_for(sycl.NdRange((8, 12), (4, 6)), body, out=out, tile=sycl.local((4, 6), np.int32))
    whole = 100 * np.arange(8)[:, None] + np.arange(12)
    assert np.array_equal(out, whole.reshape(2, 4, 2, 6)[:, ::-1, :, ::-1].reshape(8, 12))


def test_a_single_task(queue: sycl.Queue) -> None:
    y = np.zeros(3, np.int32)
    queue.single_task("for (int k = 0; k < 3; k++) y[k] = k + first;", y=y, first=5)
    assert y.tolist() == [5, 6, 7]


def test_return_ends_the_item(queue: sycl.Queue) -> None:
    y = np.zeros(100, np.int32)
    queue.parallel_for(100, "if (i % 3 != 0) return;\ny[i] = 1;", y=y)
    assert np.array_equal(y, np.arange(100) % 3 == 0)


# -- kinds of arguments --


DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types(queue: sycl.Queue, dtype: str) -> None:
    x = (np.arange(N) % 2).astype(dtype)
    y = np.zeros(N, dtype)
    queue.parallel_for(N, "y[i] = x[i] == 0;", x=x, y=y)
    assert np.array_equal(y, x == 0)


def test_doubles_halves_and_complex_numbers(queue: sycl.Queue) -> None:
    z = (np.arange(N) + 1j).astype(np.complex64)
    queue.parallel_for(N, "z[i] = cfloat(-z[i].im, z[i].re);", z=z)
    assert np.array_equal(z, ((np.arange(N) + 1j) * 1j).astype(np.complex64))
    if queue.device.has("fp64"):
        x = np.arange(N, dtype=np.float64)
        queue.parallel_for(N, "x[i] = x[i] * a + (z[i].re - z[i].re);", x=x, a=0.5, z=z.astype(np.complex128))
        assert np.array_equal(x, np.arange(N) * 0.5)
    if queue.device.has("fp16"):
        h = np.arange(100, dtype=np.float16)
        queue.parallel_for(100, "h[i] = h[i] * a;", h=h, a=2.0)
        assert np.array_equal(h, 2 * np.arange(100))


def test_arrays_of_any_layout_and_rank(queue: sycl.Queue) -> None:
    whole = np.zeros((6, 8), np.int32)
    queue.parallel_for((3, 4), "x(i0, i1) = 1 + (int)i;", x=whole[::2, 1::2]).wait()
    assert np.array_equal(whole[::2, 1::2].ravel(), np.arange(1, 13))
    assert whole.sum() == np.arange(1, 13).sum()
    deep = np.zeros((2, 3, 4, 5), np.int32)
    queue.parallel_for(deep.size, "x[i] = (int)i;", x=deep)
    assert np.array_equal(deep.ravel(), np.arange(120))
    point = np.array(3, np.int32)
    queue.single_task("x[0] += 4;", x=point)
    assert point == 7


def test_accessors_keep_offset_and_pitch(queue: sycl.Queue) -> None:
    """An accessor's index counts from its own first element. SYCL 2020 4.7.6.9."""
    with sycl.Buffer(np.zeros((5, 6), np.int32)) as b:
        with queue.submit() as h:
            part = h.read_write(b, range=(2, 3), offset=(1, 2))
            h.parallel_for((2, 3), "x(i0 - 1, i1 - 2) = 10 * (int)i0 + (int)i1;", x=part, offset=(1, 2))
        expected = np.zeros((5, 6), np.int32)
        rows, columns = np.mgrid[1:3, 2:5]
        expected[1:3, 2:5] = 10 * rows + columns
        assert np.array_equal(np.asarray(b), expected)
        rows_of = b.sub_buffer((3, 0), (2, 6))
        queue.parallel_for((2, 6), "x(i0, i1) = 7;", x=rows_of).wait()
        rows_of.close()
        expected[3:] = 7
        assert np.array_equal(np.asarray(b), expected)


def test_buffers_and_placeholders_on_the_queue(queue: sycl.Queue) -> None:
    with sycl.Buffer(np.arange(N, dtype=np.int32)) as b, sycl.Buffer(N, np.int32) as out:
        queue.parallel_for(N, "y[i] = 2 * x[i];", x=sycl.Accessor(b, mode="read"), y=out)
        assert np.array_equal(np.asarray(out), 2 * np.arange(N))


def test_a_read_only_buffer_is_read(queue: sycl.Queue) -> None:
    fixed = np.arange(N, dtype=np.int32)
    fixed.flags.writeable = False
    out = np.zeros(N, np.int32)
    with sycl.Buffer(fixed) as b:
        queue.parallel_for(N, "y[i] = x[i] + z[i];", x=b, y=out, z=fixed)
    assert np.array_equal(out, 2 * np.arange(N))


def test_unified_shared_memory(queue: sycl.Queue) -> None:
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("no unified shared memory")
    x = sycl.malloc_device((20, 30), np.float32, queue)
    queue.fill(x, 2.0).wait()
    queue.parallel_for((20, 30), "x(i0, i1) += i1;", x=x).wait()
    out = np.zeros((20, 30), np.float32)
    queue.memcpy(out, x)
    assert np.array_equal(out, np.broadcast_to(2 + np.arange(30, dtype=np.float32), (20, 30)))
    sycl.free(x, queue)


def test_objects_with_memory_of_their_own(queue: sycl.Queue) -> None:
    """The buffer protocol, the array interface, DLPack."""
    plain = array.array("i", range(10))
    queue.parallel_for(10, "x[i] *= 2;", x=plain)
    assert plain.tolist() == list(range(0, 20, 2))
    raw = bytearray(10)
    queue.parallel_for(10, "x[i] = y[i];", x=raw, y=bytes(range(10))).wait()
    assert bytes(raw) == bytes(range(10))
    base = np.arange(10, dtype=np.int32)

    class Interface:
        __array_interface__ = base.__array_interface__

    class Packed:
        def __dlpack__(self, **options: object) -> object:
            return base.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    queue.parallel_for(10, "x[i] += 1;", x=Interface()).wait()
    assert np.array_equal(base, np.arange(1, 11))
    out = np.zeros(10, np.int32)
    queue.parallel_for(10, "y[i] = x[i];", x=Packed(), y=out)
    assert np.array_equal(out, base)


def test_many_arguments(queue: sycl.Queue) -> None:
    arrays = {f"a{k}": np.full(10, k, np.int32) for k in range(40)}
    out = np.zeros(10, np.int32)
    queue.parallel_for(10, "out[i] = " + " + ".join(f"{name}[i]" for name in arrays) + ";", out=out, **arrays)
    assert np.array_equal(out, np.full(10, sum(range(40))))


def test_no_arguments(queue: sycl.Queue) -> None:
    queue.parallel_for(10, "int unused = (int)i; (void)unused;").wait()
    queue.single_task("(void)0;").wait()


def test_one_array_for_two_names(queue: sycl.Queue) -> None:
    x = np.arange(N, dtype=np.int32)
    queue.parallel_for(N, "y[i] = x[i] + 1;", x=x, y=x)
    assert np.array_equal(x, np.arange(1, N + 1))


def test_images_and_samplers(queue: sycl.Queue) -> None:
    if not queue.device.has("image"):
        pytest.skip("no images")
    pixels = np.arange(6 * 5 * 4, dtype=np.float32).reshape(5, 6, 4)
    image = sycl.UnsampledImage(pixels, "r32g32b32a32_sfloat", (6, 5))
    out = np.zeros((5, 6, 4), np.float32)
    body = "vstore4(read_imagef(picture, s, (int2)((int)i1, (int)i0)), i, out);"
    sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
    queue.parallel_for((5, 6), body, picture=image, s=sampler, out=out)
    assert np.array_equal(out, pixels)
    target = np.zeros_like(pixels)
    written = sycl.UnsampledImage(target, "r32g32b32a32_sfloat", (6, 5))
    with queue.submit() as h:
        h.parallel_for((5, 6), "write_imagef(picture, (int2)((int)i1, (int)i0), (float4)((float)i));",
                       picture=h.write(written))  # fmt: skip
    written.close()
    assert np.array_equal(target[..., 0], np.arange(30).reshape(5, 6))


# -- the launch's own keywords --


def test_preamble_options_and_name(queue: sycl.Queue) -> None:
    y = np.zeros(10, np.int32)
    queue.parallel_for(
        10, "y[i] = twice((int)i) + K;", y=y, preamble="int twice(int x) { return 2 * x; }", options="-DK=3",
    )  # fmt: skip
    assert np.array_equal(y, 2 * np.arange(10) + 3)
    queue.parallel_for(10, "y[i] = K;", y=y, options=["-DK=4"], name="mine")
    assert np.array_equal(y, np.full(10, 4))
    assert "mine" in str(queue.graph().commands[-1])


def test_depends_on(queue: sycl.Queue) -> None:
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("no unified shared memory")
    x = sycl.malloc_device(1, np.int32, queue)
    last: sycl.Event | None = queue.fill(x, 1)
    for _ in range(20):
        last = queue.single_task("x[0] = x[0] * 3 % 1000003;", x=x, depends_on=last)
    out = np.zeros(1, np.int32)
    queue.memcpy(out, x, depends_on=last)
    assert out[0] == pow(3, 20, 1000003)
    sycl.free(x, queue)


def test_enumerations_are_numbers(queue: sycl.Queue) -> None:
    class Color(enum.IntEnum):
        blue = 7

    y = np.zeros(3, np.int64)
    queue.parallel_for(3, "y[i] = c;", y=y, c=Color.blue)
    assert y.tolist() == [7, 7, 7]


# -- the cache --


def test_the_same_types_are_the_same_kernel(queue: sycl.Queue) -> None:
    """A second launch makes no program; another type does, and the values of numbers do not."""
    _core.bodies_clear()
    before = _core.live_counts()["program"]

    def launch(dtype: type, k: object) -> int:
        y = np.zeros(10, dtype)
        queue.parallel_for(10, "y[i] = k;", y=y, k=k)
        assert np.array_equal(y, np.full(10, k, dtype))
        return _core.live_counts()["program"] - before

    assert launch(np.float32, 1.0) == 1
    assert launch(np.float32, 2.5) == 1
    assert launch(np.int32, 3) == 2
    assert launch(np.float32, 2.0) == 2
    assert launch(np.float32, np.int32(2)) == 3
    _core.bodies_clear()
    assert _core.live_counts()["program"] == before


def test_the_cache_is_bounded(queue: sycl.Queue) -> None:
    _core.bodies_clear()
    before = _core.live_counts()["program"]
    for k in range(1100):
        sycl.kernel_source(f"y[i] = {k};", 10, queue_or_device=queue, y=np.zeros(10, np.int32))
    assert _core.live_counts()["program"] - before <= 1024
    _core.bodies_clear()
    assert _core.live_counts()["program"] == before


def test_nothing_is_left_behind(queue: sycl.Queue, no_leaks: None) -> None:
    _core.bodies_clear()
    queue.parallel_for(10, "y[i] = k;", y=np.zeros(10, np.int32), k=3)
    with pytest.raises(sycl.KernelArgumentError):
        queue.parallel_for(10, "y[i] = k;", y=np.zeros(10, np.uint8), k=2**64)
    with pytest.raises(sycl.BuildError):
        queue.parallel_for(10, "y[i] = nothing;", y=np.zeros(10, np.uint8))
    with pytest.raises(sycl.KernelArgumentError):
        queue.parallel_for(10, "y[i] = k[i];", y=np.zeros(10, np.int32), k=object())
    _core.bodies_clear()


def test_ids_and_ranges_are_signed(queue: sycl.Queue) -> None:
    """long, in every form: differences, comparisons with negative numbers, conversions to floats; global_id(d), too."""
    words = {1: ["i", "i0", "n0"], 2: ["i", "i0", "i1", "n0", "n1"], 3: ["i", "i0", "i1", "i2", "n0", "n1", "n2"]}
    for shape in ((40,), (5, 8), (2, 5, 4)):
        dims = len(shape)
        ranges = [f"global_id({d})" for d in range(3)] + [f"global_range({d})" for d in range(3)]
        ranges += ["global_linear_id", "global_linear_range"]
        grouped = [f"{what}({d})" for d in range(3) for what in ("local_id", "group_id", "local_range", "group_range")]
        grouped += ["local_linear_id", "group_linear_id", "local_linear_range", "group_linear_range", *ranges]
        whole = [shape[d] if d < dims else 1 for d in range(3)]
        ids = list(np.indices(shape).reshape(dims, -1)) + [np.zeros(40, int)] * (3 - dims)
        known = {f"global_id({d})": ids[d] for d in range(3)} | {f"global_range({d})": whole[d] for d in range(3)}
        known |= {"global_linear_id": np.arange(40), "global_linear_range": 40, "i": np.arange(40)}
        known |= {f"i{d}": ids[d] for d in range(dims)} | {f"n{d}": shape[d] for d in range(dims)}
        local = tuple(n // 2 if n % 2 == 0 else n for n in shape)
        for over, names in ((shape, words[dims] + ranges), (sycl.NdRange(shape, local), words[dims] + grouped)):
            y, z = np.zeros((len(names), 40), np.float32), np.zeros((len(names), 40), np.int64)
            text = "".join(
                f"y({k}, i) = ({word} - 50) / 2; z({k}, i) = ({word} > -1) * 1000 + {word} + 5 * (sizeof({word}) == 8);"
                for k, word in enumerate(names)
            )
            queue.parallel_for(over, text, y=y, z=z)
            for k, word in enumerate(names):
                values = z[k] - 1005
                assert word not in known or np.array_equal(values, np.broadcast_to(known[word], 40)), (shape, word)
                assert np.array_equal(y[k], np.trunc((values - 50) / 2)), (shape, word)


def test_ids_begin_where_the_offset_is(queue: sycl.Queue) -> None:
    z = np.zeros((3, 12), np.int64)
    text = "long k = global_linear_id; z(0, k) = global_id(0) - 10; z(1, k) = global_id(1) - 10; z(2, k) = global_offset(1) - 9;"
    queue.parallel_for((3, 4), text, z=z, offset=(2, 5))
    ids = np.indices((3, 4)).reshape(2, 12)
    assert np.array_equal(z, [ids[0] + 2 - 10, ids[1] + 5 - 10, np.full(12, 5 - 9)])
