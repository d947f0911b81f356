"""Cures of drivers' defects, as the comments beside them have it. Run as a script it writes the register: csrc/CURES.md.

A cure begins with a comment of which the first paragraph is "DRIVER VERSIONS: DEFECT. Gone when: TEST." The test fails on
that driver without the cure, and passes without it where the cure can go. Where there is no such test, the paragraph
ends with "Seen by: ..." instead. Another file of a cure begins with "Part of FILE: ...".
"""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
REGISTER = ROOT / "csrc/CURES.md"
DRIVERS = "PoCL|Intel|NVIDIA|Oclgrind"
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
CURE = re.compile(rf"((?:{DRIVERS}) [\d.][^:]*): (.+)\. (Gone when|Seen by): (.+)\.")
PART = re.compile(r"Part of ([\w/]+\.c)[:,]")
HEAD = """# Cures

Defects of drivers, and when their cures can go: once the test passes without the cure on the drivers that are still to be
supported. A cure that no test fails without says how the defect was seen. `python tests/cures.py` writes this table from
the comments that stand beside the cures.

| driver | defect | gone when | place |
| --- | --- | --- | --- |
"""


class Cure(NamedTuple):
    driver: str
    defect: str
    gone: str  # "Gone when", or "Seen by"
    test: str
    place: str


def first_paragraph(comment: str) -> str:
    text = re.sub(r"^ *\* ?", "", comment, flags=re.MULTILINE)
    return " ".join(text.split("\n\n")[0].split())


def first_paragraphs(path: Path) -> list[str]:
    """Of each comment of a file."""
    return [first_paragraph(match[1].strip()) for match in COMMENT.finditer(path.read_text(encoding="utf-8"))]


def sources() -> list[Path]:
    return sorted([*ROOT.glob("csrc/**/*.[ch]"), *ROOT.glob("kernels/**/*.clh")])


def cures() -> list[Cure]:
    return [
        Cure(*match.groups(), path.relative_to(ROOT).as_posix())
        for path in sources()
        for paragraph in first_paragraphs(path)
        if (match := CURE.fullmatch(paragraph))
    ]


def register() -> str:
    rows = sorted(cures())
    return HEAD + "".join(
        f"| {cure.driver} | {cure.defect} | {cure.test if cure.gone == 'Gone when' else 'seen by: ' + cure.test} "
        f"| {cure.place} |\n"
        for cure in rows
    )


if __name__ == "__main__":
    REGISTER.write_text(register(), encoding="utf-8")
