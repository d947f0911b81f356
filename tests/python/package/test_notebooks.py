"""The notebooks' code runs, cell after cell, in a fresh interpreter; no notebook is stored with output."""

import json
from pathlib import Path
from typing import Any

import pytest
from sweeps import sweep

FOLDER = Path(__file__).resolve().parents[3] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[Any]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def code(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, "code")]


LONG = FOLDER / "02_reductions.ipynb"  # a dozen large kernels, each of a kind that tests/conformance/reductions has


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
