"""The geometric functions of SYCL on the host: of Vec and Marray, or of the vectors along the last axis of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._math.host_function import FLOATS, Array, finished, type_of, working_type
from pysycl._vectors.components import Components, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable


def _vectors(name: str, *arguments: Any, counts: tuple[int, ...] = (1, 2, 3, 4)) -> tuple[Any, ...]:
    """One of the values, the type, and all arguments as arrays of vectors in the type in which to compute."""
    own, values = unwrapped(*arguments)
    dtype = type_of(name, FLOATS, arguments)
    for each in arguments:
        if own is not None and not isinstance(each, Components):
            raise TypeError(f"{name}(): expected vectors, got {each!r} beside a {type(own).__name__}")
    arrays = [np.asarray(value, dtype).astype(working_type(dtype)) for value in values]
    arrays = [array.reshape(1) if array.ndim == 0 else array for array in arrays]
    for array in arrays:
        if array.shape[-1] not in counts:
            wanted = "3 or 4" if counts == (3, 4) else "1 to 4"
            raise TypeError(f"{name}(): is of vectors of {wanted} components, not of {array.shape[-1]}")
    return (own, dtype, *arrays)


def _length(p: Array) -> Any:
    """Without overflow on the way."""
    most = np.max(np.abs(p), axis=-1, keepdims=True)
    scale = np.where((most > 0) & np.isfinite(most), most, 1.0)
    return np.sqrt(np.sum(np.square(p / scale), axis=-1)) * scale[..., 0]


def _normalize(p: Array) -> Any:
    infinite = np.isinf(p)
    p = np.where(infinite.any(axis=-1, keepdims=True), np.where(infinite, np.copysign(1.0, p), 0.0 * p), p)
    most = np.max(np.abs(p), axis=-1, keepdims=True)
    p = p / np.where(most > 0, most, 1.0)
    size = _length(p)[..., None]
    return np.where(most == 0, p, p / np.where(size == 0, 1.0, size))


def dot(p0: Any, p1: Any) -> Any:
    """The sum of the products of the components."""
    _, dtype, a, b = _vectors("dot", p0, p1)
    return finished(None, "x", np.sum(a * b, axis=-1), dtype)


def length(p: Any) -> Any:
    """The square root of the sum of the squares."""
    _, dtype, a = _vectors("length", p)
    return finished(None, "x", _length(a), dtype)


def distance(p0: Any, p1: Any) -> Any:
    """The length of the difference."""
    _, dtype, a, b = _vectors("distance", p0, p1)
    return finished(None, "x", _length(a - b), dtype)


def normalize(p: Any) -> Any:
    """The vector of length 1 in the same direction; zeros stay as they are."""
    own, dtype, a = _vectors("normalize", p)
    with np.errstate(all="ignore"):
        result = _normalize(a)
    return finished(own, "x", result.reshape(np.shape(p)) if own is None else result, dtype)


def cross(p0: Any, p1: Any) -> Any:
    """The cross product of the first three components; a fourth is 0."""
    own, dtype, a, b = _vectors("cross", p0, p1, counts=(3, 4))
    three = a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
    if a.shape[-1] == 4:
        three = np.concatenate([three, np.zeros_like(three[..., :1])], axis=-1)
    return finished(own, "x", three, dtype)


def _fast(function: Callable[..., Any]) -> Callable[..., Any]:
    def fast(*arguments: Any) -> Any:
        return function(*arguments)

    fast.__name__ = fast.__qualname__ = f"fast_{function.__name__}"
    fast.__doc__ = f"On the host the same as {function.__name__}."
    return fast


_ALL: Final[tuple[Any, ...]] = (
    cross, dot, distance, length, normalize, _fast(distance), _fast(length), _fast(normalize),
)  # fmt: skip
GEOMETRIC: Final[dict[str, Callable[..., Any]]] = {each.__name__: each for each in _ALL}
"""4.17.8."""
