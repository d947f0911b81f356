"""SYCL 2020 4.9.2 (4.10.2 of the draft): reducers as parameters of a whole program's kernels."""

import numpy as np
import program_reducers
import pytest

import pysycl as sycl

SOURCE = """
#define LEAVE_IF(what) if (what) return
typedef struct { float value; int index; } pair;
float half_of(float x) { return x < 0 ? 0 : x / 2; }

kernel void several(global const float *x, reducer(float, plus) total, int limit,
                    reducer(int, maximum) top, reducer(uint, bit_xor) bits, reducer(bool, logical_or) any)
{
    const int i = get_global_id(0) + get_global_id(1) * 100 + get_global_id(2) * 1000;
    LEAVE_IF(i >= limit);
    if (x[i] < 0) return; else total += half_of(x[i]) + total.identity();
    top.combine(i).combine(i - 1);
    for (int k = 0; k < 2; k++) { bits ^= (uint)i << k; }
    any.combine(i == 77);
}

kernel void spread(global const float *x, reducer(float, plus) total)
{
    total += x[get_global_id(0) + get_global_id(1) * 100 + get_global_id(2) * 1000];
}

kernel void grouped(global const uint *x, reducer(uint, plus) bins[], local uint *own, reducer(ulong, plus) sum)
{
    const uint l = get_local_id(0), size = get_local_size(0);
    own[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    bins[own[size - 1 - l] % 5]++;
    const uint all = group_reduce(work_group, own[l], sum.binary_operation);
    if (l > 0) return;
    sum += all;
}

__attribute__((reqd_work_group_size(4, 1, 1))) kernel void kinds(
    global const float *x, reducer(pair, smaller) least, reducer(float4, plus) four, reducer(int, logical_and) all,
    reducer(pair, smaller) none)
{
    const int i = get_global_id(0);
    const pair own = {x[i], i};
    least.combine(own);
    four += (float4)(x[i], 1, i, x[i] < 0.5f);
    all.combine(x[i] >= 0);
    if (i < 0) none.combine(own);
}

kernel void arrays(global const float *x, reducer(float, plus) sums[], reducer(uint, multiplies) products[],
                   reducer(pair, smaller) least[])
{
    const int i = get_global_id(0), group = i % 3;
    const pair own = {x[i], i};
    sums[group] += x[i];
    products[group] *= i < 9 ? 3u : products.identity();
    least[group].combine(own).combine(own);
}
"""
PAIR = np.dtype([("value", "f4"), ("index", "i4")])
SMALLER = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a")


@pytest.fixture(scope="module")
def program():
    return sycl.Program(SOURCE, operators={"smaller": SMALLER})


def variable(value, dtype):
    return sycl.Buffer(np.array([value], dtype))


def value_of(buffer):
    with buffer.host_access("read") as data:
        return data[0].copy()


def several(queue, kernel, n, x, fresh):
    """The four results of `several` over a range, whose variables begin with 10, 5, 3 and False."""
    buffers = [variable(10, np.float32), variable(5, np.int32), variable(3, np.uint32), variable(False, np.bool_)]
    ops = [sycl.plus, sycl.maximum, sycl.bit_xor, sycl.logical_or]
    with queue.submit() as h:
        r = [sycl.reduction(b, h, op, initialize_to_identity=fresh) for b, op in zip(buffers, ops, strict=True)]
        h.parallel_for(n, kernel, x, r[0], 5000, *r[1:])
    return [value_of(buffer) for buffer in buffers]


def several_expected(x, indices, fresh=False):
    used = indices[x[indices] >= 0].astype(np.int64)
    bits = np.bitwise_xor.reduce(np.concatenate([used, used << 1]), initial=0 if fresh else 3)
    start = (0, np.iinfo(np.int32).min) if fresh else (10, 5)
    return [start[0] + x[used].sum() / 2, used.max(initial=start[1]), bits, bool((used == 77).any())]


@pytest.mark.spec(
    "D032", "D033", "D034", "D035", "D040", "D041", "D060", "D062", "D064", "D067", "D069", "D070", "D071"
)
@pytest.mark.parametrize("fresh", [False, True])
def test_ranges_of_all_sizes(queue, program, fresh):
    """Ranges that nothing divides, `return` in the text and in a macro, and ranges with nothing in them."""
    x = np.arange(5000, dtype=np.float32) % 32
    x[::3] = -1
    for n in (0, 1, 63, 1009, 4096):
        found = several(queue, program.several, n, x, fresh)
        assert found == several_expected(x, np.arange(n), fresh), n


@pytest.mark.spec("D033", "D064")
def test_ranges_of_all_kinds(queue, program):
    x = np.arange(5000, dtype=np.float32) % 32
    grid = np.arange(3)[:, None, None] * 1000 + np.arange(7)[None, :, None] * 100 + np.arange(13)
    flat = np.arange(1, 5)[:, None] * 100 + np.arange(10, 27)
    cases = [
        ((3, 7, 13), {}, grid),
        ((4, 17), {"offset": (1, 10)}, flat),
        (sycl.NdRange((96,), (32,)), {}, np.arange(96)),
        (sycl.NdRange((0,), (32,)), {}, np.arange(0)),
    ]
    for wanted, options, indices in cases:
        total = variable(0.5, np.float32)
        with queue.submit() as h:
            h.parallel_for(wanted, program.spread, x, sycl.reduction(total, h, sycl.plus), **options)
        assert value_of(total) == 0.5 + x[indices].sum(), wanted


@pytest.mark.spec("D035", "D043", "D065", "D066", "D068", "D072", "D160")
def test_an_array_with_local_memory_and_a_group_function(queue, program):
    x = np.random.default_rng(5).integers(0, 1000, 320).astype(np.uint32)
    for fresh in (False, True):
        bins, total = sycl.Buffer(np.arange(5, dtype=np.uint32)), variable(7, np.uint64)
        with queue.submit() as h:
            array = sycl.reduction(h.write(bins, no_init=True) if fresh else h.read_write(bins), sycl.plus)
            own, every = h.local(32, np.uint32), sycl.reduction(total, h, sycl.plus)
            h.parallel_for(sycl.NdRange((320,), (32,)), program.grouped, x, array, own, every)
        assert value_of(total) == 7 + x.sum()
        with bins.host_access("read") as counts:
            assert np.array_equal(counts, np.bincount(x % 5, minlength=5) + np.arange(5) * (not fresh))
    with queue.submit() as h:
        array, own = sycl.reduction(h.read_write(bins), sycl.plus), h.local(32, np.uint32)
        every = sycl.reduction(total, h, sycl.plus)
        with pytest.raises(sycl.KernelArgumentError, match="local memory belongs to a work-group"):
            h.parallel_for(320, program.grouped, x, array, own, every)


@pytest.mark.spec("D036", "D043", "D047", "D060", "D068")
def test_arrays_of_all_kinds(queue, program):
    """Combined where they stand, by an exchange, and of a type that no device can: all over a plain range."""
    x = np.arange(700, dtype=np.float32) + 1
    for n, fresh in ((700, True), (700, False), (0, True)):
        sums, products = sycl.Buffer(np.full(3, 2, np.float32)), sycl.Buffer(np.full(3, 2, np.uint32))
        least = sycl.Buffer(np.array([(0.5, 1), (900, 2), (1e9, 3)], PAIR))
        options = {"identity": (np.inf, -1), "initialize_to_identity": True} if fresh else {"identity": (np.inf, -1)}
        with queue.submit() as h:
            h.parallel_for(
                n,
                program.arrays,
                x,
                sycl.reduction(h.read_write(sums), sycl.plus, initialize_to_identity=fresh),
                sycl.reduction(h.read_write(products), sycl.multiplies, initialize_to_identity=fresh),
                sycl.reduction(h.read_write(least), SMALLER, **options),
            )
        found = []
        for buffer in (sums, products, least):
            with buffer.host_access("read") as data:
                found.append(data.tolist())
        old, first = 0 if fresh else 2, 1 if fresh else 2
        assert found[0] == [old + x[:n][k::3].sum() for k in range(3)]
        assert found[1] == [first * 3 ** min(n, 3)] * 3 if n else [first] * 3
        if fresh:
            assert found[2] == ([(k + 1, k) for k in range(3)] if n else [(np.inf, -1)] * 3)
        else:
            assert found[2] == [(0.5, 1), (2, 1), (3, 2)]


@pytest.mark.spec("D036", "D039", "D057", "D060", "D157")
@pytest.mark.parametrize("ranged", [False, True])
def test_structs_vectors_and_no_identity(queue, program, ranged):
    """Operators of the program's own, over groups of a required size; what is never combined keeps its value."""
    x = ((np.arange(64) * 37) % 64).astype(np.float32) + 1
    wanted = sycl.NdRange((64,), (4,)) if ranged else 64
    least, none = variable((3.5, -1), PAIR), variable((2.5, 9), PAIR)
    fresh = variable((0, 0), PAIR)
    four, every = sycl.Buffer(np.ones(1, sycl.float4.dtype)), variable(7, np.int32)
    for target, options in ((least, {}), (fresh, {"identity": (np.inf, 2**31 - 1), "initialize_to_identity": True})):
        with pytest.warns(sycl.SyclWarning, match="has no identity"), queue.submit() as h:
            h.parallel_for(
                wanted,
                program.kinds,
                x,
                sycl.reduction(target, h, SMALLER, **options),
                sycl.reduction(four, h, sycl.plus),
                sycl.reduction(every, h, sycl.logical_and),
                sycl.reduction(none, h, SMALLER),
            )
    assert value_of(least).tolist() == (1, 0)
    assert value_of(fresh).tolist() == (1, 0)
    assert value_of(none).tolist() == (2.5, 9)
    assert value_of(every) == 1
    assert value_of(four).tolist() == (1 + 2 * x.sum(), 129, 1 + 64 * 63, 1)


@pytest.mark.spec("D060", "D061")
def test_nothing_to_combine_without_an_identity(queue, program):
    """An empty range: old values stay, and those that do not count become the identity."""
    one, other = variable((1, 1), PAIR), variable((2, 2), PAIR)
    four, every = sycl.Buffer(np.ones(1, sycl.float4.dtype)), variable(7, np.int32)
    options = {"identity": (9, 9), "initialize_to_identity": True}
    with pytest.warns(sycl.SyclWarning, match="has no identity"), queue.submit() as h:
        h.parallel_for(
            0,
            program.kinds,
            np.zeros(1, np.float32),
            sycl.reduction(one, h, SMALLER, **options),
            sycl.reduction(four, h, sycl.plus, initialize_to_identity=True),
            sycl.reduction(every, h, sycl.logical_and),
            sycl.reduction(other, h, SMALLER),
        )
    assert [value_of(each).tolist() for each in (one, other, four, every)] == [(9, 9), (2, 2), (0, 0, 0, 0), 7]


@pytest.mark.spec("D060", "D061")
@pytest.mark.parametrize("fresh", [False, True])
def test_nothing_to_combine_in_any_form(queue, fresh):
    """Old values stay, or become the identity: launched, prepared, prepared and changed, recorded; bodies and programs."""
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("the device has no memory of its own")
    program = sycl.Program(
        "kernel void f(int a, reducer(int, plus) r) { r += a; }"
        "kernel void g(int a, reducer(int, plus) r) { r += a * (int)get_local_id(0); }"
    )
    own, read = sycl.malloc_device(1, np.int32, queue), np.empty(1, np.int32)
    r = sycl.reduction(own, sycl.plus, initialize_to_identity=fresh)
    kernels = [("r += a;", {"a": 3, "r": r}, ()), ("r += a * get_local_id(0);", {"a": 3, "r": r}, ())]
    kernels += [(program.f, {}, (3, r)), (program.g, {}, (3, r))]

    def check(*what):
        queue.copy(own, read)
        assert read[0] == (0 if fresh else 5), what
        queue.fill(own, np.int32(5)).wait()

    queue.fill(own, np.int32(5)).wait()
    for grouped, (kernel, named, given) in zip((False, True) * 2, kernels, strict=True):
        for wanted in [sycl.NdRange((0,), (32,)), sycl.NdRange((4, 0), (2, 1))] + [0, (0, 4)] * (not grouped):
            launch = queue.kernel(wanted, kernel, *given, **named)
            launch().wait()
            check("prepared", kernel, wanted)
            launch(a=4).wait()
            check("changed", kernel, wanted)
            queue.parallel_for(wanted, kernel, *given, **named).wait()
            check("launched", kernel, wanted)
            with queue.record() as recording:
                queue.parallel_for(wanted, kernel, *given, **named)
            recording.replay().wait()
            check("recorded", kernel, wanted)


@pytest.mark.spec("D035", "D042", "D046")
def test_prepared_and_recorded(queue, program):
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("the device has no memory of its own")
    x = np.arange(100, dtype=np.float32)
    own = [sycl.malloc_device(1, dtype, queue) for dtype in (np.float32, np.int32, np.uint32, np.bool_)]
    ops = [sycl.plus, sycl.maximum, sycl.bit_xor, sycl.logical_or]
    r = [sycl.reduction(memory, op, initialize_to_identity=True) for memory, op in zip(own, ops, strict=True)]
    read = np.empty(1, np.float32)
    launch = queue.kernel(100, program.several, x, r[0], 50, *r[1:])
    for limit in (50, 10, 100):
        launch(limit=limit).wait()
        queue.copy(own[0], read)
        assert read[0] == several_expected(x, np.arange(limit), True)[0]
    other = sycl.malloc_device(1, np.float32, queue)
    launch(total=sycl.reduction(other, sycl.plus, initialize_to_identity=True), limit=7).wait()
    queue.copy(other, read)
    assert read[0] == 10.5
    empty = queue.kernel(0, program.several, x, r[0], 50, *r[1:])
    empty(limit=3).wait()
    queue.copy(own[0], read)
    assert read[0] == 0


@pytest.mark.spec("D033", "D035", "D060")
def test_bundles_links_binaries_and_constants(queue):
    """A kernel with reducers is one wherever it comes from; each time a launch says what becomes of the old value."""
    context, x = queue.context, np.arange(100, dtype=np.int32)
    factor = sycl.SpecConstant(np.int32, 3)
    product = sycl.BinaryOp("a * b", identity=1)
    program = sycl.Program(
        """kernel void f(global const int *x, reducer(int, plus) sum, reducer(long, times) product)
        { const int i = get_global_id(0); sum += x[i] * SPEC(factor); product.combine(i < 3 ? i + 2 : 1); }""",
        spec_constants={"factor": factor},
        operators={"times": product},
    )
    bundle = sycl.get_kernel_bundle(context, program)
    kernels = {"text": program.f, "bundle": bundle.get_kernel("f")}
    if queue.device.has("online_linker"):
        linked = sycl.link(sycl.compile(sycl.KernelBundle(program, context)))
        loaded = sycl.build(sycl.opencl.create_bundle_with_binary(context, bundle.binary()))
        kernels.update(linked=linked.get_kernel("f"), binary=loaded.get_kernel("f"))
    for name, kernel in kernels.items():
        assert kernel.parameters[1].removeprefix("__") == "reducer(int, plus) sum"
        for fresh in (False, True):
            sums, products = variable(1, np.int32), variable(5, np.int64)
            with queue.submit() as h:
                if name == "text":
                    h.set_specialization_constant(factor, 3 + fresh)
                r = (
                    sycl.reduction(sums, h, sycl.plus, initialize_to_identity=fresh),
                    sycl.reduction(products, h, product, initialize_to_identity=fresh),
                )
                h.parallel_for(100, kernel, x, *r)
            assert value_of(sums) == (1 - fresh) + (3 + (fresh and name == "text")) * x.sum(), name
            assert value_of(products) == (24 if fresh else 120), name


@pytest.mark.spec("D032", "D033", "D035", "D060", "D062", "D064", "D067")
def test_random_kernels(queue):
    """Texts, reducers, ranges and data by chance; program_reducers.py makes as many as one likes."""
    assert program_reducers.run(queue, np.random.default_rng(11), 2, [0, 1000]) >= 4


LONE = """
__constant float table[4] = {1, 2, 3, 4};
kernel void exact(global const float *x, reducer(float, plus) r) { const int i = get_global_id(0); r += x[i]; }
kernel void counts(global const float *x, int k, reducer(float, plus) r)
{
    k += get_global_id(0);
    r += x[k];
}
kernel void looks(global const float *x, constant float *c, reducer(float, plus) r) { r += x[get_global_id(0)] * c[0]; }
"""


def result_of(queue, wanted, kernel, x, extra, **options):
    """A prepared launch, and the sum that it has left."""
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("the device has no memory of its own")
    own, read = sycl.malloc_device(1, np.float32, queue), np.empty(1, np.float32)
    r = sycl.reduction(own, sycl.plus, initialize_to_identity=True, **options)
    launch = queue.kernel(wanted, kernel, x, *extra, r)
    launch().wait()
    queue.copy(own, read)
    return launch, read[0]


def test_forms_of_bodies(queue, capfd):
    """A kernel that asks for nothing of its group has the forms of bodies, over nd-ranges, too; one whose text cannot be a
    body's stays as it is written. Both are right."""
    program = sycl.Program(LONE)
    x, one = np.arange(1000, dtype=np.float32), np.ones(1, np.float32)
    for kernel, extra, written in (
        (program.exact, (), False),
        (program.counts, (0,), True),
        (program.looks, (one,), True),
    ):
        for wanted in (1000, sycl.NdRange((1000,), (10,))):
            launch, found = result_of(queue, wanted, kernel, x, extra)
            assert found == x.sum()
            assert ("kernels as written, with reducers" in launch.explanation) == written, launch.explanation
    assert "generated" not in capfd.readouterr().err  # no compiler was asked in vain, whose words PoCL shows to users
    with pytest.raises(sycl.NdRangeError, match="not a multiple of the local size 7"):
        result_of(queue, sycl.NdRange((1000,), (7,)), program.exact, x, ())


@pytest.mark.spec("D033")
def test_accuracies(queue):
    """Sums of a kernel as exact as those of bodies, and refused where the text cannot be one."""
    program = sycl.Program(LONE)
    x = np.array([1e8, 1, -1e8, 2**-20] * 250, np.float32)
    for wanted in (1000, sycl.NdRange((1000,), (10,))):
        for accuracy in ("compensated", "exact"):
            _, found = result_of(queue, wanted, program.exact, x, (), accuracy=accuracy)
            assert found == np.float32(250 * (1 + 2**-20)), accuracy
    with pytest.raises(sycl.KernelArgumentError) as caught:
        result_of(queue, 1000, program.counts, x, (0,), accuracy="exact")
    assert str(caught.value).splitlines()[0] == (
        "counts(): argument 3, 'r', asks for an accuracy, and this kernel's launches have none: its text cannot be taken "
        "for a body, or is not here, or it asks for its work-group over a plain range"
    )
