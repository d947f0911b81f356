"""An element may contribute several values: they are combined before it meets others, whatever the form of the scan."""

from __future__ import annotations

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

N = 1003


@pytest.mark.parametrize("row", [None, "small tiles", "small rounds"])
@pytest.mark.parametrize(("op", "sign"), [(sycl.maximum, 1), (sycl.minimum, -1)])
def test_a_first_value_that_is_no_number(queue, op, sign, row):
    rng = np.random.default_rng(7)
    for nan in (0.5, 1.0):
        x, z, y = (rng.standard_normal(N).astype("f4") - 2 for _ in "xzy")
        x[rng.random(N) < nan] = np.nan
        z[rng.random(N) < 0.2] = np.nan
        _core.force_scan_row(row)
        try:
            queue.parallel_scan(
                N, "t.combine(x[i]); t.combine(z[i]);", "y[i] = t;", x=x, z=z, y=y, t=sycl.scanner(op, "f4")
            ).wait()
        finally:
            _core.force_scan_row(None)
        given = np.fmax(np.nan_to_num(sign * x, nan=-np.inf), np.nan_to_num(sign * z, nan=-np.inf))
        np.testing.assert_array_equal(y, sign * np.maximum.accumulate(given))
