"""pysycl.dask against NumPy, in this process: what blocks, chunks and axes make of each function."""

import textwrap

import numpy as np
import pytest

import pysycl as sycl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import pysycl.dask as sd  # noqa: E402

RNG = np.random.default_rng(0)
A = RNG.normal(size=(60, 70)).astype("f4")
V = RNG.integers(0, 50, 1000).astype("i4")
X = da.from_array(A, chunks=(25, 30))
Y = da.from_array(V, chunks=300)


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def same(lazy: object, expected: object, rtol: float = 3e-5) -> None:
    assert isinstance(lazy, da.Array)
    found = lazy.compute()
    assert np.asarray(found).dtype == lazy.dtype
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-5)


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "var", "std", "argmin", "argmax", "any", "all"])
def test_reductions(name: str, axis: int | None) -> None:
    same(getattr(sd, name)(X, axis=axis), getattr(np, name)(A, axis=axis))


def test_options_of_reductions() -> None:
    same(sd.sum(X, axis=1, keepdims=True), A.sum(1, keepdims=True))
    same(sd.sum(X, axis=(0, 1), map="exp(-x)", initial=2), np.exp(-A).sum() + 2)
    same(sd.var(X, ddof=1), A.var(ddof=1))
    same(sd.reduce(X, "a > b ? a : b", axis=0), A.max(0))
    same(sd.sum(Y, dtype="f8"), V.sum())
    same(sd.argmax(Y), V.argmax())


def test_an_exact_sum_has_the_same_bits_in_any_chunks() -> None:
    x = (RNG.normal(size=5000) * 10.0 ** RNG.integers(-12, 12, 5000)).astype("f4")
    found = {
        sd.sum(da.from_array(x, chunks=chunks), accuracy="exact", split_every=every).compute().tobytes()
        for chunks in (7, 777, 5000)
        for every in (2, 4, 16)
        if chunks > 7 or every == 16
    }
    assert found == {sycl.sum(x, accuracy="exact").tobytes()}


@pytest.mark.parametrize("axis", [0, 1])
def test_scans(axis: int) -> None:
    same(sd.cumsum(X, axis=axis, accuracy="exact"), np.cumsum(A, axis))
    same(sd.inclusive_scan(X, sycl.maximum, axis=axis), np.maximum.accumulate(A, axis))


def test_scans_of_one_dimension() -> None:
    same(sd.cumsum(X), np.cumsum(A), 1e-3)
    same(sd.cumsum(Y), np.cumsum(V))
    same(sd.inclusive_scan(Y, "a > b ? a : b"), np.maximum.accumulate(V))
    same(sd.exclusive_scan(Y, initial=3), np.concatenate([[3], 3 + np.cumsum(V)[:-1]]))
    with pytest.raises(sycl.InvalidParameterError, match="initial: an exclusive scan begins with a value"):
        sd.exclusive_scan(Y, "a > b ? a : b")


def test_counts() -> None:
    counts, edges = sd.histogram(X, 10, (-3, 3))
    same(counts, np.histogram(A, 10, (-3, 3))[0])
    np.testing.assert_array_equal(edges, np.histogram_bin_edges(A, 10, (-3, 3)))
    same(sd.bincount(Y, minlength=60), np.bincount(V, minlength=60))
    with pytest.raises(sycl.InvalidParameterError, match="range: the least"):
        sd.histogram(X, 10)


def test_elements() -> None:
    row = np.abs(A[0])
    same(sd.transform("sqrt(p * p + q) * s", p=X, q=da.from_array(row, chunks=11), s=2.0), np.sqrt(A * A + row) * 2)
    same(sd.transform("x * 2", x=Y, dtype="f8"), V * 2.0)
    same(sd.select(Y, "x > 10"), V[V > 10])
    same(sd.select(Y, Y > 10), V[V > 10])


def test_order() -> None:
    same(sd.sort(Y), np.sort(V))
    same(sd.argsort(Y), np.argsort(V, kind="stable"))
    odd = A.ravel().copy()
    odd[::50] = np.nan
    same(sd.sort(da.from_array(odd, chunks=333)), np.sort(odd))
    values, indices = sd.top_k(Y, 7)
    same(indices, np.argsort(-V, kind="stable")[:7])
    same(values, np.sort(V)[::-1][:7])
    same(sd.sort(da.from_array(V[:5], chunks=2)), np.sort(V[:5]))


def test_keys() -> None:
    same(sd.unique(Y), np.unique(V))
    keys = np.sort(V) // 5
    names, sums = sd.reduce_by_key(da.from_array(keys, chunks=77), Y)
    same(names, np.unique(keys))
    same(sums, [V[keys == key].sum() for key in np.unique(keys)])


def test_a_wrong_text_is_told_at_the_call() -> None:
    for wrong in (
        lambda: sd.sum(X, map="nope(x)"),
        lambda: sd.transform("x + zzz", x=X),
        lambda: sd.select(Y, "x >"),
        lambda: sd.inclusive_scan(Y, "a + b + q"),
        lambda: sd.reduce(X, "a + zzz * b"),
    ):
        with pytest.raises(sycl.BuildError, match=r"nope|zzz|expected expression|'q'"):
            wrong()


def test_a_poison_block_is_named() -> None:
    with pytest.raises(sycl.InvalidParameterError, match="expected elements below minlength") as caught:
        sd.bincount(Y, minlength=3).compute()
    (note,) = caught.value.__notes__
    assert note.startswith("in pysycl.dask.bincount, block (") and sycl.Device().name in note


def test_equal_calls_have_one_name() -> None:
    for call in (lambda: sd.sum(X, map="x * x"), lambda: sd.cumsum(Y), lambda: sd.argmin(X), lambda: sd.top_k(Y, 3)[0]):
        assert call().name == call().name
    assert sd.sum(X, map="x * x").name != sd.sum(X, map="x + x").name


def test_importing_pysycl_imports_no_dask(run_python: object) -> None:
    done = run_python("import sys, pysycl; pysycl.sum, pysycl.make_reduce; print('dask' in sys.modules)")  # type: ignore[operator]
    assert "False" in str(getattr(done, "stdout", done))


def test_a_client_without_a_driver_makes_graphs(run_python: object) -> None:
    code = """
        import dask.array as da
        import pysycl as sycl, pysycl.dask as sd
        x = da.ones((40, 30), chunks=10, dtype="f4")
        y = x[0]
        made = [
            sd.sum(x, map="x * x", accuracy="exact"), sd.var(x, axis=0), sd.argmin(x), sd.reduce(x, "a > b ? a : b"),
            sd.cumsum(y), sd.histogram(x, 3, (0, 2))[0], sd.bincount(y.astype("i4"), minlength=3), sd.sort(y),
            sd.top_k(y, 3)[0], sd.unique(y), sd.select(y, "x > 0"), sd.transform("a + b", a=x, b=x, dtype="f4"),
            sd.reduce_by_key(y, y)[1],
        ]
        assert sycl.devices() == []
        print(len(made), [each.dtype.name for each in made])
    """
    done = run_python(textwrap.dedent(code), {"PYSYCL_DRIVERS": "/nowhere.so"})  # type: ignore[operator]
    assert "13 ['float32', 'float32', 'int64', 'float32'" in str(getattr(done, "stdout", done))


def test_xarray_applies_it() -> None:
    xarray = pytest.importorskip("xarray")
    table = xarray.DataArray(X, dims=("row", "column"))
    found = xarray.apply_ufunc(
        lambda block: sycl.transform("sqrt(fabs(x))", x=block), table, dask="parallelized", output_dtypes=["f4"]
    )
    np.testing.assert_allclose(found.values, np.sqrt(np.abs(A)), rtol=1e-6)


def test_positions_among_blocks_of_unknown_lengths_are_refused() -> None:
    x = da.from_array(np.arange(100, dtype=np.float32), chunks=30)
    with pytest.raises(sycl.InvalidParameterError, match="unknown lengths"):
        sd.argmax(sd.select(x, "x > 3"))
