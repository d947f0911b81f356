"""All forms of reductions, launched on Oclgrind and held against NumPy: nobody may race, and nothing may be read that was
not written. Prints what was found, and at last how many launches there were.

    PYSYCL_DEBUG=oclgrind,sync python tests/conformance/reductions/reduction_races.py [--parts scalars,axes] [--optimised]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "4_10_kernels"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "4_17_groups"))

import program_reducers
import race_bodies
import reduce_cases
from race_bodies import GROUPED, Case, buffer, forced, kept, log, values_of

import pysycl as sycl

# What Oclgrind has no answer for, of what its compiler makes of some texts.
UNSUPPORTED = ("Undefined external function: llvm.experimental", "(CL_INVALID_KERNEL_NAME)")

# -- what is made of reductions --


def call_cases(seeds: range) -> Iterator[Case]:
    """Random calls of sycl.sum and its kin, of each shape in turn."""
    reduce_cases.MOST, reduce_cases.LONG = 400, [300, 1021]
    for seed in seeds:
        kind = reduce_cases.Kind(np.random.default_rng(seed))
        shape = reduce_cases.SHAPES[seed % len(reduce_cases.SHAPES)]

        def calls(queue: sycl.Queue, seed: int = seed, shape: Any = shape) -> None:
            rng = np.random.default_rng(seed)
            kind = reduce_cases.Kind(rng)
            forced(shape)
            for _ in range(2):
                reduce_cases.check(rng, kind, queue=queue)

        yield f"call {seed}: {kind!r}, {shape}", calls


def calls_of_buffers(queue: sycl.Queue) -> None:
    """The same of buffers."""
    names = ("sum", "prod", "min", "max", "mean", "var", "argmin", "argmax", "any", "all", "count_nonzero")
    for shape in ("lanes", "stride", "teams"):
        forced(shape)
        for axis in (None, 0, 1) if shape == "teams" else (None,):
            x = (1 + (values_of((9, 37)) % 9 == 0)).astype(np.float32)
            for name in names:
                given = np.asarray(getattr(np, name)(x, axis=axis))
                found = getattr(sycl, name)(buffer(x), axis=axis, queue=queue)
                with found.host_access("read") as data:
                    assert np.allclose(data.reshape(given.shape), given), (name, axis, data, given)
                kept.append(found)


def program_cases(seeds: range) -> Iterator[Case]:
    """Random programs with reducers: scalars and arrays, with and without local memory, over ranges of all kinds."""
    for seed in seeds:

        def launches(queue: sycl.Queue, seed: int = seed) -> None:
            forced(meant="fills")
            program_reducers.run(queue, np.random.default_rng(seed), 1, [0, 1, 65, 300])

        yield f"program {seed}", launches


# -- mistakes, which have to be found --

PLANTED = {
    "race of a group": "m[get_local_id(0)] = v[i]; total += m[7 - get_local_id(0)];",
    "race of two groups": "if (get_local_id(0) == 3) y[0] = i; total += v[i];",
    "race of a reader": "if (i == 3) y[40] = 1; total += v[i] + (i == 60 ? y[40] : 0);",
    "unwritten": "total += m[get_local_id(0)] > 3 ? v[i] : 2;",
    "unwritten buffer": "total += n[i] > 3 ? v[i] : 2;",
}


def plant(queue: sycl.Queue, name: str) -> str:
    """What is found of a mistake."""
    text = PLANTED[name]
    forced()
    try:
        with queue.submit() as h:
            given = {"v": h.read(buffer(values_of(64)))}
            if "m[" in text:
                given["m"] = h.local(8, np.int32)
            if "y[" in text:
                given["y"] = h.read_write(buffer(np.zeros(64, np.int32)))
            if "n[" in text:
                kept.append(sycl.Buffer(64, np.int32))
                given["n"] = h.read(kept[-1])
            total = sycl.reduction(buffer(np.int64(0)), h, sycl.plus)
            h.parallel_for(sycl.NdRange(64, 8), text + GROUPED, total=total, **given)
    except sycl.KernelError as error:
        return str(error).splitlines()[1].partition(" at ")[0]
    return "nothing"


# -- all of it --


def parts(count: int) -> dict[str, Callable[[], Iterator[Case]]]:
    return race_bodies.PARTS | {
        "calls": lambda: call_cases(range(count)),
        "buffers": lambda: iter([("calls of buffers", calls_of_buffers)]),
        "programs": lambda: program_cases(range(count // 4)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="")
    parser.add_argument("--count", type=int, default=16, help="random calls; a quarter as many random programs")
    parser.add_argument("--optimised", action="store_true", help="for what Oclgrind cannot do otherwise")
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", sycl.SyclWarning)  # operators without an identity
    if (
        not asked.optimised
    ):  # else clang makes vectors of loops: Oclgrind does not know which parts of those were written
        os.environ["OCLGRIND_BUILD_OPTIONS"] = "-cl-opt-disable"
    queue, every = sycl.Queue(), parts(asked.count)
    names = asked.parts.split(",") if asked.parts else [part for part in every if part != "accuracies"]
    cases = bad = skipped = 0
    for name in PLANTED:
        print(f"{name}: {plant(queue, name)}")
    for name, case in (each for part in names for each in every[part]()):
        start, cases = time.process_time(), cases + 1
        try:
            case(queue)
        except (AssertionError, sycl.SyclError) as error:
            if any(words in str(error) for words in UNSUPPORTED):
                skipped += 1
                continue
            bad += 1
            print(f"{name}: {type(error).__name__}: {error}")
        if asked.verbose:
            print(f"{name}: {log.launches}, {log.ordered} {time.process_time() - start:.2f} s", flush=True)
    print(f"at last: {plant(queue, 'race of a group')}")
    print(
        f"{cases} cases, {bad} bad, {skipped} that Oclgrind cannot do, {log.launches} launches, "
        f"{log.ordered} reads of what other groups left"
    )
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
