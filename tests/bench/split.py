"""Two GPUs of one host against one of them, in turns: sum, scan, sort and a map of float32 or int32, in the devices' memory
and from the host's. Ratios above 1: two are quicker. Results are compared with those of one.

    python tests/bench/split.py [ELEMENTS] [cpu]
"""

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

import pysycl as sycl

ROUNDS = 7
MAP = "x[i] = sqrt(x[i] * x[i] + 1.0f);"


def seconds(queues: list, call: Callable[[], object]) -> float:
    begun = perf_counter()
    call()
    for queue in queues:
        queue.wait()
    return perf_counter() - begun


def same(one: object, two: object) -> bool:
    """Sums of floating-point numbers are made in another order."""
    a, b = np.asarray(one), np.asarray(two)
    return bool(np.array_equal(a, b)) if a.size > 1 else bool(np.allclose(a, b, rtol=1e-5))


def show(name: str, where: str, queues: list, one: Callable, two: Callable) -> None:
    agree = same(one(), two())
    found = []
    for _ in range(ROUNDS):
        found.append((seconds(queues, one), seconds(queues, two)))
    a, b = (min(each) * 1e3 for each in zip(*found, strict=True))
    ratio = median(x / y for x, y in found)
    print(f"| {name} | {where} | {a:.2f} | {b:.2f} | {ratio:.2f} | {'same' if agree else 'DIFFERENT'} |", flush=True)


def in_device_memory(queues: list, x: np.ndarray, k: np.ndarray) -> None:
    alone, both = queues[0], sycl.split(queues)
    here, there = sycl.Buffer(x), both.put(x)
    exact = {"map": "x * x", "accuracy": "exact"}

    def compare(name: str, function: Callable, **options: str) -> None:
        show(
            name, "device", queues, lambda: function(here, queue=alone, **options),
            lambda: function(there, queue=both, **options),
        )  # fmt: skip

    def mapped(memory: object, queue: object) -> object:
        queue.parallel_for(x.size, MAP, x=memory)
        return memory

    compare("sum", sycl.sum)
    compare("exact sum of squares", sycl.sum, **exact)
    compare("argmax", sycl.argmax)
    compare("sort", sycl.sort)
    compare("map", mapped)
    here, there = sycl.Buffer(k), both.put(k)
    compare("scan", sycl.cumsum)


def in_host_memory(queues: list, x: np.ndarray, k: np.ndarray) -> None:
    alone, both = queues[0], sycl.split(queues)

    def compare(name: str, function: Callable, given: np.ndarray, other: np.ndarray) -> None:
        show(name, "host", queues, lambda: function(given, queue=alone), lambda: function(other, queue=both))

    def mapped(memory: object, queue: object) -> object:
        queue.parallel_for(x.size, MAP, x=memory)
        return memory

    compare("sum", sycl.sum, x, x)
    compare("map", mapped, x.copy(), x.copy())
    compare("scan", sycl.cumsum, k, k)
    compare("sort", sycl.sort, x, x)


def main(elements: int, kind: str) -> None:
    queues = [sycl.Queue(device) for device in sycl.devices(kind)[:2]]
    print(f"{elements} elements; {', '.join(queue.device.name for queue in queues)}")
    print("| what | memory | one, ms | two, ms | ratio | results |\n|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    x, k = rng.random(elements, np.float32), rng.integers(-99, 99, elements, np.int32)
    in_device_memory(queues, x, k)
    in_host_memory(queues, x, k)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1 << 30, sys.argv[2] if len(sys.argv) > 2 else "gpu")
