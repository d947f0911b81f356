"""Sorted runs on disk, and their merge: a block of each is in memory, and what cannot come before anything that is still on
disk is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pysycl._sorts.sort_calls import sort

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array

MOST_MERGED: Final = 32
"""Runs at a time: more are merged to longer ones first, so that blocks stay long."""
_LEAST_BLOCK: Final = 1 << 12


class Run:
    """A sorted file, of which a block is in memory."""

    def __init__(self, path: Path, dtype: np.dtype[Any]) -> None:
        self.path = path
        self.dtype = dtype
        self.left = path.stat().st_size // dtype.itemsize
        self._file = path.open("rb")
        self.block: Any = None

    def fill(self, count: int) -> None:
        """Reads on, if the block is used up."""
        import numpy as np

        if self.block is None or len(self.block) == 0:
            self.block = np.fromfile(self._file, self.dtype, min(count, self.left))
            self.left -= len(self.block)

    def close(self) -> None:
        """The file goes."""
        self._file.close()
        self.path.unlink(missing_ok=True)


def write(path: Path, chunks: Iterator[Array] | list[Array]) -> Path:
    """A run of chunks that follow each other."""
    with path.open("wb") as file:
        for chunk in chunks:
            chunk.tofile(file)
    return path


def merged(paths: list[Path], dtype: np.dtype[Any], most: int, queue: Any) -> Iterator[Array]:
    """All elements of runs in order, in chunks, with about `most` elements in memory. NaN come last."""
    import numpy as np

    runs = [Run(path, dtype) for path in paths]
    count = max(most // max(len(runs), 1), _LEAST_BLOCK)
    try:
        while True:
            for run in runs:
                run.fill(count)
            alive = [run for run in runs if len(run.block)]
            if not alive:
                return
            ends = [run.block[-1] for run in alive if run.left]
            pieces = []
            limit = np.sort(np.array(ends, dtype))[0] if ends else None
            for run in alive:
                at = len(run.block) if limit is None else int(np.searchsorted(run.block, limit, "right"))
                pieces.append(run.block[:at])
                run.block = run.block[at:]
            yield pieces[0].copy() if len(pieces) == 1 else np.asarray(sort(np.concatenate(pieces), queue=queue))
    finally:
        for run in runs:
            run.close()
