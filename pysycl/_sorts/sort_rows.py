"""Which form a sort takes: rows, each with what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl._algorithms.again import forget
from pysycl._devices.device_info import has_warps
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._sorts.sort_passes import Lines
    from pysycl.device import Device


class Row(NamedTuple):
    """A form, and the words for it."""

    name: str
    why: str
    measured: str


TILES: Final = Row(
    "tiles",
    "words are put in order by 8 bits after the other: all are counted at once, and groups of warps rank tiles of words in "
    "local memory, so that they leave it in runs; waits for other groups are bounded",
    "NVIDIA H100, device memory, times as fast as CUB, whose better type of counts is taken: 2^28 keys u4 1.0, f4 1.04, u8 .93, "
    "argsort (CUB: pairs) .85; 2^24 u4 .48, 2^20 .15, by the time of six launches. Times CuPy: 2^28 1.3, argsort 1.4; 2^24 .84",
)
DIGITS: Final = Row(
    "digits",
    "words are put in order by some bits after the other: counted, the counts scanned, moved; no group waits for another",
    "PoCL 3.0, 2 cores shared with other work, times as fast as NumPy with AVX-512: argsort of 2^18 and 2^20 32-bit keys "
    "2.2 and 4.1, of 64-bit keys 2.9 and 1.9; sort of 2^20 and 2^24 32-bit keys .2 and .4, of 64-bit keys .35 and .3. Of 2^18 "
    "32-bit and 64-bit keys 11 bits at a time were 1.6 and 2.5 times as fast as 8, of more the same",
)
BUCKETS: Final = Row(
    "buckets",
    "words are parted by their highest 11 bits that differ, and each part is sorted by itself, in a thread's cache",
    "PoCL 3.0, 2 cores shared with other work, processor time, 2^18, 2^20 and 2^22 elements, times as fast as digits: argsort "
    "of 64-bit keys 1.6, 2.6 and 2.6, of 32-bit keys 1.2, 1.6 and 1.7; 64-bit keys alone 1.6, 2.6 and 2.4, 32-bit keys alone "
    "1, 1.3 and 1.4. Against NumPy with AVX-512 on one core: 2^24 32-bit keys alone .5 of its speed, 64-bit keys .6, so that two "
    "cores come up with it",
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
NUMPY_PART: Final = Row(
    "NumPy's partition",
    "numpy.partition on the calling thread, which nothing of ours is quicker than in host memory",
    "2^20, 2^22 and 2^24 floats, beside 2 cores of PoCL 3.0 shared with other work: .1, .2 and .25 of the time of the row "
    "'digits of places'",
)
PLACES: Final = Row(
    "digits of places",
    "the word at each place is found by 8 bits after the other, of those that are like it so far; nothing is sorted",
    "PoCL 3.0, 2 cores shared with other work, times as fast as a sort of all: the median of 2^20, 2^22 and 2^24 floats "
    "1.2, 1.7 and 2.1",
)
THRESHOLD: Final = Row(
    "threshold",
    "each thread keeps those of its elements that are before the last one of the first k so far, and these few are sorted",
    "PoCL 3.0, 2 cores shared with other work, random, ascending and few values, times as fast as numpy.argpartition, which "
    "sorts nothing: 10 of 2^20, 2^22 and 2^24 floats 1.1, 3 to 10 and 6 to 11; 1000 of them .6, 1.8 to 3 and 3 to 4",
)
TREE: Final = Row(
    "tree",
    "the calling thread and its team look many values up side by side, in nodes of 16 keys that are compared at once",
    "2^20 and 2^22 values, 2 cores shared with other work, times as fast as NumPy, by processor time: in 2^16 64-bit integers 38 "
    "and 19, floats 47 and 28; in 2^19 and 2^21 64-bit integers 16 and 12. PoCL 3.0's threads, of which each item searches: .9",
)
MERGE_PATH: Final = Row(
    "merge path",
    "the result is cut into pieces, of which the calling thread and its team make four at a time",
    "2 cores shared with other work, times as fast as NumPy's stable sort of both, by processor time: 2^20 64-bit integers 6.5, "
    "floats 6.1; 2^22 4.1 and 5.4, where the new memory's pages are half of the time",
)
BAR: Final = Row(
    "bar",
    "the calling thread and its team hold blocks of elements against a bar, which few are before; the bar is of a sample, so "
    "that sorted elements are not the worst, and of a larger part of it where too few are before it",
    "2 cores shared with other work, times as fast as numpy.argpartition, which sorts nothing, by processor time: 10 of 2^20, "
    "2^22 and 2^24 floats, random, ascending and few values 5 to 10, 10 to 24, 8 to 17; 1000 of them 3 to 5, 7 to 13, 7 to 15",
)
TILED: Final = Row(
    "merges of tiles",
    "tiles are sorted in a group's local memory, and pairs of runs merged there, tile by tile: for any order",
    "NVIDIA H100, 2^16, 2^20 and 2^24 32-bit keys, times as fast as CUB's merge sort .18, .19 and .39; the row 'merges' .05, .05 "
    "and .04",
)
GROUPS: Final = Row(
    "threshold of groups",
    "each group keeps those of its elements that are before the last one of the first k so far, in local memory, and sorts them "
    "there; then others do so with what these have left",
    "NVIDIA H100, 100 of 2^16, 2^20 and 2^24 floats, times as fast as torch.topk 1.45, 1.05 and 1.63; the row 'digits of places' "
    ".07, .09 and .17",
)
TABLES: Final = Row(
    "tables",
    "each part of the elements has tables of its own, in which the calling thread and its team count them or add their weights",
    "2^20 and 2^22 elements, 2 cores shared with other work, times as fast as NumPy, by processor time: histograms of 256 even "
    "bins of bytes 9 to 17, of floats 3 to 4, of 99 uneven ones 1; unique values among 1000 with their counts 4 to 7. Of "
    "2^20, 2^22 and 2^24 64-bit keys sums of doubles and counts in one pass 1.1, 1.5 and 1.7, counts alone 2.4, 2.4 and 2.9; "
    "PoCL 3.0's threads .6, .7 and .9; 1.3 and 1.3",
)
DEVICE: Final = Row(
    "device",
    "that of the rows above which a device takes for memory of its own: for tests of these with arrays",
    "nothing is measured of it: no call takes it by itself",
)
ROWS: Final = (
    TILES,
    DIGITS,
    BUCKETS,
    MERGES,
    NUMPY,
    THREAD,
    NUMPY_PART,
    PLACES,
    THRESHOLD,
    GROUPS,
    TILED,
    TREE,
    MERGE_PATH,
    BAR,
    TABLES,
    DEVICE,
)

# Elements in host memory that are sorted on the calling thread: more are sorted by a device's threads sooner, but for keys
# alone. Of complex numbers NumPy's order is a merge sort's, which more threads come up with.
FEW: Final = 1 << 16
_FEW_COMPLEX: Final = 1 << 20
# Elements of a line in host memory of which NumPy's partition finds the first ones sooner than a device's threads.
_FEW_FIRST: Final = 1 << 18

# Elements of a line, of fewer of which the counts of digits outweigh the words: reckoned, not measured.
_LEAST_LINE: Final = 512

# Elements of a line, one of many, of fewer of which the marks of tiles outweigh the words: reckoned, not measured.
_LEAST_TILED: Final = 4096

# Of a line: the elements, and the bytes of a word with its position, from which on buckets were measured to be quicker; and
# the threads, of more of which one would have much of a line whose words are nearly all alike: reckoned, not measured.
_LEAST_BUCKETS: Final = 1 << 18
_LEAST_MOVED: Final = 8
_LEAST_ALONE: Final = 1 << 20  # of words alone that are as wide as half of that
_MOST_THREADS: Final = 8

# Elements of a line, of fewer of which a sort is as quick as the passes of a selection; and lines, of more of which the
# counts are more than the elements: reckoned, not measured.
_LEAST_SELECTED: Final = 1 << 12
_MOST_LINES: Final = 1 << 10
# Places in each line that are looked for at a time.
_MOST_PLACES: Final = 8
# How many times more elements than those that are kept a threshold is for.
_LEAST_SHARE: Final = 64
_LEAST_FEW_SHARE: Final = 4  # of few elements

# Elements of a line whose places are of 32 bits, all but the greatest; bytes of local memory that groups need to find the
# first ones.
_MOST_SHORT: Final = 2**32 - 1
_LEAST_LOCAL: Final = 1 << 15

_forced: list[Row | None] = [None]


def force_sort_row(name: str | None) -> None:
    """The row for sorts to come, as tests want it; None: the table's."""
    found = [row for row in ROWS if row.name == name]
    if name is not None and not found:
        raise InvalidParameterError(f"name: expected one of {', '.join(row.name for row in ROWS)}, got {name!r}")
    _forced[0] = found[0] if found else None
    forget()


def is_forced(row: Row | None = None) -> bool:
    """Does a test say which row is taken, or that it is this one?"""
    return _forced[0] is not None and (row is None or _forced[0] is row)


def _is_free() -> bool:
    """Is the row of a device the table's?"""
    return _forced[0] in (None, DEVICE)


def row_of(line: Lines, moved: int, position: np.dtype[Any], device: Device) -> Row:
    """The row for the words of lines on a device, with which so many bytes are moved, and of the type of positions in them."""
    if _forced[0] in (TILES, DIGITS, BUCKETS, MERGES):
        return _forced[0]
    if line.size < _LEAST_LINE:
        return MERGES
    if has_warps(device) and position.itemsize == 4 and (line.many == 1 or line.size >= _LEAST_TILED):
        return TILES
    few = line.many == 1 and device.is_cpu and device.max_compute_units <= _MOST_THREADS
    least = _LEAST_BUCKETS if moved >= _LEAST_MOVED else _LEAST_ALONE
    return BUCKETS if few and line.size >= least and 2 * moved >= _LEAST_MOVED else DIGITS


def merge_row(line: Lines, fits: bool, device: Device) -> Row:
    """The row for elements by the user's order; `fits`: a tile of them fits in a group's local memory."""
    can = fits and line.size < _MOST_SHORT and device.local_mem_size > _LEAST_LOCAL
    return TILED if can and (_forced[0] is TILED or (_is_free() and not device.is_cpu)) else MERGES


def place_row(line: Lines, places: int, is_number: bool) -> Row | None:
    """The row for elements at places of lines on a device. None: the lines are sorted."""
    if not is_number:
        return None
    if not _is_free():
        return PLACES if _forced[0] is PLACES and places else None
    small = line.size < _LEAST_SELECTED or line.many > _MOST_LINES
    return None if small or not 0 < places <= _MOST_PLACES else PLACES


def first_row(line: Lines, k: int, is_number: bool, device: Device, most: int) -> Row | None:
    """The row for the first k elements of lines on a device, of which groups find `most`. None: the lines are sorted."""
    if _forced[0] is THRESHOLD and is_number:
        return THRESHOLD
    by_groups = _forced[0] is GROUPS or (_is_free() and not device.is_cpu)
    if by_groups and is_number and k <= most and line.size < _MOST_SHORT and device.local_mem_size >= _LEAST_LOCAL:
        return GROUPS
    row = place_row(line, 1, is_number)
    return THRESHOLD if row is not None and device.is_cpu and _is_free() and k <= line.size // _LEAST_SHARE else row


def host_first_row(line: Lines, k: int, dtype: np.dtype[Any]) -> Row | None:
    """The row for the first k elements of lines in host memory, where that is none for a sort of all."""
    if not 0 < k <= line.size < 2**32 or dtype.kind not in "biuf":
        return None
    if _forced[0] is not None:
        return BAR if _forced[0] is BAR else None
    few = line.size <= _FEW_FIRST or line.many > 1
    if k <= line.size // (_LEAST_FEW_SHARE if few else _LEAST_SHARE):
        return BAR
    return NUMPY_PART if line.many == 1 else None


def host_row(total: int, dtype: np.dtype[Any], descending: bool, positions: bool) -> Row | None:
    """The row for elements in host memory, if that is one of the calling thread."""
    if _forced[0] is not None:
        can = dtype.kind in "biuf" if _forced[0] is THREAD else not descending
        return _forced[0] if _forced[0] in (NUMPY, THREAD) and can else None
    alone = not positions and not descending
    if dtype.names is not None or (dtype.kind == "c" and (descending or total > (_FEW_COMPLEX if alone else FEW))):
        return None
    if alone and dtype.str[1:] != "f2":  # of which NumPy 2.4's AVX-512 sort loses the order, and what a NaN says
        return NUMPY
    if total > FEW:
        return None
    return NUMPY if not descending and (dtype.kind == "c" or dtype.itemsize == 1) else THREAD
