"""kernel_source: the text that a launch gives to its device."""

import numpy as np
import pytest

import pysycl as sycl


def test_the_text_of_a_body(queue: sycl.Queue) -> None:
    x, y = np.zeros(10, np.float32), np.zeros(10, np.float32)
    source = sycl.kernel_source("y[i] += a * x[i];", 10, queue_or_device=queue, x=x, y=y, a=2.0, name="axpy")
    assert "__kernel void axpy(__global const float *x, __global float *y, const float a" in source
    assert '#line 1 "body"\ny' in source  # behind it, `[i]` or what stands for it where elements come in sixteens
    assert sycl.Program(source).kernel_names == ("axpy",)


def test_it_is_what_runs(queue: sycl.Queue) -> None:
    y = np.zeros((4, 5), np.float32)
    for shape, offset in (
        (20, None),
        ((4, 5), None),
        ((3, 4), (1, 1)),
        (sycl.NdRange((4, 4), (2, 2)), None),
        (None, None),
    ):
        body = "y[0] = 1;" if shape is None else "y[i0] = 1;"
        options = {} if offset is None else {"offset": offset}
        source = sycl.kernel_source(body, shape, queue_or_device=queue, y=y, **options)
        assert queue.kernel(shape, body, y=y, **options).source == source


def test_where_it_is_for(queue: sycl.Queue) -> None:
    x = np.zeros(10, np.int32)
    texts = {
        sycl.kernel_source("x[i] = 0;", 10, queue_or_device=where, x=x) for where in (queue, queue.device)
    }  # fmt: skip
    assert len(texts) == 1
    assert sycl.kernel_source("x[i] = 0;", 10, x=x) == sycl.kernel_source(
        "x[i] = 0;", 10, queue_or_device=sycl.Device(), x=x
    )


def test_a_kernel(queue: sycl.Queue) -> None:
    program = sycl.Program("__kernel void k(__global float *x) { x[0] = 1; }")
    assert sycl.kernel_source(program.k) == program.source


def test_nothing_is_compiled() -> None:
    assert " = nothing;" in sycl.kernel_source("y[i] = nothing;", 10, y=np.zeros(10, np.float32))


def test_what_it_refuses(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.kernel_source(3, 10)  # type: ignore[arg-type]
    assert str(caught.value) == "body_or_kernel: expected the text of a body or a pysycl.Kernel, got 3"
    with pytest.raises(sycl.KernelArgumentError, match="body: unknown name 'z'"):
        sycl.kernel_source("y[i] = 0;", 10, y=np.zeros(3), z=3)
    with pytest.raises(sycl.NdRangeError, match="range: -3 is negative"):
        sycl.kernel_source("y[i] = 0;", -3, y=np.zeros(3))


def test_shapes_can_be_forced(queue: sycl.Queue) -> None:
    """The knob of tests: each shape is another text, and the results are the same."""
    from pysycl import _core

    texts, results = set(), []
    try:
        for shape in ("item", "loop", "wide", None):
            _core.force_shape(shape)
            x = np.arange(1000, dtype=np.float32)
            texts.add(sycl.kernel_source("x[i] = x[i] * 2 + 1;", 1000, queue_or_device=queue, x=x))
            queue.parallel_for(1000, "x[i] = x[i] * 2 + 1;", x=x)
            results.append(x)
        with pytest.raises(sycl.InvalidParameterError) as caught:
            _core.force_shape("round")
        assert (
            str(caught.value)
            == "shape: expected 'item', 'loop', 'wide', 'pack', 'lanes', 'stride', 'along', 'across', 'short', "
            "'padded', 'columns', 'teams' or None, got 'round'"
        )
    finally:
        _core.force_shape(None)
    assert len(texts) == 3
    assert all(np.array_equal(x, 2 * np.arange(1000) + 1) for x in results)
