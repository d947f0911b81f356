"""What launches of kernels with reducers refuse: reductions that are not what the kernel's text says. What the text itself
cannot say is refused when the program is made (tests/c/body/test_reduce_program.c)."""

import numpy as np
import pytest

import pysycl as sycl

SOURCE = """
typedef struct { float value; int index; } pair;
kernel void sums(global const float *x, reducer(float, plus) total, reducer(float4, plus) four)
{
    total += x[get_global_id(0)];
    four += (float4)(1);
}
kernel void arrays(reducer(float, plus) bins[], reducer(pair, least) best, reducer(int, logical_and) all)
{
    const pair own = {1, 2};
    bins[0] += 1;
    best.combine(own);
    all.combine(1);
}
"""
PAIR = np.dtype([("value", "f4"), ("index", "i4")])
NUMBER = np.dtype([("value", "f8"), ("index", "i8")])
LEAST = sycl.BinaryOp("b.value < a.value ? b : a", identity=np.array((np.inf, -1), PAIR)[()])
OTHER = sycl.BinaryOp("b.value > a.value ? b : a", identity=np.array((np.inf, -1), PAIR)[()], name="most")
WITHOUT = sycl.BinaryOp("b.value   < a.value\n ? b : a")


@pytest.fixture(scope="module")
def program():
    return sycl.Program(SOURCE, operators={"least": LEAST})


def one(dtype=np.float32):
    return sycl.Buffer(np.zeros(1, dtype))


def refused(kind, queue, kernel, make, n=8):
    """The first line of what is said of the arguments that `make(h)` gives."""
    with pytest.raises(kind) as caught, queue.submit() as h:
        h.parallel_for(n, kernel, *make(h))
    return str(caught.value).splitlines()[0]


X = np.zeros(8, np.float32)
SUMS = [
    (lambda h: (X, X, X), "argument 2, 'total', is no reduction, and the kernel has a reducer there: pass "
     "sycl.reduction(variable, h, plus)"),
    (lambda h: (sycl.reduction(one(), h, sycl.plus), X, X), "argument 1, 'x', is a reduction, and 'global const float "
     "*x' is no reducer: declare it as reducer(T, op) x"),
    (lambda h: (X, sycl.reduction(one(np.float64), h, sycl.plus), X), "argument 2, 'total', is a reduction of float64, "
     "and the kernel's is of float"),
    (lambda h: (X, sycl.reduction(one(np.int32), h, sycl.plus), X), "argument 2, 'total', is a buffer of int32, not of "
     "float"),
    (lambda h: (X, sycl.reduction(one(), h, sycl.maximum), X), "argument 2, 'total', is a reduction by maximum, and the "
     "kernel combines by plus"),
    (lambda h: (X, sycl.reduction(one(), h, sycl.BinaryOp("a + b", identity=0, name="add")), X), "argument 2, 'total', is a "
     "reduction by add, and the kernel combines by plus"),
    (lambda h: (X, sycl.reduction(h.read_write(sycl.Buffer(X)), sycl.plus), X), "argument 2, 'total', is a reduction of "
     "an array, and the kernel's reducer is of one variable: declare it as reducer(float, plus) total[]"),
    (lambda h: (X, sycl.reduction(one(), h, sycl.plus), sycl.reduction(one(), h, sycl.plus)), "argument 3, 'four', is a "
     "reduction of float32, and the kernel's is of float4"),
    (lambda h: (X,), "takes 3 arguments, 1 given"),
]  # fmt: skip
ARRAYS = [
    (lambda h: (sycl.reduction(one(), h, sycl.plus),) * 3, "argument 1, 'bins', is a reduction of one variable, and the "
     "kernel's reducer, reducer(float, plus) bins[], is of an array: pass a span"),
    (lambda h: (bins(h), sycl.reduction(one(PAIR), h, OTHER), X), "argument 2, 'best', is a reduction by most, "
     "'b.value > a.value ? b : a', and the kernel combines by least, 'b.value < a.value ? b : a'"),
    (lambda h: (bins(h), sycl.reduction(one(NUMBER), h, LEAST, identity=(0, 0)), X), "argument 2, 'best', is a "
     "reduction of [('value', '<f8'), ('index', '<i8')], and the kernel's is of pair"),
    (lambda h: (bins(h), sycl.reduction(one(np.uint32), h, sycl.logical_and), X), "argument 2, 'best', is a reduction by "
     "logical_and, 'a && b', and the kernel combines by least, 'b.value < a.value ? b : a'"),
]  # fmt: skip


def bins(h):
    return sycl.reduction(h.read_write(sycl.Buffer(np.zeros(4, np.float32))), sycl.plus)


@pytest.mark.spec("D042", "D043", "D070")
@pytest.mark.parametrize(("make", "message"), SUMS)
def test_what_no_variable_can_be(queue, program, make, message):
    assert refused(sycl.KernelArgumentError, queue, program.sums, make) == f"sums(): {message}"


@pytest.mark.spec("D042", "D043", "D070")
@pytest.mark.parametrize(("make", "message"), ARRAYS)
def test_what_no_array_can_be(queue, program, make, message):
    assert refused(sycl.KernelArgumentError, queue, program.arrays, make) == f"arrays(): {message}"


@pytest.mark.spec("D039", "D061")
def test_an_identity_that_the_operator_has(queue, program):
    def make(h):
        with pytest.warns(sycl.SyclWarning, match="has no identity"):
            best = sycl.reduction(one(PAIR), h, WITHOUT)
        return bins(h), best, sycl.reduction(one(np.int32), h, sycl.logical_and)

    assert refused(sycl.KernelArgumentError, queue, program.arrays, make) == (
        "arrays(): argument 2, 'best', has no identity, which the kernel's operator least has: give identity="
    )


@pytest.mark.spec("D038", "D155")
@pytest.mark.parametrize("n", [0, 8])
def test_variables_that_are_used_twice(queue, program, n):
    """By two reducers, and by another argument."""
    four = np.dtype([(f"s{k}", np.float32) for k in range(4)])
    memory = sycl.Buffer(np.zeros(4, np.float32))

    def twice(h):
        other = memory.reinterpret(four)
        return X, sycl.reduction(memory[1:2], h, sycl.plus), sycl.reduction(other, h, sycl.plus)

    def besides(h):
        return memory, sycl.reduction(memory[1:2], h, sycl.plus), sycl.reduction(one(four), h, sycl.plus)

    assert refused(sycl.InvalidError, queue, program.sums, twice, n) == (
        "sums(): 'total' and 'four' are reductions of the same variable: each must have one of its own"
    )
    assert refused(sycl.InvalidError, queue, program.sums, besides, n) == (
        "sums(): 'total' is a reduction of a variable that 'x' leads to as well: the kernel may not touch it in another "
        "way"
    )


def test_a_single_task_has_no_reductions(queue, program):
    with queue.submit() as h:
        r = (X, sycl.reduction(one(), h, sycl.plus), X)
        with pytest.raises(sycl.InvalidError) as caught:
            h.single_task(program.sums, *r)
    assert str(caught.value) == "kernel 'sums' has reducers, and a single task has no reductions: use parallel_for"
