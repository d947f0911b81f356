"""Kernel bundles as bytes: what drivers store of each program, declarations of the kernels, and a checksum over all."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl import _core
from pysycl.errors import InvalidError, InvalidObjectError

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.kernel_bundle import KernelBundle
    from pysycl.program import Program

MAGIC = b"pysycl kernels 1\n"
DIGEST = 32
LENGTH = 8


class Piece(NamedTuple):
    """One program in a file."""

    declarations: str
    data: bytes


def _identity(device: Device) -> dict[str, str]:
    """Facts that must be the same where the binary is used again."""
    return {"platform": device.platform.name, "driver": device.driver_version, "device": device.name}


def pack(bundle: KernelBundle, device: Device) -> bytes:
    """The bundle's programs as they are on the device."""
    if bundle.state.value == "input":
        raise InvalidError("binary: the kernel bundle is in the state input; compile or build it first")
    pieces = [
        Piece(_core.program_declarations(program), _core.program_binary(program, bundle.context, device))
        for program in bundle._programs
    ]
    header: dict[str, Any] = {
        "made for": _identity(device),
        "programs": [{"declarations": each.declarations, "size": len(each.data)} for each in pieces],
    }
    words = json.dumps(header).encode()
    body = b"".join([len(words).to_bytes(LENGTH, "little"), words, *(each.data for each in pieces)])
    return MAGIC + sha256(body).digest() + body


def is_packed(data: bytes) -> bool:
    """True for what `pack` gives, damaged or not; a driver's own binary is none."""
    return data.startswith(MAGIC)


def _unpack(data: bytes, device: Device) -> list[Piece]:
    digest, body = data[len(MAGIC) : len(MAGIC) + DIGEST], data[len(MAGIC) + DIGEST :]
    if sha256(body).digest() != digest:
        raise InvalidObjectError("binary: the bytes are damaged: their checksum is not what it was")
    start = LENGTH + int.from_bytes(body[:LENGTH], "little")
    header = json.loads(body[LENGTH:start])
    made_for, here = header["made for"], _identity(device)
    if made_for != here:
        raise InvalidObjectError(
            f"binary: it was made for {made_for['device']} of {made_for['platform']} {made_for['driver']}, not for "
            f"{here['device']} of {here['platform']} {here['driver']}"
        )
    pieces = []
    for each in header["programs"]:
        pieces.append(Piece(each["declarations"], body[start : start + each["size"]]))
        start += each["size"]
    return pieces


def load(data: bytes, context: Context, declarations: str | None) -> list[Program]:
    """The programs of a packed bundle, or of one binary in a driver's own format."""
    device = context.devices[0]
    if is_packed(data):
        return [
            _core.program_from_bytes(context, each.data, each.declarations, False) for each in _unpack(data, device)
        ]
    return [_core.program_from_bytes(context, data, declarations, False)]
