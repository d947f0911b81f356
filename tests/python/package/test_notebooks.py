"""The notebooks' code runs, cell after cell, in a fresh interpreter; no notebook is stored with output."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sweeps import sweep

FOLDER = Path(__file__).resolve().parents[3] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SPELLINGS = FOLDER / "sycl_in_python.ipynb"

# Each line of the tables on its own: its names do not last, and a handler comes with it where one is used.
RUN_LINES = """
import gc, re, traceback
names = {}
exec(setup, names)
has_images = names["device"].has("image")
for line in lines:
    if not has_images and ("image" in line or "sampled" in line):
        continue
    try:
        if re.search(r"\\bh\\b", line):
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


def cells(path: Path, kind: str) -> list[Any]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def code(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, "code")]


LONG = FOLDER / "01_reductions.ipynb"  # a dozen large kernels, each of a kind that tests/conformance/reductions has


@pytest.mark.parametrize(
    "path", sweep(NOTEBOOKS, [path for path in NOTEBOOKS if path != LONG]), ids=lambda path: path.stem
)
def test_the_code_runs(path: Path, run_python: Any) -> None:
    child = run_python("\n".join(code(path)))
    assert child.stderr == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_stored(path: Path) -> None:
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path, "code"))


def test_the_readme_lists_every_notebook() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert not [path.name for path in NOTEBOOKS if path.name not in text]


def spellings() -> list[str]:
    """The code in the right columns of the tables."""
    lines = []
    for cell in cells(SPELLINGS, "markdown"):
        for row in re.findall(r"^\|(.*)\|$", "".join(cell["source"]), re.MULTILINE):
            left, right = re.split(r"(?<!\\)\|", row)
            if left.strip() not in ("SYCL", "PyOpenCL", "CuPy", "dpctl", "---"):
                lines += re.findall(r"`([^`]+)`", right)
    return lines


def is_name(line: str) -> bool:
    """True for a word in a sentence, which is no line to run."""
    return re.fullmatch(r"\w+|get_global_id\(\d\)", line) is not None


def test_every_line_of_the_tables_runs(run_python: Any) -> None:
    lines = [line for line in spellings() if not is_name(line)]
    assert len(lines) > 100
    child = run_python(f"setup, lines = {code(SPELLINGS)[0]!r}, {lines!r}\n{RUN_LINES}")
    assert child.stdout == child.stderr == ""


def test_words_in_the_tables_exist() -> None:
    """What stands there alone is a name of pysycl's, or one of the notebook's own."""
    import pysycl as sycl

    owners = (sycl, sycl.Buffer, sycl.Queue, sycl.InteropHandle, sycl.UsmKind)
    own = set(re.findall(r"\w+", code(SPELLINGS)[0])) | {"h", "with", "__local", "__constant"}
    words = {line for line in spellings() if is_name(line) and "(" not in line}
    assert not [word for word in words if word not in own and not any(hasattr(owner, word) for owner in owners)]
