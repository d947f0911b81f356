"""What reductions refuse: at reduction() what the variable or operator cannot be, and in a body what a reducer cannot do,
at its place in the text."""

import numpy as np
import pytest

import pysycl as sycl

MINE = sycl.BinaryOp("a + b", 0, name="mine")


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
        ("r++;", sycl.multiplies[np.int32], "1:1: the reducer 'r' combines by multiplies, and not by '++': use "
         "r.combine(value)"),
        ("++r;", sycl.bit_xor[np.int32], "1:3: the reducer 'r' combines by bit_xor, and not by '++': use r.combine(value)"),
        ("r++;", sycl.plus[np.bool_], "1:1: the reducer 'r' is of bool, and '++' is for integers: use r.combine(1)"),
        ("r += 1;", sycl.minimum, "1:1: the reducer 'r' combines by minimum, and not by '+=': use r.combine(value)"),
        ("r += 1;", lambda h: sycl.reduction(one(), h, MINE), "1:1: the reducer 'r' combines by mine, and not by '+=': use "
         "r.combine(value)"),
        ("r ^= 1;", sycl.bit_or[np.int32], "1:1: the reducer 'r' combines by bit_or, and not by '^=': use "
         "r.combine(value)"),
        ("r &= 1;", sycl.bit_xor[np.int32], "1:1: the reducer 'r' combines by bit_xor, and not by '&=': use "
         "r.combine(value)"),
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
        ("#define A r\nA = 1;", sycl.plus, "2:1: the reducer 'r' combines by plus, and not by '=': use r.combine(value)"),
    ],
)  # fmt: skip
def test_what_a_reducer_cannot_do(queue, text, op, message):
    assert refused(sycl.BuildError, queue, text, r=op) == f"body:{message}"


def test_a_reducer_that_is_not_used(queue):
    message = refused(sycl.KernelArgumentError, queue, "total += 1;", total=sycl.plus, top=sycl.maximum)
    assert message == "body: the reducer 'top' is given, and the text combines nothing with it"


def into(queue, text, shape=4, n=8):
    """An array of zeros that is combined into."""
    buffer = sycl.Buffer(np.zeros(shape, np.int32))
    with queue.submit() as h:
        h.parallel_for(n, text, r=sycl.reduction(h.read_write(buffer), sycl.plus))
    return np.asarray(buffer)


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ("r[4] += 1;", 4, "4 variables, and the text combines into r[4]"),
        ("int k = 1; if (i) r[1]++; { r[2 * 3 + 1].combine(k); }", 7, "7 variables, and the text combines into r[7]"),
        ("++r[0][2];", (3, 2), "3 x 2 variables, and the text combines into r[0][2]"),
    ],
)
def test_a_constant_beyond_an_array(queue, text, shape, said):
    with pytest.raises(sycl.KernelArgumentError) as caught:
        into(queue, text, shape)
    assert str(caught.value).splitlines()[0] == f"body(): the reducer 'r' is of an array of {said}"


def test_a_constant_beyond_a_programs_array(queue):
    program = sycl.Program("kernel void sums(reducer(int, plus) bins[])\n{\n    bins[7] += 1;\n}")
    memory = sycl.malloc_shared(4, np.int32, queue)
    with pytest.raises(sycl.KernelArgumentError) as caught, queue.submit() as h:
        h.parallel_for(8, program.sums, sycl.reduction(sycl.span(memory), h, sycl.plus))
    assert str(caught.value).splitlines()[0] == (
        "sums(): the reducer 'bins' is of an array of 4 variables, and the text combines into bins[7]"
    )


def test_a_constant_that_no_item_may_come_to(queue):
    """Conditions, loops, choices and jumps in front of it, and ranges without items: nothing is refused that may be right."""
    text = """
    if (n0 > 100) r[4] += 1; else r[0] += 1;
    if (n0 > 100) { { r[5] += 1; } }
    for (int k = 0; k < (int)n0 - 8; k++) r[6]++;
    switch (n0) { case 9: r[7] += 1; }
    n0 > 100 ? r[8].combine(1) : r[1].combine(1);
    """
    assert into(queue, text).tolist() == [8, 8, 0, 0]
    assert into(queue, "if (n0 == 8) return; r[4] += 1;").tolist() == [0] * 4
    assert into(queue, "r[4] += 1;", n=0).tolist() == [0] * 4


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
            ((np.zeros(2), sycl.plus), "this one has 2 elements: pass one of them, as x[:1], or span(x, 2)"),
            ((3, sycl.plus), "var: expected a Buffer, a UsmArray, a NumPy array, a span or an Accessor, got 3"),
            (
                (sycl.Accessor(one(), h, "read_write", target="host_task"), sycl.plus),
                "var: an accessor for host_task, and a reduction runs on the device",
            ),
            ((h.read(one()), sycl.plus), "var: an accessor of mode read; a reduction takes read_write"),
            ((sycl.Accessor(one()), sycl.plus), "var: a placeholder, which belongs to no command group"),
        ]:
            with pytest.raises(wrong) as caught:
                sycl.reduction(*given)
            assert words in str(caught.value)
        with pytest.raises(wrong, match="a buffer of one element is one variable, and this one has 2"):
            sycl.reduction(two, h, sycl.plus, identity=0)
        with pytest.raises(wrong) as caught:
            sycl.span(two)
        assert (
            str(caught.value)
            == "memory: expected a UsmArray, as malloc_shared gives, or a NumPy array, got an object of type Buffer"
            "; a reduction into a buffer is of one element"
        )
        with pytest.raises(wrong, match="initialize_to_identity needs one, none is given, and none of BinaryOp"):
            sycl.reduction(one(), h, op, initialize_to_identity=True)
        with pytest.raises(wrong, match="initialize_to_identity needs one, none is given, and none of logical_and"):
            sycl.reduction(one(np.int32), h, sycl.logical_and, initialize_to_identity=True)
        with pytest.raises(wrong, match="identity: 300 is no value of uint8"):
            sycl.reduction(one(np.uint8), h, sycl.plus, identity=300)


def test_a_result_among_what_is_read(queue):
    """Told of `out`, not of the kernel that a device-wide reduction is made of."""
    x = sycl.malloc_shared(8, np.float32, queue)
    b = sycl.Buffer(np.zeros(8, np.float32))
    for call in (
        lambda: sycl.sum(x, out=x[:1].reshape(())),
        lambda: sycl.sum(b, out=b[0:1]),
        lambda: sycl.max(x.reshape(2, 4), axis=0, out=x[:4]),
    ):
        with pytest.raises(
            sycl.InvalidError, match=r"^out: the result would be put into elements that are read"
        ) as caught:
            call()
        assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(sycl.InvalidParameterError, match=r"^out: .* is a value, not the memory"):
        sycl.sum(x, out=x[0])
