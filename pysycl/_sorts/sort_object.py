"""make_sort: a sort as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import Options, check_elements, memory_of
from pysycl._algorithms.plan import Plan, plan_of
from pysycl._data.host_memory import as_dtype
from pysycl._sorts.sort_calls import order_of, positions_by, sort_options, sorted_by
from pysycl._sorts.sort_line import By

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Sort(NamedTuple):
    """A sort with its options: called with an array, it gives the result that `sort` would, or `argsort`."""

    dtype: np.dtype[Any]
    by: By
    positions: bool
    options: Options

    def _run(self, x: Any, options: Options, segments: Any = None) -> Any:
        by = self.by._replace(segments=segments)
        return positions_by(x, options, by) if self.positions else sorted_by(x, options, by)

    @_core.entry
    def __call__(self, x: Any, *, segments: Any = None, out: Any = None) -> Any:
        """The elements of x in order, or their positions; x must be of the dtype that was said."""
        check_elements(x, self.dtype)
        return self._run(x, self.options._replace(out=memory_of(out)), segments)

    @_core.entry
    def plan(self, shape: SupportsIndex | Iterable[SupportsIndex]) -> Plan:
        """How an array of a shape would be sorted, and how much memory that takes. Kernels are built, and nothing runs."""
        return plan_of(lambda like: self._run(like, self.options), shape, self.dtype)


def make_sort(
    dtype: Any = "f4", *, axis: Any = -1, descending: bool = False, by: str | None = None, positions: bool = False,
    queue: Queue | None = None,
) -> Sort:  # fmt: skip
    """A sort as an object: `ascending = make_sort("f4")`, then `ascending(x)`.

    Parameters
    ----------
    dtype
        Of the elements.
    axis, descending, by
        As for `sort`.
    positions
        Give the positions of the elements in order, as `argsort`.
    queue
        As for `sort`.

    Returns
    -------
    Sort
        Its `plan(shape)` says which form is taken, in `explain()`, and how much memory, in `temporary_bytes`.

    Raises
    ------
    InvalidParameterError
        As `sort`, as far as it can be told without an array.

    Notes
    -----
    Beyond SYCL.

    Examples
    --------
    >>> ascending = sycl.make_sort("i4")
    >>> ascending(np.array([3, 1, 2], "i4"))
    array([1, 2, 3], dtype=int32)
    >>> "row " in ascending.plan(1000).explain()
    True
    """

    return Sort(as_dtype(dtype), order_of(descending, by, None), bool(positions), sort_options(axis, None, queue))
