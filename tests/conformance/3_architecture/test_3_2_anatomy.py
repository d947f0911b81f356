"""The anatomy of an application, the execution model and the order of commands: SYCL 2020, 3.2 to 3.7."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

PROGRAM = sycl.Program("""
__kernel void increment(__global uint *x) { x[get_global_id(0)] += 1; }
__kernel void advance(__global ulong *x, ulong a) { x[get_global_id(0)] = x[get_global_id(0)] * 3 + a; }
__kernel void copy(__global ulong *to, __global const ulong *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
""")


@pytest.mark.spec("H001", "H010", "H012")
def test_a_queue_of_nothing_chooses_device_and_context(queue):
    plain = sycl.Queue()
    assert plain.device == sycl.Device()
    assert plain.context.devices == [plain.device]
    assert plain.platform == plain.device.platform


@pytest.mark.spec("H005")
def test_a_kernel_may_have_a_name_and_options_of_its_own(queue):
    """The name is the kernel's, where the driver and the graph tell it; options are for the one kernel that they are
    given to, whatever it is called, and none has those of another."""
    x = np.zeros(4, np.int32)
    text, front = "x[i] = VALUE;", "#ifndef VALUE\n#define VALUE 7\n#endif\n"
    for name, options, expected in (
        (None, None, 7), ("mine", "-DVALUE=3", 3), ("mine", ["-D", "VALUE=4"], 4), ("other", "-DVALUE=3", 3),
        ("mine", None, 7), (None, "-DVALUE=5", 5), (None, None, 7),
    ):  # fmt: skip
        named = {} if name is None else {"name": name}
        chosen = {} if options is None else {"options": options}
        queue.parallel_for(4, text, x=x, preamble=front, **named, **chosen)
        assert x.tolist() == [expected] * 4, (name, options)
        command = queue.graph().commands[-1]
        assert (name is None or command.name == name) and (name is not None or command.name not in ("mine", "other"))
        assert name is None or f" {name}(" in sycl.kernel_source(
            text, 4, x=x, preamble=front, queue_or_device=queue, **named, **chosen
        )
    programs = [sycl.Program(front + "__kernel void same(__global int *x) { x[0] = VALUE; }", options=each)
                for each in ("", "-DVALUE=8")]  # fmt: skip
    for program, expected in zip(programs, (7, 8), strict=True):
        queue.single_task(program.same, x)
        assert x[0] == expected and program.same.name == "same"


@pytest.mark.spec("H003", "H088")
def test_a_command_group_runs_at_once_on_this_thread_with_a_handler(queue):
    calls, x = [], np.zeros(4, np.uint32)

    def group(h):
        calls.append((threading.get_ident(), type(h)))
        h.parallel_for(4, PROGRAM.increment, x)

    event = queue.submit(group)
    assert calls == [(threading.get_ident(), sycl.Handler)]
    event.wait_and_throw()
    assert x.tolist() == [1, 1, 1, 1]


@pytest.mark.spec("H003")
def test_a_command_group_as_a_block(queue):
    x = np.zeros(4, np.uint32)
    with queue.submit() as h:
        h.parallel_for(4, PROGRAM.increment, x)
        with pytest.raises(sycl.InvalidError, match="has not been submitted: it has no event yet"):
            _ = h.event
    h.event.wait_and_throw()
    assert x.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("form", ["function", "block"])
def test_an_exception_in_a_group_submits_nothing(queue, form):
    x = np.zeros(4, np.uint32)

    def group(h):
        h.parallel_for(4, PROGRAM.increment, x)
        raise KeyError("mine")

    def block():
        with queue.submit() as h:
            group(h)

    with pytest.raises(KeyError, match="mine"):
        queue.submit(group) if form == "function" else block()
    queue.wait_and_throw()
    assert not x.any()


@pytest.mark.spec("H004")
@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 1009, 10007])
def test_a_kernel_runs_once_per_work_item(queue, count):
    x = np.zeros(count + 1, np.uint32)
    queue.parallel_for(count, PROGRAM.increment, x)
    assert (x[:-1] == 1).all()
    assert x[-1] == 0


@pytest.mark.spec("H006")
def test_a_second_kernel_in_a_group_is_an_error(queue):
    x = np.zeros(4, np.uint32)

    def group(h):
        h.parallel_for(4, PROGRAM.increment, x)
        h.single_task(PROGRAM.increment, x)

    with pytest.raises(sycl.InvalidError, match="the command group has a command already; it can have one"):
        queue.submit(group)
    queue.wait_and_throw()
    assert not x.any()


def test_a_group_without_a_kernel_orders_only(queue, busy):
    cell = np.zeros(1, np.uint64)
    first = busy(queue, cell)
    queue.submit(lambda h: h.depends_on(first)).wait_and_throw()
    assert first.status is sycl.EventCommandStatus.complete
    queue.submit(lambda h: None).wait_and_throw()


def test_a_handler_is_of_no_use_after_its_group(queue):
    kept = []
    queue.submit(kept.append)
    (h,) = kept
    for use in (lambda: h.single_task(PROGRAM.increment, np.zeros(1, np.uint32)), lambda: h.depends_on([])):
        with pytest.raises(sycl.InvalidError, match="the command group of this handler has ended"):
            use()


@pytest.mark.spec("D077")
def test_a_group_waits_for_the_events_that_it_depends_on(queue, busy):
    cell, other = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    first, second = busy(queue, cell), busy(queue, other, 0.1)

    def one(h):
        h.depends_on(first)
        h.depends_on([second])

    queue.submit(one).wait_and_throw()
    assert [first.status, second.status] == [sycl.EventCommandStatus.complete] * 2
    for wrong in (3, [first, 3], "ab"):
        with pytest.raises(sycl.InvalidParameterError, match="depends_on: expected"):
            queue.submit(lambda h, wrong=wrong: h.depends_on(wrong))


@pytest.mark.spec("H021", "H022")
def test_versions(device):
    assert device.backend_version
    assert device.platform.version
    assert sycl.SYCL_LANGUAGE_VERSION == 202001


@pytest.mark.spec("H020")
def test_a_platform_belongs_to_one_backend(device):
    assert device.platform.backend is device.backend is sycl.Backend.opencl


@pytest.mark.spec("H024")
def test_one_group_function_serves_several_queues(device):
    x = np.zeros(8, np.uint32)

    def group(h):
        h.parallel_for(8, PROGRAM.increment, x)

    queues = [sycl.Queue(device), sycl.Queue(device, in_order=True), sycl.Queue(device, context=sycl.Context(device))]
    for each in queues * 2:
        each.submit(group)
    for each in queues:
        each.wait_and_throw()
    assert (x == 6).all()


@pytest.mark.spec("H025")
def test_values_are_taken_when_the_group_is_submitted(queue, busy):
    cell, x = np.zeros(1, np.uint64), np.ones(3, np.uint64)
    values = np.array([5], np.uint64)
    gate = busy(queue, cell)
    event = queue.parallel_for(3, PROGRAM.advance, x, values[0], depends_on=gate)
    values[0] = 99
    del values
    event.wait_and_throw()
    assert cell[0] == 1
    assert x.tolist() == [8, 8, 8]


@pytest.mark.spec("H028", "H079")
def test_commands_depend_on_commands_of_other_queues_and_contexts(device, busy):
    here, there = sycl.Queue(device), sycl.Queue(device, context=sycl.Context(device))
    cell, copy = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    for _ in range(3):
        busy(here, cell, 0.05)
        there.parallel_for(1, PROGRAM.advance, cell, 1)
    there.parallel_for(1, PROGRAM.copy, copy, cell)
    there.wait_and_throw()
    expected = 0
    for _ in range(3):
        expected = (expected + 1) * 3 + 1
    assert copy[0] == cell[0] == expected


@pytest.mark.spec("H028", "H079")
def test_commands_depend_on_commands_of_other_drivers(device, run_python, fake_driver):
    path = _core.drivers()[device.platform._driver_index]["path"]
    run_python(
        """
        import numpy as np
        import pysycl as sycl
        program = sycl.Program(
            "__kernel void slow(__global uint *x, uint ms) { for (uint i = 0; i < 5; i++) x[0] = x[0] * 2; }"
        )
        platforms = sorted(sycl.platforms(), key=lambda platform: platform.name != "Fake")
        assert [platform.name == "Fake" for platform in platforms][:2] == [True, False], platforms
        fake, real = (sycl.Queue(platform.devices[0]) for platform in platforms[:2])
        x = np.zeros(4, np.uint32)
        fake.single_task(program.slow, x, 150, wait=False)  # adds 1
        real.single_task(program.slow, x, 0, wait=False)  # times 32
        fake.single_task(program.slow, x, 50, wait=False)
        real.single_task(program.slow, x, 0).wait_and_throw()
        fake.wait_and_throw()
        assert x[0] == (1 * 32 + 1) * 32, x
        """,
        {"PYSYCL_DRIVERS": f"{fake_driver}:{path}"},
    )


@pytest.mark.spec("H029", "H033", "H089")
def test_independent_commands_pass_each_other(run_fake):
    run_fake("""
        queue, x, y = sycl.Queue(), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
        assert not queue.is_in_order
        slow = queue.single_task(program.slow, x, 1000, wait=False)
        quick = queue.single_task(program.slow, y, 0, wait=False)
        quick.wait()
        assert y[0] == 1 and slow.status is not sycl.EventCommandStatus.complete
        both = queue.submit(lambda h: h.depends_on([slow, quick]))
        both.wait()
        assert x[0] == 1
        """)


@pytest.mark.spec("H030", "H032")
def test_commands_on_the_same_memory_run_in_the_order_of_submission(queue):
    x, expected = np.zeros(70, np.uint64), 0
    for k in range(100):
        queue.parallel_for(70, PROGRAM.advance, x, k)
        expected = (expected * 3 + k) % 2**64
    queue.wait_and_throw()
    assert (x == expected).all()


@pytest.mark.spec("H032")
def test_overlapping_parts_order_commands(queue):
    x = np.zeros(100, np.uint64)
    expected = x.copy()
    rng = np.random.default_rng(3)
    for k in range(100):
        low, high = sorted(10 * rng.integers(0, 11, 2))
        if low < high:
            queue.parallel_for(high - low, PROGRAM.advance, x[low:high], k)
            expected[low:high] = expected[low:high] * 3 + k
    queue.wait_and_throw()
    assert (x == expected).all()


@pytest.mark.spec("H033")
def test_a_command_waits_for_both_that_it_needs(queue, busy):
    a, b = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    busy(queue, a, 0.05)
    busy(queue, b, 0.1)
    queue.parallel_for(1, PROGRAM.copy, a, b).wait_and_throw()
    assert a[0] == b[0] == 1


@pytest.mark.spec("H034")
def test_the_order_holds_across_queues(device):
    queues = [sycl.Queue(device), sycl.Queue(device), sycl.Queue(device, in_order=True)]
    x, expected = np.zeros(33, np.uint64), 0
    for k in range(90):
        queues[k % 3].parallel_for(33, PROGRAM.advance, x, k)
        expected = (expected * 3 + k) % 2**64
    for each in queues:
        each.wait_and_throw()
    assert (x == expected).all()


@pytest.mark.spec("H035")
def test_the_order_of_threads_is_that_of_their_submissions(device):
    queues = [sycl.Queue(device) for _ in range(4)]
    x, order, lock = np.zeros(5, np.uint64), [], threading.Lock()

    def work(me):
        for _ in range(30):
            with lock:
                queues[me].parallel_for(5, PROGRAM.advance, x, me)
                order.append(me)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    for each in queues:
        each.wait_and_throw()
    expected = 0
    for me in order:
        expected = (expected * 3 + me) % 2**64
    assert (x == expected).all()
