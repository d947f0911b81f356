"""Where a line of the user's stands, in a notebook's words: cell [4]:3."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any


def shell() -> Any | None:
    """IPython's shell, if it runs."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def shows_all_frames() -> bool:
    """Has the user said `%xmode Verbose`?"""
    running = shell()
    return running is not None and running.InteractiveTB.mode == "Verbose"


def place(site: str) -> str:
    """The site file:line without folders, or as a line of a cell."""
    file, _, line = site.rpartition(":")
    running = shell()
    name = running.compile.format_code_name(file) if running is not None and file else None
    if name is not None and name[0] == "Cell":
        return f"cell {name[1].removeprefix('In').strip()}:{line}"
    return site.rpartition("/")[2]


def cell_that_runs() -> tuple[str, int]:
    """The name of its code, and the number before it in the notebook; those of a new one where no cell runs."""
    running = shell()
    frame: FrameType | None = sys._getframe()
    while running is not None and frame is not None:
        name = running.compile.format_code_name(frame.f_code.co_filename)
        if name is not None and name[0] == "Cell":
            return frame.f_code.co_filename, int(re.sub(r"\D", "", name[1]) or 0)
        frame = frame.f_back
    return "<cell>", running.execution_count if running is not None else 0
