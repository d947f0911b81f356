"""python -m pysycl: what it prints, its exit status, and that one bad driver costs the others nothing."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl
from pysycl._devices.features import ABSENT, EMULATED, NATIVE, features
from pysycl._doctor import doctor as doctor_module
from pysycl._doctor import self_check as checks
from pysycl._doctor.doctor import examine
from pysycl._doctor.self_check import CHECKS, self_check

ABORTS_ON_LOAD = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void start(void) { fputs("no such luck\\n", stderr); abort(); }
"""
HANGS_ON_LOAD = """
#include <unistd.h>
__attribute__((constructor)) static void start(void) { for (;;) pause(); }
"""
NO_DRIVER = "int nothing;"


@pytest.fixture
def library(c_compiler: str, tmp_path: Path) -> object:
    def build(text: str) -> str:
        source, target = tmp_path / "driver.c", tmp_path / "driver.so"
        source.write_text(text, encoding="utf-8")
        subprocess.run([c_compiler, "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
        return str(target)

    return build


def doctor(folder: Path, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pysycl", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=110,
    )


def test_every_check_passes_or_does_not_apply(device: sycl.Device) -> None:
    outcomes = list(self_check(device))
    assert [outcome.name for outcome in outcomes] == [name for name, _, _ in CHECKS]
    assert not [outcome for outcome in outcomes if outcome.state == "failed"]
    absent = {outcome.name for outcome in outcomes if outcome.state == "absent"}
    assert absent == {name for name, _, aspect in CHECKS if aspect is not None and not device.has(aspect)}


def test_a_wrong_answer_fails_its_check_and_only_that(device: sycl.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    text = checks.kernel_text("self_check.cl").replace("a * x[i] + y[i]", "a * x[i] - y[i]")
    monkeypatch.setattr(checks, "kernel_text", lambda name: text)
    monkeypatch.setattr(checks, "CHECKS", CHECKS[:2])
    first, second = self_check(device)
    assert first.state == "failed"
    assert "y[0] is -3.0, expected 3.0 (1000 of 1000 wrong)" in first.detail
    assert second.state == "passed"


def test_a_raising_check_fails_with_the_error(device: sycl.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "kernel_text", lambda name: "this is not OpenCL C")
    monkeypatch.setattr(checks, "CHECKS", CHECKS[:1])
    (outcome,) = self_check(device)
    assert outcome.state == "failed"
    assert outcome.detail


def test_features_are_native_emulated_or_absent(device: sycl.Device) -> None:
    rows = {feature.name: feature for feature in features(device)}
    assert {feature.state for feature in rows.values()} <= {NATIVE, EMULATED, ABSENT}
    assert (rows["double precision"].state == NATIVE) == device.has("fp64")
    assert rows["zero-copy arrays"].state != ABSENT


@pytest.mark.exhaustive
def test_the_doctor_passes_on_this_machine(tmp_path: Path) -> None:
    child = doctor(tmp_path, {"OCL_ICD_VENDORS": str(tmp_path)})
    assert child.returncode == 0, child.stdout + child.stderr
    assert f"pysycl {sycl.__version__}" in child.stdout
    assert f"NumPy {np.__version__}" in child.stdout
    assert "saxpy" in child.stdout
    assert "passed" in child.stdout
    assert "FAILED" not in child.stdout


def test_a_driver_that_aborts_is_reported_and_the_next_is_examined(library, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad = library(ABORTS_ON_LOAD)
    child = doctor(tmp_path, {"PYSYCL_DRIVERS": f"{bad}:{tmp_path}/absent.so"})
    assert child.returncode == 1
    assert "was ended by SIGABRT: no such luck" in child.stdout
    assert f"{tmp_path}/absent.so" in child.stdout
    assert "refused: " in child.stdout


def test_a_driver_that_hangs_is_stopped(library, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = examine("check", library(HANGS_ON_LOAD), limit=1)
    assert found.findings == []
    assert "did not end in time" in found.trouble


def test_a_library_that_is_no_driver_is_refused_without_failure(library, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = examine("check", library(NO_DRIVER))
    assert found.trouble == ""
    (driver,) = found.of("driver")
    assert driver["refusal"]


def test_no_driver_at_all_is_a_failure_that_says_what_to_do(tmp_path: Path) -> None:
    child = doctor(tmp_path, {"PYSYCL_DRIVERS": str(tmp_path / "absent.so")})
    assert child.returncode == 1
    assert "pip install" in child.stdout


def test_show_config_prints_and_returns_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    facts = sycl.show_config()
    printed = capsys.readouterr().out
    assert facts["pysycl"] == sycl.__version__
    assert facts["numpy"] == np.__version__
    for name in ("compiler", "python", "core"):
        assert facts[name]
        assert f"{name}: {facts[name]}" in printed
    for driver in facts["drivers"]:
        assert driver["path"] in printed


def test_show_config_shows_once() -> None:
    """At a prompt, which shows the result of what was typed."""
    shown = repr(sycl.show_config())
    assert shown.count("\n") == 0 and len(shown) < 300
    assert dict(sycl.show_config())["numpy"] == np.__version__


def test_show_config_shows_only_variables_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POCL_DEVICES", "pthread")
    monkeypatch.setenv("SOMEBODYS_PASSWORD", "secret")
    environment = sycl.show_config()["environment"]
    assert environment["POCL_DEVICES"] == "pthread"
    assert "SOMEBODYS_PASSWORD" not in environment


@pytest.mark.parametrize(("state", "healthy"), [("passed", True), ("absent", True), ("failed", False)])
def test_the_verdict_is_that_of_the_checks(state: str, healthy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = {"event": "outcome", "name": "saxpy", "state": state, "detail": "y[0] is 1", "seconds": 0.1}
    monkeypatch.setattr(doctor_module, "examine", lambda *_: doctor_module.Examination([outcome]))
    stream = io.StringIO()
    examiner = doctor_module.Doctor(stream)
    examiner.check_driver("driver.so", "a test")
    assert examiner.verdict() is healthy
    assert ("FAILED driver.so: saxpy" in stream.getvalue()) is not healthy
