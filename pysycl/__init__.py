"""pysycl: the SYCL 2020 model for Python, over OpenCL.

    import numpy as np
    import pysycl as sycl

    program = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")
    x = np.zeros(1024, np.float32)
    queue = sycl.Queue()
    queue.parallel_for(x.size, program.add, x, 1.0).wait()

No driver is loaded before the first device is asked for.
"""

from importlib.util import find_spec as _find_spec

if _find_spec("pysycl._core") is None:
    import sys as _sys

    from pysycl._checkout import adopt as _adopt

    _adopt(_sys.modules[__name__])

from pysycl import _core, errors, opencl
from pysycl import lifecycle as lifecycle
from pysycl._build import VERSION as __version__
from pysycl.aspects import any_device_has
from pysycl.config import show_config
from pysycl.context import Context
from pysycl.delivery import AsyncHandler
from pysycl.device import Device, devices
from pysycl.enums import (
    Aspect,
    Backend,
    DeviceType,
    EventCommandStatus,
    ExecutionCapability,
    FpConfig,
    GlobalMemCacheType,
    LocalMemType,
    MemoryOrder,
    MemoryScope,
    PartitionAffinityDomain,
    PartitionProperty,
)
from pysycl.errors import (
    AccessorError,
    AsyncErrorGroup,
    BackendMismatchError,
    BuildError,
    ClosedError,
    CompileProgramError,
    Errc,
    ErrorCategory,
    ErrorCode,
    EventError,
    ExceptionList,
    FeatureNotSupportedError,
    ForkedProcessError,
    InvalidError,
    InvalidObjectError,
    InvalidParameterError,
    KernelArgumentError,
    KernelError,
    KernelNotSupportedError,
    LinkProgramError,
    MemoryAllocationError,
    NdRangeError,
    PlatformError,
    ProfilingError,
    SyclError,
    SyclRuntimeError,
    SyclWarning,
    error_category_for,
    make_error_code,
    make_error_condition,
    sycl_category,
)
from pysycl.event import Event, Profiling
from pysycl.handler import Handler
from pysycl.local import LocalAccessor, local
from pysycl.opencl import (
    get_native,
    is_backend_active,
    make_context,
    make_device,
    make_event,
    make_kernel,
    make_platform,
    make_program,
    make_queue,
)
from pysycl.platform import Platform, platforms
from pysycl.program import Kernel, Program, WorkGroupInfo
from pysycl.properties import is_property, is_property_of
from pysycl.queue import Queue
from pysycl.ranges import Id, NdRange, Range
from pysycl.selector import (
    accelerator_selector,
    accelerator_selector_v,
    aspect_selector,
    cpu_selector,
    cpu_selector_v,
    default_selector,
    default_selector_v,
    gpu_selector,
    gpu_selector_v,
    host_selector,
    host_selector_v,
)
from pysycl.statistics import statistics

SYCL_LANGUAGE_VERSION = 202001
"""The version of SYCL that the model follows: year and revision, as SYCL's macro has it."""
SYCL_BACKEND_OPENCL = 1
"""Defined, as SYCL's macro is, because the OpenCL backend is there."""

_core.bind(
    {
        face.__name__: face
        for face in (Platform, Device, Context, Queue, Event, Handler, Program, Kernel, NdRange, LocalAccessor)
    }
)

__all__ = [
    "SYCL_BACKEND_OPENCL",
    "SYCL_LANGUAGE_VERSION",
    "AccessorError",
    "Aspect",
    "AsyncErrorGroup",
    "AsyncHandler",
    "Backend",
    "BackendMismatchError",
    "BuildError",
    "ClosedError",
    "CompileProgramError",
    "Context",
    "Device",
    "DeviceType",
    "Errc",
    "ErrorCategory",
    "ErrorCode",
    "Event",
    "EventCommandStatus",
    "EventError",
    "ExceptionList",
    "ExecutionCapability",
    "FeatureNotSupportedError",
    "ForkedProcessError",
    "FpConfig",
    "GlobalMemCacheType",
    "Handler",
    "Id",
    "InvalidError",
    "InvalidObjectError",
    "InvalidParameterError",
    "Kernel",
    "KernelArgumentError",
    "KernelError",
    "KernelNotSupportedError",
    "LinkProgramError",
    "LocalAccessor",
    "LocalMemType",
    "MemoryAllocationError",
    "MemoryOrder",
    "MemoryScope",
    "NdRange",
    "NdRangeError",
    "PartitionAffinityDomain",
    "PartitionProperty",
    "Platform",
    "PlatformError",
    "Profiling",
    "ProfilingError",
    "Program",
    "Queue",
    "Range",
    "SyclError",
    "SyclRuntimeError",
    "SyclWarning",
    "WorkGroupInfo",
    "__version__",
    "accelerator_selector",
    "accelerator_selector_v",
    "any_device_has",
    "aspect_selector",
    "cpu_selector",
    "cpu_selector_v",
    "default_selector",
    "default_selector_v",
    "devices",
    "error_category_for",
    "errors",
    "get_native",
    "gpu_selector",
    "gpu_selector_v",
    "host_selector",
    "host_selector_v",
    "is_backend_active",
    "is_property",
    "is_property_of",
    "local",
    "make_context",
    "make_device",
    "make_error_code",
    "make_error_condition",
    "make_event",
    "make_kernel",
    "make_platform",
    "make_program",
    "make_queue",
    "opencl",
    "platforms",
    "show_config",
    "statistics",
    "sycl_category",
]
