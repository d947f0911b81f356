"""Interoperation with OpenCL: buffers. SYCL 2020, appendix C (D of the draft)."""

import gc

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

PROGRAM = sycl.Program("__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }")
TYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64,
}  # fmt: skip


def add(queue, buffer, amount=1):
    return queue.submit(lambda h: h.parallel_for(buffer.size, PROGRAM.add, sycl.Accessor(buffer, h), amount))


@pytest.mark.spec("H122", "D515", "D518")
def test_native_memory_is_made_per_context(device):
    first, second = (sycl.Queue(context=sycl.Context([device])) for _ in range(2))
    b = sycl.Buffer(8, np.int32)
    assert sycl.get_native("opencl", b) == []
    with pytest.raises(sycl.InvalidObjectError, match="no cl_mem yet"):
        _ = b.int_ptr
    add(first, b).wait()
    assert sycl.get_native("opencl", b) == [b.int_ptr]
    add(second, b).wait()
    natives = sycl.get_native("opencl", b)
    assert len(set(natives)) == 2 and b.int_ptr in natives
    assert sycl.get_native("opencl", b[2:4]) == []


@pytest.mark.spec("H126", "D511", "D513", "D514", "D522")
def test_a_buffer_made_of_native_memory(queue):
    origin = sycl.Buffer(np.arange(8, dtype=np.int32), copy=True)
    add(queue, origin).wait()
    made = sycl.make_buffer(origin.int_ptr, queue.context)
    assert (made.shape, made.dtype) == ((32,), np.uint8)
    typed = opencl.make_buffer(origin.int_ptr, queue.context, dtype=np.int32)
    assert (typed.shape, typed.is_sub_buffer) == ((8,), False)
    assert typed.int_ptr == origin.int_ptr
    origin.close()
    del origin
    gc.collect()
    add(queue, typed, 10).wait_and_throw()
    assert np.asarray(typed).tolist() == list(range(11, 19))
    other = sycl.Queue(queue.device, context=sycl.Context([queue.device]))
    add(other, typed, 10).wait_and_throw()  # copied elsewhere
    assert np.asarray(typed).tolist() == list(range(21, 29))
    with pytest.raises(sycl.InvalidObjectError, match="another context"):
        sycl.make_buffer(typed.int_ptr, other.context)
    with pytest.raises(sycl.InvalidParameterError, match="not a native handle"):
        sycl.make_buffer(0, queue.context)


@pytest.mark.spec("D522")
def test_the_contents_come_with_an_event(queue, busy):
    origin = sycl.Buffer(np.zeros(8, np.int32), copy=True)
    add(queue, origin).wait()
    event = busy(queue, np.zeros(1, np.uint64), 0.2)
    made = sycl.make_buffer(origin.int_ptr, queue.context, event, np.int32)
    assert event.status is not sycl.EventCommandStatus.complete
    add(queue, made).wait_and_throw()
    assert event.status is sycl.EventCommandStatus.complete


@pytest.mark.spec("D511")
def test_native_memory_is_let_go_of(queue, live_counts):
    def work():
        b = sycl.Buffer(8, np.int32)
        add(queue, b).wait()
        made = sycl.make_buffer(b.int_ptr, queue.context)
        made.close()

    work()
    before = live_counts.quiet()
    for _ in range(5):
        work()
    assert live_counts.settled(before)["cl_mem"] == before["cl_mem"]


@pytest.mark.spec("D519")
@pytest.mark.parametrize("name", TYPES)
def test_types_have_the_same_size_on_host_and_device(queue, name):
    """NumPy's dtypes are the fixed-size types that host and device share. `long` has 64 bits whatever C's long is here,
    and what does not fit is refused by name, not reinterpreted."""
    needs = {"double": "fp64", "half": "fp16"}.get(name)
    if needs and not queue.device.has(needs):
        pytest.skip(f"no {needs}")
    dtype = np.dtype(TYPES[name])
    enable = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if name == "half" else ""
    program = sycl.Program(
        f"{enable}__kernel void put(__global {name} *x, {name} value, __global uint *size)\n"
        f"{{ x[1] = value; size[0] = sizeof({name}); size[1] = (uint)((__global char *)(x + 1) - (__global char *)x);\n"
        "  size[2] = 8 * sizeof(size_t); }"
    )
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    value = dtype.type(limits.min)
    x, size = sycl.Buffer(np.zeros(3, dtype), copy=True), np.zeros(3, np.uint32)
    queue.submit(lambda h: h.single_task(program.put, h.read_write(x), value, size)).wait_and_throw()
    assert size[:2].tolist() == [dtype.itemsize] * 2
    assert size[2] == queue.device.address_bits
    assert np.asarray(x).tolist() == [0, value, 0]
    for other in set(TYPES.values()) - {dtype.type}:
        wrong = sycl.Buffer(3, other)
        with pytest.raises(sycl.KernelArgumentError, match=f"not of {name}"), queue.submit() as h:
            h.single_task(program.put, h.read_write(wrong), value, size)


@pytest.mark.spec("D519")
def test_what_a_kernel_may_do_comes_from_the_accessor_s_mode(queue):
    """A reading accessor goes where the kernel only reads, and what the mode says orders commands: not the qualifier."""
    program = sycl.Program(
        "__kernel void see(__global int *to, __global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }"
    )
    b, out = sycl.Buffer(np.arange(8, dtype=np.int32), copy=True), sycl.Buffer(8, np.int32)
    with pytest.raises(sycl.KernelArgumentError, match="accessor of mode read, and the kernel may write"):
        queue.submit(lambda h: h.parallel_for(8, PROGRAM.add, h.read(b), 1))
    for mode, used in (("read", "read"), ("read_write", "read_write"), ("write", "read_write")):
        with queue.submit() as h:
            h.parallel_for(8, program.see, h.write(out), sycl.Accessor(b, h, mode))
        assert [use.mode for use in queue.graph().commands[-1].uses if use.buffer == b._id] == [used]
    assert np.asarray(out).tolist() == list(range(8))


@pytest.mark.spec("D519")
def test_what_a_kernel_may_do_with_an_image_comes_from_the_accessor_s_mode(queue):
    program = sycl.Program("""
    __kernel void look(read_only image1d_t image, __global uint4 *out) { out[0] = read_imageui(image, 0); }
    __kernel void mark(write_only image1d_t image) { write_imageui(image, 0, (uint4)(7)); }
    """)
    out = np.zeros(4, np.uint32)
    with sycl.UnsampledImage(None, "r8g8b8a8_uint", 3) as image:
        with pytest.raises(sycl.KernelArgumentError, match="read"), queue.submit() as h:
            h.single_task(program.mark, h.read(image))
        queue.submit(lambda h: h.single_task(program.mark, h.write(image)))
        with pytest.raises(sycl.KernelArgumentError, match="write"), queue.submit() as h:
            h.single_task(program.look, h.write(image), out)
        queue.submit(lambda h: h.single_task(program.look, h.read(image), out)).wait_and_throw()
    assert out.tolist() == [7] * 4
