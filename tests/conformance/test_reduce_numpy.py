"""Device-wide reductions (an addition to SYCL, made of its reductions, 4.9.2): NumPy's results, types, shapes and errors."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

sys.path.insert(0, str(Path(__file__).resolve().parent))  # pytest's importlib mode knows no folders

from reduce_cases import Kind, check, same


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
def test_against_numpy(queue, number):
    rng, kind = np.random.default_rng(number), kind_of(number, *KINDS[number])
    for _ in range(10):
        check(rng, kind, queue=queue)


@pytest.mark.usefixtures("needs_doubles")
@pytest.mark.parametrize("number", range(len(WITH_DOUBLES)), ids=lambda k: f"{WITH_DOUBLES[k][0]}-{WITH_DOUBLES[k][1]}")
def test_against_numpy_in_doubles(queue, number):
    rng, kind = np.random.default_rng(number), kind_of(number, *WITH_DOUBLES[number])
    for _ in range(10):
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
        ({"out": np.zeros(4, "i4")}, "out: Cannot cast array data from dtype('float32') to dtype('int32') according to "
         "the rule 'same_kind'"),
    ):  # fmt: skip
        with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
            sycl.sum(x, 0, queue=queue, **given)


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
    text = "x: expected elements of float32, got int64"
    with pytest.raises(sycl.InvalidParameterError, match=f"^{text}$"):
        total(np.arange(3))


# -- what cannot be --

PACKED = np.zeros(4, np.dtype([("a", "i1"), ("b", "f4")]))["b"]
REFUSED = [
    (lambda: sycl.sum(np.zeros(3, ">f4")), "x: >f4 is in the byte order of another kind of machine; convert it with "
     "array.astype(dtype('float32'))"),
    (lambda: sycl.sum(np.zeros(3, "M8[s]")), "x: expected bool, integers of 8 to 64 bits, float16, float32, float64, "
     "complex64 or complex128, got datetime64[s]"),
    (lambda: sycl.sum(PACKED), "x: an array whose elements are not aligned as float32 needs; pass a copy"),
    (lambda: sycl.sum(np.zeros(3), dtype="U3"), "dtype: expected bool, integers of 8 to 64 bits, float16, float32, "
     "float64, complex64 or complex128, got <U3"),
    (lambda: sycl.sum(np.zeros(3), 1), "axis: 1 is out of bounds for an array of 1 dimensions"),
    (lambda: sycl.sum(np.zeros((3, 2)), (0, -2)), "axis: 0 is given twice in (0, -2)"),
    (lambda: sycl.sum(np.zeros(3), "x"), "axis: expected None, an int or a tuple of ints, got 'x'"),
    (lambda: sycl.min(np.zeros(0)), "x: the min of no elements is not defined; give initial="),
    (lambda: sycl.max(np.zeros(3), where=[True, True, False]), "where: the max of no elements is not defined; give "
     "initial=, too"),
    (lambda: sycl.argmax(np.zeros((0, 2)), 0), "x: the argmax of no elements is not defined"),
    (lambda: sycl.argmin(np.zeros(3), (0,)), "axis: expected None or an int, got (0,)"),
    (lambda: sycl.min(np.zeros(3, "c8")), "x: min is not defined for complex64, which has no order"),
    (lambda: sycl.sum(np.zeros((2, 3)), where=np.ones(2, "?")), "where: shape (2,) cannot be broadcast to (2, 3)"),
    (lambda: sycl.sum(np.zeros(3), where=np.ones(3)), "where: expected an array of bool, got one of float64"),
    (lambda: sycl.sum(np.zeros(3), initial=[1, 2]), "initial: expected one value, got an array of shape (2,)"),
    (lambda: sycl.sum(np.zeros(3), map=3), "map: expected OpenCL C in x, got 3"),
    (lambda: sycl.sum(np.zeros(3), queue=3), "queue: expected a Queue or None, got 3"),
    (lambda: sycl.sum(np.zeros(3), accuracy="good"), "accuracy: expected one of fast, pairwise, compensated, exact, got "
     "'good'"),
    (lambda: sycl.sum(np.zeros(3), determinism="no"), "determinism: expected one of any, run_to_run, got 'no'"),
    (lambda: sycl.reduce(np.zeros(3), np.add), "op: expected a function object such as plus, a BinaryOp, or OpenCL C in a "
     "and b, got <ufunc 'add'>"),
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


def test_numpys_warnings():
    for name, text in (("mean", "Mean of empty slice."), ("var", "Degrees of freedom <= 0 for slice.")):
        with pytest.warns(RuntimeWarning, match=re.escape(text)):
            assert np.isnan(getattr(sycl, name)(np.zeros(0, np.float32)))


# -- small arrays, on the calling thread --

ON_THE_HOST = ["sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax"]  # in the core's order


def test_small_arrays_need_no_launch():
    """The numbers, types and NaN rules that launches have: random cases, and what is left to launches."""
    for number, name in enumerate(ON_THE_HOST):
        for dtype in ("?", "i1", "u2", "i4", "u8", "f4", "f8"):
            rng = np.random.default_rng(number)
            kind = kind_of(0, name, dtype, [1 if number % 2 else -2], None)
            kind.keepdims = kind.where = kind.initial = False
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
        np.zeros(2**15 + 1),
    ):
        assert _core.host_reduce(refused, 0) is None
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert _core.host_reduce(x, 0) == 15 and _core.host_reduce(x, 8) is None and sycl.argmax(x) == 5
    assert isinstance(_core.host_reduce(x, 2), np.float64) and _core.host_reduce(np.ones((), "i1"), 2).dtype == np.int8
    for arguments, text in (
        ((x, 9), "op: expected 0 to 8, got 9"),
        ((x,), "host_reduce() takes 2 arguments (1 given)"),
    ):
        with pytest.raises((sycl.InvalidParameterError, TypeError), match=f"^{re.escape(text)}$"):
            _core.host_reduce(*arguments)


def test_a_wrong_map_is_shown(queue):
    with pytest.raises(sycl.BuildError, match=r"undeclared identifier 'y'(.|\n)*2 \| y \* 2"):
        sycl.sum(np.ones(3), map="y * 2 // not x", queue=queue)
    assert sycl.sum(np.ones(3), map="x * 2 // x", queue=queue) == 6
