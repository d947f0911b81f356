"""The error for an axis that there is not: NumPy's error too."""

from __future__ import annotations

from functools import cache

from pysycl.errors import InvalidParameterError


@cache
def _class() -> type[InvalidParameterError]:
    from numpy.exceptions import AxisError

    return type(
        "InvalidAxisError", (InvalidParameterError, AxisError), {"__module__": "pysycl", "__str__": Exception.__str__}
    )


def invalid_axis(axis: int, what: str) -> InvalidParameterError:
    """The error: `what` lacks the axis."""
    return _class()(f"axis: {axis} is out of bounds for {what}")
