"""What a host task raises has frames, and they hold what the task uses: a buffer, its event, its queue. The core remembers the
failure in each of them. Such a ring is let go of once nothing else leads to it, whoever was told."""

import gc
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import pysycl as sycl

pytestmark = pytest.mark.filterwarnings("ignore:never fetched:pysycl.SyclWarning")


class Mark(Exception): ...


PATIENCE = 20.0  # a thread that has run a task lets go of it a moment later


def collected(done: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.001)
    return done()


class Owner:
    """As a user's class is: a task of its own that uses all of it."""

    def __init__(self, queue: sycl.Queue) -> None:
        self.queue = queue
        self.buffer = sycl.Buffer(np.zeros(100, np.float32))
        queue.parallel_for(100, "x[i] = 1;", x=self.buffer)
        with queue.submit() as h:
            h.write(self.buffer)
            h.host_task(self.work)
        self.event = h.event
        self.event.wait()

    def work(self) -> None:
        raise Mark("ring")


def nobody(owner: Owner) -> None:
    pass


def asked(owner: Owner) -> None:
    assert type(owner.event.exception.__cause__) is Mark
    assert type(owner.event.exception.__cause__) is Mark


def told(owner: Owner) -> None:
    asked(owner)
    with pytest.raises(sycl.SyclRuntimeError, match="raised Mark: ring") as caught:
        owner.queue.wait_and_throw()
    assert type(caught.value.__cause__) is Mark
    frames = caught.value.__cause__.__traceback__
    assert frames is not None and frames.tb_frame.f_code.co_name == "work" and frames.tb_frame.f_locals["self"] is owner
    assert type(owner.event.exception) is sycl.SyclRuntimeError


def poisoned(owner: Owner) -> None:
    told(owner)
    with pytest.raises(sycl.SyclRuntimeError, match="raised Mark: ring"):
        np.asarray(owner.buffer)


@pytest.mark.parametrize("ending", [nobody, asked, told, poisoned])
def test_a_ring_is_let_go_of(device: sycl.Device, ending: Callable[[Owner], None]) -> None:
    owner = Owner(sycl.Queue(device))
    gone = weakref.ref(owner)
    ending(owner)
    del owner
    assert collected(lambda: gone() is None)


@pytest.mark.parametrize("ending", [told, poisoned])
def test_a_queue_that_lives_on_holds_none(device: sycl.Device, ending: Callable[[Owner], None]) -> None:
    queue = sycl.Queue(device)
    owner = Owner(queue)
    gone = weakref.ref(owner)
    ending(owner)
    del owner
    assert collected(lambda: gone() is None)
    queue.wait_and_throw()


def test_an_error_that_nobody_fetched_is_told_at_the_end_of_the_queue(device: sycl.Device) -> None:
    """The garbage collector ends the queue, and its handler gets the error."""
    got: list[sycl.SyclError] = []

    def handler(errors: sycl.ExceptionList) -> None:
        got.extend(errors)

    Owner(sycl.Queue(device, async_handler=handler))
    assert collected(lambda: len(got) > 0)
    assert [str(error).partition("\n")[0] for error in got] == ["host task 'Owner.work' raised Mark: ring"]
    assert type(got[0].__cause__) is Mark
