"""Dependencies that are named, errors along them, and requirements: SYCL 2020, 4.8.5 (USM), 4.9.4 and 4.13.1."""

import textwrap
import threading

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void move(__global uint *to, __global const uint *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
""")
ERRORS = """
import inspect
def here():
    return inspect.currentframe().f_back.f_lineno
def raised(call):
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")
"""
COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
KINDS = pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])


def run(run_fake, code, env=None):
    return run_fake(ERRORS + textwrap.dedent(code), env)


@pytest.mark.spec("H480", "H481", "H482")
def test_pointers_make_no_edges_and_events_do(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        other = sycl.Queue(context=queue.context)
        x = sycl.malloc_shared(4, np.uint32, queue)
        fake.fake_hold(1)
        first = queue.single_task(program.slow, x, 0, wait=False)
        unordered = queue.single_task(program.slow, x, 0, wait=False)
        assert unordered.wait_list == []
        behind = other.submit(lambda h: (h.depends_on(first), h.depends_on([unordered]),
                                         h.single_task(program.slow, x, 0)), wait=False)
        assert set(behind.wait_list) == {first, unordered}
        filled = queue.fill(x, np.uint32(3), 4, depends_on=behind)
        copied = queue.memcpy(np.zeros(4, np.uint32), x, 16, depends_on=[filled], wait=False)
        assert filled.wait_list == [behind] and copied.wait_list == [filled]
        fake.fake_hold(0)
        copied.wait_and_throw()
        assert np.asarray(x).tolist() == [3] * 4
        sycl.free(x, queue)
        """,
        {"FAKE_SVM": "fine"},
    )


@pytest.mark.spec("H480", "H482")
def test_usm_chains_over_queues(device):
    if not device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared allocations")
    context = sycl.Context(device)
    queues = [sycl.Queue(device, context=context), sycl.Queue(device, context=context, in_order=True)]
    x = sycl.malloc_shared(16, np.uint32, queues[0])
    event = queues[0].memset(x, 0, x.nbytes)
    for step in range(50):
        event = queues[step % 2].parallel_for(16, PROGRAM.increment, x, depends_on=[event])
    event.wait_and_throw()
    assert np.asarray(x).tolist() == [50] * 16
    sycl.free(x, context)


@pytest.mark.spec("H482")
def test_named_and_inferred_dependencies_add_up(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        a, b = sycl.Buffer(np.zeros(4, np.uint32)), sycl.Buffer(np.zeros(4, np.uint32))
        fake.fake_hold(1)
        of_a = queue.submit(lambda h: h.single_task(program.slow, h.read_write(a), 0))
        of_b = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        both = queue.submit(lambda h: (h.depends_on(of_a), h.single_task(program.slow, h.read_write(b), 0)))
        assert set(both.wait_list) == {of_a, of_b}
        fake.fake_hold(0)
        queue.wait_and_throw()
        """,
    )


@KINDS
@pytest.mark.spec("H483", "H484", "H486")
def test_a_failing_command_poisons_what_needs_its_result(run_fake, env):
    run(
        run_fake,
        """
        got = []
        queue, other = sycl.Queue(async_handler=got.extend), sycl.Queue(async_handler=got.extend)
        data, free = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)
        a, b, c = sycl.Buffer(data), sycl.Buffer((4,), np.uint32), sycl.Buffer(free)
        fake.fake_hold(1)
        line = here() + 1
        origin = queue.submit(lambda h: h.single_task(program.fail, h.read_write(a)))
        reader = queue.submit(lambda h: h.parallel_for(4, program.churn, h.write(b, no_init=True), h.read(a), 0, 4))
        chained = other.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        task = other.submit(lambda h: (h.read(b), h.depends_on(chained)))
        independent = other.submit(lambda h: h.single_task(program.slow, h.read_write(c), 0))
        fake.fake_hold(0)
        for event in (origin, reader, chained, task, independent):
            event.wait()
        assert got == []  # wait() does not deliver
        assert independent.exception is None
        words = f"submitted at <string>:{line}, failed"
        for event in (reader, chained, task):
            assert words in event.exception.what(), event.exception
        queue.wait_and_throw()
        other.wait_and_throw()
        assert len(got) == 4, got
        queue.wait_and_throw()
        other.throw_asynchronous()
        assert len(got) == 4
        c.close()
        assert free[0] == 1
        """,
        env,
    )


@pytest.mark.spec("H483")
def test_wait_does_not_deliver_what_a_host_task_raised(queue):
    """The errors of host tasks are asynchronous, too, and those of what depends on them."""
    own = sycl.Queue(queue.device)
    b = sycl.Buffer(np.zeros(4, np.uint32))

    submitted = threading.Event()

    def task():
        submitted.wait()
        raise ValueError("from the task")

    def group(h):
        sycl.Accessor(b, h, "read_write", target="host_task")
        h.host_task(task)

    event = own.submit(group)
    behind = own.submit(lambda h: h.parallel_for(4, PROGRAM.increment, h.read_write(b)))
    submitted.set()
    event.wait()
    behind.wait()
    own.wait()
    assert event.exception is not None and behind.exception is not None
    with pytest.raises((ValueError, sycl.SyclError, sycl.AsyncErrorGroup)) as caught:
        own.wait_and_throw()
    assert "from the task" in "".join(map(repr, _leaves(caught.value)))
    own.wait_and_throw()


def _leaves(error):
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    found = [error]
    while found[-1].__cause__ is not None:
        found.append(found[-1].__cause__)
    return found


@KINDS
@pytest.mark.spec("H337", "H484")
def test_a_buffer_whose_writer_failed_still_ends(run_fake, env):
    """The array is not overwritten with garbage, and the error is told once."""
    run(
        run_fake,
        """
        got = []
        queue = sycl.Queue(async_handler=got.extend)
        data = np.arange(4, dtype=np.uint32)
        with sycl.Buffer(data) as b:
            queue.submit(lambda h: h.single_task(program.fail, h.read_write(b)))
        assert data.tolist() == [0, 1, 2, 3], data
        queue.wait_and_throw()
        queue.throw_asynchronous()
        assert len(got) == 1, got
        """,
        env,
    )


@KINDS
@pytest.mark.spec("H484")
def test_after_a_failure_the_buffer_goes_on(run_fake, env):
    run(
        run_fake,
        """
        queue = sycl.Queue(async_handler=lambda errors: None)
        data = np.arange(4, dtype=np.uint32)
        b = sycl.Buffer(data)
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)).wait_and_throw()
        queue.submit(lambda h: h.single_task(program.fail, h.read_write(b))).wait()
        queue.submit(lambda h: h.parallel_for(4, program.fill_ids, h.write(b, no_init=True))).wait()
        last = queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        last.wait()
        assert last.exception is None, last.exception
        with b.host_access("read") as view:
            assert view.tolist() == [1, 1, 2, 3], view
        b.close()
        assert data.tolist() == [1, 1, 2, 3]
        queue.wait_and_throw()
        """,
        env,
    )


@pytest.mark.spec("H487")
def test_errors_of_a_context_without_a_queue_s_handler(run_fake):
    run(
        run_fake,
        """
        of_context, of_queue = [], []
        context = sycl.Context(sycl.Device(), of_context.extend)
        plain, handled = sycl.Queue(context=context), sycl.Queue(context=context, async_handler=of_queue.extend)
        b, c = sycl.Buffer((4,), np.uint32), sycl.Buffer((4,), np.uint32)
        plain.submit(lambda h: h.single_task(program.fail, h.write(b))).wait()
        handled.submit(lambda h: h.single_task(program.fail, h.write(c))).wait()
        plain.wait_and_throw()
        handled.wait_and_throw()
        assert (len(of_context), len(of_queue)) == (1, 1)
        """,
    )


@pytest.mark.spec("H485")
def test_without_a_handler_errors_of_buffers_are_raised(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        b = sycl.Buffer((4,), np.uint32)
        event = queue.submit(lambda h: h.single_task(program.fail, h.write(b)))
        event.wait()
        assert isinstance(raised(queue.wait_and_throw), sycl.KernelError)
        queue.wait_and_throw()
        """,
    )


@pytest.mark.spec("H488", "H489")
def test_the_secondary_queue_has_the_command_and_its_errors(run_fake):
    run(
        run_fake,
        """
        primary, secondary = [], []
        first = sycl.Queue(async_handler=primary.extend)
        second = sycl.Queue(context=sycl.Context(sycl.Device()), async_handler=secondary.extend)
        b, calls = sycl.Buffer((4,), np.uint32, context_bound=second.context), []
        def group(h):
            calls.append(h)
            h.single_task(program.fail, h.write(b, no_init=True))
        event = first.submit(group, second)  # the first queue's context is not the buffer's
        event.wait()
        first.wait_and_throw()
        second.wait_and_throw()
        assert (len(primary), len(secondary)) == (0, 1) and event._queue is second
        second.submit(group, first).wait()
        assert len(calls) == 2  # the group's own code runs once, whoever takes the command
        second.wait_and_throw()
        assert (len(primary), len(secondary)) == (0, 2)
        """,
    )


@pytest.mark.spec("H490")
def test_require_registers_a_placeholder(run_fake):
    run(
        run_fake,
        """
        queue, data = sycl.Queue(), np.zeros(4, np.uint32)
        b = sycl.Buffer(data)
        placeholder = sycl.Accessor(b, mode="read_write")
        assert placeholder.is_placeholder
        fake.fake_hold(1)
        first = queue.submit(lambda h: (h.require(placeholder), h.require(placeholder),
                                        h.single_task(program.slow, placeholder, 0)))
        second = queue.submit(lambda h: (h.require(placeholder), h.single_task(program.slow, placeholder, 0)))
        assert first in second.wait_list
        error = raised(lambda: queue.submit(lambda h: h.require(sycl.Accessor())))
        assert isinstance(error, sycl.AccessorError), error
        fake.fake_hold(0)
        b.close()
        assert data[0] == 2
        queue.wait_and_throw()
        """,
    )


@pytest.mark.spec("H491")
def test_a_handler_is_of_no_use_afterwards(queue):
    kept = []
    b = sycl.Buffer(np.zeros(4, np.uint32))
    queue.submit(lambda h: (kept.append(h), h.parallel_for(4, PROGRAM.increment, h.read_write(b)))).wait()
    for late in (
        lambda: kept[0].read(b),
        lambda: kept[0].fill(sycl.Accessor(b, mode="write"), np.uint32(1)),
        lambda: kept[0].require(sycl.Accessor(b, mode="read")),
        lambda: kept[0].host_task(lambda: None),
    ):
        with pytest.raises(sycl.SyclError):
            late()


@pytest.mark.spec("H492")
def test_copies_go_from_readers_to_writers(queue):
    a, b = sycl.Buffer(np.arange(6, dtype=np.uint32)), sycl.Buffer(np.zeros(6, np.uint32))
    queue.submit(lambda h: h.copy(h.read(a), h.write(b))).wait_and_throw()
    assert np.asarray(b).tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(sycl.SyclError):
        queue.submit(lambda h: h.copy(h.write(a), h.write(b)))
    with pytest.raises(sycl.SyclError):
        queue.submit(lambda h: h.copy(h.read(a), h.read(b)))
    assert np.asarray(b).tolist() == [0, 1, 2, 3, 4, 5]


@KINDS
@pytest.mark.spec("H493")
def test_update_host_refreshes_the_host_s_copy(run_fake, env):
    run(
        run_fake,
        """
        queue, data = sycl.Queue(), np.zeros(64, np.uint32)
        b = sycl.Buffer(data)
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))
        queue.submit(lambda h: h.update_host(h.read(b))).wait_and_throw()
        moved = sycl.statistics()["from_device_bytes"]
        assert moved == (256 if not queue.device._facts["shares_host_memory"] else 0), moved
        with b.host_access("read") as view:
            assert view[0] == 1
        assert sycl.statistics()["from_device_bytes"] == moved
        """,
        env,
    )


@pytest.mark.spec("H494")
def test_memory_errors_have_their_codes(queue):
    b = sycl.Buffer((4, 4), np.uint32)
    with pytest.raises(sycl.InvalidObjectError) as caught:
        b.sub_buffer((3, 0), (2, 4))
    assert caught.value.code is sycl.Errc.invalid
    with pytest.raises(sycl.InvalidObjectError):
        b.reinterpret(np.uint64, (3, 3))
    with pytest.raises(sycl.AccessorError) as refused:
        queue.submit(lambda h: h.require(sycl.Accessor()))
    assert refused.value.code is sycl.Errc.accessor
    with pytest.raises(sycl.SyclError), b.host_access("no such mode"):
        pass
