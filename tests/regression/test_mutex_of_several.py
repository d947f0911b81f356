"""Two buffers with one use_mutex lock, in one command or two host accesses of a thread, waited for each other for ever."""

import threading

import numpy as np
import pytest

import pysycl as sycl


@pytest.fixture
def lock() -> threading.Lock:
    return threading.Lock()


def test_in_one_command(queue: sycl.Queue, lock: threading.Lock) -> None:
    x, y = np.ones(8, np.float32), np.ones(8, np.float32)
    a, b = sycl.Buffer(x, use_mutex=lock), sycl.Buffer(y, use_mutex=lock)
    gate = threading.Event()
    before = queue.host_task(lambda: gate.wait(30))
    queue.parallel_for(8, "a[i] += 1; b[i] += 2;", a=a, b=b, depends_on=before)
    assert lock.locked()
    queue.parallel_for(8, "b[i] += a[i];", a=a, b=b)
    gate.set()
    with lock:  # both are at home
        assert x.tolist() == [2] * 8 and y.tolist() == [5] * 8
        x[:] = 7
    queue.parallel_for(8, "b[i] = a[i];", a=a, b=b)
    with lock:
        assert y.tolist() == [7] * 8


def test_in_two_host_accesses(queue: sycl.Queue, lock: threading.Lock) -> None:
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    a, b = sycl.Buffer(x, use_mutex=lock), sycl.Buffer(y, use_mutex=lock)
    with a.host_access() as first, b.host_access() as second:
        first[:], second[:] = 1, 2
        assert lock.locked()
    with lock:
        assert x.tolist() == [1] * 4 and y.tolist() == [2] * 4
    with a.host_access() as first:
        queue.parallel_for(4, "b[i] += 3;", b=b)
        first[:] = 4
    assert lock.acquire(timeout=30)
    assert y.tolist() == [5] * 4
    lock.release()


def test_one_of_them_may_end(queue: sycl.Queue, lock: threading.Lock) -> None:
    y = np.zeros(4, np.float32)
    b = sycl.Buffer(y, use_mutex=lock)
    for _ in range(3):
        with sycl.Buffer(np.ones(4, np.float32), use_mutex=lock) as a:
            queue.parallel_for(4, "b[i] += a[i];", a=a, b=b)
    with lock:
        assert y.tolist() == [3] * 4
    assert a.get_property("use_mutex") == b.get_property("use_mutex")


def test_other_locks_are_other_guards(queue: sycl.Queue, lock: threading.Lock) -> None:
    other = threading.Lock()
    a, b = sycl.Buffer(np.ones(4, np.float32), use_mutex=lock), sycl.Buffer(np.ones(4, np.float32), use_mutex=other)
    with other:
        queue.parallel_for(4, "a[i] += 1;", a=a).wait()
        done = threading.Event()

        def use_both() -> None:
            queue.parallel_for(4, "a[i] += b[i];", a=a, b=b).wait()
            done.set()

        thread = threading.Thread(target=use_both)
        thread.start()
        assert not done.wait(0.1)
    thread.join(30)
    assert np.asarray(a).tolist() == [3] * 4
