"""Results whose length the data decides. Of NumPy arrays they have that length; of device memory they are the whole memory
and a count beside it, so that nothing waits unasked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pysycl import _core


def _number(count: Any) -> int:
    """The count, when the command that makes it has ended."""
    made = getattr(count, "_made", None)
    if made is not None:
        made.wait()
    return int(np.asarray(count)[0])


def shortened(array: Any, count: int) -> Any:
    """The first elements of an array that nobody else holds, in no more memory than they need."""
    array.resize((count,), refcheck=False)
    return array


class Selected(NamedTuple):
    """Elements that were selected, in device memory."""

    values: Any
    """As much memory as all elements need; the selected ones stand at its beginning."""
    count: Any
    """How many there are: memory of one unsigned integer."""

    @_core.entry
    def trim(self) -> Any:
        """The selected elements alone, a part of `values`; waits for the count."""
        return self.values[: _number(self.count)]


class SelectedParts(Selected):
    """Parts along an axis that were selected, in device memory: they stand at the beginning of the axis."""

    axis: int = 0

    @classmethod
    def along(cls, axis: int, values: Any, count: Any) -> SelectedParts:
        """Of the memory for all parts, and how many were selected."""
        found = cls(values, count)
        found.axis = axis
        return found

    @_core.entry
    def trim(self) -> Any:
        """The selected parts alone, a part of `values`; waits for the count. Of a Buffer only along the first axis, since
        a buffer has no gaps."""
        return self.values[(slice(None),) * self.axis + (slice(0, _number(self.count)),)]


class Split(NamedTuple):
    """Elements that were split in two, in device memory."""

    chosen: Any
    others: Any
    count: Any
    """How many are chosen: memory of one unsigned integer."""

    @_core.entry
    def trim(self) -> tuple[Any, Any]:
        """Both without the memory behind them; waits for the count."""
        count = _number(self.count)
        return self.chosen[:count], self.others[: self.others.shape[0] - count]


class Runs(NamedTuple):
    """Runs of equal elements, in device memory."""

    values: Any
    lengths: Any
    count: Any
    """How many runs there are: memory of one unsigned integer."""

    @_core.entry
    def trim(self) -> tuple[Any, Any]:
        """The runs' values and lengths alone; waits for the count."""
        count = _number(self.count)
        return self.values[:count], self.lengths[:count]


class ByKey(NamedTuple):
    """One value for each run of equal keys, in device memory."""

    keys: Any
    values: Any
    count: Any
    """How many runs there are: memory of one unsigned integer."""

    @_core.entry
    def trim(self) -> tuple[Any, Any]:
        """The keys and values alone; waits for the count."""
        count = _number(self.count)
        return self.keys[:count], self.values[:count]
