"""Two GPUs of one host against one of them, in turns: reductions, a map, a scan and a sort of float32 or int32, in the
devices' memory and from the host's. Ratios above 1: two are quicker. Each part first runs with few elements, whose results
are compared, and has a time of its own: if it fails or is late, that is its row, and the next part goes on.

    python tests/bench/split.py [ELEMENTS] [KIND] [PART[,PART...]]
"""

import signal
import sys
import traceback
from collections.abc import Callable
from functools import cache
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import pysycl as sycl

ROUNDS, FEW = 7, 1 << 20
ENOUGH, MOST = 3.0, 25.0
"""Seconds of a part: no round begins after the one, and none lasts beyond the other."""
MAP = "x[i] = sqrt(x[i] * x[i] + 1.0f);"


def mapped(memory: Any, queue: Any) -> Any:
    queue.parallel_for(memory.shape[0], MAP, x=memory)
    return memory


def squares(memory: Any, queue: Any) -> Any:
    return sycl.sum(memory, map="x * x", accuracy="exact", queue=queue)


PARTS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "sum": (sycl.sum, "f4", "device"),
    "map": (mapped, "f4", "device"),
    "scan": (sycl.cumsum, "i4", "device"),
    "sort": (sycl.sort, "f4", "device"),
    "exact sum of squares": (squares, "f4", "device"),
    "argmax": (sycl.argmax, "f4", "device"),
    "mean": (sycl.mean, "f4", "device"),
    "var": (sycl.var, "f4", "device"),
    "sum from the host": (sycl.sum, "f4", "host"),
    "map from the host": (mapped, "f4", "host"),
    "scan from the host": (sycl.cumsum, "i4", "host"),
    "sort from the host": (sycl.sort, "f4", "host"),
}


def numbers(elements: int, dtype: str) -> np.ndarray:
    """Different ones near each other; far away they repeat, since as many new ones take longer than all the rest."""
    rng = np.random.default_rng(1)
    some = min(elements, (1 << 22) - 1)
    base = rng.random(some, np.float32) if dtype == "f4" else rng.integers(-99, 99, some, np.int32)
    return np.resize(base, elements)


def seconds(queues: list[sycl.Queue], call: Callable[[], object]) -> float:
    begun = perf_counter()
    call()
    for queue in queues:
        queue.wait()
    return perf_counter() - begun


def same(one: object, two: object) -> bool:
    """Sums of floating-point numbers are made in another order."""
    a, b = np.asarray(one), np.asarray(two)
    return bool(np.array_equal(a, b)) if a.size > 1 else bool(np.allclose(a, b, rtol=1e-5))


@cache
def prepared(both: sycl.Split, where: str, elements: int, dtype: str) -> tuple[Any, Any]:
    """An array for one queue, and for both."""
    x = numbers(elements, dtype)
    if where == "host":
        return x, x.copy() if elements == FEW else x
    return sycl.Buffer(x), both.put(x)


def numbers_agree(one: Callable[[], Any], two: Callable[[], Any]) -> bool:
    """Of results that are arrays nothing is said: few elements have told it."""
    first, second = one(), two()
    return not isinstance(second, np.generic) or same(first, second)


def row(name: str, elements: int, both: sycl.Split) -> str:
    function, dtype, where = PARTS[name]
    alone = both.queues[0]
    here, there = prepared(both, where, FEW, dtype)
    agree = same(np.array(function(here, queue=alone)), function(there, queue=both))
    here, there = prepared(both, where, elements, dtype)

    def one() -> Any:
        return function(here, queue=alone)

    def two() -> Any:
        return function(there, queue=both)

    agree &= numbers_agree(one, two)
    found: list[tuple[float, float]] = []
    begun = perf_counter()
    while len(found) < 2 or (len(found) < ROUNDS and perf_counter() - begun < ENOUGH):
        found.append((seconds([alone], one), seconds(list(both.queues), two)))
    a, b = (min(each) * 1e3 for each in zip(*found[1:], strict=True))
    ratio = median(x / y for x, y in found[1:])
    return f"{a:.2f} | {b:.2f} | {ratio:.2f} | {'same' if agree else 'DIFFERENT'}"


def late(*_: object) -> None:
    raise TimeoutError(f"not done in {MOST:.0f} s")


def main(elements: int, kind: str, parts: list[str]) -> None:
    devices = sycl.devices(kind)
    print(f"{elements} elements; {', '.join(device.name for device in devices[:2])}", flush=True)
    if len(devices) < 2:
        sys.exit(f"two devices of the kind {kind!r} are wanted, and there are {len(devices)}")
    both = sycl.split([sycl.Queue(device) for device in devices[:2]])
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, late)
    print("| what | one, ms | two, ms | ratio | results | the part took, s |\n|---|---|---|---|---|---|", flush=True)
    for name in parts:
        begun = perf_counter()
        try:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, MOST)
            told = row(name, elements, both)
        except Exception as error:  # whatever it is: the next part goes on
            traceback.print_exc()
            told = f"| | | {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
        print(f"| {name} | {told} | {perf_counter() - begun:.1f} |", flush=True)


if __name__ == "__main__":
    size = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1 << 30
    given = sys.argv[2] if len(sys.argv) > 2 else "gpu"
    main(size, given, sys.argv[3].split(",") if len(sys.argv) > 3 else list(PARTS))
