"""Where a command was submitted, as errors and graphs show it: files and lines, and the cells of notebooks."""

from typing import Any

# IPython as far as it matters here: the shell knows which cell it compiled under which file name.
SHELL = """
import sys, types
import numpy as np
import pysycl as sycl

names = {}
ipython = types.ModuleType("IPython")
shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map=names))
ipython.get_ipython = lambda: shell
queue = sycl.Queue()

def run(source, file):
    exec(compile(source, file, "exec"), globals())

def site():
    try:
        queue.wait_and_throw()
    except sycl.SyclError as error:
        print(error.site)
"""
FAIL = "queue.host_task(lambda: 1 / 0)"


def test_a_notebook_s_cells_have_numbers(run_python: Any) -> None:
    child = run_python(
        SHELL
        + f"""
sys.modules["IPython"] = ipython
names["/tmp/ipykernel_12/3456.py"] = 3
run("\\n{FAIL}", "/tmp/ipykernel_12/3456.py")
site()
names["/tmp/ipykernel_12/3456.py"] = 7  # the same cell again
run("{FAIL}", "/tmp/ipykernel_12/3456.py")
site()
names["<ipython-input-4-0a1b>"] = 4
run("{FAIL}", "<ipython-input-4-0a1b>")
site()
run("{FAIL}", "/home/somebody/file.py")
site()
"""
    )
    assert child.stdout.splitlines() == ["cell [3]:2", "cell [7]:1", "cell [4]:1", "/home/somebody/file.py:1"]


def test_a_name_that_ipython_does_not_know_stays(run_python: Any) -> None:
    child = run_python(
        SHELL
        + f"""
run("{FAIL}", "/tmp/ipykernel_12/1.py")  # no IPython at all
site()
sys.modules["IPython"] = ipython
run("{FAIL}", "/tmp/ipykernel_12/1.py")  # not one of its cells
site()
ipython.get_ipython = lambda: None  # imported, but not running
run("{FAIL}", "/tmp/ipykernel_12/1.py")
site()
"""
    )
    assert child.stdout.splitlines() == ["/tmp/ipykernel_12/1.py:1"] * 3


def test_the_graph_shows_cells_too(run_python: Any) -> None:
    child = run_python(
        SHELL
        + """
sys.modules["IPython"] = ipython
names["/tmp/ipykernel_12/9.py"] = 12
run("queue.host_task(lambda: None)", "/tmp/ipykernel_12/9.py")
queue.wait_and_throw()
print(queue.graph())
"""
    )
    assert "host task at cell [12]:1" in child.stdout
