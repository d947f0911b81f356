"""Accessors, buffers, USM and local memory as kernel arguments: what fits, and what is refused in which words."""

import gc

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void scale(__global float *x, float a) { x[get_global_id(0)] *= a; }
__kernel void copy(__global float *to, __global const float *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void copy4(__global float4 *to, __global const float4 *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void look_up(__global float *to, __constant float *table, uint n) { to[get_global_id(0)] = table[n]; }
__kernel void bytes(__global uchar *to, __global const void *from)
{
    to[get_global_id(0)] = ((__global const uchar *)from)[get_global_id(0)];
}
__kernel void reverse(__global uint *out, __local uint *mine)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    mine[i] = (uint)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine[n - 1 - i];
}
__kernel void first(__global uint *out, __global const uint *in, uint n) { out[0] = n; }
__kernel void many(__global float *a, __global float *b, __global float *c, __global float *d, __global float *e,
                   __global float *f, __global float *g, __global float *h)
{
    size_t i = get_global_id(0);
    a[i] += 1; b[i] += 2; c[i] += 3; d[i] += 4; e[i] += 5; f[i] += 6; g[i] += 7; h[i] += 8;
}
""")


def contents(buffer):
    with buffer.host_access("read") as a:
        return np.array(a)


def floats(*values):
    return np.array(values, np.float32)


def refusal(queue, make, kernel, *rest, error=sycl.KernelArgumentError):
    """The words with which a launch in a group refuses what `make(h)` gives as first argument."""
    with pytest.raises(error) as caught, queue.submit() as h:
        h.parallel_for(1, getattr(PROGRAM, kernel), make(h), *rest)
    return str(caught.value)


# -- what passes --


def test_accessors_pass_as_pointers(queue):
    x, y = sycl.Buffer(floats(1, 2, 3, 4)), sycl.Buffer((4,), np.float32)
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.scale, h.read_write(x), 2)
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.copy, h.write(y, no_init=True), h.read(x))
    assert contents(y).tolist() == [2, 4, 6, 8]


def test_buffers_pass_by_themselves(queue):
    """Reading for a const pointer, read_write otherwise; in a group and in a shortcut."""
    x, y = sycl.Buffer(floats(1, 2, 3, 4)), sycl.Buffer((4,), np.float32)
    queue.parallel_for(4, PROGRAM.scale, x, 3)
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.copy, y, x)
    assert contents(y).tolist() == [3, 6, 9, 12]


def test_a_buffer_that_only_reads_gives_no_edge_between_readers(queue, busy):
    cell = np.zeros(1, np.uint64)
    x, y, z = sycl.Buffer(floats(1)), sycl.Buffer((1,), np.float32), sycl.Buffer((1,), np.float32)
    blocker = busy(queue, cell)
    first = queue.parallel_for(1, PROGRAM.copy, y, x, depends_on=blocker)
    second = queue.parallel_for(1, PROGRAM.copy, z, x, depends_on=blocker)
    third = queue.parallel_for(1, PROGRAM.scale, x, 2, depends_on=blocker)
    assert first not in second.wait_list
    assert {first, second} <= set(third.wait_list)


def test_a_placeholder_needs_no_require_in_a_shortcut(queue):
    x = sycl.Buffer(floats(1, 2))
    queue.parallel_for(2, PROGRAM.scale, sycl.Accessor(x), 5)
    assert contents(x).tolist() == [5, 10]


def test_a_sub_buffer_s_pointer_leads_to_its_first_element(queue):
    whole = np.arange(64, dtype=np.float32)
    with sycl.Buffer(whole) as b:
        for low, count in ((1, 3), (7, 9), (32, 32), (63, 1)):
            with b.sub_buffer(low, count) as part, queue.submit() as h:
                h.parallel_for(count, PROGRAM.scale, h.read_write(part), -1)
    expected = np.arange(64, dtype=np.float32)
    for low, count in ((1, 3), (7, 9), (32, 32), (63, 1)):
        expected[low : low + count] *= -1
    assert (whole == expected).all()


def test_a_ranged_accessor_s_pointer_leads_to_the_buffer_s_first_element(queue):
    x = sycl.Buffer(np.zeros(8, np.float32) + 1)
    with queue.submit() as h:
        h.parallel_for(2, PROGRAM.scale, h.read_write(x, 2, 4), 7, offset=4)
    assert contents(x).tolist() == [1, 1, 1, 1, 7, 7, 1, 1]


def test_usm_passes_as_its_pointer(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared USM")
    x = sycl.malloc_shared(8, np.float32, queue)
    np.asarray(x)[:] = np.arange(8)
    queue.parallel_for(8, PROGRAM.scale, x, 2).wait_and_throw()
    assert np.asarray(x).tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    queue.parallel_for(2, PROGRAM.scale, x[3:5], -1).wait_and_throw()
    assert np.asarray(x).tolist() == [0, 2, 4, -6, -8, 10, 12, 14]
    sycl.free(x, queue)


@pytest.mark.parametrize("target", ["device", "constant_buffer"])
def test_constant_memory_from_a_buffer(queue, target):
    table, out = sycl.Buffer(floats(1, 2, 3)), sycl.Buffer((4,), np.float32)
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.look_up, h.write(out), h.read(table, target=target), 2)
    assert contents(out).tolist() == [3] * 4


def test_void_pointers_take_any_buffer(queue):
    values = np.array([1.5, -2.25])
    out = sycl.Buffer((16,), np.uint8)
    with queue.submit() as h:
        h.parallel_for(16, PROGRAM.bytes, h.write(out), h.read(sycl.Buffer(values)))
    assert contents(out).tobytes() == values.tobytes()


def test_vectors_in_buffers(queue):
    x, y = sycl.Buffer(np.arange(8, dtype=np.float32).reshape(2, 4)), sycl.Buffer((2, 4), np.float32)
    queue.parallel_for(2, PROGRAM.copy4, y, x)
    assert (contents(y) == np.arange(8).reshape(2, 4)).all()


@pytest.mark.parametrize("form", ["accessor", "buffer", "empty accessor"])
def test_nothing_passes_too(queue, form):
    out, empty = sycl.Buffer(np.zeros(1, np.uint32)), sycl.Buffer((0,), np.uint32)
    with queue.submit() as h:
        given = {"accessor": lambda: h.read(empty), "buffer": lambda: empty, "empty accessor": sycl.Accessor}[form]()
        h.single_task(PROGRAM.first, h.write(out), given, 9)
    assert contents(out)[0] == 9


def test_more_arguments_than_a_command_has_room_for_at_first(queue):
    buffers = [sycl.Buffer(np.zeros(4, np.float32)) for _ in range(8)]
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.many, *(h.read_write(b) for b in buffers))
    queue.parallel_for(4, PROGRAM.many, *buffers)
    assert [contents(b)[0] for b in buffers] == [2, 4, 6, 8, 10, 12, 14, 16]


def test_one_buffer_for_two_parameters(queue):
    """One need of the command: nothing waits for itself, nothing is lost."""
    x = sycl.Buffer(floats(1, 2, 3))
    with queue.submit() as h:
        h.parallel_for(3, PROGRAM.copy, h.write(x, no_init=True), h.read(x))
    assert contents(x).tolist() == [1, 2, 3]


# -- what does not --


def test_the_element_type_must_agree(queue):
    x = sycl.Buffer(np.zeros(8, np.int32))
    message = refusal(queue, lambda h: h.read_write(x), "scale", 2)
    assert message.split("\n") == [
        "scale(): argument 1, 'x', is an accessor of int32, not of float",
        "  expected: scale(__global float *x, float a)  at kernel.cl:2",
        "  given:    scale(Accessor read_write int32 (8,), 2)",
        "                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]
    message = refusal(queue, lambda h: x, "scale", 2)
    assert "argument 1, 'x', is a buffer of int32, not of float" in message
    assert "given:    scale(Buffer int32 (8,), 2)" in message


def test_a_reading_accessor_is_refused_where_the_kernel_may_write(queue):
    x = sycl.Buffer(np.zeros(8, np.float32))
    message = refusal(queue, lambda h: h.read(x), "scale", 2)
    assert message.startswith(
        "scale(): argument 1, 'x', is an accessor of mode read, and the kernel may write through '__global float *x': "
        "declare it const or ask for read_write\n"
    )
    assert "given:    scale(Accessor read float32 (8,), 2)" in message


def test_a_writing_accessor_may_go_to_a_const_pointer(queue):
    x, y = sycl.Buffer(floats(4)), sycl.Buffer((1,), np.float32)
    with queue.submit() as h:
        h.single_task(PROGRAM.copy, h.write(y), h.write(x))
    assert contents(y)[0] == 4


def test_accessors_for_host_tasks_are_refused(queue):
    x = sycl.Buffer(np.zeros(8, np.float32))
    message = refusal(queue, lambda h: h.read_write(x, target="host_task"), "scale", 2)
    assert "is an accessor for host tasks (target host_task), and a kernel runs on the device" in message


def test_closed_buffers_are_refused(queue):
    x = sycl.Buffer(np.zeros(8, np.float32))
    x.close()
    assert "argument 1, 'x', is a buffer that has been closed" in refusal(queue, lambda h: x, "scale", 2)


@pytest.mark.spec("H060")
def test_addresses_are_refused(queue):
    array = np.zeros(8, np.float32)
    message = refusal(queue, lambda h: array.ctypes.data, "scale", 2)
    assert "is an int, not an array: an address is no argument, memory is passed as the object that owns it" in message


@pytest.mark.spec("H061", "H423")
def test_local_memory_needs_groups(queue):
    out = sycl.Buffer((8,), np.uint32)
    for launch, words in (
        (lambda h: h.single_task(PROGRAM.reverse, h.write(out), h.local(8, np.uint32)), "not as a single task"),
        (lambda h: h.parallel_for(8, PROGRAM.reverse, h.write(out), h.local(8, np.uint32)), "not over a plain range"),
    ):
        with pytest.raises(sycl.KernelArgumentError, match=f"launch the kernel over an NdRange, {words}"):
            queue.submit(launch)
    with queue.submit() as h:
        h.parallel_for(sycl.NdRange(8, 4), PROGRAM.reverse, h.write(out), h.local(4, np.uint32))
    assert contents(out).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_global_memory_is_refused_where_the_kernel_wants_local(queue):
    out = sycl.Buffer((8,), np.uint32)
    with pytest.raises(sycl.KernelArgumentError, match="local memory is asked for with"), queue.submit() as h:
        h.parallel_for(sycl.NdRange(8, 4), PROGRAM.reverse, h.write(out), h.write(out))


def test_usm_that_does_not_fit_is_refused(queue):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared USM")
    x = sycl.malloc_shared(8, np.int32, queue)
    message = refusal(queue, lambda h: x, "scale", 2)
    assert "argument 1, 'x', is a UsmArray of int32, not of float" in message
    assert "given:    scale(UsmArray shared int32 (8,), 2)" in message
    other = sycl.Queue(context=sycl.Context(queue.device))
    y = sycl.malloc_shared(8, np.float32, other)
    assert "is a UsmArray of another context than the queue's" in refusal(queue, lambda h: y, "scale", 2)
    gaps = y[::2]
    assert "is a UsmArray with gaps between its elements" in refusal(other, lambda h: gaps, "scale", 2)
    sycl.free(y, other)
    assert "is a UsmArray whose memory has been freed" in refusal(other, lambda h: y, "scale", 2)
    sycl.free(x, queue)


def test_a_refused_argument_leaves_the_group_as_it_was(queue):
    """Another command may take its place, with the accessors that the group has."""
    x = sycl.Buffer(floats(1, 2))
    with queue.submit() as h:
        a = h.read_write(x)
        with pytest.raises(sycl.KernelArgumentError):
            h.parallel_for(2, PROGRAM.copy, a, "no memory")
        h.parallel_for(2, PROGRAM.scale, a, 4)
    assert contents(x).tolist() == [4, 8]


def test_what_was_refused_is_let_go(queue, no_leaks):
    x = [sycl.Buffer(np.zeros(8, np.int32))]
    for _ in range(10):
        refusal(queue, lambda h: h.read_write(x[0]), "scale", 2)
        refusal(queue, lambda h: x[0], "copy", x[0])
    x.clear()
    gc.collect()
