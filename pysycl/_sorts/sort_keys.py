"""Keys as words: unsigned integers that are ordered as the keys are (kernels/device/sort_words.clh). Of a number there is
one, of complex numbers and structs there are several, of which the last one decides first."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from pysycl._algorithms.operand import Operand, check_number
from pysycl.errors import InvalidParameterError


class Column(NamedTuple):
    """One word of each key."""

    word: np.dtype[Any]
    bits: str
    """The bits of an element {x}, in OpenCL C."""
    kind: str
    """u, s, b or f: how they are ordered."""
    digits: int
    """How many bytes of the word there can be differences in."""
    turns: bool = True
    """Is it the other way round in descending order?"""

    def tied(self, descending: bool) -> str:
        """The word: the same for keys that are equal."""
        return self._down(f"syc_sort_tied_{self.kind}({self.bits})", descending)

    def exact(self, descending: bool) -> str:
        """The word, of which the bits can be made again."""
        return self._down(f"syc_sort_word_{self.kind}({self.bits})", descending)

    def again(self, descending: bool) -> str:
        """The bits, of `syc_word`."""
        return f"syc_sort_bits_{self.kind}({self._down('syc_word', descending)})"

    def _down(self, text: str, descending: bool) -> str:
        return f"syc_sort_down_{self.kind}({text})" if descending and self.turns else text

    @property
    def c_type(self) -> str:
        """The word's type in OpenCL C."""
        return unsigned(self.word.itemsize)


def unsigned(size: int) -> str:
    """The type in OpenCL C of an unsigned integer of so many bytes."""
    return {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[size]


def as_bits(it: Operand) -> Operand:
    """Real numbers as unsigned integers, wherever they are."""
    word = np.dtype(f"u{it.dtype.itemsize}")
    if it.dtype == word:
        return it
    memory = it.memory
    return it._replace(memory=memory.view(word) if hasattr(memory, "flags") else memory.reinterpret(word), dtype=word)


def _kind(dtype: np.dtype[Any]) -> str:
    return {"b": "b", "i": "s", "u": "u", "f": "f"}[dtype.kind]


def columns_of(dtype: np.dtype[Any], what: str) -> tuple[Column, ...]:
    """The words of a key, the least significant first. Real numbers are to be given as their bits; see as_bits."""
    if dtype.names is not None:
        return tuple(reversed(_fields(dtype, "{x}", what)))
    check_number(dtype, what)
    if dtype.kind == "c":
        return _complex(dtype, "{x}.x", "{x}.y")
    return (Column(np.dtype(f"u{dtype.itemsize}"), "{x}", _kind(dtype), dtype.itemsize),)


def _complex(dtype: np.dtype[Any], real: str, imaginary: str) -> tuple[Column, ...]:
    """By the real part, then by the imaginary one; those with a NaN come last: R + nan j, nan + R j, nan + nan j."""
    size = dtype.itemsize // 2
    word = np.dtype(f"u{size}")
    bits = f"as_{unsigned(size)}"
    odd = f"(uchar)(2 * ({real} != {real}) + ({imaginary} != {imaginary}))"
    return (
        Column(word, f"{bits}({imaginary})", "f", size),
        Column(word, f"{bits}({real})", "f", size),
        Column(np.dtype(np.uint8), odd, "u", 1, False),
    )


def _fields(dtype: np.dtype[Any], place: str, what: str) -> list[Column]:
    """The words of a struct's fields, in their order."""
    found: list[Column] = []
    for name in dtype.names or ():
        field: Any = dtype[name]
        kind, shape = (field, ()) if field.subdtype is None else field.subdtype
        for at in product(*map(range, shape)):
            part = f"{place}.{name}" + "".join(f"[{index}]" for index in at)
            if kind.names is not None:
                found += _fields(kind, part, what)
            elif kind.kind == "c":
                found += reversed(_complex(kind, f"{part}.re", f"{part}.im"))
            elif kind.kind in "biu" or kind.str[1:] in ("f4", "f8"):
                word = np.dtype(f"u{kind.itemsize}")
                bits = (
                    f"as_{unsigned(kind.itemsize)}({part})"
                    if kind.kind == "f"
                    else f"({unsigned(kind.itemsize)}){part}"
                )
                found.append(Column(word, bits, _kind(kind), kind.itemsize))
            else:
                raise InvalidParameterError(f"{what}: the field {name} of {kind} has no order; give by=")
    return found
