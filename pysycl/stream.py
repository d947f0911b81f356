"""Stream: text from kernels. SYCL 2020, 4.16."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, NoReturn, SupportsIndex

from pysycl import _core
from pysycl._runtime.handle import Handle

if TYPE_CHECKING:
    from pysycl.handler import Handler


@_core.bind
class Stream(Handle, _core.Stream):
    """Text from kernels, written to `sys.stdout` when the command has ended, before `wait()` returns.

    In a body, given as `out=stream`, it is written to as in SYCL: `out << "x[" << i << "] = " << setw(8) << x[i] << endl;`.
    A whole program has a parameter `stream out` and calls `stream_put(out, value)`, `stream_endl(out)` and
    `stream_flush(out)`; a third argument of stream_put is a format: `stream_hex | stream_setw(8)`.

    Parameters
    ----------
    total_size
        How many characters, as bytes, all work-items of a command may write. What goes beyond is dropped: a last line
        says so, and `overflowed` is true.
    max_statement_size
        How many characters a work-item may write between two flushes. More are written, too: only the total counts.
    handler
        The command group that it is for. None: for any number of commands, also of the queue's shortcuts.

    Raises
    ------
    InvalidParameterError
        A size is less than 1, or more than a stream can have.
    InvalidError
        The command group has ended.

    Notes
    -----
    SYCL 2020, 4.16. What a work-item writes between two flushes (`flush`, `endl`, its end) is not mixed with others'
    text. There is no order between work-items, and none between streams.

    Examples
    --------
    >>> out = sycl.Stream(1024, 80)
    >>> queue.parallel_for(1, 'out << "x is " << setw(4) << x << endl;', out=out, x=7).wait()
    x is    7
    """

    __slots__ = ()

    def __new__(
        cls, total_size: SupportsIndex, max_statement_size: SupportsIndex, handler: Handler | None = None
    ) -> Stream:
        return super().__new__(cls, index(total_size), index(max_statement_size), handler)

    @property
    def max_statement_size(self) -> int:
        """The same as work_item_buffer_size. Deprecated in SYCL 2020."""
        return self.work_item_buffer_size

    def __reduce__(self) -> NoReturn:
        raise TypeError("a stream cannot be pickled: it belongs to its command group")

    def __repr__(self) -> str:
        return f"<pysycl.Stream of {self.size} characters>"
