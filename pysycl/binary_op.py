"""BinaryOp: an operator of the user's own, as an expression of OpenCL C in a and b."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any, Final

from pysycl import _core
from pysycl._kernels.user_text import misplaced, quote
from pysycl.errors import InvalidParameterError

_WORD: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*\Z")
# Tokens that would end the expression where it is put, or hide the rest of it.
_REFUSED: Final = {
    ";": "an operator is one expression, without statements",
    "#": "an operator has no directives",
    "//": "an operator has no comments",
    "/*": "an operator has no comments",
    "\\": "an operator has no backslashes",
    '"': "an operator has no strings",
    "'": "an operator has no characters",
    "\0": "a NUL character stands in it",
}


# What others call the function objects.
_WORDS: Final = {
    "plus": "+ add sum", "multiplies": "* mul multiply prod", "maximum": "max amax fmax", "minimum": "min amin fmin",
    "bit_and": "& bitwise_and", "bit_or": "| bitwise_or", "bit_xor": "^ bitwise_xor", "logical_and": "&& and all",
    "logical_or": "|| or any",
}  # fmt: skip
_MEANT: Final = {word: name for name, words in _WORDS.items() for word in (name, *words.split())}


def _meant(word: Any) -> str:
    """Which function object it may stand for."""
    found = _MEANT.get(word) if isinstance(word, str) else None
    return "" if found is None else f" (did you mean sycl.{found}?)"


# Left folds, as they are written and called: what scans and reductions combine in their place.
_SUMS: Final = "what is subtracted is summed up, as 2 * x[0] - cumsum(x) or 2 * x[0] - sum(x)"
_PRODUCTS: Final = "divisors are multiplied, as x[0] * x[0] / cumprod(x) or x[0] * x[0] / prod(x)"
_FOLDS: Final = {
    **dict.fromkeys(("a-b", "subtract", "sub"), f"subtraction is not associative: {_SUMS}"),
    **dict.fromkeys(("a/b", "divide", "true_divide", "truediv"), f"division is not associative: {_PRODUCTS}"),
    "b-a": "subtraction is not associative",
    "b/a": "division is not associative",
}


def check_associative(op: BinaryOp) -> None:
    """InvalidParameterError: an operator that is known to need its brackets where they are."""
    why = _FOLDS.get(re.sub(r"[\s()]", "", op.expression))
    if why is not None:
        raise InvalidParameterError(f"op: {op.expression!r}: {why}")


def not_an_operator(op: Any, *, texts: bool = False) -> InvalidParameterError:
    """What is raised for something else. `texts`: an expression would be one."""
    kinds = "a BinaryOp, or OpenCL C in a and b" if texts else "or a BinaryOp"
    word = getattr(op, "__name__", op)
    why = f"; {_FOLDS[word]}" if isinstance(word, str) and word in _FOLDS else ""
    return InvalidParameterError(f"op: expected a function object such as plus, {kinds}, got {op!r}{_meant(word)}{why}")


def _refuse(expression: str, why: str) -> InvalidParameterError:
    return InvalidParameterError(f"expression {expression!r}: {why}")


def _check_expression(expression: object) -> str:
    if not isinstance(expression, str):
        raise InvalidParameterError(f"expression: expected text such as 'a + b', got {expression!r}")
    text = expression.strip()
    found = misplaced(text, _REFUSED)
    if found is not None:
        raise _refuse(text, f"{found[1]}\n{quote(text, found[0])}")
    words = set(_WORD.findall(text))
    for operand in ("a", "b"):
        if operand not in words:
            raise _refuse(text, f"it does not mention {operand}; the operands are a and b{_meant(text)}")
    return text


def _check_name(name: object) -> str:
    from pysycl._data.struct_types import is_reserved

    if not isinstance(name, str) or not _IDENTIFIER.match(name):
        raise InvalidParameterError(f"name: expected a C identifier, got {name!r}")
    if is_reserved(name):
        raise InvalidParameterError(f"name: {name!r} is a word of OpenCL C")
    return name


def made_name(text: str) -> str:
    """The word for an expression without a name of its own."""
    return f"op_{sha256(text.encode()).hexdigest()[:12]}"


def _frozen(identity: Any) -> Any:
    """A value that nobody else holds: NumPy's structured scalars and arrays of one element can be changed."""
    if not hasattr(identity, "dtype"):
        return identity
    import numpy as np

    if np.shape(identity) != ():
        raise InvalidParameterError(f"identity: expected one value, got an array of shape {np.shape(identity)}")
    own = np.empty((), identity.dtype)
    own[...] = identity
    own.flags.writeable = False
    return own[()]


@_core.bind
class Operator:
    """An operator of kernels: a BinaryOp, or one of SYCL's function objects."""

    __slots__ = ()
    name: str
    """The word for it in kernels."""


class BinaryOp(Operator):
    """An operator of one's own for reductions, scans and group functions: `BinaryOp("a.key < b.key ? a : b")`.

    Parameters
    ----------
    expression
        OpenCL C in `a` and `b`, both of the type that is combined, which it gives too, and whose name in it is `T`. It must
        be associative; it need not be commutative.
    identity
        A value that changes nothing when it is combined with another.
    name
        The word for it in kernels; made from the expression otherwise.

    Raises
    ------
    InvalidParameterError
        The expression does not mention both operands, or is more or less than one expression; a name that no C function
        can have.

    Notes
    -----
    SYCL 2020, 4.9.2: a functor of the user's own. Two with the same expression, identity and name are equal. A body is
    given one by keyword, `least=BinaryOp(...)`, and a program by `Program(text, operators={"least": BinaryOp(...)})`:
    the keyword is then the word for it in group functions, and so is the operator's own name.

    Examples
    --------
    >>> sycl.reduce([3, -7, 5], sycl.BinaryOp("abs(a) > abs(b) ? a : b", identity=0))
    np.int64(-7)
    """

    __slots__ = ("_hash", "expression", "identity", "name")
    _hash: int
    expression: str
    """OpenCL C, in a and b."""
    identity: Any
    """A value that changes nothing; None if none was given."""
    name: str
    """The word for it in kernels."""

    @_core.entry
    def __init__(self, expression: str, identity: Any = None, name: str | None = None) -> None:
        text = _check_expression(expression)
        word = made_name(text) if name is None else _check_name(name)
        for attribute, value in (("expression", text), ("identity", _frozen(identity)), ("name", word)):
            object.__setattr__(self, attribute, value)
        object.__setattr__(self, "_hash", hash(self._key()))

    @property
    def is_named(self) -> bool:
        """True unless the name was made from the expression."""
        return self.name != made_name(self.expression)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a BinaryOp cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a BinaryOp cannot be changed")

    def _key(self) -> tuple[str, str, str]:
        return self.expression, repr(self.identity), self.name

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, BinaryOp) and self._key() == other._key())

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        identity = "" if self.identity is None else f", identity={self.identity!r}"
        name = f", name={self.name!r}" if self.is_named else ""
        return f"BinaryOp({self.expression!r}{identity}{name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return BinaryOp, (self.expression, self.identity, self.name)
