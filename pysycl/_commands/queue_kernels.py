"""A queue's commands that run kernels, and kernels prepared for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._commands.queue_memory import QueueMemory
from pysycl._kernels.scan_text import scan_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from pysycl._core import PreparedKernel
    from pysycl._kernels.kernel import Kernel
    from pysycl.event import Event, Events
    from pysycl.ranges import NdRange, Sizes


class QueueKernels(QueueMemory):
    """The launches of a Queue."""

    __slots__ = ()

    @_core.method
    def parallel_for(
        self,
        range: Sizes | NdRange,
        kernel: Kernel | str,
        /,
        *args: Any,
        depends_on: Events = None,
        wait: bool | None = None,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> Event:
        """Run a kernel once for each index of the range; one command.

        With NumPy arrays (or other memory of the host's, given as such) among the arguments it returns when the command
        is done, and raises what that failed with. With buffers and UsmArrays alone it returns at once.

        Parameters
        ----------
        range
            A number of work-items, up to three of them as a tuple, or an NdRange.
        kernel
            The text of a body: the OpenCL C statements of one work-item, with arguments by name. In it `i` is the linear
            id; `i0`, `i1`, `i2` are the ids and `n0`, `n1`, `n2` the range, in SYCL's order, all of them long; `return`
            ends the work-item. Or a Kernel of a Program, with arguments by position.
        *args
            A Kernel's arguments, by position.
        depends_on
            The event or events that the command waits for, beside those of its buffers and arrays.
        wait
            False returns at once in any case, True when the command is done.
        offset
            Added to the ids, for each dimension of a plain range.
        preamble, options, name
            For a body: OpenCL C in front of the kernel, helper functions for one; options of the build; the kernel's name.
        **arguments
            A body's arrays, accessors, buffers, UsmArrays and local memory are pointers to their elements, and of rank 2
            and 3 also `x(i0, i1)` and `x(i0, i1, i2)`. A structured dtype is a C struct, `x_t` where the argument is `x`.
            Complex numbers are `cfloat` and `cdouble`, structs of `re` and `im`; bools are uchar and int.

        Returns
        -------
        Event
            The command's.

        Raises
        ------
        BoundsError
            A subscript that all work-items surely come to lies outside its array.
        BuildError
            The compiler refuses the text.

        Notes
        -----
        SYCL 2020, 4.6.5. A Python int is that literal of C: an int where it fits, else a long, else a ulong. A float takes
        the widest floating type among the arrays; without one it is double, or float where the device has no double. NumPy's
        scalars keep their type. What does not fit is refused.

        Examples
        --------
        >>> x = np.arange(4, dtype=np.float32)
        >>> _ = q.parallel_for(4, "x[i] = a * x[i] + n0;", x=x, a=2)
        >>> x
        array([ 4.,  6.,  8., 10.], dtype=float32)
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
    ) -> Event:
        """Run scanners through a range: any prefix computation; one command.

        Parameters
        ----------
        range
            A number of elements, or up to three of them as a tuple.
        first
            OpenCL C that says what the element `i` contributes, as a body does with reducers: `t += x[i]`, `t.combine(v)`,
            `t++`. `t.restart(condition)` begins the scan anew with this element; the first element is not asked. It may run
            several times for an element, so it writes nothing.
        second
            Runs for each element afterwards: `t` is the scan with the element, `t.before` without it. It may write what the
            first reads, at its own element. Without it there are only totals.
        axis
            The dimension that is scanned, each line by itself; None: the whole range in the order of `i`.
        reverse
            From the last element to the first.
        **arguments
            The scanners, `t=sycl.scanner(sycl.plus, "f4")`, and what parallel_for takes.

        Returns
        -------
        Event

        Raises
        ------
        InvalidParameterError
            No scanner is among the arguments, or a reduction is.
        BuildError
            The compiler refuses a text, or a scanner cannot do what it says.

        Examples
        --------
        >>> x = np.array([3, -1, 4, -1, 5], np.int32)
        >>> y = np.zeros_like(x)
        >>> n = np.zeros(1, np.uint32)
        >>> _ = q.parallel_scan(5, "t += x[i] > 0;", "if (x[i] > 0) y[t.before] = x[i];",
        ...                     x=x, y=y, t=sycl.scanner(sycl.plus, "u4", total=n))
        >>> y[:n[0]]
        array([3, 4, 5], dtype=int32)
        """
        return self.parallel_for(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.entry
    def scan_kernel(
        self,
        range: Sizes,
        first: str,
        second: str | None = None,
        /,
        *,
        axis: SupportsIndex | None = None,
        reverse: bool = False,
        **arguments: Any,
    ) -> PreparedKernel:
        """A scan to be submitted over and over, as `kernel` prepares a body.

        Parameters as for `Queue.parallel_scan`.

        Returns
        -------
        PreparedKernel

        Examples
        --------
        >>> x = np.ones(4, np.int32)
        >>> step = queue.scan_kernel(4, "t += x[i];", "x[i] = t;", x=x, t=sycl.scanner(sycl.plus, "i4"))
        >>> _ = step()
        >>> x.tolist()
        [1, 2, 3, 4]
        """
        return self.kernel(range, scan_text(range, first, second, axis, reverse), **arguments)

    @_core.method
    def single_task(
        self,
        kernel: Kernel | str,
        /,
        *args: Any,
        depends_on: Events = None,
        wait: bool | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> Event:
        """Run a kernel once; one command.

        Parameters as for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> x = np.arange(5)
        >>> _ = q.single_task("for (int k = 1; k < n; k++) x[k] += x[k - 1];", x=x, n=x.size)
        >>> x
        array([ 0,  1,  3,  6, 10])
        """

    @_core.method
    def kernel(
        self,
        range: Sizes | NdRange | None,
        kernel: Kernel | str,
        /,
        *args: Any,
        offset: Sizes | None = None,
        preamble: str | None = None,
        options: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> PreparedKernel:
        """Convert, build and plan a launch once: a PreparedKernel, to be called, with new arguments if need be.

        Parameters
        ----------
        range
            As parallel_for takes it; None makes a single task.
        kernel, *args, offset, preamble, options, name, **arguments
            As for `Queue.parallel_for`.

        Returns
        -------
        PreparedKernel

        Examples
        --------
        >>> x = np.zeros(3, np.int32)
        >>> add = q.kernel(3, "x[i] += a;", x=x, a=1)
        >>> _ = add()
        >>> _ = add(a=10)
        >>> x
        array([11, 11, 11], dtype=int32)
        """
