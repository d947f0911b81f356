"""Interoperation with OpenCL programs and kernels: SYCL 2020, appendix C (D.4.3 and D.4.4 of the draft), and features
that a device lacks, 5.7 (6.5 of the draft)."""

import struct

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

TEXT = """
typedef struct { int a; float b; } pair;
__kernel void blend(__global float *restrict out, __global const float *in, float a, __local float *l, pair p)
{
    size_t i = get_global_id(0), k = get_local_id(0);
    l[k] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a * l[get_local_size(0) - 1 - k] + p.a * p.b;
}
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void shape(__global uint *x)
{ x[get_local_id(1) * 4 + get_local_id(0)] = get_local_id(1); }
"""
PAIR = np.dtype([("a", np.int32), ("b", np.float32)])
SCALE = "__kernel void scale(__global float *x, float a) { x[get_global_id(0)] *= a; }"


@pytest.fixture
def context(queue):
    return queue.context


def run_blend(queue, kernel):
    data, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    pair = np.array((3, 0.5), PAIR)[()]
    queue.parallel_for(sycl.NdRange((8,), (4,)), kernel, out, data, 2.0, sycl.local(4, np.float32), pair)
    assert out.tolist() == [7.5, 5.5, 3.5, 1.5, 15.5, 13.5, 11.5, 9.5]


def run_shape(queue, kernel):
    x = np.full(8, 9, np.uint32)
    queue.parallel_for(sycl.NdRange((2, 4), (2, 4)), kernel, x)
    assert x.tolist() == [0] * 4 + [1] * 4


# -- programs --


@pytest.mark.spec("D526", "D527")
def test_a_bundle_of_source(queue, context):
    for create in (opencl.create_bundle_with_source, opencl.create_module_with_source):
        bundle = create(context, TEXT)
        assert bundle.state is sycl.BundleState.input and bundle.kernel_names == ["blend", "shape"]
        run_blend(queue, sycl.build(bundle).get_kernel("blend"))
    with pytest.raises(sycl.InvalidParameterError, match=r"^source: expected something, got nothing$"):
        opencl.create_bundle_with_source(context, "")


@pytest.mark.spec("D526", "D528")
def test_an_executable_comes_back_from_its_binary(queue, context):
    built = sycl.build(sycl.KernelBundle(TEXT, context))
    blob = built.binary()
    assert isinstance(blob, bytes)
    for create in (opencl.create_bundle_with_binary, opencl.create_module_with_binary):
        bundle = create(context, blob)
        assert bundle.state is sycl.BundleState.input and bundle.kernel_names == ["blend", "shape"]
        again = sycl.build(bundle)
        run_blend(queue, again.get_kernel("blend"))
        run_shape(queue, again.get_kernel("shape"))
    kernel, before = again.get_kernel("blend"), built.get_kernel("blend")
    assert kernel.num_args == before.num_args == 5
    assert again.get_kernel("shape").compile_work_group_size == (1, 2, 4)
    assert again.get_kernel("shape").attributes == "reqd_work_group_size(4,2,1)"
    once_more = sycl.build(opencl.create_bundle_with_binary(context, again.binary()))  # its bytes may be others
    run_blend(queue, once_more.get_kernel("blend"))


@pytest.mark.spec("D528")
def test_several_programs_and_objects_come_back_from_one_binary(queue, context):
    parts = ("float twice(float x) { return 2 * x; }", SCALE.replace("*= a", "*= twice(a)"))
    texts = (parts[0], "float twice(float x);" + parts[1])
    blob = sycl.compile(sycl.KernelBundle(list(texts), context)).binary()
    stored = opencl.create_bundle_with_binary(context, blob)
    assert stored.kernel_names == ["scale"] and len(stored) == 2
    x = np.ones(4, np.float32)
    queue.parallel_for(4, sycl.link(sycl.compile(stored)).get_kernel("scale"), x, 3.0)
    assert x.tolist() == [6] * 4


@pytest.mark.spec("D528")
def test_the_driver_s_own_binary_with_declarations(queue, context):
    image = sycl.build(sycl.KernelBundle(SCALE, context)).images[0]
    bundle = opencl.create_bundle_with_binary(
        context, image.native_binary, "__kernel void scale(__global float *x, float a) {}"
    )
    x = np.ones(4, np.float32)
    queue.parallel_for(4, sycl.build(bundle).get_kernel("scale"), x, 3.0)
    assert x.tolist() == [3] * 4
    with pytest.raises(sycl.InvalidObjectError, match=r"^device '.*' takes no such binary: cl(Create|Build)Program"):
        opencl.create_bundle_with_binary(context, b"this is no binary", SCALE)
    with pytest.raises(sycl.InvalidParameterError, match=r"^binary: expected something, got nothing$"):
        opencl.create_bundle_with_binary(context, b"")


def spirv():
    """`__kernel void fill(__global uint *out) { out[get_global_id(0)] = (uint)get_global_id(0) + 7; }` by hand."""
    words = [0x07230203, 0x00010000, 0, 20, 0]

    def text(value):
        data = value.encode() + b"\0"
        return struct.unpack(f"<{-(-len(data) // 4)}I", data.ljust(-(-len(data) // 4) * 4, b"\0"))

    def instruction(opcode, *operands):
        words.extend([(1 + len(operands)) << 16 | opcode, *operands])

    void, uint, ulong, vector, in_vector, pointer, kernel_type, seven, ids = range(1, 10)
    fill, out, entry, loaded, low, narrow, place, value = range(10, 18)
    for capability in (4, 5, 6, 11):  # Addresses, Linkage, Kernel, Int64
        instruction(17, capability)
    instruction(14, 2, 2)  # Physical64, OpenCL
    instruction(15, 6, fill, *text("fill"), ids)  # OpEntryPoint Kernel
    instruction(5, out, *text("out"))  # OpName
    instruction(71, ids, 11, 28)  # OpDecorate BuiltIn GlobalInvocationId
    instruction(71, ids, 22)  # Constant
    instruction(71, ids, 41, *text("__spirv_BuiltInGlobalInvocationId"), 1)  # LinkageAttributes Import
    instruction(19, void)
    instruction(21, uint, 32, 0)
    instruction(21, ulong, 64, 0)
    instruction(23, vector, ulong, 3)
    instruction(32, in_vector, 1, vector)  # Input
    instruction(32, pointer, 5, uint)  # CrossWorkgroup
    instruction(33, kernel_type, void, pointer)
    instruction(43, uint, seven, 7)
    instruction(59, in_vector, ids, 1)  # OpVariable
    instruction(54, void, fill, 0, kernel_type)  # OpFunction
    instruction(55, pointer, out)
    instruction(248, entry)  # OpLabel
    instruction(61, vector, loaded, ids, 2, 32)  # OpLoad, aligned to 32
    instruction(81, ulong, low, loaded, 0)  # OpCompositeExtract
    instruction(113, uint, narrow, low)  # OpUConvert
    instruction(128, uint, value, narrow, seven)  # OpIAdd
    instruction(70, pointer, place, out, low)  # OpInBoundsPtrAccessChain
    instruction(62, place, value, 2, 4)  # OpStore, aligned to 4
    instruction(253)
    instruction(56)
    return struct.pack(f"<{len(words)}I", *words)


def create_with_il(context, il):
    """Not every driver tells the arguments of such a kernel."""
    try:
        return opencl.create_bundle_with_il(context, il)
    except sycl.InvalidObjectError:
        with pytest.raises(sycl.InvalidObjectError, match=r"^the driver does not tell which arguments kernel 'fill' "):
            opencl.create_bundle_with_il(context, il)
    return opencl.create_bundle_with_il(context, il, "__kernel void fill(__global uint *out) {}")


@pytest.mark.spec("D526", "D529")
def test_a_bundle_of_spirv(device, queue, context):
    takes = device._query(sycl._core.cl_constants()["CL_DEVICE_IL_VERSION"], "string", "")
    if "SPIR-V" not in takes:
        for create in (opencl.create_bundle_with_il, opencl.create_module_with_il):
            with pytest.raises(sycl.FeatureNotSupportedError) as error:
                create(context, spirv())
            assert str(error.value) == f"device '{device.name}' takes no SPIR-V"
        return
    bundle = create_with_il(context, spirv())
    assert bundle.state is sycl.BundleState.input and bundle.kernel_names == ["fill"]
    x = np.zeros(6, np.uint32)
    queue.parallel_for(6, sycl.build(bundle).get_kernel("fill"), x)
    assert x.tolist() == [7, 8, 9, 10, 11, 12]
    with pytest.raises(sycl.InvalidObjectError, match=r"^device '.*' takes no such SPIR-V: clCreateProgramWithIL "):
        opencl.create_bundle_with_il(context, b"this is no SPIR-V")


@pytest.mark.spec("D530")
def test_built_in_kernels_of_a_device_that_has_none_of_them(device, context):
    known = ", ".join(device.built_in_kernels) or "none"
    for create in (opencl.create_bundle_with_builtin_kernels, opencl.create_module_with_builtin_kernels):
        with pytest.raises(sycl.InvalidObjectError) as error:
            create(context, ["no.such.kernel"])
        assert str(error.value) == f"device '{device.name}' has no built-in kernel 'no.such.kernel': it has {known}"
        with pytest.raises(sycl.InvalidParameterError, match=r"^names: expected something, got nothing$"):
            create(context, [])


@pytest.mark.spec("H014", "D526", "D530", "D258")
def test_built_in_kernels(run_fake):
    run_fake(
        """
        assert sycl.Device().built_in_kernels == ["bump", "mirror"]
        context, cells = sycl.Context(), np.ones(4, np.uint32)
        bundle = sycl.opencl.create_bundle_with_builtin_kernels(context, ["bump", "mirror"])
        assert bundle.state is sycl.BundleState.input and bundle.kernel_names == ["bump", "mirror"]
        kernel = sycl.build(bundle).get_kernel("bump")
        sycl.Queue(context=context).parallel_for(4, kernel, cells, 4).wait_and_throw()
        assert cells.tolist() == [2] * 4
        assert kernel.global_work_size == (1, 2, 3)
        """,
        {"FAKE_BUILT_IN": "bump;mirror"},
    )


@pytest.mark.spec("D531")
@pytest.mark.parametrize("name", ["source", "binary", "il", "builtin_kernels"])
def test_what_is_no_context_is_refused(device, name):
    given = {"source": TEXT, "binary": b"x", "il": b"x", "builtin_kernels": ["x"]}[name]
    with pytest.raises(sycl.InvalidParameterError, match=r"^context: expected a Context, got "):
        getattr(opencl, f"create_bundle_with_{name}")(device, given)


@pytest.mark.spec("D515", "D516")
def test_the_native_programs_of_a_bundle(queue, context):
    bundle = sycl.build(sycl.KernelBundle([TEXT, SCALE], context))
    natives = sycl.get_native("opencl", bundle)
    assert natives == [image.program.native(context) for image in bundle]
    made = sycl.make_kernel_bundle(natives[0], context)
    assert made.state is sycl.BundleState.executable and made.kernel_names == ["blend", "shape"]
    run_blend(queue, made.get_kernel("blend"))
    compiled = sycl.compile(sycl.KernelBundle(SCALE, context))
    made = sycl.make_kernel_bundle(compiled.get_native()[0], context, "object")
    x = np.ones(4, np.float32)
    queue.parallel_for(4, sycl.link(made).get_kernel("scale"), x, 3.0)
    assert x.tolist() == [3] * 4
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^the cl_program 0x[0-9a-f]+ is in the state object, not executable$"
    ):
        sycl.make_kernel_bundle(compiled.get_native()[0], context)


# -- kernels --


@pytest.mark.spec("D523", "D532")
def test_a_kernel_of_a_native_one(device, queue, context):
    kernel = sycl.get_kernel_bundle(context, TEXT).get_kernel("blend")
    made = sycl.make_kernel(kernel.int_ptr, context)
    assert sycl.get_native("opencl", made) > 0 and made.context == context
    run_blend(queue, made)
    x = np.ones(4, np.float32)
    other = sycl.get_kernel_bundle(context, SCALE).get_kernel("scale")
    scale = sycl.make_kernel(other.int_ptr, context)
    queue.single_task(scale, x, 2.0)
    queue.parallel_for(2, scale, x[1:], 3.0, offset=1).wait_and_throw()
    with queue.submit() as h:
        h.set_args(x, 5.0)
        h.parallel_for(sycl.NdRange((4,), (2,)), scale)
    h.event.wait_and_throw()
    assert x.tolist() == [10, 5, 15, 15]
    strange = sycl.Context(device)
    with pytest.raises(sycl.InvalidObjectError, match=r"^the cl_kernel 0x[0-9a-f]+ belongs to another context$"):
        sycl.make_kernel(kernel.int_ptr, strange)
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^kernel 'blend' was made from a cl_kernel of another context than the queue's$"
    ):
        sycl.Queue(device, context=strange).parallel_for(
            4, made, x, x, 1.0, sycl.local(4, np.float32), np.zeros((), PAIR)[()]
        )


@pytest.mark.spec("D533")
def test_the_program_of_a_native_kernel_is_held(run_fake):
    run_fake(
        """
        context = sycl.Context()
        kernel = program.bump
        handle = kernel._native(context)
        before = fake.fake_live(b"program")
        made = sycl.make_kernel(handle, context)
        del kernel, program
        gc.collect()
        cells = np.ones(4, np.uint32)
        sycl.Queue(context=context).parallel_for(4, made, cells, 4).wait_and_throw()
        assert cells.tolist() == [2] * 4 and fake.fake_live(b"program") == before == 1
        del made
        live_counts.quiet()
        assert fake.fake_live(b"program") == 0 and fake.fake_error_count() == 0
        """
    )


# -- what a device lacks --

HALVES = "__kernel void halve(__global half *x) { half a = x[0]; x[0] = a / 2; }"


@pytest.mark.spec("D477", "D478", "D540", "D543")
def test_a_kernel_that_needs_fp16(device, queue):
    program = sycl.Program(HALVES)  # no error, whatever devices there are
    bundle = sycl.KernelBundle(program, queue.context)
    x = np.ones(1, np.float16)
    if device.has("fp16"):
        queue.single_task(program.halve, x)
        assert x[0] == 0.5 and sycl.is_compatible(program, device)
        return
    assert not sycl.is_compatible(program, device)
    for call in (lambda: queue.single_task(program.halve, x), lambda: sycl.build(bundle), lambda: sycl.compile(bundle)):
        with pytest.raises(sycl.KernelNotSupportedError) as error:
            call()
        assert str(error.value) == f"kernel 'halve' uses half, and device '{device.name}' has no fp16"


@pytest.mark.spec("D477", "D478", "D540")
def test_a_kernel_that_needs_fp64(run_fake):
    run_fake(
        """
        queue = sycl.Queue()
        needy = sycl.Program("kernel void bump(global double *y, uint n) { y[0] = 1; }")
        for call in (
            lambda: queue.parallel_for(4, needy.bump, np.zeros(4), 4),
            lambda: sycl.build(sycl.KernelBundle(needy)),
            lambda: sycl.compile(sycl.KernelBundle(needy)),
        ):
            try:
                call()
            except sycl.KernelNotSupportedError as error:
                assert str(error) == "kernel 'bump' uses double, and device 'Fake device 1' has no fp64", error
            else:
                raise AssertionError("nothing is raised")
        """,
        {"FAKE_LACKS": "fp64"},
    )


@pytest.mark.spec("D479")
def test_a_kernel_for_no_device_is_refused_though_it_is_never_submitted(context):
    with pytest.raises(sycl.BuildError, match="nonsense"):
        sycl.build(sycl.KernelBundle("__kernel void k(__global int *x) { nonsense; }", context))
    with pytest.raises(sycl.BuildError, match="nonsense"):
        sycl.Program("__kernel void k(__global int *x) { nonsense; }").build(context)
