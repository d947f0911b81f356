"""Sorts, selections and counts in a GPU's own memory, against CUB, CuPy and torch where they are installed.

    python tests/bench/sort_device.py [LOG2_N[,LOG2_N...] [ROUNDS [CASE[,CASE...]]]]

Contenders take turns in one process: so many calls behind each other, then the wait for the last; a ratio is the median over
rounds of two times of one round: above 1, pysycl is faster. Of CUB's two types of counts, int and long long, the better one
in each round's median counts. Results are compared before. Nothing is asserted about time."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns

import pysycl as sycl

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
HERE = Path(__file__).resolve().parent
C_TYPES = {"u4": "unsigned", "f4": "float", "u8": "unsigned long long"}
COUNTS = ("int", "long long")
# What CUB does for a case, by the number that cub_sort.cu has for it.
CUB = {"sort": 0, "argsort": 1, "by key": 1, "by a text": 2, "histogram": 3}
CASES = (
    ("sort", "u4"), ("sort", "f4"), ("sort", "u8"), ("argsort", "u4"), ("by key", "u4"), ("by a text", "u4"),
    ("top 100", "f4"), ("histogram", "u4"), ("histogram", "f4"), ("uniform", "f4"),
)  # fmt: skip


@functools.cache
def cub_library(key: str, count: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory(prefix="cub_sort") as folder:
        library = str(Path(folder, "cub_sort.so"))
        options = [
            "-O3",
            "-arch=native",
            "-shared",
            "-Xcompiler",
            "-fPIC",
            f"-DKEY_TYPE={C_TYPES[key]}",
            f"-DCOUNT_TYPE={count}",
        ]
        subprocess.run(["nvcc", *options, str(HERE / "cub_sort.cu"), "-o", library], check=True)
        return ctypes.CDLL(library)


def build_cub() -> None:
    """All that will be asked for at once, since nvcc takes its time."""
    with ThreadPoolExecutor() as pool:
        for _ in pool.map(lambda given: cub_library(*given), [(key, count) for key in C_TYPES for count in COUNTS]):
            pass


def repeated(call: Call, wait: Call) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in range(count):
            call()
        wait()

    return run


def data(case: str, dtype: str, n: int) -> Array:
    rng = np.random.default_rng(n)
    if case == "histogram":
        return rng.integers(0, 256, n).astype(dtype)
    kind = np.dtype(dtype)
    return rng.random(n, np.float32) if kind.kind == "f" else rng.integers(0, np.iinfo(kind).max, n, kind)


class Bench:
    """The queue, and what each case is."""

    def __init__(self, rounds: int) -> None:
        self.queue, self.rounds = sycl.Queue(in_order=True), rounds

    def ours(self, case: str, x: Any, n: int) -> tuple[Call, Callable[[], Array]]:
        """Our call, and its result for a comparison."""
        q = self.queue
        made = functools.partial(sycl.malloc_device, queue=q)
        out, at = made(n, x.dtype), made(n if case == "argsort" else 1, np.int64)
        generator, last = sycl.random.Generator(1), [None]

        def keep(call: Callable[[], Any]) -> Call:
            def run() -> None:
                last[0] = call()

            return run

        calls: dict[str, Call] = {
            "sort": lambda: sycl.sort(x, out=out, queue=q),
            "argsort": lambda: sycl.argsort(x, out=at, queue=q),
            "by key": keep(lambda: sycl.sort_by_key(x, x, queue=q)[0]),
            "by a text": lambda: sycl.sort(x, by="a < b", out=out, queue=q),
            "top 100": keep(lambda: sycl.top_k(x, 100, queue=q).values),
            "histogram": keep(lambda: sycl.histogram(x, 256, (0, 256), queue=q)[0]),
            "uniform": lambda: generator.uniform(out=out, queue=q),
        }

        def result() -> Array:
            q.wait()
            found = {"argsort": at}.get(case, out if last[0] is None else last[0])
            return found if isinstance(found, np.ndarray) else np.asarray(host(q, found))

        return calls[case], result

    def row(self, case: str, dtype: str, log2: int) -> list[str]:
        n = 1 << log2
        values = data(case, dtype, n)
        x = sycl.malloc_device(n, dtype, self.queue)
        self.queue.copy(values, x).wait()
        call, result = self.ours(case, x, n)
        call()
        expected = {
            "argsort": lambda: np.argsort(values, kind="stable"), "top 100": lambda: np.sort(values)[: -101 : -1],
            "histogram": lambda: np.bincount(values.astype("i8"), minlength=256), "uniform": lambda: None,
        }.get(case, lambda: np.sort(values))()  # fmt: skip
        if expected is not None and log2 <= 24 and not np.array_equal(result(), expected):
            return [f"{case} {dtype} 2^{log2}", "WRONG", "", "", ""]
        count = 200 if log2 <= 16 else 100 if log2 <= 20 else 20 if log2 <= 24 else 4
        ours = Contender("pysycl", repeated(call, self.queue.wait))
        others = list(self.peers(case, dtype, values, x))
        take_turns([ours, *others], self.rounds, count)
        if shutil.which("nvcc") is not None:
            for kind in COUNTS:
                cub_library(dtype, kind).cub_close()
        cells = [f"{case} {dtype} 2^{log2}", f"{1e6 * ours.median:.1f}"]
        cub = [each for each in others if each.name.startswith("CUB")]
        best = [min(cub, key=lambda each: each.median)] if cub else []
        for name in ("CUB", "CuPy", "torch", "fill"):
            found = [each for each in (best if name == "CUB" else others) if each.name.startswith(name)]
            cells.append(f"{1e6 * found[0].median:.1f}  {ratio(found[0], ours):.2f}" if found else "")
        return cells

    def peers(self, case: str, dtype: str, values: Array, x: Any) -> Iterator[Contender]:
        if case == "uniform":
            yield Contender("fill", repeated(lambda: self.queue.fill(x, np.float32(1)), self.queue.wait))
        yield from cub_peers(case, dtype, values)
        yield from cupy_peers(case, values)
        yield from torch_peers(case, values)


def host(queue: sycl.Queue, memory: Any) -> Array:
    made = np.empty(memory.shape, memory.dtype)
    queue.copy(memory, made).wait()
    return made


def cub_peers(case: str, dtype: str, values: Array) -> Iterator[Contender]:
    if shutil.which("nvcc") is None or case not in CUB:
        return
    for count in COUNTS:
        cub, what, n = cub_library(dtype, count), CUB[case], ctypes.c_size_t(values.size)
        if cub.cub_open(values.ctypes.data_as(ctypes.c_void_p), what, n) == 0:
            yield Contender(
                f"CUB {count}",
                lambda times, cub=cub, what=what, n=n: cub.cub_run(what, n, ctypes.c_size_t(times)),  # type: ignore[misc]
            )


def cupy_peers(case: str, values: Array) -> Iterator[Contender]:
    try:
        import cupy
    except ImportError:
        return
    given = cupy.asarray(values)
    calls: dict[str, Call] = {
        "sort": lambda: cupy.sort(given), "argsort": lambda: cupy.argsort(given),
        "histogram": lambda: cupy.histogram(given, 256, (0, 256)), "uniform": lambda: cupy.random.random(values.size, "f4"),
    }  # fmt: skip
    if case in calls:
        yield Contender("CuPy", repeated(calls[case], cupy.cuda.runtime.deviceSynchronize))


def torch_peers(case: str, values: Array) -> Iterator[Contender]:
    try:
        import torch
    except ImportError:
        return
    if not torch.cuda.is_available() or values.dtype.kind == "u":
        return
    given = torch.from_numpy(values).cuda()
    calls: dict[str, Call] = {
        "sort": lambda: torch.sort(given, stable=True), "top 100": lambda: torch.topk(given, 100),
        "histogram": lambda: torch.histc(given, 256, 0, 256), "uniform": lambda: torch.rand(values.size, device="cuda"),
    }  # fmt: skip
    if case in calls:
        yield Contender("torch", repeated(calls[case], torch.cuda.synchronize))


def main(sizes: str = "16,20,24,28", rounds: str = "5", cases: str = "") -> None:
    bench = Bench(int(rounds))
    device = bench.queue.device
    print_machine("sorts on a device", f"device  : {device.name}, {device.driver_version}")
    if shutil.which("nvcc") is not None:
        build_cub()
    wanted = [each for each in CASES if not cases or " ".join(each) in cases.split(",")]
    rows = [bench.row(case, dtype, int(size)) for size in sizes.split(",") for case, dtype in wanted]
    print_table(["case", "us", "CUB", "CuPy", "torch", "fill"], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
