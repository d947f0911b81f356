"""sort, argsort, sort_by_key, lexsort and merge: the faces of sorts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import Options, call_again, dispatched, options_of
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._scans.scan_line import in_order
from pysycl._scans.segments import check_offsets
from pysycl._sorts.sort_keys import as_bits, columns_of
from pysycl._sorts.sort_line import By, Sorting, bits_order
from pysycl._sorts.sort_passes import Lines, merged
from pysycl._sorts.sort_rows import MERGE_PATH
from pysycl._sorts.sort_team import is_for_team, merged_on_host
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pysycl.queue import Queue


def sort_options(axis: Any, out: Any, queue: Any) -> Options:
    """The options of a sort."""
    return options_of(axis, False, None, None, out, queue)


def order_of(descending: Any, by: Any, segments: Any) -> By:
    """The order that was asked for."""
    if by is not None and (not isinstance(by, str) or not by.strip()):
        raise InvalidParameterError(f"by: expected OpenCL C in a and b, as 'a.key < b.key', got {by!r}")
    if by is not None and descending:
        raise InvalidParameterError("descending: by= says which element comes first; turn its comparison around")
    if by is not None and segments is not None:
        raise InvalidParameterError("segments: not beside by=")
    return By(bool(descending), by, segments)


def begin(x: Any, options: Options, by: By, what: str = "x") -> tuple[Sorting, By]:
    """The call, and the order with its segments as memory."""
    it = operand(x, what)
    if it.dtype.names is None:
        check_number(it.dtype, what)
    call = Sorting(it, options)
    if by.segments is None:
        return call, by
    offsets = operand(by.segments, "segments")
    if len(it.shape) != 1:
        raise InvalidParameterError(f"segments: offsets are of one dimension, and {what} has the shape {it.shape}")
    check_offsets(offsets, it.shape[0], "segments")
    if offsets.kind == ARRAY:
        values = np.asarray(by.segments)
        if values[0] != 0 or values[-1] != it.shape[0]:
            raise InvalidParameterError(
                f"segments: offsets from {values[0]} to {values[-1]} leave elements out; {what} has {it.shape[0]}"
            )
    return call, by._replace(segments=offsets)


@dispatched
def sorted_by(x: Any, options: Options, by: By) -> Any:
    """The elements in order."""
    return call_again(("sort", *by[:2]), by.memory(x), options, lambda: _sorted(x, options, by))


def _sorted(x: Any, options: Options, by: By) -> Any:
    call, by = begin(x, options, by)
    if (found := call.on_host(by, False)) is not None:
        call.told()
        return call.give_array(found, call.x.dtype)
    result = call.given(call.x.dtype)
    if call.is_empty:
        return call.handed(result)
    if call.x.dtype.kind in "biuf" and by.text is None and by.segments is None:
        call.keys_into(result, by)
    elif by.text is not None:
        call.by_text_into(result, by.text)
    else:
        call.taken(call.x, call.ordered(call.x, by), result)
    return call.handed(result)


def positions_by(x: Any, options: Options, by: By) -> Any:
    """The positions of the elements in order."""
    return call_again(("argsort", *by[:2]), by.memory(x), options, lambda: _positions(x, options, by))


def _positions(x: Any, options: Options, by: By) -> Any:
    call, by = begin(x, options, by)
    if (found := call.on_host(by, True)) is not None:
        call.told()
        return call.give_array(found, np.dtype(np.int64))
    result = call.given(np.dtype(np.int64))
    if not call.is_empty and not call.positions_into(result, by):
        call.put_positions(call.ordered(call.x, by), result)
    return call.handed(result)


def sort(
    x: Any, axis: Any = -1, *, descending: bool = False, by: str | None = None, segments: Any = None, out: Any = None,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The elements in ascending order along an axis, as numpy.sort with kind="stable": equal ones keep their order.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is one.
        Of numbers, or of structs, which are ordered by their fields, one after the other.
    axis
        Each line along it is sorted by itself. None: all elements of the flattened array.
    descending
        The greatest first. Equal elements keep their order, and NaN come last, as they do in ascending order.
    by
        OpenCL C in the elements `a` and `b`: whether a comes before b, as "a.key < b.key". If it is no order, the elements
        come in some order, and none is lost.
    segments
        Offsets, one more than segments, as those of sparse matrices, from 0 to the number of elements: each segment is
        sorted by itself. Of arrays of one dimension.
    out
        Memory for the result, of the shape of x; x itself is sorted in place.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is, or `out`.

    Raises
    ------
    InvalidParameterError
        An axis that there is not, several axes, a text that is no expression, offsets that leave elements out, or `out` of
        another shape or type.

    Notes
    -----
    Beyond SYCL.

    Examples
    --------
    >>> sycl.sort([3, 1, 4, 1, 5])
    array([1, 1, 3, 4, 5])
    >>> sycl.sort([3.0, np.nan, 4.0], descending=True)
    array([ 4.,  3., nan])
    >>> sycl.sort([3, -1, 4, -5], by="abs(a) < abs(b)")
    array([-1,  3,  4, -5])
    """
    return sorted_by(x, sort_options(axis, out, queue), order_of(descending, by, segments))


def argsort(
    x: Any, axis: Any = -1, *, descending: bool = False, by: str | None = None, segments: Any = None, out: Any = None,
    queue: Queue | None = None,
) -> Any:  # fmt: skip
    """The positions of the elements in ascending order along an axis, as numpy.argsort with kind="stable".

    Parameters
    ----------
    x, axis, descending, by, segments
        As for `sort`.
    out
        Memory for the result, of int64 and of the shape of x.
    queue
        As for `sort`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is, of int64; or `out`.

    Raises as for `sort`.

    Examples
    --------
    >>> sycl.argsort([3, 1, 4, 1, 5])
    array([1, 3, 0, 2, 4])
    """
    return positions_by(x, sort_options(axis, out, queue), order_of(descending, by, segments))


def sort_by_key(
    keys: Any, values: Any, axis: Any = -1, *, descending: bool = False, by: str | None = None, segments: Any = None,
    queue: Queue | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The keys in order, and the values that belong to them.

    Parameters
    ----------
    keys
        As x of `sort`.
    values
        Of any type, as many as keys, in memory of their kind.
    axis, descending, by, segments, queue
        As for `sort`.

    Returns
    -------
    tuple
        Keys and values.

    Raises
    ------
    InvalidParameterError
        Another number of values than of keys, or memory of another kind; or as for `sort`.

    Examples
    --------
    >>> sycl.sort_by_key([3, 1, 2], [0.3, 0.1, 0.2])
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    options, order = sort_options(axis, None, queue), order_of(descending, by, segments)
    found: tuple[Any, Any] = call_again(
        ("by key", *order[:2]), order.memory(keys, values), options, lambda: _pairs(keys, values, options, order)
    )
    return found


def _pairs(keys: Any, values: Any, options: Options, order: By) -> tuple[Any, Any]:
    call, order = begin(keys, options, order, "keys")
    it = operand(values, "values")
    if it.dtype.names is None:
        check_number(it.dtype, "values")
    of_values = Sorting(it, call.options)
    if of_values.x.shape != call.x.shape:
        raise InvalidParameterError(f"values: the shape {it.shape}, and keys have the shape {call.x.shape}")
    if it.kind != call.x.kind:
        raise InvalidParameterError("values: expected memory of the kind of the keys")
    results = call.given(call.x.dtype), call.given(it.dtype)
    if not call.is_empty:
        found = call.keys_with(of_values.moved, results, order)
        if found is None:
            found = call.ordered(call.x, order)
            call.taken(call.x, found, results[0])
        if found is not results[1]:
            call.taken(of_values.x, found, results[1])
    call.ended(*results)
    return call.handed(results[0]), results[1]


def lexsort(keys: Sequence[Any], axis: Any = -1, *, queue: Queue | None = None) -> Any:
    """The positions in the order of several keys, of which the last one decides first, as numpy.lexsort.

    Parameters
    ----------
    keys
        Arrays of one shape, all of one kind of memory; of a NumPy array the rows.
    axis, queue
        As for `sort`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        What the keys are, of int64.

    Raises
    ------
    InvalidParameterError
        No key, or keys of several shapes or kinds.

    Examples
    --------
    >>> sycl.lexsort(([9, 4, 0, 4], [1, 5, 1, 5]))
    array([2, 0, 1, 3])
    """
    if not isinstance(keys, Iterable | _core.Buffer | _core.UsmArray):
        raise InvalidParameterError(f"keys: expected arrays, the most important one last, got {keys!r}")
    given = list(keys) if not isinstance(keys, _core.Buffer | _core.UsmArray) else [keys]
    if not given:
        raise InvalidParameterError("keys: expected one at least")
    call, by = begin(given[-1], sort_options(axis, None, queue), By(), "keys")
    others = [_key(each, call.x) for each in given[:-1]]
    result = call.given(np.dtype(np.int64))
    if not call.is_empty:
        found: Any = None
        for it in [*others, call.x]:
            found = call.ordered(it, by, found)
        call.put_positions(found, result)
    return call.handed(result)


def _key(key: Any, like: Operand) -> Operand:
    it = operand(key, "keys")
    if it.dtype.names is None:
        check_number(it.dtype, "keys")
    it = it if it.shape else it._replace(shape=(1,), strides=(1,))
    if it.shape != like.shape or it.kind != like.kind:
        raise InvalidParameterError(f"keys: one has the shape {it.shape}, and the last one {like.shape}")
    return it


def merge(x: Any, y: Any, *, out: Any = None, queue: Queue | None = None) -> Any:
    """Two sorted arrays as one, in ascending order: of equal elements those of x come first.

    Parameters
    ----------
    x, y
        In ascending order, NaN last, of one dimension, one type of real numbers and one kind of memory. If they are in no
        order, neither is the result, and no element is lost.
    out
        Memory for the result, as long as both.
    queue
        As for `sort`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As x is, or `out`.

    Raises
    ------
    InvalidParameterError
        Several dimensions, types or kinds of memory; numbers that are not real.

    Examples
    --------
    >>> sycl.merge([1, 3, 5], [2, 3])
    array([1, 2, 3, 3, 5])
    """
    first, second = operand(x, "x"), operand(y, "y")
    for it, what in ((first, "x"), (second, "y")):
        if len(it.shape) != 1 or it.dtype.kind not in "biuf":
            raise InvalidParameterError(
                f"{what}: expected real numbers of one dimension, got {it.dtype} of the shape {it.shape}"
            )
    if second.kind != first.kind:
        raise InvalidParameterError("y: expected memory of the kind of x")
    if second.dtype != first.dtype:
        raise InvalidParameterError(f"y: expected elements of {first.dtype}, as x has them, got {second.dtype}")
    (column,) = columns_of(first.dtype, "x")
    sizes = first.shape[0], second.shape[0]
    whole = Lines(1, sum(sizes))
    call = Sorting(first, options_of(None, False, None, None, out, queue), (whole.size,))
    if first.dtype.str[1:] != "f2" and is_for_team(MERGE_PATH, first, queue):
        call.takes(MERGE_PATH)
        call.told()
        return call.give_array(merged_on_host(array_of(first), array_of(second)), first.dtype)
    result = call.given(first.dtype)
    if whole.size == 0:
        return call.handed(result)
    words, spare = call.memory(whole.size, column.word), call.memory(whole.size, column.word)
    for it, begin in ((first, 0), (second, sizes[0])):
        if it.shape[0]:
            call.put_words(in_order(as_bits(it), "x"), column.bits, words, begin)
    merged(call, whole, bits_order(column), words, spare, sizes[0])
    call.spread(result, spare, "syc_word", whole)
    return call.handed(result)
