"""Pictures of a graph: Graphviz's language, and SVG for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from pysycl._notebook.cells import place

if TYPE_CHECKING:
    from pysycl.graph import Command, Edge, Graph

MOST_DRAWN = 150  # boxes; beyond it like neighbours are one, and of what is left the latest are drawn
MOST_ACROSS = 4  # boxes side by side: what a notebook shows without making them smaller
MOST_LABEL = 28  # characters that fit into a box
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 190, 40, 24, 44, 12
COLOURS = {"transfer": "#fde9c8", "host task": "#d9ead3", "host access": "#d9ead3", "kernel": "#d6e4f5"}
OTHER_COLOUR = "#eeeeee"
INK, PALE = "#222222", "#555555"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _why(edge: Edge) -> str:
    return "\n".join(map(str, edge.reasons))


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz's language."""
    lines = ["digraph commands {", "  node [shape=box, style=filled];"]
    for command in graph.commands:
        label = f"{command.id} {command.label}\n{command.site}".rstrip()
        colour = COLOURS.get(command.kind, OTHER_COLOUR)
        lines.append(f"  c{command.id} [label={_quoted(label)}, fillcolor={_quoted(colour)}];")
    for edge in graph.edges:
        style = "solid" if edge.waited else "dashed"
        lines.append(f"  c{edge.earlier} -> c{edge.later} [label={_quoted(_why(edge))}, style={style}];")
    return "\n".join([*lines, "}", ""])


class _Box(NamedTuple):
    """What is drawn as one: a command, or neighbours that are alike."""

    commands: list[Command]

    @property
    def id(self) -> int:
        return self.commands[0].id

    @property
    def seconds(self) -> float | None:
        known = [command.seconds for command in self.commands if command.seconds is not None]
        return sum(known) if known else None


class _Line(NamedTuple):
    """One box comes after another."""

    why: str
    waited: bool


def _boxes(commands: Iterable[Command], fold: bool) -> list[_Box]:
    boxes: list[_Box] = []
    for command in commands:
        like = boxes[-1].commands[-1] if boxes and fold else None
        if like is not None and (like.kind, like.name, like.site, like.queue) == (
            command.kind,
            command.name,
            command.site,
            command.queue,
        ):
            boxes[-1].commands.append(command)
        else:
            boxes.append(_Box([command]))
    return boxes


def _lines(graph: Graph, boxes: list[_Box]) -> dict[tuple[int, int], _Line]:
    """By the numbers of the two boxes."""
    of = {command.id: box.id for box in boxes for command in box.commands}
    lines: dict[tuple[int, int], _Line] = {}
    for edge in graph.edges:
        ends = of.get(edge.earlier), of.get(edge.later)
        if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            continue
        key = (ends[0], ends[1])
        known = lines.get(key)
        lines[key] = _Line(known.why if known else _why(edge), edge.waited or (known is not None and known.waited))
    return lines


def _ranks(boxes: list[_Box], lines: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The boxes that nothing keeps from running side by side, each rank below all that it comes after."""
    rank: dict[int, int] = {}
    after: dict[int, list[int]] = {}
    for earlier, later in lines:
        after.setdefault(later, []).append(earlier)
    ranks: list[list[int]] = []
    for box in boxes:
        number = max((rank[earlier] + 1 for earlier in after.get(box.id, ()) if earlier in rank), default=0)
        rank[box.id] = number
        ranks += [[]] * (number >= len(ranks))
        ranks[number] = [*ranks[number], box.id]
    return ranks


def _places(ranks: Iterable[list[int]]) -> dict[int, tuple[int, int]]:
    """Column and row of each box. A rank of many takes several rows."""
    rows = [rank[k : k + MOST_ACROSS] for rank in ranks for k in range(0, len(rank), MOST_ACROSS)]
    return {id: (column, row) for row, ids in enumerate(rows) for column, id in enumerate(ids)}


def _took(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def _drawn(box: _Box, x: int, y: int) -> str:
    command, count = box.commands[0], len(box.commands)
    times = f" x {count}" if count > 1 else ""
    label, room = f"{command.id} {command.label}", MOST_LABEL - len(times)
    first = escape((label if len(label) <= room else f"{label[: room - 3]}...") + times)
    second = escape(place(command.site)[-22:])
    took = escape(_took(box.seconds))
    return (
        f'<g><title>{escape(str(command))}</title><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" '
        f'fill="{COLOURS.get(command.kind, OTHER_COLOUR)}" stroke="{PALE}"/>'
        f'<text x="{x + 6}" y="{y + 16}" fill="{INK}">{first}</text>'
        f'<text x="{x + 6}" y="{y + 32}" fill="{PALE}">{second}</text>'
        f'<text x="{x + WIDTH - 6}" y="{y + 32}" text-anchor="end" fill="{PALE}">{took}</text></g>'
    )


def _arrow(line: _Line, start: tuple[int, int], end: tuple[int, int]) -> str:
    dash = "" if line.waited else ' stroke-dasharray="4 3"'
    return (
        f'<g><title>{escape(line.why)}</title><line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" '
        f'stroke="{PALE}" marker-end="url(#tip)"{dash}/></g>'
    )


def _opening(width: int, height: int) -> list[str]:
    """On a ground of its own, since a notebook may be dark."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{PALE}"/></marker></defs>',
    ]


def _drawing(graph: Graph, fold: bool) -> tuple[list[_Box], int, dict[tuple[int, int], _Line], list[list[int]]]:
    """The boxes, how many commands before them are left out, the lines between them, and the ranks."""
    boxes = _boxes(graph.commands, fold)
    left_out = sum(len(box.commands) for box in boxes[:-MOST_DRAWN])
    boxes = boxes[-MOST_DRAWN:]
    lines = _lines(graph, boxes)
    return boxes, left_out, lines, _ranks(boxes, lines)


def to_svg(graph: Graph) -> str:
    """A picture, with the reasons as tooltips where a viewer shows these."""
    boxes, left_out, lines, ranks = _drawing(graph, len(graph.commands) > MOST_DRAWN)
    if max(map(len, ranks), default=0) > MOST_ACROSS:
        boxes, left_out, lines, ranks = _drawing(graph, True)
    top = MARGIN + (20 if left_out or not boxes else 0)
    corner = {
        id: (MARGIN + column * (WIDTH + GAP_X), top + row * (HEIGHT + GAP_Y))
        for id, (column, row) in _places(ranks).items()
    }
    parts = _opening(
        max((x for x, _ in corner.values()), default=0) + WIDTH + MARGIN,
        max((y for _, y in corner.values()), default=0) + HEIGHT + MARGIN,
    )
    if left_out or not boxes:
        words = f"after {left_out} earlier commands" if left_out else "no commands"
        parts.append(f'<text x="{MARGIN}" y="20" fill="{PALE}">{words}</text>')
    for (earlier, later), line in lines.items():
        (x1, y1), (x2, y2) = corner[earlier], corner[later]
        parts.append(_arrow(line, (x1 + WIDTH // 2, y1 + HEIGHT), (x2 + WIDTH // 2, y2)))
    parts += [_drawn(box, *corner[box.id]) for box in boxes]
    return "".join([*parts, "</svg>"])
