"""PreparedKernel: a launch that is kept, called with the same and with other arguments."""

import gc
import re
import threading

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

AXPY = "y[i] += a * x[i];"
PROGRAM = sycl.Program("__kernel void axpy(__global float *y, __global const float *x, float a)"
                       "{ size_t i = get_global_id(0); y[i] += a * x[i]; }")  # fmt: skip


def arrays(count: int = 100) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(count, dtype=np.float32), np.zeros(count, np.float32)


def test_again_and_again(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    assert not y.any()
    event = k()
    assert isinstance(event, sycl.Event)
    event.wait()
    assert np.array_equal(y, 2 * x)
    k().wait()
    assert np.array_equal(y, 4 * x)


def test_other_numbers_are_for_one_call(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    k(a=3.0).wait()
    k(a=1).wait()
    k().wait()
    assert np.array_equal(y, 6 * x)


def test_other_arrays(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    z, ones = np.zeros(100, np.float32), np.ones(100, np.float32)
    k(y=z, x=ones, a=5.0).wait()
    assert np.array_equal(z, 5 * ones)
    assert not y.any()
    k(y=np.zeros(200, np.float32)[::2]).wait()
    k().wait()
    assert np.array_equal(y, 2 * x)


def test_other_shapes(queue: sycl.Queue) -> None:
    """The pitch is the array's."""
    x = np.zeros((4, 5), np.int32)
    k = queue.kernel((4, 5), "x(i0, i1) = i;", x=x)
    k().wait()
    assert np.array_equal(x, np.arange(20).reshape(4, 5))
    wide = np.zeros((4, 8), np.int32)
    k(x=wide).wait()
    assert np.array_equal(wide[:, :5], x)
    assert not wide[:, 5:].any()


def test_a_kernel_of_a_program(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, PROGRAM.axpy, y, x, 2.0)
    k().wait()
    k(a=1).wait()
    assert np.array_equal(y, 3 * x)
    z = np.zeros(100, np.float32)
    k(y=z).wait()
    assert np.array_equal(z, 2 * x)
    assert (k.name, k.range) == ("axpy", 100)
    assert k.source == PROGRAM.source


def test_every_kind_of_range(queue: sycl.Queue) -> None:
    out = np.zeros(30, np.int32)
    queue.kernel(None, "out[0] = 7;", out=out)().wait()
    queue.kernel(5, "out[i0] = 8;", out=out, offset=10)().wait()
    queue.kernel(sycl.NdRange(4, 2, 20), "out[i0] = 9;", out=out)().wait()
    expected = np.zeros(30, np.int32)
    expected[0], expected[10:15], expected[20:24] = 7, 8, 9
    assert np.array_equal(out, expected)


def test_buffers_keep_their_order(queue: sycl.Queue) -> None:
    with sycl.Buffer(np.zeros(10, np.int64)) as b, sycl.Buffer(np.zeros(10, np.int64)) as c:
        add = queue.kernel(10, "b[i] = b[i] * 3 + k;", b=b, k=1)
        move = queue.kernel(10, "c[i] += b[i];", b=sycl.Accessor(b, mode="read"), c=c)
        total = value = 0
        for k in range(20):
            add(k=k)
            move()
            value = value * 3 + k
            total += value
        assert np.array_equal(np.asarray(c), np.full(10, total))
    with pytest.raises(sycl.KernelArgumentError, match=re.escape("body(): 'b' is a buffer that has been closed")):
        add()


def test_unified_shared_memory(queue: sycl.Queue) -> None:
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("no unified shared memory")
    u = sycl.malloc_device(10, np.int32, queue)
    event: sycl.Event | None = queue.fill(u, 1)
    k = queue.kernel(10, "u[i] = u[i] * 2 + b;", u=u, b=1)
    for _ in range(5):
        event = k(depends_on=event)
    out = np.zeros(10, np.int32)
    queue.memcpy(out, u, depends_on=event)
    assert np.array_equal(out, np.full(10, 63))
    other = sycl.malloc_device(10, np.int32, queue)
    queue.fill(other, 5).wait()
    k(u=other, b=0).wait()
    queue.memcpy(out, other)
    assert np.array_equal(out, np.full(10, 10))
    sycl.free(u, queue)
    with pytest.raises(
        sycl.KernelArgumentError, match=re.escape("body(): 'u' is a UsmArray whose memory has been freed")
    ):
        k()
    sycl.free(other, queue)


def test_what_it_holds(queue: sycl.Queue, no_leaks: None) -> None:
    """Its arrays, and nothing longer than it lives and its commands run."""
    _core.bodies_clear()
    held, y = bytearray(range(100)), np.zeros(100, np.float32)
    k = queue.kernel(100, "y[i] += x[i] + z[i];", x=held, y=y, z=np.ones(100, np.uint8))
    gc.collect()
    event = k()
    with pytest.raises(BufferError):
        held.append(1)
    del k
    event.wait()
    assert np.array_equal(y, np.arange(1, 101))
    held.append(1)
    del event
    _core.bodies_clear()


def test_what_it_tells(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel((10, 10), AXPY, x=x, y=y, a=2.0, name="mine")
    assert isinstance(k, sycl.PreparedKernel)
    assert k.queue is queue
    assert k.name == "mine"
    assert k.arguments["x"] is x
    assert k.arguments["a"] == 2.0
    assert repr(k) == "<pysycl.PreparedKernel mine over (10, 10), of x, y, a>"
    assert "__kernel void mine(" in k.source
    with pytest.raises(TypeError):
        type(k)()


def test_the_compiler_has_run(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.BuildError):
        queue.kernel(10, "y[i] = nothing;", y=np.zeros(10, np.float32))
    with pytest.raises(sycl.NdRangeError):
        queue.kernel(sycl.NdRange(10, 3), "y[i] = 0;", y=np.zeros(10, np.float32))


def test_other_types_are_refused(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    other = "is of another type than what the kernel was prepared with: prepare another one"
    for name, value in (("x", x.astype(np.float64)), ("y", np.zeros((10, 10), np.float32)), ("a", np.int8(2))):
        with pytest.raises(sycl.KernelArgumentError) as caught:
            k(**{name: value})
        assert str(caught.value).splitlines()[0] == f"body(): '{name}' {other}"
    with pytest.raises(sycl.KernelArgumentError) as caught:
        k(a=1e300)
    assert str(caught.value).splitlines()[0] == (
        "body(): 'a' does not fit: 1e+300 is out of range for float, the type that it takes here; "
        "pass numpy.float64(1e+300)"
    )
    with pytest.raises(sycl.KernelArgumentError) as caught:
        k(x="text")
    assert str(caught.value).splitlines()[0] == "body(): 'x' is a str, which a body cannot be given"
    kernel = queue.kernel(100, PROGRAM.axpy, y, x, 2.0)
    with pytest.raises(sycl.KernelArgumentError, match=re.escape("axpy(): argument 2, 'x', is an array of int32")):
        kernel(x=np.zeros(100, np.int32))
    assert not y.any()


def test_an_int_argument_stays_one(queue: sycl.Queue) -> None:
    y = np.zeros(10, np.int32)
    k = queue.kernel(10, "y[i] = k;", y=y, k=2)
    with pytest.raises(sycl.KernelArgumentError, match="'k' is of another type"):
        k(k=2.5)
    with pytest.raises(sycl.KernelArgumentError, match="'k' is of another type"):
        k(k=2**31)
    with pytest.raises(sycl.KernelArgumentError, match="'k' does not fit: 18446744073709551616 has more than 64 bits"):
        k(k=2**64)
    k(k=-3).wait()
    assert np.array_equal(y, np.full(10, -3))
    k(k=True).wait()
    assert np.array_equal(y, np.ones(10))


@pytest.mark.parametrize("anew", [False, True], ids=["number", "array"])
def test_an_int_is_of_the_prepared_type_if_that_holds_it(queue: sycl.Queue, anew: bool) -> None:
    """Alone, and beside another array, where all is converted again."""

    def result(k: sycl.PreparedKernel, number: object) -> list[float]:
        own = np.zeros(2, y.dtype) if anew else y
        k(k=number, **({"y": own} if anew else {})).wait()
        return [float(value) for value in own]

    y = np.zeros(2, np.float32)
    k = queue.kernel(2, "y[i] = k / 2;", y=y, k=5.0)
    assert result(k, 3) == [1.5, 1.5]
    assert result(k, True) == [0.5, 0.5]
    with pytest.raises(sycl.KernelArgumentError, match="'k' is of another type"):
        result(k, 2**24 + 1)
    y = np.zeros(2, np.float64 if queue.device.has("fp64") else np.float32)
    k = queue.kernel(2, "y[i] = k / 2;", y=y, k=2**40)
    assert result(k, 7) == [3, 3]
    assert result(k, -(2**40)) == [-(2.0**39)] * 2
    for number in (2**63, 7.5, np.int64(7)):
        with pytest.raises(sycl.KernelArgumentError, match="'k' is of another type"):
            result(k, number)


def test_unknown_names_and_positions(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    with pytest.raises(sycl.KernelArgumentError) as caught:
        k(b=3)
    assert str(caught.value) == "the prepared kernel has no argument 'b'; it has ('x', 'y', 'a')"
    with pytest.raises(TypeError, match="a prepared kernel takes new arguments by name; 2 given by position"):
        k(1, 2)
    with pytest.raises(sycl.InvalidParameterError, match="depends_on: expected an Event or Events, got 3"):
        k(depends_on=3)


def test_after_the_cache_was_emptied(queue: sycl.Queue) -> None:
    x, y = arrays()
    k = queue.kernel(100, AXPY, x=x, y=y, a=2.0)
    _core.bodies_clear()
    k().wait()
    k(x=x.copy()).wait()
    assert np.array_equal(y, 4 * x)


def test_many_threads(queue: sycl.Queue) -> None:
    with sycl.Buffer(np.zeros(8, np.int64)) as b:
        k = queue.kernel(8, "b[i] += k;", b=b, k=0)

        def run(value: int) -> None:
            for _ in range(200):
                k(k=value)

        threads = [threading.Thread(target=run, args=(value,)) for value in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert np.array_equal(np.asarray(b), np.full(8, 200 * 10))
