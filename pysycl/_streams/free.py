"""Several devices: each chunk goes to whichever is free, and the results are taken in the order of the chunks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._streams.ahead import Ahead
from pysycl.errors import InvalidParameterError, SyclWarning

if TYPE_CHECKING:
    from pysycl.queue import Queue


def queues_of(queues: Any) -> Sequence[Queue]:
    """A list of them, of one at least."""
    if not isinstance(queues, Sequence) or not queues or not all(isinstance(each, _core.Queue) for each in queues):
        raise InvalidParameterError(
            f"queues: expected a list of Queues, as [sycl.Queue(device) for device in sycl.devices()], got {queues!r}"
        )
    return queues


def hardware_of(queue: Queue) -> Any:
    """Equal for devices that share it."""
    device = queue.device
    while device.is_sub_device:
        device = device.parent_device
    return "the host's processor" if device.is_cpu else device


def own_hardware(
    queues: Any, comes_of_it: str = "splitting over both would be slower, so it gets no chunks"
) -> list[Queue | None]:
    """The queues, of those whose devices share hardware the first one. It warns of the others, for the caller of who calls
    this."""
    if queues is None:
        return [None]
    found: dict[Any, Queue] = {}
    for queue in queues_of(queues):
        first = found.setdefault(hardware_of(queue), queue)
        if first is not queue:
            warnings.warn(
                f"queues: {queue!r} is on hardware that {first!r} is on already: {comes_of_it}",
                SyclWarning,
                stacklevel=3,
            )
    return list(found.values())


def worked_on(ahead: Ahead, queues: list[Any], work: Callable[[Any, int, int, Any], Any]) -> Iterator[tuple[int, Any]]:
    """`work(chunk, number, first, queue)` of all chunks, `first` the elements before it: how many elements it has, and
    its result; in the order of the chunks."""
    if len(queues) == 1:
        number = first = 0
        for chunk in ahead:  # no enumerate, which would keep each until the next has come
            size = chunk.size
            result = work(chunk, number, first, queues[0])
            number, first = number + 1, first + size
            del chunk
            yield size, result
        return
    with ThreadPoolExecutor(len(queues), "pysycl device") as pool:
        yield from _by_several(ahead, pool, list(queues), work)


def _by_several(
    ahead: Ahead, pool: ThreadPoolExecutor, free: list[Any], work: Callable[..., Any]
) -> Iterator[tuple[int, Any]]:
    running: dict[Future[Any], tuple[int, int, Any]] = {}
    done: dict[int, tuple[int, Any]] = {}
    number = first = given = 0
    more = True
    while more or running or done:
        while more and free:
            chunk = ahead.take()
            if chunk is None:
                more = False
                break
            queue = free.pop(0)
            running[pool.submit(work, chunk, number, first, queue)] = number, chunk.size, queue
            number, first = number + 1, first + chunk.size
            del chunk
        if running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                at, size, queue = running.pop(future)
                ahead.done()
                free.append(queue)
                ahead.at = at
                done[at] = size, future.result()
                ahead.at = -1
        while given in done:
            yield done.pop(given)
            given += 1
