"""What the end of the process says: it wrote one line for each command in flight, hundreds of thousands of them."""

from collections.abc import Callable
from typing import Any

SPIN = """
import numpy as np
import pysycl as sycl

program = sycl.Program('''
__kernel void spin(__global ulong *cell, ulong rounds)
{
    ulong x = rounds;
    for (ulong i = 0; i < rounds; i++)
        x = x * 6364136223846793005UL + (x >> 7);
    cell[0] += x;
}
''')
queue, cell = sycl.Queue(), np.zeros(1, np.uint64)
queue.single_task(program.spin, cell, 10).wait()
queue.single_task(program.spin, cell, 2**34, wait=False)
"""


def test_commands_of_one_place_are_one_line(run_python: Callable[..., Any]) -> None:
    code = SPIN + "for _ in range(1000):\n    queue.single_task(program.spin, cell, 1, wait=False)\n"
    said = run_python(code, {"PYSYCL_EXIT_TIMEOUT": "0"}).stderr
    assert "at exit 1001 command(s) had not ended" in said
    assert "'spin' on" in said and ", 1000 times\n" in said
    assert len(said.splitlines()) <= 4, said


def test_the_places_are_limited(run_python: Callable[..., Any]) -> None:
    code = SPIN + "queue.single_task(program.spin, cell, 1, wait=False)\n" * 50
    said = run_python(code, {"PYSYCL_EXIT_TIMEOUT": "0"}).stderr
    assert said.endswith("and 31 more\n"), said
    assert len(said.splitlines()) <= 25, said


def test_a_time_that_is_no_number_is_said(run_python: Callable[..., Any]) -> None:
    for text in ("nan", "soon"):
        said = run_python("import pysycl", {"PYSYCL_EXIT_TIMEOUT": text}).stderr
        assert f"PYSYCL_EXIT_TIMEOUT={text!r} is not a number of seconds; waiting 30" in said
