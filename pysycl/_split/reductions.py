"""Reductions over several devices: partial results of blocks, merged in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.call import Options
from pysycl._reductions.reduce_object import make_reduce
from pysycl._split.blocks import cut, refuse_others
from pysycl._split.parts import Parts

if TYPE_CHECKING:
    from pysycl._split.crew import Crew
    from pysycl.queue import Queue


def reduced(crew: Crew, op: Any, x: Any, options: Options, dtype: Any, initial: Any, ddof: float = 0) -> Any:
    """Of an operator, or of a statistic by its name."""
    import numpy as np

    refuse_others(out=options.out, where=options.where, skips_nan=options.skips_nan or None)
    blocks, bounds, owned = cut(x, crew)
    inner = int(np.prod(x.shape[1:] if isinstance(x, Parts) else np.shape(x)[1:]))
    made = make_reduce(
        op, blocks[0].dtype, axis=options.axis, keepdims=options.keepdims, result_dtype=dtype, initial=initial,
        map=options.map, determinism=options.determinism, accuracy=options.accuracy, ddof=ddof,
    )  # fmt: skip
    ndim = len(blocks[0].shape)
    axes = options.axis if isinstance(options.axis, tuple | list) else (options.axis,)
    fixed = options.determinism == "run_to_run"
    each = {queue: made.options._replace(queue=queue) for queue in crew.queues}
    if options.axis is None or 0 in axes or -ndim in axes:
        kind = made._kind()

        def part(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
            return kind.start(block, each[queue], bounds[number] * (inner if options.axis is None else 1))

        if bounds[-1] > 0:
            parts = crew._do(blocks, part, owned=owned, fixed=fixed)
            return kind.begun(kind.merged(np.stack(parts)), initial)[()]
        return made._replace(options=each[crew.queues[0]])(np.asarray(blocks[0]))

    def whole(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        found = made._replace(options=each[queue])(block)
        return lambda: np.asarray(found)

    return np.concatenate(crew._do(blocks, whole, owned=owned, fixed=fixed))
