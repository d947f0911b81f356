"""Blocks of an array along its first axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl._data.usm_array import UsmArray
from pysycl._split.parts import Parts
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._split.crew import Crew

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


def no_blocks(x: Any) -> InvalidParameterError:
    """Of what has no first axis."""
    return InvalidParameterError(f"x: expected an array of one dimension or more, got {x!r}")


def cut(x: Any, crew: Crew) -> Blocks:
    """The blocks of an operand."""
    import numpy as np

    devices = len(crew.queues)
    if isinstance(x, Parts):
        if len(x.blocks) != devices:
            raise InvalidParameterError(f"x: it is in the memories of {len(x.blocks)} devices, and these are {devices}")
        return Blocks(x.blocks, x.bounds, True)
    if isinstance(x, Buffer | UsmArray):
        raise InvalidParameterError(f"x: expected a NumPy array, or what Split.put gives, got {type(x).__name__}")
    array = np.asarray(x)
    if array.ndim == 0:
        raise no_blocks(x)
    bounds = bounds_of(array.shape[0], array.nbytes // max(array.shape[0], 1), devices)
    return Blocks([array[a:b] for a, b in pairwise(bounds)], bounds, False)


def shares(size: int, speeds: list[float | None]) -> list[int]:
    """Where blocks begin and end for which the devices need about as long, as far as these have been measured."""
    known = [speed for speed in speeds if speed]
    mean = sum(known) / len(known) if known else 1.0
    each = [speed or mean for speed in speeds]
    return [0, *(round(size * sum(each[: k + 1]) / sum(each)) for k in range(len(each)))]


def together(found: list[Any], x: Any, owned: bool) -> Any:
    """Results of the blocks of x as one array, where x is."""
    import numpy as np

    return Parts(found, x.shape, found[0].dtype) if owned else np.concatenate(found)


def refuse_others(**given: Any) -> None:
    """Options that are for one device."""
    for name, value in given.items():
        if value is not None:
            raise InvalidParameterError(f"{name}: not over several devices")
