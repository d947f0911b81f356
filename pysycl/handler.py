"""Handler: puts one command group together, inside `queue.submit`."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

from pysycl import _core
from pysycl.accessor import Accessor
from pysycl.enums import AccessMode, Target
from pysycl.errors import InvalidError, InvalidParameterError
from pysycl.group_kernels import GroupKernels
from pysycl.group_reductions import GroupReductions
from pysycl.local import LocalAccessor, local

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

    from numpy.typing import DTypeLike

    from pysycl.buffer import Buffer
    from pysycl.event import Event
    from pysycl.image import Image
    from pysycl.queue import Queue
    from pysycl.ranges import Sizes


@_core.bind
class Handler(GroupKernels, GroupReductions, _core.Handler):
    """What a command group function gets: accessors, and at most one command.

    The commands are `parallel_for`, `single_task`, `host_task`, and the explicit memory operations. The command waits
    for what `depends_on` names, and for whatever the group's accessors need, whether it uses them or not.

    As the value of `with queue.submit() as h:` it is submitted when the block ends; then `h.event` is the command's
    event. An exception in the block submits nothing. A group without a command is an empty command that orders as its
    accessors do.

    Notes
    -----
    SYCL 2020, 4.9.4. A handler, and what was made with it, is of use only until its group has ended.
    """

    __slots__ = ("_event",)
    _event: Event

    def __new__(cls, queue: Queue) -> Handler:
        return super().__new__(cls, queue)

    @overload
    def read(
        self,
        buffer: Buffer,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Accessor: ...
    @overload
    def read(self, buffer: Image, *, no_init: bool = False, target: Target | str = Target.device) -> Any: ...
    def read(
        self,
        buffer: Buffer | Image,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Any:
        """An accessor that reads the buffer, or a range of it; or an image."""
        return self._accessor(buffer, AccessMode.read, range, offset, no_init, target)

    @overload
    def write(
        self,
        buffer: Buffer,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Accessor: ...
    @overload
    def write(self, buffer: Image, *, no_init: bool = False, target: Target | str = Target.device) -> Any: ...
    def write(
        self,
        buffer: Buffer | Image,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Any:
        """An accessor that writes the buffer, or a range of it. What it does not write stays, but for `no_init`. Or an
        image's."""
        return self._accessor(buffer, AccessMode.write, range, offset, no_init, target)

    def read_write(
        self,
        buffer: Buffer,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        *,
        no_init: bool = False,
        target: Target | str = Target.device,
    ) -> Accessor:
        """An accessor that reads and writes the buffer, or a range of it."""
        accessor: Accessor = self._accessor(buffer, AccessMode.read_write, range, offset, no_init, target)
        return accessor

    def _accessor(
        self, buffer: Buffer | Image, mode: AccessMode, range: Any, offset: Any, no_init: bool, target: Target | str
    ) -> Any:
        images = sys.modules.get("pysycl.image")  # nothing is an image while it is not loaded
        if images is not None and isinstance(buffer, images.Image):
            if range is not None or offset is not None:
                raise InvalidParameterError("range and offset: an accessor of an image covers all of it")
            return images.accessor_for(buffer, self, mode, no_init, target)
        plain = cast("Buffer", buffer)
        return Accessor(plain, self, mode=mode, target=target, range=range, offset=offset, no_init=no_init)

    def local(self, shape: SupportsIndex | Iterable[SupportsIndex], dtype: DTypeLike) -> LocalAccessor:
        """Local memory of a shape and dtype, for each work-group its own; `()` for one element."""
        self._check("local")
        return local(shape, dtype)

    def _has_ended(self) -> bool:
        try:
            self._check("submit")
        except InvalidError:
            return True
        return False

    @property
    def event(self) -> Event:
        """The command's event, once the group has ended."""
        try:
            return self._event
        except AttributeError:
            raise InvalidError("the command group has not been submitted: it has no event yet") from None

    def __enter__(self) -> Handler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._event = self._submit()
        else:
            self._discard()

    def __copy__(self) -> NoReturn:
        raise TypeError("a handler cannot be copied: it belongs to its command group")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise TypeError("a handler cannot be copied: it belongs to its command group")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a handler cannot be pickled: it belongs to its command group")
