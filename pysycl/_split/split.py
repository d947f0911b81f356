"""split: several devices in the place of a queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options, Several
from pysycl._sorts.sort_line import By
from pysycl._split.blocks import bounds_of, cut, no_blocks, shares
from pysycl._split.bodies import parted
from pysycl._split.crew import Crew, nothing
from pysycl._split.parts import Parts
from pysycl._split.reductions import reduced
from pysycl._split.scans import scanned
from pysycl._split.sorts import in_order
from pysycl._streams.free import own_hardware, queues_of
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.operators import logical_and, logical_or, maximum, minimum, multiplies, plus

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Split(Several, Crew):
    """Several devices, to be given as `queue=` to reductions, scans and sorts.

    Parameters
    ----------
    queues
        Of the devices. `split` makes one, and warns where two share hardware.

    Examples
    --------
    >>> both = sycl.split([sycl.Queue()])
    >>> sycl.sort([3, 1, 2], queue=both)
    array([1, 2, 3])
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Split over {', '.join(queue.device.name for queue in self.queues)}>"

    # -- arrays in the memories of the devices --

    def put(self, x: Any, like: Parts | None = None) -> Parts:
        """A copy of an array, each device's block in its own memory.

        Parameters
        ----------
        x
            A NumPy array. It is cut along its first axis: equally, or, once the devices have done blocks, by how quick
            they were.
        like
            Parts whose blocks it is to have the lengths of, as bodies over both need it.

        Returns
        -------
        Parts
            To be given to reductions, scans, sorts and `parallel_for` of this object.

        Examples
        --------
        >>> both = sycl.split([sycl.Queue()])
        >>> there = both.put(np.array([3, 1, 2]))
        >>> np.asarray(sycl.cumsum(there, queue=both))
        array([3, 4, 6])
        """
        import numpy as np

        array = np.asarray(x)
        if array.ndim == 0:
            raise no_blocks(x)
        ends = shares(array.shape[0], [self.speeds.get(queue) for queue in self.queues])
        if like is not None:
            ends = cut(like, self).bounds
            if ends[-1] != array.shape[0]:
                raise InvalidParameterError(f"like: it has {ends[-1]} parts along axis 0, and x {array.shape[0]}")
        blocks = [Buffer(np.array(array[a:b], order="C")) for a, b in pairwise(ends)]
        return Parts(blocks, array.shape, array.dtype)

    # -- commands and algorithms --

    def parallel_for(self, size: int, body: str, /, **arguments: Any) -> None:
        """Run a body once for each element, on all devices, and wait for it.

        Parameters
        ----------
        size
            How many elements.
        body
            OpenCL C, as for `Queue.parallel_for`. `i` stands in subscripts alone: each work-item touches its own elements.
        **arguments
            NumPy arrays and Parts that the body has as `x[i]` only are cut into blocks. Other NumPy arrays are given whole,
            to be read; numbers are numbers. `preamble`, `options` and `name` are as for `Queue.parallel_for`.

        Raises
        ------
        InvalidParameterError
            The body uses `i` otherwise, or writes to an array in another form; or an array has another length.
        BuildError
            The compiler refuses the text.

        Examples
        --------
        >>> both = sycl.split([sycl.Queue()])
        >>> x = np.arange(4.0)
        >>> both.parallel_for(4, "x[i] = a * x[i];", x=x, a=3)
        >>> x
        array([0., 3., 6., 9.])
        """
        size = _checked(size, body)
        given = parted(size, body, arguments, self.queues[0])
        parts = {name: value for name, value in given.cut.items() if isinstance(value, Parts)}
        itemsize = max((value.dtype.itemsize for value in given.cut.values()), default=1)
        bounds = bounds_of(size, itemsize, len(self.queues))
        ends = {name: cut(value, self).bounds for name, value in parts.items()}
        for name, each in ends.items():
            first, bounds = next(iter(ends.items()))
            if each != bounds:
                raise InvalidParameterError(f"{name}: its blocks have other lengths than those of {first}")

        def run(block: range, number: int, queue: Queue) -> Callable[[], object]:
            if not len(block):
                return nothing
            return queue.parallel_for(len(block), body, **given.of(number, block)).wait

        self._do([range(a, b) for a, b in pairwise(bounds)], run, owned=bool(parts))

    # -- in the place of functions of one device (pysycl/_algorithms/call.py) --

    def _total(self, x: Any, options: Options, dtype: Any, initial: Any, *, product: bool) -> Any:
        return reduced(self, multiplies if product else plus, x, options, dtype, initial)

    def _extremes(self, x: Any, options: Options, initial: Any, *, least: bool) -> Any:
        return reduced(self, minimum if least else maximum, x, options, None, initial)

    def _truths(self, x: Any, options: Options, *, every: bool) -> Any:
        return reduced(self, logical_and if every else logical_or, x, options, None, None)

    def _position(self, x: Any, options: Options, *, least: bool) -> Any:
        return reduced(self, "argmin" if least else "argmax", x, options, None, None)

    def _mean(self, x: Any, options: Options, dtype: Any) -> Any:
        return reduced(self, "mean", x, options, dtype, None)

    def _variance(self, x: Any, options: Options, dtype: Any, ddof: float, *, root: bool) -> Any:
        return reduced(self, "std" if root else "var", x, options, dtype, None, ddof)

    def _folded(self, x: Any, op: Any, options: Options, dtype: Any, initial: Any) -> Any:
        return reduced(self, op, x, options, dtype, initial)

    def _scan_by(self, x: Any, op: Any, options: Options, dtype: Any = None, initial: Any = None, **how: Any) -> Any:
        return scanned(self, x, op, options, dtype, initial, **how)

    def _sorted_by(self, x: Any, options: Options, by: By) -> Any:
        return in_order(self, x, options, by)


def _checked(size: Any, body: Any) -> int:
    """The range and the text of a body, if they are such."""
    try:
        elements = index(size)
    except TypeError:
        raise InvalidParameterError(f"size: expected how many elements, as an int, got {size!r}") from None
    if elements < 0:
        raise InvalidParameterError(f"size: expected how many elements, got {size!r}")
    if not isinstance(body, str):
        raise InvalidParameterError(f"body: expected OpenCL C, got {body!r}")
    return elements


def split(queues: Sequence[Queue]) -> Split:
    """Several devices in the place of a queue: `sycl.sum(x, queue=sycl.split(queues))`. Blocks of x go to whichever device
    is free, and partial results are merged.

    Parameters
    ----------
    queues
        Of the devices. Where two share hardware it warns: the result is right, and one of them alone is quicker.

    Returns
    -------
    Split
        To be given as `queue=` to reductions, means, variances, argmin and argmax, scans and `sort`. It has `parallel_for`
        for bodies over own elements, and `put`, which keeps an array in the devices' memories.

    Raises
    ------
    InvalidParameterError
        No list of Queues.

    Notes
    -----
    Beyond SYCL. An error of a device names it; the other devices end what they have, and x is as it was.

    Examples
    --------
    >>> both = sycl.split([sycl.Queue()])
    >>> sycl.sum(np.arange(10), queue=both)
    np.int64(45)
    >>> sycl.cummax(np.array([3, 1, 4]), queue=both)
    array([3, 3, 4])
    """
    own_hardware(queues_of(queues), "splitting over both is right, and slower")
    return Split(queues)
