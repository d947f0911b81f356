"""The self-check: kernels with known answers, which a device must get right before anything else is believed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import pysycl as sycl
from pysycl._kernels.kernel_text import kernel_text

Check = Callable[[sycl.Queue], None]


@dataclass(frozen=True)
class Outcome:
    """One check's result: ``passed``, ``failed`` or ``absent`` (the device lacks the feature)."""

    name: str
    state: str
    detail: str
    seconds: float


class WrongAnswerError(Exception):
    """A kernel ran and its output is not the known one."""


def _expect(what: str, got: Any, expected: Any) -> None:
    got, expected = np.asarray(got), np.asarray(expected)
    wrong = np.flatnonzero(got.ravel() != expected.ravel())
    if wrong.size:
        at = int(wrong[0])
        raise WrongAnswerError(
            f"{what}[{at}] is {got.ravel()[at]}, expected {expected.ravel()[at]} ({wrong.size} of {got.size} wrong)"
        )


@lru_cache
def _program(name: str) -> sycl.Program:
    """One program a file, so that each is built once per self-check."""
    return sycl.Program(kernel_text(name))


def saxpy(queue: sycl.Queue) -> None:
    x = np.arange(1000, dtype=np.float32)
    y = np.full(1000, 3, np.float32)
    queue.parallel_for(1000, _program("self_check.cl").saxpy, 2.0, x, y)
    _expect("y", y, 2 * x + 3)


def ids(queue: sycl.Queue) -> None:
    """SYCL's dimension order: the last dimension is the one that varies fastest."""
    size, group = (4, 6, 8), (2, 3, 4)
    out = np.zeros((*size, 7), np.uint32)
    queue.parallel_for(sycl.NdRange(size, group), _program("self_check.cl").ids, out)
    at = np.indices(size)
    linear = np.zeros(size, int)
    for axis in range(3):
        linear = linear * (size[axis] // group[axis]) + at[axis] // group[axis]
    local = [at[axis] % group[axis] for axis in range(3)]
    _expect("ids", out, np.stack([*at, *local, linear], axis=-1))


def local_memory(queue: sycl.Queue) -> None:
    group = int(min(64, queue.device.max_work_group_size))
    data = np.arange(10 * group, dtype=np.int32)
    expected = data.reshape(10, group)[:, ::-1].ravel().copy()
    kernel = _program("self_check.cl").reverse_groups
    queue.parallel_for(sycl.NdRange(10 * group, group), kernel, data, sycl.local(group, np.int32))
    _expect("data", data, expected)


def atomics(queue: sycl.Queue) -> None:
    bins = np.zeros(4, np.int32)
    queue.parallel_for(4096, _program("self_check.cl").count, bins)
    _expect("bins", bins, [1024] * 4)


def structure(queue: sycl.Queue) -> None:
    line = np.dtype([("tag", np.int8), ("offset", np.int32), ("step", np.int16), ("scale", np.int64)], align=True)
    argument = np.array((7, -3, 2, 10**12), line)
    out = np.zeros(100, np.int64)
    queue.parallel_for(100, _program("self_check.cl").apply_line, argument[()], out)
    _expect("out", out, 10**12 * 2 * np.arange(100) + 4)


def fp64(queue: sycl.Queue) -> None:
    x = np.linspace(1, 2, 500)
    y = np.zeros(500)
    queue.parallel_for(500, _program("self_check_fp64.cl").add_small, x, y)
    # Two roundings or one (a fused multiply-add): both are right, one unit in the last place apart.
    _expect("y", np.abs(y - (x + 1e-12 * np.arange(1, 501))) <= np.spacing(2.0), [True] * 500)


def fp16(queue: sycl.Queue) -> None:
    x = np.arange(100, dtype=np.float16)
    y = np.zeros(100, np.float16)
    queue.parallel_for(100, _program("self_check_fp16.cl").halve, x, y)
    _expect("y", y, x / np.float16(2) + np.float16(1))


def atomic64(queue: sycl.Queue) -> None:
    total = np.zeros(1, np.int64)
    queue.parallel_for(1000, _program("self_check_atomic64.cl").add_large, total)
    _expect("total", total, [1000 * 2**32 + 999 * 500])


# name, what it shows, the aspect that the device needs for it
CHECKS: tuple[tuple[str, Check, str | None], ...] = (
    ("saxpy", saxpy, None),
    ("3-D ids", ids, None),
    ("local memory and barrier", local_memory, None),
    ("32-bit atomics", atomics, None),
    ("structure by value", structure, None),
    ("fp64", fp64, "fp64"),
    ("fp16", fp16, "fp16"),
    ("64-bit atomics", atomic64, "atomic64"),
)


def self_check(device: sycl.Device) -> Iterator[Outcome]:
    """Runs every check on the device, one outcome after the other; one that raises has failed, the next still runs."""
    _program.cache_clear()
    for name, check, aspect in CHECKS:
        if aspect is not None and not device.has(aspect):
            yield Outcome(name, "absent", f"the device has no {aspect}", 0.0)
            continue
        start = time.perf_counter()
        state, detail = "passed", ""
        try:
            check(sycl.Queue(device))
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            state, detail = "failed", f"{type(error).__name__}: {first}"
        yield Outcome(name, state, detail, time.perf_counter() - start)
    _program.cache_clear()
