"""dask with pysycl against dask with NumPy, in turns on the same workers; and merges of partial results. Ratios above 1:
pysycl is quicker.

    python tests/bench/scale.py [ELEMENTS] [WORKERS]
"""

import sys
from statistics import median
from time import perf_counter

import dask.array as da
import numpy as np
from distributed import wait

import pysycl as sycl
import pysycl.dask as sd

ROUNDS = 5


def seconds(client, lazy) -> float:
    begun = perf_counter()
    client.compute(lazy).result()
    return perf_counter() - begun


def compare(client, elements: int, blocks: int) -> None:
    """Data of its own in each round: an equal task would be answered from memory."""
    pairs = {
        "sum": (lambda x: x.sum(), lambda x: sd.sum(x)),
        "sum(exp(-x))": (lambda x: da.exp(-x).sum(), lambda x: sd.sum(x, map="exp(-x)")),
        "sum(sqrt(x*x+1)*x)": (lambda x: (da.sqrt(x * x + 1) * x).sum(), lambda x: sd.sum(x, map="sqrt(x*x+1)*x")),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in pairs}
    for round_ in range(ROUNDS + 1):
        x = client.persist(da.random.default_rng(round_).random(elements, np.float32, chunks=elements // blocks))
        wait(x)
        for name, (theirs, ours) in pairs.items():
            both = seconds(client, theirs(x)), seconds(client, ours(x))
            if round_ > 0:
                times[name].append(both)
    for name, found in times.items():
        theirs, ours = (median(each) * 1e3 for each in zip(*found, strict=True))
        print(f"| {name} | {blocks} | {theirs:.0f} | {ours:.0f} | {median(a / b for a, b in found):.1f} |")


def merges() -> None:
    total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact")
    parts = np.stack([total.partial(np.ones(3, np.float32))] * 1000)
    times = []
    for _ in range(200):
        begun = perf_counter()
        total.merge(parts)
        times.append(perf_counter() - begun)
    print(f"\nmerge of 1000 exact partial results of float32: {median(times) * 1e6:.0f} us")


if __name__ == "__main__":
    elements = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with sd.local_cluster(workers, dashboard_address=None) as cluster, cluster.get_client() as client:
        print("| what | blocks | NumPy, ms | pysycl, ms | ratio |\n|---|---|---|---|---|")
        for blocks in (4, 16):
            compare(client, elements, blocks)
    merges()
