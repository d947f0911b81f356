"""Host tasks: what may be one, and the threads that run them.

A worker is a daemon thread that waits in the core for the next host task that is ready, without the GIL. One more is
started whenever there are host tasks and no worker is idle; one that has been idle for a second while there are none
left ends. Eight run tasks at once; where all of them stand still for 50 ms another one joins them, up to 256. So tasks
may wait for each other, and a program without host tasks has no threads of pysycl's.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

from pysycl import _core
from pysycl.errors import InvalidParameterError
from pysycl.interop_handle import InteropHandle
from pysycl.local import LocalAccessor

IDLE_SECONDS = 1.0

_workers: set[threading.Thread] = set()

# -- what is called, and how --


def _captured(function: Any) -> Iterator[object]:
    """Objects that a function brings along: the cells of a closure, defaults, a partial's arguments."""
    if isinstance(function, functools.partial):
        yield from function.args
        yield from function.keywords.values()
        yield from _captured(function.func)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled in yet
            continue
    yield from getattr(function, "__defaults__", None) or ()
    yield from (getattr(function, "__kwdefaults__", None) or {}).values()


def _is_handle(annotation: object) -> bool:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return annotation is InteropHandle or name.rpartition(".")[2] == "InteropHandle"


def _by_signature(function: Callable[..., object]) -> bool | None:
    """True: with the handle; False: with nothing; None: neither."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # a built-in that says nothing about itself
        return False
    parameters = list(signature.parameters.values())
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(needed) == 1 and positional and needed[0] is positional[0]:
        return True
    if needed:
        return None
    if positional:  # with a default, as in `lambda i=i: ...`: that is meant, unless it asks for the handle
        return _is_handle(positional[0].annotation)
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


def takes_handle(function: object) -> bool:
    """Whether the function of a host task is called with an InteropHandle. Refuses what cannot be called.

    Notes
    -----
    SYCL 2020, 4.11.3.1: with the handle if it can take one, else with nothing. A first parameter that has a default
    keeps it, unless its annotation is InteropHandle.
    """
    if not callable(function):
        raise InvalidParameterError(f"host_task: expected a callable, got {function!r}")
    if inspect.iscoroutinefunction(function):
        raise InvalidParameterError(f"host_task: {function!r} is a coroutine function: calling it would run nothing")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise InvalidParameterError(f"host_task: {function!r} is a generator function: calling it would run nothing")
    for value in _captured(function):
        if isinstance(value, LocalAccessor):
            raise InvalidParameterError(
                f"host_task: {function!r} uses a local accessor, which is memory of a device's work-groups: a host task "
                f"cannot"
            )
    wanted: bool | None
    if isinstance(function, types.FunctionType) and not function.__dict__ and _is_plain(function.__code__, function):
        wanted = function.__code__.co_argcount == 1
    else:
        wanted = _by_signature(function)
    if wanted is None:
        raise InvalidParameterError(
            f"host_task: {function!r} must be callable with nothing or with one InteropHandle; its signature is "
            f"{inspect.signature(function)}"
        )
    return wanted


def _is_plain(code: types.CodeType, function: types.FunctionType) -> bool:
    """No parameter, or one without a default: nothing to be asked of inspect, which takes its time."""
    variadic = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return (
        code.co_argcount <= 1
        and not code.co_kwonlyargcount
        and not code.co_flags & variadic
        and not function.__defaults__
    )


# -- the threads --


def _work() -> None:
    try:
        while _core.host_task_work(IDLE_SECONDS):
            pass
    finally:
        _workers.discard(threading.current_thread())


def start_worker() -> None:
    """Called by the binding: starts a worker if one is needed."""
    if not _core.host_task_enlist():
        return
    worker = threading.Thread(target=_work, name="pysycl host tasks", daemon=True)
    _workers.add(worker)
    try:
        worker.start()
    except RuntimeError:  # the interpreter ends, or has no more threads: whoever waits runs the tasks, too
        _workers.discard(worker)
        _core.host_task_dismiss()


def join(seconds: float) -> None:
    """Waits for the workers to end, after the core was closed, so that the interpreter does not end under them."""
    end = time.monotonic() + seconds
    for worker in list(_workers):
        worker.join(max(0.0, end - time.monotonic()))
