"""Arrays as arguments of functions on the host: what counts as one, and the class of what comes out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pysycl._data.host_memory import arrays_of
from pysycl.errors import InvalidParameterError


def taken(name: str, given: tuple[Any, ...]) -> tuple[tuple[Any, ...], Callable[[Any], Any]]:
    """The arguments as plain arrays, numbers and our own values; and what makes a result one of the class that NumPy's
    functions would give: of a subclass of its arrays, if one is among them."""
    import numpy as np

    arguments = arrays_of(*given)
    own = [each for each in arguments if isinstance(each, np.ndarray) and type(each) is not np.ndarray]
    if not own:
        return arguments, lambda result: result
    masked = sys.modules.get("numpy.ma")
    if masked is not None and any(isinstance(each, masked.MaskedArray) for each in own):
        raise InvalidParameterError(f"{name}: a masked array, whose mask would be lost; pass x.filled(value)")
    first = max(own, key=lambda each: float(each.__array_priority__))

    def wrap(result: Any) -> Any:
        return first.__array_wrap__(result) if isinstance(result, np.ndarray) else result

    return tuple(np.asarray(each) if isinstance(each, np.ndarray) else each for each in arguments), wrap
