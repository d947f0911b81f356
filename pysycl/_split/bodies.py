"""Bodies over own elements: which of the arguments each device has its part of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl import _core
from pysycl._split.parts import Parts
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Arguments(NamedTuple):
    """Of a body, for several devices."""

    cut: Mapping[str, Any]
    """Arrays and Parts of which each device has a part, as the body has them as x[i] only."""
    whole: Mapping[str, Any]
    """For all devices: arrays that are only read, and whatever is no array."""

    def of(self, number: int, block: range) -> dict[str, Any]:
        """Those of a block."""
        own = {
            name: value.blocks[number] if isinstance(value, Parts) else value[block.start : block.stop]
            for name, value in self.cut.items()
        }
        return {**own, **self.whole}


def parted(size: int, body: str, arguments: Mapping[str, Any], queue: Queue) -> Arguments:
    """The arguments by the core's reading of the body, which is refused where blocks of it cannot be done apart."""
    import numpy as np

    given = dict(arguments)
    for name, value in arguments.items():
        if isinstance(value, Parts):
            given[name] = value.blocks[0]
        elif isinstance(value, _core.Buffer | _core.UsmArray):
            raise InvalidParameterError(
                f"{name}: expected a NumPy array, or what Split.put gives, got {type(value).__name__}"
            )
    held = tuple(name for name, value in arguments.items() if isinstance(value, Parts))
    own = _core.body_own(queue, held, body, **given)
    cut = {name: arguments[name] for name in own}
    for name, value in cut.items():
        shape = np.shape(value) if not isinstance(value, Parts) else value.shape
        if shape != (size,):
            raise InvalidParameterError(
                f"{name}: expected {size} elements, as many as the range has, got the shape {shape}"
            )
    return Arguments(cut, {name: _to_be_read(value) for name, value in arguments.items() if name not in cut})


def _to_be_read(value: Any) -> Any:
    """The core refuses a text that would write to it."""
    import numpy as np

    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value
