"""Work on other threads that somebody waits for, or awaits: builds, which take a compiler's time."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

_lock = Lock()
_executor: ThreadPoolExecutor | None = None


def _submit(work: Callable[[], T]) -> Future[T]:
    """Threads are made as they are needed, and the interpreter waits for them when it ends, before drivers go."""
    global _executor
    from concurrent.futures import ThreadPoolExecutor  # importing it takes milliseconds

    with _lock:
        if _executor is None:
            _executor = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="pysycl build")
        return _executor.submit(work)


class Build(Generic[T]):
    """A build that another thread makes. What fails there is raised where it is waited for, each time.

    Parameters
    ----------
    work
        What another thread calls.

    Examples
    --------
    >>> build = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").build_async(queue.device)
    >>> log = build.wait()
    >>> build.done
    True
    """

    __slots__ = ("_future",)

    def __init__(self, work: Callable[[], T]) -> None:
        self._future = _submit(work)

    @property
    def done(self) -> bool:
        """True once it has ended, well or not."""
        return self._future.done()

    def wait(self, timeout: float | None = None) -> T:
        """Its outcome, waited for.

        Parameters
        ----------
        timeout
            The most seconds to wait. None: until it has ended.

        Returns
        -------
        str, KernelBundle
            What the build gives: the log of a Program, the bundle of a bundle.

        Raises
        ------
        TimeoutError
            It has not ended after so many seconds.
        BuildError
            It failed.

        Examples
        --------
        >>> work = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").build_async(queue.device)
        >>> log = work.wait(60)
        """
        return self._future.result(timeout)

    def __await__(self) -> Generator[Any, None, T]:
        from asyncio import wrap_future

        return wrap_future(self._future).__await__()

    def __repr__(self) -> str:
        return f"<pysycl.Build {'done' if self.done else 'under way'}>"
