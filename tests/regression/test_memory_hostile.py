"""What a hostile or unlucky user does to memory objects: each of these once crashed, hung or lost data."""

import gc

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }")
# For children. The other thread holds a host access until `free` is set.
HOLDER = """
    import gc, os, signal, sys, threading, time
    import numpy as np
    import pysycl as sycl
    data = np.zeros(4, np.uint32)
    b, held, free = sycl.Buffer(data), threading.Event(), threading.Event()
    def hold():
        with b.host_access("read_write") as view:
            view[0] = 5
            held.set()
            free.wait(float(os.environ.get("HOLD", "100")))
            view[1] = 6
    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    held.wait()
    def interrupt():
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
"""


@pytest.mark.parametrize("dtype", [object, [("name of O", "u4"), ("a", object)]], ids=["objects", "records"])
def test_objects_are_no_data(queue, dtype):
    """Bytes that are copied over references would be taken for objects."""
    objects = np.zeros(4, dtype)
    b = sycl.Buffer(np.full(objects.nbytes, 0x41, np.uint8))
    for copy in (
        lambda h: h.copy(h.read(b), objects),
        lambda h: h.copy(objects, h.write(b)),
        lambda h: h.memcpy(objects, np.full(objects.nbytes, 0x41, np.uint8)),
    ):
        with pytest.raises(sycl.InvalidParameterError, match="array of Python objects"):
            queue.submit(copy)
    assert (objects == np.zeros(4, dtype)).all()


def test_a_field_may_have_any_name(queue):
    records = np.zeros(4, [("O", "u4"), ("xOx", "f4")])
    with sycl.Buffer(np.ones(records.nbytes, np.uint8)) as b:
        queue.submit(lambda h: h.copy(h.read(b), records)).wait_and_throw()
    assert (records["O"] == 0x01010101).all()


def test_a_buffer_may_close_while_a_part_of_it_is_made():
    class Closing:
        def __index__(self):
            b.close()
            gc.collect()
            return 2

    b = sycl.Buffer(np.zeros(4, np.uint32))
    with pytest.raises(sycl.InvalidObjectError, match="closed"):
        b._part(0, (Closing(),), b.dtype, 4, True)


# -- waits that must not outlast Ctrl-C --


@pytest.mark.parametrize("wait", ["b.host_access('read')", "b.close()", "np.asarray(b)"])
def test_ctrl_c_ends_the_wait_for_another_thread_s_access(run_python, wait):
    """The access that is given up keeps its place in the order, which holds for what comes later."""
    run_python(
        HOLDER
        + f"""
    interrupt()
    began = time.monotonic()
    try:
        {wait}
    except KeyboardInterrupt:
        pass
    else:
        sys.exit("granted")
    assert time.monotonic() - began < 10
    queue, program = sycl.Queue(), sycl.Program("__kernel void increment(__global uint *x) {{ x[get_global_id(0)]++; }}")
    event = queue.submit(lambda h: h.parallel_for(4, program.increment, h.read_write(b)))
    time.sleep(0.1)
    assert event.status is not sycl.EventCommandStatus.complete
    free.set()
    event.wait_and_throw()
    b.close()
    assert data.tolist() == [6, 7, 1, 1], data
    holder.join()
    """
    )


def test_accesses_that_are_given_up_leave_nothing_behind(run_python):
    run_python(
        HOLDER
        + """
    from pysycl import _core
    began = time.monotonic()
    for _ in range(3):
        interrupt()
        try:
            b.host_access("read_write")
        except KeyboardInterrupt:
            pass
    assert time.monotonic() - began < 12
    free.set()
    holder.join()
    b.close()
    del b
    gc.collect()
    assert data.tolist() == [5, 6, 0, 0]
    counts = _core.live_counts()
    assert not counts["command"] and not counts["buffer"], counts
    """
    )


def test_exit_does_not_wait_for_ever_for_another_thread_s_access(run_python):
    child = run_python(HOLDER, {"PYSYCL_EXIT_TIMEOUT": "0.2", "HOLD": "1000"})
    assert "could not be written back in time" in child.stderr


# -- a host task that waits for itself --


@pytest.mark.parametrize(
    "wait",
    [
        "queue.wait()",
        "increment().wait()",
        "b.host_access('read')",
        "np.asarray(b)",
        "b.close()",
    ],
)
def test_a_host_task_cannot_wait_for_itself(run_python, wait):
    child = run_python(
        f"""
    import numpy as np
    import pysycl as sycl
    program = sycl.Program("__kernel void increment(__global uint *x) {{ x[get_global_id(0)]++; }}")
    data = np.zeros(4, np.uint32)
    queue, b = sycl.Queue(), sycl.Buffer(data)
    def increment():
        return queue.submit(lambda h: h.parallel_for(4, program.increment, h.read_write(b)))
    said = []
    def task():
        try:
            {wait}
        except sycl.SyclError as error:
            said.append(str(error))
    def group(h):
        h.read_write(b, target="host_task")
        h.host_task(task)
    queue.submit(group).wait_and_throw()
    queue.wait_and_throw()
    assert len(said) == 1 and "never" in said[0] and "host task" in said[0], said
    with b.host_access() as view:
        view += 1
    b.close()
    assert (data >= 1).all()
    """
    )
    assert not child.stderr


def test_a_host_task_may_wait_for_other_work(queue):
    b, other, done = sycl.Buffer(np.zeros(4, np.uint32)), sycl.Buffer(np.zeros(4, np.uint32)), []

    def task():
        queue.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(other))).wait()
        with other.host_access("read") as view:
            done.append(view.tolist())

    def group(h):
        h.read_write(b, target="host_task")
        h.host_task(task)

    queue.submit(group).wait_and_throw()
    assert done == [[1] * 4]


# -- threads --


def test_threads_close_and_redirect_a_buffer_that_others_use(run_python):
    """set_final_data takes the user's array away from the storage, while others are about to use it there."""
    run_python(
        """
        import random, sys, threading, time
        import numpy as np
        import pysycl as sycl
        program = sycl.Program("__kernel void increment(__global uint *x) { x[get_global_id(0)]++; }")
        queue, odd = sycl.Queue(), []
        sys.setswitchinterval(1e-5)
        def access():
            with b.host_access() as view:
                view += 1
        uses = (
            access, access, access, lambda: b.close(), lambda: repr(b), lambda: b.set_final_data(None),
            lambda: b.set_write_back(False),
            lambda: queue.submit(lambda h: h.parallel_for(4, program.increment, h.read_write(b))),
        )
        def hammer(seed):
            for use in random.Random(seed).choices(uses, k=4):
                try:
                    use()
                except sycl.InvalidObjectError:
                    pass
                except BaseException as error:
                    odd.append(error)
        end, seed = time.monotonic() + 4, 0
        while time.monotonic() < end:
            b = sycl.Buffer(np.zeros(4, np.uint32))
            threads = [threading.Thread(target=hammer, args=(seed + i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seed += 4
        queue.wait_and_throw()
        assert not odd, odd
        """
    )
