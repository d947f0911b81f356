"""DeviceImage: a program of a kernel bundle for one device; and how far kernels are."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl.errors import InvalidError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.program import Program


class BundleState(Enum):
    """How far the kernels of a bundle are.

    Examples
    --------
    >>> bundle = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context)
    >>> bundle.state, sycl.build(bundle).state
    (<BundleState.input: 'input'>, <BundleState.executable: 'executable'>)
    """

    input = "input"
    object = "object"
    executable = "executable"


class DeviceImage:
    """A program of a kernel bundle for one of its devices. Two images of the same are equal.

    Parameters
    ----------
    program, context, device, state
        What it is an image of: bundles make them.

    Examples
    --------
    >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.device))
    >>> [image.kernel_names for image in bundle]
    [('f',)]
    """

    __slots__ = ("_context", "_device", "_program", "_state")

    def __init__(self, program: Program, context: Context, device: Device, state: BundleState) -> None:
        self._program, self._context, self._device, self._state = program, context, device, state

    @property
    def device(self) -> Device:
        """The device that it is for."""
        return self._device

    @property
    def state(self) -> BundleState:
        """How far its kernels are."""
        return self._state

    @property
    def program(self) -> Program:
        """The program that it is an image of."""
        return self._program

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The names of its kernels."""
        return self._program.kernel_names

    def has_kernel(self, name: str) -> bool:
        """True if it has a kernel of the name.

        Parameters
        ----------
        name
            The kernel's name.

        Returns
        -------
        bool

        Examples
        --------
        >>> bundle = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.device)
        >>> bundle.images[0].has_kernel("f")
        True
        """
        return checked_name(name) in self.kernel_names

    @property
    def native_binary(self) -> bytes:
        """Its binary, in the driver's own format. InvalidError: it is not compiled."""
        if self._state is BundleState.input:
            raise InvalidError("native_binary: a device image in the state input has no binary; compile or build it")
        return _core.program_binary(self._program, self._context, self._device)

    def _key(self) -> tuple[Any, ...]:
        return self._program, self._context, self._device, self._state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceImage) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<pysycl.DeviceImage of {', '.join(self.kernel_names) or 'no kernels'} for {self._device.name!r}>"


def checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise InvalidParameterError(f"name: expected the name of a kernel, got {name!r}")
    return name
