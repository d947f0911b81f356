"""Random scans: `python tests/python/scans/scan_random.py --count 100000 --force`.

A kind of case, of two texts (scan_cases.py) or of a function (scan_face_cases.py), has many cases, since its kernel is built
once. What is wrong is printed with the seed of its kind: `--seed S --count 100 --force` runs that again."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import scan_cases
import scan_face_cases

import pysycl as sycl
from pysycl import _core


def rows_of(device: sycl.Device) -> list[str | None]:
    """The rows that can be forced, and None: whatever the table says."""
    return [None, *_core.scan_rows(device)]


def texts(rng: np.random.Generator, queue: sycl.Queue) -> Any:
    """A kind of two texts."""
    return scan_cases, scan_cases.Kind(rng, None if queue.device.has("fp64") else ["i1", "u2", "i4", "u4", "f4", "c8"])


def function(rng: np.random.Generator, queue: sycl.Queue) -> Any:
    """A kind of a function."""
    return scan_face_cases, scan_face_cases.Kind(rng, int(rng.integers(1 << 20)), queue.device.has("fp64"))


class Run:
    """Kinds and their cases, and how many there were of each row."""

    def __init__(self, queue: sycl.Queue, rows: list[str | None]) -> None:
        self.queue, self.rows = queue, rows
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []

    def kind(self, seed: int, make: Any, count: int) -> None:
        """As many cases of the kind with that seed, until one is wrong."""
        rng = np.random.default_rng(seed)
        module, kind = make(rng, self.queue)
        row = self.rows[rng.integers(len(self.rows))]
        _core.force_scan_row(row)
        try:
            for _ in range(count):
                self.done[row or "the table's"] += 1
                module.check(rng, kind, self.queue)
        except (AssertionError, sycl.SyclError) as error:
            self.wrong.append(f"WRONG seed {seed} ({make.__name__}), row {row}: {kind!r}\n    {error}")
        finally:
            _core.force_scan_row(None)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first kind")
    parser.add_argument("--each", type=int, default=100, help="cases of a kind")
    parser.add_argument("--functions", type=float, default=0.1, help="the share of kinds that are of functions")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no new kind after as long")
    parser.add_argument("--force", action="store_true", help="one of the rows for each kind, whatever the device is")
    asked = parser.parse_args()
    queue = sycl.Queue()
    run = Run(queue, rows_of(queue.device) if asked.force else [None])
    start, seed = time.time(), asked.seed
    while run.done.total() < asked.count and time.time() - start < asked.seconds:
        make = function if seed % 10 < 10 * asked.functions else texts
        seed += 1
        before = len(run.wrong)
        run.kind(seed - 1, make, min(asked.each, asked.count - run.done.total()))
        print(*run.wrong[before:], sep="\n", end="\n" if run.wrong[before:] else "", flush=True)
    for row, count in sorted(run.done.items()):
        print(f"    {row}: {count}")
    print(
        f"{queue.device.name}: seeds {asked.seed} to {seed - 1}, {run.done.total()} cases, {len(run.wrong)} kinds wrong, "
        f"{time.time() - start:.0f} s"
    )
    return bool(run.wrong)


if __name__ == "__main__":
    sys.exit(main())
