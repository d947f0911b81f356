"""Sums of floating-point numbers of another accuracy than fast, of complex ones by their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options, dispatched
from pysycl._algorithms.kinds import accumulated, one_value, real_of
from pysycl._algorithms.map_text import element_of
from pysycl._partials.exact import exact_dtype, exact_of, exact_pieces, exact_results, exact_sums
from pysycl._partials.kind import Kind
from pysycl._partials.running import (
    compensated_join,
    pairwise_join,
    running_dtype,
    running_of,
    running_pieces,
    running_results,
)
from pysycl._reductions.reduce_fold import Reducer
from pysycl._reductions.reduce_passes import begin
from pysycl.operators import plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


@dispatched
def _accumulators(x: Any, options: Options, *, result: np.dtype[Any], dtype: np.dtype[Any]) -> Any:
    """Partial results as the devices' reductions find them, but for the last step."""
    call = begin(x, options)
    element, preamble = element_of(options.map, call.x.dtype, result)
    reducer = Reducer(plus, accumulated(result), None, None, dtype, options.accuracy)
    return call.fold(f"r0.combine({element});", (reducer,), {"x": call.x}, None, preamble)[0]


class Sums(Kind):
    """Of a result's dtype; `accuracy` is another than fast."""

    __slots__ = ("_number", "_parts", "accuracy")

    def __init__(self, result: np.dtype[Any], accuracy: str) -> None:
        import numpy as np

        acc = accumulated(result)
        self.result = result
        self.accuracy = accuracy
        self._number = real_of(acc)
        own = (exact_dtype if accuracy == "exact" else running_dtype)(self._number)
        self._parts = ("real", "imag") if acc.kind == "c" else ()
        self.dtype = np.dtype([(name, own) for name in self._parts]) if self._parts else own

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        found = _accumulators(x, options, result=self.result, dtype=self.dtype)
        return lambda: found

    def _each(self, function: Any, *parts: Any) -> Array:
        """The same for both parts of complex numbers."""
        import numpy as np

        if not self._parts:
            return np.asarray(function(*parts))
        found = [function(*(each[name] for each in parts)) for name in self._parts]
        result = np.empty(found[0].shape, self.dtype)
        for name, each in zip(self._parts, found, strict=True):
            result[name] = each
        return result

    def joined(self, a: Array, b: Array) -> Array:
        import numpy as np

        if self.accuracy == "exact":
            return self._each(lambda a, b: exact_sums(np.stack([a, b])), a, b)
        return self._each(pairwise_join if self.accuracy == "pairwise" else compensated_join, a, b)

    def merged(self, parts: Array) -> Array:
        return self._each(exact_sums, parts) if self.accuracy == "exact" else super().merged(parts)

    def _value(self, parts: Array) -> Array:
        if self.accuracy == "exact":
            return exact_results(parts, self._number)
        return running_results(parts, self.accuracy)

    def begun(self, parts: Array, initial: Any) -> Any:
        import numpy as np

        found = self.ended(parts)
        return found if initial is None else np.add(found, one_value(initial, self.result)).astype(self.result)

    def ended(self, parts: Array) -> Any:
        if not self._parts:
            return self._value(parts).astype(self.result, copy=False)
        return self._complex(self._value(parts["real"]), self._value(parts["imag"])).astype(self.result, copy=False)

    def _complex(self, real: Array, imag: Array) -> Array:
        import numpy as np

        result = np.empty(real.shape, accumulated(self.result))
        result.real, result.imag = real, imag
        return result

    def of_value(self, value: Array) -> Array:
        """The partial of one value."""

        def own(one: Array) -> Array:
            return exact_of(one.astype(self._number)) if self.accuracy == "exact" else running_of(one, self._number)

        if not self._parts:
            return own(value)
        return self._each(own, {"real": value.real, "imag": value.imag})

    def pieces(self, part: Array) -> Array:
        """Numbers whose sum each is, along a further axis: what a scan can begin with."""

        def own(one: Array) -> Array:
            if self.accuracy == "exact":
                return exact_pieces(one, self._number)
            return running_pieces(one, self.accuracy)

        return self._complex(own(part["real"]), own(part["imag"])) if self._parts else own(part)
