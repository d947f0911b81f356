"""What reductions and scans combine values by: operators, identities and accuracies as the core takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pysycl._vectors.vec import Vec
from pysycl._vectors.vector_types import vec_of
from pysycl.binary_op import BinaryOp, not_an_operator
from pysycl.errors import InvalidParameterError
from pysycl.operators import FunctionObject, has_known_identity, known_identity

if TYPE_CHECKING:
    import numpy as np

# Of each function object: the kinds of numbers that it is for, and its expression. Vectors are combined by components.
_NATIVE: Final = {
    "plus": ("biufc", "a + b"),
    "multiplies": ("biufc", "a * b"),
    "bit_and": ("biu", "a & b"),
    "bit_or": ("biu", "a | b"),
    "bit_xor": ("biu", "a ^ b"),
    "logical_and": ("biuf", "a && b"),
    "logical_or": ("biuf", "a || b"),
    "minimum": ("biuf", "b < a ? b : a"),
    "maximum": ("biuf", "b > a ? b : a"),
}
# Complex numbers are structs in kernels.
_COMPLEX: Final = {"plus": "cadd(a, b)", "multiplies": "cmul(a, b)"}
# In the core's order.
_ACCURACIES: Final = ("fast", "pairwise", "compensated", "exact")
# What specialisations of bodies compare by identity: one string for each operation and ending, kept for ever.
_operations: Final[dict[str, str]] = {}


def check_operator(op: object, dtype: np.dtype[Any]) -> None:
    if isinstance(op, BinaryOp):
        return
    if not isinstance(op, FunctionObject):
        raise not_an_operator(op)
    vector = vec_of(dtype)
    element = dtype if vector is None else vector[0]
    if element.kind not in _NATIVE[op.name][0] or (vector is not None and op.name.startswith("logical")):
        raise InvalidParameterError(f"op: {op.name} is not defined for {dtype}")
    if op.dtype is not None and op.dtype != dtype:
        raise InvalidParameterError(f"op: {op!r} is of another type than the variable, which is of {dtype}")


def kept(text: str) -> str:
    """The one string with these words: specialisations of bodies compare them by identity."""
    return _operations.setdefault(text, text)


def operation_of(op: FunctionObject | BinaryOp, dtype: np.dtype[Any]) -> str:
    """The operator's name, and its expression behind a blank."""
    if isinstance(op, BinaryOp):
        text = f"{op.name if op.name not in _NATIVE else 'BinaryOp'} {op.expression}"
    elif dtype.kind == "c":
        text = f"{op.name} {_COMPLEX[op.name]}"
    elif dtype.kind == "b":
        text = f"{op.name} ({_NATIVE[op.name][1].replace('a ', '(a != 0) ').replace(' b', ' (b != 0)')}) != 0"
    else:
        text = f"{op.name} {_NATIVE[op.name][1]}"
    return kept(text)


def known_value(op: FunctionObject | BinaryOp, dtype: np.dtype[Any]) -> Any:
    """The operator's own identity for the type, or None."""
    vector = vec_of(dtype)
    if isinstance(op, BinaryOp):
        return op.identity
    if dtype.kind == "c":
        return 0 if op.name == "plus" else 1
    if vector is not None and has_known_identity(op, vector[0]):
        return (known_identity(op, vector[0]),) * len(dtype.names or ())
    return known_identity(op, dtype) if vector is None and has_known_identity(op, dtype) else None


def accuracy_number(accuracy: str, op: object, dtype: np.dtype[Any]) -> int:
    """Its number in the core. Sums of integers lose nothing in any order, so they have every accuracy."""
    if accuracy not in _ACCURACIES:
        raise InvalidParameterError(f"accuracy: expected one of {', '.join(_ACCURACIES)}, got {accuracy!r}")
    if accuracy == "fast":
        return 0
    if not (isinstance(op, FunctionObject) and op.name == "plus"):
        raise InvalidParameterError(f"accuracy: {accuracy!r} is for sums, by plus, and this reduction is by {op!r}")
    vector = vec_of(dtype)
    element = dtype if vector is None else vector[0]
    if element.kind in "biu":
        return 0
    if element.kind == "f" and element.itemsize == 2:
        raise InvalidParameterError(
            f"accuracy: {accuracy!r} is not there for sums of {element}: sum into float32, to which it converts without "
            "a loss"
        )
    return _ACCURACIES.index(accuracy)


def is_ordered(determinism: str) -> bool:
    if determinism not in ("any", "run_to_run"):
        raise InvalidParameterError(f"determinism: expected any or run_to_run, got {determinism!r}")
    return determinism == "run_to_run"


def value_bytes(what: str, value: Any, dtype: np.dtype[Any]) -> bytes:
    import numpy as np

    if isinstance(value, Vec):
        value = tuple(np.asarray(value).tolist())
    own = np.zeros((), dtype)
    try:
        with np.errstate(over="raise"):
            own[...] = value
    except (TypeError, ValueError, OverflowError, FloatingPointError) as error:
        raise InvalidParameterError(f"{what}: {value!r} is no value of {dtype}: {error}") from None
    return own.tobytes()
