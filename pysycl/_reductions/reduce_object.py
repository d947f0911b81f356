"""make_reduce: a reduction as an object, to be called for many arrays, and to be asked how it is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import Options, check_elements, memory_of, options_of
from pysycl._algorithms.plan import Plan, plan_of
from pysycl._data.host_memory import as_dtype
from pysycl._reductions.reduce_any import combine
from pysycl._reductions.reduce_moments import mean, variance
from pysycl._reductions.reduce_passes import position
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl._partials.kind import Kind
    from pysycl.queue import Queue


class Reduce(NamedTuple):
    """A reduction with its operator and options: called with an array, it gives the result that `reduce` would. Its partial
    results are plain arrays, of parts of the elements, that can be kept, sent elsewhere, and merged there."""

    op: Any
    dtype: np.dtype[Any]
    result_dtype: Any
    initial: Any
    options: Options
    ddof: float = 0

    @_core.entry
    def __call__(self, x: Any, *, where: Any = None, out: Any = None) -> Any:
        """The reduction of x, whose elements must be of the dtype that was said."""
        check_elements(x, self.dtype)
        return self._run(x, self.options._replace(where=where, out=memory_of(out)))

    def _run(self, x: Any, options: Options) -> Any:
        name = statistic_of(self.op)
        if name == "mean":
            return mean(x, options, self.result_dtype)
        if name in ("var", "std"):
            return variance(x, options, self.result_dtype, self.ddof, root=name == "std")
        if name is not None:
            return position(x, options, least=name == "argmin")
        return combine(x, self.op, options, self.result_dtype, self.initial)

    @_core.entry
    def plan(self, shape: SupportsIndex | Iterable[SupportsIndex]) -> Plan:
        """How an array of a shape would be reduced. Kernels are built, and nothing runs."""
        return plan_of(lambda like: self._run(like, self.options), shape, self.dtype)

    # -- partial results --

    def _kind(self) -> Kind:
        from pysycl._partials.choice import kind_of

        return kind_of(statistic_of(self.op) or self.op, self.dtype, self.result_dtype, self.options, self.ddof)

    @property
    def partial_dtype(self) -> np.dtype[Any]:
        """Of partial results: a number, or a struct of what a merge needs (of exact sums all their bits)."""
        return self._kind().dtype

    @_core.entry
    def partial(self, x: Any, first: int = 0) -> Array:
        """The partial results of a part of the elements.

        Parameters
        ----------
        x
            The part: as for a call.
        first
            Of argmin and argmax: the index of the part's first element.

        Returns
        -------
        numpy.ndarray
            Of `partial_dtype`, and of the result's shape. No elements have the identity, and need no device.

        Raises
        ------
        InvalidParameterError
            Elements of another dtype.

        Examples
        --------
        >>> total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact")
        >>> parts = [total.partial(np.full(n, 0.1, "f4")) for n in (1, 2, 1000)]
        >>> total.result(total.merge(parts))
        np.float32(100.3)
        """
        check_elements(x, self.dtype)
        return self._kind().of(x, self.options, first)

    @_core.entry
    def merge(self, parts: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
        """Partial results made one along axes, in their order, so that the operator need not commute across them. Exact
        sums have the same bits however the elements were parted.

        Parameters
        ----------
        parts
            An array of `partial_dtype`, or a list of such.
        axis, keepdims
            As for `reduce`.

        Raises
        ------
        InvalidParameterError
            They are of another dtype.
        """
        return self._kind().merge(parts, axis, keepdims)

    def identity(self) -> Array:
        """The partial result of no elements."""
        return self._kind().nothing(())

    @_core.entry
    def result(self, part: Any) -> Any:
        """The results that partial ones stand for, with the initial value, if there is one.

        Raises
        ------
        InvalidParameterError
            It is of another dtype, or of no elements where these have no result.
        """
        kind = self._kind()
        array = kind.checked(part, "part")
        return kind.begun(array, self.initial)[()]


def statistic_of(op: Any) -> str | None:
    """The name of a function of pysycl that is no operator: `mean` of `make_reduce(sycl.mean)`."""
    import pysycl
    from pysycl._partials.choice import STATISTICS

    if isinstance(op, str) and op in STATISTICS:
        return op
    name = getattr(op, "__name__", None)
    if name not in STATISTICS or getattr(op, "__module__", None) != getattr(pysycl, name).__module__:
        return None
    return str(name)  # an unpickled function is another object than the one that pysycl gives


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
    ddof: float = 0,
) -> Reduce:
    """A reduction as an object: `total = make_reduce(plus, "f4")`, then `total(x)`.

    Parameters
    ----------
    op
        As for `reduce`; or one of pysycl's functions `mean`, `var`, `std`, `argmin`, `argmax`.
    dtype
        Of the elements.
    axis, keepdims
        As for `reduce`.
    result_dtype
        Of the result: `reduce`'s dtype.
    initial, map, queue, determinism, accuracy
        As for `reduce`.
    ddof
        As for `var` and `std`.

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

    options = options_of(axis, keepdims, None, map, None, queue, accuracy, determinism)
    name = statistic_of(op)
    if name in ("argmin", "argmax") and map is not None:
        raise InvalidParameterError(f"map: {name} takes none, got {map!r}")
    if name is not None and initial is not None:
        raise InvalidParameterError(f"initial: {name} takes none, got {initial!r}")
    return Reduce(op, as_dtype(dtype), result_dtype, initial, options, ddof)
