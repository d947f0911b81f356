"""nansum, nanargmin and their like, average, cov and corrcoef, against NumPy's."""

import warnings

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

NAMES = ["nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd"]
# Every function, each kind of number, and complex numbers and halves where they have code of their own.
SOME = [
    *((name, "f4") for name in NAMES if name not in ("nanmean", "nanmax")),
    ("nansum", "c8"), ("nanmean", "u1"), ("nanmin", "f2"), ("nanmax", "c16"), ("nanvar", "c16"),
]  # fmt: skip


def values(dtype, shape=(13, 7, 5)):
    """With NaN here and there, and a row of nothing else."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=shape).astype(dtype) * 3
    if x.dtype.kind == "c":
        x = (x + 1j * rng.normal(size=shape)).astype(dtype)
        x[rng.random(shape) < 0.1] += complex(0, np.nan)
    if x.dtype.kind in "fc":
        x[rng.random(shape) < 0.2] = np.nan
        x[4, :, 2] = np.nan
    return x


def close(found, expected, dtype):
    assert np.asarray(found).dtype == np.asarray(expected).dtype and np.shape(found) == np.shape(expected)
    bound = {"f2": 3e-3, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-12)
    assert np.allclose(found, expected, bound, bound, equal_nan=True)


def needs_double(queue):
    if not queue.device.has("fp64"):
        pytest.skip("no double")


@pytest.mark.filterwarnings("ignore:::numpy")
@pytest.mark.parametrize(
    ("name", "dtype"),
    sweep([(name, dtype) for name in NAMES for dtype in ("f4", "f8", "f2", "c8", "c16", "i4", "u1")], SOME),
)
def test_as_numpy(queue, name, dtype, thorough):
    needs_double(queue)
    x = values(dtype)
    ours, theirs = getattr(sycl, name), getattr(np, name)
    every = ({}, {"axis": 1, "keepdims": True}, {"axis": (0, 2)}, {"axis": 0}, {"axis": -1})
    for options in every if thorough or name == "nanmean" else every[:3]:
        with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            expected = theirs(x, **options)
        with warnings.catch_warnings(record=True) as own, np.errstate(over="ignore"):  # of a product of halves
            warnings.simplefilter("always")
            found = ours(x, queue=queue, **options)
        close(found, expected, dtype)
        assert [str(one.message).rstrip(".") for one in own] == sorted({str(one.message).rstrip(".") for one in told})
        assert all(one.filename == __file__ for one in own)
    view = x[::-2, 1:, ::3]
    if x.dtype.kind != "c":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            close(ours(view, axis=1, queue=queue), theirs(view, axis=1), dtype)


@pytest.mark.parametrize("name", sweep(NAMES, ["nansum", "nanmin"]))
def test_device_memory_where_and_out(queue, name):
    needs_double(queue)
    x = values("f8", (50, 9, 5))[:, :, 0].copy()
    where = np.random.default_rng(1).random(x.shape) < 0.8
    start = {"initial": 0.25} if name in ("nanmin", "nanmax", "nansum", "nanprod") else {}
    ours, theirs = getattr(sycl, name), getattr(np, name)
    usm = sycl.malloc_shared(x.shape, "f8", queue)
    np.asarray(usm)[...] = x
    for axis in (None, 0):
        expected = theirs(x, axis=axis)
        close(np.asarray(ours(usm, axis)).reshape(np.shape(expected)), expected, "f8")
        found = ours(sycl.Buffer(x, copy=True), axis, queue=queue)
        close(np.asarray(found.host_access()).reshape(np.shape(expected)), expected, "f8")
        close(ours(x, axis, where=where, queue=queue, **start), theirs(x, axis=axis, where=where, **start), "f8")
        close(np.asarray(ours(usm, axis, **start)).reshape(np.shape(expected)), theirs(x, axis=axis, **start), "f8")
    out = np.zeros(9)
    assert ours(x, 0, out=out, queue=queue) is out
    close(out, theirs(x, axis=0), "f8")


def test_nothing_but_nan(queue):
    x = np.full((3, 4), np.nan, np.float32)
    assert sycl.nansum(x, queue=queue) == 0
    for name, words in (
        ("nanmean", "Mean of empty slice"),
        ("nanmin", "All-NaN slice"),
        ("nanstd", "Degrees of freedom"),
    ):
        with pytest.warns(RuntimeWarning, match=words):
            assert np.isnan(getattr(sycl, name)(x, queue=queue))
    with pytest.raises(InvalidParameterError, match="^x: the min of no elements"):
        sycl.nanmin(np.zeros(0), queue=queue)


@pytest.mark.parametrize(
    ("name", "dtype"),
    sweep(
        [(name, dtype) for name in ("nanargmin", "nanargmax") for dtype in ("f2", "f4", "f8", "c8", "c16", "i4", "u1")],
        [("nanargmin", "f4"), ("nanargmax", "c16"), ("nanargmax", "i4")],
    ),
)
def test_places_as_numpy(queue, name, dtype):
    needs_double(queue)
    ours, theirs = getattr(sycl, name), getattr(np, name)
    x = np.round(values(dtype) * 2)  # with equal ones
    x[:, :, 0], x[4, :, 2] = np.nan_to_num(x[:, :, 0]), x[5, :, 2]  # each line has a number
    for y, axis in ((x, None), (x, 0), (x[::-2, 1:, ::3], 1)):
        for keep in (False, True):
            close(ours(y, axis, keepdims=keep, queue=queue), theirs(y, axis, keepdims=keep), dtype)
    out = np.full((7, 5), 9)
    assert ours(x, 0, out, queue=queue) is out
    assert np.array_equal(out, theirs(x, 0))
    if dtype not in ("i4", "u1"):
        x[:, 3, 3] = np.nan
        with pytest.raises(InvalidParameterError, match=f"^x: the {name[3:]} of nothing but NaN is not defined"):
            ours(x, 0, queue=queue)
        whole = np.array([np.nan, np.inf, np.nan, -np.inf, np.inf], dtype)
        assert ours(whole, queue=queue) == (3 if name == "nanargmin" else 1)
        assert ours(whole[:2], queue=queue) == 1  # where NumPy says 0, of nanargmin


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_places_in_device_memory(queue, dtype):
    needs_double(queue)
    x = values(dtype, (50, 9, 5))[:, :, 0].copy()
    x[:, 4] = np.nan
    usm = sycl.malloc_shared(x.shape, dtype, queue)
    np.asarray(usm)[...] = x
    for ours, theirs in ((sycl.nanargmin, np.nanargmin), (sycl.nanargmax, np.nanargmax)):
        expected = np.insert(theirs(np.delete(x, 4, 1), 0), 4, -1)
        assert np.array_equal(np.asarray(ours(usm, 0)), expected)
        found = ours(sycl.Buffer(x, copy=True), 0, queue=queue)
        assert np.array_equal(np.asarray(found.host_access()), expected)


def test_places_of_nothing(queue):
    for name in ("argmin", "argmax"):
        ours = getattr(sycl, f"nan{name}")
        with pytest.raises(InvalidParameterError, match=f"^x: the {name} of no elements is not defined"):
            ours(np.zeros((0, 3)), 0, queue=queue)
        assert ours(np.zeros((0, 3)), 1, queue=queue).shape == (0,)
        with pytest.raises(InvalidParameterError, match="^axis: expected None or an int"):
            ours(np.zeros((2, 3)), (0, 1))


# -- with weights --


@pytest.mark.parametrize("dtype", sweep(["f4", "f8", "i4", "c16", "?"], ["c16"]))
def test_average(queue, dtype):
    needs_double(queue)
    rng = np.random.default_rng(5)
    x = values("i4", (6, 7, 5)).astype(dtype)
    for axis, shape in (
        (None, x.shape), (0, x.shape), (1, (7,)), ((0, 2), (6, 5)), ((2, 0), (5, 6)), (-1, (5,)), (None, None), (0, None),
    ):  # fmt: skip
        w = None if shape is None else rng.random(shape).astype("f4" if dtype == "f4" else "f8")
        for options in ({}, {"returned": True}, {"keepdims": True}):
            expected = np.average(x, axis, w, **options)
            found = sycl.average(x, axis, w, queue=queue, **options)
            pairs = zip(found, expected, strict=True) if "returned" in options else [(found, expected)]
            for one, other in pairs:
                close(one, other, dtype)


def test_average_of_device_memory(queue):
    needs_double(queue)
    x, w = values("f8", (6, 7, 5))[:, :, 0], np.arange(1.0, 8)
    x = np.nan_to_num(x)
    usm, by = sycl.malloc_shared(x.shape, "f8", queue), sycl.malloc_shared(w.shape, "f8", queue)
    np.asarray(usm)[...], np.asarray(by)[...] = x, w
    found, total = sycl.average(usm, 1, by, returned=True)
    close(np.asarray(found), np.average(x, 1, w), "f8")
    close(np.asarray(total), np.full(6, w.sum()), "f8")


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
def test_covariances(queue, dtype):
    needs_double(queue)
    rng = np.random.default_rng(7)
    m, y = (rng.normal(size=(4, 30)) * 9).astype(dtype), (rng.normal(size=(2, 30)) * 9).astype(dtype)
    if dtype == "c16":
        m += 1j * y[:1]
    f, a = rng.integers(1, 5, 30), rng.random(30)
    for options in (
        {}, {"y": y}, {"bias": True}, {"ddof": 3}, {"fweights": f}, {"aweights": a}, {"fweights": f, "aweights": a},
        {"aweights": a, "bias": True}, {"ddof": 0, "fweights": f},
    ):  # fmt: skip
        close(sycl.cov(m, queue=queue, **options), np.cov(m, **options), "f4" if dtype == "f4" else "f8")
    close(sycl.cov(m.T, rowvar=False, queue=queue), np.cov(m, rowvar=True), "f4")
    close(sycl.cov(m[0], queue=queue), np.cov(m[0]), "f4")
    close(sycl.cov(m[0], m[1], queue=queue), np.cov(m[0], m[1]), "f4")
    if dtype != "c16":
        close(sycl.cov(m, dtype="f4", queue=queue), np.cov(m, dtype="f4"), "f4")
    close(sycl.corrcoef(m, queue=queue), np.corrcoef(m), "f8")
    close(sycl.corrcoef(m, y, queue=queue), np.corrcoef(m, y), "f8")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sycl.average([1.0, 2], weights=[1.0, -1]), "weights: their sum is 0"),
        (lambda: sycl.average([1.0, 2], weights=[1.0]), "weights: shape (1,), and x has (2,); weights along an axis need"),
        (lambda: sycl.average([[1.0, 2]], 1, [1.0]), "weights: shape (1,), and x has (1, 2) with axis=1"),
        (lambda: sycl.cov(np.zeros((2, 2, 2))), "m: 3 dimensions, and there are two at the most"),
        (lambda: sycl.cov([[1.0, 2]], [[1.0]]), "y: 1 observations, and m has 2"),
        (lambda: sycl.cov([[1.0, 2]], fweights=[1.5, 1]), "fweights: expected integers"),
        (lambda: sycl.cov([[1.0, 2]], aweights=[-1, 1]), "aweights: expected none that is negative"),
        (lambda: sycl.cov([[1.0, 2]], aweights=[1]), "aweights: expected 2, one for each observation"),
        (lambda: sycl.cov([[1.0, 2]], ddof=0.5), "ddof: "),
        (lambda: sycl.cov([[1.0, 2]], dtype="i4"), "dtype: expected a floating-point type"),
        (lambda: sycl.cov(sycl.Buffer(np.zeros(3))), "m: expected a NumPy array"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(InvalidParameterError) as error:
        call()
    assert str(error.value).startswith(words)
