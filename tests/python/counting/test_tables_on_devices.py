"""Histograms whose groups add to a table, of which the last one makes the result: forced on every device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms.again import forget
from pysycl._sorts.bins import sure_part

Array = np.ndarray[Any, Any]
ONE_BY_ONE, BY_16_BYTES = "Intel's compiler, groups of 16", "any device, 16 bytes at a time"
FORMS = [("table", ONE_BY_ONE), ("table", BY_16_BYTES), ("local table", ONE_BY_ONE), ("local table", BY_16_BYTES)]


@pytest.fixture(params=FORMS, ids=lambda form: f"{form[0]}, {'one by one' if form[1] is ONE_BY_ONE else '16 bytes'}")
def form(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    way, row = request.param
    _core.force_span(way)
    _core.force_reduction_row(row)
    forget()
    yield way, row
    _core.force_span(None)
    _core.force_reduction_row(None)
    forget()


def device_memory(queue: sycl.Queue, array: Array) -> sycl.UsmArray:
    memory = sycl.malloc_device(array.shape, array.dtype, queue)
    queue.copy(array, memory).wait()
    return memory


def host(queue: sycl.Queue, memory: Any) -> Array:
    array = np.empty(memory.shape, memory.dtype)
    queue.wait()
    queue.copy(memory, array).wait()
    return array


def data(kind: str, dtype: str, n: int, below: int) -> Array:
    rng = np.random.default_rng(n + below)
    most = min(below, np.iinfo(dtype).max + 1) if np.dtype(dtype).kind in "iu" else below
    if kind == "random":
        return (rng.random(n) * most * 1.1 - most * 0.05).clip(0).astype(dtype)
    if kind == "equal":
        return np.full(n, most // 3, dtype)
    return rng.choice(np.array([0, most // 2, most - 1]), n).astype(dtype)


def needs(queue: sycl.Queue) -> None:
    for aspect in ("fp64", "usm_device_allocations", "atomic64"):
        if not queue.device.has(aspect):
            pytest.skip(f"no {aspect}")


@pytest.mark.parametrize("dtype", sweep(["u1", "i2", "u4", "f4", "f8"], ["u1", "f4"]))
def test_histograms(queue: sycl.Queue, form: tuple[str, str], dtype: str) -> None:
    """Also twice with the same kernel, and of other lengths between: the table is zeros again."""
    needs(queue)
    for n in (1, 30001):
        for kind in ("random", "equal", "few"):
            for bins in (256, 10, 4096, 10, 1000):
                x = data(kind, dtype, n, bins)
                memory = device_memory(queue, x)
                for low, high in ((0, bins), (0.3, bins * 0.9)):
                    found, edges = sycl.histogram(memory, bins, (low, high), queue=queue)
                    expected, at = np.histogram(x, bins, (low, high))
                    assert found.dtype == np.int64 and np.array_equal(edges, at)
                    assert np.array_equal(host(queue, found), expected), (n, kind, bins, low)


def test_one_command_gives_the_result(queue: sycl.Queue, form: tuple[str, str]) -> None:
    needs(queue)
    memory = device_memory(queue, data("random", "f4", 5000, 99))
    sycl.histogram(memory, 99, (0, 99), queue=queue)  # the edges go to a device with memory of its own, once
    for _ in range(3):
        with queue.profile() as p:
            found = sycl.histogram(memory, 99, (0, 99), queue=queue)[0]
            queue.wait()
        assert [each.kind for each in p.commands if each.kind not in ("build", "wait")] == ["kernel"]
    assert int(host(queue, found).sum()) > 4000


@pytest.mark.parametrize("weight", sweep(["f8", "f4", "i4", "i8", "u2", "?"], ["f4", "i4", "?"]))
def test_weights(queue: sycl.Queue, form: tuple[str, str], weight: str) -> None:
    needs(queue)
    x = data("random", "f4", 30001, 50)
    w = (np.random.default_rng(3).random(30001) * 200 - 90).astype(weight)
    for asked in ({"bins": 50, "range": (0, 50)}, {"bins": [0, 3, 7.5, 49]}):
        found = host(
            queue, sycl.histogram(device_memory(queue, x), weights=device_memory(queue, w), queue=queue, **asked)[0]
        )
        if weight == "?":
            expected = np.histogram(x, weights=w.astype(int), **asked)[0].astype(bool)
        else:
            expected = np.histogram(x, weights=w, **asked)[0]
        assert found.dtype == w.dtype
        assert np.allclose(found, expected, rtol=1e-4, atol=0.1 if w.dtype.kind == "f" else 0)


def test_weights_in_one_order_are_in_no_table(queue: sycl.Queue) -> None:
    """Unless a test says so: additions of floats in any order are not run to run the same."""
    needs(queue)
    x, w = data("random", "f4", 30001, 50), np.random.default_rng(3).random(30001)
    x, w = device_memory(queue, x), device_memory(queue, w)
    first, *others = (
        host(queue, sycl.histogram(x, 5, (0, 50), weights=w, queue=queue, determinism="run_to_run")[0])
        for _ in range(4)
    )
    assert all(np.array_equal(first, other) for other in others)


def test_two_dimensions_and_bincount(queue: sycl.Queue, form: tuple[str, str]) -> None:
    needs(queue)
    x, y = data("random", "f4", 20001, 30), data("few", "f4", 20001, 12)
    found = sycl.histogram2d(
        device_memory(queue, x), device_memory(queue, y), (30, 12), ((0, 30), (0, 12)), queue=queue
    )[0]
    assert found.dtype == np.float64
    assert np.array_equal(host(queue, found), np.histogram2d(x, y, (30, 12), ((0, 30), (0, 12)))[0])
    k = np.random.default_rng(5).integers(0, 5000, 40001).astype(np.int32)
    found = sycl.bincount(device_memory(queue, k), queue=queue)
    assert found.dtype == np.int64 and np.array_equal(host(queue, found), np.bincount(k))
    buffer = sycl.Buffer(k, copy=True)
    assert np.array_equal(np.asarray(sycl.bincount(buffer, queue=queue)), np.bincount(k))


@pytest.mark.parametrize("operator", ["plus", "bit_xor", "bit_or"])
def test_other_operators_and_old_values(queue: sycl.Queue, form: tuple[str, str], operator: str) -> None:
    """Variables whose old values count are combined with those of the table."""
    op = getattr(sycl, operator)
    combine = {"plus": np.add, "bit_xor": np.bitwise_xor, "bit_or": np.bitwise_or}[operator]
    k = np.random.default_rng(5).integers(0, 77, 5003).astype(np.uint32)
    v = np.random.default_rng(6).integers(0, 2**32, 5003, np.uint32)
    for fresh in (True, False, True):
        old = np.arange(77, dtype=np.uint32) * 12345
        got = old.copy()
        r = sycl.reduction(sycl.span(got), op, initialize_to_identity=fresh)
        prepared = queue.kernel(5003, "r[k[i]].combine(v[i]);", k=k, v=v, r=r)
        assert "of which the last group makes the variables" in prepared.explanation
        prepared().wait()
        expected = np.zeros_like(old) if fresh else old
        combine.at(expected, k, v)
        assert np.array_equal(got, expected)


def test_what_has_no_table(queue: sycl.Queue, form: tuple[str, str]) -> None:
    """A second reducer leaves partial results where a table would be; a maximum does not begin with zeros."""
    k, got, total = np.zeros(100, np.uint32), np.zeros(7, np.uint32), np.zeros(1, np.uint32)
    bins = sycl.reduction(sycl.span(got), sycl.plus, initialize_to_identity=True)
    two = queue.kernel(100, "r[k[i]] += 1; t += 1;", k=k, r=bins, t=sycl.reduction(total, sycl.plus))
    most = sycl.reduction(sycl.span(got), sycl.maximum, initialize_to_identity=True)
    for prepared in (two, queue.kernel(100, "r[k[i]].combine(3);", k=k, r=most)):
        assert "the last group makes" not in prepared.explanation
        prepared().wait()
    assert got.tolist() == [3, 0, 0, 0, 0, 0, 0] and total[0] == 100


# -- which bins are sure --


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sure_bins(dtype: str) -> None:
    """Where the position is said to be enough, it is: for numbers next to each edge, in ranges of all kinds."""
    rng, kind, sure_ones, all_ones = np.random.default_rng(8), np.dtype(dtype).type, 0, 0
    ranges = [(0, 1), (0, 256), (-1, 1), (0.1, 0.7), (1, 1 + 1e-3), (1e-30, 3e-30), (-1e30, 1e30), (1e-44, 1e-43)]
    ranges += [tuple(sorted(rng.normal(size=2) * 10.0 ** rng.integers(-9, 9))) for _ in range(60)]
    for low, high in ranges:
        for bins in (1, 2, 3, 10, 97, 256, 1000):
            edges = np.linspace(low, high, bins + 1, dtype=dtype)
            width = edges[-1] - edges[0]
            with np.errstate(all="ignore"):
                scale = kind(bins / width)
            if not 0 < scale < np.inf:
                continue
            least, most = sure_part(edges, scale)
            x = [edges]
            for to in (-np.inf, np.inf):
                x += [np.nextafter(edges, kind(to)), np.nextafter(np.nextafter(edges, kind(to)), kind(to))]
            x = np.concatenate([*x, (edges[0] + width * rng.random(300)).astype(dtype)])
            x = x[(x >= edges[0]) & (x <= edges[-1])]
            position = (x - edges[0]) * scale
            k = np.minimum(position.astype(np.int64), bins - 1)
            rest = position - k.astype(dtype)
            sure = (rest > least) & (rest - 1 < most)
            right = np.minimum(np.searchsorted(edges, x, "right") - 1, bins - 1)
            assert np.array_equal(k[sure], right[sure]), (low, high, bins)
            sure_ones, all_ones = sure_ones + int(sure.sum()), all_ones + x.size
    assert sure_ones > all_ones / 4
    edges = np.arange(257).astype(dtype)  # whole numbers are in no doubt
    least, most = sure_part(edges, kind(1))
    assert least < 0 and most == 0
