"""Array reductions as histograms, against np.bincount and kernels written by hand.

    python tests/bench/histogram.py [LOG2_N [ROUNDS [ways|named]]]

2^24 values (or 2^LOG2_N) of uchar or uint are counted in 16 to 2^24 bins: uniformly, and all in one bin. The kernels by
hand are two: a work-item for each compute unit with a copy of the bins, folded by a second kernel, and atomic operations
on the bins; the better of them counts. With `ways` every way of pysycl's is forced in its turn, which is how the rows of
csrc/algo/lower/spans.c were found; with `named` it is not histograms but few variables that the kernel names by
constants, in each way and as that many reducers of one variable, which is what csrc/algo/lower/private.c rests on. Takes
turns in one process and gives medians; ratios are times of the other over ours.
"""

from __future__ import annotations

import re
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
WAYS = ("copies", "copies folded", "fourfold", "alone", "shared", "local")
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


# Texts over floats x and y, and how many variables they name.
NAMED = {
    "moments": ("r[0] += x[i]; r[1] += x[i] * x[i]; r[2] += x[i] * x[i] * x[i]; r[3] += y[i];", 4),
    "counts": ("if (x[i] < 0.25f) r[0] += 1; else if (x[i] < y[i]) r[1] += 1; else r[2] += 1;", 3),
    "roots": ("r[0] += sqrt(x[i]); r[1] += exp(y[i]);", 2),
    "sixteen": ("".join(f"r[{k}] += x[i] * {k}.5f;" for k in range(15)) + "r[15] += y[i];", 16),
}


def launches(name: str, kernel: sycl.PreparedKernel) -> Contender:
    return Contender(name, repeat(lambda: kernel().wait()))


def named(queue: sycl.Queue, n: int, rounds: int) -> None:
    x, y = sycl.malloc_shared(n, np.float32, queue), sycl.malloc_shared(n, np.float32, queue)
    for each in (x, y):
        each.view()[:] = np.random.default_rng(1).random(n, np.float32)
    ways = ("private", "copies", "fourfold", "shared", "local")
    rows = []
    for name, (text, count) in NAMED.items():
        out, contenders = sycl.malloc_shared(count, np.float32, queue), []
        for way in ways:
            _core.force_span(way)
            r = sycl.reduction(sycl.span(out), sycl.plus, initialize_to_identity=True)
            contenders.append(launches(way, queue.kernel(n, text, x=x, y=y, r=r)))
        _core.force_span(None)
        single = re.sub(r"r\[(\d+)\]", r"r\1", text)
        given = {f"r{k}": sycl.malloc_shared(1, np.float32, queue) for k in range(count)}
        reductions = {k: sycl.reduction(v, sycl.plus, initialize_to_identity=True) for k, v in given.items()}
        contenders.append(launches("singly", queue.kernel(n, single, x=x, y=y, **reductions)))
        contenders[0].run(1)
        contenders[-1].run(1)
        assert np.allclose(out.view(), [v.view()[0] for v in given.values()], rtol=1e-4)
        take_turns(contenders, rounds, 3)
        mine = contenders[0]
        rows.append([name, f"{1e3 * mine.median:.2f}", *(f"{ratio(each, mine):.2f}" for each in contenders[1:])])
    print_table(["variables", "ms", *ways[1:], "singly"], rows)


def main(log2_n: str = "24", rounds: str = "7", ways: str = "") -> None:
    queue = sycl.Queue()
    if ways == "named":
        print_machine("variables by name", f"device  : {queue.device.name}, {queue.device.driver_version}")
        named(queue, 1 << int(log2_n), int(rounds))
        return
    print_machine("histograms", f"device  : {queue.device.name}, {queue.device.driver_version}")
    rows = [
        measure(queue, kind, bins, 1 << int(log2_n), int(rounds), skewed, ways == "ways")
        for kind, bins in CASES
        for skewed in (False, True)
    ]
    print_table(["values", "ms", "np.bincount", "by hand", *(WAYS if ways == "ways" else ())], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
