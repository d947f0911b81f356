"""Device-wide reductions by both paths, the host's for small NumPy arrays and the device's for buffers, against NumPy; with
operands that would show a wrong beginning: maxima of negative numbers, minima of positive ones, initial values that are no
identity, degrees of freedom beyond the number of elements."""

import warnings

import numpy as np
import pytest

import pysycl as sycl

KINDS = ("f4", "c8")


def both(queue, function, x, **options):
    """The result by the host's path, which is for arrays and no queue, and by the device's."""
    call = getattr(sycl, function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(call(x, **options)), np.asarray(call(sycl.Buffer(x.copy()), queue=queue, **options))]


def values(kind, n):
    x = np.arange(n) * 3 % 17 + 1
    return (x * 1.5 + 1j * x[::-1] if kind == "c8" else x).astype(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_degrees_of_freedom_around_the_number_of_elements(queue, kind):
    cases = [(n, ddof) for n in (1, 3, 1000) for ddof in (0, n - 1, n - 0.5, n, n + 1)]
    for n, ddof in cases:
        x = values(kind, n)
        for function in ("var", "std"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(np, function)(x, ddof=ddof)
            for found in both(queue, function, x, ddof=ddof):
                assert np.allclose(found, expected, rtol=1e-4, equal_nan=True), (function, n, ddof, found, expected)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0"):
        sycl.var(values(kind, 3), ddof=3)


@pytest.mark.parametrize("n", [1, 1000])
def test_beginnings_that_would_show(queue, n):
    x = values("i4", n)
    for function, given, options in (
        ("max", -x, {}),
        ("min", x, {}),
        ("max", -x, {"initial": 2}),
        ("min", x, {"initial": -3}),
        ("sum", -x, {"initial": 7}),
        ("prod", x % 2 + 1, {"initial": 3}),
        ("max", -x, {"where": x % 3 == 0, "initial": -100}),
        ("min", x, {"where": x % 3 == 0, "initial": 100}),
        ("all", x, {}),
        ("any", x * 0, {}),
    ):
        with np.errstate(over="ignore"):
            expected = getattr(np, function)(given, **options)
        for found in both(queue, function, given, **options):
            assert found == expected, (function, options, found, expected)
