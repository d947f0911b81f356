"""Which features a device has: natively, emulated by pysycl, or not at all."""

from collections.abc import Callable
from dataclasses import dataclass

import pysycl as sycl

NATIVE, EMULATED, ABSENT = "native", "emulated", "absent"


@dataclass(frozen=True)
class Feature:
    """One row of the doctor's table; `note` says by what means, or what to do without."""

    name: str
    state: str
    note: str


def _aspect(name: str) -> Callable[[sycl.Device], tuple[str, str]]:
    return lambda device: (NATIVE if device.has(name) else ABSENT, "")


def _arrays(device: sycl.Device) -> tuple[str, str]:
    if device._facts["shares_host_memory"]:
        return NATIVE, "kernels work on the NumPy array itself"
    return EMULATED, "arrays are copied to the device and back"


def _small_launches(device: sycl.Device) -> tuple[str, str]:
    if len(device._lanes) > 1:
        return NATIVE, "small ready commands run on the calling thread"
    return ABSENT, "every command goes through the driver's queue"


def _out_of_order(device: sycl.Device) -> tuple[str, str]:
    if device._facts["out_of_order"]:
        return NATIVE, ""
    return EMULATED, "commands keep SYCL's order, independent ones do not overlap"


def _threads(device: sycl.Device) -> tuple[str, str]:
    if device._facts["thread_safe"]:
        return NATIVE, ""
    return ABSENT, "the driver's calls are not thread-safe: use one thread"


def _sub_devices(device: sycl.Device) -> tuple[str, str]:
    kinds = [kind.name for kind in device.partition_properties]
    return (NATIVE, ", ".join(kinds)) if kinds else (ABSENT, "")


def _sub_groups(device: sycl.Device) -> tuple[str, str]:
    sizes = f"of {', '.join(map(str, device.sub_group_sizes))} work-items"
    return (EMULATED if device._facts["sub_groups"] == 3 else NATIVE, sizes)


ROWS: tuple[tuple[str, Callable[[sycl.Device], tuple[str, str]]], ...] = (
    ("double precision", _aspect("fp64")),
    ("half precision", _aspect("fp16")),
    ("64-bit atomics", _aspect("atomic64")),
    ("zero-copy arrays", _arrays),
    ("launches on the calling thread", _small_launches),
    ("out-of-order queues", _out_of_order),
    ("profiling", _aspect("queue_profiling")),
    ("calls from several threads", _threads),
    ("sub-devices", _sub_devices),
    ("sub-groups", _sub_groups),
    ("images", _aspect("image")),
)


def features(device: sycl.Device) -> list[Feature]:
    return [Feature(name, *row(device)) for name, row in ROWS]
