"""pysycl.dask on workers that are processes: blocks that travel, workers that are killed, devices that are pinned."""

import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

import pysycl as sycl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import pysycl.dask as sd  # noqa: E402
from pysycl.errors import InvalidParameterError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, of ports and of workers that are killed


@pytest.fixture(scope="module")
def client():
    with sd.local_cluster(2, dashboard_address=None) as cluster, cluster.get_client() as found:
        found.wait_for_workers(2, timeout=120)
        yield found


@pytest.fixture(scope="module")
def mortal():
    """Workers that tests kill. They come again, and no test waits for that. Dask would give them up at once with this
    setting, as it does after 15 s without it."""
    impatient = dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"})
    with impatient, sd.local_cluster(2, dashboard_address=None) as cluster, cluster.get_client() as found:
        found.wait_for_workers(1, timeout=120)
        yield found


def killing(x, folder, times: int):
    """The blocks, of which the last one kills its worker, so many times; files are the sign that it has. Functions within
    others travel as they are: workers know no tests."""
    last, place = x.numblocks[0] - 1, str(folder)

    def kill(block, block_id):
        for k in range(times if block_id[0] == last else 0):
            try:
                os.close(os.open(f"{place}/{k}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    return x.map_blocks(kill, dtype=x.dtype, meta=x._meta)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def processes(client) -> set[int]:
    return set(client.run(os.getpid).values())


PLACES = da.arange(1200, chunks=200)


def wide(seed: int, count: int = 8000) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=count) * 10.0 ** rng.integers(-12, 12, count)).astype("f4")


def test_an_exact_sum_has_the_same_bits_in_all_chunkings_though_workers_are_killed(mortal, tmp_path) -> None:
    """Twelve chunkings in one graph, and two workers that go in the middle of it."""
    x = wide(11)
    ways = [(chunks, every) for chunks in (500, 777, 2000, 8000) for every in (2, 4, 16)]
    lazy = [
        sd.sum(killing(da.from_array(x, chunks=chunks), tmp_path, 2), accuracy="exact", split_every=every)
        for chunks, every in ways
    ]
    found = mortal.gather(mortal.compute(lazy))
    assert {each.tobytes() for each in found} == {sycl.sum(x, accuracy="exact").tobytes()}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "lazily", "expected"),
    [
        ("cumsum", lambda x: sd.cumsum(x, dtype="i8"), np.cumsum),
        ("sort", sd.sort, np.sort),
        ("var", sd.var, np.var),
        ("argmin", sd.argmin, np.argmin),
        ("histogram", lambda x: sd.histogram(x, 5, (0, 100))[0], lambda v: np.histogram(v, 5, (0, 100))[0]),
        ("unique", sd.unique, np.unique),
        ("bincount", lambda x: sd.bincount(x, minlength=100), lambda v: np.bincount(v, minlength=100)),
        ("top_k", lambda x: sd.top_k(x, 4)[0], lambda v: np.sort(v)[::-1][:4]),
        ("argsort", sd.argsort, lambda v: np.argsort(v, kind="stable")),
        ("select", lambda x: sd.select(x, "x > 50"), lambda v: v[v > 50]),
        ("transform", lambda x: sd.transform("x * x", x=x), lambda v: v * v),
        ("reduce_by_key", lambda x: sd.reduce_by_key(x, x)[1], lambda v: np.asarray(sycl.reduce_by_key(v, v)[1])),
    ],
)
def test_other_functions_though_a_worker_is_killed(mortal, name: str, lazily, expected, tmp_path) -> None:
    v = np.random.default_rng(len(name) + ord(name[0])).integers(0, 100, 1200).astype("i4")  # data of its own
    lazy = lazily(killing(da.from_array(v, chunks=200), tmp_path, 1))
    np.testing.assert_allclose(mortal.compute(lazy).result(), expected(v))
    assert len(list(tmp_path.iterdir())) == 1


def test_the_others_in_one_graph_though_a_worker_is_killed(mortal, tmp_path) -> None:
    """It goes while all of them wait for its block."""
    pairs = [
        ("inclusive", lambda x: sd.inclusive_scan(x, sycl.maximum), np.maximum.accumulate),
        ("exclusive", lambda x: sd.exclusive_scan(x, dtype="i8"), lambda v: np.cumsum(v) - v),
        ("reduce", lambda x: sd.reduce(x - 200, "a < b ? b : a"), lambda v: v.max() - 200),
        ("sum", lambda x: sd.sum(x, map="x * 2", dtype="i8"), lambda v: 2 * v.sum()),
        ("prod", lambda x: sd.prod(x % 2 * 2 - 1, dtype="i8"), lambda v: np.prod(v % 2 * 2 - 1)),
        ("min", lambda x: sd.min(x - 200), lambda v: v.min() - 200),
        ("max", lambda x: sd.max(x - 200), lambda v: v.max() - 200),
        ("mean", sd.mean, np.mean),
        ("std", sd.std, np.std),
        ("argmax", sd.argmax, np.argmax),
        ("any", lambda x: sd.any((x >= 0) & (PLACES == 1199)), lambda v: True),
        ("all", lambda x: sd.all((x < 0) | (PLACES < 1199)), lambda v: False),
    ]
    v = np.random.default_rng(77).integers(0, 100, 1200).astype("i4")
    x = killing(da.from_array(v, chunks=200), tmp_path, 1)
    found = mortal.gather(mortal.compute([lazily(x) for _, lazily, _ in pairs]))
    for (name, _, expected), each in zip(pairs, found, strict=True):
        np.testing.assert_allclose(each, expected(v), err_msg=name)
    assert len(list(tmp_path.iterdir())) == 1


def test_blocks_that_travelled_are_taken_wherever_they_lie(client) -> None:
    x = wide(12)
    found = client.persist(da.from_array(x, chunks=100))
    client.rebalance()
    both = sd.transform("a - b", a=found, b=found[::-1])
    np.testing.assert_array_equal(client.compute(both).result(), x - x[::-1])
    assert client.compute(sd.sum(found, accuracy="exact")).result() == sycl.sum(x, accuracy="exact")


def test_a_block_at_any_address(client) -> None:
    """As distributed's buffers give them."""

    def crooked(block: np.ndarray) -> np.ndarray:
        room = np.zeros(block.nbytes + 1, np.uint8)
        found = room[1:].view(block.dtype)
        found[...] = block
        return found

    x = wide(13)
    lazy = sd.sum(da.from_array(x, chunks=1000).map_blocks(crooked, dtype=x.dtype), accuracy="exact")
    assert client.compute(lazy).result() == sycl.sum(x, accuracy="exact")


def test_a_poison_block_is_named_on_the_client(client) -> None:
    v = np.arange(40, dtype="i4")
    with pytest.raises(InvalidParameterError, match="expected elements below minlength, 30, and there is 39") as caught:
        client.compute(sd.bincount(da.from_array(v, chunks=10), minlength=30)).result()
    (note,) = caught.value.__notes__
    assert note.startswith("in pysycl.dask.bincount, block (3, 0), on ") and " by OpenCL" in note


def spoilt(x):
    """The same, of which the last block is of text, and nobody knows before it is there."""
    last = x.numblocks[0] - 1

    def spoil(block, block_id):
        return block.astype("U3") if block_id[0] == last else block

    return x.map_blocks(spoil, dtype=x.dtype, meta=x._meta)


def test_in_every_function_a_poison_block_is_named_on_the_client(client) -> None:
    calls = {name: getattr(sd, name) for name in sd.__all__ if name != "local_cluster"}
    calls |= {
        "histogram": lambda x: sd.histogram(x, 5, (0, 9))[0], "bincount": lambda x: sd.bincount(x, minlength=50),
        "select": lambda x: sd.select(x, "x > 5"), "top_k": lambda x: sd.top_k(x, 3)[0],
        "transform": lambda x: sd.transform("x * x", x=x), "reduce_by_key": lambda x: sd.reduce_by_key(x, x)[1],
    }  # fmt: skip
    x = spoilt(da.from_array(np.arange(40, dtype="i4"), chunks=10))
    futures = {name: client.compute(call(x)) for name, call in calls.items()}
    for name, future in futures.items():
        error = future.exception()
        assert isinstance(error, sycl.SyclError), (name, error)
        (note,) = error.__notes__
        assert note.startswith(f"in pysycl.dask.{name}, block "), (name, note)
        assert "3" in note.partition(", on ")[0] and " by OpenCL" in note, (name, note)


def test_a_text_that_does_not_build_is_told_by_a_worker_where_the_client_cannot(client, monkeypatch) -> None:
    """As if it had no device: the text can be read, and it names what is not there."""
    monkeypatch.setattr("pysycl.dask.texts.has_device", lambda: False)
    lazy = sd.sum(da.from_array(np.arange(40, dtype="f4"), chunks=10), map="nowhere(x)")
    with pytest.raises(sycl.BuildError, match="nowhere") as caught:
        client.compute(lazy).result()
    assert "^" in str(caught.value)
    assert caught.value.__notes__[0].startswith("in pysycl.dask.sum, block (")


def test_a_program_is_one_in_a_worker(client) -> None:
    program = sycl.Program("__kernel void grow(__global int *x) { x[get_global_id(0)]++; }")
    text = pickle.dumps(program)
    alive = client.run(lambda: id(pickle.loads(text)) == id(pickle.loads(text)))
    assert set(alive.values()) == {True}


def test_every_worker_has_a_device_of_its_own(client) -> None:
    assert {each["resources"]["device"] for each in client.scheduler_info()["workers"].values()} == {1}
    assert {each["nthreads"] for each in client.scheduler_info()["workers"].values()} == {1}
    assert len(processes(client)) == 2
    threads = str(max((os.cpu_count() or 1) // 2, 1))  # no worker takes the cores of another
    for name in ("POCL_MAX_PTHREAD_COUNT", "PYSYCL_TEAM") if sycl.Device().is_cpu else ():
        assert set(client.run(lambda name=name: os.environ[name]).values()) == {threads}


def test_devices_are_pinned() -> None:
    names = [device.filter_string for device in sycl.devices() if device.filter_string][:2]
    with sd.local_cluster(names, dashboard_address=None) as cluster, cluster.get_client() as client:
        client.wait_for_workers(len(names), timeout=120)
        children = {*processes(client), *(each.pid for each in cluster.workers.values())}
        found = client.run(lambda: sycl.Device().filter_string)
        pinned = client.run(lambda: os.environ["PYSYCL_DEVICE"])
    assert found == pinned
    assert sorted(pinned.values()) == sorted(names)
    assert len(children) >= len(names)
    assert not [each for each in children if is_alive(each)]  # none is left behind


def test_what_is_no_device_is_told() -> None:
    for wrong in (0, [], True, 1.5):
        with pytest.raises(InvalidParameterError, match="devices: expected a list of Devices or filter strings"):
            sd.local_cluster(wrong)
    with pytest.raises(InvalidParameterError, match="devices: expected Devices or filter strings, got 7"):
        sd.local_cluster([7])
    with pytest.raises(sycl.SyclRuntimeError, match="the filter 'opencl:cpu:7' matches no device. The devices are:"):
        sd.local_cluster(["opencl:cpu:7"])
    with pytest.raises(InvalidParameterError, match="n_workers: `devices` says how many workers, of one thread each"):
        sd.local_cluster(n_workers=2)


@pytest.mark.parametrize("file", ["script.py", "-"])
def test_a_script_that_each_worker_would_run_again_is_told_what_it_lacks(file: str, tmp_path) -> None:
    text = "import pysycl.dask as sd\nsd.local_cluster(1, dashboard_address=None)\n"
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    child = subprocess.run(
        [sys.executable, file], input=text, cwd=tmp_path, capture_output=True, text=True, timeout=150
    )
    assert child.returncode == 1
    guard = 'put it below `if __name__ == "__main__":`, since each worker runs the script again as it begins'
    if file == "-":
        told = "Each worker runs the script again as it begins, and '<stdin>' is no file."
    else:
        assert child.stderr.count(f"InvalidError: local_cluster: a worker has come here: {guard}") == 1
        told = f"local_cluster in a script: {guard}."
    assert told in child.stderr.splitlines()[-2:]
