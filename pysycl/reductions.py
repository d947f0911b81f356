"""reduction: a variable that all work-items of a kernel are combined into. SYCL 2020, 4.9.2."""

from __future__ import annotations

import warnings
from operator import index
from typing import Any, NamedTuple, NoReturn, SupportsIndex

from pysycl import _core
from pysycl._data.host_memory import as_dtype
from pysycl._data.usm_array import UsmArray
from pysycl._kernels.combination import (
    accuracy_number,
    check_operator,
    is_ordered,
    kept,
    known_value,
    operation_of,
    value_bytes,
)
from pysycl.accessor import Accessor
from pysycl.binary_op import BinaryOp, made_name
from pysycl.buffer import Buffer
from pysycl.enums import AccessMode, Target
from pysycl.errors import InvalidParameterError, SyclWarning
from pysycl.handler import Handler
from pysycl.operators import FunctionObject


class Span(NamedTuple):
    """The first `elements` of unified shared memory or of a NumPy array, as the variables of an array reduction."""

    memory: Any
    elements: int


def span(memory: Any, count: SupportsIndex | None = None) -> Span:
    """Elements of unified shared memory, or of a NumPy array, for an array reduction: in the body `name[k] += value`.

    Parameters
    ----------
    memory
        A UsmArray, as array reductions are of unified shared memory in SYCL, or a NumPy array.
    count
        How many of its elements; None: all.

    Returns
    -------
    Span

    Raises
    ------
    InvalidParameterError
        More elements than there are, or none.

    Notes
    -----
    SYCL 2020, 4.9.2: the text's span<T, Extent>.

    Examples
    --------
    >>> bins = np.zeros(3, np.int32)
    >>> total = sycl.reduction(sycl.span(bins), sycl.plus)
    >>> event = queue.parallel_for(5, "bins[x[i]] += 1;", x=np.array([0, 2, 2, 1, 2]), bins=total)
    >>> bins
    array([1, 1, 3], dtype=int32)
    """
    if not isinstance(memory, UsmArray) and not is_array(memory):
        what = f"an object of type {type(memory).__name__}" if hasattr(memory, "__array__") else repr(memory)
        raise InvalidParameterError(
            f"memory: expected a UsmArray, as malloc_shared gives, or a NumPy array, got {what}"
            + "; a reduction into a buffer is of one element" * isinstance(memory, Buffer)
        )
    if not isinstance(memory, UsmArray) and not (memory.flags.c_contiguous and memory.flags.writeable):
        raise InvalidParameterError(
            "memory: an array that is read-only, or whose elements are not one behind the other"
        )
    number = memory.size if count is None else index(count)
    if not 1 <= number <= memory.size:
        raise InvalidParameterError(f"count: a span of {number} elements in memory of {memory.size}")
    return Span(memory, number)


@_core.bind
class Reduction(tuple[Any, ...]):
    """The result of `reduction()`: to be given to a body, where its name is a reducer, or for a reducer of a program's kernel.

    `total += x`, `total.combine(x)`, `total++`, of an array `bins[k] += x`. `total.identity()`, `total.value_type`,
    `total.binary_operation` (the operator's word, for group functions) and `total.dimensions` are SYCL's members; nothing
    else can be done with it.

    Examples
    --------
    >>> total = np.zeros(1, np.int32)
    >>> event = queue.parallel_for(5, "t += i;", t=sycl.reduction(total, sycl.plus))
    >>> total
    array([10], dtype=int32)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        name, _, expression = self[2].partition(" ")
        operator = repr(expression) if name == made_name(expression) else name
        return f"<pysycl.Reduction by {operator} into {self[0]!r}>"

    def __copy__(self) -> NoReturn:
        raise TypeError("a reducer cannot be copied or assigned")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise TypeError("a reducer cannot be copied or assigned")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a reduction cannot be pickled: it stands for memory of this process")


# -- the variable --


def _of_buffer(buffer: Buffer, handler: Handler | None, fresh: bool) -> tuple[Any, int, bool]:
    if handler is None:
        raise InvalidParameterError(
            "handler: a buffer's reduction belongs to a command group: reduction(buffer, h, op)"
        )
    if buffer.size != 1:
        raise InvalidParameterError(
            f"var: a buffer of one element is one variable, and this one has {buffer.size}; for an array reduction "
            "pass span(usm, n)"
        )
    return Accessor(buffer, handler, AccessMode.discard_write) if fresh else buffer, 1, False


def _of_accessor(accessor: Accessor) -> tuple[Any, int, bool]:
    if accessor.is_placeholder or accessor._is_null:
        raise InvalidParameterError("var: a placeholder, which belongs to no command group")
    if accessor.target is not Target.device:
        raise InvalidParameterError(f"var: an accessor for {accessor.target.value}, and a reduction runs on the device")
    if accessor.mode is AccessMode.read or (accessor.mode is AccessMode.write and not accessor.no_init):
        raise InvalidParameterError(
            f"var: an accessor of mode {accessor.mode.value}; a reduction takes read_write, or discard_write"
        )
    if any(accessor.offset) or accessor.shape != accessor._buffer_shape:
        raise InvalidParameterError("var: an accessor of a part of its buffer")
    if accessor.size == 0:
        raise InvalidParameterError("var: an accessor without elements")
    return accessor, accessor.size, accessor.size > 1


def _of_usm(memory: UsmArray) -> tuple[Any, int, bool]:
    if memory.size != 1:
        raise InvalidParameterError(
            f"var: a UsmArray is one variable, and this one has {memory.size} elements: pass one of them, as x[:1], or "
            f"span(x, {memory.size})"
        )
    return memory, 1, False


def is_array(var: object) -> bool:
    import numpy as np

    return isinstance(var, np.ndarray)


def _of_array(array: Any) -> tuple[Any, int, bool]:
    if array.size != 1:
        raise InvalidParameterError(
            f"var: a NumPy array is one variable, and this one has {array.size} elements: pass one of them, as x[:1], or "
            f"span(x, {array.size})"
        )
    if not array.flags.writeable:
        raise InvalidParameterError("var: the array is read-only, and a reduction writes to it")
    return array.reshape(-1), 1, False


def _variable(var: Any, handler: Handler | None, fresh: bool) -> tuple[Any, int, bool]:
    """The memory, how many variables, and whether they are an array. `fresh`: old values do not count."""
    if isinstance(var, Buffer):
        return _of_buffer(var, handler, fresh)
    if isinstance(var, Accessor):
        return _of_accessor(var)
    if isinstance(var, UsmArray):
        return _of_usm(var)
    if isinstance(var, Span):
        return var.memory, var.elements, True
    if is_array(var):
        return _of_array(var)
    what = f"an object of type {type(var).__name__}" if hasattr(var, "__array__") else repr(var)
    raise InvalidParameterError(f"var: expected a Buffer, a UsmArray, a NumPy array, a span or an Accessor, got {what}")


def reduction(
    var: Any,
    *arguments: Any,
    identity: Any = None,
    initialize_to_identity: bool = False,
    accuracy: str = "fast",
    determinism: str = "any",
) -> Reduction:
    """A variable that a kernel's work-items are combined into: `reduction(var, [handler,] op)`.

    Given to a body by name, it is a reducer there: `total=reduction(buffer, h, plus)`, `"total += x[i];"`. Its type is
    `total.value_type` there, which a struct's literal needs: `"best.value_type p = {x[i], i}; best.combine(p);"`, and in a
    preamble the type of a struct is `best_t`, as that of an argument `x` is `x_t`. A
    program's kernel takes it where it declares `reducer(float, plus) total`.

    Parameters
    ----------
    var
        A Buffer of one element, a UsmArray or NumPy array of one, `span(x, n)` for an array of variables, or an accessor of mode
        read_write, whose old values count, or discard_write, whose do not.
    *arguments
        The operator, a function object such as `plus` or a BinaryOp; for a buffer the command group before it.
    identity
        A value that changes nothing; the operator's own one, if it has one, needs not be given.
    initialize_to_identity
        The old value is no part of the result.
    accuracy
        Of a sum of floating-point, complex or vector numbers (by component): "fast"; "pairwise", an error of at most
        about 3 units of rounding of the sum of magnitudes, however many numbers there are; "compensated", one unit of
        the sum itself, as if in twice the precision; "exact", the correctly rounded sum, the same on every device. The
        bounds are in kernels/README.md. Sums of integers have every accuracy.
    determinism
        "run_to_run": the same launch on the same device gives the same bits each time. "any": nothing is promised.

    Returns
    -------
    Reduction

    Raises
    ------
    InvalidParameterError
        A buffer of another size, an operator that the type has not, no identity where one is needed, or an accuracy of
        something else than a sum of numbers of 32 or 64 bits.

    Notes
    -----
    SYCL 2020, 4.9.2. The variable has its result when the kernel has ended. In which order values are combined is not
    said: the sum of floating-point numbers may differ from run to run, unless an argument promises more. Accuracy and
    determinism are an addition to SYCL.

    Examples
    --------
    >>> x, total = np.arange(1, 5), sycl.Buffer(np.zeros(1, np.int64))
    >>> with queue.submit() as h:
    ...     h.parallel_for(4, "t += x[i] * x[i];", x=x, t=sycl.reduction(total, h, sycl.plus))
    >>> np.asarray(total)
    array([30])
    """
    handler: Any
    op: Any
    if not 1 <= len(arguments) <= 2:
        raise InvalidParameterError(f"reduction(var, [handler,] op): {1 + len(arguments)} arguments given by position")
    handler, op = arguments if len(arguments) == 2 else (None, *arguments)
    if handler is not None:
        if not isinstance(handler, Handler):
            raise InvalidParameterError(f"handler: expected the command group's Handler, got {handler!r}")
        handler._check("reduction")
    memory, count, array = _variable(var, handler, initialize_to_identity)
    dtype = memory.dtype
    check_operator(op, dtype)
    fresh = initialize_to_identity or (isinstance(memory, Accessor) and memory.mode is AccessMode.write)
    value = identity if identity is not None else known_value(op, dtype)
    if value is None and fresh:
        raise InvalidParameterError(
            f"identity: initialize_to_identity needs one, none is given, and none of {op!r} is known for {dtype}"
        )
    if value is None and isinstance(op, BinaryOp):
        warnings.warn(
            f"the reduction by {op!r} has no identity, which makes it slower: give identity=", SyclWarning, stacklevel=2
        )
    start = None if value is None else value_bytes("identity", value, dtype)
    number, ordered = accuracy_number(accuracy, op, dtype), is_ordered(determinism)
    return Reduction(
        (memory, count, operation_of(op, dtype), start, bool(fresh), array, 0, None, None, number, ordered)
    )


def reducer(var: Accessor | UsmArray | Span, *arguments: Any, initialize_to_identity: bool = False) -> Reduction:
    """A reducer made in the command group, as the draft has it: `reducer(var, [identity,] op, [handler])`.

    It is the `reduction` of these, and given to a kernel in the same way. The handler may stand behind the operator, as
    it must for unified shared memory in the draft; an accessor has its own.

    Parameters
    ----------
    var
        An Accessor, a UsmArray or a span.
    *arguments
        The identity, which may be left out, the operator, and where there is no accessor the handler.
    initialize_to_identity
        As for `reduction`.

    Returns
    -------
    Reduction

    Raises
    ------
    InvalidParameterError
        What `reduction` says, or arguments that are not these.

    Notes
    -----
    The draft of SYCL 2020, 4.10.2.2. The final text has no constructors of reducers.

    Examples
    --------
    >>> total = sycl.Buffer(np.zeros(1, np.int64))
    >>> with queue.submit() as h:
    ...     h.parallel_for(5, "t += i;", t=sycl.reducer(h.read_write(total), sycl.plus))
    >>> np.asarray(total)
    array([10])
    """
    given = list(arguments)
    handler = given.pop() if given and isinstance(given[-1], Handler) else None
    if not isinstance(var, Accessor | UsmArray | Span):
        raise InvalidParameterError(f"var: expected an Accessor, a UsmArray or a span, got {var!r}")
    if not 1 <= len(given) <= 2:
        raise InvalidParameterError(
            f"reducer(var, [identity,] op, [handler]): {1 + len(arguments)} arguments given by position"
        )
    identity, op = given if len(given) == 2 else (None, given[0])
    return reduction(var, handler, op, identity=identity, initialize_to_identity=initialize_to_identity)


def _along(
    memory: Any,
    op: FunctionObject | BinaryOp,
    reduced: int,
    *,
    value_dtype: Any = None,
    identity: Any = None,
    finish: str | None = None,
    accuracy: str = "fast",
    determinism: str = "any",
) -> Reduction:
    """A reduction along some dimensions of a body's range: what sums, means and their like are made of.

    Parameters
    ----------
    memory
        A Buffer, a UsmArray, an accessor or an array: a variable for each index of the other dimensions, row-major. What
        it holds is no part of the result, and where nothing is combined and no identity is known it stays.
    op
        A function object or a BinaryOp.
    reduced
        The dimensions, as bits: bit 0 is the first, the slowest. 0: all of them, and one variable.
    value_dtype
        Of what is combined; None: as the variables.
    identity
        A value that changes nothing; None: the operator's own one, if it has one.
    finish
        OpenCL C in `r`, what was combined, that gives the variable's value.
    accuracy
        Of the sum of floating-point numbers: fast, pairwise, compensated or exact.
    determinism
        any or run_to_run.
    """

    dtype = memory.dtype if value_dtype is None else as_dtype(value_dtype, "value_dtype")
    check_operator(op, dtype)
    value = identity if identity is not None else known_value(op, dtype)
    return Reduction(
        (
            memory,
            memory.size,
            operation_of(op, dtype),
            None if value is None else value_bytes("identity", value, dtype),
            True,
            False,
            reduced,
            None if dtype == memory.dtype else dtype,
            None if finish is None else kept(finish),
            accuracy_number(accuracy, op, dtype),
            is_ordered(determinism),
        )
    )


def _into_array(
    memory: Any, op: FunctionObject | BinaryOp, identity: Any, accuracy: str = "fast", determinism: str = "any",
    value_dtype: Any = None,
) -> Reduction:  # fmt: skip
    """An array of variables of any memory, whose old values do not count: what histograms are made of. `value_dtype` is that
    of what is combined; None: as the variables."""
    dtype = memory.dtype if value_dtype is None else value_dtype
    check_operator(op, dtype)
    start = value_bytes("identity", known_value(op, dtype) if identity is None else identity, dtype)
    return Reduction(
        (
            memory, memory.size, operation_of(op, dtype), start, True, True, 0,
            None if dtype == memory.dtype else dtype, None, accuracy_number(accuracy, op, dtype), is_ordered(determinism),
        )
    )  # fmt: skip
