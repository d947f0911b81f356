"""The info descriptors of devices, one row each: how the driver is asked, how the answer is read, what it means.

Numbers are the driver's own wherever it has an answer. Where SYCL demands what a device lacks, the row says what is
reported instead. A device without native sub-groups reports sub-groups of one work-item, which is what its work-items
are then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from pysycl import _core
from pysycl._devices.aspects import TESTS, has_aspect
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl.enums import (
    Aspect,
    DeviceType,
    ExecutionCapability,
    FpConfig,
    GlobalMemCacheType,
    LocalMemType,
    MemoryOrder,
    MemoryScope,
    PartitionAffinityDomain,
    PartitionProperty,
)
from pysycl.errors import InvalidObjectError

if TYPE_CHECKING:
    from pysycl.device import Device
    from pysycl.platform import Platform

T = TypeVar("T")
Kind: TypeAlias = Literal["uint", "ulong", "size", "bool", "string", "sizes", "words"]
CL = _core.cl_constants()
SYCL_VERSION = "2020.0"

DEVICE_TYPES = {
    CL["CL_DEVICE_TYPE_CPU"]: DeviceType.cpu,
    CL["CL_DEVICE_TYPE_GPU"]: DeviceType.gpu,
    CL["CL_DEVICE_TYPE_ACCELERATOR"]: DeviceType.accelerator,
    CL["CL_DEVICE_TYPE_CUSTOM"]: DeviceType.custom,
}
FP_BITS = {CL[f"CL_FP_{each.name.upper()}"]: each for each in FpConfig}
CACHE_TYPES = {
    CL["CL_NONE"]: GlobalMemCacheType.none,
    CL["CL_READ_ONLY_CACHE"]: GlobalMemCacheType.read_only,
    CL["CL_READ_WRITE_CACHE"]: GlobalMemCacheType.read_write,
}
LOCAL_TYPES = {
    CL["CL_NONE"]: LocalMemType.none,
    CL["CL_LOCAL"]: LocalMemType.local,
    CL["CL_GLOBAL"]: LocalMemType.global_,
}
EXECUTION_BITS = {
    CL["CL_EXEC_KERNEL"]: ExecutionCapability.exec_kernel,
    CL["CL_EXEC_NATIVE_KERNEL"]: ExecutionCapability.exec_native_kernel,
}
PARTITION_SCHEMES = {
    CL["CL_DEVICE_PARTITION_EQUALLY"]: PartitionProperty.partition_equally,
    CL["CL_DEVICE_PARTITION_BY_COUNTS"]: PartitionProperty.partition_by_counts,
    CL["CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"]: PartitionProperty.partition_by_affinity_domain,
}
AFFINITY_BITS = {
    CL[f"CL_DEVICE_AFFINITY_DOMAIN_{each.name.upper()}"]: each
    for each in PartitionAffinityDomain
    if each is not PartitionAffinityDomain.not_applicable
}
ORDER_BITS = {
    MemoryOrder.relaxed: CL["CL_DEVICE_ATOMIC_ORDER_RELAXED"],
    MemoryOrder.acquire: CL["CL_DEVICE_ATOMIC_ORDER_ACQ_REL"],
    MemoryOrder.release: CL["CL_DEVICE_ATOMIC_ORDER_ACQ_REL"],
    MemoryOrder.acq_rel: CL["CL_DEVICE_ATOMIC_ORDER_ACQ_REL"],
    MemoryOrder.seq_cst: CL["CL_DEVICE_ATOMIC_ORDER_SEQ_CST"],
}
# OpenCL names no sub-group scope: what holds in a work-group holds in its sub-groups.
SCOPE_BITS = {
    MemoryScope.work_item: CL["CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM"],
    MemoryScope.sub_group: CL["CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP"],
    MemoryScope.work_group: CL["CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP"],
    MemoryScope.device: CL["CL_DEVICE_ATOMIC_SCOPE_DEVICE"],
    MemoryScope.system: CL["CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"],
}
# Guarantees of OpenCL 3.0, and of 2.x, for drivers that are too old to be asked.
ATOMICS_MINIMUM = CL["CL_DEVICE_ATOMIC_ORDER_RELAXED"] | CL["CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP"]
ATOMICS_OF_2 = sum({*ORDER_BITS.values(), *SCOPE_BITS.values()})
# atomic_add() and the like are relaxed, among all work-items of a device; mem_fence() orders within a work-group.
ATOMICS_OF_1 = {
    "ATOMIC_MEMORY_CAPABILITIES": ORDER_BITS[MemoryOrder.relaxed] | SCOPE_BITS[MemoryScope.device],
    "ATOMIC_FENCE_CAPABILITIES": ORDER_BITS[MemoryOrder.relaxed] | ORDER_BITS[MemoryOrder.acq_rel],
}


def _asks(name: str, kind: Kind) -> Callable[[Device], Any]:
    what = CL.get(f"CL_DEVICE_{name}") or CL[f"CL_{name}"]
    return lambda device: device._query(what, kind)


def uint(name: str) -> Callable[[Device], int]:
    return _asks(name, "uint")


def ulong(name: str) -> Callable[[Device], int]:
    return _asks(name, "ulong")


def size(name: str) -> Callable[[Device], int]:
    return _asks(name, "size")


def flag(name: str) -> Callable[[Device], bool]:
    return _asks(name, "bool")


def text(name: str) -> Callable[[Device], str]:
    ask = _asks(name, "string")
    return lambda device: str(ask(device)).strip()


def words(name: str, separator: str | None = None) -> Callable[[Device], list[str]]:
    ask = _asks(name, "string")
    return lambda device: [word for word in ask(device).split(separator) if word]


def aspect(which: Aspect) -> Callable[[Device], bool]:
    return TESTS[which]


def width(name: str, needs: Aspect | None = None) -> Callable[[Device], int]:
    """A vector width: 0 where the element type is not supported."""
    ask = _asks(name, "uint")
    return lambda device: ask(device) if needs is None or has_aspect(device, needs) else 0


def one_of(name: str, members: Mapping[int, T]) -> Callable[[Device], T]:
    ask = _asks(name, "uint")
    return lambda device: members[ask(device)]


def members_of(bits: int, table: Iterable[tuple[T, int]]) -> list[T]:
    """The members whose bits are set."""
    return [member for member, bit in table if bits & bit]


def set_of(name: str, members: Mapping[int, T]) -> Callable[[Device], list[T]]:
    what, rows = CL[f"CL_DEVICE_{name}"], [(member, bit) for bit, member in members.items()]
    return lambda device: members_of(device._query(what, "ulong", 0), rows)


def fp_config(name: str, needs: Aspect | None = None) -> Callable[[Device], list[FpConfig]]:
    ask = set_of(name, FP_BITS)
    return lambda device: ask(device) if needs is None or has_aspect(device, needs) else []


def atomics(name: str, members: Mapping[T, int]) -> Callable[[Device], list[T]]:
    """Orders or scopes that kernels/atomic/atomic.clh and atomic_fence.clh give, in every combination.

    That is what the driver reports (one older than OpenCL 3.0 has no such query: its version tells), or more where other
    words than OpenCL C 2.0's do it.
    """
    what = CL[f"CL_DEVICE_{name}"]

    def read(device: Device) -> list[T]:
        bits = device._query(what, "ulong", None)
        if bits is None:
            bits = ATOMICS_OF_2 if re.match(r"OpenCL 2\.", device.backend_version) else ATOMICS_OF_1[name]
        if device._facts["every_order"]:
            bits |= ATOMICS_OF_2 & ~SCOPE_BITS[MemoryScope.system]
        if not device._facts["system_scope"]:
            bits &= ~SCOPE_BITS[MemoryScope.system]
        # an order within one work-item is there always: OpenCL names it of fences only
        return members_of(bits | ATOMICS_MINIMUM | SCOPE_BITS[MemoryScope.work_item], members.items())

    return read


def _device_type(device: Device) -> DeviceType:
    return DEVICE_TYPES[device._type]


def _name(device: Device) -> str:
    return device._name.strip()


def _platform(device: Device) -> Platform:
    return device._platform


def _version(device: Device) -> str:
    return SYCL_VERSION


def _max_work_item_sizes(device: Device) -> tuple[int, int, int]:
    sizes = [*device._query(CL["CL_DEVICE_MAX_WORK_ITEM_SIZES"], "sizes"), 1, 1, 1]
    return sizes[2], sizes[1], sizes[0]


NATIVE_SUB_GROUPS, WARPS = 1, 2  # SYC_SUB_GROUP_KIND of kernels/


def has_native_sub_groups(device: Device) -> bool:
    """The driver's own functions make the sub-groups that kernels get, so it knows of them."""
    return bool(device._facts["sub_groups"] == NATIVE_SUB_GROUPS)


def has_warps(device: Device) -> bool:
    """Its sub-groups are warps, whose lanes vote by instructions."""
    return bool(device._facts["sub_groups"] == WARPS)


def _max_num_sub_groups(device: Device) -> int:
    if has_native_sub_groups(device):
        return int(device._query(CL["CL_DEVICE_MAX_NUM_SUB_GROUPS"], "uint"))
    return -(-device.max_work_group_size // min(device.sub_group_sizes))


def _sub_group_progress(device: Device) -> bool:
    if has_native_sub_groups(device):
        return bool(device._query(CL["CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS"], "bool", False))
    return has_warps(device)


def _sub_group_sizes(device: Device) -> list[int]:
    return _core.sub_group_sizes(device) or [-(-device.max_work_group_size // device.max_num_sub_groups)]


def _aspects(device: Device) -> list[Aspect]:
    return [each for each in Aspect if has_aspect(device, each)]


def _parent_device(device: Device) -> Device:
    parent = device._parent
    if parent is None:
        raise InvalidObjectError(f"{device!r} is no sub-device, so it has no parent")
    return parent


def _partition_properties(device: Device) -> list[PartitionProperty]:
    if device.partition_max_sub_devices < 2:
        return []
    schemes = device._query(CL["CL_DEVICE_PARTITION_PROPERTIES"], "words")
    return [PARTITION_SCHEMES[scheme] for scheme in schemes if scheme in PARTITION_SCHEMES]


def _partition_type_property(device: Device) -> PartitionProperty:
    made_by = device._query(CL["CL_DEVICE_PARTITION_TYPE"], "words") if device.is_sub_device else []
    return PARTITION_SCHEMES[made_by[0]] if made_by else PartitionProperty.no_partition


def _partition_type_affinity_domain(device: Device) -> PartitionAffinityDomain:
    if device.partition_type_property is not PartitionProperty.partition_by_affinity_domain:
        return PartitionAffinityDomain.not_applicable
    return AFFINITY_BITS[device._query(CL["CL_DEVICE_PARTITION_TYPE"], "words")[1]]


def _reference_count(device: Device) -> int:
    return device._reference_count if device.is_sub_device else 1


class DeviceInfo(BackendHandle):
    """All info descriptors of a device. SYCL 2020, 4.6.4.2."""

    __slots__ = ()

    device_type = Info(_device_type, "cpu, gpu, accelerator or custom: the first of these that it is.")
    vendor_id = Info(uint("VENDOR_ID"), "The vendor's number, unique at least on its platform.")
    max_compute_units = Info(uint("MAX_COMPUTE_UNITS"), "Parallel compute units; at least 1.")
    max_work_item_dimensions = Info(uint("MAX_WORK_ITEM_DIMENSIONS"), "Dimensions of a range; at least 3.")
    max_work_item_sizes = Info(
        _max_work_item_sizes,
        "Most work-items of a group in each dimension, in SYCL's order: the last varies fastest.",
    )
    max_work_group_size = Info(size("MAX_WORK_GROUP_SIZE"), "Most work-items of a work-group.")
    max_num_sub_groups = Info(
        _max_num_sub_groups, "Most sub-groups of a work-group, in a kernel that requires the smallest size."
    )
    sub_group_independent_forward_progress = Info(
        _sub_group_progress, "Whether sub-groups of one work-group progress independently. Emulated ones do not."
    )
    sub_group_sizes = Info(
        _sub_group_sizes, "Sizes that sub-groups can have, and sycl_reqd_sub_group_size may require, rising."
    )
    preferred_vector_width_char = Info(width("PREFERRED_VECTOR_WIDTH_CHAR"), "Preferred length of a char vector.")
    preferred_vector_width_short = Info(width("PREFERRED_VECTOR_WIDTH_SHORT"), "Preferred length of a short vector.")
    preferred_vector_width_int = Info(width("PREFERRED_VECTOR_WIDTH_INT"), "Preferred length of an int vector.")
    preferred_vector_width_long = Info(width("PREFERRED_VECTOR_WIDTH_LONG"), "Preferred length of a long vector.")
    preferred_vector_width_float = Info(width("PREFERRED_VECTOR_WIDTH_FLOAT"), "Preferred length of a float vector.")
    preferred_vector_width_double = Info(
        width("PREFERRED_VECTOR_WIDTH_DOUBLE", Aspect.fp64), "Preferred length of a double vector; 0 without fp64."
    )
    preferred_vector_width_half = Info(
        width("PREFERRED_VECTOR_WIDTH_HALF", Aspect.fp16), "Preferred length of a half vector; 0 without fp16."
    )
    native_vector_width_char = Info(width("NATIVE_VECTOR_WIDTH_CHAR"), "Components of a native char vector.")
    native_vector_width_short = Info(width("NATIVE_VECTOR_WIDTH_SHORT"), "Components of a native short vector.")
    native_vector_width_int = Info(width("NATIVE_VECTOR_WIDTH_INT"), "Components of a native int vector.")
    native_vector_width_long = Info(width("NATIVE_VECTOR_WIDTH_LONG"), "Components of a native long vector.")
    native_vector_width_float = Info(width("NATIVE_VECTOR_WIDTH_FLOAT"), "Components of a native float vector.")
    native_vector_width_double = Info(
        width("NATIVE_VECTOR_WIDTH_DOUBLE", Aspect.fp64), "Components of a native double vector; 0 without fp64."
    )
    native_vector_width_half = Info(
        width("NATIVE_VECTOR_WIDTH_HALF", Aspect.fp16), "Components of a native half vector; 0 without fp16."
    )
    max_clock_frequency = Info(uint("MAX_CLOCK_FREQUENCY"), "MHz; 0 when the driver does not know.")
    address_bits = Info(uint("ADDRESS_BITS"), "Bits of a device address: 32 or 64.")
    max_mem_alloc_size = Info(ulong("MAX_MEM_ALLOC_SIZE"), "Most bytes of one allocation.")
    image_support = Info(aspect(Aspect.image), "Deprecated: has('image').")
    max_read_image_args = Info(uint("MAX_READ_IMAGE_ARGS"), "Images that a kernel can read; 128 or more with images.")
    max_write_image_args = Info(uint("MAX_WRITE_IMAGE_ARGS"), "Images that a kernel can write; 8 or more with images.")
    image2d_max_width = Info(size("IMAGE2D_MAX_WIDTH"), "Pixels; 8192 or more with images.")
    image2d_max_height = Info(size("IMAGE2D_MAX_HEIGHT"), "Pixels; 8192 or more with images.")
    image3d_max_width = Info(size("IMAGE3D_MAX_WIDTH"), "Pixels; 2048 or more with images.")
    image3d_max_height = Info(size("IMAGE3D_MAX_HEIGHT"), "Pixels; 2048 or more with images.")
    image3d_max_depth = Info(size("IMAGE3D_MAX_DEPTH"), "Pixels; 2048 or more with images.")
    image_max_buffer_size = Info(size("IMAGE_MAX_BUFFER_SIZE"), "Pixels of an image made of a buffer.")
    image_max_array_size = Info(size("IMAGE_MAX_ARRAY_SIZE"), "Images of an array; 2048 or more with images.")
    max_samplers = Info(uint("MAX_SAMPLERS"), "Samplers of a kernel; 16 or more with images.")
    max_parameter_size = Info(size("MAX_PARAMETER_SIZE"), "Most bytes of all arguments of a kernel; at least 1024.")
    mem_base_addr_align = Info(uint("MEM_BASE_ADDR_ALIGN"), "Alignment of sub-buffers, in bits.")
    half_fp_config = Info(fp_config("HALF_FP_CONFIG", Aspect.fp16), "What half can do; empty without fp16.")
    single_fp_config = Info(fp_config("SINGLE_FP_CONFIG"), "What float can do.")
    double_fp_config = Info(fp_config("DOUBLE_FP_CONFIG", Aspect.fp64), "What double can do; empty without fp64.")
    global_mem_cache_type = Info(one_of("GLOBAL_MEM_CACHE_TYPE", CACHE_TYPES), "How global memory is cached.")
    global_mem_cache_line_size = Info(uint("GLOBAL_MEM_CACHELINE_SIZE"), "Bytes.")
    global_mem_cache_size = Info(ulong("GLOBAL_MEM_CACHE_SIZE"), "Bytes.")
    global_mem_size = Info(ulong("GLOBAL_MEM_SIZE"), "Bytes.")
    max_constant_buffer_size = Info(ulong("MAX_CONSTANT_BUFFER_SIZE"), "Most bytes of one constant buffer.")
    max_constant_args = Info(uint("MAX_CONSTANT_ARGS"), "Most __constant arguments of a kernel.")
    local_mem_type = Info(one_of("LOCAL_MEM_TYPE", LOCAL_TYPES), "Whether local memory is memory of its own.")
    local_mem_size = Info(ulong("LOCAL_MEM_SIZE"), "Bytes of local memory for a work-group.")
    error_correction_support = Info(flag("ERROR_CORRECTION_SUPPORT"), "Whether all memory corrects errors.")
    host_unified_memory = Info(flag("HOST_UNIFIED_MEMORY"), "Deprecated: whether host and device share memory.")
    atomic_memory_order_capabilities = Info(
        atomics("ATOMIC_MEMORY_CAPABILITIES", ORDER_BITS), "Memory orders of atomic operations; relaxed always."
    )
    atomic_fence_order_capabilities = Info(
        atomics("ATOMIC_FENCE_CAPABILITIES", ORDER_BITS), "Memory orders of fences; relaxed always."
    )
    atomic_memory_scope_capabilities = Info(
        atomics("ATOMIC_MEMORY_CAPABILITIES", SCOPE_BITS), "Memory scopes of atomic operations; work_group always."
    )
    atomic_fence_scope_capabilities = Info(
        atomics("ATOMIC_FENCE_CAPABILITIES", SCOPE_BITS), "Memory scopes of fences; work_group always."
    )
    profiling_timer_resolution = Info(size("PROFILING_TIMER_RESOLUTION"), "Nanoseconds.")
    is_endian_little = Info(flag("ENDIAN_LITTLE"), "Whether the device is little-endian.")
    is_available = Info(flag("AVAILABLE"), "Whether the device can be used now.")
    is_compiler_available = Info(aspect(Aspect.online_compiler), "Deprecated: has('online_compiler').")
    is_linker_available = Info(aspect(Aspect.online_linker), "Deprecated: has('online_linker').")
    execution_capabilities = Info(set_of("EXECUTION_CAPABILITIES", EXECUTION_BITS), "What the device executes.")
    queue_profiling = Info(aspect(Aspect.queue_profiling), "Deprecated: has('queue_profiling').")
    built_in_kernels = Info(words("BUILT_IN_KERNELS", ";"), "Names of the kernels that are part of the device.")
    platform = Info(_platform, "The platform.")
    name = Info(_name, "The name, without the prefixes by which PoCL tells the two devices of one CPU apart.")
    vendor = Info(text("VENDOR"), "The vendor's name.")
    driver_version = Info(text("DRIVER_VERSION"), "The driver's version, in its own form.")
    profile = Info(text("PROFILE"), "FULL_PROFILE or EMBEDDED_PROFILE.")
    version = Info(_version, "The version of SYCL, as major.minor.")
    backend_version = Info(text("VERSION"), "The version of OpenCL that the device has, with the driver's addition.")
    aspects = Info(_aspects, "All aspects that the device has.")
    extensions = Info(words("EXTENSIONS"), "Deprecated: the OpenCL extensions.")
    printf_buffer_size = Info(size("PRINTF_BUFFER_SIZE"), "Bytes that the printf calls of a kernel can fill.")
    preferred_interop_user_sync = Info(
        flag("PREFERRED_INTEROP_USER_SYNC"), "Whether the user should synchronise memory shared with other interfaces."
    )
    parent_device = Info(_parent_device, "What this sub-device is a part of. InvalidObjectError: it is no sub-device.")
    partition_max_sub_devices = Info(uint("PARTITION_MAX_SUB_DEVICES"), "Most sub-devices; max_compute_units at most.")
    partition_properties = Info(_partition_properties, "The ways to divide the device; empty if there is none.")
    partition_affinity_domains = Info(
        set_of("PARTITION_AFFINITY_DOMAIN", AFFINITY_BITS), "The domains that partition_by_affinity_domain takes."
    )
    partition_type_property = Info(_partition_type_property, "How the sub-device was made; no_partition: it is none.")
    partition_type_affinity_domain = Info(
        _partition_type_affinity_domain, "The domain that the sub-device was made by; not_applicable: by none."
    )
    reference_count = Info(_reference_count, "OpenCL's reference count; 1 for a device that is no sub-device.")
