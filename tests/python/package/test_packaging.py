"""The installed package and the checkout that hides it: which files an import takes, and what it refuses."""

import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import pysycl as sycl
from pysycl import _core

ROOT = Path(__file__).resolve().parents[3]
CORE = Path(str(_core.__file__))
PACKAGE = CORE.parent  # of an installed package; an editable one has its core in the build folder

installed_only = pytest.mark.skipif(
    not (PACKAGE / "__init__.py").is_file(), reason="an editable install: its finder comes first and rebuilds"
)


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)


def last_line(child: subprocess.CompletedProcess[str]) -> str:
    return (child.stderr.strip().splitlines() or [""])[-1]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the manifest covers."""
    copy = tmp_path / "checkout"
    for folder in ("pysycl", "csrc", "kernels"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("meson.build", "pyproject.toml"):
        shutil.copy(ROOT / file, copy / file)
    return copy


WHERE = """
import pysycl, sys
import pysycl.device, pysycl.queue
print(*{m.__file__.rpartition("/")[0] for n, m in sys.modules.items()
        if n.startswith("pysycl") and n not in ("pysycl._checkout", "pysycl._build")}, sep="\\n")
"""


@installed_only
@pytest.mark.parametrize("here", ["checkout", "elsewhere"])
def test_every_module_comes_from_the_installed_package(here: str, checkout: Path, tmp_path: Path) -> None:
    child = python("-c", WHERE, cwd=checkout if here == "checkout" else tmp_path)
    assert child.stderr == ""
    folders = [Path(folder) for folder in child.stdout.split()]
    assert PACKAGE in folders and all(folder.is_relative_to(PACKAGE) for folder in folders)


@installed_only
def test_data_files_come_from_the_installed_package(checkout: Path) -> None:
    code = "import importlib.resources as r, pysycl; print(r.files('pysycl'))"
    assert python("-c", code, cwd=checkout).stdout.strip() == str(PACKAGE)


def test_python_m_works_from_the_root_and_from_elsewhere(tmp_path: Path) -> None:
    for folder in (ROOT, tmp_path):
        child = python("-m", "pysycl", "--help", cwd=folder)
        assert child.returncode == 0, child.stderr
        assert "demo" in child.stdout


@installed_only
@pytest.mark.parametrize(
    "name", ["csrc/base/text.c", "csrc/base/status.h", "pysycl/queue.py", "kernels/selftest/self_check.cl"]
)
def test_an_installation_from_other_sources_is_refused(name: str, checkout: Path) -> None:
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    child = python("-c", "import pysycl", cwd=checkout)
    assert child.returncode == 1
    assert last_line(child).startswith("ImportError: ")
    assert f"{name} differs" in last_line(child)
    assert "-m pip install ." in last_line(child)
    assert "During handling" not in child.stderr


@installed_only
def test_a_module_that_the_installation_lacks_is_a_difference(checkout: Path) -> None:
    (checkout / "pysycl/novelty.py").write_text('"""New."""\n', encoding="utf-8")
    child = python("-c", "import pysycl", cwd=checkout)
    assert "pysycl/novelty.py differs" in last_line(child)


def test_a_checkout_without_installation_says_the_command(checkout: Path) -> None:
    """-S leaves site-packages and every finder that an editable install adds out."""
    child = python("-S", "-c", "import pysycl", cwd=checkout)
    assert child.returncode == 1
    assert last_line(child).startswith("ImportError: pysycl is not installed for this Python")
    assert f"{sys.executable} -m pip install .` in {checkout}" in last_line(child)
    assert "During handling" not in child.stderr


def test_a_core_of_another_interpreter_is_not_taken(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "site/pysycl"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "_core.cpython-39-x86_64-linux-gnu.so").touch()
    child = python("-S", "-c", f"import sys; sys.path.append({str(other.parent)!r}); import pysycl", cwd=checkout)
    assert "not installed for this Python" in last_line(child)


def test_the_version_stands_in_one_place() -> None:
    declared = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))
    assert declared is not None
    assert sycl.__version__ == importlib.metadata.version("pysycl") == declared[1]
    assert declared[1] not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_core_is_built_for_this_interpreter() -> None:
    assert CORE.name == f"_core{EXTENSION_SUFFIXES[0]}"


def test_nothing_is_built_into_the_source_tree() -> None:
    built = {".so", ".o", ".a", ".pyd", ".dylib"}
    sources = [path for folder in ("pysycl", "csrc", "kernels") for path in (ROOT / folder).rglob("*")]
    assert not [path for path in sources if path.suffix in built]


def test_only_the_init_function_is_exported() -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm")
    listing = subprocess.run([nm, "-D", "--defined-only", str(CORE)], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in listing.stdout.splitlines()] == ["PyInit__core"]


def test_the_core_needs_no_opencl_library() -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("no readelf")
    listing = subprocess.run([readelf, "-d", str(CORE)], capture_output=True, text=True, check=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", listing.stdout)
    assert needed
    assert not [name for name in needed if not re.match(r"(?:libc|libm|libdl|libpthread|ld-linux.*)\.so", name)]


def test_the_kernels_are_installed_to_be_read() -> None:
    from importlib.resources import files

    shipped = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "kernels").rglob("*.cl*")}
    assert shipped
    assert {path.name: path.read_text(encoding="utf-8") for path in (files("pysycl") / "kernels").iterdir()} == shipped


def test_the_package_is_typed() -> None:
    from importlib.resources import files

    assert (files("pysycl") / "py.typed").is_file()
    assert (files("pysycl") / "_core.pyi").is_file()
