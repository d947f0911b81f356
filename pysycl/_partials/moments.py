"""Variances and standard deviations: how many elements there are, their mean, and their squared distances from it.

One pass has the sums of distances from a guess and of their squares, of which these follow. Where the guess, the mean of
some elements, is so far off that digits would cancel, a further pass takes the mean that was found."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.axes import axes_of, steps_over
from pysycl._algorithms.call import Options, dispatched, home_queue
from pysycl._algorithms.kinds import accumulated, average_of, averaged, cast, real_of, square
from pysycl._algorithms.map_text import element_of
from pysycl._algorithms.operand import ARRAY, USM, Operand, c_type, operand
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_fold import Fold, Reducer
from pysycl._reductions.reduce_passes import begin
from pysycl.buffer import Buffer
from pysycl.operators import plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array

_SAMPLES: Final = 1024
"""Elements of a guess."""


def _some(x: Operand, axes: tuple[int, ...], options: Options) -> Fold:
    """About so many of the elements for each result, from all over. Odd steps meet all columns of a table in turn."""
    shape, strides = list(x.shape), list(x.strides)
    if len(axes) == len(shape) and x.strides == steps_over(x.shape, range(len(shape))):
        shape, strides, axes = [prod(shape)], [1], (0,)
        options = options._replace(axis=None, keepdims=False)
    most = max(round(_SAMPLES ** (1 / max(len(axes), 1))), 1)
    for d in axes:
        step = -(-shape[d] // most) | 1
        shape[d], strides[d] = -(-shape[d] // step), strides[d] * step
    return Fold(x._replace(shape=tuple(shape), strides=tuple(strides)), options)


@dispatched
def _about(x: Any, options: Options, guess: Any, *, acc: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """The guess, and the sums of distances from it and of their squares, for each result. `guess`: None, or one."""
    call = begin(x, options)
    element, preamble = element_of(options.map, call.x.dtype, acc)
    kind, real = c_type(acc), real_of(acc)
    if guess is None:
        some = _some(call.x, call.axes, options)
        mean = Reducer(plus, acc, None, "r / n")
        text, n = f"r0.combine({element});", real.type(some.count)
        (guess,) = some.fold(text, (mean,), {"x": some.x}, None, preamble, n=n)
        call.event = some.event
    statement = (
        f"const {kind} d = {element} - {cast('{guess}', acc, acc)}; r0.combine(d); r1.combine({square('d', acc)});"
    )
    operands: dict[str, Operand | None] = {"x": call.x, "guess": call.again(guess)}
    return guess, *call.fold(statement, (Reducer(plus, acc), Reducer(plus, real)), operands, None, preamble)


class Moments(Kind):
    """The count, the mean, and the sum of squared distances from it, in float64 (Chan's merge)."""

    __slots__ = ("ddof", "root")

    def __init__(self, given: np.dtype[Any], dtype: Any, ddof: float, root: bool) -> None:
        import numpy as np

        plain = averaged(given) if dtype is None else np.dtype(dtype)
        self.result = real_of(plain)
        self.ddof = ddof
        self.root = root
        center = np.complex128 if given.kind == "c" else np.float64
        self.dtype = np.dtype([("count", np.float64), ("mean", center), ("squares", np.float64)])

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        it = operand(x, "x")
        queue = options.queue or home_queue(it.source if it.kind == USM else None)
        acc = self.dtype["mean"] if queue.device.has("fp64") else average_of(it.dtype, None)
        acc = accumulated(acc)
        count = prod(it.shape[d] for d in axes_of(options.axis, len(it.shape)))
        found = _about(x, options, None, acc=acc)

        def end() -> Array:
            part, is_far = self._made(count, *found)
            if not is_far:
                return part
            guess = part["mean"].astype(acc)
            again = _about(x, options, guess if it.kind == ARRAY else Buffer(guess.reshape(-1)), acc=acc)
            return self._made(count, *again)[0]

        return end

    def _made(self, count: int, *found: Any) -> tuple[Array, bool]:
        """The partials, and whether the guess of one was further from the mean than elements are."""
        import numpy as np

        guess, sums, squares = (np.asarray(each) for each in found)
        result = np.empty(sums.shape, self.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            apart = sums.astype(self.dtype["mean"]) / count
            between = np.abs(apart) ** 2 * count
            rest = np.where(np.isinf(squares) & np.isfinite(sums), squares, squares - between)
            result["count"], result["mean"], result["squares"] = count, guess + apart, np.maximum(rest, 0)
            return result, bool(np.any(between > rest))

    def joined(self, a: Array, b: Array) -> Array:
        import numpy as np

        result = np.empty(a.shape, self.dtype)
        count = a["count"] + b["count"]
        share = np.divide(b["count"], count, out=np.zeros(count.shape), where=count > 0)
        with np.errstate(invalid="ignore", over="ignore"):
            apart = b["mean"] - a["mean"]
            result["count"], result["mean"] = count, a["mean"] + apart * share
            between = np.abs(apart) ** 2 * a["count"] * share
            result["squares"] = a["squares"] + b["squares"] + np.where(a["count"] * share > 0, between, 0)
        return result

    def ended(self, parts: Array) -> Any:
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            spread = parts["squares"] / np.maximum(parts["count"] - self.ddof, 0)
            return (np.sqrt(spread) if self.root else spread).astype(self.result, copy=False)
