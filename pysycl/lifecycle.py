"""The end of the process: what is in flight is waited for, for a bounded time, buffers are written back, and what could
not be done is said.

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
LATE_SECONDS = 5.0  # what daemon threads have submitted since
BUILD_SECONDS = 10.0  # what they have compiled: most is over in one second
LEAST_SECONDS = 0.25  # whatever the limit is: threads need a moment to end
JOIN_SECONDS = 0.5


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


def _drain(end: float) -> tuple[int, str]:
    """Waits in slices, so that a signal handler gets to run between them, and host tasks find a thread."""
    left, what = _core.drain(0.0)
    while left and (remaining := end - time.monotonic()) > 0:
        helped = _core.host_task_help()
        left, what = _core.drain(0.0 if helped else min(SLICE_SECONDS, remaining))
    return left, what


def _close_accessors() -> None:
    """The host accessors that this thread has open: it will not close them any more, and what they hold up would wait."""
    waiting, _ = _core.drain(0.0)
    for accessor, site in _core.open_host_accessors():
        if waiting:
            print(f"pysycl: at exit {accessor!r} of {site} was still open; it is closed", file=sys.stderr)
        accessor.close()


def _finish(end: float) -> tuple[int, str]:
    """Commands first: a buffer whose commands have ended is written back at once. Its own copies come after."""
    left, what = 0, ""
    try:
        _close_accessors()
        left, what = _drain(end)
        buffers = sys.modules.get("pysycl.buffer")
        if buffers is not None:
            buffers.close_all(max(0.0, end - time.monotonic()))
            left, what = _drain(end)
    except KeyboardInterrupt:
        left, what = _core.drain(0.0)
    return left, what


def close() -> None:
    """Called by the interpreter when it ends."""
    end = time.monotonic() + _limit()
    left, what = _finish(end)
    if left:
        print(
            f"pysycl: at exit {left} command(s) had not ended; their results are lost:\n{what}", end="", file=sys.stderr
        )
    rest = 0.0 if left else max(end - time.monotonic(), 0.0)
    _core.close(min(LATE_SECONDS, rest), max(LEAST_SECONDS, min(BUILD_SECONDS, rest)))
    workers = sys.modules.get("pysycl.host_task")
    if workers is not None:
        workers.join(JOIN_SECONDS if rest else LEAST_SECONDS)


atexit.register(close)
