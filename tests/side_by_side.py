"""Test files side by side, in one process more than the machine has cores, four at the most: a run is mostly the driver's
compiler, which uses one core, and a tenth of it is waiting. Each worker is a pytest of its own, which is handed one file after
the other with the names of its tests, collects that, and sends its reports back. They are shown as if one process had run
all, a file when it is done.

One process runs all where there are few files, where the tests' own output or a debugger is asked for, and where a device
is no CPU: the tests would share its memory. PYSYCL_TEST_WORKERS says how many processes, whatever the devices are.

A test that ends its process has failed, and another process does the rest of its file. pytest-xdist (3.8, with files kept
together) gives such a test to one new process after the other, without end.
"""

import contextlib
import gc
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pysycl as sycl

WORKERS = "PYSYCL_TEST_WORKERS"
PIPES = "PYSYCL_TEST_PIPES"  # set for a worker: the descriptors that it reads from and writes to
FEW, MOST = 8, 4  # files that are too few to be shared; processes
# Files that take longest are handed out first: one that came last would leave the other workers idle.
LONGEST = (
    "tests/python/docs/test_pages.py",
    "tests/python/docs/test_doctests.py",
    "tests/python/faults/test_faults.py",
    "tests/python/package/test_self_test.py",
    "tests/python/sorts/test_sort.py",
    "tests/python/sorts/test_sort_some.py",
    "tests/python/scale/test_scan_parts.py",
    "tests/conformance/scans/test_scan_numpy.py",
    "tests/conformance/scans/test_scan_cub.py",
    "tests/conformance/sorts/test_peers_sort.py",
)


def register(config: pytest.Config) -> None:
    options = config.option
    if PIPES in os.environ:
        config.pluginmanager.register(Worker(config))
    elif not (options.collectonly or options.usepdb or options.capture == "no" or "PYTEST_XDIST_WORKER" in os.environ):
        config.pluginmanager.register(Crew(config))


def by_file(session: pytest.Session) -> dict[str, list[pytest.Item]]:
    files = defaultdict(list)
    for item in session.items:
        files[item.nodeid.split("::")[0]].append(item)
    return {name: files[name] for name in sorted(files, key=lambda name: name not in LONGEST)}


def workers_for(files: int) -> int:
    if files < FEW:
        return 1
    if given := os.environ.get(WORKERS):
        return int(given)
    return min(len(os.sched_getaffinity(0)) + 1, MOST) if all(device.is_cpu for device in sycl.devices()) else 1


class Worker:
    """In a worker's process: runs what it is told to, in lines of [file, names of its tests]."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        orders, answers = (int(one) for one in os.environ.pop(PIPES).split())
        os.set_inheritable(orders, False)
        os.set_inheritable(answers, False)
        self.orders, self.answers = os.fdopen(orders), os.fdopen(answers, "w")
        self.folder: pytest.Collector | None = None  # of all
        self.folders: dict[pytest.Collector, list[pytest.Collector]] = {}

    def tell(self, kind: str, what: object = None) -> None:
        self.answers.write(json.dumps([kind, what]) + "\n")
        self.answers.flush()

    def tests(self, session: pytest.Session) -> Iterator[pytest.Item]:
        while True:
            self.tell("ready")
            line = self.orders.readline()
            if not line:
                return
            name, tests = json.loads(line)
            node = self.root(session)
            for part in Path(name).parts:
                node = next(child for child in self.inside(node) if child.path.name == part)
            found = {item.nodeid: item for item in session.genitems(node)}
            session.testscollected += len(found)
            yield from (found[test] for test in tests)

    def root(self, session: pytest.Session) -> pytest.Collector:
        if self.folder is None:
            self.folder = session.ihook.pytest_collect_directory(path=self.config.rootpath, parent=session)
        return self.folder

    def inside(self, folder: pytest.Collector) -> list[pytest.Collector]:
        """A folder is looked into once: the fixtures of its conftest.py belong to this node."""
        if folder not in self.folders:
            self.folders[folder] = folder.ihook.pytest_make_collect_report(collector=folder).result
        return self.folders[folder]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        """Each file is collected when it is to be run: what tests before it have left must not be frozen."""
        gc.collect()
        gc.freeze()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        tests = self.tests(session)
        item = next(tests, None)
        while item is not None:
            following = next(tests, None)  # a test must know it, to leave the fixtures that both have
            self.tell("begin", item.nodeid)
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.tell("end")
            item = following
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tell("report", self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        told = warning_message
        if when == "runtest":
            self.tell("warning", [nodeid, told.category.__name__, str(told.message), told.filename, told.lineno])


class Hand:
    """A worker, as its crew has it."""

    def __init__(self, config: pytest.Config) -> None:
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        self.printed = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *config.invocation_params.args],
            cwd=config.invocation_params.dir,
            env={**os.environ, PIPES: f"{orders} {answers}"},
            pass_fds=(orders, answers),
            stdin=subprocess.DEVNULL,
            stdout=self.printed,
        )
        os.close(orders)
        os.close(answers)
        self.files: list[str] = []  # what it was told to run, and has not
        self.test = ""  # the last that has begun
        self.begun = b""  # of a line

    def order(self, name: str, tests: list[pytest.Item]) -> None:
        self.files.append(name)
        with contextlib.suppress(BrokenPipeError):  # that it is gone is seen where it is heard
            os.write(self.orders, json.dumps([name, [test.nodeid for test in tests]]).encode() + b"\n")

    def dismiss(self) -> None:
        if self.orders >= 0:
            os.close(self.orders)
        self.orders = -1

    def seeds(self) -> list[str]:
        """What its tests of random things have printed past pytest."""
        self.printed.seek(0)
        return re.findall(r"\[[^\]\n]*PYSYCL_\w+_SEED=[^\]\n]*\]", self.printed.read().decode(errors="replace"))

    def hear(self) -> list[tuple[str, Any]] | None:
        """What it has said; None when it is gone."""
        data = os.read(self.answers, 1 << 20)
        *lines, self.begun = (self.begun + data).split(b"\n")
        return [tuple(json.loads(line)) for line in lines] if data else None


class Crew:
    """In the process that the user has started."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.seeds: list[str] = []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for each in self.seeds:
            terminalreporter.write_line(each)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        self.session, self.files = session, by_file(session)
        count = workers_for(len(self.files))
        if session.testsfailed or count < 2:
            return None
        self.left = list(self.files)
        self.done = dict.fromkeys(self.files, 0)
        self.said: dict[str, list[tuple[str, Any]]] = {name: [] for name in self.files}
        self.hands = [Hand(self.config) for _ in range(count)]
        try:
            while self.hands:
                heard, _, _ = select.select([hand.answers for hand in self.hands], [], [])
                for hand in [one for one in self.hands if one.answers in heard]:
                    self.hear(hand)
        finally:
            for hand in self.hands:
                hand.process.kill()
                hand.process.wait()
                self.seeds += hand.seeds()
        return True

    def hear(self, hand: Hand) -> None:
        lines = hand.hear()
        if lines is None:
            self.part_with(hand)
        for kind, what in lines or []:
            if kind == "ready" and self.left:
                name = self.left.pop(0)
                hand.order(name, self.files[name][self.done[name] :])
            elif kind == "ready":
                hand.dismiss()
            elif kind == "begin":
                hand.test = what
            elif kind == "end":
                self.end_test(hand)
            else:
                self.said[hand.files[0]].append((kind, what))

    def end_test(self, hand: Hand) -> None:
        name = hand.files[0]
        self.done[name] += 1
        if self.done[name] == len(self.files[name]):
            hand.files.pop(0)
            self.show(name)

    def part_with(self, hand: Hand) -> None:
        """It is at the end of its work, or of its life: then its test has failed, and another worker does the rest."""
        self.hands.remove(hand)
        hand.dismiss()
        os.close(hand.answers)
        status = hand.process.wait()
        self.seeds += hand.seeds()
        if not hand.files and status >= 0:
            return
        if not hand.files or not hand.test:
            raise self.session.Failed(
                f"a process of the tests ended with {status}, {'after' if hand.test else 'before'} them"
            )
        item = self.files[hand.files[0]][self.done[hand.files[0]]]
        lost = pytest.TestReport(
            item.nodeid, item.location, {}, "failed", f"the process of this test ended with {status}", "call"
        )
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=lost)
        self.said[hand.files[0]].append(("report", data))
        self.end_test(hand)
        self.left[:0] = hand.files
        if self.left:
            self.hands.append(Hand(self.config))

    def show(self, name: str) -> None:
        hook, shown = self.config.hook, ""
        for kind, what in self.said.pop(name):
            if kind == "warning":
                nodeid, category, text, file, line = what
                told = warnings.WarningMessage(Warning(text), type(category, (Warning,), {}), file, line)
                hook.pytest_warning_recorded.call_historic(
                    kwargs={"warning_message": told, "when": "runtest", "nodeid": nodeid, "location": None}
                )
                continue
            if isinstance(what["longrepr"], list):  # of a skipped test: JSON has no tuples
                what["longrepr"] = tuple(what["longrepr"])
            report = hook.pytest_report_from_serializable(config=self.config, data=what)
            if report.nodeid != shown:
                hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
            shown = report.nodeid
            hook.pytest_runtest_logreport(report=report)
            if report.when == "teardown":
                hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)
        if self.session.shouldstop:
            raise self.session.Interrupted(self.session.shouldstop)
