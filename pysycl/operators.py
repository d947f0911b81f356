"""Function objects: plus, multiplies, minimum and the others, on the host as in kernels, and the identities they have."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from pysycl._data.host_memory import arrays_of, as_dtype
from pysycl.binary_op import BinaryOp, Operator, not_an_operator
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import DTypeLike


class FunctionObject(Operator):
    """One of SYCL's function objects: `plus(x, y)` is x + y, of Python's numbers, NumPy arrays, Vec and Marray.

    `plus[T]` is C++'s `plus<T>`: it takes its arguments as T and gives a T. The plain one takes the types as they come;
    `plus()`, C++'s spelling of it, is the same object.

    Parameters
    ----------
    name
        The word for it, also in kernels.
    call
        What it does on the host.
    dtype
        The type of a typed one.

    Notes
    -----
    SYCL 2020, 4.17.2. The same objects name the operators of reductions and group functions: given to a body or a program
    as `op=maximum`, they make `op` the word for maximum there, so that one text is for any operator.

    Examples
    --------
    >>> sycl.plus(3, 4), sycl.maximum(3, 4)
    (7, 4)
    >>> sycl.plus["int8"](100, 100)
    np.int8(-56)
    """

    __slots__ = ("_call", "dtype", "name")
    name: str
    """The word for it, also in kernels."""
    dtype: np.dtype[Any] | None
    """The type of a typed one."""
    _call: Callable[[Any, Any], Any]

    def __init__(self, name: str, call: Callable[[Any, Any], Any], dtype: np.dtype[Any] | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "_call", call)

    def __call__(self, *arguments: Any) -> Any:
        if not arguments:
            return self
        if len(arguments) != 2:
            raise InvalidParameterError(f"{self!r} takes 2 arguments, {len(arguments)} given")
        if self.dtype is None:
            return self._call(*arguments)
        import numpy as np

        with np.errstate(all="ignore"):
            x, y = (np.asarray(value).astype(self.dtype)[()] for value in arguments)
            result = self._call(x, y)
        return self.dtype.type(result) if isinstance(result, bool) else result.astype(self.dtype, copy=False)

    def __getitem__(self, dtype: DTypeLike) -> FunctionObject:

        if self.dtype is not None:
            raise InvalidParameterError(f"{self!r} has its type already")
        typed = as_dtype(dtype)
        if typed.kind not in "biuf":
            raise InvalidParameterError(f"{self.name}[{typed}]: a function object is of numbers, not of {typed}")
        return FunctionObject(self.name, self._call, typed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} cannot be changed")

    def __repr__(self) -> str:
        return self.name if self.dtype is None else f"{self.name}[{self.dtype}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionObject) and (self.name, self.dtype) == (other.name, other.dtype)

    def __hash__(self) -> int:
        return hash((self.name, self.dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_find, (self.name, self.dtype))


def _find(name: str, dtype: np.dtype[Any] | None) -> FunctionObject:
    found = _OBJECTS[name]
    return found if dtype is None else found[dtype]


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | complex)


def _scalar(array: Any) -> Any:
    """NumPy's scalars for arrays of rank 0."""
    return array[()]


def _choose(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The second where it compares to the first, else the first: so the first where they are equal, or one is a NaN."""

    def call(x: Any, y: Any) -> Any:
        if _is_plain(x) and _is_plain(y):
            return y if compare(y, x) else x
        import numpy as np

        from pysycl._math.host_arguments import taken
        from pysycl._vectors.components import map_components

        (x, y), wrap = taken("minimum or maximum", (x, y))
        return wrap(map_components(lambda a, b: _scalar(np.where(compare(b, a), b, a)), x, y))

    return call


def _logical(plain: Callable[[Any, Any], bool], arrays: str) -> Callable[[Any, Any], Any]:
    def call(x: Any, y: Any) -> Any:
        if _is_plain(x) and _is_plain(y):
            return plain(x, y)
        import numpy as np

        from pysycl._vectors.components import Components

        own = x if isinstance(x, Components) else y
        if isinstance(own, Components):
            return own.logical(arrays, x, y)
        return getattr(np, arrays)(*arrays_of(x, y))

    return call


plus: Final = FunctionObject("plus", operator.add)
"""x + y."""
multiplies: Final = FunctionObject("multiplies", operator.mul)
"""x * y."""
bit_and: Final = FunctionObject("bit_and", operator.and_)
"""x & y, of integers."""
bit_or: Final = FunctionObject("bit_or", operator.or_)
"""x | y, of integers."""
bit_xor: Final = FunctionObject("bit_xor", operator.xor)
"""x ^ y, of integers."""
logical_and: Final = FunctionObject("logical_and", _logical(lambda x, y: bool(x and y), "logical_and"))
"""x && y, a truth value."""
logical_or: Final = FunctionObject("logical_or", _logical(lambda x, y: bool(x or y), "logical_or"))
"""x || y, a truth value."""
minimum: Final = FunctionObject("minimum", _choose(operator.lt))
"""y < x ? y : x, so x where one is a NaN or they are equal: minimum(1.0, nan) is 1.0, minimum(nan, 1.0) is nan, and
minimum(0.0, -0.0) is 0.0."""
maximum: Final = FunctionObject("maximum", _choose(operator.gt))
"""y > x ? y : x, so x where one is a NaN or they are equal."""

_OBJECTS: Final = {
    each.name: each for each in (plus, multiplies, bit_and, bit_or, bit_xor, logical_and, logical_or, minimum, maximum)
}


def is_native_function_object(op: object) -> bool:
    """True for SYCL's own function objects, plain and typed; False for everything else, a BinaryOp too.

    Parameters
    ----------
    op
        Anything.

    Returns
    -------
    bool

    Examples
    --------
    >>> sycl.is_native_function_object(sycl.plus), sycl.is_native_function_object(max)
    (True, False)
    """
    return isinstance(op, FunctionObject)


def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The least and the greatest value."""
    import numpy as np

    if dtype.kind == "b":
        return False, True
    if dtype.kind == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


# For each operator the kinds of types for which its identity is known, and the identity.
_IDENTITIES: Final[dict[str, tuple[str, Callable[[np.dtype[Any]], Any]]]] = {
    "plus": ("biuf", lambda dtype: 0),
    "multiplies": ("biuf", lambda dtype: 1),
    "bit_and": ("biu", lambda dtype: True if dtype.kind == "b" else ~dtype.type(0)),
    "bit_or": ("biu", lambda dtype: 0),
    "bit_xor": ("biu", lambda dtype: 0),
    "logical_and": ("b", lambda dtype: True),
    "logical_or": ("b", lambda dtype: False),
    "minimum": ("biuf", lambda dtype: _limits(dtype)[1]),
    "maximum": ("biuf", lambda dtype: _limits(dtype)[0]),
}
_SIZES: Final = {"b": 1, "i": 8, "u": 8, "f": 8}  # the widest type of each kind that a device can have


def _type_of(op: FunctionObject | BinaryOp, dtype: DTypeLike | None) -> np.dtype[Any]:

    own = op.dtype if isinstance(op, FunctionObject) else None
    if dtype is None and own is None:
        raise InvalidParameterError(f"dtype: the identity of {op!r} depends on the type, and none is given")
    return as_dtype(own if dtype is None else dtype)


def has_known_identity(op: FunctionObject | BinaryOp, dtype: DTypeLike | None = None) -> bool:
    """True if `known_identity` has an answer.

    Parameters
    ----------
    op
        A function object, or a BinaryOp, whose identity is known if it was given one.
    dtype
        The type of what is combined; not needed for a typed function object.

    Returns
    -------
    bool

    Raises
    ------
    InvalidParameterError
        Something else than an operator, or no type where one is needed.

    Notes
    -----
    SYCL 2020, 4.9.2.1.

    Examples
    --------
    >>> sycl.has_known_identity(sycl.plus, "f4"), sycl.has_known_identity(sycl.BinaryOp("a + 2 * b"))
    (True, False)
    """
    if isinstance(op, BinaryOp):
        return op.identity is not None
    if not isinstance(op, FunctionObject):
        raise not_an_operator(op)
    kind = _type_of(op, dtype)
    return kind.kind in _IDENTITIES[op.name][0] and kind.itemsize <= _SIZES[kind.kind]


def known_identity(op: FunctionObject | BinaryOp, dtype: DTypeLike | None = None) -> Any:
    """The value that changes nothing when it is combined with another, as a NumPy scalar of the type.

    Parameters
    ----------
    op
        A function object, or a BinaryOp, whose identity is known if it was given one.
    dtype
        The type of what is combined; not needed for a typed function object.

    Returns
    -------
    NumPy scalar
        Of a BinaryOp and without a dtype, the value that it was given.

    Raises
    ------
    InvalidParameterError
        None is known.

    Notes
    -----
    SYCL 2020, 4.9.2.1. Of minimum and maximum of floating-point numbers it is an infinity, of logical_and and
    logical_or only that of bool is known.

    Examples
    --------
    >>> sycl.known_identity(sycl.multiplies, np.float32)
    np.float32(1.0)
    >>> sycl.known_identity(sycl.minimum, np.float32)
    np.float32(inf)
    """
    import numpy as np

    if not has_known_identity(op, dtype):
        of = "" if isinstance(op, BinaryOp) else f" for {_type_of(op, dtype)}"
        raise InvalidParameterError(f"no identity of {op!r} is known{of}")
    if isinstance(op, BinaryOp):
        return op.identity if dtype is None else np.asarray(op.identity, dtype)[()]
    kind = _type_of(op, dtype)
    return kind.type(_IDENTITIES[op.name][1](kind))
