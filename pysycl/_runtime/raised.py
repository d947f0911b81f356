"""What host tasks have raised, from then until it is told.

The core knows it by a token, and the queue holds it, in sight of Python's garbage collector: its frames hold buffers,
events and the queue itself, and what the core holds of them would keep it for ever.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Token:
    """Stands for an exception that a queue holds. When the core lets go of it, so does the queue."""

    __slots__ = ("_queue",)

    def __init__(self, queue: Queue) -> None:
        self._queue = weakref.ref(queue)

    def __del__(self) -> None:
        queue = self._queue()
        if queue is not None:
            look(queue, self, told=True)


def keep(queue: Queue, error: BaseException) -> Token:
    """Called by the binding when a host task has raised."""
    token = Token(queue)
    if not hasattr(queue, "_raised"):
        queue._raised = {}
    queue._raised[id(token)] = error  # no weak dictionary: the collector empties it before it ends the queue
    return token


def look(queue: Queue, token: Token, told: bool) -> BaseException | None:
    """What the token stands for; `told`: to be raised or handled now, so that the queue lets go. None: it was told."""
    raised: dict[int, BaseException] = getattr(queue, "_raised", {})
    return raised.pop(id(token), None) if told else raised.get(id(token))
