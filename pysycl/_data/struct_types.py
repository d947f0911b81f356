"""Structured dtypes as C structs: how each element lies in memory, and the declaration that a kernel is given for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl import _core
from pysycl._vectors.vector_types import WORDS, vec_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_C_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        bool half uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t kernel global local constant private
        generic read_only write_only read_write uniform pipe sampler_t event_t true false NULL
        """,
    )
)
_VECTOR: Final = re.compile(r"(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)\Z")
# By kind and size: the OpenCL C type, and the alignment that it has there.
_TYPES: Final = {
    **{("i", size): (word, size) for word, size in (("char", 1), ("short", 2), ("int", 4), ("long", 8))},
    **{("u", size): (word, size) for word, size in (("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8))},
    **{("f", size): (word, size) for word, size in (("half", 2), ("float", 4), ("double", 8))},
    ("b", 1): ("uchar", 1),
    ("c", 8): ("cfloat", 8),
    ("c", 16): ("cdouble", 16),
}


class Member(NamedTuple):
    """One field of a struct, or bytes between two of them."""

    name: str
    """Empty for padding."""
    offset: int
    type: str | Layout
    shape: tuple[int, ...]


class Layout:
    """How the elements of a structured dtype lie in memory, in C's terms.

    Raises
    ------
    ValueError
        A field has a name or a type that OpenCL C cannot have, or shares bytes with another one.
    """

    __slots__ = ("alignment", "dtype", "members", "packed", "size")

    dtype: np.dtype[Any]
    size: int
    alignment: int
    """C's alignment of an element; 1 if the struct is packed."""
    packed: bool
    """Fields lie where C would not put them by itself."""
    members: tuple[Member, ...]
    """In the order of their offsets, padding too."""

    def __init__(self, dtype: np.dtype[Any], path: str = "") -> None:
        self.dtype = dtype
        self.size = dtype.itemsize
        fields = [_member(dtype, name, path) for name in dtype.names or ()]
        fields.sort(key=lambda found: found[0].offset)
        aligned = [alignment for _, alignment, _ in fields]
        natural = max(aligned, default=1)
        self.packed = self.size % natural != 0 or any(field.offset % each for field, each, _ in fields)
        self.alignment = 1 if self.packed else natural
        self.members = tuple(_with_padding(dtype, [(field, size) for field, _, size in fields], path))

    def text(self, indent: str = "    ") -> str:
        """The struct's own declaration, from the word struct to its closing brace."""
        inner = indent + "    "
        attribute = "__attribute__((packed)) " if self.packed else ""
        lines = []
        for number, (name, _, kind, shape) in enumerate(self.members):
            word = kind if isinstance(kind, str) else kind.text(inner)
            lines.append(f"{indent}{word} {name or f'_padding{number}'}{''.join(f'[{n}]' for n in shape)};\n")
        return f"struct {attribute}{{\n{''.join(lines)}{indent[4:]}}}"

    def places(self, prefix: str = "", base: int = 0) -> Iterator[tuple[str, int]]:
        """Where each field begins, those of structs inside too: ("position.x", 8)."""
        for name, offset, kind, shape in self.members:
            if not name:
                continue
            yield prefix + name, base + offset
            if isinstance(kind, Layout):
                yield from kind.places(f"{prefix}{name}{'[0]' * len(shape)}.", base + offset)


def is_reserved(name: str) -> bool:
    return name in _C_WORDS or _VECTOR.match(name) is not None or _core.is_standard_macro(name)


def _member(dtype: np.dtype[Any], name: str, path: str) -> tuple[Member, int, int]:
    """The field, the alignment that C wants for it, and its size."""
    fields: Any = dtype.fields
    kind, offset = fields[name][:2]
    whole = f"{path}{name}"
    if not _IDENTIFIER.match(name):
        raise ValueError(f"field {whole!r} of {dtype} has a name that no C struct can have; rename the field")
    if is_reserved(name):
        raise ValueError(f"field {whole!r} of {dtype} is a word of OpenCL C; rename the field")
    base, shape = kind.subdtype or (kind, ())
    if base.names is not None:
        vector = vec_of(base)
        if vector is not None:
            return Member(name, offset, f"{WORDS[vector[0]]}{vector[1]}", shape), base.itemsize, kind.itemsize
        layout = Layout(base, f"{whole}.")
        return Member(name, offset, layout, shape), layout.alignment, kind.itemsize
    if base.kind == "S" or (base.kind == "V" and base.itemsize > 0):
        return Member(name, offset, "uchar", (*shape, base.itemsize)), 1, kind.itemsize
    if not base.isnative:
        raise ValueError(f"field {whole!r} of {dtype} is in the byte order of another kind of machine")
    if (base.kind, base.itemsize) not in _TYPES:
        raise ValueError(f"field {whole!r} of {dtype} is of {base}, for which OpenCL C has no type")
    word, alignment = _TYPES[base.kind, base.itemsize]
    return Member(name, offset, word, shape), alignment, kind.itemsize


def _with_padding(dtype: np.dtype[Any], fields: list[tuple[Member, int]], path: str) -> Iterator[Member]:
    at = 0
    for field, size in fields:
        if field.offset < at:
            raise ValueError(f"field {path + field.name!r} of {dtype} shares bytes with another field")
        if field.offset > at:
            yield Member("", at, "uchar", (field.offset - at,))
        yield field
        at = field.offset + size
    if at < dtype.itemsize:
        yield Member("", at, "uchar", (dtype.itemsize - at,))


def layout(dtype: np.dtype[Any]) -> Layout:
    """The layout of a structured dtype; the binding keeps one for each."""
    return Layout(dtype)


def dtype_of(value: object) -> np.dtype[Any]:
    """The element type of an object with the buffer protocol and structs for elements."""
    import numpy as np

    from pysycl._data.host_memory import view_of

    kind: Any = type(value)
    while hasattr(kind, "_length_") and hasattr(kind, "_type_"):
        kind = kind._type_
    # NumPy warns of what it takes for errors in the formats of ctypes, but knows its classes themselves.
    return np.dtype(kind) if hasattr(kind, "_fields_") else view_of(value).dtype


def declare(arguments: Iterable[tuple[str, Layout]]) -> tuple[str, dict[str, str]]:
    """The declarations for a body's arguments, and the type of each: `x_t` for the argument `x`.

    Arguments of one dtype have one type, by several names. That the device lays the struct out as the host does is a
    static assertion beside it, so that the device's own compiler checks it.
    """
    given = list(arguments)
    taken = {name for name, _ in given}
    texts: list[str] = []
    types: dict[str, str] = {}
    first: dict[np.dtype[Any], str] = {}
    for name, each in given:
        word = f"{name}_t"
        while word in taken:
            word += "_"
        taken.add(word)
        types[name] = word
        if each.dtype in first:
            texts.append(f"typedef {first[each.dtype]} {word};\n")
            continue
        first[each.dtype] = word
        texts.append(f"typedef {each.text()} {word};\n")
        texts += _assertions(word, each)
    return "".join(texts), types


def _assertions(word: str, each: Layout) -> Iterator[str]:
    named = str(each.dtype).replace("\\", "\\\\").replace('"', '\\"')
    yield (
        f'_Static_assert(sizeof({word}) == {each.size}, "the device has another size than the host, {each.size} bytes, '
        f'for {named}");\n'
    )
    for place, offset in each.places():
        yield (
            f"_Static_assert(__builtin_offsetof({word}, {place}) == {offset}, \"the device has field '{place}' elsewhere "
            f'than the host, at byte {offset}, in {named}");\n'
        )
