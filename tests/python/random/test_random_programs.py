"""Random programs of buffers, sub-buffers, accessors, USM, host accesses, host tasks, queues in order and out of it, recordings,
prepared kernels and failures, all in one program, against plain NumPy.

PYSYCL_RANDOM_PROGRAMS says how many (default 150), PYSYCL_RANDOM_SEED which; both are printed. A program that fails is
made as small as it gets, and shown step by step.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import program_commands
import program_model
import pytest
import random_program
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st
from program_things import World

import pysycl as sycl
from pysycl import _core

HERE = Path(__file__).resolve()
COUNT = int(os.environ.get("PYSYCL_RANDOM_PROGRAMS", "150"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))
ELSEWHERE = max(COUNT // 6, 1)  # programs on devices with memory of their own, of each kind, and beside another driver
WORDS = (
    "nothing",
    *("buffer", "kernel", "sub", "host", "copy", "kernel", "fill", "close", "malloc", "kernel", "copy"),
    *(
        "reinterpret",
        "task",
        "kernel",
        "final",
        "look",
        "array",
        "queue",
        "wait",
        "memset",
        "touch",
        "free",
        "hint",
        "poll",
    ),
    *("update", "record", "failure", "prepared", "record", "two", "failure", "waits"),
)
STEPS = st.tuples(st.sampled_from(WORDS), st.binary(min_size=8, max_size=64))
PROGRAMS = st.lists(STEPS, min_size=10, max_size=30)
# Things of one type and shape, which can be copied to each other, and others.
FIRST = [
    ("buffer", bytes([1, 2, 4, 0])),
    ("buffer", bytes([1, 2, 4, 4])),
    ("sub", bytes([1, 0, 2, 8])),
    ("buffer", bytes([0, 4, 4])),
    ("malloc", bytes([0, 0, 1, 2])),
    *(("array", bytes([layout, 2, 1])) for layout in (0, 2)),
]

_worlds: dict[str, World] = {}


def run_programs(devices: list[sycl.Device], count: int, smallest: bool = True) -> int:
    """Returns how many programs there were. What fails is raised, with the smallest program that does so if wanted."""
    world = _worlds.setdefault(repr(devices), World(devices))
    ran = 0

    @seed(SEED)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=tuple(Phase) if smallest else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(PROGRAMS)
    def program(steps: list[tuple[str, bytes]]) -> None:
        nonlocal ran
        ran += 1
        random_program.Machine(world, note).run([*FIRST, *steps])

    program()
    return ran


@pytest.mark.timeout(120 + COUNT)
def test_random_programs(device: sycl.Device, live_counts, capsys: pytest.CaptureFixture[str]) -> None:
    before = live_counts.quiet()
    others = [other for other in sycl.devices() if other != device]
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}] ", end="", flush=True)
    began = time.monotonic()
    ran = run_programs([device, *others], COUNT)
    with capsys.disabled():
        print(f" [{ran} programs in {time.monotonic() - began:.0f} s] ", end="")
    assert ran >= COUNT
    after = live_counts.quiet()
    kept = {kind: after[kind] - before[kind] for kind in ("buffer", "command", "failure", "cl_event")}
    assert not any(count > 0 for count in kept.values()), kept


def run_in_child(environment: Mapping[str, str | None], kind: str, *options: str) -> None:
    settings = {name: value for name, value in environment.items() if value is not None}
    settings |= {"COPYING_SVM": kind, "PYSYCL_RANDOM_PROGRAMS": str(ELSEWHERE), "PYSYCL_RANDOM_SEED": str(SEED)}
    command = [sys.executable, str(HERE), *options]
    child = subprocess.run(command, env=dict(os.environ) | settings, capture_output=True, text=True)
    assert child.returncode == 0, f"PYSYCL_RANDOM_SEED={SEED}\n{child.stdout}\n{child.stderr}"


@pytest.mark.timeout(180 + COUNT)
@pytest.mark.parametrize("kind", ["unknown", pytest.param("gpu", marks=pytest.mark.exhaustive), "coarse"])
def test_random_programs_with_copies(copying, kind: str) -> None:
    """On devices with memory of their own, which compute as well."""
    run_in_child(copying("gpu" if kind == "gpu" else "unknown"), kind)


@pytest.mark.timeout(180 + COUNT)
def test_random_programs_on_two_drivers(copying) -> None:
    """On PoCL's devices, with memory of their own, and on those of another driver: what goes from one to the other goes by
    way of the host. Oclgrind would take minutes for the slow kernels."""
    known = [one["path"] for one in _core.drivers() if one["refusal"] is None]
    others = [path for path in known if not any(name in Path(path).name for name in ("pocl", "oclgrind"))]
    if not others:
        pytest.skip("no second driver is here")
    environment = copying()
    environment["PYSYCL_DRIVERS"] = os.pathsep.join([str(environment["PYSYCL_DRIVERS"]), *others])
    run_in_child(environment, "unknown", "crossing")


@pytest.mark.parametrize("wrong", ["add", "flip", "copy"])
def test_a_wrong_model_is_noticed(device: sycl.Device, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    """The comparison can fail: with a model that is wrong in one place the programs find it."""
    where = program_commands if wrong == "copy" else program_model
    right = getattr(where, wrong)

    def spoilt(to: program_model.Cells, *rest: object) -> None:
        right(to, *rest)
        values, known = to.get()
        to.put(values + to.dtype.type(1), known)

    monkeypatch.setattr(where, wrong, spoilt)
    with pytest.raises(AssertionError):
        run_programs([device], 400, smallest=False)


if __name__ == "__main__":
    print(run_programs(sycl.devices(), COUNT), "programs")
    if "crossing" in sys.argv:
        (world,) = _worlds.values()
        assert world.crossings > COUNT, f"only {world.crossings} commands used what another driver's had written"
