"""Interoperation with OpenCL: native handles as integers, objects made of them, and OpenCL's own descriptors.

Making an object retains the native one, dropping it releases that; both live on independently. Handles are only those
of drivers that pysycl itself has loaded: PyOpenCL's are, when both have opened the same driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, overload

from pysycl import _core
from pysycl._data.memory_object import MemoryObject
from pysycl._devices.device_info import Kind
from pysycl._images.image import UnsampledImage
from pysycl._images.sampler import Sampler
from pysycl._kernels.bundle_file import load
from pysycl._runtime.delivery import AsyncHandler
from pysycl._runtime.info import BackendInfo
from pysycl.buffer import Buffer
from pysycl.context import Context
from pysycl.device import Device
from pysycl.enums import Backend, OpenclAspect, as_enum
from pysycl.errors import (
    BackendMismatchError,
    FeatureNotSupportedError,
    InvalidObjectError,
    InvalidParameterError,
    SyclError,
)
from pysycl.event import Event
from pysycl.kernel_bundle import BundleState, KernelBundle, make_bundle
from pysycl.platform import Platform
from pysycl.program import Kernel, Program
from pysycl.queue import Queue

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

CL: Final = _core.cl_constants()
Aspect: Final = OpenclAspect
"""SYCL's opencl::aspect: for device.has()."""

# SYCL 2020, D.4.6: what OpenCL's scalar types are to NumPy. A cl_bool is as wide as a cl_uint.
_SCALARS: Final = {
    "cl_bool": "uint32", "cl_char": "int8", "cl_uchar": "uint8", "cl_short": "int16", "cl_ushort": "uint16",
    "cl_int": "int32", "cl_uint": "uint32", "cl_long": "int64", "cl_ulong": "uint64", "cl_half": "float16",
    "cl_float": "float32", "cl_double": "float64",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """cl_int, cl_float and so on: NumPy's types, without importing NumPy before they are asked for."""
    if name not in _SCALARS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import numpy as np

    return getattr(np, _SCALARS[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *_SCALARS})


def is_backend_active(backend: Backend | str) -> bool:
    """True for the backend that pysycl is built on: OpenCL. SYCL 2020, 4.1.

    Parameters
    ----------
    backend
        A Backend or its name.

    Returns
    -------
    bool

    Raises
    ------
    InvalidParameterError
        A name that no backend has.

    Examples
    --------
    >>> sycl.is_backend_active("opencl")
    True
    """
    return as_enum(Backend, backend, "backend") is Backend.opencl


@overload
def get_native(backend: Backend | str, obj: MemoryObject | KernelBundle) -> list[int]: ...
@overload
def get_native(backend: Backend | str, obj: Any) -> int: ...
def get_native(backend: Backend | str, obj: Any) -> int | list[int]:
    """The native OpenCL handle of an object. SYCL 2020, 4.5.1.2.

    Parameters
    ----------
    backend
        "opencl".
    obj
        A platform, device, context, queue, event, program, kernel or sampler; a buffer or an image; a kernel bundle.

    Returns
    -------
    int, list[int]
        Valid as long as the object. Of a buffer or an image a list: the cl_mems of the contexts where commands have used it
        so far. Of a kernel bundle the list of its cl_programs.

    Raises
    ------
    BackendMismatchError
        Another backend.
    InvalidParameterError
        The object has no handle.

    Examples
    --------
    >>> sycl.get_native("opencl", queue.context) == queue.context.int_ptr
    True
    """
    if as_enum(Backend, backend, "backend") is not Backend.opencl:
        raise BackendMismatchError(f"{obj!r} is an object of the backend opencl")
    if isinstance(obj, MemoryObject):
        return obj._natives()
    if isinstance(obj, KernelBundle):
        return obj.get_native()
    handle = getattr(obj, "int_ptr", None)
    if not isinstance(handle, int):
        raise InvalidParameterError(f"a {type(obj).__name__} has no native handle")
    return handle


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


def _context(context: object) -> Context:
    if not isinstance(context, Context):
        raise InvalidParameterError(f"context: expected a Context, got {context!r}")
    return context


def _filled(what: str, data: object, kinds: tuple[type, ...]) -> Any:
    if not isinstance(data, kinds):
        raise InvalidParameterError(f"{what}: expected {kinds[0].__name__}, got {type(data).__name__}")
    if not data:
        raise InvalidParameterError(f"{what}: expected something, got nothing")
    return data


@_core.entry
def create_bundle_with_source(context: Context, source: str, **kwargs: Any) -> KernelBundle:
    """A kernel bundle in the state input, of OpenCL C; keyword arguments as of KernelBundle."""
    return KernelBundle(_filled("source", source, (str,)), _context(context), **kwargs)


@_core.entry
def create_bundle_with_binary(context: Context, binary: bytes, declarations: str | None = None) -> KernelBundle:
    """A kernel bundle in the state input, of what `KernelBundle.binary` gave or a driver stores itself.

    `declarations`: OpenCL C in which the kernels of a driver's binary are declared. Without them the driver is asked
    which arguments they take, and not every driver knows. InvalidObjectError: the driver cannot use the binary.
    """
    given = bytes(_filled("binary", binary, (bytes, bytearray, memoryview)))
    programs = load(given, _context(context), declarations)
    return make_bundle(BundleState.input, context, context.devices, programs)


@_core.entry
def create_bundle_with_il(context: Context, il: bytes, declarations: str | None = None) -> KernelBundle:
    """A kernel bundle in the state input, of SPIR-V; declarations as of create_bundle_with_binary.

    FeatureNotSupportedError: a device of the context takes no SPIR-V.
    """
    given = bytes(_filled("il", il, (bytes, bytearray, memoryview)))
    for device in _context(context).devices:
        if not device._query(CL["CL_DEVICE_IL_VERSION"], "string", ""):
            raise FeatureNotSupportedError(f"device '{device.name}' takes no SPIR-V")
    program = _core.program_from_bytes(context, given, declarations, True)
    return make_bundle(BundleState.input, context, context.devices, [program])


@_core.entry
def create_bundle_with_builtin_kernels(
    context: Context, names: Iterable[str], declarations: str | None = None
) -> KernelBundle:
    """A kernel bundle in the state input, of kernels that all devices of the context have built in.

    InvalidObjectError: a device has no such kernel.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    _filled("names", wanted, (list,))
    for device in _context(context).devices:
        for name in wanted:
            if name not in device.built_in_kernels:
                known = ", ".join(device.built_in_kernels) or "none"
                raise InvalidObjectError(f"device '{device.name}' has no built-in kernel {name!r}: it has {known}")
    program = _core.program_built_in(context, ";".join(wanted), declarations)
    return make_bundle(BundleState.input, context, context.devices, [program])


create_module_with_source = create_bundle_with_source
create_module_with_binary = create_bundle_with_binary
create_module_with_il = create_bundle_with_il
create_module_with_builtin_kernels = create_bundle_with_builtin_kernels


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


def get_error_code(error: SyclError) -> int:
    """OpenCL's code behind an error; 0, CL_SUCCESS, when there is none."""
    return error.cl_code


def get_reference_count(obj: Any) -> int:
    """OpenCL's reference count of an object's native handle. SYCL 2020, C.6."""
    count = getattr(obj, "_reference_count", None)
    if not isinstance(count, int):
        raise InvalidParameterError(f"OpenCL counts no references to a {type(obj).__name__}")
    return count


def _platform_text(name: str) -> Callable[[Platform], str]:
    return lambda platform: platform._query(CL[f"CL_PLATFORM_{name}"])


def _device_value(name: str, kind: Kind, default: Any) -> Callable[[Device], Any]:
    return lambda device: device._query(CL[f"CL_DEVICE_{name}"], kind, default)


def _info(owner: type, read: Callable[[Any], Any], doc: str) -> BackendInfo[Any]:
    return BackendInfo(Backend.opencl, owner, read, doc)


platform_version = _info(Platform, _platform_text("VERSION"), "CL_PLATFORM_VERSION")
device_version = _info(Device, _device_value("VERSION", "string", ""), "CL_DEVICE_VERSION")
device_opencl_c_version = _info(Device, _device_value("OPENCL_C_VERSION", "string", ""), "CL_DEVICE_OPENCL_C_VERSION")
device_svm_capabilities = _info(Device, _device_value("SVM_CAPABILITIES", "ulong", 0), "CL_DEVICE_SVM_CAPABILITIES")
kernel_reference_count = _info(Kernel, lambda kernel: kernel.reference_count, "CL_KERNEL_REFERENCE_COUNT")
kernel_attributes = _info(
    Kernel,
    lambda kernel: _core.kernel_query(kernel, kernel.context, CL["CL_KERNEL_ATTRIBUTES"], True),
    "CL_KERNEL_ATTRIBUTES, as the driver has them",
)
context_reference_count = _info(Context, lambda context: context._reference_count, "CL_CONTEXT_REFERENCE_COUNT")
