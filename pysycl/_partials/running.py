"""The accumulators of pairwise and compensated sums (kernels/device/reduce_running.clh) as data: a value, and what it has
rounded away. Each step here is one there: NumPy rounds every operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


def running_dtype(number: np.dtype[Any]) -> np.dtype[Any]:
    """Of the accumulator."""
    import numpy as np

    return np.dtype([("value", number), ("rest", number)])


def running_of(value: Array, number: np.dtype[Any]) -> Array:
    """Of one number."""
    import numpy as np

    result = np.zeros(value.shape, running_dtype(number))
    result["value"] = value
    return result


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b without an error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def pairwise_join(a: Array, b: Array) -> Array:
    """The sum is value - rest."""
    import numpy as np

    result = np.empty(a.shape, a.dtype)
    with np.errstate(all="ignore"):
        value, error = _sum(a["value"], b["value"])
        rest = (a["rest"] + b["rest"]) - error
        result["value"] = value
        result["rest"] = np.where(rest - rest == 0, rest, 0)
    return result


def compensated_join(a: Array, b: Array) -> Array:
    """The sum is value + rest, and value the nearest number to it."""
    import numpy as np

    result = np.empty(a.shape, a.dtype)
    with np.errstate(all="ignore"):
        high, high_rest = _sum(a["value"], b["value"])
        low, low_rest = _sum(a["rest"], b["rest"])
        middle = high_rest + low
        total = high + middle
        last = low_rest + (middle - (total - high))
        value = total + last
        rest = last - (value - total)
        is_number = rest - rest == 0
        result["value"] = np.where(is_number, value, high)
        result["rest"] = np.where(is_number, rest, 0)
    return result


def running_results(parts: Array, accuracy: str) -> Array:
    """The nearest numbers."""
    import numpy as np

    with np.errstate(all="ignore"):
        return np.asarray(parts["value"] - parts["rest"] if accuracy == "pairwise" else parts["value"])


def running_pieces(part: Array, accuracy: str) -> Array:
    """Numbers whose sum it is, along a further axis."""
    import numpy as np

    return np.stack([part["value"], -part["rest"] if accuracy == "pairwise" else part["rest"]], axis=-1)
