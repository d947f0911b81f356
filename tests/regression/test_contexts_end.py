"""A context whose last user has gone takes with it what was built for it, though the texts live on: bodies are kept by
the process, and programs by whoever has them."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

PROGRAM = "kernel void f(global uint *y) { y[get_global_id(0)] += 7; }"


def run_all(context: sycl.Context, program: sycl.Program) -> None:
    queue = sycl.Queue(context=context)
    x, y, total = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32), np.zeros(1, np.uint32)
    queue.parallel_for(64, "y[i] = 3 * x[i];", x=x, y=y)
    queue.parallel_for(64, program.f, y)
    assert (y == 3 * x + 7).all()
    with sycl.Buffer(total) as buffer, queue.submit() as h:
        h.parallel_for(64, "r += x[i];", x=x, r=sycl.reduction(buffer, h, sycl.plus))
    assert total[0] == x.sum()
    prepared = queue.kernel(64, "y[i] = 5 * x[i];", x=x, y=y)
    prepared().wait()
    with queue.record() as g:
        queue.parallel_for(64, program.f, y)
    g.replay().wait()
    assert (y == 5 * x + 7).all()


def test_contexts_that_ran_bodies_end(device: sycl.Device, live_counts) -> None:  # type: ignore[no-untyped-def]
    program = sycl.Program(PROGRAM)
    run_all(sycl.Context([device]), program)
    before = live_counts.quiet()
    for _ in range(3):
        run_all(sycl.Context([device]), program)
    assert live_counts.settled(before) == before
    run_all(sycl.Context([device]), program)  # the program is for another one, as ever


def test_handles_that_were_handed_out_stay(device: sycl.Device, live_counts) -> None:  # type: ignore[no-untyped-def]
    before = live_counts.quiet()
    program = sycl.Program(PROGRAM)
    context = sycl.Context([device])
    handle = program._native(context)
    kernel = program.f
    native = kernel._native(context)
    del context
    contexts = live_counts.quiet()["context"] - before["context"]
    assert contexts == 1 and handle and native
    del program, kernel
    assert live_counts.settled(before) == before


@pytest.mark.parametrize("first", sweep(["context", "program", "both"], ["both"]))
def test_contexts_and_programs_end_in_any_order(first: str, run_fake) -> None:  # type: ignore[no-untyped-def]
    """Also at the same time, in two threads, while a third one builds for other contexts."""
    run_fake(
        f"""
import threading
device = sycl.Device()
before = live_counts.quiet()
def make(rounds):
    text = "__kernel void fill_ids(__global uint *out) {{ for (;;); }} //" + str(rounds)
    return sycl.Program(text)
def use(program, context):
    y = np.zeros(8, np.uint32)
    sycl.Queue(context=context).parallel_for(8, program.fill_ids, y).wait()
    assert (y == np.arange(8)).all()
kept = make(-1)
lost, ending = [], {first!r}
def other():
    try:
        for _ in range(30):
            use(kept, sycl.Context([device]))
    except Exception as error:
        lost.append(error)
thread = threading.Thread(target=other)
thread.start()
for k in range(60):
    things = {{"context": sycl.Context([device]), "program": make(k)}}
    use(things["program"], things["context"])
    use(kept, things["context"])
    start = threading.Barrier(2)
    def drop(name):
        start.wait()
        things.pop(name)
    if ending == "both":
        threads = [threading.Thread(target=drop, args=(name,)) for name in ("context", "program")]
        for t in threads: t.start()
        for t in threads: t.join()
    else:
        things.pop(ending)
    things.clear()
thread.join()
assert not lost, lost
del kept, things, drop, device
if ending == "both":
    del threads, t
del thread
after = live_counts.settled(before)
assert after == before, (before, after)
assert fake is not None
"""
    )
