"""Information descriptors of queues, kernels and events: SYCL 2020, appendix A."""

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
__kernel void add(__global float *y, __global const float *x, float a)
{
    y[get_global_id(0)] += a * x[get_global_id(0)];
}
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(__global float *y, __local float *all)
{
    __local float mine[4];
    mine[get_local_id(0) % 4] = all[0];
    y[0] = mine[0];
}
""")


@pytest.mark.spec("D496")
def test_descriptors_of_a_queue(queue):
    assert queue.info_names() == ["context", "device", "reference_count"]
    assert type(queue.get_info("context")) is sycl.Context
    assert type(queue.get_info("device")) is sycl.Device
    assert queue.get_info("reference_count") >= 1


@pytest.mark.spec("D499")
def test_descriptors_of_an_event(queue):
    event = queue.parallel_for(3, PROGRAM.add, np.zeros(3, np.float32), np.zeros(3, np.float32), 1)
    assert event.info_names() == ["command_execution_status", "reference_count"]
    event.wait()
    assert event.get_info("command_execution_status") is sycl.EventCommandStatus.complete
    assert event.get_info("reference_count") >= 1
    assert [status.value for status in sycl.EventCommandStatus] == ["submitted", "running", "complete"]


@pytest.mark.spec("D500")
def test_profiling_descriptors(device):
    queue = sycl.Queue(device, enable_profiling=True)
    event = queue.parallel_for(3, PROGRAM.add, np.zeros(3, np.float32), np.zeros(3, np.float32), 1)
    times = [event.get_profiling_info(f"command_{name}") for name in ("submit", "start", "end")]
    assert all(type(time) is int for time in times)
    assert times == sorted(times)


def test_what_a_kernel_tells_of_itself():
    kernel = PROGRAM.add
    assert kernel.name == "add"
    assert kernel.program == PROGRAM
    assert kernel.parameters == ("__global float *y", "__global const float *x", "float a")
    assert kernel.signature == "add(__global float *y, __global const float *x, float a)"
    assert repr(kernel) == f"<pysycl.Kernel {kernel.signature}>"


def test_what_a_device_grants_a_kernel(queue):
    plain, eights = (kernel.work_group_info(queue.context) for kernel in (PROGRAM.add, PROGRAM.eights))
    assert 1 <= plain.work_group_size <= queue.device.max_work_group_size
    assert plain.preferred_work_group_size_multiple >= 1
    assert plain.compile_work_group_size is None
    assert eights.compile_work_group_size == (1, 1, 8)
    assert eights.local_mem_size >= 16 or "PoCL 5" in queue.device.platform.version  # which says 0
    assert type(plain.private_mem_size) is int and 0 <= plain.private_mem_size < 1 << 20
