"""Memory that cannot be had, and commands that fail: a MemoryError where it belongs, and nothing that was there is lost.

That every entry of OpenCL that memory calls is made to fail is in test_faults.py; here are the promises one by one.
"""

import pytest

COPYING = {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"}
PRELUDE = """
from pysycl import _core
queue = sycl.Queue()
DRIVER = queue.device.platform._driver_index
def arm(entry, code, nth=1):
    _core.fault_install(DRIVER)
    _core.fault_arm(entry, nth, code)
def disarm():
    _core.fault_install(None)
def raised(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
"""


def run(run_fake, code, env=None):
    import textwrap

    return run_fake(PRELUDE + textwrap.dedent(code), env)


@pytest.mark.parametrize("code", [-4, -5, -6])
def test_no_device_memory_is_a_memory_error(run_fake, code):
    run(
        run_fake,
        f"""
        data = np.arange(8, dtype=np.uint32)
        b = sycl.Buffer(data)
        arm("CreateBuffer", {code})
        error = raised(lambda: queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)))
        disarm()
        assert isinstance(error, sycl.MemoryAllocationError) and isinstance(error, MemoryError), error
        assert (error.api, error.cl_code, error.code) == ("clCreateBuffer", {code}, sycl.Errc.memory_allocation), error
        assert np.asarray(b).tolist() == list(range(8))
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0))  # now there is some
        b.close()
        assert data.tolist() == [1, *range(1, 8)]
        queue.wait_and_throw()
        """,
        COPYING,
    )


@pytest.mark.parametrize("kind", ["fine", "coarse"])
def test_no_shared_memory_is_a_memory_error(run_fake, kind):
    run(
        run_fake,
        """
        arm("SVMAlloc", -4)
        error = raised(lambda: sycl.malloc_shared(2**20, np.uint32, queue))
        disarm()
        assert isinstance(error, sycl.MemoryAllocationError) and isinstance(error, MemoryError), error
        assert error.api == "clSVMAlloc"
        x = sycl.malloc_shared(2**20, np.uint32, queue)
        sycl.free(x, queue)
        """,
        COPYING | {"FAKE_SVM": kind},
    )


@pytest.mark.parametrize("code", [-4, -5, -6])
def test_a_transfer_without_memory_costs_no_data(run_fake, code):
    """The latest contents are on the device, and reading them back fails once."""
    run(
        run_fake,
        f"""
        b = sycl.Buffer(np.zeros(8, np.uint32))
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)).wait()
        arm("EnqueueReadBuffer", {code})
        error = raised(lambda: b.host_access("read"))
        disarm()
        assert isinstance(error, sycl.SyclError) and error.cl_code == {code}, error
        with b.host_access("read") as view:
            assert view.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
        queue._take_errors()
        """,
        COPYING,
    )


@pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])
def test_a_command_that_cannot_start_changes_nothing(run_fake, env):
    run(
        run_fake,
        """
        data = np.arange(8, dtype=np.uint32)
        b = sycl.Buffer(data)
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)).wait_and_throw()
        arm("EnqueueNDRangeKernel", -4)
        error = raised(lambda: queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)))
        disarm()
        assert isinstance(error, sycl.MemoryAllocationError), error
        assert np.asarray(b).tolist() == [1, *range(1, 8)]
        queue.submit(lambda h: h.single_task(program.slow, h.read_write(b), 0)).wait_and_throw()
        b.close()
        assert data.tolist() == [2, *range(1, 8)]
        queue.wait_and_throw()
        """,
        env,
    )


@pytest.mark.parametrize("env", [None, COPYING], ids=["shared memory", "memory of its own"])
def test_no_host_memory_is_a_memory_error(run_fake, env):
    """Each allocation of the core fails once, in making a buffer, using it, and ending it."""
    run(
        run_fake,
        """
        import gc, warnings
        data, failed, told, n = np.zeros(8, np.uint32), 0, 0, 0
        def use():
            data[:] = 5
            with sycl.Buffer(data[::2]) as b:
                part = b.sub_buffer(1, 2)
                queue.submit(lambda h: h.single_task(program.slow, h.read_write(part), 0))
                with b.host_access("read_write") as view:
                    view[3] = 9
                part.close()
            queue.wait_and_throw()
            return data.tolist() == [5, 5, 6, 5, 5, 5, 9, 5]
        assert use()
        before = live_counts.quiet()
        fine = 0
        while fine < 10:
            n += 1
            _core.alloc_fail_at(n)
            try:
                with warnings.catch_warnings(record=True) as reports:
                    warnings.simplefilter("always")
                    right = use()
                assert right or reports, n  # a write-back that fails is told by a warning
                told += len(reports)
                fine += 1
            except MemoryError as error:
                assert isinstance(error, sycl.SyclError), error
                failed, fine = failed + 1, 0
            finally:
                _core.alloc_fail_at(0)
            queue._take_errors()
            assert use()
        _core.drain(5.0)
        assert failed > 5, failed
        after = live_counts.settled(before)
        assert after == before, (before, after)
        """,
        env,
    )


def test_a_user_s_allocator_that_gives_nothing(run_fake):
    """It is asked only when host memory is really needed."""
    run(
        run_fake,
        """
        asked = []
        def allocator(size):
            asked.append(size)
        b = sycl.Buffer((8,), np.uint32, allocator=allocator)
        queue.submit(lambda h: h.parallel_for(8, program.fill_ids, h.write(b)))
        queue.wait_and_throw()
        assert asked == []
        error = raised(lambda: np.asarray(b))
        assert isinstance(error, MemoryError) and asked == [32], (error, asked)
        """,
        COPYING,
    )
