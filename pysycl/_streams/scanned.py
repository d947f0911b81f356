"""stream_scan: each chunk goes on where the one before it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pysycl._scans.scan_object import make_scan
from pysycl._streams.ahead import Ahead
from pysycl.operators import plus

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


def stream_scan(
    chunks: Iterable[Any], op: Any = plus, *, exclusive: bool = False, dtype: Any = None, initial: Any = None,
    map: str | None = None, queue: Queue | None = None, accuracy: str = "fast",
) -> Iterator[Array]:  # fmt: skip
    """The scan, along the first axis, of an array that comes in chunks: the scanned chunks, one after the other.

    Parameters
    ----------
    chunks
        As for `stream_reduce`.
    op, exclusive, dtype, initial, map, queue, accuracy
        As for `make_scan`. Exact sums are exact of all that came before.

    Returns
    -------
    iterator of numpy.ndarray
        A chunk for each chunk. None is read before the first is asked for.

    Raises
    ------
    InvalidParameterError
        Chunks of several dtypes, or something that `inclusive_scan` refuses.

    Examples
    --------
    >>> [part.tolist() for part in sycl.stream_scan(([1, 2, 3], [4, 5]))]
    [[1, 3, 6], [10, 15]]
    """
    scan: Any = None
    so_far: Any = None
    elements = 0
    with Ahead(chunks, "scanning", stacked=True) as ahead:
        for chunk in ahead:  # no enumerate, which would keep each until the next has come
            if scan is None:
                scan = make_scan(
                    op, chunk.dtype, axis=0, exclusive=exclusive, result_dtype=dtype, initial=initial, map=map,
                    queue=queue, accuracy=accuracy,
                )  # fmt: skip
                so_far = scan.starts([scan.total(ahead.like)])[0]
            total = scan.total(chunk)
            found = scan.run(chunk, so_far)
            so_far = scan.merge([so_far, total], 0)
            elements += chunk.size
            del chunk
            ahead.tell(elements)
            yield found
            del found
