"""Axes, and how dimensions of arrays become the one to three of a range.

A range's index is cheap and what the forms of bodies are made for: neighbours by its last dimension. So dimensions that
are one in memory are made one, reduced ones are brought into the order in which memory lies (a reduction promises no
order), and only where more than three are left are indices divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod
from operator import index
from typing import Any, NamedTuple

from pysycl._data.invalid_axis import invalid_axis
from pysycl.errors import InvalidParameterError


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The reduced axes, ascending. None: all."""
    if axis is None:
        return tuple(range(ndim))
    try:
        several = tuple(axis) if isinstance(axis, Iterable) else (axis,)
        if any(each is True or each is False for each in several):  # somebody's keepdims, most likely
            raise TypeError
        given = [index(each) for each in several]
    except TypeError:
        raise InvalidParameterError(f"axis: expected None, an int or a tuple of ints, got {axis!r}") from None
    if ndim == 0 and not isinstance(axis, Iterable) and given[0] in (0, -1):  # as NumPy has it of numbers
        return ()
    for each in given:
        if not -ndim <= each < ndim:
            raise invalid_axis(each, f"an array of {ndim} dimensions")
    found = sorted(each % ndim for each in given)
    for low, high in pairwise(found):
        if low == high:
            raise InvalidParameterError(f"axis: {low} is given twice in {axis!r}")
    return tuple(found)


def one_axis(axis: Any) -> None:
    """InvalidParameterError: several axes, where there can be one, or something else."""
    if isinstance(axis, Iterable | bool) or not (axis is None or hasattr(axis, "__index__")):
        raise InvalidParameterError(f"axis: expected None or an int, got {axis!r}")


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The result's shape."""
    if keepdims:
        return tuple(1 if d in axes else size for d, size in enumerate(shape))
    return tuple(size for d, size in enumerate(shape) if d not in axes)


def steps_over(shape: tuple[int, ...], dims: Sequence[int]) -> tuple[int, ...]:
    """The steps that count the indices of some dimensions, ascending, the last one the fastest; the others repeat."""
    steps, step = [0] * len(shape), 1
    for d in reversed(dims):
        steps[d] = step
        step *= shape[d]
    return tuple(steps)


class Dim(NamedTuple):
    """A dimension: its size, whether it is reduced, and the step of each operand."""

    size: int
    reduced: bool
    steps: tuple[int, ...]


class Layout(NamedTuple):
    """A range: for each of its dimensions those of the operands that it goes through, the last the fastest."""

    parts: tuple[tuple[Dim, ...], ...]
    offsets: tuple[int, ...]
    """Where each operand begins."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The range."""
        return tuple(prod(dim.size for dim in part) for part in self.parts)

    @property
    def mask(self) -> int:
        """Which of its dimensions are reduced; 0: all."""
        reduced = [part[0].reduced for part in self.parts]
        return 0 if all(reduced) else sum(1 << d for d, is_reduced in enumerate(reduced) if is_reduced)

    @property
    def axis(self) -> int | None:
        """Which of its dimensions is the one that is gone along; None: all are."""
        found = [d for d, part in enumerate(self.parts) if part[0].reduced]
        return None if len(found) == len(self.parts) else found[0]

    def step_of(self, operand: int) -> int:
        """How far neighbours along the one axis lie apart."""
        (step,) = [dim.steps[operand] for part in self.parts for dim in part if dim.reduced]
        return step

    def is_dense(self, operand: int) -> bool:
        """Does the operand lie as the range goes, without gaps?"""
        step = 1
        for dim in reversed([dim for part in self.parts for dim in part]):
            if dim.size > 1 and dim.steps[operand] != step:
                return False
            step *= dim.size
        return True


def _far(dim: Dim) -> tuple[int, int]:
    """What lies further apart comes first; what is repeated is best gone through last of all, in the outermost loop."""
    step = abs(dim.steps[0])
    return (1, 0) if step == 0 else (0, step)


def _flip(dims: list[Dim], offsets: list[int]) -> list[Dim]:
    """Reduced dimensions that memory has backwards, forwards."""
    result = []
    for dim in dims:
        if dim.reduced and dim.steps[0] < 0:
            for k, step in enumerate(dim.steps):
                offsets[k] += (dim.size - 1) * step
            dim = dim._replace(steps=tuple(-step for step in dim.steps))
        result.append(dim)
    return result


def _merge(dims: list[Dim]) -> list[Dim]:
    """Neighbours that are one dimension in the memory of all operands, as one."""
    result: list[Dim] = []
    for dim in dims:
        last = result[-1] if result else None
        if last is not None and all(a == b * dim.size for a, b in zip(last.steps, dim.steps, strict=True)):
            result[-1] = Dim(last.size * dim.size, dim.reduced, dim.steps)
        else:
            result.append(dim)
    return result


def _woven(kept: list[Dim], reduced: list[Dim]) -> list[Dim]:
    """Both in one order: as they lie in memory, as far as each keeps its own order."""
    result, kept, reduced = [], kept[:], reduced[:]
    while kept and reduced:
        result.append((kept if _far(kept[0]) >= _far(reduced[0]) else reduced).pop(0))
    return result + kept + reduced


def _parts(kept: list[Dim], reduced: list[Dim]) -> list[list[Dim]]:
    """At most three dimensions of a range; the fastest one remains by itself."""
    woven = _woven(kept, reduced)
    if len(woven) <= 3:
        return [[dim] for dim in woven]
    last = woven[-1]
    if last.reduced:
        rest = reduced[:-1]
        return [part for part in (kept, rest, [last]) if part]
    return [part for part in (kept[:-1], reduced, [last]) if part]


def layout(
    shape: tuple[int, ...], axes: tuple[int, ...], strides: list[tuple[int, ...]], offsets: list[int],
    ordered: bool = False,
) -> Layout:  # fmt: skip
    """The range for a shape without empty dimensions. Results come in the order of the kept dimensions. `ordered`: so do
    the elements along the axes, as scans need them, where reductions take them as they lie."""
    offsets = list(offsets)
    dims = [Dim(size, d in axes, tuple(each[d] for each in strides)) for d, size in enumerate(shape) if size != 1]
    if not ordered:
        dims = _flip(dims, offsets)
    kept = _merge([dim for dim in dims if not dim.reduced])
    reduced = [dim for dim in dims if dim.reduced]
    reduced = _merge(reduced if ordered else sorted(reduced, key=_far, reverse=True))
    if not reduced:  # each result is of one element
        reduced = [Dim(1, True, tuple(each[axes[-1]] if axes else 0 for each in strides))]
    return Layout(tuple(map(tuple, _parts(kept, reduced))), tuple(offsets))
