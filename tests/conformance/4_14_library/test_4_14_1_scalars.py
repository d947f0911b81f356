"""Scalar types at the boundary of kernels: bool, byte and half. SYCL 2020, 4.14.1."""

import numpy as np
import pytest

import pysycl as sycl


@pytest.mark.spec("D326")
def test_byte_half_and_bool_are_those_of_numpy(queue):
    """Stored on every device: half is read and written as OpenCL C has it where there is no arithmetic with it."""
    assert (sycl.half, sycl.byte) == (np.float16, np.uint8)
    h, f, b = np.array([0.5, -2, 65504, np.inf], np.float16), np.zeros(4, np.float32), np.zeros(4, bool)
    signed, unsigned = np.array([-128, -1, 0, 127], np.int8), np.zeros(4, sycl.byte)
    body = """
        f[i] = vload_half(i, h); vstore_half(f[i] / 2, i, h); b[i] = i != 2 && yes && also;
        unsigned_[i] = (uchar)signed_[i] + (uchar)one;
    """
    arguments = {"yes": np.bool_(True), "also": True, "one": np.int8(1), "signed_": signed, "unsigned_": unsigned}
    queue.parallel_for(4, body, h=h, f=f, b=b, **arguments)
    assert f.tolist() == [0.5, -2, 65504, np.inf] and h.tolist() == [0.25, -1, 32752, np.inf]
    assert b.tolist() == [True, True, False, True] and unsigned.tolist() == [129, 0, 1, 128]
    assert bytes(b) == b"\1\1\0\1"


@pytest.mark.spec("D327")
@pytest.mark.parametrize(("body", "arguments"), [
    ("f[i] = h[i];", {"h": np.ones(4, np.float16)}),
    ("f[i] = h;", {"h": np.float16(1)}),
    ("f[i] = h.x;", {"h": sycl.half4(1)}),
    ("f[i] = h.s[0];", {"h": sycl.mhalf3(1)}),
    ("f[i] = h[0].x;", {"h": np.ones(4, sycl.half2)}),
    ("half x = f[i]; f[i] = x + 1;", {}),
])  # fmt: skip
def test_half_in_a_kernel_where_there_is_none(queue, body, arguments):
    """feature_not_supported in SYCL's draft, kernel_not_supported in its final text: the error is of both classes."""
    f = np.zeros(4, np.float32)
    if queue.device.has("fp16"):
        queue.parallel_for(4, body, f=f, **arguments)
        assert f.tolist() == [1] * 4
        return
    with pytest.raises(sycl.FeatureNotSupportedError) as caught:
        queue.parallel_for(4, body, f=f, **arguments)
    assert isinstance(caught.value, sycl.KernelNotSupportedError)
    assert str(caught.value) == f"kernel 'body' uses half, and device '{queue.device.name}' has no fp16"


@pytest.mark.spec("D327")
def test_half_where_only_the_compiler_sees_it(queue):
    """Behind pointers, and in structs: the driver refuses, and the error is of the same class, with the user's line."""
    program = sycl.Program("__kernel void f(__global half *x)\n{\n    x[0] = x[0] * x[1];\n}")
    struct = np.zeros(4, [("a", np.float16), ("b", np.int32)])
    queue.parallel_for(4, "x[i].b = vload_half(0, &x[i].a) + i;", x=struct)  # needs no fp16
    assert struct["b"].tolist() == [0, 1, 2, 3]
    if queue.device.has("fp16"):
        queue.parallel_for(1, program.f, np.ones(4, np.float16))
        return
    for launch, place in (
        (lambda: queue.parallel_for(1, program.f, np.ones(4, np.float16)), "kernel.cl:3:"),
        (lambda: queue.parallel_for(4, "x[i].b = 1;\nx[i].a = x[i].a * 2;", x=struct), "body:2:"),
    ):
        with pytest.raises(sycl.KernelNotSupportedError) as caught:
            launch()
        assert str(caught.value).startswith(place) and "cl_khr_fp16" in str(caught.value)
        assert f"(built for {queue.device.name})" in str(caught.value)
