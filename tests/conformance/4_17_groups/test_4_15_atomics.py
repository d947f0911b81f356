"""Atomic references and fences. SYCL 2020, 4.15 (4.17 of the draft)."""

import numpy as np
import pytest

import pysycl as sycl

ITEMS, GROUP = 4096, 64
WIDE = "#define WIDE memory_order_relaxed, memory_scope_device\n"

# Each type's operations, many items at a time on one element: nothing of it comes out right without atomicity.
INTEGERS = (
    WIDE
    + """
__kernel void f(__global T *x, __global T *seen, __global T *other, __local T *room)
{
    const int i = global_id(0);
    T was = 0, own = 0;
    if (local_id(0) == 0)
        atomic_store(room, 5);
    group_barrier(work_group);
    atomic_fetch_add(x, 3);
    atomic_fetch_sub(x + 1, (T)2, memory_order_relaxed);
    atomic_fetch_or(x + 2, (T)1 << (i % BITS), WIDE);
    atomic_fetch_and(x + 3, ~((T)1 << (i % BITS / 2)));
    atomic_fetch_xor(x + 4, (T)i);
    atomic_fetch_min(x + 5, (T)(STEP * i - STEP));
    atomic_fetch_max(x + 6, (T)(STEP * i - STEP));
    seen[i] = atomic_fetch_add(x + 7, 1);
    seen[i] += ITEMS * (atomic_add_fetch(x + 8, 1) - 1);
    was = atomic_load(x + 9);
    while (!atomic_compare_exchange_weak(x + 9, &was, was + STEP)) {
    }
    was = atomic_load(x + 10, WIDE);
    while (!atomic_compare_exchange_strong(x + 10, &was, was + 1, memory_order_relaxed, memory_order_relaxed)) {
    }
    /* what goes round in a ring of exchanges is neither lost nor doubled */
    own = atomic_exchange(x + 11, (T)i + 1);
    atomic_fetch_add(x + 12, own);
    atomic_fetch_add(room, 1, memory_order_relaxed, memory_scope_system);
    group_barrier(work_group);
    if (local_id(0) == 0)
        other[group_id(0)] = atomic_load(room);
    /* what the operators give: no other item is here */
    if (i == 0) {
        atomic_store(x + 13, 12);
        other[GROUPS] = atomic_sub_fetch(x + 13, 2);
        other[GROUPS + 1] = atomic_and_fetch(x + 13, 6);
        other[GROUPS + 2] = atomic_or_fetch(x + 13, 9);
        other[GROUPS + 3] = atomic_xor_fetch(x + 13, 1);
        was = 100;
        other[GROUPS + 4] = atomic_compare_exchange_strong(x + 13, &was, 7, memory_order_relaxed);
        other[GROUPS + 5] = was;
        other[GROUPS + 6] = atomic_is_lock_free(x + 13) && atomic_required_alignment(x + 13) == sizeof(T);
        /* arguments are evaluated once, and calls may stand in calls */
        int places = 0, values = 20;
        atomic_store(x + 13 + places++, atomic_exchange(x + 14, values++) + 2);
        other[GROUPS + 7] = 10 * places + values;
    }
}
"""
)


def has_long(device, *aspects):
    return all(device.has(aspect) for aspect in aspects)


@pytest.mark.spec("D371", "D375", "D376", "D377", "D378", "D379", "D380", "D381", "D384", "D385", "D388")
@pytest.mark.parametrize("name", ["int", "uint", "long", "ulong"])
def test_integers(queue, name):
    dtype = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}[name]
    bits, groups = 8 * np.dtype(dtype).itemsize, ITEMS // GROUP
    if bits == 64 and not has_long(queue.device, "int64_base_atomics", "int64_extended_atomics"):
        pytest.skip("no 64-bit atomics")
    step = 1 if bits == 32 else 1 << 40
    program = sycl.Program(
        INTEGERS.replace("STEP", f"({name}){step}{'l' if bits == 64 else ''}"),
        constants={"T": name, "BITS": bits, "ITEMS": ITEMS, "GROUPS": groups},
    )
    x, seen, other = np.zeros(15, dtype), np.zeros(ITEMS, dtype), np.zeros(groups + 8, dtype)
    x[3], x[5] = np.array(-1, np.int64).astype(dtype), np.iinfo(dtype).max
    queue.parallel_for(sycl.NdRange(ITEMS, GROUP), program.f, x, seen, other, sycl.local(1, dtype)).wait_and_throw()
    low, high = (-step, (ITEMS - 2) * step) if np.dtype(dtype).kind == "i" else (0, (1 << bits) - step)
    assert x[0] == 3 * ITEMS
    assert x[1] == np.array(-2 * ITEMS, np.int64).astype(dtype)
    assert x[2] == np.array(-1, np.int64).astype(dtype)
    assert x[3] == np.array(-1 << (bits // 2), np.int64).astype(dtype)
    assert x[4] == np.bitwise_xor.reduce(np.arange(ITEMS))
    assert (x[5], x[6]) == (low, high)
    assert (x[9], x[10]) == (ITEMS * step, ITEMS)
    assert x[11] + x[12] == ITEMS * (ITEMS + 1) // 2
    assert sorted(seen % ITEMS) == sorted(seen // ITEMS) == list(range(ITEMS))  # each number was taken once
    assert other.tolist()[:groups] == [5 + GROUP] * groups
    assert other.tolist()[groups:] == [10, 2, 11, 10, 0, 10, 1, 31]
    assert (x[13], x[14]) == (2, 20)


FLOATS = (
    WIDE
    + """
__kernel void f(__global T *x, __global T *seen, __global const T *special, __local T *room)
{
    const int i = global_id(0);
    T was;
    if (local_id(0) == 0)
        atomic_store(room, 0.5);
    group_barrier(work_group);
    atomic_fetch_add(x, 1);
    atomic_fetch_sub(x + 1, (T)3);
    atomic_fetch_min(x + 2, (T)-i);
    atomic_fetch_max(x + 3, i, memory_order_relaxed);
    seen[i] = atomic_fetch_add(x + 4, (T)1, WIDE);
    was = atomic_load(x + 5);
    while (!atomic_compare_exchange_weak(x + 5, &was, was + 2)) {
    }
    atomic_fetch_add(x + 6, atomic_exchange(x + 7, (T)(i + 1)));
    atomic_fetch_min(x + 8, special[i % 4]);  /* of numbers and NaN: the number; of zeros: the negative one */
    atomic_fetch_max(x + 9, special[i % 4]);
    atomic_fetch_min(x + 10, NAN);
    atomic_fetch_max(x + 11, special[4 + i % 2]);
    atomic_fetch_min(x + 12, special[4 + i % 2]);
    atomic_fetch_add(room, 1);
    group_barrier(work_group);
    if (local_id(0) == 0) {
        atomic_fetch_add(x + 13, atomic_load(room));
        atomic_fetch_sub(x + 13, 0.5f);
    }
    if (i == 0) {
        /* compare_exchange compares bits, as C++ does: -0.0 is another zero, a NaN is itself */
        was = 0;
        x[15] = atomic_compare_exchange_strong(x + 14, &was, (T)1);
        x[16] = was;
        was = x[17];
        x[18] = atomic_compare_exchange_strong(x + 17, &was, (T)5);
        x[19] = atomic_add_fetch(x + 18, (T)1.5);
    }
}
"""
)


@pytest.mark.spec("D371", "D372", "D377", "D378", "D379", "D380", "D382")
@pytest.mark.parametrize("name", ["float", "double"])
def test_floats(queue, name):
    dtype = {"float": np.float32, "double": np.float64}[name]
    if name == "double" and not has_long(queue.device, "fp64", "int64_base_atomics"):
        pytest.skip("no 64-bit atomics of doubles")
    program = sycl.Program(FLOATS, constants={"T": name})
    x, seen = np.zeros(20, dtype), np.zeros(ITEMS, dtype)
    x[8], x[9], x[10], x[11], x[12], x[14], x[17] = np.nan, np.nan, np.nan, -np.inf, np.inf, -0.0, np.nan
    special = np.array([0.0, -0.0, np.nan, np.nan, np.inf, -np.inf], dtype)
    queue.parallel_for(sycl.NdRange(ITEMS, GROUP), program.f, x, seen, special, sycl.local(1, dtype))
    assert x[:6].tolist() == [ITEMS, -3 * ITEMS, 1 - ITEMS, ITEMS - 1, ITEMS, 2 * ITEMS]
    assert sorted(seen) == list(range(ITEMS))
    assert x[6] + x[7] == ITEMS * (ITEMS + 1) // 2  # exact: all sums are below 2^24
    zeros = x[8:10]
    assert zeros.tolist() == [0, 0]
    assert np.signbit(zeros).tolist() == [True, False]
    assert np.isnan(x[10])
    assert x[11:13].tolist() == [np.inf, -np.inf]
    assert x[13] == ITEMS
    assert x[14:17].tolist() == [0, 0, 0]
    assert np.signbit(x[16])
    assert x[17:20].tolist() == [5, 2.5, 2.5]


POINTERS = """
__kernel void f(__global float *data, __global int *out, __local ulong *room)
{
    __global float *__local next;
    __global float *mine, *was;
    if (local_id(0) == 0)
        atomic_pointer_store(&next, data + 64);
    group_barrier(work_group);
    mine = atomic_pointer_fetch_add(&next, 2);
    mine[0] = 1;
    mine[1] = 2;
    group_barrier(work_group);
    mine = atomic_pointer_fetch_sub(&next, 3, memory_order_relaxed, memory_scope_work_group);
    out[local_id(0)] = mine - data;
    group_barrier(work_group);
    if (local_id(0) == 0) {
        out[64] = atomic_pointer_load(&next) - data;
        was = data;
        out[65] = atomic_pointer_compare_exchange_strong(&next, &was, data + 1);
        out[66] = was - data;
        out[67] = atomic_pointer_compare_exchange_strong(&next, &was, data + 1);
        out[68] = atomic_pointer_exchange(&next, data + 2) - data;
        out[69] = next - data;
    }
}
"""


@pytest.mark.spec("D383")
def test_pointers_move_by_elements(queue):
    if not has_long(queue.device, "int64_base_atomics") or queue.device.address_bits != 64:
        pytest.skip("no atomics of the size of a pointer")
    data, out = np.zeros(256, np.float32), np.zeros(70, np.int32)
    queue.parallel_for(
        sycl.NdRange(64, 64), sycl.Program(POINTERS).f, data, out, sycl.local(1, np.uint64)
    ).wait_and_throw()
    assert data.tolist() == [0] * 64 + [1, 2] * 64 + [0] * 64
    assert sorted(out[:64]) == list(range(192 - 63 * 3, 193, 3))
    assert out[64:].tolist() == [0, 1, 0, 0, 1, 2]


# What one group publishes, another reads: each order that the device has, by operations, and by fences around them.
HAND_OVER = """
#define PUBLISH(k, order) \\
    if (writer) { data[k * PAIRS + p] = salt + k; atomic_store(flags + k * PAIRS + p, 1, order, memory_scope_device); }
#define LOOK(k, order) \\
    if (!writer) { \\
        for (t = 0; t < patience && !seen; t++) seen = atomic_load(flags + k * PAIRS + p, order, memory_scope_device); \\
        if (seen) out[k * PAIRS + p] = data[k * PAIRS + p] == salt + k ? 1 : 2; \\
        seen = 0; \\
    }
__kernel void f(__global uint *data, __global uint *flags, __global uint *out, uint patience, uint salt)
{
    const uint g = group_id(0), p = g / 2, writer = g % 2 == 0;
    uint seen = 0, t;
    PUBLISH(0, memory_order_release)
    LOOK(0, memory_order_acquire)
    PUBLISH(1, memory_order_seq_cst)
    LOOK(1, memory_order_seq_cst)
    if (writer) {
        data[2 * PAIRS + p] = salt + 2;
        atomic_fence(memory_order_release, memory_scope_device);
        atomic_fetch_add(flags + 2 * PAIRS + p, 1);
    } else {
        for (t = 0; t < patience && !seen; t++)
            seen = atomic_load(flags + 2 * PAIRS + p);
        atomic_fence(memory_order_acquire, memory_scope_device);
        if (seen)
            out[2 * PAIRS + p] = data[2 * PAIRS + p] == salt + 2 ? 1 : 2;
    }
    /* both sides: each says that it was here, and looks for the other; one of the two must see the other */
    atomic_store(flags + 3 * PAIRS + g, 1, memory_order_seq_cst, memory_scope_device);
    out[3 * PAIRS + g] = atomic_load(flags + 3 * PAIRS + (g ^ 1), memory_order_seq_cst, memory_scope_device);
    atomic_store(flags + 5 * PAIRS + g, 1);
    atomic_fence(memory_order_seq_cst, memory_scope_device);
    out[5 * PAIRS + g] = atomic_load(flags + 5 * PAIRS + (g ^ 1));
    /* the last of the two, by an acq_rel counter, sees what both wrote */
    data[3 * PAIRS + g] = salt + g;
    if (atomic_fetch_add(flags + 7 * PAIRS + p, 1, memory_order_acq_rel, memory_scope_device) == 1)
        out[7 * PAIRS + p] = data[3 * PAIRS + g] + data[3 * PAIRS + (g ^ 1)];
}
"""


def every_order(device):
    """Skips where groups have no more than relaxed operations between them."""
    if sycl.MemoryOrder.seq_cst not in device.atomic_memory_order_capabilities:
        pytest.skip("only relaxed operations between groups")
    assert sycl.MemoryScope.device in device.atomic_memory_scope_capabilities


@pytest.mark.spec("D366", "D374", "D386", "H065", "H066")
def test_orders_between_groups(queue):
    every_order(queue.device)
    pairs = 512
    program, met = sycl.Program(HAND_OVER, constants={"PAIRS": pairs}), 0
    for salt in range(1, 9):
        data, flags, out = (np.zeros(n * pairs, np.uint32) for n in (5, 8, 8))
        queue.parallel_for(sycl.NdRange(2 * pairs, 1), program.f, data, flags, out, 200, salt).wait_and_throw()
        assert not (out[: 3 * pairs] == 2).any()  # who sees the flag sees the data; nobody must come to see the flag
        assert (out[3 * pairs : 7 * pairs].reshape(-1, 2).max(1) == 1).all()
        assert out[7 * pairs :].tolist() == [2 * salt + 4 * p + 1 for p in range(pairs)]
        met += int((out[: 3 * pairs] == 1).sum())
    assert met > 0


WITHIN = """
__kernel void f(__global int *out, __local int *room)
{
    const int l = local_id(0);
    if (l == 0)
        room[0] = room[1] = 0;
    group_barrier(work_group);
    room[2 + l] = l + 1;
    atomic_fence(memory_order_acq_rel, memory_scope_work_group);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
    atomic_fence(memory_order_relaxed, memory_scope_device);
    if (atomic_fetch_add(room, 1, memory_order_acq_rel, memory_scope_work_group) == 63) {
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        for (int k = 0; k < 64; k++)
            out[group_id(0)] += room[2 + k];
    }
    atomic_store(room + 1, 7, memory_order_release, memory_scope_sub_group);
    /* wider than local memory is shared: the work-group's */
    if (atomic_load(room + 1, memory_order_acquire, memory_scope_device) != 7)
        out[group_id(0)] = -1;
}
"""


@pytest.mark.spec("D365", "D366", "D385")
def test_orders_within_a_group_are_there_always(queue):
    if sycl.MemoryOrder.acq_rel not in queue.device.atomic_fence_order_capabilities:
        pytest.skip("no fences")
    out = np.zeros(16, np.int32)
    queue.parallel_for(sycl.NdRange(1024, 64), sycl.Program(WITHIN).f, out, sycl.local(66, np.int32))
    assert out.tolist() == [64 * 65 // 2] * 16


DEFAULTS = """
#define atomic_default_order %s
#define atomic_default_scope memory_scope_work_group
__kernel void f(__global int *x)
{
    int was = 5;
    atomic_store(x, 5);  /* acq_rel means release here */
    x[1] = atomic_load(x);  /* and acquire here */
    atomic_fetch_add(x, 1);
    x[2] = atomic_compare_exchange_strong(x, &was, 9);
}
"""


@pytest.mark.spec("D368", "D369", "D375")
def test_default_orders(queue):
    orders = queue.device.atomic_memory_order_capabilities
    for order in (o for o in sycl.MemoryOrder if o in orders and o.name in ("relaxed", "acq_rel", "seq_cst")):
        x = np.zeros(3, np.int32)
        queue.single_task(sycl.Program(DEFAULTS % f"memory_order_{order.name}").f, x)
        assert x.tolist() == [6, 5, 0]


OWN = """
#if defined(__opencl_c_atomic_order_seq_cst) && __OPENCL_C_VERSION__ >= 300
__kernel void f(__global int *x)
{
    volatile __global atomic_int *a = (volatile __global atomic_int *)x;
    atomic_fetch_add(a, 1);
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
    atomic_store(a + 1, atomic_load(a));
}
#else
__kernel void f(__global int *x) { x[0] = x[1] = atomic_add(x, 2) + 2; }
#endif
"""
SHADOWS = """
int atomic_load(int x) { return x + 1; }
__kernel void f(__global int *x) { atomic_store(x, 1); x[0] += atomic_fetch_add(x, 1); x[1] = atomic_load(x[0]); }
"""


def test_programs_with_their_own_words(queue):
    """OpenCL's own functions are those of a program with OpenCL's own types; what a program defines is its own."""
    for option in ("", "-cl-std=CL3.0"):
        x = np.zeros(2, np.int32)
        try:
            program = sycl.Program(OWN, options=option)
            queue.single_task(program.f, x)
        except sycl.BuildError:
            assert option  # OpenCL C 3.0 is not of every device
            continue
        assert x.tolist() == [2, 2]
    x = np.zeros(2, np.int32)
    queue.single_task(sycl.Program(SHADOWS).f, x)
    assert x.tolist() in ([2, 3], [3, 4])


@pytest.mark.spec("D371")
def test_bodies_count_in_every_shape(queue):
    """A histogram, in bodies over ranges of every rank: no form of a body makes an element its own of what is shared."""
    data = np.random.default_rng(1).integers(0, 16, 10007).astype(np.uint32)
    bins, total, least = np.zeros(16, np.uint32), np.zeros(1, np.float32), np.full(1, 1e9, np.float32)
    body = "atomic_fetch_add(&bins[data[i]], 1); atomic_fetch_add(total, (float)data[i]); atomic_fetch_min(least, data[i] + 1);"
    queue.parallel_for(data.size, body, bins=bins, data=data, total=total, least=least).wait_and_throw()
    assert np.array_equal(bins, np.bincount(data, minlength=16))
    assert (total[0], least[0]) == (data.sum(), 1)
    grid = np.zeros((3, 5), np.int32)
    queue.parallel_for((30, 50), "atomic_fetch_add(&grid(i0 % 3, i1 % 5), 1);", grid=grid)
    assert grid.tolist() == [[100] * 5] * 3
    one = np.zeros(1, np.int32)
    queue.parallel_for(1000, "atomic_fetch_add(one, 1);", one=one)
    assert one[0] == 1000
