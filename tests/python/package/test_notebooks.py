"""No notebook is stored with output, and each is told of. Their code runs in docs/test_pages.py."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[Any]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_stored(path: Path) -> None:
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path, "code"))


def test_the_readme_lists_every_notebook() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert not [path.name for path in NOTEBOOKS if path.name not in text]
