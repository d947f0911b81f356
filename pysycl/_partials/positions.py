"""argmin and argmax: the extreme and its index, the first of equals; NaN before all."""

from __future__ import annotations

from collections.abc import Callable
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

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        import numpy as np

        index = position(x, options, least=self.least)
        is_array = operand(x, "x").kind == ARRAY
        key = None if is_array else extremes(x, options, None, least=self.least)

        def end() -> Array:
            at = np.asarray(index)
            result = np.empty(at.shape, self.dtype)
            result["index"] = at + first
            result["key"] = self._keys(x, at, options) if is_array else np.asarray(key).reshape(at.shape)
            return result

        return end

    def _keys(self, x: Any, index: Array, options: Options) -> Array:
        """The elements at these places."""
        import numpy as np

        array = np.asarray(x)
        if options.axis is None:
            return np.asarray(array.reshape(-1)[index])
        (axis,) = axes_of(options.axis, array.ndim)
        where = index if options.keepdims else np.expand_dims(index, axis)
        return np.take_along_axis(array, where, axis).reshape(index.shape)

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
