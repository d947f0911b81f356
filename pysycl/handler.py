"""Handler: puts one command group together, inside `queue.submit`."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from pysycl import _core
from pysycl.errors import InvalidError

if TYPE_CHECKING:
    from pysycl.event import Event
    from pysycl.queue import Queue


class Handler(_core.Handler):
    """What a command group function gets: `parallel_for` or `single_task` once at most, and `depends_on`.

    As the value of `with queue.submit() as h:` it is submitted when the block ends; then `h.event` is the command's
    event. An exception in the block submits nothing.

    Notes
    -----
    SYCL 2020, 4.9.4. A handler is of use only until its group has ended.
    """

    __slots__ = ("_event",)
    _event: Event

    def __new__(cls, queue: Queue) -> Handler:
        return super().__new__(cls, queue)

    @property
    def event(self) -> Event:
        """The command's event, once the group has ended."""
        try:
            return self._event
        except AttributeError:
            raise InvalidError("the command group has not been submitted: it has no event yet") from None

    def __enter__(self) -> Handler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._event = self._submit()
        else:
            self._discard()
