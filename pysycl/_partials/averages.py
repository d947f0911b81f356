"""Means, variances and standard deviations: how many elements there are, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.call import Options, home_queue
from pysycl._algorithms.kinds import accumulated, averaged, real_of
from pysycl._algorithms.operand import USM, operand
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_moments import mean, variance

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


def _count(x: Any, options: Options) -> int:
    shape = operand(x, "x").shape
    return prod(shape[d] for d in axes_of(options.axis, len(shape)))


class Means(Kind):
    """A sum, of whatever kind it is, and the number of its elements."""

    __slots__ = ("sum",)

    def __init__(self, sums: Kind, result: np.dtype[Any]) -> None:
        import numpy as np

        self.sum = sums
        self.result = result
        self.dtype = np.dtype([("sum", sums.dtype), ("count", np.int64)])

    def _made(self, sums: Array, count: Any) -> Array:
        import numpy as np

        result = np.empty(sums.shape, self.dtype)
        result["sum"], result["count"] = sums, count
        return result

    def nothing(self, shape: tuple[int, ...]) -> Array:
        return self._made(self.sum.nothing(shape), 0)

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        sums, count = self.sum.start(x, options), _count(x, options)
        return lambda: self._made(sums(), count)

    def joined(self, a: Array, b: Array) -> Array:
        return self._made(self.sum.joined(a["sum"], b["sum"]), a["count"] + b["count"])

    def merged(self, parts: Array) -> Array:
        import numpy as np

        return self._made(self.sum.merged(np.ascontiguousarray(parts["sum"])), parts["count"].sum(axis=0))

    def ended(self, parts: Array) -> Any:
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.true_divide(self.sum.ended(parts["sum"]), parts["count"]).astype(self.result, copy=False)


class Moments(Kind):
    """Of variances: the count, the mean, and the sum of squared distances from it, in float64 (Chan's merge)."""

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
        wide = accumulated(self.dtype["mean"]) if queue.device.has("fp64") else None
        centers, spread = mean(x, options, wide), variance(x, options, wide, 0, root=False)
        count = _count(x, options)
        return lambda: self._made(count, centers, spread)

    def _made(self, count: int, centers: Any, spread: Any) -> Array:
        import numpy as np

        result = np.empty(np.shape(centers := np.asarray(centers)), self.dtype)
        result["count"], result["mean"] = count, centers
        result["squares"] = np.asarray(spread).real * np.float64(count)
        return result

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
