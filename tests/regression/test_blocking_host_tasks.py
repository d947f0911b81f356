"""More than eight host tasks that waited for later ones waited for ever: all threads were taken."""

import functools
import threading

import pysycl as sycl

PATIENCE = 30.0


def test_more_tasks_than_threads_may_wait_for_each_other(queue: sycl.Queue) -> None:
    """A pool of a fixed size would stand still for ever: each task waits for one that has no thread."""
    count = 24
    reached = [threading.Event() for _ in range(count + 1)]

    def link(number: int) -> None:
        assert reached[number + 1].wait(PATIENCE)
        reached[number].set()

    for number in range(count):
        queue.host_task(functools.partial(link, number))
    queue.host_task(reached[count].set)
    queue.wait_and_throw()
    assert reached[0].is_set()
