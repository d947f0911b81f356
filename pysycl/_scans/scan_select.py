"""Elements that are selected, split and counted, in their order: select, flatnonzero, split_by and unique_consecutive. A
scan counts, and what it has counted before an element is where the element goes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._algorithms.axes import axes_of, one_axis
from pysycl._algorithms.body_text import stored
from pysycl._algorithms.call import is_few
from pysycl._algorithms.counted import Selected, SelectedParts, Split, shortened
from pysycl._algorithms.kinds import truth
from pysycl._algorithms.map_text import condition_of
from pysycl._algorithms.operand import ARRAY, Operand, array_of, check_number, operand
from pysycl._algorithms.transform import Taken
from pysycl._scans.scan_calls import scan_options
from pysycl._scans.scan_line import Condition, Scan, counted, in_order, memory_for
from pysycl._scans.segments import begins
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl.queue import Queue

# Up to so many elements of arrays NumPy's own functions are quicker (tests/bench/README.md): of masks, where it counts before
# it writes, of other numbers, and of selections by a mask; by one that is true of few elements it is up to the first.
_FEW_MASKED: Final = 1 << 18
_FEW: Final = 1 << 13
_FEW_SELECTED: Final = 1 << 14
_SPARSE: Final = 16


def _condition(call: Scan, condition: Any) -> Condition:
    """A text in x, or a mask."""
    if isinstance(condition, str):
        if not condition.strip():
            raise InvalidParameterError(f"condition: expected OpenCL C in x, or a mask, got {condition!r}")
        text, preamble = condition_of(condition, call.x.dtype)
        return Condition(text, {"x": call.x}, preamble, condition)
    mask = operand(condition, "condition")
    if mask.dtype.kind != "b":
        got = repr(condition) if mask.dtype.kind == "O" else f"one of {mask.dtype}"
        raise InvalidParameterError(f"condition: expected OpenCL C in x, or a mask of bool, got {got}")
    shape = mask.shape or (1,)
    if shape != call.x.shape:
        raise InvalidParameterError(f"condition: a mask of the shape {mask.shape}, and x has the shape {call.x.shape}")
    return Condition("{mask}", {"x": call.x, "mask": mask._replace(shape=shape, strides=mask.strides or (1,))})


def _operand(x: Any) -> Operand:
    it = operand(x, "x")
    if it.dtype.names is None:
        check_number(it.dtype, "x")
    return it


def _begin(x: Any, queue: Any, neighbours: bool = False, out: Any = None) -> Scan:
    it = _operand(x)
    return Scan(in_order(it, "x") if neighbours else it, scan_options(None, None, out, queue))


def select(x: Any, condition: Any, axis: Any = None, *, out: Any = None, queue: Queue | None = None) -> Any:
    """The elements that fulfil a condition, in their order: as x[condition(x)] of NumPy; with an axis, the parts along it
    that a mask has, as numpy.compress.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the result is a NumPy array. A Buffer or a UsmArray: the result is a
        `Selected`, the whole memory and a count beside it, and `select(...).trim()` waits and cuts. Without an axis,
        arrays of several dimensions are flattened.
    condition
        OpenCL C in `x`, an element, as "x > 0"; or a mask, an array of bool of the shape of x. With an axis: a mask of one
        dimension, with as many elements as there are along the axis.
    axis
        Along which parts of the array are selected.
    out
        Where the result goes. A NumPy array must have the result's shape; of device memory it is memory for all
        elements, of which those behind the selected ones are left as they are.
    queue
        Where it runs. None: the default device; of unified shared memory its own device, and the result is waited for.

    Returns
    -------
    numpy.ndarray, Selected
        Of a NumPy array one: without an axis of one dimension.

    Raises
    ------
    InvalidParameterError
        A mask of another shape or type, or a text that is no expression.

    Notes
    -----
    Beyond SYCL; made of `parallel_scan`. Arrays of few elements are selected from by NumPy where a mask says which, but where
    a queue is given.

    Examples
    --------
    >>> sycl.select([3, -1, 4, -1, 5], "x > 0")
    array([3, 4, 5])
    >>> sycl.select([[1, 2, 3], [4, 5, 6]], [True, False, True], axis=1)
    array([[1, 3],
           [4, 6]])
    """
    one_axis(axis)
    if axis is not None:
        return _select_along(_operand(x), condition, axis, scan_options(None, None, out, queue))
    call = _begin(x, queue, out=out)
    chosen = _condition(call, condition)
    mask = chosen.operands.get("mask")
    if mask is not None and out is None and _is_little(call, mask):
        return array_of(call.x)[array_of(mask)]
    call.check_apart(chosen.operands.values())
    values = memory_for(call, chosen, call.x.dtype)[0] if call.x.kind == ARRAY else call.result(call.x.dtype)
    store = stored("y", "t.before", "{x}", call.x.dtype)
    count = counted(call, chosen, f"if (t != t.before) {{{{ {store} }}}}", y=values)
    if out is None:
        return _selected(call, values, count)
    if call.x.kind == ARRAY:
        call.result_shape = (count,)
        return call.give_array(values[:count], call.x.dtype)
    call.ended(count)
    return Selected(out, count)


def _is_little(call: Scan, mask: Operand) -> bool:
    """Is NumPy's own selection by the mask quicker?"""
    if mask.kind != ARRAY or not is_few(call.x, call.options, _FEW_MASKED):
        return False
    most = prod(call.x.shape) // _SPARSE
    return is_few(call.x, call.options, _FEW_SELECTED) or bool(np.count_nonzero(array_of(mask)) <= most)


def _select_along(it: Operand, condition: Any, axis: Any, options: Options) -> Any:
    """The parts along an axis: which those are is selected, and they are taken."""
    if isinstance(condition, str):
        raise InvalidParameterError(f"condition: along an axis expected a mask of bool, got {condition!r}")
    it = it if it.shape else it._replace(shape=(1,), strides=(1,))
    (at,) = axes_of(axis, len(it.shape))
    mask = operand(condition, "condition")
    if mask.dtype.kind != "b":
        raise InvalidParameterError(f"condition: expected a mask of bool, got one of {mask.dtype}")
    if mask.shape != (it.shape[at],):
        raise InvalidParameterError(
            f"condition: a mask of the shape {mask.shape}, and x has {it.shape[at]} parts along axis {at}"
        )
    if mask.kind != it.kind:
        raise InvalidParameterError("condition: expected memory of the kind of x")
    Scan(it, options._replace(axis=None)).check_apart([it, mask])
    chosen = Scan(mask, options._replace(out=None))
    found, count = _nonzero(chosen)
    index = operand(found[:count] if it.kind == ARRAY else found, "condition")
    call = Taken(it, options, at, index.shape[0], chosen.event)
    if it.kind == ARRAY:
        return call.take("{index}", {"index": call.along(index)})
    values = call.take("{index}", {"index": call.along(index)}, "{index.at} < parts[0]", parts=count)
    chosen.event = call.event
    chosen.ended(count)
    return SelectedParts.along(at, values, count)


def flatnonzero(x: Any, *, queue: Queue | None = None) -> Any:
    """The indices of the elements that are not 0, in the flattened array, as numpy.flatnonzero.

    Parameters as for `select`.

    Returns
    -------
    numpy.ndarray, Selected
        Of int64, ascending.

    Raises
    ------
    InvalidParameterError
        Elements that are no numbers.

    Notes
    -----
    Of arrays of few elements NumPy finds them, but where a queue is given.

    Examples
    --------
    >>> sycl.flatnonzero([0, 7, 0, 9])
    array([1, 3])
    """
    it = _operand(x)
    check_number(it.dtype, "x")
    options = scan_options(None, None, None, queue)
    if is_few(it, options, _FEW_MASKED if it.dtype.kind == "b" else _FEW):
        return np.flatnonzero(array_of(it))
    call = Scan(it, options)
    return _selected(call, *_nonzero(call))


def _nonzero(call: Scan) -> tuple[Any, Any]:
    """The indices, and how many there are: of a NumPy array no more than these."""
    condition = Condition(f"({truth('{x}', call.x.dtype)})", {"x": call.x, "at": None})
    (values,) = memory_for(call, condition, np.dtype(np.int64))
    count = counted(call, condition, "if (t != t.before) {{ y[t.before] = {at}; }}", y=values)
    return values, count


def _selected(call: Scan, values: Any, count: Any) -> Any:
    """New memory, as the call returns it."""
    if call.x.kind == ARRAY:
        return shortened(values, count)
    call.ended(values, count)
    return Selected(values, count)


def split_by(x: Any, condition: Any, *, queue: Queue | None = None) -> Any:
    """The elements that fulfil a condition, and the others, each in their order.

    Parameters
    ----------
    x
        A NumPy array, or what NumPy makes one of: the results are NumPy arrays. A Buffer or a UsmArray: the result is a
        `Split`, the whole memory and a count beside it, whose `trim()` waits and cuts. Arrays of several dimensions are
        flattened.
    condition, queue
        As for `select`.

    Returns
    -------
    tuple, Split
        Two arrays.

    Raises as for `select`.

    Examples
    --------
    >>> sycl.split_by([3, -1, 4, -1, 5], "x > 0")
    (array([3, 4, 5]), array([-1, -1]))
    """
    call = _begin(x, queue)
    found = _condition(call, condition)
    chosen, others = memory_for(call, found, call.x.dtype, call.x.dtype, others=True)
    found = found._replace(operands={**found.operands, "at": None})
    store = stored("y", "t.before", "{x}", call.x.dtype)
    other = stored("z", "{at} - t", "{x}", call.x.dtype)
    text = f"if (t != t.before) {{{{ {store} }}}} else {{{{ {other} }}}}"
    count = counted(call, found, text, y=chosen, z=others)
    if call.x.kind == ARRAY:
        return shortened(chosen, count), shortened(others, prod(call.x.shape) - count)
    call.ended(chosen, others, count)
    return Split(chosen, others, count)


# -- runs of equal elements --


def unique_consecutive(x: Any, *, queue: Queue | None = None) -> Any:
    """The first element of each run of equal ones, in the flattened array: of sorted elements, each one once. A NaN equals
    none.

    Parameters, Returns as for `select`.

    Raises
    ------
    InvalidParameterError
        Elements that are neither numbers nor structs.

    Examples
    --------
    >>> sycl.unique_consecutive([1, 1, 2, 2, 2, 1])
    array([1, 2, 1])
    """
    call = _begin(x, queue, neighbours=True)
    condition = Condition(begins("x", call.x.dtype), {"x": call.x, "at": None})
    (values,) = memory_for(call, condition, call.x.dtype)
    store = stored("y", "t.before", "{x}", call.x.dtype)
    count = counted(call, condition, f"if (t != t.before) {{{{ {store} }}}}", y=values)
    return _selected(call, values, count)
