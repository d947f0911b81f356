"""All forms of reductions under Oclgrind's checks: no work-item races with another, and nothing is read that was not written."""

import re
from pathlib import Path

import pytest

PROGRAM = str(Path(__file__).parent / "reduction_races.py")
PLANTED = """race of a group: Uninitialized value written to local memory address
race of two groups: Write-write data race
race of a reader: Read-write data race
unwritten: Controlflow depends on uninitialized value
unwritten buffer: Controlflow depends on uninitialized value"""


def run(run_python, environment, *words):
    code = f"import runpy, sys\nsys.argv = {[PROGRAM, *words]!r}\nrunpy.run_path(sys.argv[0], run_name='__main__')"
    child = run_python(code, env=environment, timeout=600, check=False)
    said = re.search(
        r"(\d+) cases, (\d+) bad, (\d+) that Oclgrind cannot do, (\d+) launches, (\d+) reads of", child.stdout
    )
    assert said is not None and child.returncode == 0, child.stdout + child.stderr
    return child.stdout, [int(number) for number in said.groups()]


@pytest.mark.timeout(600)
@pytest.mark.spec("D035", "D039", "D041", "D043", "D064")
def test_no_form_has_a_race(run_python, on_oclgrind):
    """Mistakes that were planted are found before all else, and at last."""
    said, (cases, bad, skipped, launches, ordered) = run(run_python, on_oclgrind)
    lines = said.splitlines()
    assert [line.partition(" 0x")[0] for line in lines[:5]] == PLANTED.splitlines()
    assert lines[-2].partition(" 0x")[0] == "at last: Uninitialized value written to local memory address"
    assert cases > 90 and bad == 0 and skipped < 5 and launches > 300 and ordered > 1000


@pytest.mark.timeout(600)
@pytest.mark.spec("D035", "D043", "D064")
def test_no_accuracy_has_a_race(run_python, on_oclgrind):
    """Those Oclgrind can only do when they are optimised."""
    _, (cases, bad, skipped, launches, ordered) = run(run_python, on_oclgrind, "--parts", "accuracies", "--optimised")
    assert cases > 8 and bad == skipped == 0 and launches > 15 and ordered > 100
