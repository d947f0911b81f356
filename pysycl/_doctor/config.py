"""This installation, for bug reports."""

import os
import platform
import sys
from typing import Any

import numpy as np

from pysycl import _build, _core

# Variables that change which drivers are found, how they behave, or what pysycl chooses.
ENVIRONMENT = (
    "PYSYCL_DEBUG",
    "PYSYCL_DEVICE",
    "PYSYCL_DRIVERS",
    "PYSYCL_EXIT_TIMEOUT",
    "PYSYCL_SELF_TEST",
    "PYSYCL_TEAM",
    "PYSYCL_CACHE",
    "PYSYCL_CACHE_DIR",
    "PYSYCL_CACHE_SIZE",
    "PYSYCL_PROGRESS",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_VENDORS",
    "POCL_DEVICES",
    "POCL_KERNEL_CACHE",
    "POCL_CACHE_DIR",
    "POCL_MAX_PTHREAD_COUNT",
    "CL_CONFIG_CPU_TARGET_ARCH",
    "TMPDIR",
)


def _drivers() -> list[dict[str, Any]]:
    found = []
    for driver in _core.drivers():
        platforms = [f"{entry.name} ({entry.version})" for entry in driver["platforms"]]
        found.append({**driver, "platforms": platforms})
    return found


def config() -> dict[str, Any]:
    """The facts as a dictionary of plain values. Loads the drivers."""
    return {
        "pysycl": _build.VERSION,
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        "numpy": np.__version__,
        "system": platform.platform(),
        "core": _core.__file__,
        "compiler": _build.COMPILER,
        "compiler_arguments": _build.COMPILER_ARGUMENTS,
        "build_type": _build.BUILD_TYPE,
        "built_for_python": _build.PYTHON,
        "meson": _build.MESON,
        "drivers": _drivers(),
        "environment": {name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
    }


class Facts(dict[str, Any]):
    """The text that `show_config` has printed: a prompt does not show it once more."""

    def __repr__(self) -> str:
        return f"<what was printed, as a dictionary of {', '.join(self)}>"


def show_config() -> Facts:
    """Prints what a bug report needs (versions, compiler, drivers, environment) and returns it as a dictionary.

    Loads the drivers. `python -m pysycl` does more: it tries each driver in a process of its own.

    Returns
    -------
    dict
        What was printed.

    Examples
    --------
    >>> facts = sycl.show_config()  # doctest: +ELLIPSIS
    pysycl: ...
    >>> facts["pysycl"] == sycl.__version__
    True
    """
    facts = Facts(config())
    for name, value in facts.items():
        if name == "drivers":
            print("drivers:")
            for driver in value:
                state = f"refused: {driver['refusal']}" if driver["refusal"] else ", ".join(driver["platforms"])
                print(f"  {driver['path']} (by {driver['origin']})\n    {state}")
                if driver["quirks"]:
                    print(f"    quirks: {driver['quirks']}")
        elif name == "environment":
            print("environment:" + "".join(f"\n  {key}={text}" for key, text in value.items()))
        else:
            print(f"{name}: {value}")
    return facts
