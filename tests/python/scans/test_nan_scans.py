"""nancumsum and nancumprod against NumPy's."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl


def values(dtype, shape):
    """With NaN here and there, one of them the first, and a row of nothing else."""
    rng = np.random.default_rng(5)
    x = (rng.normal(size=shape) + 1.2).astype(dtype)
    if x.dtype.kind == "c":
        x += (1j * rng.normal(size=shape)).astype(dtype)
        x[rng.random(shape) < 0.1] += complex(0, np.nan)
    if x.dtype.kind in "fc":
        x[rng.random(shape) < 0.2] = np.nan
        x[(0,) * len(shape)] = np.nan
        x[2] = np.nan
    return x


@pytest.mark.parametrize(
    ("name", "dtype"),
    sweep(
        [(name, dtype) for name in ("nancumsum", "nancumprod") for dtype in ("f2", "f4", "f8", "c8", "c16", "i4", "?")],
        [("nancumsum", "f4"), ("nancumprod", "c8"), ("nancumsum", "i4")],
    ),
)
def test_as_numpy(queue, name, dtype):
    if not queue.device.has("fp64"):
        pytest.skip("no double")
    ours, theirs = getattr(sycl, name), getattr(np, name)
    bound = {"f2": 2e-2, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-12)

    def check(found, expected):
        found = np.asarray(found)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, bound, bound)

    x, line = values(dtype, (7, 9, 5)), values(dtype, (40,))
    for y, axis in ((x, None), (x, 0), (x[::-1, 2:, ::2], -1), (line, None)):
        check(ours(y, axis, queue=queue), theirs(y, axis))
    x = line
    check(ours(sycl.Buffer(x), queue=queue).host_access(), theirs(x))
    check(ours(x, reverse=True, queue=queue), theirs(x[::-1])[::-1])
    out = np.full(x.shape, 7, theirs(x).dtype)
    assert ours(x, out=out, queue=queue) is out
    check(out, theirs(x))
    check(ours(x[:0], queue=queue), theirs(x[:0]))


def test_another_type(queue):
    x = [np.nan, 1.0, 2.0, np.nan, 3.0]
    found = sycl.nancumsum(x, dtype="i4", queue=queue)
    assert found.dtype == np.int32 and found.tolist() == [0, 1, 3, 3, 6]
