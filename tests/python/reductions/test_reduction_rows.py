"""The rows that reducers are shaped by: each gives the same results, also on devices that it is not meant for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

# Of each kind of device those that differ in the kernel's text: elements one by one and several at a time.
ROWS = (
    "Intel's compiler, groups of 16",
    "NVIDIA, 16 bytes at a time, local memory",
    "any device, 16 bytes at a time",
    "any device, lanes",
)
SIZES = (0, 1, 3, 31, 255, 1025, 4099, 70001)


@pytest.fixture
def queue() -> sycl.Queue:
    return sycl.Queue()


@pytest.fixture(params=ROWS)
def row(request: pytest.FixtureRequest) -> Iterator[str]:
    _core.force_reduction_row(request.param)
    yield request.param
    _core.force_reduction_row(None)


@pytest.mark.spec("D044")
@pytest.mark.parametrize(
    ("row", "offset"),
    sweep([(row, offset) for offset in (0, 3) for row in ROWS], [*zip(ROWS, (0, 3, 0, 3), strict=True)]),
    indirect=["row"],
)
def test_each_row_gives_the_same_results(queue: sycl.Queue, row: str, offset: int) -> None:
    """Elements of two widths, the id itself, three reducers; every size with one kernel. However many accumulators and
    partial results there are, an identity that no value reaches shows through all of them."""
    text = "t += x[i] * y[i] + (long)i; m.combine(y[i]); k.combine(x[i]);"
    rng = np.random.default_rng(3)
    x = rng.integers(-9, 9, max(SIZES) + offset, np.int32)
    y = rng.integers(-999, 999, max(SIZES) + offset, np.int64)
    for n in SIZES:
        t, m = sycl.malloc_shared(1, np.int64, queue), sycl.malloc_shared(1, np.int64, queue)
        np.asarray(t)[0], np.asarray(m)[0] = 5, -1000
        k = sycl.malloc_shared(1, np.int32, queue)
        given = {"t": sycl.reduction(t, sycl.plus), "m": sycl.reduction(m, sycl.maximum), "x": x, "y": y}
        given["k"] = sycl.reduction(k, sycl.maximum, identity=2000, initialize_to_identity=True)
        prepared = queue.kernel(n, text, **given, offset=offset) if offset else queue.kernel(n, text, **given)
        assert row in prepared.explanation
        prepared().wait()
        part = slice(offset, offset + n)
        ids = np.arange(offset, offset + n)
        assert np.asarray(t)[0] == 5 + (x[part] * y[part] + ids).sum()
        assert np.asarray(m)[0] == max(-1000, y[part].max(initial=-1000))
        assert np.asarray(k)[0] == 2000


def test_a_row_that_a_body_cannot_have_is_passed_over(queue: sycl.Queue) -> None:
    """Neighbours' elements are not the work-item's own, so nothing is taken 16 bytes at a time."""
    name = "NVIDIA, 16 bytes at a time"
    x = np.ones(100, np.float32)
    out = sycl.malloc_shared(1, np.float32, queue)
    total = sycl.reduction(out, sycl.plus, initialize_to_identity=True)
    _core.force_reduction_row(name)
    try:
        own = queue.kernel(100, "t += x[i];", x=x, t=total).explanation
        other = queue.kernel(100, "t += x[99 - i];", x=x, t=total).explanation
    finally:
        _core.force_reduction_row(None)
    assert f"row       {name}\n" in own
    assert f"row       {name}\n" not in other


@pytest.mark.parametrize("span", ["copies", "local"])
def test_arrays_of_own_elements(queue: sycl.Queue, span: str) -> None:
    """What goes into an array is taken as the row says, too, wherever it is combined."""
    n, bins = 4099, 13
    rng = np.random.default_rng(4)
    k, x = rng.integers(0, bins, n, np.int32), rng.integers(-9, 9, n, np.int32)
    out = sycl.malloc_shared(bins, np.int32, queue)
    total = sycl.malloc_shared(1, np.int32, queue)
    _core.force_reduction_row("any device, 16 bytes at a time")
    _core.force_span(span)
    try:
        queue.parallel_for(
            n,
            "b[k[i]] += x[i]; t += x[i];",
            k=k,
            x=x,
            b=sycl.reduction(sycl.span(out, bins), sycl.plus, initialize_to_identity=True),
            t=sycl.reduction(total, sycl.plus, initialize_to_identity=True),
        )
    finally:
        _core.force_span(None)
        _core.force_reduction_row(None)
    assert np.array_equal(np.asarray(out), np.bincount(k, x, bins).astype(np.int32))
    assert np.asarray(total)[0] == x.sum()


@pytest.mark.parametrize("dims", [(777,), (3, 259)])
def test_a_body_that_also_writes(queue: sycl.Queue, row: str, dims: tuple[int, ...]) -> None:
    """Without reducers its elements would be loaded and stored together; with one they are not only taken."""
    x, y = np.arange(777, dtype=np.int32).reshape(dims), np.zeros(dims, np.int32)
    out = sycl.malloc_shared(1, np.int32, queue)
    total = sycl.reduction(out, sycl.plus, initialize_to_identity=True)
    queue.parallel_for(dims, "y[i] = 2 * x[i]; t += x[i];", x=x, y=y, t=total)
    assert np.array_equal(y, 2 * x) and np.asarray(out)[0] == x.sum()


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(sycl.InvalidParameterError, match=r"^row: no row for reducers is called 'none such'$"):
        _core.force_reduction_row("none such")


def test_every_device_has_rows(queue: sycl.Queue) -> None:
    rows = _core.reduction_rows(queue.device)
    assert len(rows) == len(set(rows)) > 1


def test_many_reducers_of_four_bytes(queue: sycl.Queue) -> None:
    """Which have fewer accumulators each: whole vectors of elements, and what is left of one."""
    text = "a += x[i]; b.combine(x[i]); c.combine(x[i]); d += x[i] * x[i]; if (x[i] > 3) e += 1;"
    operators = {"a": sycl.plus, "b": sycl.minimum, "c": sycl.maximum, "d": sycl.plus, "e": sycl.plus}
    x = np.random.default_rng(3).integers(-9, 9, 70001, np.int32)
    for n in (1, 15, 16, 17, 63, 64, 65, 1025, 70001):
        found = {name: sycl.malloc_shared(1, np.int32, queue) for name in operators}
        given = {name: sycl.reduction(found[name], op, initialize_to_identity=True) for name, op in operators.items()}
        queue.parallel_for(n, text, x=x, **given)
        part = x[:n]
        expected = [part.sum(), part.min(), part.max(), (part * part).sum(), (part > 3).sum()]
        assert [int(np.asarray(one)[0]) for one in found.values()] == expected
