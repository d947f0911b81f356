"""Small launches, which the calling thread does where it submits them: nobody can tell but by the time."""

import threading

import numpy as np
import pytest

import pysycl as sycl

N, THREADS, CALLS = 1 << 13, 4, 400


@pytest.mark.parametrize("in_order", [False, True])
def test_threads_add_to_one_array(queue: sycl.Queue, in_order: bool) -> None:
    x, start = np.zeros(N, np.float32), threading.Barrier(THREADS)
    queues = [sycl.Queue(queue.device, in_order=in_order) for _ in range(2)]

    def prepared(own: sycl.Queue) -> None:
        kernel = own.kernel(N, "x[i] += a;", x=x, a=1.0)
        start.wait()
        for _ in range(CALLS):
            kernel()

    def text(own: sycl.Queue) -> None:
        start.wait()
        for call in range(CALLS):
            own.parallel_for(N, "x[i] += a;", x=x, a=np.float32(1), wait=call % 8 == 0)

    queue.parallel_for(N, "x[i] += a;", x=x, a=np.float32(0))
    threads = [threading.Thread(target=(prepared, text, text, text)[t], args=(queues[t % 2],)) for t in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for each in queues:
        each.wait()
    assert (x == THREADS * CALLS).all()


def test_a_small_launch_waits_for_what_uses_its_array(queue: sycl.Queue) -> None:
    n = 1 << 10
    large = 1 << 20
    x, y = np.zeros(large, np.float32), np.zeros(n, np.float32)
    long = "float v = x[i]; for (int k = 0; k < 200; k++) v = v * 0.5f + 1; x[i] = v;"
    small = queue.kernel(n, "y[i] = x[i] + 1;", x=x[:n], y=y)
    for _ in range(3):
        x[:] = 0
        event = queue.parallel_for(large, long, x=x, wait=False)
        small()
        event.wait()
        np.testing.assert_allclose(y, 3, rtol=1e-6)


def test_the_event_of_a_small_launch(queue: sycl.Queue) -> None:
    x = np.zeros(1 << 10, np.float32)
    kernel = queue.kernel(len(x), "x[i] += 1;", x=x)
    first = kernel(wait=False)
    first.wait()
    kernel()
    event = kernel(depends_on=first)
    assert event.status is sycl.EventCommandStatus.complete
    assert event not in (first, kernel())
    assert event.wait_list == []
    assert event.exception is None
    event.wait_and_throw()
    assert x[0] == 4


def test_the_graph_knows_small_launches(queue: sycl.Queue) -> None:
    x, y = np.zeros(1 << 10, np.float32), np.zeros(1 << 10, np.float32)
    kernel = queue.kernel(len(x), "y[i] = x[i] + 1;", x=x, y=y)
    for _ in range(3):
        kernel()
    commands = queue.graph().commands[-3:]
    assert [command.name for command in commands] == ["y[i] = x[i] + 1;"] * 3
    assert all(command.site.startswith(__file__) for command in commands)
    assert [{use.mode for use in command.uses} for command in commands] == [{"read", "read_write"}] * 3


def test_a_recording_keeps_a_small_launch(queue: sycl.Queue) -> None:
    x = np.zeros(1 << 10, np.float32)
    kernel = queue.kernel(len(x), "x[i] += a;", x=x, a=1.0)
    kernel()
    kernel()
    with queue.record() as recording:
        kernel(a=10.0, wait=False)
    assert (x == 2).all()
    recording.replay().wait()
    assert (x == 12).all()


def test_a_profile_has_small_launches(device: sycl.Device) -> None:
    queue, x = sycl.Queue(device), np.zeros(1 << 10, np.float32)
    kernel = queue.kernel(len(x), "x[i] += 1;", x=x)
    kernel()
    kernel()
    with queue.profile() as profile:
        kernel()
        kernel()
    assert [each.kind for each in profile.commands].count("kernel") == 2


def test_new_numbers_are_checked_before_a_small_launch(queue: sycl.Queue) -> None:
    x, y = np.zeros(1 << 10, np.float32), np.zeros(1 << 10, np.float32)
    kernel = queue.kernel(1 << 9, "y[i] = x[i + k];", x=x, y=y, k=0)
    kernel()
    kernel()
    with pytest.raises(sycl.BoundsError):
        kernel(k=1 << 10)
    kernel(k=1 << 9)
