"""make_reduce: a reduction as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from pysycl import _core
from pysycl._algorithms.call import Options, check_elements, memory_of, options_of
from pysycl._algorithms.plan import Plan, plan_of
from pysycl._reductions.reduce_any import combine
from pysycl.operators import plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl.queue import Queue


class Reduce(NamedTuple):
    """A reduction with its operator and options: called with an array, it gives the result that `reduce` would."""

    op: Any
    dtype: np.dtype[Any]
    result_dtype: Any
    initial: Any
    options: Options

    @_core.entry
    def __call__(self, x: Any, *, where: Any = None, out: Any = None) -> Any:
        """The reduction of x, whose elements must be of the dtype that was said."""
        check_elements(x, self.dtype)
        return combine(
            x, self.op, self.options._replace(where=where, out=memory_of(out)), self.result_dtype, self.initial
        )

    @_core.entry
    def plan(self, shape: SupportsIndex | Iterable[SupportsIndex]) -> Plan:
        """How an array of a shape would be reduced. Kernels are built, and nothing runs."""
        return plan_of(
            lambda like: combine(like, self.op, self.options, self.result_dtype, self.initial), shape, self.dtype
        )


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
    axis, keepdims
        As for `reduce`.
    result_dtype
        Of the result: `reduce`'s dtype.
    initial, map, queue, determinism, accuracy
        As for `reduce`.

    Returns
    -------
    Reduce
        Called with an array, and perhaps `where` and `out`, it gives what `reduce` does; `plan(shape)` tells how.

    Raises
    ------
    InvalidParameterError
        As `reduce`, as far as it can be told without an array.

    Notes
    -----
    Beyond SYCL. What was prepared for one array serves all that lie alike, whoever reduces them.

    Examples
    --------
    >>> largest = sycl.make_reduce(sycl.maximum, "i8", axis=1)
    >>> largest(np.array([[3, 1], [4, 5]]))
    array([3, 5])
    """
    import numpy as np

    options = options_of(axis, keepdims, None, map, None, queue, accuracy, determinism)
    return Reduce(op, np.dtype(dtype), result_dtype, initial, options)
