"""stream_reduce and stream_histogram: partial results of chunks, merged in the order in which these come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.operand import as_numbers
from pysycl._reductions.reduce_object import make_reduce
from pysycl._sorts.edges import warn_of_bool
from pysycl._sorts.histogram import histogram
from pysycl._streams.ahead import Ahead
from pysycl._streams.free import own_hardware, worked_on
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


def stream_reduce(
    chunks: Iterable[Any],
    op: Any = plus,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    initial: Any = None,
    map: str | None = None,
    queues: Sequence[Queue] | None = None,
    determinism: str = "any",
    accuracy: str = "fast",
    ddof: float = 0,
) -> Any:
    """The reduction of an array that comes in chunks, of which two are in memory at a time: one that is reduced, and one
    that a thread reads ahead.

    Parameters
    ----------
    chunks
        Arrays of one dtype, which follow each other along the first axis: slices of a `numpy.memmap`, of Zarr or HDF5,
        batches of a file, what a generator makes.
    op
        As for `make_reduce`: an operator, or one of `mean`, `var`, `std`, `argmin`, `argmax`.
    axis
        None: all. Or axes that the first one is among.
    keepdims, dtype, initial, map
        As for `make_reduce`.
    queues
        Several devices: a chunk goes to whichever is free. Of those that share hardware one is used.
    determinism, accuracy, ddof
        As for `make_reduce`. Exact sums are exact of the whole.

    Returns
    -------
    numpy.ndarray or a NumPy scalar
        As of all chunks together.

    Raises
    ------
    InvalidParameterError
        No chunks, chunks of several dtypes or that do not fit together, or something that `reduce` refuses.

    Notes
    -----
    Beyond SYCL. Ctrl-C ends it; what was read ahead is let go.

    Examples
    --------
    >>> x = np.arange(10.0)
    >>> sycl.stream_reduce(x[k : k + 4] for k in range(0, 10, 4))
    np.float64(45.0)
    >>> sycl.stream_reduce((x[k : k + 4] for k in range(0, 10, 4)), sycl.argmax)
    np.int64(9)
    """
    devices = own_hardware(queues)
    so_far: Any = None
    made: Any = None
    elements = rows = 0
    lock = Lock()

    def part(chunk: Any, number: int, first: int, queue: Any) -> Any:
        nonlocal made, rows
        with lock:
            rows += chunk.shape[0]
            if made is None:
                _check_axis(axis, ahead.like.ndim)
                made = make_reduce(
                    op, ahead.like.dtype, axis=axis, keepdims=keepdims, result_dtype=dtype, initial=initial, map=map,
                    determinism=determinism, accuracy=accuracy, ddof=ddof,
                )  # fmt: skip
        before = first if axis is None else first * chunk.shape[0] // max(chunk.size, 1)
        own = made if queue is None else made._replace(options=made.options._replace(queue=queue))
        return own.partial(chunk, before)

    with Ahead(chunks, "reducing", len(devices), axis is not None) as ahead:
        for size, found in worked_on(ahead, devices, part):
            so_far = found if so_far is None else made.merge([so_far, found], 0)
            elements += size
            ahead.tell(elements)
    if made is None:
        raise InvalidParameterError("chunks: there is none, so that nothing says of what type the elements are")
    if elements == 0:  # of which an extreme is not defined
        import numpy as np

        return made(np.empty((rows, *ahead.like.shape[1:]), ahead.like.dtype))
    return made.result(so_far)


def _check_axis(axis: Any, ndim: int) -> None:
    if 0 not in axes_of(axis, ndim):
        raise InvalidParameterError(
            f"axis: chunks follow each other along axis 0, which is not in {axis!r}: reduce each chunk by itself"
        )


def stream_histogram(
    chunks: Iterable[Any], bins: Any = 10, range: Any = None, *, queues: Sequence[Queue] | None = None
) -> tuple[Array, Array]:
    """How many elements are in each bin, and the bins' edges, of an array that comes in chunks.

    Parameters
    ----------
    chunks
        As for `stream_reduce`.
    bins
        The edges, or how many bins, and then a range.
    range
        The lowest and the highest edge, since elements that are still to come have no known range.
    queues
        As for `stream_reduce`.

    Returns
    -------
    tuple
        Counts and edges, as `histogram` gives them.

    Raises
    ------
    InvalidParameterError
        No range, or something that `histogram` refuses.

    Examples
    --------
    >>> sycl.stream_histogram(([1, 2], [1, 4], [3]), bins=3, range=(1, 4))
    (array([2, 1, 2]), array([1., 2., 3., 4.]))
    """
    import numpy as np

    edges = known_edges(bins, range, np.dtype(np.float64))
    devices = own_hardware(queues)
    counts: Any = np.zeros(len(edges) - 1, np.int64)
    elements = 0

    def counted(chunk: Any, number: int, first: int, queue: Any) -> Any:
        return counts_of(chunk, known_edges(bins, range, chunk.dtype), queue)

    with Ahead(chunks, "counting", len(devices)) as ahead:
        for size, added in worked_on(ahead, devices, counted):
            counts += np.asarray(added)
            elements += size
            ahead.tell(elements)
    if ahead.like is not None:
        warn_of_bool(ahead.like.dtype)
        edges = known_edges(bins, range, ahead.like.dtype)
    return counts, edges


def counts_of(block: Any, edges: Array, queue: Queue | None = None) -> Any:
    """Of some of the elements, without a warning of bool, which their whole has."""
    return histogram(as_numbers(block) if block.dtype.kind == "b" else block, edges, queue=queue)[0]


def known_edges(bins: Any, range: Any, dtype: np.dtype[Any]) -> Array:
    """The edges of bins for elements of a dtype, before any of these is seen."""
    import numpy as np

    if np.ndim(bins) == 0 and range is None:
        raise InvalidParameterError(
            "range: the least and the greatest of elements that are still to come are not known; give range=, or edges as "
            "bins="
        )
    return histogram(np.zeros(0, np.uint8 if dtype.kind == "b" else dtype), bins, range)[1]
