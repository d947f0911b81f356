"""The devices, and which of them does which block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from pysycl.queue import Queue

Work = Callable[[Any, int, "Queue"], Callable[[], Any]]
"""`work(block, number, queue)` begins, and what it gives waits for the result."""


Made = TypeVar("Made")
_MOST: Final = 200  # kinds of calls of which something is kept


def nothing() -> None:
    """The end of work that was none."""


def tell(error: BaseException, queue: Queue, number: int, blocks: int) -> None:
    """An error says at which block and device it happened."""
    error.add_note(f"on {queue.device.name!r} by {queue.platform.name}, block {number} of {blocks}")


class Crew:
    """The queues of several devices."""

    __slots__ = ("_kept", "_pool", "queues", "speeds")

    def __init__(self, queues: Sequence[Queue]) -> None:
        self.queues = tuple(queues)
        self.speeds: dict[Queue, float] = {}
        """How many parts along the first axis each does in a second, of those that were in the host's memory."""
        self._pool: ThreadPoolExecutor | None = None
        self._kept: dict[Any, Any] = {}

    def _made(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        """What is the same in all calls with that key."""
        try:
            found: Made | None = self._kept.get(key)
        except TypeError:  # a list of axes is no key
            return make()
        if found is None:
            if len(self._kept) >= _MOST:
                self._kept.clear()
            found = self._kept[key] = make()
        return found

    def _do(self, blocks: Sequence[Any], work: Work, *, owned: bool, fixed: bool = False) -> list[Any]:
        """The work of all blocks, and the results in their order. `owned`: each is in a device's memory, in their order.
        Otherwise each is done by whichever device is free, or, if `fixed`, in turns."""
        return self._at_once(blocks, work) if owned else self._in_turns(blocks, work, fixed)

    def _at_once(self, blocks: Sequence[Any], work: Work) -> list[Any]:
        """All are begun before one is waited for: no thread has to be woken."""
        turns = [self.queues[k % len(self.queues)] for k in range(len(blocks))]
        ends: list[Callable[[], Any]] = []
        results: list[Any] = []
        try:
            for k, block in enumerate(blocks):
                ends.append(work(block, k, turns[k]))
            for end in ends:
                results.append(end())
        except BaseException as error:  # whatever it is
            number = len(ends) if len(ends) < len(blocks) else len(results)
            tell(error, turns[number], number, len(blocks))
            raise
        return results

    def _in_turns(self, blocks: Sequence[Any], work: Work, fixed: bool) -> list[Any]:
        """By threads. A device with memory of its own has two: a block is copied while another is worked on."""
        results: list[Any] = [None] * len(blocks)
        errors: list[BaseException] = []
        left = list(range(len(blocks)))
        lock = Lock()

        def next_of(turn: int) -> int | None:
            with lock:
                own = (n for n in left if not fixed or n % len(self.queues) == turn)
                number = None if errors else next(own, None)
                if number is not None:
                    left.remove(number)
                return number

        def serve(turn: int) -> None:
            queue, begun, parts = self.queues[turn], perf_counter(), 0
            while (number := next_of(turn)) is not None:
                try:
                    results[number] = work(blocks[number], number, queue)()
                except BaseException as error:  # whatever it is: the caller raises it
                    tell(error, queue, number, len(blocks))
                    with lock:
                        errors.append(error)
                parts += len(blocks[number])
            if parts and not errors:
                self.speeds[queue] = parts / (perf_counter() - begun)

        turns = [k for k, queue in enumerate(self.queues) for _ in range(1 if queue.device.is_cpu else 2)]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(turns), "pysycl split")
        running = [self._pool.submit(serve, turn) for turn in turns]
        try:
            wait(running)
        except BaseException as error:  # Ctrl-C: each ends after the block that it has
            with lock:
                errors.append(error)
            wait(running)
            raise
        if errors:
            raise errors[0]
        return results
