"""A command group's commands on memory: copies, fills and hints."""

from __future__ import annotations

from typing import Any

from pysycl import _core


class HandlerMemory(_core.Handler):
    """The explicit memory operations of a Handler."""

    __slots__ = ()

    @_core.method
    def copy(self, src: Any, dest: Any, count: Any = None) -> None:
        """Make the group's command: a copy, as Queue.copy.

        Parameters as for `Queue.copy`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.copy(h.read(b), y := np.zeros(3, b.dtype))
        >>> y.tolist()
        [0, 1, 2]
        """

    @_core.method
    def fill(self, dest: Any, pattern: Any, count: Any = None) -> None:
        """Make the group's command: elements set to one value, as Queue.fill.

        Parameters as for `Queue.fill`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.fill(h.write(b), 5)
        >>> np.asarray(b).tolist()
        [5, 5, 5]
        """

    @_core.method
    def memcpy(self, dest: Any, src: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a copy of bytes, as Queue.memcpy.

        Parameters as for `Queue.memcpy`.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.memcpy(u, np.arange(4, dtype=np.int32))
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [0, 1, 2, 3]
        """

    @_core.method
    def memset(self, ptr: Any, value: int, nbytes: int | None = None) -> None:
        """Make the group's command: bytes set to one value, as Queue.memset.

        Parameters as for `Queue.memset`.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.memset(u, 0)
        >>> queue.wait()
        >>> np.asarray(u).tolist()
        [0, 0, 0, 0]
        """

    @_core.method
    def update_host(self, acc: Any) -> None:
        """Make the group's command: the host's copy of the accessor's buffer is brought up to date.

        Parameters as for `Queue.update_host`.

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> with queue.submit() as h:
        ...     h.update_host(h.read(b))
        >>> np.asarray(b).tolist()
        [0, 1, 2]
        """

    @_core.method
    def prefetch(self, ptr: Any, nbytes: int | None = None) -> None:
        """Make the group's command: a hint that the device will soon use a UsmArray.

        Parameters as for `Queue.prefetch`.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.prefetch(u)
        >>> queue.wait()
        """

    @_core.method
    def mem_advise(self, ptr: Any, nbytes: int | None, advice: Any) -> None:
        """Make the group's command: a hint how a UsmArray will be used; advice 0 takes it back.

        Parameters as for `Queue.mem_advise`.

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> with queue.submit() as h:
        ...     h.mem_advise(u, None, 0)
        >>> queue.wait()
        """
