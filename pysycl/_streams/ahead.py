"""A thread that is one chunk ahead of the work: the next chunk is read while one is worked on, and no further one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl._runtime import progress
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array


def as_chunk(chunk: Any, number: int) -> Any:
    """An array of one dimension at least: what NumPy makes of it, unless it is in a device's memory."""
    import numpy as np

    array = chunk if isinstance(chunk, np.ndarray | _core.Buffer | _core.UsmArray) else np.asarray(chunk)
    if len(array.shape) == 0:
        raise InvalidParameterError(f"chunks: expected arrays, and chunk {number} is {chunk!r}")
    return array


class Ahead:
    """The chunks of an iterator, in their order. As many are alive as are worked on, and one."""

    def __init__(self, chunks: Iterable[Any], what: str, at_work: int = 1, stacked: bool = False) -> None:
        """`stacked`: they lie along the first axis, so that they have the other ones alike."""
        try:
            self._chunks = iter(chunks)
        except TypeError:
            raise InvalidParameterError(
                f"chunks: expected an iterable of arrays, such as a generator or a list of slices, got {chunks!r}"
            ) from None
        if isinstance(chunks, str | bytes):
            raise InvalidParameterError(
                f"chunks: expected an iterable of arrays, got the text {chunks!r}: numpy.memmap makes an array of a file, "
                "whose slices are chunks"
            )
        if hasattr(chunks, "dtype"):
            raise InvalidParameterError(
                f"chunks: expected an iterable of arrays, got one of {chunks.dtype}: give its slices, "
                "as (x[k : k + n] for k in range(0, len(x), n))"
            )
        self._what = what
        self._stacked = stacked
        self.like: Any = None
        """The first chunk without its elements, once it has been taken."""
        self._condition = Condition()
        self._read: deque[Any] = deque()
        self._room = at_work + 1
        self._ended = False
        self._stopped = False
        self._error: BaseException | None = None
        self._begun = monotonic()
        self.at = -1
        """Which chunk an error is about. -1: none."""
        self._thread = Thread(target=self._run, name="pysycl chunks", daemon=True)
        try:
            self._thread.start()
        except BaseException:  # Ctrl-C: there is nobody yet who would stop it
            self._stopped = True
            raise

    def _run(self) -> None:
        """The reading thread's: exceptions go to whoever asks for the next chunk."""
        number = 0
        try:
            while True:
                with self._condition:
                    while self._room <= 0 and not self._stopped:
                        self._condition.wait(1)  # Ctrl-C may come before the end is told
                    if self._stopped:
                        break
                    self._room -= 1
                chunk = as_chunk(next(self._chunks), number)
                self._check(chunk, number)
                number += 1
                with self._condition:
                    if not self._stopped:
                        self._read.append(chunk)
                    del chunk
                    self._condition.notify_all()
        except StopIteration:
            pass
        except BaseException as error:  # whatever it is
            self._error = error
        try:
            close = getattr(self._chunks, "close", None)
            if close is not None:
                close()
        except BaseException as error:
            self._error = self._error or error
        with self._condition:
            self._ended = True
            self._condition.notify_all()

    def _check(self, chunk: Any, number: int) -> None:
        import numpy as np

        if self.like is None:
            self.like = np.empty((0, *chunk.shape[1:]), chunk.dtype)
        if chunk.dtype != self.like.dtype:
            raise InvalidParameterError(
                f"chunks: chunk {number} has elements of {chunk.dtype}, and those before of {self.like.dtype}"
            )
        if self._stacked and tuple(chunk.shape[1:]) != self.like.shape[1:]:
            raise InvalidParameterError(
                f"chunks: chunk {number} has the shape {tuple(chunk.shape)}, and chunk 0 {self.like.shape[1:]} behind the first "
                "axis, along which they follow each other"
            )

    def take(self) -> Any:
        """The next chunk, for work that ends with `done`. None: there is no other one."""
        with self._condition:
            self._condition.wait_for(lambda: self._read or self._ended or self._stopped)
            if self._read:
                return self._read.popleft()
            error, self._error = self._error, None
        if error is not None:
            raise error
        return None

    def done(self) -> None:
        """A chunk that was taken is worked on no longer."""
        with self._condition:
            self._room += 1
            self._condition.notify_all()

    def tell(self, elements: int) -> None:
        """Where a person looks, once it takes long (pysycl/_runtime/progress.py)."""
        seconds = monotonic() - self._begun
        if seconds > 1:
            progress.show(self._what, f"{elements:,} elements", "the stream", seconds)

    def stop(self) -> None:
        """Nothing more is read. A read that is on its way is not waited for: nobody knows how long it takes."""
        self._stopped = True  # whatever comes in between
        with self._condition:
            self._read.clear()
            self._condition.notify_all()
        progress.end()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self.at >= 0 and error is not None and not isinstance(error, GeneratorExit):
            error.add_note(f"in chunk {self.at} of the stream")
        self.stop()

    def __iter__(self) -> Iterator[Array]:
        """One after the other, each worked on until the next is asked for."""
        number = 0
        while (chunk := self.take()) is not None:
            self.at = number
            yield chunk
            del chunk
            self.done()
            self.at, number = -1, number + 1
