"""What a notebook shows: HTML of allowed tags and attributes only, texts escaped, pictures that decode, nothing kept."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import pysycl as sycl
from pysycl.graph import Command, Edge, Graph, Reason

# What an untrusted JupyterLab keeps of a cell's output.
ALLOWED = {
    "p": set(),
    "table": set(),
    "thead": set(),
    "tbody": set(),
    "tr": set(),
    "th": {"style"},
    "td": {"style"},
    "code": set(),
    "pre": set(),
    "details": set(),
    "summary": set(),
    "small": set(),
    "i": set(),
    "div": {"style"},
    "img": {"alt", "src"},
}


class Checked(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pictures: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED and {name for name, _ in attrs} <= ALLOWED[tag], (tag, attrs)
        if tag in ("th", "td"):
            assert attrs in ([], [("style", "text-align:left")])
        if tag == "img":
            given = dict(attrs)
            kind, _, data = (given["src"] or "").partition(",")
            assert kind == "data:image/svg+xml;base64" and given["alt"]
            self.pictures.append(b64decode(data).decode())

    def handle_data(self, data: str) -> None:
        self.words += data


def checked(html: str) -> Checked:
    parser = Checked()
    parser.feed(html)
    parser.close()
    return parser


def shapes(svg: str) -> list[str]:
    """Its tags; colours are attributes, and the first thing is a ground of one colour."""
    root = ElementTree.fromstring(svg)
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert not any("style" in element.attrib or "class" in element.attrib for element in root.iter())
    assert "script" not in tags and tags[1] == "rect" and root[0].attrib["fill"] == "#ffffff"
    return tags


def many(n: int) -> Graph:
    commands = [Command(i + 1, "kernel", f"k{i // 100}", "a.py:3", 1, (), 1e-5) for i in range(n)]
    return Graph("g", commands, [Edge(i, i + 1, (Reason("explicit"),), True) for i in range(1, n)])


def test_a_graph_is_a_picture_and_its_words(queue: sycl.Queue) -> None:
    x = np.zeros(100, np.float32)
    with queue.profile():
        queue.parallel_for(100, "x[i] = i < 5 && 1;", x=x)
    graph = queue.graph()
    bundle = graph._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"} and bundle["text/plain"] == str(graph)
    shown = checked(bundle["text/html"])
    assert str(graph) in shown.words
    assert shapes(shown.pictures[0]).count("rect") == 1 + len(graph.commands)
    assert "&lt; 5 &amp;&amp;" in shown.pictures[0] and " us" in shown.pictures[0]


def test_texts_of_a_user_s_are_escaped(queue: sycl.Queue) -> None:
    graph = Graph("<g>", [Command(1, "kernel", "<b>&\"'", "<script>.py:1", 1, ())], [])
    assert "<b>" in checked(graph._repr_mimebundle_()["text/html"]).words
    with queue.profile() as p:
        queue.parallel_for(8, "x[i] = i < 3;", x=np.zeros(8, np.int32))
    assert "x[i] = i < 3;" in checked(p._repr_html_()).words


def test_many_commands_fold_into_one_box_where_they_are_alike() -> None:
    svg = many(1000).to_svg()
    assert shapes(svg).count("rect") == 1 + 10
    assert ">1 kernel 'k0' x 100<" in svg.replace("&apos;", "'")
    assert "1.00 ms" in svg
    assert shapes(many(150).to_svg()).count("rect") == 151


def test_of_what_does_not_fold_the_latest_are_drawn() -> None:
    commands = [Command(i + 1, "kernel", f"k{i}", "", 1, ()) for i in range(400)]
    svg = Graph("g", commands, []).to_svg()
    assert shapes(svg).count("rect") == 151
    assert "after 250 earlier commands" in svg and "k399" in svg and "'k0'" not in svg


def test_commands_side_by_side_stay_readable() -> None:
    """Four boxes are as wide as a notebook's page; what is wider would be shown smaller."""
    alike = [Command(i + 1, "kernel", "y[i] += a * x[i] * a * x[i];", "a.py:3", 1, ()) for i in range(20)]
    svg = Graph("g", alike, []).to_svg()
    assert shapes(svg).count("rect") == 2 and "... x 20<" in svg
    different = [Command(i + 1, "kernel", f"k{i}", "", 1, ()) for i in range(20)]
    later = Command(21, "kernel", "last", "", 1, ())
    svg = Graph("g", [*different, later], [Edge(1, 21, (Reason("explicit"),), True)]).to_svg()
    assert shapes(svg).count("rect") == 22 and float(ElementTree.fromstring(svg).attrib["width"]) < 900
    places = {
        (rect.attrib["x"], rect.attrib["y"]) for rect in ElementTree.fromstring(svg).iter() if "rx" in rect.attrib
    }
    assert len(places) == 21 and max(float(y) for _, y in places) == 12 + 5 * 84  # the last one has a row of its own
    few = Graph("g", alike[:4], []).to_svg()
    assert shapes(few).count("rect") == 5 and len(re.findall(r">[^<]{25}[.]{3}<", few)) == 4


def test_an_empty_graph_is_words() -> None:
    empty = Graph("g", [], [])
    assert set(empty._repr_mimebundle_()) == {"text/plain"}
    assert "no commands" in empty.to_svg()


def test_a_profile_is_a_table_and_a_timeline(queue: sycl.Queue) -> None:
    x = np.zeros(1000, np.float32)
    with queue.profile() as p:
        for _ in range(3):
            queue.parallel_for(1000, "x[i] += 1;", x=x)
    shown = checked(p._repr_html_())
    assert "x[i] += 1;" in shown.words and "median us" in shown.words
    tags = shapes(shown.pictures[0])
    assert tags.count("rect") >= 4
    assert set(p._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_a_row_of_several_kernels_is_opened_for_them(queue: sycl.Queue) -> None:
    with queue.profile() as p, sycl.Buffer(np.arange(50_000, dtype=np.float32)[::-1].copy()) as b:
        sycl.sort(b, queue=queue)
    html = p._repr_html_()
    assert "<details><summary>kernel sort()</summary><pre>" in html
    assert checked(html).words.count("syc_") >= 2


def test_thousands_of_commands_are_a_small_picture() -> None:
    commands = [
        sycl.ProfiledCommand("kernel", "k", "", "d", 1, i + 1, i * 1e-6, i * 1e-6, i * 1e-6 + 5e-7, 0, False)
        for i in range(5000)
    ]
    from pysycl._profile.timeline import to_svg

    svg = to_svg(commands, 5e-3)
    assert "".join(f">{k} ms<" for k in range(6)) in "".join(re.findall(r">\d+ ms<", svg))
    assert shapes(svg).count("rect") < 2000
    assert len(to_svg(commands, 5.0)) < 3000


def test_devices_plans_and_the_cache_are_tables(queue: sycl.Queue) -> None:
    found = sycl.devices()
    assert found == list(found)
    words = checked(found._repr_html_()).words  # type: ignore[attr-defined]
    assert all(device.name in words for device in found)
    plan = sycl.make_reduce(sycl.plus, "f4", queue=queue).plan(10**6)
    shown = checked(plan._repr_html_()).words
    row = re.search(r"^row +(.*)$", plan.explain(), re.MULTILINE)
    assert plan.explain() in shown and row is not None and shown.startswith("passwork-itemstemporaryform11000000")
    assert row[1] in shown.partition("explain")[0]
    stats = sycl.cache.stats()
    assert f"{stats.hits}" in checked(stats._repr_html_()).words
    long = stats._replace(seconds_saved=3.747654975, bytes=5650529)
    assert re.search(r"seconds_saved3[.]7bytes5,650,529\D", checked(long._repr_html_()).words)


def test_plans_and_tunings_draw_themselves(queue: sycl.Queue) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    plan = sycl.make_reduce(sycl.plus, "f4", queue=queue).plan(10**6)
    ax = plan.plot()
    assert len(ax.patches) == len(plan.passes)
    assert plan.plot(ax) is ax
    tune = __import__("sys").modules["pysycl.tune"]
    found = tune.Tunings([tune.Tuning("sums", "", "words")])
    found.rates = {"sums": tune.Rates((10, 20), {"": (1.0, 2.0), "row": (3.0, 4.0)})}
    ax = found.plot()
    assert sorted(patch.get_width() for patch in ax.patches) == [1.0, 2.0, 3.0, 4.0]
    assert "words" in checked(found._repr_html_()).words
    with pytest.raises(sycl.InvalidObjectError, match="has measured nothing"):
        tune.Tunings([tune.Tuning("sums", "", "words")]).plot()
