"""split: several devices in the place of a queue."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options, Several
from pysycl._algorithms.samples import ranges_of, samples_of, splitters_of
from pysycl._split.blocks import Blocks, bounds_of, cut, done, shares
from pysycl._split.bodies import cut_arguments
from pysycl._split.parts import Parts
from pysycl._streams.free import hardware_of, queues_of
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError, SyclWarning

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Split(Several):
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

    __slots__ = ("_speeds", "queues")

    def __init__(self, queues: Sequence[Queue]) -> None:
        self.queues = tuple(queues)
        self._speeds: dict[Queue, float] = {}

    def _done(self, blocks: Sequence[Any], work: Callable[[Any, int, Queue], Any], fixed: bool) -> list[Any]:
        return done(self.queues, blocks, work, fixed, self._speeds)

    def _cut(self, x: Any) -> Blocks:
        return cut(x, len(self.queues))

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
            raise InvalidParameterError(f"x: a number has no blocks, got {x!r}")
        ends = shares(array.shape[0], [self._speeds.get(queue) for queue in self.queues])
        if like is not None:
            ends = self._cut(like).bounds
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
            NumPy arrays and Parts that the body has as `x[i]` are cut into blocks. Other arrays are given whole, to be
            read; numbers are numbers.

        Raises
        ------
        InvalidParameterError
            The body uses `i` otherwise, or an array has another length.
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
        import numpy as np

        size = index(size)
        own = cut_arguments(size, body, arguments)
        parts = [name for name in own if isinstance(arguments[name], Parts)]
        itemsize = max((arguments[name].dtype.itemsize for name in own), default=1)
        bounds = self._cut(arguments[parts[0]])[1] if parts else bounds_of(size, itemsize, len(self.queues))
        whole = {}
        for name, value in arguments.items():
            if name in parts and self._cut(value)[1] != bounds:
                raise InvalidParameterError(f"{name}: its blocks have other lengths than those of {parts[0]}")
            if name not in own:
                whole[name] = value
                if isinstance(value, np.ndarray):
                    whole[name] = value.view()
                    whole[name].flags.writeable = False

        def run(block: range, number: int, queue: Queue) -> None:
            given = {
                name: arguments[name].blocks[number] if name in parts else arguments[name][block.start : block.stop]
                for name in own
            }
            if len(block):
                queue.parallel_for(len(block), body, **given, **whole).wait()

        self._done([range(a, b) for a, b in pairwise(bounds)], run, bool(parts))

    def _reduced(self, op: Any, x: Any, options: Options, dtype: Any, initial: Any, ddof: float = 0) -> Any:
        """What reductions are over several devices: partial results of blocks, merged in their order."""
        import numpy as np

        from pysycl._reductions.reduce_object import make_reduce

        self._check(options, where=options.where, skips_nan=options.skips_nan or None)
        blocks, bounds, owned = self._cut(x)
        inner = int(np.prod(x.shape[1:] if isinstance(x, Parts) else np.shape(x)[1:]))
        made = make_reduce(
            op, blocks[0].dtype, axis=options.axis, keepdims=options.keepdims, result_dtype=dtype, initial=initial,
            map=options.map, determinism=options.determinism, accuracy=options.accuracy, ddof=ddof,
        )  # fmt: skip
        ndim = len(blocks[0].shape)
        axes = options.axis if isinstance(options.axis, tuple | list) else (options.axis,)
        fixed = owned or options.determinism == "run_to_run"
        if options.axis is None or 0 in axes or -ndim in axes:

            def part(block: Any, number: int, queue: Queue) -> Any:
                own = made._replace(options=made.options._replace(queue=queue))
                return own.partial(block, bounds[number] * (inner if options.axis is None else 1))

            if bounds[-1] > 0:
                return made.result(made.merge(np.stack(self._done(blocks, part, fixed)), 0))
            return made._replace(options=made.options._replace(queue=self.queues[0]))(np.asarray(blocks[0]))

        def whole(block: Any, number: int, queue: Queue) -> Any:
            return np.asarray(made._replace(options=made.options._replace(queue=queue))(block))

        return np.concatenate(self._done(blocks, whole, fixed))

    def _scanned(
        self, x: Any, op: Any, options: Options, dtype: Any, initial: Any, *, exclusive: bool, reverse: bool, **others: Any
    ) -> Any:  # fmt: skip
        """What scans are: totals of blocks, what comes before each, and the blocks' own scans."""
        import numpy as np

        from pysycl._algorithms.scan_object import make_scan

        self._check(options, **others)
        if options.axis is None and not isinstance(x, Parts):
            x = np.asarray(x).reshape(-1)
        blocks, _, owned = self._cut(x)
        axis = 0 if options.axis is None else index(options.axis)
        along = axis in (0, -len(blocks[0].shape))
        made = make_scan(
            op, blocks[0].dtype, axis=axis, exclusive=exclusive, result_dtype=dtype, initial=initial, map=options.map,
            reverse=reverse, accuracy=options.accuracy, determinism=options.determinism,
        )  # fmt: skip
        on = {queue: made._replace(options=made.options._replace(queue=queue)) for queue in self.queues}
        fixed = owned or options.determinism == "run_to_run"
        if along:
            totals = self._done(blocks, lambda block, _, queue: on[queue].total(block), fixed)
            turn = slice(None, None, -1 if reverse else 1)
            starts = made.starts(np.stack(totals)[turn])[turn]
            found = self._done(blocks, lambda block, k, queue: on[queue].run(block, starts[k]), fixed)
        else:
            found = self._done(blocks, lambda block, _, queue: on[queue](block), fixed)
        return self._together(found, x, owned)

    def _sorted(self, x: Any, options: Options, **others: Any) -> Any:
        """What sorts are: sorted blocks, cut where samples say, and their pieces sorted, each range of elements by a device."""
        import numpy as np

        from pysycl._algorithms.sort_calls import sort

        self._check(options, **others)
        if options.axis is None and not isinstance(x, Parts):
            x = np.asarray(x).reshape(-1)
        blocks, _, owned = self._cut(x)
        ndim, axis = len(blocks[0].shape), -1 if options.axis is None else index(options.axis)
        if ndim > 1:
            if axis in (0, -ndim):
                raise InvalidParameterError("axis: several devices sort along another axis than the first one")
            found = self._done(blocks, lambda block, _, queue: sort(block, axis, queue=queue), owned)
            return self._together(found, x, owned)
        first = [np.asarray(each) for each in self._done(blocks, lambda b, _, queue: sort(b, queue=queue), owned)]
        if len(first) == 1 and not owned:
            return first[0]
        splitters = splitters_of([samples_of(each) for each in first], len(first))
        pieces = [[each[a:b] for a, b in ranges_of(each, splitters, len(first))] for each in first]
        parts = [np.concatenate([each[k] for each in pieces]) for k in range(len(first))]
        found = self._done(parts, lambda part, _, queue: sort(part, queue=queue), owned)
        return self._together([Buffer(part) for part in found] if owned else found, x, owned)

    def _together(self, found: list[Any], x: Any, owned: bool) -> Any:
        import numpy as np

        return Parts(found, x.shape, found[0].dtype) if owned else np.concatenate(found)

    def _check(self, options: Options, **others: Any) -> None:
        for name, value in {"out": options.out, **others}.items():
            if value is not None:
                raise InvalidParameterError(f"{name}: not over several devices")


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
    seen: dict[Any, Queue] = {}
    for queue in queues_of(queues):
        hardware = hardware_of(queue)
        if hardware in seen:
            warnings.warn(
                f"queues: {queue!r} is on hardware that {seen[hardware]!r} is on already: splitting over both is right, and "
                "slower",
                SyclWarning,
                stacklevel=2,
            )
        seen.setdefault(hardware, queue)
    return Split(queues)
