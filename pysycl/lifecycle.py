"""The end of the process: what is in flight is waited for, for a bounded time, and what could not be is said.

PYSYCL_EXIT_TIMEOUT holds the most seconds to wait (default 30). Ctrl-C ends the wait.
"""

from __future__ import annotations

import atexit
import math
import os
import sys
import time

from pysycl import _core

VARIABLE = "PYSYCL_EXIT_TIMEOUT"
DEFAULT_SECONDS = 30.0
SLICE_SECONDS = 0.1


def _limit() -> float:
    text = os.environ.get(VARIABLE, "")
    try:
        seconds = float(text) if text else DEFAULT_SECONDS
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        print(f"pysycl: {VARIABLE}={text!r} is not a number of seconds; waiting {DEFAULT_SECONDS:g}", file=sys.stderr)
        return DEFAULT_SECONDS
    return max(seconds, 0.0)


def _drain() -> tuple[int, str]:
    """Waits in slices, so that a signal handler gets to run between them."""
    end = time.monotonic() + _limit()
    left, what = _core.drain(0.0)
    try:
        while left and (remaining := end - time.monotonic()) > 0:
            left, what = _core.drain(min(SLICE_SECONDS, remaining))
    except KeyboardInterrupt:
        pass
    return left, what


def close() -> None:
    """Called by the interpreter when it ends."""
    left, what = _drain()
    if left:
        print(
            f"pysycl: at exit {left} command(s) had not ended; their results are lost:\n{what}", end="", file=sys.stderr
        )
    _core.close()


atexit.register(close)
