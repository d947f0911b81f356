"""sycl.tune(): what was measured on this machine is taken, by later processes too, and can be taken back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

tuning = sys.modules["pysycl.tune"]
X = np.ones(1000, np.float32)
BODIES = ("r += x[i];", "r += exp(x[i]);")


def explained(queue: sycl.Queue, text: str) -> str:
    out = sycl.malloc_shared(1, np.float32, queue)
    return queue.kernel(X.size, text, x=X, r=sycl.reduction(out, sycl.plus)).explanation


@pytest.fixture
def queue() -> Iterator[sycl.Queue]:
    queue = sycl.Queue()
    sycl.tune(queue, reset=True)
    yield queue
    sycl.tune(queue, reset=True)


def test_explain_predicts_a_rate_where_one_is_known(queue: sycl.Queue) -> None:
    if queue.device._facts["items"] not in ("looped", "packed", "threaded"):
        pytest.skip("the table has no rate for this device")
    assert "\npredicted " in explained(queue, BODIES[0])
    assert "\npredicted " not in explained(queue, BODIES[1])


def test_a_prepared_kernel_says_what_the_last_launch_took(queue: sycl.Queue) -> None:
    timed = sycl.Queue(queue.device, enable_profiling=True)
    n = 1 << 16
    out, x = sycl.malloc_shared(1, np.float32, timed), sycl.malloc_shared(n, np.float32, timed)
    launches = [q.kernel(n, BODIES[0], x=x, r=sycl.reduction(out, sycl.plus)) for q in (timed, queue)]
    assert "\ntook " not in launches[0].explanation
    seconds = launches[0]().profiling.seconds
    launches[1]().wait()
    rate = f"{4 * n / seconds / 1e9:.1f}" if seconds > 0 else ""
    expected = f"took      {seconds * 1e6:.1f} us the last time, by profiling: {rate} GB/s\n"
    assert expected in launches[0].explanation
    assert "\ntook " not in launches[1].explanation


def test_a_row_is_taken_for_its_kind_of_bodies_only(queue: sycl.Queue) -> None:
    before = [explained(queue, text) for text in BODIES]
    row = next(row for row in _core.reduction_rows(queue.device)[::-1] if row not in before[0])
    _core.tuned_set(queue.context, False, row, "tuned: a test says so")
    assert f"row       {row}\n" in explained(queue, BODIES[0])
    assert "here      tuned: a test says so\n" in explained(queue, BODIES[0])
    assert explained(queue, BODIES[1]) == before[1]
    assert tuning.found(queue.device) == [("sums", row, "tuned: a test says so")]
    assert sycl.tune(queue, reset=True) == []
    assert [explained(queue, text) for text in BODIES] == before


def test_it_measures_both_kinds_and_keeps_what_it_found(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_SIZES", (1 << 12,))
    found = sycl.tune(queue, seconds=0.01)
    assert [each.kind for each in found] == ["sums", "sums of built-in functions", "scans"]
    rows = {"scans": _core.scan_rows(queue.device)}
    assert all(each.row == "" or each.row in rows.get(each.kind, _core.reduction_rows(queue.device)) for each in found)
    for text, each in zip(BODIES, found, strict=False):
        assert each.measured.startswith("tuned: ")
        assert each.measured[:60] in " ".join(explained(queue, text).split()).replace("here tuned", "tuned")
    assert tuning.found(queue.device) == found


def test_the_best_row_wins_unless_it_is_bad_somewhere(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """With times that are made up: the second row is twice as fast, the last one faster still but for one size."""
    rows = _core.reduction_rows(queue.device)
    speeds = {None: 1.0, **dict.fromkeys(rows, 0.5), rows[1]: 2.0}

    class Trial:
        def __init__(self, queue: Any, kind: Any, row: str | None, n: int, x: Any, out: Any) -> None:
            worst = row == rows[0] and n == 1 << 13
            if kind.name == "scans":
                self.seconds = [1e-3] * 3
                return
            self.seconds = [1e-3 / (0.9 if worst else 9.0 if row == rows[0] else speeds[row])] * 3

        def run(self) -> None: ...

    monkeypatch.setattr(tuning, "_SIZES", (1 << 12, 1 << 13))
    monkeypatch.setattr(tuning, "_Trial", Trial)
    first, second, third = sycl.tune(queue, seconds=0.0)
    assert first.row == second.row == rows[1] and third.row == ""
    assert first.measured == "tuned: 2.00 times as fast as the table's row; 0.1 and 0.0 GB/s of 8192 floats"


def test_a_row_is_taken_for_scans_of_single_lines(queue: sycl.Queue) -> None:
    def told(shape: Any, axis: int | None) -> str:
        x = np.ones(shape, np.float32)
        scanner = sycl.scanner(sycl.plus, "f4")
        return str(queue.scan_kernel(shape, "t += x[i];", "x[i] = t;", axis=axis, x=x, t=scanner).explanation)

    before, columns = told(1000, None), told((30, 200), 0)
    _core.tuned_set(queue.context, 2, "small tiles", "tuned: a test says so")
    assert "row       small tiles\n" in told(1000, None)
    assert "here      tuned: a test says so\n" in told(1000, None)
    assert "row       small tiles\n" not in told((30, 200), 0)
    assert tuning.found(queue.device) == [("scans", "small tiles", "tuned: a test says so")]
    assert sycl.tune(queue, reset=True) == []
    assert (told(1000, None), told((30, 200), 0)) == (before, columns)


def test_what_cannot_be_kept_is_refused(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.InvalidParameterError, match=r"^row: device .* has no row for reducers .* 'none such'$"):
        _core.tuned_set(queue.context, False, "none such", "words")
    with pytest.raises(sycl.InvalidParameterError, match=r"^words: 200 bytes are too many, at most 159 are kept$"):
        _core.tuned_set(queue.context, False, "", "w" * 200)


PROCESS = """
import sys, warnings
import pysycl as sycl
from pysycl import _core
from pysycl.tune import found
queue = sycl.Queue()
if sys.argv[1] == "set":
    _core.tuned_set(queue.context, False, _core.reduction_rows(queue.device)[-1], "tuned: by another process")
else:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        print(found(queue.device))
        queue.wait()
    print([str(each.message) for each in told])
"""


def test_later_processes_find_it_and_a_damaged_file_is_told_of(queue: sycl.Queue, tmp_path: Path) -> None:
    def run(what: str) -> str:
        environment = {**os.environ, "PYSYCL_CACHE": "1", "PYSYCL_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", PROCESS, what], env=environment, capture_output=True, text=True, timeout=100
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("set")
    assert "tuned: by another process" in run("get")
    files = [path for path in tmp_path.rglob("*") if path.is_file() and b"by another process" in path.read_bytes()]
    assert len(files) == 1
    files[0].write_bytes(files[0].read_bytes().replace(b"by another", b"by someone"))
    found, told = run("get").splitlines()
    assert found == "[]"
    assert "is damaged, and ignored: the table of pysycl decides again" in told
    assert run("get").splitlines() == ["[]", "[]"]
