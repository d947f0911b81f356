"""NumPy's own tests of sort, argsort, lexsort and partition, re-expressed with pysycl in NumPy's place: beside each case the
test of numpy/_core/tests that it is from. queue= keeps small arrays from being NumPy's own work. Left out, as no array of
pysycl is of such elements: strings, objects, times, long doubles."""

import numpy as np
import pytest
from sort_cases import same
from sweeps import exhaustive, sweep

import pysycl as sycl
from pysycl.errors import InvalidParameterError

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
# NumPy's sizes, and those of them that differ most
FEW = [*range(1, 20), 31, 32, 33, 63, 64, 65, 255, 256, 257, 511]
each_sizes = pytest.mark.parametrize("sizes", [FEW, exhaustive([*range(1, 512)])], ids=["few sizes", "all sizes"])


def both(x, axis=-1, **where):
    same(sycl.sort(x, axis, **where), np.sort(x, axis, kind="stable"))
    same(sycl.argsort(x, axis, **where), np.argsort(x, axis, kind="stable"))


# test_multiarray.py: TestMethods.test_sort
def test_nan_come_last(queue):
    a = np.array([np.nan, 1, 0])
    same(sycl.sort(a, queue=queue), a[::-1])
    a = np.zeros(9, "c8")
    a.real += np.array([np.nan, np.nan, np.nan, 1, 0, 1, 1, 0, 0], "f4")
    a.imag += np.array([np.nan, 1, 0, np.nan, np.nan, 1, 0, 1, 0], "f4")
    same(sycl.sort(a, queue=queue), a[::-1])


# test_sort_unsigned, test_sort_signed, test_argsort: its scalars
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_scalars(queue, dtype):
    for a in (np.arange(101), np.arange(-50, 51)):
        if a[0] >= 0 or np.dtype(dtype).kind != "u":
            up, down = a.astype(dtype), a[::-1].astype(dtype)
            both(up, queue=queue)
            both(down, queue=queue)
            same(sycl.sort(down, queue=queue), up)


# test_sort_complex, and the complex numbers of test_argsort
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex(queue, dtype):
    if dtype == "c16" and not queue.device.has("fp64"):
        pytest.skip("no double")
    for a in (np.arange(-50, 51), np.arange(50, -51, -1)):
        for z in (a * (1 + 1j), a * 1j + 1, a + 1j):
            both(z.astype(dtype), queue=queue)


# test_sort_complex_byte_swapping, test_regression.py: TestRegression.test_sort_bigendian
def test_other_byte_orders(queue):
    for dtype in (">c8", ">i4", ">f8"):
        x = np.array([3, 300, -1, 2]).astype(dtype)
        same(sycl.sort(x, queue=queue), np.sort(x).astype(x.dtype.newbyteorder("=")))
        same(sycl.argsort(x, queue=queue), np.argsort(x))


# test_sort_string, test_sort_object, test_sort_time, test_sort_raises, TestRegression.test_string_mergesort
@pytest.mark.parametrize(
    "x", [np.array(["b", "a"]), np.array([b"b"]), np.array([2, None], object), np.arange(2, dtype="m8[D]")]
)
def test_what_is_no_number_is_refused(queue, x):
    for call in (sycl.sort, sycl.argsort):
        with pytest.raises(InvalidParameterError, match="x: expected bool, integers"):
            call(x, queue=queue)


# test_sort_structured, test_sort_order, test_void_sort, and the structs of test_argsort
@pytest.mark.parametrize("step", [1, 2])
def test_structs(queue, step):
    a = np.array([(i, i) for i in range(101 * step)], [("f", "f4"), ("i", "i4")])
    for x in (a[::step], a[::-1][::step]):
        both(x, queue=queue)
    r = np.array([(21, 4.5), (32, 3.1), (14, 6.2)], [("id", "i4"), ("number", "f4")])
    same(sycl.sort(r, by="a.id < b.id", queue=queue), r[[2, 0, 1]])
    same(sycl.sort(r, by="a.number < b.number", queue=queue), r[[1, 0, 2]])
    inner = np.random.default_rng(0).integers(0, 256, 4000).astype("u1").view([("val", "i4", (1,))])
    same(sycl.sort(inner[::-1], queue=queue)["val"], np.sort(inner["val"], 0))
    with pytest.raises(InvalidParameterError):
        sycl.sort(inner["val"].view("V4"), queue=queue)


# test_sort_axis, test_sort_size_0, and the axes of test_argsort
def test_axes(queue):
    for axis in (0, 1, -1, None):
        both(np.array([[3, 2], [1, 0]]), axis, queue=queue)
    nothing = np.array([]).reshape((3, 2, 1, 0))
    for axis in (*range(-4, 4), None):
        both(nothing, axis, queue=queue)
    for axis in (4, -5):
        with pytest.raises(InvalidParameterError, match="axis"):
            sycl.sort(nothing, axis, queue=queue)


# test_sort_bad_ordering
def test_an_order_that_is_none_loses_no_element(queue):
    x = np.random.default_rng(1).permutation(3000).astype("i4")
    for text in ("1", "0", "a != b", "(a ^ b) & 1"):
        same(np.sort(sycl.sort(x, by=text, queue=queue)), np.arange(3000, dtype="i4"))


# test_sort_degraded: what makes a quicksort slow, in a size of our own
def test_killer_of_medians_of_three(queue):
    d = np.arange(20_000, dtype="i4")
    x = d
    while x.size > 3:
        mid = x.size // 2
        x[mid], x[-2] = x[-2], x[mid]
        x = x[:-2]
    both(d, queue=queue)


# the last lines of test_argsort
def test_stable(queue):
    for dtype in ("f4", "c8", "u1"):
        same(sycl.argsort(np.zeros(100, dtype), queue=queue), np.arange(100))


# test_sort_float, test_sort_int, test_argsort_float, test_argsort_int: their 511 sizes
@each_sizes
@pytest.mark.parametrize("dtype", sweep([*FLOATS, *INTEGERS[2:]], ["f4", "i2"]))
def test_each_size(queue, dtype, sizes):
    rng = np.random.default_rng(42)
    for n in sizes:
        if np.dtype(dtype).kind == "f":
            arr = (-0.5 + rng.random(n)).astype(dtype)
            arr[rng.choice(n, 3)] = np.nan
            odd = [arr]
            for value, other in ((np.inf, -1), (-np.inf, 1)):
                odd.append(np.full(n, value, dtype))
                odd[-1][rng.choice(n, 5)] = other
        else:
            info = np.iinfo(dtype)
            arr = rng.integers(info.min, info.max, n, dtype, endpoint=True)
            arr[rng.choice(n, 10)] = info.min
            arr[rng.choice(n, 10)] = info.max
            odd = [arr]
        for x in odd:
            both(x, queue=queue)


# test_sort_float16, test_sort_largearrays, test_argsort_largearrays
@pytest.mark.parametrize(
    ("dtype", "n"),
    sweep([("f2", 65_536), ("f4", 60_000), ("f4", 1_000_000), ("f8", 1_000_000)], [("f2", 65_536), ("f4", 60_000)]),
)
def test_large(queue, dtype, n):
    x = np.arange(n, dtype="u2").view("f2") if dtype == "f2" else np.random.default_rng(3).random(n).astype(dtype)
    both(np.random.default_rng(4).permutation(x), queue=queue)


# test_regression.py: test_sort_overlap, test_sort_unique_crash
def test_from_one_memory_to_the_other(queue):
    x = np.linspace(0, 100, 100, dtype="i4")
    same(sycl.sort(x, queue=queue), x)
    data = np.broadcast_to(np.linspace(0, 1, 32, dtype="f4"), (32, 32, 32)).transpose(0, 2, 1)
    same(sycl.unique(data, queue=queue), np.unique(data))


# test_item_selection.py, test_multiarray.py: TestLexsort
def test_lexsort(queue):
    a, b = [1, 2, 1, 3, 1, 5], [0, 4, 5, 6, 2, 3]  # test_basic
    same(sycl.lexsort((b, a), queue=queue), np.array([0, 4, 2, 1, 3, 5]))
    rng = np.random.default_rng(5)
    keys = rng.integers(0, 3, (3, 60)).astype("i4")  # test_mixed, of one type
    same(sycl.lexsort(keys, queue=queue), np.lexsort(keys))
    same(sycl.lexsort(keys[:, ::2], queue=queue), np.lexsort(keys[:, ::2]))
    times = np.array([np.nan, 1, 0, np.nan, 1], "f4")
    same(sycl.lexsort((np.arange(5, dtype="f4"), times), queue=queue), np.lexsort((np.arange(5), times)))
    # test_regression.py: test_lexsort, test_lexsort_buffer_length, test_lexsort_zerolen_custom_strides, _2d, _invalid_axis
    with pytest.raises(InvalidParameterError, match="axis: an array of no dimension has none"):
        sycl.lexsort(np.arange(1, 11), queue=queue)
    same(sycl.lexsort((np.ones(100, "i1")[::-1], np.ones(100, "i4")), queue=queue), np.arange(100))
    none = np.array([], "i8")
    assert sycl.lexsort((none,), queue=queue).shape == (0,)
    assert sycl.lexsort((none[::2],), queue=queue).shape == (0,)
    assert sycl.lexsort((none.reshape(0, 2),), axis=0, queue=queue).shape == (0, 2)
    assert sycl.lexsort((none.reshape(2, 0),), axis=0, queue=queue).shape == (2, 0)
    for keys, axis in (((np.arange(1),), 2), ((none,), 1)):
        with pytest.raises(InvalidParameterError, match="axis"):
            sycl.lexsort(keys, axis=axis, queue=queue)
    for keys in ((), (np.arange(2), np.arange(3))):
        with pytest.raises(InvalidParameterError, match="keys"):
            sycl.lexsort(keys, queue=queue)
