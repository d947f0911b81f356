"""How asynchronous errors reach somebody: the queue's handler, else the context's, else an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from pysycl.errors import AsyncErrorGroup, ExceptionList, SyclError

if TYPE_CHECKING:
    from pysycl.queue import Queue

AsyncHandler: TypeAlias = Callable[[ExceptionList], object]


def raise_all(errors: ExceptionList) -> None:
    """The handler of those who gave none: raises the error, or all of them as one group."""
    if len(errors) == 1:
        raise errors[0]
    raise AsyncErrorGroup(f"{len(errors)} commands failed", list(errors))


def handler_of(queue: Queue) -> AsyncHandler | None:
    """The queue's own handler, else its context's. SYCL 2020, 4.13.1.2."""
    return queue.async_handler or queue.context.async_handler


def deliver(queues: Iterable[Queue]) -> None:
    """Hands over the errors of the queues, each once: what is handed over is consumed."""
    unhandled: list[SyclError] = []
    for queue in queues:
        errors = ExceptionList(queue._take_errors())
        handler = handler_of(queue)
        if not errors:
            continue
        if handler is None:
            unhandled += errors
        else:
            handler(errors)
    if unhandled:
        raise_all(ExceptionList(unhandled))
