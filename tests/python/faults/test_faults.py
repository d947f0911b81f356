"""Every OpenCL entry that the core calls is made to fail, and every allocation: the right exception or report comes of
it, nothing leaks or hangs, and everything works afterwards. The scenarios are in fault_scenarios.py."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

SCENARIOS = Path(__file__).with_name("fault_scenarios.py")
HANG_SECONDS = 120

COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}  # copies arrays, has native wait lists
LANES = {  # shares memory, runs small commands on the calling thread
    "FAKE_PLATFORM_NAME": "Portable Computing Language",
    "FAKE_DEVICES": "2",
    "FAKE_DEVICE_NAMES": "pthread-X:basic-X",
}
UNKNOWN = {"FAKE_PLATFORM_NAME": "Fake"}  # copies arrays, the dispatcher orders everything

MEMORY = "buffers,write_backs,copies,parts,host_tasks"
SVM = {kind: {"FAKE_SVM": kind} for kind in ("fine", "coarse")}
INTEL = {"FAKE_INTEL_USM": "1"}
CACHE = {"PYSYCL_CACHE": "1"}  # off elsewhere: what an earlier run has left would decide which calls are made
KERNELS = {"FAKE_BUILT_IN": "bump;mirror", "FAKE_SUB_GROUPS": "1"}

RUNS = {
    "copying": ("faults", "all", COPYING),
    "lanes": ("faults", "all", LANES),
    "unknown": ("faults", "all", UNKNOWN),
    "pocl": ("faults", "all", None),
    "copying-memory": ("allocations", "all", COPYING),
    "lanes-memory": ("allocations", "all", LANES),
    "unknown-memory": ("allocations", "launches", UNKNOWN),
    "pocl-memory": ("allocations", "all", None),
    "buffers-copying": ("faults", MEMORY, COPYING),
    "buffers-lanes": ("faults", MEMORY, LANES),
    "buffers-unknown": ("faults", MEMORY, UNKNOWN),
    "buffers-pocl": ("faults", MEMORY, None),
    "buffers-copying-memory": ("allocations", MEMORY, COPYING),
    "buffers-lanes-memory": ("allocations", MEMORY, LANES),
    "usm-fine": ("faults", "usm", LANES | SVM["fine"]),
    "usm-coarse": ("faults", "usm", COPYING | SVM["coarse"]),
    "usm-intel": ("faults", "usm", UNKNOWN | INTEL),
    "usm-pocl": ("faults", "usm", None),
    "usm-memory": ("allocations", "usm", COPYING | SVM["coarse"]),
    "bundles": ("faults", "bundles", COPYING | KERNELS),
    "bundles-memory": ("allocations", "bundles", LANES | KERNELS),
    "recordings-copying": ("faults", "recordings", COPYING),
    "recordings-lanes": ("faults", "recordings", LANES),
    "recordings-unknown": ("faults", "recordings", UNKNOWN),
    "recordings-pocl": ("faults", "recordings", None),
    "recordings-memory": ("allocations", "recordings", COPYING),
    "images": ("faults", "images,natives", COPYING),
    "large": ("faults", "large", COPYING),
    "images-memory": ("allocations", "images,natives", COPYING),
    "cache": ("faults", "cached", COPYING | CACHE),
    "cache-late": ("faults", "cached", LANES | CACHE),
    "cache-memory": ("allocations", "cached", LANES | CACHE),
    "devices": ("discovery", "GetDeviceIDs", UNKNOWN),
    "names": ("discovery", "GetPlatformInfo", UNKNOWN),
    "limits": ("discovery", "GetDeviceInfo", UNKNOWN),
}

# Those of the default run: each kind of driver, of memory, of scenario and of failure. Together they make every entry fail
# but the one that "large" shows, which takes as long as ten others.
SOME = (
    "copying", "copying-memory", "buffers-lanes", "buffers-unknown", "buffers-lanes-memory", "usm-fine", "usm-coarse",
    "usm-intel", "bundles", "recordings-lanes", "images", "cache", "devices",
)  # fmt: skip
ONLY_LARGE = {"EnqueueUnmapMemObject"}

NEVER_CALLED = {
    "Finish": "waits are sliced, so that Ctrl-C ends them; only the C loops that launches are measured against call it",
}


CANNOT_FAIL = {"SVMFree": "it returns nothing"}
NEVER_TOLD = {"EnqueueMapBuffer": "where no pinned memory can be had a transfer goes without"}


class Verdict(NamedTuple):
    called: set[str]
    shown: set[str]
    failures: list[str]
    injected: int


_verdicts: dict[str, Verdict] = {}


def run(arguments: list[str], env: dict[str, str | None]) -> Verdict:
    changed = {**os.environ, "PYSYCL_CACHE": "0", **env}
    environment = {name: value for name, value in changed.items() if value is not None}
    child = subprocess.run(
        [sys.executable, str(SCENARIOS), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        cwd=SCENARIOS.parent,
    )
    if child.returncode != 0:
        pytest.fail(f"{arguments}: the child ended with {child.returncode}\n{child.stdout}\n{child.stderr}")
    answer = json.loads(child.stdout.splitlines()[-1])
    return Verdict(set(answer["called"]), set(answer["shown"]), answer["failures"], answer["injected"])


def verdict(name: str, fake_driver: str) -> Verdict:
    """Runs it once in a session, whichever test asks first."""
    if name in _verdicts:
        return _verdicts[name]
    what, which, settings = RUNS[name]
    if settings is None:
        if "PoCL" not in sycl.Device().platform.version:
            pytest.skip("the default device is not PoCL's")
        found = run([what, which, ""], {})
    elif what == "discovery":
        env = {"PYSYCL_DRIVERS": fake_driver, "OCL_ICD_VENDORS": None, **settings}
        each = [run([what, which, str(nth)], env) for nth in (1, 2)]
        found = Verdict(
            each[0].called, each[0].shown, each[0].failures + each[1].failures, each[0].injected + each[1].injected
        )
    else:
        found = run([what, which, fake_driver], {"PYSYCL_DRIVERS": fake_driver, "PYSYCL_DEVICE": None, **settings})
    _verdicts[name] = found
    return found


@pytest.mark.parametrize("name", sweep(RUNS, SOME))
def test_failures_are_survived(name: str, fake_driver: str) -> None:
    found = verdict(name, fake_driver)
    assert not found.failures, "\n".join(found.failures)
    assert found.injected > 0


def test_every_entry_has_been_made_to_fail(fake_driver: str, thorough: bool) -> None:
    """A new row of csrc/cl/entries.h fails here until a scenario shows what comes of its failure."""
    names = [name for name, (what, _, settings) in RUNS.items() if what != "allocations" and settings is not None]
    names = [name for name in names if thorough or name in SOME]
    found = [verdict(name, fake_driver) for name in names]
    shown = set().union(*(each.shown for each in found))
    called = set().union(*(each.called for each in found))
    left = set() if thorough else ONLY_LARGE
    assert set(_core.fault_entries()) - shown == {*NEVER_CALLED, *CANNOT_FAIL, *NEVER_TOLD, *left}
    assert {*CANNOT_FAIL, *(NEVER_TOLD if thorough else ())} <= called
    assert not called & set(NEVER_CALLED)
