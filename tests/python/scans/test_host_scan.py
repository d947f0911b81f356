"""Scans of small NumPy arrays on the calling thread: what NumPy's accumulate() gives."""

import itertools

import numpy as np
import pytest

from pysycl import _core

OPERATORS = [
    np.add, np.multiply, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
]  # fmt: skip
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
TYPES = ["?", *INTEGERS, "f4", "f8"]
SIZES = [0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 2**16 + 3]


def has(op, dtype):
    return np.dtype(dtype).kind != "f" or op in OPERATORS[:4]


CASES = [(op, dtype) for op in OPERATORS for dtype in TYPES if has(op, dtype)]
each_case = pytest.mark.parametrize(
    ("op", "dtype"), CASES, ids=lambda value: value if isinstance(value, str) else value.__name__
)


def scan(x, op, axis=None, dtype=None, out=None, exclusive=False, reverse=False, initial=None):
    dtype = np.dtype(dtype) if isinstance(dtype, str) and dtype != "no type" else dtype
    return _core.host_scan(x, OPERATORS.index(op), axis, dtype, out, exclusive, reverse, initial)


def nothing(op, dtype):
    """What combines to nothing."""
    dtype = np.dtype(dtype)
    if op in (np.minimum, np.maximum) and dtype.kind != "b":
        ends = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return ends[op is np.minimum]
    if op is np.bitwise_and and dtype.kind == "i":
        return -1
    if op in (np.minimum, np.bitwise_and):
        return True if dtype.kind == "b" else np.iinfo(dtype).max
    return 1 if op is np.multiply else 0


def expected(x, op, axis, dtype=None, exclusive=False, reverse=False, initial=None):
    """By NumPy, of the type of a scan. Sums of floating-point numbers are more precise."""
    dtype = np.dtype(dtype) if dtype is not None else op.accumulate(np.ones(1, x.dtype)).dtype
    x = x.astype(np.longdouble if op is np.add and dtype.kind == "f" else dtype)
    if x.size == 0:
        return x, dtype
    x = np.flip(x, axis) if reverse else x
    if exclusive or initial is not None:
        shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        first = np.full(shape, nothing(op, dtype) if initial is None else initial, x.dtype)
        x = np.concatenate([first, x[(slice(None),) * axis + (slice(0, -1 if exclusive else None),)]], axis)
    with np.errstate(over="ignore"):
        y = op.accumulate(x, axis=axis, dtype=x.dtype)
    if initial is not None and not exclusive:
        y = y[(slice(None),) * axis + (slice(1, None),)]
    return (np.flip(y, axis) if reverse else y), dtype


def check(x, op, axis=0, dtype=None, **options):
    found = scan(x, op, axis, dtype, options.pop("out", None), *(options.get(word) for word in FLAGS))
    assert found is not None
    same(found, x, op, axis, dtype, **options)
    return found


FLAGS = ["exclusive", "reverse", "initial"]


def same(found, x, op, axis, dtype=None, **options):
    wanted, dtype = expected(x, op, axis, dtype, **options)
    assert found.dtype == dtype
    assert found.shape == x.shape
    if op is np.add and dtype.kind == "f":
        # A carry of float32 is more precise; one of float64 is rounded again and again.
        most = 2 + (np.sqrt(x.shape[axis]) if dtype == "f8" else 0)
        assert (np.abs(found - wanted) <= most * np.finfo(dtype).eps * np.abs(wanted)).all()
    else:
        np.testing.assert_array_equal(found, wanted)


def values(rng, dtype, shape, op):
    """Of all of a type's numbers, so that integers wrap; of both signs, but for sums, whose errors are measured by them."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < (0.9 if op in (np.multiply, np.bitwise_and) else 0.2)
    if kind == "f":
        x = rng.random(shape) + 0.5 if op in (np.add, np.multiply) else rng.standard_normal(shape)
        return x.astype(dtype)
    ends = np.iinfo(dtype)
    x = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
    return x | 1 if op is np.multiply else x


@each_case
def test_sizes(op, dtype):
    rng = np.random.default_rng(1)
    for size in SIZES:
        x = values(rng, dtype, size, op)
        for exclusive, reverse in itertools.product([False, True], repeat=2):
            check(x, op, exclusive=exclusive, reverse=reverse)


@pytest.mark.parametrize("op", [np.minimum, np.maximum])
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f4", "f8"])
def test_extremes_of_numbers_of_one_sign(op, dtype):
    """What is not there yet is no 0."""
    x = -np.random.default_rng(2).integers(1, 100, 300).astype(dtype)
    for exclusive, reverse in itertools.product([False, True], repeat=2):
        check(x, op, exclusive=exclusive, reverse=reverse)
        check(-x, op, exclusive=exclusive, reverse=reverse)


SHAPES = [(1,), (5, 1), (3, 70), (70, 3), (2, 600), (600, 2), (1, 33), (33, 40), (4, 1, 9), (3, 65, 8), (2, 3, 600)]


@each_case
def test_along_an_axis(op, dtype):
    rng = np.random.default_rng(3)
    for shape in SHAPES:
        x = values(rng, dtype, shape, op)
        for axis in range(len(shape)):
            exclusive, reverse = rng.random(2) < 0.5
            check(x, op, axis, exclusive=exclusive, reverse=reverse)
            same(scan(x, op, axis - len(shape)), x, op, axis)


def strided(rng, x):
    """Views of the same memory: backwards, with gaps, other orders of axes, one element again and again."""
    yield x[::-1]
    yield x[..., ::-1]
    yield x[..., ::2]
    yield x[..., ::-3]
    yield x[1::2]
    yield x.T
    yield np.moveaxis(x, 0, -1)[::-1]
    yield np.broadcast_to(x[:1], x.shape)
    yield np.broadcast_to(x[..., :1], x.shape)
    yield np.asfortranarray(x)[..., 1:]


@each_case
def test_views(op, dtype):
    rng = np.random.default_rng(4)
    for shape in [(1100,), (9, 130), (130, 9), (5, 6, 40)]:
        for x in strided(rng, values(rng, dtype, shape, op)):
            exclusive, reverse = rng.random(2) < 0.5
            for axis in range(x.ndim):
                check(x, op, axis, exclusive=exclusive, reverse=reverse)


@each_case
def test_destinations(op, dtype):
    """Results go where they shall: with gaps, backwards, of another order of axes; what lies between stays."""
    rng = np.random.default_rng(5)
    for shape in [(1100,), (9, 130), (130, 9), (5, 6, 40)]:
        x = values(rng, dtype, shape, op)
        result = expected(x, op, 0)[1]
        for axis in range(x.ndim):
            memory = np.full([2 * size for size in shape], 1, result)
            out = memory[(slice(None, None, -2),) * x.ndim]
            reverse = bool(rng.random() < 0.5)
            assert check(x, op, axis, out=out, reverse=reverse) is out
            same(out, x, op, axis, reverse=reverse)
            assert (memory[::2] == 1).all()
            out = np.empty(shape[::-1], result).T
            assert check(x, op, axis, out=out, exclusive=True) is out


@each_case
def test_in_place(op, dtype):
    rng = np.random.default_rng(6)
    for shape in [(1100,), (2**16 + 3,), (9, 130), (130, 9), (5, 6, 40)]:
        for gap in (1, -1, 2):
            for exclusive, reverse in itertools.product([False, True], repeat=2):
                axis = int(rng.integers(len(shape)))
                x = values(rng, dtype, shape, op)[..., ::gap]
                before = x.copy()
                found = scan(x, op, axis, x.dtype, x, exclusive, reverse)
                assert found is x
                same(x, before, op, axis, dtype, exclusive=exclusive, reverse=reverse)


@each_case
def test_initial(op, dtype):
    rng = np.random.default_rng(7)
    result = expected(np.ones(1, dtype), op, 0)[1]
    one = True if result.kind == "b" else 0.1 if result.kind == "f" else 3
    for initial in [one, result.type(one)]:
        for shape, axis in [((0,), 0), ((1,), 0), ((700,), 0), ((9, 130), 0), ((9, 130), 1)]:
            x = values(rng, dtype, shape, op)
            for exclusive, reverse in itertools.product([False, True], repeat=2):
                check(x, op, axis, exclusive=exclusive, reverse=reverse, initial=initial)


@each_case
def test_types_of_results(op, dtype):
    """That of the elements, and the one of 64 bits."""
    x = values(np.random.default_rng(8), dtype, (9, 130), op)
    wide = {"b": "i8", "i": "i8", "u": "u8", "f": "f8"}[np.dtype(dtype).kind]
    for result in [dtype, wide]:
        if np.dtype(result).kind == "f" and op is np.multiply:
            x[:] = 1.25  # NumPy multiplies what is wide, as we do; the products stay small enough for either
            x[:, 5:] = 1
        for axis in (0, 1):
            check(x, op, axis, result)
            check(x, op, axis, np.dtype(result).type, exclusive=True)
            check(x, op, axis, np.dtype(result), reverse=True, out=np.empty(x.shape, result))
    for other in ["f2", "c8", "V8", "i4" if dtype != "i4" else "i2", ">i8"]:
        assert other == dtype or scan(x, op, 0, np.dtype(other)) is None
    assert scan(x, op, 0, np.dtype(dtype), np.empty(x.shape, "u4" if dtype != "u4" else "u2")) is None


def test_all_elements_in_order():
    x = np.arange(24, dtype="i4").reshape(2, 3, 4)
    for each in (x, x[1], np.full((), 7, "i4")):
        np.testing.assert_array_equal(scan(each, np.add), np.cumsum(each))
        assert scan(each, np.add).dtype == np.int64
    np.testing.assert_array_equal(scan(x, np.add, out=np.empty(24, "i8")), np.cumsum(x))
    assert scan(x.T, np.add) is None
    assert scan(x, np.add, out=np.empty(x.shape, "i8")) is None
    for shape in [(0, 3), (3, 0), (0,), (2, 0, 3)]:
        for axis in range(len(shape)):
            assert scan(np.ones(shape, "f4"), np.add, axis).shape == shape


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_nan(dtype):
    """From the first one on an extreme is NaN, wherever it lies in vectors, runs and rows."""
    rng = np.random.default_rng(9)
    for op in (np.minimum, np.maximum):
        for place in [0, 1, 7, 8, 31, 32, 33, 77, 127, 128, 500, 598, 599]:
            for sign in (1, -1):
                x = rng.standard_normal(600).astype(dtype)
                x[place] = sign * np.nan
                x[rng.integers(600, size=5)] = np.inf, -np.inf, 0, -0.0, 5
                x[place] = sign * np.nan
                for exclusive, reverse in itertools.product([False, True], repeat=2):
                    check(x, op, exclusive=exclusive, reverse=reverse)
                    check(x.reshape(30, 20), op, 0, exclusive=exclusive, reverse=reverse)
                    check(x.reshape(30, 20), op, 1, exclusive=exclusive, reverse=reverse)
        check(rng.standard_normal(200).astype(dtype), op, initial=np.nan)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(700,), (35, 20)])
def test_infinity_and_nan_in_sums(dtype, shape):
    x = np.ones(shape, dtype)
    for places in [{100: np.inf}, {100: np.nan}, {100: np.inf, 600: -np.inf}, {100: -np.inf, 101: np.nan}]:
        for place, value in places.items():
            x.flat[place] = value
        for op in (np.add, np.multiply):
            for axis in range(x.ndim):
                with np.errstate(invalid="ignore"):
                    wanted = op.accumulate(x, axis=axis)
                np.testing.assert_array_equal(scan(x, op, axis), wanted)


def test_products_that_vanish_are_no_nan():
    """Numbers that are too small together do not meet others that are too large before the ones in front of them."""
    x = np.repeat(np.array([1e-20, 1e20], "f4"), 40)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(scan(x, np.multiply), np.cumprod(x))


def test_sums_are_precise():
    """Of a million numbers, piece after piece: NumPy's are off by more than a hundred times as much."""
    x = np.random.default_rng(10).random(2**20).astype("f4")
    pieces, before = [], 0.0
    for piece in np.split(x, 16):
        pieces.append(scan(piece, np.add, initial=np.float32(before)))
        before = float(pieces[-1][-1])
    exact = np.cumsum(x, dtype="f8")
    ours = (np.abs(np.concatenate(pieces) - exact) / exact).max()
    theirs = (np.abs(np.cumsum(x) - exact) / exact).max()
    assert ours < 1e-6 < theirs


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums_do_not_depend_on_where_memory_is(dtype):
    x = np.random.default_rng(11).random(5000).astype(dtype)
    wanted = scan(x, np.add)
    memory = np.empty(5100, dtype)
    for begin in range(17):
        here, there = memory[begin : begin + 5000], np.empty(5100, dtype)[begin : begin + 5000]
        if begin % 2:  # at an odd address, of the results too
            here, there = (each.view("u1")[begin:][: x.nbytes].view(dtype) for each in (memory, np.empty(5100, dtype)))
        here[:] = x
        np.testing.assert_array_equal(scan(here, np.add, out=there), wanted)
    gaps = np.empty(10000, dtype)[::2]
    gaps[:] = x
    np.testing.assert_array_equal(scan(gaps, np.add), wanted)
    np.testing.assert_array_equal(scan(x[::-1].copy(), np.add, reverse=True)[::-1], wanted)


def test_not_for_here():
    """What others refuse, or do: they are asked next."""
    x = np.ones(100, "i4")
    read_only = np.empty(100, "i8")
    read_only.flags.writeable = False
    memory = np.ones(201, "i8")
    for refused in [
        lambda: scan([1, 2], np.add), lambda: scan(x.astype(object), np.add), lambda: scan(x.astype(">i4"), np.add),
        lambda: scan(x.astype("f2"), np.add), lambda: scan(x.astype("c8"), np.add),
        lambda: scan(np.ones((100, 5), "u1")[:, :4].view("i4")[:, 0], np.add), lambda: scan(x.view(np.matrix), np.add),
        lambda: scan(np.ones((1,) * 9), np.add), lambda: scan(x.astype("f4"), np.bitwise_or),
        lambda: scan(x, np.add, 1), lambda: scan(x, np.add, -2), lambda: scan(x, np.add, 2**70),
        lambda: scan(x, np.add, 0.0), lambda: scan(x, np.add, (0,)),
        lambda: scan(x, np.add, dtype="no type"), lambda: scan(x, np.add, dtype=float),
        lambda: scan(x, np.add, out=read_only), lambda: scan(x, np.add, out=np.empty(99, "i8")),
        lambda: scan(x, np.add, out=np.empty((1, 100), "i8")), lambda: scan(x, np.add, out=[0] * 100),
        lambda: scan(memory[:100], np.add, out=memory[1:101]), lambda: scan(memory[:100], np.add, out=memory[:200:2]),
        lambda: scan(memory[:100], np.add, out=memory[99::-1]),
        lambda: scan(x, np.add, out=np.lib.stride_tricks.as_strided(memory, (100,), (0,))),
        lambda: scan(x.astype("u1"), np.add, 0, "u1", initial=256), lambda: scan(x, np.add, initial=2**63),
        lambda: scan(x.astype("u4"), np.add, initial=-1), lambda: scan(x, np.add, initial=1.5),
        lambda: scan(x.astype("i1"), np.add, 0, np.int8, initial=-129), lambda: scan(x, np.add, initial="1"),
        lambda: scan(x.astype("f4"), np.add, initial=10**400), lambda: scan(x > 0, np.maximum, initial=1),
        lambda: scan(np.full(9, 2, "u1").view(bool), np.add), lambda: scan(np.ones(2**24, "f4"), np.add),
    ]:  # fmt: skip
        assert refused() is None
    assert (memory == 1).all()


def test_wrong_calls():
    x = np.ones(3)
    with pytest.raises(TypeError, match="2 to 8 arguments"):
        _core.host_scan(x)
    with pytest.raises(ValueError, match="op: expected 0 to 6, got 7"):
        _core.host_scan(x, 7)
    with pytest.raises(TypeError):
        _core.host_scan(x, "sum")
