"""Arguments that a replay replaces by name, and what can be neither recorded nor replaced."""

from collections.abc import Callable

import numpy as np
import pytest

import pysycl as sycl

SOURCE = """
__kernel void saxpy(float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
"""
N = 1000
F = np.float32


@pytest.fixture(scope="module")
def program() -> sycl.Program:
    return sycl.Program(SOURCE)


def ones(value: float = 1.0) -> np.ndarray:
    return np.full(N, value, F)


def test_arguments_by_name(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y, other = ones(), ones(0), ones(5)
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
    assert g.parameters == ("a", "x", "y")
    g.replay(a=10).wait()
    assert np.all(y == 10)
    g.replay(x=other).wait()
    assert np.all(y == 20)
    g.replay(a=1, x=other, y=x).wait()
    assert np.all(x == 6) and np.all(y == 20)
    g.replay().wait()
    assert np.all(y == 32)


def test_parameters(queue: sycl.Queue, program: sycl.Program) -> None:
    X, Y, Z = (sycl.Buffer(ones(value)) for value in (1, 0, 7))
    scale = sycl.Parameter("scale", 2.0)
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, scale, X, Y)
        queue.parallel_for(N, program.saxpy, scale, X, sycl.Parameter("second", Y))
    assert set(g.parameters) == {"scale", "x", "second", "y"}
    with queue.record() as other:
        queue.parallel_for(N, program.saxpy, 2.0, X, Y)
        queue.parallel_for(N, program.saxpy, sycl.Parameter("a", 2.0), X, Y)
    assert other._places_of("a") == [(1, 0, "a")]  # a Parameter's name comes before a kernel's own
    g.replay(scale=3).wait()
    assert np.all(np.asarray(Y) == 6)
    g.replay(second=Z, x=Z).wait()  # the first reads what the second writes: that was not so when they were recorded
    assert np.all(np.asarray(Y) == 20) and np.all(np.asarray(Z) == 21)
    queue.parallel_for(N, program.saxpy, scale, X, Y).wait()  # elsewhere it is its value
    assert np.all(np.asarray(Y) == 22)


def test_usm_by_name(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y, z = (sycl.malloc_shared(N, F, queue) for _ in range(3))
    for array, value in ((x, 1), (y, 0), (z, 9)):
        queue.fill(array, value).wait()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
    g.replay(x=z).wait()
    g.replay().wait()
    result = np.empty(N, F)
    queue.copy(y, result)
    assert np.all(result == 20)
    sycl.free(z, queue)
    g.replay().wait()
    sycl.free(y, queue)
    with pytest.raises(sycl.InvalidObjectError) as caught:
        g.replay()
    assert str(caught.value) == "replay: unified shared memory that a recorded command uses has been freed"


def test_names_that_cannot_be_used(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
    assert g.parameters == ("x", "y")
    with pytest.raises(sycl.InvalidParameterError) as caught:
        g.replay(b=1)
    assert str(caught.value) == "replay: nothing recorded is named 'b'; names that can be used: x, y"
    with pytest.raises(sycl.InvalidParameterError) as caught:
        g.replay(a=1.0)
    sites = [command.site for command in g.commands]
    assert str(caught.value) == (
        f"replay: 'a' stands for several arguments (kernel 'saxpy' at {sites[0]}; kernel 'saxpy' at {sites[1]}): name "
        'the one that is meant with pysycl.Parameter("...", value) where it is recorded'
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"x": np.ones(N)}, sycl.KernelArgumentError, "'x', of kernel 'saxpy', is an array of float64, not of float"),
        (
            {"x": np.ones(N - 1, F)},
            sycl.KernelArgumentError,
            "'x', of kernel 'saxpy', has 3996 bytes, and what was recorded has 4000",
        ),
        (
            {"x": sycl.Buffer(np.ones(N, F))},
            sycl.KernelArgumentError,
            "'x', of kernel 'saxpy', was recorded as an array, and is a buffer now",
        ),
        (
            {"x": 3},
            sycl.KernelArgumentError,
            "'x', of kernel 'saxpy', is an int, not an array: an address is no argument",
        ),
        ({"a": "much"}, sycl.KernelArgumentError, "'a', of kernel 'saxpy', is not a number"),
    ],
)
def test_values_that_do_not_fit(
    queue: sycl.Queue, program: sycl.Program, arguments: dict[str, object], kind: type[Exception], words: str
) -> None:
    x, y = ones(), ones()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
    with pytest.raises(kind) as caught:
        g.replay(**arguments)
    assert str(caught.value).startswith(f"replay: {words}")
    g.replay().wait()
    assert np.all(y == 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("not a name", 1), "Parameter: name: expected an identifier, got 'not a name'"),
        ((1, 1), "Parameter: name: expected an identifier, got 1"),
        (("a", sycl.Parameter("b", 1)), "Parameter: value: Parameter('b', 1) is a Parameter itself"),
    ],
)
def test_bad_parameters(arguments: tuple[str, object], words: str) -> None:
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Parameter(*arguments)
    assert str(caught.value) == words


def test_only_kernels_arguments_are_named(queue: sycl.Queue, program: sycl.Program) -> None:
    """A fill or copy with a Parameter would look as if it could be replaced."""
    x, y, two = ones(), sycl.Buffer(ones()), sycl.Parameter("two", 2)
    u = sycl.malloc_device(N, F, queue)
    calls: dict[str, Callable[[], object]] = {
        "pattern": lambda: queue.fill(y, two),
        "dest": lambda: queue.copy(x, two),
        "src": lambda: queue.memcpy(u, two),
        "count": lambda: queue.copy(x, y, two),
        "nbytes": lambda: queue.memcpy(u, x, two),
        "value": lambda: queue.memset(u, two, 4),
        "ptr": lambda: queue.prefetch(two),
        "advice": lambda: queue.mem_advise(u, 4, two),
        "range": lambda: queue.parallel_for(two, program.saxpy, 1.0, x, y),
        "offset": lambda: queue.parallel_for(N, program.saxpy, 1.0, x, y, offset=two),
    }
    with queue.record() as g:
        queue.fill(y, 3.0)
        for what, call in calls.items():
            with pytest.raises(sycl.InvalidParameterError) as caught:
                call()
            assert str(caught.value) == (
                f"{what}: Parameter('two', 2): only arguments of kernels can be named, and replaced in a replay"
            )
    assert len(g) == 1
    assert g.parameters == ()
    with pytest.raises(sycl.InvalidParameterError, match="nothing recorded is named 'pattern'; names .* used: none"):
        g.replay(pattern=2)
    g.replay().wait()
    assert np.all(np.asarray(y) == 3)


# -- what cannot be recorded --

REFUSED: dict[str, tuple[Callable[[sycl.Queue, sycl.Buffer], object], str]] = {
    "host task": (
        lambda q, b: q.host_task(lambda: None),
        "a host task cannot be recorded: Python would have to run in the middle of the replay; end the recording before "
        "it and begin another one after it",
    ),
    "update_host": (
        lambda q, b: q.submit(lambda h: h.update_host(h.read(b))),
        "update_host cannot be recorded: the host would have to look at the buffer in the middle of the replay; read the "
        "buffer after it",
    ),
    "arrays": (
        lambda q, b: q.copy(np.ones(3), np.ones(3)),
        "a copy from one host array to another, or a fill of one, cannot be recorded: it is no work for the device",
    ),
    "host access": (
        lambda q, b: b.host_access("read"),
        "a host access cannot be recorded: commands that this thread is recording use the buffer and do not run before a "
        "replay; access it outside of the recording",
    ),
    "wait": (
        lambda q, b: q.wait(),
        "wait: this thread records the queue: nothing of it runs before a replay, so there is nothing to wait for; wait "
        "after the recording's block, or end it with its close()",
    ),
    "nested": (
        lambda q, b: q.record().__enter__(),
        "record: this thread records the queue already, and a recording cannot be recorded",
    ),
    "another queue": (
        lambda q, b: sycl.Queue(q.device).record().__enter__(),
        "record: this thread records another queue already, and a recording cannot be recorded",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_recorded(queue: sycl.Queue, program: sycl.Program, what: str) -> None:
    call, words = REFUSED[what]
    x, y = ones(), ones()
    with sycl.Buffer(x) as X, sycl.Buffer(y) as Y:
        with queue.record() as g:
            queue.parallel_for(N, program.saxpy, 2.0, X, Y)
            with pytest.raises(sycl.InvalidError) as caught:
                call(queue, Y)
        assert str(caught.value) == words
        assert len(g) == 1
        g.replay().wait()
    assert np.all(y == 3)


def test_a_replay_inside_a_recording(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    with queue.record() as g:
        queue.parallel_for(N, program.saxpy, 2.0, x, y)
        with pytest.raises(sycl.InvalidError) as early:
            g.replay()
    assert str(early.value) == "replay: the recording has not ended: replay it after its with block"
    with queue.record() as other, pytest.raises(sycl.InvalidError) as caught:
        g.replay()
    assert str(caught.value) == "a replay cannot be recorded: submit the commands themselves again"
    other.replay().wait()
    assert len(other) == 0 and y[0] == 1


def test_events_of_recorded_commands(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    words = (
        "the event stands for a command that was recorded and not submitted: it is of use in depends_on of the same "
        "recording only; a replay returns an event of its own"
    )
    with queue.record() as g:
        event = queue.parallel_for(N, program.saxpy, 2.0, x, y)
        with pytest.raises(sycl.InvalidError) as caught:
            event.wait()
        assert str(caught.value) == f"wait: {words}"
    for use, what in (
        (lambda: event.wait_and_throw(), "wait"),
        (lambda: event.status, "status"),
        (lambda: event.profiling, "wait"),
        (lambda: event.int_ptr, "int_ptr"),
        (lambda: queue.single_task(program.saxpy, 2.0, x, y, depends_on=event), "depends_on"),
        (lambda: g.replay(depends_on=event), "depends_on"),
    ):
        with pytest.raises(sycl.InvalidError) as caught:
            use()
        assert str(caught.value) == f"{what}: {words}"
    assert "pysycl.Event" in repr(event)


def test_an_exception_gives_the_recording_up(queue: sycl.Queue, program: sycl.Program) -> None:
    x, y = ones(), ones()
    g = queue.record()

    def record() -> None:
        with g:
            queue.parallel_for(N, program.saxpy, 2.0, x, y)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        record()
    with pytest.raises(sycl.InvalidError) as caught:
        g.replay()
    assert str(caught.value) == "replay: nothing has been recorded, or the recording was closed"
    queue.parallel_for(N, program.saxpy, 2.0, x, y).wait()  # runs again at once
    assert np.all(y == 3)


def test_mistakes_are_found_while_recording(queue: sycl.Queue, program: sycl.Program) -> None:
    x = ones()
    with queue.record() as g:
        with pytest.raises(sycl.KernelArgumentError):
            queue.parallel_for(N, program.saxpy, 2.0, x)
        with pytest.raises(sycl.NdRangeError):
            queue.parallel_for(sycl.NdRange((10,), (3,)), program.saxpy, 2.0, x, x)
        with pytest.raises(sycl.BuildError):
            queue.single_task(sycl.Program("kernel void f(global int *x) { nonsense; }").f, np.zeros(1, np.int32))
    assert len(g) == 0
    g.replay().wait()


def test_it_cannot_begin_twice(queue: sycl.Queue) -> None:
    with queue.record() as g:
        pass
    with pytest.raises(sycl.InvalidError) as caught:
        g.__enter__()
    assert str(caught.value) == "record: the recording has begun already: make a new one"
    with pytest.raises(TypeError, match="a recording cannot be pickled"):
        g.__reduce__()
    assert repr(g) == "<pysycl.Recording of 0 commands>"


# -- bodies --


def test_bodies(queue: sycl.Queue) -> None:
    x, y, m = ones(), ones(0), np.ones((10, 100), F)
    with queue.record() as g:
        queue.parallel_for(N, "y[i] += a * x[i];", x=x, y=y, a=2.0)
        queue.parallel_for((10, 100), "m(i0, i1) *= a;", m=m, a=sycl.Parameter("factor", 3.0))
    assert g.parameters == ("x", "y", "a", "m", "factor")
    g.replay(a=5, factor=1).wait()
    assert np.all(y == 5) and np.all(m == 1)
    g.replay().wait()
    assert np.all(y == 7) and np.all(m == 3)
    other = np.ones((20, 100), F)
    g.replay(m=other).wait()
    assert np.all(other[:10] == 3) and np.all(other[10:] == 1)
    with pytest.raises(sycl.InvalidParameterError) as caught:
        g.replay(m=np.ones((100, 10), F))
    assert str(caught.value) == (
        "replay: 'm' has the shape (100, 10), and what was recorded has 100 elements for each index of dimension 0: only "
        "the first dimension may differ"
    )


def test_numbers_of_a_body_keep_their_type(queue: sycl.Queue) -> None:
    y = np.zeros(10, F)
    with queue.record() as g:
        queue.parallel_for(10, "y[i] = n / 2 + a;", y=y, n=5, a=0.5)
    for number, result in ((7, 3.5), (-7, -2.5), (True, 0.5), (np.int64(9), 4.5)):
        g.replay(n=number).wait()
        assert np.all(y == result)
    g.replay(n=4, a=3).wait()
    assert np.all(y == 5)
    y[:] = -1
    for name, number, why in (
        ("n", 2**31, "is out of range for the type int"),
        ("n", 2.5, "is not an integer for the type int"),
        ("a", 2**24 + 1, "would be rounded by the type float: pass a float"),
    ):
        with pytest.raises(sycl.KernelArgumentError, match=f"'{name}', of kernel 'body', {why}"):
            g.replay(**{name: number})
    queue.wait()
    assert np.all(y == -1)
