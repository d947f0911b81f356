"""KernelBundle: kernels for one context, as sources, compiled, or ready to run; and what leads from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from pysycl import _core
from pysycl._kernels.device_image import BundleState, DeviceImage, checked_name
from pysycl._kernels.kernel import Kernel
from pysycl._runtime.handle import Handle
from pysycl.context import context_of
from pysycl.errors import (
    InvalidError,
    InvalidObjectError,
    InvalidParameterError,
    KernelNotSupportedError,
)
from pysycl.program import Program
from pysycl.spec_constant import SpecConstant, SpecConstants, as_constant

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device

    Where: TypeAlias = Context | Device | str | None
    Source: TypeAlias = str | Program | Kernel


class KernelBundle(Handle):
    """Kernels that belong to one context and some of its devices, all in one state: input, object or executable.

    Made in the state input, of sources; `build`, `compile` and `link` give bundles in the others. Only an executable
    one hands out kernels, and only one in the state input takes values for specialization constants.

    Parameters
    ----------
    sources
        Texts in OpenCL C, Programs, Kernels (which stand for their programs), or several of these.
    where
        The context, or what selects the device whose own context it is. None: the default device.
    devices
        Those of the context's devices that the kernels are for. None: all.
    options, spec_constants
        For the texts among the sources, as in Program.

    Raises
    ------
    InvalidParameterError
        A source is none, or a device is none of the context's.

    Notes
    -----
    SYCL 2020, 4.11: kernel_bundle; `module` in the provisional text. Bundles of the same state, context, devices and
    images are equal, and a copy is the bundle itself.

    Examples
    --------
    >>> bundle = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 7; }", queue.context)
    >>> y = np.zeros(1, np.int32)
    >>> event = queue.single_task(sycl.build(bundle).get_kernel("f"), y)
    >>> y
    array([7], dtype=int32)
    """

    __slots__ = ("__weakref__", "_constants", "_context", "_devices", "_programs", "_state", "_values")
    _constants: dict[int, str]
    _context: Context
    _devices: tuple[Device, ...]
    _programs: tuple[Program, ...]
    _state: BundleState
    _values: dict[SpecConstant, Any]

    @_core.entry
    def __init__(
        self,
        sources: Source | Iterable[Source],
        where: Where = None,
        devices: Sequence[Device] | None = None,
        *,
        options: str | Sequence[str] = (),
        spec_constants: SpecConstants = (),
    ) -> None:
        context = context_of(where)
        self._fill(
            BundleState.input,
            context,
            devices_of(context, where, devices),
            programs_of(sources, options, spec_constants),
        )

    def _fill(
        self, state: BundleState, context: Context, devices: Iterable[Device], programs: Iterable[Program]
    ) -> KernelBundle:
        self._state, self._context, self._devices = state, context, tuple(devices)
        self._programs = tuple(dict.fromkeys(programs))
        self._constants = {
            number: name for each in self._programs for name, number, _ in _core.program_constants(each) if number
        }
        self._values = {}
        return self

    # -- what it is --

    @property
    def state(self) -> BundleState:
        """How far its kernels are."""
        return self._state

    @property
    def context(self) -> Context:
        """The context that it belongs to."""
        return self._context

    @property
    def devices(self) -> list[Device]:
        """The devices that its kernels are for."""
        return list(self._devices)

    @property
    def kernel_names(self) -> list[str]:
        """The names of its kernels, each once."""
        return list(dict.fromkeys(name for program in self._programs for name in program.kernel_names))

    @property
    def is_empty(self) -> bool:
        """True if it has no device images."""
        return not self._programs

    empty = is_empty

    @property
    def images(self) -> list[DeviceImage]:
        """Its device images: each of its programs for each of its devices."""
        return [
            DeviceImage(program, self._context, device, self._state)
            for program in self._variants()
            for device in self._devices
        ]

    def __iter__(self) -> Iterator[DeviceImage]:
        return iter(self.images)

    def __len__(self) -> int:
        return len(self._programs) * len(self._devices)

    def _key(self) -> tuple[Any, ...]:
        return self._state, self._context, frozenset(self._devices), frozenset(self._programs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KernelBundle):
            return NotImplemented
        return self._key() == other._key() and set(self._variants()) == set(other._variants())

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} cannot be pickled: a kernel bundle lives in one process; keep its binary()")

    def __repr__(self) -> str:
        names = ", ".join(self.kernel_names) or "no kernels"
        return f"<pysycl.KernelBundle with {names} in the state {self._state.value}>"

    # -- kernels --

    def _find(self, name: str) -> Program | None:
        return next((program for program in self._programs if name in program.kernel_names), None)

    @_core.entry
    def has_kernel(self, name: str, device: Device | None = None) -> bool:
        """True if it has a kernel of the name (for the device). SYCL 2020, 4.11.9.

        Parameters
        ----------
        name
            The kernel's name.
        device
            One of the bundle's devices. None: any of them.

        Returns
        -------
        bool

        Examples
        --------
        >>> sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context).has_kernel("g")
        False
        """
        return self._find(checked_name(name)) is not None and (device is None or device in self._devices)

    @_core.entry
    def get_kernel(self, name: str) -> Kernel:
        """The kernel of a name, for queues of the bundle's context. SYCL 2020, 4.11.9.

        Parameters
        ----------
        name
            The kernel's name.

        Returns
        -------
        Kernel

        Raises
        ------
        InvalidError
            The bundle is not executable.
        InvalidObjectError
            It has no such kernel.

        Examples
        --------
        >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context))
        >>> bundle.get_kernel("f").name
        'f'
        """
        if self._state is not BundleState.executable:
            raise InvalidError(f"get_kernel: the kernel bundle is in the state {self._state.value}: build it first")
        program = self._find(checked_name(name))
        if program is None:
            raise InvalidObjectError(
                f"the kernel bundle has no kernel {name!r}: it has {', '.join(self.kernel_names) or 'none'}"
            )
        kernel: Kernel = _core.kernel_bind(program.kernel(name), self._context)
        kernel._own_bundle = self
        return kernel

    def _kernel_for(self, kernel: object) -> Kernel:
        """The kernel that a command group with this bundle launches where it names one."""
        if not isinstance(kernel, Kernel):
            raise KernelNotSupportedError("the command group uses a kernel bundle: its kernels are those of the bundle")
        if kernel._bundle is self:
            return kernel
        if self._find(kernel.name) is None:
            raise KernelNotSupportedError(
                f"the kernel bundle of the command group has no kernel '{kernel.name}': it has "
                f"{', '.join(self.kernel_names) or 'none'}"
            )
        return self.get_kernel(kernel.name)

    # -- specialization constants --

    @property
    def contains_specialization_constants(self) -> bool:
        """True if one of its programs has a specialization constant."""
        return bool(self._constants)

    use_specialization_constant = contains_specialization_constants

    @property
    def native_specialization_constant(self) -> bool:
        """True if it has specialization constants: to the compiler of each device they are constants indeed."""
        return bool(self._constants)

    @_core.entry
    def has_specialization_constant(self, constant: SpecConstant) -> bool:
        """True if one of its programs has the constant.

        Parameters
        ----------
        constant
            The constant.

        Returns
        -------
        bool

        Examples
        --------
        >>> N = sycl.SpecConstant(np.int32, 4, name="N")
        >>> text = "__kernel void f(__global int *x) { x[0] = SPEC(N); }"
        >>> sycl.KernelBundle(text, queue.context, spec_constants=[N]).has_specialization_constant(N)
        True
        """
        return as_constant(constant)._id in self._constants

    def _require(self, constant: SpecConstant) -> SpecConstant:
        if not self.has_specialization_constant(constant):
            raise InvalidObjectError(f"the kernel bundle has no specialization constant {constant._called}")
        return constant

    @_core.entry
    def set_specialization_constant(self, constant: SpecConstant, value: Any) -> None:
        """The value that the constant will have in all kernels of the bundle. SYCL 2020, 4.11.12.

        Parameters
        ----------
        constant
            The constant.
        value
            Of the constant's type and shape.

        Raises
        ------
        InvalidError
            The bundle is compiled: its values are fixed.
        InvalidObjectError
            None of its programs has the constant.
        InvalidParameterError
            The value does not fit the constant's type or shape.

        Examples
        --------
        >>> N = sycl.SpecConstant(np.int32, 4, name="N")
        >>> bundle = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = SPEC(N); }", queue.context, spec_constants=[N])
        >>> bundle.set_specialization_constant(N, 9)
        >>> y = np.zeros(1, np.int32)
        >>> event = queue.single_task(sycl.build(bundle).get_kernel("f"), y)
        >>> y
        array([9], dtype=int32)
        """
        if self._state is not BundleState.input:
            raise InvalidError(
                f"set_specialization_constant: the kernel bundle is in the state {self._state.value}, where the values "
                "are fixed"
            )
        self._values[self._require(constant)] = constant._convert(value, "value")

    @_core.entry
    def get_specialization_constant(self, constant: SpecConstant) -> Any:
        """The value that was set for the constant, or its default.

        Parameters
        ----------
        constant
            The constant.

        Returns
        -------
        NumPy scalar, numpy.ndarray

        Raises
        ------
        InvalidObjectError
            None of its programs has the constant.

        Examples
        --------
        >>> N = sycl.SpecConstant(np.int32, 4, name="N")
        >>> bundle = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = SPEC(N); }", queue.context, spec_constants=[N])
        >>> int(bundle.get_specialization_constant(N))
        4
        """
        return self._values.get(self._require(constant), constant.default)

    def _variants(self) -> list[Program]:
        """The programs with the values that were set."""
        return [specialised(program, self._values) for program in self._programs]

    # -- binaries --

    @_core.entry
    def binary(self, device: Device | None = None) -> bytes:
        """The compiled or executable bundle for one of its devices, for `opencl.create_bundle_with_binary`.

        It holds the drivers' own binaries (see DeviceImage.native_binary), declarations of their kernels, and what
        device they are for.

        Parameters
        ----------
        device
            One of its devices. None: the first.

        Returns
        -------
        bytes

        Raises
        ------
        InvalidError
            The bundle is in the state input.
        InvalidObjectError
            A device that is none of the bundle's.

        Examples
        --------
        >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context))
        >>> kept = bundle.binary()
        >>> sycl.build(sycl.opencl.create_bundle_with_binary(queue.context, kept)).kernel_names
        ['f']
        """
        from pysycl._kernels.bundle_file import pack

        return pack(self, self._device(device))

    def _device(self, device: Device | None) -> Device:
        if device is None:
            return self._devices[0]
        if device not in self._devices:
            raise InvalidObjectError(f"device: {device!r} is none of the kernel bundle's")
        return device

    def get_native(self) -> list[int]:
        """The cl_programs of its programs, valid as long as the bundle.

        Returns
        -------
        list[int]

        Examples
        --------
        >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context))
        >>> len(bundle.get_native())
        1
        """
        return [program.native(self._context) for program in self._programs]


def specialised(program: Program, values: dict[SpecConstant, Any]) -> Program:
    """The program with those of the values that it has constants for."""
    own = {number: name for name, number, _ in _core.program_constants(program)}
    given = tuple(
        constant._define(own[constant._id], value) for constant, value in values.items() if constant._id in own
    )
    return _core.program_specialise(program, given) if given else program


@_core.entry
def make_bundle(
    state: BundleState, context: Context, devices: Iterable[Device], programs: Iterable[Program]
) -> KernelBundle:
    """A bundle of programs that are in the state already."""
    return KernelBundle.__new__(KernelBundle)._fill(state, context, devices, programs)


def devices_of(context: Context, where: Where, devices: Sequence[Device] | None) -> list[Device]:
    every: list[Device] = context.devices
    if devices is None:
        return every if not isinstance(where, _core.Device) else [each for each in every if each == where] or every
    chosen = list(dict.fromkeys(devices))
    if not chosen:
        raise InvalidParameterError("devices: expected at least one device")
    for each in chosen:
        if each not in every:
            raise InvalidParameterError(f"devices: {each!r} is none of the context's")
    return chosen


def programs_of(
    sources: Source | Iterable[Source], options: str | Sequence[str] = (), spec_constants: SpecConstants = ()
) -> list[Program]:
    if isinstance(sources, str | bytes | Program | Kernel):
        sources = [sources]
    elif not isinstance(sources, Iterable):
        raise InvalidParameterError(f"sources: expected OpenCL C texts, Programs or Kernels, got {repr(sources)[:200]}")
    found = []
    for source in sources:
        if isinstance(source, str):
            found.append(Program(source, options, spec_constants=spec_constants))
        elif isinstance(source, Kernel):
            found.append(source.program)
        elif isinstance(source, Program):
            found.append(source)
        else:
            what = f"{len(source)} bytes" if isinstance(source, bytes | bytearray) else repr(source)[:200]
            hint = ": pass text, as str" if isinstance(source, bytes | bytearray) else ""
            raise InvalidParameterError(f"sources: expected OpenCL C texts, Programs or Kernels, got {what}{hint}")
    return found
