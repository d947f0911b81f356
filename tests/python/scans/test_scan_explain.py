"""What is told of a scan: its own shapes, and the row that chose them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core


@pytest.fixture
def row(request: pytest.FixtureRequest) -> Iterator[str]:
    _core.force_scan_row(request.param)
    yield request.param
    _core.force_scan_row(None)


@pytest.mark.parametrize(
    ("row", "shape"),
    [("small tiles", "tiles of 37 elements, 28 in each of 1 line"), ("one work-item", "tiles: 1 work-item for tiles")],
    indirect=["row"],
)
def test_tiles_are_told(queue: sycl.Queue, row: str, shape: str) -> None:
    x = np.arange(1000, dtype=np.int32)
    kernel = queue.scan_kernel(1000, "t += x[i];", "x[i] = t;", x=x, t=sycl.scanner(sycl.plus, "i4"))
    told = str(kernel.explanation)
    assert shape in told
    assert row in told


def test_lines_are_told(queue: sycl.Queue) -> None:
    x = np.ones((50, 300), np.int32)
    _core.force_scan_row("lines side by side")
    try:
        kernel = queue.scan_kernel((50, 300), "t += x[i];", "x[i] = t;", axis=0, x=x, t=sycl.scanner(sycl.plus, "i4"))
    finally:
        _core.force_scan_row(None)
    assert "side by side: " in str(kernel.explanation)
    assert "of 300 lines together" in str(kernel.explanation)
