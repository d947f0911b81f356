"""Choosing a device: ranking functions, filter strings, and the default.

A selector is any callable that gives a device a score; the device with the highest score is taken, and a negative score
means never. A filter string is `backend:type:index`, each part optional: "gpu", "opencl:cpu:0", "cpu:1", "0". The index
counts the devices that match the other parts, in the order of `devices()`; without it the best of them is taken.
The environment variable PYSYCL_DEVICE holds a filter string that the default selector obeys.

The default score: a GPU 1000 and one for each compute unit (at most 500 of them), a CPU 300, an accelerator 200. PoCL,
whose devices answer small commands on the calling thread, gets ten for each major and one for each minor version on
top, so that the newest PoCL is the default CPU. Emulators, Oclgrind among them, get 1: they are taken when there is
nothing else. Custom devices, devices that cannot compile kernels and devices that are not available are never taken by
default.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from operator import index as as_index
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, TypeAlias

from pysycl import _core
from pysycl.enums import Aspect, Backend, DeviceType, as_enum
from pysycl.errors import InvalidParameterError, SyclRuntimeError

if TYPE_CHECKING:
    from pysycl.device import Device

Selector: TypeAlias = "Callable[[Device], int]"
VARIABLE = "PYSYCL_DEVICE"
BASE_SCORES = {DeviceType.gpu: 1000, DeviceType.cpu: 300, DeviceType.accelerator: 200}
INSTALL = "To install a driver for the CPU of Linux x86-64: python -m pip install pocl-binary-distribution"


class Filter(NamedTuple):
    """A filter string, taken apart."""

    text: str
    backend: Backend | None
    type: DeviceType | None
    number: int | None

    def find(self, devices: list[Device]) -> list[Device]:
        """The devices that the filter leaves: one at most if it has an index."""
        found = of_type(devices, self.type or DeviceType.all) if self.backend in (None, Backend.opencl) else []
        return found if self.number is None else found[self.number : self.number + 1]


def all_devices() -> list[Device]:
    return [device for platform in _core.platforms() for device in platform._devices]


def of_type(devices: list[Device], kind: DeviceType) -> list[Device]:
    """The `devices` of a type; "automatic" is the default device, if it is one of them."""
    if kind is DeviceType.all:
        return devices
    if kind is DeviceType.automatic:
        default = rank(default_selector, all_devices())
        return [device for device in devices if device == default]
    return [device for device in devices if device.device_type is kind]


def parse_filter(text: str, source: str = "the filter") -> Filter:
    """Takes a filter string apart. `source` is how the error message calls it. A part that is left out may leave its colon:
    opencl::1."""
    words = [word for word in text.strip().lower().split(":") if word] or [""]
    backend = (
        Backend(words.pop(0)) if words[0] in Backend.__members__ and words[0] not in DeviceType.__members__ else None
    )
    kind = DeviceType(words.pop(0)) if words and words[0] in DeviceType.__members__ else None
    number = int(words.pop(0)) if words and re.fullmatch("[0-9]+", words[0]) else None
    if words or (backend is None and kind is None and number is None):
        raise SyclRuntimeError(
            f"{source} {text!r} is not backend:type:index. Each part is optional; the backend is opencl, the type "
            f"one of {', '.join(DeviceType.__members__)}, the index a number"
        )
    return Filter(text, backend, kind, number)


def _check(device: object) -> None:
    """A selector is called with devices; somebody may call it with what it selects for."""
    if not isinstance(device, _core.Device):
        raise InvalidParameterError(
            f"device: a selector ranks one Device, got {device!r}: sycl.Device(selector) and sycl.Queue(selector) call it"
        )


def score(device: Device) -> int:
    """The default score, as the module's text tells."""
    _check(device)
    if not (device.is_available and device.has(Aspect.online_compiler)):
        return -1
    if device.has(Aspect.emulated):
        return 1
    base = BASE_SCORES.get(device.device_type, -1)
    if device.is_gpu:
        return base + min(device.max_compute_units, 500)
    version = re.search(r"PoCL (\d+)\.(\d+)", device.platform.version)
    return base if version is None or base < 0 else base + 10 * int(version[1]) + min(int(version[2]), 9)


def default_selector(device: Device) -> int:
    """The default score; if PYSYCL_DEVICE is set, only for the devices that it lets pass.

    Parameters
    ----------
    device
        The device.

    Returns
    -------
    int
        Negative: never.

    Raises
    ------
    InvalidParameterError
        Something else than a Device.

    Examples
    --------
    >>> max(sycl.devices(), key=sycl.default_selector) == sycl.Device()
    True
    """
    _check(device)
    text = os.environ.get(VARIABLE)
    if not text:
        return score(device)
    wanted = parse_filter(text, VARIABLE)
    if wanted.type is DeviceType.automatic:
        wanted = wanted._replace(type=None)
    return max(score(device), 0) if device in wanted.find(all_devices()) else -1


def cpu_selector(device: Device) -> int:
    """The default score for CPUs, never for others.

    Parameters, Returns as for `default_selector`.

    Examples
    --------
    >>> sycl.Device(sycl.cpu_selector).is_cpu
    True
    """
    _check(device)
    return score(device) if device.is_cpu else -1


def gpu_selector(device: Device) -> int:
    """The default score for GPUs, never for others.

    Parameters, Returns as for `default_selector`.

    Examples
    --------
    >>> sycl.gpu_selector(sycl.Device("cpu"))
    -1
    """
    _check(device)
    return score(device) if device.is_gpu else -1


def accelerator_selector(device: Device) -> int:
    """The default score for accelerators, never for others.

    Parameters, Returns as for `default_selector`.

    Examples
    --------
    >>> sycl.accelerator_selector(sycl.Device("cpu"))
    -1
    """
    _check(device)
    return score(device) if device.is_accelerator else -1


def host_selector(device: Device) -> int:
    """The provisional specification's host selector, which always finds a device: CPUs stand in for the host.

    Parameters as for `default_selector`.

    Returns
    -------
    int
        1000 and more for CPUs, else 0.

    Examples
    --------
    >>> sycl.host_selector(sycl.Device("cpu")) >= 1000
    True
    """
    _check(device)
    return 1000 + max(score(device), 0) if device.is_cpu else 0


default_selector_v = default_selector
host_selector_v = host_selector
cpu_selector_v = cpu_selector
gpu_selector_v = gpu_selector
accelerator_selector_v = accelerator_selector


def aspect_selector(*aspects: Aspect | str | Iterable[Aspect | str], deny: Iterable[Aspect | str] = ()) -> Selector:
    """A selector of devices that have all `aspects` and none of `deny`. SYCL 2020, 4.6.1.1.

    Parameters
    ----------
    *aspects
        Aspects or their names, one by one or as one list.
    deny
        Aspects or their names.

    Returns
    -------
    callable
        To be given to Device or Queue: the default score, or -1.

    Raises
    ------
    InvalidParameterError
        A name that no aspect has.

    Examples
    --------
    >>> sycl.Device(sycl.aspect_selector("cpu", deny=["emulated"])).is_cpu
    True
    """
    flat = [each for item in aspects for each in ([item] if isinstance(item, Aspect | str) else item)]
    wanted = [as_enum(Aspect, each, "an aspect") for each in flat]
    unwanted = [as_enum(Aspect, each, "a denied aspect") for each in deny]

    def selector(device: Device) -> int:
        _check(device)
        fits = all(map(device.has, wanted)) and not any(map(device.has, unwanted))
        return score(device) if fits else -1

    words = [each.value for each in wanted] + [f"not {each.value}" for each in unwanted]
    selector.__name__ = selector.__qualname__ = f"aspect_selector({', '.join(words)})"
    return selector


def no_device(reason: str, devices: list[Device]) -> SyclRuntimeError:
    """The error that says what was wanted, what there is, and, if there is nothing, where it was looked for."""
    if devices:
        return SyclRuntimeError(f"{reason}. The devices are:\n" + "\n".join(f"  {device!r}" for device in devices))
    searched = _core.describe_drivers().strip()
    return SyclRuntimeError(f"{reason}: there is no OpenCL device. Searched:\n{searched}\n{INSTALL}")


def rank(selector: Selector, devices: Iterable[Device]) -> Device | None:
    """The device with the highest score, the first of several; None if all scores are negative."""
    best, best_score = None, -1
    for device in devices:
        value = selector(device)
        if not isinstance(value, SupportsIndex):
            raise TypeError(f"the selector {_name(selector)} gave {value!r} for {device!r}, where an integer is wanted")
        if as_index(value) > best_score:
            best, best_score = device, as_index(value)
    return best


def select(what: Device | DeviceType | str | Selector | None = None) -> Device:
    """The device that a constructor is to use: `what` may be anything that chooses one. SYCL 2020, 4.6.1."""
    if isinstance(what, _core.Device):
        return what
    devices = all_devices()
    if isinstance(what, DeviceType):
        what = what.value
    if isinstance(what, str):
        return _select_by_filter(parse_filter(what), devices)
    if what is None:
        what = default_selector
    if not callable(what):
        raise TypeError(f"a device, a DeviceType, a filter string or a callable is wanted, not {type(what).__name__}")
    found = rank(what, devices)
    if found is None:
        variable = os.environ.get(VARIABLE)
        obeys = f" (which obeys {VARIABLE}={variable!r})" if what is default_selector and variable else ""
        raise no_device(f"the selector {_name(what)}{obeys} selects no device", devices)
    return found


def _select_by_filter(wanted: Filter, devices: list[Device]) -> Device:
    """The best device that the filter leaves. Asking for a type by name overrules the default score's "never"."""
    found = wanted.find(devices)
    if not found:
        raise no_device(f"the filter {wanted.text!r} matches no device", devices)
    return max(found, key=score)


def _name(selector: Selector) -> str:
    return getattr(selector, "__qualname__", None) or repr(selector)
