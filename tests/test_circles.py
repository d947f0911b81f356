"""Circles of calls between the files of a layer, and headers that many sources include: both lists may only shrink."""

from pathlib import Path

import circles
import pytest
from test_layout import LAYERS

# The largest sets of files of a layer in which each comes to call all others.
CIRCLES: set[frozenset[str]] = {
    # A command's end is that of those before it.
    frozenset({"schedule/complete", "schedule/wait"}),
    # Linking builds its parts.
    frozenset({"program/build", "program/program", "program/recipe"}),
    # A device names its platform, which lists its devices.
    frozenset({"cl/device", "cl/platform"}),
    # Recursive as the grammar that they read.
    frozenset(
        {
            "body/reach/counted_loop",
            "body/reach/declaration",
            "body/reach/expression",
            "body/reach/operand",
            "body/reach/statement",
        }
    ),
    frozenset({"library/checks/converge_call", "library/checks/converge_flow"}),
    frozenset({"library/cures/pocl_per_item", "library/cures/pocl_per_item_calls"}),
    frozenset({"source/declarations/declarator", "source/declarations/struct_layout", "source/declarations/types"}),
    frozenset({"source/preprocessor/expand", "source/preprocessor/macros"}),
}

# Headers above base/ that more include.
LARGE = {
    "cl/device.h",
    "cl/facts.h",
    "cl/family.h",
    "cl/types.h",
}

MOST = 120  # sources that include one header


def test_calls_between_files_go_one_way() -> None:
    """A file that is in a circle is read, changed and tested only with all others of it."""
    found = set(circles.circles(circles.calls()))
    assert not {tuple(sorted(circle)) for circle in found - CIRCLES}, "new or grown: call through a pointer, or move"
    assert not {tuple(sorted(circle)) for circle in CIRCLES - found}, "gone or shrunk: take it out of the list"


def test_no_layer_calls_a_higher_one() -> None:
    """A header may declare a function that a file of a higher layer defines, and no include shows it."""
    upwards = [
        (file, other, names)
        for file, others in circles.all_calls().items()
        for other, names in others.items()
        if LAYERS.index(other.split("/")[0]) > LAYERS.index(file.split("/")[0])
    ]
    assert not upwards


def test_headers_that_many_include_are_few() -> None:
    """A change of such a header builds half the project anew."""
    counts = circles.fan_out()
    found = {header for header in counts if counts[header] > MOST and not header.startswith("base/")}
    assert not {header: counts[header] for header in found - LARGE}, "new: say less in it, or name structs by their tag"
    assert not LARGE - found, "gone: take it out of the list"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three files in a circle, through a function, a pointer to one and a table; two that only look like one."""
    body = "int {}(void)\n{{\n    return {};\n}}\n"
    texts = {
        "low/a.c": '#include "low/b.h"\n' + body.format("a", "b()"),
        "low/b.c": '#include "low/c.h"\n' + body.format("b", "own()") + "static " + body.format("own", "c[0].call()"),
        "low/c.c": "const struct way c[] = {\n    {a},\n};\n",
        "low/d.c": "static " + body.format("a", "0") + body.format("d", "a() /* e() */"),
        "low/e.c": body.format("e", 'say("f()") + d()'),
        "low/f.c": '#include "low/b.h"\n' + body.format("f", "high() + e()"),
        "high/g.c": body.format("high", "f()"),
        "low/b.h": '#include "low/c.h"\n',
        "low/c.h": "\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_circle_is_seen_through_pointers_and_tables(tree: Path) -> None:
    assert circles.circles(circles.calls(tree)) == [frozenset({"low/a", "low/b", "low/c"})]


def test_includes_are_counted_through_headers(tree: Path) -> None:
    assert circles.fan_out(tree) == {"low/b.h": 2, "low/c.h": 3}
