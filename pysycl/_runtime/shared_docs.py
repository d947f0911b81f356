"""Docstrings that share what they say of parameters, results and errors. A line "Parameters, Returns, Raises as for
`reduce`." stands for these sections, of the function's own parameters; a name with the text "As for `reduce`." below it has
the text of `reduce`. Both are put there when somebody asks for the docstring, and cost nothing before."""

from __future__ import annotations

import re
from functools import cache
from inspect import cleandoc, signature
from typing import Any

_WORD = "(?:Parameters|Returns|Raises)"
_SECTIONS = re.compile(rf"^( *)({_WORD}(?:, {_WORD})*) as for `([\w.]+)`\.$", re.MULTILINE)
_HEAD = re.compile(r"^([A-Z][a-z]+)\n-{3,}\n", re.MULTILINE)
# Names on one line, alone, and where their text is found.
_SHARED = re.compile(r"^( *)(\*{0,2}\w[^\n]*)\n\1    As for `([\w.]+)`\.$", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}\w[^\n]*)\n((?: +\S[^\n]*\n?)+)", re.MULTILINE)


def filled(text: str | None, function: Any) -> str | None:
    """The function's docstring with what it shares; as it is where it shares nothing, or there is no text for it."""
    if text is None or "s for `" not in text:
        return text
    return _SHARED.sub(_with_texts, _SECTIONS.sub(lambda found: _with_sections(found, function), text))


def _with_sections(found: re.Match[str], function: Any) -> str:
    indent, heads, other = found.groups()
    known = _sections(other)
    parts = []
    for head in heads.split(", "):
        if head not in known:
            return found[0]
        words = f"{_names(function)}\n    As for `{other}`." if head == "Parameters" else known[head].rstrip()
        parts.append(f"{head}\n{'-' * len(head)}\n{words}")
    return "\n".join(indent + line if line else "" for line in "\n\n".join(parts).split("\n"))


def _names(function: Any) -> str:
    """The function's parameters, but for the object that a method is of."""
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    given = signature(function).parameters.values()
    return ", ".join(stars.get(each.kind.name, "") + each.name for each in given if each.name not in ("self", "cls"))


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
    text = _docstring(other)
    return {name: words for names, words in _ITEM.findall(text) for name in names.split(", ")}


@cache
def _sections(other: str) -> dict[str, str]:
    parts = _HEAD.split(_docstring(other))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _docstring(other: str) -> str:
    import pysycl

    function: object = pysycl
    for part in other.split("."):
        function = getattr(function, part)
    return cleandoc(getattr(function, "__doc__", None) or "")
