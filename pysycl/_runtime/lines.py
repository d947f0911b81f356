"""Text for people: several lines, which a prompt and a notebook show as lines, and numbers of things."""

from __future__ import annotations


class Lines(str):
    """A string whose repr is the string itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def counted(number: int, name: str) -> str:
    """1 command, 2 commands."""
    return f"{number} {name}{'' if number == 1 else 's'}"
