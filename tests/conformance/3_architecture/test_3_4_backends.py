"""3.4 to 3.6: platforms and backends, what there is without a driver, and what becomes of native objects."""

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

SPACES = """
__constant uint table[4] = {10, 20, 30, 40};

__kernel void spaces(__global uint *out, __constant uint *given, __local uint *shared)
{
    uint own[2] = {table[get_local_id(0) % 4], given[get_local_id(0)]};
    shared[get_local_id(0)] = own[0] + own[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[get_local_size(0) - 1 - get_local_id(0)];
}
"""


@pytest.mark.spec("H016")
def test_without_a_driver_importing_works_and_only_a_queue_is_refused(run_python):
    """No driver that works: the package is there, and says why there is no device."""
    child = run_python(
        """
        import pysycl as sycl
        assert sycl.is_backend_active("opencl")
        assert sycl.platforms() == [] and sycl.devices() == []
        try:
            sycl.Queue()
        except sycl.SyclRuntimeError as error:
            assert "no_such_driver.so" in str(error) and "pip install" in str(error), error
            print("refused")
        """,
        {"PYSYCL_DRIVERS": "no_such_driver.so"},
    )
    assert child.stdout == "refused\n"


@pytest.mark.spec("H015", "H017", "H023")
def test_the_machine_needs_nothing_but_what_the_installation_brings(run_python, device):
    """With no accelerator there is a platform of the backend, a CPU device on it, and it runs a whole application."""
    if not device.is_cpu:
        pytest.skip("this driver has no CPU device")
    child = run_python(
        """
        import numpy as np
        import pysycl as sycl
        platforms = sycl.platforms()
        assert len(platforms) >= 1 and {platform.backend for platform in platforms} == {sycl.Backend.opencl}
        assert all(len(platform.devices) >= 1 for platform in platforms)
        for backend in sycl.Backend:  # one that can be used has a platform
            assert (backend in {device.backend for device in sycl.devices()}) == (backend is sycl.Backend.opencl)
        queue = sycl.Queue("cpu")
        x = np.arange(5, dtype=np.int32)
        program = sycl.Program("__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }")
        queue.parallel_for(5, program.twice, x).wait_and_throw()
        print(queue.device.is_cpu, x.tolist())
        """
    )
    assert child.stdout == "True [0, 2, 4, 6, 8]\n"


@pytest.mark.spec("H013")
def test_kernels_are_finalised_at_run_time(queue):
    """Text that did not exist before this line is compiled for the device now, once for the context."""
    program = sycl.Program(f"__kernel void made(__global ulong *out) {{ out[0] = {id(queue)}; }}")
    assert not program.is_built_for(queue.context)
    out = np.zeros(1, np.uint64)
    queue.single_task(program.made, out)
    assert program.is_built_for(queue.context)
    assert out[0] == id(queue)


@pytest.mark.spec("H026")
def test_what_the_runtime_made_goes_and_what_the_user_made_stays(run_fake):
    """The fake driver counts what is alive: of the user's own context and queue no reference is taken away."""
    run_fake(
        """
        import gc
        from pysycl import _core
        owner = sycl.Queue(context=sycl.Context(sycl.Device()))
        contexts, queues = fake.fake_live(b"context"), fake.fake_live(b"queue")
        context = sycl.make_context(owner.context.int_ptr)
        queue = sycl.make_queue(owner.int_ptr, context)
        inner = sycl.Queue(context=context)
        assert fake.fake_live(b"queue") > queues
        del inner, queue, context
        gc.collect()
        assert (fake.fake_live(b"context"), fake.fake_live(b"queue")) == (contexts, queues)
        x = np.zeros(4, np.uint32)
        owner.parallel_for(4, program.fill_ids, x).wait_and_throw()
        assert x.tolist() == [0, 1, 2, 3]
        assert fake.fake_error_count() == 0
        """
    )


@pytest.mark.spec("H027")
def test_a_context_is_of_one_platform(run_python, fake_driver, device):
    """With two drivers there are two platforms, and no context over both."""
    real = _core.drivers()[device.platform._driver_index]["path"]
    run_python(
        """
        import pysycl as sycl
        one, other = (platform.get_devices()[0] for platform in sycl.platforms())
        assert sycl.Context(one).platform == one.platform != other.platform
        try:
            sycl.Context([one, other])
        except sycl.InvalidParameterError as error:
            assert one.name in str(error) and other.name in str(error), error
        else:
            raise AssertionError("a context over two platforms was made")
        """,
        {"PYSYCL_DRIVERS": f"{real}:{fake_driver}"},
    )


@pytest.mark.spec("D509")
def test_the_four_spaces_of_memory_are_opencl_s(queue):
    group = 4
    out, given = np.zeros(2 * group, np.uint32), np.arange(1, group + 1, dtype=np.uint32)
    program = sycl.Program(SPACES)
    queue.parallel_for(sycl.NdRange(2 * group, group), program.spaces, out, given, sycl.local(group, np.uint32))
    assert out.tolist() == [44, 33, 22, 11] * 2


@pytest.mark.spec("H087")
def test_a_command_that_fails_later_is_not_run_on_the_secondary_queue(run_fake):
    """The fallback after an asynchronous failure is optional; there is none: the first queue has the error."""
    run_fake(
        """
        first, second = sycl.Queue(), sycl.Queue()
        x = np.zeros(4, np.uint32)
        event = first.submit(lambda h: h.single_task(program.fail, x), second, wait=False)
        second.wait_and_throw()
        try:
            first.wait_and_throw()
        except sycl.KernelError:
            pass
        else:
            raise AssertionError("the first queue has no error")
        assert isinstance(event.exception, sycl.KernelError)
        """
    )
