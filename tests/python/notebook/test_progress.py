"""The line of long builds: on a terminal seen and gone, in a pipe nothing, in a notebook empty at the end."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import Any

# A build that does not end before the line is there: what the binding does while the main thread waits for a compiler. The
# standard error is a terminal, whose other end `drawn` reads.
SLOW = """
import pty, threading
from pysycl._runtime import progress
ours, theirs = pty.openpty()

def drawn():
    # All of it: a terminal hands over in parts what was written, and a busy system some of them later.
    sys.stderr.flush()
    os.write(theirs, b"#")
    out = b""
    while not out.endswith(b"#"):
        out += os.read(ours, 65536)
    return out[:-1]

def let():
    while progress._line is None:
        time.sleep(0.01)
    fake.fake_hold_builds(0)

def build():
    sycl.Program("kernel void bump(global uint *y, uint n) { }\\n#held\\n").build(queue.context)

queue = sycl.Queue()
fake.fake_hold_builds(1)
"""
ON_A_TERMINAL = """
os.dup2(theirs, 2)
threading.Thread(target=let).start()
build()
print(drawn())
"""


def seen_at_last(drawn: str) -> str:
    """A line of a terminal that goes back at \\r and writes over what is there, and knows nothing else."""
    shown = ""
    for part in drawn.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()


def test_a_terminal_shows_a_line_and_it_is_gone_afterwards(run_fake: Any) -> None:
    drawn = ast.literal_eval(run_fake("import sys\n" + SLOW + ON_A_TERMINAL).stdout).decode()
    assert re.fullmatch("(\rpysycl: building 'bump' for [^\r]+, [0-9]+ s *)+\r +\r", drawn), drawn
    assert seen_at_last(drawn) == ""
    # as wide as a terminal is that does not say it: a line that wraps is never gone
    assert all(len(part) < 80 for part in drawn.split("\r"))


def test_a_call_is_named_in_place_of_a_text_that_nobody_has_written(run_fake: Any) -> None:
    code = """
os.dup2(theirs, 2)
threading.Thread(target=let).start()
try:
    sycl.transform("x + 1", x=np.zeros(4), preamble="\\n#held\\n")
except sycl.KernelError:
    pass  # the driver cannot do it
print(drawn())
"""
    drawn = ast.literal_eval(run_fake("import sys\n" + SLOW + code).stdout).decode()
    assert drawn.startswith("\rpysycl: building transform() for "), drawn


def test_the_line_is_gone_after_ctrl_c(run_fake: Any) -> None:
    """The build goes on by itself, and draws nothing any more."""
    code = """
import signal
os.dup2(theirs, 2)

def interrupt():
    while progress._line is None:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    build()
    print("not interrupted")
except KeyboardInterrupt:
    at_once = drawn()
time.sleep(1.2)
later = drawn()
fake.fake_hold_builds(0)
print((at_once, later))
"""
    at_once, later = ast.literal_eval(run_fake("import sys\n" + SLOW + code).stdout)
    assert b"pysycl: building 'bump'" in at_once and seen_at_last(at_once.decode()) == ""
    assert later == b""


def test_a_variable_ends_it(run_fake: Any) -> None:
    assert run_fake("import sys\n" + SLOW + ON_A_TERMINAL, {"PYSYCL_PROGRESS": "0"}).stdout == "b''\n"


def test_a_pipe_gets_no_byte_and_what_took_long_is_logged(run_fake: Any) -> None:
    code = "import logging, sys\nlogging.basicConfig(level=logging.INFO)\n" + SLOW
    said = run_fake(code + "threading.Thread(target=let).start()\nbuild()").stderr
    assert re.fullmatch("INFO:pysycl:building 'bump' for .*: [0-9.]+ s\n", said), said


def test_other_threads_draw_nothing(run_fake: Any) -> None:
    """It is built for longer than a line would wait."""
    code = """
os.dup2(theirs, 2)
work = threading.Thread(target=build)
work.start()
time.sleep(1.5)
fake.fake_hold_builds(0)
work.join()
print(drawn())
"""
    assert run_fake("import sys\n" + SLOW + code).stdout == "b''\n"


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
