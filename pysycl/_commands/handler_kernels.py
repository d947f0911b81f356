"""A command group's commands that run kernels, and arguments of a kernel to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._commands.handler_memory import HandlerMemory
from pysycl._kernels.scan_text import scan_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from pysycl._kernels.kernel import Kernel
    from pysycl.ranges import NdRange, Sizes


class HandlerKernels(HandlerMemory):
    """The launches of a Handler."""

    __slots__ = ()

    @_core.method
    def parallel_for(
        self,
        range: Sizes | NdRange,
        kernel: Kernel | str,
        /,
        *args: Any,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: a kernel, once for each index of the range.

        Parameters as for `Queue.parallel_for`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with q.submit() as h:
        ...     h.parallel_for(3, "x[i] *= 2;", x=h.read_write(b))
        >>> np.asarray(b.get_host_access())
        array([0, 2, 4])
        """

    @_core.method
    def parallel_for_work_group(
        self,
        groups: Sizes,
        group_size_or_body: Sizes | str,
        body: str | None = None,
        /,
        *,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: the text of a work-group, once for each of them. SYCL 2020, 4.9.4.2.3.

        `parallel_for_work_group(groups, body)` leaves the size of the groups to the runtime.

        Parameters
        ----------
        groups
            How many work-groups, for each dimension.
        group_size_or_body
            How many work-items a group has, or the text.
        body
            The text of a work-group.
        preamble, options, name, **arguments
            As for `Queue.parallel_for`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_for_work_group(1, 3, "parallel_for_work_item { b[global_id(0)] *= 2; }", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [0, 2, 4]
        """

    @_core.entry
    def parallel_scan(
        self,
        range: Sizes,
        first: str,
        second: str | None = None,
        /,
        *,
        axis: SupportsIndex | None = None,
        reverse: bool = False,
        **arguments: Any,
    ) -> None:
        """Make the group's command: a scan.

        Parameters as for `Queue.parallel_scan`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.parallel_scan(3, "t += b[i];", "b[i] = t;", b=h.read_write(b), t=sycl.scanner(sycl.plus, b.dtype))
        >>> np.asarray(b).tolist()
        [0, 1, 3]
        """
        self.parallel_for(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.method
    def single_task(
        self,
        kernel: Kernel | str,
        /,
        *args: Any,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the group's command: a kernel, once.

        Parameters as for `Queue.parallel_for`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.single_task("b[0] = 7;", b=h.read_write(b))
        >>> np.asarray(b).tolist()
        [7, 1, 2]
        """

    @_core.method
    def set_arg(self, index: int, value: Any, /) -> None:
        """Set one argument of the kernel to come; they count from 0. SYCL 2020, 4.9.4.1.

        The value is what a launch takes in that place. A Buffer stands for an accessor of all of it, which reads what the
        kernel declares const and else reads and writes; an array goes there and back with this one command. C++ refuses
        both, because nothing there could tell what the kernel does with them: here its signature tells. An address is no
        argument.

        Parameters
        ----------
        index
            The place of the parameter.
        value
            What a launch takes in that place.

        Examples
        --------
        >>> add = sycl.Program("kernel void add(global int *x, int a) { x[get_global_id(0)] += a; }").add
        >>> b = sycl.Buffer(np.zeros(3, np.int32))
        >>> with queue.submit() as h:
        ...     h.set_arg(0, b)
        ...     h.set_arg(1, 4)
        ...     h.parallel_for(3, add)
        >>> np.asarray(b).tolist()
        [4, 4, 4]
        """

    @_core.method
    def set_args(self, /, *values: Any) -> None:
        """Set the arguments of the kernel to come. SYCL 2020, 4.9.4.1.

        Parameters
        ----------
        *values
            In the order of the parameters.

        Examples
        --------
        >>> add = sycl.Program("kernel void add(global int *x, int a) { x[get_global_id(0)] += a; }").add
        >>> b = sycl.Buffer(np.zeros(3, np.int32))
        >>> with queue.submit() as h:
        ...     h.set_args(b, 4)
        ...     h.parallel_for(3, add)
        >>> np.asarray(b).tolist()
        [4, 4, 4]
        """
