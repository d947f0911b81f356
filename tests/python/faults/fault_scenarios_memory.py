"""Scenarios for fault_scenarios.py that use memory objects: buffers and their parts, copies, fills, unified shared
memory, images, samplers, host accesses, host tasks, write-back and native handles.

Whatever fails in them, the buffers that were there before must still be readable, with contents that they had at some
time, and so must the arrays be.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

import pysycl as sycl

if TYPE_CHECKING:
    from fault_scenarios import World

SOURCE_OF_IMAGES = """
kernel void paint(write_only image2d_t out, read_only image2d_t in, sampler_t s)
{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(out, at, read_imagef(in, s, at)); }
"""
COUNT_UP = np.arange(1 << 19, dtype=np.uint32)


class WrongResult(AssertionError):
    """Data is not as it should be: no wonder after an error that was told, and a bug after none."""


def expect(actual: np.ndarray, *allowed: object) -> None:
    if not any(np.array_equal(actual, each) for each in allowed):
        raise WrongResult(
            f"{actual[:64].tolist()}, not {' or '.join(str(np.asarray(each)[:64].tolist()) for each in allowed)}"
        )


@contextmanager
def survives(buffer: sycl.Buffer, *contents: np.ndarray) -> Iterator[None]:
    """If the block fails, the buffer can still be read, and each element is one of those of the contents."""
    try:
        yield
    except (sycl.SyclError, sycl.AsyncErrorGroup):
        found = np.array(buffer)
        if not np.logical_or.reduce([found == each for each in contents]).all():
            raise AssertionError(f"the buffer holds {found.tolist()} after the failure") from None
        raise


def in_the_end(*queues: sycl.Queue) -> None:
    for queue in queues:
        queue.wait_and_throw()


def buffers(world: World) -> None:
    """Two contexts, a sub-buffer at an odd place, a strided array, a host access, and write-back."""
    context, program = world.make()
    queue, other = sycl.Queue(world.device, context=context), sycl.Queue(world.device, context=world.make()[0])
    u, wide = world.u, world.wide
    u[:], wide[:] = np.arange(16), 1
    first, final = u.copy(), 32 * np.arange(16, dtype=np.uint32) + 2
    final[0] += 10
    final[3:8] += 1
    b, c, d = sycl.Buffer(u), sycl.Buffer((16,), np.uint32), sycl.Buffer(wide[::2])
    less = [32 * first + bumps for bumps in (1, 2, 11, 12)]  # what comes of commands that did not run
    with survives(b, first, final, *less):
        queue.submit(lambda h: h.parallel_for(16, program.mirror, h.write(c, no_init=True), h.read(b), 16))
        other.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(c), 16))
        part = c.sub_buffer(3, 5)
        queue.submit(lambda h: h.parallel_for(5, program.bump, h.read_write(part), 5))
        with c.host_access("read_write") as view:
            view[0] += 10
        del view
        other.submit(lambda h: h.parallel_for(16, program.churn, h.read_write(b), h.read_write(c), 1, 16))
        queue.submit(lambda h: h.parallel_for(16, program.add, h.read_write(d), h.read(d), 1.0, 16))
        queue.submit(lambda h: h.update_host(h.read(d)))
        in_the_end(queue, other)
        expect(np.array(b), final)
    for each in (b, part, c, d):
        each.close()
    in_the_end(queue, other)
    expect(u, final)
    expect(wide, [2, 1] * 16)


def write_backs(world: World) -> None:
    """The last handle's end brings the data back, whatever the array looks like, or to somewhere else."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    u, v, wide = world.u, world.v, world.wide
    u[:], v[:], wide[:] = 1, 2, 0
    with sycl.Buffer(u) as b:
        b.set_final_data(v)
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(b), 16))
    with sycl.Buffer(wide[::2].view(np.uint32)) as c:
        queue.submit(lambda h: h.fill(h.write(c), np.uint32(0x3F800000)))
    in_the_end(queue)
    expect(v, [2] * 16)
    expect(wide, [1, 0] * 16)


def copies(world: World) -> None:
    """Every direction of explicit copies, boxes, and fills with patterns that no driver knows."""
    context, _ = world.make()
    queue, other = sycl.Queue(world.device, context=context), sycl.Queue(world.device, context=world.make()[0])
    u, wide = world.u, world.wide
    u[:], wide[:] = np.arange(16), np.arange(32)
    a, b = sycl.Buffer((4, 4), np.uint32), sycl.Buffer((4, 4), np.uint32)
    first = np.zeros((4, 4), np.uint32)
    queue.submit(lambda h: h.fill(h.write(a), np.uint32(0)))
    in_the_end(queue)
    final = np.array([[0, 1, 2, 3], [4, 7, 7, 7], [8, 7, 7, 7], [12, 13, 14, 15]], np.uint32)
    with survives(a, first, np.arange(16).reshape(4, 4), final):
        queue.submit(lambda h: h.copy(u.reshape(4, 4), h.write(a)))
        queue.submit(lambda h: h.fill(h.write(b, no_init=True), np.uint32(7)))
        queue.submit(lambda h: h.copy(h.read(b, range=(2, 3), offset=(1, 0)), h.write(a, range=(2, 3), offset=(1, 1))))
        out = np.zeros((4, 4), np.uint32)
        other.submit(lambda h: h.copy(h.read(a), out))
        in_the_end(queue, other)
        expect(out, final)
        expect(np.array(a), final)
    column = np.zeros((4, 8), np.uint32)
    queue.submit(lambda h: h.copy(h.read(a, range=(4, 2), offset=(0, 2)), column[:, ::4]))
    queue.submit(lambda h: h.copy(column[:2, ::4], h.write(b, range=(2, 2), offset=(0, 1))))
    in_the_end(queue)
    expect(column[:, ::4], final[:, 2:])
    triple = np.dtype([("x", "u4"), ("y", "u4"), ("z", "u4")])
    c = sycl.Buffer((5,), triple)
    queue.submit(lambda h: h.fill(h.write(c), np.array((1, 2, 3), triple)[()]))
    in_the_end(queue)
    expect(np.array(c).view(np.uint32), [1, 2, 3] * 5)
    for each in (a, b, c):
        each.close()
    in_the_end(queue, other)


def parts(world: World) -> None:
    """A sub-buffer at a place that the device can take as it is."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    data = np.zeros(2048, np.uint32)
    with sycl.Buffer(data) as b, b.sub_buffer(1024, 16) as part:
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(part), 16))
        in_the_end(queue)
    in_the_end(queue)
    expect(data[1024:1040], [1] * 16)
    expect(data[:1024], [0] * 1024)


def host_tasks(world: World) -> None:
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    world.u[:] = 1
    with sycl.Buffer(world.u) as b:
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(b), 16))

        def group(h: sycl.Handler) -> None:
            accessor = sycl.Accessor(b, h, "read_write", target="host_task")

            def task() -> None:
                np.asarray(accessor)[:] *= 10

            h.host_task(task)

        queue.submit(group)
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(b), 16))
        in_the_end(queue)
    in_the_end(queue)
    expect(world.u, [21] * 16)


def looked_at(queue: sycl.Queue, program: sycl.Program, memory: sycl.UsmArray) -> None:
    """The host writes it and sees what a kernel makes of that."""
    view = np.asarray(memory)
    try:
        view[:] = 5
        queue.parallel_for(16, program.bump, memory, 16)
        in_the_end(queue)
        expect(view, [6] * 16)
    finally:
        del view


def usm(world: World) -> None:
    """The kinds that the device has, kernels, copies, fills and hints; host views; and memory freed in flight."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    kinds = [kind for kind in ("device", "host", "shared") if world.device.has(f"usm_{kind}_allocations")]
    world.u[:], world.v[:] = np.arange(16), 0
    made = []
    try:
        for kind in kinds:
            made.append(getattr(sycl, f"malloc_{kind}")(16, np.uint32, queue))
        for each in made:
            event = queue.memcpy(each, world.u, 64)
            event = queue.parallel_for(16, program.bump, each, 16, depends_on=event)
            event = queue.prefetch(each, 64, depends_on=event)
            event = queue.mem_advise(each, 64, 0, depends_on=event)
            event = queue.memcpy(world.v, each, depends_on=event)
            in_the_end(queue)
            expect(world.v, world.u + 1)
            event = queue.memset(each, 1, 32)
            event = queue.fill(each[8:], np.uint32(9), 8, depends_on=event)
            queue.copy(each, world.v, 16, depends_on=event)
            in_the_end(queue)
            expect(world.v, [0x01010101] * 8 + [9] * 8)
        for each, kind in zip(made, kinds, strict=True):
            if kind != "device":
                looked_at(queue, program, each)
        for each in made:
            queue.parallel_for(16, program.bump, each, 16)
    finally:
        while made:
            sycl.free(made.pop(), context)
    in_the_end(queue)


class ImageFormat(ctypes.Structure):
    _fields_ = (("order", ctypes.c_uint32), ("type", ctypes.c_uint32))


class ImageDescription(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_uint32), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t),
        ("array", ctypes.c_size_t), ("row", ctypes.c_size_t), ("slice", ctypes.c_size_t), ("levels", ctypes.c_uint32),
        ("samples", ctypes.c_uint32), ("memory", ctypes.c_void_p),
    )  # fmt: skip


@contextmanager
def foreign(world: World, release: str, create: str, *args: object) -> Iterator[int]:
    """A native object that another library made, and lets go of in the end."""
    code = ctypes.c_int()
    native = world.call(create, *args, ctypes.byref(code))
    try:
        yield native
    finally:
        getattr(world.library, release)(ctypes.c_void_p(native))


def natives(world: World) -> None:
    """Memory objects and samplers that others made."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    handle, flags = ctypes.c_void_p(context.int_ptr), ctypes.c_ulong(1)
    with foreign(world, "clReleaseMemObject", "clCreateBuffer", handle, flags, ctypes.c_size_t(64), None) as native:
        b = sycl.Buffer.from_int_ptr(native, context, np.uint32)
        queue.submit(lambda h: h.fill(h.write(b), np.uint32(4)))
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(b), 16))
        in_the_end(queue)
        expect(np.array(b), [5] * 16)
        b.close()
        in_the_end(queue)
    rgba, unorm8, image2d, nearest, clamp = 0x10B5, 0x10D2, 0x10F1, 0x1140, 0x1132
    layout = ctypes.byref(ImageFormat(rgba, unorm8)), ctypes.byref(ImageDescription(image2d, 4, 4, 1, 1)), None
    with foreign(world, "clReleaseMemObject", "clCreateImage", handle, flags, *layout) as native:
        image = sycl.UnsampledImage.from_int_ptr(native, context)
        assert tuple(image.range) == (4, 4)
        image.close()
    with foreign(world, "clReleaseSampler", "clCreateSampler", handle, 0, clamp, nearest) as native:
        sampler = sycl.Sampler.from_int_ptr(native, context)
        assert sampler == sycl.Sampler("unnormalized", "clamp", "nearest")
        assert sycl.Sampler("unnormalized", "clamp", "nearest").int_ptr_in(context)


def large(world: World) -> None:
    """Transfers that go through pinned memory, in parts."""
    context, program = world.make()
    queue = sycl.Queue(world.device, context=context)
    data = COUNT_UP.copy()
    with sycl.Buffer(data) as b:
        queue.submit(lambda h: h.parallel_for(16, program.bump, h.read_write(b), 16))
        in_the_end(queue)
    in_the_end(queue)
    expect(data[:16], np.arange(1, 17))
    expect(data[16:], COUNT_UP[16:])


def images(world: World) -> None:
    """An image painted from another one through a sampler, in two contexts; host access, and write-back."""
    context, _ = world.make()
    program = sycl.Program(SOURCE_OF_IMAGES)
    queue, other = sycl.Queue(world.device, context=context), sycl.Queue(world.device)
    u = world.u.view(np.uint8).reshape(4, 4, 4)
    u[:] = 0
    pixels = np.arange(64, dtype=np.uint8).reshape(4, 4, 4)
    sampler = sycl.Sampler("unnormalized", "clamp", "nearest")
    source, target = (
        sycl.UnsampledImage(pixels, "r8g8b8a8_unorm", (4, 4)),
        sycl.UnsampledImage(u, "r8g8b8a8_unorm", (4, 4)),
    )
    queue.submit(lambda h: h.parallel_for((4, 4), program.paint, h.write(target), h.read(source), sampler))
    with target.host_access("write") as view:
        view.pixels[0, 0] = 7
    del view
    other.submit(lambda h: h.update_host(h.read(target)))
    in_the_end(queue, other)
    source.close()
    target.close()
    in_the_end(queue, other)
    pixels[0, 0] = 7
    expect(u, pixels)


Scenario = Callable[["World"], None]
SCENARIOS: tuple[Scenario, ...] = (buffers, write_backs, copies, parts, host_tasks, usm, images, natives, large)
ALLOCATIONS = {
    "CreateBuffer",
    "CreateSubBuffer",
    "CreateImage",
    "HostMemAllocINTEL",
    "DeviceMemAllocINTEL",
    "SharedMemAllocINTEL",
}
POINTERS = {"SVMAlloc": -4}  # it returns NULL, without a code: what the error says instead
TRANSFERS = ("CreateBuffer", "EnqueueMapBuffer", "EnqueueUnmapMemObject", "EnqueueReadBuffer", "EnqueueWriteBuffer")
ONLY = {"large": {*TRANSFERS, "WaitForEvents"}}  # the entries that a slow scenario is about: 3 calls of each
MAY_BE_ABSORBED = {
    ("usm", "GetDeviceInfo"): "no answer is no support",
    ("large", "CreateBuffer"): "where no pinned memory can be had a transfer goes without",
    ("large", "EnqueueMapBuffer"): "the same",
    ("usm", "CreateCommandQueue"): "NumPy asks twice for a view, in two ways, and gets it the second time",
    ("usm", "EnqueueSVMMap"): "the same",
    ("cached", "BuildProgram"): "what does not build from its binary is built from its text",
    ("cached", "CreateProgramWithBinary"): "the same",
    ("cached", "GetDeviceInfo"): "a device that does not say what it is has no entries",
    ("cached", "GetProgramBuildInfo"): "a program without its log is not kept",
    ("cached", "GetProgramInfo"): "nor one without binaries",
    ("cached", "ReleaseProgram"): "of a reference that nobody else knows of",
    ("cached", "RetainProgram"): "a program that cannot be held until it can be asked is not kept",
}
CANNOT_FAIL = {"SVMFree": "it returns nothing"}
