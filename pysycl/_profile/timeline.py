"""A profile's timeline as SVG: a line for each queue, below them host tasks, transfers, builds and waits."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import floor, log10

from pysycl._profile.commands import ProfiledCommand, lanes_of
from pysycl._profile.table import COLOURS, OTHER_COLOUR

WIDTH, LEFT, RIGHT, LANE, BAR = 860, 130, 16, 24, 18
MOST_TICKS = 8
CHARACTER = 7  # pixels of one


def _merged(
    commands: list[ProfiledCommand], scale: float
) -> Iterable[tuple[float, float, ProfiledCommand | None, str]]:
    """(from, to, the command or None for several, kind): boxes narrower than a pixel that touch are one."""
    low: float | None = None
    high, kind, only = 0.0, "", None
    for c in commands:
        if low is not None and (c.start - high) * scale < 1 and c.kind == kind and (c.end - c.start) * scale < 1:
            high, only = max(high, c.end), None
            continue
        if low is not None:
            yield low, high, only, kind
        low, high, kind, only = c.start, c.end, c.kind, c
    if low is not None:
        yield low, high, only, kind


def _box(x: float, width: float, y: int, command: ProfiledCommand | None, kind: str) -> str:
    colour = COLOURS.get(kind, OTHER_COLOUR)
    box = f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.8):.1f}" height="{BAR}" fill="{colour}"/>'
    text = (command.title or command.kind)[: int(width / CHARACTER) - 1] if command is not None else ""
    if width < 8 * CHARACTER or not text:
        return box
    return f'{box}<text x="{x + 4:.1f}" y="{y + 13}" fill="#ffffff">{escape(text)}</text>'


def _ticks(end: float) -> list[float]:
    """Round seconds from 0 to the end: steps of 1, 2 or 5 of some power of ten."""
    power = 10.0 ** floor(log10(end / MOST_TICKS))
    step = next(power * k for k in (1, 2, 5, 10) if end / (power * k) <= MOST_TICKS)
    return [k * step for k in range(int(end / step) + 1)]


def to_svg(commands: Iterable[ProfiledCommand], wall: float) -> str:
    """The picture, on a white ground, of all commands that have times."""
    lanes = lanes_of(commands)
    end = max([wall, *(c.end for lane in lanes.values() for c in lane)]) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / end
    height = LANE * len(lanes) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11"><rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    ]
    for number, (name, lane) in enumerate(lanes.items()):
        y = LANE * number + 4
        parts.append(f'<text x="6" y="{y + 13}" fill="#222222">{escape(name)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{BAR}" fill="#f2f2f2"/>')
        for low, high, command, kind in _merged(lane, scale):
            parts.append(_box(LEFT + low * scale, (high - low) * scale, y, command, kind))
    for seconds in _ticks(end):
        x = LEFT + seconds * scale
        anchor = "end" if x > WIDTH - 2 * RIGHT else "middle"
        parts.append(
            f'<text x="{x:.0f}" y="{LANE * len(lanes) + 20}" text-anchor="{anchor}" fill="#555555">'
            f"{seconds * 1e3:.6g} ms</text>"
        )
    return "".join([*parts, "</svg>"])
