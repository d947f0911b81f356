"""tune: measures which of pysycl's shapes for reductions and scans is best on this machine, and remembers it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pysycl import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from pysycl.device import Device
    from pysycl.queue import Queue

_SIZES: Final = (1 << 16, 1 << 20, 1 << 24)
_BETTER: Final = 1.1  # less is noise
_WORSE: Final = 0.95  # at one size is too much, whatever it is at the others


class _Kind(NamedTuple):
    """What is measured in the name of all texts like it."""

    name: str
    text: str
    second: str | None
    """Of a scan."""
    rows: Callable[[Any], list[str]]
    force: Callable[[str | None], None]
    bytes: int
    """That an element is read and written with."""

    def prepare(self, queue: Queue, n: int, x: Any, out: Any) -> Any:
        """The kernel, in the row that is forced."""
        from pysycl._kernels.scanner import scanner
        from pysycl.operators import plus
        from pysycl.reductions import reduction

        if self.second is None:
            return queue.kernel(n, self.text, x=x, r=reduction(out[:1], plus, initialize_to_identity=True))
        return queue.scan_kernel(n, self.text, self.second, x=x, y=out, r=scanner(plus, x.dtype))


# Of reductions a text that reads as fast as it can, and one with a built-in function.
_KINDS: Final = (
    _Kind("sums", "r += x[i];", None, _core.reduction_rows, _core.force_reduction_row, 4),
    _Kind("sums of built-in functions", "r += exp(x[i]);", None, _core.reduction_rows, _core.force_reduction_row, 4),
    _Kind("scans", "r += x[i];", "y[i] = r;", _core.scan_rows, _core.force_scan_row, 8),
)


class Tuning(NamedTuple):
    """The findings about one kind of texts."""

    kind: str
    """"sums", "sums of built-in functions" or "scans": which texts it holds for."""
    row: str
    """The name of the shape that is taken; "": the one that pysycl's table says."""
    measured: str
    """In words, as `explain` says it."""


class Rates(NamedTuple):
    """What `tune` measured of one kind of texts."""

    sizes: tuple[int, ...]
    """Numbers of elements."""
    rows: Mapping[str, tuple[float, ...]]
    """Of each row, and of the table's choice as "", GB/s at each size."""


class Tunings(list[Tuning]):
    """What `tune` found out; a list that draws itself."""

    rates: Mapping[str, Rates] = {}
    """By kind, where this process has measured."""

    def plot(self, ax: Any = None) -> Any:
        """Draw the speeds of all rows, with matplotlib.

        Parameters
        ----------
        ax
            The axes to draw into; None: new ones.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        InvalidObjectError
            Nothing was measured in this process.
        """
        from pysycl._notebook.plots import bars
        from pysycl.errors import InvalidObjectError

        if not self.rates:
            raise InvalidObjectError("there is nothing to draw: this process has measured nothing, sycl.tune() does")
        names = list(dict.fromkeys(name for rates in self.rates.values() for name in rates.rows))
        missing = (float("nan"),) * len(_SIZES)
        groups = {
            f"{kind}, {n} floats": [rates.rows.get(name, missing)[k] for name in names]
            for kind, rates in self.rates.items()
            for k, n in enumerate(rates.sizes)
        }
        return bars(ax, [name or "the table's" for name in names], groups, "sycl.tune()", "GB/s")

    def _repr_html_(self) -> str:
        from pysycl._notebook.html import table

        return table(
            ("kind", "row", "measured"), [(t.kind, t.row or "the table's", t.measured) for t in self], left=range(3)
        )


_rates: dict[str, dict[str, Rates]] = {}  # by device and kind


def found(device: Device) -> list[Tuning]:
    """The findings for the device, measured by this process or an earlier one; empty: nothing was measured."""
    context: Any = _core.default_context(device)
    answers = [_core.tuned_get(context, number) for number in range(len(_KINDS))]
    tunings = Tunings(
        Tuning(kind.name, *answer) for kind, answer in zip(_KINDS, answers, strict=True) if answer is not None
    )
    tunings.rates = _rates.get(device.name, {}) if tunings else {}
    return tunings


class _Trial:
    """One row over one size: prepared once, run in turns with the others."""

    def __init__(self, queue: Queue, kind: _Kind, row: str | None, n: int, x: Any, out: Any) -> None:
        self.seconds: list[float] = []
        kind.force(row)
        try:
            self.kernel = kind.prepare(queue, n, x, out)
        finally:
            kind.force(None)
        self.run()
        self.seconds.clear()

    def run(self) -> None:
        began = time.perf_counter()
        self.kernel().wait()
        self.seconds.append(time.perf_counter() - began)


def _rounds(trials: list[_Trial], end: float) -> None:
    """In another order each time, so that nobody profits from who went before; at least three."""
    from random import sample

    turns = 0
    while turns < 3 or time.perf_counter() < end:
        for trial in sample(trials, len(trials)):
            trial.run()
        turns += 1


def _speed(trial: _Trial, against: _Trial) -> float:
    from statistics import median  # not with pysycl: it loads much

    return median(a / b for a, b in zip(against.seconds, trial.seconds, strict=True))


def _measure(queue: Queue, kind: _Kind, seconds: float) -> tuple[str, str]:
    """The row that is better than the table's, or "", and what was measured."""
    from statistics import geometric_mean

    import numpy as np

    from pysycl._runtime.progress import show
    from pysycl.usm import malloc_device

    names: list[str | None] = [None, *kind.rows(queue.device)]
    speeds: dict[str | None, list[float]] = {name: [] for name in names}
    rates: dict[str | None, list[float]] = {name: [] for name in names}
    most = queue.device.max_mem_alloc_size // 8
    sizes = [n for n in _SIZES if 4 * n <= most] or [_SIZES[0]]
    x: Any = malloc_device(sizes[-1], np.float32, queue)
    out: Any = malloc_device(sizes[-1] if kind.second is not None else 1, np.float32, queue)
    queue.fill(x, np.float32(0.5)).wait()
    began = time.perf_counter()
    for n in sizes:
        show("measuring", kind.name, queue.device.name, time.perf_counter() - began)
        trials = {name: _Trial(queue, kind, name, n, x, out) for name in names}
        _rounds(list(trials.values()), time.perf_counter() + seconds / len(sizes))
        for name, trial in trials.items():
            speeds[name].append(_speed(trial, trials[None]))
            rates[name].append(kind.bytes * n / min(trial.seconds) / 1e9)
    _rates.setdefault(queue.device.name, {})[kind.name] = Rates(
        tuple(sizes), {name or "": tuple(each) for name, each in rates.items()}
    )
    good = [name for name in names if min(speeds[name]) > _WORSE]
    best = max(good, key=lambda name: geometric_mean(speeds[name]))
    gain = geometric_mean(speeds[best])
    if best is None or gain < _BETTER:
        return (
            "",
            f"tuned: none of {len(names) - 1} rows is better than the table's: {rates[None][-1]:.1f} GB/s of {n} floats",
        )
    words = f"tuned: {gain:.2f} times as fast as the table's row; {rates[best][-1]:.1f} and {rates[None][-1]:.1f} GB/s"
    return best, f"{words} of {n} floats"


@_core.entry
def tune(queue_or_device: Queue | Device | None = None, *, seconds: float = 4.0, reset: bool = False) -> list[Tuning]:
    """Measure which shapes of reductions and scans are best on this machine, and take them from now on.

    pysycl shapes reductions and scans by tables that were measured on other machines. This measures all their rows that
    the device can have, in turns, and keeps the best in the cache's folder, for the device, its driver and this version
    of pysycl; later processes find it there. `explain` says what was chosen, and so does `python -m pysycl`.

    Parameters
    ----------
    queue_or_device
        What is measured; None: the default device.
    seconds
        About how long it may take, beyond what compiling takes.
    reset
        Measure nothing, and forget what was measured.

    Returns
    -------
    list[Tuning]
        What was found out; empty after a reset.

    Notes
    -----
    SYCL 2020 has no such thing. Kernels that are prepared already keep their shape. Other programs on the machine
    disturb: two runs that differ tell of that.

    Examples
    --------
    >>> sycl.tune(queue, reset=True)
    []
    """
    from pysycl._runtime.progress import end
    from pysycl.queue import Queue

    queue = queue_or_device if isinstance(queue_or_device, _core.Queue) else Queue(queue_or_device)
    context: Any = _core.default_context(queue.device)
    for number in range(len(_KINDS)):
        _core.tuned_set(context, number, "", "")
    try:
        for number, kind in enumerate(_KINDS if not reset else ()):
            row, words = _measure(queue, kind, seconds / len(_KINDS))
            _core.tuned_set(context, number, row, words)
    finally:
        end()
    return found(queue.device)
