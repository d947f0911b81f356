"""Interoperation with OpenCL: native handles as integers, objects made of them, and OpenCL's own descriptors.

Making an object retains the native one, dropping it releases that; both live on independently. Handles are only those
of drivers that pysycl itself has loaded: PyOpenCL's are, when both have opened the same driver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pysycl import _core
from pysycl.context import Context
from pysycl.device import Device
from pysycl.device_info import Kind
from pysycl.enums import Backend, as_enum
from pysycl.errors import BackendMismatchError, InvalidParameterError
from pysycl.info import BackendInfo
from pysycl.platform import Platform

CL: Final = _core.cl_constants()


def is_backend_active(backend: Backend | str) -> bool:
    """True for the backend that pysycl is built on: OpenCL. SYCL 2020, 4.1."""
    return as_enum(Backend, backend, "backend") is Backend.opencl


def get_native(backend: Backend | str, obj: Any) -> int:
    """The native OpenCL handle of an object, as an integer that is valid as long as the object. SYCL 2020, 4.5.1.2."""
    if as_enum(Backend, backend, "backend") is not Backend.opencl:
        raise BackendMismatchError(f"{obj!r} is an object of the backend opencl")
    handle = getattr(obj, "int_ptr", None)
    if not isinstance(handle, int):
        raise InvalidParameterError(f"a {type(obj).__name__} has no native handle")
    return handle


def make_platform(handle: int) -> Platform:
    """The platform of a cl_platform_id."""
    return Platform.from_int_ptr(handle)


def make_device(handle: int) -> Device:
    """The device of a cl_device_id."""
    return Device.from_int_ptr(handle)


def make_context(handle: int, async_handler: Callable[..., object] | None = None) -> Context:
    """A context around a cl_context."""
    return Context.from_int_ptr(handle, async_handler)


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
context_reference_count = _info(Context, lambda context: context._reference_count, "CL_CONTEXT_REFERENCE_COUNT")
