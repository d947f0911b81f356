"""Oclgrind ended the process over what its optimiser made of functions that return structs, and got conditions of vectors
wrong."""

import numpy as np
import pytest

import pysycl as sycl

SHAPE = (7, 33)


@pytest.mark.parametrize(
    ("operator", "dtype"), [(sycl.maximum, "u2"), (sycl.BinaryOp("a > b ? a : b"), "u4")], ids=["vectors", "structs"]
)
def test_what_the_optimiser_makes(queue: sycl.Queue, operator: sycl.BinaryOp, dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, keep = rng.integers(1, 1000, SHAPE).astype(dtype), rng.integers(0, 256, SHAPE).astype("u1")
    keep[:, 0] |= 1
    y, before = np.zeros(SHAPE, dtype), np.zeros(SHAPE, dtype)
    queue.parallel_scan(
        SHAPE, "if (keep[i] & 1) { t.combine(x[i]); }", "y[i] = t; before[i] = t.before;", axis=1, x=x, keep=keep, y=y,
        before=before, t=sycl.scanner(operator, dtype, initial=0),
    )  # fmt: skip
    wanted = np.maximum.accumulate(np.where(keep & 1, x, 0), axis=1)
    assert (y == wanted).all()
    assert (before[:, 1:] == wanted[:, :-1]).all()
