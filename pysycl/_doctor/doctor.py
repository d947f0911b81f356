"""The doctor: every driver that can be found, what its devices can do, and whether they compute correctly.

Each driver is examined in a child process with a time limit, so that one that aborts or hangs costs the others nothing.
"""

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

import numpy as np

import pysycl as sycl
from pysycl import _core
from pysycl._doctor.config import ENVIRONMENT
from pysycl._doctor.selftest import NOT_YET, REFUSED, REPLACED, RIGHT, UNTESTED, VARIABLE

LIMIT = 300.0  # seconds for one child: Oclgrind takes half a minute, PoCL five seconds
SIGNALS = {number.value: number.name for number in signal.Signals}
Finding = dict[str, Any]


@dataclass
class Examination:
    """A child's findings, and how it ended: `trouble` is empty when it came to its end."""

    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""

    def of(self, event: str) -> Iterator[Finding]:
        return (finding for finding in self.findings if finding["event"] == event)


def _ending(code: int | None, errors: str) -> str:
    if code is None:
        how = "did not end in time and was stopped"
    elif code < 0:
        how = f"was ended by {SIGNALS.get(-code, f'signal {-code}')}"
    else:
        how = f"ended with status {code}"
    words = [line for line in errors.strip().splitlines() if line.strip()]
    return f"{how}: {words[-1].strip()}" if words else how


def examine(task: str, driver: str | None = None, limit: float = LIMIT) -> Examination:
    """Runs pysycl._doctor.probe in a child; with `driver`, that library is the only one it sees."""
    environment = dict(os.environ)
    if driver is not None:
        environment["PYSYCL_DRIVERS"] = driver
        environment.pop("PYSYCL_DEVICE", None)
    command = [sys.executable, "-m", "pysycl._doctor.probe", task]
    code: int | None
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as child:
        try:
            output, errors = child.communicate(timeout=limit)
            code = child.returncode
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
            code = None
    findings = []
    for line in output.splitlines():
        try:
            findings.append(json.loads(line))
        except ValueError:  # the line that the child was writing when it died
            continue
    complete = code == 0 and bool(findings) and findings[-1]["event"] == "end"
    return Examination(findings, "" if complete else _ending(code, errors))


class Doctor:
    """Prints as it goes; `failures` names what went wrong."""

    def __init__(self, stream: TextIO, limit: float = LIMIT) -> None:
        self.stream, self.limit = stream, limit
        self.failures: list[str] = []
        self.checked = 0

    def say(self, text: str = "") -> None:
        print(text, file=self.stream, flush=True)

    def heading(self) -> None:
        python = f"{platform.python_implementation()} {platform.python_version()}"
        self.say(f"pysycl {sycl.__version__}, {python}, NumPy {np.__version__}")
        for name in ENVIRONMENT:
            if name in os.environ:
                self.say(f"  {name}={os.environ[name]}")

    def search(self) -> list[tuple[str, str]]:
        """Where drivers may be, without opening any."""
        candidates, notes = _core.candidates()
        self.say("\nSearched, in this order")
        for path, origin in candidates:
            self.say(f"  found    {path}\n           by {origin}")
        for note in notes.splitlines():
            self.say(f"  nothing  {note}")
        return candidates

    def check_driver(self, path: str, origin: str) -> None:
        self.say(f"\n{path}\n  by {origin}")
        found = examine("check", path, self.limit)
        for driver in found.of("driver"):
            if driver["refusal"] is not None:
                self.say(f"  refused: {driver['refusal']}")
            if driver["quirks"] is not None:
                self.say(f"  quirks applied: {driver['quirks']}")
        unfinished = ""
        for finding in found.findings:
            match finding["event"]:
                case "device":
                    self.device(finding)
                case "features":
                    self.features(finding["rows"])
                case "begin":
                    unfinished = finding["check"]
                case "outcome":
                    unfinished = ""
                    self.outcome(path, finding)
                case "tuned":
                    self.tuned(finding["rows"])
                case "families":
                    self.say("    Families of kernels, by the self-test")
                    if not finding["enabled"]:
                        self.say(f"      not tested: {VARIABLE} turns it off")
                case "verdict":
                    unfinished = ""
                    self.verdict_of(path, finding)
        if found.trouble:
            during = f" during '{unfinished}'" if unfinished else ""
            self.say(f"  FAILED: its process {found.trouble}{during}")
            self.failures.append(f"{path}{during}")

    def device(self, device: Finding) -> None:
        memory = device["memory"] / 2**30
        self.say(f"\n  {device['name']}\n    {device['platform']}: {device['version']}")
        self.say(
            f"    {device['type']}, {device['units']} compute units, {memory:.1f} GiB; known as: {device['facts']}"
        )

    def features(self, rows: list[dict[str, str]]) -> None:
        self.say("    Features")
        for row in rows:
            self.say(f"      {row['name']:<32} {row['state']:<9} {row['note']}".rstrip())
        self.say("    Self-check")

    def outcome(self, path: str, outcome: Finding) -> None:
        took = "" if outcome["state"] == "absent" else f"{outcome['seconds'] * 1e3:8.1f} ms"
        state = outcome["state"].upper() if outcome["state"] == "failed" else outcome["state"]
        self.say(f"      {outcome['name']:<32} {state:<9} {took}{'  ' if took else ''}{outcome['detail']}".rstrip())
        self.checked += 1
        if outcome["state"] == "failed":
            self.failures.append(f"{path}: {outcome['name']}")

    def tuned(self, rows: list[list[str]]) -> None:
        """The findings of sycl.tune(), where it was called on this machine."""
        if rows:
            self.say("    Reductions, by sycl.tune()")
        for kind, row, measured in rows:
            self.say(f"      {kind:<28} {row or 'as the table says'}; {measured}")

    def verdict_of(self, path: str, verdict: Finding) -> None:
        """A family that gives right answers in another way than the first is no failure: programs take that."""
        family, state, way, words = (verdict[key] for key in ("family", "state", "way", "words"))
        what = {
            RIGHT: f"right: {way}",
            REPLACED: f"REPLACED by {(way or '').removeprefix('by ')}, because {words}",
            REFUSED: f"REFUSED: right in no way, first because {words}",
            UNTESTED: f"untested: {words}",
            NOT_YET: "not yet used",
        }[state]
        took = "" if state == NOT_YET else "known before" if verdict["kept"] else f"{verdict['seconds'] * 1e3:.0f} ms"
        self.say(f"      {family:<28} {took:>12}  {what}")
        self.checked += state in (RIGHT, REPLACED, REFUSED)
        if state == REFUSED:
            self.failures.append(f"{path}: {family}")

    def together(self) -> None:
        """All drivers in one process, as a user's program has them."""
        found = examine("drivers", None, self.limit)
        self.say("\nAll of them in one process")
        for driver in found.of("driver"):
            outcome = (
                f"refused  {driver['refusal']}" if driver["refusal"] else f"used     {', '.join(driver['platforms'])}"
            )
            self.say(f"  {outcome}\n           {driver['path']}")
        for finding in found.of("default"):
            device = finding["device"]
            self.say(f"  default  {'none' if device is None else device['name']}")
        if found.trouble:
            self.say(f"  FAILED: the process {found.trouble}")
            self.failures.append("all drivers in one process")

    def verdict(self) -> bool:
        if not self.checked and not self.failures:
            self.failures.append("no usable driver: pip install pocl-binary-distribution brings one on Linux x86-64")
        self.say()
        for failure in self.failures:
            self.say(f"FAILED {failure}")
        if not self.failures:
            self.say(f"All {self.checked} checks passed or do not apply.")
        return not self.failures


def doctor(stream: TextIO | None = None, limit: float = LIMIT) -> bool:
    """Examines this machine and prints what it finds. True when every usable driver passes its self-check."""
    examiner = Doctor(sys.stdout if stream is None else stream, limit)
    examiner.heading()
    candidates = examiner.search()
    for path, origin in candidates:
        examiner.check_driver(path, origin)
    examiner.together()
    return examiner.verdict()
