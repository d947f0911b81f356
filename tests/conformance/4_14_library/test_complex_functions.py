"""The functions of complex numbers in kernels, against NumPy's: see complex_table.py."""

import complex_table as table
import numpy as np
import pytest

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
    ).wait()  # fmt: skip
    for got, true in ((roots, np.sqrt(x)), (exponentials, np.exp(x))):
        assert np.allclose(got, true)
        assert (np.signbit(got.imag) == np.signbit(true.imag)).all()
    assert np.allclose(angles, np.angle(x))
