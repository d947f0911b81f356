"""Reductions of elements that are not what they seem: bytes for bool, complex numbers, odd addresses, other machines' order.

NumPy is the oracle, for arrays (small ones are reduced on the calling thread) and for buffers (by kernels)."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl


def agree(got: Any, true: Any, tolerance: float = 0) -> None:
    got, true = np.asarray(got), np.asarray(true)
    got = got.reshape(true.shape)
    assert got.dtype == true.dtype
    assert np.allclose(got, true, rtol=tolerance, atol=tolerance, equal_nan=True), (got, true)


@pytest.mark.parametrize("count", [7, 40_000])
def test_truths_of_other_bytes(queue: sycl.Queue, count: int, thorough: bool) -> None:
    """A bool is true whatever byte it is, on the calling thread and in kernels."""
    odd = np.frombuffer(b"\x02\xff\x00" * count, bool)
    plain = odd.view("u1") != 0
    functions = ("sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "count_nonzero", "var")
    table, rows = odd.reshape(count, 3), plain.reshape(count, 3)
    for options in ({}, {"queue": queue}):  # without one, few elements are the calling thread's own
        for name in functions if thorough or not options or count > 7 else ("sum", "any", "argmax"):
            agree(getattr(sycl, name)(odd, **options), getattr(np, name)(plain), 1e-6)
        for x, y in ((table, rows), (table[:, ::-2], rows[:, ::-2]), (odd[0], plain[0])):
            agree(sycl.sum(x, axis=0 if np.ndim(x) else None, **options), y.sum(axis=0 if np.ndim(x) else None))
        agree(sycl.dot(odd, odd, **options), True)
    for name in ("sum", "max", "argmax"):
        agree(getattr(sycl, name)(table, axis=0, queue=queue), getattr(np, name)(rows, axis=0))
    agree(sycl.sum(sycl.Buffer(odd.copy()), queue=queue), plain.sum())
    agree(sycl.sum(odd[::-2], queue=queue), plain[::-2].sum())
    agree(sycl.reduce(odd, "a > b ? a : b", dtype="i4", queue=queue), np.int32(1))
    agree(sycl.sum(np.arange(3.0 * count), where=odd, queue=queue), np.sum(np.arange(3.0 * count), where=plain), 1e-12)


def test_a_bool_variables_old_byte(queue: sycl.Queue) -> None:
    old = np.frombuffer(b"\x02", bool).copy()
    with sycl.Buffer(old) as every, queue.submit() as h:
        h.parallel_for(
            5, "every &= x[i] > 0;", x=np.ones(5, "i4"), every=sycl.reduction(every, h, sycl.bit_and, identity=True)
        )
    assert old[0]


@pytest.mark.parametrize("dtype", sweep(["c8", "c16"], ["c8"]))
def test_extremes_of_complex_numbers(queue: sycl.Queue, dtype: str, thorough: bool) -> None:
    """By the real part, then the imaginary one; what is not a number, in either part, wins."""
    if dtype == "c16" and not queue.device.has("fp64"):
        pytest.skip("needs fp64")
    rng = np.random.default_rng(3)
    plain = (rng.integers(-2, 3, (9, 31)) + 1j * rng.integers(-9, 9, (9, 31))).astype(dtype)
    odd = plain.copy()
    odd[1, 4], odd[1, 7], odd[5, 0] = complex(np.nan, 1), complex(9, np.nan), complex(-9, np.nan)
    for z in (plain, odd):
        for name in ("min", "max", "argmin", "argmax") if thorough or dtype == "c8" else ("min", "argmax"):
            for axis in (None, 1):
                true = getattr(np, name)(z, axis=axis)
                buffer = sycl.Buffer(z.copy())
                for x in (z, buffer) if thorough else (buffer,) if dtype == "c8" else (z,):
                    got = np.asarray(getattr(sycl, name)(x, axis=axis, queue=queue)).reshape(np.shape(true))
                    both_odd = np.isnan(got) & np.isnan(true)  # which of several is anybody's guess
                    assert (both_odd | (got == true)).all(), (name, axis)
    for got, true in zip(sycl.minmax(plain, axis=0, queue=queue), (plain.min(0), plain.max(0)), strict=True):
        agree(got, true)
    for x in (plain, sycl.Buffer(plain.copy())):
        agree(sycl.max(x, axis=0, initial=0.5 + 1j, queue=queue), np.max(plain, axis=0, initial=0.5 + 1j))
    agree(sycl.reduce(plain, sycl.minimum, queue=queue), plain.min())


def variances() -> list[tuple[Any, str]]:
    rng = np.random.default_rng(4)
    real, whole = rng.normal(size=(6, 40)), rng.integers(0, 100, (6, 40)).astype("i2")
    z = real + 1j * real[::-1]
    return [
        (z, "f8"),
        (z.astype("c8"), "f4"),
        (z, "c16"),
        (real, "c16"),
        (whole, "u8"),
        (whole, "f4"),
        (whole.astype("f2"), "u8"),
        (whole > 50, "c16"),
    ]


def warned(function: Callable[[], Any]) -> tuple[Any, list[Any]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        return function(), seen


@pytest.mark.parametrize("number", sweep(range(8), [0, 3, 4, 7]))
def test_variances_by_other_types(queue: sycl.Queue, number: int, thorough: bool) -> None:
    if not queue.device.has("fp64"):
        pytest.skip("needs fp64")
    x, dtype = variances()[number]
    buffer = sycl.Buffer(x.copy())
    for name in ("var", "std", "mean") if thorough else ("var" if number % 2 else "std", "mean"):
        axis = None if name == "std" and dtype == "u8" else 1  # NumPy has no roots of several that are cut to integers
        true, said = warned(lambda name=name, axis=axis: getattr(np, name)(x, axis=axis, dtype=dtype))
        for given in (x, buffer) if thorough else (x,) if number % 2 else (buffer,):
            got, heard = warned(
                lambda name=name, given=given, axis=axis: getattr(sycl, name)(
                    given, axis=axis, dtype=dtype, queue=queue
                )
            )
            agree(got, true, 1e-5 if dtype == "f4" else 1e-12)
            assert {each.category for each in heard} == {each.category for each in said}
            assert all(each.filename == __file__ for each in heard)


def test_averages_are_no_truth_values(queue: sycl.Queue) -> None:
    """A sum as bool, divided and cut, said that there is none; NumPy has no variance of that type."""
    x = np.arange(5, dtype="f4")
    for given in (x, sycl.Buffer(x.copy())):
        for function in (sycl.mean, sycl.var, sycl.std):
            with pytest.raises(sycl.InvalidParameterError, match="dtype: an average is a number, which bool is not"):
                function(given, dtype=bool, queue=queue)


def test_elements_where_no_device_could_read_them(queue: sycl.Queue) -> None:
    odd = np.zeros(9 * 8 + 1, "u1")[1:].view("f8")
    odd[...] = np.arange(9)
    field = np.zeros(50, [("a", "u1"), ("v", "f4"), ("z", "c8")])
    field["v"], field["z"] = np.arange(50), np.arange(50) * 1j
    other = np.arange(-5, 5, dtype=">i2").reshape(2, 5)
    for x in (odd, field["v"], field["v"][::-3], field["z"], other, other.T):
        plain = np.ascontiguousarray(x).astype(x.dtype.newbyteorder("="))
        for name in ("sum", "max", "argmin"):
            agree(getattr(sycl, name)(x, axis=0, queue=queue), getattr(np, name)(plain, axis=0))
        agree(sycl.sum(np.ones(x.shape, "f4"), where=x == 0, queue=queue), np.float32((plain == 0).sum()))
    agree(sycl.dot(odd, odd[::-1], queue=queue), np.dot(odd, odd[::-1]))


def test_axes_of_numbers_and_axes_that_are_not_there() -> None:
    agree(sycl.sum(np.float32(3), axis=0), np.float32(3))
    agree(sycl.max(np.array(3), axis=-1), np.max(np.array(3), axis=-1))
    for axis in (2, -3, (0, 5)):
        for kind in (np.exceptions.AxisError, sycl.InvalidParameterError, IndexError):
            with pytest.raises(kind, match="axis: -?[0-9] is out of bounds for an array of 2 dimensions"):
                sycl.sum(np.zeros((2, 3)), axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        sycl.sum(np.float32(3), axis=1)
    with pytest.raises(np.exceptions.AxisError):
        sycl.sum(np.float32(3), axis=(0,))
