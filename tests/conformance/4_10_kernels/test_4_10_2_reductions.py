"""SYCL 2020 4.9.2 (4.10.2 of the draft): reductions over buffers, unified shared memory, spans and accessors, in all the
forms that a device can be given them."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

SHAPES = ["lanes", "stride"]  # a device's row says one of them
SIZES = [0, 1, 63, 64, 65, 20011]
FOUR = "total += v[i]; top.combine(v[i]); least.combine(v[i]); bits ^= v[i];"


@pytest.fixture
def shape(request):
    """A form that bodies with reducers are made to take."""
    _core.force_shape(request.param)
    yield request.param
    _core.force_shape(None)


def variable(value, dtype):
    return sycl.Buffer(np.array([value], dtype))


def value_of(buffer):
    with buffer.host_access("read") as data:
        return data[0].copy()


def shared(queue, count, dtype):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    return sycl.malloc_shared(count, dtype, queue)


@pytest.mark.spec("D032", "D033", "D034", "D035", "D152", "D171")
def test_the_example(queue):
    values = sycl.Buffer(np.arange(1024, dtype=np.int32))
    total, top = variable(0, np.int32), variable(0, np.int32)
    with queue.submit() as h:
        h.parallel_for(
            1024,
            "total += v[i]; top.combine(v[i]);",
            v=h.read(values),
            total=sycl.reduction(total, h, sycl.plus),
            top=sycl.reduction(top, h, sycl.maximum),
        )
    assert (value_of(total), value_of(top)) == (523776, 1023)


@pytest.mark.spec("D040", "D041", "D060", "D063", "D067", "D070", "D071")
@pytest.mark.parametrize(
    ("shape", "dtype"),
    sweep(
        [(shape, dtype) for shape in SHAPES for dtype in (np.uint8, np.int64)],
        [("lanes", np.int64), ("stride", np.uint8)],
    ),
    indirect=["shape"],
)
def test_several_reducers_of_all_sizes(queue, shape, dtype):
    """One kernel: sizes around the vectors', the old values, and none of them (1, 63 and 20011 keep them, 64 does not)."""
    for n in SIZES:
        v = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
        for fresh in (False, True) if n in (0, 65) else (n % 2 == 0,):
            old = [5, 3, 90, 7]
            buffers = [variable(each, dtype) for each in old]
            with queue.submit() as h:
                given = dict(
                    zip(
                        ("total", "top", "least", "bits"),
                        (
                            sycl.reduction(buffer, h, op, initialize_to_identity=fresh)
                            for buffer, op in zip(
                                buffers, (sycl.plus, sycl.maximum, sycl.minimum, sycl.bit_xor), strict=True
                            )
                        ),
                        strict=True,
                    )
                )
                h.parallel_for(n, FOUR, v=v, **given)
            limits = np.iinfo(dtype)
            start = [0, limits.min, limits.max, 0] if fresh else old
            with np.errstate(over="ignore"):
                expected = [
                    v.sum(dtype=dtype, initial=dtype(start[0])),
                    v.max(initial=dtype(start[1])),
                    v.min(initial=dtype(start[2])),
                    np.bitwise_xor.reduce(v, initial=dtype(start[3])),
                ]
            assert [value_of(buffer) for buffer in buffers] == expected, (n, fresh)


@pytest.mark.spec("D036", "D037", "D039", "D065", "D066", "D067", "D069", "D155", "D156", "D157", "D169")
@pytest.mark.parametrize("shape", SHAPES, indirect=True)
def test_types_and_operators(queue, shape):
    """A struct without an identity, a vector, a complex number, bool, products, an operator that does not commute."""
    pair = np.dtype([("value", np.float32), ("at", np.int32)])
    n, float4 = 1000, np.dtype([(f"s{k}", np.float32) for k in range(4)])
    x = np.random.default_rng(0).random(n).astype(np.float32)
    best, vector = sycl.Buffer(np.array([(2.0, -1)], pair)), sycl.Buffer(np.zeros(1, float4))
    wave, every = variable(1j, np.complex64), variable(True, np.bool_)
    product, last, counts = variable(2, np.uint32), variable(0, np.uint32), variable(0, np.int32)
    argmin = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a")
    second = sycl.BinaryOp("b + 0 * a", identity=0)
    with pytest.warns(sycl.SyclWarning) as told, queue.submit() as h:
        h.parallel_for(
            n,
            """best.value_type p = {x[i], (int)i};
            best.combine(p);
            if (i % 2 == 0) return;
            vector += (float4)(1, 2, 3, i);
            wave += cfloat(1, x[i]);
            every.combine(0.5f * (i != 77)); // not 0, and no whole number
            product *= i < 4 ? 3u : product.identity(); product.combine(1u).combine(1u);
            last.combine((uint)i);
            counts += best.dimensions + 1; ++counts; counts++;""",
            x=x,
            best=sycl.reduction(best, h, argmin),
            vector=sycl.reduction(vector, h, sycl.plus),
            wave=sycl.reduction(wave, h, sycl.plus),
            every=sycl.reduction(every, h, sycl.logical_and),
            product=sycl.reduction(product, h, sycl.multiplies),
            last=sycl.reduction(last, h, second),
            counts=sycl.reduction(counts, h, sycl.plus),
        )
    words = [str(each.message) for each in told]
    assert words == [f"the reduction by {argmin!r} has no identity, which makes it slower: give identity="]
    assert value_of(best).tolist() == (x.min(), x.argmin())
    assert value_of(vector).tolist() == (500, 1000, 1500, 250000)
    assert np.allclose(value_of(wave), 500 + 1j * (1 + x[1::2].sum()), rtol=1e-5)
    assert not value_of(every) and value_of(product) == 2 * 9
    assert value_of(last) in range(n) and value_of(counts) == 1500


@pytest.mark.spec("D033", "D064")
@pytest.mark.parametrize("shape", SHAPES, indirect=True)
def test_ranges(queue, shape):
    """Two and three dimensions, an offset, what is written besides; narrow, flat and long ranges."""
    for dims in ((7, 300), (300, 7), (5, 6, 70), (3, 1, 2), (1, 5000), (4, 0), (9,)):
        x = np.random.default_rng(1).integers(0, 100, dims).astype(np.int32)
        y, buffer, other = np.zeros(dims, np.int64), variable(0, np.int64), variable(0, np.int32)
        ids = [f"i{d}" for d in range(len(dims))]
        with queue.submit() as h:
            h.parallel_for(
                dims,
                f"long k = (long)x[i] * i + {ids[0]}; y[i] = k; total += k; sizes.combine({ids[-1]} * n0);",
                x=x,
                y=y,
                total=sycl.reduction(buffer, h, sycl.plus),
                sizes=sycl.reduction(other, h, sycl.maximum),
            )
        first = np.arange(dims[0]).reshape((-1,) + (1,) * (len(dims) - 1))
        expected = x.astype(np.int64) * np.arange(x.size).reshape(dims) + first
        assert value_of(buffer) == expected.sum() and np.array_equal(y, expected if x.size else y), dims
        assert value_of(other) == ((dims[-1] - 1) * dims[0] if x.size else 0), dims
    far = variable(0, np.int32)
    with queue.submit() as h:
        h.parallel_for((4, 5), "far += 10 * i0 + i1;", offset=(1, 2), far=sycl.reduction(far, h, sycl.plus))
    assert value_of(far) == 20 * 25 + 20 * 4


@pytest.mark.spec("D032", "D033", "D035", "D064")
def test_nd_ranges(queue):
    """Groups of all sizes, with local memory and group functions, in three dimensions, with a return."""
    body = """
        const size_t l = local_linear_id;
        if (global_linear_id % 3 == 1) { total += 1000; return; }
        total += (int)l;
        most.combine((float)group_linear_id);
    """
    for sizes, groups in (((1,), (3,)), ((7,), (5,)), ((64,), (9,)), ((2, 8), (3, 2)), ((2, 2, 4), (2, 1, 3))):
        total, most = variable(1, np.int32), variable(-1, np.float32)
        nd = sycl.NdRange(tuple(a * b for a, b in zip(sizes, groups, strict=True)), sizes)
        with queue.submit() as h:
            h.parallel_for(
                nd, body, total=sycl.reduction(total, h, sycl.plus), most=sycl.reduction(most, h, sycl.maximum)
            )
        every = np.arange(np.prod(nd.global_range))
        ids = np.indices(tuple(nd.global_range)).reshape(len(sizes), -1)
        local = np.ravel_multi_index([each % size for each, size in zip(ids, sizes, strict=True)], sizes)
        group = np.ravel_multi_index([each // size for each, size in zip(ids, sizes, strict=True)], groups)
        left = every % 3 == 1
        assert value_of(total) == 1 + 1000 * left.sum() + local[~left].sum(), sizes
        assert value_of(most) == group[~left].max(), sizes


@pytest.mark.spec("D033", "D034", "D065")
def test_with_local_memory_and_group_functions(queue):
    total, least = variable(0, np.int32), variable(1000, np.int32)
    x = np.arange(128, dtype=np.int32)
    with queue.submit() as h:
        h.parallel_for(
            sycl.NdRange(128, 16),
            "m[local_id(0)] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); int s = group_reduce(work_group, x[i], maximum);"
            "total += m[15 - local_id(0)] + s;"
            "least.value_type t = group_reduce(work_group, 200 - x[i], least.binary_operation); least.combine(t);",
            x=h.read(sycl.Buffer(x)),
            m=h.local(16, np.int32),
            total=sycl.reduction(total, h, sycl.plus),
            least=sycl.reduction(least, h, sycl.minimum),
        )
    assert (value_of(total), value_of(least)) == (x.sum() + 16 * x[15::16].sum(), 200 - 127)


@pytest.mark.spec("D038", "D042", "D043", "D046", "D047", "D049", "D050", "D066", "D068", "D162", "D163")
@pytest.mark.parametrize("shape", SHAPES, indirect=True)
def test_unified_shared_memory(queue, shape):
    """One variable by its pointer, and spans: a histogram of few bins and of many, with scalars beside it, over a range
    and an nd-range; what lies behind a span stays."""
    for bins in (5, 256, 3000):
        room, one = shared(queue, bins + 1, np.uint32), shared(queue, 1, np.float32)
        room.view()[:], one.view()[:] = 1, 0.5
        x = np.random.default_rng(bins).integers(0, bins, 5000).astype(np.uint32)
        counts = np.bincount(x, minlength=bins)
        queue.parallel_for(
            x.size,
            "h[x[i]]++; most += (float)(h.dimensions + most.dimensions); h[x[i]].combine(1u).combine(0u);",
            x=x,
            h=sycl.reduction(sycl.span(room, bins), sycl.plus),
            most=sycl.reduction(one, sycl.plus, identity=0),
        )
        assert np.array_equal(room.view(), np.append(1 + 2 * counts, 1)), bins
        assert one.view()[0] == 5000.5
        queue.parallel_for(
            sycl.NdRange(4992, 16),
            "h[x[i]] += (uint)local_id(0);",
            x=x,
            h=sycl.reduction(sycl.span(room, bins), sycl.plus, identity=0, initialize_to_identity=True),
        )
        expected = np.bincount(x[:4992], np.arange(4992) % 16, minlength=bins)
        assert np.array_equal(room.view(), np.append(expected, 1)), bins


@pytest.mark.spec("D039", "D043", "D068")
def test_arrays_without_an_identity(queue):
    """Elements that nothing is combined with keep their values."""
    room = shared(queue, 4, np.int32)
    room.view()[:] = [3, 100, -7, 9]
    queue.parallel_for(
        300, "if (i % 4 != 3) r[i % 4].combine(i);", r=sycl.reduction(sycl.span(room), sycl.logical_or)
    ).wait()
    assert room.view().tolist() == [1, 1, 1, 9]


@pytest.mark.spec("D060")
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_a_fresh_variable_begins_with_the_identity(queue, n):
    """With the one that is given, else with the known one, and not with 0 or the old value, which counts where nobody asks
    for another; also when nothing is combined."""
    shifted = sycl.BinaryOp("a + b - 7")  # whose identity is 7
    old, parts = 100, np.full(n, 9, np.int32)
    rows = {
        "given": (shifted, {"identity": 7}, 7 + 2 * n, old + 2 * n),
        "least": (sycl.minimum, {}, 9 if n else 2**31 - 1, 9 if n else old),
        "most": (sycl.maximum, {}, 9 if n else -(2**31), old),
        "bits": (sycl.bit_and, {}, 9 if n else -1, old & 9 if n else old),
        "product": (sycl.multiplies, {}, (9**n + 2**31) % 2**32 - 2**31, (old * 9**n + 2**31) % 2**32 - 2**31),
    }
    for fresh in (True, False):
        buffers = {name: variable(old, np.int32) for name in rows}
        with queue.submit() as h:
            reducers = {
                name: sycl.reduction(buffers[name], h, op, initialize_to_identity=fresh, **given)
                for name, (op, given, _, _) in rows.items()
            }
            text = " ".join(f"{name}.combine(v[i]);" for name in rows)
            h.parallel_for(n, text, v=h.read(sycl.Buffer(parts)), **reducers)
        queue.wait_and_throw()
        found = {name: int(value_of(buffer)) for name, buffer in buffers.items()}
        assert found == {name: row[2 if fresh else 3] for name, row in rows.items()}, fresh


@pytest.mark.spec("D060")
def test_an_old_value_that_is_ignored_may_be_lost(queue):
    """Nothing is asked of the commands that made it, but to have ended."""
    total = variable(10, np.int32)

    def lose():
        raise ValueError("lost")

    with queue.submit() as h:
        h.write(total, target="host_task")
        h.host_task(lose)
    with pytest.raises(sycl.SyclRuntimeError, match="lost"):
        queue.wait_and_throw()
    with queue.submit() as h:
        r = sycl.reduction(total, h, sycl.plus, initialize_to_identity=True)
        h.parallel_for(7, "total += 1;", total=r)
    queue.wait_and_throw()
    assert value_of(total) == 7


@pytest.mark.spec("D158", "D159", "D160", "D161")
def test_accessors(queue):
    old, fresh, many = variable(10, np.int32), variable(10, np.int32), sycl.Buffer(np.full(3, 10, np.int32))
    with queue.submit() as h:
        h.parallel_for(
            7,
            "a += 1; b += 1; c[i % 3] += 1;",
            a=sycl.reduction(h.read_write(old), sycl.plus),
            b=sycl.reduction(sycl.Accessor(fresh, h, "discard_write"), sycl.plus),
            c=sycl.reduction(h.read_write(many), sycl.plus),
        )
    assert (value_of(old), value_of(fresh)) == (17, 7)
    with many.host_access("read") as data:
        assert data.tolist() == [13, 12, 12]


@pytest.mark.spec("D035")
def test_many_under_way(queue):
    """Nothing has to be set up between launches, and none waits for another's partial results in vain."""
    x = sycl.Buffer(np.arange(3000, dtype=np.int64))
    outs = [variable(0, np.int64) for _ in range(20)]
    for out in outs + outs:
        with queue.submit() as h:
            h.parallel_for(3000, "t += x[i];", x=h.read(x), t=sycl.reduction(out, h, sycl.plus))
    assert [value_of(out) for out in outs] == [3000 * 2999] * 20


@pytest.mark.spec("D035", "D042")
def test_prepared_and_recorded(queue):
    one = shared(queue, 1, np.int32)
    x = np.arange(1000, dtype=np.int32)
    kernel = queue.kernel(1000, "t += x[i] * k;", x=x, k=1, t=sycl.reduction(one, sycl.plus))
    one.view()[0] = 0
    for k in range(4):
        kernel(k=k).wait()
    assert one.view()[0] == 6 * x.sum()
    with queue.record() as recording:
        kernel(depends_on=kernel(k=2))
    recording.replay().wait()
    recording.replay().wait()
    assert one.view()[0] == 12 * x.sum()
