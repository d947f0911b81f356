"""PoCL 3.0 links each kernel with `ld` and ends the process when there is none on the PATH: it is refused with that reason."""

import os
import shutil
import sys

import pytest

import pysycl as sycl

PROGRAM = """
import pysycl as sycl
from pysycl import _core
assert not any("3.0-rc2" in platform.version for platform in sycl.platforms())
print([driver["refusal"] for driver in _core.drivers() if driver["refusal"] and "`ld`" in driver["refusal"]])
"""


@pytest.mark.parametrize("path", [None, "", "/nowhere:/proc"])
def test_without_a_linker_the_driver_is_refused(run_python, path):
    if not any("3.0-rc2" in platform.version for platform in sycl.platforms()):
        pytest.skip("PoCL 3.0 is not here")
    child = run_python(PROGRAM, {"PATH": path})
    assert "which is not on the PATH" in child.stdout


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 1", "it says nothing, and its status is 1"),
        ('case "$*" in *--version*) ;; *) echo "ld: no licence" >&2; exit 3;; esac', "ld: no licence"),
        (
            'case "$*" in *-lgcc*) echo "ld: cannot find -lgcc" >&2; exit 1;; esac; exec REAL "$@"',
            "ld: cannot find -lgcc",
        ),
        ("kill -9 $$", "its status is 126"),
    ],
)
def test_a_linker_that_fails_is_told(run_python, tmp_path, script, words):
    """Before anything is linked, and again until it is mended; no device is taken for broken."""
    if not any("3.0-rc2" in platform.version for platform in sycl.platforms()):
        pytest.skip("PoCL 3.0 is not here")
    linker = tmp_path / "ld"
    linker.write_text(f"#!/bin/sh\n{script}\n".replace("REAL", str(shutil.which("ld"))))
    linker.chmod(0o755)
    run_python(
        f"""
import os
import numpy as np
import pysycl as sycl
x = np.zeros(8, np.int32)
queue = sycl.Queue()
for text in ("x[i] = i;", "x[i] = group_reduce(work_group, 1, plus);"):
    program = sycl.Program("kernel void f(global int *x) {{ size_t i = get_global_id(0); " + text + " }}")
    try:
        queue.parallel_for(sycl.NdRange(8, 8), program.f, x).wait()
    except sycl.SyclRuntimeError as error:
        assert "links kernels with `ld`" in str(error) and {words!r} in str(error), error
    else:
        assert False
os.unlink("ld")
queue.parallel_for(sycl.NdRange(8, 8), program.f, x).wait()
assert (x == 8).all()
""",
        {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYSYCL_CACHE": "0"},
    )


USE = """
import numpy as np
import pysycl as sycl
x, queue = np.zeros(8, np.int32), sycl.Queue()
try:
    queue.parallel_for(sycl.NdRange(8, 8), "x[i] = group_reduce(work_group, 1, plus);", x=x)  # tried by this thread
    print(x.tolist() == [8] * 8)
except sycl.SyclRuntimeError as error:
    print(error)
"""


def test_a_linker_that_does_not_start_is_told(run_python, tmp_path):
    """There is one on the PATH, and what is to run it is missing: the driver's own attempt would end the process."""
    if not any("3.0-rc2" in platform.version for platform in sycl.platforms()):
        pytest.skip("PoCL 3.0 is not here")
    linker = tmp_path / "ld"
    linker.write_text("#!/nowhere/sh\n")
    linker.chmod(0o755)
    child = run_python(USE, {"PATH": f"{tmp_path}:/nowhere", "PYSYCL_CACHE": "0"})
    assert "links kernels with `ld`" in child.stdout and "because that fails: it does not start" in child.stdout


def test_ctrl_c_during_the_trial_is_no_linker_that_fails(run_python, tmp_path):
    """It goes to all processes of a terminal: the trial's takes none."""
    linker = tmp_path / "ld"
    linker.write_text(
        f"""#!{sys.executable} -IS
import os, signal, sys
if "/trial" in " ".join(sys.argv):
    open({str(tmp_path / "tried")!r}, "w").close()
    os.kill(os.getpid(), signal.SIGINT)
os.execv({shutil.which("ld")!r}, sys.argv)
"""
    )
    linker.chmod(0o755)
    child = run_python(USE, {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYSYCL_CACHE": "0"})
    if not (tmp_path / "tried").exists():
        pytest.skip("this driver starts no linker")
    assert child.stdout == "True\n"


def test_it_is_tried_once_and_leaves_nothing(run_python, tmp_path):
    linker = tmp_path / "ld"
    linker.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/log\nexec {shutil.which("ld")} "$@"\n')
    linker.chmod(0o755)
    run_python(
        """
import os
import numpy as np
import pysycl as sycl
x, queue = np.zeros(8, np.int32), sycl.Queue()
for text in "x[i] = i;", "x[i] += 2;":
    queue.parallel_for(8, text, x=x)
assert x.tolist() == list(range(2, 10))
left = [name for folder, _, names in os.walk(os.environ["TMPDIR"]) for name in names if name.startswith("trial")]
assert not left, left
""",
        {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYSYCL_CACHE": "0", "TMPDIR": str(tmp_path)},
    )
    if not (tmp_path / "log").exists():
        pytest.skip("this driver starts no linker")
    assert (tmp_path / "log").read_text().count("/trial") == 2  # one line, with both files
