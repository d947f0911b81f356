"""The magics in a bare IPython shell: variables, arguments, places in the cell, and short tracebacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell

import pysycl as sycl
from pysycl._notebook.magics import names_of, words_of

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Cells:
    """A notebook without a browser: runs cells one after the other, with what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        InteractiveShell.clear_instance()
        self.shell = InteractiveShell.instance()
        self.capsys = capsys
        self("%load_ext pysycl\nimport numpy as np\nimport pysycl as sycl")

    def __call__(self, text: str) -> str:
        self.capsys.readouterr()
        self.result = self.shell.run_cell(text, store_history=True)
        out = self.capsys.readouterr()
        assert not out.err or out.err.startswith("UsageError")
        return COLOUR.sub("", out.out + out.err)

    def __getitem__(self, name: str) -> Any:
        return self.shell.user_ns[name]

    def fails(self, text: str) -> str:
        out = self(text)
        assert not self.result.success
        return out

    def runs(self, text: str) -> str:
        out = self(text)
        assert self.result.success, out
        return out


@pytest.fixture
def cells(capsys: pytest.CaptureFixture[str], queue: sycl.Queue) -> Iterator[Cells]:
    cells = Cells(capsys)
    cells.shell.user_ns["queue"] = queue
    yield cells
    InteractiveShell.clear_instance()


def test_kernels_of_a_program_become_variables(cells: Cells) -> None:
    cells.runs(
        "%%sycl made\nkernel void one(global int *x) { x[get_global_id(0)] += 1; }\nkernel void two(global int *x) {}"
    )
    cells.runs("x = np.zeros(4, np.int32)\nqueue.parallel_for(4, one, x)")
    assert cells["x"].tolist() == [1] * 4
    assert isinstance(cells["made"], sycl.Program) and cells["two"].name == "two"
    cells.runs("%%sycl -o -DSTEP=3\nkernel void three(global int *x) { x[get_global_id(0)] += STEP; }")
    cells.runs("queue.parallel_for(4, three, x)")
    assert cells["x"].tolist() == [4] * 4


def test_a_body_takes_what_it_names(cells: Cells) -> None:
    cells.runs("x = np.arange(4.0); y = np.zeros(4); a = 2; t = np.zeros(99); i = 7; n0 = 1; unused = object()")
    cells.runs("%%sycl_for x.size\n// unused\ndouble t = x[i];\ny[i] = a * t + n0;")
    assert cells["y"].tolist() == [4.0, 6.0, 8.0, 10.0]
    cells.runs("%%sycl_for (4,) a=(x.max() * 10)\ny[i] = a;")
    assert cells["y"].tolist() == [30.0] * 4


def test_a_body_takes_reductions_and_buffers(cells: Cells) -> None:
    cells.runs("x = np.arange(10.0); s = np.zeros(1); total = sycl.reduction(s, sycl.plus)")
    cells.runs("%%sycl_for 10\ntotal += x[i];")
    assert cells["s"][0] == 45.0


def test_the_queue_is_the_named_one(cells: Cells) -> None:
    cells.runs("mine = sycl.Queue(queue.device); x = np.zeros(4)")
    cells.runs("%%sycl_for 4 -q mine\nx[i] = 1;")
    assert len(cells["mine"].graph().commands) == 1
    assert "no queue is called 'nobody'" in cells.fails("%%sycl_for 4 -q nobody\nx[i] = 1;")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x[i] = sqr(1);", 2, 8),
        ("x[i] = 1;\n  x[i] = sqr(1);", 3, 10),
        ("x[i] = 1;\n\n\tx[i] = sqr(1);\nx[i]++;", 4, None),
    ],
)
def test_errors_of_bodies_are_at_the_cell_s_own_lines(cells: Cells, text: str, line: int, column: int | None) -> None:
    cells.runs("x = np.zeros(4)")
    out = cells.fails(f"%%sycl_for 4\n{text}")
    at = f"cell [3]:{line}:{column}: " if column is not None else f"cell [3]:{line}:"
    assert at in out and f"    {line} | " in out, out
    assert out.count("\n") <= 12, out


def test_errors_of_programs_come_with_the_cell_that_wrote_them(cells: Cells) -> None:
    out = cells.fails("%%sycl\nkernel void f(global int *x) {\n  x[0] = sqr(1);\n}")
    assert "cell [2]:3:10: " in out and out.count("\n") <= 12, out
    assert "f" not in cells.shell.user_ns


def test_bounds_are_told_of_the_cell(cells: Cells) -> None:
    cells.runs("x = np.zeros(4)")
    assert "cell [3]: x[i] reaches element 8" in cells.fails("%%sycl_for 9\nx[i] = 1;")


def test_the_place_of_a_command_is_its_cell(cells: Cells) -> None:
    cells.runs("x = np.zeros(4)")
    cells.runs("%%sycl_for 4\nx[i] = 1;")
    assert " at cell [3]:1: " in cells.runs("print(queue.graph())")


def test_tracebacks_are_the_user_s_frames(cells: Cells) -> None:
    cells.runs("x = np.zeros(4, np.float32)\ndef mine():\n    return sycl.sum(x, map='sqr(x)')")
    out = cells.fails("mine()")
    assert "in mine()" in out and "pysycl/" not in out and out.count("\n") <= 16, out
    assert cells.fails("sycl.sum(x, map='sqr(x)')").count("\n") <= 12


@pytest.mark.parametrize("mode", ["Context", "Plain", "Minimal", "Verbose"])
def test_one_mode_of_tracebacks_shows_all_frames(cells: Cells, mode: str) -> None:
    """`%xmode Verbose`; the others show the user's."""
    cells.runs("x = np.zeros(4, np.float32)")
    cells.runs(f"%xmode {mode}")
    for wrong in ("sycl.sum(x, map='sqr(x)')", "queue.parallel_for(4, 'x[i] = sqr(x[i]);', x=x)"):
        out = cells.fails(wrong)
        assert "BuildError" in out and "'sqr'" in out, out
        assert ("pysycl/" in out) == (mode == "Verbose" and wrong.startswith("sycl.")), out
    out = cells.fails("%%sycl_for 4\nx[i] = sqr(x[i]);")
    assert "cell [" in out and ("magics.py" in out) == (mode == "Verbose"), out
    cells.runs("%xmode Context")
    assert "pysycl/" not in cells.fails("sycl.sum(x, map='sqr(x)')")


def test_a_profiled_cell_shows_its_commands_and_saves_a_trace(cells: Cells, tmp_path: Any) -> None:
    cells.runs("x = np.zeros(4)")
    out = cells.runs(
        f"%%sycl_profile {tmp_path}/t.json\nfor _ in range(3):\n    queue.parallel_for(4, 'x[i] += 1;', x=x)"
    )
    assert re.search(r"kernel x\[i\] \+= 1; +3 .* cell \[3\]:3", out), out
    assert (tmp_path / "t.json").stat().st_size > 100
    assert cells["x"].tolist() == [3.0] * 4
    cells.runs("%%sycl_profile\nmade_here = 5")
    assert cells["made_here"] == 5


def test_the_ledger_is_a_line_behind_cells_that_used_a_device(cells: Cells) -> None:
    cells.runs("x = np.zeros(4)\n%sycl_ledger on")
    assert re.search(
        r"pysycl: 2 commands, \d+\.\d\d ms on devices",
        cells("for _ in range(2): queue.parallel_for(4, 'x[i]++;', x=x)"),
    )
    assert "pysycl:" not in cells("1 + 1")
    cells("%sycl_ledger off")
    assert "pysycl:" not in cells("queue.parallel_for(4, 'x[i]++;', x=x)")


def test_the_ledger_s_line_stands_behind_a_profiled_cell(cells: Cells) -> None:
    cells.runs("x = np.zeros(4)\n%sycl_ledger on")
    out = cells("%%sycl_profile\nfor _ in range(3): queue.parallel_for(4, 'x[i]++;', x=x)")
    assert out.count("pysycl: ") == 1 and re.search(r"Profile: 3 commands.*\npysycl: 3 commands", out, re.DOTALL), out
    cells("%sycl_ledger off")


@pytest.mark.parametrize("line", ["%%sycl a b", "%%sycl_for", "%%sycl_for 4 what", "%%sycl_profile a b", "%%sycl -o"])
def test_wrong_lines_say_what_was_expected(cells: Cells, line: str) -> None:
    out = cells.fails(f"{line}\nx")
    assert "UsageError" in out and ("expected" in out or "wants" in out)


def test_words_and_names() -> None:
    assert words_of("(n, m) -q  q a=f(1, 'b c') ") == ["(n, m)", "-q", "q", "a=f(1, 'b c')"]
    text = 'float t = x[i], u = y[i0]; /* no */ // nor this\nfloat4 *p; z.w = t + "text"[0] + i + fn(k);'
    assert names_of(text) >= {"x", "y", "z", "fn", "k"}
    assert not names_of(text) & {"t", "u", "p", "w", "text", "no", "nor", "i", "i0"}
    assert isinstance(np.zeros(1), np.ndarray)
