"""One call of a device-wide algorithm: where its passes run, what is kept of them for calls to come, and where its results
go.

Results of NumPy arrays are NumPy arrays, and the call returns when they are there. Results of buffers and of unified
shared memory are made by commands; what lies between two of these is in buffers, which bring them into order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

import numpy as np

from pysycl import _core
from pysycl._algorithms.again import allocated, is_buffer, known, submitted
from pysycl._algorithms.operand import ARRAY, BUFFER, USM, Operand
from pysycl._algorithms.spare import Command, Spare, watch
from pysycl._data.host_memory import has_memory, view_of
from pysycl._data.usm_array import UsmArray
from pysycl.buffer import Buffer
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.queue import Queue

if TYPE_CHECKING:
    from pysycl.event import Event

F = TypeVar("F", bound=Callable[..., Any])
_ACCURACIES: Final = ("fast", "pairwise", "compensated", "exact")
_DETERMINISM: Final = ("any", "run_to_run")

_queues: Final[dict[Any, Queue]] = {}


def home_queue(memory: UsmArray | None) -> Queue:
    """The queue that all calls without one share: for unified shared memory of its context, for None of the default
    device."""
    home = memory._context if memory is not None else None
    if home not in _queues:
        _queues[home] = Queue() if memory is None else Queue(memory._device, context=home, in_order=True)
    return _queues[home]


class Options(NamedTuple):
    """What a call can be given besides its data."""

    axis: Any = None
    keepdims: bool = False
    where: Any = None
    out: Any = None
    queue: Any = None
    map: str | None = None
    accuracy: str = "fast"
    determinism: str = "any"
    skips_nan: bool = False
    """Elements that are NaN do not count."""


def options_of(
    axis: Any, keepdims: bool, where: Any, map: Any, out: Any, queue: Any, accuracy: str = "fast",
    determinism: str = "any",
) -> Options:  # fmt: skip
    """The options, if there are such."""
    if not isinstance(accuracy, str) or accuracy not in _ACCURACIES:
        raise InvalidParameterError(f"accuracy: expected one of {', '.join(_ACCURACIES)}, got {accuracy!r}")
    if not isinstance(determinism, str) or determinism not in _DETERMINISM:
        raise InvalidParameterError(f"determinism: expected one of {', '.join(_DETERMINISM)}, got {determinism!r}")
    out = out if isinstance(queue, Several) else memory_of(out)
    return Options(axis, keepdims, where, out, queue, map, accuracy, determinism)


def is_at_hand(it: Operand, queue: Any) -> bool:
    """Is it an array that the calling thread and its team may work on: no queue is named, or a CPU's, which has not begun
    anything that would come before?"""
    if it.kind != ARRAY or queue is None:
        return it.kind == ARRAY
    return isinstance(queue, Queue) and queue.device.is_cpu and queue._is_free()


def is_few(it: Operand, options: Options, few: int) -> bool:
    """Is it an array of fewer elements than that, and NumPy's own function done before a launch would be?"""
    return it.kind == ARRAY and options.queue is None and prod(it.shape) < few


def check_elements(x: Any, dtype: Any) -> None:
    """For objects that were made for arrays of one dtype."""
    found = getattr(x, "dtype", None)
    if found != dtype:
        raise InvalidParameterError(f"x: expected elements of {dtype}, got {found or type(x).__name__}")


def memory_of(out: Any) -> Any:
    """`out` itself, or an array over its memory, where it has that by a protocol."""
    if out is None:
        return None
    if isinstance(out, np.ndarray | _core.Buffer | _core.UsmArray) or not has_memory(out):
        return out
    try:
        return view_of(out)
    except (TypeError, ValueError, BufferError) as error:
        raise InvalidParameterError(f"out: the memory of {type(out).__name__} cannot be used: {error}") from None


# -- passes that are kept --


class Pass(NamedTuple):
    """What a pass over operands that lie alike needs again."""

    range: tuple[int, ...]
    text: str
    arguments: dict[str, Any]
    made: list[Any]
    """Of what its elements are combined into, without the memory."""


_passes: Final[dict[Any, Pass]] = {}
_MOST_PASSES: Final = 1000


def kept(key: Any, make: Callable[[], Pass]) -> Pass:
    """The pass that was made for the key."""
    found = _passes.get(key)
    if found is None:
        if len(_passes) >= _MOST_PASSES:
            _passes.clear()
        found = _passes[key] = make()
    return found


class _Recording(threading.local):
    """Of this thread: the passes that are prepared and not run."""

    passes: list[Any] | None = None


_recording: Final = _Recording()


@contextmanager
def recorded() -> Iterator[list[Any]]:
    """What this thread's calls would run is prepared, listed, and not run. Their results are nothing."""
    passes: list[Any] = []
    _recording.passes = passes
    watch.begin()  # no plan is made of it
    try:
        yield passes
    finally:
        _recording.passes = None
        watch.end()


class Several:
    """Several devices in the place of a queue (pysycl/_split). Of each function that is `dispatched` it can have one of its
    own, with an underscore before the name, and the same arguments."""

    __slots__ = ()


def dispatched(run: F) -> F:
    """How a function of data and options is carried out: by several devices where these stand in the place of its
    `options.queue`; of unified shared memory or a buffer, where nothing but types and flags is given besides, by
    `call_again`; else by itself."""
    name, at = f"_{run.__name__}", run.__code__.co_varnames.index("options")

    @wraps(run)
    def either(*args: Any, **named: Any) -> Any:
        if isinstance(args[at].queue, Several):
            return getattr(args[at].queue, name, run)(*args, **named)
        if at == 1 and type(args[0]) in (UsmArray, Buffer):
            more = args[2:]
            if all([each is None or isinstance(each, np.dtype) for each in more]):
                return call_again((name, *more, *named.values()), args[:1], args[1], lambda: run(*args, **named))
        return run(*args, **named)

    return cast("F", either)


def made_by(it: Operand) -> Any:
    """The command that makes the operand's unified shared memory, if it is the result of a call. Buffers know theirs."""
    return getattr(it.source, "_made", None) if it.kind == USM else None


def call_again(key: tuple[Any, ...], given: tuple[Any, ...], options: Options, call: Callable[[], Any]) -> Any:
    """What `call` returns for `given`: by the commands of an earlier call with that key, if all that is unified shared memory
    that lies as it did then, or a buffer. The key names all that says which commands there are, besides that and the options."""
    queue, out = options.queue, options.out
    usm = type(given[0]) is UsmArray
    if not (usm or (out is None and is_buffer(given))) or not (queue is None or isinstance(queue, _core.Queue)):
        return call()
    axis = options.axis if isinstance(options.axis, int | None) else str(options.axis)
    key = (*key, axis, options.keepdims, options.map, options.accuracy, options.determinism, options.skips_nan)
    waits = usm and queue is None
    memory = given if out is None else (*given, out)
    home = home_queue(given[0] if usm else None) if queue is None else queue
    found = known(key, memory, home, waits) if options.where is None else None
    return call() if found is None else found.result(call)


class Call:
    """A call for an operand, with a result of a shape."""

    __slots__ = ("_spare", "event", "options", "queue", "result_shape", "waits", "x")

    def __init__(self, x: Operand, options: Options, result_shape: tuple[int, ...]) -> None:
        if options.queue is not None and not isinstance(options.queue, _core.Queue):
            several = (
                ": several devices are for reductions, scans and sort" if isinstance(options.queue, Several) else ""
            )
            raise InvalidParameterError(f"queue: expected a Queue or None, got {options.queue!r}{several}")
        self.x = x
        self.options = options
        self.result_shape = result_shape
        self.waits = x.kind == USM and options.queue is None
        self.queue: Any = options.queue
        self._spare: Spare | None = None
        self.event: Event | None = made_by(x)  # what the first pass comes behind, on a queue that keeps no order

    def _found_queue(self) -> Any:
        if self.queue is None:
            self.queue = home_queue(self.x.source if self.x.kind == USM else None)
        return self.queue

    def memory(self, size: int, dtype: np.dtype[Any]) -> Buffer:
        """Memory between two passes: nobody knows what is in it."""
        self._spare = self._spare or Spare(self._found_queue())
        return self._spare.take(size, dtype)

    def spared(self) -> int:
        """Behind the last pass: the memory is for other calls. How many bytes it has."""
        return 0 if self._spare is None else self._spare.give_back()

    def run(self, range: Any, text: str, arguments: dict[str, Any]) -> None:
        """One pass, on the call's queue; arrays are waited for."""
        queue = self._found_queue()
        seen = _recording.passes
        if seen is not None:
            seen.append(queue.kernel(range, text, **arguments))
            return
        after = self.event if self.x.kind == USM and not queue.is_in_order else None  # where buffers bring no order
        try:
            self.event = submitted(queue, range, text, arguments, after)
        except InvalidError as error:  # of the body's own names, which nobody else knows
            if self.options.out is None or "leads to as well" not in str(error):
                raise
            raise InvalidError(
                "out: the result would be put into elements that are read, in 'x' or another argument: it needs memory "
                "of its own"
            ) from None
        watch.submitted(Command(range, text, arguments))

    # -- the end --

    def _out(self, dtype: np.dtype[Any]) -> Any:
        out = self.options.out
        shape = tuple(out.shape) if hasattr(out, "shape") else None
        if isinstance(out, np.generic):
            raise InvalidParameterError(
                f"out: {out!r} is a value, not the memory that it came from: pass a view, as x[:1].reshape(())"
            )
        if not hasattr(out, "dtype") or shape is None:
            raise InvalidParameterError(f"out: expected a NumPy array, a Buffer or a UsmArray, got {out!r}")
        wanted = self.result_shape
        if shape != wanted and not (isinstance(out, _core.Buffer) and wanted == () and shape == (1,)):
            raise InvalidParameterError(f"out: expected the shape {wanted}, got {shape}")
        if isinstance(out, np.ndarray) and not out.flags.writeable:
            raise InvalidParameterError("out: the array is read-only")
        if isinstance(out, _core.Buffer | _core.UsmArray) and out.dtype != dtype:
            raise InvalidParameterError(f"out: expected elements of {dtype}, got {out.dtype}")
        if isinstance(out, UsmArray) and out.size > 1 and not out._like().flags.c_contiguous:
            raise InvalidParameterError(
                f"out: expected contiguous memory, got a view with strides of {out.strides} bytes"
            )
        return out

    def result(self, dtype: np.dtype[Any]) -> Any:
        """New memory for the call's result, of the kind of its input; or `out`."""
        if self.options.out is not None:
            out = self._out(dtype)
            return np.empty(self.result_shape, dtype) if isinstance(out, np.ndarray) else out
        return self.like(self.result_shape, dtype)

    def like(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """New memory of the kind of the input."""
        if self.x.kind == ARRAY:
            return np.empty(shape, dtype)
        if self.x.kind == BUFFER:
            return Buffer._new(shape, dtype)
        source = self.x.source
        return allocated((source._context, source._device, source._kind), shape, dtype)

    def fill(self, memory: Any, value: Any) -> None:
        """The same value for all elements of memory of the input's kind, or of a buffer, before all passes."""
        if isinstance(memory, np.ndarray):
            memory[...] = value
        elif memory.size and _recording.passes is None:
            command = Command(None, "", {"memory": memory, "value": value})
            self.event = submitted(self._found_queue(), *command, None)
            watch.submitted(command)

    def give_array(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """A NumPy array of results, as the caller wants it."""
        array = np.asarray(value).astype(dtype, copy=False).reshape(self.result_shape)
        if self.options.out is None:
            return self._like_source(array) if isinstance(self.x.source, np.ndarray) else array[()]
        out = self._out(dtype)
        if isinstance(out, np.ndarray):
            try:
                np.copyto(out, array, casting="same_kind")
            except TypeError as error:
                raise InvalidParameterError(f"out: {error}") from None
        else:
            self._found_queue().copy(np.ascontiguousarray(array), out)
        return out

    def _like_source(self, array: Any) -> Any:
        """Of the class that NumPy would give. A numpy.matrix, which has two dimensions whatever it is given, stays out."""
        like = self.x.source.__array_wrap__(array)
        return like if like.shape == array.shape else array[()]

    def ended(self, *made: Any) -> None:
        """Behind the last command: waits if that is the call's to do; otherwise new memory remembers the command."""
        if self.waits and self.event is not None:
            self.event.wait()
        elif self.x.kind == USM:
            for memory in made:
                memory._made = self.event

    def give(self, memory: Any) -> Any:
        """What the call returns, whose last command writes to the memory."""
        self.ended(*() if self.options.out is not None else (memory,))
        return self.give_array(memory, memory.dtype) if isinstance(memory, np.ndarray) else memory
