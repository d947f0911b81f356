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
from pysycl._kernels.bundle_file import load
from pysycl._kernels.device_image import BundleState
from pysycl._kernels.kernel import Kernel
from pysycl._runtime.info import BackendInfo
from pysycl._runtime.native_objects import make_buffer as make_buffer
from pysycl._runtime.native_objects import make_context as make_context
from pysycl._runtime.native_objects import make_device as make_device
from pysycl._runtime.native_objects import make_event as make_event
from pysycl._runtime.native_objects import make_image as make_image
from pysycl._runtime.native_objects import make_kernel as make_kernel
from pysycl._runtime.native_objects import make_kernel_bundle as make_kernel_bundle
from pysycl._runtime.native_objects import make_platform as make_platform
from pysycl._runtime.native_objects import make_program as make_program
from pysycl._runtime.native_objects import make_queue as make_queue
from pysycl._runtime.native_objects import make_sampler as make_sampler
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
from pysycl.kernel_bundle import KernelBundle, make_bundle
from pysycl.platform import Platform

if TYPE_CHECKING:
    pass

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
    """A kernel bundle in the state input, of OpenCL C.

    Parameters
    ----------
    context
        The context.
    source
        The text.
    **kwargs
        As of KernelBundle.

    Returns
    -------
    KernelBundle

    Raises
    ------
    InvalidParameterError
        No context, or no text.

    Examples
    --------
    >>> bundle = sycl.opencl.create_bundle_with_source(queue.context, "__kernel void f(__global int *x) { x[0] = 1; }")
    >>> bundle.kernel_names
    ['f']
    """
    return KernelBundle(_filled("source", source, (str,)), _context(context), **kwargs)


@_core.entry
def create_bundle_with_binary(context: Context, binary: bytes, declarations: str | None = None) -> KernelBundle:
    """A kernel bundle in the state input, of what `KernelBundle.binary` gave or a driver stores itself.

    Parameters
    ----------
    context
        The context.
    binary
        The bytes.
    declarations
        OpenCL C in which the kernels of a driver's binary are declared. None: the driver is asked which arguments they take,
        and not every driver knows.

    Returns
    -------
    KernelBundle

    Raises
    ------
    InvalidObjectError
        The driver cannot use the binary.
    InvalidParameterError
        No context, or no bytes.

    Examples
    --------
    >>> built = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context))
    >>> sycl.opencl.create_bundle_with_binary(queue.context, built.binary()).kernel_names
    ['f']
    """
    given = bytes(_filled("binary", binary, (bytes, bytearray, memoryview)))
    programs = load(given, _context(context), declarations)
    return make_bundle(BundleState.input, context, context.devices, programs)


@_core.entry
def create_bundle_with_il(context: Context, il: bytes, declarations: str | None = None) -> KernelBundle:
    """A kernel bundle in the state input, of SPIR-V.

    Parameters
    ----------
    context
        The context.
    il
        The bytes.
    declarations
        OpenCL C in which the kernels are declared. None: the driver is asked.

    Returns
    -------
    KernelBundle

    Raises
    ------
    FeatureNotSupportedError
        A device of the context takes no SPIR-V.
    InvalidParameterError
        No context, or no bytes.

    Examples
    --------
    >>> try:
    ...     bundle = sycl.opencl.create_bundle_with_il(queue.context, b"no SPIR-V")
    ... except sycl.SyclError as error:
    ...     print("refused")
    refused
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

    Parameters
    ----------
    context
        The context.
    names
        One name, or several.
    declarations
        OpenCL C in which the kernels are declared. None: the driver is asked.

    Returns
    -------
    KernelBundle

    Raises
    ------
    InvalidObjectError
        A device has no such kernel.
    InvalidParameterError
        No context, or no name.

    Examples
    --------
    >>> try:
    ...     bundle = sycl.opencl.create_bundle_with_builtin_kernels(queue.context, "no_such_kernel")
    ... except sycl.SyclError as error:
    ...     print("no_such_kernel" in str(error))
    True
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


def get_error_code(error: SyclError) -> int:
    """OpenCL's code behind an error.

    Parameters
    ----------
    error
        The error.

    Returns
    -------
    int
        0, CL_SUCCESS, when there is none.

    Examples
    --------
    >>> sycl.opencl.get_error_code(sycl.SyclError("no code"))
    0
    """
    return error.cl_code


def get_reference_count(obj: Any) -> int:
    """OpenCL's reference count of an object's native handle. SYCL 2020, C.6.

    Parameters
    ----------
    obj
        A context, queue, kernel or the like.

    Returns
    -------
    int

    Raises
    ------
    InvalidParameterError
        OpenCL counts no references to such an object.

    Examples
    --------
    >>> sycl.opencl.get_reference_count(queue.context) > 0
    True
    """
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
