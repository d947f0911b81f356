"""Accessor: what a command wants of a buffer; and the tags that name what it does with it."""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from pysycl import _core
from pysycl._data.host_memory import array_over
from pysycl._runtime.handle import Handle
from pysycl._runtime.properties import HasProperties
from pysycl.enums import AccessMode, Target, as_enum
from pysycl.errors import AccessorError, InvalidParameterError, SyclWarning
from pysycl.ranges import Id, Range, Sizes

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array
    from pysycl.buffer import Buffer
    from pysycl.handler import Handler

MODES: Final = (AccessMode.read, AccessMode.write, AccessMode.read_write)  # by the binding's numbers
TARGETS: Final = (Target.device, Target.constant_buffer, Target.host_task)


class ModeTag(NamedTuple):
    """A mode, and where it is meant for: given as the mode of an accessor. SYCL 2020, 4.7.6.4.

    Examples
    --------
    >>> sycl.Accessor(sycl.Buffer(4, np.int32), None, sycl.read_only).mode
    <AccessMode.read: 'read'>
    """

    name: str
    mode: AccessMode
    target: Target

    def __repr__(self) -> str:
        return f"pysycl.{self.name}"


read_only: Final = ModeTag("read_only", AccessMode.read, Target.device)
write_only: Final = ModeTag("write_only", AccessMode.write, Target.device)
read_write: Final = ModeTag("read_write", AccessMode.read_write, Target.device)
read_constant: Final = ModeTag("read_constant", AccessMode.read, Target.constant_buffer)
read_only_host_task: Final = ModeTag("read_only_host_task", AccessMode.read, Target.host_task)
write_only_host_task: Final = ModeTag("write_only_host_task", AccessMode.write, Target.host_task)
read_write_host_task: Final = ModeTag("read_write_host_task", AccessMode.read_write, Target.host_task)

Mode = AccessMode | ModeTag | str | None

# What each mode and each target is to the binding, by all its spellings. A mode: its number, and whether it drops what
# was there. Every accessor asks here, so it is one look-up.
_NUMBERS: Final[dict[AccessMode, tuple[int, bool]]] = {
    AccessMode.read: (0, False),
    AccessMode.write: (1, False),
    AccessMode.read_write: (2, False),
    AccessMode.discard_write: (1, True),
    AccessMode.discard_read_write: (2, True),
    AccessMode.atomic: (2, False),
}
_MODES: Final[dict[object, tuple[int, bool]]] = {
    spelling: number for mode, number in _NUMBERS.items() for spelling in (mode, mode.value)
}
_TARGETS: Final[dict[object, int]] = {
    spelling: number for number, target in enumerate(TARGETS) for spelling in (target, target.value)
}
_TARGETS["global_buffer"] = 0


def mode_number(mode: Mode, read_only: bool) -> tuple[int, bool]:
    """The binding's number of a mode, and whether it drops what was there. None: read_write, or read where it must."""
    if mode is None:
        return (0, False) if read_only else (2, False)
    if isinstance(mode, ModeTag):
        mode = mode.mode
    try:
        return _MODES[mode]
    except (KeyError, TypeError):
        return _NUMBERS[as_enum(AccessMode, mode, "mode")]


def target_number(target: Target | str | None, mode: Mode) -> int:
    """The binding's number of a target; a tag has one of its own."""
    tagged = mode.target if isinstance(mode, ModeTag) else None
    if target is None:
        return _TARGETS[tagged] if tagged is not None else 0
    try:
        number = _TARGETS[target]
    except (KeyError, TypeError):
        chosen = as_enum(Target, target, "target")
        raise InvalidParameterError(
            f"target: a buffer's accessor is for device, constant_buffer or host_task, not for {chosen.value}"
        ) from None
    if tagged is not None and _TARGETS[tagged] != number:
        raise InvalidParameterError(f"target: {TARGETS[number].value} contradicts {mode!r}, for {tagged.value}")
    return number


class Region(HasProperties, Handle):
    """Shared by accessors of commands and of the host: the part of the buffer that they cover."""

    __slots__ = ()

    # From the binding:
    _range: tuple[int, ...]
    _offset: tuple[int, ...]
    _buffer_shape: tuple[int, ...]
    _mode: int
    _is_null: bool
    size: int
    no_init: bool
    dtype: Any

    @property
    def _properties(self) -> Mapping[str, Any]:
        return {"no_init": True} if self.no_init else {}

    @property
    def range(self) -> Range:
        """How many elements it covers in each dimension."""
        return Range(*(self._range or (0,)))

    @property
    def shape(self) -> tuple[int, ...]:
        """The range as a plain tuple."""
        return self._range or (0,)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def offset(self) -> Id:
        """Where the range begins in the buffer."""
        return Id(*(self._offset or (0,)))

    @property
    def mode(self) -> AccessMode:
        """read, write or read_write."""
        return MODES[self._mode]

    @property
    def empty(self) -> bool:
        """True if there is nothing to access."""
        return self.size == 0

    @property
    def max_size(self) -> int:
        """The most elements that any accessor of the type could have."""
        return 0 if self._is_null else sys.maxsize // int(self.dtype.itemsize)

    def get_count(self) -> int:
        """The same as `size`. Deprecated in SYCL 2020.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.Accessor(sycl.Buffer(4, np.int32), range=2).get_count()
        2
        """
        return self.size

    def get_range(self) -> Range:
        """The same as `range`.

        Returns
        -------
        Range

        Examples
        --------
        >>> sycl.Accessor(sycl.Buffer(4, np.int32), range=2).get_range()
        Range(2)
        """
        return self.range

    def get_offset(self) -> Id:
        """The same as `offset`.

        Returns
        -------
        Id

        Examples
        --------
        >>> sycl.Accessor(sycl.Buffer(4, np.int32), range=2, offset=1).get_offset()
        Id(1)
        """
        return self.offset

    def _view(self) -> Array:
        """The memory as an array of the element type, for as long as it may be used."""
        return array_over(self, self.dtype)

    # `_handed_out` is a slot of those who have an array: a weak reference, since the array holds the accessor.

    def _array(self: Any) -> Array:
        """The array over the memory; the same as before, if somebody still has it."""
        array: Array | None = self._alive()
        if array is None:
            array = self._view()
            self._handed_out = weakref.ref(array)
        return array

    def _alive(self) -> Array | None:
        """The array that was handed out, if somebody still has it."""
        reference = getattr(self, "_handed_out", None)
        return reference() if reference is not None else None

    def _lock_array(self) -> None:
        """Makes arrays that were handed out read-only: nothing is written behind the commands' backs."""
        array = self._alive()
        if array is not None:
            array.flags.writeable = False


@_core.bind
class Accessor(Region, _core.Accessor):
    """A command's access to a buffer, and with it the command's place in the order of all that uses the buffer.

    Parameters
    ----------
    buffer
        The buffer or sub-buffer. Without one the accessor is empty: a NULL pointer for a kernel.
    handler
        The command group. None makes a placeholder, which groups can `require`.
    mode
        "read", "write" or "read_write" (the default; on read-only buffers and constant memory: "read"), an AccessMode,
        or a tag like pysycl.read_only. "write" keeps what it does not write.
    range, offset
        The part that is used. The command still waits for all that uses other parts: only sub-buffers are independent.
    no_init, noinit
        The contents may be dropped; `noinit` is the draft's spelling.
    target
        "device", "constant_buffer" or "host_task".

    Raises
    ------
    InvalidParameterError
        The part is not inside the buffer, or mode, target and buffer contradict each other.
    AccessorError
        The group has an access that conflicts with it.

    Notes
    -----
    SYCL 2020, 4.7.6. In a body the accessor is a pointer to the first element of its range: `a(i0, i1)` counts from there,
    and `a[k]` is the element that lies k behind it in the buffer, whose rows may be longer than the range. A program's
    kernel gets the (sub-)buffer's first element, whatever the range. In a host task the accessor is an array, of the shape
    of its range, while the task runs.

    Examples
    --------
    >>> b = sycl.Buffer(np.arange(4))
    >>> with queue.submit() as h:
    ...     a = sycl.Accessor(b, h, "read_write", range=2, offset=1)
    ...     h.parallel_for(2, "a[i] = 10 * a[i];", a=a)
    >>> np.asarray(b)
    array([ 0, 10, 20,  3])
    """

    __slots__ = ("_handed_out",)

    @_core.entry
    def __new__(
        cls,
        buffer: Buffer | None = None,
        handler: Handler | None = None,
        mode: Mode = None,
        *,
        range: Sizes | None = None,
        offset: Sizes | None = None,
        no_init: bool = False,
        noinit: bool = False,
        target: Target | str | None = None,
    ) -> Accessor:
        if buffer is None:
            return super().__new__(cls)
        if not isinstance(buffer, _core.Buffer) or not hasattr(buffer, "sub_buffer"):
            raise InvalidParameterError(f"buffer: expected a Buffer, got {buffer!r}")
        where = target_number(target, mode)
        number, drops = mode_number(mode, where == 1)
        return super().__new__(cls, buffer, handler, number, where, range, offset, no_init or noinit or drops)

    @property
    def target(self) -> Target:
        """The kind of command that it is for."""
        return TARGETS[self._target]

    def as_read_only(self) -> Accessor:
        """The same access, reading only. SYCL 2020, 4.7.6.9: a writing accessor converts to a reading one.

        Returns
        -------
        Accessor
            Of the same part, with the mode "read".

        Examples
        --------
        >>> sycl.Accessor(sycl.Buffer(4, np.int32)).as_read_only().mode
        <AccessMode.read: 'read'>
        """
        return self._as_read_only()

    @property
    def data(self) -> Array:
        """The elements of the range, inside the host task that the accessor was made for, while that runs."""
        if not self._is_usable:
            raise AccessorError(
                "an accessor is an array only inside the host task that it was made for, while that runs; "
                + (
                    "elsewhere use Buffer.host_access"
                    if self.target is Target.host_task
                    else f'this one is for {self.target.value}: for a host task ask for target="host_task"'
                )
            )
        return self._array()

    def _revoke(self, function: object, file: str | None, line: int) -> None:
        """Called by the binding: the host task has ended, and somebody still has memory that it was to write to."""
        self._lock_array()
        if function is None:  # it has failed, and what it raised holds its variables
            return
        warnings.warn_explicit(
            f"host task {getattr(function, '__qualname__', function)!r} has ended, and an array of {self!r} is still held: "
            "it is the buffer's memory, in which later commands work, and is not to be written any more; in the task, "
            "numpy.array(accessor) makes a copy",
            SyclWarning,
            file if file is not None else "<unknown>",
            line,
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        import numpy as np

        return np.array(self.data, dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value

    def __len__(self) -> int:
        return self.shape[0]

    __iter__ = None  # an accessor has elements in a host task only: iterate over its `data` there

    def __repr__(self) -> str:
        if self._is_null:
            return "<pysycl.Accessor, empty>"
        part = f" from {tuple(self.offset)}" if self.shape != self._buffer_shape else ""
        words = [f"{self.mode.value} {self.dtype} {self.shape}{part}", self.target.value]
        words += [word for word, holds in (("no_init", self.no_init), ("placeholder", self.is_placeholder)) if holds]
        return f"<pysycl.Accessor {', '.join(words)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an accessor cannot be pickled: it stands for an access in this process")
