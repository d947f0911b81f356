"""Placeholders, and the tags of accessors: SYCL 2020, 4.7.6.6 and 4.7.6.9."""

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }")
TAGS = {
    None: (sycl.AccessMode.read_write, sycl.Target.device),
    sycl.read_only: (sycl.AccessMode.read, sycl.Target.device),
    sycl.read_write: (sycl.AccessMode.read_write, sycl.Target.device),
    sycl.write_only: (sycl.AccessMode.write, sycl.Target.device),
    sycl.read_only_host_task: (sycl.AccessMode.read, sycl.Target.host_task),
    sycl.read_write_host_task: (sycl.AccessMode.read_write, sycl.Target.host_task),
    sycl.write_only_host_task: (sycl.AccessMode.write, sycl.Target.host_task),
}


@pytest.fixture
def b():
    return sycl.Buffer(np.arange(8, dtype=np.float32))


@pytest.mark.spec("H386", "H405")
def test_placeholders(queue, b):
    a = sycl.Accessor(b)
    for _ in range(3):
        with queue.submit() as h:
            h.require(a)
            h.require(a)
            h.parallel_for(8, PROGRAM.add, a, 1.0)
    assert np.array_equal(np.asarray(b), np.arange(8) + 3)
    with queue.submit() as h, pytest.raises(sycl.SyclError, match="require"):
        h.parallel_for(8, PROGRAM.add, a, 1.0)


@pytest.mark.spec("H402")
@pytest.mark.parametrize("tag", TAGS, ids=str)
def test_without_a_handler_an_accessor_is_a_placeholder(queue, b, tag):
    """With a tag as without one; and with a handler it is none and asks for the buffer at once."""
    given = {} if tag is None else {"mode": tag}
    placeholder = sycl.Accessor(b, **given)
    assert placeholder.is_placeholder and (placeholder.mode, placeholder.target) == TAGS[tag]
    host, changed = TAGS[tag][1] is sycl.Target.host_task, TAGS[tag][0] is not sycl.AccessMode.read
    text = "x[i] = 5;" if changed else "y[0] = x[7];"
    for required in (True, False):
        seen, y = [], sycl.Buffer(np.zeros(1, np.float32))
        with queue.submit() as h:
            a = placeholder if required else sycl.Accessor(b, h, **given)
            assert a.is_placeholder == required and (a.mode, a.target) == TAGS[tag]
            if required:
                h.require(a)
            if host:
                h.host_task(lambda a=a, seen=seen: np.asarray(a).fill(5) if changed else seen.append(float(a[7])))
            else:
                h.parallel_for(8 if changed else 1, text, x=a, **({} if changed else {"y": h.write(y)}))
        queue.wait_and_throw()
        assert np.array_equal(np.asarray(b), [5] * 8 if changed else np.arange(8))
        if not changed:
            assert (seen[0] if host else np.asarray(y)[0]) == 7
        if changed:
            queue.fill(b, np.float32(0)).wait_and_throw()
    with (
        queue.submit() as h,
        pytest.raises(sycl.SyclError, match="require|host task"),
    ):  # which asks for nothing by itself
        h.parallel_for(8, text, x=placeholder, **({} if changed else {"y": h.write(y)}))
