"""Arrays that come in chunks: results of the whole, two chunks in memory, errors where they belong."""

import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sweeps import exhaustive

import pysycl as sycl
from pysycl._streams.ahead import Ahead

X = np.random.default_rng(4).normal(size=(50, 6)).astype("f4")


def chunks(x: np.ndarray, size: int = 7):
    return (x[k : k + size] for k in range(0, len(x), size))


@pytest.mark.parametrize(
    "op", [sycl.plus, sycl.minimum, sycl.mean, sycl.var, sycl.std, sycl.argmin, sycl.argmax, "a + b"]
)
@pytest.mark.parametrize("axis", [None, 0])
def test_a_reduction(op: object, axis: object) -> None:
    whole = sycl.make_reduce(op, "f4", axis=axis)(X)
    np.testing.assert_allclose(sycl.stream_reduce(chunks(X), op, axis=axis), whole, rtol=1e-5)


def test_an_exact_sum_is_exact_of_the_whole() -> None:
    x = (X * 10.0 ** np.arange(-3, 3)).astype("f4")
    for size in (1, 13, 50):
        assert sycl.stream_reduce(chunks(x, size), accuracy="exact", initial=1) == sycl.sum(
            x, accuracy="exact", initial=1
        )


@pytest.mark.parametrize(
    ("dtype", "accuracy", "exclusive"), [("i4", "fast", False), ("f4", "exact", True), exhaustive("f4", "exact", False)]
)
def test_a_scan(dtype: str, accuracy: str, exclusive: bool) -> None:
    x = X if dtype == "f4" else (100 * X).astype(dtype)
    options = {"exclusive": exclusive, "initial": 2, "accuracy": accuracy}
    found = np.concatenate(list(sycl.stream_scan(chunks(x), **options)))
    np.testing.assert_array_equal(found, sycl.make_scan(sycl.plus, dtype, axis=0, **options)(x))


def test_a_histogram() -> None:
    counts, edges = sycl.stream_histogram(chunks(X), 9, (-2, 2))
    expected, where = np.histogram(X, 9, (-2, 2))
    np.testing.assert_array_equal(counts, expected)
    np.testing.assert_array_equal(edges, where)
    with pytest.raises(
        sycl.InvalidParameterError, match="range: the least and the greatest of elements that are still"
    ):
        sycl.stream_histogram(chunks(X), 9)


@pytest.mark.parametrize("memory", [np.asarray, sycl.Buffer])
def test_a_histogram_of_bool_warns_once_at_the_line_of_the_user(memory: Callable[[np.ndarray], object]) -> None:
    x = X[:, 0] > 0.5
    with pytest.warns(RuntimeWarning, match="from bool to uint8") as told:
        counts, edges = sycl.stream_histogram((memory(part) for part in chunks(x)), 3, (0, 1))
    assert [each.filename for each in told] == [__file__]
    assert (counts.tolist(), edges.size) == ([(~x).sum(), 0, x.sum()], 4)


@pytest.mark.parametrize("dtype", ["f4", "i2", "u1"])
def test_a_sort(dtype: str, tmp_path: Path) -> None:
    """Of more runs than are merged at a time, with equal elements, and with NaN last."""
    x = np.random.default_rng(5).integers(0, 200, 4000).astype(dtype)
    if dtype == "f4":
        x[::100] = np.nan
    found = list(sycl.stream_sort(chunks(x, 60), folder=tmp_path))
    np.testing.assert_array_equal(np.concatenate(found), np.sort(x))
    assert not list(tmp_path.iterdir())


def test_a_sort_that_is_left_leaves_no_files(tmp_path: Path) -> None:
    found = sycl.stream_sort(chunks(np.arange(40000.0)[::-1], 10000), folder=tmp_path)
    next(found)
    assert list(tmp_path.iterdir())
    found.close()
    assert not list(tmp_path.iterdir())


def test_two_chunks_are_in_memory() -> None:
    """One that is worked on, and one that is read ahead."""
    alive: set[int] = set()
    most = 0

    def made():
        nonlocal most
        for k in range(30):
            chunk = np.ones(1000)
            alive.add(k)
            weakref.finalize(chunk, alive.discard, k)
            most = max(most, len(alive))
            yield chunk
            del chunk

    assert sycl.stream_reduce(made()) == 30000
    assert most == 2


def test_the_next_chunk_is_read_meanwhile() -> None:
    threads = set()

    def made():
        for _ in range(3):
            threads.add(threading.current_thread())
            yield np.ones(5)

    assert sycl.stream_reduce(made()) == 15
    assert threading.main_thread() not in threads


def test_an_error_of_the_chunks_is_raised_here() -> None:
    def made():
        yield np.ones(3)
        raise OSError("the disk is gone")

    for call in (sycl.stream_reduce, lambda c: list(sycl.stream_scan(c)), lambda c: list(sycl.stream_sort(c))):
        with pytest.raises(OSError, match="the disk is gone"):
            call(made())


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(sycl.InvalidParameterError, match="chunk 1 has elements of int64, and those before of float64"):
        sycl.stream_reduce([np.ones(2), np.ones(2, "i8")])
    for odd in (lambda c: sycl.stream_reduce(c, axis=0), lambda c: list(sycl.stream_scan(c))):
        with pytest.raises(
            sycl.InvalidParameterError, match=r"chunk 1 has the shape \(2, 4\), and chunk 0 \(3,\) behind"
        ):
            odd([np.ones((2, 3)), np.ones((2, 4))])
    with pytest.raises(sycl.InvalidParameterError, match="chunks: there is none"):
        sycl.stream_reduce([])
    with pytest.raises(sycl.InvalidParameterError, match="expected an iterable of arrays, got one of float64"):
        sycl.stream_reduce(np.ones(4))
    with pytest.raises(sycl.InvalidParameterError, match="got the text 'x.bin': numpy.memmap makes an array of a file"):
        sycl.stream_reduce("x.bin")
    with pytest.raises(sycl.InvalidParameterError, match="chunks follow each other along axis 0"):
        sycl.stream_reduce([X.reshape(-1, 2)], axis=1)
    with pytest.raises(sycl.InvalidParameterError, match="axis: expected None, an int or a tuple of ints, got '0'"):
        sycl.stream_reduce(chunks(X), axis="0")
    with pytest.raises(sycl.InvalidParameterError, match="folder: there is no folder '/nowhere/at/all'"):
        list(sycl.stream_sort(chunks(X), folder="/nowhere/at/all"))
    with pytest.raises(sycl.InvalidParameterError, match="queues: expected a list of Queues"):
        sycl.stream_reduce(chunks(X), queues=[])


def test_devices_that_share_hardware_are_not_split_over(queue: sycl.Queue) -> None:
    with pytest.warns(sycl.SyclWarning, match="is on hardware that .* is on already"):
        found = sycl.stream_reduce(chunks(X), queues=[queue, sycl.Queue(queue.device)], accuracy="exact")
    assert found == sycl.sum(X, accuracy="exact")


def test_chunks_go_to_whichever_is_free(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if both had hardware of their own: the results keep the order of the chunks."""
    from pysycl._streams import folded

    other = sycl.Queue(queue.device)
    monkeypatch.setattr(folded, "own_hardware", lambda queues: queues)
    x = np.arange(100, dtype="i4")
    last = sycl.stream_reduce(chunks(x), sycl.BinaryOp("(T)(a * 0 + b)"), queues=[queue, other])
    assert last == 99
    assert sycl.stream_reduce(chunks(x), sycl.argmax, queues=[queue, other]) == 99
    for _ in range(5):
        with pytest.raises(
            sycl.InvalidParameterError, match="chunk 1 has elements of int64, and those before of int32"
        ):
            sycl.stream_reduce([x, x.astype("i8")], queues=[queue, other])


def test_ctrl_c_ends_it() -> None:
    def made():
        yield np.ones(3)
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
        time.sleep(20)
        yield np.ones(3)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sycl.stream_reduce(made())
    assert time.monotonic() - begun < 15


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is Linux's")
def test_a_file_larger_than_memory(run_python: object, tmp_path: Path) -> None:
    """Read and sorted with less memory than it has bytes."""
    code = f"""
        import resource
        from pathlib import Path
        import numpy as np
        import pysycl as sycl
        path = Path({str(tmp_path)!r}) / "numbers"
        rng = np.random.default_rng(0)
        size, count = 1 << 20, 40
        total = 0
        with path.open("wb") as file:
            for _ in range(count):
                part = rng.integers(0, 1 << 30, size, dtype="i4")
                total += int(part.sum(dtype="i8"))
                part.tofile(file)
        def chunks():
            with path.open("rb") as file:
                for _ in range(count):
                    yield np.fromfile(file, "i4", size)
        sycl.stream_reduce([np.ones(size, "i4")] * 2), list(sycl.stream_sort([np.ones(size, "i4")] * 2))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert sycl.stream_reduce(chunks()) == total
        last, many = -1, 0
        for part in sycl.stream_sort(chunks(), folder={str(tmp_path)!r}):
            assert part[0] >= last and (np.diff(part) >= 0).all()
            last, many = part[-1], many + part.size
        assert many == size * count
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        assert more < 80, more  # MiB: two chunks and 64
        print("fine")
    """
    import textwrap

    done = run_python(textwrap.dedent(code), {})  # type: ignore[operator]
    assert "fine" in str(getattr(done, "stdout", done))


def test_chunks_of_the_other_byte_order_are_sorted_too() -> None:
    x = np.random.default_rng(7).normal(size=3000).astype(">f4")
    found = np.concatenate(list(sycl.stream_sort(x[k : k + 700] for k in range(0, 3000, 700))))
    np.testing.assert_array_equal(found, np.sort(x))


class Reader:
    """An iterator that cannot be closed."""

    def __init__(self) -> None:
        self.left = 3

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return np.ones(5, np.float32)

    def close(self) -> None:
        raise OSError("the file is gone")


@pytest.mark.timeout(60)
def test_a_reader_that_fails_to_close_is_an_error_and_no_wait() -> None:
    with pytest.raises(OSError, match="the file is gone"):
        sycl.stream_reduce(Reader())


@pytest.mark.parametrize("options", [{"map": "fabs(x)"}, {"initial": 1}])
def test_positions_refuse_what_they_do_not_take(options) -> None:
    with pytest.raises(sycl.InvalidParameterError, match=f"{next(iter(options))}: argmax takes none"):
        sycl.make_reduce(sycl.argmax, "f4", **options)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([3, 1], "chunks: expected arrays, and chunk 0 is 3"),
        ([X, None], "chunks: expected arrays, and chunk 1 is None"),
        ({"a": X}, "chunks: expected arrays, and chunk 0 is 'a'"),
        ("abc", "chunks: expected an iterable of arrays, got the text 'abc'"),
        (5, "chunks: expected an iterable of arrays, such as a generator"),
        ([np.array([X, None], object)], "got object|real numbers, got object"),
        ([np.array(["2020-01-01"], "M8[D]")], r"got datetime64\[D\]"),
        ([np.zeros(2, [("a", "f4")])], r"got \[\('a'"),
        ([X[0], np.ma.array([1, 2], mask=[0, 1], dtype="f4")], "x: a masked array, whose mask would be lost"),
    ],
)
def test_what_is_no_chunk_is_told_by_all_of_them(given: object, words: str) -> None:
    calls = (
        sycl.stream_reduce, lambda c: list(sycl.stream_scan(c)), lambda c: list(sycl.stream_sort(c)),
        lambda c: sycl.stream_histogram(c, 4, (0, 8)),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(sycl.InvalidParameterError, match=words) as caught:
            call(given)
        if words.startswith("x: "):
            assert caught.value.__notes__ == ["in chunk 1 of the stream"]


def test_chunks_in_any_layout_and_of_no_rows() -> None:
    given = [X[:0], X[:9:2], X[9:20][::-1], np.asfortranarray(X[20:]), X[:0]]
    x = np.concatenate(given)
    np.testing.assert_allclose(sycl.stream_reduce(given, axis=0), x.sum(0), rtol=1e-5)
    np.testing.assert_allclose(np.concatenate(list(sycl.stream_scan(given))), x.cumsum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(np.concatenate(list(sycl.stream_sort(given))), np.sort(x, None))
    np.testing.assert_array_equal(sycl.stream_histogram(given, 5, (-2, 2))[0], np.histogram(x, 5, (-2, 2))[0])


@pytest.mark.parametrize("op", [sycl.minimum, sycl.maximum, sycl.argmin, "a < b ? a : b"])
@pytest.mark.parametrize("axis", [None, 0])
def test_no_elements_have_what_the_function_has_of_them(op: object, axis: object) -> None:
    with pytest.raises(sycl.InvalidParameterError, match="x: .*no elements"):
        sycl.stream_reduce([X[:0]] * 2, op, axis=axis)
    assert sycl.stream_reduce([X[:, :0]] * 2, op, axis=0).shape == (0,)
    if op is sycl.minimum:
        assert sycl.stream_reduce([X[0, :0]] * 2, op, initial=7) == 7


def test_an_error_says_which_chunk_a_device_had(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    from pysycl._streams import folded

    monkeypatch.setattr(folded, "own_hardware", lambda queues: queues)
    masked = np.ma.array(X, mask=X > 0)
    with pytest.raises(sycl.InvalidParameterError, match="a masked array") as caught:
        sycl.stream_reduce([X, X, masked, X], queues=[queue, sycl.Queue(queue.device)])
    assert caught.value.__notes__ == ["in chunk 2 of the stream"]


def endless(closed: list[bool], begun: threading.Event | None = None):
    if begun is not None:
        begun.set()
    try:
        while True:
            yield np.arange(1000, dtype="f4")[::-1]
    finally:
        closed.append(True)


def soon(true: object) -> bool:
    end = time.monotonic() + 20
    while not true() and time.monotonic() < end:  # type: ignore[operator]
        time.sleep(0.01)
    return bool(true())  # type: ignore[operator]


def test_a_consumer_that_goes_early_closes_the_chunks() -> None:
    closed: list[bool] = []
    chunks = endless(closed)  # not left to the collector
    found = sycl.stream_scan(chunks)
    next(found)
    assert not closed
    found.close()
    assert soon(lambda: closed)
    with pytest.raises(StopIteration):
        next(found)


def test_ctrl_c_before_anybody_would_stop_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    start, chunks = threading.Thread.start, endless(closed)

    def start_and_press(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start_and_press)
    with pytest.raises(KeyboardInterrupt):
        sycl.stream_reduce(chunks)
    assert soon(lambda: closed)


def test_ctrl_c_before_the_end_is_told() -> None:
    """The thread waits for room then, and nobody wakes it."""
    closed: list[bool] = []
    chunks = endless(closed)
    ahead = Ahead(chunks, "reading")
    assert soon(lambda: len(ahead._read) == 2)
    tell = ahead._condition.notify_all

    def press() -> None:
        ahead._condition.notify_all = tell  # type: ignore[method-assign]
        raise KeyboardInterrupt

    ahead._condition.notify_all = press  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        ahead.stop()
    assert soon(lambda: closed)


@contextmanager
def ctrl_c(begun: threading.Event) -> Iterator[None]:
    """Pressed until it is heard: Python loses what is raised in the callback of a weak reference. Chunks that nobody has begun
    are not closed either."""
    heard = threading.Event()

    def press() -> None:
        begun.wait(20)
        while not heard.wait(0.3):
            os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        heard.set()
        presser.join()


@pytest.mark.parametrize("name", ["reduce", "scan", "sort", "histogram"])
def test_ctrl_c_ends_what_never_ends(name: str, tmp_path: Path) -> None:
    closed: list[bool] = []
    calls = {
        "reduce": sycl.stream_reduce, "scan": lambda c: [None for _ in sycl.stream_scan(c)],
        "sort": lambda c: list(sycl.stream_sort(c, folder=tmp_path)),
        "histogram": lambda c: sycl.stream_histogram(c, 4, (0, 8)),
    }  # fmt: skip
    begun = threading.Event()
    chunks = endless(closed, begun)  # not left to the collector
    with ctrl_c(begun):
        calls[name](chunks)
    assert soon(lambda: closed)
    assert not list(tmp_path.iterdir())
