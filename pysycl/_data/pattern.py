"""Patterns to fill with that are no plain numbers: structs, vectors, complex numbers, booleans."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pysycl._vectors.components import Components
from pysycl.errors import InvalidParameterError


def bytes_of(value: Any, dtype: np.dtype[Any]) -> bytes:
    """The bytes of one element of `dtype` that has the value.

    Raises
    ------
    InvalidParameterError
        The value is not one element, or would be changed by the conversion.
    """
    base, shape = dtype.subdtype or (dtype, ())
    if isinstance(value, Components):
        return _of_components(value, dtype)
    if isinstance(value, (np.generic, np.ndarray)) and not np.can_cast(value.dtype, base, "same_kind"):
        raise InvalidParameterError(f"fill: the pattern {value!r} of {value.dtype} is no {dtype}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what NumPy only warns of is a value that does not fit
            element = np.array(value, dtype=base)
    except (TypeError, ValueError, OverflowError, Warning) as error:
        raise InvalidParameterError(f"fill: the pattern {value!r} is no {dtype}: {error}") from error
    if element.shape != shape:
        raise InvalidParameterError(f"fill: the pattern {value!r} is no {dtype}: it has the shape {element.shape}")
    if not isinstance(value, (np.generic, np.ndarray)) and not _is_kept(value, element.tolist()):
        raise InvalidParameterError(f"fill: the pattern {value!r} would become {element.tolist()!r} as {dtype}")
    return element.tobytes()


def _of_components(value: Components, dtype: np.dtype[Any]) -> bytes:
    """Of a Vec or Marray, which is one element of its own type and of no other."""
    element = value._as_element()
    if element.dtype != dtype:
        raise InvalidParameterError(f"fill: the pattern {value!r} is no {dtype}")
    return element.tobytes()


def _is_kept(given: Any, got: Any) -> bool:
    """False if a part of the value that became a whole number, or true or false, is not the number it was."""
    if isinstance(given, (np.generic, np.ndarray)):
        given = given.tolist()
    if isinstance(got, (tuple, list)):
        parts = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        return len(parts) == len(got) and all(map(_is_kept, parts, got))
    return not isinstance(got, int) or bool(given == got)
