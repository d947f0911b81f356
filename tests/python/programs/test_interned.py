"""Programs that are pickled: equal ones are one object in a process."""

import pickle

import pysycl as sycl

TEXT = "__kernel void grow(__global int *x) { x[get_global_id(0)]++; }"


def test_a_pickle_of_a_program_that_is_here_is_that_program() -> None:
    program = sycl.Program(TEXT, "-DN=3")
    assert pickle.loads(pickle.dumps(program)) is program
    assert pickle.loads(pickle.dumps(program.grow)).program == program


def test_two_pickles_are_one_program() -> None:
    text = pickle.dumps(sycl.Program(TEXT, "-DN=4"))  # nobody holds it
    assert pickle.loads(text) is pickle.loads(text)
    other = pickle.dumps(sycl.Program(TEXT, "-DN=5"))
    assert pickle.loads(other) is not pickle.loads(text)


def test_operators_and_constants_tell_programs_apart() -> None:
    text = "__kernel void f(__global float *x) { x[0] = group_reduce(work_group, x[0], most) * SPEC(n); }"
    constant = sycl.SpecConstant("f4", 2.0, "n")
    made = [
        sycl.Program(text, spec_constants=[constant], operators={"most": sycl.BinaryOp(op)})
        for op in ("a > b ? a : b", "a >= b ? a : b")
    ]
    found = [pickle.loads(pickle.dumps(program)) for program in made]
    assert found == made
    assert found[0] is not found[1]
