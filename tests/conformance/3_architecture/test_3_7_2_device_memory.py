"""The memory of devices as kernels see it: spaces, consistency, orders, scopes and atomics. SYCL 2020, 3.7.2 and 4.7.7.

What orders and scopes mean is the device's affair. What is shown here is that a device does in kernels what it is asked
about outside of them, and that each space takes the arguments that belong there.
"""

import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

CL = _core.cl_constants()
GROUP, GROUPS = 8, 5

SPACES = """
__constant uint table[4] = {1, 10, 100, 1000};
typedef struct { uint times, plus; } steps;

__kernel void spaces(__global uint *all, __constant uint *given, __local uint *group, steps own)
{
    uint l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    __private uint mine[2] = {i, 0};
    own.plus += i;
    group[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++)
        mine[1] += group[k];
    all[i] = mine[0] * own.times + own.plus + mine[1] * table[i % 4] + given[i % 3];
}
__kernel void mirror(__global uint *to, __global const uint *from)
{
    to[get_global_id(0)] = from[get_global_size(0) - 1 - get_global_id(0)];
}
"""
POINTERS = """
constant uint table[2] = {3, 5};

kernel void walk(global uint *out, constant uint *given, local uint *shared)
{
    private uint own[2] = {7, 11};
    private uint *p = own;
    local uint *l = shared + 1;
    constant uint *c = table + 1;
    global uint *g = out + 1;
    constant uint *d = given + 1;
    *l = p[0];
    g[0] = *c;
    g[1] = *d;
    g[2] = *l;
    g[3] = p[1];
    out[0] = sizeof(p) == sizeof(g) ? 1 : 2;
}
"""
GENERIC = """
uint take(uint *p) { uint was = *p; *p = was + 1; return was; }

__kernel void overlap(__global uint *x)
{
    __local uint l;
    uint p = 20;
    l = 10;
    x[1] = take(x);
    x[2] = take(&l);
    x[3] = take(&p);
    x[4] = take(&l);
    x[5] = p;
}
"""


def steps(times, plus):
    return np.array((times, plus), [("times", "u4"), ("plus", "u4")])[()]


# -- spaces --


@pytest.mark.spec("H057", "H439")
def test_each_space_is_shared_by_those_it_belongs_to(queue):
    """Private: an item's own. Local: a group's. Constant: everybody's, and the same. Global: everybody's, and it stays."""
    n = GROUP * GROUPS
    program = sycl.Program(SPACES)
    given = np.array([5, 6, 7], np.uint32)
    with sycl.Buffer((n,), np.uint32) as all_, sycl.Buffer((n,), np.uint32) as back, sycl.Buffer(given) as constants:
        with queue.submit() as h:
            h.parallel_for(
                sycl.NdRange(n, GROUP),
                program.spaces,
                h.write(all_),
                h.read(constants, target="constant_buffer"),
                h.local(GROUP, np.uint32),
                steps(2, 100),
            )
        queue.submit(lambda h: h.parallel_for(n, program.mirror, h.write(back), h.read(all_)))
        seen = np.array(back)
    i = np.arange(n)
    sums = np.repeat(i.reshape(GROUPS, GROUP).sum(axis=1), GROUP)
    expected = i * 2 + (100 + i) + sums * np.array([1, 10, 100, 1000])[i % 4] + np.array([5, 6, 7])[i % 3]
    assert seen.tolist() == expected[::-1].tolist()
    assert given.tolist() == [5, 6, 7]


@pytest.mark.spec("H439")
def test_pointers_carry_their_space(queue):
    """Every space can be written at a pointer, with underscores and without, in a signature and in a function."""
    program = sycl.Program(POINTERS)
    assert program.walk.parameters == ("global uint *out", "constant uint *given", "local uint *shared")
    out, given = np.zeros(5, np.uint32), np.array([13, 17], np.uint32)
    queue.parallel_for(sycl.NdRange(1, 1), program.walk, out, given, sycl.local(2, np.uint32)).wait_and_throw()
    assert out.tolist() == [1, 5, 17, 7, 11]


@pytest.mark.spec("H057", "H439")
def test_an_argument_belongs_to_one_space(queue):
    """Local memory goes where local memory is wanted and nowhere else; what is constant is not written."""
    program = sycl.Program(SPACES)
    x, group, own = sycl.Buffer(np.zeros(8, np.uint32)), sycl.local(8, np.uint32), steps(1, 1)
    refusals = (
        (lambda h: (group, h.read(x), group, own), "'all', is a LocalAccessor"),
        (lambda h: (h.write(x), group, group, own), "'given', is a LocalAccessor"),
        (lambda h: (h.write(x), h.read(x), h.write(x), own), "'group', is a Accessor; local memory"),
        (lambda h: (h.write(x), h.read(x), np.zeros(8, np.uint32), own), "'group', is a numpy.ndarray; local memory"),
        (lambda h: (h.read(x, target="constant_buffer"), h.read(x), group, own), "'all', is an accessor of mode read"),
        (lambda h: (h.write(x), h.read(x), group, x), "'own'"),
    )
    for arguments, words in refusals:
        with pytest.raises(sycl.KernelArgumentError, match=words), queue.submit() as h:
            h.parallel_for(sycl.NdRange(8, 8), program.spaces, *arguments(h))
    homeless = sycl.Program("__kernel void homeless(uint *x) { x[0] = 1; }")
    with pytest.raises(sycl.SyclError, match="address space"):
        queue.single_task(homeless.homeless, np.zeros(1, np.uint32))


def has_generic_space(device):
    if re.match(r"OpenCL 2\.", device.backend_version):
        return True
    return device._query(CL["CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"], "bool", False)


@pytest.mark.spec("H057", "H439")
def test_the_generic_space_overlaps_global_local_and_private(queue):
    """Where the device has it. Elsewhere the compiler says that a pointer changes its space, or does not know the
    version; some that do not report it have it all the same, and then it must be right."""
    version = "CL2.0" if queue.device.backend_version.startswith("OpenCL 2.") else "CL3.0"
    program = sycl.Program(GENERIC, options=f"-cl-std={version}")
    x = np.zeros(6, np.uint32)
    try:
        queue.parallel_for(sycl.NdRange(1, 1), program.overlap, x)
    except sycl.SyclError:
        if has_generic_space(queue.device):
            raise
        return
    assert x.tolist() == [1, 0, 10, 20, 11, 21]


PREFETCH = """
__kernel void work(__global uint *to, __global const uint *from)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    %s
    to[i] = from[n - 1 - i] * 3 + (uint)i;
}
"""


@pytest.mark.spec("H441")
@pytest.mark.parametrize("hint", ["prefetch(from + i, 1);", "prefetch(from, n);", "prefetch(from + i, n - i);"])
def test_prefetching_in_a_kernel_changes_nothing(queue, hint):
    """OpenCL C's prefetch: a hint for the cache of global memory."""
    data = np.random.default_rng(3).integers(0, 1000, 777, np.uint32)
    seen = []
    for text in ("", hint):
        with sycl.Buffer(data) as b, sycl.Buffer((data.size,), np.uint32) as out:
            kernel = sycl.Program(PREFETCH % text).work
            queue.submit(lambda h, o=out, b=b, k=kernel: h.parallel_for(data.size, k, h.write(o), h.read(b)))
            seen.append(np.array(out).tolist())
    assert seen[0] == seen[1] == (data[::-1] * 3 + np.arange(777, dtype=np.uint32)).tolist()


# -- orders and scopes --

ORDERS = {
    sycl.MemoryOrder.relaxed: "CL_DEVICE_ATOMIC_ORDER_RELAXED",
    sycl.MemoryOrder.acquire: "CL_DEVICE_ATOMIC_ORDER_ACQ_REL",
    sycl.MemoryOrder.release: "CL_DEVICE_ATOMIC_ORDER_ACQ_REL",
    sycl.MemoryOrder.acq_rel: "CL_DEVICE_ATOMIC_ORDER_ACQ_REL",
    sycl.MemoryOrder.seq_cst: "CL_DEVICE_ATOMIC_ORDER_SEQ_CST",
}
SCOPES = {
    sycl.MemoryScope.work_item: "CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM",
    sycl.MemoryScope.work_group: "CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP",
    sycl.MemoryScope.device: "CL_DEVICE_ATOMIC_SCOPE_DEVICE",
    sycl.MemoryScope.system: "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES",
}


@pytest.mark.spec("H063")
@pytest.mark.parametrize("what", ["memory", "fence"])
def test_orders_can_be_asked_of_devices_and_contexts(device, what):
    """The device's answer is the driver's, with what OpenCL promises anyway, or with every order up to the device where
    the device library makes them; a context's is what its devices share."""
    bits = device._query(CL[f"CL_DEVICE_ATOMIC_{what.upper()}_CAPABILITIES"], "ulong", None)
    if bits is not None and device._facts["every_order"]:
        bits |= CL["CL_DEVICE_ATOMIC_ORDER_ACQ_REL"] | CL["CL_DEVICE_ATOMIC_ORDER_SEQ_CST"]
        bits |= CL["CL_DEVICE_ATOMIC_SCOPE_DEVICE"]
    if bits is not None and not device._facts["system_scope"]:  # the driver says so, and the library does not give it
        bits &= ~CL["CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"]
    orders = device.get_info(f"atomic_{what}_order_capabilities")
    scopes = device.get_info(f"atomic_{what}_scope_capabilities")
    if bits is not None:
        assert {o for o in orders if o is not sycl.MemoryOrder.relaxed} == {
            o for o, name in ORDERS.items() if bits & CL[name] and o is not sycl.MemoryOrder.relaxed
        }
        of_group = {sycl.MemoryScope.work_item, sycl.MemoryScope.work_group, sycl.MemoryScope.sub_group}
        assert set(scopes) - of_group == {s for s, name in SCOPES.items() if bits & CL[name]} - of_group
    assert sycl.MemoryOrder.relaxed in orders
    assert sycl.MemoryScope.work_group in scopes
    context = sycl.Context(device)
    assert getattr(context, f"atomic_{what}_order_capabilities") == orders
    assert getattr(context, f"atomic_{what}_scope_capabilities") == scopes
    assert context.get_info(f"atomic_{what}_order_capabilities") == orders
    everybody = sycl.Context(device.platform.devices)
    assert set(everybody.get_info(f"atomic_{what}_order_capabilities")) == set.intersection(
        *(set(each.get_info(f"atomic_{what}_order_capabilities")) for each in everybody.devices)
    )


C11 = """
__kernel void add(__global uint *x)
{
    atomic_fetch_add_explicit((volatile __global atomic_uint *)x, 1u, memory_order_relaxed, memory_scope_work_group);
}
"""


def c11(queue):
    """The build option for atomics with orders and scopes; the test is skipped where the device's OpenCL C has none,
    whatever version the device itself is of."""
    for option in ("-cl-std=CL3.0", "-cl-std=CL2.0"):
        try:
            queue.single_task(sycl.Program(C11, options=option).add, np.zeros(1, np.uint32))
        except sycl.SyclError:
            continue
        return option
    pytest.skip("its OpenCL C has no orders and scopes")


SCOPED = """
#if !defined(__OPENCL_C_VERSION__) || __OPENCL_C_VERSION__ < 300
#define HAS_DEVICE 1
#define HAS_SYSTEM 1
#else
#ifdef __opencl_c_atomic_scope_device
#define HAS_DEVICE 1
#endif
#ifdef __opencl_c_atomic_scope_all_devices
#define HAS_SYSTEM 1
#endif
#endif

__kernel void count(__global uint *shared, __global uint *of_group, __global uint *wide, __local uint *room)
{
    uint l = get_local_id(0), g = get_group_id(0), n = get_local_size(0);
    volatile __global atomic_uint *sum = (volatile __global atomic_uint *)shared;
    volatile __local atomic_uint *narrow = (volatile __local atomic_uint *)room;
    if (l < 4)
        room[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(narrow, l + 1, memory_order_relaxed, memory_scope_work_group);
#ifdef HAS_DEVICE
    if (get_global_id(0) == 0)
        wide[0] = 1;
    atomic_fetch_add_explicit(narrow + 1, l + 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(sum, 1u, memory_order_relaxed, memory_scope_device);
#endif
#ifdef HAS_SYSTEM
    if (get_global_id(0) == 0)
        wide[1] = 1;
    atomic_fetch_add_explicit(narrow + 2, l + 1, memory_order_relaxed, memory_scope_all_svm_devices);
    atomic_fetch_add_explicit(sum + 1, 1u, memory_order_relaxed, memory_scope_all_svm_devices);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 3)
        of_group[g * 3 + l] = room[l];
}
"""


@pytest.mark.spec("H065")
def test_scopes_from_an_item_to_the_system(device):
    """SYCL's five, the narrowest first. A device has those of a group at least."""
    assert [scope.name for scope in sycl.MemoryScope] == ["work_item", "sub_group", "work_group", "device", "system"]
    wanted = {sycl.MemoryScope.work_item, sycl.MemoryScope.sub_group, sycl.MemoryScope.work_group}
    for what in ("memory", "fence"):
        scopes = device.get_info(f"atomic_{what}_scope_capabilities")
        assert wanted <= set(scopes)
        assert scopes == [scope for scope in sycl.MemoryScope if scope in scopes]
        if sycl.MemoryScope.system in scopes:
            assert sycl.MemoryScope.device in scopes


@pytest.mark.spec("H065")
def test_a_broad_scope_on_local_memory_is_the_groups(queue):
    """On local memory every scope counts the group's items alone; on global memory those of all groups."""
    program = sycl.Program(SCOPED, options=c11(queue))
    shared, of_group, wide = np.zeros(2, np.uint32), np.zeros((GROUPS, 3), np.uint32), np.zeros(2, np.uint32)
    queue.parallel_for(
        sycl.NdRange(GROUP * GROUPS, GROUP), program.count, shared, of_group, wide, sycl.local(4, np.uint32)
    ).wait_and_throw()
    scopes = queue.device.atomic_memory_scope_capabilities
    assert not wide[0] or sycl.MemoryScope.device in scopes  # what kernels can ask for is what the device reports
    assert not wide[1] or sycl.MemoryScope.system in scopes
    items = GROUP * (GROUP + 1) // 2
    assert of_group.tolist() == [[items, items * wide[0], items * wide[1]]] * GROUPS
    assert shared.tolist() == [GROUP * GROUPS * wide[0], GROUP * GROUPS * wide[1]]


# -- consistency --

ROUNDS = """
__kernel void rounds(__global uint *x, __local uint *room, uint turns)
{
    uint l = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
    room[l] = x[base + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = 1; t <= turns; t++) {
        uint other = %s[(l + t) %% n];
        barrier(FENCE);
        %s[l] = other * 3 + t;
        barrier(FENCE);
    }
    x[base + l] = %s[l];
}
"""
SIDES = {"local": ("room", "CLK_LOCAL_MEM_FENCE"), "global": ("(x + base)", "CLK_GLOBAL_MEM_FENCE")}


@pytest.mark.spec("H064")
@pytest.mark.parametrize("space", SIDES)
@pytest.mark.parametrize("size", [1, 2, 31, 64])
def test_a_barrier_makes_memory_consistent_in_a_group(queue, space, size):
    """Every item reads in each turn what another item of its group wrote in the turn before."""
    place, fence = SIDES[space]
    program = sycl.Program(ROUNDS % (place, place, place), constants={"FENCE": fence})
    x = np.random.default_rng(size).integers(0, 1000, (GROUPS, size), np.uint32)
    expected = x.copy()
    for turn in range(1, 12):
        expected = np.roll(expected, -(turn % size), axis=1) * np.uint32(3) + np.uint32(turn)
    queue.parallel_for(
        sycl.NdRange(GROUPS * size, size), program.rounds, x, sycl.local(size, np.uint32), 11
    ).wait_and_throw()
    assert np.array_equal(x, expected)


def acquire_release_at_device_scope(device):
    """Skips the test where groups have nothing but barriers of their own and relaxed atomics."""
    for what in ("memory", "fence"):
        if sycl.MemoryOrder.acq_rel not in device.get_info(f"atomic_{what}_order_capabilities"):
            pytest.skip(f"no acquire-release order of the device's atomic {what}")
        if sycl.MemoryScope.device not in device.get_info(f"atomic_{what}_scope_capabilities"):
            pytest.skip(f"no device scope of the device's atomic {what}")


ACROSS = """
/* The group that ends last adds up what all groups have left in memory. Nobody waits for anybody. */
__kernel void total(__global uint *parts, __global uint *ended, __global uint *out, __local uint *last, uint salt)
{
    uint l = get_local_id(0), i = get_global_id(0), n = get_global_size(0), groups = get_num_groups(0);
    parts[i] = i * 7 + salt;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        last[0] = atomic_fetch_add_explicit((volatile __global atomic_uint *)ended, 1u, memory_order_acq_rel,
                                            memory_scope_device) == groups - 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last[0] != 0 && l == 0) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += parts[k];
        out[0] = sum;
    }
}
/* Each odd group looks for what the group before it publishes, and gives up after a while. */
__kernel void hand_over(__global uint *data, __global uint *flags, __global uint *out, uint patience, uint salt)
{
    uint g = get_group_id(0), pair = g / 2;
    volatile __global atomic_uint *flag = (volatile __global atomic_uint *)flags + pair;
    if (get_local_id(0) != 0)
        return;
    if (g % 2 == 0) {
        for (uint k = 0; k < 16; k++)
            data[pair * 16 + k] = salt * (pair + 1) + k;
        atomic_store_explicit(flag, 1u, memory_order_release, memory_scope_device);
        return;
    }
    uint seen = 0, wrong = 0;
    for (uint t = 0; t < patience && !seen; t++)
        seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    for (uint k = 0; seen && k < 16; k++)
        wrong += data[pair * 16 + k] != salt * (pair + 1) + k;
    out[pair] = seen ? 1 + wrong : 0;
}
"""


@pytest.mark.spec("H064", "H066")
@pytest.mark.parametrize(("size", "groups"), [(1, 64), (16, 33), (64, 7)])
def test_across_groups_what_is_released_is_there_for_who_acquires_it(queue, size, groups):
    acquire_release_at_device_scope(queue.device)
    program = sycl.Program(ACROSS, options=c11(queue))
    n = size * groups
    with sycl.Buffer(np.zeros(n, np.uint32)) as parts:  # in every round they hold the values of the one before
        for salt in range(12):
            ended, out = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
            room = sycl.local(1, np.uint32)
            queue.parallel_for(sycl.NdRange(n, size), program.total, parts, ended, out, room, salt).wait_and_throw()
            assert ended[0] == groups
            assert out[0] == 7 * n * (n - 1) // 2 + n * salt


@pytest.mark.spec("H066")
def test_groups_that_look_for_each_other_need_not_meet(queue):
    """No group may count on another one's progress. Where one sees the flag of another, it sees what came before it."""
    acquire_release_at_device_scope(queue.device)
    program = sycl.Program(ACROSS, options=c11(queue))
    pairs = 16
    with sycl.Buffer(np.zeros(16 * pairs, np.uint32)) as data:
        for salt in range(1, 21):
            flags, out = np.zeros(pairs, np.uint32), np.full(pairs, 99, np.uint32)
            queue.parallel_for(
                sycl.NdRange(2 * pairs * 4, 4), program.hand_over, data, flags, out, 10_000, 1000 * salt
            ).wait_and_throw()
            assert flags.tolist() == [1] * pairs
            assert set(out.tolist()) <= {0, 1}  # 0: not seen in time; 1: seen, and all of it is right


# -- atomics --

TICKETS = """
__kernel void tickets(__global uint *counter, __global uint *of_item) { of_item[get_global_id(0)] = atomic_inc(counter); }
"""
WIDE = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void tickets(__global ulong *counter, __global ulong *of_item) { of_item[get_global_id(0)] = atom_inc(counter); }
"""


def memory_of(queue, where, dtype, value=0):
    """One element in a buffer or in unified shared memory, and how it is read."""
    if where == "buffer":
        b = sycl.Buffer(np.full(1, value, dtype))
        return b, lambda: int(np.asarray(b)[0])
    if not queue.device.has(f"usm_{where}_allocations"):
        pytest.skip(f"no {where} memory")
    x, out = sycl.malloc(1, dtype, queue, kind=where), np.zeros(1, dtype)
    queue.fill(x, dtype(value), 1).wait()

    def read():
        queue.memcpy(out, x)
        return int(out[0])

    return x, read


WHERE = pytest.mark.parametrize("where", ["buffer", "device", "host", "shared"])


@WHERE
@pytest.mark.spec("H064", "H067")
def test_atomics_agree_over_all_groups(queue, where):
    """Every item of every group draws a number: none is drawn twice, none is left out. Any device can do this."""
    program, n = sycl.Program(TICKETS), 64 * 50
    counter, read = memory_of(queue, where, np.uint32)
    drawn = np.zeros(n, np.uint32)
    queue.parallel_for(sycl.NdRange(n, 64), program.tickets, counter, drawn)
    assert read() == n
    assert sorted(drawn.tolist()) == list(range(n))


@WHERE
@pytest.mark.spec("H067")
def test_atomics_of_64_bits_are_a_capability(queue, where):
    """The aspect atomic64 tells whether a kernel may use them; without it the text does not build."""
    program, n, first = sycl.Program(WIDE), 64 * 50, 2**32 - 1000
    counter, read = memory_of(queue, where, np.uint64, first)
    drawn = np.zeros(n, np.uint64)
    if not queue.device.has("atomic64"):
        with pytest.raises(sycl.BuildError):
            queue.parallel_for(sycl.NdRange(n, 64), program.tickets, counter, drawn)
        return
    queue.parallel_for(sycl.NdRange(n, 64), program.tickets, counter, drawn)
    assert read() == first + n
    assert sorted(drawn.tolist()) == list(range(first, first + n))
