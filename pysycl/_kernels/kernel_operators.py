"""Operators that kernels are given: BinaryOps and function objects, as the macros that the device library looks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pysycl import _core
from pysycl._data.struct_types import is_reserved
from pysycl._kernels.literals import float_literal, integer_literal, scalar_literal
from pysycl._vectors.vector_types import WORDS, vec_of
from pysycl.binary_op import BinaryOp, Operator
from pysycl.errors import InvalidParameterError, KernelArgumentError
from pysycl.operators import FunctionObject

if TYPE_CHECKING:
    import numpy as np

Operators: TypeAlias = Mapping[str, Operator] | Iterable[BinaryOp]

FAMILIES: Final = (
    "SYC_KNOWN_",
    "SYC_BITWISE_",
    "SYC_NATIVE_",
    "SYC_IS_NATIVE_",
    "SYC_REDUX_S_",
    "SYC_REDUX_U_",
    "SYC_HAS_REDUX_",
    "SYC_SUMS_UP_",
    "SYC_WIDE_",
)
"""What kernels/ says of its operators by macros of the form "~, value", which another word for one has to say too."""

# What a text has to be read without, and a word of an expression with what makes it a member or part of a number.
_NO_CODE: Final = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
_WORD: Final = re.compile(r"(?:(?:\.|->)\s*)?(?<!\w)[A-Za-z_]\w*")
_PLACES: Final = re.compile(r"i|[in][0-2]")


# -- one operator --


def _renamed(expression: str) -> str:
    """The expression in the macro's own parameters: `a` would also stand for the member of `x.a`."""
    own = {"a": "(syc_a)", "b": "(syc_b)", "T": "SYC_TYPE(syc_a)"}
    return " ".join(_WORD.sub(lambda word: own.get(word[0], word[0]), expression).split())


def _bits(number: int) -> tuple[int, int]:
    """How many bits a signed and an unsigned integer must have to hold it; 999: no number of them would do."""
    signed = (number if number >= 0 else -number - 1).bit_length() + 1
    return signed, number.bit_length() if number >= 0 else 999


def _shortest(value: float) -> str:
    """The literal; of float where that has the value, since not all devices have double."""
    import numpy as np

    with np.errstate(over="ignore"):
        short = value != value or float(np.float32(value)) == value
    return float_literal(value, "f" if short else "")


def _number(word: str, value: Any) -> str:
    """The identity as a number of whatever type the values have, if that has it."""
    whole = float(value).is_integer() if isinstance(value, float) else True
    signed, unsigned = _bits(int(value)) if whole else (999, 999)
    if isinstance(value, float):
        literal = _shortest(value)
    else:
        literal = integer_literal(value, "i" if signed <= 32 else "L" if unsigned > 63 and value > 0 else "l")
    says = f'"the identity {value} of operator {word}"'
    return f"SYC_NUMBER_IDENTITY(T, {literal}, {says}, {signed}, {unsigned})"


def _field(value: Any, dtype: np.dtype[Any], what: str) -> str:
    """A value inside braces. Members go by name: a body's struct has padding among them."""
    if dtype.subdtype is not None:
        return _array(value, dtype.subdtype[0], what)
    vector = vec_of(dtype)
    if vector is not None:
        parts = ", ".join(scalar_literal(value[name], vector[0]) for name in dtype.names or ())
        return f"({WORDS[vector[0]]}{vector[1]})({parts})"
    if dtype.names is not None:
        fields: Any = dtype.fields
        return f"{{{', '.join(f'.{name} = {_field(value[name], fields[name][0], what)}' for name in dtype.names)}}}"
    if dtype.kind == "c":
        part = "f" if dtype.itemsize == 8 else ""
        return f"{{{float_literal(value.real, part)}, {float_literal(value.imag, part)}}}"
    if dtype.kind in "SV":
        return f"{{{', '.join(str(byte) for byte in bytes(value).ljust(dtype.itemsize, bytes(1)))}}}"
    if dtype.char not in "?bBhHiIlLqQefd":
        raise InvalidParameterError(f"{what}: {dtype} has no counterpart in OpenCL C")
    return scalar_literal(value, dtype)


def _array(values: Any, dtype: np.dtype[Any], what: str) -> str:
    if getattr(values, "ndim", 0) > 0:
        return f"{{{', '.join(_array(each, dtype, what) for each in values)}}}"
    return _field(values, dtype, what)


def _identity(word: str, op: BinaryOp) -> str:
    """The text of SYC_IDENTITY_<word>(T)."""
    value = op.identity.item() if getattr(op.identity, "dtype", None) is not None else op.identity
    if isinstance(value, bool | int | float) and getattr(getattr(op.identity, "dtype", None), "names", None) is None:
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise InvalidParameterError(f"identity: {value} of {op!r} does not fit in 64 bits")
        return _number(word, int(value) if isinstance(value, bool) else value)
    if isinstance(value, complex):
        return f"((T){{{_shortest(value.real)}, {_shortest(value.imag)}}})"
    dtype = getattr(op.identity, "dtype", None)
    if dtype is None:
        raise InvalidParameterError(
            f"identity: {op.identity!r} of {op!r} is neither a number nor a NumPy scalar; of a struct it is one of a "
            "structured array's, such as numpy.array((0, 1.5), dtype)[()]"
        )
    text = _field(op.identity, dtype, "identity")
    return f"((T){text})" if text.startswith("{") else text


def _lines_of(word: str, op: Operator) -> str:
    if isinstance(op, BinaryOp):
        lines = f"#define SYC_OP_{word}(syc_a, syc_b) ({_renamed(op.expression)})\n"
        lines += f"#define SYC_SAYS_{word} ~, \"{word}, '{' '.join(op.expression.split())}',\"\n"
        if op.identity is not None:
            lines += f'#define SYC_HAS_IDENTITY_{word} ~, 1\n#line 1 "identity of {word}"\n'
            lines += f"#define SYC_IDENTITY_{word}(T) {_identity(word, op)}\n"
        return lines
    if not isinstance(op, FunctionObject):
        raise TypeError(f"{op!r} is no operator")
    lines = f"#define SYC_OP_{word}(syc_a, syc_b) SYC_OP_{op.name}(syc_a, syc_b)\n"
    lines += (
        f'#define SYC_SAYS_{word} ~, "{word}, sycl.{op!r},"\n#define SYC_IDENTITY_{word}(T) SYC_IDENTITY_{op.name}(T)\n'
    )
    if op.dtype is not None:
        lines += f"#define SYC_ONLY_{word} ~, {'uchar' if op.dtype.kind == 'b' else WORDS[op.dtype]}\n"
    return lines + "".join(f"#define {family}{word} {family}{op.name}\n" for family in FAMILIES)


def _another_word(name: str, word: str, op: Operator) -> str:
    """The same operator by another word of the text's."""
    return _lines_of(name, op).replace(f'"{name},', f'"{word},')


@lru_cache(256)
def define(word: str, op: Operator) -> str:
    """The macros that make the word an operator of group functions, as kernels/operators.clh has it.

    A macro of that name would be replaced before any of them is found; drivers have some for built-in functions.
    """
    lines = f'#line 1 "operator {word}"\n{_lines_of(word, op)}'
    if isinstance(op, BinaryOp) and op.is_named and op.name != word:
        lines += _another_word(op.name, word, op)
    for name in words_of(word, op):
        words = f"pysycl: operator {name}: the word is a macro; choose another one"
        lines += f'#ifdef {name}\n_Static_assert(0, "{words}");\n#endif\n'
    return lines


def words_of(word: str, op: Operator) -> tuple[str, ...]:
    """The words by which a text may say the operator: that which it is given by, and its own name."""
    return (word, op.name) if isinstance(op, BinaryOp) and op.is_named and op.name != word else (word,)


# -- those of a text --


@lru_cache(1)
def _taken() -> frozenset[str]:
    return frozenset(_core.library_words())


@lru_cache(1)
def _built_ins() -> frozenset[str]:
    from pysycl import math

    return frozenset(dir(math))


def _why_not(word: str) -> str | None:
    if is_reserved(word):
        return "is a word of OpenCL C"
    if word in _taken():
        return "is a word of pysycl's own in kernels"
    if word in _built_ins():
        return "is a function of OpenCL C, which drivers may have as a macro"
    if _PLACES.fullmatch(word):
        return "says where a work-item stands"
    return "begins like pysycl's own words" if word.lower().startswith("syc_") else None


def _is_macro(word: str, text: str, options: str) -> bool:
    return (
        re.search(rf"^\s*#\s*define\s+{word}\b", text, re.M) is not None
        or re.search(rf"(?:^|\s)-D\s*{word}(?![\w])", options) is not None
    )


def _problem(pairs: tuple[tuple[str, Operator], ...], text: str, options: str) -> tuple[str, str] | None:
    """The word of the first operator that cannot be given to the text, and why."""
    text = _NO_CODE.sub(" ", text)
    mentioned = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", text))
    said: dict[str, Operator] = {}
    for word, op in pairs:
        for name in words_of(word, op):
            own = " " if name == word else f": its own name {name!r} "
            why = _why_not(name)
            if why is None and said.setdefault(name, op) != op:
                why = "is given by another operator too: each needs a name of its own"
            if why is None and _is_macro(name, text, options):
                why = "is a macro as well: the preprocessor would replace the word before it is an operator"
            if why is not None:
                return word, own + why
        if mentioned.isdisjoint(words_of(word, op)):
            return word, " is given, and the text does not use it"
    return None


@lru_cache(256)
def _for_body(
    body: str, preamble: str, options: str, names: tuple[str, ...], pairs: tuple[tuple[str, Operator], ...]
) -> str:
    problem = _problem(pairs, f"{body}\n{preamble}", options)
    for word, op in pairs:
        if problem is None and op.name in names and len(words_of(word, op)) > 1:
            problem = word, f": its own name {op.name!r} is that of another argument"
    if problem is not None:
        raise KernelArgumentError(f"body: operator '{problem[0]}'{problem[1]}")
    return "".join(define(word, op) for word, op in pairs)


def body_operators(
    body: str, preamble: str | None, options: str | None, names: Iterable[str], given: Mapping[str, Operator]
) -> str:
    """The text in front of a body: the operators among its arguments, which have these names otherwise."""
    return _for_body(body, preamble or "", options or "", tuple(names), tuple(given.items()))


def by_words(operators: Operators) -> dict[str, Operator]:
    """The operators of a program by the words for them."""
    pairs: list[tuple[Any, Any]]
    if isinstance(operators, Mapping):
        pairs = list(operators.items())
    elif isinstance(operators, Iterable):
        pairs = [(getattr(each, "name", ""), each) for each in operators]
    else:
        raise InvalidParameterError(
            f"operators: expected BinaryOps or function objects by their words, got {operators!r}"
        )
    named: dict[str, Operator] = {}
    for word, op in pairs:
        if not isinstance(op, Operator):
            raise InvalidParameterError(f"operators: expected BinaryOps or function objects by their words, got {op!r}")
        if not isinstance(operators, Mapping) and not (isinstance(op, BinaryOp) and op.is_named):
            raise InvalidParameterError(
                f"operators: {op!r} has no name of its own; give a mapping of names to operators"
            )
        if not (isinstance(word, str) and word.isidentifier() and word.isascii()):
            raise InvalidParameterError(f"operators: expected a C identifier, got {word!r}")
        if named.setdefault(word, op) != op:
            raise InvalidParameterError(f"operators: two of them are called '{word}'")
    return named


def program_operators(source: str, options: str, operators: Mapping[str, Operator]) -> tuple[tuple[str, int, str], ...]:
    """The operators of a program, for the core: as constants that have no number, since their values never change."""
    pairs = tuple(operators.items())
    problem = _problem(pairs, source, options)
    if problem is not None:
        raise InvalidParameterError(f"operators: '{problem[0]}'{problem[1]}")
    return tuple((word, 0, define(word, op)) for word, op in pairs)


def check_parameters(operators: Mapping[str, Operator], kernels: Iterable[tuple[str, Iterable[str]]]) -> None:
    """InvalidParameterError: a kernel has a parameter by the word for an operator."""
    words = {word for pair in operators.items() for word in words_of(*pair)}
    for kernel, parameters in kernels:
        for parameter in parameters:
            found = words.intersection(re.findall(r"\w+", parameter)[-1:])
            if found:
                raise InvalidParameterError(f"operators: '{found.pop()}' is a parameter of kernel '{kernel}' as well")
