"""Programs: options and constants, build errors, kernels by name, one build per context."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pysycl as sycl

BROKEN = """/* A comment,
   of two lines. */
__kernel void fine(__global int *x)
{
    x[0] = 1;
}
__kernel void broken(__global int *x)
{
    x[0] = no_such_name;
}
"""
PROGRAM = sycl.Program("""
__kernel void set_one(__global int *x) { x[0] = 1; }
__kernel void set_two(__global int *x) { x[0] = 2; }
__kernel void lambda(__global int *x) { x[0] = 3; }
__kernel void build(__global int *x) { x[0] = 4; }
""")


def value_of(queue, expression, dtype, word, **options):
    """What the device makes of an OpenCL C expression."""
    program = sycl.Program(f"__kernel void get(__global {word} *out) {{ out[0] = {expression}; }}", **options)
    out = np.zeros(1, dtype)
    queue.single_task(program.get, out)
    return out[0]


# -- building --


def test_nothing_is_built_before_it_is_needed():
    assert sycl.Program(BROKEN).kernel_names == ("fine", "broken")
    assert sycl.Program(BROKEN).fine.name == "fine"


def test_a_build_error_shows_the_line_and_a_caret(queue):
    program = sycl.Program(BROKEN)
    for _ in range(2):  # then, and every time after
        with pytest.raises(sycl.BuildError) as caught:
            queue.single_task(program.fine, np.zeros(1, np.int32))
        error = caught.value
        lines = str(error).split("\n")
        assert any(re.search(r"kernel\.cl:9\b", line) for line in lines), str(error)
        (at,) = [i for i, line in enumerate(lines) if "x[0] = no_such_name;" in line and "|" in line][:1] or [None]
        assert at is not None, str(error)
        assert lines[at + 1].index("^") == lines[at].index("no_such_name"), str(error)
        assert "no_such_name" in error.build_log
        assert error.api == "clBuildProgram"
        assert error.cl_code == -11
    with pytest.raises(sycl.BuildError):
        program.build(queue.device)


def test_a_failed_build_is_made_once(run_fake):
    """The driver counts: what does not build does not build the second time either."""
    run_fake("""
        from pysycl import _core
        _core.fault_install(sycl.devices()[0].platform._driver_index)
        _core.fault_arm("BuildProgram", 1, -11)
        queue = sycl.Queue()
        for _ in range(3):
            try:
                queue.single_task(program.slow, np.zeros(1, np.uint32), 0, wait=False)
            except sycl.BuildError as error:
                assert error.cl_code == -11
            else:
                raise AssertionError
        assert _core.fault_calls("BuildProgram") == 1, _core.fault_calls("BuildProgram")
        """)


def test_a_build_that_ran_out_of_memory_is_tried_again(run_fake):
    run_fake("""
        from pysycl import _core
        _core.fault_install(sycl.devices()[0].platform._driver_index)
        _core.fault_arm("BuildProgram", 1, -6)
        queue, x = sycl.Queue(), np.zeros(1, np.uint32)
        try:
            queue.single_task(program.slow, x, 0, wait=False)
        except sycl.MemoryAllocationError:
            pass
        else:
            raise AssertionError
        queue.single_task(program.slow, x, 0).wait_and_throw()
        assert x[0] == 1 and _core.fault_calls("BuildProgram") == 2
        """)


def test_two_threads_make_one_build(run_fake):
    run_fake("""
        from concurrent.futures import ThreadPoolExecutor
        from pysycl import _core
        _core.fault_install(sycl.devices()[0].platform._driver_index)
        queues = [sycl.Queue() for _ in range(8)]
        cells = [np.zeros(1, np.uint32) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            events = list(pool.map(lambda q, x: q.single_task(program.slow, x, 0, wait=False), queues, cells))
        sycl.Event.wait_and_throw(events)
        assert [int(x[0]) for x in cells] == [1] * 8
        assert _core.fault_calls("BuildProgram") == 1
        """)


def test_the_compiler_s_words_are_returned(queue):
    log = sycl.Program("#warning beware\n__kernel void k(__global int *x) { x[0] = 1; }").build(queue.device)
    assert isinstance(log, str)
    assert sycl.Program("__kernel void k(__global int *x) { x[0] = 1; }").build(queue.context) is not None


def test_a_program_works_in_several_contexts(device):
    program = sycl.Program("__kernel void add(__global int *x) { x[0] += 1; }")
    x = np.zeros(1, np.int32)
    for context in [sycl.Context(device) for _ in range(3)]:
        sycl.Queue(device, context=context).single_task(program.add, x)
    assert x[0] == 3
    assert program.native(sycl.Context(device)) != program.native(device)


# -- options and constants --


def test_options_reach_the_compiler(queue):
    assert value_of(queue, "N", np.int32, "int", options="-DN=7") == 7
    assert value_of(queue, "N + M", np.int32, "int", options=["-DN=7", "-D M=5"]) == 12
    assert sycl.Program("", options=["-DA", "", "-DB"]).options == "-DA -DB"


def test_options_that_no_driver_knows_are_a_build_error(queue):
    program = sycl.Program("__kernel void k(__global int *x) { x[0] = 1; }", options="-no-such-option")
    with pytest.raises(sycl.BuildError):
        queue.single_task(program.k, np.zeros(1, np.int32))


def test_options_are_checked():
    for options in ([3], ["-DA\0"], "a\0b"):
        with pytest.raises(sycl.InvalidParameterError, match="options: expected strings without NUL"):
            sycl.Program("", options=options)


@pytest.mark.parametrize(
    ("value", "word", "dtype"),
    [
        (7, "int", np.int32), (-7, "int", np.int32), (2**31 - 1, "int", np.int32), (-(2**31), "int", np.int32),
        (2**31, "long", np.int64), (-(2**63), "long", np.int64), (2**63 - 1, "long", np.int64),
        (2**64 - 1, "ulong", np.uint64), (True, "int", np.int32), (np.int8(-3), "int", np.int32),
        (0.1, "double", np.float64), (-0.1, "double", np.float64), (1e300, "double", np.float64),
        (5e-324, "double", np.float64), (-0.0, "double", np.float64), (1 / 3, "double", np.float64),
        (np.float32(0.1), "float", np.float32), (np.float32(1e-45), "double", np.float64), (2.0, "double", np.float64),
    ],
)  # fmt: skip
def test_constants_keep_their_value_to_the_last_bit(queue, value, word, dtype):
    if word == "double" and not queue.device.has("fp64"):
        pytest.skip("no fp64")
    got = value_of(queue, "VALUE", dtype, word, constants={"VALUE": value})
    assert got.tobytes() == dtype(value).tobytes()


def test_negative_constants_keep_their_place_in_an_expression(queue):
    assert value_of(queue, "10 -N", np.int32, "int", constants={"N": -3}) == 13
    assert value_of(queue, "~N", np.int32, "int", constants={"N": -3}) == 2


def test_constants_as_text(queue):
    assert value_of(queue, "OP(3,4)", np.int32, "int", constants={"OP": "max"}) == 4
    assert value_of(queue, "sizeof(T)", np.int32, "int", constants={"T": "ulong"}) == 8


def test_constants_in_signatures(queue):
    program = sycl.Program("__kernel void k(__global T *x) { x[0] = N; }", constants={"T": "short", "N": 5})
    assert program.k.parameters == ("__global short *x",)
    x = np.zeros(1, np.int16)
    queue.single_task(program.k, x)
    assert x[0] == 5
    with pytest.raises(sycl.KernelArgumentError, match="is an array of int32, not of short"):
        queue.single_task(program.k, np.zeros(1, np.int32))


@pytest.mark.parametrize(
    ("constants", "words"),
    [
        ({"1N": 3}, "'1N' is not a name that OpenCL C can define"),
        ({"N M": 3}, "'N M' is not a name"),
        ({"é": 3}, "is not a name"),
        ({3: 3}, "3 is not a name"),
        ({"N": None}, r"constants\['N'\]: expected a number or OpenCL C text, got None"),
        ({"N": [1]}, r"expected a number or OpenCL C text, got \[1\]"),
        ({"N": 1j}, r"expected a number or OpenCL C text, got 1j"),
        ({"N": 2**64}, "18446744073709551616 does not fit in 64 bits"),
        ({"N": -(2**63) - 1}, "does not fit in 64 bits"),
        ({"N": float("inf")}, "inf has no OpenCL C literal; pass 'INFINITY' or 'NAN'"),
        ({"N": float("nan")}, "nan has no OpenCL C literal"),
        ({"N": "a b"}, "'a b' has quotes or spaces, which drivers split"),
        ({"N": 'a"b'}, "has quotes or spaces"),
    ],
)
def test_constants_are_checked(constants, words):
    with pytest.raises(sycl.InvalidParameterError, match=words):
        sycl.Program("", constants=constants)


# -- kernels by name --


def test_kernels_are_attributes():
    assert PROGRAM.set_one.name == "set_one"
    assert PROGRAM.set_one is PROGRAM.set_one
    assert {"set_one", "set_two", "lambda", "build"} <= set(dir(PROGRAM))
    assert PROGRAM.kernel_names == ("set_one", "set_two", "lambda", "build")
    assert repr(PROGRAM) == "<pysycl.Program with set_one, set_two, lambda, build>"
    assert repr(sycl.Program("")) == "<pysycl.Program with no kernels>"


def test_names_that_python_takes_are_found_by_kernel(queue):
    for name, expected in (("lambda", 3), ("build", 4)):
        x = np.zeros(1, np.int32)
        queue.single_task(PROGRAM.kernel(name), x)
        assert x[0] == expected


def test_unknown_kernels_bring_a_hint():
    with pytest.raises(AttributeError, match="the program has no kernel 'set_on': did you mean 'set_one'"):
        _ = PROGRAM.set_on
    with pytest.raises(sycl.InvalidParameterError, match="no kernel 'xyzzy': it has set_one, set_two, lambda, build"):
        PROGRAM.kernel("xyzzy")
    with pytest.raises(sycl.InvalidParameterError, match="has no kernel 'k': it has none"):
        sycl.Program("").kernel("k")
    assert not hasattr(PROGRAM, "__array_interface__")
    assert getattr(PROGRAM, "missing", None) is None


def test_a_kernel_is_not_called():
    with pytest.raises(TypeError, match=r"a kernel is not called but submitted: .*program.set_one, "):
        PROGRAM.set_one(3)
    with pytest.raises(TypeError, match="objects come from a Program"):
        sycl.Kernel()


@pytest.mark.spec("H109")
def test_two_kernels_of_one_name_are_refused():
    with pytest.raises(sycl.InvalidParameterError, match=r"'k'"):
        sycl.Program("__kernel void k(void) {}\n__kernel void k(__global int *x) {}")


def test_sources_are_checked():
    for wrong in (None, 3, b"__kernel void k(void) {}"):
        with pytest.raises(sycl.InvalidParameterError, match="source: expected OpenCL C text, got"):
            sycl.Program(wrong)
    with pytest.raises((sycl.InvalidParameterError, ValueError)):
        sycl.Program("__kernel void k(void) {\0}")


def test_text_that_is_not_ascii(queue):
    program = sycl.Program("/* größer als π */\n__kernel void k(__global int *x) { x[0] = 5; } // é")
    x = np.zeros(1, np.int32)
    queue.single_task(program.k, x)
    assert x[0] == 5
    assert program.source.startswith("/* größer")


def test_programs_travel_as_text(queue):
    program = pickle.loads(
        pickle.dumps(sycl.Program("__kernel void k(__global int *x) { x[0] = N; }", constants={"N": 9}))
    )
    x = np.zeros(1, np.int32)
    queue.single_task(program.k, x)
    assert x[0] == 9


def test_a_kernel_keeps_its_program(queue):
    kernel = sycl.Program("__kernel void k(__global int *x) { x[0] = 5; }").k
    x = np.zeros(1, np.int32)
    queue.single_task(kernel, x)
    assert x[0] == 5


def test_programs_that_go_leave_nothing(device, live_counts):
    def use():
        program = sycl.Program("__kernel void gone(__global int *x) { x[0] = 5; }")
        with sycl.Queue(device) as queue:
            queue.single_task(program.gone, np.zeros(1, np.int32))

    use()
    before = live_counts.quiet()
    for _ in range(3):
        use()
    assert live_counts.settled(before) == before


@pytest.mark.parametrize("workers", [8])
def test_threads_launch_one_kernel_without_mixing_arguments(queue, workers):
    """Arguments are set on a kernel object and taken at the enqueue: two threads must never share one."""
    program = sycl.Program("__kernel void put(__global int *out, int a, int b) { out[0] = a; out[1] = b; }")

    def work(me):
        out = np.zeros(2, np.int32)
        for k in range(200):
            queue.single_task(program.put, out, me, k)
            assert out.tolist() == [me, k]

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
