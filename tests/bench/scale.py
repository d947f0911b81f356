"""dask with pysycl against dask with NumPy, in turns on the same workers: by the clock, and by the processor time of the
workers and of the client, which others do not disturb. Then tasks with a small body against tasks that do nothing, merges
of partial results, and chunks that are reduced while others are read. Ratios of sums above 1: pysycl is quicker; of tasks
and chunks: as many times as long.

    python tests/bench/scale.py [ELEMENTS] [WORKERS]
"""

import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any

import dask.array as da
import numpy as np
from distributed import wait

import pysycl as sycl
import pysycl.dask as sd

ROUNDS, TASKS = 5, 100
MOST = 100.0
"""Seconds after which no other round begins."""


def of_workers(client: Any) -> float:
    """Their processor time so far."""
    return sum(client.run(process_time).values())


def seconds(client: Any, call: Callable[[], Any]) -> tuple[float, float]:
    """By the clock, and of the processors: of the workers, and of the client with its scheduler."""
    workers = of_workers(client)
    own, begun = process_time(), perf_counter()
    call()
    wall, own = perf_counter() - begun, process_time() - own
    return wall, own + of_workers(client) - workers


def compare(client: Any, elements: int, blocks: int) -> None:
    """Data of its own in each round: an equal task would be answered from memory."""
    pairs: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
        "sum": (lambda x: x.sum(), lambda x: sd.sum(x)),
        "sum(exp(-x))": (lambda x: da.exp(-x).sum(), lambda x: sd.sum(x, map="exp(-x)")),
        "sum(sqrt(x*x+1)*x)": (lambda x: (da.sqrt(x * x + 1) * x).sum(), lambda x: sd.sum(x, map="sqrt(x*x+1)*x")),
    }
    times: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in pairs}
    begun = perf_counter()
    for round_ in range(ROUNDS + 1):
        if round_ > 1 and perf_counter() - begun > MOST:
            break
        x = client.persist(da.random.default_rng(round_).random(elements, np.float32, chunks=elements // blocks))
        wait(x)
        for name, (theirs, ours) in pairs.items():
            a, b = theirs(x), ours(x)
            found = (
                *seconds(client, lambda a=a: client.compute(a).result()),
                *seconds(client, lambda b=b: client.compute(b).result()),
            )
            if round_ > 0:
                times[name].append(found)
    for name, found in times.items():
        theirs, _, ours, _ = (median(each) * 1e3 for each in zip(*found, strict=True))
        wall, work = median(a / c for a, _, c, _ in found), median(b / d for _, b, _, d in found)
        print(f"| {name} | {blocks} | {theirs:.0f} | {ours:.0f} | {wall:.2f} | {work:.2f} |", flush=True)


# -- tasks --

_queues: list[sycl.Queue] = []


def task(number: int, what: Any) -> int:
    """The same function for all, so that only what it does differs."""
    if what is None:
        return number
    if not _queues:
        _queues.append(sycl.Queue())
    x = np.ones(1000, np.float32)
    if isinstance(what, str):
        _queues[0].parallel_for(1000, what, x=x)
    else:
        _queues[0].parallel_for(1000, what.twice, x)
    return number


def tasks(client: Any) -> None:
    program = sycl.Program("__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }")
    kinds = {"nothing": None, "a body's text": "x[i] *= 2.0f;", "a Program": program}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for round_ in range(2 * ROUNDS + 1):
        for name, what in kinds.items():
            numbers = range(round_ * TASKS, (round_ + 1) * TASKS)
            found = seconds(
                client,
                lambda what=what, numbers=numbers: client.gather(
                    [client.submit(task, number, what, pure=False) for number in numbers]
                ),
            )
            if round_ > 0:
                times[name].append(found)
    print("\n| a task with | ms | processor time, ms | to nothing | to a text |\n|---|---|---|---|---|")
    least = {name: [min(each) / TASKS * 1e3 for each in zip(*found, strict=True)] for name, found in times.items()}
    for name, (wall, work) in least.items():
        ratios = " | ".join(f"{work / least[other][1]:.2f}" for other in ("nothing", "a body's text"))
        print(f"| {name} | {wall:.2f} | {work:.2f} | {ratios} |", flush=True)


def merges() -> None:
    total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact")
    parts = np.stack([total.partial(np.ones(3, np.float32))] * 1000)
    times = []
    for _ in range(200):
        begun = perf_counter()
        total.merge(parts)
        times.append(perf_counter() - begun)
    print(f"\nmerge of 1000 exact partial results of float32: {median(times) * 1e6:.0f} us")


# -- chunks --


def chunks(pause: float) -> Iterator[np.ndarray]:
    """16 MiB each, as from a disk that needs so long for one."""
    source = np.random.default_rng(0).random(1 << 22, np.float32)
    for _ in range(16):
        begun = perf_counter()
        chunk = source.copy()
        sleep(max(pause - (perf_counter() - begun), 0))
        yield chunk


def streams() -> None:
    print("\n| chunks of 16 MiB, read in 20 ms each | to reading alone |\n|---|---|")
    for name, options in (("sum", {}), ("sum(exp(-x))", {"map": "exp(-x)"}), ("exact sum", {"accuracy": "exact"})):
        found = []
        for _ in range(ROUNDS):
            begun = perf_counter()
            for _chunk in chunks(0.02):
                pass
            alone = perf_counter() - begun
            sycl.stream_reduce(chunks(0.02), **options)
            found.append((perf_counter() - begun - alone) / alone)
        print(f"| {name} | {median(found):.2f} |", flush=True)


if __name__ == "__main__":
    elements = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with sd.local_cluster(workers, dashboard_address=None) as cluster, cluster.get_client() as client:
        print("| what | blocks | NumPy, ms | pysycl, ms | ratio | of processor time |\n|---|---|---|---|---|---|")
        for blocks in (4, 16):
            compare(client, elements, blocks)
        tasks(client)
    merges()
    streams()
