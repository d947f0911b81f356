"""Device-wide scans (an addition to SYCL): NumPy's own tests of cumsum, cumprod, accumulate, diff, compress, flatnonzero and
repeat, with pysycl in NumPy's place. The name of NumPy's test stands beside each."""

import re
import sys

import numpy as np
import pytest
from numpy.exceptions import AxisError
from sweeps import sweep

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.call import recorded
from pysycl._scans.scan_calls import SCANS_AT_ONCE

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", "c8", "c16"]


def same(ours, theirs):
    theirs = np.asarray(theirs)
    assert isinstance(ours, np.ndarray)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours, theirs)
    np.testing.assert_array_equal(ours, theirs)


ROW = [1, 2, 10, 11, 6, 5, 4]
TABLE = [[1, 2, 3, 4], [5, 6, 7, 9], [10, 3, 4, 5]]


# lib/tests/test_function_base.py, TestCumsum.test_basic and TestCumprod.test_basic
@pytest.mark.parametrize("dtype", sweep(NUMBERS, ["i1", "c8"]))
def test_basic_sums_and_products(where, queue, dtype):
    if np.dtype(dtype).itemsize // (np.dtype(dtype).kind == "c" or 1) == 8 and not queue.device.has("fp64"):
        pytest.skip("the device has no fp64")
    a, b = np.array(ROW, dtype), np.array(TABLE, dtype)
    for ours, theirs in ((sycl.cumsum, np.cumsum), (sycl.cumulative_sum, np.cumulative_sum)):
        same(ours(a, axis=0, **where), theirs(a, axis=0))
        same(ours(b, axis=0, **where), theirs(b, axis=0))
        same(ours(b, axis=1, **where), theirs(b, axis=1))
    for ours, theirs in ((sycl.cumprod, np.cumprod), (sycl.cumulative_prod, np.cumulative_prod)):
        same(ours(a, axis=-1, **where), theirs(a, axis=-1))
        same(ours(b, axis=0, **where), theirs(b, axis=0))
        same(ours(b, axis=-1, **where), theirs(b, axis=-1))


# lib/tests/test_function_base.py, test_cumulative_include_initial
def test_cumulative_include_initial(where):
    cube = np.arange(8).reshape(2, 2, 2)
    for axis in range(3):
        same(
            sycl.cumulative_sum(cube, axis=axis, include_initial=True, **where),
            np.cumulative_sum(cube, axis=axis, include_initial=True),
        )
    same(
        sycl.cumulative_prod(cube, axis=2, include_initial=True, **where),
        np.cumulative_prod(cube, axis=2, include_initial=True),
    )
    out = np.zeros((3, 2))
    found = sycl.cumulative_sum(np.arange(1, 5).reshape(2, 2), axis=0, out=out, include_initial=True, **where)
    assert found is out and out.tolist() == [[0, 0], [1, 2], [4, 6]]
    same(sycl.cumulative_prod(np.array([2, 2]), include_initial=True, **where), [1, 2, 4])
    column = np.arange(1, 4, dtype="u4").reshape(3, 1)  # lines of one element
    same(
        sycl.cumulative_sum(column, axis=1, include_initial=True, **where),
        np.cumulative_sum(column, axis=1, include_initial=True),
    )
    same(sycl.cumulative_sum(np.zeros(0), include_initial=True, **where), [0.0])
    same(sycl.cumulative_prod(np.zeros((0, 2), "i4"), axis=0, include_initial=True, **where), np.ones((1, 2), "i8"))


# _core/tests/test_numeric.py, TestNonarrayArgs.test_cumprod, and test_multiarray.py, TestMethods.test_cumsum
def test_lists_numbers_and_flattened_arrays(where):
    same(sycl.cumprod([[1, 2, 3], [4, 5, 6]], **where), [1, 2, 6, 24, 120, 720])
    for x in (7, [3], np.arange(6).reshape(2, 3)[:, ::-1], np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)):
        same(sycl.cumsum(x, **where), np.cumsum(x))
    for axis in (0, -1):
        same(sycl.cumsum(7, axis, **where), np.cumsum(7, axis))
    assert sycl.cumsum(np.zeros((0, 3)), 1, **where).shape == (0, 3)
    assert sycl.cumsum([], **where).dtype == np.float64


# _core/tests/test_ufunc.py, TestUfunc.test_cumsum_... and test_out_is_dtype: what decides the type
@pytest.mark.parametrize("dtype", sweep(["?", "i1", "u2", "f2", "f4", "u8"], ["?", "f2", "u8"]))
def test_types_of_results(where, dtype, thorough):
    x = np.array([1, 0, 1, 1, 1], dtype)
    same(sycl.cumsum(x, **where), np.cumsum(x))
    same(sycl.cumprod(x, **where), np.cumprod(x))
    same(sycl.cumsum(x, dtype="f4", **where), np.cumsum(x, dtype="f4"))
    for kind in ("i8", "f4", "f8") if thorough or not where or dtype == "i1" else ("f8",):
        ours, theirs = np.zeros(5, kind), np.zeros(5, kind)
        if np.can_cast(x.dtype, kind, "same_kind"):
            assert sycl.cumsum(x, out=ours, **where) is ours
            same(ours, np.cumsum(x, out=theirs))


def test_integers_wrap_as_those_of_numpy(where):
    x = np.full(9, 100, "i1")
    same(sycl.cumsum(x, dtype="i1", **where), np.cumsum(x, dtype="i1"))
    same(sycl.cumprod(x, dtype="u1", **where), np.cumprod(x, dtype="u1"))
    same(sycl.cumsum(np.full(3, 2**63 - 1), **where), np.cumsum(np.full(3, 2**63 - 1)))


# _core/tests/test_umath.py, TestMaximum and TestMinimum: accumulate, NaN too
@pytest.mark.parametrize(("ours", "theirs"), [(sycl.cummax, np.maximum), (sycl.cummin, np.minimum)], ids=["max", "min"])
def test_extremes_so_far(where, ours, theirs):
    x = np.array([[1, 2, np.nan, 4], [5, -np.inf, 2, np.inf], [-0.0, 0.0, 3, -1]], "f4")
    for axis in (0, 1, -2):
        same(ours(x, axis, **where), theirs.accumulate(x, axis))
    same(ours(x, **where), theirs.accumulate(x.reshape(-1)))
    ints = np.array([3, 1, 4, 1, 5, 9, 2, 6], "u1")
    same(ours(ints, **where), theirs.accumulate(ints))
    same(ours(ints > 2, **where), theirs.accumulate(ints > 2))


# _core/tests/test_ufunc.py, test_logical_ufuncs..., and accumulate of bitwise operators
@pytest.mark.parametrize(
    ("op", "theirs"),
    sweep(
        [
            (sycl.logical_and, np.logical_and), (sycl.logical_or, np.logical_or), (sycl.bit_and, np.bitwise_and),
            (sycl.bit_or, np.bitwise_or), (sycl.bit_xor, np.bitwise_xor), (sycl.plus, np.add),
            (sycl.multiplies, np.multiply), (sycl.maximum, np.maximum),
        ],
        [(sycl.logical_or, np.logical_or), (sycl.bit_xor, np.bitwise_xor), (sycl.plus, np.add), (sycl.maximum, np.maximum)],
    ),
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_accumulate(where, op, theirs, thorough):
    x = np.array([[7, 3, 0, 1], [5, 5, 5, 4], [6, 0, 2, 2]], "i4")
    for axis in (0, 1) if thorough or not where or op is sycl.plus else (0,):
        want = theirs.accumulate(x, axis, dtype="i8" if theirs in (np.add, np.multiply) else None)
        same(sycl.inclusive_scan(x, op, axis=axis, **where), want)
        before = sycl.exclusive_scan(x, op, axis=axis, initial=2, **where)
        start = np.moveaxis(before, axis, 0)[0]
        assert np.all(start == (True if theirs in (np.logical_and, np.logical_or) else 2))


def test_a_small_array_alone_needs_no_function_of_pythons():
    def function(*arguments, **named):
        return arguments, named

    x, called = np.array([[3, -1], [2, -1]], np.float32), []
    theirs = {
        "cumsum": np.cumsum,
        "cumprod": np.cumprod,
        "cummin": np.minimum.accumulate,
        "cummax": np.maximum.accumulate,
    }
    for name, number in SCANS_AT_ONCE.items():
        entry, own = _core.entry(function, -1, number), getattr(sycl, name)
        same(entry(x), theirs[name](x.reshape(-1)))
        own(x)
        sys.setprofile(lambda _, event, __: called.append(event))
        own(x)
        sys.setprofile(None)
        assert "call" not in called
        same(entry(x, 0), theirs[name](x, 0))
        same(entry(x, axis=1), theirs[name](x, 1))
        assert entry([3, 1]) == (([3, 1],), {})
        for more in (2, 0.0, None):
            assert entry(x, more)[0][1] is more
        assert entry(x, out=x)[1]["out"] is x
        wide = {"dtype": "f8", "axis": -1}
        if name in ("cumsum", "cumprod"):
            for dtype in ("f8", "float64", np.float64, np.dtype("f8"), "f4", None):
                same(entry(x, dtype=dtype), theirs[name](x, dtype=dtype))
            same(entry(x, **wide), theirs[name](x, **wide))
            for dtype in ("?", "V8", "nothing", 7):
                assert entry(x, dtype=dtype) == ((x,), {"dtype": dtype})
        else:
            assert entry(x, **wide) == ((x,), wide)
        assert entry(x, 0, axis=1) == ((x, 0), {"axis": 1})
        assert entry(x=x) == ((), {"x": x})
    with pytest.raises(ValueError, match="^scan: 7 is no scan$"):
        _core.entry(function, -1, 7)
    assert _core.entry(function, 0, -1)(x, dtype="f8") == ((x,), {"dtype": "f8"})  # a sum's is for others


@pytest.mark.parametrize("word", ["f8", "float64", "double", "float", "<f8"])
def test_a_type_by_any_of_its_words_needs_no_launch(word):
    x = np.array([3, -1, 2], np.float32)
    with recorded() as passes:
        same(sycl.cumsum(x, dtype=word), np.cumsum(x, dtype=word))
        same(sycl.exclusive_scan(x, dtype=word, initial=1), np.array([1.0, 4.0, 3.0]))
    assert not passes


# _core/tests/test_regression.py, test_noncommutative_reduce_accumulate: left folds are refused, and told what else they are
def test_noncommutative_reduce_accumulate(where):
    tosubtract, todivide = np.arange(1, 6), np.array([2.0, 0.5, 0.25])
    same(2 * tosubtract[0] - sycl.cumsum(tosubtract, **where), np.subtract.accumulate(tosubtract))
    same(todivide[0] * todivide[0] / sycl.cumprod(todivide, **where), np.divide.accumulate(todivide))
    assert 2 * tosubtract[0] - sycl.sum(tosubtract, **where) == np.subtract.reduce(tosubtract)
    assert todivide[0] * todivide[0] / sycl.prod(todivide, **where) == np.divide.reduce(todivide)
    sums, products = "2 * x[0] - cumsum(x) or 2 * x[0] - sum(x)", "x[0] * x[0] / cumprod(x) or x[0] * x[0] / prod(x)"
    keys = np.zeros(5, int)
    for op, text, meant in (
        ("a - b", "op: 'a - b': subtraction is not associative", sums), (np.divide, "got <ufunc 'divide'>; division", products),
        (sycl.BinaryOp("a/b"), "op: 'a/b': division is not associative", products), (np.subtract, "subtraction", sums),
    ):  # fmt: skip
        for call in (
            lambda op: sycl.inclusive_scan(tosubtract, op, **where), lambda op: sycl.reduce(tosubtract, op, **where),
            lambda op: sycl.reduce_by_key(keys, tosubtract, op, **where), lambda op: sycl.make_scan(op, "i8"),
        ):  # fmt: skip
            with pytest.raises(sycl.InvalidParameterError) as error:
                call(op)
            assert text in str(error.value) and str(error.value).endswith(meant)
    for text, why in (("(a) - (b)", sums), ("( a /b )", products), ("b - a", "associative"), ("b/a", "associative")):
        for call in (
            lambda op: sycl.exclusive_scan(tosubtract, op, **where),
            lambda op: sycl.scanner(sycl.BinaryOp(op), "i4"),
        ):
            with pytest.raises(sycl.InvalidParameterError) as error:
                call(text)
            assert str(error.value).startswith(f"op: '{text.strip()}': ") and str(error.value).endswith(why)
    # Neither: of a, and of -b
    same(sycl.inclusive_scan(tosubtract, "a - (-b)", **where), np.cumsum(tosubtract))


# _core/tests/test_ufunc.py, test_accumulate_... of arrays that overlap their out; and of out itself
def test_out_in_place_and_overlapping(where):
    for dtype in ("i8", "f4"):
        x = np.arange(200).astype(dtype)
        want = np.cumsum(x)
        assert sycl.cumsum(x, out=x, **where) is x
        same(x, want)
        memory = np.arange(300).astype(dtype)
        want = np.cumsum(memory[:200])
        sycl.cumsum(memory[:200], out=memory[50:250], **where)
        same(memory[50:250], want)
        table = np.arange(60).reshape(6, 10).astype(dtype)
        want = np.cumsum(table, 0)
        sycl.cumsum(table, 0, out=table, **where)
        same(table, want)
        backwards = np.zeros(400, dtype)[::-2]
        assert sycl.cumsum(np.ones(200, dtype), out=backwards, **where) is backwards
        same(backwards, np.arange(1, 201).astype(dtype))


# lib/tests/test_function_base.py, TestDiff.test_basic, test_nd, test_n, test_prepend, test_append
def test_diff(queue):
    same(sycl.diff([1, 4, 6, 7, 12], queue=queue), [3, 2, 1, 5])
    same(sycl.diff([1, 4, 6, 7, 12], n=3, queue=queue), [0, 5])
    same(sycl.diff([True, True, False, False], queue=queue), [False, True, False])
    same(sycl.diff([True, True, False, False], n=2, queue=queue), [True, True])
    x = np.random.default_rng(1).random((10, 20, 30)).astype("f4")
    for axis in (0, 1, 2, -1, -2):
        for n in (1, 2):
            same(sycl.diff(x, n, axis, queue=queue), np.diff(x, n, axis))
    numbers = [0, 1, 2]
    assert sycl.diff(numbers, 0) is numbers
    for n in range(1, 5):
        same(sycl.diff(numbers, n, queue=queue), np.diff(numbers, n))
    small = np.arange(4).reshape(2, 2)
    for more in ({"prepend": 0}, {"append": 0}, {"prepend": [[0], [0]]}, {"prepend": -1, "append": 7}):
        same(sycl.diff(small, axis=1, queue=queue, **more), np.diff(small, axis=1, **more))
    same(sycl.diff(small, axis=0, append=[[0, 0]], queue=queue), np.diff(small, axis=0, append=[[0, 0]]))
    same(sycl.cumsum(sycl.diff(np.arange(5) + 1, prepend=0)), np.arange(5) + 1)
    same(sycl.diff(np.array([3, 1, 2], "u1"), queue=queue), np.diff(np.array([3, 1, 2], "u1")))


def test_what_diff_refuses():
    with pytest.raises(AxisError):
        sycl.diff(np.zeros((10, 20, 30)), axis=3)
    with pytest.raises(ValueError, match="order must be non-negative but got -1"):
        sycl.diff([1, 2], n=-1)
    with pytest.raises(ValueError, match="diff requires input that is at least one dimensional"):
        sycl.diff(np.array(1.5))
    with pytest.raises(ValueError, match="prepend"):
        sycl.diff(np.zeros((2, 2)), prepend=np.zeros((3, 3)))


# _core/tests/test_multiarray.py, TestMethods.test_compress and TestFlag..., without an axis
@pytest.mark.parametrize("dtype", sweep(["?", *NUMBERS, "f2", "u8"], ["?", "i4"]))
def test_compress(where, queue, dtype, thorough):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, (5, 40)).astype(dtype)
    views = [x, x[:0], x.T, x[::-1, ::3], x.reshape(5, 2, 4, 5).transpose(3, 1, 0, 2)]
    for view in views if thorough else [x, *views[3:]] if dtype == "i4" else views[:2]:
        for chosen in (rng.random(view.shape) < 0.4, np.zeros(view.shape, "?"), np.ones(view.shape, "?")):
            same(sycl.select(view, chosen, **where), np.compress(chosen.reshape(-1), view))
            yes, no = sycl.split_by(view, chosen, queue=queue)
            same(yes, view[chosen])
            same(no, view[~chosen])
        same(sycl.flatnonzero(view, **where), np.flatnonzero(view))
    if np.dtype(dtype).kind not in "bc":
        same(sycl.select(x, "x > 1", queue=queue), x[x > 1])


# _core/tests/test_multiarray.py, TestMethods.test_compress, with masks of all parts; fromnumeric.compress with out=
@pytest.mark.parametrize("dtype", sweep(["?", *NUMBERS, "f2", "u8"], ["i4"]))
def test_compress_along_an_axis(queue, dtype, thorough):
    arr = np.arange(10).reshape(2, 5)
    same(sycl.select(arr, [False, True], axis=0, queue=queue), np.array([[5, 6, 7, 8, 9]]))
    same(sycl.select(arr, [False, True, False, True, False], axis=1, queue=queue), np.array([[1, 3], [6, 8]]))
    rng = np.random.default_rng(8)
    x = rng.integers(0, 3, (5, 6, 7)).astype(dtype)
    views = [x, x.T, x[:, ::-2], x[:0], np.broadcast_to(x[:1], (4, 6, 7)), x.reshape(5, 1, 6, 7)[:, :, ::2]]
    for view in views if thorough or dtype == "i4" else views[:2]:
        for axis in range(-view.ndim, view.ndim):
            count = view.shape[axis]
            for mask in (
                rng.random(count) < 0.5,
                np.zeros(count, "?"),
                np.ones(count, "?"),
                np.arange(count) == count - 1,
            ):
                want = np.compress(mask, view, axis)
                same(sycl.select(view, mask, axis, queue=queue), want)
                out = np.zeros(want.shape, dtype)
                assert sycl.select(view, mask, axis=axis, out=out, queue=queue) is out
                same(out, want)
    same(sycl.select(np.array(3), [True], 0, queue=queue), np.compress([True], np.array(3), 0))


def test_compress_into_memory(queue):
    x = np.array([3, -1, 4, -1, 5], "i4")
    for out in (np.zeros(3, "i4"), np.zeros(3, "f8"), np.zeros(6, "i8")[::2]):
        assert sycl.select(x, "x > 0", out=out, queue=queue) is out
        same(out, np.compress(x > 0, x).astype(out.dtype))
    for wrong in (np.zeros(5, "i4"), np.zeros(3, "u4")):
        with pytest.raises(sycl.InvalidParameterError, match="^out: "):
            sycl.select(x, "x > 0", out=wrong, queue=queue)


# _core/tests/test_numeric.py, TestNonzero.test_nonzero_onedim: as many as there are, or none
@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 1000])
def test_flatnonzero(where, count):
    for x in (np.zeros(count, "i4"), np.ones(count, "i4"), np.arange(count) % 3 == 1, np.full(count, np.nan, "f4")):
        same(sycl.flatnonzero(x, **where), np.flatnonzero(x))


def test_few_elements_are_numpys(monkeypatch, queue):
    def launched(*_, **__):
        raise LookupError

    monkeypatch.setattr("pysycl._scans.scan_select.counted", launched)
    half, few = np.arange(1 << 15) % 2 == 0, np.arange(1 << 15) % 100 == 0
    small = np.arange(4000, dtype="f4") % 3
    same(sycl.flatnonzero(half), np.flatnonzero(half))
    same(sycl.flatnonzero(small), np.flatnonzero(small))
    same(sycl.select(few, few), few[few])
    same(sycl.select(small, small > 1), small[small > 1])
    for one in (
        lambda: sycl.flatnonzero(half, queue=queue), lambda: sycl.select(half, half), lambda: sycl.select(small, "x > 1"),
        lambda: sycl.select(small, small > 1, out=np.empty(1333, "f4")),
    ):  # fmt: skip
        with pytest.raises(LookupError):
            one()


# _core/tests/test_multiarray.py, TestMethods.test_repeat
def test_repeat(queue):
    m = np.array([1, 2, 3, 4, 5, 6])
    table = m.reshape(2, 3)
    for repeats in ([1, 3, 2, 1, 1, 2], 2, [2], [0] * 6, np.array([1, 0, 2, 0, 70, 1], "u1"), [0, 0, 0, 0, 0, 5000]):
        same(sycl.repeat(m, repeats, queue=queue), np.repeat(m, repeats))
    same(sycl.repeat(table, 2, queue=queue), np.repeat(table, 2))
    for repeats, axis in (([1, 3], 0), ([1, 3, 2], 1), (2, 0), (2, 1), ([2], -1)):
        same(sycl.repeat(table, repeats, axis=axis, queue=queue), np.repeat(table, repeats, axis=axis))
    for wrong in ([1, 2], [-1, 1, 1, 1, 1, 1], -1):
        with pytest.raises(ValueError, match="repeats"):
            sycl.repeat(m, wrong)
    with pytest.raises(AxisError):
        sycl.repeat(table, 2, axis=2)


# the same, along every axis of views
@pytest.mark.parametrize("dtype", sweep(["?", *NUMBERS, "f2", "u8"], ["c8"]))
def test_repeat_along_an_axis(queue, dtype, thorough):
    rng = np.random.default_rng(9)
    x = rng.integers(0, 3, (4, 5, 6)).astype(dtype)
    views = [x, x.T, x[::-1, :, ::2], x[:, :0], np.broadcast_to(x[:1], (3, 5, 6))]
    for view in views if thorough or dtype == "i4" else views[:2]:
        for axis in range(-view.ndim, view.ndim):
            count = view.shape[axis]
            for repeats in (0, 1, 3, [2], rng.integers(0, 4, count), np.where(np.arange(count) == 1, 90, 0)):
                same(sycl.repeat(view, repeats, axis, queue=queue), np.repeat(view, repeats, axis))
    same(sycl.repeat(np.array(3), 2, axis=0, queue=queue), np.repeat(np.array(3), 2, axis=0))


# -- what is refused --

REFUSED = [
    (lambda: sycl.cumsum(np.zeros(3), 1), "axis: 1 is out of bounds for an array of 1 dimensions"),
    (lambda: sycl.cumsum(np.zeros((2, 2)), (0, 1)), "axis: expected None or an int, got (0, 1)"),
    (lambda: sycl.cumsum(np.zeros(3), out=np.zeros(4)), "out: expected the shape (3,), got (4,)"),
    (lambda: sycl.cumsum(np.zeros(3, "M8[s]")), "x: expected bool, integers of 8 to 64 bits, float16, float32, float64, "
     "complex64 or complex128, got datetime64[s]"),
    (lambda: sycl.cumulative_sum(np.zeros((2, 2))), "axis: for arrays which have more than one dimension it is required"),
    (lambda: sycl.cumsum(np.zeros(3), accuracy="pairwise"), "accuracy: of a scan expected one of fast, compensated, exact, "
     "got 'pairwise'"),
    (lambda: sycl.inclusive_scan(np.zeros(3), np.add), "op: expected a function object such as plus, a BinaryOp, or OpenCL "
     "C in a and b, got <ufunc 'add'> (did you mean sycl.plus?)"),
    (lambda: sycl.exclusive_scan(np.zeros(3), "a > b ? a : b"), "initial: an exclusive scan begins with a value, and no "
     "identity of 'a > b ? a : b' is known; give initial=, or the operator an identity"),
    (lambda: sycl.inclusive_scan(np.zeros(3), sycl.maximum, dtype="f4"), "dtype: maximum has no other type than the "
     "elements', got 'f4'"),
    (lambda: sycl.inclusive_scan(np.zeros(3, int), segments=[0, 1, 3]), "segments: 3 integers from 0 to 3 are offsets as "
     "well as keys: give ('offsets', s) or ('keys', s)"),
    (lambda: sycl.inclusive_scan(np.zeros(3), segments=("heads", [0])), "segments: expected one of offsets, flags, keys, "
     "got 'heads'"),
    (lambda: sycl.inclusive_scan(np.zeros(3), segments=[0, 2, 1, 3, 3]), "segments: offsets that become smaller, 1 behind 2"),
    (lambda: sycl.segmented_reduce(np.zeros(3), [0, 9]), "segments: offsets from 0 to 9, and x has 3 elements"),
    (lambda: sycl.segmented_reduce(np.zeros(3), [0, 2, 2, 3, 3], "a > b ? a : b"), "segments: one is empty, and no identity "
     "of 'a > b ? a : b' is known; give initial="),
    (lambda: sycl.select(np.zeros(3), [True]), "condition: a mask of the shape (1,), and x has the shape (3,)"),
    (lambda: sycl.select(np.zeros(3), [1, 0, 1]), "condition: expected OpenCL C in x, or a mask of bool, got one of int64"),
    (lambda: sycl.select(np.zeros(3), " "), "condition: expected OpenCL C in x, or a mask, got ' '"),
    (lambda: sycl.select(np.zeros((2, 3)), [True, False], 1), "condition: a mask of the shape (2,), and x has 3 parts along "
     "axis 1"),
    (lambda: sycl.select(np.zeros((2, 3)), "x > 0", 1), "condition: along an axis expected a mask of bool, got 'x > 0'"),
    (lambda: sycl.select(np.zeros((2, 3)), [1, 0], 0), "condition: expected a mask of bool, got one of int64"),
    (lambda: sycl.select(np.zeros((2, 3)), [True, False], 2), "axis: 2 is out of bounds for an array of 2 dimensions"),
    (lambda: sycl.select(np.zeros((2, 3)), [True, False], (0, 1)), "axis: expected None or an int, got (0, 1)"),
    (lambda: sycl.select(np.zeros(3), "x >= 0", out=np.zeros(2)), "out: expected the shape (3,), got (2,)"),
    (lambda: sycl.reduce_by_key([1, 2], [1, 2, 3]), "keys: 2 for 3 values"),
    (lambda: sycl.repeat(np.zeros(3), [1.5, 1, 1]), "repeats: expected integers, got float64"),
    (lambda: sycl.transform("x + y", x=np.zeros(3), y=np.zeros(2)), "the arguments cannot be broadcast against each other: "
     "x (3,), y (2,)"),
    (lambda: sycl.transform("x * row [k]", x=np.zeros(3), k=np.zeros(3, "i4"), row=np.ones(2)), "the arguments cannot be "
     "broadcast against each other: x (3,), k (3,), row (2,); 'row' is an element in this text: row[k] is for the text of a "
     "parallel_for"),
    (lambda: sycl.transform("1"), "the arguments: expected an array among them"),
    (lambda: sycl.generate(3, "l.append(i);"), "the arguments: expected a list among them, as pairs='i4'"),
    (lambda: sycl.generate(3, "m.append(i);", l="i4"), "l: the text appends nothing to it: l.append(value)"),
    (lambda: sycl.generate(3, "l.append(i);", l="?"), "l: lists of bool are not there; make it uint8, or float32"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    call, text = REFUSED[number]
    with pytest.raises(sycl.InvalidParameterError, match=f"^{re.escape(text)}$"):
        call()
