"""Partial results of parts of an array: merged they give what the whole gives, in any parting."""

import pickle
import re
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import sweep

import pysycl as sycl


def parts_of(x: np.ndarray, cuts: list[int]) -> list[np.ndarray]:
    ends = sorted(min(cut, len(x)) for cut in cuts)
    return [x[a:b] for a, b in zip([0, *ends], [*ends, len(x)], strict=True)]


def wide(seed: int, count: int, dtype: str) -> np.ndarray:
    """Numbers over many decades, which cancel."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=count) * 10.0 ** rng.integers(-12, 12, count)
    return (x + 1j * x[::-1] if dtype[0] == "c" else x).astype(dtype)


CUTS = st.lists(st.integers(0, 3000), max_size=6)


@given(CUTS, st.integers(0, 2**30))
@settings(max_examples=15, deadline=None)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_an_exact_sum_has_the_same_bits_in_any_parting(dtype: str, cuts: list[int], seed: int) -> None:
    x = wide(seed, 3000, dtype)
    total = sycl.make_reduce(sycl.plus, dtype, accuracy="exact")
    whole = total.partial(x)
    merged = total.merge([total.partial(part) for part in parts_of(x, cuts)])
    assert merged.tobytes() == whole.tobytes()
    assert total.result(merged) == sycl.sum(x, accuracy="exact")
    if dtype == "f8":
        assert total.result(merged) == fsum(x)


@pytest.mark.parametrize("accuracy", ["compensated", "pairwise"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_running_sums_keep_what_they_promise(accuracy: str, dtype: str) -> None:
    x = wide(3, 3000, dtype)
    total = sycl.make_reduce(sycl.plus, dtype, accuracy=accuracy)
    part = total.merge([total.partial(each) for each in parts_of(x, [5, 5, 900])])
    found = total.result(part)
    for name in ("real", "imag"):
        exact = sum(map(Fraction, getattr(x, name).astype("f8").tolist()))
        epsilon = np.finfo(dtype).eps * (1 if accuracy == "compensated" else 3)
        scale = abs(exact) if accuracy == "compensated" else sum(map(Fraction, np.abs(getattr(x, name)).tolist()))
        assert abs(Fraction(float(getattr(found, name))) - exact) <= Fraction(float(epsilon)) * scale


OPERATORS = [
    (sycl.plus, "i4"), (sycl.plus, "?"), (sycl.plus, "f2"), (sycl.multiplies, "i8"), (sycl.minimum, "f4"),
    (sycl.maximum, "i2"), (sycl.maximum, "c8"), (sycl.bit_and, "u4"), (sycl.bit_or, "u1"), (sycl.bit_xor, "i8"),
    (sycl.logical_and, "f8"), (sycl.logical_or, "i1"), (sycl.argmin, "f4"), (sycl.argmax, "i8"), (sycl.argmin, "c8"),
    (sycl.mean, "i4"), (sycl.mean, "f4"), (sycl.var, "f4"), (sycl.std, "c8"), (sycl.var, "u2"), ("a + b", "f8"),
    ("a > b ? a : b", "i4"),
]  # fmt: skip


SHAPES = [(0, False), (None, False), ((0, 1), True)]
FEW = [(sycl.plus, "i4"), (sycl.argmin, "f4"), (sycl.std, "c8"), ("a > b ? a : b", "i4")]  # one of each kind of part


@pytest.mark.parametrize(
    ("op", "dtype", "axis", "keepdims"),
    sweep(
        [(*each, *shape) for each in OPERATORS for shape in SHAPES],
        [(*each, *shape) for each in OPERATORS for shape in (SHAPES if each in FEW else SHAPES[:1])],
    ),
)
def test_parts_give_what_the_whole_gives(op: object, dtype: str, axis: object, keepdims: bool) -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3 if dtype == "f2" else 100, (60, 7)).astype(dtype)
    if np.dtype(dtype).kind in "iub" and op is sycl.multiplies:
        x[...] = 1 + (x > 50)
    if op in (sycl.argmin, sycl.argmax) and keepdims:
        axis = None  # they have no more than one
    made = sycl.make_reduce(op, dtype, axis=axis, keepdims=keepdims)
    blocks = parts_of(x, [0, 1, 40])
    first = np.cumsum([0, *(len(block) for block in blocks)]) * (7 if axis is None else 1)
    parts = np.stack([made.partial(block, int(at)) for block, at in zip(blocks, first, strict=False)])
    assert parts.dtype == made.partial_dtype
    found, whole = made.result(made.merge(parts, 0)), made(x)
    assert found.dtype == whole.dtype
    assert found.shape == whole.shape
    np.testing.assert_allclose(found, whole, rtol=1e-3 if dtype == "f2" else 2e-6)


@given(CUTS, st.integers(0, 2**30))
@settings(max_examples=10, deadline=None)
@pytest.mark.parametrize(("op", "dtype"), FEW)
def test_any_parting_gives_what_the_whole_gives(op: object, dtype: str, cuts: list[int], seed: int) -> None:
    x = np.random.default_rng(seed).integers(-50, 50, 3000).astype(dtype)
    made = sycl.make_reduce(op, dtype)
    blocks = parts_of(x, cuts)
    first = np.cumsum([0, *map(len, blocks)]).tolist()
    found = made.merge([made.partial(block, at) for block, at in zip(blocks, first, strict=False)])
    np.testing.assert_allclose(made.result(found), made(x), rtol=2e-6)


@pytest.mark.parametrize(("op", "dtype"), OPERATORS)
def test_the_identity_changes_nothing(op: object, dtype: str) -> None:
    made = sycl.make_reduce(op, dtype)
    part = made.partial(np.arange(1, 9).astype(dtype))
    for several in ([made.identity(), part], [part, made.identity()], [made.partial(np.zeros(0, dtype)), part]):
        assert made.merge(several).tobytes() == part.tobytes()


def test_an_operator_does_not_commute_across_parts() -> None:
    """The first element, and the last one."""
    x = np.arange(10, 50, dtype="i4")
    for text, expected in (("(T)(b * 0 + a)", 10), ("(T)(a * 0 + b)", 49)):
        made = sycl.make_scan(sycl.BinaryOp(text), "i4")
        assert made._kind().ended(made.merge([made.total(part) for part in parts_of(x, [3, 3, 17])])) == expected


def test_a_variance_does_not_cancel() -> None:
    """Where float32 would be half a percent off."""
    x = (1e6 + np.random.default_rng(0).normal(size=20000)).astype("f4")
    made = sycl.make_reduce(sycl.var, "f4", ddof=1)
    found = made.result(made.merge([made.partial(part) for part in parts_of(x, [1, 7000])]))
    np.testing.assert_allclose(found, x.astype("f8").var(ddof=1), rtol=1e-6)


def test_a_variance_of_huge_numbers_and_of_none() -> None:
    """The square of the distance of their means is infinite, and counts for nothing."""
    made = sycl.make_reduce(sycl.var, "f8")
    x = np.full(4, 1e200)
    for parts in ([made.identity(), made.partial(x)], [made.partial(x), made.identity()]):
        assert made.result(made.merge(parts)) == 0


def test_ties_have_the_first_index_and_nan_comes_first() -> None:
    x = np.array([3, 1, 2, 1, np.nan, 0, np.nan], "f4")
    least = sycl.make_reduce(sycl.argmin, "f4")

    def of(stop: int) -> int:
        parts = [least.partial(x[k : min(k + 2, stop)], k) for k in range(0, stop, 2)]
        return int(least.result(least.merge(parts[::-1])))

    assert of(4) == 1
    assert of(7) == 4


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-40, 3.4e38, 1.0])
def test_exact_sums_of_odd_numbers(value: float) -> None:
    x = np.array([value, value], "f4")
    total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact")
    found = total.result(total.merge([total.partial(x[:1]), total.partial(x[1:])]))
    np.testing.assert_array_equal(found, sycl.sum(x, accuracy="exact"))


def nearest(total: Fraction, dtype: str) -> np.floating:
    """Ties to even."""
    near = np.array([float(total)], dtype)
    among = np.concatenate([np.nextafter(near, -np.inf), near, np.nextafter(near, np.inf)])
    odd = among.view("u" + dtype[1]) & 1
    return among[min(range(3), key=lambda k: (abs(Fraction(float(among[k])) - total), odd[k]))]


@pytest.mark.parametrize(("dtype", "bits"), [("f4", 24), ("f8", 53)])
def test_exact_sums_are_the_nearest_numbers_alone_and_among_many(dtype: str, bits: int) -> None:
    rng = np.random.default_rng(5)
    tie, behind = 0.5**bits, 0.5 ** (bits + 36)
    first = rng.choice([1, 1 + 2 * tie, 1.5, 0.25], 200)
    x = np.stack([first, rng.choice([0, tie, -tie / 2], 200), rng.choice([0, behind, -behind], 200)], axis=1)
    x = (x * rng.choice([1, -1], 200)[:, None] * 2.0 ** rng.integers(-148, 120, 200)[:, None]).astype(dtype)
    total = sycl.make_reduce(sycl.plus, dtype, axis=1, accuracy="exact")
    parts = total.partial(x)
    wanted = [nearest(sum(map(Fraction, row.tolist())), dtype) for row in x]
    np.testing.assert_array_equal(total.result(parts), wanted)
    np.testing.assert_array_equal([total.result(part) for part in parts], wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_exact_sums_beyond_the_largest_number_alone_and_among_many(dtype: str) -> None:
    large = np.finfo(dtype).max
    rows = np.array([[large, large], [-large, -large], [large, -large], [np.inf, 1], [-1, -np.inf], [np.inf, -np.inf],
                     [np.nan, 1], [-0.0, 0.0]], dtype)  # fmt: skip
    wanted = [np.inf, -np.inf, 0, np.inf, -np.inf, np.nan, np.nan, 0]
    total = sycl.make_reduce(sycl.plus, dtype, axis=1, accuracy="exact")
    parts = total.partial(rows)
    np.testing.assert_array_equal([total.result(part) for part in parts], wanted)
    np.testing.assert_array_equal(total.result(np.tile(parts, 20)), wanted * 20)


def test_the_initial_value_counts_once() -> None:
    for op, first in ((sycl.plus, 5), ("a > b ? a : b", 50), (sycl.minimum, -1)):
        made = sycl.make_reduce(op, "i4", initial=first)
        x = np.arange(20, dtype="i4")
        assert made.result(made.merge([made.partial(part) for part in parts_of(x, [3])])) == made(x)


def test_a_map_and_a_struct() -> None:
    pair = np.dtype([("least", "f4"), ("most", "f4")])
    op = sycl.BinaryOp("(T){min(a.least, b.least), max(a.most, b.most)}", identity=(np.inf, -np.inf))
    made = sycl.make_reduce(op, "f4", result_dtype=pair, map="(T){x, x}")
    x = np.random.default_rng(1).normal(size=100).astype("f4")
    found = made.result(made.merge([made.partial(part) for part in parts_of(x, [40])]))
    assert tuple(found) == (x.min(), x.max())
    squares = sycl.make_reduce(sycl.plus, "f4", map="x * x", accuracy="exact")
    assert squares.result(squares.merge([squares.partial(part) for part in parts_of(x, [9])])) == squares(x)


def test_device_memory_has_partials_too(queue: sycl.Queue) -> None:
    x = np.arange(100, dtype="f4")
    total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact", queue=queue)
    assert total.partial(sycl.Buffer(x)).tobytes() == total.partial(x).tobytes()


PARTS = {"backwards": np.s_[::-2, ::-2], "columns": np.s_[:23, 2:7]}


def in_device_memory(x: np.ndarray, queue: sycl.Queue, kind: str) -> object:
    """A buffer, or a part of memory whose other elements are the greatest that there are."""
    if kind == "buffer":
        return sycl.Buffer(x)
    wide = np.full((46, 10), x.max(), x.dtype)
    wide[PARTS[kind]] = x
    there = sycl.malloc_device(wide.shape, wide.dtype, queue)
    queue.memcpy(there, wide).wait()
    return there[PARTS[kind]]


PLACES = ["buffer", "backwards", "columns"]


@pytest.mark.parametrize(
    ("kind", "dtype", "axis", "keepdims"),
    sweep(
        [
            (kind, dtype, axis, keepdims)
            for kind in PLACES
            for dtype in ("?", "i1", "f2", "f4", "i8", "c16")
            for axis in (None, 0, -1)
            for keepdims in (0, 1)
        ],
        [
            *(("buffer", *each) for each in (("f4", None, 0), ("f2", 0, 1), ("c16", -1, 0), ("?", 0, 0))),
            ("backwards", "f2", 0, 1), ("columns", "f4", None, 0), ("columns", "?", 0, 0),
        ],
    ),
)  # fmt: skip
def test_positions_in_device_memory(queue: sycl.Queue, kind: str, dtype: str, axis: object, keepdims: int) -> None:
    """Their elements are read where they were found: bit by bit as from an array, NaN and signs of zeros, too."""
    x = np.random.default_rng(8).integers(-9, 9, (23, 5))
    x = (x > 8 if dtype == "?" else x).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        x[7, 2], x[x == 0] = np.nan, -0.0
    for each in (x, x[::-1].copy()):  # a call that comes again has other data
        there = in_device_memory(each, queue, kind)
        for op in (sycl.argmin, sycl.argmax):
            here = sycl.make_reduce(op, dtype, axis=axis, keepdims=bool(keepdims)).partial(each, 100)
            found = sycl.make_reduce(op, dtype, axis=axis, keepdims=bool(keepdims), queue=queue).partial(there, 100)
            assert (found.shape, found.tobytes()) == (here.shape, here.tobytes())


def test_what_is_wrong_is_told() -> None:
    total = sycl.make_reduce(sycl.plus, "f4", accuracy="exact")
    with pytest.raises(sycl.InvalidParameterError, match="expected elements of float32, got float64"):
        total.partial(np.zeros(3))
    with pytest.raises(sycl.InvalidParameterError, match="parts: expected partial results of .*, got float32"):
        total.merge(np.zeros(3, "f4"))
    least = sycl.make_reduce(sycl.argmin, "f4")
    with pytest.raises(sycl.InvalidParameterError, match="the argmin of no elements is not defined"):
        least.result(least.identity())
    longest = sycl.make_reduce("a > b ? a : b", "f4")
    with pytest.raises(sycl.InvalidParameterError, match="no identity of BinaryOp"):
        longest.result(longest.identity())


def test_parts_and_starts_that_are_none_are_told() -> None:
    x = np.ones(6, "f4")
    total, running = sycl.make_reduce(sycl.plus, "f4"), sycl.make_scan(sycl.plus, "f4")
    rows = sycl.make_reduce(sycl.plus, "f4", axis=0)
    part = total.partial(x)
    for call, words in (
        (lambda: total.merge([]), "parts: expected partial results, got none; that of no elements is identity()"),
        (lambda: total.merge({"a": part}), "parts: expected partial results of float32, got {'a': array(6., dtype=float32)}"),
        (lambda: rows.merge([rows.partial(x.reshape(2, 3)), rows.partial(x.reshape(3, 2))]),
         "parts: expected partial results of one shape, got several"),
        (lambda: total.merge(part, part), "axis: expected None, an int or a tuple of ints, got array(6., dtype=float32)"),
        (lambda: total.result(6), "part: expected partial results of float32, got int64"),
        (lambda: sycl.make_reduce(sycl.argmin, "f4").partial(x, "3"), "first: expected an index, got '3'"),
        (lambda: running.starts(part), "totals: expected a list of one for each part, got array(6., dtype=float32)"),
        (lambda: running.run(x, 6.0), "start: expected partial results of float32, got float64"),
    ):  # fmt: skip
        with pytest.raises(sycl.InvalidParameterError, match=re.escape(words)):
            call()


@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "c8"])
def test_parts_at_any_address(dtype: str) -> None:
    """As most arrays lie that come from another process."""
    x = wide(7, 5000, "f8").astype(dtype) if dtype[0] in "fc" else np.arange(5000, dtype=dtype) * 7
    odd = np.zeros(x.nbytes + 1, np.uint8)[1:].view(dtype)
    odd[...] = x
    assert not odd.flags.aligned
    exact = sycl.make_reduce(sycl.plus, dtype, accuracy="exact" if dtype[0] in "fc" else "fast")
    least, running = sycl.make_reduce(sycl.argmin, dtype), sycl.make_scan(sycl.plus, dtype)
    calls = (
        sycl.sum, sycl.max, sycl.var, sycl.cumsum, sycl.sort, exact.partial, least.partial, running.total,
        lambda part: running.run(part, running.starts([running.total(part)])[0]),
        lambda part: sycl.sum(part, queue=sycl.Queue()),
    )  # fmt: skip
    for call in calls:
        assert np.asarray(call(odd)).tobytes() == np.asarray(call(x)).tobytes(), call


def test_objects_travel(run_python: object) -> None:
    for op in (sycl.plus, sycl.argmin, "a + b"):
        made = sycl.make_reduce(op, "f4")
        other = pickle.loads(pickle.dumps(made))
        assert other.partial_dtype == made.partial_dtype
    run_elsewhere = "import pickle; made = pickle.loads(%r); print(made.partial_dtype.names)"
    for op in (sycl.mean, sycl.argmax):  # where nothing of pysycl has been named before
        done = run_python(run_elsewhere % pickle.dumps(sycl.make_reduce(op, "f4")))  # type: ignore[operator]
        assert "('" in str(getattr(done, "stdout", done))
    assert pickle.loads(pickle.dumps(sycl.make_scan(sycl.plus, "f4"))) == sycl.make_scan(sycl.plus, "f4")


def test_no_driver_is_asked_for_nothing(run_python: object) -> None:
    code = """
        import numpy as np, pysycl as sycl
        for op, dtype in ((sycl.plus, "f4"), (sycl.var, "f4"), (sycl.argmin, "i4"), ("a + b", "f8")):
            made = sycl.make_reduce(op, dtype, axis=0)
            parts = [made.partial(np.zeros((0, 3), dtype)) for _ in range(2)]
            assert made.merge(parts, 0).shape == (3,)
        x = np.array([[3, -4, 1], [2, 0, -2]])
        for name, op in (("sum", sycl.plus), ("prod", sycl.multiplies), ("max", sycl.maximum), ("any", sycl.logical_or)):
            for dtype in ("i2", "f4", "f8"):  # few elements are the calling thread's
                for axis in (None, 1, (0, 1)):
                    made = sycl.make_reduce(op, dtype, axis=axis, keepdims=True)
                    wanted = getattr(np, name)(x.astype(dtype), axis=axis, keepdims=True)
                    found = made.result(made.partial(x.astype(dtype)))
                    assert found.dtype == wanted.dtype and np.array_equal(found, wanted), (name, dtype, axis)
        for other in ({"accuracy": "exact"}, {"result_dtype": "f8"}, {"map": "x + 1"}, {"determinism": "run_to_run"}):
            try:
                sycl.make_reduce(sycl.plus, "f4", **other).partial(x.astype("f4"))
            except sycl.SyclRuntimeError as error:
                assert "no device" in str(error)
            else:
                raise AssertionError(other)
        print(sycl.devices())
    """
    import textwrap

    done = run_python(textwrap.dedent(code), {"PYSYCL_DRIVERS": "/nowhere.so"})  # type: ignore[operator]
    assert "[]" in str(getattr(done, "stdout", done))
