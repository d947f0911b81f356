"""Docstrings that share their parameters: a name with the text "As for `reduce`." below it has the text of `reduce`. It is
put there when somebody asks for the docstring, and costs nothing before."""

from __future__ import annotations

import re
from functools import cache
from inspect import cleandoc

# Names on one line, alone, and where their text is found.
_SHARED = re.compile(r"^( *)(\*{0,2}\w[^\n]*)\n\1    As for `([\w.]+)`\.$", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}\w[^\n]*)\n((?: +\S[^\n]*\n?)+)", re.MULTILINE)


def filled(text: str | None) -> str | None:
    """The docstring with what it shares; as it is where it shares nothing, or a name has no text there."""
    if text is None or "As for `" not in text:
        return text
    return _SHARED.sub(_with_texts, text)


def _with_texts(found: re.Match[str]) -> str:
    indent, names, other = found.groups()
    known = _items(other)
    texts: list[tuple[str, str]] = []
    for name in names.split(", "):
        if name not in known:
            return found[0]
        if texts and texts[-1][1] == known[name]:
            texts[-1] = (f"{texts[-1][0]}, {name}", known[name])
        else:
            texts.append((name, known[name]))
    lines = "\n".join(f"{name}\n{words.rstrip()}" for name, words in texts).split("\n")
    return "\n".join(indent + line for line in lines)


@cache
def _items(other: str) -> dict[str, str]:
    """Parameters, results and errors of a public function or method, with their texts."""
    import pysycl

    function: object = pysycl
    for part in other.split("."):
        function = getattr(function, part)
    text = cleandoc(getattr(function, "__doc__", None) or "")
    return {name: words for names, words in _ITEM.findall(text) for name in names.split(", ")}
