"""Range, Id and NdRange: sizes and places in an index space of one, two or three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add, and_, floordiv, index, lshift, mod, mul, or_, rshift, sub, xor
from typing import Any, ClassVar, Self, SupportsIndex, TypeAlias

from pysycl.errors import NdRangeError

Sizes: TypeAlias = "SupportsIndex | Iterable[SupportsIndex]"


def _tuple(values: tuple[Any, ...], what: str) -> tuple[int, ...]:
    """One to three whole numbers, given one by one or as one sequence."""
    if len(values) == 1 and isinstance(values[0], Iterable) and not isinstance(values[0], SupportsIndex):
        values = tuple(values[0])
    try:
        sizes = tuple(index(value) for value in values)
    except TypeError:
        raise NdRangeError(f"{what}: expected whole numbers, got {values!r}") from None
    if not 1 <= len(sizes) <= 3:
        raise NdRangeError(f"{what}: expected 1 to 3 dimensions, got {len(sizes)} in {values!r}")
    if min(sizes) < 0:
        raise NdRangeError(f"{what}: {min(sizes)} in {values!r} is negative; sizes start at 0")
    return sizes


class _Extent(tuple[int, ...]):
    """What Range and Id share: a tuple whose operators work dimension by dimension, as SYCL's do."""

    __slots__ = ()
    _what: ClassVar[str]

    def __new__(cls, *values: Sizes) -> Self:
        return super().__new__(cls, _tuple(values, cls._what))

    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
        return len(self)

    def get(self, dimension: int) -> int:
        """The value in one dimension."""
        return self[dimension]

    def _combine(self, other: Any, operation: Callable[[int, int], int], swap: bool = False) -> Any:
        if isinstance(other, SupportsIndex):
            other = (index(other),) * len(self)
        elif not isinstance(other, tuple):
            return NotImplemented
        if len(other) != len(self):
            raise NdRangeError(f"{self!r} has {len(self)} dimensions, {other!r} has {len(other)}")
        pairs = zip(other, self, strict=True) if swap else zip(self, other, strict=True)
        return type(self)(*(operation(a, b) for a, b in pairs))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)


def _operator(operation: Callable[[int, int], int]) -> tuple[Any, Any]:
    def forward(self: _Extent, other: Any) -> Any:
        return self._combine(other, operation)

    def backward(self: _Extent, other: Any) -> Any:
        return self._combine(other, operation, swap=True)

    return forward, backward


for _name, _operation in {
    "add": add, "sub": sub, "mul": mul, "floordiv": floordiv, "mod": mod,
    "lshift": lshift, "rshift": rshift, "and": and_, "or": or_, "xor": xor,
}.items():  # fmt: skip
    for _prefix, _method in zip(("", "r"), _operator(_operation), strict=True):
        setattr(_Extent, f"__{_prefix}{_name}__", _method)
_Extent.__truediv__, _Extent.__rtruediv__ = _operator(floordiv)  # type: ignore[attr-defined, operator]


class Range(_Extent):
    """How many work-items there are in each dimension; the last dimension varies fastest.

    Notes
    -----
    SYCL 2020, 4.9.1.1. Operators work dimension by dimension, also with an int on either side; results are ranges.
    """

    __slots__ = ()
    _what = "Range"

    def size(self) -> int:
        """The number of work-items: the product of all dimensions."""
        return reduce(mul, self)


class Id(_Extent):
    """A place in an index space. SYCL 2020, 4.9.1.3. Operators as for Range."""

    __slots__ = ()
    _what = "Id"


class NdRange(tuple[Range, Range, Id]):
    """A global range divided into work-groups of one local range.

    Parameters
    ----------
    global_range, local_range, offset
        Ints or tuples of the same number of dimensions. The global range must be a multiple of the local range in every
        dimension; that and the device's limits are checked when a kernel is submitted.

    Notes
    -----
    SYCL 2020, 4.9.1.2.
    """

    __slots__ = ()

    def __new__(cls, global_range: Sizes, local_range: Sizes, offset: Sizes | None = None) -> Self:
        whole, group = Range(global_range), Range(local_range)
        start = Id(*(0 for _ in whole)) if offset is None else Id(offset)
        for what, each in (("local_range", group), ("offset", start)):
            if len(each) != len(whole):
                raise NdRangeError(f"{what} {tuple(each)} has {len(each)} dimensions, global_range has {len(whole)}")
        return super().__new__(cls, (whole, group, start))

    @property
    def global_range(self) -> Range:
        """All work-items."""
        return self[0]

    @property
    def local_range(self) -> Range:
        """The work-items of one group."""
        return self[1]

    @property
    def group_range(self) -> Range:
        """The groups: the global range divided by the local range."""
        if 0 in self[1]:
            raise NdRangeError(f"{self!r} has no groups: its local range holds a 0")
        return Range(*(whole // group for whole, group in zip(self[0], self[1], strict=True)))

    @property
    def offset(self) -> Id:
        """What is added to every global id. Deprecated in SYCL 2020."""
        return self[2]

    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
        return len(self[0])

    def __repr__(self) -> str:
        offset = f", offset={tuple(self[2])}" if any(self[2]) else ""
        return f"NdRange({tuple(self[0])}, {tuple(self[1])}{offset})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)
