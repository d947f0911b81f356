"""Arrays of which each device has a block in its own memory."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from pysycl._data.host_memory import Array
    from pysycl.buffer import Buffer


class Parts:
    """An array in the memories of several devices: a Buffer for each, one after the other along the first axis. What
    `Split.put` and scans give; NumPy makes an array of it."""

    __slots__ = ("blocks", "bounds", "dtype", "shape")

    def __init__(self, blocks: Sequence[Buffer], shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.blocks = tuple(blocks)
        self.bounds = [0, *accumulate(block.shape[0] for block in blocks)]
        self.shape = shape
        self.dtype = dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        import numpy as np

        if copy is False:
            raise ValueError(
                "its blocks are in the memories of several devices, so that an array of it is always a copy"
            )
        found = np.concatenate([np.asarray(block) for block in self.blocks])
        return found if dtype is None else found.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<Parts of {self.dtype}, {' + '.join(str(block.shape[0]) for block in self.blocks)} along axis 0>"
