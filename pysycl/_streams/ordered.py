"""stream_sort: sorted runs of the chunks, on disk, and their merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pysycl._sorts.sort_calls import sort
from pysycl._streams.ahead import Ahead
from pysycl._streams.runs import MOST_MERGED, merged, write
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


def stream_sort(
    chunks: Iterable[Any], *, folder: str | Path | None = None, queue: Queue | None = None
) -> Iterator[Array]:
    """All elements of chunks in ascending order, in chunks: each is sorted and put on disk, and these runs are merged.

    Parameters
    ----------
    chunks
        As for `stream_reduce`: arrays of real numbers, which are flattened.
    folder
        Where the runs are until the iterator ends: as many bytes as all chunks have, and as many again where there are
        more than some dozen chunks. None: where the system has its temporary files.
    queue
        Where chunks are sorted. None: the default device.

    Returns
    -------
    iterator of numpy.ndarray
        Chunks of about the length of the longest one that came. NaN come last.

    Raises
    ------
    InvalidParameterError
        Chunks of several dtypes, or of no real numbers; or no such folder.

    Examples
    --------
    >>> [part.tolist() for part in sycl.stream_sort(([3, 1, 4], [1, 5], [9, 2, 6]))]
    [[1, 1, 2, 3, 4, 5, 6, 9]]
    """
    import numpy as np

    if folder is not None and not Path(folder).is_dir():
        raise InvalidParameterError(f"folder: there is no folder {str(folder)!r}")
    written: Any = None  # of the elements in files: in this machine's order
    paths: list[Path] = []
    elements = longest = 0
    with TemporaryDirectory(prefix="pysycl-runs-", dir=folder) as place:
        names = (Path(place) / f"{k}.run" for k in count())
        with Ahead(chunks, "sorting") as ahead:
            for chunk in ahead:
                if chunk.dtype.kind not in "biuf":
                    raise InvalidParameterError(f"chunks: expected real numbers, got {chunk.dtype}")
                found = np.asarray(sort(chunk, None, queue=queue))
                written = found.dtype
                paths.append(write(next(names), [found]))
                longest, elements = max(longest, chunk.size), elements + chunk.size
                del chunk, found
                ahead.tell(elements)
        while len(paths) > MOST_MERGED:
            group, paths = paths[:MOST_MERGED], paths[MOST_MERGED:]
            paths.append(write(next(names), merged(group, written, longest, queue)))
        if paths:
            yield from merged(paths, written, longest, queue)
