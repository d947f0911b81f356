"""Random programs of buffers, sub-buffers, accessors, USM, host accesses, host tasks and queues against plain NumPy.

PYSYCL_RANDOM_PROGRAMS says how many (default 500), PYSYCL_RANDOM_SEED which; both are printed. A program that fails is
made as small as it gets, and shown step by step.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

import pysycl as sycl

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent))  # pytest's importlib mode knows no folders

import program_model  # noqa: E402
import random_program  # noqa: E402
from program_things import World  # noqa: E402

COUNT = int(os.environ.get("PYSYCL_RANDOM_PROGRAMS", "500"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))
ELSEWHERE = max(COUNT // 5, 1)  # programs on devices with memory of their own, of each kind
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
        "update",
    ),
)
STEPS = st.tuples(st.sampled_from(WORDS), st.binary(max_size=24))
PROGRAMS = st.lists(STEPS, min_size=10, max_size=30)
FIRST = [("buffer", bytes([1, 2, 3])), ("buffer", bytes([0, 4, 4])), ("malloc", b""), ("array", b"")]

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
def test_random_programs(device: sycl.Device, capsys: pytest.CaptureFixture[str]) -> None:
    others = [other for other in sycl.devices() if other != device]
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}] ", end="", flush=True)
    began = time.monotonic()
    ran = run_programs([device, *others], COUNT)
    with capsys.disabled():
        print(f" [{ran} programs in {time.monotonic() - began:.0f} s] ", end="")
    assert ran >= COUNT


@pytest.mark.timeout(180 + COUNT)
@pytest.mark.parametrize("kind", ["unknown", "gpu", "coarse"])
def test_random_programs_with_copies(copying, kind: str) -> None:
    """On devices with memory of their own, which compute as well."""
    environment = dict(os.environ) | {
        name: value for name, value in copying("gpu" if kind == "gpu" else "unknown").items() if value is not None
    }
    environment["COPYING_SVM"] = kind
    environment |= {"PYSYCL_RANDOM_PROGRAMS": str(ELSEWHERE), "PYSYCL_RANDOM_SEED": str(SEED)}
    child = subprocess.run([sys.executable, str(HERE)], env=environment, capture_output=True, text=True)
    assert child.returncode == 0, f"PYSYCL_RANDOM_SEED={SEED}\n{child.stdout}\n{child.stderr}"


@pytest.mark.parametrize("wrong", ["add", "flip", "copy"])
def test_a_wrong_model_is_noticed(device: sycl.Device, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    """The comparison can fail: with a model that is wrong in one place the programs find it."""
    where = random_program if wrong == "copy" else program_model
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
