"""argmin and argmax: the extreme and its index, the first of equals; NaN before all."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import index as as_index
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.call import Call, Options, dispatched
from pysycl._algorithms.kinds import edge
from pysycl._algorithms.operand import ARRAY, BUFFER, Operand, as_numbers, operand
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_passes import position
from pysycl._sorts.sort_keys import as_bits
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


def _one_axis(options: Options, ndim: int) -> int | None:
    return None if options.axis is None else axes_of(options.axis, ndim)[0]


@dispatched
def _placed(x: Any, options: Options, *, least: bool) -> tuple[Any, Buffer | None]:
    """The places, and of device memory the elements there, too."""
    index = position(x, options, least=least)
    it = operand(x, "x")
    return index, None if it.kind == ARRAY else _at_places(it, index, _one_axis(options, len(it.shape)), options)


def _at_places(it: Operand, index: Any, axis: int | None, options: Options) -> Buffer:
    """The elements of device memory at these places, which are device memory, too: nothing is read a second time."""
    import numpy as np

    at = index if it.kind == BUFFER else Buffer(np.asarray(index))  # no order is known of other memory
    kind = it.dtype
    if kind.kind in "bc":
        memory = as_numbers(it.memory)
    else:  # of types that a device may lack the bits
        memory = as_bits(it).memory if kind.kind == "f" and kind.itemsize != 4 else it.memory
    keys = Buffer((prod(at.shape),), memory.dtype)
    numbers: dict[str, Any] = {"first": it.offset}
    place, inside = "first", ""
    for d in reversed(range(len(it.shape))):
        numbers[f"step{d}"] = it.strides[d]
        if d == axis:
            place += f" + at[i] * step{d}"
            continue
        numbers[f"size{d}"] = it.shape[d]
        place += f" + {'at[i]' if axis is None else '(long)i'}{inside} % size{d} * step{d}"
        inside += f" / size{d}"
    arguments = {"keys": keys, "x": memory, "at": at, **numbers}
    Call(it, options, at.shape).run((keys.shape[0],), f"keys[i] = x[{place}];", arguments)
    return keys


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

        try:
            first = as_index(first)
        except TypeError:
            raise InvalidParameterError(f"first: expected an index, got {first!r}") from None
        index, keys = _placed(x, options, least=self.least)

        def end() -> Array:
            at = np.asarray(index)
            result = np.empty(at.shape, self.dtype)
            result["index"] = at + first
            if keys is None:
                result["key"] = self._keys(x, at, options)
            else:
                result["key"] = np.asarray(keys).view(self.dtype["key"]).reshape(at.shape)
            return result

        return end

    def _keys(self, x: Any, index: Array, options: Options) -> Array:
        """The elements at these places."""
        import numpy as np

        array = np.asarray(x)
        axis = _one_axis(options, array.ndim)
        if axis is None:
            return np.asarray(array.reshape(-1)[index])
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
