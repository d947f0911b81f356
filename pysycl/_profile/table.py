"""A profile's table, as lines and as HTML."""

from __future__ import annotations

from collections.abc import Iterable

from pysycl._notebook.cells import place
from pysycl._profile.commands import HOST_KINDS, ProfileRow

HEADS = ("command", "count", "total ms", "first us", "median us", "share", "GB/s", "of roof", "where")
COLOURS = {
    "kernel": "#4c78a8",
    "replay": "#4c78a8",
    "copy": "#f58518",
    "transfer": "#f58518",
    "fill": "#b279a2",
    "host task": "#54a24b",
    "build": "#9d755d",
    "wait": "#79706e",
}
OTHER_COLOUR = "#888888"
_WIDEST = 44


def _cells(row: ProfileRow, total: float, roof: float | None) -> tuple[str, ...]:
    share = f"{100 * row.total / total:.1f}%" if total and row.kind not in HOST_KINDS else "-"
    part = row.rate / roof if row.rate is not None and roof else None
    return (
        f"{row.kind} {row.label}".strip() or "all",
        str(row.count),
        f"{row.total * 1e3:.2f}",
        f"{row.first * 1e6:.1f}" if not row.parts else "-",
        f"{row.median * 1e6:.1f}" if row.median is not None else "-",
        share,
        f"{row.rate / 1e9:.1f}" if row.rate is not None else "-",
        "-" if part is None else ">100%" if part > 1 else f"{100 * part:.0f}%",
        place(row.site) or "-",
    )


def _device_total(rows: Iterable[ProfileRow]) -> float:
    return sum(row.total for row in rows if row.kind not in HOST_KINDS)


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def lines_of(rows: list[ProfileRow], roof: float | None) -> list[str]:
    """One line for the heads, and one for each row. Shares are of the time on devices."""
    total = _device_total(rows)
    cells = [HEADS, *(_cells(row, total, roof) for row in rows)]
    cells = [(_short(first), *rest) for first, *rest in cells]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEADS))]
    left = (0, len(HEADS) - 1)
    return [
        "  "
        + "  ".join(
            c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def html_of(rows: list[ProfileRow], roof: float | None) -> str:
    """The same with a bar for each share."""
    from pysycl._notebook.html import Html, bar, code, details, table

    total = _device_total(rows)
    lines: list[tuple[object, ...]] = []
    for row in rows:
        _, *rest = _cells(row, total, roof)
        share = row.total / total if total and row.kind not in HOST_KINDS else 0.0
        label = Html(f"{row.kind} {code(_short(row.label))}") if row.label else row.kind
        if row.parts:
            label = details(f"{row.kind} {row.label}", "\n".join(lines_of(list(row.parts), roof)))
        lines.append((label, *rest[:5], bar(share, COLOURS.get(row.kind, OTHER_COLOUR)), *rest[5:]))
    return table((*HEADS[:6], "", *HEADS[6:]), lines, left=(0, len(HEADS)))
