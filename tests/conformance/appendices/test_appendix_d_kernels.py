"""Kernels and the OpenCL backend: SYCL 2020, appendix C (D of the provisional text)."""

import ctypes
import gc

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

PROGRAM = """
__kernel void where(__global int *x, int step)
{
    size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1);
    x[i * get_global_size(0) + get_global_id(0) - get_global_offset(0)] =
        step * (int)(get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2));
}
__kernel void once(__global int *x, int step) { x[0] = step; }
"""


class Native:
    """OpenCL's entries out of the dispatch table that every object of an ICD driver begins with."""

    CREATE_BUFFER, RELEASE_MEMORY, CREATE_KERNEL, RELEASE_KERNEL, SET_ARGUMENT, INFO = 14, 18, 34, 37, 38, 39

    def __init__(self, handle):
        self.table = ctypes.c_void_p.from_address(handle).value

    def call(self, slot, result, *arguments):
        entry = ctypes.c_void_p.from_address(self.table + slot * ctypes.sizeof(ctypes.c_void_p)).value
        return ctypes.CFUNCTYPE(result, *(type(a) for a in arguments))(entry)(*arguments)

    def kernel(self, program, name):
        code = ctypes.c_int(1)
        handle = self.call(
            self.CREATE_KERNEL, ctypes.c_void_p, ctypes.c_void_p(program), ctypes.c_char_p(name), ctypes.pointer(code)
        )
        assert code.value == 0
        return handle

    def release(self, kernel):
        assert self.call(self.RELEASE_KERNEL, ctypes.c_int, ctypes.c_void_p(kernel)) == 0

    def set(self, kernel, index, value):
        code = self.call(
            self.SET_ARGUMENT, ctypes.c_int, ctypes.c_void_p(kernel), ctypes.c_uint(index),
            ctypes.c_size_t(ctypes.sizeof(value)), ctypes.pointer(value),
        )  # fmt: skip
        assert code == 0

    def references(self, kernel):
        count = ctypes.c_uint(0)
        code = self.call(
            self.INFO, ctypes.c_int, ctypes.c_void_p(kernel), ctypes.c_uint(0x1192), ctypes.c_size_t(4),
            ctypes.pointer(count), ctypes.c_void_p(None),
        )  # fmt: skip
        assert code == 0
        return count.value


@pytest.fixture
def native(device):
    if "cl_khr_icd" not in device.platform._query(opencl.CL["CL_PLATFORM_EXTENSIONS"]):
        pytest.skip("no dispatch table")
    return Native(device.int_ptr)


@pytest.fixture
def program(queue):
    program = sycl.Program(PROGRAM)
    program.build(queue.context)
    return program


@pytest.fixture
def handle(native, program, queue):
    """A cl_kernel that somebody else has made."""
    handle = native.kernel(program.native(queue.context), b"where")
    yield handle
    native.release(handle)


FORMS = [
    ((2, 3, 4), (0, 0, 0)),
    ((3, 4), (0, 0)),
    ((5,), (0,)),
    ((2, 3, 4), (1, 2, 3)),
    ((5,), (7,)),
]


def expected(shape, offset, step):
    """SYCL's last dimension is OpenCL's first."""
    ids = np.indices(shape)[::-1]
    return step * sum((10**d) * (ids[d] + tuple(reversed(offset))[d]) for d in range(len(shape)))


@pytest.mark.spec("D532", "D535", "D537")
@pytest.mark.parametrize(("shape", "offset"), FORMS)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_native_kernel_in_every_form(queue, handle, shape, offset, grouped):
    kernel = sycl.make_kernel(handle, queue.context)
    x = np.zeros(shape, np.int32)
    if grouped:
        queue.parallel_for(sycl.NdRange(shape, (1,) * len(shape), offset), kernel, x, 2)
    else:
        queue.parallel_for(shape, kernel, x, 2, offset=offset)
    assert (x == expected(shape, offset, 2)).all()


@pytest.mark.spec("D532")
def test_a_native_kernel_as_a_single_task(queue, native, program):
    handle = native.kernel(program.native(queue.context), b"once")
    kernel = sycl.make_kernel(handle, queue.context)
    native.release(handle)
    x = np.zeros(2, np.int32)
    queue.single_task(kernel, x, 3)
    buffer = sycl.Buffer(2, np.int32)
    with queue.submit() as h:
        h.set_args(h.write(buffer), 5)
        h.single_task(kernel)
    assert x.tolist() == [3, 0]
    assert np.asarray(buffer)[0] == 5


@pytest.mark.spec("D523", "D533")
def test_the_native_kernel_is_retained_and_given_back(queue, native, handle):
    before = native.references(handle)
    kernel = sycl.make_kernel(handle, queue.context)
    assert kernel.name == "where" and kernel.parameters == ("__global int *x", "int step")
    assert native.references(handle) == before + 1
    assert kernel.int_ptr == handle
    assert sycl.get_native("opencl", kernel) == handle
    del kernel
    gc.collect()
    assert native.references(handle) == before


@pytest.mark.spec("D533")
def test_it_lives_as_long_as_somebody_has_it(queue, native, live_counts):
    program = sycl.Program(PROGRAM)
    program.build(queue.context)
    x = np.zeros(3, np.int32)
    before = live_counts.quiet()
    handle = native.kernel(program.native(queue.context), b"where")
    kernel = sycl.make_kernel(handle, queue.context)
    native.release(handle)
    queue.parallel_for(3, kernel, x, 1)
    assert x.tolist() == [0, 1, 2]
    del kernel
    assert live_counts.settled(before)["cl_kernel"] == before["cl_kernel"]


@pytest.mark.spec("D523")
def test_the_context_must_be_the_kernels(queue, handle):
    other = sycl.Context(queue.device)
    with pytest.raises(sycl.InvalidObjectError, match="belongs to another context"):
        sycl.make_kernel(handle, other)
    kernel = sycl.make_kernel(handle, queue.context)
    x = np.zeros(3, np.int32)
    for arguments in ((x, 1), ()):
        with pytest.raises(sycl.InvalidObjectError) as caught:
            sycl.Queue(queue.device, context=other).parallel_for(3, kernel, *arguments)
        assert str(caught.value) == "kernel 'where' was made from a cl_kernel of another context than the queue's"


@pytest.mark.spec("D523")
def test_the_secondary_queue_s_context_must_be_the_kernels_too(run_fake):
    run_fake("""
        first = sycl.Queue()
        second = sycl.Queue(context=sycl.Context(first.device))
        kernel = sycl.Kernel.from_int_ptr(program.fill_ids.int_ptr)
        _core.fault_install(0)
        _core.fault_arm("EnqueueNDRangeKernel", 1, -5)
        try:
            first.submit(lambda h: h.parallel_for(4, kernel, np.zeros(4, np.uint32)), second)
        except sycl.InvalidObjectError as error:
            words = "kernel 'fill_ids' is bound to another context than that of the secondary queue"
            assert str(error) == words, error
        else:
            raise AssertionError("not refused")
        """)


@pytest.mark.spec("D534")
def test_arguments_that_were_set_before(queue, native, handle):
    """On the cl_kernel; where they lead is their maker's affair. Those that are given here leave them alone."""
    size, code = 4 * 6, ctypes.c_int(1)

    def contents(memory):
        with sycl.make_buffer(memory, queue.context, dtype=np.int32) as buffer:
            return np.asarray(buffer).reshape(2, 3)

    memory = native.call(
        native.CREATE_BUFFER, ctypes.c_void_p, ctypes.c_void_p(queue.context.int_ptr), ctypes.c_ulonglong(1),
        ctypes.c_size_t(size), ctypes.c_void_p(None), ctypes.pointer(code),
    )  # fmt: skip
    assert code.value == 0
    try:
        native.set(handle, 0, ctypes.c_void_p(memory))
        native.set(handle, 1, ctypes.c_int(3))
        kernel = sycl.make_kernel(handle, queue.context)
        queue.parallel_for((2, 3), kernel).wait_and_throw()
        assert (contents(memory) == expected((2, 3), (0, 0), 3)).all()
        x = np.zeros((2, 3), np.int32)
        queue.parallel_for((2, 3), kernel, x, 7)
        assert (x == expected((2, 3), (0, 0), 7)).all()
        assert (contents(memory) == expected((2, 3), (0, 0), 3)).all()
        with queue.submit() as h:
            h.parallel_for(sycl.NdRange((2, 3), (1, 3), (1, 0)), kernel)
        h.event.wait_and_throw()
        assert (contents(memory) == expected((2, 3), (1, 0), 3)).all()
        with pytest.raises(sycl.KernelArgumentError, match="takes 2 arguments, 1 given"):
            queue.parallel_for((2, 3), kernel, x)
    finally:
        assert native.call(native.RELEASE_MEMORY, ctypes.c_int, ctypes.c_void_p(memory)) == 0


@pytest.mark.spec("D517")
def test_pointers_and_events_in_kernels_are_opencls(queue):
    program = sycl.Program("""
        __kernel void f(__global int *x, __local int *l, __constant int *c)
        {
            __global int *mine = x + get_group_id(0) * get_local_size(0);
            event_t copied = async_work_group_copy(l, (const __global int *)mine, get_local_size(0), 0);
            wait_group_events(1, &copied);
            mine[get_local_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)] + c[0];
        }""")
    x = np.arange(8, dtype=np.int32)
    where = sycl.NdRange(8, 4)
    queue.parallel_for(where, program.f, x, sycl.local(4, np.int32), np.array([10], np.int32))
    assert x.tolist() == [13, 12, 11, 10, 17, 16, 15, 14]


@pytest.mark.spec("D536")
def test_rectangles_are_copied_in_the_order_of_dimensions(queue):
    data = np.arange(2 * 3 * 4, dtype=np.int32).reshape(2, 3, 4)
    source, target = sycl.Buffer(data.copy()), sycl.Buffer(np.full((4, 5, 6), -1, np.int32))
    with queue.submit() as h:
        part = h.read(source, (1, 2, 3), (1, 0, 1))
        h.copy(part, h.write(target, (1, 2, 3), (2, 3, 1)))
    out = np.zeros((2, 3), np.int32)
    with queue.submit() as h:
        h.copy(h.read(target, (1, 2, 3), (2, 3, 1)), out)
    queue.wait_and_throw()
    result = np.full((4, 5, 6), -1)
    result[2:3, 3:5, 1:4] = data[1:2, 0:2, 1:4]
    assert (np.asarray(target) == result).all()
    assert (out == data[1, 0:2, 1:4]).all()


@pytest.mark.spec("D538")
def test_aliases_of_opencls_scalars(queue):
    sizes = {
        "cl_bool": 4, "cl_char": 1, "cl_uchar": 1, "cl_short": 2, "cl_ushort": 2, "cl_int": 4, "cl_uint": 4,
        "cl_long": 8, "cl_ulong": 8, "cl_half": 2, "cl_float": 4, "cl_double": 8,
    }  # fmt: skip
    for name, size in sizes.items():
        kind = np.dtype(getattr(opencl, name))
        assert kind.itemsize == size
        letter = "f" if name[3:] in ("half", "float", "double") else "u" if name[3] in "ub" else "i"
        assert kind.kind == letter
        assert name in dir(opencl)
    program = sycl.Program("__kernel void f(__global int *x, uint a) { x[0] = (int)a; }")
    x = sycl.Buffer(1, opencl.cl_int)
    queue.submit(lambda h: h.single_task(program.f, h.write(x), opencl.cl_uint(5)))
    assert np.asarray(x).tolist() == [5]
    with pytest.raises(AttributeError, match="has no attribute 'cl_nothing'"):
        _ = opencl.cl_nothing


@pytest.mark.spec("H245", "D541", "D542")
def test_extensions_are_aspects(device):
    names = {
        opencl.Aspect.image_writes_3d: "cl_khr_3d_image_writes",
        opencl.Aspect.khr_gl_sharing: "cl_khr_gl_sharing",
        opencl.Aspect.apple_gl_sharing: "cl_apple_gl_sharing",
        opencl.Aspect.d3d10_sharing: "cl_khr_d3d10_sharing",
        opencl.Aspect.d3d11_sharing: "cl_khr_d3d11_sharing",
        opencl.Aspect.dx9_media_sharing: "cl_khr_dx9_media_sharing",
        "int64_base_atomics": "cl_khr_int64_base_atomics",
        "int64_extended_atomics": "cl_khr_int64_extended_atomics",
        "fp16": "cl_khr_fp16",
    }
    assert set(names) >= set(opencl.Aspect)
    for aspect, extension in names.items():
        assert device.has(aspect) is (extension in device.extensions)
        assert device.platform.has(aspect) is all(extension in d.extensions for d in device.platform.devices)
