"""Vec: a short vector of numbers, as kernels have them (float4), on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pysycl import _core
from pysycl._vectors.components import Components
from pysycl._vectors.rounding import RoundingMode, convert
from pysycl._vectors.swizzle import picks_of
from pysycl._vectors.vector_types import VEC_COUNTS, WORDS, element_dtype, vec_dtype
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from pysycl._vectors.component_operators import Array


class Vec(Components):
    """A vector of 1, 2, 3, 4, 8 or 16 numbers: `Vec["float32", 4](1, 2, 3, 4)`, or `float4(1, 2, 3, 4)`.

    As a kernel argument it is passed by value, as a `float4`. `numpy.zeros(n, float4)` is an array of them, which kernels
    take as a `float4 *`.

    `v.x`, `v.s3` are components; `v.xzyw`, `v.s01`, `v.lo` are swizzles: views, which follow `v`, and through which it can
    be written where no component is repeated. Comparisons give -1 where they hold and 0 elsewhere, of the signed integer
    type that is as wide as the element.

    Notes
    -----
    SYCL 2020, 4.14.2. Integers wrap around, and division of them is C's: toward zero; by zero it raises
    ZeroDivisionError. Shifts are by the count modulo the width.

    Examples
    --------
    >>> v = sycl.int4(1, 2, 3, 4)
    >>> v.xz + 10, v.s3.item()
    (int2(11, 13), 4)
    >>> v.lo = sycl.int2(7, 8)
    >>> v
    int4(7, 8, 3, 4)
    """

    __slots__ = ()

    @staticmethod
    def _types(element: DTypeLike, count: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
        return element_dtype(element, "vec"), vec_dtype(element, count)

    @staticmethod
    def _class_name(element: np.dtype[Any], count: int) -> str:
        return f"{WORDS[element]}{count}" if count > 1 else f"Vec[{element}, 1]"

    @classmethod
    def _alignment(cls) -> int:
        return cls.byte_size

    def _truth(self, values: Array) -> Any:
        return self._made(-values.astype(f"i{self.element_type.itemsize}"))

    @classmethod
    def get_count(cls) -> int:
        """The number of components.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.float3.get_count()
        3
        """
        return cls.count

    @classmethod
    def get_size(cls) -> int:
        """The bytes that a value takes: of 3 components as many as of 4.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.float3.get_size()
        16
        """
        return cls.byte_size

    # -- swizzles --

    @_core.entry
    def swizzle(self, *indexes: int) -> Any:
        """The components with these indexes: a view, of one the component itself.

        Parameters
        ----------
        *indexes
            From 0 on; Elem has names for them.

        Returns
        -------
        Vec, NumPy scalar

        Raises
        ------
        InvalidParameterError
            There is no such component, or no vec of so many.

        Examples
        --------
        >>> sycl.int4(1, 2, 3, 4).swizzle(3, 0)
        int2(4, 1)
        """
        for index in indexes:
            if not 0 <= index < self.count:
                raise InvalidParameterError(f"swizzle: a {type(self).__name__} has no component {index}")
        return self._view(tuple(map(int, indexes)), "swizzle")

    def _view(self, picks: tuple[int, ...], name: str) -> Any:
        if len(picks) not in VEC_COUNTS:
            raise InvalidParameterError(f"{name}: {len(picks)} components make no vec; they are 1, 2, 3, 4, 8 or 16")
        cells = picks if self._picks is None else tuple([*self._picks, self._spare()][pick] for pick in picks)
        if len(picks) == 1:
            return self._cells[cells[0]]
        view: Any = object.__new__(Vec.of(self.element_type, len(picks)))
        object.__setattr__(view, "_cells", self._cells)
        object.__setattr__(view, "_picks", cells)
        return view

    def _spare(self) -> int:
        """The cell for the fourth component of a view of three, which is undefined."""
        return (self._picks or (0,))[-1]

    def __getattr__(self, name: str) -> Any:
        self._check_made(name)
        picks = picks_of(name, self.count)
        if picks is None:
            raise AttributeError(f"a {type(self).__name__} has no component or attribute {name!r}")
        return self._view(picks, name)

    def __setattr__(self, name: str, value: Any) -> None:
        picks = picks_of(name, self.count)
        if picks is None:
            raise AttributeError(f"a {type(self).__name__} has no component {name!r}")
        if len(picks) == 1:
            self[picks[0]] = value
            return
        self._view(picks, name).assign(value)

    # -- other types --

    @_core.entry
    def convert(self, to: Any, rounding_mode: RoundingMode | str = RoundingMode.automatic) -> Any:
        """The same numbers in another element type.

        Parameters
        ----------
        to
            The element type, or a Vec of as many components.
        rounding_mode
            How to round: automatic (toward zero to integers, else to nearest even), rte, rtz, rtp or rtn.

        Returns
        -------
        Vec
            Of as many components.

        Raises
        ------
        InvalidParameterError
            A Vec of another number of components.

        Notes
        -----
        SYCL 2020, 4.14.2.5. Floating-point numbers that no integer of the type comes near become the least or the
        greatest, a NaN 0; integers lose the bits that do not fit.

        Examples
        --------
        >>> sycl.float2(1.7, -1.7).convert("int32")
        int2(1, -1)
        """
        if isinstance(to, type) and issubclass(to, Vec):
            if to.count != self.count:
                raise InvalidParameterError(f"convert: a {type(self).__name__} does not have the {to.count} components")
            to = to.element_type
        target = Vec.of(to, self.count)
        return target._from(convert(self._values(), target.element_type, RoundingMode(rounding_mode)))

    def as_(self, to: type[Vec]) -> Any:
        """The same bytes as another type of vec.

        Parameters
        ----------
        to
            The type, such as `sycl.int4`.

        Returns
        -------
        Vec

        Raises
        ------
        InvalidParameterError
            It has another size.

        Examples
        --------
        >>> hex(sycl.float2(1, 2).as_(sycl.uint2).x)
        '0x3f800000'
        """
        if not (isinstance(to, type) and issubclass(to, Vec) and hasattr(to, "element_type")):
            raise InvalidParameterError(f"as_: expected a Vec such as pysycl.int4, got {to!r}")
        if to.byte_size != self.byte_size:
            raise InvalidParameterError(
                f"as_: a {type(self).__name__} has {self.byte_size} bytes, a {to.__name__} {to.byte_size}"
            )
        own = self if self._picks is None else type(self)._from(self._values())
        return to._from(own._cells.view(to.element_type)[: to.count])

    # -- memory --

    def _place(self, what: str, offset: int, array: Any) -> tuple[Any, slice]:
        found = np.asarray(array)
        if found.dtype != self.element_type:
            raise InvalidParameterError(f"{what}: the array is of {found.dtype}, the vec of {self.element_type}")
        begin = int(offset) * self.count
        if not 0 <= begin <= found.size - self.count:
            raise InvalidParameterError(
                f"{what}: offset {offset} is out of range: the array has {found.size} elements, "
                f"{found.size // self.count} vectors of {self.count}"
            )
        return found, slice(begin, begin + self.count)

    @_core.entry
    def load(self, offset: int, array: Any) -> Self:
        """Takes the components from an array of elements, beginning at its vector number `offset`.

        Parameters
        ----------
        offset
            The vector's number in the array.
        array
            Elements of the vec's own type.

        Returns
        -------
        Vec
            Itself.

        Raises
        ------
        InvalidParameterError
            Elements of another type, or no such vector in the array.

        Examples
        --------
        >>> sycl.int2().load(1, np.arange(4, dtype=np.int32))
        int2(2, 3)
        """
        found, place = self._place("load", offset, array)
        self._write(found.flat[place])
        return self

    @_core.entry
    def store(self, offset: int, array: Any) -> None:
        """Puts the components into an array of elements, beginning at its vector number `offset`.

        Parameters
        ----------
        offset
            The vector's number in the array.
        array
            Elements of the vec's own type, which can be written to.

        Raises
        ------
        InvalidParameterError
            Elements of another type, no such vector in the array, or an array that is read-only.

        Examples
        --------
        >>> x = np.zeros(4, np.int32)
        >>> sycl.int2(7, 8).store(1, x)
        >>> x
        array([0, 0, 7, 8], dtype=int32)
        """
        found, place = self._place("store", offset, array)
        if not np.may_share_memory(found, np.asarray(array)) or not found.flags.writeable:
            raise InvalidParameterError("store: the array cannot be written to")
        found.flat[place] = self._values()
