"""Several devices in the place of a queue: right results on any number of elements, and errors that name the device."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from sweeps import exhaustive, sweep

import pysycl as sycl
from pysycl import _core
from pysycl._split import blocks
from pysycl._split.crew import Crew

pytestmark = pytest.mark.filterwarnings("ignore:.*is on hardware that:pysycl.SyclWarning")

SIZES = [0, 1, 2, 3, 1000, 4099]


@pytest.fixture(scope="module")
def queues() -> list[sycl.Queue]:
    """Of two GPUs, or of two drivers, where there are two."""
    if len(sycl.devices("gpu")) > 1:
        return [sycl.Queue(device) for device in sycl.devices("gpu")[:2]]
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


@pytest.mark.parametrize(
    ("put", "size"),
    sweep([(put, size) for put in (False, True) for size in SIZES], [*((True, size) for size in SIZES), (False, 1000)]),
)
def test_scans(both: sycl.Split, size: int, put: bool) -> None:
    x = numbers(size, "i4")
    given = both.put(x) if put else x
    np.testing.assert_array_equal(sycl.cumsum(given, queue=both), np.cumsum(x))
    np.testing.assert_array_equal(sycl.cummax(given, queue=both), np.maximum.accumulate(x))
    for reverse in () if put else (False, True):
        found = sycl.exclusive_scan(x, "a * 0 + b", initial=7, reverse=reverse, queue=both)
        expected = sycl.exclusive_scan(x, "a * 0 + b", initial=7, reverse=reverse)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("columns", [1, 10])
def test_a_scan_does_not_read_the_last_block_twice(both: sycl.Split, reverse: bool, columns: int) -> None:
    x = numbers(900, "i4").reshape(-1, columns)
    there = both.put(x)
    with sycl.profile() as p:
        found = sycl.inclusive_scan(there, axis=0, reverse=reverse, queue=both)
    turn = slice(None, None, -1 if reverse else 1)
    np.testing.assert_array_equal(np.asarray(found), x[turn].cumsum(axis=0)[turn])
    kernels = [command.queue for command in p.commands if command.kind == "kernel"]
    assert len(kernels) == 3 and len(set(kernels)) == 2


@pytest.mark.parametrize("axis", [0, 1])
def test_scans_into_memory_that_is_there(both: sycl.Split, axis: int) -> None:
    out = both.put(np.zeros((300, 4), "i8"))
    for seed in (1200, 1201):
        x = numbers(1200 + seed, "i8")[:1200].reshape(300, 4)
        there = both.put(x, like=out)
        assert sycl.cumsum(there, axis=axis, out=out, queue=both) is out
        np.testing.assert_array_equal(np.asarray(out), x.cumsum(axis=axis))
        np.testing.assert_array_equal(np.asarray(there), x)
        sycl.cumsum(there, axis=axis, out=there, queue=both)
        np.testing.assert_array_equal(np.asarray(there), x.cumsum(axis=axis))
    for other in (x[:299], x[:, :2]):
        with pytest.raises(sycl.InvalidParameterError, match="out: expected blocks as x has them"):
            sycl.cumsum(both.put(other), axis=0, out=out, queue=both)
    with pytest.raises(sycl.InvalidParameterError, match=r"out: expected what Split.put gives.*got ndarray"):
        sycl.cumsum(there, axis=0, out=np.zeros_like(x), queue=both)


def test_calls_that_differ_in_little(both: sycl.Split) -> None:
    """What is kept of one is not taken for another."""
    x = numbers(1200).reshape(300, 4)
    there = both.put(x)
    for _ in range(2):
        assert sycl.sum(there, queue=both) == x.sum()
        assert sycl.sum(there, map="x * x", queue=both) == (x * x).sum()
        assert sycl.sum(there, dtype="f8", queue=both).dtype == np.float64
        assert sycl.var(there, ddof=1, queue=both) == pytest.approx(x.var(ddof=1), rel=1e-5)
        assert sycl.var(there, queue=both) == pytest.approx(x.var(), rel=1e-5)
        assert sycl.sum(there, axis=(0,), keepdims=True, queue=both).shape == (1, 4)
        assert sycl.sum(there, axis=[0], queue=both).shape == (4,)
        for first in (-0.0, 0.0):
            found = sycl.prod(both.put(np.ones((40, 2), "f4")), axis=1, initial=first, queue=both)
            assert np.signbit(found).all() == np.signbit(first)
        assert np.asarray(sycl.exclusive_scan(there, sycl.plus, axis=0, queue=both))[0].tolist() == [0] * 4
        assert np.array_equal(sycl.inclusive_scan(there, sycl.plus, axis=0, queue=both), x.cumsum(axis=0))
        reverse = sycl.inclusive_scan(there, sycl.maximum, axis=0, reverse=True, queue=both)
        assert np.array_equal(reverse, np.maximum.accumulate(x[::-1])[::-1])


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


PLACED = "says here where in the range the work-item is"
OTHERWISE = "stands here in another form"


@pytest.mark.parametrize(
    ("body", "given", "words", "column"),
    [
        ("x[i] = i;", {}, f"'i' {PLACED}", 8),
        ("x[i] = x[i + 1];", {}, f"'i' {PLACED}", 10),
        ("/* x[j] */ int k = i; x[k] = 1;", {}, f"'i' {PLACED}", 20),
        ("int i = 0; x[i] = 1;", {}, f"'i' {PLACED}", 5),
        ("x[get_global_id(0)] = 1;", {}, f"'get_global_id' {PLACED}", 3),
        ("x[i] = global_range(0);", {}, f"'global_range' {PLACED}", 8),
        ("x[i] += w[i] + w[0];", {"w": np.ones(100, "f4")}, f"'w' {OTHERWISE} than elsewhere", 16),
        ("t[3] = x[i];", {"t": np.zeros(10, "f4")}, f"'t' {OTHERWISE}, and the text writes to it", 1),
        ("s += x[i];", {"s": sycl.reduction(np.zeros(1, "f4"), sycl.plus)}, "'s' combines all work-items", 1),
        ("x[i] = AT;", {"preamble": "#define AT get_global_id(0)"}, f"'get_global_id' {PLACED}", 0),
    ],
)  # fmt: skip
def test_bodies_that_cannot_be_done_in_blocks_are_refused(both, body: str, given, words: str, column: int) -> None:
    x = numbers(100)
    before = x.copy()
    with pytest.raises(sycl.InvalidParameterError, match=words) as caught:
        both.parallel_for(100, body, x=x, **given)
    lines = str(caught.value).splitlines()
    assert lines[1] == f"    1 | {body}"
    assert lines[2:] == (["      | " + " " * (column - 1) + "^"] if column else [])
    np.testing.assert_array_equal(x, before)


def test_text_that_the_compiler_chooses_is_refused(both: sycl.Split) -> None:
    with pytest.raises(sycl.InvalidParameterError, match="only the compiler knows which part of the text counts"):
        both.parallel_for(100, "#ifdef cl_khr_fp64\nx[i] = 1;\n#endif", x=numbers(100))


def test_arguments_that_do_not_go_with_the_body_are_refused(both: sycl.Split) -> None:
    x = numbers(100)
    with pytest.raises(sycl.InvalidParameterError, match="x: expected 50 elements, as many as the range has"):
        both.parallel_for(50, "x[i] = 1;", x=x)
    with pytest.raises(sycl.InvalidParameterError, match="'t' is in the memories of several devices") as caught:
        both.parallel_for(100, "x[i] = t[3];", x=x, t=both.put(x))
    assert str(caught.value).endswith("    1 | x[i] = t[3];\n      |        ^")
    with pytest.raises(
        sycl.InvalidParameterError, match="t: expected a NumPy array, or what Split.put gives, got Buffer"
    ):
        both.parallel_for(100, "x[i] = t[3];", x=x, t=sycl.Buffer(x))
    with pytest.raises(TypeError, match="offset"):
        both.parallel_for(100, "x[i] = 1;", x=x, offset=3)


def test_helpers_may_read_what_all_devices_are_given(both: sycl.Split) -> None:
    x, t = numbers(100), np.arange(10, dtype="f4")
    reads = "float at(__global const float *p, int k) { return p[k]; }"
    both.parallel_for(100, "#define OWN x[i]\nOWN = at(t, 3);", x=x, t=t, preamble=reads)
    np.testing.assert_array_equal(x, 3)
    writes = "float at(__global float *p, int k) { return p[k]++; }"
    with pytest.raises(sycl.BuildError, match="discards qualifiers"):
        both.parallel_for(100, "x[i] = at(t, 3);", x=x, t=t, preamble=writes)
    np.testing.assert_array_equal(t, np.arange(10))


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
        Crew(queues)._do([range(1)] * 2, work, owned=False, fixed=True)
    assert "block 1 of 2" in caught.value.__notes__[0]
    assert sorted(begun) == [0, 1]


def test_each_block_of_parts_is_done_by_its_device(queues: list[sycl.Queue]) -> None:
    crew = Crew(queues)
    assert crew._do([range(3)] * 2, lambda block, number, queue: lambda: queue, owned=True) == queues
    assert crew.speeds == {}  # it is begun, and waited for after the others
    found = crew._do([range(3)] * 6, lambda block, number, queue: lambda: queue, owned=False, fixed=True)
    assert found == [queues[k % 2] for k in range(6)]
    assert set(crew.speeds) == set(queues)
    assert all(speed > 0 for speed in crew.speeds.values())


def test_all_devices_have_begun_before_one_is_waited_for(queues: list[sycl.Queue]) -> None:
    begun = []

    def work(block: range, number: int, queue: sycl.Queue) -> Callable[[], int]:
        begun.append(number)
        return lambda: len(begun)

    assert Crew(queues)._do([range(3)] * 2, work, owned=True) == [2, 2]


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
        (
            lambda: sycl.split(sycl.devices()),
            r"queues: .* as \[sycl.Queue\(device\) for device in sycl.devices\(\)\], got",
        ),
        (lambda: sycl.median(x, queue=both), "^queue: .*: several devices are for reductions, scans and sort"),
        (lambda: sycl.histogram(x, 3, queue=both), "^queue: .*: several devices are for reductions, scans and sort"),
        (lambda: both.parallel_for(3.0, "x[i] = 1;", x=x), "size: expected how many elements, as an int, got 3.0"),
        (lambda: both.parallel_for((3,), "x[i] = 1;", x=x), r"size: expected how many elements, as an int, got \(3,\)"),
        (lambda: both.parallel_for(-1, "x[i] = 1;", x=x), "size: expected how many elements, got -1"),
        (lambda: both.parallel_for(100, len, x=x), "body: expected OpenCL C, got <built-in function len>"),
        (lambda: both.put("x"), "x: expected an array of one dimension or more, got 'x'"),
        (lambda: sycl.sum(x, out=np.zeros(()), queue=both), "out: not over several devices"),
        (lambda: sycl.sum(x, where=x > 0, queue=both), "where: not over several devices"),
        (lambda: sycl.nansum(x, queue=both), "queue: functions that leave NaN out are for one device"),
        (lambda: sycl.sort(x, descending=True, queue=both), "descending: not over several devices"),
        (lambda: sycl.inclusive_scan(x, segments=[0, 100], queue=both), "segments: not over several devices"),
        (
            lambda: sycl.sum(sycl.Buffer(x), queue=both),
            "x: expected a NumPy array, or what Split.put gives, got Buffer",
        ),
        (lambda: sycl.sum(sycl.split(queues[:1]).put(x), queue=both), "x: it is in the memories of 1 devices"),
        (lambda: both.put(x, like=both.put(x[:9])), "like: it has 9 parts along axis 0, and x 100"),
        (lambda: sycl.sum(np.float32(3), queue=both), "x: expected an array of one dimension or more, got "),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            call()


def test_parts_are_no_memory_of_a_body_on_one_device(both: sycl.Split, queues: list[sycl.Queue]) -> None:
    """It would write to a copy, which nobody sees."""
    there = both.put(numbers(100))
    with pytest.raises(
        sycl.KernelArgumentError, match="'x' cannot share its memory: its blocks are in the memories of"
    ):
        queues[0].parallel_for(100, "x[i] = 1;", x=there)


ON_COPIES = """
import numpy as np
import pysycl as sycl
from pysycl._split import blocks

blocks.LEAST = 16
both = sycl.split([sycl.Queue(device) for device in sycl.devices()[:2]])
assert len(both.queues) == 2
combines = not both.queues[0].device.is_gpu  # forms for real GPUs have warps, and PoCL in disguise has none
rng = np.random.default_rng(5)
for size in (0, 1, 1000, 40_001):
    x, k = rng.normal(size=size).astype("f4"), rng.integers(-9, 9, size).astype("i4")
    x[5::7] = np.nan
    there, other = both.put(x), both.put(k)
    if combines:
        assert sycl.sum(other, queue=both) == k.sum()
        assert sycl.sum(k, map="x * 3", queue=both) == 3 * k.sum()
        for given in (k, other):
            assert np.array_equal(np.asarray(sycl.cumsum(given, queue=both)), k.cumsum())
        for given in (x, there):
            assert np.array_equal(np.asarray(sycl.sort(given, queue=both)), np.sort(x), equal_nan=True)
    if combines and size:
        assert sycl.argmin(other, queue=both) == k.argmin()
        assert np.isclose(sycl.std(other, queue=both), k.std())
    both.parallel_for(size, "x[i] += 2 * y[i];", x=other, y=both.put(k[::-1].copy(), like=other))
    assert np.array_equal(np.asarray(other), k + 2 * k[::-1])
    both.parallel_for(size, "x[i] += t[3];", x=(y := k.copy()), t=np.arange(5, dtype="i4"))
    assert np.array_equal(y, k + 3)
if combines:
    assert not np.asarray(sycl.sort(both.put(np.zeros(999, "i2")), queue=both)).any()
"""


@pytest.mark.parametrize("kind", [exhaustive("unknown"), "gpu"])
def test_devices_with_memory_of_their_own(run_python, copying, kind: str) -> None:
    run_python(ON_COPIES, copying(kind), timeout=600)
