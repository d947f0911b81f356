"""Operators that are the user's text. Their partial results are merged where such a text can run, in their order."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options, home_queue
from pysycl._algorithms.kinds import accumulated, one_value
from pysycl._kernels.scanner import scanner
from pysycl._partials.kind import Kind
from pysycl._reductions.reduce_any import combine
from pysycl.binary_op import BinaryOp
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


class Written(Kind):
    """By a BinaryOp. Where it has no identity a partial says whether there was an element."""

    __slots__ = ("_value", "op", "ordered", "queue")

    def __init__(self, op: BinaryOp, result: np.dtype[Any], queue: Any, ordered: bool) -> None:
        import numpy as np

        self.op = op
        self.result = result
        self.queue = queue
        self.ordered = ordered
        """The elements are combined in their order, too."""
        self._value = accumulated(result)
        self.dtype = self._value if op.identity is not None else np.dtype([("value", self._value), ("some", np.uint8)])

    def nothing(self, shape: tuple[int, ...]) -> Array:
        import numpy as np

        if self.op.identity is None:
            return np.zeros(shape, self.dtype)
        result = np.empty(shape, self.dtype)
        result[...] = self.op.identity
        return result

    def _values(self, parts: Array) -> Array:
        return parts if self.op.identity is not None else parts["value"]

    def made(self, values: Any) -> Array:
        """Values as partials."""
        import numpy as np

        if self.op.identity is not None:
            return np.asarray(values).astype(self.dtype, copy=False)
        result = np.ones(np.shape(values), self.dtype)
        result["value"] = values
        return result

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        import numpy as np

        from pysycl._scans.scan_any import total_by

        wanted = None if self.result.names is not None and options.map is None else self.result
        found = (
            total_by(x, self.op, options, self.result) if self.ordered else combine(x, self.op, options, wanted, None)
        )
        return lambda: self.made(np.asarray(found))

    def joined(self, a: Array, b: Array) -> Array:
        import numpy as np

        return self.merged(np.stack([a, b]))

    def merged(self, parts: Array) -> Array:
        """One pass: a scan's last values."""
        import numpy as np

        shape = parts.shape[1:]
        result = self.nothing(shape)
        some = [k for k, part in enumerate(parts) if part.tobytes() != result.tobytes()]
        if len(some) < 2 or prod(shape) == 0:  # nothing that a device would have to do
            return parts[some[0]] if some else result
        parts, count = parts[some], len(some)
        values = np.ascontiguousarray(self._values(parts).reshape(count, -1))
        total: Any = np.empty(prod(shape), self._value)
        through = scanner(self.op, self._value, total=total)
        arguments: dict[str, Any] = {"x": values, "t": through, "lines": values.shape[1]}
        text = "t.combine(x[i0 * lines + i1]);"
        if self.op.identity is None:
            arguments["some"] = np.ascontiguousarray(parts["some"].reshape(count, -1))
            text = f"if (some[i0 * lines + i1]) {text}"
        queue = home_queue(None) if self.queue is None else self.queue
        queue.parallel_scan(values.shape, text, None, axis=0, **arguments)
        if self.op.identity is not None:
            return np.asarray(total.reshape(shape), self.dtype)
        result["some"] = parts["some"].any(axis=0)
        result["value"] = np.where(result["some"], total.reshape(shape), result["value"])
        return result

    def begun(self, parts: Array, initial: Any) -> Any:
        import numpy as np

        if initial is None:
            return self.ended(parts)
        before = np.full(parts.shape, self.made(one_value(initial, self._value)), self.dtype)
        return self.ended(self.joined(before, parts))

    def ended(self, parts: Array) -> Any:
        if self.op.identity is None and not parts["some"].all():
            raise InvalidParameterError(f"x: no elements, and no identity of {self.op!r}; give initial=")
        return self._values(parts).astype(self.result, copy=False)
