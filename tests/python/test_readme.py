"""What the README shows works, and the paths it names exist."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs(run_python: Any) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    child = run_python(example)
    assert child.stderr == ""
    assert "[ 1.  4.  7. 10.] [1. 3. 5. 7.]" in child.stdout


def test_the_commands_are_what_ci_runs() -> None:
    """A command that CI does not run stops working unseen."""
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    commands = re.findall(r"^    (python -m pip .*&&.*)$", README, re.MULTILINE)
    assert len(commands) == 2
    assert not [command for command in commands if command not in ci]


def test_the_tree_is_there() -> None:
    tree = README.partition("## The tree")[2]
    named = re.findall(r"^    (\S+)", tree, re.MULTILINE)
    assert {path.rstrip("/") for path in named} == {"csrc", "pysycl", "kernels", "tests", "notebooks", ".ci/run"}
    assert not [path for path in named if not (ROOT / path).exists()]
