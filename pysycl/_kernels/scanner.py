"""scanner: what a scan runs through. A kernel's texts combine into it, and know its value at each element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._data.host_memory import as_dtype
from pysycl._data.usm_array import UsmArray
from pysycl._kernels.combination import (
    accuracy_number,
    check_operator,
    is_ordered,
    known_value,
    operation_of,
    value_bytes,
)
from pysycl.accessor import Accessor
from pysycl.binary_op import BinaryOp, check_associative, not_an_operator
from pysycl.buffer import Buffer
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject
from pysycl.reductions import Reduction, is_array

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class Scanner(Reduction):
    """What `scanner()` makes: to be given to `parallel_scan`, whose texts know it by its name.

    Examples
    --------
    >>> x, y = np.arange(4), np.empty(4, np.int64)
    >>> t = sycl.scanner(sycl.plus, "i8")
    >>> isinstance(t, sycl.Scanner)
    True
    >>> event = queue.parallel_scan(4, "t += x[i];", "y[i] = t;", x=x, y=y, t=t)
    >>> y
    array([0, 1, 3, 6])
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__().replace("Reduction", "Scanner").replace(" into None", "")

    def _ending_in(self, total: Any) -> Scanner:
        """The same, made without a total, with memory for that."""
        memory, count = _total(total)
        own = None if memory.dtype == self[7] else self[7]
        return Scanner((memory, count, *self[2:7], own, *self[8:]))


def _total(total: Any) -> tuple[Any, int]:
    """The memory that gets the last value of each line, and of how many there is room."""
    if total is None or isinstance(total, UsmArray | Accessor | Buffer):
        return total, 0 if total is None else total.size
    if not is_array(total):
        raise InvalidParameterError(
            f"total: expected a NumPy array, a UsmArray, a Buffer or a command group's accessor, got {total!r}"
        )
    if not (total.flags.c_contiguous and total.flags.writeable):
        raise InvalidParameterError("total: an array that is read-only, or whose elements are not one behind the other")
    return total.reshape(-1), total.size


def scanner(
    op: FunctionObject | BinaryOp,
    dtype: DTypeLike,
    *,
    identity: Any = None,
    initial: Any = None,
    total: Any = None,
    accuracy: str = "fast",
    determinism: str = "any",
) -> Scanner:
    """What a scan runs through: `t=scanner(plus, "f4")` in `queue.parallel_scan`.

    Parameters
    ----------
    op
        A function object such as `plus`, or a BinaryOp, which needs not be commutative and needs no identity.
    dtype
        The type of its values: numbers, vectors, complex numbers, structs.
    identity
        A value that changes nothing; the operator's own one, if it has one, needs not be given.
    initial
        What each segment begins with. None: nothing.
    total
        Memory that gets the last value: an array, a UsmArray or an accessor of one element; where a range is scanned along
        one of its dimensions, of one for each line.
    accuracy
        Of sums of floating-point numbers: "fast", "compensated" or "exact", as `reduction` has them.
    determinism
        "run_to_run": the same launch on the same device gives the same bits each time, which scans do in any case.

    Returns
    -------
    Scanner

    Raises
    ------
    InvalidParameterError
        An operator that the type has not, or `a - b` or `a / b`, which are not associative; an accuracy of something else
        than a sum of numbers of 32 or 64 bits.

    Examples
    --------
    >>> x = np.array([3, 1, 4, 1, 5], np.int32)
    >>> y = np.empty_like(x)
    >>> _ = q.parallel_scan(5, "t += x[i];", "y[i] = t;", x=x, y=y, t=sycl.scanner(sycl.plus, "i4"))
    >>> y
    array([ 3,  4,  8,  9, 14], dtype=int32)
    """

    if not isinstance(op, FunctionObject | BinaryOp):
        raise not_an_operator(op)
    if isinstance(op, BinaryOp):
        check_associative(op)
    kind = as_dtype(dtype)
    check_operator(op, kind)
    if accuracy == "pairwise":
        raise InvalidParameterError("accuracy: 'pairwise' is an order of sums that a scan cannot have: use compensated")
    value = identity if identity is not None else known_value(op, kind)
    start = None if value is None else value_bytes("identity", value, kind)
    begin = None if initial is None else value_bytes("initial", initial, kind)
    memory, count = _total(total)
    own = None if memory is not None and memory.dtype == kind else kind
    number, ordered = accuracy_number(accuracy, op, kind), is_ordered(determinism)
    return Scanner((memory, count, operation_of(op, kind), start, True, False, 0, own, None, number, ordered, begin))
