"""Operators of values that NumPy has, too: a partial result is a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options
from pysycl._algorithms.kinds import accumulated, edge, one_value
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_any import combine
from pysycl.operators import FunctionObject

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


class Values(Kind):
    """By a function object, of elements that have a result's dtype."""

    __slots__ = ("_nothing", "op", "ufunc")

    def __init__(self, op: FunctionObject, result: np.dtype[Any]) -> None:
        import numpy as np

        name = op.name
        self.op = op
        self.result = result
        is_bool = result.kind == "b"
        widened = name in ("plus", "multiplies") and result.str[1:] == "f2"  # as devices add them
        self.dtype = accumulated(result) if widened else result
        ufuncs: dict[str, Any] = {
            "plus": np.logical_or if is_bool else np.add,
            "multiplies": np.logical_and if is_bool else np.multiply,
            "minimum": np.minimum, "maximum": np.maximum, "logical_and": np.logical_and, "logical_or": np.logical_or,
            "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor,
        }  # fmt: skip
        self.ufunc = ufuncs[name]
        if name in ("minimum", "maximum"):
            self._nothing = edge(name == "minimum", result)
        elif name == "bit_and":
            self._nothing = True if is_bool else np.array(-1).astype(result)[()]
        else:
            self._nothing = int(name in ("multiplies", "logical_and"))

    def nothing(self, shape: tuple[int, ...]) -> Array:
        import numpy as np

        return np.full(shape, self._nothing, self.dtype)

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        typed = self.op.name in ("plus", "multiplies") or self.op.name.startswith("bit")
        found = combine(x, self.op, options, self.dtype if typed else None, None)
        return lambda: found

    def joined(self, a: Array, b: Array) -> Array:
        import numpy as np

        with np.errstate(all="ignore"):
            return np.asarray(self.ufunc(a, b))

    def begun(self, parts: Array, initial: Any) -> Any:
        if initial is None:
            return self.ended(parts)
        if self.op.name.startswith(("logical", "bit")):
            return super().begun(parts, initial)
        return self.ended(self.joined(one_value(initial, self.dtype), parts))

    def ended(self, parts: Array) -> Any:
        return parts.astype(self.result, copy=False)
