"""Scans in which NaN is no element: nancumsum and nancumprod, as NumPy has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._algorithms.operand import operand, user_type
from pysycl._scans.scan_calls import cumprod, cumsum

if TYPE_CHECKING:
    from pysycl.queue import Queue


def nancumsum(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, reverse: bool = False, queue: Queue | None = None,
    determinism: str = "any", accuracy: str = "fast",
) -> Any:  # fmt: skip
    """The sums so far of the elements that are not NaN, as numpy.nancumsum: 0 before the first of these.

    Parameters, Returns, Raises as for `cumsum`.

    Examples
    --------
    >>> sycl.nancumsum([1.0, np.nan, 4.0])
    array([1., 1., 5.])
    """
    return cumsum(
        x, axis, dtype, out, map=_or(x, 0), reverse=reverse, queue=queue, determinism=determinism, accuracy=accuracy
    )  # fmt: skip


def nancumprod(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, reverse: bool = False, queue: Queue | None = None,
    determinism: str = "any",
) -> Any:  # fmt: skip
    """The products so far of the elements that are not NaN, as numpy.nancumprod: 1 before the first of these.

    Parameters, Returns, Raises as for `cumprod`.

    Examples
    --------
    >>> sycl.nancumprod([2.0, np.nan, 4.0])
    array([2., 2., 8.])
    """
    return cumprod(x, axis, dtype, out, map=_or(x, 1), reverse=reverse, queue=queue, determinism=determinism)


def _or(x: Any, value: int) -> str | None:
    """The map that gives a value in place of a NaN, where elements may be that."""
    dtype = operand(x, "x").dtype
    if dtype.kind == "c":
        return f"x.re == x.re && x.im == x.im ? x : {user_type(dtype)}({value}, 0)"
    return f"x == x ? x : {value}" if dtype.kind == "f" else None
