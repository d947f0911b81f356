"""What the README shows works, and the paths it names exist."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_examples_run(run_python: Any) -> None:
    """One after the other in one interpreter, as somebody would paste them."""
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(examples) == 3
    shares = "\nprint('shares memory:', queue.device._facts['shares_host_memory'])\n"
    child = run_python(f"exec(compile({(''.join(examples) + shares)!r}, 'saxpy.py', 'exec'))")
    assert child.stderr == ""
    assert " [1. 3. 5. 7.]\n[ 1.  5.  9. 13.]\n[ 1.  6. 11. 16.] [ 1.  5.  9. 13.]\n" in child.stdout
    assert "host task: [ 3. 17. 31. 45.]\n" in child.stdout
    (graph,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    # the first command may have ended while the second was built
    printed = [line.strip().removesuffix(" (had ended)") for line in child.stdout.splitlines()]
    if "shares memory: True" in printed:  # elsewhere there are transfers, which have numbers too
        assert not [line for line in graph.splitlines() if line.strip() not in printed]


def test_no_other_blocks_of_code() -> None:
    """A block in another language would not be run."""
    assert set(re.findall(r"^```(\w+)$", README, re.MULTILINE)) == {"python", "text"}


def test_the_commands_are_what_ci_runs() -> None:
    """A command that CI does not run stops working unseen."""
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    commands = re.findall(r"^    (python -m pip .*&&.*)$", README, re.MULTILINE)
    assert len(commands) == 2
    assert not [command for command in commands if command not in ci]


def test_the_tree_is_there() -> None:
    tree = README.partition("## The tree")[2]
    named = re.findall(r"^    (\S+)", tree, re.MULTILINE)
    assert {path.rstrip("/") for path in named} == {
        "csrc",
        "pysycl",
        "kernels",
        "tests",
        "docs",
        "notebooks",
        ".ci/run",
    }
    assert not [path for path in named if not (ROOT / path).exists()]


def test_the_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


def test_it_is_short_and_opens_with_a_line_and_a_picture() -> None:
    lines = README.splitlines()
    assert len(lines) <= 130
    assert "queue.parallel_for(" in lines[2] and lines[4].startswith("![")
