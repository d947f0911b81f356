"""The notebooks' code runs, cell after cell, in a fresh interpreter; no notebook is stored with output."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_code_runs(path: Path, run_python: Any) -> None:
    child = run_python("\n".join("".join(cell["source"]) for cell in code_cells(path)))
    assert child.stderr == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_stored(path: Path) -> None:
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells(path))


def test_the_readme_lists_every_notebook() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert not [path.name for path in NOTEBOOKS if path.name not in text]
