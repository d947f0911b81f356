"""A launch gives the same bits whichever thread has run it: the caller's, where the call waits, or the driver's."""

import random

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

N = 1 << 17  # too much for a submit, and little for a call that waits
OPERATIONS = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "({a} > {b} ? {a} : {b})", "-{a}", "{a} * 0.37f")


def expression(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(("x[i]", "y[i]", "z[i]", "1.7f"))
    text = rng.choice(OPERATIONS)
    return f"({text.format(a=expression(rng, depth - 1), b=expression(rng, depth - 1))})"


def lane(prepared: sycl.PreparedKernel) -> str:
    return next(line[10:] for line in prepared.explanation.splitlines() if line.startswith("lane"))


@pytest.mark.parametrize("seed", sweep(range(40), range(6)))
def test_every_lane_gives_the_same_bits(queue: sycl.Queue, seed: int) -> None:
    if queue.device._facts["awaited_budget_ns"] == 0:
        pytest.skip("a call that waits has no other lane")
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    while True:
        n = rng.randrange(N // 8, N)
        x, y, z = (numbers.standard_normal(n, dtype=np.float32) for _ in range(3))
        start = y.copy()
        prepared = queue.kernel(n, f"y[i] = {expression(rng, 2)} + x[i] * z[i];", x=x, y=y, z=z)
        if lane(prepared).startswith("the driver's threads, and the calling thread"):
            break
    prepared()
    awaited = y.tobytes()
    y[:] = start
    prepared(wait=False).wait()
    assert y.tobytes() == awaited


@pytest.mark.parametrize("n", [1 << 14, 1 << 16, 100003, 1 << 17])
def test_sums_have_the_same_bits(queue: sycl.Queue, n: int) -> None:
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    total = np.zeros(1, np.float32)
    text, sums = "s += x[i] * x[i];", set()
    for waits in (True, False):
        reduction = sycl.reduction(total, sycl.plus)
        total[:] = 0
        queue.parallel_for(n, text, x=x, s=reduction, wait=waits).wait()
        sums.add(total.tobytes())
    assert len(sums) == 1


def test_a_submit_that_nobody_waits_for_is_left_to_the_driver(queue: sycl.Queue) -> None:
    """How long the calling thread works: only where it would wait for the driver's does it do a launch itself."""
    if queue.device._facts["row"] != "PoCL on the CPU":
        pytest.skip("the sizes are those of another device")
    x, y = np.ones(8 * N, np.float32), np.zeros(8 * N, np.float32)
    assert lane(queue.kernel(1 << 12, "y[i] = x[i];", x=x, y=y)).startswith("the calling thread")
    assert lane(queue.kernel(N, "y[i] = x[i];", x=x, y=y)).startswith("the driver's threads, and the calling thread")
    assert lane(queue.kernel(8 * N, "y[i] = sin(x[i]);", x=x, y=y)).startswith("the driver's threads: estimated")


@pytest.mark.parametrize("text", ["s += x[i];", "s.combine(x[i]);"], ids=["sum", "maximum"])
@pytest.mark.parametrize("n", [3, 1000, 1 << 12, 10007, 1 << 16])
def test_scans_have_the_same_bits(queue: sycl.Queue, n: int, text: str) -> None:
    """Of the calling thread, which does small ones in a call that waits, and of the driver's threads."""
    x = np.random.default_rng(n).standard_normal(n, dtype=np.float32)
    results = set()
    for waits in (True, False):
        y, total = np.zeros(n, np.float32), np.zeros(1, np.float32)
        scanner = sycl.scanner(sycl.plus if "+=" in text else sycl.maximum, np.float32, total=total)
        queue.parallel_scan(n, text, "y[i] = s;", x=x, y=y, s=scanner, wait=waits).wait()
        assert total[0] == y[-1]
        results.add(y.tobytes())
    assert len(results) == 1


def test_a_small_scan_has_two_lanes(queue: sycl.Queue) -> None:
    if queue.device._facts["row"] != "PoCL on the CPU":
        pytest.skip("the sizes are those of another device")
    x, y = np.ones((2, 10007), np.float32)
    scan = queue.scan_kernel(x.size, "s += x[i];", "y[i] = s;", x=x, y=y, s=sycl.scanner(sycl.plus, np.float32))
    assert lane(scan).startswith("the driver's threads, and the calling thread")
