"""Aspects: how each one is found out about a device, and questions to all devices at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from pysycl import _core
from pysycl.enums import Aspect, OpenclAspect, as_enum

if TYPE_CHECKING:
    from pysycl.device import Device

Test = Callable[["Device"], bool]
CL: Final = _core.cl_constants()
INT64_BASE, INT64_EXTENDED = "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"


def _flag(query: str) -> Test:
    """A cl_bool; a driver that does not know the query says no."""
    what = CL[f"CL_DEVICE_{query}"]
    return lambda device: bool(device._query(what, "bool", False))


def _bits(query: str, *names: str) -> Test:
    """All of some bits of a bit-field; a driver that does not know the query has none."""
    what, mask = CL[f"CL_DEVICE_{query}"], sum(CL[f"CL_{name}"] for name in names)
    return lambda device: (device._query(what, "ulong", 0) & mask) == mask


def _type(name: str) -> Test:
    bit = CL[f"CL_DEVICE_TYPE_{name}"]
    return lambda device: bool(device._type == bit)


def _extensions(*names: str) -> Test:
    return lambda device: all(device.has_extension(name) for name in names)


def _any(*tests: Test) -> Test:
    return lambda device: any(test(device) for test in tests)


def _all(*tests: Test) -> Test:
    return lambda device: all(test(device) for test in tests)


def _never(device: Device) -> bool:
    return False


def _is_emulated(device: Device) -> bool:
    return device.platform.name == "Oclgrind" or "Emulat" in device.name


def _usm(kind: int) -> Test:
    return lambda device: _core.usm_supported(device, kind)


# Unified shared memory comes from Intel's extension or from OpenCL's shared virtual memory. Where that is coarse-grained
# the core maps what the host touches, so host and shared memory are there, but not for both at the same time.
_FINE_ATOMIC = _bits("SVM_CAPABILITIES", "DEVICE_SVM_FINE_GRAIN_BUFFER", "DEVICE_SVM_ATOMICS")
_DEVICE, _HOST, _SHARED = (_usm(kind) for kind in range(3))
_COMPILER = _flag("COMPILER_AVAILABLE")
_CONCURRENT_ATOMIC = "UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL"

TESTS: Final[Mapping[Aspect, Test]] = {
    Aspect.cpu: _type("CPU"),
    Aspect.gpu: _type("GPU"),
    Aspect.accelerator: _type("ACCELERATOR"),
    Aspect.custom: _type("CUSTOM"),
    Aspect.emulated: _is_emulated,
    Aspect.host_debuggable: _never,  # kernels are compiled without debug information
    Aspect.host: _never,  # SYCL 2020 has no host device
    Aspect.fp16: _extensions("cl_khr_fp16"),
    Aspect.fp64: _extensions("cl_khr_fp64"),
    Aspect.atomic64: _extensions(INT64_BASE, INT64_EXTENDED),
    Aspect.int64_base_atomics: _extensions(INT64_BASE),
    Aspect.int64_extended_atomics: _extensions(INT64_EXTENDED),
    Aspect.image: _flag("IMAGE_SUPPORT"),
    Aspect.online_compiler: _COMPILER,
    Aspect.online_linker: _all(_COMPILER, _flag("LINKER_AVAILABLE")),
    Aspect.queue_profiling: _bits("QUEUE_PROPERTIES", "QUEUE_PROFILING_ENABLE"),
    Aspect.usm_device_allocations: _DEVICE,
    Aspect.usm_host_allocations: _HOST,
    Aspect.usm_atomic_host_allocations: _any(_FINE_ATOMIC, _bits("HOST_MEM_CAPABILITIES_INTEL", _CONCURRENT_ATOMIC)),
    Aspect.usm_shared_allocations: _SHARED,
    Aspect.usm_atomic_shared_allocations: _any(
        _FINE_ATOMIC, _bits("SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", _CONCURRENT_ATOMIC)
    ),
    Aspect.usm_restricted_shared_allocations: _SHARED,  # what may be shared freely may be shared with restrictions
    Aspect.usm_system_allocations: _any(
        _bits("SVM_CAPABILITIES", "DEVICE_SVM_FINE_GRAIN_SYSTEM"),
        _bits("SHARED_SYSTEM_MEM_CAPABILITIES_INTEL", "UNIFIED_SHARED_MEMORY_ACCESS_INTEL"),
    ),
}


def has_aspect(device: Device, aspect: Aspect | OpenclAspect | str) -> bool:
    """True if the device has the aspect."""
    if isinstance(aspect, OpenclAspect):
        return device.has_extension(aspect.value)
    return TESTS[as_enum(Aspect, aspect, "aspect")](device)


def any_device_has(aspect: Aspect | str) -> bool:
    """True if some device here has the aspect. SYCL 2020, 4.6.4.4 (the draft's is_aspect_active).

    Parameters
    ----------
    aspect
        An Aspect or its name, such as "fp64".

    Returns
    -------
    bool

    Raises
    ------
    InvalidParameterError
        A name that no aspect has.

    Examples
    --------
    >>> sycl.any_device_has("gpu") == (len(sycl.devices("gpu")) > 0)
    True
    """
    wanted = as_enum(Aspect, aspect, "aspect")
    return any(has_aspect(device, wanted) for platform in _core.platforms() for device in platform._devices)


def all_devices_have(aspect: Aspect | str) -> bool:
    """True if every device here has the aspect. SYCL 2020, 4.6.4.4."""
    wanted = as_enum(Aspect, aspect, "aspect")
    return all(has_aspect(device, wanted) for platform in _core.platforms() for device in platform._devices)


is_aspect_active = any_device_has
