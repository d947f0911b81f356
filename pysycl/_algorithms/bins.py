"""One pass that adds elements into an array of variables, and where an element goes among sorted edges."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.body_text import Body, Elements, stored
from pysycl._algorithms.call import Call, Options, Pass, kept
from pysycl._algorithms.kinds import cast
from pysycl._algorithms.operand import ARRAY, USM, Operand, as_numbers, operand
from pysycl._algorithms.spare import watch
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus
from pysycl.reductions import _into_array

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array

# More edges than that are counted by 64 bits.
_MOST_INTS: Final = 2**30


class Binned(Call):
    """A call that adds its elements into variables, r."""

    __slots__ = ()

    def __init__(self, x: Operand, options: Options) -> None:
        super().__init__(x, options, ())

    @property
    def count(self) -> int:
        """How many elements there are."""
        return prod(self.x.shape)

    @property
    def counting(self) -> np.dtype[Any]:
        """The type in which they are counted: narrow variables are added to faster."""
        import numpy as np

        return np.dtype(np.uint32 if self.count < 2**32 else np.int64)

    def put(self, array: Array) -> Any:
        """An array of the call's own, to be read by a pass."""
        if self.x.kind == ARRAY:
            return array
        memory = Buffer(array, copy=True)
        if watch.commands is not None:
            watch.constants.append(memory)
        return memory

    def added(
        self, statement: str, dtype: np.dtype[Any], length: int, operands: dict[str, Operand | None], op: Any = plus,
        identity: Any = None, result: Any = None, **numbers: Any,
    ) -> Any:  # fmt: skip
        """The variables, by a statement that adds to r[k], or combines with it by another operator. `result`: of what type
        elements are made of them, by as_type."""
        import numpy as np

        passing = self.x.kind == USM and result is not None and result != dtype
        memory = self.memory(length, dtype) if passing else self.like((length,), dtype)
        if self.count == 0:
            self.fill(memory, np.zeros((), dtype)[()])
            return memory
        elements = Elements(operands, statement)
        shape = self.x.shape or (1,)
        key = ("bins", elements.key, shape, tuple(numbers))
        found = kept(key, lambda: _body(elements, shape))
        arguments = {**found.arguments, **numbers}
        elements.give(arguments)
        arguments["r"] = _into_array(memory, op, identity, self.options.accuracy, self.options.determinism)
        self.run(found.range, found.text, arguments)
        return memory

    def as_type(self, memory: Any, dtype: np.dtype[Any]) -> Any:
        """The variables as elements of a type."""
        if self.x.kind == ARRAY:
            return memory.astype(dtype, copy=False)
        if memory.dtype == dtype:
            return memory
        into = self.like(memory.shape, dtype)
        self.run(memory.size, stored("y", "i", cast("r[i]", memory.dtype, dtype), dtype), {"r": memory, "y": into})
        self.spared()
        return into


def _body(elements: Elements, shape: tuple[int, ...]) -> Pass:
    body = Body(elements, shape, tuple(range(len(shape))))
    return Pass(body.layout.sizes, body.text, body.arguments, [])


def flat(it: Operand) -> Operand:
    """Of no dimension as of one."""
    return it if it.shape else it._replace(shape=(1,), strides=(0,))


def weights_of(weights: Any, x: Operand) -> Operand:
    """The weights, a number for each element."""
    return checked_weights(operand(weights, "weights"), x)


def checked_weights(it: Operand, x: Operand) -> Operand:
    """The same of an operand."""
    if it.shape != x.shape:
        raise InvalidParameterError(f"weights: shape {it.shape}, and x has the shape {x.shape}")
    if it.kind != x.kind:
        raise InvalidParameterError("weights: expected memory of the kind of x")
    if it.dtype.kind not in "biuf":
        raise InvalidParameterError(f"weights: expected real numbers, got {it.dtype}")
    return flat(it)


def added_type(call: Binned, weights: Operand | None) -> np.dtype[Any]:
    """The type in which weights are added: those of integers exactly, others in double where there is one."""
    import numpy as np

    if weights is None:
        return call.counting
    if weights.dtype.kind in "bi":
        return np.dtype(np.int64)
    if weights.dtype.kind == "u":
        return np.dtype(np.uint64)
    if weights.dtype.itemsize == 8 or call._found_queue().device.has("fp64"):
        return np.dtype(np.float64)
    return np.dtype(np.float32)


class Edges:
    """Sorted edges, and the text that finds an element's bin."""

    __slots__ = ("arguments", "bins", "index", "is_even", "text")

    def __init__(self, call: Binned, array: Array, given: np.dtype[Any], even: bool, name: str = "x") -> None:
        import numpy as np

        self.bins = array.size - 1
        common = np.result_type(given, array.dtype)
        kind = np.dtype(np.float32) if common.str[1:] == "f2" else common
        own = np.ascontiguousarray(array, kind)
        self.arguments: dict[str, Any] = {f"{name}_edges": as_numbers(call.put(own))}
        count = np.int32 if self.bins < _MOST_INTS else np.int64
        self.arguments[f"{name}_bins"] = count(self.bins)
        self.index = "int" if count is np.int32 else "long"
        value = cast(f"{{{name}}}", given, kind) if kind.kind != "b" else f"{{{name}}}"
        with np.errstate(all="ignore"):
            width = own[-1] - own[0] if kind.kind == "f" else 0
            scale = kind.type(self.bins / width) if width > 0 else 0
        self.is_even = bool(even and 0 < scale < np.inf)
        if self.is_even:
            self.arguments[f"{name}_from"] = own[0]
            self.arguments[f"{name}_scale"] = scale
            self.text = f"syc_even_bin({value}, {name}_edges, {name}_bins, {name}_from, {name}_scale)"
        else:
            self.text = f"syc_bin({value}, {name}_edges, {name}_bins)"
