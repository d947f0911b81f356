"""Sorts over several devices: sorted blocks, cut where samples say, and the pieces of each range of elements merged or
sorted by a device."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.call import Options
from pysycl._sorts.search import searchsorted
from pysycl._sorts.sort_calls import merge, sort
from pysycl._sorts.sort_line import By
from pysycl._split.blocks import cut, refuse_others, together
from pysycl._split.parts import Parts
from pysycl._split.samples import ranges_of, samples_of, splitters_of
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl._split.crew import Crew
    from pysycl.queue import Queue

_SAMPLES: Final = 4096
"""Of each block in a device's memory: its parts come out within a thousandth of their mean length, or so."""


def in_order(crew: Crew, x: Any, options: Options, by: By) -> Any:
    """In ascending order along an axis."""
    import numpy as np

    refuse_others(out=options.out, descending=by.descending or None, by=by.text, segments=by.segments)
    if options.axis is None and not isinstance(x, Parts):
        x = np.asarray(x).reshape(-1)
    blocks, _, owned = cut(x, crew)
    ndim, axis = len(blocks[0].shape), -1 if options.axis is None else index(options.axis)
    if ndim > 1 and axis in (0, -ndim):
        raise InvalidParameterError("axis: several devices sort along another axis than the first one")

    def alone(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        found = sort(block, axis, queue=queue)
        return lambda: found

    found = crew._do(blocks, alone, owned=owned)
    if ndim > 1 or len(found) == 1:
        return together(found, x, owned)
    return together(_merged(crew, found) if owned else _ranges(crew, found, alone), x, owned)


def _ranges(crew: Crew, blocks: list[Array], alone: Any) -> list[Any]:
    """Of sorted blocks of the host."""
    import numpy as np

    splitters = splitters_of([samples_of(each) for each in blocks], len(blocks))
    pieces = [[each[a:b] for a, b in ranges_of(each, splitters, len(blocks))] for each in blocks]
    return crew._do([np.concatenate([each[k] for each in pieces]) for k in range(len(blocks))], alone, owned=False)


# -- of sorted blocks in the devices' memories --


def _taken(block: Buffer, begin: int, count: int, queue: Queue, to: Any = None) -> Any:
    """Some elements, in memory of the device or of the host."""
    made = Buffer((count,), block.dtype) if to is None else to
    if count:
        queue.parallel_for(count, "y[i] = x[i + begin];", y=made, x=block, begin=begin)
    return made


def _cuts(crew: Crew, blocks: list[Buffer]) -> list[list[int]]:
    """Of each block, where its ranges begin and end: equal elements are in one."""
    import numpy as np

    def samples(block: Buffer, number: int, queue: Queue) -> Callable[[], Any]:
        size = block.shape[0]
        some = np.empty(min(size, _SAMPLES), block.dtype)
        if len(some):
            where = np.linspace(0, size - 1, len(some)).astype(np.int64)
            queue.parallel_for(len(some), "y[i] = x[at[i]];", y=some, x=block, at=where)
        return lambda: some

    splitters = splitters_of(crew._do(blocks, samples, owned=True), len(blocks))

    def places(block: Buffer, number: int, queue: Queue) -> Callable[[], Any]:
        size = block.shape[0]
        if size == 0 or len(splitters) == 0:
            return lambda: [0] * len(blocks) + [size]
        found = searchsorted(block, Buffer(splitters), queue=queue)
        return lambda: [0, *np.asarray(found).tolist(), size]

    return crew._do(blocks, places, owned=True)


def _merged(crew: Crew, blocks: list[Buffer]) -> list[Any]:
    """Each device gets its range of all blocks, by way of the host, and merges it."""
    import numpy as np

    cuts = _cuts(crew, blocks)
    dtype = blocks[0].dtype
    staged = [
        [np.empty(at[k + 1] - at[k] if k != j else 0, dtype) for k in range(len(blocks))] for j, at in enumerate(cuts)
    ]

    def give(block: Buffer, number: int, queue: Queue) -> Callable[[], Any]:
        for k, piece in enumerate(staged[number]):
            if len(piece):
                _taken(block, cuts[number][k], len(piece), queue, piece)
        return lambda: None

    crew._do(blocks, give, owned=False, fixed=True)

    def take(block: Buffer, number: int, queue: Queue) -> Callable[[], Any]:
        def piece(j: int) -> Any:
            if j != number:
                return Buffer(staged[j][number])
            begin, end = cuts[j][number : number + 2]
            return _taken(block, begin, end - begin, queue)

        found = piece(0)
        for j in range(1, len(blocks)):
            found = merge(found, piece(j), queue=queue)
        return lambda: found

    return crew._do(blocks, take, owned=True)
