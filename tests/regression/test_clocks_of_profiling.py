"""Host tasks and copies by the host told their times by another clock than kernels, a quarter of a second away."""

import itertools
import time

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl


@pytest.mark.spec("H280")
def test_no_event_begins_before_those_that_it_waits_for_have_ended(device):
    if not device.has("queue_profiling"):
        pytest.skip("no profiling")
    queue = sycl.Queue(device, enable_profiling=True)
    data, copy = sycl.Buffer(np.zeros(1 << 16, np.float32)), np.zeros(1 << 17, np.float32)[::2]
    flat = np.zeros(100, np.float32)
    events = []
    for _ in range(3):
        text = "for (int k = 0; k < 50; k++) x[i] = x[i] * 0.5f + 1;"
        events.append(queue.parallel_for(1 << 16, text, x=data, depends_on=events[-1:]))
        events.append(queue.host_task(lambda: time.sleep(0.003), depends_on=events[-1]))
        events.append(queue.copy(data, copy, depends_on=events[-1]))
        events.append(queue.copy(copy[:100], flat, depends_on=events[-1]))  # by the host
        events.append(queue.host_task(lambda: None, depends_on=events[-1]))
    queue.wait_and_throw()
    times = [event.profiling for event in events]
    for one in times:
        assert one.submit <= one.start <= one.end
    for before, after in itertools.pairwise(times):
        assert before.end <= after.start + 20_000  # the clock of a driver of its own is known to some microseconds
    assert 0 < times[-1].end - times[0].start < 60_000_000_000
    assert all(one.end - one.start >= 2_500_000 for one in times[1::5])


AROUND = """
        import pysycl as sycl
        import numpy as np
        for device in sycl.devices():
            if not device.has("queue_profiling"):
                continue
            q = sycl.Queue(device, enable_profiling=True)
            x = np.zeros(1000, np.float32)
            for _ in range(20):
                a = q.host_task(lambda: None)
                a.wait()
                k = q.parallel_for(1000, "x[i] += 1;", x=x)
                k.wait()
                b = q.host_task(lambda: None)
                b.wait()
                a, k, b = a.profiling, k.profiling, b.profiling
                assert a.end <= k.start + 20_000 and k.end <= b.start + 20_000, (device.name, a, k, b)
"""


def test_intel_and_others_know_the_host_s_moments(run_python):
    """All of a device's events lie between two moments, seen by events of host tasks around them."""
    run_python(AROUND)


@pytest.mark.parametrize(
    ("ahead", "kind"),
    sweep(
        [(ahead, kind) for ahead in (7_000_000_000_000, -40_000_000) for kind in ("unknown", "gpu")],
        [(7_000_000_000_000, "unknown"), (-40_000_000, "gpu")],
    ),
)
def test_a_clock_that_is_none_of_the_system_s(run_python, copying, kind, ahead):
    """Only a difference is known of it, by the quickest of some markers: a busy machine leaves none that is quick."""
    run_python(AROUND.replace("20_000", "2_000_000"), {**copying(kind), "COPYING_CLOCK": str(ahead)})
