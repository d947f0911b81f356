"""Scans over several devices: totals of blocks, what comes before each, and the blocks' own scans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl._algorithms.call import Options
from pysycl._scans.scan_object import Scan, make_scan
from pysycl._split.blocks import cut, refuse_others, together
from pysycl._split.crew import nothing
from pysycl._split.parts import Parts
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._split.crew import Crew
    from pysycl.buffer import Buffer
    from pysycl.queue import Queue


class Made(NamedTuple):
    """Of a scan, for all calls of it."""

    made: Scan
    on: Mapping[Queue, Scan]


def _made(
    crew: Crew,
    op: Any,
    given: Any,
    options: Options,
    axis: int,
    dtype: Any,
    initial: Any,
    exclusive: bool,
    reverse: bool,
) -> Made:
    """For elements of a dtype."""

    def make() -> Made:
        made = make_scan(
            op, given, axis=axis, exclusive=exclusive, result_dtype=dtype, initial=initial, map=options.map,
            reverse=reverse, accuracy=options.accuracy, determinism=options.determinism,
        )  # fmt: skip
        return Made(made, {queue: made._replace(options=made.options._replace(queue=queue)) for queue in crew.queues})

    if initial is not None:  # -0.0 is 0.0 to a key
        return make()
    same = options._replace(queue=None, out=None, axis=axis)
    return crew._made(("scan", op, given, same, dtype, exclusive, reverse), make)


def _outs(out: Any, x: Any, bounds: list[int]) -> Sequence[Buffer]:
    """The blocks of memory that the results are to be in."""
    if not isinstance(out, Parts) or not isinstance(x, Parts):
        raise InvalidParameterError(
            f"out: expected what Split.put gives, for an x that is such, got {type(out).__name__}"
        )
    if out.shape != x.shape or out.bounds != bounds:
        raise InvalidParameterError(f"out: expected blocks as x has them, {x!r}, got {out!r}")
    return out.blocks


def scanned(
    crew: Crew, x: Any, op: Any, options: Options, dtype: Any, initial: Any, *, exclusive: bool = False,
    reverse: bool = False, segments: Any = None, extended: bool = False, start: Any = None,
) -> Any:  # fmt: skip
    """Along an axis."""
    import numpy as np

    refuse_others(segments=segments, include_initial=extended or None, start=start)
    if options.axis is None and not isinstance(x, Parts):
        x = np.asarray(x).reshape(-1)
    blocks, bounds, owned = cut(x, crew)
    axis = 0 if options.axis is None else index(options.axis)
    made, on = _made(crew, op, blocks[0].dtype, options, axis, dtype, initial, exclusive, reverse)
    outs = _outs(options.out, x, bounds) if options.out is not None else [None] * len(blocks)
    fixed = options.determinism == "run_to_run"

    def given(found: list[Any]) -> Any:
        return together(found, x, owned) if options.out is None else options.out

    if axis not in (0, -len(blocks[0].shape)):

        def alone(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
            found = on[queue](block, out=outs[number])
            return lambda: found

        return given(crew._do(blocks, alone, owned=owned, fixed=fixed))

    last = 0 if reverse else len(blocks) - 1

    def total(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        """Nothing begins with that of the last one."""
        return on[queue].begun_total(block) if number != last else nothing

    turn = slice(None, None, -1 if reverse else 1)
    totals = crew._do(blocks, total, owned=owned, fixed=fixed)
    totals[last] = np.broadcast_to(made.identity(), blocks[0].shape[1:])
    starts = made.starts(np.stack(totals)[turn])[turn]

    def going_on(block: Any, number: int, queue: Queue) -> Callable[[], Any]:
        found = on[queue].run(block, starts[number], out=outs[number])
        return lambda: found

    return given(crew._do(blocks, going_on, owned=owned, fixed=fixed))
