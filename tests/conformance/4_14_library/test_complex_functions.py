"""The functions of complex numbers in kernels, against NumPy's: see complex_table.py."""

import complex_table as table
import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl


@pytest.mark.parametrize("kind", ["cfloat", "cdouble"])
def test_functions(queue: sycl.Queue, kind: str) -> None:
    if kind == "cdouble" and not queue.device.has("fp64"):
        pytest.skip("needs fp64")
    a, b = table.arguments(kind, 3000)
    for row, got in zip(table.ROWS, table.compute(queue, kind, a, b), strict=True):
        error, where = table.largest(row, got, a, b)
        assert error <= row.bound[kind == "cdouble"], (row.name, error, where)


def test_roots_and_logarithms_lie_on_the_side_of_the_zeros_sign(queue: sycl.Queue) -> None:
    """C's Annex G, as NumPy has it: the cut along the negative numbers is told by the sign of the imaginary zero."""
    x = np.array([complex(-4, 0.0), complex(-4, -0.0), complex(0.0, -0.0), complex(-0.0, 0.0), complex(9, -0.0)], "c8")
    roots, angles, exponentials = np.empty_like(x), np.empty(5, "f4"), np.empty_like(x)
    queue.parallel_for(
        5, "roots[i] = csqrt(x[i]); angles[i] = clog(x[i]).im; exponentials[i] = cexp(x[i]);",
        x=x, roots=roots, angles=angles, exponentials=exponentials,
    )  # fmt: skip
    for got, true in ((roots, np.sqrt(x)), (exponentials, np.exp(x))):
        assert np.allclose(got, true)
        assert (np.signbit(got.imag) == np.signbit(true.imag)).all()
    assert np.allclose(angles, np.angle(x))


@pytest.mark.parametrize(
    ("order", "kind"),
    sweep(
        [(order, kind) for order in ("cless", "cgreater") for kind in ("c8", "c16")],
        [("cless", "c8"), ("cgreater", "c16")],
    ),
)
def test_the_order_is_numpys(queue: sycl.Queue, kind: str, order: str) -> None:
    """By the real parts, then by the others; what has a NaN comes last, in NumPy's order of them."""
    if kind == "c16" and not queue.device.has("fp64"):
        pytest.skip("needs fp64")
    parts = [-1.5, -0.0, 0.0, 2.0, np.inf, -np.inf, np.nan]
    x = np.random.default_rng(3).permutation(np.array([complex(re, im) for re in parts for im in parts], kind))
    n = len(x)
    joint, keys, places, alone, pairs = x.copy(), x.copy(), np.arange(n), x[:16].copy(), np.empty((n, n), np.uint8)
    queue.parallel_for(sycl.NdRange(32, 32), f"joint_sort(work_group, x, x + n, {order});", x=joint, n=n)
    queue.parallel_for(
        sycl.NdRange(32, 32), f"joint_sort_by_key(work_group, k, k + n, v, {order});", k=keys, v=places, n=n
    )
    queue.parallel_for(sycl.NdRange(16, 16), f"x[i] = sort_over_group(work_group, x[i], {order});", x=alone)
    queue.parallel_for((n, n), f"p(i0, i1) = {order}(x[i0], x[i1]);", p=pairs, x=x)

    def ordered(values: np.ndarray) -> np.ndarray:
        if order == "cless":
            return np.sort(values)
        whole = values[~np.isnan(values)]  # the largest first, but NaN last
        return np.concatenate([np.sort(whole)[::-1], values[np.isnan(values)]])

    known = n if order == "cless" else int((~np.isnan(x)).sum())
    for got, true in ((joint, ordered(x)), (keys, ordered(x)), (x[places], ordered(x))):
        assert np.array_equal(got[:known], true[:known], equal_nan=True)
        assert np.isnan(got[known:]).all()
    if order == "cless":
        assert np.array_equal(alone, np.sort(x[:16]), equal_nan=True)
        rank = np.array([[np.sort(np.array([a, b]))[0] for b in x] for a in x])
        for i in range(n):
            for j in range(n):
                if pairs[i, j]:  # a comes first, and b does not
                    assert np.array_equal(rank[i, j], x[i], equal_nan=True) and not pairs[j, i]
    assert (pairs + pairs.T <= 1).all() and not np.diag(pairs).any(), "a strict order"


def test_less_and_greater_are_for_real_numbers(queue: sycl.Queue) -> None:
    x = np.zeros(4, "c8")
    for order, word in (("", "less"), (", less", "less"), (", greater", "greater")):
        with pytest.raises(sycl.BuildError, match=f"{word} takes numbers, complex ones are ordered by c{word}"):
            queue.parallel_for(sycl.NdRange(4, 4), f"joint_sort(work_group, x, x + 4{order});", x=x)
