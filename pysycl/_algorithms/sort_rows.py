"""Which form a sort takes: rows, each with what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl._algorithms.sort_passes import Lines


class Row(NamedTuple):
    """A form, and the words for it."""

    name: str
    why: str
    measured: str


DIGITS: Final = Row(
    "digits",
    "words are put in order by 8 bits after the other: counted, the counts scanned, moved; no group waits for another",
    "PoCL 3.0, 2 cores shared with other work, times as fast as NumPy with AVX-512: argsort of 2^18 and 2^20 32-bit keys "
    "2.2 and 4.1, of 64-bit keys 2.9 and 1.9; sort of 2^20 and 2^24 32-bit keys .2 and .4, of 64-bit keys .35 and .3",
)
MERGES: Final = Row(
    "merges",
    "blocks are sorted by insertion and merged in pairs: for any order, and for lines too short for counts of digits",
    "not measured: where digits begin, at 512 elements, their 256 counts are half of what is read",
)
NUMPY: Final = Row(
    "NumPy",
    "numpy.sort on the calling thread, which nothing of ours is quicker than for keys alone in host memory",
    "2^6 to 2^16 elements, one thread: keys of 2 to 8 bytes .4 to .7 of the time of the row 'calling thread'; up to 2^24 "
    "against a device's threads: the row 'digits'",
)
THREAD: Final = Row(
    "calling thread",
    "digits of 8 bits on the calling thread: an array is sorted before a device's threads are awake",
    "2^10 to 2^16 elements, one thread, times as fast as numpy.argsort: 32 bits 3 to 24, 64 bits 1.3 to 8, 16 bits 1",
)
ROWS: Final = (DIGITS, MERGES, NUMPY, THREAD)

# Elements in host memory that are sorted on the calling thread: more are sorted by a device's threads sooner, but for keys
# alone. Of complex numbers NumPy's order is a merge sort's, which more threads come up with.
_FEW: Final = 1 << 16
_FEW_COMPLEX: Final = 1 << 20

# Elements of a line, of fewer of which the counts of digits outweigh the words: reckoned, not measured.
_LEAST_LINE: Final = 512

_forced: list[Row | None] = [None]


def force_sort_row(name: str | None) -> None:
    """The row for sorts to come, as tests want it; None: the table's."""
    found = [row for row in ROWS if row.name == name]
    if name is not None and not found:
        raise InvalidParameterError(f"name: expected one of {', '.join(row.name for row in ROWS)}, got {name!r}")
    _forced[0] = found[0] if found else None


def row_of(line: Lines) -> Row:
    """The row for the words of lines on a device."""
    if _forced[0] in (DIGITS, MERGES):
        return _forced[0]
    return DIGITS if line.size >= _LEAST_LINE else MERGES


def host_row(total: int, dtype: np.dtype[Any], descending: bool, positions: bool) -> Row | None:
    """The row for elements in host memory, if that is one of the calling thread."""
    if _forced[0] is not None:
        can = dtype.kind in "biuf" if _forced[0] is THREAD else not descending
        return _forced[0] if _forced[0] in (NUMPY, THREAD) and can else None
    alone = not positions and not descending
    if dtype.names is not None or (dtype.kind == "c" and (descending or total > (_FEW_COMPLEX if alone else _FEW))):
        return None
    if alone:
        return NUMPY
    if total > _FEW:
        return None
    return NUMPY if not descending and (dtype.kind == "c" or dtype.itemsize == 1) else THREAD
