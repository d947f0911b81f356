"""Makes `import pysycl` work from the root of a checkout, where the source folder hides the installed package.

The compiled core is never built into the source tree. When `pysycl/__init__.py` finds none beside itself, `adopt` turns
the module over to the installed package, so that every other module comes from there. It refuses an installation that
was made from other sources than the checkout's: a test that silently runs yesterday's code is worse than an error.

The build runs this file too, to write the manifest of what it compiled and installed: _checkout.py ROOT OUTPUT FILE...
"""

from __future__ import annotations

import sys
import zlib
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

MANIFEST = "sources.txt"
INSTALL = f"{sys.executable} -m pip install ."


def checksum(path: Path) -> str:
    return f"{zlib.crc32(path.read_bytes()):08x}"


def changed_source(root: Path, manifest: Path) -> str | None:
    """The first source that is not what the installed package was made from; None when all are the same."""
    if not manifest.is_file():
        return MANIFEST
    recorded = dict(line.split(maxsplit=1)[::-1] for line in manifest.read_text(encoding="utf-8").splitlines())
    for name, expected in recorded.items():
        path = root / name
        if not path.is_file() or checksum(path) != expected:
            return name
    modules = sorted(path.relative_to(root).as_posix() for path in (root / "pysycl").rglob("*.py"))
    return next((name for name in modules if name not in recorded), None)


def installed_folder(checkout: Path) -> Path | None:
    """The folder of the installed package with a core for this interpreter, as `import` would find it elsewhere."""
    elsewhere = [entry for entry in sys.path if Path(entry).resolve() != checkout]
    package = PathFinder.find_spec("pysycl", elsewhere)
    if package is None or not package.has_location or package.submodule_search_locations is None:
        return None
    if PathFinder.find_spec("pysycl._core", package.submodule_search_locations) is None:
        return None
    return Path(package.submodule_search_locations[0])


def adopt(package: ModuleType) -> None:
    """Turn the package, loaded from a checkout's source folder, over to the installed one, or raise ImportError."""
    source = Path(package.__path__[0]).resolve()
    root = source.parent
    folder = installed_folder(root)
    if folder is None:
        raise ImportError(
            f"pysycl is not installed for this Python ({EXTENSION_SUFFIXES[0]}): {source} holds only its source. "
            f"Run `{INSTALL}` in {root}.",
            name="pysycl._core",
            path=str(source),
        ) from None
    changed = changed_source(root, folder / MANIFEST)
    if changed is not None:
        raise ImportError(
            f"the pysycl installed in {folder} was made from other sources than those in {root}: {changed} differs. "
            f"Run `{INSTALL}` there again (or install with --no-build-isolation -e to have every change taken up), "
            "or run Python from another folder to use what is installed.",
            name="pysycl._core",
            path=str(folder),
        ) from None
    start = str(folder / "__init__.py")
    loader = SourceFileLoader(package.__name__, start)
    package.__path__[:] = [str(folder)]
    package.__file__ = start
    package.__loader__ = loader
    if package.__spec__ is not None:
        package.__spec__.loader = loader
        package.__spec__.origin = start


def write_manifest(root: Path, output: Path, files: list[Path]) -> None:
    names = sorted((file.resolve().relative_to(root).as_posix(), file) for file in files)
    output.write_text("".join(f"{checksum(file)} {name}\n" for name, file in names), encoding="utf-8")


if __name__ == "__main__":
    write_manifest(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
