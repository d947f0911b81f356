"""searchsorted, digitize and isin: where values stand among sorted elements, as NumPy has it."""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import Any, Final

import numpy as np

from pysycl._algorithms.body_text import stored
from pysycl._algorithms.call import Options, made_by, options_of
from pysycl._algorithms.kinds import accumulated, cast
from pysycl._algorithms.operand import ARRAY, USM, Operand, array_of, as_numbers, c_type, check_number, operand
from pysycl._algorithms.transform import Elementwise
from pysycl._sorts.sort_calls import sort
from pysycl._sorts.sort_host import is_little
from pysycl._sorts.sort_rows import TREE
from pysycl._sorts.sort_team import BEFORE, IS_IN, IS_NOT_IN, UP_TO, is_for_team, searched_on_host, told
from pysycl.buffer import Buffer
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.queue import Queue

# So few values of a NumPy array are NumPy's own work.
_FEW: Final = 1 << 8
# More elements than that are counted by 64 bits.
_MOST_INTS: Final = 2**30


class Sorted:
    """Sorted elements that values are looked up in: as memory, of the type in which both are compared."""

    __slots__ = ("event", "kind", "numbers")

    def __init__(self, a: Operand, v: Operand, options: Options) -> None:
        self.kind = kind = _compared(a, v)
        count = prod(a.shape)
        memory = a.memory
        self.event = made_by(a)
        if a.kind == ARRAY:
            array = array_of(a)
            if isinstance(options.queue, Queue) and not (array.flags.c_contiguous and array.dtype == kind):
                with suppress(InvalidError):  # of a queue that is recorded nothing runs
                    options.queue.wait()  # a command may still write to the elements that are copied here
            array = np.ascontiguousarray(array, kind)
            memory = array if v.kind == ARRAY else Buffer(array, copy=True)
        elif count and (a.dtype != kind or a.strides != (1,)):
            value = stored("out_at", "{out_at.at}", cast("{x}", a.dtype, kind), kind)
            call = Elementwise(a, options._replace(out=None), a.shape)
            memory = call.apply(value, kind, {"x": a})
            self.event = call.event if a.kind == USM else None
        elif count:
            memory = memory[a.offset : a.offset + count] if a.offset else memory
        size = np.int32(count) if count < _MOST_INTS else np.int64(count)
        self.numbers: dict[str, Any] = {"a": as_numbers(memory), "a_size": size}

    def bound(self, given: np.dtype[Any], right: bool) -> str:
        """The text of how many elements come before {v}, or not behind it."""
        return f"syc_{'upper' if right else 'lower'}_bound({self.value(given)}, a, a_size)"

    def value(self, given: np.dtype[Any]) -> str:
        """The text of {v} as it is compared."""
        return f"({c_type(self.kind)})({{v}})"


def _compared(a: Operand, v: Operand) -> np.dtype[Any]:
    """The type in which both are compared."""
    kind = accumulated(np.result_type(a.dtype, v.dtype))
    if "b" in a.dtype.kind + v.dtype.kind and kind.itemsize < 4:  # Intel 2026.2 takes each byte of 0 or 1 for a 1
        kind = np.dtype(np.int32)
    return kind


def _both(a: Any, v: Any, names: tuple[str, str]) -> tuple[Operand, Operand]:
    """What is looked in and looked up."""
    sides = operand(a, names[0]), operand(v, names[1])
    for it, name in zip(sides, names, strict=True):
        check_number(it.dtype, name)
        if it.dtype.kind == "c":
            raise InvalidParameterError(f"{name}: expected real numbers, got {it.dtype}")
    if sides[0].kind not in (ARRAY, sides[1].kind):
        raise InvalidParameterError(f"{names[1]}: expected memory of the kind of {names[0]}")
    return sides


def _searched(at: Operand, v: Operand, what: int, options: Options) -> Any:
    """What a search is for, of each value. `what`: a number of the team's."""
    if is_for_team(TREE, v, options.queue):
        kind = _compared(at, v)
        told(TREE)
        found = searched_on_host(array_of(at), array_of(v), kind if kind.itemsize >= 4 else np.dtype(np.int32), what)
        return Elementwise(v, options, v.shape).give_array(found, found.dtype)
    if what in (BEFORE, UP_TO):
        return _found(at, "{lower}" if what == BEFORE else "{upper}", np.int64, v, options)
    text = f"{'!' if what == IS_NOT_IN else ''}(k < a_size && a[k] == {{value}})"
    return _found(at, text, bool, v, options, "const long k = {lower}; ")


def _found(at: Operand, value: str, dtype: Any, v: Operand, options: Options, before: str = "") -> Any:
    """A value for each of those that are looked up."""
    dtype = np.dtype(dtype)
    where = Sorted(at, v, options)
    if prod(at.shape) == 0:
        where.numbers["a"] = np.zeros(1, where.kind) if v.kind == ARRAY else Buffer(np.zeros(1, where.kind), copy=True)
    words = {"lower": where.bound(v.dtype, False), "upper": where.bound(v.dtype, True), "value": where.value(v.dtype)}
    text = before.format(**words) + stored("out_at", "{out_at.at}", value.format(**words), dtype)
    call = Elementwise(v, options, v.shape)
    before_it = [event for event in (call.event, where.event) if event is not None]
    if len(before_it) == 2 and not call._found_queue().is_in_order:
        before_it = [call._found_queue()._empty(before_it)]
    call.event = before_it[0] if before_it else None
    return call.apply(text, dtype, {"v": v}, **where.numbers)


def searchsorted(
    a: Any, v: Any, side: str = "left", sorter: Any = None, *, out: Any = None, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """Where values would have to be put into sorted elements to keep these sorted, as numpy.searchsorted.

    Parameters
    ----------
    a
        The elements, ascending, of one dimension; NaN is behind all numbers.
    v
        The values. NumPy arrays, or what NumPy makes one of: the result is a NumPy array of int64. A Buffer or a
        UsmArray: the result is one, and `a` is of the same kind or a NumPy array.
    side
        "left": before elements that are equal; "right": behind them.
    sorter
        The order in which `a` is sorted, as argsort gives it. Only where `a` is a NumPy array.
    out
        Where the result goes: memory of the shape of v.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        What v is, of int64 and of its shape; or `out`.

    Raises
    ------
    InvalidParameterError
        Elements of several dimensions, another side, a sorter of another length or with indices beyond a.

    Notes
    -----
    Beyond SYCL. Whether `a` is sorted is not looked at: where it is not, the result is any place in it.

    Examples
    --------
    >>> sycl.searchsorted([1, 3, 3, 7], [0, 3, 8])
    array([0, 1, 4])
    >>> sycl.searchsorted([1, 3, 3, 7], 3, side="right")
    np.int64(3)
    """
    if side not in ("left", "right"):
        raise InvalidParameterError(f"side: expected 'left' or 'right', got {side!r}")
    options = options_of(None, False, None, None, out, queue)
    at, it = _both(a, v, ("a", "v"))
    if len(at.shape) != 1:
        raise InvalidParameterError(f"a: expected one dimension, got the shape {at.shape}")
    if sorter is not None:
        at = _in_order(at, sorter)
    if options.out is None and is_little(it, options.queue, _FEW):
        return np.searchsorted(array_of(at), array_of(it), side)  # type: ignore[call-overload]
    return _searched(at, it, UP_TO if side == "right" else BEFORE, options)


def _in_order(at: Operand, sorter: Any) -> Operand:
    if at.kind != ARRAY:
        raise InvalidParameterError("sorter: only where a is a NumPy array; of device memory give the sorted elements")
    order = np.asarray(sorter)
    if order.dtype.kind not in "iu" or order.shape != at.shape:
        raise InvalidParameterError(f"sorter: expected {at.shape[0]} indices, got {order.dtype} of shape {order.shape}")
    if order.size and not 0 <= int(order.min()) <= int(order.max()) < order.size:
        raise InvalidParameterError(f"sorter: an index is beyond the {order.size} elements of a")
    return operand(array_of(at)[order], "a")


def digitize(x: Any, bins: Any, right: bool = False, *, out: Any = None, queue: Queue | None = None) -> Any:
    """In which bin each value is, as numpy.digitize: k where bins[k - 1] <= x < bins[k], and with `right` where
    bins[k - 1] < x <= bins[k]; of edges that descend the other way round.

    Parameters
    ----------
    x
        The values, as v of `searchsorted`.
    bins
        The edges, ascending or descending: a NumPy array, or what NumPy makes one of.
    right
        Whether a bin has its upper edge, and not its lower one.
    out
        Where the result goes: memory of the shape of x.
    queue
        As for `searchsorted`.

    Returns
    -------
    numpy.ndarray, NumPy scalar, Buffer, UsmArray
        What x is, of int64 and of its shape; or `out`.

    Raises
    ------
    InvalidParameterError
        Edges that neither ascend nor descend, or what `searchsorted` raises.

    Examples
    --------
    >>> sycl.digitize([0.2, 6.4, 3.0, 1.6], [0.0, 1.0, 2.5, 4.0, 10.0])
    array([1, 4, 3, 2])
    """
    options = options_of(None, False, None, None, out, queue)
    edges, it = _both(bins, x, ("bins", "x"))
    if edges.kind != ARRAY or len(edges.shape) != 1:
        raise InvalidParameterError(f"bins: expected a NumPy array of one dimension, got the shape {edges.shape}")
    array = array_of(edges)
    ascend, descend = np.all(array[1:] >= array[:-1]), np.all(array[1:] <= array[:-1])
    if not ascend and not descend:
        k = int(np.argmax((array[1:] < array[:-1]) if array[-1] >= array[0] else (array[1:] > array[:-1])))
        odd = "" if array.dtype.kind != "f" or not np.isnan(array).any() else ", and there is NaN"
        odd = odd or f", and {array[k + 1]} comes behind {array[k]}"
        raise InvalidParameterError(f"bins: expected edges that ascend or descend{odd}")
    if options.out is None and is_little(it, options.queue, _FEW):
        return np.digitize(array_of(it), array, right)
    if ascend:
        return _searched(edges, it, BEFORE if right else UP_TO, options)
    backwards = operand(array[::-1], "bins")
    if is_for_team(TREE, it, queue):
        behind = _searched(backwards, it, BEFORE if right else UP_TO, options._replace(out=None))
        return Elementwise(it, options, it.shape).give_array(array.size - behind, np.dtype(np.int64))
    text = f"{array.size} - {'{lower}' if right else '{upper}'}"
    return _found(backwards, text, np.int64, it, options)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, queue: Queue | None = None,
) -> Any:  # fmt: skip
    """Whether each element is one of others, as numpy.isin: those are sorted, and each element is looked up. A NaN is
    none of them.

    Parameters
    ----------
    element
        As v of `searchsorted`; the result is of bool, and of the same shape.
    test_elements
        The others, of any shape: a NumPy array, or memory of the kind of element.
    assume_unique
        As NumPy has it; of no use here.
    invert
        Whether it is none of them.
    queue
        As for `searchsorted`.

    Returns
    -------
    numpy.ndarray, Buffer, UsmArray
        What element is, of bool.

    Examples
    --------
    >>> sycl.isin([0, 2, 5, 2], [2, 7])
    array([False,  True, False,  True])
    """
    options = options_of(None, False, None, None, None, queue)
    at, it = _both(test_elements, element, ("test_elements", "element"))
    ordered = sort(array_of(at).reshape(-1) if at.kind == ARRAY else test_elements, None, queue=queue)
    return _searched(operand(ordered, "test_elements"), it, IS_NOT_IN if invert else IS_IN, options)
