"""Array reductions as histograms, against np.bincount and kernels written by hand.

    python tests/bench/histogram.py [LOG2_N [ROUNDS [ways]]]

2^24 values (or 2^LOG2_N) of uchar or uint are counted in 16 to 2^24 bins: uniformly, and all in one bin. The kernels by
hand are two: a work-item for each compute unit with a copy of the bins, folded by a second kernel, and atomic operations
on the bins; the better of them counts. With `ways` every way of pysycl's is forced in its turn, which is how the rows of
csrc/algo/lower_spans.c were found. Takes turns in one process and gives medians; ratios are times of the other over ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl
from pysycl import _core

BY_HAND = """
kernel void copies(global const {type} *v, ulong n, global uint *copy, ulong bins)
{
    const ulong w = get_global_id(0), count = get_global_size(0);
    global uint *mine = copy + w * bins;
    for (ulong k = 0; k < bins; k++)
        mine[k] = 0;
    for (ulong i = n * w / count; i < n * (w + 1) / count; i++)
        mine[v[i]]++;
}
kernel void fold(global const uint *copy, uint copies, ulong bins, global uint *out)
{
    const ulong w = get_global_id(0), count = get_global_size(0);
    for (ulong k = bins * w / count; k < bins * (w + 1) / count; k++) {
        uint sum = out[k];
        for (uint c = 0; c < copies; c++)
            sum += copy[c * bins + k];
        out[k] = sum;
    }
}
kernel void atomics(global const {type} *v, ulong n, global uint *out)
{
    const ulong w = get_global_id(0), count = get_global_size(0);
    for (ulong i = n * w / count; i < n * (w + 1) / count; i++)
        atomic_inc((volatile global uint *)out + v[i]);
}
"""
WAYS = ("copies", "copies folded", "fourfold", "alone", "shared")
CASES = [
    ("uchar", 16),
    ("uchar", 256),
    ("uint", 16),
    ("uint", 256),
    ("uint", 4096),
    ("uint", 1 << 20),
    ("uint", 1 << 24),
]


def by_hand(queue: sycl.Queue, v: sycl.UsmArray, out: sycl.UsmArray, kind: str, bins: int) -> list[Contender]:
    program = sycl.Program(BY_HAND.replace("{type}", kind))
    units = queue.device.max_compute_units
    few, n = sycl.NdRange(units, 1), np.uint64(v.size)
    copies = sycl.malloc_shared(units * bins, np.uint32, queue)

    def with_copies(count: int) -> None:
        for _ in range(count):
            counted = queue.parallel_for(few, program.copies, v, n, copies, np.uint64(bins))
            queue.parallel_for(
                few, program.fold, copies, np.uint32(units), np.uint64(bins), out, depends_on=counted
            ).wait()

    def with_atomics(count: int) -> None:
        for _ in range(count):
            queue.parallel_for(few, program.atomics, v, n, out).wait()

    return [Contender("copies by hand", with_copies), Contender("atomics by hand", with_atomics)]


def ours(queue: sycl.Queue, v: sycl.UsmArray, out: sycl.UsmArray, way: str | None) -> Contender:
    _core.force_span(way)
    kernel = queue.kernel(v.size, "h[v[i]]++;", v=v, h=sycl.reduction(sycl.span(out), sycl.plus))
    _core.force_span(None)

    def run(count: int) -> None:
        for _ in range(count):
            kernel().wait()

    return Contender(way or "pysycl", run)


def repeat(work: Callable[[], object]) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in range(count):
            work()

    return run


def measure(queue: sycl.Queue, kind: str, bins: int, n: int, rounds: int, skewed: bool, ways: bool) -> list[str]:
    dtype = {"uchar": np.uint8, "uint": np.uint32}[kind]
    v, out = sycl.malloc_shared(n, dtype, queue), sycl.malloc_shared(bins, np.uint32, queue)
    v.view()[:] = bins // 2 if skewed else np.random.default_rng(0).integers(0, bins, n)
    values = v.view().copy()
    peer = Contender("np.bincount", repeat(lambda: np.bincount(values, minlength=bins)))
    hand = by_hand(queue, v, out, kind, bins)
    mine = [ours(queue, v, out, None), *(ours(queue, v, out, way) for way in WAYS if ways)]
    out.view()[:] = 0
    mine[0].run(1)
    assert np.array_equal(out.view(), np.bincount(values, minlength=bins))
    take_turns([*mine, peer, *hand], rounds, 1)
    best = min(hand, key=lambda each: each.median)
    row = [f"{kind}, {bins} bins, {'one' if skewed else 'uniform'}", f"{1e3 * mine[0].median:.1f}"]
    row += [f"{ratio(peer, mine[0]):.2f}", f"{ratio(best, mine[0]):.2f}"]
    return row + [f"{ratio(each, mine[0]):.2f}" for each in mine[1:]]


def main(log2_n: str = "24", rounds: str = "7", ways: str = "") -> None:
    queue = sycl.Queue()
    print_machine("histograms", f"device  : {queue.device.name}, {queue.device.driver_version}")
    rows = [
        measure(queue, kind, bins, 1 << int(log2_n), int(rounds), skewed, ways == "ways")
        for kind, bins in CASES
        for skewed in (False, True)
    ]
    print_table(["values", "ms", "np.bincount", "by hand", *(WAYS if ways == "ways" else ())], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
