"""pysycl.dask against NumPy, in this process: what blocks, chunks and axes make of each function."""

import textwrap

import numpy as np
import pytest

import pysycl as sycl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import cloudpickle  # noqa: E402 - Dask's own

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
    with pytest.warns(RuntimeWarning, match="from bool to uint8") as told:
        counts = sd.histogram(Y > 9, 2, (0, 1))[0]
    same(counts, [(V <= 9).sum(), (V > 9).sum()])
    assert [each.filename for each in told] == [__file__]


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


def test_the_same_chunks_give_the_same_bits() -> None:
    """Whichever thread has which block. Each graph has names of its own, as Dask would remember its result."""
    x = (RNG.normal(size=90000) * 10.0 ** RNG.integers(-12, 12, 90000)).astype("f4")
    found = set()
    with dask.config.set(scheduler="threads", num_workers=3):
        for _ in range(4):
            lazy = sd.sum(da.from_array(x, chunks=7777, name=False), determinism="run_to_run")
            found.add(lazy.compute().tobytes())
    assert len(found) == 1


def test_a_worker_begins_with_a_kernel_and_ends_with_a_saved_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    from pysycl.dask import worker

    done = []
    monkeypatch.setattr(sycl.cache, "save", lambda: done.append("saved"))
    with sycl.profile() as p:
        worker.dask_setup(None)
    assert [command.kind for command in p.commands if command.kind != "build"] == ["kernel"]
    worker.dask_teardown(None)
    assert done == ["saved"]


def test_equal_calls_have_one_name() -> None:
    for call in (lambda: sd.sum(X, map="x * x"), lambda: sd.cumsum(Y), lambda: sd.argmin(X), lambda: sd.top_k(Y, 3)[0]):
        assert call().name == call().name
    assert sd.sum(X, map="x * x").name != sd.sum(X, map="x + x").name


def test_importing_pysycl_imports_no_dask(run_python: object) -> None:
    done = run_python("import sys, pysycl; pysycl.sum, pysycl.make_reduce; print('dask' in sys.modules)")  # type: ignore[operator]
    assert "False" in str(getattr(done, "stdout", done))


def tasks_of(lazy: object) -> dict[object, object]:
    """As they are sent to workers."""
    (found,) = dask.optimize(lazy)
    return {key: each for key, each in found.__dask_graph__().items() if not isinstance(each, da.Array)}


OF_BLOCKS = {
    "sum": lambda x: sd.sum(x, map="x * x"), "argmax": sd.argmax, "top_k": lambda x: sd.top_k(x, 3)[1],
    "cumsum": sd.cumsum, "bincount": lambda x: sd.bincount(x, minlength=9), "transform": lambda x: sd.transform("2 * x", x=x),
    "select": lambda x: sd.select(x, "x > 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_BLOCKS)
def test_tasks_of_many_blocks_are_no_longer_than_those_of_few(name: str) -> None:
    """What a task is sent says where its own block is, and nothing of the others."""

    def most(blocks: int) -> int:
        lazy = OF_BLOCKS[name](da.ones(10 * blocks, dtype="i4", chunks=10))
        lengths = sorted(len(cloudpickle.dumps(each)) for each in tasks_of(lazy).values())
        return lengths[-blocks // 2]  # the middle of as many as there are blocks: a merge names its parts

    assert most(400) < most(20) + 100


def test_the_dashboard_has_the_functions_names() -> None:
    made = {"top_k": sd.top_k(Y, 3)[0], "select": sd.select(Y, "x > 3")}
    made |= {name: getattr(sd, name)(Y) for name in ("sum", "argmin", "sort", "unique")}
    for name, lazy in made.items():
        found = {dask.utils.key_split(key) for key in tasks_of(lazy)}
        assert f"pysycl-{name.replace('_', '-')}" in {key.removeprefix("array-") for key in found}
        assert not [key for key in found if key.startswith(("_", "kept"))], found


def test_partial_results_that_are_short_are_merged_by_sixteens() -> None:
    long = da.ones((20, 1 << 18), dtype="f4", chunks=(1, -1))
    for lazy, merges in ((sd.sum(da.ones(200, chunks=10)), 3), (sd.sum(long, axis=0, accuracy="exact"), 7)):
        assert len(tasks_of(lazy)) - 20 == merges
    with dask.config.set(split_every=5):
        assert len(tasks_of(sd.sum(da.ones(200, chunks=10)))) - 20 == 5


def test_a_client_without_a_driver_makes_graphs(run_python: object) -> None:
    code = """
        import dask.array as da
        import pysycl as sycl, pysycl.dask as sd
        x = da.ones((40, 30), chunks=10, dtype="f4")
        y = x[0]
        i = y.astype("i4")
        made = {name: getattr(sd, name)(x) for name in (
            "all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "var", "unique",
        )}
        made |= {
            "sum": sd.sum(x, map="x * x", accuracy="exact"), "reduce": sd.reduce(x, "a > b ? a : b"),
            "cumsum": sd.cumsum(y), "inclusive_scan": sd.inclusive_scan(y, "a > b ? a : b"),
            "exclusive_scan": sd.exclusive_scan(i), "histogram": sd.histogram(x, 3, (0, 2))[0],
            "bincount": sd.bincount(i, minlength=3), "sort": sd.sort(y), "argsort": sd.argsort(y),
            "top_k": sd.top_k(y, 3)[0], "select": sd.select(y, "x > 0"),
            "transform": sd.transform("a + b", a=x, b=x, dtype="f4"), "reduce_by_key": sd.reduce_by_key(i, y)[1],
        }
        assert sycl.devices() == []
        assert sorted([*made, "local_cluster"]) == sorted(sd.__all__), set(made) ^ set(sd.__all__)
        print(len(made), [made[name].dtype.name for name in ("sum", "argmin", "std", "any", "exclusive_scan")])
    """
    done = run_python(textwrap.dedent(code), {"PYSYCL_DRIVERS": "/nowhere.so"})  # type: ignore[operator]
    assert "24 ['float32', 'int64', 'float32', 'bool', 'int64']" in str(getattr(done, "stdout", done))


def test_xarray_applies_it() -> None:
    xarray = pytest.importorskip("xarray")
    table = xarray.DataArray(X, dims=("row", "column"))
    found = xarray.apply_ufunc(
        lambda block: sycl.transform("sqrt(fabs(x))", x=block), table, dask="parallelized", output_dtypes=["f4"]
    )
    np.testing.assert_allclose(found.values, np.sqrt(np.abs(A)), rtol=1e-6)
    totals = xarray.apply_ufunc(
        lambda block: sycl.sum(block, axis=-1, accuracy="exact"), table, input_core_dims=[["column"]],
        dask="parallelized", output_dtypes=["f4"], dask_gufunc_kwargs={"allow_rechunk": True},
    )  # fmt: skip
    assert isinstance(totals.data, da.Array) and totals.dims == ("row",)
    np.testing.assert_array_equal(totals.values, sycl.sum(A, axis=1, accuracy="exact"))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_no_elements_are_not_defined(name: str) -> None:
    """Of empty blocks beside others they are; all are empty where nothing is selected, which no client knows."""
    call = getattr(sd, name)
    rows = da.from_array(
        A, chunks=(10, 30)
    )  # six by three blocks, of which only those of the fifth row keep their elements
    chunks = ((0, 0, 0, 0, 10, 0), rows.chunks[1])
    some = rows.map_blocks(lambda x, block_id: x[: 10 * (block_id[0] == 4)], chunks=chunks, dtype="f4")
    for axis in (None, 0):
        same(call(some, axis=axis, split_every=2), getattr(np, name)(A[40:50], axis=axis))
    assert call(X[:, :0], axis=0).compute().shape == (0,)
    nothing = sd.select(Y, "x > 1000")
    for lazy in (lambda: call(X[:0]), lambda: call(X[:0], axis=0), lambda: call(nothing, split_every=2)):
        with pytest.raises(sycl.InvalidParameterError, match="of no elements is not defined|unknown lengths"):
            lazy().compute()
    if name.startswith("m"):
        same(sd.reduce(sd.select(Y, "x < 3"), sycl.maximum), V[V < 3].max())
        assert sd.reduce(nothing, sycl.maximum, initial=-3).compute() == -3


def test_what_is_wrong_is_told_at_the_call() -> None:
    for call, words in (
        (lambda: sd.top_k(Y, 2.5), "k: expected an int, got 2.5"),
        (lambda: sd.top_k(Y, 0), "k: expected 1 to 1000"),
        (lambda: sd.bincount(Y, minlength=2.5), "minlength: expected an int, got 2.5"),
        (lambda: sd.bincount(X[0], minlength=3), "x: expected integers that int64 has all of, got float32"),
        (lambda: sd.sort(X), "x: expected one dimension"),
        (lambda: sd.sort(Y.astype("U3")), "x: expected .*got <U3"),
        (lambda: sd.unique(Y.astype("U3")), "x: expected .*got <U3"),
        (lambda: sd.sum(da.ma.masked_greater(Y, 3)), "x: a masked array, whose mask would be lost"),
        (lambda: sd.reduce(X, 7), "op: expected a function object"),
        (lambda: sd.sum(X, map=np.exp), "map: expected OpenCL C in x, got <ufunc 'exp'>"),
        (lambda: sd.cumsum(Y, map=7), "map: expected OpenCL C in x, got 7"),
        (lambda: sd.argsort(sd.select(Y, "x > 3")), "unknown lengths; call compute_chunk_sizes"),
        (
            lambda: sd.select(Y, lambda x: x > 3),
            r"condition: expected .* a mask of bool of the shape \(1000,\), got <function",
        ),
        (lambda: sd.select(Y, Y), r"a mask of bool of the shape \(1000,\), got int32 of the shape \(1000,\)"),
        (lambda: sd.select(Y, Y[:9] > 3), r"got bool of the shape \(9,\)"),
        (lambda: sd.transform("x + y", x=Y, y=Y[:9]), r"not broadcast to each other: x \(1000,\), y \(9,\)"),
        (lambda: sd.transform("x + 1", x=Y, out=V), "out: of dask arrays the result is a new one"),
        (lambda: sd.sum(dask.delayed(V)), "x: expected a dask array, got Delayed"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()


def test_blocks_of_unknown_lengths() -> None:
    odd, few = sd.select(Y, "x % 2"), V[V % 2 == 1]
    same(sd.sort(odd), np.sort(few))
    same(sd.bincount(odd, minlength=50), np.bincount(few, minlength=50))
    same(sd.select(odd, "x > 20"), few[few > 20])
    same(sd.sum(odd, map="x * x"), (few * few).sum())
    same(sd.cumsum(odd), few.cumsum())


def test_positions_among_blocks_of_unknown_lengths_are_refused() -> None:
    x = da.from_array(np.arange(100, dtype=np.float32), chunks=30)
    with pytest.raises(sycl.InvalidParameterError, match="unknown lengths"):
        sd.argmax(sd.select(x, "x > 3"))
