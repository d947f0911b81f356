"""Components: what Vec and Marray share, a few numbers of one type, laid out as on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from pysycl import _core
from pysycl._vectors.component_operators import ARITHMETIC, Array, Operator, check, compute, install
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import DTypeLike

_NUMBERS = (int, float, np.number, np.bool_)
_FAMILIES: dict[tuple[type[Components], np.dtype[Any], int], type[Any]] = {}


@_core.bind
class Components:
    """The base of `Vec` and `Marray`; `family[element type, count]` is a class of values.

    Made from nothing (zeros), one number (for all), or numbers, values of the same element type and sequences that have
    as many components together as the class. Operators work component by component, with a number on either side too, and
    give the same type; comparisons give truth values for each component, so such a value has none of its own and cannot
    be hashed. `numpy.asarray` of a value is an array of its components.
    """

    __slots__ = ("_cells", "_picks")
    __array_priority__ = 1000.0  # NumPy's arrays and scalars leave the operators to this class
    __hash__ = None  # type: ignore[assignment]
    element_type: ClassVar[np.dtype[Any]]
    """The type of a component."""
    count: ClassVar[int]
    """The number of components."""
    dtype: ClassVar[np.dtype[Any]]
    """The dtype of arrays of such values."""
    byte_size: ClassVar[int]
    """The bytes that a value takes in memory."""
    _family: ClassVar[type[Components]]
    _cells: Array  # in memory; of a vec of 3 there are 4
    _picks: tuple[int, ...] | None  # a view's: which of the cells

    # -- the classes --

    @classmethod
    def of(cls, element: DTypeLike, count: int) -> Any:
        """The class of values with this element type and count; the same as `cls[element, count]`.

        Parameters
        ----------
        element
            The element type.
        count
            How many.

        Returns
        -------
        type

        Examples
        --------
        >>> sycl.Vec.of("float32", 4) is sycl.float4
        True
        """
        if hasattr(cls, "element_type"):
            raise TypeError(f"{cls.__name__} has its element type and count already")
        kind, dtype = cls._types(element, count)
        key = (cls, kind, int(count))
        if key not in _FAMILIES:
            body = {
                "__slots__": (), "__module__": "pysycl", "__doc__": f"{cls.__name__} of {key[2]} {kind}.",
                "element_type": kind, "count": key[2], "dtype": dtype, "byte_size": dtype.itemsize, "_family": cls,
            }  # fmt: skip
            _FAMILIES[key] = type(cls._class_name(kind, key[2]), (cls,), body)
        return _FAMILIES[key]

    def __class_getitem__(cls, parameters: tuple[DTypeLike, int]) -> Any:
        if not isinstance(parameters, tuple) or len(parameters) != 2:
            raise TypeError(f"{cls.__name__}[element type, count] takes both")
        return cls.of(*parameters)

    @staticmethod
    def _types(element: DTypeLike, count: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """The element type, and the dtype of arrays."""
        raise TypeError("Components has no values of its own; Vec and Marray have")

    @staticmethod
    def _class_name(element: np.dtype[Any], count: int) -> str:
        """The class's name."""
        raise TypeError("Components has no values of its own; Vec and Marray have")

    def _truth(self, values: Array) -> Any:
        """Truth values, as this family has them."""
        return self._made(values)

    def __getattr__(self, name: str) -> Any:
        self._check_made(name)
        raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}")

    def _check_made(self, missing: str) -> None:
        """object.__new__ makes values that have nothing in them."""
        if missing in ("_cells", "_picks") or missing in Components.__annotations__:
            raise InvalidObjectError(f"this {type(self).__name__} is empty: it was not made by a call of its class")

    # -- making --

    @_core.entry
    def __new__(cls, *parts: Any) -> Self:
        if not hasattr(cls, "element_type"):
            raise TypeError(f"{cls.__name__} needs an element type and a count: {cls.__name__}['float32', 4]")
        if len(parts) == 1 and isinstance(parts[0], _NUMBERS):
            return cls._from(cls._number(parts[0]))
        values = [value for part in parts for value in cls._parts(part)]
        if parts and len(values) != cls.count:
            raise InvalidParameterError(f"{cls.__name__}: takes {cls.count} components, {len(values)} given")
        return cls._from(np.array(values, cls.element_type) if parts else cls.element_type.type(0))

    @classmethod
    def _from(cls, values: Any) -> Self:
        """A value with these components, or this one for all."""
        self = super().__new__(cls)
        slots = cls.byte_size // cls.element_type.itemsize
        cells = _aligned(cls.byte_size, cls._alignment())[: cls.byte_size].view(cls.element_type)
        cells[: cls.count] = values
        cells[cls.count : slots] = 0
        object.__setattr__(self, "_cells", cells)
        object.__setattr__(self, "_picks", None)
        return self

    @classmethod
    def _alignment(cls) -> int:
        return cls.element_type.itemsize

    @classmethod
    def _parts(cls, part: Any) -> list[Any]:
        """The components that an argument of the constructor stands for."""
        if isinstance(part, _NUMBERS):
            return [cls._number(part)]
        if isinstance(part, Components):
            if part.element_type != cls.element_type:
                raise InvalidParameterError(
                    f"{cls.__name__}: takes components of {cls.element_type}, got a {type(part).__name__}; convert it"
                )
            return list(part)
        if isinstance(part, str | bytes) or not hasattr(part, "__len__"):
            raise InvalidParameterError(f"{cls.__name__}: expected numbers, got {part!r}")
        return [cls._number(value) for value in (part.tolist() if isinstance(part, np.ndarray) else part)]

    @classmethod
    def _number(cls, value: Any) -> Any:
        """A number as an element. TypeError: it is of another kind; InvalidParameterError: it does not fit."""
        try:
            element = cls.element_type
        except AttributeError:
            raise InvalidObjectError(f"this {cls.__name__} is empty: it was not made by a call of its class") from None
        if not isinstance(value, _NUMBERS) or isinstance(value, np.complexfloating):
            raise InvalidParameterError(f"{cls.__name__}: expected a number, got {value!r}")
        if element.kind in "iu":
            if isinstance(value, float | np.floating):
                raise TypeError(f"{cls.__name__}: an element is an integer, got {value!r}")
            limits = np.iinfo(element)
            if not limits.min <= int(value) <= limits.max:
                raise InvalidParameterError(f"{cls.__name__}: {value!r} is out of range for {element}")
            return element.type(int(value))
        with np.errstate(over="ignore"):
            found = element.type(value)
        if element.kind == "f" and np.isinf(found) and not np.isinf(float(value)):
            raise InvalidParameterError(f"{cls.__name__}: {value!r} is out of range for {element}")
        return found

    def _made(self, values: Array) -> Any:
        """A value of the same family with these components."""
        return self._family.of(values.dtype, self.count)._from(values)

    # -- reading and writing --

    def _values(self) -> Array:
        """The components: the memory itself, but for a view a copy."""
        return self._cells[: self.count] if self._picks is None else self._cells[list(self._picks)]

    def _write(self, values: Any) -> None:
        if self._picks is None:
            self._cells[: self.count] = values
            return
        if len(set(self._picks)) != len(self._picks):
            raise InvalidParameterError("a swizzle with repeated components cannot be assigned to")
        self._cells[list(self._picks)] = values

    def _operand(self, operator: Operator, other: object) -> Any:
        """The other side of an operator, as an array or a scalar of the element type."""
        if isinstance(other, np.ndarray):
            if other.ndim > 0:
                name = type(self).__name__
                raise TypeError(f"{name} {operator.sign} an array: make the {name} one too, with numpy.asarray")
            other = other[()]
        if not isinstance(other, (Components, *_NUMBERS)):
            return NotImplemented
        check(operator, self, other)
        if isinstance(other, Components):
            if other._family is not self._family or other.element_type != self.element_type:
                raise TypeError(
                    f"{type(self).__name__} {operator.sign} {type(other).__name__}: convert one to the element type of "
                    "the other"
                )
            if other.count not in (1, self.count):
                raise TypeError(f"{type(self).__name__} {operator.sign} {type(other).__name__}: other counts")
            return other._values()
        return type(self)._number(other)

    @_core.entry
    def assign(self, value: Any) -> Self:
        """Takes the components of another value, or a number for all; C++'s operator =.

        Parameters
        ----------
        value
            A value of as many components, or a number.

        Returns
        -------
        Vec, Marray
            Itself.

        Examples
        --------
        >>> v = sycl.int2(1, 2)
        >>> v.assign(7)
        int2(7, 7)
        """
        self._write(type(self)(value)._values())
        return self

    def __getitem__(self, index: Any) -> Any:
        return self._values()[index]

    @_core.entry
    def __setitem__(self, index: Any, value: Any) -> None:
        values = self._values().copy()
        given = list(value) if hasattr(value, "__len__") else [value]
        values[index] = [self._number(each) for each in given] if hasattr(value, "__len__") else self._number(value)
        self._write(values)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values().copy())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        values = self._values()
        if copy is False and (self._picks is not None or (dtype is not None and np.dtype(dtype) != values.dtype)):
            raise ValueError("the components of a swizzle, or as another type, are a copy")
        return np.array(values, dtype) if copy else values.astype(values.dtype if dtype is None else dtype, copy=False)

    def _as_element(self) -> np.void:
        """The value now, as a structured scalar: the binding asks for it, since arguments are passed by value."""
        place = np.zeros(1, self.dtype)
        place.view(np.uint8)[: self.count * self.element_type.itemsize] = self._values().view(np.uint8)
        element: np.void = place[0]
        return element

    # -- what has no table --

    def logical(self, name: str, x: Any, y: Any) -> Any:
        """x && y or x || y of this value and another, on either side: truth values, component by component.

        Parameters
        ----------
        name
            "logical_and" or "logical_or".
        x, y
            This value and the other one, in their order.

        Returns
        -------
        Vec, Marray
            Of truth values.

        Examples
        --------
        >>> v = sycl.int2(1, 0)
        >>> v.logical("logical_or", v, 0)
        int2(-1, 0)
        """
        operator = Operator("&&" if name == "logical_and" else "||", name, getattr(np, name))
        operand = self._operand(operator, y if x is self else x)
        if operand is NotImplemented:
            raise TypeError(f"{operator.sign}: expected a number or a {type(self).__name__}")
        return self._truth(operator.call(self._values(), operand))

    def logical_and(self, other: Any) -> Any:
        """C's &&: component by component.

        Parameters
        ----------
        other
            A value of as many components, or a number.

        Returns
        -------
        Vec, Marray
            Of truth values.

        Examples
        --------
        >>> sycl.int2(1, 2).logical_and(sycl.int2(0, 5))
        int2(0, -1)
        """
        return self.logical("logical_and", self, other)

    def logical_or(self, other: Any) -> Any:
        """C's ||: component by component.

        Parameters
        ----------
        other
            A value of as many components, or a number.

        Returns
        -------
        Vec, Marray
            Of truth values.

        Examples
        --------
        >>> sycl.int2(0, 0).logical_or(sycl.int2(0, 5))
        int2(0, -1)
        """
        return self.logical("logical_or", self, other)

    def logical_not(self) -> Any:
        """C's !: component by component.

        Returns
        -------
        Vec, Marray
            Of truth values.

        Examples
        --------
        >>> sycl.int2(0, 3).logical_not()
        int2(-1, 0)
        """
        return self._truth(self._values() == 0)

    def _step(self, operator: Operator) -> None:
        self._write(compute(operator, self._values(), self._number(1), self.element_type))

    def inc(self) -> Self:
        """C's ++v: adds 1 to each component, and gives the value.

        Returns
        -------
        Vec, Marray
            Itself.

        Examples
        --------
        >>> sycl.int2(1, 2).inc()
        int2(2, 3)
        """
        self._step(ARITHMETIC[0])
        return self

    def dec(self) -> Self:
        """C's --v: takes 1 from each component, and gives the value.

        Returns
        -------
        Vec, Marray
            Itself.

        Examples
        --------
        >>> sycl.int2(1, 2).dec()
        int2(0, 1)
        """
        self._step(ARITHMETIC[1])
        return self

    def post_inc(self) -> Self:
        """C's v++: adds 1 to each component, and gives what was there before.

        Returns
        -------
        Vec, Marray
            A new one.

        Examples
        --------
        >>> v = sycl.int2(1, 2)
        >>> v.post_inc(), v
        (int2(1, 2), int2(2, 3))
        """
        before = type(self)._from(self._values())
        self.inc()
        return before

    def post_dec(self) -> Self:
        """C's v--: takes 1 from each component, and gives what was there before.

        Returns
        -------
        Vec, Marray
            A new one.

        Examples
        --------
        >>> v = sycl.int2(1, 2)
        >>> v.post_dec(), v
        (int2(1, 2), int2(0, 1))
        """
        before = type(self)._from(self._values())
        self.dec()
        return before

    def _single(self, what: str) -> Any:
        if self.count != 1:
            raise TypeError(f"a {type(self).__name__} has {self.count} components, and no {what}")
        return self._values()[0]

    def __bool__(self) -> bool:
        return bool(self._single("truth value of its own; see pysycl.math.any and all"))

    def __float__(self) -> float:
        return float(self._single("value of its own"))

    def __int__(self) -> int:
        return int(self._single("value of its own"))

    def __index__(self) -> int:
        if self.element_type.kind == "f":
            raise TypeError(f"a {type(self).__name__} is no integer")
        return int(self._single("value of its own"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(str(value) for value in self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._family, self.element_type.str, self.count, np.asarray(self).tobytes())

    if TYPE_CHECKING:

        def _any_operator(self, other: Any, /) -> Any: ...
        def _any_unary(self) -> Any: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __mod__ = __and__ = __or__ = __xor__ = _any_operator
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rmod__ = __rand__ = __ror__ = __rxor__ = _any_operator
        __iadd__ = __isub__ = __imul__ = __itruediv__ = __imod__ = __iand__ = __ior__ = __ixor__ = _any_operator
        __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = __ilshift__ = __irshift__ = _any_operator
        __lt__ = __le__ = __gt__ = __ge__ = _any_operator
        __pos__ = __neg__ = __invert__ = _any_unary

        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...


install(Components)


def _aligned(size: int, alignment: int) -> Array:
    """Bytes whose address is a multiple of the alignment."""
    raw = np.empty(size, np.uint8)
    if raw.__array_interface__["data"][0] % alignment == 0:
        return raw
    raw = np.empty(size + alignment, np.uint8)
    return raw[-raw.__array_interface__["data"][0] % alignment :]


def _restored(family: type[Components], element: str, count: int, values: bytes) -> Any:
    return family.of(element, count)._from(np.frombuffer(values, element))


def unwrapped(*arguments: Any) -> tuple[Components | None, list[Any]]:
    """One of the values among the arguments, and all as arrays or scalars. TypeError: values of other types beside it."""
    own = next((each for each in arguments if isinstance(each, Components)), None)
    if own is None:
        return None, list(arguments)
    for each in arguments:
        if isinstance(each, Components) and (each._family is not own._family or each.count != own.count):
            raise TypeError(f"a {type(own).__name__} and a {type(each).__name__} do not go together")
    return own, [np.asarray(each) if isinstance(each, Components) else each for each in arguments]


def map_components(call: Callable[..., Any], *arguments: Any) -> Any:
    """The function's results for the arguments, as arrays; of Vec and Marray it is one again.

    Numbers beside such a value take its element type.
    """
    own, values = unwrapped(*arguments)
    if own is None:
        return call(*arguments)
    types = {value.dtype for each, value in zip(arguments, values, strict=True) if isinstance(each, Components)}
    if len(types) > 1:
        raise TypeError("values of several element types do not go together; convert them")
    return own._made(np.asarray(call(*(v if isinstance(v, np.ndarray) else own._number(v) for v in values))))
