"""Unified shared memory with the elements of an array."""

import pytest

import pysycl as sycl


@pytest.fixture(params=["shared", "device"])
def usm(request, queue):
    if not queue.device.has(f"usm_{request.param}_allocations"):
        pytest.skip(f"the device has no {request.param} memory")

    def make(array):
        memory = (sycl.malloc_shared if request.param == "shared" else sycl.malloc_device)(
            array.shape, array.dtype, queue
        )
        queue.memcpy(memory, array, array.nbytes).wait()
        return memory

    return make
