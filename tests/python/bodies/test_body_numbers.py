"""The types that Python's numbers take in a body, as the generated kernel declares them and as the results show."""

import enum
import re

import numpy as np
import pytest

import pysycl as sycl


def declared(queue: sycl.Queue, body: str, **arguments: object) -> str:
    """The type of the argument `k` in the kernel."""
    source = sycl.kernel_source(body, 10, queue_or_device=queue, **arguments)
    found = re.search(r"const (\w+) k\b", source)
    assert found is not None, source
    return found[1]


def arrays(*dtypes: str) -> dict[str, np.ndarray]:
    return {f"x{n}": np.zeros(10, dtype) for n, dtype in enumerate(dtypes)}


def uses(*dtypes: str) -> str:
    return "".join(f"x{n}[i];" for n in range(len(dtypes)))


@pytest.mark.parametrize(
    ("dtypes", "value", "expected"),
    [
        (["float32"], 2.0, "float"),
        (["float32", "int32"], 2.0, "float"),
        (["complex64"], 2.0, "float"),
        (["complex64"], 2j, "cfloat"),
        (["float32"], 2, "int"),
        (["float64", "uint8"], 2, "int"),
        (["uint64", "int8"], -2, "int"),
        (["bool"], 2, "int"),
        ([], 2, "int"),
        (["float32"], 2**31 - 1, "int"),
        (["float32"], -(2**31), "int"),
        (["float32"], 2**31, "long"),
        (["uint8"], -(2**31) - 1, "long"),
        ([], 2**63 - 1, "long"),
        ([], -(2**63), "long"),
        (["int8"], 2**63, "ulong"),
        (["float32"], 2**64 - 1, "ulong"),
        (["float32"], True, "int"),
        (["uint8"], False, "int"),
        (["float32"], np.int16(2), "short"),
        (["float32"], np.uint64(2), "ulong"),
        (["int32"], np.float32(2), "float"),
        (["int32"], np.bool_(True), "uchar"),
        (["float32"], np.complex64(2), "cfloat"),
    ],
)
def test_what_a_number_becomes(queue: sycl.Queue, dtypes: list[str], value: object, expected: str) -> None:
    assert declared(queue, uses(*dtypes) + " (void)k;", k=value, **arrays(*dtypes)) == expected


@pytest.mark.parametrize("dtypes", [[], ["int32"], ["bool"]])
def test_a_float_without_floats_beside_it(queue: sycl.Queue, dtypes: list[str]) -> None:
    expected = "double" if queue.device.has("fp64") else "float"
    assert declared(queue, uses(*dtypes) + " (void)k;", k=2.0, **arrays(*dtypes)) == expected


def test_wider_floats(queue: sycl.Queue) -> None:
    assert declared(queue, "x0[i]; x1[i]; (void)k;", k=2.0, **arrays("float32", "float64")) == "double"
    assert declared(queue, "x0[i]; x1[i]; (void)k;", k=2.0, **arrays("float32", "complex128")) == "double"
    assert declared(queue, "x0[i]; x1[i]; (void)k;", k=2.0, **arrays("float16", "float32")) == "float"
    assert declared(queue, "x0[i]; (void)k;", k=2.0, **arrays("float16")) == "half"


def test_accessors_and_local_memory_are_company(queue: sycl.Queue) -> None:
    if queue.device.has("fp64"):
        with sycl.Buffer(np.zeros(10, np.float32)) as b:
            assert declared(queue, "x[i]; (void)k;", k=2.0, x=b) == "float"
            assert declared(queue, "x[i]; (void)k;", k=2.0, x=sycl.Accessor(b)) == "float"
    source = sycl.kernel_source("t[0]; (void)k;", sycl.NdRange(10, 5), k=2.0, t=sycl.local(4, np.float32))
    assert "const float k" in source


def test_scalars_of_numpy_are_no_company(queue: sycl.Queue) -> None:
    expected = "double" if queue.device.has("fp64") else "float"
    assert declared(queue, "(void)k; (void)other;", k=2.0, other=np.float16(3)) == expected


class Colour(enum.IntEnum):
    RED = 3


def test_an_int_means_what_it_means_in_c(queue: sycl.Queue) -> None:
    """Beside floats: in division, in comparisons with ids, as an offset of a pointer, whatever else the text says."""
    x, y, z = np.arange(40, dtype=np.float32), np.zeros((6, 10), np.float32), np.zeros(10, np.int64)
    text = """
        y(0, i) = k / 2; y(1, i) = 7 / (k - 3) * x[i]; y(2, i) = i + 1 < k ? 0 : 1;
        y(3, i) = *(x + k); y(4, i) = k * 0.5f; y(5, i) = -k / two + colour + flag;
        z[i] = k - i * huge - sizeof(k) * 1000 + (top >> 63 == 1);
    """
    numbers = {"k": 5, "two": 2, "huge": 2**40, "top": 2**63, "flag": True, "colour": Colour.RED}
    queue.parallel_for(10, text, x=x, y=y, z=z, **numbers)
    i = np.arange(10)
    rows = [np.full(10, 2), 3 * i, np.where(i + 1 < 5, 0, 1), np.full(10, 5), np.full(10, 2.5), np.full(10, -2 + 3 + 1)]
    assert np.array_equal(y, np.array(rows, np.float32))
    assert np.array_equal(z, 5 - i * 2**40 - 4000 + 1)


def test_ints_beyond_what_a_float_holds(queue: sycl.Queue) -> None:
    """As floats, i / 256 and i + 1 < n would be of numbers beyond 2^24."""
    first, count = 2**24 - 300, 4396
    y, o = np.zeros(count, np.float32), np.arange(70000, dtype=np.float32)
    queue.parallel_for(count, "long g = (i + first) / L; y[i] = o[g];", y=y, o=o, L=256, first=first)
    assert np.array_equal(y, (np.arange(count) + first) // 256)
    queue.parallel_for(count, "y[i] = i + first + 1 < n ? 0 : 1;", y=y, first=first, n=first + 4390)
    assert np.array_equal(y, np.arange(count) >= 4389)


def test_results(queue: sycl.Queue) -> None:
    x = np.arange(10, dtype=np.float32)
    queue.parallel_for(10, "x[i] = x[i] / k;", x=x, k=3)
    assert np.allclose(x, np.arange(10, dtype=np.float32) / np.float32(3), rtol=3e-7)  # OpenCL grants 2.5 ulp
    n = np.arange(10, dtype=np.int64)
    queue.parallel_for(10, "n[i] = n[i] * k + b;", n=n, k=-(2**40), b=True)
    assert np.array_equal(n, np.arange(10) * -(2**40) + 1)
    z = np.ones(10, np.complex64)
    queue.parallel_for(10, "z[i] = cadd(z[i], k);", z=z, k=1.5 - 2j)
    assert np.array_equal(z, np.full(10, 2.5 - 2j, np.complex64))
    u = np.zeros(10, np.uint64)
    queue.parallel_for(10, "u[i] = k;", u=u, k=2**64 - 1)
    assert np.array_equal(u, np.full(10, 2**64 - 1, np.uint64))


def refused(queue: sycl.Queue, dtypes: list[str], value: object) -> str:
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.parallel_for(10, uses(*dtypes) + " (void)k;", k=value, **arrays(*dtypes))
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("dtypes", "value", "words"),
    [
        (["float32"], 1e39, "1e+39 is out of range for float, the type that it takes here; pass numpy.float64(1e+39)"),
        (["complex64"], 1e39j, "1e+39j is out of range for float, the type that it takes here; "
                               "pass numpy.complex128(1e+39j)"),
        (["int64"], 2**64, "18446744073709551616 has more than 64 bits"),
        (["float64"], -(2**63) - 1, "-9223372036854775809 has more than 64 bits"),
        (["float64"], 1 << 4000, "the number has more than 64 bits"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(queue: sycl.Queue, dtypes: list[str], value: object, words: str) -> None:
    assert refused(queue, dtypes, value) == f"body(): 'k' does not fit: {words}"


def test_the_cure_works(queue: sycl.Queue) -> None:
    if not queue.device.has("fp64"):
        pytest.skip("no double")
    x = np.zeros(10, np.float32)
    queue.parallel_for(10, "x[i] = k > 1e38;", x=x, k=np.float64(1e39))
    assert x.all()


def test_infinity_and_nan_fit(queue: sycl.Queue) -> None:
    x = np.zeros(10, np.float32)
    queue.parallel_for(10, "x[i] = i < 5 ? a : b;", x=x, a=float("inf"), b=float("nan"))
    assert np.isinf(x[:5]).all()
    assert np.isnan(x[5:]).all()
