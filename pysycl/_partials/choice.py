"""Which kind of partial result a reduction has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.kinds import average_of, combined_type, operator_of, summed
from pysycl._algorithms.operand import check_number
from pysycl._partials.averages import Means
from pysycl._partials.kind import Kind
from pysycl._partials.moments import Moments
from pysycl._partials.positions import Positions
from pysycl._partials.sums import Sums
from pysycl._partials.values import Values
from pysycl._partials.written import Written
from pysycl.operators import FunctionObject, plus

if TYPE_CHECKING:
    import numpy as np

    from pysycl._algorithms.call import Options

STATISTICS: Final = ("mean", "var", "std", "argmin", "argmax")
"""What is a function of pysycl and no operator, and has partial results."""


def sum_kind(result: np.dtype[Any], op: FunctionObject, accuracy: str) -> Kind:
    """Sums of integers have every accuracy."""
    return Values(op, result) if accuracy == "fast" or result.kind in "biu" else Sums(result, accuracy)


def _of_operator(given: np.dtype[Any], op: FunctionObject, dtype: Any, options: Options) -> Kind:
    import numpy as np

    if op.name in ("plus", "multiplies"):
        result = summed(check_number(given, "x"), op.dtype if dtype is None else dtype, None)
        return sum_kind(result, op, options.accuracy if op.name == "plus" else "fast")
    check_number(given, "x")
    if op.name.startswith("logical"):
        return Values(op, np.dtype(np.bool_))
    if op.name in ("minimum", "maximum"):
        return Values(op, given)
    return Values(op, combined_type(given, op, op.dtype if dtype is None else dtype, options.map))


def kind_of(op: Any, given: np.dtype[Any], dtype: Any, options: Options, ddof: float, ordered: bool = False) -> Kind:
    """The kind, for elements of a dtype."""
    if isinstance(op, str) and op in STATISTICS:
        if op in ("argmin", "argmax"):
            return Positions(check_number(given, "x"), op == "argmin")
        if op == "mean":
            result = average_of(check_number(given, "x"), dtype)
            return Means(sum_kind(result, plus, options.accuracy), result)
        return Moments(check_number(given, "x"), dtype, ddof, op == "std")
    if isinstance(op, FunctionObject):
        return _of_operator(given, op, dtype, options)
    own = operator_of(op)
    return Written(own, combined_type(given, own, dtype, options.map), options.queue, ordered)
