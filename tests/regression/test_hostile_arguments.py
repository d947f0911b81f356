"""Arguments whose conversion runs Python code crashed the process, or their own exceptions were swallowed.

An `__index__`, a `__float__`, an iterator of events may change the very list that is being read, end the command group,
or raise. So may code that gets hold of a half-made object, and tuples that are made past their class.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import pysycl as sycl

PRELUDE = """
import gc, threading
import numpy as np
import pysycl as sycl

program = sycl.Program('''
__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }
__kernel void add4(__global float4 *x, float4 a) { x[get_global_id(0)] += a; }
__kernel void shared(__global float *x, __local float *t) { t[0] = 1; x[0] = t[0]; }
''')
queue, x = sycl.Queue(), np.zeros(64, np.float32)

def raised(call, *args, **options):
    try:
        call(*args, **options)
    except BaseException as error:
        return error
"""

CRASHES = {
    "a range that empties itself": """
        class Clears:
            def __index__(self):
                sizes.clear()
                return 4
        sizes = []
        sizes += [Clears(), 4, 4]
        queue.parallel_for(sizes, program.add, x, 1.0).wait_and_throw()
        assert (x[:4] >= 1).all() and not x[4:].any(), x  # the items of one row race for their element
        """,
    "a vector that empties itself": """
        class Clears:
            def __float__(self):
                numbers.clear()
                return 1.0
        numbers = []
        numbers += [Clears() for _ in range(4)]
        queue.parallel_for(1, program.add4, x, numbers).wait_and_throw()
        assert (x[:4] == 1).all(), x
        """,
    "tuples made past their class": """
        for made in (tuple.__new__(sycl.LocalAccessor, ()), sycl.LocalAccessor("abc"), sycl.LocalAccessor((-1, "f", 4))):
            assert type(raised(queue.single_task, program.shared, x, made)) is sycl.KernelArgumentError
        error = raised(queue.parallel_for, tuple.__new__(sycl.NdRange, ()), program.add, x, 1.0)
        assert type(error) is sycl.NdRangeError, error
        """,
    "local memory whose sum wraps round": """
        three = sycl.Program("__kernel void k(__local char *a, __local char *b, __local char *c) { a[0] = b[0] = c[0]; }")
        most = sycl.local(2**63 - 1, "u1")
        error = raised(queue.single_task, three.k, most, most, most)
        assert type(error) is sycl.KernelArgumentError, error
        """,
    "events that end the group": """
        handler = queue.submit()
        def events():
            handler.__exit__(None, None, None)
            yield sycl.Event()
        assert type(raised(handler.depends_on, events())) is sycl.InvalidError
        """,
    "a group that another thread ends": """
        import sys
        sys.setswitchinterval(1e-6)
        latest, stop = [None], threading.Event()
        def end():
            while not stop.is_set():
                if latest[0] is not None:
                    latest[0]._discard()
        thread = threading.Thread(target=end)
        thread.start()
        for _ in range(3000):
            latest[0] = handler = queue.submit()
            try:
                handler.parallel_for(64, program.add, x, 1.0)
                handler._submit()
            except sycl.InvalidError:
                pass
        stop.set()
        thread.join()
        queue.wait_and_throw()
        """,
    "finalisers of objects that could not be made": """
        class Queue(sycl.Queue):
            def __del__(self):
                repr(self)
        class Program(sycl.Program):
            def __del__(self):
                repr(self)
        device = sycl.Device()
        try:
            halves = device.create_sub_devices("partition_by_counts", [1])
        except sycl.FeatureNotSupportedError:
            halves = []
        for half in halves[:1]:
            error = raised(Queue, device, context=sycl.Context(half))
            assert type(error) is sycl.InvalidObjectError, error
        assert type(raised(Program, "\\0")) is sycl.InvalidParameterError
        """,
    "an option without its value": """
        for options in ("-D", "-w -D", ["-I"]):
            assert type(raised(sycl.Program, "__kernel void k(void) {}", options)) is sycl.InvalidParameterError
        """,
}


@pytest.mark.parametrize("what", CRASHES)
def test_the_process_survives(run_python: Callable[..., Any], what: str) -> None:
    lines = [line.removeprefix("        ") for line in CRASHES[what].splitlines()]
    run_python(PRELUDE + "\n".join(lines))


class Raises:
    """Every conversion raises what the caller's own code might, Ctrl-C among it."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> float:
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_exception_of_the_argument_s_own_code_arrives(queue: sycl.Queue, error: type[BaseException]) -> None:
    program = sycl.Program(
        "__kernel void one(__global float *x) { x[0] = 1; }__kernel void four(__global float4 *x, float4 a) { x[0] = a; }"
    )
    x = np.zeros(4, np.float32)
    for sizes in (Raises(error), (Raises(error), 2), [2, Raises(error)]):
        with pytest.raises(error):
            queue.parallel_for(sizes, program.one, x)
    with pytest.raises(error):
        queue.single_task(program.four, x, Raises(error))
    with pytest.raises(error):
        queue.single_task(program.one, x, depends_on=(Raises(error)[0] for _ in range(1)))


def test_a_refusal_tells_the_exporter_s_reason(queue: sycl.Queue) -> None:
    program = sycl.Program("__kernel void one(__global float *x) { x[0] = 1; }")
    view = memoryview(bytearray(16)).cast("f")
    view.release()
    with pytest.raises(sycl.KernelArgumentError, match="cannot be shared: operation forbidden on released memoryview"):
        queue.single_task(program.one, view)
    with pytest.raises(sycl.KernelArgumentError, match="cannot be shared: cannot include dtype 'M'"):
        queue.single_task(program.one, np.zeros(4, "M8[s]"))


def test_an_array_that_overlaps_itself_is_read_only_to_kernels(queue: sycl.Queue) -> None:
    """Each element was written to a copy, and the copies back over one another."""
    program = sycl.Program(
        "__kernel void add(__global float *x) { x[get_global_id(0)] += 1; }"
        "__kernel void sum(__global const float *x, __global float *y)"
        "{ float s = 0; for (int i = 0; i < 12; i++) s += x[i]; y[0] = s; }"
    )
    whole, y = np.arange(6, dtype=np.float32), np.zeros(1, np.float32)
    for twice in (
        as_strided(whole, (8,), (0,), writeable=True),
        sliding_window_view(whole, 3, writeable=True),
        sliding_window_view(whole, 3, writeable=True).T[::-1],
    ):
        with pytest.raises(sycl.KernelArgumentError, match="elements overlap in memory"):
            queue.parallel_for(8, program.add, twice)
    windows = sliding_window_view(whole, 3)
    queue.single_task(program.sum, windows, y).wait_and_throw()
    assert y[0] == windows.sum()
    cube = np.zeros((4, 3, 5), np.float32)
    for apart in (cube.T, cube[::-1, :, ::2], cube[:, 1:2, ::-1].transpose(1, 2, 0), cube[:, :, :1]):
        queue.parallel_for(apart.size, program.add, apart).wait_and_throw()
    assert cube[0, 1, 4] == 3 and cube[0, 0, 0] == 3, cube


def test_a_range_whose_product_wraps_round_is_refused(queue: sycl.Queue) -> None:
    """PoCL took 2**80 for no work at all."""
    program = sycl.Program("__kernel void one(__global float *x) { x[0] = 1; }")
    x = np.zeros(1, np.float32)
    for range_ in ((2**40, 2**40), sycl.NdRange((2**40, 2**40), (1, 1)), (2**22, 2**21, 2**21)):
        with pytest.raises(sycl.NdRangeError, match="does not fit in 64 bits"):
            queue.parallel_for(range_, program.one, x)
    queue.parallel_for((2**40, 2**40, 0), program.one, x)
    assert x[0] == 0


def test_a_kernel_s_name_is_taken_as_a_whole() -> None:
    program = sycl.Program("__kernel void one(__global float *x) { x[0] = 1; }")
    for name in ("one\0", "one\0two", None, 1, b"one"):
        with pytest.raises(sycl.InvalidParameterError):
            program.kernel(name)  # type: ignore[arg-type]


def test_events_and_kernels_can_be_copied_and_kernels_pickled(queue: sycl.Queue) -> None:
    import copy
    import pickle

    program = sycl.Program("__kernel void one(__global float *x) { x[0] = 1; }")
    event = queue.single_task(program.one, np.zeros(1, np.float32))
    for shared in (event, program.one):
        assert copy.copy(shared) is shared and copy.deepcopy([shared])[0] is shared
    assert pickle.loads(pickle.dumps(program.one)).signature == program.one.signature
    with pytest.raises(TypeError, match="an event cannot be pickled"):
        pickle.dumps(event)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sycl.make_queue(5, 3), "context: expected a Context, got 3"),  # type: ignore[arg-type]
        (lambda: sycl.make_event(5, "x"), "context: expected a Context, got 'x'"),  # type: ignore[arg-type]
        (lambda: sycl.make_buffer(5, None), "context: expected a Context, got None"),  # type: ignore[arg-type]
        (lambda: sycl.make_sampler(5, 1.5), "context: expected a Context, got 1.5"),  # type: ignore[arg-type]
        (lambda: sycl.sum([1, 2], dtype="zz", map="x"), "dtype: data type 'zz' not understood"),
        (lambda: sycl.cumsum([1, 2], dtype=float("inf")), "dtype: Cannot interpret 'inf'"),
        (lambda: sycl.local(3, "zz"), "dtype: data type 'zz'"),
        (lambda: sycl.sort([2, 1], axis=np.array([0, 0])), "axis: expected None or an int, got array"),
        (lambda: sycl.cummax([2, 1], axis=np.zeros(0, int)), "axis: expected None or an int"),
        (lambda: sycl.mean([1.0], map="x", accuracy=np.zeros(2)), "accuracy: expected one of fast"),
        (lambda: sycl.std([1.0], map="x", determinism=np.zeros(0)), "determinism: expected one of any"),
        (lambda: sycl.is_property_of("in_order", 4), "cls: expected a class, got 4"),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_kind_are_told_by_name(call, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((sycl.InvalidParameterError, TypeError)) as told:
        call()
    assert words in str(told.value) and "_core" not in str(told.value)
