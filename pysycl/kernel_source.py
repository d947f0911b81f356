"""The OpenCL C text that a launch gives to its device, for reading."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._kernels.kernel import Kernel
    from pysycl._runtime.lines import Lines
    from pysycl.device import Device
    from pysycl.queue import Queue
    from pysycl.ranges import NdRange, Sizes, WorkGroups


def in_order(what: str, text: Any, range: Any) -> tuple[Any, Any]:
    """The text or kernel, and the range: in this order, or in the one that `explain` had once."""
    if isinstance(text, str | _core.Kernel) or not isinstance(range, str | _core.Kernel):
        return text, range
    warnings.warn(f"{what}(range, text): the text stands first, {what}(text, range)", DeprecationWarning, stacklevel=3)
    return range, text


@_core.entry
def kernel_source(
    body_or_kernel: str | Kernel,
    range: Sizes | NdRange | WorkGroups | None = None,
    *,
    queue_or_device: Queue | Device | None = None,
    **arguments: Any,
) -> Lines:
    """The OpenCL C text that a launch gives to its device.

    Parameters
    ----------
    body_or_kernel
        The text of a body, or a Kernel, whose program's text is the answer.
    range
        As for parallel_for; None stands for a single task, and WorkGroups for parallel_for_work_group.
    queue_or_device
        Where it would be launched: devices get different forms of a body. None: the default device.
    **arguments
        As for parallel_for: the body's arguments by name, and offset, preamble, options, name.

    Returns
    -------
    Lines
        A string, which a prompt shows as lines.

    Raises
    ------
    KernelArgumentError
        The arguments are not such that the body could be launched with them.

    Notes
    -----
    Nothing is compiled or run. The parameters behind the body's own are the range and what else the form needs; a line
    `#line 1 "body"` says where the body begins, so that the compiler's messages speak of its lines.

    Examples
    --------
    >>> "y[i] = 2 * i;" in sycl.kernel_source("y[i] = 2 * i;", 1000, y=np.zeros(1000))
    True
    """
    from pysycl._runtime.lines import Lines
    from pysycl.selector import select

    if isinstance(body_or_kernel, _core.Kernel):
        return Lines(body_or_kernel.program.source)
    if not isinstance(body_or_kernel, str):
        raise InvalidParameterError(
            f"body_or_kernel: expected the text of a body or a pysycl.Kernel, got {body_or_kernel!r}"
        )
    where = queue_or_device
    if not isinstance(where, _core.Queue | _core.Device):
        where = select(where)
    return Lines(_core.body_source(where, range, body_or_kernel, **arguments))
