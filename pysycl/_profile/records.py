"""The records of a profile, as columns: a million commands are a few arrays, and objects only for those who ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pysycl import _core
from pysycl._profile.commands import HOST_KINDS, ProfiledCommand, ProfileRow
from pysycl._profile.roof import MEASURING

# As csrc/python/functions/profile.c writes them.
_NUMBERS = np.dtype(
    [(name, "u8") for name in ("serial", "queue", "submit", "start", "end", "bytes")]
    + [("text", "u4"), ("timed", "?"), ("failed", "?")],
    align=True,
)
_SEAM = re.compile(r"^\}\{.*$", re.MULTILINE)  # the line between the two texts of a scan

Places = NDArray[np.intp]


class Text(NamedTuple):
    """What commands share that are alike."""

    kind: str
    label: str
    site: str
    device: str
    call: str

    @property
    def title(self) -> str:
        """As a command has it."""
        return self.call or self.label


Key = Callable[[Text], tuple[str, str, str]]

KEYS: dict[str, Key] = {
    "text": lambda text: (text.kind, text.title, text.site),
    "line": lambda text: ("", "", text.site),
    "kind": lambda text: (text.kind, "", ""),
}


def _text(found: _core._TimedText) -> Text:
    device, kind, name, body, file, line, call = found
    # a body is its text, unless it was given a name
    label = " ".join(_SEAM.sub("", body).split()) if body and name == "body" else name
    site = f"{file}:{line}" if file else ""
    return Text(kind, label, site, device or "", f"{call}()" if call and kind == "kernel" else "")


class Records:
    """Commands in the order in which they ended; times are seconds since the block began, NaN where there are none."""

    def __init__(self, numbers: bytes, texts: list[_core._TimedText], began: int) -> None:
        all_of_them = np.frombuffer(numbers, _NUMBERS)
        # what a profile that was shown meanwhile has measured is nobody's command
        self._numbers = all_of_them[~np.isin(all_of_them["queue"], list(MEASURING))] if MEASURING else all_of_them
        self._began = began
        self._texts = self._with_builds([_text(found) for found in texts])

    def _with_builds(self, texts: list[Text]) -> list[Text]:
        """The build of a call's kernel is that call's, too."""
        last = np.full(len(texts), -1)
        np.maximum.at(last, self._numbers["text"], np.arange(len(self)))
        calls = {texts[k].label: texts[k] for k in np.argsort(last) if last[k] >= 0 and texts[k].call}
        return [
            text._replace(call=calls[text.label].call, site=calls[text.label].site)
            if text.kind == "build" and text.label in calls
            else text
            for text in texts
        ]

    def __len__(self) -> int:
        return len(self._numbers)

    def _times(self, name: str) -> NDArray[np.float64]:
        since = self._numbers[name].view(np.int64) - self._began
        return np.where(self._numbers["timed"], since / 1e9, np.nan)

    @property
    def number(self) -> int:
        """How many are commands, and no builds or waits."""
        return int(np.count_nonzero(self._numbers["serial"]))

    def among(self, ids: list[int]) -> set[int]:
        """Which of these are commands of the profile."""
        return set(np.array(ids, np.uint64)[np.isin(np.array(ids, np.uint64), self._numbers["serial"])].tolist()) - {0}

    def devices(self) -> set[str]:
        """The names of all devices."""
        return {self._texts[k].device for k in np.unique(self._numbers["text"])} - {""}

    def commands(self) -> tuple[ProfiledCommand, ...]:
        """An object each."""
        numbers = self._numbers
        columns = zip(
            (self._texts[k] for k in numbers["text"].tolist()),
            *(numbers[name].tolist() for name in ("queue", "serial")),
            *(self._times(name).tolist() for name in ("submit", "start", "end")),
            *(numbers[name].tolist() for name in ("bytes", "failed")),
            strict=True,
        )
        return tuple(ProfiledCommand._make((*text[:4], *rest, text.call)) for text, *rest in columns)

    def busy(self) -> float:
        """Seconds in which a device was at work, of whatever commands at a time."""
        if not len(self):
            return 0.0
        on_device = np.array([text.kind not in HOST_KINDS for text in self._texts])
        own = self._numbers["timed"] & on_device[self._numbers["text"]]
        start, end = self._times("start")[own], self._times("end")[own]
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
        reached = np.maximum.accumulate(np.concatenate(([0.0], end)))[:-1]
        return float(np.maximum(0.0, end - np.maximum(start, reached)).sum())

    # -- rows --

    def rows(self, what: str) -> list[ProfileRow]:
        """A row for each key, those that took longest first."""
        order = np.lexsort((self._times("start"), self._numbers["serial"]))
        return self._grouped(order, KEYS[what], whole=True)

    def _grouped(self, at: Places, key_of: Key, *, whole: bool) -> list[ProfileRow]:
        texts = self._numbers["text"][at]
        keys: dict[tuple[str, str, str], int] = {}
        of_text = np.zeros(len(self._texts), np.intp)
        for text in _in_order(texts):
            of_text[text] = keys.setdefault(key_of(self._texts[text]), len(keys))
        group = of_text[texts]
        ends = np.cumsum(np.bincount(group, minlength=len(keys)))
        groups = np.split(at[np.argsort(group, kind="stable")], ends[:-1])
        rows = (self._row(key, own, whole=whole) for key, own in zip(keys, groups, strict=False))
        return sorted(rows, key=lambda row: -row.total)

    def _row(self, key: tuple[str, str, str], at: Places, *, whole: bool) -> ProfileRow:
        """`whole`: a call of several kernels is one row."""
        kind, label, site = key
        numbers = self._numbers[at]
        own = numbers[numbers["timed"]]
        seconds = (own["end"] - own["start"]).view(np.int64) / 1e9
        parts: tuple[ProfileRow, ...] = ()
        if whole and label and label == self._texts[numbers["text"][0]].call:
            parts = self._parts(at)
        middle = float(np.median(seconds[1:])) if len(seconds) > 1 and not parts else None
        first = float(seconds[0]) if len(seconds) else 0.0
        each, moved = first if middle is None else middle, int(numbers["bytes"].max())
        alike = not parts and moved == numbers["bytes"].min()
        rate = moved / each if moved and each and alike else None
        return ProfileRow(kind, label, site, len(at), float(seconds.sum()), first, middle, rate, parts)

    def _parts(self, at: Places) -> tuple[ProfileRow, ...]:
        """A row for each kernel of a call, where it has several."""
        rows = self._grouped(at, lambda text: (text.kind, text.label, text.site), whole=False)
        return tuple(rows) if len(rows) > 1 else ()


def _in_order(numbers: NDArray[np.uint32]) -> Iterable[int]:
    """Each once, in the order in which they come."""
    found, first = np.unique(numbers, return_index=True)
    return [int(number) for number in found[np.argsort(first)]]
