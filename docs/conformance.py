"""SYCL 2020 by section: each rule of the checklist, and the tests that show it, from their `spec` marks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pysycl._runtime.extensions import EXTENSIONS

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"

# Rules without a test, and why there is none. The list may only shrink.
WITHOUT_A_TEST = {
    "H113": "OpenCL is the only backend",
    "H124": "permits, and asks for nothing",
    "H143": "permits, and asks for nothing",
    "D214": "advises, and asks for nothing",
    "D474": "there are no extensions by others; what goes beyond SYCL has names of pysycl's own",
    "D476": "there are no extensions by others",
    "D501": "kernels are texts: there are none that are defined inline",
    "D502": "speaks of the suite of Khronos, which is in C++",
    "D504": "SYCL 2020 has no host device any more",
    "D505": "SYCL 2020 has no host device any more",
    "D548": "speaks of C++'s unique_ptr",
}


class Rule(NamedTuple):
    """One sentence of the specification, in words of our own."""

    id: str
    section: str
    tag: str
    """"core", "adapt" or "n/a"."""
    how: str
    """In which other form it holds, or why not."""
    text: str


def rules() -> list[Rule]:
    """The checklist: docs/rules.tsv."""
    lines = (HERE / "rules.tsv").read_text(encoding="utf-8").splitlines()
    return [Rule(*line.split("\t")) for line in lines]


def shown() -> dict[str, set[str]]:
    """For each rule the files of the tests that name it, Python's by their marks and C's by comments."""
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("*")):
        if path.suffix not in (".py", ".c", ".h"):
            continue
        text = path.read_text(encoding="utf-8")
        marks = re.findall(r"\bspec\(([^)]*)\)", text) if path.suffix == ".py" else re.findall(r"spec: ([^*\n]*)", text)
        for mark in marks:
            for rule in re.findall(r"\b[HD]\d{3}\b", mark):
                found.setdefault(rule, set()).add(path.relative_to(TESTS).as_posix())
    return found


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")


def _tests(rule: Rule, files: set[str]) -> str:
    if files:
        return ", ".join(f"`{file.rpartition('/')[2]}`" for file in sorted(files))
    why = _cell(rule.how) if rule.tag == "n/a" else WITHOUT_A_TEST.get(rule.id)
    return f"not applicable: {why}" if why is not None else "**none**"


def _beyond() -> list[str]:
    """What SYCL has not."""
    rows = [
        f"| `{name}` | {extension.changed} | {extension.text} | {', '.join(f'`{each}`' for each in extension.names.split())} |"
        for name, extension in EXTENSIONS.items()
    ]
    return [
        "",
        "## Beyond SYCL",
        "",
        'A program can ask whether a feature is there: `hasattr(sycl, "SYCL_EXT_PYSYCL_SORTS")`.',
        "",
        "| constant | value | what it stands for | names |",
        "| --- | --- | --- | --- |",
        *rows,
    ]


def page() -> str:
    """The page of the guide."""
    all_rules, files = rules(), shown()
    sections = list(dict.fromkeys(rule.section for rule in all_rules))
    lines = [
        "# SYCL 2020, rule by rule",
        "",
        "The specification was read sentence by sentence (the provisional text, and the final one of chapters 4.17), and each",
        "rule that a program can observe has a number. A test names the rules that it shows. This page is made from those",
        "marks; it is our own claim, and not the result of the conformance suite of Khronos, which tests C++.",
        "",
        "| section | rules | shown by tests | not applicable |",
        "| --- | ---: | ---: | ---: |",
    ]
    for section in sections:
        own = [rule for rule in all_rules if rule.section == section]
        with_test = sum(rule.id in files for rule in own)
        lines.append(f"| {_cell(section)} | {len(own)} | {with_test} | {len(own) - with_test} |")
    for section in sections:
        lines += ["", f"## {_cell(section)}", "", "| rule | what it says | shown by |", "| --- | --- | --- |"]
        for rule in all_rules:
            if rule.section == section:
                lines.append(f"| {rule.id} | {_cell(rule.text)} | {_tests(rule, files.get(rule.id, set()))} |")
    return "\n".join([*lines, *_beyond(), ""])
