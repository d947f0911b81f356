"""Scans, reductions and lengths of segments: by keys of which neighbours are equal, by flags, or by offsets."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from pysycl._algorithms.body_text import loaded, stored
from pysycl._algorithms.counted import ByKey, Runs, Selected, shortened
from pysycl._algorithms.kinds import unequal
from pysycl._algorithms.operand import ARRAY, Operand, array_of, as_numbers, check_number, operand
from pysycl._scans.scan_any import Combined, combined, first_value, scan_by, value_of
from pysycl._scans.scan_calls import scan_options
from pysycl._scans.scan_line import Condition, Scan, Track, counted, counter, in_order, memory_for
from pysycl._scans.segments import Segments, begins, heads, is_marked, read_segments
from pysycl.errors import InvalidParameterError
from pysycl.operators import minimum, plus

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl.queue import Queue


def scan_by_key(
    keys: Any, values: Any, op: Any = plus, *, exclusive: bool = False, initial: Any = None, map: str | None = None,
    reverse: bool = False, dtype: Any = None, out: Any = None, queue: Queue | None = None, accuracy: str = "fast",
    determinism: str = "any",
) -> Any:  # fmt: skip
    """A scan that begins anew wherever the key is another than before: `inclusive_scan` with segments=("keys", keys).

    Parameters
    ----------
    keys
        As many as values, in memory of their kind.
    values
        As x of `inclusive_scan`, of one dimension.
    op
        As for `inclusive_scan`.
    exclusive
        What stands before each element, as `exclusive_scan`.
    initial, map, reverse, dtype, out, queue, accuracy, determinism
        As for `inclusive_scan`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        As the values are, or `out`.

    Raises as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.scan_by_key([1, 1, 2, 2, 2], [3, 1, 4, 1, 5])
    array([ 3,  4,  4,  5, 10])
    """
    options = scan_options(None, map, out, queue, accuracy, determinism)
    shape, given = operand(values, "values").shape or (1,), operand(keys, "keys").shape or (1,)
    if len(shape) != 1:
        raise InvalidParameterError(f"values: expected one dimension, got the shape {shape}")
    if given != shape:
        raise InvalidParameterError(f"keys: the shape {given} for {shape[0]} values")
    return scan_by(
        values, op, options, dtype, initial, exclusive=exclusive, reverse=reverse, segments=("keys", keys)
    )  # fmt: skip


def _values(x: Any, what: str, options: Options) -> Scan:
    it = operand(x, what)
    if it.dtype.names is None:
        check_number(it.dtype, what)
    return Scan(in_order(it, what), options)


def _track(how: Combined, options: Options, initial: Any) -> Track:
    begin = first_value(initial, how)
    return Track(how.op, how.acc, how.identity, begin, options.accuracy, options.determinism, how.by_user)


def reduce_by_key(
    keys: Any, values: Any, op: Any = plus, *, map: str | None = None, dtype: Any = None, queue: Queue | None = None,
    accuracy: str = "fast", determinism: str = "any",
) -> Any:  # fmt: skip
    """The values of each run of equal keys, combined: the runs' keys, and the results. Of sorted keys each is one run.

    Parameters
    ----------
    keys, values
        As many of each. NumPy arrays: the results are NumPy arrays. Buffers or UsmArrays, both of one kind: a `ByKey`, the
        whole memory and a count beside it, whose `trim()` waits and cuts. A NaN equals no other key.
    op, map, dtype, queue, accuracy, determinism
        As for `inclusive_scan`.

    Returns
    -------
    tuple
        Keys and results. Of device memory a `ByKey`.

    Raises
    ------
    InvalidParameterError
        Another number of keys than of values, or memory of another kind; or as for `inclusive_scan`.

    Examples
    --------
    >>> sycl.reduce_by_key([1, 1, 2, 2, 1], [3, 1, 4, 1, 5])
    (array([1, 2, 1]), array([4, 5, 5]))
    """
    options = scan_options(None, map, None, queue, accuracy, determinism)
    call = _values(values, "values", options)
    by = in_order(operand(keys, "keys"), "keys")
    if by.dtype.names is None:
        check_number(by.dtype, "keys")
    if by.shape != call.x.shape:
        raise InvalidParameterError(f"keys: {by.shape[0]} for {call.x.shape[0]} values")
    if by.kind != call.x.kind:
        raise InvalidParameterError("keys: expected memory of the kind of the values")
    how = combined(call.x.dtype, op, options, dtype)
    head, tail = begins("key", by.dtype), _ends("key", by.dtype)
    where = Condition(head, {"key": by, "at": None})
    own, results = memory_for(call, where, by.dtype, how.result)
    text = (
        f"if ({tail}) {{{{ {stored('own', 'c - 1', '{key}', by.dtype)} "
        f"{stored('y', 'c - 1', value_of('t', how), how.result)} }}}}"
    )
    other = unequal("{key}", "{key.before}", by.dtype)
    first = f"c.combine({head}); t.restart({other}); t.combine({how.element});"
    count = _counted(call, first, text, how, {"x": call.x, **where.operands}, own=own, y=results)
    if call.x.kind == ARRAY:
        return shortened(own, count), shortened(results, count)
    call.ended(own, results, count)
    return ByKey(own, results, count)


def run_length(x: Any, *, queue: Queue | None = None) -> Any:
    """The runs of equal elements of the flattened array: their values and lengths. A NaN equals none. `repeat(values,
    lengths)` is x again.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the results are NumPy arrays. A Buffer or a UsmArray: the result is
        `Runs`, the whole memory and a count beside it, whose `trim()` waits and cuts. Arrays of several dimensions are
        flattened.
    queue
        As for `select`.

    Returns
    -------
    tuple, Runs
        Values, and lengths of int64.

    Raises as for `unique_consecutive`.

    Examples
    --------
    >>> sycl.run_length([7, 7, 7, 0, 0, 7])
    (array([7, 0, 7]), array([3, 2, 1]))
    """
    call = _values(x, "x", scan_options(None, None, None, queue))
    whole = np.dtype(np.int64)
    begin = Condition(begins("x", call.x.dtype), {"x": call.x, "at": None})
    values, starts = memory_for(call, begin, call.x.dtype, whole)
    store = stored("y", "t.before", "{x}", call.x.dtype)
    text = f"if (t != t.before) {{{{ {store} starts[t.before] = {{at}}; }}}}"
    count = counted(call, begin, text, y=values, starts=starts)
    if call.x.kind == ARRAY:
        values, starts = shortened(values, count), shortened(starts, count)
    _lengths(call, starts, count)
    if call.x.kind == ARRAY:
        return values, starts
    call.ended(values, starts, count)
    return Runs(values, starts, count)


def _lengths(call: Scan, starts: Any, count: Any) -> None:
    """Makes lengths of where runs start, in their memory: from the last one on, where the run behind starts is the least
    that there has been."""
    it = operand(starts, "starts")
    if not it.shape[0]:
        return
    size = np.int64(call.x.shape[0])
    is_run, more = ("1", {}) if it.kind == ARRAY else ("{at} < runs[0]", {"runs": count})
    run = Scan(it, call.options)
    run.event = call.event
    run.scan(
        f"t.combine({is_run} ? {{start}} : size);", f"if ({is_run}) {{{{ start[{{start.at}}] = t.before - {{start}}; }}}}",
        {"t": Track(minimum, it.dtype, initial=size)}, {"start": it, "at": None}, reverse=True, size=size, **more,
    )  # fmt: skip
    call.event = run.event


def _ends(name: str, dtype: Any) -> str:
    """Whether an element ends a run."""
    return f"({{at}} + 1 == size || {unequal(f'{{{name}}}', f'{{{name}.behind}}', dtype)})"


def _counted(
    call: Scan, first: str, second: str, how: Combined, operands: dict[str, Operand | None], initial: Any = None,
    **memory: Any,
) -> Any:  # fmt: skip
    """A pass with values' scanner `t`, and `c` that counts segments."""
    size = prod(call.x.shape)
    kind = counter(size)
    count = np.zeros(1, kind) if call.x.kind == ARRAY else call.like((1,), kind)
    if size == 0 and call.x.kind != ARRAY:
        call.run(1, "count[0] = 0;", {"count": count})
    elif size:
        call.scan(
            first, second, {"t": _track(how, call.options, initial), "c": Track(plus, kind)}, operands,
            preamble=how.preamble, totals={"c": count}, size=np.int64(size),
            **{name: as_numbers(each) for name, each in memory.items()},
        )  # fmt: skip
    return int(count[0]) if call.x.kind == ARRAY else count


# -- segments --

# How many offsets are not beyond the element: its segment's number, and one.
_FIND = (
    "long low = 0, high = segments + 1; while (low < high) {{ const long middle = (low + high) / 2; "
    "if (offsets[offset_from + middle * offset_step] <= {at}) low = middle + 1; else high = middle; }}"
)


def segmented_reduce(
    x: Any, segments: Any, op: Any = plus, *, initial: Any = None, map: str | None = None, dtype: Any = None,
    queue: Queue | None = None, accuracy: str = "fast", determinism: str = "any",
) -> Any:  # fmt: skip
    """The elements of each segment, combined.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is one.
        Arrays of several dimensions are flattened.
    segments
        Offsets, one more than segments, as those of sparse matrices: the elements from offsets[k] to offsets[k + 1] are
        segment k, which may be empty. Or flags or keys, as `inclusive_scan` has them: there must be as many as elements,
        and of device memory the result is a `Selected`, since the data decides how many segments there are.
    op
        As for `inclusive_scan`.
    initial
        A value that is combined with each result; what empty segments give, which else is the operator's identity.
    map, dtype, queue, accuracy, determinism
        As for `inclusive_scan`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray, Selected
        One element for each segment.

    Raises
    ------
    InvalidParameterError
        Offsets of NumPy arrays that become smaller or leave the array; an empty segment, and no identity.

    Examples
    --------
    >>> sycl.segmented_reduce([3, 1, 4, 1, 5], [0, 2, 2, 5])
    array([ 4,  0, 10])
    """
    options = scan_options(None, map, None, queue, accuracy, determinism)
    call = _values(x, "x", options)
    how = combined(call.x.dtype, op, options, dtype)
    size = call.x.shape[0]
    found = read_segments(segments, size)
    if found.word != "offsets":
        return _of_flags(call, how, found, initial)
    it = found.memory
    number = it.shape[0] - 1
    empty = _of_empty(how, initial)
    if empty is None and it.kind == ARRAY and np.any(np.diff(it.memory[it.offset :: it.strides[0] or 1]) == 0):
        raise InvalidParameterError(f"segments: one is empty, and no identity of {op!r} is known; give initial=")
    results = call.like((number,), how.result)
    call.fill(results, np.zeros((), how.result)[()] if empty is None else empty)
    if number and size and _are_alike(it, size):
        _each(call, how, it, initial, results)
    elif number and size:
        condition = heads(call, found, False)
        numbers: dict[str, Any] = {
            "offset_from": it.offset,
            "offset_step": it.strides[0],
            "segments": number,
            "size": size,
        }
        numbers = {name: np.int64(value) for name, value in numbers.items()}
        call.scan(
            f"t.restart({condition[1]}); t.combine({how.element});",
            f"if ({{at}} + 1 == size || {is_marked('marks', '{at} + 1')}) {{{{ {_FIND} "
            f"if (low > 0 && low <= segments) {stored('y', 'low - 1', value_of('t', how), how.result)} }}}}",
            {"t": _track(how, options, initial)}, {"x": call.x, **condition[0]}, preamble=how.preamble,
            y=as_numbers(results), offsets=it.memory, **numbers,
        )  # fmt: skip
    call.ended(results)
    return results


def _are_alike(it: Operand, size: int) -> bool:
    """Are there many segments, of which none is much of the whole? Those of device memory are looked at by nobody."""
    many = 64
    return bool(
        it.kind == ARRAY and it.shape[0] > many and np.max(np.diff(array_of(it).astype(np.int64))) * many <= size + many
    )


def _each(call: Scan, how: Combined, offsets: Operand, initial: Any, results: Any) -> None:
    """A work-item goes along each segment: lines of one element that lie side by side, which combines all of its segment.
    No flags are needed, and no work-item waits for another."""
    shape = (1, offsets.shape[0] - 1)
    begin = offsets._replace(shape=shape, strides=(0, offsets.strides[0]))
    operands: dict[str, Operand | None] = {
        "y": operand(results, "y")._replace(shape=shape, strides=(0, 1)),
        "begin": begin,
        "end": begin._replace(offset=begin.offset + offsets.strides[0]),
        "x": call.x._replace(shape=shape, strides=(0, 0)),
    }
    where = "{x.at} + at * x_step"
    element = how.element.replace("{x}", loaded("x", call.x.dtype, where))
    lines = Scan(operands["x"], call.options._replace(axis=0))  # type: ignore[arg-type]
    lines.event = call.event
    lines.scan(
        f"for (long at = {{begin}}; at < {{end}}; at++) t.combine({element});",
        f"if ({{begin}} < {{end}}) {{{{ {stored('y', '{y.at}', value_of('t', how), how.result)} }}}}",
        {"t": _track(how, call.options, initial)}, operands, preamble=how.preamble,
        x_step=np.int64(call.x.strides[0]),
    )  # fmt: skip
    call.event = lines.event


def _of_empty(how: Combined, initial: Any) -> Any:
    """What an empty segment gives; None: nothing is known."""
    value = initial if initial is not None else how.nothing
    return None if value is None else np.asarray(value).astype(how.result)[()]


def _of_flags(call: Scan, how: Combined, segments: Segments, initial: Any) -> Any:
    """Segments that are counted on the way."""
    size = prod(call.x.shape)
    first = last = ""
    more: dict[str, Operand | None] = {}
    condition = "0"
    if size:
        more, condition = heads(call, segments, False)
        first = f"c.combine({{at}} == 0 || {condition}); t.restart({condition}); t.combine({how.element});"
        _, following = heads(call, segments, True)
        store = stored("y", "c - 1", value_of("t", how), how.result)
        last = f"if ({{at}} + 1 == size || {following}) {{{{ {store} }}}}"
    (results,) = memory_for(call, Condition(f"({{at}} == 0 || {condition})", {"at": None, **more}), how.result)
    count = _counted(call, first, last, how, {"x": call.x, "at": None, **more}, initial, y=results)
    if call.x.kind == ARRAY:
        return shortened(results, count)
    call.ended(results, count)
    return Selected(results, count)
