"""Warnings of what a call makes of its elements, as NumPy has them: told where the user's line stands, whichever way the
call takes, and each time that it comes."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.spare import watch

if TYPE_CHECKING:
    import numpy as np

_PACKAGE: Final = __name__.partition(".")[0]


def warn_of_parts(given: np.dtype[Any], to: np.dtype[Any], map: str | None) -> None:
    """An imaginary part that is lost."""
    if given.kind == "c" and to.kind not in "cb" and map is None:
        from numpy.exceptions import ComplexWarning

        warn("Casting complex values to real discards the imaginary part", ComplexWarning)


def warn(words: str, kind: type[Warning]) -> None:
    """As of the line that has called the package; calls alike will tell it, too."""
    watch.differs()
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, kind, stacklevel=level)
