"""The text of a body that goes over elements: what is loaded, and from where; what is stored. A scan's are two.

Texts are made of what decides the code (types, which steps are 0 or 1, how dimensions are put together), never of sizes:
those are arguments. So a kernel serves all arrays that lie alike, and a step that is known to be 1 lets it be vectors."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.axes import Dim, Layout, layout, steps_over
from pysycl._algorithms.map_text import parts_of_map
from pysycl._algorithms.operand import Operand, as_numbers
from pysycl._kernels.user_text import MadeText

# Steps that a compiler makes loads and shuffles of where it knows them, in place of a load for each element: every
# second element, and backwards (tests/bench/README.md).
_LITERAL: Final = (-1, 2)


class Elements(NamedTuple):
    """What a pass does with each element of operands of one shape."""

    operands: dict[str, Operand | None]
    """None: the element's position along the axes, which is no memory."""
    statement: str
    """With {name} for the element of each operand."""
    map: str | None = None
    preamble: str | None = None
    """The map stands in it, or in the statement."""
    second: str | None = None
    """Of a scan: what is done behind it."""
    what: str = "map"
    """The name of the map's argument."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What decides the body, of a shape and axes."""
        lie = tuple([it and (name, it.dtype, it.strides, it.offset) for name, it in self.operands.items()])
        return self.statement, self.preamble, lie, self.second

    def give(self, arguments: dict[str, Any]) -> None:
        """Adds what the body is given besides its numbers."""
        for name, it in self.operands.items():
            if it is not None:
                arguments[name] = as_numbers(it.memory)
        if self.preamble:
            arguments["preamble"] = self.preamble


class Element(str):
    """The text of an operand's element: `{x}`. Where it lies is `{x.at}`, and the elements beside it along the axis
    are `{x.before}` and `{x.behind}`; `{x.before_at}` is where the one lies."""

    __slots__ = ("at", "before", "before_at", "behind")
    at: str
    before: str
    before_at: str
    behind: str


class Body:
    """A body's text, its range, and the arguments that its indices need."""

    __slots__ = ("_lines", "arguments", "layout", "second", "text")

    def __init__(
        self, elements: Elements, shape: tuple[int, ...], axes: tuple[int, ...], ordered: bool = False
    ) -> None:
        self.arguments: dict[str, Any] = {}
        self._lines: list[str] = []
        operands = elements.operands
        strides = [steps_over(shape, axes) if it is None else it.strides for it in operands.values()]
        offsets = [it.offset if it else 0 for it in operands.values()]
        self.layout = lies = layout(shape, axes, strides, offsets, ordered)
        # `i` where it will do: a body that names no other id is freed of its dimensions (csrc/body/reduce/axes.c)
        dense = [lies.is_dense(k) for k in range(len(operands))]
        ids = [] if all(dense) else self._ids(lies)
        said = elements.statement + (elements.second or "")
        values = {}
        for k, (name, it) in enumerate(operands.items()):
            index = self._index(name, k, lies, None if dense[k] else ids)
            values[name] = element = Element(f"({index})" if it is None else loaded(name, it.dtype, index))
            element.at = index
            if it is not None and f"{{{name}.be" in said:
                step = "1" if lies.step_of(k) == 1 else self._number(f"{name}_next", lies.step_of(k))
                element.before_at = f"{index} - {step}"
                element.before = loaded(name, it.dtype, element.before_at)
                element.behind = loaded(name, it.dtype, f"{index} + {step}")
        self.text = self._made(elements, elements.statement, values)
        self.second = None if elements.second is None else self._made(elements, elements.second, values)

    def _made(self, elements: Elements, statement: str, values: dict[str, Element]) -> MadeText:
        parts = parts_of_map(elements.map, elements.what, statement, len(self._lines), elements.preamble)
        return MadeText("\n".join([*self._lines, statement.format(**values)]), parts)

    def _number(self, name: str, value: int) -> str:
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
            return "i"  # the element is the work-item's own (csrc/body/read/own_elements.c)
        return " + ".join(terms) or "0"


def loaded(name: str, dtype: np.dtype[Any], index: str) -> str:
    """The element of memory at an index."""
    if dtype.str[1:] == "f2":
        return f"vload_half((size_t)({index}), {name})"
    if dtype.kind == "b":  # whatever byte it is
        return f"({name}[{index}] != 0)"
    return f"{name}[{index}]"


def stored(name: str, index: str, value: str, dtype: np.dtype[Any]) -> str:
    """The statement that makes a value an element of memory."""
    if dtype.str[1:] == "f2":
        return f"vstore_half({value}, {index}, {name});"
    return f"{name}[{index}] = ({value}) != 0;" if dtype.kind == "b" else f"{name}[{index}] = {value};"
