"""Range, Id and NdRange: sizes and places in an index space of one, two or three dimensions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import reduce
from operator import add, and_, floordiv, ge, gt, index, le, lt, mod, mul, or_, rshift, sub, xor
from typing import Any, ClassVar, NoReturn, Self, SupportsIndex, TypeAlias

from pysycl import _core
from pysycl.errors import NdRangeError

Sizes: TypeAlias = "SupportsIndex | Iterable[SupportsIndex]"
SIZE_MAX = 2 * sys.maxsize + 1


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
    if max(sizes) > SIZE_MAX:
        raise NdRangeError(f"{what}: {max(sizes):#x} is more than a size can be ({SIZE_MAX:#x})")
    return sizes


def _operator(sign: str, operation: Callable[[int, int], int]) -> tuple[Any, Any]:
    """The operator with an extent on the left, and the one with it on the right."""

    def combine(own: _Extent, other: Any, swap: bool) -> Any:
        if isinstance(other, tuple):
            if len(other) != len(own):
                raise NdRangeError(f"{own!r} has {len(own)} dimensions, {other!r} has {len(other)}")
            others = other
        else:
            try:
                others = (index(other),) * len(own)
            except TypeError:
                return NotImplemented
        left, right, names = (others, own, (other, own)) if swap else (own, others, (own, other))
        what = f"{names[0]!r} {sign} {names[1]!r}"
        try:
            values = tuple(operation(a, b) for a, b in zip(left, right, strict=True))
        except (ArithmeticError, ValueError) as error:  # a division by 0, a shift by less than nothing
            raise NdRangeError(f"{what}: {error}") from None
        return tuple.__new__(type(own), _tuple(values, what))

    return _core.entry(lambda own, other: combine(own, other, False)), _core.entry(
        lambda own, other: combine(own, other, True)
    )


class _Extent(tuple[int, ...]):
    """Shared by Range and Id: a tuple whose operators work dimension by dimension, as SYCL's do."""

    __slots__ = ()
    __array_priority__ = -1  # NumPy's numbers leave operators to these, its arrays do not
    _what: ClassVar[str]

    @_core.entry
    def __new__(cls, *values: Sizes) -> Self:
        return super().__new__(cls, _tuple(values, cls._what))

    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
        return len(self)

    def get(self, dimension: int) -> int:
        """The value in one dimension.

        Parameters
        ----------
        dimension
            From 0 on.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.Range(2, 3).get(1)
        3
        """
        return self[dimension]

    @_core.entry
    def replace(self, dimension: int, value: SupportsIndex) -> Self:
        """The same but for one dimension: `r = r.replace(1, 8)` is SYCL's `r[1] = 8`.

        Parameters
        ----------
        dimension
            From 0 on.
        value
            What it is to be there.

        Returns
        -------
        Range, Id
            A new one.

        Notes
        -----
        SYCL assigns in place, to a variable that nobody else has. Names in Python share what they name, so ranges and ids
        do not change, and are good keys of dictionaries.

        Examples
        --------
        >>> sycl.Range(2, 3).replace(1, 8)
        Range(2, 8)
        """
        values: list[Any] = list(self)
        values[dimension] = value
        return type(self)(*values)

    def __setitem__(self, dimension: Any, value: Any) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a {name} does not change; write r = r.replace({dimension!r}, {value!r}) for r[...] = ...")

    __add__, __radd__ = _operator("+", add)
    __sub__, __rsub__ = _operator("-", sub)
    __mul__, __rmul__ = _operator("*", mul)
    __truediv__, __rtruediv__ = _operator("/", floordiv)
    __floordiv__, __rfloordiv__ = _operator("//", floordiv)
    __mod__, __rmod__ = _operator("%", mod)
    __lshift__, __rlshift__ = _operator("<<", lambda a, b: a << min(b, SIZE_MAX.bit_length()))
    __rshift__, __rrshift__ = _operator(">>", rshift)
    __and__, __rand__ = _operator("&", and_)
    __or__, __ror__ = _operator("|", or_)
    __xor__, __rxor__ = _operator("^", xor)
    # Python turns a comparison round by itself. 1 where it holds and 0 where not; == and != compare the whole.
    __lt__, _ = _operator("<", lt)
    __gt__, _ = _operator(">", gt)
    __le__, _ = _operator("<=", le)
    __ge__, _ = _operator(">=", ge)
    logical_and, _ = _operator("&&", lambda a, b: bool(a and b))
    logical_or, _ = _operator("||", lambda a, b: bool(a or b))
    del _

    def __bool__(self) -> bool:
        if len(self) > 1:
            raise ValueError(f"{self!r} is neither true nor false as a whole; ask all() or any() of it")
        return self[0] != 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)


class Range(_Extent):
    """How many work-items there are in each dimension; the last dimension varies fastest.

    Notes
    -----
    SYCL 2020, 4.9.1.1. Operators work dimension by dimension, also with an int on either side; results are ranges. So are
    those of comparisons (but == and !=), with 1 for true and 0 for false: `all(a <= b)`. C++'s && and || are the methods
    `logical_and` and `logical_or`. What is negative or too large for a size is refused.

    Examples
    --------
    >>> sycl.Range(2, 3).size(), sycl.Range(2, 3) * 2
    (6, Range(4, 6))
    """

    __slots__ = ()
    _what = "Range"

    def size(self) -> int:
        """The number of work-items: the product of all dimensions.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.Range(2, 3).size()
        6
        """
        return reduce(mul, self)


class Id(_Extent):
    """A place in an index space. SYCL 2020, 4.9.1.3. Operators as for Range.

    Parameters
    ----------
    *values
        One to three numbers, or a tuple of them; none: Id(0).

    Examples
    --------
    >>> sycl.Id(1, 2) + 1
    Id(2, 3)
    """

    __slots__ = ()
    _what = "Id"

    @_core.entry
    def __new__(cls, *values: Sizes) -> Self:
        return super().__new__(cls, *(values or (0,)))


@_core.bind
class NdRange(tuple[Range, Range, Id]):
    """A global range divided into work-groups of one local range.

    Parameters
    ----------
    global_range, local_range, offset
        Ints or tuples of the same number of dimensions. The global range must be a multiple of the local range in every
        dimension; that and the device's limits are checked when a kernel is submitted.

    Raises
    ------
    NdRangeError
        Ranges of several numbers of dimensions.

    Notes
    -----
    SYCL 2020, 4.9.1.2.

    Examples
    --------
    >>> y = np.zeros(8, np.int32)
    >>> event = queue.parallel_for(sycl.NdRange(8, 4), "y[i] = group_id(0);", y=y)
    >>> y
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """

    __slots__ = ()

    @_core.entry
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
        """The offset of every global id. Deprecated in SYCL 2020."""
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


@_core.bind
class WorkGroups(tuple[Range, "Range | None"]):
    """A number of work-groups, for the text of a work-group: a hierarchical kernel.

    Parameters
    ----------
    groups
        An int or a tuple of 1 to 3: how many work-groups there are.
    group_size
        As many dimensions: the work-items of each. None leaves it to the runtime.

    Notes
    -----
    `handler.parallel_for_work_group(groups, group_size, body)` is `handler.parallel_for(WorkGroups(groups, group_size),
    body)`. SYCL 2020, 4.9.4.2.3.

    Examples
    --------
    >>> y = np.zeros(8, np.int32)
    >>> event = queue.parallel_for(
    ...     sycl.WorkGroups(2, 4), "int t = 10 * group_id(0); parallel_for_work_item { y[global_id(0)] = t; }", y=y
    ... )
    >>> y
    array([ 0,  0,  0,  0, 10, 10, 10, 10], dtype=int32)
    """

    __slots__ = ()

    @_core.entry
    def __new__(cls, groups: Sizes, group_size: Sizes | None = None) -> Self:
        many = Range(groups)
        size = None if group_size is None else Range(group_size)
        if size is not None and len(size) != len(many):
            raise NdRangeError(f"group_size {tuple(size)} has {len(size)} dimensions, groups has {len(many)}")
        return super().__new__(cls, (many, size))

    @property
    def groups(self) -> Range:
        """How many work-groups."""
        return self[0]

    @property
    def group_size(self) -> Range | None:
        """The work-items of each; None: as many as the runtime likes."""
        return self[1]

    def __repr__(self) -> str:
        size = "" if self[1] is None else f", {tuple(self[1])}"
        return f"WorkGroups({tuple(self[0])}{size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self)
