"""Scans over several devices: totals of blocks, what comes before each, and the blocks' own scans."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options
from pysycl._scans.scan_object import make_scan
from pysycl._split.blocks import cut, refuse_others, together
from pysycl._split.crew import nothing
from pysycl._split.parts import Parts

if TYPE_CHECKING:
    from pysycl._split.crew import Crew
    from pysycl.queue import Queue


def scanned(
    crew: Crew, x: Any, op: Any, options: Options, dtype: Any, initial: Any, *, exclusive: bool = False,
    reverse: bool = False, segments: Any = None, extended: bool = False, start: Any = None,
) -> Any:  # fmt: skip
    """Along an axis."""
    import numpy as np

    refuse_others(out=options.out, segments=segments, include_initial=extended or None, start=start)
    if options.axis is None and not isinstance(x, Parts):
        x = np.asarray(x).reshape(-1)
    blocks, _, owned = cut(x, crew)
    axis = 0 if options.axis is None else index(options.axis)
    made = make_scan(
        op, blocks[0].dtype, axis=axis, exclusive=exclusive, result_dtype=dtype, initial=initial, map=options.map,
        reverse=reverse, accuracy=options.accuracy, determinism=options.determinism,
    )  # fmt: skip
    on = {queue: made._replace(options=made.options._replace(queue=queue)) for queue in crew.queues}
    fixed = options.determinism == "run_to_run"
    if axis not in (0, -len(blocks[0].shape)):

        def alone(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
            found = on[queue](block)
            return lambda: found

        return together(crew._do(blocks, alone, owned=owned, fixed=fixed), x, owned)

    last = 0 if reverse else len(blocks) - 1

    def total(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        """Nothing begins with that of the last one."""
        return on[queue].begun_total(block) if number != last else nothing

    turn = slice(None, None, -1 if reverse else 1)
    totals = crew._do(blocks, total, owned=owned, fixed=fixed)
    totals[last] = np.broadcast_to(made.identity(), blocks[0].shape[1:])
    starts = made.starts(np.stack(totals)[turn])[turn]

    def going_on(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        found = on[queue].run(block, starts[number])
        return lambda: found

    return together(crew._do(blocks, going_on, owned=owned, fixed=fixed), x, owned)
