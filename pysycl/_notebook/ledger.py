"""The ledger: behind each cell that used a device, one line of what it took."""

from __future__ import annotations

from typing import Any

from pysycl._profile.profile import Profile
from pysycl._runtime.lines import counted

_LIVE = (("buffer", "buffer"), ("usm", "USM allocation"))
_MOVED = ("to_device_bytes", "from_device_bytes", "staged_bytes")


class _Ledger:
    """Keeps a profile open while a cell runs. A cell that a magic runs inside of another is part of that one."""

    def __init__(self) -> None:
        self.profile: Profile | None = None
        self.depth = 0
        self.moved = 0

    def begin(self, info: Any = None) -> None:
        self.depth += 1
        if self.depth == 1:
            self.profile = Profile(None).__enter__()
            self.moved = _moved()

    def end(self, result: Any = None) -> None:
        self.depth = max(self.depth - 1, 0)
        if self.depth:
            return
        profile, self.profile = self.profile, None
        if profile is None:  # the cell that switched it on
            return
        profile.__exit__(None, None, None)
        words = _words(profile, _moved() - self.moved)
        if words:
            print(words)


def _moved() -> int:
    from pysycl.statistics import statistics

    counts = statistics()
    return sum(counts[name] for name in _MOVED)


def _words(profile: Profile, moved: int) -> str:
    from pysycl.statistics import statistics

    counts = statistics()
    rows = {row.kind: row for row in profile.by("kind")}
    number = sum(row.count for kind, row in rows.items() if kind not in ("build", "wait"))
    builds = rows["build"].count if "build" in rows else 0
    if not number and not builds:
        return ""
    took = f" ({rows['build'].total:.2f} s)" if builds else ""
    held = ", ".join(counted(counts[f"live_{name}"], words) for name, words in _LIVE)
    return (
        f"pysycl: {counted(number, 'command')}, {profile.busy * 1e3:.2f} ms on devices, {moved / 1e6:.1f} MB moved, "
        f"{counted(builds, 'build')}{took}, alive: {held}"
    )


_ledger = _Ledger()
_on = False


def switch(shell: Any, on: bool) -> None:
    """From the next cell on, or with this one no more."""
    global _on
    if on and not _on:
        shell.events.register("pre_run_cell", _ledger.begin)
        shell.events.register("post_run_cell", _ledger.end)
    elif _on and not on:
        _ledger.end()
        shell.events.unregister("pre_run_cell", _ledger.begin)
        shell.events.unregister("post_run_cell", _ledger.end)
    _on = on
