"""A queue's commands on memory: copies, fills and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl import _core

if TYPE_CHECKING:
    from pysycl.event import Event, Events


class QueueMemory(_core.Queue):
    """The explicit memory operations of a Queue."""

    __slots__ = ()

    @_core.method
    def copy(
        self, src: Any, dest: Any, count: Any = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Copy elements between accessors, buffers, arrays, UsmArrays and images. SYCL 2020, 4.9.4.3.

        Both are of one type. Two accessors or buffers have one shape too; an array or UsmArray takes the elements in the
        order of their indices, and may be longer.

        Parameters
        ----------
        src
            Where it comes from.
        dest
            Where it goes.
        count
            A number of elements, or for images a range; None: all of `src`.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> y = np.empty(3, b.dtype)
        >>> _ = q.copy(b, y)
        >>> y
        array([0, 1, 2])
        """

    @_core.method
    def fill(
        self, dest: Any, pattern: Any, count: Any = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Set the elements of an accessor, a buffer, an array or a UsmArray to one value. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        dest
            Where it goes.
        pattern
            The value.
        count
            A number of elements; None: all.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.fill(u, 7).wait()
        >>> np.asarray(u).tolist()
        [7, 7, 7, 7]
        """

    @_core.method
    def memcpy(
        self, dest: Any, src: Any, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Copy bytes between UsmArrays, arrays and both; None: all of `src`. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        dest, src
            As for `Queue.copy`.
        nbytes
            How many bytes; None: all.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.memcpy(u, np.arange(4, dtype=np.int32))
        >>> np.asarray(u).tolist()
        [0, 1, 2, 3]
        """

    @_core.method
    def memset(
        self, ptr: Any, value: int, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Set bytes of a UsmArray or an array to a value from 0 to 255; None: all. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        ptr
            A UsmArray or an array.
        value
            From 0 to 255.
        nbytes
            As for `Queue.memcpy`.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> _ = queue.memset(u, 0).wait()
        >>> np.asarray(u).tolist()
        [0, 0, 0, 0]
        """

    @_core.method
    def update_host(self, acc: Any, *, depends_on: Events = None, wait: bool | None = None) -> Event:
        """Bring the host's copy of the accessor's buffer up to date. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        acc
            The accessor.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> b = sycl.Buffer(np.arange(3))
        >>> queue.update_host(b).wait()
        >>> np.asarray(b).tolist()
        [0, 1, 2]
        """

    @_core.method
    def prefetch(
        self, ptr: Any, nbytes: int | None = None, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Hint that the device will soon use a UsmArray. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        ptr
            The UsmArray.
        nbytes
            As for `Queue.memcpy`.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> queue.prefetch(u).wait()
        """

    @_core.method
    def mem_advise(
        self, ptr: Any, nbytes: int | None, advice: Any, *, depends_on: Events = None, wait: bool | None = None
    ) -> Event:
        """Hint how a UsmArray will be used; advice 0 takes it back. SYCL 2020, 4.9.4.3.

        Parameters
        ----------
        ptr, nbytes
            As for `Queue.prefetch`.
        advice
            The device's number.
        depends_on, wait
            As for `Queue.parallel_for`.

        Returns
        -------
        Event

        Examples
        --------
        >>> u = sycl.malloc_shared(4, np.int32, queue)
        >>> queue.mem_advise(u, None, 0).wait()
        """
