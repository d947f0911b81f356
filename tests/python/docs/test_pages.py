"""The pages of docs/ and the notebooks: their code runs, each line of tables; links lead somewhere; nothing is left out."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import pysycl as sycl
from pysycl._doctor.config import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for folder in ("guide", "coming_from", "")
    for page in (DOCS / folder).glob("*.md")
    if page.name not in ("conformance.md", "README.md")
)
TABLES = sorted((DOCS / "coming_from").glob("*.md"))
HEADS = ("SYCL", "PyOpenCL", "CuPy", "dpctl", "Numba", "Taichi", "---")


def code(page: Path) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONG = (
    "02_reductions.ipynb",
    "03_scans.ipynb",
    "reductions.md",
    "scans.md",
)  # large kernels of kinds that tests/conformance has
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
# Each text with names of its own, all in one child: each further child would load the driver's compiler anew, and test
# pysycl's kernels once more.
RUN_TEXTS = """
import sys, traceback, warnings
for name, text in texts:
    try:
        with warnings.catch_warnings():
            if name in strict:
                warnings.simplefilter("error")
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
    except BaseException:
        print(name, traceback.format_exc(), sep="\\n", file=sys.stderr)
"""


def cells(notebook: Path) -> str:
    every = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in every if cell["cell_type"] == "code")


def pages_and_notebooks() -> dict[str, str]:
    texts = {page.name: code(page) for page in PAGES if code(page)}
    return texts | {notebook.name: cells(notebook) for notebook in NOTEBOOKS}


def run_texts(run_python: Any, texts: dict[str, str], strict: tuple[str, ...] = ()) -> None:
    given = f"texts, strict = {list(texts.items())!r}, {strict!r}\n"
    child = run_python(given + RUN_TEXTS, {"MPLBACKEND": "agg", "PYSYCL_CACHE": "0"}, timeout=1100)
    assert child.stderr == ""


@pytest.mark.timeout(1200)  # half a minute of processor time
def test_the_code_runs(run_python: Any) -> None:
    """Pages, block after block; notebooks, cell after cell; examples, in which a warning is an error."""
    pytest.importorskip("matplotlib")
    texts = {name: text for name, text in pages_and_notebooks().items() if name not in LONG}
    examples = {script.name: script.read_text(encoding="utf-8") for script in EXAMPLES}
    for name, text in examples.items():  # each checks itself against NumPy
        assert "assert " in text and len(text.splitlines()) <= 60 and "plt.show()" in text, name
    run_texts(run_python, texts | examples, tuple(examples))


@pytest.mark.exhaustive
def test_the_code_of_the_long_ones_runs(run_python: Any) -> None:
    run_texts(run_python, {name: pages_and_notebooks()[name] for name in LONG})


def test_no_code_is_left_out() -> None:
    """A block in another language would not be run; IPython's are the magics, which test_magics runs."""
    languages = {
        language
        for page in PAGES
        for language in re.findall(r"^```(\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert languages <= {"python", "text", "ipython", "{toctree}"}


# Each line of the tables on its own: its names do not last, and a handler comes with it where one is used.
RUN_LINES = """
import gc, re, traceback
names = {}
exec(setup, names)
has_images = names["device"].has("image")
for line in dict.fromkeys(lines):  # pages share some
    if not has_images and ("image" in line or "sampled" in line):
        continue
    if "sycl.Queue(\\"gpu\\")" in line and not names["sycl"].devices("gpu"):
        continue
    try:
        if re.search(r"\\bh\\b", line) and " as h:" not in line:
            with names["queue"].submit() as h:
                exec(line, names | {"h": h})
        else:
            exec(line, dict(names))
        names["queue"].wait_and_throw()
    except Exception:
        print(line, traceback.format_exc(), sep="\\n")
    names["b"].set_final_data(None)  # where a line has sent it does not last either
    h = None
    gc.collect()
"""
SETUP = (DOCS / "coming_from" / "setup.py").read_text(encoding="utf-8")


def spellings(page: Path) -> list[str]:
    """The code in the right columns of the tables."""
    lines = []
    for row in re.findall(r"^\|(.*)\|$", page.read_text(encoding="utf-8"), re.MULTILINE):
        left, right = re.split(r"(?<!\\)\|", row)
        if left.strip() not in HEADS:
            lines += re.findall(r"`([^`]+)`", right)
    return lines


def is_name(line: str) -> bool:
    """True for a word in a sentence, which is no line to run."""
    return re.fullmatch(r"\w+|\w+\(\d\)|[\w(]+\);|1 / sqrt\(n\)|python -m pysycl", line) is not None


@pytest.mark.timeout(600)
def test_every_line_of_the_tables_runs(run_python: Any, thorough: bool) -> None:
    lines = {page: [line for line in spellings(page) if not is_name(line)] for page in TABLES if page.stem != "index"}
    assert len(lines) > 5 and all(len(each) > 7 for each in lines.values())
    some = [line for each in lines.values() for line in (each if thorough else each[::3])]
    given = f"setup, lines = {SETUP!r}, {some!r}\n"
    child = run_python(given + RUN_LINES, {"PYSYCL_CACHE": "0"}, timeout=550)
    assert child.stdout == child.stderr == ""


def test_words_in_the_tables_exist() -> None:
    """What stands there alone is a name of pysycl's, or one of the page's own."""
    owners = (sycl, sycl.Buffer, sycl.Queue, sycl.InteropHandle, sycl.UsmKind)
    own = set(re.findall(r"\w+", SETUP)) | {"h", "with", "__local", "__constant", "i"}
    words = {line for page in TABLES for line in spellings(page) if re.fullmatch(r"\w+", line)}
    assert not [word for word in words if word not in own and not any(hasattr(owner, word) for owner in owners)]


def test_every_name_is_in_one_group_of_the_reference() -> None:
    names: list[str] = []
    for page in (DOCS / "reference").glob("*.rst"):
        text = page.read_text(encoding="utf-8")
        names += re.findall(r"^   (\w+)$", text, re.MULTILINE) if page.stem != "index" else []
        names += re.findall(r"automodule:: pysycl\.(\w+)$|^``(\w+)``", text, re.MULTILINE) and [
            a or b for a, b in re.findall(r"automodule:: pysycl\.(\w+)$|^``(\w+)``", text, re.MULTILINE)
        ]
    assert sorted(names) == sorted({*sycl.__all__, "math"})


def test_every_variable_of_ours_is_on_its_page_and_in_show_config() -> None:
    """What changes pysycl's behaviour must be found by whoever reads the page or a bug report."""
    page = (DOCS / "guide" / "environment.md").read_text(encoding="utf-8")
    sources = [
        path for folder in ("csrc", "pysycl") for path in (ROOT / folder).rglob("*") if path.suffix in (".c", ".py")
    ]
    used = set().union(*(re.findall(r"\bPYSYCL_[A-Z_]+\b", path.read_text(encoding="utf-8")) for path in sources))
    assert used
    assert not [name for name in used if f"`{name}`" not in page or name not in ENVIRONMENT]


def test_links_inside_the_tree_lead_somewhere() -> None:
    wrong = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        words = re.sub(r"(?<!\})`[^`\n]*`", "", re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL))
        for link in re.findall(r"\]\(([^)#:]+)\)", words):
            target = (page.parent / link).resolve()
            if not target.exists() and not (ROOT / "notebooks" / target.name).exists():
                wrong.append(f"{page.name}: {link}")
        for name in re.findall(r"\{doc\}`([^`]+)`", text):
            if not (page.parent / f"{name}.md").resolve().exists() and not name.endswith("conformance"):
                wrong.append(f"{page.name}: {name}")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            for name in re.findall(r"^(\w\S*)$", block, re.MULTILINE):
                known = (page.parent / f"{name}.md", page.parent / f"{name}.rst")
                made = ("conformance", "gallery/index", "notebooks/*")
                if not any(path.exists() for path in known) and name not in made:
                    wrong.append(f"{page.name}: {name}")
    assert not wrong


def test_rules_of_sycl_are_shown_or_told_why_not() -> None:
    sys.path.insert(0, str(DOCS))
    try:
        import conformance
    finally:
        sys.path.remove(str(DOCS))
    rules, shown = conformance.rules(), conformance.shown()
    known = {rule.id for rule in rules}
    assert len(known) == len(rules) > 1000
    assert set(shown) <= known
    open_ones = {rule.id for rule in rules if rule.id not in shown and rule.tag != "n/a"}
    assert open_ones == set(conformance.WITHOUT_A_TEST)
    page = conformance.page()
    assert "**none**" not in page and all(f"\n| {rule.id} | " in page for rule in rules)
