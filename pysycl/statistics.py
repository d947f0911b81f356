"""Counts of what is alive and what was copied, for finding leaks and hidden copies."""

from __future__ import annotations

from pysycl import _core


@_core.entry
def statistics() -> dict[str, int]:
    """Live objects (ours and the OpenCL objects behind them), and what has been copied since the start.

    `staged_arrays` counts arrays that had to be copied into packed, aligned memory because of their layout, and
    `staged_bytes` the bytes moved for them; `to_device_bytes` and `from_device_bytes` are the transfers to and from
    devices that do not share the host's memory.

    Returns
    -------
    dict[str, int]

    Examples
    --------
    >>> before = sycl.statistics()["live_buffer"]
    >>> b = sycl.Buffer(4, np.int32)
    >>> sycl.statistics()["live_buffer"] - before
    1
    """
    return {f"live_{name}": count for name, count in _core.live_counts().items()} | _core.traffic()
