"""make_scan: a scan as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from pysycl import _core
from pysycl._algorithms.axes import axes_of, kept_shape, one_axis
from pysycl._algorithms.call import Options, check_elements, memory_of
from pysycl._algorithms.plan import Plan, plan_of
from pysycl._data.host_memory import as_dtype
from pysycl._scans.scan_any import Start, combined, first_value, scan_by
from pysycl._scans.scan_calls import scan_options
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, plus

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl._partials.kind import Kind
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

    def _run(self, x: Any, options: Options, segments: Any, start: Start | None = None) -> Any:
        return scan_by(
            x, self.op, options, self.result_dtype, None if start else self.initial, exclusive=self.exclusive,
            reverse=self.reverse, segments=segments, start=start,
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

    # -- parts of a longer scan --

    def _kind(self) -> Kind:
        from pysycl._partials.choice import kind_of

        return kind_of(self.op, self.dtype, self.result_dtype, self.options, 0, ordered=True)

    @property
    def partial_dtype(self) -> np.dtype[Any]:
        """Of totals."""
        return self._kind().dtype

    @_core.entry
    def total(self, x: Any) -> Array:
        """What a part of a longer scan comes to, as `make_reduce(...).partial` gives it; the elements keep their order.

        Examples
        --------
        >>> running = sycl.make_scan(sycl.plus, "i8")
        >>> parts = [np.array([1, 2, 3]), np.array([4, 5])]
        >>> starts = running.starts([running.total(part) for part in parts])
        >>> [running.run(part, start).tolist() for part, start in zip(parts, starts)]
        [[1, 3, 6], [10, 15]]
        """
        return self.begun_total(x)()

    def begun_total(self, x: Any) -> Callable[[], Array]:
        """The total, which is waited for by a call of what this gives."""
        check_elements(x, self.dtype)
        return self._kind().start(self._turned(x), self.options)

    def _turned(self, x: Any) -> Any:
        """From the last element to the first, where the scan goes so."""
        if not self.reverse or isinstance(self.op, FunctionObject):
            return x
        return np.flip(np.asarray(x), self.options.axis)

    @_core.entry
    def merge(self, parts: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
        """Totals of parts that follow each other made one, as `make_reduce(...).merge` does it."""
        return self._kind().merge(parts, axis, keepdims)

    def identity(self) -> Array:
        """The total of no elements."""
        return self._kind().nothing(())

    @_core.entry
    def starts(self, totals: Any) -> Array:
        """What comes before each of the parts, whose totals lie along the first axis: the initial value, then with the
        first total, and so on. A scan goes on from numbers of its type: from an exact sum beyond their range it goes on as
        from infinity, though later elements would bring it back."""
        from pysycl._partials.starts import starts_of

        kind = self._kind()
        parts = kind.checked(totals, "totals")
        if parts.ndim == 0:
            raise InvalidParameterError(f"totals: expected a list of one for each part, got {totals!r}")
        return starts_of(kind, parts, self.initial)

    @_core.entry
    def run(self, x: Any, start: Any, *, out: Any = None) -> Any:
        """The scan of a part that goes on from a start: what `starts` gives, one for each line.

        Raises
        ------
        InvalidParameterError
            Elements of another dtype, or starts of another number.
        """
        from pysycl._partials.starts import start_of

        check_elements(x, self.dtype)
        kind = self._kind()
        part = kind.checked(start, "start")
        shape = tuple(x.shape)
        lines = kept_shape(shape, axes_of(self.options.axis, len(shape)), False)
        if part.shape != lines:
            raise InvalidParameterError(f"start: expected the shape {lines}, one for each line, got {part.shape}")
        begin = start_of(kind, part, self.exclusive)
        return self._run(x, self.options._replace(out=memory_of(out)), None, begin)


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

    one_axis(axis)
    options = scan_options(axis, map, None, queue, accuracy, determinism)
    kind = as_dtype(dtype)
    first_value(initial, combined(kind, op, options, result_dtype))
    return Scan(op, kind, result_dtype, initial, exclusive, reverse, options)
