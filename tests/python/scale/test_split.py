"""Several devices in the place of a queue: right results on any number of elements, and errors that name the device."""

import threading

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core
from pysycl._split import blocks

pytestmark = pytest.mark.filterwarnings("ignore:.*is on hardware that:pysycl.SyclWarning")

SIZES = [0, 1, 2, 3, 1000, 4099]


@pytest.fixture(scope="module")
def queues() -> list[sycl.Queue]:
    """Of two drivers, where there are two."""
    found = {device.platform.version: device for device in sycl.devices() if "Oclgrind" not in device.platform.version}
    devices = [*found.values(), *found.values()][:2]
    return [sycl.Queue(device) for device in devices]


@pytest.fixture
def both(queues: list[sycl.Queue], monkeypatch: pytest.MonkeyPatch) -> sycl.Split:
    """With blocks of a few elements."""
    monkeypatch.setattr(blocks, "LEAST", 16)
    return sycl.split(queues)


def numbers(size: int, dtype: str = "f4") -> np.ndarray:
    return np.random.default_rng(size).integers(-50, 50, size).astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("put", [False, True])
def test_reductions(both: sycl.Split, size: int, put: bool) -> None:
    x = numbers(size)
    given = both.put(x) if put else x
    for name in ("sum", "any", "all", "mean", "var", "min", "max", "argmin", "argmax"):
        if size == 0 and name in ("mean", "var"):
            continue
        if size == 0 and name in ("min", "max", "argmin", "argmax"):
            with pytest.raises(sycl.InvalidParameterError, match="of no elements is not defined"):
                getattr(sycl, name)(given, queue=both)
            continue
        found = getattr(sycl, name)(given, queue=both)
        assert found.dtype == getattr(sycl, name)(x).dtype
        np.testing.assert_allclose(found, getattr(np, name)(x), rtol=1e-5)
    assert sycl.sum(given, map="x * x", initial=2, queue=both) == (x * x).sum() + 2
    wide = x * 10.0 ** (np.arange(size) % 20 - 10).astype("f4")
    assert sycl.sum(both.put(wide), accuracy="exact", queue=both) == sycl.sum(wide, accuracy="exact")


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), -2])
def test_axes(both: sycl.Split, axis: object) -> None:
    x = numbers(900).reshape(90, 10)
    for keepdims in (False, True):
        found = sycl.sum(x, axis=axis, keepdims=keepdims, queue=both)
        np.testing.assert_array_equal(found, x.sum(axis=axis, keepdims=keepdims))
    if isinstance(axis, int):
        np.testing.assert_array_equal(sycl.argmax(x, axis=axis, queue=both), x.argmax(axis=axis))
        scanned = sycl.inclusive_scan(x, axis=axis, reverse=True, queue=both)
        np.testing.assert_array_equal(scanned, np.flip(np.flip(x, axis).cumsum(axis), axis))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("put", [False, True])
def test_scans(both: sycl.Split, size: int, put: bool) -> None:
    x = numbers(size, "i4")
    given = both.put(x) if put else x
    np.testing.assert_array_equal(sycl.cumsum(given, queue=both), np.cumsum(x))
    np.testing.assert_array_equal(sycl.cummax(given, queue=both), np.maximum.accumulate(x))
    for reverse in () if put else (False, True):
        found = sycl.exclusive_scan(x, "a * 0 + b", initial=7, reverse=reverse, queue=both)
        expected = sycl.exclusive_scan(x, "a * 0 + b", initial=7, reverse=reverse)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("put", [False, True])
def test_sorts(both: sycl.Split, size: int, put: bool) -> None:
    x = numbers(size)
    x[::7] = np.nan
    for each in (x, np.zeros(size, "i2")):
        found = sycl.sort(both.put(each) if put else each, queue=both)
        np.testing.assert_array_equal(found, np.sort(each))


def test_sorts_of_rows(both: sycl.Split) -> None:
    x = numbers(900).reshape(90, 10)
    np.testing.assert_array_equal(sycl.sort(x, queue=both), np.sort(x))
    with pytest.raises(sycl.InvalidParameterError, match="axis: several devices sort along another axis"):
        sycl.sort(x, axis=0, queue=both)


@pytest.mark.parametrize("size", SIZES)
def test_bodies_over_own_elements(both: sycl.Split, size: int) -> None:
    x, y, table = numbers(size), np.zeros(size, "f4"), np.arange(100, dtype="f4")
    body = "y[i] = a * x[i] + t[(int)x[i] + 50]; /* i is own */"
    both.parallel_for(size, body, x=x, y=y, t=table, a=2)
    np.testing.assert_array_equal(y, 3 * x + 50)
    there = both.put(x)
    more = both.put(np.ones(size, "f4"), like=there)
    both.parallel_for(size, "y[i] += x[i];", x=there, y=more)
    np.testing.assert_array_equal(np.asarray(more), x + 1)


def test_bodies_that_are_not_over_own_elements_are_refused(both: sycl.Split) -> None:
    x = numbers(100)
    for body, words in (
        ("x[i] = i;", "the body says 'i' beside subscripts"),
        ("x[i] = x[i + 1];", "the body says 'i' beside subscripts"),
        ("x[get_global_id(0)] = 1;", "the body says 'get_global_id'"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            both.parallel_for(100, body, x=x)
    with pytest.raises(sycl.InvalidParameterError, match="x: expected 50 elements, as many as the range has"):
        both.parallel_for(50, "x[i] = 1;", x=x)
    with pytest.raises(sycl.SyclError, match="read-only"):
        both.parallel_for(100, "t[3] = x[i];", x=x, t=np.zeros(10, "f4"))
    with pytest.raises(sycl.InvalidParameterError, match="t: it is in the memories of several devices"):
        both.parallel_for(100, "x[i] = t[3];", x=x, t=both.put(x))


def test_a_device_that_fails_is_named_and_nothing_is_lost(both: sycl.Split, queues: list[sycl.Queue]) -> None:
    x = numbers(1 << 20)
    there = both.put(x)
    exact = {"map": "x + 1", "accuracy": "exact", "queue": both}
    whole = sycl.sum(there, **exact)
    last = queues[1].device.platform
    _core.fault_install(last._driver_index)
    try:
        _core.fault_arm("EnqueueNDRangeKernel", 1, -54)
        with pytest.raises(sycl.NdRangeError) as caught:
            sycl.sum(there, **exact)
    finally:
        _core.fault_install(None)
    (note,) = caught.value.__notes__
    assert note.startswith(f"on {queues[1].device.name!r} by {last.name}, block ")
    assert note.endswith("block 1 of 2") or last == queues[0].device.platform
    np.testing.assert_array_equal(there, x)
    assert sycl.sum(there, **exact) == whole == x.sum(dtype="f8") + x.size


def test_a_failure_ends_the_others(queues: list[sycl.Queue]) -> None:
    """Each ends what it has, and begins no other block."""
    failed = threading.Event()
    begun = []

    def work(block: range, number: int, queue: sycl.Queue) -> None:
        begun.append(number)
        if number == 1:
            failed.set()
            raise OSError("broken")
        failed.wait(60)

    with pytest.raises(OSError, match="broken") as caught:
        blocks.done(queues, [range(1)] * 2, work, True, {})
    assert "block 1 of 2" in caught.value.__notes__[0]
    assert sorted(begun) == [0, 1]


def test_each_block_of_parts_is_done_by_its_device(queues: list[sycl.Queue]) -> None:
    speeds: dict[sycl.Queue, float] = {}
    found = blocks.done(queues, [range(3)] * 6, lambda block, number, queue: queue, True, speeds)
    assert found == [queues[k % 2] for k in range(6)]
    assert set(speeds) == set(queues)
    assert all(speed > 0 for speed in speeds.values())


def test_shares_follow_the_speeds() -> None:
    assert blocks.shares(100, [None, None]) == [0, 50, 100]
    assert blocks.shares(100, [3.0, 1.0]) == [0, 75, 100]
    assert blocks.shares(90, [2.0, None, 2.0]) == [0, 30, 60, 90]
    assert blocks.shares(0, [1.0, 5.0]) == [0, 0, 0]


def test_what_does_not_go_is_told(both: sycl.Split, queues: list[sycl.Queue]) -> None:
    x = numbers(100)
    with pytest.warns(
        sycl.SyclWarning, match="is on hardware that .* is on already: splitting over both is right, and slower"
    ):
        sycl.split([queues[0], sycl.Queue(queues[0].device)])
    for call, words in (
        (lambda: sycl.split([]), "queues: expected a list of Queues"),
        (lambda: sycl.median(x, queue=both), "which reductions, scans and sort take"),
        (lambda: sycl.sum(x, out=np.zeros(()), queue=both), "out: not over several devices"),
        (lambda: sycl.sum(x, where=x > 0, queue=both), "where: not over several devices"),
        (lambda: sycl.nansum(x, queue=both), "skips_nan: not over several devices"),
        (lambda: sycl.sort(x, descending=True, queue=both), "descending: not over several devices"),
        (lambda: sycl.inclusive_scan(x, segments=[0, 100], queue=both), "segments: not over several devices"),
        (
            lambda: sycl.sum(sycl.Buffer(x), queue=both),
            "x: expected a NumPy array, or what Split.put gives, got Buffer",
        ),
        (lambda: sycl.sum(sycl.split(queues[:1]).put(x), queue=both), "x: it is in the memories of 1 devices"),
        (lambda: both.put(x, like=both.put(x[:9])), "like: it has 9 parts along axis 0, and x 100"),
        (lambda: sycl.sum(np.float32(3), queue=both), "x: a number has no blocks"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()
