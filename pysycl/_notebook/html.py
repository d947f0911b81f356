"""HTML that is the same in trusted and untrusted notebooks, light and dark: a table, a bar, words to be opened, a picture.

Untrusted notebooks lose `<svg>`, `<style>` and classes, so a picture is an `<img>` with its bytes in it, on a ground of
its own, and a colour is an attribute. What matters stands in the text, too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Container, Iterable, Sequence
from html import escape

BAR_PIXELS = 80


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _cell(value: object) -> str:
    return value if isinstance(value, Html) else escape(str(value))


def picture(svg: str, words: str) -> Html:
    """An SVG picture, and the words for whoever does not see it."""
    data = b64encode(svg.encode()).decode()
    return Html(f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">')


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], left: Container[int] = ()) -> Html:
    """A table; what is not Html is escaped. The columns `left` are words, which begin at the left."""
    sides = [' style="text-align:left"' if k in left else "" for k in range(len(heads))]
    head = "".join(f"<th{side}>{escape(name)}</th>" for side, name in zip(sides, heads, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{side}>{_cell(value)}</td>' for side, value in zip(sides, row, strict=True))}</tr>"
        for row in rows
    )
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def code(text: str) -> Html:
    """As a program's text."""
    return Html(f"<code>{escape(text)}</code>")


def bar(share: float, colour: str) -> Html:
    """A bar of a share from 0 to 1."""
    width = round(BAR_PIXELS * min(max(share, 0.0), 1.0))
    return Html(f'<div style="width:{width}px;height:10px;background:{colour}"></div>')


def details(summary: str, text: str) -> Html:
    """Lines that are shown when they are asked for."""
    return Html(f"<details><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>")


def bundle(text: str, html: str) -> dict[str, str]:
    """Both for a notebook, which shows the second; a terminal shows the first."""
    return {"text/plain": text, "text/html": html}
