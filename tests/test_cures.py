"""Cures of drivers' defects: each says of which driver, and which test tells that it can go; nothing else names drivers."""

import re

import pytest
from cures import CURE, DRIVERS, PART, REGISTER, ROOT, cures, first_paragraph, first_paragraphs, register

ROOMS = sorted(path for path in ROOT.glob("csrc/*/cures") if path.is_dir())

# Words that hold a driver's name and are not the name of one: extensions of OpenCL, which any driver may have.
EXTENSIONS = re.compile(
    r"cl_intel_\w+|\w+INTEL\b|SYC_CL_INTEL_USM|(?:has_)?intel_usm|(?:__)?intel_(?:reqd_)?sub_group_\w*"
)

# The files of csrc, beside cures and facts, that name drivers in code, and what for. The list may only shrink.
NAMING = {
    "algo/lower": "names of rows, and how they were measured",
    "cl/driver.c": "a library that is no driver, and the version of PoCL",
    "cl/search.c": "where drivers lie",
    "cl/wheels.c": "where drivers lie",
    "memory/usm": "the provider of unified shared memory that is an extension of Intel's",
    "program/cache/settings.c": "variables of the environment that drivers read",
    "python/types/device.c": "the documentation of a name without its end",
    "source/preprocessor/condition.c": "how words begin that compilers define",
}


def code(text: str) -> str:
    """Without comments, includes and words of extensions."""
    text = re.sub(r"/\*.*?\*/|^\s*#\s*include[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    return EXTENSIONS.sub("", text)


def test_each_file_of_a_room_of_cures_says_of_which_defect() -> None:
    wrong = []
    for path in (file for room in ROOMS for file in sorted(room.glob("*.c"))):
        first = first_paragraphs(path)[0]
        part = PART.match(first)
        whole = first_paragraphs(ROOT / "csrc" / part[1])[0] if part else first
        if not CURE.fullmatch(whole):
            wrong.append(f"{path.relative_to(ROOT)}: {first}")
    assert len(ROOMS) > 3 and not wrong


def test_the_tests_that_cures_name_exist() -> None:
    wrong = []
    for cure in cures():
        file, _, function = cure.test.partition("::")
        if cure.gone == "Gone when" and not (
            (ROOT / file).is_file() and f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")
        ):
            wrong.append(f"{cure.place}: {cure.test}")
    assert len(cures()) > 30 and not wrong


def test_what_begins_like_a_cure_is_one() -> None:
    """A comment with a slip in it would be in no register."""
    words = re.compile(r"(?:Gone when|Seen by):")
    paths = [*ROOT.glob("csrc/**/*.[ch]"), *ROOT.glob("kernels/**/*.clh")]
    said = sum(len(words.findall(path.read_text(encoding="utf-8"))) for path in paths)
    assert said == len(cures())


def test_the_register_is_what_the_comments_say() -> None:
    assert REGISTER.read_text(encoding="utf-8") == register(), "python tests/cures.py"


def test_drivers_are_named_where_they_are_cured_and_measured() -> None:
    named = set()
    for path in sorted(ROOT.glob("csrc/**/*.[ch]")):
        name = path.relative_to(ROOT / "csrc").as_posix()
        elsewhere = path.parent not in ROOMS and not name.startswith("cl/facts.")
        if elsewhere and re.search(DRIVERS, code(path.read_text(encoding="utf-8")), re.IGNORECASE):
            named.add(next((place for place in NAMING if name.startswith(place)), name))
    assert named == set(NAMING)


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        (" PoCL 3.0 to 3.1: it loses a thing.\n * Gone when: a.py::b.\n *\n * Finds it.", True),
        (" Intel 2026.2: it is wrong. Seen by: a user. ", True),
        (" PoCL 3.0 loses a thing. Gone when: a.py::b.", False),
        (" PoCL 3.0: it loses a thing.", False),
        (" Finds it.\n *\n * PoCL 3.0: it loses a thing. Gone when: a.py::b.", False),
    ],
)
def test_a_comment_is_read_as_a_cure(comment: str, found: bool) -> None:
    assert bool(CURE.fullmatch(first_paragraph(comment.strip()))) is found


def test_names_in_code_are_told_from_those_of_extensions() -> None:
    for text, found in [
        ("bool is_pocl;", True),
        ('strstr(name, "NVIDIA")', True),
        ("/* PoCL */ x;", False),
        ('#include "a/pocl_b.h"', False),
        ("MemFreeINTEL(a); device->intel_usm", False),
    ]:
        assert bool(re.search(DRIVERS, code(text), re.IGNORECASE)) is found, text
