"""One line while something takes long, gone afterwards: on a terminal, in a notebook, and nothing where output is kept.

The binding asks for it while the main thread waits for a compiler (csrc/python/progress.c), and tune() and the like
while they measure. PYSYCL_PROGRESS=0 draws nothing. What took long is said to the logger "pysycl" in any case.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from html import escape
from typing import Any

MOST_NAME = 40

_line: _Line | None = None


class _Terminal:
    """A terminal, or what shows one: a notebook's `!command` knows no erasing, so blanks are written over the line."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, text: str) -> None:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        if len(text) >= columns:  # a line that wraps is never gone
            text = f"{text[: max(columns - 12, 0)]}...{text[-8:]}"
        blank = " " * (self._width - len(text))
        sys.stderr.write(f"\r{text}{blank}" if text else f"\r{blank}\r")
        sys.stderr.flush()
        self._width = len(text)


class _Notebook:
    """A display of the cell that runs. What a cell has displayed stays in it: at the end as an empty text."""

    def __init__(self) -> None:
        self._shown: Any = None

    def __call__(self, text: str) -> None:
        from IPython.display import display

        data = {"text/plain": text, "text/html": f"<small><i>{escape(text)}</i></small>" if text else ""}
        if self._shown is None and text:
            self._shown = display(data, raw=True, display_id=True)
        elif self._shown is not None:
            self._shown.update(data, raw=True)


def _channel() -> Callable[[str], None] | None:
    """Where a person looks; None: nobody does, or wants it."""
    if os.environ.get("PYSYCL_PROGRESS") == "0":
        return None
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return _Notebook()
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


class _Line:
    """What is shown now. It is redrawn when a second has passed."""

    def __init__(self) -> None:
        self._draw = _channel()
        self._second = -1
        self.text = ""
        self.seconds = 0.0

    def update(self, text: str, seconds: float) -> None:
        self.text, self.seconds = text, seconds
        if self._draw is not None and int(seconds) != self._second:
            self._second = int(seconds)
            self._draw(f"pysycl: {text}, {seconds:.0f} s")

    def end(self) -> None:
        if self._draw is not None and self._second >= 0:
            self._draw("")
        import logging  # only where something took long

        logging.getLogger("pysycl").info("%s: %.1f s", self.text, self.seconds)


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= MOST_NAME else f"{line[: MOST_NAME - 3]}..."


def show(what: str, name: str, where: str, seconds: float, call: str | None = None) -> None:
    """The line says so: "building 'saxpy' for AMD EPYC", or in place of a text that nobody has written "building sort()"."""
    global _line
    if _line is None:
        _line = _Line()
    named = f"{call}()" if call else repr(_short(name))
    _line.update(f"{what} {named} for {where}", seconds)


def end() -> None:
    """The line goes."""
    global _line
    line, _line = _line, None
    if line is not None:
        line.end()
