"""The kernel cache: programs compiled by an earlier process, as files in `directory`.

An entry is found by everything that decides what a compiler makes: the text, the options, the driver and the device. It
is checked before a driver sees it, and whatever is wrong with it, or with the disk, only costs the time of compiling.
PYSYCL_CACHE=0 switches the cache off, PYSYCL_CACHE_DIR says where it is, and PYSYCL_CACHE_SIZE how many bytes it may
have (256M). They are read once.
"""

from __future__ import annotations

from typing import NamedTuple

from pysycl import _core

__all__ = ["CacheStatistics", "clear", "directory", "save", "stats"]

directory: str | None
"""Where the entries are; None: there is no cache."""


class CacheStatistics(NamedTuple):
    """The cache's work in this process, and its contents.

    Examples
    --------
    >>> figures = sycl.cache.stats()
    >>> figures.hits + figures.misses >= figures.stored
    True
    """

    hits: int
    """Programs that did not have to be compiled."""
    misses: int
    stored: int
    """Entries written."""
    rejected: int
    """Entries that were damaged, or that the driver did not want: they were removed, and the text was compiled."""
    unsaved: int
    """Entries that could not be written, or for which the end of the process left no time."""
    waiting: int
    """Programs that are written in a quiet moment, at the end, or by `save`."""
    seconds_saved: float
    """How long the hits took to compile when they were stored, less what they took now."""
    bytes: int
    """In the directory now, by whatever process."""
    entries: int

    def _repr_html_(self) -> str:
        from pysycl._notebook.html import table

        shown = self._asdict() | {"seconds_saved": f"{self.seconds_saved:.1f}", "bytes": f"{self.bytes:,}"}
        return table(("kernel cache", ""), shown.items(), left=(0,))


def stats() -> CacheStatistics:
    """The cache's work so far.

    Returns
    -------
    CacheStatistics
        A notebook shows a table.

    Examples
    --------
    >>> sycl.cache.stats().entries >= 0
    True
    """
    hits, misses, stored, rejected, unsaved, waiting, saved, size, entries = _core.cache_figures()
    return CacheStatistics(hits, misses, stored, rejected, unsaved, waiting, saved / 1e9, size, entries)


def clear() -> int:
    """Remove every entry, also while other processes use them.

    Returns
    -------
    int
        How many there were.

    Notes
    -----
    What has been built in this process stays built, and what waits to be written will be.

    Examples
    --------
    >>> sycl.cache.clear()  # doctest: +SKIP
    12
    """
    return _core.cache_clear()


def save() -> None:
    """Write now what waits to be written.

    Notes
    -----
    PoCL takes about as long as for compiling, and its answer stays what it was the first time: call this when every
    kernel has been launched, in a process that will not end by itself.

    Examples
    --------
    >>> sycl.cache.save()
    >>> sycl.cache.stats().waiting
    0
    """
    _core.cache_save()


def __getattr__(name: str) -> str | None:
    if name == "directory":
        return _core.cache_folder()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
