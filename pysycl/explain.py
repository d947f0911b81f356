"""How a launch is made for its device, and why so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl import _core

if TYPE_CHECKING:
    from pysycl._kernels.kernel import Kernel
    from pysycl._runtime.lines import Lines
    from pysycl.device import Device
    from pysycl.event import Event
    from pysycl.queue import Queue
    from pysycl.ranges import NdRange, Sizes, WorkGroups


def seconds_of(event: Event) -> float:
    """How long the command ran; 0 while that is not known."""
    from pysycl.enums import EventCommandStatus
    from pysycl.errors import SyclError

    try:
        return event.profiling.seconds if event.status is EventCommandStatus.complete else 0.0
    except SyclError:  # it failed
        return 0.0


@_core.entry
def explain(
    body_or_kernel: str | Kernel,
    range: Sizes | NdRange | WorkGroups | None = None,
    *args: Any,
    queue_or_device: Queue | Device | None = None,
    **arguments: Any,
) -> Lines:
    """How `queue.parallel_for(range, body_or_kernel, ...)` would be launched, and why so.

    Parameters
    ----------
    body_or_kernel
        The text of a body, or a Kernel.
    range
        As for parallel_for; None stands for a single task, and WorkGroups for parallel_for_work_group.
    *args
        As for parallel_for: a kernel's arguments.
    queue_or_device
        Where it would be launched: devices get different forms of a body. None: the default device.
    **arguments
        As for parallel_for: a body's arguments by name, and offset, preamble, options, name.

    Returns
    -------
    Lines
        A string, which a prompt shows as lines. They say which form the body takes (an item, a loop, a wide item), how the
        range is cut into work-groups, which lane the launch takes and what it is expected to cost, and what was measured
        to choose so.

    Raises
    ------
    SyclError
        What the launch itself would raise: the kernel is built, but not run.

    Notes
    -----
    A prepared kernel says the same of itself: `queue.kernel(...).explanation`. SYCL 2020 has no such thing. The range
    may stand before the text for a version to come, with a DeprecationWarning.

    Examples
    --------
    >>> lines = sycl.explain("y[i] = i;", 1000, y=np.zeros(1000))
    >>> "launch" in lines
    True
    """
    from pysycl._runtime.lines import Lines
    from pysycl.kernel_source import in_order
    from pysycl.queue import Queue

    text, over = in_order("explain", body_or_kernel, range)
    where = queue_or_device if isinstance(queue_or_device, _core.Queue) else Queue(queue_or_device)
    return Lines(where.kernel(over, text, *args, **arguments).explanation)
