"""SpecConstant: a value that kernels name, and that the compiler gets to know when a program is built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count
from os import urandom
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias
from weakref import WeakValueDictionary

from pysycl import _core
from pysycl._data.host_memory import as_dtype
from pysycl._kernels.literals import scalar_literal
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from pysycl._kernels.group_kernels import GroupConstants

    Definition: TypeAlias = tuple[str, int, str]

WORDS = {
    "?": "uchar",
    "b": "char",
    "B": "uchar",
    "h": "short",
    "H": "ushort",
    "i": "int",
    "I": "uint",
    "l": "long",
    "L": "ulong",
    "q": "long",
    "Q": "ulong",
    "e": "half",
    "f": "float",
    "d": "double",
}
"""OpenCL C's words for NumPy's scalar types, by their character; `l` is 64 bits wide where pysycl runs."""

_ids = count(1)
_known: WeakValueDictionary[int, SpecConstant] = WeakValueDictionary()
_sent: WeakValueDictionary[bytes, SpecConstant] = WeakValueDictionary()  # those that pickles name
_lock = RLock()  # a collection while it is held may run code that makes constants


def _word(dtype: np.dtype[Any]) -> str:
    if dtype.itemsize == 4 and dtype.char in "lL":
        return "int" if dtype.char == "l" else "uint"
    return WORDS[dtype.char]


def _fields(dtype: np.dtype[Any]) -> list[tuple[str, np.dtype[Any]]]:
    fields: Any = dtype.fields
    return [(name, fields[name][0]) for name in dtype.names or ()]


def _check_type(dtype: np.dtype[Any], what: str) -> None:
    if dtype.subdtype is not None:
        _check_type(dtype.subdtype[0], what)
    elif dtype.names is not None:
        for name, field in _fields(dtype):
            if not (name.isidentifier() and name.isascii()):
                raise InvalidParameterError(f"{what}: the field {name!r} is no name in OpenCL C")
            _check_type(field, what)
    elif dtype.char not in WORDS or not dtype.isnative:
        raise InvalidParameterError(f"{what}: {dtype} has no counterpart in OpenCL C")


def _initialiser(value: Any, dtype: np.dtype[Any]) -> str:
    """The braces or the number that make a value of the type in OpenCL C."""
    if dtype.subdtype is not None:
        return _braces(value, dtype.subdtype[0])
    if dtype.names is not None:
        return f"{{{', '.join(_initialiser(value[name], field) for name, field in _fields(dtype))}}}"
    return scalar_literal(value, dtype)


def _braces(value: Any, dtype: np.dtype[Any]) -> str:
    """The same for an array of values; `value` has as many axes as are left."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.ndim > 0:
        return f"{{{', '.join(_braces(each, dtype) for each in value)}}}"
    return _initialiser(value, dtype)


def _extents(shape: tuple[int, ...]) -> str:
    return "".join(f"[{extent}]" for extent in shape)


def _type(dtype: np.dtype[Any]) -> str:
    """A type as a typedef begins with it: a word, or the struct with its fields."""
    if dtype.names is None:
        return _word(dtype)
    fields = []
    for name, field in _fields(dtype):
        base, shape = field.subdtype or (field, ())
        fields.append(f"{_type(base)} {name}{_extents(shape)};")
    return f"struct {{ {' '.join(fields)} }}"


@_core.bind
class SpecConstant:
    """A specialisation constant: a value that is not known before a program is built, and a constant to its compiler.

    In the text of a program that is given the constant, SPEC(name) is its value, SPEC_TYPE(name) its type, and
    SPEC_HAS(name), also in #if, is 1. An array is SPEC(name)[i][j], a struct SPEC(name).field. A number can stand
    wherever OpenCL C wants a constant: in #if, as the size of an array, in attributes. A body is given constants by
    keyword, like arguments, and those that its command group has set, by their names.

    Parameters
    ----------
    dtype
        The type of the value, or of its elements: a structured dtype is a struct.
    default
        The value where none is set: a number, or an array, whose shape is then the constant's. None: zero.
    name
        What kernels call it. None: the name under which the first program is given it.

    Raises
    ------
    InvalidParameterError
        The type has no counterpart in OpenCL C, the default does not fit it, or the name is no identifier.

    Notes
    -----
    SYCL 2020, 4.9.5 and 4.11.12: specialization_id. Like that it cannot be copied: it is itself what identifies it. A
    pickle stands for the constant: in this process for this one, in another one for one of its own, the same for all
    pickles of it.

    Examples
    --------
    >>> N = sycl.SpecConstant(np.int32, 3)
    >>> y = np.zeros(2, np.int32)
    >>> event = queue.parallel_for(2, "int t[SPEC(N)]; for (int k = 0; k < SPEC(N); k++) t[k] = k; y[i] = t[SPEC(N) - 1];",
    ...                            y=y, N=N)
    >>> y
    array([2, 2], dtype=int32)
    """

    __slots__ = ("__weakref__", "_default", "_dtype", "_id", "_name", "_shape", "_token")
    _token: bytes  # once it has been pickled

    @_core.entry
    def __init__(self, dtype: DTypeLike, default: Any = None, name: str | None = None) -> None:
        import numpy as np

        kind = as_dtype(dtype)
        base, shape = kind.subdtype or (kind, ())
        _check_type(base, "dtype")
        self._name: str | None = None
        if name is not None:
            self._take_name(name)
        self._dtype = base
        self._shape = shape or (np.shape(default) if default is not None and base.names is None else ())
        if base.names is not None and isinstance(default, np.ndarray) and not shape:
            self._shape = default.shape
        self._default = self._convert(np.zeros(self._shape, base) if default is None else default, "default")
        self._id = next(_ids)
        with _lock:
            _known[self._id] = self

    def _take_name(self, name: object) -> str:
        """The name for a program that gives it one; the first one stays."""
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
            raise InvalidParameterError(f"name: expected a name that OpenCL C can define, got {name!r}")
        if name in ("HAS", "TYPE") or name.startswith("TYPE_"):
            raise InvalidParameterError(f"name: {name!r} would make SPEC_{name}, which is a word of pysycl's own")
        if self._name is None:
            self._name = name
        return name

    @property
    def name(self) -> str | None:
        """Its name in kernels, once it has one."""
        return self._name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the value, or of its elements."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array; () for one value."""
        return self._shape

    @property
    def default(self) -> Any:
        """The value where none is set."""
        return self._default

    def _convert(self, value: Any, what: str) -> Any:
        """The value as a NumPy scalar, or as an array that nobody can write. Nothing is rounded or wrapped unseen."""
        import numpy as np

        given = np.asarray(value)
        try:
            with np.errstate(over="ignore"):
                array = np.array(value, self._dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidParameterError(
                f"{what}: {value!r} is no {self._dtype} of specialization constant {self._called}: {error}"
            ) from None
        if array.shape != self._shape:
            raise InvalidParameterError(
                f"{what}: specialization constant {self._called} has shape {self._shape}, got {array.shape}"
            )
        if self._dtype.kind in "iub" and given.dtype.kind in "iufb" and not np.array_equal(array, given):
            raise InvalidParameterError(
                f"{what}: {value!r} does not fit in the {self._dtype} of specialization constant {self._called}"
            )
        array.flags.writeable = False
        return array if self._shape else array[()]

    @property
    def _called(self) -> str:
        return repr(self._name) if self._name else "without a name"

    def _define(self, name: str, value: Any) -> Definition:
        """The core's arguments: the name, which constant it is, and the lines that define it."""
        text = f"typedef {_type(self._dtype)} SPEC_TYPE_{name};\n"
        if self._shape or self._dtype.names is not None:
            braces = _braces(value, self._dtype)
            text += f"static __constant SPEC_TYPE_{name} SPEC_{name}{_extents(self._shape)} = {braces};\n"
        else:
            text += f"#define SPEC_{name} {scalar_literal(value, self._dtype)}\n"
        return name, self._id, text

    def __repr__(self) -> str:
        what = f"{self._dtype}{list(self._shape) if self._shape else ''}"
        return f"<pysycl.SpecConstant {self._called} of {what}>"

    def __copy__(self) -> NoReturn:
        raise TypeError("a specialization constant cannot be copied: it is itself what identifies it")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        with _lock:
            if not hasattr(self, "_token"):
                self._token = urandom(16)
                _sent[self._token] = self
        return _received, (self._token, self._dtype, self._default, self._name)


def _received(token: bytes, dtype: np.dtype[Any], default: Any, name: str | None) -> SpecConstant:
    """The constant that a pickle stands for: the one that is here, if it has come before, or is from here."""
    with _lock:
        found = _sent.get(token)
        if found is None:
            found = SpecConstant(dtype, default, name)
            found._token = token
            _sent[token] = found
        return found


SpecConstants: TypeAlias = Mapping[str, SpecConstant] | Iterable[SpecConstant]


def definitions(constants: SpecConstants) -> tuple[Definition, ...]:
    """The constants of a program with their default values, for the core."""
    named: dict[str, SpecConstant] = {}
    pairs = (
        constants.items()
        if isinstance(constants, Mapping)
        else [(getattr(each, "name", None), each) for each in constants]
    )
    for name, constant in pairs:
        if not isinstance(constant, SpecConstant):
            raise InvalidParameterError(f"spec_constants: expected SpecConstants, got {constant!r}")
        if name is None:
            raise InvalidParameterError("spec_constants: a constant has no name; give it one, or a mapping of names")
        if named.get(name, constant) is not constant:
            raise InvalidParameterError(f"spec_constants: two constants are called {name!r}")
        named[constant._take_name(name)] = constant
    return tuple(constant._define(name, constant.default) for name, constant in named.items())


def body_definitions(
    body: str, preamble: str | None, given: Mapping[str, SpecConstant] | None, group: GroupConstants | None
) -> str:
    """The text in front of a body: the constants that it is given by name, and those that its command group has set."""
    values = group.values if group is not None else {}
    named = dict(given or {})
    for constant in values:
        if constant in named.values():
            continue
        if constant.name is None:
            raise InvalidParameterError(
                "the command group sets a specialization constant without a name: give it to the body by one, "
                "name=constant"
            )
        if constant.name in named:
            raise InvalidParameterError(f"two specialization constants of the body are called {constant.name!r}")
        named[constant.name] = constant
    for name, constant in named.items():
        constant._take_name(name)
        if not re.search(rf"\b(SPEC_(TYPE_)?)?{name}\b", f"{body}\n{preamble or ''}"):
            raise InvalidObjectError(f"body: it does not name the specialization constant SPEC({name})")
    return "".join(
        f"#define syc_has_{name} ~, 1\n{constant._define(name, values.get(constant, constant.default))[2]}"
        for name, constant in named.items()
    )


def find(number: int) -> SpecConstant | None:
    """The constant of a number that the core keeps; None when nobody has it any more."""
    with _lock:
        return _known.get(number)


def as_constant(constant: object) -> SpecConstant:
    """The argument of a function that takes one."""
    if not isinstance(constant, SpecConstant):
        raise InvalidParameterError(f"constant: expected a SpecConstant, got {constant!r}")
    return constant
