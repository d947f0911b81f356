"""pysycl: the SYCL 2020 model for Python, over OpenCL.

    import numpy as np
    import pysycl as sycl

    program = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")
    x = np.zeros(1024, np.float32)
    queue = sycl.Queue()
    queue.parallel_for(x.size, program.add, x, 1.0)

No driver is loaded before the first device is asked for, and no part of the package before something of it is named:
`import pysycl` costs little, and so does what a program does not use.
"""

from _thread import allocate_lock as _allocate_lock
from importlib.util import find_spec as _find_spec
from types import FunctionType as _FunctionType

if _find_spec("pysycl._core") is None:
    import sys as _sys

    from pysycl._checkout import adopt as _adopt

    _adopt(_sys.modules[__name__])

from pysycl import _core as _core
from pysycl import errors as errors
from pysycl import lifecycle as lifecycle
from pysycl import wheels as wheels
from pysycl._build import VERSION as __version__

# These have the names of their modules, which would stand in their places.
from pysycl.debug import debug
from pysycl.explain import explain
from pysycl.kernel_source import kernel_source
from pysycl.local import LocalAccessor, local
from pysycl.statistics import statistics
from pysycl.tune import tune

SYCL_LANGUAGE_VERSION = 202001
"""The version of SYCL that the model follows: year and revision, as SYCL's macro has it."""
SYCL_BACKEND_OPENCL = 1
"""Defined, as SYCL's macro is, because the OpenCL backend is there."""

# Where the other names are from. __init__.pyi says the same to type checkers.
_NAMES = {
    "accessor": (
        "Accessor ModeTag read_constant read_only read_only_host_task read_write read_write_host_task write_only "
        "write_only_host_task"
    ),
    "_sorts.sort_calls": "argsort lexsort merge sort sort_by_key",
    "_sorts.sort_object": "make_sort",
    "_sorts.sort_some": "argpartition partition",
    "_sorts.sort_top": "top_k",
    "_sorts.sort_unique": "unique",
    "_algorithms.differences": "diff",
    "_algorithms.transform": "transform",
    "_devices.aspects": "any_device_has",
    "_runtime.background": "Build",
    "binary_op": "BinaryOp",
    "buffer": "Buffer",
    "_kernels.bundle_search": "get_kernel_bundle has_any_kernel_bundle has_kernel_bundle is_compatible kernel_name",
    "_kernels.bundle_steps": "build build_async compile join link",
    "_doctor.config": "show_config",
    "context": "Context",
    "_runtime.delivery": "AsyncHandler",
    "device": "Device devices",
    "enums": (
        "AccessMode Aspect Backend DeviceType EventCommandStatus ExecutionCapability FpConfig GlobalMemCacheType "
        "LocalMemType MemoryOrder MemoryScope PartitionAffinityDomain PartitionProperty Target"
    ),
    "errors": (
        "AccessorError AsyncErrorGroup BackendMismatchError BoundsError BuildError ClosedError CompileProgramError Errc "
        "ErrorCategory ErrorCode EventError ExceptionList FeatureNotSupportedError ForkedProcessError "
        "InvalidError InvalidObjectError InvalidParameterError KernelArgumentError KernelError "
        "KernelNotSupportedError LinkProgramError MemoryAllocationError NdRangeError PlatformError ProfilingError "
        "SyclError SyclRuntimeError SyclWarning error_category_for make_error_code make_error_condition "
        "sycl_category"
    ),
    "event": "Event Profiling",
    "_runtime.extensions": (
        "SYCL_EXT_PYSYCL_ARRAYS SYCL_EXT_PYSYCL_BODIES SYCL_EXT_PYSYCL_BUILDS SYCL_EXT_PYSYCL_CACHE "
        "SYCL_EXT_PYSYCL_CHECKS SYCL_EXT_PYSYCL_EXPRESSIONS SYCL_EXT_PYSYCL_GRAPHS "
        "SYCL_EXT_PYSYCL_GROUPS_OF_ELEMENTS SYCL_EXT_PYSYCL_POOLS SYCL_EXT_PYSYCL_PREPARED_KERNELS "
        "SYCL_EXT_PYSYCL_PROFILES SYCL_EXT_PYSYCL_RANDOM SYCL_EXT_PYSYCL_RECORDINGS "
        "SYCL_EXT_PYSYCL_REDUCTIONS SYCL_EXT_PYSYCL_SCANS SYCL_EXT_PYSYCL_SHAPES SYCL_EXT_PYSYCL_SORTS SYCL_EXT_PYSYCL_STREAMS"
    ),
    "graph": "Graph",
    "_kernels.group_kernels": "DeviceImageSelectionError",
    "_kernels.group_tokens": "Group SubGroup is_group sub_group work_group",
    "handler": "Handler",
    "host_accessor": "HostAccessor",
    "_images.image": "SampledImage UnsampledImage",
    "_images.image_accessor": (
        "HostSampledImageAccessor HostUnsampledImageAccessor SampledImageAccessor UnsampledImageAccessor"
    ),
    "_images.image_format": "ImageFormat",
    "_sorts.group_by": "GroupBy group_by",
    "_sorts.edges": "histogram_bin_edges",
    "_sorts.histogram": "bincount histogram histogram2d",
    "_sorts.quantiles": "median percentile quantile",
    "_sorts.quantiles_nan": "nanmedian nanpercentile nanquantile",
    "interop_handle": "InteropHandle",
    "_kernels.device_image": "BundleState DeviceImage",
    "kernel_bundle": "KernelBundle",
    "_vectors.marray": "Marray",
    "_runtime.native_objects": (
        "make_buffer make_context make_device make_event make_image make_kernel make_kernel_bundle make_platform "
        "make_program make_queue make_sampler"
    ),
    "opencl": "get_native is_backend_active",
    "operators": (
        "FunctionObject bit_and bit_or bit_xor has_known_identity is_native_function_object known_identity "
        "logical_and logical_or maximum minimum multiplies plus"
    ),
    "platform": "Platform platforms",
    "_core": "PreparedKernel",
    "_profile.commands": "ProfileRow ProfiledCommand",
    "_profile.profile": "Profile profile",
    "_kernels.kernel": "Kernel WorkGroupInfo",
    "program": "Program",
    "_runtime.properties": "is_property is_property_of",
    "queue": "Queue",
    "ranges": "Id NdRange Range WorkGroups",
    "recording": "Parameter RecordedCommand Recording",
    "_reductions.reduce_calls": "all any argmax argmin count_nonzero max min minmax prod reduce sum",
    "_reductions.reduce_moment_calls": "dot mean norm std var",
    "_reductions.reduce_nan": "nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar",
    "_reductions.reduce_object": "make_reduce",
    "_reductions.reduce_weighted": "average corrcoef cov",
    "_scans.scan_segments": "reduce_by_key run_length scan_by_key segmented_reduce",
    "_scans.scan_calls": ("cummax cummin cumprod cumsum cumulative_prod cumulative_sum exclusive_scan inclusive_scan"),
    "_scans.scan_generate": "generate",
    "_scans.scan_nan": "nancumprod nancumsum",
    "_scans.scan_object": "make_scan",
    "_scans.scan_repeat": "repeat",
    "_scans.scan_select": "flatnonzero select split_by unique_consecutive",
    "_split.split": "Split split",
    "_streams.folded": "stream_histogram stream_reduce",
    "_streams.ordered": "stream_sort",
    "_streams.scanned": "stream_scan",
    "reductions": "Reduction reducer reduction span",
    "_vectors.rounding": "RoundingMode",
    "_images.sampler": "AddressingMode CoordinateNormalizationMode FilteringMode Sampler",
    "_kernels.scanner": "Scanner scanner",
    "_sorts.search": "digitize isin searchsorted",
    "_sorts.sets": "intersect1d setdiff1d setxor1d union1d",
    "selector": (
        "accelerator_selector accelerator_selector_v aspect_selector cpu_selector cpu_selector_v default_selector "
        "default_selector_v gpu_selector gpu_selector_v host_selector host_selector_v"
    ),
    "spec_constant": "SpecConstant",
    "stream": "Stream",
    "_vectors.swizzle": "Elem",
    "usm": (
        "aligned_alloc aligned_alloc_device aligned_alloc_host aligned_alloc_shared malloc malloc_device malloc_host "
        "malloc_shared"
    ),
    "_data.usm_address": "free get_pointer_device get_pointer_type memory_statistics trim_memory",
    "_data.usm_allocator": "UsmAllocator",
    "_data.usm_array": "UsmArray UsmKind",
    "_vectors.vec": "Vec",
    "_vectors.vector_types": "byte half marray_dtype vec_dtype",
}
_naming = _allocate_lock()
_MODULES = ("cache", "math", "opencl", "random", "usm")
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "SYCL_BACKEND_OPENCL",
    "SYCL_LANGUAGE_VERSION",
    "LocalAccessor",
    "__version__",
    "cache",
    "debug",
    "errors",
    "explain",
    "kernel_source",
    "local",
    "opencl",
    "statistics",
    "tune",
    "usm",
]
__all__ += _HOME


@_core.entry
def __getattr__(name: str) -> object:
    """A part of the package is loaded when something of it is first named. Names that are in no part are short ones of
    vectors, `float4` and the like."""
    if name.startswith("_"):
        raise AttributeError(f"module 'pysycl' has no attribute {name!r}")
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"pysycl.{name}")  # which makes it an attribute
    found: dict[str, object] = (
        vars(import_module(f"pysycl.{_HOME[name]}"))
        if name in _HOME
        else import_module("pysycl._vectors.vector_aliases").ALIASES
    )
    if name not in found:
        plain = name.replace("_", "").lower()  # SYCL's own spelling, nd_range
        meant = [f"; did you mean {other!r}?" for other in __all__ if other.replace("_", "").lower() == plain]
        raise AttributeError(f"module 'pysycl' has no attribute {name!r}{''.join(meant)}")
    with _naming:  # no import in here, which may be what another thread waits in
        function = found[name]
        if isinstance(function, _FunctionType):  # under all its names at once, so that they stay one object
            at_once = [found.get(name) for name in ("AT_ONCE", "SCANS_AT_ONCE")]
            ops = [each.get(function.__name__, -1) if isinstance(each, dict) else -1 for each in at_once]
            entry = _core.entry(function, *ops, True)
            found.update({other: entry for other, value in list(found.items()) if value is function})
    globals()[name] = found[name]
    return found[name]


def load_ipython_extension(shell: object) -> None:
    """`%load_ext pysycl`: the magics %%sycl, %%sycl_for, %%sycl_profile and %sycl_ledger."""
    from pysycl._notebook.magics import register

    register(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
