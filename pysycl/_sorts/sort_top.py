"""top_k: of lines the first elements in order."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pysycl._algorithms.call import Options, call_again, is_at_hand
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._sorts.sort_calls import sort_options
from pysycl._sorts.sort_host import first_by_partition
from pysycl._sorts.sort_keys import as_bits, columns_of
from pysycl._sorts.sort_line import By, Sorting
from pysycl._sorts.sort_passes import Lines, Source
from pysycl._sorts.sort_rows import BAR, GROUPS, NUMPY_PART, THRESHOLD, Row, first_row, host_first_row
from pysycl._sorts.sort_select import first_by_digits, first_by_groups, first_by_threshold, most_by_groups
from pysycl._sorts.sort_team import first_on_host, is_for_team
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl.queue import Queue


class Top(NamedTuple):
    """The first elements of each line, and where they stood."""

    values: Any
    indices: Any


def _first(call: Sorting, k: int, by: By) -> tuple[Any, int]:
    """The positions of the first k elements of each line, in order: memory, and how many it has of each line."""
    row = _row(call, k)
    if row is None:
        return call.ordered(call.x, by), call.line.size
    (column,) = columns_of(call.x.dtype, "x")
    source = call.words_of(as_bits(call.moved), column, column.tied(by.descending), False)
    pieces = 1
    if call.takes(row) is GROUPS:
        found = call.memory(call.line.many * k, np.dtype(np.uint32))
        first_by_groups(call, column, source, k, "found[syc_to] = syc_place;", {"found": found})
        return found, k
    if row is THRESHOLD:
        words, places, pieces = first_by_threshold(call, column, source, k)
    else:
        words, places = first_by_digits(call, column, source, k)
    few = Lines(call.line.many, pieces * k)
    return call.places_by(few, column, Source("kept[syc_e]", {"kept": words}), places), few.size


def _row(call: Sorting, k: int) -> Row | None:
    device = call._found_queue().device
    return first_row(call.line, k, call.x.dtype.kind in "biuf", device, most_by_groups(device.is_cpu))


def _picked(call: Sorting, k: int, by: By, values: Any, indices: Any) -> bool:
    """The first k elements of each line and their positions, if the last of the groups that find them can put them there."""
    if not call.is_in_order or _row(call, k) is not GROUPS:
        return False
    call.takes(GROUPS)
    (column,) = columns_of(call.x.dtype, "x")
    bits = as_bits(call.moved)
    lines = call.in_lines(bits)
    element = lines.text.replace("syc_e", "(syc_line * (ulong)line_size + syc_place)")
    first_by_groups(
        call, column, call.words_of(bits, column, column.tied(by.descending), False), k,
        f"y[syc_to] = {element}; z[syc_to] = (long)syc_place;",
        {**lines.arguments, "line_size": np.int64(call.line.size), "y": as_bits(operand(values, "out")).memory,
         "z": operand(indices, "out").memory},
    )  # fmt: skip
    return True


def _pick(call: Sorting, found: Any, width: int, k: int, values: Any, indices: Any) -> None:
    """The elements at the first positions of each line, of which there are `width`, and these."""
    plain = call.x.dtype.kind in "biuf"
    source = call.in_lines(as_bits(call.moved) if plain else call.moved)
    seen = _lines(call, values), _lines(call, indices)
    numbers = {"sort_size": call.line.size, "width": width, "picked": k}
    element = source.text.replace("syc_e", "(line * sort_size + place)")
    call.each(
        "const long line = ({at}) / picked; const long place = found[line * width + ({at}) % picked]; "
        f"y[{{y.at}}] = {element}; places[{{places.at}}] = place;",
        {"y": as_bits(seen[0]) if plain else seen[0], "places": seen[1]}, found=found, **source.arguments,
        **{name: np.int64(value) for name, value in numbers.items()},
    )  # fmt: skip


def _on_host(call: Sorting, k: int, by: By) -> Top | None:
    """The same on the calling thread. None: a device does it."""
    queue, axis = call.options.queue, call.options.axis
    array = array_of(call.x) if call.x.kind == ARRAY else None
    if array is None:
        return None
    array = array.reshape(-1) if axis is None else array
    axis = 0 if axis is None else call.order[-1]
    row = host_first_row(call.line, k, array.dtype)
    if row is BAR and is_for_team(BAR, call.x, queue):
        call.takes(row)
        found = first_on_host(array, axis, k, by.descending)
    elif not is_at_hand(call.x, queue):
        return None
    elif row is NUMPY_PART:
        call.takes(row)
        order = first_by_partition(array.reshape(-1), k, by.descending)
        found = order.reshape(tuple(k if d == axis else 1 for d in range(array.ndim)))
    else:
        order = call.on_host(by, True)
        if order is None:
            return None
        found = np.take(order.reshape(array.shape), range(k), axis)
    call.told()
    return Top(np.take_along_axis(array, found, axis), found)


def _lines(call: Sorting, result: Any) -> Operand:
    """Memory of fewer elements a line, with the axis as its last dimension."""
    it = operand(result, "out")
    return it if call.options.axis is None else call.last(it)


def top_k(
    x: Any, k: int, axis: Any = -1, *, largest: bool = True, queue: Queue | None = None
) -> Top:  # fmt: skip
    """The k largest elements along an axis, the largest first, and where they stand. Of equal ones the first is taken, and
    NaN last of all.

    Parameters
    ----------
    x
        As for `sort`.
    k
        How many; at most as many as there are along the axis.
    axis
        As for `sort`.
    largest
        False: the smallest ones, the smallest first.
    queue
        As for `sort`.

    Returns
    -------
    Top
        `values` and `indices`, memory of the kind of x.

    Raises
    ------
    InvalidParameterError
        k is negative, or more than there are.

    Notes
    -----
    Beyond SYCL.

    Examples
    --------
    >>> sycl.top_k([3, 1, 4, 1, 5], 2)
    Top(values=array([5, 4]), indices=array([4, 2]))
    """
    options = sort_options(axis, None, queue)
    found: Top = call_again(
        ("top_k", k, type(k), bool(largest)), (x,), options, lambda: _top(x, k, options, bool(largest))
    )
    return found


def _top(x: Any, k: Any, options: Options, largest: bool) -> Top:
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    call = Sorting(it, options)
    try:
        count = index(k)
    except TypeError:
        raise InvalidParameterError(f"k: expected an int, got {k!r}") from None
    if not 0 <= count <= call.line.size:
        raise InvalidParameterError(f"k: expected 0 to {call.line.size}, which the axis has, got {count}")
    by = By(largest)
    if (done := _on_host(call, count, by)) is not None:
        return done
    along = call.order[-1] if options.axis is not None else 0
    shape = tuple(count if d == along else size for d, size in enumerate(call.result_shape))
    values, indices = call.like(shape, it.dtype), call.like(shape, np.dtype(np.int64))
    if not call.is_empty and count and not _picked(call, count, by, values, indices):
        found, width = _first(call, count, by)
        _pick(call, found, width, count, values, indices)
    call.told()
    call.ended(values, indices)
    return Top(values, indices)
