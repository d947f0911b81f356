"""What a scan of a part begins with: the total of all that comes before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._algorithms.kinds import accumulated, one_value
from pysycl._partials.kind import Kind
from pysycl._partials.sums import Sums
from pysycl._partials.values import Values
from pysycl._partials.written import Written
from pysycl._scans.scan_any import Start
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array


def start_of(kind: Kind, part: Array, exclusive: bool) -> Start | None:
    """The values that a line begins with. None: there is nothing before it."""
    import numpy as np

    if isinstance(kind, Sums):
        return Start(kind.pieces(part), kind.ended(part))
    if isinstance(kind, Written) and kind.op.identity is None:
        if not part["some"].all():
            if exclusive:
                raise InvalidParameterError(f"start: no elements, and no identity of {kind.op!r}; give initial=")
            return None
        part = part["value"]
    value = np.asarray(part)
    if isinstance(kind, Values):
        value = value.astype(accumulated(kind.result), copy=False)
    return Start(value[..., None], value)


def begun(kind: Kind, initial: Any) -> Array:
    """The total of an initial value alone."""
    import numpy as np

    if initial is None:
        return kind.nothing(())
    if isinstance(kind, Sums):
        return kind.of_value(one_value(initial, kind.result))
    if isinstance(kind, Written):
        return kind.made(one_value(initial, kind.result))
    return np.asarray(one_value(initial, kind.dtype))


def starts_of(kind: Kind, totals: Array, initial: Any) -> Array:
    """Along the first axis: what comes before each of the parts, one after the other in their order."""
    import numpy as np

    result = np.empty(totals.shape, kind.dtype)
    so_far = np.full(totals.shape[1:], begun(kind, initial), kind.dtype)
    for k, total in enumerate(totals):
        result[k] = so_far
        so_far = kind.joined(so_far, total)
    return result
