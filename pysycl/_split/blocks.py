"""Blocks of an array along its first axis, and who does them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl._data.usm_array import UsmArray
from pysycl._split.parts import Parts
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue

LEAST: Final = 1 << 16
"""Bytes of a block: less is not worth another device."""
_OF_EACH: Final = 4
"""Blocks for each device, so that the quicker one does more of them."""


class Blocks(NamedTuple):
    """Of an operand."""

    blocks: Sequence[Any]
    bounds: list[int]
    """Where they begin, and where the last one ends."""
    owned: bool
    """Each is in the memory of a device, in their order."""


def bounds_of(size: int, itemsize: int, devices: int) -> list[int]:
    """Where blocks of host memory begin and end."""
    count = max(min(_OF_EACH * devices, size * itemsize // LEAST, size), 1)
    return [size * k // count for k in range(count + 1)]


def cut(x: Any, devices: int) -> Blocks:
    """The blocks of an operand."""
    import numpy as np

    if isinstance(x, Parts):
        if len(x.blocks) != devices:
            raise InvalidParameterError(f"x: it is in the memories of {len(x.blocks)} devices, and these are {devices}")
        sizes = [block.shape[0] for block in x.blocks]
        return Blocks(x.blocks, [0, *np.cumsum(sizes).tolist()], True)
    if isinstance(x, Buffer | UsmArray):
        raise InvalidParameterError(f"x: expected a NumPy array, or what Split.put gives, got {type(x).__name__}")
    array = np.asarray(x)
    if array.ndim == 0:
        raise InvalidParameterError(f"x: a number has no blocks, got {x!r}")
    bounds = bounds_of(array.shape[0], array.nbytes // max(array.shape[0], 1), devices)
    return Blocks([array[a:b] for a, b in pairwise(bounds)], bounds, False)


def shares(size: int, speeds: list[float | None]) -> list[int]:
    """Where blocks begin and end for which the devices need about as long, as far as these have been measured."""
    known = [speed for speed in speeds if speed]
    mean = sum(known) / len(known) if known else 1.0
    each = [speed or mean for speed in speeds]
    return [0, *(round(size * sum(each[: k + 1]) / sum(each)) for k in range(len(each)))]


def done(
    queues: Sequence[Queue], blocks: Sequence[Any], work: Callable[[Any, int, Queue], Any], fixed: bool,
    speeds: dict[Queue, float],
) -> list[Any]:  # fmt: skip
    """`work(block, number, queue)` of all blocks, in their order: each by whichever device is free, or, if `fixed`, in turns.
    On a device with memory of its own two are done at a time: one is copied while one is worked on. `speeds` learns how
    many parts along the first axis each does in a second."""
    results: list[Any] = [None] * len(blocks)
    errors: list[BaseException] = []
    left = list(range(len(blocks)))
    lock = Lock()

    def next_of(turn: int) -> int | None:
        with lock:
            own = (n for n in left if not fixed or n % len(queues) == turn)
            number = None if errors else next(own, None)
            if number is not None:
                left.remove(number)
            return number

    def serve(turn: int) -> None:
        queue, begun, parts = queues[turn], perf_counter(), 0
        while (number := next_of(turn)) is not None:
            try:
                results[number] = work(blocks[number], number, queue)
            except BaseException as error:  # whatever it is: the caller raises it
                error.add_note(f"on {queue.device.name!r} by {queue.platform.name}, block {number} of {len(blocks)}")
                with lock:
                    errors.append(error)
            parts += blocks[number].shape[0] if hasattr(blocks[number], "shape") else len(blocks[number])
        if parts and not errors:
            speeds[queue] = parts / (perf_counter() - begun)

    turns = [k for k, queue in enumerate(queues) for _ in range(1 if queue.device.is_cpu else 2)]
    with ThreadPoolExecutor(len(turns), "pysycl split") as pool:
        try:
            list(pool.map(serve, turns))
        except BaseException as error:  # Ctrl-C: each ends after the block that it has
            errors.append(error)
            raise
    if errors:
        raise errors[0]
    return results
