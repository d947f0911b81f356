"""Kernel bundles by what they are for: of given sources, or of all programs of the process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pysycl import _core
from pysycl._kernels.bundle_steps import build, compile
from pysycl._kernels.device_image import BundleState
from pysycl._kernels.kernel import Kernel
from pysycl.context import context_of
from pysycl.enums import as_enum
from pysycl.errors import InvalidParameterError, KernelNotSupportedError
from pysycl.kernel_bundle import KernelBundle, devices_of, make_bundle, programs_of
from pysycl.program import Program, registered

if TYPE_CHECKING:
    from pysycl.device import Device
    from pysycl.kernel_bundle import Source, Where


def get_kernel_bundle(
    where: Where = None,
    sources: Source | Iterable[Source] | None = None,
    *,
    state: BundleState | str = BundleState.executable,
    devices: Sequence[Device] | None = None,
) -> KernelBundle:
    """A bundle of the sources in the state that is asked for, built if need be. SYCL 2020, 4.11.8.

    Without sources it is of all programs of this process that are alive and whose kernels all its devices can run:
    empty, if there are none.

    Parameters
    ----------
    where
        The context, or what selects the device whose own context it is. None: the default device.
    sources
        Texts in OpenCL C, Programs, Kernels (which stand for their programs), or several of these. None: all programs.
    state
        A BundleState or its name.
    devices
        Those of the context's devices that the kernels are for. None: all.

    Returns
    -------
    KernelBundle

    Raises
    ------
    BuildError
        A program does not build.
    KernelNotSupportedError
        A kernel needs what a device lacks.

    Examples
    --------
    >>> bundle = sycl.get_kernel_bundle(queue.context, "__kernel void f(__global int *x) { x[0] = 1; }")
    >>> bundle.kernel_names, bundle.state
    (['f'], <BundleState.executable: 'executable'>)
    """
    wanted = as_enum(BundleState, state, "state")
    context = context_of(where)
    chosen = devices_of(context, where, devices)
    programs = _fitting(chosen) if sources is None else programs_of(sources)
    bundle = make_bundle(BundleState.input, context, chosen, programs)
    if wanted is BundleState.input:
        return bundle
    return build(bundle) if wanted is BundleState.executable else compile(bundle)


def _fitting(devices: Sequence[Device]) -> list[Program]:
    return [
        program
        for program in registered()
        if program.kernel_names and all(is_compatible(program, device) for device in devices)
    ]


def is_compatible(kernels: Source | Iterable[Source], device: Device) -> bool:
    """True if the device has what all the kernels need, as far as their texts tell. SYCL 2020, 4.11.8.

    Parameters
    ----------
    kernels
        Texts in OpenCL C, Programs, Kernels, or several of these.
    device
        The device.

    Returns
    -------
    bool

    Examples
    --------
    >>> text = "__kernel void f(__global double *x) { x[0] += 1; }"
    >>> sycl.is_compatible(text, queue.device) == queue.device.has("fp64")
    True
    """
    try:
        for program in programs_of(kernels):
            for name in program.kernel_names:
                _core.kernel_check(program.kernel(name), device)
    except KernelNotSupportedError:
        return False
    return True


def has_kernel_bundle(
    where: Where = None,
    sources: Source | Iterable[Source] | None = None,
    *,
    state: BundleState | str = BundleState.executable,
) -> bool:
    """True if `get_kernel_bundle` would find kernels that the devices can run. Builds nothing. SYCL 2020, 4.11.8.

    Parameters as for `get_kernel_bundle`.

    Returns
    -------
    bool

    Examples
    --------
    >>> sycl.has_kernel_bundle(queue.context, "__kernel void f(__global int *x) { x[0] = 1; }")
    True
    """
    wanted = as_enum(BundleState, state, "state")
    context = context_of(where)
    every: list[Device] = context.devices
    if wanted is not BundleState.input and not all(device.has("online_compiler") for device in every):
        return False
    if sources is None:
        return bool(_fitting(every))
    return all(is_compatible(program, device) for program in programs_of(sources) for device in every)


def has_any_kernel_bundle(where: Where = None) -> bool:
    """True if this process has kernels for the context in any state. Builds nothing.

    Parameters as for `get_kernel_bundle`.

    Returns
    -------
    bool

    Examples
    --------
    >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
    >>> sycl.has_any_kernel_bundle(queue.context)
    True
    """
    return has_kernel_bundle(where, state=BundleState.input)


def kernel_name(kernel: Kernel) -> str:
    """The name by which a kernel is found in bundles: that of its function.

    Parameters
    ----------
    kernel
        The kernel.

    Returns
    -------
    str

    Raises
    ------
    InvalidParameterError
        Something else than a Kernel.

    Examples
    --------
    >>> sycl.kernel_name(sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f)
    'f'
    """
    if not isinstance(kernel, Kernel):
        raise InvalidParameterError(f"kernel: expected a Kernel, got {kernel!r}")
    return kernel.name
