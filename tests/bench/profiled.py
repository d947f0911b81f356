"""What a profile costs that is on: launches on the calling thread inside of one and outside, in one process, taking turns.

    python tests/bench/profiled.py [ROUNDS [COMMANDS]]

Each way to launch is measured with few elements, and with as many as make it take 3 us. Only the launches are timed, and
their thread's processor time, since nobody else works. Then one profile of COMMANDS commands, a million by default and half
as many again: a launch near its begin, near its end, beyond a million, and the memory. Nothing is asserted; the ratio to look
for is on : off, 1.05 or less at 3 us, and again : off, which is the noise.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio

import pysycl as sycl

TEXT = "y[i] = a * x[i] + y[i];"
COUNT, ENOUGH = 500, 3e-6
Launch = Callable[[], object]


def prepared(queue: sycl.Queue, n: int) -> Launch:
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    return queue.kernel(n, TEXT, x=x, y=y, a=0.5)


def body(queue: sycl.Queue, n: int) -> Launch:
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    return lambda: queue.parallel_for(n, TEXT, x=x, y=y, a=0.5)


def command_group(queue: sycl.Queue, n: int) -> Launch:
    x, y = sycl.Buffer(np.ones(n, np.float32)), sycl.Buffer(np.zeros(n, np.float32))

    def launch() -> None:
        with queue.submit() as h:
            h.parallel_for(n, TEXT, x=h.read(x), y=h.read_write(y), a=0.5)

    return launch


def seconds_of(launch: Launch, count: int = COUNT) -> float:
    before = time.thread_time_ns()
    for _ in range(count):
        launch()
    return (time.thread_time_ns() - before) / count * 1e-9


def profiled(queue: sycl.Queue, launch: Launch) -> float:
    with queue.profile():
        return seconds_of(launch)


def as_long(make: Callable[[sycl.Queue, int], Launch], queue: sycl.Queue) -> int:
    """So many elements that a launch takes 3 us."""
    n = 64
    while n < 1 << 20:
        launch = make(queue, n)
        seconds_of(launch)
        if min(seconds_of(launch) for _ in range(9)) >= ENOUGH:
            break
        n = n * 5 // 4 // 16 * 16
    return n


def compare(queue: sycl.Queue, launch: Launch, rounds: int) -> list[Contender]:
    ways = [
        Contender("off", lambda _: seconds_of(launch)),
        Contender("on", lambda _: profiled(queue, launch)),
        Contender("again", lambda _: seconds_of(launch)),
    ]
    for turn in range(rounds + 1):
        shift = turn % len(ways)
        for way in [*ways[shift:], *ways[:shift]]:
            seconds = way.run(COUNT)
            assert isinstance(seconds, float)
            if turn:  # first launches compile
                way.seconds.append(seconds)
    return ways


def print_ratios(queue: sycl.Queue, rounds: int) -> None:
    rows = []
    for name, make in (("prepared", prepared), ("body", body), ("command group", command_group)):
        for n in dict.fromkeys((64, as_long(make, queue))):
            off, on, again = compare(queue, make(queue, n), rounds)
            figures = (off.median * 1e6, on.median * 1e6, ratio(on, off), ratio(again, off))
            rows.append((name, f"{n}", *(f"{figure:.3f}" for figure in figures)))
    print_table(("launch", "elements", "off, us", "on, us", "on : off", "again : off"), rows)


def memory() -> float:
    """MiB at the most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def print_long(queue: sycl.Queue, commands: int) -> None:
    launch, at, rows = prepared(queue, 64), 0, []
    seconds_of(launch)
    before = memory()
    with queue.profile() as p:
        for name, until in (
            ("first", 20_000),
            ("to a million", 10**6 - 20_000),
            ("near it", 10**6),
            ("beyond", commands),
        ):
            rows.append(
                (name, f"{until - at}", f"{seconds_of(launch, until - at) * 1e6:.3f}", f"{memory() - before:.0f}")
            )
            at = until
        began = time.perf_counter()
    took = time.perf_counter() - began
    gc.collect()
    print_table(("commands", "how many", "us a launch", "MiB more"), rows)
    print(
        f"kept {len(p.commands)}, counted {p.lost}, the block's end {took:.1f} s, {memory() - before:.0f} MiB more at the most\n"
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 101
    queue = sycl.Queue()
    print_machine("profiles", f"device  : {queue.device.name}, {queue.device.driver_version}")
    print_ratios(queue, rounds)
    print_long(queue, int(sys.argv[2]) if len(sys.argv) > 2 else 1_500_000)


if __name__ == "__main__":
    main()
