"""What reductions refuse: at reduction() what the variable or operator cannot be, and in a body what a reducer cannot do,
at its place in the text."""

import numpy as np
import pytest

import pysycl as sycl


def one(dtype=np.float32, value=0):
    return sycl.Buffer(np.array([value], dtype))


def submit(queue, text, **ops):
    """A body over reducers of these operators, of a variable each."""
    with queue.submit() as h:
        given = {
            name: sycl.reduction(one(np.dtype(op.dtype or np.float32)), h, op) if hasattr(op, "dtype") else op(h)
            for name, op in ops.items()
        }
        h.parallel_for(8, text, **given)


def refused(kind, queue, text, **ops):
    with pytest.raises(kind) as caught:
        submit(queue, text, **ops)
    return str(caught.value).splitlines()[0]


@pytest.mark.spec("D062", "D070", "D071", "D072", "D073", "D170")
@pytest.mark.parametrize(
    ("text", "op", "message"),
    [
        ("r += 1;", sycl.maximum, "1:1: the reducer 'r' combines by maximum, and not by '+=': use r.combine(value)"),
        ("\n r *= 2;", sycl.plus, "2:2: the reducer 'r' combines by plus, and not by '*=': use r.combine(value)"),
        ("r -= 2;", sycl.plus, "1:1: the reducer 'r' combines by plus, and not by '-=': use r.combine(value)"),
        ("r++;", sycl.plus, "1:1: the reducer 'r' is of float, and '++' is for integers: use r.combine(1)"),
        ("--r;", sycl.plus[np.int32], "1:3: the reducer 'r' combines by plus, and not by '--': use r.combine(value)"),
        ("r |= 1;", sycl.bit_and[np.int32], "1:1: the reducer 'r' combines by bit_and, and not by '|=': use "
         "r.combine(value)"),
        ("float x = r;", sycl.plus, "1:11: the reducer 'r' can be neither read nor set, only combined with values: use "
         "r.combine(value)"),
        ("r += 1; r += r;", sycl.plus, "1:14: the reducer 'r' can be neither read nor set, only combined with values: "
         "use r.combine(value)"),
        ("r.combine(r);", sycl.plus, "1:11: the reducer 'r' can be neither read nor set, only combined with values: use "
         "r.combine(value)"),
        ("r[0] += 1;", sycl.plus, "1:1: the reducer 'r' is of one variable: it has no elements"),
        ("r.combine();", sycl.plus, "1:1: the reducer 'r' is combined with nothing: a value is missing"),
        ("#define A r += 1\nA;", sycl.plus, "1:11: the reducer 'r' cannot be named in a directive or macro"),
    ],
)  # fmt: skip
def test_what_a_reducer_cannot_do(queue, text, op, message):
    assert refused(sycl.BuildError, queue, text, r=op) == f"body:{message}"


def test_a_reducer_that_is_not_used(queue):
    message = refused(sycl.KernelArgumentError, queue, "total += 1;", total=sycl.plus, top=sycl.maximum)
    assert message == "body: the reducer 'top' is given, and the text combines nothing with it"


def test_where_there_are_no_reductions(queue):
    with queue.submit() as h:
        total = sycl.reduction(one(), h, sycl.plus)
        with pytest.raises(sycl.InvalidError, match="a single task has no reductions: use parallel_for"):
            h.single_task("r += 1;", r=total)


@pytest.mark.spec("D038", "D155")
def test_a_variable_that_is_used_twice(queue):
    total = one()
    message = refused(
        sycl.InvalidError,
        queue,
        "a += 1; b.combine(2);",
        a=lambda h: sycl.reduction(total, h, sycl.plus),
        b=lambda h: sycl.reduction(total, h, sycl.maximum),
    )
    assert message == "body(): 'a' and 'b' are reductions of the same variable: each must have one of its own"
    message = refused(
        sycl.InvalidError,
        queue,
        "a += x[0];",
        a=lambda h: sycl.reduction(total, h, sycl.plus),
        x=lambda h: h.read(total),
    )
    assert message == (
        "body(): 'a' is a reduction of a variable that 'x' leads to as well: the kernel may not touch it in another way"
    )


@pytest.mark.spec("D045", "D048", "D061", "D161")
def test_what_a_reduction_cannot_be_of(queue):
    two, wrong = sycl.Buffer(np.zeros(2, np.float32)), sycl.InvalidParameterError
    op = sycl.BinaryOp("a * b + a + b")
    with queue.submit() as h:
        with pytest.raises(wrong, match="a buffer of one element is one variable, and this one has 2") as caught:
            sycl.reduction(two, h, sycl.plus)
        assert caught.value.code is sycl.Errc.invalid
        for given, words in [
            ((two, h, sycl.plus), "var: a buffer of one element is one variable, and this one has 2"),
            ((one(), sycl.plus), "handler: a buffer's reduction belongs to a command group"),
            ((one(), h, sycl.bit_or), "op: bit_or is not defined for float32"),
            ((one(), h, sycl.plus[np.int32]), "is of another type than the variable, which is of float32"),
            ((one(), h, "plus"), "op: expected a function object such as plus, or a BinaryOp, got 'plus'"),
            ((3, sycl.plus), "var: expected a Buffer, a UsmArray, a span or an Accessor, got 3"),
            ((h.read(one()), sycl.plus), "var: an accessor of mode read; a reduction takes read_write"),
            ((sycl.Accessor(one()), sycl.plus), "var: a placeholder, which belongs to no command group"),
        ]:
            with pytest.raises(wrong) as caught:
                sycl.reduction(*given)
            assert words in str(caught.value)
        with pytest.raises(wrong, match="initialize_to_identity needs one, none is given, and none of BinaryOp"):
            sycl.reduction(one(), h, op, initialize_to_identity=True)
        with pytest.raises(wrong, match="initialize_to_identity needs one, none is given, and none of logical_and"):
            sycl.reduction(one(np.int32), h, sycl.logical_and, initialize_to_identity=True)
        with pytest.raises(wrong, match="identity: 300 is no value of uint8"):
            sycl.reduction(one(np.uint8), h, sycl.plus, identity=300)
