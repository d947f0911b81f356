"""SYCL's enumerations of devices, platforms, contexts, events and accessors; each accepts its members' names as strings."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from pysycl.errors import InvalidParameterError

E = TypeVar("E", bound=Enum)


def as_enum(cls: type[E], value: E | str, argument: str) -> E:
    """The member that `value` is or names. `argument` is how the caller's error message calls it."""
    if isinstance(value, cls):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be {cls.__name__} or a name of its members, not {type(value).__name__}")
    member = cls.__members__.get(value) or cls._value2member_map_.get(value)
    if not isinstance(member, cls):
        names = ", ".join(str(each.value) for each in cls)
        raise InvalidParameterError(f"{argument} is {value!r}, which is no {cls.__name__}: it must be one of {names}")
    return member


class Backend(Enum):
    """The base of a platform. `host` is the draft's: SYCL 2020 dropped it, and no platform here has it.

    Examples
    --------
    >>> queue.device.backend
    <Backend.opencl: 'opencl'>
    """

    opencl = "opencl"
    host = "host"


class DeviceType(Enum):
    """Kinds of devices. `automatic` is the default device's own, `host` (dropped from SYCL 2020) matches no device.

    Examples
    --------
    >>> sycl.Device(sycl.DeviceType.cpu).is_cpu
    True
    """

    cpu = "cpu"
    gpu = "gpu"
    accelerator = "accelerator"
    custom = "custom"
    automatic = "automatic"
    host = "host"
    all = "all"


class Aspect(Enum):
    """Features that a device may or may not have.

    The names are those of SYCL 2020. The provisional specification's `host` (never set: the CPU device takes the host
    device's place), `int64_base_atomics`, `int64_extended_atomics` (both together are `atomic64`),
    `usm_restricted_shared_allocations` and `usm_system_allocator` stay.

    Examples
    --------
    >>> sycl.Device("cpu").has(sycl.Aspect.cpu)
    True
    """

    cpu = "cpu"
    gpu = "gpu"
    accelerator = "accelerator"
    custom = "custom"
    emulated = "emulated"
    host_debuggable = "host_debuggable"
    host = "host"
    fp16 = "fp16"
    fp64 = "fp64"
    atomic64 = "atomic64"
    int64_base_atomics = "int64_base_atomics"
    int64_extended_atomics = "int64_extended_atomics"
    image = "image"
    online_compiler = "online_compiler"
    online_linker = "online_linker"
    queue_profiling = "queue_profiling"
    usm_device_allocations = "usm_device_allocations"
    usm_host_allocations = "usm_host_allocations"
    usm_atomic_host_allocations = "usm_atomic_host_allocations"
    usm_shared_allocations = "usm_shared_allocations"
    usm_atomic_shared_allocations = "usm_atomic_shared_allocations"
    usm_restricted_shared_allocations = "usm_restricted_shared_allocations"
    usm_system_allocations = "usm_system_allocations"
    usm_system_allocator = usm_system_allocations


class OpenclAspect(Enum):
    """Further features of an OpenCL device: pysycl.opencl.Aspect. The values are the names of OpenCL's extensions.

    The draft's 3d_image_writes is no name in Python. Sharing with other interfaces is for native code: pysycl tells of it.
    """

    image_writes_3d = "cl_khr_3d_image_writes"
    khr_gl_sharing = "cl_khr_gl_sharing"
    apple_gl_sharing = "cl_apple_gl_sharing"
    d3d10_sharing = "cl_khr_d3d10_sharing"
    d3d11_sharing = "cl_khr_d3d11_sharing"
    dx9_media_sharing = "cl_khr_dx9_media_sharing"


class PartitionProperty(Enum):
    """Ways to divide a device into sub-devices.

    Examples
    --------
    >>> sycl.PartitionProperty.partition_equally in sycl.Device("cpu").partition_properties
    True
    """

    no_partition = "no_partition"
    partition_equally = "partition_equally"
    partition_by_counts = "partition_by_counts"
    partition_by_affinity_domain = "partition_by_affinity_domain"


class PartitionAffinityDomain(Enum):
    """The cache or node that the compute units of a sub-device share.

    Examples
    --------
    >>> all(domain in sycl.PartitionAffinityDomain for domain in queue.device.partition_affinity_domains)
    True
    """

    not_applicable = "not_applicable"
    numa = "numa"
    L4_cache = "L4_cache"
    L3_cache = "L3_cache"
    L2_cache = "L2_cache"
    L1_cache = "L1_cache"
    next_partitionable = "next_partitionable"


class LocalMemType(Enum):
    """Where local memory lies. `global` is a word of Python, so the member is `global_`; as a string it is "global".

    Examples
    --------
    >>> sycl.LocalMemType("global") is sycl.LocalMemType.global_
    True
    >>> queue.device.local_mem_type in sycl.LocalMemType
    True
    """

    none = "none"
    local = "local"
    global_ = "global"


class GlobalMemCacheType(Enum):
    """How global memory is cached.

    Examples
    --------
    >>> queue.device.global_mem_cache_type in sycl.GlobalMemCacheType
    True
    """

    none = "none"
    read_only = "read_only"
    read_write = "read_write"


class FpConfig(Enum):
    """Abilities of the floating point of one width.

    Examples
    --------
    >>> sycl.FpConfig.round_to_nearest in queue.device.single_fp_config
    True
    """

    denorm = "denorm"
    inf_nan = "inf_nan"
    round_to_nearest = "round_to_nearest"
    round_to_zero = "round_to_zero"
    round_to_inf = "round_to_inf"
    fma = "fma"
    correctly_rounded_divide_sqrt = "correctly_rounded_divide_sqrt"
    soft_float = "soft_float"


class ExecutionCapability(Enum):
    """The kernels that a device executes; SYCL needs `exec_kernel` only.

    Examples
    --------
    >>> sycl.ExecutionCapability.exec_kernel in queue.device.execution_capabilities
    True
    """

    exec_kernel = "exec_kernel"
    exec_native_kernel = "exec_native_kernel"


class MemoryOrder(Enum):
    """How an atomic operation or fence orders the memory accesses around it.

    Examples
    --------
    >>> sycl.MemoryOrder.relaxed in queue.device.atomic_memory_order_capabilities
    True
    """

    relaxed = "relaxed"
    acquire = "acquire"
    release = "release"
    acq_rel = "acq_rel"
    seq_cst = "seq_cst"


class MemoryScope(Enum):
    """Between which work-items a memory order holds.

    Examples
    --------
    >>> sycl.MemoryScope.work_group in queue.device.atomic_memory_scope_capabilities
    True
    """

    work_item = "work_item"
    sub_group = "sub_group"
    work_group = "work_group"
    device = "device"
    system = "system"


class EventCommandStatus(Enum):
    """How far the command of an event is.

    Examples
    --------
    >>> event = queue.single_task("y[0] = 1;", y=sycl.Buffer(1, np.int32))
    >>> event.wait()
    >>> event.status
    <EventCommandStatus.complete: 'complete'>
    """

    submitted = "submitted"
    running = "running"
    complete = "complete"


class AccessMode(Enum):
    """An accessor's use of the memory. `write` keeps what it does not write: only `no_init` drops contents.

    `discard_write` and `discard_read_write` are SYCL 1.2's words for `no_init`, `atomic` (a kind of `read_write`) is
    what atomic references came instead of; all three are deprecated.

    Examples
    --------
    >>> sycl.Accessor(sycl.Buffer(4, np.int32), mode=sycl.AccessMode.read).mode
    <AccessMode.read: 'read'>
    """

    __hash__ = object.__hash__  # Enum's own is Python code, and each accessor looks its mode and target up
    read = "read"
    write = "write"
    read_write = "read_write"
    discard_write = "discard_write"
    discard_read_write = "discard_read_write"
    atomic = "atomic"


class Target(Enum):
    """Where an accessor is used: in kernels and other commands of a device, or in a host task.

    `global_buffer` is the provisional specification's word for `device`; `constant_buffer` (read only, for `__constant`
    pointers) is deprecated. The others name what classes of their own are for: LocalAccessor, HostAccessor, and the
    accessors of images.

    Examples
    --------
    >>> b, sums = sycl.Buffer(np.arange(3)), []
    >>> with queue.submit() as h:
    ...     a = h.read(b, target=sycl.Target.host_task)
    ...     h.host_task(lambda: sums.append(int(a.data.sum())))
    >>> h.event.wait()
    >>> sums
    [3]
    """

    __hash__ = object.__hash__
    device = "device"
    host_task = "host_task"
    constant_buffer = "constant_buffer"
    local = "local"
    host_buffer = "host_buffer"
    unsampled_image = "unsampled_image"
    sampled_image = "sampled_image"
    host_unsampled_image = "host_unsampled_image"
    host_sampled_image = "host_sampled_image"
    global_buffer = "device"
