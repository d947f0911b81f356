"""Which kernels a command group launches: those of a bundle, or with values of specialization constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._kernels.device_image import BundleState, DeviceImage
from pysycl._kernels.kernel import Kernel
from pysycl.errors import (
    InvalidError,
    InvalidObjectError,
    InvalidParameterError,
    KernelNotSupportedError,
)
from pysycl.kernel_bundle import KernelBundle, make_bundle, specialised
from pysycl.program import registered
from pysycl.spec_constant import SpecConstant, as_constant

if TYPE_CHECKING:
    from pysycl.queue import Queue


class GroupConstants:
    """The values that a command group sets: its kernel is built with them."""

    def __init__(self) -> None:
        self.values: dict[SpecConstant, Any] = {}

    def _kernel_for(self, kernel: object) -> object:
        if not isinstance(kernel, Kernel):
            return kernel  # a body, which is given the values themselves
        if kernel._bundle is not None:
            raise InvalidError(
                f"kernel '{kernel.name}' is of a kernel bundle, where the values of specialization constants are fixed"
            )
        program = kernel.program
        known = program.spec_constants.values()
        for constant in self.values:
            if constant not in known:
                raise InvalidObjectError(
                    f"the program of kernel '{kernel.name}' has no specialization constant {constant._called}"
                )
        return specialised(program, self.values).kernel(kernel.name)


def _score(selector: Callable[[DeviceImage], Any], image: DeviceImage) -> float:
    score = selector(image)
    try:
        return float(score)
    except (TypeError, ValueError):
        raise InvalidParameterError(f"selector: expected a number for each device image, got {score!r}") from None


class DeviceImageSelectionError(KernelNotSupportedError):
    """No device image could be selected: none is for the queue's device, or the selector refused all.

    Examples
    --------
    >>> issubclass(sycl.DeviceImageSelectionError, sycl.SyclError)
    True
    """


def _select(bundle: KernelBundle, queue: Queue, selector: Callable[[DeviceImage], Any]) -> KernelBundle:
    """The bundle of the one program whose image for the queue's device has the highest score."""
    if not callable(selector):
        raise InvalidParameterError(f"selector: expected a function of a device image, got {selector!r}")
    scores = [(_score(selector, image), image) for image in bundle]
    usable = [(score, image) for score, image in scores if score >= 0 and image.device == queue.device]
    if not usable:
        raise DeviceImageSelectionError(
            f"use_kernel_bundle: of {len(scores)} device images the selector takes none for device "
            f"'{queue.device.name}'"
        )
    best = max(usable, key=lambda each: each[0])[1]
    return make_bundle(BundleState.executable, bundle.context, [best.device], [best.program])


class GroupKernels:
    """The part of a handler that says which kernels its command launches."""

    __slots__ = ()
    _kernels: KernelBundle | GroupConstants | None
    _group_queue: Queue
    _use: Callable[[object], None]
    _check: Callable[[str], None]

    @_core.entry
    def use_kernel_bundle(self, bundle: KernelBundle, selector: Callable[[DeviceImage], float] | None = None) -> None:
        """The group launches the kernels of this executable bundle where it names kernels of the same names.

        Parameters
        ----------
        bundle
            An executable bundle of the queue's context.
        selector
            Gives each device image a score: kernels of the one with the highest are launched, a negative one refuses.

        Raises
        ------
        InvalidObjectError
            The bundle is of another context.
        InvalidError
            It is not executable, or the group has set specialization constants.
        KernelNotSupportedError
            It is not for the queue's device; as DeviceImageSelectionError, when the selector takes no image. When a
            kernel is launched: the bundle has it not.

        Notes
        -----
        SYCL 2020, 4.9.4.

        Examples
        --------
        >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 7; }", queue.context))
        >>> b = sycl.Buffer(1, np.int32)
        >>> with queue.submit() as h:
        ...     h.use_kernel_bundle(bundle)
        ...     h.single_task(bundle.get_kernel("f"), h.write(b))
        >>> np.asarray(b)
        array([7], dtype=int32)
        """
        self._check("use_kernel_bundle")
        queue = self._group_queue
        if not isinstance(bundle, KernelBundle):
            raise InvalidParameterError(f"bundle: expected a KernelBundle, got {bundle!r}")
        if bundle.state is not BundleState.executable:
            raise InvalidError(
                f"use_kernel_bundle: the kernel bundle is in the state {bundle.state.value}: build it first"
            )
        if isinstance(self._kernels, GroupConstants):
            raise InvalidError("use_kernel_bundle: the command group has set specialization constants")
        if bundle.context != queue.context:
            raise InvalidObjectError("use_kernel_bundle: the kernel bundle is of another context than the queue")
        if selector is not None:
            bundle = _select(bundle, queue, selector)
        elif queue.device not in bundle.devices and not bundle.is_empty:
            raise KernelNotSupportedError(
                f"use_kernel_bundle: the kernel bundle is not for the queue's device '{queue.device.name}'"
            )
        self._use(bundle)

    use_module = use_kernel_bundle

    @_core.entry
    def set_specialization_constant(self, constant: SpecConstant, value: Any) -> None:
        """The value that the constant has in the group's kernel, which is built with it, once for each value.

        Parameters
        ----------
        constant
            The constant.
        value
            Of the constant's type and shape.

        Raises
        ------
        InvalidError
            The group uses a kernel bundle: its values are fixed.
        InvalidParameterError
            The value does not fit the constant's type or shape.

        Notes
        -----
        SYCL 2020, 4.9.5. A body names the constant by its name, SPEC(name), or by the keyword that it is given as. When
        the kernel is launched, InvalidObjectError: its program has no such constant, or the body does not name it.

        Examples
        --------
        >>> N = sycl.SpecConstant(np.int32, 4, name="N")
        >>> b = sycl.Buffer(1, np.int32)
        >>> with queue.submit() as h:
        ...     h.set_specialization_constant(N, 9)
        ...     h.single_task("b[0] = SPEC(N);", b=h.write(b))
        >>> np.asarray(b)
        array([9], dtype=int32)
        """
        self._check("set_specialization_constant")
        if isinstance(self._kernels, KernelBundle):
            raise InvalidError(
                "set_specialization_constant: the command group uses a kernel bundle: its values are fixed"
            )
        converted = as_constant(constant)._convert(value, "value")
        kernels = self._kernels or GroupConstants()
        self._use(kernels)
        kernels.values[constant] = converted

    @_core.entry
    def has_specialization_constant(self, constant: SpecConstant) -> bool:
        """True if the group's kernel bundle has the constant; without one, if it was set here or a program has it.

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
        >>> with queue.submit() as h:
        ...     h.has_specialization_constant(N)
        False
        """
        self._check("has_specialization_constant")
        if isinstance(self._kernels, KernelBundle):
            return self._kernels.has_specialization_constant(constant)
        if self._kernels is not None and as_constant(constant) in self._kernels.values:
            return True
        return any(as_constant(constant) in program.spec_constants.values() for program in registered())

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
            Neither the group nor a program has the constant.

        Examples
        --------
        >>> N = sycl.SpecConstant(np.int32, 4, name="N")
        >>> with queue.submit() as h:
        ...     h.set_specialization_constant(N, 9)
        ...     int(h.get_specialization_constant(N))
        9
        """
        self._check("get_specialization_constant")
        if isinstance(self._kernels, KernelBundle):
            return self._kernels.get_specialization_constant(constant)
        if not self.has_specialization_constant(constant):
            raise InvalidObjectError(f"no program has a specialization constant {constant._called}")
        values = self._kernels.values if self._kernels is not None else {}
        return values.get(constant, constant.default)
