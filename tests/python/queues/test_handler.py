"""Command groups: what a handler takes, in which order, and what it refuses."""

import copy
import gc
import inspect
import pickle
import weakref

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global int *x, int a) { x[get_global_id(0)] += a; }
__kernel void copy(__global int *to, __global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
__kernel void nothing(void) {}
""")


@pytest.fixture(autouse=True)
def built(queue):
    """So that no test spends its time, while a command is to be under way, with the compiler."""
    PROGRAM.build(queue.context)


def contents(buffer):
    with buffer.host_access("read") as a:
        return np.array(a)


def numbers(count=4):
    return sycl.Buffer(np.arange(count, dtype=np.int32))


# -- accessors of a group --


def test_an_accessor_may_be_made_after_the_command(queue, busy):
    cell, x = np.zeros(1, np.uint64), numbers()
    blocker = busy(queue, cell)
    with queue.submit() as h:
        h.depends_on(blocker)
        h.read_write(x)
    with queue.submit() as late:
        late.single_task(PROGRAM.nothing)
        late.read(x)
    assert h.event in late.event.wait_list


def test_a_group_without_a_command_orders(queue, busy):
    cell, x = np.zeros(1, np.uint64), numbers()
    with queue.submit() as first:
        first.depends_on(busy(queue, cell))
        first.parallel_for(4, PROGRAM.add, first.read_write(x), 1)
    with queue.submit() as empty:
        empty.read_write(x)
    with queue.submit() as last:
        last.parallel_for(4, PROGRAM.add, last.read_write(x), 2)
    assert first.event in empty.event.wait_list and empty.event in last.event.wait_list
    assert contents(x).tolist() == [3, 4, 5, 6]


def test_accessors_end_with_their_group(queue):
    x = numbers()
    kept = []
    queue.submit(lambda h: kept.append(h.read_write(x)))
    with pytest.raises(KeyError):
        queue.submit(lambda h: (kept.append(h.read_write(x)), {}["mine"]))
    for accessor in kept:
        with pytest.raises(sycl.AccessorError, match="is an accessor whose command group has ended"):
            queue.submit(lambda h, accessor=accessor: h.parallel_for(4, PROGRAM.add, accessor, 1))
        with pytest.raises(sycl.AccessorError, match="is an accessor whose command group has ended"):
            queue.parallel_for(4, PROGRAM.add, accessor, 1)
        with pytest.raises(sycl.AccessorError, match="belongs to a command group that has ended"):
            queue.submit(lambda h, accessor=accessor: h.require(accessor))


def test_accessors_of_another_group_are_refused(queue):
    x = numbers()
    with queue.submit() as one:
        accessor = one.read_write(x)
        with queue.submit() as two, pytest.raises(sycl.AccessorError, match="is an accessor of another command group"):
            two.parallel_for(4, PROGRAM.add, accessor, 1)
        with queue.submit() as two, pytest.raises(sycl.AccessorError, match="belongs to another command group"):
            two.require(accessor)
        with pytest.raises(sycl.AccessorError, match="is an accessor of another command group"):
            queue.parallel_for(4, PROGRAM.add, accessor, 1)


def test_a_handler_and_its_accessors_are_let_go(queue, no_leaks):
    x = numbers()
    for ending in ("submitted", "discarded", "abandoned"):
        h = queue.submit()
        accessor = h.read_write(x)
        seen = weakref.ref(accessor) if ending == "abandoned" else None
        if ending == "submitted":
            h.__exit__(None, None, None)
        elif ending == "discarded":
            h.__exit__(KeyError, KeyError(), None)
        del h, accessor
        gc.collect()
        assert seen is None or seen() is None
    queue.wait()


def test_placeholders_serve_many_groups(queue):
    x = numbers()
    accessor = sycl.Accessor(x)
    for _ in range(3):
        with queue.submit() as h:
            h.require(accessor)
            h.parallel_for(4, PROGRAM.add, accessor, 1)
    assert contents(x).tolist() == [3, 4, 5, 6]


def test_a_placeholder_that_was_not_required_is_refused(queue):
    accessor = sycl.Accessor(numbers())
    with pytest.raises(sycl.AccessorError) as caught, queue.submit() as h:
        h.parallel_for(4, PROGRAM.add, accessor, 1)
    assert str(caught.value).startswith(
        "add(): argument 1, 'x', is a placeholder that the command group has not required: call "
        "handler.require(accessor) first\n"
    )


def test_what_is_no_accessor_cannot_be_required(queue):
    for wrong in (None, 3, numbers(), np.zeros(3)):
        with pytest.raises(sycl.InvalidParameterError, match="require: expected an Accessor, got"):
            queue.submit(lambda h, wrong=wrong: h.require(wrong))


# -- set_arg --


def test_arguments_can_be_set_before_the_command(queue):
    x = numbers()
    with queue.submit() as h:
        h.set_arg(1, 10)
        h.set_arg(0, h.read_write(x))
        h.parallel_for(4, PROGRAM.add)
    with queue.submit() as h:
        h.set_args(h.read_write(x), 100)
        h.set_arg(1, 200)
        h.parallel_for(4, PROGRAM.add)
    assert contents(x).tolist() == [210, 211, 212, 213]


def test_wrong_uses_of_set_arg_are_refused(queue):
    x = numbers()
    cases = {
        "index -1 is negative; arguments count from 0": lambda h: h.set_arg(-1, 3),
        "of 2 arguments that were set, none is argument 1": lambda h: (
            h.set_arg(0, x), h.set_arg(2, 3), h.parallel_for(4, PROGRAM.add)),
        "were set with set_arg\\(\\) or set_args\\(\\), and more are given": lambda h: (
            h.set_args(x, 1), h.parallel_for(4, PROGRAM.add, x, 1)),
        "the group has its command already": lambda h: (
            h.single_task(PROGRAM.nothing), h.set_arg(0, 3)),
    }  # fmt: skip
    for words, group in cases.items():
        with pytest.raises(sycl.InvalidError, match=words):
            queue.submit(group)
    with pytest.raises(sycl.KernelArgumentError, match=r"add\(\): takes 2 arguments, 1 given"):
        queue.submit(lambda h: (h.set_args(x), h.parallel_for(4, PROGRAM.add)))
    with pytest.raises(TypeError):
        queue.submit(lambda h: h.set_arg("0", 3))


# -- one command --


COMMANDS = {
    "parallel_for": lambda h, x: h.parallel_for(4, PROGRAM.add, x, 1),
    "single_task": lambda h, x: h.single_task(PROGRAM.nothing),
    "host_task": lambda h, x: h.host_task(lambda: None),
    "copy": lambda h, x: h.copy(np.zeros(4, np.int32), h.write(x)),
    "fill": lambda h, x: h.fill(h.write(x), 0),
    "update_host": lambda h, x: h.update_host(h.read(x)),
}


@pytest.mark.parametrize("second", COMMANDS)
def test_a_second_command_is_refused(queue, second):
    x = numbers()
    for first in COMMANDS:
        with queue.submit() as h:
            COMMANDS[first](h, x)
            words = f"{second}: the command group has a command already; it can have one"
            with pytest.raises(sycl.InvalidError, match=words):
                COMMANDS[second](h, x)


def test_a_handler_is_of_use_inside_its_group_only(queue):
    x = numbers()
    with queue.submit() as h:
        pass
    uses = {
        **COMMANDS,
        "require": lambda h, x: h.require(sycl.Accessor(x)),
        "depends_on": lambda h, x: h.depends_on([]),
        "set_arg": lambda h, x: h.set_arg(0, 1),
        "set_args": lambda h, x: h.set_args(1),
        "local": lambda h, x: h.local(4, "u4"),
        "handler": lambda h, x: h.read(x),
    }
    for use in uses.values():
        with pytest.raises(sycl.InvalidError, match="the command group of this handler has ended"):
            use(h, x)
    for forbidden in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="it belongs to its command group"):
            forbidden(h)


def test_a_conversion_that_uses_the_handler(queue):
    x = numbers()

    class Sneaks:
        def __index__(self):
            h.single_task(PROGRAM.nothing)
            return 1

    words = "parallel_for: the command group was changed while it took the arguments"
    with queue.submit() as h, pytest.raises(sycl.InvalidError, match=words):
        h.parallel_for(4, PROGRAM.add, h.read_write(x), Sneaks())
    assert contents(x).tolist() == [0, 1, 2, 3]


def test_a_commands_error_names_the_line_of_the_command(run_fake):
    run_fake(
        """
        b = sycl.Buffer((4,), np.uint32)
        queue = sycl.Queue()
        with queue.submit() as h:
            accessor = h.write(b)
            import inspect; line = inspect.currentframe().f_lineno; h.single_task(program.fail, accessor)
        try:
            queue.wait_and_throw()
        except sycl.KernelError as error:
            assert error.site == f"<string>:{line}", (error.site, line)
        else:
            raise AssertionError("no error")
        """
    )


# -- the queue's shortcuts --


def test_shortcuts_return_events_and_take_dependencies(queue, busy):
    cell, x, seen = np.zeros(1, np.uint64), numbers(), []
    blocker = busy(queue, cell)
    for event in (
        queue.host_task(lambda: seen.append(1), depends_on=blocker),
        queue.copy(np.full(4, 7, np.int32), sycl.Accessor(x), depends_on=[blocker]),
        queue.fill(sycl.Accessor(numbers()), 3, depends_on=(blocker,)),
        queue.update_host(sycl.Accessor(numbers()), depends_on=blocker),
    ):
        assert isinstance(event, sycl.Event)
        assert blocker in event.wait_list or blocker.status is sycl.EventCommandStatus.complete
    queue.wait_and_throw()
    assert seen == [1] and contents(x).tolist() == [7] * 4


# -- local accessors --


@pytest.mark.spec("H422", "H424", "H427")
def test_what_local_accessors_say(queue):
    with queue.submit() as h:
        one, three = h.local((), np.float64), h.local((2, 3, 4), np.int16)
    assert (one.shape, one.range, one.size, one.byte_size) == ((), None, 1, 8)
    assert (three.shape, three.range) == ((2, 3, 4), sycl.Range(2, 3, 4))
    assert (three.size, three.max_size, three.get_count(), three.byte_size) == (24, 24, 24, 48)
    assert three.dtype == np.int16 and not three.empty
    with pytest.raises(sycl.InvalidParameterError, match="has 4 dimensions; SYCL has at most three"):
        sycl.local((1, 2, 3, 4), np.int8)


@pytest.mark.spec("H421")
def test_local_memory_is_not_for_the_host(queue):
    with queue.submit() as h:
        mine = h.local(4, np.int32)
    with pytest.raises(sycl.AccessorError, match="the host has no access to it"):
        np.asarray(mine)
    with pytest.raises(TypeError):
        memoryview(mine)


@pytest.mark.parametrize("kind", ["unknown", "gpu"])
def test_a_group_without_a_command_writes_nothing(run_python, copying, kind):
    """Whatever its accessors let it do: the device's memory, which nobody has written, is not where the contents are."""
    run_python(
        """
import numpy as np
import pysycl as sycl
queue, N = sycl.Queue(), 1 << 16
assert not queue.device._facts["shares_host_memory"]
for mode, options in (("write", {"no_init": True}), ("write", {}), ("read_write", {"no_init": True}),
                      ("write", {"no_init": True, "range": N // 2, "offset": N // 4})):
    for made_there in (False, True):
        array = np.arange(2 * N, dtype=np.float32)[::2] + 1
        b = sycl.Buffer(array)
        if made_there:
            queue.parallel_for(N, "b[i] += 0;", b=b)
            b.host_access("write").close()
        with queue.submit() as h:
            sycl.Accessor(b, h, mode, **options)
        assert np.array_equal(np.asarray(b), 2 * np.arange(N) + 1), (mode, options)
        queue.parallel_for(N, "b[i] += 1;", b=b)
        b.close()
        assert np.array_equal(array, 2 * np.arange(N) + 2), (mode, options)
""",
        copying(kind),
    )


def test_a_group_without_a_command_stands_where_its_user_wrote_it(queue):
    x = numbers()
    with queue.submit() as h:
        line = inspect.currentframe().f_lineno - 1
        h.read(x)
    at = queue.graph().commands[-1].site
    assert at in (f"{__file__}:{line}", f"{__file__}:{line + 2}")
    queue.submit(lambda h: h.read(x))
    assert queue.graph().commands[-1].site == f"{__file__}:{inspect.currentframe().f_lineno - 1}"


def test_a_handler_that_is_never_submitted_says_so(queue):
    """Without `with` the block has no end, and its command would be lost without a word."""
    h = queue.submit()
    line = inspect.currentframe().f_lineno + 1
    h.single_task(PROGRAM.nothing)
    held = [h]
    del h
    with pytest.warns(sycl.SyclWarning) as said:
        held.clear()
    assert len(said) == 1
    assert str(said[0].message) == (
        "the command of this line was never submitted: a handler that queue.submit() gives must be used as "
        "`with queue.submit() as h:`"
    )
    assert (said[0].filename, said[0].lineno) == (__file__, line)


def test_handlers_that_end_otherwise_say_nothing(queue, recwarn):
    queue.submit()  # no command: nothing is lost
    with pytest.raises(ZeroDivisionError), queue.submit() as h:
        _ = (h.single_task(PROGRAM.nothing), 1 / 0)
    with pytest.raises(ZeroDivisionError):
        queue.submit(lambda h: (h.single_task(PROGRAM.nothing), 1 / 0))
    queue.submit(lambda h: h.single_task(PROGRAM.nothing)).wait()
    with queue.submit() as h:
        h.single_task(PROGRAM.nothing)
    del h
    gc.collect()
    assert not recwarn.list
