"""NumPy's tests of accumulate, diff, compress, nonzero and repeat that regressions left: sizes that overlap in vectors, no
elements, bytes in another order, fields of structs. The name of NumPy's test stands beside each."""

import itertools

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
LINES = (2, 8, 32, 64, 128, 256)


def same(ours, theirs):
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours, theirs)
    np.testing.assert_array_equal(ours, theirs)


# _core/tests/test_umath.py, test_memoverlap_accumulate
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_extremes_of_five(where, dtype):
    x = np.array([0.61, 0.60, 0.77, 0.41, 0.19], dtype)
    same(sycl.cummax(x, **where), np.array([0.61, 0.61, 0.77, 0.77, 0.77], dtype))
    same(sycl.cummin(x, **where), np.array([0.61, 0.60, 0.60, 0.41, 0.19], dtype))


# test_memoverlap_accumulate_cmp
@pytest.mark.parametrize("dtype", sweep(["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"], ["?", "f4"]))
def test_accumulated_truth(where, dtype):
    for size in LINES:
        x = np.array([0, 1, 1] * size, dtype)
        for op, theirs in ((sycl.logical_and, np.logical_and), (sycl.logical_or, np.logical_or)):
            for each in (x, x[1:]):
                want = np.array(list(itertools.accumulate(each, theirs)), "?")
                same(sycl.inclusive_scan(each, op, **where), want)


# test_memoverlap_accumulate_symmetric: of float16 the sums are made in float32
@pytest.mark.parametrize("dtype", sweep(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"], ["i4", "f4"]))
def test_accumulated_values(where, dtype):
    calls = [
        (lambda x: sycl.cumsum(x, dtype=dtype, **where), np.add), (lambda x: sycl.cumprod(x, dtype=dtype, **where), np.multiply),
        (lambda x: sycl.cummax(x, **where), np.maximum), (lambda x: sycl.cummin(x, **where), np.minimum),
    ]  # fmt: skip
    if np.dtype(dtype).kind in "iu":
        bits = ((sycl.bit_and, np.bitwise_and), (sycl.bit_or, np.bitwise_or), (sycl.bit_xor, np.bitwise_xor))
        calls += [(lambda x, op=op: sycl.inclusive_scan(x, op, **where), theirs) for op, theirs in bits]
    for size in LINES:
        x = np.array([1, 0, 2] * size).astype(dtype)
        for ours, theirs in calls:
            start = x[2:] if theirs is np.multiply else x
            same(ours(start), theirs.accumulate(start, dtype=dtype))


# _core/tests/test_ufunc.py, test_reduce_zero_axis; _core/tests/test_regression.py, test_zerosize_accumulate
def test_of_no_lines_and_of_no_elements(where):
    for shape in ((30, 0), (0, 30), (30, 30), (0, 0)):
        x = np.arange(float(np.prod(shape))).reshape(shape) % 7 - 3
        for axis in (0, 1):
            same(sycl.cummax(x, axis, **where), np.maximum.accumulate(x, axis))
            same(sycl.cumsum(x, axis, **where), np.add.accumulate(x, axis))
    same(sycl.cumsum(np.array([[42, 0]], "u4")[:-1, 0], dtype="u4", **where), np.zeros(0, "u4"))


# _core/tests/test_ufunc.py, test_reducelike_byteorder_resolution; test_reducelike_output_needs_identical_cast: is refused
def test_bytes_in_another_order(where):
    other = np.dtype("i8").newbyteorder()
    same(sycl.cumsum(np.arange(10, dtype=other), **where), np.cumsum(np.arange(10)))
    with pytest.raises(sycl.InvalidParameterError, match="^out: .* is in the byte order of another kind of machine"):
        sycl.cumsum(np.ones(20), out=np.empty(20, np.dtype("f8").newbyteorder()), **where)


# test_reduceat_and_accumulate_out_shape_mismatch and ..._dtype_resolution_failure
@pytest.mark.parametrize("out", [np.arange(3), np.arange(3.0), np.empty(5, "U5")], ids=["shape", "and type", "text"])
def test_out_that_cannot_be(where, out):
    with pytest.raises(sycl.InvalidParameterError, match="^out: "):
        sycl.cumsum(np.arange(5), out=out, **where)


# lib/tests/test_function_base.py, TestDiff.test_n, test_nd: as many times as there are elements, and more
@pytest.mark.parametrize("dtype", sweep(["?", "i1", "u1", "i2", "i8", "u8", "f2", "f4", "f8", "c8"], ["?"]))
def test_many_times(queue, dtype):
    rng = np.random.default_rng(5)
    x = rng.integers(-60, 60, (5, 23)).astype(dtype)
    for view in (x, x.T, x[:, ::-2]):
        for axis in (0, 1):
            for n in (1, 2, 3, 7, 8, 9, 17, 24):
                with np.errstate(over="ignore", invalid="ignore"):
                    want = np.diff(view, n, axis)
                same(sycl.diff(view, n, axis, queue=queue), want)


# TestDiff.test_prepend, test_append: several elements; test_times: none of times
def test_several_at_the_ends(queue):
    x = np.arange(5) + 1
    for more in ({"prepend": [-1, 0]}, {"append": [0, 2]}, {"prepend": [0]}, {"append": [0]}):
        same(sycl.diff(x, queue=queue, **more), np.diff(x, **more))
    with pytest.raises(sycl.InvalidParameterError, match=r"^x: expected bool.*, got timedelta64\[s\]$"):
        sycl.diff(np.arange(3).astype("m8[s]"))


# lib/tests/test_function_base.py, TestDiff.test_prepend, test_append: of any other type, which decides the result's with x's
@pytest.mark.parametrize("dtype", sweep(TYPES, ["u8"]))
def test_other_types_at_the_ends(queue, dtype):
    rng = np.random.default_rng(6)
    x = rng.integers(0, 100, (3, 12)).astype(dtype)
    for other, last in itertools.product(TYPES, ("?", "i1", "u8", "c8", "f4")):
        ends = rng.integers(0, 100, (3, 2)).astype(other), rng.integers(0, 100, (3, 5)).astype(last)
        for more in ({"append": ends[0]}, {"prepend": ends[0], "append": ends[1][1, 1]}):
            with np.errstate(over="ignore"):
                want = np.diff(x, 3, **more)
            same(sycl.diff(x, 3, queue=queue, **more), want)


# _core/tests/test_regression.py, test_compress_small_type
def test_compress_into_a_smaller_type(queue):
    x = np.array([[1, 2], [3, 4]])
    out = np.zeros((2, 1), "f4")
    assert sycl.select(x, [True, False], 1, out=out, queue=queue) is out
    np.testing.assert_array_equal(out, [[1], [3]])
    with pytest.raises(sycl.InvalidParameterError, match="^out: "):
        sycl.select(x, [True, False], 1, out=np.empty((2, 1), "?"), queue=queue)


# test_repeat_discont, test_repeat_broadcasting
def test_repeat_of_steps_and_of_one_count(queue):
    same(sycl.repeat(np.arange(12).reshape(4, 3)[:, 2], 3, queue=queue), [2, 2, 2, 5, 5, 5, 8, 8, 8, 11, 11, 11])
    x = np.arange(60).reshape(3, 4, 5)
    for axis in (*range(-3, 3), None):
        want = np.repeat(x, 2, axis)
        same(sycl.repeat(x, 2, axis, queue=queue), want)
        same(sycl.repeat(x, [2], axis, queue=queue), want)


# _core/tests/test_numeric.py, TestNonzero: test_nonzero_trivial, test_nonzero_onedim, test_nonzero_twodim, fields of structs
def test_nonzero_of_fields(where):
    for x in (np.array([]), np.array([], "?"), np.array([0]), np.array([0], "?"), np.array([1]), np.array([1], "?")):
        same(sycl.flatnonzero(x, **where), np.flatnonzero(x))
    rows = [(1, 2, -5, -3), (0, 0, 2, 7), (1, 1, 0, 1), (-1, 3, 1, 0), (0, 7, 0, 4)]
    x = np.array(rows, [("a", "i4"), ("b", "i2"), ("c", "i1"), ("d", "i8")])
    table = np.array(
        [[(0, 1), (0, 0), (1, 11)], [(1, 1), (1, 0), (0, 0)], [(0, 0), (1, 5), (0, 1)]], [("a", "f4"), ("b", "u1")]
    )
    assert not table["a"].T.flags.aligned
    for each in (
        *(x[name] for name in "abcd"),
        table["a"],
        table["b"],
        table["a"].T,
        table["b"].T,
        np.eye(3, dtype="i1"),
    ):
        same(sycl.flatnonzero(each, **where), np.flatnonzero(each))


# TestNonzero.test_sparse
def test_nonzero_of_few(where):
    for i in range(20):
        x, y = np.zeros(200, "?"), np.zeros(400, "?")
        x[i::20] = True
        y[10 + i : 20 + i] = True
        y[20 + i * 2] = True
        for each in (x, y):
            same(sycl.flatnonzero(each, **where), np.flatnonzero(each))


# TestNonzero.test_nonzero_float_dtypes, test_nonzero_integer_dtypes
@pytest.mark.parametrize("dtype", sweep(["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"], ["?", "f4"]))
def test_nonzero_of_types(where, dtype):
    rng = np.random.default_rng(10)
    x = (2**33 * rng.normal(size=100) if dtype[0] == "f" else rng.integers(0, 255, 100)).astype(dtype)
    x[rng.choice(50, size=100)] = 0
    same(sycl.flatnonzero(x, **where), np.flatnonzero(x))


@pytest.mark.parametrize(
    ("order", "dtype"),
    sweep(
        [(order, dtype) for order in (2, 16, 17, 64, 65, 130) for dtype in ("?", "i1", "f2", "f4", "c8")],
        [(2, "?"), (16, "i1"), (16, "c8"), (17, "f4"), (64, "f2"), (65, "?"), (65, "i1"), (130, "f4")],
    ),
)
def test_differences_of_high_orders(queue, order, dtype):
    """Bit by bit: each is the difference of two that NumPy has made before; along each axis, backwards, of few and of none."""
    rng = np.random.default_rng(order)
    shapes = [((2003,), 0), ((7, 700), -1), ((700, 7), 0), ((3, 150, 4), 1), ((2, order + 1), 1), ((2, order), 1)]
    for shape, axis in shapes:
        x = rng.integers(0, 2 if dtype == "?" else 90, shape).astype(dtype)
        if dtype[0] in "fc":
            x = (x / np.array(7, dtype)).astype(dtype)
        x = np.flip(x, axis)
        with np.errstate(all="ignore"):
            want = np.diff(x, order, axis)
        found = sycl.diff(x, order, axis, queue=queue)
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want, err_msg=str(shape))


def test_structs_of_an_expression_have_types(queue):
    """Those of arguments, x_t, and that of the result, T, in the text and in its preamble."""
    pair, triple = np.dtype([("key", "f4"), ("at", "i4")]), np.dtype([("u", "i4"), ("v", "f4"), ("w", "i4")])
    p = np.array([(1.5, -3), (-2.5, 7)], pair)
    found = sycl.transform(
        "turned((p_t){-p.key, p.at + k})", p=p, k=4, dtype=triple, queue=queue,
        preamble="T turned(p_t v)\n{\n    return (T){v.at, v.key, (int)sizeof(p_t)};\n}",
    )  # fmt: skip
    assert found.tolist() == [(1, -1.5, 8), (11, 2.5, 8)]
    wider = sycl.transform("(T){x, 1, 2}", x=np.array([[5], [6]], "i4"), dtype=triple, queue=queue)
    assert wider.tolist() == [[(5, 1.0, 2)], [(6, 1.0, 2)]]
