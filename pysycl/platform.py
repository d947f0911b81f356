"""Platform: the devices of one OpenCL implementation."""

from __future__ import annotations

from collections.abc import Callable

from pysycl import _core
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl._runtime.lines import counted
from pysycl.device import Device
from pysycl.enums import Aspect, DeviceType, OpenclAspect, as_enum
from pysycl.errors import SyclRuntimeError
from pysycl.selector import Selector, of_type, select

CL = _core.cl_constants()


def _text(name: str) -> Callable[[Platform], str]:
    what = CL[f"CL_PLATFORM_{name}"]
    return lambda platform: platform._query(what).strip()


def _extensions(platform: Platform) -> list[str]:
    return platform._query(CL["CL_PLATFORM_EXTENSIONS"]).split()


@_core.bind
class Platform(BackendHandle, _core.Platform):
    """The platform of the device that a selector chooses; see Device for the selectors.

    Parameters
    ----------
    selector
        As for Device. None: the default selector, which obeys PYSYCL_DEVICE.

    Raises
    ------
    SyclRuntimeError
        Nothing is selected.

    Notes
    -----
    SYCL 2020, 4.6.2. `Platform()` is the default device's platform; the provisional specification's host platform does
    not exist.

    Examples
    --------
    >>> sycl.Platform() == sycl.Device().platform
    True
    """

    __slots__ = ("__weakref__",)

    profile = Info(_text("PROFILE"), "FULL_PROFILE or EMBEDDED_PROFILE.")
    version = Info(_text("VERSION"), "The version of OpenCL, with the implementation's addition.")
    name = Info(_text("NAME"), "The implementation's name.")
    vendor = Info(_text("VENDOR"), "The vendor's name.")
    extensions = Info(_extensions, "Deprecated: the OpenCL extensions that all devices have.")

    @_core.entry
    def __new__(cls, selector: Device | DeviceType | str | Selector | None = None) -> Platform:
        return select(selector).platform

    @staticmethod
    def get_platforms() -> list[Platform]:
        """All platforms that have a device.

        Returns
        -------
        list[Platform]
            Empty if there is no driver.

        Examples
        --------
        >>> queue.platform in sycl.Platform.get_platforms()
        True
        """
        return platforms()

    @property
    def devices(self) -> list[Device]:
        """All its devices, without sub-devices."""
        return self._devices

    @_core.entry
    def get_devices(self, device_type: DeviceType | str = DeviceType.all) -> list[Device]:
        """Its devices of one type; an empty list if there are none.

        Parameters
        ----------
        device_type
            A DeviceType or its name, such as "gpu".

        Returns
        -------
        list[Device]

        Raises
        ------
        InvalidParameterError
            A name that no type has.

        Examples
        --------
        >>> queue.device in queue.platform.get_devices(queue.device.device_type)
        True
        """
        return of_type(self._devices, as_enum(DeviceType, device_type, "device_type"))

    @_core.entry
    def has(self, aspect: Aspect | OpenclAspect | str) -> bool:
        """True if all its devices have the aspect.

        Parameters, Returns, Raises as for `Device.has`.

        Examples
        --------
        >>> queue.platform.has("fp64") == all(device.has("fp64") for device in queue.platform.devices)
        True
        """
        wanted = aspect if isinstance(aspect, OpenclAspect) else as_enum(Aspect, aspect, "aspect")
        return all(device.has(wanted) for device in self._devices)

    def has_extension(self, name: str) -> bool:
        """Deprecated: true if all its devices have the OpenCL extension.

        Parameters
        ----------
        name
            OpenCL's name of the extension.

        Returns
        -------
        bool

        Examples
        --------
        >>> queue.platform.has_extension("cl_no_such_thing")
        False
        """
        return all(device.has_extension(name) for device in self._devices)

    def __repr__(self) -> str:
        version, count = " ".join(self.version.split()[:2]), len(self._devices)
        return f"<pysycl.Platform {self.name!r} {version}, {counted(count, 'device')}>"

    def __reduce__(self) -> tuple[Callable[[str, str], Platform], tuple[str, str]]:
        return unpickle, (self.name, self.version)


def unpickle(name: str, version: str) -> Platform:
    """The platform that was pickled, if this process has it too."""
    for each in platforms():
        if (each.name, each.version) == (name, version):
            return each
    raise SyclRuntimeError(f"the pickled platform {name!r} ({version}) is not here")


def platforms() -> list[Platform]:
    """All platforms that have a device; empty if there is no driver. SYCL 2020, 4.6.2.

    Returns
    -------
    list[Platform]

    Examples
    --------
    >>> queue.platform in sycl.platforms()
    True
    """
    return _core.platforms()
