"""The part of a handler with the draft's words for kernels that reduce. SYCL 1.2.1's successor draft, 4.10.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._kernels.kernel import Kernel
    from pysycl.ranges import Sizes


def _is_kernel(value: Any) -> bool:
    from pysycl._kernels.kernel import Kernel

    return isinstance(value, Kernel | str)


def _in_places(kernel: Kernel, reductions: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The kernel's arguments in its own order: the reductions are for its reducers."""
    parameters = kernel.parameters
    reducers = [text.startswith("reducer(") for text in parameters]
    if sum(reducers) != len(reductions) or len(reducers) != len(reductions) + len(others):
        raise InvalidParameterError(
            f"parallel_reduce: kernel '{kernel.name}' has {sum(reducers)} reducers and {len(reducers) - sum(reducers)} "
            f"other parameters; {len(reductions)} reductions and {len(others)} other arguments are given"
        )
    first, second = iter(reductions), iter(others)
    return [next(first) if reducer else next(second) for reducer in reducers]


class GroupReductions:
    """The part of a handler that launches reductions by the draft's words."""

    __slots__ = ()
    parallel_for: Callable[..., None]

    def parallel_reduce(self, range: Any, *arguments: Any, offset: Sizes | None = None, **named: Any) -> None:
        """`parallel_for` with reductions: `parallel_reduce(range, [offset,] reductions..., kernel, ...)`.

        Parameters
        ----------
        range
            As for parallel_for: an int, a tuple or an NdRange.
        *arguments
            The offset, if the range has one; reductions; the kernel and what else it takes. The reductions are for the
            reducers of a program's kernel, in their order. A body has its reductions by name, as `total=reduction(...)`.
        offset
            The same by name.
        **named
            The arguments of a body, reductions among them, and parallel_for's own.

        Raises
        ------
        InvalidParameterError
            There is no kernel or no reduction, or the reductions are not as many as the kernel's reducers.

        Notes
        -----
        The draft of SYCL 2020, 4.10.4; the final text has parallel_for only, which this is.

        Examples
        --------
        >>> total = sycl.Buffer(np.zeros(1, np.int64))
        >>> with queue.submit() as h:
        ...     h.parallel_reduce(5, "t += i;", t=sycl.reduction(total, h, sycl.plus))
        >>> np.asarray(total)
        array([10])
        """
        from pysycl.reductions import Reduction

        places = [at for at, value in enumerate(arguments) if _is_kernel(value)]
        if not places:
            raise InvalidParameterError("parallel_reduce: no kernel is given: expected a Kernel or the text of a body")
        reductions, kernel = list(arguments[: places[0]]), arguments[places[0]]
        others = arguments[places[0] + 1 :]
        if reductions and not isinstance(reductions[0], Reduction):
            if offset is not None:
                raise InvalidParameterError("parallel_reduce: the offset is given twice")
            offset = reductions.pop(0)
        for each in reductions:
            if not isinstance(each, Reduction):
                raise InvalidParameterError(f"parallel_reduce: expected reductions before the kernel, got {each!r}")
        if not reductions and not any(isinstance(value, Reduction) for value in named.values()):
            raise InvalidParameterError("parallel_reduce: no reduction is given; without any it is parallel_for")
        if isinstance(kernel, str):
            if reductions:
                raise InvalidParameterError(
                    "parallel_reduce: a body has its reductions by name, such as total=reduction(...)"
                )
        else:
            others = tuple(_in_places(kernel, reductions, others))
        if offset is not None:
            named["offset"] = offset
        self.parallel_for(range, kernel, *others, **named)
