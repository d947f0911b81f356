"""group_by: elements that have the same key, combined. By an array of variables, one for each value that a key can have,
where these are few; else the keys are put into order, and each group is a segment."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import Options, options_of
from pysycl._algorithms.kinds import accumulated, average_of, cast, extreme, summed
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._reductions.reduce_calls import minmax
from pysycl._runtime.lines import Lines
from pysycl._scans.scan_segments import segmented_reduce
from pysycl._sorts.bins import Binned, Valued, added_by_team, added_type, by_values, flat, is_added_by_team
from pysycl._sorts.sort_calls import argsort
from pysycl.errors import InvalidParameterError
from pysycl.operators import maximum, minimum, plus

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.queue import Queue


class Way(NamedTuple):
    """A row: how groups are made, up to how many values that keys can have, and up to how many for an element."""

    name: str
    why: str
    most: int
    for_each: float


WAYS: Final = (
    Way(
        "array",
        "a variable for each value that a key can have, which elements are combined with where they stand",
        1 << 22,
        4,
    ),
    Way("sorted", "the keys are put into order, and each group is a segment", 2**63, float("inf")),
)


# Where a key's variable is.
_PLACE: Final = "(ulong){key} - (ulong)low"


class Groups(NamedTuple):
    """The groups that there are. By an array: the least key, how many values there are up to the greatest, and which of them
    are keys; 0 values: keys that are no integers, or none."""

    way: Way
    keys: Array
    counts: Array
    low: Any
    range: int
    present: Array | None = None


class GroupBy:
    """Elements by their keys: `sycl.group_by(keys)` makes it. Results are in the order of `keys`.

    Parameters
    ----------
    x, options, method
        The keys, and what `group_by` was given with them.

    Examples
    --------
    >>> groups = sycl.group_by([3, 1, 3, 1, 7])
    >>> groups
    <pysycl.GroupBy of 3 keys, array>
    >>> groups.keys
    array([1, 3, 7])
    """

    __slots__ = ("_found", "_method", "_options", "_order", "_x")

    _found: Groups | None
    _order: Array | None

    def __init__(self, x: Operand, options: Options, method: str | None) -> None:
        self._x, self._options, self._method = x, options, method
        self._found = self._order = None

    @property
    @_core.entry
    def keys(self) -> Array:
        """The keys that there are, each once, ascending; NaN are one, the last."""
        return self._groups().keys

    @property
    @_core.entry
    def way(self) -> Way:
        """How groups are made."""
        return self._groups().way

    def __repr__(self) -> str:
        return f"<pysycl.GroupBy of {len(self)} keys, {self.way.name}>"

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._groups().keys)

    def explain(self) -> Lines:
        """Lines that say how groups are made, and why.

        Returns
        -------
        Lines
            Text, shown line by line.

        Examples
        --------
        >>> print(str(sycl.group_by([0.5, 0.5, 2.0]).explain()).splitlines()[1])
        3 elements, 2 groups, keys that are no integers, or too far apart
        """
        most = self._groups().range
        values = f"{most} values of keys" if most else "keys that are no integers, or too far apart"
        return Lines(f"{self.way.name}: {self.way.why}\n{prod(self._x.shape)} elements, {len(self)} groups, {values}")

    # -- what is made of them --

    def count(self) -> Array:
        """How many elements each group has.

        Returns
        -------
        numpy.ndarray
            Of int64, one for each of `keys`.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3, 1, 7]).count()
        array([2, 2, 1])
        """
        return self._groups().counts.copy()

    @_core.entry
    def sum(self, x: Any, dtype: Any = None) -> Array:
        """The sums of each group's elements: integers with 64 bits, of float32 and float16 in float64 where the device has
        that, and then rounded.

        Parameters
        ----------
        x
            A NumPy array of the keys' shape, or what NumPy makes one of.
        dtype
            Of the result. None: as numpy.sum.

        Returns
        -------
        numpy.ndarray
            One element for each of `keys`.

        Raises
        ------
        InvalidParameterError
            Device memory, another shape than the keys', elements that are no numbers.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3]).sum([10, 20, 30])
        array([20, 40])
        """
        it = self._values(x)
        result = summed(it.dtype, dtype, None)
        if it.dtype.kind == "c" or result.kind == "c":
            parts = [self.sum(part) for part in (array_of(it).real, array_of(it).imag)]
            return (parts[0] + 1j * parts[1]).astype(result)
        acc = added_type(Binned(it, self._options), it) if dtype is None else result
        sums = self._by_team(it, acc)
        if sums is None:
            by_array = self._groups().present is not None
            sums = self._of_variables(it, acc, plus, None) if by_array else self._of_segments(it, plus, acc)
        return sums.astype(result, copy=False)

    @_core.entry
    def mean(self, x: Any) -> Array:
        """The means of each group's elements: of integers, float64.

        Parameters, Returns, Raises as for `GroupBy.sum`.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3]).mean([10, 20, 30])
        array([20., 20.])
        """
        it = self._values(x)
        result = average_of(it.dtype, None)
        wide = np.result_type(result, np.float64)
        return (self.sum(array_of(it), wide) / self._groups().counts).astype(result, copy=False)

    @_core.entry
    def min(self, x: Any) -> Array:
        """The smallest of each group's elements: NaN if there is one.

        Parameters, Returns as for `GroupBy.sum`.

        Raises
        ------
        InvalidParameterError
            Complex numbers, or as for `GroupBy.sum`.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3]).min([10, 20, 30])
        array([20, 10])
        """
        return self._extreme(x, True)

    @_core.entry
    def max(self, x: Any) -> Array:
        """The greatest of each group's elements: NaN if there is one.

        Parameters, Returns as for `GroupBy.sum`.

        Raises
        ------
        InvalidParameterError
            Complex numbers, or as for `GroupBy.sum`.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3]).max([10, 20, 30])
        array([20, 30])
        """
        return self._extreme(x, False)

    @_core.entry
    def reduce(self, x: Any, op: Any, dtype: Any = None) -> Array:
        """Each group's elements combined by an operator, in their order.

        Parameters
        ----------
        x
            A NumPy array of the keys' shape, or what NumPy makes one of; structs, too.
        op
            A function object such as `plus`, or a BinaryOp, or its text in `a` and `b`: it must be associative.
        dtype
            As for `inclusive_scan`.

        Returns as for `GroupBy.sum`.

        Raises as for `inclusive_scan`.

        Examples
        --------
        >>> sycl.group_by([3, 1, 3]).reduce([10, 20, 30], "a > b ? a : b")
        array([20, 30])
        """
        return self._of_segments(self._values(x, numbers=False), op, dtype)

    # -- the passes --

    def _groups(self) -> Groups:
        """The groups, which the first who asks finds."""
        if self._found is None:
            call = Binned(self._x, self._options)
            valued = by_values(call, WAYS[0].most, WAYS[0].for_each) if self._method != "sorted" else None
            self._found = self._of_valued(valued) if valued is not None else self._of_range(call)
        return self._found

    def _of_valued(self, valued: Valued) -> Groups:
        present = np.flatnonzero(valued.counts)
        low = np.uint64(valued.low) if self._x.dtype.kind == "u" else np.int64(valued.low)
        keys = valued.keys(present, self._x.dtype)
        return Groups(WAYS[0], keys, valued.counts[present], low, valued.counts.size, present)

    def _of_range(self, call: Binned) -> Groups:
        """What all keys are looked at twice for."""
        low, most = _range_of(self._x, self._options)
        fits = 0 < most <= min(WAYS[0].most, max(int(WAYS[0].for_each * call.count), 1024))
        if most and (fits or self._method == "array") and self._method != "sorted":
            counts = call.added(f"r[{_PLACE}] += 1;", call.counting, most, {"key": self._x}, low=low)
            return self._of_valued(Valued(int(low), counts.astype(np.int64, copy=False), None))
        order = self._sorted()
        keys = array_of(self._x).reshape(-1)[order]
        other = (keys[1:] != keys[:-1]) & ~((keys[1:] != keys[1:]) & (keys[:-1] != keys[:-1]))
        first = np.concatenate([np.zeros(min(order.size, 1), np.int64), np.flatnonzero(other) + 1])
        return Groups(WAYS[1], keys[first], np.diff(np.append(first, order.size)), low, most)

    def _sorted(self) -> Array:
        """The order of the keys."""
        if self._order is None:
            self._order = argsort(array_of(self._x).reshape(-1), queue=self._options.queue)
        return self._order

    def _values(self, x: Any, numbers: bool = True) -> Operand:
        it = flat(operand(x, "x"))
        if it.kind != ARRAY:
            raise InvalidParameterError("x: expected a NumPy array, as the keys are")
        if it.shape != self._x.shape:
            raise InvalidParameterError(f"x: shape {it.shape}, and the keys have {self._x.shape}")
        if numbers or it.dtype.names is None:
            check_number(it.dtype, "x")
        return it

    def _extreme(self, x: Any, least: bool) -> Array:
        it = self._values(x)
        if it.dtype.kind == "c":
            raise InvalidParameterError(f"x: expected real numbers, got {it.dtype}")
        if self._groups().present is None:
            return self._of_segments(it, minimum if least else maximum)
        acc = accumulated(it.dtype)
        return self._of_variables(it, acc, *extreme(least, acc)).astype(it.dtype, copy=False)

    def _by_team(self, it: Operand, acc: np.dtype[Any]) -> Array | None:
        """Sums by the calling thread and its team. Where nobody has asked for the groups yet, one pass finds these, too."""
        call = Binned(self._x, self._options)
        if self._method == "sorted" or not is_added_by_team(call, it, acc):
            return None
        if self._found is None:
            valued = by_values(call, WAYS[0].most, WAYS[0].for_each, it)
            if valued is not None and valued.sums is not None:
                self._found = self._of_valued(valued)
                return self._chosen(valued.sums)
        groups = self._groups()
        if groups.present is None:
            return None
        keys = array_of(self._x).reshape(-1)
        return self._chosen(added_by_team(keys, groups.range, it, int(groups.low)))

    def _of_variables(self, it: Operand, acc: np.dtype[Any], op: Any, identity: Any) -> Array:
        """One value for each group, of a type in which elements are combined."""
        groups = self._groups()
        text = f"r[{_PLACE}].combine({cast('{x}', it.dtype, acc)});"
        operands: dict[str, Operand | None] = {"x": it, "key": self._x}
        call = Binned(self._x, self._options)
        return self._chosen(call.added(text, acc, groups.range, operands, op, identity, low=groups.low))

    def _chosen(self, variables: Array) -> Array:
        """Of variables those that are groups."""
        found: Array = variables[self._groups().present]
        return found

    def _of_segments(self, it: Operand, op: Any, dtype: Any = None) -> Array:
        """The same, in the order of the elements."""
        offsets = np.append(0, np.cumsum(self._groups().counts))
        found: Array = segmented_reduce(
            array_of(it).reshape(-1)[self._sorted()], ("offsets", offsets), op, dtype=dtype, queue=self._options.queue,
            determinism=self._options.determinism,
        )  # fmt: skip
        return found


def _range_of(x: Operand, options: Options) -> tuple[Any, int]:
    """The least key, and how many values there are up to the greatest; 0: they are no integers, or there are none."""
    if x.dtype.kind not in "biu" or prod(x.shape) == 0:
        return np.int64(0), 0
    low, high = (int(value) for value in minmax(array_of(x), queue=options.queue))
    return (np.uint64(low) if x.dtype.kind == "u" else np.int64(low)), high - low + 1


def group_by(keys: Any, *, method: str | None = None, queue: Queue | None = None, determinism: str = "any") -> GroupBy:
    """Groups of elements that have the same key.

    Parameters
    ----------
    keys
        A NumPy array of numbers, or what NumPy makes one of. It is read when results are asked for, and must not change
        between them.
    method
        "array": a variable for each value that a key can have, of integers; "sorted": the keys are put into order. None:
        by how many values there are; `explain()` says which.
    queue
        Where it runs. None: the default device.
    determinism
        "run_to_run": the same input gives the same floating-point results each time; "any": not promised.

    Returns
    -------
    GroupBy
        Its `keys`, and `sum(x)`, `mean(x)`, `min(x)`, `max(x)`, `count()` and `reduce(x, op)`.

    Raises
    ------
    InvalidParameterError
        Device memory, keys that are no numbers, or another method.

    Notes
    -----
    Beyond SYCL; made of its reductions into arrays, 4.9.2, and of `segmented_reduce`.

    Examples
    --------
    >>> groups = sycl.group_by([3, 1, 3, 1, 7])
    >>> groups.keys, groups.sum([10, 20, 30, 40, 50])
    (array([1, 3, 7]), array([60, 40, 50]))
    >>> groups.reduce([10, 20, 30, 40, 50], "a > b ? a : b")
    array([40, 30, 50])
    """
    it = flat(operand(keys, "keys"))
    if it.kind != ARRAY:
        raise InvalidParameterError("keys: expected a NumPy array: how many groups there are depends on its elements")
    check_number(it.dtype, "keys")
    if method not in (None, "array", "sorted"):
        raise InvalidParameterError(f"method: expected 'array', 'sorted' or None, got {method!r}")
    if method == "array" and it.dtype.kind not in "biu":
        raise InvalidParameterError(f"method: 'array' is for keys that are integers, got {it.dtype}")
    return GroupBy(it, options_of(None, False, None, None, None, queue, "fast", determinism), method)
