"""The scenario of kernel bundles for fault_scenarios.py: in every state, of every origin, and asked everything."""

from typing import Any

import numpy as np

import pysycl as sycl

CALLER = "kernel void bump(global uint *y, uint n) { size_t i = get_global_id(0); if (i < n) y[i] += helper(); }\n"
CALLED = "uint helper(void) { return 1; }\nkernel void mirror(global uint *y, global const uint *x, uint n) { y[0] = x[0]; }\n"
SPIRV = b"\x03\x02\x23\x07" + CALLER.encode()
GAIN = sycl.SpecConstant(np.float32, 1, "gain")


def launch(queue: sycl.Queue, kernel: sycl.Kernel, cells: Any) -> None:
    cells[:] = 1
    queue.parallel_for(cells.size, kernel, cells, cells.size).wait_and_throw()
    assert (cells == 2).all(), cells


def bundles(world: Any) -> None:
    context = sycl.Context(world.device)
    queue = sycl.Queue(world.device, context=context)
    objects = [sycl.compile(sycl.KernelBundle(text, context)) for text in (CALLER, CALLED)]
    linked = sycl.link(objects)
    launch(queue, linked.get_kernel("bump"), world.u)

    stored = sycl.opencl.create_bundle_with_binary(context, linked.binary())
    launch(queue, sycl.build(stored).get_kernel("bump"), world.u)
    asked = sycl.opencl.create_bundle_with_binary(context, linked.images[0].native_binary)
    launch(queue, sycl.build(asked).get_kernel("bump"), world.u)
    part = sycl.opencl.create_bundle_with_binary(context, objects[1].binary())
    launch(queue, sycl.link([objects[0], sycl.compile(part)]).get_kernel("bump"), world.u)
    launch(queue, sycl.build(sycl.opencl.create_bundle_with_il(context, SPIRV)).get_kernel("bump"), world.u)
    own = sycl.build(sycl.opencl.create_bundle_with_builtin_kernels(context, ["bump", "mirror"]))
    launch(queue, own.get_kernel("bump"), world.u)

    kernel = own.get_kernel("bump")
    assert kernel.reference_count == 1 and kernel.attributes == ""
    for what, answer in (
        ("MAX_SUB_GROUP_SIZE_FOR_NDRANGE", 8),
        ("MAX_NUM_SUB_GROUPS", 32),
        ("COMPILE_NUM_SUB_GROUPS", 0),
    ):
        number = sycl._core.cl_constants()[f"CL_KERNEL_{what}"]
        assert sycl._core.kernel_sub_groups(kernel, context, world.device, number, (1, 1, 64)) == answer
    assert kernel.global_work_size == (1, 2, 3)
    again = sycl.opencl.make_kernel_bundle(own.get_native()[0], context)
    assert again.kernel_names == ["bump", "mirror"]

    special = sycl.Program(CALLER.replace("helper()", "SPEC(gain)"), spec_constants=[GAIN])
    for value in (2, 1):
        with queue.submit() as h:
            h.set_specialization_constant(GAIN, value)
            h.parallel_for(world.u.size, special.bump, world.u, world.u.size)
        h.event.wait_and_throw()
