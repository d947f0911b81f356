"""The arrays that accessors give inside a host task end with it."""

import gc

import numpy as np
import pytest

import pysycl as sycl


def buffer_and_task(queue: sycl.Queue, mode: str, task) -> np.ndarray:
    buffer = sycl.Buffer(np.zeros(4, np.float32))
    with queue.submit() as h:
        accessor = sycl.Accessor(buffer, h, mode, target="host_task")
        h.host_task(lambda: task(accessor))
    queue.wait()
    gc.collect()
    return np.asarray(buffer)


def test_arrays_of_accessors_end_with_the_task(queue: sycl.Queue) -> None:
    kept: list[np.ndarray] = []

    def task(accessor: sycl.Accessor) -> None:
        accessor[:] = 1
        assert accessor.data is accessor.data
        kept.append(accessor.data)

    with pytest.warns(sycl.SyclWarning) as said:
        assert buffer_and_task(queue, "read_write", task).tolist() == [1] * 4
    assert len(said) == 1 and said[0].filename == __file__
    assert str(said[0].message) == (
        "host task 'buffer_and_task.<locals>.<lambda>' has ended, and an array of <pysycl.Accessor read_write float32 "
        "(4,), host_task> is still held: it is the buffer's memory, in which later commands work, and is not to be "
        "written any more; in the task, numpy.array(accessor) makes a copy"
    )
    with pytest.raises(ValueError, match="read-only"):
        kept[0][0] = 2
    assert kept[0].tolist() == [1] * 4  # it is memory still


def test_parts_of_such_arrays_are_told_of(queue: sycl.Queue) -> None:
    kept: list[object] = []
    for keep in (lambda accessor: accessor.data[1:], np.asarray, memoryview):
        with pytest.warns(sycl.SyclWarning, match="is still held"):
            buffer_and_task(queue, "write", lambda accessor, keep=keep: kept.append(keep(accessor)))


def test_what_ends_with_the_task_or_only_reads_is_not_told_of(queue: sycl.Queue, recwarn) -> None:
    kept: list[object] = []

    def local(accessor: sycl.Accessor) -> np.ndarray:
        view = accessor.data[1:]
        view += np.array(accessor)[1:]
        return view

    buffer_and_task(queue, "read_write", local)
    buffer_and_task(queue, "read_write", lambda accessor: kept.append(np.array(accessor)))
    buffer_and_task(queue, "read", lambda accessor: kept.append(accessor.data))
    assert not recwarn.list


def test_a_task_that_fails_leaves_no_array_to_write_to(device: sycl.Device, recwarn) -> None:
    queue, kept = sycl.Queue(device), []

    def task(accessor: sycl.Accessor) -> None:
        view = accessor.data
        kept.append(view)
        raise ValueError("by hand")

    buffer = sycl.Buffer(np.zeros(4, np.float32))
    with queue.submit() as h:
        accessor = sycl.Accessor(buffer, h, "read_write", target="host_task")
        h.host_task(lambda: task(accessor))
    with pytest.raises(sycl.SyclError, match="by hand"):
        queue.wait_and_throw()
    assert not kept[0].flags.writeable
    assert not recwarn.list


@pytest.mark.filterwarnings("error")
def test_the_warning_as_an_error_is_the_tasks(device: sycl.Device) -> None:
    queue, kept = sycl.Queue(device), []
    buffer = sycl.Buffer(np.zeros(4, np.float32))
    with queue.submit() as h:
        accessor = sycl.Accessor(buffer, h, "read_write", target="host_task")
        h.host_task(lambda: kept.append(accessor.data))
    with pytest.raises(sycl.SyclError, match="raised SyclWarning: host task .* is still held"):
        queue.wait_and_throw()
