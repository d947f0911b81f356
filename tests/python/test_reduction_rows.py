"""The rows that reducers are shaped by: each gives the same results, also on devices that it is not meant for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

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
@pytest.mark.parametrize("offset", [0, 3])
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
    assert name not in other


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(sycl.InvalidParameterError, match=r"^row: no row for reducers is called 'none such'$"):
        _core.force_reduction_row("none such")


def test_every_device_has_rows(queue: sycl.Queue) -> None:
    rows = _core.reduction_rows(queue.device)
    assert len(rows) == len(set(rows)) > 1
