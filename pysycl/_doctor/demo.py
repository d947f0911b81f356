"""The demo: the Mandelbrot set, 4096 x 4096 points, by a kernel body on a NumPy array, and what the points come to by
reductions; checked against NumPy."""

import sys
import time
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

import pysycl as sycl
from pysycl._doctor.demo_reductions import reduce_points
from pysycl._doctor.picture import picture
from pysycl._doctor.progress import Progress

LEFT, TOP, WIDTH = -2.2, -1.5, 3.0
LIMIT = 200  # steps after which a point counts as inside
BANDS = 16  # launches, so that there is progress to show
NUMPY_ROWS = 32
STEP_FLOPS = 9  # operations of one step of one point
LANES = 8  # points of a work-item

# How many steps each of eight neighbours stays within a radius of 2. No contraction: each operation rounds as NumPy's.
PREAMBLE = "#pragma OPENCL FP_CONTRACT OFF"
BODY = """
const float8 lanes = (float8)(0, 1, 2, 3, 4, 5, 6, 7);
const float8 cx = left + pixel * ((float)(8 * i1) + lanes);
const float8 cy = (float8)(top + pixel * (float)(first + (int)i0));
float8 x = 0.0f, y = 0.0f;
int8 count = 0;

for (int step = 0; step < limit; step++) {
    float8 xx = x * x, yy = y * y;
    int8 inside = xx + yy <= 4.0f; // -1 where it holds
    if (!any(inside))
        break;
    count -= inside;
    y = (x + x) * y + cy;
    x = (xx - yy) + cx;
}
vstore8(count, 0, &steps(i0, 8 * i1));
"""


@dataclass(frozen=True)
class Run:
    """The device's results, and how long building and running took."""

    steps: NDArray[np.int32]
    build_seconds: float
    run_seconds: float


def on_device(queue: sycl.Queue, size: int, stream: TextIO) -> Run:
    """All points on the device, in bands of rows that are submitted at once and waited for in turn."""
    steps = np.empty((size, size), np.int32)
    rows = size // BANDS
    place: dict[str, Any] = {"left": np.float32(LEFT), "top": np.float32(TOP), "pixel": np.float32(WIDTH / size)}

    def band(first: int, count: int, limit: int) -> sycl.Event:
        lines = steps[first : first + count]
        return queue.parallel_for(
            (count, size // LANES), BODY, preamble=PREAMBLE, steps=lines, first=first, limit=limit, wait=False, **place
        )

    start = time.perf_counter()
    band(0, rows, 1).wait_and_throw()
    built = time.perf_counter()
    progress = Progress("Device   ", BANDS, stream)
    for done, event in enumerate([band(index * rows, rows, LIMIT) for index in range(BANDS)], 1):
        event.wait_and_throw()
        progress.update(done)
    queue.wait_and_throw()
    return Run(steps, built - start, time.perf_counter() - built)


def numpy_rows(size: int, rows: range) -> NDArray[np.int32]:
    """Some rows by NumPy, in the kernel's own order of operations."""
    pixel = np.float32(WIDTH / size)
    cx = np.float32(LEFT) + pixel * np.arange(size).astype(np.float32)
    cy = (np.float32(TOP) + pixel * np.array(rows).astype(np.float32))[:, None]
    x, y = np.zeros((len(rows), size), np.float32), np.zeros((len(rows), size), np.float32)
    steps = np.zeros(x.shape, np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(LIMIT):
            xx, yy = x * x, y * y
            steps += xx + yy <= 4
            y = (x + x) * y + cy
            x = (xx - yy) + cx
    return steps


def in_numpy(size: int, stream: TextIO) -> Run:
    """All points by NumPy, a few rows at a time, so that its arrays stay in the cache."""
    steps = np.empty((size, size), np.int32)
    progress = Progress("NumPy    ", size, stream)
    start = time.perf_counter()
    for first in range(0, size, NUMPY_ROWS):
        rows = range(first, min(first + NUMPY_ROWS, size))
        steps[rows.start : rows.stop] = numpy_rows(size, rows)
        progress.update(rows.stop)
    return Run(steps, 0.0, time.perf_counter() - start)


def report(run: Run, numpy: Run, stream: TextIO) -> bool:
    """Prints the check and the figures. True when every point is the same."""
    wrong = int(np.count_nonzero(run.steps != numpy.steps))
    operations = STEP_FLOPS * float(run.steps.sum(dtype=np.int64))
    verdict = "all equal" if wrong == 0 else f"{wrong} DIFFER"
    print(
        f"Check   : {run.steps.size} points against NumPy's, {verdict}\n"
        f"Build   : {run.build_seconds:.2f} s, with a first launch\n"
        f"Time    : {run.run_seconds:.3f} s, "
        f"{operations / run.run_seconds / 1e9:.1f} Gflop/s, "
        f"{run.steps.nbytes / run.run_seconds / 1e9:.2f} GB/s written\n"
        f"NumPy   : {numpy.run_seconds:.2f} s for the same points\n"
        f"Speed-up: {numpy.run_seconds / run.run_seconds:.1f} times NumPy, measured in this run",
        file=stream,
    )
    return wrong == 0


def demo(device: sycl.Device | str | None = None, size: int = 4096, stream: TextIO | None = None) -> bool:
    """Runs the demo on a device (the default one when None). True when the result agrees with NumPy's."""
    stream = sys.stdout if stream is None else stream
    if size % (LANES * BANDS) or size <= 0:
        raise ValueError(f"size is {size}, expected a positive multiple of {LANES * BANDS}")
    queue = sycl.Queue(device)
    print(
        f"Device  : {queue.device.name} ({queue.device.platform.name})\n"
        f"Job     : the Mandelbrot set, {size} x {size} points, at most {LIMIT} steps each",
        file=stream,
        flush=True,
    )
    run = on_device(queue, size, stream)
    same = report(run, in_numpy(size, stream), stream)
    same = reduce_points(queue, run.steps, stream) and same
    shown = (run.steps[:: max(1, size // 1024), :: max(1, size // 1024)] / LIMIT) ** 0.4
    print(picture(np.where(shown >= 1.0, 0.0, shown), stream), file=stream)
    print("The demo PASSED." if same else "The demo FAILED.", file=stream)
    return same
