"""Pictures of a graph: Graphviz's language, and SVG for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from pysycl.graph import Command, Edge, Graph

MOST_DRAWN = 150  # commands; beyond it the picture tells less than the text
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 170, 40, 24, 44, 12
COLOURS = {"transfer": "#fde9c8", "host task": "#d9ead3", "host access": "#d9ead3", "kernel": "#d6e4f5"}
OTHER_COLOUR = "#eeeeee"


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


def _places(graph: Graph) -> dict[int, tuple[int, int]]:
    """Column and row of each command: a row below all that it comes after."""
    rows: dict[int, int] = {}
    after: dict[int, list[int]] = {}
    for edge in graph.edges:
        after.setdefault(edge.later, []).append(edge.earlier)
    taken: dict[int, int] = {}
    places = {}
    for command in graph.commands:
        row = max((rows[earlier] + 1 for earlier in after.get(command.id, ()) if earlier in rows), default=0)
        rows[command.id] = row
        places[command.id] = (taken.get(row, 0), row)
        taken[row] = taken.get(row, 0) + 1
    return places


def _box(command: Command, x: int, y: int) -> str:
    first = escape(f"{command.id} {command.label}"[:26])
    second = escape(command.site.rpartition("/")[2][-30:])
    return (
        f'<g><title>{escape(str(command))}</title><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" '
        f'fill="{COLOURS.get(command.kind, OTHER_COLOUR)}" stroke="#555"/>'
        f'<text x="{x + 6}" y="{y + 16}">{first}</text><text x="{x + 6}" y="{y + 32}" fill="#555">{second}</text></g>'
    )


def _line(edge: Edge, start: tuple[int, int], end: tuple[int, int]) -> str:
    dash = "" if edge.waited else ' stroke-dasharray="4 3"'
    return (
        f'<g><title>{escape(_why(edge))}</title><line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" '
        f'stroke="#555" marker-end="url(#tip)"{dash}/></g>'
    )


def to_svg(graph: Graph) -> str | None:
    """A picture, with the reasons as tooltips; None for an empty graph and one that is too large to be looked at."""
    if not 0 < len(graph.commands) <= MOST_DRAWN:
        return None
    places = _places(graph)
    corner = {
        id: (MARGIN + column * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y)) for id, (column, row) in places.items()
    }
    width = max(x for x, _ in corner.values()) + WIDTH + MARGIN
    height = max(y for _, y in corner.values()) + HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>',
    ]
    for edge in graph.edges:
        (x1, y1), (x2, y2) = corner[edge.earlier], corner[edge.later]
        parts.append(_line(edge, (x1 + WIDTH // 2, y1 + HEIGHT), (x2 + WIDTH // 2, y2)))
    parts += [_box(command, *corner[command.id]) for command in graph.commands]
    return "".join([*parts, "</svg>"])
