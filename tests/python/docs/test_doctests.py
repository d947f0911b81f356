"""The examples in docstrings, all in one child, since each further one would load the driver's compiler anew; with `np`,
`sycl`, `queue` and `q`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "pysycl"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))

RUN = """
import ast, doctest, sys
from pathlib import Path
import numpy as np
import pysycl as sycl
queue = sycl.Queue()
failed = 0
for file in files:
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ">>> " in (ast.get_docstring(node) or ""):
            name = getattr(node, "name", Path(file).stem)
            names = {"np": np, "sycl": sycl, "queue": queue, "q": queue}
            test = doctest.DocTestParser().get_doctest(ast.get_docstring(node), names, name, file, node.body[0].lineno)
            failed += doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
print(f"{failed} failed")
"""


@pytest.mark.timeout(1200)  # half a minute of processor time
def test_the_examples_of_docstrings_are_right(run_python: Any) -> None:
    files = [str(path) for path in FILES]
    child = run_python(f"files = {files!r}\n{RUN}", {"PYSYCL_CACHE": "0"}, timeout=1100)  # each text comes once
    assert child.stdout == "0 failed\n", child.stdout
    assert child.stderr == ""
