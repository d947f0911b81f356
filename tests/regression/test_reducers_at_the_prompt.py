"""Reducers and their variables as somebody writes them first: NumPy arrays, tuples, structs from maps, results as numbers."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

PAIR = np.dtype([("key", "f4"), ("at", "i4")])
LARGER = "a.key < b.key ? b : a"


def test_an_identity_alone_combines_nothing(queue: sycl.Queue) -> None:
    y = np.zeros(5, "f4")
    with sycl.Buffer(np.array([7], "f4"), copy=True) as total:
        with queue.submit() as h:
            h.parallel_for(5, "y[i] = least.identity() + i;", y=y, least=sycl.reduction(total, h, sycl.multiplies))
        assert np.asarray(total)[0] == 7
    assert (y == np.arange(5) + 1).all()


def test_numpy_arrays_as_variables(queue: sycl.Queue) -> None:
    x = np.arange(1, 101, dtype="f4")
    total, bins, best = np.array([1000], "f4"), np.array([1, 2, 3, 9], "f4"), np.array(-5, "f4")
    queue.parallel_for(
        100, "total += x[i]; bins[i % 3] += x[i]; best.combine(x[i]);",
        x=x, total=sycl.reduction(total, sycl.plus), bins=sycl.reduction(sycl.span(bins, 3), sycl.plus),
        best=sycl.reduction(best, sycl.maximum),
    )  # fmt: skip
    assert total[0] == 1000 + x.sum() and best == 100
    assert np.array_equal(bins, [1 + x[0::3].sum(), 2 + x[1::3].sum(), 3 + x[2::3].sum(), 9])
    for wrong in (np.zeros(2, "f4"), np.broadcast_to(np.float32(1), (1,))):
        with pytest.raises(sycl.InvalidParameterError, match="var: "):
            sycl.reduction(wrong, sycl.plus)
    for wrong in (np.zeros(8, "f4")[::2], np.broadcast_to(np.float32(1), (4,))):
        with pytest.raises(sycl.InvalidParameterError, match="one behind the other"):
            sycl.span(wrong)


def test_structs(queue: sycl.Queue) -> None:
    """Made by a map, with a tuple for an identity, and called by name in a preamble."""
    x = np.array([3, -1, 8, 2], "f4")
    largest = sycl.BinaryOp(LARGER, identity=(-1.0, 77))
    for given in (x, sycl.Buffer(x.copy())):
        found = sycl.reduce(given, largest, map="(T){x, (int)x * 2}", dtype=PAIR, queue=queue)
        assert np.asarray(found).ravel()[0].item() == (8, 16)
    rows = np.array([(0.5, 2), (5, 6)], PAIR)
    assert sycl.reduce(rows, largest, map="(T){-x.key, x.at}", dtype=PAIR, queue=queue).item() == (-0.5, 2)
    assert sycl.reduce(rows[:0], largest, queue=queue).item() == (-1, 77)
    with pytest.raises(sycl.InvalidParameterError, match="structs are made of other elements by map="):
        sycl.reduce(x, largest, dtype=PAIR, queue=queue)
    best = np.zeros(1, PAIR)
    queue.parallel_for(
        2, "best.combine(turned(x[i]));", x=rows,
        preamble="best_t turned(x_t p) { best_t q = {p.at, (int)p.key}; return q; }",
        best=sycl.reduction(best, largest, initialize_to_identity=True),
    )  # fmt: skip
    assert best[0].item() == (6, 5)


def test_a_sum_is_a_number(queue: sycl.Queue) -> None:
    numbers = np.arange(5.0)
    memory = [sycl.Buffer(numbers.copy())]
    if queue.device.has("usm_device_allocations"):
        u = sycl.malloc_device(5, "f8", queue)
        queue.copy(numbers, u)
        memory.append(u)
    for x in memory:
        for total in (sycl.sum(x), sycl.sum(x, queue=queue)):
            assert float(total) == 10 and int(total) == 10 and complex(total) == 10 and total.item() == 10
            assert f"{total:.2f}" == "10.00" and f"{total}" == str(total)
            assert 9 < total < 11 and 10 <= total <= 10 and not total > 10
        with pytest.raises(sycl.InvalidParameterError, match="has 5 elements"):
            float(x)


def test_a_sum_that_is_not_made_yet_is_waited_for(queue: sycl.Queue) -> None:
    """Each way to the number: the elements come late, and the sum after them."""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no shared memory")
    ordered = sycl.Queue(queue.device, context=queue.context, in_order=True)
    ways: list[Callable[[Any], float]] = [float, int, complex, lambda s: s.item(), lambda s: float(f"{s:.1f}")]
    ways += [
        lambda s: 10.0 if 9 < s < 11 else 0.0,
        lambda s: 10.0 if s == 10 else 0.0,
        lambda s: 0.0 if s != 10 else 10.0,
    ]
    for way in ways:
        for make in (lambda: sycl.malloc_shared(5, "f8", ordered), lambda: sycl.Buffer(np.zeros(5))):
            u, gate = make(), threading.Event()
            ordered.host_task(lambda gate=gate: gate.wait(30))
            ordered.parallel_for(5, "u[i] = i;", u=u)
            total = sycl.sum(u, queue=ordered)
            threading.Timer(0.05, gate.set).start()
            assert way(total) == 10
