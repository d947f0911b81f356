"""Who scans, and the lists of scans on devices that interpret their kernels: sizes that take minutes there are left out."""

import pytest

import pysycl as sycl

MOST = 20_000


@pytest.fixture(autouse=True)
def _sizes_for_the_device(request: pytest.FixtureRequest, queue: sycl.Queue) -> None:
    size = getattr(request.node, "callspec", None)
    n = size.params.get("n", 0) if size is not None else 0
    if n > MOST and not queue.device._facts["thread_safe"] and str(queue.device._facts["items"]) == "singly":
        pytest.skip(f"{n} elements take minutes on {queue.device.name}")


@pytest.fixture(params=["calling thread", "device"])
def where(request: pytest.FixtureRequest, queue: sycl.Queue) -> dict[str, sycl.Queue]:
    """Small arrays are scanned on the calling thread, but where a queue is given."""
    return {} if request.param == "calling thread" else {"queue": queue}
