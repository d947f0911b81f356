"""Samples of sorted blocks: where to cut them, so that pieces of equal ranges of elements can be sorted apart."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array

# Of each block: parts come out within a few per cent of their mean length, unless few elements differ.
_SAMPLES: Final = 64


def samples_of(keys: Array) -> Array:
    """Some of a sorted block, equally far apart."""
    import numpy as np

    count = min(_SAMPLES, len(keys))
    return keys[np.linspace(0, len(keys) - 1, count).astype(np.int64)] if count else keys[:0]


def splitters_of(samples: list[Array], parts: int) -> Array:
    """Where parts begin: of all samples in order, equally far apart."""
    import numpy as np

    every = np.sort(np.concatenate(samples))
    return every[(np.arange(1, parts) * len(every)) // parts] if len(every) else every


def ranges_of(keys: Array, splitters: Array, parts: int) -> list[tuple[int, int]]:
    """Of a sorted block, from where to where it goes to each part: equal elements to one, so that their order stays."""
    import numpy as np

    end = len(keys)
    at = [0, *np.searchsorted(keys, splitters, "left").tolist(), end] if len(splitters) else [0, end]
    found = list(pairwise(at))
    return found + [(end, end)] * (parts - len(found))
