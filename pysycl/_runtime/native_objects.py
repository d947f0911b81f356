"""Objects made of OpenCL's handles, which are integers. SYCL 2020, 4.5.1.3."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pysycl import _core
from pysycl._images.image import UnsampledImage
from pysycl._images.sampler import Sampler
from pysycl._kernels.device_image import BundleState
from pysycl._kernels.kernel import Kernel
from pysycl.buffer import Buffer
from pysycl.context import Context
from pysycl.device import Device
from pysycl.enums import as_enum
from pysycl.errors import InvalidObjectError, InvalidParameterError
from pysycl.event import Event
from pysycl.kernel_bundle import KernelBundle, make_bundle
from pysycl.platform import Platform
from pysycl.program import Program
from pysycl.queue import Queue

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from pysycl._runtime.delivery import AsyncHandler


@_core.entry
def make_platform(handle: int) -> Platform:
    """The platform of a cl_platform_id.

    Parameters
    ----------
    handle
        The cl_platform_id.

    Returns
    -------
    Platform

    Raises
    ------
    SyclError
        The handle is no platform of a driver that pysycl has loaded.

    Examples
    --------
    >>> sycl.make_platform(queue.platform.int_ptr) == queue.platform
    True
    """
    return Platform.from_int_ptr(handle)


@_core.entry
def make_device(handle: int) -> Device:
    """The device of a cl_device_id.

    Parameters
    ----------
    handle
        The cl_device_id.

    Returns
    -------
    Device

    Raises
    ------
    SyclError
        The handle is no device of a driver that pysycl has loaded.

    Examples
    --------
    >>> sycl.make_device(queue.device.int_ptr) == queue.device
    True
    """
    return Device.from_int_ptr(handle)


@_core.entry
def make_context(handle: int, async_handler: Callable[..., object] | None = None) -> Context:
    """A context around a cl_context.

    Parameters
    ----------
    handle
        The cl_context, which is retained.
    async_handler
        Called with the asynchronous errors of queues in this context that have no handler of their own.

    Returns
    -------
    Context

    Raises
    ------
    SyclError
        The handle is no context of a driver that pysycl has loaded.

    Examples
    --------
    >>> sycl.make_context(queue.context.int_ptr).devices == queue.context.devices
    True
    """
    return Context.from_int_ptr(handle, async_handler)


@_core.entry
def make_queue(handle: int, context: Context, async_handler: AsyncHandler | None = None) -> Queue:
    """A queue around a cl_command_queue of the context.

    Parameters
    ----------
    handle
        The cl_command_queue, which is retained.
    context
        The context that it belongs to.
    async_handler
        Called with the queue's asynchronous errors.

    Returns
    -------
    Queue

    Raises
    ------
    SyclError
        The handle is no queue of the context.

    Examples
    --------
    >>> same = sycl.make_queue(queue.int_ptr, queue.context)
    >>> same.device == queue.device
    True
    """
    return Queue.from_int_ptr(handle, context, async_handler)


@_core.entry
def make_event(handles: int | Iterable[int], context: Context) -> Event:
    """An event around one cl_event of the context: an event here stands for one command.

    Parameters
    ----------
    handles
        The cl_event, which is retained; or a list of one.
    context
        The context that it belongs to.

    Returns
    -------
    Event

    Raises
    ------
    InvalidParameterError
        Several handles, or none.
    SyclError
        The handle is no event of the context.

    Examples
    --------
    >>> event = queue.single_task("int x = 1;")
    >>> sycl.make_event(event.int_ptr, queue.context).wait()
    """
    if isinstance(handles, int):
        return Event.from_int_ptr(handles, context)
    several = list(handles)
    if len(several) != 1:
        raise InvalidParameterError(f"handles: expected one cl_event, got {len(several)}; make an event of each")
    return Event.from_int_ptr(several[0], context)


@_core.entry
def make_buffer(handle: int, context: Context, available: Event | None = None, dtype: DTypeLike = "u1") -> Buffer:
    """A one-dimensional buffer around a cl_mem of the context.

    Parameters
    ----------
    handle
        The cl_mem, which is retained.
    context
        The context that it belongs to.
    available
        What has to end before the contents are there.
    dtype
        The element type; the default is bytes.

    Returns
    -------
    Buffer

    Raises
    ------
    SyclError
        The handle is no memory of the context.

    Examples
    --------
    >>> b = sycl.Buffer(4, np.int32)
    >>> queue.fill(b, 7).wait()
    >>> (memory,) = sycl.get_native("opencl", b)
    >>> np.asarray(sycl.make_buffer(memory, queue.context, dtype=np.int32))
    array([7, 7, 7, 7], dtype=int32)
    """
    return Buffer.from_int_ptr(handle, context, dtype, available=available)


@_core.entry
def make_image(handle: int, context: Context, available: Event | None = None) -> UnsampledImage:
    """An image around the cl_mem of an image of the context.

    Parameters
    ----------
    handle
        The cl_mem, which is retained.
    context
        The context that it belongs to.
    available
        What is waited for first.

    Returns
    -------
    UnsampledImage

    Raises
    ------
    SyclError
        The handle is no image of the context.

    Examples
    --------
    >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
    >>> read = sycl.Program("__kernel void f(read_only image2d_t x) {}").f
    >>> with queue.submit() as h:
    ...     h.parallel_for(1, read, h.read(image))
    >>> (memory,) = sycl.get_native("opencl", image)
    >>> sycl.make_image(memory, queue.context, h.event).range
    Range(3, 2)
    """
    if available is not None:
        available.wait()
    return UnsampledImage.from_int_ptr(handle, context)


@_core.entry
def make_program(handle: int, context: Context) -> Program:
    """A program around a built cl_program of the context.

    Parameters
    ----------
    handle
        The cl_program, which is retained.
    context
        The context that it belongs to.

    Returns
    -------
    Program

    Raises
    ------
    InvalidObjectError
        It belongs to another context.
    SyclError
        The handle is no program, or one that is not built.

    Examples
    --------
    >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
    >>> sycl.make_program(program.native(queue.context), queue.context).kernel_names
    ('f',)
    """
    program = Program.from_int_ptr(handle)
    if not program.is_built_for(context):
        raise InvalidObjectError(f"the cl_program {handle:#x} belongs to another context")
    return program


@_core.entry
def make_kernel_bundle(
    handle: int, context: Context, state: BundleState | str = BundleState.executable
) -> KernelBundle:
    """A kernel bundle around a cl_program of the context that is built (state executable) or compiled (object).

    Parameters
    ----------
    handle
        The cl_program, which is retained.
    context
        The context that it belongs to.
    state
        "executable" or "object", as it is.

    Returns
    -------
    KernelBundle

    Raises
    ------
    InvalidObjectError
        It belongs to another context, or is in another state.
    SyclError
        The handle is no program, or one that is not built.

    Examples
    --------
    >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
    >>> sycl.make_kernel_bundle(program.native(queue.context), queue.context).kernel_names
    ['f']
    """
    wanted = as_enum(BundleState, state, "state")
    program = make_program(handle, context)
    found = BundleState.object if _core.program_origin(program)[1] else BundleState.executable
    if found is not wanted:
        raise InvalidObjectError(f"the cl_program {handle:#x} is in the state {found.value}, not {wanted.value}")
    return make_bundle(wanted, context, context.devices, [program])


@_core.entry
def make_kernel(handle: int, context: Context) -> Kernel:
    """The kernel of a cl_kernel of the context, by name; arguments set on the cl_kernel play no part.

    Parameters
    ----------
    handle
        The cl_kernel.
    context
        The context that it belongs to.

    Returns
    -------
    Kernel

    Raises
    ------
    InvalidObjectError
        It belongs to another context.
    SyclError
        The handle is no kernel of a driver that pysycl has loaded.

    Examples
    --------
    >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
    >>> sycl.make_kernel(kernel.int_ptr, kernel.context).name
    'f'
    """
    kernel = Kernel.from_int_ptr(handle)
    if not kernel.program.is_built_for(context):
        raise InvalidObjectError(f"the cl_kernel {handle:#x} belongs to another context")
    return kernel


@_core.entry
def make_sampler(handle: int, context: Context) -> Sampler:
    """A sampler around a cl_sampler of the context.

    Parameters
    ----------
    handle
        The cl_sampler, which is retained.
    context
        The context that it belongs to.

    Returns
    -------
    Sampler

    Raises
    ------
    SyclError
        The handle is no sampler of the context.

    Examples
    --------
    >>> sampler = sycl.Sampler("unnormalized", "clamp", "nearest")
    >>> sycl.make_sampler(sampler.int_ptr_in(queue.context), queue.context)
    Sampler('unnormalized', 'clamp', 'nearest')
    """
    return Sampler.from_int_ptr(handle, context)
