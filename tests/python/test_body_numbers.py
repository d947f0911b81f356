"""The types that Python's numbers take in a body, as the generated kernel declares them and as the results show."""

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
        (["float32"], 2, "float"),
        (["float32", "int32"], 2.0, "float"),
        (["float32", "int32"], 2, "int"),
        (["float32", "int8", "int16"], 2, "short"),
        (["uint8"], 2, "uchar"),
        (["uint8", "int64"], 2, "long"),
        (["uint32", "int16"], 2, "int"),
        (["uint32", "uint64"], 2, "ulong"),
        (["uint64", "int8"], 2, "long"),
        (["complex64"], 2.0, "float"),
        (["complex64"], 2, "float"),
        (["complex64"], 2j, "float2"),
        (["bool"], 2, "long"),
        (["bool", "float32"], 2, "float"),
        (["float32"], True, "int"),
        (["uint8"], False, "int"),
        ([], 2, "long"),
        ([], True, "int"),
        (["float32"], np.int16(2), "short"),
        (["float32"], np.uint64(2), "ulong"),
        (["int32"], np.float32(2), "float"),
        (["int32"], np.bool_(True), "uchar"),
        (["float32"], np.complex64(2), "float2"),
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
    assert declared(queue, "x0[i]; x1[i]; (void)k;", k=2, **arrays("float32", "complex128")) == "double"
    assert declared(queue, "x0[i]; x1[i]; (void)k;", k=2.0, **arrays("float16", "float32")) == "float"
    assert declared(queue, "x0[i]; (void)k;", k=2.0, **arrays("float16")) == "half"


WHOLE = ["x0[k];", "x0[i + k];", "i % k;", "~k;", "i << k;", "for (int j = 0; j < k; j++) x0[i];"]


@pytest.mark.parametrize("text", WHOLE)
def test_an_int_that_must_be_one(queue: sycl.Queue, text: str) -> None:
    """Beside floats only, where C takes no float."""
    assert declared(queue, "x0[i]; " + text, k=2, **arrays("float32")) == "int"
    assert declared(queue, "x0[i]; " + text, k=2**40, **arrays("float32")) == "long"
    assert declared(queue, "x0[i]; x1[i]; " + text, k=2, **arrays("float32", "int16")) == "short"


@pytest.mark.parametrize("text", ["x0[i] * k;", "x0[i] && k;", "x0[i] < k;"])
def test_an_int_that_may_be_a_float(queue: sycl.Queue, text: str) -> None:
    assert declared(queue, text, k=2, **arrays("float32")) == "float"


def test_accessors_and_local_memory_are_company(queue: sycl.Queue) -> None:
    with sycl.Buffer(np.zeros(10, np.int16)) as b:
        assert declared(queue, "x[i]; (void)k;", k=2, x=b) == "short"
        assert declared(queue, "x[i]; (void)k;", k=2, x=sycl.Accessor(b)) == "short"
    source = sycl.kernel_source("t[0]; (void)k;", sycl.NdRange(10, 5), k=2, t=sycl.local(4, np.uint16))
    assert "const ushort k" in source


def test_scalars_of_numpy_are_no_company(queue: sycl.Queue) -> None:
    assert declared(queue, "(void)k; (void)other;", k=2, other=np.int16(3)) == "long"


def test_results(queue: sycl.Queue) -> None:
    x = np.arange(10, dtype=np.float32)
    queue.parallel_for(10, "x[i] = x[i] / k;", x=x, k=3).wait()
    assert np.allclose(x, np.arange(10, dtype=np.float32) / np.float32(3), rtol=3e-7)  # OpenCL grants 2.5 ulp
    n = np.arange(10, dtype=np.int64)
    queue.parallel_for(10, "n[i] = n[i] * k + b;", n=n, k=-(2**40), b=True).wait()
    assert np.array_equal(n, np.arange(10) * -(2**40) + 1)
    z = np.ones(10, np.complex64)
    queue.parallel_for(10, "z[i] += k;", z=z, k=1.5 - 2j).wait()
    assert np.array_equal(z, np.full(10, 2.5 - 2j, np.complex64))
    u = np.zeros(10, np.uint64)
    queue.parallel_for(10, "u[i] = k;", u=u, k=2**64 - 1).wait()
    assert np.array_equal(u, np.full(10, 2**64 - 1, np.uint64))


def refused(queue: sycl.Queue, dtypes: list[str], value: object) -> str:
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.parallel_for(10, uses(*dtypes) + " (void)k;", k=value, **arrays(*dtypes))
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("dtypes", "value", "words"),
    [
        (["uint8"], 300, "300 is out of range for uchar, the type that it takes here; pass numpy.int64(300)"),
        (["uint8"], -1, "-1 is out of range for uchar, the type that it takes here; pass numpy.int64(-1)"),
        (
            ["int32"],
            2**63,
            "9223372036854775808 is out of range for int, the type that it takes here; "
            "pass numpy.uint64(9223372036854775808)",
        ),
        ([], 2**63, "9223372036854775808 is out of range for long, the type that it takes here; "
                    "pass numpy.uint64(9223372036854775808)"),
        (["float32"], 1e39, "1e+39 is out of range for float, the type that it takes here; pass numpy.float64(1e+39)"),
        (["complex64"], 1e39j, "1e+39j is out of range for float, the type that it takes here; "
                               "pass numpy.complex128(1e+39j)"),
        (["int64"], 2**64, "18446744073709551616 has more than 64 bits"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(queue: sycl.Queue, dtypes: list[str], value: object, words: str) -> None:
    assert refused(queue, dtypes, value) == f"body(): 'k' does not fit: {words}"


def test_the_cure_works(queue: sycl.Queue) -> None:
    out, x = np.zeros(10, np.int64), np.full(10, 3, np.uint8)
    queue.parallel_for(10, "out[i] = x[i] + k;", out=out, x=x, k=np.int64(300)).wait()
    assert np.array_equal(out, np.full(10, 303))


def test_infinity_and_nan_fit(queue: sycl.Queue) -> None:
    x = np.zeros(10, np.float32)
    queue.parallel_for(10, "x[i] = i < 5 ? a : b;", x=x, a=float("inf"), b=float("nan")).wait()
    assert np.isinf(x[:5]).all()
    assert np.isnan(x[5:]).all()
