"""The examples in docstrings, all in one child, since each further one would load the driver's compiler anew; with `np`,
`sycl`, `queue` and `q`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pysycl.errors import ERROR_CLASSES

PACKAGE = Path(__file__).resolve().parents[3] / "pysycl"
WITH_EXAMPLES = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
OF_DASK = [path for path in WITH_EXAMPLES if path.parent.name == "dask"]
FILES = [path for path in WITH_EXAMPLES if path not in OF_DASK]
# Of what is made of large kernels the faces' examples are enough in the default run.
LARGE = [
    path for path in FILES if path.parent.name in ("_reductions", "_scans", "_sorts") and "_calls" not in path.stem
]

RUN = """
import ast, doctest, sys
from pathlib import Path
import numpy as np
import pysycl as sycl
queue = sycl.Queue()
failed = ran = 0

def run(text, name, file, line):
    global failed, ran
    names = {"np": np, "sycl": sycl, "queue": queue, "q": queue}
    test = doctest.DocTestParser().get_doctest(text, names, name, file, line)
    failed += doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
    ran += 1

for file in files:
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ">>> " in (ast.get_docstring(node) or ""):
            run(ast.get_docstring(node), getattr(node, "name", Path(file).stem), file, node.body[0].lineno)
for name in classes:
    run(getattr(sycl, name).__doc__, name, "the core", 0)
assert ran >= len(files) + len(classes)
print(f"{failed} failed")
"""


def check(run_python: Any, files: list[Path], classes: tuple[str, ...] = ()) -> None:
    given = f"files, classes = {[str(path) for path in files]!r}, {classes!r}\n"
    child = run_python(given + RUN, {"PYSYCL_CACHE": "0"}, timeout=1100)  # each text comes once
    assert child.stdout == "0 failed\n", child.stdout
    assert child.stderr == ""


@pytest.mark.timeout(1200)  # half a minute of processor time
def test_the_examples_of_docstrings_are_right(run_python: Any, thorough: bool) -> None:
    assert len(LARGE) > 15
    check(run_python, FILES if thorough else [path for path in FILES if path not in LARGE], ERROR_CLASSES)


@pytest.mark.timeout(600)
def test_the_examples_on_dask_arrays_are_right(run_python: Any) -> None:
    pytest.importorskip("dask.array")
    assert len(OF_DASK) > 5
    check(run_python, OF_DASK)
