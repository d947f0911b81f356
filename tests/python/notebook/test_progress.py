"""The line of long builds: on a terminal seen and gone, in a pipe nothing, in a notebook empty at the end."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time

import pytest

# A compiler that takes long: what the binding does while the main thread waits for one.
SLOW = """
import threading, time
import numpy as np
import pysycl as sycl
from pysycl._runtime import progress
queue = sycl.Queue()
text = "float t = 0; " + " ".join(f"t += sin(x[i] * {k}.5f) * cos(t + {k}.25f) + pow(fabs(t), {k}.125f);" for k in range(COUNT))
x = np.zeros(8, np.float32)
began = time.perf_counter()
queue.parallel_for(8, text + f" x[i] = t + {time.time_ns() % 10**6}.0f;", x=x)
print("built", time.perf_counter() - began)
"""


def read_all(fd: int, seconds: float) -> bytes:
    end, out = time.monotonic() + seconds, b""
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not data:
                break
            out += data
    return out


@pytest.fixture(scope="module")
def slow() -> str:
    """A text that takes a compiler some seconds, found by trying on this machine."""
    for count in (100, 400, 1600):
        done = subprocess.run(
            [sys.executable, "-c", SLOW.replace("COUNT", str(count))], capture_output=True, text=True, timeout=250
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""  # a pipe: no byte, however long it took
        if float(done.stdout.split()[1]) > 2.2:
            return SLOW.replace("COUNT", str(count))
    pytest.skip("the compiler of this machine is too quick to be waited for")


def run_on_terminal(code: str, **env: str) -> bytes:
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", code], stdout=theirs, stderr=theirs, env=os.environ | env)
    os.close(theirs)
    try:
        return read_all(ours, 250)
    finally:
        os.close(ours)
        assert child.wait(60) == 0


def test_a_terminal_shows_a_line_and_it_is_gone_afterwards(slow: str) -> None:
    out = run_on_terminal(slow)
    assert b"\r\x1b[2Kpysycl: building 'float t = 0;" in out, out
    shown, _, rest = out.rpartition(b"\r\x1b[2K")
    assert b", 1 s" in shown and rest.startswith(b"built")


def test_a_variable_ends_it(slow: str) -> None:
    out = run_on_terminal(slow, PYSYCL_PROGRESS="0")
    assert b"\x1b[2K" not in out and b"built" in out


def test_other_threads_draw_nothing(slow: str) -> None:
    threaded = slow.replace(
        "queue.parallel_for(", "work = threading.Thread(target=lambda: queue.parallel_for("
    ).replace(", x=x)", ", x=x))\nwork.start()\nwork.join()")
    assert b"\x1b[2K" not in run_on_terminal(threaded)


def test_what_took_long_is_logged(slow: str) -> None:
    code = "import logging\nlogging.basicConfig(level=logging.INFO)\n" + slow
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    assert done.stderr.count("INFO:pysycl:building 'float t = 0;") == 1, done.stderr


def test_a_line_of_a_notebook_is_updated_and_at_last_empty() -> None:
    """As ipykernel has it: a display that is updated in its place."""
    code = """
import sys, types
shown = []
class Handle:
    def update(self, data, raw): shown.append(data["text/plain"])
def display(data, raw, display_id):
    shown.append(data["text/plain"])
    return Handle()
ipython = types.ModuleType("IPython")
ipython.get_ipython = lambda: types.SimpleNamespace(kernel=True)
ipython.display = types.ModuleType("IPython.display")
ipython.display.display = display
sys.modules |= {"IPython": ipython, "IPython.display": ipython.display}
from pysycl._runtime import progress
for seconds in (1.0, 1.2, 2.0): progress.show("building", "a  <b>", "here", seconds)
progress.end()
progress.end()
print(shown)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    first, second = "pysycl: building 'a <b>' for here, 1 s", "pysycl: building 'a <b>' for here, 2 s"
    assert done.stdout.strip() == str([first, second, ""]), done.stderr
