"""A test run in several processes (tests/side_by_side.py) says what one process would have said, and survives its workers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import side_by_side

TESTS = Path(__file__).resolve().parents[2]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
import side_by_side
def pytest_configure(config):
    side_by_side.register(config)
"""
OF_A_FOLDER = "import pytest\n@pytest.fixture\ndef own(): pass\n"
MEETING = """
import pathlib, time
def test_a():
    pathlib.Path("{own}").touch()
    while not pathlib.Path("{other}").exists():
        time.sleep(0.01)
"""
FILES = {
    "passes": "def test_a(own): pass\ndef test_b(): pass\n",
    "draws": "def test_a(capsys):\n    with capsys.disabled(): print(' [PYSYCL_RANDOM_SEED=7, 3 bodies] ', end='')\n",
    "fails": "def test_a(): assert [1, 2] == [1, 3]\ndef test_b(): pass\n",
    "skips": "import pytest\ndef test_a(own): pytest.skip('no moon')\n",
    "warns": "import warnings\ndef test_a(own): warnings.warn('beware')\n",
    "errs": "import pytest\n@pytest.fixture\ndef thing(): raise ValueError('no thing')\ndef test_a(thing): pass\n",
    "dies": "import os\ndef test_a(own): pass\ndef test_b(): os.kill(os.getpid(), 9)\ndef test_c(): pass\n",
    "a_meets": MEETING.format(own="a", other="z"),
    "z_meets": MEETING.format(own="z", other="a"),
}


def test_files_that_come_first_are_there() -> None:
    assert all((TESTS.parent / name).exists() for name in side_by_side.LONGEST)


def test_what_workers_report_and_that_one_dies(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/conftest.py").write_text(OF_A_FOLDER)
    for name, text in FILES.items():
        (tmp_path / f"in/test_{name}.py").write_text(text)
    environment = {**os.environ, "PYSYCL_TEST_WORKERS": "2", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "."],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    *_, last = run.stdout.splitlines()
    words = "2 failed, 9 passed, 1 skipped, 1 warning, 1 error in "
    assert run.returncode == 1 and words in last, run.stdout + run.stderr
    for line in (
        "FAILED in/test_fails.py::test_a - assert [1, 2] == [1, 3]",
        "FAILED in/test_dies.py::test_b - the process of this test ended with -9",
        "ERROR in/test_errs.py::test_a - ValueError: no thing",
        "SKIPPED [1] in/test_skips.py:2: no moon",
        "At index 1 diff: 2 != 3",
        "[PYSYCL_RANDOM_SEED=7, 3 bodies]",
    ):
        assert re.search(rf"^(E\s+)?{re.escape(line)}", run.stdout, re.MULTILINE), (line, run.stdout)
    assert re.search(r"in/test_warns.py:2: UserWarning: beware", run.stdout), run.stdout


STUCK = """
import numpy as np
import pytest
import pysycl as sycl

@pytest.fixture
def spin(queue):
    kernel = sycl.Program("kernel void spin(volatile global int *word) { while (word[0] == 0) { } }").spin
    queue.parallel_for(2, kernel, np.ones(1, np.int32)).wait()
    return kernel

@pytest.mark.timeout(1, func_only=True)  # of the kernel alone, on busy machines too
def test_spins(queue, spin):
    word = sycl.malloc_shared(1, np.int32, queue)
    word[0] = 0
    queue.submit(lambda h: h.parallel_for(2, spin, word)).wait()

def test_behind_it():
    pass
"""


def test_a_stuck_device_ends_the_process(tmp_path: Path) -> None:
    """The fixture `queue` waits for the queue, and no test's limit ends that any more."""
    conftest = f"import sys\nsys.path.insert(0, {str(TESTS)!r})\nimport conftest\nconftest.PATIENCE = 0.3\n"
    (tmp_path / "conftest.py").write_text("")
    (tmp_path / "impatient.py").write_text(conftest)
    (tmp_path / "test_stuck.py").write_text(STUCK)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "impatient", "-p", "conftest", "test_stuck.py"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{tmp_path}:{TESTS}"}, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    for words in ("test_stuck.py::test_spins", "from pytest-timeout", "The device is stuck", "'spin' on "):
        assert words in run.stderr, run.stdout + run.stderr
