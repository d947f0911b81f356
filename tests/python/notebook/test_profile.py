"""queue.profile() and sycl.profile(): rows, sums, nesting, failures, clocks, the trace, and that nothing is kept."""

from __future__ import annotations

import gc
import itertools
import json
import math
import statistics
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core
from pysycl._profile import records

N = 100_000


def arrays() -> tuple[Any, Any]:
    return np.arange(N, dtype=np.float32), np.ones(N, np.float32)


def fails_after(event: sycl.Event) -> float:
    return 1 / int(event.status is sycl.EventCommandStatus.submitted)


def kernels(p: sycl.Profile) -> list[sycl.ProfiledCommand]:
    return [command for command in p.commands if command.kind == "kernel"]


def test_commands_are_rows_by_text_line_and_kind(queue: sycl.Queue) -> None:
    x, y = arrays()
    with queue.profile() as p:
        for _ in range(5):
            queue.parallel_for(N, "y[i] += a * x[i];", x=x, y=y, a=2.0)
        queue.parallel_for(N, "x[i] = sqrt(y[i]);", x=x, y=y)
    rows = {row.label: row for row in p.by("text") if row.kind == "kernel"}
    assert {label: row.count for label, row in rows.items()} == {"y[i] += a * x[i];": 5, "x[i] = sqrt(y[i]);": 1}
    many = rows["y[i] += a * x[i];"]
    assert many.median is not None and many.rate is not None and many.first > 0
    assert many.total == pytest.approx(sum(c.seconds for c in kernels(p) if c.label == many.label))
    assert rows["x[i] = sqrt(y[i]);"].median is None
    assert [row.count for row in p.by("kind") if row.kind == "kernel"] == [6]
    assert Path(__file__).name in many.site
    assert any(row.site == many.site and row.kind == "" for row in p.by("line"))
    with pytest.raises(sycl.InvalidParameterError, match="'text', 'line' or 'kind'"):
        p.by("colour")  # type: ignore[arg-type]


def test_kernels_of_a_call_are_one_row_by_its_name(queue: sycl.Queue) -> None:
    """Texts of the package's own tell a user nothing: they are the parts of what was called."""
    number = time.perf_counter_ns() % 1_000_003  # a text that no cache has
    sorter = sycl.make_sort(np.float32, queue=queue)
    with sycl.Buffer(np.arange(50_000, dtype=np.float32)[::-1].copy()) as b, queue.profile() as p:
        sycl.sort(b, queue=queue)
        sycl.sum(b, map=f"x * {number}", queue=queue)
        sorter(b)
        with queue.submit() as h:
            h.parallel_for(b.range, f"b[i] += {number};", b=h.read_write(b))
    rows = {row.label: row for row in p.by("text") if row.kind == "kernel"}
    assert set(rows) == {"sort()", "sum()", "Sort()", f"b[i] += {number};"}
    whole = rows["sort()"]
    assert len(whole.parts) > 1 and whole.median is None and whole.rate is None
    assert sum(part.count for part in whole.parts) == whole.count
    assert math.isclose(sum(part.total for part in whole.parts), whole.total)
    assert rows["sum()"].parts == () and rows["sum()"].count == 1
    build = next(c for c in p.commands if c.kind == "build" and str(number) in c.label and c.call)
    assert build.title == "sum()" and build.site == rows["sum()"].site
    assert "syc_" not in str(p) and "syc_" in p._repr_html_()
    assert [c for c in queue.graph().commands if c.name.startswith("sort(): ")]


def slow_rows(p: sycl.Profile) -> list[sycl.ProfileRow]:
    """The rows by text of commands that are no calls', one command after the other."""
    groups: dict[tuple[str, str, str], list[sycl.ProfiledCommand]] = {}
    for c in sorted(p.commands, key=lambda c: (c.id, c.start)):
        groups.setdefault((c.kind, c.title, c.site), []).append(c)
    rows = []
    for key, own in groups.items():
        seconds = [c.seconds for c in own if c.timed]
        middle = statistics.median(seconds[1:]) if len(seconds) > 1 else None
        each, moved = seconds[0] if middle is None else middle, {c.bytes for c in own}
        rate = max(moved) / each if len(moved) == 1 and max(moved) and each else None
        rows.append(sycl.ProfileRow(*key, len(own), sum(seconds), seconds[0], middle, rate))
    return sorted(rows, key=lambda row: -row.total)


def test_very_many_commands_are_the_same_rows_in_little_memory(queue: sycl.Queue) -> None:
    """An object for each command is made for those who ask for it alone: the table needs none."""
    x, number = np.ones(64, np.float32), 100_000
    steps = [queue.kernel(n, "x[i] = 0.5f * x[i] + 1;", x=x[:n]) for n in (64, 32)]
    other = queue.kernel(64, "x[i] = sqrt(x[i]);", x=x)
    few = queue.kernel(64, "x[i] *= x[i];", x=x)
    p = queue.profile()
    with p:
        for k in range(number // 4):
            steps[0]()
            steps[1]()
            steps[k % 2]()  # more bytes and fewer: no rate
            other()
        for _ in range(4):
            few()
        gc.collect()
        tracemalloc.start()
    rows, text, peak = p.by(), str(p), tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * number and f"{number + 4} commands" in text  # a command's object alone has 400 bytes
    assert len(p.commands) >= number
    for found, wanted in itertools.zip_longest(rows, slow_rows(p)):
        assert found[:4] == wanted[:4]
        assert [each or 0 for each in found[4:8]] == pytest.approx([each or 0 for each in wanted[4:8]], rel=1e-6)
    assert [row.count for row in rows if row.kind == "kernel"].count(number // 4) == 4
    busy, reached = 0.0, 0.0
    for c in sorted((c for c in p.commands if c.timed and c.kind == "kernel"), key=lambda c: c.start):
        busy += max(0.0, c.end - max(c.start, reached))
        reached = max(reached, c.end)
    assert p.busy == pytest.approx(busy)


def test_a_time_in_which_several_ran_counts_once() -> None:
    found = np.zeros(5, records._NUMBERS)
    found["start"], found["end"] = [0, 3e9, 2e9, 20e9, 5e9], [10e9, 12e9, 4e9, 21e9, 6e9]
    found["timed"], found["text"], found["serial"] = [1, 1, 1, 1, 0], [0, 0, 1, 0, 0], 1
    texts = [("d", "kernel", "k", None, None, 0, None), ("d", "copy", "", None, "f", 3, None)]
    of_device = records.Records(found.tobytes(), texts, 0)
    assert of_device.busy() == pytest.approx(13)
    texts[0] = ("d", "host task", "k", None, None, 0, None)
    assert records.Records(found.tobytes(), texts, 0).busy() == pytest.approx(2)


def test_a_scan_of_two_texts_has_both_as_its_name(queue: sycl.Queue) -> None:
    x, y = arrays()
    with queue.profile() as p:
        queue.parallel_scan(N, "s += x[i];", "y[i] = s;", s=sycl.scanner(sycl.plus, np.float32), x=x, y=y)
    assert [c.title for c in kernels(p)] == ["s += x[i]; y[i] = s;"]
    assert queue.graph().commands[-1].name == "s += x[i]; y[i] = s;"


def test_sums_stay_within_the_wall_time(queue: sycl.Queue) -> None:
    x, y = arrays()
    with queue.profile() as p:
        for _ in range(20):
            queue.parallel_for(N, "y[i] += x[i];", x=x, y=y)
    assert 0 < p.busy <= sum(c.seconds for c in kernels(p)) + 1e-9
    assert p.busy <= p.wall
    slack = 200e-6  # the two clocks are read one after the other
    assert all(-slack <= c.submit <= c.start + slack and c.start <= c.end <= p.wall + slack for c in kernels(p))


def test_bytes_are_those_of_the_arguments(queue: sycl.Queue) -> None:
    x, y = arrays()
    with sycl.malloc_device(N, np.float32, queue) as u, queue.profile() as p:
        queue.parallel_for(N, "y[i] += x[i];", x=x, y=y)
        queue.fill(u, np.float32(1)).wait()
        queue.parallel_for(N, "u[i] += 1;", u=u).wait()
    by = {c.label or c.kind: c.bytes for c in p.commands if c.id}
    assert by["y[i] += x[i];"] == 3 * 4 * N
    assert by["fill"] == 4 * N
    assert by["u[i] += 1;"] == 4 * N


def test_builds_waits_copies_and_host_tasks_are_rows(queue: sycl.Queue) -> None:
    x, _ = arrays()
    number = time.perf_counter_ns() % 1_000_003  # a text that no cache has
    with queue.profile() as p, sycl.Buffer(x) as b:
        queue.parallel_for(N, f"x[i] += {number};", x=x)
        with queue.submit() as h:
            h.parallel_for(N, "b[i] += 1;", b=h.read_write(b))
        queue.host_task(lambda: time.sleep(0.02)).wait()
        queue.copy(x, np.empty_like(x))
    kinds = {row.kind for row in p.by("kind")}
    assert {"kernel", "copy", "host task", "build", "wait"} <= kinds
    assert any(c.kind == "build" and str(number) in c.label and c.seconds > 0 for c in p.commands)
    task = next(c for c in p.commands if c.kind == "host task")
    wait = max((c for c in p.commands if c.kind == "wait"), key=lambda c: c.seconds)
    assert task.seconds >= 0.02 and wait.seconds >= 0.01
    assert p.busy < p.wall - 0.015  # the host's sleep is no work of a device


def test_a_host_task_starts_after_the_kernel_that_it_waits_for(queue: sycl.Queue) -> None:
    """Drivers have clocks of their own: PoCL's is days away from the one that host tasks are timed by."""
    x, _ = arrays()
    with queue.profile() as p, sycl.Buffer(x) as b:
        with queue.submit() as h:
            h.parallel_for(N, "b[i] = sin(b[i]);", b=h.read_write(b))
        with queue.submit() as h:
            data = h.read(b, target="host_task")
            h.host_task(lambda: float(data[0]))
    kernel = kernels(p)[-1]
    task = next(c for c in p.commands if c.kind == "host task")
    assert task.start >= kernel.end - 200e-6
    assert task.start - kernel.end < 5


def test_profiles_nest_and_each_has_its_own(queue: sycl.Queue) -> None:
    x, y = arrays()
    with sycl.profile() as outer:
        queue.parallel_for(N, "x[i] += 1;", x=x)
        with queue.profile() as inner:
            queue.parallel_for(N, "y[i] += 1;", y=y)
        queue.parallel_for(N, "x[i] += 2;", x=x)
    assert [c.label for c in kernels(inner)] == ["y[i] += 1;"]
    assert [c.label for c in kernels(outer)] == ["x[i] += 1;", "y[i] += 1;", "x[i] += 2;"]


def test_a_queue_s_profile_has_no_other_queue_s_commands_and_all_have_new_ones(queue: sycl.Queue) -> None:
    x, _ = arrays()
    with queue.profile() as p:
        sycl.Queue(queue.device).parallel_for(N, "x[i] += 1;", x=x)
    assert not kernels(p)
    with sycl.profile() as p:
        sycl.Queue(queue.device).parallel_for(N, "x[i] += 1;", x=x)
    assert [c.timed for c in kernels(p)] == [True]


def test_commands_before_the_block_are_not_in_it(queue: sycl.Queue) -> None:
    x, _ = arrays()
    event = queue.parallel_for(N, "x[i] = cos(x[i]);", x=x, wait=False)
    with queue.profile() as p:
        assert event.status is sycl.EventCommandStatus.complete
    assert not kernels(p)


def test_an_exception_leaves_the_profile_usable(queue: sycl.Queue) -> None:
    x, _ = arrays()
    p = queue.profile()
    with pytest.raises(ZeroDivisionError), p:
        fails_after(queue.parallel_for(N, "x[i] += 1;", x=x))
    assert len(kernels(p)) == 1
    with pytest.raises(sycl.InvalidObjectError, match="has begun already"), p:
        pass


def test_a_command_that_fails_is_a_row_without_times(queue: sycl.Queue) -> None:
    def fails() -> None:
        raise ValueError("no")

    with queue.profile() as p:
        event = queue.host_task(fails)
        with pytest.raises(sycl.SyclRuntimeError, match="no"):
            event.wait_and_throw()
    failed = next(c for c in p.commands if c.kind == "host task")
    assert failed.failed and not failed.timed and math.isnan(failed.start) and failed.seconds == 0
    assert "host task" in str(p)


def test_replays_are_commands(queue: sycl.Queue) -> None:
    x, _ = arrays()
    with queue.record() as g:
        queue.parallel_for(N, "x[i] += 1;", x=x)
        queue.parallel_for(N, "x[i] *= 2;", x=x)
    with queue.profile() as p:
        g.replay().wait()
        g.replay().wait()
    replays = [c for c in p.commands if c.kind == "replay"]
    assert [c.timed for c in replays] == [True, True] and all(c.seconds > 0 for c in replays)


def test_events_tell_no_times_because_of_a_profile(queue: sycl.Queue) -> None:
    x, _ = arrays()
    with queue.profile():
        event = queue.parallel_for(N, "x[i] += 1;", x=x)
    with pytest.raises(sycl.InvalidObjectError, match="enable_profiling"):
        _ = event.profiling
    with queue.profile() as p:
        timed = sycl.Queue(queue.device, enable_profiling=True)
    assert not p.commands or not kernels(p)
    with timed.profile() as p:
        event = timed.parallel_for(N, "x[i] += 1;", x=x)
    assert kernels(p)[0].seconds == pytest.approx(event.profiling.seconds)


def test_graphs_have_the_times_that_are_known(queue: sycl.Queue) -> None:
    x, _ = arrays()
    queue.parallel_for(N, "x[i] += 1;", x=x)
    with queue.profile() as p:
        queue.parallel_for(N, "x[i] += 2;", x=x)
    before, during = queue.graph().commands[-2:]
    assert before.seconds is None
    assert during.seconds == pytest.approx(kernels(p)[0].seconds)
    assert f"{during.seconds * 1e6:.1f} us" in str(queue.graph())


def test_no_buffer_is_kept(queue: sycl.Queue) -> None:
    gc.collect()
    before = _core.live_counts()
    x, _ = arrays()
    with queue.profile() as p:
        b = sycl.Buffer(x)
        with queue.submit() as h:
            h.parallel_for(N, "b[i] += 1;", b=h.read_write(b))
        b.close()
        del b
    del h
    gc.collect()
    now = _core.live_counts()
    assert len(kernels(p)) == 1
    assert (now["buffer"], now["command"]) == (before["buffer"], before["command"])


def test_outside_of_a_block_native_queues_are_the_plain_ones(queue: sycl.Queue) -> None:
    x, _ = arrays()
    plain = _core.live_counts()["cl_command_queue"]
    with queue.profile():
        assert _core.live_counts()["cl_command_queue"] > plain
        queue.parallel_for(N, "x[i] += 1;", x=x)
    with queue.submit() as h:
        h.parallel_for(N, "x[i] += 1;", x=x)
    assert queue.graph().commands[-1].seconds is None


def test_the_trace_loads_and_spans_of_a_lane_do_not_overlap(queue: sycl.Queue, tmp_path: Path) -> None:
    x, y = arrays()
    with queue.profile() as p, sycl.Buffer(x) as a, sycl.Buffer(y) as b:
        for _ in range(10):
            with queue.submit() as h:
                h.parallel_for(N, "a[i] = sin(a[i]);", a=h.read_write(a))
            with queue.submit() as h:
                h.parallel_for(N, "b[i] = sin(b[i]) + a[i];", b=h.read_write(b), a=h.read(a))
    p.save_trace(tmp_path / "run.json")
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    lanes: dict[int, list[tuple[float, float]]] = {}
    for event in events:
        if event["ph"] == "X":
            lanes.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    assert sum(map(len, lanes.values())) == len([c for c in p.commands if c.timed])
    for spans in lanes.values():
        spans.sort()
        assert all(first[1] <= second[0] + 1e-6 for first, second in itertools.pairwise(spans))
    starts = {event["id"] for event in events if event["ph"] == "s"}
    assert starts and starts == {event["id"] for event in events if event["ph"] == "f"}


def test_the_table_has_a_line_for_each_row_and_a_share_of_the_roof(queue: sycl.Queue) -> None:
    x, y = arrays()
    with queue.profile() as p:
        for _ in range(3):
            queue.parallel_for(N, "y[i] += x[i];", x=x, y=y)
    lines = str(p).splitlines()
    assert len(lines) == 2 + len(p.by())
    assert lines[0].startswith(f"pysycl.Profile: 3 commands on {queue.device.name!r}")
    assert p.roof is not None and p.roof > 1e8
    row = next(line for line in lines if "kernel y[i] += x[i];" in line)
    assert row.count("%") == 2  # its share, and of the roof
