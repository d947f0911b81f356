"""Means: how many elements there are, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.call import Options
from pysycl._algorithms.operand import operand
from pysycl._partials.kind import Kind

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
