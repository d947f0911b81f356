"""make_reduce: a reduction as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from pysycl.errors import InvalidParameterError
from pysycl.operators import plus
from pysycl.reduce_any import combine
from pysycl.reduce_calls import options_of
from pysycl.reduce_run import Options, recorded

if TYPE_CHECKING:
    import numpy as np

    from pysycl.queue import Queue
    from pysycl.source import Array


class Plan(NamedTuple):
    """How arrays of one shape are reduced: `make_reduce(...).plan(shape)` makes it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    passes: tuple[Any, ...]
    """The prepared kernels: `range`, `source`, `explanation` and `temporary_bytes` of each."""

    @property
    def temporary_bytes(self) -> int:
        """Bytes of the device's memory that a call takes besides its elements and results: for the partial results of
        groups. They are kept for calls to come, and calls that run at the same time have as many each."""
        return sum(each.temporary_bytes for each in self.passes)

    def explain(self) -> str:
        """Lines that say which form each pass takes, and why."""
        return "\n".join(each.explanation for each in self.passes) or "no elements: nothing is launched"


class Reduce(NamedTuple):
    """A reduction with its operator and options: called with an array, it gives the result that `reduce` would."""

    op: Any
    dtype: np.dtype[Any]
    result_dtype: Any
    initial: Any
    options: Options

    def __call__(self, x: Any, *, where: Any = None, out: Any = None) -> Any:
        """The reduction of x, whose elements must be of the dtype that was said."""
        found = getattr(x, "dtype", None)
        if found != self.dtype:
            raise InvalidParameterError(f"x: expected elements of {self.dtype}, got {found or type(x).__name__}")
        return combine(x, self.op, self.options._replace(where=where, out=out), self.result_dtype, self.initial)

    def plan(self, shape: SupportsIndex | Iterable[SupportsIndex]) -> Plan:
        """How an array of a shape would be reduced. Kernels are built, and nothing runs."""
        import numpy as np

        try:
            sizes = tuple(map(index, shape)) if isinstance(shape, Iterable) else (index(shape),)
        except TypeError:
            raise InvalidParameterError(f"shape: expected an int or a tuple of ints, got {shape!r}") from None
        if min(sizes, default=0) < 0:
            raise InvalidParameterError(f"shape: {min(sizes)} in {sizes} is negative")
        like: Array = np.empty(sizes, self.dtype)  # memory that nobody touches is none
        with recorded() as passes:
            combine(like, self.op, self.options, self.result_dtype, self.initial)
        return Plan(sizes, self.dtype, tuple(passes))


def make_reduce(
    op: Any = plus,
    dtype: Any = "f4",
    *,
    axis: Any = None,
    keepdims: bool = False,
    result_dtype: Any = None,
    initial: Any = None,
    map: str | None = None,
    queue: Queue | None = None,
    determinism: str = "any",
    accuracy: str = "fast",
) -> Reduce:
    """A reduction as an object: `total = make_reduce(plus, "f4")`, then `total(x)`.

    Parameters
    ----------
    op
        As for `reduce`.
    dtype
        Of the elements.
    result_dtype
        Of the result: `reduce`'s dtype.
    axis, keepdims, initial, map, queue, determinism, accuracy
        As for `reduce`.

    Raises
    ------
    InvalidParameterError
        As `reduce`, as far as it can be told without an array.

    Notes
    -----
    Beyond SYCL. What was prepared for one array serves all that lie alike, whoever reduces them.
    """
    import numpy as np

    options = options_of(axis, keepdims, None, map, None, queue, accuracy, determinism)
    return Reduce(op, np.dtype(dtype), result_dtype, initial, options)
