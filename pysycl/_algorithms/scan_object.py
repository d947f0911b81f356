"""make_scan: a scan as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from pysycl import _core
from pysycl._algorithms.call import Options, check_elements, memory_of
from pysycl._algorithms.plan import Plan, plan_of
from pysycl._algorithms.scan_any import scan_by
from pysycl._algorithms.scan_calls import scan_options
from pysycl.operators import plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl.queue import Queue


class Scan(NamedTuple):
    """A scan with its operator and options: called with an array, it gives the result that `inclusive_scan` would."""

    op: Any
    dtype: np.dtype[Any]
    result_dtype: Any
    initial: Any
    exclusive: bool
    reverse: bool
    options: Options

    def _run(self, x: Any, options: Options, segments: Any) -> Any:
        return scan_by(
            x, self.op, options, self.result_dtype, self.initial, exclusive=self.exclusive, reverse=self.reverse,
            segments=segments,
        )  # fmt: skip

    @_core.entry
    def __call__(self, x: Any, *, segments: Any = None, out: Any = None) -> Any:
        """The scan of x, whose elements must be of the dtype that was said."""
        check_elements(x, self.dtype)
        return self._run(x, self.options._replace(out=memory_of(out)), segments)

    @_core.entry
    def plan(self, shape: SupportsIndex | Iterable[SupportsIndex]) -> Plan:
        """How an array of a shape would be scanned. Kernels are built, and nothing runs."""
        return plan_of(lambda like: self._run(like, self.options, None), shape, self.dtype)


def make_scan(
    op: Any = plus, dtype: Any = "f4", *, axis: Any = None, exclusive: bool = False, result_dtype: Any = None,
    initial: Any = None, map: str | None = None, reverse: bool = False, queue: Queue | None = None,
    accuracy: str = "fast", determinism: str = "any",
) -> Scan:  # fmt: skip
    """A scan as an object: `running = make_scan(plus, "f4")`, then `running(x)`.

    Parameters
    ----------
    op
        As for `inclusive_scan`.
    dtype
        Of the elements.
    axis
        As for `inclusive_scan`.
    exclusive
        What stands before each element, as `exclusive_scan`.
    result_dtype
        Of the result: `inclusive_scan`'s dtype.
    initial, map, reverse, queue, accuracy, determinism
        As for `inclusive_scan`.

    Returns
    -------
    Scan
        Called with an array it gives what the scan does; `plan(shape)` tells how.

    Raises
    ------
    InvalidParameterError
        As `inclusive_scan`, as far as it can be told without an array.

    Notes
    -----
    Beyond SYCL. What was prepared for one array serves all that lie alike, whoever scans them.

    Examples
    --------
    >>> longest = sycl.make_scan(sycl.maximum, "i4")
    >>> longest(np.array([3, 1, 4, 1, 5], "i4"))
    array([3, 3, 4, 4, 5], dtype=int32)
    >>> longest.plan(0).explain()
    no elements: nothing is launched
    """
    import numpy as np

    options = scan_options(axis, map, None, queue, accuracy, determinism)
    return Scan(op, np.dtype(dtype), result_dtype, initial, exclusive, reverse, options)
