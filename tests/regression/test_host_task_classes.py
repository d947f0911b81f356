"""What a host task raises is told as an error of the same class, if it is one of ours; the order in which classes are tried
matters, since some derive from others."""

import threading

import pytest

import pysycl as sycl


def fail(cls: type[BaseException]) -> None:
    raise cls("no")


def test_errors_of_ours_keep_their_class(device: sycl.Device) -> None:
    """Each of them, the derived ones too, and so does what depends on the task; a class of the user's counts as its base."""

    class Mine(sycl.InvalidParameterError): ...

    classes = {name: getattr(sycl, name) for name in sycl.errors.ERROR_CLASSES}
    assert len(classes) == 21
    for raised, expected in [*((cls, cls) for cls in classes.values()), (Mine, sycl.InvalidParameterError)]:
        queue, go = sycl.Queue(device), threading.Event()
        event = queue.host_task(lambda raised=raised, go=go: (go.wait(60), fail(raised)))
        behind = queue.host_task(lambda: None, depends_on=event)
        go.set()
        behind.wait()
        assert type(event.exception) is expected and type(behind.exception) is expected, (raised, event.exception)
        assert event.exception.code is expected("no").code, raised
        with pytest.raises(sycl.AsyncErrorGroup) as caught:
            queue.wait_and_throw()
        first = caught.value.exceptions[0]
        assert type(first) is expected and type(first.__cause__) is raised, (raised, first)
