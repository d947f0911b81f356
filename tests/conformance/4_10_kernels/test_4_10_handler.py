"""Command groups, handlers, requirements and invoking kernels: SYCL 2020, 3.7.1, 4.7.6.11, 4.9.3 and 4.9.4 (4.10 of the
provisional text)."""

import copy
import itertools
import threading

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void put(__global int *x, int a) { x[get_global_id(0)] = a; }
__kernel void sum(__global int *out, __global const int *in) { out[get_global_id(0)] += in[get_global_id(0)]; }
__kernel void where(__global uint *out)
{
    size_t i = get_global_id(0) - get_global_offset(0);
    out[i] = (uint)(get_global_id(0) * 1000 + get_local_size(0));
}
__kernel void fours(__global float4 *out, float4 a, __global const float *b) { out[0] = a * b[0]; }
__kernel void groups(__global uint *out, __local uint *shared)
{
    if (get_local_id(0) == 0)
        shared[0] = (uint)get_group_id(0) + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[0];
}
__kernel void nothing(void) {}
""")
MODES = {"R": ("read", False), "W": ("write", False), "RW": ("read_write", False), "DW": ("write", True),
         "DRW": ("read_write", True)}  # fmt: skip
# Table 3.1: what two accessors to one object in a command group amount to.
TABLE = {
    ("R", "W"): "RW", ("R", "RW"): "RW", ("W", "RW"): "RW", ("DW", "DRW"): "DRW", ("DW", "W"): "W", ("DW", "R"): "RW",
    ("DW", "RW"): "RW", ("DRW", "W"): "RW", ("DRW", "R"): "RW", ("DRW", "RW"): "RW",
}  # fmt: skip


@pytest.fixture(autouse=True)
def built(queue):
    """So that no test spends its time, while a command is to be under way, with the compiler."""
    PROGRAM.build(queue.context)


def contents(buffer):
    with buffer.host_access("read") as a:
        return np.array(a)


def numbers(count=4):
    return sycl.Buffer(np.arange(count, dtype=np.int32))


def accessor(h, buffer, word, target="device"):
    mode, discards = MODES[word]
    return sycl.Accessor(buffer, h, mode=mode, no_init=discards, target=target)


# -- requirements --


@pytest.mark.spec("H041", "H044")
@pytest.mark.parametrize("before", [True, False])
def test_an_accessor_orders_whether_it_is_used_or_not_and_wherever_it_is_made(queue, busy, before):
    cell, x = np.zeros(1, np.uint64), numbers()
    with queue.submit() as writer:
        writer.depends_on(busy(queue, cell))
        writer.parallel_for(4, PROGRAM.add, writer.read_write(x), 1)
    with queue.submit() as h:
        if before:
            h.read(x)
        h.single_task(PROGRAM.nothing)
        if not before:
            h.read(x)
    assert writer.event in h.event.wait_list


@pytest.mark.spec("H042", "H040")
def test_readers_run_side_by_side_and_writers_one_by_one(queue, busy):
    cell, x = np.zeros(1, np.uint64), numbers()
    blocker = busy(queue, cell)
    events = {}
    for name, word in (("w1", "W"), ("r1", "R"), ("r2", "R"), ("rw", "RW"), ("r3", "R")):
        with queue.submit() as h:
            h.depends_on(blocker)
            accessor(h, x, word)
        events[name] = h.event
    after = {name: {n for n, e in events.items() if e in event.wait_list} for name, event in events.items()}
    assert "w1" in after["r1"] and "w1" in after["r2"]
    assert "r1" not in after["r2"]
    assert {"r1", "r2"} <= after["rw"]
    assert "rw" in after["r3"]


@pytest.mark.spec("H042", "H047", "H379")
def test_write_keeps_what_it_does_not_touch(queue):
    x = numbers(8)
    with queue.submit() as h:
        h.parallel_for(2, PROGRAM.put, h.write(x), -1)
    assert contents(x).tolist() == [-1, -1, 2, 3, 4, 5, 6, 7]


@pytest.mark.spec("H045", "H046", "H047")
@pytest.mark.parametrize(("first", "second"), [pair for two in TABLE for pair in (two, two[::-1])])
def test_several_accessors_to_one_object_are_merged(queue, first, second):
    """Seen from outside: that it writes, by what waits for it; what it drops, by what stays, and by the graph, which
    says so also where nothing is ever moved."""
    merged = TABLE.get((first, second)) or TABLE[second, first]
    x, gate = numbers(), threading.Event()
    blocker = queue.host_task(lambda: gate.wait(30))
    with queue.submit() as h:
        h.depends_on(blocker)
        accessor(h, x, first)
        accessor(h, x, second)
    with queue.submit() as reader:
        reader.read(x)
    # Where data must be moved for the reader, the graph has that as a command of its own.
    command = [each for each in queue.graph().commands if each.uses and each.kind != "transfer"][-2]
    after = reader.event.wait_list
    gate.set()
    assert h.event in after  # all of them write
    assert [use.mode for use in command.uses] == ["discard_write" if "D" in merged else "read_write"]
    if "D" not in merged:
        assert contents(x).tolist() == [0, 1, 2, 3]
    queue.wait()


@pytest.mark.spec("H045", "H047")
@pytest.mark.parametrize("words", list(itertools.permutations(("DW", "R", "DRW"))))
def test_the_order_of_accessors_does_not_matter(queue, words):
    x = numbers()
    with queue.submit() as h:
        for word in words:
            accessor(h, x, word)
    assert [use.mode for use in queue.graph().commands[-1].uses] == ["read_write"]
    with queue.submit() as h:
        accessor(h, x.sub_buffer(0, 2), "DW")
        accessor(h, x, "R")
    assert {use.mode for use in queue.graph().commands[-1].uses} == {"read", "read_write"}


@pytest.mark.spec("H045")
def test_merged_accessors_lead_to_the_same_memory(queue):
    x = numbers()
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.sum, h.write(x), h.read(x))
    assert contents(x).tolist() == [0, 2, 4, 6]


@pytest.mark.spec("H048", "H050")
@pytest.mark.parametrize(("global_", "host"), list(itertools.product(MODES, repeat=2)))
def test_at_most_one_target_of_an_object_is_written(queue, global_, host):
    x = numbers()

    def group(h):
        accessor(h, x, global_)
        accessor(h, x, host, "host_task")
        h.host_task(lambda: None)

    if "W" in global_ and "W" in host:
        with pytest.raises(sycl.AccessorError, match="writes to the same buffer through two targets"):
            queue.submit(group)
    else:
        queue.submit(group).wait_and_throw()
    if "D" not in global_ + host:
        assert contents(x).tolist() == [0, 1, 2, 3]


@pytest.mark.spec("H048")
def test_different_buffers_and_different_parts_have_targets_of_their_own(queue):
    x, y = numbers(8), numbers(8)
    with queue.submit() as h:
        h.write(x)
        h.write(y, target="host_task")
        h.host_task(lambda: None)
    with queue.submit() as h:
        h.write(x.sub_buffer(0, 4))
        h.write(x.sub_buffer(4, 4), target="host_task")
        h.host_task(lambda: None)
    with pytest.raises(sycl.AccessorError, match="two targets"):
        queue.submit(lambda h: (h.write(x), h.write(x.sub_buffer(4, 4), target="host_task")))
    assert contents(x).tolist() == list(range(8))


@pytest.mark.spec("H049", "H050")
def test_every_target_gets_the_data(queue):
    """A host task reads what the commands before left on the device; its group writes nothing."""
    x, seen = numbers(), []
    queue.parallel_for(4, PROGRAM.add, x, 10)
    with queue.submit() as h:
        h.read_write(x)
        a = h.read(x, target="host_task")
        h.host_task(lambda: seen.append(np.array(a)))
    h.event.wait_and_throw()
    assert seen[0].tolist() == [10, 11, 12, 13]
    assert contents(x).tolist() == [10, 11, 12, 13]


@pytest.mark.spec("D177", "D178", "H490")
def test_require(queue, busy):
    cell, x = np.zeros(1, np.uint64), numbers()
    blocker = busy(queue, cell)
    with queue.submit() as writer:
        writer.depends_on(blocker)
        writer.parallel_for(4, PROGRAM.add, writer.read_write(x), 1)
    placeholder = sycl.Accessor(x)
    with queue.submit() as h:
        ordinary = h.read(x)
        for _ in range(3):
            h.require(placeholder)
            h.require(ordinary)
        h.parallel_for(4, PROGRAM.add, placeholder, 1)
    assert writer.event in h.event.wait_list
    assert contents(x).tolist() == [2, 3, 4, 5]
    with pytest.raises(sycl.AccessorError, match="require: the accessor is empty"):
        queue.submit(lambda h: h.require(sycl.Accessor()))


# -- the handler --


@pytest.mark.spec("D176", "H491")
def test_a_handler_ends_with_its_group_and_is_not_copied(queue):
    kept = []
    queue.submit(kept.append)
    for use in (lambda h: h.single_task(PROGRAM.nothing), lambda h: h.depends_on(sycl.Event())):
        with pytest.raises(sycl.InvalidError, match="a handler is of use inside its submit"):
            use(kept[0])
    with pytest.raises(TypeError, match="a handler cannot be copied"):
        copy.copy(kept[0])


@pytest.mark.spec("H489", "H086", "D174", "D175")
def test_the_host_code_of_a_group_runs_once_also_when_the_secondary_queue_takes_it(run_fake):
    run_fake(
        """
        first, second = sycl.Queue(), sycl.Queue()
        b, calls = sycl.Buffer(np.zeros(4, np.uint32)), []
        def group(h):
            calls.append(h)
            h.parallel_for(4, program.fill_ids, h.write(b))
        from pysycl import _core
        _core.fault_install(0)
        _core.fault_arm("EnqueueNDRangeKernel", 1, -5)
        event = first.submit(group, second)
        event.wait_and_throw()
        assert len(calls) == 1 and event._queue is second
        with b.host_access("read") as a:
            assert a.tolist() == [0, 1, 2, 3]
        _core.fault_arm("EnqueueNDRangeKernel", 1, -5)
        try:
            first.submit(group)
        except sycl.SyclError:
            assert len(calls) == 2
        else:
            raise AssertionError("nothing failed")
        first.submit(group, second).wait_and_throw()
        assert len(calls) == 3
        """
    )


@pytest.mark.spec("D179", "D180", "D181", "D182")
def test_arguments_by_index(queue):
    x, out = numbers(), sycl.Buffer((1, 4), np.float32)
    with queue.submit() as h:
        h.set_arg(0, h.read_write(x))
        h.set_arg(1, 5)
        h.parallel_for(4, PROGRAM.add)
    with queue.submit() as h:
        h.set_args(h.write(out), (1, 2, 3, 4), sycl.Buffer(np.full(1, 0.5, np.float32)))
        h.single_task(PROGRAM.fours)
    size = 4
    shared = sycl.Buffer((2 * size,), np.uint32)
    with queue.submit() as h:
        h.set_args(h.write(shared), h.local(1, np.uint32))
        h.parallel_for(sycl.NdRange(2 * size, size), PROGRAM.groups)
    assert contents(x).tolist() == [5, 6, 7, 8]
    assert contents(out).tolist() == [[0.5, 1, 1.5, 2]]
    assert contents(shared).tolist() == [100] * size + [101] * size


@pytest.mark.spec("D304", "D305")
def test_buffers_and_arrays_by_index_stand_for_accessors(queue):
    """C++ refuses them, since nothing would be known of the access; the kernel's signature says what it is."""
    x, half, out = numbers(), np.full(1, 0.5, np.float32), np.zeros((1, 4), np.float32)
    with queue.submit() as h:
        h.set_arg(0, x)
        h.set_arg(1, 5)
        h.parallel_for(4, PROGRAM.add)
    first = h.event
    with queue.submit() as h:
        h.set_arg(0, out)
        h.set_arg(1, (1, 2, 3, 4))
        h.set_arg(2, half)
        h.single_task(PROGRAM.fours)
    h.event.wait()
    with queue.submit() as h:
        h.set_args(x, 10)
        h.parallel_for(4, PROGRAM.add)
    assert first in h.event.wait_list or first.status is sycl.EventCommandStatus.complete
    assert contents(x).tolist() == [15, 16, 17, 18]
    assert out.tolist() == [[0.5, 1, 1.5, 2]]
    home = np.zeros((4, 2), np.int32)[:, 0]  # where the buffer's storage cannot be
    with sycl.Buffer(home) as b, queue.submit() as h:
        h.set_args(b, 7)
        h.parallel_for(4, PROGRAM.add)
    assert home.tolist() == [7] * 4  # written, so it goes back
    for wrong, words in (
        (half.ctypes.data, "an address is no argument"),
        (np.zeros(4), "of float64, not of"),
        (sycl.UnsampledImage(None, "r8g8b8a8_uint", (2, 2)), "is an image, not a buffer"),
    ):
        with pytest.raises(sycl.KernelArgumentError, match=words):
            queue.submit(lambda h, wrong=wrong: (h.set_args(wrong, 5), h.parallel_for(4, PROGRAM.add)))


@pytest.mark.spec("D184", "D185", "D186", "D189")
def test_every_way_to_invoke_a_kernel(queue):
    def run(submit, count):
        out = sycl.Buffer((count,), np.uint32)
        with queue.submit() as h:
            submit(h, h.write(out))
        return contents(out)

    kernel = PROGRAM.where
    assert run(lambda h, a: h.single_task(kernel, a), 1)[0] == 1
    assert (run(lambda h, a: h.parallel_for(6, kernel, a), 6) // 1000).tolist() == list(range(6))
    assert (run(lambda h, a: h.parallel_for(sycl.Range(6), kernel, a, offset=4), 6) // 1000).tolist() == list(
        range(4, 10)
    )
    assert run(lambda h, a: h.parallel_for(sycl.NdRange(6, 3), kernel, a), 6).tolist() == [
        1000 * i + 3 for i in range(6)
    ]
    assert (run(lambda h, a: h.parallel_for(sycl.NdRange(6, 2, 8), kernel, a), 6) // 1000).tolist() == list(
        range(8, 14)
    )


@pytest.mark.spec("D192")
def test_every_explicit_operation_is_a_command(queue):
    x, y, out = numbers(), numbers(), np.zeros(4, np.int32)
    queue.submit(lambda h: h.copy(np.full(4, 9, np.int32), h.write(x)))
    queue.submit(lambda h: h.copy(h.read(x), h.write(y)))
    queue.submit(lambda h: h.fill(h.write(x), 3))
    queue.submit(lambda h: h.copy(h.read(y), out))
    queue.submit(lambda h: h.update_host(h.read(x))).wait_and_throw()
    queue.wait_and_throw()
    assert out.tolist() == [9] * 4 and contents(x).tolist() == [3] * 4


# -- local accessors --


@pytest.mark.spec("H420", "H425", "H426", "H061")
def test_each_group_has_local_memory_of_its_own(queue):
    out = sycl.Buffer((12,), np.uint32)
    for shape in ((), 1, (1, 1)):
        with queue.submit() as h:
            h.parallel_for(sycl.NdRange(12, 4), PROGRAM.groups, h.write(out), h.local(shape, np.uint32))
        assert contents(out).tolist() == [100] * 4 + [101] * 4 + [102] * 4


@pytest.mark.spec("H423")
def test_local_memory_is_refused_without_groups(queue):
    out = sycl.Buffer((12,), np.uint32)
    for launch in (
        lambda h: h.single_task(PROGRAM.groups, h.write(out), h.local(1, np.uint32)),
        lambda h: h.parallel_for(12, PROGRAM.groups, h.write(out), h.local(1, np.uint32)),
    ):
        with pytest.raises(sycl.KernelArgumentError, match="local memory belongs to a work-group") as caught:
            queue.submit(launch)
        assert caught.value.code is sycl.Errc.kernel_argument


# -- pointers and events --


@pytest.mark.spec("H060")
def test_raw_addresses_are_no_arguments(queue):
    x = np.zeros(4, np.int32)
    with pytest.raises(sycl.KernelArgumentError, match="an address is no argument"):
        queue.parallel_for(4, PROGRAM.add, x.ctypes.data, 1)


@pytest.mark.spec("H480", "H481", "H482")
def test_pointers_order_nothing_and_events_do(queue, busy):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared USM")
    cell = np.zeros(1, np.uint64)
    x = sycl.malloc_shared(4, np.int32, queue)
    other = sycl.Queue(queue.device)
    blocker = busy(queue, cell)
    first = queue.parallel_for(4, PROGRAM.put, x, 1, depends_on=blocker)
    free = queue.parallel_for(4, PROGRAM.put, x, 1, depends_on=blocker)
    assert first not in free.wait_list
    with other.submit() as h:
        h.depends_on(first)
        h.depends_on([free, blocker])
        h.parallel_for(4, PROGRAM.add, x, 2)
    assert {first, free, blocker} <= set(h.event.wait_list)
    h.event.wait_and_throw()
    assert np.asarray(x).tolist() == [3] * 4
    sycl.free(x, queue)
