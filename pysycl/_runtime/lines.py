"""Text of several lines, which a prompt and a notebook show as lines."""

from __future__ import annotations


class Lines(str):
    """A string whose repr is the string itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
