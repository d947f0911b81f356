"""Device-wide reductions (an addition to SYCL, made of its reductions, 4.9.2): NumPy's results, types, shapes and errors."""

import re
import sys

import numpy as np
import pytest
from reduce_cases import Kind, check, same

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.call import recorded
from pysycl._reductions import reduce_passes
from pysycl._reductions.reduce_calls import AT_ONCE


@pytest.fixture
def needs_doubles(queue):
    if not queue.device.has("fp64"):
        pytest.skip("the device has no fp64")


# What the kernels are made for is fixed here; sizes and values are not.
KINDS = [
    ("sum", "f4", [1], None), ("sum", "i1", [1, 1], (1,)), ("sum", "f2", [1, 1], (0,)), ("prod", "u2", [2, 1], None),
    ("min", "f4", [1, 1, 1], (1,)), ("max", "i8", [-1, 1], (1,)), ("argmin", "f4", [1], None), ("argmax", "i2", [1, -1], 1),
    ("minmax", "f4", [1, 0], 0), ("any", "?", [1, 1], (0,)), ("all", "u4", [1], None), ("count_nonzero", "f4", [2], None),
    ("mean", "f4", [1, 1], (0,)), ("norm", "f4", [1, 1], 1), ("dot", "f4", [1], None), ("map", "f4", [1, -2, 1, 1], (0, 2)),
    ("sum", "c8", [1, 1], (1,)), ("reduce", "u1", [1, 2, 1], (0,)), ("prod", "f4", [1], None),
]  # fmt: skip
WITH_DOUBLES = [
    ("var", "i4", [1, 1], (1,)),
    ("std", "f8", [1], None),
    ("argmin", "f8", [1, 1], 0),
    ("mean", "?", [1], None),
]


def kind_of(number, name, dtype, steps, axis):
    kind = Kind(np.random.default_rng(number), name, dtype)
    kind.ndim, kind.steps, kind.axis = len(steps), steps, axis
    kind.order = np.arange(kind.ndim)[:: -1 if number % 2 else 1]
    kind.where = name == "sum" and dtype == "i1"
    kind.initial = name in ("max", "prod")
    kind.order_of_norm = None
    return kind


@pytest.mark.parametrize("number", range(len(KINDS)), ids=lambda k: f"{KINDS[k][0]}-{KINDS[k][1]}")
def test_against_numpy(queue, number, thorough):
    rng, kind = np.random.default_rng(number), kind_of(number, *KINDS[number])
    for _ in range(10 if thorough else 4):
        check(rng, kind, queue=queue)


@pytest.mark.usefixtures("needs_doubles")
@pytest.mark.parametrize("number", range(len(WITH_DOUBLES)), ids=lambda k: f"{WITH_DOUBLES[k][0]}-{WITH_DOUBLES[k][1]}")
def test_against_numpy_in_doubles(queue, number, thorough):
    rng, kind = np.random.default_rng(number), kind_of(number, *WITH_DOUBLES[number])
    for _ in range(10 if thorough else 4):
        check(rng, kind, queue=queue)


# -- buffers and unified shared memory --


def usm(queue, array):
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    memory = sycl.malloc_shared(array.shape, array.dtype, queue)
    memory.view()[...] = array
    return memory


def test_buffers_stay_buffers(queue):
    x = np.random.default_rng(1).integers(-50, 50, (6, 70)).astype(np.float32)
    b = sycl.Buffer(x.copy())
    for ours, theirs in (
        (sycl.sum(b, queue=queue), x.sum()),
        (sycl.sum(b, 0, queue=queue), x.sum(0)),
        (sycl.max(b, 1, keepdims=True, queue=queue), x.max(1, keepdims=True)),
        (sycl.argmin(b, 1, queue=queue), x.argmin(1)),
        (sycl.sum(b, 1, initial=3, queue=queue), x.sum(1, initial=3)),
        (sycl.any(b, 0, queue=queue), x.any(0)),
        (sycl.minmax(b, queue=queue)[1], x.max()),
    ):
        assert isinstance(ours, sycl.Buffer) and ours.dtype == theirs.dtype
        same(np.asarray(ours), np.atleast_1d(theirs))
    for ours, theirs in ((sycl.mean(b, 0, queue=queue), x.mean(0)), (sycl.std(b, queue=queue), x.std())):
        assert isinstance(ours, sycl.Buffer) and np.allclose(np.asarray(ours), theirs, rtol=1e-5)


def launches(queue, call):
    """How many kernels a call runs, by what it prepares."""
    with recorded() as passes:
        call()
    queue.wait()
    return len(passes)


def test_results_of_buffers_are_ended_by_the_same_launch(queue):
    """Means, roots, initial values and float16: the kernel that combines makes the result of what it combined."""
    x = np.random.default_rng(4).integers(-9, 9, (5, 300)).astype(np.float32)
    z = (x[:, :6] + 1j * x[:, 6:12]).astype(np.complex64)
    b, c, half = sycl.Buffer(x.copy()), sycl.Buffer(z.copy()), sycl.Buffer(x.astype(np.float16))
    for number, (ours, theirs) in {
        (1, 0): (lambda: sycl.mean(b, 1, queue=queue), x.mean(1)),
        (1, 1): (lambda: sycl.sum(b, initial=3, queue=queue), x.sum(initial=3)),
        (1, 2): (lambda: sycl.min(b, 0, initial=-5, queue=queue), x.min(0, initial=-5)),
        (1, 3): (lambda: sycl.prod(c, 1, initial=1 - 2j, queue=queue), z.prod(1, initial=1 - 2j)),
        (1, 4): (lambda: sycl.norm(b, 2, 1, queue=queue), np.linalg.norm(x, 2, 1)),
        (1, 5): (lambda: sycl.norm(b, 3, 1, queue=queue), np.linalg.norm(x, 3, 1)),
        (1, 6): (lambda: sycl.sum(half, 1, queue=queue), x.astype(np.float16).sum(1)),
        (1, 7): (lambda: sycl.max(half, initial=2, queue=queue), np.float16(x.max())),
        (1, 8): (lambda: sycl.mean(half, 1, accuracy="compensated", queue=queue), x.astype(np.float16).mean(1)),
        (1, 9): (lambda: sycl.minmax(b, 1, queue=queue)[1], x.max(1)),
        (2, 0): (lambda: sycl.var(b, 1, ddof=1, queue=queue), x.var(1, ddof=1)),
        (2, 1): (lambda: sycl.std(half, 1, queue=queue), x.astype(np.float16).std(1)),
    }.items():
        got = ours()
        assert isinstance(got, sycl.Buffer) and got.dtype == theirs.dtype, number
        close = {"f": 1e-5, "e": 1e-3, "F": 1e-4}[theirs.dtype.char]
        assert np.allclose(np.asarray(got), theirs, rtol=close), (number, np.asarray(got), theirs)
        assert launches(queue, ours) == number[0], number


def test_unified_shared_memory_stays_so(queue):
    x = np.arange(60, dtype=np.int32).reshape(3, 20) % 17
    u = usm(queue, x)
    total = sycl.sum(u, queue=queue)  # asynchronous: the queue is the caller's
    queue.wait()
    assert isinstance(total, sycl.UsmArray) and total.shape == () and total.view() == x.sum()
    for part, numbers in ((u[::2, ::-3], x[::2, ::-3]), (u[1:1], x[1:1])):
        ours = sycl.sum(part, 1)  # without a queue it is waited for
        assert ours.kind is sycl.UsmKind.shared
        same(ours.view().copy(), numbers.sum(1))
    text = "out: expected contiguous memory, got a view with strides of (8,) bytes"
    with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
        sycl.max(u, 0, out=usm(queue, np.zeros((20, 2), np.int32))[:, 0])
    mean = sycl.mean(u, 0, where=x > 3)
    assert np.allclose(mean.view(), np.mean(x, 0, where=x > 3), equal_nan=True)


def test_memory_of_another_type_has_a_plan_of_its_own(queue):
    """Halves are combined as floats. What was prepared for results that are floats, those of an array, must not serve
    results that are halves."""
    x = np.full((2, 3000), 1, np.float16)
    same(sycl.sum(x, 1, queue=queue), np.full(2, 3000, np.float16))
    assert np.array_equal(np.asarray(sycl.sum(sycl.Buffer(x.copy()), 1, queue=queue)), [3000, 3000])


def test_means_and_variances_in_integers(queue, needs_doubles):
    """What dtype= asks for is divided and rooted as numbers, and cut, as NumPy does it: divided by nothing it is whatever
    the machine makes of infinity, and no division of integers by 0."""
    x = np.array([-9, 2, 3, 5], np.int32)
    where = np.array([True, True, False, True])
    b = sycl.Buffer(x.copy())
    for name, options in (("mean", {"where": where}), ("std", {}), ("var", {"ddof": 2.5})):
        ours, theirs = (getattr(m, name)(v, dtype="i4", **options) for m, v in ((sycl, b), (np, x)))
        assert ours.dtype == theirs.dtype and np.asarray(ours)[0] == theirs, name


def test_positions_that_32_bits_do_not_hold(queue, monkeypatch):
    """Of so many halves or truth values as 2^32, which are more than a test has: two passes, and not one."""
    monkeypatch.setattr(reduce_passes, "MOST_PACKED", 1)
    for dtype in ("f2", "?"):
        x = np.zeros((2, 77), dtype)
        x[:, 33] = 1
        assert np.array_equal(sycl.argmax(x, 1, queue=queue), [33, 33]), dtype


def test_out_wins(queue):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = np.zeros((2, 4), np.float64)[1]
    assert sycl.sum(x, 0, out=out, queue=queue) is out and np.array_equal(out, x.sum(0))
    into = sycl.Buffer(4, np.float32)
    assert sycl.max(x, 0, out=into, queue=queue) is into and np.array_equal(np.asarray(into), x.max(0))
    b = sycl.Buffer(x.copy())
    assert sycl.sum(b, 0, out=into, queue=queue) is into and np.array_equal(np.asarray(into), x.sum(0))
    array = np.zeros(4, np.float32)
    assert sycl.sum(b, 0, out=array, queue=queue) is array and np.array_equal(array, x.sum(0))
    view = np.zeros((4, 2), np.float32)[:, 0]
    sycl.mean(b, 0, out=view, queue=queue)
    assert np.allclose(view, x.mean(0))
    for given, text in (
        ({"out": 3}, "out: expected a NumPy array, a Buffer or a UsmArray, got 3"),
        ({"out": np.zeros(3, "f4")}, "out: expected the shape (4,), got (3,)"),
        ({"out": sycl.Buffer(4, "i4")}, "out: expected elements of float32, got int32"),
        ({"out": np.broadcast_to(np.float32(0), 4)}, "out: the array is read-only"),
        ({"out": np.zeros(4, "i4")}, "out: Cannot cast array data from dtype('float32') to dtype('int32') according to "
         "the rule 'same_kind'"),
    ):  # fmt: skip
        with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
            sycl.max(x, 0, queue=queue, **given)
    with pytest.raises(
        sycl.InvalidParameterError, match="^out: expected bool, integers of 8 to 64 bits, .* got object$"
    ):
        sycl.sum(x, 0, out=np.zeros(4, object))


def test_out_says_in_which_type_is_added(queue, needs_doubles):
    """As in NumPy, of sums and products: a sum of floats into a double is one of doubles."""
    x = np.full((3, 5000), 0.1, np.float32)
    ours, theirs = np.zeros(3), np.zeros(3)
    assert np.allclose(sycl.sum(x, 1, out=ours, queue=queue), np.sum(x, 1, out=theirs), rtol=1e-13, atol=0)
    into = sycl.Buffer(3, np.float64)
    sycl.sum(sycl.Buffer(x.copy()), 1, out=into, queue=queue)
    assert np.allclose(np.asarray(into), theirs, rtol=1e-13, atol=0)
    whole = np.full((3, 700), 77, np.int16)
    for dtype in (np.int8, np.float32):
        wanted = np.sum(whole, 1, out=np.zeros(3, dtype))
        assert np.array_equal(sycl.sum(whole, 1, out=np.zeros(3, dtype), queue=queue), wanted), dtype
    text = "out: Cannot cast array data from dtype('float32') to dtype('int32') according to the rule 'same_kind'"
    with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
        sycl.sum(x, 1, out=np.zeros(3, np.int32), queue=queue)


# -- operators --


def test_operators_of_ones_own(queue):
    x = np.random.default_rng(2).integers(0, 1000, 500).astype(np.int32)
    second = "a % 1000 > b % 1000 || (a % 1000 == b % 1000 && a > b) ? a : b"
    assert sycl.reduce(x, second, queue=queue) == x.max()
    assert sycl.reduce(x, second, initial=999, queue=queue) == max(x.max(), 999)
    assert sycl.reduce(x[:0], second, initial=5, queue=queue) == 5
    pairs = np.zeros(300, [("key", "f4"), ("at", "i4")])
    pairs["key"], pairs["at"] = np.random.default_rng(3).random(300), np.arange(300)
    best = sycl.reduce(pairs, sycl.BinaryOp("a.key < b.key ? a : b", identity=(np.inf, -1)), queue=queue)
    assert best["at"] == pairs["key"].argmin()
    assert sycl.reduce(x, sycl.plus, map="x % 2", queue=queue) == (x % 2).sum()
    same(sycl.reduce(x, sycl.logical_and, queue=queue), np.logical_and.reduce(x))


def test_the_reusable_object(queue):
    total = sycl.make_reduce(sycl.plus, "f4", map="x * x", queue=queue)
    x = np.arange(100, dtype=np.float32)
    assert total(x) == (x * x).sum() and total(x[::3], where=x[::3] > 5) == (x[::3] ** 2)[2:].sum()
    plan = total.plan(10**6)
    assert "shape" in plan.explain() and "syc_combine_r0" in plan.passes[0].source
    assert total.plan(0).explain() == "no elements: nothing is launched"
    large = total.plan(10**6).temporary_bytes
    assert large == plan.passes[0].temporary_bytes and 0 < large <= 65536 + 128 * 2  # scalars: 64 KiB, and a counter
    assert total.plan(np.int64(0)).temporary_bytes == 0
    assert queue.kernel(4, "y[i] = 1;", y=np.zeros(4)).temporary_bytes == 0
    text = "x: expected elements of float32, got int64"
    with pytest.raises(sycl.InvalidParameterError, match=f"^{text}$"):
        total(np.arange(3))


# -- what cannot be --

PACKED = np.zeros(4, np.dtype([("a", "i1"), ("b", "f4")]))["b"]
REFUSED = [
    (lambda: sycl.sum(np.zeros(3, "M8[s]")), "x: expected bool, integers of 8 to 64 bits, float16, float32, float64, "
     "complex64 or complex128, got datetime64[s]"),
    (lambda: sycl.sum(np.zeros(3), dtype="U3"), "dtype: expected bool, integers of 8 to 64 bits, float16, float32, "
     "float64, complex64 or complex128, got <U3"),
    (lambda: sycl.sum(np.zeros(3), 1), "axis: 1 is out of bounds for an array of 1 dimensions"),
    (lambda: sycl.sum(np.zeros((3, 2)), (0, -2)), "axis: 0 is given twice in (0, -2)"),
    (lambda: sycl.sum(np.zeros((2, 2)), True), "axis: expected None, an int or a tuple of ints, got True"),
    (lambda: sycl.sum(np.zeros(3), "x"), "axis: expected None, an int or a tuple of ints, got 'x'"),
    (lambda: sycl.min(np.zeros(0)), "x: the min of no elements is not defined; give initial="),
    (lambda: sycl.max(np.zeros(3), where=[True, True, False]), "where: the max of no elements is not defined; give "
     "initial=, too"),
    (lambda: sycl.argmax(np.zeros((0, 2)), 0), "x: the argmax of no elements is not defined"),
    (lambda: sycl.argmin(np.zeros(3), (0,)), "axis: expected None or an int, got (0,)"),
    (lambda: sycl.sum(np.zeros((2, 3)), where=np.ones(2, "?")), "where: shape (2,) cannot be broadcast to (2, 3)"),
    (lambda: sycl.sum(np.zeros(3), where=np.ones(3)), "where: expected an array of bool, got one of float64"),
    (lambda: sycl.sum(np.zeros(3), initial=[1, 2]), "initial: expected one value, got an array of shape (2,)"),
    (lambda: sycl.sum(np.zeros(3), initial="a"), "initial: 'a' is no value of float64: could not convert string to float: "
     "'a'"),
    (lambda: sycl.sum(np.ma.masked_array([1.0, 2.0], [0, 1])), "x: a masked array, whose mask would be lost; pass "
     "x.filled(value), or x.data with where=~x.mask"),
    (lambda: sycl.sum(np.zeros(3), map=" "), "map: expected OpenCL C in x, got ' '"),
    (lambda: sycl.make_reduce().plan("a"), "shape: expected an int or a tuple of ints, got 'a'"),
    (lambda: sycl.make_reduce().plan((3, -1)), "shape: -1 in (3, -1) is negative"),
    (lambda: sycl.sum(np.zeros(3), map=3), "map: expected OpenCL C in x, got 3"),
    (lambda: sycl.sum(np.zeros(3), queue=3), "queue: expected a Queue or None, got 3"),
    (lambda: sycl.sum(np.zeros(3), accuracy="good"), "accuracy: expected one of fast, pairwise, compensated, exact, got "
     "'good'"),
    (lambda: sycl.sum(np.zeros(3), determinism="no"), "determinism: expected one of any, run_to_run, got 'no'"),
    (lambda: sycl.reduce(np.zeros(3), np.add), "op: expected a function object such as plus, a BinaryOp, or OpenCL C in a "
     "and b, got <ufunc 'add'> (did you mean sycl.plus?)"),
    (lambda: sycl.reduce(np.zeros(3), np.sin), "op: expected a function object such as plus, a BinaryOp, or OpenCL C in a "
     "and b, got <ufunc 'sin'>"),
    (lambda: sycl.reduce(np.zeros(3), "max"), "expression 'max': it does not mention a; the operands are a and b (did you "
     "mean sycl.maximum?)"),
    (lambda: sycl.reduce(np.zeros(3), sycl.bit_or), "op: bit_or is not defined for float64"),
    (lambda: sycl.reduce(np.zeros(0), "a > b ? a : b"), "x: no elements, and no identity of BinaryOp('a > b ? a : b'); "
     "give initial="),
    (lambda: sycl.reduce(np.zeros(3), sycl.maximum, dtype="f4"), "dtype: maximum has no other type than the elements', "
     "got 'f4'"),
    (lambda: sycl.norm(np.zeros((2, 2)), 1), "ord: 1 of 2 axes would be a norm of matrices, and here are those of vectors: "
     "None, or one axis"),
    (lambda: sycl.norm(np.zeros(2), "nuc"), "ord: expected None, a number, or 'fro' for two axes, got 'nuc'"),
    (lambda: sycl.dot(np.zeros((2, 3)), np.zeros(2)), "y: shape (2,) does not go with x of (2, 3): 2 along axis 0 and not "
     "3"),
    (lambda: sycl.var(np.zeros(2), ddof="a"), "ddof: expected a number, got 'a'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    call, text = REFUSED[number]
    with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
        call()


def test_initial_values_that_the_type_has_not():
    """They are refused as by NumPy, and not wrapped: the maximum of numbers without a sign and -1 was 255."""
    for name, dtype, initial in (
        ("max", "u1", -1),
        ("min", "i1", 300),
        ("sum", "u4", -1),
        ("prod", "i4", np.nan),
        ("sum", "f4", 1j),
    ):
        x = np.ones(3, dtype)
        with pytest.raises((OverflowError, ValueError, TypeError)):
            getattr(np, name)(x, initial=initial)
        for call in (getattr(sycl, name), lambda x, name=name, **k: sycl.reduce(x, NAMED[name], **k)):
            with pytest.raises(sycl.InvalidParameterError, match=rf"^initial: {initial!r} is no value of \w+: "):
                call(x, initial=initial)
    same(sycl.sum(np.ones(3, "i4"), initial=2.5), np.sum(np.ones(3, "i4"), initial=2.5))


NAMED = {"max": sycl.maximum, "min": sycl.minimum, "sum": sycl.plus, "prod": sycl.multiplies}


def test_numpys_warnings():
    for name, text in (("mean", "Mean of empty slice."), ("var", "Degrees of freedom <= 0 for slice.")):
        with pytest.warns(RuntimeWarning, match=re.escape(text)):
            assert np.isnan(getattr(sycl, name)(np.zeros(0, np.float32)))


# -- small arrays, on the calling thread --

ON_THE_HOST = [
    "sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "count_nonzero", "var", "std", "norm", "minmax",
    "dot",
]  # fmt: skip


def test_small_arrays_need_no_launch():
    """The numbers, types and NaN rules that launches have: random cases, and what is left to launches."""
    for number, name in enumerate(ON_THE_HOST):
        for dtype in ("?", "i1", "u2", "i4", "u8", "f4", "f8"):
            rng = np.random.default_rng(number)
            kind = kind_of(0, name, dtype, [1 if number % 2 else -2], None)
            kind.keepdims = kind.where = kind.initial = False
            kind.order_of_norm = None
            if dtype == "?" and name in ("norm", "minmax"):
                continue
            for _ in range(20):
                check(rng, kind)
    for refused in (
        np.zeros(0),
        np.zeros(3, "c8"),
        np.zeros(3, "f2"),
        np.zeros(3, ">f4"),
        np.zeros(3, "U1"),
        np.zeros((4, 4))[::2],
        PACKED,
        [1, 2],
        np.float32(1),
        np.zeros(36_000_000, np.float32),  # a launch is as quick
    ):
        assert _core.host_reduce(refused, 0) is None
    assert _core.host_reduce(np.ones(2**20, np.float32), 0) == 2**20  # sooner than the driver's threads are awake
    assert _core.host_reduce(np.zeros(2**25, np.float32), 0) == 0
    assert _core.host_dot(np.zeros(2**24), np.zeros(2**24)) is None and _core.host_dot(*np.zeros((2, 2**23))) == 0
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert _core.host_reduce(x, 0) == 15 and _core.host_reduce(x, 8) is None and sycl.argmax(x) == 5
    assert isinstance(_core.host_reduce(x, 2), np.float64) and _core.host_reduce(np.ones((), "i1"), 2).dtype == np.int8
    assert _core.host_reduce(np.ones(3), 10, None, 3) is None  # divided by nothing: there is a warning to be given
    assert sycl.var(np.arange(4.0), ddof=1) == np.var(np.arange(4.0), ddof=1)
    for y in (np.ones(2), np.ones(3, "f4"), np.ones((3, 1)), [1, 2, 3], np.ones(3, "f2")):
        assert _core.host_dot(np.ones(3), y) is None and _core.host_dot(y, np.ones(3)) is None
    for call, arguments, text in (
        (_core.host_reduce, (x, 13), "op: expected 0 to 12, got 13"),
        (_core.host_reduce, (x,), "host_reduce() takes 2 to 5 arguments (1 given)"),
        (_core.host_reduce, (x, 10, None, "a"), "must be real number, not str"),
        (_core.host_dot, (x,), "host_dot() takes 2 arguments (1 given)"),
    ):
        with pytest.raises((sycl.InvalidParameterError, TypeError), match=f"^{re.escape(text)}$"):
            call(*arguments)


def test_a_small_array_alone_needs_no_function_of_pythons():
    def function(*arguments, **named):
        return arguments, named

    x, called = np.array([3, -1, 2, -1, 0], np.float32), []
    for name, number in AT_ONCE.items():
        entry, own = _core.entry(function, number), getattr(sycl, name)
        assert entry(x) == getattr(np, name)(x)
        own(x)
        sys.setprofile(lambda _, event, __: called.append(event))
        own(x)
        sys.setprofile(None)
        assert "call" not in called
        for other in ([3, 1], x[:0], np.float32(2)):
            assert entry(other) == ((other,), {})
        assert entry(x, 0) == entry(x, axis=-1) == entry(x)
        for axis in ((0,), 1, True, None, 1 << 70):
            assert entry(x, axis) == ((x, axis), {}) and entry(x, axis=axis) == ((x,), {"axis": axis})
        assert entry(x, 0, None) == ((x, 0, None), {}) and entry(x, out=0) == ((x,), {"out": 0})
    with pytest.raises(ValueError, match="^op: 13 is no reduction$"):
        _core.entry(function, 13)


def layouts(base):
    """Views of an array of three dimensions that a walk over its memory would get wrong if it took one for another."""
    yield from (
        base,
        base[:, ::-1, ::-1],
        base[::2, :, ::3],
        base.transpose(2, 0, 1),
        np.asfortranarray(base),
        base[:, :, 3],
    )
    yield from (base[1].T, base[:, 4:5, :], base[:, 0, 0])


def test_small_arrays_along_an_axis_need_no_launch():
    """By rows of results, in blocks of 1024 of them, and by runs: numbers, types, shapes and NaN as NumPy has them."""
    names = [*ON_THE_HOST[:7], "argmin", "argmax", "count_nonzero", "var", "std"]
    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        rng = np.random.default_rng(5)
        base = (rng.random((5, 9, 13)) * 3 - (dtype[0] in "if")).astype(dtype)
        wide = (rng.random((3, 1100)) * 50).astype(dtype)
        if dtype[0] == "f":
            base[1, 2, 3] = wide[1, 1050] = np.nan
        for x in (*layouts(base), wide):
            for axis in range(-x.ndim, x.ndim):
                for number, name in enumerate(names):
                    op = [*range(10), 10, 11][number]
                    op = {"argmin": 7, "argmax": 8, "count_nonzero": 9}.get(name, op)
                    with np.errstate(all="ignore"):
                        theirs = getattr(np, name)(x, axis=axis)
                    ours = _core.host_reduce(x, op, axis)
                    assert (
                        ours is not None and ours.dtype == np.asarray(theirs).dtype and ours.shape == np.shape(theirs)
                    )
                    close = 1e-5 if ours.dtype == np.float32 else 1e-12 if ours.dtype.kind == "f" else 0
                    np.testing.assert_allclose(
                        ours, theirs, rtol=close, atol=close, err_msg=f"{name} {dtype} {x.strides}"
                    )
                    assert x.ndim > 1 or type(ours) is type(theirs)
    x = np.ones((3, 4), np.float32)
    outside = ((x, 2), (x, -3), (x, (0, 0)), (x, True), (x[:0], 1), (x.astype("f2"), 0), (PACKED, 0), (x, 2**70))
    for refused, axis in outside:
        assert _core.host_reduce(refused, 0, axis) is None
    assert _core.host_reduce(x, 10, 0, 3) is None and sycl.sum(x, axis=np.int64(1)).shape == (3,)
    assert _core.host_reduce(np.zeros((4000, 8000)), 0, 1) is None  # a launch is as quick


def test_small_arrays_along_some_axes_need_no_launch():
    """Axes that are one in memory, in any order of dimensions, with gaps, backwards and repeated, kept or not."""
    names = ["sum", "prod", "min", "max", "any", "all", "mean", None, None, "count_nonzero", "var", "std"]
    rng, answers = np.random.default_rng(11), 0
    for _ in range(600):
        ndim = int(rng.integers(1, 5))
        sizes = [int(size) for size in rng.choice([1, 2, 3, 8, 17, 40, 130, 600], ndim)]
        while np.prod(sizes) > 20000:
            sizes[int(rng.integers(ndim))] = 1
        steps = [int(step) for step in rng.choice([1, 1, 1, 2, -1, 3], ndim)]
        base = rng.integers(-3, 4, [size * abs(step) for size, step in zip(sizes, steps, strict=True)])
        x = base.astype(rng.choice(["?", "i1", "u2", "i4", "i8", "f4", "f8"]))
        x = x[tuple(slice(None, None, step) for step in steps)].transpose(rng.permutation(ndim))
        if rng.random() < 0.2 and ndim < 4:
            x = np.broadcast_to(x, (3, *x.shape))
        axes = tuple(int(axis) for axis in rng.permutation(x.ndim)[: rng.integers(x.ndim + 1)])
        keepdims, op = bool(rng.integers(2)), int(rng.choice([k for k, name in enumerate(names) if name]))
        ours = _core.host_reduce(x, op, axes, 0, keepdims)
        if ours is None:
            continue
        answers += 1
        theirs = getattr(np, names[op])(x, axis=axes, keepdims=keepdims)
        assert type(ours) is type(theirs) and ours.dtype == np.asarray(theirs).dtype and ours.shape == np.shape(theirs)
        close = 1e-5 if ours.dtype == np.float32 else 1e-12 if ours.dtype.kind == "f" else 0
        np.testing.assert_allclose(ours, theirs, close, close, err_msg=f"{names[op]} {x.dtype} {x.strides} {axes}")
    assert answers > 400


def test_what_has_no_elements_has_no_extreme(queue):
    """Also where there are no results that should have one."""
    for call in (sycl.min, sycl.max, sycl.argmin, sycl.argmax, sycl.minmax):
        for shape, axis in (((0, 0), 0), ((0, 3), 0), ((3, 0), 1)):
            with pytest.raises(sycl.InvalidParameterError, match=r"^x: the \w+ of no elements is not defined"):
                call(np.zeros(shape), axis, queue=queue)
        assert np.shape(call(np.zeros((3, 0)), 0, queue=queue))[-1] == 0


def test_a_wrong_map_is_shown(queue):
    with pytest.raises(sycl.BuildError, match=r"^map:1:1: (.|\n)*'y'(.|\n)* 1 \| y \* 2 // not x\n +\| \^\n"):
        sycl.sum(np.ones(3), map="y * 2 // not x", queue=queue)
    assert sycl.sum(np.ones(3), map="x * 2 // x", queue=queue) == 6
