"""The doctor's child: looks at drivers in a process of its own, where an abort harms nobody.

python -m pysycl._doctor.probe drivers     what loading every driver together comes to
python -m pysycl._doctor.probe check       devices, features and self-check of all drivers in sight

Each finding is one line of JSON on the standard output, written at once, so that an abort loses only what it prevented.
What drivers print themselves goes to the standard error.
"""

import json
import os
import sys
from dataclasses import asdict
from typing import Any, TextIO

import pysycl as sycl
from pysycl import _core
from pysycl._devices.features import features
from pysycl._doctor.self_check import CHECKS, self_check
from pysycl._doctor.selftest import find_out, verdicts
from pysycl.tune import found


def private_output() -> TextIO:
    """The standard output for ourselves; everything else in the process writes to the standard error from now on."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return stream


def say(stream: TextIO, **finding: Any) -> None:
    stream.write(json.dumps(finding) + "\n")
    stream.flush()


def say_drivers(stream: TextIO) -> None:
    for driver in _core.drivers():
        names = [platform.name for platform in driver["platforms"]]
        say(stream, event="driver", **{**driver, "platforms": names})


def describe(device: sycl.Device) -> dict[str, Any]:
    return {
        "name": device.name,
        "platform": device.platform.name,
        "type": device.device_type.name,
        "version": device.platform.version,
        "units": device.max_compute_units,
        "memory": device.global_mem_size,
        "facts": device._facts["row"],
    }


def say_checks(stream: TextIO, device: sycl.Device) -> None:
    say(stream, event="device", **describe(device))
    say(stream, event="features", rows=[asdict(feature) for feature in features(device)])
    outcomes = self_check(device)
    for name, _, _ in CHECKS:
        say(stream, event="begin", check=name)
        say(stream, event="outcome", **asdict(next(outcomes)))
    say(stream, event="tuned", rows=[list(tuning) for tuning in found(device)])
    say(stream, event="families", enabled=_core.known_enabled())
    for at, verdict in enumerate(verdicts(device)):
        say(stream, event="begin", check=verdict.family)
        say(stream, event="verdict", **find_out(device, at)._asdict())


def main(task: str) -> None:
    stream = private_output()
    say_drivers(stream)
    if task == "drivers":
        default = sycl.Device() if sycl.devices() else None
        say(stream, event="default", device=None if default is None else describe(default))
    else:
        for device in sycl.devices():
            say_checks(stream, device)
    say(stream, event="end")


if __name__ == "__main__":
    main(sys.argv[1])
