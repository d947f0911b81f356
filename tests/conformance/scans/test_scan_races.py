"""All forms of scans under Oclgrind's checks: no work-item races with another."""

import re
from pathlib import Path

import pytest

PROGRAM = str(Path(__file__).parent / "scan_races.py")
ROWS = ("any device, chained tiles", "small rounds", "few lines side by side", "small tiles")


@pytest.mark.timeout(600)
def test_no_form_has_a_race(run_python, on_oclgrind):
    """A mistake that was planted is found behind all else."""
    code = f"import runpy, sys\nsys.argv = [{PROGRAM!r}]\nrunpy.run_path(sys.argv[0], run_name='__main__')"
    child = run_python(code, env=on_oclgrind, timeout=600, check=False)
    lines = child.stdout.splitlines()
    said = re.fullmatch(r"(\d+) cases, (\d+) bad, (\d+) launches, (\d+) reads of what other groups left", lines[-1])
    assert said is not None and child.returncode == 0, child.stdout + child.stderr
    cases, bad, launches, ordered = (int(number) for number in said.groups())
    assert cases > 200 and bad == 0 and launches > cases and ordered > 20
    assert [line.partition(":")[0] for line in lines[: len(ROWS)]] == list(ROWS)
    assert lines[-2] == "planted: Write-write data race"
