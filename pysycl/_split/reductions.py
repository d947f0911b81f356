"""Reductions over several devices: partial results of blocks, merged in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl._algorithms.call import Options
from pysycl._reductions.reduce_object import Reduce, make_reduce
from pysycl._split.blocks import cut, refuse_others
from pysycl._split.parts import Parts
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._partials.kind import Kind
    from pysycl._split.crew import Crew
    from pysycl.queue import Queue


class Made(NamedTuple):
    """Of a reduction, for all calls of it."""

    kind: Kind
    on: Mapping[Queue, Reduce]


def _made(crew: Crew, op: Any, given: Any, options: Options, dtype: Any, initial: Any, ddof: float) -> Made:
    """For elements of a dtype."""

    def make() -> Made:
        made = make_reduce(
            op, given, axis=options.axis, keepdims=options.keepdims, result_dtype=dtype, initial=initial,
            map=options.map, determinism=options.determinism, accuracy=options.accuracy, ddof=ddof,
        )  # fmt: skip
        return Made(
            made._kind(), {queue: made._replace(options=made.options._replace(queue=queue)) for queue in crew.queues}
        )

    if initial is not None:  # -0.0 is 0.0 to a key
        return make()
    return crew._made(("reduce", op, given, options._replace(queue=None), type(options.axis), dtype, ddof), make)


def reduced(crew: Crew, op: Any, x: Any, options: Options, dtype: Any, initial: Any, ddof: float = 0) -> Any:
    """Of an operator, or of a statistic by its name."""
    import numpy as np

    refuse_others(out=options.out, where=options.where)
    if options.skips_nan:
        raise InvalidParameterError("queue: functions that leave NaN out are for one device, not several")
    blocks, bounds, owned = cut(x, crew)
    kind, on = _made(crew, op, blocks[0].dtype, options, dtype, initial, ddof)
    ndim = len(blocks[0].shape)
    axes = options.axis if isinstance(options.axis, tuple | list) else (options.axis,)
    fixed = options.determinism == "run_to_run"
    if options.axis is None or 0 in axes or -ndim in axes:
        inner = prod(x.shape[1:] if isinstance(x, Parts) else np.shape(x)[1:]) if options.axis is None else 1

        def part(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
            return kind.start(block, on[queue].options, bounds[number] * inner)

        if bounds[-1] > 0:
            parts = crew._do(blocks, part, owned=owned, fixed=fixed)
            return kind.begun(kind.merged(np.stack(parts)), initial)[()]
        return on[crew.queues[0]](np.asarray(blocks[0]))

    def whole(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        found = on[queue](block)
        return lambda: np.asarray(found)

    return np.concatenate(crew._do(blocks, whole, owned=owned, fixed=fixed))
