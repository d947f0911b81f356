"""What busy neighbours lose by the team, and what launches take beside them.

    python tests/bench/neighbour.py [LOG2_N[,LOG2_N...] [SECONDS [NEIGHBOURS]]]

A process on every processor counts. Meanwhile this one adds arrays, a launch in each period; for a while with the team, for
a while without, in turns. "neighbours" is how much they have counted with it, of what they did without: threads that
watch for work would take it from them. The launches are those of `middle.py`'s triad, each timed by itself; "of the
periods" is how many had one.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import RawArray
from typing import Any

import numpy as np
from report import print_machine, print_table

import pysycl as sycl
from pysycl import _core

PERIODS = (150e-6, 400e-6, 2000e-6)  # seconds
STEP, MOST = 8, 16  # counts of neighbours lie on lines of their own


def count_up(counts: Any, place: int) -> None:
    while True:
        for _ in range(10000):
            pass
        counts[place] += 1


def launch_for(seconds: float, period: float, call: Callable[[], object]) -> list[float]:
    """The times of launches; the rest of a period is spent awake, as a program that computes would."""
    times, clock = [], time.perf_counter
    before = clock()
    end = before + seconds
    while before < end:
        call()
        after = clock()
        times.append(after - before)
        due = before + period
        while (before := clock()) < due:
            pass
    return times


def row_of(call: Callable[[], object], counts: Any, period: float, seconds: float) -> list[str]:
    times: dict[int, list[float]] = {0: [], MOST: []}
    shares = []
    turns = max(1, int(seconds / 0.5))
    for _ in range(turns):
        done = {}
        for most in times:
            _core.team_insist(most, False)
            before, began = sum(counts), time.perf_counter()
            times[most] += launch_for(0.25, period, call)
            done[most] = (sum(counts) - before) / (time.perf_counter() - began)
        shares.append(done[MOST] / max(done[0], 1e-9))
    cells = [f"{statistics.median(shares):.2f}" if counts else "-"]
    for most in times:
        middle, late = np.percentile(times[most], [50, 99]) * 1e6
        cells += [f"{middle:.1f}", f"{late:.0f}", f"{len(times[most]) * period / (0.25 * turns):.2f}"]
    return cells


def main() -> None:
    sizes = [int(each) for each in sys.argv[1].split(",")] if len(sys.argv) > 1 else [15, 16, 18, 20]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    neighbours = int(sys.argv[3]) if len(sys.argv) > 3 else len(os.sched_getaffinity(0))
    queue, counts = sycl.Queue(), RawArray("Q", STEP * neighbours)
    start = multiprocessing.get_context("spawn").Process
    others = [start(target=count_up, args=(counts, STEP * place), daemon=True) for place in range(neighbours)]
    print_machine("The team beside neighbours", f"driver  : {queue.device.platform.version}, {neighbours} neighbours")
    for each in others:
        each.start()
    while neighbours and min(counts[::STEP]) == 0:
        time.sleep(0.01)
    rows = []
    for log2 in sizes:
        rng = np.random.default_rng(7)
        x, y, z = (rng.random(1 << log2, dtype=np.float32) for _ in "xyz")
        prepared = queue.kernel(x.size, "y[i] = x[i] + a * z[i];", x=x, y=y, z=z, a=0.5)
        np.testing.assert_allclose(prepared().wait() or y, x + np.float32(0.5) * z, rtol=1e-6)
        for period in PERIODS:
            row = row_of(lambda call=prepared: call().wait(), counts, period, seconds)
            rows.append([f"2^{log2}, {period * 1e6:.0f} us", *row])
    heads = [
        "launches, period",
        "neighbours",
        "without: us",
        "p99",
        "of the periods",
        "with the team: us",
        "p99",
        "of the periods",
    ]
    print_table(heads, rows)


if __name__ == "__main__":
    main()
