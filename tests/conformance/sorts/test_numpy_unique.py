"""NumPy's own tests of unique (numpy/lib/tests/test_arraysetops.py), re-expressed with pysycl in NumPy's place: beside each
case the test that it is from. Left out: strings, objects and times, which no array of pysycl has, and sorted=False."""

import numpy as np
import pytest
from sort_cases import same
from sweeps import sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
PAIR = np.dtype([("a", "i4"), ("b", "i4")])


def all_of(x, queue, **options):
    """All results, each alone, and none: of those that NumPy's check_all has."""
    for wanted in (0, 1, 2, 4, 7):
        asked = dict(
            zip(("return_index", "return_inverse", "return_counts"), (wanted & 1, wanted & 2, wanted & 4), strict=True)
        )
        ours = sycl.unique(x, **asked, **options, queue=queue)
        theirs = np.unique(x, **asked, **options)
        for one, other in zip(ours, theirs, strict=True) if wanted else ((ours, theirs),):
            same(one, other)


# test_unique_1d, test_unique_zero_sized
@pytest.mark.parametrize("dtype", sweep(TYPES, ["?", "u2", "f4"]))
def test_unique_1d(queue, dtype):
    all_of(np.array([5, 7, 1, 2, 1, 5, 7] * 10).astype(dtype), queue)
    all_of(np.array([], dtype), queue)


def test_unique_of_lists_and_structs(queue):
    pairs = np.array([(5, 1), (7, 0), (5, 1), (5, 0)], [("a", "i4"), ("b", "i4")])
    all_of(pairs, queue)
    all_of(np.array([1.0 + 0.0j, 1 - 1.0j, 1], "c8"), queue)  # ticket #2799
    values, inverse = sycl.unique([(1, 2), (1, 2), (2, 3)], return_inverse=True, queue=queue)  # ticket #4785
    same(values, np.array([1, 2, 3])), same(inverse, np.array([[0, 1], [0, 1], [1, 2]]))
    all_of([], queue)  # ticket #9137


# the tickets 2111 and gh-19300 of test_unique_1d, test_unique_nanequals, test_unique_axis0_equal_nan_on_1d_array
def test_unique_nan(queue):
    for x in ([2.0, np.nan, 1.0, np.nan], [np.nan] * 4, [1, 1, np.nan, np.nan, np.nan]):
        for equal in (True, False):
            all_of(np.array(x, "f4"), queue, equal_nan=equal)
    z = np.array([2.0 - 1j, np.nan, 1.0 + 1j, complex(0.0, np.nan), complex(1.0, np.nan)], "c8")
    all_of(z, queue)
    x = np.array([np.nan, 1, 0, 4, -np.nan, -0.0, 1, 3, 4, np.nan, 5, -0.0, 1, -np.nan, 0], "f4")
    all_of(x, queue, equal_nan=False)  # test_unique_array_api_functions
    one = np.array([np.nan, 0, 0, np.nan], "f4")
    for axis in (0, -1):
        same(sycl.unique(one, axis=axis, queue=queue), np.unique(one, axis=axis))


# test_unique_axis, test_unique_axis_list, test_unique_sort_order_with_axis, test_unique_1d_with_axis
@pytest.mark.parametrize("dtype", sweep([*TYPES, PAIR], ["i1", "f2", PAIR]))
def test_unique_axis(queue, dtype):
    data = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]).astype(dtype)
    for axis in (None, 0, 1, -1):
        all_of(data, queue, axis=axis)
    three = np.array([[[1, 1], [1, 0]], [[0, 1], [0, 0]]]).astype(dtype)
    for axis in range(3):
        all_of(three, queue, axis=axis)
    if np.dtype(dtype).kind == "i":
        all_of(np.array([[-1], [0]], dtype), queue, axis=0)


def test_unique_axis_of_zeros(queue):
    for x in ([[-0.0, 0.0], [0.0, -0.0], [-0.0, 0.0]], [[0, 1, 0], [0, 1, 0]]):
        all_of(np.array(x, "f4"), queue, axis=0)
    data = np.arange(10, dtype="u1").reshape(-1, 2).view("?")
    same(sycl.unique(data, axis=0, queue=queue), np.array([[False, True], [True, True]]))
    for x in (np.empty((2, 0), "i1"), np.empty((0, 2, 0, 3, 0), "f4")):  # test_unique_axis_zeros
        for axis in range(x.ndim):
            all_of(x, queue, axis=axis)


# test_unique_axis_errors, test_unique_axis_float_raises_typeerror
def test_unique_errors(queue):
    for axis in (2, -2, 0.0):
        with pytest.raises(InvalidParameterError, match="axis"):
            sycl.unique(np.arange(10), axis=axis, queue=queue)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
# test_unique_inverse_with_axis, test_unique_inverse_shape, test_unique_with_matrix
def test_unique_shapes(queue):
    x = np.array([[4, 4, 3], [2, 2, 1], [2, 2, 1], [4, 4, 3]])
    for axis in (None, 0, -1):
        values, inverse = sycl.unique(x, return_inverse=True, axis=axis, queue=queue)
        same(np.take(values, inverse, axis=axis), x)
    for data in ([[1, 1, 1], [1, 1, 1]], [1, 3, 2], 1):
        matrix = np.matrix(data).astype("i4")
        for m in (matrix, matrix.T):
            same(sycl.unique(m, queue=queue), np.unique(np.asarray(m)))


# test_unique_complex_signed_zeros
@pytest.mark.parametrize(
    "values",
    [[complex(0.0, -1), complex(-0.0, -1), 0], [-200, complex(-200, -0.0), -1], [-25, 3, -5j, complex(-25, -0.0), 3j]],
)
def test_unique_complex_signed_zeros(queue, values):
    assert len(sycl.unique(np.array(values, "c8"), queue=queue)) == len(values) - 1
