"""How a buffer ends: for what it waits, and where its contents go. SYCL 2020, 4.7.2.3, 4.7.4.

All handles of a buffer (sub-buffers and reinterpretations too) share one Life; the end of the last one is the end of
the buffer.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
import weakref
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pysycl import _core
from pysycl._data.host_memory import view_of
from pysycl._data.overlap import release
from pysycl.errors import AccessorError, InvalidParameterError, MemoryAllocationError, SyclError, SyclWarning

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array

    Destination: TypeAlias = Array | weakref.ref[Any] | Callable[[Array], object]

WRITE, READ = 1, 0  # the binding's numbers of access modes


class Host(Enum):
    """A buffer's tie to host memory of the user's, which says what its end waits for."""

    none = "none"  # nothing: made from a shape, or it has a copy, or was given the array for good
    read = "read"  # reads it: the end waits, and writes nothing back
    written = "written"  # the end waits, and writes back
    shared = "shared"  # as written, if somebody still holds the array


class Ending(Protocol):
    """An object that ends: a buffer, or an image."""

    def _leave(self) -> int: ...
    def _rejoin(self) -> None: ...
    def _drop(self) -> None: ...
    def _write_back(self, seconds: float, /) -> bool: ...
    @property
    def _written(self) -> bool: ...


class TookTooLongError(Exception):
    """The end of a buffer could not be waited for."""


class Life:
    """The state that the handles of one buffer share."""

    def __init__(
        self,
        host: Host,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        allocator: Callable[[int], Any] | None = None,
        kept: Array | None = None,
    ) -> None:
        self.host = host
        self.shape = shape
        self.dtype = dtype
        self.allocator = allocator
        self.kept = kept  # an array that was made for the user
        self.array: weakref.ref[Array] | None = None  # the user's
        self.guard: Any = None  # of use_mutex
        self.destination: Destination | None = None
        self.redirected = False  # set_final_data was called
        self.writes_back = True
        self.extent: tuple[int, int, int] | None = None  # of the array in use: overlap.py
        self.parts: weakref.WeakValueDictionary[int, Ending] | None = None  # handles made from the first one, by id

    @property
    def has_goal(self) -> bool:
        """True if the contents go somewhere when the buffer ends."""
        if self.redirected:
            return self.destination is not None and self.writes_back
        return self.host in (Host.written, Host.shared) and self.writes_back

    def redirect(self, destination: Destination | None) -> None:
        """set_final_data."""
        if destination is not None and not isinstance(destination, weakref.ref) and not callable(destination):
            try:
                array = view_of(destination)
            except (TypeError, ValueError, BufferError) as error:
                why = "" if isinstance(error, TypeError) else f": {error}"
                raise InvalidParameterError(
                    f"destination: expected an array, a weak reference to one, a callable or None, got {destination!r}{why}"
                ) from None
            destination = self._target(array)
        self.destination = destination
        self.redirected = True

    def _target(self, array: Array) -> Array:
        import numpy as np

        if not array.flags.writeable:
            raise InvalidParameterError("destination: the array is read-only")
        if array.size != math.prod(self.shape):
            raise InvalidParameterError(
                f"destination: the array has {array.size} elements, but the buffer has {math.prod(self.shape)}"
            )
        if not np.can_cast(self.dtype, array.dtype, "safe"):
            raise InvalidParameterError(
                f"destination: elements of {self.dtype} do not become elements of {array.dtype} without loss"
            )
        return array

    def end(self, handle: Ending, seconds: float = math.inf) -> None:
        """Give up a handle; the last one waits and writes back. TookTooLongError: not within `seconds`."""
        left, raised = handle._leave(), None
        if left == 0:
            return
        if left == 2:
            try:
                raised = self._finish(handle, time.monotonic() + seconds)
            except BaseException:
                handle._rejoin()  # an end that was interrupted can be tried again
                raise
        handle._drop()
        if left == 2:
            release(self)
        if raised is not None:
            raise raised

    def add_part(self, handle: Ending) -> None:
        """A sub-buffer, a reinterpretation, or another handle on all of it."""
        if self.parts is None:
            self.parts = weakref.WeakValueDictionary()
        self.parts[id(handle)] = handle

    def end_block(self, handle: Ending) -> None:
        """The end of the handle's `with` block; for the handle that was made first it is the end of all."""
        parts = list(self.parts.values()) if self.parts is not None else []
        if any(part is handle for part in parts):
            self.end(handle)
            return
        left = []
        for part in parts:
            others = part._leave()
            if others == 1:
                left.append(part)
            elif others == 2:  # the first handle has been closed before
                part._rejoin()
                self.end(part)
        try:
            self.end(handle)
        except BaseException:
            for part in left:
                part._rejoin()
            raise
        for part in left:
            part._drop()

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ends():  # then names of modules may be gone, and nobody asks any more
            release(self)  # of a handle that was never closed

    def _finish(self, handle: Ending, deadline: float) -> BaseException | None:
        """An exception of the user's callable, which is the end all the same."""
        guard = self.guard
        joined = guard is not None and guard.join()
        try:
            return self._finish_held(handle, deadline)
        finally:
            if joined:
                guard.leave(None)

    def _finish_held(self, handle: Ending, deadline: float) -> BaseException | None:
        try:
            if self.redirected:
                return self._deliver(handle, deadline)
            if self.host is Host.shared and self._holders() < 2:
                return None
            if self.host is not Host.none:
                self._wait(handle, deadline)
        except (AccessorError, MemoryAllocationError, TookTooLongError):
            raise  # nothing is lost: the end can be tried again
        except SyclError as error:
            if self.has_goal:
                self._tell(f"the data of a buffer that has ended was not written back: {error}")
        return None

    def _wait(self, handle: Ending, deadline: float) -> None:
        """For all that uses the buffer; and brings the array up to date, if that was modified."""
        if self.has_goal and handle._written:
            _in_time(handle._write_back(deadline - time.monotonic()))
            return
        access = _core.HostAccessor(handle, WRITE, None, None, True, True)  # a writer waits for everybody
        try:
            _in_time(access._wait(deadline - time.monotonic()))
        except AccessorError:
            raise
        except SyclError:
            pass  # of a command that failed: its queue tells
        finally:
            access._end()

    def _deliver(self, handle: Ending, deadline: float) -> BaseException | None:
        """To where set_final_data has said."""
        if not self.has_goal or not handle._written:
            return None
        destination = self.destination() if isinstance(self.destination, weakref.ref) else self.destination
        if destination is None:
            return None
        access = _core.HostAccessor(handle, READ, None, None, False, True)
        try:
            _in_time(access._wait(deadline - time.monotonic()))
            contents = self._contents(access)
            if isinstance(self.destination, weakref.ref):
                _copy(self._target(view_of(destination)), contents)
            elif callable(destination):
                return _call(destination, contents.copy())
            else:
                _copy(destination, contents)
            return None
        finally:
            access._end()

    def _contents(self, access: _core.HostAccessor) -> Array:
        import numpy as np

        if access.byte_size == 0:
            return np.empty(self.shape, self.dtype)
        contents: Array = np.frombuffer(access, np.uint8).view(self.dtype)  # type: ignore[call-overload]
        return contents.reshape(self.shape)

    def _holders(self) -> int:
        """References to a shared array, the buffer's own among them."""
        return _core.holders(self.array) if self.array is not None else 0

    @staticmethod
    def _tell(words: str) -> None:
        if not sys.is_finalizing():
            warnings.warn(words, SyclWarning, stacklevel=5)


def _call(destination: Callable[[Array], object], contents: Array) -> BaseException | None:
    """Once, whatever it raises: it has had the data."""
    try:
        destination(contents)
    except BaseException as error:
        return error
    return None


def _copy(target: Array, contents: Array) -> None:
    import numpy as np

    np.copyto(target, contents.reshape(target.shape), casting="safe")


def _in_time(done: bool) -> None:
    if not done:
        raise TookTooLongError


# -- all of them, at the end of the process --

_goals: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def remember(handle: Any) -> None:
    """A handle whose buffer has somewhere to write to: see close_all."""
    _goals[id(handle)] = handle


_put_off: list[Any] = []


def put_off(handle: Any) -> None:
    """The end of a handle that nobody holds was interrupted: what it was to write is written when the process ends."""
    if handle._life.has_goal:
        _put_off.append(handle)
        remember(handle)


def close_all(seconds: float) -> None:
    """Close the buffers that have somewhere to write to, as their destruction would, and say which were not in time."""
    deadline, late = time.monotonic() + seconds, 0
    for handle in list(_goals.values()):
        try:
            handle._life.end(handle, max(0.0, deadline - time.monotonic()))
        except TookTooLongError:
            late += 1
        except Exception as error:  # one that fails must not keep the others from being written back
            print(f"pysycl: at exit a buffer was not written back: {error}", file=sys.stderr)
    if late:
        print(f"pysycl: at exit {late} buffer(s) could not be written back in time", file=sys.stderr)
