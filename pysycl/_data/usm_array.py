"""UsmArray: elements in unified shared memory, as an array. SYCL 2020, 4.8."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pysycl import _core
from pysycl._data.host_memory import CPU, array_over, compared, element_type, has_elements
from pysycl._data.one_element import OneElement
from pysycl.device import Device
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from pysycl._data.host_memory import Array
    from pysycl.context import Context


class UsmKind(Enum):
    """The kinds of unified shared memory. SYCL 2020, 4.8.2.

    Examples
    --------
    >>> sycl.malloc_shared(4, np.int32, queue).kind
    <UsmKind.shared: 'shared'>
    """

    host = "host"
    """In the host's memory, where devices can reach it."""
    device = "device"
    """In a device's memory, out of the host's reach."""
    shared = "shared"
    """For host and device; where it is at a time is up to the driver."""
    unknown = "unknown"
    """No such memory: what an address is that no allocation has."""


NUMBERS = {UsmKind.device: 0, UsmKind.host: 1, UsmKind.shared: 2}
KINDS = {number: kind for kind, number in NUMBERS.items()}


def _is_int(part: object) -> bool:
    """True for what NumPy takes as the number of an element: not for arrays, and not for bools."""
    return hasattr(part, "__index__") and not hasattr(part, "__len__") and type(part).__name__ not in ("bool", "bool_")


def _is_basic(key: object) -> bool:
    """True for a key that names a part and not a copy."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(isinstance(part, slice | EllipsisType | str | None) or _is_int(part) for part in parts)


def _of_view(key: Any) -> Any:
    """The key with an ellipsis, so that even what names one element gives an array."""
    if isinstance(key, str):
        return key
    parts = key if isinstance(key, tuple) else (key,)
    return parts if any(isinstance(part, EllipsisType) for part in parts) else (*parts, ...)


class _Layout:
    """An array interface for NumPy, to work out a part's place and strides, which it does without a look at the memory."""

    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


@_core.bind
class UsmArray(OneElement, _core.UsmArray):
    """Elements in unified shared memory, with NumPy's attributes.

    Slices and rows are views of the same memory. Where the host may touch it (`host` and `shared`), the array has the
    buffer protocol: `np.asarray(x)`, `x.view()`, elements by index. Of device memory `np.asarray(x)` is a copy, made when
    the commands that use it have ended; `queue.memcpy` copies as a command.

    Compared with numbers and arrays, `x == 3`, it gives an array, as NumPy's do; two UsmArrays are equal if they are one
    object, so that they can be kept in sets and lists.

    The memory is freed by `free`, at the end of a `with` block, or with the last array over it; commands that use it
    keep it until they have ended.

    Notes
    -----
    SYCL 2020, 4.8. Made by malloc_device, malloc_host, malloc_shared and their relatives. True unless it was freed, as
    a pointer that is not null.

    Examples
    --------
    >>> u = sycl.malloc_shared(4, np.int32, queue)
    >>> queue.parallel_for(4, "u[i] = i * i;", u=u).wait()
    >>> np.asarray(u)
    array([0, 1, 4, 9], dtype=int32)
    """

    __slots__ = ("_made",)
    _made: Any
    """The event of who makes the contents, of a result that nobody has waited for."""
    __array_priority__ = 0.0

    @property
    def kind(self) -> UsmKind:
        """The kind of memory."""
        return KINDS[self._kind]

    @property
    def device(self) -> Device | None:
        """The device that it was allocated for; None for host memory, which is for all devices of its context."""
        return self._device

    @property
    def context(self) -> Context:
        """The context that it belongs to."""
        return self._context

    # -- the host's view --

    @_core.entry
    def view(self) -> Array:
        """The memory as a NumPy array, without a copy; the memory cannot be freed as long as that lives.

        Returns
        -------
        numpy.ndarray
            Over the memory itself.

        Raises
        ------
        InvalidObjectError
            Device memory, or memory that was freed.

        Examples
        --------
        >>> u = sycl.malloc_shared(3, np.int32, queue)
        >>> u.view()[:] = 7
        >>> int(u[1])
        7
        """
        self._check_host("the host's view of it")
        return array_over(self, self.dtype)

    def _check_host(self, what: str, instead: str = "copy it with queue.memcpy(array, x)") -> None:
        if self.is_freed:
            raise InvalidObjectError(f"{what}: the memory has been freed")
        if self.kind is UsmKind.device:
            raise InvalidObjectError(f"{what}: the host cannot touch device memory; {instead}")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        import numpy as np

        if self.kind is UsmKind.device and not self.is_freed:
            if copy is False:
                raise ValueError("the host cannot touch device memory: an array of it is always a copy")
            found = self._fetched()
            return found if dtype is None else found.astype(dtype, copy=False)
        view = self.view()
        if copy:
            return np.array(view, dtype)
        converts = dtype is not None and np.dtype(dtype) != view.dtype
        if converts and copy is False:
            raise ValueError(f"a view of {view.dtype} cannot be {np.dtype(dtype)} without a copy")
        return view.astype(dtype) if converts else view

    def _fetched(self) -> Array:
        """A copy of device memory, made when all that uses it has ended."""
        import numpy as np

        from pysycl._algorithms.call import home_queue

        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        reach = [(size - 1) * step for size, step in zip(self.shape, self.strides, strict=True)]
        low = sum(step for step in reach if step < 0)
        count = sum(map(abs, reach)) + self.itemsize
        raw = np.empty(count, np.uint8)
        self._await()
        home_queue(self).memcpy(raw, self._view(low, (count,), (1,), raw.dtype, 1)).wait_and_throw()
        array: Array = np.ndarray(self.shape, self.dtype, raw, -low, self.strides)
        return array if array.flags.c_contiguous else array.copy()

    def __eq__(self, other: object) -> Any:
        return compared(self, other) if has_elements(other) else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        return compared(self, other, differ=True) if has_elements(other) else super().__ne__(other)

    __hash__ = _core.UsmArray.__hash__

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.kind is UsmKind.device and not self.is_freed:  # then NumPy asks for a copy
            raise AttributeError("the array interface: the host cannot touch device memory")
        self._check_host("the array interface")
        self._lend()
        return self._interface()

    @_core.entry
    def __dlpack__(self, **options: Any) -> Any:
        return self.view().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        self._check_host("DLPack")
        return (CPU, 0)

    # -- parts --

    def _like(self) -> Array:
        """An array at the same place, of which no element may be looked at."""
        import numpy as np

        return np.asarray(_Layout(self._interface()))

    def _interface(self) -> dict[str, Any]:
        kind = self.dtype
        interface = {
            "version": 3,
            "shape": self.shape,
            "typestr": kind.str,
            "data": (self.ptr, False),
            "strides": self.strides,
        }
        if kind.names is not None:
            interface["descr"] = kind.descr
        return interface

    def _part(self, whole: Array, part: Array) -> Self:
        offset = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0] if part.size else 0
        return self._view(offset, part.shape, part.strides, element_type(part.dtype), part.itemsize)

    def _is_element(self, key: Any) -> bool:
        parts = key if isinstance(key, tuple) else (key,)
        return len(parts) == self.ndim and all(map(_is_int, parts))

    def _check_key(self, key: Any) -> None:
        if self.is_freed:
            raise InvalidObjectError("index: the memory has been freed")
        if not _is_basic(key):
            raise InvalidParameterError(
                f"index: {key!r} would make a copy; a UsmArray is cut by ints and slices: use x.view()[...]"
            )

    @_core.entry
    def __getitem__(self, key: Any) -> Any:
        self._check_key(key)
        if self._is_element(key):
            self._check_host("element")
            return self.view()[key]
        whole = self._like()
        return self._part(whole, whole[_of_view(key)])

    @_core.entry
    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_host("element", "use queue.memcpy(x, array) or queue.fill(x, value)")
        self.view()[key] = value

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("an array without dimensions cannot be iterated over")
        return (self[i] for i in range(len(self)))

    @_core.entry
    def __contains__(self, value: object) -> bool:
        return value in self.view()

    @_core.entry
    def reshape(self, *shape: Any) -> Self:
        """The same elements in another shape, without a copy.

        Parameters
        ----------
        *shape
            Sizes, or a tuple of them; -1 for what is left.

        Returns
        -------
        UsmArray
            Over the same memory.

        Raises
        ------
        InvalidParameterError
            Another number of elements, or strides that would need a copy.

        Examples
        --------
        >>> sycl.malloc_device(6, np.int32, queue).reshape(2, -1).shape
        (2, 3)
        """
        whole = self._like()
        try:
            part = whole.reshape(*shape)
        except (TypeError, ValueError) as error:
            raise InvalidParameterError(f"shape: {error}") from None
        if part.size and part.__array_interface__["data"][0] != whole.__array_interface__["data"][0]:
            raise InvalidParameterError(f"shape: an array of these strides cannot be seen as {part.shape}")
        return self._part(whole, part)

    def reinterpret(self, dtype: DTypeLike) -> Self:
        """The same bytes as elements of another type, along the last dimension.

        Parameters
        ----------
        dtype
            The type of elements.

        Returns
        -------
        UsmArray
            Over the same memory.

        Raises
        ------
        InvalidParameterError
            The last dimension does not come out at whole elements.

        Examples
        --------
        >>> sycl.malloc_device((2, 4), np.uint8, queue).reinterpret(np.int32).shape
        (2, 1)
        """
        try:
            whole = self._like()
            return self._part(whole, whole.view(element_type(dtype)))
        except (TypeError, ValueError) as error:
            raise InvalidParameterError(f"dtype: {error}") from None

    def _contents(self) -> Array:
        made = getattr(self, "_made", None)
        if made is not None:
            made.wait()
        return self.__array__()

    # -- the end --

    def __enter__(self) -> Self:
        if self.is_freed:
            raise InvalidObjectError("the memory has been freed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_freed or (error is not None and self._views > 0):
            return
        self.free()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a UsmArray is an address in this process and its device: it cannot be pickled or copied by copy.copy(); "
            "np.array(x) is a copy"
        )

    def __repr__(self) -> str:
        if self.is_freed:
            return "<pysycl.UsmArray, freed>"
        place = f" on {self.device.name}" if self.device is not None else ""
        return f"<pysycl.UsmArray {self.kind.value} {self.dtype}{list(self.shape)} at {self.ptr:#x}{place}>"
