"""What a replay costs: 100 recorded commands against the same 100 submitted one by one, dependent and independent, small
enough for the calling thread and too large for it.

    python tests/bench/replay.py [ROUNDS]

All in one process, taking turns: a round is 100 commands and one wait. Nothing is asserted; the ratio to look for is
replay : submitted, 0.5 or less for small commands on PoCL.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl

SOURCE = """
__kernel void scale(__global float *y, __global const float *x, float a) { y[get_global_id(0)] = a * x[get_global_id(0)]; }
"""
COMMANDS = 100


class Commands:
    """100 launches: each after the one before, or each on its own buffer."""

    def __init__(self, items: int, dependent: bool) -> None:
        self.queue, self.items = sycl.Queue(), items
        self.kernel = sycl.Program(SOURCE).scale
        first = sycl.Buffer(np.ones(items, np.float32))
        others = [sycl.Buffer(np.ones(items, np.float32)) for _ in range(1 if dependent else COMMANDS)]
        pair = (first, others[0])
        self.pairs = [
            (pair[i % 2], pair[1 - i % 2]) if dependent else (others[i], first) for i in range(COMMANDS)
        ]  # (written, read)
        with self.queue.record() as self.recording:
            self.submit()
        with self.queue.record() as self.named:
            for y, x in self.pairs:
                self.queue.parallel_for(items, self.kernel, y, x, sycl.Parameter("a", 1.0))
        self.prepared = [self.queue.kernel(items, self.kernel, y, x, 1.0) for y, x in self.pairs]

    def submit(self) -> None:
        launch, items, kernel = self.queue.parallel_for, self.items, self.kernel
        for y, x in self.pairs:
            launch(items, kernel, y, x, 1.0)

    def submitted(self, count: int) -> None:
        for _ in range(count // COMMANDS):
            self.submit()
            self.queue.wait()

    def prepared_kernels(self, count: int) -> None:
        for _ in range(count // COMMANDS):
            for kernel in self.prepared:
                kernel()
            self.queue.wait()

    def replayed(self, count: int) -> None:
        for _ in range(count // COMMANDS):
            self.recording.replay().wait()

    def replayed_with_numbers(self, count: int) -> None:
        for _ in range(count // COMMANDS):
            self.named.replay(a=1.0).wait()


def report(items: int, dependent: bool, rounds: int) -> None:
    commands = Commands(items, dependent)
    ways: list[tuple[str, Callable[[int], None]]] = [
        ("submitted one by one", commands.submitted),
        ("prepared kernels, called one by one", commands.prepared_kernels),
        ("replayed", commands.replayed),
        ("replayed, a number replaced in each", commands.replayed_with_numbers),
    ]
    contenders = [Contender(name, run) for name, run in ways]
    take_turns(contenders, rounds, 10 * COMMANDS)
    print(f"\n100 {'dependent' if dependent else 'independent'} commands of {items} work-items")
    print_table(
        ["", "us a command, median", "least", "to submitted"],
        [
            [c.name, f"{c.median * 1e6:.2f}", f"{c.least * 1e6:.2f}", f"{ratio(c, contenders[0]):.2f}"]
            for c in contenders
        ],
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print_machine("Replays of 100 commands", f"device  : {sycl.Device()!r}")
    for items in (64, 65536):
        for dependent in (True, False):
            report(items, dependent, rounds)


if __name__ == "__main__":
    main()
