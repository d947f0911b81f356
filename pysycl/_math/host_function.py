"""Host functions: how a function on NumPy arrays becomes one of numbers, arrays, Vec and Marray with SYCL's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from pysycl._math.host_arguments import taken
from pysycl._vectors.components import Components, unwrapped
from pysycl._vectors.vector_types import NAMES, vec_dtype, vec_of

if TYPE_CHECKING:
    from collections.abc import Callable

Array: TypeAlias = "np.ndarray[Any, Any]"
INTEGERS: Final = "integers"
FLOATS: Final = "floating-point numbers"
NUMBERS: Final = "numbers"
_KINDS: Final = {INTEGERS: "iu", FLOATS: "f", NUMBERS: "iuf"}


class Function(NamedTuple):
    """One row of a table of functions."""

    name: str
    call: Callable[..., Any]
    """Of arrays of one type."""
    takes: str = "x"
    """A letter for each argument: `n` is an int32, `c` anything as it is, all others are of the function's own type."""
    gives: str = "x"
    """A letter for each result: `n` an int32, `t` a truth value, `u` the unsigned type as wide, else the function's type."""
    of: str = FLOATS
    exact: bool = False
    """Computed in the type itself; else half and float are computed in double, and rounded once."""


def type_of(name: str, of: str, arguments: tuple[Any, ...]) -> np.dtype[Any]:
    """The type that a function has for these arguments: that of the values, else what NumPy makes of them together.

    Raises
    ------
    TypeError
        The arguments are of several types, or the function is not of that type.
    """
    types = {each.element_type for each in arguments if isinstance(each, Components)}
    if len(types) > 1:
        raise TypeError(f"{name}(): the arguments are of several element types; convert them")
    found: np.dtype[Any]
    if types:
        found = types.pop()
    else:
        found = np.result_type(*(a if isinstance(a, int | float) and not isinstance(a, np.generic) else np.asarray(a)
                                 for a in arguments))  # fmt: skip
    if of == FLOATS and found.kind in "biu" and not any(isinstance(each, Components) for each in arguments):
        found = np.dtype(np.float64)
    if found.kind not in _KINDS[of] or found.itemsize > 8:
        raise TypeError(f"{name}(): is of {of}, not of {found}")
    return found


def working_type(dtype: np.dtype[Any], exact: bool = False) -> np.dtype[Any]:
    """In what a function is computed."""
    return dtype if exact or dtype.kind != "f" else np.dtype(np.float64)


def _argument(value: Any, own: Components | None, given: object, dtype: np.dtype[Any], wide: np.dtype[Any]) -> Array:
    if own is not None and not isinstance(given, Components) and not isinstance(value, np.ndarray):
        value = type(own)._number(value) if own.element_type == dtype else value
    # Rounded to the function's own type first.
    return np.asarray(value, dtype).astype(wide, copy=False)


def finished(own: Components | _Vecs | None, letter: str, result: Any, dtype: np.dtype[Any]) -> Any:
    """A result in its own type, as what the arguments were."""
    values = np.asarray(result)
    if letter == "t":
        return own._truth(values) if own is not None else values.astype(bool)[()]
    if letter == "n":
        values = values.astype(np.int32)
    elif letter == "u":
        values = values.astype(f"u{dtype.itemsize}")
    else:
        values = values.astype(dtype, copy=False)
    return own._made(values) if own is not None else values[()]


class _Vecs:
    """Results for an array of vecs: an array of vecs again."""

    def __init__(self, count: int) -> None:
        self.count = count

    def _made(self, values: Array) -> Array:
        made = np.zeros(values.shape[:-1], vec_dtype(values.dtype, self.count))
        for number in range(self.count):
            made[NAMES[number]] = values[..., number]
        return made

    def _truth(self, values: Array) -> Array:
        return self._made(-values.astype(f"i{self.size}"))

    size = 1
    """Bytes of the integers that truth values are."""


def spread(name: str, arguments: tuple[Any, ...]) -> tuple[_Vecs | None, tuple[Any, ...]]:
    """Arrays of vecs as arrays of their components, along one more axis; what stands beside them goes along.

    Raises
    ------
    TypeError
        Vecs of several counts or element types, or a structured array that is none of vecs.
    """
    structured = [a.dtype for a in arguments if isinstance(a, np.ndarray) and a.dtype.names is not None]
    found = {vec_of(dtype) for dtype in structured}
    if not found:
        return None, arguments
    kind = found.pop()
    if found or kind is None:
        words = " and ".join(dict.fromkeys(str(dtype) for dtype in structured))
        raise TypeError(f"{name}(): expected arrays of numbers or of one type of vec, got {words}")
    element, count = kind
    vecs = _Vecs(count)
    vecs.size = element.itemsize

    def one(value: Any) -> Any:
        if isinstance(value, Components):
            return np.asarray(value)
        if not isinstance(value, np.ndarray) or (value.ndim == 0 and value.dtype.names is None):
            return value
        if value.dtype.names is None:
            return value[..., None]
        return np.stack([value[NAMES[number]] for number in range(count)], axis=-1)

    return vecs, tuple(one(value) for value in arguments)


def make(row: Function) -> Callable[..., Any]:
    """The function that users call."""
    name, call, takes, gives, of, exact = row

    def function(*arguments: Any) -> Any:
        if len(arguments) != len(takes):
            raise TypeError(f"{name}() takes {len(takes)} argument{'s'[: len(takes) != 1]}, {len(arguments)} given")
        arguments, wrap = taken(name, arguments)
        vecs, arguments = spread(name, arguments)
        own, values = unwrapped(*arguments)
        dtype = type_of(name, of, tuple(a for a, letter in zip(arguments, takes, strict=True) if letter not in "nc"))
        types = {"n": (np.dtype(np.int32),) * 2}
        usual = (dtype, working_type(dtype, exact))
        given = [
            np.asarray(value) if letter == "c" else _argument(value, own, each, *types.get(letter, usual))
            for each, value, letter in zip(arguments, values, takes, strict=True)
        ]
        with np.errstate(all="ignore"):
            results = call(*given)
            if len(gives) == 1:
                return wrap(finished(vecs or own, gives, results, dtype))
            return tuple(
                wrap(finished(vecs or own, letter, r, dtype)) for letter, r in zip(gives, results, strict=True)
            )

    function.__name__ = function.__qualname__ = name
    function.__module__ = "pysycl.math"
    function.__doc__ = f"{name}({', '.join(takes)}), of {of}, component by component, as kernels have it."
    return function
