"""argmin and argmax: the extreme and its index, the first of equals; NaN before all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.call import Options
from pysycl._algorithms.kinds import edge
from pysycl._algorithms.operand import ARRAY, operand
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_passes import extremes, position
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


class Positions(Kind):
    """Of elements of a dtype."""

    __slots__ = ("_nowhere", "least")

    def __init__(self, given: np.dtype[Any], least: bool) -> None:
        import numpy as np

        self.least = least
        self.result = np.dtype(np.int64)
        self.dtype = np.dtype([("key", given), ("index", np.int64)])
        self._nowhere = np.iinfo(np.int64).max

    def nothing(self, shape: tuple[int, ...]) -> Array:
        import numpy as np

        result = np.empty(shape, self.dtype)
        result["key"], result["index"] = edge(self.least, self.dtype["key"]), self._nowhere
        return result

    def found(self, x: Any, options: Options, first: int) -> Any:
        import numpy as np

        index = np.asarray(position(x, options, least=self.least))
        result = np.empty(index.shape, self.dtype)
        result["index"] = index + first
        if operand(x, "x").kind != ARRAY:
            result["key"] = np.asarray(extremes(x, options, None, least=self.least)).reshape(index.shape)
            return result
        array = np.asarray(x)
        if options.axis is None:
            result["key"] = array.reshape(-1)[index]
        else:
            (axis,) = axes_of(options.axis, array.ndim)
            where = index if options.keepdims else np.expand_dims(index, axis)
            result["key"] = np.take_along_axis(array, where, axis).reshape(index.shape)
        return result

    def joined(self, a: Array, b: Array) -> Array:
        import numpy as np

        x, y = a["key"], b["key"]
        better = np.asarray(y < x if self.least else y > x)
        equal = np.asarray(x == y)
        if x.dtype.kind in "fc":
            better = ~np.isnan(x) & (better | np.isnan(y))
            equal = equal | (np.isnan(x) & np.isnan(y))
        return np.where(better | (equal & (b["index"] < a["index"])), b, a)

    def ended(self, parts: Array) -> Any:
        if (parts["index"] == self._nowhere).any():
            raise InvalidParameterError(f"x: the {'argmin' if self.least else 'argmax'} of no elements is not defined")
        return parts["index"].copy()
