"""Ctrl-C at an odd moment was lost, left a recording open for ever, or an array in use by a buffer that nobody has."""

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysycl as sycl


def interrupting(matches: Callable[[str, str], bool]) -> Callable[..., Any]:
    """A trace function that is Ctrl-C when a function of pysycl's begins."""

    def trace(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and "pysycl" in frame.f_code.co_filename and matches(frame.f_code.co_name, event):
            sys.settrace(None)
            raise KeyboardInterrupt

    return trace


def test_while_a_buffer_is_dropped(queue: sycl.Queue) -> None:
    """It went on as if nothing had been; and what could not be written back any more was lost."""
    gate, x = threading.Event(), np.zeros(8, np.float32)
    b = sycl.Buffer(x)
    event = queue.parallel_for(8, "b[i] = 5;", b=b, depends_on=queue.host_task(lambda: gate.wait(30)))
    threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
    held = [b]
    del b
    with pytest.raises(KeyboardInterrupt):
        held.clear()  # waits
    gate.set()
    event.wait()


def test_its_data_arrives_at_the_end(run_python: Any) -> None:
    child = run_python("""
import atexit, signal, sys, threading
import numpy as np
import pysycl as sycl
import pysycl.lifecycle
gate, x = threading.Event(), np.zeros(8, np.float32)[::2]
atexit.unregister(pysycl.lifecycle.close)
atexit.register(lambda: print(x.tolist()))
atexit.register(pysycl.lifecycle.close)
queue = sycl.Queue()
b = sycl.Buffer(x)
queue.parallel_for(4, "b[i] = i;", b=b, depends_on=queue.host_task(lambda: gate.wait(30)))
threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
try:
    del b
    sys.getsizeof(0)  # Python looks for what has come up after calls
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
gate.set()
""")
    assert child.stdout.splitlines() == ["interrupted", "[0.0, 1.0, 2.0, 3.0]"]


def test_other_exceptions_of_an_end_are_told_as_ever(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda given: told.append(given.exc_value))

    def refuse(contents: np.ndarray) -> None:
        raise ValueError("no room")

    b = sycl.Buffer(8, np.float32)
    b.set_final_data(refuse)
    queue.fill(b, 1.0).wait()
    del b
    assert [str(error) for error in told] == ["no room"]


@pytest.mark.parametrize("where", ["body", "exit"])
def test_a_recording_does_not_stay_open(queue: sycl.Queue, where: str) -> None:
    """Every later submission was recorded, and nothing of it ever ran. Its error, and so its frames, are kept meanwhile."""
    x, kept = np.zeros(8, np.float32), []
    try:
        with queue.record() as g:
            queue.parallel_for(8, "x[i] += 1;", x=x)
            kept.append(g)
            if where == "body":
                raise KeyboardInterrupt
            sys.settrace(interrupting(lambda name, _: name == "__exit__"))
            sys._getframe().f_trace = None
    except KeyboardInterrupt as error:
        kept.append(error)
    finally:
        sys.settrace(None)
    queue.parallel_for(8, "x[i] += 2;", x=x)
    queue.wait()
    assert x.tolist() == [2] * 8


def test_a_recording_that_somebody_opened_by_hand_is_told_of(queue: sycl.Queue) -> None:
    g = queue.record()
    assert g.__enter__() is g
    with pytest.raises(sycl.InvalidError, match=r"wait after the recording's block, or end it with its close\(\)"):
        queue.wait()
    with pytest.raises(sycl.InvalidError, match="has begun already"):
        g.__enter__()
    g.close()
    queue.wait()


@pytest.mark.parametrize("name", ["_make", "register", "remember"])
@pytest.mark.parametrize("kind", ["buffer", "image"])
def test_a_half_made_buffer_is_none(queue: sycl.Queue, name: str, kind: str) -> None:
    pixels = np.zeros((4, 4, 4), np.float32)

    def make() -> Any:
        return sycl.Buffer(pixels) if kind == "buffer" else sycl.UnsampledImage(pixels, "r32g32b32a32_sfloat", (4, 4))

    if kind == "image" and not queue.device.has("image"):
        pytest.skip("no images")
    make().close()  # what is imported late is there
    kept = []
    sys.settrace(interrupting(lambda called, _: called == name))
    try:
        make()
    except KeyboardInterrupt as error:
        kept.append(error)  # with all frames, as sys.last_traceback has them
    finally:
        sys.settrace(None)
    assert kept
    left = []
    trace = kept[0].__traceback__
    while trace is not None:
        left += [
            value for value in trace.tb_frame.f_locals.values() if isinstance(value, sycl.Buffer | sycl.UnsampledImage)
        ]
        trace = trace.tb_next
    assert all(value.is_closed for value in left)
    with make() as b:
        if kind == "buffer":
            queue.fill(b, 3.0)
    assert pixels[0, 0, 0] == (3 if kind == "buffer" else 0)


@pytest.mark.parametrize(
    "text",
    [
        "if (local_id(0) < 2) group_barrier(work_group); y[0] = 1;",
        "if (local_id(0) < 2) return; group_barrier(work_group); y[0] = 1;",
    ],
)
def test_a_barrier_that_some_never_come_to(run_python: Any, text: str) -> None:
    """PoCL has no end of it; the calling thread did the work itself, where nothing called it away."""
    run_python(
        f"""
        import os, signal, threading
        import numpy as np
        import pysycl as sycl

        y, queue = np.zeros(16, np.float32), sycl.Queue()
        queue.parallel_for(sycl.NdRange(16, 4), "group_barrier(work_group); y[0] = 2;", y=y)
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            queue.parallel_for(sycl.NdRange(16, 4), {text!r}, y=y)
            threading.Event().wait(20)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("not interrupted")
        """,
        {"PYSYCL_EXIT_TIMEOUT": "0.2"},
        timeout=60,
    )
