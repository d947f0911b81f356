"""Queries of kernels: descriptors of the kernel, and of the kernel on a device."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pysycl import _core
from pysycl._devices.device_info import has_native_sub_groups
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl.errors import InvalidError, InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.kernel_bundle import KernelBundle

T = TypeVar("T")
CL = _core.cl_constants()
SUB_GROUP_ATTRIBUTE = re.compile(r"reqd_sub_group_size\((\d+)\)")


class OnDevice(Info[T]):
    """A descriptor of a kernel on a device: as a property, on the first device of the kernel's context."""

    def __init__(self, read: Callable[[Any, Device], T], doc: str) -> None:
        self.read_on = read
        super().__init__(lambda kernel: read(kernel, kernel.context.devices[0]), doc)


def _context(kernel: Any) -> Context:
    home: Context | None = _core.kernel_home(kernel)
    if home is not None:
        return home
    from pysycl.selector import select

    return _core.default_context(select(None))


def _bundle(kernel: Any) -> KernelBundle:
    if kernel._bundle is not None:
        own: KernelBundle = kernel._bundle
        return own
    from pysycl._kernels.device_image import BundleState
    from pysycl.kernel_bundle import make_bundle

    context = kernel.context
    kernel.program.build(context)
    return make_bundle(BundleState.executable, context, context.devices, [kernel.program])


def _attributes(kernel: Any) -> str:
    """Of a binary only the driver knows."""
    own: str = kernel._attributes
    if own or _core.program_origin(kernel.program)[0] == "text":
        return own
    return str(_core.kernel_query(kernel, kernel.context, CL["CL_KERNEL_ATTRIBUTES"], True)).strip()


def _reference_count(kernel: Any) -> int:
    return int(_core.kernel_query(kernel, kernel.context, CL["CL_KERNEL_REFERENCE_COUNT"], False))


def _where(kernel: Any, device: Device) -> Context:
    """The kernel's own context, or the device's."""
    home: Context | None = _core.kernel_home(kernel)
    return home or _core.default_context(device)


def _limit(index: int) -> Callable[[Any, Device], Any]:
    return lambda kernel, device: kernel._limits(_where(kernel, device), device)[index]


def _compile_work_group_size(kernel: Any, device: Device) -> tuple[int, int, int]:
    size: tuple[int, int, int] | None = kernel._limits(_where(kernel, device), device)[2]
    return size or (0, 0, 0)


def _preferred_multiple(kernel: Any, device: Device) -> int:
    most, multiple, *_ = kernel._limits(_where(kernel, device), device)
    return int(min(most, multiple))


def _global_work_size(kernel: Any, device: Device) -> tuple[int, int, int]:
    if device.device_type.value != "custom" and _core.program_origin(kernel.program)[0] != "built_in":
        raise InvalidError(
            f"global_work_size: kernel '{kernel.name}' is no built-in kernel, and {device.name!r} no custom device"
        )
    return _core.kernel_sizes(kernel, _where(kernel, device), device, CL["CL_KERNEL_GLOBAL_WORK_SIZE"])


def _sub_groups(kernel: Any, device: Device, what: str) -> int:
    size = kernel._limits(_where(kernel, device), device)[0]
    return _core.kernel_sub_groups(kernel, _where(kernel, device), device, CL[what], (1, 1, size))


def _own_size(kernel: Any, device: Device) -> int:
    """Of the sub-groups that the device library makes."""
    return _core.kernel_sub_group_size(kernel, _where(kernel, device))[0]


def _max_sub_group_size(kernel: Any, device: Device) -> int:
    if has_native_sub_groups(device):
        return _sub_groups(kernel, device, "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE")
    return min(_own_size(kernel, device), int(_limit(0)(kernel, device)))


def _max_num_sub_groups(kernel: Any, device: Device) -> int:
    if has_native_sub_groups(device):
        return _sub_groups(kernel, device, "CL_KERNEL_MAX_NUM_SUB_GROUPS")
    return -(-int(_limit(0)(kernel, device)) // _own_size(kernel, device))


def _compile_num_sub_groups(kernel: Any, device: Device) -> int:
    return _sub_groups(kernel, device, "CL_KERNEL_COMPILE_NUM_SUB_GROUPS") if has_native_sub_groups(device) else 0


def _compile_sub_group_size(kernel: Any, device: Device) -> int:
    required = _core.kernel_sub_group_size(kernel, _where(kernel, device))[1]
    found = SUB_GROUP_ATTRIBUTE.search("" if required else _attributes(kernel))
    return int(found[1]) if found else required


class KernelInfo(BackendHandle):
    """The descriptors of a kernel. SYCL 2020, 4.11.14; the first ten need no build."""

    __slots__ = ()

    function_name = Info[str](lambda kernel: kernel.name, "The name of its function.")
    num_args = Info[int](lambda kernel: len(kernel.parameters), "How many arguments it takes.")
    attributes = Info(_attributes, 'Its attributes, as the text has them: "reqd_work_group_size(8,4,1)".')
    context = Info(_context, "The context that it belongs to; of a program's kernel, the default device's.")
    kernel_bundle = Info(_bundle, "The executable bundle that it is of: of its program alone, if none gave it.")
    module = Info(_bundle, "The provisional specification's word for kernel_bundle.")
    reference_count = Info(_reference_count, "OpenCL's reference count of a cl_kernel of it.")

    work_group_size = OnDevice[int](_limit(0), "The most work-items of a group.")
    preferred_work_group_size_multiple = OnDevice(_preferred_multiple, "Groups of multiples of it do best.")
    compile_work_group_size = OnDevice(
        _compile_work_group_size, "The local size that its text requires, in SYCL's order; zeros if it requires none."
    )
    private_mem_size = OnDevice[int](_limit(4), "Bytes of private memory of a work-item, at least.")
    local_mem_size = OnDevice[int](_limit(3), "Bytes of local memory of a group, without its arguments.")
    global_work_size = OnDevice(_global_work_size, "Of built-in kernels and on custom devices: the largest range.")
    max_sub_group_size = OnDevice(_max_sub_group_size, "The most work-items of a sub-group.")
    max_num_sub_groups = OnDevice(_max_num_sub_groups, "The most sub-groups of a work-group.")
    compile_num_sub_groups = OnDevice(_compile_num_sub_groups, "Sub-groups that its text requires; 0 for none.")
    compile_sub_group_size = OnDevice(
        _compile_sub_group_size, "Work-items of a sub-group that its text requires; 0 for none."
    )

    @overload
    def get_info(self, param: str, device: Device | None = None) -> Any: ...
    @overload
    def get_info(self, param: Info[T], device: Device | None = None) -> T: ...
    @_core.entry
    def get_info(self, param: str | Info[T], device: Device | None = None) -> Any:
        """The value of a descriptor, given by name or as `Kernel.descriptor`; on a device, where it has one for each.

        Parameters
        ----------
        param
            A descriptor, as `Kernel.num_args`, or its name.
        device
            One of the context's devices, for descriptors that depend on one.

        Returns
        -------
        object
            Of the descriptor's type.

        Raises
        ------
        InvalidParameterError
            There is no such descriptor, or it does not depend on a device and one is given.
        InvalidObjectError
            The device is none of the kernel's context.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> kernel.get_info("num_args")
        1
        >>> kernel.get_info("work_group_size", queue.device) > 0
        True
        """
        if device is None:
            return super().get_info(param)
        name = param.name if isinstance(param, Info) else param
        row = getattr(type(self), name, None) if isinstance(name, str) else None
        if not isinstance(row, Info):
            self._refuse(param)
        if not isinstance(row, OnDevice):
            raise InvalidParameterError(f"{row.name}: it is the same on all devices, so none can be given")
        me: Any = self
        home: Context | None = _core.kernel_home(me)
        if home is not None and device not in home.devices:
            raise InvalidObjectError(f"device: {device!r} is none of the kernel's context")
        return row.read_on(self, device)

    @_core.entry
    def get_work_group_info(self, param: str | Info[T], device: Device) -> Any:
        """As `get_info` with a device: the name that SYCL deprecates.

        Parameters, Returns as for `Kernel.get_info`.

        Raises
        ------
        InvalidParameterError, InvalidObjectError
            As for `Kernel.get_info`.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> kernel.get_work_group_info("work_group_size", queue.device) > 0
        True
        """
        return self.get_info(param, device)
