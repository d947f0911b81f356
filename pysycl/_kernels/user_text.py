"""Texts of the user's inside of texts that are made for him: what one may be, and where it stands, for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSES: Final = {")": "(", "]": "[", "}": "{"}


class Part(NamedTuple):
    """A text of the user's in another one. Errors in it are told by its name and its own lines."""

    file: str
    """The other text: "body", "preamble", or "operator of " and a reducer's name."""
    line: int
    """Where it begins there, from 1."""
    name: str
    text: str
    knows: str
    """The names that it may say."""
    types: str = ""
    """Pairs of words: a type of the other text, and how messages are to call it."""


def operator_part(track: str, expression: str) -> Part:
    """The user's own operator of a reducer or scanner."""
    return Part(f"operator of {track}", 1, "op", expression, "a, b and T", f"{track}_t T")


def preamble_with(
    types: dict[str, str], preamble: str | None, known: Iterable[str] = ()
) -> tuple[str | None, tuple[Part, ...]]:
    """The user's preamble, behind one line that names types: each name of them with the type of a body that it is.
    `known`: those that it may say besides."""
    front = " ".join(f"typedef {own} {name};" for name, own in types.items())
    if not preamble:
        return front or None, ()
    if not isinstance(preamble, str):
        raise InvalidParameterError(f"preamble: expected OpenCL C, got {preamble!r}")
    knows = ", ".join([*types, *known, "its own names"])
    return f"{front}\n{preamble}", (Part("preamble", 2, "preamble", preamble, knows, called(types)),)


def called(types: dict[str, str]) -> str:
    """Part.types of these."""
    return " ".join(f"{own} {name}" for name, own in types.items())


class MadeText(str):
    """The text of a body that was made of others."""

    __slots__ = ("caller", "parts")
    parts: tuple[Part, ...]
    caller: tuple[str, tuple[str, ...]] | None
    """Whom errors of its arguments speak of: the function that the user has called, and the names that he gave it."""

    def __new__(
        cls, text: str, parts: tuple[Part, ...] = (), caller: tuple[str, tuple[str, ...]] | None = None
    ) -> MadeText:  # fmt: skip
        made = super().__new__(cls, text)
        made.parts, made.caller = parts, caller
        return made


def quote(text: str, at: int) -> str:
    """The line that the character stands in, with a caret below it."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].split("\n", 1)[0].replace("\0", "?")
    before = "".join("\t" if each == "\t" else " " for each in text[start:at])
    return f"{text.count(chr(10), 0, at) + 1:5} | {line}\n      | {before}^"


def misplaced(text: str, refused: dict[str, str]) -> tuple[int, str] | None:
    """The first sign that an expression cannot have, and why; or a bracket without its partner."""
    found = [(text.find(sign), why) for sign, why in refused.items() if sign in text]
    if found:
        return min(found)
    opened: list[int] = []
    for at, character in enumerate(text):
        if character in "([{":
            opened.append(at)
        elif character in _CLOSES and (not opened or text[opened.pop()] != _CLOSES[character]):
            return at, f"a '{character}' closes nothing"
    return (opened[-1], f"a '{text[opened[-1]]}' is never closed") if opened else None


def refuse(name: str, text: str, at: int, why: str) -> InvalidParameterError:
    """The error for a text that is not compiled."""
    column = at - text.rfind("\n", 0, at)
    return InvalidParameterError(f"{name}:{text.count(chr(10), 0, at) + 1}:{column}: {why}\n{quote(text, at)}")
