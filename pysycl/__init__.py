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
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _find_spec("pysycl._core") is None:
    import sys as _sys

    from pysycl._checkout import adopt as _adopt

    _adopt(_sys.modules[__name__])

from pysycl import _core, cache, errors, opencl, usm
from pysycl import debug as debug
from pysycl import lifecycle as lifecycle
from pysycl._build import VERSION as __version__
from pysycl.accessor import (
    Accessor,
    ModeTag,
    read_constant,
    read_only,
    read_only_host_task,
    read_write,
    read_write_host_task,
    write_only,
    write_only_host_task,
)
from pysycl.aspects import any_device_has
from pysycl.background import Build
from pysycl.binary_op import BinaryOp
from pysycl.binary_op import Operator as _Operator
from pysycl.buffer import Buffer
from pysycl.bundle_search import (
    get_kernel_bundle,
    has_any_kernel_bundle,
    has_kernel_bundle,
    is_compatible,
    kernel_name,
)
from pysycl.bundle_steps import build, build_async, compile, join, link
from pysycl.components import Components as _Components
from pysycl.config import show_config
from pysycl.context import Context
from pysycl.delivery import AsyncHandler
from pysycl.device import Device, devices
from pysycl.enums import (
    AccessMode,
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
    Target,
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
from pysycl.explain import explain
from pysycl.graph import Graph
from pysycl.group_kernels import DeviceImageSelectionError
from pysycl.group_tokens import Group, SubGroup, is_group, sub_group, work_group
from pysycl.handler import Handler
from pysycl.host_accessor import HostAccessor
from pysycl.image import SampledImage, UnsampledImage
from pysycl.image_accessor import (
    HostSampledImageAccessor,
    HostUnsampledImageAccessor,
    SampledImageAccessor,
    UnsampledImageAccessor,
)
from pysycl.image_format import ImageFormat
from pysycl.interop_handle import InteropHandle
from pysycl.kernel_bundle import BundleState, DeviceImage, KernelBundle
from pysycl.kernel_source import kernel_source
from pysycl.local import LocalAccessor, local
from pysycl.opencl import (
    get_native,
    is_backend_active,
    make_buffer,
    make_context,
    make_device,
    make_event,
    make_image,
    make_kernel,
    make_kernel_bundle,
    make_platform,
    make_program,
    make_queue,
    make_sampler,
)
from pysycl.operators import (
    FunctionObject,
    bit_and,
    bit_or,
    bit_xor,
    has_known_identity,
    is_native_function_object,
    known_identity,
    logical_and,
    logical_or,
    maximum,
    minimum,
    multiplies,
    plus,
)
from pysycl.platform import Platform, platforms
from pysycl.prepared import PreparedKernel
from pysycl.program import Kernel, Program, WorkGroupInfo
from pysycl.properties import is_property, is_property_of
from pysycl.queue import Queue
from pysycl.ranges import Id, NdRange, Range, WorkGroups
from pysycl.recording import Parameter, RecordedCommand, Recording
from pysycl.rounding import RoundingMode
from pysycl.sampler import AddressingMode, CoordinateNormalizationMode, FilteringMode, Sampler
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
from pysycl.spec_constant import SpecConstant
from pysycl.statistics import statistics
from pysycl.stream import Stream
from pysycl.swizzle import Elem
from pysycl.usm import (
    aligned_alloc,
    aligned_alloc_device,
    aligned_alloc_host,
    aligned_alloc_shared,
    free,
    get_pointer_device,
    get_pointer_type,
    malloc,
    malloc_device,
    malloc_host,
    malloc_shared,
    memory_statistics,
    trim_memory,
)
from pysycl.usm_allocator import UsmAllocator
from pysycl.usm_array import UsmArray, UsmKind
from pysycl.vector_types import byte, half, marray_dtype, vec_dtype

if _TYPE_CHECKING:
    from pysycl import math as math
    from pysycl.marray import Marray
    from pysycl.vec import Vec
    from pysycl.vector_aliases import *  # noqa: F403


def __getattr__(name: str) -> object:
    """Vec, Marray, their short names and `math` are loaded when they are first named: most programs need none of them,
    and they would take a fifth of the time that the package takes to load."""
    if name.startswith("_"):
        raise AttributeError(f"module 'pysycl' has no attribute {name!r}")
    from importlib import import_module

    if name == "math":
        return import_module("pysycl.math")  # which makes it an attribute
    named = {"Vec": "pysycl.vec", "Marray": "pysycl.marray"}.get(name)
    found: dict[str, object] = vars(import_module(named)) if named else import_module("pysycl.vector_aliases").ALIASES
    if name not in found:
        raise AttributeError(f"module 'pysycl' has no attribute {name!r}")
    globals()[name] = found[name]
    return found[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "math"})


SYCL_LANGUAGE_VERSION = 202001
"""The version of SYCL that the model follows: year and revision, as SYCL's macro has it."""
SYCL_BACKEND_OPENCL = 1
"""Defined, as SYCL's macro is, because the OpenCL backend is there."""

_core.bind(
    {
        face.__name__: face
        for face in (
            Platform,
            Device,
            Context,
            Queue,
            Event,
            Handler,
            Program,
            Kernel,
            NdRange,
            WorkGroups,
            LocalAccessor,
            Buffer,
            Accessor,
            HostAccessor,
            Sampler,
            InteropHandle,
            UsmArray,
            Stream,
            Recording,
            Parameter,
            SpecConstant,
            _Components,
            _Operator,
        )
    }
)

__all__ = [
    "SYCL_BACKEND_OPENCL",
    "SYCL_LANGUAGE_VERSION",
    "AccessMode",
    "Accessor",
    "AccessorError",
    "AddressingMode",
    "Aspect",
    "AsyncErrorGroup",
    "AsyncHandler",
    "Backend",
    "BackendMismatchError",
    "BinaryOp",
    "Buffer",
    "Build",
    "BuildError",
    "BundleState",
    "ClosedError",
    "CompileProgramError",
    "Context",
    "CoordinateNormalizationMode",
    "Device",
    "DeviceImage",
    "DeviceImageSelectionError",
    "DeviceType",
    "Elem",
    "Errc",
    "ErrorCategory",
    "ErrorCode",
    "Event",
    "EventCommandStatus",
    "EventError",
    "ExceptionList",
    "ExecutionCapability",
    "FeatureNotSupportedError",
    "FilteringMode",
    "ForkedProcessError",
    "FpConfig",
    "FunctionObject",
    "GlobalMemCacheType",
    "Graph",
    "Group",
    "Handler",
    "HostAccessor",
    "HostSampledImageAccessor",
    "HostUnsampledImageAccessor",
    "Id",
    "ImageFormat",
    "InteropHandle",
    "InvalidError",
    "InvalidObjectError",
    "InvalidParameterError",
    "Kernel",
    "KernelArgumentError",
    "KernelBundle",
    "KernelError",
    "KernelNotSupportedError",
    "LinkProgramError",
    "LocalAccessor",
    "LocalMemType",
    "Marray",
    "MemoryAllocationError",
    "MemoryOrder",
    "MemoryScope",
    "ModeTag",
    "NdRange",
    "NdRangeError",
    "Parameter",
    "PartitionAffinityDomain",
    "PartitionProperty",
    "Platform",
    "PlatformError",
    "PreparedKernel",
    "Profiling",
    "ProfilingError",
    "Program",
    "Queue",
    "Range",
    "RecordedCommand",
    "Recording",
    "RoundingMode",
    "SampledImage",
    "SampledImageAccessor",
    "Sampler",
    "SpecConstant",
    "Stream",
    "SubGroup",
    "SyclError",
    "SyclRuntimeError",
    "SyclWarning",
    "Target",
    "UnsampledImage",
    "UnsampledImageAccessor",
    "UsmAllocator",
    "UsmArray",
    "UsmKind",
    "Vec",
    "WorkGroupInfo",
    "WorkGroups",
    "__version__",
    "accelerator_selector",
    "accelerator_selector_v",
    "aligned_alloc",
    "aligned_alloc_device",
    "aligned_alloc_host",
    "aligned_alloc_shared",
    "any_device_has",
    "aspect_selector",
    "bit_and",
    "bit_or",
    "bit_xor",
    "build",
    "build_async",
    "byte",
    "cache",
    "compile",
    "cpu_selector",
    "cpu_selector_v",
    "default_selector",
    "default_selector_v",
    "devices",
    "error_category_for",
    "errors",
    "explain",
    "free",
    "get_kernel_bundle",
    "get_native",
    "get_pointer_device",
    "get_pointer_type",
    "gpu_selector",
    "gpu_selector_v",
    "half",
    "has_any_kernel_bundle",
    "has_kernel_bundle",
    "has_known_identity",
    "host_selector",
    "host_selector_v",
    "is_backend_active",
    "is_compatible",
    "is_group",
    "is_native_function_object",
    "is_property",
    "is_property_of",
    "join",
    "kernel_name",
    "kernel_source",
    "known_identity",
    "link",
    "local",
    "logical_and",
    "logical_or",
    "make_buffer",
    "make_context",
    "make_device",
    "make_error_code",
    "make_error_condition",
    "make_event",
    "make_image",
    "make_kernel",
    "make_kernel_bundle",
    "make_platform",
    "make_program",
    "make_queue",
    "make_sampler",
    "malloc",
    "malloc_device",
    "malloc_host",
    "malloc_shared",
    "marray_dtype",
    "maximum",
    "memory_statistics",
    "minimum",
    "multiplies",
    "opencl",
    "platforms",
    "plus",
    "read_constant",
    "read_only",
    "read_only_host_task",
    "read_write",
    "read_write_host_task",
    "show_config",
    "statistics",
    "sub_group",
    "sycl_category",
    "trim_memory",
    "usm",
    "vec_dtype",
    "work_group",
    "write_only",
    "write_only_host_task",
]
