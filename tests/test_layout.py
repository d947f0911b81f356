"""The layout of the repository: layers, who may name what, file sizes, build lists, and what may stand in a file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("base", "cl", "memory", "source", "library", "program", "body", "schedule", "algo", "python")
CODE = {".c", ".h", ".cl", ".clh", ".py", ".pyi"}
FOLDERS = ("csrc", "pysycl", "kernels", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def code_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders or FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in CODE)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def c_code(path: Path) -> str:
    """The file without comments and strings."""
    return COMMENT_OR_STRING.sub(" ", path.read_text(encoding="utf-8"))


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT / "csrc").parts[0]


def includes(path: Path) -> list[tuple[str, bool]]:
    """Each included header, and whether it stands in quotes."""
    text = path.read_text(encoding="utf-8")
    return [(match[1] or match[2], match[1] is not None) for match in INCLUDE.finditer(text)]


def test_the_core_has_the_agreed_layers() -> None:
    assert {path.name for path in (ROOT / "csrc").iterdir() if path.is_dir()} == set(LAYERS)


def test_a_layer_includes_only_itself_and_lower_ones() -> None:
    wrong = []
    for path in code_files("csrc"):
        for header, own in includes(path):
            if not own:
                continue
            layer = header.partition("/")[0]
            if layer not in LAYERS or LAYERS.index(layer) > LAYERS.index(layer_of(path)):
                wrong.append(f"{name(path)} includes {header}")
            elif not (ROOT / "csrc" / header).is_file():
                wrong.append(f"{name(path)} includes {header}, which does not exist")
    assert not wrong


def test_only_the_binding_names_python() -> None:
    outside = [path for path in code_files("csrc") if layer_of(path) != "python"]
    assert not [name(path) for path in outside if re.search(r"\bPy[A-Z_]\w*", c_code(path))]
    assert not [name(path) for path in outside for header, _ in includes(path) if header == "Python.h"]


def test_the_binding_never_imports_numpy() -> None:
    assert not [name(path) for path in code_files("csrc") for header, _ in includes(path) if "numpy" in header]


def test_opencl_is_called_only_through_the_tables() -> None:
    """A call by name would need libOpenCL, and no test could make it fail."""
    call = re.compile(r"(?<![\w.>])cl[A-Z]\w*\s*\(")
    assert not [f"{name(path)}: {m[0]}" for path in code_files("csrc") for m in call.finditer(c_code(path))]


def test_only_one_test_sees_the_official_headers() -> None:
    files = code_files("csrc", "tests/c")
    found = {name(path) for path in files for header, _ in includes(path) if header.startswith("CL/")}
    assert found <= {"tests/c/cl/test_declarations.c"}


def test_python_never_opens_a_driver_itself() -> None:
    """One loader, in C: ctypes or a foreign OpenCL binding beside it would load drivers twice."""
    foreign = re.compile(r"^\s*(?:import|from)\s+(?:ctypes|cffi|pyopencl)\b", re.MULTILINE)
    assert not [name(path) for path in code_files("pysycl") if foreign.search(path.read_text(encoding="utf-8"))]


def test_no_file_is_longer_than_500_lines() -> None:
    """But for stubs: a module's is one file, however long."""
    files = (path for path in code_files() if path.suffix != ".pyi")
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert not {path: lines for path, lines in lengths.items() if lines > 500}


def test_files_are_named_for_a_concept() -> None:
    """The conformance tests bear the names of the specification's sections, whatever they are."""
    vague = re.compile(r"(?:^|_)(?:utils?|common|helpers?|misc|stuff|tools?)(?:_|$)")
    own = [path for path in code_files() if "conformance" not in path.parts]
    assert not [name(path) for path in own if vague.search(path.stem)]


def test_every_file_begins_by_saying_what_it_is() -> None:
    opening = {".py": '"""', ".pyi": '"""'}
    wrong = []
    for path in code_files():
        first = path.read_text(encoding="utf-8").lstrip()
        if first and not first.startswith(opening.get(path.suffix, "/* ")):
            wrong.append(name(path))
    assert not wrong


FILE_NAME = re.compile(r"(?<![\w./<-])[a-z_0-9]+(?:/[a-z_0-9]+)*\.(?:c|h|cl|clh)\b(?!\.\w)")
NO_FILES_OF_OURS = {"_clang_opencl.h", "opencl-c-base.h", "kernel.cl"}  # the compiler's; a user's text in messages


def test_comments_name_files_that_there_are() -> None:
    """Where a file moves, whoever was led there by a comment would look for it in vain."""
    known = {path.name for path in code_files()} | NO_FILES_OF_OURS
    comments = [
        (path, match[0])
        for path in code_files("csrc", "kernels")
        for comment in re.findall(r"/\*.*?\*/", path.read_text(encoding="utf-8"), re.DOTALL)
        for match in FILE_NAME.finditer(comment)
    ]
    assert len(comments) > 100
    assert not [f"{name(path)}: {word}" for path, word in comments if word.rpartition("/")[2] not in known]


def build_list(path: Path) -> Path:
    """Rooms have no list of their own: the folder around them names their files with their paths."""
    return next(folder / "meson.build" for folder in path.parents if (folder / "meson.build").is_file())


def test_every_source_is_in_the_build_list_of_its_folder() -> None:
    """Lists are explicit: a file that is in none would be neither built nor installed nor noticed when it changes."""
    missing = []
    for path in code_files("csrc", "pysycl", "kernels"):
        build = build_list(path)
        if f"'{path.relative_to(build.parent).as_posix()}'" not in build.read_text(encoding="utf-8"):
            missing.append(name(path))
    listed = (ROOT / "tests/c/meson.build").read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests/c").rglob("*.c")):
        source = path.relative_to(ROOT / "tests/c")
        if f"'{source.as_posix()}'" not in listed and f"'{source.with_suffix('').as_posix()}'" not in listed:
            missing.append(name(path))
    assert not missing


def test_build_lists_name_only_files_that_exist() -> None:
    wrong = []
    for build in [*ROOT.glob("csrc/*/meson.build"), ROOT / "pysycl/meson.build", ROOT / "kernels/meson.build"]:
        for listed in re.findall(r"'([\w./]+\.(?:c|h|cl|clh|py|pyi|typed))'", build.read_text(encoding="utf-8")):
            if not (build.parent / listed).is_file() and listed not in {"kernel_texts.c", "_build.py", "_core.pyi"}:
                wrong.append(f"{name(build)}: {listed}")
    assert not wrong


def tracked_files() -> list[Path]:
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, or no git")
    return [path for part in listing.stdout.split("\0") if part and (path := ROOT / part).is_file()]


def test_nothing_tracked_names_a_place_on_one_machine() -> None:
    places = {str(ROOT), str(Path.home()), sys.prefix, sys.base_prefix, "/work", "/root"} - {"/", "/usr", "/usr/local"}
    homes = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, places))})(?![\w-])")
    wrong = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        wrong += [f"{name(path)}: {match[0]}" for match in homes.finditer(text) if path != Path(__file__).resolve()]
    assert not wrong


def test_the_top_level_is_as_agreed() -> None:
    agreed = {"csrc", "docs", "kernels", "notebooks", "pysycl", "tests", ".ci", ".clang-format", ".gitignore"}
    agreed |= {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "meson.build",
        "pyproject.toml",
    }
    assert {path.relative_to(ROOT).parts[0] for path in tracked_files()} <= agreed
