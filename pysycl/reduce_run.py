"""One call of a device-wide reduction: its passes over the elements, what is done with their results, and where those go.

Results of NumPy arrays are NumPy arrays, and the call returns when they are there. Results of buffers and of unified
shared memory are made by commands; what lies between two of these is in buffers, which bring them into order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl import _core
from pysycl.buffer import Buffer
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.queue import Queue
from pysycl.reduce_axes import axes_of, kept_shape, layout
from pysycl.reduce_operand import ARRAY, BUFFER, USM, Operand, broadcast, operand
from pysycl.reduce_text import Body
from pysycl.reductions import Reduction, _along
from pysycl.usm_array import UsmArray

if TYPE_CHECKING:
    import numpy as np

    from pysycl.event import Event

_queues: Final[dict[Any, Queue]] = {}


def _default_queue(x: Operand) -> Queue:
    """A queue that all calls without one share: of the default device, or of the context that the memory belongs to."""
    home = x.source._context if x.kind == USM else None
    if home not in _queues:
        _queues[home] = Queue() if home is None else Queue(x.source._device, context=home, in_order=True)
    return _queues[home]


class Reducer(NamedTuple):
    """What elements are combined into."""

    op: Any
    dtype: np.dtype[Any]
    identity: Any = None
    finish: str | None = None
    result: np.dtype[Any] | None = None
    """Where finish gives another type."""
    accuracy: str | None = None
    """Where it is another than the call asks for."""


class _Plan(NamedTuple):
    """What a pass over operands that lie alike needs again."""

    range: tuple[int, ...]
    text: str
    arguments: dict[str, Any]
    reductions: list[tuple[Any, ...]]
    """Without their memory."""


_plans: Final[dict[Any, _Plan]] = {}
_MOST_PLANS: Final = 1000


class _Recording(threading.local):
    """Of this thread: the passes that are prepared and not run."""

    passes: list[Any] | None = None


_recording: Final = _Recording()


@contextmanager
def recorded() -> Iterator[list[Any]]:
    """What this thread's calls would run is prepared, listed, and not run. Their results are nothing."""
    passes: list[Any] = []
    _recording.passes = passes
    try:
        yield passes
    finally:
        _recording.passes = None


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


def _as_numbers(memory: Any) -> Any:
    """bool as bytes: accumulators are numbers."""
    import numpy as np

    if memory.dtype.kind != "b":
        return memory
    return memory.view(np.uint8) if hasattr(memory, "flags") else memory.reinterpret(np.uint8)


class Call:
    """The passes of one call."""

    __slots__ = ("axes", "event", "keepdims", "kept", "options", "queue", "waits", "where", "x")

    def __init__(self, x: Operand, options: Options) -> None:
        if options.queue is not None and not isinstance(options.queue, _core.Queue):
            raise InvalidParameterError(f"queue: expected a Queue or None, got {options.queue!r}")
        self.x = x
        self.options = options
        self.axes = axes_of(options.axis, len(x.shape))
        self.keepdims = bool(options.keepdims)
        self.kept = kept_shape(x.shape, self.axes, False)
        self.where: Operand | None = None
        if options.where is not None and options.where is not True:
            self.where = broadcast(operand(options.where, "where"), x.shape, "where")
            if self.where.dtype.kind != "b":
                raise InvalidParameterError(f"where: expected an array of bool, got one of {self.where.dtype}")
        self.waits = x.kind == USM and options.queue is None
        self.queue: Any = options.queue
        self.event: Event | None = None

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return kept_shape(self.x.shape, self.axes, self.keepdims)

    @property
    def count(self) -> int:
        """How many elements each result is made of."""
        return prod(self.x.shape[d] for d in self.axes)

    @property
    def is_empty(self) -> bool:
        """No elements where there should be some."""
        return self.count == 0 and prod(self.kept) > 0

    def _run(self, range: Any, text: str, arguments: dict[str, Any]) -> None:
        if self.queue is None:
            self.queue = _default_queue(self.x)
        seen = _recording.passes
        if seen is not None:
            seen.append(self.queue.kernel(range, text, **arguments))
            return
        self.event = self.queue.parallel_for(range, text, **arguments)
        if self.x.kind == ARRAY:
            self.event.wait()

    # -- between two passes --

    def memory(self, dtype: np.dtype[Any]) -> Any:
        """Memory for one value for each result."""
        import numpy as np

        return np.empty(self.kept, dtype) if self.x.kind == ARRAY else Buffer((prod(self.kept),), dtype)

    def filled(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """The same value for each result, where there is nothing to combine."""
        import numpy as np

        array = np.full(self.kept, value, dtype)
        return array if self.x.kind == ARRAY else Buffer(array.reshape(-1), copy=True)

    def again(self, memory: Any) -> Operand:
        """The results of a pass as an operand of the next: repeated along the reduced axes."""
        steps, step = [], 1
        for d in reversed(range(len(self.x.shape))):
            steps.append(0 if d in self.axes else step)
            step *= 1 if d in self.axes else self.x.shape[d]
        kind = ARRAY if self.x.kind == ARRAY else BUFFER
        flat = memory.reshape(-1) if kind == ARRAY else memory
        return Operand(kind, flat, memory.dtype, self.x.shape, tuple(reversed(steps)), 0, None)

    def _position(self) -> tuple[int, ...]:
        steps, step = [0] * len(self.x.shape), 1
        for d in reversed(self.axes):
            steps[d] = step
            step *= self.x.shape[d]
        return tuple(steps)

    # -- passes --

    def fold(
        self,
        statement: str,
        reducers: tuple[Reducer, ...],
        operands: dict[str, Operand | None],
        into: tuple[Any, ...] | None = None,
        preamble: str | None = None,
        always: str = "",
        **numbers: Any,
    ) -> tuple[Any, ...]:
        """Combines all elements: the memory that the results are in. The statement combines `{x}` into r0, r1, ...

        Where nothing is to be combined the memory has the identities.
        """
        into = into or tuple(self.memory(each.result or each.dtype) for each in reducers)
        if self.where is not None:
            operands = {**operands, "where": self.where}
            statement = f"if ({{where}}) {{{{ {statement} }}}}"
        key = (
            statement, always, reducers, self.x.shape, self.axes, self.options.accuracy, self.options.determinism,
            tuple([it and (name, it.dtype, it.strides, it.offset) for name, it in operands.items()]),
            tuple([memory.dtype for memory in into]),
        )  # fmt: skip
        plan = _plans.get(key)
        if plan is None:
            if len(_plans) >= _MOST_PLANS:
                _plans.clear()
            plan = _plans[key] = self._plan(statement + always, reducers, operands, into)
        arguments = plan.arguments | numbers
        for name, it in operands.items():
            if it is not None:
                arguments[f"in_{name}"] = _as_numbers(it.memory)
        for k, memory in enumerate(into):
            plain = _as_numbers(memory)
            arguments[f"r{k}"] = Reduction((plain, plain.size, *plan.reductions[k]))
        if preamble:
            arguments["preamble"] = preamble
        try:
            self._run(plan.range, plan.text, arguments)
        except InvalidError as error:  # of the body's own names, which nobody else knows
            if self.options.out is None or "leads to as well" not in str(error):
                raise
            raise InvalidError(
                "out: the result would be put into elements that are read, in 'x' or another argument: it needs memory "
                "of its own"
            ) from None
        return into

    def _plan(
        self, statement: str, reducers: tuple[Reducer, ...], operands: dict[str, Operand | None], into: tuple[Any, ...]
    ) -> _Plan:
        strides = [self._position() if it is None else it.strides for it in operands.values()]
        offsets = [0 if it is None else it.offset for it in operands.values()]
        lies = layout(self.x.shape, self.axes, strides, offsets)
        body = Body(lies, operands, statement)
        made = [
            _along(
                _as_numbers(memory), reducer.op, lies.mask, value_dtype=reducer.dtype, identity=reducer.identity,
                finish=reducer.finish, accuracy=reducer.accuracy or self.options.accuracy,
                determinism=self.options.determinism,
            )
            for reducer, memory in zip(reducers, into, strict=True)
        ]  # fmt: skip
        return _Plan(lies.sizes, body.text, body.arguments, [tuple(each)[2:] for each in made])

    def apply(self, text: str, stages: tuple[Any, ...], into: Any, **numbers: Any) -> None:
        """Elements of results of passes, r0, r1, ..., to one result each: only where these are no NumPy arrays."""
        arguments: dict[str, Any] = {f"r{k}": _as_numbers(stage) for k, stage in enumerate(stages)}
        store = f"vstore_half({text}, i, y);" if into.dtype.str[1:] == "f2" else f"y[i] = {text};"
        arguments |= {"y": _as_numbers(into), **numbers}
        self._run(prod(self.kept), store, arguments)

    # -- the end --

    def _out(self, dtype: np.dtype[Any]) -> Any:
        import numpy as np

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
        import numpy as np

        if self.options.out is not None:
            out = self._out(dtype)
            return np.empty(self.result_shape, dtype) if isinstance(out, np.ndarray) else out
        if self.x.kind == BUFFER:
            return Buffer(self.result_shape or (1,), dtype)
        source = self.x.source
        return _core.usm_allocate(
            source._context, source._device, source._kind, 0, self.result_shape, dtype, dtype.itemsize
        )

    def give_array(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """A NumPy array of results, as the caller wants it."""
        import numpy as np

        array = np.asarray(value).astype(dtype, copy=False).reshape(self.result_shape)
        if self.options.out is None:
            return array[()]
        out = self._out(dtype)
        if isinstance(out, np.ndarray):
            try:
                np.copyto(out, array, casting="same_kind")
            except TypeError as error:
                raise InvalidParameterError(f"out: {error}") from None
        else:
            queue = self.queue or _default_queue(self.x)
            queue.copy(np.ascontiguousarray(array), out).wait()
        return out

    def give(self, memory: Any) -> Any:
        """What the call returns, whose last command writes to the memory."""
        import numpy as np

        in_array = isinstance(memory, np.ndarray)
        if (self.waits or in_array) and self.event is not None:
            self.event.wait()
        return self.give_array(memory, memory.dtype) if in_array else memory


Host = Callable[..., Any]


def settled(
    call: Call,
    statement: str,
    reducer: Reducer,
    operands: dict[str, Operand | None],
    dtype: np.dtype[Any],
    preamble: str | None = None,
    host: Host | None = None,
    **numbers: Any,
) -> Any:
    """The call's result, by one pass: the reducer's `finish` makes it of what was combined, and of the numbers, where it
    is no NumPy array; there `host` does."""
    if call.x.kind != ARRAY:
        return call.give(call.fold(statement, (reducer,), operands, (call.result(dtype),), preamble, **numbers)[0])
    stage = call.fold(statement, (reducer._replace(finish=None),), operands, None, preamble)[0]
    return call.give_array(stage if host is None else host(stage, **numbers), dtype)


def finished(
    call: Call,
    stages: tuple[Any, ...],
    dtype: np.dtype[Any],
    text: str = "r0[i]",
    host: Host | None = None,
    **numbers: Any,
) -> Any:
    """The call's result, made of those of its passes: by `host` where they are arrays, else by the text."""
    if call.x.kind == ARRAY:
        return call.give_array(stages[0] if host is None else host(*stages, **numbers), dtype)
    into = call.result(dtype)
    if prod(call.kept) > 0:
        call.apply(text, stages, into, **numbers)
    return call.give(into)
