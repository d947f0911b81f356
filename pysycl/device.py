"""Device: what kernels run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as as_index
from typing import Any, SupportsIndex

from pysycl import _core
from pysycl._devices.aspects import has_aspect
from pysycl._devices.device_info import AFFINITY_BITS, PARTITION_SCHEMES, DeviceInfo
from pysycl._runtime.lines import counted
from pysycl.enums import (
    Aspect,
    DeviceType,
    OpenclAspect,
    PartitionAffinityDomain,
    PartitionProperty,
    as_enum,
)
from pysycl.errors import InvalidParameterError, SyclRuntimeError
from pysycl.selector import Selector, all_devices, of_type, select

SCHEMES = {scheme: value for value, scheme in PARTITION_SCHEMES.items()}
DOMAINS = {domain: bit for bit, domain in AFFINITY_BITS.items()}


@_core.bind
class Device(DeviceInfo, _core.Device):
    """A device, chosen by a selector: `Device()`, `Device("gpu")`, `Device("opencl:cpu:0")`, `Device(function)`.

    Parameters
    ----------
    selector
        A DeviceType or its name, a filter string `backend:type:index`, a callable that gives each device a score, or a
        device. None: the default selector, which obeys PYSYCL_DEVICE.

    Raises
    ------
    SyclRuntimeError
        Nothing is selected. The message says what there is, and where drivers were searched.

    Notes
    -----
    SYCL 2020, 4.6.4. The provisional specification's host device does not exist in SYCL 2020: a CPU device takes its
    place, and `is_host` is always False. Two OpenCL devices that PoCL makes of one CPU are one device here; `int_ptr`
    is the one with the thread pool.

    Examples
    --------
    >>> sycl.Device("cpu").device_type
    <DeviceType.cpu: 'cpu'>
    >>> sycl.Device(lambda device: device.max_compute_units) in sycl.devices()
    True
    """

    __slots__ = ("__weakref__",)

    @_core.entry
    def __new__(cls, selector: Device | DeviceType | str | Selector | None = None) -> Device:
        return select(selector)

    @staticmethod
    def get_devices(device_type: DeviceType | str = DeviceType.all) -> list[Device]:
        """All devices of a type, of all platforms.

        Parameters
        ----------
        device_type
            A DeviceType or its name, such as "gpu".

        Returns
        -------
        list[Device]
            Empty if there is none.

        Raises
        ------
        InvalidParameterError
            A name that no type has.

        Examples
        --------
        >>> queue.device in sycl.Device.get_devices()
        True
        """
        return devices(device_type)

    @property
    def is_host(self) -> bool:
        """False: SYCL 2020 has no host device."""
        return self.has(Aspect.host)

    @property
    def is_cpu(self) -> bool:
        """True for a CPU."""
        return self.has(Aspect.cpu)

    @property
    def is_gpu(self) -> bool:
        """True for a GPU."""
        return self.has(Aspect.gpu)

    @property
    def is_accelerator(self) -> bool:
        """True for an accelerator."""
        return self.has(Aspect.accelerator)

    @property
    def is_sub_device(self) -> bool:
        """True for a part of another device."""
        return self._parent is not None

    @_core.entry
    def has(self, aspect: Aspect | OpenclAspect | str) -> bool:
        """True if the device has the aspect.

        Parameters
        ----------
        aspect
            An Aspect or its name, such as "fp64"; or an aspect of `pysycl.opencl`.

        Returns
        -------
        bool

        Raises
        ------
        InvalidParameterError
            A name that no aspect has.

        Examples
        --------
        >>> queue.device.has("gpu") == queue.device.is_gpu
        True
        """
        return has_aspect(self, aspect)

    @property
    def filter_string(self) -> str | None:
        """The filter string that selects this very device; None if there is none, as for a sub-device."""
        same = of_type(all_devices(), self.device_type)
        return f"{self.backend.value}:{self.device_type.value}:{same.index(self)}" if self in same else None

    @_core.entry
    def create_sub_devices(
        self,
        prop: PartitionProperty | str,
        value: SupportsIndex | Sequence[SupportsIndex] | PartitionAffinityDomain | str,
    ) -> list[Device]:
        """Divides the device.

        Parameters
        ----------
        prop
            How to divide it.
        value
            For `partition_equally` the number of compute units of each sub-device, for `partition_by_counts` a sequence
            of such numbers, one for each, for `partition_by_affinity_domain` a PartitionAffinityDomain.

        Returns
        -------
        list[Device]
            The parts, each of them a device for contexts and queues of its own.

        Raises
        ------
        FeatureNotSupportedError
            The device cannot be divided like this.
        InvalidParameterError
            More compute units or sub-devices are asked for than there are; or a way to divide that does not exist.

        Examples
        --------
        >>> parts = sycl.Device("cpu").create_sub_devices("partition_equally", 1)
        >>> parts[0].max_compute_units, parts[0].is_sub_device
        (1, True)
        """
        scheme = as_enum(PartitionProperty, prop, "prop")
        if scheme is PartitionProperty.no_partition:
            raise InvalidParameterError("prop is no_partition, which divides nothing")
        return self._partition(SCHEMES[scheme], _partition_values(scheme, value))

    def __repr__(self) -> str:
        try:
            driver = self.driver_version
        except SyclRuntimeError as error:  # a traceback or a log line must not fail, in a forked child or at exit
            return f"<pysycl.Device {self.name!r} ({type(error).__name__})>"
        product = "PoCL" if "PoCL" in self.platform.version else self.platform.name
        made_by = driver if product.split()[0] in driver else f"{product} {driver}"
        units = self.max_compute_units
        where = self.filter_string or f"sub-device of {counted(units, 'compute unit')}"
        return f"<pysycl.Device {self.name!r} {where} {made_by}>"

    def __reduce__(self) -> tuple[Callable[[str, str, int], Device], tuple[str, str, int]]:
        siblings = self.platform._devices
        if self not in siblings:
            raise TypeError(f"{self!r} cannot be pickled: only devices that platforms list can")
        return unpickle, (self.platform.name, self.platform.version, siblings.index(self))


def _partition_values(scheme: PartitionProperty, value: Any) -> list[int]:
    """The numbers that OpenCL wants for a scheme; what does not fit is refused by name."""
    if scheme is PartitionProperty.partition_by_affinity_domain:
        domain = as_enum(PartitionAffinityDomain, value, "value")
        if domain not in DOMAINS:
            raise InvalidParameterError(f"value is {domain.value}, which is no domain to divide by")
        return [DOMAINS[domain]]
    many = scheme is PartitionProperty.partition_by_counts
    if isinstance(value, str) or isinstance(value, Sequence) is not many:
        wanted = "a sequence of numbers of compute units" if many else "a number of compute units"
        raise TypeError(f"value must be {wanted} for {scheme.value}, not {value!r}")
    return [as_index(each) for each in (value if many else [value])]


def unpickle(platform: str, version: str, index: int) -> Device:
    """The device that was pickled, if this process has it too."""
    for each in _core.platforms():
        if each.name == platform and each.version == version and index < len(each._devices):
            return each._devices[index]
    raise SyclRuntimeError(f"the pickled device {index} of the platform {platform!r} ({version}) is not here")


def _words(device: Device) -> tuple[str, str, int, str]:
    memory = f"{device.global_mem_size / 2**30:.1f} GiB"
    return device.name, device.device_type.value, device.max_compute_units, memory


class Devices(list["Device"]):
    """A list of devices, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from pysycl._notebook.html import table

        heads = ("device", "type", "compute units", "memory", "platform", "driver")
        rows = [(*_words(device), device.platform.name, device.driver_version) for device in self]
        return table(heads, rows, left=(0, 1, 4, 5))


def devices(device_type: DeviceType | str | None = None) -> list[Device]:
    """All devices, or those of one type, of all platforms. SYCL 2020, 4.6.4.

    Parameters
    ----------
    device_type
        A DeviceType or its name, such as "gpu"; None: all.

    Returns
    -------
    list[Device]
        Empty if there is no driver. A notebook shows a table.

    Examples
    --------
    >>> all(device.device_type.value == "cpu" for device in sycl.devices("cpu"))
    True
    """
    kind = DeviceType.all if device_type is None else as_enum(DeviceType, device_type, "device_type")
    return Devices(of_type(all_devices(), kind))
