"""Kernels as objects: SYCL 2020, 4.11.14 (4.12 of the draft), their descriptors, and the attributes of 5.8.1 (5.7.1)."""

import copy
import re

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void scale(__global float *x, float a) { x[get_global_id(0)] *= a; }
__kernel __attribute__((reqd_work_group_size(8, 2, 1), vec_type_hint(float4)))
void fixed(__global uint *x) { x[get_local_id(1) * 8 + get_local_id(0)] = 1; }
__kernel sycl_reqd_work_group_size(2, 8) sycl_work_group_size_hint(4) void ours(__global uint *x) { x[0] = 1; }
__kernel void hinted(__global uint *x) __attribute__((work_group_size_hint(16, 1, 1)));
__kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted(__global uint *x) { x[get_global_id(0)] = 3; }
__kernel void needy(__global float *x) {
    __local float l[256];
    l[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)];
}
""")
KERNELS = ("scale", "fixed", "ours", "hinted", "needy")


@pytest.fixture
def bundle(queue):
    return sycl.get_kernel_bundle(queue.context, PROGRAM)


@pytest.mark.spec("D249")
def test_kernels_come_from_programs_bundles_and_native_ones(queue, bundle):
    x = np.ones(4, np.float32)
    for kernel in (PROGRAM.scale, bundle.get_kernel("scale")):
        queue.parallel_for(4, kernel, x, 2.0)
    native = sycl.make_kernel(bundle.get_kernel("scale").int_ptr, queue.context)
    queue.parallel_for(4, native, x, 2.0)
    assert x.tolist() == [8, 8, 8, 8]
    with pytest.raises(TypeError, match=r"^Kernel objects come from a Program: program\.name or "):
        sycl.Kernel()


@pytest.mark.spec("D250")
def test_copies_of_a_kernel_are_equal(bundle):
    kernel = bundle.get_kernel("scale")
    assert copy.copy(kernel) == kernel == bundle.get_kernel("scale")
    assert {kernel: "here"}[copy.deepcopy(kernel)] == "here"
    assert kernel != bundle.get_kernel("fixed")


@pytest.mark.spec("D251")
def test_backend_host_and_context(queue, bundle):
    kernel = bundle.get_kernel("scale")
    assert kernel.backend is sycl.Backend.opencl
    assert kernel.is_host is False
    assert kernel.context == queue.context == kernel.get_info("context")


@pytest.mark.spec("D252")
def test_the_bundle_of_a_kernel(bundle):
    kernel = bundle.get_kernel("scale")
    assert kernel.kernel_bundle == bundle == kernel.get_info("module") == kernel.get_info(sycl.Kernel.kernel_bundle)
    alone = PROGRAM.scale.kernel_bundle
    assert alone.state is sycl.BundleState.executable and alone.has_kernel("fixed")
    assert kernel.program == PROGRAM


@pytest.mark.spec("D253", "D255")
def test_descriptors_by_name_and_for_a_device(device, bundle):
    kernel = bundle.get_kernel("scale")
    assert kernel.get_info("num_args") == kernel.get_info(sycl.Kernel.num_args) == kernel.num_args == 2
    size = kernel.get_info(sycl.Kernel.work_group_size, device)
    assert size == kernel.get_info("work_group_size", device) == kernel.work_group_size
    assert size == kernel.get_work_group_info("work_group_size", device)


@pytest.mark.spec("D254")
def test_descriptors_of_the_backend(bundle):
    kernel = bundle.get_kernel("scale")
    assert isinstance(kernel.get_backend_info(sycl.opencl.kernel_attributes), str)
    assert kernel.get_backend_info(sycl.opencl.kernel_reference_count) >= 1
    with pytest.raises(sycl.InvalidParameterError, match=r"^param is for Device objects, not for a Kernel$"):
        kernel.get_backend_info(sycl.opencl.device_version)


@pytest.mark.spec("D497")
def test_descriptors_of_every_kernel(device):
    """Function's name, arguments, context, module, references, attributes: each of the kernel that is asked, and no other's."""
    context, other = sycl.Context(device), sycl.Context(device)
    bundle, elsewhere = (sycl.get_kernel_bundle(each, PROGRAM) for each in (context, other))
    counts = {"scale": 2, "fixed": 1, "ours": 1, "hinted": 1, "needy": 1}
    words = {"fixed": "reqd_work_group_size(8,2,1)", "ours": "reqd_work_group_size(8,2,1)", "scale": "", "needy": ""}
    assert set(counts) == set(KERNELS)
    for name in KERNELS:
        kernel = bundle.get_kernel(name)
        assert kernel.get_info("function_name") == kernel.function_name == name
        assert kernel.get_info("num_args") == kernel.num_args == counts[name]
        assert kernel.get_info("context") == kernel.context == context != elsewhere.get_kernel(name).context
        assert kernel.get_info("module") == kernel.module == bundle != elsewhere
        attributes = kernel.get_info("attributes").replace(" ", "")
        assert kernel.attributes == kernel.get_info("attributes")
        assert words.get(name, "work_group_size_hint(16,1,1)") in attributes and bool(attributes) == bool(
            words.get(name, 1)
        )
        count = kernel.reference_count
        assert (
            kernel.get_info("reference_count") == count == kernel.get_backend_info(sycl.opencl.kernel_reference_count)
        )
        assert isinstance(count, int) and count > 0


@pytest.mark.spec("D256", "H109", "D453")
def test_what_the_text_tells_of_a_kernel(queue, bundle):
    kernel = bundle.get_kernel("fixed")
    assert kernel.function_name == kernel.get_info("function_name") == "fixed" == sycl.kernel_name(kernel)
    assert bundle.get_kernel(kernel.function_name) == kernel
    assert kernel.num_args == 1
    assert kernel.context == queue.context
    assert kernel.reference_count >= 1
    with pytest.raises(
        sycl.InvalidParameterError, match=r"^source defines kernel 'k' twice, in line 1 and in line 2; "
    ):
        sycl.Program("__kernel void k(void) {}\n__kernel void k(int a) {}")


@pytest.mark.spec("D257", "D498")
@pytest.mark.parametrize("name", KERNELS)
def test_every_descriptor_has_a_value_for_every_kernel(device, bundle, name):
    kernel = bundle.get_kernel(name)
    for descriptor in set(kernel.info_names()) - {"global_work_size"}:
        assert kernel.get_info(descriptor) is not None, descriptor
    assert set(kernel.info_names()) >= {
        *("function_name", "num_args", "attributes", "context", "kernel_bundle", "module", "reference_count"),
        *("work_group_size", "compile_work_group_size", "preferred_work_group_size_multiple", "private_mem_size"),
        *("global_work_size", "max_sub_group_size", "max_num_sub_groups"),
        *("compile_num_sub_groups", "compile_sub_group_size"),
    }


@pytest.mark.spec("D258")
def test_the_global_work_size_is_for_built_in_kernels(device, bundle):
    if device.device_type is sycl.DeviceType.custom:
        pytest.skip("custom devices have one")
    why = f"global_work_size: kernel 'scale' is no built-in kernel, and '{device.name}' no custom device"
    with pytest.raises(sycl.InvalidError, match=f"^{re.escape(why)}$"):
        bundle.get_kernel("scale").get_info("global_work_size", device)


@pytest.mark.spec("D259")
def test_the_largest_group_is_a_limit(device, queue, bundle):
    kernel = bundle.get_kernel("needy")
    size = min(kernel.work_group_size, 256)
    assert 1 <= kernel.work_group_size <= device.max_work_group_size
    x = np.arange(size, dtype=np.float32)
    queue.parallel_for(sycl.NdRange((size,), (size,)), kernel, x)
    assert x.tolist() == list(range(size))[::-1]
    more = 2 * kernel.work_group_size
    with pytest.raises(sycl.NdRangeError, match=r"^nd-range of kernel 'needy': "):
        queue.parallel_for(sycl.NdRange((more,), (more,)), kernel, np.zeros(more, np.float32))


@pytest.mark.spec("D260")
def test_the_required_size_is_in_sycl_order(bundle):
    assert bundle.get_kernel("fixed").compile_work_group_size == (1, 2, 8)
    assert bundle.get_kernel("scale").compile_work_group_size == (0, 0, 0)


@pytest.mark.spec("D261")
@pytest.mark.parametrize("name", KERNELS)
def test_the_preferred_multiple_fits_in_a_group(bundle, name):
    kernel = bundle.get_kernel(name)
    assert 1 <= kernel.preferred_work_group_size_multiple <= kernel.work_group_size


@pytest.mark.spec("D262")
def test_memory_of_a_kernel(bundle):
    private = bundle.get_kernel("needy").private_mem_size
    assert type(private) is int and 0 <= private < 1 << 20  # it has none that would be worth the name
    assert bundle.get_kernel("needy").local_mem_size >= 1024


@pytest.mark.spec("D263")
def test_sub_groups_of_a_kernel(device, queue, bundle):
    kernel = bundle.get_kernel("scale")
    assert 1 <= kernel.max_sub_group_size <= kernel.work_group_size
    assert 1 <= kernel.max_num_sub_groups <= kernel.work_group_size
    assert kernel.max_num_sub_groups * kernel.max_sub_group_size >= min(
        kernel.work_group_size, device.max_num_sub_groups
    )
    assert kernel.compile_num_sub_groups == 0
    assert kernel.compile_sub_group_size == 0


@pytest.mark.spec("D264")
def test_the_old_names_of_group_descriptors(device, bundle):
    kernel = bundle.get_kernel("fixed")
    limits = kernel.work_group_info(device)
    assert limits.work_group_size == kernel.get_work_group_info("work_group_size", device)
    assert limits.compile_work_group_size == kernel.get_work_group_info("compile_work_group_size", device)
    assert limits.private_mem_size == kernel.get_work_group_info("private_mem_size", device)
    for name in ("global_work_size", "preferred_work_group_size_multiple"):
        assert name in kernel.info_names()


# -- attributes --


@pytest.mark.spec("D470")
def test_attributes_are_readable_everywhere(bundle):
    assert bundle.get_kernel("scale").attributes == ""
    assert bundle.get_kernel("fixed").attributes == "reqd_work_group_size(8,2,1) vec_type_hint(float4)"
    assert bundle.get_kernel("hinted").attributes == "work_group_size_hint(16,1,1)"


@pytest.mark.spec("D464", "D465")
def test_a_required_size_is_required(queue, bundle):
    x = np.zeros(16, np.uint32)
    assert bundle.get_kernel("ours").compile_work_group_size == (1, 2, 8)
    queue.parallel_for(sycl.NdRange((2, 8), (2, 8)), bundle.get_kernel("fixed"), x)
    assert x.tolist() == [1] * 16
    for kernel in ("fixed", "ours"):
        for wrong in (sycl.NdRange((8, 2), (8, 2)), sycl.NdRange((16,), (16,))):
            with pytest.raises(sycl.NdRangeError, match=rf"^nd-range of kernel '{kernel}': global .* local .*: "):
                queue.parallel_for(wrong, bundle.get_kernel(kernel), x)


@pytest.mark.spec("D464")
@pytest.mark.parametrize(
    ("sizes", "group"), [((6,), (1, 1, 6)), ((2, 3), (1, 2, 3)), ((2, 1, 3), (2, 1, 3))], ids=["1d", "2d", "3d"]
)
def test_sizes_are_in_the_order_of_ranges(queue, sizes, group):
    words = ", ".join(map(str, sizes))
    text = f"__kernel sycl_reqd_work_group_size({words}) void k(__global uint *x) {{ atomic_inc(x); }}"
    kernel, x = sycl.Program(text).k, np.zeros(1, np.uint32)
    assert kernel.get_info("compile_work_group_size", queue.device) == group
    queue.parallel_for(sycl.NdRange(sizes, sizes), kernel, x).wait_and_throw()
    assert x[0] == 6


@pytest.mark.spec("D466", "D467")
def test_hints_change_no_result(queue, bundle):
    x = np.zeros(24, np.uint32)
    queue.parallel_for(sycl.NdRange((24,), (8,)), bundle.get_kernel("hinted"), x)
    assert x.tolist() == [3] * 24
    text = "__kernel sycl_vec_type_hint(float4) void k(__global uint *x) { x[get_global_id(0)] = 4; }"
    queue.parallel_for(24, sycl.Program(text).k, x)
    assert x.tolist() == [4] * 24


@pytest.mark.spec("D468")
def test_sub_groups_of_a_required_size(device, queue):
    words = ", ".join(map(str, device.sub_group_sizes))
    program = sycl.Program("__kernel sycl_reqd_sub_group_size(7) void k(__global uint *x) { x[0] = 1; }")
    for call in (
        lambda: queue.single_task(program.k, np.zeros(1, np.uint32)),
        lambda: sycl.build(sycl.KernelBundle(program, queue.context)),
    ):
        with pytest.raises(sycl.KernelNotSupportedError) as error:
            call()
        assert str(error.value) == (
            "kernel 'k' requires sub-groups of 7 work-items; those that can be required of device "
            f"'{device.name}': {words}"
        )
    text = "x[get_global_id(0)] = sub_group_max_local_range() | sub_group_size() << 8 | sub_group_group_range() << 16;"
    for size in device.sub_group_sizes:
        head = ("sycl_reqd_sub_group_size(SIZE)", "__attribute__((intel_reqd_sub_group_size(SIZE * 1)))")[size % 8 == 0]
        program = sycl.Program(f"__kernel {head} void k(__global uint *x) {{ {text} }}", [f"-DSIZE={size}"])
        x = np.zeros(128, np.uint32)
        queue.parallel_for(sycl.NdRange((128,), (64,)), program.k, x)
        assert set(x.tolist()) == {size | size << 8 | 64 // size << 16}
        assert program.k.get_info("compile_sub_group_size", device) == size
        assert program.k.get_info("max_sub_group_size", device) == min(
            size, program.k.get_info("work_group_size", device)
        )
        assert program.k.get_info("max_num_sub_groups", device) >= 64 // size


@pytest.mark.spec("D149", "D263", "H070", "H196", "H198")
def test_what_is_said_of_sub_groups_is_what_kernels_get(device, queue):
    program = sycl.Program(
        "__kernel void k(__global uint *x) { uint n = get_local_size(0), i = get_local_id(0);"
        "x[i] = sub_group_max_local_range(); x[n + i] = sub_group_size(); x[2 * n + i] = sub_group_group_range(); }"
    )
    most = program.k.get_info("work_group_size", device)
    for n in sorted({1, 31, min(64, most), most}):
        x = np.zeros((3, n), np.uint32)
        queue.parallel_for(sycl.NdRange((n,), (n,)), program.k, x)
        largest, size, groups = x
        assert len(set(largest.tolist())) == len(set(groups.tolist())) == 1
        assert set(size.tolist()) <= set(range(1, int(largest[0]) + 1))
        assert int(largest[0]) in device.sub_group_sizes
        assert size.max() <= program.k.get_info("max_sub_group_size", device)
        assert groups[0] <= program.k.get_info("max_num_sub_groups", device) <= device.max_num_sub_groups
    assert groups[0] == program.k.get_info("max_num_sub_groups", device) or device._facts["sub_groups"] == 1
    assert largest[0] == {1: largest[0], 2: 32, 3: min(32, device.max_work_group_size)}[device._facts["sub_groups"]]
    assert program.k.get_info("compile_num_sub_groups", device) == 0
    assert program.k.get_info("compile_sub_group_size", device) == 0


@pytest.mark.spec("D468")
def test_required_sizes_of_two_kernels(device, queue):
    text = (
        "__kernel sycl_reqd_sub_group_size({0}) void a(__global uint *x) {{ x[0] = sub_group_max_local_range(); }}"
        "__kernel sycl_reqd_sub_group_size({1}) void b(__global uint *x) {{ x[0] = sub_group_max_local_range(); }}"
        "__kernel void c(__global uint *x) {{ x[0] = sub_group_max_local_range(); }}"
    )
    one, two = (device.sub_group_sizes * 2)[-2:]
    x = np.zeros(1, np.uint32)
    same = sycl.Program(text.format(one, one))
    queue.single_task(same.a, x)
    assert x == one
    queue.single_task(same.c, x)
    assert x <= same.c.get_info("max_sub_group_size", device)
    different = sycl.Program(text.format(one, two))
    if device._facts["sub_groups"] == 3:
        with pytest.raises(sycl.KernelNotSupportedError) as error:
            queue.single_task(different.a, x)
        assert str(error.value) == (
            f"kernel 'a' requires sub-groups of {one} work-items and kernel 'b' of {two}: device '{device.name}' has "
            "none of its own, and those that stand in for them are of one size in a program; make it two programs"
        )
        return
    for kernel, size in ((different.a, one), (different.b, two)):
        queue.single_task(kernel, x)
        assert x == size
