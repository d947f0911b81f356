"""Kernel: one of a program's, to be launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pysycl import _core
from pysycl._kernels.kernel_info import KernelInfo
from pysycl.context import context_of

if TYPE_CHECKING:
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.kernel_bundle import KernelBundle
    from pysycl.program import Program


class WorkGroupInfo(NamedTuple):
    """One device's limits for one kernel.

    Examples
    --------
    >>> info = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f.work_group_info(queue.device)
    >>> info.compile_work_group_size is None, info.work_group_size > 0
    (True, True)
    """

    work_group_size: int
    """The most work-items that a group may have."""
    preferred_work_group_size_multiple: int
    compile_work_group_size: tuple[int, int, int] | None
    """The local size that the kernel's own text requires, in SYCL's order of dimensions."""
    local_mem_size: int
    private_mem_size: int


@_core.bind
class Kernel(KernelInfo, _core.Kernel):
    """A kernel of a program. It is passed to parallel_for or single_task together with its arguments.

    Notes
    -----
    SYCL 2020, 4.11.14. One that a kernel bundle gave can be launched in queues of the bundle's context only.

    Examples
    --------
    >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[get_global_id(0)] = 7; }").f
    >>> kernel.signature
    'f(__global int *x)'
    >>> x = np.zeros(3, np.int32)
    >>> event = queue.parallel_for(3, kernel, x)
    >>> x
    array([7, 7, 7], dtype=int32)
    """

    __slots__ = ("__weakref__", "_own_bundle")
    _own_bundle: KernelBundle

    @property
    def _bundle(self) -> KernelBundle | None:
        """The kernel bundle that gave it."""
        return getattr(self, "_own_bundle", None)

    @property
    def signature(self) -> str:
        """The kernel's declaration."""
        return f"{self.name}({', '.join(self.parameters)})"

    @_core.entry
    def work_group_info(self, where: Context | Device | str | None = None) -> WorkGroupInfo:
        """The device's limits for the kernel; builds it if need be.

        Parameters
        ----------
        where
            A device, or a context, whose first device counts. None: the kernel's own context.

        Returns
        -------
        WorkGroupInfo

        Raises
        ------
        BuildError
            The program does not build.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> kernel.work_group_info(queue.device).work_group_size > 0
        True
        """
        context = self.context if where is None else context_of(where)
        device = where if isinstance(where, _core.Device) else context.devices[0]
        return WorkGroupInfo(*self._limits(context, device))

    @property
    def int_ptr(self) -> int:
        """A cl_kernel in the kernel's context, which no launch uses, valid as long as this object."""
        return self._native(self.context)

    @classmethod
    def from_int_ptr(cls, value: int) -> Kernel:
        """The kernel of the same name in the program that a cl_kernel belongs to.

        Parameters
        ----------
        value
            The cl_kernel.

        Returns
        -------
        Kernel

        Raises
        ------
        SyclError
            The value is no kernel of a driver that pysycl has loaded.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> sycl.Kernel.from_int_ptr(kernel.int_ptr).name
        'f'
        """
        return cls._from_native(value)

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError(f"a kernel is not called but submitted: queue.parallel_for(range, program.{self.name}, ...)")

    def __reduce__(self) -> tuple[Any, ...]:
        return _kernel_of, (self.program, self.name)

    def __repr__(self) -> str:
        return f"<pysycl.Kernel {self.signature}>"


def _kernel_of(program: Program, name: str) -> Kernel:
    return program.kernel(name)
