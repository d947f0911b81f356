"""The two texts of a scan, as the one text that a launch takes."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

from pysycl._data.invalid_axis import invalid_axis
from pysycl._kernels.user_text import MadeText, Part
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from typing import SupportsIndex

# The core's number for the linear id of the whole range (csrc/body/name.h).
_ALL: Final = 3
# Launches of the same texts find their kernel sooner by the same string. A full cache is emptied.
_MOST: Final = 512
_made: Final[dict[tuple[Any, ...], ScanText]] = {}


class ScanText(MadeText):
    """Both texts, with a line between them that the core knows (csrc/body/scan/scan.h)."""

    __slots__ = ("scan",)
    scan: tuple[int, int, bool]
    """The number of that line, the dimension that is scanned, and whether it is from the last element to the first."""


def _rank(range: Any) -> int:
    from pysycl.ranges import NdRange

    if isinstance(range, NdRange):
        raise InvalidParameterError("range: a scan is over an int or a tuple, and its groups are the device's affair")
    return len(range) if hasattr(range, "__len__") else 1


def _along(range: Any, axis: SupportsIndex | None) -> int:
    rank = _rank(range)
    if axis is None:
        return 0 if rank == 1 else _ALL
    try:
        number = index(axis)
    except TypeError:
        raise InvalidParameterError(f"axis: expected None or an int, got {axis!r}") from None
    if not -rank <= number < rank:
        raise invalid_axis(number, f"a range of {rank} dimension{'s' if rank > 1 else ''}")
    return number % rank


def _text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise InvalidParameterError(f"{name}: expected OpenCL C text, got {text!r}")
    return text


def _parts(name: str, text: str, above: int) -> tuple[Part, ...]:
    """All that is the user's in one of the two, below so many lines of the joint text."""
    if not isinstance(text, MadeText):
        return (Part("body", above + 1, name, text, ""),) if text.strip() else ()
    return tuple(part._replace(line=part.line + above) if part.file == "body" else part for part in text.parts)


def scan_text(
    range: Any, first: str, second: str | None, axis: SupportsIndex | None = None, reverse: bool = False
) -> ScanText:
    """The text for a launch over `range`."""
    along = _along(range, axis)
    caller = getattr(first, "caller", None)
    key = (first, second, along, bool(reverse), caller, getattr(first, "parts", None), getattr(second, "parts", None))
    try:
        found = _made.get(key)
    except TypeError:
        found = None
    if found is not None:
        return found
    behind = "" if second is None else _text("second", second)
    if not _text("first", first).strip():
        raise InvalidParameterError("first: there is no text that says what an element contributes")
    lines = first.count("\n") + 1
    seam = f"}}{{ /* scan {along}{' reverse' if reverse else ''} */"
    made = ScanText(
        f"{first}\n{seam}\n{behind}", _parts("first text", first, 0) + _parts("second text", behind, lines + 1), caller
    )
    made.scan = (lines + 1, along, bool(reverse))
    if len(_made) >= _MOST:
        _made.clear()
    _made[key] = made
    return made
