"""The text of a body that reduces: what is loaded, from where, and into what it is combined.

Texts are made of what decides the code (types, which steps are 0 or 1, how dimensions are put together), never of sizes:
those are arguments. So a kernel serves all arrays that lie alike, and a step that is known to be 1 lets it be vectors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pysycl.reduce_operand import c_type

if TYPE_CHECKING:
    from pysycl.reduce_axes import Dim, Layout
    from pysycl.reduce_operand import Operand

POSITION: Final = "at"
"""The name that the index among the reduced elements has; it is no memory."""

# Steps that a compiler makes loads and shuffles of where it knows them, in place of a load for each element. PoCL 3.0,
# 2^22 floats, processor time beside other work, of a plain sum's rate: every second of rows of 5 to 100 elements 0.25 to
# 0.35 and not 0.18 to 0.22, columns 0.3 to 0.5 and not 0.25; backwards 0.5 and not 0.2, columns 0.3 to 1 and not 0.3.
_LITERAL: Final = (-1, 2)


class Body:
    """A body's text and the arguments that its indices need."""

    __slots__ = ("_lines", "arguments", "text")

    def __init__(self, layout: Layout, operands: dict[str, Operand | None], statement: str) -> None:
        """`statement` has `{name}` for the element of each operand; an operand that is None is the position."""
        self.arguments: dict[str, Any] = {}
        self._lines: list[str] = []
        # `i` where it will do: a body that names no other id is freed of its dimensions (csrc/body/axes.c)
        dense = [layout.is_dense(k) for k in range(len(operands))]
        ids = [] if all(dense) else self._ids(layout)
        values = {}
        for k, (name, it) in enumerate(operands.items()):
            index = self._index(name, k, layout, None if dense[k] else ids)
            values[name] = f"({index})" if it is None else self._load(name, it, index)
        self.text = "\n".join([*self._lines, statement.format(**values)])

    def _number(self, name: str, value: int) -> str:
        import numpy as np

        self.arguments[name] = np.int64(value)
        return name

    def _ids(self, layout: Layout) -> list[tuple[Dim, str]]:
        """Each dimension with the expression of its index. The slowest of several in one needs no remainder."""
        found: list[tuple[Dim, str]] = []
        for d, part in enumerate(layout.parts):
            word = "i" if len(layout.parts) == 1 else f"i{d}"
            if len(part) == 1:
                found.append((part[0], f"(long){word}"))
                continue
            rest = f"left{d}"
            self._lines.append(f"long {rest} = (long){word};")
            for k in range(len(part) - 1, 0, -1):
                size = self._number(f"size{d}_{k}", part[k].size)
                self._lines.append(f"const long id{d}_{k} = {rest} % {size}; {rest} /= {size};")
                found.append((part[k], f"id{d}_{k}"))
            found.append((part[0], rest))
        return found

    def _index(self, name: str, k: int, layout: Layout, ids: list[tuple[Dim, str]] | None) -> str:
        terms = []
        if layout.offsets[k] != 0:
            terms.append(self._number(f"{name}_from", layout.offsets[k]))
        if ids is None:
            terms.append("(long)i")
        for number, (dim, index) in enumerate(ids or ()):
            step = dim.steps[k]
            if step == 0 or dim.size == 1:
                continue
            if step != 1:
                index += f" * {step if step in _LITERAL else self._number(f'{name}_step{number}', step)}"
            terms.append(index)
        if terms == ["(long)i"]:
            return "i"  # the element is the work-item's own (csrc/body/apart.c)
        return " + ".join(terms) or "0"

    def _load(self, name: str, it: Operand, index: str) -> str:
        if it.dtype.str[1:] == "f2":
            return f"vload_half((size_t)({index}), in_{name})"
        return f"in_{name}[{index}]"


# Of one to three numbers of one type, and without effects.
_FUNCTIONS: Final = re.compile(
    "a?(cos|sin|tan)h?|atan2|cbrt|ceil|clamp|copysign|erfc?|exp(10|2|m1)?|fabs|fdim|floor|fma|fmax|fmin|hypot|lgamma|"
    "log(10|1p|2)?|mad|max|min|mix|powr?|rint|round|rsqrt|sign|sqrt|tgamma|trunc"
)
_TOKEN: Final = re.compile(
    r"\s+|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?[fF]?|\.\d+[fF]?)|(?P<call>[a-z]\w*(?=\s*\())|(?P<x>x\b)"
    r"|[-+*?:,()]|/(?![/*])|[<>=!]=|[<>](?![<>])|&&|\|\||!"
)


def inlined(expression: str, dtype: Any, result: Any) -> str | None:
    """The expression of an element {x} itself, of one floating type, where that can be nothing but arithmetic: a body
    that needs no function of the user's may be done as vectors (csrc/body/packs.c). None: it takes the function."""
    if dtype != result or dtype.str[1:] not in ("f4", "f8"):
        return None
    words: list[str] = []
    at = depth = 0
    while at < len(expression):
        token = _TOKEN.match(expression, at)
        if token is None or (token["call"] and not _FUNCTIONS.fullmatch(token["call"])):
            return None
        word = token[0]
        depth += (word == "(") - (word == ")")
        if depth < 0 or (word in "+-" and words[-1:] == [word]):
            return None
        words.append("{x}" if token["x"] else word)
        at = token.end()
    return f"({c_type(result)})(\n{''.join(words)}\n)" if depth == 0 and words else None


def mapped(expression: str, name: str, dtype: Any, result: Any) -> str:
    """A function for the user's expression, which sees nothing but the element."""
    # On a line of its own: an error shows that line, and a comment in it ends there.
    return f"static inline {c_type(result)} map_{name}(const {c_type(dtype)} {name}) {{ return (\n{expression}\n); }}"
