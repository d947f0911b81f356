"""Context: devices of one platform that share programs and memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NoReturn, TypeVar

from pysycl import _core
from pysycl._runtime.handle import BackendHandle
from pysycl._runtime.info import Info
from pysycl._runtime.properties import HasProperties
from pysycl.device import Device
from pysycl.enums import DeviceType
from pysycl.platform import Platform
from pysycl.selector import Selector, select

T = TypeVar("T")


def _common(name: str) -> Callable[[Context], list[Any]]:
    """The part of a capability that all devices of the context report."""

    def read(context: Context) -> list[Any]:
        return reduce(
            lambda left, right: [each for each in left if each in right],
            (device.get_info(name) for device in context._devices),
        )

    return read


def _platform(context: Context) -> Platform:
    return context._platform


def _devices(context: Context) -> list[Device]:
    return context._devices


def _reference_count(context: Context) -> int:
    return context._reference_count


@_core.bind
class Context(HasProperties, BackendHandle, _core.Context):
    """A context over one or more devices of one platform.

    Parameters
    ----------
    devices
        A device, what selects one (see Device), or a sequence of devices. None: the default device.
    async_handler
        Called with the asynchronous errors of queues in this context that have no handler of their own.

    Raises
    ------
    InvalidParameterError
        The devices are of several platforms.

    Notes
    -----
    SYCL 2020, 4.6.3. It has no properties yet: every other keyword is refused.

    Examples
    --------
    >>> context = sycl.Context(queue.device)
    >>> sycl.Queue(context=context).context == context
    True
    """

    __slots__ = ()

    platform = Info(_platform, "The platform of all devices.")
    devices = Info(_devices, "The devices, each once.")
    atomic_memory_order_capabilities = Info(
        _common("atomic_memory_order_capabilities"), "Memory orders of atomic operations that all devices have."
    )
    atomic_fence_order_capabilities = Info(
        _common("atomic_fence_order_capabilities"), "Memory orders of fences that all devices have."
    )
    atomic_memory_scope_capabilities = Info(
        _common("atomic_memory_scope_capabilities"), "Memory scopes of atomic operations that all devices have."
    )
    atomic_fence_scope_capabilities = Info(
        _common("atomic_fence_scope_capabilities"), "Memory scopes of fences that all devices have."
    )
    reference_count = Info(_reference_count, "OpenCL's reference count.")

    @_core.entry
    def __new__(
        cls,
        devices: Device | DeviceType | str | Selector | Sequence[Device] | None = None,
        async_handler: Callable[..., object] | None = None,
    ) -> Context:
        if isinstance(devices, Sequence) and not isinstance(devices, str):
            return super().__new__(cls, list(devices), async_handler)
        return super().__new__(cls, [select(devices)], async_handler)

    def __repr__(self) -> str:
        names = [device.name for device in self._devices]
        return f"<pysycl.Context of {', '.join(map(repr, names))} on {self.platform.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: a context lives in one process; pickle its devices")


def context_of(where: Context | Device | str | None) -> Context:
    """The context itself, or that of the queues of the device that is given or selected."""
    if isinstance(where, _core.Context):
        return where
    return _core.default_context(select(where))
