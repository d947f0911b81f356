"""Drivers that come as packages of Python: the core is told where such packages may be."""

from __future__ import annotations

import os
import sys

from pysycl import _core


def wheel_folders() -> list[str]:
    """Where wheels with drivers may be: the installation's packages and its prefix."""
    found = [path for path in sys.path if os.path.basename(path.rstrip(os.sep)) in ("site-packages", "dist-packages")]
    return list(dict.fromkeys([*found, sys.prefix]))


_core.set_roots(wheel_folders())
