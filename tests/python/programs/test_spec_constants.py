"""Specialization constants: bad input, where errors are told, and threads that share variants."""

import pickle
import re
import threading

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

ADD = "__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }"
POINT = np.dtype([("a", "f4"), ("b", "i4")])


@pytest.fixture
def context(queue):
    return queue.context


def exactly(message):
    return f"^{re.escape(message)}$"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("U4",), "dtype: <U4 has no counterpart in OpenCL C"),
        ((">f4",), "dtype: >f4 has no counterpart in OpenCL C"),
        (("c8",), "dtype: complex64 has no counterpart in OpenCL C"),
        (([("a b", "f4")],), "dtype: the field 'a b' is no name in OpenCL C"),
        (([("a", "O")],), "dtype: object has no counterpart in OpenCL C"),
        (("i1", 300), "default: 300 is no int8 of specialization constant without a name"),
        (("i4", 1.5, "n"), "default: 1.5 does not fit in the int32 of specialization constant 'n'"),
        (("f4", "much"), "default: 'much' is no float32 of specialization constant without a name"),
        (("f4", 1, "a-b"), "name: expected a name that OpenCL C can define, got 'a-b'"),
        (("f4", 1, "é"), "name: expected a name that OpenCL C can define, got 'é'"),
        (("f4", 1, "TYPE_a"), "name: 'TYPE_a' would make SPEC_TYPE_a, which is a word of pysycl's own"),
    ],
)
def test_constants(arguments, message):
    with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(message)}"):
        sycl.SpecConstant(*arguments)


def test_values(context):
    table = sycl.SpecConstant("i4", np.zeros((2, 2), int), "table")
    point = sycl.SpecConstant(POINT, name="point")
    bundle = sycl.KernelBundle(sycl.Program(ADD, spec_constants=[table, point]), context)
    for constant, value, message in (
        (table, 5, "value: specialization constant 'table' has shape (2, 2), got ()"),
        (table, np.zeros((2, 3)), "value: specialization constant 'table' has shape (2, 2), got (2, 3)"),
        (table, np.full((2, 2), 0.5), "value: array([[0.5, 0.5],"),
        (point, np.zeros(3, POINT), "value: specialization constant 'point' has shape (), got (3,)"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(message)}"):
            bundle.set_specialization_constant(constant, value)
    bundle.set_specialization_constant(table, [[1, 2], [3, 4]])
    assert bundle.get_specialization_constant(table).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ([5], "spec_constants: expected SpecConstants, got 5"),
        ({"a": 5}, "spec_constants: expected SpecConstants, got 5"),
        ([sycl.SpecConstant("f4")], "spec_constants: a constant has no name; give it one, or a mapping of names"),
        ({"a b": sycl.SpecConstant("f4")}, "name: expected a name that OpenCL C can define, got 'a b'"),
        (
            [sycl.SpecConstant("f4", name="a"), sycl.SpecConstant("f4", name="a")],
            "spec_constants: two constants are called 'a'",
        ),
    ],
)
def test_constants_of_a_program(constants, message):
    with pytest.raises(sycl.InvalidParameterError, match=exactly(message)):
        sycl.Program(ADD, spec_constants=constants)


def test_a_program_tells_its_constants():
    named, nameless = sycl.SpecConstant("f4", 1, "a"), sycl.SpecConstant("i4", 2)
    program = sycl.Program(ADD, spec_constants={"a": named, "n": nameless})
    assert program.spec_constants == {"a": named, "n": nameless}
    assert program.add.program.spec_constants == {"a": named, "n": nameless}
    assert nameless.name == "n" and repr(nameless) == "<pysycl.SpecConstant 'n' of int32>"
    assert pickle.loads(pickle.dumps(program)).spec_constants == {"a": named, "n": nameless}
    around = sycl.Program.from_int_ptr(program.int_ptr)  # has their values, and not its text
    with pytest.raises(TypeError, match="cannot be pickled: only a program of plain text can be made again elsewhere$"):
        pickle.dumps(around)
    assert pickle.loads(pickle.dumps(sycl.Program(ADD, "-DA"))).options == "-DA"


def test_a_constant_that_the_program_lacks_is_named(context):
    program = sycl.Program("__kernel void k(__global int *x) { x[0] = SPEC(nothing); }")
    with pytest.raises(sycl.BuildError, match="SPEC_nothing"):
        program.build(context)


def test_errors_behind_constants_are_in_the_user_s_lines(context):
    constant = sycl.SpecConstant(POINT, name="point")
    text = "\n\n__kernel void k(__global float *x)\n{\n    x[0] = SPEC(point).a + oops;\n}\n"
    with pytest.raises(sycl.BuildError) as error:
        sycl.Program(text, spec_constants=[constant]).build(context)
    assert "kernel.cl:5" in str(error.value) and "    x[0] = SPEC(point).a + oops;" in str(error.value)


def test_threads_share_variants(queue):
    step = sycl.SpecConstant("f4", 1, "step")
    program = sycl.Program(ADD.replace("+= a", "+= SPEC(step)"), spec_constants=[step])
    failures = []

    def work(number):
        try:
            for turn in range(4):
                x, value = np.zeros(4, np.float32), (number + turn) % 2 + 1
                with queue.submit() as h:
                    h.set_specialization_constant(step, value)
                    h.parallel_for(4, program.add, x, 0.0)
                h.event.wait_and_throw()
                assert x.tolist() == [value] * 4
        except BaseException as error:
            failures.append(error)

    workers = 1 if not queue.device._facts["thread_safe"] else 6
    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len({id(each) for each in _core.program_constants(program)}) == 1


@pytest.mark.parametrize(
    ("error", "body", "given", "message"),
    [
        (sycl.InvalidObjectError, "x[i] = 1;", [], "body: it does not name the specialization constant SPEC(step)"),
        (
            sycl.InvalidParameterError,
            "x[i] = SPEC(step);",
            ["step"],
            "two specialization constants of the body are called 'step'",
        ),
    ],
)
def test_constants_of_a_body(queue, error, body, given, message):
    step = sycl.SpecConstant("f4", 1, "step")
    x = np.zeros(4, np.float32)
    other = {name: sycl.SpecConstant("i4", 2) for name in given}

    def group(h):
        h.set_specialization_constant(step, 3)
        h.parallel_for(4, body, x=x, **other)

    with pytest.raises(error) as caught:
        queue.submit(group)
    assert str(caught.value) == message


def test_a_nameless_constant_takes_the_name_that_a_body_gives_it(queue):
    constant, x = sycl.SpecConstant("i4", 5), np.zeros(4, np.int32)

    def group(h):
        h.set_specialization_constant(constant, 6)
        h.parallel_for(4, "x[i] = SPEC(five);", x=x)

    with pytest.raises(sycl.InvalidParameterError) as caught:
        queue.submit(group)
    assert str(caught.value) == (
        "the command group sets a specialization constant without a name: give it to the body by one, name=constant"
    )
    with queue.submit() as h:
        h.set_specialization_constant(constant, 6)
        h.parallel_for(4, "x[i] = SPEC(five);", x=x, five=constant)
    h.event.wait_and_throw()
    assert x.tolist() == [6] * 4 and constant.name == "five"
    queue.parallel_for(4, "x[i] = SPEC(five);", x=x, five=constant).wait_and_throw()
    assert x.tolist() == [5] * 4


def test_a_body_s_text_is_made_once_for_each_value(run_fake):
    run_fake(
        """
        from pysycl import _core
        queue, cells = sycl.Queue(), np.zeros(4, np.uint32)
        constant = sycl.SpecConstant("u4", 1, "step")
        def launch(value):
            with queue.submit() as h:
                h.set_specialization_constant(constant, value)
                h.single_task("for (uint x = SPEC(step);;) y[0] = n;", y=cells, n=np.uint32(4), name="bump")
            h.event.wait_and_throw()
        _core.fault_install(0)
        for builds, value in enumerate([1, 2, 3], 1):
            for _ in range(3):
                launch(value)
            assert _core.fault_calls("BuildProgram") == builds, _core.fault_calls("BuildProgram")
        launch(1)
        assert _core.fault_calls("BuildProgram") == 3
        _core.bodies_clear()
        assert _core.live_counts()["body"] == 0
        """
    )
